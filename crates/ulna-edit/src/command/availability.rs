//! State of the program that decides which commands are available.

/// The state that the rules of availability read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Availability {
    /// A file is open.
    pub document: bool,
    /// Number of selected nodes.
    pub nodes: usize,
    /// Number of selected keys.
    pub keys: usize,
    /// The file has clips.
    pub clips: bool,
    /// The file has cameras.
    pub cameras: bool,
    /// The file has lights.
    pub lights: bool,
    /// The file has morph targets.
    pub morphs: bool,
    /// A clip is shown.
    pub clip_shown: bool,
    /// The timeline shows curves.
    pub curves: bool,
    /// There is a step to undo.
    pub undo: bool,
    /// There is a step to redo.
    pub redo: bool,
    /// Something is not saved.
    pub unsaved: bool,
    /// There is a pose that is not keyed.
    pub unkeyed: bool,
    /// The file has weights.
    pub weights: bool,
    /// A mesh that hangs on a skin has no weights.
    pub bare: bool,
    /// There are weight layers.
    pub layers: bool,
    /// Number of layers of the shown clip, or of the pose where no clip is shown.
    pub pose_layers: usize,
    /// There are layers of any clip, or of the pose.
    pub any_pose_layers: bool,
    /// The window is in Paint mode.
    pub painting: bool,
    /// A joint is chosen to be painted.
    pub joint: bool,
    /// Number of selected vertices.
    pub vertices: usize,
    /// Number of reference models beside the open one.
    pub references: usize,
    /// A reference model is selected.
    pub reference: bool,
    /// Number of changes in the plan of the skeleton.
    pub planned: usize,
}
