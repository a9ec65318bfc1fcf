//! Operations on keys and clips, as pure functions from one track to another.
//!
//! ```text
//!  KeySet ──► marks of keys ──┬─► retime   move, stretch, copy in time, shift later keys
//!                             ├─► offset   shift a loop in time, with wrap-around
//!                             ├─► smooth   hold, linear, smooth
//!                             ├─► tangents auto, smooth, flat, linear, free; across a loop's seam
//!                             ├─► values   arithmetic on values
//!                             ├─► dead     redundant keys
//!                             ├─► choose   keys by kind and value
//!                             └─► copied   keys as text for the clipboard
//!  a whole clip ──────────────┬─► whole    cut, reverse, stretch, resample
//!                             ├─► join     concatenate two clips
//!                             ├─► mirrored swap left and right
//!                             ├─► layered  these operations on the clip's pose layers
//!                             ├─► reduce   fewer keys, within a bound on the skin (skin_bound)
//!                             │   keeps the clip's length (length)
//!                             ├─► editable splines with few keys for baked motion
//!                             ├─► root_motion  travel to the root, to the hips, or removed
//!                             ├─► seam     continuity at the loop's seam
//!                             └─► closing  methods to close a loop
//! ```
//!
//! Three rules hold for all of them:
//! 1. **Untouched keys keep their exact numbers.**
//! 2. **A hold in a track that is not STEP has two keys**: the value is repeated a millisecond
//!    before the next key. When the next key moves, the end of the hold moves with it
//!    ([`is_hold_end`]). The end of a hold is never selected by itself.
//! 3. **Tangents follow their modes**: after a change, tangents with a mode are recomputed
//!    ([`refreshed`]), and free ones stay. If a track has no modes and all of its tangents equal
//!    those of [`with_auto_tangents`], they are recomputed, too.

mod carrier;
mod choose;
mod closing;
mod copied;
mod dead;
mod editable;
mod holds;
mod join;
mod jumps;
mod layered;
mod length;
mod mirrored;
mod moments;
mod offset;
mod reduce;
mod retime;
mod root_motion;
mod seam;
mod seam_speed;
mod skin_bound;
mod smooth;
mod tangents;
mod values;
mod whole;

pub(crate) use self::tangents::named_modes;
pub use self::{
    carrier::Carrier,
    choose::{keys_in_range, keys_of_kind, keys_of_value},
    closing::{Closing, closed},
    copied::{CopiedKeys, CopiedTrack, NodePlace, NotKeys, PasteAt, Pasted, paste},
    dead::dead_keys,
    editable::{Editable, editable},
    holds::{HOLD_GAP, SAME_TIME, hold_end, is_hold_end},
    join::{Joined, joined},
    jumps::{Jump, new_jump},
    layered::{
        CarriedByLayer, JoinedLayers, joined_layers, mapped_layers, mirrored_components,
        mirrored_layers, part_of_layers, reversed_layers,
    },
    length::length_in_words,
    mirrored::{MirroredClip, mirror_gap, mirror_skin_gap, mirrored},
    offset::offset_in_loop,
    reduce::{Reduced, reduced, reduced_among, sparse},
    retime::{Retimed, TimeMap, TooClose, remove_keys, remove_time, retime},
    root_motion::{Moved, NoTravel, Travel, TravelParts, TravelTo, move_travel, travel},
    seam::{Gap, Seam, seam},
    seam_speed::speed_jump,
    skin_bound::skin_gap,
    smooth::{held, with_interpolation},
    tangents::{
        Tangents, is_auto, mode_at, modes_of, refreshed, with_auto_tangents, with_matched_seam,
        with_modes, with_tangents,
    },
    values::{ValueChange, change_values},
    whole::{MotionError, key_span, mapped, part_of, resampled, reversed},
};

#[cfg(test)]
pub(super) mod tests {
    use glam::Quat;
    use proptest::prelude::*;

    use ulna_model::{Interpolation, NodeId, Property, Track};

    /// Additional tolerance of a rotation, radians. Where the quaternion of a spline is nearly 0,
    /// rounding of the time changes the rotation by degrees. Real motion does not contain such
    /// splines.
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

    /// Tracks of any kind with 1 to 12 keys, at clearly distinct times.
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
            modes: Default::default(),
        };
        track.validate().unwrap();
        track
    }
}
