//! Averages of transforms, eight nodes at a time.
//!
//! The mean of rotations on the sphere is what makes the weighted logarithms from it sum to 0. Two
//! steps toward it from the normalized sum are taken (Buss and Fillmore, *Spherical Averages and
//! Applications to Spherical Splines and Interpolation*, 2001, algorithm A1); for two rotations one
//! is exact, and it is SLERP.

use glam::{Quat, Vec3};

use super::{
    frame::{Block, Slots},
    turn::{F32x8, LANES, lane_of, log_factor, log_terms, unit},
};
use ulna_geometry::vectors;
use ulna_model::{JointMask, Local, NodeId, Property, Transform};

/// Which components something drives, as bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Parts(u8);

impl Parts {
    /// Translation, rotation and scale.
    const WHOLE: u8 = 7;

    pub(super) const fn bit(property: Property) -> Self {
        Self(match property {
            Property::Translation => 1,
            Property::Rotation => 2,
            Property::Scale => 4,
            Property::Weights => 8,
        })
    }

    pub(super) const fn has(self, property: Property) -> bool {
        self.0 & Self::bit(property).0 != 0
    }

    pub(super) const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether nothing of a transform is left.
    pub(super) const fn is_whole(self) -> bool {
        self.0 & Self::WHOLE == Self::WHOLE
    }

    /// Whether anything of a transform is among them.
    pub(super) const fn moves(self) -> bool {
        self.0 & Self::WHOLE != 0
    }

    pub(super) const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// What an `Ul` moves.
    pub(super) fn moved_by(user: &Transform) -> Self {
        let mut parts = Self::default();
        for (property, moves) in [
            (Property::Translation, user.translation != Vec3::ZERO),
            (Property::Rotation, user.rotation != Quat::IDENTITY),
            (Property::Scale, user.scale != Vec3::ONE),
        ] {
            if moves {
                parts = parts.or(Self::bit(property));
            }
        }
        parts
    }
}

/// What is driven of eight nodes.
#[derive(Clone, Copy, Debug)]
pub(super) struct DrivenChannels {
    pub parts: [Parts; LANES],
    /// Whether nothing of a transform is left of any.
    pub whole: bool,
    none: bool,
}

impl DrivenChannels {
    /// Of eight nodes or fewer.
    pub(super) fn new(nodes: &[Parts]) -> Self {
        let mut parts = [Parts::default(); LANES];
        parts[..nodes.len()].copy_from_slice(nodes);
        Self {
            parts,
            whole: nodes.iter().all(|p| p.is_whole()),
            none: nodes.iter().all(|p| p.0 & Parts::WHOLE == 0),
        }
    }
}

/// One of those that are averaged.
#[derive(Clone, Copy, Debug)]
pub(super) struct BlendSource<'a> {
    /// Where it puts nodes, by place.
    pub frame: &'a [Block],
    /// What it drives of those.
    pub driven: &'a [DrivenChannels],
    /// What it drives, by node.
    pub drives: &'a [Parts],
    pub morphs: &'a [Vec<f32>],
    pub weight: f32,
    pub mask: Option<&'a JointMask>,
}

/// Whether nothing of what lies below is left of a block that all of `drivers` drive wholly.
pub(super) fn covers(drivers: &[BlendSource<'_>], cover: LaneCoverage<'_>) -> bool {
    let mut sum = Sum::default();
    drivers.iter().enumerate().for_each(|(d, driver)| sum.add(d, driver.weight));
    cover.weight >= 1.0 && is_even(drivers, cover) && sum.count > 0 && sum.shares().1 == 0.0
}

/// Whether all nodes count the same.
fn is_even(drivers: &[BlendSource<'_>], cover: LaneCoverage<'_>) -> bool {
    cover.mask.is_none() && drivers.iter().all(|d| d.mask.is_none())
}

impl BlendSource<'_> {
    fn weight_at(&self, node: usize) -> f32 {
        self.mask.map_or(self.weight, |m| self.weight * m.at(NodeId::from(node)))
    }
}

/// How an average covers what lies below it.
#[derive(Clone, Copy, Debug)]
pub(super) struct LaneCoverage<'a> {
    pub weight: f32,
    pub mask: Option<&'a JointMask>,
    /// The mean on the sphere, and not the normalized sum.
    pub on_sphere: bool,
}

/// What is kept of one of the rotations that are averaged.
#[derive(Clone, Copy, Debug)]
pub(super) struct Way {
    /// 1, or −1 where its other sign is nearer.
    sign: F32x8,
    /// To the mean, and of half the angle.
    cos: F32x8,
    half: F32x8,
}

