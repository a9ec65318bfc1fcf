//! Baking of layers into keys and nodes, for saving and for the command *Bake layer into keys*.
//!
//! ```text
//!  change by the layer      tracks below it           result
//!  constant rotation        any keys                  each key (and tangent) · r      exact
//!  constant scale           any keys                  each key (and tangent) ∘ s      exact
//!  constant translation     rotation, scale constant  each key + R·S·t                exact
//!  constant translation     rotation, scale animated  keys at the union of times, and
//!  any change with keys     any keys                  more, until within TOLERANCE
//!  any of these             no channel                one key, or as above
//! ```
//!
//! Rotations are exact, since slerp and the Hermite polynomial commute with a product on the right.

mod added;
mod clip;
mod difference;
mod folder;
mod follow;
mod pose;

pub(super) use self::follow::{follow, union};
pub use self::{
    clip::{Folded, fold_clip},
    difference::{difference, merged},
    folder::{Folder, fold_error, folded},
    follow::TOLERANCE,
    pose::fold_pose,
};
