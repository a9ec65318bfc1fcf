//! What is kept from one start to the next.

use serde::{Deserialize, Serialize};

use super::recent::RecentFile;
use crate::ui::{Settings, ViewOptions};

/// Preferences, stored by eframe beside its own.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Preferences {
    /// Files opened or saved, the latest first.
    pub recent: Vec<RecentFile>,
    /// What is shown.
    pub shown: ViewOptions,
    /// Where the panels are, as the layout writes it.
    pub layout: Option<String>,
    /// Ulna was started before.
    pub started: bool,
    /// What a person prefers.
    pub settings: Settings,
    /// How clips were exported last.
    pub export: Option<crate::ui::ExportDraft>,
    /// Where that went, by file.
    pub export_places: Vec<crate::ui::ExportPlace>,
    /// How pictures of clips were made last.
    pub pictures: crate::ui::PicturesDraft,
    /// The brush.
    pub brush: crate::weights::Brush,
}

const KEY: &str = "ulna.preferences";

impl Preferences {
    /// What was stored, or the defaults where that does not read.
    pub(super) fn load(storage: Option<&dyn eframe::Storage>) -> Self {
        let Some(text) = storage.and_then(|s| s.get_string(KEY)) else { return Self::default() };
        serde_json::from_str(&text).unwrap_or_else(|error| {
            log::warn!("the preferences do not read and are set anew: {error}");
            Self::default()
        })
    }

    pub(super) fn store(&self, storage: &mut dyn eframe::Storage) {
        match serde_json::to_string(self) {
            Ok(text) => storage.set_string(KEY, text),
            Err(error) => log::warn!("the preferences could not be stored: {error}"),
        }
    }
}