/// Rotations of eight nodes that are averaged, and how much each counts; 1 together.
trait Turns {
    fn count(&self) -> usize;
    fn turn(&self, which: usize) -> &[F32x8; 4];
    fn weight(&self, which: usize) -> F32x8;
}

/// Those of drivers that count the same at all eight nodes, and of what lies below.
#[derive(Clone, Copy)]
struct Whole<'a> {
    counting: &'a [(&'a [Block], f32)],
    block: usize,
    under: Option<(&'a Block, f32)>,
}

impl<'a> Whole<'a> {
    #[inline(always)]
    fn one(&self, which: usize) -> (&'a Block, f32) {
        match (self.counting.get(which), self.under) {
            (Some((frame, weight)), _) => (&frame[self.block], *weight),
            (None, Some(under)) => under,
            (None, None) => (&self.counting[0].0[self.block], 0.0),
        }
    }

    /// The one that counts most.
    fn heaviest(&self) -> usize {
        let heavier = |most: usize, k| if self.one(k).1 > self.one(most).1 { k } else { most };
        (1..self.count()).fold(0, heavier)
    }
}

impl Turns for Whole<'_> {
    #[inline(always)]
    fn count(&self) -> usize {
        self.counting.len() + usize::from(self.under.is_some())
    }

    #[inline(always)]
    fn turn(&self, which: usize) -> &[F32x8; 4] {
        &self.one(which).0.turns
    }

    #[inline(always)]
    fn weight(&self, which: usize) -> F32x8 {
        [self.one(which).1; LANES]
    }
}

/// Those of each node its own.
type Own = ([F32x8; 4], F32x8);

impl Turns for &[Own] {
    #[inline(always)]
    fn count(&self) -> usize {
        self.len()
    }

    #[inline(always)]
    fn turn(&self, which: usize) -> &[F32x8; 4] {
        &self[which].0
    }

    #[inline(always)]
    fn weight(&self, which: usize) -> F32x8 {
        self[which].1
    }
}

/// By lane the rotation that counts most.
#[inline(always)]
fn heaviest(turns: &[Own]) -> [F32x8; 4] {
    let (mut side, mut most) = ([[0.0; LANES]; 4], [-1.0f32; LANES]);
    for (turn, weight) in turns {
        for i in 0..LANES {
            let heavier = weight[i] > most[i];
            most[i] = if heavier { weight[i] } else { most[i] };
            for k in 0..4 {
                side[k][i] = if heavier { turn[k][i] } else { side[k][i] };
            }
        }
    }
    side
}

#[inline(always)]
fn dot(a: &[F32x8; 4], b: &[F32x8; 4]) -> F32x8 {
    let mut dot = [0.0; LANES];
    for i in 0..LANES {
        dot[i] = a[0][i] * b[0][i] + a[1][i] * b[1][i] + a[2][i] * b[2][i] + a[3][i] * b[3][i];
    }
    dot
}

