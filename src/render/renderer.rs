//! The passes of one picture: surfaces, ground grid, what is see-through, then joints over all.

use bytemuck::{Pod, Zeroable};
use glam::{Vec2, Vec3};

use super::{Camera, Gpu, Look, Scene, material::Materials, shader, skin::TANGENT_STRIDE};
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
        let frame_layout = device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label: Some("frame"),
            entries: &[wgpu::BindGroupLayoutEntry {
                binding: 0,
                visibility: wgpu::ShaderStages::VERTEX_FRAGMENT,
                ty: wgpu::BindingType::Buffer {
                    ty: wgpu::BufferBindingType::Uniform,
                    has_dynamic_offset: false,
                    min_binding_size: None,
                },
                count: None,
            }],
        });
        let frame = device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("frame"),
            size: size_of::<FrameUniform>() as u64,
            usage: wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        let frame_bind = device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("frame"),
            layout: &frame_layout,
            entries: &[wgpu::BindGroupEntry { binding: 0, resource: frame.as_entire_binding() }],
        });
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
        Self { frame, frame_bind, mesh, bumped, grid, joint, bones: None, material_layout }
    }

    /// What a scene's materials are bound by.
    pub const fn material_layout(&self) -> &wgpu::BindGroupLayout {
        &self.material_layout
    }

    /// Draws a picture.
    pub fn draw(&mut self, gpu: &Gpu, target: &Target, scene: &Scene, camera: &Camera, look: &Look, show: &Show) {
        let size = Vec2::new(target.size[0] as f32, target.size[1] as f32);
        gpu.queue.write_buffer(&self.frame, 0, bytemuck::bytes_of(&frame_uniform(camera, look, show, size)));
        let bones = self.upload_bones(gpu, show);
        let mut encoder =
            gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor { label: Some("viewport") });
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

fn frame_uniform(camera: &Camera, look: &Look, show: &Show, size: Vec2) -> FrameUniform {
    let clip_from_world = camera.clip_from_world(size.x / size.y.max(1.0));
    let eye = camera.eye();
    // Cells that look about as large at every distance.
    let cell = 10f32.powf((camera.distance * 0.16).max(1e-6).log10().floor());
    // The key light stands up and to the left of the eye, and turns with it half-way: form reads from every side.
    let key = Vec3::new((camera.yaw - 0.75).sin(), 0.95, (camera.yaw - 0.75).cos()).normalize_or(Vec3::Y);
    let reach = (camera.distance * 6.0).max(show.size * 3.0);
    FrameUniform {
        clip_from_world: clip_from_world.to_cols_array_2d(),
        world_from_clip: clip_from_world.inverse().to_cols_array_2d(),
        eye: eye.extend(cell).to_array(),
        key: key.extend(reach).to_array(),
        background: look.background,
        grid_minor: look.grid_minor,
        grid_major: look.grid_major,
        axis_x: look.axis_x,
        axis_z: look.axis_z,
        misc: [size.y, 0.0, 0.0, 0.0],
    }
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
