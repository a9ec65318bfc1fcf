//! Limbs: chains of joints that move when the joint at their end is dragged. They are found from
//! the tree of nodes, without a rig.

use std::{cell::OnceCell, sync::Arc};

use glam::Mat4;

use crate::{
    Pose, Skeleton, humanoid::BodyPart, known::known, mirror_pairs::Side, rig::Rig, roles::roles_of,
};
use ulna_model::{Document, NodeId};

/// Maximum length of a short bone, relative to the longest bone of its limb. A short bone rotates
/// with the bone before it. Examples are wrists and chains of twist joints.
const SHORT: f32 = 0.2;
/// Maximum length of a shoulder, relative to the second bone. A shoulder is the first of three
/// bones, and does not move.
const SHOULDER: f32 = 0.75;
/// Maximum number of bones of a limb, unless a number is requested.
const MOST: usize = 24;
/// Maximum length of a bone that counts as 0, relative to the longest bone.
const NONE: f32 = 1e-4;

/// A chain of nodes from a root joint to an end joint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limb {
    /// The nodes from the root to the end, each the parent of the next. Helper nodes between joints
    /// are included.
    pub nodes: Vec<NodeId>,
    /// Indices into `nodes` of the rotating nodes, from the root on. The end node rotates only if a
    /// point of its skin is dragged.
    pub turns: Vec<usize>,
}

impl Limb {
    /// The root joint, about which the limb rotates.
    pub fn root(&self) -> Option<NodeId> {
        self.turns.first().map(|k| self.nodes[*k])
    }

    /// The joint at the end of the limb.
    pub fn end(&self) -> Option<NodeId> {
        self.nodes.last().copied()
    }
}

/// Finds the limb that ends at a node. It starts below the joint from which several limbs branch.
/// `bones` is the requested number of bones. With `inclusive`, the node itself rotates, too, since
/// a point on its skin is dragged.
///
/// `None` if no node above it can rotate.
pub fn limb_of(
    document: &Document,
    pose: &Pose,
    node: NodeId,
    bones: Option<usize>,
    inclusive: bool,
) -> Option<Limb> {
    limb_in(&Rig::of(document), document, pose, node, bones, inclusive)
}

fn limb_in(
    rig: &Rig,
    document: &Document,
    pose: &Pose,
    node: NodeId,
    bones: Option<usize>,
    inclusive: bool,
) -> Option<Limb> {
    let mut up = vec![node];
    let mut line = node;
    let mut count = 0;
    while let Some(parent) = document.node(line).parent {
        let is_carried = rig.carries(parent) || rig.above(parent).is_some();
        let ends = bones.is_none() && (rig.branches(document, parent, line) || count > MOST);
        if !is_carried || ends {
            break;
        }
        count += usize::from(rig.carries(parent));
        up.push(parent);
        line = parent;
    }
    up.reverse();
    let last = up.len() - 1;
    let carriers: Vec<usize> = (0..last).filter(|k| rig.carries(up[*k])).collect();
    let next = |i: usize| carriers.get(i + 1).copied().unwrap_or(last);
    let lengths: Vec<f32> =
        (0..carriers.len()).map(|i| Rig::distance(pose, up[carriers[i]], up[next(i)])).collect();
    let longest = lengths.iter().copied().fold(0.0, f32::max);
    // Indices of the rotating nodes, with the lengths of their bones.
    let turner = |k: usize| {
        let turner = rig.turner(document, up[k]);
        up.iter().position(|n| *n == turner).unwrap_or(k)
    };
    let mut turns: Vec<(usize, f32)> = (0..carriers.len())
        .filter(|i| lengths[*i] > longest * NONE)
        .map(|i| (turner(carriers[i]), lengths[i]))
        .collect();
    match bones {
        Some(bones) => {
            turns.drain(..turns.len().saturating_sub(bones));
        }
        None => {
            if turns.len() > 2 {
                let long: Vec<_> = turns
                    .iter()
                    .copied()
                    .filter(|(_, length)| *length >= longest * SHORT)
                    .collect();
                turns = if long.len() >= 2 { long } else { turns };
            }
            if turns.len() == 3 && turns[0].1 < turns[1].1 * SHOULDER && !inclusive {
                turns.remove(0);
            }
        }
    }
    let mut turns: Vec<usize> = turns.into_iter().map(|(k, _)| k).collect();
    if inclusive {
        turns.push(last);
    }
    let first = *turns.first()?;
    let nodes = up.split_off(first);
    Some(Limb { nodes, turns: turns.into_iter().map(|k| k - first).collect() })
}

