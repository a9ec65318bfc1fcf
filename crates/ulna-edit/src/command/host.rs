//! Commands that are not the document's: those of the open file, and those of the program around
//! it.

use std::path::PathBuf;

use super::{
    Command, HostCommand, KindName, TakenName, WhichKeys, around,
    define::other_commands,
    field::{CarryWay, ClipName, Counterparts, Meshes, Nodes, VertexTerms, choice},
    pose_layers::LayerName,
    rules::{self, *},
};
use ulna_motion::KeysBy;

other_commands! {
    /// What the open file carries out.
    SessionCommand in "Edit", by Session;

    /// Undoes the last edit
    Undo = "edit.undo", "Undo", key: "Ctrl+Z", enabled: undoable;
    /// Redoes the last undone edit
    Redo = "edit.redo", "Redo", key: "Ctrl+Shift+Z", enabled: redoable;
    /// Resets nodes to the pose of the file as opened
    ResetToFile {
        /// Nodes to edit; all if omitted.
        node: Option<Nodes>,
    } = "pose.reset_to_file",
        "Reset to the file's pose", menu: "Pose", filled: Some(around::reset_to_file);
    /// Reverts a layer, a clip, nodes or the weights of a mesh to the file as opened
    Revert {
        /// Clip to revert, or clip of the layer.
        clip: Option<ClipName>,
        /// Layer to revert.
        layer: Option<LayerName>,
        /// Nodes to revert.
        node: Option<Nodes>,
        /// Mesh whose weights to revert.
        mesh: Option<Meshes>,
    } = "edit.revert", "Revert one item", asks: true;
    /// Copies keys
    CopyKeys {
        /// Clip to edit.
        clip: ClipName,
        /// Layer whose keys to copy; the keys of the clip if omitted.
        layer: Option<LayerName>,
        /// Keys to edit.
        which: WhichKeys,
    } = "key.copy",
        "Copy keys", menu: "Clip/Edit keys", enabled: rules::keys_selected,
            filled: Some(around::copy_keys);
    /// Imports a layer of another file, matched by joint names or by body parts
    ImportLayer {
        /// File with saved layers.
        path: PathBuf,
        /// Clip of the layer in that file; a layer of its pose if omitted.
        clip: Option<ClipName>,
        /// Layer in that file; needed if there are several.
        layer: Option<LayerName>,
        /// Clip that receives the layer; the pose if omitted.
        into: Option<ClipName>,
    } = "layer.import", "Import a layer…", menu: "Pose/Layers", asks: true;
    /// Imports clips of other files, retargeted to this skeleton
    ImportClips {
        /// File, folder, or pattern such as `walks/*.glb`; opens a dialog if omitted.
        path: Option<PathBuf>,
        /// Pattern of the names of clips to import, such as `EvaluationOrder*`; all clips if
        /// omitted.
        only: Option<String>,
        /// Transfer of keys between different rest poses: `rests` retargets, `copy` copies raw
        /// values; retargeted if omitted.
        how: Option<KeysHow>,
        /// Joint map where names differ: `Bip01 Head=Head`, or `Bip01 Tail=` to skip a joint.
        counterparts: Option<Counterparts>,
        /// Action if a clip name already exists; a number is added to the name if omitted.
        taken: Option<TakenName>,
        /// Whether to import clips even if this model has less than half of their joints.
        force: Option<bool>,
    } = "clip.import", "Import clips…", menu: "Clip", key: "Ctrl+Shift+I";
    /// Imports weights from a model, JSON, or XML of Maya's deformerWeights, matched by joint names
    /// or by body parts
    ImportWeights {
        /// File to read; opens a dialog if omitted.
        path: Option<PathBuf>,
        /// Mesh or shape of that file; if omitted, meshes with the same names, or all if none
        /// match.
        from: Option<String>,
        /// Meshes that receive the weights; all if omitted.
        mesh: Option<Meshes>,
        /// Matching by nearest surface point, texture coordinates or vertex order; chosen
        /// automatically if omitted.
        by: Option<CarryWay>,
    } = "weights.import", "Import weights…", menu: "Weights/Files", enabled: rules::weighted;
}

choice! {
    /// How keys come over to a joint that rests otherwise.
    KeysHow {
        /// Through the rests.
        Rests = "rests",
        /// As they are.
        Copy = "copy",
    }
}

