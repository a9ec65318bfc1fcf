//! Changes of a skeleton that keep the motion: nodes get new local transforms that are products of
//! old ones, and every clip is adapted.
//!
//! ```text
//!  Chain   M'(t) = product of Factors (constant, local transform of a node, its inverse)
//!    │
//!    ├─ nodes: the product of their transforms without a clip
//!    └─ clips: rewritten() ── depends on one track      → the same keys, new values
//!                           ├ depends on no track       → no channel, or one key
//!                           └ depends on several tracks → keys at all their times, with the rates
//!                                                         of the product as tangents
//! ```
//!
//! The callers decide which chains an operation needs. For example, the rule `W'_j(t) = W_j(t)·C`
//! with all other world transforms unchanged gives `M'_j = M_j·C` and `M'_c = C⁻¹·M_c` for the
//! children `c`.

mod bake;
mod chain;
mod clip;
mod curve;
mod moving;
#[cfg(test)]
mod tests;

pub use self::{
    bake::Bounds,
    chain::{Chain, Factor, Product, shear_between},
    clip::{Rewritten, RewrittenClips, Unfollowed, rewrite_clips, rewritten},
    moving::Moving,
};
