//! Adds materials to a GLB.

use serde_json::{Map, Value, json};

use super::GlbBuilder;

/// Alpha mode of a material.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum AlphaOut {
    /// Alpha is ignored.
    #[default]
    Opaque,
    /// The surface is visible where alpha is at least this value.
    Mask(f32),
    /// The surface is blended with the background by its alpha.
    Blend,
}

/// A texture reference in a material.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TextureOut {
    /// Index of the texture.
    pub texture: usize,
    /// Index of the texture coordinate set.
    pub set: usize,
    /// Offset, rotation (radians) and scale of the texture coordinates (`KHR_texture_transform`).
    pub transform: Option<([f32; 2], f32, [f32; 2])>,
}

/// A metallic-roughness material to write.
#[derive(Clone, Debug, PartialEq)]
pub struct MaterialOut {
    /// Name of the material; may be empty.
    pub name: String,
    /// Linear base color with alpha.
    pub base_color: [f32; 4],
    /// Base color texture.
    pub base_color_texture: Option<TextureOut>,
    /// Metallic factor, `0..=1`.
    pub metallic: f32,
    /// Roughness factor, `0..=1`.
    pub roughness: f32,
    /// Texture with roughness in green and metalness in blue.
    pub metallic_roughness_texture: Option<TextureOut>,
    /// Normal map texture.
    pub normal_texture: Option<TextureOut>,
    /// Strength of the normal map.
    pub normal_scale: f32,
    /// Ambient occlusion texture, in red.
    pub occlusion_texture: Option<TextureOut>,
    /// Linear emissive color. Values above 1 use `KHR_materials_emissive_strength`.
    pub emissive: [f32; 3],
    /// Emissive texture.
    pub emissive_texture: Option<TextureOut>,
    /// Alpha mode.
    pub alpha: AlphaOut,
    /// Whether back faces are drawn.
    pub double_sided: bool,
    /// Whether the material is drawn without lighting (`KHR_materials_unlit`).
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
    /// Whether the material has at least one texture.
    pub const fn has_textures(&self) -> bool {
        self.base_color_texture.is_some()
            || self.metallic_roughness_texture.is_some()
            || self.normal_texture.is_some()
            || self.occlusion_texture.is_some()
            || self.emissive_texture.is_some()
    }
}

impl GlbBuilder {
    /// Adds a material. Returns its index.
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

    /// Adds a texture with its image. Returns its index. `repeats` states for each axis whether the
    /// texture repeats; otherwise it is clamped.
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
