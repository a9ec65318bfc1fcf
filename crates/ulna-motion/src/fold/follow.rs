//! LINEAR keys that approximate a motion within a tolerance.

use glam::{Quat, Vec3};

use crate::slerp;
use ulna_model::{
    Interpolation, NodeId, Property, Track, Transform,
    transform::{angle_between, unit_or},
};

/// Tolerance of sampled keys: 0.1 mm in the scene, 0.1°, a thousandth of the scale.
pub const TOLERANCE: Transform = Transform {
    translation: Vec3::splat(1e-4),
    rotation: Quat::from_xyzw(0.1 * std::f32::consts::PI / 180.0, 0.0, 0.0, 1.0),
    scale: Vec3::splat(1e-3),
};

/// Fractions of a segment at which its error is checked, those with the largest expected error
/// first.
const LOOKS: [f32; 7] = [0.5, 0.25, 0.75, 0.125, 0.875, 0.375, 0.625];

/// Minimum distance of additional keys, seconds.
const SHORTEST: f32 = 1e-4;

/// Returns the sorted union of the key times of some tracks.
pub(crate) fn union<'a>(tracks: impl Iterator<Item = &'a Track>) -> Vec<f32> {
    let mut times: Vec<f32> = Vec::new();
    for track in tracks {
        times.extend(track.times.iter());
        if track.interpolation == Interpolation::Step {
            // A jump needs two keys with the smallest possible distance.
            times.extend(track.times.iter().skip(1).map(|t| t.next_down()));
        }
    }
    times.sort_by(f32::total_cmp);
    times.dedup();
    times
}

/// Creates LINEAR keys that approximate a function. There is a key at each of `times` (at least
/// one). More keys are added between them until the error is within [`TOLERANCE`].
pub(crate) fn follow(
    times: &[f32],
    at: &dyn Fn(f32) -> Transform,
    property: Property,
    target: NodeId,
    size: f32,
) -> Track {
    follow_within(1.0, times, at, property, target, size)
}

/// Creates keys like [`follow`], with a fraction `part` of the tolerance, `0..=1`.
pub(super) fn follow_within(
    part: f32,
    times: &[f32],
    at: &dyn Fn(f32) -> Transform,
    property: Property,
    target: NodeId,
    size: f32,
) -> Track {
    let near = |a: &Transform, b: &Transform| {
        // Half of the tolerance, since only a few positions are checked.
        let part = 0.5 * part;
        match property {
            Property::Translation => {
                a.translation.distance(b.translation) * size <= part * TOLERANCE.translation.x
            }
            Property::Rotation => {
                angle_between(a.rotation, b.rotation) <= part * TOLERANCE.rotation.x
            }
            Property::Scale | Property::Weights => {
                (a.scale - b.scale).abs().max_element()
                    <= part * TOLERANCE.scale.x * a.scale.abs().max_element().max(1e-6)
            }
        }
    };
    let mut keys: Vec<(f32, Transform)> = times.iter().map(|t| (*t, at(*t))).collect();
    let mut made: Vec<(f32, Transform)> = Vec::with_capacity(keys.len());
    // A stack of unchecked segment ends, with the next one on top.
    keys.reverse();
    if let Some(key) = keys.pop() {
        made.push(key);
    }
    while let Some(next) = keys.pop() {
        let (time, from) = made[made.len() - 1];
        let (end, to) = next;
        let span = end - time;
        let off = span > SHORTEST
            && LOOKS.into_iter().any(|u| {
                let between = Transform {
                    translation: from.translation.lerp(to.translation, u),
                    rotation: slerp(from.rotation, to.rotation, u),
                    scale: from.scale.lerp(to.scale, u),
                };
                !near(&at(time + span * u), &between)
            });
        if off {
            let middle = time + span * 0.5;
            keys.push(next);
            keys.push((middle, at(middle)));
        } else {
            made.push(next);
        }
    }
    let mut last = made[0].1.rotation;
    let mut values = Vec::new();
    for (_, key) in &made {
        match property {
            Property::Translation => values.extend(key.translation.to_array()),
            Property::Rotation => {
                let turn = if last.dot(key.rotation) < 0.0 { -key.rotation } else { key.rotation };
                last = turn;
                values.extend(unit_or(turn, Quat::IDENTITY).to_array());
            }
            Property::Scale | Property::Weights => values.extend(key.scale.to_array()),
        }
    }
    linear(target, property, made.into_iter().map(|(t, _)| t).collect(), values)
}

/// Creates a LINEAR track with these keys.
pub(super) fn linear(
    target: NodeId,
    property: Property,
    times: Vec<f32>,
    values: Vec<f32>,
) -> Track {
    let width = values.len() / times.len();
    let (times, values) = (times.into(), values.into());
    Track {
        target,
        property,
        interpolation: Interpolation::Linear,
        times,
        values,
        width,
        kinds: Default::default(),
        modes: Default::default(),
    }
}
