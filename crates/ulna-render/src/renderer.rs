//! The passes of one picture: opaque surfaces, ground grid, transparent surfaces, outlines, and
//! finally bones on top.

use std::sync::Arc;

use bytemuck::{Pod, Zeroable};
use glam::{Mat4, Vec2, Vec3};

use super::{
    Camera, Gpu, RenderTarget, Scene, SceneBeside, Shading, Show, ViewportColors,
    frame_uniform::{FrameUniform, frame_uniform},
    layouts::frame_bind,
    lights::{MOST, Shining},
    pass::{Onto, begin, draw_bare, picture_bind},
    pipeline::{BONE_STRIDE, Draw, Pipelines, features},
    scene_primitive::ScenePrimitive,
    shadow::Shadow,
    shot::{Shot, caster_of, is_see_through, key_of, sides_of, topology_of},
    sky,
    target::Samples,
};
use ulna_model::Topology;

/// Instance data of one bone. Keep in sync with `Bone` in shaders/joint.wgsl.
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
    /// Whether pictures are drawn to a separate sRGB texture and then converted to gamma-encoded
    /// bytes.
    encodes: bool,
    bones: Option<wgpu::Buffer>,
}

/// Replacement of a shading mode for a scene that is displayed without its materials.
const fn without_materials(shading: Shading) -> Shading {
    match shading {
        Shading::Textured => Shading::Solid,
        other => other,
    }
}

