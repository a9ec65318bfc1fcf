//! Commands on node visibility, which is saved in the file (`KHR_node_visibility`).

use super::{CommandError, Scene, define::document_commands, field::Nodes};
use crate::Edit;

document_commands! {
    /// Commands on the visibility of nodes.
    VisibilityCommand in "Edit";

    /// Shows or hides nodes in the file, with all their descendants
    SetVisibility {
        /// Nodes to show or hide.
        node: Nodes,
        /// Whether the nodes are visible.
        visible: bool,
    } = "node.visibility", "Set the visibility in the file", asks: true;
}

impl SetVisibility {
    fn work(&self, scene: &Scene<'_>) -> Result<Vec<Edit>, CommandError> {
        let document = scene.document;
        let nodes = self.node.all(document)?;
        let differs = |n: &ulna_model::NodeId| document.node(*n).hidden == self.visible;
        Ok(nodes
            .into_iter()
            .filter(differs)
            .map(|node| Edit::SetHidden { node, to: !self.visible })
            .collect())
    }
}
