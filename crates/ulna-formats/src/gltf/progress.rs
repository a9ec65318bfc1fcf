//! Progress of long work, and its cancellation.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use super::ReadError;

/// How far long work is, and whether somebody wants it to stop. Shared between threads.
#[derive(Debug, Default)]
pub struct Progress {
    permille: AtomicU32,
    canceled: AtomicBool,
}

impl Progress {
    /// 0 to 1.
    pub fn fraction(&self) -> f32 {
        self.permille.load(Ordering::Relaxed) as f32 / 1000.0
    }

    /// Asks the work to stop at the next chance.
    pub fn cancel(&self) {
        self.canceled.store(true, Ordering::Relaxed);
    }

    /// Whether somebody wants the work to stop, and how far it is in thousandths, for work that
    /// looks at both by itself.
    pub const fn parts(&self) -> (&AtomicBool, &AtomicU32) {
        (&self.canceled, &self.permille)
    }

    /// Says how far the work is.
    ///
    /// # Errors
    /// [`ReadError::Canceled`] where somebody canceled.
    pub fn reach(&self, fraction: f32) -> Result<(), ReadError> {
        self.permille.store((fraction * 1000.0) as u32, Ordering::Relaxed);
        if self.canceled.load(Ordering::Relaxed) { Err(ReadError::Canceled) } else { Ok(()) }
    }
}
