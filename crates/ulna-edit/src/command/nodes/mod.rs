//! Commands that add, remove, copy and reparent nodes with their skins and meshes.

mod commands;
mod compact;
mod dependents;
mod duplicate;
mod meshes;
mod purge;
mod removal;
mod remove;
mod reparent;
mod titles;
mod worlds;

pub use self::commands::{
    AddNode, Below, Compact, DuplicateNodes, Keep, NodeCommand, RemoveMaterials, RemoveMeshes,
    RemoveNodes, RemoveSkins, RenameMaterial, RenameMesh, RenameSkin, Reparent,
};
pub(super) use self::{
    dependents::{refuse_apart, refuse_fixed},
    meshes::skin_named,
    removal::{remapped, skin_without, uppermost, with_below, without},
    reparent::{last_rank, one, scene_of},
    worlds::{RestOrPose, world},
};
