//! The passes of one picture: surfaces, ground grid, what is see-through, then joints over all.

use bytemuck::{Pod, Zeroable};
use glam::{Vec2, Vec3};

use super::{
    Camera, Gpu, Look, Scene,
    material::Materials,
    shader,
    shadow::{self, KEY, Shadow},
    skin::TANGENT_STRIDE,
    sky,
};
use crate::{model::Topology, motion::Bone};

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
    matt: [[f32; 4]; 9],
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

/// Colours, depth, and samples of the offscreen picture. The window blends in gamma space and shows the plain view; we draw
/// through the sRGB view, so that light adds up linearly.
const COLOR: wgpu::TextureFormat = wgpu::TextureFormat::Rgba8Unorm;
const COLOR_SRGB: wgpu::TextureFormat = wgpu::TextureFormat::Rgba8UnormSrgb;
/// A float, since reverse infinite depth spreads its digits over all distances.
const DEPTH: wgpu::TextureFormat = wgpu::TextureFormat::Depth32Float;
/// The one count besides 1 that every adapter has.
const SAMPLES: u32 = 4;

/// A bone with its colours (linear, straight alpha).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BoneLook {
    /// Where it is.
    pub bone: Bone,
    /// Its faces.
    pub color: [f32; 4],
    /// Its edges.
    pub edge: [f32; 4],
}

/// What is drawn besides the surface.
#[derive(Clone, Debug, Default)]
pub struct Show {
    /// The ground grid.
    pub grid: bool,
    /// Bones over everything.
    pub bones: Vec<BoneLook>,
    /// The model's size in metres: how far the grid goes.
    pub size: f32,
}

/// A picture to draw into.
#[derive(Debug)]
pub struct Target {
    /// Width and height in pixels.
    pub size: [u32; 2],
    texture: wgpu::Texture,
    /// Gamma-encoded, as a window expects it.
    pub plain_view: wgpu::TextureView,
    srgb_view: wgpu::TextureView,
    samples_view: wgpu::TextureView,
    depth_view: wgpu::TextureView,
}

impl Target {
    /// A picture of a size, at least one pixel.
    pub fn new(gpu: &Gpu, size: [u32; 2]) -> Self {
        let most = gpu.device.limits().max_texture_dimension_2d;
        let size = size.map(|s| s.clamp(1, most));
        let texture = |label, format, sample_count, usage, view_formats: &[wgpu::TextureFormat]| {
            gpu.device.create_texture(&wgpu::TextureDescriptor {
                label: Some(label),
                size: wgpu::Extent3d { width: size[0], height: size[1], depth_or_array_layers: 1 },
                mip_level_count: 1,
                sample_count,
                dimension: wgpu::TextureDimension::D2,
                format,
                usage,
                view_formats,
            })
        };
        let attachment = wgpu::TextureUsages::RENDER_ATTACHMENT;
        let shown = attachment | wgpu::TextureUsages::TEXTURE_BINDING | wgpu::TextureUsages::COPY_SRC;
        let color = texture("picture", COLOR, 1, shown, &[COLOR_SRGB]);
        let samples = texture("samples", COLOR_SRGB, SAMPLES, attachment, &[]);
        let depth = texture("depth", DEPTH, SAMPLES, attachment, &[]);
        let view = |texture: &wgpu::Texture, format| {
            texture.create_view(&wgpu::TextureViewDescriptor { format: Some(format), ..Default::default() })
        };
        Self {
            size,
            plain_view: view(&color, COLOR),
            srgb_view: view(&color, COLOR_SRGB),
            samples_view: view(&samples, COLOR_SRGB),
            depth_view: view(&depth, DEPTH),
            texture: color,
        }
    }

    /// The picture.
    pub const fn texture(&self) -> &wgpu::Texture {
        &self.texture
    }
}

