//! Directions of bones, which axes and the roll of joints follow.

use std::sync::Arc;

use glam::DVec3;

use crate::Mirror;
use ulna_model::{Document, NodeId};

/// Directions of the bones of a skeleton. `H`: the position of a joint in the scene.
pub struct BoneDirections<'d, H> {
    document: &'d Document,
    /// By node. All nodes in a file without joints.
    joints: Vec<bool>,
    /// Joints that no skin names, by node.
    loose: Vec<bool>,
    mirror: Arc<Mirror>,
    head: H,
}

impl<'d, H: Fn(NodeId) -> DVec3> BoneDirections<'d, H> {
    /// Of the joints of a document.
    pub fn of(document: &'d Document, head: H) -> Self {
        let joints = document.joint_flags();
        let has_joints = joints.contains(&true);
        let joints = if has_joints { joints } else { vec![true; joints.len()] };
        let loose = document.loose_joint_flags();
        Self { document, joints, loose, mirror: Mirror::of(document), head }
    }

    /// Whether a node is a joint beside a joint: a loose joint has loose ones beside it.
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

    /// The direction and length of the bone of a joint in the scene, in meters: to the joint below,
    /// of several to the one in the middle of the body or else the one farthest ahead, and at the
    /// end of a chain away from the joint above; `None` where it has none.
    pub fn bone(&self, node: NodeId) -> Option<DVec3> {
        let head = (self.head)(node);
        let above = self.above(node).map(|p| head - (self.head)(p)).filter(|w| is_some(*w));
        // How far a joint below is ahead; without a bone before it, how far away.
        let ahead = |way: DVec3| match above {
            Some(above) => way.dot(above.normalize()),
            None => way.length(),
        };
        let ways = |nodes: &[NodeId]| -> Option<DVec3> {
            let ways = nodes.iter().map(|n| (self.head)(*n) - head).filter(|w| is_some(*w));
            // Of two that are as far ahead, the first.
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
