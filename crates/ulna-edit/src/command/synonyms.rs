//! Terms of other programs, by which the palette also finds commands.

use std::{collections::HashMap, sync::LazyLock};

use super::CommandSpec;

/// Terms of Blender, Maya, Spine, Unreal and Unity, by command name. They are separated by commas,
/// most common first. Words of the title are not repeated.
const TERMS: &[(&str, &str)] = &[
    // Files and the window.
    ("file.open", "load file, import FBX, import model, import BVH, open project"),
    ("file.sample", "demo, example file, mannequin"),
    ("file.save", "save file, write file, export GLB, store"),
    ("file.save_as", "save under another name"),
    ("file.save_copy", "export selection, duplicate file"),
    ("file.save_incremented", "increment and save, save version, versioned save"),
    (
        "file.export",
        "export glTF, export GLB, export FBX, export animation, bake and export, batch export",
    ),
    ("file.export_again", "re-export, quick export"),
    (
        "file.pictures",
        "playblast, render animation, viewport render, render image, GIF, contact sheet, \
        turntable, sequence, screenshot",
    ),
    ("file.revert", "reload file, discard changes"),
    ("file.recover", "auto save, crash recovery, recover last session, restore"),
    ("file.changes", "diff, list changes, review changes"),
    ("file.welcome", "splash screen, start page, home, recent files"),
    ("file.preferences", "settings, user preferences, options, configuration, editor settings"),
    ("file.quit", "exit, close program"),
    (
        "file.compact",
        "purge, clean up, optimize scene size, delete unused nodes, orphan data, remove unused",
    ),
    ("edit.find", "search, command palette, menu search, operator search, quick search"),
    ("edit.history", "undo history, undo list, history panel"),
    ("edit.undo", "step back, revert last action"),
    ("edit.redo", "step forward, repeat undone"),
    ("edit.revert", "restore original, reset to file, discard part"),
    (
        "help.commands",
        "hotkeys, shortcuts, hotkey editor, keymap, keyboard shortcuts, key bindings",
    ),
    ("help.tour", "tutorial, first steps, getting started, onboarding, walkthrough, lesson"),
    ("help.guide", "manual, documentation, help, user guide, reference"),
    ("help.about", "version, license, system information, GPU information"),
    // Selection.
    ("select.joints", "select all bones, select hierarchy, select skeleton"),
    ("select.none", "select nothing, clear selection, deselect"),
    ("select.parent", "select parent bone, pick walk up, go up the hierarchy"),
    ("select.child", "select child bone, pick walk down, go down the hierarchy"),
    ("select.sibling", "next sibling, pick walk right"),
    ("select.below", "select hierarchy, select children, select descendants"),
    ("select.limb", "select linked bones, select arm, select leg"),
    ("select.chain", "select IK chain, select between, select path"),
    ("select.store_set", "quick select set, create set, selection set, bone collection"),
    ("select.recall_set", "load selection set, quick selection"),
    ("select.mirror", "select opposite, mirror selection, flip selection"),
    ("set.keep", "selection set, quick select set"),
    // Modes.
    ("mode.pose", "pose bones, armature pose, rest and pose, setup mode"),
    (
        "mode.animate",
        "action editor, action, dope sheet, animation mode, animation workspace, sequencer, \
        time slider",
    ),
    (
        "mode.paint",
        "weights, weight paint, paint skin weights, skin weights tool, vertex paint, \
        paint vertex weights, skinning, weights view",
    ),
    (
        "mode.rig",
        "edit mode, armature edit, skeleton edit, rigging, edit bones, setup mode, skeleton tree",
    ),
    ("mode.next", "cycle modes, switch mode"),
    (
        "pose.both_sides",
        "x-axis mirror, symmetry, x mirror, symmetric posing, mirror mode, reflection",
    ),
    (
        "pivot.next",
        "pivot point, transform pivot, median point, individual origins, active element, \
        pivot mode",
    ),
    ("pivot.here", "custom pivot, 3D cursor, edit pivot, insert pivot, move pivot"),
    ("children.next", "preserve children, compensate, affect only parents, bone compensation"),
    ("snap.toggle", "snapping, snap to grid, discrete move, magnet, incremental snap"),
    // Tools.
    ("tool.select", "box select, select tool, selection tool, tweak, lasso"),
    ("tool.move", "translate, grab, location, position, translation tool, move tool"),
    ("tool.rotate", "rotate bone, rotation, rotate tool, spin, gimbal, trackball, gizmo"),
    ("tool.scale", "resize, scale tool, size, shear"),
    ("tool.combined", "transform tool, universal manipulator, universal gizmo, transform gizmo"),
    ("tool.drag", "IK, inverse kinematics, auto IK, full body IK, pose tool, drag pose, IK handle"),
    (
        "tool.joint",
        "bone, add bone, create joint, joint tool, bone tool, create bones, draw skeleton",
    ),
    // Poses.
    ("pose.copy", "copy attributes, store pose, copy transform"),
    ("pose.paste", "apply copied pose, paste transform"),
    ("pose.paste_flipped", "paste x-flipped pose, paste mirrored, paste opposite"),
    ("pose.paste_flipped_selected", "paste x-flipped onto selected"),
    ("pose.paste_selected", "paste on selected"),
    (
        "pose.keep",
        "pose library, create pose asset, add pose, pose marker, store pose, pose snapshot, \
        pose editor, asset browser",
    ),
    ("pose.apply", "pose library, apply pose asset, blend pose asset, load pose, pose preset"),
    ("pose.forget", "delete pose asset, remove pose marker"),
    ("pose.rename_kept", "rename pose asset"),
    (
        "pose.reset_all",
        "rest position, rest pose, T-pose, A-pose, bind pose, go to bind pose, default pose, \
        clear pose, zero pose, clear all transforms, setup pose, reference pose",
    ),
    (
        "pose.reset",
        "clear transform, rest pose, reset transform, zero out, clear user transforms, \
        reset bone, setup pose",
    ),
    ("pose.reset_translation", "clear location, zero translation, reset position"),
    ("pose.reset_rotation", "clear rotation, zero rotation"),
    ("pose.reset_scale", "clear scale, scale to one"),
    ("pose.reset_to_file", "revert pose, original pose"),
    ("pose.rotate", "rotate by, angle, relative rotation, transform panel, absolute transform"),
    ("pose.move", "move by, translate by, relative move, offset position"),
    ("pose.scale", "scale by, resize by, relative scale"),
    ("pose.turn", "rotate around axis, rotate around pivot, world rotation, gimbal rotation"),
    ("pose.shift", "move along axis, world move"),
    ("pose.resize", "scale around pivot"),
    ("pose.set", "channel box, delta transform, pose value"),
    ("pose.set_local", "channel box, transform attributes, local matrix, type transform"),
    (
        "pose.set_world",
        "match transformations, world matrix, match transform, snap to world position",
    ),
    ("pose.mirror", "symmetrize pose, mirror animation pose, copy pose to other side"),
    ("pose.flip", "swap left and right, flip animation pose, x-flip, flip x"),
    ("pose.blend", "blend to neighbor, pose blending, blend pose, animation blend, tween"),
    (
        "pose.breakdown",
        "tween, tween machine, breakdowner, in-between, inbetween, pose breakdowner, favor",
    ),
    ("pose.relax", "relax pose to breakdown, average pose, blend to neighbor"),
    ("pose.push", "push pose, exaggerate, push pose from breakdown"),
    ("pose.to_rest", "blend to default, blend to rest, relax to rest pose, ease to bind pose"),
    (
        "pose.ik",
        "IK, inverse kinematics, IK constraint, IK handle, IK solver, two bone IK, reach, \
        IK target, snap hand to point, pole vector",
    ),
    ("pose.look_at", "aim constraint, look at constraint, track to, damped track, aim"),
    (
        "pin.set",
        "pin constraint, IK pin, point constraint, lock position, copy location, \
        parent constraint, IK stickiness, effector pinning",
    ),
    (
        "pin.hold",
        "foot slide, foot sliding, foot lock, plant foot, foot plant, lock foot, foot skate, \
        foot locking, skating",
    ),
    ("pin.clear", "delete constraints, unpin, remove constraints"),
    ("timeline.hold", "lock foot over range, plant over a range, animated pin"),
    ("node.lock_channels", "lock attributes, lock location, lock rotation, lock transform, limits"),
    ("unkeyed.discard", "reset unkeyed, drop temporary pose, discard pose"),
    ("unkeyed.set", "temporary pose, pose without keyframe, offset pose"),
    // Keys.
    (
        "key.set",
        "key, keyframe, insert keyframe, add keyframe, set keyframe, record key, key selected, \
        insert key, keying, create key, key frame, I key",
    ),
    ("key.insert", "insert key, breakdown key, add key without changing curve, insert keyframe"),
    (
        "key.delete",
        "clear keyframe, delete keyframe, keyframe, remove keyframe, cut keys, clear keys, \
        erase key",
    ),
    ("key.move", "retime keys, slide keyframes, move keyframe"),
    ("key.duplicate", "duplicate keyframe, copy key to frame"),
    ("key.scale", "scale keyframes, retime keys, time scale, stretch keys"),
    ("key.copy", "copy keyframe, copy keys to clipboard"),
    ("key.paste", "paste keyframe, paste animation"),
    ("key.ripple", "ripple edit, insert frames, remove frames, push keys, make room"),
    ("key.offset", "cycle offset, offset loop, wrap keys, overlapping action, cycle"),
    ("key.hold_next", "stepped, constant interpolation, hold key, step, step tangent, held key"),
    ("key.value", "scale key values, add to curve, key math, offset values"),
    ("key.slope", "tangent angle, curve slope, tangent slope"),
    ("key.shift", "offset animation, offset curve, global offset, animation offset"),
    (
        "track.interpolation",
        "interpolation mode, rotation interpolation, Bezier, linear, constant, stepped, \
        curve type, keyframe interpolation, step, cubic, cubic spline",
    ),
    ("key.tangents", "handle type, tangent type, auto handles, Bezier handles, flat, spline"),
    ("key.copy_tangents", "copy handles, paste tangent"),
    ("key.match_seam", "cycle tangents, match first and last tangent, cyclic"),
    ("key.kind", "keyframe type, key type, extreme, breakdown, tick color, mark key"),
    (
        "key.clean",
        "delete redundant keys, clean keyframes, static channels, remove duplicate keys, \
        clean up, remove static keys, optimize keys",
    ),
    (
        "track.euler_filter",
        "gimbal lock, gimbal, discontinuity filter, fix flips, unroll, Euler discontinuity, \
        fix rotation flips, euler",
    ),
    (
        "key.ease",
        "easing, ease in, ease out, slow in, slow out, ease in out, curve preset, cushion, bounce",
    ),
    ("key.slide", "blend to neighbor keys, slide keyframes, blend neighbor, tween keys"),
    (
        "track.filter",
        "smooth keys, Butterworth, noise, jitter, peak removal, denoise, smooth curve, \
        smooth F-curve, smooth mocap, filter curve, Gaussian smooth, key reducer filter",
    ),
    (
        "key.overlap",
        "overlapping action, follow through, drag chain, lag, offset chain, overlapper, \
        secondary motion",
    ),
    (
        "key.proportional",
        "proportional editing, soft selection, falloff keys, proportional keys, region tool",
    ),
    ("key.retime", "time warp, retime tool, region keys tool, speed curve, warp time, lattice"),
    ("key.morph", "key shape keys, blend shape key, key blendshape"),
    ("keying.translation", "key location, insert location keyframe, key position"),
    ("keying.rotation", "key rotate, insert rotation keyframe"),
    ("keying.scale", "insert scale keyframe, key size"),
    ("keying.all", "key all, LocRotScale, insert LocRotScale, key transform, keying set"),
    ("keying.limb", "key arm, key leg, key body part"),
    (
        "keying.character",
        "whole character keying set, key all controls, key full body, key everything, \
        full body key",
    ),
    (
        "keying.auto",
        "auto key, auto keying, keyframe, auto keyframe, record, auto keyframing, autokey, \
        automatic keys, auto set key",
    ),
    ("timeline.move", "grab keyframes, move keys, translate keys"),
    ("timeline.ripple", "ripple edit, insert gap"),
    ("timeline.scale", "scale keyframes, stretch keys, scale from current frame"),
    ("timeline.duplicate", "duplicate keyframes, copy keys"),
    ("timeline.later", "nudge right, nudge key"),
    ("timeline.earlier", "nudge left, nudge key back"),
    (
        "timeline.interpolation",
        "interpolation mode, Bezier, linear, constant, stepped, curve type, step, cubic, \
        cubic spline",
    ),
    (
        "timeline.tangents",
        "handle type, tangent type, auto tangent, flat tangent, spline tangent, plateau, \
        weighted tangents, break tangents, free handles, Bezier handles",
    ),
    ("timeline.kind", "keyframe type, key color, extreme, breakdown"),
    ("timeline.offset", "cycle offset, offset animation, loop offset, shift cycle"),
    ("timeline.paste_flipped", "paste flipped keys, mirror keys, paste x-flipped keyframes"),
    ("timeline.fit", "frame all keys, frame playback range, view all, home"),
    ("timeline.fit_selected", "frame selected keys, view selected"),
    (
        "timeline.curves",
        "curves, graph editor, curve editor, F-curve, F-curve editor, animation curves, \
        curve view, graph, dopesheet, dope sheet, fcurves, function curves",
    ),
    ("timeline.both", "graph editor, dope sheet, curves and keys, split timeline"),
    ("timeline.fit_height", "frame vertical, fit values, normalize view, auto frame curves"),
    ("timeline.normalize", "normalized curve display, normalized view, stacked curves"),
    ("timeline.hide_curves", "hide F-curves, hide channels, curve visibility"),
    (
        "timeline.solo_curves",
        "isolate curve, isolate curves, show only selected curves, solo channel",
    ),
    ("timeline.speed", "speed graph, velocity graph, spacing, acceleration, velocity, derivative"),
    ("timeline.ease", "easing, ease in, ease out, slow in and out, curve presets, easing mode"),
    ("timeline.proportional", "proportional editing, soft selection"),
    ("timeline.insert_on_curves", "insert key tool, insert keys, add keys to curves"),
    ("keys.all", "select all keyframes"),
    ("keys.none", "deselect keyframes"),
    ("keys.invert", "invert keyframe selection"),
    ("keys.column", "select column, column select, columns on selected keys"),
    ("keys.before", "select keys left, before current frame"),
    ("keys.after", "select keys right, after current frame"),
    ("keys.same_kind", "select grouped, similar keyframe type"),
    ("keys.same_value", "select similar keys, equal value"),
    ("timeline.lasso", "lasso select keys, circle select, free-form selection"),
    // Playing.
    ("play.toggle", "play, play animation, playback, start and stop, preview animation"),
    ("play.reverse", "play backwards, reverse playback"),
    ("play.loop", "cycle, looping, ping-pong, oscillate, playback looping, wrap mode, repeat"),
    ("play.every_frame", "no frame dropping, sync mode, free running"),
    ("play.stepped", "stepped preview, blocking, stepped mode, step, play blocking"),
    ("play.nlerp", "nlerp, linear quaternion, rotation interpolation"),
    ("play.range_start", "set preview range, in point, set start frame, work area start"),
    ("play.range_end", "set preview range, out point, set end frame, work area end"),
    ("play.range_clear", "clear preview range, full range"),
    ("play.next_frame", "step forward, forward one frame"),
    ("play.previous_frame", "step backward, back one frame"),
    (
        "play.next_key",
        "jump to keyframe, next keyframe, keyframe, step forward key, go to next key",
    ),
    ("play.previous_key", "jump to previous keyframe, previous keyframe, step back key"),
    ("play.start", "jump to start, go to start, first frame, rewind"),
    ("play.end", "jump to endpoint, jump to end, go to end, last frame"),
    ("play.go_to", "jump to frame, set current frame, current time, set time, scrub, goto"),
    // Clips.
    (
        "clip.new",
        "new action, new animation, create clip, new anim clip, create action, add animation, \
        animation sequence",
    ),
    ("clip.rename", "rename action, rename animation"),
    ("clip.duplicate", "copy action, duplicate action, duplicate animation"),
    ("clip.delete", "delete action, remove animation, unlink action, delete animation"),
    ("clip.trim", "crop animation, cut clip, trim action, set range, shorten"),
    ("clip.split", "cut clip, razor, slice, split strip, blade"),
    (
        "clip.join",
        "append animation, concatenate, merge clips, combine actions, meld, sequence clips",
    ),
    ("clip.reverse", "reverse animation, play backwards, flip time, time reverse"),
    (
        "clip.retime",
        "speed, time scale, time stretch, animation length, duration, playback speed, slow down, \
        speed up, scale animation",
    ),
    (
        "clip.rate",
        "fps, frame rate, framerate, frames per second, playback speed fps, time unit, \
        timeline fps, working units",
    ),
    ("clip.ticks", "ticks per second, time base"),
    ("clip.start_at_zero", "move to frame zero, shift animation to start, zero start"),
    ("clip.mirror", "mirror animation, flip animation, mirror action"),
    (
        "clip.close_loop",
        "make loop, cyclic, seamless loop, loop animation, cycle, cyclic animation",
    ),
    ("clip.repair_loop", "fix loop, loop pop, seamless, loop blend, cycle"),
    (
        "clip.root_motion",
        "in place, in-place animation, root bone motion, extract root motion, walk in place, \
        locomotion, travel, hips to root",
    ),
    (
        "clip.resample",
        "bake action, bake simulation, bake keyframes, sample animation, bake animation",
    ),
    (
        "clip.reduce",
        "simplify, decimate, decimate keyframes, simplify curve, key reduction, key reducer, \
        optimize animation, compress, curve compression, thin keys",
    ),
    (
        "clip.make_editable",
        "simplify, mocap cleanup, fit curve, convert to Bezier, bake to curves, simplify curve, \
        motion capture",
    ),
    ("clip.loop", "wrap mode, extrapolation, infinity, cycles modifier, cycle, pre infinity"),
    ("clip.import", "import animation, merge animation, append action, load motion, add animation"),
    (
        "clip.retarget_page",
        "retarget, HumanIK, IK Rig, animation retargeting, Mixamo, character mapping, \
        retarget animation, transfer motion, remap",
    ),
    ("clip.retarget", "retarget, batch retarget, HumanIK, remap animation"),
    ("clip.contacts", "foot contacts, ground contacts, footsteps, foot plants"),
    ("clip.hand_contacts", "hand contacts, hand on prop, hand on body, hand plants"),
    (
        "clip.clean_contacts",
        "foot slide, foot sliding, foot skate cleanup, foot lock, fix foot sliding, floor contact",
    ),
    ("clip.footfalls", "sync markers, footstep events, foot notifies, animation notify"),
    ("marker.add", "timeline marker, bookmark, event, animation event, notify, event key, label"),
    ("marker.remove", "delete marker, delete bookmark, delete event"),
    ("marker.set", "rename marker, event name, edit bookmark"),
    // Layers and the mixer.
    (
        "layer.new",
        "layer, animation layer, anim layer, additive layer, additive, create layer, \
        override layer, additive animation, tweak",
    ),
    ("layer.mute", "mute layer, disable layer"),
    ("layer.solo", "isolate layer"),
    ("layer.fold", "merge layers, flatten, merge anim layers, collapse layers, bake layer"),
    ("layer.merge_down", "merge layers, flatten down"),
    ("layer.mask", "layer mask, avatar mask, bone mask, body mask"),
    ("layer.strength", "layer weight, blend weight, influence, opacity"),
    ("layer.extract", "difference layer, additive from reference, make additive, subtract"),
    ("layer.zero_key", "zero key layer, zero weight key, zero key"),
    ("layer.split", "base layer, separate layer"),
    (
        "mix.show",
        "NLA, nonlinear animation, NLA editor, NLA strip, trax, Trax editor, time editor, \
        blend tree, timeline editor, state machine, animation blending, crossfade",
    ),
    ("mix.over", "upper body override, avatar mask, layered blend per bone, overlay animation"),
    ("mix.go", "cross-fade, crossfade, transition, blend to clip, blend out, mix duration"),
    ("mix.bake", "bake NLA, merge strips, bake strips, flatten NLA, bake time editor"),
    // The view.
    ("view.frame_all", "view all, zoom extents, home, show everything"),
    ("view.frame_selected", "zoom to selection, focus, look at selection, view selected, center"),
    ("view.perspective", "orthographic, ortho, camera projection, isometric"),
    ("view.front", "front view, numpad 1"),
    ("view.back", "back view"),
    ("view.side", "side view, numpad 3, right view"),
    ("view.other_side", "left view"),
    ("view.top", "top view, numpad 7"),
    ("view.bottom", "bottom view"),
    ("view.camera", "look through camera, camera view, active camera"),
    (
        "view.textured",
        "viewport shading, material preview, rendered, shading, textures, texture display",
    ),
    ("view.solid", "viewport shading, clay, gray shading, flat shaded, matcap"),
    ("view.wireframe", "wire, show edges, mesh edges, polygons"),
    ("view.xray", "transparent, see through, in front, x-ray joints"),
    ("view.lights", "scene lights, use all lights"),
    ("view.grid", "floor, ground plane"),
    (
        "view.joints",
        "bones, show bones, show armature, show skeleton, joint display, bone visibility",
    ),
    ("view.names", "bone names, show names, labels"),
    ("view.axes", "local rotation axes, bone axes, show axes"),
    ("view.sticks", "stick bones, octahedral, bone display, joint size, bone shape"),
    ("view.balance", "center of mass, center of gravity, balance point"),
    (
        "view.motion_paths",
        "motion trail, motion path, editable motion trail, trajectory, arc tracker, path, arcs",
    ),
    ("view.onion_skin", "ghosting, ghost, onion skinning, ghosts, ghost frames"),
    ("view.compare", "before and after, reference, overlay original, compare original"),
    ("view.hide", "hide selection, hide bone, visibility off"),
    ("view.show_all", "unhide, reveal hidden, unhide all, show hidden"),
    ("view.isolate", "local view, isolate select, solo, view selected"),
    ("view.lock", "lock selection, make unselectable, template, freeze, reference display"),
    ("view.outliner", "hierarchy, scene collection, scene tree, node tree, tree"),
    (
        "view.inspector",
        "properties, attribute editor, channel box, details panel, N panel, sidebar",
    ),
    ("view.problems", "validation, errors, warnings, report, validator"),
    ("view.timeline", "time slider, animation window, dope sheet panel"),
    ("view.theme", "dark mode, light mode, colors"),
    ("view.larger", "UI scale, zoom in interface, bigger text"),
    ("view.smaller", "UI scale, smaller text"),
    ("view.reset_layout", "reset layout, restore windows, default layout"),
    ("view.maximize_panel", "fullscreen, full screen, maximize area, toggle fullscreen area"),
    ("view.next_panel", "cycle panels, focus panel"),
    ("view.menu_bar", "menus, main menu"),
];

