//! Converts materials to metallic-roughness. A Phong exponent becomes the roughness with an equally
//! wide highlight.

use ufbx::{Material, MaterialMap, Mesh, Node, ShaderType};

use super::{Builder, math::finite, textures::Use};
use crate::import::{AlphaOut, Content, MaterialOut, TextureOut};

impl Builder<'_> {
    /// Converts the material of a part of a mesh on a node. A node can override the materials of
    /// its mesh.
    pub(super) fn material_of(&mut self, node: &Node, mesh: &Mesh, part: u32) -> Option<usize> {
        if !self.has(Content::Materials) {
            return None;
        }
        let list = if node.materials.count > 0 { &node.materials } else { &mesh.materials };
        let material = list.into_iter().nth(part as usize)?;
        let number = material.element.typed_id;
        if let Some(known) = self.materials.get(&number) {
            return Some(*known);
        }
        let out = self.material(material);
        let made = self.glb.material(&out);
        self.materials.insert(number, made);
        Some(made)
    }

    fn material(&mut self, of: &Material) -> MaterialOut {
        let pbr = &of.pbr;
        let color = color(&pbr.base_color).unwrap_or([0.8; 3]);
        let factor = value(&pbr.base_factor).unwrap_or(1.0);
        let mut opacity = value(&pbr.opacity).unwrap_or(1.0).clamp(0.0, 1.0);
        if opacity <= 0.0 {
            // Some programs write the inverse of the opacity, which would make the model invisible.
            self.findings.invisible_materials += 1;
            opacity = 1.0;
        }
        let is_phong = matches!(of.shader_type, ShaderType::FbxLambert | ShaderType::FbxPhong);
        self.findings.phong_materials += usize::from(is_phong);
        let roughness = if is_phong {
            phong_roughness(of)
        } else {
            value(&pbr.roughness).or_else(|| value(&pbr.glossiness).map(|g| 1.0 - g)).unwrap_or(0.5)
        };
        let metallic = if is_phong { 0.0 } else { value(&pbr.metalness).unwrap_or(0.0) };
        let emission = self::color(&pbr.emission_color).unwrap_or([0.0; 3]);
        let strength = value(&pbr.emission_factor).unwrap_or(1.0).max(0.0);
        let mut out = MaterialOut {
            name: of.element.name.to_string(),
            base_color: [color[0] * factor, color[1] * factor, color[2] * factor, opacity]
                .map(|v| v.clamp(0.0, 1.0)),
            metallic: metallic.clamp(0.0, 1.0),
            roughness: roughness.clamp(0.0, 1.0),
            emissive: emission.map(|v| v * strength),
            double_sided: true,
            is_unlit: of.features.unlit.enabled,
            alpha: if opacity < 1.0 { AlphaOut::Blend } else { AlphaOut::Opaque },
            ..MaterialOut::default()
        };
        self.color_textures(of, &mut out);
        self.surface_textures(of, is_phong, &mut out);
        out
    }

    fn color_textures(&mut self, of: &Material, out: &mut MaterialOut) {
        let pbr = &of.pbr;
        let base = texture(&pbr.base_color);
        let opacity = texture(&pbr.opacity);
        if let Some(base) = base {
            // The alpha comes from the color texture itself, or from the image of the opacity
            // texture.
            let cut = opacity.map(|o| {
                if o.file_index == base.file_index { Use::Plain } else { Use::Alpha(o.file_index) }
            });
            let other = opacity.filter(|_| matches!(cut, Some(Use::Alpha(_))));
            out.base_color_texture = self.texture(base, cut.unwrap_or(Use::Plain), other);
            if out.base_color_texture.is_some() {
                // The texture replaces the color. Other programs use the color only if the texture
                // is missing.
                let factor = value(&pbr.base_factor).unwrap_or(1.0).clamp(0.0, 1.0);
                let factor = if factor > 0.0 { factor } else { 1.0 };
                out.base_color = [factor, factor, factor, out.base_color[3]];
                if cut.is_some() {
                    out.base_color[3] = 1.0;
                    out.alpha = AlphaOut::Blend;
                }
            }
        }
        if let Some(glow) = texture(&pbr.emission_color) {
            out.emissive_texture = self.texture(glow, Use::Plain, None);
            if out.emissive_texture.is_some() {
                let strength = value(&pbr.emission_factor).filter(|s| *s > 0.0).unwrap_or(1.0);
                out.emissive = [strength; 3];
            }
        }
    }

    fn surface_textures(&mut self, of: &Material, is_phong: bool, out: &mut MaterialOut) {
        let pbr = &of.pbr;
        if let Some(normal) = normal_map(of) {
            out.normal_texture = self.texture(normal, Use::Normal, None);
        }
        if let Some(shadow) = texture(&pbr.ambient_occlusion) {
            out.occlusion_texture = self.texture(shadow, Use::Plain, None);
        }
        if is_phong {
            return;
        }
        let shine = texture(&pbr.glossiness);
        let is_shine = of.features.roughness_as_glossiness.enabled || shine.is_some();
        let rough = texture(&pbr.roughness).or(shine);
        let metal = texture(&pbr.metalness);
        let made: Option<TextureOut> = match (rough, metal) {
            // Both values are in one image, as in glTF.
            (Some(rough), Some(metal)) if rough.file_index == metal.file_index => {
                self.texture(rough, Use::Plain, None)
            }
            (Some(rough), metal) => {
                let what = Use::Roughness(metal.map(|m| m.file_index), is_shine);
                self.texture(rough, what, metal)
            }
            (None, Some(metal)) => self.texture(metal, Use::Metal, None),
            (None, None) => None,
        };
        if made.is_some() {
            if rough.is_some() {
                out.roughness = 1.0;
            }
            if metal.is_some() {
                out.metallic = 1.0;
            }
        }
        out.metallic_roughness_texture = made;
    }
}

/// Roughness whose highlight is as wide as that of the Phong exponent. 1 if there is no highlight.
fn phong_roughness(of: &Material) -> f32 {
    if of.shader_type == ShaderType::FbxLambert {
        return 1.0;
    }
    let shine = value(&of.fbx.specular_exponent).unwrap_or(20.0).max(0.0);
    let factor = value(&of.fbx.specular_factor).unwrap_or(1.0);
    let specular = color(&of.fbx.specular_color).unwrap_or([1.0; 3]);
    let is_dull = factor <= 0.0 || specular.iter().all(|v| *v <= 0.0);
    if is_dull { 1.0 } else { (2.0 / (2.0 + shine)).sqrt() }
}

/// Normal map of a material, or its bump map if there is no normal map.
pub(super) fn normal_map(of: &Material) -> Option<&ufbx::Texture> {
    texture(&of.pbr.normal_map).or_else(|| texture(&of.fbx.bump))
}

fn texture(map: &MaterialMap) -> Option<&ufbx::Texture> {
    map.texture.as_deref().filter(|_| map.texture_enabled)
}

fn value(map: &MaterialMap) -> Option<f32> {
    (map.has_value && map.value_vec4.x.is_finite()).then(|| finite(map.value_vec4.x))
}

fn color(map: &MaterialMap) -> Option<[f32; 3]> {
    let v = map.value_vec4;
    let made = [v.x, v.y, v.z].map(finite);
    // A single number is a gray value.
    map.has_value.then(|| if map.value_components == 1 { [made[0]; 3] } else { made })
}
