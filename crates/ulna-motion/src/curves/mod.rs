//! Curves of tracks: shapes given to them between and across keys.
//!
//! ```text
//!  ease ──► ease_plan ──► eased     one span: a formula, the keys that it needs, the track with it
//!  chart (keys as vectors) ──► slide      runs of keys between their neighbors
//!                         └──► filter/    what is done to the motion of a span
//!  overlap, proportional, warp      keys elsewhere in time: down a chain, near others, by handles
//! ```

mod chart;
mod ease;
mod ease_plan;
mod eased;
mod filter;
mod overlap;
mod proportional;
mod slide;
mod warp;

pub use self::{
    ease::{Ease, EaseShape, EaseWay},
    eased::{Eased, eased, eased_spans, is_of_ease},
    filter::{Filter, FilterOptions, Filtered, filtered},
    overlap::{lags, overlapped},
    proportional::{add_near, move_near},
    slide::{Slide, slid},
    warp::{Warp, warped},
};
