//! Changes of the skeleton that keep the motion of every clip.

mod armature;
mod clean;
mod commands;
mod frames;
mod leaves;
mod report;
mod rewrite;
mod space;
mod tree;

pub use self::commands::{
    BelowJoint, CleanKind, CleanRig, DissolveJoint, Heirs, InsertJoint, LeafJoints, MendArmature,
    MoveJoint, OrientJoint, RemoveJoint, ReparentJoint, RigCommand,
};
pub use self::report::{FitReport, NodeCounts, RigReport};
pub(super) use self::tree::reparented;
