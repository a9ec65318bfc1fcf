//! Mirroring of motion between both sides: the same keys with mirrored values, without resampling.
//!
//! `G` is the world transform of a node in the symmetric reference pose (see [`reference`]), and
//! `M` the reflection. The mirror image of a joint `j` on its partner `p` is `W'_p = M·W_j·K_j`
//! with `K_j = G_j⁻¹·M·G_p`. So `p` is at its reference if `j` is. With `q` above `j` and `q'`
//! above `p`, which are partners or the same node, the formula is local, and independent of the
//! body's rotation:
//!
//! ```text
//!  L'_p = K_q⁻¹ · L_j · K_j
//!  rotation     a · r_j · c         a, c: rotation parts of K_q⁻¹ and K_j, without node scales
//!  translation  t_p,rest + A · (t_j − t_j,rest)  A: linear part of K_q⁻¹, with the ratio of scales
//!  scale        s_p,rest ∘ |c⁻¹|(s_j / s_j,rest)
//! ```
//!
//! Either both rotation parts are reflections or neither is, so quaternions suffice. The constants
//! apply to keys and tangents alike. If the rest leans and the reference does not, the lean is
//! mirrored with the pose. Nodes between `q` and `j`, or between `q'` and `p`, are multiplied in
//! and divided out again.

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

/// Mirror data of a node.
#[derive(Clone, Copy, Debug)]
struct Member {
    /// Mirror joint; the node itself if it is in the center, `None` without a partner.
    partner: Option<NodeId>,
    /// Side of the node.
    side: Side,
    /// Index of the node's body.
    body: usize,
}

/// Mirrors poses and tracks between both sides of the bodies of a document.
#[derive(Clone, Debug)]
pub struct Mirror {
    /// Mirror data by node; `None` for nodes outside of bodies.
    members: Vec<Option<Member>>,
    /// World transform (`scene_from_node`) of each node in the symmetric reference pose.
    frames: Vec<DMat4>,
    bodies: Vec<Body>,
}

/// A mirrored track.
#[derive(Clone, Debug, PartialEq)]
pub struct Mirrored {
    /// The track, which targets the mirror joint.
    pub track: Track,
    /// Whether the scale lost a component, because the axes of the joint and its mirror joint are
    /// not parallel.
    pub scale_left: bool,
}

/// A mirrored pose of a joint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MirroredPose {
    /// The mirror joint.
    pub node: NodeId,
    /// Local transform of the mirror joint.
    pub local: Transform,
    /// Whether the scale lost a component, as in [`Mirrored::scale_left`].
    pub scale_left: bool,
}

/// Largest difference between a mirrored pose and the exact mirror image.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MirrorGap {
    /// The node with the largest difference.
    pub node: NodeId,
    /// Distance from the mirror image, meters in the scene.
    pub distance: f32,
    /// The distance as a fraction of the body's size.
    pub part: f32,
}

/// Constants that convert the local transform of a joint to that of its mirror joint.
struct Constants {
    partner: NodeId,
    /// Factors that are multiplied before and after each rotation.
    left: DQuat,
    right: DQuat,
    /// Factor of a translation. `offset` is added after it.
    linear: DMat3,
    offset: DVec3,
    /// Factor of a scale relative to the rest: squares of the elements of `right`.
    axes: Mat3,
    /// The rest scales of both joints, with 1 in place of 0.
    scales: [Vec3; 2],
    /// Linear part of `K_j⁻¹`, which converts a vector in the joint's axes to the axes of the
    /// mirror joint.
    own: DMat3,
}

impl Constants {
    fn rotation(&self, r: Quat) -> Quat {
        (self.left * r.as_dquat() * self.right).as_quat()
    }

    /// Converts a translation. With `is_way`, converts a tangent, which has no offset.
    fn translation(&self, t: Vec3, is_way: bool) -> Vec3 {
        let offset = if is_way { DVec3::ZERO } else { self.offset };
        (self.linear * t.as_dvec3() + offset).as_vec3()
    }

    fn scale(&self, s: Vec3) -> Vec3 {
        self.scales[1] * (self.axes * (s / self.scales[0]))
    }

    /// Converts a layer's rotation of the joint to the mirror joint: `U' = K_j⁻¹·U·K_j`. Both are
    /// multiplied on the right of the local transform.
    fn user_rotation(&self, r: Quat) -> Quat {
        (self.right.conjugate() * r.as_dquat() * self.right).as_quat()
    }

    fn user_translation(&self, t: Vec3) -> Vec3 {
        (self.own * t.as_dvec3()).as_vec3()
    }

    fn user_scale(&self, s: Vec3) -> Vec3 {
        self.axes * s
    }

    /// Whether a converted scale loses a component. It does if it is non-uniform along axes that
    /// are not parallel to those of the other joint.
    fn loses(&self, s: Vec3) -> bool {
        let factor = s / self.scales[0];
        let mean = factor.element_sum() / 3.0;
        let is_swap = self.axes.to_cols_array().iter().all(|v| *v == 0.0 || *v == 1.0);
        !is_swap
            && (factor - Vec3::splat(mean)).abs().max_element() > 1e-3 * factor.abs().max_element()
    }
}

/// Whether a scale is non-uniform, so that an unmirrored copy would be wrong.
pub(super) fn is_uneven(scale: Vec3) -> bool {
    (scale - Vec3::splat(scale.x)).abs().max_element() > 1e-5
}

impl Mirror {
    /// Computes the mirror of a document for the nodes with the flag `carriers`, without the cache.
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

    /// Finds the mirror joint of a node. A node in the center is its own mirror joint. `None`
    /// without a partner.
    pub fn partner(&self, node: NodeId) -> Option<NodeId> {
        self.member(node)?.partner
    }

