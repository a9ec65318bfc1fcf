//! A stroke: dab after dab, each a sparse change of the weights it touches.
//!
//! A vertex remembers how it was when the stroke began and the strongest dab so far, so that going over it twice does not
//! paint it twice. Brushes that mix whole vertices work on what is there now: one rubs until it is smooth.

use std::collections::BTreeMap;

use glam::Vec3;
use rayon::prelude::*;

use super::{
    Brush, BrushKind, Canvas, Influences, Maps, MirrorMap, PosedCanvas, Refusal, Rule, Touch,
    canvas::NOWHERE,
    reach::{ReachScratch, reach},
    share,
};
use crate::model::WeightPatch;

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

/// Vertices a task.
const CHUNK: usize = 2_048;

/// How the vertices of a part were when the stroke came to them.
#[derive(Clone, Debug, Default)]
struct Starts {
    joints: Vec<u16>,
    weights: Vec<f32>,
}

/// A stroke under way.
#[derive(Clone, Debug, Default)]
pub struct Stroke {
    /// The strongest amount so far, by vertex: of the brush, and of its mirror.
    coverage: [Vec<f32>; 2],
    /// Where a vertex's start is, by vertex, in the starts of its part.
    start_of: Vec<u32>,
    starts: Vec<Starts>,
    /// Those that have a start.
    started: Vec<u32>,
    /// One bit a vertex, all 0 between dabs.
    marks: Vec<u64>,
    /// Amounts of the present dab, by vertex.
    amounts: [Vec<f32>; 2],
    reach: ReachScratch,
    hits: Vec<(u32, f32)>,
    refused: BTreeMap<Refusal, usize>,
}

