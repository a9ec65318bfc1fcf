//! State of the program outside the open file: preferences, theme, devices, and recent files with
//! their thumbnails.

use std::path::PathBuf;

use super::{devices::Devices, preferences::Preferences, recent::RecentList};
use crate::ui::{Settings, Theme, Tour};
use ulna_render::Capture;

/// State of the program outside the open file.
pub(super) struct Program {
    /// Preferences that are stored between launches.
    pub preferences: Preferences,
    /// Settings of the preferences dialog.
    pub settings: Settings,
    /// True if preferences are stored; false in tests.
    pub keeps: bool,
    /// Colors and sizes.
    pub theme: Theme,
    /// Graphics devices.
    pub devices: Devices,
    /// Recently opened files.
    pub recent: RecentList,
    /// True if the welcome page covers the panels.
    pub welcome: bool,
    /// The open tour, if any.
    pub tour: Option<Tour>,
    /// The file whose thumbnail will be rendered when it is first displayed.
    pub picture_of: Option<PathBuf>,
    /// The file whose thumbnail is being rendered.
    pub taking: Option<(PathBuf, Capture)>,
}

impl Program {
    /// Loads the state that the last run stored.
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
