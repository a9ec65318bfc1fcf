//! Removes references to deleted nodes from VRM springs, so that no spring moves an empty node.

use serde_json::Value;

use super::super::{
    references::index_of,
    text::{Ops, rewrite},
};
use ulna_model::{FileContent, NodeId};

/// Result of removing deleted nodes from springs.
pub(super) struct WithoutEntries {
    /// Changed JSON text; `None` if no spring refers to a deleted node.
    pub(super) text: Option<String>,
    /// Number of springs of a VRM 1 avatar that were removed because all of their nodes were
    /// deleted.
    pub(super) springs: usize,
}

/// Removes deleted nodes from the springs of a text. The index of every element in the text must be
/// its id.
pub(super) fn without_removed(text: &str, root: &Value, now: &FileContent) -> WithoutEntries {
    let mut ops = Ops::object();
    let removed = one(root, now, &mut ops);
    zero(root, now, &mut ops);
    // Springs are only counted for VRM 1 avatars.
    let is_counted = root["extensions"]["VRMC_vrm"].is_object();
    let springs = if is_counted { removed } else { 0 };
    let text = (!ops.is_keep()).then(|| rewrite(text, &ops));
    WithoutEntries { text, springs }
}

fn is_removed(value: &Value, now: &FileContent) -> bool {
    let index = index_of(value).map(NodeId);
    index.is_some_and(|n| n.index() < now.nodes.len() && !now.nodes.contains(n))
}

/// Items of a JSON list; empty if the value is not a list.
fn items(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], |list| list)
}

/// Removes deleted nodes from the springs of `VRMC_springBone`. Returns the number of removed
/// springs.
fn one(root: &Value, now: &FileContent, ops: &mut Ops) -> usize {
    let springs = items(&root["extensions"]["VRMC_springBone"]["springs"]);
    let mut removed = Vec::new();
    for (k, spring) in springs.iter().enumerate() {
        let joints = items(&spring["joints"]);
        let gone: Vec<usize> = joints
            .iter()
            .enumerate()
            .filter(|(_, joint)| is_removed(&joint["node"], now))
            .map(|(k, _)| k)
            .collect();
        let is_free = is_removed(&spring["center"], now);
        if !gone.is_empty() && gone.len() == joints.len() {
            removed.push(k);
        } else if is_free || !gone.is_empty() {
            let own = ops.member("extensions").member("VRMC_springBone").member("springs").item(k);
            if is_free {
                *own.member("center") = Ops::Remove;
            }
            for joint in gone {
                *own.member("joints").item(joint) = Ops::Remove;
            }
        }
    }
    if !removed.is_empty() {
        let list = ops.member("extensions").member("VRMC_springBone").member("springs");
        if removed.len() == springs.len() {
            // Empty lists are invalid.
            *list = Ops::Remove;
        } else {
            removed.iter().for_each(|k| *list.item(*k) = Ops::Remove);
        }
    }
    removed.len()
}

/// Removes deleted nodes from the bone groups of `VRM`. A bone moves with all its descendants, so
/// the children of a deleted node replace it.
fn zero(root: &Value, now: &FileContent, ops: &mut Ops) {
    let groups = items(&root["extensions"]["VRM"]["secondaryAnimation"]["boneGroups"]);
    for (k, group) in groups.iter().enumerate() {
        let bones = items(&group["bones"]);
        let loses = bones.iter().any(|b| is_removed(b, now));
        let is_free = is_removed(&group["center"], now);
        if !loses && !is_free {
            continue;
        }
        let secondary = ops.member("extensions").member("VRM").member("secondaryAnimation");
        let own = secondary.member("boneGroups").item(k);
        if is_free {
            // In VRM 0, −1 means no node.
            *own.member("center") = Ops::Replace("-1".into());
        }
        if loses {
            let mut made: Vec<Value> = Vec::with_capacity(bones.len());
            for bone in bones {
                left_at(root, bone, now, &mut made);
            }
            *own.member("bones") = Ops::Replace(Value::from(made).to_string());
        }
    }
}

/// Adds a node to a list. If the node is deleted, its nearest remaining descendants are added
/// instead.
fn left_at(root: &Value, node: &Value, now: &FileContent, made: &mut Vec<Value>) {
    let mut open = vec![node];
    // In a readable file, no node has two parents. The limit ends the search in any other file.
    let mut steps = now.nodes.len();
    while let Some(next) = open.pop() {
        if !is_removed(next, now) {
            if !made.contains(next) {
                made.push(next.clone());
            }
            continue;
        }
        let Some(left) = steps.checked_sub(1) else { return };
        steps = left;
        let index = index_of(next).unwrap_or_default() as usize;
        open.extend(items(&root["nodes"][index]["children"]).iter().rev());
    }
}
