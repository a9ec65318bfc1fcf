//! Handlers for actions of dialogs: files, journals, the history.

use egui::Context;
use serde_json::Map;

use crate::{
    app::{
        App,
        files::Browse,
        save_queue::{Purpose, SaveTo},
    },
    ui::{DeferredAction, Dialog, DialogAction, ExportDraft, ExportPlace, ToastKind},
};
use ulna_edit::{command::FileCommand, find};
use ulna_session::Conversion;

impl App {
    /// Reports that the output file of a command exists, and offers to replace it.
    fn offer_replace(&mut self, ctx: &Context, replace: FileCommand) {
        let (FileCommand::SavePlan { path } | FileCommand::ExportWeights { path }) = &replace
        else {
            return;
        };
        let there = path.as_ref().map(|path| path.display().to_string()).unwrap_or_default();
        let verbs = vec![("Replace it", crate::ui::Action::Run(replace.into()))];
        self.say(ctx, ToastKind::Note, format!("{there} already exists."), verbs);
    }

    /// Stores the export settings in the preferences, and the destination for this file.
    fn remember_export(&mut self, draft: ExportDraft) {
        self.program.preferences.export = Some(draft.clone());
        if let Some(path) = self.session.as_ref().and_then(|s| s.path()) {
            ExportPlace::keep(&mut self.program.preferences.export_places, path, &draft);
        }
        self.files.export_draft = Some(draft);
    }

    /// Opens another dialog, or closes the open one.
    fn set_dialog(&mut self, ctx: &Context, dialog: Option<Dialog>) {
        self.note_kept_plan(ctx, dialog.as_ref());
        if !matches!(dialog, Some(Dialog::Convert { .. })) {
            // If the user declines a file, the files that were dropped with it are also declined.
            let waits = matches!(self.files.after_save, Some(DeferredAction::Convert(_)));
            if !waits && self.files.arriving.take().is_some() {
                self.files.dropped = None;
            }
        }
        self.dialogs.open = dialog;
    }

    pub(in crate::app) fn apply_dialog(&mut self, ctx: &Context, action: DialogAction) {
        match action {
            DialogAction::GoTo(steps) => self.go_to(steps),
            DialogAction::FindSeams => self.find_seams(ctx),
            DialogAction::OpenApart(path) => self.open_apart(ctx, &path),
            DialogAction::OpenPath(path) => self.wish(ctx, DeferredAction::Open(path)),
            DialogAction::SavePath(path) => {
                self.queue_save(ctx, SaveTo::Asked, self.request(path), Purpose::Own)
            }
            DialogAction::KeyAndSave(rows) => self.key_and_save(ctx, rows),
            DialogAction::SaveCopy(path) => {
                self.queue_save(ctx, SaveTo::Asked, self.request(path), Purpose::Copy)
            }
            DialogAction::AskExport(clips) => self.ask_export_of(&clips),
            DialogAction::ShowFolder(folder) => {
                if let Err(error) = open::that_detached(&folder) {
                    let text = format!(
                        "{} could not be shown in a file manager: {error}. Open the folder \
                            yourself.",
                        folder.display()
                    );
                    self.toast(ctx, ToastKind::Error, text);
                }
            }
            DialogAction::Export { request, draft } => {
                self.remember_export(*draft);
                self.export(ctx, *request);
            }
            DialogAction::TakePictures(draft) => self.take_pictures(ctx, *draft),
            DialogAction::SaveAnyway { obstacle, request, copy } => {
                self.save_anyway(ctx, obstacle, *request, copy)
            }
            DialogAction::TakeWorked { number, again } => self.take_offered(ctx, number, again),
            DialogAction::LeaveOut(step) => self.leave_out(ctx, step),
            DialogAction::Reload { replay } => self.reload(ctx, replay),
            DialogAction::Recover(k) => self.recover(ctx, k),
            DialogAction::DiscardRecovery(k) => self.discard_recovery(ctx, k),
            DialogAction::ClearJournals => self.clear_journals(ctx),
            DialogAction::SetDialog(dialog) => self.set_dialog(ctx, dialog),
            DialogAction::Convert(draft) => self.convert(ctx, draft),
            DialogAction::SaveReport(draft) => self.save_report(ctx, &draft),
            DialogAction::AskOpen => self.ask_open(ctx),
            DialogAction::Browse { what } => self.browse(ctx, Browse::Path(what)),
            DialogAction::BrowseForm => self.browse(ctx, Browse::Form),
            DialogAction::BrowseExport { folder } => self.browse(ctx, Browse::Export { folder }),
            DialogAction::ImportWeights { path, by } => self.import_weights(ctx, path, by),
            DialogAction::ExportWeights(path) if path.exists() => {
                self.offer_replace(ctx, FileCommand::ExportWeights { path: Some(path) });
            }
            DialogAction::ExportWeights(path) => self.export_weights(ctx, Some(path)),
            DialogAction::ImportFrom(path) => self.import_from(ctx, &path),
            DialogAction::LoadReference(path) => self.load_reference(ctx, path, None),
            DialogAction::RetargetFrom(path) => {
                self.dialogs.open = None;
                self.open_retarget(ctx, Some(path), Conversion::default());
            }
            DialogAction::TakeClips(draft) => {
                self.take_clips(ctx, &draft);
            }
            DialogAction::ReadKeys(path) => self.read_keys(ctx, &path),
            DialogAction::WriteKeys(path) => self.write_keys(ctx, &path),
            DialogAction::ReadMap(path) => self.read_map(ctx, &path),
            DialogAction::SaveMap(path) => self.save_map(ctx, &path),
            DialogAction::AdjustImport(file) => self.adjust_import(ctx, file),
            DialogAction::FitImport(draft) => self.fit_import(*draft),
            DialogAction::Import(draft) => self.import(ctx, &draft),
            DialogAction::DiscardAndContinue(wish) => {
                self.dialogs.open = None;
                self.perform(ctx, wish);
            }
            DialogAction::SaveThen(wish) => self.save_then(ctx, wish),
            DialogAction::KeepThen(wish) => self.keep_then(ctx, wish),
            DialogAction::BakeThen(wish) => self.bake_then(ctx, wish),
            DialogAction::ApplyPlan(line) => self.apply_plan(ctx, line),
            DialogAction::AddToPlan(line) => self.add_to_plan(line),
            DialogAction::RemoveFromPlan(k) => self.planning.remove(k),
            DialogAction::DiscardPlan => self.discard_plan(),
            DialogAction::ApplyBind => self.apply_bind(ctx),
            DialogAction::CancelBind => self.binding.cancel(),
            DialogAction::SavePlan(path) if path.exists() => {
                self.offer_replace(ctx, FileCommand::SavePlan { path: Some(path) });
            }
            DialogAction::SavePlan(path) => self.save_plan(ctx, Some(path)),
            DialogAction::ShowWorst(k) => self.show_worst(ctx, k),
            DialogAction::Ask(command) => {
                self.end_gesture(ctx);
                self.ask_arguments(command, Map::new());
            }
            DialogAction::AskFilled(line) => {
                self.end_gesture(ctx);
                if let Some(command) = find(&line.name) {
                    self.ask_arguments(command, line.arguments);
                }
            }
            DialogAction::RunFilled(line) => self.run_filled(ctx, line),
        }
    }
}
