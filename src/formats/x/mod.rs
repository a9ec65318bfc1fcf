//! DirectX `.x`, read only: text, binary and MSZIP, turned into a GLB that is then read like any other.
//!
//! Going through the bytes of a GLB keeps one reader and one writer: what was imported is saved as glTF, and nothing of the
//! rest of the program knows where it came from.

mod build;
mod clips;
mod objects;
mod skin;
mod textures;
mod tokens;

use std::path::Path;

use super::{Budget, gltf::ReadError};
use crate::model::Diagnostics;

/// Whether these bytes begin as an `.x` file does.
pub fn is_x(bytes: &[u8]) -> bool {
    bytes.starts_with(b"xof ")
}

/// The GLB that an `.x` file makes, and what is odd about it. `path` is where its textures are looked for.
///
/// # Errors
/// Where the file is cut, damaged or hostile, with what and where.
pub fn to_glb(bytes: &[u8], path: Option<&Path>) -> Result<(Vec<u8>, Diagnostics), ReadError> {
    let mut diagnostics = Diagnostics::default();
    let mut budget = Budget::of(bytes.len());
    let tokens = tokens::read(bytes, &mut budget, &mut diagnostics)?;
    let tree = objects::parse(tokens, &mut budget, &mut diagnostics)?;
    let glb = build::build(tree, path, &mut diagnostics)?;
    Ok((glb, diagnostics))
}
