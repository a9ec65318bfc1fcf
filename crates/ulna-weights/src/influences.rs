//! Influences of one vertex, constraints on them, and reasons why a vertex stays unchanged.

use std::ops::Range;

use thiserror::Error;

use super::ids::to_index;
use ulna_model::{JointSlot, WeightEncoding, WeightMap};

/// Maximum number of influences per vertex that are processed. Further influences of a file are
/// ignored.
pub const MOST: usize = 64;

/// Returns the slot indices of a vertex in lists with `stride` slots per vertex.
#[inline]
pub(super) const fn slots_of(vertex: u32, stride: usize) -> Range<usize> {
    let first = to_index(vertex) * stride;
    first..first + stride
}

/// Influences of one vertex during a change. No joint occurs twice, and no weight is negative.
#[derive(Clone, Debug)]
pub struct Influences {
    pub(super) len: usize,
    pub(super) joints: [u16; MOST],
    pub(super) weights: [f32; MOST],
}

impl Default for Influences {
    fn default() -> Self {
        Self { len: 0, joints: [0; MOST], weights: [0.0; MOST] }
    }
}

impl PartialEq for Influences {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter())
    }
}

impl Influences {
    /// Removes all influences.
    #[inline]
    pub const fn clear(&mut self) {
        self.len = 0;
    }

    /// Returns the number of joints.
    #[inline]
    pub const fn len(&self) -> usize {
        self.len
    }

    /// Whether the list has no joints.
    #[inline]
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns the joints with their weights.
    #[inline]
    pub fn iter(&self) -> impl Iterator<Item = (u16, f32)> + '_ {
        self.joints[..self.len].iter().copied().zip(self.weights[..self.len].iter().copied())
    }

    /// Returns the weight of a joint; 0 if the list does not contain it.
    #[inline]
    pub fn get(&self, joint: u16) -> f32 {
        self.find(joint).map_or(0.0, |k| self.weights[k])
    }

    #[inline]
    pub(super) fn find(&self, joint: u16) -> Option<usize> {
        self.joints[..self.len].iter().position(|j| *j == joint)
    }

    /// Adds to the weight of a joint. A joint that is not in the list is ignored if the list is
    /// full.
    #[inline]
    pub fn add(&mut self, joint: u16, weight: f32) {
        match self.find(joint) {
            Some(k) => self.weights[k] += weight,
            None if self.len < MOST => {
                self.joints[self.len] = joint;
                self.weights[self.len] = weight;
                self.len += 1;
            }
            None => {}
        }
    }

    #[inline]
    pub(super) fn set(&mut self, joint: u16, weight: f32) {
        match self.find(joint) {
            Some(k) => self.weights[k] = weight,
            None => self.add(joint, weight),
        }
    }

    #[inline]
    pub(super) fn remove(&mut self, k: usize) {
        self.len -= 1;
        self.joints[k] = self.joints[self.len];
        self.weights[k] = self.weights[self.len];
    }

    /// Removes the `k`-th influence, and keeps the order of the others.
    #[inline]
    pub(super) fn take_out(&mut self, k: usize) {
        self.joints.copy_within(k + 1..self.len, k);
        self.weights.copy_within(k + 1..self.len, k);
        self.len -= 1;
    }

    /// Adds all influences of another list, each times `factor`.
    #[inline]
    pub fn add_all(&mut self, other: &Self, factor: f32) {
        other.iter().for_each(|(j, w)| self.add(j, w * factor));
    }

    /// Reads the influences of a vertex. Slots of the same joint are merged. Slots are skipped if
    /// their weight is 0 or negative, or their joint is beyond the skin's joints.
    ///
    /// # Errors
    /// [`Refusal::LockedNegative`] if a skipped negative weight belongs to a locked joint.
    #[inline]
    pub fn read(
        &mut self,
        joints: &[u16],
        weights: &[f32],
        rule: &WeightConstraints<'_>,
    ) -> Result<(), Refusal> {
        self.clear();
        for (j, w) in joints.iter().zip(weights) {
            if *w > 0.0 && usize::from(*j) < rule.locked.len() {
                self.add(*j, *w);
            } else if *w < 0.0 && rule.is_locked(*j) {
                return Err(Refusal::LockedNegative);
            }
        }
        Ok(())
    }

    /// Reads a vertex of a map for display, without constraints.
    pub fn of(map: &WeightMap, vertex: usize) -> Self {
        let mut list = Self::default();
        map.vertex(vertex).filter(|(_, w)| *w > 0.0).for_each(|(j, w)| list.add(j, w));
        list
    }

    /// Writes the influences to the slots of a vertex. Unused slots get joint 0 with weight 0.
    #[inline]
    pub fn write(&self, joints: &mut [u16], weights: &mut [f32]) {
        for (k, (j, w)) in joints.iter_mut().zip(weights).enumerate() {
            (*j, *w) = if k < self.len { (self.joints[k], self.weights[k]) } else { (0, 0.0) };
        }
    }

    /// Sorts by descending weight, and equal weights by ascending joint index.
    #[inline]
    pub(super) fn sort(&mut self) {
        for k in 1..self.len {
            let (j, w) = (self.joints[k], self.weights[k]);
            let mut at = k;
            while at > 0
                && (self.weights[at - 1] < w
                    || (self.weights[at - 1] == w && self.joints[at - 1] > j))
            {
                self.joints[at] = self.joints[at - 1];
                self.weights[at] = self.weights[at - 1];
                at -= 1;
            }
            self.joints[at] = j;
            self.weights[at] = w;
        }
    }
}

