//! The pose: the local transforms `M_j` and world transforms `W_j = W_p · M_j` of all nodes at a
//! time.

use std::collections::BTreeSet;

use glam::Mat4;

use ulna_model::{Components, Document, FileContent, Local, NodeId, SkinId, Transform};

/// Local and world transforms of all nodes, and the weights of morph targets.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Pose {
    /// `M_j`: local transforms, by node.
    pub local: Vec<Local>,
    /// `W_j`: world transforms (`scene_from_node`), by node.
    pub world: Vec<Mat4>,
    /// Weights of morph targets, by node. Empty for a node whose mesh has no morph targets.
    pub morphs: Vec<Vec<f32>>,
    /// Nodes that are hidden by the file or its clips, including their descendants.
    pub hidden: BTreeSet<NodeId>,
}

/// Multiplies the parent's world matrix with a local transform, `W_p · M`. Faster than a matrix
/// product, since the last row of a translation, rotation and scale is known.
fn child(parent: &Mat4, local: &Transform) -> Mat4 {
    let turn = glam::Mat3A::from_quat(local.rotation);
    let p = [parent.x_axis, parent.y_axis, parent.z_axis];
    let column = |v: glam::Vec3A, scale: f32| {
        p[0] * (v.x * scale) + p[1] * (v.y * scale) + p[2] * (v.z * scale)
    };
    let t = local.translation;
    Mat4::from_cols(
        column(turn.x_axis, local.scale.x),
        column(turn.y_axis, local.scale.y),
        column(turn.z_axis, local.scale.z),
        p[0] * t.x + p[1] * t.y + p[2] * t.z + parent.w_axis,
    )
}

impl Pose {
    /// Computes `W_j = W_p · M_j`, parents first.
    pub(super) fn find_worlds(&mut self, tree: &[(u32, Option<u32>)]) {
        self.world.resize(self.local.len(), Mat4::IDENTITY);
        for (node, parent) in tree {
            let node = *node as usize;
            let parent = parent.and_then(|p| self.world.get(p as usize).copied());
            self.world[node] = match (&self.local[node], parent) {
                (Local::Trs(local), Some(parent)) => child(&parent, local),
                (Local::Trs(local), None) => local.matrix(),
                (Local::Matrix(local), Some(parent)) => parent * *local,
                (Local::Matrix(local), None) => *local,
            };
        }
    }

    /// Returns a copy of the pose in which some nodes have other components. Each node may be
    /// listed once. Only the world transforms of these nodes and below are recomputed.
    #[must_use]
    pub fn with(&self, file: &FileContent, wanted: &[(NodeId, Components)]) -> Self {
        let mut pose = self.clone();
        let mut moved = vec![false; pose.local.len()];
        for (node, to) in wanted {
            pose.local[node.index()] = to.seen(&pose.local[node.index()]);
            moved[node.index()] = true;
        }
        for node in file.nodes.order() {
            let parent = file.node(*node).parent;
            if moved[node.index()] || parent.is_some_and(|p| moved[p.index()]) {
                moved[node.index()] = true;
                let parent = pose.parent_world(file, *node);
                pose.world[node.index()] = match &pose.local[node.index()] {
                    Local::Trs(local) => child(&parent, local),
                    Local::Matrix(local) => parent * *local,
                };
            }
        }
        pose
    }

    /// `scene_from_parent`: the world matrix of a node's parent.
    pub fn parent_world(&self, file: &FileContent, node: NodeId) -> Mat4 {
        file.node(node).parent.map_or(Mat4::IDENTITY, |p| self.world[p.index()])
    }

    /// Skinning matrices of a skin in the order of its joints: `T_j = W_j · IBM_j`, which is
    /// `scene_from_mesh`.
    pub fn palette(&self, file: &FileContent, skin: SkinId) -> Vec<Mat4> {
        let skin = file.skin(skin);
        skin.joints
            .iter()
            .zip(skin.inverse_bind.iter())
            .map(|(j, inverse)| self.world[j.index()] * *inverse)
            .collect()
    }

    /// Computes the local transform that gives a node the world transform `scene_from_node`. Also
    /// returns the shear, which the local transform cannot represent.
    ///
    /// # Errors
    /// The parent's matrix cannot be inverted, or the result is not finite.
    pub fn local_for_world(
        &self,
        file: &FileContent,
        node: NodeId,
        scene_from_node: &Mat4,
    ) -> Result<ulna_model::Decomposed, ulna_model::TransformError> {
        let parent = self.parent_world(file, node).as_dmat4();
        if !ulna_model::transform::is_invertible(parent.determinant()) {
            return Err(ulna_model::TransformError::SingularParent);
        }
        let local = parent.inverse() * scene_from_node.as_dmat4();
        let like = self.local[node.index()].transform();
        let found = ulna_model::transform::decompose(&local, &like);
        if found.transform.is_finite() {
            Ok(found)
        } else {
            Err(ulna_model::TransformError::NotFinite)
        }
    }

    /// Computes the user-local transform `Ul` that gives a node the local transform `local`.
    ///
    /// # Errors
    /// As [`Transform::user_from`].
    pub fn user_for_local(
        document: &Document,
        node: NodeId,
        local: &Transform,
    ) -> Result<Transform, ulna_model::TransformError> {
        document.node(node).rest.transform().user_from(local)
    }
}

/// Bounds of the origins of all shown nodes. Used as a fallback size for models without a surface.
pub fn joint_bounds(document: &Document, pose: &Pose) -> Option<(glam::Vec3, glam::Vec3)> {
    let mut bounds: Option<(glam::Vec3, glam::Vec3)> = None;
    for id in document.shown_nodes() {
        let p = pose.world[id.index()].w_axis.truncate();
        if p.is_finite() {
            let (low, high) = bounds.get_or_insert((p, p));
            *low = low.min(p);
            *high = high.max(p);
        }
    }
    bounds
}
