//! Finds humanoid bones by the shape of a skeleton, if names do not identify them: two legs down
//! from the hips, a spine up, and two arms at its sides.
//!
//! ```text
//!              head
//!               │ neck
//!   hand ── arm ┴ arm ── hand     the chest: the lowest joint of the spine with two arms
//!               │ spine
//!              hips               the highest joint with two legs and a spine
//!            leg │ leg
//!           foot   foot
//! ```

use std::collections::BTreeMap;

use glam::Vec3;

use super::strain::rest_pose;
use ulna_model::{Document, NodeId};

/// Finds the joints of the legs, the spine and the arms by their rest positions, with their roles
/// in VRM 1.0. Empty if the skeleton has another shape.
///
/// The body must be upright along y. The toes decide which side is left. Without toes, the body is
/// assumed to face z, or x if its arms are along z.
pub fn bones_by_shape(document: &Document) -> BTreeMap<&'static str, NodeId> {
    let tree = JointTree::of(document);
    let joints = document.nodes.order().iter().copied().filter(|n| tree.is_joint(*n));
    joints.into_iter().find_map(|hips| tree.body(hips)).unwrap_or_default()
}

/// Roles of the left and the right joint of a pair.
type Sides = [&'static str; 2];

struct JointTree<'d> {
    document: &'d Document,
    is_joint: Vec<bool>,
    /// Rest positions of nodes. x is the lateral axis of the body, and y is up.
    at: Vec<Vec3>,
    /// Height of the skeleton, meters.
    height: f32,
}

impl<'d> JointTree<'d> {
    fn of(document: &'d Document) -> Self {
        let mut is_joint = document.joint_flags();
        if !is_joint.contains(&true) {
            is_joint = document.loose_joint_flags();
        }
        let pose = rest_pose(document);
        let mut at: Vec<Vec3> = pose.world.iter().map(|world| world.w_axis.truncate()).collect();
        let side = side_axis(at.iter().zip(&is_joint).filter(|(_, is)| **is).map(|(p, _)| *p));
        for p in &mut at {
            *p = Vec3::new(p.dot(side), p.y, p.dot(side.cross(Vec3::Y)));
        }
        let heights = || {
            let joints = at.iter().zip(&is_joint).filter(|(p, is)| **is && p.is_finite());
            joints.map(|(p, _)| p.y)
        };
        let (low, high) =
            (heights().fold(f32::INFINITY, f32::min), heights().fold(f32::NEG_INFINITY, f32::max));
        Self { document, is_joint, at, height: (high - low).max(0.0) }
    }

    fn is_joint(&self, node: NodeId) -> bool {
        self.is_joint.get(node.index()) == Some(&true) && self.at[node.index()].is_finite()
    }

    fn at(&self, node: NodeId) -> Vec3 {
        self.at[node.index()]
    }

    fn below(&self, node: NodeId) -> Vec<NodeId> {
        let children = self.document.children(node).iter().copied();
        children.filter(|n| self.is_joint(*n)).collect()
    }

    /// Returns the joint and all joints below it.
    fn branch(&self, node: NodeId) -> Vec<NodeId> {
        let mut all = vec![node];
        let mut k = 0;
        while let Some(next) = all.get(k) {
            all.extend(self.below(*next));
            k += 1;
        }
        all
    }

    /// Largest coordinate of the joints of a branch along a direction.
    fn reach(&self, node: NodeId, direction: Vec3) -> f32 {
        let all = self.branch(node).into_iter().map(|n| self.at(n).dot(direction));
        all.fold(f32::NEG_INFINITY, f32::max)
    }

