//! A stroke: dab after dab, each a sparse change of the weights it touches.
//!
//! A vertex remembers how it was when the stroke began and the strongest dab so far, so that going over it twice does not
//! paint it twice. Brushes that mix whole vertices work on what is there now: one rubs until it is smooth.

use std::{collections::BTreeMap, ops::Range};

use glam::Vec3;
use rayon::prelude::*;

use super::{
    Brush, BrushKind, Canvas, Influences, Maps, MirrorMap, PosedCanvas, Refusal, Rule, Touch,
    canvas::NOWHERE,
    quick::{Group, LANES, Quick},
    reach::{ReachScratch, reach},
    share,
};
use crate::model::{WeightMap, WeightPatch};

/// What a stroke paints with.
#[derive(Clone, Copy, Debug)]
pub struct Paint<'a> {
    /// The brush.
    pub brush: Brush,
    /// The painted joint, by its number in the skin.
    pub joint: u16,
    /// By the skin's joints: those that never move.
    pub locked: &'a [bool],
    /// The most joints a vertex may have.
    pub limit: usize,
    /// The other side, where it is painted too.
    pub mirror: Option<&'a MirrorMap>,
}

/// One dab.
#[derive(Clone, Copy, Debug)]
pub struct Dab<'a> {
    /// Where it touches.
    pub touch: Touch,
    /// A pen's pressure, 0 to 1; 1 for a mouse.
    pub pressure: f32,
    /// The way from the dab before, metres.
    pub motion: Vec3,
    /// The canvas's vertices within the radius, and perhaps more, where a tree knows them; else all are looked at.
    pub near: Option<&'a [u32]>,
}

/// Vertices that one core takes at a time; the words that mark them are its own.
const CHUNK: usize = 8_192;

/// What a stroke knows of a vertex.
#[derive(Clone, Copy, Debug)]
struct Memory {
    /// The strongest amount so far: of the brush, and of its mirror.
    strongest: [f32; 2],
    /// Where its start begins in those of its region.
    start: u32,
}

impl Memory {
    const NONE: Self = Self { strongest: [0.0; 2], start: NOWHERE };
}

/// A vertex that a dab touches.
#[derive(Clone, Copy, Debug)]
struct Touched {
    vertex: u32,
    /// Where its start begins.
    start: u32,
    /// How much is done to it: by the brush, and by its mirror.
    amounts: [f32; 2],
}

/// How the vertices of a chunk were when the stroke came to them, slot by slot.
#[derive(Clone, Debug, Default)]
struct Starts {
    joints: Vec<u16>,
    weights: Vec<f32>,
    /// Those that have a start.
    vertices: Vec<u32>,
}

/// A stroke under way.
#[derive(Clone, Debug, Default)]
pub struct Stroke {
    /// By vertex.
    memory: Vec<Memory>,
    /// By chunk of vertices.
    starts: Vec<Starts>,
    /// One bit a vertex, all 0 between dabs.
    marks: Vec<u64>,
    /// Amounts of the present dab, by vertex; all 0 between dabs.
    amounts: Vec<[f32; 2]>,
    reach: ReachScratch,
    hits: Vec<(u32, f32)>,
    refused: BTreeMap<Refusal, usize>,
}

impl Stroke {
    /// A stroke that has not begun.
    pub fn new(canvas: &Canvas) -> Self {
        let mut stroke = Self::default();
        stroke.begin(canvas);
        stroke
    }

    /// Begins anew, in the memory of the last one.
    pub fn begin(&mut self, canvas: &Canvas) {
        let count = canvas.vertex_count();
        // Only what has a start was ever covered.
        for starts in &mut self.starts {
            starts.vertices.drain(..).for_each(|v| self.memory[v as usize] = Memory::NONE);
            starts.joints.clear();
            starts.weights.clear();
        }
        self.memory.resize(count, Memory::NONE);
        self.amounts.resize(count, [0.0; 2]);
        self.marks.resize(count.div_ceil(64), 0);
        self.starts.resize_with(count.div_ceil(CHUNK), Starts::default);
        self.refused.clear();
        self.hits.clear();
    }

    /// How often a vertex was refused, and why.
    pub const fn refused(&self) -> &BTreeMap<Refusal, usize> {
        &self.refused
    }

    /// The vertices of the last dab, with how near its middle each was.
    pub fn last_hits(&self) -> &[(u32, f32)] {
        &self.hits
    }

