//! The passes of one picture: surfaces, ground grid, what is see-through, outlines, then joints
//! over all.

use std::sync::Arc;

use bytemuck::{Pod, Zeroable};
use glam::Vec2;

use super::{
    Camera, Gpu, Scene, Shading, Show, Target, TintKind, ViewportColors,
    lights::{MOST, Shining},
    look::{STOPS, ramp},
    pipeline::{BONE_STRIDE, Draw, Layer, MeshKey, Pipelines, features, frame_bind},
    scene::ScenePrimitive,
    shadow::{KEY, Shadow},
    sky,
    target::Samples,
};
use ulna_model::Topology;

/// Keep in sync with `Frame` in shaders/frame.wgsl.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
struct FrameUniform {
    clip_from_world: [[f32; 4]; 4],
    world_from_clip: [[f32; 4]; 4],
    eye: [f32; 4],
    key: [f32; 4],
    background: [f32; 4],
    grid_minor: [f32; 4],
    grid_major: [f32; 4],
    axis_x: [f32; 4],
    axis_z: [f32; 4],
    misc: [f32; 4],
    eye_forward: [f32; 4],
    shadow_from_world: [[f32; 4]; 4],
    world_from_shadow: [[f32; 4]; 4],
    matt: [[f32; 4]; 9],
    wire: [f32; 4],
    outline: [f32; 4],
    zero_weight: [f32; 4],
    tint_edge: [f32; 4],
    heat: [[f32; 4]; STOPS],
    lights: [Shining; MOST],
}

/// Keep in sync with `Bone` in shaders/joint.wgsl.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
struct BoneInstance {
    head: [f32; 3],
    tail: [f32; 3],
    width: f32,
    color: [f32; 4],
    edge: [f32; 4],
}

const _: () = assert!(size_of::<BoneInstance>() as u64 == BONE_STRIDE);

/// Draws pictures on one device.
pub struct Renderer {
    frame: wgpu::Buffer,
    frame_bind: wgpu::BindGroup,
    shadow_bind: wgpu::BindGroup,
    shadow: Shadow,
    matt: [[f32; 4]; 9],
    pipelines: Arc<Pipelines>,
    /// Whether a picture drawn as light is written once more as bytes.
    encodes: bool,
    bones: Option<wgpu::Buffer>,
}

/// What one picture is of.
#[derive(Clone, Copy)]
struct Shot<'a> {
    scene: &'a Scene,
    camera: &'a Camera,
    show: &'a Show,
    /// Whether light is found once for each pixel.
    quick: bool,
    /// Points of its height.
    height: f32,
    /// How much of their color edges over tints have.
    edge_alpha: f32,
}

impl Shot<'_> {
    /// How much there is of a part's edges, 0..=1: where triangles are hardly larger than lines are
    /// wide, lines would be all that is seen.
    fn edges_of(&self, part: &ScenePrimitive) -> f32 {
        // Of the disc about a part's box, what its surface covers, about.
        const FILLED: f32 = 0.3;
        // Square points of a triangle.
        const NONE: f32 = 8.0;
        const ALL: f32 = 28.0;
        let depth = match self.camera.orthographic {
            true => self.camera.distance,
            false => {
                (part.center - self.camera.eye()).dot(self.camera.forward()).max(part.reach * 0.25)
            }
        };
        let radius = part.reach / self.camera.meters_per_point(depth.max(1e-6), self.height);
        // Half of them turn away.
        let triangles = (part.index_count as f32 / 6.0).max(1.0);
        let points = std::f32::consts::PI * radius * radius * FILLED / triangles;
        ((points - NONE) / (ALL - NONE)).clamp(0.0, 1.0)
    }
}

