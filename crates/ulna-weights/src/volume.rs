//! Smoothing that preserves volume. A vertex moves toward its neighbors only as far as it keeps
//! enough volume when joints bend. Its strain relative to unchanged neighbors must not increase.
//!
//! Each joint is tested alone, together with all of its descendants, rotated by 60° about each
//! axis. `m` is the weight of a vertex for the joint and its descendants.
//!
//! ```text
//!  position  p + m·(Rp − p)
//!  volume    det((1−m)·I + m·R) = 1 − 2m(1−m)(1−cos 60°)     for any axis
//! ```
//!
//! This is the volume loss of linear blend skinning (Kavan et al., *Skinning with Dual
//! Quaternions*, 2007, section 2). Edge lengths and volumes are weighted as in
//! [`VertexStrain::score`](ulna_motion::VertexStrain::score).

use glam::{Quat, Vec3};

use ulna_geometry::PointId;
use ulna_model::JointSlot;

use super::{
    Influences, Maps, Refusal, SkinnedSurface, WeightConstraints,
    branches::Branches,
    normalize::{blend, normalize},
};

/// Angle by which tested joints are rotated, in radians.
const ANGLE: f32 = std::f32::consts::FRAC_PI_3;
/// Default minimum volume, relative to rest. A vertex with equal weights of two joints keeps 0.75.
pub const KEPT: f32 = 0.8;
/// Fractions of the movement to try, in descending order.
const STEPS: [f32; 5] = [1.0, 0.75, 0.5, 0.25, 0.1];
/// Maximum difference between weights that count as equal.
const ALIKE: f32 = 1e-4;
/// Minimum reduction of strain, in powers of 2, that justifies a smaller step. Without it, rounding
/// would decide.
const WORTH: f32 = 1e-3;

/// Returns the volume at a vertex relative to rest, if the fraction `share` of its weight is
/// rotated.
fn volume(share: f32) -> f32 {
    1.0 - 2.0 * share * (1.0 - share) * (1.0 - ANGLE.cos())
}

/// A test of one joint at a point: the movement of the point, and the positions of its neighbors.
struct Trial {
    joint: u16,
    /// For each test rotation: the movement of the point with full weight on the joint, and the
    /// posed positions of its neighbors.
    turns: Vec<(Vec3, Vec<Vec3>)>,
}

/// Tests of all joints that affect one point.
struct Trials<'a> {
    branches: &'a Branches,
    here: Vec3,
    /// Distances to the neighbors at rest.
    lengths: Vec<f32>,
    list: Vec<Trial>,
}

impl<'a> Trials<'a> {
    /// Prepares the tests of all joints that move the point differently from its neighbors, now or
    /// with the weights `target`.
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
                // The point and all neighbors follow the joint completely. They then follow its
                // ancestors completely, too.
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

    /// Returns the minimum volume, and the maximum strain in powers of 2, over all tests.
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

/// Blends the unlocked weights of a point toward target weights like [`blend`], as far as two
/// conditions hold. The point keeps the fraction `kept` of its volume, or its current volume if
/// that is less. Its strain relative to its unchanged neighbors does not increase. Invalid weights
/// are normalized in any case. Returns whether anything changed.
///
/// # Errors
/// The reason why the change is refused. The list is then undefined.
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
        // No joint moves the point differently from its neighbors.
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
