//! Commands that shape curves through keys: eases, sliders, filters, and changes of key times. The
//! computations are in [`curves`](ulna_motion::curves).

mod commands;
mod filters;
mod places;
mod shapes;
mod words;

pub use self::{
    commands::{
        CurveKeysCommand, EaseKeys, FilterKeys, OverlapKeys, ProportionalKeys, SlideKeys, WarpKeys,
    },
    words::{EaseName, Fade, FilterName, NearHow, SlideName, Slow},
};
