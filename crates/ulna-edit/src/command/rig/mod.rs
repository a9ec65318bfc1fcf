//! Changes of the skeleton that keep the motion of every clip.

mod armature;
mod binds;
mod clean;
mod commands;
mod figure;
mod finish;
mod frames;
mod leaves;
mod merge;
mod rename;
mod rest;
mod rewrite;
mod root;
mod slots;
mod space;
mod split;
mod table;
mod tree;

pub use self::commands::{
    AddRoot, BelowJoint, BindSource, CleanKind, CleanRig, DissolveJoint, Heirs, InsertJoint,
    InverseBinds, LeafJoints, MendArmature, MergeSkins, MoveJoint, OrientJoint, RemoveJoint,
    RenameJoints, ReparentJoint, RestFromPose, RestMesh, RestWeights, RigCommand, SideStyle,
    SkeletonFromNodes, SplitSkins,
};
pub(super) use self::tree::reparented;
