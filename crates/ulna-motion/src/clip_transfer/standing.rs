//! How a skeleton stands when nothing moves it: what turns and places of joints are told from. That
//! is the bind, where a skin gives one, since nodes may stand anywhere; else the rest.

use std::collections::BTreeMap;

use glam::{DMat4, Mat3, Mat4, Quat, Vec3};

use crate::{ancestors::above, mirror::rotation};
use ulna_model::{
    Document, NodeId, Transform,
    transform::{angle_between, unit_or},
};

/// A bind that is less off the rest than this is the rest, radians.
const NOISE: f32 = 2e-3;

/// The skeletons of a document, standing; by node.
pub(super) struct Standing {
    /// Rotations in the scene.
    pub rotation: Vec<Quat>,
    /// Local transforms.
    pub local: Vec<Transform>,
    /// Places in the scene, at rest.
    pub world: Vec<DMat4>,
    /// Local transforms of the bind over the parent's, where both are joints of a skin that gives
    /// it.
    pub bound: Vec<Option<Transform>>,
    /// How high the joints that are meant are, meters.
    pub height: f32,
}

impl Standing {
    /// `is_meant`: nodes that are taken at rest; all others stand as they are posed, since no clip
    /// moves them.
    pub fn of(document: &Document, is_meant: &dyn Fn(NodeId) -> bool) -> Self {
        let count = document.nodes.len();
        let mut made = Self {
            rotation: vec![Quat::IDENTITY; count],
            local: vec![Transform::IDENTITY; count],
            world: vec![DMat4::IDENTITY; count],
            bound: vec![None; count],
            height: 0.0,
        };
        for node in document.nodes.order() {
            let own = document.node(*node);
            let local =
                if is_meant(*node) { own.rest.transform() } else { own.local().transform() };
            let (turn, place) = own.parent.map_or((Quat::IDENTITY, DMat4::IDENTITY), |p| {
                (made.rotation[p.index()], made.world[p.index()])
            });
            made.local[node.index()] = local;
            made.rotation[node.index()] = turn * unit_or(local.rotation, Quat::IDENTITY);
            made.world[node.index()] = place * local.matrix().as_dmat4();
        }
        made.take_binds(document, is_meant);
        let places = (0..count)
            .filter(|k| is_meant(NodeId(*k as u32)))
            .map(|k| made.world[k].w_axis.truncate().as_vec3());
        let (low, high) = places
            .filter(|p| p.is_finite())
            .fold((Vec3::INFINITY, Vec3::NEG_INFINITY), |(low, high), p| (low.min(p), high.max(p)));
        let size = high - low;
        made.height =
            if size.is_finite() && size.max_element() > 0.0 { size.max_element() } else { 1.0 };
        made
    }

    /// Joints stand as they are bound, where that is not how they rest.
    fn take_binds(&mut self, document: &Document, is_meant: &dyn Fn(NodeId) -> bool) {
        let mut binds: Vec<Option<Mat4>> = vec![None; document.nodes.len()];
        for skin in document.skins.values().filter(|s| s.has_inverse_bind) {
            let own =
                |k: usize| skin.inverse_bind.get(k).map(Mat4::inverse).filter(Mat4::is_finite);
            let place = |node: NodeId| skin.joints.iter().position(|j| *j == node);
            for (k, joint) in skin.joints.iter().enumerate() {
                let above = document.node(*joint).parent.and_then(place).and_then(own);
                let (Some(mesh_from_joint), true) = (own(k), binds[joint.index()].is_none()) else {
                    continue;
                };
                binds[joint.index()] = Some(mesh_from_joint);
                self.bound[joint.index()] = above.map(|a| {
                    Transform::decompose(
                        &(a.inverse() * mesh_from_joint),
                        &self.local[joint.index()],
                    )
                    .transform
                });
            }
            let top = document
                .nodes
                .order()
                .iter()
                .copied()
                .find(|n| binds[n.index()].is_some() && place(*n).is_some());
            let Some((top, bind)) = top.and_then(|n| Some((n, binds[n.index()]?))) else {
                continue;
            };
            // The space of the bind lies along axes of the scene, however the root is posed.
            let space = nearest_axes(self.rotation[top.index()] * rotation(&bind).conjugate());
            let turns: Vec<(NodeId, Quat)> = skin
                .joints
                .iter()
                .filter_map(|j| Some((*j, space * rotation(&binds[j.index()]?))))
                .filter(|(j, _)| is_meant(*j))
                .collect();
            if turns.iter().all(|(j, turn)| angle_between(*turn, self.rotation[j.index()]) < NOISE)
            {
                continue;
            }
            for (joint, turn) in turns {
                self.rotation[joint.index()] = turn;
                if let Some(bound) = self.bound[joint.index()] {
                    self.local[joint.index()].translation = bound.translation;
                }
            }
        }
    }

