//! Weights of a point during a bind.

use ulna_model::JointSlot;

/// A joint with its weight on a point.
pub(super) type JointWeight = (JointSlot, f32);

/// The weights of a point, by its index.
pub(super) type PointWeights = (usize, Vec<JointWeight>);

/// Weights up to this value are negligible.
pub(super) const TRACE: f32 = 1e-4;
