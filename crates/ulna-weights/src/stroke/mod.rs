//! Strokes: a sequence of dabs. Each dab returns a sparse change of weights.
//!
//! For each vertex, a stroke stores the original weights and the strongest amount. Overlapping dabs
//! therefore do not accumulate. Brushes that mix all weights of a vertex change the current weights
//! instead, and are applied repeatedly while the button is held.

mod memory;
mod paint;
mod part;
mod vertex;

use std::{
    collections::{BTreeMap, HashSet},
    ops::Range,
};

use rayon::prelude::*;

pub use self::paint::{Dab, Paint};
use self::{
    memory::{Memory, Starts},
    part::{PartWork, Task, TaskResult},
    vertex::Work,
};
use super::{
    BrushKind, Influences, Maps, MirrorMap, PosedSurface, Reach, Refusal, Refused, SkinnedSurface,
    Touch, WeightConstraints,
    ids::{to_index, to_number},
    means::weighted_mean,
    normalize,
    reach::{AT_ONCE, Ball, ReachScratch, Sight, reach},
};
use ulna_geometry::PointId;
use ulna_model::WeightPatch;

/// Vertices per parallel task. A multiple of 64, so that two tasks never write the same word of
/// marks.
const CHUNK: usize = 8_192;

/// Vertices in a dab with their depth: 1 at the center, 0 at the rim.
type Hits = Vec<(u32, f32)>;

/// A stroke in progress.
#[derive(Debug, Default)]
pub struct Stroke {
    memory: Memory,
    /// One bit per vertex, set for the vertices of the current dab; all 0 between dabs.
    marks: Vec<u64>,
    /// One bit per vertex, set if the stroke mixed all weights of the vertex.
    mixed: Vec<u64>,
    /// Amounts of the current dab by vertex, for the brush and its mirror image; all 0 between
    /// dabs.
    amounts: Vec<[f32; 2]>,
    reach: ReachScratch,
    /// Vertices of the last dab, one list per task.
    hits: Vec<Hits>,
    /// Touch of the last dab; `None` before the first one.
    touch: Option<Touch>,
    refused: BTreeMap<Refusal, usize>,
}

/// Returns the number of a dab's vertices per task. Small dabs use fewer threads.
fn share_of(vertices: usize) -> usize {
    const FEWEST: usize = 2_048;
    (vertices / (4 * rayon::current_num_threads())).max(FEWEST)
}

impl Stroke {
    /// Creates a stroke without dabs.
    pub fn new(canvas: &SkinnedSurface) -> Self {
        let mut stroke = Self::default();
        stroke.begin(canvas);
        stroke
    }

    /// Starts a new stroke that reuses the memory of the last one.
    pub fn begin(&mut self, canvas: &SkinnedSurface) {
        let count = canvas.vertex_count();
        self.memory.clear(count);
        self.amounts.resize(count, [0.0; 2]);
        self.marks.resize(count.div_ceil(64), 0);
        self.mixed.clear();
        self.mixed.resize(count.div_ceil(64), 0);
        self.refused.clear();
        self.hits.clear();
        self.touch = None;
    }

    /// Returns the number of refused vertices by reason.
    pub const fn refused(&self) -> &BTreeMap<Refusal, usize> {
        &self.refused
    }

    /// Adds vertices whose change was refused after the dab.
    pub fn refuse(&mut self, refused: Refused) {
        refused.into_iter().for_each(|(why, count)| *self.refused.entry(why).or_default() += count);
    }

    /// Returns the vertices of the last dab, with their depth.
    pub fn last_hits(&self) -> impl Iterator<Item = (u32, f32)> {
        self.hits.iter().flatten().copied()
    }

