//! Commands on existing keys: moving, scaling, copying, holding, and changing values. The
//! computations are in [`clip_edit`](ulna_motion::clip_edit).

mod commands;
pub(in crate::command) mod components;
mod conversion;
mod inserting;
mod modes;
mod pasting;
mod shape;
pub(in crate::command) mod targets;
mod timing;
mod values;

pub use self::{
    commands::{
        AxisOrder, ChangeKeys, CleanKeys, CopyTangents, DeleteKeys, DuplicateKeys, EulerFilter,
        HoldKeys, InsertKeys, KeyEditCommand, MatchSeam, MoveKeys, NewTangents, OffsetKeys,
        PasteKeys, RippleKeys, ScaleKeys, SetInterpolation, SetKeyKind, SetSlope, SetTangents,
        ShiftKeys, SlopeSide, ValueAbout, ValueHow,
    },
    pasting::copied_keys,
};
