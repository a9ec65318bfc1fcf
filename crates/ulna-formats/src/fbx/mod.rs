//! FBX, read only, text and binary, by the library `ufbx`. It is written in C; a build without the
//! feature `fbx` needs no C compiler, and refuses these files with a sentence.

#[cfg(feature = "fbx")]
mod convert;

#[cfg(feature = "fbx")]
pub use self::convert::read;

/// Whether these bytes begin as an FBX does.
pub fn is_fbx(bytes: &[u8]) -> bool {
    let start = &bytes[..bytes.len().min(64)];
    start.starts_with(b"Kaydara FBX") || start.trim_ascii_start().starts_with(b"; FBX")
}

/// Refuses the file, because this program was built without a reader of FBX.
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
