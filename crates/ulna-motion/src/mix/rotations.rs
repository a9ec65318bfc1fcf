//! Means of rotations, for eight nodes at a time.
//!
//! At the mean on the sphere, the weighted logarithms of the rotations relative to it sum to 0. The
//! mean is approximated by two steps from the normalized sum (Buss and Fillmore, *Spherical
//! Averages and Applications to Spherical Splines and Interpolation*, 2001, algorithm A1). For two
//! rotations, one step is exact, and equals SLERP.

use crate::{
    frame::Block,
    turn::{F32x8, LANES, log_factor, log_terms, unit},
};

/// Intermediate values of one of the averaged rotations, for eight nodes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Way {
    /// Sign of the quaternion: −1 if the negated quaternion is nearer to the mean, else 1.
    sign: F32x8,
    /// Cosine of the angle to the mean. `half` is the cosine of half of this angle.
    cos: F32x8,
    half: F32x8,
}

/// Rotations of eight nodes to average, and their weights, which sum to 1.
pub(super) trait Turns {
    fn count(&self) -> usize;
    fn turn(&self, which: usize) -> &[F32x8; 4];
    fn weight(&self, which: usize) -> F32x8;
}

/// Rotations of blend sources with one weight for all eight nodes, and the rotation below them.
#[derive(Clone, Copy)]
pub(super) struct Whole<'a> {
    pub(super) counting: &'a [(&'a [Block], f32)],
    pub(super) block: usize,
    pub(super) under: Option<(&'a Block, f32)>,
}

impl<'a> Whole<'a> {
    #[inline(always)]
    pub(super) fn one(&self, which: usize) -> (&'a Block, f32) {
        match (self.counting.get(which), self.under) {
            (Some((frame, weight)), _) => (&frame[self.block], *weight),
            (None, Some(under)) => under,
            (None, None) => (&self.counting[0].0[self.block], 0.0),
        }
    }

    /// Index of the rotation with the largest weight.
    pub(super) fn heaviest(&self) -> usize {
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

/// Rotations of a blend source, and its weight per node.
pub(super) type Own = ([F32x8; 4], F32x8);

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

/// Returns the rotation with the largest weight, for each lane.
#[inline(always)]
pub(super) fn heaviest(turns: &[Own]) -> [F32x8; 4] {
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

/// Averages rotations, with signs consistent with `side`. Rotations with a weight of 0 have no
/// effect.
#[inline(always)]
pub(super) fn mean(
    turns: impl Turns,
    side: &[F32x8; 4],
    on_sphere: bool,
    ways: &mut Vec<Way>,
) -> [F32x8; 4] {
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
    // Between two rotations, the first step is exact.
    let steps = if turns.count() > 2 { 2 } else { 1 };
    for _ in 0..steps {
        let mut widest = [0.0f32; LANES];
        for (which, way) in ways.iter_mut().enumerate() {
            let (dot, weight) = (dot(turns.turn(which), &mean), turns.weight(which));
            // Use separate arrays and loops: results that are stored lane by lane are not
            // vectorized.
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
            // Polynomials for cos √x and sin √x / √x, with x at most (π/2)².
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
