//! Render pipelines of the passes. Each pipeline is created at its first use.

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
};

use super::{
    Gpu,
    layouts::Layouts,
    shaders::shader,
    shadow,
    skin::{PLACE_STRIDE, POSED_STRIDE, TANGENT_STRIDE},
    target::{COLOR, COLOR_SRGB, DEPTH, MASK, SAMPLES, SURFACES},
};

/// Kind of draw call; each kind has one pipeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Draw {
    /// A surface with its material.
    Mesh(MeshKey),
    /// A surface drawn with a tint per vertex, or in one neutral color, instead of its material.
    Tint {
        topology: wgpu::PrimitiveTopology,
        tinted: bool,
    },
    /// Deferred lighting of the G-buffer. The number contains the feature bits.
    MeshLight(u16),
    /// Deferred lighting of tinted surfaces.
    TintLight,
    /// Edges of surfaces in wireframe shading.
    Wires,
    /// Faint edges over tinted surfaces.
    Edges,
    /// Mask of outlined surfaces, including hidden parts.
    Mask,
    /// The outline around the mask.
    Outline,
    /// A ghost. One pass draws only its depth, and the next draws its color at the nearest surface.
    Ghost {
        depth: bool,
    },
    Grid,
    /// The shadow on the ground.
    Ground,
    /// Bones, one instance per bone.
    Joints,
    /// Depth as seen from the key light. With `cut`, alpha cutouts are applied, which is much
    /// slower.
    Caster {
        cut: bool,
    },
    /// Conversion of linear colors to gamma-encoded bytes, the format that the window blends.
    Encode,
}

/// Blend mode of a surface.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Layer {
    /// The surface covers the background.
    Opaque,
    /// The surface is blended with the background by its alpha.
    Blend,
}

/// Properties of a surface that select its pipeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct MeshKey {
    pub topology: wgpu::PrimitiveTopology,
    pub layer: Layer,
    /// Culled faces; `None` draws front and back faces.
    pub cull: Option<wgpu::Face>,
    /// Whether the surface has tangents, which normal maps use.
    pub bumped: bool,
    /// Feature bits: see [`features`].
    pub features: u16,
}

/// Feature bits of a surface and its shading. Keep in sync with `features` in shaders/mesh.wgsl.
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
    pub(in super::super) const DIMMED: u16 = 2048;
}

/// Parameters of a pipeline.
struct Recipe<'a> {
    shader: &'static str,
    vertex: &'a str,
    /// Fragment entry point; `None` if only depth is drawn.
    fragment: Option<&'a str>,
    layouts: &'a [Option<&'a wgpu::BindGroupLayout>],
    buffers: &'a [Option<wgpu::VertexBufferLayout<'a>>],
    topology: wgpu::PrimitiveTopology,
    cull: Option<wgpu::Face>,
    /// Color format of the target; `None` if only depth is drawn.
    format: Option<wgpu::TextureFormat>,
    blend: Option<wgpu::BlendState>,
    /// Depth test; `None` if there is no depth test.
    depth: Option<wgpu::DepthStencilState>,
    samples: u32,
    /// Override constants of both shader stages.
    constants: &'a [(&'a str, f64)],
}

/// Depth test with reverse depth: nearer fragments pass. With `hides`, they also write depth.
fn depth(hides: bool) -> Option<wgpu::DepthStencilState> {
    Some(wgpu::DepthStencilState {
        format: DEPTH,
        depth_write_enabled: Some(hides),
        depth_compare: Some(wgpu::CompareFunction::GreaterEqual),
        stencil: Default::default(),
        bias: Default::default(),
    })
}

/// Blend state that multiplies each channel by the pass's blend constant.
const CONSTANT: wgpu::BlendState = wgpu::BlendState {
    color: wgpu::BlendComponent {
        src_factor: wgpu::BlendFactor::Constant,
        dst_factor: wgpu::BlendFactor::OneMinusConstant,
        operation: wgpu::BlendOperation::Add,
    },
    alpha: wgpu::BlendComponent {
        src_factor: wgpu::BlendFactor::Zero,
        dst_factor: wgpu::BlendFactor::One,
        operation: wgpu::BlendOperation::Add,
    },
};

