//! Overlays of the viewport, each with the state it was found from: it is found again when that
//! state changes.

use glam::Vec3;

use crate::ui::Onion;
use ulna_model::{ClipId, Derived, Mesh, MeshId, NodeId, Shared, Slots};
use ulna_motion::{Averaging, Balance, Masses, MotionPath};

/// The balance display, with the inputs that it was computed from.
#[derive(Default)]
pub(in crate::app) struct BalanceState {
    pub masses: Derived<Slots<MeshId, Shared<Mesh>>, Masses>,
    pub of: Option<(u64, u64)>,
    pub way_of: Option<(u64, ClipId, Averaging)>,
    /// Balance of the displayed pose.
    pub now: Option<Balance>,
    /// Path of the center of mass over the displayed clip, in world space.
    pub path: Vec<Vec3>,
}

/// Motion paths, with the inputs that they were computed from.
#[derive(Default)]
pub(in crate::app) struct PathState {
    pub of: Option<(u64, ClipId, Vec<NodeId>, u64, Averaging)>,
    /// Motion paths of the selected joints.
    pub paths: Vec<MotionPath>,
}

/// Inputs of the requested ghosts: they are computed again when one changes.
#[derive(PartialEq)]
pub(in crate::app) struct GhostsAsked {
    /// The document's generation, and the clip.
    pub made_from: (u64, Option<ClipId>),
    /// Whether a loop is repaired.
    pub mends: bool,
    /// Whether the file as opened is displayed beside the current document.
    pub compares: bool,
    /// Interpolation of LINEAR rotations.
    pub between: Averaging,
    /// Bits of the playhead's time, seconds.
    pub time: u64,
    /// Bits of the frame rate, frames per second.
    pub fps: u64,
    pub onion: Onion,
    /// The selected nodes.
    pub nodes: Vec<NodeId>,
}
