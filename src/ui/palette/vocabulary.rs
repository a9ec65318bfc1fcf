//! Tests that the palette finds commands by the terms of Blender, Maya and Spine.

#[cfg(test)]
mod tests {

    use ulna_edit::{Availability, CommandSpec};
    use ulna_session::Session;

    use super::super::{
        names::{RowGroup, all_names},
        search::{FIRST, PaletteRow, SearchContext, search},
    };

    /// Menu items, editors and terms of Blender. Each lists the equivalent commands.
    const BLENDER: &[(&str, &[&str])] = &[
        ("Insert Keyframe", &["key.set", "key.insert"]),
        ("keyframe", &["key.set"]),
        ("Delete Keyframes", &["key.delete"]),
        ("Clear Keyframes", &["key.delete"]),
        ("Keying Set", &["keying.all", "keying.character"]),
        ("Auto Keying", &["keying.auto"]),
        ("Record", &["keying.auto"]),
        ("Dope Sheet", &["mode.animate", "timeline.curves"]),
        ("Graph Editor", &["timeline.curves"]),
        ("F-Curve", &["timeline.curves"]),
        ("fcurves", &["timeline.curves"]),
        ("NLA", &["mix.show"]),
        ("Nonlinear Animation", &["mix.show"]),
        ("NLA Strip", &["mix.show"]),
        ("Action Editor", &["mode.animate"]),
        ("New Action", &["clip.new"]),
        ("Bake Action", &["clip.resample"]),
        ("Bone Collection", &["group.add", "select.store_set"]),
        ("Vertex Groups", &["weights.assign", "vertices.of_joint", "mode.paint"]),
        ("Weight Paint", &["mode.paint"]),
        ("Weight Painting", &["mode.paint"]),
        ("Edit Mode", &["mode.rig"]),
        ("Armature", &["mode.rig", "skin.ask", "skin.create"]),
        ("Rest Position", &["pose.reset_all", "pose.reset"]),
        ("Apply Pose as Rest Pose", &["rig.rest_from_pose"]),
        ("Clear Transform", &["pose.reset"]),
        ("Clear Location", &["pose.reset_translation"]),
        ("Clear Rotation", &["pose.reset_rotation"]),
        ("Clear Scale", &["pose.reset_scale"]),
        ("Clear User Transforms", &["pose.reset", "unkeyed.discard"]),
        ("Pose Library", &["pose.keep", "pose.apply"]),
        ("Create Pose Asset", &["pose.keep"]),
        ("Asset Browser", &["pose.keep"]),
        ("Paste X-Flipped Pose", &["pose.paste_flipped"]),
        ("Pose Breakdowner", &["pose.breakdown"]),
        ("Push Pose", &["pose.push"]),
        ("Relax Pose", &["pose.relax"]),
        ("Blend to Neighbor", &["pose.relax", "pose.blend", "key.slide"]),
        ("Motion Paths", &["view.motion_paths"]),
        ("Onion Skinning", &["view.onion_skin"]),
        ("Grab", &["tool.move"]),
        ("Translate", &["tool.move"]),
        ("Location", &["tool.move", "keying.translation"]),
        ("Resize", &["tool.scale", "pose.resize"]),
        ("Trackball", &["tool.rotate"]),
        ("Proportional Editing", &["timeline.proportional", "key.proportional"]),
        ("Pivot Point", &["pivot.next"]),
        ("Individual Origins", &["pivot.next"]),
        ("3D Cursor", &["pivot.here"]),
        ("Snapping", &["snap.toggle"]),
        ("X-Axis Mirror", &["pose.both_sides"]),
        ("Symmetrize", &["joint.mirror"]),
        ("Subdivide Bone", &["joint.insert"]),
        ("Extrude", &["joint.extrude"]),
        ("Dissolve Bones", &["joint.dissolve"]),
        ("Bone Roll", &["joint.orient"]),
        ("Recalculate Roll", &["joint.orient"]),
        ("Add Bone", &["joint.add", "tool.joint"]),
        ("Set Parent", &["node.reparent", "joint.reparent"]),
        ("Clear Parent", &["node.reparent", "joint.reparent"]),
        ("Apply Scale", &["rig.mend_armature"]),
        ("Apply All Transforms", &["rig.mend_armature"]),
        ("Apply Transform", &["rig.mend_armature"]),
        ("Normalize All", &["weights.normalize"]),
        ("Limit Total", &["weights.limit"]),
        ("Clean Vertex Group Weights", &["weights.prune"]),
        ("Quantize", &["weights.quantize"]),
        ("Smooth Vertex Weights", &["weights.smooth"]),
        ("Transfer Weights", &["weights.transfer"]),
        ("Mirror Vertex Group", &["weights.mirror"]),
        ("Automatic Weights", &["weights.bind", "skin.ask"]),
        ("Bone Heat", &["weights.bind"]),
        ("Armature Deform", &["skin.ask"]),
        ("Sample Weight", &["paint.sample"]),
        ("Weight Gradient", &["weights.gradient"]),
        ("Select More", &["vertices.grow"]),
        ("Select Less", &["vertices.shrink"]),
        ("Select Linked", &["vertices.linked", "select.limb"]),
        ("Edge Loop", &["vertices.loop"]),
        ("Non Manifold", &["vertices.crowded"]),
        ("Shape Keys", &["pose.morph"]),
        ("Local View", &["view.isolate"]),
        ("Frame Selected", &["view.frame_selected"]),
        ("View All", &["view.frame_all", "timeline.fit"]),
        ("Viewport Shading", &["view.solid", "view.textured"]),
        ("Material Preview", &["view.textured"]),
        ("Wireframe", &["view.wireframe"]),
        ("Orthographic", &["view.perspective"]),
        ("Jump to Keyframe", &["play.next_key", "play.previous_key"]),
        ("Jump to Endpoint", &["play.end", "play.start"]),
        ("Set Preview Range", &["play.range_start", "play.range_end"]),
        ("Frame Rate", &["clip.rate"]),
        ("fps", &["clip.rate"]),
        ("Viewport Render Animation", &["file.pictures"]),
        ("Decimate", &["clip.reduce"]),
        ("Clean Keyframes", &["key.clean"]),
        ("Smooth Keys", &["track.filter"]),
        ("Butterworth Smooth", &["track.filter"]),
        ("Gaussian Smooth", &["track.filter"]),
        ("Interpolation Mode", &["track.interpolation", "timeline.interpolation"]),
        ("Bezier", &["track.interpolation", "timeline.interpolation", "timeline.tangents"]),
        ("Easing", &["key.ease", "timeline.ease"]),
        ("Handle Type", &["key.tangents", "timeline.tangents"]),
        ("Make Cyclic", &["clip.close_loop", "key.match_seam"]),
        ("Keyframe Type", &["key.kind", "timeline.kind"]),
        ("Timeline Marker", &["marker.add"]),
        ("Inverse Kinematics", &["pose.ik", "tool.drag"]),
        ("IK Constraint", &["pose.ik"]),
        ("Damped Track", &["pose.look_at"]),
        ("Copy Location", &["pin.set"]),
        ("Empty", &["node.add"]),
        ("Hide Selected", &["view.hide"]),
        ("Reveal Hidden", &["view.show_all"]),
        ("Properties", &["view.inspector"]),
        ("Operator Search", &["edit.find"]),
        ("Undo History", &["edit.history"]),
        ("Auto Save", &["file.recover"]),
        ("Import FBX", &["file.open"]),
        ("Export glTF", &["file.export"]),
        ("Orphan Data", &["file.compact"]),
        ("Purge", &["file.compact"]),
        ("Batch Rename", &["joint.rename", "node.rename_pattern"]),
        ("Lock Rotation", &["node.lock_channels"]),
        ("Keymap", &["help.commands"]),
    ];

