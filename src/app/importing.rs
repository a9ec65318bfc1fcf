//! Bringing clips of other files in: reading them beside the window, what they come to here with a picture of each, and putting the chosen
//! ones in as one step.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use egui::{ColorImage, Context, TextureHandle, TextureOptions};

use super::{App, jobs::Done};
use crate::{
    edit::{
        Mode,
        command::{ClipTexts, PutClips},
    },
    model::{Clip, Document, NodeId, Shared},
    motion::{Pose, Stack},
    render::Capture,
    session::{Arrival, ClipSource, ImportOptions, arrivals, files_meant},
    ui::{Dialog, ImportDraft, ImportFile, ImportRow, ImportView, PathFor, ToastKind},
};

/// Pixels of a picture: twice the points of the large one.
const PICTURE: [u32; 2] = [592, 360];

/// Clips of other files that are being chosen from.
pub(super) struct Importing {
    sources: Vec<ClipSource>,
    /// One a row.
    arrivals: Vec<Arrival>,
    /// As panels see it.
    pub view: ImportView,
    pictures: Vec<TextureHandle>,
    /// A picture that is on its way, and of which row.
    awaited: Option<(usize, Capture)>,
}

/// The bones of a skeleton in the middle of a clip, a little from its left; in parts of its greatest extent about its middle.
fn bones(document: &Document, clip: &Shared<Clip>) -> Vec<[[f32; 2]; 2]> {
    /// How far to its side it is looked at, radians.
    const ASIDE: f32 = 0.5;
    let pose = Pose::evaluate(document, &Stack::of(Some(clip), f64::from(clip.length()) * 0.5));
    let is_joint = document.joint_flags();
    let place = |n: NodeId| {
        let at = pose.world[n.index()].w_axis;
        [at.x * ASIDE.cos() - at.z * ASIDE.sin(), at.y]
    };
    let bone = |n: &NodeId| {
        let parent = document.node(*n).parent.filter(|p| is_joint[p.index()])?;
        Some([place(parent), place(*n)]).filter(|b| b.iter().flatten().all(|v| v.is_finite()))
    };
    let mut made: Vec<[[f32; 2]; 2]> =
        document.nodes.order().iter().filter(|n| is_joint[n.index()]).filter_map(bone).collect();
    let (mut low, mut high) = ([f32::INFINITY; 2], [f32::NEG_INFINITY; 2]);
    for at in made.iter().flatten() {
        for k in 0..2 {
            low[k] = low[k].min(at[k]);
            high[k] = high[k].max(at[k]);
        }
    }
    let size = (high[0] - low[0]).max(high[1] - low[1]).max(1e-6);
    for at in made.iter_mut().flatten() {
        *at = [0, 1].map(|k| (at[k] - (low[k] + high[k]) * 0.5) / size);
    }
    made
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
                let path = beside.map_or_else(String::new, |p| format!("{}{}", p.display(), std::path::MAIN_SEPARATOR));
                self.dialogs.open = Some(Dialog::path(PathFor::Import, path));
            }
        }
    }

    /// Takes a file, a folder or a pattern.
    pub(super) fn import_from(&mut self, ctx: &Context, path: &Path) {
        match files_meant(path) {
            Ok(files) => self.read_clips(ctx, files),
            Err(error) => self.toast(ctx, ToastKind::Error, format!("No clips were imported: {error}.")),
        }
    }

    /// Reads files beside the window.
    pub(super) fn read_clips(&mut self, ctx: &Context, paths: Vec<PathBuf>) {
        if self.session.is_none() || paths.is_empty() {
            return;
        }
        self.end_gesture(ctx);
        let files = paths.iter().flat_map(|p| files_meant(p).unwrap_or_else(|_| vec![p.clone()])).collect::<Vec<_>>();
        let label =
            if files.len() == 1 { "Reading a file".to_owned() } else { format!("Reading {} files", files.len()) };
        self.start(ctx, label, true, move |progress| {
            let count = files.len() as f32;
            let mut sources = Vec::new();
            for (k, path) in files.into_iter().enumerate() {
                if progress.reach(k as f32 / count).is_err() {
                    break;
                }
                sources.push(ClipSource::read(path, &crate::formats::gltf::Progress::default()));
            }
            Done::ClipsRead(sources)
        });
    }

    /// Files were read: what of them comes in is asked.
    pub(super) fn take_clips(&mut self, ctx: &Context, sources: Vec<ClipSource>) {
        if self.session.is_none() || sources.is_empty() {
            return;
        }
        self.files.importing = Some(Importing {
            sources,
            arrivals: Vec::new(),
            view: ImportView::default(),
            pictures: Vec::new(),
            awaited: None,
        });
        self.fit_import(ImportDraft::default());
        ctx.request_repaint();
    }

    /// Works out what the clips come to as it is chosen now.
    pub(super) fn fit_import(&mut self, mut draft: ImportDraft) {
        let (Some(session), Some(importing)) = (&self.session, &mut self.files.importing) else { return };
        let document = session.document();
        let options = ImportOptions { how: draft.how.into(), chosen: draft.by_hand.clone() };
        let mut view = ImportView { model: session.file_name(), ..ImportView::default() };
        importing.arrivals.clear();
        for (file, source) in importing.sources.iter().enumerate() {
            let name = source.name();
            let theirs = match &source.document {
                Ok(theirs) => Arc::clone(theirs),
                Err(error) => {
                    view.files.push(ImportFile {
                        name,
                        fit: None,
                        fault: Some(format!("{error}.")),
                        asked: Vec::new(),
                    });
                    continue;
                }
            };
            let (fit, made) = arrivals(document, &theirs, &source.path, &options);
            let fault = made.is_empty().then(|| "It has no clips.".to_owned());
            let mut asked = fit.unmatched.clone();
            asked.extend(theirs.node_ids().map(|n| theirs.node(n).label(n)).filter(|l| draft.by_hand.contains_key(l)));
            asked.sort();
            asked.dedup();
            for arrival in made {
                let clip = &arrival.carried.clip;
                let nothing = clip.tracks.is_empty();
                view.rows.push(ImportRow {
                    file,
                    length: clip.length(),
                    fps: theirs.clips[arrival.id].guess_fps().filter(|(_, share)| *share > 0.8).map(|(fps, _)| fps),
                    keys: clip.key_count(),
                    bytes: clip.tracks.values().map(|t| t.values.len() * 4).sum(),
                    lost: arrival.lost.clone(),
                    resampled: arrival.carried.resampled.len(),
                    is_other: fit.is_other() || nothing,
                    is_empty: nothing,
                    picture: None,
                    bones: bones(&theirs, &theirs.clips[arrival.id]),
                });
                view.names.push(arrival.name.clone());
                importing.arrivals.push(arrival);
            }
            view.files.push(ImportFile { name, fit: Some(fit), fault, asked });
        }
        view.taken = document.clips.ids().map(|id| document.clip_label(id)).collect();
        if draft.ticked.len() != view.rows.len() {
            draft.ticked = view.rows.iter().map(|r| !r.is_other).collect();
            draft.names.clone_from(&view.names);
            draft.shown = 0;
        }
        importing.view = view;
        importing.pictures.clear();
        importing.awaited = None;
        self.dialogs.open = Some(Dialog::Import { draft: Box::new(draft) });
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
                let name = draft.names.get(k).filter(|n| !n.trim().is_empty()).unwrap_or(&arrival.name);
                Shared::new(Clip { name: Some(name.as_str().into()), ..arrival.carried.clip })
            })
            .collect();
        if clips.is_empty() {
            return;
        }
        let Some(session) = &self.session else { return };
        let (before, first) = (session.document().clips.clone(), session.document().clips.next_id());
        self.run(ctx, PutClips { clips: ClipTexts::Clips(clips), taken: Some(draft.taken) });
        let Some(session) = &self.session else { return };
        let now = &session.document().clips;
        let count = now.ids().filter(|id| before.get(*id) != now.get(*id)).count();
        if count > 0 {
            self.timeline.playback.show(
                session.document(),
                session.document().clips.ids().find(|id| *id >= first).or(self.timeline.playback.clip),
            );
            self.mode = Mode::Animate;
            let undo = ("Undo", crate::ui::Action::Run(crate::edit::command::SessionCommand::Undo.into()));
            let text =
                if count == 1 { "1 clip was imported.".to_owned() } else { format!("{count} clips were imported.") };
            self.say(ctx, ToastKind::Ok, text, vec![undo]);
        }
    }

    /// Takes the next picture that is missing, one at a time: this model in the middle of each clip.
    pub(super) fn picture_imports(&mut self, ctx: &Context) {
        let is_open = matches!(self.dialogs.open, Some(Dialog::Import { .. }));
        if !is_open {
            // What was looked at and not taken is not kept.
            self.files.importing = None;
            return;
        }
        let (Some(session), Some(importing)) = (&self.session, &mut self.files.importing) else { return };
        if let Some((row, capture)) = &importing.awaited {
            match self.renderer.poll_picture(capture) {
                Ok(None) => {
                    ctx.request_repaint_after(Duration::from_millis(30));
                    return;
                }
                Ok(Some(picture)) => {
                    let size = [picture.width() as usize, picture.height() as usize];
                    let image = ColorImage::from_rgba_unmultiplied(size, picture.as_raw());
                    let texture = ctx.load_texture(format!("import {row}"), image, TextureOptions::LINEAR);
                    if let Some(row) = importing.view.rows.get_mut(*row) {
                        row.picture = Some(Some(texture.id()));
                    }
                    importing.pictures.push(texture);
                }
                Err(error) => {
                    log::warn!("a clip has no picture: {error}");
                    if let Some(row) = importing.view.rows.get_mut(*row) {
                        row.picture = Some(None);
                    }
                }
            }
            importing.awaited = None;
            ctx.request_repaint();
            return;
        }
        if !self.renderer.shows_picture() || session.history().is_open() {
            return;
        }
        let Some(row) = importing.view.rows.iter().position(|r| r.picture.is_none()) else { return };
        let clip = Shared::new(importing.arrivals[row].carried.clip.clone());
        let middle = f64::from(clip.length()) * 0.5;
        let pose = Pose::evaluate(session.document(), &Stack::of(Some(&clip), middle));
        match self.renderer.begin_pose_picture(session.document(), &pose, PICTURE) {
            Some(capture) => importing.awaited = Some((row, capture)),
            None => importing.view.rows[row].picture = Some(None),
        }
        ctx.request_repaint();
    }
}
