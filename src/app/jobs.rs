//! Long work beside the window, in two lanes: saving has one of its own and never waits for
//! anything else; the rest waits in line. All of it shows how far it is, and can be canceled where
//! that loses nothing.

use std::{
    collections::VecDeque,
    path::PathBuf,
    sync::{Arc, mpsc},
    thread,
};

use egui::Context;

use super::{
    App, LONG, SAMPLE, recent,
    save_queue::QueuedSave,
    viewport_renderer::{Loader, Posed, Uploaded},
};
use crate::ui::{Action, Compare, DeferredAction, ToastKind};
use ulna_edit::{Mode, Selection, command::BrushCommand};
use ulna_formats::gltf::{Progress, ReadError};
use ulna_model::{Diagnostic, Document, Shared, Tree};
use ulna_motion::{BestSeam, Sampling, WorstPose};
use ulna_render::{Axis, Camera, Decoded, FilmError, decode_images};
use ulna_session::{
    ExportFailure, ExportRequest, Exported, Outlook, Playback, RecoveryError, Replayed, SaveError,
    SaveFailure, SaveRequest, SavedFile, Session, Worked,
};

/// Work that is under way.
pub(super) struct Job {
    pub label: String,
    pub progress: Arc<Progress>,
    pub cancelable: bool,
    /// Whether it writes files that a person asked for: the window does not close before it is
    /// done.
    writes: bool,
    result: mpsc::Receiver<Done>,
}

/// What a look at a lane found.
enum Polled {
    Nothing,
    UnderWay,
    Done(Box<Done>),
    /// The thread is gone without a word.
    Lost(String),
}

/// A session that is ready to be shown.
pub(super) struct Loaded {
    pub session: Session,
    posed: Posed,
    /// What is odd about its images, where it is on the device already.
    uploaded: Option<(Uploaded, Vec<Diagnostic>)>,
}

/// A document's scene, made anew.
pub(super) struct Remade {
    /// Its number.
    serial: u64,
    /// Where its surface may be another, too.
    posed: Option<Posed>,
    uploaded: Uploaded,
    /// What is odd about its images, where they were decoded anew.
    findings: Option<Vec<Diagnostic>>,
}

pub(super) enum Done {
    /// A file of another format, read as it says it is.
    Found(Box<Loaded>),
    Opened(Result<Box<Loaded>, ReadError>, Option<PathBuf>),
    Saved(Result<Box<SavedFile>, SaveFailure>, QueuedSave),
    /// Nothing where it was canceled; for the document of this number.
    Searched(Option<Box<WorstPose>>, u64),
    /// What saving would change, and what differs in meaning.
    Listed(Result<Vec<String>, SaveError>),
    /// What was exported, and as what it was asked for.
    Exported(Result<Exported, ExportFailure>, ExportRequest),
    /// Pictures of a clip.
    Filmed(Result<Vec<PathBuf>, FilmError>),
    /// Where clips are best left for each other; nothing where it was canceled. For the document
    /// with this tree.
    Seams(Option<Vec<BestSeam>>, Shared<Tree>),
    /// A command that takes long, and how it is told.
    Worked(Box<Worked>, Title),
    /// The file as it is on disk now, with what came of doing the edits again.
    Reloaded(Result<(Box<Loaded>, Option<Replayed>), ReadError>),
    /// What a crash left behind.
    Recovered(Result<(Box<Loaded>, Redone), RecoveryError>, String),
    /// What would come of reloading the file, which was written at this time.
    Foreseen(Result<Box<Outlook>, ReadError>),
    /// Another scene for the document.
    Remade(Box<Remade>),
    /// Which step keeps the document from being saved, and why it is not.
    Blamed(Option<usize>, SaveRequest, String),
}

/// What of a journal could not be done again, and whether that was on another file.
pub(super) struct Redone {
    pub failed: Vec<String>,
    pub changed: bool,
}

/// What a save is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    /// The file becomes the document's own.
    Own,
    /// The document stays with its file.
    Copy,
}

/// Work that waits for its turn.
struct Waiting {
    label: String,
    cancelable: bool,
    writes: bool,
    work: Box<dyn FnOnce(&Progress) -> Done + Send>,
}

/// All long work.
#[derive(Default)]
pub(super) struct Jobs {
    /// What is under way.
    pub work: Option<Job>,
    waiting: VecDeque<Waiting>,
    /// A save.
    pub save: Option<Job>,
    /// Results of long commands that ended during a gesture, in that order: they are put in when it
    /// has ended.
    pub worked: VecDeque<(Box<Worked>, Title)>,
    /// The same where the model was changed meanwhile: a person is asked what becomes of it.
    pub offered: Vec<Offered>,
}