    /// Stands in another pose: local rotations of some nodes, what hangs on them goes along.
    pub fn take_pose(&mut self, document: &Document, pose: &BTreeMap<NodeId, Quat>) {
        if pose.is_empty() {
            return;
        }
        let was = (self.rotation.clone(), self.world.clone());
        for node in document.nodes.order() {
            let k = node.index();
            let above = document.node(*node).parent;
            let (turn, old_turn) = above.map_or((Quat::IDENTITY, Quat::IDENTITY), |p| {
                (self.rotation[p.index()], was.0[p.index()])
            });
            let (place, old_place) = above.map_or((DMat4::IDENTITY, DMat4::IDENTITY), |p| {
                (self.world[p.index()], was.1[p.index()])
            });
            let mut local = old_place.inverse() * was.1[k];
            let mut own = old_turn.conjugate() * was.0[k];
            if let Some(turn) = pose.get(node).and_then(|q| q.is_finite().then_some(*q)) {
                let (scale, _, way) = local.to_scale_rotation_translation();
                let turn = unit_or(turn, Quat::IDENTITY);
                local = DMat4::from_scale_rotation_translation(scale, turn.as_dquat(), way);
                own = turn;
                self.local[k].rotation = turn;
            }
            self.rotation[k] = turn * own;
            self.world[k] = if local.is_finite() { place * local } else { was.1[k] };
        }
    }

    /// The rotation in the scene of what a node hangs on, and meters in a unit of it.
    pub fn parent(&self, document: &Document, node: NodeId) -> (Quat, f32) {
        document.node(node).parent.map_or((Quat::IDENTITY, 1.0), |p| {
            (self.rotation[p.index()], self.world[p.index()].determinant().abs().cbrt() as f32)
        })
    }

    /// Where a node is in the scene, meters.
    pub fn place(&self, node: NodeId) -> Vec3 {
        self.world[node.index()].w_axis.truncate().as_vec3()
    }
}

/// All turns that take axes to axes.
pub(super) fn axis_turns() -> impl Iterator<Item = Quat> {
    let axes = [Vec3::X, Vec3::Y, Vec3::Z, Vec3::NEG_X, Vec3::NEG_Y, Vec3::NEG_Z];
    axes.into_iter().flat_map(move |x| {
        axes.into_iter()
            .filter(move |y| x.dot(*y) == 0.0)
            .map(move |y| Quat::from_mat3(&Mat3::from_cols(x, y, x.cross(y))))
    })
}

/// The turn by right angles that is nearest to one.
fn nearest_axes(turn: Quat) -> Quat {
    axis_turns()
        .min_by(|a, b| angle_between(*a, turn).total_cmp(&angle_between(*b, turn)))
        .unwrap_or(Quat::IDENTITY)
}

/// The nearest node above one that fulfils something.
pub(super) fn carrier(
    document: &Document,
    node: NodeId,
    is_one: impl Fn(NodeId) -> bool,
) -> Option<NodeId> {
    above(document, node).find(|n| is_one(*n))
}
