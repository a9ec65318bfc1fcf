//! How surfaces look: materials, textures and the encoded images they come from.

use std::sync::Arc;

use glam::{Vec2, Vec3, Vec4};
use image::{DynamicImage, ImageResult};

use super::{ImageId, Slice, unpack_picture};

/// What alpha does.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub enum AlphaMode {
    /// Alpha is ignored.
    #[default]
    Opaque,
    /// Seen where alpha is at least the cut-off.
    Mask(f32),
    /// Mixed with what is behind.
    Blend,
}

/// How a texture continues outside 0…1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Wrap {
    /// Tiled.
    #[default]
    Repeat,
    /// Tiled, every second one mirrored.
    Mirror,
    /// The edge goes on.
    Clamp,
}

/// Between which of a texture's smaller copies a distant surface is smoothed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Mip {
    /// It has none: the full picture always.
    None,
    /// The nearest one.
    Nearest,
    /// The two nearest, mixed.
    #[default]
    Linear,
}

/// A texture as a material uses it.
#[derive(Clone, Debug, PartialEq)]
pub struct TextureRef {
    /// The image.
    pub image: ImageId,
    /// Which texture coordinates: 0 or 1.
    pub uv_set: u32,
    /// How it continues, along u and v.
    pub wrap: [Wrap; 2],
    /// Whether it is magnified without smoothing.
    pub nearest: bool,
    /// Whether it is made smaller without smoothing.
    pub nearest_min: bool,
    /// How it is made smaller over distance.
    pub mip: Mip,
    /// `KHR_texture_transform`: offset, rotation (radians), scale.
    pub offset: Vec2,
    /// Radians, counter-clockwise.
    pub rotation: f32,
    /// Scale of the coordinates.
    pub scale: Vec2,
}

/// A metallic-roughness material (glTF 2.0, *Materials*).
#[derive(Clone, Debug, PartialEq)]
pub struct Material {
    /// The name, where the file gives one.
    pub name: Option<Arc<str>>,
    /// Linear color, straight alpha.
    pub base_color: Vec4,
    /// Multiplies `base_color`; stored as sRGB.
    pub base_color_texture: Option<TextureRef>,
    /// 0 dielectric … 1 metal.
    pub metallic: f32,
    /// 0 mirror … 1 matt.
    pub roughness: f32,
    /// Green is roughness, blue is metallic.
    pub metallic_roughness_texture: Option<TextureRef>,
    /// Tangent-space normals.
    pub normal_texture: Option<TextureRef>,
    /// Multiplies x and y of the texture's normals.
    pub normal_scale: f32,
    /// Red is how much of the sky's light arrives.
    pub occlusion_texture: Option<TextureRef>,
    /// 0 ignores the occlusion texture, 1 takes it as it is.
    pub occlusion_strength: f32,
    /// Linear light given off.
    pub emissive: Vec3,
    /// Multiplies `emissive`; stored as sRGB.
    pub emissive_texture: Option<TextureRef>,
    /// What alpha does.
    pub alpha: AlphaMode,
    /// Whether the back is seen too.
    pub double_sided: bool,
    /// `KHR_materials_unlit`: shown without light.
    pub unlit: bool,
    /// `KHR_materials_transmission`: the share of light that goes through, 0 to 1. Shown as plain
    /// transparency.
    pub transmission: f32,
}

impl Material {
    /// Whether what is behind shines through.
    pub fn is_see_through(&self) -> bool {
        self.alpha == AlphaMode::Blend || self.transmission > 0.0
    }
}

impl Default for Material {
    fn default() -> Self {
        Self {
            name: None,
            base_color: Vec4::ONE,
            base_color_texture: None,
            metallic: 1.0,
            roughness: 1.0,
            metallic_roughness_texture: None,
            normal_texture: None,
            normal_scale: 1.0,
            occlusion_texture: None,
            occlusion_strength: 1.0,
            emissive: Vec3::ZERO,
            emissive_texture: None,
            alpha: AlphaMode::Opaque,
            double_sided: false,
            unlit: false,
            transmission: 0.0,
        }
    }
}

/// An image as the file holds it, not decoded.
#[derive(Clone, Debug, PartialEq)]
pub struct Image {
    /// The name, where the file gives one.
    pub name: Option<Arc<str>>,
    /// Encoded bytes; empty where they could not be had (a diagnostic says why).
    pub bytes: Slice<u8>,
}

impl Image {
    /// Bytes of memory that decoding so many encoded ones may take: an image that asks for more is
    /// hostile.
    pub fn most_memory(encoded: usize) -> u64 {
        (encoded as u64).saturating_mul(200).clamp(64 << 20, 1 << 30)
    }

    /// The image unpacked.
    ///
    /// # Errors
    /// Its bytes are of no known format, damaged, or ask for too much memory.
    pub fn unpack(&self) -> ImageResult<DynamicImage> {
        let format = image::guess_format(&self.bytes)?;
        unpack_picture(&self.bytes, format, Self::most_memory(self.bytes.len()))
    }
}
