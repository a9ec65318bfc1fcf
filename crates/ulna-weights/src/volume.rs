//! Smoothing that keeps volume: a vertex goes toward its neighbors only as far as bending leaves
//! it enough of its volume and, beside neighbors that stay as they are, strains it no more than
//! before.
//!
//! Each joint is tried alone, with all that hangs on it, turned by 60 degrees about each axis. Of a
//! vertex only the share `m` moves that the joint and those below it have: it goes to
//! `p + m·(Rp − p)`, and its volume is that of `(1−m)·I + m·R`, which is `1 − 2m(1−m)(1−cos 60°)`
//! whatever the axis (linear blend skinning, the loss that dual quaternions were made against:
//! Kavan et al., *Skinning with Dual Quaternions*, 2007, section 2). Lengths of edges and volumes
//! are weighed as in [`VertexStrain::score`](ulna_motion::VertexStrain::score).

use glam::{Quat, Vec3};

use ulna_geometry::PointId;
use ulna_model::JointSlot;

use super::{
    Influences, Maps, Refusal, SkinnedSurface, WeightConstraints,
    branches::Branches,
    normalize::{blend, normalize},
};

/// How far joints are turned, radians.
const ANGLE: f32 = std::f32::consts::FRAC_PI_3;
/// The part of its volume that a spot keeps, unless it is asked for otherwise: a half and a half
/// has three quarters.
pub const KEPT: f32 = 0.8;
/// Parts of the way that are tried, the farthest first.
const STEPS: [f32; 5] = [1.0, 0.75, 0.5, 0.25, 0.1];
/// Shares that differ by less move alike.
const ALIKE: f32 = 1e-4;
/// Doublings by which a step must strain less to be worth more than a farther one: roundings decide
/// nothing then.
const WORTH: f32 = 1e-3;

/// What of its volume a spot has of which a share is turned.
fn volume(share: f32) -> f32 {
    1.0 - 2.0 * share * (1.0 - share) * (1.0 - ANGLE.cos())
}

/// A joint that is tried at a spot: where its neighbors are then, and which way the spot would go.
struct Trial {
    joint: u16,
    /// For each turn the way of the whole spot, and the points of its neighbors.
    turns: Vec<(Vec3, Vec<Vec3>)>,
}

/// What is tried at one point.
struct Trials<'a> {
    branches: &'a Branches,
    here: Vec3,
    /// To the neighbors at rest.
    lengths: Vec<f32>,
    list: Vec<Trial>,
}

impl<'a> Trials<'a> {
    /// Of all joints that move the spot, or would once it has `target`, otherwise than its
    /// neighbors.
    fn of(
        canvas: &'a SkinnedSurface,
        maps: &Maps<'_>,
        point: PointId,
        own: &Influences,
        target: &Influences,
    ) -> Self {
        let (branches, parents, rest) = (canvas.branches(), canvas.parents(), canvas.rest());
        let here = rest[point.index()];
        let ring = canvas.ring(point);
        let around: Vec<(Vec3, Influences)> = ring
            .iter()
            .map(|p| {
                let (map, v) = maps.map_of(canvas.first_at(*p));
                (rest[p.index()], Influences::of(map, v))
            })
            .filter(|(at, _)| at.distance(here) > 1e-9)
            .collect();
        let tried = |joint: u16, shares: Vec<f32>| {
            let head = *canvas.heads().get(usize::from(joint)).filter(|h| h.is_finite())?;
            let turns = [Vec3::X, Vec3::Y, Vec3::Z]
                .into_iter()
                .flat_map(|axis| [(axis, ANGLE), (axis, -ANGLE)]);
            let turns = turns.map(|(axis, angle)| {
                let turn = Quat::from_axis_angle(axis, angle);
                let way = |p: Vec3| turn * (p - head) + head - p;
                (
                    way(here),
                    around
                        .iter()
                        .zip(&shares)
                        .map(|((p, _), share)| *p + way(*p) * *share)
                        .collect(),
                )
            });
            Some(Trial { joint, turns: turns.collect() })
        };
        let mut seen = vec![false; parents.len()];
        let mut list = Vec::new();
        for (joint, _) in own.iter().chain(target.iter()) {
            let mut next = Some(JointSlot(joint));
            while let Some(JointSlot(at)) = next
                && seen.get(usize::from(at)).is_some_and(|seen| !*seen)
            {
                seen[usize::from(at)] = true;
                let (a, b) = (branches.share(at, own), branches.share(at, target));
                let shares: Vec<f32> =
                    around.iter().map(|(_, list)| branches.share(at, list)).collect();
                // All hang on it, and on whatever it hangs on.
                if a.min(b) > 1.0 - ALIKE && shares.iter().all(|s| *s > 1.0 - ALIKE) {
                    break;
                }
                if (a - b).abs() > ALIKE || shares.iter().any(|s| (s - a).abs() > ALIKE) {
                    list.extend(tried(at, shares));
                }
                next = parents[usize::from(at)];
            }
        }
        Self {
            branches,
            here,
            lengths: around.iter().map(|(p, _)| p.distance(here)).collect(),
            list,
        }
    }

