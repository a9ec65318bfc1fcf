//! Directions of bones, used for the axes and the roll of joints.

use std::sync::Arc;

use glam::DVec3;

use crate::Mirror;
use ulna_model::{Document, NodeId};

/// Directions of the bones of a skeleton. `H` returns the position of a joint in the scene.
pub struct BoneDirections<'d, H> {
    document: &'d Document,
    /// One flag per node: whether it is a joint. All nodes count as joints if the file has no
    /// joints.
    joints: Vec<bool>,
    /// One flag per node: whether it is a loose joint, which belongs to no skin.
    loose: Vec<bool>,
    mirror: Arc<Mirror>,
    head: H,
}

impl<'d, H: Fn(NodeId) -> DVec3> BoneDirections<'d, H> {
    /// Creates the directions for the joints of a document.
    pub fn of(document: &'d Document, head: H) -> Self {
        let joints = document.joint_flags();
        let has_joints = joints.contains(&true);
        let joints = if has_joints { joints } else { vec![true; joints.len()] };
        let loose = document.loose_joint_flags();
        Self { document, joints, loose, mirror: Mirror::of(document), head }
    }

    /// Whether a node counts as a joint next to the node `beside`. Joints that belong to no skin
    /// count only next to each other.
    fn is_joint(&self, node: NodeId, beside: NodeId) -> bool {
        let (node, beside) = (node.index(), beside.index());
        self.joints[node] || (self.loose[beside] && self.loose[node])
    }

    /// Finds the nearest descendant joints of a node.
    fn below(&self, node: NodeId) -> Vec<NodeId> {
        let mut found = Vec::new();
        let mut open: Vec<NodeId> = self.document.children(node).iter().rev().copied().collect();
        while let Some(next) = open.pop() {
            if self.is_joint(next, node) {
                found.push(next);
            } else {
                open.extend(self.document.children(next).iter().rev());
            }
        }
        found
    }

    /// Finds the nearest ancestor joint of a node.
    pub fn above(&self, node: NodeId) -> Option<NodeId> {
        let parent = |n: &NodeId| self.document.node(*n).parent;
        std::iter::successors(parent(&node), parent).find(|n| self.is_joint(*n, node))
    }

    /// Returns the bone of a joint as a vector in the scene, in meters.
    ///
    /// The bone points to the child joint. Of several child joints, the one in the middle of the
    /// body is chosen. If there is none, the joint that is farthest in the direction from the
    /// parent joint is chosen. A joint at the end of a chain continues the direction from its
    /// parent joint. `None` if the joint has neither children nor a parent.
    pub fn bone(&self, node: NodeId) -> Option<DVec3> {
        let head = (self.head)(node);
        let above = self.above(node).map(|p| head - (self.head)(p)).filter(|w| is_some(*w));
        // Distance of a child joint along the direction from the parent joint. Without a parent
        // joint, the distance to the child.
        let ahead = |way: DVec3| match above {
            Some(above) => way.dot(above.normalize()),
            None => way.length(),
        };
        let ways = |nodes: &[NodeId]| -> Option<DVec3> {
            let ways = nodes.iter().map(|n| (self.head)(*n) - head).filter(|w| is_some(*w));
            // If several children are equally far, the first one is used.
            ways.reduce(|a, b| if ahead(b) > ahead(a) + 1e-6 * a.length() { b } else { a })
        };
        let below = self.below(node);
        let is_center = |n: &NodeId| self.mirror.partner(*n) == Some(*n);
        let center: Vec<NodeId> = match is_center(&node) {
            true => below.iter().copied().filter(is_center).collect(),
            false => Vec::new(),
        };
        ways(&center).or_else(|| ways(&below)).or(above)
    }
}

fn is_some(way: DVec3) -> bool {
    way.is_finite() && way.length() > 1e-9
}
