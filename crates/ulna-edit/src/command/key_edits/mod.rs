//! Commands on keys that are there: moved, stretched, copied, held, changed in value. The work is
//! that of [`clip_edit`](ulna_motion::clip_edit).

mod commands;
mod components;
mod modes;
mod pasting;
mod shape;
pub(in crate::command) mod targets;
mod timing;
mod values;

pub use self::{
    commands::{
        AxisOrder, ChangeKeys, CleanKeys, CopyTangents, DeleteKeys, DuplicateKeys, HoldKeys,
        KeyEditCommand, MatchSeam, MoveKeys, OffsetKeys, PasteKeys, RippleKeys, ScaleKeys,
        SetInterpolation, SetKeyKind, SetSlope, SetTangents, ShiftKeys, SlopeSide, ValueAbout,
        ValueHow,
    },
    pasting::copied_keys,
};
