//! Commands on weight layers. What they come to is set beside them, so that one step takes both
//! back.
//!
//! While a skin has layers, a tool that names none works on what is seen, and its result goes into
//! the topmost layer that shows, at full opacity: nothing lies over that, so what the tool made is
//! what is seen. Where there is no such layer the tool is refused. Locked joints do not hold
//! against layers.

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
