//! The table: every command there is. Menus, keys, help, the palette, scripts and `ulna commands` read it.

mod painting;

use std::sync::LazyLock;

use super::{Availability, CommandSpec, Doer, Kind, clips, command::ArgumentSpec, keys, morphs, pose};

/// All commands, in the order of the menus.
pub fn table() -> &'static [CommandSpec] {
    static TABLE: LazyLock<Vec<CommandSpec>> = LazyLock::new(|| {
        [file(), edit(), view(), poses(), clip(), painting::weights(), painting::layers(), help()].concat()
    });
    &TABLE
}

/// The command of a name.
pub fn find(name: &str) -> Option<&'static CommandSpec> {
    table().iter().find(|c| c.name == name)
}

const fn need(name: &'static str, kind: Kind) -> ArgumentSpec {
    ArgumentSpec { name, kind, required: true }
}

const fn may(name: &'static str, kind: Kind) -> ArgumentSpec {
    ArgumentSpec { name, kind, required: false }
}

const fn host(
    name: &'static str,
    title: &'static str,
    help: &'static str,
    menu: &'static str,
    key: &'static str,
) -> CommandSpec {
    CommandSpec { name, title, help, menu, key, arguments: &[], asks: false, enabled: opened, doer: Doer::Host }
}

const fn always(_: &Availability) -> Result<(), &'static str> {
    Ok(())
}

const fn opened(a: &Availability) -> Result<(), &'static str> {
    if a.document { Ok(()) } else { Err("No file is open") }
}

const fn morphing(a: &Availability) -> Result<(), &'static str> {
    if a.morphs { Ok(()) } else { Err("The file has no morph targets") }
}

const fn selected(a: &Availability) -> Result<(), &'static str> {
    if a.nodes > 0 { Ok(()) } else { Err("Nothing is selected") }
}

const fn clip_shown(a: &Availability) -> Result<(), &'static str> {
    if a.clip_shown { Ok(()) } else { Err("No clip is shown; choose one on the timeline") }
}

const fn key_set(a: &Availability) -> Result<(), &'static str> {
    match (a.clip_shown, a.nodes > 0 || a.unkeyed) {
        (false, _) => Err("No clip is shown; choose one on the timeline"),
        (_, false) => Err("Nothing is selected"),
        _ => Ok(()),
    }
}

fn file() -> Vec<CommandSpec> {
    vec![
        CommandSpec {
            arguments: const { &[may("path", Kind::Path)] },
            enabled: always,
            ..host("file.open", "Open…", "Opens a glTF, GLB or VRM file", "File", "Ctrl+O")
        },
        CommandSpec {
            enabled: always,
            ..host("file.sample", "Open the sample", "Opens the bundled mannequin", "File", "")
        },
        CommandSpec {
            doer: Doer::Host,
            enabled: |a| match (a.document, a.unsaved) {
                (false, _) => Err("No file is open"),
                (_, false) => Err("Everything is saved"),
                _ => Ok(()),
            },
            ..host("file.save", "Save", "Writes the changes, and only those, into the file", "File", "Ctrl+S")
        },
        CommandSpec {
            arguments: const { &[may("path", Kind::Path)] },
            ..host("file.save_as", "Save as…", "Writes the model to another file", "File", "Ctrl+Shift+S")
        },
        host("file.save_copy", "Save a copy…", "Writes the model to another file and stays with this one", "File", ""),
        host(
            "file.save_incremented",
            "Save incremented",
            "Writes the model beside its file, with the next number in the name",
            "File",
            "Ctrl+Alt+S",
        ),
        host("file.revert", "Revert to saved…", "Throws away what is not saved, and reads the file again", "File", ""),
        CommandSpec {
            enabled: always,
            ..host("file.recover", "Recover…", "Lists work that a crash left in the journal", "File", "")
        },
        host("file.changes", "What will change…", "Lists what saving will change in the file", "File", ""),
        CommandSpec {
            enabled: always,
            ..host("file.welcome", "Welcome page", "Shows recent files and the sample", "File", "")
        },
        CommandSpec {
            enabled: always,
            ..host("file.preferences", "Preferences…", "Theme, keys, units and view", "File", "Ctrl+,")
        },
        CommandSpec { enabled: always, ..host("file.quit", "Quit", "Closes the window", "File", "Ctrl+Q") },
    ]
}

