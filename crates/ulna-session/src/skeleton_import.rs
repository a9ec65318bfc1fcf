//! Imports the skeleton of another file.

use std::path::Path;

use super::{ClipSource, Conversion, ImportError, Session};
use ulna_edit::{CommandError, command::SkeletonSource};
use ulna_formats::gltf::Progress;

/// Bytes of the bundled sample model.
pub const SAMPLE: &[u8] = include_bytes!("../../../assets/mannequin.glb");
/// Path that means the bundled sample, unless a file has this name.
const SAMPLE_PATH: &str = "sample";

/// Reads the skeleton of a file or of the bundled sample.
///
/// # Errors
/// The file cannot be opened, or does not contain this skeleton.
pub(super) fn skeleton_of_file(
    path: &Path,
    joint: Option<&str>,
) -> Result<SkeletonSource, CommandError> {
    if path == Path::new(SAMPLE_PATH) && !path.exists() {
        let sample = Session::open_bytes(SAMPLE);
        let sample = sample.map_err(|e| CommandError::other(e.code(), e.to_string()))?;
        return SkeletonSource::of(sample.document(), joint);
    }
    let other =
        |e: ImportError| CommandError::other(e.code(), format!("no skeleton can be copied: {e}"));
    let [path] = &super::files_meant(path).map_err(other)?[..] else {
        return Err(CommandError::other(
            "no_file_named",
            "name exactly one file to copy the skeleton from, as “path”",
        ));
    };
    let source = ClipSource::read(path.clone(), &Conversion::default(), &Progress::default());
    SkeletonSource::of(&*source.document.map_err(CommandError::Other)?, joint)
}
