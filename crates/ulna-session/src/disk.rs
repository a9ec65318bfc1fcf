//! What saving does to a disk, act by act, so that a test can fail any of them or stop between two.

use std::{
    fs::{self, OpenOptions, Permissions},
    io::{self, Read as _, Write as _},
    path::{Path, PathBuf},
    sync::atomic::{AtomicU32, Ordering},
};

/// The acts.
pub trait Disk: std::fmt::Debug + Send + Sync {
    /// Writes a file that must not be there yet, on the disk and read back, with the permissions of
    /// another where there is one.
    ///
    /// # Errors
    /// What the system says.
    fn write_new(&self, path: &Path, bytes: &[u8], like: Option<&Permissions>) -> io::Result<()>;

    /// Puts a file in the place of another, or where none is.
    ///
    /// # Errors
    /// What the system says.
    fn replace(&self, from: &Path, to: &Path) -> io::Result<()>;

    /// Puts a file where none is; one that is there stays, and it is an error.
    ///
    /// # Errors
    /// What the system says.
    fn place(&self, from: &Path, to: &Path) -> io::Result<()>;

    /// Leaves a second name, or a copy, of a file, where none is.
    ///
    /// # Errors
    /// What the system says.
    fn keep(&self, from: &Path, to: &Path) -> io::Result<()>;

    /// Removes a file.
    ///
    /// # Errors
    /// What the system says.
    fn remove(&self, path: &Path) -> io::Result<()>;

    /// Makes a folder, with those above it.
    ///
    /// # Errors
    /// What the system says.
    fn make_folder(&self, path: &Path) -> io::Result<()>;

    /// Removes a folder that is empty.
    ///
    /// # Errors
    /// What the system says.
    fn remove_folder(&self, path: &Path) -> io::Result<()>;

    /// Sees to it that the names in a folder are on the disk.
    ///
    /// # Errors
    /// What the system says.
    fn sync_folder(&self, path: &Path) -> io::Result<()>;

    /// Opens a file, to be read from its beginning.
    ///
    /// # Errors
    /// What the system says.
    fn open(&self, path: &Path) -> io::Result<Box<dyn io::Read>> {
        Ok(Box::new(fs::File::open(path)?))
    }

    /// Copies a file to where none is, on the disk and read back. It is never in memory as a whole.
    ///
    /// # Errors
    /// What the system says.
    fn copy_new(&self, from: &Path, to: &Path) -> io::Result<()> {
        let mut source = self.open(from)?;
        let mut copy = OpenOptions::new().write(true).create_new(true).open(to)?;
        io::copy(&mut source, &mut copy)?;
        copy.sync_all()?;
        drop(copy);
        if same_content(self, from, to)? { Ok(()) } else { Err(io::Error::other(READS_BACK)) }
    }
}

/// Why a file that was written is not taken.
const READS_BACK: &str = "the written file differs when it is read again";

/// The system's.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemDisk;

impl Disk for SystemDisk {
    fn write_new(&self, path: &Path, bytes: &[u8], like: Option<&Permissions>) -> io::Result<()> {
        let mut file = OpenOptions::new().write(true).create_new(true).open(path)?;
        file.write_all(bytes)?;
        if let Some(like) = like {
            file.set_permissions(like.clone())?;
        }
        file.sync_all()?;
        drop(file);
        if holds(self, path, bytes)? { Ok(()) } else { Err(io::Error::other(READS_BACK)) }
    }

    fn replace(&self, from: &Path, to: &Path) -> io::Result<()> {
        fs::rename(from, to)
    }

    fn place(&self, from: &Path, to: &Path) -> io::Result<()> {
        // A second name is refused where one is; a file system without them leaves a moment between
        // the look and the act.
        match fs::hard_link(from, to) {
            Ok(()) => fs::remove_file(from),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(error),
            Err(_) if fs::symlink_metadata(to).is_ok() => Err(io::ErrorKind::AlreadyExists.into()),
            Err(_) => fs::rename(from, to),
        }
    }

    fn keep(&self, from: &Path, to: &Path) -> io::Result<()> {
        match fs::hard_link(from, to) {
            Ok(()) => Ok(()),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(error),
            Err(_) => {
                let mut source = fs::File::open(from)?;
                let mut copy = OpenOptions::new().write(true).create_new(true).open(to)?;
                io::copy(&mut source, &mut copy)?;
                copy.sync_all()
            }
        }
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        fs::remove_file(path)
    }

    fn make_folder(&self, path: &Path) -> io::Result<()> {
        fs::create_dir_all(path)
    }

    fn remove_folder(&self, path: &Path) -> io::Result<()> {
        fs::remove_dir(path)
    }

    fn sync_folder(&self, path: &Path) -> io::Result<()> {
        // Where folders cannot be opened, their names are the file system's to keep.
        match fs::File::open(path) {
            Ok(folder) if cfg!(unix) => folder.sync_all(),
            _ => Ok(()),
        }
    }
}

/// Whether a file holds just these bytes; it is never in memory as a whole.
pub(super) fn holds<D: Disk + ?Sized>(disk: &D, path: &Path, mut bytes: &[u8]) -> io::Result<bool> {
    let mut file = disk.open(path)?;
    let mut block = vec![0; 1 << 18];
    loop {
        match file.read(&mut block) {
            Ok(0) => return Ok(bytes.is_empty()),
            Ok(n) => match bytes.strip_prefix(&block[..n]) {
                Some(rest) => bytes = rest,
                None => return Ok(false),
            },
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
        }
    }
}

/// Whether two files hold the same; neither is ever in memory as a whole.
pub(super) fn same_content<D: Disk + ?Sized>(disk: &D, a: &Path, b: &Path) -> io::Result<bool> {
    const BLOCK: u64 = 1 << 18;
    let (mut a, mut b) = (disk.open(a)?, disk.open(b)?);
    let (mut one, mut other) = (Vec::new(), Vec::new());
    loop {
        one.clear();
        other.clear();
        (&mut a).take(BLOCK).read_to_end(&mut one)?;
        (&mut b).take(BLOCK).read_to_end(&mut other)?;
        if one != other {
            return Ok(false);
        }
        if one.is_empty() {
            return Ok(true);
        }
    }
}

/// The folder of a file.
pub(super) fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// A name beside a file that nobody has: hidden, and ours to see.
pub(super) fn temporary(path: &Path) -> PathBuf {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let now = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .map_or(0, |d| d.subsec_nanos());
    folder_of(path).join(format!(".ulna-{}-{count}-{now:08x}.tmp", std::process::id()))
}

/// Writes a file whole or not at all: to a temporary one in the same folder, synced, read back,
/// renamed over.
///
/// # Errors
/// What the system says; an old file is whole then.
pub fn write_atomically(disk: &dyn Disk, path: &Path, bytes: &[u8]) -> io::Result<()> {
    let like = fs::metadata(path).ok().map(|m| m.permissions());
    let staged = temporary(path);
    let done = disk
        .write_new(&staged, bytes, like.as_ref())
        .and_then(|()| disk.replace(&staged, path))
        .and_then(|()| disk.sync_folder(folder_of(path)));
    if done.is_err() {
        clear(disk, &staged);
    }
    done
}

/// Removes what was staged; that it is gone already is no fault.
pub(super) fn clear(disk: &dyn Disk, staged: &Path) {
    if staged.exists()
        && let Err(error) = disk.remove(staged)
    {
        log::warn!("{} could not be removed: {error}", staged.display());
    }
}
