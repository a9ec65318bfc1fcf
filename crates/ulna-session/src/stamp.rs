//! Detects whether another program changed a file since it was last read or written.

use std::{
    fs::{self, Metadata},
    io::{self, Read},
    path::{Path, PathBuf},
    time::SystemTime,
};

/// Properties of a file that can be read without opening it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Outside {
    length: u64,
    modified: Option<SystemTime>,
    /// Device and inode, on systems that have them.
    identity: Option<(u64, u64)>,
}

impl Outside {
    fn of(about: &Metadata) -> Self {
        Self { length: about.len(), modified: about.modified().ok(), identity: identity(about) }
    }
}

#[cfg(unix)]
fn identity(about: &Metadata) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt as _;
    Some((about.dev(), about.ino()))
}

#[cfg(not(unix))]
fn identity(_: &Metadata) -> Option<(u64, u64)> {
    None
}

/// Returns the number of hard links of a file.
#[cfg(unix)]
pub(super) fn names(about: &Metadata) -> u64 {
    use std::os::unix::fs::MetadataExt as _;
    about.nlink()
}

#[cfg(not(unix))]
pub(super) fn names(_: &Metadata) -> u64 {
    1
}

/// Returns the number of hard links of the file at a path. Symbolic links are followed. Missing
/// files, folders and devices have 0.
pub fn hard_links(path: &Path) -> u64 {
    fs::metadata(path).ok().filter(Metadata::is_file).map_or(0, |about| names(&about))
}

/// Whether two paths lead to the same file.
pub(super) fn same_file(a: &Path, b: &Path) -> bool {
    match (fs::canonicalize(a), fs::canonicalize(b)) {
        (Ok(x), Ok(y)) if x == y => true,
        (Ok(_), Ok(_)) => {
            let of = |p: &Path| fs::metadata(p).ok().and_then(|m| identity(&m));
            of(a).is_some() && of(a) == of(b)
        }
        _ => a == b,
    }
}

/// Returns the hash of a file's content that file names and journals contain.
pub fn content_hash(bytes: &[u8]) -> u128 {
    xxhash_rust::xxh3::xxh3_128(bytes)
}

/// Computes [`content_hash`] of a file. The file is read block by block.
pub(super) fn file_hash(path: &Path) -> io::Result<u128> {
    hash_of(&mut fs::File::open(path)?)
}

/// Computes [`content_hash`] of the data from a reader.
pub(super) fn hash_of(from: &mut dyn Read) -> io::Result<u128> {
    let mut hash = xxhash_rust::xxh3::Xxh3::new();
    let mut block = vec![0; 1 << 18];
    loop {
        match from.read(&mut block) {
            Ok(0) => return Ok(hash.digest128()),
            Ok(n) => hash.update(&block[..n]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

/// State of a file when it was last read or written.
#[derive(Clone, Debug)]
pub struct Stamp {
    path: PathBuf,
    outside: Option<Outside>,
    /// Hash of the content.
    pub hash: u128,
    /// Data files that the file refers to, with their properties.
    beside: Vec<(PathBuf, Option<Outside>)>,
}

/// Change of a file on disk since its stamp was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnDisk {
    /// The file is unchanged.
    Same,
    /// The content of the file, or of one of its data files, has changed.
    Changed,
    /// The file does not exist any more.
    Gone,
    /// The folder of the file does not exist any more.
    FolderGone,
}

impl Stamp {
    /// Creates the stamp of a file with known content. Its other properties are read from the disk.
    pub fn of(path: &Path, bytes: &[u8], beside: Vec<PathBuf>) -> Self {
        let outside = |p: &Path| fs::metadata(p).ok().as_ref().map(Outside::of);
        let beside = beside.into_iter().map(|p| (p.clone(), outside(&p))).collect();
        Self { path: path.to_owned(), outside: outside(path), hash: content_hash(bytes), beside }
    }

    /// Creates the stamp of a file as it is on disk now.
    ///
    /// # Errors
    /// I/O error of the system.
    pub(super) fn read(path: &Path) -> io::Result<Self> {
        let outside = fs::metadata(path).ok().as_ref().map(Outside::of);
        Ok(Self { path: path.to_owned(), outside, hash: file_hash(path)?, beside: Vec::new() })
    }

    /// Returns how the file changed since the stamp was made. The content is read only if other
    /// properties changed.
    pub fn look(&self) -> OnDisk {
        let Ok(about) = fs::metadata(&self.path) else {
            let folder = super::disk::folder_of(&self.path);
            return if folder.is_dir() { OnDisk::Gone } else { OnDisk::FolderGone };
        };
        let beside = self
            .beside
            .iter()
            .any(|(path, was)| fs::metadata(path).ok().as_ref().map(Outside::of) != *was);
        if beside {
            return OnDisk::Changed;
        }
        if self.outside.as_ref() == Some(&Outside::of(&about)) {
            return OnDisk::Same;
        }
        match file_hash(&self.path) {
            Ok(hash) if hash == self.hash => OnDisk::Same,
            _ => OnDisk::Changed,
        }
    }
}