impl From<KeysHow> for KeysBy {
    fn from(how: KeysHow) -> Self {
        match how {
            KeysHow::Rests => Self::Rests,
            KeysHow::Copy => Self::Copy,
        }
    }
}

other_commands! {
    /// Files, and the window around them.
    FileCommand in "File", by Host;

    /// Opens a glTF, GLB or VRM file
    Open {
        /// File to open; opens a dialog if omitted.
        path: Option<PathBuf>,
    } = "file.open", "Open…", key: "Ctrl+O", enabled: always, anywhere: true;
    /// Opens the bundled mannequin
    Sample = "file.sample", "Open the sample", enabled: always, anywhere: true;
    /// Saves the changes into the file and leaves everything else in it untouched
    Save = "file.save", "Save", key: "Ctrl+S", enabled: unsaved, anywhere: true;
    /// Saves the model to another file and continues editing that file
    SaveAs {
        /// File to write; opens a dialog if omitted.
        path: Option<PathBuf>,
    } = "file.save_as", "Save as…", key: "Ctrl+Shift+S", anywhere: true;
    /// Saves a copy to another file and continues editing this file
    SaveCopy = "file.save_copy", "Save a copy…", anywhere: true;
    /// Exports clips, with the model or its skeleton, to other files
    Export = "file.export", "Export…", anywhere: true;
    /// Repeats the last export, to the same files
    ExportAgain = "file.export_again", "Export again", key: "Ctrl+Shift+E", anywhere: true;
    /// Writes all weights to a JSON file, or to XML for Maya's deformerWeights
    ExportWeights {
        /// File to write, as JSON or XML by its extension; opens a dialog if omitted.
        path: Option<PathBuf>,
    } = "weights.export",
        "Export weights…", menu: "Weights/Files", enabled: rules::weighted, anywhere: true;
    /// Renders the open clip as numbered images, an animated GIF or a contact sheet
    Pictures = "file.pictures", "Export pictures…", enabled: clip_shown, anywhere: true;
    /// Saves the model next to its file, with the next number in the name
    SaveIncremented = "file.save_incremented",
        "Save incremented", key: "Ctrl+Alt+S", anywhere: true;
    /// Discards unsaved changes and reads the file again
    Revert = "file.revert", "Revert to saved…", anywhere: true;
    /// Lists unsaved work of sessions that ended unexpectedly
    Recover = "file.recover", "Recover…", enabled: always, anywhere: true;
    /// Lists what saving will change in the file
    Changes = "file.changes", "What will change…", anywhere: true;
    /// Shows recent files and the bundled sample
    Welcome = "file.welcome", "Welcome page", enabled: always, anywhere: true;
    /// Opens the settings: theme, keys, units and view
    Preferences = "file.preferences", "Preferences…", key: "Ctrl+,", enabled: always,
        anywhere: true;
    /// Closes the window
    Quit = "file.quit", "Quit", key: "Ctrl+Q", enabled: always, anywhere: true;
    /// Finds a command by its name or description and runs it
    Find = "edit.find",
        "Find a command…", menu: "Edit", key: "Ctrl+P", enabled: always, anywhere: true;
    /// Lists all edits; click an edit to go back or forward to it
    History = "edit.history", "History", menu: "Edit", key: "Ctrl+Alt+Z";
    /// Lists every command with its key
    Commands = "help.commands",
        "Commands and keys", menu: "Help", key: "F1", enabled: always, anywhere: true;
    /// Shows a short tour of the window, on the sample
    Tour = "help.tour", "Start the tour", menu: "Help", enabled: always, anywhere: true;
    /// Shows the version, licenses and graphics device
    About = "help.about", "About Ulna", menu: "Help", enabled: always, anywhere: true;
}

