//! Materials, textures and encoded images.

use std::sync::Arc;

use glam::{Vec2, Vec3, Vec4};
use image::{DynamicImage, ImageResult};

use super::{ImageId, Slice, unpack_picture};

/// Interpretation of a material's alpha.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub enum AlphaMode {
    /// Alpha is ignored.
    #[default]
    Opaque,
    /// Visible where alpha is at least this cutoff.
    Mask(f32),
    /// Blended with the background.
    Blend,
}

/// Wrapping mode: extension of a texture outside `0..=1`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Wrap {
    /// Tiled.
    #[default]
    Repeat,
    /// Tiled; every second tile is mirrored.
    Mirror,
    /// The edge color is repeated.
    Clamp,
}

/// Selection of mipmap levels for minification.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Mip {
    /// No mipmaps: the full resolution is always used.
    None,
    /// The nearest level.
    Nearest,
    /// Linear interpolation between the two nearest levels.
    #[default]
    Linear,
}

/// A texture in a material.
#[derive(Clone, Debug, PartialEq)]
pub struct TextureRef {
    /// Image that the texture samples.
    pub image: ImageId,
    /// Texture coordinate set: 0 or 1.
    pub uv_set: u32,
    /// Wrapping along u and v.
    pub wrap: [Wrap; 2],
    /// Whether magnification uses the nearest texel.
    pub nearest: bool,
    /// Whether minification uses the nearest texel.
    pub nearest_min: bool,
    /// Mipmap selection for minification.
    pub mip: Mip,
    /// Offset of the texture coordinates (`KHR_texture_transform`).
    pub offset: Vec2,
    /// Rotation in radians, counterclockwise.
    pub rotation: f32,
    /// Scale of the texture coordinates.
    pub scale: Vec2,
}

/// A metallic-roughness material (glTF 2.0, 3.9).
#[derive(Clone, Debug, PartialEq)]
pub struct Material {
    /// The name, if the file has one.
    pub name: Option<Arc<str>>,
    /// Linear color with straight alpha.
    pub base_color: Vec4,
    /// Base color texture, which multiplies `base_color`; stored as sRGB.
    pub base_color_texture: Option<TextureRef>,
    /// Metalness, `0..=1`: 0 is a dielectric, 1 a metal.
    pub metallic: f32,
    /// Roughness, `0..=1`: 0 is a mirror, 1 fully rough.
    pub roughness: f32,
    /// Texture with roughness in green and metalness in blue.
    pub metallic_roughness_texture: Option<TextureRef>,
    /// Texture of tangent-space normals.
    pub normal_texture: Option<TextureRef>,
    /// Factor of x and y of the texture's normals.
    pub normal_scale: f32,
    /// Texture with ambient visibility in red, `0..=1`.
    pub occlusion_texture: Option<TextureRef>,
    /// Strength of the occlusion texture, `0..=1`; 0 ignores it.
    pub occlusion_strength: f32,
    /// Emitted light, as a linear color.
    pub emissive: Vec3,
    /// Emissive texture, which multiplies `emissive`; stored as sRGB.
    pub emissive_texture: Option<TextureRef>,
    /// Interpretation of alpha.
    pub alpha: AlphaMode,
    /// Whether back faces are drawn.
    pub double_sided: bool,
    /// Whether the base color is drawn without lighting (`KHR_materials_unlit`).
    pub unlit: bool,
    /// Transmitted fraction of the light, `0..=1` (`KHR_materials_transmission`). It is drawn as
    /// alpha blending.
    pub transmission: f32,
}

impl Material {
    /// Whether the background is visible through the material.
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

/// An encoded image, as stored in the file.
#[derive(Clone, Debug, PartialEq)]
pub struct Image {
    /// The name, if the file has one.
    pub name: Option<Arc<str>>,
    /// Encoded bytes. They are empty if the image could not be read; a diagnostic reports the
    /// reason.
    pub bytes: Slice<u8>,
}

impl Image {
    /// Memory limit in bytes for decoding an image of `encoded` bytes. It protects against
    /// malicious images.
    pub fn most_memory(encoded: usize) -> u64 {
        (encoded as u64).saturating_mul(200).clamp(64 << 20, 1 << 30)
    }

    /// Decodes the image.
    ///
    /// # Errors
    /// The format is unknown, the data is damaged, or decoding exceeds the memory limit.
    pub fn unpack(&self) -> ImageResult<DynamicImage> {
        let format = image::guess_format(&self.bytes)?;
        unpack_picture(&self.bytes, format, Self::most_memory(self.bytes.len()))
    }
}