/// The result of a long command whose model was edited meanwhile: a person chooses what becomes of
/// it.
pub(super) struct Offered {
    /// The number that buttons name it by.
    pub number: u64,
    pub worked: Box<Worked>,
    pub title: Title,
}

/// Title of commands that are worked out beside the window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Title {
    pub text: &'static str,
    /// Number of joints that they change one after the other; one message tells of all of them.
    pub joints: Option<usize>,
}

impl From<&'static str> for Title {
    fn from(text: &'static str) -> Self {
        Self { text, joints: None }
    }
}

impl Jobs {
    /// Whether anything is under way.
    pub const fn is_busy(&self) -> bool {
        self.work.is_some() || self.save.is_some()
    }

    /// Whether files are being written, or are to be, that are no saves.
    pub fn is_writing(&self) -> bool {
        self.work.as_ref().is_some_and(|job| job.writes) || self.waiting.iter().any(|w| w.writes)
    }

    /// What the status bar tells: a save first, for it is short.
    pub fn shown(&self) -> Option<&Job> {
        self.save.as_ref().or(self.work.as_ref())
    }
}

fn spawn(ctx: &Context, waiting: Waiting) -> std::io::Result<Job> {
    let progress = Arc::new(Progress::default());
    let (sender, result) = mpsc::sync_channel(1);
    let (shared, waker) = (progress.clone(), ctx.clone());
    let Waiting { label, cancelable, writes, work } = waiting;
    thread::Builder::new().name("ulna job".into()).spawn(move || {
        let done = work(&shared);
        // The window may be gone by now; then nobody waits for it.
        if sender.send(done).is_ok() {
            waker.request_repaint();
        }
    })?;
    Ok(Job { label, progress, cancelable, writes, result })
}

impl App {
    /// Opens a file beside the window.
    pub(super) fn open(&mut self, ctx: &Context, path: PathBuf) {
        let name = path
            .file_name()
            .map_or_else(|| path.display().to_string(), |n| n.to_string_lossy().into_owned());
        self.start(ctx, format!("Opening {name}"), true, move |progress| {
            match Session::open(&path, progress).map(load) {
                Ok(loaded) if loaded.session.imported().is_some() => Done::Found(loaded),
                result => Done::Opened(result, Some(path)),
            }
        });
    }

    /// Opens the bundled sample.
    pub(super) fn open_sample(&mut self, ctx: &Context) {
        self.start(ctx, "Opening the sample".into(), true, move |_| {
            Done::Opened(Session::open_bytes(SAMPLE).map(load), None)
        });
    }

    /// Has the scene made anew, for the document as it is now: beside the window where it is large.
    pub(super) fn remake_scene(&mut self, ctx: &Context) {
        let Some(session) = &self.session else { return };
        let document = session.document().clone();
        // Those that are not kept are decoded anew: without them the model would lose its textures.
        let images = self.renderer.images().filter(|kept| kept.len() == document.images.len());
        let (serial, loader) = self.renderer.remake(true);
        let small = document.meshes.values().map(|m| m.vertex_count()).sum::<usize>() <= LONG;
        if let (true, Some(images)) = (small, &images) {
            let posed = Posed::new(&document);
            let uploaded = loader.upload(&document, &posed.pose, images.clone());
            self.renderer.take_scene(serial, &document, Some(posed), uploaded);
            return;
        }
        self.start(ctx, "Loading the view".into(), false, move |_| {
            let posed = Posed::new(&document);
            let (images, findings) =
                images.map_or_else(|| decoded(&document), |images| (images, None));
            let uploaded = loader.upload(&document, &posed.pose, images);
            Done::Remade(Box::new(Remade { serial, posed: Some(posed), uploaded, findings }))
        });
    }

    /// Has the scene made for a document that was opened, or for another device, from the file's
    /// own images.
    pub(super) fn restore_scene(&mut self, ctx: &Context) {
        let Some(session) = &self.session else { return };
        let document = session.document().clone();
        // What was just opened is posed already.
        let whole = self.renderer.images().is_some();
        let (serial, loader) = self.renderer.remake(whole);
        let pose = self.renderer.pose().clone();
        self.start(ctx, "Loading the view".into(), false, move |_| {
            let posed = whole.then(|| Posed::new(&document));
            let (images, findings) = decoded(&document);
            let uploaded =
                loader.upload(&document, posed.as_ref().map_or(&pose, |p| &p.pose), images);
            Done::Remade(Box::new(Remade { serial, posed, uploaded, findings }))
        });
    }