impl Pipelines {
    /// Makes what a full picture of a scene is drawn by, so that it need not be made when the
    /// picture is.
    pub fn make_ready(&self, scene: &Scene) {
        let show = Show::default();
        let shot = Shot {
            scene,
            camera: &Camera::default(),
            show: &show,
            quick: false,
            height: 1.0,
            edge_alpha: 1.0,
        };
        let surfaces = scene.shown().flat_map(|part| {
            let draws = part.draws().map(|(_, mirrored, _)| mirrored).collect::<Vec<_>>();
            let sides = sides_of(part, shot.show);
            let keys = sides.iter().flat_map(move |s| {
                draws.clone().into_iter().map(move |m| key_of(part, *s, m, &shot))
            });
            keys.map(Draw::Mesh).chain([caster_of(part)])
        });
        for draw in surfaces.chain([Draw::Grid, Draw::Ground, Draw::Joints]) {
            self.get(draw, false);
        }
    }
}

/// Points that an outline is wide.
const OUTLINE: f32 = 2.0;

impl Renderer {
    /// Makes what pictures need; pipelines come when they are first drawn by.
    pub fn new(gpu: &Gpu) -> Self {
        let pipelines = Arc::new(Pipelines::new(gpu));
        let frame = gpu.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("frame"),
            size: size_of::<FrameUniform>() as u64,
            usage: wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        let shadow = Shadow::new(gpu);
        let shadow_bind = gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("shadow"),
            layout: &pipelines.layouts.shadow,
            entries: &[wgpu::BindGroupEntry { binding: 0, resource: frame.as_entire_binding() }],
        });
        Self {
            frame_bind: frame_bind(gpu, &pipelines.layouts.frame, &frame, &shadow),
            frame,
            shadow_bind,
            shadow,
            matt: sky::irradiance(),
            pipelines,
            encodes: !gpu.view_formats,
            bones: None,
        }
    }

    /// What pictures are drawn by, which scenes are made for.
    pub const fn pipelines(&self) -> &Arc<Pipelines> {
        &self.pipelines
    }

    /// Draws a picture.
    pub fn draw(
        &mut self,
        gpu: &Gpu,
        target: &Target,
        scene: &Scene,
        camera: &Camera,
        look: &ViewportColors,
        show: &Show,
    ) {
        let size = Vec2::new(target.size[0] as f32, target.size[1] as f32);
        let (shadow_from_world, off_surface) = self.shadow.frame(scene.bounds);
        let mut lights = [Shining::default(); MOST];
        let lit = if show.lights { scene.lights.len().min(MOST) } else { 0 };
        lights[..lit].copy_from_slice(&scene.lights[..lit]);
        let mut uniform = FrameUniform {
            shadow_from_world: shadow_from_world.to_cols_array_2d(),
            world_from_shadow: shadow_from_world.inverse().to_cols_array_2d(),
            matt: self.matt,
            lights,
            ..frame_uniform(camera, look, show, target, off_surface)
        };
        uniform.eye_forward[3] = lit as f32;
        let shot = Shot {
            scene,
            camera,
            show,
            quick: matches!(target.samples, Samples::One { .. }),
            height: target.shown[1] as f32 / show.scale.max(1e-3),
            // A line is at least one of its pixels wide.
            edge_alpha: look.tint_edge[3] * target.part,
        };
        gpu.queue.write_buffer(&self.frame, 0, bytemuck::bytes_of(&uniform));
        let bones = self.upload_bones(gpu, show);
        let mut encoder = gpu
            .device
            .create_command_encoder(&wgpu::CommandEncoderDescriptor { label: Some("viewport") });
        // Nothing casts a shadow on tints, whose colors are to be read.
        if show.tint.is_none() && self.shadow.version != scene.version && off_surface > 0.0 {
            self.draw_shadow(&mut encoder, scene);
            self.shadow.version = scene.version;
        }
        let outlined: Vec<&ScenePrimitive> = scene
            .shown()
            .filter(|p| p.topology == Topology::Triangles && show.outlined.contains(&p.node))
            .collect();
        if !outlined.is_empty() {
            self.draw_mask(&mut encoder, target, &outlined);
        }
        let kept = match &target.samples {
            Samples::One { surfaces } => {
                let mut pass =
                    begin(&mut encoder, "surfaces", Onto::Surfaces(surfaces), &target.depth_view);
                pass.set_bind_group(0, &self.frame_bind, &[]);
                pass.set_viewport(0.0, 0.0, size.x, size.y, 0.0, 0.5);
                self.draw_opaque(gpu, &mut pass, &shot);
                Some(picture_bind(gpu, &self.pipelines.layouts.surfaces, surfaces))
            }
            Samples::Several { .. } => None,
        };
        {
            let [r, g, b, _] = look.background.map(f64::from);
            let behind = if show.transparent {
                wgpu::Color::TRANSPARENT
            } else {
                wgpu::Color { r, g, b, a: 1.0 }
            };
            let mut pass =
                begin(&mut encoder, "viewport", Onto::Light(target, behind), &target.depth_view);
            pass.set_bind_group(0, &self.frame_bind, &[]);
            // Reverse depth: surfaces have the farther half of it, what is drawn over all of them
            // the nearer.
            pass.set_viewport(0.0, 0.0, size.x, size.y, 0.0, 0.5);
            match kept {
                Some(kept) => self.draw_light(&mut pass, &kept, &shot),
                None => self.draw_opaque(gpu, &mut pass, &shot),
            }
            self.draw_over(gpu, &mut pass, &shot, off_surface > 0.0);
            pass.set_viewport(0.0, 0.0, size.x, size.y, 0.5, 1.0);
            if !outlined.is_empty() {
                let mask = picture_bind(gpu, &self.pipelines.layouts.picture, &target.mask_view);
                pass.set_pipeline(&self.pipelines.get(Draw::Outline, shot.quick));
                pass.set_bind_group(1, &mask, &[]);
                pass.draw(0..3, 0..1);
            }
            if let Some(buffer) = self.bones.as_ref().filter(|_| bones > 0) {
                pass.set_pipeline(&self.pipelines.get(Draw::Joints, shot.quick));
                pass.set_vertex_buffer(0, buffer.slice(..));
                pass.draw(0..24, 0..bones);
            }
        }
        if self.encodes {
            self.encode(gpu, &mut encoder, target);
        }
        gpu.queue.submit([encoder.finish()]);
    }

    /// What hides what is behind.
    fn draw_opaque(&self, gpu: &Gpu, pass: &mut wgpu::RenderPass<'_>, shot: &Shot<'_>) {
        for part in shot.scene.shown() {
            if shot.show.tint.is_some() {
                let tinted = part.tints.values.is_some();
                let tint = Draw::Tint { topology: topology_of(part), tinted };
                pass.set_pipeline(&self.pipelines.get(tint, shot.quick));
                if let Some(values) = &part.tints.values {
                    pass.set_vertex_buffer(2, values.slice(..));
                }
                draw_bare(pass, part, part.own_indices(gpu));
            } else if !is_see_through(part, shot.show) {
                self.draw_part(pass, part, shot);
            }
        }
    }

    /// Light on the surfaces of a quick picture.
    fn draw_light(&self, pass: &mut wgpu::RenderPass<'_>, kept: &wgpu::BindGroup, shot: &Shot<'_>) {
        let Shot { scene, show, .. } = *shot;
        let lights = show.lights && show.shading == Shading::Textured && !scene.lights.is_empty();
        let features = features::QUICK | if lights { features::LIGHTS } else { 0 };
        let draw = if show.tint.is_some() { Draw::TintLight } else { Draw::MeshLight(features) };
        pass.set_pipeline(&self.pipelines.get(draw, true));
        pass.set_bind_group(2, kept, &[]);
        pass.draw(0..3, 0..1);
    }

    /// What lies over it, the farthest first: the ground, edges, what is see-through.
    fn draw_over(&self, gpu: &Gpu, pass: &mut wgpu::RenderPass<'_>, shot: &Shot<'_>, casts: bool) {
        let Shot { scene, camera, show, quick, .. } = *shot;
        if show.tint.is_some() && show.tint_edges {
            self.draw_edges(gpu, pass, shot, Draw::Edges);
        }
        if show.grid {
            pass.set_pipeline(&self.pipelines.get(Draw::Grid, quick));
            pass.draw(0..6, 0..1);
            if casts && show.tint.is_none() {
                pass.set_pipeline(&self.pipelines.get(Draw::Ground, quick));
                pass.draw(0..6, 0..1);
            }
        }
        if show.tint.is_some() {
            return;
        }
        if show.shading == Shading::Wireframe {
            self.draw_edges(gpu, pass, shot, Draw::Wires);
            self.draw_ghosts(pass, shot);
            return;
        }
        let eye = camera.eye();
        let mut blended: Vec<_> = scene.shown().filter(|p| is_see_through(p, show)).collect();
        blended.sort_by(|a, b| {
            b.center.distance_squared(eye).total_cmp(&a.center.distance_squared(eye))
        });
        for part in blended {
            self.draw_part(pass, part, shot);
        }
        self.draw_ghosts(pass, shot);
    }

    /// The farthest first. Of each only what is nearest is seen, or an arm would show through a
    /// body.
    fn draw_ghosts(&self, pass: &mut wgpu::RenderPass<'_>, shot: &Shot<'_>) {
        let eye = shot.camera.eye();
        let mut ghosts: Vec<_> = shot.scene.ghosts.iter().collect();
        ghosts.sort_by(|a, b| {
            b.center.distance_squared(eye).total_cmp(&a.center.distance_squared(eye))
        });
        for ghost in ghosts {
            for depth in [true, false] {
                pass.set_pipeline(&self.pipelines.get(Draw::Ghost { depth }, shot.quick));
                pass.set_bind_group(1, &ghost.bind, &[]);
                for (part, [posed, places]) in ghost.surfaces(shot.scene) {
                    pass.set_vertex_buffer(0, posed.slice(..));
                    pass.set_vertex_buffer(1, places.slice(..));
                    pass.set_index_buffer(part.indices.slice(..), wgpu::IndexFormat::Uint32);
                    for (instances, ..) in part.draws() {
                        pass.draw_indexed(0..(part.indices.size() / 4) as u32, 0, instances);
                    }
                }
            }
        }
    }

    fn draw_edges(&self, gpu: &Gpu, pass: &mut wgpu::RenderPass<'_>, shot: &Shot<'_>, draw: Draw) {
        pass.set_pipeline(&self.pipelines.get(draw, shot.quick));
        // Whatever is drawn after it is refused where there is none.
        pass.set_blend_constant(wgpu::Color::TRANSPARENT);
        for part in shot.scene.shown() {
            if draw == Draw::Edges {
                let share = f64::from(shot.edges_of(part) * shot.edge_alpha);
                if share < 1.0 / 255.0 {
                    continue;
                }
                pass.set_blend_constant(wgpu::Color { r: share, g: share, b: share, a: share });
            }
            if let Some(edges) = part.edges(gpu) {
                draw_bare(pass, part, edges);
            }
        }
    }

    fn draw_mask(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        target: &Target,
        parts: &[&ScenePrimitive],
    ) {
        let (view, resolve_target, store) = match &target.samples {
            Samples::Several { mask, .. } => {
                (mask, Some(&target.mask_view), wgpu::StoreOp::Discard)
            }
            Samples::One { .. } => (&target.mask_view, None, wgpu::StoreOp::Store),
        };
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some("mask"),
            color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                view,
                depth_slice: None,
                resolve_target,
                ops: wgpu::Operations { load: wgpu::LoadOp::Clear(wgpu::Color::BLACK), store },
            })],
            depth_stencil_attachment: None,
            timestamp_writes: None,
            occlusion_query_set: None,
            multiview_mask: None,
        });
        pass.set_pipeline(
            &self.pipelines.get(Draw::Mask, matches!(target.samples, Samples::One { .. })),
        );
        pass.set_bind_group(0, &self.frame_bind, &[]);
        for part in parts {
            draw_bare(&mut pass, part, &part.indices);
        }
    }

    /// Writes what was drawn as light as the bytes that a window blends.
    fn encode(&self, gpu: &Gpu, encoder: &mut wgpu::CommandEncoder, target: &Target) {
        let picture = picture_bind(gpu, &self.pipelines.layouts.picture, &target.srgb_view);
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some("encode"),
            color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                view: &target.plain_view,
                depth_slice: None,
                resolve_target: None,
                ops: wgpu::Operations {
                    load: wgpu::LoadOp::Clear(wgpu::Color::BLACK),
                    store: wgpu::StoreOp::Store,
                },
            })],
            depth_stencil_attachment: None,
            timestamp_writes: None,
            occlusion_query_set: None,
            multiview_mask: None,
        });
        pass.set_pipeline(&self.pipelines.get(Draw::Encode, false));
        pass.set_bind_group(0, &picture, &[]);
        pass.draw(0..3, 0..1);
    }

    fn draw_shadow(&self, encoder: &mut wgpu::CommandEncoder, scene: &Scene) {
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some("shadow"),
            color_attachments: &[],
            depth_stencil_attachment: Some(wgpu::RenderPassDepthStencilAttachment {
                view: &self.shadow.view,
                depth_ops: Some(wgpu::Operations {
                    load: wgpu::LoadOp::Clear(1.0),
                    store: wgpu::StoreOp::Store,
                }),
                stencil_ops: None,
            }),
            timestamp_writes: None,
            occlusion_query_set: None,
            multiview_mask: None,
        });
        pass.set_bind_group(0, &self.shadow_bind, &[]);
        for part in scene.shown().filter(|p| !p.blend && p.topology == Topology::Triangles) {
            pass.set_pipeline(&self.pipelines.get(caster_of(part), false));
            pass.set_vertex_buffer(0, part.skin.posed.slice(..));
            pass.set_vertex_buffer(1, part.looks.slice(..));
            pass.set_vertex_buffer(2, part.places.slice(..));
            pass.set_index_buffer(part.indices.slice(..), wgpu::IndexFormat::Uint32);
            for (instances, _, material) in part.draws() {
                pass.set_bind_group(1, material, &[]);
                pass.draw_indexed(0..part.index_count, 0, instances);
            }
        }
    }

    fn draw_part(&self, pass: &mut wgpu::RenderPass<'_>, part: &ScenePrimitive, shot: &Shot<'_>) {
        if let Some(tangents) = &part.skin.posed_tangents {
            pass.set_vertex_buffer(3, tangents.slice(..));
        }
        pass.set_vertex_buffer(0, part.skin.posed.slice(..));
        pass.set_vertex_buffer(1, part.looks.slice(..));
        pass.set_vertex_buffer(2, part.places.slice(..));
        pass.set_index_buffer(part.indices.slice(..), wgpu::IndexFormat::Uint32);
        for sides in sides_of(part, shot.show) {
            for (instances, mirrored, material) in part.draws() {
                pass.set_pipeline(
                    &self
                        .pipelines
                        .get(Draw::Mesh(key_of(part, *sides, mirrored, shot)), shot.quick),
                );
                pass.set_bind_group(1, material, &[]);
                pass.draw_indexed(0..part.index_count, 0, instances);
            }
        }
    }

    fn upload_bones(&mut self, gpu: &Gpu, show: &Show) -> u32 {
        let instances: Vec<BoneInstance> = show
            .bones
            .iter()
            .map(|b| {
                let length = b.bone.head.distance(b.bone.tail);
                let thick = show.bone_width.unwrap_or(1.0);
                let usual = (length * 0.11).clamp(show.size * 0.002, show.size * 0.018);
                let width = if show.sticks { show.size * 0.0016 } else { usual } * thick;
                let width = width.min(length * 0.45) * if show.sticks { -1.0 } else { 1.0 };
                BoneInstance {
                    head: b.bone.head.into(),
                    tail: b.bone.tail.into(),
                    width,
                    color: b.color,
                    edge: b.edge,
                }
            })
            .collect();
        if instances.is_empty() {
            return 0;
        }
        let bytes: &[u8] = bytemuck::cast_slice(&instances);
        if self.bones.as_ref().is_none_or(|b| b.size() < bytes.len() as u64) {
            self.bones = Some(gpu.device.create_buffer(&wgpu::BufferDescriptor {
                label: Some("bones"),
                size: (bytes.len() as u64).next_power_of_two(),
                usage: wgpu::BufferUsages::VERTEX | wgpu::BufferUsages::COPY_DST,
                mapped_at_creation: false,
            }));
        }
        if let Some(buffer) = &self.bones {
            gpu.queue.write_buffer(buffer, 0, bytes);
        }
        instances.len() as u32
    }
}

