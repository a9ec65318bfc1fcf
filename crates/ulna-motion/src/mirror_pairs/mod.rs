//! Which joint is the mirror image of which: by names, by where they rest, or by both.
//!
//! Mirroring a pose, a clip or weights needs it, and no file says it. Names are asked first, since
//! they say what was meant; rest positions find pairs where names are silent, and win only where a
//! name's pair is grossly out of place.

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

/// The roles of all joints of a skin, and the mirror plane. `partner` is symmetric: the partner's
/// partner is the joint.
#[derive(Clone, Debug, PartialEq)]
pub struct MirrorPairs {
    roles: Vec<Role>,
    positions: Vec<Vec3>,
    plane: Plane,
    /// Whether left is where the axis grows.
    left_is_high: bool,
}

impl MirrorPairs {
    /// Guesses the roles of a skin's joints, and takes the pairs that were given.
    pub fn of(document: &Document, skin: SkinId) -> Self {
        let mut roles = Self::guessed(document, skin);
        roles.take_given(document, &document.skin(skin).joints);
        roles
    }

    /// What was found for nodes at these positions.
    pub(super) fn from_parts(
        roles: Vec<Role>,
        positions: &[Vec3],
        plane: Plane,
        left_is_high: bool,
    ) -> Self {
        Self { roles, positions: positions.to_vec(), plane, left_is_high }
    }

    /// Takes the pairs that were given of these nodes.
    pub(super) fn take_given(&mut self, document: &Document, nodes: &[NodeId]) {
        let number = |node: NodeId| nodes.iter().position(|j| *j == node);
        for (joint, with) in document.aids.mirror_pairs.iter() {
            // A pair of other nodes says nothing of these.
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

    /// Guesses the roles of any nodes that stand at these places. `known` are pairs of a left and a
    /// right one, by their numbers, that are known by other means; the plane is square to one of
    /// `axes`, unless the pairs say clearly otherwise.
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

    /// Whether two of them are each other's mirror image.
    pub fn has_pairs(&self) -> bool {
        self.roles.iter().enumerate().any(|(j, role)| role.partner.is_some_and(|p| p != j))
    }

    /// Whether a joint that has a mirror joint stands where the mirror image of that is.
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

    /// Whether left is where the normal points.
    pub const fn left_is_high(&self) -> bool {
        self.left_is_high
    }

    /// One role a joint, in the skin's order.
    pub fn joints(&self) -> &[Role] {
        &self.roles
    }

    /// The axis of mesh space across which the skeleton is mirrored: 0, 1 or 2.
    pub fn axis(&self) -> usize {
        self.plane.axis()
    }

    /// Where the mirror plane cuts that axis, meters in mesh space.
    pub const fn offset(&self) -> f32 {
        self.plane.offset
    }

    /// The mirror image of a place in mesh space.
    pub fn mirrored(&self, place: Vec3) -> Vec3 {
        self.plane.mirrored(place)
    }

    /// The mirror joint of each joint, for weights.
    pub fn mirror_joints(&self) -> Vec<Option<JointSlot>> {
        self.roles.iter().map(|role| role.partner.and_then(JointSlot::new)).collect()
    }

    /// Says that two joints are each other's mirror image, or, where they are the same, that it is
    /// of the center; or that one has no mirror image. What they were partners of before has none
    /// then. Nothing happens where a joint is not there.
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