    /// Looks for the worst pose of every vertex.
    pub(super) fn search_worst(&mut self, ctx: &Context) {
        let Some(session) = &self.session else { return };
        let (document, serial) = (session.document().clone(), self.renderer.scene_serial());
        self.start(ctx, "Searching for the worst deformation".into(), true, move |progress| {
            let (cancel, permille) = progress.parts();
            let found = WorstPose::search(&document, &Sampling::default(), cancel, permille);
            Done::Searched(found.map(Box::new), serial)
        });
    }

    /// Begins long work, or puts it in line behind what is under way.
    pub(super) fn start(
        &mut self,
        ctx: &Context,
        label: String,
        cancelable: bool,
        work: impl FnOnce(&Progress) -> Done + Send + 'static,
    ) {
        self.start_waiting(ctx, Waiting { label, cancelable, writes: false, work: Box::new(work) });
    }

    /// As [`App::start`], of work that writes files that a person asked for.
    pub(super) fn start_writing(
        &mut self,
        ctx: &Context,
        label: String,
        work: impl FnOnce(&Progress) -> Done + Send + 'static,
    ) {
        self.start_waiting(
            ctx,
            Waiting { label, cancelable: true, writes: true, work: Box::new(work) },
        );
    }

    fn start_waiting(&mut self, ctx: &Context, waiting: Waiting) {
        if self.jobs.work.is_some() {
            self.jobs.waiting.push_back(waiting);
            return;
        }
        self.jobs.work = self.spawned(ctx, waiting);
    }

    /// Begins a save; the queue sees to it that none is under way.
    pub(super) fn start_save(
        &mut self,
        ctx: &Context,
        label: String,
        work: impl FnOnce(&Progress) -> Done + Send + 'static,
    ) {
        let waiting = Waiting { label, cancelable: false, writes: true, work: Box::new(work) };
        self.jobs.save = self.spawned(ctx, waiting);
    }

    fn spawned(&mut self, ctx: &Context, waiting: Waiting) -> Option<Job> {
        let label = waiting.label.clone();
        match spawn(ctx, waiting) {
            Ok(job) => Some(job),
            Err(error) => {
                self.toast(
                    ctx,
                    ToastKind::Error,
                    format!("{label} could not be started: {error}."),
                );
                None
            }
        }
    }

    /// Stops what is under way, where that loses nothing, and forgets what waits. Work that looks
    /// at no such wish goes on to its end, and nobody takes up what it comes to.
    pub(super) fn cancel_jobs(&mut self, ctx: &Context) {
        self.jobs.waiting.retain(|w| !w.cancelable);
        if let Some(job) = self.jobs.work.take_if(|job| job.cancelable) {
            job.progress.cancel();
            self.toast(ctx, ToastKind::Note, format!("{} was canceled", job.label));
        }
    }

    /// Takes up what is done, and begins what waited.
    pub(super) fn poll_jobs(&mut self, ctx: &Context) {
        let saved = Self::poll(&mut self.jobs.save);
        let worked = Self::poll(&mut self.jobs.work);
        for polled in [saved, worked] {
            match polled {
                Polled::Nothing => {}
                Polled::UnderWay => ctx.request_repaint_after(std::time::Duration::from_millis(60)),
                Polled::Done(done) => {
                    self.take(ctx, *done);
                    ctx.request_repaint();
                }
                Polled::Lost(label) => {
                    // It may have been the scene that is waited for.
                    self.renderer.give_up_scene();
                    let text = format!(
                        "{label} failed because of an error in Ulna. The open file is unchanged."
                    );
                    self.toast(ctx, ToastKind::Error, text);
                }
            }
        }
        self.put_in_worked(ctx);
        self.follow_saves(ctx);
        if self.jobs.work.is_none()
            && let Some(waiting) = self.jobs.waiting.pop_front()
        {
            self.jobs.work = self.spawned(ctx, waiting);
        }
    }

    fn poll(lane: &mut Option<Job>) -> Polled {
        let Some(job) = lane else { return Polled::Nothing };
        match job.result.try_recv() {
            Err(mpsc::TryRecvError::Empty) => Polled::UnderWay,
            Err(mpsc::TryRecvError::Disconnected) => {
                let label = std::mem::take(&mut job.label);
                *lane = None;
                Polled::Lost(label)
            }
            Ok(done) => {
                *lane = None;
                Polled::Done(Box::new(done))
            }
        }
    }

