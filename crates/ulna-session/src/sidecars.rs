//! Removes data files of Ulna that no `.gltf` names after a save.

use std::{
    fs,
    io::{self, Read},
    path::{Path, PathBuf},
};

use super::{
    disk::{Disk, folder_of},
    stamp::hash_of,
};
use ulna_formats::gltf::is_sidecar;

/// A data file that Ulna wrote. Its name contains a hash of its content.
struct Sidecar {
    place: PathBuf,
    hash: String,
}

/// Removes data files that this file named before, and that no file in the folder names any more.
/// `content` is the new content of the file. Other files are read only if there are such data
/// files. Of a GLB, only the JSON part is read. If a file cannot be read, the data files are kept.
pub(super) fn remove_unnamed(disk: &dyn Disk, path: &Path, content: &[u8]) {
    let folder = folder_of(path);
    let stem = path.file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default();
    let Ok(entries) = fs::read_dir(folder) else { return };
    let names: Vec<String> =
        entries.filter_map(|e| Some(e.ok()?.file_name().to_string_lossy().into_owned())).collect();
    let ours = |name: &String| {
        let place = folder.join(name);
        if !name.starts_with(&format!("{stem}.ulna")) || !is_sidecar(name) {
            return None;
        }
        // JSON can escape characters of a name, but never those of the hash.
        let (_, hash) = name.trim_end_matches(".bin").rsplit_once(".ulna-")?;
        Some(Sidecar { place, hash: hash.to_owned() })
    };
    let mut left: Vec<Sidecar> = names.iter().filter_map(ours).collect();
    let own = named(&mut &*content, &left);
    keep_unnamed(&mut left, own);
    let is_other =
        |name: &&String| path.file_name().is_none_or(|own| own.to_string_lossy() != name.as_str());
    for name in names.iter().filter(is_other).filter(|n| n.contains(".gltf") || n.contains(".glb"))
    {
        if left.is_empty() {
            return;
        }
        let found = disk.open(&folder.join(name)).and_then(|mut file| named(&mut file, &left));
        keep_unnamed(&mut left, found);
    }
    for Sidecar { place, hash } in left {
        // If the content has the hash in the name, Ulna wrote the file.
        let content = disk.open(&place).and_then(|mut file| hash_of(&mut file));
        if content.is_ok_and(|content| format!("{content:032x}") == hash)
            && let Err(error) = disk.remove(&place)
        {
            log::warn!(
                "{} is no longer needed, but could not be removed: {error}",
                place.display()
            );
        }
    }
}

/// Removes from the list all files that a model references. If its references could not be read,
/// the list is cleared.
fn keep_unnamed(left: &mut Vec<Sidecar>, named: io::Result<Vec<bool>>) {
    let Ok(named) = named else {
        left.clear();
        return;
    };
    let mut named = named.into_iter();
    left.retain(|_| !named.next().unwrap_or(true));
}

/// Returns, for each data file, whether a model file names it.
fn named(file: &mut dyn Read, sidecars: &[Sidecar]) -> io::Result<Vec<bool>> {
    const HEADER: usize = 20;
    let mut head = Vec::with_capacity(HEADER);
    file.take(HEADER as u64).read_to_end(&mut head)?;
    let is_glb = head.len() == HEADER && head.starts_with(b"glTF") && head.ends_with(b"JSON");
    if is_glb {
        let length = u32::from_le_bytes([head[12], head[13], head[14], head[15]]);
        return contained(&mut file.take(length.into()), sidecars);
    }
    contained(&mut head.as_slice().chain(file), sidecars)
}

/// Returns, for each data file, whether a text contains its hash. The text is read block by block.
fn contained(text: &mut dyn Read, sidecars: &[Sidecar]) -> io::Result<Vec<bool>> {
    const BLOCK: usize = 1 << 18;
    let overlap = sidecars.iter().map(|s| s.hash.len()).max().unwrap_or(1).saturating_sub(1);
    let mut found = vec![false; sidecars.len()];
    let mut block: Vec<u8> = Vec::with_capacity(BLOCK + overlap);
    loop {
        let read = text.take(BLOCK as u64).read_to_end(&mut block)?;
        for (found, sidecar) in found.iter_mut().zip(sidecars).filter(|(found, _)| !**found) {
            *found = block.windows(sidecar.hash.len().max(1)).any(|w| w == sidecar.hash.as_bytes());
        }
        if read == 0 || found.iter().all(|found| *found) {
            return Ok(found);
        }
        let start = block.len().saturating_sub(overlap);
        block.drain(..start);
    }
}