fn is_see_through(part: &ScenePrimitive, show: &Show) -> bool {
    match show.shading {
        Shading::Textured => part.blend,
        Shading::Solid => false,
        // Lines and points stay as they are among the wires.
        Shading::Wireframe => part.topology == Topology::Triangles,
        Shading::XRay => true,
    }
}

/// Which sides of a part's triangles are drawn.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sides {
    Front,
    Back,
    Both,
}

/// The draws of a part. A see-through, double-sided surface is drawn twice: what turns from the eye
/// first.
const fn sides_of(part: &ScenePrimitive, show: &Show) -> &'static [Sides] {
    match show.shading {
        _ if !part.double_sided => &[Sides::Front],
        Shading::Textured if part.blend => &[Sides::Back, Sides::Front],
        _ => &[Sides::Both],
    }
}

const fn caster_of(part: &ScenePrimitive) -> Draw {
    Draw::Caster { cut: part.features & features::CUT != 0 }
}

/// Which pipeline draws these sides of a part.
fn key_of(part: &ScenePrimitive, sides: Sides, mirrored: bool, shot: &Shot<'_>) -> MeshKey {
    let Shot { scene, show, quick, .. } = *shot;
    let topology = topology_of(part);
    let cull = match (sides, mirrored) {
        // Lines and points have no sides.
        _ if part.topology != Topology::Triangles => None,
        (Sides::Both, _) => None,
        // What is mirrored turns its other side to the eye.
        (Sides::Front, false) | (Sides::Back, true) => Some(wgpu::Face::Back),
        (Sides::Back, false) | (Sides::Front, true) => Some(wgpu::Face::Front),
    };
    let shading = match show.shading {
        Shading::Textured if show.lights && !scene.lights.is_empty() => {
            part.features | features::LIGHTS
        }
        Shading::Textured => part.features,
        Shading::Solid | Shading::Wireframe => part.features & features::FLAT | features::PLAIN,
        Shading::XRay => part.features & features::FLAT | features::PLAIN | features::XRAY,
    };
    let layer = match show.shading {
        Shading::Textured if part.blend => Layer::Blend,
        Shading::XRay => Layer::Blend,
        Shading::Textured | Shading::Solid | Shading::Wireframe => Layer::Opaque,
    };
    let features = match (quick, layer) {
        (true, Layer::Opaque) => shading & !features::LIGHTS,
        (true, Layer::Blend) => shading | features::QUICK,
        (false, _) => shading,
    };
    MeshKey { topology, layer, cull, bumped: part.skin.posed_tangents.is_some(), features }
}

