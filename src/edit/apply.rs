//! Edits: every change a document can undergo, as a value. Applying one gives back the one that undoes it.

use std::sync::Arc;

use thiserror::Error;

use crate::model::{Clip, ClipId, Document, NodeId, Track, TrackError, TrackId, Transform};

/// One change: what a slot of the document becomes.
#[derive(Clone, Debug, PartialEq)]
pub enum Edit {
    /// The user-local transform of a node.
    SetUser {
        /// Whose.
        node: NodeId,
        /// `None` is the rest.
        to: Option<Transform>,
    },
    /// The local transform of a node that waits to be keyed.
    SetPending {
        /// Whose.
        node: NodeId,
        /// `None`: nothing waits.
        to: Option<Transform>,
    },
    /// A node's name.
    SetNodeName {
        /// Whose.
        node: NodeId,
        /// `None` is no name.
        to: Option<Arc<str>>,
    },
    /// A track of a clip.
    SetTrack {
        /// Which clip.
        clip: ClipId,
        /// Which track.
        track: TrackId,
        /// `None` removes it.
        to: Option<Arc<Track>>,
    },
    /// A whole clip: new, removed, or renamed.
    SetClip {
        /// Which.
        clip: ClipId,
        /// `None` removes it.
        to: Option<Arc<Clip>>,
    },
}

/// Why an edit does not fit the document. The document is unchanged then.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum EditError {
    /// No such node.
    #[error("node {0} is not there")]
    NoNode(u32),
    /// No such clip.
    #[error("clip {0} is not there")]
    NoClip(u32),
    /// A number is not finite.
    #[error("the transform of node {0} is not a finite number")]
    NotFinite(u32),
    /// The track breaks a rule.
    #[error("the keys do not fit: {0}")]
    Track(#[from] TrackError),
}

/// Applies an edit and returns its inverse: `apply(apply(d, e)) = d`.
///
/// # Errors
/// Where the edit names something that is not there or breaks an invariant; the document is unchanged then.
pub fn apply(document: &mut Document, edit: Edit) -> Result<Edit, EditError> {
    let node_of = |document: &Document, node: NodeId| {
        if node.index() < document.nodes.len() { Ok(()) } else { Err(EditError::NoNode(node.0)) }
    };
    match edit {
        Edit::SetUser { node, to } => {
            node_of(document, node)?;
            if to.is_some_and(|t| !t.is_finite()) {
                return Err(EditError::NotFinite(node.0));
            }
            let was = std::mem::replace(&mut document.nodes[node.index()].user, to);
            Ok(Edit::SetUser { node, to: was })
        }
        Edit::SetPending { node, to } => {
            node_of(document, node)?;
            if to.is_some_and(|t| !t.is_finite()) {
                return Err(EditError::NotFinite(node.0));
            }
            let was = match to {
                Some(to) => document.pending.insert(node, to),
                None => document.pending.remove(&node),
            };
            Ok(Edit::SetPending { node, to: was })
        }
        Edit::SetNodeName { node, to } => {
            node_of(document, node)?;
            let was = std::mem::replace(&mut document.nodes[node.index()].name, to);
            Ok(Edit::SetNodeName { node, to: was })
        }
        Edit::SetTrack { clip, track, to } => {
            if let Some(to) = &to {
                node_of(document, to.target)?;
                to.validate()?;
            }
            let Some(found) = document.clips.get_mut(&clip) else { return Err(EditError::NoClip(clip.0)) };
            let tracks = &mut Arc::make_mut(found).tracks;
            let was = match to {
                Some(to) => tracks.insert(track, to),
                None => tracks.remove(&track),
            };
            Ok(Edit::SetTrack { clip, track, to: was })
        }
        Edit::SetClip { clip, to } => {
            let was = match to {
                Some(to) => document.clips.insert(clip, to),
                None => document.clips.remove(&clip),
            };
            Ok(Edit::SetClip { clip, to: was })
        }
    }
}

impl Edit {
    /// About how many bytes of memory keeping it costs.
    pub fn size(&self) -> usize {
        let heavy = match self {
            Self::SetTrack { to: Some(track), .. } => (track.times.len() + track.values.len()) * 4,
            Self::SetClip { to: Some(clip), .. } => clip.tracks.len() * 96,
            _ => 0,
        };
        size_of::<Self>() + heavy
    }
}
