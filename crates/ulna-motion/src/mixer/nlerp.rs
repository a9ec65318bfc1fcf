//! The error of NLERP against SLERP.

use ulna_model::{Clip, Interpolation, Property, Shared, Track, transform::angle_between};

/// Largest angle between the NLERP and the SLERP of two rotations, radians. `angle` is the angle
/// between the rotations.
pub fn nlerp_gap(angle: f32) -> f32 {
    // On the quaternion sphere, the angle is half as large. The difference is largest at about a
    // fifth of the path from either end.
    let half = f64::from(angle) * 0.5;
    let gap = |u: f64| ((u * half.sin()).atan2(1.0 - u + u * half.cos()) - u * half).abs() * 2.0;
    (0..=200).map(|k| gap(f64::from(k) / 200.0)).fold(0.0, f64::max) as f32
}

/// Largest angle between the NLERP and the SLERP of a clip, radians. It is computed from the
/// largest angle between two keys of a LINEAR rotation.
pub fn nlerp_difference(clip: &Clip) -> f32 {
    let linear = |t: &&Shared<Track>| {
        t.property == Property::Rotation && t.interpolation == Interpolation::Linear
    };
    let turn = |track: &Track, key: usize| glam::Quat::from_slice(track.value(key)).normalize();
    let widest = |track: &Shared<Track>| {
        let angles =
            (1..track.times.len()).map(|k| angle_between(turn(track, k - 1), turn(track, k)));
        angles.filter(|a| a.is_finite()).fold(0.0, f32::max)
    };
    nlerp_gap(clip.tracks.values().filter(linear).map(widest).fold(0.0, f32::max))
}
