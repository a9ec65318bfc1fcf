//! Materials on the device, with one bind group each.

use bytemuck::{Pod, Zeroable};
use wgpu::util::DeviceExt as _;

use super::{Decoded, Gpu, texture::upload};
use ulna_model::{AlphaMode, Material, MaterialId, Mip, Slots, TextureRef, Wrap};

/// Uniforms of a material. Keep in sync with `Material` in shaders/material.wgsl.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
struct MaterialUniform {
    base_color: [f32; 4],
    emissive: [f32; 4],
    surface: [f32; 4],
    transforms: [[f32; 4]; 2 * TEXTURES],
    part: [f32; 4],
}

/// Number of textures per material: base color, metallic-roughness, emission, normals, occlusion.
const TEXTURES: usize = 5;

/// Uploaded textures by image. Color textures (sRGB) and data textures are stored separately.
pub(super) struct Materials {
    layout: wgpu::BindGroupLayout,
    white: wgpu::TextureView,
    /// Normal map of a flat surface, for materials without a normal map.
    flat: wgpu::TextureView,
    color: Vec<Option<wgpu::TextureView>>,
    data: Vec<Option<wgpu::TextureView>>,
}

impl Materials {
    pub(super) fn layout(gpu: &Gpu) -> wgpu::BindGroupLayout {
        let mut entries = vec![wgpu::BindGroupLayoutEntry {
            binding: 0,
            visibility: wgpu::ShaderStages::VERTEX_FRAGMENT,
            ty: wgpu::BindingType::Buffer {
                ty: wgpu::BufferBindingType::Uniform,
                has_dynamic_offset: false,
                min_binding_size: None,
            },
            count: None,
        }];
        for k in 0..TEXTURES as u32 {
            entries.push(wgpu::BindGroupLayoutEntry {
                binding: 1 + k * 2,
                visibility: wgpu::ShaderStages::VERTEX_FRAGMENT,
                ty: wgpu::BindingType::Texture {
                    sample_type: wgpu::TextureSampleType::Float { filterable: true },
                    view_dimension: wgpu::TextureViewDimension::D2,
                    multisampled: false,
                },
                count: None,
            });
            entries.push(wgpu::BindGroupLayoutEntry {
                binding: 2 + k * 2,
                visibility: wgpu::ShaderStages::VERTEX_FRAGMENT,
                ty: wgpu::BindingType::Sampler(wgpu::SamplerBindingType::Filtering),
                count: None,
            });
        }
        gpu.device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label: Some("material"),
            entries: &entries,
        })
    }

    pub(super) fn new(
        gpu: &Gpu,
        layout: &wgpu::BindGroupLayout,
        materials: &Slots<MaterialId, Material>,
        images: &[Decoded],
    ) -> Self {
        let used = |pick: &dyn Fn(&Material) -> Vec<Option<&TextureRef>>,
                    srgb: bool|
         -> Vec<Option<wgpu::TextureView>> {
            images
                .iter()
                .enumerate()
                .map(|(k, picture)| {
                    let wanted =
                        materials.values().flat_map(pick).flatten().any(|t| t.image.index() == k);
                    picture
                        .as_ref()
                        .filter(|p| wanted && p.width() > 0 && p.height() > 0)
                        .map(|p| upload(gpu, p, srgb))
                })
                .collect()
        };
        Self {
            layout: layout.clone(),
            white: upload(gpu, &image::RgbaImage::from_pixel(1, 1, image::Rgba([255; 4])), false),
            flat: upload(
                gpu,
                &image::RgbaImage::from_pixel(1, 1, image::Rgba([128, 128, 255, 255])),
                false,
            ),
            color: used(
                &|m| vec![m.base_color_texture.as_ref(), m.emissive_texture.as_ref()],
                true,
            ),
            data: used(
                &|m| {
                    vec![
                        m.metallic_roughness_texture.as_ref(),
                        m.normal_texture.as_ref(),
                        m.occlusion_texture.as_ref(),
                    ]
                },
                false,
            ),
        }
    }

    /// Creates the bind group of a material, for mirrored or unmirrored parts.
    pub(super) fn bind(&self, gpu: &Gpu, material: &Material, mirrored: bool) -> wgpu::BindGroup {
        let slots = [
            (&material.base_color_texture, &self.color),
            (&material.metallic_roughness_texture, &self.data),
            (&material.emissive_texture, &self.color),
            (&material.normal_texture, &self.data),
            (&material.occlusion_texture, &self.data),
        ];
        let mut transforms = [[0.0; 4]; 2 * TEXTURES];
        let mut views = Vec::new();
        for (k, (texture, list)) in slots.into_iter().enumerate() {
            let rows = texture.as_ref().map_or([[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0]], rows);
            [transforms[k * 2], transforms[k * 2 + 1]] = rows;
            let view = texture
                .as_ref()
                .and_then(|t| list.get(t.image.index()).and_then(Option::as_ref))
                .unwrap_or(if k == 3 { &self.flat } else { &self.white });
            views.push((view, sampler(gpu, texture.as_ref())));
        }
        let uniform = MaterialUniform {
            // Fully transmissive surfaces keep some opacity, so that they stay visible.
            base_color: (material.base_color
                * glam::Vec4::new(1.0, 1.0, 1.0, 1.0 - 0.85 * material.transmission))
            .to_array(),
            emissive: material
                .emissive
                .extend(if let AlphaMode::Mask(cut) = material.alpha { cut } else { -1.0 })
                .to_array(),
            surface: [material.metallic, material.roughness, 0.0, 0.0],
            transforms,
            part: [
                f32::from(mirrored),
                f32::from(!material.is_see_through()),
                material.normal_scale,
                material.occlusion_strength,
            ],
        };
        let buffer = gpu.device.create_buffer_init(&wgpu::util::BufferInitDescriptor {
            label: Some("material"),
            contents: bytemuck::bytes_of(&uniform),
            usage: wgpu::BufferUsages::UNIFORM,
        });
        let mut entries =
            vec![wgpu::BindGroupEntry { binding: 0, resource: buffer.as_entire_binding() }];
        for (k, (view, sampler)) in views.iter().enumerate() {
            let binding = 1 + 2 * k as u32;
            entries.push(wgpu::BindGroupEntry {
                binding,
                resource: wgpu::BindingResource::TextureView(view),
            });
            entries.push(wgpu::BindGroupEntry {
                binding: binding + 1,
                resource: wgpu::BindingResource::Sampler(sampler),
            });
        }
        gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("material"),
            layout: &self.layout,
            entries: &entries,
        })
    }
}

