//! Ids of the elements of a document. An id is the element's glTF index in the opened file. It has
//! the same meaning in the file, the window and scripts.

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
    /// Id of a node.
    NodeId
);
id!(
    /// Id of a mesh.
    MeshId
);
id!(
    /// Id of a skin.
    SkinId
);
id!(
    /// Id of a clip, which is one glTF animation.
    ClipId
);
id!(
    /// Id of a scene.
    SceneId
);
id!(
    /// Id of a variant of the materials (`KHR_materials_variants`).
    VariantId
);
id!(
    /// Id of a track in its clip: the index of the glTF channel that it was read from.
    TrackId
);
id!(
    /// Id of a primitive in its mesh.
    PrimitiveId
);
id!(
    /// Id of a material.
    MaterialId
);
id!(
    /// Id of a camera.
    CameraId
);
id!(
    /// Id of a light.
    LightId
);
id!(
    /// Id of an image.
    ImageId
);

/// A joint of one skin: its index in the skin's list of joints, as stored in `JOINTS_n`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct JointSlot(pub u16);

impl JointSlot {
    /// Creates the slot for an index of the skin's list of joints. `None` if the index exceeds
    /// `u16::MAX`.
    pub fn new(index: usize) -> Option<Self> {
        u16::try_from(index).ok().map(Self)
    }

    /// Index into lists with one entry per joint.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// Slots of the first `count` joints of a skin, in ascending order; at most 65,536.
    pub fn first(count: usize) -> impl DoubleEndedIterator<Item = Self> + Clone {
        (0..=u16::MAX).take(count).map(Self)
    }
}

impl std::fmt::Display for PrimitiveId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}
