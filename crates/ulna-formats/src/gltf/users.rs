//! Who uses the data of a file: how often each accessor is named, and which views are named by what
//! is not of the core.
//!
//! Data is written over in place only where one user is known and no other can be: extensions and
//! extras may name accessors and views by number in ways that are unknown here, so that each whole
//! number in them counts as a user.

use std::{collections::BTreeSet, fmt};

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::{json as raw, schema};

/// How the data of a file is used.
#[derive(Debug, Default)]
pub(super) struct Users {
    /// How often each accessor is named.
    accessors: Vec<u32>,
    /// Views that extensions or extras name.
    views: BTreeSet<usize>,
}

impl Users {
    pub(super) fn of(root: &raw::RawMap<'_>) -> Self {
        let count = raw::elements(root, "accessors").map_or(0, |a| a.len());
        let mut users = Self { accessors: vec![0; count], views: BTreeSet::new() };
        users.core(root);
        let seen = |users: &mut Self, text: &str, place| {
            let mut json = serde_json::Deserializer::from_str(text);
            Foreign { users, place }.deserialize(&mut json).is_ok()
        };
        let members = root.0.iter().map(|(key, value)| (key, value.get()));
        for (key, text) in members.chain(root.1.iter().map(|(key, value)| (key, value.get()))) {
            if !seen(&mut users, text, ValuePlace::Core.member(key)) {
                // What cannot be looked through may name anything.
                users.accessors.iter_mut().for_each(|u| *u += 1);
            }
        }
        users
    }

    /// Whether an accessor has one user, and its view none of its own.
    pub(super) fn is_one(&self, accessor: usize, view: Option<usize>) -> bool {
        self.accessors.get(accessor) == Some(&1) && view.is_none_or(|v| !self.views.contains(&v))
    }

    fn add(&mut self, accessor: usize) {
        if let Some(users) = self.accessors.get_mut(accessor) {
            *users = users.saturating_add(1);
        }
    }

    /// Meshes, skins and samplers, as the core has them. An element that does not read counts by
    /// its numbers.
    fn core(&mut self, root: &raw::RawMap<'_>) {
        let listed = |name: &str| raw::elements(root, name).unwrap_or_default();
        for mesh in listed("meshes") {
            match raw::typed::<schema::Mesh>(mesh.get(), "", &mut false) {
                Ok(mesh) => {
                    for primitive in &mesh.primitives {
                        let targets = primitive.targets.iter().flat_map(|t| t.values());
                        let all =
                            primitive.attributes.values().chain(targets).chain(&primitive.indices);
                        all.for_each(|i| self.add(i.0));
                    }
                }
                Err(_) => numbers(mesh.get()).for_each(|n| self.add(n)),
            }
        }
        for skin in listed("skins") {
            match raw::typed::<schema::Skin>(skin.get(), "", &mut false) {
                Ok(skin) => skin.inverse_bind_matrices.iter().for_each(|i| self.add(i.0)),
                Err(_) => numbers(skin.get()).for_each(|n| self.add(n)),
            }
        }
        for animation in listed("animations") {
            match raw::typed::<schema::Animation>(animation.get(), "", &mut false) {
                Ok(animation) => {
                    animation
                        .samplers
                        .iter()
                        .flat_map(|s| [s.input, s.output])
                        .for_each(|i| self.add(i.0));
                }
                Err(_) => numbers(animation.get()).for_each(|n| self.add(n)),
            }
        }
    }
}

/// All whole numbers in a text.
fn numbers(text: &str) -> impl Iterator<Item = usize> + '_ {
    text.split(|c: char| !c.is_ascii_digit()).filter_map(|n| n.parse().ok())
}

/// Where a value stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ValuePlace {
    /// In what the specification of glTF describes.
    Core,
    /// The list of an element's extensions.
    Extensions,
    /// An element's extras.
    Extras,
    /// In an extension or in extras.
    Foreign,
    /// The same, under a name that speaks of views.
    Views,
    /// In what is known to name no data.
    Free,
}

impl ValuePlace {
    fn member(self, key: &str) -> Self {
        match self {
            Self::Core if key == "extensions" => Self::Extensions,
            Self::Core if key == "extras" => Self::Extras,
            Self::Core => Self::Core,
            Self::Extensions if names_no_data(key) => Self::Free,
            // Ours name views alone, which nothing else is written to.
            Self::Extras if key.starts_with("ulna.") => Self::Free,
            Self::Free => Self::Free,
            Self::Extensions | Self::Extras | Self::Foreign | Self::Views => {
                if key.to_lowercase().contains("view") { Self::Views } else { Self::Foreign }
            }
        }
    }

    const fn item(self) -> Self {
        match self {
            Self::Extensions | Self::Extras => Self::Foreign,
            other => other,
        }
    }
}

/// Extensions whose numbers are no accessors and no views.
fn names_no_data(extension: &str) -> bool {
    const PREFIXES: [&str; 7] = [
        "KHR_materials_",
        "KHR_texture_transform",
        "KHR_lights_punctual",
        "KHR_node_visibility",
        "KHR_animation_pointer",
        "VRM",
        "EXT_texture_",
    ];
    PREFIXES.iter().any(|p| extension.starts_with(p))
}

