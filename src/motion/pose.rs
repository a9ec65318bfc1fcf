//! The pose: every node's local and world transform at a moment, `W_j = W_p · M_j`.

use glam::Mat4;

use super::sample::sample_into;
use crate::model::{Clip, Document, Local, NodeId, Property, SkinId, Transform};

/// What is shown: the pose of the document, or a clip at a time.
#[derive(Clone, Copy, Debug, Default)]
pub struct Moment<'a> {
    /// The clip, or `None` for the pose.
    pub clip: Option<&'a Clip>,
    /// Seconds on the clip's clock.
    pub time: f64,
}

/// Local and world transforms of every node, and the weights of morph targets.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Pose {
    /// `M_j`: local transforms, by node.
    pub local: Vec<Local>,
    /// `W_j`: `scene_from_node`, by node.
    pub world: Vec<Mat4>,
    /// Weights of morph targets, by node; empty where the node's mesh has none.
    pub morphs: Vec<Vec<f32>>,
}

impl Pose {
    /// The pose of a document at a moment. What is pending wins over the clip.
    pub fn evaluate(document: &Document, moment: Moment<'_>) -> Self {
        let mut pose = Self::default();
        pose.update(document, moment);
        pose
    }

    /// [`Pose::evaluate`] into the memory of this pose.
    pub fn update(&mut self, document: &Document, moment: Moment<'_>) {
        self.local.clear();
        self.local.extend(document.nodes.iter().map(|n| n.local()));
        self.morphs.resize(document.nodes.len(), Vec::new());
        for (id, node) in document.node_ids().zip(&document.nodes) {
            let morphs = &mut self.morphs[id.index()];
            morphs.clear();
            if node.mesh.is_some_and(|m| document.mesh(m).target_count() > 0) {
                *morphs = document.morph_weights(id);
            }
        }
        if let Some(clip) = moment.clip {
            self.apply_clip(clip, moment.time);
            for (node, local) in &document.pending {
                self.local[node.index()] = Local::Trs(*local);
            }
            for (node, weights) in &document.pending_morphs {
                let morphs = &mut self.morphs[node.index()];
                if morphs.len() == weights.len() {
                    morphs.copy_from_slice(weights);
                }
            }
        }
        self.world.clear();
        self.world.resize(document.nodes.len(), Mat4::IDENTITY);
        for id in document.order.iter() {
            let local = self.local[id.index()].matrix();
            self.world[id.index()] = match document.node(*id).parent {
                Some(parent) => self.world[parent.index()] * local,
                None => local,
            };
        }
    }

    /// Replaces what the clip's channels move.
    fn apply_clip(&mut self, clip: &Clip, time: f64) {
        let mut buffer = [0.0f32; 4];
        let pointers = clip.pointers.iter().filter_map(|p| p.track.as_ref());
        for track in clip.tracks.values().chain(pointers) {
            let node = track.target.index();
            if track.property == Property::Weights {
                let morphs = &mut self.morphs[node];
                if morphs.len() == track.width {
                    sample_into(track, time, morphs);
                }
                continue;
            }
            let out = &mut buffer[..track.width];
            sample_into(track, time, out);
            let mut local = self.local[node].transform();
            match track.property {
                Property::Translation => local.translation = [out[0], out[1], out[2]].into(),
                Property::Rotation => local.rotation = glam::Quat::from_slice(out),
                Property::Scale | Property::Weights => local.scale = [out[0], out[1], out[2]].into(),
            }
            self.local[node] = Local::Trs(local);
        }
    }

    /// `scene_from_parent`: the world matrix of a node's parent.
    pub fn parent_world(&self, document: &Document, node: NodeId) -> Mat4 {
        document.node(node).parent.map_or(Mat4::IDENTITY, |p| self.world[p.index()])
    }

    /// `T_j = W_j · IBM_j` for every joint of a skin, in its order: `scene_from_mesh` by joint.
    pub fn palette(&self, document: &Document, skin: SkinId) -> Vec<Mat4> {
        let skin = document.skin(skin);
        skin.joints.iter().zip(skin.inverse_bind.iter()).map(|(j, inverse)| self.world[j.index()] * *inverse).collect()
    }

    /// The local transform that puts a node at `scene_from_node`, and what shear was left out.
    ///
    /// # Errors
    /// Where the parent's matrix cannot be inverted, or the result is not finite.
    pub fn local_for_world(
        &self,
        document: &Document,
        node: NodeId,
        scene_from_node: &Mat4,
    ) -> Result<crate::model::Decomposed, crate::model::TransformError> {
        let parent = self.parent_world(document, node).as_dmat4();
        if !crate::model::transform::is_invertible(parent.determinant()) {
            return Err(crate::model::TransformError::SingularParent);
        }
        let local = parent.inverse() * scene_from_node.as_dmat4();
        let like = self.local[node.index()].transform();
        let found = crate::model::transform::decompose(&local, &like);
        if found.transform.is_finite() { Ok(found) } else { Err(crate::model::TransformError::NotFinite) }
    }

    /// The `Ul` that makes a node's local transform `local`.
    ///
    /// # Errors
    /// As [`Transform::user_from`].
    pub fn user_for_local(
        document: &Document,
        node: NodeId,
        local: &Transform,
    ) -> Result<Transform, crate::model::TransformError> {
        document.node(node).rest.transform().user_from(local)
    }
}

/// The bounds of the shown nodes' joints: a fall-back size for models without a surface.
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