/// Blend state that leaves colors unchanged.
const NOTHING: wgpu::BlendState = {
    let keep = wgpu::BlendComponent {
        src_factor: wgpu::BlendFactor::Zero,
        dst_factor: wgpu::BlendFactor::One,
        operation: wgpu::BlendOperation::Add,
    };
    wgpu::BlendState { color: keep, alpha: keep }
};

/// All pipelines of a device. Each pipeline is created at its first use, on the calling thread.
pub struct Pipelines {
    device: wgpu::Device,
    pub(super) layouts: Layouts,
    modules: Mutex<HashMap<&'static str, wgpu::ShaderModule>>,
    made: Mutex<HashMap<(Draw, bool), wgpu::RenderPipeline>>,
}

impl Pipelines {
    pub(super) fn new(gpu: &Gpu) -> Self {
        let layouts = Layouts::new(gpu);
        Self {
            device: gpu.device.clone(),
            layouts,
            modules: Mutex::default(),
            made: Mutex::default(),
        }
    }

    /// Returns the pipeline of a draw call, for a quick picture with deferred shading (see
    /// [`RenderTarget::quick`](super::RenderTarget::quick)) or for a full picture.
    pub(super) fn get(&self, draw: Draw, quick: bool) -> wgpu::RenderPipeline {
        let made = || self.made.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(pipeline) = made().get(&(draw, quick)) {
            return pipeline.clone();
        }
        // The lock is not held here, so that other threads need not wait for the compilation.
        let pipeline = Maker { pipelines: self, quick }.make(draw);
        made().entry((draw, quick)).or_insert(pipeline).clone()
    }

    fn module(&self, name: &'static str) -> wgpu::ShaderModule {
        let mut modules = self.modules.lock().unwrap_or_else(PoisonError::into_inner);
        let make = || {
            self.device.create_shader_module(wgpu::ShaderModuleDescriptor {
                label: Some(name),
                source: wgpu::ShaderSource::Wgsl(shader(name).into()),
            })
        };
        modules.entry(name).or_insert_with(make).clone()
    }
}

struct Maker<'a> {
    pipelines: &'a Pipelines,
    quick: bool,
}

