//! Long work beside the window: opening and saving, with progress, and opening can be cancelled.

use std::{
    path::PathBuf,
    sync::{Arc, mpsc},
    thread,
};

use egui::Context;

use super::{App, SAMPLE, recent};
use crate::{
    edit::{Mode, Selection},
    formats::gltf::{Progress, ReadError},
    model::Diagnostic,
    motion::{Sampling, WorstPose},
    render::{Axis, Camera, Decoded, decode_images},
    session::{Playback, SaveFailure, Session},
    ui::{ToastKind, Wish},
};

/// Work that is under way.
pub(super) struct Job {
    pub label: String,
    pub progress: Arc<Progress>,
    pub cancellable: bool,
    result: mpsc::Receiver<Done>,
}

/// A session with its images decoded and what is odd about them.
type Loaded = (Session, Vec<Decoded>, Vec<Diagnostic>);

enum Done {
    Opened(Result<Box<Loaded>, ReadError>, Option<PathBuf>),
    Saved(Result<Vec<String>, SaveFailure>, PathBuf, u64),
    /// Nothing where it was cancelled; for the document of this number.
    Searched(Option<Box<WorstPose>>, u64),
}

impl App {
    /// Opens a file beside the window.
    pub(super) fn open(&mut self, ctx: &Context, path: PathBuf) {
        let name = path.file_name().map_or_else(|| path.display().to_string(), |n| n.to_string_lossy().into_owned());
        let target = path.clone();
        self.start(ctx, format!("Opening {name}"), true, move |progress| {
            let session = Session::open(&target, progress);
            Done::Opened(session.map(load), Some(target))
        });
    }

    /// Opens the bundled sample.
    pub(super) fn open_sample(&mut self, ctx: &Context) {
        self.start(ctx, "Opening the sample".into(), false, |_| {
            Done::Opened(Session::open_bytes(SAMPLE).map(load), None)
        });
    }

    /// Saves beside the window; the document may go on changing meanwhile.
    pub(super) fn save_to(&mut self, ctx: &Context, path: PathBuf) {
        let Some(session) = self.session.clone() else { return };
        let revision = session.history().revision();
        let name = path.file_name().map_or_else(|| path.display().to_string(), |n| n.to_string_lossy().into_owned());
        self.start(ctx, format!("Saving {name}"), false, move |_| Done::Saved(session.write_to(&path), path, revision));
    }

    /// Looks for the worst pose of every vertex.
    pub(super) fn search_worst(&mut self, ctx: &Context) {
        let Some(session) = &self.session else { return };
        let (document, serial) = (session.document().clone(), self.stage.scene_serial());
        self.start(ctx, "Looking for the worst pose".into(), true, move |progress| {
            let (cancel, permille) = progress.parts();
            let found = WorstPose::search(&document, &Sampling::default(), cancel, permille);
            Done::Searched(found.map(Box::new), serial)
        });
    }

    fn start(
        &mut self,
        ctx: &Context,
        label: String,
        cancellable: bool,
        work: impl FnOnce(&Progress) -> Done + Send + 'static,
    ) {
        if self.job.is_some() {
            self.toast(ctx, ToastKind::Error, "Something else is still under way. Wait for it, or cancel it.");
            return;
        }
        let progress = Arc::new(Progress::default());
        let (sender, result) = mpsc::sync_channel(1);
        let (shared, waker) = (progress.clone(), ctx.clone());
        let spawned = thread::Builder::new().name("ulna job".into()).spawn(move || {
            let done = work(&shared);
            // The window may be gone by now; then nobody waits for it.
            if sender.send(done).is_ok() {
                waker.request_repaint();
            }
        });
        match spawned {
            Ok(_) => self.job = Some(Job { label, progress, cancellable, result }),
            Err(error) => self.toast(ctx, ToastKind::Error, format!("{label} could not be started: {error}.")),
        }
    }

    /// Takes up what is done.
    pub(super) fn poll_jobs(&mut self, ctx: &Context) {
        let Some(job) = &self.job else { return };
        match job.result.try_recv() {
            Err(mpsc::TryRecvError::Empty) => {
                ctx.request_repaint_after(std::time::Duration::from_millis(60));
                return;
            }
            Err(mpsc::TryRecvError::Disconnected) => {
                let label = job.label.clone();
                self.job = None;
                self.toast(
                    ctx,
                    ToastKind::Error,
                    format!("{label} failed. This is a fault of Ulna; what is open is unchanged."),
                );
                return;
            }
            Ok(done) => {
                self.job = None;
                self.take(ctx, done);
            }
        }
        ctx.request_repaint();
    }

