//! What a file on disk was when it was read or written, to see whether somebody else changed it
//! since.

use std::{
    fs::{self, Metadata},
    io::{self, Read},
    path::{Path, PathBuf},
    time::SystemTime,
};

/// What can be seen of a file without reading it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Outside {
    length: u64,
    modified: Option<SystemTime>,
    /// Device and number, where the system has such.
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

/// How many names a file has.
#[cfg(unix)]
pub(super) fn names(about: &Metadata) -> u64 {
    use std::os::unix::fs::MetadataExt as _;
    about.nlink()
}

#[cfg(not(unix))]
pub(super) fn names(_: &Metadata) -> u64 {
    1
}

/// How many names (hard links) the file at a path has, where links lead; 0 where there is none, and
/// for folders and devices.
pub fn hard_links(path: &Path) -> u64 {
    fs::metadata(path).ok().filter(Metadata::is_file).map_or(0, |about| names(&about))
}

/// Whether two paths are one file.
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

/// The hash by which files and journals know a file's content.
pub fn content_hash(bytes: &[u8]) -> u128 {
    xxhash_rust::xxh3::xxh3_128(bytes)
}

/// The same of a file; it is never in memory as a whole.
pub(super) fn file_hash(path: &Path) -> io::Result<u128> {
    hash_of(&mut fs::File::open(path)?)
}

/// The same of what is read.
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

/// A file as it was when it was read or written.
#[derive(Clone, Debug)]
pub struct Stamp {
    path: PathBuf,
    outside: Option<Outside>,
    /// Of its content.
    pub hash: u128,
    /// Files beside it that it takes data from.
    beside: Vec<(PathBuf, Option<Outside>)>,
}

/// What became of a file since.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnDisk {
    /// It is as it was.
    Same,
    /// Its content is another, or that of a file it takes data from.
    Changed,
    /// It is not there.
    Gone,
    /// Its folder is not there.
    FolderGone,
}

impl Stamp {
    /// A file with this content, as it is on the disk now.
    pub fn of(path: &Path, bytes: &[u8], beside: Vec<PathBuf>) -> Self {
        let outside = |p: &Path| fs::metadata(p).ok().as_ref().map(Outside::of);
        let beside = beside.into_iter().map(|p| (p.clone(), outside(&p))).collect();
        Self { path: path.to_owned(), outside: outside(path), hash: content_hash(bytes), beside }
    }

    /// A file as it is on the disk now.
    ///
    /// # Errors
    /// What the system says.
    pub(super) fn read(path: &Path) -> io::Result<Self> {
        let outside = fs::metadata(path).ok().as_ref().map(Outside::of);
        Ok(Self { path: path.to_owned(), outside, hash: file_hash(path)?, beside: Vec::new() })
    }

    /// What became of it. Its content is read only where it looks different from outside.
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
