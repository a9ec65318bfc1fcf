//! Changes of the skeleton that keep the motion of every clip.

mod armature;
mod binds;
mod clean;
mod commands;
mod finish;
mod frames;
mod leaves;
mod rename;
mod rewrite;
mod space;
mod table;
mod tree;
mod unkeyed;

pub use self::commands::{
    BelowJoint, BindSource, CleanKind, CleanRig, DissolveJoint, Heirs, InsertJoint, InverseBinds,
    LeafJoints, MendArmature, MoveJoint, OrientJoint, RemoveJoint, RenameJoints, ReparentJoint,
    RigCommand, SideStyle,
};
pub(super) use self::tree::reparented;
