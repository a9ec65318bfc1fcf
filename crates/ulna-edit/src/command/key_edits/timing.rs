//! Moves keys in time: shifting, copying, scaling, rippling, and offsetting in a loop.

use super::{
    commands::{DuplicateKeys, MoveKeys, OffsetKeys, RippleKeys, ScaleKeys},
    targets::{KeyTargets, count, is_of_all, nothing, replaced_note, said, second_key, too_far},
};
use crate::{
    Edit,
    command::{
        CommandError, Outcome, Scene,
        clip_keys::{clip_of, time_of},
    },
};
use ulna_model::{Document, Goal, KeySet, KeyTimes, Marker, Notice, Shared, Track};
use ulna_motion::clip_edit::{self, TimeMap, offset_in_loop, remove_time, retime};

/// Maps the times of keys, and selects the keys at their new times. Also returns the number of
/// replaced keys.
fn retimed(
    document: &Document,
    meant: &KeyTargets<'_>,
    (map, copies, argument): (TimeMap, bool, &str),
    more: impl Fn(&Track, &KeyTimes) -> KeyTimes,
) -> Result<(Outcome, usize), CommandError> {
    let mut done = Outcome::default();
    let (mut replaced, mut keys) = (0, KeySet::default());
    for (id, old, times) in meant.tracks() {
        let all = more(old, times);
        let made =
            retime(old, &all, &map, copies).map_err(|e| too_far(document, old, argument, e))?;
        replaced += made.replaced;
        // Keys that moved only because of a ripple are not selected.
        let count = times.len().min(made.keys.len());
        keys = keys.union(&meant.keys.moved(id, &made.keys[..count]));
        done.edits.push(meant.edit(id, Some(made.track)));
    }
    done.keys = Some((meant.id, keys));
    Ok((done, replaced))
}

/// Limits a time offset so that no key moves before 0 s. Returns the offset in seconds, and a
/// notice if it is smaller than `wanted`.
fn held_at_start(first: f32, wanted: f32) -> (f32, Option<Notice>) {
    let by = wanted.max(-first.max(0.0));
    let said = || format!("moved by only {by} s, because keys cannot be before 0 s");
    (by, (by != wanted).then(|| Notice::new("held_at_start", said())))
}

impl MoveKeys {
    /// Moves the keys in time. No key moves before 0 s. A moved key replaces an existing key at its
    /// new time, and a notice gives the number of replaced keys.
    pub(super) fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let meant = KeyTargets::of(scene, &self.clip, &self.which)?;
        let Some((first, last)) = meant.keys.span() else { return Ok(nothing("moved")) };
        if self.make_room.unwrap_or(false) && first >= 0.0 && first + self.by.0 < 0.0 {
            return self.with_room(scene, &meant, first);
        }
        let (by, held) = held_at_start(first, self.by.0);
        let ripple = self.ripple.unwrap_or(false);
        meant.whole(scene.document, &self.which, ripple)?;
        let more = |track: &Track, times: &KeyTimes| {
            let later = KeyTimes::within(&track.times, last.next_up(), f32::MAX);
            if ripple {
                times.iter().chain(later.iter()).copied().collect::<Vec<_>>().into()
            } else {
                times.clone()
            }
        };
        let map = TimeMap::shift(f64::from(by));
        let argument = format!("“by” is {by} s;");
        let (done, replaced) = retimed(scene.document, &meant, (map, false, &argument), more)?;
        let notes = [said([held, replaced_note(replaced)]), meant.left_behind()].concat();
        Ok(Outcome { notes, ..done })
    }
}

impl MoveKeys {
    /// Moves the selected keys so that the first one is at 0 s, and shifts all other keys later by
    /// the rest of the offset.
    fn with_room(
        &self,
        scene: &Scene<'_>,
        meant: &KeyTargets<'_>,
        first: f32,
    ) -> Result<Outcome, CommandError> {
        let room = -(f64::from(first) + f64::from(self.by.0));
        KeyTargets::refuse_pointers(scene.document, (meant.id, meant.clip), true, |_| true)?;
        let all = KeySet::of(meant.clip, |_, t| KeyTimes::part(&t.times, 0..t.times.len()));
        let argument = format!("“by” is {} s;", self.by.0);
        let mut clip = (**meant.clip).clone();
        let (mut keys, mut replaced) = (KeySet::default(), 0);
        for (id, times) in all.iter() {
            let Some(old) = meant.clip.tracks.get(&id) else { continue };
            let far = |e| too_far(scene.document, old, &argument, e);
            // All keys move later by `room`, then the selected keys move by the requested offset.
            let later = retime(old, times, &TimeMap::shift(room), false).map_err(far)?;
            let own: Vec<f32> =
                meant.keys.of_track(id).iter().map(|t| TimeMap::shift(room).at(*t)).collect();
            let made = retime(&later.track, &own, &TimeMap::shift(f64::from(self.by.0)), false)
                .map_err(far)?;
            replaced += made.replaced;
            keys.set(id, made.keys);
            clip.tracks.insert(id, Shared::new(made.track));
        }
        let moved = |m: &Marker| Marker { time: TimeMap::shift(room).at(m.time), ..m.clone() };
        clip.markers = clip.markers.iter().map(moved).collect::<Vec<_>>().into();
        let later = |goal: &Goal| goal.retimed(|t| TimeMap::shift(room).at(t));
        clip.contacts = clip.contacts.iter().filter_map(later).collect::<Vec<_>>().into();
        let edits = vec![Edit::SetClip { clip: meant.id, to: Some(Shared::new(clip)) }];
        let said_so =
            format!("all other keys were moved {room} s later, so that no key is before 0 s");
        let note = Some(Notice::new("other_keys_moved", said_so));
        Ok(Outcome {
            edits,
            notes: said([note, replaced_note(replaced)]),
            keys: Some((meant.id, keys)),
            ..Outcome::default()
        })
    }
}

