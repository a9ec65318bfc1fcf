//! Tracks as curves: each component of a track over time, for display and editing.
//!
//! ```text
//!  Track ──► TrackCurves  values of components at keys and between, equal to the played motion
//!              ├─ components  edit one number or angle of a key, or its slope
//!              ├─ euler       angles of rotations in any order, and their rates
//!              ├─ unwrapped   angles without jumps of full turns
//!              └─ moments     the formulas of sampling, in double precision
//!  Track ──► conversion  between STEP, LINEAR and CUBICSPLINE
//!  Track ──► inserted    insert a key on a curve     signs  quaternions with consistent signs
//!  ease ──► ease_plan ──► eased     one segment: a formula, its keys, the resulting track
//!  chart (keys as vectors) ──► slide      runs of keys relative to their neighbors
//!                         └──► filter/    filters of the motion in a time range
//!  overlap, proportional, warp      retiming: along a chain, with a falloff, by handles
//! ```
//!
//! glTF stores rotations as quaternions and interpolates the quaternions. Angles are only a view of
//! them: the drawn curve is the played motion, and an edit of an angle writes the rotation of that
//! key.

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
