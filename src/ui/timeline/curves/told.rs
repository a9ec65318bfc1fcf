//! Facts about keys of curves: slopes, gimbal lock, tangent modes.

use super::ShownCurve;
use ulna_model::{Interpolation, KeyTangents, TangentMode, Track};
use ulna_motion::clip_edit::mode_at;

/// Change a second of a curve before and after a key; nothing where angles are locked.
pub fn slopes(curve: &ShownCurve, key: usize) -> Option<(f64, f64)> {
    curve.curves.key_slopes(key, usize::from(curve.id.component))
}

/// Whether no angle of a rotation can be told from another one at a key.
pub fn is_gimbal_locked(curve: &ShownCurve, key: usize) -> bool {
    curve.curves.gimbal_locked(key)
}

/// How the tangents of a key are chosen.
pub fn tangents_of(track: &Track, key: usize) -> KeyTangents {
    if track.interpolation == Interpolation::Linear {
        return KeyTangents { linked: false, ..KeyTangents::both(TangentMode::Linear) };
    }
    mode_at(track, key)
}
