//! What is selected and shown. A command that a person merely names, by a menu or a key, takes its arguments from there.

use std::collections::BTreeMap;

use super::{
    Arguments, ClipCommand, Command, CommandLine, CommandSpec, DeleteClip, DeleteKeys, DuplicateClip, KeyCommand,
    Reset, SessionCommand, SetKey,
    field::{ClipName, KeyParts, Nodes, Numbers, Seconds, Trs},
};
use crate::{
    edit::Selection,
    model::{ClipId, Document, TrackId, UnkeyedAt},
};

/// What is selected and shown.
#[derive(Clone, Copy, Debug)]
pub struct Around<'a> {
    /// The document.
    pub document: &'a Document,
    /// What is selected.
    pub selection: &'a Selection,
    /// The clip on the timeline.
    pub clip: Option<ClipId>,
    /// Seconds at the playhead.
    pub time: f64,
    /// The unkeyed pose that is seen.
    pub unkeyed: Option<UnkeyedAt>,
    /// Whether it is carried along with the playhead.
    pub carried: bool,
}

/// Why a command cannot be taken from there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unfilled {
    /// A person is to be asked for its arguments.
    Asks,
    /// It has nothing to work on: a sentence.
    Refused(&'static str),
}

/// What a command comes to: one, or several that are one step.
pub type Filled = Result<Vec<Command>, Unfilled>;

impl CommandSpec {
    /// The command as what is selected and shown makes it.
    ///
    /// # Errors
    /// Where that does not say enough.
    pub fn fill(&self, around: &Around<'_>) -> Filled {
        match self.filled {
            Some(fill) => fill(around),
            None => self.without_arguments().map(|command| vec![command]),
        }
    }

    /// The command without arguments.
    ///
    /// # Errors
    /// Where it needs some.
    pub fn without_arguments(&self) -> Result<Command, Unfilled> {
        let arguments = Arguments::new(&CommandLine::new(self.name), self);
        arguments.and_then(|a| (self.read)(&a)).map_err(|_missing| Unfilled::Asks)
    }
}

const NO_CLIP: Unfilled = Unfilled::Refused("No clip is shown. Choose one on the timeline.");

impl Around<'_> {
    fn nodes(&self) -> Option<Nodes> {
        let nodes = &self.selection.nodes;
        (!nodes.is_empty()).then(|| Nodes::Ids(nodes.iter().copied().collect()))
    }

    fn clip(&self) -> Result<ClipName, Unfilled> {
        self.clip.map(ClipName::Id).ok_or(NO_CLIP)
    }

    fn seconds(&self) -> Seconds {
        Seconds(self.time as f32)
    }
}

pub(super) fn reset(around: &Around<'_>) -> Filled {
    Ok(vec![Reset { node: around.nodes(), parts: None }.into()])
}

pub(super) fn reset_to_file(around: &Around<'_>) -> Filled {
    Ok(vec![SessionCommand::ResetToFile { node: around.nodes() }.into()])
}

/// What was changed is keyed; where nothing was, what is selected.
pub(super) fn set_key(around: &Around<'_>) -> Filled {
    let clip = around.clip()?;
    let held = around.unkeyed.and_then(|at| Some((at, around.document.aids.unkeyed.get(&at)?)));
    let (node, unkeyed) = match held {
        Some((at, pose)) => (Nodes::Ids(pose.nodes().collect()), around.carried.then(|| Seconds(at.time()))),
        None => (around.nodes().ok_or(Unfilled::Refused("Nothing is selected."))?, None),
    };
    let key = SetKey { clip, time: around.seconds(), node, parts: None, to: Trs::default(), unkeyed, exact: None };
    Ok(vec![KeyCommand::from(key).into()])
}

/// Selected keys, those of a track by one command; without them those of the selected nodes at the playhead.
pub(super) fn delete_keys(around: &Around<'_>) -> Filled {
    let none = |clip| DeleteKeys { clip, time: None, times: None, from: None, to: None, node: None, parts: None };
    if around.selection.keys.is_empty() {
        let node = around.nodes().ok_or(Unfilled::Refused("No key and no joint is selected."))?;
        let keys = DeleteKeys { time: Some(around.seconds()), node: Some(node), ..none(around.clip()?) };
        return Ok(vec![keys.into()]);
    }
    let mut times: BTreeMap<(ClipId, TrackId), Vec<f64>> = BTreeMap::new();
    for key in &around.selection.keys {
        times.entry((key.clip, key.track)).or_default().push(f64::from(key.time()));
    }
    let of_track = |((clip, track), times): ((ClipId, TrackId), Vec<f64>)| {
        let track = around.document.clips.get(clip)?.tracks.get(&track)?;
        let keys = DeleteKeys {
            times: Some(Numbers(times)),
            node: Some(Nodes::one(track.target)),
            parts: Some(KeyParts(vec![track.property])),
            ..none(ClipName::Id(clip))
        };
        Some(keys.into())
    };
    Ok(times.into_iter().filter_map(of_track).collect())
}

pub(super) fn duplicate_clip(around: &Around<'_>) -> Filled {
    Ok(vec![ClipCommand::from(DuplicateClip { clip: around.clip()?, name: None }).into()])
}

pub(super) fn delete_clip(around: &Around<'_>) -> Filled {
    Ok(vec![ClipCommand::from(DeleteClip { clip: around.clip()? }).into()])
}
