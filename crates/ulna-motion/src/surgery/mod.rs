//! Changes of a skeleton that keep the motion: nodes get local transforms that are products of
//! others, and every clip follows.
//!
//! ```text
//!  Chain   M'(t) = product of Factors (constant, local transform of a node, its inverse)
//!    │
//!    ├─ nodes: the product of what they are without a clip
//!    └─ clips: rewritten() ── one track changes it    → the same keys, other values
//!                           ├ nothing changes it      → no channel, or one key
//!                           └ several tracks change it → keys at all their times, with the rates
//!                                                       of the product as tangents
//! ```
//!
//! The callers decide which chains an operation needs. Equations: the rule
//! `W'_j(t) = W_j(t)·C` while nothing else moves gives `M'_j = M_j·C` and `M'_c = C⁻¹·M_c`.

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
