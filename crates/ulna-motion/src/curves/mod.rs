//! Tracks as curves: each number of a track drawn over time, and edited by itself.
//!
//! ```text
//!  Track ──► TrackCurves  values of components at keys and between, as they play
//!              ├─ components  one number or angle of a key changed, or its slope
//!              ├─ euler       angles of rotations in any order, and their rates
//!              ├─ unwrapped   angles without jumps of full turns
//!              └─ moments     the formulas of sampling, in 64 bits
//!  Track ──► conversion  STEP, LINEAR and CUBICSPLINE into each other
//!  Track ──► inserted    a key put onto a curve    signs  quaternions that go on from key to key
//!  ease ──► ease_plan ──► eased     one span: a formula, the keys that it needs, the track with it
//!  chart (keys as vectors) ──► slide      runs of keys between their neighbors
//!                         └──► filter/    what is done to the motion of a span
//!  overlap, proportional, warp      keys elsewhere in time: down a chain, near others, by handles
//! ```
//!
//! glTF stores rotations as quaternions and interpolates those. Angles are only a view of them:
//! what is drawn is what plays, and an edit of an angle writes the rotation of that key.

mod chart;
mod components;
mod contacts;
mod conversion;
mod ease;
mod ease_plan;
mod eased;
mod euler;
mod filter;
mod inserted;
pub(crate) mod moments;
mod overlap;
mod proportional;
mod signs;
mod slide;
mod track_curves;
mod unwrapped;
mod warp;

pub use self::{
    chart::ChosenComponents,
    components::{SlopeError, with_component, with_slope},
    contacts::leg_contacts,
    conversion::{Converted, converted},
    ease::{Ease, EaseShape, EaseWay},
    eased::{Eased, eased, eased_spans, is_of_ease},
    euler::EulerOrder,
    filter::{Filter, FilterOptions, Filtered, filtered},
    inserted::inserted,
    overlap::{lags, overlapped},
    proportional::{add_near, move_near},
    signs::{Continued, with_continued_signs},
    slide::{Slide, slid},
    track_curves::{CurveSpace, TrackCurves},
    warp::{Warp, warped},
};

#[cfg(test)]
mod tests;
