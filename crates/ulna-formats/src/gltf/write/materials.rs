//! Writes new images and changed normal maps of materials.

use serde_json::{Value, json};

use super::{
    super::{SaveError, json as raw, text::Ops},
    writer::Writer,
};
use ulna_model::{IdKind, Image, Location, Material, MaterialId, Shared, Slots};

/// Materials and images of a document.
type MaterialsAndImages<'a> = (&'a Slots<MaterialId, Material>, &'a Shared<[Image]>);

impl Writer<'_> {
    pub(super) fn materials(
        &mut self,
        opened: MaterialsAndImages<'_>,
        now: MaterialsAndImages<'_>,
    ) -> Result<(), SaveError> {
        let no_form = |what: &str| Err(SaveError::no_form("materials", what));
        let ((old_materials, old_images), (materials, images)) = (opened, now);
        if old_materials == materials && old_images == images {
            return Ok(());
        }
        if images.len() < old_images.len() || images[..old_images.len()] != old_images[..] {
            return no_form("a replaced or removed image");
        }
        for image in &images[old_images.len()..] {
            self.new_image(image);
        }
        if materials.ids().any(|id| !old_materials.contains(id)) {
            return no_form("a new material");
        }
        let mut pushed = 0;
        for (id, before) in old_materials.iter() {
            let k = id.index();
            let Some(after) = materials.get(id) else {
                let label = before.name.as_deref().unwrap_or_default();
                self.changes.push(format!("materials/{k} “{label}”: removed"));
                continue;
            };
            if before == after {
                continue;
            }
            let can_differ = Material {
                name: after.name.clone(),
                normal_texture: after.normal_texture.clone(),
                ..before.clone()
            };
            if *after != can_differ {
                return no_form("a change of the material other than its name and normal map");
            }
            if before.name != after.name {
                let place = Location::at(IdKind::Material, k);
                self.renamed(("materials", k), place, after.name.as_deref());
            }
            if before.normal_texture != after.normal_texture {
                self.normal_texture(k, (before, after), old_images.len(), &mut pushed)?;
            }
        }
        Ok(())
    }

    fn new_image(&mut self, image: &Image) {
        let view = self.patch.bytes(&image.bytes);
        let mime = if image.bytes.starts_with(b"\xFF\xD8") { "image/jpeg" } else { "image/png" };
        let mut members = json!({"bufferView": view, "mimeType": mime});
        if let Some(name) = image.name.as_deref() {
            members["name"] = name.into();
        }
        self.ops.member("images").push(members.to_string());
        let label = image.name.as_deref().unwrap_or_default();
        self.changes.push(format!("a new image “{label}”, {} bytes", image.bytes.len()));
    }

    /// Adds a texture for a new normal map image of a material. It uses the sampler of the previous
    /// normal texture, or of the color texture.
    fn normal_texture(
        &mut self,
        at: usize,
        (before, after): (&Material, &Material),
        known: usize,
        pushed: &mut usize,
    ) -> Result<(), SaveError> {
        let place = Location::at(IdKind::Material, at);
        let label = after.name.as_deref().unwrap_or_default();
        let Some(texture) = &after.normal_texture else {
            self.member(("materials", at), "normalTexture", None);
            self.changes.push(format!("{place} “{label}”: normal map removed"));
            return Ok(());
        };
        let value = |list: &'static str, k: usize| -> Result<Value, SaveError> {
            let list = raw::elements(&self.root, list).map_err(SaveError::Source)?;
            let text = list.get(k).map_or("{}", |t| t.get());
            Ok(serde_json::from_str(text).unwrap_or_default())
        };
        if texture.image.index() < known {
            return Err(SaveError::no_form(
                &place,
                "another existing image of the file as normal map",
            ));
        }
        let own = value("materials", at)?;
        let like = match &before.normal_texture {
            Some(_) => own["normalTexture"].clone(),
            None => own["pbrMetallicRoughness"]["baseColorTexture"].clone(),
        };
        let shown = like["index"]
            .as_u64()
            .map(|k| value("textures", k as usize))
            .transpose()?
            .unwrap_or_default();
        let mut made = json!({"source": texture.image.0});
        if let Some(sampler) = shown.get("sampler") {
            made["sampler"] = sampler.clone();
        }
        let index =
            raw::elements(&self.root, "textures").map_err(SaveError::Source)?.len() + *pushed;
        *pushed += 1;
        self.ops.member("textures").push(made.to_string());
        if before.normal_texture.is_some() {
            let op = self.ops.member("materials").item(at).member("normalTexture").member("index");
            *op = Ops::Replace(index.to_string());
        } else {
            let mut info = if like.is_object() { like } else { json!({}) };
            info["index"] = index.into();
            self.member(("materials", at), "normalTexture", Some(info.to_string()));
        }
        self.changes.push(format!("{place} “{label}”: normal map"));
        Ok(())
    }
}
