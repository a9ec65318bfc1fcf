//! Preferences that are stored between starts.

use serde::{Deserialize, Serialize};

use super::{recent::RecentFile, references::KeptReferences};
use crate::ui::{Settings, ViewOptions, Workspaces};

/// Preferences, stored by eframe next to its own.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Preferences {
    /// Files opened or saved, the latest first.
    pub recent: Vec<RecentFile>,
    /// Visible panels and viewport displays.
    pub shown: ViewOptions,
    /// Arrangements of the panels.
    pub workspaces: Workspaces,
    /// The arrangement that an earlier version stored.
    pub layout: Option<String>,
    /// Ulna was started before.
    pub started: bool,
    /// Settings of the preferences dialog.
    pub settings: Settings,
    /// How clips were exported last.
    pub export: Option<crate::ui::ExportDraft>,
    /// Destination of the last export, per file.
    pub export_places: Vec<crate::ui::ExportPlace>,
    /// Names of the commands that were run from the palette last, the latest first.
    pub used: Vec<String>,
    /// The step at which the tour was left.
    pub tour: usize,
    /// How pictures of clips were made last.
    pub pictures: crate::ui::PicturesDraft,
    /// How files of other formats were opened last, by the program that wrote them.
    pub foreign: Vec<crate::ui::ForeignSettings>,
    /// Reference models by file, the latest first.
    pub references: Vec<KeptReferences>,
    /// The brush.
    pub brush: ulna_weights::Brush,
}

const KEY: &str = "ulna.preferences";

impl Preferences {
    /// Loads the stored preferences, or the defaults if they cannot be read.
    pub(super) fn load(storage: Option<&dyn eframe::Storage>) -> Self {
        let Some(text) = storage.and_then(|s| s.get_string(KEY)) else { return Self::default() };
        Self::read(&text)
    }

    /// Reads preferences from text. Parts that cannot be read, such as those of another version,
    /// get their defaults; the others are kept.
    fn read(text: &str) -> Self {
        serde_json::from_str(text)
            .or_else(|_| {
                let mut all: serde_json::Map<String, serde_json::Value> =
                    serde_json::from_str(text)?;
                all.retain(|name, value| {
                    let alone = serde_json::Map::from_iter([(name.clone(), value.clone())]);
                    let read = serde_json::from_value::<Self>(alone.into());
                    read.inspect_err(|error| {
                        log::warn!("preference {name} cannot be read and is reset: {error}")
                    })
                    .is_ok()
                });
                serde_json::from_value(all.into())
            })
            .unwrap_or_else(|error: serde_json::Error| {
                log::warn!("the preferences cannot be read and are reset: {error}");
                Self::default()
            })
    }

    /// Puts a command first in the list of those that were run from the palette.
    pub(super) fn remember_used(&mut self, name: &str) {
        /// Commands that are kept.
        const MOST: usize = 10;
        self.used.retain(|used| used != name);
        self.used.insert(0, name.to_owned());
        self.used.truncate(MOST);
    }

    pub(super) fn store(&self, storage: &mut dyn eframe::Storage) {
        match serde_json::to_string(self) {
            Ok(text) => storage.set_string(KEY, text),
            Err(error) => log::warn!("the preferences could not be saved: {error}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unreadable_preference_keeps_all_others() {
        let mut stored = Preferences { started: true, ..Preferences::default() };
        stored.shown.grid = false;
        stored.brush.strength = 0.77;
        let mut value = serde_json::to_value(&stored).expect("a value");
        value["brush"]["kind"] = "a brush of another day".into();
        value["export_places"] = 7.into();
        let read = Preferences::read(&value.to_string());
        assert!(read.started && !read.shown.grid);
        assert_eq!(read.brush, ulna_weights::Brush::default());
        // A brush's old name is known.
        value["brush"]["kind"] = "set".into();
        let read = Preferences::read(&value.to_string());
        assert_eq!(
            (read.brush.kind, read.brush.strength),
            (ulna_weights::BrushKind::Replace, 0.77)
        );
        assert!(!Preferences::read("no text").started);
    }
}