fn edit() -> Vec<CommandSpec> {
    vec![
        CommandSpec {
            doer: Doer::Session,
            enabled: |a| if a.undo { Ok(()) } else { Err("Nothing was done yet") },
            ..host("edit.undo", "Undo", "Takes the last change back", "Edit", "Ctrl+Z")
        },
        CommandSpec {
            doer: Doer::Session,
            enabled: |a| if a.redo { Ok(()) } else { Err("Nothing was undone") },
            ..host("edit.redo", "Redo", "Does the change again that was undone", "Edit", "Ctrl+Shift+Z")
        },
        CommandSpec {
            arguments: const { &[need("node", Kind::Node), need("name", Kind::Text)] },
            doer: Doer::Document(clips::rename_node),
            enabled: selected,
            ..host("node.rename", "Rename node", "Gives a node another name", "Edit", "F2")
        },
        CommandSpec {
            enabled: always,
            ..host("edit.find", "Find a command…", "Finds a command by its words and runs it", "Edit", "Ctrl+P")
        },
        host(
            "edit.history",
            "History",
            "Lists what was done; a click goes back or forward to it",
            "Edit",
            "Ctrl+Alt+Z",
        ),
        host("select.joints", "Select all joints", "Selects every joint", "Edit", "Ctrl+A"),
        CommandSpec {
            enabled: selected,
            ..host("select.none", "Select nothing", "Clears the selection", "Edit", "Escape")
        },
        CommandSpec {
            enabled: selected,
            ..host("select.parent", "Select parent", "Selects the node above", "Edit", "ArrowUp")
        },
        CommandSpec {
            enabled: selected,
            ..host("select.child", "Select child", "Selects the first node below", "Edit", "ArrowDown")
        },
        CommandSpec {
            enabled: selected,
            ..host("select.sibling", "Select sibling", "Selects the next node beside this one", "Edit", "Tab")
        },
    ]
}

fn view() -> Vec<CommandSpec> {
    vec![
        host("view.frame_all", "Frame all", "Shows the whole model", "View", "A"),
        CommandSpec {
            enabled: selected,
            ..host("view.frame_selected", "Frame selected", "Shows what is selected", "View", "F")
        },
        host("view.perspective", "Perspective", "With perspective, or as a drawing to scale", "View/Look from", "5"),
        host("view.front", "Front", "Looks along −Z", "View/Look from", ""),
        host("view.back", "Back", "Looks along +Z", "View/Look from", ""),
        host("view.side", "Right side", "Looks along −X", "View/Look from", ""),
        host("view.other_side", "Left side", "Looks along +X", "View/Look from", ""),
        host("view.top", "Top", "Looks down", "View/Look from", ""),
        host("view.bottom", "Bottom", "Looks up from below", "View/Look from", ""),
        host(
            "view.three_quarter",
            "Three-quarter",
            "Looks from the front, to one side and a little above",
            "View/Look from",
            "",
        ),
        CommandSpec {
            arguments: const { &[may("node", Kind::Node)] },
            enabled: |a| if a.cameras { Ok(()) } else { Err("The file has no camera") },
            ..host(
                "view.camera",
                "Through the next camera",
                "Looks through the cameras of the file in turn",
                "View/Look from",
                "",
            )
        },
        host("view.textured", "Textured", "Shows surfaces with their materials", "View/Surfaces", ""),
        host("view.solid", "Solid", "Shows surfaces as clay: their form alone", "View/Surfaces", ""),
        host("view.wireframe", "Wireframe", "Shows the edges of surfaces", "View/Surfaces", ""),
        host("view.xray", "X-ray", "Shows surfaces see-through", "View/Surfaces", ""),
        CommandSpec {
            enabled: |a| if a.lights { Ok(()) } else { Err("The file has no lights") },
            ..host(
                "view.lights",
                "Lights of the file",
                "Lights the model by the file's own lights",
                "View/Surfaces",
                "",
            )
        },
        host("view.grid", "Grid", "Shows or hides the ground grid", "View/Overlays", ""),
        host("view.joints", "Joints", "Shows or hides the joints", "View/Overlays", ""),
        host("view.names", "Joint names", "Shows or hides the joints' names", "View/Overlays", ""),
        host("view.axes", "Joint axes", "Shows or hides the joints' axes", "View/Overlays", ""),
        CommandSpec {
            enabled: selected,
            ..host("view.hide", "Hide", "Hides the selected nodes and what is below them", "View", "H")
        },
        host("view.show_all", "Show all", "Shows every node again", "View", "Alt+H"),
        CommandSpec {
            enabled: selected,
            ..host(
                "view.isolate",
                "Isolate",
                "Hides everything of the selected kind that is not selected",
                "View",
                "Shift+H",
            )
        },
        CommandSpec {
            enabled: selected,
            ..host("view.lock", "Lock or unlock", "Keeps the selected nodes from being picked and posed", "View", "")
        },
        host("view.outliner", "Outliner", "Shows or hides the outliner", "View/Panels", "Ctrl+1"),
        host("view.inspector", "Inspector", "Shows or hides the inspector", "View/Panels", "Ctrl+2"),
        host("view.problems", "Problems", "Shows or hides what is odd about the file", "View/Panels", "Ctrl+3"),
        host("view.timeline", "Timeline", "Shows or hides the timeline", "View/Panels", "Ctrl+4"),
        CommandSpec {
            enabled: always,
            ..host(
                "view.theme",
                "Light or dark",
                "Changes from the dark theme to the light one, and back",
                "View/Window",
                "",
            )
        },
        CommandSpec {
            enabled: always,
            ..host("view.larger", "Larger", "Makes the whole window larger", "View/Window", "Ctrl+=")
        },
        CommandSpec {
            enabled: always,
            ..host("view.smaller", "Smaller", "Makes the whole window smaller", "View/Window", "Ctrl+-")
        },
        host("view.reset_layout", "Reset layout", "Brings all panels back to their places", "View/Panels", ""),
        host("mode.pose", "Pose mode", "Edits the pose of the file", "Edit/Mode and tool", "1"),
        host("mode.animate", "Animate mode", "Shows a clip and edits its keys", "Edit/Mode and tool", "2"),
        CommandSpec {
            enabled: painting::paintable,
            ..host("mode.paint", "Paint mode", "Paints the weights of joints", "Edit/Mode and tool", "3")
        },
        host("tool.select", "Select", "Clicks select; nothing is moved", "Edit/Mode and tool", "Q"),
        host("tool.rotate", "Rotate", "Turns the selected joints with a ring", "Edit/Mode and tool", "E"),
    ]
}