impl DuplicateKeys {
    pub(super) fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let meant = KeyTargets::of(scene, &self.clip, &self.which)?;
        let Some((first, _)) = meant.keys.span() else { return Ok(nothing("copied")) };
        let (by, held) = held_at_start(first, self.by.0);
        let argument = format!("“by” is {by} s;");
        let map = TimeMap::shift(f64::from(by));
        let (mut done, replaced) =
            retimed(scene.document, &meant, (map, true, &argument), |_, t| t.clone())?;
        for edit in &mut done.edits {
            if let Edit::SetTrack { track, to: Some(to), .. } = edit {
                let old = meant.clip.tracks.get(track).map(|t| &**t);
                *to = Shared::new(second_key(old, (**to).clone(), self.interpolation));
            }
        }
        Ok(Outcome { notes: said([held, replaced_note(replaced)]), ..done })
    }
}

impl ScaleKeys {
    pub(super) fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let meant = KeyTargets::or_all(scene, &self.clip, &self.which)?;
        let Some((first, _)) = meant.keys.span() else { return Ok(nothing("moved")) };
        let wanted = f64::from(self.factor);
        if wanted <= 0.0 {
            return Err(CommandError::other(
                "argument_out_of_range",
                format!("“factor” is {wanted}, but must be greater than 0"),
            ));
        }
        let about = f64::from(self.about.map_or(first, |a| a.0));
        // Largest scale for which `about + (first − about)·scale ≥ 0`.
        let most = if about > f64::from(first) {
            about / (about - f64::from(first))
        } else {
            f64::INFINITY
        };
        let scale = if first >= 0.0 { wanted.min(most.max(f64::MIN_POSITIVE)) } else { wanted };
        meant.whole(scene.document, &self.which, false)?;
        let held = (scale != wanted).then(|| {
            Notice::new(
                "held_at_start",
                format!("scaled by only {scale:.3}, because keys cannot be before 0 s"),
            )
        });
        let argument = format!("“factor” is {wanted};");
        let map = TimeMap { about, scale, by: 0.0 };
        let (done, replaced) =
            retimed(scene.document, &meant, (map, false, &argument), |_, t| t.clone())?;
        let notes = [said([held, replaced_note(replaced)]), meant.left_behind()].concat();
        Ok(Outcome { notes, ..done })
    }
}

impl RippleKeys {
    pub(super) fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let document = scene.document;
        let id = self.clip.find(document)?;
        let clip = clip_of(document, id)?;
        let nodes = self.node.as_ref().map(|n| n.all(document)).transpose()?;
        let (from, by) = (time_of(self.time)?, self.by.0);
        KeyTargets::refuse_pointers(document, (id, clip), nodes.is_none(), |t| t >= from)?;
        let mut edits = Vec::new();
        let mut removed = 0;
        for (track, old) in &clip.tracks {
            if nodes.as_ref().is_some_and(|n| n.binary_search(&old.target).is_err()) {
                continue;
            }
            let far = |e| too_far(document, old, &format!("“by” is {by} s;"), e);
            let to = if by < 0.0 {
                let left = remove_time(old, from, -by).map_err(far)?;
                removed += old.times.len() - left.as_ref().map_or(0, |t| t.times.len());
                left
            } else {
                let later = KeyTimes::within(&old.times, from, f32::MAX);
                Some(retime(old, &later, &TimeMap::shift(f64::from(by)), false).map_err(far)?.track)
            };
            if to.as_ref() != Some(&**old) {
                edits.push(Edit::SetTrack { clip: id, track: *track, to: to.map(Shared::new) });
            }
        }
        let taken = (removed > 0).then(|| {
            Notice::new(
                "keys_deleted",
                format!("deleted {} in the removed time", count(removed, "key")),
            )
        });
        let packed = clip.kept.len();
        let packed = (packed > 0 && nodes.is_none())
            .then(|| format!("{} with unreadable keys did not move", count(packed, "channel")));
        let packed = packed.map(|said| Notice::new("unreadable_keys_left_behind", said));
        Ok(Outcome { edits, notes: said([taken, packed]), ..Outcome::default() })
    }
}

impl OffsetKeys {
    pub(super) fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let meant = KeyTargets::or_all(scene, &self.clip, &self.which)?;
        let length = meant.clip.length();
        KeyTargets::refuse_pointers(
            scene.document,
            (meant.id, meant.clip),
            is_of_all(&self.which),
            |_| true,
        )?;
        let (span, by) = (f64::from(length), f64::from(self.by.0));
        let mut done = Outcome::default();
        let mut keys = KeySet::default();
        for (id, old, times) in meant.tracks() {
            let to = offset_in_loop(old, length, self.by.0).map_err(|e| {
                too_far(scene.document, old, "the loop is too short for this offset:", e)
            })?;
            let there = |t: f64| to.key_at(t as f32, clip_edit::SAME_TIME).map(|k| to.times[k]);
            let now = times.iter().filter_map(|t| {
                let t =
                    if span > 0.0 { (f64::from(*t) + by).rem_euclid(span) } else { f64::from(*t) };
                // A key at the loop seam can be at the start or at the end.
                there(t).or_else(|| there(t + span)).or_else(|| there(t - span))
            });
            keys.set(id, now.collect::<Vec<_>>().into());
            if to != **old {
                done.edits.push(meant.edit(id, Some(to)));
            }
        }
        done.keys = (!self.which.is_all()).then_some((meant.id, keys));
        Ok(done)
    }
}
