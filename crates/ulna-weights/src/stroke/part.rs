//! A parallel task of a dab. It processes vertices part by part. Plain vertices, which have four
//! valid float weights, are processed in groups of sixteen, and all others one by one.

use super::{
    memory::{Memory, Sets, Starts},
    vertex::Work,
};
use crate::{
    Influences, Refusal, WeightConstraints,
    ids::to_index,
    influences::slots_of,
    normalize::{LANES, LaneGroup, SimdNormalizer},
    reach::AT_ONCE,
};
use ulna_model::{WeightMap, WeightPatch};

/// Data that all vertices of a part share.
pub(super) struct PartWork<'a> {
    work: &'a Work<'a>,
    first: u32,
    count: u32,
    map: &'a WeightMap,
    /// Current slots of the part's vertices.
    now: Sets<'a>,
    rule: WeightConstraints<'a>,
    quick: Option<SimdNormalizer>,
}

impl<'a> PartWork<'a> {
    pub fn new(work: &'a Work<'a>, part: usize) -> Self {
        let (paint, found, map) = (work.paint, work.canvas.parts()[part], work.maps.part(part));
        let rule = WeightConstraints {
            locked: paint.locked,
            parents: work.canvas.parents(),
            limit: paint.limit.clamp(1, map.stride()),
            encoding: map.encoding,
            pairs: paint.mirror.map_or(&[], |m| m.joints()),
            turned: false,
        };
        let one_joint = paint.brush.kind.is_of_one_joint() && paint.mirror.is_none();
        let open = paint.locked.get(usize::from(paint.joint)) == Some(&false);
        let quick = if one_joint && open { SimdNormalizer::new(map.stride(), &rule) } else { None };
        let now = (map.joints.as_chunks().0, map.weights.as_chunks().0);
        Self { work, first: found.first, count: found.count, map, now, rule, quick }
    }
}

impl PartWork<'_> {
    #[inline]
    const fn has(&self, vertex: u32) -> bool {
        vertex.wrapping_sub(self.first) < self.count
    }
}

/// Changes that one task made in one part.
pub(super) struct Piece {
    pub part: usize,
    pub patch: WeightPatch,
}

/// Changes made by a task.
#[derive(Default)]
pub(super) struct TaskResult {
    pub pieces: Vec<Piece>,
    pub refused: Vec<Refusal>,
    /// Weights before the stroke, for vertices that this dab paints first.
    pub fresh: Starts,
}

/// Reused memory for one vertex.
#[derive(Default)]
struct DabLists {
    list: Influences,
    target: Influences,
}

/// Working state of a parallel task.
pub(super) struct Task<'a> {
    parts: &'a [PartWork<'a>],
    /// Memory of the stroke; `None` if the brush changes the current weights.
    memory: Option<&'a Memory>,
    /// Approximate number of vertices of the task, for allocations.
    room: usize,
    done: TaskResult,
    /// Part of the last vertex; `None` before the first vertex.
    part: Option<usize>,
    piece: WeightPatch,
    /// Vertices that wait to be painted as a group, with their amounts.
    noted: Vec<(u32, [f32; 2])>,
    group: LaneGroup,
    lists: DabLists,
}

