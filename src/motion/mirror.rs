//! Motion of one side for the other: the same keys, mirrored, with nothing sampled anew.
//!
//! A joint `j` and its mirror joint `p`, with rest rotations `R` in the space of the bind (of their parents `R_q`, `R_q'`), and `M` the
//! reflection. Mirrored worlds are `M·W·M`, which for the local rotation of `j` comes to one constant on each side:
//!
//! ```text
//!  r_p = a · r_j · c          a = R_q'⁻¹ · M · R_q     c = R_j⁻¹ · M · R_p
//!  t_p = t_p,rest + A · (t_j − t_j,rest)               A = R_q'⁻¹ · M · R_q
//! ```
//!
//! The two reflections cancel in the rotation. Being constants they go through keys and tangents alike, and being local they are right
//! where only one side is mirrored and the body is turned away. `M = −P`, with `P` the half turn about the normal of the plane,
//! so all is quaternions.

use std::collections::HashMap;

use glam::{Mat3, Mat4, Quat, Vec3};

use super::MirrorPairs;
use crate::model::{Document, Interpolation, NodeId, Property, Track, transform::unit_or};

/// What is known of a joint.
#[derive(Clone, Copy, Debug)]
struct Joint {
    /// Its mirror joint; itself in the center.
    partner: Option<NodeId>,
    /// Its rest rotation in the space of the bind.
    rest: Quat,
    /// The half turn about the normal of the mirror plane.
    half_turn: Quat,
}

/// The mirror of a document's skeletons.
#[derive(Clone, Debug)]
pub struct Mirror {
    joints: HashMap<NodeId, Joint>,
}

/// A track for the other side.
#[derive(Clone, Debug, PartialEq)]
pub struct Mirrored {
    /// The track, of the mirror joint.
    pub track: Track,
    /// Whether a scale could not be taken over, since the axes of the two joints do not lie on one another.
    pub scale_left: bool,
}

impl Mirror {
    /// That of all skins.
    pub fn of(document: &Document) -> Self {
        let mut joints = HashMap::new();
        let mut worlds: Option<HashMap<NodeId, Quat>> = None;
        for (id, skin) in document.skins.iter() {
            let pairs = MirrorPairs::of(document, id);
            let normal = [Vec3::X, Vec3::Y, Vec3::Z][pairs.axis().min(2)];
            let half_turn = Quat::from_axis_angle(normal, std::f32::consts::PI);
            for (slot, node) in skin.joints.iter().enumerate() {
                let partner = pairs.joints()[slot].partner.map(|p| skin.joints[p]);
                let rest = match skin.inverse_bind.get(slot).filter(|_| skin.has_inverse_bind) {
                    Some(joint_from_mesh) => rotation(&joint_from_mesh.inverse()),
                    None => *worlds.get_or_insert_with(|| rest_worlds(document)).get(node).unwrap_or(&Quat::IDENTITY),
                };
                joints.entry(*node).or_insert(Joint { partner, rest, half_turn });
            }
        }
        Self { joints }
    }

    /// The mirror joint of a node: itself in the center; nothing where it has none, or is no joint.
    pub fn partner(&self, node: NodeId) -> Option<NodeId> {
        self.joints.get(&node)?.partner
    }

    /// A track for the mirror joint of its node; nothing where that has none. Weights of morph targets have no sides: they stay.
    pub fn track(&self, document: &Document, track: &Track) -> Option<Mirrored> {
        let from = self.joints.get(&track.target)?;
        let partner = from.partner?;
        let to = self.joints.get(&partner)?;
        let rests = [track.target, partner].map(|n| document.node(n).rest.transform());
        // A joint's rest over its parent's is its own local one.
        let parent = |world: Quat, local: Quat| world * unit_or(local, Quat::IDENTITY).conjugate();
        let left =
            parent(to.rest, rests[1].rotation).conjugate() * from.half_turn * parent(from.rest, rests[0].rotation);
        let right = from.rest.conjugate() * from.half_turn * to.rest;
        let mut values = track.values.to_vec();
        let (width, stride) = (track.width, track.stride());
        let mut scale_left = false;
        for (k, value) in values.chunks_mut(width).enumerate() {
            let is_value = track.interpolation != Interpolation::CubicSpline || (k * width % stride) / width == 1;
            match track.property {
                // Twice a half turn is −1, and the same rotation.
                Property::Rotation => value.copy_from_slice(&(-(left * Quat::from_slice(value) * right)).to_array()),
                Property::Translation => {
                    let way = Vec3::from_slice(value) - if is_value { rests[0].translation } else { Vec3::ZERO };
                    let base = if is_value { rests[1].translation } else { Vec3::ZERO };
                    value.copy_from_slice(&(base - left * way).to_array());
                }
                Property::Scale => match swapped(right, Vec3::from_slice(value)) {
                    Some(scale) => value.copy_from_slice(&scale.to_array()),
                    None => scale_left |= is_value && value.iter().any(|v| (v - value[0]).abs() > 1e-5),
                },
                Property::Weights => {}
            }
        }
        let track = Track { target: partner, values: values.into(), ..track.clone() };
        Some(Mirrored { track, scale_left })
    }
}

/// A scale along the axes of the other joint; nothing where those lie between the axes of this one.
fn swapped(joint_from_partner: Quat, scale: Vec3) -> Option<Vec3> {
    let axes = Mat3::from_quat(joint_from_partner);
    let along = |axis: Vec3| {
        let (share, k) = [axis.x, axis.y, axis.z]
            .into_iter()
            .enumerate()
            .map(|(k, v)| (v.abs(), k))
            .fold((0.0f32, 0), |best, now| if now.0 > best.0 { now } else { best });
        (share > 0.99).then(|| scale[k])
    };
    Some(Vec3::new(along(axes.x_axis)?, along(axes.y_axis)?, along(axes.z_axis)?))
}

/// The rotation of a matrix, its axes made unit.
fn rotation(world: &Mat4) -> Quat {
    let axes = Mat3::from_mat4(*world);
    let (x, y) = (axes.x_axis.normalize_or(Vec3::X), axes.y_axis.normalize_or(Vec3::Y));
    let z = x.cross(y).normalize_or(Vec3::Z);
    unit_or(Quat::from_mat3(&Mat3::from_cols(x, z.cross(x), z)), Quat::IDENTITY)
}

/// The rest rotations of all nodes in the scene.
fn rest_worlds(document: &Document) -> HashMap<NodeId, Quat> {
    let mut worlds: HashMap<NodeId, Quat> = HashMap::new();
    for node in document.nodes.order().iter() {
        let own = unit_or(document.node(*node).rest.transform().rotation, Quat::IDENTITY);
        let above = document.node(*node).parent.and_then(|p| worlds.get(&p)).copied().unwrap_or(Quat::IDENTITY);
        worlds.insert(*node, above * own);
    }
    worlds
}
