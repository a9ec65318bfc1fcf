//! Checks outputs before any work, and refuses those that cannot be written.

use std::path::Path;

use super::report::Failure;
use ulna_session::hard_links;

/// Checks that a path has a glTF or VRM extension and is not `-`, the sign for standard output. A
/// failure has exit status 2.
pub(super) fn writable(path: &Path) -> Result<(), Failure> {
    if path == Path::new("-") {
        let message = "a model cannot be written to standard output. Give -o a path instead of “-”";
        return Err(Failure::unusable("output_is_no_file", message));
    }
    has_ending(path, &["glb", "gltf", "vrm", "vrma"], || {
        format!("{}: invalid file name. Use .glb or .gltf", path.display())
    })
}

/// Checks the extension of an output path. A failure has exit status 2.
pub(super) fn has_ending(
    path: &Path,
    endings: &[&str],
    message: impl FnOnce() -> String,
) -> Result<(), Failure> {
    let suffix = path.extension().map(|e| e.to_string_lossy().to_lowercase());
    match suffix.is_some_and(|s| endings.contains(&s.as_str())) {
        true => Ok(()),
        false => Err(Failure::unusable("wrong_ending", message())),
    }
}

/// Refuses an output with several hard links, because writing would break the links.
pub(super) fn one_name(path: &Path) -> Result<(), Failure> {
    match hard_links(path) {
        0 | 1 => Ok(()),
        names => Err(Failure::fault(
            "output_has_hard_links",
            format!(
                "{} has {names} hard links, and writing would break them. Use another name, or \
                    remove the file first",
                path.display()
            ),
        )),
    }
}
