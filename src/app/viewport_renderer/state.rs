//! State of the viewport's renderer.

use std::{collections::BTreeSet, sync::Arc, time::Duration};

use egui::TextureId;
use egui_wgpu::RenderState;
use glam::Vec2;

use super::{
    loader::Loader,
    model::{PosedAt, PosedModel},
    wanted::GhostsWanted,
};
use crate::{app::ladder::Ladder, ui::ViewOptions};
use ulna_edit::{Change, NodeVisibility, Selection};
use ulna_model::NodeId;
use ulna_motion::{Bone, Evaluator, Pose, Skeleton};
use ulna_render::{
    BoneLook, Camera, Capture, Color, Decoded, DeviceFacts, Gpu, GpuError, RenderTarget, Renderer,
    Scene, Shading, TintKind, ViewportColors,
};

/// Renders the viewport, and stores the state that the picture is made from.
pub struct ViewportRenderer {
    pub(super) gpu: Option<(Gpu, Renderer)>,
    /// The document's scene on the device.
    pub(super) scene: Option<Scene>,
    /// State of a scene that is being built in the background.
    pub(super) upload: SceneUpload,
    /// Serial number of the uploaded document.
    pub(super) scene_serial: u64,
    /// Number of scenes requested so far.
    pub(super) asked: u64,
    /// Decoded images of the file. They are kept only if the file offers a choice of scenes or
    /// materials, which are then uploaded again.
    pub(super) images: Option<Arc<[Decoded]>>,
    /// Errors of the device that were already reported.
    pub(super) faults: Vec<String>,
    /// The model in the displayed pose.
    pub(super) model: PosedModel,
    pub(super) ghosts: Ghosts,
    /// The last picture.
    pub(super) picture: Picture,
    pub(super) look: ViewportColors,
    /// Size of the viewport in the last frame, in points.
    pub(super) size: Vec2,
    pub(super) pixels_per_point: f32,
    pub(super) frame_ms: f32,
    /// Serial number that changes whenever a new picture is needed.
    pub(super) serial: u64,
}

/// State of a scene that is being built in the background.
#[derive(Default)]
pub(super) enum SceneUpload {
    /// No scene is being built.
    #[default]
    Idle,
    /// A scene is being built. Until it is done, the last picture stays.
    Awaited(Awaited),
    /// Building a scene failed, so it is not requested again.
    GivenUp,
}

impl SceneUpload {
    /// The scene that is being built, if any.
    pub(super) const fn awaited(&self) -> Option<&Awaited> {
        match self {
            Self::Awaited(awaited) => Some(awaited),
            Self::Idle | Self::GivenUp => None,
        }
    }

    /// The scene that is being built, if any, to be changed.
    pub(super) const fn awaited_mut(&mut self) -> Option<&mut Awaited> {
        match self {
            Self::Awaited(awaited) => Some(awaited),
            Self::Idle | Self::GivenUp => None,
        }
    }
}

/// The last picture. A change of the device resets everything except the time of the last drawing.
#[derive(Default)]
pub(super) struct Picture {
    /// Render targets of the full-quality picture and of the quick picture.
    pub(super) targets: [Option<RenderTarget>; 2],
    /// True if the quick picture is shown.
    pub(super) coarse: bool,
    /// egui texture of the shown picture.
    pub(super) texture: Option<TextureId>,
    /// Inputs of the last picture.
    pub(super) drawn: Option<Drawn>,
    /// Time of the last drawing in seconds, on egui's clock.
    pub(super) stood: f64,
    /// Key of the quick pipelines that were warmed up last.
    pub(super) practiced: Option<Practiced>,
    pub(super) ladder: Ladder,
}

/// The displayed ghosts.
#[derive(Default)]
pub(super) struct Ghosts {
    pub(super) wanted: Option<GhostsWanted>,
    pub(super) evaluator: Evaluator,
    pub(super) pose: Pose,
    /// Bones to draw instead of surfaces, if the model has none.
    pub(super) bones: Vec<BoneLook>,
}

/// Key of the warmed-up pipelines: serial number of the upload, shading, and tint.
pub(super) type Practiced = (u64, Shading, Option<TintKind>);

/// A scene that is built in the background.
pub(super) struct Awaited {
    /// Serial number of the request. Results with a lower number are outdated.
    pub(super) serial: u64,
    /// Weights that changed since the request.
    pub(super) reweighed: Vec<Change>,
    /// True if the surface also changes. The last pose and picture then stay until the scene is
    /// ready.
    pub(super) whole: bool,
    /// Inputs of the pose that is uploaded with the scene.
    pub(super) posed: Option<PosedAt>,
}

/// Inputs of the last picture.
#[derive(Clone, PartialEq)]
pub(super) struct Drawn {
    pub(super) serial: u64,
    pub(super) camera: Camera,
    pub(super) selection: Selection,
    pub(super) marks: NodeVisibility,
    pub(super) hover: Option<NodeId>,
    pub(super) faded: BTreeSet<NodeId>,
    pub(super) shown: ViewOptions,
    pub(super) pixels: [u32; 2],
    pub(super) tint: Option<TintKind>,
}

impl ViewportRenderer {
    pub(in crate::app) fn new(state: Option<RenderState>) -> Self {
        Self {
            gpu: open(state),
            scene: None,
            upload: SceneUpload::Idle,
            scene_serial: 0,
            asked: 0,
            images: None,
            faults: Vec::new(),
            model: PosedModel::default(),
            ghosts: Ghosts::default(),
            picture: Picture::default(),
            look: ViewportColors::theme("dark"),
            size: Vec2::new(800.0, 600.0),
            pixels_per_point: 1.0,
            frame_ms: 0.0,
            serial: 0,
        }
    }

