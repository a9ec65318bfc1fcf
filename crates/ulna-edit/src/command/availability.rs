//! State of the program that determines the available commands.

/// The state that the conditions of commands read.
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
    /// Whether a clip is displayed.
    pub clip_shown: bool,
    /// The timeline shows curves.
    pub curves: bool,
    /// There is a step to undo.
    pub undo: bool,
    /// There is a step to redo.
    pub redo: bool,
    /// There are unsaved changes.
    pub unsaved: bool,
    /// There is an unkeyed pose.
    pub unkeyed: bool,
    /// The file has weights.
    pub weights: bool,
    /// There is a skinned mesh without weights.
    pub bare: bool,
    /// There are weight layers.
    pub layers: bool,
    /// Number of pose layers of the displayed clip, or of the pose if no clip is displayed.
    pub pose_layers: usize,
    /// There are layers of any clip, or of the pose.
    pub any_pose_layers: bool,
    /// The window is in Paint mode.
    pub painting: bool,
    /// A joint is selected for weight painting.
    pub joint: bool,
    /// Number of selected vertices.
    pub vertices: usize,
    /// Number of reference models.
    pub references: usize,
    /// A reference model is selected.
    pub reference: bool,
    /// Number of planned changes of the skeleton.
    pub planned: usize,
}
