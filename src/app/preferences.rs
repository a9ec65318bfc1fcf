//! Preferences that are stored between launches.

use serde::{Deserialize, Serialize};

use super::{recent::RecentFile, references::KeptReferences};
use crate::ui::{Settings, ViewOptions, Workspaces};

/// Preferences, which eframe stores in the same file as its own data.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Preferences {
    /// Recently opened or saved files, latest first.
    pub recent: Vec<RecentFile>,
    /// Visible panels, and elements that the viewport displays.
    pub shown: ViewOptions,
    /// All workspaces.
    pub workspaces: Workspaces,
    /// The arrangement of panels that an earlier version stored.
    pub layout: Option<String>,
    /// True if Ulna was launched before.
    pub started: bool,
    /// Settings of the preferences dialog.
    pub settings: Settings,
    /// Settings of the last export.
    pub export: Option<crate::ui::ExportDraft>,
    /// Destination of the last export, per file.
    pub export_places: Vec<crate::ui::ExportPlace>,
    /// Names of commands that were run from the palette, latest first.
    pub used: Vec<String>,
    /// Index of the step at which the tour was closed.
    pub tour: usize,
    /// Settings of the last rendered pictures of clips.
    pub pictures: crate::ui::PicturesDraft,
    /// Import settings of files in other formats, by the program that wrote the files.
    pub foreign: Vec<crate::ui::ForeignSettings>,
    /// Reference models of each file. The latest file comes first.
    pub references: Vec<KeptReferences>,
    /// Settings of the brush.
    pub brush: ulna_weights::Brush,
}

const KEY: &str = "ulna.preferences";

impl Preferences {
    /// Loads the stored preferences, or the defaults if they cannot be read.
    pub(super) fn load(storage: Option<&dyn eframe::Storage>) -> Self {
        let Some(text) = storage.and_then(|s| s.get_string(KEY)) else { return Self::default() };
        Self::read(&text)
    }

    /// Reads preferences from text. Invalid parts, such as those of another version, get their
    /// defaults.
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

    /// Moves a command to the front of the list of commands that were run from the palette.
    pub(super) fn remember_used(&mut self, name: &str) {
        /// Maximum number of stored commands.
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
        // The old name of a brush operation is still valid.
        value["brush"]["kind"] = "set".into();
        let read = Preferences::read(&value.to_string());
        assert_eq!(
            (read.brush.kind, read.brush.strength),
            (ulna_weights::BrushKind::Replace, 0.77)
        );
        assert!(!Preferences::read("no text").started);
    }
}
