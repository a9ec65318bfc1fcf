//! Edits: every change a document can undergo, as a value. Applying one gives back the one that undoes it.

use std::sync::Arc;

use thiserror::Error;

use crate::model::{
    Clip, ClipId, Components, Document, MeshId, NodeId, NodePose, Shared, SkinId, Track, TrackError, TrackId, Unkeyed,
    UnkeyedAt, WeightLayers, WeightMap, WeightPatch,
};

/// One change: what a slot of the document becomes.
#[derive(Clone, Debug, PartialEq)]
pub enum Edit {
    /// The user-local transform of a node, and the local transform that it comes to.
    SetPose {
        /// Whose.
        node: NodeId,
        /// `None` is the rest.
        to: Option<NodePose>,
    },
    /// What an unkeyed pose changes of a node.
    SetUnkeyed {
        /// Over which clip, and when.
        at: UnkeyedAt,
        /// Whose.
        node: NodeId,
        /// `None`: nothing.
        to: Option<Components>,
    },
    /// The weights of a node's morph targets.
    SetMorphs {
        /// Whose.
        node: NodeId,
        /// `None` is what its mesh gives.
        to: Option<Shared<[f32]>>,
    },
    /// What an unkeyed pose changes of a node's morph targets.
    SetUnkeyedMorphs {
        /// Over which clip, and when.
        at: UnkeyedAt,
        /// Whose.
        node: NodeId,
        /// `None`: nothing.
        to: Option<Shared<[f32]>>,
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
        to: Option<Shared<Track>>,
    },
    /// A whole clip: new, removed, or renamed.
    SetClip {
        /// Which.
        clip: ClipId,
        /// `None` removes it.
        to: Option<Shared<Clip>>,
    },
    /// The weights of some vertices of a primitive.
    PatchWeights {
        /// Its mesh.
        mesh: MeshId,
        /// Which primitive.
        primitive: usize,
        /// What they become.
        patch: Box<WeightPatch>,
    },
    /// All weights of a primitive, with another number of sets perhaps.
    SetWeights {
        /// Its mesh.
        mesh: MeshId,
        /// Which primitive.
        primitive: usize,
        /// What they become.
        to: Shared<WeightMap>,
    },
    /// Whether a primitive has weights at all.
    BindWeights {
        /// Its mesh.
        mesh: MeshId,
        /// Which primitive.
        primitive: usize,
        /// `None`: it has none.
        to: Option<Shared<WeightMap>>,
    },
    /// The weight layers of a skin. What they come to is set by other edits beside this one.
    SetLayers {
        /// Whose.
        skin: SkinId,
        /// `None`: there are none.
        to: Option<Shared<WeightLayers>>,
    },
    /// All pairs of joints that were said to be each other's mirror image.
    SetMirrorPairs {
        /// What they become.
        to: Shared<[(NodeId, Option<NodeId>)]>,
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
    /// A clip that goes takes no unkeyed pose with it.
    #[error("clip {0} has an unkeyed pose; key it or discard it first")]
    Unkeyed(u32),
    /// A number is not finite.
    #[error("the transform of node {0} is not a finite number")]
    NotFinite(u32),
    /// The weights do not fit the mesh.
    #[error("node {node} takes one weight for each of its {targets} morph targets")]
    Morphs {
        /// The node.
        node: u32,
        /// How many targets its mesh has.
        targets: usize,
    },
    /// Weights for vertices that are not there, or for a primitive that has none.
    #[error("the weights do not fit mesh {mesh}, primitive {primitive}")]
    Weights {
        /// The mesh.
        mesh: u32,
        /// The primitive.
        primitive: usize,
    },
    /// Layers for primitives or vertices that are not there, or with numbers out of their bounds.
    #[error("the weight layers do not fit skin {0}")]
    Layers(u32),
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
        Edit::SetPose { node, to } => {
            node_of(document, node)?;
            if to.is_some_and(|t| !t.is_finite()) {
                return Err(EditError::NotFinite(node.0));
            }
            let was = std::mem::replace(&mut document.nodes[node.index()].pose, to);
            Ok(Edit::SetPose { node, to: was })
        }
        Edit::SetUnkeyed { at, node, to } => {
            node_of(document, node)?;
            if to.is_some_and(|t| !t.is_finite() || t.is_empty()) {
                return Err(EditError::NotFinite(node.0));
            }
            let was = unkeyed(document, at, to.is_some(), |pose| match to {
                Some(to) => pose.locals.insert(node, to),
                None => pose.locals.remove(&node),
            })?;
            Ok(Edit::SetUnkeyed { at, node, to: was })
        }
        Edit::SetMorphs { node, to } => {
            node_of(document, node)?;
            morphs_of(document, node, to.as_deref())?;
            let was = std::mem::replace(&mut document.nodes[node.index()].morph_weights, to);
            Ok(Edit::SetMorphs { node, to: was })
        }
        Edit::SetUnkeyedMorphs { at, node, to } => {
            node_of(document, node)?;
            morphs_of(document, node, to.as_deref())?;
            let was = unkeyed(document, at, to.is_some(), |pose| match to {
                Some(to) => pose.morphs.insert(node, to),
                None => pose.morphs.remove(&node),
            })?;
            Ok(Edit::SetUnkeyedMorphs { at, node, to: was })
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
            let tracks = &mut Shared::make_mut(found).tracks;
            let was = match to {
                Some(to) => tracks.insert(track, to),
                None => tracks.remove(&track),
            };
            Ok(Edit::SetTrack { clip, track, to: was })
        }
        Edit::SetClip { clip, to } => {
            if let Some(to) = &to {
                for track in to.tracks.values() {
                    node_of(document, track.target)?;
                    track.validate()?;
                }
            } else if document.aids.unkeyed.keys().any(|at| at.clip == clip) {
                return Err(EditError::Unkeyed(clip.0));
            }
            let was = match to {
                Some(to) => document.clips.insert(clip, to),
                None => document.clips.remove(&clip),
            };
            Ok(Edit::SetClip { clip, to: was })
        }
        Edit::PatchWeights { mesh, primitive, mut patch } => {
            let map = weights_of(document, mesh, primitive, |map| patch.fits(map))?;
            Shared::make_mut(map).swap(&mut patch);
            Ok(Edit::PatchWeights { mesh, primitive, patch })
        }
        Edit::SetWeights { mesh, primitive, to } => {
            let sound = is_sound(&to);
            let map = weights_of(document, mesh, primitive, |map| sound && map.vertex_count() == to.vertex_count())?;
            let was = std::mem::replace(map, to);
            Ok(Edit::SetWeights { mesh, primitive, to: was })
        }
        Edit::BindWeights { mesh, primitive, to } => {
            let found = document.meshes.get(mesh.index()).and_then(|m| m.primitives.get(primitive));
            let count = found.map(|p| p.positions.len());
            let fits = to.as_ref().is_none_or(|to| is_sound(to) && Some(to.vertex_count()) == count);
            if count.is_none() || !fits {
                return Err(EditError::Weights { mesh: mesh.0, primitive });
            }
            let weights = &mut Shared::make_mut(&mut document.meshes[mesh.index()]).primitives[primitive].weights;
            let was = std::mem::replace(weights, to);
            Ok(Edit::BindWeights { mesh, primitive, to: was })
        }
        Edit::SetLayers { skin, to } => {
            if to.as_ref().is_some_and(|l| !l.fits(document, skin)) {
                return Err(EditError::Layers(skin.0));
            }
            let was = match to {
                Some(to) => document.aids.weight_layers.insert(skin, to),
                None => document.aids.weight_layers.remove(&skin),
            };
            Ok(Edit::SetLayers { skin, to: was })
        }
        Edit::SetMirrorPairs { to } => {
            to.iter().flat_map(|(a, b)| [Some(*a), *b]).flatten().try_for_each(|n| node_of(document, n))?;
            let was = std::mem::replace(&mut document.aids.mirror_pairs, to);
            Ok(Edit::SetMirrorPairs { to: was })
        }
    }
}