    /// What a dab changes of these weights, by the canvas's parts; vertices that stay as they are are not in it.
    pub fn dab(
        &mut self,
        maps: &Maps<'_>,
        canvas: &Canvas,
        posed: PosedCanvas<'_>,
        dab: &Dab<'_>,
        paint: &Paint<'_>,
    ) -> Vec<(usize, WeightPatch)> {
        let brush = &paint.brush;
        let mut hits = std::mem::take(&mut self.hits);
        reach(canvas, posed, &dab.touch, dab.near, brush.reach, brush.front_only, &mut self.reach, &mut hits);
        let pressure = if brush.pressure { dab.pressure.clamp(0.0, 1.0) } else { 1.0 };
        let strength = brush.strength * pressure;
        let chunks = self.mark(canvas, paint.mirror, &hits, |p| brush.falloff.at(p) * strength);
        let average = (brush.kind == BrushKind::Average).then(|| average(canvas, maps, &hits));
        self.hits = hits;
        let work = Work { canvas, maps, posed, paint, motion: dab.motion, average };
        let parts: Vec<PartWork<'_>> = (0..canvas.parts().len()).map(|k| PartWork::new(&work, k)).collect();
        let once = brush.kind.is_of_one_joint() && !brush.build_up;
        let within = |each: usize, len: usize| chunks.start * each..(chunks.end * each).min(len);
        let (words, vertices) = (within(CHUNK / 64, self.marks.len()), within(CHUNK, self.amounts.len()));
        let done: Vec<Vec<Piece>> = self.marks[words]
            .par_chunks_mut(CHUNK / 64)
            .zip(self.amounts[vertices.clone()].par_chunks_mut(CHUNK))
            .zip(self.memory[vertices].par_chunks_mut(CHUNK))
            .zip(&mut self.starts[chunks.clone()])
            .enumerate()
            .with_min_len((chunks.len() / 4).max(1))
            .map(|(k, (((marks, amounts), memory), starts))| {
                let first = ((chunks.start + k) * CHUNK) as u32;
                let touched = take(first, marks, amounts, once.then_some(&mut *memory));
                starts.paint(first, &parts, touched, once.then_some(memory))
            })
            .collect();
        self.join(done)
    }

    /// Notes by how much each vertex is touched, on both sides; the chunks in which some are.
    fn mark(
        &mut self,
        canvas: &Canvas,
        mirror: Option<&MirrorMap>,
        hits: &[(u32, f32)],
        amount: impl Fn(f32) -> f32,
    ) -> Range<usize> {
        let (mut low, mut high) = (u32::MAX, 0);
        let mut mark = |v: u32, side: usize, a: f32| {
            (low, high) = (low.min(v), high.max(v));
            self.marks[v as usize / 64] |= 1 << (v % 64);
            let most = &mut self.amounts[v as usize][side];
            *most = if a > *most { a } else { *most };
        };
        for (v, a) in hits.iter().map(|(v, p)| (v, amount(*p))).filter(|(_, a)| *a > 0.0) {
            mark(*v, 0, a);
            let place = mirror.map_or(NOWHERE, |m| m.place(canvas.place_of(*v)));
            if place != NOWHERE {
                canvas.vertices_at(place).iter().for_each(|other| mark(*other, 1, a));
            }
        }
        if low > high { 0..0 } else { low as usize / CHUNK..high as usize / CHUNK + 1 }
    }

    /// Puts together what the chunks came to.
    fn join(&mut self, done: Vec<Vec<Piece>>) -> Vec<(usize, WeightPatch)> {
        let mut patches: Vec<(usize, WeightPatch)> = Vec::new();
        let mut pieces = done.into_iter().flatten().peekable();
        let mut same: Vec<Piece> = Vec::new();
        while let Some(piece) = pieces.next() {
            for why in &piece.refused {
                *self.refused.entry(*why).or_default() += 1;
            }
            let last = pieces.peek().is_none_or(|next| next.part != piece.part);
            let part = piece.part;
            if !piece.patch.vertices.is_empty() {
                same.push(piece);
            }
            if last && !same.is_empty() {
                let count = same.iter().map(|p| p.patch.vertices.len()).sum();
                let mut patch = WeightPatch::new(same[0].patch.sets, count);
                for piece in same.drain(..) {
                    patch.vertices.extend_from_slice(&piece.patch.vertices);
                    patch.joints.extend_from_slice(&piece.patch.joints);
                    patch.weights.extend_from_slice(&piece.patch.weights);
                }
                patches.push((part, patch));
            }
        }
        patches
    }
}

