//! Computes joint axes from the directions of bones, or from mirror joints.

use std::collections::{BTreeMap, BTreeSet};

use glam::{DMat3, DMat4, DQuat, DVec3};

use super::commands::{OwnAxis, UpDirection};
use crate::command::{
    CommandError,
    error::refuse,
    nodes::{RestOrPose, world},
};
use ulna_geometry::orthogonal_factor;
use ulna_model::{Document, NodeId};
use ulna_motion::{BoneDirections, Mirror};

/// Sine of the angle below which two directions count as parallel.
const ALONG: f64 = 0.02;
/// Sine of the elevation above which a bone counts as steep: 60°.
const STEEP: f64 = 0.866;

impl OwnAxis {
    pub(super) const fn vector(self) -> DVec3 {
        match self {
            Self::X => DVec3::X,
            Self::Y => DVec3::Y,
            Self::Z => DVec3::Z,
            Self::MinusX => DVec3::NEG_X,
            Self::MinusY => DVec3::NEG_Y,
            Self::MinusZ => DVec3::NEG_Z,
        }
    }
}

/// Rule that orients joint axes by the direction of the bone.
pub(super) struct BoneAxes {
    pub(super) aim: OwnAxis,
    pub(super) up: OwnAxis,
    pub(super) up_to: UpDirection,
    /// Rotation about the bone, in radians.
    pub(super) roll: f64,
}

impl BoneAxes {
    /// Returns the local rotation of each joint that orients it by this rule.
    pub(super) fn rotations(
        &self,
        document: &Document,
        nodes: &[NodeId],
    ) -> Result<BTreeMap<NodeId, DQuat>, CommandError> {
        if self.aim.vector().abs() == self.up.vector().abs() {
            return refuse("arguments_together", "“up” must be another axis than “aim”");
        }
        let head = |node| world(document, Some(node), RestOrPose::Rest).w_axis.truncate();
        let bones = BoneDirections::of(document, head);
        let meant: BTreeSet<NodeId> = nodes.iter().copied().collect();
        let mut made = BTreeMap::new();
        // Parents first, because their new axes can affect those of their children.
        for node in document.nodes.order().iter().filter(|n| meant.contains(n)) {
            let q = self.rotation(document, &bones, *node, &made)?;
            made.insert(*node, q);
        }
        Ok(made)
    }

    fn rotation(
        &self,
        document: &Document,
        bones: &BoneDirections<'_, impl Fn(NodeId) -> DVec3>,
        node: NodeId,
        made: &BTreeMap<NodeId, DQuat>,
    ) -> Result<DQuat, CommandError> {
        let label = || document.node(node).label(node);
        let Some(bone) = bones.bone(node) else {
            return refuse(
                "joint_without_bone",
                format!(
                    "“{}” has no bone: no joint above or below it is at another position",
                    label()
                ),
            );
        };
        let linear = |n: NodeId| DMat3::from_mat4(world(document, Some(n), RestOrPose::Rest));
        let own = linear(node);
        let along = (own.inverse() * bone).normalize();
        if !along.is_finite() {
            return refuse(
                "squashed_flat",
                format!(
                    "“{}” is scaled to 0, so its axes cannot be rotated; set another scale first",
                    label()
                ),
            );
        }
        let of_parent = |p: NodeId| {
            let turn = made.get(&p).copied().unwrap_or(DQuat::IDENTITY);
            linear(p) * (turn * self.up.vector())
        };
        let scene = match (bone.normalize().y.abs() > STEEP, self.up_to) {
            (true, _) | (_, UpDirection::Front) => [DVec3::Z, DVec3::Y, DVec3::X],
            (false, _) => [DVec3::Y, DVec3::Z, DVec3::X],
        };
        let first = match self.up_to {
            UpDirection::Scene | UpDirection::Front => None,
            UpDirection::Parent => bones.above(node).map(of_parent),
            UpDirection::Now => Some(own * self.up.vector()),
        };
        // Converts a direction of the scene to joint space, and removes the component along the
        // bone.
        let inside = |way: DVec3| {
            let way = (own.transpose() * way).normalize();
            way - along * way.dot(along)
        };
        let up = first.into_iter().chain(scene).map(inside).find(|up| up.length() > ALONG);
        let up = up.unwrap_or_else(|| along.any_orthonormal_vector()).normalize();
        let basis = |a: DVec3, b: DVec3| DMat3::from_cols(a, b, a.cross(b));
        let turn = basis(along, up) * basis(self.aim.vector(), self.up.vector()).transpose();
        let roll = DQuat::from_axis_angle(self.aim.vector(), self.roll);
        Ok((DQuat::from_mat3(&turn) * roll).normalize())
    }
}

