//! Motion of one side for the other: the same keys, mirrored, with nothing sampled anew.
//!
//! `G` is where a node stands in the scene while its body is symmetric (see [`reference`]), `M` the
//! reflection. The mirror image of a joint `j` is worn by its partner `p` with `W'_p = M·W_j·K_j`,
//! `K_j = G_j⁻¹·M·G_p`: nothing moves where `j` stands as in `G`. With `q` above `j` and `q'` above
//! `p`, which are partners or the same node, that is local, and right wherever the body is turned:
//!
//! ```text
//!  L'_p = K_q⁻¹ · L_j · K_j
//!  rotation     a · r_j · c         a, c: rotation parts of K_q⁻¹ and K_j, without node scales
//!  translation  t_p,rest + A · (t_j − t_j,rest)  A: linear part of K_q⁻¹, with the ratio of scales
//!  scale        s_p,rest ∘ |c⁻¹|(s_j / s_j,rest)
//! ```
//!
//! Both turning parts are reflections or none is, so that all is quaternions. Being constants they
//! go through keys and tangents alike. A lean that the rest has and the reference has not is
//! mirrored with the pose. Where other nodes are between `q` and `j`, or between `q'` and `p`, they
//! are multiplied in and divided out again.

mod bodies;
mod reference;
mod skin;

use std::collections::BTreeSet;

use glam::{DMat3, DMat4, DQuat, DVec3, Mat3, Mat4, Quat, Vec3};

pub(super) use self::bodies::carriers;
pub use self::skin::{SkinGap, SkinPairs};
use self::{
    bodies::{Body, bodies},
    reference::{frames, turning},
};
use super::{Pose, ancestors::above, mirror_pairs::Side};
use ulna_model::{Document, Interpolation, NodeId, Property, Track, Transform, transform::unit_or};

/// What is known of a node.
#[derive(Clone, Copy, Debug)]
struct Member {
    /// Its mirror joint; itself in the center.
    partner: Option<NodeId>,
    /// Its side.
    side: Side,
    /// Which of the bodies it is of.
    body: usize,
}

/// The mirror of a document's bodies: of their joints, and of all other nodes of theirs.
#[derive(Clone, Debug)]
pub struct Mirror {
    /// By node.
    members: Vec<Option<Member>>,
    /// `scene_from_node` where bodies are symmetric, by node.
    frames: Vec<DMat4>,
    bodies: Vec<Body>,
}

/// A track for the other side.
#[derive(Clone, Debug, PartialEq)]
pub struct Mirrored {
    /// The track, of the mirror joint.
    pub track: Track,
    /// Whether a part of a scale was lost, since the axes of the two joints do not lie on one
    /// another.
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

/// How far a result is from the mirror image, where it is farthest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MirrorGap {
    /// The node that is off.
    pub node: NodeId,
    /// Its distance from where the mirror image has it, meters in the scene.
    pub distance: f32,
    /// The same as a part of the body's size.
    pub part: f32,
}

/// What turns the local transform of a joint into that of its mirror joint.
struct Constants {
    partner: NodeId,
    /// What goes before and after each rotation.
    left: DQuat,
    right: DQuat,
    /// What a translation is multiplied by, and what is added.
    linear: DMat3,
    offset: DVec3,
    /// What a scale, as a part of the rest's, is multiplied by: squares of the elements of `right`.
    axes: Mat3,
    /// The scales at rest of both, 1 where they are 0.
    scales: [Vec3; 2],
    /// What a way along the axes of the joint is multiplied by, to be one along those of the mirror
    /// joint: the linear part of `K_j⁻¹`.
    own: DMat3,
}

impl Constants {
    fn rotation(&self, r: Quat) -> Quat {
        (self.left * r.as_dquat() * self.right).as_quat()
    }

