//! Saving from the window: the questions before a save, the message after it, and the options if it
//! fails.

use std::{
    path::{Path, PathBuf},
    time::SystemTime,
};

use egui::Context;

use super::{
    App,
    files::name_of,
    jobs::JobResult,
    loading::{Loaded, load_whole},
    save_queue::{Purpose, QueuedSave, SaveTo},
};
use crate::ui::DialogAction;
use crate::ui::{ChangedOnDisk, Dialog, Obstacle, ToastKind, UnkeyedRow};
use ulna_edit::command::{
    SetKey,
    field::{ClipName, Nodes, Seconds},
};
use ulna_formats::gltf::ReadError;
use ulna_model::{Shared, Unkeyed, UnkeyedAt};
use ulna_session::{
    Consent, OnDisk, Outlook, Replayed, SaveFailure, SaveRequest, SavedFile, Session,
};

impl App {
    /// Saves to the session's own file, or asks for a path. Asks about unkeyed poses first.
    pub(super) fn save(&mut self, ctx: &Context) {
        let rows = self.unkeyed_rows();
        if rows.is_empty() {
            self.save_now(ctx);
        } else if self.program.settings.key_on_save {
            self.key_and_save(ctx, rows);
        } else {
            self.dialogs.open = Some(Dialog::Unkeyed { rows });
        }
    }

    /// Unkeyed poses, except those that the user already chose not to save.
    fn unkeyed_rows(&self) -> Vec<UnkeyedRow> {
        let Some(document) = self.session.as_ref().map(Session::document) else {
            return Vec::new();
        };
        let left = |at: &UnkeyedAt, pose: &Shared<Unkeyed>| {
            self.files.left_unkeyed.get(at).is_some_and(|l| Shared::ptr_eq(l, pose))
        };
        let fps = self.timeline.playback.fps;
        let row = |(at, pose): (&UnkeyedAt, &Shared<Unkeyed>)| {
            let (seconds, frame) = (f64::from(at.time()), f64::from(at.time()) * fps);
            let whole = (frame - frame.round()).abs() < 1e-3;
            let when =
                if whole { format!("frame {}", frame.round()) } else { format!("{seconds:.3} s") };
            let names: Vec<String> = pose.nodes().map(|n| document.node(n).label(n)).collect();
            let about = match names.as_slice() {
                [first, second, third, rest @ ..] if !rest.is_empty() => {
                    format!("{first}, {second}, {third} and {} more", rest.len())
                }
                few => few.join(", "),
            };
            let clip = document.clip_label(at.clip);
            UnkeyedRow { at: *at, clip, when, about, key: true }
        };
        document.aids.unkeyed.iter().filter(|(at, pose)| !left(at, pose)).map(row).collect()
    }

    /// Keys the chosen poses as one undo step, marks the others as left out, and saves.
    pub(super) fn key_and_save(&mut self, ctx: &Context, rows: Vec<UnkeyedRow>) {
        self.dialogs.open = None;
        let Some(session) = &mut self.session else { return };
        let document = session.document();
        let mut keys = Vec::new();
        for row in rows {
            let Some(pose) = document.aids.unkeyed.get(&row.at) else { continue };
            if !row.key {
                self.files.left_unkeyed.insert(row.at, pose.clone());
                continue;
            }
            let time = Seconds(row.at.time());
            let nodes = Nodes::Ids(pose.nodes().collect());
            let key = SetKey {
                unkeyed: Some(time),
                interpolation: Some(self.program.settings.new_keys),
                ..SetKey::new(ClipName::Id(row.at.clip), time, nodes)
            };
            keys.push(key.into());
        }
        if !keys.is_empty()
            && let Err(error) = session.run_all("Key poses", &keys)
        {
            self.toast(
                ctx,
                ToastKind::Error,
                format!("The poses could not be keyed, and nothing was saved: {error}."),
            );
            return;
        }
        self.timeline.carried = None;
        self.save_now(ctx);
    }

    fn save_now(&mut self, ctx: &Context) {
        match self.session.as_ref().and_then(|s| s.path()).map(ToOwned::to_owned) {
            Some(path) => self.queue_save(ctx, SaveTo::Own, self.request(path), Purpose::Own),
            None => self.ask_save(ctx),
        }
    }

