//! Picking of joints by their screen distance, so that they can be picked through the mesh.

use glam::Vec2;

use super::domain::PickedBone;
use crate::ui::View;
use ulna_model::NodeId;

/// Pick distance around a bone, in points. Click targets are at least 12 points wide.
const REACH: f32 = 7.0;

/// Joint of the nearest bone within the pick distance of a viewport point.
pub fn joint_at(view: &View<'_>, at: Vec2, size: Vec2) -> Option<NodeId> {
    bone_at(view, at, size).map(|b| b.joint)
}

/// Nearest bone within the pick distance of a viewport point.
pub fn bone_at(view: &View<'_>, at: Vec2, size: Vec2) -> Option<PickedBone> {
    bones_at(view, at, size).first().copied()
}

/// Bones near a viewport point, one per joint. Joints that influence vertices come first, then
/// nearer bones.
pub fn bones_at(view: &View<'_>, at: Vec2, size: Vec2) -> Vec<PickedBone> {
    if !view.options.joints {
        return Vec::new();
    }
    let mut found: Vec<(f32, PickedBone)> = Vec::new();
    let free = |node: &NodeId| !view.is_hidden(*node) && !view.is_locked(*node);
    for bone in view.viewport.bones.iter().filter(|b| free(&b.joint)) {
        let (Some((head, depth)), Some((tail, _))) = (
            view.viewport.camera.project(bone.head, size),
            view.viewport.camera.project(bone.tail, size),
        ) else {
            continue;
        };
        // No special case is needed near the tail, because the head of the next joint is nearer
        // there.
        let part = along(at, head, tail);
        let distance = at.distance(head.lerp(tail, part));
        if distance <= REACH {
            let is_head = at.distance(head) <= 1.5 * REACH;
            // Rig mode: where two bones meet, prefer the bone with its head there.
            let beside = if view.mode.spec().edits_rest && !is_head { REACH } else { 0.0 };
            // Of two bones at the same distance, prefer the one in front.
            let score = distance + beside + depth / view.viewport.camera.distance * 0.5;
            let spot = bone.head.lerp(bone.tail, part);
            // Rig mode edits all joints, including those without influence.
            let deforms = view.mode.spec().edits_rest
                || !view.deforms.contains(&true)
                || view.deforms.get(bone.joint.index()) == Some(&true);
            found.push((score, PickedBone { joint: bone.joint, spot, is_head, deforms }));
        }
    }
    found.sort_by(|a, b| b.1.deforms.cmp(&a.1.deforms).then(a.0.total_cmp(&b.0)));
    let mut seen = std::collections::BTreeSet::new();
    found.retain(|(_, bone)| seen.insert(bone.joint));
    found.into_iter().map(|(_, bone)| bone).collect()
}

/// Joints with the head of a bone inside an area of the viewport.
pub fn joints_in(view: &View<'_>, size: Vec2, inside: &dyn Fn(Vec2) -> bool) -> Vec<NodeId> {
    let mut nodes: Vec<NodeId> = view
        .viewport
        .bones
        .iter()
        .filter(|b| !view.is_hidden(b.joint) && !view.is_locked(b.joint))
        .filter(|b| view.viewport.camera.project(b.head, size).is_some_and(|(p, _)| inside(p)))
        .map(|b| b.joint)
        .collect();
    nodes.sort_unstable();
    nodes.dedup();
    nodes
}

/// Distance of a point from a line segment.
pub fn segment_distance(p: Vec2, a: Vec2, b: Vec2) -> f32 {
    p.distance(a.lerp(b, along(p, a, b)))
}

/// Position of the point nearest to `p` on a line segment: 0 at `a`, 1 at `b`.
fn along(p: Vec2, a: Vec2, b: Vec2) -> f32 {
    let ab = b - a;
    ((p - a).dot(ab) / ab.length_squared().max(1e-9)).clamp(0.0, 1.0)
}