const NODE_TRS: [ArgumentSpec; 5] = [
    need("node", Kind::Node),
    may("translation", Kind::Vector),
    may("rotation", Kind::Quaternion),
    may("degrees", Kind::Vector),
    may("scale", Kind::Vector),
];

fn poses() -> Vec<CommandSpec> {
    let script = |name, title, help| CommandSpec { asks: true, ..host(name, title, help, "Pose", "") };
    vec![
        CommandSpec {
            arguments: const {
                &[
                    need("node", Kind::Node),
                    need("axis", Kind::Axis),
                    need("degrees", Kind::Degrees),
                    may("space", Kind::Space),
                ]
            },
            doer: Doer::Tool(pose::rotate),
            ..script("pose.rotate", "Rotate", "Turns nodes about an axis of their own, their parent's or the scene's")
        },
        CommandSpec {
            arguments: const { &[need("node", Kind::Node), need("by", Kind::Vector), may("space", Kind::Space)] },
            doer: Doer::Tool(pose::translate),
            ..script("pose.move", "Move", "Moves nodes by a vector, in metres")
        },
        CommandSpec {
            arguments: const { &[need("node", Kind::Node), need("by", Kind::Vector)] },
            doer: Doer::Tool(pose::scale),
            ..script("pose.scale", "Scale", "Scales nodes by a factor, or one an axis")
        },
        CommandSpec {
            arguments: &NODE_TRS,
            doer: Doer::Tool(pose::set),
            ..script("pose.set", "Set the edit", "Sets parts of the user-local transform Ul")
        },
        CommandSpec {
            arguments: &NODE_TRS,
            doer: Doer::Tool(pose::set_local),
            ..script("pose.set_local", "Set the local transform", "Sets parts of L∘Ul, relative to the parent")
        },
        CommandSpec {
            arguments: &NODE_TRS,
            doer: Doer::Tool(pose::set_world),
            ..script("pose.set_world", "Set the world transform", "Sets parts of W, in the scene")
        },
        CommandSpec {
            enabled: selected,
            ..host("pose.copy", "Copy pose", "Copies the poses of the selected nodes, as text", "Pose", "Ctrl+C")
        },
        host(
            "pose.paste",
            "Paste pose",
            "Poses the nodes that the clipboard names, or the selected one",
            "Pose",
            "Ctrl+V",
        ),
        CommandSpec {
            arguments: const { &[may("node", Kind::Node), may("parts", Kind::Parts)] },
            doer: Doer::Tool(pose::reset),
            ..host(
                "pose.reset_all",
                "Reset all to rest",
                "Removes every edit: all nodes go back to their rest",
                "Pose",
                "",
            )
        },
        CommandSpec {
            arguments: const { &[may("node", Kind::Node), may("parts", Kind::Parts)] },
            doer: Doer::Tool(pose::reset),
            enabled: selected,
            ..host("pose.reset", "Reset to rest", "Puts the selected nodes back to their rest", "Pose", "Alt+E")
        },
        CommandSpec {
            arguments: const { &[need("node", Kind::Node), need("target", Kind::Text), need("weight", Kind::Number)] },
            doer: Doer::Document(morphs::set),
            enabled: morphing,
            ..script("pose.morph", "Set a morph target", "Sets the weight of a morph target, by its name or number")
        },
        CommandSpec {
            arguments: const { &[need("node", Kind::Node)] },
            doer: Doer::Document(morphs::reset),
            enabled: morphing,
            ..script("pose.reset_morphs", "Reset morph targets", "Puts morph targets back to the weights of the mesh")
        },
        CommandSpec {
            arguments: const { &[may("node", Kind::Node)] },
            doer: Doer::Session,
            ..host(
                "pose.reset_to_file",
                "Reset to the file's pose",
                "Puts nodes back to the pose the file was opened with",
                "Pose",
                "",
            )
        },
    ]
}

