//! Makes the current pose the rest pose, for the nodes only or with the meshes in their posed
//! shape.
//!
//! ```text
//!   nodes only    L' = L∘Ul                  IBM and meshes stay: the display does not change
//!   rebaked       p' = G⁻¹·Σ w·T(pose)·p     IBM' = W(pose)⁻¹·G
//! ```
//!
//! `L` is the local rest transform of a node, `Ul` its pose offset, `W` its world transform, and
//! `T` the skinning matrix of a joint. `G` is `scene_from_mesh` in the rest pose. A rebaked vertex
//! with one joint moves as before in every clip. A vertex with several joints does not, because `Σ
//! w·T'·(Σ w·T·p)` differs from `Σ w·T·p`.

use std::collections::BTreeSet;

use glam::{DMat4, Mat4};

use super::{
    commands::{RestFromPose, RestMesh, RestWeights},
    finish::finish,
    rewrite::{RigDraft, flat},
};
use crate::{
    Edit,
    command::{CommandError, Outcome, Scene, error::refuse, mesh_skins::skin_label},
};
use ulna_model::{
    Document, LayerHome, MeshId, Node, NodeId, Notice, RestSource, Shared, Skin, SkinId, WeightMap,
    free_of_zeros,
};
use ulna_motion::{Pose, Stack, fold_pose};
use ulna_weights::{at_rest, baked_shapes, bound_mesh, snapshot};

impl RestFromPose {
    pub(super) fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let document = scene.document;
        let mesh = self.mesh.unwrap_or(RestMesh::Keep);
        if mesh == RestMesh::Keep && self.weights == Some(RestWeights::Fit) {
            return refuse(
                "arguments_together",
                "weights are fitted to rebaked meshes only; leave out “weights”, or set “mesh” to \
                    “rebake”",
            );
        }
        let mut rig = RigDraft::of(document);
        rig.fold_pose_layers()?;
        let rebaked = match mesh {
            RestMesh::Keep => Vec::new(),
            RestMesh::Rebake => rig.rebake()?,
        };
        let rested = rig.rest_posed(mesh)?;
        if rested == 0 && rebaked.is_empty() {
            return Ok(Outcome::noted(
                "nothing_posed",
                "no node is posed, so the rest pose does not change",
            ));
        }
        if !rebaked.is_empty() {
            self.choose_weights(&mut rig, &rebaked)?;
        }
        let nodes = if rested == 1 { "1 node has" } else { &format!("{rested} nodes have") };
        let mut said = format!("{nodes} a new rest pose");
        if !rebaked.is_empty() {
            let vertices: usize = meshes_of(rig.document(), &rebaked)
                .into_iter()
                .map(|m| rig.document().mesh(m).vertex_count())
                .sum();
            said += &format!("; {vertices} vertices are stored in their posed shape");
        }
        let mut done = finish(rig, scene, None)?;
        done.notes.insert(0, Notice::new("rest_changed", said));
        Ok(done)
    }

    /// Decides whether the weights of rebaked skins are fitted to the old motion.
    fn choose_weights(&self, rig: &mut RigDraft, skins: &[SkinId]) -> Result<(), CommandError> {
        let document = rig.document();
        let layered = skins.iter().find(|s| document.aids.weight_layers.contains_key(s));
        let is_fitted = match (self.weights, layered) {
            (Some(RestWeights::Fit), Some(skin)) => {
                let label = skin_label(document, *skin);
                return refuse(
                    "skin_has_layers",
                    format!(
                        "{label} has weight layers, so its weights cannot be fitted; merge the \
                            layers first, or keep the weights"
                    ),
                );
            }
            (Some(RestWeights::Fit), None) => true,
            (None, None) => !document.clips.is_empty(),
            (Some(RestWeights::Keep), _) | (None, Some(_)) => false,
        };
        if is_fitted {
            rig.refitted = skins.to_vec();
        }
        Ok(())
    }
}

/// Returns the meshes that these skins deform.
fn meshes_of(document: &Document, skins: &[SkinId]) -> BTreeSet<MeshId> {
    let nodes = document.nodes.values();
    nodes.filter(|n| n.skin.is_some_and(|s| skins.contains(&s))).filter_map(|n| n.mesh).collect()
}

/// Whether a vertex has more than one joint.
fn is_blended(map: &WeightMap) -> bool {
    (0..map.vertex_count()).any(|v| {
        let mut joints = map.vertex(v).filter(|(_, w)| *w != 0.0).map(|(j, _)| j);
        let first = joints.next();
        joints.any(|j| Some(j) != first)
    })
}

impl RigDraft {
    /// Bakes the pose layers of the pose into the nodes.
    fn fold_pose_layers(&mut self) -> Result<(), CommandError> {
        let document = self.document();
        let layers = document.aids.layers(LayerHome::Pose);
        if layers.is_empty() {
            return Ok(());
        }
        let folded = fold_pose(&document.file, &layers);
        let poses: Vec<_> = folded
            .nodes
            .iter()
            .filter(|(id, n)| n.pose != document.node(*id).pose)
            .map(|(id, n)| (id, n.pose))
            .collect();
        if !poses.is_empty() {
            self.draft.put(Edit::SetPoses(poses))?;
        }
        self.draft.put(Edit::SetPoseLayers { home: LayerHome::Pose, to: None })
    }

