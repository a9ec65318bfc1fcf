//! Bringing clips of other files in: reading them beside the window, what they come to here with a
//! picture of each, and putting the chosen ones in as one step.

use std::{
    path::{Path, PathBuf},
    sync::{Arc, mpsc},
    time::Duration,
};

use egui::{ColorImage, Context, TextureHandle, TextureOptions};

use glam::Vec3;

use super::{App, viewport_renderer::ViewportRenderer};
use crate::ui::{
    Dialog, ImportDraft, ImportFile, ImportMoment, ImportRow, ImportView, PathFor, ToastKind,
};
use ulna_edit::{
    Mode,
    command::{ClipTexts, PutClips},
};
use ulna_formats::gltf::Progress;
use ulna_model::{Clip, Document, NodeId, Shared, Tree};
use ulna_motion::{Evaluator, Pose, Stack};
use ulna_render::Capture;
use ulna_session::{Arrival, ClipSource, Conversion, ImportOptions, arrivals, files_meant};

/// Pixels of a picture: twice the points of the large one.
const PICTURE: [u32; 2] = [592, 360];

/// Clips of other files that are being chosen from.
pub(super) struct Importing {
    /// Of the document that they are fitted to: another file has another.
    tree: Shared<Tree>,
    /// Those that were read, in the order in which they were asked for.
    sources: Vec<ClipSource>,
    reading: Reading,
    /// One a row.
    arrivals: Vec<Arrival>,
    /// As panels see it.
    pub view: ImportView,
    pictures: Vec<TextureHandle>,
    /// Joints that were found otherwise than by the same name, as nobody said anything yet; by
    /// file.
    guessed: Vec<Vec<(String, NodeId)>>,
    /// A picture that is on its way.
    awaited: Option<(Awaited, Capture)>,
    playing: Playing,
}

/// Files that are being read beside the window; given up where nobody waits for them any more.
struct Reading {
    come: mpsc::Receiver<ClipSource>,
    stop: Arc<Progress>,
}

impl Drop for Reading {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

/// What a picture is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Awaited {
    /// The middle of a row's clip.
    Row(usize),
    /// The moment that is looked at, of a row.
    Now(usize),
}

/// The clip that is looked at.
#[derive(Default)]
struct Playing {
    row: Option<usize>,
    /// When it was at 0, seconds on the window's clock.
    begun: f64,
    /// It, as it would be here.
    clip: Shared<Clip>,
    /// How far it came before it stood still.
    stands_at: f32,
    /// This model, and the clip's own, laid out for playing.
    evaluators: [Evaluator; 2],
    poses: [Pose; 2],
    /// How far joints are from their middle, over the whole clip.
    reaches: [f32; 2],
    texture: Option<TextureHandle>,
    is_drawn: bool,
}

/// The middle of all joints.
fn middle(document: &Document, pose: &Pose) -> Vec3 {
    let is_joint = document.joint_flags();
    let places = document
        .node_ids()
        .filter(|n| is_joint[n.index()])
        .map(|n| pose.world[n.index()].w_axis.truncate());
    let (sum, count) =
        places.filter(|p| p.is_finite()).fold((Vec3::ZERO, 0.0), |(s, c), p| (s + p, c + 1.0));
    if count > 0.0 { sum / count } else { Vec3::ZERO }
}

/// How far joints are from the middle of all at most, at a few moments of a clip.
fn reach(document: &Document, clip: &Shared<Clip>) -> f32 {
    const MOMENTS: u32 = 8;
    let moments =
        (0..=MOMENTS).map(|k| f64::from(clip.length()) * f64::from(k) / f64::from(MOMENTS));
    let is_joint = document.joint_flags();
    moments.fold(1e-3, |most: f32, time| {
        let pose = Pose::evaluate(document, &Stack::of(Some(clip), time));
        let at = middle(document, &pose);
        let joints = document.node_ids().filter(|n| is_joint[n.index()]);
        let far = joints
            .map(|n| pose.world[n.index()].w_axis.truncate().distance(at))
            .filter(|d| d.is_finite());
        far.fold(most, f32::max)
    })
}

