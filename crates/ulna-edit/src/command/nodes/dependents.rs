//! Checks that refuse changes of nodes on which skins, clips or the avatar depend.

use std::collections::BTreeSet;

use crate::command::{CommandError, error::refuse, mesh_skins::skin_label};
use ulna_model::{ClipId, Document, NodeId, SkinId};

/// Maximum number of sentences in a message.
const MOST: usize = 3;

/// Describes the joints and animated nodes among these nodes, whose motion a change of the tree
/// would affect.
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
    let mut first: Option<(NodeId, usize, ClipId)> = None;
    let mut clips = 0usize;
    for (id, clip) in document.clips.iter() {
        let mut keyed: Vec<NodeId> = clip.tracks.values().map(|t| t.target).collect();
        let unkeyed = document.aids.unkeyed.iter().filter(|(at, _)| at.clip == id);
        keyed.extend(
            unkeyed.flat_map(|(_, pose)| pose.locals.keys().chain(pose.morphs.keys()).copied()),
        );
        keyed.retain(|n| nodes.contains(n));
        keyed.sort_unstable();
        keyed.dedup();
        if let [node, more @ ..] = &keyed[..] {
            first.get_or_insert((*node, more.len(), id));
            clips += 1;
        }
    }
    if let Some((node, more, clip)) = first {
        let (label, clip) = (document.node(node).label(node), document.clip_label(clip));
        let who = match more {
            0 => format!("“{label}” has keys"),
            more => format!("“{label}” and {more} more have keys"),
        };
        all.push(match clips {
            1 => format!("{who} in “{clip}”"),
            2 => format!("{who} in “{clip}” and another clip"),
            n => format!("{who} in “{clip}” and {} more clips", n - 1),
        });
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

/// Whether there are joints or animated nodes among these nodes, so that a change of the tree would
/// affect motion.
pub(super) fn has_motion(document: &Document, nodes: &BTreeSet<NodeId>) -> bool {
    !effects(document, nodes).is_empty()
}

/// Returns an error if a change of the tree would affect motion, unless it is forced. The error
/// ends with `anyway`, which describes the alternatives.
pub(super) fn refuse_motion(
    document: &Document,
    nodes: &BTreeSet<NodeId>,
    is_forced: bool,
    anyway: &str,
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
    refuse("would_change_motion", format!("{}{more}. {anyway}", all.join("; ")))
}

/// Returns an error if the joints of a skin would have no common root, which glTF requires (glTF
/// 2.0, *Skins*). `parent` returns the parent of a node after the change.
pub(super) fn refuse_rootless<'s>(
    document: &Document,
    skins: impl Iterator<Item = (SkinId, &'s [NodeId])>,
    parent: impl Fn(NodeId) -> Option<NodeId>,
) -> Result<(), CommandError> {
    for (id, joints) in skins {
        let had_root = has_root(joints, &|n| document.node(n).parent);
        if had_root && !has_root(joints, &parent) {
            return no_common_root(document, id);
        }
    }
    Ok(())
}

/// Returns an error if these joints of a skin have no common root, as [`refuse_rootless`] does.
pub(in crate::command) fn refuse_apart(
    document: &Document,
    skin: SkinId,
    joints: &[NodeId],
) -> Result<(), CommandError> {
    let parent = |n: NodeId| document.node(n).parent;
    if has_root(&document.skin(skin).joints, &parent) && !has_root(joints, &parent) {
        return no_common_root(document, skin);
    }
    Ok(())
}

fn has_root(joints: &[NodeId], parent: &dyn Fn(NodeId) -> Option<NodeId>) -> bool {
    let root = |n: &NodeId| std::iter::successors(Some(*n), |n| parent(*n)).last();
    let mut roots = joints.iter().map(root);
    let first = roots.next();
    roots.all(|r| Some(r) == first)
}

fn no_common_root(document: &Document, skin: SkinId) -> Result<(), CommandError> {
    let skin = skin_label(document, skin);
    refuse(
        "joints_without_root",
        format!("the joints of {skin} would have no common root; keep a node above them"),
    )
}

/// Returns an error if a node to be removed is a bone of the VRM avatar, or has keys that cannot be
/// edited.
pub(in crate::command) fn refuse_fixed(
    document: &Document,
    nodes: &BTreeSet<NodeId>,
) -> Result<(), CommandError> {
    let bones = document.vrm.iter().flat_map(|vrm| vrm.bones.iter());
    if let Some((role, node)) = bones.into_iter().find(|(_, n)| nodes.contains(n)) {
        let label = document.node(*node).label(*node);
        return refuse(
            "is_avatar_bone",
            format!(
                "“{label}” is the bone “{role}” of the VRM avatar; clear the bone with \
                    “Humanoid bones” before you remove the joint"
            ),
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
