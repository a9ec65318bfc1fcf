//! Parsing of images, texture references and materials, with their rules.

use serde_json::Value;

use super::{
    super::{
        super::source::data_uri,
        file::{Image, Material, Use},
        image::kind_of_image,
        members::{ANY, Members, NOT_NEGATIVE, SHARE},
    },
    reader::Reader,
    uris::media_type,
};

/// Material extensions that refer to textures.
const TEXTURED: [&str; 8] = [
    "KHR_materials_anisotropy",
    "KHR_materials_clearcoat",
    "KHR_materials_iridescence",
    "KHR_materials_pbrSpecularGlossiness",
    "KHR_materials_sheen",
    "KHR_materials_specular",
    "KHR_materials_transmission",
    "KHR_materials_volume",
];

impl Reader<'_> {
    /// Adds a finding for an absolute URI, which becomes invalid if the files are moved.
    pub(super) fn relative(&mut self, m: &Members<'_>, uri: &str) {
        let scheme = uri
            .split_once(':')
            .is_some_and(|(s, _)| s.starts_with(|c: char| c.is_ascii_alphabetic()));
        if scheme || uri.starts_with('/') {
            self.out.warning("NON_RELATIVE_URI", m.place("uri"));
        }
    }

    pub(super) fn image(&mut self, m: &Members<'_>) -> Image {
        let webp = self.used.iter().any(|u| u == "EXT_texture_webp");
        let kinds: &[&str] = if webp {
            &["image/jpeg", "image/png", "image/webp"]
        } else {
            &["image/jpeg", "image/png"]
        };
        let view = m.index("bufferView", false, self.out);
        let mime = m.text("mimeType", kinds, false, self.out);
        let uri = m.text("uri", &[], false, self.out);
        if view.is_some() && mime.is_none() {
            self.out.error("UNSATISFIED_DEPENDENCY", m.place("bufferView"));
        }
        if view.is_some() == uri.is_some() {
            self.out.error("ONE_OF_MISMATCH", m.at.clone());
        }
        let has_extensions = m.extensions(&self.used, self.out).is_some_and(|e| !e.is_empty());
        let mut kept = uri.map(ToOwned::to_owned);
        if let Some(uri) = uri {
            let sound = match media_type(uri) {
                Some(Some(mime)) => data_uri(uri).and_then(Result::ok).is_some_and(|bytes| {
                    kind_of_image(&bytes) == Some(mime.to_ascii_lowercase().as_str())
                }),
                Some(None) => false,
                None => !uri.starts_with(':'),
            };
            if !sound {
                self.out.error("INVALID_URI", m.place("uri"));
                kept = None;
            } else if media_type(uri).is_none() {
                self.relative(m, uri);
            }
        }
        self.named(m);
        Image {
            at: m.at.clone(),
            view,
            mime: mime.map(ToOwned::to_owned),
            uri: kept,
            has_extensions,
        }
    }

    pub(super) fn texture_use(&mut self, m: &Members<'_>, key: &str, extra: &str) -> Option<Use> {
        let o = m.object(key, false, self.out)?;
        let extensions = o.extensions(&self.used, self.out);
        let index = o.index("index", true, self.out);
        let mut sets: Vec<usize> =
            o.count("texCoord", (0, i64::MAX), Some(0), false, self.out).into_iter().collect();
        match extra {
            "strength" => drop(o.number("strength", SHARE, false, self.out)),
            "scale" => drop(o.number("scale", ANY, false, self.out)),
            _ => {}
        }
        if let Some(Value::Object(transform)) =
            extensions.and_then(|e| e.get("KHR_texture_transform"))
        {
            let t = Members::new(transform, o.place("extensions/KHR_texture_transform"));
            sets.extend(t.count("texCoord", (0, i64::MAX), None, false, self.out));
        }
        Some(Use { at: o.at, index, sets })
    }

    pub(super) fn material(&mut self, m: &Members<'_>) -> Material {
        let mut uses = Vec::new();
        if let Some(pbr) = m.object("pbrMetallicRoughness", false, self.out) {
            pbr.floats("baseColorFactor", Some(4), SHARE, self.out);
            pbr.number("metallicFactor", SHARE, false, self.out);
            pbr.number("roughnessFactor", SHARE, false, self.out);
            uses.extend(self.texture_use(&pbr, "baseColorTexture", ""));
            uses.extend(self.texture_use(&pbr, "metallicRoughnessTexture", ""));
        }
        let normal = self.texture_use(m, "normalTexture", "scale");
        let has_normal = normal.is_some();
        uses.extend(normal);
        uses.extend(self.texture_use(m, "occlusionTexture", "strength"));
        uses.extend(self.texture_use(m, "emissiveTexture", ""));
        m.floats("emissiveFactor", Some(3), SHARE, self.out);
        let mode = m.text("alphaMode", &["OPAQUE", "MASK", "BLEND"], false, self.out);
        m.number("alphaCutoff", NOT_NEGATIVE, false, self.out);
        if mode != Some("MASK") && m.has("alphaCutoff") {
            self.out.warning("MATERIAL_ALPHA_CUTOFF_INVALID_MODE", m.place("alphaCutoff"));
        }
        m.flag("doubleSided", self.out);
        self.named(m);
        let mut tangent = has_normal;
        for (name, value) in m.extensions(&self.used, self.out).into_iter().flatten() {
            let Some(map) = value.as_object().filter(|_| TEXTURED.contains(&name.as_str())) else {
                continue;
            };
            let inner = Members::new(map, m.at.member("extensions").member(name.to_owned()));
            for key in map.keys().filter(|k| k.ends_with("Texture") && map[*k].is_object()) {
                uses.extend(self.texture_use(&inner, key, ""));
                tangent |= key == "clearcoatNormalTexture";
            }
        }
        Material { uses, normal: has_normal, tangent }
    }
}
