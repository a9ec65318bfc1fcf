//! Commands that change the skeleton and preserve the motion of every clip.

mod add;
mod aim;
mod armature;
mod binds;
mod clean;
mod commands;
mod figure;
mod finish;
mod frames;
mod heirs;
mod humanoid_map;
mod leaves;
mod matched_points;
mod merge;
mod merge_skins;
mod mirror;
mod put_skeleton;
mod rename;
mod rest;
mod rewrite;
mod root;
mod skeleton_fit;
mod skeleton_source;
mod slots;
mod space;
mod split;
mod table;
mod tree;
mod twins;
mod unkeyed;

pub use self::commands::{
    AddJoint, AddRoot, BelowJoint, BindSource, CleanKind, CleanRig, DissolveJoint, Heirs,
    HumanoidMap, InsertJoint, InverseBinds, LeafJoints, MendArmature, MergeJoint, MergeSkins,
    MergedWeights, MirrorJoint, Motion, MoveJoint, OrientJoint, OwnAxis, PutSkeleton, RemoveJoint,
    RenameJoints, ReparentJoint, RestFromPose, RestMesh, RestWeights, RigCommand, SideStyle,
    SkeletonFromNodes, SplitSkins, UpDirection,
};
pub(super) use self::tree::{reparented, without_joints};
pub use self::{
    matched_points::MatchedPoints,
    skeleton_source::{SkeletonSource, SkeletonText, SourceJoint},
};
