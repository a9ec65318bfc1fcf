//! Converts between bytes and documents. Only this crate reads and writes model files.

mod budget;
mod bvh;
mod fbx;
pub mod gltf;
pub mod import;
pub mod weight_files;
mod whole;
mod x;

pub use self::{budget::Budget, whole::read_whole};
