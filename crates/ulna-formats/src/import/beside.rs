//! Finds files that another file refers to, only inside that file's folder.

use std::{
    fs,
    path::{Path, PathBuf},
};

use crate::gltf::resolve_uri;

/// Maximum number of subfolders that are searched, and of files per folder.
const MOST: usize = 2000;

/// Finds a file by name in a folder or its direct subfolders, ignoring case. Other folders are not
/// searched.
fn found_by_name(folder: &Path, name: &str) -> Option<PathBuf> {
    let wanted = name.rsplit('/').next().filter(|n| !n.is_empty())?.to_lowercase();
    let inside = folder.canonicalize().ok()?;
    let entries = |folder: &Path| -> Vec<PathBuf> {
        let list =
            fs::read_dir(folder).into_iter().flatten().take(MOST).flatten().map(|e| e.path());
        let mut list: Vec<PathBuf> = list.collect();
        list.sort();
        list
    };
    let own = entries(folder);
    let below = own.iter().filter(|p| p.is_dir()).flat_map(|p| entries(p)).collect::<Vec<_>>();
    let is_it =
        |p: &&PathBuf| p.file_name().is_some_and(|n| n.to_string_lossy().to_lowercase() == wanted);
    let found = own.iter().chain(&below).find(is_it)?.canonicalize().ok()?;
    (found.is_file() && found.starts_with(&inside)).then_some(found)
}

/// Characters of file names that are escaped in URIs.
const ESCAPED: percent_encoding::AsciiSet =
    percent_encoding::CONTROLS.add(b'%').add(b'#').add(b'?');

/// Reads a file that another file in `folder` refers to, ignoring case. If the path does not exist,
/// the folder and its direct subfolders are searched for the file name.
///
/// # Errors
/// The reason as text.
pub fn read_beside(folder: &Path, name: &str) -> Result<Vec<u8>, String> {
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let uri = percent_encoding::utf8_percent_encode(name, &ESCAPED).to_string();
    match resolve_uri(folder, &uri).and_then(|p| fs::read(p).map_err(|e| e.to_string())) {
        Ok(bytes) => Ok(bytes),
        Err(why) => {
            let other = found_by_name(folder, name).ok_or(why)?;
            fs::read(other).map_err(|e| e.to_string())
        }
    }
}