other_commands! {
    /// What is selected.
    SelectCommand in "Edit", by Host;

    /// Selects every joint
    Joints = "select.joints", "Select all joints", key: "Ctrl+A";
    /// Clears the selection
    Nothing = "select.none", "Deselect all", key: "Escape", enabled: selected;
    /// Selects the parent node
    Parent = "select.parent", "Select parent", key: "ArrowUp", enabled: selected;
    /// Selects the first child node
    Child = "select.child", "Select child", key: "ArrowDown", enabled: selected;
    /// Selects the next sibling node
    Sibling = "select.sibling", "Select sibling", key: "Tab", enabled: selected;
    /// Adds all descendants of the selected joints to the selection
    Below = "select.below", "Select all descendants", key: "Shift+ArrowDown", enabled: selected;
    /// Selects the limb of the selected joint
    Limb = "select.limb", "Select the limb", key: "Shift+L", enabled: selected;
    /// Selects the joints between the last two picked joints
    Chain = "select.chain", "Select the chain", key: "Shift+ArrowUp", enabled: selected;
    /// Stores the selection as a numbered set
    StoreSet {
        /// Number of the selection set, 0 to 9.
        set: usize,
    } = "select.store_set", "Store a selection set", asks: true, enabled: selected;
    /// Selects a numbered set
    RecallSet {
        /// Number of the selection set, 0 to 9.
        set: usize,
    } = "select.recall_set", "Recall a selection set", asks: true;
    /// Selects the mirror joints of the selected joints
    Mirror = "select.mirror", "Select mirror joints", key: "Shift+M", enabled: selected;
}

other_commands! {
    /// Modes, and poses on the clipboard.
    ModeCommand in "Edit/Mode and tool", by Host;

    /// Edits the pose of the file
    PoseMode = "mode.pose", "Pose mode", key: "1";
    /// Shows a clip and edits its keys
    AnimateMode = "mode.animate", "Animate mode", key: "2";
    /// Paints the weights of joints
    PaintMode = "mode.paint", "Paint mode", key: "3", enabled: paintable;
    /// Changes to the next mode
    NextMode = "mode.next", "Next mode";
    /// Binds meshes to joints, or rebinds them; previews the changes
    Bind = "skin.ask", "Bind…", menu: "Weights", enabled: opened;
    /// Copies the poses of the selected nodes, as text
    CopyPose = "pose.copy", "Copy pose", menu: "Pose", key: "Ctrl+C", enabled: selected;
    /// Pastes the copied pose onto the nodes of the same names, or onto the selected node
    PastePose = "pose.paste", "Paste pose", menu: "Pose", key: "Ctrl+V";
    /// Pastes the copied pose onto the selected joints only
    PasteSelected = "pose.paste_selected",
        "Paste onto the selected joints", menu: "Pose", enabled: selected;
    /// Pastes the mirror image of the copied pose
    PasteFlipped = "pose.paste_flipped", "Paste flipped", menu: "Pose", key: "Shift+V";
    /// Pastes the mirror image of the copied pose onto the selected joints only
    PasteFlippedSelected = "pose.paste_flipped_selected",
        "Paste flipped onto the selected joints", menu: "Pose", enabled: selected;
    /// Poses the mirror joints along with the posed joints
    BothSides = "pose.both_sides",
        "Pose both sides alike", menu: "Edit/Posing", key: "Shift+X", enabled: opened;
    /// Chooses the pivot: each joint, the last picked joint, the center of all, or a set point
    NextPivot = "pivot.next", "Next pivot", menu: "Edit/Posing", key: "Shift+T", enabled: opened;
    /// Sets the pivot to the surface point under the pointer, such as a fingertip or a heel
    PivotHere = "pivot.here",
        "Set the pivot under the pointer", menu: "Edit/Posing", key: "Shift+O", enabled: opened;
    /// Chooses whether children follow a posed joint, stay in place, or keep their angle
    NextChildren = "children.next",
        "Next behavior of children", menu: "Edit/Posing", key: "Shift+C", enabled: opened;
    /// Turns snapping on or off: every drag then moves in the chosen steps
    SnapDrags = "snap.toggle",
        "Snap every drag", menu: "Edit/Posing", key: "Shift+G", enabled: opened;
}

other_commands! {
    /// The pointer's tools, each by the command that takes it up.
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
}

impl Default for ToolCommand {
    fn default() -> Self {
        Self::Rotate
    }
}

impl ToolCommand {
    /// All tools, in the order of the toolbar.
    pub const ALL: [Self; 6] =
        [Self::Select, Self::Move, Self::Rotate, Self::Scale, Self::Combined, Self::Drag];
}