/// Changes an unkeyed pose; one that comes to nothing goes, and one that is not there comes to be where `wanted`.
fn unkeyed<T>(
    document: &mut Document,
    at: UnkeyedAt,
    wanted: bool,
    change: impl FnOnce(&mut Unkeyed) -> Option<T>,
) -> Result<Option<T>, EditError> {
    if !document.clips.contains_key(&at.clip) {
        return Err(EditError::NoClip(at.clip.0));
    }
    let poses = &mut document.aids.unkeyed;
    if !wanted && !poses.contains_key(&at) {
        return Ok(None);
    }
    let pose = poses.entry(at).or_default();
    let was = change(Shared::make_mut(pose));
    if pose.is_empty() {
        poses.remove(&at);
    }
    Ok(was)
}

/// Whether a map can be a primitive's, whatever its vertices.
fn is_sound(map: &WeightMap) -> bool {
    map.sets > 0
        && map.joints.len() == map.weights.len()
        && map.joints.len().is_multiple_of(map.stride())
        && map.weights.iter().all(|w| w.is_finite())
}

/// The weights of a primitive, to be changed: where there are some, and they fit.
fn weights_of(
    document: &mut Document,
    mesh: MeshId,
    primitive: usize,
    fits: impl FnOnce(&WeightMap) -> bool,
) -> Result<&mut Shared<WeightMap>, EditError> {
    let found = document.meshes.get(mesh.index()).and_then(|m| m.primitives.get(primitive));
    if found.and_then(|p| p.weights.as_deref()).is_some_and(fits)
        && let Some(map) = Shared::make_mut(&mut document.meshes[mesh.index()]).primitives[primitive].weights.as_mut()
    {
        return Ok(map);
    }
    Err(EditError::Weights { mesh: mesh.0, primitive })
}

