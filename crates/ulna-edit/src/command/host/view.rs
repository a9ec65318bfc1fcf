//! Commands on the view and on playback.

use crate::command::{
    KeyScope,
    define::other_commands,
    field::{Nodes, Panel},
    rules::{
        always, any_selected, clip_shown, keys_selected, own_workspace, selected, with_camera,
        with_lights,
    },
};

other_commands! {
    /// Commands on the camera, the display of the model, and the panels.
    ViewCommand in "View", by Host;

    /// Moves the camera to show the whole model
    FrameAll = "view.frame_all", "Frame all", key: "A";
    /// Moves the camera to show the selection
    FrameSelected = "view.frame_selected", "Frame selected", key: "F", enabled: any_selected;
    /// Switches between perspective and orthographic view
    Perspective = "view.perspective", "Perspective", menu: "View/Look from", key: "5";
    /// Looks at the model from the front, along −Z
    Front = "view.front", "Front", menu: "View/Look from", key: "Shift+1";
    /// Looks at the model from the back, along +Z
    Back = "view.back", "Back", menu: "View/Look from";
    /// Looks from the right of the front view, along −X
    Side = "view.side", "Right side", menu: "View/Look from", key: "Shift+2";
    /// Looks from the left of the front view, along +X
    OtherSide = "view.other_side", "Left side", menu: "View/Look from";
    /// Looks down at the model from above
    Top = "view.top", "Top", menu: "View/Look from", key: "Shift+3";
    /// Looks up at the model from below
    Bottom = "view.bottom", "Bottom", menu: "View/Look from";
    /// Looks at the model from the front, slightly from one side and from above
    ThreeQuarter = "view.three_quarter", "Three-quarter", menu: "View/Look from";
    /// Looks at the model from the opposite side
    Opposite = "view.opposite", "Opposite side", menu: "View/Look from";
    /// Turns the view 15° to the left
    OrbitLeft = "view.orbit_left", "Orbit left", menu: "View/Look from";
    /// Turns the view 15° to the right
    OrbitRight = "view.orbit_right", "Orbit right", menu: "View/Look from";
    /// Turns the view 15° up
    OrbitUp = "view.orbit_up", "Orbit up", menu: "View/Look from";
    /// Turns the view 15° down
    OrbitDown = "view.orbit_down", "Orbit down", menu: "View/Look from";
    /// Moves the camera closer
    ZoomIn = "view.zoom_in", "Zoom in", menu: "View/Look from";
    /// Moves the camera away
    ZoomOut = "view.zoom_out", "Zoom out", menu: "View/Look from";
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
    /// Opens a list at the pointer to choose the shading of surfaces
    ShadingMenu = "view.shading", "Choose the shading…", menu: "View/Surfaces";
    /// Shows the next background color: that of the theme, light gray, dark gray or black
    Background = "view.background", "Next background", menu: "View/Surfaces", key: "Alt+B";
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
    /// Compares the model with the file as opened: in place, as a ghost, or off; hold the backtick
    /// key to peek
    Compare = "view.compare", "Compare with the file as opened", menu: "View/Overlays";
    /// Enlarges the handles of the tools
    LargerGizmo = "view.gizmo_larger", "Larger handles", menu: "View/Overlays", key: "Plus";
    /// Reduces the handles of the tools
    SmallerGizmo = "view.gizmo_smaller", "Smaller handles", menu: "View/Overlays", key: "-";
    /// Hides the selected nodes and their descendants
    Hide = "view.hide", "Hide", key: "H", enabled: any_selected;
    /// Shows all hidden nodes again
    ShowAll = "view.show_all", "Show all", key: "Alt+H";
    /// Hides all other joints or meshes, of the same kind as the selected nodes
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
    /// Moves the keyboard focus to the next panel
    NextPanel = "view.next_panel",
        "Next panel", menu: "View/Panels", key: "F6", enabled: always, anywhere: true;
    /// Moves the keyboard focus to the previous panel
    PreviousPanel = "view.previous_panel",
        "Previous panel", menu: "View/Panels", key: "Shift+F6", enabled: always, anywhere: true;
    /// Opens the menu bar for the keyboard; choose with arrow keys and letters
    MenuBar = "view.menu_bar",
        "Menu bar", menu: "View/Panels", key: "F10", enabled: always, anywhere: true;
    /// Opens the menus of the menu bar at the pointer
    MenusHere = "view.menus", "Menus at the pointer", menu: "View/Panels";
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
    /// Enlarges a panel to the whole window, or shows all panels again
    MaximizePanel {
        /// Panel to maximize; the one under the pointer if omitted.
        panel: Option<Panel>,
    } = "view.maximize_panel", "Maximize panel", menu: "View/Panels", key: "Ctrl+Space";
    /// Undocks a panel, so that it floats over the others, or docks it again
    FloatPanel {
        /// Panel to float; the one under the pointer if omitted.
        panel: Option<Panel>,
    } = "view.float_panel", "Float or dock panel", menu: "View/Panels", key: "Ctrl+Shift+Space";
    /// Shows the next workspace
    NextWorkspace = "view.next_workspace",
        "Next workspace", menu: "View/Workspace", key: "Ctrl+PageDown";
    /// Shows the previous workspace
    PreviousWorkspace = "view.previous_workspace",
        "Previous workspace", menu: "View/Workspace", key: "Ctrl+PageUp";
    /// Restores the original or saved arrangement of the panels in this workspace
    ResetLayout = "view.reset_layout", "Reset workspace", menu: "View/Workspace";
    /// Deletes a saved workspace
    DeleteWorkspace {
        /// Workspace to delete; the current one if omitted.
        workspace: Option<String>,
    } = "view.delete_workspace", "Delete workspace", menu: "View/Workspace",
        enabled: own_workspace;
    /// Arranges the panels as saved in a workspace
    Workspace {
        /// Workspace to show.
        workspace: String,
    } = "view.workspace", "Show workspace", menu: "View/Workspace", asks: true;
    /// Saves the arrangement of the panels as a workspace; replaces a saved workspace of the same
    /// name
    SaveWorkspace {
        /// Name of the workspace.
        name: String,
    } = "view.save_workspace", "Save workspace", menu: "View/Workspace", asks: true;
    /// Renames a saved workspace
    RenameWorkspace {
        /// New name.
        name: String,
        /// Workspace to rename; the current one if omitted.
        workspace: Option<String>,
    } = "view.rename_workspace", "Rename workspace", menu: "View/Workspace", asks: true,
        enabled: own_workspace;
}

