//! Conversion of materials: colors, textures, and the textures of effects. Parts that glTF cannot
//! express become findings.

use super::{
    builder::{Builder, Numbers, linear},
    objects::Inside,
    texture_use::Use,
};
use crate::{
    gltf::ReadError,
    import::{AlphaOut, MaterialOut, TextureOut},
};
use ulna_model::Severity;

impl Builder<'_, '_> {
    /// Reads a material list. Returns the material index of each face, and the materials.
    pub(super) fn material_list(
        &mut self,
        object: usize,
        faces: usize,
    ) -> Result<(Vec<usize>, Vec<Option<usize>>), ReadError> {
        let tree = self.tree;
        let Some(child) = self.children(object, "MeshMaterialList").next() else {
            return Ok((Vec::new(), Vec::new()));
        };
        // Faces refer to materials by index, so a missing material keeps its entry in the list.
        let mut materials = Vec::new();
        for inside in &tree[child].inside {
            match inside {
                Inside::Child(inner) if tree[*inner].kind == "Material" => {
                    materials.push(Some(self.material(*inner)?))
                }
                Inside::Child(_) => {}
                Inside::Reference(k) => {
                    let name = &tree[child].references[*k];
                    let found = self.named_materials.get(name).copied();
                    if found.is_none() {
                        self.odd(
                            child,
                            format!(
                                "the material “{name}” does not exist; its faces have no material"
                            ),
                        );
                    }
                    materials.push(found);
                }
            }
        }
        let mut numbers = Numbers { object: &tree[child], at: 0 };
        numbers.next()?;
        let count = numbers.count(1)?;
        let mut of_face = Vec::with_capacity(count);
        for _ in 0..count {
            of_face.push(numbers.next()?.max(0.0) as usize);
        }
        // A single index applies to all faces.
        if let ([one], true) = (of_face.as_slice(), faces > 1) {
            of_face = vec![*one; faces];
        }
        Ok((of_face, materials))
    }

    /// Whether all materials of the file have an alpha of 0. Some exporters write this for opaque
    /// materials, so the alpha is then ignored.
    pub(super) fn all_invisible(&self) -> bool {
        let alphas =
            self.tree.iter().filter(|o| o.kind == "Material").filter_map(|o| o.numbers.get(3));
        let mut any = false;
        let all = alphas.inspect(|_| any = true).all(|a| !a.is_finite() || *a <= 0.0);
        all && any
    }

    /// Opacity of a material, `0..=1`. `stored` is its alpha in the file.
    fn alpha(&self, stored: f32) -> f32 {
        if self.opaque { 1.0 } else { stored.clamp(0.0, 1.0) }
    }

    pub(super) fn material(&mut self, object: usize) -> Result<usize, ReadError> {
        let tree = self.tree;
        let mut numbers = Numbers { object: &tree[object], at: 0 };
        let mut next = || numbers.next().map(|v| if v.is_finite() { v as f32 } else { 0.0 });
        // Colors are sRGB in the file, and linear in glTF.
        let face = [linear(next()?), linear(next()?), linear(next()?), self.alpha(next()?)];
        // Older files have no further values.
        let power = next().unwrap_or(0.0);
        let specular = [next().unwrap_or(0.0), next().unwrap_or(0.0), next().unwrap_or(0.0)];
        let emissive = [next(), next(), next()].map(|v| linear(v.unwrap_or(0.0)));
        // The roughness is chosen so that its highlight is as wide as that of the Blinn exponent.
        // Without a specular color, the surface is fully rough.
        let shines = specular.iter().any(|v| *v > 0.0) && power > 0.0;
        let roughness =
            if shines { (2.0 / (power + 2.0)).sqrt().sqrt().clamp(0.2, 1.0) } else { 0.9 };
        let texture = |texture| TextureOut { texture, ..TextureOut::default() };
        let mut material = MaterialOut {
            name: tree[object].name.clone(),
            base_color: face,
            roughness,
            base_color_texture: self.picture(object, Use::Color).map(texture),
            emissive,
            emissive_texture: self.picture(object, Use::Glow).map(texture),
            double_sided: true,
            ..MaterialOut::default()
        };
        if material.emissive_texture.is_some() && emissive == [0.0; 3] {
            material.emissive = [1.0; 3];
        }
        let normal =
            self.picture(object, Use::Normal).or_else(|| self.picture(object, Use::Height));
        material.normal_texture = normal.map(texture);
        if face[3] < 1.0 {
            material.alpha = AlphaOut::Blend;
        }
        self.effects(object);
        let number = self.glb.material(&material);
        if material.has_textures() {
            self.textured.insert(number);
        }
        Ok(number)
    }

    /// Textures of a material and of its effect: use, file name, and index of the object.
    fn pictures(&self, object: usize) -> Vec<(Option<Use>, String, usize)> {
        let tree = self.tree;
        let mut made = Vec::new();
        for child in &tree[object].children {
            let kind = tree[*child].kind.to_lowercase();
            let first = tree[*child].texts.first();
            match kind.as_str() {
                "texturefilename" => {
                    made.extend(first.map(|name| (Some(Use::Color), name.clone(), *child)))
                }
                "normalmapfilename" => {
                    made.extend(first.map(|name| (Some(Use::Normal), name.clone(), *child)))
                }
                "effectinstance" => {
                    for parameter in self.children(*child, "EffectParamString") {
                        if let [name, value, ..] = &tree[parameter].texts[..]
                            && is_picture(value)
                        {
                            made.push((Use::named(name, value), value.clone(), parameter));
                        }
                    }
                }
                _ => {}
            }
        }
        made
    }

    /// Adds the first readable texture of a material for a use. Returns its index.
    fn picture(&mut self, object: usize, what: Use) -> Option<usize> {
        let own = self.pictures(object).into_iter().filter(|(of, ..)| *of == Some(what));
        own.into_iter().find_map(|(_, name, place)| self.texture(place, &name, what))
    }

    /// Adds a finding about those parts of an effect that are not imported.
    fn effects(&mut self, object: usize) {
        let left: Vec<String> =
            self.pictures(object).into_iter().filter(|p| p.0.is_none()).map(|p| p.1).collect();
        let effect = self.children(object, "EffectInstance").next();
        let Some(effect) = effect else { return };
        let file = self.tree[effect].texts.first().cloned().unwrap_or_default();
        let mut message = format!(
            "glTF has no shader effects; only the color, normal and emissive textures of “{file}” \
                are imported"
        );
        if !left.is_empty() {
            message += &format!(", and these are left out: {}", left.join(", "));
        }
        self.diagnostics.add(Severity::Info, "ULNA_X_EFFECT", ".x EffectInstance", message);
    }
}

/// Whether a text is an image file name.
fn is_picture(value: &str) -> bool {
    let ending = value.rsplit('.').next().unwrap_or_default().to_lowercase();
    matches!(ending.as_str(), "png" | "jpg" | "jpeg" | "tga" | "bmp" | "dds")
}
