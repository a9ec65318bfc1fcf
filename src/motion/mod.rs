//! What a document *does*: sampling, the pose, skinning, surfaces. Reads the model, changes nothing.

mod compiled;
mod names;
mod pose;
mod roles;
mod sample;
mod skeleton;
#[cfg(target_arch = "x86_64")]
mod skin8;
pub mod skinning;
mod spans;
mod surface;
mod tangents;
mod turn;

pub use self::{
    pose::{Moment, Pose, joint_bounds},
    roles::{Guess, Role, Roles, Side},
    sample::{nlerp, sample_into, slerp},
    skeleton::{Bone, bones},
    skinning::{Placement, Posed},
    surface::{Hit, Ray, Surface, joints_at},
    tangents::Tangents,
};