/// Finds the joint that carries the body of a node, in a document with several bodies.
#[derive(Debug)]
pub struct Bodies<'a> {
    document: &'a Document,
    rig: Arc<Rig>,
    /// The hips by the humanoid map or by name; `None` if not all limbs are below them.
    hips: Option<NodeId>,
    /// One flag per node: whether the node or a node below it moves vertices. Computed on first
    /// use.
    works: OnceCell<Vec<bool>>,
}

impl<'a> Bodies<'a> {
    /// Prepares the search in a document.
    pub fn of(document: &'a Document) -> Self {
        Self { document, rig: Rig::of(document), hips: hips_of(document), works: OnceCell::new() }
    }

    /// Whether a node moves vertices. Always true if no skin has weights.
    fn works(&self, node: NodeId) -> bool {
        let works = self.works.get_or_init(|| {
            let found = Skeleton::of(self.document).carries;
            let joints = self.document.joint_flags();
            let is_weighted = joints.iter().zip(&found).any(|(joint, works)| *joint && *works);
            found.into_iter().map(|works| works || !is_weighted).collect()
        });
        works.get(node.index()) == Some(&true)
    }

    fn branching(&self, node: NodeId) -> bool {
        self.rig.below(node).iter().filter(|c| self.rig.goes_on(**c)).count() > 1
    }

    /// Whether several limbs that move vertices start at a node.
    fn carries_limbs(&self, node: NodeId) -> bool {
        self.rig.below(node).iter().filter(|c| self.rig.goes_on(**c) && self.works(**c)).count() > 1
    }

    /// Finds the node that translates a joint: the joint itself, or a helper with the same origin
    /// that clips move instead.
    pub fn mover(&self, node: NodeId) -> NodeId {
        self.rig.mover(self.document, node)
    }

    /// Finds the parent joint of a node. Helper nodes are skipped.
    pub fn hangs_on(&self, node: NodeId) -> Option<NodeId> {
        self.rig.hangs_on(self.document, node)
    }

    /// Whether a node is above the hips. Such a node is a root, which moves the whole body. False
    /// if the hips are unknown.
    pub fn is_above_hips(&self, node: NodeId) -> bool {
        self.hips.is_some_and(|hips| self.document.is_above(node, hips))
    }

    /// Finds the joint that carries the body of a node: its hips by name, or else the highest
    /// ancestor with several limbs, or else the highest joint. Limbs of helper nodes, which move no
    /// vertices, are not counted.
    pub fn body_of(&self, node: NodeId) -> NodeId {
        if let Some(hips) = self.hips.filter(|h| *h == node || self.document.is_above(*h, node)) {
            return hips;
        }
        let above = std::iter::successors(Some(node), |n| self.document.node(*n).parent);
        let above: Vec<NodeId> = above.filter(|n| self.rig.carries(*n)).collect();
        let branching: Vec<NodeId> =
            above.iter().rev().copied().filter(|n| self.branching(*n)).collect();
        let works = branching.iter().copied().find(|n| self.carries_limbs(*n));
        works.or(branching.first().copied()).or(above.last().copied()).unwrap_or(node)
    }
}

/// Finds the hips by the humanoid map or by name. `None` if feet, hands or the head are not below
/// them.
fn hips_of(document: &Document) -> Option<NodeId> {
    known(document).hips(|| find_hips(document))
}

fn find_hips(document: &Document) -> Option<NodeId> {
    let roles = roles_of(document);
    let part = |part: BodyPart| {
        roles.iter().filter(move |(_, r)| r.is_some_and(|r| r.part == part)).map(|(n, _)| *n)
    };
    let mapped = document.humanoid().and_then(|v| v.node("hips"));
    let hips = mapped.or_else(|| part(BodyPart::Hips).next())?;
    let ends = [BodyPart::Foot, BodyPart::Hand, BodyPart::Head].into_iter().flat_map(part);
    ends.into_iter().all(|end| document.is_above(hips, end)).then_some(hips)
}