/// Pipelines, made once.
pub struct Renderer {
    frame: wgpu::Buffer,
    frame_bind: wgpu::BindGroup,
    shadow_bind: wgpu::BindGroup,
    shadow: Shadow,
    caster: wgpu::RenderPipeline,
    matt: [[f32; 4]; 9],
    material_layout: wgpu::BindGroupLayout,
    /// Opaque and see-through, for triangles, lines and points.
    mesh: [[wgpu::RenderPipeline; 3]; 2],
    /// Opaque and see-through, for triangles with a normal map.
    bumped: [wgpu::RenderPipeline; 2],
    grid: wgpu::RenderPipeline,
    joint: wgpu::RenderPipeline,
    bones: Option<wgpu::Buffer>,
}

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
        let topologies = [
            wgpu::PrimitiveTopology::TriangleList,
            wgpu::PrimitiveTopology::LineList,
            wgpu::PrimitiveTopology::PointList,
        ];
        let mesh = [false, true].map(|blend| topologies.map(|topology| maker.mesh(topology, blend, false)));
        let bumped = [false, true].map(|blend| maker.mesh(wgpu::PrimitiveTopology::TriangleList, blend, true));
        let grid = maker.overlay("grid", &[], true);
        let attributes =
            wgpu::vertex_attr_array![0 => Float32x3, 1 => Float32x3, 2 => Float32, 3 => Float32x4, 4 => Float32x4];
        let instance = wgpu::VertexBufferLayout {
            array_stride: size_of::<BoneInstance>() as u64,
            step_mode: wgpu::VertexStepMode::Instance,
            attributes: &attributes,
        };
        let joint = maker.overlay("joint", &[Some(instance)], false);
        let caster = maker.shadow(&shadow_layout);
        let matt = sky::irradiance();
        Self {
            frame,
            frame_bind,
            shadow_bind,
            shadow,
            caster,
            matt,
            mesh,
            bumped,
            grid,
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
        let uniform = FrameUniform {
            shadow_from_world: shadow_from_world.to_cols_array_2d(),
            matt: self.matt,
            ..frame_uniform(camera, look, show, size, off_surface)
        };
        gpu.queue.write_buffer(&self.frame, 0, bytemuck::bytes_of(&uniform));
        let bones = self.upload_bones(gpu, show);
        let mut encoder =
            gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor { label: Some("viewport") });
        if self.shadow.version != scene.version && off_surface > 0.0 {
            self.draw_shadow(&mut encoder, scene);
            self.shadow.version = scene.version;
        }
        {
            let clear = wgpu::Color {
                r: f64::from(look.background[0]),
                g: f64::from(look.background[1]),
                b: f64::from(look.background[2]),
                a: 1.0,
            };
            let mut pass = begin(&mut encoder, target, wgpu::LoadOp::Clear(clear), bones == 0);
            pass.set_bind_group(0, &self.frame_bind, &[]);
            for part in scene.parts.iter().filter(|p| !p.blend) {
                self.draw_part(&mut pass, part);
            }
            if show.grid {
                pass.set_pipeline(&self.grid);
                pass.draw(0..3, 0..1);
            }
            let mut blended: Vec<_> = scene.parts.iter().filter(|p| p.blend).collect();
            let eye = camera.eye();
            blended.sort_by(|a, b| b.centre.distance_squared(eye).total_cmp(&a.centre.distance_squared(eye)));
            for part in blended {
                self.draw_part(&mut pass, part);
            }
        }
        if bones > 0 {
            let mut pass = begin(&mut encoder, target, wgpu::LoadOp::Load, true);
            pass.set_bind_group(0, &self.frame_bind, &[]);
            pass.set_pipeline(&self.joint);
            if let Some(buffer) = &self.bones {
                pass.set_vertex_buffer(0, buffer.slice(..));
                pass.draw(0..24, 0..bones);
            }
        }
        gpu.queue.submit([encoder.finish()]);
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
        pass.set_pipeline(&self.caster);
        pass.set_bind_group(0, &self.shadow_bind, &[]);
        for part in scene.parts.iter().filter(|p| !p.blend && p.topology == Topology::Triangles) {
            pass.set_bind_group(1, part.material(), &[]);
            pass.set_vertex_buffer(0, part.skin.posed.slice(..));
            pass.set_vertex_buffer(1, part.looks.slice(..));
            pass.set_index_buffer(part.indices.slice(..), wgpu::IndexFormat::Uint32);
            pass.draw_indexed(0..part.index_count, 0, 0..1);
        }
    }

    fn draw_part(&self, pass: &mut wgpu::RenderPass<'_>, part: &super::scene::Part) {
        let kind = match part.topology {
            Topology::Triangles => 0,
            Topology::Lines => 1,
            Topology::Points => 2,
        };
        let blend = usize::from(part.blend);
        match &part.skin.posed_tangents {
            Some(tangents) => {
                pass.set_pipeline(&self.bumped[blend]);
                pass.set_vertex_buffer(2, tangents.slice(..));
            }
            None => pass.set_pipeline(&self.mesh[blend][kind]),
        }
        pass.set_bind_group(1, part.material(), &[]);
        pass.set_vertex_buffer(0, part.skin.posed.slice(..));
        pass.set_vertex_buffer(1, part.looks.slice(..));
        pass.set_index_buffer(part.indices.slice(..), wgpu::IndexFormat::Uint32);
        pass.draw_indexed(0..part.index_count, 0, 0..1);
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

fn begin<'e>(
    encoder: &'e mut wgpu::CommandEncoder,
    target: &Target,
    load: wgpu::LoadOp<wgpu::Color>,
    last: bool,
) -> wgpu::RenderPass<'e> {
    encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
        label: Some("viewport"),
        color_attachments: &[Some(wgpu::RenderPassColorAttachment {
            view: &target.samples_view,
            depth_slice: None,
            resolve_target: last.then_some(&target.srgb_view),
            ops: wgpu::Operations { load, store: if last { wgpu::StoreOp::Discard } else { wgpu::StoreOp::Store } },
        })],
        depth_stencil_attachment: Some(wgpu::RenderPassDepthStencilAttachment {
            view: &target.depth_view,
            // Reverse depth: 0 is infinitely far. The joints get a depth of their own, over the surface.
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
        world_from_clip: clip_from_world.inverse().to_cols_array_2d(),
        eye: eye.extend(cell).to_array(),
        key: KEY.extend(reach).to_array(),
        background: look.background,
        grid_minor: look.grid_minor,
        grid_major: look.grid_major,
        axis_x: look.axis_x,
        axis_z: look.axis_z,
        misc: [size.y, 0.0, 0.0, off_surface],
        eye_forward: (camera.target - eye).normalize_or(Vec3::NEG_Z).extend(0.0).to_array(),
        shadow_from_world: [[0.0; 4]; 4],
        matt: [[0.0; 4]; 9],
    }
}

