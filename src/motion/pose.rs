//! The pose: every node's local and world transform at a moment, `W_j = W_p · M_j`.

use glam::Mat4;

use super::{
    compiled::{self, Compiled},
    sample::sample_into,
};
use crate::model::{Clip, Document, Local, NodeId, Property, Shared, SkinId, Transform, Tree, Unkeyed};

/// What is shown: the pose of the document, or a clip at a time.
#[derive(Clone, Copy, Debug, Default)]
pub struct Moment<'a> {
    /// The clip, or `None` for the pose.
    pub clip: Option<&'a Shared<Clip>>,
    /// Seconds on the clip's clock.
    pub time: f64,
    /// The unkeyed pose that is seen over the clip then.
    pub unkeyed: Option<&'a Shared<Unkeyed>>,
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
    player: Player,
}

/// A tree, and the nodes in it with their parents.
type Walk = (Shared<Tree>, Vec<(u32, u32)>);

/// What a pose keeps from one moment to the next. No part of its value.
#[derive(Clone, Debug, Default)]
struct Player {
    /// The clip that was asked for last, and how often in a row.
    asked: Option<(Shared<Clip>, u32)>,
    compiled: Option<Compiled>,
    /// Nodes with their parents (`u32::MAX`: none), parents first, and the order they were made from.
    tree: Option<Walk>,
}

impl PartialEq for Player {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Player {
    /// The clip laid out, once it was asked for often enough to be worth it: a single moment is not.
    fn clip(&mut self, clip: Option<&Shared<Clip>>) -> Option<&mut Compiled> {
        const WORTH: u32 = 3;
        let clip = clip?;
        match &mut self.asked {
            Some((known, count)) if Shared::ptr_eq(known, clip) => {
                *count = count.saturating_add(1);
                if *count == WORTH {
                    self.compiled = Compiled::new(clip);
                }
            }
            _ => {
                self.asked = Some((clip.clone(), 1));
                self.compiled = None;
            }
        }
        self.compiled.as_mut()
    }

    fn tree(&mut self, document: &Document) -> &[(u32, u32)] {
        let same = self.tree.as_ref().is_some_and(|(tree, _)| Shared::ptr_eq(tree, document.nodes.tree()));
        if !same {
            let parents =
                document.nodes.order().iter().map(|id| (id.0, document.node(*id).parent.map_or(u32::MAX, |p| p.0)));
            self.tree = Some((document.nodes.tree().clone(), parents.collect()));
        }
        self.tree.as_ref().map_or(&[], |(_, list)| list)
    }
}

/// `W_p · M`, where `M` is no more than translation, rotation and scale: its last row is known.
fn child(parent: &Mat4, local: &Transform) -> Mat4 {
    let turn = glam::Mat3A::from_quat(local.rotation);
    let p = [parent.x_axis, parent.y_axis, parent.z_axis];
    let column = |v: glam::Vec3A, scale: f32| p[0] * (v.x * scale) + p[1] * (v.y * scale) + p[2] * (v.z * scale);
    let t = local.translation;
    Mat4::from_cols(
        column(turn.x_axis, local.scale.x),
        column(turn.y_axis, local.scale.y),
        column(turn.z_axis, local.scale.z),
        p[0] * t.x + p[1] * t.y + p[2] * t.z + parent.w_axis,
    )
}

impl Pose {
    /// The pose of a document at a moment. What is unkeyed wins over the clip.
    pub fn evaluate(document: &Document, moment: Moment<'_>) -> Self {
        let mut pose = Self::default();
        pose.update(document, moment);
        pose
    }

    /// [`Pose::evaluate`] into the memory of this pose. A clip that is asked for again and again is laid out for playing.
    pub fn update(&mut self, document: &Document, moment: Moment<'_>) {
        let mut player = std::mem::take(&mut self.player);
        let compiled = player.clip(moment.clip);
        self.begin(document, compiled.as_deref());
        if let Some(clip) = moment.clip {
            match compiled {
                Some(compiled) => compiled.apply(moment.time, &mut self.local, &mut self.morphs),
                None => self.apply_clip(clip, moment.time),
            }
            if let Some(unkeyed) = moment.unkeyed {
                self.put(unkeyed);
            }
        }
        self.worlds(player.tree(document));
        self.player = player;
    }

    /// The pose of the document, which a clip then changes. What the clip replaces as a whole is left out.
    fn begin(&mut self, document: &Document, compiled: Option<&Compiled>) {
        self.local.resize(document.nodes.len(), Local::Trs(Transform::IDENTITY));
        let moved = compiled.map_or(&[][..], |c| c.moved());
        let mut next = 0;
        for (index, (slot, node)) in self.local.iter_mut().zip(document.nodes.slots()).enumerate() {
            let Some(node) = node else { continue };
            let found = moved.get(next).filter(|(n, _)| *n as usize == index);
            next += usize::from(found.is_some());
            match found {
                // Every part of it comes from the clip.
                Some((_, true)) if matches!(slot, Local::Trs(_)) => {}
                Some((_, true)) => *slot = Local::Trs(Transform::IDENTITY),
                Some((_, false)) => *slot = Local::Trs(node.local().transform()),
                None => *slot = node.local(),
            }
        }
        self.morphs.resize(document.nodes.len(), Vec::new());
        for (morphs, node) in self.morphs.iter_mut().zip(document.nodes.slots()) {
            let mesh = node.and_then(|n| Some((n, document.mesh(n.mesh?)))).filter(|(_, m)| m.target_count() > 0);
            let Some((node, mesh)) = mesh else {
                morphs.clear();
                continue;
            };
            let given = node.morph_weights.as_ref().unwrap_or(&mesh.default_weights);
            morphs.clear();
            morphs.extend((0..mesh.target_count()).map(|k| given.get(k).copied().unwrap_or(0.0)));
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
            compiled::set(&mut local, track.property, out);
            self.local[node] = Local::Trs(local);
        }
    }

    /// Puts an unkeyed pose over what is seen.
    fn put(&mut self, unkeyed: &Unkeyed) {
        for (node, components) in &unkeyed.locals {
            if let Some(local) = self.local.get_mut(node.index()) {
                *local = components.seen(local);
            }
        }
        for (node, weights) in &unkeyed.morphs {
            if let Some(morphs) = self.morphs.get_mut(node.index()).filter(|m| m.len() == weights.len()) {
                morphs.copy_from_slice(weights);
            }
        }
    }

    /// `W_j = W_p · M_j`, parents first.
    fn worlds(&mut self, tree: &[(u32, u32)]) {
        self.world.resize(self.local.len(), Mat4::IDENTITY);
        for (node, parent) in tree {
            let node = *node as usize;
            let parent = self.world.get(*parent as usize).copied();
            self.world[node] = match (&self.local[node], parent) {
                (Local::Trs(local), Some(parent)) => child(&parent, local),
                (Local::Trs(local), None) => local.matrix(),
                (Local::Matrix(local), Some(parent)) => parent * *local,
                (Local::Matrix(local), None) => *local,
            };
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
