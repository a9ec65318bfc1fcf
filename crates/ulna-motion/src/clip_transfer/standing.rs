//! The reference pose of a skeleton. Transferred rotations and positions are relative to it. It is
//! the bind pose if a skin defines one, since nodes may be in any pose; otherwise the rest pose.

use std::collections::BTreeMap;

use glam::{DMat4, Mat3, Mat4, Quat, Vec3};

use crate::{ancestors::above, mirror::rotation};
use ulna_model::{
    Document, NodeId, Transform,
    transform::{angle_between, unit_or},
};

/// Maximum angle between bind pose and rest pose that counts as equal, radians.
const NOISE: f32 = 2e-3;

/// The reference pose of a document. Each list has one item per node.
pub(super) struct Standing {
    /// Rotation of each node in the scene.
    pub rotation: Vec<Quat>,
    /// Local transform of each node.
    pub local: Vec<Transform>,
    /// World transform of each node, with joints in the rest pose.
    pub world: Vec<DMat4>,
    /// Local transform of each joint in the bind pose. `None` if its parent is not a joint of the
    /// same skin.
    pub bound: Vec<Option<Transform>>,
    /// Largest extent of the skeleton, meters.
    pub height: f32,
    /// One flag per node: whether negative scales of the node and its ancestors mirror its
    /// children.
    mirrored: Vec<bool>,
}

impl Standing {
    /// Computes the reference pose. Nodes for which `is_meant` is true are in the rest pose. All
    /// others keep their current pose, since no clip moves them.
    pub fn of(document: &Document, is_meant: &dyn Fn(NodeId) -> bool) -> Self {
        let count = document.nodes.len();
        let mut made = Self {
            rotation: vec![Quat::IDENTITY; count],
            local: vec![Transform::IDENTITY; count],
            world: vec![DMat4::IDENTITY; count],
            bound: vec![None; count],
            height: 0.0,
            mirrored: vec![false; count],
        };
        for node in document.nodes.order() {
            let own = document.node(*node);
            let local =
                if is_meant(*node) { own.rest.transform() } else { own.local().transform() };
            let (turn, place) = own.parent.map_or((Quat::IDENTITY, DMat4::IDENTITY), |p| {
                (made.frame(p), made.world[p.index()])
            });
            made.mirrored[node.index()] = own.parent.is_some_and(|p| made.mirrored[p.index()])
                != (local.scale.cmplt(Vec3::ZERO).bitmask().count_ones() % 2 == 1);
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

    /// Uses the bind pose for joints whose bind pose differs from the rest pose.
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
            // The space of the bind pose is aligned with the scene axes, independent of the pose of
            // the root.
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

    /// Changes to another reference pose: local rotations of some nodes, which also move their
    /// descendants.
    pub fn take_pose(&mut self, document: &Document, pose: &BTreeMap<NodeId, Quat>) {
        if pose.is_empty() {
            return;
        }
        let was = (self.rotation.clone(), self.world.clone());
        for node in document.nodes.order() {
            let k = node.index();
            let above = document.node(*node).parent;
            let (turn, old_turn) = above.map_or((Quat::IDENTITY, Quat::IDENTITY), |p| {
                (self.frame(p), was.0[p.index()] * self.flip(p))
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

    /// Scene rotation of a node's parent space, and meters per unit of that space.
    pub fn parent(&self, document: &Document, node: NodeId) -> (Quat, f32) {
        document.node(node).parent.map_or((Quat::IDENTITY, 1.0), |p| {
            (self.frame(p), self.world[p.index()].determinant().abs().cbrt() as f32)
        })
    }

    /// Whether a node's parent space is mirrored.
    pub fn is_mirrored(&self, document: &Document, node: NodeId) -> bool {
        document.node(node).parent.is_some_and(|p| self.mirrored[p.index()])
    }

    /// Scene rotation of a node's own space, which is the parent space of its children.
    pub fn frame(&self, node: NodeId) -> Quat {
        self.rotation[node.index()] * self.flip(node)
    }

    /// The rotation equivalent to a node's negative scales. A reflection is a rotation times −1,
    /// and the sign does not affect the conjugation of rotations.
    pub fn flip(&self, node: NodeId) -> Quat {
        let negative = self.local[node.index()].scale.cmplt(Vec3::ZERO);
        match negative.bitmask() {
            0b000 | 0b111 => Quat::IDENTITY,
            0b110 | 0b001 => Quat::from_xyzw(1.0, 0.0, 0.0, 0.0),
            0b101 | 0b010 => Quat::from_xyzw(0.0, 1.0, 0.0, 0.0),
            _ => Quat::from_xyzw(0.0, 0.0, 1.0, 0.0),
        }
    }

    /// Position of a node in the scene, meters.
    pub fn place(&self, node: NodeId) -> Vec3 {
        self.world[node.index()].w_axis.truncate().as_vec3()
    }
}

/// Iterates over all rotations that map axes to axes.
pub(super) fn axis_turns() -> impl Iterator<Item = Quat> {
    let axes = [Vec3::X, Vec3::Y, Vec3::Z, Vec3::NEG_X, Vec3::NEG_Y, Vec3::NEG_Z];
    axes.into_iter().flat_map(move |x| {
        axes.into_iter()
            .filter(move |y| x.dot(*y) == 0.0)
            .map(move |y| Quat::from_mat3(&Mat3::from_cols(x, y, x.cross(y))))
    })
}

/// Finds the nearest rotation that maps axes to axes.
fn nearest_axes(turn: Quat) -> Quat {
    axis_turns()
        .min_by(|a, b| angle_between(*a, turn).total_cmp(&angle_between(*b, turn)))
        .unwrap_or(Quat::IDENTITY)
}

/// Finds the nearest ancestor for which `is_one` is true.
pub(super) fn carrier(
    document: &Document,
    node: NodeId,
    is_one: impl Fn(NodeId) -> bool,
) -> Option<NodeId> {
    above(document, node).find(|n| is_one(*n))
}
