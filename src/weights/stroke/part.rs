//! A task of a dab: vertex after vertex, part by part, sixteen at a time where they are plain, else one by one.

use super::{
    Lists,
    memory::{Memory, Sets, Starts},
    vertex::Work,
};
use crate::{
    model::{WeightMap, WeightPatch},
    weights::{
        Refusal, Rule,
        quick::{Group, LANES, Quick},
    },
};

/// What the vertices of a part share.
pub(super) struct PartWork<'a> {
    work: &'a Work<'a>,
    first: u32,
    count: u32,
    map: &'a WeightMap,
    /// The slots as they are.
    now: Sets<'a>,
    rule: Rule<'a>,
    quick: Option<Quick>,
}

impl<'a> PartWork<'a> {
    pub fn new(work: &'a Work<'a>, part: usize) -> Self {
        let (paint, found, map) = (work.paint, work.canvas.parts()[part], work.maps.part(part));
        let rule = Rule {
            locked: paint.locked,
            parents: work.canvas.parents(),
            limit: paint.limit.clamp(1, map.stride()),
            encoding: map.encoding,
            pairs: paint.mirror.map_or(&[], |m| m.joints()),
            turned: false,
        };
        let one_joint = paint.brush.kind.is_of_one_joint() && paint.mirror.is_none();
        let open = paint.locked.get(usize::from(paint.joint)) == Some(&false);
        let quick = if one_joint && open { Quick::new(map.stride(), &rule) } else { None };
        let now = (map.joints.as_chunks().0, map.weights.as_chunks().0);
        Self { work, first: found.first, count: found.count, map, now, rule, quick }
    }
}

/// What a task came to in one part.
pub(super) struct Piece {
    pub part: usize,
    pub patch: WeightPatch,
}

/// What a task came to.
#[derive(Default)]
pub(super) struct Done {
    pub pieces: Vec<Piece>,
    pub refused: Vec<Refusal>,
    /// How vertices were to which the stroke came only now.
    pub fresh: Starts,
}

/// A task under way.
pub(super) struct Task<'a> {
    parts: &'a [PartWork<'a>],
    /// Nothing where a stroke goes on from what is there.
    memory: Option<&'a Memory>,
    /// About how many vertices will come.
    room: usize,
    done: Done,
    /// The part of the last vertex.
    part: usize,
    piece: WeightPatch,
    /// Vertices that wait to be painted together.
    group: Group,
    waiting: [(u32, f32); LANES],
    count: usize,
    lists: Lists,
}

