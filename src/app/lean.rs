//! A faster way to paint panels on software devices, which run shaders on the CPU. egui's shader
//! evaluates all of its filters for each pixel, which took two thirds of the frame time. This
//! module draws egui's triangles with a minimal shader. On a GPU it is not used.

use std::sync::{Arc, Mutex, PoisonError};

use egui::{
    ClippedPrimitive, Context, FullOutput, PaintCallbackInfo, Rect, Shape, TextureId,
    epaint::{ClippedShape, Primitive, Vertex, mutex::RwLock},
    vec2,
};
use egui_wgpu::{CallbackResources, CallbackTrait, RenderState, Renderer, ScreenDescriptor};

use ulna_render::{SHADERS, is_software};

/// Paint callback that replaces egui's own painting in each frame.
pub(super) struct LeanPanels(Arc<Parts>);

/// GPU resources that are used in each frame.
struct Parts {
    /// Pipeline that blends with the existing picture.
    blend: wgpu::RenderPipeline,
    /// Pipeline that replaces the existing picture, for opaque images.
    opaque: wgpu::RenderPipeline,
    window: wgpu::Buffer,
    window_bind: wgpu::BindGroup,
    buffers: Mutex<[Option<wgpu::Buffer>; 2]>,
    /// egui's renderer, which owns the textures.
    renderer: Arc<RwLock<Renderer>>,
}

impl LeanPanels {
    /// Installs the painter on software devices. On other devices, egui paints.
    pub(super) fn install(ctx: &Context, state: &RenderState) {
        // An sRGB target would need a conversion from gamma to linear color.
        if is_software(&state.adapter.get_info()) && !state.target_format.is_srgb() {
            ctx.add_plugin(Self(Arc::new(Parts::new(state))));
        }
    }
}

