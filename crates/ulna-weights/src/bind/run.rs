//! Runs the binding methods in order until every vertex has weights.

use std::sync::atomic::{AtomicBool, Ordering};

use rayon::prelude::*;

use super::{
    BindBone, BindError, BindMethod, BindMirror, BindPiece, BindRequest, BindSettings,
    BoundWeights, PieceMethod, RigidProposal,
    bones::envelope_radii,
    distance::by_bones,
    heat::heat,
    joint_weight::{JointWeight, PointWeights},
    nearest::SolvedSurface,
    sight::{PointSight, sights},
    simplified::SimplifiedSurface,
    surface::BindSurface,
    voxel::voxel,
};
use crate::{
    Influences, MOST, WeightConstraints,
    ids::{to_f32, to_index},
    normalize::prune,
};
use ulna_geometry::PointId;
use ulna_model::{JointSlot, Slice, WeightEncoding, WeightMap};

/// Minimum fraction of a piece's points that the voxel method must reach. Otherwise, the piece
/// counts as unsolved.
const LEAST_REACHED: f32 = 0.5;
/// Minimum fraction of a piece's weight on one joint, from which the bind proposes to make the
/// piece rigid.
const LEAST_CONFIDENCE: f32 = 0.5;

/// Computes weights for unweighted meshes. `progress` is called from any thread with the completed
/// fraction, `0..=1`.
///
/// Every vertex gets weights, whatever the meshes and bones are.
///
/// # Errors
/// There are no bones, or `cancel` was set.
pub fn bind_weights(
    request: &BindRequest<'_>,
    progress: &(dyn Fn(f32) + Sync),
    cancel: &AtomicBool,
) -> Result<BoundWeights, BindError> {
    let first = request.bones.first().ok_or(BindError::NoBones)?;
    let settings = BindSettings {
        sharpness: in_range(request.settings.sharpness, 0.05, 100.0, 2.0),
        grid: request.settings.grid.clamp(16, 256),
        limit: request.settings.limit.clamp(1, 16),
        prune: in_range(request.settings.prune, 0.0, 0.5, 0.01),
        ..request.settings
    };
    let surface = BindSurface::new(request.meshes, request.bones);
    let mut bones = surface.unit_bones(request.bones);
    if bones.is_empty() {
        bones.push(BindBone { joint: first.joint, ..BindBone::default() });
    }
    bones.sort_by_key(|b| b.joint);
    let mut chain = Chain::new(&surface, &bones, &settings, cancel);
    match settings.most_points.filter(|most| surface.points.len() > *most) {
        Some(most) => chain.run_simplified(most, progress)?,
        None => chain.run(progress)?,
    }
    let sides = request.mirror.map(|mirror| chain.average(mirror)).unwrap_or_default();
    let weights = finished(&chain.weights, &settings, &sides, cancel)?;
    let result = chain.result(&weights);
    progress(1.0);
    Ok(result)
}

/// Clamps a number to a range. Returns `other` if it is NaN.
const fn in_range(value: f32, low: f32, high: f32, other: f32) -> f32 {
    if value.is_nan() { other } else { value.clamp(low, high) }
}

/// Mirror mapping of points and joints, for symmetric weights; both lists are empty without
/// symmetry.
#[derive(Default)]
struct PointSides {
    /// Point at the mirrored position of each point.
    other: Vec<Option<usize>>,
    /// Mirror joint of each joint; a center joint is its own mirror joint.
    pairs: Vec<Option<JointSlot>>,
}

/// Returns the number of influences to keep. Influences of equal strength are kept or dropped
/// together. Otherwise, rounding would choose one side at the center of a body. Returns `most` if
/// all are equal.
fn kept(most: usize, strongest: &[JointWeight]) -> usize {
    /// Minimum ratio of two weights that are treated as equal.
    const ALIKE: f32 = 0.99;
    if strongest.len() <= most {
        return most;
    }
    let is_last = |k: &usize| strongest[*k].1 < strongest[*k - 1].1 * ALIKE;
    (1..=most).rev().find(is_last).unwrap_or(most)
}

