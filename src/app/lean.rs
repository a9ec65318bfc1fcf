//! Panels on a device that is a program on the processor: egui's own triangles through a shader that does no more than it must.
//! egui's shader has every way of filtering in it, and such a device takes all of them for every pixel: that was two thirds of
//! a frame. On a GPU nothing of this is used.

use std::sync::{Arc, Mutex, PoisonError};

use eframe::egui_wgpu::{CallbackResources, CallbackTrait, RenderState, Renderer, ScreenDescriptor};
use egui::{
    ClippedPrimitive, Context, FullOutput, PaintCallbackInfo, Rect, Shape, TextureId,
    epaint::{ClippedShape, Primitive, Vertex, mutex::RwLock},
    vec2,
};

use crate::render::{Gpu, SHADERS};

/// What replaces egui's painting, frame for frame.
pub(super) struct LeanPanels(Arc<Parts>);

/// What every frame is painted with.
struct Parts {
    /// Over what is there.
    blend: wgpu::RenderPipeline,
    /// In its place: for pictures that hide what is behind.
    opaque: wgpu::RenderPipeline,
    window: wgpu::Buffer,
    window_bind: wgpu::BindGroup,
    buffers: Mutex<[Option<wgpu::Buffer>; 2]>,
    /// egui's: it holds the textures.
    renderer: Arc<RwLock<Renderer>>,
}

impl LeanPanels {
    /// Paints all that egui shows from now on, where that is worth it.
    pub(super) fn install(ctx: &Context, state: &RenderState) {
        // An sRGB target would need gamma turned to light.
        if Gpu::is_software(&state.adapter.get_info()) && !state.target_format.is_srgb() {
            ctx.add_plugin(Self(Arc::new(Parts::new(state))));
        }
    }
}

impl egui::Plugin for LeanPanels {
    fn debug_name(&self) -> &'static str {
        "lean panels"
    }

    fn output_hook(&mut self, ctx: &Context, output: &mut FullOutput) {
        let primitives = ctx.tessellate(std::mem::take(&mut output.shapes), output.pixels_per_point);
        if primitives.iter().any(|p| matches!(p.primitive, Primitive::Callback(_))) {
            // Somebody paints by themselves: egui knows how to come back from that.
            output.shapes = primitives.into_iter().map(as_shape).collect();
            return;
        }
        let screen = ctx.input(|i| i.viewport_rect());
        let frame = Frame { parts: self.0.clone(), primitives };
        let callback = eframe::egui_wgpu::Callback::new_paint_callback(screen, frame);
        output.shapes = vec![ClippedShape::new(screen, callback)];
    }
}

fn as_shape(primitive: ClippedPrimitive) -> ClippedShape {
    let shape = match primitive.primitive {
        Primitive::Mesh(mesh) => Shape::Mesh(Arc::new(mesh)),
        Primitive::Callback(callback) => Shape::Callback(callback),
    };
    ClippedShape::new(primitive.clip_rect, shape)
}

impl Parts {
    fn new(state: &RenderState) -> Self {
        let device = &state.device;
        let source = SHADERS.iter().find(|(name, _)| *name == "panels").map_or("", |(_, text)| text);
        let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: Some("panels"),
            source: wgpu::ShaderSource::Wgsl(source.into()),
        });
        let uniform = |visibility, size| wgpu::BindGroupLayoutEntry {
            binding: 0,
            visibility,
            ty: wgpu::BindingType::Buffer {
                ty: wgpu::BufferBindingType::Uniform,
                has_dynamic_offset: false,
                min_binding_size: std::num::NonZeroU64::new(size),
            },
            count: None,
        };
        let window_layout = device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label: Some("panels"),
            entries: &[uniform(wgpu::ShaderStages::VERTEX, 16)],
        });
        // As egui binds its textures: layouts that say the same are the same, and its bind groups can be used.
        let fragment = wgpu::ShaderStages::FRAGMENT;
        let texture_layout = device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label: Some("panel textures"),
            entries: &[
                wgpu::BindGroupLayoutEntry {
                    binding: 0,
                    visibility: fragment,
                    ty: wgpu::BindingType::Texture {
                        sample_type: wgpu::TextureSampleType::Float { filterable: true },
                        view_dimension: wgpu::TextureViewDimension::D2,
                        multisampled: false,
                    },
                    count: None,
                },
                wgpu::BindGroupLayoutEntry {
                    binding: 1,
                    visibility: fragment,
                    ty: wgpu::BindingType::Sampler(wgpu::SamplerBindingType::Filtering),
                    count: None,
                },
                wgpu::BindGroupLayoutEntry { binding: 2, ..uniform(fragment, 16) },
            ],
        });
        let layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: Some("panels"),
            bind_group_layouts: &[Some(&window_layout), Some(&texture_layout)],
            immediate_size: 0,
        });
        let pipeline = |blend| {
            let attributes = wgpu::vertex_attr_array![0 => Float32x2, 1 => Float32x2, 2 => Unorm8x4];
            device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
                label: Some("panels"),
                layout: Some(&layout),
                vertex: wgpu::VertexState {
                    module: &module,
                    entry_point: Some("vertex"),
                    compilation_options: Default::default(),
                    buffers: &[Some(wgpu::VertexBufferLayout {
                        array_stride: size_of::<Vertex>() as u64,
                        step_mode: wgpu::VertexStepMode::Vertex,
                        attributes: &attributes,
                    })],
                },
                primitive: wgpu::PrimitiveState::default(),
                depth_stencil: None,
                multisample: wgpu::MultisampleState::default(),
                fragment: Some(wgpu::FragmentState {
                    module: &module,
                    entry_point: Some("fragment"),
                    compilation_options: Default::default(),
                    targets: &[Some(wgpu::ColorTargetState {
                        format: state.target_format,
                        blend,
                        write_mask: wgpu::ColorWrites::ALL,
                    })],
                }),
                multiview_mask: None,
                cache: None,
            })
        };
        let window = device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("window"),
            size: 16,
            usage: wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        let window_bind = device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("window"),
            layout: &window_layout,
            entries: &[wgpu::BindGroupEntry { binding: 0, resource: window.as_entire_binding() }],
        });
        Self {
            blend: pipeline(Some(wgpu::BlendState::PREMULTIPLIED_ALPHA_BLENDING)),
            opaque: pipeline(None),
            window,
            window_bind,
            buffers: Mutex::default(),
            renderer: state.renderer.clone(),
        }
    }
}