/// Bounding box of the shadow map. It includes all scenes, but is limited to the surroundings of
/// the main scene, so that a large ground does not make shadows coarse.
fn shadowed(scene: &Scene, beside: &[SceneBeside<'_>]) -> Option<(Vec3, Vec3)> {
    let others = || beside.iter().filter_map(|b| b.scene.bounds);
    let both = |a: (Vec3, Vec3), b: (Vec3, Vec3)| (a.0.min(b.0), a.1.max(b.1));
    let Some((low, high)) = scene.bounds else { return others().reduce(both) };
    let room = Vec3::splat((high - low).length());
    let (least, most) = (low - room, high + room);
    let (low, high) = others().fold((low, high), both);
    Some((low.max(least), high.min(most)))
}

impl Pipelines {
    /// Creates the pipelines for a full picture of a scene in advance, so that the first picture is
    /// not delayed.
    pub fn make_ready(&self, scene: &Scene) {
        let show = Show::default();
        let shot = Shot {
            scene,
            beside: false,
            lit: false,
            camera: &Camera::default(),
            show: &show,
            shading: show.shading,
            quick: false,
            height: 1.0,
            edge_alpha: 1.0,
        };
        let surfaces = scene.shown().flat_map(|part| {
            let draws = part.draws().map(|(_, mirrored, _)| mirrored).collect::<Vec<_>>();
            let sides = sides_of(part, shot.shading);
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

impl Renderer {
    /// Creates the renderer's buffers and bind groups. Pipelines are created at their first use.
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

    /// Pipelines of the renderer, which are needed to create scenes.
    pub const fn pipelines(&self) -> &Arc<Pipelines> {
        &self.pipelines
    }

    /// Draws a picture of one scene.
    pub fn draw(
        &mut self,
        gpu: &Gpu,
        target: &RenderTarget,
        scene: &Scene,
        camera: &Camera,
        look: &ViewportColors,
        show: &Show,
    ) {
        self.draw_with(gpu, target, (scene, &[]), camera, look, show);
    }

    /// Draws a picture of a main scene, with further scenes beside it.
    pub fn draw_with(
        &mut self,
        gpu: &Gpu,
        target: &RenderTarget,
        (scene, beside): (&Scene, &[SceneBeside<'_>]),
        camera: &Camera,
        look: &ViewportColors,
        show: &Show,
    ) {
        let size = Vec2::new(target.size[0] as f32, target.size[1] as f32);
        let scenes: Vec<&Scene> =
            std::iter::once(scene).chain(beside.iter().map(|b| b.scene)).collect();
        let (shadow_from_world, off_surface) = self.shadow.frame(shadowed(scene, beside));
        let frame = frame_uniform(camera, look, show, target, off_surface);
        let uniform = self.lit_frame(frame, scene, show, shadow_from_world);
        let shot = Shot {
            scene,
            beside: false,
            lit: show.lights && !scene.lights.is_empty(),
            camera,
            show,
            shading: show.shading,
            quick: matches!(target.samples, Samples::One { .. }),
            height: target.shown[1] as f32 / show.scale.max(1e-3),
            // A line is at least one pixel of the target wide, so it is drawn fainter at reduced
            // resolution.
            edge_alpha: look.tint_edge[3] * target.part,
        };
        let others = beside.iter().map(|b| Shot {
            scene: b.scene,
            beside: true,
            shading: if b.plain { without_materials(show.shading) } else { show.shading },
            ..shot
        });
        let shots: Vec<Shot<'_>> = std::iter::once(shot).chain(others).collect();
        gpu.queue.write_buffer(&self.frame, 0, bytemuck::bytes_of(&uniform));
        let bones = self.upload_bones(gpu, show);
        let mut encoder = gpu
            .device
            .create_command_encoder(&wgpu::CommandEncoderDescriptor { label: Some("viewport") });
        // Tinted surfaces receive no shadow, so that their colors stay readable.
        let versions: Vec<u64> = scenes.iter().map(|scene| scene.version).collect();
        if show.tint.is_none() && self.shadow.versions != versions && off_surface > 0.0 {
            self.draw_shadow(&mut encoder, &scenes);
            self.shadow.versions = versions;
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
                shots.iter().for_each(|shot| self.draw_opaque(gpu, &mut pass, shot));
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
            // Reverse depth: surfaces use the farther half of the range, and overlays use the
            // nearer half.
            pass.set_viewport(0.0, 0.0, size.x, size.y, 0.0, 0.5);
            match kept {
                Some(kept) => self.draw_light(&mut pass, &kept, &shot),
                None => shots.iter().for_each(|shot| self.draw_opaque(gpu, &mut pass, shot)),
            }
            self.draw_over(gpu, &mut pass, &shots, off_surface > 0.0);
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

    /// Per-frame uniforms, including lights and shadow.
    fn lit_frame(
        &self,
        frame: FrameUniform,
        scene: &Scene,
        show: &Show,
        shadow_from_world: Mat4,
    ) -> FrameUniform {
        let mut lights = [Shining::default(); MOST];
        let lit = if show.lights { scene.lights.len().min(MOST) } else { 0 };
        lights[..lit].copy_from_slice(&scene.lights[..lit]);
        let mut uniform = FrameUniform {
            shadow_from_world: shadow_from_world.to_cols_array_2d(),
            world_from_shadow: shadow_from_world.inverse().to_cols_array_2d(),
            matt: self.matt,
            lights,
            ..frame
        };
        uniform.eye_forward[3] = lit as f32;
        uniform
    }

    /// Draws opaque surfaces, with materials or tints.
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
            } else if !is_see_through(part, shot.shading) {
                self.draw_part(pass, part, shot);
            }
        }
    }

    /// Lights the surfaces in the G-buffer (deferred shading).
    fn draw_light(&self, pass: &mut wgpu::RenderPass<'_>, kept: &wgpu::BindGroup, shot: &Shot<'_>) {
        let Shot { show, lit, .. } = *shot;
        let lights = lit && show.shading == Shading::Textured;
        let features = features::QUICK | if lights { features::LIGHTS } else { 0 };
        let draw = if show.tint.is_some() { Draw::TintLight } else { Draw::MeshLight(features) };
        pass.set_pipeline(&self.pipelines.get(draw, true));
        pass.set_bind_group(2, kept, &[]);
        pass.draw(0..3, 0..1);
    }

    /// Draws the layers over opaque surfaces: edges, ground, transparent surfaces (farthest first)
    /// and ghosts.
    fn draw_over(
        &self,
        gpu: &Gpu,
        pass: &mut wgpu::RenderPass<'_>,
        shots: &[Shot<'_>],
        casts: bool,
    ) {
        let Some(shot) = shots.first() else { return };
        let Shot { camera, show, quick, .. } = *shot;
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
            shots.iter().for_each(|shot| self.draw_edges(gpu, pass, shot, Draw::Wires));
            self.draw_ghosts(pass, shot);
            return;
        }
        let eye = camera.eye();
        let blended = shots.iter().flat_map(|shot| {
            let parts = shot.scene.shown().filter(|p| is_see_through(p, shot.shading));
            parts.map(move |part| (part, shot))
        });
        let mut blended: Vec<_> = blended.collect();
        blended.sort_by(|(a, _), (b, _)| {
            b.center.distance_squared(eye).total_cmp(&a.center.distance_squared(eye))
        });
        for (part, shot) in blended {
            self.draw_part(pass, part, shot);
        }
        self.draw_ghosts(pass, shot);
    }

    /// Draws ghosts, farthest first. For each ghost, a depth pass comes first, so that only its
    /// nearest surface is visible.
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
                for (part, [posed, places]) in shot.scene.ghost_surfaces(ghost) {
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
        // A pipeline with a blend constant requires that a constant is set.
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
        target: &RenderTarget,
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

    /// Converts the sRGB picture to gamma-encoded bytes, the format that the window blends.
    fn encode(&self, gpu: &Gpu, encoder: &mut wgpu::CommandEncoder, target: &RenderTarget) {
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

    fn draw_shadow(&self, encoder: &mut wgpu::CommandEncoder, scenes: &[&Scene]) {
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
        let shown = scenes.iter().flat_map(|scene| scene.shown());
        for part in shown.filter(|p| !p.blend && p.topology == Topology::Triangles) {
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
        for sides in sides_of(part, shot.shading) {
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
