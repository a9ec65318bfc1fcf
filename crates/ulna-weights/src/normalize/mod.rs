//! Normalization: the weights of a vertex sum to 1 in their stored type.
//!
//! The painted joint gets its new weight, and locked joints keep theirs. The remaining weight is
//! distributed to the other unlocked joints with weight, in proportion to their weights. If there
//! are none, the joints of the neighbors receive it, or else the nearest unlocked ancestor.
//! Otherwise, the change is refused.
//!
//! - `kernel` has the arithmetic for any number of lanes.
//! - `list` runs it in one lane, for every encoding and constraint.
//! - `group`, `in_place` and `sweep` run it in as many lanes as the CPU has, for four floats per
//!   vertex without mirror pairs. Vertices with duplicate joints, negative weights, or no joint
//!   that can receive the remaining weight are left to `list`.

mod group;
mod in_place;
mod kernel;
pub(super) mod lanes;
mod list;
mod slot_lanes;
mod sweep;
#[cfg(test)]
mod tests;

pub use self::list::{blend, normalize, paint};
pub(super) use self::{
    group::{LANES, LaneGroup, SimdNormalizer},
    list::{drop_traces, equalize, least, prune},
    sweep::{normalize_map, prune_map},
};

use pulp::Scalar;

use self::lanes::F32Lanes;
use crate::ids::to_f32;

/// Whether a sum of weights is 1 within the tolerance of the glTF validator.
#[inline]
pub(super) fn is_valid_sum(sum: f32, influences: usize) -> bool {
    kernel::is_valid_sum(F32Lanes(Scalar, sum), F32Lanes(Scalar, to_f32(influences))).holds()
}
