//! Fitting the weights of one vertex.

use super::{
    palettes::{PosePalettes, Series, add_scaled, dot},
    relatives::JointMatches,
    shape::{MorphedPositions, read},
    simplex::{SimplexProgram, VARIABLES},
    surface::{CornerScratch, SurfaceMotion},
};
use crate::{
    Influences, WeightConstraints,
    ids::{to_f64, to_single},
    normalize::{least, normalize},
};
use ulna_model::WeightMap;

/// Minimum weight in a fit. A smaller weight uses a slot without a visible effect.
const SMALLEST: f64 = 1e-4;
/// Strength of the pull toward the initial weights, relative to their error. Among weights with
/// equal errors, the fit thus prefers those nearest to the initial weights, regardless of rounding.
const RIDGE: f64 = 1e-6;
/// Minimum strength of the pull toward the initial weights, relative to the largest entry of the
/// Gram matrix. It keeps the matrix positive definite in double precision.
const LEAST_RIDGE: f64 = 1e-12;
/// Minimum fraction of the initial squared error that a fit must remove. Otherwise, the initial
/// weights are kept.
const LEAST_GAIN: f64 = 1e-3;
/// Rounding error of a posed position, relative to its distance from the scene's origin.
const ROUNDING: f64 = 1e-6;

/// Distances of a vertex from its target position over all poses, in meters.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct PoseErrors {
    /// Sum of the squared distances over the poses.
    pub squares: f64,
    /// Sum of the distances over the poses.
    pub sum: f64,
    /// Maximum distance in a pose.
    pub worst: f64,
}

/// Errors of a vertex before and after the fit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct VertexFit {
    pub start: PoseErrors,
    pub fitted: PoseErrors,
    /// Whether the fitted weights replace the initial weights.
    pub is_changed: bool,
}

/// A candidate joint for the weight of a vertex.
#[derive(Clone, Copy, Debug)]
struct Candidate {
    joint: u16,
    /// Initial weight of the joint.
    start: f64,
    /// Whether the vertex has weight on the joint, before the change or initially.
    is_own: bool,
    /// Row of the joint's offsets in [`FitScratch::offsets`].
    row: usize,
    /// Sum of squared distances if the joint has all the weight.
    error: f64,
}

/// Reused memory, one per thread.
#[derive(Debug, Default)]
pub(super) struct FitScratch {
    old: Vec<(u16, f64)>,
    start: Vec<(u16, f64)>,
    points: Series,
    target: Series,
    moved: Series,
    /// Offset from the target, `T_a p − p*`, one row per candidate.
    offsets: Series,
    candidates: Vec<Candidate>,
    corners: CornerScratch,
    /// New influences of the last vertex that was fitted successfully.
    pub list: Influences,
}

/// Motion to which new weights are fitted.
#[derive(Debug)]
pub(super) enum FitTarget<'a> {
    /// Motion of the mesh itself with the old joints and weights.
    Weights {
        palettes: &'a PosePalettes,
        joints: &'a JointMatches,
        shape: MorphedPositions<'a>,
        weights: &'a WeightMap,
        /// Whether a vertex can get more influences than before.
        adds_influences: bool,
    },
    /// Motion of attached points on other surfaces.
    Surface(SurfaceMotion<'a>),
}

/// Data for fitting the vertices of one primitive.
#[derive(Debug)]
pub(super) struct PrimitiveFit<'a> {
    pub target: FitTarget<'a>,
    pub palettes: &'a PosePalettes,
    pub shape: MorphedPositions<'a>,
    pub start: &'a WeightMap,
    /// Constraints on the new weights.
    pub rule: WeightConstraints<'a>,
}

