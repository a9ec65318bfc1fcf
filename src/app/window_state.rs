//! State of the window itself, independent of its content.

use super::key_gate::KeyRouting;
use crate::ui::Mode;

/// Reason why the window must be replaced by a new one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Leaving {
    /// The device or the window's surface is lost.
    Lost,
    /// The user chose another device.
    Switch,
}

/// State of the window itself, independent of the open file.
pub(super) struct WindowState {
    /// True if the user agreed to close the window.
    pub may_close: bool,
    /// True if the window closes after all files are written.
    pub closes_after_work: bool,
    /// Reason why the window must be replaced; `None` if it need not.
    pub leaving: Option<Leaving>,
    pub routing: KeyRouting,
    /// Time of the last key press or click, on egui's clock, in seconds.
    pub active: f64,
    pub first_frame: bool,
    /// The previous mode.
    pub mode_before: Option<Mode>,
    /// True if the problems were hidden together with the inspector.
    pub hid_problems: bool,
    /// Number of frames that panicked.
    pub faults: u32,
    /// True if the next frame must panic, for a test.
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
            hid_problems: false,
            faults: 0,
            #[cfg(feature = "inspection")]
            fails: false,
        }
    }
}
