//! The T-pose of a VRM: what a pose that is saved does to it.
//!
//! Readers of VRM take the transforms of the nodes for the T-pose, from which every motion is told
//! (VRM 0; `VRMC_vrm`, humanoid.md, “T-pose”). A pose that is saved in the nodes is a T-pose to
//! them, whatever the inverse bind matrices say.

use std::collections::BTreeSet;

use super::Session;
use ulna_model::{Document, NodeId, Notice};

/// Nodes whose pose is that of humanoid bones: the bones themselves, and what stands between or
/// above them.
pub(super) fn carriers(document: &Document) -> BTreeSet<NodeId> {
    let bones = document.vrm.iter().flat_map(|v| v.bones.iter().map(|(_, node)| *node));
    bones
        .flat_map(|n| {
            std::iter::successors(Some(n), |n| document.nodes.get(*n).and_then(|n| n.parent))
        })
        .collect()
}

/// The nodes whose pose would be taken for a part of the T-pose.
pub fn posed_bones(document: &Document) -> Vec<NodeId> {
    let carriers = carriers(document);
    carriers
        .into_iter()
        .filter(|n| document.nodes.get(*n).is_some_and(|n| n.pose.is_some()))
        .collect()
}

/// What to say before a document is saved in which these nodes are posed; nothing where there are
/// none.
fn in_words(document: &Document, nodes: &[NodeId]) -> Option<Notice> {
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
            from which motions and expressions of the \
         avatar start. To keep the T-pose, reset these joints to rest before saving, and key the \
         pose in a clip instead",
        names.join(", ")
    );
    Some(Notice::new("t_pose_is_posed", said))
}

/// What to say before a document is saved: of the nodes that are posed otherwise than in the file
/// as it was opened.
pub(super) fn warning(opened: &Document, now: &Document) -> Option<Notice> {
    let was = |n: &NodeId| opened.nodes.get(*n).map(|n| n.local());
    let changed: Vec<NodeId> = posed_bones(now)
        .into_iter()
        .filter(|n| was(n) != now.nodes.get(*n).map(|n| n.local()))
        .collect();
    in_words(now, &changed)
}

impl Session {
    /// What to say of the T-pose of a VRM in which humanoid joints do not stand at rest; nothing
    /// where all do.
    pub fn t_pose_in_words(&self) -> Option<Notice> {
        in_words(&self.document, &posed_bones(&self.document))
    }
}
