//! Reads `materials[]`, `textures[]`, `samplers[]` and `images[]` with the typed `gltf` crate,
//! element by element, so that one faulty element does not affect others.

use glam::{Vec2, Vec3, Vec4};
use std::collections::HashMap;

use gltf::json as typed;
use gltf::json::extensions::texture::TextureTransform;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

use super::{
    accessor::{Accessors, Missing},
    ktx,
    source::data_uri,
};
use ulna_model::{
    AlphaMode, Diagnostics, IdKind, Image, ImageId, Location, Material, Mip, PictureHeader,
    Severity, Slice, TextureRef, Wrap, picture_header,
};

/// Unparsed JSON elements of the lists that materials need.
pub struct Materials<'a> {
    /// Elements of `materials`.
    pub materials: Vec<&'a RawValue>,
    /// Elements of `textures`.
    pub textures: Vec<&'a RawValue>,
    /// Elements of `samplers`.
    pub samplers: Vec<&'a RawValue>,
    /// Elements of `images`.
    pub images: Vec<&'a RawValue>,
}

/// Reads all materials. Materials are displayed without textures that are missing.
pub fn materials(looks: &Materials<'_>, diagnostics: &mut Diagnostics) -> Vec<Material> {
    let textures: Vec<Option<typed::Texture>> = looks
        .textures
        .iter()
        .enumerate()
        .map(|(k, t)| element(t, &Location::at(IdKind::Texture, k), diagnostics))
        .collect();
    let samplers: Vec<Option<typed::texture::Sampler>> = looks
        .samplers
        .iter()
        .enumerate()
        .map(|(k, s)| element(s, &Location::at(IdKind::Sampler, k), diagnostics))
        .collect();
    let mut reader =
        MaterialReader { textures, samplers, image_count: looks.images.len(), diagnostics };
    let mut list = Vec::with_capacity(looks.materials.len());
    for (k, raw) in looks.materials.iter().enumerate() {
        let place = Location::at(IdKind::Material, k);
        let raw = element::<typed::Material>(raw, &place, reader.diagnostics);
        list.push(raw.map_or_else(Material::default, |raw| reader.material(&place, &raw)));
    }
    list
}

/// Reader for materials, with the textures that they use.
struct MaterialReader<'a> {
    textures: Vec<Option<typed::Texture>>,
    samplers: Vec<Option<typed::texture::Sampler>>,
    image_count: usize,
    diagnostics: &'a mut Diagnostics,
}

impl MaterialReader<'_> {
    fn material(&mut self, place: &Location, raw: &typed::Material) -> Material {
        let pbr = &raw.pbr_metallic_roughness;
        let extensions = raw.extensions.as_ref();
        let strength = extensions
            .and_then(|e| e.emissive_strength.as_ref())
            .map_or(1.0, |e| e.emissive_strength.0);
        let through = extensions.and_then(|e| e.others.get("KHR_materials_transmission"));
        let transmission =
            through.and_then(|t| t.get("transmissionFactor")).and_then(serde_json::Value::as_f64);
        let base_color_texture = self.texture(place, pbr.base_color_texture.as_ref().map(Use::of));
        let metallic_roughness_texture =
            self.texture(place, pbr.metallic_roughness_texture.as_ref().map(Use::of));
        let normal = raw.normal_texture.as_ref().map(|t| Use {
            index: t.index.value(),
            uv_set: t.tex_coord,
            transform: transform(t.extensions.as_ref().map(|e| &e.others), place, self.diagnostics),
        });
        let normal_texture = self.texture(place, normal);
        let occlusion = raw.occlusion_texture.as_ref().map(|t| Use {
            index: t.index.value(),
            uv_set: t.tex_coord,
            transform: transform(t.extensions.as_ref().map(|e| &e.others), place, self.diagnostics),
        });
        let occlusion_texture = self.texture(place, occlusion);
        let emissive_texture = self.texture(place, raw.emissive_texture.as_ref().map(Use::of));
        Material {
            name: raw.name.as_deref().map(Into::into),
            base_color: Vec4::from_array(pbr.base_color_factor.0),
            base_color_texture,
            metallic: pbr.metallic_factor.0,
            roughness: pbr.roughness_factor.0,
            metallic_roughness_texture,
            normal_texture,
            normal_scale: raw.normal_texture.as_ref().map_or(1.0, |t| t.scale),
            occlusion_texture,
            occlusion_strength: raw.occlusion_texture.as_ref().map_or(1.0, |t| t.strength.0),
            emissive: Vec3::from_array(raw.emissive_factor.0) * strength,
            emissive_texture,
            alpha: match raw.alpha_mode {
                typed::validation::Checked::Valid(typed::material::AlphaMode::Mask) => {
                    AlphaMode::Mask(raw.alpha_cutoff.map_or(0.5, |c| c.0))
                }
                typed::validation::Checked::Valid(typed::material::AlphaMode::Blend) => {
                    AlphaMode::Blend
                }
                _ => AlphaMode::Opaque,
            },
            double_sided: raw.double_sided,
            unlit: extensions.is_some_and(|e| e.unlit.is_some()),
            transmission: transmission.map_or(0.0, |t| t.clamp(0.0, 1.0) as f32),
        }
    }

    /// Converts a texture reference of a material. `None` if there is no reference, or if the
    /// texture cannot be displayed.
    fn texture(&mut self, place: &Location, used: Option<Use>) -> Option<TextureRef> {
        let Use { index, uv_set, transform } = used?;
        let Some(texture) = self.textures.get(index) else {
            let message =
                format!("Texture {index} does not exist; the material is displayed without it");
            self.diagnostics.add(Severity::Error, "UNRESOLVED_REFERENCE", place, message);
            return None;
        };
        let image = image_of(texture.as_ref()?, self.image_count);
        if image >= self.image_count {
            let message = "The texture has no image that Ulna can display; it stays in the file";
            let place = Location::at(IdKind::Texture, index);
            self.diagnostics.add(Severity::Warning, "ULNA_TEXTURE", place, message);
            return None;
        }
        let sampler = texture
            .as_ref()
            .and_then(|t| t.sampler)
            .and_then(|s| self.samplers.get(s.value()))
            .and_then(Option::as_ref);
        let (nearest_min, mip) = minified(sampler);
        Some(TextureRef {
            image: ImageId::from(image),
            uv_set: transform.tex_coord.unwrap_or(uv_set),
            wrap: sampler.map_or([Wrap::Repeat; 2], |s| [wrap(s.wrap_s), wrap(s.wrap_t)]),
            nearest: sampler.is_some_and(|s| {
                matches!(
                    s.mag_filter,
                    Some(typed::validation::Checked::Valid(typed::texture::MagFilter::Nearest))
                )
            }),
            nearest_min,
            mip,
            offset: Vec2::from_array(transform.offset.0),
            rotation: transform.rotation.0,
            scale: Vec2::from_array(transform.scale.0),
        })
    }
}

