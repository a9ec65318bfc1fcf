//! Commands on keys that are there: moved, stretched, copied, held, changed in value. The work is
//! that of [`clip_edit`](ulna_motion::clip_edit).

mod commands;
mod modes;
mod pasting;
mod shape;
mod targets;
mod timing;
mod values;

pub use self::{
    commands::{
        ChangeKeys, CleanKeys, CopyTangents, DeleteKeys, DuplicateKeys, HoldKeys, KeyEditCommand, MatchSeam, MoveKeys,
        OffsetKeys, PasteKeys, RippleKeys, ScaleKeys, SetInterpolation, SetKeyKind, SetTangents,
        ShiftKeys, ValueAbout, ValueHow,
    },
    pasting::copied_keys,
};
