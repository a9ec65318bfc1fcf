//! Keys moved, stretched, smoothed, copied: what is done to tracks, as pure functions from a track
//! to another.
//!
//! ```text
//!  KeySet (which) ──► marks ──┬─► retime   move, stretch, copy in time, shift what follows
//!                             ├─► offset   round a loop
//!                             ├─► smooth   hold, linear, smooth; auto tangents
//!                             ├─► values   arithmetic on values
//!                             ├─► dead     keys that change nothing
//!                             ├─► choose   keys by kind and value
//!                             └─► copied   keys as text, for the clipboard, and back
//!  a whole clip ──────────────┬─► whole    a part of it, backwards, stretched, sampled anew
//!                             ├─► join     two, one after the other
//!                             ├─► mirrored the other side
//!                             ├─► layered  its pose layers, in all of these ways
//!                             ├─► reduce   fewer keys, with the skin where it was (skin_bound)
//!                             │   both keep it as long as it is (length)
//!                             ├─► editable splines through a few keys, not one on each frame
//!                             ├─► root_motion  the way that the body goes, put elsewhere
//!                             └─► seam     where a loop meets itself, and how it comes to
//! ```
//!
//! Three rules hold for all of them:
//! 1. **A key that is not touched keeps its numbers**, to the bit.
//! 2. **A hold in a track that is not STEP is two keys**: the value again, a millisecond before the
//!    next key. Wherever a key goes, the end of the hold before it goes too ([`is_hold_end`]); it
//!    is never selected by itself.
//! 3. **Tangents that are automatic stay so**: where every tangent of a track is what
//!    [`with_auto_tangents`] makes, they are made again after the change. Nothing marks such a
//!    track; its numbers say it.

mod choose;
mod copied;
mod dead;
mod editable;
mod join;
mod jumps;
mod layered;
mod length;
mod mirrored;
mod offset;
mod reduce;
mod retime;
mod root_motion;
mod seam;
mod seam_speed;
mod skin_bound;
mod smooth;
mod values;
mod whole;

use self::whole::reversed_within;
pub use self::{
    choose::{keys_in_range, keys_of_kind, keys_of_value},
    copied::{CopiedKeys, CopiedTrack, NodePlace, NotKeys, PasteAt, Pasted, paste},
    dead::dead_keys,
    editable::{Editable, editable},
    join::{Joined, joined},
    jumps::{Jump, new_jump},
    layered::{
        CarriedByLayer, JoinedLayers, joined_layers, mapped_layers, mirrored_components,
        mirrored_layers, part_of_layers, reversed_layers,
    },
    length::length_in_words,
    mirrored::{MirroredClip, mirror_gap, mirror_skin_gap, mirrored},
    offset::offset_in_loop,
    reduce::{Reduced, reduced, sparse},
    retime::{Retimed, TimeMap, TooClose, remove_keys, remove_time, retime},
    root_motion::{Moved, NoTravel, Travel, TravelParts, TravelTo, move_travel, travel},
    seam::{Carrier, Closing, Gap, Seam, closed, seam},
    seam_speed::speed_jump,
    smooth::{
        Tangents, held, is_auto, keep_auto, with_auto_tangents, with_interpolation, with_tangents,
    },
    values::{ValueChange, change_values},
    whole::{MotionError, key_span, mapped, part_of, resampled, reversed},
};
use ulna_model::{Interpolation, Track, UnkeyedAt};

/// Two keys closer than this are one: far below a frame.
pub const SAME_TIME: f32 = UnkeyedAt::NEAR;

/// How long before the next key a hold ends in a track that is not STEP, seconds.
pub const HOLD_GAP: f32 = 1e-3;

/// The time at which a hold ends whose next key is at `next`: a millisecond before, and at least
/// two steps of `f32`.
pub fn hold_end(next: f32) -> f32 {
    (next - HOLD_GAP).min(next.next_down().next_down())
}

/// Whether a key is the end of a hold: it repeats the value of the key before it, just before the
/// next key jumps.
pub fn is_hold_end(track: &Track, key: usize) -> bool {
    track.interpolation != Interpolation::Step && is_end(&track.times, key, &|k| track.value(k))
}

