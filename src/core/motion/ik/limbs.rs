//! Which joints follow when one is dragged: the limb that it ends, found from the tree alone, without a rig.

use glam::Mat4;

use crate::{
    model::{Document, NodeId},
    motion::Pose,
};

/// A bone shorter than this part of the longest of its limb turns with the one before it: wrists, twist joints in a row.
const SHORT: f32 = 0.2;
/// The first of three bones that is shorter than this part of the second is a shoulder, which stays.
const SHOULDER: f32 = 0.75;
/// The most bones of a limb that nobody asked for.
const MOST: usize = 24;

/// A chain of joints.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limb {
    /// The nodes from its root to its end, each the parent of the next.
    pub nodes: Vec<NodeId>,
    /// Which of them turn, as indices, the root first; the end is none of them.
    pub turns: Vec<usize>,
}

impl Limb {
    /// The joint it turns about.
    pub fn root(&self) -> Option<NodeId> {
        self.turns.first().map(|k| self.nodes[*k])
    }

    /// The joint at its end.
    pub fn end(&self) -> Option<NodeId> {
        self.nodes.last().copied()
    }
}

/// Whether a joint has joints below it.
fn goes_on(document: &Document, joints: &[bool], node: NodeId) -> bool {
    document.children(node).iter().any(|c| joints.get(c.index()) == Some(&true))
}

/// Whether several limbs hang on a joint: joints below it that go on, beside `line`.
fn branches(document: &Document, joints: &[bool], node: NodeId, line: NodeId) -> bool {
    let others = document.children(node).iter().filter(|c| **c != line && joints.get(c.index()) == Some(&true));
    others.filter(|c| goes_on(document, joints, **c)).count() > 0
}

/// The limb that a node ends: up to, and without, the joint on which several limbs hang. `bones` is how many bones it has, where
/// a person says so; `inclusive`: the node itself turns, too, since a point on its skin is dragged.
///
/// Nothing where no joint is above it.
pub fn limb_of(document: &Document, pose: &Pose, node: NodeId, bones: Option<usize>, inclusive: bool) -> Option<Limb> {
    let joints = document.joint_flags();
    let at = |n: NodeId| pose.world[n.index()].w_axis.truncate();
    let mut up = vec![node];
    let mut line = node;
    while let Some(parent) = document.node(line).parent {
        let is_joint = joints.get(parent.index()) == Some(&true) || document.node(parent).mesh.is_none();
        let enough = bones.is_some_and(|b| up.len() > b);
        let ends = bones.is_none() && (branches(document, &joints, parent, line) || up.len() > MOST);
        // The root of a scene turns nobody's limb.
        if !is_joint || enough || ends || (bones.is_none() && !joints[parent.index()]) {
            break;
        }
        up.push(parent);
        line = parent;
    }
    up.reverse();
    let last = up.len() - 1;
    let length = |k: usize| at(up[k]).distance(at(up[k + 1]));
    let lengths: Vec<f32> = (0..last).map(length).collect();
    let longest = lengths.iter().copied().fold(0.0, f32::max);
    let mut turns: Vec<usize> = (0..last).filter(|k| lengths[*k] > longest * 1e-4).collect();
    if bones.is_none() {
        if turns.len() > 2 {
            let long: Vec<usize> = turns.iter().copied().filter(|k| lengths[*k] >= longest * SHORT).collect();
            turns = if long.len() >= 2 { long } else { turns };
        }
        if turns.len() == 3 && lengths[turns[0]] < lengths[turns[1]] * SHOULDER && !inclusive {
            turns.remove(0);
        }
    }
    if inclusive {
        turns.push(last);
    }
    let first = *turns.first()?;
    let nodes = up.split_off(first);
    Some(Limb { nodes, turns: turns.into_iter().map(|k| k - first).collect() })
}

/// The joint that carries the body a node belongs to: the highest above it on which several limbs hang, or the highest joint.
pub fn body_of(document: &Document, node: NodeId) -> NodeId {
    let joints = document.joint_flags();
    let mut above: Vec<NodeId> = std::iter::successors(Some(node), |n| document.node(*n).parent).collect();
    above.retain(|n| joints[n.index()]);
    let branching = |n: &NodeId| document.children(*n).iter().filter(|c| goes_on(document, &joints, **c)).count() > 1;
    let highest = above.last().copied().unwrap_or(node);
    above.into_iter().rev().find(branching).unwrap_or(highest)
}

/// The ends of the limbs on which a body stands: of limbs of two bones or more that come in pairs and on which no others hang, those
/// that hang on the joint that carries it, and those farther up, fore legs and hands, that
/// reach the ground at rest.
pub fn legs_of(document: &Document, pose: &Pose, body: NodeId) -> Vec<NodeId> {
    /// Parts of a length by which two legs differ at most.
    const ALIKE: f32 = 0.1;
    /// Parts of a body's height below which something stands on the ground.
    const LOW: f32 = 0.2;
    let joints = document.joint_flags();
    let at = |n: NodeId| pose.world[n.index()].w_axis.truncate();
    let below = |n: NodeId| document.children(n).iter().copied().filter(|c| joints[c.index()]).collect::<Vec<_>>();
    let mut all = vec![body];
    let mut seen = 0;
    while let Some(node) = all.get(seen).copied() {
        all.extend(below(node));
        seen += 1;
    }
    // What is a foot is told at rest, whatever is lifted just now.
    let mut rest = vec![Mat4::IDENTITY; document.nodes.len()];
    for node in document.nodes.order() {
        let above = document.node(*node).parent.map_or(Mat4::IDENTITY, |p| rest[p.index()]);
        rest[node.index()] = above * document.node(*node).rest.matrix();
    }
    let heights = all.iter().map(|n| rest[n.index()].w_axis.y);
    let (low, high) = (heights.clone().fold(f32::INFINITY, f32::min), heights.fold(f32::NEG_INFINITY, f32::max));
    let is_low = |n: NodeId| rest[n.index()].w_axis.y - low <= (high - low) * LOW;
    // Down a limb: the first that is near the ground; of one in the air the end of its second bone.
    let leg = |first: NodeId, hangs_on_body: bool| -> Option<(NodeId, f32)> {
        let mut node = first;
        let mut in_air = None;
        loop {
            let next = below(node);
            let on: Vec<NodeId> = next.iter().copied().filter(|c| goes_on(document, &joints, *c)).collect();
            node = match (&on[..], &next[..]) {
                ([one], _) | ([], [one]) => *one,
                _ => return in_air,
            };
            let limb = limb_of(document, pose, node, None, false)?;
            if limb.turns.len() >= 2 {
                let places: Vec<_> = limb.turns.iter().map(|k| at(limb.nodes[*k])).chain([at(node)]).collect();
                let found = (node, places.windows(2).map(|p| p[0].distance(p[1])).sum());
                if is_low(node) {
                    return Some(found);
                }
                in_air = in_air.or(hangs_on_body.then_some(found));
            }
        }
    };
    let mut found = Vec::new();
    for carrier in all {
        let legs: Vec<(NodeId, f32)> = below(carrier).into_iter().filter_map(|n| leg(n, carrier == body)).collect();
        let paired = |(node, length): &(NodeId, f32)| {
            legs.iter().any(|(other, l)| other != node && (l - length).abs() <= ALIKE * length)
        };
        found.extend(legs.iter().filter(|l| paired(l)).map(|(node, _)| *node));
    }
    found
}
