//! Sampling, poses, skinning, and operations on clips and skeletons. This crate reads documents and
//! computes new values. It never changes a document.
//!
//! ```text
//!  Document ─► Stack ─► Evaluator ─► Pose ─► skinning, surfaces, measurements
//!  Clip ─► clip_edit, surgery, clip_transfer, fold ─► Clip
//! ```

mod ancestors;
mod axes;
mod balance;
mod bend;
mod bone_directions;
pub mod clip_edit;
mod clip_transfer;
mod compiled;
mod counterparts;
pub mod curves;
mod deviation;
mod evaluator;
mod fold;
mod frame;
mod helper_names;
mod humanoid;
mod humanoid_bones;
mod humanoid_shape;
pub mod ik;
mod insert;
mod known;
mod layers;
mod limits;
mod mirror;
mod mirror_pairs;
mod mix;
mod mixer;
mod motion_path;
mod names;
mod naming;
mod pose;
mod range;
mod recent_poses;
pub mod retarget;
mod rig;
mod roles;
mod sample;
mod seen;
mod skeleton;
#[cfg(target_arch = "x86_64")]
mod skin8;
pub mod skinning;
mod spans;
mod stack;
mod strain;
mod surface;
pub mod surgery;
mod tangents;
mod transfer;
#[cfg(test)]
mod tube;
mod turn;
mod under_layers;
mod visibility;
mod worst;

pub use self::{
    axes::{Space, Standing},
    balance::{Balance, Masses},
    bend::{Bend, BendingAxis, TestPose, bending_axis, test_poses},
    bone_directions::BoneDirections,
    clip_transfer::{CarriedClip, ClipTransfer, JointPair, KeysBy},
    counterparts::FoundBy,
    deviation::{
        ComparedMotion, Deviation, DeviationRequest, Exactness, JointFrame, WorstJoint, WorstPoint,
    },
    evaluator::Evaluator,
    fold::{
        Folded, Folder, TOLERANCE, difference, fold_clip, fold_error, fold_pose, folded, merged,
    },
    helper_names::{HelperKind, helper_kind},
    humanoid_bones::{
        HUMANOID_BONES, HumanoidBone, guessed_bones, humanoid_bone, humanoid_map, misplaced_bones,
        missing_bones,
    },
    humanoid_shape::bones_by_shape,
    insert::{Inserted, insert_key},
    layers::{added_at, strength_of, user_at, with_layers},
    limits::{JointRange, Limits, limits_of},
    mirror::{Mirror, MirrorGap, Mirrored, MirroredPose, SkinGap, SkinPairs},
    mirror_pairs::{MirrorPairs, PairSource, Role, Side},
    mixer::{
        BarClock, BestSeam, Jump, Mixer, Passing, Playing, baked, baked_error, best_seams,
        blend_weights, foot_joints, foot_slides, footfalls, ground_place, ground_speed,
        ground_velocity, jumps, known_feet, mask_weights, nlerp_difference, nlerp_gap,
        plane_weights,
    },
    motion_path::{MotionPath, PathPlace, motion_paths},
    names::joint_key,
    naming::{JointNames, humanoid_names},
    pose::{Pose, joint_bounds},
    range::{range_of_motion, trial_motion},
    recent_poses::RecentPoses,
    sample::{nlerp, sample_into, slerp},
    seen::{SeenPoints, SeenVertex},
    skeleton::{Bone, Skeleton, bones},
    skinning::{Placement, Posed},
    stack::{
        Additive, Averaging, Constraint, Instance, Lane, MorphOffset, Offset, Reference, Stack,
    },
    strain::{Strain, StrainScratch, VertexStrain},
    surface::{Hit, PartView, Surface, joints_at},
    tangents::Tangents,
    transfer::{Fitted, fit, flipped_morphs, keep_pose, morph_partner},
    under_layers::{LayerWriteError, below_layers, under_layers},
    worst::{Sampling, Spot, WorstPose},
};
