//! State of the program that determines the available commands.

/// The state that the conditions of commands read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Availability {
    /// Whether a file is open.
    pub document: bool,
    /// Number of selected nodes.
    pub nodes: usize,
    /// Number of selected keys.
    pub keys: usize,
    /// Whether the file has clips.
    pub clips: bool,
    /// Whether the file has cameras.
    pub cameras: bool,
    /// Whether the file has lights.
    pub lights: bool,
    /// Whether the file has morph targets.
    pub morphs: bool,
    /// Whether a clip is displayed.
    pub clip_shown: bool,
    /// Whether the timeline shows curves.
    pub curves: bool,
    /// Whether there is a step to undo.
    pub undo: bool,
    /// Whether there is a step to redo.
    pub redo: bool,
    /// Whether there are unsaved changes.
    pub unsaved: bool,
    /// Whether there is an unkeyed pose.
    pub unkeyed: bool,
    /// Whether the file has weights.
    pub weights: bool,
    /// Whether there is a skinned mesh without weights.
    pub bare: bool,
    /// Whether there are weight layers.
    pub layers: bool,
    /// Number of pose layers of the displayed clip, or of the pose if no clip is displayed.
    pub pose_layers: usize,
    /// Whether any clip, or the pose, has pose layers.
    pub any_pose_layers: bool,
    /// Whether the window is in Paint mode.
    pub painting: bool,
    /// Whether a joint is selected for weight painting.
    pub joint: bool,
    /// Number of selected vertices.
    pub vertices: usize,
    /// Number of reference models.
    pub references: usize,
    /// Whether a reference model is selected.
    pub reference: bool,
    /// Number of planned changes of the skeleton.
    pub planned: usize,
    /// Whether the user saved the current workspace, so that it can be renamed and deleted.
    pub own_workspace: bool,
}
