//! How the passes are set up: what they are bound to, and their pipelines. Made once, at the start.

use super::{
    Gpu, shader,
    shadow::{self, Shadow},
    skin::{PLACE_STRIDE, POSED_STRIDE, TANGENT_STRIDE},
    sky,
    target::{COLOR_SRGB, DEPTH, MASK, SAMPLES},
};

/// The numbers of a frame, which every pass reads.
pub(super) const fn frame_entry() -> wgpu::BindGroupLayoutEntry {
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

pub(super) fn frame_layout(device: &wgpu::Device) -> wgpu::BindGroupLayout {
    let entry = |binding, ty| wgpu::BindGroupLayoutEntry {
        binding,
        visibility: wgpu::ShaderStages::VERTEX_FRAGMENT,
        ty,
        count: None,
    };
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

pub(super) fn frame_bind(
    gpu: &Gpu,
    layout: &wgpu::BindGroupLayout,
    frame: &wgpu::Buffer,
    shadow: &Shadow,
) -> wgpu::BindGroup {
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

/// Makes pipelines.
pub(super) struct PipelineMaker<'a> {
    pub device: &'a wgpu::Device,
    pub frame: &'a wgpu::BindGroupLayout,
    pub material: &'a wgpu::BindGroupLayout,
}

/// How a surface is laid over what is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Layer {
    /// It hides what is behind.
    Opaque,
    /// What is behind shines through.
    Blend,
}

/// Which pipeline shades a surface.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct MeshKey {
    pub topology: wgpu::PrimitiveTopology,
    pub layer: Layer,
    /// Which sides of its triangles are not drawn.
    pub cull: Option<wgpu::Face>,
    /// Whether it has tangents.
    pub bumped: bool,
    /// What it is and how it is shown: see [`features`].
    pub features: u16,
    /// Whether light is found at its vertices.
    pub lit: bool,
}

/// What a surface is and how it is shown, one bit each. Keep in sync with `features` in shaders/mesh.wgsl.
pub(super) mod features {
    pub(in super::super) const ROUGH: u16 = 1;
    pub(in super::super) const GLOW: u16 = 2;
    pub(in super::super) const BUMP: u16 = 4;
    pub(in super::super) const SHADE: u16 = 8;
    pub(in super::super) const CUT: u16 = 16;
    pub(in super::super) const UNLIT: u16 = 32;
    pub(in super::super) const FLAT: u16 = 64;
    pub(in super::super) const PLAIN: u16 = 128;
    pub(in super::super) const XRAY: u16 = 256;
    pub(in super::super) const LIGHTS: u16 = 512;
    pub(in super::super) const QUICK: u16 = 1024;
}

/// What differs from pass to pass.
struct Recipe<'a> {
    name: &'a str,
    vertex: &'a str,
    fragment: &'a str,
    layouts: &'a [Option<&'a wgpu::BindGroupLayout>],
    buffers: &'a [Option<wgpu::VertexBufferLayout<'a>>],
    topology: wgpu::PrimitiveTopology,
    format: wgpu::TextureFormat,
    blend: bool,
    cull: Option<wgpu::Face>,
    /// Whether it is hidden by what is nearer, and hides what is farther; none where depth does not count.
    depth: Option<bool>,
    /// Of both shaders.
    constants: &'a [(&'a str, f64)],
}

