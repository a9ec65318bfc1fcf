//! The hundred actions of `docs/keys.md`: start state and expected effect of each.

use std::collections::BTreeSet;

use ulna::ui::Mode;
use ulna_edit::command::ToolCommand;
use ulna_model::{NodeId, Property, transform::angle_between};
use ulna_render::Shading;

use super::{
    key_maps::{On, Seen},
    posing::place,
};
use crate::common::paint::total;

/// One action of `docs/keys.md`.
pub(super) struct Act {
    pub name: &'static str,
    pub on: On,
    /// Whether the action writes a file, so that the test must wait.
    pub saves: bool,
    /// Returns whether the action had its effect, given the states before and after it.
    pub works: fn(&Seen, &Seen) -> bool,
}

const fn act(name: &'static str, on: On, works: fn(&Seen, &Seen) -> bool) -> Act {
    Act { name, on, saves: false, works }
}

pub(super) const ACTS: [Act; 100] = [
    act("Orbit the view", On::Pose, |b, a| {
        b.camera.yaw != a.camera.yaw && b.camera.target == a.camera.target
    }),
    act("Pan the view", On::Pose, |b, a| {
        b.camera.target != a.camera.target && b.camera.yaw == a.camera.yaw
    }),
    act("Zoom by dragging", On::Pose, |b, a| {
        b.camera.distance != a.camera.distance && b.camera.yaw == a.camera.yaw
    }),
    act("Zoom by the wheel", On::Pose, |b, a| b.camera.distance != a.camera.distance),
    act("Frame the selection", On::Pose, |b, a| a.camera.distance < b.camera.distance * 0.8),
    act("Frame everything", On::Framed, |b, a| {
        b.camera.target != a.camera.target || b.camera.distance != a.camera.distance
    }),
    act("Front view", On::Pose, |b, a| {
        a.camera.yaw == 0.0 && a.camera.pitch == 0.0 && b.camera.yaw != 0.0
    }),
    act("Opposite view", On::Pose, |b, a| turned(b, a, std::f32::consts::PI)),
    act("Step around the model", On::Pose, |b, a| turned(b, a, std::f32::consts::PI / 12.0)),
    act("Wireframe", On::Pose, |_, a| a.options.shading == Shading::Wireframe),
    act("Surfaces without materials", On::Pose, |_, a| a.options.shading == Shading::Solid),
    act("Surfaces with materials", On::Solid, |_, a| {
        a.options.shading == Shading::Textured && !a.popup
    }),
    act("Show or hide the side panel", On::Pose, |b, a| b.options.inspector != a.options.inspector),
    act("Maximize a panel", On::Pose, |b, a| !b.maximized && a.maximized),
    act("Menus by a key", On::Pose, |b, a| !b.popup && a.popup),
    act("Hide", On::Pose, |b, a| {
        b.hidden.is_empty()
            && a.hidden.contains(&a.named("LeftLowerArm"))
            && !a.hidden.contains(&a.named("Head"))
    }),
    act("Show all", On::Hidden, |b, a| !b.hidden.is_empty() && a.hidden.is_empty()),
    act("Isolate", On::Pose, |_, a| {
        a.hidden.contains(&a.named("Head")) && !a.hidden.contains(&a.named("LeftLowerArm"))
    }),
    act("Hide all that is not selected", On::Pose, |_, a| {
        a.hidden.contains(&a.named("Head")) && !a.hidden.contains(&a.named("LeftLowerArm"))
    }),
    act("Undo", On::Posed, |b, a| b.steps == 1 && a.steps == 0),
    act("Redo", On::Undone, |b, a| b.steps == 0 && a.steps == 1 && angle(b, a) > 20.0),
    act("Repeat the last edit", On::Posed, |b, a| a.steps == 2 && (angle(b, a) - 30.0).abs() < 0.1),
    Act { saves: true, ..act("Save", On::Posed, |b, a| b.file != a.file) },
    act("Save as", On::Posed, |b, a| !b.typing && a.typing),
    act("Open", On::Pose, |b, a| !b.typing && a.typing),
    act("Select a joint", On::OtherJoint, |_, a| a.nodes == of(a, &["RightLowerArm"])),
    act("Add a joint to the selection", On::OtherJoint, |_, a| {
        a.nodes == of(a, &["LeftLowerArm", "RightLowerArm"])
    }),
    act("Select by a box", On::Area, |_, a| {
        has(a, "LeftFoot") && has(a, "RightFoot") && !has(a, "LeftLowerArm")
    }),
    act("Add by a box", On::Area, |_, a| has(a, "LeftFoot") && has(a, "LeftLowerArm")),
    act("Take out by a box", On::AreaOfAll, |b, a| {
        has(b, "LeftFoot") && !has(a, "LeftFoot") && has(a, "Head")
    }),
    act("Deselect by a click beside the model", On::Pose, |b, a| {
        !b.nodes.is_empty() && a.nodes.is_empty()
    }),
    act("Select by a box that begins anywhere", On::Area, |_, a| {
        has(a, "LeftFoot") && has(a, "RightFoot") && !has(a, "LeftLowerArm")
    }),
    act("Select by a circle", On::OtherJoint, |_, a| {
        has(a, "RightLowerArm") || has(a, "RightHand")
    }),
    act("Select all joints", On::Pose, |_, a| a.nodes.len() > 20),
    act("Deselect all", On::Pose, |b, a| !b.nodes.is_empty() && a.nodes.is_empty()),
    act("Invert the selection", On::Pose, |_, a| a.nodes.len() > 20 && !has(a, "LeftLowerArm")),
    act("Select the parent", On::Pose, |_, a| a.nodes == of(a, &["LeftUpperArm"])),
    act("Select the child", On::Pose, |_, a| a.nodes == of(a, &["LeftHand"])),
    act("Select the previous sibling", On::Sibling, |b, a| {
        a.nodes.len() == 1 && a.nodes != b.nodes && before(b, a)
    }),
    act("Select connected joints", On::Joint, |_, a| a.nodes.len() > 1 && has(a, "LeftHand")),
    act("Select in the outliner", On::Row, |_, a| a.nodes == of(a, &["Head"])),
    act("Select a range in the outliner", On::Row, |_, a| {
        a.nodes.len() > 2 && has(a, "Head") && has(a, "LeftLowerArm")
    }),
    act("Add in the outliner", On::Row, |_, a| a.nodes == of(a, &["Head", "LeftLowerArm"])),
    act("Move", On::Tool, |_, a| a.tool == ToolCommand::Move),
    act("Rotate", On::Tool, |_, a| a.tool == ToolCommand::Rotate),
    act("Scale", On::Tool, |_, a| a.tool == ToolCommand::Scale),
    act("Select tool", On::Pose, |b, a| b.tool != a.tool && a.tool == ToolCommand::Select),
    act("Move by a handle", On::Handle("tool.move", "Handle: Move along X"), |b, a| {
        a.arm().translation != b.arm().translation
    }),
    act(
        "Rotate by a ring",
        On::Handle("tool.rotate", "Handle: Rotate around the view axis"),
        |b, a| angle(b, a) > 1.0,
    ),
    act("Scale by a handle", On::Handle("tool.scale", "Handle: Scale along X"), |b, a| {
        a.arm().scale != b.arm().scale
    }),
    act("Rotate about an axis by a typed angle", On::Pose, |b, a| {
        a.steps == 1 && (angle(b, a) - 30.0).abs() < 0.01
    }),
    act("Cancel a transform", On::Pose, |b, a| {
        a.steps == 0 && a.document == b.document && !a.popup
    }),
    act(
        "Rotate in steps",
        On::Handle("tool.rotate", "Handle: Rotate around the view axis"),
        |b, a| angle(b, a) > 1.0 && is_multiple(angle(b, a), 5.0),
    ),
    act("Move in steps of the grid", On::Handle("tool.move", "Handle: Move along X"), |b, a| {
        a.steps == 1 && is_on_steps(b, a)
    }),
    act("Set the pivot", On::Joint, |b, a| a.pivot != b.pivot && a.pivot.contains("Custom")),
    act("Larger handles", On::Pose, |b, a| a.options.gizmo_size > b.options.gizmo_size),
    act("Reset the rotation", On::Posed, |b, a| a.steps == 2 && angle(b, a) > 20.0),
    act("Copy a pose", On::Posed, |_, a| a.copied),
    act("Paste a pose", On::CopiedPose, |b, a| a.steps > b.steps && angle(b, a) > 20.0),
    act("Breakdown pose", On::Clip, |_, a| a.steps == 1 && !a.document.aids.unkeyed.is_empty()),
    act("Change the skeleton", On::Pose, |_, a| a.mode == Mode::Rig),
    act("Pose without a clip", On::Clip, |b, a| b.mode == Mode::Animate && a.mode == Mode::Pose),
    act("Duplicate a joint", On::Rig, |b, a| a.nodes_there() > b.nodes_there()),
    act("Remove a joint", On::Rig, |b, a| a.plans || a.nodes_there() < b.nodes_there()),
    act("Attach a joint to another parent", On::Rig, |b, a| !b.asks && a.asks),
    act("Rename", On::Row, |b, a| !b.typing && a.typing),
    act("Set a key", On::Clip, |b, a| a.key_count() > b.key_count()),
    act("Key the translation", On::Clip, |b, a| {
        a.keys_of(Property::Translation) > b.keys_of(Property::Translation)
    }),
    act("Key the rotation", On::Clip, |b, a| {
        a.keys_of(Property::Rotation) > b.keys_of(Property::Rotation)
    }),
    act("Key the scale", On::Clip, |b, a| a.keys_of(Property::Scale) > b.keys_of(Property::Scale)),
    act("Delete the keys at the playhead", On::AtKey, |b, a| {
        a.key_count() < b.key_count() && b.keys.is_empty()
    }),
    act("Play", On::Clip, |_, a| a.playing),
    act("Next frame", On::Clip, |b, a| frames(b, a) == 1),
    act("Previous frame", On::Clip, |b, a| frames(b, a) == -1),
    act("Next key", On::Clip, |b, a| a.time > b.time && !a.playing),
    act("Previous key", On::Clip, |b, a| a.time < b.time),
    act("Go to the start", On::Clip, |b, a| b.time > 0.0 && a.time == 0.0),
    act("Scrub", On::Ruler, |_, a| a.time > 0.1 && a.steps == 0),
    act("Take the pose to another time", On::Ruler, |_, a| {
        a.time > 0.1 && a.document.aids.unkeyed.len() == 1
    }),
    act("Play only a range", On::Range, |b, a| b.range.is_none() && a.range.is_some()),
    act("Play the whole clip again", On::Ranged, |b, a| b.range.is_some() && a.range.is_none()),
    act("Select a key", On::Key, |b, a| b.keys.is_empty() && !a.keys.is_empty()),
    act("Add a key to the selection", On::NextKey, |b, a| {
        !b.keys.is_empty() && a.keys.len() > b.keys.len()
    }),
    act("Select keys by a box", On::Sheet, |b, a| b.keys.is_empty() && !a.keys.is_empty()),
    act("Deselect all keys", On::BesideKey, |b, a| !b.keys.is_empty() && a.keys.is_empty()),
    act("Move keys by dragging", On::SelectedKey, |b, a| a.steps == 1 && a.document != b.document),
    act("Copy keys", On::SelectedKey, |_, a| a.copied),
    act("Paste keys", On::CopiedKeys, |b, a| a.steps == 1 && a.document != b.document),
    act("Delete keys", On::SelectedKey, |b, a| a.key_count() < b.key_count()),
    act("Interpolation of keys", On::SelectedKey, |_, a| a.steps == 1),
    act("Tangents of keys", On::SelectedKey, |_, a| a.steps == 1),
    act("Add a marker", On::Sheet, |b, a| a.markers() == b.markers() + 1),
    act("Context menu of a joint", On::Joint, |b, a| !b.popup && a.popup),
    act("Context menu of keys", On::SelectedKey, |b, a| !b.popup && a.popup),
    act("Paint weights", On::Paint, |_, a| a.label.contains("Paint")),
    act("Smooth weights", On::Paint, |_, a| a.label.contains("Smooth")),
    act("Subtract weights", On::Paint, |b, a| a.steps == 1 && weight(a) < weight(b)),
    act("Radius of the brush", On::Paint, |b, a| a.steps == 0 && a.brush.radius != b.brush.radius),
    act("Value of the brush", On::Paint, |b, a| a.steps == 0 && a.brush.value != b.brush.value),
    act("Flood", On::Paint, |b, a| a.steps == 1 && weight(a) > weight(b)),
];

