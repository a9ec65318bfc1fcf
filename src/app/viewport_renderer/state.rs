//! The picture, and what it is made from.

use std::{collections::BTreeSet, sync::Arc, time::Duration};

use egui::TextureId;
use egui_wgpu::RenderState;
use glam::Vec2;

use super::{
    loader::Loader,
    wanted::{ClipKey, GhostsWanted},
};
use crate::{app::ladder::Ladder, ui::ViewOptions};
use ulna_edit::{Change, NodeVisibility, Selection};
use ulna_model::{NodeId, PrimitiveId, SkinId, UnkeyedAt};
use ulna_motion::{Averaging, Bone, Evaluator, Mixer, Pose, Skeleton, Surface};
use ulna_render::{
    BoneLook, Camera, Capture, Decoded, DeviceFacts, Gpu, GpuError, RenderTarget, Renderer, Scene,
    Shading, TintKind, ViewportColors,
};

/// The picture and what it is made from.
pub struct ViewportRenderer {
    pub(super) gpu: Option<(Gpu, Renderer)>,
    pub(super) scene: Option<Scene>,
    /// The full picture, and the quick one that is shown while something moves.
    pub(super) targets: [Option<RenderTarget>; 2],
    /// Which of them is shown.
    pub(super) coarse: bool,
    /// The one that is shown, as egui knows it.
    pub(super) texture: Option<TextureId>,
    pub(super) ladder: Ladder,
    pub(super) look: ViewportColors,
    pub(super) pose: Pose,
    /// The whole of a bend of which a part is shown.
    pub(super) bent_whole: Option<Pose>,
    pub(super) mixer: Mixer,
    pub(super) evaluator: Evaluator,
    pub(super) bones: Vec<Bone>,
    pub(super) skeleton: Skeleton,
    /// Only joints that move vertices are shown.
    pub(super) deforming: bool,
    /// Points of the viewport, as the last frame laid it out.
    pub(super) size: Vec2,
    pub(super) extent: f32,
    /// The document's generation and the moment that the pose was made from.
    pub(super) posed: Option<PosedAt>,
    pub(super) drawn: Option<Drawn>,
    pub(super) surface: Surface,
    pub(super) surface_stale: bool,
    pub(super) frame_ms: f32,
    pub(super) pixels_per_point: f32,
    pub(super) serial: u64,
    /// Another number whenever the surface moved.
    pub(super) pose_serial: u64,
    pub(super) moved: Vec<(NodeId, PrimitiveId, Vec<u32>)>,
    /// Another number for every document that was uploaded.
    pub(super) scene_serial: u64,
    /// A scene was asked for in vain: it is not asked for again.
    pub(super) given_up: bool,
    /// How many scenes were asked for.
    pub(super) asked: u64,
    /// Those of the file, once they are decoded: kept only where it offers a choice of scene or
    /// materials, which are then uploaded anew.
    pub(super) images: Option<Arc<[Decoded]>>,
    /// What went wrong on the device, and whether it was said.
    pub(super) faults: Vec<String>,
    /// What is drawn is about to be another: until then the last picture stays.
    pub(super) awaited: Option<Awaited>,
    /// On egui's clock: when another picture was drawn last.
    pub(super) stood: f64,
    /// Of what a quick picture was drawn last.
    pub(super) practiced: Option<Practiced>,
    pub(super) ghosts: Ghosts,
}

/// The ghosts that are shown.
#[derive(Default)]
pub(super) struct Ghosts {
    pub(super) wanted: Option<GhostsWanted>,
    pub(super) evaluator: Evaluator,
    pub(super) pose: Pose,
    /// In their place where the model has no surfaces.
    pub(super) bones: Vec<BoneLook>,
}

/// What quick pictures are of: which upload, and how it is shown.
pub(super) type Practiced = (u64, Shading, Option<TintKind>);

/// What a pose was made from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct PosedAt {
    /// Of the document.
    pub(super) generation: u64,
    pub(super) clip: Option<(ClipKey, u64, Averaging)>,
    pub(super) time: f64,
    /// The unkeyed pose over it.
    pub(super) unkeyed: Option<UnkeyedAt>,
    pub(super) as_opened: bool,
    /// Of which skin joints are bent, by the number of the bend.
    pub(super) bend: Option<(SkinId, u64)>,
}

/// A scene that is made beside the window.
pub(super) struct Awaited {
    /// Which one; those that were asked for before it come too late.
    pub(super) serial: u64,
    /// Weights that changed since it was asked for.
    pub(super) reweighed: Vec<Change>,
    /// Whether the surface is another, too: until then the last pose stays with the last picture.
    pub(super) whole: bool,
    /// What the pose was made from that it is uploaded in.
    pub(super) posed: Option<PosedAt>,
}

