//! Layers of another file that a form refers to, read in the background.

use std::{sync::mpsc, thread};

use egui::Context;

use super::{App, files::Reading};
use crate::ui::{Dialog, LayersThere};
use ulna_session::{KeptLayer, kept_layers_of};

impl App {
    /// Starts to read the file that an open form names, unless it is already being read. Stores
    /// its layers once they are read.
    pub(super) fn read_there(&mut self, ctx: &Context) {
        let wanted = match &self.dialogs.open {
            Some(Dialog::Arguments { draft }) => draft.file().filter(|path| path.is_file()),
            _ => None,
        };
        let Some(path) = wanted else {
            self.files.reading = None;
            return;
        };
        if let Some(reading) = self.files.reading.as_mut().filter(|r| r.path == path) {
            if let Ok(found) = reading.result.try_recv() {
                reading.found = Some(found);
            }
            return;
        }
        let (sender, result) = mpsc::sync_channel(1);
        let (file, waker) = (path.clone(), ctx.clone());
        let read = move || {
            let layers: Result<Vec<KeptLayer>, String> = kept_layers_of(&file);
            if sender.send(LayersThere { layers }).is_ok() {
                waker.request_repaint();
            }
        };
        if let Err(error) = thread::Builder::new().name("ulna layers there".into()).spawn(read) {
            log::warn!("a file could not be checked: {error}");
        }
        self.files.reading = Some(Reading { path, result, found: None });
    }
}
