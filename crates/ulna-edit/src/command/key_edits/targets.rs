//! The keys that a command changes, and notes about keys that cannot move along.

use crate::{
    Edit,
    command::{
        CommandError, Outcome, Scene, clip_keys::clip_of, field::ClipName, key_words::Between,
        which_keys::WhichKeys,
    },
};
use ulna_model::{Clip, ClipId, Document, KeySet, KeyTimes, Notice, Shared, Track, TrackId};
use ulna_motion::clip_edit::{self, TooClose, with_interpolation};

/// A clip and the keys that a command changes.
pub(in crate::command) struct KeyTargets<'a> {
    pub(in crate::command) id: ClipId,
    pub(in crate::command) clip: &'a Shared<Clip>,
    pub(in crate::command) keys: KeySet,
}

impl<'a> KeyTargets<'a> {
    pub(in crate::command) fn of(
        scene: &Scene<'a>,
        clip: &ClipName,
        which: &WhichKeys,
    ) -> Result<Self, CommandError> {
        let id = clip.find(scene.document)?;
        let clip = clip_of(scene.document, id)?;
        Ok(Self { id, clip, keys: which.of(scene.document, id, clip)? })
    }

    pub(in crate::command) fn or_all(
        scene: &Scene<'a>,
        clip: &ClipName,
        which: &WhichKeys,
    ) -> Result<Self, CommandError> {
        let id = clip.find(scene.document)?;
        let clip = clip_of(scene.document, id)?;
        Ok(Self { id, clip, keys: which.or_all(scene.document, id, clip)? })
    }

    /// Returns the tracks that contain selected keys, with the times of these keys.
    pub(in crate::command) fn tracks(
        &self,
    ) -> impl Iterator<Item = (TrackId, &'a Shared<Track>, &KeyTimes)> {
        self.keys.iter().filter_map(|(id, times)| Some((id, self.clip.tracks.get(&id)?, times)))
    }

    pub(in crate::command) fn edit(&self, track: TrackId, to: Option<Track>) -> Edit {
        Edit::SetTrack { clip: self.id, track, to: to.map(Shared::new) }
    }

    /// Returns edits for the tracks that a function changes.
    pub(in crate::command) fn changed(
        &self,
        change: impl Fn(&Track, &[f32]) -> Track,
    ) -> Vec<Edit> {
        let edit = |(id, old, times): (TrackId, &Shared<Track>, &KeyTimes)| {
            let to = change(old, times);
            (to != **old).then(|| self.edit(id, Some(to)))
        };
        self.tracks().filter_map(edit).collect()
    }
}

impl KeyTargets<'_> {
    /// Returns an error if all keys of a clip move in time, but keys of animation pointers cannot.
    /// `shifted` tells whether keys at a time move.
    pub(in crate::command) fn refuse_pointers(
        document: &Document,
        (id, clip): (ClipId, &Clip),
        is_all: bool,
        shifted: impl Fn(f32) -> bool,
    ) -> Result<(), CommandError> {
        let behind = clip.pointers.iter().find(|p| p.times.iter().any(|t| shifted(*t)));
        match behind.filter(|_| is_all) {
            Some(pointer) => Err(CommandError::other(
                "clip_has_pointers",
                format!(
                    "{}: keys of “{}” belong to an animation pointer, which cannot be edited yet; \
                        list the nodes whose keys should move with “node”",
                    document.clip_label(id),
                    pointer.pointer
                ),
            )),
            None => Ok(()),
        }
    }

    /// Returns an error if all keys in the range of the selected keys move, but keys of animation
    /// pointers cannot.
    pub(in crate::command) fn whole(
        &self,
        document: &Document,
        which: &WhichKeys,
        ripple: bool,
    ) -> Result<(), CommandError> {
        let Some((first, last)) = self.keys.span() else { return Ok(()) };
        let shifted = |t: f32| {
            t >= first - clip_edit::SAME_TIME && (ripple || t <= last + clip_edit::SAME_TIME)
        };
        Self::refuse_pointers(document, (self.id, self.clip), is_of_all(which), shifted)
    }

    /// Returns notices about channels that did not move although all keys of the clip moved.
    pub(in crate::command) fn left_behind(&self) -> Vec<Notice> {
        let of = |code, n: usize, what: &str| {
            (n > 0).then(|| Notice::new(code, format!("{} {what}", count(n, "channel"))))
        };
        if self.keys.len() < self.clip.key_count() {
            return Vec::new();
        }
        let pointers = self.clip.pointers.len();
        let played = self.clip.pointers.iter().filter(|p| p.track.is_some()).count();
        let packed = self.clip.kept.len().saturating_sub(played);
        said([
            of("pointers_left_behind", pointers, "of animation pointers did not move"),
            of("unreadable_keys_left_behind", packed, "with unreadable keys did not move"),
        ])
    }
}

/// Whether keys of all nodes and channels are selected. Only then are channels that cannot move an
/// error.
pub(in crate::command) fn is_of_all(which: &WhichKeys) -> bool {
    which.node.is_none() && which.parts.is_none() && which.keys.is_none()
}

const NO_KEY: &str = "there is no key at that time; nothing was";

pub(in crate::command) fn nothing(done: &str) -> Outcome {
    Outcome::noted("no_key_there", format!("{NO_KEY} {done}"))
}

pub(in crate::command) fn too_far(
    document: &Document,
    track: &Track,
    argument: &str,
    error: TooClose,
) -> CommandError {
    let label = document.node(track.target).label(track.target);
    CommandError::other(
        "keys_too_close",
        format!("{argument} {error} (keys of {label}). Choose a smaller number"),
    )
}

/// Formats a number with a noun in the singular or plural.
pub(in crate::command) fn count(n: usize, what: &str) -> String {
    if n == 1 { format!("1 {what}") } else { format!("{n} {what}s") }
}

pub(in crate::command) fn replaced_note(replaced: usize) -> Option<Notice> {
    let said = || format!("{} replaced by moved keys", count(replaced, "key"));
    (replaced > 0).then(|| Notice::new("keys_replaced", said()))
}

pub(in crate::command) fn said<const N: usize>(notes: [Option<Notice>; N]) -> Vec<Notice> {
    notes.into_iter().flatten().collect()
}

/// Sets the interpolation of a track that had one key and now has two. A single key has no
/// meaningful interpolation.
pub(in crate::command) fn second_key(
    old: Option<&Track>,
    made: Track,
    way: Option<Between>,
) -> Track {
    match way {
        Some(way) if old.is_some_and(|t| t.times.len() < 2) && made.times.len() == 2 => {
            with_interpolation(&made, way.interpolation())
        }
        _ => made,
    }
}