    /// Menu items, editors and terms of Maya. Each lists the equivalent commands.
    const MAYA: &[(&str, &[&str])] = &[
        ("Set Key", &["key.set"]),
        ("Auto Keyframe", &["keying.auto"]),
        ("auto key", &["keying.auto"]),
        ("Set Breakdown", &["key.kind", "timeline.kind", "pose.breakdown"]),
        ("Cut Keys", &["key.delete"]),
        ("Channel Box", &["pose.set", "pose.set_local", "view.inspector"]),
        ("Attribute Editor", &["view.inspector"]),
        ("Trax Editor", &["mix.show"]),
        ("Time Editor", &["mix.show"]),
        ("Time Slider", &["mode.animate", "view.timeline"]),
        ("Ghosting", &["view.onion_skin"]),
        ("Editable Motion Trail", &["view.motion_paths"]),
        ("motion trail", &["view.motion_paths"]),
        ("Animation Layer", &["layer.new"]),
        ("Additive", &["layer.new", "layer.extract"]),
        ("Merge Layers", &["layer.fold", "layer.merge_down"]),
        ("Retime Tool", &["key.retime"]),
        ("Region Keys", &["key.retime"]),
        ("Cycle", &["play.loop", "clip.close_loop", "clip.loop", "key.offset", "clip.repair_loop"]),
        ("Pre Infinity", &["clip.loop"]),
        ("Bake Simulation", &["clip.resample"]),
        ("Simplify Curve", &["clip.reduce", "clip.make_editable"]),
        ("simplify", &["clip.reduce", "clip.make_editable"]),
        ("Key Reducer", &["clip.reduce"]),
        ("Euler Filter", &["track.euler_filter"]),
        ("Gimbal", &["track.euler_filter", "tool.rotate"]),
        ("Gimbal Lock", &["track.euler_filter"]),
        ("Freeze Transformations", &["rig.mend_armature"]),
        ("Center Pivot", &["joint.center", "joint.move"]),
        ("pivot", &["pivot.next", "pivot.here", "joint.move"]),
        ("Match Transformations", &["pose.set_world"]),
        ("Universal Manipulator", &["tool.combined"]),
        ("Soft Selection", &["timeline.proportional", "key.proportional"]),
        ("Paint Skin Weights", &["mode.paint"]),
        ("Component Editor", &["weights.assign", "vertices.copy_each"]),
        ("Hammer Skin Weights", &["weights.hammer"]),
        ("Prune Small Weights", &["weights.prune"]),
        ("Copy Skin Weights", &["weights.transfer"]),
        ("Copy Vertex Weights", &["vertices.copy"]),
        ("Mirror Skin Weights", &["weights.mirror"]),
        ("Smooth Skin Weights", &["weights.smooth"]),
        ("Bind Skin", &["skin.ask", "weights.bind", "skin.create"]),
        ("Geodesic Voxel", &["weights.bind"]),
        ("Unbind Skin", &["skin.remove"]),
        ("Detach Skin", &["skin.remove"]),
        ("Go to Bind Pose", &["pose.reset_all"]),
        ("bind pose", &["pose.reset_all"]),
        ("Move Skinned Joints", &["skin.ask_rebind"]),
        ("Add Influence", &["skin.add_joints"]),
        ("Remove Unused Influences", &["skin.remove_joints"]),
        ("Max Influences", &["weights.limit"]),
        ("Export Deformer Weights", &["weights.export"]),
        ("Flood", &["paint.flood", "weights.flood"]),
        ("Create Joints", &["tool.joint", "joint.add"]),
        ("Insert Joint", &["joint.insert"]),
        ("Mirror Joint", &["joint.mirror"]),
        ("Orient Joint", &["joint.orient"]),
        ("Connect Joint", &["joint.reparent"]),
        ("Set Preferred Angle", &["rig.rest_from_pose"]),
        ("HumanIK", &["clip.retarget_page", "rig.humanoid_bones", "clip.retarget"]),
        ("retarget", &["clip.retarget_page", "clip.retarget"]),
        ("Characterize", &["rig.humanoid_bones", "rig.humanoid"]),
        ("Aim Constraint", &["pose.look_at"]),
        ("Parent Constraint", &["pin.set"]),
        ("Pole Vector", &["pose.ik"]),
        ("IK Handle", &["tool.drag", "pose.ik"]),
        ("Blend Shape", &["pose.morph"]),
        ("Shape Editor", &["pose.morph"]),
        ("Quick Select Set", &["select.store_set", "set.keep"]),
        ("Select Hierarchy", &["select.below", "select.joints"]),
        ("Hotkey Editor", &["help.commands"]),
        ("Locator", &["node.add"]),
        ("Increment and Save", &["file.save_incremented"]),
        ("Stepped Preview", &["play.stepped"]),
        ("Isolate Select", &["view.isolate"]),
        ("Local Rotation Axes", &["view.axes"]),
        ("Break Tangents", &["timeline.tangents"]),
        ("Weighted Tangents", &["timeline.tangents"]),
        ("Auto Tangent", &["timeline.tangents"]),
        ("Flat Tangent", &["timeline.tangents", "key.tangents"]),
        ("Playback Speed", &["clip.retime", "clip.rate"]),
        ("Playblast", &["file.pictures"]),
        ("Bookmark", &["marker.add"]),
        ("Preserve Children", &["children.next"]),
        ("Reflection", &["pose.both_sides"]),
        ("Discrete Move", &["snap.toggle"]),
        ("in place", &["clip.root_motion"]),
        ("foot slide", &["pin.hold", "clip.clean_contacts"]),
        ("foot lock", &["pin.hold", "clip.clean_contacts"]),
        ("speed", &["clip.retime", "timeline.speed"]),
        ("weld", &["joint.merge"]),
        ("Zero Out", &["pose.reset"]),
        ("T-pose", &["pose.reset_all", "rig.rest_from_pose"]),
        ("tpose", &["pose.reset_all", "rig.rest_from_pose"]),
    ];

