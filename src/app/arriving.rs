//! A file of another format that was read but not opened yet, and the preview on its import page.

use std::{path::PathBuf, sync::Arc};

use egui_wgpu::RenderState;
use glam::Mat4;

use super::{
    loading::{Loaded, load, load_whole},
    viewport_renderer::{ApartLook, Loader, PictureApart, ViewportRenderer},
};
use crate::ui::{ConvertDraft, ConvertView, FileBeside};
use ulna_formats::gltf::{Progress, ReadError};
use ulna_model::{ClipId, Document, Notice};
use ulna_motion::{Evaluator, Pose, Stack};
use ulna_session::{ClipSource, Fit, ImportOptions, Session, arrivals};

/// A file of another format that was read, together with the other chosen files.
pub(super) struct Arriving {
    pub(super) loaded: Box<Loaded>,
    /// The other files, in the order chosen by the user.
    pub(super) others: Vec<ClipSource>,
    /// Rows of the import page for the other files.
    pub(super) beside: Vec<FileBeside>,
    preview: Preview,
}

/// State of the preview pictures on the import page.
#[derive(Default)]
struct Preview {
    evaluator: Evaluator,
    pose: Pose,
    /// Time at which the preview's clip started in seconds, on the window's clock.
    begun: f64,
    /// Content of the last drawn picture.
    drawn: Option<Drawn>,
}

/// Everything that a preview picture depends on.
#[derive(Clone, Copy, PartialEq)]
struct Drawn {
    look: ApartLook,
    by: Mat4,
    clip: Option<ClipId>,
    time: f32,
    theme: &'static str,
}

/// Inputs for drawing a preview in one frame.
pub(super) struct PreviewFrame<'a> {
    pub state: &'a RenderState,
    /// Size of the window, in points.
    pub window: egui::Vec2,
    pub pixels_per_point: f32,
    /// Time in seconds, on the window's clock.
    pub now: f64,
    pub theme: &'static str,
}

impl Arriving {
    /// Reads the other files that are opened together with `loaded`. The first file with meshes is
    /// the model, and the others supply clips.
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
        let is_foreign = session.imported().is_some();
        let loaded = if is_foreign { load_whole(session, loader) } else { load(session) };
        Ok(Self { loaded, others: sources, beside: list, preview: Preview::default() })
    }

    /// The preview picture, for the panels.
    pub(super) fn view(&self, picture: &PictureApart) -> ConvertView {
        ConvertView { picture: picture.texture().filter(|_| self.preview.drawn.is_some()) }
    }

    /// Discards the preview picture, so that it is drawn again on another device.
    pub(super) fn forget_picture(&mut self) {
        self.preview.drawn = None;
    }

    /// Document clip that was made from a clip of the source file; `None` if that clip is not
    /// imported.
    fn clip_of(&self, draft: &ConvertDraft, clip: usize) -> Option<ClipId> {
        let taken = |k: &usize| match &draft.read_as.clips {
            Some(chosen) => chosen.contains(k),
            None => draft.found.clips[*k].moves,
        };
        let document = self.loaded.session.document();
        let place = (0..draft.found.clips.len()).filter(taken).position(|k| k == clip)?;
        document.clips.ids().nth(place)
    }

    /// Draws the picture if it changed. Returns whether its clip plays, so that it must be drawn
    /// again.
    pub(super) fn draw(
        &mut self,
        renderer: &mut ViewportRenderer,
        picture: &mut PictureApart,
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
        if preview.drawn.is_none_or(|d| d.clip != clip) {
            preview.begun = frame.now;
        }
        let before = preview.drawn.filter(|d| d.clip == clip).map_or(0.0, |d| d.time);
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
        if let (true, Some((uploaded, _))) = (preview.drawn != Some(drawn), uploaded) {
            let stack = Stack::of(clip.map(|id| &document.clips[id]), time);
            preview.evaluator.update(&document, &stack, &mut preview.pose);
            let mut pose = preview.pose.clone();
            pose.world.iter_mut().for_each(|w| *w = by * *w);
            let of = (&document, &*posed, uploaded);
            if renderer.draw_apart(frame.state, picture, of, &pose, &look) {
                preview.drawn = Some(drawn);
            }
        }
        plays
    }

    /// Returns the uploaded model for opening, and the other files.
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

/// Clip source for a file.
fn source(path: PathBuf, read: Result<Session, ReadError>) -> ClipSource {
    let document = read
        .map(|s| Arc::new(s.document().clone()))
        .map_err(|e| Notice::new(e.code(), e.to_string()));
    ClipSource { path, document }
}

/// Row of the import page for a file.
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
