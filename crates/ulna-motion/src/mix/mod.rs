//! Weighted averages of transforms, for eight nodes at a time.

mod parts;
mod rotations;

use glam::{Quat, Vec3};

pub(super) use self::parts::{DrivenChannels, Parts};
use self::rotations::{Own, Turns as _, Way, Whole, heaviest, mean};
use super::{
    frame::{Block, Slots},
    turn::{LANES, lane_of},
};
use ulna_geometry::vectors;
use ulna_model::{JointMask, Local, NodeId, Property, Transform};

/// One source of a weighted average.
#[derive(Clone, Copy, Debug)]
pub(super) struct BlendSource<'a> {
    /// Sampled transforms, by slot.
    pub frame: &'a [Block],
    /// Channels that a clip drives, by slot.
    pub driven: &'a [DrivenChannels],
    /// Components that a clip drives, by node.
    pub drives: &'a [Parts],
    pub morphs: &'a [Vec<f32>],
    pub weight: f32,
    pub mask: Option<&'a JointMask>,
}

/// Whether the average completely replaces the result below it, in all blocks that all sources
/// drive completely.
pub(super) fn covers(drivers: &[BlendSource<'_>], cover: LaneCoverage<'_>) -> bool {
    let mut sum = Sum::default();
    drivers.iter().enumerate().for_each(|(d, driver)| sum.add(d, driver.weight));
    cover.weight >= 1.0 && is_even(drivers, cover) && sum.count > 0 && sum.shares().1 == 0.0
}

/// Whether all nodes have the same weights.
fn is_even(drivers: &[BlendSource<'_>], cover: LaneCoverage<'_>) -> bool {
    cover.mask.is_none() && drivers.iter().all(|d| d.mask.is_none())
}

impl BlendSource<'_> {
    fn weight_at(&self, node: usize) -> f32 {
        self.mask.map_or(self.weight, |m| self.weight * m.at(NodeId::from(node)))
    }
}

/// Weight and mask with which an average covers the result below it.
#[derive(Clone, Copy, Debug)]
pub(super) struct LaneCoverage<'a> {
    pub weight: f32,
    pub mask: Option<&'a JointMask>,
    /// Whether rotations are averaged on the sphere. If false, their quaternions are summed and
    /// normalized.
    pub on_sphere: bool,
}

/// Interpolates between two rotations.
pub(super) fn turned(from: Quat, to: Quat, part: f32, on_sphere: bool) -> Quat {
    if on_sphere { super::slerp(from, to, part) } else { super::nlerp(from, to, part) }
}

/// Reusable memory for intermediate results.
#[derive(Clone, Debug, Default)]
pub(super) struct Scratch {
    own: Vec<Own>,
    ways: Vec<Way>,
}

