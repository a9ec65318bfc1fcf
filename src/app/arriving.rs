//! Files of other formats between reading and opening: their content, and the preview of the page.

use std::{path::PathBuf, sync::Arc};

use egui_wgpu::RenderState;
use glam::{Mat4, Vec3};

use super::{
    SAMPLE,
    loading::{Loaded, load, load_whole},
    viewport_renderer::{ApartLook, Loader, PictureApart, ViewportRenderer},
};
use crate::ui::{ConvertDraft, ConvertView, FileBeside};
use ulna_formats::gltf::{Progress, ReadError};
use ulna_model::{ClipId, Document, Notice};
use ulna_motion::{Evaluator, Pose, Stack};
use ulna_session::{ClipSource, Fit, ImportOptions, Session, arrivals};

/// A file of another format that was read, with those that were chosen together with it.
pub(super) struct Arriving {
    pub(super) loaded: Box<Loaded>,
    /// The other files, in the order in which they were chosen.
    pub(super) others: Vec<ClipSource>,
    /// The same as the page lists them.
    pub(super) beside: Vec<FileBeside>,
    figure: Option<Box<Loaded>>,
    preview: Preview,
}

/// State of the pictures of the page.
#[derive(Default)]
struct Preview {
    evaluator: Evaluator,
    pose: Pose,
    /// Time at which the clip was at 0, on the window's clock.
    begun: f64,
    /// Content of the pictures of the model and of the figure.
    drawn: [Option<Drawn>; 2],
}

/// Content of a picture.
#[derive(Clone, Copy, PartialEq)]
struct Drawn {
    look: ApartLook,
    by: Mat4,
    clip: Option<ClipId>,
    time: f32,
    theme: &'static str,
}

/// Conditions under which the pictures are drawn.
pub(super) struct PreviewFrame<'a> {
    pub state: &'a RenderState,
    /// Points of the window.
    pub window: egui::Vec2,
    pub pixels_per_point: f32,
    /// Seconds on the window's clock.
    pub now: f64,
    pub theme: &'static str,
}

impl Arriving {
    /// Reads files that are opened together, the first of which was read already. The model is that
    /// of the first file with meshes; the others are for their clips.
    pub(super) fn read(
        (mut path, mut model): (PathBuf, Result<Session, ReadError>),
        others: &[PathBuf],
        loader: &Loader,
        progress: &Progress,
    ) -> Result<Self, ReadError> {
        let has_meshes = |s: &Session| !s.document().meshes.is_empty();
        let mut sources: Vec<ClipSource> = Vec::new();
        for other in others {
            progress.reach(0.0)?;
            let read = Session::open(other, progress);
            let has_model = model.as_ref().is_ok_and(has_meshes);
            let is_better =
                !has_model && read.as_ref().is_ok_and(|s| has_meshes(s) || model.is_err());
            if is_better {
                let (clips, from) = (std::mem::replace(&mut model, read), path);
                path = other.clone();
                sources.push(source(from, clips));
            } else {
                sources.push(source(other.clone(), read));
            }
        }
        let session = model?;
        let list = sources.iter().map(|s| beside_of(session.document(), s)).collect();
        if session.imported().is_none() {
            return Ok(Self::new(load(session), sources, list, None));
        }
        let figure = Session::open_bytes(SAMPLE).map(|sample| load_whole(sample, loader));
        Ok(Self::new(load_whole(session, loader), sources, list, figure.ok()))
    }

    fn new(
        loaded: Box<Loaded>,
        others: Vec<ClipSource>,
        beside: Vec<FileBeside>,
        figure: Option<Box<Loaded>>,
    ) -> Self {
        Self { loaded, others, beside, figure, preview: Preview::default() }
    }

    /// The pictures that were drawn of it, as panels see them.
    pub(super) fn view(&self, [model, figure]: &[PictureApart; 2]) -> ConvertView {
        let [model_drawn, figure_drawn] = self.preview.drawn.map(|d| d.is_some());
        ConvertView {
            picture: model.texture().filter(|_| model_drawn),
            figure: figure.texture().filter(|_| figure_drawn),
        }
    }

    /// Has the pictures drawn again, on another device.
    pub(super) fn forget_pictures(&mut self) {
        self.preview.drawn = [None; 2];
    }

    /// The clip of the document that a clip of the findings became.
    fn clip_of(&self, draft: &ConvertDraft, clip: usize) -> Option<ClipId> {
        let taken = |k: &usize| match &draft.read_as.clips {
            Some(chosen) => chosen.contains(k),
            None => draft.found.clips[*k].moves,
        };
        let document = self.loaded.session.document();
        let place = (0..draft.found.clips.len()).filter(taken).position(|k| k == clip)?;
        document.clips.ids().nth(place)
    }

