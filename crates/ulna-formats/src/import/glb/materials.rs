//! Materials of a GLB that is put together.

use serde_json::{Map, Value, json};

use super::GlbBuilder;

/// How the transparency of a material is taken.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum AlphaOut {
    /// It has none.
    #[default]
    Opaque,
    /// Seen where alpha is at least this.
    Mask(f32),
    /// Mixed with what is behind it.
    Blend,
}

/// A texture as a material uses it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TextureOut {
    /// Which texture.
    pub texture: usize,
    /// The set of texture coordinates.
    pub set: usize,
    /// Offset, rotation (radians) and scale of the coordinates (`KHR_texture_transform`).
    pub transform: Option<([f32; 2], f32, [f32; 2])>,
}

/// A material, metallic-roughness.
#[derive(Clone, Debug, PartialEq)]
pub struct MaterialOut {
    /// Its name; empty where it has none.
    pub name: String,
    /// Color, linear, with alpha.
    pub base_color: [f32; 4],
    /// Texture of the color.
    pub base_color_texture: Option<TextureOut>,
    /// Tells how much it is a metal, 0 to 1.
    pub metallic: f32,
    /// How rough it is, 0 to 1.
    pub roughness: f32,
    /// Texture of roughness (green) and metal (blue).
    pub metallic_roughness_texture: Option<TextureOut>,
    /// Normal map.
    pub normal_texture: Option<TextureOut>,
    /// Strength of the normal map.
    pub normal_scale: f32,
    /// Texture of shadow in corners (red).
    pub occlusion_texture: Option<TextureOut>,
    /// Light that it gives, linear; over 1 by `KHR_materials_emissive_strength`.
    pub emissive: [f32; 3],
    /// Texture of that light.
    pub emissive_texture: Option<TextureOut>,
    /// Transparency.
    pub alpha: AlphaOut,
    /// Whether it is seen from behind.
    pub double_sided: bool,
    /// Whether light does not matter to it (`KHR_materials_unlit`).
    pub is_unlit: bool,
}

impl Default for MaterialOut {
    fn default() -> Self {
        Self {
            name: String::new(),
            base_color: [1.0; 4],
            base_color_texture: None,
            metallic: 0.0,
            roughness: 1.0,
            metallic_roughness_texture: None,
            normal_texture: None,
            normal_scale: 1.0,
            occlusion_texture: None,
            emissive: [0.0; 3],
            emissive_texture: None,
            alpha: AlphaOut::Opaque,
            double_sided: false,
            is_unlit: false,
        }
    }
}

impl MaterialOut {
    /// Whether it has any texture.
    pub const fn has_textures(&self) -> bool {
        self.base_color_texture.is_some()
            || self.metallic_roughness_texture.is_some()
            || self.normal_texture.is_some()
            || self.occlusion_texture.is_some()
            || self.emissive_texture.is_some()
    }
}

impl GlbBuilder {
    /// A material; its number.
    pub fn material(&mut self, of: &MaterialOut) -> usize {
        let mut pbr = json!({"baseColorFactor": of.base_color, "metallicFactor": of.metallic,
            "roughnessFactor": of.roughness});
        if let Some(texture) = self.texture_use(of.base_color_texture.as_ref()) {
            pbr["baseColorTexture"] = texture;
        }
        if let Some(texture) = self.texture_use(of.metallic_roughness_texture.as_ref()) {
            pbr["metallicRoughnessTexture"] = texture;
        }
        let mut out = json!({"pbrMetallicRoughness": pbr});
        if of.double_sided {
            out["doubleSided"] = true.into();
        }
        if !of.name.is_empty() {
            out["name"] = of.name.as_str().into();
        }
        if let Some(mut texture) = self.texture_use(of.normal_texture.as_ref()) {
            if of.normal_scale != 1.0 {
                texture["scale"] = of.normal_scale.into();
            }
            out["normalTexture"] = texture;
        }
        if let Some(texture) = self.texture_use(of.occlusion_texture.as_ref()) {
            out["occlusionTexture"] = texture;
        }
        if let Some(texture) = self.texture_use(of.emissive_texture.as_ref()) {
            out["emissiveTexture"] = texture;
        }
        let mut extensions = Map::new();
        let brightest = of.emissive.into_iter().fold(0.0, f32::max);
        if brightest > 1.0 {
            out["emissiveFactor"] = json!(of.emissive.map(|v| v / brightest));
            let strength = json!({"emissiveStrength": brightest});
            extensions.insert(self.extension("KHR_materials_emissive_strength"), strength);
        } else if brightest > 0.0 {
            out["emissiveFactor"] = json!(of.emissive);
        }
        if of.is_unlit {
            extensions.insert(self.extension("KHR_materials_unlit"), json!({}));
        }
        match of.alpha {
            AlphaOut::Opaque => {}
            AlphaOut::Mask(cutoff) => {
                out["alphaMode"] = "MASK".into();
                out["alphaCutoff"] = cutoff.into();
            }
            AlphaOut::Blend => out["alphaMode"] = "BLEND".into(),
        }
        if !extensions.is_empty() {
            out["extensions"] = extensions.into();
        }
        self.materials.push(out);
        self.materials.len() - 1
    }

    fn texture_use(&mut self, of: Option<&TextureOut>) -> Option<Value> {
        let of = of?;
        let mut out = json!({"index": of.texture});
        if of.set > 0 {
            out["texCoord"] = of.set.into();
        }
        if let Some((offset, rotation, scale)) = of.transform {
            let name = self.extension("KHR_texture_transform");
            let transform = json!({"offset": offset, "rotation": rotation, "scale": scale});
            out["extensions"] = Map::from_iter([(name, transform)]).into();
        }
        Some(out)
    }

    /// A texture of a picture, which repeats or ends at its edges along each axis; its number.
    pub fn texture(&mut self, name: &str, mime: &str, bytes: &[u8], repeats: [bool; 2]) -> usize {
        let view = self.view(bytes);
        self.images.push(json!({"name": name, "mimeType": mime, "bufferView": view}));
        let mut texture = json!({"source": self.images.len() - 1});
        if repeats != [true; 2] {
            let wrap = |repeats: bool| if repeats { 10497 } else { 33071 };
            let sampler = json!({"wrapS": wrap(repeats[0]), "wrapT": wrap(repeats[1])});
            let known = self.samplers.iter().position(|s| *s == sampler);
            texture["sampler"] = known
                .unwrap_or_else(|| {
                    self.samplers.push(sampler);
                    self.samplers.len() - 1
                })
                .into();
        }
        self.textures.push(texture);
        self.textures.len() - 1
    }
}
