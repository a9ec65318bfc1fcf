//! Matching of a skin's joints between two documents, and candidate joints for the weight of lost
//! joints.

use std::collections::HashMap;

use glam::Vec3;

use ulna_model::{Document, NodeId, SkinId};
use ulna_motion::Pose;

/// Maximum number of candidate joints for the weight of a lost joint: the parent first, then the
/// nearest others. Only joints with hundreds of children have more candidates.
const RELATIVES: usize = 24;

/// Matches between the joints of a skin and of a later state of the skin, which can lack some
/// joints.
#[derive(Debug)]
pub(super) struct JointMatches {
    /// New index of each old joint; `None` for a lost joint.
    pub kept: Vec<Option<u16>>,
    /// Candidate joints for the weight of each lost joint, as new indices; empty for kept joints.
    pub relatives: Vec<Vec<u16>>,
}

impl JointMatches {
    /// Matches joints by their nodes.
    ///
    /// The relatives of a lost joint are its parent, children and siblings. These are the nearest
    /// kept ancestor and the topmost kept joints below that ancestor. `rest` is a pose of `before`.
    pub fn new(before: &Document, after: &Document, skin: SkinId, rest: &Pose) -> Self {
        let mut new_of: HashMap<NodeId, u16> = HashMap::new();
        for (joint, k) in after.skin(skin).joints.iter().zip(0u16..=u16::MAX) {
            new_of.entry(*joint).or_insert(k);
        }
        let old = &before.skin(skin).joints;
        let kept: Vec<Option<u16>> = old.iter().map(|j| new_of.get(j).copied()).collect();
        let relatives = old.iter().zip(&kept).map(|(joint, kept)| match kept {
            Some(_) => Vec::new(),
            None => relatives(before, *joint, &new_of, rest),
        });
        Self { relatives: relatives.collect(), kept }
    }
}

fn relatives(
    before: &Document,
    lost: NodeId,
    new_of: &HashMap<NodeId, u16>,
    rest: &Pose,
) -> Vec<u16> {
    let head = |node: NodeId| -> Vec3 { rest.world[node.index()].w_axis.truncate() };
    let mut top = lost;
    while let Some(parent) = before.node(top).parent {
        top = parent;
        if new_of.contains_key(&top) {
            break;
        }
    }
    let mut below: Vec<(f32, u16)> = Vec::new();
    let mut open = before.children(top).to_vec();
    while let Some(node) = open.pop() {
        match new_of.get(&node) {
            Some(k) => below.push((head(node).distance_squared(head(lost)), *k)),
            None => open.extend_from_slice(before.children(node)),
        }
    }
    below.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let parent = new_of.get(&top).copied();
    parent.into_iter().chain(below.into_iter().map(|(_, k)| k)).take(RELATIVES).collect()
}
