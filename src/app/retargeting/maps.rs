//! Maps as JSON files.

use std::path::{Path, PathBuf};

use egui::Context;

use crate::app::{App, files::Browse};
use crate::ui::{Dialog, PathFor, ToastKind};
use ulna_edit::command::{map_text, read_map};
use ulna_session::write_atomically;

impl App {
    /// Asks for a JSON file to read the map from, or to save it to.
    pub(super) fn ask_map(&mut self, ctx: &Context, saves: bool) {
        let Some(session) = &self.session else { return };
        let what = if saves { PathFor::MapOut } else { PathFor::MapIn };
        if self.files.system_dialogs {
            self.browse(ctx, Browse::Path(what));
            return;
        }
        let path = session.suggested_path().with_file_name("retarget.json");
        let folder = path.parent().map(|p| p.join("")).unwrap_or_default();
        let path = if saves { path } else { folder };
        self.dialogs.open = Some(Dialog::path(what, path.display().to_string()));
    }

    /// Reads the map of the page from a file.
    pub(in crate::app) fn read_map(&mut self, ctx: &Context, path: &Path) {
        self.dialogs.open = None;
        let text = std::fs::read_to_string(path).map_err(|error| error.to_string());
        let Some(page) = &mut self.retargeting else { return };
        match text.and_then(|text| read_map(&text)) {
            Ok(map) => {
                (page.draft.map, page.draft.chain) = (map, None);
                page.map_origin = "from a file";
            }
            Err(error) => {
                let text = format!("{} was not read: {error}.", path.display());
                self.toast(ctx, ToastKind::Error, text);
            }
        }
    }

    /// Saves the map of the page to a file.
    pub(in crate::app) fn save_map(&mut self, ctx: &Context, path: PathBuf) {
        self.dialogs.open = None;
        let Some(page) = &self.retargeting else { return };
        let text = map_text(&page.draft.map);
        let (kind, text) = match write_atomically(&*self.files.disk, &path, text.as_bytes()) {
            Ok(()) => (ToastKind::Ok, format!("The map was saved to {}.", path.display())),
            Err(error) => (
                ToastKind::Error,
                format!("The map could not be saved to {}: {error}.", path.display()),
            ),
        };
        self.toast(ctx, kind, text);
    }
}