/// Further terms: painting, weights, the skeleton, nodes.
const MORE_TERMS: &[(&str, &str)] = &[
    ("paint.radius", "brush size, brush radius, stroke size"),
    ("paint.strength", "brush strength, brush opacity, intensity, flow"),
    ("paint.value", "brush weight, weight value, paint value"),
    ("paint.flood", "fill, apply to all, set weight, flood fill"),
    ("paint.lock", "lock influence, lock vertex group, lock weights, hold weights"),
    ("paint.unlock_all", "unlock vertex groups, unlock influences"),
    ("paint.sample", "eyedropper, sample weight, pick weight"),
    ("paint.next_influence", "sample vertex group, cycle influence, pick vertex group"),
    ("paint.previous_influence", "cycle influence back"),
    ("paint.mirror", "symmetry, x mirror, mirror vertex groups while painting, symmetric painting"),
    (
        "weights.worst",
        "stretch, deformation check, skin artifacts, candy wrapper, find bad weights",
    ),
    ("paint.bend", "pose while painting, test deformation, bend joint"),
    ("paint.unbend", "reset test pose, clear test pose"),
    ("weights.range", "ROM, range of motion test, test animation, skinning test, exercise"),
    ("weights.look", "weight colors, color ramp, heat map, weight display, multi-color"),
    ("vertices.all", "select all points, select mesh vertices"),
    ("vertices.none", "deselect points"),
    ("vertices.invert", "inverse selection"),
    ("vertices.grow", "grow selection, select more, expand selection"),
    ("vertices.shrink", "shrink selection, select less, contract selection"),
    ("vertices.linked", "select shell, select island, select connected, select element"),
    ("vertices.loop", "edge loop, select edge loop, loop select"),
    ("vertices.ring", "edge ring, select edge ring"),
    ("vertices.mirror", "select mirrored vertices, symmetry selection"),
    ("vertices.select", "select by ID, vertex index"),
    ("vertices.of_joint", "select vertex group, select affected vertices, influence vertices"),
    ("vertices.in_range", "select by weight value, weight range"),
    ("vertices.faulty", "select ungrouped, unweighted, select unassigned vertices"),
    ("vertices.open", "select boundary, open edges, holes"),
    ("vertices.crowded", "non manifold, select non manifold"),
    ("vertices.copy", "copy vertex weights, copy weight, copy skin weights"),
    ("vertices.copy_each", "component editor, weight table, spreadsheet, weight list"),
    ("vertices.paste", "paste vertex weights, paste weight, paste skin weights"),
    (
        "weights.mirror",
        "mirror skin weights, mirror vertex group, symmetrize weights, mirror weights tool",
    ),
    (
        "weights.bind",
        "automatic weights, auto weights, bind skin, smooth bind, heat map binding, bone heat, \
        geodesic voxel, with automatic weights, compute weights, parent with automatic weights",
    ),
    ("weights.clear", "remove weights, clear vertex groups, remove vertex groups"),
    (
        "weights.transfer",
        "copy skin weights, transfer weights, data transfer, copy weights from mesh, skin wrap, \
        weight transfer, skin weights transfer",
    ),
    ("weights.normalize", "normalize all, normalize weights, weight normalization"),
    ("weights.limit", "limit total, max influences, maximum bones per vertex, prune influences"),
    (
        "weights.prune",
        "prune small weights, clean vertex groups, remove small weights, prune weights",
    ),
    ("weights.quantize", "quantize weights, vertex group quantize, round weights"),
    (
        "weights.smooth",
        "smooth skin weights, smooth vertex weights, blur weights, smooth vertex groups",
    ),
    ("weights.relax", "relax skin weights, delta mush, volume preserving smooth"),
    ("weights.hammer", "weight hammer, hammer skin weights, fix stray weights, fix outliers"),
    ("weights.flood", "assign weight, set vertex group weight, fill weight, replace weight"),
    ("weights.gradient", "weight gradient, linear gradient, gradient tool, radial gradient"),
    ("weights.along", "bone gradient, falloff along bone, ribbon weights, tube weights"),
    ("weights.average", "average vertex weights, blend weights"),
    (
        "weights.assign",
        "component editor, vertex group, assign vertices, vertex weights, edit weights",
    ),
    ("weights.swap", "swap influences, exchange vertex groups"),
    (
        "weights.merge",
        "move influence weights, merge vertex groups, vertex weight mix, move skin weights",
    ),
    ("weights.sets", "JOINTS_1, eight influences, 8 bones per vertex, influence count"),
    ("weights.store", "quantize weights, weight compression, byte weights"),
    ("weights.export", "export deformer weights, export skin weights, export weight map"),
    ("weights.import", "import deformer weights, load skin weights, import weight map"),
    ("weight_layer.add", "ngSkinTools, skin layer, weights layer, paint layer"),
    ("weight_layer.flatten", "merge weight layers, collapse skin layers"),
    (
        "skin.ask",
        "skin, bind skin, smooth bind, armature deform, parent to armature, skinning, \
        rigid bind, skin modifier, bind mesh, bind bones, automatic weights",
    ),
    ("skin.ask_rebind", "reset bind pose, move skinned joints, rebind skin, detach skin"),
    ("skin.create", "bind skin, create skin cluster, armature modifier, add skin"),
    ("skin.bind", "update bindings, rebind, reset bind pose, update bind pose, set bind pose"),
    ("skin.add_joints", "add influence, add deforming bone"),
    ("skin.remove_joints", "remove influence, remove unused influences, disable deform"),
    ("skin.remove", "detach skin, unbind skin, unbind, remove armature modifier"),
    ("skin.merge", "combine skins, merge skin clusters"),
    ("skin.split", "bones per draw call, split skin by bones, bone palette"),
    (
        "skin.inverse_binds",
        "bind pre-matrix, inverse bind matrix, bind pose matrix, offset matrix, \
        recompute bind pose",
    ),
    ("joint.add", "bone, create bone, new bone, new joint, add bone"),
    (
        "joint.orient",
        "orient joint, bone roll, recalculate roll, joint orientation, align bone, local axes, \
        set roll, jointOrient",
    ),
    ("joint.move", "move pivot, edit pivot, move bone, bone head, joint position, center pivot"),
    ("joint.insert", "subdivide bone, insert joint tool, split bone, add in-between bone"),
    ("joint.dissolve", "remove joint, dissolve bone, delete joint keep children"),
    ("joint.remove", "delete bone, delete joint, delete joints"),
    ("joint.merge", "weld, merge bones, weld joints, join bones, collapse bones"),
    (
        "joint.reparent",
        "parent bone, set parent, connect joint, make child, change parent, unparent, \
        clear parent",
    ),
    (
        "joint.mirror",
        "symmetrize, mirror joint, mirror bones, symmetrize armature, mirror skeleton",
    ),
    ("joint.rename", "batch rename, search and replace names, auto-name left right, rename bones"),
    ("joint.extrude", "extrude bone, extrude, E extrude"),
    ("joint.center", "center joint, center pivot, snap joint to mesh, volume center"),
    ("joint.to_vertices", "joint from selection, snap bone to selection, bone to cluster"),
    ("joint.leaf", "leaf bones, end joints, add leaf bones, end effectors, tip bones"),
    ("joints.pair", "mirror table, left right pair, mirror partner"),
    (
        "rig.mend_armature",
        "apply transform, freeze transformations, apply scale, apply rotation, \
        apply all transforms, freeze transform, reset transforms",
    ),
    (
        "rig.rest_from_pose",
        "apply pose as rest pose, set rest pose, T-pose, apply armature, new bind pose, \
        assume preferred angle, set preferred angle, apply pose",
    ),
    ("rig.clean", "remove helper bones, delete unused bones, remove end bones"),
    ("rig.root", "root bone, add root bone, armature root, motion root"),
    ("rig.plan", "pending rig changes, preview rig changes"),
    (
        "rig.humanoid_bones",
        "humanoid avatar, VRM bones, HumanIK definition, avatar mapping, characterize, \
        configure avatar",
    ),
    ("rig.humanoid", "characterize, auto map bones, humanoid mapping"),
    ("rig.skeleton_from_nodes", "rigid figure to skeleton, convert objects to bones, slot"),
    ("rig.copy_skeleton", "import skeleton, copy armature, transfer skeleton, metarig"),
    ("rig.put_skeleton", "paste armature"),
    ("group.add", "bone group, bone collection, bone layer, control set, selection group"),
    ("group.assign", "assign to bone collection, add to bone group, move to collection"),
    ("group.set", "bone color, bone group color, hide bone collection"),
    ("group.remove", "delete bone collection, delete bone group"),
    ("node.add", "empty, locator, null, add object, create group, attachment, socket, group node"),
    ("node.duplicate", "duplicate object, copy object, instance"),
    ("node.reparent", "parent, set parent, unparent, clear parent, group under, attach"),
    ("node.remove", "delete object, delete node, delete"),
    ("node.rename", "rename object, rename bone, name, rename node"),
    ("node.rename_pattern", "batch rename, search and replace names, find and replace"),
    ("node.visibility", "visibility track, hide in render, disable in renders, active state"),
    ("mesh.remove", "delete mesh, delete geometry"),
    ("material.remove", "delete material, delete unused material"),
    ("material.height_to_normal", "bump map, bump to normal, normal map"),
    (
        "pose.morph",
        "blend shape, shape key, shape editor, morph, blendshape, facial shape, morph slider",
    ),
    ("pose.reset_morphs", "reset shape keys, zero blend shapes, clear blend shapes"),
    ("unkeyed.morph", "temporary shape key"),
    ("contact.add", "foot contact, add foot plant"),
    ("contact.remove", "delete foot contact"),
    ("contact.move", "edit foot contact"),
    ("contact.follow", "hold prop, contact space, space switch, follow prop, attach contact"),
    ("weight_layer.mirror", "mirror skin layer"),
    ("weight_layer.mask", "layer mask, weight mask"),
    ("weight_layer.opacity", "skin layer opacity"),
];