other_commands! {
    /// How the model is looked at, and what is shown.
    ViewCommand in "View", by Host;

    /// Moves the keyboard focus to the next panel
    NextPanel = "view.next_panel",
        "Next panel", menu: "View/Panels", key: "F6", enabled: always, anywhere: true;
    /// Moves the keyboard focus to the previous panel
    PreviousPanel = "view.previous_panel",
        "Previous panel", menu: "View/Panels", key: "Shift+F6", enabled: always, anywhere: true;
    /// Opens the menu bar for the keyboard; choose with arrow keys and letters
    MenuBar = "view.menu_bar",
        "Menu bar", menu: "View/Panels", key: "F10", enabled: always, anywhere: true;
    /// Shows the whole model
    FrameAll = "view.frame_all", "Frame all", key: "A";
    /// Shows what is selected
    FrameSelected = "view.frame_selected", "Frame selected", key: "F", enabled: selected;
    /// Switches between perspective and orthographic view
    Perspective = "view.perspective", "Perspective", menu: "View/Look from", key: "5";
    /// Looks along −Z
    Front = "view.front", "Front", menu: "View/Look from", key: "Shift+1";
    /// Looks along +Z
    Back = "view.back", "Back", menu: "View/Look from";
    /// Looks along −X
    Side = "view.side", "Right side", menu: "View/Look from", key: "Shift+2";
    /// Looks along +X
    OtherSide = "view.other_side", "Left side", menu: "View/Look from";
    /// Looks down
    Top = "view.top", "Top", menu: "View/Look from", key: "Shift+3";
    /// Looks up from below
    Bottom = "view.bottom", "Bottom", menu: "View/Look from";
    /// Looks from the front, slightly from one side and from above
    ThreeQuarter = "view.three_quarter", "Three-quarter", menu: "View/Look from";
    /// Looks through the next camera of the file
    Camera {
        /// Camera to look through; the next one if omitted.
        node: Option<Nodes>,
    } = "view.camera", "Next camera", menu: "View/Look from", enabled: with_camera;
    /// Shows surfaces with their materials
    Textured = "view.textured", "Textured", menu: "View/Surfaces";
    /// Shows surfaces in plain gray, without materials
    Solid = "view.solid", "Solid", menu: "View/Surfaces";
    /// Shows the edges of surfaces
    Wireframe = "view.wireframe", "Wireframe", menu: "View/Surfaces";
    /// Shows surfaces semi-transparent
    XRay = "view.xray", "X-ray", menu: "View/Surfaces";
    /// Lights the model with the lights of the file
    Lights = "view.lights", "Use lights of the file", menu: "View/Surfaces", enabled: with_lights;
    /// Shows or hides the ground grid
    Grid = "view.grid", "Grid", menu: "View/Overlays";
    /// Shows or hides the joints
    Joints = "view.joints", "Joints", menu: "View/Overlays";
    /// Shows or hides the joints' names
    Names = "view.names", "Joint names", menu: "View/Overlays";
    /// Shows or hides the joints' axes
    Axes = "view.axes", "Joint axes", menu: "View/Overlays";
    /// Shows names and axes of the selected joints only
    OfSelected = "view.of_selected",
        "Names and axes of selected joints only", menu: "View/Overlays";
    /// Draws joints as sticks instead of octahedra
    Sticks = "view.sticks", "Joints as sticks", menu: "View/Overlays";
    /// Shows only joints with vertex weights
    Deforming = "view.deforming", "Deforming joints only", menu: "View/Overlays";
    /// Shows or hides pins
    Pins = "view.pins", "Pins", menu: "View/Overlays";
    /// Shows the center of mass, its path over the clip, and the support area
    Balance = "view.balance", "Balance", menu: "View/Overlays";
    /// Shows the motion path of the selected joints; its keys can be dragged
    MotionPaths = "view.motion_paths", "Motion paths", menu: "View/Overlays", key: "Alt+P";
    /// Shows the model at earlier and later times, as ghosts
    OnionSkin = "view.onion_skin", "Onion skin", menu: "View/Overlays", key: "Alt+O";
    /// Compares with the file as opened: in place, as a ghost, or off; hold ` to peek
    Compare = "view.compare", "Compare with the file as opened", menu: "View/Overlays";
    /// Hides the selected nodes and their descendants
    Hide = "view.hide", "Hide", key: "H", enabled: selected;
    /// Shows every node again
    ShowAll = "view.show_all", "Show all", key: "Alt+H";
    /// Hides all other nodes of the same kind as the selected ones
    Isolate = "view.isolate", "Isolate", key: "Shift+H", enabled: selected;
    /// Locks or unlocks the selected nodes; locked nodes cannot be picked or posed
    Lock = "view.lock", "Lock or unlock", enabled: selected;
    /// Shows or hides the outliner
    Outliner = "view.outliner", "Outliner", menu: "View/Panels", key: "Ctrl+1";
    /// Shows or hides the inspector
    Inspector = "view.inspector", "Inspector", menu: "View/Panels", key: "Ctrl+2";
    /// Shows or hides the list of problems of the file
    Problems = "view.problems", "Problems", menu: "View/Panels", key: "Ctrl+3";
    /// Shows or hides the timeline
    Timeline = "view.timeline", "Timeline", menu: "View/Panels", key: "Ctrl+4";
    /// Switches between the dark and the light theme
    Theme = "view.theme", "Switch theme", menu: "View/Window", enabled: always, anywhere: true;
    /// Enlarges text and controls of the window
    Larger = "view.larger",
        "Larger interface", menu: "View/Window", key: "Ctrl+=", enabled: always, anywhere: true;
    /// Reduces text and controls of the window
    Smaller = "view.smaller",
        "Smaller interface", menu: "View/Window", key: "Ctrl+-", enabled: always, anywhere: true;
    /// Shows text and controls of the window at 100 %
    NormalSize = "view.normal_size",
        "Normal interface size", menu: "View/Window", key: "Ctrl+0", enabled: always,
            anywhere: true;
    /// Resets the layout of all panels
    ResetLayout = "view.reset_layout", "Reset layout", menu: "View/Panels";
}