fn is_end<'a>(times: &[f32], key: usize, value: &dyn Fn(usize) -> &'a [f32]) -> bool {
    let &[time, next, ..] = &times[key..] else { return false };
    // Nearly all keys: where steps of `f32` are shorter than the gap, no more is to be asked.
    if key == 0 || (next - time > HOLD_GAP * 1.2 && next < 1024.0) {
        return false;
    }
    let gap = next - hold_end(next);
    // The gap was rounded when it was stored, and moves round it again.
    let slack = (HOLD_GAP * 0.02).max(1.5 * (next - next.next_down()));
    (next - time - gap).abs() <= slack
        && time - times[key - 1] > 2.0 * gap
        && value(key) == value(key - 1)
        && value(key) != value(key + 1)
}

/// For each key whether it is the end of a hold; nothing where none is.
fn hold_ends(track: &Track) -> Option<Vec<bool>> {
    if track.interpolation == Interpolation::Step {
        return None;
    }
    let times: &[f32] = &track.times;
    let mut ends = None;
    for key in 1..times.len() {
        if is_end(times, key, &|k| track.value(k)) {
            ends.get_or_insert_with(|| vec![false; times.len()])[key] = true;
        }
    }
    ends
}

/// Which keys of a track are meant by times, the ends of holds before them included.
fn marks(track: &Track, times: &[f32], ends: Option<&[bool]>) -> Vec<bool> {
    let own: &[f32] = &track.times;
    let mut marks = vec![false; own.len()];
    let mut at = 0;
    for time in times {
        // The next one, more often than not.
        if own.get(at) != Some(time) {
            at += own[at..].partition_point(|t| t < time);
        }
        if own.get(at) == Some(time) {
            marks[at] = true;
            at += 1;
        }
    }
    if let Some(ends) = ends {
        for key in 1..marks.len() {
            if marks[key] && ends[key - 1] {
                marks[key - 1] = true;
            }
        }
    }
    marks
}

#[cfg(test)]
pub(super) mod tests {
    use glam::Quat;
    use proptest::prelude::*;

    use ulna_model::{Interpolation, NodeId, Property, Track};

    /// What a rotation may be off by beyond its bound, radians: where a spline comes near nothing
    /// it whips round, by whole degrees within the rounding of times and between the places that
    /// are looked at. No motion that anyone makes does.
    pub(crate) fn whip(track: &Track, time: f64) -> f32 {
        const ROUNDED: f64 = 5e-7;
        const SHORT: f32 = 0.3;
        if track.property != Property::Rotation {
            return 0.0;
        }
        let at = |track: &Track, time: f64| {
            let mut out = [0.0; 4];
            crate::sample_into(track, time, &mut out);
            Quat::from_array(out)
        };
        let raw = Track { property: Property::Weights, ..track.clone() };
        if at(&raw, time).length() < SHORT {
            return 0.01;
        }
        let angle = |t: f64| ulna_model::transform::angle_between(at(track, time), at(track, t));
        angle(time - ROUNDED).max(angle(time + ROUNDED))
    }

    /// Tracks of any kind, 1 to 12 keys, at times that are far enough apart to be told.
    pub fn any_track() -> impl Strategy<Value = Track> {
        let kinds = prop_oneof![
            Just(Interpolation::Step),
            Just(Interpolation::Linear),
            Just(Interpolation::CubicSpline)
        ];
        (
            kinds,
            any::<bool>(),
            prop::collection::vec((0.01f32..0.6, prop::array::uniform9(-2.0f32..2.0)), 1..12),
        )
            .prop_map(|(kind, turns, keys)| make(kind, turns, &keys))
    }

    fn make(kind: Interpolation, turns: bool, keys: &[(f32, [f32; 9])]) -> Track {
        let kind = if keys.len() < 2 { Interpolation::Linear } else { kind };
        let mut at = 0.0;
        let mut times = Vec::new();
        let mut values = Vec::new();
        for (gap, numbers) in keys {
            at += gap;
            times.push(at);
            let value = |from: usize| -> Vec<f32> {
                let v = &numbers[from..from + 3];
                if turns {
                    Quat::from_scaled_axis(glam::Vec3::from_slice(v)).to_array().to_vec()
                } else {
                    v.to_vec()
                }
            };
            if kind == Interpolation::CubicSpline {
                let slope =
                    |from: usize| [&numbers[from..from + 3], &[0.1][..usize::from(turns)]].concat();
                values.extend([slope(3), value(0), slope(6)].concat());
            } else {
                values.extend(value(0));
            }
        }
        let property = if turns { Property::Rotation } else { Property::Translation };
        let width = if turns { 4 } else { 3 };
        let track = Track {
            target: NodeId(0),
            property,
            interpolation: kind,
            times: times.into(),
            values: values.into(),
            width,
            kinds: Default::default(),
        };
        track.validate().unwrap();
        track
    }
}
