//! Reads FBX files, text and binary, with the C library `ufbx`. Builds without the feature `fbx`
//! need no C compiler, and reject these files with a message.

#[cfg(feature = "fbx")]
mod convert;

#[cfg(feature = "fbx")]
pub use self::convert::read;

/// Whether a file begins like an FBX file.
pub fn is_fbx(bytes: &[u8]) -> bool {
    let start = &bytes[..bytes.len().min(64)];
    start.starts_with(b"Kaydara FBX") || start.trim_ascii_start().starts_with(b"; FBX")
}

/// Rejects the file, because this program was built without the feature `fbx`.
///
/// # Errors
/// Always.
#[cfg(not(feature = "fbx"))]
pub fn read(
    _: &[u8],
    _: Option<&std::path::Path>,
    _: &crate::import::Conversion,
    _: &crate::gltf::Progress,
) -> Result<crate::import::Converted, crate::gltf::ReadError> {
    let message = "Ulna was built without the feature “fbx”. Build it with that feature".to_owned();
    Err(crate::gltf::ReadError::Foreign { format: "FBX", message })
}
