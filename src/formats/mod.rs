//! Bytes ↔ document. What a file says is read here and nowhere else; what changed is written here and nowhere else.

pub mod gltf;
pub mod x;