/// The bones of a skeleton, a little from its left, about its middle; in parts of twice its reach.
fn bones(document: &Document, pose: &Pose, reach: f32) -> Vec<[[f32; 2]; 2]> {
    /// How far to its side it is looked at, radians.
    const ASIDE: f32 = 0.5;
    let middle = middle(document, pose);
    let is_joint = document.joint_flags();
    let place = |n: NodeId| {
        let at = pose.world[n.index()].w_axis.truncate() - middle;
        [at.x * ASIDE.cos() - at.z * ASIDE.sin(), at.y]
    };
    let bone = |n: &NodeId| {
        let parent = document.node(*n).parent.filter(|p| is_joint[p.index()])?;
        Some([place(parent), place(*n)]).filter(|b| b.iter().flatten().all(|v| v.is_finite()))
    };
    let size = 2.0 * reach;
    let joints = document.nodes.order().iter().filter(|n| is_joint[n.index()]);
    joints.filter_map(bone).map(|ends| ends.map(|at| at.map(|v| v / size))).collect()
}

impl App {
    /// Asks for files, or takes those that are named.
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

    /// Takes a file, a folder or a pattern.
    pub(super) fn import_from(&mut self, ctx: &Context, path: &Path) {
        match files_meant(path) {
            Ok(files) => self.read_clips(ctx, files),
            Err(error) => {
                self.toast(ctx, ToastKind::Error, format!("No clips were imported: {error}."))
            }
        }
    }

    /// Reads files beside the window.
    pub(super) fn read_clips(&mut self, ctx: &Context, paths: Vec<PathBuf>) {
        self.read_clips_as(ctx, paths, Conversion::default());
    }

    /// The same, those of other formats as they are to be taken.
    pub(super) fn read_clips_as(
        &mut self,
        ctx: &Context,
        paths: Vec<PathBuf>,
        conversion: Conversion,
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
        let read = move || {
            for path in files {
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

    /// Works out what the clips come to as it is chosen now.
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

    /// Takes up the files that were read since.
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
                // All were read; or the one that reads is gone, and nothing more comes.
                Err(mpsc::TryRecvError::Disconnected) => {
                    importing.view.waiting.clear();
                    break;
                }
            }
        }
        importing.choose(draft);
    }

    /// Puts the chosen clips in.
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
            self.mode = Mode::Animate;
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

