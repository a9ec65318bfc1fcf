//! Imports clips of other files: reads the files in the background, shows the matches, and adds the
//! chosen clips as one undo step.

use std::{
    path::{Path, PathBuf},
    sync::{Arc, mpsc},
    time::Duration,
};

use egui::{ColorImage, Context};

use super::{
    App,
    import_state::{Awaited, Importing, PICTURE, Playing, Reading},
};
use crate::ui::{Dialog, ImportDraft, ImportView, Mode, PathFor, ToastKind};
use ulna_edit::command::{ClipTexts, PutClips, SessionCommand, field::CarryWay};
use ulna_formats::gltf::Progress;
use ulna_model::{Clip, Shared};
use ulna_motion::{Pose, Stack};
use ulna_session::{ClipSource, Conversion, files_meant};

impl App {
    /// Imports clips from a path. Without a path, asks for files.
    pub(super) fn import_clips(&mut self, ctx: &Context, path: Option<PathBuf>) {
        if self.session.is_none() {
            return;
        }
        match path {
            Some(path) => self.import_from(ctx, &path),
            None => {
                let beside = self.session.as_ref().and_then(|s| s.path()).and_then(Path::parent);
                let beside = beside.filter(|p| !p.as_os_str().is_empty());
                let path = beside.map_or_else(String::new, |p| {
                    format!("{}{}", p.display(), std::path::MAIN_SEPARATOR)
                });
                self.dialogs.open = Some(Dialog::path(PathFor::Import, path));
            }
        }
    }

    /// Asks for a file with weights.
    pub(super) fn ask_weights(&mut self, ctx: &Context) {
        let beside = self.session.as_ref().and_then(|s| s.path()).and_then(Path::parent);
        let beside = beside.filter(|p| !p.as_os_str().is_empty());
        let path = beside
            .map_or_else(String::new, |p| format!("{}{}", p.display(), std::path::MAIN_SEPARATOR));
        self.ask_path(ctx, PathFor::WeightsIn, Dialog::ImportWeights { path, by: None });
    }

    /// Imports the weights of a file.
    pub(super) fn import_weights(&mut self, ctx: &Context, path: PathBuf, by: Option<CarryWay>) {
        let path = Some(path);
        self.run(ctx, SessionCommand::ImportWeights { path, from: None, mesh: None, by });
    }

    /// Imports clips from a file, a folder or a file pattern.
    pub(super) fn import_from(&mut self, ctx: &Context, path: &Path) {
        match files_meant(path) {
            Ok(files) => self.read_clips(ctx, files),
            Err(error) => {
                self.toast(ctx, ToastKind::Error, format!("No clips were imported: {error}."))
            }
        }
    }

    /// Reads files in the background.
    pub(super) fn read_clips(&mut self, ctx: &Context, paths: Vec<PathBuf>) {
        self.read_clips_as(ctx, paths, None);
    }

    /// Reads files in the background. `chosen` is one file with import settings from the user.
    pub(super) fn read_clips_as(
        &mut self,
        ctx: &Context,
        paths: Vec<PathBuf>,
        chosen: Option<(PathBuf, Conversion)>,
    ) {
        if self.session.is_none() || paths.is_empty() {
            return;
        }
        self.end_gesture(ctx);
        let files = paths
            .iter()
            .flat_map(|p| files_meant(p).unwrap_or_else(|_| vec![p.clone()]))
            .collect::<Vec<_>>();
        let waiting = files
            .iter()
            .map(|p| p.file_name().unwrap_or(p.as_os_str()).to_string_lossy().into_owned())
            .collect();
        let (sender, come) = mpsc::channel();
        let stop = Arc::new(Progress::default());
        let (stopped, waker) = (Arc::clone(&stop), ctx.clone());
        let kept = chosen.clone();
        let read = move || {
            for path in files {
                let own = chosen.as_ref().filter(|(of, _)| *of == path).map(|(_, c)| c);
                let conversion = own.cloned().unwrap_or_default();
                let source = ClipSource::read(path, &conversion, &stopped);
                if stopped.reach(0.0).is_err() || sender.send(source).is_err() {
                    return;
                }
                waker.request_repaint();
            }
        };
        if let Err(error) = std::thread::Builder::new().name("clips".into()).spawn(read) {
            self.toast(
                ctx,
                ToastKind::Error,
                format!(
                    "The files could not be read: {error}. Close other programs, and try again."
                ),
            );
            return;
        }
        let Some(session) = &self.session else { return };
        let model = session.file_name();
        self.files.importing = Some(Importing {
            tree: session.document().nodes.tree().clone(),
            sources: Vec::new(),
            reading: Reading { come, stop },
            chosen: kept,
            arrivals: Vec::new(),
            view: ImportView { model, waiting, ..ImportView::default() },
            pictures: Vec::new(),
            guessed: Vec::new(),
            awaited: None,
            playing: Playing::default(),
        });
        self.fit_import(ImportDraft::default());
        ctx.request_repaint();
    }

