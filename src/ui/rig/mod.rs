//! Rig mode: the skeleton is changed in the rest pose. What the pointer does is in the viewport's
//! tools; here are the panel at the side, the line at the bottom, and what both ask for.
//!
//! ```text
//!  tool, panel ─► RigAction ─┬─ meshes are bound, or clips move the joints ─► plan ─► one step
//!                            └─ neither ─────────────────────────────────► done at once
//! ```

mod action;
mod panel;
mod strip;

pub use self::{
    action::{JointDepth, RigAction, RigOptions, RigStep, RigView},
    panel::{RigPanel, rig_ui},
    strip::{REST_STRIP, strip_ui},
};