    /// Plays the clip that is looked at, and takes the next picture that is missing, one at a time:
    /// this model in the middle of each clip.
    pub(super) fn picture_imports(&mut self, ctx: &Context) {
        let is_its = |i: &Importing| {
            self.session
                .as_ref()
                .is_some_and(|s| Shared::ptr_eq(s.document().nodes.tree(), &i.tree))
        };
        if matches!(self.dialogs.open, Some(Dialog::Import { .. }))
            && !self.files.importing.as_ref().is_some_and(is_its)
        {
            // Another file is open now.
            self.dialogs.open = None;
        }
        self.take_read(ctx);
        let Some(Dialog::Import { draft }) = &self.dialogs.open else {
            // What was looked at and not taken is not kept.
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

    /// Opens a file in a window of its own.
    pub(super) fn open_apart(&mut self, ctx: &Context, path: &Path) {
        let started = std::env::current_exe().and_then(|program| {
            let mut other =
                std::process::Command::new(program).arg(std::path::absolute(path)?).spawn()?;
            // Somebody has to wait for it, or it would stay in the system's list when it ends.
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

impl Importing {
    /// Adds what a file comes to.
    fn fit(&mut self, document: &Document, file: usize, draft: &ImportDraft) {
        let source = &self.sources[file];
        let (name, path) = (source.name(), source.path.clone());
        let theirs = match &source.document {
            Ok(theirs) => Arc::clone(theirs),
            Err(error) => {
                let fault = Some(format!("{error}."));
                self.view.files.push(ImportFile { name, fault, ..ImportFile::default() });
                if self.guessed.len() == file {
                    self.guessed.push(Vec::new());
                }
                return;
            }
        };
        let options = ImportOptions { how: draft.how.into(), chosen: draft.by_hand.clone() };
        let (fit, made) = arrivals(document, &theirs, &path, &options);
        let fault = made.is_empty().then(|| "The file has no clips.".to_owned());
        if self.guessed.len() == file {
            self.guessed.push(fit.guessed.clone());
        }
        let guessed = self.guessed[file].clone();
        let mut asked = fit.unmatched.clone();
        asked.extend(
            theirs
                .node_ids()
                .map(|n| theirs.node(n).label(n))
                .filter(|l| draft.by_hand.contains_key(l)),
        );
        asked.retain(|name| guessed.iter().all(|(guess, _)| guess != name));
        asked.sort();
        asked.dedup();
        for arrival in made {
            let clip = &arrival.carried.clip;
            let nothing = clip.tracks.is_empty();
            self.view.rows.push(ImportRow {
                file,
                length: clip.length(),
                fps: theirs.clips[arrival.id]
                    .guess_fps()
                    .filter(|(_, share)| *share > 0.8)
                    .map(|(fps, _)| fps as f32),
                keys: clip.key_count(),
                bytes: clip.tracks.values().map(|t| t.values.len() * 4).sum(),
                lost: arrival.lost.iter().chain(&arrival.lost_targets).cloned().collect(),
                resampled: arrival.carried.resampled.len(),
                is_other: fit.is_other() || nothing,
                is_empty: nothing,
                picture: None,
            });
            self.view.names.push(arrival.name.clone());
            self.arrivals.push(arrival);
        }
        self.view.files.push(ImportFile {
            name,
            fit: Some(fit),
            fault,
            path: Some(path),
            asked,
            guessed,
        });
    }

    /// Chooses what rows are at first that are not in a draft yet.
    fn choose(&self, draft: &mut ImportDraft) {
        let known = draft.ticked.len().min(self.view.rows.len());
        draft.ticked.truncate(known);
        draft.names.truncate(known);
        draft.ticked.extend(self.view.rows[known..].iter().map(|r| !r.is_other));
        draft.names.extend_from_slice(&self.view.names[known..]);
    }

    /// Goes to the moment that is looked at now.
    fn play(&mut self, document: &Document, now: f64, row: usize, still: bool) {
        let Some(arrival) = self.arrivals.get(row) else { return };
        let file = self.view.rows[row].file;
        let Some(theirs) = self.sources.get(file).and_then(|s| s.document.as_ref().ok()) else {
            return;
        };
        let own = &theirs.clips[arrival.id];
        let playing = &mut self.playing;
        if playing.row != Some(row) {
            let clip = Shared::new(arrival.carried.clip.clone());
            *playing = Playing {
                row: Some(row),
                begun: now,
                reaches: [reach(document, &clip), reach(theirs, own)],
                clip,
                texture: playing.texture.take(),
                ..Playing::default()
            };
        }
        let length = f64::from(own.length());
        if still {
            playing.begun = now - f64::from(playing.stands_at);
        }
        let gone = (now - playing.begun).max(0.0);
        let time = if length > 0.0 { gone % length } else { 0.0 };
        playing.stands_at = time as f32;
        let stacks = [(document, &playing.clip), (&**theirs, own)];
        for (k, (document, clip)) in stacks.into_iter().enumerate() {
            playing.evaluators[k].update(
                document,
                &Stack::of(Some(clip), time),
                &mut playing.poses[k],
            );
        }
        self.view.now = ImportMoment {
            row,
            time: time as f32,
            picture: playing.texture.as_ref().filter(|_| playing.is_drawn).map(TextureHandle::id),
            bones: bones(theirs, &playing.poses[1], playing.reaches[1]),
        };
    }

    /// Begins a picture of the moment that is looked at; whether there is one.
    fn begin_now(&mut self, renderer: &mut ViewportRenderer, document: &Document) -> bool {
        let Some(row) = self.playing.row else { return false };
        let pose = &self.playing.poses[0];
        // The same all around, so that nothing is cut off where it turns: a cube in the ball that
        // the joints keep to, since nothing is at all of its corners. The skin lies around the
        // joints.
        let (at, half) = (middle(document, pose), Vec3::splat(self.playing.reaches[0] * 0.72));
        let capture =
            renderer.begin_pose_picture(document, pose, Some((at - half, at + half)), PICTURE);
        self.awaited = capture.map(|capture| (Awaited::Now(row), capture));
        self.awaited.is_some()
    }

    fn take_picture(&mut self, ctx: &Context, of: Awaited, image: ColorImage) {
        match of {
            Awaited::Row(row) => {
                let texture =
                    ctx.load_texture(format!("import {row}"), image, TextureOptions::LINEAR);
                if let Some(row) = self.view.rows.get_mut(row) {
                    row.picture = Some(Some(texture.id()));
                }
                self.pictures.push(texture);
            }
            Awaited::Now(row) if self.playing.row == Some(row) => {
                match &mut self.playing.texture {
                    Some(texture) => texture.set(image, TextureOptions::LINEAR),
                    None => {
                        self.playing.texture =
                            Some(ctx.load_texture("import now", image, TextureOptions::LINEAR));
                    }
                }
                self.playing.is_drawn = true;
            }
            Awaited::Now(_) => {}
        }
    }
}
