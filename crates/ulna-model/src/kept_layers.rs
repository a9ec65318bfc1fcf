//! Pose layers as a file stores them. Joints are named by their paths. The original keys and
//! transforms are stored, too, so that the layers can be removed again.

use super::{Interpolation, Local, MixMask, Property, Slice, TangentModes};

/// Pose layers that a file stores beside the keys or nodes that they are baked into.
#[derive(Clone, Debug, PartialEq)]
pub struct KeptLayers {
    /// The layers, bottom to top.
    pub layers: Vec<KeptLayer>,
    /// The clip's keys without layers, for the channels that the layers change.
    pub own_keys: Vec<OwnKeys>,
    /// Node paths with their local transforms without layers, for the nodes that pose layers
    /// change.
    pub own_pose: Vec<(String, Local)>,
    /// Hash of the file's baked content. If it differs, another program changed the file, and the
    /// stored layers no longer apply.
    pub hash: u64,
}

/// One layer.
#[derive(Clone, Debug, PartialEq)]
pub struct KeptLayer {
    /// The name.
    pub name: String,
    /// Strength, a factor of the layer's effect.
    pub strength: f32,
    /// Keys of the strength, if it is animated.
    pub strength_keys: Option<KeptKeys>,
    /// Whether the layer is muted.
    pub muted: bool,
    /// Whether the layer is soloed.
    pub solo: bool,
    /// The joints that the layer affects; all if `None`.
    pub mask: Option<MixMask<String>>,
    /// Constant offsets by node path: translation, rotation, scale (10 numbers).
    pub moves: Vec<(String, [f32; 10])>,
    /// Animated offsets by node path and property.
    pub keys: Vec<(String, Property, KeptKeys)>,
}

/// A clip's own keys of one property of a node.
#[derive(Clone, Debug, PartialEq)]
pub struct OwnKeys {
    /// The path of the node.
    pub node: String,
    /// The property.
    pub property: Property,
    /// The keys; `None` if the clip has no such channel.
    pub keys: Option<KeptKeys>,
}

/// Stored keys of a track.
#[derive(Clone, Debug, PartialEq)]
pub struct KeptKeys {
    /// Interpolation between keys.
    pub interpolation: Interpolation,
    /// Key times in seconds.
    pub times: Slice<f32>,
    /// Values in the layout of a track's values.
    pub values: Slice<f32>,
    /// Tangent modes of the keys.
    pub modes: TangentModes,
}
