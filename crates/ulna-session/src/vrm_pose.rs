//! Detects poses that would change the T-pose of a VRM file when they are saved.
//!
//! VRM readers use the transforms of the nodes as the T-pose, which is the reference of all motions
//! (VRM 0; `VRMC_vrm`, humanoid.md, “T-pose”). If a pose is saved in the nodes, it becomes the
//! T-pose for these readers. The inverse bind matrices do not affect this.

use std::collections::BTreeSet;

use ulna_model::{Document, NodeId, Notice};

/// Returns the nodes that determine the pose of humanoid bones: the bones and all their ancestors.
pub(super) fn carriers(document: &Document) -> BTreeSet<NodeId> {
    let bones = document.vrm.iter().flat_map(|v| v.bones.iter().map(|(_, node)| *node));
    bones
        .flat_map(|n| {
            std::iter::successors(Some(n), |n| document.nodes.get(*n).and_then(|n| n.parent))
        })
        .collect()
}

/// Returns the posed nodes that would change the T-pose if they were saved.
pub fn posed_bones(document: &Document) -> Vec<NodeId> {
    let carriers = carriers(document);
    carriers
        .into_iter()
        .filter(|n| document.nodes.get(*n).is_some_and(|n| n.pose.is_some()))
        .collect()
}

/// Returns a warning that these nodes are posed. `None` if the list is empty.
pub(super) fn in_words(document: &Document, nodes: &[NodeId]) -> Option<Notice> {
    const MOST: usize = 4;
    if nodes.is_empty() {
        return None;
    }
    let names: Vec<String> =
        nodes.iter().take(MOST).map(|n| format!("“{}”", document.node(*n).label(*n))).collect();
    let more = nodes.len().saturating_sub(MOST);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let joints = if nodes.len() == 1 {
        "1 joint is".to_owned()
    } else {
        format!("{} joints are", nodes.len())
    };
    let said = format!(
        "{joints} posed ({}{more}): programs that read VRM treat the saved pose as the T-pose, \
            from which motions and expressions of the avatar start. To keep the T-pose, reset \
            these joints to rest before saving, and key the pose in a clip instead",
        names.join(", ")
    );
    Some(Notice::new("t_pose_is_posed", said))
}

/// Returns a warning before a save. It lists the nodes whose pose differs from the file as opened.
pub(super) fn warning(opened: &Document, now: &Document) -> Option<Notice> {
    let was = |n: &NodeId| opened.nodes.get(*n).map(|n| n.local());
    let changed: Vec<NodeId> = posed_bones(now)
        .into_iter()
        .filter(|n| was(n) != now.nodes.get(*n).map(|n| n.local()))
        .collect();
    in_words(now, &changed)
}
