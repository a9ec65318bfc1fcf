//! A working copy of a surface's weights. Tools change it, and the difference becomes edits.

use std::collections::BTreeMap;

use rayon::prelude::*;

use super::{
    Influences, Maps, Refusal, SkinnedSurface, SurfacePart, WeightConstraints,
    faults::fault_of,
    ids::{numbers, to_index, to_number},
    influences::slots_of,
    normalize,
    normalize::{LANES, LaneGroup, SimdNormalizer},
};
use ulna_model::{Document, WeightMap, WeightPatch};

/// Vertices, locks and limits for one run of a tool.
#[derive(Clone, Copy, Debug)]
pub struct Scope<'a> {
    /// Whether each joint of the skin is locked.
    pub locked: &'a [bool],
    /// Maximum number of influences per vertex.
    pub limit: usize,
    /// Whether each vertex of the surface is selected; `None` selects all.
    pub vertices: Option<&'a [bool]>,
}

impl Scope<'_> {
    /// Whether a vertex of the surface is selected.
    #[inline]
    pub fn has(&self, vertex: u32) -> bool {
        self.vertices.is_none_or(|list| list[to_index(vertex)])
    }

    /// Whether any vertex of a part is selected.
    pub(super) fn has_any(&self, part: &SurfacePart) -> bool {
        let own = to_index(part.first)..to_index(part.first + part.count);
        self.vertices.is_none_or(|list| list[own].contains(&true))
    }
}

/// Number of vertices that stayed unchanged, by reason.
pub type Refused = BTreeMap<Refusal, usize>;

/// Counts the refused vertices by reason.
pub(super) fn tally(refused: &[(u32, Refusal)]) -> Refused {
    let mut tally = Refused::new();
    refused.iter().for_each(|(_, why)| *tally.entry(*why).or_default() += 1);
    tally
}

/// Changed weights of one part.
#[derive(Clone, Debug, PartialEq)]
pub enum PartChange {
    /// New weights of some vertices.
    Patch(WeightPatch),
    /// A new weight map for the whole part.
    Whole(WeightMap),
}

/// A working copy of the weights of a surface, for tools.
#[derive(Clone, Debug)]
pub struct WorkingWeights<'a> {
    pub(super) canvas: &'a SkinnedSurface,
    pub(super) maps: Vec<WeightMap>,
}

/// Vertices per parallel task.
const CHUNK: usize = 4_096;

/// A vectorized version of a tool, for vertices with four float weights. Its results equal those of
/// the general version bit for bit. All other vertices use the general version.
pub(super) enum Fast<'a> {
    None,
    /// Changes a group of vertices in place. The last argument has their vertex indices.
    Group(&'a (dyn Fn(&SimdNormalizer, &mut LaneGroup, &[u32]) + Sync)),
    /// Changes a group like `Group`, and also reads the weights of vertices outside the group.
    Others(&'a Others<'a>),
}

type Others<'a> = dyn Fn(&SimdNormalizer, &mut LaneGroup, &Maps<'_>, &[u32]) + Sync + 'a;

/// Joints and weights of a vertex with four slots.
type Slots = ([u16; 4], [f32; 4]);

/// Weights of one vertex before the change.
#[derive(Clone, Copy)]
pub(super) struct VertexView<'a> {
    /// Index of the vertex in its part.
    pub own: u32,
    /// Index of the vertex in the surface.
    pub vertex: u32,
    pub map: &'a WeightMap,
    pub joints: &'a [u16],
    pub weights: &'a [f32],
}

/// Weights of one part before the change.
#[derive(Clone, Copy)]
struct PartLook<'a> {
    first: u32,
    map: &'a WeightMap,
    stride: usize,
    joints: &'a [u16],
    weights: &'a [f32],
}

