//! Counts the users of a file's data: the references to each accessor, and the buffer views that
//! extensions or extras refer to.
//!
//! Data is overwritten in place only if it has exactly one user. Extensions and extras may refer to
//! accessors and views in unknown ways, so each integer in them counts as a user.

use std::{collections::BTreeSet, fmt, sync::LazyLock};

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::{
    json as raw,
    references::{Named, PlaceTree, is_known, names_data},
};
use ulna_model::IdKind;

/// Users of accessors and buffer views.
#[derive(Debug, Default)]
pub(super) struct Users {
    /// Number of references to each accessor.
    accessors: Vec<u32>,
    /// Buffer views that extensions or extras may refer to.
    views: BTreeSet<usize>,
}

/// JSON paths in core glTF that refer to accessors.
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
                // Data that cannot be parsed may refer to any accessor.
                users.accessors.iter_mut().for_each(|u| *u += 1);
            }
        };
        root.0.iter().for_each(|(key, value)| see(key, value.get(), Some(&*CORE)));
        // Earlier values of a repeated key are not read by the model.
        root.1.iter().for_each(|(key, value)| see(key, value.get(), None));
        users
    }

    /// Whether an accessor has exactly one user, and its buffer view has no additional users.
    pub(super) fn is_one(&self, accessor: usize, view: Option<usize>) -> bool {
        self.accessors.get(accessor) == Some(&1) && view.is_none_or(|v| !self.views.contains(&v))
    }

    fn add(&mut self, accessor: usize) {
        if let Some(users) = self.accessors.get_mut(accessor) {
            *users = users.saturating_add(1);
        }
    }
}

/// Kind of a JSON value, which determines whether its numbers may be references.
#[derive(Clone, Copy)]
enum ValuePlace {
    /// A value of core glTF, with the paths below it that refer to accessors.
    Core(Option<&'static PlaceTree>),
    /// The `extensions` object of an element.
    Extensions,
    /// The `extras` of an element.
    Extras,
    /// A value inside an extension or extras.
    Foreign,
    /// A value inside an extension or extras, below a name that contains “view”.
    Views,
    /// Data that refers to neither accessors nor views.
    Free,
}

impl ValuePlace {
    fn member(self, key: &str) -> Self {
        match self {
            Self::Core(_) if key == "extensions" => Self::Extensions,
            Self::Core(_) if key == "extras" => Self::Extras,
            Self::Core(places) => Self::below(places, |p| p.member(key)),
            Self::Extensions if names_no_data(key) => Self::Free,
            // Ulna's own extras refer only to views that are never overwritten.
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

    /// Kind of the value one step below a value of core glTF. A list or object in the place of an
    /// index may contain any references.
    fn below(
        places: Option<&'static PlaceTree>,
        step: impl FnOnce(&'static PlaceTree) -> Option<&'static PlaceTree>,
    ) -> Self {
        match places {
            Some(leaf) if leaf.named().is_some() => Self::Foreign,
            places => Self::Core(places.and_then(step)),
        }
    }

    /// Whether numbers of this kind cannot refer to an accessor.
    fn is_free(self) -> bool {
        match self {
            Self::Core(places) => places.and_then(PlaceTree::named) != Some(ACCESSOR),
            Self::Extensions | Self::Free => true,
            Self::Extras | Self::Foreign | Self::Views => false,
        }
    }
}

/// Whether the extension contains no indices of accessors or buffer views. True for all VRM
/// extensions, including drafts.
fn names_no_data(extension: &str) -> bool {
    extension.starts_with("VRM") || (is_known(extension) && !names_data(extension))
}

/// Visitor that counts possible references in a JSON value.
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
        // The number may be the index of an accessor or a buffer view.
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
        // A number such as `3.0` is an integer, too.
        if value >= 0.0 && value.fract() == 0.0 && value < 9e15 {
            self.number(value as u64);
        }
        Ok(())
    }

    /// Texts such as `3` and `/accessors/3/…` may refer to an accessor.
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
            // A member name may be an index, too.
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
    fn accessors_are_found_in_every_reference() {
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
