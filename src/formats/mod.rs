//! Bytes ↔ document. What a file says is read here and nowhere else; what changed is written here and nowhere else.

pub mod gltf;
mod whole;
pub mod x;

pub use self::whole::read_whole;