    /// The least volume, and the worst strain in doublings.
    fn measure(&self, list: &Influences) -> (f32, f32) {
        let (mut least, mut worst) = (1.0f32, 0.0f32);
        for trial in &self.list {
            let share = self.branches.share(trial.joint, list);
            let kept = volume(share);
            least = least.min(kept);
            let mut stretch = 1.0f32;
            for (way, points) in &trial.turns {
                let at = self.here + *way * share;
                for (point, length) in points.iter().zip(&self.lengths) {
                    let ratio = at.distance(*point) / length;
                    stretch = stretch.max(ratio).max(ratio.max(1.0 / 64.0).recip());
                }
            }
            worst = worst.max(stretch.log2() - kept.max(1.0 / 64.0).log2() / 3.0);
        }
        (least, worst)
    }
}

/// Moves the unlocked weights of a spot toward others as [`blend`] does, as far as it keeps
/// `kept` of its volume, or what it had, and is strained no more than before beside its neighbors
/// as they are. Weights that break the rule are brought under it in any case. Whether anything
/// moved.
///
/// # Errors
/// Why nothing can be moved; the list is of no use then.
pub(super) fn blend_keeping(
    (canvas, maps, point): (&SkinnedSurface, &Maps<'_>, PointId),
    list: &mut Influences,
    target: &Influences,
    (amount, kept): (f32, f32),
    rule: &WeightConstraints<'_>,
) -> Result<bool, Refusal> {
    let mut start = list.clone();
    normalize(&mut start, rule)?;
    let trials = Trials::of(canvas, maps, point, &start, target);
    if trials.list.is_empty() {
        // No joint moves it otherwise than its neighbors.
        return blend(list, target, amount, rule).map(|()| true);
    }
    let (volume, strain) = trials.measure(&start);
    let floor = volume.min(kept);
    let mut best: Option<(f32, Influences)> = None;
    for step in STEPS {
        let mut tried = start.clone();
        blend(&mut tried, target, amount * step, rule)?;
        let (left, worst) = trials.measure(&tried);
        let better =
            worst <= strain + 1e-6 && best.as_ref().is_none_or(|(w, _)| worst < *w - WORTH);
        if left >= floor - 1e-5 && better {
            best = Some((worst, tried));
        }
    }
    let found = best.map_or(start, |(_, found)| found);
    let moved = !found.iter().eq(list.iter());
    *list = found;
    Ok(moved)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_volume_is_the_determinant_of_the_blended_matrices() {
        for share in [0.0f32, 0.1, 0.5, 0.9, 1.0] {
            for axis in [Vec3::X, Vec3::Y, Vec3::new(0.6, 0.0, 0.8)] {
                let turn = glam::Mat3::from_quat(Quat::from_axis_angle(axis, ANGLE));
                let blended = glam::Mat3::IDENTITY * (1.0 - share) + turn * share;
                assert!((blended.determinant() - volume(share)).abs() < 1e-5);
            }
        }
    }
}