/// Averages the transforms of the sources `drivers`, and blends the result over `local`.
pub(super) fn lay(
    local: &mut [Local],
    slots: &Slots,
    drivers: &[BlendSource<'_>],
    cover: LaneCoverage<'_>,
    scratch: &mut Scratch,
) {
    let even = is_even(drivers, cover);
    let mut sum = Sum::default();
    drivers.iter().enumerate().for_each(|(d, driver)| sum.add(d, driver.weight));
    let (scale, missing) = sum.shares();
    let counting = drivers.iter().filter(|d| d.weight > 0.0).map(|d| (d.frame, d.weight * scale));
    let counting: Vec<(&[Block], f32)> = counting.collect();
    if counting.is_empty() {
        return;
    }
    vectors().dispatch(
        #[inline(always)]
        || {
            // Moved into the closure, so that it is `FnOnce`. A closure that can be called twice
            // gets a shim, which is not compiled for the wide vectors.
            let (local, scratch, counting) = (local, scratch, &counting[..]);
            for (block, nodes) in slots.nodes().chunks(LANES).enumerate() {
                if drivers.iter().all(|d| d.driven[block].none) {
                    continue;
                }
                if even && drivers.iter().all(|d| d.driven[block].whole) {
                    let whole = Whole { counting, block, under: None };
                    lay_whole_block(local, nodes, whole, missing, cover, scratch);
                } else {
                    lay_block(local, nodes, block, drivers, cover, scratch);
                }
            }
        },
    );
}

/// Sum and number of the weights of one component at a node.
#[derive(Clone, Copy, Debug, Default)]
struct Sum {
    total: f32,
    count: u32,
    /// Index of the last source with a weight.
    last: usize,
}

impl Sum {
    #[inline(always)]
    fn add(&mut self, driver: usize, weight: f32) {
        if weight > 0.0 {
            *self = Self { total: self.total + weight, count: self.count + 1, last: driver };
        }
    }

    /// Returns the factor of the weights, and the missing weight. Rounding errors do not count as
    /// missing.
    #[inline(always)]
    fn shares(self) -> (f32, f32) {
        const ROUNDED: f32 = 1e-6;
        if self.total > 1.0 - ROUNDED { (1.0 / self.total, 0.0) } else { (1.0, 1.0 - self.total) }
    }

    /// Index of the only source, if it has full weight.
    #[inline(always)]
    fn only(self) -> Option<usize> {
        (self.count == 1 && self.total >= 1.0).then_some(self.last)
    }
}

/// Averages a block like [`lay_block`], for the common case. Every source drives all components of
/// each node, and has the same weight for all nodes.
#[inline(always)]
fn lay_whole_block(
    local: &mut [Local],
    nodes: &[u32],
    of: Whole<'_>,
    missing: f32,
    cover: LaneCoverage<'_>,
    scratch: &mut Scratch,
) {
    let mut under = Block::default();
    if missing > 0.0 {
        nodes
            .iter()
            .enumerate()
            .for_each(|(k, node)| under.put(k, &local[*node as usize].transform()));
    }
    let of = Whole { under: (missing > 0.0).then_some((&under, missing)), ..of };
    let (mut places, mut sizes) = ([[0.0; LANES]; 3], [[0.0; LANES]; 3]);
    for which in 0..of.count() {
        let (from, weight) = of.one(which);
        for k in 0..3 {
            for i in 0..LANES {
                places[k][i] += from.places[k][i] * weight;
                sizes[k][i] += from.sizes[k][i] * weight;
            }
        }
    }
    let turns = if of.count() < 2 {
        *of.turn(0)
    } else {
        mean(of, of.turn(of.heaviest()), cover.on_sphere, &mut scratch.ways)
    };
    let result = Block { places, turns, sizes };
    let whole = cover.weight >= 1.0;
    for (k, node) in nodes.iter().enumerate().take(LANES) {
        match &mut local[*node as usize] {
            // Copy by component. A whole transform would first be assembled in memory, which stalls
            // the processor.
            Local::Trs(t) if whole => {
                t.translation = lane_of(&result.places, k).into();
                t.rotation = Quat::from_array(lane_of(&result.turns, k));
                t.scale = lane_of(&result.sizes, k).into();
            }
            local => {
                let result = result.at(k);
                *local = Local::Trs(if whole {
                    result
                } else {
                    between(&local.transform(), &result, cover.weight, cover)
                });
            }
        }
    }
}

#[inline(always)]
fn lay_block(
    local: &mut [Local],
    nodes: &[u32],
    block: usize,
    drivers: &[BlendSource<'_>],
    cover: LaneCoverage<'_>,
    scratch: &mut Scratch,
) {
    let count = nodes.len().min(LANES);
    // Indices: component, then node.
    let mut sums = [[Sum::default(); LANES]; 3];
    for (d, driver) in drivers.iter().enumerate() {
        for k in 0..count {
            let (parts, weight) =
                (driver.driven[block].parts[k], driver.weight_at(nodes[k] as usize));
            for (sum, property) in sums.iter_mut().zip(Property::TRS) {
                sum[k].add(d, if parts.has(property) { weight } else { 0.0 });
            }
        }
    }
    let mut below = [Transform::IDENTITY; LANES];
    let mut result = [Transform::IDENTITY; LANES];
    let mut driven = [false; LANES];
    for k in 0..count {
        driven[k] = sums.iter().any(|s| s[k].count > 0);
        if driven[k] {
            below[k] = local[nodes[k] as usize].transform();
            result[k] = below[k];
        }
    }
    let at = |d: usize, k: usize| drivers[d].frame[block].at(k);
    for k in (0..count).filter(|k| driven[*k]) {
        for (which, property) in [(0, Property::Translation), (2, Property::Scale)] {
            let sum = sums[which][k];
            let part = |t: &Transform| if which == 0 { t.translation } else { t.scale };
            if sum.count == 0 {
                continue;
            }
            let value = match sum.only() {
                Some(d) => part(&at(d, k)),
                None => {
                    let (scale, missing) = sum.shares();
                    let mut value = part(&below[k]) * missing;
                    for (d, driver) in drivers.iter().enumerate() {
                        let weight = driver.weight_at(nodes[k] as usize);
                        if weight > 0.0 && driver.driven[block].parts[k].has(property) {
                            value += part(&at(d, k)) * (weight * scale);
                        }
                    }
                    value
                }
            };
            if which == 0 { result[k].translation = value } else { result[k].scale = value }
        }
    }
    let sums = &sums[1];
    if (0..count).any(|k| sums[k].count > 0 && sums[k].only().is_none()) {
        let turns = &mut scratch.own;
        turns.clear();
        for driver in drivers {
            let mut turn: Own = (Block::default().turns, [0.0; LANES]);
            for (k, sum) in sums.iter().enumerate().take(count) {
                if driver.driven[block].parts[k].has(Property::Rotation) {
                    turn.1[k] = driver.weight_at(nodes[k] as usize).max(0.0) * sum.shares().0;
                }
                // Values without a weight may be NaN.
                if turn.1[k] > 0.0 {
                    (0..4).for_each(|c| turn.0[c][k] = driver.frame[block].turns[c][k]);
                }
            }
            turns.push(turn);
        }
        let mut under: Own = (Block::default().turns, [0.0; LANES]);
        let mut missing = false;
        for k in (0..count).filter(|k| sums[*k].count > 0) {
            under.1[k] = sums[k].shares().1;
            missing |= under.1[k] > 0.0;
            below[k]
                .rotation
                .to_array()
                .into_iter()
                .enumerate()
                .for_each(|(c, v)| under.0[c][k] = v);
        }
        if missing {
            turns.push(under);
        }
        let side = heaviest(turns);
        let mixed = mean(&turns[..], &side, cover.on_sphere, &mut scratch.ways);
        for k in (0..count).filter(|k| sums[*k].count > 0) {
            result[k].rotation = Quat::from_array(lane_of(&mixed, k));
        }
    }
    for k in 0..count {
        if let Some(d) = sums[k].only() {
            result[k].rotation = at(d, k).rotation;
        }
        if driven[k] {
            let share = cover.mask.map_or(cover.weight, |m| cover.weight * m.at(NodeId(nodes[k])));
            if share > 0.0 {
                let whole = share >= 1.0;
                let to =
                    if whole { result[k] } else { between(&below[k], &result[k], share, cover) };
                local[nodes[k] as usize] = Local::Trs(to);
            }
        }
    }
}

/// Interpolates between two transforms. Equal components stay exact.
fn between(from: &Transform, to: &Transform, share: f32, cover: LaneCoverage<'_>) -> Transform {
    let line = |a: Vec3, b: Vec3| a + (b - a) * share;
    let turn = from.rotation != to.rotation;
    Transform {
        translation: line(from.translation, to.translation),
        rotation: if turn {
            turned(from.rotation, to.rotation, share, cover.on_sphere)
        } else {
            from.rotation
        },
        scale: line(from.scale, to.scale),
    }
}

/// Averages the weights of morph targets, and blends the result over `morphs`.
pub(super) fn lay_morphs(
    morphs: &mut [Vec<f32>],
    drivers: &[BlendSource<'_>],
    cover: LaneCoverage<'_>,
) {
    for (node, below) in morphs.iter_mut().enumerate().filter(|(_, m)| !m.is_empty()) {
        let mut sum = Sum::default();
        for (d, driver) in drivers.iter().enumerate() {
            let drives = driver.drives[node].has(Property::Weights)
                && driver.morphs[node].len() == below.len();
            sum.add(d, if drives { driver.weight_at(node) } else { 0.0 });
        }
        let share = cover
            .mask
            .map_or(cover.weight, |m| cover.weight * m.at(NodeId::from(node)))
            .clamp(0.0, 1.0);
        if sum.count == 0 || share == 0.0 {
            continue;
        }
        let (scale, missing) = sum.shares();
        for (target, value) in below.iter_mut().enumerate() {
            let mixed = match sum.only() {
                Some(d) => drivers[d].morphs[node][target],
                None => {
                    let of = |d: &BlendSource<'_>| match d.drives[node].has(Property::Weights) {
                        true => d.morphs[node]
                            .get(target)
                            .map_or(0.0, |m| m * d.weight_at(node).max(0.0) * scale),
                        false => 0.0,
                    };
                    *value * missing + drivers.iter().map(of).sum::<f32>()
                }
            };
            *value = if share >= 1.0 { mixed } else { *value + (mixed - *value) * share };
        }
    }
}
