//! Layers as a file keeps them: joints by their paths, with what the file had below them, so that
//! they can be taken off again.

use super::{Interpolation, Local, MixMask, Property, Slice, TangentModes};

/// Layers that a file keeps beside the keys, or nodes, into which they are folded.
#[derive(Clone, Debug, PartialEq)]
pub struct KeptLayers {
    /// The layers, the first nearest to the clip.
    pub layers: Vec<KeptLayer>,
    /// A clip's own keys of the channels that the layers change.
    pub own_keys: Vec<OwnKeys>,
    /// The own transforms of the nodes that layers of the pose change.
    pub own_pose: Vec<(String, Local)>,
    /// Of what the file has there, the layers in it: only then are its own keys what is above.
    pub hash: u64,
}

/// One layer.
#[derive(Clone, Debug, PartialEq)]
pub struct KeptLayer {
    /// Its name.
    pub name: String,
    /// How much of it counts.
    pub strength: f32,
    /// Keys of that.
    pub strength_keys: Option<KeptKeys>,
    /// Whether it is off.
    pub muted: bool,
    /// Whether it is alone.
    pub solo: bool,
    /// Where it counts.
    pub mask: Option<MixMask<String>>,
    /// What it adds at all times: translation, rotation, scale.
    pub moves: Vec<(String, [f32; 10])>,
    /// What it adds over time.
    pub keys: Vec<(String, Property, KeptKeys)>,
}

/// What a clip has for a component of a node.
#[derive(Clone, Debug, PartialEq)]
pub struct OwnKeys {
    /// The node's path.
    pub node: String,
    /// Which component.
    pub property: Property,
    /// Its keys; `None`: it has no channel.
    pub keys: Option<KeptKeys>,
}

/// Keys of a track.
#[derive(Clone, Debug, PartialEq)]
pub struct KeptKeys {
    /// How values between keys come about.
    pub interpolation: Interpolation,
    /// Seconds.
    pub times: Slice<f32>,
    /// As those of a track.
    pub values: Slice<f32>,
    /// How the tangents of its keys are chosen.
    pub modes: TangentModes,
}
