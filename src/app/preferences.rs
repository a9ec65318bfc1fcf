//! What is kept from one start to the next.

use serde::{Deserialize, Serialize};

use super::recent::RecentFile;
use crate::ui::{Settings, ViewOptions, Workspaces};

/// Preferences, stored by eframe beside its own.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Preferences {
    /// Files opened or saved, the latest first.
    pub recent: Vec<RecentFile>,
    /// What is shown.
    pub shown: ViewOptions,
    /// Arrangements of the panels.
    pub workspaces: Workspaces,
    /// The arrangement that an earlier version stored.
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
    /// How files of other formats were opened last, by the program that wrote them.
    pub foreign: Vec<crate::ui::ForeignSettings>,
    /// The brush.
    pub brush: ulna_weights::Brush,
}

const KEY: &str = "ulna.preferences";

impl Preferences {
    /// What was stored, or the defaults where that does not read.
    pub(super) fn load(storage: Option<&dyn eframe::Storage>) -> Self {
        let Some(text) = storage.and_then(|s| s.get_string(KEY)) else { return Self::default() };
        Self::read(&text)
    }

    /// What a text says; what of it does not read, as what another version stored, is as it is for
    /// a new one, and the rest stays.
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
    fn one_thing_that_does_not_read_takes_nothing_else_away() {
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