impl<'a> PartLook<'a> {
    #[inline]
    fn look(&self, own: u32) -> VertexView<'a> {
        let slots = slots_of(own, self.stride);
        let (joints, weights) = (&self.joints[slots.clone()], &self.weights[slots]);
        VertexView { own, vertex: self.first + own, map: self.map, joints, weights }
    }

    /// Returns the slots of a vertex, for maps with four slots per vertex.
    #[inline]
    fn slots(&self, own: u32) -> Option<(&'a [u16; 4], &'a [f32; 4])> {
        Some((
            self.joints.as_chunks().0.get(to_index(own))?,
            self.weights.as_chunks().0.get(to_index(own))?,
        ))
    }
}

impl VertexView<'_> {
    #[cold]
    pub fn influences(&self) -> Influences {
        Influences::of(self.map, to_index(self.own))
    }
}

/// Reused memory for processing one vertex. `list` first has the current influences, and then the
/// new ones.
#[derive(Default)]
pub(super) struct Scratch {
    pub list: Influences,
    pub other: Influences,
}

/// Result of one chunk of vertices.
#[derive(Default)]
struct ChunkResult {
    /// Refused vertices by their index in the surface, with the reason.
    refused: Vec<(u32, Refusal)>,
    /// Changed vertices by their index in the part. `joints` and `weights` have their slots.
    vertices: Vec<u32>,
    joints: Vec<u16>,
    weights: Vec<f32>,
    /// Changed vertices that had a NaN weight before, by their index in the part.
    mended: Vec<u32>,
}

impl ChunkResult {
    #[inline]
    fn keep(&mut self, look: &VertexView<'_>, list: &Influences) {
        if !look.map.not_numbers.is_empty() && look.map.not_numbers.binary_search(&look.own).is_ok()
        {
            self.mended.push(look.own);
        }
        let (stride, at) = (look.joints.len(), self.joints.len());
        self.joints.resize(at + stride, 0);
        self.weights.resize(at + stride, 0.0);
        list.write(&mut self.joints[at..], &mut self.weights[at..]);
        if self.joints[at..] == *look.joints && self.weights[at..] == *look.weights {
            self.joints.truncate(at);
            self.weights.truncate(at);
        } else {
            self.vertices.push(look.own);
        }
    }

    /// Records new slots like [`Self::keep`], for maps without NaN weights.
    #[inline]
    fn keep_slots(&mut self, own: u32, now: (&[u16; 4], &[f32; 4]), (joints, weights): &Slots) {
        if now.0 != joints || now.1 != weights {
            if self.vertices.is_empty() {
                self.vertices.reserve(CHUNK);
                self.joints.reserve(CHUNK * 4);
                self.weights.reserve(CHUNK * 4);
            }
            self.joints.extend_from_slice(joints);
            self.weights.extend_from_slice(weights);
            self.vertices.push(own);
        }
    }

    /// Writes the new slots of the changed vertices. The constant length avoids a `memcpy` call per
    /// vertex.
    fn place<T: Copy>(&self, to: &mut [[T; 4]], from: &[[T; 4]]) {
        self.vertices.iter().zip(from).for_each(|(own, slots)| to[to_index(*own) % CHUNK] = *slots);
    }
}

/// Processes the vertices of one chunk.
struct Worker<'a, W> {
    maps: &'a Maps<'a>,
    part: PartLook<'a>,
    rule: &'a WeightConstraints<'a>,
    quick: Option<&'a SimdNormalizer>,
    fast: &'a Fast<'a>,
    work: &'a W,
    scratch: Scratch,
    group: LaneGroup,
    /// Vertices that wait until a full group can be processed, by their index in the part.
    waiting: [u32; LANES],
    count: usize,
    out: ChunkResult,
}

