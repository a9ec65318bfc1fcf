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
use crate::model::{Document, Interpolation, NodeId, Property, Track, Transform, transform::unit_or};

/// What is known of a joint.
#[derive(Clone, Copy, Debug)]
struct Joint {
    /// Its mirror joint; itself in the center.
    partner: Option<NodeId>,
    /// Its rest rotation in the space of the bind.
    rest: Quat,
    /// The half turn about the normal of the mirror plane.
    half_turn: Quat,
    /// On which side of the plane it rests: the signed distance, mesh units; 0 where that is not known.
    side: f32,
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

/// A pose for the other side.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MirroredPose {
    /// The mirror joint.
    pub node: NodeId,
    /// Its local transform.
    pub local: Transform,
    /// As in [`Mirrored`].
    pub scale_left: bool,
}

/// What goes before and after each rotation of a joint, for its mirror joint.
struct Constants {
    partner: NodeId,
    left: Quat,
    right: Quat,
    /// The rest translations of both.
    rests: [Vec3; 2],
}

impl Constants {
    // Twice a half turn is −1, and the same rotation.
    fn rotation(&self, r: Quat) -> Quat {
        -(self.left * r * self.right)
    }

    /// A translation; `is_way` of a tangent, which starts from nowhere.
    fn translation(&self, t: Vec3, is_way: bool) -> Vec3 {
        let [from, to] = if is_way { [Vec3::ZERO; 2] } else { self.rests };
        to - self.left * (t - from)
    }

    fn scale(&self, s: Vec3) -> Option<Vec3> {
        swapped(self.right, s)
    }
}

/// Whether a scale that was left is the wrong one for the other side.
pub(super) fn is_uneven(scale: Vec3) -> bool {
    (scale - Vec3::splat(scale.x)).abs().max_element() > 1e-5
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
                let side =
                    skin.inverse_bind.get(slot).filter(|_| skin.has_inverse_bind).map_or(0.0, |joint_from_mesh| {
                        let place = joint_from_mesh.inverse().w_axis.truncate();
                        (place - pairs.mirrored(place)).dot(normal)
                    });
                joints.entry(*node).or_insert(Joint { partner, rest, half_turn, side });
            }
        }
        Self { joints }
    }

    /// The mirror joint of a node: itself in the center; nothing where it has none, or is no joint.
    pub fn partner(&self, node: NodeId) -> Option<NodeId> {
        self.joints.get(&node)?.partner
    }

    /// Whether two joints rest on the same side of the plane; so they do where that is not known.
    pub fn is_same_side(&self, a: NodeId, b: NodeId) -> bool {
        let side = |n| self.joints.get(&n).map_or(0.0, |j| j.side);
        side(a) * side(b) >= 0.0
    }

    fn constants(&self, document: &Document, node: NodeId) -> Option<Constants> {
        let from = self.joints.get(&node)?;
        let partner = from.partner?;
        let to = self.joints.get(&partner)?;
        let rests = [node, partner].map(|n| document.node(n).rest.transform());
        // A joint's rest over its parent's is its own local one.
        let parent = |world: Quat, local: Quat| world * unit_or(local, Quat::IDENTITY).conjugate();
        let left =
            parent(to.rest, rests[1].rotation).conjugate() * from.half_turn * parent(from.rest, rests[0].rotation);
        let right = from.rest.conjugate() * from.half_turn * to.rest;
        Some(Constants { partner, left, right, rests: rests.map(|r| r.translation) })
    }

    /// The pose of the mirror joint that is the mirror image of a joint's; nothing where it has none.
    pub fn pose(&self, document: &Document, node: NodeId, local: &Transform) -> Option<MirroredPose> {
        let by = self.constants(document, node)?;
        let scale = by.scale(local.scale);
        let local = Transform {
            translation: by.translation(local.translation, false),
            rotation: unit_or(by.rotation(local.rotation), Quat::IDENTITY),
            scale: scale.unwrap_or(local.scale),
        };
        Some(MirroredPose { node: by.partner, local, scale_left: scale.is_none() && is_uneven(local.scale) })
    }

    /// A track for the mirror joint of its node; nothing where that has none. Weights of morph targets have no sides: they stay.
    pub fn track(&self, document: &Document, track: &Track) -> Option<Mirrored> {
        let by = self.constants(document, track.target)?;
        let mut values = track.values.to_vec();
        let (width, stride) = (track.width, track.stride());
        let mut scale_left = false;
        for (k, value) in values.chunks_mut(width).enumerate() {
            let is_value = track.interpolation != Interpolation::CubicSpline || (k * width % stride) / width == 1;
            match track.property {
                Property::Rotation => value.copy_from_slice(&by.rotation(Quat::from_slice(value)).to_array()),
                Property::Translation => {
                    value.copy_from_slice(&by.translation(Vec3::from_slice(value), !is_value).to_array());
                }
                Property::Scale => match by.scale(Vec3::from_slice(value)) {
                    Some(scale) => value.copy_from_slice(&scale.to_array()),
                    None => scale_left |= is_value && is_uneven(Vec3::from_slice(value)),
                },
                Property::Weights => {}
            }
        }
        let track = Track { target: by.partner, values: values.into(), ..track.clone() };
        Some(Mirrored { track, scale_left })
    }
}

/// A scale along the axes of the other joint; nothing where those lie between the axes of this one.
pub(super) fn swapped(joint_from_partner: Quat, scale: Vec3) -> Option<Vec3> {
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
pub(super) fn rotation(world: &Mat4) -> Quat {
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