/// Terms by command name.
static BY_NAME: LazyLock<HashMap<&'static str, Vec<&'static str>>> = LazyLock::new(|| {
    let rows = TERMS.iter().chain(MORE_TERMS);
    rows.map(|(name, terms)| (*name, terms.split(", ").map(str::trim).collect())).collect()
});

impl CommandSpec {
    /// Returns the terms of other programs for the command, most common first.
    pub fn synonyms(&self) -> &'static [&'static str] {
        BY_NAME.get(self.name).map_or(&[], Vec::as_slice)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::command::find;

    #[test]
    fn every_row_has_one_command_and_distinct_terms() {
        let mut names = HashSet::new();
        for (name, _) in TERMS.iter().chain(MORE_TERMS) {
            let spec = find(name).unwrap_or_else(|| panic!("no command {name}"));
            assert_eq!(spec.name, *name, "a present name");
            assert!(names.insert(*name), "{name} twice");
            let terms: Vec<String> = spec.synonyms().iter().map(|t| t.to_lowercase()).collect();
            let different: HashSet<&String> = terms.iter().collect();
            assert_eq!(different.len(), terms.len(), "{name}: {terms:?}");
            for term in &terms {
                assert!(!term.is_empty() && !term.contains("  "), "{name}: “{term}”");
                let title = spec.title.to_lowercase();
                assert_ne!(*term, title, "{name}: the title needs no synonym");
            }
        }
    }

    #[test]
    fn commands_are_found_by_the_terms_of_other_programs() {
        let has = |name: &str, word: &str| {
            let spec = find(name).expect("a command");
            assert!(spec.synonyms().contains(&word), "{name}: {word}");
        };
        has("key.set", "insert keyframe");
        has("mode.paint", "paint skin weights");
        has("clip.reduce", "decimate");
    }
}
