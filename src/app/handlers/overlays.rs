//! State of viewport overlays, with the inputs that they were computed from. A changed input
//! triggers a new computation.

use glam::Vec3;

use crate::ui::Onion;
use ulna_model::{ClipId, Derived, Mesh, MeshId, NodeId, Shared, Slots};
use ulna_motion::{Averaging, Balance, Masses, MotionPath};

/// State of the balance display, with the inputs that it was computed from.
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

/// State of the motion paths, with the inputs that they were computed from.
#[derive(Default)]
pub(in crate::app) struct PathState {
    pub of: Option<(u64, ClipId, Vec<NodeId>, u64, Averaging)>,
    /// Motion paths of the selected joints.
    pub paths: Vec<MotionPath>,
}

/// Inputs of the ghosts. A changed input triggers a new computation.
#[derive(PartialEq)]
pub(in crate::app) struct GhostsAsked {
    /// Document generation and displayed clip.
    pub made_from: (u64, Option<ClipId>),
    /// True while a loop is being repaired.
    pub mends: bool,
    /// True if the file as opened is shown as a ghost.
    pub compares: bool,
    /// Interpolation of LINEAR rotations.
    pub between: Averaging,
    /// Bits of the playhead's time in seconds, for exact comparison.
    pub time: u64,
    /// Bits of the frame rate in frames per second, for exact comparison.
    pub fps: u64,
    pub onion: Onion,
    /// The selected nodes.
    pub nodes: Vec<NodeId>,
}