/// Takes the marked vertices of a chunk, in rising order. With a memory, only those to which more is done than before in the
/// stroke.
fn take(first: u32, marks: &mut [u64], amounts: &mut [[f32; 2]], memory: Option<&mut [Memory]>) -> Vec<Touched> {
    let count: u32 = marks.iter().map(|word| word.count_ones()).sum();
    let mut touched = Vec::with_capacity(count as usize);
    let mut memory = memory;
    for (word, mark) in marks.iter_mut().enumerate() {
        let mut bits = std::mem::take(mark);
        while bits != 0 {
            let k = word * 64 + bits.trailing_zeros() as usize;
            bits &= bits - 1;
            let mut amounts = std::mem::take(&mut amounts[k]);
            if let Some(memory) = &mut memory {
                let [own, other] = &mut memory[k].strongest;
                if amounts[0] <= *own && amounts[1] <= *other {
                    continue;
                }
                // What is painted is the strongest of each side, not of this dab.
                (*own, *other) = (own.max(amounts[0]), other.max(amounts[1]));
                amounts = [*own, *other];
            }
            touched.push(Touched { vertex: first + k as u32, start: NOWHERE, amounts });
        }
    }
    touched
}

/// What a chunk of vertices comes to in one part.
struct Piece {
    part: usize,
    patch: WeightPatch,
    refused: Vec<Refusal>,
}

impl Starts {
    /// Paints the vertices of a chunk, part by part. With a memory, from what was there when the stroke came to them.
    fn paint(
        &mut self,
        first: u32,
        parts: &[PartWork<'_>],
        mut touched: Vec<Touched>,
        mut memory: Option<&mut [Memory]>,
    ) -> Vec<Piece> {
        let mut pieces = Vec::new();
        let mut left = touched.as_mut_slice();
        while let Some(t) = left.first() {
            let part = parts.partition_point(|p| p.first <= t.vertex) - 1;
            let end = left.partition_point(|t| t.vertex < parts[part].first + parts[part].count);
            let (mine, rest) = left.split_at_mut(end);
            left = rest;
            let mut starts = None;
            if let Some(memory) = &mut memory {
                self.keep(first, &parts[part], mine, memory);
                starts = Some(&*self);
            }
            pieces.push(parts[part].run(mine, starts));
        }
        pieces
    }

    /// Keeps how vertices are that have no start yet, and tells all of them where theirs is.
    fn keep(&mut self, first: u32, part: &PartWork<'_>, touched: &mut [Touched], memory: &mut [Memory]) {
        let stride = part.map.stride();
        let four = (part.now.0.as_chunks::<4>().0, part.now.1.as_chunks::<4>().0);
        self.joints.reserve(touched.len() * stride);
        self.weights.reserve(touched.len() * stride);
        for t in touched {
            let start = &mut memory[(t.vertex - first) as usize].start;
            if *start == NOWHERE {
                *start = self.weights.len() as u32;
                self.vertices.push(t.vertex);
                // Four at a time, of a known length, so that no call copies them.
                let slots =
                    (t.vertex - part.first) as usize * stride / 4..((t.vertex - part.first) as usize + 1) * stride / 4;
                four.0[slots.clone()].iter().for_each(|joints| self.joints.extend_from_slice(joints));
                four.1[slots].iter().for_each(|weights| self.weights.extend_from_slice(weights));
            }
            t.start = *start;
        }
    }
}

/// What the vertices of a part share.
struct PartWork<'a> {
    work: &'a Work<'a>,
    part: usize,
    first: u32,
    count: u32,
    map: &'a WeightMap,
    /// The slots as they are.
    now: (&'a [u16], &'a [f32]),
    rule: Rule<'a>,
    quick: Option<Quick>,
}

impl<'a> PartWork<'a> {
    fn new(work: &'a Work<'a>, part: usize) -> Self {
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
        Self { work, part, first: found.first, count: found.count, map, now: (&map.joints, &map.weights), rule, quick }
    }

    fn run(&self, touched: &[Touched], starts: Option<&Starts>) -> Piece {
        let patch = WeightPatch::new(self.map.sets, touched.len());
        let mut piece = Piece { part: self.part, patch, refused: Vec::new() };
        let mut lists = Lists::default();
        match &self.quick {
            Some(quick) => self.quickly(quick, touched, starts, &mut lists, &mut piece),
            None => touched.iter().for_each(|t| self.one(t, starts, &mut lists, &mut piece)),
        }
        piece
    }

