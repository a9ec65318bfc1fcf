//! Commands that add nodes, and commands that reparent them.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    commands::{AddNode, Keep, Reparent},
    dependents::{has_motion, refuse_motion, refuse_rootless},
    removal::{uppermost, with_below},
    worlds::kept_in_world,
};
use crate::{
    Edit,
    command::{CommandError, Outcome, Scene, error::refuse, field::Nodes, rig::reparented},
};
use ulna_model::{Document, Node, NodeId, SceneId};

/// Returns the only node of an argument; `None` if the argument is omitted.
pub(in crate::command) fn one(
    document: &Document,
    nodes: Option<&Nodes>,
    argument: &str,
) -> Result<Option<NodeId>, CommandError> {
    let Some(nodes) = nodes else { return Ok(None) };
    match nodes.all(document)?[..] {
        [node] => Ok(Some(node)),
        _ => refuse("one_node_wanted", format!("“{argument}” must be one node")),
    }
}

/// Returns the scene to which new roots are added: the displayed scene, or the first one.
pub(in crate::command) fn scene_of(document: &Document) -> Option<SceneId> {
    let first = || document.scenes.ids().next();
    document.shown.scene.or(document.scene).filter(|s| document.scenes.contains(*s)).or_else(first)
}

/// Returns the sort rank after all children of a node.
pub(in crate::command) fn last_rank(document: &Document, parent: Option<NodeId>) -> u32 {
    let ranks = parent.map_or(&[][..], |p| document.children(p));
    ranks.iter().map(|n| document.node(*n).rank.saturating_add(1)).max().unwrap_or(0)
}

impl AddNode {
    pub(super) fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let document = scene.document;
        let parent = one(document, self.parent.as_ref(), "parent")?;
        let taken: BTreeSet<&str> =
            document.nodes.values().filter_map(|n| n.name.as_deref()).collect();
        let free = || {
            let numbered = |k: u32| if k < 2 { "Node".to_owned() } else { format!("Node {k}") };
            (1..).map(numbered).find(|n| !taken.contains(n.as_str())).unwrap_or_default()
        };
        let name = self.name.clone().unwrap_or_else(free);
        let id = document.nodes.next_id();
        let to = Node {
            name: Some(name.into()),
            parent,
            rank: last_rank(document, parent),
            ..Node::default()
        };
        let mut edits = vec![Edit::node(id, to)];
        if let (None, Some(scene)) = (parent, scene_of(document)) {
            let roots = document.scenes[scene].roots.iter().copied().chain([id]);
            edits.push(Edit::SetRoots { scene, to: roots.collect() });
        }
        Ok(edits.into())
    }
}

impl Reparent {
    pub(in crate::command) fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let document = scene.document;
        let parent = one(document, self.parent.as_ref(), "parent")?;
        let before = one(document, self.before.as_ref(), "before")?;
        let all: BTreeSet<NodeId> = self.node.all(document)?.into_iter().collect();
        // A node is moved along with a selected ancestor.
        let moved = uppermost(document, &all);
        let is_moved: BTreeSet<NodeId> = moved.iter().copied().collect();
        if let Some(node) =
            moved.iter().find(|n| parent.is_some_and(|p| p == **n || document.is_above(**n, p)))
        {
            let label = document.node(*node).label(*node);
            return refuse("node_cycle", format!("“{label}” cannot be attached below itself"));
        }
        if before.is_some_and(|b| document.node(b).parent != parent) {
            return refuse("wrong_sibling", "“before” must be a child of the new parent");
        }
        let elsewhere: Vec<NodeId> =
            moved.iter().copied().filter(|n| document.node(*n).parent != parent).collect();
        let affected = with_below(document, &elsewhere);
        let (keep, is_forced) = (self.keep.unwrap_or(Keep::World), self.force.unwrap_or(false));
        if keep == Keep::World && !is_forced && has_motion(document, &affected) {
            return reparented(scene, &moved, parent, before);
        }
        let anyway =
            "To keep the motion, set “keep” to “world”; to attach them anyway, set “force”";
        refuse_motion(document, &affected, is_forced, anyway)?;
        let skins = document.skins.iter().map(|(id, skin)| (id, &skin.joints[..]));
        let above = |n: NodeId| {
            if is_moved.contains(&n) { parent } else { document.node(n).parent }
        };
        refuse_rootless(document, skins, above)?;
        let mut nodes: BTreeMap<NodeId, Node> = BTreeMap::new();
        for id in &moved {
            let to = match keep {
                Keep::World => kept_in_world(document, *id, parent)?,
                Keep::Local => Node { parent, ..document.node(*id).clone() },
            };
            nodes.insert(*id, to);
        }
        if let Some(parent) = parent {
            order_children(document, parent, &moved, before, &mut nodes);
        }
        let mut edits = Vec::new();
        let changed: Vec<(NodeId, Option<Box<Node>>)> = nodes
            .into_iter()
            .filter(|(id, to)| document.node(*id) != to)
            .map(|(id, to)| (id, Some(Box::new(to))))
            .collect();
        if !changed.is_empty() {
            edits.push(Edit::SetNodes(changed));
        }
        edits.extend(roots(document, parent, &moved, before));
        Ok(edits.into())
    }
}

/// Inserts moved nodes into a list of siblings, before one of them or at the end.
fn inserted(list: &[NodeId], moved: &[NodeId], before: Option<NodeId>) -> Vec<NodeId> {
    let all: BTreeSet<&NodeId> = moved.iter().collect();
    let mut made: Vec<NodeId> = list.iter().copied().filter(|n| !all.contains(n)).collect();
    let at = before.and_then(|b| made.iter().position(|n| *n == b)).unwrap_or(made.len());
    made.splice(at..at, moved.iter().copied());
    made
}

/// Sets the ranks of children to their new order.
fn order_children(
    document: &Document,
    parent: NodeId,
    moved: &[NodeId],
    before: Option<NodeId>,
    nodes: &mut BTreeMap<NodeId, Node>,
) {
    let list = inserted(document.children(parent), moved, before);
    for (rank, id) in list.into_iter().enumerate() {
        let node = nodes.entry(id).or_insert_with(|| document.node(id).clone());
        node.rank = u32::try_from(rank).unwrap_or(u32::MAX);
    }
}

/// Returns the edits of scene roots. Nodes with a parent are removed from the roots. Others become
/// roots of the scenes that contained them.
fn roots(
    document: &Document,
    parent: Option<NodeId>,
    moved: &[NodeId],
    before: Option<NodeId>,
) -> Vec<Edit> {
    let mut edits = Vec::new();
    for (scene, found) in document.scenes.iter() {
        let to = match parent {
            Some(_) => {
                let all: BTreeSet<&NodeId> = moved.iter().collect();
                found.roots.iter().copied().filter(|n| !all.contains(n)).collect()
            }
            None => {
                let is_seen =
                    |n: &NodeId| found.roots.iter().any(|r| r == n || document.is_above(*r, *n));
                let here: Vec<NodeId> = moved.iter().copied().filter(is_seen).collect();
                inserted(&found.roots, &here, before)
            }
        };
        if to != found.roots {
            edits.push(Edit::SetRoots { scene, to });
        }
    }
    edits
}