impl Maker<'_> {
    /// Creates the pipeline of a draw call.
    fn make(&self, draw: Draw) -> wgpu::RenderPipeline {
        let Layouts { frame, picture, ghost, .. } = &self.pipelines.layouts;
        let buffers = [position_layout(), placed()];
        // Recipe for overlays. The other recipes change some of its parameters.
        let over = Recipe {
            shader: "wire",
            vertex: "vertex",
            fragment: Some("fragment"),
            layouts: &[Some(frame)],
            buffers: &[],
            topology: wgpu::PrimitiveTopology::TriangleList,
            cull: None,
            format: Some(COLOR_SRGB),
            blend: Some(wgpu::BlendState::ALPHA_BLENDING),
            depth: depth(false),
            samples: if self.quick { 1 } else { SAMPLES },
            constants: &[],
        };
        let lines = wgpu::PrimitiveTopology::LineList;
        match draw {
            Draw::Mesh(key) => self.mesh(key, over),
            Draw::Tint { topology, tinted } => self.tint(topology, tinted, over),
            Draw::MeshLight(features) => self.light("mesh", Some(features), over),
            Draw::TintLight => self.light("tint", None, over),
            Draw::Wires => self.build(&Recipe { buffers: &buffers, topology: lines, ..over }),
            Draw::Edges => self.build(&Recipe {
                vertex: "vertex_over",
                fragment: Some("fragment_over"),
                blend: Some(CONSTANT),
                buffers: &buffers,
                topology: lines,
                ..over
            }),
            Draw::Mask => self.build(&Recipe {
                fragment: Some("fragment_mask"),
                buffers: &buffers,
                format: Some(MASK),
                blend: None,
                depth: None,
                ..over
            }),
            Draw::Outline => self.build(&Recipe {
                shader: "outline",
                layouts: &[Some(frame), Some(picture)],
                ..over
            }),
            Draw::Ghost { depth: alone } => self.build(&Recipe {
                shader: "ghost",
                layouts: &[Some(frame), Some(ghost)],
                buffers: &buffers,
                depth: depth(alone),
                blend: Some(if alone { NOTHING } else { wgpu::BlendState::ALPHA_BLENDING }),
                ..over
            }),
            Draw::Grid => self.build(&Recipe { shader: "grid", ..over }),
            Draw::Ground => self.build(&Recipe {
                shader: "grid",
                vertex: "vertex_shadow",
                fragment: Some("fragment_shadow"),
                ..over
            }),
            Draw::Joints => self.joints(over),
            Draw::Caster { cut } => self.caster(cut, over),
            Draw::Encode => self.build(&Recipe {
                shader: "encode",
                layouts: &[Some(picture)],
                format: Some(COLOR),
                blend: None,
                depth: None,
                samples: 1,
                ..over
            }),
        }
    }

    /// Pipeline for deferred lighting of the G-buffer, either of surfaces with these features or of
    /// tinted surfaces.
    fn light(
        &self,
        shader: &'static str,
        features: Option<u16>,
        over: Recipe<'_>,
    ) -> wgpu::RenderPipeline {
        let Layouts { frame, surfaces, .. } = &self.pipelines.layouts;
        let constants = features.map(|features| ("features", f64::from(features)));
        // The full-screen triangle is at the far end of the depth range. It passes the test at
        // pixels with a nearer surface.
        let nearer = depth(false).map(|d| wgpu::DepthStencilState {
            depth_compare: Some(wgpu::CompareFunction::Less),
            ..d
        });
        self.build(&Recipe {
            shader,
            vertex: "vertex_light",
            fragment: Some("fragment_light"),
            layouts: &[Some(frame), None, Some(surfaces)],
            blend: None,
            depth: nearer,
            constants: constants.as_slice(),
            ..over
        })
    }

    /// Pipeline for bones as solids, one per instance.
    fn joints(&self, over: Recipe<'_>) -> wgpu::RenderPipeline {
        let attributes = wgpu::vertex_attr_array![0 => Float32x3, 1 => Float32x3,
            2 => Float32, 3 => Float32x4, 4 => Float32x4];
        let instance = [Some(wgpu::VertexBufferLayout {
            array_stride: BONE_STRIDE,
            step_mode: wgpu::VertexStepMode::Instance,
            attributes: &attributes,
        })];
        self.build(&Recipe { shader: "joint", buffers: &instance, depth: depth(true), ..over })
    }

    /// Pipeline for shadow casters. `cut` selects surfaces with alpha cutouts.
    fn caster(&self, cut: bool, over: Recipe<'_>) -> wgpu::RenderPipeline {
        let Layouts { shadow, material, .. } = &self.pipelines.layouts;
        self.build(&Recipe {
            shader: "shadow",
            fragment: cut.then_some("fragment"),
            layouts: &[Some(shadow), Some(material)],
            buffers: &[position_layout(), color_layout(), placed()],
            format: None,
            depth: Some(wgpu::DepthStencilState {
                format: shadow::FORMAT,
                depth_write_enabled: Some(true),
                depth_compare: Some(wgpu::CompareFunction::LessEqual),
                stencil: Default::default(),
                bias: wgpu::DepthBiasState { constant: 2, slope_scale: 2.0, clamp: 0.0 },
            }),
            samples: 1,
            ..over
        })
    }

    /// Changes a recipe for the output of opaque surfaces: lit colors, or G-buffer data in deferred
    /// shading.
    fn opaque<'r>(&self, over: Recipe<'r>) -> Recipe<'r> {
        let over = Recipe { blend: None, depth: depth(true), ..over };
        if self.quick {
            Recipe { fragment: Some("fragment_kept"), format: Some(SURFACES), ..over }
        } else {
            over
        }
    }

    fn mesh(&self, key: MeshKey, over: Recipe<'_>) -> wgpu::RenderPipeline {
        let MeshKey { topology, layer, cull, bumped, features } = key;
        let tangents = wgpu::vertex_attr_array![5 => Float32x4];
        let tangents = wgpu::VertexBufferLayout {
            array_stride: TANGENT_STRIDE,
            step_mode: wgpu::VertexStepMode::Vertex,
            attributes: &tangents,
        };
        let buffers = [position_layout(), color_layout(), placed(), Some(tangents)];
        let (vertex, buffers) =
            if bumped { ("vertex_bumped", &buffers[..]) } else { ("vertex", &buffers[..3]) };
        let (frame, material) = (&self.pipelines.layouts.frame, &self.pipelines.layouts.material);
        let layered = if layer == Layer::Opaque { self.opaque(over) } else { over };
        self.build(&Recipe {
            shader: "mesh",
            vertex,
            layouts: &[Some(frame), Some(material)],
            buffers,
            topology,
            cull,
            constants: &[("features", f64::from(features))],
            ..layered
        })
    }

    fn tint(
        &self,
        topology: wgpu::PrimitiveTopology,
        tinted: bool,
        over: Recipe<'_>,
    ) -> wgpu::RenderPipeline {
        let value = wgpu::vertex_attr_array![2 => Uint32];
        let values = wgpu::VertexBufferLayout {
            array_stride: 4,
            step_mode: wgpu::VertexStepMode::Vertex,
            attributes: &value,
        };
        let buffers = [position_layout(), placed(), Some(values)];
        let (vertex, buffers) =
            if tinted { ("vertex", &buffers[..]) } else { ("vertex_bare", &buffers[..2]) };
        let opaque = self.opaque(over);
        self.build(&Recipe { shader: "tint", vertex, buffers, topology, ..opaque })
    }

    fn build(&self, recipe: &Recipe<'_>) -> wgpu::RenderPipeline {
        let name = recipe.shader;
        let (device, module) = (&self.pipelines.device, self.pipelines.module(name));
        let layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: Some(name),
            bind_group_layouts: recipe.layouts,
            immediate_size: 0,
        });
        let targets = [recipe.format.map(|format| wgpu::ColorTargetState {
            format,
            blend: recipe.blend,
            write_mask: wgpu::ColorWrites::ALL,
        })];
        let options = || wgpu::PipelineCompilationOptions {
            constants: recipe.constants,
            ..Default::default()
        };
        device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
            label: Some(name),
            layout: Some(&layout),
            vertex: wgpu::VertexState {
                module: &module,
                entry_point: Some(recipe.vertex),
                compilation_options: options(),
                buffers: recipe.buffers,
            },
            primitive: wgpu::PrimitiveState {
                topology: recipe.topology,
                cull_mode: recipe.cull,
                ..Default::default()
            },
            depth_stencil: recipe.depth.clone(),
            multisample: wgpu::MultisampleState { count: recipe.samples, ..Default::default() },
            fragment: recipe.fragment.map(|entry| wgpu::FragmentState {
                module: &module,
                entry_point: Some(entry),
                compilation_options: options(),
                targets: if recipe.format.is_some() { &targets } else { &[] },
            }),
            multiview_mask: None,
            cache: None,
        })
    }
}