other_commands! {
    /// The playhead.
    #[derive(Eq)]
    PlayCommand in "Clip/Play", by Host;

    /// Plays the clip from the playhead, or stops
    Toggle = "play.toggle", "Play or pause", key: "Space", enabled: clip_shown;
    /// Plays the clip backward from the playhead, or stops
    Reverse = "play.reverse", "Play backward", key: "Shift+Space", enabled: clip_shown;
    /// Shows the gap of a loop and previews its repair
    RepairLoop = "clip.repair_loop", "Repair loop…", enabled: clip_shown;
    /// Shows the mixer, which blends clips on lanes
    Mixer = "mix.show", "Mixer", key: "Alt+X";
    /// Chooses what happens at the end: loop, back and forth, or stop
    Loop = "play.loop", "Loop", enabled: clip_shown;
    /// Shows every frame instead of keeping real time
    EveryFrame = "play.every_frame", "Play every frame", enabled: clip_shown;
    /// Plays with stepped keys: each pose is held until the next key
    Stepped = "play.stepped", "Play stepped", enabled: clip_shown;
    /// Interpolates rotations by NLERP, as older players do, instead of SLERP
    Nlerp = "play.nlerp", "Play with NLERP", enabled: clip_shown;
    /// Starts the play range at the playhead
    RangeStart = "play.range_start", "Play from here", key: "Ctrl+ArrowLeft", enabled: clip_shown;
    /// Ends the play range at the playhead
    RangeEnd = "play.range_end", "Play to here", key: "Ctrl+ArrowRight", enabled: clip_shown;
    /// Clears the play range
    NoRange = "play.range_clear", "Play the whole clip", enabled: clip_shown;
    /// Moves the playhead one frame forward
    NextFrame = "play.next_frame", "Next frame", key: "ArrowRight", enabled: clip_shown;
    /// Moves the playhead one frame back
    PreviousFrame = "play.previous_frame", "Previous frame", key: "ArrowLeft", enabled: clip_shown;
    /// Moves the playhead to the next key
    NextKey = "play.next_key", "Next key", key: ".", enabled: clip_shown;
    /// Moves the playhead to the previous key
    PreviousKey = "play.previous_key", "Previous key", key: ",", enabled: clip_shown;
    /// Moves the playhead to 0
    Start = "play.start", "Clip start", key: "Home", enabled: clip_shown;
    /// Moves the playhead to the last key
    End = "play.end", "Clip end", key: "End", enabled: clip_shown;
}