impl<'a> Task<'a> {
    pub fn new(parts: &'a [PartWork<'a>], memory: Option<&'a Memory>, fresh: Starts, room: usize) -> Self {
        Self {
            parts,
            memory,
            room,
            done: Done { fresh, ..Done::default() },
            part: usize::MAX,
            piece: WeightPatch::default(),
            group: Group::default(),
            waiting: [(0, 0.0); LANES],
            count: 0,
            lists: Lists::default(),
        }
    }

    /// Paints a vertex of the canvas by so much, on both sides, if that is more than before.
    pub fn paint(&mut self, vertex: u32, amounts: [f32; 2]) {
        let raised = self.memory.map_or(Some(amounts), |memory| memory.raise(vertex, amounts));
        if let Some(amounts) = raised {
            self.take(vertex, amounts);
        }
    }

    /// As [`Self::paint`] of several vertices, which the mirror of the brush does not touch.
    pub fn paint_all(&mut self, vertices: &mut Vec<(u32, f32)>) {
        if let Some(memory) = self.memory {
            // All of them before the first is painted: so many come from far away at once.
            vertices.retain(|(vertex, amount)| memory.raise(*vertex, [*amount, 0.0]).is_some());
        }
        vertices.drain(..).for_each(|(vertex, amount)| self.take(vertex, [amount, 0.0]));
    }

    #[inline]
    fn take(&mut self, vertex: u32, amounts: [f32; 2]) {
        let here = |p: &PartWork<'_>| vertex.wrapping_sub(p.first) < p.count;
        if !self.parts.get(self.part).is_some_and(here) {
            self.enter(vertex);
        }
        let part = &self.parts[self.part];
        if part.quick.is_none() {
            self.one(vertex, amounts);
            return;
        }
        self.waiting[self.count] = (vertex, amounts[0]);
        self.count += 1;
        if self.count == LANES {
            self.paint_group();
        }
    }

    /// Goes on in the part that has a vertex.
    fn enter(&mut self, vertex: u32) {
        self.leave();
        self.part = self.parts.partition_point(|p| p.first <= vertex) - 1;
        self.piece = WeightPatch::new(self.parts[self.part].map.sets, self.room);
    }

    fn leave(&mut self) {
        self.paint_group();
        let patch = std::mem::take(&mut self.piece);
        if !patch.vertices.is_empty() {
            self.done.pieces.push(Piece { part: self.part, patch });
        }
    }

    /// What it came to.
    pub fn end(mut self) -> Done {
        self.leave();
        self.done
    }

    fn paint_group(&mut self) {
        let count = std::mem::take(&mut self.count);
        let Some((part, quick)) = self.parts.get(self.part).and_then(|p| Some((p, p.quick.as_ref()?))) else { return };
        if count == 0 {
            return;
        }
        // First everything is fetched: so many come from far away at once.
        let mut from = ([[0; 4]; LANES], [[0.0; 4]; LANES]);
        for (lane, (vertex, _)) in self.waiting[..count].iter().enumerate() {
            let own = (*vertex - part.first) as usize;
            let now = (&part.now.0[own..=own], &part.now.1[own..=own]);
            let start = self.memory.map_or(now, |memory| memory.start(*vertex, now, &mut self.done.fresh));
            (from.0[lane], from.1[lane]) = (start.0[0], start.1[0]);
        }
        for (lane, (_, amount)) in self.waiting[..count].iter().enumerate() {
            quick.put(&mut self.group, lane, &from.0[lane], &from.1[lane]);
            self.group.set_amount(lane, *amount);
        }
        let paint = part.work.paint;
        quick.brush(&mut self.group, paint.joint, &paint.brush);
        for lane in 0..count {
            let (vertex, amount) = self.waiting[lane];
            if !self.group.is_done(lane) {
                self.one(vertex, [amount, 0.0]);
                continue;
            }
            let (joints, weights) = self.group.get(lane);
            let own = vertex - part.first;
            if joints != part.now.0[own as usize] || weights != part.now.1[own as usize] {
                self.piece.vertices.push(own);
                self.piece.joints.extend_from_slice(&joints);
                self.piece.weights.extend_from_slice(&weights);
            }
        }
    }

    /// One vertex, by the rule itself.
    fn one(&mut self, vertex: u32, amounts: [f32; 2]) {
        let part = &self.parts[self.part];
        let own = vertex - part.first;
        let sets = own as usize * part.map.sets..(own as usize + 1) * part.map.sets;
        let now = (&part.now.0[sets.clone()], &part.now.1[sets]);
        let from = self.memory.map_or(now, |memory| memory.start(vertex, now, &mut self.done.fresh));
        let Lists { list, target } = &mut self.lists;
        let read = list.read(from.0.as_flattened(), from.1.as_flattened(), &part.rule);
        if let Err(why) = read.and_then(|()| part.work.vertex(vertex, amounts, list, target, &part.rule)) {
            self.done.refused.push(why);
            return;
        }
        let (patch, stride) = (&mut self.piece, part.map.stride());
        let end = patch.weights.len();
        patch.joints.resize(end + stride, 0);
        patch.weights.resize(end + stride, 0.0);
        list.write(&mut patch.joints[end..], &mut patch.weights[end..]);
        if patch.joints[end..] == *now.0.as_flattened() && patch.weights[end..] == *now.1.as_flattened() {
            patch.joints.truncate(end);
            patch.weights.truncate(end);
        } else {
            patch.vertices.push(own);
        }
    }
}