impl egui::Plugin for LeanPanels {
    fn debug_name(&self) -> &'static str {
        "lean panels"
    }

    fn output_hook(&mut self, ctx: &Context, output: &mut FullOutput) {
        let primitives =
            ctx.tessellate(std::mem::take(&mut output.shapes), output.pixels_per_point);
        if primitives.iter().any(|p| matches!(p.primitive, Primitive::Callback(_))) {
            // A widget paints with its own callback, so egui must paint the whole frame.
            output.shapes = primitives.into_iter().map(as_shape).collect();
            return;
        }
        let screen = ctx.input(|i| i.viewport_rect());
        let frame = Frame { parts: self.0.clone(), primitives };
        let callback = egui_wgpu::Callback::new_paint_callback(screen, frame);
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
        let source =
            SHADERS.iter().find(|(name, _)| *name == "panels").map_or("", |(_, text)| text);
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
        // The layout equals egui's, so that egui's bind groups of textures can be used.
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
        let pipeline = |blend| make_pipeline(state, &module, &layout, blend);
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

/// Creates the pipeline that draws triangles with a blend mode.
fn make_pipeline(
    state: &RenderState,
    module: &wgpu::ShaderModule,
    layout: &wgpu::PipelineLayout,
    blend: Option<wgpu::BlendState>,
) -> wgpu::RenderPipeline {
    let attributes = wgpu::vertex_attr_array![0 => Float32x2, 1 => Float32x2, 2 => Unorm8x4];
    state.device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
        label: Some("panels"),
        layout: Some(layout),
        vertex: wgpu::VertexState {
            module,
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
            module,
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
}

/// Triangles of one frame.
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
        let [width, height] =
            screen.size_in_pixels.map(|side| side as f32 / screen.pixels_per_point);
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

    fn paint(
        &self,
        info: PaintCallbackInfo,
        pass: &mut wgpu::RenderPass<'static>,
        _: &CallbackResources,
    ) {
        let buffers = self.parts.buffers.lock().unwrap_or_else(PoisonError::into_inner);
        let [Some(vertices), Some(indices)] = &*buffers else { return };
        // The caller also only reads the renderer, so this lock cannot block.
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
            let Some([x, y, w, h]) = scissor(clip, info.pixels_per_point, info.screen_size_px)
            else {
                continue;
            };
            let Some(texture) = renderer.texture(&mesh.texture_id) else {
                log::warn!("no texture {:?}", mesh.texture_id);
                continue;
            };
            // User textures are the viewport's picture, which is opaque.
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

/// Pixel rectangle of a clip rectangle, rounded as egui does: x, y, width and height. `None` if it
/// is empty.
fn scissor(clip: &Rect, pixels_per_point: f32, size: [u32; 2]) -> Option<[u32; 4]> {
    let limit = vec2(size[0] as f32, size[1] as f32);
    let pixel = |at: egui::Vec2| (at * pixels_per_point).round().max(egui::Vec2::ZERO).min(limit);
    let (low, high) = (pixel(clip.min.to_vec2()), pixel(clip.max.to_vec2()));
    let side = high - low;
    (side.x >= 1.0 && side.y >= 1.0).then_some([
        low.x as u32,
        low.y as u32,
        side.x as u32,
        side.y as u32,
    ])
}

#[cfg(test)]
mod tests {
    use egui::{Color32, RawInput, StrokeKind, pos2};
    use egui_wgpu::{RendererOptions, WgpuConfiguration};

    use super::*;
    use ulna_render::Gpu;

    const SIZE: [u32; 2] = [320, 200];

    /// Creates a device for egui; `None` if there is none and the tests do not require one.
    fn device() -> Option<RenderState> {
        let instance =
            wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle().with_env());
        let (config, options) = (WgpuConfiguration::default(), RendererOptions::default());
        match pollster::block_on(RenderState::create(&config, &instance, None, options)) {
            Ok(state) => Some(state),
            Err(error) => {
                assert!(std::env::var_os("ULNA_REQUIRE_GPU").is_none(), "{error}");
                eprintln!("skipped: {error}");
                None
            }
        }
    }

    fn described(
        [width, height]: [u32; 2],
        format: wgpu::TextureFormat,
        usage: wgpu::TextureUsages,
    ) -> wgpu::TextureDescriptor<'static> {
        wgpu::TextureDescriptor {
            label: None,
            size: wgpu::Extent3d { width, height, depth_or_array_layers: 1 },
            mip_level_count: 1,
            sample_count: 1,
            dimension: wgpu::TextureDimension::D2,
            format,
            usage,
            view_formats: &[],
        }
    }

    /// Creates a texture of four by four pixels for egui.
    fn photo(state: &RenderState) -> TextureId {
        let photo = described(
            [4, 4],
            wgpu::TextureFormat::Rgba8Unorm,
            wgpu::TextureUsages::TEXTURE_BINDING | wgpu::TextureUsages::COPY_DST,
        );
        let texels: Vec<u8> = (0..16u8).flat_map(|k| [k * 16, 255 - k * 8, 90, 255]).collect();
        let view = wgpu::util::DeviceExt::create_texture_with_data(
            &state.device,
            &state.queue,
            &photo,
            wgpu::util::TextureDataOrder::LayerMajor,
            &texels,
        )
        .create_view(&Default::default());
        state.renderer.write().register_native_texture(
            &state.device,
            &view,
            wgpu::FilterMode::Linear,
        )
    }

    /// Draws text, rounded corners, lines, and a picture that covers them.
    fn contents(ui: &mut egui::Ui, screen: Rect, photo: TextureId) {
        let painter = ui.painter();
        painter.rect_filled(screen.shrink(10.0), 8.0, Color32::from_rgb(40, 44, 52));
        painter.image(
            photo,
            Rect::from_min_size(pos2(150.0, 40.0), vec2(120.0, 90.0)),
            Rect::from_min_max(pos2(0.0, 0.0), pos2(1.0, 1.0)),
            Color32::WHITE,
        );
        painter.with_clip_rect(screen.with_max_x(90.3)).line_segment(
            [pos2(20.0, 180.0), pos2(300.0, 30.0)],
            (2.0, Color32::from_rgba_unmultiplied(255, 200, 60, 120)),
        );
        painter.rect_stroke(
            screen.shrink(20.0),
            5.0,
            (1.5, Color32::LIGHT_BLUE),
            StrokeKind::Inside,
        );
        ui.label("Hips, Spine, Chest");
        ui.button("Auto-key").clicked();
    }

    /// Paints the output of egui to a target.
    fn paint(state: &RenderState, ctx: &Context, mut output: FullOutput, target: &wgpu::Texture) {
        let screen =
            ScreenDescriptor { size_in_pixels: SIZE, pixels_per_point: output.pixels_per_point };
        let primitives = ctx.tessellate(output.shapes, output.pixels_per_point);
        let mut encoder = state.device.create_command_encoder(&Default::default());
        let mut renderer = state.renderer.write();
        let mut textures: Vec<_> = output.textures_delta.set.drain().collect();
        textures.sort_by_key(|(id, _)| format!("{id:?}"));
        for (id, delta) in
            textures.iter().flat_map(|(id, deltas)| deltas.iter().map(move |d| (id, d)))
        {
            renderer.update_texture(&state.device, &state.queue, *id, delta);
        }
        renderer.update_buffers(&state.device, &state.queue, &mut encoder, &primitives, &screen);
        drop(renderer);
        {
            let view = target.create_view(&Default::default());
            let pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
                label: None,
                color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                    view: &view,
                    resolve_target: None,
                    ops: wgpu::Operations {
                        load: wgpu::LoadOp::Clear(wgpu::Color::BLACK),
                        store: wgpu::StoreOp::Store,
                    },
                    depth_slice: None,
                })],
                depth_stencil_attachment: None,
                timestamp_writes: None,
                occlusion_query_set: None,
                multiview_mask: None,
            });
            state.renderer.read().render(&mut pass.forget_lifetime(), &primitives, &screen);
        }
        state.queue.submit([encoder.finish()]);
    }

    /// Reads the pixels of a target.
    fn read(state: &RenderState, target: &wgpu::Texture) -> Vec<u8> {
        let gpu = Gpu::new(&state.adapter, state.device.clone(), state.queue.clone());
        // The number of bytes per row must be a multiple of 256.
        let bytes = SIZE[0] * 4 * SIZE[1];
        let buffer = state.device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: u64::from(bytes),
            usage: wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::COPY_SRC,
            mapped_at_creation: false,
        });
        let mut encoder = state.device.create_command_encoder(&Default::default());
        encoder.copy_texture_to_buffer(
            target.as_image_copy(),
            wgpu::TexelCopyBufferInfo {
                buffer: &buffer,
                layout: wgpu::TexelCopyBufferLayout {
                    offset: 0,
                    bytes_per_row: Some(SIZE[0] * 4),
                    rows_per_image: None,
                },
            },
            target.size(),
        );
        state.queue.submit([encoder.finish()]);
        gpu.check().expect("nothing was refused");
        gpu.read_buffer(&buffer, u64::from(bytes)).expect("the picture")
    }

    /// Draws a test window with egui's painter, or with the lean one. Returns its pixels.
    fn picture(lean: bool) -> Option<Vec<u8>> {
        let state = device()?;
        let ctx = Context::default();
        if lean {
            ctx.add_plugin(LeanPanels(Arc::new(Parts::new(&state))));
        }
        let photo = photo(&state);
        let screen = Rect::from_min_size(egui::Pos2::ZERO, vec2(SIZE[0] as f32, SIZE[1] as f32));
        let input = || RawInput { screen_rect: Some(screen), ..RawInput::default() };
        let usage = wgpu::TextureUsages::RENDER_ATTACHMENT | wgpu::TextureUsages::COPY_SRC;
        let target = state.device.create_texture(&described(SIZE, state.target_format, usage));
        // Only the second frame contains all glyphs.
        for _ in 0..2 {
            let output = ctx.run_ui(input(), |ui| contents(ui, screen, photo));
            paint(&state, &ctx, output, &target);
        }
        Some(read(&state, &target))
    }

    #[test]
    fn the_lean_painter_draws_the_same_as_egui() {
        let (Some(theirs), Some(ours)) = (picture(false), picture(true)) else { return };
        let most = theirs.iter().zip(&ours).map(|(a, b)| a.abs_diff(*b)).max();
        assert!(theirs.chunks(4).any(|p| p != [0, 0, 0, 255]), "there is something to see");
        assert!(most <= Some(2), "they differ by {most:?} levels");
    }
}