other_commands! {
    /// Keys on the timeline: which are selected, and moves that follow the pointer.
    TimelineCommand in "Clip/Edit keys", by Host;

    /// Sets a key of the translation only
    KeyTranslation = "keying.translation",
        "Key the translation", menu: "Clip/Set keys", key: "Shift+W", enabled: key_set;
    /// Sets a key of the rotation only
    KeyRotation = "keying.rotation",
        "Key the rotation", menu: "Clip/Set keys", key: "Shift+E", enabled: key_set;
    /// Sets a key of the scale only
    KeyScale = "keying.scale",
        "Key the scale", menu: "Clip/Set keys", key: "Shift+R", enabled: key_set;
    /// Sets keys of translation, rotation and scale
    KeyAll = "keying.all", "Key all channels", menu: "Clip/Set keys", enabled: key_set;
    /// Sets keys for the limbs of the selected joints
    KeyLimb = "keying.limb", "Key the limb", menu: "Clip/Set keys", enabled: key_set;
    /// Sets keys for all joints that the clip animates
    KeyCharacter = "keying.character",
        "Key the whole character", menu: "Clip/Set keys", key: "Ctrl+Shift+K", enabled: clip_shown;
    /// Lets you choose a range on the ruler and holds the selected hand or foot in place there
    HoldRange = "timeline.hold", "Hold over a range", menu: "Pose", enabled: joint_over_clip;
    /// Moves the selected keys with the pointer until the next click; digits type frames
    Grab = "timeline.move", "Move", key: "W", enabled: keys_selected;
    /// Moves the selected keys with the pointer; later ones follow
    Ripple = "timeline.ripple", "Ripple move", key: "E", enabled: keys_selected;
    /// Scales the selected keys about the playhead with the pointer
    Stretch = "timeline.scale", "Scale about the playhead", key: "R", enabled: keys_selected;
    /// Copies the selected keys and moves the copies with the pointer
    Duplicate = "timeline.duplicate", "Duplicate", key: "Ctrl+D", enabled: keys_selected;
    /// Moves the selected keys one frame later
    NudgeLater = "timeline.later", "One frame later", key: "Alt+ArrowRight", enabled: keys_selected;
    /// Moves the selected keys one frame earlier
    NudgeEarlier = "timeline.earlier",
        "One frame earlier", key: "Alt+ArrowLeft", enabled: keys_selected;
    /// Sets the interpolation of the selected keys
    Interpolation = "timeline.interpolation", "Interpolation…", key: "T", enabled: keys_selected;
    /// Sets the tangents of the selected keys
    Tangents = "timeline.tangents", "Tangents…", key: "V", enabled: keys_selected;
    /// Marks the selected keys as extremes, breakdowns or in-betweens
    Kind = "timeline.kind", "Kind of keys…", key: "Shift+K", enabled: keys_selected;
    /// Shifts the selected tracks around the loop with the pointer
    Offset = "timeline.offset", "Offset in the loop", enabled: keys_selected;
    /// Selects the keys inside a lasso that you draw
    Lasso = "timeline.lasso", "Select keys by lasso", menu: "Clip/Select keys", enabled: clip_shown;
    /// Pastes the copied keys mirrored onto the mirror joints, at the playhead
    PasteFlipped = "timeline.paste_flipped",
        "Paste keys flipped", key: "Shift+V", enabled: clip_shown;
    /// Shows the whole clip
    FitAll = "timeline.fit", "Fit the clip", menu: "Clip/Timeline", key: "A", enabled: clip_shown;
    /// Shows the selected keys
    FitSelected = "timeline.fit_selected",
        "Fit the selected keys", menu: "Clip/Timeline", key: "F", enabled: keys_selected;
    /// Selects all keys of the clip
    All = "keys.all",
        "Select all keys", menu: "Clip/Select keys", key: "Ctrl+A", enabled: clip_shown;
    /// Deselects all keys
    Nothing = "keys.none", "Deselect all keys", menu: "Clip/Select keys", enabled: keys_selected;
    /// Inverts the selection of keys
    Invert = "keys.invert",
        "Invert key selection", menu: "Clip/Select keys", key: "Ctrl+I", enabled: clip_shown;
    /// Selects all keys at the times of the selected keys
    Column = "keys.column",
        "Select keys at the same times", menu: "Clip/Select keys", key: "K", enabled: keys_selected;
    /// Selects all keys at the playhead and before it
    Before = "keys.before",
        "Select keys before the playhead", menu: "Clip/Select keys", key: "[", enabled: clip_shown;
    /// Selects all keys at the playhead and after it
    After = "keys.after",
        "Select keys after the playhead", menu: "Clip/Select keys", key: "]", enabled: clip_shown;
    /// Selects all keys of the selected joints
    OfJoints = "keys.of_joints",
        "Select keys of the selected joints", menu: "Clip/Select keys", enabled: key_set;
    /// Adds all later keys of the same tracks to the selection
    Extend = "keys.extend",
        "Extend key selection to the end", menu: "Clip/Select keys", enabled: keys_selected;
    /// Selects all keys of the same kind as the selected keys: extreme, breakdown, in-between or
    /// none
    SameKind = "keys.same_kind",
        "Select keys of the same kind", menu: "Clip/Select keys", enabled: keys_selected;
    /// Selects all keys of the same tracks that have the same values
    SameValue = "keys.same_value",
        "Select keys with the same value", menu: "Clip/Select keys", enabled: keys_selected;
    /// Selects keys that are extremes, breakdowns, in-betweens, or none of these
    OfKind {
        /// Kind of the keys.
        kind: KindName,
    } = "keys.of_kind",
        "Select keys by kind", menu: "Clip/Select keys", asks: true, enabled: clip_shown;
    /// Selects keys by a range of values, of the selected joints if there are any
    InRange {
        /// Lowest value; degrees for rotations.
        from: f32,
        /// Highest value.
        to: f32,
        /// Component of the value, 0 for x; any component if omitted.
        component: Option<usize>,
    } = "keys.in_range",
        "Select keys by value", menu: "Clip/Select keys", asks: true, enabled: clip_shown;
}

