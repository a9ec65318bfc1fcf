//! Exports from the window: the dialog, the background job, and the message about the result.

use std::{
    path::PathBuf,
    sync::{Arc, mpsc},
    thread,
};

use egui::Context;

use super::{App, files::Measuring, jobs::JobResult, painting::export_weights};
use crate::ui::{
    Action, Dialog, DialogAction, ExportDraft, ExportForeseen, PathFor, ToastKind, bytes_in_words,
};
use ulna_edit::command::{FileCommand, frame_of};
use ulna_formats::gltf::Progress;
use ulna_model::{ClipId, Document, Repeat};
use ulna_motion::clip_edit::seam;
use ulna_session::{ExportFailure, ExportRequest, Exported};

/// Maximum size in bytes of exported data that is checked before writing.
const CHECKED: usize = 256 << 20;

/// Clips that should loop but do not close, each with the reason. Includes clips with a missing or
/// duplicate last frame.
fn open_loops(document: &Document, clips: &[ClipId]) -> Vec<(ClipId, String)> {
    let open = |id: &ClipId| {
        let clip = document.clips.get(*id)?;
        let seam = seam(document, clip, frame_of(clip))?;
        let meant = clip.repeat == Some(Repeat::Loop) || seam.is_short || seam.is_doubled;
        let worst = seam.gaps.iter().max_by(|a, b| a.distance.total_cmp(&b.distance))?;
        let about = if seam.is_short {
            "the last frame is missing".to_owned()
        } else if seam.is_doubled {
            "the last frame is a duplicate".to_owned()
        } else {
            format!(
                "{:.1} cm jump at {}",
                worst.distance * 100.0,
                document.node(worst.node).label(worst.node)
            )
        };
        (meant && (!seam.is_closed || seam.is_doubled)).then_some((*id, about))
    };
    clips.iter().filter_map(open).collect()
}

impl App {
    /// Measures the result of the export in the dialog, in the background. A change of its inputs
    /// restarts the measurement.
    pub(super) fn measure_export(&mut self, ctx: &Context) {
        let (Some(Dialog::Export { draft }), Some(session)) = (&self.dialogs.open, &self.session)
        else {
            self.files.measuring = None;
            return;
        };
        if let Some(measuring) = &mut self.files.measuring {
            while let Ok(found) = measuring.result.try_recv() {
                measuring.found = Some(found);
            }
        }
        let Some(request) = draft.request(session.document()) else {
            self.files.measuring = None;
            return;
        };
        // File names do not affect the size, so they are ignored.
        let bare =
            ExportRequest { names: String::new(), to: Default::default(), ..request.clone() };
        let of = (bare, session.generation());
        if self.files.measuring.as_ref().is_some_and(|m| m.of == of) {
            return;
        }
        let exporting = session.exporting(request);
        let document = session.document().clone();
        let progress = Arc::new(Progress::default());
        let (sender, result) = mpsc::sync_channel(2);
        let (shared, waker) = (progress.clone(), ctx.clone());
        let measure = move || {
            let clips = exporting.clips();
            let (sizes, fails) = match exporting.measure(&shared) {
                Ok(sizes) => (sizes, None),
                Err(error) if error.is_canceled() => return,
                Err(error) => (Vec::new(), Some(error.to_string())),
            };
            let foreseen = ExportForeseen {
                sizes,
                fails,
                open: open_loops(&document, &clips),
                findings: None,
            };
            let fails = foreseen.fails.is_some();
            if sender.send(foreseen.clone()).is_err() {
                return;
            }
            waker.request_repaint();
            if fails {
                return;
            }
            // The exported data is checked like an open file.
            let findings = match exporting.findings(CHECKED, &shared) {
                Ok(findings) => findings,
                Err(error) => {
                    log::info!("the export could not be checked: {error}");
                    return;
                }
            };
            if sender.send(ExportForeseen { findings: Some(findings), ..foreseen }).is_ok() {
                waker.request_repaint();
            }
        };
        if let Err(error) = thread::Builder::new().name("ulna measure".into()).spawn(measure) {
            log::warn!("an export could not be measured: {error}");
        }
        self.files.measuring = Some(Measuring { of, progress, result, found: None });
    }

