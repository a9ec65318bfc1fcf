//! Parsing of meshes, primitives and morph targets, with their rules.

use std::collections::BTreeMap;

use super::{
    super::{
        file::{Attributes, Mesh, Primitive},
        members::{ANY, Members, whole},
    },
    reader::Reader,
};

impl Reader<'_> {
    pub(super) fn mesh(&mut self, m: &Members<'_>) -> Mesh {
        let weights = m.floats("weights", None, ANY, self.out);
        let primitives = m.objects("primitives", self.out).map(|list| {
            let mut first = None;
            let mut all = Vec::with_capacity(list.len());
            for p in &list {
                let primitive = self.primitive(p);
                let count = primitive.targets.as_ref().map_or(0, Vec::len);
                if *first.get_or_insert(count) != count {
                    let place = if count > 0 { p.place("targets") } else { p.at.clone() };
                    self.out.error("MESH_PRIMITIVES_UNEQUAL_TARGETS_COUNT", place);
                }
                all.push(primitive);
            }
            if weights.as_ref().is_some_and(|w| Some(w.len()) != first) {
                self.out.error("MESH_INVALID_WEIGHTS_COUNT", m.place("weights"));
            }
            all
        });
        self.named(m);
        m.extensions(&self.used, self.out);
        Mesh { primitives }
    }

    pub(super) fn primitive(&mut self, m: &Members<'_>) -> Primitive {
        let mut made = Primitive {
            at: m.at.clone(),
            mode: m.count("mode", (0, 6), Some(4), false, self.out),
            ..Primitive::default()
        };
        if let Some(attributes) = m.object("attributes", true, self.out) {
            self.attributes(&attributes, &mut made);
        }
        made.targets = self.targets(m);
        made.indices = m.index("indices", false, self.out);
        made.material = m.index("material", false, self.out);
        m.extensions(&self.used, self.out);
        made
    }

    pub(super) fn attributes(&mut self, m: &Members<'_>, made: &mut Primitive) {
        if m.map.is_empty() {
            self.out.error("EMPTY_ENTITY", m.at.clone());
        }
        let mut counts: BTreeMap<&str, (usize, usize)> =
            ["COLOR", "JOINTS", "TEXCOORD", "WEIGHTS"].into_iter().map(|k| (k, (0, 0))).collect();
        if !m.has("POSITION") {
            self.out.warning("MESH_PRIMITIVE_NO_POSITION", m.at.clone());
        }
        if m.has("TANGENT") && !m.has("NORMAL") {
            self.out.warning("MESH_PRIMITIVE_TANGENT_WITHOUT_NORMAL", m.place("TANGENT"));
        }
        for (key, value) in m.map {
            match key.as_str() {
                "NORMAL" => made.normal = true,
                "TANGENT" => made.tangent = true,
                "POSITION" => {}
                key if key.starts_with('_') => {}
                key => {
                    let set = key
                        .split_once('_')
                        .and_then(|(kind, n)| Some((counts.get_mut(kind)?, set_number(n)?)));
                    match set {
                        Some((count, n)) => *count = (count.0 + 1, count.1.max(n + 1)),
                        None => self.out.error("MESH_PRIMITIVE_INVALID_ATTRIBUTE", m.place(key)),
                    }
                }
            }
            let index = whole(value).and_then(|v| usize::try_from(v).ok());
            if index.is_none() {
                self.out.error("INVALID_INDEX", m.place(key));
            }
            made.attributes.push((key.clone(), index));
        }
        for count in counts.values_mut() {
            if count.0 != count.1 {
                self.out.error("MESH_PRIMITIVE_INDEXED_SEMANTIC_CONTINUITY", m.at.clone());
                *count = (0, 0);
            }
        }
        made.coordinates = counts["TEXCOORD"].0;
        if counts["JOINTS"].0 == counts["WEIGHTS"].0 {
            made.joints = counts["JOINTS"].0;
        } else {
            self.out.error("MESH_PRIMITIVE_JOINTS_WEIGHTS_MISMATCH", m.at.clone());
        }
    }

    pub(super) fn targets(&mut self, m: &Members<'_>) -> Option<Vec<Attributes>> {
        let value = m.map.get("targets")?;
        let Some(list) = value.as_array() else {
            self.out.error("TYPE_MISMATCH", m.place("targets"));
            return None;
        };
        if list.is_empty() {
            self.out.error("EMPTY_ENTITY", m.place("targets"));
            return None;
        }
        let mut sound = true;
        let mut all = Vec::with_capacity(list.len());
        for (k, target) in list.iter().enumerate() {
            let place = m.at.item("targets", k);
            let Some(map) = target.as_object() else {
                self.out.error("ARRAY_TYPE_MISMATCH", m.place("targets"));
                sound = false;
                continue;
            };
            if map.is_empty() {
                self.out.error("EMPTY_ENTITY", place);
                sound = false;
                continue;
            }
            let mut made = Vec::with_capacity(map.len());
            for (key, value) in map {
                let known = key.starts_with('_')
                    || matches!(key.as_str(), "POSITION" | "NORMAL" | "TANGENT")
                    || key.split_once('_').is_some_and(|(kind, n)| {
                        matches!(kind, "COLOR" | "TEXCOORD") && set_number(n).is_some()
                    });
                if !known {
                    self.out
                        .error("MESH_PRIMITIVE_INVALID_ATTRIBUTE", place.member(key.to_owned()));
                }
                let index = whole(value).and_then(|v| usize::try_from(v).ok());
                if index.is_none() {
                    self.out.error("INVALID_INDEX", place.member(key.to_owned()));
                }
                made.push((key.clone(), index));
            }
            all.push(made);
        }
        sound.then_some(all)
    }
}

/// Parses the number of an attribute set: digits without leading zeros.
fn set_number(text: &str) -> Option<usize> {
    let plain = !text.is_empty()
        && text.bytes().all(|b| b.is_ascii_digit())
        && (text.len() == 1 || !text.starts_with('0'));
    if plain { text.parse().ok() } else { None }
}