/// One frame's triangles.
struct Frame {
    parts: Arc<Parts>,
    primitives: Vec<ClippedPrimitive>,
}

impl Frame {
    fn meshes(&self) -> impl Iterator<Item = (&Rect, &egui::Mesh)> {
        self.primitives.iter().filter_map(|p| match &p.primitive {
            Primitive::Mesh(mesh) => Some((&p.clip_rect, mesh)),
            Primitive::Callback(_) => None,
        })
    }
}

impl CallbackTrait for Frame {
    fn prepare(
        &self,
        device: &wgpu::Device,
        queue: &wgpu::Queue,
        screen: &ScreenDescriptor,
        _: &mut wgpu::CommandEncoder,
        _: &mut CallbackResources,
    ) -> Vec<wgpu::CommandBuffer> {
        let [width, height] = screen.size_in_pixels.map(|side| side as f32 / screen.pixels_per_point);
        queue.write_buffer(&self.parts.window, 0, bytemuck::bytes_of(&[width, height, 0.0, 0.0]));
        let (mut vertices, mut indices) = (Vec::<u8>::new(), Vec::<u8>::new());
        for (_, mesh) in self.meshes() {
            vertices.extend_from_slice(bytemuck::cast_slice(&mesh.vertices));
            indices.extend_from_slice(bytemuck::cast_slice(&mesh.indices));
        }
        let mut buffers = self.parts.buffers.lock().unwrap_or_else(PoisonError::into_inner);
        let usages = [wgpu::BufferUsages::VERTEX, wgpu::BufferUsages::INDEX];
        for ((slot, bytes), usage) in buffers.iter_mut().zip([&vertices, &indices]).zip(usages) {
            let size = bytes.len() as u64;
            if slot.as_ref().is_none_or(|b| b.size() < size) {
                *slot = Some(device.create_buffer(&wgpu::BufferDescriptor {
                    label: Some("panels"),
                    size: size.next_power_of_two().max(1 << 16),
                    usage: usage | wgpu::BufferUsages::COPY_DST,
                    mapped_at_creation: false,
                }));
            }
            if let Some(buffer) = slot {
                queue.write_buffer(buffer, 0, bytes);
            }
        }
        Vec::new()
    }

    fn paint(&self, info: PaintCallbackInfo, pass: &mut wgpu::RenderPass<'static>, _: &CallbackResources) {
        let buffers = self.parts.buffers.lock().unwrap_or_else(PoisonError::into_inner);
        let [Some(vertices), Some(indices)] = &*buffers else { return };
        // Whoever calls this reads, too, and nothing else writes.
        let renderer = self.parts.renderer.read();
        let [width, height] = info.screen_size_px;
        pass.set_viewport(0.0, 0.0, width as f32, height as f32, 0.0, 1.0);
        pass.set_bind_group(0, &self.parts.window_bind, &[]);
        pass.set_vertex_buffer(0, vertices.slice(..));
        pass.set_index_buffer(indices.slice(..), wgpu::IndexFormat::Uint32);
        let (mut first_vertex, mut first_index) = (0i32, 0u32);
        let mut opaque = None;
        for (clip, mesh) in self.meshes() {
            let index_count = mesh.indices.len() as u32;
            let (base, from) = (first_vertex, first_index);
            first_vertex += mesh.vertices.len() as i32;
            first_index += index_count;
            let Some([x, y, w, h]) = scissor(clip, info.pixels_per_point, info.screen_size_px) else { continue };
            let Some(texture) = renderer.texture(&mesh.texture_id) else {
                log::warn!("no texture {:?}", mesh.texture_id);
                continue;
            };
            // What was registered from here is the viewport's picture, which hides what is behind.
            let hides = matches!(mesh.texture_id, TextureId::User(_));
            if opaque != Some(hides) {
                pass.set_pipeline(if hides { &self.parts.opaque } else { &self.parts.blend });
                opaque = Some(hides);
            }
            pass.set_scissor_rect(x, y, w, h);
            pass.set_bind_group(1, &texture.bind_group, &[]);
            pass.draw_indexed(from..from + index_count, base, 0..1);
        }
    }
}

/// Pixels of a clip rectangle: where it begins and how large it is, as egui rounds it; nothing where it has none.
fn scissor(clip: &Rect, pixels_per_point: f32, size: [u32; 2]) -> Option<[u32; 4]> {
    let limit = vec2(size[0] as f32, size[1] as f32);
    let pixel = |at: egui::Vec2| (at * pixels_per_point).round().max(egui::Vec2::ZERO).min(limit);
    let (low, high) = (pixel(clip.min.to_vec2()), pixel(clip.max.to_vec2()));
    let side = high - low;
    (side.x >= 1.0 && side.y >= 1.0).then_some([low.x as u32, low.y as u32, side.x as u32, side.y as u32])
}