    /// Request to save to a path. The backup follows the preferences.
    pub(super) fn request(&self, path: PathBuf) -> SaveRequest {
        // A typed name without an extension keeps the current format.
        let bare = path.extension().is_none() && !path.is_dir();
        let is_glb = self.session.as_ref().is_none_or(|s| s.source().container.is_glb());
        let path =
            if bare { path.with_extension(if is_glb { "glb" } else { "gltf" }) } else { path };
        SaveRequest { backup: self.program.settings.backup, ..SaveRequest::to(&path) }
    }

    /// Saves a copy with the next unused number in its name.
    pub(super) fn save_incremented(&mut self, ctx: &Context) {
        match self.session.as_ref().and_then(Session::path).map(ToOwned::to_owned) {
            Some(path) => {
                self.queue_save(ctx, SaveTo::NextNumber, self.request(path), Purpose::Own)
            }
            None => self.ask_save(ctx),
        }
    }

    /// Shows the result of a save, and performs the action that waits for it.
    pub(super) fn take_saved(
        &mut self,
        ctx: &Context,
        result: Result<Box<SavedFile>, SaveFailure>,
        save: QueuedSave,
    ) {
        let shown = self.tell_saved(&save, result.as_ref().ok().map(|saved| &**saved));
        let QueuedSave { request, purpose, .. } = save;
        match result {
            Ok(saved) => {
                self.say_saved(ctx, &saved);
                if purpose == Purpose::Own && shown {
                    self.tell_tour_saved(ctx);
                    self.files.asked_disk = None;
                    self.remember(ctx, &saved.path);
                    self.show_title(ctx);
                }
                self.follow_save(ctx, purpose);
            }
            Err(failure) if shown => self.save_failed(ctx, failure, request, purpose),
            Err(failure) => {
                self.files.after_save = None;
                self.window.closes_after_work = false;
                let kept = match purpose {
                    Purpose::Own => {
                        ". The file is no longer open. Its unsaved edits can be recovered at the \
                            next start"
                    }
                    Purpose::Copy => ". The original file is no longer open",
                };
                self.toast(ctx, ToastKind::Error, format!("{failure}{kept}."));
            }
        }
    }

    /// Performs the action that waits for the saves, as soon as all saves are finished.
    fn follow_save(&mut self, ctx: &Context, purpose: Purpose) {
        let unsaved = self.session.as_ref().is_some_and(|s| s.unsaved().file);
        if self.is_saving() || (purpose == Purpose::Copy && unsaved) {
            return;
        }
        if let Some(wish) = self.files.after_save.take() {
            self.wish_without_file(ctx, wish);
        }
    }

    fn say_saved(&mut self, ctx: &Context, saved: &SavedFile) {
        let what = match saved.changes.len() {
            0 => "no changes".to_owned(),
            1 => saved.changes[0].clone(),
            n => format!("{n} values changed; all other bytes are unchanged"),
        };
        // A successful save makes messages about failed ones obsolete.
        self.dialogs.toasts.retain(|t| t.kind != ToastKind::Error || t.verbs.is_empty());
        let mut text = format!("Saved {}: {what}", name_of(&saved.path));
        for lost in &saved.lost {
            text.push_str(&format!(". {lost}"));
        }
        self.toast(ctx, ToastKind::Ok, text);
    }

    /// Handles a failed save: asks for consent if that helps, otherwise shows the error with
    /// another option.
    fn save_failed(
        &mut self,
        ctx: &Context,
        failure: SaveFailure,
        request: SaveRequest,
        purpose: Purpose,
    ) {
        let obstacle = match &failure {
            SaveFailure::Exists { .. } => Some(Obstacle::Exists),
            SaveFailure::Changed { .. } => Some(Obstacle::Changed),
            SaveFailure::Gone { .. } => Some(Obstacle::Gone),
            SaveFailure::Linked { names, .. } => Some(Obstacle::Linked(*names)),
            SaveFailure::ReadOnly { .. } => Some(Obstacle::ReadOnly),
            _ => None,
        };
        if let Some(obstacle) = obstacle {
            let copy = purpose == Purpose::Copy;
            // The window stays open for the question.
            self.window.closes_after_work = false;
            self.ask_about_refused(Dialog::SaveRefused {
                obstacle,
                request: Box::new(request),
                copy,
            });
            return;
        }
        self.files.after_save = None;
        self.window.closes_after_work = false;
        match failure {
            SaveFailure::Verify { .. } | SaveFailure::Pack { .. } => {
                let Some(session) = &self.session else { return };
                let (session, message) = (session.clone(), failure.to_string());
                self.start(ctx, "Finding the edit that cannot be saved".into(), true, move |_| {
                    JobResult::Blamed(session.unsavable_step(), request, message)
                });
            }
            failure => {
                let path = request.path.display().to_string();
                let folder = request.path.parent().map(Path::to_owned);
                let copy = purpose == Purpose::Copy;
                let elsewhere = DialogAction::SetDialog(Some(Dialog::SaveAs { path, copy }));
                let again = match purpose {
                    Purpose::Own => DialogAction::SavePath(request.path),
                    Purpose::Copy => DialogAction::SaveCopy(request.path),
                };
                let text = format!("{failure}.");
                log::warn!("{text} {failure:?}");
                let mut verbs = vec![("Save as…", elsewhere.into()), ("Try again", again.into())];
                if let (SaveFailure::Io { .. }, Some(folder)) = (&failure, folder) {
                    verbs.push(("Show folder", DialogAction::ShowFolder(folder).into()));
                }
                self.say(ctx, ToastKind::Error, text, verbs);
            }
        }
    }

