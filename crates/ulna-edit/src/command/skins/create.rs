//! Binds meshes to joints for the first time.

use std::collections::BTreeSet;

use glam::Mat4;

use super::{
    bound::{add_below, bound, counted, joints_of, labels, refuse_meshes, standing},
    commands::CreateSkin,
    plan::{Hung, Plan},
};
use crate::{
    Edit,
    command::{
        CommandError, Outcome, Scene, draft::DocumentDraft, error::refuse, weights::bind_bare,
    },
};
use ulna_model::{Document, MeshId, NodeId, Shared, Skin, SkinId};
use ulna_motion::Pose;
use ulna_weights::world;

impl CreateSkin {
    /// Describes the changes that the command would make, one sentence each, without a final
    /// period.
    ///
    /// # Errors
    /// The reason, if the command cannot run.
    pub fn describe_changes(&self, document: &Document) -> Result<Vec<String>, CommandError> {
        Ok(self.plan(document)?.lines)
    }

    /// Number of vertices whose weights the command computes.
    pub(in crate::command) fn vertices(&self, document: &Document) -> usize {
        let nodes = self.node.all(document).unwrap_or_default();
        let meshes: BTreeSet<MeshId> =
            nodes.iter().filter_map(|n| document.nodes.get(*n)?.mesh).collect();
        let all = meshes.iter().flat_map(|m| &document.mesh(*m).primitives);
        all.filter(|p| p.weights.is_none()).map(|p| p.positions.len()).sum()
    }

