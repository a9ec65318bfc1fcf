//! Deletes or cleans keys, and sets holds, interpolation and key types.

use super::{
    commands::{CleanKeys, DeleteKeys, HoldKeys, SetInterpolation, SetKeyKind},
    targets::{KeyTargets, count, nothing, said},
};
use crate::command::{CommandError, Outcome, Scene, key_words::Between};
use ulna_model::{Interpolation, KeySet, KeyTimes, Notice, Shared, Track};
use ulna_motion::clip_edit::{self, held, remove_keys, with_interpolation};

impl DeleteKeys {
    pub(super) fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let meant = KeyTargets::of(scene, &self.clip, &self.which)?;
        if meant.keys.is_empty() {
            return Ok(nothing("deleted"));
        }
        let mut left = (**meant.clip).clone();
        let mut edits = Vec::new();
        for (id, old, times) in meant.tracks() {
            let to = remove_keys(old, times);
            match &to {
                Some(to) => left.tracks.insert(id, Shared::new(to.clone())),
                None => left.tracks.remove(&id),
            };
            edits.push(meant.edit(id, to));
        }
        // The clip becomes shorter if its last key is deleted, which may be on a track without
        // motion.
        let length =
            clip_edit::length_in_words(meant.clip, &left).filter(|_| !left.tracks.is_empty());
        let length = length.map(|said| Notice::new("clip_length_changed", said));
        let notes = [said([length]), meant.left_behind()].concat();
        Ok(Outcome {
            edits,
            notes,
            keys: Some((meant.id, KeySet::default())),
            ..Outcome::default()
        })
    }
}

impl HoldKeys {
    pub(super) fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let meant = KeyTargets::of(scene, &self.clip, &self.which)?;
        let on = self.on.unwrap_or(true);
        let edits = meant.changed(|track, times| held(track, times, on));
        let steps =
            meant.tracks().filter(|(_, t, _)| t.interpolation == Interpolation::Step).count();
        let note = (!on && steps > 0).then(|| {
            format!(
                "{} with STEP interpolation, which holds every key; choose another interpolation",
                count(steps, "track")
            )
        });
        let notes = said([note.map(|said| Notice::new("tracks_are_stepped", said))]);
        Ok(Outcome { edits, notes, ..Outcome::default() })
    }
}

impl SetInterpolation {
    pub(super) fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let meant = KeyTargets::or_all(scene, &self.clip, &self.which)?;
        if self.keeps() {
            return Ok(self.converted(&meant));
        }
        let to = self.interpolation.interpolation();
        let edits = meant.changed(|track, _| with_interpolation(track, to));
        let sum = |of: &dyn Fn(&Track, &KeyTimes) -> usize| {
            meant.tracks().map(|(_, t, k)| of(t, k)).sum::<usize>()
        };
        let others = sum(&|track, keys| track.times.len().saturating_sub(keys.len()));
        let single = sum(&|track, _| usize::from(track.times.len() < 2));
        let tangents = sum(&|track, _| {
            usize::from(
                track.interpolation == Interpolation::CubicSpline && to != track.interpolation,
            )
        });
        let notes = [
            (others > 0 && !edits.is_empty()).then(|| {
                let said = format!(
                    "glTF has one interpolation per track, so it also applies to {} of {}",
                    count(others, "other key"),
                    count(meant.tracks().count(), "track")
                );
                Notice::new("other_keys_follow", said)
            }),
            (tangents > 0).then(|| {
                Notice::new(
                    "tangents_removed",
                    format!("the tangents of {} were removed", count(tangents, "track")),
                )
            }),
            (single > 0 && self.interpolation == Between::Smooth).then(|| {
                let tracks = count(single, "track");
                Notice::new(
                    "single_key",
                    format!(
                        "{tracks} with a single key, which will become smooth when a second key is \
                            added"
                    ),
                )
            }),
        ];
        Ok(Outcome { edits, notes: said(notes), ..Outcome::default() })
    }
}

impl SetKeyKind {
    pub(super) fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let meant = KeyTargets::or_all(scene, &self.clip, &self.which)?;
        let kind = self.kind.kind();
        // `times` never contains the end keys of holds.
        let edits = meant.changed(|track, times| Track {
            kinds: track.kinds.with(times, kind),
            ..track.clone()
        });
        Ok(edits.into())
    }
}

impl CleanKeys {
    pub(super) fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let meant = KeyTargets::or_all(scene, &self.clip, &self.which)?;
        let tolerance = self.tolerance.unwrap_or(0.0);
        let mut removed = 0;
        let mut edits = Vec::new();
        for (id, old, times) in meant.tracks() {
            let dead = clip_edit::dead_keys(old, times, tolerance);
            if !dead.is_empty() {
                removed += dead.len();
                edits.push(meant.edit(id, remove_keys(old, &dead)));
            }
        }
        let note = match removed {
            0 => "there are no redundant keys: no key is on the line between its neighbors"
                .to_owned(),
            1 => "1 key was removed".to_owned(),
            n => format!("{n} keys were removed"),
        };
        Ok(Outcome { edits, notes: vec![Notice::new("keys_cleaned", note)], ..Outcome::default() })
    }
}
