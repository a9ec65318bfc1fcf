//! Skins, clips and the avatar that depend on nodes: reasons to leave a node as it is.

use std::collections::BTreeSet;

use crate::command::{CommandError, error::refuse, mesh_skins::skin_label};
use ulna_model::{Document, NodeId};

/// Sentences of one message at most.
const MOST: usize = 3;

/// Effects of a change of the tree on motion: joints and keys among these nodes, one sentence each.
fn effects(document: &Document, nodes: &BTreeSet<NodeId>) -> Vec<String> {
    let mut all = Vec::new();
    for (id, skin) in document.skins.iter() {
        let mut joints = skin.joints.iter().filter(|j| nodes.contains(j));
        if let Some(first) = joints.next() {
            let label = document.node(*first).label(*first);
            let more = joints.count();
            let skin = skin_label(document, id);
            all.push(match more {
                0 => format!("“{label}” is a joint of {skin}"),
                _ => format!("“{label}” and {more} more are joints of {skin}"),
            });
        }
    }
    for (id, clip) in document.clips.iter() {
        let mut keyed: Vec<NodeId> = clip.tracks.values().map(|t| t.target).collect();
        keyed.extend(
            document
                .aids
                .unkeyed
                .iter()
                .filter(|(at, _)| at.clip == id)
                .flat_map(|(_, pose)| pose.locals.keys().chain(pose.morphs.keys()).copied()),
        );
        keyed.retain(|n| nodes.contains(n));
        keyed.sort_unstable();
        keyed.dedup();
        if let [first, more @ ..] = &keyed[..] {
            let (label, clip) = (document.node(*first).label(*first), document.clip_label(id));
            all.push(match more.len() {
                0 => format!("“{label}” has keys in “{clip}”"),
                more => format!("“{label}” and {more} more have keys in “{clip}”"),
            });
        }
    }
    for layers in document.aids.pose_layers.values() {
        for layer in layers.iter() {
            if let Some(node) = layer.nodes().into_iter().find(|n| nodes.contains(n)) {
                let label = document.node(node).label(node);
                all.push(format!("“{label}” is posed by the layer “{}”", layer.name));
            }
        }
    }
    all
}

/// Refuses a change of the tree that would change motion, unless it is forced.
pub(super) fn refuse_motion(
    document: &Document,
    nodes: &BTreeSet<NodeId>,
    is_forced: bool,
) -> Result<(), CommandError> {
    if is_forced {
        return Ok(());
    }
    let mut all = effects(document, nodes);
    if all.is_empty() {
        return Ok(());
    }
    let more = all.len().saturating_sub(MOST);
    all.truncate(MOST);
    let more = if more > 0 { format!("; and {more} more") } else { String::new() };
    refuse("would_change_motion", format!("{}{more}. Use “force” to do it anyway", all.join("; ")))
}

/// Refuses the removal of nodes to which something refers that no command can change yet.
pub(super) fn refuse_fixed(
    document: &Document,
    nodes: &BTreeSet<NodeId>,
) -> Result<(), CommandError> {
    let bones = document.vrm.iter().flat_map(|vrm| vrm.bones.iter());
    if let Some((role, node)) = bones.into_iter().find(|(_, n)| nodes.contains(n)) {
        let label = document.node(*node).label(*node);
        return refuse(
            "is_avatar_bone",
            format!("“{label}” is the bone “{role}” of the VRM avatar and cannot be removed"),
        );
    }
    for (id, clip) in document.clips.iter() {
        let kept = clip.kept.iter().map(|(node, _)| *node);
        let pointed = clip.pointers.iter().filter_map(|p| {
            p.target.filter(|t| t.kind == ulna_model::IdKind::Node).map(|t| NodeId(t.index))
        });
        if let Some(node) = kept.chain(pointed).find(|n| nodes.contains(n)) {
            let (label, clip) = (document.node(node).label(node), document.clip_label(id));
            return refuse(
                "keys_not_editable",
                format!(
                    "“{clip}” has keys of “{label}” that cannot be edited; delete the clip first"
                ),
            );
        }
    }
    Ok(())
}