    pub(super) fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let plan = self.plan(scene.document)?;
        let bound = match plan.bare.is_empty() {
            true => Outcome::default(),
            false => bind_bare(&plan.draft.document, &plan.bare, &self.weights, scene.watch())?,
        };
        let mut done = plan.outcome();
        done.edits.extend(bound.edits);
        done.notes.extend(bound.notes);
        Ok(Outcome { bind: bound.bind, ..done })
    }

    fn plan(&self, document: &Document) -> Result<Plan, CommandError> {
        let pose = standing(document, self.clip.as_ref(), self.time)?;
        let nodes = self.node.all(document)?;
        self.joint.in_order(document)?;
        self.weights.named_joints(document)?;
        self.weights.settings()?;
        for node in &nodes {
            let (about, label) = (document.node(*node), document.node(*node).label(*node));
            match (about.mesh, about.skin) {
                (None, _) => {
                    return refuse(
                        "no_mesh",
                        format!("“{label}” has no mesh; name a node with a mesh"),
                    );
                }
                (_, Some(_)) => {
                    return refuse(
                        "skinned_already",
                        format!("“{label}” already has a skin; use skin.bind to rebind it"),
                    );
                }
                _ => {}
            }
        }
        let meshes: BTreeSet<MeshId> =
            nodes.iter().filter_map(|n| document.node(*n).mesh).collect();
        let joints = self.joints(document, &nodes, counted(document, &meshes))?;
        let is_bare = |m: &MeshId| document.mesh(*m).primitives.iter().any(|p| p.weights.is_none());
        let bare: Vec<MeshId> = meshes.iter().copied().filter(is_bare).collect();
        let mut plan = Plan { draft: DocumentDraft::of(document), lines: Vec::new(), bare };
        let (mut moved, mut stays) = (Vec::new(), Vec::new());
        for node in &nodes {
            let skin = self.skin_for(&mut plan, document, &pose, &joints, *node)?;
            match plan.draft.hang(*node, skin)? {
                Hung::AsItWas => {}
                Hung::Moved => moved.push(*node),
                Hung::Stays => stays.push(*node),
            }
        }
        plan.lines.push(format!("bound without changing position: {}", labels(document, &nodes)));
        if !moved.is_empty() {
            plan.lines.push(format!(
                "{} was moved to the top level without a transform, because parent transforms do \
                    not affect skinned meshes",
                labels(document, &moved)
            ));
        }
        if !stays.is_empty() {
            plan.lines.push(format!(
                "{} keeps its parent, because other nodes depend on it; its transform and its \
                    parents no longer affect the mesh, and “ulna check” warns about that",
                labels(document, &stays)
            ));
        }
        let vertices = |m: &MeshId| {
            let bare = document.mesh(*m).primitives.iter().filter(|p| p.weights.is_none());
            bare.map(|p| p.positions.len()).sum::<usize>()
        };
        match plan.bare.iter().map(vertices).sum::<usize>() {
            0 => plan.lines.push("its weights stay as they are".to_owned()),
            count => {
                plan.lines.push(format!("weights of {count} vertices are computed from the bones"))
            }
        }
        plan.settle(&joints)?;
        let others: Vec<NodeId> = document
            .node_ids()
            .filter(|n| !nodes.contains(n) && document.node(*n).skin.is_none())
            .filter(|n| document.node(*n).mesh.is_some_and(|m| plan.bare.contains(&m)))
            .collect();
        if !others.is_empty() {
            plan.lines.push(format!(
                "{} uses the same mesh and stays unskinned",
                labels(document, &others)
            ));
        }
        Ok(plan)
    }

    /// Returns the joints in order: the named ones, then optionally their descendants. `counted` is
    /// the largest joint index in existing weights of the meshes.
    fn joints(
        &self,
        document: &Document,
        meshes: &[NodeId],
        counted: Option<u16>,
    ) -> Result<Vec<NodeId>, CommandError> {
        let mut joints: Vec<NodeId> = Vec::new();
        for joint in self.joint.in_order(document)? {
            if !joints.contains(&joint) {
                joints.push(joint);
            } else if counted.is_some() {
                let label = document.node(joint).label(joint);
                return refuse(
                    "named_twice",
                    format!(
                        "“{label}” is listed twice; the weights of {} refer to joints by their \
                            order, so list each joint once",
                        labels(document, meshes)
                    ),
                );
            }
        }
        if joints.is_empty() {
            return refuse("no_joints_meant", "choose the joints to bind to");
        }
        refuse_meshes(document, &joints)?;
        let named = joints.len();
        if self.below.unwrap_or(named == 1 && counted.is_none()) {
            add_below(document, &mut joints);
        }
        match counted {
            Some(most) if usize::from(most) >= joints.len() => refuse(
                "count_mismatch",
                format!(
                    "the weights of {} use {} joints, but {} were named; name all of them, in \
                        order",
                    labels(document, meshes),
                    usize::from(most) + 1,
                    joints.len()
                ),
            ),
            _ => Ok(joints),
        }
    }

    /// Returns the skin for a mesh: an existing skin with the same joints and bind matrices, or
    /// else a new one.
    fn skin_for(
        &self,
        plan: &mut Plan,
        document: &Document,
        pose: &Pose,
        joints: &[NodeId],
        node: NodeId,
    ) -> Result<SkinId, CommandError> {
        let to = bound(
            document,
            pose,
            joints,
            &world(document, pose, node),
            self.name.as_deref().map(Into::into),
        )?;
        let is_same = |skin: &Skin| {
            let near = |(a, b): (&Mat4, &Mat4)| {
                let size = b.to_cols_array().iter().fold(1.0f32, |s, v| s.max(v.abs()));
                a.abs_diff_eq(*b, size * 1e-6)
            };
            skin.has_inverse_bind
                && skin.joints == to.joints
                && skin.inverse_bind.iter().zip(to.inverse_bind.iter()).all(near)
                && (to.name.is_none() || skin.name == to.name)
        };
        let known = plan.draft.document.skins.iter().find(|(_, s)| is_same(s)).map(|(id, _)| id);
        if let Some(skin) = known {
            if document.skins.contains(skin) {
                let name = plan.draft.document.skin(skin).name.as_deref().unwrap_or_default();
                plan.lines.push(format!(
                    "the existing skin “{name}” is used, because it has the same joints and \
                        inverse bind matrices"
                ));
            }
            return Ok(skin);
        }
        let skin = plan.draft.document.skins.next_id();
        let label = document.node(node).label(node);
        let name = self.name.clone().unwrap_or_else(|| format!("{label} skin"));
        plan.lines.push(format!("new skin “{name}” with {}", joints_of(joints.len())));
        let to = Skin { name: Some(name.into()), ..(*to).clone() };
        plan.draft.put(Edit::SetSkin { skin, to: Some(Shared::new(to)) })?;
        Ok(skin)
    }
}