impl<'a> Task<'a> {
    pub fn new(
        parts: &'a [PartWork<'a>],
        memory: Option<&'a Memory>,
        fresh: Starts,
        room: usize,
    ) -> Self {
        Self {
            parts,
            memory,
            room,
            done: TaskResult { fresh, ..TaskResult::default() },
            part: None,
            piece: WeightPatch::default(),
            noted: Vec::with_capacity(AT_ONCE),
            group: LaneGroup::default(),
            lists: DabLists::default(),
        }
    }

    /// Paints a vertex, if its amount on either side increased. Vertices are collected into groups.
    /// The last group is painted when the task ends.
    #[inline]
    pub fn paint(&mut self, vertex: u32, amounts: [f32; 2]) {
        let raised = self.memory.map_or(Some(amounts), |memory| memory.raise(vertex, amounts));
        if let Some(amounts) = raised {
            self.noted.push((vertex, amounts));
        }
        if self.noted.len() == AT_ONCE {
            self.paint_noted();
        }
    }

    /// Paints the vertices that wait.
    fn paint_noted(&mut self) {
        let noted = std::mem::take(&mut self.noted);
        let mut left = &noted[..];
        while let Some((vertex, _)) = left.first() {
            let part = match self.part.map(|part| &self.parts[part]) {
                Some(part) if part.has(*vertex) => part,
                _ => self.enter(*vertex),
            };
            let count = left.iter().position(|(v, _)| !part.has(*v)).unwrap_or(left.len());
            let (here, rest) = left.split_at(count);
            match &part.quick {
                Some(quick) => self.paint_quick(part, quick, here),
                None => here.iter().for_each(|(vertex, amounts)| self.one(part, *vertex, *amounts)),
            }
            left = rest;
        }
        self.noted = noted;
        self.noted.clear();
    }

    /// Makes the part of a vertex current, and returns it.
    fn enter(&mut self, vertex: u32) -> &'a PartWork<'a> {
        self.leave();
        let index = self.parts.partition_point(|p| p.first <= vertex) - 1;
        let part = &self.parts[index];
        self.part = Some(index);
        self.piece = WeightPatch::new(part.map.sets, self.room);
        part
    }

    fn leave(&mut self) {
        let patch = std::mem::take(&mut self.piece);
        if let Some(part) = self.part.filter(|_| !patch.vertices.is_empty()) {
            self.done.pieces.push(Piece { part, patch });
        }
    }

    /// Paints the waiting vertices, and returns the result of the task.
    pub fn end(mut self) -> TaskResult {
        self.paint_noted();
        self.leave();
        self.done
    }

    /// Paints at most [`AT_ONCE`] vertices of the current part with the vectorized code, without
    /// mirroring.
    fn paint_quick(
        &mut self,
        part: &PartWork<'_>,
        quick: &SimdNormalizer,
        noted: &[(u32, [f32; 2])],
    ) {
        // All data of the batch is loaded first, so that cache misses overlap.
        let mut from = ([[0; 4]; AT_ONCE], [[0.0; 4]; AT_ONCE]);
        for (k, (vertex, _)) in noted.iter().enumerate() {
            let own = to_index(*vertex - part.first);
            let now = (&part.now.0[own..=own], &part.now.1[own..=own]);
            let start =
                self.memory.map_or(now, |memory| memory.start(*vertex, now, &mut self.done.fresh));
            (from.0[k], from.1[k]) = (start.0[0], start.1[0]);
        }
        let paint = part.work.paint;
        let from = from.0.chunks(LANES).zip(from.1.chunks(LANES));
        for (noted, (joints, weights)) in noted.chunks(LANES).zip(from) {
            for (lane, (_, amounts)) in noted.iter().enumerate() {
                quick.put(&mut self.group, lane, &joints[lane], &weights[lane]);
                self.group.set_amount(lane, amounts[0]);
            }
            quick.brush(&mut self.group, paint.joint, &paint.brush);
            for (lane, (vertex, amounts)) in noted.iter().enumerate() {
                if !self.group.is_done(lane) {
                    self.one(part, *vertex, *amounts);
                    continue;
                }
                let (joints, weights) = self.group.get(lane);
                let own = *vertex - part.first;
                if joints != part.now.0[to_index(own)] || weights != part.now.1[to_index(own)] {
                    self.piece.vertices.push(own);
                    self.piece.joints.extend_from_slice(&joints);
                    self.piece.weights.extend_from_slice(&weights);
                }
            }
        }
    }

    /// Paints one vertex with the general code.
    fn one(&mut self, part: &PartWork<'_>, vertex: u32, amounts: [f32; 2]) {
        let own = vertex - part.first;
        let sets = slots_of(own, part.map.sets);
        let now = (&part.now.0[sets.clone()], &part.now.1[sets]);
        let from =
            self.memory.map_or(now, |memory| memory.start(vertex, now, &mut self.done.fresh));
        let DabLists { list, target } = &mut self.lists;
        let read = list.read(from.0.as_flattened(), from.1.as_flattened(), &part.rule);
        match read.and_then(|()| part.work.vertex(vertex, amounts, list, target, &part.rule)) {
            Ok(true) => {}
            Ok(false) => return,
            Err(why) => {
                self.done.refused.push(why);
                return;
            }
        }
        let (patch, stride) = (&mut self.piece, part.map.stride());
        let end = patch.weights.len();
        patch.joints.resize(end + stride, 0);
        patch.weights.resize(end + stride, 0.0);
        list.write(&mut patch.joints[end..], &mut patch.weights[end..]);
        if patch.joints[end..] == *now.0.as_flattened()
            && patch.weights[end..] == *now.1.as_flattened()
        {
            patch.joints.truncate(end);
            patch.weights.truncate(end);
        } else {
            patch.vertices.push(own);
        }
    }
}
