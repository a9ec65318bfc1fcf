//! Changes of the skeleton that keep the motion of every clip.

mod armature;
mod commands;
mod finish;
mod frames;
mod report;
mod rewrite;
mod tree;

pub use self::commands::{
    BelowJoint, DissolveJoint, Heirs, InsertJoint, MendArmature, MoveJoint, OrientJoint,
    RemoveJoint, ReparentJoint, RigCommand,
};
pub use self::report::{FitReport, NodeCounts, RigReport};
pub(super) use self::tree::reparented;