/// The binding methods with their common input, and the weights found so far.
struct Chain<'a> {
    surface: &'a BindSurface,
    /// Bones in unit space, sorted by joint.
    bones: &'a [BindBone],
    settings: &'a BindSettings,
    cancel: &'a AtomicBool,
    /// Weights of each point; empty until the point is solved.
    weights: Vec<Vec<JointWeight>>,
    /// Method of each piece; `None` until the piece is solved.
    methods: Vec<Option<PieceMethod>>,
    /// Fraction of points that see no bone, per piece.
    hidden: Vec<f32>,
}

impl<'a> Chain<'a> {
    fn new(
        surface: &'a BindSurface,
        bones: &'a [BindBone],
        settings: &'a BindSettings,
        cancel: &'a AtomicBool,
    ) -> Self {
        Self {
            surface,
            bones,
            settings,
            cancel,
            weights: vec![Vec::new(); surface.points.len()],
            methods: vec![None; surface.piece_points.len()],
            hidden: vec![0.0; surface.piece_points.len()],
        }
    }

    fn run(&mut self, progress: &(dyn Fn(f32) + Sync)) -> Result<(), BindError> {
        progress(0.05);
        if matches!(self.settings.method, BindMethod::Auto | BindMethod::Heat) {
            self.run_heat(progress)?;
        }
        if self.settings.method != BindMethod::Distance && self.methods.contains(&None) {
            self.run_voxel(&|part| progress(0.8 + 0.15 * part))?;
        }
        if self.settings.method != BindMethod::Distance {
            self.run_nearest()?;
        }
        progress(0.95);
        self.run_distance()
    }

    /// Binds a simplified surface. Each point of the full surface gets the weights of the nearest
    /// point of the simplified one.
    fn run_simplified(
        &mut self,
        most: usize,
        progress: &(dyn Fn(f32) + Sync),
    ) -> Result<(), BindError> {
        /// Maximum number of voxels along the longest side.
        const GRID: usize = 48;
        let simple = SimplifiedSurface::new(self.surface, most);
        let settings = BindSettings { grid: self.settings.grid.min(GRID), ..*self.settings };
        let mut chain = Chain::new(&simple.surface, self.bones, &settings, self.cancel);
        chain.run(&|part| progress(0.8 * part))?;
        let source = SolvedSurface::new(&simple.surface, &chain.weights);
        let of = |point: usize| -> Vec<JointWeight> {
            let Some(own) = simple.point_of[point] else { return Vec::new() };
            let piece = |joined: u32| simple.surface.piece_of[to_index(joined)];
            let is_own = |corner: u32| piece(corner) == self.surface.piece_of[point];
            let found = source.weights_where(self.surface.points[point], is_own);
            found.unwrap_or_else(|| chain.weights[to_index(own)].clone())
        };
        self.weights = (0..self.weights.len()).into_par_iter().with_min_len(256).map(of).collect();
        let has_points = |piece: usize| simple.surface.piece_points[piece] > 0;
        for piece in (0..self.methods.len()).filter(|piece| has_points(*piece)) {
            (self.methods[piece], self.hidden[piece]) = (chain.methods[piece], chain.hidden[piece]);
        }
        if self.settings.method != BindMethod::Distance {
            self.run_nearest()?;
        }
        self.run_distance()
    }

    fn run_heat(&mut self, progress: &(dyn Fn(f32) + Sync)) -> Result<(), BindError> {
        let sights = sights(self.surface, self.bones, self.cancel)?;
        progress(0.3);
        let wanted = self.warm_pieces(&sights);
        if !wanted.contains(&true) {
            return Ok(());
        }
        let report = |part: f32| progress(0.3 + 0.5 * part);
        let found = heat(self.surface, &sights, &wanted, self.settings, (&report, self.cancel))?;
        self.take(found.unwrap_or_default(), PieceMethod::Heat, 0.0);
        Ok(())
    }

