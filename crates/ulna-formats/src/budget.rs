//! How much memory a file may make: everything that allocates by its numbers takes from one budget.

use super::gltf::ReadError;

/// Bytes that may still be allocated.
#[derive(Debug)]
pub struct Budget(u64);

impl Budget {
    /// For a file of this many bytes: a good deal more than real files of its size come to, and
    /// less than 20 times its size and 64 MB.
    pub const fn of(bytes: usize) -> Self {
        Self((bytes as u64).saturating_mul(16).saturating_add(48 << 20))
    }

    /// Takes from it.
    ///
    /// # Errors
    /// [`ReadError::Memory`] where it is spent.
    pub fn take(&mut self, bytes: u64, place: &str) -> Result<(), ReadError> {
        self.0 = self
            .0
            .checked_sub(bytes)
            .ok_or_else(|| ReadError::Memory { place: place.into(), wanted: bytes })?;
        Ok(())
    }
}
