//! Paths of files that are saved.

use std::{
    fs,
    path::{Path, PathBuf},
};

use super::{disk::folder_of, save_failure::SaveFailure};
use ulna_formats::gltf::TargetContainer;

/// Returns a path with a suffix appended to the file name.
pub(super) fn suffixed(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(suffix);
    path.with_file_name(name)
}

/// Returns the target of a symbolic link. The target need not exist.
pub(super) fn followed(path: &Path) -> PathBuf {
    const MOST: usize = 32;
    let mut at = path.to_owned();
    for _ in 0..MOST {
        match fs::read_link(&at) {
            Ok(to) => at = folder_of(&at).join(to),
            Err(_) => break,
        }
    }
    at
}

/// Returns the permissions of the old file, for the new one. `None` if there is no old file: the
/// default of the system then applies.
pub(super) fn permissions(path: &Path) -> Option<fs::Permissions> {
    fs::metadata(path).ok().map(|m| m.permissions())
}

/// Returns the container that the suffix of a file name requires.
pub(super) fn target_of(path: &Path) -> Result<TargetContainer, SaveFailure> {
    let extension = path.extension().map(|e| e.to_string_lossy().to_lowercase());
    match extension.as_deref() {
        Some("gltf") => Ok(TargetContainer::Gltf),
        Some("glb" | "vrm" | "vrma") => Ok(TargetContainer::Glb),
        _ => Err(SaveFailure::Suffix(
            path.file_name().unwrap_or_default().to_string_lossy().into_owned(),
        )),
    }
}

/// Returns the next unused name in a numbered sequence, such as `name_002.glb`.
pub fn incremented(path: &Path) -> PathBuf {
    let stem = path.file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default();
    let suffix = path.extension().map(|e| format!(".{}", e.to_string_lossy())).unwrap_or_default();
    let (base, number) = match stem.rsplit_once('_') {
        Some((base, digits)) if digits.len() == 3 && digits.bytes().all(|b| b.is_ascii_digit()) => {
            (base.to_owned(), digits.parse::<u32>().unwrap_or(1))
        }
        _ => (stem, 1),
    };
    let mut next = number + 1;
    loop {
        let name = path.with_file_name(format!("{base}_{next:03}{suffix}"));
        if fs::symlink_metadata(&name).is_err() {
            return name;
        }
        next += 1;
    }
}