const fn topology_of(part: &ScenePrimitive) -> wgpu::PrimitiveTopology {
    match part.topology {
        Topology::Triangles => wgpu::PrimitiveTopology::TriangleList,
        Topology::Lines => wgpu::PrimitiveTopology::LineList,
        Topology::Points => wgpu::PrimitiveTopology::PointList,
    }
}

/// Draws a part's posed vertices and its instances by some of its indices, without a material.
fn draw_bare(pass: &mut wgpu::RenderPass<'_>, part: &ScenePrimitive, indices: &wgpu::Buffer) {
    pass.set_vertex_buffer(0, part.skin.posed.slice(..));
    pass.set_vertex_buffer(1, part.places.slice(..));
    pass.set_index_buffer(indices.slice(..), wgpu::IndexFormat::Uint32);
    for (instances, ..) in part.draws() {
        pass.draw_indexed(0..(indices.size() / 4) as u32, 0, instances);
    }
}

/// What a pass draws into.
#[derive(Clone, Copy)]
enum Onto<'a> {
    /// What the surfaces of a quick picture are.
    Surfaces(&'a wgpu::TextureView),
    /// Light, over a background, and in a quick picture behind what its surfaces hide.
    Light(&'a Target, wgpu::Color),
}

fn begin<'e>(
    encoder: &'e mut wgpu::CommandEncoder,
    name: &str,
    onto: Onto<'_>,
    depth: &wgpu::TextureView,
) -> wgpu::RenderPass<'e> {
    use wgpu::{
        LoadOp::Clear,
        StoreOp::{Discard, Store},
    };
    // Reverse depth: 0 is infinitely far.
    let (nothing, kept) = (Clear(0.0), wgpu::LoadOp::Load);
    let (view, resolve_target, clear, store, depth_load, depth_store) = match onto {
        Onto::Surfaces(view) => (view, None, wgpu::Color::TRANSPARENT, Store, nothing, Store),
        Onto::Light(target, background) => match &target.samples {
            Samples::Several { light, .. } => {
                (light, Some(&target.srgb_view), background, Discard, nothing, Discard)
            }
            Samples::One { .. } => (&target.srgb_view, None, background, Store, kept, Discard),
        },
    };
    encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
        label: Some(name),
        color_attachments: &[Some(wgpu::RenderPassColorAttachment {
            view,
            depth_slice: None,
            resolve_target,
            ops: wgpu::Operations { load: Clear(clear), store },
        })],
        depth_stencil_attachment: Some(wgpu::RenderPassDepthStencilAttachment {
            view: depth,
            depth_ops: Some(wgpu::Operations { load: depth_load, store: depth_store }),
            stencil_ops: None,
        }),
        timestamp_writes: None,
        occlusion_query_set: None,
        multiview_mask: None,
    })
}

