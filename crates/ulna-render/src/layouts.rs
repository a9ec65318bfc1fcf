//! Bind group layouts of all passes.

use super::{Gpu, material::Materials, shadow::Shadow, sky};

/// Layout entry of the per-frame uniforms, which every pass reads.
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
    let entry = |binding, ty| wgpu::BindGroupLayoutEntry {
        binding,
        visibility: wgpu::ShaderStages::VERTEX_FRAGMENT,
        ty,
        count: None,
    };
    let texture = |sample_type, view_dimension| wgpu::BindingType::Texture {
        sample_type,
        view_dimension,
        multisampled: false,
    };
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
    let comparing = gpu.device.create_sampler(&wgpu::SamplerDescriptor {
        compare: Some(wgpu::CompareFunction::LessEqual),
        ..smooth
    });
    let sky = sky::cube(gpu);
    gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
        label: Some("frame"),
        layout,
        entries: &[
            wgpu::BindGroupEntry { binding: 0, resource: frame.as_entire_binding() },
            wgpu::BindGroupEntry { binding: 1, resource: wgpu::BindingResource::TextureView(&sky) },
            wgpu::BindGroupEntry { binding: 2, resource: wgpu::BindingResource::Sampler(&plain) },
            wgpu::BindGroupEntry {
                binding: 3,
                resource: wgpu::BindingResource::TextureView(&shadow.view),
            },
            wgpu::BindGroupEntry {
                binding: 4,
                resource: wgpu::BindingResource::Sampler(&comparing),
            },
        ],
    })
}

/// Bind group layouts of all passes.
pub(super) struct Layouts {
    /// Layout of the per-frame uniforms, the sky and the shadow map.
    pub frame: wgpu::BindGroupLayout,
    /// Layout of only the per-frame uniforms, for drawing the shadow map.
    pub shadow: wgpu::BindGroupLayout,
    pub material: wgpu::BindGroupLayout,
    /// Layout of a picture that a pass reads.
    pub picture: wgpu::BindGroupLayout,
    /// Layout of the G-buffer for deferred shading, in the format
    /// [`SURFACES`](super::target::SURFACES).
    pub surfaces: wgpu::BindGroupLayout,
    /// Layout of a ghost's color.
    pub ghost: wgpu::BindGroupLayout,
}

impl Layouts {
    pub(super) fn new(gpu: &Gpu) -> Self {
        let device = &gpu.device;
        let texture = |name, sample_type| {
            device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
                label: Some(name),
                entries: &[wgpu::BindGroupLayoutEntry {
                    binding: 0,
                    visibility: wgpu::ShaderStages::FRAGMENT,
                    ty: wgpu::BindingType::Texture {
                        sample_type,
                        view_dimension: wgpu::TextureViewDimension::D2,
                        multisampled: false,
                    },
                    count: None,
                }],
            })
        };
        Self {
            frame: frame_layout(device),
            shadow: device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
                label: Some("shadow"),
                entries: &[frame_entry()],
            }),
            material: Materials::layout(gpu),
            picture: texture("picture", wgpu::TextureSampleType::Float { filterable: true }),
            surfaces: texture("surfaces", wgpu::TextureSampleType::Uint),
            ghost: Self::ghost(device),
        }
    }

    /// Creates the layout of a ghost's color.
    pub(super) fn ghost(device: &wgpu::Device) -> wgpu::BindGroupLayout {
        device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label: Some("ghost"),
            entries: &[frame_entry()],
        })
    }
}