/// All combinations of axis signs. Mirrored axes need one or three negative signs to become a
/// rotation.
const SIGNS: [DVec3; 8] = [
    DVec3::new(1.0, 1.0, 1.0),
    DVec3::new(1.0, -1.0, -1.0),
    DVec3::new(-1.0, 1.0, -1.0),
    DVec3::new(-1.0, -1.0, 1.0),
    DVec3::new(-1.0, 1.0, 1.0),
    DVec3::new(1.0, -1.0, 1.0),
    DVec3::new(1.0, 1.0, -1.0),
    DVec3::new(-1.0, -1.0, -1.0),
];

/// Returns the axis signs that turn an orthogonal matrix into the rotation with the smallest angle.
pub(super) fn smallest_signs(image: &DMat3) -> DVec3 {
    let trace = |s: &DVec3| s.dot(DVec3::new(image.x_axis.x, image.y_axis.y, image.z_axis.z));
    let side = image.determinant().signum();
    let fits = SIGNS.into_iter().filter(|s| s.element_product() == side);
    fits.max_by(|a, b| trace(a).total_cmp(&trace(b))).unwrap_or(DVec3::ONE)
}

/// Returns the mirror image of the axes of a joint in the space of its mirror joint: `G_n⁻¹·M·G_p`,
/// orthogonalized. `G` are the symmetric rest orientations of both joints, and `M` is the
/// reflection. `None` if a joint has a scale of 0.
pub(super) fn mirrored_axes(mirror: &Mirror, node: NodeId, partner: NodeId) -> Option<DMat3> {
    let stand = |n: NodeId| DMat3::from_mat4(mirror.stand(n).as_dmat4());
    let reflection = DMat3::from_mat4(mirror.reflection(node)?);
    let image = stand(node).inverse() * reflection * stand(partner);
    if image.is_finite() { orthogonal_factor(&DMat4::from_mat3(image)) } else { None }
}

/// Returns the error for a pair of mirror joints where joints of only one side are allowed.
pub(super) fn both_sides(document: &Document, node: NodeId, partner: NodeId) -> CommandError {
    let [node, partner] = [node, partner].map(|n| document.node(n).label(n));
    CommandError::other(
        "both_sides_named",
        format!(
            "“{node}” and its mirror joint “{partner}” are both included; name the joints of one \
                side only"
        ),
    )
}

/// Returns the local rotation of each joint that gives it the mirrored axes of its mirror joint. Of
/// the possible axis signs, the one with the smallest rotation is used.
pub(super) fn mirrored_rotations(
    document: &Document,
    nodes: &[NodeId],
) -> Result<BTreeMap<NodeId, DQuat>, CommandError> {
    let mirror = Mirror::of(document);
    let mut made = BTreeMap::new();
    for node in nodes {
        let label = document.node(*node).label(*node);
        let partner = mirror.partner(*node).filter(|p| p != node);
        let Some(partner) = partner else {
            return refuse(
                "no_mirror_partner",
                format!(
                    "“{label}” has no mirror joint on the other side; pair it with one first, or \
                        leave it out"
                ),
            );
        };
        if nodes.contains(&partner) {
            return Err(both_sides(document, *node, partner));
        }
        let Some(image) = mirrored_axes(&mirror, *node, partner) else {
            return refuse(
                "squashed_flat",
                format!(
                    "“{label}” is scaled to 0, so its axes cannot be rotated; set another scale \
                        first"
                ),
            );
        };
        let turn = image * DMat3::from_diagonal(smallest_signs(&image));
        made.insert(*node, DQuat::from_mat3(&turn).normalize());
    }
    Ok(made)
}
