//! The carrier of a loop: the node that moves the body along the ground from cycle to cycle.

use glam::{Mat3, Quat, Vec3};

use super::root_motion::{about_vertical, traveler, turned as turn_of, world};
use crate::{Pose, ancestors::above};
use ulna_model::{Clip, Document, NodeId, transform::angle_between};

/// The node that moves the body along the ground from cycle to cycle of a loop.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Carrier {
    /// The node whose keys move the body.
    pub node: NodeId,
    /// Travel along the ground per cycle, as a vector in the scene in meters.
    pub(super) way: Vec3,
    /// Rotation about the vertical per cycle, radians.
    pub(super) turn: f32,
    /// Center of the rotation `turn`: the position of the body in the scene at the first key.
    center: Vec3,
    /// Rotation and scale from the node's parent space to the scene.
    scene_from_place: Mat3,
    /// Rotation of the node's parent in the scene.
    parent: Quat,
}

impl Carrier {
    /// Finds the carrier of a clip, if the body travels or turns between the first and the last
    /// pose. `height` is the body's height in meters.
    pub(super) fn of(
        document: &Document,
        clip: &Clip,
        start: &Pose,
        stop: &Pose,
        height: f32,
    ) -> Option<Self> {
        /// Minimum rotation per cycle that counts as a turn, radians. Smaller rotations are sway.
        const TURNS: f32 = 0.35;
        let body = traveler(document, clip)?;
        let [from, to] = [start, stop].map(|pose| world(document, pose, Some(body)));
        let way = (to.w_axis - from.w_axis).truncate().as_vec3().with_y(0.0);
        let turn = about_vertical(turn_of(&to) * turn_of(&from).conjugate()) as f32;
        let (way, turn) = (
            if way.length() > 0.05 * height { way } else { Vec3::ZERO },
            if turn.abs() > TURNS { turn } else { 0.0 },
        );
        if way == Vec3::ZERO && turn == 0.0 {
            return None;
        }
        let local = |pose: &Pose, n: NodeId| pose.local[n.index()].transform();
        let of = |n: NodeId| {
            let parent = world(document, start, document.node(n).parent);
            let linear = glam::DMat3::from_mat4(parent).as_mat3();
            let goes = (linear * (local(stop, n).translation - local(start, n).translation))
                .with_y(0.0)
                .length();
            let turns = angle_between(local(stop, n).rotation, local(start, n).rotation);
            (n, linear, turn_of(&parent).as_quat(), if way == Vec3::ZERO { turns } else { goes })
        };
        let chain = std::iter::once(body).chain(above(document, body));
        let moved = chain
            .filter(|n| clip.tracks.values().any(|t| t.target == *n && t.times.len() > 1))
            .map(of);
        let (node, scene_from_place, parent, _) = moved.max_by(|a, b| a.3.total_cmp(&b.3))?;
        let center = from.w_axis.truncate().as_vec3();
        Some(Self { node, way, turn, center, scene_from_place, parent })
    }

    /// Converts a position in the last cycle to the corresponding position in the first cycle.
    pub(super) fn place_back(&self, place: Vec3) -> Vec3 {
        Quat::from_rotation_y(-self.turn) * (place - self.way - self.center) + self.center
    }

    /// Converts a position in the first cycle to the corresponding position in the last cycle.
    pub(super) fn place_ahead(&self, place: Vec3) -> Vec3 {
        Quat::from_rotation_y(self.turn) * (place - self.center) + self.center + self.way
    }

    /// Local translation of the node at the end of the closed loop. The ground position is that of
    /// `stop`, and the height is that of `start`.
    pub(super) fn place_on(&self, start: Vec3, stop: Vec3) -> Vec3 {
        let rise = (self.scene_from_place * (start - stop)).y;
        let back = self.scene_from_place.inverse() * Vec3::new(0.0, rise, 0.0);
        if back.is_finite() { stop + back } else { stop }
    }

    /// Local rotation of the node at the end of the closed loop: its rotation `start`, plus the
    /// turn of one cycle.
    pub(super) fn turned_on(&self, start: Quat) -> Quat {
        if self.turn == 0.0 {
            return start;
        }
        (self.parent.conjugate() * Quat::from_rotation_y(self.turn) * self.parent * start)
            .normalize()
    }
}
