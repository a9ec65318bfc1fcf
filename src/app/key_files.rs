//! Exports and imports the user's keys as files, for the *Keys* page of the preferences.

use std::{fs::File, io::Read as _, path::Path};

use egui::Context;

use super::{App, files::Browse, keys};
use crate::ui::{Dialog, PathFor, PreferencePage, Settings, ToastKind};
use ulna_edit::{KeyMap, command::RefusedKeys};
use ulna_session::write_atomically;

/// Maximum size of a key file, in bytes. Larger files are refused.
const MOST: u64 = 2 << 20;
/// Maximum number of refused keys that a message names. The others are only counted.
const NAMED: usize = 8;

impl App {
    /// Asks for a file to export the user's keys to, or to import keys from.
    pub(super) fn ask_keys(&mut self, ctx: &Context, saves: bool) {
        let what = if saves { PathFor::KeysOut } else { PathFor::KeysIn };
        if self.files.system_dialogs {
            self.browse(ctx, Browse::Path(what));
            return;
        }
        let path = if saves { "keys.json".to_owned() } else { String::new() };
        self.dialogs.open = Some(Dialog::path(what, path));
    }

    /// Writes the preset and the user's keys to a file.
    pub(super) fn write_keys(&mut self, ctx: &Context, path: &Path) {
        self.show_keys_page();
        let text = self.program.settings.keys.to_file();
        let (kind, text) = match write_atomically(&*self.files.disk, path, text.as_bytes()) {
            Ok(()) => (ToastKind::Ok, format!("The keys were exported to {}.", path.display())),
            Err(error) => (
                ToastKind::Error,
                format!("The keys could not be exported to {}: {error}.", path.display()),
            ),
        };
        self.toast(ctx, kind, text);
    }

    /// Imports the preset and the keys of a file. Valid keys are imported, and a message lists the
    /// refused ones.
    pub(super) fn read_keys(&mut self, ctx: &Context, path: &Path) {
        self.show_keys_page();
        let mut bytes = Vec::new();
        let read = File::open(path).and_then(|file| file.take(MOST).read_to_end(&mut bytes));
        let imported = read.map_err(|error| error.to_string()).and_then(|_| {
            let is_key = |text: &str| keys::parse(text).is_some();
            KeyMap::from_file(&bytes, is_key).map_err(|error| error.to_string())
        });
        let imported = match imported {
            Ok(imported) => imported,
            Err(error) => {
                let text = format!("{} was not imported: {error}.", path.display());
                self.toast(ctx, ToastKind::Error, text);
                return;
            }
        };
        let settings = Settings { keys: imported.keys, ..self.program.settings.clone() };
        self.set_settings(ctx, settings);
        let taken = match imported.taken {
            1 => "The keys of 1 command were imported.".to_owned(),
            n => format!("The keys of {n} commands were imported."),
        };
        if imported.refused.is_empty() {
            self.toast(ctx, ToastKind::Ok, taken);
        } else {
            let text = format!("{taken} {}", refusals(&imported.refused));
            self.toast(ctx, ToastKind::Error, text);
        }
    }

    fn show_keys_page(&mut self) {
        self.dialogs.open =
            Some(Dialog::Preferences { page: PreferencePage::Keys, listening: None, row: None });
    }
}

/// Describes the refused keys.
fn refusals(refused: &[RefusedKeys]) -> String {
    let of = |r: &RefusedKeys| format!("{}: {}", r.command, r.reason);
    let mut named: Vec<String> = refused.iter().take(NAMED).map(of).collect();
    if refused.len() > NAMED {
        named.push(format!("and {} more", refused.len() - NAMED));
    }
    format!("Not imported: {}.", named.join("; "))
}
