//! Commands on the selection, modes and tools.

use crate::command::{
    KeyScope,
    define::other_commands,
    rules::{any_selected, opened, paintable, selected, undoable, weighted, with_vertices},
};

other_commands! {
    /// Commands on the selection.
    SelectCommand in "Edit", by Host;

    /// Selects every joint
    Joints = "select.joints", "Select all joints", key: "Ctrl+A";
    /// Clears the selection
    Nothing = "select.none", "Deselect all", key: "Escape", enabled: any_selected;
    /// Selects the parent node
    Parent = "select.parent", "Select parent", key: "ArrowUp", enabled: selected,
        key_scope: KeyScope::Joints;
    /// Selects the first child node
    Child = "select.child", "Select child", key: "ArrowDown", enabled: selected,
        key_scope: KeyScope::Joints;
    /// Selects the next sibling node
    Sibling = "select.sibling", "Select sibling", key: "Tab", enabled: selected,
        key_scope: KeyScope::Joints;
    /// Selects the previous sibling node
    PreviousSibling = "select.previous_sibling",
        "Select previous sibling", menu: "Edit/Select more", enabled: selected,
        key_scope: KeyScope::Joints;
    /// Adds the parents of the selected nodes to the selection
    WithParent = "select.with_parent",
        "Add the parents", menu: "Edit/Select more", enabled: selected, key_scope: KeyScope::Joints;
    /// Adds the children of the selected nodes to the selection
    WithChild = "select.with_child",
        "Add the children", menu: "Edit/Select more", enabled: selected,
        key_scope: KeyScope::Joints;
    /// Selects all joints connected to the joint under the pointer, or to the selected joints
    Linked = "select.linked", "Select linked joints", menu: "Edit/Select more",
        key_scope: KeyScope::Joints;
    /// Selects all unselected joints and deselects the others
    Invert = "select.invert", "Invert joint selection", menu: "Edit/Select more", key: "Ctrl+I",
        key_scope: KeyScope::Joints;
    /// Selects joints in a box that you draw, even where a handle is under the pointer
    InBox = "select.box", "Select by box", menu: "Edit/Select more";
    /// Selects joints under a circle while the button is held; the wheel changes its radius
    InCircle = "select.circle", "Select by circle", menu: "Edit/Select more";
    /// Adds all descendants of the selected joints to the selection
    Below = "select.below", "Select all descendants", key: "Shift+ArrowDown", enabled: selected;
    /// Selects the limb of the selected joint
    Limb = "select.limb", "Select the limb", key: "Shift+L", enabled: selected;
    /// Selects the joints between the last two picked joints
    Chain = "select.chain", "Select the chain", key: "Shift+ArrowUp", enabled: selected;
    /// Stores the selection as a numbered selection set
    StoreSet {
        /// Number of the selection set, 0 to 9.
        set: usize,
    } = "select.store_set", "Store a selection set", asks: true, enabled: selected;
    /// Selects the nodes of a numbered selection set
    RecallSet {
        /// Number of the selection set, 0 to 9.
        set: usize,
    } = "select.recall_set", "Recall a selection set", asks: true;
    /// Selects the mirror joints of the selected joints
    Mirror = "select.mirror", "Select mirror joints", key: "Shift+Alt+M", enabled: selected;
    /// Adds the mirror joints of the selected joints to the selection
    WithMirror = "select.with_mirror",
        "Add mirror joints", menu: "Edit/Select more", key: "Shift+M", enabled: selected;
}