impl<'a, W: Fn(&Maps<'_>, u32, &mut Scratch, &WeightConstraints<'_>) -> Result<bool, Refusal>>
    Worker<'a, W>
{
    #[inline]
    fn take(&mut self, look: &VertexView<'a>) {
        match self.fast {
            Fast::None => self.slow(look),
            Fast::Group(_) | Fast::Others(_) => {
                self.waiting[self.count] = look.own;
                self.count += 1;
                if self.count == LANES {
                    self.flush();
                }
            }
        }
    }

    #[inline]
    fn slow(&mut self, look: &VertexView<'a>) {
        let read = self.scratch.list.read(look.joints, look.weights, self.rule);
        match read.and_then(|()| (self.work)(self.maps, look.vertex, &mut self.scratch, self.rule))
        {
            Ok(false) => {}
            Ok(true) => self.out.keep(look, &self.scratch.list),
            Err(why) => self.out.refused.push((look.vertex, why)),
        }
    }

    fn flush(&mut self) {
        let Some(quick) = self.quick else { return };
        let waiting = self.waiting;
        let waiting = &waiting[..std::mem::take(&mut self.count)];
        let part = self.part;
        let mut vertices = [0; LANES];
        vertices.iter_mut().zip(waiting).for_each(|(v, own)| *v = part.first + own);
        let vertices = &vertices[..waiting.len()];
        match self.fast {
            Fast::None => {}
            Fast::Group(run) => {
                for (lane, own) in waiting.iter().enumerate() {
                    if let Some((joints, weights)) = part.slots(*own) {
                        quick.put(&mut self.group, lane, joints, weights);
                    }
                }
                run(quick, &mut self.group, vertices);
            }
            Fast::Others(run) => run(quick, &mut self.group, self.maps, vertices),
        }
        for (lane, own) in waiting.iter().enumerate() {
            match part.slots(*own) {
                Some(now) if self.group.is_done(lane) => {
                    self.out.keep_slots(*own, now, &self.group.get(lane))
                }
                _ => self.slow(&part.look(*own)),
            }
        }
    }
}

pub(super) fn rule<'a>(
    scope: &Scope<'a>,
    canvas: &'a SkinnedSurface,
    map: &WeightMap,
) -> WeightConstraints<'a> {
    WeightConstraints {
        locked: scope.locked,
        parents: canvas.parents(),
        limit: scope.limit.clamp(1, map.stride()),
        encoding: map.encoding,
        pairs: &[],
        turned: false,
    }
}

impl<'a> WorkingWeights<'a> {
    /// Copies the current weights of a surface.
    pub fn new(document: &Document, canvas: &'a SkinnedSurface) -> Self {
        let maps = canvas.maps(document);
        Self { canvas, maps: (0..canvas.parts().len()).map(|k| maps.part(k).clone()).collect() }
    }

    /// Returns the working weights of a part.
    pub fn map(&self, part: usize) -> &WeightMap {
        &self.maps[part]
    }

    /// Returns the differences from the document, by part.
    pub fn changes(self, document: &Document) -> Vec<(usize, PartChange)> {
        let before = self.canvas.maps(document);
        let mut list = Vec::new();
        for (k, after) in self.maps.into_iter().enumerate() {
            let before = before.part(k);
            if *before == after {
                continue;
            }
            let stride = after.stride();
            if stride != before.stride() || after.encoding != before.encoding {
                list.push((k, PartChange::Whole(after)));
                continue;
            }
            let differs = |v: &u32| {
                let range = slots_of(*v, stride);
                before.joints[range.clone()] != after.joints[range.clone()]
                    || before.weights[range.clone()] != after.weights[range]
                    || before.not_numbers.binary_search(v).is_ok()
                        != after.not_numbers.binary_search(v).is_ok()
            };
            let changed: Vec<u32> = numbers(after.vertex_count()).filter(differs).collect();
            list.push((
                k,
                if changed.len() * 3 < after.vertex_count() {
                    PartChange::Patch(after.pick(&changed))
                } else {
                    PartChange::Whole(after)
                },
            ));
        }
        list
    }

