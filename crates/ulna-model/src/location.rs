//! Locations in files: an element of the file, and the path inside that element.

use std::{borrow::Cow, fmt};

use serde::{Serialize, Serializer};

use super::{AnyId, IdKind, MeshId, PrimitiveId};

/// A location in a file: an element of one of its lists, and the path inside that element. An empty
/// location means the whole file. Locations are displayed as paths such as
/// `animations/0/samplers/2`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Location {
    /// Element that contains the location. `None` for members outside the lists, and for files that
    /// are not glTF.
    pub element: Option<AnyId>,
    /// Path from the element, or from the top level of the file if `element` is `None`.
    pub steps: Vec<LocationStep>,
}

/// One step of the path inside an element.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum LocationStep {
    /// A primitive of a mesh.
    Primitive(PrimitiveId),
    /// An item of any other list.
    Item(Cow<'static, str>, u32),
    /// A member of an object. In files that are not glTF, a description in words.
    Member(Cow<'static, str>),
}

impl Location {
    /// Location of an element.
    pub fn of(element: impl Into<AnyId>) -> Self {
        Self { element: Some(element.into()), steps: Vec::new() }
    }

    /// Location of the element at an index of a list.
    pub fn at(kind: IdKind, index: usize) -> Self {
        Self::of(AnyId::new(kind, number(index)))
    }

    /// Location of a primitive of a mesh.
    pub fn primitive(mesh: MeshId, primitive: PrimitiveId) -> Self {
        let steps = vec![LocationStep::Primitive(primitive)];
        Self { element: Some(mesh.into()), steps }
    }

    /// Location of a member of the object at this location.
    pub fn member(&self, name: impl Into<Cow<'static, str>>) -> Self {
        self.with(LocationStep::Member(name.into()))
    }

    /// Location of an item of a list that is a member of the object at this location. If the list
    /// is a top-level list of elements, the result is the location of that element.
    pub fn item(&self, list: impl Into<Cow<'static, str>>, index: usize) -> Self {
        let (list, index) = (list.into(), number(index));
        match self.element {
            None if self.steps.is_empty() => {
                if let Some(kind) = IdKind::ALL.into_iter().find(|kind| kind.list() == list) {
                    return Self::of(AnyId::new(kind, index));
                }
            }
            Some(AnyId { kind: IdKind::Mesh, .. })
                if self.steps.is_empty() && list == PRIMITIVES =>
            {
                return self.with(LocationStep::Primitive(PrimitiveId(index)));
            }
            _ => {}
        }
        self.with(LocationStep::Item(list, index))
    }

    fn with(&self, step: LocationStep) -> Self {
        let mut steps = Vec::with_capacity(self.steps.len() + 1);
        steps.extend_from_slice(&self.steps);
        steps.push(step);
        Self { element: self.element, steps }
    }

    /// Whether the location means the whole file.
    pub const fn is_file(&self) -> bool {
        self.element.is_none() && self.steps.is_empty()
    }

    /// Index of the element, if it is of this kind.
    pub fn index_in(&self, kind: IdKind) -> Option<u32> {
        self.element.filter(|e| e.kind == kind).map(|e| e.index)
    }

    /// Primitive that contains this location, if any.
    pub fn primitive_key(&self) -> Option<(MeshId, PrimitiveId)> {
        match (self.index_in(IdKind::Mesh), self.steps.first()) {
            (Some(mesh), Some(LocationStep::Primitive(primitive))) => {
                Some((MeshId(mesh), *primitive))
            }
            _ => None,
        }
    }

    /// Whether the location equals `outer` or is inside it.
    pub fn is_within(&self, outer: &Self) -> bool {
        outer.is_file() || (self.element == outer.element && self.steps.starts_with(&outer.steps))
    }
}

/// Name of the list of primitives of a mesh.
const PRIMITIVES: &str = "primitives";

/// Converts an index in a list of a file, which always fits into 32 bits.
fn number(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(u32::MAX)
}

impl fmt::Display for LocationStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Primitive(primitive) => write!(f, "{PRIMITIVES}/{primitive}"),
            Self::Item(list, index) => write!(f, "{list}/{index}"),
            Self::Member(name) => f.write_str(name),
        }
    }
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(element) = self.element {
            write!(f, "{}/{}", element.kind.list(), element.index)?;
        }
        for (k, step) in self.steps.iter().enumerate() {
            let slash = if k > 0 || self.element.is_some() { "/" } else { "" };
            write!(f, "{slash}{step}")?;
        }
        Ok(())
    }
}

impl Serialize for Location {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl From<&Self> for Location {
    fn from(location: &Self) -> Self {
        location.clone()
    }
}

/// Location given by a description in words. An empty description means the whole file.
impl From<&'static str> for Location {
    fn from(words: &'static str) -> Self {
        if words.is_empty() { Self::default() } else { Self::default().member(words) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn locations_have_the_json_paths_of_their_elements() {
        let file = Location::default();
        let mesh = file.item("meshes", 2);
        let inner = mesh.item("primitives", 1).member("attributes").member("JOINTS_0");
        for (location, path) in [
            (file.clone(), ""),
            (Location::from(""), ""),
            (file.member("scene"), "scene"),
            (file.member("asset").member("version"), "asset/version"),
            (file.item("extensionsUsed", 3), "extensionsUsed/3"),
            (Location::at(IdKind::Light, 4), "extensions/KHR_lights_punctual/lights/4"),
            (mesh.clone(), "meshes/2"),
            (inner.clone(), "meshes/2/primitives/1/attributes/JOINTS_0"),
            (Location::from(".x Frame"), ".x Frame"),
        ] {
            assert_eq!(location.to_string(), path);
        }
        assert_eq!(mesh, Location::of(MeshId(2)));
        assert_eq!(inner.index_in(IdKind::Mesh), Some(2));
        assert_eq!(inner.index_in(IdKind::Node), None);
        assert_eq!(inner.primitive_key(), Some((MeshId(2), PrimitiveId(1))));
        assert_eq!(mesh.primitive_key(), None);
    }

    #[test]
    fn a_primitive_is_within_its_mesh_and_a_member_within_its_primitive() {
        let primitive = Location::primitive(MeshId(0), PrimitiveId(1));
        assert!(primitive.member("indices").is_within(&primitive));
        assert!(primitive.is_within(&Location::of(MeshId(0))));
        assert!(primitive.is_within(&Location::default()));
        assert!(!Location::primitive(MeshId(0), PrimitiveId(10)).is_within(&primitive));
        assert!(!primitive.is_within(&Location::of(MeshId(1))));
        assert!(!Location::of(MeshId(0)).is_within(&primitive));
    }
}