/// What the last picture showed.
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
            targets: [None, None],
            coarse: false,
            texture: None,
            ladder: Ladder::default(),
            look: ViewportColors::theme("dark"),
            pose: Pose::default(),
            bent_whole: None,
            mixer: Mixer::default(),
            evaluator: Evaluator::beside(),
            bones: Vec::new(),
            skeleton: Skeleton::default(),
            deforming: false,
            size: Vec2::new(800.0, 600.0),
            extent: 1.0,
            posed: None,
            drawn: None,
            surface: Surface::default(),
            surface_stale: true,
            frame_ms: 0.0,
            pixels_per_point: 1.0,
            serial: 0,
            pose_serial: 0,
            moved: Vec::new(),
            scene_serial: 0,
            given_up: false,
            asked: 0,
            images: None,
            faults: Vec::new(),
            awaited: None,
            stood: 0.0,
            practiced: None,
            ghosts: Ghosts::default(),
        }
    }

    /// What makes documents ready to be drawn here.
    pub(in crate::app) fn loader(&self) -> Loader {
        Loader {
            gpu: self
                .gpu
                .as_ref()
                .map(|(gpu, renderer)| (gpu.clone(), renderer.pipelines().clone())),
        }
    }

    /// What went wrong on the device since this was asked last and was not told before: the same is
    /// told once.
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

    /// A picture that was begun, once it is here.
    pub(in crate::app) fn poll_picture(
        &self,
        capture: &Capture,
    ) -> Result<Option<image::RgbaImage>, GpuError> {
        self.gpu.as_ref().map_or(Ok(None), |(gpu, _)| capture.poll(gpu))
    }

    /// Other colors.
    pub(in crate::app) fn set_theme(&mut self, theme: &str) {
        self.look = ViewportColors::theme(theme);
        self.drawn = None;
    }

    pub(in crate::app) const fn pose(&self) -> &Pose {
        &self.pose
    }

    /// The pose with the whole of its bend, whatever part of that is shown.
    pub(in crate::app) fn whole_bend(&self) -> &Pose {
        self.bent_whole.as_ref().unwrap_or(&self.pose)
    }

    pub(in crate::app) const fn size(&self) -> Vec2 {
        self.size
    }

    pub(in crate::app) fn set_size(&mut self, size: Vec2, pixels_per_point: f32) {
        self.size = size.max(Vec2::ONE);
        self.pixels_per_point = pixels_per_point;
    }

    pub(in crate::app) fn parts(&self) -> (&Pose, &[Bone], &Skeleton, Option<TextureId>) {
        let texture = self.texture.filter(|_| self.scene.is_some());
        (&self.pose, &self.bones, &self.skeleton, texture)
    }

    pub(in crate::app) const fn frame_ms(&self) -> f32 {
        self.frame_ms
    }

    /// A frame began, so many seconds after the one before, if that wanted it.
    pub(in crate::app) const fn begin_frame(&mut self, seconds: f32) {
        self.ladder.frame(seconds);
    }

    /// The device's name.
    pub(in crate::app) fn device(&self) -> &str {
        self.gpu.as_ref().map_or("no graphics device", |(gpu, _)| &gpu.name)
    }

    pub(in crate::app) fn device_facts(&self) -> Option<&DeviceFacts> {
        self.gpu.as_ref().map(|(gpu, _)| &*gpu.facts)
    }

    /// The device, for pictures beside the window.
    pub(in crate::app) fn gpu(&self) -> Option<Gpu> {
        self.gpu.as_ref().map(|(gpu, _)| gpu.clone()).filter(|gpu| !gpu.is_lost())
    }

    /// The colors of the theme.
    pub(in crate::app) const fn colors(&self) -> ViewportColors {
        self.look
    }

    /// The model's size, in meters.
    pub(in crate::app) const fn extent(&self) -> f32 {
        self.extent
    }

    /// Whether there is a picture of the document.
    pub(in crate::app) const fn shows_picture(&self) -> bool {
        self.scene.is_some() && self.drawn.is_some() && self.awaited.is_none()
    }

    /// Whether the device is no more.
    pub(in crate::app) fn is_lost(&self) -> bool {
        self.gpu.as_ref().is_some_and(|(gpu, _)| gpu.is_lost())
    }

    /// Goes on with another device. What is shown is as it was; its scene is to be made anew.
    pub(in crate::app) fn reopen(&mut self, state: Option<RenderState>) {
        self.gpu = open(state);
        if self.awaits_surface() {
            // What was asked for is to be made anew as a whole: the document is not as it was
            // opened.
            self.images = Some(Arc::default());
        }
        (self.scene, self.targets, self.texture, self.drawn, self.awaited) =
            (None, [None, None], None, None, None);
        (self.coarse, self.ladder, self.frame_ms) = (false, Ladder::default(), 0.0);
        self.faults.clear();
        (self.given_up, self.practiced) = (false, None);
    }

    /// The images of the file, empty where they are not kept; nothing before they are decoded.
    pub(in crate::app) fn images(&self) -> Option<Arc<[Decoded]>> {
        self.images.clone()
    }

    /// How long a frame took on the CPU; smoothed, so that it can be read.
    pub(in crate::app) fn took(&mut self, time: Duration) {
        let ms = time.as_secs_f32() * 1000.0;
        self.frame_ms = if self.frame_ms == 0.0 { ms } else { self.frame_ms * 0.9 + ms * 0.1 };
    }

    /// Another number for every document that was uploaded.
    pub(in crate::app) const fn scene_serial(&self) -> u64 {
        self.scene_serial
    }

    /// Another number whenever the surface moved.
    pub(in crate::app) const fn pose_serial(&self) -> u64 {
        self.pose_serial
    }

    /// The bones of the pose that is shown.
    pub(in crate::app) fn bones(&self) -> &[Bone] {
        &self.bones
    }

    /// The picture's pixels for each of the viewport's, along a side, where it is not drawn in
    /// full.
    pub(in crate::app) fn quick(&self) -> Option<f32> {
        self.targets[1].as_ref().filter(|_| self.coarse).map(|target| target.part)
    }
}

fn open(state: Option<RenderState>) -> Option<(Gpu, Renderer)> {
    let state = state?;
    let gpu = Gpu::new(&state.adapter, state.device, state.queue);
    let renderer = Renderer::new(&gpu);
    Some((gpu, renderer))
}