    /// A translation; `is_way` of a tangent, which starts from nowhere.
    fn translation(&self, t: Vec3, is_way: bool) -> Vec3 {
        let offset = if is_way { DVec3::ZERO } else { self.offset };
        (self.linear * t.as_dvec3() + offset).as_vec3()
    }

    fn scale(&self, s: Vec3) -> Vec3 {
        self.scales[1] * (self.axes * (s / self.scales[0]))
    }

    /// What is added on the right of the mirror joint's local transform, where this is added to the
    /// joint's: `U' = K_j⁻¹·U·K_j`.
    fn user_rotation(&self, r: Quat) -> Quat {
        (self.right.conjugate() * r.as_dquat() * self.right).as_quat()
    }

    fn user_translation(&self, t: Vec3) -> Vec3 {
        (self.own * t.as_dvec3()).as_vec3()
    }

    fn user_scale(&self, s: Vec3) -> Vec3 {
        self.axes * s
    }

    /// Whether that loses a part of it: stretched along axes that lie between those of the other
    /// joint.
    fn loses(&self, s: Vec3) -> bool {
        let factor = s / self.scales[0];
        let mean = factor.element_sum() / 3.0;
        let is_swap = self.axes.to_cols_array().iter().all(|v| *v == 0.0 || *v == 1.0);
        !is_swap
            && (factor - Vec3::splat(mean)).abs().max_element() > 1e-3 * factor.abs().max_element()
    }
}

/// Whether a scale that was left is the wrong one for the other side.
pub(super) fn is_uneven(scale: Vec3) -> bool {
    (scale - Vec3::splat(scale.x)).abs().max_element() > 1e-5
}

impl Mirror {
    /// The mirror of bodies that consist of the nodes `carriers`, not kept for the next time.
    pub(super) fn find(document: &Document, carriers: &[bool]) -> Self {
        let frames = frames(document);
        let bodies = bodies(document, carriers, &frames);
        let mut members = vec![None; document.nodes.len()];
        for (k, body) in bodies.iter().enumerate() {
            for (node, role) in body.nodes.iter().zip(&body.roles) {
                members[node.index()] = Some(Member {
                    partner: role.partner.map(|p| body.nodes[p]),
                    side: role.side,
                    body: k,
                });
            }
        }
        Self { members, frames, bodies }
    }

    fn member(&self, node: NodeId) -> Option<Member> {
        self.members.get(node.index()).copied().flatten()
    }

    /// The mirror joint of a node: itself in the center; nothing where it has none.
    pub fn partner(&self, node: NodeId) -> Option<NodeId> {
        self.member(node)?.partner
    }

    /// The side that a node is of, by its name or by where it rests; nothing where it is of no
    /// body.
    pub fn side(&self, node: NodeId) -> Option<Side> {
        Some(self.member(node)?.side)
    }

    /// `scene_from_node` where the bodies are symmetric.
    pub fn stand(&self, node: NodeId) -> Mat4 {
        self.frames[node.index()].as_mat4()
    }

    /// The reflection in the scene that swaps the sides of the body that a node is of; `None` where
    /// it is of none.
    pub fn reflection(&self, node: NodeId) -> Option<DMat4> {
        Some(self.bodies[self.member(node)?.body].own)
    }

    /// Whether two joints rest on the same side of the plane; so they do where that is not known.
    pub fn is_same_side(&self, a: NodeId, b: NodeId) -> bool {
        let side = |n: NodeId| {
            let place = self.frames[n.index()].w_axis.truncate().as_vec3();
            self.member(n).map_or(0.0, |m| self.bodies[m.body].plane.above(place))
        };
        side(a) * side(b) >= 0.0
    }

    /// The nearest node above one whose partner is above its partner: what its mirror image is told
    /// from.
    fn carrier(
        &self,
        document: &Document,
        node: NodeId,
        partner: NodeId,
    ) -> Option<(NodeId, NodeId)> {
        above(document, node).find_map(|q| {
            let other = self.partner(q)?;
            document.is_above(other, partner).then_some((q, other))
        })
    }

