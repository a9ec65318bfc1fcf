//! Normalization: the weights of a vertex sum to 1 in the type in which they are stored.
//!
//! The painted weight is kept, and locked joints keep theirs. The rest goes, in this order, to the
//! free joints that hold weight, in proportion; to the joints of the neighbors; to the nearest
//! unlocked ancestor. Otherwise the change is refused.
//!
//! `kernel` has the arithmetic for any number of lanes. `list` runs it in one lane, for every
//! encoding and constraint. `group`, `in_place` and `sweep` run it in as many lanes as the
//! processor has, for four floats per vertex without mirror pairs. Where a vertex is not plain (a
//! joint occurs twice, a weight is negative, no joint receives the rest), they leave it to `list`.

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

/// Whether a sum of weights is 1 as the glTF validator has it.
#[inline]
pub(super) fn is_valid_sum(sum: f32, influences: usize) -> bool {
    kernel::is_valid_sum(F32Lanes(Scalar, sum), F32Lanes(Scalar, to_f32(influences))).holds()
}