    /// Whether the radius of the last dab includes vertices that are not connected to the painted
    /// ones. A brush along the surface does not reach such vertices.
    pub fn ends_with_piece(&self, canvas: &SkinnedSurface, posed: PosedSurface<'_>) -> bool {
        let Some(ball) = self.touch.as_ref().and_then(Ball::new) else { return false };
        let mut piece: HashSet<PointId> =
            self.last_hits().map(|(v, _)| canvas.point_of(v)).collect();
        if piece.is_empty() {
            return false;
        }
        let near = posed.vertices_where(|_, at| ball.depth_of(at).is_some());
        let mut others: HashSet<PointId> = near.into_iter().map(|v| canvas.point_of(v)).collect();
        others.retain(|point| !piece.contains(point));
        let mut todo: Vec<PointId> = piece.iter().copied().collect();
        while let Some(point) = todo.pop().filter(|_| !others.is_empty()) {
            for next in canvas.ring(point) {
                if piece.insert(*next) {
                    others.remove(next);
                    todo.push(*next);
                }
            }
        }
        !others.is_empty()
    }

    /// Computes the changes of a dab, by part of the surface. A part can occur several times. Each
    /// changed vertex occurs once; unchanged vertices do not occur.
    pub fn dab(
        &mut self,
        maps: &Maps<'_>,
        canvas: &SkinnedSurface,
        posed: PosedSurface<'_>,
        dab: &Dab<'_>,
        paint: &Paint<'_>,
    ) -> Vec<(usize, WeightPatch)> {
        self.dab_where(maps, canvas, posed, dab, paint, None)
    }

    /// Computes the changes of a dab like [`Stroke::dab`], only for vertices that `seen` accepts.
    pub fn dab_where(
        &mut self,
        maps: &Maps<'_>,
        canvas: &SkinnedSurface,
        posed: PosedSurface<'_>,
        dab: &Dab<'_>,
        paint: &Paint<'_>,
        seen: Option<&(dyn Fn(u32) -> bool + Sync)>,
    ) -> Vec<(usize, WeightPatch)> {
        let (brush, touch) = (&paint.brush, &dab.touch);
        self.touch = Some(*touch);
        let pressure = if brush.pressure { dab.pressure.clamp(0.0, 1.0) } else { 1.0 };
        let strength = brush.strength * pressure;
        let mut work = Work { canvas, maps, posed, paint, motion: dab.motion, average: None };
        let once = brush.kind.is_of_one_joint() && !brush.build_up;
        let sight = Sight::new(canvas, posed, touch, brush.front_only);
        // If the result of a vertex does not depend on the other vertices, finding and painting
        // them takes one pass.
        let alone = paint.mirror.is_none() && brush.kind != BrushKind::Average;
        let quick = alone && brush.reach == Reach::Volume && seen.is_none();
        let done = match (dab.near.filter(|_| quick), Ball::new(touch)) {
            (Some(near), Some(ball)) => self.paint_near(&work, near, &ball, &sight, once, strength),
            _ => {
                let mut hits = self.hits.drain(..).next().unwrap_or_default();
                reach(
                    canvas,
                    posed,
                    touch,
                    dab.near,
                    brush.reach,
                    &sight,
                    &mut self.reach,
                    &mut hits,
                );
                if let Some(seen) = seen {
                    hits =
                        hits.into_par_iter().with_min_len(256).filter(|(v, _)| seen(*v)).collect();
                }
                let done = if alone {
                    self.paint_hits(&work, &hits, once, strength)
                } else {
                    let chunks = self.mark(&work, &hits, |p| brush.falloff.at(p) * strength);
                    if brush.kind == BrushKind::Average {
                        work.average =
                            Some(weighted_mean(maps, canvas.joints().len(), hits.iter().copied()));
                    }
                    self.paint_marked(&work, chunks, once)
                };
                self.hits.push(hits);
                done
            }
        };
        let mut patches = Vec::with_capacity(done.len());
        let mut lists = Vec::with_capacity(done.len());
        for done in done {
            lists.push(done.fresh);
            for why in done.refused {
                *self.refused.entry(why).or_default() += 1;
            }
            patches.extend(done.pieces.into_iter().map(|piece| (piece.part, piece.patch)));
        }
        self.memory.keep(lists);
        if !brush.kind.is_of_one_joint() {
            for (part, patch) in &patches {
                let first = canvas.parts()[*part].first;
                patch
                    .vertices
                    .iter()
                    .map(|v| first + v)
                    .for_each(|v| self.mixed[to_index(v) / 64] |= 1 << (v % 64));
            }
        }
        patches
    }

