//! The table: every command there is. Menus, keys, help, the palette, scripts and `ulna commands` read it.

use std::{collections::HashMap, sync::LazyLock};

use super::{CommandSpec, DocumentCommand, HostCommand, KeyEditCommand, SessionCommand, SetKey};

/// The order of the menus.
const ORDER: &[&str] = &[
    "file.open",
    "file.sample",
    "file.save",
    "file.save_as",
    "file.save_copy",
    "file.save_incremented",
    "file.export",
    "file.export_again",
    "file.pictures",
    "file.revert",
    "file.recover",
    "file.changes",
    "file.welcome",
    "file.preferences",
    "file.quit",
    "edit.undo",
    "edit.redo",
    "node.rename",
    "edit.find",
    "edit.history",
    "edit.revert",
    "select.joints",
    "select.none",
    "select.parent",
    "select.child",
    "select.sibling",
    "select.below",
    "select.limb",
    "select.chain",
    "select.store_set",
    "select.recall_set",
    "set.keep",
    "select.mirror",
    "view.frame_all",
    "view.frame_selected",
    "view.perspective",
    "view.front",
    "view.back",
    "view.side",
    "view.other_side",
    "view.top",
    "view.bottom",
    "view.three_quarter",
    "view.camera",
    "view.textured",
    "view.solid",
    "view.wireframe",
    "view.xray",
    "view.lights",
    "view.grid",
    "view.joints",
    "view.names",
    "view.axes",
    "view.of_selected",
    "view.sticks",
    "view.deforming",
    "view.pins",
    "view.balance",
    "view.motion_paths",
    "view.onion_skin",
    "view.compare",
    "view.hide",
    "view.show_all",
    "view.isolate",
    "view.lock",
    "view.outliner",
    "view.inspector",
    "view.problems",
    "view.timeline",
    "view.theme",
    "view.next_panel",
    "view.previous_panel",
    "view.menu_bar",
    "view.larger",
    "view.smaller",
    "view.normal_size",
    "view.reset_layout",
    "mode.pose",
    "mode.animate",
    "mode.paint",
    "mode.next",
    "tool.select",
    "tool.move",
    "tool.rotate",
    "tool.scale",
    "tool.combined",
    "tool.drag",
    "pose.rotate",
    "pose.move",
    "pose.scale",
    "pose.turn",
    "pose.shift",
    "pose.resize",
    "pose.set",
    "pose.set_local",
    "pose.set_world",
    "pose.copy",
    "pose.paste",
    "pose.mirror",
    "pose.flip",
    "pose.paste_selected",
    "pose.paste_flipped",
    "pose.paste_flipped_selected",
    "pose.keep",
    "pose.apply",
    "pose.rename_kept",
    "pose.forget",
    "layer.new",
    "layer.mute",
    "layer.solo",
    "layer.duplicate",
    "layer.invert",
    "layer.zero_key",
    "layer.clear",
    "layer.fold",
    "layer.split",
    "layer.keep",
    "layer.remove",
    "layer.rename",
    "layer.strength",
    "layer.strength_keys",
    "layer.move",
    "layer.mask",
    "layer.set",
    "layer.copy",
    "layer.merge_down",
    "layer.extract",
    "layer.import",
    "pose.blend",
    "pose.breakdown",
    "pose.relax",
    "pose.push",
    "pose.to_rest",
    "pose.ik",
    "pose.look_at",
    "pin.set",
    "pin.hold",
    "timeline.hold",
    "pin.clear",
    "pose.reset_all",
    "pose.reset",
    "pose.reset_translation",
    "pose.reset_rotation",
    "pose.reset_scale",
    "pose.morph",
    "pose.reset_morphs",
    "pose.reset_to_file",
    "play.toggle",
    "play.reverse",
    "play.loop",
    "play.every_frame",
    "play.stepped",
    "play.nlerp",
    "play.range_start",
    "play.range_end",
    "play.range_clear",
    "play.next_frame",
    "play.previous_frame",
    "play.next_key",
    "play.previous_key",
    "play.start",
    "play.end",
    "key.set",
    "key.delete",
    "key.move",
    "key.duplicate",
    "key.scale",
    "key.copy",
    "key.paste",
    "key.ripple",
    "key.offset",
    "key.hold_next",
    "key.value",
    "key.shift",
    "track.interpolation",
    "key.tangents",
    "key.kind",
    "key.clean",
    "keying.translation",
    "keying.rotation",
    "keying.scale",
    "keying.all",
    "keying.limb",
    "keying.character",
    "timeline.move",
    "timeline.ripple",
    "timeline.scale",
    "timeline.duplicate",
    "timeline.later",
    "timeline.earlier",
    "timeline.interpolation",
    "timeline.tangents",
    "timeline.kind",
    "timeline.offset",
    "timeline.paste_flipped",
    "timeline.fit",
    "timeline.fit_selected",
    "keys.all",
    "keys.none",
    "keys.invert",
    "keys.column",
    "keys.before",
    "keys.after",
    "keys.of_joints",
    "keys.extend",
    "keys.same_kind",
    "keys.same_value",
    "keys.of_kind",
    "keys.in_range",
    "timeline.lasso",
    "key.morph",
    "unkeyed.morph",
    "unkeyed.set",
    "unkeyed.discard",
    "marker.add",
    "marker.move",
    "marker.set",
    "marker.remove",
    "clip.new",
    "clip.rename",
    "clip.loop",
    "clip.duplicate",
    "clip.trim",
    "clip.split",
    "clip.join",
    "clip.reverse",
    "clip.retime",
    "clip.ticks",
    "clip.start_at_zero",
    "clip.mirror",
    "clip.close_loop",
    "clip.repair_loop",
    "clip.root_motion",
    "clip.resample",
    "clip.reduce",
    "clip.make_editable",
    "clip.delete",
    "clip.import",
    "clip.put",
    "clip.footfalls",
    "mix.show",
    "mix.over",
    "mix.go",
    "mix.bake",
    "mix.keep",
    "mix.set",
    "mix.clear",
    "paint.radius",
    "paint.strength",
    "paint.value",
    "paint.smaller",
    "paint.larger",
    "paint.flood",
    "paint.lock",
    "paint.unlock_all",
    "paint.sample",
    "paint.mirror",
    "weights.import",
    "weights.export",
    "weights.worst",
    "weights.range",
    "weights.look",
    "vertices.all",
    "vertices.none",
    "vertices.invert",
    "vertices.grow",
    "vertices.shrink",
    "vertices.linked",
    "vertices.loop",
    "vertices.ring",
    "vertices.grow_loop",
    "vertices.mirror",
    "vertices.mesh",
    "vertices.select",
    "vertices.of_joint",
    "vertices.in_range",
    "vertices.faulty",
    "vertices.stray",
    "vertices.open",
    "vertices.crowded",
    "vertices.doubled",
    "vertices.unpaired",
    "vertices.copy",
    "vertices.copy_each",
    "vertices.paste",
    "weights.mirror",
    "weights.bind",
    "material.height_to_normal",
    "skin.ask",
    "skin.create",
    "skin.bind",
    "joints.pair",
    "weights.transfer",
    "weights.normalize",
    "weights.limit",
    "weights.prune",
    "weights.quantize",
    "weights.smooth",
    "weights.relax",
    "weights.hammer",
    "weights.flood",
    "weights.gradient",
    "weights.average",
    "weights.assign",
    "weights.swap",
    "weights.merge",
    "weights.sets",
    "weights.store",
    "weights.set",
    "weight_layer.add",
    "weight_layer.remove",
    "weight_layer.opacity",
    "weight_layer.show",
    "weight_layer.mirror",
    "weight_layer.rename",
    "weight_layer.move",
    "weight_layer.mask",
    "weight_layer.clear",
    "weight_layer.merge_down",
    "weight_layer.flatten",
    "weight_layer.paint",
    "help.commands",
    "help.tour",
    "help.about",
];

