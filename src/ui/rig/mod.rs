//! Rig mode: changes of the skeleton in the rest pose. This module has the side panel, the bottom
//! row, and the requests of Rig mode. The pointer tools are in the viewport.
//!
//! ```text
//!  tool, panel ─► RigAction ─┬─ meshes are bound, or clips move the joints ─► plan ─► one step
//!                            └─ neither ─────────────────────────────────► applied immediately
//! ```

mod action;
mod panel;
mod strip;

pub use self::{
    action::{JointDepth, RigAction, RigOptions, RigStep, RigView},
    panel::{RigPanel, rig_ui},
    strip::{REST_STRIP, strip_ui},
};