    /// Draws what changed. Whether it moves, and is to be drawn once more.
    pub(super) fn draw(
        &mut self,
        renderer: &mut ViewportRenderer,
        pictures: &mut [PictureApart; 2],
        draft: &ConvertDraft,
        frame: &PreviewFrame<'_>,
    ) -> bool {
        let size = draft.preview_size(frame.window);
        let pixels =
            [size.x, size.y].map(|s| (s * frame.pixels_per_point).round().clamp(1.0, 4096.0));
        let camera = draft.camera(size.x / size.y);
        let extent = draft.extent().map_or(1.0, |[low, high]| (high - low).length());
        let clip = draft.preview.clip.and_then(|k| self.clip_of(draft, k));
        let document = self.loaded.session.document().clone();
        let length = clip.map_or(0.0, |id| f64::from(document.clips[id].length()));
        let plays = draft.preview.plays && length > 0.0 && !renderer.is_slow_for(&document);
        let preview = &mut self.preview;
        if preview.drawn[0].is_none_or(|d| d.clip != clip) {
            preview.begun = frame.now;
        }
        let before = preview.drawn[0].filter(|d| d.clip == clip).map_or(0.0, |d| d.time);
        if !plays {
            preview.begun = frame.now - f64::from(before);
        }
        let time = if length > 0.0 { (frame.now - preview.begun).max(0.0) % length } else { 0.0 };
        let is_bare = document.meshes.is_empty();
        let look = ApartLook {
            camera,
            size: pixels.map(|p| p as u32),
            scale: frame.pixels_per_point,
            textured: draft.preview.textured,
            joints: draft.preview.joints || is_bare,
            extent: extent.max(if draft.preview.figure { ConvertDraft::FIGURE } else { 0.0 }),
        };
        let by = draft.change();
        let drawn = Drawn { look, by, clip, time: time as f32, theme: frame.theme };
        let Loaded { posed, uploaded, .. } = &mut *self.loaded;
        if let (true, Some((uploaded, _))) = (preview.drawn[0] != Some(drawn), uploaded) {
            let stack = Stack::of(clip.map(|id| &document.clips[id]), time);
            preview.evaluator.update(&document, &stack, &mut preview.pose);
            let mut pose = preview.pose.clone();
            pose.world.iter_mut().for_each(|w| *w = by * *w);
            let of = (&document, &*posed, uploaded);
            if renderer.draw_apart(frame.state, &mut pictures[0], of, &pose, &look) {
                preview.drawn[0] = Some(drawn);
            }
        }
        self.draw_figure(renderer, &mut pictures[1], draft, frame, &look);
        plays
    }

    fn draw_figure(
        &mut self,
        renderer: &mut ViewportRenderer,
        picture: &mut PictureApart,
        draft: &ConvertDraft,
        frame: &PreviewFrame<'_>,
        look: &ApartLook,
    ) {
        let Some(figure) = self.figure.as_deref_mut().filter(|_| draft.preview.figure) else {
            return;
        };
        let Loaded { session, posed, uploaded } = figure;
        let (Some((low, high)), Some((uploaded, _))) = (posed.bounds(), uploaded) else { return };
        let scale = ConvertDraft::FIGURE / (high.y - low.y).max(1e-3);
        let by = Mat4::from_translation(draft.figure_at())
            * Mat4::from_scale(Vec3::splat(scale))
            * Mat4::from_translation(Vec3::new(0.0, -low.y, 0.0));
        let drawn = Drawn { look: *look, by, clip: None, time: 0.0, theme: frame.theme };
        if self.preview.drawn[1] == Some(drawn) {
            return;
        }
        let of = (session.document(), &*posed, uploaded);
        if renderer.draw_ghost_apart(frame.state, picture, of, by, look) {
            self.preview.drawn[1] = Some(drawn);
        }
    }

    /// The model as it was uploaded, ready to be opened.
    pub(super) fn into_loaded(
        mut self,
        renderer: &mut ViewportRenderer,
    ) -> (Box<Loaded>, Vec<ClipSource>) {
        let Loaded { session, posed, uploaded } = &mut *self.loaded;
        if let Some((uploaded, _)) = uploaded {
            renderer.restore_pose(session.document(), &posed.pose, uploaded);
        }
        (self.loaded, self.others)
    }
}

/// A file for its clips.
fn source(path: PathBuf, read: Result<Session, ReadError>) -> ClipSource {
    let document = read
        .map(|s| Arc::new(s.document().clone()))
        .map_err(|e| Notice::new(e.code(), e.to_string()));
    ClipSource { path, document }
}

/// A file as the page lists it.
fn beside_of(model: &Document, source: &ClipSource) -> FileBeside {
    let row = FileBeside {
        name: source.name(),
        clips: 0,
        joints: [0; 2],
        is_other: false,
        fault: None,
        takes: false,
    };
    let theirs = match &source.document {
        Ok(theirs) => theirs,
        Err(error) => return FileBeside { fault: Some(error.to_string()), ..row },
    };
    let (fit, made) = arrivals(model, theirs, &source.path, &ImportOptions::default());
    let clips = made.iter().filter(|a| !a.carried.clip.tracks.is_empty()).count();
    let is_other = Fit::is_other(&fit);
    FileBeside {
        clips,
        joints: [fit.joints, fit.matched()],
        is_other,
        takes: clips > 0 && !is_other,
        ..row
    }
}