    /// Returns the chain below a joint that extends farthest in a direction.
    fn chain(&self, from: NodeId, direction: Vec3) -> Vec<NodeId> {
        let next = |n: &NodeId| {
            let below = self.below(*n).into_iter();
            let far = below.map(|c| (self.reach(c, direction), c));
            far.max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, c)| c)
        };
        std::iter::successors(Some(from), next).collect()
    }

    /// Finds two branches of a joint, one on each side, that satisfy `is_meant`. The branch on the
    /// positive x side is first.
    fn pair(&self, of: NodeId, is_meant: impl Fn(NodeId) -> bool) -> Option<[NodeId; 2]> {
        let all: Vec<NodeId> = self.below(of).into_iter().filter(|n| is_meant(*n)).collect();
        let middle = |n: NodeId| {
            let tip = self.branch(n).into_iter().map(|n| self.at(n).x - self.at(of).x);
            tip.max_by(|a, b| a.abs().total_cmp(&b.abs())).unwrap_or(0.0)
        };
        let side = |sign: f32| {
            let of_side = all.iter().copied().filter(|n| middle(*n) * sign > 0.0);
            of_side.max_by(|a, b| (middle(*a) * sign).total_cmp(&(middle(*b) * sign)))
        };
        Some([side(1.0)?, side(-1.0)?])
    }

    /// Finds the next joint of a spine: the child whose branch extends highest.
    fn up(&self, from: NodeId, arms: &[NodeId]) -> Option<NodeId> {
        let below = self.below(from).into_iter().filter(|n| !arms.contains(n));
        let higher = below.filter(|n| self.at(*n).y > self.at(from).y - 0.01 * self.height);
        let far = higher.map(|n| (self.reach(n, Vec3::Y), n));
        far.max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, n)| n)
    }

    /// Finds the bones of a body with these hips; `None` if the shape does not fit.
    fn body(&self, hips: NodeId) -> Option<BTreeMap<&'static str, NodeId>> {
        let size = self.height;
        let low = |n: NodeId| {
            let goes_up = self.reach(n, Vec3::Y) - self.at(hips).y;
            goes_up < 0.05 * size && self.at(hips).y + self.reach(n, -Vec3::Y) > 0.25 * size
        };
        let legs = self.pair(hips, low)?;
        let mut bones = BTreeMap::from([("hips", hips)]);
        // The spine, up to the joint with the arms.
        let mut spine = Vec::new();
        let mut next = self.up(hips, &legs)?;
        let arms = loop {
            spine.push(next);
            let wide = |n: NodeId| {
                let x = self.at(next).x;
                let sides = [Vec3::X, -Vec3::X].map(|d| self.reach(n, d) - x * d.x);
                sides.into_iter().fold(0.0, f32::max) > 0.12 * size
            };
            if let Some(arms) = self.pair(next, wide) {
                break arms;
            }
            next = self.up(next, &[])?;
        };
        let last = *spine.last()?;
        let roles = &["spine", "chest", "upperChest"][..spine.len().min(3)];
        for (k, role) in roles.iter().enumerate() {
            bones.insert(role, if k + 1 == roles.len() { last } else { spine[k] });
        }
        let mut neck = std::iter::successors(self.up(last, &arms), |n| self.up(*n, &[]));
        match (neck.next(), neck.next()) {
            (Some(neck), Some(head)) => bones.extend([("neck", neck), ("head", head)]),
            (Some(head), None) => _ = bones.insert("head", head),
            _ => {}
        }
        let legs = legs.map(|leg| self.leg(leg));
        // The toes show which side of the body is the front.
        let faces_back = legs.iter().all(|leg| match leg[..] {
            [_, _, foot, toes] => self.at(toes).z < self.at(foot).z,
            _ => false,
        });
        let sides = |roles: Sides, k: usize| roles[if faces_back { 1 - k } else { k }];
        for (k, leg) in legs.iter().enumerate() {
            let roles: [Sides; 4] = [
                ["leftUpperLeg", "rightUpperLeg"],
                ["leftLowerLeg", "rightLowerLeg"],
                ["leftFoot", "rightFoot"],
                ["leftToes", "rightToes"],
            ];
            bones.extend(roles.iter().map(|r| sides(*r, k)).zip(leg.iter().copied()));
        }
        for (k, arm) in arms.into_iter().enumerate() {
            let way = if k == 0 { Vec3::X } else { -Vec3::X };
            let (shoulder, arm) = self.arm(&self.chain(arm, way));
            let roles: [Sides; 3] = [
                ["leftUpperArm", "rightUpperArm"],
                ["leftLowerArm", "rightLowerArm"],
                ["leftHand", "rightHand"],
            ];
            bones.extend(shoulder.map(|n| (sides(["leftShoulder", "rightShoulder"], k), n)));
            bones.extend(roles.iter().map(|r| sides(*r, k)).zip(arm));
        }
        Some(bones)
    }

    /// Returns the upper leg, lower leg, foot and toes of a leg, as far as they exist.
    fn leg(&self, from: NodeId) -> Vec<NodeId> {
        let mut chain = self.chain(from, -Vec3::Y);
        // A short first bone at the hips is not the thigh.
        let is_short = |a: NodeId, b: NodeId, c: NodeId| {
            self.at(a).distance(self.at(b)) < 0.25 * self.at(b).distance(self.at(c))
        };
        if let [a, b, c, _, ..] = chain[..]
            && is_short(a, b, c)
        {
            chain.remove(0);
        }
        chain.truncate(4);
        chain
    }

    /// Finds the shoulder, if any, and the upper arm, lower arm and hand of a chain.
    fn arm(&self, chain: &[NodeId]) -> (Option<NodeId>, Vec<NodeId>) {
        let length = |k: usize| self.at(chain[k]).distance(self.at(chain[k + 1]));
        // The hand is the joint from which the fingers branch.
        let branches = |n: &NodeId| self.below(*n).len() > 2;
        let hand = chain.iter().position(branches).filter(|k| *k >= 2);
        let hand = hand.unwrap_or_else(|| match chain.len() {
            0..=3 => chain.len().saturating_sub(1),
            _ if length(0) < 0.6 * length(1) => 3,
            _ => 2,
        });
        match hand {
            0 | 1 => (None, chain.to_vec()),
            2 => (None, chain[..=2].to_vec()),
            3 => (Some(chain[0]), chain[1..=3].to_vec()),
            // If there are twist joints in between, the elbow is the joint nearest to the middle.
            last => {
                let ends = (self.at(chain[1]) + self.at(chain[last])) / 2.0;
                let from_middle = |n: &&NodeId| self.at(**n).distance(ends);
                let inner = chain[2..last].iter();
                let elbow = inner.min_by(|a, b| from_middle(a).total_cmp(&from_middle(b)));
                let arm = [Some(&chain[1]), elbow, Some(&chain[last])];
                (Some(chain[0]), arm.into_iter().flatten().copied().collect())
            }
        }
    }
}

/// Finds the horizontal direction in which a body is widest. It points to the body's left side if
/// the body faces z or x.
fn side_axis(joints: impl Iterator<Item = Vec3>) -> Vec3 {
    let all: Vec<Vec3> = joints.filter(|p| p.is_finite()).collect();
    let mean = all.iter().sum::<Vec3>() / all.len().max(1) as f32;
    let (mut xx, mut zz, mut xz) = (0.0, 0.0, 0.0);
    for p in &all {
        let d = *p - mean;
        (xx, zz, xz) = (xx + d.x * d.x, zz + d.z * d.z, xz + d.x * d.z);
    }
    // The larger axis of the covariance.
    let angle = 0.5 * (2.0f32 * xz).atan2(xx - zz);
    let axis = Vec3::new(angle.cos(), 0.0, angle.sin());
    let is_along_x = axis.x.abs() >= axis.z.abs();
    let is_left = if is_along_x { axis.x > 0.0 } else { axis.z < 0.0 };
    if is_left { axis } else { -axis }
}