    /// What is between a node and what its mirror image is told from, and that itself: the carrier,
    /// or what the whole body stands in, which does not move.
    fn line(
        &self,
        document: &Document,
        node: NodeId,
        carrier: Option<NodeId>,
    ) -> (Vec<NodeId>, Option<NodeId>) {
        let inside = |n: &NodeId| Some(*n) != carrier && self.member(*n).is_some();
        let between: Vec<NodeId> = above(document, node).take_while(inside).collect();
        let root = document.node(between.last().copied().unwrap_or(node)).parent;
        (between, root)
    }

    /// The nodes whose motion goes into a joint's mirror image besides its own: those without a
    /// partner between it, or its mirror joint, and the nearest ones above both that are partners.
    /// None in most skeletons.
    pub fn between(&self, document: &Document, node: NodeId) -> Vec<NodeId> {
        let Some(partner) = self.partner(node) else { return Vec::new() };
        let carrier = self.carrier(document, node, partner);
        let mut nodes = self.line(document, node, carrier.map(|c| c.0)).0;
        nodes.extend(self.line(document, partner, carrier.map(|c| c.1)).0);
        nodes
    }

    /// The length in the scene of a unit of what a node is in, at rest.
    pub(super) fn unit_above(&self, document: &Document, node: NodeId) -> f32 {
        self.frame(document.node(node).parent).determinant().abs().cbrt() as f32
    }

    /// The size of the body that a node is of, meters; 0 where it is of none.
    pub(super) fn size(&self, node: NodeId) -> f32 {
        self.member(node).map_or(0.0, |m| self.bodies[m.body].size)
    }

    fn frame(&self, node: Option<NodeId>) -> DMat4 {
        node.map_or(DMat4::IDENTITY, |n| self.frames[n.index()])
    }

    /// Where a node stands in the reference, without its own scale; and that scale, 1 where it
    /// is 0.
    fn unscaled(&self, document: &Document, node: NodeId) -> (DMat4, Vec3) {
        let rest = document.node(node).rest.transform();
        if rest.scale.cmpeq(Vec3::ZERO).any() {
            let own = Transform { scale: Vec3::ONE, ..rest };
            let scale = Vec3::select(rest.scale.cmpeq(Vec3::ZERO), Vec3::ONE, rest.scale);
            return (self.frame(document.node(node).parent) * own.matrix().as_dmat4(), scale);
        }
        (self.frame(Some(node)) * DMat4::from_scale(rest.scale.as_dvec3().recip()), rest.scale)
    }

    /// `was`: the local transforms that nodes between have, where the pose comes from; `is`: where
    /// it goes.
    fn constants(
        &self,
        document: &Document,
        node: NodeId,
        was: &dyn Fn(NodeId) -> Transform,
        is: &dyn Fn(NodeId) -> Transform,
    ) -> Option<Constants> {
        let member = self.member(node)?;
        let (partner, body) = (member.partner?, &self.bodies[member.body]);
        let carrier = self.carrier(document, node, partner);
        let reflection = if carrier.is_some() { &body.own } else { &body.scene };
        let product = |line: &[NodeId], local: &dyn Fn(NodeId) -> Transform| {
            line.iter().fold(DMat4::IDENTITY, |all, n| local(*n).matrix().as_dmat4() * all)
        };
        let (line, root) = self.line(document, node, carrier.map(|c| c.0));
        let (other_line, other_root) = self.line(document, partner, carrier.map(|c| c.1));
        let (between, other_between) = (product(&line, was), product(&other_line, is));
        let [root, other_root] = [root, other_root].map(|n| self.frame(n));
        // From the root of the one to that of the other, and back.
        let image = other_root.inverse() * *reflection * root;
        let back = DMat3::from_mat4(image);
        let left = turning(&(other_between.inverse() * image * between))?;
        let ((from, from_scale), (to, to_scale)) =
            (self.unscaled(document, node), self.unscaled(document, partner));
        let across = from.inverse() * body.own * to;
        let right = turning(&across)?;
        let own = DMat3::from_diagonal(to_scale.as_dvec3().recip())
            * DMat3::from_mat4(across).inverse()
            * DMat3::from_diagonal(from_scale.as_dvec3());
        let place = |root: &DMat4, node: NodeId| {
            root.inverse().transform_point3(self.frame(Some(node)).w_axis.truncate())
        };
        let (rest, mut other_rest) = (place(&root, node), place(&other_root, partner));
        if partner == node && carrier.is_none() && body.scene != body.own {
            // The rest leans, and is mirrored with the pose.
            other_rest = image.transform_point3(rest);
        }
        let inverse = other_between.inverse();
        let linear = DMat3::from_mat4(inverse) * back * DMat3::from_mat4(between);
        let offset =
            inverse.transform_point3(other_rest + back * (between.w_axis.truncate() - rest));
        (linear.is_finite() && offset.is_finite()).then(|| Constants {
            partner,
            left: DQuat::from_mat3(&left),
            right: DQuat::from_mat3(&right),
            linear,
            offset,
            axes: scale_axes(&right),
            scales: [from_scale, to_scale],
            own,
        })
    }