/// The numbers of a frame, which every pass reads.
const fn frame_entry() -> wgpu::BindGroupLayoutEntry {
    wgpu::BindGroupLayoutEntry {
        binding: 0,
        visibility: wgpu::ShaderStages::VERTEX_FRAGMENT,
        ty: wgpu::BindingType::Buffer {
            ty: wgpu::BufferBindingType::Uniform,
            has_dynamic_offset: false,
            min_binding_size: None,
        },
        count: None,
    }
}

fn frame_layout(device: &wgpu::Device) -> wgpu::BindGroupLayout {
    let entry =
        |binding, ty| wgpu::BindGroupLayoutEntry { binding, visibility: wgpu::ShaderStages::FRAGMENT, ty, count: None };
    let texture =
        |sample_type, view_dimension| wgpu::BindingType::Texture { sample_type, view_dimension, multisampled: false };
    let colors = wgpu::TextureSampleType::Float { filterable: true };
    device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
        label: Some("frame"),
        entries: &[
            frame_entry(),
            entry(1, texture(colors, wgpu::TextureViewDimension::Cube)),
            entry(2, wgpu::BindingType::Sampler(wgpu::SamplerBindingType::Filtering)),
            entry(3, texture(wgpu::TextureSampleType::Depth, wgpu::TextureViewDimension::D2)),
            entry(4, wgpu::BindingType::Sampler(wgpu::SamplerBindingType::Comparison)),
        ],
    })
}

fn frame_bind(gpu: &Gpu, layout: &wgpu::BindGroupLayout, frame: &wgpu::Buffer, shadow: &Shadow) -> wgpu::BindGroup {
    let smooth = wgpu::SamplerDescriptor {
        mag_filter: wgpu::FilterMode::Linear,
        min_filter: wgpu::FilterMode::Linear,
        mipmap_filter: wgpu::MipmapFilterMode::Linear,
        ..Default::default()
    };
    let plain = gpu.device.create_sampler(&smooth);
    let comparing = gpu
        .device
        .create_sampler(&wgpu::SamplerDescriptor { compare: Some(wgpu::CompareFunction::LessEqual), ..smooth });
    let sky = sky::cube(gpu);
    gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
        label: Some("frame"),
        layout,
        entries: &[
            wgpu::BindGroupEntry { binding: 0, resource: frame.as_entire_binding() },
            wgpu::BindGroupEntry { binding: 1, resource: wgpu::BindingResource::TextureView(&sky) },
            wgpu::BindGroupEntry { binding: 2, resource: wgpu::BindingResource::Sampler(&plain) },
            wgpu::BindGroupEntry { binding: 3, resource: wgpu::BindingResource::TextureView(&shadow.view) },
            wgpu::BindGroupEntry { binding: 4, resource: wgpu::BindingResource::Sampler(&comparing) },
        ],
    })
}

struct PipelineMaker<'a> {
    device: &'a wgpu::Device,
    frame: &'a wgpu::BindGroupLayout,
    material: &'a wgpu::BindGroupLayout,
}

