//! Tracks as curves: a number of each component at every time, and what is changed in them.
//!
//! ```text
//!  Track ──► TrackCurves    what its curves draw: exactly what plays
//!  component                the value or slope of one component at a key
//!  euler                    rotations as angles, in six orders
//! ```

mod component;
mod euler;
mod track_curves;

pub use self::{
    component::{SlopeError, with_component, with_slope},
    euler::EulerOrder,
    track_curves::{CurveSpace, TrackCurves},
};
