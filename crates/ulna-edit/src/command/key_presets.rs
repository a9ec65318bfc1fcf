//! Presets of shortcuts for Blender and Maya, where they differ from the table's shortcuts.
//! `docs/keys.md` lists the operations that they match, and operations without a shortcut.

use serde::{Deserialize, Serialize};

/// A preset of shortcuts from another program, or Ulna's own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Preset {
    /// Ulna's own shortcuts, which follow common conventions.
    #[default]
    Ulna,
    /// The shortcuts of Blender.
    Blender,
    /// The shortcuts of Maya.
    Maya,
}

impl Preset {
    /// All presets.
    pub const ALL: [Self; 3] = [Self::Ulna, Self::Blender, Self::Maya];

    /// Name in the window.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Ulna => "Ulna",
            Self::Blender => "Blender",
            Self::Maya => "Maya",
        }
    }
}

/// Name of a command, and its shortcuts separated by spaces. An empty text means no shortcuts.
type Difference = (&'static str, &'static str);

/// Shortcuts of Ulna's own preset that differ from the table.
const ULNA: &[Difference] = &[("keying.delete", "Alt+S Delete"), ("joint.remove", "Delete")];

/// Shortcuts of Blender. Digits also apply to the number pad, because the window cannot distinguish
/// them.
const BLENDER: &[Difference] = &[
    ("view.float_panel", ""),
    // Tools and modes.
    ("tool.select", "W"),
    ("tool.move", "G"),
    ("tool.rotate", "R"),
    ("tool.scale", "S"),
    ("tool.combined", ""),
    ("snap.toggle", "Shift+Tab"),
    ("mode.pose", ""),
    ("mode.animate", ""),
    ("mode.paint", ""),
    ("mode.rig", ""),
    ("mode.rig_and_back", "Tab"),
    ("mode.pose_and_back", "Ctrl+Tab"),
    ("mode.next", "Ctrl+Shift+Tab"),
    ("edit.find", "F3"),
    ("edit.repeat", "Shift+R"),
    // The view.
    ("view.front", "1"),
    ("view.back", "Ctrl+1"),
    ("view.side", "3"),
    ("view.other_side", "Ctrl+3"),
    ("view.top", "7"),
    ("view.bottom", "Ctrl+7"),
    ("view.opposite", "9"),
    ("view.camera", "0"),
    ("view.orbit_left", "4"),
    ("view.orbit_right", "6"),
    ("view.orbit_up", "8"),
    ("view.orbit_down", "2"),
    ("view.zoom_in", "Plus"),
    ("view.zoom_out", "-"),
    ("view.frame_selected", "."),
    ("view.frame_all", "Home"),
    ("view.isolate", "/ Shift+H"),
    ("view.shading", "Z"),
    ("view.xray", "Alt+Z"),
    ("view.inspector", "N"),
    ("view.outliner", "T"),
    ("view.problems", ""),
    ("view.gizmo_larger", ""),
    ("view.gizmo_smaller", ""),
    // The selection.
    ("select.joints", "A"),
    ("select.none", "Alt+A"),
    ("select.invert", "Ctrl+I"),
    ("select.mirror", "Ctrl+Shift+M"),
    ("select.with_mirror", ""),
    ("select.parent", "["),
    ("select.child", "]"),
    ("select.with_parent", "Shift+["),
    ("select.with_child", "Shift+]"),
    ("select.sibling", ""),
    ("select.linked", "L Ctrl+L"),
    ("select.box", "B"),
    ("select.circle", "C"),
    // Poses and keys.
    ("pose.reset_translation", "Alt+G"),
    ("pose.reset_rotation", "Alt+R"),
    ("pose.reset_scale", "Alt+S"),
    ("pose.paste_flipped", "Ctrl+Shift+V"),
    ("pose.flip", ""),
    ("pose.breakdown", "Shift+E"),
    ("pose.push", "Ctrl+E"),
    ("pose.relax", "Alt+E"),
    ("pose.blend", "Shift+Alt+E"),
    ("key.set", "I"),
    ("key.delete", "X Delete"),
    ("keying.menu", "K"),
    ("keying.delete", "Alt+I"),
    ("keying.translation", ""),
    ("keying.rotation", ""),
    ("keying.scale", ""),
    // Playback.
    ("play.reverse", "Ctrl+Shift+Space"),
    ("play.next_key", "ArrowUp"),
    ("play.previous_key", "ArrowDown"),
    ("play.start", "Shift+ArrowLeft"),
    ("play.end", "Shift+ArrowRight"),
    ("play.range_start", "Ctrl+Home"),
    ("play.range_end", "Ctrl+End"),
    ("play.range_keys", "P"),
    ("play.range_clear", "Alt+P"),
    // The timeline.
    ("timeline.move", "G"),
    ("timeline.scale", "S"),
    ("timeline.duplicate", "Shift+D"),
    ("timeline.kind", "R"),
    ("timeline.ease", "Ctrl+E"),
    ("timeline.curves", "Ctrl+Tab"),
    ("timeline.fit", "Home"),
    ("timeline.fit_selected", "."),
    ("timeline.paste_flipped", "Ctrl+Shift+V"),
    ("keys.all", "A"),
    ("keys.none", "Alt+A"),
    // The skeleton.
    ("joint.extrude", "E"),
    ("joint.remove", "X Delete"),
    ("joint.dissolve", "Ctrl+X"),
    ("joint.reparent", "Ctrl+P"),
    ("joint.orient", "Shift+N"),
    ("joint.add", "Shift+A"),
    ("node.duplicate", "Shift+D"),
    // The brush.
    ("paint.radius", "F"),
    ("paint.strength", "Shift+F"),
    ("paint.value", "Ctrl+F"),
    ("paint.flood", "Ctrl+X"),
    ("paint.lock", "K"),
    ("paint.sample", "Shift+X"),
    ("paint.mirror", ""),
];