    /// Menu items, editors and terms of Spine. Each lists the equivalent commands.
    const SPINE: &[(&str, &[&str])] = &[
        ("Dopesheet", &["timeline.curves", "mode.animate"]),
        ("Setup Mode", &["mode.rig", "mode.pose"]),
        ("Setup Pose", &["pose.reset_all", "pose.reset"]),
        ("Graph", &["timeline.curves"]),
        ("Curves", &["timeline.curves", "timeline.both"]),
        ("Ghosts", &["view.onion_skin"]),
        ("Weights View", &["mode.paint"]),
        ("Weights", &["mode.paint", "weights.prune", "weights.smooth", "skin.ask"]),
        ("Slot", &["rig.skeleton_from_nodes"]),
        ("Attachment", &["node.add"]),
        ("Bone", &["tool.joint", "joint.add"]),
        ("Create Bones", &["tool.joint", "joint.add"]),
        ("Split Bone", &["joint.insert"]),
        ("Bone Compensation", &["children.next"]),
        ("Pose Tool", &["tool.drag"]),
        (
            "Stepped",
            &["play.stepped", "key.hold_next", "track.interpolation", "timeline.interpolation"],
        ),
        ("Linear", &["track.interpolation", "timeline.interpolation"]),
        ("Curve Type", &["track.interpolation", "timeline.interpolation"]),
        ("Event", &["marker.add"]),
        ("Update Bindings", &["skin.bind"]),
        ("Prune", &["weights.prune"]),
        ("Swap", &["weights.swap", "pose.flip"]),
        ("Bind", &["skin.ask", "skin.create", "weights.bind"]),
        ("Clean Up", &["key.clean", "file.compact", "rig.clean"]),
        ("Shift", &["pose.shift", "timeline.offset", "key.shift"]),
        ("Import Animation", &["clip.import"]),
        ("New Animation", &["clip.new"]),
        ("Duplicate Animation", &["clip.duplicate"]),
        ("Crossfade", &["mix.go", "mix.show"]),
        ("Mix Duration", &["mix.go"]),
        ("Tree", &["view.outliner"]),
        ("Hotkeys", &["help.commands"]),
        ("Settings", &["file.preferences"]),
        ("Welcome", &["file.welcome"]),
        ("Tutorial", &["help.tour"]),
        ("Manual", &["help.guide"]),
        ("Skinning", &["mode.paint", "skin.ask"]),
        ("Translation Tool", &["tool.move"]),
        ("Loop", &["play.loop"]),
        ("Rotate", &["tool.rotate"]),
        ("Export", &["file.export"]),
        ("Undo", &["edit.undo"]),
    ];