    /// Opens the export dialog with the last choices for this file.
    pub(super) fn ask_export(&mut self) {
        let Some(session) = &self.session else { return };
        let last = self.program.preferences.export.clone();
        let fresh = || {
            ExportDraft::of(
                session,
                self.timeline.playback.fps,
                last,
                &self.program.preferences.export_places,
            )
        };
        let draft = self.files.export_draft.clone().unwrap_or_else(fresh);
        self.dialogs.open = Some(Dialog::Export { draft: Box::new(draft) });
    }

    /// Opens the export dialog with only these clips chosen.
    pub(super) fn ask_export_of(&mut self, clips: &[ClipId]) {
        self.ask_export();
        let (Some(session), Some(Dialog::Export { draft })) =
            (&self.session, &mut self.dialogs.open)
        else {
            return;
        };
        draft.left_out = session.document().clips.ids().filter(|id| !clips.contains(id)).collect();
    }

    /// Repeats the last export. Opens the dialog if nothing was exported yet.
    pub(super) fn export_again(&mut self, ctx: &Context) {
        match self.files.exported.clone() {
            Some(request) => {
                // A date in the file names is updated to today.
                let names = self.files.export_draft.as_ref().map(ExportDraft::file_names);
                let names = names.unwrap_or_else(|| request.names.clone());
                self.export(ctx, ExportRequest { names, ..request });
            }
            None => self.ask_export(),
        }
    }

    /// Exports in the background. The document can be edited meanwhile.
    pub(super) fn export(&mut self, ctx: &Context, request: ExportRequest) {
        self.end_gesture(ctx);
        let Some(session) = &self.session else { return };
        let exporting = session.exporting(request.clone());
        let disk = self.files.disk.clone();
        self.start_writing(ctx, "Exporting".into(), move |progress| {
            JobResult::Exported(exporting.run(&*disk, progress), request)
        });
    }

    /// Exports the weights to a path. Without a path, asks for one.
    pub(super) fn export_weights(&mut self, ctx: &Context, path: Option<PathBuf>) {
        let Some(session) = &self.session else { return };
        match path {
            Some(path) => match export_weights(session, &path) {
                Ok(text) => self.toast(ctx, ToastKind::Ok, text),
                Err(text) => self.toast(ctx, ToastKind::Error, text),
            },
            None => {
                let path =
                    session.suggested_path().with_extension("weights.json").display().to_string();
                self.ask_path(ctx, PathFor::WeightsOut, Dialog::ExportWeights { path });
            }
        }
    }

    /// Shows the result of an export.
    pub(super) fn take_exported(
        &mut self,
        ctx: &Context,
        result: Result<Exported, ExportFailure>,
        request: ExportRequest,
    ) {
        match result {
            Ok(made) => {
                let size = bytes_in_words(made.bytes);
                let text = match &made.files[..] {
                    [one] => format!("Exported {}, {size}.", one.display()),
                    many => format!(
                        "Exported {} files to {}, {size}.",
                        many.len(),
                        request.to.display()
                    ),
                };
                let lost: String = made.lost.iter().map(|l| format!(" {l}.")).collect();
                self.files.exported = Some(request);
                let again = Action::Run(FileCommand::ExportAgain.into());
                let folder = made.files.first().and_then(|f| {
                    std::path::absolute(f).ok()?.parent().map(std::path::Path::to_owned)
                });
                let mut verbs = vec![("Export again", again)];
                verbs.extend(
                    folder.map(|f| ("Show folder", Action::Dialog(DialogAction::ShowFolder(f)))),
                );
                let kind = if lost.is_empty() { ToastKind::Ok } else { ToastKind::Note };
                self.say(ctx, kind, format!("{text}{lost}"), verbs);
            }
            Err(error) if error.is_canceled() => {}
            Err(error) => {
                let ask = Action::Run(FileCommand::Export.into());
                self.say(
                    ctx,
                    ToastKind::Error,
                    format!("The export failed: {error}. No file was changed."),
                    vec![("Export…", ask)],
                );
            }
        }
    }
}