/// A texture reference in a material.
struct Use {
    index: usize,
    uv_set: u32,
    transform: TextureTransform,
}

impl Use {
    fn of(info: &typed::texture::Info) -> Self {
        let transform =
            info.extensions.as_ref().and_then(|e| e.texture_transform.clone()).unwrap_or_default();
        Self { index: info.index.value(), uv_set: info.tex_coord, transform }
    }
}

/// Parses `KHR_texture_transform` in places where the `gltf` crate provides only raw JSON.
fn transform(
    others: Option<&serde_json::Map<String, serde_json::Value>>,
    place: &Location,
    diagnostics: &mut Diagnostics,
) -> TextureTransform {
    let Some(raw) = others.and_then(|o| o.get("KHR_texture_transform")) else {
        return TextureTransform::default();
    };
    serde_json::from_value(raw.clone()).unwrap_or_else(|error| {
        let message = format!("KHR_texture_transform is invalid and is ignored: {error}");
        diagnostics.add(Severity::Error, "SCHEMA_VIOLATION", place, message);
        TextureTransform::default()
    })
}

/// Index of the image of a texture. The order of preference is the WebP image of
/// `EXT_texture_webp`, the texture's own image, and the Basis image of `KHR_texture_basisu`.
fn image_of(texture: &typed::Texture, images: usize) -> usize {
    let named = |name: &str| {
        let source = texture.extensions.as_ref()?.others.get(name)?.get("source")?.as_u64()?;
        usize::try_from(source).ok().filter(|s| *s < images)
    };
    let own = Some(texture.source.value()).filter(|s| *s < images);
    named("EXT_texture_webp").or(own).or_else(|| named("KHR_texture_basisu")).unwrap_or(usize::MAX)
}

/// Converts the minification filter: whether it uses the nearest texel, and its mipmap mode.
fn minified(sampler: Option<&typed::texture::Sampler>) -> (bool, Mip) {
    use typed::texture::MinFilter;
    let Some(typed::validation::Checked::Valid(filter)) = sampler.and_then(|s| s.min_filter) else {
        return (false, Mip::Linear);
    };
    match filter {
        MinFilter::Nearest => (true, Mip::None),
        MinFilter::Linear => (false, Mip::None),
        MinFilter::NearestMipmapNearest => (true, Mip::Nearest),
        MinFilter::LinearMipmapNearest => (false, Mip::Nearest),
        MinFilter::NearestMipmapLinear => (true, Mip::Linear),
        MinFilter::LinearMipmapLinear => (false, Mip::Linear),
    }
}