    fn take(&mut self, ctx: &Context, done: Done) {
        match done {
            Done::Opened(Ok(loaded), path) => {
                self.show(*loaded, path.is_none());
                if let Some(path) = path {
                    self.remember(&path);
                }
                self.show_title(ctx);
            }
            Done::Opened(Err(ReadError::Cancelled), _) => {}
            Done::Opened(Err(error), path) => {
                let name = path.map_or_else(|| "The sample".into(), |p| p.display().to_string());
                self.toast(ctx, ToastKind::Error, format!("{name} was not opened: {error}."));
            }
            Done::Saved(Ok(changes), path, revision) => {
                if let Some(session) = &mut self.session {
                    session.saved_as(path.clone(), revision);
                }
                let name = path.file_name().map_or_else(Default::default, |n| n.to_string_lossy().into_owned());
                let what = match changes.len() {
                    0 => "nothing in it changed".to_owned(),
                    1 => changes[0].clone(),
                    n => format!("{n} places changed, everything else as it was"),
                };
                self.toast(ctx, ToastKind::Ok, format!("Saved {name}: {what}"));
                self.remember(&path);
                self.show_title(ctx);
                if let Some(wish) = self.after_save.take() {
                    self.fulfil(ctx, wish);
                }
            }
            Done::Searched(found, serial) => {
                if let Some(found) = found.filter(|_| serial == self.stage.scene_serial()) {
                    self.painting.take_worst(*found);
                }
            }
            Done::Saved(Err(error), ..) => {
                self.after_save = None;
                self.toast(ctx, ToastKind::Error, format!("{error}."));
            }
        }
    }

    /// Shows another document; the sample plays.
    fn show(&mut self, (session, images, findings): Loaded, sample: bool) {
        let document = session.document();
        self.selection = Selection::default();
        self.marks = Default::default();
        self.about = None;
        self.hover = None;
        self.welcome = false;
        self.looked_through = None;
        self.glide = None;
        self.panels.reset();
        self.painting.reset();
        self.playback = Playback::default();
        let walk = document.clips.iter().find(|(_, c)| sample && c.name.as_deref() == Some("Walk")).map(|(id, _)| *id);
        self.playback.show(document, walk.or_else(|| document.clips.keys().next().copied()));
        self.mode = if document.clips.is_empty() { Mode::Pose } else { Mode::Animate };
        self.playback.playing = sample;
        self.problems = session.diagnostics.iter().cloned().chain(findings).collect();
        self.problems.sort_by_key(|d| std::cmp::Reverse(d.severity));
        let bounds = self.stage.load(document, images);
        self.camera = Camera { fov: self.settings.fov.to_radians(), ..Camera::default() };
        self.camera.look(Axis::ThreeQuarter);
        if let Some((low, high)) = bounds {
            let size = self.stage.size();
            self.camera.frame(low, high, size.x / size.y);
        }
        self.session = Some(session);
    }

    /// Puts a file at the head of the recent ones, and has its picture taken.
    fn remember(&mut self, path: &std::path::Path) {
        let Some(document) = self.session.as_ref().map(Session::document) else { return };
        let joints = document.joint_flags().into_iter().filter(|j| *j).count();
        let many = |n: usize, what: &str| match n {
            0 => format!("no {what}s"),
            1 => format!("1 {what}"),
            n => format!("{n} {what}s"),
        };
        let facts = format!("{} · {}", many(joints, "joint"), many(document.clips.len(), "clip"));
        let path = recent::remember(&mut self.preferences.recent, path, facts);
        self.picture_of = self.keeps.then_some(path);
    }

    /// Takes the picture of a file for the welcome page, when it is shown first.
    pub(super) fn take_picture(&mut self) {
        if self.picture_of.is_none() || self.job.is_some() {
            return;
        }
        let (Some(path), Some(session)) = (self.picture_of.take(), &self.session) else { return };
        if let Some(picture) = self.stage.picture(session.document(), recent::PICTURE) {
            self.recent.forget_picture(&path);
            recent::store_picture(&path, picture);
        }
    }

    fn show_title(&self, ctx: &Context) {
        let name = self.session.as_ref().map_or_else(String::new, |s| format!("{} – ", s.file_name()));
        ctx.send_viewport_cmd(egui::ViewportCommand::Title(format!("{name}Ulna")));
    }

    /// Does what was wanted, now that nothing is in its way.
    pub(super) fn fulfil(&mut self, ctx: &Context, wish: Wish) {
        match wish {
            Wish::Quit => {
                self.may_close = true;
                ctx.send_viewport_cmd(egui::ViewportCommand::Close);
            }
            Wish::Open(path) => self.open(ctx, path),
            Wish::Sample => self.open_sample(ctx),
            Wish::AskOpen => self.ask_open(ctx),
        }
    }
}

fn load(session: Session) -> Box<Loaded> {
    let (images, findings) = decode_images(session.document());
    Box::new((session, images, findings))
}
