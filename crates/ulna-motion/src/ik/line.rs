//! A path of nodes from the root of a chain to its end, in double precision, whose nodes can be
//! rotated one by one.

use glam::{DMat3, DMat4, DQuat, DVec3, Quat};

use crate::{JointRange, Pose};
use ulna_geometry::orthogonal_factor;
use ulna_model::{FileContent, NodeId};

/// A path of nodes, parents first, and a point attached to the last node.
#[derive(Clone, Debug)]
pub(super) struct Line {
    pub nodes: Vec<NodeId>,
    above: DMat4,
    locals: Vec<(DVec3, DQuat, DVec3)>,
    worlds: Vec<DMat4>,
    /// The attached point, in the space of the last node.
    pub tip: DVec3,
}

impl Line {
    pub fn new(file: &FileContent, pose: &Pose, nodes: &[NodeId], tip: DVec3) -> Self {
        let local = |n: &NodeId| {
            let t = pose.local[n.index()].transform();
            (t.translation.as_dvec3(), t.rotation.as_dquat().normalize(), t.scale.as_dvec3())
        };
        let above =
            nodes.first().map_or(DMat4::IDENTITY, |n| pose.parent_world(file, *n).as_dmat4());
        let locals: Vec<_> = nodes.iter().map(local).collect();
        let mut line = Self {
            nodes: nodes.to_vec(),
            above,
            worlds: vec![DMat4::IDENTITY; locals.len()],
            locals,
            tip,
        };
        line.refresh(0);
        line
    }

    fn refresh(&mut self, from: usize) {
        for k in from..self.locals.len() {
            let (t, r, s) = self.locals[k];
            self.worlds[k] = *self.parent(k) * DMat4::from_scale_rotation_translation(s, r, t);
        }
    }

    fn parent(&self, k: usize) -> &DMat4 {
        k.checked_sub(1).map_or(&self.above, |p| &self.worlds[p])
    }

    /// Position of the node at index `k` in the scene.
    pub fn place(&self, k: usize) -> DVec3 {
        self.worlds[k].w_axis.truncate()
    }

    /// Position of the attached point in the scene.
    pub fn end(&self) -> DVec3 {
        self.worlds.last().map_or(self.tip, |w| w.transform_point3(self.tip))
    }

    /// Orientation of a node in the scene: the orthogonal factor of its world matrix.
    pub fn turning(&self, k: usize) -> Option<DMat3> {
        orthogonal_factor(&self.worlds[k])
    }

    /// Rotates a node in the scene about its own origin. Nothing changes if the parent's matrix is
    /// singular.
    pub fn turn(&mut self, k: usize, by: DQuat) {
        let Some(o) = orthogonal_factor(self.parent(k)) else { return };
        // `O⁻¹·u·O` is the rotation about the transformed axis, with a negated angle in a mirrored
        // space.
        let sign = if o.determinant() < 0.0 { -1.0 } else { 1.0 };
        let axis = o.transpose() * by.xyz() * sign;
        let taken = DQuat::from_xyzw(axis.x, axis.y, axis.z, by.w);
        let turned = (taken * self.locals[k].1).normalize();
        if turned.is_finite() {
            self.locals[k].1 = turned;
            self.refresh(k);
        }
    }

    /// Velocity of the attached point in the scene when a node rotates about x, y and z of its
    /// parent, in meters per radian.
    pub fn moves(&self, k: usize) -> [DVec3; 3] {
        let parent = DMat3::from_mat4(*self.parent(k));
        let (_, r, s) = self.locals[k];
        let below = self.worlds[k].inverse().transform_point3(self.end());
        // A node with a singular matrix does not rotate.
        let arm = if below.is_finite() { DMat3::from_quat(r) * (s * below) } else { DVec3::ZERO };
        [DVec3::X, DVec3::Y, DVec3::Z].map(|axis| parent * axis.cross(arm))
    }

    /// Rotates a node in its parent's space by a rotation vector.
    pub fn turn_in_parent(&mut self, k: usize, by: DVec3) {
        let turned = (DQuat::from_scaled_axis(by) * self.locals[k].1).normalize();
        if turned.is_finite() {
            self.locals[k].1 = turned;
            self.refresh(k);
        }
    }

    /// Clamps a node's rotation to a range. `rest` is the node's rotation in the rest pose.
    pub fn keep(&mut self, k: usize, rest: DQuat, range: &JointRange) {
        let kept = range.within(rest, self.locals[k].1);
        if kept != self.locals[k].1 && kept.is_finite() {
            self.locals[k].1 = kept;
            self.refresh(k);
        }
    }

    /// Rotates a node so that it has the orientation `to` in the scene.
    pub fn turn_to(&mut self, k: usize, to: &DMat3) {
        if let Some(now) = self.turning(k) {
            self.turn(k, DQuat::from_mat3(&(*to * now.transpose())).normalize());
        }
    }

    /// Local rotation of a node.
    pub fn rotation(&self, k: usize) -> Quat {
        self.locals[k].1.as_quat().normalize()
    }
}
