//! Commands on pose layers: changes of a pose or of a clip that can be edited later.

mod commands;
mod folding;
mod found;
mod invert;
mod keys;
mod list;
mod mask;
mod strength;
mod values;

pub(super) use self::list::{copies, without};
pub use self::{
    commands::{
        ClearInLayer, ClipList, CopyLayer, DuplicateLayer, ExtractLayer, FoldLayers, InvertLayer,
        KeepLayers, LayerStrength, LayerStrengthKeys, MaskPoseLayer, MergeLayerDown, MovePoseLayer,
        MuteLayer, NewLayer, PoseLayerCommand, Region, RemovePoseLayer, RenamePoseLayer,
        SetInLayer, SoloLayer, SplitLayer, StrengthGoes, ZeroKey,
    },
    keys::{KeysOfLayer, LayerKeysCommand, layer_as_clip},
};