impl PipelineMaker<'_> {
    fn mesh(&self, topology: wgpu::PrimitiveTopology, blend: bool, bumped: bool) -> wgpu::RenderPipeline {
        let tangents = wgpu::vertex_attr_array![5 => Float32x4];
        let posed = wgpu::vertex_attr_array![0 => Float32x3, 1 => Float32x3];
        let looks = wgpu::vertex_attr_array![2 => Float32x2, 3 => Float32x2, 4 => Unorm8x4];
        let buffers = [
            Some(wgpu::VertexBufferLayout {
                array_stride: 24,
                step_mode: wgpu::VertexStepMode::Vertex,
                attributes: &posed,
            }),
            Some(wgpu::VertexBufferLayout {
                array_stride: 20,
                step_mode: wgpu::VertexStepMode::Vertex,
                attributes: &looks,
            }),
            Some(wgpu::VertexBufferLayout {
                array_stride: TANGENT_STRIDE,
                step_mode: wgpu::VertexStepMode::Vertex,
                attributes: &tangents,
            }),
        ];
        let layout = [Some(self.frame), Some(self.material)];
        let (entry, buffers) = if bumped { ("vertex_bumped", &buffers[..]) } else { ("vertex", &buffers[..2]) };
        self.make("mesh", entry, &layout, buffers, topology, blend, !blend)
    }

    /// Depth alone, from the key light.
    fn shadow(&self, frame: &wgpu::BindGroupLayout) -> wgpu::RenderPipeline {
        let module = self.device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: Some("shadow"),
            source: wgpu::ShaderSource::Wgsl(shader("shadow").into()),
        });
        let layout = self.device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: Some("shadow"),
            bind_group_layouts: &[Some(frame), Some(self.material)],
            immediate_size: 0,
        });
        let posed = wgpu::vertex_attr_array![0 => Float32x3, 1 => Float32x3];
        let looks = wgpu::vertex_attr_array![2 => Float32x2, 3 => Float32x2, 4 => Unorm8x4];
        let buffer = |array_stride, attributes| {
            Some(wgpu::VertexBufferLayout { array_stride, step_mode: wgpu::VertexStepMode::Vertex, attributes })
        };
        self.device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
            label: Some("shadow"),
            layout: Some(&layout),
            vertex: wgpu::VertexState {
                module: &module,
                entry_point: Some("vertex"),
                compilation_options: Default::default(),
                buffers: &[buffer(24, &posed), buffer(20, &looks)],
            },
            primitive: wgpu::PrimitiveState::default(),
            depth_stencil: Some(wgpu::DepthStencilState {
                format: shadow::FORMAT,
                depth_write_enabled: Some(true),
                depth_compare: Some(wgpu::CompareFunction::LessEqual),
                stencil: Default::default(),
                bias: wgpu::DepthBiasState { constant: 2, slope_scale: 2.0, clamp: 0.0 },
            }),
            multisample: wgpu::MultisampleState::default(),
            fragment: Some(wgpu::FragmentState {
                module: &module,
                entry_point: Some("fragment"),
                compilation_options: Default::default(),
                targets: &[],
            }),
            multiview_mask: None,
            cache: None,
        })
    }

    fn overlay(
        &self,
        name: &str,
        buffers: &[Option<wgpu::VertexBufferLayout<'_>>],
        grid: bool,
    ) -> wgpu::RenderPipeline {
        self.make(name, "vertex", &[Some(self.frame)], buffers, wgpu::PrimitiveTopology::TriangleList, true, !grid)
    }

    fn make(
        &self,
        name: &str,
        vertex_entry: &str,
        layouts: &[Option<&wgpu::BindGroupLayout>],
        buffers: &[Option<wgpu::VertexBufferLayout<'_>>],
        topology: wgpu::PrimitiveTopology,
        blend: bool,
        write_depth: bool,
    ) -> wgpu::RenderPipeline {
        let module = self.device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: Some(name),
            source: wgpu::ShaderSource::Wgsl(shader(name).into()),
        });
        let layout = self.device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: Some(name),
            bind_group_layouts: layouts,
            immediate_size: 0,
        });
        self.device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
            label: Some(name),
            layout: Some(&layout),
            vertex: wgpu::VertexState {
                module: &module,
                entry_point: Some(vertex_entry),
                compilation_options: Default::default(),
                buffers,
            },
            primitive: wgpu::PrimitiveState { topology, ..Default::default() },
            depth_stencil: Some(wgpu::DepthStencilState {
                format: DEPTH,
                depth_write_enabled: Some(write_depth),
                depth_compare: Some(wgpu::CompareFunction::GreaterEqual),
                stencil: Default::default(),
                bias: Default::default(),
            }),
            multisample: wgpu::MultisampleState { count: SAMPLES, ..Default::default() },
            fragment: Some(wgpu::FragmentState {
                module: &module,
                entry_point: Some("fragment"),
                compilation_options: Default::default(),
                targets: &[Some(wgpu::ColorTargetState {
                    format: COLOR_SRGB,
                    blend: blend.then_some(wgpu::BlendState::ALPHA_BLENDING),
                    write_mask: wgpu::ColorWrites::ALL,
                })],
            }),
            multiview_mask: None,
            cache: None,
        })
    }
}
