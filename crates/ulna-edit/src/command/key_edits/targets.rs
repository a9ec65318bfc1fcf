//! Keys that a command means, and notes on keys that stay behind.

use crate::{
    Edit,
    command::{
        CommandError, Outcome, Scene, clip_keys::clip_of, field::ClipName, key_words::Between,
        which_keys::WhichKeys,
    },
};
use ulna_model::{Clip, ClipId, Document, KeySet, KeyTimes, Notice, Shared, Track, TrackId};
use ulna_motion::clip_edit::{self, TooClose, with_interpolation};

/// A clip and the keys of it that are meant.
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

    /// The tracks that have some of the keys, and which.
    pub(in crate::command) fn tracks(
        &self,
    ) -> impl Iterator<Item = (TrackId, &'a Shared<Track>, &KeyTimes)> {
        self.keys.iter().filter_map(|(id, times)| Some((id, self.clip.tracks.get(&id)?, times)))
    }

    pub(in crate::command) fn edit(&self, track: TrackId, to: Option<Track>) -> Edit {
        Edit::SetTrack { clip: self.id, track, to: to.map(Shared::new) }
    }

    /// Edits of the tracks that a function changes.
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
    /// Refuses to shift the time of all of a clip while keys of animation pointers would stay
    /// behind. `shifted` says of which times keys would move.
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

    /// As that, of the keys that are meant.
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

    /// Notices about channels that cannot follow if all keys of a clip move in time. Keys that were
    /// chosen one by one are moved, with a notice.
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

/// Whether keys are meant of all nodes and channels: of some only, nobody expects others to come
/// along.
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

/// So many of them, in words.
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

/// A track that had a single key, which says nothing of how it goes on, and has two now: as new
/// keys are to be.
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