/// Finds the joint that carries the body of a node: its hips by name, or else the highest ancestor
/// with several limbs, or else the highest joint.
pub fn body_of(document: &Document, node: NodeId) -> NodeId {
    Bodies::of(document).body_of(node)
}

/// Finds the feet of a document by its humanoid map or by name, with their sides.
pub(crate) fn named_feet(document: &Document) -> Vec<(NodeId, Option<Side>)> {
    let mapped =
        |role: &str, side| document.humanoid().and_then(|v| v.node(role)).map(|n| (n, Some(side)));
    let mapped: Vec<_> = [("leftFoot", Side::Left), ("rightFoot", Side::Right)]
        .into_iter()
        .filter_map(|(r, s)| mapped(r, s))
        .collect();
    if !mapped.is_empty() {
        return mapped;
    }
    let roles = roles_of(document).into_iter();
    roles.filter_map(|(n, r)| r.filter(|r| r.part == BodyPart::Foot).map(|r| (n, r.side))).collect()
}

/// Finds the ends of the limbs on which a body stands. These limbs have at least two bones, come in
/// pairs, and have no limbs of their own. They start at the joint that carries the body. Limbs
/// farther up, such as forelegs and hands, count if they reach the ground in the rest pose. Limbs
/// of helper nodes, which move no vertices, are excluded.
pub fn legs_of(document: &Document, pose: &Pose, body: NodeId) -> Vec<NodeId> {
    /// Maximum difference between the lengths of two legs of a pair, relative to the length.
    const ALIKE: f32 = 0.1;
    /// Maximum height of a foot on the ground, relative to the body's height.
    const LOW: f32 = 0.2;
    let bodies = Bodies::of(document);
    let rig = &bodies.rig;
    let mut all = vec![body];
    let mut seen = 0;
    while let Some(node) = all.get(seen).copied() {
        all.extend(rig.below(node));
        seen += 1;
    }
    // Feet are found in the rest pose, independent of the current pose.
    let mut rest = vec![Mat4::IDENTITY; document.nodes.len()];
    for node in document.nodes.order() {
        let above = document.node(*node).parent.map_or(Mat4::IDENTITY, |p| rest[p.index()]);
        rest[node.index()] = above * document.node(*node).rest.matrix();
    }
    let heights = all.iter().map(|n| rest[n.index()].w_axis.y);
    let (low, high) =
        heights.clone().fold((f32::INFINITY, f32::NEG_INFINITY), |(l, h), y| (l.min(y), h.max(y)));
    let is_low = |n: NodeId| rest[n.index()].w_axis.y - low <= (high - low) * LOW;
    // The end of a leg is the first joint near the ground, or else the end of its second bone.
    let leg = |first: NodeId, hangs_on_body: bool| -> Option<(NodeId, f32)> {
        let mut node = first;
        let mut in_air = None;
        loop {
            let next = rig.below(node);
            let on: Vec<NodeId> = next.iter().copied().filter(|c| rig.goes_on(*c)).collect();
            node = match (&on[..], next) {
                ([one], _) | ([], [one]) => *one,
                _ => return in_air,
            };
            let Some(limb) = limb_in(rig, document, pose, node, None, false) else { continue };
            if limb.turns.len() >= 2 {
                let places: Vec<NodeId> =
                    limb.turns.iter().map(|k| limb.nodes[*k]).chain([node]).collect();
                let found =
                    (node, places.windows(2).map(|p| Rig::distance(pose, p[0], p[1])).sum());
                if is_low(node) {
                    return Some(found);
                }
                in_air = in_air.or(hangs_on_body.then_some(found));
            }
        }
    };
    let mut found = Vec::new();
    for carrier in all {
        let limbs =
            rig.below(carrier).iter().copied().filter(|n| rig.goes_on(*n) && bodies.works(*n));
        let legs: Vec<(NodeId, f32)> = limbs.filter_map(|n| leg(n, carrier == body)).collect();
        let paired = |(node, length): &(NodeId, f32)| {
            legs.iter().any(|(other, l)| other != node && (l - length).abs() <= ALIKE * length)
        };
        found.extend(legs.iter().filter(|l| paired(l)).map(|(node, _)| *node));
    }
    found
}