    /// Finds the pieces that heat can solve: pieces with a point that sees a bone. In measurements,
    /// heat was closer to painted weights than voxels, even for mostly hidden pieces.
    fn warm_pieces(&mut self, sights: &[PointSight]) -> Vec<bool> {
        for (piece, sight) in self.surface.piece_of.iter().zip(sights) {
            if let Some(piece) = piece.map(to_index) {
                self.hidden[piece] += if sight.is_hidden() { 1.0 } else { 0.0 };
            }
        }
        for (hidden, points) in self.hidden.iter_mut().zip(&self.surface.piece_points) {
            *hidden /= to_f32(to_index(*points)).max(1.0);
        }
        self.hidden.iter().map(|hidden| *hidden < 1.0).collect()
    }

    fn run_voxel(&mut self, progress: &(dyn Fn(f32) + Sync)) -> Result<(), BindError> {
        let wanted: Vec<bool> = self.methods.iter().map(Option::is_none).collect();
        let grid = self.settings.grid;
        let found = voxel(self.surface, self.bones, &wanted, grid, (progress, self.cancel))?;
        self.take(found, PieceMethod::Voxel, LEAST_REACHED);
        Ok(())
    }

    /// Adopts the weights that a method found. A piece counts as solved if at least the fraction
    /// `least_solved` of its points has weights.
    fn take(&mut self, found: Vec<PointWeights>, method: PieceMethod, least_solved: f32) {
        let piece = |point: usize| self.surface.piece_of[point].map(to_index);
        let mut solved = vec![0usize; self.methods.len()];
        let with_weights = found.iter().filter(|(_, list)| !list.is_empty());
        with_weights.filter_map(|(point, _)| piece(*point)).for_each(|k| solved[k] += 1);
        for (k, count) in solved.iter().enumerate().filter(|(_, count)| **count > 0) {
            let points = to_f32(to_index(self.surface.piece_points[k]));
            if to_f32(*count) >= points * least_solved {
                self.methods[k] = Some(method);
            }
        }
        for (point, list) in found {
            if piece(point).is_some_and(|k| self.methods[k] == Some(method)) {
                self.weights[point] = list;
            }
        }
    }

    /// Copies the weights of the nearest solved point to each point without weights.
    fn run_nearest(&mut self) -> Result<(), BindError> {
        if !self.methods.iter().any(Option::is_some) {
            return Ok(());
        }
        let open: Vec<usize> = self.open_points().collect();
        if open.is_empty() {
            return Ok(());
        }
        let source = SolvedSurface::new(self.surface, &self.weights);
        let lists: Vec<Vec<JointWeight>> = open
            .par_iter()
            .with_min_len(256)
            .map(|k| {
                let point = self.surface.points[*k];
                if self.cancel.load(Ordering::Relaxed) {
                    return Err(BindError::Canceled);
                }
                Ok(if point.is_finite() { source.weights(point) } else { Vec::new() })
            })
            .collect::<Result<_, _>>()?;
        for (point, list) in open.into_iter().zip(lists).filter(|(_, list)| !list.is_empty()) {
            self.weights[point] = list;
            if let Some(piece) = self.surface.piece_of[point] {
                self.methods[to_index(piece)].get_or_insert(PieceMethod::Nearest);
            }
        }
        Ok(())
    }

    fn run_distance(&mut self) -> Result<(), BindError> {
        let open: Vec<usize> = self.open_points().collect();
        let envelope =
            self.settings.envelope.filter(|_| self.settings.method == BindMethod::Distance);
        let radii = envelope.map(|factor| envelope_radii(self.bones, factor));
        let lists: Vec<Vec<JointWeight>> = open
            .par_iter()
            .with_min_len(256)
            .map(|k| {
                if self.cancel.load(Ordering::Relaxed) {
                    return Err(BindError::Canceled);
                }
                Ok(by_bones(self.bones, radii.as_deref(), self.surface.points[*k]))
            })
            .collect::<Result<_, _>>()?;
        open.into_iter().zip(lists).for_each(|(point, list)| self.weights[point] = list);
        for method in &mut self.methods {
            method.get_or_insert(PieceMethod::Distance);
        }
        Ok(())
    }

