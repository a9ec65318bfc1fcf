//! Deviation of a changed rig: the distance between the skin before and after a change. It is
//! measured over the file's pose, all clips with their layers, and the mix of clips.
//!
//! Both documents are evaluated at the same times, and the same vertices are compared. The world
//! transforms of a joint should satisfy `W'(t) = W(t)·C` with a constant `C`. Differences within
//! float noise count as 0.

mod extremes;
mod frames;
mod measure;
mod moments;
mod points;
mod request;
mod result;
mod sampled;
mod samples;
#[cfg(test)]
mod tests;

pub use self::{
    request::{DeviationRequest, Exactness, JointFrame},
    result::{ComparedMotion, Deviation, WorstJoint, WorstPoint},
};