/// Averages of rotations, each taken on the side of `side`; those that count nothing do not matter.
#[inline(always)]
fn mean(turns: impl Turns, side: &[F32x8; 4], on_sphere: bool, ways: &mut Vec<Way>) -> [F32x8; 4] {
    let mut sum = [[0.0; LANES]; 4];
    ways.clear();
    for which in 0..turns.count() {
        let (turn, weight) = (turns.turn(which), turns.weight(which));
        let dot = dot(turn, side);
        let mut sign = [1.0; LANES];
        for i in 0..LANES {
            sign[i] = if dot[i] < 0.0 { -1.0 } else { 1.0 };
        }
        for k in 0..4 {
            for i in 0..LANES {
                sum[k][i] += weight[i] * sign[i] * turn[k][i];
            }
        }
        if on_sphere {
            ways.push(Way { sign, cos: sign, half: sign });
        }
    }
    let mut mean = unit(&sum);
    if !on_sphere {
        return mean;
    }
    // On the way between two the first step is the whole way.
    let steps = if turns.count() > 2 { 2 } else { 1 };
    for _ in 0..steps {
        let mut widest = [0.0f32; LANES];
        for (which, way) in ways.iter_mut().enumerate() {
            let (dot, weight) = (dot(turns.turn(which), &mean), turns.weight(which));
            // Into arrays of their own, each in a loop: what goes to memory lane by lane is not
            // done in vectors.
            let (mut cos, mut half) = ([1.0; LANES], [1.0; LANES]);
            for i in 0..LANES {
                cos[i] = if weight[i] > 0.0 { way.sign[i] * dot[i] } else { 1.0 };
            }
            for i in 0..LANES {
                let square = 0.5 + 0.5 * cos[i];
                let square = if square > 1e-3 { square } else { 1e-3 };
                half[i] = if square < 1.0 { square } else { 1.0 }.sqrt();
            }
            for i in 0..LANES {
                let z = 1.0 - half[i];
                widest[i] = if z > widest[i] { z } else { widest[i] };
            }
            (way.cos, way.half) = (cos, half);
        }
        let terms = log_terms(&widest);
        let (mut step, mut along) = ([[0.0; LANES]; 4], [0.0; LANES]);
        for (which, way) in ways.iter().enumerate() {
            let (turn, weight) = (turns.turn(which), turns.weight(which));
            let Way { sign, cos, half } = *way;
            let factor = log_factor(&half, terms);
            let mut by = [0.0; LANES];
            for i in 0..LANES {
                by[i] = factor[i] * weight[i];
            }
            for i in 0..LANES {
                along[i] += by[i] * cos[i];
            }
            for i in 0..LANES {
                by[i] *= sign[i];
            }
            for k in 0..4 {
                for i in 0..LANES {
                    step[k][i] += by[i] * turn[k][i];
                }
            }
        }
        for k in 0..4 {
            for i in 0..LANES {
                step[k][i] -= along[i] * mean[k][i];
            }
        }
        let mut next = [[0.0; LANES]; 4];
        for i in 0..LANES {
            let x = step[0][i] * step[0][i]
                + step[1][i] * step[1][i]
                + step[2][i] * step[2][i]
                + step[3][i] * step[3][i];
            // cos √x and sin √x / √x, x at most (π/2)².
            let cos = 1.0
                + x * (-1.0 / 2.0
                    + x * (1.0 / 24.0
                        + x * (-1.0 / 720.0 + x * (1.0 / 40_320.0 - x / 3_628_800.0))));
            let sin = 1.0
                + x * (-1.0 / 6.0
                    + x * (1.0 / 120.0
                        + x * (-1.0 / 5040.0 + x * (1.0 / 362_880.0 - x / 39_916_800.0))));
            for k in 0..4 {
                next[k][i] = mean[k][i] * cos + step[k][i] * sin;
            }
        }
        mean = unit(&next);
    }
    mean
}

/// Two rotations, the second by `part`.
pub(super) fn turned(from: Quat, to: Quat, part: f32, on_sphere: bool) -> Quat {
    if on_sphere { super::slerp(from, to, part) } else { super::nlerp(from, to, part) }
}

/// Room for what is found on the way.
#[derive(Clone, Debug, Default)]
pub(super) struct Scratch {
    own: Vec<Own>,
    ways: Vec<Way>,
}

/// Averages `drivers`, and lays that over `local`.
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
            // Taken by value: a closure that could be called twice gets a shim, which is not
            // compiled for the wide vectors.
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

/// How much the drivers of one component count at a node, and how many do.
#[derive(Clone, Copy, Debug, Default)]
struct Sum {
    total: f32,
    count: u32,
    /// The last that counts: where there is one alone, it.
    last: usize,
}

impl Sum {
    #[inline(always)]
    fn add(&mut self, driver: usize, weight: f32) {
        if weight > 0.0 {
            *self = Self { total: self.total + weight, count: self.count + 1, last: driver };
        }
    }

    /// By what weights are multiplied, and the share that is missing: none where rounding alone
    /// makes it.
    #[inline(always)]
    fn shares(self) -> (f32, f32) {
        const ROUNDED: f32 = 1e-6;
        if self.total > 1.0 - ROUNDED { (1.0 / self.total, 0.0) } else { (1.0, 1.0 - self.total) }
    }

    /// The driver that is all there is.
    #[inline(always)]
    fn only(self) -> Option<usize> {
        (self.count == 1 && self.total >= 1.0).then_some(self.last)
    }
}

/// [`lay_block`] where every driver drives all of each node, and counts the same everywhere: what
/// most clips come to.
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
            // Part by part: a whole one is put together in memory first, and waited for.
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
    // By component, then node.
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
                // What does not count may be no number.
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

/// From one transform to another. What is the same in both stays as it is.
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

/// Averages the weights of morph targets, and lays that over `morphs`.
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
