//! Reads DirectX `.x` files in text, binary and MSZIP-compressed form.

mod build;
mod builder;
mod clips;
mod declared;
mod material;
mod mesh;
mod objects;
mod skin;
mod texture_use;
mod textures;
mod tokens;

use std::path::Path;

use super::{
    Budget,
    gltf::{Progress, ReadError},
    import::{Conversion, Converted},
};
use ulna_model::Diagnostics;

/// Whether a file begins like an `.x` file.
pub fn is_x(bytes: &[u8]) -> bool {
    bytes.starts_with(b"xof ")
}

/// Converts an `.x` file to a GLB, with findings. Textures are searched for in the folder of
/// `path`.
///
/// # Errors
/// The file is truncated, damaged or malicious. The error states the location and the problem.
pub fn read(
    bytes: &[u8],
    path: Option<&Path>,
    conversion: &Conversion,
    progress: &Progress,
) -> Result<Converted, ReadError> {
    let mut diagnostics = Diagnostics::default();
    let mut budget = Budget::of(bytes.len());
    let tokens = tokens::read(bytes, &mut budget, &mut diagnostics)?;
    progress.reach(0.1)?;
    let tree = objects::parse(tokens, &mut budget, &mut diagnostics)?;
    progress.reach(0.2)?;
    let (glb, found) = build::build(&tree, path, conversion, &mut diagnostics)?;
    Ok(Converted { glb, diagnostics, found })
}
