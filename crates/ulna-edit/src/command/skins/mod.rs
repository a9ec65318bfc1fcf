//! Skins: meshes hung on joints, and bound as they stand.

mod bound;
mod commands;
mod create;
mod joints;
mod plan;
mod rebind;

pub use self::commands::{
    AddSkinJoints, BindSkin, BoundShape, CreateSkin, RemoveSkinJoints, SkinCommand,
};