/// Weights must be numbers, one a target.
fn morphs_of(document: &Document, node: NodeId, to: Option<&[f32]>) -> Result<(), EditError> {
    let Some(to) = to else { return Ok(()) };
    let targets = document.node(node).mesh.map_or(0, |m| document.mesh(m).target_count());
    // A file may give another number of weights than there are targets; undo must be able to bring that back.
    let as_before = document.node(node).morph_weights.as_ref().is_some_and(|w| w.len() == to.len());
    match (to.len() == targets || as_before || targets == 0, to.iter().all(|w| w.is_finite())) {
        (true, true) => Ok(()),
        (_, false) => Err(EditError::NotFinite(node.0)),
        (false, _) => Err(EditError::Morphs { node: node.0, targets }),
    }
}

impl Edit {
    /// Whether two edits write the same slot, and so one after the other leaves what the later one says.
    pub fn is_same_slot(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::SetPose { node: a, .. }, Self::SetPose { node: b, .. })
            | (Self::SetMorphs { node: a, .. }, Self::SetMorphs { node: b, .. })
            | (Self::SetNodeName { node: a, .. }, Self::SetNodeName { node: b, .. }) => a == b,
            (Self::SetUnkeyed { at: a, node: x, .. }, Self::SetUnkeyed { at: b, node: y, .. })
            | (Self::SetUnkeyedMorphs { at: a, node: x, .. }, Self::SetUnkeyedMorphs { at: b, node: y, .. }) => {
                (a, x) == (b, y)
            }
            (Self::SetTrack { clip: a, track: x, .. }, Self::SetTrack { clip: b, track: y, .. }) => (a, x) == (b, y),
            (Self::SetClip { clip: a, .. }, Self::SetClip { clip: b, .. }) => a == b,
            (Self::SetWeights { mesh: a, primitive: x, .. }, Self::SetWeights { mesh: b, primitive: y, .. })
            | (Self::BindWeights { mesh: a, primitive: x, .. }, Self::BindWeights { mesh: b, primitive: y, .. }) => {
                (a, x) == (b, y)
            }
            (Self::SetLayers { skin: a, .. }, Self::SetLayers { skin: b, .. }) => a == b,
            (Self::SetMirrorPairs { .. }, Self::SetMirrorPairs { .. }) => true,
            _ => false,
        }
    }

    /// About how many bytes of memory keeping it costs.
    pub fn size(&self) -> usize {
        let heavy = match self {
            Self::SetTrack { to: Some(track), .. } => (track.times.len() + track.values.len()) * 4,
            Self::SetMorphs { to: Some(w), .. } | Self::SetUnkeyedMorphs { to: Some(w), .. } => w.len() * 4,
            Self::SetClip { to: Some(clip), .. } => clip.tracks.len() * 96,
            Self::PatchWeights { patch, .. } => patch.size(),
            Self::SetWeights { to, .. } | Self::BindWeights { to: Some(to), .. } => to.weights.len() * 6,
            Self::SetLayers { to: Some(layers), .. } => layers.size() / Shared::sharers(layers),
            _ => 0,
        };
        size_of::<Self>() + heavy
    }
}
