//! Commands on weight layers. Each command also updates the combined weights, so that one undo step
//! reverts both.
//!
//! While a skin has layers, a tool without a layer argument works on the combined weights. Its
//! result is stored in the topmost visible layer, which must have full opacity, so that the result
//! is displayed unchanged. Without such a layer, the tool is refused. Locked joints do not limit
//! the effect of layers.

mod commands;
mod contents;
mod list;
mod write;

pub(crate) use self::contents::lines_of;
pub(super) use self::write::{mirrored_anew, on_base, through};
pub use self::{
    commands::{
        AddLayer, ClearLayer, FlattenLayers, KeepWeightLayers, LayerCommand, LayerOpacity,
        MaskLayer, MergeLayer, MirrorLayer, MoveLayer, PaintLayer, RemoveLayer, RenameLayer,
        ShowLayer, SoloWeightLayer, SplitWeightLayer,
    },
    write::{BASE, layer_for, layer_text, paint_into, primitives_of},
};