/// Number of bytes per bone instance.
pub(super) const BONE_STRIDE: u64 = 60;

/// Vertex layout of texture coordinates and colors.
const fn color_layout() -> Option<wgpu::VertexBufferLayout<'static>> {
    const ATTRIBUTES: [wgpu::VertexAttribute; 3] =
        wgpu::vertex_attr_array![2 => Float32x2, 3 => Float32x2, 4 => Unorm8x4];
    Some(wgpu::VertexBufferLayout {
        array_stride: 20,
        step_mode: wgpu::VertexStepMode::Vertex,
        attributes: &ATTRIBUTES,
    })
}

/// Vertex layout of posed positions and normals.
const fn position_layout() -> Option<wgpu::VertexBufferLayout<'static>> {
    const ATTRIBUTES: [wgpu::VertexAttribute; 2] =
        wgpu::vertex_attr_array![0 => Float32x3, 1 => Float32x3];
    Some(wgpu::VertexBufferLayout {
        array_stride: POSED_STRIDE,
        step_mode: wgpu::VertexStepMode::Vertex,
        attributes: &ATTRIBUTES,
    })
}

/// Instance layout of a transform: three rows of a matrix.
const fn placed() -> Option<wgpu::VertexBufferLayout<'static>> {
    const ATTRIBUTES: [wgpu::VertexAttribute; 3] =
        wgpu::vertex_attr_array![6 => Float32x4, 7 => Float32x4, 8 => Float32x4];
    Some(wgpu::VertexBufferLayout {
        array_stride: PLACE_STRIDE,
        step_mode: wgpu::VertexStepMode::Instance,
        attributes: &ATTRIBUTES,
    })
}
