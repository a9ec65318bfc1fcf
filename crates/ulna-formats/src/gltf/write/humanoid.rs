//! Writes changes of the humanoid map of a VRM avatar.

use std::{collections::BTreeMap, sync::Arc};

use serde_json::{Value, json};

use super::{
    super::{SaveError, json::with_nulls, text::Ops},
    writer::Writer,
};
use ulna_model::{FileContent, NodeId, Vrm};

/// Whether two avatars are equal except for the nodes of their bones.
pub(super) fn differs_by_bones(a: Option<&Vrm>, b: Option<&Vrm>) -> bool {
    match (a, b) {
        (Some(a), Some(b)) => Vrm { bones: b.bones.clone(), ..a.clone() } == *b,
        (None, None) => true,
        _ => false,
    }
}

/// Changed bones of an avatar: the new node by bone name.
type ChangedBones<'a> = BTreeMap<&'a Arc<str>, Option<NodeId>>;

impl Writer<'_> {
    /// Writes the changed bones. Other members of a bone are kept.
    pub(super) fn humanoid(
        &mut self,
        opened: &FileContent,
        now: &FileContent,
    ) -> Result<(), SaveError> {
        let (Some(before), Some(after)) = (&opened.vrm, &now.vrm) else { return Ok(()) };
        if before.bones == after.bones {
            return Ok(());
        }
        let mut changed = ChangedBones::new();
        let other = before.bones.iter().filter(|(r, n)| after.node(r) != Some(*n));
        changed.extend(other.map(|(role, _)| (role, after.node(role))));
        let new = after.bones.iter().filter(|(r, _)| before.node(r).is_none());
        changed.extend(new.map(|(role, node)| (role, Some(*node))));
        let text = self.root.0.get("extensions").map(|raw| raw.get());
        let extensions = text.and_then(with_nulls).unwrap_or_default();
        let ops = &mut self.ops;
        let written = ["VRMC_vrm", "VRMC_vrm_animation"]
            .into_iter()
            .find(|name| extensions[name].is_object());
        let name = match written {
            Some(name) => {
                one(ops.member("extensions").member(name), &extensions[name], &changed);
                name
            }
            None if extensions["VRM"].is_object() => {
                zero(ops.member("extensions").member("VRM"), &extensions["VRM"], &changed);
                "VRM"
            }
            None => return Err(SaveError::no_form("extensions", "a change of the humanoid map")),
        };
        let bones = if changed.len() == 1 { "1 bone" } else { &format!("{} bones", changed.len()) };
        self.changes.push(format!("extensions.{name}: {bones} of the humanoid map"));
        Ok(())
    }
}

/// Writes changed bones for VRM 1, which stores them by name.
fn one(ops: &mut Ops, own: &Value, changed: &ChangedBones<'_>) {
    let there = &own["humanoid"]["humanBones"];
    if !there.is_object() {
        let bones: BTreeMap<&str, Value> = changed
            .iter()
            .filter_map(|(r, n)| Some((&***r, json!({"node": n.as_ref()?.0}))))
            .collect();
        *ops.member("humanoid").member("humanBones") = Ops::Replace(json!(bones).to_string());
        return;
    }
    let bones = ops.member("humanoid").member("humanBones");
    for (role, node) in changed {
        let bone = bones.member(role);
        match node {
            None => *bone = Ops::Remove,
            Some(node) if there[&***role].is_object() => {
                *bone.member("node") = Ops::Replace(node.0.to_string());
            }
            Some(node) => *bone = Ops::Replace(json!({"node": node.0}).to_string()),
        }
    }
}

/// Writes changed bones for VRM 0, which stores them in a list.
fn zero(ops: &mut Ops, own: &Value, changed: &ChangedBones<'_>) {
    let there = own["humanoid"]["humanBones"].as_array();
    let new =
        |role: &str, node: NodeId| json!({"bone": role, "node": node.0, "useDefaultValues": true});
    let Some(there) = there else {
        let bones: Vec<Value> = changed.iter().filter_map(|(r, n)| Some(new(r, (*n)?))).collect();
        *ops.member("humanoid").member("humanBones") = Ops::Replace(json!(bones).to_string());
        return;
    };
    let bones = ops.member("humanoid").member("humanBones");
    for (role, node) in changed {
        // If a bone is repeated, the first entry is used, as in the reader.
        let mut at = there.iter().enumerate().filter(|(_, b)| b["bone"] == ***role).map(|(k, _)| k);
        match (at.next(), node) {
            (Some(k), Some(node)) => {
                *bones.item(k).member("node") = Ops::Replace(node.0.to_string());
            }
            (Some(k), None) => {
                *bones.item(k) = Ops::Remove;
                at.for_each(|k| *bones.item(k) = Ops::Remove);
            }
            (None, Some(node)) => bones.push(new(role, *node).to_string()),
            (None, None) => {}
        }
    }
}