other_commands! {
    /// The brush, and how weights are shown.
    BrushCommand in "Weights/Brush", by Host;

    /// Changes the radius of the brush by moving the pointer
    Radius = "paint.radius", "Radius", key: "B", enabled: painting;
    /// Changes the strength of the brush by moving the pointer
    Strength = "paint.strength", "Strength", key: "Shift+B", enabled: painting;
    /// Changes the painted weight value by moving the pointer
    Value = "paint.value", "Value", key: "Ctrl+B", enabled: painting;
    /// Makes the brush one step smaller
    Smaller = "paint.smaller", "Smaller brush", key: "[", enabled: painting;
    /// Makes the brush one step larger
    Larger = "paint.larger", "Larger brush", key: "]", enabled: painting;
    /// Applies the brush to the whole surface
    Flood = "paint.flood", "Flood", key: "Shift+F", enabled: painting_joint;
    /// Locks the weights of the painted joint
    Lock = "paint.lock", "Lock the joint", key: "L", enabled: painting_joint;
    /// Unlocks the weights of all joints
    UnlockAll = "paint.unlock_all", "Unlock all joints", enabled: painting;
    /// Sets the value of the brush to the weight under the pointer
    Sample = "paint.sample", "Sample the weight", key: "I", enabled: painting;
    /// Paints the mirror joint on the other side as well
    Mirror = "paint.mirror", "Mirror", key: "X", enabled: painting;
    /// Finds the worst deformations in all clips and a range of motion
    Worst = "weights.worst", "Find the worst pose", menu: "Weights", enabled: painting;
    /// Shows the next of the worst deformations that were found
    NextSpot = "paint.next_spot",
        "Next worst deformation", menu: "Weights", key: "N", enabled: painting;
    /// Shows the previous one of the worst deformations that were found
    PreviousSpot = "paint.previous_spot",
        "Previous worst deformation", menu: "Weights", key: "Shift+N", enabled: painting;
    /// Selects the next influence of the point under the brush, strongest first
    NextInfluence = "paint.next_influence", "Next influence", key: "J", enabled: painting;
    /// Selects the previous influence of the point under the brush
    PreviousInfluence = "paint.previous_influence",
        "Previous influence", key: "Shift+J", enabled: painting;
    /// Shows rings to bend the painted joint while the key is held; press the key briefly to keep
    /// the rings
    Bend = "paint.bend", "Bend the joint", menu: "Weights", key: "R", enabled: painting_joint;
    /// Resets all joints that were bent while painting
    Unbend = "paint.unbend", "Unbend", menu: "Weights", key: "Alt+R", enabled: painting;
    /// Plays a test clip that bends every joint in turn
    Range = "weights.range", "Range of motion", menu: "Weights", enabled: painting;
    /// Switches to the next display of weights
    Look = "weights.look", "Next weight view", enabled: painting;
}

