//! Exporting from the window: what is asked before, and what is said after.

use egui::Context;

use super::{App, jobs::Done};
use crate::{
    edit::command::FileCommand,
    session::{ExportFailure, ExportRequest, Exported, SystemDisk},
    ui::{Action, Dialog, ExportDraft, ToastKind},
};

impl App {
    /// Asks what to export, as it was chosen last for this file.
    pub(super) fn ask_export(&mut self) {
        let Some(session) = &self.session else { return };
        let fresh = || ExportDraft::of(session, self.timeline.playback.fps);
        let draft = self.files.export_draft.clone().unwrap_or_else(fresh);
        self.dialogs.open = Some(Dialog::Export { draft: Box::new(draft) });
    }

    /// Exports the same again, or asks where nothing was exported yet.
    pub(super) fn export_again(&mut self, ctx: &Context) {
        match self.files.exported.clone() {
            Some(request) => self.export(ctx, request),
            None => self.ask_export(),
        }
    }

    /// Exports beside the window; the document may go on changing meanwhile.
    pub(super) fn export(&mut self, ctx: &Context, request: ExportRequest) {
        self.end_gesture(ctx);
        let Some(session) = &self.session else { return };
        let exporting = session.exporting(request.clone());
        self.start(ctx, "Exporting".into(), true, move |progress| {
            Done::Exported(exporting.run(&SystemDisk, progress), request)
        });
    }

    /// What became of an export.
    pub(super) fn take_exported(
        &mut self,
        ctx: &Context,
        result: Result<Exported, ExportFailure>,
        request: ExportRequest,
    ) {
        match result {
            Ok(made) => {
                let size = if made.bytes < 1 << 20 {
                    format!("{} KB", made.bytes.div_ceil(1 << 10))
                } else {
                    format!("{:.1} MB", made.bytes as f64 / f64::from(1 << 20))
                };
                let text = match &made.files[..] {
                    [one] => format!("Exported {}, {size}.", one.display()),
                    many => format!("Exported {} files to {}, {size}.", many.len(), request.to.display()),
                };
                let lost: String = made.lost.iter().map(|l| format!(" {l}.")).collect();
                self.files.exported = Some(request);
                let again = Action::Run(FileCommand::ExportAgain.into());
                let kind = if lost.is_empty() { ToastKind::Ok } else { ToastKind::Note };
                self.say(ctx, kind, format!("{text}{lost}"), vec![("Export again", again)]);
            }
            Err(error) if error.is_cancelled() => {}
            Err(error) => {
                let ask = Action::Run(FileCommand::Export.into());
                self.say(ctx, ToastKind::Error, format!("Nothing was exported: {error}."), vec![("Export…", ask)]);
            }
        }
    }
}
