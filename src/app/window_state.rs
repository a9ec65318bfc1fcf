//! State of the window itself, whatever it shows.

use super::key_gate::KeyRouting;
use crate::ui::Mode;

/// Why a window is left for another on the same work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Leaving {
    /// Its device, or what it draws to, is no more.
    Lost,
    /// A person chose another device.
    Switch,
}

/// State of the window itself, independent of the open file.
pub(super) struct WindowState {
    /// A person agreed to close it.
    pub may_close: bool,
    /// Whether the window closes when all running writes are finished.
    pub closes_after_work: bool,
    /// Why this window is left for another.
    pub leaving: Option<Leaving>,
    pub routing: KeyRouting,
    /// Time of the last key press or click, on egui's clock, in seconds.
    pub active: f64,
    pub first_frame: bool,
    /// Mode before the current one.
    pub mode_before: Option<Mode>,
    /// Frames that failed.
    pub faults: u32,
    /// The next frame fails, for a test.
    #[cfg(feature = "inspection")]
    pub fails: bool,
}

impl Default for WindowState {
    fn default() -> Self {
        Self {
            may_close: false,
            closes_after_work: false,
            leaving: None,
            routing: KeyRouting::default(),
            active: 0.0,
            first_frame: true,
            mode_before: None,
            faults: 0,
            #[cfg(feature = "inspection")]
            fails: false,
        }
    }
}
