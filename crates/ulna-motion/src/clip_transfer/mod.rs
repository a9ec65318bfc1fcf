//! Transfer of clips to another skeleton: from an animation file to a character, or between rigs.
//!
//! Joints are matched by name or by body part. If a joint has the same rest as its counterpart, its
//! keys are copied exactly. Otherwise they are converted with constants, by the formula of the
//! mirror without a reflection (see [`super::mirror`]):
//!
//! ```text
//!  r' = R_q'⁻¹·R_q · r · R_j⁻¹·R_p        t' = t_p,rest + k · R_q'⁻¹·R_q · (t − t_j,rest)
//! ```
//!
//! Here, `R` are scene rotations in the reference pose ([`standing`]): of `j`, of its counterpart
//! `p`, and of their carriers `q` and `q'`. A carrier is the nearest ancestor with a counterpart.
//! `k` is the ratio of heights and units. The constants apply to keys and tangents alike, so the
//! number of keys and their times are unchanged.
//!
//! Two differences are compensated first. A skeleton with other axes is rotated as a whole, by
//! right angles. Arms, legs and fingers with another rest direction (T-pose, A-pose) are aligned
//! with those of the other skeleton. Joints are resampled, and reported, only if nodes without a
//! counterpart move between them.

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