/// Reads the encoded bytes of all images. An unreadable image has no bytes, and causes a finding.
pub fn images(
    looks: &Materials<'_>,
    accessors: &mut Accessors<'_>,
    diagnostics: &mut Diagnostics,
) -> (Vec<Image>, Vec<String>) {
    let source = accessors.source();
    let mut uris = Vec::new();
    let mut views: HashMap<usize, Slice<u8>> = HashMap::new();
    let mut list = Vec::with_capacity(looks.images.len());
    for (k, raw) in looks.images.iter().enumerate() {
        let place = Location::at(IdKind::Image, k);
        let raw: Option<typed::Image> = element(raw, &place, diagnostics);
        let name = raw.as_ref().and_then(|r| r.name.as_deref().map(Into::into));
        if let Some(typed::Image { uri: Some(_), buffer_view: Some(_), .. }) = &raw {
            let message = "The image has both a URI and a buffer view; the URI is used";
            diagnostics.add(Severity::Error, "ONE_OF_MISMATCH", &place, message);
        }
        // A buffer view that several images use is read only once.
        let view =
            raw.as_ref().filter(|r| r.uri.is_none()).and_then(|r| r.buffer_view).map(|v| v.value());
        if let Some(bytes) = view.and_then(|v| views.get(&v)) {
            list.push(Image { name, bytes: bytes.clone() });
            continue;
        }
        let found: Result<Slice<u8>, String> = match (&raw, view) {
            (None, _) => Ok(Slice::default()),
            (Some(typed::Image { uri: Some(uri), .. }), _) => data_uri(uri)
                .unwrap_or_else(|| {
                    let bytes = source.companion(uri);
                    if bytes.is_ok() {
                        uris.push(uri.clone());
                    }
                    bytes
                })
                .map(Into::into),
            (_, Some(view)) => view_bytes(view, &place, accessors),
            _ => Err("it has neither a URI nor a buffer view".into()),
        };
        let found = found.map(|bytes| {
            if !bytes.starts_with(ktx::MAGIC) {
                return bytes;
            }
            // The image is converted to a common format for display. The file keeps its original
            // image.
            ktx::to_png(&bytes).map_or_else(
                |message| {
                    diagnostics.add(Severity::Error, "IMAGE_DATA_INVALID", &place, message);
                    Slice::default()
                },
                Into::into,
            )
        });
        let bytes = found.unwrap_or_else(|message| {
            diagnostics.add(
                Severity::Error,
                "IO_ERROR",
                &place,
                format!("The image is not displayed: {message}"),
            );
            Slice::default()
        });
        if let Some(view) = view {
            views.insert(view, bytes.clone());
        }
        if !bytes.is_empty()
            && let Err(message) = check_image(&bytes)
        {
            diagnostics.add(Severity::Error, "IMAGE_DATA_INVALID", &place, message);
        }
        list.push(Image { name, bytes });
    }
    (list, uris)
}

/// Reads the bytes of a buffer view, within the memory budget.
fn view_bytes(
    view: usize,
    place: &Location,
    accessors: &mut Accessors<'_>,
) -> Result<Slice<u8>, String> {
    let bytes = match accessors.view_slice(view, place) {
        Ok(bytes) => bytes,
        Err(Missing::Packed(extension)) => return Err(format!("it is packed with {extension}")),
        Err(Missing::Refused(error)) => return Err(error.to_string()),
    };
    accessors.spend(bytes.len() as u64, place).map_err(|e| e.to_string())?;
    Ok(bytes)
}

/// Checks, by its header, whether an image can be displayed.
fn check_image(bytes: &[u8]) -> Result<(), String> {
    let Ok(format) = image::guess_format(bytes) else {
        return Err("The image is neither PNG, JPEG, WebP nor KTX2; it stays in the file, but is \
            not displayed"
            .into());
    };
    let name = format!("{format:?}").to_uppercase();
    let damaged = |error| format!("The {name} image is damaged and is not displayed: {error}");
    let PictureHeader { size: (width, height), unpacked: wanted } =
        picture_header(bytes, format).map_err(damaged)?;
    if width == 0 || height == 0 {
        return Err("The image has no pixels and is not displayed".into());
    }
    if wanted > Image::most_memory(bytes.len()) {
        return Err(format!(
            "The image of {width} × {height} pixels would need {} MB of memory, too much for {} \
                bytes of data, so it is not displayed",
            wanted >> 20,
            bytes.len()
        ));
    }
    Ok(())
}

/// Parses one element with the `gltf` crate. Returns `None` and adds a finding if it is invalid.
fn element<T: DeserializeOwned>(
    raw: &RawValue,
    place: &Location,
    diagnostics: &mut Diagnostics,
) -> Option<T> {
    match super::json::typed(raw.get(), place, &mut false) {
        Ok(value) => Some(value),
        Err(error) => {
            let message =
                format!("The material is invalid and is displayed with default values: {error}");
            diagnostics.add(Severity::Error, "SCHEMA_VIOLATION", place, message);
            None
        }
    }
}

fn wrap(mode: typed::validation::Checked<typed::texture::WrappingMode>) -> Wrap {
    match mode {
        typed::validation::Checked::Valid(typed::texture::WrappingMode::ClampToEdge) => Wrap::Clamp,
        typed::validation::Checked::Valid(typed::texture::WrappingMode::MirroredRepeat) => {
            Wrap::Mirror
        }
        _ => Wrap::Repeat,
    }
}