    /// Applies `work` to every vertex of the scope that passes `test`. `work` reads the current
    /// weights. A vertex stays unchanged if its change is refused, or if `work` returns `false`.
    pub(super) fn each(
        &mut self,
        scope: &Scope<'_>,
        fast: Fast<'_>,
        test: impl Fn(&VertexView<'_>) -> bool + Sync,
        work: impl Fn(&Maps<'_>, u32, &mut Scratch, &WeightConstraints<'_>) -> Result<bool, Refusal>
        + Sync,
    ) -> Refused {
        tally(&self.each_of(scope, &[], fast, test, work))
    }

    /// Applies `work` to vertices, like [`WorkingWeights::each`]. If a part has a list of vertices,
    /// in ascending order, only these are processed. Returns the refused vertices.
    pub(super) fn each_of(
        &mut self,
        scope: &Scope<'_>,
        lists: &[Option<Vec<u32>>],
        fast: Fast<'_>,
        test: impl Fn(&VertexView<'_>) -> bool + Sync,
        work: impl Fn(&Maps<'_>, u32, &mut Scratch, &WeightConstraints<'_>) -> Result<bool, Refusal>
        + Sync,
    ) -> Vec<(u32, Refusal)> {
        let canvas = self.canvas;
        let maps = Maps::of(canvas, self.maps.iter());
        let mut found: Vec<Vec<ChunkResult>> = Vec::with_capacity(self.maps.len());
        for (index, (part, map)) in canvas.parts().iter().zip(&self.maps).enumerate() {
            if !scope.has_any(part) {
                found.push(Vec::new());
                continue;
            }
            let stride = map.stride();
            let rule = rule(scope, canvas, map);
            let quick = SimdNormalizer::new(stride, &rule).filter(|_| map.not_numbers.is_empty());
            let part = PartLook {
                first: part.first,
                map,
                stride,
                joints: &map.joints,
                weights: &map.weights,
            };
            let run = |chunk: usize| {
                let mut worker = Worker {
                    maps: &maps,
                    part,
                    rule: &rule,
                    fast: if quick.is_some() { &fast } else { &Fast::None },
                    quick: quick.as_ref(),
                    work: &work,
                    scratch: Scratch::default(),
                    group: LaneGroup::default(),
                    waiting: [0; LANES],
                    count: 0,
                    out: ChunkResult::default(),
                };
                let mut one = |own: u32| {
                    let look = part.look(own);
                    if scope.has(look.vertex) && test(&look) {
                        worker.take(&look);
                    }
                };
                let (first, end) = (
                    to_number(chunk * CHUNK),
                    to_number(((chunk + 1) * CHUNK).min(map.vertex_count())),
                );
                match lists.get(index).and_then(Option::as_ref) {
                    None => (first..end).for_each(one),
                    Some(list) => {
                        let at = |vertex: u32| list.partition_point(|v| *v < vertex);
                        list[at(first)..at(end)].iter().for_each(|own| one(*own));
                    }
                }
                worker.flush();
                worker.out
            };
            let chunks = (0..map.vertex_count().div_ceil(CHUNK)).into_par_iter();
            found.push(chunks.map(run).collect());
        }
        let mut refused = Vec::new();
        for (map, found) in self.maps.iter_mut().zip(found) {
            refused.extend(found.iter().flat_map(|f| &f.refused).copied());
            let mended: Vec<u32> = found.iter().flat_map(|f| f.mended.iter().copied()).collect();
            if !mended.is_empty() {
                let left =
                    map.not_numbers.iter().copied().filter(|v| mended.binary_search(v).is_err());
                map.not_numbers = left.collect();
            }
            if found.iter().all(|f| f.vertices.is_empty()) {
                continue;
            }
            let stride = map.stride();
            let chunks = (map.joints.make_mut().par_chunks_mut(CHUNK * stride))
                .zip(map.weights.make_mut().par_chunks_mut(CHUNK * stride))
                .zip(found);
            chunks.for_each(|((joints, weights), found)| {
                if stride == 4 {
                    found.place(joints.as_chunks_mut::<4>().0, found.joints.as_chunks().0);
                    found.place(weights.as_chunks_mut::<4>().0, found.weights.as_chunks().0);
                    return;
                }
                let slots =
                    found.joints.chunks_exact(stride).zip(found.weights.chunks_exact(stride));
                for (own, (js, ws)) in found.vertices.iter().zip(slots) {
                    let at = (to_index(*own) % CHUNK) * stride;
                    joints[at..at + stride].copy_from_slice(js);
                    weights[at..at + stride].copy_from_slice(ws);
                }
            });
        }
        refused
    }

    /// Replaces the weights of vertices with exact copies of valid influences. The stored type must
    /// be able to represent them, and no joint may be locked.
    pub fn put_as_is(
        &mut self,
        scope: &Scope<'_>,
        list: impl IntoIterator<Item = (u32, Influences)>,
    ) -> Refused {
        let is_locked = |j: u16| scope.locked.get(usize::from(j)).copied().unwrap_or(true);
        let mut others = Vec::new();
        for (vertex, target) in list {
            let (part, own) = self.canvas.part_of(vertex);
            let map = &mut self.maps[part];
            let stride = map.stride();
            let range = slots_of(own, stride);
            let now = Influences::of(map, to_index(own));
            let free = target.len() <= scope.limit.min(stride)
                && !target.iter().chain(now.iter()).any(|(j, w)| w > 0.0 && is_locked(j));
            let (mut joints, mut weights) = (vec![0u16; stride], vec![0.0f32; stride]);
            if free {
                // As in all written weights, the strongest influence comes first.
                let mut slots: Vec<(u16, f32)> = target.iter().filter(|(_, w)| *w > 0.0).collect();
                slots.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
                for (k, (j, w)) in slots.into_iter().enumerate() {
                    (joints[k], weights[k]) = (j, w);
                }
            }
            // The file could store such a weight only rounded.
            let encoding = map.encoding;
            let is_stored = |w: &f32| {
                encoding.one().is_none()
                    || encoding.decode(encoding.encode(*w)).to_bits() == w.to_bits()
            };
            let plain = free
                && weights.iter().all(is_stored)
                && map.not_numbers.binary_search(&own).is_err();
            if !plain || fault_of(&joints, &weights, map.encoding, usize::MAX).is_some() {
                others.push((vertex, target));
                continue;
            }
            // Equal influences in other slots need no rewrite.
            let same = now.len() == target.len()
                && target.iter().all(|(j, w)| now.get(j).to_bits() == w.to_bits())
                && fault_of(
                    &map.joints[range.clone()],
                    &map.weights[range.clone()],
                    map.encoding,
                    usize::MAX,
                )
                .is_none();
            if !same {
                map.joints.make_mut()[range.clone()].copy_from_slice(&joints);
                map.weights.make_mut()[range].copy_from_slice(&weights);
            }
        }
        self.put(scope, others)
    }

    /// Replaces the unlocked weights of vertices.
    pub fn put(
        &mut self,
        scope: &Scope<'_>,
        list: impl IntoIterator<Item = (u32, Influences)>,
    ) -> Refused {
        let mut refused = Refused::new();
        let mut now = Influences::default();
        for (vertex, target) in list {
            let (part, own) = self.canvas.part_of(vertex);
            let map = &mut self.maps[part];
            let stride = map.stride();
            let rule = rule(scope, self.canvas, map);
            let range = slots_of(own, stride);
            let joints = &mut map.joints.make_mut()[range.clone()];
            let weights = &mut map.weights.make_mut()[range];
            match now
                .read(joints, weights, &rule)
                .and_then(|()| normalize::blend(&mut now, &target, 1.0, &rule))
            {
                Ok(()) => {
                    now.write(joints, weights);
                    if let Ok(k) = map.not_numbers.binary_search(&own) {
                        let mut left = map.not_numbers.to_vec();
                        left.remove(k);
                        map.not_numbers = left.into();
                    }
                }
                Err(why) => *refused.entry(why).or_default() += 1,
            }
        }
        refused
    }
}