    /// The side of a node, by its name or by its rest position; `None` outside of bodies.
    pub fn side(&self, node: NodeId) -> Option<Side> {
        Some(self.member(node)?.side)
    }

    /// World transform (`scene_from_node`) of a node in the symmetric reference pose.
    pub fn stand(&self, node: NodeId) -> Mat4 {
        self.frames[node.index()].as_mat4()
    }

    /// Reflection in the scene that swaps the sides of a node's body; `None` outside of bodies.
    pub fn reflection(&self, node: NodeId) -> Option<DMat4> {
        Some(self.bodies[self.member(node)?.body].own)
    }

    /// Whether two joints rest on the same side of the mirror plane. True if this is unknown.
    pub fn is_same_side(&self, a: NodeId, b: NodeId) -> bool {
        let side = |n: NodeId| {
            let place = self.frames[n.index()].w_axis.truncate().as_vec3();
            self.member(n).map_or(0.0, |m| self.bodies[m.body].plane.above(place))
        };
        side(a) * side(b) >= 0.0
    }

    /// Finds the nearest ancestor whose partner is an ancestor of the node's partner. Returns it
    /// and its partner. The mirror image is relative to these two.
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

    /// Returns the nodes between a node and its carrier, and the parent of the topmost of them. The
    /// parent is the carrier, or the static parent of the whole body.
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

    /// Finds other nodes whose motion affects a joint's mirror image: nodes without a partner
    /// between the joint or its mirror joint and the nearest ancestors that are partners. Most
    /// skeletons have none.
    pub fn between(&self, document: &Document, node: NodeId) -> Vec<NodeId> {
        let Some(partner) = self.partner(node) else { return Vec::new() };
        let carrier = self.carrier(document, node, partner);
        let mut nodes = self.line(document, node, carrier.map(|c| c.0)).0;
        nodes.extend(self.line(document, partner, carrier.map(|c| c.1)).0);
        nodes
    }

    /// Scene length per unit of a node's parent space, in the rest pose.
    pub(super) fn unit_above(&self, document: &Document, node: NodeId) -> f32 {
        self.frame(document.node(node).parent).determinant().abs().cbrt() as f32
    }

    /// The size of a node's body, meters; 0 outside of bodies.
    pub(super) fn size(&self, node: NodeId) -> f32 {
        self.member(node).map_or(0.0, |m| self.bodies[m.body].size)
    }

    fn frame(&self, node: Option<NodeId>) -> DMat4 {
        node.map_or(DMat4::IDENTITY, |n| self.frames[n.index()])
    }

    /// Returns the reference transform of a node without its own scale, and this scale with 1 in
    /// place of 0.
    fn unscaled(&self, document: &Document, node: NodeId) -> (DMat4, Vec3) {
        let rest = document.node(node).rest.transform();
        if rest.scale.cmpeq(Vec3::ZERO).any() {
            let own = Transform { scale: Vec3::ONE, ..rest };
            let scale = Vec3::select(rest.scale.cmpeq(Vec3::ZERO), Vec3::ONE, rest.scale);
            return (self.frame(document.node(node).parent) * own.matrix().as_dmat4(), scale);
        }
        (self.frame(Some(node)) * DMat4::from_scale(rest.scale.as_dvec3().recip()), rest.scale)
    }

    /// Computes the conversion constants of a node. `was` returns the local transforms of nodes in
    /// the source pose, and `is` those in the destination pose.
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
        // Transform from the root of one side to the root of the other side.
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
            // The rest pose leans, so the lean is mirrored with the pose.
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

    /// Mirrors a joint's pose to its mirror joint, with other nodes posed as in the document.
    /// `None` without a mirror joint.
    pub fn pose(
        &self,
        document: &Document,
        node: NodeId,
        local: &Transform,
    ) -> Option<MirroredPose> {
        let others = |n: NodeId| document.node(n).local().transform();
        self.pose_among(document, (node, local), &others, &others)
    }

    /// Mirrors a joint's pose like [`Mirror::pose`], with other nodes in given poses. `was` returns
    /// their local transforms in the source pose, and `is` those in the destination pose.
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

    /// Mirrors a track to the mirror joint of its node, with other nodes posed as in the document.
    /// `None` without a mirror joint. Weights of morph targets have no sides and are unchanged.
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

    /// Mirrors a layer's transform of a node, which is multiplied on the right, to the mirror
    /// joint. `None` without a mirror joint.
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

    /// Mirrors a track of a layer to the mirror joint of its node (see [`Mirror::user`]).
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

    /// Finds the largest difference between the nodes of a pose and the mirror images of their
    /// partners in another pose. With `nodes`, only these are compared, relative to their
    /// ancestors.
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
            // Find the nearest ancestor that is not in `nodes`.
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

/// Matrix that converts scale factors along the axes of a joint to those of its mirror joint.
fn scale_axes(turn: &DMat3) -> Mat3 {
    /// Minimum cosine of axes that count as parallel.
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

/// Converts a scale to the axes of the other joint; `None` if the axes of both joints are not
/// parallel.
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

/// Extracts the rotation of a matrix with normalized axes.
pub(super) fn rotation(world: &Mat4) -> Quat {
    let axes = Mat3::from_mat4(*world);
    let (x, y) = (axes.x_axis.normalize_or(Vec3::X), axes.y_axis.normalize_or(Vec3::Y));
    let z = x.cross(y).normalize_or(Vec3::Z);
    unit_or(Quat::from_mat3(&Mat3::from_cols(x, z.cross(x), z)), Quat::IDENTITY)
}