/// All commands, and where each stands among them.
type Table = (Vec<CommandSpec>, HashMap<&'static str, usize>);

static TABLE: LazyLock<Table> = LazyLock::new(|| {
    let mut all = [DocumentCommand::specs(), SessionCommand::specs(), HostCommand::specs()].concat();
    // Keys are those of a clip, or of one of its layers.
    for spec in all.iter_mut().filter(|spec| is_of_keys(spec)) {
        spec.arguments.push(super::pose_layers::LAYER_OF_KEYS);
    }
    all.sort_by_key(|spec| ORDER.iter().position(|name| *name == spec.name).unwrap_or(usize::MAX));
    let places = all.iter().enumerate().map(|(k, spec)| (spec.name, k)).collect();
    (all, places)
});

/// Whether a command is about keys, which a layer may have instead of a clip.
pub(super) fn is_of_keys(spec: &CommandSpec) -> bool {
    spec.name == SetKey::NAME || KeyEditCommand::NAMES.contains(&spec.name)
}

/// All commands, in the order of the menus.
pub fn table() -> &'static [CommandSpec] {
    &TABLE.0
}

/// What families of commands were called before; scripts and journals may still say so.
const BEFORE: [(&str, &str); 2] = [("layers.", "weight_layer."), ("pending.", "unkeyed.")];

/// The command of a name, or of a name that it had before.
pub fn find(name: &str) -> Option<&'static CommandSpec> {
    TABLE.1.get(name).map(|at| &TABLE.0[*at]).or_else(|| renamed(name))
}

/// The command that had a name which none has any more.
pub fn renamed(name: &str) -> Option<&'static CommandSpec> {
    let (before, now) = BEFORE.iter().find(|(before, _)| name.starts_with(before))?;
    let at = TABLE.1.get(format!("{now}{}", name.strip_prefix(before)?).as_str())?;
    Some(&TABLE.0[*at])
}

/// The entry of a command that there is.
pub(super) fn entry(name: &'static str) -> &'static CommandSpec {
    &TABLE.0[TABLE.1[name]]
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::edit::KeyScope;

    #[test]
    fn names_and_keys_are_unique_and_every_command_says_what_it_does() {
        let mut names = HashSet::new();
        let mut keys = HashSet::new();
        for command in table() {
            assert!(names.insert(command.name), "{} twice", command.name);
            let place = (KeyScope::of(command), command.key);
            assert!(command.key.is_empty() || keys.insert(place), "{place:?} twice");
            assert!(!command.help.is_empty() && !command.help.ends_with('.'));
        }
        assert!(names.len() > 140, "{}", names.len());
    }

    #[test]
    fn every_command_has_its_place_in_the_menus() {
        let there: Vec<&str> = table().iter().map(|c| c.name).collect();
        assert_eq!(there, ORDER, "one line in ORDER for each command");
    }
}