/// Returns nodes by their names.
fn of(seen: &Seen, names: &[&str]) -> BTreeSet<NodeId> {
    names.iter().map(|name| seen.named(name)).collect()
}

/// Whether a node is selected.
fn has(seen: &Seen, name: &str) -> bool {
    seen.nodes.contains(&seen.named(name))
}

/// Returns the angle by which the left forearm rotated, in degrees.
fn angle(b: &Seen, a: &Seen) -> f32 {
    angle_between(b.arm().rotation, a.arm().rotation).to_degrees()
}

/// Whether the camera orbited around the model by an angle, to either side.
fn turned(b: &Seen, a: &Seen, by: f32) -> bool {
    let way = (a.camera.yaw - b.camera.yaw).rem_euclid(std::f32::consts::TAU);
    let way = way.min(std::f32::consts::TAU - way);
    (way - by).abs() < 1e-3 && a.camera.target == b.camera.target
}

fn is_multiple(value: f32, of: f32) -> bool {
    (value / of - (value / of).round()).abs() < 1e-2
}

/// Whether the left forearm moved by whole steps, or onto a grid line.
fn is_on_steps(b: &Seen, a: &Seen) -> bool {
    const STEP: f32 = 0.01;
    let place = |seen: &Seen| place(&seen.document, seen.named("LeftLowerArm"));
    let (from, to) = (place(b), place(a));
    let on_line = to.to_array().into_iter().zip(from.to_array());
    let mut on_line = on_line.filter(|(to, from)| (to - from).abs() > 1e-5);
    from.distance(to) > 1e-4
        && (is_multiple(from.distance(to), STEP) || on_line.any(|(to, _)| is_multiple(to, STEP)))
}

/// Returns the number of frames by which the playhead moved.
fn frames(b: &Seen, a: &Seen) -> i64 {
    ((a.time - b.time) * a.fps).round() as i64
}

/// Whether the active node is now the previous sibling. The sibling before the first is the last
/// one.
fn before(b: &Seen, a: &Seen) -> bool {
    let (Some(was), Some(is)) = (b.active, a.active) else { return false };
    let parent = a.document.node(was).parent.expect("a parent");
    let siblings = a.document.children(parent);
    let at = |node| siblings.iter().position(|s| *s == node);
    let (was, is) = (at(was).expect("a sibling"), at(is));
    is == Some((was + siblings.len() - 1) % siblings.len())
}

/// Returns the total weight of the painted joint over all vertices.
fn weight(seen: &Seen) -> f64 {
    total(&seen.document, "LeftUpperArm")
}
