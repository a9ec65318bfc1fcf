//! Mirror pairs of joints, guessed by names, by rest positions, or by both.
//!
//! Mirroring of poses, clips and weights needs these pairs, which files do not store. Names have
//! priority, since they express the intention. Rest positions are used for joints without such
//! names, and override names only if a named pair is far from symmetric.

mod joints;
mod plane;
mod role;

use glam::Vec3;

use self::role::SAME;
pub use self::role::{PairSource, Role, Side};
pub(super) use self::{
    joints::{Joints, diagonal},
    plane::Plane,
};
use ulna_model::{Document, JointSlot, NodeId, SkinId};

/// Mirror roles of all joints of a skin, and the mirror plane. Partners are symmetric: each joint
/// is the partner of its partner.
#[derive(Clone, Debug, PartialEq)]
pub struct MirrorPairs {
    roles: Vec<Role>,
    positions: Vec<Vec3>,
    plane: Plane,
    /// Whether left is on the positive side of the plane.
    left_is_high: bool,
}

impl MirrorPairs {
    /// Guesses the roles of a skin's joints, and applies the pairs that the user corrected.
    pub fn of(document: &Document, skin: SkinId) -> Self {
        let mut roles = Self::guessed(document, skin);
        roles.take_given(document, &document.skin(skin).joints);
        roles
    }

    /// Creates the pairs from given roles, positions and plane.
    pub(super) fn from_parts(
        roles: Vec<Role>,
        positions: &[Vec3],
        plane: Plane,
        left_is_high: bool,
    ) -> Self {
        Self { roles, positions: positions.to_vec(), plane, left_is_high }
    }

    /// Applies the pairs that the user corrected, for these nodes.
    pub(super) fn take_given(&mut self, document: &Document, nodes: &[NodeId]) {
        let number = |node: NodeId| nodes.iter().position(|j| *j == node);
        for (joint, with) in document.aids.mirror_pairs.iter() {
            // Pairs of other nodes do not apply here.
            match (number(*joint), with.map(number)) {
                (Some(a), None) => self.set_partner(a, None),
                (Some(a), Some(Some(b))) => self.set_partner(a, Some(b)),
                _ => {}
            }
        }
    }

    fn guessed(document: &Document, skin: SkinId) -> Self {
        let joints = Joints::of(document, skin);
        let named = joints.named_pairs();
        Self::over(joints, &named, &[Vec3::X, Vec3::Y, Vec3::Z])
    }

    /// Guesses the mirror roles of nodes at these positions. `known` are known pairs of a left and
    /// a right node, by index. The plane is perpendicular to one of `axes`, unless the pairs
    /// clearly contradict this.
    pub fn among(
        document: &Document,
        nodes: &[NodeId],
        places: Vec<Vec3>,
        known: &[(usize, usize)],
        axes: &[Vec3],
    ) -> Self {
        let joints = Joints::among(document, nodes, places);
        let mut taken = vec![false; nodes.len()];
        let mut named = known.to_vec();
        known.iter().for_each(|(l, r)| (taken[*l], taken[*r]) = (true, true));
        named.extend(joints.named_pairs().into_iter().filter(|(l, r)| !taken[*l] && !taken[*r]));
        let mut normals = axes.to_vec();
        normals.extend(joints.across(&named));
        let mut roles = Self::over(joints, &named, &normals);
        roles.take_given(document, nodes);
        roles
    }

    fn over(joints: Joints, named: &[(usize, usize)], normals: &[Vec3]) -> Self {
        let plane = joints.plane(named, normals);
        let (partner, by_name) = joints.partners(named, &plane);
        let left_is_high = joints.left_is_high(&plane);
        let uses_names = by_name.iter().any(|b| *b);
        let roles = (0..partner.len())
            .map(|j| joints.role(j, partner[j], by_name[j], uses_names, &plane, left_is_high))
            .collect();
        Self { roles, positions: joints.positions, plane, left_is_high }
    }

    /// Whether any pair consists of two different joints.
    pub fn has_pairs(&self) -> bool {
        self.roles.iter().enumerate().any(|(j, role)| role.partner.is_some_and(|p| p != j))
    }

    /// Whether a joint is at the mirrored position of its mirror joint.
    pub fn agrees(&self, joint: usize) -> bool {
        let near = diagonal(self.positions.iter().copied()) * SAME;
        let other = self.roles.get(joint).and_then(|r| r.partner).filter(|p| *p != joint);
        other.is_some_and(|p| {
            self.plane.mirrored(self.positions[joint]).distance(self.positions[p]) <= near
        })
    }

    /// The normal of the mirror plane.
    pub const fn normal(&self) -> Vec3 {
        self.plane.normal
    }

    /// Whether the normal points to the left side.
    pub const fn left_is_high(&self) -> bool {
        self.left_is_high
    }

    /// The role of each joint, in the skin's order.
    pub fn joints(&self) -> &[Role] {
        &self.roles
    }

    /// Index of the mesh-space axis nearest to the plane's normal: 0, 1 or 2.
    pub fn axis(&self) -> usize {
        self.plane.axis()
    }

    /// Offset of the mirror plane along its normal, meters in mesh space.
    pub const fn offset(&self) -> f32 {
        self.plane.offset
    }

    /// The mirror image of a position in mesh space.
    pub fn mirrored(&self, place: Vec3) -> Vec3 {
        self.plane.mirrored(place)
    }

    /// The mirror joint of each joint, for weights.
    pub fn mirror_joints(&self) -> Vec<Option<JointSlot>> {
        self.roles.iter().map(|role| role.partner.and_then(JointSlot::new)).collect()
    }

    /// Sets the partner of a joint: another joint, the joint itself (center), or `None`. Former
    /// partners lose theirs. Does nothing for invalid indices.
    pub fn set_partner(&mut self, a: usize, partner: Option<usize>) {
        let b = partner.unwrap_or(a);
        if a.max(b) >= self.roles.len() {
            return;
        }
        for joint in [a, b] {
            if let Some(old) = self.roles[joint].partner {
                self.roles[old].partner = None;
                self.roles[old].how = PairSource::None;
            }
        }
        let (mut side, mut other) = (self.roles[a].side, self.roles[b].side);
        if partner.is_none() {
            self.roles[a] = Role { side, partner, how: PairSource::Given };
            return;
        }
        if a == b {
            (side, other) = (Side::Center, Side::Center);
        } else if side == Side::Center || side.other() != other {
            let above = |j: usize| self.plane.above(self.positions[j]);
            let a_is_left = (above(a) >= above(b)) == self.left_is_high;
            side = if a_is_left { Side::Left } else { Side::Right };
            other = side.other();
        }
        self.roles[a] = Role { side, partner: Some(b), how: PairSource::Given };
        self.roles[b] = Role { side: other, partner: Some(a), how: PairSource::Given };
    }
}

#[cfg(test)]
mod tests;
