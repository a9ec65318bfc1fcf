//! The passes of one picture: surfaces, ground grid, what is see-through, outlines, then joints over all.

use std::collections::HashMap;

use bytemuck::{Pod, Zeroable};
use glam::Vec2;

use super::{
    Camera, Gpu, Look, Scene, Shading, Show, Target, TintKind,
    encode::Encode,
    lights::{MOST, Shining},
    look::{STOPS, ramp},
    material::Materials,
    pipeline::{Layer, MeshKey, PipelineMaker, features, frame_bind, frame_entry, frame_layout},
    scene::Part,
    shadow::{KEY, Shadow},
    sky,
    tint::TintPass,
};
use crate::model::Topology;

/// Keep in sync with `Frame` in shaders/frame.wgsl.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
struct FrameUniform {
    clip_from_world: [[f32; 4]; 4],
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

/// Pipelines, made once.
pub struct Renderer {
    frame: wgpu::Buffer,
    frame_layout: wgpu::BindGroupLayout,
    frame_bind: wgpu::BindGroup,
    shadow_bind: wgpu::BindGroup,
    shadow: Shadow,
    /// What casts a shadow: whole, and cut out by alpha.
    casters: [wgpu::RenderPipeline; 2],
    matt: [[f32; 4]; 9],
    material_layout: wgpu::BindGroupLayout,
    /// Those of surfaces, made when first needed.
    meshes: HashMap<MeshKey, wgpu::RenderPipeline>,
    /// Once a tinted picture was asked for.
    tint: Option<TintPass>,
    wire: wgpu::RenderPipeline,
    mask: wgpu::RenderPipeline,
    mask_layout: wgpu::BindGroupLayout,
    encode: Option<Encode>,
    outline: wgpu::RenderPipeline,
    grid: wgpu::RenderPipeline,
    ground_shadow: wgpu::RenderPipeline,
    joint: wgpu::RenderPipeline,
    bones: Option<wgpu::Buffer>,
}

/// What one picture is of.
#[derive(Clone, Copy)]
struct Shot<'a> {
    scene: &'a Scene,
    camera: &'a Camera,
    show: &'a Show,
    /// Pixels.
    height: f32,
}

impl Shot<'_> {
    /// Whether a part's triangles are smaller than pixels, in a picture that lasts a moment.
    fn is_dense(&self, part: &Part) -> bool {
        // What is seen of a box's ball, about, and how many triangles turn to the eye.
        const FILLED: f32 = 0.3;
        const PIXELS: f32 = 0.5;
        if !self.show.quick || part.topology != Topology::Triangles {
            return false;
        }
        let depth = match self.camera.orthographic {
            true => self.camera.distance,
            false => (part.centre - self.camera.eye()).dot(self.camera.forward()).max(part.reach * 0.5),
        };
        let radius = part.reach / self.camera.metres_per_point(depth.max(1e-6), self.height);
        let triangles = part.index_count as f32 / 6.0;
        triangles * PIXELS > std::f32::consts::PI * radius * radius * FILLED
    }
}

/// Points that an outline is wide.
const OUTLINE: f32 = 2.0;