/// A value that is looked through for what it may name; nothing of it is kept.
struct Foreign<'u> {
    users: &'u mut Users,
    place: ValuePlace,
}

impl Foreign<'_> {
    fn number(&mut self, value: u64) {
        let Ok(index) = usize::try_from(value) else { return };
        match self.place {
            ValuePlace::Foreign | ValuePlace::Extras => self.users.add(index),
            // It may be a list of either.
            ValuePlace::Views => {
                self.users.views.insert(index);
                self.users.add(index);
            }
            ValuePlace::Core | ValuePlace::Extensions | ValuePlace::Free => {}
        }
    }
}

impl<'de> DeserializeSeed<'de> for Foreign<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        if self.place == ValuePlace::Free {
            return deserializer.deserialize_ignored_any(IgnoredAny).map(|_| ());
        }
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Foreign<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_u64<E: serde::de::Error>(mut self, value: u64) -> Result<(), E> {
        self.number(value);
        Ok(())
    }

    fn visit_i64<E: serde::de::Error>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E: serde::de::Error>(mut self, value: f64) -> Result<(), E> {
        // `3.0` is a whole number, too.
        if value >= 0.0 && value.fract() == 0.0 && value < 9e15 {
            self.number(value as u64);
        }
        Ok(())
    }

    /// `3` and `/accessors/3/…` name an accessor.
    fn visit_str<E: serde::de::Error>(mut self, text: &str) -> Result<(), E> {
        let pointed = |list: &str| {
            let (_, after) = text.split_once(list)?;
            after.split('/').next()?.parse::<u64>().ok()
        };
        if let Some(index) = text.parse().ok().or_else(|| pointed("accessors/")) {
            self.number(index);
        }
        if let Some(view) = pointed("bufferViews/").and_then(|v| usize::try_from(v).ok())
            && matches!(self.place, ValuePlace::Foreign | ValuePlace::Views | ValuePlace::Extras)
        {
            self.users.views.insert(view);
        }
        Ok(())
    }

    fn visit_bool<E: serde::de::Error>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_unit<E: serde::de::Error>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        while list
            .next_element_seed(Foreign { users: &mut *self.users, place: self.place.item() })?
            .is_some()
        {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<String>()? {
            // A number may be a key, as well.
            if let (ValuePlace::Foreign | ValuePlace::Extras | ValuePlace::Views, Ok(index)) =
                (self.place, key.parse::<usize>())
            {
                self.users.add(index);
            }
            map.next_value_seed(Foreign {
                users: &mut *self.users,
                place: self.place.member(&key),
            })?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn used(json: &str) -> (Vec<u32>, Vec<usize>) {
        let root: raw::RawMap<'_> = serde_json::from_str(json).unwrap();
        let users = Users::of(&root);
        (users.accessors, users.views.into_iter().collect())
    }

    #[test]
    fn accessors_are_found_wherever_they_are_named() {
        let four = r#""accessors":[{},{},{},{}]"#;
        let of = |more: &str| used(&format!("{{{four},{more}}}"));
        let core = r#""skins":[{"joints":[0],"inverseBindMatrices":1}],
            "meshes":[{"primitives":[{"attributes":{"POSITION":0}}]}]"#;
        assert_eq!(of(core).0, [1, 1, 0, 0]);
        for place in [
            r#""extras":{"data":{"of":[2]}}"#,
            r#""extras":2"#,
            r#""extras":{"data":"2"}"#,
            r#""extras":{"data":"/accessors/2"}"#,
            r#""extras":{"2":true}"#,
            r#""extensions":{"ACME_data":{"x":2.0}}"#,
            r#""scenes":[{"extras":{"a":2}}]"#,
            r#""meshes":[{"extras":{"a":[[2]]},"primitives":[]}]"#,
            r#""meshes":[{"extensions":{"ACME":2},"primitives":[]}]"#,
            r#""animations":[{"samplers":[],"channels":[{"sampler":0,
            "target":{"path":"scale","extensions":{"A":{"b":2}}}}]}]"#,
            r#""skins":[{"joints":[0],"extras":{"bind":2}}]"#,
            r#""materials":[{"extensions":{"ACME_curve":{"curve":2}}}]"#,
            r#""nodes":[{"extensions":{"EXT_mesh_gpu_instancing":{
            "attributes":{"TRANSLATION":2}}}}]"#,
        ] {
            assert_eq!(of(place).0, [0, 0, 1, 0], "{place}");
        }
        let views = of(r#""textures":[{"extensions":{"ACME_raw":{"bufferView":3}}}]"#);
        assert_eq!(views, (vec![0, 0, 0, 1], vec![3]));
        for place in [
            r#""materials":[{"extensions":{"KHR_materials_ior":{"ior":2}}}]"#,
            r#""extensions":{"VRM":{"humanoid":{"humanBones":[{"bone":"hips","node":2}]}}}"#,
            r#""animations":[{"samplers":[],"channels":[],
            "extras":{"ulna.ticks":{"version":1,"rate":2}}}]"#,
            r#""extras":{"note":"take 2"}"#,
            r#""nodes":[{"translation":[2,2,2]}]"#,
        ] {
            assert_eq!(of(place).0, [0, 0, 0, 0], "{place}");
        }
    }
}
