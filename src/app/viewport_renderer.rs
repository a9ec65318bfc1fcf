//! The viewport's picture: posed, uploaded and drawn again only when something in it changed.

use std::{
    collections::BTreeSet,
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    sync::Arc,
    time::Duration,
};

use egui::TextureId;
use egui_wgpu::RenderState;
use glam::{Vec2, Vec3};

use super::{
    LONG,
    ladder::{Ladder, Motion},
};
use crate::ui::{Quality, ViewOptions};
use ulna_edit::{Change, NodeVisibility, Selection};
use ulna_geometry::Ray;
use ulna_model::{
    Clip, ClipId, Document, Mix, NodeId, PrimitiveId, Shared, SkinId, Unkeyed, UnkeyedAt,
};
use ulna_motion::{
    Averaging, Bend, Bone, Evaluator, Mixer, Playing, Pose, Skeleton, Stack, Surface, bones,
    joint_bounds,
};
use ulna_render::{
    BoneLook, Camera, Capture, Decoded, DeviceFacts, GhostLook, Gpu, GpuError, Pipelines, Renderer,
    Scene, Shading, Show, Target, TintKind, ViewportColors,
};
use ulna_session::Session;

/// The picture and what it is made from.
pub struct ViewportRenderer {
    gpu: Option<(Gpu, Renderer)>,
    scene: Option<Scene>,
    /// The full picture, and the quick one that is shown while something moves.
    targets: [Option<Target>; 2],
    /// Which of them is shown.
    coarse: bool,
    /// The one that is shown, as egui knows it.
    texture: Option<TextureId>,
    ladder: Ladder,
    look: ViewportColors,
    pose: Pose,
    /// The whole of a bend of which a part is shown.
    bent_whole: Option<Pose>,
    mixer: Mixer,
    evaluator: Evaluator,
    bones: Vec<Bone>,
    skeleton: Skeleton,
    /// Only joints that move vertices are shown.
    deforming: bool,
    /// Points of the viewport, as the last frame laid it out.
    size: Vec2,
    extent: f32,
    /// The document's generation and the moment that the pose was made from.
    posed: Option<PosedAt>,
    drawn: Option<Drawn>,
    surface: Surface,
    surface_stale: bool,
    frame_ms: f32,
    pixels_per_point: f32,
    serial: u64,
    /// Another number whenever the surface moved.
    pose_serial: u64,
    moved: Vec<(NodeId, PrimitiveId, Vec<u32>)>,
    /// Another number for every document that was uploaded.
    scene_serial: u64,
    /// A scene was asked for in vain: it is not asked for again.
    given_up: bool,
    /// How many scenes were asked for.
    asked: u64,
    /// Those of the file, once they are decoded: kept only where it offers a choice of scene or
    /// materials, which are then uploaded anew.
    images: Option<Arc<[Decoded]>>,
    /// What went wrong on the device, and whether it was said.
    faults: Vec<String>,
    /// What is drawn is about to be another: until then the last picture stays.
    awaited: Option<Awaited>,
    /// On egui's clock: when another picture was drawn last.
    stood: f64,
    /// Of what a quick picture was drawn last.
    practiced: Option<Practiced>,
    ghosts: Ghosts,
}

/// Which ghosts are wanted.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct GhostsWanted {
    /// The document's generation, and the clip.
    pub made_from: (u64, Option<ClipId>),
    /// Whether it is the file as it was opened.
    pub as_opened: bool,
    /// The interpolation of LINEAR rotations.
    pub between: Averaging,
    /// Only of what these joints move; of all where there are none.
    pub of: Vec<NodeId>,
    /// Their times, and how far each is from the playhead: −1..=1, below 0 before it.
    pub moments: Vec<(f32, f32)>,
}

/// The ghosts that are shown.
#[derive(Default)]
struct Ghosts {
    wanted: Option<GhostsWanted>,
    evaluator: Evaluator,
    pose: Pose,
    /// In their place where the model has no surfaces.
    bones: Vec<BoneLook>,
}

fn open(state: Option<RenderState>) -> Option<(Gpu, Renderer)> {
    let state = state?;
    let gpu = Gpu::new(&state.adapter, state.device, state.queue);
    let renderer = Renderer::new(&gpu);
    Some((gpu, renderer))
}

/// What quick pictures are of: which upload, and how it is shown.
type Practiced = (u64, Shading, Option<TintKind>);

/// What a pose was made from.
#[derive(Clone, Copy, Debug, PartialEq)]
struct PosedAt {
    /// Of the document.
    generation: u64,
    clip: Option<(ClipKey, u64, Averaging)>,
    time: f64,
    /// The unkeyed pose over it.
    unkeyed: Option<UnkeyedAt>,
    as_opened: bool,
    /// Of which skin joints are bent, by the number of the bend.
    bend: Option<(SkinId, u64)>,
}