    /// Opens the *Retarget* page with one of the imported files as the source.
    pub(super) fn adjust_import(&mut self, ctx: &Context, file: usize) {
        let Some(importing) = self.files.importing.take() else { return };
        self.dialogs.open = None;
        let Some(source) = importing.sources.get(file) else { return };
        let chosen = importing.chosen.as_ref().filter(|(path, _)| *path == source.path);
        let conversion = chosen.map(|(_, conversion)| conversion.clone()).unwrap_or_default();
        self.open_retarget(ctx, Some(source.path.clone()), conversion);
    }

    /// Matches the clips again with the current settings.
    pub(super) fn fit_import(&mut self, mut draft: ImportDraft) {
        let (Some(session), Some(importing)) = (&self.session, &mut self.files.importing) else {
            return;
        };
        let (model, waiting) = (session.file_name(), std::mem::take(&mut importing.view.waiting));
        importing.view = ImportView { model, waiting, ..ImportView::default() };
        importing.arrivals.clear();
        let document = session.document();
        for file in 0..importing.sources.len() {
            importing.fit(document, file, &draft);
        }
        importing.view.taken = document.clips.ids().map(|id| document.clip_label(id)).collect();
        importing.choose(&mut draft);
        importing.pictures.clear();
        importing.awaited = None;
        importing.playing = Playing::default();
        self.dialogs.open = Some(Dialog::Import { draft: Box::new(draft) });
    }

    /// Adds files to the dialog that were read since the last frame.
    fn take_read(&mut self, ctx: &Context) {
        let (Some(session), Some(importing)) = (&self.session, &mut self.files.importing) else {
            return;
        };
        let Some(Dialog::Import { draft }) = &mut self.dialogs.open else { return };
        loop {
            match importing.reading.come.try_recv() {
                Ok(source) => {
                    importing.sources.push(source);
                    importing.fit(session.document(), importing.sources.len() - 1, draft);
                    importing.view.waiting.remove(0);
                    ctx.request_repaint();
                }
                Err(mpsc::TryRecvError::Empty) => break,
                // All files were read, or the reading thread has ended.
                Err(mpsc::TryRecvError::Disconnected) => {
                    importing.view.waiting.clear();
                    break;
                }
            }
        }
        importing.choose(draft);
    }

    /// Adds the chosen clips to the document.
    pub(super) fn import(&mut self, ctx: &Context, draft: &ImportDraft) {
        self.dialogs.open = None;
        let Some(importing) = self.files.importing.take() else { return };
        let clips: Vec<Shared<Clip>> = importing
            .arrivals
            .into_iter()
            .enumerate()
            .filter(|(k, _)| draft.ticked.get(*k) == Some(&true))
            .map(|(k, arrival)| {
                let name =
                    draft.names.get(k).filter(|n| !n.trim().is_empty()).unwrap_or(&arrival.name);
                Shared::new(Clip { name: Some(name.as_str().into()), ..arrival.carried.clip })
            })
            .collect();
        if clips.is_empty() {
            return;
        }
        let Some(session) = &self.session else { return };
        let (before, first) =
            (session.document().clips.clone(), session.document().clips.next_id());
        self.run(ctx, PutClips { clips: ClipTexts::Clips(clips), taken: Some(draft.taken) });
        let Some(session) = &self.session else { return };
        let now = &session.document().clips;
        let count = now.ids().filter(|id| before.get(*id) != now.get(*id)).count();
        if count > 0 {
            self.timeline.playback.show(
                session.document(),
                session
                    .document()
                    .clips
                    .ids()
                    .find(|id| *id >= first)
                    .or(self.timeline.playback.clip),
            );
            self.mode = Mode::FOR_CLIPS;
            let undo =
                ("Undo", crate::ui::Action::Run(ulna_edit::command::SessionCommand::Undo.into()));
            let text = if count == 1 {
                "1 clip was imported.".to_owned()
            } else {
                format!("{count} clips were imported.")
            };
            self.say(ctx, ToastKind::Ok, text, vec![undo]);
        }
    }

