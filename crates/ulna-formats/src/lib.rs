//! Bytes ↔ document. What a file says is read here and nowhere else; what changed is written here
//! and nowhere else.

mod budget;
mod bvh;
mod fbx;
pub mod gltf;
pub mod import;
pub mod weight_files;
mod whole;
mod x;

pub use self::{budget::Budget, whole::read_whole};