    /// Loader that prepares documents for this renderer.
    pub(in crate::app) fn loader(&self) -> Loader {
        Loader {
            gpu: self
                .gpu
                .as_ref()
                .map(|(gpu, renderer)| (gpu.clone(), renderer.pipelines().clone())),
        }
    }

    /// Message about device errors since the last call. Each error is reported only once.
    pub(in crate::app) fn fault(&mut self) -> Option<String> {
        let (gpu, _) = self.gpu.as_ref().filter(|(gpu, _)| !gpu.is_lost())?;
        let left_out = self.scene.as_ref().map_or(0, |s| s.left_out().len());
        let fault = match gpu.check() {
            Err(error) => error.to_string(),
            Ok(()) if left_out > 0 => {
                let many = if left_out == 1 {
                    "1 surface is".to_owned()
                } else {
                    format!("{left_out} surfaces are")
                };
                format!("{many} not shown: too large for the buffers of “{}”", gpu.name)
            }
            Ok(()) => return None,
        };
        if self.faults.contains(&fault) {
            return None;
        }
        self.faults.push(fault.clone());
        Some(fault)
    }

    /// The result of a thumbnail that was started; `None` while it is not ready.
    pub(in crate::app) fn poll_picture(
        &self,
        capture: &Capture,
    ) -> Result<Option<image::RgbaImage>, GpuError> {
        self.gpu.as_ref().map_or(Ok(None), |(gpu, _)| capture.poll(gpu))
    }

    /// Sets the colors of a theme. If `gray` is given, it replaces the background color.
    pub(in crate::app) fn set_colors(&mut self, theme: &str, gray: Option<u8>) {
        self.look = ViewportColors::theme(theme);
        if let Some(gray) = gray {
            self.look.background = Color([gray, gray, gray, 255]).linear();
        }
        self.picture.drawn = None;
    }

    pub(in crate::app) const fn size(&self) -> Vec2 {
        self.size
    }

    pub(in crate::app) fn set_size(&mut self, size: Vec2, pixels_per_point: f32) {
        self.size = size.max(Vec2::ONE);
        self.pixels_per_point = pixels_per_point;
    }

    pub(in crate::app) fn parts(&self) -> (&Pose, &[Bone], &Skeleton, Option<TextureId>) {
        let texture = self.picture.texture.filter(|_| self.scene.is_some());
        (self.model.seen_pose(), self.model.seen_bones(), &self.model.skeleton, texture)
    }

    pub(in crate::app) const fn frame_ms(&self) -> f32 {
        self.frame_ms
    }

    /// Records the start of a frame. `seconds` is the time since the previous frame if that frame
    /// requested this one.
    pub(in crate::app) const fn begin_frame(&mut self, seconds: f32) {
        self.picture.ladder.frame(seconds);
    }

    /// Name of the device.
    pub(in crate::app) fn device(&self) -> &str {
        self.gpu.as_ref().map_or("no graphics device", |(gpu, _)| &gpu.name)
    }

    pub(in crate::app) fn device_facts(&self) -> Option<&DeviceFacts> {
        self.gpu.as_ref().map(|(gpu, _)| &*gpu.facts)
    }

    /// The device, for rendering in the background; `None` if it is lost.
    pub(in crate::app) fn gpu(&self) -> Option<Gpu> {
        self.gpu.as_ref().map(|(gpu, _)| gpu.clone()).filter(|gpu| !gpu.is_lost())
    }

    /// The colors of the theme.
    pub(in crate::app) const fn colors(&self) -> ViewportColors {
        self.look
    }

    /// True if there is a picture of the current document.
    pub(in crate::app) const fn shows_picture(&self) -> bool {
        self.scene.is_some() && self.picture.drawn.is_some() && self.upload.awaited().is_none()
    }

    /// True if the device is lost.
    pub(in crate::app) fn is_lost(&self) -> bool {
        self.gpu.as_ref().is_some_and(|(gpu, _)| gpu.is_lost())
    }

    /// Continues on another device. The display settings are kept, and the scene must be rebuilt.
    pub(in crate::app) fn reopen(&mut self, state: Option<RenderState>) {
        self.gpu = open(state);
        if self.awaits_surface() {
            // The document may have been edited since it was opened, so the whole scene must be
            // rebuilt.
            self.images = Some(Arc::default());
        }
        (self.scene, self.upload, self.frame_ms) = (None, SceneUpload::Idle, 0.0);
        self.picture = Picture { stood: self.picture.stood, ..Picture::default() };
        self.faults.clear();
    }

    /// The file's images, empty if they are not stored. `None` before they are decoded.
    pub(in crate::app) fn images(&self) -> Option<Arc<[Decoded]>> {
        self.images.clone()
    }

    /// Records the CPU time of a frame. The shown value is smoothed, so that it can be read.
    pub(in crate::app) fn took(&mut self, time: Duration) {
        let ms = time.as_secs_f32() * 1000.0;
        self.frame_ms = if self.frame_ms == 0.0 { ms } else { self.frame_ms * 0.9 + ms * 0.1 };
    }

    /// Serial number of the uploaded document.
    pub(in crate::app) const fn scene_serial(&self) -> u64 {
        self.scene_serial
    }

    /// Scale of the quick picture's sides relative to the viewport; `None` if the full-quality
    /// picture is shown.
    pub(in crate::app) fn quick(&self) -> Option<f32> {
        self.picture.targets[1].as_ref().filter(|_| self.picture.coarse).map(|target| target.part)
    }
}

fn open(state: Option<RenderState>) -> Option<(Gpu, Renderer)> {
    let state = state?;
    let gpu = Gpu::new(&state.adapter, state.device, state.queue);
    let renderer = Renderer::new(&gpu);
    Some((gpu, renderer))
}