other_commands! {
    /// Commands on playback and on the playhead.
    #[derive(Eq)]
    PlayCommand in "Clip/Play", by Host;

    /// Plays the clip from the playhead, or stops
    Toggle = "play.toggle", "Play or pause", key: "Space", enabled: clip_shown;
    /// Plays the clip backward from the playhead, or stops
    Reverse = "play.reverse", "Play backward", key: "Shift+Space", enabled: clip_shown;
    /// Chooses what happens at the end: loop, back and forth, or stop
    Loop = "play.loop", "Loop", enabled: clip_shown;
    /// Plays every frame, even if playback is then slower than real time
    EveryFrame = "play.every_frame", "Play every frame", enabled: clip_shown;
    /// Plays with stepped keys: each pose is held until the next key
    Stepped = "play.stepped", "Play stepped", enabled: clip_shown;
    /// Interpolates rotations by NLERP, as older players do, instead of SLERP
    Nlerp = "play.nlerp", "Play with NLERP", enabled: clip_shown;
    /// Starts the play range at the playhead
    RangeStart = "play.range_start", "Play from here", key: "Ctrl+ArrowLeft", enabled: clip_shown;
    /// Ends the play range at the playhead
    RangeEnd = "play.range_end", "Play to here", key: "Ctrl+ArrowRight", enabled: clip_shown;
    /// Plays the range of the selected keys only
    RangeOfKeys = "play.range_keys", "Play the selected keys", enabled: keys_selected,
        key_scope: KeyScope::Timeline;
    /// Clears the play range
    NoRange = "play.range_clear", "Play the whole clip", enabled: clip_shown,
        key_scope: KeyScope::Timeline;
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
    /// Moves the playhead to a frame
    GoTo {
        /// Frame to show, counted from 0 at the frame rate of the timeline.
        frame: usize,
    } = "play.go_to", "Go to frame", asks: true, enabled: clip_shown;
    /// Shows the gap between the end and the start of a loop, and previews its repair
    RepairLoop = "clip.repair_loop", "Repair loop…", enabled: clip_shown, after: "clip.close_loop";
    /// Shows the mixer, which blends clips on lanes
    Mixer = "mix.show", "Mixer", key: "Alt+X", after: "clip.footfalls";
}