other_commands! {
    /// The selection of vertices.
    VertexCommand in "Weights/Vertices", by Host;

    /// Selects every vertex of the painted surface
    All = "vertices.all", "Select all vertices", enabled: painting;
    /// Deselects all vertices
    Nothing = "vertices.none", "Deselect all vertices", enabled: painting;
    /// Selects all unselected vertices and deselects the others
    Invert = "vertices.invert", "Invert the selection", enabled: painting;
    /// Adds all neighboring vertices to the selection
    Grow = "vertices.grow", "Grow", enabled: with_vertices;
    /// Removes the boundary vertices from the selection
    Shrink = "vertices.shrink", "Shrink", enabled: with_vertices;
    /// Selects all vertices connected to the selection
    Linked = "vertices.linked", "Select linked", enabled: with_vertices;
    /// Selects the edge loops through the selection
    Loop = "vertices.loop", "Select the loop", enabled: with_vertices;
    /// Selects the edge rings through the selection
    Ring = "vertices.ring", "Select the ring", enabled: with_vertices;
    /// Grows the selection along its edge loops
    GrowLoop = "vertices.grow_loop", "Grow along the loop", enabled: with_vertices;
    /// Selects the mirror vertices of the selected vertices
    Mirror = "vertices.mirror", "Mirror the selection", enabled: with_vertices;
    /// Selects all vertices of the selected meshes, or of the last one under the brush
    Mesh = "vertices.mesh", "Select the whole mesh", enabled: painting;
    /// Selects vertices by numbers and ranges, such as 0-99, 120, or by a query, such as of LeftArm
    /// 0.2..0.8 | grow 2
    Choose {
        /// Vertices to select.
        vertices: VertexTerms,
        /// Whether to add them to the selection.
        add: Option<bool>,
    } = "vertices.select", "Select by number…", asks: true, enabled: painting;
    /// Selects the vertices with a weight of the painted joint
    OfJoint = "vertices.of_joint", "Select influenced vertices", enabled: painting;
    /// Selects vertices by the weight of the painted joint
    InRange {
        /// Lowest weight.
        from: f32,
        /// Highest weight.
        to: f32,
        /// Joint whose weights are compared; the painted joint if omitted.
        joint: Option<Nodes>,
    } = "vertices.in_range", "Select by weight", asks: true, enabled: painting;
    /// Selects vertices with invalid weights, such as weights that do not sum to 1
    Faulty = "vertices.faulty", "Select faulty vertices", enabled: painting;
    /// Selects outliers, whose weights differ from all their neighbors
    Stray = "vertices.stray", "Select outliers", enabled: painting;
    /// Selects vertices at boundary edges: borders of holes and open surfaces
    Open = "vertices.open", "Select boundary edges", enabled: painting;
    /// Selects vertices at non-manifold edges, which have three or more triangles
    Crowded = "vertices.crowded", "Select non-manifold edges", enabled: painting;
    /// Selects vertices of duplicate triangles
    Doubled = "vertices.doubled", "Select duplicate triangles", enabled: painting;
    /// Selects vertices without a matching vertex on the other side
    Unpaired = "vertices.unpaired", "Select vertices without a mirror match", enabled: painting;
    /// Copies the mean weights of the selected vertices, or the weights under the brush
    Copy = "vertices.copy", "Copy weights", enabled: painting;
    /// Copies the weights of each selected vertex as a table for a spreadsheet
    CopyEach = "vertices.copy_each", "Copy weights per vertex", enabled: with_vertices;
    /// Pastes the copied weights, or the table on the clipboard, onto the selected vertices
    Paste = "vertices.paste", "Paste weights", enabled: painting;
}

impl From<SessionCommand> for Command {
    fn from(command: SessionCommand) -> Self {
        Self::Session(command)
    }
}

/// The families that a host carries out.
macro_rules! of_host {
    ($($family:ident as $variant:ident),*) => {
        $(impl From<$family> for Command {
            fn from(command: $family) -> Self {
                Self::Host(HostCommand::$variant(command))
            }
        })*
    };
}

of_host!(
    FileCommand as File,
    SelectCommand as Select,
    ModeCommand as Mode,
    ToolCommand as Tool,
    ViewCommand as View,
    PlayCommand as Play,
    TimelineCommand as Timeline,
    BrushCommand as Brush,
    VertexCommand as Vertices
);
