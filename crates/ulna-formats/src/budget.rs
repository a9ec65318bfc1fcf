//! The memory budget of one file. Every allocation whose size depends on numbers in the file is
//! charged to it.

use super::gltf::ReadError;
use ulna_model::Location;

/// Maximum memory, in bytes, that a file of `bytes` bytes may allocate. Decoded images have the
/// same limit. Real files need much less.
pub(crate) const fn budget_bytes(bytes: usize) -> u64 {
    (bytes as u64).saturating_mul(16).saturating_add(48 << 20)
}

/// Remaining memory budget of a file, in bytes.
#[derive(Debug)]
pub struct Budget(u64);

impl Budget {
    /// Creates the budget of a file of this many bytes: 16 times the file size plus 48 MiB.
    pub const fn of(bytes: usize) -> Self {
        Self(budget_bytes(bytes))
    }

    /// Reserves memory. `place` is the location for the error message.
    ///
    /// # Errors
    /// [`ReadError::Memory`] if the budget is too small.
    pub fn take(&mut self, bytes: u64, place: &Location) -> Result<(), ReadError> {
        self.0 = self
            .0
            .checked_sub(bytes)
            .ok_or_else(|| ReadError::Memory { place: place.into(), wanted: bytes })?;
        Ok(())
    }
}