impl PrimitiveFit<'_> {
    /// Fits one vertex. Returns `None` if the vertex has no weight before the change, or has a
    /// non-finite position in any pose.
    pub fn fit(&self, vertex: usize, scratch: &mut FitScratch) -> Option<VertexFit> {
        self.find_target(vertex, scratch)?;
        self.find_candidates(vertex, scratch)?;
        let start = self.errors(scratch, |c| c.start);
        let kept = VertexFit { start, fitted: start, is_changed: false };
        let n = self.palettes.poses();
        let reach = scratch.target.iter().fold(0.0, |reach: f64, v| reach.max(v.abs()));
        if start.squares <= to_f64(n) * (ROUNDING * reach).powi(2) {
            return Some(kept);
        }
        let most = match self.target {
            FitTarget::Weights { adds_influences: false, .. } => {
                scratch.old.iter().filter(|(_, w)| *w > 0.0).count().max(1)
            }
            FitTarget::Weights { .. } | FitTarget::Surface(_) => usize::MAX,
        };
        let most = most.min(self.rule.limit);
        self.solve(start.squares, most, scratch);
        let rule = WeightConstraints { limit: most, ..self.rule };
        if normalize(&mut scratch.list, &rule).is_err() {
            return Some(kept);
        }
        let list = scratch.list.clone();
        let fitted = self.errors(scratch, |c| f64::from(list.get(c.joint)));
        let is_changed = fitted.squares < start.squares * (1.0 - LEAST_GAIN);
        Some(if is_changed { VertexFit { start, fitted, is_changed } } else { kept })
    }

    /// Computes the target positions `p*` in all poses.
    fn find_target(&self, vertex: usize, scratch: &mut FitScratch) -> Option<()> {
        let FitScratch { old, points, target, moved, corners, .. } = scratch;
        let n = self.palettes.poses();
        moved.resize(3 * n, 0.0);
        let (palettes, shape, weights) = match &self.target {
            FitTarget::Weights { palettes, shape, weights, .. } => (palettes, shape, weights),
            FitTarget::Surface(surface) => {
                self.shape.write(vertex, n, points);
                return surface.write(vertex, points, target, old, corners);
            }
        };
        read(weights, vertex, palettes.joints(), old);
        if old.is_empty() {
            return None;
        }
        shape.write(vertex, n, points);
        target.clear();
        target.resize(3 * n, 0.0);
        for (joint, weight) in old.iter() {
            palettes.transform(*joint, points, moved);
            add_scaled(target, moved, *weight);
        }
        target.iter().all(|v| v.is_finite()).then_some(())
    }

    /// Collects all candidate joints, with their offsets from the target.
    fn find_candidates(&self, vertex: usize, scratch: &mut FitScratch) -> Option<()> {
        let FitScratch { old, start, points, target, offsets, candidates, .. } = scratch;
        let size = target.len();
        self.shape.write(vertex, self.palettes.poses(), points);
        candidates.clear();
        offsets.clear();
        let mut add = |joint: u16, start: f64, is_own: bool| {
            if candidates.iter().any(|c| c.joint == joint) {
                return true;
            }
            let row = offsets.len() / size;
            offsets.resize((row + 1) * size, 0.0);
            let offset = &mut offsets[row * size..];
            self.palettes.transform(joint, points, offset);
            offset.iter_mut().zip(target.iter()).for_each(|(a, b)| *a -= b);
            let error = dot(offset, offset);
            if error.is_finite() {
                candidates.push(Candidate { joint, start, is_own, row, error });
            }
            error.is_finite()
        };
        read(self.start, vertex, self.palettes.joints(), start);
        if !start.iter().all(|(joint, weight)| add(*joint, *weight, true)) {
            return None;
        }
        let FitTarget::Weights { joints, .. } = &self.target else {
            // `old` has the joints that move the triangle.
            old.iter().for_each(|(joint, _)| _ = add(*joint, 0.0, true));
            return Some(());
        };
        for (joint, _) in old.iter() {
            if let Some(joint) = joints.kept[usize::from(*joint)] {
                add(joint, 0.0, true);
            }
        }
        for (joint, _) in old.iter() {
            for joint in &joints.relatives[usize::from(*joint)] {
                add(*joint, 0.0, false);
            }
        }
        Some(())
    }

    /// Solves for the weights over the best candidates, and writes them to `list`. At most `most`
    /// weights are positive.
    fn solve(&self, start_squares: f64, most: usize, scratch: &mut FitScratch) {
        let FitScratch { target, offsets, candidates, list, .. } = scratch;
        let size = target.len();
        // Joints with an initial weight come first, so that they are always included.
        candidates.sort_by(|a, b| {
            let first = (b.start > 0.0, b.is_own).cmp(&(a.start > 0.0, a.is_own));
            first.then(a.error.total_cmp(&b.error)).then(a.joint.cmp(&b.joint))
        });
        let count = candidates.len().min(VARIABLES);
        let mut gram = [[0.0; VARIABLES]; VARIABLES];
        let mut toward = [0.0; VARIABLES];
        let row = |c: &Candidate| &offsets[c.row * size..][..size];
        for a in 0..count {
            toward[a] = candidates[a].start;
            gram[a][a] = candidates[a].error;
            for b in 0..a {
                gram[a][b] = dot(row(&candidates[a]), row(&candidates[b]));
                gram[b][a] = gram[a][b];
            }
        }
        let greatest = candidates[..count].iter().map(|c| c.error).fold(0.0, f64::max);
        let ridge = RIDGE * start_squares + LEAST_RIDGE * greatest;
        let program = SimplexProgram::new(count, &gram, &toward, ridge);
        let smallest = SMALLEST.max(f64::from(least(self.rule.encoding)));
        let mut weights = program.minimize_few((1 << count) - 1, most, smallest);
        // Dropping joints one by one can miss the initial set of joints, so this set is tried, too.
        let own = (0..count).filter(|k| toward[*k] > 0.0).fold(0u32, |set, k| set | 1 << k);
        if own != 0 && own.count_ones() as usize <= most {
            let kept = program.minimize_few(own, most, smallest);
            if program.value(&kept) < program.value(&weights) {
                weights = kept;
            }
        }
        list.clear();
        for (candidate, weight) in candidates.iter().zip(weights) {
            if weight > 0.0 {
                list.add(candidate.joint, to_single(weight));
            }
        }
    }

    /// Computes the errors for given weights of the candidates.
    fn errors(&self, scratch: &mut FitScratch, weight: impl Fn(&Candidate) -> f64) -> PoseErrors {
        let FitScratch { target, offsets, candidates, moved, .. } = scratch;
        let (n, size) = (self.palettes.poses(), target.len());
        moved.fill(0.0);
        let mut sum = 0.0;
        for candidate in candidates.iter() {
            let weight = weight(candidate);
            if weight != 0.0 {
                sum += weight;
                add_scaled(moved, &offsets[candidate.row * size..][..size], weight);
            }
        }
        // A weight sum other than 1 scales the position.
        add_scaled(moved, target, sum - 1.0);
        let mut errors = PoseErrors::default();
        for t in 0..n {
            let squared = moved[t].powi(2) + moved[n + t].powi(2) + moved[2 * n + t].powi(2);
            errors.squares += squared;
            errors.sum += squared.sqrt();
            errors.worst = errors.worst.max(squared.sqrt());
        }
        errors
    }
}