    pub(super) fn take(&mut self, ctx: &Context, done: Done) {
        match done {
            Done::Opened(Ok(loaded), path) => {
                let others = self.files.dropped.take();
                self.show(ctx, *loaded, path.is_none());
                self.begin_journal(ctx);
                if let Some(path) = &path {
                    self.remember(path);
                }
                self.show_title(ctx);
                // Only beside the one that they were dropped with: it may not have opened, or was
                // declined.
                if let Some((_, others)) = others.filter(|(first, _)| path.as_ref() == Some(first))
                {
                    self.read_clips(ctx, others);
                }
            }
            Done::Found(loaded) => self.found(ctx, loaded),
            Done::Opened(Err(ReadError::Canceled), _) => {}
            Done::Opened(Err(error), path) => {
                let name = path.map_or_else(|| "The sample".into(), |p| p.display().to_string());
                self.toast(ctx, ToastKind::Error, format!("{name} could not be opened: {error}."));
                // Never a window of empty panels.
                if self.session.is_none() {
                    self.show_welcome(ctx);
                }
            }
            Done::Saved(result, save) => self.take_saved(ctx, result, save),
            Done::Filmed(result) => self.took_pictures(ctx, result),
            Done::Exported(result, request) => self.take_exported(ctx, result, request),
            Done::Listed(Ok(lines)) => {
                self.dialogs.open = Some(crate::ui::Dialog::Changes { lines })
            }
            Done::Listed(Err(error)) => {
                self.toast(
                    ctx,
                    ToastKind::Error,
                    format!("The changes could not be listed: {error}."),
                );
            }
            Done::Seams(found, tree) => self.take_seams(ctx, found, &tree),
            Done::Worked(worked, title) => {
                self.jobs.worked.push_back((worked, title));
                self.put_in_worked(ctx);
            }
            Done::Reloaded(result) => self.take_reloaded(ctx, result),
            Done::Recovered(result, name) => self.take_recovered(ctx, result, &name),
            Done::Blamed(step, request, message) => self.take_blamed(ctx, step, request, message),
            Done::Foreseen(found) => self.take_outlook(found),
            Done::Remade(remade) => {
                let Remade { serial, posed, uploaded, findings } = *remade;
                let Some(session) = &self.session else { return };
                if self.renderer.take_scene(serial, session.document(), posed, uploaded) {
                    self.painting.tint_anew();
                    if let Some(findings) = findings {
                        self.take_findings(findings);
                    }
                }
            }
            Done::Searched(found, serial) => {
                let Some(found) = found else { return };
                if serial == self.renderer.scene_serial() {
                    self.painting.take_worst(*found);
                } else {
                    let text = "The search result belongs to a scene that is no longer shown. \
                        Search again.";
                    let again = Action::Run(BrushCommand::Worst.into());
                    self.say(ctx, ToastKind::Error, text.to_owned(), vec![("Search again", again)]);
                }
            }
        }
    }

    /// Shows another document; the sample plays.
    pub(super) fn show(
        &mut self,
        ctx: &Context,
        Loaded { session, posed, uploaded }: Loaded,
        sample: bool,
    ) {
        // What was said of another file, and how far its lists were scrolled.
        self.dialogs.toasts.clear();
        ctx.data_mut(|d| {
            d.remove_by_type::<egui::containers::scroll_area::State>();
            d.remove_by_type::<egui::containers::panel::PanelState>();
        });
        self.part_with_session();
        self.jobs.offered.clear();
        self.timeline.leave_file();
        self.layers.forget_chosen();
        self.outliner.forget_kept();
        self.files.asked_disk = None;
        self.files.left_unkeyed.clear();
        (self.files.exported, self.files.export_draft) = (None, None);
        let document = session.document();
        self.outliner.selection = Selection::default();
        self.outliner.visibility = Default::default();
        self.outliner.sets.clear();
        self.outliner.inspected = None;
        self.outliner.hover = None;
        self.program.welcome = false;
        self.viewport.looked_through = None;
        self.viewport.compare = Compare::Edited;
        self.viewport.transition = None;
        self.panels.reset();
        self.painting.reset();
        self.timeline.playback = Playback::default();
        let walk = document
            .clips
            .iter()
            .find(|(_, c)| sample && c.name.as_deref() == Some("Walk"))
            .map(|(id, _)| id);
        self.timeline.playback.show(document, walk.or_else(|| document.clips.ids().next()));
        self.mode = if document.clips.is_empty() { Mode::Pose } else { Mode::Animate };
        self.timeline.playback.playing = sample;
        self.problems.of_images = Vec::new();
        self.problems.list = session.diagnostics.clone().into();
        let bounds = self.renderer.load(posed);
        let findings = uploaded.map_or_else(Vec::new, |(uploaded, findings)| {
            self.renderer.take_upload(document, uploaded);
            findings
        });
        self.viewport.camera =
            Camera { fov: self.program.settings.fov.to_radians(), ..Camera::default() };
        self.viewport.camera.look(Axis::ThreeQuarter);
        if let Some((low, high)) = bounds {
            let size = self.renderer.size();
            // Depth without perspective is as fine as the model is small.
            self.viewport.camera.reach = (high - low).length() * 8.0;
            self.viewport.camera.frame(low, high, size.x / size.y);
        }
        self.session = Some(session);
        self.take_findings(findings);
    }

