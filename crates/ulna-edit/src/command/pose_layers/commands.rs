//! Commands on pose layers.

use std::collections::BTreeSet;

use crate::command::{
    ArgumentType, CommandError,
    define::document_commands,
    field::{ClipName, Nodes, Numbers, Seconds, Trs, choice, field},
    layer_name::{LayerName, LayerOf},
    names::{clip_text, find_clips},
    rules,
};
use ulna_model::{ClipId, Document};

choice! {
    /// Part of the body that a layer affects.
    Region {
        /// The whole body.
        All = "all",
        /// The lowest joint of the spine and its descendants.
        Upper = "upper",
        /// The body without the joints of `Upper`.
        Lower = "lower",
        /// The body without the right side.
        Left = "left",
        /// The body without the left side.
        Right = "right",
    }
}

document_commands! {
    /// Commands on pose layers.
    PoseLayerCommand in "Pose/Layers";

    /// Adds a pose layer over the shown clip or the pose; edits in the layer stay editable
    NewLayer {
        /// Clip that receives the layer; the pose of the file if omitted.
        clip: Option<ClipName>,
        /// Name of the new layer.
        name: Option<String>,
    } = "layer.new", "New layer";
    /// Mutes or unmutes a layer
    MuteLayer {
        /// Layer to edit.
        of: LayerOf,
        /// Whether the layer is muted; toggles if omitted.
        muted: Option<bool>,
    } = "layer.mute", "Mute or unmute the layer", enabled: rules::pose_layer;
    /// Soloes a layer of a clip: only soloed layers have an effect
    SoloLayer {
        /// Layer to edit.
        of: LayerOf,
        /// Whether the layer is soloed; toggles if omitted.
        solo: Option<bool>,
    } = "layer.solo", "Solo the layer", enabled: rules::pose_layer;
    /// Duplicates a layer
    DuplicateLayer {
        /// Layer to edit.
        of: LayerOf,
        /// Name of the copy.
        name: Option<String>,
    } = "layer.duplicate", "Duplicate the layer", enabled: rules::pose_layer;
    /// Inverts the offsets that a layer adds
    InvertLayer {
        /// Layer to edit.
        of: LayerOf,
    } = "layer.invert", "Invert the layer", enabled: rules::pose_layer;
    /// Adds neutral keys to a layer; the layer has no effect at these keys
    ZeroKey {
        /// Layer to edit.
        of: LayerOf,
        /// Time in the clip, in seconds.
        time: Seconds,
        /// Time of a second neutral key, in seconds.
        until: Option<Seconds>,
        /// Joints to key; all joints of the layer if omitted.
        node: Option<Nodes>,
    } = "layer.zero_key", "Add a neutral key", key: "Shift+S", enabled: rules::layer_of_clip;
    /// Removes joints from a layer
    ClearInLayer {
        /// Layer to edit.
        of: LayerOf,
        /// Joints to remove from the layer; all if omitted.
        node: Option<Nodes>,
    } = "layer.clear", "Remove joints from the layer", enabled: rules::pose_layer;
    /// Bakes layers into the keys of their clip, or into the pose of the file
    FoldLayers {
        /// Clip of the layer; a layer of the pose if omitted.
        clip: Option<ClipName>,
        /// Topmost layer to bake, together with the layers below it; all layers if omitted.
        layer: Option<LayerName>,
    } = "layer.fold", "Bake layers", enabled: rules::pose_layer;
    /// Splits a clip into a few base keys and a layer with the rest of the motion
    SplitLayer {
        /// Clip to split.
        clip: ClipName,
        /// Maximum error of the base keys, in degrees, 0.01 to 90; 5 if omitted.
        degrees: Option<f32>,
        /// Name of the layer.
        name: Option<String>,
    } = "layer.split", "Split into base and layer", enabled: rules::clip_shown;
    /// Saves the layers in the file, to edit them again later; their effect is saved in any case
    KeepLayers {
        /// Whether to save the layers in the file; toggles if omitted.
        on: Option<bool>,
    } = "layer.keep", "Save the layers in the file", enabled: rules::any_pose_layer;
    /// Removes a layer with all its edits
    RemovePoseLayer {
        /// Layer to edit.
        of: LayerOf,
    } = "layer.remove", "Remove the layer", enabled: rules::pose_layer;
    /// Renames a layer
    RenamePoseLayer {
        /// Layer to edit.
        of: LayerOf,
        /// New name.
        name: String,
    } = "layer.rename", "Rename a layer", asks: true, enabled: rules::pose_layer;
    /// Sets the strength of a layer, as a constant or with a key
    LayerStrength {
        /// Layer to edit.
        of: LayerOf,
        /// Strength of the layer, 0 to 1.
        strength: f32,
        /// Time of the key, in seconds; the strength is constant if omitted.
        time: Option<Seconds>,
    } = "layer.strength", "Set layer strength", asks: true, enabled: rules::pose_layer;
    /// Replaces all keys of a layer's strength; an empty list makes it constant
    LayerStrengthKeys {
        /// Layer to edit.
        of: LayerOf,
        /// Alternating times, in seconds, and strengths: time, strength, time, strength.
        keys: Numbers,
        /// Interpolation between the keys; linear if omitted.
        interpolation: Option<StrengthGoes>,
    } = "layer.strength_keys",
        "Set keys of the layer strength", asks: true, enabled: rules::pose_layer;
    /// Moves a layer up or down
    MovePoseLayer {
        /// Layer to edit.
        of: LayerOf,
        /// Whether to move the layer up, away from the clip; otherwise it moves down.
        up: Option<bool>,
        /// New position in the list, where 0 is next to the clip; omit `up` if you set it.
        place: Option<usize>,
    } = "layer.move", "Move a layer", asks: true, enabled: rules::pose_layer;
    /// Limits a layer to a part of the body, to a joint with its descendants, or to chosen joints
    MaskPoseLayer {
        /// Layer to edit.
        of: LayerOf,
        /// Part of the body that the layer affects; the whole body if omitted.
        region: Option<Region>,
        /// Topmost joint of the mask, which includes its descendants.
        below: Option<Nodes>,
        /// Number of joints over which the mask fades in below that joint; 0 if omitted.
        falloff: Option<usize>,
        /// Joints of the mask.
        node: Option<Nodes>,
        /// Mask weights, 0 to 1: one for all joints, or one per joint; 1 if omitted.
        weights: Option<Numbers>,
    } = "layer.mask", "Set layer mask", asks: true, enabled: rules::pose_layer;
    /// Sets the offsets that a layer adds to joints, as numbers
    SetInLayer {
        /// Layer to edit.
        of: LayerOf,
        /// Joints whose offsets to set.
        node: Nodes,
        /// Offsets to set.
        to: Trs,
        /// Time in the clip, in seconds.
        time: Option<Seconds>,
        /// Whether to set a key at the given time, even if the layer was constant; no if omitted.
        key: Option<bool>,
    } = "layer.set", "Set layer offsets", asks: true, enabled: rules::pose_layer;
    /// Copies a layer to other clips
    CopyLayer {
        /// Layer to edit.
        of: LayerOf,
        /// Clips that receive a copy: names, or a pattern.
        to: ClipList,
    } = "layer.copy", "Copy the layer to clips", asks: true, enabled: rules::pose_layer;
    /// Merges a layer with the layer below it
    MergeLayerDown {
        /// Layer to edit.
        of: LayerOf,
    } = "layer.merge_down", "Merge the layer down", asks: true, enabled: rules::pose_layer;
    /// Makes a layer from the difference between a clip and another clip or an unkeyed pose
    ExtractLayer {
        /// Clip that receives the layer.
        clip: ClipName,
        /// Clip whose motion the clip with the new layer reproduces.
        other: Option<ClipName>,
        /// Time of the unkeyed pose that becomes a layer of the whole clip, in seconds.
        time: Option<Seconds>,
        /// Name of the new layer.
        name: Option<String>,
    } = "layer.extract", "Make a layer from a difference", asks: true, enabled: rules::clip_shown;
}

