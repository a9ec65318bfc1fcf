//! Conversion of textures: embedded images or image files, in formats that glTF allows.

use std::path::Path;

use image::{DynamicImage, GrayImage, RgbImage, imageops::FilterType};
use ufbx::{Mesh, Texture, WrapMode};

use super::{Builder, math::finite};
use crate::import::{TextureOut, read_beside, read_picture};
use ulna_model::{is_gray, normal_map, picture_to_png};

/// Default height of white above black, in pixels, for converting a height map to a normal map.
const STEEP: f32 = 4.0;

/// Use of a texture. A variant for two images contains the id of the second image.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Use {
    /// The image is used unchanged.
    Plain,
    /// Normal map, or a height map that is converted to a normal map.
    Normal,
    /// Color from this image, and alpha from another image.
    Alpha(u32),
    /// Roughness from this image's gray, and metalness from another image's gray. The flag means
    /// that the gray is shininess instead of roughness.
    Roughness(Option<u32>, bool),
    /// Metalness from this image's gray.
    Metal,
}

/// Encoded image with its name, as found in the file.
struct Raw {
    name: String,
    bytes: Vec<u8>,
}

impl Raw {
    /// MIME type of the image; `None` if glTF does not allow the format.
    fn mime(&self) -> Option<&'static str> {
        match &self.bytes {
            b if b.starts_with(b"\x89PNG") => Some("image/png"),
            b if b.starts_with(b"\xFF\xD8") => Some("image/jpeg"),
            _ => None,
        }
    }
}

/// Image file of a texture: its own file, or the first file of a layered texture or a shader.
fn file_of(texture: &Texture) -> Option<&Texture> {
    if texture.has_file { Some(texture) } else { texture.file_textures.into_iter().next() }
}

impl Builder<'_> {
    /// Adds a texture of a material, converted for a use. Returns `None` and adds a finding if it
    /// cannot be read. `other` is the second image of the use.
    pub(super) fn texture(
        &mut self,
        texture: &Texture,
        what: Use,
        other: Option<&Texture>,
    ) -> Option<TextureOut> {
        let file = file_of(texture)?;
        self.findings.layered_textures += usize::from(texture.layers.count > 1);
        let key = (file.file_index, what);
        let number = match self.textures.get(&key) {
            Some(known) => *known,
            None => {
                let made = self.picture(file, what, other.and_then(file_of));
                self.textures.insert(key, made);
                made
            }
        }?;
        let set = self.set_of(texture);
        let transform = texture.has_uv_transform.then(|| transform(&texture.uv_to_texture));
        Some(TextureOut { texture: number, set, transform })
    }

    fn picture(&mut self, file: &Texture, what: Use, other: Option<&Texture>) -> Option<usize> {
        let raw = match self.raw(file) {
            Ok(raw) => raw,
            Err((name, why)) => {
                self.findings.missing_texture(&name, &why);
                return None;
            }
        };
        let other = other.and_then(|o| match self.raw(o) {
            Ok(raw) => Some(raw),
            Err((name, why)) => {
                self.findings.missing_texture(&name, &why);
                None
            }
        });
        let steep = self.conversion.height.unwrap_or(STEEP);
        let made = made_of(&raw, what, other.as_ref(), steep);
        match made {
            Ok(made) => {
                self.findings.heights += usize::from(made.was_height);
                let (mime, bytes) = (made.mime, made.bytes);
                let repeats = [file.wrap_u, file.wrap_v].map(|w| w == WrapMode::Repeat);
                Some(self.glb.texture(
                    &raw.name,
                    mime,
                    bytes.as_ref().unwrap_or(&raw.bytes),
                    repeats,
                ))
            }
            Err(why) => {
                self.findings.missing_texture(&raw.name, &why);
                None
            }
        }
    }

    /// Bytes of a texture, which is embedded or in a separate file. Otherwise, its name and the
    /// reason for the failure.
    fn raw(&self, file: &Texture) -> Result<Raw, (String, String)> {
        let paths = [&file.relative_filename, &file.filename, &file.absolute_filename];
        let paths = paths.map(|p| p.replace('\\', "/"));
        let last = |p: &String| p.rsplit('/').next().unwrap_or_default().to_owned();
        let name = paths.iter().map(last).find(|n| !n.is_empty());
        let name = name.unwrap_or_else(|| file.element.name.to_string());
        let content = if file.content.is_empty() {
            file.video.as_ref().map_or(&[][..], |v| &v.content)
        } else {
            &file.content
        };
        if !content.is_empty() {
            return Ok(Raw { name, bytes: content.to_vec() });
        }
        let Some(folder) = self.path.and_then(Path::parent) else {
            return Err((name, "the file was not read from a folder".to_owned()));
        };
        let mut why = "it has no name".to_owned();
        for path in paths.iter().filter(|p| !p.is_empty()) {
            match read_beside(folder, path) {
                Ok(bytes) => return Ok(Raw { name, bytes }),
                Err(said) => why = said,
            }
        }
        Err((name, why))
    }

    /// Index of the UV set that a texture uses, from the first mesh that has a set of this name.
    fn set_of(&self, texture: &Texture) -> usize {
        let wanted: &str = &texture.uv_set;
        if wanted.is_empty() || wanted == "default" {
            return 0;
        }
        let set = |mesh: &Mesh| mesh.uv_sets.as_ref().iter().position(|s| &*s.name == wanted);
        self.scene.meshes.into_iter().find_map(set).unwrap_or(0)
    }
}

