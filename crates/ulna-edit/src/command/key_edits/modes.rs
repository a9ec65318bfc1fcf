//! Tangent modes of keys: setting them, copying them from another key, and matching them at a loop
//! seam.

use super::{
    commands::{CopyTangents, MatchSeam, SetTangents},
    targets::{KeyTargets, count, nothing, said},
};
use crate::command::{
    CommandError, Outcome, Scene,
    key_words::{TangentSide, Through},
};
use ulna_model::{
    Clip, Interpolation, KeySide, KeyTangents, Notice, Property, Repeat, TangentMode, Track,
};
use ulna_motion::clip_edit::{
    self, Tangents, mode_at, refreshed, with_interpolation, with_matched_seam, with_modes,
    with_tangents,
};

/// Largest difference per component between the first and the last value of a closed loop.
const MEETS: f32 = 1e-5;

/// Converts a track to CUBICSPLINE.
fn smooth(track: &Track) -> Track {
    with_interpolation(track, Interpolation::CubicSpline)
}

/// Whether the values of the first and the last key are equal. Opposite quaternions are equal
/// rotations.
fn meets(track: &Track) -> bool {
    let last = track.times.len() - 1;
    let apart = |sign: f32| {
        let pairs = track.value(0).iter().zip(track.value(last));
        pairs.map(|(a, b)| (a - sign * b).abs()).fold(0.0, f32::max)
    };
    last > 0
        && (apart(1.0) <= MEETS || (track.property == Property::Rotation && apart(-1.0) <= MEETS))
}

/// Returns a note about tracks that become smooth, because only smooth tracks have tangents.
fn splines(meant: &KeyTargets<'_>) -> Option<Notice> {
    let others =
        meant.tracks().filter(|(_, t, _)| t.interpolation != Interpolation::CubicSpline).count();
    (others > 0).then(|| {
        let said = format!(
            "{} changed to smooth interpolation, because only smooth keys have tangents",
            count(others, "track")
        );
        Notice::new("tracks_became_splines", said)
    })
}

/// Prepares a track that gets its first tangent modes. In a looping clip, its tangents wrap if its
/// ends match.
fn first_named(track: Track, clip: &Clip) -> Track {
    let loops = clip.repeat.unwrap_or_default() == Repeat::Loop;
    if track.modes.is_empty() && loops && track.times.len() > 2 && meets(&track) {
        return Track { modes: track.modes.clone().wrapping(true), ..track };
    }
    track
}

impl SetTangents {
    fn of(&self, track: &Track, times: &[f32], clip: &Clip) -> Track {
        let track = smooth(track);
        let side = self.side.map_or(KeySide::Both, TangentSide::side);
        let mode = match self.tangents {
            Through::Straight | Through::Sharp => return self.by_numbers(&track, times),
            Through::Auto => TangentMode::Auto,
            Through::Smooth => TangentMode::Smooth,
            Through::Flat => TangentMode::Flat,
            Through::Linear => TangentMode::Linear,
            Through::Free | Through::Broken => TangentMode::Free,
        };
        let linked = match self.tangents {
            Through::Broken => Some(false),
            // A side with its own mode is not linked to the other side.
            _ if side != KeySide::Both => Some(self.linked.unwrap_or(false)),
            Through::Auto | Through::Smooth | Through::Flat => Some(self.linked.unwrap_or(true)),
            Through::Linear => Some(self.linked.unwrap_or(false)),
            _ => self.linked,
        };
        with_modes(&first_named(track, clip), times, side, mode, linked)
    }

    /// Sets fixed slopes, which are not recomputed when keys change.
    fn by_numbers(&self, track: &Track, times: &[f32]) -> Track {
        let how = match self.tangents {
            Through::Sharp => Tangents::Sharp,
            _ => Tangents::Straight,
        };
        let made = with_tangents(track, times, how);
        if track.modes.is_empty() {
            return made;
        }
        let free = KeyTangents { linked: false, ..KeyTangents::default() };
        let after = Track { modes: made.modes.with(times, Some(free)), ..made };
        refreshed(track, after)
    }

    pub(super) fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let meant = KeyTargets::or_all(scene, &self.clip, &self.which)?;
        let edits = meant.changed(|track, times| self.of(track, times, meant.clip));
        Ok(Outcome { edits, notes: said([splines(&meant)]), ..Outcome::default() })
    }
}

impl CopyTangents {
    pub(super) fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let meant = KeyTargets::of(scene, &self.clip, &self.which)?;
        let from = |track: &Track| track.key_at(self.from.0, clip_edit::SAME_TIME);
        let without = meant.tracks().filter(|(_, t, _)| from(t).is_none()).count();
        if without == meant.tracks().count() {
            return Ok(nothing("copied"));
        }
        let edits = meant.changed(|track, times| match from(track) {
            Some(key) => copied(&smooth(track), track.times[key], times),
            None => track.clone(),
        });
        let behind = (without > 0).then(|| {
            let said =
                format!("{} without a key at that time did not change", count(without, "track"));
            Notice::new("no_key_there", said)
        });
        Ok(Outcome { edits, notes: said([splines(&meant), behind]), ..Outcome::default() })
    }
}

/// Copies the tangent modes and slopes of the key at `from` to the keys at `times`. Rotations get
/// the same angular velocity in the parent's space: q' = (q'ₛ qₛ⁻¹) q.
fn copied(track: &Track, from: f32, times: &[f32]) -> Track {
    let Some(from) = track.key_at(from, 0.0) else { return track.clone() };
    if track.interpolation != Interpolation::CubicSpline {
        return track.clone();
    }
    let (width, stride) = (track.width, track.stride());
    let modes = mode_at(track, from);
    let mut values = track.values.to_vec();
    let keys = times.iter().filter_map(|t| track.key_at(*t, 0.0)).filter(|key| *key != from);
    for key in keys {
        for side in [0, 2 * width] {
            let slope = &track.values[from * stride + side..][..width];
            let slope = match track.property {
                Property::Rotation => {
                    let [a, b] = [track.value(from), track.value(key)].map(glam::Quat::from_slice);
                    let turn = glam::Quat::from_slice(slope) * a.normalize().inverse();
                    (turn * b).to_array().to_vec()
                }
                _ => slope.to_vec(),
            };
            values[key * stride + side..][..width].copy_from_slice(&slope);
        }
    }
    let modes = track.modes.with(times, Some(modes));
    refreshed(track, Track { values: values.into(), modes, ..track.clone() })
}

impl MatchSeam {
    pub(super) fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let meant = KeyTargets::or_all(scene, &self.clip, &self.which)?;
        let on = self.on.unwrap_or(true);
        let open = meant.tracks().find(|(_, t, _)| on && (t.times.len() < 3 || !meets(t)));
        if let Some((_, track, _)) = open {
            let label = scene.document.node(track.target).label(track.target);
            let message = format!(
                "the first and the last key of {label} ({}) have different values, or there is no \
                    key between them. Copy the first key to the end of the clip, then match the \
                    seam",
                track.property.path()
            );
            return Err(CommandError::other("seam_does_not_meet", message));
        }
        let edits = meant.changed(|track, _| with_matched_seam(&smooth(track), on));
        Ok(Outcome { edits, notes: said([splines(&meant)]), ..Outcome::default() })
    }
}
