//! Skins: meshes hung on joints, and bound as they stand.

mod bound;
mod commands;
mod create;
mod plan;
mod rebind;

pub use self::commands::{BindSkin, BoundShape, CreateSkin, SkinCommand};