    /// Short terms that most programs share.
    const COMMON: &[(&str, &[&str])] = &[
        ("cubic", &["track.interpolation", "timeline.interpolation"]),
        ("fullscreen", &["view.maximize_panel"]),
        ("full screen", &["view.maximize_panel"]),
        ("step", &["key.hold_next", "play.stepped", "track.interpolation"]),
        ("step interpolation", &["track.interpolation", "timeline.interpolation"]),
    ];

    /// Terms from Blender, Maya and Spine for the steps of the tour, with their commands.
    const TOUR: &[(&str, &[&str])] = &[
        ("rotate", &["tool.rotate"]),
        ("rotate bone", &["tool.rotate", "pose.rotate"]),
        ("pose bones", &["mode.pose"]),
        ("insert keyframe", &["key.set"]),
        ("S key", &["key.set"]),
        ("weight paint", &["mode.paint"]),
        ("paint skin weights", &["mode.paint"]),
        ("undo", &["edit.undo"]),
        ("step back", &["edit.undo"]),
        ("save", &["file.save"]),
        ("save file", &["file.save"]),
        ("save as", &["file.save_as"]),
    ];

    /// Terms without an equivalent command, each with the reason. The palette must not offer a
    /// command for them.
    const NONE: &[(&str, &str)] = &[
        ("Set Driven Key", "glTF has no drivers"),
        ("Expression Editor", "glTF has no expressions"),
        ("Grease Pencil", "no drawings"),
        ("Sculpt Mode", "no modeling"),
        ("UV Editor", "no modeling"),
        ("Boolean", "no modeling"),
        ("Cloth", "no simulation"),
        ("Rigid Body", "no simulation"),
        ("nCloth", "no simulation"),
        ("Compositor", "no rendering of films"),
        ("Shader Editor", "materials are not edited"),
        ("Draw Order", "a matter of 2D"),
        ("Texture Packer", "a matter of 2D"),
        ("Audio Scrubbing", "no sound"),
        ("Muscle", "no simulation"),
        ("Hypershade", "materials are not edited"),
    ];

