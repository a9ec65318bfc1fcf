//! Nodes that the file hides (`KHR_node_visibility`), in its pose or at a time of its clips.

use std::collections::{BTreeMap, BTreeSet};

use super::{Instance, Stack};
use ulna_model::{FileContent, NodeId};

/// Finds all nodes that are hidden at the time of a stack, including their descendants.
///
/// An animated visibility replaces the visibility of the node. If several clips animate it, the one
/// with the largest weight applies. A higher lane with at least half the weight overrides lower
/// ones.
pub(super) fn hidden_nodes(file: &FileContent, stack: &Stack) -> BTreeSet<NodeId> {
    let mut animated: BTreeMap<NodeId, bool> = BTreeMap::new();
    for lane in &stack.lanes {
        let mut heaviest: BTreeMap<NodeId, (f32, bool)> = BTreeMap::new();
        for instance in &lane.instances {
            for (node, visible) in visibilities(instance) {
                let weight = instance.weight * lane.weight;
                let best = heaviest.entry(node).or_insert((weight, visible));
                if weight > best.0 {
                    *best = (weight, visible);
                }
            }
        }
        for (node, (weight, visible)) in heaviest {
            if weight >= 0.5 || !animated.contains_key(&node) {
                animated.insert(node, visible);
            }
        }
    }
    let own =
        |id: NodeId| animated.get(&id).map_or_else(|| file.node(id).hidden, |visible| !visible);
    let none = animated.values().all(|v| *v) && file.nodes.iter().all(|(_, n)| !n.hidden);
    let mut hidden = BTreeSet::new();
    if none {
        return hidden;
    }
    // Parents come first.
    for id in file.nodes.order() {
        if own(*id) || file.node(*id).parent.is_some_and(|p| hidden.contains(&p)) {
            hidden.insert(*id);
        }
    }
    hidden
}

/// Returns the nodes whose visibility a clip instance animates, with their visibility at its time.
fn visibilities(instance: &Instance) -> impl Iterator<Item = (NodeId, bool)> + '_ {
    instance
        .clip
        .pointers
        .iter()
        .filter_map(|p| p.visibility.as_ref().map(|v| (v.node, v.at(&p.times, instance.time))))
}