    /// What is odd about the file's images joins what else is.
    fn take_findings(&mut self, findings: Vec<Diagnostic>) {
        self.problems.change(|list| list.extend(findings.iter().cloned()));
        self.problems.of_images = findings;
    }

    /// Puts a file at the head of the recent ones, and has its picture taken.
    pub(super) fn remember(&mut self, path: &std::path::Path) {
        let Some(document) = self.session.as_ref().map(Session::document) else { return };
        let joints = document.joint_flags().into_iter().filter(|j| *j).count();
        let many = |n: usize, what: &str| match n {
            0 => format!("no {what}s"),
            1 => format!("1 {what}"),
            n => format!("{n} {what}s"),
        };
        let facts = format!("{} · {}", many(joints, "joint"), many(document.clips.count(), "clip"));
        let path = recent::remember(&mut self.program.preferences.recent, path, facts);
        self.program.picture_of = self.program.keeps.then_some(path);
    }

    /// Takes the picture of a file for the welcome page, when it is shown first. A slow device is
    /// not waited for.
    pub(super) fn take_picture(&mut self, ctx: &Context) {
        if let Some((path, capture)) = self.program.taking.take() {
            match self.renderer.poll_picture(&capture) {
                Ok(Some(picture)) => {
                    self.program.recent.forget_picture(&path);
                    recent::store_picture(&path, picture);
                }
                Ok(None) => {
                    self.program.taking = Some((path, capture));
                    ctx.request_repaint_after(std::time::Duration::from_millis(60));
                }
                Err(error) => log::warn!("no picture of the file: {error}"),
            }
        }
        // Before its own picture there is none of it, or that of the file before.
        if self.program.picture_of.is_none()
            || self.jobs.is_busy()
            || !self.renderer.shows_picture()
        {
            return;
        }
        let (Some(path), Some(session)) = (self.program.picture_of.take(), &self.session) else {
            return;
        };
        self.program.taking = self
            .renderer
            .begin_picture(session.document(), recent::PICTURE)
            .map(|capture| (path, capture));
    }

    pub(super) fn show_title(&self, ctx: &Context) {
        let name =
            self.session.as_ref().map_or_else(String::new, |s| format!("{} – ", s.file_name()));
        ctx.send_viewport_cmd(egui::ViewportCommand::Title(format!("{name}Ulna")));
    }

    /// Does what was wanted, now that nothing is in its way.
    pub(super) fn perform(&mut self, ctx: &Context, wish: DeferredAction) {
        match wish {
            DeferredAction::Quit if self.is_writing() => {
                self.window.may_close = true;
                self.close_after_work(ctx);
            }
            DeferredAction::Quit => {
                self.window.may_close = true;
                ctx.send_viewport_cmd(egui::ViewportCommand::Close);
            }
            DeferredAction::Open(path) => self.open(ctx, path),
            DeferredAction::Sample => self.open_sample(ctx),
            DeferredAction::Revert => self.reload(ctx, false),
        }
    }
}

impl Loaded {
    /// The largest extent of all that is in it, meters.
    pub(super) fn extent(&self) -> Option<f32> {
        let (low, high) = self.posed.bounds()?;
        Some((high - low).max_element())
    }
}

/// Makes a session ready to be shown; its scene follows.
pub(super) fn load(session: Session) -> Box<Loaded> {
    Box::new(Loaded { posed: Posed::new(session.document()), session, uploaded: None })
}

/// Makes a session ready to be shown with its scene, so that the picture before it stays until
/// then.
pub(super) fn load_whole(session: Session, loader: &Loader) -> Box<Loaded> {
    let (images, findings) = decode_images(session.document());
    let posed = Posed::new(session.document());
    let uploaded = loader.upload(session.document(), &posed.pose, images.into());
    Box::new(Loaded { posed, session, uploaded: Some((uploaded, findings)) })
}

fn decoded(document: &Document) -> (Arc<[Decoded]>, Option<Vec<Diagnostic>>) {
    let (images, findings) = decode_images(document);
    (images.into(), Some(findings))
}