    /// Updates the playing clip, and renders the next missing picture. Each row has a picture of
    /// this model in the middle of its clip.
    pub(super) fn picture_imports(&mut self, ctx: &Context) {
        let is_its = |i: &Importing| {
            self.session
                .as_ref()
                .is_some_and(|s| Shared::ptr_eq(s.document().nodes.tree(), &i.tree))
        };
        if matches!(self.dialogs.open, Some(Dialog::Import { .. }))
            && !self.files.importing.as_ref().is_some_and(is_its)
        {
            // Another file was opened, so the matches are invalid.
            self.dialogs.open = None;
        }
        self.take_read(ctx);
        let Some(Dialog::Import { draft }) = &self.dialogs.open else {
            // The dialog was closed, so its clips are discarded.
            self.files.importing = None;
            return;
        };
        let (shown, still) = (draft.shown, draft.still);
        let (Some(session), Some(importing)) = (&self.session, &mut self.files.importing) else {
            return;
        };
        importing.play(session.document(), ctx.input(|i| i.time), shown, still);
        if !still {
            ctx.request_repaint_after(Duration::from_millis(33));
        }
        if let Some((of, capture)) = importing.awaited.take() {
            match self.renderer.poll_picture(&capture) {
                Ok(None) => {
                    importing.awaited = Some((of, capture));
                    ctx.request_repaint_after(Duration::from_millis(30));
                    return;
                }
                Ok(Some(picture)) => {
                    let size = [picture.width() as usize, picture.height() as usize];
                    let image = ColorImage::from_rgba_unmultiplied(size, picture.as_raw());
                    importing.take_picture(ctx, of, image);
                }
                Err(error) => {
                    log::warn!("a clip has no picture: {error}");
                    if let Awaited::Row(row) = of
                        && let Some(row) = importing.view.rows.get_mut(row)
                    {
                        row.picture = Some(None);
                    }
                }
            }
            let was_row = matches!(of, Awaited::Row(_));
            ctx.request_repaint();
            if was_row && importing.begin_now(&mut self.renderer, session.document()) {
                return;
            }
        }
        if !self.renderer.shows_picture() || session.history().is_open() {
            return;
        }
        let Some(row) = importing.view.rows.iter().position(|r| r.picture.is_none()) else {
            importing.begin_now(&mut self.renderer, session.document());
            return;
        };
        let clip = Shared::new(importing.arrivals[row].carried.clip.clone());
        let middle = f64::from(clip.length()) * 0.5;
        let pose = Pose::evaluate(session.document(), &Stack::of(Some(&clip), middle));
        match self.renderer.begin_pose_picture(session.document(), &pose, None, PICTURE) {
            Some(capture) => importing.awaited = Some((Awaited::Row(row), capture)),
            None => importing.view.rows[row].picture = Some(None),
        }
        ctx.request_repaint();
    }

    /// Opens a file in a new window.
    pub(super) fn open_apart(&mut self, ctx: &Context, path: &Path) {
        let started = std::env::current_exe().and_then(|program| {
            let mut other =
                std::process::Command::new(program).arg(std::path::absolute(path)?).spawn()?;
            // Waiting for the child process removes it from the system's process table.
            std::thread::Builder::new()
                .name("other window".into())
                .spawn(move || other.wait())
                .map(|_| ())
        });
        if let Err(error) = started {
            let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
            self.toast(
                ctx,
                ToastKind::Error,
                format!("{name} could not be opened in a new window: {error}."),
            );
        }
    }
}
