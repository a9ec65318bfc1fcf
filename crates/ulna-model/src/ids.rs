//! Ids of the things in a document: the glTF index of the opened file, so that an id means the
//! same to the file, to a person and to a script.

use serde::{Deserialize, Serialize};

use super::SlotId;

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub u32);

        impl $name {
            /// The id as an index into the document's list.
            pub const fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl SlotId for $name {
            fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl From<usize> for $name {
            fn from(index: usize) -> Self {
                Self(u32::try_from(index).unwrap_or(u32::MAX))
            }
        }
    };
}

id!(
    /// A node of the tree.
    NodeId
);
id!(
    /// A mesh.
    MeshId
);
id!(
    /// A skin.
    SkinId
);
id!(
    /// A clip: one glTF animation.
    ClipId
);
id!(
    /// A scene.
    SceneId
);
id!(
    /// A variant of the materials (`KHR_materials_variants`).
    VariantId
);
id!(
    /// A track of one clip: the index of the glTF channel it came from.
    TrackId
);
id!(
    /// A primitive of one mesh.
    PrimitiveId
);
id!(
    /// A material.
    MaterialId
);
id!(
    /// A camera of the file.
    CameraId
);
id!(
    /// A light of the file.
    LightId
);
id!(
    /// An image.
    ImageId
);

/// A joint of one skin: its index in the skin's list, which slots of vertices (`JOINTS_n`) hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct JointSlot(pub u16);

impl JointSlot {
    /// The joint at an index of the skin's list. `None` past the 65,536 joints that a slot can
    /// name.
    pub fn new(index: usize) -> Option<Self> {
        u16::try_from(index).ok().map(Self)
    }

    /// The joint as an index into lists by joint.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The first joints of a skin, as many as slots can name, in rising order.
    pub fn first(count: usize) -> impl DoubleEndedIterator<Item = Self> + Clone {
        (0..=u16::MAX).take(count).map(Self)
    }
}

impl std::fmt::Display for PrimitiveId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}
