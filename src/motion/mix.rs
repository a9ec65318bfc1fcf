//! Averages of transforms, eight nodes at a time.
//!
//! The mean of rotations on the sphere is what makes the weighted logarithms from it sum to 0. Two steps towards it from the
//! normalised sum are taken (Buss and Fillmore, *Spherical Averages and Applications to Spherical Splines and
//! Interpolation*, 2001, algorithm A1); for two rotations one is exact, and it is SLERP.

use glam::{Quat, Vec3, Vec3A};

use super::turn::{F32x8, LANES, log_factor, unit};
use crate::model::{JointMask, Local, NodeId, Property, Transform};

/// Which components something drives, as bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Parts(u8);

impl Parts {
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
        self.0 & 7 == 7
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

/// One of those that are averaged.
#[derive(Clone, Copy, Debug)]
pub(super) struct Driver<'a> {
    /// Where it puts each node; [`Local::Trs`] where it drives anything.
    pub local: &'a [Local],
    /// What it drives of each node.
    pub drives: &'a [Parts],
    pub morphs: &'a [Vec<f32>],
    pub weight: f32,
    pub mask: Option<&'a JointMask>,
}

impl Driver<'_> {
    fn weight_at(&self, node: usize) -> f32 {
        self.mask.map_or(self.weight, |m| self.weight * m.at(NodeId::from(node)))
    }
}

/// How an average covers what lies below it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cover<'a> {
    pub weight: f32,
    pub mask: Option<&'a JointMask>,
    /// The mean on the sphere, and not the normalised sum.
    pub on_sphere: bool,
}

/// Rotations of eight nodes, and how much each counts.
type Turns = ([F32x8; 4], F32x8);