    /// Commands that are found if all are available and the file has no names.
    fn commands(word: &str) -> Vec<PaletteRow> {
        found(word, SearchContext { names: &[], why_not: &|_| None, used: &[], rate: 30.0 })
    }

    fn found(word: &str, around: SearchContext<'_>) -> Vec<PaletteRow> {
        let groups = search(word, around).into_iter();
        groups.filter(|g| g.group == RowGroup::Commands).flat_map(|g| g.rows).collect()
    }

    fn first_three(word: &str) -> Vec<&'static str> {
        let found = commands(word).into_iter().take(3);
        found.filter_map(|found| found.command()).map(|spec| spec.name).collect()
    }

    #[test]
    fn words_of_other_programs_find_their_command_among_the_first_three() {
        let lists = [BLENDER, MAYA, SPINE, TOUR, COMMON];
        let count: usize = lists.iter().map(|list| list.len()).sum();
        assert!(count >= 250, "{count} words");
        let mut wrong = Vec::new();
        for (word, wanted) in lists.into_iter().flatten() {
            for name in *wanted {
                assert!(ulna_edit::find(name).is_some(), "{name} is a command");
            }
            let found = first_three(word);
            if !wanted.iter().any(|name| found.contains(name)) {
                wrong.push(format!("{word}: {found:?}, not {wanted:?}"));
            }
        }
        assert!(wrong.is_empty(), "{} of {count}:\n{}", wrong.len(), wrong.join("\n"));
    }

    /// After a start, the window shows the first clip of the sample, and nothing is selected. Many
    /// commands are then unavailable, and the names of joints and clips are found, too.
    #[test]
    fn words_of_other_programs_find_their_command_in_a_new_window() {
        let session = Session::open_bytes(include_bytes!("../../../assets/mannequin.glb"));
        let session = session.expect("the sample");
        let names = all_names(Some(session.document()), &[]);
        let availability = Availability { clip_shown: true, ..session.availability() };
        let why_not = |c: &CommandSpec| c.check(&availability).err();
        let around = SearchContext { names: &names, why_not: &why_not, used: &[], rate: 30.0 };
        let mut wrong = Vec::new();
        for (word, wanted) in [BLENDER, MAYA, SPINE, TOUR, COMMON].into_iter().flatten() {
            let rows = found(word, around);
            let off = rows.iter().position(|row| row.disabled.is_some()).unwrap_or(rows.len());
            let visible = rows.iter().take(FIRST).filter_map(PaletteRow::command);
            let visible: Vec<&str> = visible.map(|spec| spec.name).collect();
            let is_first = off > 0 || rows.iter().all(|row| row.disabled.is_some());
            if !is_first || !wanted.iter().any(|name| visible.contains(name)) {
                wrong.push(format!("{word}: {visible:?}, not {wanted:?}"));
            }
        }
        assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
    }

    #[test]
    fn words_for_missing_features_find_no_command() {
        for (word, reason) in NONE {
            let found = first_three(word);
            assert!(found.is_empty(), "{word} ({reason}): {found:?}");
        }
    }
}
