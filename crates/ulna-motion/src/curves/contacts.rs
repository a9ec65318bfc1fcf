//! Time ranges in which legs have ground contact. Their keys can be protected from filters.

use std::collections::BTreeMap;

use crate::{ancestors::above, humanoid::BodyPart, ik::contacts, roles::roles_of};
use ulna_model::{Clip, Document, NodeId, Shared};

/// Finds the time ranges of ground contact, in seconds. The ranges of a foot are listed for the
/// foot, all nodes below it, and the two joints above it.
pub fn leg_contacts(document: &Document, clip: &Shared<Clip>) -> BTreeMap<NodeId, Vec<(f32, f32)>> {
    let mut found: BTreeMap<NodeId, Vec<(f32, f32)>> = BTreeMap::new();
    for (foot, role) in roles_of(document) {
        if role.map(|r| r.part) != Some(BodyPart::Foot) {
            continue;
        }
        let spans: Vec<(f32, f32)> =
            contacts(document, clip, foot).iter().map(|r| (r.from, r.to)).collect();
        let mut nodes: Vec<NodeId> = above(document, foot).take(2).collect();
        let mut below = vec![foot];
        while let Some(node) = below.pop() {
            below.extend(document.children(node).iter().copied());
            nodes.push(node);
        }
        for node in nodes {
            found.entry(node).or_default().extend(spans.iter().copied());
        }
    }
    found
}
