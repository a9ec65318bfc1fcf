//! Directions of bones, used for the axes and the roll of joints.

use std::sync::Arc;

use glam::DVec3;

use crate::Mirror;
use ulna_model::{Document, NodeId};

/// Directions of the bones of a skeleton. `H` returns the position of a joint in the scene.
pub struct BoneDirections<'d, H> {
    document: &'d Document,
    /// Whether each node is a joint. All nodes, if the file has no joints.
    joints: Vec<bool>,
    /// Whether each node is a loose joint, which belongs to no skin.
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

    /// Whether a node is a joint relative to `beside`: loose joints count only next to loose
    /// joints.
    fn is_joint(&self, node: NodeId, beside: NodeId) -> bool {
        let (node, beside) = (node.index(), beside.index());
        self.joints[node] || (self.loose[beside] && self.loose[node])
    }

    /// The nearest joints below a node.
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

    /// The nearest joint above a node.
    pub fn above(&self, node: NodeId) -> Option<NodeId> {
        let parent = |n: &NodeId| self.document.node(*n).parent;
        std::iter::successors(parent(&node), parent).find(|n| self.is_joint(*n, node))
    }

    /// Direction and length of the bone of a joint, as a vector in the scene, in meters. The bone
    /// points to the joint below. If there are several, it points to the one in the middle of the
    /// body, or else to the one farthest ahead. At the end of a chain, it points away from the
    /// joint above. `None` if there is neither.
    pub fn bone(&self, node: NodeId) -> Option<DVec3> {
        let head = (self.head)(node);
        let above = self.above(node).map(|p| head - (self.head)(p)).filter(|w| is_some(*w));
        // Distance ahead of a joint below, along the bone above; without a bone above, its
        // distance.
        let ahead = |way: DVec3| match above {
            Some(above) => way.dot(above.normalize()),
            None => way.length(),
        };
        let ways = |nodes: &[NodeId]| -> Option<DVec3> {
            let ways = nodes.iter().map(|n| (self.head)(*n) - head).filter(|w| is_some(*w));
            // In case of a tie, the first.
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