    /// The pose of the mirror joint that is the mirror image of a joint's, the others posed as in
    /// the document; nothing where it has none.
    pub fn pose(
        &self,
        document: &Document,
        node: NodeId,
        local: &Transform,
    ) -> Option<MirroredPose> {
        let others = |n: NodeId| document.node(n).local().transform();
        self.pose_among(document, (node, local), &others, &others)
    }

    /// [`Mirror::pose`] among other nodes: `was` is how they are posed, `is` how they will be.
    pub fn pose_among(
        &self,
        document: &Document,
        (node, local): (NodeId, &Transform),
        was: &dyn Fn(NodeId) -> Transform,
        is: &dyn Fn(NodeId) -> Transform,
    ) -> Option<MirroredPose> {
        let by = self.constants(document, node, was, is)?;
        let made = Transform {
            translation: by.translation(local.translation, false),
            rotation: unit_or(by.rotation(local.rotation), Quat::IDENTITY),
            scale: by.scale(local.scale),
        };
        Some(MirroredPose { node: by.partner, local: made, scale_left: by.loses(local.scale) })
    }

    /// A track for the mirror joint of its node, the others posed as in the document; nothing where
    /// that has none. Weights of morph targets have no sides: they stay.
    pub fn track(&self, document: &Document, track: &Track) -> Option<Mirrored> {
        let others = |n: NodeId| document.node(n).local().transform();
        let by = self.constants(document, track.target, &others, &others)?;
        let mut values = track.values.to_vec();
        let (width, stride) = (track.width, track.stride());
        let mut scale_left = false;
        for (k, value) in values.chunks_mut(width).enumerate() {
            let is_value = track.interpolation != Interpolation::CubicSpline
                || (k * width % stride) / width == 1;
            match track.property {
                Property::Rotation => {
                    value.copy_from_slice(&by.rotation(Quat::from_slice(value)).to_array())
                }
                Property::Translation => {
                    value.copy_from_slice(
                        &by.translation(Vec3::from_slice(value), !is_value).to_array(),
                    );
                }
                Property::Scale => {
                    let scale = Vec3::from_slice(value);
                    scale_left |= is_value && by.loses(scale);
                    value.copy_from_slice(&by.scale(scale).to_array());
                }
                Property::Weights => {}
            }
        }
        let track = Track { target: by.partner, values: values.into(), ..track.clone() };
        Some(Mirrored { track, scale_left })
    }