    /// Makes the pose of each node its rest pose. Returns the number of changed nodes.
    fn rest_posed(&mut self, mesh: RestMesh) -> Result<usize, CommandError> {
        let document = self.document();
        let posed: Vec<(NodeId, Option<Box<Node>>)> = document
            .nodes
            .iter()
            .filter(|(_, node)| node.pose.is_some())
            .filter_map(|(id, node)| {
                let mut to = Node { rest: node.local(), pose: None, ..node.clone() };
                free_of_zeros(&mut to);
                let is_bound = matches!(node.rest_source, RestSource::Bind | RestSource::Pose);
                to.rest_source = match mesh {
                    // The bind matrices still define the old rest pose.
                    RestMesh::Keep if is_bound => RestSource::Pose,
                    RestMesh::Keep | RestMesh::Rebake => RestSource::File,
                };
                (to.rest != node.rest).then(|| (id, Some(Box::new(to))))
            })
            .collect();
        self.rested = posed.len();
        if !posed.is_empty() {
            self.draft.put(Edit::SetNodes(posed))?;
        }
        Ok(self.rested)
    }

    /// Changes meshes to their posed shape, and rebinds the skins at the pose. Returns the changed
    /// skins.
    fn rebake(&mut self) -> Result<Vec<SkinId>, CommandError> {
        let document = self.document().clone();
        let pose = Pose::evaluate(&document, &Stack::default());
        let mut rebaked = Vec::new();
        for (id, skin) in document.skins.iter() {
            self.joints.extend(skin.joints.iter().copied());
            if !skin.joints.iter().any(|j| is_posed(&document, *j)) {
                continue;
            }
            let scene_from_mesh = shown_at(&document, id);
            let binds = snapshot(&document, &pose, &skin.joints, &scene_from_mesh)
                .map_err(|joint| flat(&document, joint))?;
            self.rebake_meshes(&document, &pose, id, &scene_from_mesh)?;
            let has_inverse_bind =
                skin.has_inverse_bind || binds.iter().any(|m| *m != Mat4::IDENTITY);
            let to = Skin { inverse_bind: binds.into(), has_inverse_bind, ..(**skin).clone() };
            self.draft.put(Edit::SetSkin { skin: id, to: Some(Shared::new(to)) })?;
            rebaked.push(id);
        }
        Ok(rebaked)
    }

    fn rebake_meshes(
        &mut self,
        document: &Document,
        pose: &Pose,
        skin: SkinId,
        scene_from_mesh: &DMat4,
    ) -> Result<(), CommandError> {
        let mut done: BTreeSet<MeshId> = BTreeSet::new();
        for (node, about) in document.nodes.iter().filter(|(_, n)| n.skin == Some(skin)) {
            let Some(mesh) = about.mesh.filter(|m| done.insert(*m)) else { continue };
            refuse_shared(document, mesh, skin)?;
            let shapes = baked_shapes(document, pose, node, scene_from_mesh).or_else(|why| {
                let label = document.node(node).label(node);
                refuse("squashed_flat", format!("“{label}”: {why}"))
            })?;
            for (primitive, shape) in shapes {
                self.draft.put(Edit::SetShape { mesh, primitive, to: Box::new(shape) })?;
            }
            let maps = document.mesh(mesh).primitives.iter();
            self.moves_skin |= maps.filter_map(|p| p.weights.as_deref()).any(is_blended);
        }
        Ok(())
    }
}

/// Whether a node or one of its ancestors is posed.
fn is_posed(document: &Document, node: NodeId) -> bool {
    let up = std::iter::successors(Some(node), |n| document.node(*n).parent);
    up.into_iter().any(|n| document.node(n).pose.is_some())
}

/// Returns `scene_from_mesh` of a skin in the rest pose. Meshes of a skin without bind matrices are
/// in the space of the scene.
fn shown_at(document: &Document, skin: SkinId) -> DMat4 {
    if !document.skin(skin).has_inverse_bind {
        return DMat4::IDENTITY;
    }
    let rest = Pose::evaluate(&at_rest(document), &Stack::default());
    bound_mesh(document, &rest, skin).scene_from_mesh
}

/// Returns an error if a mesh is also used with another skin or without a skin.
fn refuse_shared(document: &Document, mesh: MeshId, skin: SkinId) -> Result<(), CommandError> {
    let other = document.nodes.iter().find(|(_, n)| n.mesh == Some(mesh) && n.skin != Some(skin));
    let Some((node, about)) = other else { return Ok(()) };
    let label = about.label(node);
    let why = match about.skin {
        Some(other) => format!(
            "and of {}, so it cannot get one posed shape; merge the skins first",
            skin_label(document, other)
        ),
        None => "without a skin, and would change; remove that node first, or set “mesh” to “keep”"
            .to_owned(),
    };
    refuse(
        "mesh_is_shared",
        format!("“{label}” has a mesh of {} {why}", skin_label(document, skin)),
    )
}