    /// One vertex, by the rule itself.
    fn one(&self, touched: &Touched, starts: Option<&Starts>, lists: &mut Lists, piece: &mut Piece) {
        let stride = self.map.stride();
        let own = touched.vertex - self.first;
        let at = own as usize * stride;
        let now = (&self.now.0[at..at + stride], &self.now.1[at..at + stride]);
        let start = touched.start as usize;
        let from = match starts {
            Some(starts) => (&starts.joints[start..start + stride], &starts.weights[start..start + stride]),
            None => now,
        };
        let Lists { list, target } = lists;
        let read = list.read(from.0, from.1, &self.rule);
        let done = read.and_then(|()| self.work.vertex(touched.vertex, touched.amounts, list, target, &self.rule));
        if let Err(why) = done {
            piece.refused.push(why);
            return;
        }
        let patch = &mut piece.patch;
        let end = patch.weights.len();
        patch.joints.resize(end + stride, 0);
        patch.weights.resize(end + stride, 0.0);
        list.write(&mut patch.joints[end..], &mut patch.weights[end..]);
        if patch.joints[end..] == *now.0 && patch.weights[end..] == *now.1 {
            patch.joints.truncate(end);
            patch.weights.truncate(end);
        } else {
            patch.vertices.push(own);
        }
    }

    fn quickly(
        &self,
        quick: &Quick,
        touched: &[Touched],
        starts: Option<&Starts>,
        lists: &mut Lists,
        piece: &mut Piece,
    ) {
        let now = (self.now.0.as_chunks::<4>().0, self.now.1.as_chunks::<4>().0);
        let then = starts.map(|s| (s.joints.as_chunks::<4>().0, s.weights.as_chunks::<4>().0));
        let mut group = Group::default();
        for touched in touched.chunks(LANES) {
            for (lane, t) in touched.iter().enumerate() {
                let ((joints, weights), k) = match then {
                    Some(then) => (then, t.start as usize / 4),
                    None => (now, (t.vertex - self.first) as usize),
                };
                quick.put(&mut group, lane, &joints[k], &weights[k]);
                group.set_amount(lane, t.amounts[0]);
            }
            quick.brush(&mut group, self.work.paint.joint, &self.work.paint.brush);
            for (lane, t) in touched.iter().enumerate() {
                if !group.is_done(lane) {
                    self.one(t, starts, lists, piece);
                    continue;
                }
                let (joints, weights) = group.get(lane);
                let own = t.vertex - self.first;
                if joints != now.0[own as usize] || weights != now.1[own as usize] {
                    piece.patch.vertices.push(own);
                    piece.patch.joints.extend_from_slice(&joints);
                    piece.patch.weights.extend_from_slice(&weights);
                }
            }
        }
    }
}

/// Memory for one vertex after another.
#[derive(Default)]
struct Lists {
    list: Influences,
    target: Influences,
}

/// What a dab's vertices share.
struct Work<'a> {
    canvas: &'a Canvas,
    maps: &'a Maps<'a>,
    posed: PosedCanvas<'a>,
    paint: &'a Paint<'a>,
    motion: Vec3,
    average: Option<Influences>,
}