    /// Shows a dialog about the step that prevents saving.
    pub(super) fn take_blamed(
        &mut self,
        ctx: &Context,
        step: Option<usize>,
        request: SaveRequest,
        message: String,
    ) {
        match step {
            Some(step) => {
                self.dialogs.open = Some(Dialog::CannotSave { step, message, path: request.path })
            }
            None => self.toast(ctx, ToastKind::Error, format!("{message}.")),
        }
    }

    /// Saves the document without one of the steps.
    pub(super) fn leave_out(&mut self, ctx: &Context, step: usize) {
        let Some(session) = &mut self.session else { return };
        let replayed = session.leave_out(step);
        self.purge_selection();
        self.say_replayed(ctx, &replayed);
        self.save(ctx);
    }

    /// Checks whether another program changed the file, whenever the window gets the focus. The
    /// user is asked once per change.
    pub(super) fn look_at_disk(&mut self, ctx: &Context) {
        let focused =
            ctx.input(|i| i.events.iter().any(|e| matches!(e, egui::Event::WindowFocused(true))));
        if !focused || self.is_saving() || self.dialogs.open.is_some() {
            return;
        }
        let Some(session) = &self.session else { return };
        let Some(path) = session.path().filter(|_| session.on_disk() == OnDisk::Changed) else {
            return;
        };
        let modified = std::fs::metadata(path).and_then(|m| m.modified()).ok();
        if self.files.asked_disk == Some(modified) {
            return;
        }
        self.files.asked_disk = Some(modified);
        if session.is_unsaved() {
            self.ask_changed(ctx, modified);
        } else {
            self.reload(ctx, false);
        }
    }

    fn ask_changed(&mut self, ctx: &Context, modified: Option<SystemTime>) {
        let written =
            modified.and_then(|m| m.elapsed().ok()).map(|d| super::recent::ago(d.as_secs()));
        self.dialogs.open =
            Some(Dialog::ChangedOnDisk { choice: ChangedOnDisk::Replay, written, outlook: None });
        let Some((session, path)) =
            self.session.clone().and_then(|s| s.path().map(ToOwned::to_owned).map(|p| (s, p)))
        else {
            return;
        };
        self.start(ctx, "Comparing with the file on disk".into(), true, move |progress| {
            JobResult::Foreseen(
                Session::open(&path, progress).map(|newer| Box::new(session.outlook(newer))),
            )
        });
    }

    /// Shows the effects of reloading in the dialog that asks about it.
    pub(super) fn take_outlook(&mut self, found: Result<Box<Outlook>, ReadError>) {
        let Some(Dialog::ChangedOnDisk { outlook, .. }) = &mut self.dialogs.open else { return };
        match found {
            Ok(found) => *outlook = Some(found),
            // If the user chooses to reload, the error is shown then.
            Err(error) => log::info!("the changed file could not be compared: {error}"),
        }
    }