    /// Averages the weights of each point with those of its mirror image.
    fn average(&mut self, mirror: &BindMirror) -> PointSides {
        let point_at = |(mesh, vertex): (u32, u32)| {
            self.surface.point_of.get(to_index(mesh))?.get(to_index(vertex)).map(|p| p.index())
        };
        let mut other = vec![None; self.weights.len()];
        for (points, vertices) in self.surface.point_of.iter().zip(&mirror.vertices) {
            for (point, vertex) in points.iter().zip(vertices) {
                let found = vertex.and_then(point_at);
                other[point.index()] = other[point.index()].or(found);
            }
        }
        let across = |joint: JointSlot| mirror.joints.get(joint.index()).copied().unwrap_or(joint);
        let mean = |point: usize| {
            let own = self.weights[point].clone();
            let Some(other) = other[point] else { return own };
            let turned = self.weights[other].iter().map(|(joint, w)| (across(*joint), *w));
            let mut all: Vec<JointWeight> = own.into_iter().chain(turned).collect();
            all.sort_by_key(|(joint, _)| *joint);
            all.chunk_by(|a, b| a.0 == b.0)
                .map(|list| (list[0].0, list.iter().map(|(_, w)| w).sum::<f32>() * 0.5))
                .collect()
        };
        self.weights = (0..self.weights.len()).into_par_iter().map(mean).collect();
        let pair = |joint: &JointSlot| Some(*joint);
        PointSides { other, pairs: mirror.joints.iter().map(pair).collect() }
    }

    fn open_points(&self) -> impl Iterator<Item = usize> {
        (0..self.weights.len()).filter(|k| self.weights[*k].is_empty())
    }

    /// Returns, per piece, the joint with the most weight and the fraction of the weight on it.
    fn proposals(&self) -> Vec<Option<RigidProposal>> {
        let mut points: Vec<(usize, usize)> = (self.surface.piece_of.iter().enumerate())
            .filter_map(|(point, piece)| Some((to_index((*piece)?), point)))
            .collect();
        points.sort_unstable();
        let mut proposals = vec![None; self.methods.len()];
        let joints = self.bones.last().map_or(0, |b| b.joint.index() + 1);
        // `own` lists the joints with a nonzero sum.
        let mut sums = vec![0.0f32; joints];
        let mut own: Vec<JointSlot> = Vec::new();
        for list in points.chunk_by(|a, b| a.0 == b.0) {
            for (_, point) in list {
                // All points of a piece without area have the same minimum area, so they count
                // equally.
                let area = self.surface.areas[*point].max(f32::MIN_POSITIVE);
                for (joint, weight) in &self.weights[*point] {
                    let sum = &mut sums[joint.index()];
                    if *sum == 0.0 {
                        own.push(*joint);
                    }
                    *sum += weight * area;
                }
            }
            own.sort_unstable();
            own.dedup();
            let total: f32 = own.iter().map(|j| sums[j.index()]).sum();
            let strongest = own
                .iter()
                .max_by(|a, b| sums[a.index()].total_cmp(&sums[b.index()]).then(b.cmp(a)));
            proposals[list[0].0] = strongest
                .map(|j| (*j, (sums[j.index()] / total).min(1.0)))
                .filter(|(_, confidence)| *confidence >= LEAST_CONFIDENCE)
                .map(|(joint, confidence)| RigidProposal { joint, confidence });
            own.drain(..).for_each(|j| sums[j.index()] = 0.0);
        }
        proposals
    }

    fn result(&self, weights: &[Vec<JointWeight>]) -> BoundWeights {
        let sets = self.settings.limit.div_ceil(4);
        let points = &self.surface.point_of;
        let mut vertices = vec![0usize; self.methods.len()];
        let piece_of: Vec<Vec<Option<u32>>> = points
            .iter()
            .map(|list| list.iter().map(|p| self.surface.piece_of[p.index()]).collect())
            .collect();
        let all = piece_of.iter().flatten();
        all.clone().flatten().for_each(|k| vertices[to_index(*k)] += 1);
        let loose = all.filter(|p| p.is_none()).count();
        let proposals = self.proposals();
        let piece = |k: usize| BindPiece {
            method: self.methods[k].unwrap_or(PieceMethod::Distance),
            vertices: vertices[k],
            hidden: self.hidden[k],
            rigid: proposals[k],
        };
        BoundWeights {
            maps: points.iter().map(|points| weight_map(points, weights, sets)).collect(),
            pieces: (0..self.methods.len()).map(piece).collect(),
            piece_of,
            loose,
        }
    }
}