/// Constraints on a change of weights.
#[derive(Clone, Copy, Debug)]
pub struct WeightConstraints<'a> {
    /// Whether each joint of the skin is locked.
    pub locked: &'a [bool],
    /// The nearest ancestor joint of each joint.
    pub parents: &'a [Option<JointSlot>],
    /// Maximum number of influences per vertex; at most its number of slots.
    pub limit: usize,
    /// The stored type of the weights.
    pub encoding: WeightEncoding,
    /// Mirror joint of each joint, for changes that must be symmetric; otherwise empty.
    pub pairs: &'a [Option<JointSlot>],
    /// Whether the vertex is on the mirrored side of a symmetric change.
    pub turned: bool,
}

impl WeightConstraints<'_> {
    /// Returns the sort key of a joint among joints of equal weight: by mirror pair, then by side.
    /// The order on one side is the mirror image of the order on the other side.
    #[inline]
    pub(super) fn rank(&self, joint: u16) -> u32 {
        match self.pairs.get(usize::from(joint)) {
            Some(Some(JointSlot(partner))) => {
                u32::from(joint.min(*partner)) * 2 + u32::from((joint > *partner) != self.turned)
            }
            _ => u32::from(joint) * 2,
        }
    }

    /// Returns a weight for comparisons. For symmetric changes, it is rounded, so that rounding
    /// errors do not decide the order.
    #[inline]
    pub(super) fn grade(&self, weight: f32) -> f32 {
        if self.pairs.is_empty() { weight } else { (weight * 1e4).round() }
    }

    #[inline]
    pub(super) fn is_locked(&self, joint: u16) -> bool {
        self.locked.get(usize::from(joint)).copied().unwrap_or(false)
    }
}

/// Reason why the weights of a vertex stayed unchanged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Error)]
pub enum Refusal {
    /// The painted joint is locked.
    #[error("the joint is locked; unlock it to paint it")]
    Locked,
    /// Locked joints have the full weight of the vertex.
    #[error("locked joints have all of the weight; unlock one of them")]
    Full,
    /// No unlocked joint can receive the remaining weight.
    #[error(
        "no unlocked joint can receive the remaining weight; unlock one, or paint another \
        joint first"
    )]
    NobodyTakes,
    /// Locked joints occupy all slots of the vertex.
    #[error(
        "the vertex already has the maximum number of influences; unlock one, or raise the \
        maximum"
    )]
    NoPlace,
    /// A locked weight is negative.
    #[error("a locked weight is negative; unlock its joint, then normalize")]
    LockedNegative,
    /// A coincident vertex belongs to a mesh with another skin, and cannot get the same weights.
    #[error(
        "a coincident vertex of a mesh with another skin cannot get the same weights; paint joints \
            that both skins have, or flatten its weight layers"
    )]
    OtherSkin,
}

impl Refusal {
    /// Returns the code for scripts. It is stable across versions.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Locked => "joint_is_locked",
            Self::Full => "joints_locked",
            Self::NobodyTakes => "nothing_takes_the_rest",
            Self::NoPlace => "too_many_influences",
            Self::LockedNegative => "locked_weight_negative",
            Self::OtherSkin => "shared_with_other_skin",
        }
    }
}