/// Result of converting an image for a use.
struct Made {
    mime: &'static str,
    /// Encoded bytes of the result; `None` if the image is unchanged.
    bytes: Option<Vec<u8>>,
    was_height: bool,
}

/// Converts an image for a use.
fn made_of(raw: &Raw, what: Use, other: Option<&Raw>, steep: f32) -> Result<Made, String> {
    let same = raw.mime().map(|mime| Made { mime, bytes: None, was_height: false });
    let read = |raw: &Raw| read_picture(&raw.bytes, &raw.name);
    let mut was_height = false;
    let picture = match (what, other) {
        (Use::Plain, _) | (Use::Alpha(_), None) => match same {
            Some(same) => return Ok(same),
            None => read(raw)?,
        },
        (Use::Normal, _) => {
            let picture = read(raw)?;
            was_height = is_gray(&picture);
            match same {
                _ if was_height => normal_map(&picture, steep, true),
                Some(same) => return Ok(same),
                None => picture,
            }
        }
        (Use::Alpha(_), Some(other)) => with_alpha(&read(raw)?, &read(other)?),
        (Use::Roughness(_, is_shine), other) => {
            let metal = other.map(read).transpose()?;
            roughness_metal(Some(&read(raw)?), metal.as_ref(), is_shine)
        }
        (Use::Metal, _) => roughness_metal(None, Some(&read(raw)?), false),
    };
    let bytes = picture_to_png(&picture).map_err(|e| e.to_string())?;
    Ok(Made { mime: "image/png", bytes: Some(bytes), was_height })
}

/// Combines the color of one image with the gray of another image as alpha.
fn with_alpha(color: &DynamicImage, alpha: &DynamicImage) -> DynamicImage {
    let mut made = color.to_rgba8();
    let alpha = fitted(alpha, made.dimensions());
    made.pixels_mut().zip(alpha.pixels()).for_each(|(to, a)| to.0[3] = a.0[0]);
    DynamicImage::ImageRgba8(made)
}

/// Combines roughness and metalness in one image, in green and blue as in glTF. A missing image
/// counts as 1.
fn roughness_metal(
    rough: Option<&DynamicImage>,
    metal: Option<&DynamicImage>,
    is_shine: bool,
) -> DynamicImage {
    let size = |of: Option<&DynamicImage>| of.map_or((1, 1), |p| (p.width(), p.height()));
    let (a, b) = (size(rough), size(metal));
    let (wide, high) = (a.0.max(b.0), a.1.max(b.1));
    let rough = rough.map(|p| fitted(p, (wide, high)));
    let metal = metal.map(|p| fitted(p, (wide, high)));
    DynamicImage::ImageRgb8(RgbImage::from_fn(wide, high, |x, y| {
        let at = |of: &Option<GrayImage>| of.as_ref().map_or(255, |p| p.get_pixel(x, y).0[0]);
        let rough = if is_shine { 255 - at(&rough) } else { at(&rough) };
        image::Rgb([255, rough, at(&metal)])
    }))
}

fn fitted(picture: &DynamicImage, (wide, high): (u32, u32)) -> GrayImage {
    if (picture.width(), picture.height()) == (wide, high) {
        picture.to_luma8()
    } else {
        picture.resize_exact(wide, high, FilterType::Triangle).to_luma8()
    }
}

/// Converts a texture transform to glTF, where V increases downward.
fn transform(m: &ufbx::Matrix) -> ([f32; 2], f32, [f32; 2]) {
    let (a, b, c, d) = (m.m00, -m.m01, -m.m10, m.m11);
    let offset = [m.m03 + m.m01, 1.0 - m.m13 - m.m11];
    let rotation = (-c).atan2(a);
    let hand = if a * d - b * c < 0.0 { -1.0 } else { 1.0 };
    let scale = [a.hypot(c), b.hypot(d) * hand];
    (offset.map(finite), finite(rotation), scale.map(finite))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Applies `KHR_texture_transform` to texture coordinates (its matrix is translation · rotation
    /// · scale).
    fn applied((o, r, s): ([f32; 2], f32, [f32; 2]), [u, v]: [f32; 2]) -> [f32; 2] {
        let (sin, cos) = r.sin_cos();
        [o[0] + cos * s[0] * u + sin * s[1] * v, o[1] - sin * s[0] * u + cos * s[1] * v]
    }

    #[test]
    fn a_texture_transform_is_equivalent_with_v_down() {
        let (turn, scale, offset) = (0.7f64, [2.0, 0.5], [0.3, -0.2]);
        let (sin, cos) = turn.sin_cos();
        let m = ufbx::Matrix {
            m00: cos * scale[0],
            m10: sin * scale[0],
            m01: -sin * scale[1],
            m11: cos * scale[1],
            m03: offset[0],
            m13: offset[1],
            m22: 1.0,
            ..ufbx::Matrix::default()
        };
        for [u, v] in [[0.0f64, 0.0], [1.0, 0.0], [0.25, 0.8]] {
            let up = [m.m00 * u + m.m01 * v + m.m03, m.m10 * u + m.m11 * v + m.m13];
            let down = applied(transform(&m), [u as f32, 1.0 - v as f32]);
            assert!((down[0] - up[0] as f32).abs() < 1e-5, "{down:?} {up:?}");
            assert!((down[1] - (1.0 - up[1] as f32)).abs() < 1e-5, "{down:?} {up:?}");
        }
    }
}