/// Shortcuts of Maya.
const MAYA: &[Difference] = &[
    // Tools and modes.
    ("tool.combined", "Ctrl+T Y"),
    ("pivot.here", "D Insert"),
    ("mode.pose", "F2"),
    ("mode.rig", "F3"),
    ("mode.animate", "F4"),
    ("mode.paint", "F5"),
    ("node.rename", ""),
    ("edit.undo", "Z Ctrl+Z"),
    ("edit.redo", "Shift+Z Ctrl+Y"),
    ("edit.repeat", "G"),
    ("clip.import", ""),
    // The view.
    ("view.wireframe", "4"),
    ("view.solid", "5"),
    ("view.textured", "6"),
    ("view.lights", "7"),
    ("view.perspective", ""),
    ("view.background", "Alt+B"),
    ("view.menus", "Space"),
    ("view.gizmo_larger", "Plus ="),
    ("view.gizmo_smaller", "-"),
    ("view.hide", "Ctrl+H"),
    ("view.show_all", "Ctrl+Shift+H"),
    ("view.isolate", "Ctrl+1 Shift+I Alt+H"),
    ("view.outliner", ""),
    ("view.inspector", "Ctrl+A Ctrl+2"),
    // The selection.
    ("select.joints", "Ctrl+Shift+A"),
    ("select.none", "Escape Alt+D"),
    ("select.invert", "Ctrl+Shift+I"),
    ("select.sibling", "ArrowRight"),
    ("select.previous_sibling", "ArrowLeft"),
    // Keys and playback.
    ("keying.delete", "Alt+S Delete"),
    ("marker.add", "M Alt+T"),
    ("play.toggle", "Alt+V"),
    ("play.next_frame", "Alt+."),
    ("play.previous_frame", "Alt+,"),
    ("play.start", "Alt+Shift+V Home"),
    // The skeleton and the brush.
    ("joint.remove", "Delete"),
    ("joint.reparent", "P"),
    ("paint.flood", "Ctrl+F"),
    ("paint.value", "N"),
    ("paint.next_spot", ""),
];

const fn differences(preset: Preset) -> &'static [Difference] {
    match preset {
        Preset::Ulna => ULNA,
        Preset::Blender => BLENDER,
        Preset::Maya => MAYA,
    }
}

/// Shortcuts of a command in a preset, separated by spaces; `None` if they equal those of the
/// table.
pub(super) fn differing(preset: Preset, command: &str) -> Option<&'static str> {
    differences(preset).iter().find(|(name, _)| *name == command).map(|(_, keys)| *keys)
}

/// Names of the commands whose shortcuts a preset changes.
#[cfg(test)]
pub(super) fn names(preset: Preset) -> impl Iterator<Item = &'static str> {
    differences(preset).iter().map(|(name, _)| *name)
}
