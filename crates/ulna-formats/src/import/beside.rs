//! Files that a file names, looked for beside it and never outside of its folder.

use std::{
    fs,
    path::{Path, PathBuf},
};

use crate::gltf::resolve_uri;

/// Folders beside a file that are looked through, and files in each, at most.
const MOST: usize = 2000;

/// The file of this name in a folder or in one of the folders in it, whatever the case; never one
/// outside.
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

/// Tells what a name has that a URI has otherwise.
const ESCAPED: percent_encoding::AsciiSet =
    percent_encoding::CONTROLS.add(b'%').add(b'#').add(b'?');

/// The bytes of the file that another one in this folder names, whatever its case; where it is not
/// at its path, of one of that name in the folder or in those in it.
///
/// # Errors
/// Why it cannot be read, in words.
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