/// A scene that is made beside the window.
struct Awaited {
    /// Which one; those that were asked for before it come too late.
    serial: u64,
    /// Weights that changed since it was asked for.
    reweighed: Vec<Change>,
    /// Whether the surface is another, too: until then the last pose stays with the last picture.
    whole: bool,
    /// What the pose was made from that it is uploaded in.
    posed: Option<PosedAt>,
}

/// Makes documents ready to be drawn, beside the window as well.
#[derive(Clone)]
pub(super) struct Loader {
    gpu: Option<(Gpu, Arc<Pipelines>)>,
}

/// A document as it is posed.
pub(super) struct Posed {
    skeleton: Skeleton,
    pub pose: Pose,
    surface: Surface,
    bounds: Option<(glam::Vec3, glam::Vec3)>,
}

impl Posed {
    /// Lowest and highest corner of all that is in it.
    pub(super) const fn bounds(&self) -> Option<(glam::Vec3, glam::Vec3)> {
        self.bounds
    }

    pub(super) fn new(document: &Document) -> Self {
        let pose = Pose::evaluate(document, &Stack::default());
        let surface = Surface::new(document, &pose);
        let bounds = surface.bounds().or_else(|| joint_bounds(document, &pose));
        Self { skeleton: Skeleton::of(document), pose, surface, bounds }
    }
}

/// A document on a device.
pub(super) struct Uploaded {
    scene: Option<Scene>,
    /// Whose scene it is.
    device: Option<wgpu::Device>,
    images: Arc<[Decoded]>,
}

impl Loader {
    /// Uploads a document in a pose, and makes what its pictures are drawn by.
    pub(super) fn upload(
        &self,
        document: &Document,
        pose: &Pose,
        images: Arc<[Decoded]>,
    ) -> Uploaded {
        let upload = |(gpu, pipelines): &(Gpu, Arc<Pipelines>)| {
            let make = || {
                let mut scene = Scene::new(gpu, pipelines, document, &images);
                // What is written into buffers is gathered until work is submitted.
                scene.update(gpu, document, pose);
                pipelines.make_ready(&scene);
                scene
            };
            // A device that is lost meanwhile gives no buffers; another one gets the scene then.
            catch_unwind(AssertUnwindSafe(make))
                .map_err(|panic| gpu.is_lost() || resume_unwind(panic))
                .ok()
        };
        let scene = self.gpu.as_ref().filter(|(gpu, _)| !gpu.is_lost()).and_then(upload);
        Uploaded { scene, device: self.gpu.as_ref().map(|(gpu, _)| gpu.device.clone()), images }
    }
}

/// Which clip is shown: one of the file, or a range of motion, which is no part of it.
pub(super) type ClipKey = Option<ClipId>;

/// The clip that is shown.
pub(super) struct DisplayedClip {
    pub key: ClipKey,
    pub clip: Shared<Clip>,
    /// Another number for every way that it is seen other than it is; else 0.
    pub preview: u64,
    /// The unkeyed pose that is seen over it.
    pub unkeyed: Option<(UnkeyedAt, Shared<Unkeyed>)>,
    /// The mix that plays in its place.
    pub mix: Option<Shared<Mix>>,
    /// How linear rotations go from key to key.
    pub between: Averaging,
}

/// What is painted, for the picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Painted {
    /// Tints in place of materials.
    pub tint: Option<TintKind>,
    /// The edges of triangles.
    pub edges: bool,
}

/// What a picture is to show.
#[derive(Clone, Copy)]
pub(super) struct Seen<'a> {
    pub camera: &'a Camera,
    pub selection: &'a Selection,
    pub marks: &'a NodeVisibility,
    pub hover: Option<NodeId>,
    /// Joints that would lie over the brush.
    pub faded: &'a BTreeSet<NodeId>,
    pub shown: ViewOptions,
    pub painting: Option<Painted>,
    pub unkeyed: Option<&'a Unkeyed>,
}

/// What the last picture showed.
#[derive(Clone, PartialEq)]
struct Drawn {
    serial: u64,
    camera: Camera,
    selection: Selection,
    marks: NodeVisibility,
    hover: Option<NodeId>,
    faded: BTreeSet<NodeId>,
    shown: ViewOptions,
    pixels: [u32; 2],
    tint: Option<TintKind>,
}

