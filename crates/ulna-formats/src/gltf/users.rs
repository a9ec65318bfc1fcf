//! Who uses the data of a file: how often each accessor is named, and which views are named by what
//! is not of the core.
//!
//! Data is written over in place only where one user is known and no other can be: extensions and
//! extras may name accessors and views by number in ways that are unknown here, so that each whole
//! number in them counts as a user.

use std::{collections::BTreeSet, fmt, sync::LazyLock};

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::{
    json as raw,
    references::{Named, PlaceTree, is_known, names_data},
};
use ulna_model::IdKind;

/// How the data of a file is used.
#[derive(Debug, Default)]
pub(super) struct Users {
    /// How often each accessor is named.
    accessors: Vec<u32>,
    /// Views that extensions or extras name.
    views: BTreeSet<usize>,
}

/// Places of the core that name accessors.
static CORE: LazyLock<PlaceTree> = LazyLock::new(|| PlaceTree::of(|_, named| named == ACCESSOR));

const ACCESSOR: Named = Named::Index(IdKind::Accessor);

impl Users {
    pub(super) fn of(root: &raw::RawMap<'_>) -> Self {
        let count = raw::elements(root, "accessors").map_or(0, |a| a.len());
        let mut users = Self { accessors: vec![0; count], views: BTreeSet::new() };
        let mut see = |key: &str, text: &str, core| {
            let mut json = serde_json::Deserializer::from_str(text);
            let place = ValuePlace::Core(core).member(key);
            if (Foreign { users: &mut users, place }).deserialize(&mut json).is_err() {
                // What cannot be looked through may name anything.
                users.accessors.iter_mut().for_each(|u| *u += 1);
            }
        };
        root.0.iter().for_each(|(key, value)| see(key, value.get(), Some(&*CORE)));
        // Of a member that stands twice the earlier one is not read.
        root.1.iter().for_each(|(key, value)| see(key, value.get(), None));
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
}

/// Where a value stands.
#[derive(Clone, Copy)]
enum ValuePlace {
    /// In what the specification of glTF describes; with the places below it that name accessors.
    Core(Option<&'static PlaceTree>),
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
            Self::Core(_) if key == "extensions" => Self::Extensions,
            Self::Core(_) if key == "extras" => Self::Extras,
            Self::Core(places) => Self::below(places, |p| p.member(key)),
            Self::Extensions if names_no_data(key) => Self::Free,
            // Ours name views alone, which nothing else is written to.
            Self::Extras if key.starts_with("ulna.") => Self::Free,
            Self::Free => Self::Free,
            Self::Extensions | Self::Extras | Self::Foreign | Self::Views => {
                if key.to_lowercase().contains("view") { Self::Views } else { Self::Foreign }
            }
        }
    }

    fn item(self) -> Self {
        match self {
            Self::Core(places) => Self::below(places, PlaceTree::item),
            Self::Extensions | Self::Extras => Self::Foreign,
            other => other,
        }
    }

    /// A list or an object where the core wants an index may name anything.
    fn below(
        places: Option<&'static PlaceTree>,
        step: impl FnOnce(&'static PlaceTree) -> Option<&'static PlaceTree>,
    ) -> Self {
        match places {
            Some(leaf) if leaf.named().is_some() => Self::Foreign,
            places => Self::Core(places.and_then(step)),
        }
    }

    /// Whether numbers here are in the core and name no accessor, or in what names no data.
    fn is_free(self) -> bool {
        match self {
            Self::Core(places) => places.and_then(PlaceTree::named) != Some(ACCESSOR),
            Self::Extensions | Self::Free => true,
            Self::Extras | Self::Foreign | Self::Views => false,
        }
    }
}

/// Whether no number in an extension is an accessor or a view. That is so in all of VRM, drafts
/// included.
fn names_no_data(extension: &str) -> bool {
    extension.starts_with("VRM") || (is_known(extension) && !names_data(extension))
}

/// A value that is looked through for what it may name; nothing of it is kept.
struct Foreign<'u> {
    users: &'u mut Users,
    place: ValuePlace,
}

impl Foreign<'_> {
    fn number(&mut self, value: u64) {
        let Ok(index) = usize::try_from(value) else { return };
        if self.place.is_free() {
            return;
        }
        self.users.add(index);
        // It may be a list of either.
        if matches!(self.place, ValuePlace::Views) {
            self.users.views.insert(index);
        }
    }
}

impl<'de> DeserializeSeed<'de> for Foreign<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        if matches!(self.place, ValuePlace::Free) {
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
