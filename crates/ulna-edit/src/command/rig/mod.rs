//! Changes of the skeleton that keep the motion of every clip.

mod aim;
mod armature;
mod binds;
mod clean;
mod commands;
mod finish;
mod frames;
mod heirs;
mod leaves;
mod merge;
mod mirror;
mod rename;
mod rewrite;
mod space;
mod table;
mod tree;
mod unkeyed;

pub use self::commands::{
    BelowJoint, BindSource, CleanKind, CleanRig, DissolveJoint, Heirs, InsertJoint, InverseBinds,
    LeafJoints, MendArmature, MergeJoint, MergedWeights, MirrorJoint, Motion, MoveJoint,
    OrientJoint, OwnAxis, RemoveJoint, RenameJoints, ReparentJoint, RigCommand, SideStyle,
    UpDirection,
};
pub(super) use self::tree::{reparented, without_joints};
