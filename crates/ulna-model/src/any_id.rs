//! Ids of elements of any kind, and the JSON pointers that refer to them.

use std::fmt;

use super::{
    CameraId, ClipId, ImageId, LightId, MaterialId, MeshId, NodeId, SceneId, SkinId, VariantId,
};

/// Kind of an element: the list of a glTF file that contains it. Elements are referred to by their
/// index in that list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum IdKind {
    /// A node, from `nodes`.
    Node,
    /// A mesh, from `meshes`.
    Mesh,
    /// A skin, from `skins`.
    Skin,
    /// A clip, from `animations`.
    Clip,
    /// A scene, from `scenes`.
    Scene,
    /// A material, from `materials`.
    Material,
    /// A material variant, from `KHR_materials_variants`.
    Variant,
    /// A camera, from `cameras`.
    Camera,
    /// A light, from `KHR_lights_punctual`.
    Light,
    /// An image, from `images`.
    Image,
    /// A texture, from `textures`. The model has no such elements: each material contains its
    /// textures.
    Texture,
    /// A texture sampler, from `samplers`. The model has no such elements: each material contains
    /// them.
    Sampler,
    /// An accessor, from `accessors`. The model has no such elements, only their content.
    Accessor,
    /// A buffer view, from `bufferViews`. The model has no such elements, only their content.
    View,
    /// A buffer, from `buffers`. The model has no such elements, only their content.
    Buffer,
}

impl IdKind {
    /// All kinds of elements.
    pub const ALL: [Self; 15] = [
        Self::Node,
        Self::Mesh,
        Self::Skin,
        Self::Clip,
        Self::Scene,
        Self::Material,
        Self::Variant,
        Self::Camera,
        Self::Light,
        Self::Image,
        Self::Texture,
        Self::Sampler,
        Self::Accessor,
        Self::View,
        Self::Buffer,
    ];

    /// JSON pointer of the list, without the leading slash.
    pub const fn list(self) -> &'static str {
        match self {
            Self::Node => "nodes",
            Self::Mesh => "meshes",
            Self::Skin => "skins",
            Self::Clip => "animations",
            Self::Scene => "scenes",
            Self::Material => "materials",
            Self::Variant => "extensions/KHR_materials_variants/variants",
            Self::Camera => "cameras",
            Self::Light => "extensions/KHR_lights_punctual/lights",
            Self::Image => "images",
            Self::Texture => "textures",
            Self::Sampler => "samplers",
            Self::Accessor => "accessors",
            Self::View => "bufferViews",
            Self::Buffer => "buffers",
        }
    }

    /// Singular noun for messages.
    const fn noun(self) -> &'static str {
        match self {
            Self::Node => "node",
            Self::Mesh => "mesh",
            Self::Skin => "skin",
            Self::Clip => "clip",
            Self::Scene => "scene",
            Self::Material => "material",
            Self::Variant => "material variant",
            Self::Camera => "camera",
            Self::Light => "light",
            Self::Image => "image",
            Self::Texture => "texture",
            Self::Sampler => "sampler",
            Self::Accessor => "accessor",
            Self::View => "buffer view",
            Self::Buffer => "buffer",
        }
    }
}

/// Reference to an element of any kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AnyId {
    /// Kind of the element, which selects the list.
    pub kind: IdKind,
    /// Index of the element in its list.
    pub index: u32,
}

impl AnyId {
    /// Creates a reference to an element of a list.
    pub const fn new(kind: IdKind, index: u32) -> Self {
        Self { kind, index }
    }

    /// First element on the path of a JSON pointer into a glTF file, such as node 3 for
    /// `/nodes/3/translation`. `None` if the pointer does not pass through an element of a list.
    pub fn in_pointer(pointer: &str) -> Option<Self> {
        IdKind::ALL.into_iter().find_map(|kind| {
            let index = after_list(kind, pointer)?.split('/').next()?;
            // An index has no leading zeros and no sign (RFC 6901).
            let is_index = index.bytes().all(|c| c.is_ascii_digit())
                && (index == "0" || !index.starts_with('0'));
            Some(Self::new(kind, index.parse().ok().filter(|_| is_index)?))
        })
    }

    /// Replaces the index of the first element in a JSON pointer by the index of this id. Pointers
    /// into other lists are returned unchanged.
    pub fn put_in_pointer(self, pointer: &str) -> String {
        let Some(after) = after_list(self.kind, pointer) else { return pointer.to_owned() };
        let rest = after.find('/').map_or("", |at| &after[at..]);
        format!("/{}/{}{rest}", self.kind.list(), self.index)
    }
}

/// Rest of a JSON pointer after the name of a list and a slash; `None` if the pointer is not in
/// that list.
fn after_list(kind: IdKind, pointer: &str) -> Option<&str> {
    pointer.strip_prefix('/')?.strip_prefix(kind.list())?.strip_prefix('/')
}

impl fmt::Display for AnyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.kind.noun(), self.index)
    }
}

macro_rules! is_an_id {
    ($($id:ident $kind:ident)*) => {
        $(impl From<$id> for AnyId {
            fn from(id: $id) -> Self {
                Self::new(IdKind::$kind, id.0)
            }
        })*
    };
}

is_an_id! {
    NodeId Node
    MeshId Mesh
    SkinId Skin
    ClipId Clip
    SceneId Scene
    MaterialId Material
    VariantId Variant
    CameraId Camera
    LightId Light
    ImageId Image
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn an_index_written_into_a_pointer_is_read_back(
            kind in 0..IdKind::ALL.len(), before in 0u32..2000, after in 0u32..2000,
            rest in "(/[a-z]{1,5}){0,3}",
        ) {
            let kind = IdKind::ALL[kind];
            let pointer = format!("/{}/{before}{rest}", kind.list());
            prop_assert_eq!(AnyId::in_pointer(&pointer), Some(AnyId::new(kind, before)));
            let made = AnyId::new(kind, after).put_in_pointer(&pointer);
            prop_assert_eq!(&made, &format!("/{}/{after}{rest}", kind.list()));
            prop_assert_eq!(AnyId::new(kind, before).put_in_pointer(&made), pointer);
        }
    }

    #[test]
    fn pointers_outside_the_lists_of_elements_refer_to_nothing() {
        for pointer in
            ["", "nodes/1", "/nodes", "/nodes/", "/nodes/x", "/nodes/+1", "/nodes/01", "/asset/1"]
        {
            assert_eq!(AnyId::in_pointer(pointer), None, "{pointer}");
            assert_eq!(AnyId::from(MeshId(3)).put_in_pointer(pointer), pointer);
        }
    }
}
