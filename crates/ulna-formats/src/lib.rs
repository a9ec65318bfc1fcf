//! Converts between the bytes of model files and documents. No other crate parses or builds these
//! bytes.

mod budget;
mod bvh;
mod fbx;
pub mod gltf;
pub mod import;
pub mod weight_files;
mod whole;
mod x;

pub use self::{budget::Budget, whole::read_whole};