/// One picture, bound for another to be made from it.
fn picture_bind(
    gpu: &Gpu,
    layout: &wgpu::BindGroupLayout,
    picture: &wgpu::TextureView,
) -> wgpu::BindGroup {
    gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
        label: Some("picture"),
        layout,
        entries: &[wgpu::BindGroupEntry {
            binding: 0,
            resource: wgpu::BindingResource::TextureView(picture),
        }],
    })
}

/// All but the light, which the renderer knows. `off_surface` is 0 where nothing casts a shadow.
fn frame_uniform(
    camera: &Camera,
    look: &ViewportColors,
    show: &Show,
    target: &Target,
    off_surface: f32,
) -> FrameUniform {
    let [width, height] = target.shown.map(|s| s as f32);
    let clip_from_world = camera.clip_from_world(width / height.max(1.0));
    let eye = camera.eye();
    // Cells that look about as large at every distance.
    let cell = 10f32.powf((camera.distance * 0.16).max(1e-6).log10().floor());
    let reach = (camera.distance * 6.0).max(show.size * 3.0);
    FrameUniform {
        clip_from_world: clip_from_world.to_cols_array_2d(),
        world_from_clip: clip_from_world.as_dmat4().inverse().as_mat4().to_cols_array_2d(),
        eye: eye.extend(cell).to_array(),
        key: KEY.extend(reach).to_array(),
        background: look.background,
        grid_minor: look.grid_minor,
        grid_major: look.grid_major,
        axis_x: look.axis_x,
        axis_z: look.axis_z,
        misc: [target.part, 0.0, f32::from(u8::from(camera.orthographic)), off_surface],
        eye_forward: camera.forward().extend(0.0).to_array(),
        shadow_from_world: [[0.0; 4]; 4],
        world_from_shadow: [[0.0; 4]; 4],
        matt: [[0.0; 4]; 9],
        wire: look.wire,
        zero_weight: [
            look.zero_weight[0],
            look.zero_weight[1],
            look.zero_weight[2],
            show.tint.map_or(0.0, TintKind::number),
        ],
        tint_edge: look.tint_edge,
        heat: ramp().map(|(at, color)| {
            let [r, g, b, _] = color.0.map(|byte| f32::from(byte) / 255.0);
            [r, g, b, at]
        }),
        lights: [Shining::default(); MOST],
        outline: [
            look.outline[0],
            look.outline[1],
            look.outline[2],
            (OUTLINE * show.scale.max(1.0) - 0.5) * target.part + 0.5,
        ],
    }
}
