//! Baking of the pose's layers into nodes.

use crate::with_layers;
use ulna_model::{FileContent, Local, NodeId, NodePose, PoseLayers, Transform};

/// Returns the file with the layers of its pose baked into its nodes; unchanged without layers.
pub fn fold_pose(file: &FileContent, layers: &PoseLayers) -> FileContent {
    let mut folded = file.clone();
    let nodes: std::collections::BTreeSet<NodeId> =
        layers.counting().flat_map(|l| l.nodes()).collect();
    for node in nodes.into_iter().filter(|n| file.nodes.contains(*n)) {
        let under = file.node(node).local().transform();
        let local = with_layers(&under, layers, node, 0.0);
        if local != under {
            stand(&mut folded, node, local);
        }
    }
    folded
}

/// Sets the local transform of a node's pose.
pub(super) fn stand(file: &mut FileContent, node: NodeId, local: Transform) {
    let rest = file.node(node).rest;
    let user = rest.transform().user_from(&local).unwrap_or_default();
    if let Some(node) = file.nodes.get_mut(node) {
        node.pose = Some(NodePose { user, local: Local::Trs(local) });
    }
}
