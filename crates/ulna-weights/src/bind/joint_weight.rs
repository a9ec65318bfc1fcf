//! Weights of a point during a bind.

use ulna_model::JointSlot;

/// A joint and its weight on one point.
pub(super) type JointWeight = (JointSlot, f32);

/// Index of a point, and its weights.
pub(super) type PointWeights = (usize, Vec<JointWeight>);

/// Weights at or below this value are dropped as negligible.
pub(super) const TRACE: f32 = 1e-4;
