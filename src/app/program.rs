//! The program around the file: preferences, theme, devices, files opened lately and their
//! pictures.

use std::path::PathBuf;

use super::{devices::Devices, preferences::Preferences, recent::RecentList};
use crate::ui::{Settings, Theme, Tour};
use ulna_render::Capture;

/// The program around the file.
pub(super) struct Program {
    /// Preferences that are stored between starts.
    pub preferences: Preferences,
    /// Settings of the preferences dialog.
    pub settings: Settings,
    /// Whether preferences outlive this window: not so in tests.
    pub keeps: bool,
    /// Colors and measures.
    pub theme: Theme,
    /// Graphics devices.
    pub devices: Devices,
    /// Files opened lately.
    pub recent: RecentList,
    /// Whether the welcome page is before the panels.
    pub welcome: bool,
    /// The tour, while it is open.
    pub tour: Option<Tour>,
    /// The file whose thumbnail will be rendered when it is first displayed.
    pub picture_of: Option<PathBuf>,
    /// The picture of a file that is on its way back from the device.
    pub taking: Option<(PathBuf, Capture)>,
}

impl Program {
    /// The state that the last run stored.
    pub(super) fn load(cc: &eframe::CreationContext<'_>) -> Self {
        let preferences = Preferences::load(cc.storage);
        let settings = preferences.settings.clone().clamped();
        let theme = Theme::of(&cc.egui_ctx, settings.theme);
        Theme::install(&cc.egui_ctx);
        Self {
            preferences,
            settings,
            keeps: cc.storage.is_some(),
            theme,
            devices: Devices::default(),
            recent: RecentList::default(),
            welcome: false,
            tour: None,
            picture_of: None,
            taking: None,
        }
    }
}