impl Work<'_> {
    #[inline]
    fn vertex(
        &self,
        vertex: u32,
        [direct, other]: [f32; 2],
        list: &mut Influences,
        target: &mut Influences,
        rule: &Rule<'_>,
    ) -> Result<(), Refusal> {
        let place = self.canvas.place_of(vertex);
        let brush = &self.paint.brush;
        let joint = self.paint.joint;
        let around = |out: &mut Influences| mean(self.canvas, self.maps, place, out);
        // What lies on the plane is evened out before joints are dropped: of a pair, not one alone.
        let on_plane = self.paint.mirror.is_some_and(|m| m.place(place) == place);
        let turned = self.paint.mirror.is_some_and(|m| m.place(place) < place);
        let rule = &Rule { turned, ..*rule };
        let wide = Rule { limit: if on_plane { share::MOST } else { rule.limit }, ..*rule };
        let even = |list: &mut Influences, wishes: &[(u16, f32)]| {
            if on_plane { share::even_out(list, wishes, rule) } else { Ok(()) }
        };
        let partner = self.paint.mirror.map_or(u16::MAX, |m| m.joint(joint));
        if brush.kind.is_of_one_joint() {
            let mut wishes = [(0u16, 0.0f32); 2];
            let mut count = 0;
            if partner == joint {
                wishes[0] = (joint, brush.value_for(list.get(joint), direct.max(other)));
                count = 1;
            } else {
                for (j, a) in [(joint, direct), (partner, other)] {
                    if a > 0.0 && j != u16::MAX {
                        wishes[count] = (j, brush.value_for(list.get(j), a));
                        count += 1;
                    }
                }
            }
            return share::paint(list, &wishes[..count], &wide, around).and_then(|()| even(list, &wishes[..count]));
        }
        let amount = direct.max(other).min(1.0);
        // Both sides have a say by how much each covers the spot: so the other side comes to the mirror image of it.
        let sides = [(false, direct / (direct + other)), (true, other / (direct + other))];
        match brush.kind {
            BrushKind::Smooth | BrushKind::Sharpen => around(target),
            BrushKind::Average => {
                target.clear();
                if let Some(mean) = &self.average {
                    sides.iter().for_each(|(mirrored, share)| self.turn_over(mean, *mirrored, *share, target));
                }
            }
            BrushKind::Smear => {
                target.clear();
                for (mirrored, share) in sides {
                    let source = match self.paint.mirror {
                        Some(mirror) if mirrored => mirror.place(place),
                        _ => place,
                    };
                    if share > 0.0 && source != NOWHERE {
                        let mut dragged = Influences::default();
                        self.behind(source, &mut dragged);
                        self.turn_over(&dragged, mirrored, share, target);
                    }
                }
            }
            _ => target.clear(),
        }
        // Nothing around: nothing to move towards.
        if target.is_empty() {
            return Ok(());
        }
        let sign = if brush.kind == BrushKind::Sharpen { -1.0 } else { 1.0 };
        if brush.this_joint {
            let mut wishes = [(0u16, 0.0f32); 2];
            let mut count = 0;
            let both =
                if partner == joint { [(joint, amount), (joint, 0.0)] } else { [(joint, direct), (partner, other)] };
            for (j, a) in both.into_iter().filter(|(j, a)| *a > 0.0 && *j != u16::MAX) {
                let now = list.get(j);
                wishes[count] = (j, (now + sign * a.min(1.0) * (target.get(j) - now)).clamp(0.0, 1.0));
                count += 1;
            }
            let wishes = &wishes[..count];
            return share::paint(list, wishes, &wide, around).and_then(|()| even(list, wishes));
        }
        share::blend(list, target, sign * amount, &wide).and_then(|()| even(list, &[]))
    }

    /// A list as it is on the other side.
    fn turn_over(&self, from: &Influences, mirrored: bool, share: f32, to: &mut Influences) {
        for (j, w) in from.iter().filter(|_| share > 0.0) {
            let partner = self.paint.mirror.filter(|_| mirrored).map_or(j, |m| m.joint(j));
            to.add(if partner == u16::MAX { j } else { partner }, w * share);
        }
    }

    /// What lies behind a place, against the brush's motion.
    fn behind(&self, place: u32, out: &mut Influences) {
        let at = |p: u32| self.posed.positions[self.canvas.first_at(p) as usize];
        let direction = self.motion.normalize_or_zero();
        let here = at(place);
        let factor = |p: u32| (here - at(p)).normalize_or_zero().dot(direction).max(0.0);
        let sum: f32 = self.canvas.ring(place).iter().map(|p| factor(*p)).sum();
        if sum > 1e-6 {
            for p in self.canvas.ring(place) {
                add_place(self.canvas, self.maps, *p, factor(*p) / sum, out);
            }
        }
    }
}

/// Adds what the first vertex of a place has.
#[inline]
fn add_place(canvas: &Canvas, maps: &Maps<'_>, place: u32, factor: f32, out: &mut Influences) {
    let (joints, weights) = maps.slots(canvas.first_at(place));
    for (j, w) in joints.iter().zip(weights) {
        if *w > 0.0 && factor > 0.0 {
            out.add(*j, *w * factor);
        }
    }
}

/// The mean of the places around a place.
#[inline]
pub(super) fn mean(canvas: &Canvas, maps: &Maps<'_>, place: u32, out: &mut Influences) {
    out.clear();
    let ring = canvas.ring(place);
    let factor = 1.0 / ring.len().max(1) as f32;
    for p in ring {
        add_place(canvas, maps, *p, factor, out);
    }
}

/// The mean of what a brush covers, by how much it covers it.
fn average(canvas: &Canvas, maps: &Maps<'_>, hits: &[(u32, f32)]) -> Influences {
    let mut sums = vec![0.0f64; canvas.joints().len()];
    let mut all = 0.0f64;
    for (v, p) in hits {
        let (joints, weights) = maps.slots(*v);
        for (j, w) in joints.iter().zip(weights) {
            if let Some(sum) = sums.get_mut(usize::from(*j)).filter(|_| *w > 0.0) {
                *sum += f64::from(*w) * f64::from(*p);
                all += f64::from(*w) * f64::from(*p);
            }
        }
    }
    let mut order: Vec<usize> = (0..sums.len()).filter(|j| sums[*j] > 0.0).collect();
    order.sort_by(|a, b| sums[*b].total_cmp(&sums[*a]));
    let mut list = Influences::default();
    order.into_iter().take(super::MOST / 2).for_each(|j| list.add(j as u16, (sums[j] / all) as f32));
    list
}
