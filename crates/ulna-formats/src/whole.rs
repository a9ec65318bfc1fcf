//! Reads whole files into memory.

use std::{fs, io, path::Path};

/// Reads all bytes of a file. Long files are read on all cores, because the first access to new
/// memory takes most of the time.
///
/// # Errors
/// I/O error of the operating system.
pub fn read_whole(path: &Path) -> io::Result<Vec<u8>> {
    #[cfg(unix)]
    if let Some(bytes) = on_all_cores(path)? {
        return Ok(bytes);
    }
    fs::read(path)
}

/// Reads a long file on all cores. `None` if the file is short, or if its length changes during
/// reading.
#[cfg(unix)]
fn on_all_cores(path: &Path) -> io::Result<Option<Vec<u8>>> {
    use std::os::unix::fs::FileExt as _;

    use rayon::prelude::*;

    /// File sizes, in bytes, for parallel reading. The operating system zeroes the pages of such
    /// large allocations only at their first access.
    const LONG: std::ops::RangeInclusive<u64> = (32 << 20)..=(1 << 30);
    const BLOCK: usize = 4 << 20;
    let file = fs::File::open(path)?;
    let about = file.metadata()?;
    let Some(length) = usize::try_from(about.len())
        .ok()
        .filter(|_| about.is_file() && LONG.contains(&about.len()))
    else {
        return Ok(None);
    };
    let mut bytes = vec![0; length];
    let read = bytes
        .par_chunks_mut(BLOCK)
        .enumerate()
        .try_for_each(|(k, block)| file.read_exact_at(block, (k * BLOCK) as u64));
    // Another program may be writing the file. In that case, the caller reads the file
    // sequentially.
    Ok((read.is_ok() && file.metadata()?.len() == about.len()).then_some(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_files_are_read_like_short_files() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("long");
        for length in [0, 5, (32 << 20) - 1, (32 << 20) + 4_000_003] {
            let bytes: Vec<u8> =
                (0..length).map(|k: usize| (k.wrapping_mul(2_654_435_761) >> 7) as u8).collect();
            fs::write(&path, &bytes).unwrap();
            assert!(read_whole(&path).unwrap() == bytes, "{length}");
        }
        assert!(read_whole(&folder.path().join("none")).is_err());
        assert!(read_whole(folder.path()).is_err());
    }
}