/// Converts `KHR_texture_transform` to two matrix rows (translation · rotation · scale). The last
/// number of each row is the index of the texture coordinates.
fn rows(texture: &TextureRef) -> [[f32; 4]; 2] {
    let (sin, cos) = texture.rotation.sin_cos();
    let (s, o) = (texture.scale, texture.offset);
    let set = texture.uv_set as f32;
    [[cos * s.x, sin * s.y, o.x, set], [-sin * s.x, cos * s.y, o.y, set]]
}

fn sampler(gpu: &Gpu, texture: Option<&TextureRef>) -> wgpu::Sampler {
    let mode = |wrap: Wrap| match wrap {
        Wrap::Repeat => wgpu::AddressMode::Repeat,
        Wrap::Mirror => wgpu::AddressMode::MirrorRepeat,
        Wrap::Clamp => wgpu::AddressMode::ClampToEdge,
    };
    let wrap = texture.map_or([Wrap::Repeat; 2], |t| t.wrap);
    let nearest = texture.is_some_and(|t| t.nearest);
    let linear_or =
        |nearest| if nearest { wgpu::FilterMode::Nearest } else { wgpu::FilterMode::Linear };
    let nearest_min = texture.is_some_and(|t| t.nearest_min);
    let mip = texture.map_or(Mip::Linear, |t| t.mip);
    let smooth = !nearest && !nearest_min && mip == Mip::Linear;
    gpu.device.create_sampler(&wgpu::SamplerDescriptor {
        address_mode_u: mode(wrap[0]),
        address_mode_v: mode(wrap[1]),
        mag_filter: linear_or(nearest),
        min_filter: linear_or(nearest_min),
        mipmap_filter: match mip {
            Mip::Linear => wgpu::MipmapFilterMode::Linear,
            Mip::None | Mip::Nearest => wgpu::MipmapFilterMode::Nearest,
        },
        lod_max_clamp: if mip == Mip::None { 0.0 } else { 32.0 },
        anisotropy_clamp: if smooth && !gpu.software { 8 } else { 1 },
        ..Default::default()
    })
}
