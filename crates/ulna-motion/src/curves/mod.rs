//! Tracks as curves: each number of a track drawn over time, and edited by itself.
//!
//! ```text
//!  Track ──► TrackCurves  values of components at keys and between, as they play
//!              ├─ components  one number or angle of a key changed, or its slope
//!              ├─ euler       angles of rotations in any order, and their rates
//!              ├─ unwrapped   angles without jumps of full turns
//!              └─ moments     the formulas of sampling, in 64 bits
//!  Track ──► conversion  STEP, LINEAR and CUBICSPLINE into each other
//! ```
//!
//! glTF stores rotations as quaternions and interpolates those. Angles are only a view of them: what
//! is drawn is what plays, and an edit of an angle writes the rotation of that key.

mod components;
mod conversion;
mod euler;
mod moments;
mod track_curves;
mod unwrapped;

pub use self::{
    components::{SlopeError, with_component, with_slope},
    conversion::{Converted, converted},
    euler::EulerOrder,
    track_curves::{CurveSpace, TrackCurves},
};