/// Returns the final weights of each point: pruned, limited and normalized.
fn finished(
    weights: &[Vec<JointWeight>],
    settings: &BindSettings,
    sides: &PointSides,
    cancel: &AtomicBool,
) -> Result<Vec<Vec<JointWeight>>, BindError> {
    let joints = weights.iter().flatten().map(|(j, _)| j.index() + 1).max().unwrap_or(0);
    let locked = vec![false; joints];
    let rule = WeightConstraints {
        locked: &locked,
        parents: &[],
        limit: settings.limit,
        encoding: WeightEncoding::Float,
        pairs: &sides.pairs,
        turned: false,
    };
    let one = |(point, list): (usize, &Vec<JointWeight>)| {
        if cancel.load(Ordering::Relaxed) {
            return Err(BindError::Canceled);
        }
        let mut strongest = list.clone();
        let other = sides.other.get(point).copied().flatten();
        let rule = WeightConstraints { turned: other.is_some_and(|other| point > other), ..rule };
        let rank = |joint: JointSlot| rule.rank(joint.0);
        strongest.sort_by(|a, b| b.1.total_cmp(&a.1).then(rank(a.0).cmp(&rank(b.0))));
        strongest.truncate(MOST);
        let limit = kept(settings.limit, &strongest);
        let rule = WeightConstraints { limit, ..rule };
        let sum: f32 = strongest.iter().map(|(_, w)| w).sum();
        let mut influences = Influences::default();
        strongest.iter().for_each(|(joint, w)| influences.add(joint.0, w / sum));
        // No joint is locked, so the strongest joint always receives the remaining weight.
        let is_normalized = prune(&mut influences, settings.prune, &rule).is_ok();
        let kept = influences.iter().map(|(j, w)| (JointSlot(j), w)).collect();
        Ok(if is_normalized { kept } else { vec![(strongest[0].0, 1.0)] })
    };
    weights.par_iter().enumerate().with_min_len(1024).map(one).collect()
}

/// Builds the weights of a mesh from the weights of its vertices' points.
fn weight_map(points: &[PointId], weights: &[Vec<JointWeight>], sets: usize) -> WeightMap {
    let stride = sets * 4;
    let mut joints = vec![0; points.len() * stride];
    let mut values = vec![0.0; points.len() * stride];
    let rows = joints.chunks_exact_mut(stride).zip(values.chunks_exact_mut(stride));
    for (point, (joints, values)) in points.iter().zip(rows) {
        let list = &weights[point.index()];
        for ((joint, weight), to) in list.iter().zip(joints.iter_mut().zip(values)) {
            (*to.0, *to.1) = (joint.0, *weight);
        }
    }
    WeightMap {
        sets,
        joints: Slice::from(joints),
        weights: Slice::from(values),
        encoding: WeightEncoding::Float,
        not_numbers: [].into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joints_tied_with_a_removed_joint_are_removed_too() {
        let count = |most: usize, weights: &[f32]| {
            let list: Vec<JointWeight> =
                JointSlot::first(weights.len()).zip(weights.iter().copied()).collect();
            kept(most, &list)
        };
        assert_eq!(count(4, &[0.3, 0.2, 0.2, 0.15, 0.15]), 3);
        assert_eq!(count(4, &[0.3, 0.2, 0.2, 0.16, 0.14]), 4);
        assert_eq!(count(2, &[0.4, 0.2, 0.2, 0.2]), 1);
        assert_eq!(count(4, &[0.25; 4]), 4);
        assert_eq!(count(1, &[0.5, 0.5]), 1);
    }
}
