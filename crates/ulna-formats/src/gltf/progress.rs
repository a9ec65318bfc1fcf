//! Progress and cancellation of long work.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use super::ReadError;

/// Progress of long work, and a flag that cancels it. Shared between threads.
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

    /// Cancels the work at its next check.
    pub fn cancel(&self) {
        self.canceled.store(true, Ordering::Relaxed);
    }

    /// The cancel flag and the progress in thousandths, for work that accesses both directly.
    pub const fn parts(&self) -> (&AtomicBool, &AtomicU32) {
        (&self.canceled, &self.permille)
    }

    /// Reports the finished fraction.
    ///
    /// # Errors
    /// [`ReadError::Canceled`] if the work was canceled.
    pub fn reach(&self, fraction: f32) -> Result<(), ReadError> {
        self.permille.store((fraction * 1000.0) as u32, Ordering::Relaxed);
        if self.canceled.load(Ordering::Relaxed) { Err(ReadError::Canceled) } else { Ok(()) }
    }
}