    /// Reads the file again. With `replay`, the edits since it was opened are replayed on it as one
    /// step.
    pub(super) fn reload(&mut self, ctx: &Context, replay: bool) {
        self.dialogs.open = None;
        let Some(session) = &self.session else { return };
        let Some(path) = session.path().map(ToOwned::to_owned) else {
            self.open_sample(ctx);
            return;
        };
        let (older, loader) = (replay.then(|| session.clone()), self.renderer.loader());
        self.start(ctx, format!("Reading {} again", name_of(&path)), true, move |progress| {
            JobResult::Reloaded(Session::open(&path, progress).map(|mut session| {
                let replayed = older.map(|older| session.replay(&older));
                (load_whole(session, &loader), replayed)
            }))
        });
    }

    /// Shows a reloaded file, and keeps the view.
    pub(super) fn take_reloaded(
        &mut self,
        ctx: &Context,
        result: Result<(Box<Loaded>, Option<Replayed>), ReadError>,
    ) {
        let (loaded, replayed) = match result {
            Ok(loaded) => loaded,
            Err(ReadError::Canceled) => return,
            Err(error) => {
                self.toast(
                    ctx,
                    ToastKind::Error,
                    format!("The file could not be read again: {error}."),
                );
                return;
            }
        };
        let kept = (
            self.viewport.camera,
            self.outliner.selection.clone(),
            self.mode,
            self.timeline.playback.clone(),
            self.outliner.visibility.clone(),
        );
        self.show(ctx, *loaded, false);
        (
            self.viewport.camera,
            self.outliner.selection,
            self.mode,
            self.timeline.playback,
            self.outliner.visibility,
        ) = kept;
        self.timeline.playback.playing = false;
        // Ids of clips and tracks may differ in the reloaded file.
        self.outliner.selection.clear_keys();
        self.purge_selection();
        if let Some(session) = &self.session {
            let document = session.document();
            if self.timeline.playback.clip.is_none_or(|c| !document.clips.contains(c)) {
                self.timeline.playback.show(document, document.clips.ids().next());
            }
        }
        self.begin_journal(ctx);
        self.show_title(ctx);
        match replayed {
            Some(replayed) => self.say_replayed(ctx, &replayed),
            None => {
                let name = self.session.as_ref().map_or_else(String::new, Session::file_name);
                self.toast(ctx, ToastKind::Ok, format!("Reloaded {name}"));
            }
        }
    }

    /// Shows a message about edits that could not be replayed.
    pub(super) fn say_replayed(&mut self, ctx: &Context, replayed: &Replayed) {
        if replayed.failed.is_empty() {
            return;
        }
        const MOST: usize = 3;
        let count = replayed.failed.len();
        let edits = if count == 1 { "1 edit".to_owned() } else { format!("{count} edits") };
        let mut text = format!("{edits} could not be reapplied: ");
        text.push_str(&replayed.failed.iter().take(MOST).cloned().collect::<Vec<_>>().join("; "));
        if replayed.failed.len() > MOST {
            text.push_str("; and more");
        }
        self.toast(ctx, ToastKind::Error, format!("{text}."));
    }

    /// Saves despite an obstacle, after the user's consent.
    pub(super) fn save_anyway(
        &mut self,
        ctx: &Context,
        obstacle: Obstacle,
        request: SaveRequest,
        copy: bool,
    ) {
        self.dialogs.open = None;
        let mut consent: Consent = request.consent;
        match obstacle {
            Obstacle::Exists => consent.replace = true,
            Obstacle::Changed | Obstacle::Gone => consent.changed = true,
            Obstacle::Linked(_) => consent.cut_link = true,
            Obstacle::ReadOnly => {}
        }
        let purpose = if copy { Purpose::Copy } else { Purpose::Own };
        self.queue_save(ctx, SaveTo::Asked, SaveRequest { consent, ..request }, purpose);
    }

    /// Starts the journal of the open file, if preferences are stored.
    pub(super) fn begin_journal(&mut self, _: &Context) {
        if let (Some(home), Some(session)) = (self.journal_home(), &mut self.session)
            && session.journal_folder().is_none()
        {
            session.keep_journal(&home);
        }
    }

    /// Folder of the recovery journals; `None` in tests.
    pub(super) fn journal_home(&self) -> Option<PathBuf> {
        self.program.keeps.then(|| eframe::storage_dir("ulna")).flatten().map(|d| d.join("journal"))
    }

    /// Deletes the journal, because the file was saved or its changes were discarded.
    pub(super) fn end_journal(&mut self) {
        if let Some(session) = &mut self.session
            && let Err(error) = session.end_journal()
        {
            log::warn!("the journal could not be removed: {error}");
        }
    }
}