/// What happened to a vertex.
#[derive(Clone, Copy)]
enum Outcome {
    Same,
    Changed,
    Refused(Refusal),
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
        for v in self.started.drain(..) {
            self.start_of[v as usize] = NOWHERE;
            self.coverage.iter_mut().for_each(|list| list[v as usize] = 0.0);
        }
        self.coverage.iter_mut().chain(&mut self.amounts).for_each(|list| list.resize(count, 0.0));
        self.start_of.resize(count, NOWHERE);
        self.marks.resize(count.div_ceil(64), 0);
        self.starts.clear();
        self.starts.resize_with(canvas.parts().len(), Starts::default);
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
        let patches = self.apply(maps, canvas, posed, dab.motion, paint, &hits, |p| brush.falloff.at(p) * strength);
        self.hits = hits;
        patches
    }

    /// Paints given vertices, each with an amount of 1 times `amount`: floods and gradients too.
    pub(super) fn apply(
        &mut self,
        maps: &Maps<'_>,
        canvas: &Canvas,
        posed: PosedCanvas<'_>,
        motion: Vec3,
        paint: &Paint<'_>,
        hits: &[(u32, f32)],
        amount: impl Fn(f32) -> f32,
    ) -> Vec<(usize, WeightPatch)> {
        let touched = self.spread(canvas, paint, hits, amount);
        let once = paint.brush.kind.is_of_one_joint() && !paint.brush.build_up;
        let work = Work {
            canvas,
            maps,
            posed,
            paint,
            motion,
            average: (paint.brush.kind == BrushKind::Average).then(|| average(canvas, maps, hits)),
        };
        let mut patches = Vec::new();
        let mut from = 0;
        for (index, part) in canvas.parts().iter().enumerate() {
            let to = from + touched[from..].partition_point(|v| *v < part.first + part.count);
            let mine = &touched[from..to];
            from = to;
            if mine.is_empty() {
                continue;
            }
            let map = maps.part(index);
            let stride = map.stride();
            let starts = &mut self.starts[index];
            let (all_joints, all_weights): (&[u16], &[f32]) = (&map.joints, &map.weights);
            if once {
                for v in mine {
                    if self.start_of[*v as usize] != NOWHERE {
                        continue;
                    }
                    let at = (*v - part.first) as usize * stride;
                    self.start_of[*v as usize] = (starts.weights.len() / stride) as u32;
                    self.started.push(*v);
                    starts.joints.extend_from_slice(&all_joints[at..at + stride]);
                    starts.weights.extend_from_slice(&all_weights[at..at + stride]);
                }
            }
            let rule = Rule {
                locked: paint.locked,
                parents: canvas.parents(),
                limit: paint.limit.clamp(1, stride),
                encoding: map.encoding,
                pairs: paint.mirror.map_or(&[], |m| m.joints()),
                turned: false,
            };
            let mut patch = WeightPatch { sets: map.sets, ..WeightPatch::default() };
            patch.vertices.extend(mine.iter().map(|v| v - part.first));
            patch.joints.resize(mine.len() * stride, 0);
            patch.weights.resize(mine.len() * stride, 0.0);
            let mut outcomes = vec![Outcome::Same; mine.len()];
            let (start_of, amounts, starts) = (&self.start_of, &self.amounts, &*starts);
            let run = |vertices: &[u32], joints: &mut [u16], weights: &mut [f32], outcomes: &mut [Outcome]| {
                let mut list = Influences::default();
                let mut target = Influences::default();
                let slots = joints.chunks_exact_mut(stride).zip(weights.chunks_exact_mut(stride));
                for ((v, (js, ws)), outcome) in vertices.iter().zip(slots).zip(outcomes) {
                    let at = (*v - part.first) as usize * stride;
                    let now = (&all_joints[at..at + stride], &all_weights[at..at + stride]);
                    let from = if once {
                        let start = start_of[*v as usize] as usize * stride;
                        (&starts.joints[start..start + stride], &starts.weights[start..start + stride])
                    } else {
                        now
                    };
                    let done = list.read(from.0, from.1, &rule).and_then(|()| {
                        let amount = [amounts[0][*v as usize], amounts[1][*v as usize]];
                        work.vertex(*v, amount, &mut list, &mut target, &rule)
                    });
                    match done {
                        Ok(()) => {
                            list.write(js, ws);
                            if *js != *now.0 || *ws != *now.1 {
                                *outcome = Outcome::Changed;
                            }
                        }
                        Err(why) => *outcome = Outcome::Refused(why),
                    }
                }
            };
            if mine.len() <= CHUNK {
                run(mine, &mut patch.joints, &mut patch.weights, &mut outcomes);
            } else {
                mine.par_chunks(CHUNK)
                    .zip(patch.joints.par_chunks_mut(CHUNK * stride))
                    .zip(patch.weights.par_chunks_mut(CHUNK * stride))
                    .zip(outcomes.par_chunks_mut(CHUNK))
                    .for_each(|(((v, j), w), o)| run(v, j, w, o));
            }
            keep_changed(&mut patch, &outcomes, stride, &mut self.refused);
            if !patch.vertices.is_empty() {
                patches.push((index, patch));
            }
        }
        for v in touched {
            self.amounts[0][v as usize] = 0.0;
            self.amounts[1][v as usize] = 0.0;
        }
        patches
    }

    /// Amounts by vertex, on both sides; the vertices for which one grew, in rising order.
    fn spread(
        &mut self,
        canvas: &Canvas,
        paint: &Paint<'_>,
        hits: &[(u32, f32)],
        amount: impl Fn(f32) -> f32,
    ) -> Vec<u32> {
        let once = paint.brush.kind.is_of_one_joint() && !paint.brush.build_up;
        let mut touched = Vec::with_capacity(hits.len());
        let [direct, other] = &mut self.amounts;
        let mut sorted = true;
        for (v, p) in hits {
            let a = amount(*p);
            if a > 0.0 {
                sorted &= touched.last().is_none_or(|last| last < v);
                touched.push(*v);
                direct[*v as usize] = direct[*v as usize].max(a);
            }
        }
        if let Some(mirror) = paint.mirror {
            let own = touched.len();
            for k in 0..own {
                let a = direct[touched[k] as usize];
                let place = mirror.place(canvas.place_of(touched[k]));
                if place == NOWHERE {
                    continue;
                }
                for v in canvas.vertices_at(place) {
                    if other[*v as usize] == 0.0 {
                        touched.push(*v);
                    }
                    other[*v as usize] = other[*v as usize].max(a);
                }
            }
            sorted = false;
        }
        if !sorted {
            in_order(&mut touched, &mut self.marks);
        }
        if once {
            let [strongest, strongest_other] = &mut self.coverage;
            touched.retain(|v| {
                let v = *v as usize;
                let grew = direct[v] > strongest[v] || other[v] > strongest_other[v];
                strongest[v] = strongest[v].max(direct[v]);
                strongest_other[v] = strongest_other[v].max(other[v]);
                // What is painted is the strongest of each side, not of this dab.
                (direct[v], other[v]) = if grew { (strongest[v], strongest_other[v]) } else { (0.0, 0.0) };
                grew
            });
        }
        touched
    }
}

/// Puts vertices in order, each once, by bits that are all 0, and are again.
fn in_order(vertices: &mut Vec<u32>, marks: &mut [u64]) {
    let (mut low, mut high) = (usize::MAX, 0);
    for v in vertices.iter() {
        let word = *v as usize / 64;
        (low, high) = (low.min(word), high.max(word));
        marks[word] |= 1 << (v % 64);
    }
    vertices.clear();
    if low > high {
        return;
    }
    for (word, mark) in marks[low..=high].iter_mut().enumerate() {
        let word = low + word;
        let mut bits = std::mem::take(mark);
        while bits != 0 {
            vertices.push((word * 64) as u32 + bits.trailing_zeros());
            bits &= bits - 1;
        }
    }
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

/// Closes a patch up to the vertices that changed.
fn keep_changed(patch: &mut WeightPatch, outcomes: &[Outcome], stride: usize, refused: &mut BTreeMap<Refusal, usize>) {
    let mut kept = 0;
    for (k, outcome) in outcomes.iter().enumerate() {
        match outcome {
            Outcome::Changed => {
                if kept != k {
                    patch.vertices[kept] = patch.vertices[k];
                    patch.joints.copy_within(k * stride..(k + 1) * stride, kept * stride);
                    patch.weights.copy_within(k * stride..(k + 1) * stride, kept * stride);
                }
                kept += 1;
            }
            Outcome::Same => {}
            Outcome::Refused(why) => *refused.entry(*why).or_default() += 1,
        }
    }
    patch.vertices.truncate(kept);
    patch.joints.truncate(kept * stride);
    patch.weights.truncate(kept * stride);
}