/// Averages of rotations that count 1 together; those that count nothing do not matter.
#[inline(always)]
fn mean(turns: &[Turns], on_sphere: bool) -> [F32x8; 4] {
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
    let mut sum = [[0.0; LANES]; 4];
    for (turn, weight) in turns {
        for i in 0..LANES {
            let dot =
                turn[0][i] * side[0][i] + turn[1][i] * side[1][i] + turn[2][i] * side[2][i] + turn[3][i] * side[3][i];
            let weight = if dot < 0.0 { -weight[i] } else { weight[i] };
            for k in 0..4 {
                sum[k][i] += weight * turn[k][i];
            }
        }
    }
    let mut mean = unit(&sum);
    if !on_sphere {
        return mean;
    }
    for _ in 0..2 {
        let mut step = [[0.0; LANES]; 4];
        for (turn, weight) in turns {
            let (mut sign, mut cos) = ([1.0; LANES], [0.0; LANES]);
            for i in 0..LANES {
                let to = turn[0][i] * side[0][i]
                    + turn[1][i] * side[1][i]
                    + turn[2][i] * side[2][i]
                    + turn[3][i] * side[3][i];
                let dot = turn[0][i] * mean[0][i]
                    + turn[1][i] * mean[1][i]
                    + turn[2][i] * mean[2][i]
                    + turn[3][i] * mean[3][i];
                sign[i] = if to < 0.0 { -1.0 } else { 1.0 };
                cos[i] = if weight[i] > 0.0 { sign[i] * dot } else { 1.0 };
            }
            let factor = log_factor(&cos);
            for i in 0..LANES {
                let by = factor[i] * weight[i];
                for k in 0..4 {
                    step[k][i] += by * (sign[i] * turn[k][i] - cos[i] * mean[k][i]);
                }
            }
        }
        let mut next = [[0.0; LANES]; 4];
        for i in 0..LANES {
            let x =
                step[0][i] * step[0][i] + step[1][i] * step[1][i] + step[2][i] * step[2][i] + step[3][i] * step[3][i];
            // cos √x and sin √x / √x, x at most (π/2)².
            let cos =
                1.0 + x * (-1.0 / 2.0 + x * (1.0 / 24.0 + x * (-1.0 / 720.0 + x * (1.0 / 40_320.0 - x / 3_628_800.0))));
            let sin = 1.0
                + x * (-1.0 / 6.0 + x * (1.0 / 120.0 + x * (-1.0 / 5040.0 + x * (1.0 / 362_880.0 - x / 39_916_800.0))));
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

/// Room for the turns of a block.
pub(super) type Scratch = Vec<Turns>;

/// Averages `drivers`, and lays that over `local`.
pub(super) fn lay(local: &mut [Local], drivers: &[Driver<'_>], cover: Cover<'_>, turns: &mut Scratch) {
    pulp::Arch::new().dispatch(
        #[inline(always)]
        || {
            // Taken by value: a closure that could be called twice gets a shim, which is not compiled for the wide vectors.
            let (local, turns) = (local, turns);
            let even = cover.mask.is_none() && drivers.len() > 1 && drivers.iter().all(|d| d.mask.is_none());
            for first in (0..local.len()).step_by(LANES) {
                let count = LANES.min(local.len() - first);
                let block = &mut local[first..first + count];
                let whole = |d: &Driver<'_>| d.drives[first..first + count].iter().all(|p| p.is_whole());
                if even && count == LANES && drivers.iter().all(whole) {
                    lay_whole_block(block, first, drivers, cover, turns);
                } else {
                    lay_block(block, first, drivers, cover, turns);
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

    /// By what weights are multiplied, and the share that is missing.
    #[inline(always)]
    fn shares(self) -> (f32, f32) {
        if self.total > 1.0 { (1.0 / self.total, 0.0) } else { (1.0, 1.0 - self.total) }
    }

    /// The driver that is all there is.
    #[inline(always)]
    fn only(self) -> Option<usize> {
        (self.count == 1 && self.total >= 1.0).then_some(self.last)
    }
}

/// [`lay_block`] where every driver drives all of each node, and counts the same everywhere: what most clips come to.
#[inline(always)]
fn lay_whole_block(local: &mut [Local], first: usize, drivers: &[Driver<'_>], cover: Cover<'_>, turns: &mut Scratch) {
    let mut sum = Sum::default();
    drivers.iter().enumerate().for_each(|(d, driver)| sum.add(d, driver.weight));
    let (scale, missing) = sum.shares();
    let mut places = [Vec3A::ZERO; LANES];
    let mut sizes = [Vec3A::ZERO; LANES];
    turns.clear();
    let counting = drivers.iter().filter(|d| d.weight > 0.0);
    let counting = counting.map(|d| (&d.local[first..first + LANES], d.weight * scale));
    let under = (missing > 0.0).then_some((&*local, missing));
    // One loop, and no closure: one that is called twice is not compiled for the wide vectors.
    for (transforms, weight) in counting.chain(under) {
        let Ok(transforms) = <&[Local; LANES]>::try_from(transforms) else { return };
        let mut rotations = [Quat::IDENTITY; LANES];
        for k in 0..LANES {
            let (translation, rotation, scale) = match &transforms[k] {
                Local::Trs(t) => (t.translation, t.rotation, t.scale),
                Local::Matrix(_) => {
                    let t = transforms[k].transform();
                    (t.translation, t.rotation, t.scale)
                }
            };
            places[k] += Vec3A::from(translation) * weight;
            sizes[k] += Vec3A::from(scale) * weight;
            rotations[k] = rotation;
        }
        let row = |of: fn(&Quat) -> f32| std::array::from_fn(|k| of(&rotations[k]));
        turns.push(([row(|q| q.x), row(|q| q.y), row(|q| q.z), row(|q| q.w)], [weight; LANES]));
    }
    if turns.len() < 2 {
        return lay_block(local, first, drivers, cover, turns);
    }
    let mixed = mean(turns, cover.on_sphere);
    let whole = cover.weight >= 1.0;
    for (k, local) in local.iter_mut().enumerate() {
        let (place, size): (Vec3, Vec3) = (places[k].into(), sizes[k].into());
        let turn = Quat::from_array(mixed.map(|v| v[k]));
        match local {
            // Part by part: a whole one is put together in memory first, and waited for.
            Local::Trs(t) if whole => {
                t.translation = place;
                t.rotation = turn;
                t.scale = size;
            }
            local => {
                let result = Transform { translation: place, rotation: turn, scale: size };
                *local =
                    Local::Trs(if whole { result } else { between(&local.transform(), &result, cover.weight, cover) });
            }
        }
    }
}

#[inline(always)]
fn lay_block(local: &mut [Local], first: usize, drivers: &[Driver<'_>], cover: Cover<'_>, turns: &mut Scratch) {
    let mut any = Parts::default();
    for driver in drivers {
        driver.drives[first..first + local.len()].iter().for_each(|p| any = any.or(*p));
    }
    if any.is_empty() {
        return;
    }
    // By component, then node.
    let mut sums = [[Sum::default(); LANES]; 3];
    for (d, driver) in drivers.iter().enumerate() {
        for k in 0..local.len() {
            let (parts, weight) = (driver.drives[first + k], driver.weight_at(first + k));
            for (sum, property) in sums.iter_mut().zip(Property::TRS) {
                sum[k].add(d, if parts.has(property) { weight } else { 0.0 });
            }
        }
    }
    let mut below = [Transform::IDENTITY; LANES];
    let mut result = [Transform::IDENTITY; LANES];
    let mut driven = [false; LANES];
    for k in 0..local.len() {
        driven[k] = sums.iter().any(|s| s[k].count > 0);
        if driven[k] {
            below[k] = local[k].transform();
            result[k] = below[k];
        }
    }
    let at = |d: usize, k: usize| match &drivers[d].local[first + k] {
        Local::Trs(t) => *t,
        Local::Matrix(_) => Transform::IDENTITY,
    };
    for k in (0..local.len()).filter(|k| driven[*k]) {
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
                        if driver.drives[first + k].has(property) {
                            value += part(&at(d, k)) * (driver.weight_at(first + k) * scale);
                        }
                    }
                    value
                }
            };
            if which == 0 { result[k].translation = value } else { result[k].scale = value }
        }
    }
    let sums = &sums[1];
    if (0..local.len()).any(|k| sums[k].count > 0 && sums[k].only().is_none()) {
        turns.clear();
        for (d, driver) in drivers.iter().enumerate() {
            let mut turn = ([[0.0; LANES], [0.0; LANES], [0.0; LANES], [1.0; LANES]], [0.0; LANES]);
            for (k, sum) in sums.iter().enumerate().take(local.len()) {
                if driver.drives[first + k].has(Property::Rotation) {
                    turn.1[k] = driver.weight_at(first + k).max(0.0) * sum.shares().0;
                    at(d, k).rotation.to_array().into_iter().enumerate().for_each(|(c, v)| turn.0[c][k] = v);
                }
            }
            turns.push(turn);
        }
        let mut under = ([[0.0; LANES], [0.0; LANES], [0.0; LANES], [1.0; LANES]], [0.0; LANES]);
        let mut missing = false;
        for k in (0..local.len()).filter(|k| sums[*k].count > 0) {
            under.1[k] = sums[k].shares().1;
            missing |= under.1[k] > 0.0;
            below[k].rotation.to_array().into_iter().enumerate().for_each(|(c, v)| under.0[c][k] = v);
        }
        if missing {
            turns.push(under);
        }
        let mixed = mean(turns, cover.on_sphere);
        for k in (0..local.len()).filter(|k| sums[*k].count > 0) {
            result[k].rotation = Quat::from_array(mixed.map(|v| v[k]));
        }
    }
    for k in 0..local.len() {
        if let Some(d) = sums[k].only() {
            result[k].rotation = at(d, k).rotation;
        }
        if driven[k] {
            let share = cover.mask.map_or(cover.weight, |m| cover.weight * m.at(NodeId::from(first + k)));
            if share > 0.0 {
                let whole = share >= 1.0;
                local[k] = Local::Trs(if whole { result[k] } else { between(&below[k], &result[k], share, cover) });
            }
        }
    }
}

/// From one transform to another. What is the same in both stays as it is.
fn between(from: &Transform, to: &Transform, share: f32, cover: Cover<'_>) -> Transform {
    let line = |a: Vec3, b: Vec3| a + (b - a) * share;
    let turn = from.rotation != to.rotation;
    Transform {
        translation: line(from.translation, to.translation),
        rotation: if turn { turned(from.rotation, to.rotation, share, cover.on_sphere) } else { from.rotation },
        scale: line(from.scale, to.scale),
    }
}

/// Averages the weights of morph targets, and lays that over `morphs`.
pub(super) fn lay_morphs(morphs: &mut [Vec<f32>], drivers: &[Driver<'_>], cover: Cover<'_>) {
    for (node, below) in morphs.iter_mut().enumerate().filter(|(_, m)| !m.is_empty()) {
        let mut sum = Sum::default();
        for (d, driver) in drivers.iter().enumerate() {
            let drives = driver.drives[node].has(Property::Weights) && driver.morphs[node].len() == below.len();
            sum.add(d, if drives { driver.weight_at(node) } else { 0.0 });
        }
        let share = cover.mask.map_or(cover.weight, |m| cover.weight * m.at(NodeId::from(node))).clamp(0.0, 1.0);
        if sum.count == 0 || share == 0.0 {
            continue;
        }
        let (scale, missing) = sum.shares();
        for (target, value) in below.iter_mut().enumerate() {
            let mixed = match sum.only() {
                Some(d) => drivers[d].morphs[node][target],
                None => {
                    let of = |d: &Driver<'_>| match d.drives[node].has(Property::Weights) {
                        true => d.morphs[node].get(target).map_or(0.0, |m| m * d.weight_at(node).max(0.0) * scale),
                        false => 0.0,
                    };
                    *value * missing + drivers.iter().map(of).sum::<f32>()
                }
            };
            *value = if share >= 1.0 { mixed } else { *value + (mixed - *value) * share };
        }
    }
}
