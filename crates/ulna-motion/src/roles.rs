//! Body roles of the nodes of a document: by the humanoid map of a VRM, or else by their names.

use std::collections::HashMap;

use super::{
    ancestors::above,
    humanoid::{BodyRole, body_roles, mapped_part},
    known::known,
    rig::Rig,
};
use ulna_model::{Document, NodeId};

/// Returns the roles of a humanoid map that are known body parts, by node. Spelling is that of VRM
/// 1.0.
pub(super) fn mapped_roles(document: &Document) -> HashMap<NodeId, String> {
    let roles = document.humanoid().into_iter().flat_map(|v| v.roles());
    let known = roles.filter(|(role, _)| mapped_part(role).is_some());
    known.map(|(role, node)| (node, role.into_owned())).collect()
}

/// Finds the body roles of the nodes that carry motion. A role that no joint of a skin has may
/// belong to another node.
pub(super) fn roles_of(document: &Document) -> Vec<(NodeId, Option<BodyRole>)> {
    known(document).roles(|| find_roles(document)).to_vec()
}

fn find_roles(document: &Document) -> Vec<(NodeId, Option<BodyRole>)> {
    let joints = document.joint_flags();
    let known = roles_among(document, &joints);
    let rig = Rig::of(document);
    if document.node_ids().all(|n| rig.carries(n) == joints[n.index()]) {
        return known;
    }
    let kind = |role: &BodyRole| (role.part, role.side);
    let own: HashMap<NodeId, BodyRole> =
        known.into_iter().filter_map(|(n, r)| Some((n, r?))).collect();
    let is_free = |role: &BodyRole| own.values().all(|r| kind(r) != kind(role));
    let flags: Vec<bool> = (0..joints.len()).map(|k| rig.carries(NodeId(k as u32))).collect();
    let all = roles_among(document, &flags).into_iter();
    all.map(|(n, role)| {
        (n, own.get(&n).copied().or_else(|| role.filter(|r| !joints[n.index()] && is_free(r))))
    })
    .collect()
}

/// Finds the body roles of the flagged nodes and of the nodes in the humanoid map.
fn roles_among(document: &Document, flags: &[bool]) -> Vec<(NodeId, Option<BodyRole>)> {
    let roles = mapped_roles(document);
    let is_meant = |n: &NodeId| flags[n.index()] || roles.contains_key(n);
    let nodes: Vec<NodeId> = document.nodes.order().iter().copied().filter(is_meant).collect();
    let place: HashMap<NodeId, usize> = nodes.iter().enumerate().map(|(k, n)| (*n, k)).collect();
    let labels: Vec<String> = nodes.iter().map(|n| document.node(*n).label(*n)).collect();
    let named: Vec<(&str, Option<usize>)> = nodes
        .iter()
        .zip(&labels)
        .map(|(n, label)| {
            (label.as_str(), above(document, *n).find_map(|p| place.get(&p).copied()))
        })
        .collect();
    let mapped: Vec<_> = nodes.iter().map(|n| roles.get(n).and_then(|r| mapped_part(r))).collect();
    nodes.iter().copied().zip(body_roles(&named, &mapped)).collect()
}
