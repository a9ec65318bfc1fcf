//! Commands on skins: binding meshes to joints, and changing the joints of skins.

mod bound;
mod commands;
mod create;
mod joints;
mod plan;
mod rebind;

pub use self::commands::{
    AddSkinJoints, BindSkin, BoundShape, CreateSkin, RemoveSkinJoints, SkinCommand,
};
