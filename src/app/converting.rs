//! Files of other formats on their way in: what was found is shown before one is opened, and it is
//! read anew where it is to be taken otherwise.

use egui::Context;

use super::{
    App,
    files::name_of,
    jobs::JobResult,
    loading::{Loaded, load},
};
use crate::ui::{ConvertDraft, Dialog};
use ulna_model::Document;
use ulna_session::Session;

/// Meshes, vertices, joints and clips.
fn counts(document: &Document) -> [usize; 4] {
    let vertices = document.meshes.values().map(|m| m.vertex_count()).sum();
    let joints = document.joint_flags().iter().filter(|j| **j).count();
    [document.meshes.count(), vertices, joints, document.clips.count()]
}

impl App {
    /// A file of another format was read as it says it is: what was found is shown.
    pub(super) fn found(&mut self, ctx: &Context, loaded: Box<Loaded>) {
        let Some(imported) = loaded.session.imported() else { return };
        let document = loaded.session.document();
        let counts = counts(document);
        let unit = imported.conversion.unit.or(imported.found.unit).unwrap_or(1.0);
        let onto =
            self.session.as_ref().is_some_and(|s| s.document().joint_flags().contains(&true));
        let draft = ConvertDraft {
            path: imported.path.clone(),
            format: imported.format,
            counts,
            found: imported.found.clone(),
            findings: loaded.session.diagnostics.clone(),
            size: loaded.extent().map(|size| size / unit),
            onto: onto && counts[3] > 0,
            conversion: imported.conversion.clone(),
        };
        self.dialogs.open = Some(Dialog::Convert { draft: Box::new(draft) });
        self.files.arriving = Some(loaded);
        // Behind the page there is something, too.
        if self.session.is_none() {
            self.show_welcome(ctx);
        }
    }

    /// Opens what was found, as it is to be taken.
    pub(super) fn convert(&mut self, ctx: &Context, draft: &ConvertDraft) {
        self.dialogs.open = None;
        let is_it = |loaded: &Loaded| {
            loaded
                .session
                .imported()
                .is_some_and(|i| i.path == draft.path && i.conversion == draft.conversion)
        };
        let path = draft.path.clone();
        match self.files.arriving.take() {
            Some(loaded) if is_it(&loaded) => {
                self.take(ctx, JobResult::Opened(Ok(loaded), Some(path)))
            }
            _ => {
                let conversion = draft.conversion.clone();
                self.start(ctx, format!("Opening {}", name_of(&path)), true, move |progress| {
                    JobResult::Opened(
                        Session::open_as(&path, &conversion, progress).map(load),
                        Some(path),
                    )
                });
            }
        }
    }
}