    /// Returns the changes at the end of a stroke, by part of the surface. Negligible weights are
    /// dropped at vertices whose weights were all mixed.
    pub fn end(
        &self,
        maps: &Maps<'_>,
        canvas: &SkinnedSurface,
        paint: &Paint<'_>,
    ) -> Vec<(usize, WeightPatch)> {
        let mut patches: Vec<(usize, WeightPatch)> = Vec::new();
        let mut list = Influences::default();
        let words = (0u32..).zip(&self.mixed).filter(|(_, word)| **word != 0);
        for vertex in words.flat_map(|(k, word)| {
            (0..64).filter(move |b| word >> b & 1 == 1).map(move |b| k * 64 + b)
        }) {
            let (joints, weights) = maps.slots(vertex);
            let (part, own) = canvas.part_of(vertex);
            let map = maps.part(part);
            let least = normalize::least(map.encoding);
            if !weights.iter().any(|w| *w > 0.0 && *w < least) {
                continue;
            }
            let (point, pairs) =
                (canvas.point_of(vertex), paint.mirror.map_or(&[][..], MirrorMap::joints));
            let partner = paint.mirror.and_then(|m| m.point(point));
            let rule = WeightConstraints {
                locked: paint.locked,
                parents: canvas.parents(),
                limit: paint.limit.clamp(1, map.stride()),
                encoding: map.encoding,
                pairs,
                turned: partner.is_some_and(|p| p < point),
            };
            let dropped = list
                .read(joints, weights, &rule)
                .and_then(|()| normalize::drop_traces(&mut list, &rule));
            let done = match dropped {
                Ok(true) if partner == Some(point) => {
                    normalize::equalize(&mut list, &[], &rule).is_ok()
                }
                Ok(done) => done,
                // A vertex that cannot be normalized without its negligible weights keeps them.
                Err(_) => false,
            };
            if !done {
                continue;
            }
            if patches.last().is_none_or(|(last, _)| *last != part) {
                patches.push((part, WeightPatch::new(map.sets, 64)));
            }
            if let Some((_, patch)) = patches.last_mut() {
                let at = patch.joints.len();
                patch.joints.resize(at + map.stride(), 0);
                patch.weights.resize(at + map.stride(), 0.0);
                list.write(&mut patch.joints[at..], &mut patch.weights[at..]);
                patch.vertices.push(own);
            }
        }
        patches
    }

    /// Paints the vertices of `near` that are within a sphere.
    fn paint_near(
        &mut self,
        work: &Work<'_>,
        near: &[u32],
        ball: &Ball,
        sight: &Sight<'_>,
        once: bool,
        strength: f32,
    ) -> Vec<TaskResult> {
        let parts: Vec<PartWork<'_>> =
            (0..work.canvas.parts().len()).map(|k| PartWork::new(work, k)).collect();
        let each = share_of(near.len());
        let tasks = near.len().div_ceil(each);
        let lists = self.memory.lend(tasks);
        self.hits.resize_with(tasks, Vec::new);
        let memory = once.then_some(&self.memory);
        let run = |(near, (hits, fresh)): (&[u32], (&mut Hits, Starts))| {
            let mut task = Task::new(&parts, memory, fresh, near.len());
            hits.clear();
            hits.reserve(near.len());
            let falloff = &work.paint.brush.falloff;
            for near in near.chunks(AT_ONCE) {
                sight.within(ball, falloff, near, |vertex, depth, value| {
                    hits.push((vertex, depth));
                    let amount = value * strength;
                    if amount > 0.0 {
                        task.paint(vertex, [amount, 0.0]);
                    }
                });
            }
            task.end()
        };
        if tasks < 2 {
            near.chunks(each).zip(self.hits.iter_mut().zip(lists)).map(run).collect()
        } else {
            near.par_chunks(each).zip(self.hits.par_iter_mut().zip(lists)).map(run).collect()
        }
    }