impl ViewportRenderer {
    pub(super) fn new(state: Option<RenderState>) -> Self {
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
    pub(super) fn loader(&self) -> Loader {
        Loader {
            gpu: self
                .gpu
                .as_ref()
                .map(|(gpu, renderer)| (gpu.clone(), renderer.pipelines().clone())),
        }
    }

    /// Shows another document. The bounds of its pose come back, for the camera. Until it is
    /// uploaded there is no picture.
    pub(super) fn load(&mut self, posed: Posed) -> Option<(glam::Vec3, glam::Vec3)> {
        let bounds = self.take_posed(posed);
        (self.scene, self.images, self.awaited, self.given_up) = (None, None, None, false);
        self.faults.clear();
        bounds
    }

    fn take_posed(&mut self, posed: Posed) -> Option<(glam::Vec3, glam::Vec3)> {
        let Posed { skeleton, pose, surface, bounds } = posed;
        (self.skeleton, self.pose, self.surface) = (skeleton, pose, surface);
        self.surface_stale = false;
        self.posed = None;
        self.scene_serial += 1;
        self.pose_serial += 1;
        self.extent = bounds.map_or(1.0, |(low, high)| (high - low).length()).max(1e-6);
        bounds
    }

    /// The document on the device.
    pub(super) fn take_upload(&mut self, document: &Document, uploaded: Uploaded) {
        let Uploaded { scene, device, images } = uploaded;
        let own = device.as_ref() == self.gpu.as_ref().map(|(gpu, _)| &gpu.device);
        self.scene = scene.filter(|_| own);
        let bare = |m: &ulna_model::Mesh| m.primitives.iter().any(|p| p.weights.is_none());
        let skinned = |n: &&ulna_model::Node| n.skin.is_some();
        let may_be_bound = document
            .nodes
            .values()
            .filter(skinned)
            .filter_map(|n| n.mesh)
            .any(|m| bare(document.mesh(m)));
        let again = document.scenes.len() > 1 || !document.variants.is_empty() || may_be_bound;
        self.images = Some(if again { images } else { Arc::default() });
        (self.awaited, self.drawn, self.posed) = (None, None, None);
        self.ghosts.wanted = None;
        self.serial += 1;
    }

    /// The document needs another scene: it has none yet, another of it is shown, other materials,
    /// or a mesh was bound. What comes back makes it, and its number is for
    /// [`ViewportRenderer::take_scene`]. `whole`: its surface is another, too.
    pub(super) fn remake(&mut self, whole: bool) -> (u64, Loader) {
        self.asked += 1;
        let posed = self.posed.filter(|_| !whole);
        self.awaited = Some(Awaited { serial: self.asked, reweighed: Vec::new(), whole, posed });
        (self.asked, self.loader())
    }

    /// The scene that was asked for did not come.
    pub(super) fn give_up_scene(&mut self) {
        self.given_up |= self.awaited.take().is_some();
    }

    /// The scene that was asked for, unless another was asked for since; whether it was taken.
    pub(super) fn take_scene(
        &mut self,
        serial: u64,
        document: &Document,
        posed: Option<Posed>,
        uploaded: Uploaded,
    ) -> bool {
        let Some(awaited) = self.awaited.take_if(|a| a.serial == serial) else { return false };
        let as_it_is = self.posed.filter(|now| awaited.posed == Some(*now));
        if let Some(posed) = posed {
            self.take_posed(posed);
        }
        self.take_upload(document, uploaded);
        self.posed = as_it_is;
        self.update_weights(document, &awaited.reweighed);
        true
    }

    /// Begins a small picture of the document as it stands, for lists of files. A program that
    /// draws would take seconds for a large one: there it is the one that is seen, at its size.
    pub(super) fn begin_picture(&mut self, document: &Document, size: [u32; 2]) -> Option<Capture> {
        let large = document.meshes.values().map(|m| m.vertex_count()).sum::<usize>() > LONG;
        if let (true, Some((gpu, _)), Some(target)) = (large, &self.gpu, &self.targets[0])
            && gpu.software
        {
            return Some(Capture::begin(gpu, target));
        }
        let bounds = self.surface(document).bounds().or_else(|| joint_bounds(document, &self.pose));
        let (Some((gpu, renderer)), Some(scene), Some((low, high))) =
            (&mut self.gpu, &self.scene, bounds)
        else {
            return None;
        };
        let mut camera = Camera::default();
        camera.look(ulna_render::Axis::ThreeQuarter);
        camera.frame(low, high, size[0] as f32 / size[1] as f32);
        let target = Target::new(gpu, size);
        let show = Show { grid: true, size: self.extent, scale: 1.0, ..Show::default() };
        renderer.draw(gpu, &target, scene, &camera, &ViewportColors::theme("dark"), &show);
        Some(Capture::begin(gpu, &target))
    }

    /// Begins a small picture of the document in another pose, of what is between two corners or of
    /// all of it. A program that draws would take long for a large one: there is none then.
    pub(super) fn begin_pose_picture(
        &mut self,
        document: &Document,
        pose: &Pose,
        corners: Option<(Vec3, Vec3)>,
        size: [u32; 2],
    ) -> Option<Capture> {
        let vertices = document.meshes.values().map(|m| m.vertex_count()).sum::<usize>();
        let large = vertices > LONG;
        // The skin itself where it is soon found; a large head stands out far beyond its joint.
        let skin = (corners.is_none() && vertices <= LONG / 4)
            .then(|| Surface::new(document, pose).bounds())
            .flatten();
        let bounds = corners.or(skin).or_else(|| joint_bounds(document, pose));
        let (Some((gpu, renderer)), Some(scene), Some((low, high))) =
            (&mut self.gpu, &mut self.scene, bounds)
        else {
            return None;
        };
        if large && gpu.software {
            return None;
        }
        let mut camera = Camera::default();
        camera.look(ulna_render::Axis::ThreeQuarter);
        // The skin lies around the joints.
        let around = (high - low) * 0.08;
        camera.frame(low - around, high + around, size[0] as f32 / size[1] as f32);
        scene.update(gpu, document, pose);
        let target = Target::new(gpu, size);
        let show = Show { grid: true, size: self.extent, scale: 1.0, ..Show::default() };
        renderer.draw(gpu, &target, scene, &camera, &self.look, &show);
        let capture = Capture::begin(gpu, &target);
        // The picture that is seen is of the pose that is seen.
        scene.update(gpu, document, &self.pose);
        Some(capture)
    }

    /// What went wrong on the device since this was asked last and was not told before: the same is
    /// told once.
    pub(super) fn fault(&mut self) -> Option<String> {
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
    pub(super) fn poll_picture(
        &self,
        capture: &Capture,
    ) -> Result<Option<image::RgbaImage>, GpuError> {
        self.gpu.as_ref().map_or(Ok(None), |(gpu, _)| capture.poll(gpu))
    }

    /// Other colors.
    pub(super) fn set_theme(&mut self, theme: &str) {
        self.look = ViewportColors::theme(theme);
        self.drawn = None;
    }

    pub(super) const fn pose(&self) -> &Pose {
        &self.pose
    }

    /// The pose with the whole of its bend, whatever part of that is shown.
    pub(super) fn whole_bend(&self) -> &Pose {
        self.bent_whole.as_ref().unwrap_or(&self.pose)
    }

    pub(super) const fn size(&self) -> Vec2 {
        self.size
    }

    pub(super) fn set_size(&mut self, size: Vec2, pixels_per_point: f32) {
        self.size = size.max(Vec2::ONE);
        self.pixels_per_point = pixels_per_point;
    }

    pub(super) fn parts(&self) -> (&Pose, &[Bone], &Skeleton, Option<TextureId>) {
        let texture = self.texture.filter(|_| self.scene.is_some());
        (&self.pose, &self.bones, &self.skeleton, texture)
    }

    pub(super) const fn frame_ms(&self) -> f32 {
        self.frame_ms
    }

    /// A frame began, so many seconds after the one before, if that wanted it.
    pub(super) const fn begin_frame(&mut self, seconds: f32) {
        self.ladder.frame(seconds);
    }

    /// The device's name.
    pub(super) fn device(&self) -> &str {
        self.gpu.as_ref().map_or("no graphics device", |(gpu, _)| &gpu.name)
    }

    pub(super) fn device_facts(&self) -> Option<&DeviceFacts> {
        self.gpu.as_ref().map(|(gpu, _)| &*gpu.facts)
    }

    /// The device, for pictures beside the window.
    pub(super) fn gpu(&self) -> Option<Gpu> {
        self.gpu.as_ref().map(|(gpu, _)| gpu.clone()).filter(|gpu| !gpu.is_lost())
    }

    /// The colors of the theme.
    pub(super) const fn colors(&self) -> ViewportColors {
        self.look
    }

    /// The model's size, in meters.
    pub(super) const fn extent(&self) -> f32 {
        self.extent
    }

    /// Whether there is a picture of the document.
    pub(super) const fn shows_picture(&self) -> bool {
        self.scene.is_some() && self.drawn.is_some() && self.awaited.is_none()
    }

    fn awaits_surface(&self) -> bool {
        self.awaited.as_ref().is_some_and(|a| a.whole)
    }

    /// Whether a document is shown that is not on this device: it was just opened, or was on one
    /// that is lost.
    pub(super) fn lacks_scene(&self) -> bool {
        let lacks = self.images.is_none() || (self.gpu.is_some() && self.scene.is_none());
        lacks && self.awaited.is_none() && !self.given_up
    }

    /// Whether the device is no more.
    pub(super) fn is_lost(&self) -> bool {
        self.gpu.as_ref().is_some_and(|(gpu, _)| gpu.is_lost())
    }

    /// Goes on with another device. What is shown is as it was; its scene is to be made anew.
    pub(super) fn reopen(&mut self, state: Option<RenderState>) {
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
    pub(super) fn images(&self) -> Option<Arc<[Decoded]>> {
        self.images.clone()
    }

    /// How long a frame took on the CPU; smoothed, so that it can be read.
    pub(super) fn took(&mut self, time: Duration) {
        let ms = time.as_secs_f32() * 1000.0;
        self.frame_ms = if self.frame_ms == 0.0 { ms } else { self.frame_ms * 0.9 + ms * 0.1 };
    }

    /// The surface at the pose that is shown, for clicks.
    pub(super) fn surface(&mut self, document: &Document) -> &Surface {
        if self.surface_stale && !self.awaits_surface() {
            self.surface.update(document, &self.pose);
            self.surface_stale = false;
        }
        &self.surface
    }

    /// How far a ray goes to the surface, if it meets it between two distances. The surface must
    /// have been asked for since it moved.
    pub(super) fn peek(&self, document: &Document, ray: &Ray, from: f32, to: f32) -> Option<f32> {
        let hit = self.surface.hit(document, ray, &|_| false)?;
        (from..=to).contains(&hit.distance).then_some(hit.distance)
    }

    /// Another number for every document that was uploaded.
    pub(super) const fn scene_serial(&self) -> u64 {
        self.scene_serial
    }

    /// Another number whenever the surface moved.
    pub(super) const fn pose_serial(&self) -> u64 {
        self.pose_serial
    }

    /// Sets tints of vertices of a part; only these are uploaded.
    pub(super) fn tint(
        &mut self,
        node: NodeId,
        primitive: PrimitiveId,
        first: usize,
        values: &[u32],
    ) {
        if let (Some((gpu, _)), Some(scene)) = (&self.gpu, &mut self.scene) {
            scene.tint(gpu, node, primitive, first, values);
            self.serial += 1;
        }
    }

    /// Takes all tints away.
    pub(super) fn clear_tints(&mut self) {
        if let Some(scene) = &mut self.scene {
            scene.clear_tints();
            self.serial += 1;
        }
    }

    /// Moves the vertices whose weights changed, and those alone.
    fn move_surface(&mut self, document: &Document, changes: &[Change]) {
        for change in changes {
            let Change::Weights { mesh, primitive, vertices } = change else { continue };
            let Some(vertices) = vertices else {
                self.surface_stale = true;
                self.pose_serial += 1;
                return;
            };
            for node in
                document.shown_nodes().into_iter().filter(|n| document.node(*n).mesh == Some(*mesh))
            {
                self.surface.move_vertices(document, &self.pose, node, *primitive, vertices);
                self.moved.push((node, *primitive, vertices.clone()));
            }
        }
    }

    /// Vertices that moved by their weights alone since this was asked last: under which node, of
    /// which primitive.
    pub(super) fn take_moved(&mut self) -> Vec<(NodeId, PrimitiveId, Vec<u32>)> {
        std::mem::take(&mut self.moved)
    }

    /// Takes over weights that changed.
    fn update_weights(&mut self, document: &Document, changes: &[Change]) {
        let (Some((gpu, _)), Some(scene)) = (&self.gpu, &mut self.scene) else { return };
        for change in changes {
            let Change::Weights { mesh, primitive, vertices } = change else { continue };
            let ranges = match vertices {
                Some(list) => super::painting::ranges(list),
                None => {
                    let count = document.mesh(*mesh).primitives[primitive.index()].positions.len();
                    std::iter::once(0..count).collect()
                }
            };
            for node in
                document.shown_nodes().into_iter().filter(|n| document.node(*n).mesh == Some(*mesh))
            {
                scene.update_weights(gpu, document, node, *primitive, &ranges);
            }
        }
    }

    /// Shows the weights of another document in some primitives.
    pub(super) fn show_weights(&mut self, document: &Document, changes: &[Change]) {
        self.update_weights(document, changes);
        if let (Some((gpu, _)), Some(scene)) = (&self.gpu, &mut self.scene) {
            scene.update_reweighed(gpu, document, &self.pose);
        }
        self.serial += 1;
    }

    /// The bones of the pose that is shown.
    pub(super) fn bones(&self) -> &[Bone] {
        &self.bones
    }

    /// The picture's pixels for each of the viewport's, along a side, where it is not drawn in
    /// full.
    pub(super) fn quick(&self) -> Option<f32> {
        self.targets[1].as_ref().filter(|_| self.coarse).map(|target| target.part)
    }

    /// What of a mix plays at a time.
    pub fn playing(&mut self, document: &Document, mix: &Shared<Mix>, time: f64) -> Vec<Playing> {
        self.mixer.playing(document, mix, time)
    }

    /// Poses what changed.
    pub(super) fn pose_anew(
        &mut self,
        session: &Session,
        changes: &[Change],
        clip: Option<&DisplayedClip>,
        (time, as_opened): (f64, bool),
        bent: Option<(&Bend, SkinId, u64)>,
    ) {
        let document = session.document();
        if let Some(awaited) = &mut self.awaited {
            let whole = |c: &Change| match c {
                Change::Weights { mesh, primitive, .. } => {
                    Some(Change::Weights { mesh: *mesh, primitive: *primitive, vertices: None })
                }
                _ => None,
            };
            awaited.reweighed.extend(changes.iter().filter_map(whole));
        }
        let key = clip.map(|c| (c.key, c.preview, c.between));
        let unkeyed = clip.and_then(|c| c.unkeyed.as_ref());
        let held = unkeyed.map(|(at, _)| *at);
        // Nodes that came since then have no place in it.
        let as_opened = as_opened && session.opened().nodes.len() == document.nodes.len();
        let bent = bent.filter(|_| !as_opened);
        let bend = bent.map(|(_, skin, serial)| (skin, serial));
        let now = PosedAt {
            generation: session.generation(),
            clip: key,
            time,
            unkeyed: held,
            as_opened,
            bend,
        };
        if self.posed == Some(now) || self.awaits_surface() {
            return;
        }
        // Weights move the surface, but no joint.
        let only_weights =
            self.posed.is_some_and(|p| PosedAt { generation: now.generation, ..p } == now)
                && !changes.is_empty()
                && changes.iter().all(|c| matches!(c, Change::Weights { .. }));
        if !only_weights {
            let shown = if as_opened { session.opened() } else { document };
            let stack = match clip.and_then(|c| c.mix.as_ref()) {
                _ if as_opened => Stack::shown(shown, clip.and_then(|c| c.key), time),
                Some(mix) => self.mixer.stack(document, mix, time),
                None => Stack::of(clip.map(|c| &c.clip), time)
                    .with_layers(document, clip.and_then(|c| c.key)),
            };
            let between = clip.map(|c| c.between).unwrap_or_default();
            let unkeyed = unkeyed.filter(|_| !as_opened);
            let stack = stack.going(between).with_unkeyed(unkeyed.map(|(_, pose)| pose.clone()));
            self.evaluator.update(shown, &stack, &mut self.pose);
            self.bent_whole = None;
            if let Some((bend, skin, _)) = bent {
                let whole =
                    |pose| Bend { amount: 1.0, ..bend.clone() }.applied(document, skin, pose);
                self.bent_whole = (bend.amount < 1.0).then(|| whole(&self.pose));
                self.pose = bend.applied(document, skin, &self.pose);
            }
            self.find_bones(document);
        }
        self.update_weights(document, changes);
        self.posed = Some(now);
        if only_weights && !self.surface_stale {
            self.move_surface(document, changes);
        } else {
            self.surface_stale = true;
            self.pose_serial += 1;
        }
        self.serial += 1;
        match (&self.gpu, &mut self.scene) {
            (Some((gpu, _)), Some(scene)) if only_weights => {
                scene.update_reweighed(gpu, document, &self.pose)
            }
            (Some((gpu, _)), Some(scene)) => scene.update(gpu, document, &self.pose),
            _ => {}
        }
    }

    /// Whether ghosts are shown.
    pub(super) const fn shows_ghosts(&self) -> bool {
        self.ghosts.wanted.is_some()
    }

    /// Takes all ghosts away.
    pub(super) fn hide_ghosts(&mut self) {
        if self.ghosts.wanted.take().is_some() {
            self.scene.iter_mut().for_each(Scene::forget_ghosts);
            self.ghosts.bones.clear();
            self.serial += 1;
        }
    }

    /// Shows these ghosts. Those that stand where one was shown before are not posed again.
    pub(super) fn show_ghosts(
        &mut self,
        session: &Session,
        id: Option<ClipId>,
        wanted: GhostsWanted,
    ) {
        let document = session.document();
        let (Some((gpu, _)), Some(scene), None) = (&self.gpu, &mut self.scene, &self.awaited)
        else {
            return;
        };
        if self.ghosts.wanted.as_ref() == Some(&wanted) {
            return;
        }
        let before = self.ghosts.wanted.replace(wanted);
        let Ghosts { wanted: Some(wanted), evaluator, pose, bones: ghost_bones } = &mut self.ghosts
        else {
            return;
        };
        let made_from = |w: &GhostsWanted| (w.made_from, w.as_opened, w.between, w.of.clone());
        if before.is_none_or(|b| made_from(&b) != made_from(wanted)) {
            scene.forget_ghosts();
        }
        let looks: Vec<GhostLook> = wanted
            .moments
            .iter()
            .map(|(time, far)| {
                // What was is gray; moments of a clip have their colors.
                let [r, g, b, _] = match wanted.as_opened {
                    true => self.look.joint,
                    false => self.look.ghosts[usize::from(far.is_sign_positive())],
                };
                GhostLook {
                    moment: u64::from(time.to_bits()),
                    color: [r, g, b, 1.0 - 0.7 * far.abs()],
                }
            })
            .collect();
        let of = (!wanted.of.is_empty()).then(|| scene.moved_by(document, &wanted.of));
        let missing = scene.show_ghosts(gpu, &looks);
        let bare = !document.shown_nodes().iter().any(|n| document.node(*n).mesh.is_some());
        ghost_bones.clear();
        for ((time, _), look) in wanted.moments.iter().zip(&looks) {
            let new = missing.contains(&look.moment);
            if new || bare {
                let of = if wanted.as_opened { session.opened() } else { document };
                let stack = Stack::shown(of, id, f64::from(*time)).going(wanted.between);
                evaluator.update(of, &stack, pose);
            }
            if new {
                scene.pose_ghost(gpu, document, look, pose, of.as_deref());
            }
            if bare {
                let [r, g, b, a] = look.color;
                let color = [r, g, b, a * 0.5];
                let bones = bones(document, pose, &self.skeleton);
                ghost_bones.extend(bones.into_iter().map(|bone| BoneLook {
                    bone,
                    color,
                    edge: color,
                }));
            }
        }
        if !missing.is_empty() {
            scene.update(gpu, document, &self.pose);
        }
        self.serial += 1;
    }

    /// The bones of the pose that is shown.
    fn find_bones(&mut self, document: &Document) {
        self.bones = bones(document, &self.pose, &self.skeleton);
        if self.deforming {
            let deforms = &self.skeleton.deforms;
            self.bones.retain(|b| deforms.get(b.joint.index()) == Some(&true));
        }
    }

    /// Whether only joints that move vertices are shown.
    pub(super) fn set_deforming(&mut self, document: &Document, on: bool) {
        if self.deforming != on {
            self.deforming = on;
            self.find_bones(document);
            self.serial += 1;
        }
    }

    /// Draws what changed. Seconds until it is to be called once more, since a quick picture is
    /// shown and is to be full when nothing moves any more.
    pub(super) fn draw(
        &mut self,
        state: Option<&RenderState>,
        document: &Document,
        seen: &Seen<'_>,
        motion: Motion,
    ) -> Option<f64> {
        let Seen { camera, selection, marks, hover, faded, shown, painting, .. } = *seen;
        let (Some(state), Some((gpu, renderer)), Some(scene)) =
            (state, &mut self.gpu, &mut self.scene)
        else {
            return None;
        };
        scene.hide(&marks.hidden, &marks.shown);
        let pixels = [self.size.x, self.size.y]
            .map(|s| (s * self.pixels_per_point).round().clamp(1.0, 8192.0) as u32);
        let now = Drawn {
            serial: self.serial,
            camera: *camera,
            selection: selection.without_keys(),
            marks: marks.clone(),
            hover,
            faded: faded.clone(),
            shown,
            pixels,
            tint: painting.and_then(|p| p.tint),
        };
        let same = self.drawn.as_ref() == Some(&now);
        if same && !self.coarse {
            return self.warm_up_pipelines(document, seen, motion);
        }
        let quick = if same {
            let rests_in = self.ladder.rests_in(motion);
            if rests_in > 0.0 {
                return Some(rests_in);
            }
            None
        } else {
            self.ladder.changed(motion)
        };
        let switches = self.coarse != quick.is_some();
        self.coarse = quick.is_some();
        let slot = &mut self.targets[usize::from(self.coarse)];
        let fits =
            slot.as_ref().is_some_and(|t| t.shown == pixels && t.part == quick.unwrap_or(1.0));
        if !fits {
            *slot =
                Some(quick.map_or_else(
                    || Target::new(gpu, pixels),
                    |part| Target::quick(gpu, pixels, part),
                ));
        }
        let Some(target) = slot else { return None };
        if !fits || switches {
            // One texture for both: what is drawn here is seen in this very frame, though its
            // panels were laid out before.
            let mut egui = state.renderer.write();
            let (device, view, filter) =
                (&state.device, &target.plain_view, wgpu::FilterMode::Linear);
            match self.texture {
                Some(id) => egui.update_egui_texture_from_wgpu_texture(device, view, filter, id),
                None => self.texture = Some(egui.register_native_texture(device, view, filter)),
            }
        }
        let mut show = Show {
            scale: self.pixels_per_point,
            size: self.extent,
            ..show(document, (&self.bones, &self.pose.hidden), &self.look, seen)
        };
        show.bones.splice(0..0, self.ghosts.bones.iter().copied());
        renderer.draw(gpu, target, scene, camera, &self.look, &show);
        self.drawn = Some(now);
        self.stood = motion.now;
        if self.coarse {
            self.practiced = Some(self.practiced_by(seen));
            return Some(self.ladder.rests_in(motion));
        }
        self.warm_up_pipelines(document, seen, motion)
    }

    fn practiced_by(&self, seen: &Seen<'_>) -> Practiced {
        (self.scene_serial, seen.shown.shading, seen.painting.and_then(|p| p.tint))
    }

    /// A program that draws compiles what it draws by when that is first used. So that the first
    /// moment of a drag does not wait for it, a quick picture of a few pixels is drawn in a still
    /// one before. Seconds until then.
    fn warm_up_pipelines(
        &mut self,
        document: &Document,
        seen: &Seen<'_>,
        motion: Motion,
    ) -> Option<f64> {
        // Seconds without a change after which a moment counts as still.
        const STILL: f64 = 0.3;
        let kind = self.practiced_by(seen);
        let (Some((gpu, renderer)), Some(scene)) = (&mut self.gpu, &self.scene) else {
            return None;
        };
        if !gpu.software || motion.quality == Quality::High || self.practiced == Some(kind) {
            return None;
        }
        let left = self.stood + STILL - motion.now;
        if left > 0.0 {
            return Some(left);
        }
        // No powers of two, for which there is other code.
        let target = Target::quick(gpu, [15, 15], 1.0);
        let show = Show {
            scale: 1.0,
            size: self.extent,
            ..show(document, (&self.bones, &self.pose.hidden), &self.look, seen)
        };
        renderer.draw(gpu, &target, scene, seen.camera, &self.look, &show);
        self.practiced = Some(kind);
        None
    }
}

/// What is asked for, as the renderer has it.
fn show(
    document: &Document,
    (bones, hidden): (&[Bone], &BTreeSet<NodeId>),
    look: &ViewportColors,
    seen: &Seen<'_>,
) -> Show {
    let Seen { selection, shown, painting, .. } = *seen;
    let tint = painting.and_then(|p| p.tint);
    let outlined = |n: &NodeId| document.nodes.get(*n).is_some_and(|n| n.mesh.is_some());
    Show {
        shading: shown.shading,
        outlined: selection.nodes.iter().copied().filter(outlined).collect(),
        grid: shown.grid,
        bones: if shown.joints { looks(document, bones, look, seen, hidden) } else { Vec::new() },
        bone_width: Some(shown.joint_size),
        sticks: shown.sticks,
        lights: shown.lights,
        tint,
        tint_edges: tint.is_some() && painting.is_some_and(|p| p.edges),
        ..Show::default()
    }
}

/// A bone's colors: what is selected is amber, its children a shade of it.
fn looks(
    document: &Document,
    bones: &[Bone],
    look: &ViewportColors,
    seen: &Seen<'_>,
    hidden: &BTreeSet<NodeId>,
) -> Vec<BoneLook> {
    /// What is left of a joint that steps back.
    const FADED: f32 = 0.14;
    let Seen { selection, marks, hover, faded, unkeyed, .. } = *seen;
    let painting = seen.painting.is_some();
    let outline = |[r, g, b, a]: [f32; 4]| [r, g, b, if painting { 0.16 } else { a }];
    let color = |bone: &Bone| {
        if selection.nodes.contains(&bone.joint) {
            // While painting the joint is an outline, so that the colors under it can be read.
            (outline(look.joint_selected), look.joint_selected_edge)
        } else if hover == Some(bone.joint) {
            (look.joint_hover, look.joint_edge)
        } else if unkeyed.is_some_and(|u| u.locals.contains_key(&bone.joint)) {
            (look.joint_unkeyed, look.joint_edge)
        } else if marks.locked.contains(&bone.joint) {
            let [r, g, b, a] = look.joint;
            ([r * 0.3, g * 0.3, b * 0.3, a], look.joint_edge)
        } else if document.node(bone.joint).parent.is_some_and(|p| selection.nodes.contains(&p)) {
            (look.joint_related, look.joint_edge)
        } else {
            (look.joint, look.joint_edge)
        }
    };
    bones
        .iter()
        .filter(|bone| !marks.hides(bone.joint, hidden))
        .map(|bone| {
            let (mut color, mut edge) = color(bone);
            if faded.contains(&bone.joint) {
                color[3] *= FADED;
                edge[3] *= FADED;
            }
            BoneLook { bone: *bone, color, edge }
        })
        .collect()
}
