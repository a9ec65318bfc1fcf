//! Commands on files and windows.

use std::path::PathBuf;

use crate::command::{
    define::other_commands,
    rules::{always, clip_shown, opened, planned, unsaved, weighted},
};

other_commands! {
    /// Commands on files and windows.
    FileCommand in "File", by Host;

    /// Opens a glTF or VRM file, or imports an FBX, DirectX .x or BVH file
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
    /// Saves the model next to its file, with the next number in the name
    SaveIncremented = "file.save_incremented",
        "Save incremented", key: "Ctrl+Alt+S", anywhere: true;
    /// Exports clips, with the model or its skeleton, to other files
    Export = "file.export", "Export…", anywhere: true;
    /// Repeats the last export to the same files
    ExportAgain = "file.export_again", "Export again", key: "Ctrl+Shift+E", anywhere: true;
    /// Renders the open clip as numbered images, an animated GIF or a contact sheet
    Pictures = "file.pictures", "Export pictures…", enabled: clip_shown, anywhere: true;
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
        "Find a command…", menu: "Edit", key: "Ctrl+P", enabled: always, anywhere: true,
        after: "file.compact";
    /// Lists all edits; click an edit to go back or forward to it
    History = "edit.history", "History", menu: "Edit", key: "Ctrl+Alt+Z";
    /// Writes all weights to a JSON file, or to XML for Maya's deformerWeights
    ExportWeights {
        /// File to write, as JSON or XML by its extension; opens a dialog if omitted.
        path: Option<PathBuf>,
    } = "weights.export",
        "Export weights…", menu: "Weights/Files", enabled: weighted, anywhere: true,
        after: "weights.import";
    /// Retargets clips of another file to this skeleton by a table of joint chains, with a preview
    Retarget {
        /// File with the clips; opens a dialog if omitted.
        path: Option<PathBuf>,
    } = "clip.retarget_page", "Retarget clips…", menu: "Clip", enabled: opened,
        after: "clip.import";
    /// Shows the planned changes of the skeleton with their effects, to apply them as one undo step
    Plan = "rig.plan", "Plan of changes…", menu: "Rig", enabled: planned, anywhere: true,
        after: "skin.split";
    /// Shows which joint is mapped to which humanoid bone, and lets you correct the map
    Humanoid = "rig.humanoid_bones", "Humanoid bones…", menu: "Rig/Humanoid", enabled: opened,
        after: "rig.skeleton_from_nodes";
    /// Saves the planned changes as a script that “ulna run” applies to other files
    SavePlan {
        /// File to write; opens a dialog if omitted.
        path: Option<PathBuf>,
    } = "rig.save_plan", "Save the plan as a script…", menu: "Rig", enabled: planned,
        anywhere: true, after: "rig.plan";
    /// Lists all commands with their keyboard shortcuts
    Commands = "help.commands",
        "Commands and keys", menu: "Help", key: "F1", enabled: always, anywhere: true,
        after: "weight_layer.paint";
    /// Opens the user guide, with a search over all its pages
    Guide = "help.guide", "Guide", menu: "Help", enabled: always, anywhere: true;
    /// Guides through five actions: pose, key, paint, undo and save; continues at the last open
    /// step
    Tour = "help.tour", "Tour", menu: "Help", enabled: always, anywhere: true;
    /// Shows the version, licenses and graphics device
    About = "help.about", "About Ulna", menu: "Help", enabled: always, anywhere: true;
}