fn clip() -> Vec<CommandSpec> {
    let clip_args: &'static [ArgumentSpec] = const { &[need("clip", Kind::Clip), may("name", Kind::Text)] };
    let script = |name, title, help| CommandSpec { asks: true, ..host(name, title, help, "Clip", "") };
    let playing = |name, title, help, key| CommandSpec { enabled: clip_shown, ..host(name, title, help, "Clip", key) };
    vec![
        playing("play.toggle", "Play or pause", "Plays the clip from the playhead, or stops", "Space"),
        playing("play.loop", "Loop", "Whether the clip begins again at its end", ""),
        playing("play.next_frame", "Next frame", "Moves the playhead one frame on", "ArrowRight"),
        playing("play.previous_frame", "Previous frame", "Moves the playhead one frame back", "ArrowLeft"),
        playing("play.next_key", "Next key", "Moves the playhead to the next key", "."),
        playing("play.previous_key", "Previous key", "Moves the playhead to the key before", ","),
        playing("play.start", "Clip start", "Moves the playhead to 0", "Home"),
        playing("play.end", "Clip end", "Moves the playhead to the last key", "End"),
        CommandSpec {
            arguments: const {
                &[
                    need("clip", Kind::Clip),
                    need("time", Kind::Seconds),
                    need("node", Kind::Node),
                    may("parts", Kind::Parts),
                    may("translation", Kind::Vector),
                    may("rotation", Kind::Quaternion),
                    may("degrees", Kind::Vector),
                    may("scale", Kind::Vector),
                    may("unkeyed", Kind::Seconds),
                    may("exact", Kind::Flag),
                ]
            },
            doer: Doer::Tool(keys::set),
            enabled: key_set,
            ..host("key.set", "Set key", "Sets a key for the selected joints at the playhead", "Clip", "S")
        },
        CommandSpec {
            arguments: const {
                &[
                    need("clip", Kind::Clip),
                    may("time", Kind::Seconds),
                    may("times", Kind::Numbers),
                    may("from", Kind::Seconds),
                    may("to", Kind::Seconds),
                    may("node", Kind::Node),
                    may("parts", Kind::Parts),
                ]
            },
            doer: Doer::Tool(keys::delete),
            enabled: |a| match (a.clip_shown, a.keys + a.nodes) {
                (false, _) => Err("No clip is shown; choose one on the timeline"),
                (_, 0) => Err("No key and no joint is selected"),
                _ => Ok(()),
            },
            ..host(
                "key.delete",
                "Delete keys",
                "Deletes the selected keys, or those of the selected joints at the playhead",
                "Clip",
                "Delete",
            )
        },
        CommandSpec {
            arguments: const {
                &[
                    need("clip", Kind::Clip),
                    need("by", Kind::Seconds),
                    may("from", Kind::Seconds),
                    may("to", Kind::Seconds),
                    may("times", Kind::Numbers),
                    may("node", Kind::Node),
                    may("parts", Kind::Parts),
                ]
            },
            doer: Doer::Tool(keys::shift),
            asks: true,
            ..host("key.move", "Move keys", "Moves keys in time", "Clip", "")
        },
        CommandSpec {
            arguments: const {
                &[
                    need("clip", Kind::Clip),
                    need("time", Kind::Seconds),
                    need("node", Kind::Node),
                    may("target", Kind::Text),
                    may("weight", Kind::Number),
                ]
            },
            doer: Doer::Document(morphs::key),
            enabled: morphing,
            asks: true,
            ..host("key.morph", "Key morph targets", "Sets a key for all morph targets of a node", "Clip", "")
        },
        CommandSpec {
            arguments: const {
                &[
                    need("clip", Kind::Clip),
                    need("time", Kind::Seconds),
                    need("node", Kind::Node),
                    need("target", Kind::Text),
                    need("weight", Kind::Number),
                ]
            },
            doer: Doer::Document(morphs::hold),
            enabled: morphing,
            asks: true,
            ..script("unkeyed.morph", "Pose a morph target", "Sets a weight over a clip at a time, without a key")
        },
        CommandSpec {
            arguments: const {
                &[
                    need("clip", Kind::Clip),
                    need("time", Kind::Seconds),
                    need("node", Kind::Node),
                    may("translation", Kind::Vector),
                    may("rotation", Kind::Quaternion),
                    may("degrees", Kind::Vector),
                    may("scale", Kind::Vector),
                ]
            },
            doer: Doer::Document(keys::hold),
            ..script("unkeyed.set", "Pose without a key", "Poses nodes over a clip at a time, without a key")
        },
        CommandSpec {
            arguments: const { &[may("clip", Kind::Clip), may("time", Kind::Seconds)] },
            doer: Doer::Document(keys::discard),
            enabled: |a| if a.unkeyed { Ok(()) } else { Err("There is no unkeyed pose") },
            ..host("unkeyed.discard", "Discard unkeyed poses", "Throws away poses that were not keyed", "Clip", "")
        },
        CommandSpec {
            arguments: const { &[may("name", Kind::Text)] },
            doer: Doer::Document(clips::new),
            ..host("clip.new", "New clip", "Makes an empty clip", "Clip", "")
        },
        CommandSpec {
            arguments: const { &[need("clip", Kind::Clip), need("name", Kind::Text)] },
            doer: Doer::Document(clips::rename),
            asks: true,
            ..host("clip.rename", "Rename clip", "Gives a clip another name", "Clip", "")
        },
        CommandSpec {
            arguments: clip_args,
            doer: Doer::Document(clips::duplicate),
            enabled: clip_shown,
            ..host("clip.duplicate", "Duplicate clip", "Makes a copy of the shown clip", "Clip", "")
        },
        CommandSpec {
            arguments: const { &[need("clip", Kind::Clip)] },
            doer: Doer::Document(clips::delete),
            enabled: clip_shown,
            ..host("clip.delete", "Delete clip", "Removes the shown clip from the file", "Clip", "")
        },
    ]
}

fn help() -> Vec<CommandSpec> {
    vec![
        CommandSpec {
            enabled: always,
            ..host("help.commands", "Commands and keys", "Lists every command with its key", "Help", "F1")
        },
        CommandSpec {
            enabled: always,
            ..host("help.tour", "Start the tour", "Shows the window in a few steps, on the sample", "Help", "")
        },
        CommandSpec {
            enabled: always,
            ..host("help.about", "About Ulna", "Version, licences and what it stands on", "Help", "")
        },
    ]
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn names_and_keys_are_unique_and_every_command_says_what_it_does() {
        let mut names = HashSet::new();
        let mut keys = HashSet::new();
        for command in table() {
            assert!(names.insert(command.name), "{} twice", command.name);
            assert!(command.key.is_empty() || keys.insert(command.key), "{} twice", command.key);
            assert!(!command.help.is_empty() && !command.help.ends_with('.'));
        }
        assert!(names.len() > 40);
    }
}
