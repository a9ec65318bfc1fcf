//! Disk operations of a save, as a trait. Tests implement it to make any operation fail, or to stop
//! between two operations.

use std::{
    fs::{self, OpenOptions, Permissions},
    io::{self, Read as _, Write as _},
    path::{Path, PathBuf},
    sync::atomic::{AtomicU32, Ordering},
};

/// Disk operations that a save uses.
pub trait Disk: std::fmt::Debug + Send + Sync {
    /// Writes and syncs a new file, and reads it back to check it. The file must not exist yet.
    /// `like` has its permissions.
    ///
    /// # Errors
    /// I/O error of the system.
    fn write_new(&self, path: &Path, bytes: &[u8], like: Option<&Permissions>) -> io::Result<()>;

    /// Renames a file. An existing file at the new name is replaced.
    ///
    /// # Errors
    /// I/O error of the system.
    fn replace(&self, from: &Path, to: &Path) -> io::Result<()>;

    /// Renames a file to an unused name. An existing file is not replaced.
    ///
    /// # Errors
    /// I/O error of the system. `AlreadyExists` if the target exists.
    fn place(&self, from: &Path, to: &Path) -> io::Result<()>;

    /// Keeps a file under an additional, unused name: as a hard link if possible, else as a copy.
    ///
    /// # Errors
    /// I/O error of the system.
    fn keep(&self, from: &Path, to: &Path) -> io::Result<()>;

    /// Removes a file.
    ///
    /// # Errors
    /// I/O error of the system.
    fn remove(&self, path: &Path) -> io::Result<()>;

    /// Creates a folder and its missing parent folders.
    ///
    /// # Errors
    /// I/O error of the system.
    fn make_folder(&self, path: &Path) -> io::Result<()>;

    /// Removes an empty folder.
    ///
    /// # Errors
    /// I/O error of the system.
    fn remove_folder(&self, path: &Path) -> io::Result<()>;

    /// Syncs the entries of a folder to the disk.
    ///
    /// # Errors
    /// I/O error of the system.
    fn sync_folder(&self, path: &Path) -> io::Result<()>;

    /// Opens a file for reading from its start.
    ///
    /// # Errors
    /// I/O error of the system.
    fn open(&self, path: &Path) -> io::Result<Box<dyn io::Read>> {
        Ok(Box::new(fs::File::open(path)?))
    }

    /// Copies a file to an unused name, syncs the copy and reads it back to check it. The copy is
    /// made block by block, so that the size of the file does not matter.
    ///
    /// # Errors
    /// I/O error of the system.
    fn copy_new(&self, from: &Path, to: &Path) -> io::Result<()> {
        let mut source = self.open(from)?;
        let mut copy = OpenOptions::new().write(true).create_new(true).open(to)?;
        io::copy(&mut source, &mut copy)?;
        copy.sync_all()?;
        drop(copy);
        if same_content(self, from, to)? { Ok(()) } else { Err(io::Error::other(READS_BACK)) }
    }
}

/// Error message for a written file whose content differs when it is read back.
const READS_BACK: &str = "the written file differs when it is read again";

/// Disk operations of the operating system.
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
        // A hard link fails if the target exists. Without hard links, another program could create
        // the target between the check and the rename.
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
        // Systems that cannot open a folder sync its entries by themselves.
        match fs::File::open(path) {
            Ok(folder) if cfg!(unix) => folder.sync_all(),
            _ => Ok(()),
        }
    }
}

/// Whether the content of a file equals `bytes`. The file is read block by block.
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

/// Whether two files have the same content. Both are read block by block.
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

/// Returns the folder that contains a file.
pub(super) fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Returns an unused hidden path in the folder of a file. The prefix `.ulna-` marks temporary
/// files.
pub(super) fn temporary(path: &Path) -> PathBuf {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let now = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .map_or(0, |d| d.subsec_nanos());
    folder_of(path).join(format!(".ulna-{}-{count}-{now:08x}.tmp", std::process::id()))
}

/// Writes a file atomically. The bytes are written to a temporary file in the same folder. It is
/// synced, read back to check it, and renamed over the target.
///
/// # Errors
/// I/O error of the system. The old file is unchanged then.
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

/// Removes a temporary file if it exists. A failure is only logged.
pub(super) fn clear(disk: &dyn Disk, staged: &Path) {
    if staged.exists()
        && let Err(error) = disk.remove(staged)
    {
        log::warn!("{} could not be removed: {error}", staged.display());
    }
}
