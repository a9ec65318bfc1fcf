//! Clips taken to another skeleton: from a file of animations to a character, from one rig to
//! another.
//!
//! Joints are found by name, or by what part of a body they are. Where a joint rests as its
//! counterpart does, its keys are taken as they are, to the bit. Where it does not, they go through
//! constants, the mirror's function with no reflection (see [`super::mirror`]):
//!
//! ```text
//!  r' = R_q'⁻¹·R_q · r · R_j⁻¹·R_p        t' = t_p,rest + k · R_q'⁻¹·R_q · (t − t_j,rest)
//! ```
//!
//! with `R` the rotations in the scene of `j`, of its counterpart `p`, and of what they hang on,
//! `q` and `q'`, as they stand ([`standing`]), and `k` the ratio of heights and units. Being
//! constants they go through keys and tangents alike: same times, same number. Two things are put
//! right before: a skeleton that lies along other axes is turned as a whole, by right angles; and
//! arms, legs and fingers that rest in another direction (T-pose, A-pose) are told from where the
//! other's rest. Only where nodes between two joints move that have no counterpart are keys made at
//! the times of all of them, and that is said.

mod clip;
mod keys;
mod sampled;
mod skeletons;
mod spread;
mod standing;

pub use self::{
    keys::CarriedClip,
    skeletons::{ClipTransfer, JointPair, KeysBy},
};
pub(crate) use self::{skeletons::TransferOptions, spread::SpreadJoint};
