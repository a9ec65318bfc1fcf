//! The skeleton as lines in space: what the viewport draws and what a click near it means.

use glam::Vec3;

use super::{Pose, joint_bounds};
use crate::model::{Document, NodeId};

/// A joint's body, from its head towards one of its children, or a stub where it has none.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bone {
    /// The joint it belongs to: the one at its head.
    pub joint: NodeId,
    /// The joint at its tail, where it is no stub.
    pub child: Option<NodeId>,
    /// Scene space, metres.
    pub head: Vec3,
    /// Scene space, metres.
    pub tail: Vec3,
}

/// All bones of the shown skeletons. Joints without joints below get a stub that goes on as their parent did.
pub fn bones(document: &Document, pose: &Pose, joints: &[bool]) -> Vec<Bone> {
    let at = |id: NodeId| pose.world[id.index()].w_axis.truncate();
    let size = joint_bounds(document, pose).map_or(1.0, |(low, high)| (high - low).length()).max(1e-6);
    let mut list = Vec::new();
    for id in document.shown_nodes() {
        if !joints[id.index()] || !at(id).is_finite() {
            continue;
        }
        let head = at(id);
        let before = list.len();
        for child in document.children(id).iter().filter(|c| joints[c.index()]) {
            let tail = at(*child);
            if tail.is_finite() && tail.distance(head) > size * 1e-5 {
                list.push(Bone { joint: id, child: Some(*child), head, tail });
            }
        }
        if list.len() == before {
            let parent = document.node(id).parent.filter(|p| joints[p.index()]).map(at);
            let along = parent.map_or(Vec3::Y * size * 0.05, |p| (head - p) * 0.45);
            let length = along.length().clamp(size * 0.008, size * 0.06);
            let tail = head + along.normalize_or(Vec3::Y) * length;
            list.push(Bone { joint: id, child: None, head, tail });
        }
    }
    list
}