impl PipelineMaker<'_> {
    pub(super) fn mesh(&self, key: MeshKey) -> wgpu::RenderPipeline {
        let MeshKey { topology, layer, cull, bumped, features, lit } = key;
        let tangents = wgpu::vertex_attr_array![5 => Float32x4];
        let looks = wgpu::vertex_attr_array![2 => Float32x2, 3 => Float32x2, 4 => Unorm8x4];
        let buffers = [
            posed(),
            Some(wgpu::VertexBufferLayout {
                array_stride: 20,
                step_mode: wgpu::VertexStepMode::Vertex,
                attributes: &looks,
            }),
            placed(),
            Some(wgpu::VertexBufferLayout {
                array_stride: TANGENT_STRIDE,
                step_mode: wgpu::VertexStepMode::Vertex,
                attributes: &tangents,
            }),
        ];
        let layouts = [Some(self.frame), Some(self.material)];
        let (vertex, fragment, buffers) = match (lit, bumped) {
            (true, _) => ("vertex_lit", "fragment_lit", &buffers[..3]),
            (false, true) => ("vertex_bumped", "fragment", &buffers[..]),
            (false, false) => ("vertex", "fragment", &buffers[..3]),
        };
        self.make(&Recipe {
            name: "mesh",
            vertex,
            fragment,
            layouts: &layouts,
            buffers,
            topology,
            format: COLOR_SRGB,
            blend: layer != Layer::Opaque,
            cull,
            depth: Some(layer == Layer::Opaque),
            constants: &[("features", f64::from(features))],
        })
    }

    /// The edges of surfaces.
    pub(super) fn wire(&self) -> wgpu::RenderPipeline {
        self.make(&Recipe {
            name: "wire",
            vertex: "vertex",
            fragment: "fragment",
            layouts: &[Some(self.frame)],
            buffers: &[posed(), placed()],
            topology: wgpu::PrimitiveTopology::LineList,
            format: COLOR_SRGB,
            blend: true,
            cull: None,
            depth: Some(false),
            constants: &[],
        })
    }

    /// Surfaces with tints at their vertices in place of materials, or bare; `lit`: their colours are found at vertices, too.
    pub(super) fn tint(&self, topology: wgpu::PrimitiveTopology, tinted: bool, lit: bool) -> wgpu::RenderPipeline {
        let value = wgpu::vertex_attr_array![2 => Uint32];
        let values =
            wgpu::VertexBufferLayout { array_stride: 4, step_mode: wgpu::VertexStepMode::Vertex, attributes: &value };
        let buffers = [posed(), placed(), Some(values)];
        let buffers = if tinted { &buffers[..] } else { &buffers[..2] };
        let vertex = match (tinted, lit) {
            (true, false) => "vertex",
            (false, false) => "vertex_bare",
            (true, true) => "vertex_lit",
            (false, true) => "vertex_bare_lit",
        };
        self.make(&Recipe {
            name: "tint",
            vertex,
            fragment: if lit { "fragment_lit" } else { "fragment" },
            layouts: &[Some(self.frame)],
            buffers,
            topology,
            format: COLOR_SRGB,
            blend: false,
            cull: None,
            depth: Some(true),
            constants: &[],
        })
    }

    /// The edges of surfaces, faint over them.
    pub(super) fn edges_over(&self) -> wgpu::RenderPipeline {
        self.make(&Recipe {
            name: "wire",
            vertex: "vertex_over",
            fragment: "fragment_over",
            layouts: &[Some(self.frame)],
            buffers: &[posed(), placed()],
            topology: wgpu::PrimitiveTopology::LineList,
            format: COLOR_SRGB,
            blend: true,
            cull: None,
            depth: Some(false),
            constants: &[],
        })
    }

    /// Where the outlined surfaces are, whatever is before them.
    pub(super) fn mask(&self) -> wgpu::RenderPipeline {
        self.make(&Recipe {
            name: "wire",
            vertex: "vertex",
            fragment: "fragment_mask",
            layouts: &[Some(self.frame)],
            buffers: &[posed(), placed()],
            topology: wgpu::PrimitiveTopology::TriangleList,
            format: MASK,
            blend: false,
            cull: None,
            depth: None,
            constants: &[],
        })
    }

    /// The line around what the mask holds.
    pub(super) fn outline(&self, mask: &wgpu::BindGroupLayout) -> wgpu::RenderPipeline {
        self.make(&Recipe {
            name: "outline",
            vertex: "vertex",
            fragment: "fragment",
            layouts: &[Some(self.frame), Some(mask)],
            buffers: &[],
            topology: wgpu::PrimitiveTopology::TriangleList,
            format: COLOR_SRGB,
            blend: true,
            cull: None,
            depth: Some(false),
            constants: &[],
        })
    }

    /// Depth alone, from the key light; `cut` looks where a material is cut out, which costs far more than depth.
    pub(super) fn shadow(&self, frame: &wgpu::BindGroupLayout, cut: bool) -> wgpu::RenderPipeline {
        let module = self.device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: Some("shadow"),
            source: wgpu::ShaderSource::Wgsl(shader("shadow").into()),
        });
        let layout = self.device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: Some("shadow"),
            bind_group_layouts: &[Some(frame), Some(self.material)],
            immediate_size: 0,
        });
        let looks = wgpu::vertex_attr_array![2 => Float32x2, 3 => Float32x2, 4 => Unorm8x4];
        let looks =
            wgpu::VertexBufferLayout { array_stride: 20, step_mode: wgpu::VertexStepMode::Vertex, attributes: &looks };
        self.device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
            label: Some("shadow"),
            layout: Some(&layout),
            vertex: wgpu::VertexState {
                module: &module,
                entry_point: Some("vertex"),
                compilation_options: Default::default(),
                buffers: &[posed(), Some(looks), placed()],
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
            fragment: cut.then(|| wgpu::FragmentState {
                module: &module,
                entry_point: Some("fragment"),
                compilation_options: Default::default(),
                targets: &[],
            }),
            multiview_mask: None,
            cache: None,
        })
    }

    /// The grid, and the shadow on it.
    pub(super) fn ground(&self) -> [wgpu::RenderPipeline; 2] {
        [("vertex", "fragment"), ("vertex_shadow", "fragment_shadow")].map(|(vertex, fragment)| {
            self.make(&Recipe {
                name: "grid",
                vertex,
                fragment,
                layouts: &[Some(self.frame)],
                buffers: &[],
                topology: wgpu::PrimitiveTopology::TriangleList,
                format: COLOR_SRGB,
                blend: true,
                cull: None,
                depth: Some(false),
                constants: &[],
            })
        })
    }

    /// Bones, one an instance.
    pub(super) fn joint(&self, instance: wgpu::VertexBufferLayout<'_>) -> wgpu::RenderPipeline {
        self.make(&Recipe {
            name: "joint",
            vertex: "vertex",
            fragment: "fragment",
            layouts: &[Some(self.frame)],
            buffers: &[Some(instance)],
            topology: wgpu::PrimitiveTopology::TriangleList,
            format: COLOR_SRGB,
            blend: true,
            cull: None,
            depth: Some(true),
            constants: &[],
        })
    }

    fn make(&self, recipe: &Recipe<'_>) -> wgpu::RenderPipeline {
        let module = self.device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: Some(recipe.name),
            source: wgpu::ShaderSource::Wgsl(shader(recipe.name).into()),
        });
        let layout = self.device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: Some(recipe.name),
            bind_group_layouts: recipe.layouts,
            immediate_size: 0,
        });
        self.device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
            label: Some(recipe.name),
            layout: Some(&layout),
            vertex: wgpu::VertexState {
                module: &module,
                entry_point: Some(recipe.vertex),
                compilation_options: wgpu::PipelineCompilationOptions {
                    constants: recipe.constants,
                    ..Default::default()
                },
                buffers: recipe.buffers,
            },
            primitive: wgpu::PrimitiveState { topology: recipe.topology, cull_mode: recipe.cull, ..Default::default() },
            depth_stencil: recipe.depth.map(|write| wgpu::DepthStencilState {
                format: DEPTH,
                depth_write_enabled: Some(write),
                depth_compare: Some(wgpu::CompareFunction::GreaterEqual),
                stencil: Default::default(),
                bias: Default::default(),
            }),
            multisample: wgpu::MultisampleState { count: SAMPLES, ..Default::default() },
            fragment: Some(wgpu::FragmentState {
                module: &module,
                entry_point: Some(recipe.fragment),
                compilation_options: wgpu::PipelineCompilationOptions {
                    constants: recipe.constants,
                    ..Default::default()
                },
                targets: &[Some(wgpu::ColorTargetState {
                    format: recipe.format,
                    blend: recipe.blend.then_some(wgpu::BlendState::ALPHA_BLENDING),
                    write_mask: wgpu::ColorWrites::ALL,
                })],
            }),
            multiview_mask: None,
            cache: None,
        })
    }
}

/// Positions and normals, as skinning leaves them.
const fn posed() -> Option<wgpu::VertexBufferLayout<'static>> {
    const ATTRIBUTES: [wgpu::VertexAttribute; 2] = wgpu::vertex_attr_array![0 => Float32x3, 1 => Float32x3];
    Some(wgpu::VertexBufferLayout {
        array_stride: POSED_STRIDE,
        step_mode: wgpu::VertexStepMode::Vertex,
        attributes: &ATTRIBUTES,
    })
}

/// The place of an instance: three rows of a matrix.
const fn placed() -> Option<wgpu::VertexBufferLayout<'static>> {
    const ATTRIBUTES: [wgpu::VertexAttribute; 3] =
        wgpu::vertex_attr_array![6 => Float32x4, 7 => Float32x4, 8 => Float32x4];
    Some(wgpu::VertexBufferLayout {
        array_stride: PLACE_STRIDE,
        step_mode: wgpu::VertexStepMode::Instance,
        attributes: &ATTRIBUTES,
    })
}
