//! What a document *does*: sampling, the pose, skinning, surfaces. Reads the model, changes nothing.

mod bvh;
mod closest;
mod compiled;
mod insert;
mod names;
mod pose;
mod range;
mod roles;
mod sample;
mod skeleton;
#[cfg(target_arch = "x86_64")]
mod skin8;
pub mod skinning;
mod spans;
mod strain;
mod surface;
mod tangents;
#[cfg(test)]
mod tube;
mod turn;
mod worst;

pub use self::{
    bvh::Bvh,
    closest::{ClosestSurface, Nearest},
    insert::{Inserted, insert_key},
    pose::{Moment, Pose, joint_bounds},
    range::range_of_motion,
    roles::{Guess, Role, Roles, Side},
    sample::{nlerp, sample_into, slerp},
    skeleton::{Bone, bones},
    skinning::{Placement, Posed},
    strain::{Strain, StrainScratch, VertexStrain},
    surface::{Hit, PartView, Ray, Surface, joints_at},
    tangents::Tangents,
    worst::{Sampling, Spot, WorstPose},
};
