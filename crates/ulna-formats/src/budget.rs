//! How much memory a file may make: everything that allocates by its numbers takes from one budget.

use super::gltf::ReadError;
use ulna_model::Location;

/// Upper limit in bytes of what a file of `bytes` bytes may allocate.
///
/// It is a good deal more than real files of its size come to. Decoded pictures have the same
/// limit.
pub(crate) const fn budget_bytes(bytes: usize) -> u64 {
    (bytes as u64).saturating_mul(16).saturating_add(48 << 20)
}

/// Bytes that may still be allocated.
#[derive(Debug)]
pub struct Budget(u64);

impl Budget {
    /// For a file of this many bytes: a good deal more than real files of its size come to, and
    /// less than 20 times its size and 64 MB.
    pub const fn of(bytes: usize) -> Self {
        Self(budget_bytes(bytes))
    }

    /// Takes from it.
    ///
    /// # Errors
    /// [`ReadError::Memory`] where it is spent.
    pub fn take(&mut self, bytes: u64, place: &Location) -> Result<(), ReadError> {
        self.0 = self
            .0
            .checked_sub(bytes)
            .ok_or_else(|| ReadError::Memory { place: place.into(), wanted: bytes })?;
        Ok(())
    }
}
