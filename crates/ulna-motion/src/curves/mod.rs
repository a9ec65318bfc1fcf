//! Tracks as curves: each number of a track drawn over time, and edited by itself.
//!
//! ```text
//!  Track ──► TrackCurves  values of components at keys and between, as they play
//!              ├─ euler       angles of rotations in any order, and their rates
//!              ├─ unwrapped   angles without jumps of full turns
//!              └─ moments     the formulas of sampling, in 64 bits
//! ```
//!
//! glTF stores rotations as quaternions and interpolates those. Angles are only a view of them: what
//! is drawn is what plays, and an edit of an angle writes the rotation of that key.

mod euler;
mod moments;
mod track_curves;
mod unwrapped;

pub use self::{
    euler::EulerOrder,
    track_curves::{CurveSpace, TrackCurves},
};