    /// Paints vertices by their depth. Each vertex must occur once.
    fn paint_hits(
        &mut self,
        work: &Work<'_>,
        hits: &[(u32, f32)],
        once: bool,
        strength: f32,
    ) -> Vec<TaskResult> {
        let parts: Vec<PartWork<'_>> =
            (0..work.canvas.parts().len()).map(|k| PartWork::new(work, k)).collect();
        let each = share_of(hits.len());
        let lists = self.memory.lend(hits.len().div_ceil(each));
        let memory = once.then_some(&self.memory);
        let falloff = &work.paint.brush.falloff;
        let run = |(hits, fresh): (&[(u32, f32)], Starts)| {
            let mut task = Task::new(&parts, memory, fresh, hits.len());
            for (vertex, depth) in hits {
                let amount = falloff.at(*depth) * strength;
                if amount > 0.0 {
                    task.paint(*vertex, [amount, 0.0]);
                }
            }
            task.end()
        };
        if lists.len() < 2 {
            hits.chunks(each).zip(lists).map(run).collect()
        } else {
            hits.par_chunks(each).zip(lists).map(run).collect()
        }
    }

    /// Paints the marked vertices of several chunks.
    fn paint_marked(
        &mut self,
        work: &Work<'_>,
        chunks: Range<usize>,
        once: bool,
    ) -> Vec<TaskResult> {
        let parts: Vec<PartWork<'_>> =
            (0..work.canvas.parts().len()).map(|k| PartWork::new(work, k)).collect();
        let within = |each: usize, len: usize| chunks.start * each..(chunks.end * each).min(len);
        let (words, vertices) =
            (within(CHUNK / 64, self.marks.len()), within(CHUNK, self.amounts.len()));
        let lists = self.memory.lend(chunks.len());
        let memory = once.then_some(&self.memory);
        self.marks[words]
            .par_chunks_mut(CHUNK / 64)
            .zip(self.amounts[vertices].par_chunks_mut(CHUNK))
            .zip(lists)
            .enumerate()
            .with_min_len((chunks.len() / 4).max(1))
            .map(|(k, ((marks, amounts), fresh))| {
                let first = to_number((chunks.start + k) * CHUNK);
                let count: u32 = marks.iter().map(|word| word.count_ones()).sum();
                let mut task = Task::new(&parts, memory, fresh, to_index(count));
                for (word, mark) in marks.iter_mut().enumerate() {
                    let mut bits = std::mem::take(mark);
                    while bits != 0 {
                        let k = word * 64 + to_index(bits.trailing_zeros());
                        bits &= bits - 1;
                        task.paint(first + to_number(k), std::mem::take(&mut amounts[k]));
                    }
                }
                task.end()
            })
            .collect()
    }

    /// Marks vertices, and records their amounts on both sides. Returns the range of chunks with
    /// marks.
    fn mark(
        &mut self,
        work: &Work<'_>,
        hits: &[(u32, f32)],
        amount: impl Fn(f32) -> f32,
    ) -> Range<usize> {
        let (canvas, mirror) = (work.canvas, work.paint.mirror);
        // Missing and hidden vertices are not painted on the mirrored side either.
        let is_there =
            |v: &&u32| work.posed.positions.get(to_index(**v)).is_some_and(|p| !p.is_nan());
        let (mut low, mut high) = (u32::MAX, 0);
        let mut mark = |v: u32, side: usize, a: f32| {
            (low, high) = (low.min(v), high.max(v));
            self.marks[to_index(v) / 64] |= 1 << (v % 64);
            let most = &mut self.amounts[to_index(v)][side];
            *most = if a > *most { a } else { *most };
        };
        for (v, a) in hits.iter().map(|(v, p)| (v, amount(*p))).filter(|(_, a)| *a > 0.0) {
            mark(*v, 0, a);
            if let Some(point) = mirror.and_then(|m| m.point(canvas.point_of(*v))) {
                canvas
                    .vertices_at(point)
                    .iter()
                    .filter(is_there)
                    .for_each(|other| mark(*other, 1, a));
            }
        }
        if low > high { 0..0 } else { to_index(low) / CHUNK..to_index(high) / CHUNK + 1 }
    }
}