choice! {
    /// Interpolation between the keys of a layer's strength.
    StrengthGoes {
        /// Linear interpolation.
        Linear = "linear",
        /// Each value is held until the next key.
        Step = "step",
    }
}

/// Several clips in an argument, by names or a pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClipList {
    /// Names, `#index` or patterns.
    Named(Vec<String>),
    /// Ids of clips in the document.
    Ids(Vec<ClipId>),
}
field!(
    ClipList,
    ArgumentType::Text,
    |from, name| from
        .texts(name, "a clip name, #index or a pattern, or a list of these")
        .map(Self::Named),
    |v, document| match v {
        Self::Named(texts) => texts.clone().into(),
        Self::Ids(ids) => ids.iter().map(|id| clip_text(document, *id)).collect::<Vec<_>>().into(),
    }
);

impl ClipList {
    /// Returns the clips, without duplicates.
    ///
    /// # Errors
    /// If a text matches no clip.
    pub fn all(&self, document: &Document) -> Result<Vec<ClipId>, CommandError> {
        let mut found: BTreeSet<ClipId> = BTreeSet::new();
        match self {
            Self::Ids(ids) => found.extend(ids),
            Self::Named(texts) => {
                for text in texts {
                    found.extend(find_clips(document, text)?);
                }
            }
        }
        Ok(found.into_iter().collect())
    }
}