other_commands! {
    /// Commands on modes, and on poses in the clipboard.
    ModeCommand in "Edit/Mode and tool", by Host;

    /// Switches to Pose mode, which edits the pose of the file
    PoseMode = "mode.pose", "Pose mode", key: "1";
    /// Switches to Animate mode, which shows a clip and edits its keys
    AnimateMode = "mode.animate", "Animate mode", key: "2";
    /// Switches to Paint mode, which paints the weights of joints
    PaintMode = "mode.paint", "Paint mode", key: "3", enabled: paintable;
    /// Switches to Rig mode, which moves, orients, adds and mirrors joints in the rest pose
    RigMode = "mode.rig", "Rig mode", key: "4", enabled: opened;
    /// Switches to the next mode
    NextMode = "mode.next", "Next mode";
    /// Switches to Rig mode, or from Rig mode back to the previous mode
    RigAndBack = "mode.rig_and_back", "Rig mode and back", enabled: opened,
        key_scope: KeyScope::Joints;
    /// Switches to Pose mode, or from Pose mode back to the previous mode
    PoseAndBack = "mode.pose_and_back", "Pose mode and back", enabled: opened;
    /// Repeats the last edit on the selected nodes, at the playhead
    Repeat = "edit.repeat",
        "Repeat last edit", menu: "Edit", key: "Ctrl+R", enabled: undoable, after: "edit.redo";
    /// Turns symmetric posing on or off: mirror joints are posed along with the posed joints
    BothSides = "pose.both_sides",
        "Pose both sides alike", menu: "Edit/Posing", key: "Shift+X", enabled: opened,
        after: "tool.drag";
    /// Switches to the next pivot: individual origins, active joint, median point or custom pivot
    NextPivot = "pivot.next", "Next pivot", menu: "Edit/Posing", key: "Shift+T", enabled: opened;
    /// Sets the pivot to the surface point under the pointer, such as a fingertip or a heel
    PivotHere = "pivot.here",
        "Set the pivot under the pointer", menu: "Edit/Posing", key: "Shift+O", enabled: opened;
    /// Switches whether children follow a posed joint, stay in place, or follow but keep their
    /// rotation
    NextChildren = "children.next",
        "Next behavior of children", menu: "Edit/Posing", key: "Shift+C", enabled: opened;
    /// Turns snapping on or off; while it is on, every drag snaps to the chosen steps
    SnapDrags = "snap.toggle",
        "Snap every drag", menu: "Edit/Posing", key: "Shift+G", enabled: opened;
    /// Adds a child joint to each selected joint; the new joints follow the pointer until you click
    ExtrudeJoint = "joint.extrude",
        "Extrude joints", menu: "Rig", key: "Ctrl+E", enabled: selected;
    /// Moves the selected joints to the middle of the limb around them
    CenterJoint = "joint.center",
        "Center joints in the limb", menu: "Rig", enabled: selected, key_scope: KeyScope::Rig;
    /// Moves the active joint to the middle of the vertices that are selected in Paint mode
    JointToVertices = "joint.to_vertices",
        "Move joint to the selected vertices", menu: "Rig", enabled: with_vertices,
        key_scope: KeyScope::Rig;
    /// Copies the pose of the selected nodes to the clipboard, as text
    CopyPose = "pose.copy", "Copy pose", menu: "Pose", key: "Ctrl+C", enabled: selected,
        after: "pose.set_world";
    /// Pastes the copied pose onto the nodes of the same names, or onto the selected node
    PastePose = "pose.paste", "Paste pose", menu: "Pose", key: "Ctrl+V";
    /// Pastes the copied pose onto the selected joints only
    PasteSelected = "pose.paste_selected",
        "Paste onto the selected joints", menu: "Pose", enabled: selected, after: "pose.flip";
    /// Pastes the mirror image of the copied pose
    PasteFlipped = "pose.paste_flipped", "Paste flipped", menu: "Pose", key: "Shift+V";
    /// Pastes the mirror image of the copied pose onto the selected joints only
    PasteFlippedSelected = "pose.paste_flipped_selected",
        "Paste flipped onto the selected joints", menu: "Pose", enabled: selected;
    /// Binds meshes to joints with automatic weights, or replaces their weights; previews the
    /// result
    Bind = "skin.ask", "Bind…", menu: "Weights", enabled: opened,
        after: "material.height_to_normal";
    /// Rebinds skinned meshes with their joints in another pose; previews the changes
    Rebind = "skin.ask_rebind", "Rebind at a pose…", menu: "Weights", enabled: weighted;
}

other_commands! {
    /// Tools of the pointer. Each variant is the command that activates the tool.
    #[derive(Copy, Eq)]
    ToolCommand in "Edit/Mode and tool", by Host;

    /// Selects by clicking, without a gizmo that moves joints
    Select = "tool.select", "Select", key: "Q";
    /// Moves the selected joints; press the key again to start moving
    Move = "tool.move", "Move", key: "W";
    /// Rotates the selected joints; press the key again to start rotating
    Rotate = "tool.rotate", "Rotate", key: "E";
    /// Scales the selected joints; press the key again to start scaling
    Scale = "tool.scale", "Scale", key: "R";
    /// Moves, rotates and scales with one combined gizmo
    Combined = "tool.combined", "Move, rotate and scale", key: "Y";
    /// Drags the limb under the pointer by IK
    Drag = "tool.drag", "Drag limbs", key: "U";
    /// Adds a joint at each click, as a child of the selected joint; works in Rig mode
    Joint = "tool.joint", "Add joints", key: "Shift+J";
}

#[expect(clippy::derivable_impls, reason = "the macro that makes the enum marks no variant")]
impl Default for ToolCommand {
    fn default() -> Self {
        Self::Rotate
    }
}

impl ToolCommand {
    /// The tools for posing, in the order of the toolbar.
    pub const ALL: [Self; 6] =
        [Self::Select, Self::Move, Self::Rotate, Self::Scale, Self::Combined, Self::Drag];
    /// The tools for the skeleton, in the order of the toolbar.
    pub const RIG: [Self; 4] = [Self::Select, Self::Move, Self::Rotate, Self::Joint];
}