    /// What a layer must add to the mirror joint of a node, where it adds this to the node, on the
    /// right of its local transform; nothing where that has none.
    pub fn user(
        &self,
        document: &Document,
        node: NodeId,
        user: &Transform,
    ) -> Option<(NodeId, Transform)> {
        let others = |n: NodeId| document.node(n).local().transform();
        let by = self.constants(document, node, &others, &others)?;
        let made = Transform {
            translation: by.user_translation(user.translation),
            rotation: unit_or(by.user_rotation(user.rotation), Quat::IDENTITY),
            scale: by.user_scale(user.scale),
        };
        Some((by.partner, made))
    }

    /// A track of a layer for the mirror joint of its node (see [`Mirror::user`]).
    pub fn user_track(&self, document: &Document, track: &Track) -> Option<Track> {
        let others = |n: NodeId| document.node(n).local().transform();
        let by = self.constants(document, track.target, &others, &others)?;
        let mut values = track.values.to_vec();
        for value in values.chunks_mut(track.width) {
            match track.property {
                Property::Rotation => {
                    value.copy_from_slice(&by.user_rotation(Quat::from_slice(value)).to_array())
                }
                Property::Translation => {
                    value.copy_from_slice(&by.user_translation(Vec3::from_slice(value)).to_array());
                }
                Property::Scale => {
                    value.copy_from_slice(&by.user_scale(Vec3::from_slice(value)).to_array())
                }
                Property::Weights => {}
            }
        }
        Some(Track { target: by.partner, values: values.into(), ..track.clone() })
    }

    /// Where the nodes of a pose are farthest from the mirror images of their partners in another.
    /// Of `nodes` alone, where given, which are seen from what is above them.
    pub fn gap(
        &self,
        document: &Document,
        (before, after): (&Pose, &Pose),
        nodes: Option<&BTreeSet<NodeId>>,
    ) -> Option<MirrorGap> {
        let place = |pose: &Pose, n: NodeId| pose.world[n.index()].as_dmat4();
        let is_meant = |n: NodeId| nodes.is_none_or(|some| some.contains(&n));
        let gap = |node: NodeId| {
            let member = self.member(node)?;
            let (partner, body) =
                (member.partner.filter(|_| is_meant(node))?, &self.bodies[member.body]);
            // The nearest above that is not mirrored with it.
            let mut carrier = self.carrier(document, node, partner);
            while let Some((q, other)) = carrier.filter(|(q, _)| is_meant(*q)) {
                carrier = self.carrier(document, q, other);
            }
            let image = match carrier {
                None => body.scene,
                Some((q, other)) => {
                    let own = self.frame(Some(other)).inverse() * body.own * self.frame(Some(q));
                    place(after, other)
                        * DMat4::from_mat3(DMat3::from_mat4(own))
                        * place(before, q).inverse()
                }
            };
            let wanted = image.transform_point3(place(before, node).w_axis.truncate());
            let distance = wanted.distance(place(after, partner).w_axis.truncate()) as f32;
            let part = distance / body.size.max(f32::MIN_POSITIVE);
            distance.is_finite().then_some(MirrorGap { node: partner, distance, part })
        };
        let gaps = document.node_ids().filter_map(gap);
        gaps.max_by(|a, b| a.part.total_cmp(&b.part))
    }
}

/// What factors along the axes of a joint come to along those of its mirror joint.
fn scale_axes(turn: &DMat3) -> Mat3 {
    /// Axes that are less off are on one another.
    const SAME: f64 = 0.9995;
    let squares = DMat3::from_cols(
        turn.x_axis * turn.x_axis,
        turn.y_axis * turn.y_axis,
        turn.z_axis * turn.z_axis,
    );
    let is_swap = [squares.x_axis, squares.y_axis, squares.z_axis]
        .iter()
        .all(|c| c.max_element() > SAME * SAME);
    let squares = squares.transpose().as_mat3();
    if is_swap {
        Mat3::from_cols(squares.x_axis.round(), squares.y_axis.round(), squares.z_axis.round())
    } else {
        squares
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
