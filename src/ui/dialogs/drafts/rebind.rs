//! Choices in the *Rebind* dialog, and the resulting command.

use ulna_edit::command::{BindSkin, BoundShape, field::ClipName, field::Nodes, field::Seconds};
use ulna_model::{ClipId, Document, NodeId};

/// Choices in the *Rebind* dialog: the skinned meshes, and their new bind pose.
#[derive(Clone, Debug, PartialEq)]
pub struct RebindDraft {
    /// Nodes of skinned meshes, and whether each is rebound.
    pub meshes: Vec<(NodeId, bool)>,
    /// Shown clip, and its time in seconds.
    pub moment: Option<(ClipId, f64)>,
    /// Whether the bind pose is the pose at `moment`; otherwise it is the pose of the file.
    pub at_moment: bool,
    /// Whether the posed shape is bound; otherwise the shape as modeled.
    pub posed: bool,
}

impl RebindDraft {
    /// Creates the initial choices: the selected skinned meshes are checked, or all without a
    /// selection.
    pub fn of(document: &Document, selected: &[NodeId], moment: Option<(ClipId, f64)>) -> Self {
        let is_skinned = |n: &NodeId| {
            let about = document.node(*n);
            about.mesh.is_some() && about.skin.is_some()
        };
        let all: Vec<NodeId> = document.node_ids().filter(is_skinned).collect();
        let is_chosen = all.iter().any(|n| selected.contains(n));
        let meshes = all.into_iter().map(|n| (n, !is_chosen || selected.contains(&n))).collect();
        Self { meshes, moment, at_moment: false, posed: false }
    }

    /// Creates the command.
    pub(crate) fn bind(&self) -> BindSkin {
        let moment = self.moment.filter(|_| self.at_moment);
        let shape = Some(if self.posed { BoundShape::Posed } else { BoundShape::Stored });
        let meant = self.meshes.iter().filter(|m| m.1).map(|m| m.0);
        BindSkin {
            node: Some(Nodes::Ids(meant.collect())),
            clip: moment.map(|m| ClipName::Id(m.0)),
            time: moment.map(|m| Seconds(m.1 as f32)),
            shape,
        }
    }

    /// Changes that the command will make, one sentence each.
    ///
    /// # Errors
    /// The reason why the command would fail.
    pub(crate) fn describe_changes(&self, document: &Document) -> Result<Vec<String>, String> {
        if !self.meshes.iter().any(|m| m.1) {
            return Err("Choose a mesh".to_owned());
        }
        self.bind().describe_changes(document).map_err(|e| e.to_string())
    }
}