impl Renderer {
    /// Makes the pipelines.
    pub fn new(gpu: &Gpu) -> Self {
        let device = &gpu.device;
        let frame_layout = frame_layout(device);
        let shadow_layout = device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label: Some("shadow"),
            entries: &[frame_entry()],
        });
        let frame = device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("frame"),
            size: size_of::<FrameUniform>() as u64,
            usage: wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        let shadow = Shadow::new(gpu);
        let shadow_bind = device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("shadow"),
            layout: &shadow_layout,
            entries: &[wgpu::BindGroupEntry { binding: 0, resource: frame.as_entire_binding() }],
        });
        let frame_bind = frame_bind(gpu, &frame_layout, &frame, &shadow);
        let material_layout = Materials::layout(gpu);
        let maker = PipelineMaker { device, frame: &frame_layout, material: &material_layout };
        let mask_layout = device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label: Some("mask"),
            entries: &[wgpu::BindGroupLayoutEntry {
                binding: 0,
                visibility: wgpu::ShaderStages::FRAGMENT,
                ty: wgpu::BindingType::Texture {
                    sample_type: wgpu::TextureSampleType::Float { filterable: true },
                    view_dimension: wgpu::TextureViewDimension::D2,
                    multisampled: false,
                },
                count: None,
            }],
        });
        let [grid, ground_shadow] = maker.ground();
        let attributes =
            wgpu::vertex_attr_array![0 => Float32x3, 1 => Float32x3, 2 => Float32, 3 => Float32x4, 4 => Float32x4];
        let instance = wgpu::VertexBufferLayout {
            array_stride: size_of::<BoneInstance>() as u64,
            step_mode: wgpu::VertexStepMode::Instance,
            attributes: &attributes,
        };
        let joint = maker.joint(instance);
        let casters = [false, true].map(|cut| maker.shadow(&shadow_layout, cut));
        let matt = sky::irradiance();
        let (wire, mask, outline) = (maker.wire(), maker.mask(), maker.outline(&mask_layout));
        Self {
            frame,
            frame_layout,
            frame_bind,
            shadow_bind,
            shadow,
            casters,
            matt,
            meshes: HashMap::new(),
            tint: None,
            wire,
            mask,
            outline,
            mask_layout,
            encode: (!gpu.view_formats).then(|| Encode::new(gpu)),
            grid,
            ground_shadow,
            joint,
            bones: None,
            material_layout,
        }
    }

    /// What a scene's materials are bound by.
    pub const fn material_layout(&self) -> &wgpu::BindGroupLayout {
        &self.material_layout
    }

    /// Draws a picture.
    pub fn draw(&mut self, gpu: &Gpu, target: &Target, scene: &Scene, camera: &Camera, look: &Look, show: &Show) {
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
            ..frame_uniform(camera, look, show, size, off_surface)
        };
        uniform.eye_forward[3] = lit as f32;
        let shot = Shot { scene, camera, show, height: size.y };
        gpu.queue.write_buffer(&self.frame, 0, bytemuck::bytes_of(&uniform));
        let bones = self.upload_bones(gpu, show);
        if show.tint.is_some() && self.tint.is_none() {
            let (frame, material) = (&self.frame_layout, &self.material_layout);
            self.tint = Some(TintPass::new(&PipelineMaker { device: &gpu.device, frame, material }));
        }
        if show.tint.is_none() {
            self.make_meshes(gpu, &shot);
        }
        let mut encoder =
            gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor { label: Some("viewport") });
        // Nothing casts a shadow on tints, whose colours are to be read.
        if show.tint.is_none() && self.shadow.version != scene.version && off_surface > 0.0 {
            self.draw_shadow(&mut encoder, scene);
            self.shadow.version = scene.version;
        }
        let outlined: Vec<&Part> =
            scene.shown().filter(|p| p.topology == Topology::Triangles && show.outlined.contains(&p.node)).collect();
        if !outlined.is_empty() {
            self.draw_mask(&mut encoder, target, &outlined);
        }
        {
            let clear = wgpu::Color {
                r: f64::from(look.background[0]),
                g: f64::from(look.background[1]),
                b: f64::from(look.background[2]),
                a: 1.0,
            };
            let mut pass = begin(&mut encoder, target, clear);
            pass.set_bind_group(0, &self.frame_bind, &[]);
            // Reverse depth: surfaces have the farther half of it, what is drawn over all of them the nearer.
            pass.set_viewport(0.0, 0.0, size.x, size.y, 0.0, 0.5);
            match self.tint.as_ref().filter(|_| show.tint.is_some()) {
                Some(tint) => self.draw_tinted(gpu, &mut pass, tint, &shot),
                None => self.draw_surfaces(gpu, &mut pass, &shot, off_surface > 0.0),
            }
            pass.set_viewport(0.0, 0.0, size.x, size.y, 0.5, 1.0);
            if !outlined.is_empty() {
                let mask = gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
                    label: Some("mask"),
                    layout: &self.mask_layout,
                    entries: &[wgpu::BindGroupEntry {
                        binding: 0,
                        resource: wgpu::BindingResource::TextureView(&target.mask_view),
                    }],
                });
                pass.set_pipeline(&self.outline);
                pass.set_bind_group(1, &mask, &[]);
                pass.draw(0..3, 0..1);
            }
            if let Some(buffer) = self.bones.as_ref().filter(|_| bones > 0) {
                pass.set_pipeline(&self.joint);
                pass.set_vertex_buffer(0, buffer.slice(..));
                pass.draw(0..24, 0..bones);
            }
        }
        if let Some(encode) = &self.encode {
            encode.draw(gpu, &mut encoder, target);
        }
        gpu.queue.submit([encoder.finish()]);
    }

    fn draw_surfaces(&self, gpu: &Gpu, pass: &mut wgpu::RenderPass<'_>, shot: &Shot<'_>, casts: bool) {
        let Shot { scene, camera, show, .. } = *shot;
        for part in scene.shown().filter(|p| !is_see_through(p, show)) {
            self.draw_part(pass, part, shot);
        }
        if show.grid {
            pass.set_pipeline(&self.grid);
            pass.draw(0..6, 0..1);
            if casts {
                pass.set_pipeline(&self.ground_shadow);
                pass.draw(0..6, 0..1);
            }
        }
        if show.shading == Shading::Wireframe {
            self.draw_wires(gpu, pass, shot);
            return;
        }
        let eye = camera.eye();
        let mut blended: Vec<_> = scene.shown().filter(|p| is_see_through(p, show)).collect();
        blended.sort_by(|a, b| b.centre.distance_squared(eye).total_cmp(&a.centre.distance_squared(eye)));
        for part in blended {
            self.draw_part(pass, part, shot);
        }
    }

    fn draw_tinted(&self, gpu: &Gpu, pass: &mut wgpu::RenderPass<'_>, tint: &TintPass, shot: &Shot<'_>) {
        let Shot { scene, show, .. } = *shot;
        for part in scene.shown() {
            pass.set_pipeline(tint.surface(part.topology, part.tints.values.is_some(), shot.is_dense(part)));
            if let Some(values) = &part.tints.values {
                pass.set_vertex_buffer(2, values.slice(..));
            }
            draw_bare(pass, part, part.own_indices(gpu));
        }
        if show.tint_edges {
            pass.set_pipeline(&tint.edges);
            for part in scene.shown() {
                if let Some(edges) = part.edges(gpu) {
                    draw_bare(pass, part, edges);
                }
            }
        }
        if show.grid {
            pass.set_pipeline(&self.grid);
            pass.draw(0..6, 0..1);
        }
    }

    /// Edges of triangles; lines and points as they are.
    fn draw_wires(&self, gpu: &Gpu, pass: &mut wgpu::RenderPass<'_>, shot: &Shot<'_>) {
        for part in shot.scene.shown() {
            let Some(edges) = part.edges(gpu) else {
                self.draw_part(pass, part, shot);
                continue;
            };
            pass.set_pipeline(&self.wire);
            draw_bare(pass, part, edges);
        }
    }

    fn draw_mask(&self, encoder: &mut wgpu::CommandEncoder, target: &Target, parts: &[&Part]) {
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some("mask"),
            color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                view: &target.mask_samples_view,
                depth_slice: None,
                resolve_target: Some(&target.mask_view),
                ops: wgpu::Operations { load: wgpu::LoadOp::Clear(wgpu::Color::BLACK), store: wgpu::StoreOp::Discard },
            })],
            depth_stencil_attachment: None,
            timestamp_writes: None,
            occlusion_query_set: None,
            multiview_mask: None,
        });
        pass.set_pipeline(&self.mask);
        pass.set_bind_group(0, &self.frame_bind, &[]);
        for part in parts {
            draw_bare(&mut pass, part, &part.indices);
        }
    }

    fn draw_shadow(&self, encoder: &mut wgpu::CommandEncoder, scene: &Scene) {
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some("shadow"),
            color_attachments: &[],
            depth_stencil_attachment: Some(wgpu::RenderPassDepthStencilAttachment {
                view: &self.shadow.view,
                depth_ops: Some(wgpu::Operations { load: wgpu::LoadOp::Clear(1.0), store: wgpu::StoreOp::Store }),
                stencil_ops: None,
            }),
            timestamp_writes: None,
            occlusion_query_set: None,
            multiview_mask: None,
        });
        pass.set_bind_group(0, &self.shadow_bind, &[]);
        for part in scene.shown().filter(|p| !p.blend && p.topology == Topology::Triangles) {
            pass.set_pipeline(&self.casters[usize::from(part.features & features::CUT != 0)]);
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

    fn draw_part(&self, pass: &mut wgpu::RenderPass<'_>, part: &Part, shot: &Shot<'_>) {
        if let Some(tangents) = &part.skin.posed_tangents {
            pass.set_vertex_buffer(3, tangents.slice(..));
        }
        pass.set_vertex_buffer(0, part.skin.posed.slice(..));
        pass.set_vertex_buffer(1, part.looks.slice(..));
        pass.set_vertex_buffer(2, part.places.slice(..));
        pass.set_index_buffer(part.indices.slice(..), wgpu::IndexFormat::Uint32);
        for sides in sides_of(part, shot.show) {
            for (instances, mirrored, material) in part.draws() {
                let Some(pipeline) = self.meshes.get(&key_of(part, *sides, mirrored, shot)) else {
                    log::error!("no pipeline was made for a surface");
                    continue;
                };
                pass.set_pipeline(pipeline);
                pass.set_bind_group(1, material, &[]);
                pass.draw_indexed(0..part.index_count, 0, instances);
            }
        }
    }

    /// Makes the pipelines that the parts are drawn with and that are not there yet.
    fn make_meshes(&mut self, gpu: &Gpu, shot: &Shot<'_>) {
        for part in shot.scene.shown() {
            for sides in sides_of(part, shot.show) {
                for (_, mirrored, _) in part.draws() {
                    let (device, frame, material) = (&gpu.device, &self.frame_layout, &self.material_layout);
                    let maker = PipelineMaker { device, frame, material };
                    let key = key_of(part, *sides, mirrored, shot);
                    self.meshes.entry(key).or_insert_with(|| maker.mesh(key));
                }
            }
        }
    }

    fn upload_bones(&mut self, gpu: &Gpu, show: &Show) -> u32 {
        let instances: Vec<BoneInstance> = show
            .bones
            .iter()
            .map(|b| {
                let length = b.bone.head.distance(b.bone.tail);
                let width = (length * 0.11).clamp(show.size * 0.002, show.size * 0.018).min(length * 0.45);
                BoneInstance { head: b.bone.head.into(), tail: b.bone.tail.into(), width, color: b.color, edge: b.edge }
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

fn is_see_through(part: &Part, show: &Show) -> bool {
    match show.shading {
        Shading::Textured => part.blend,
        Shading::Solid => false,
        Shading::Wireframe | Shading::XRay => true,
    }
}

/// Which sides of a part's triangles are drawn.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sides {
    Front,
    Back,
    Both,
}

/// The draws of a part. A see-through, double-sided surface is drawn twice: what turns from the eye first.
const fn sides_of(part: &Part, show: &Show) -> &'static [Sides] {
    match show.shading {
        _ if !part.double_sided => &[Sides::Front],
        Shading::Textured if part.blend => &[Sides::Back, Sides::Front],
        _ => &[Sides::Both],
    }
}

/// Which pipeline draws these sides of a part.
fn key_of(part: &Part, sides: Sides, mirrored: bool, shot: &Shot<'_>) -> MeshKey {
    let Shot { scene, show, .. } = *shot;
    let topology = match part.topology {
        Topology::Triangles => wgpu::PrimitiveTopology::TriangleList,
        Topology::Lines => wgpu::PrimitiveTopology::LineList,
        Topology::Points => wgpu::PrimitiveTopology::PointList,
    };
    let cull = match (sides, mirrored) {
        // Lines and points have no sides.
        _ if part.topology != Topology::Triangles => None,
        (Sides::Both, _) => None,
        // What is mirrored turns its other side to the eye.
        (Sides::Front, false) | (Sides::Back, true) => Some(wgpu::Face::Back),
        (Sides::Back, false) | (Sides::Front, true) => Some(wgpu::Face::Front),
    };
    let shading = match show.shading {
        Shading::Textured if show.lights && !scene.lights.is_empty() => part.features | features::LIGHTS,
        Shading::Textured => part.features,
        Shading::Solid | Shading::Wireframe => part.features & features::FLAT | features::PLAIN,
        Shading::XRay => part.features & features::FLAT | features::PLAIN | features::XRAY,
    };
    let layer = match show.shading {
        Shading::Textured if part.blend => Layer::Blend,
        Shading::XRay => Layer::Blend,
        // Lines and points stay as they are among the wires.
        Shading::Textured | Shading::Solid | Shading::Wireframe => Layer::Opaque,
    };
    let features = if show.quick { shading | features::QUICK } else { shading };
    // What needs the form of a triangle, or no light, is found at pixels.
    let lit = shot.is_dense(part) && features & (features::FLAT | features::UNLIT | features::XRAY) == 0;
    let bumped = part.skin.posed_tangents.is_some() && !lit;
    MeshKey { topology, layer, cull, bumped, features, lit }
}

/// Draws a part's posed vertices and its instances by some of its indices, without a material.
fn draw_bare(pass: &mut wgpu::RenderPass<'_>, part: &Part, indices: &wgpu::Buffer) {
    pass.set_vertex_buffer(0, part.skin.posed.slice(..));
    pass.set_vertex_buffer(1, part.places.slice(..));
    pass.set_index_buffer(indices.slice(..), wgpu::IndexFormat::Uint32);
    for (instances, ..) in part.draws() {
        pass.draw_indexed(0..(indices.size() / 4) as u32, 0, instances);
    }
}

fn begin<'e>(encoder: &'e mut wgpu::CommandEncoder, target: &Target, clear: wgpu::Color) -> wgpu::RenderPass<'e> {
    encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
        label: Some("viewport"),
        color_attachments: &[Some(wgpu::RenderPassColorAttachment {
            view: &target.samples_view,
            depth_slice: None,
            resolve_target: Some(&target.srgb_view),
            ops: wgpu::Operations { load: wgpu::LoadOp::Clear(clear), store: wgpu::StoreOp::Discard },
        })],
        depth_stencil_attachment: Some(wgpu::RenderPassDepthStencilAttachment {
            view: &target.depth_view,
            // Reverse depth: 0 is infinitely far.
            depth_ops: Some(wgpu::Operations { load: wgpu::LoadOp::Clear(0.0), store: wgpu::StoreOp::Discard }),
            stencil_ops: None,
        }),
        timestamp_writes: None,
        occlusion_query_set: None,
        multiview_mask: None,
    })
}

/// All but the light, which the renderer knows. `off_surface` is 0 where nothing casts a shadow.
fn frame_uniform(camera: &Camera, look: &Look, show: &Show, size: Vec2, off_surface: f32) -> FrameUniform {
    let clip_from_world = camera.clip_from_world(size.x / size.y.max(1.0));
    let eye = camera.eye();
    // Cells that look about as large at every distance.
    let cell = 10f32.powf((camera.distance * 0.16).max(1e-6).log10().floor());
    let reach = (camera.distance * 6.0).max(show.size * 3.0);
    FrameUniform {
        clip_from_world: clip_from_world.to_cols_array_2d(),
        eye: eye.extend(cell).to_array(),
        key: KEY.extend(reach).to_array(),
        background: look.background,
        grid_minor: look.grid_minor,
        grid_major: look.grid_major,
        axis_x: look.axis_x,
        axis_z: look.axis_z,
        misc: [size.y, f32::from(show.shading as u8), f32::from(u8::from(camera.orthographic)), off_surface],
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
        outline: [look.outline[0], look.outline[1], look.outline[2], OUTLINE * show.scale.max(1.0)],
    }
}
