//! Pose layers in the form that a file stores. Joints are identified by their paths. The original
//! keys and transforms are stored, too, so that the layers can be removed again.

use super::{Interpolation, Local, MixMask, Property, Slice, TangentModes};

/// Pose layers as stored in a file, in addition to the keys or nodes that they are baked into.
#[derive(Clone, Debug, PartialEq)]
pub struct KeptLayers {
    /// The layers, bottom to top.
    pub layers: Vec<KeptLayer>,
    /// Keys of the clip without layers, for the channels that layers change.
    pub own_keys: Vec<OwnKeys>,
    /// Node paths with local transforms without layers, for the nodes that pose layers change.
    pub own_pose: Vec<(String, Local)>,
    /// Hash of the file's baked content. If it differs when the file is opened, another program
    /// changed the content, and the stored layers no longer apply.
    pub hash: u64,
}

/// A pose layer as stored in a file.
#[derive(Clone, Debug, PartialEq)]
pub struct KeptLayer {
    /// Name of the layer.
    pub name: String,
    /// Strength factor of the layer, `0..=1`.
    pub strength: f32,
    /// Keys of the strength, if it is animated.
    pub strength_keys: Option<KeptKeys>,
    /// Whether the layer is muted.
    pub muted: bool,
    /// Whether the layer is soloed.
    pub solo: bool,
    /// Joints that the layer affects; all joints if `None`.
    pub mask: Option<MixMask<String>>,
    /// Constant offsets by node path. The 10 numbers are translation, rotation and scale.
    pub moves: Vec<(String, [f32; 10])>,
    /// Animated offsets by node path and property.
    pub keys: Vec<(String, Property, KeptKeys)>,
}

/// Original keys of one property of a node in a clip.
#[derive(Clone, Debug, PartialEq)]
pub struct OwnKeys {
    /// Path of the node.
    pub node: String,
    /// Property that the keys animate.
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
    /// Values of the keys, in the layout of `Track::values`.
    pub values: Slice<f32>,
    /// Tangent modes of the keys.
    pub modes: TangentModes,
}
