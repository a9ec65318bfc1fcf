//! Progress and cancellation of long operations.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use super::ReadError;

/// Progress of a long operation, with a cancel flag. Shared between threads.
#[derive(Debug, Default)]
pub struct Progress {
    permille: AtomicU32,
    canceled: AtomicBool,
}

impl Progress {
    /// Finished fraction, `0..=1`.
    pub fn fraction(&self) -> f32 {
        self.permille.load(Ordering::Relaxed) as f32 / 1000.0
    }

    /// Requests cancellation. The operation stops at its next check.
    pub fn cancel(&self) {
        self.canceled.store(true, Ordering::Relaxed);
    }

    /// Cancel flag, and progress in thousandths, for code that accesses both directly.
    pub const fn parts(&self) -> (&AtomicBool, &AtomicU32) {
        (&self.canceled, &self.permille)
    }

    /// Reports the finished fraction, `0..=1`.
    ///
    /// # Errors
    /// [`ReadError::Canceled`] if the operation was canceled.
    pub fn reach(&self, fraction: f32) -> Result<(), ReadError> {
        self.permille.store((fraction * 1000.0) as u32, Ordering::Relaxed);
        if self.canceled.load(Ordering::Relaxed) { Err(ReadError::Canceled) } else { Ok(()) }
    }
}
