//! Commands on whole clips: trim, split, join, reverse, retime, mirror, resample, and close loops.

mod closing;
mod commands;
mod cut;
mod mirror;
mod reduce;
mod timing;
mod travel;
mod whole;

pub(super) use self::whole::whole_with_poses;
pub use self::{
    closing::seam_in_words,
    commands::{
        ClipWorkCommand, CloseHow, CloseLoop, JoinClip, MakeEditable, MirrorClip, ReduceKeys,
        ResampleClip, RetimeClip, ReverseClip, RootMotion, SetRate, SetTicks, SplitClip,
        StartAtZero, TravelGoes, TrimClip,
    },
    timing::frame_of,
    travel::travel_in_words,
};
