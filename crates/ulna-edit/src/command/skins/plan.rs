//! Draft of a bind: edits that are applied to a copy, with notes for the user.

use glam::{DMat4, Mat4};

use super::bound::joints_are;
use crate::{
    Edit,
    command::{CommandError, Outcome, draft::DocumentDraft, error::refuse},
};
use ulna_model::{
    Document, Local, MeshId, Node, NodeId, Notice, Property, References as _, RestSource, SceneId,
    Shared, SkinId, Track,
};
use ulna_motion::Pose;
use ulna_weights::{baked_shapes, rests_after};

impl DocumentDraft {
    /// Assigns a skin to a mesh node. The transforms of the node and its ancestors then have no
    /// effect. If nothing else depends on them, the node becomes a root without a transform.
    pub(super) fn hang(&mut self, node: NodeId, skin: SkinId) -> Result<Hung, CommandError> {
        self.skin(node, skin)?;
        let document = &self.document;
        let about = document.node(node);
        let plain = |local: Local| local.matrix().abs_diff_eq(Mat4::IDENTITY, 0.0);
        if about.parent.is_none() && plain(about.local()) {
            return Ok(Hung::AsItWas);
        }
        let is_moved = |t: &Shared<Track>| t.target == node && t.property != Property::Weights;
        let carries = about.camera.is_some() || about.light.is_some() || about.instances.is_some();
        let others = document.node_ids().any(|n| document.node(n).parent == Some(node));
        let kept = document.skins.names(node)
            || document.vrm.names(node)
            || document.node_space.names(node)
            || document.clips.values().any(|c| c.tracks.values().any(is_moved))
            || document.aids.unkeyed.names(node)
            || document.aids.pins.names(node)
            || document
                .aids
                .pose_layers
                .values()
                .any(|layers| layers.iter().any(|l| l.nodes().contains(&node)));
        if carries || others || kept {
            return Ok(Hung::Stays);
        }
        let mut root = node;
        while let Some(parent) = document.node(root).parent {
            root = parent;
        }
        let plain = Local::default();
        let to = Node {
            parent: None,
            rank: 0,
            rest: plain,
            rest_source: RestSource::File,
            pose: None,
            ..about.clone()
        };
        let scenes: Vec<(SceneId, Vec<NodeId>)> = document
            .scenes
            .iter()
            .filter(|(_, s)| s.roots.contains(&root) && !s.roots.contains(&node))
            .map(|(id, s)| (id, s.roots.iter().copied().chain([node]).collect()))
            .collect();
        self.put(Edit::node(node, to))?;
        for (scene, to) in scenes {
            self.put(Edit::SetRoots { scene, to })?;
        }
        Ok(Hung::Moved)
    }

    pub(super) fn skin(&mut self, node: NodeId, skin: SkinId) -> Result<(), CommandError> {
        let to = Node { skin: Some(skin), ..self.document.node(node).clone() };
        self.put(Edit::node(node, to))
    }

    /// Updates the rest pose of joints from their bind matrices. Returns the number of changed
    /// joints.
    pub(super) fn settle(&mut self, joints: &[NodeId]) -> Result<usize, CommandError> {
        let changed = rests_after(&self.document, joints);
        let count = changed.len();
        for (node, to) in changed {
            self.put(Edit::node(node, to))?;
        }
        Ok(count)
    }
}

/// Effect of a bind on the node of the mesh.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Hung {
    /// The node was already a root without a transform.
    AsItWas,
    /// The node became a root without a transform.
    Moved,
    /// The node keeps its parent and transform, which have no effect on the skinned mesh.
    Stays,
}

/// Planned result of a bind, without computed weights.
pub(super) struct Plan {
    pub(super) draft: DocumentDraft,
    /// Descriptions of the changes, one sentence each, without a final period.
    pub(super) lines: Vec<String>,
    /// Meshes whose weights will be computed.
    pub(super) bare: Vec<MeshId>,
}

impl Plan {
    /// Returns the edits, without computed weights.
    pub(super) fn outcome(self) -> Outcome {
        Outcome {
            edits: self.draft.edits,
            notes: vec![Notice::new("skin_bound", self.lines.join("; "))],
            ..Outcome::default()
        }
    }

    /// Stores the mesh of a node in its current deformed shape.
    pub(super) fn bake(
        &mut self,
        document: &Document,
        pose: &Pose,
        node: NodeId,
        scene_from_mesh: &DMat4,
        own: &[NodeId],
    ) -> Result<(), CommandError> {
        let label = document.node(node).label(node);
        let Some(mesh) = document.node(node).mesh else { return Ok(()) };
        let also = |n: &NodeId| document.node(*n).mesh == Some(mesh) && *n != node;
        if let Some(other) = document.node_ids().find(also) {
            // Nodes with the same skin deform their mesh equally, so it is stored once.
            if own.contains(&other) {
                if other < node {
                    return Ok(());
                }
            } else {
                let other = document.node(other).label(other);
                return refuse(
                    "mesh_is_shared",
                    format!("“{other}” uses the same mesh as “{label}” and would change with it"),
                );
            }
        }
        let shapes = baked_shapes(document, pose, node, scene_from_mesh)
            .or_else(|flat| refuse("squashed_flat", format!("“{label}”: {flat}")))?;
        let count: usize = shapes.iter().map(|(_, s)| s.positions.len()).sum();
        for (primitive, shape) in shapes {
            self.draft.put(Edit::SetShape { mesh, primitive, to: Box::new(shape) })?;
        }
        self.lines.push(format!(
            "{count} vertices of {label} are stored in their current deformed shape"
        ));
        Ok(())
    }

    /// Updates the rest pose of joints, and notes the number of changed joints.
    pub(super) fn settle(&mut self, joints: &[NodeId]) -> Result<(), CommandError> {
        let rests = self.draft.settle(joints)?;
        if rests > 0 {
            self.lines.push(format!("{} given the current pose as rest pose", joints_are(rests)));
        }
        Ok(())
    }
}
