//! Tools that work on many vertices at once: on a draft of a canvas's weights, which then becomes edits.

use std::collections::BTreeMap;

use glam::Vec3;
use rayon::prelude::*;

use super::{
    Brush, Canvas, Influences, Maps, MirrorMap, Refusal, Rule,
    canvas::NOWHERE,
    quick,
    share::{self, normalize},
    stroke::mean,
};
use crate::model::{Document, WeightMap, WeightPatch};

/// What a tool may touch, and what it must not.
#[derive(Clone, Copy, Debug)]
pub struct Scope<'a> {
    /// By the skin's joints: those that never move.
    pub locked: &'a [bool],
    /// The most joints a vertex may have.
    pub limit: usize,
    /// By the canvas's vertices, those that are touched; nothing: all.
    pub vertices: Option<&'a [bool]>,
}

impl Scope<'_> {
    #[inline]
    fn has(&self, vertex: u32) -> bool {
        self.vertices.is_none_or(|list| list[vertex as usize])
    }
}

/// How often vertices were left as they are, and why.
pub type Refused = BTreeMap<Refusal, usize>;

/// A change of one part's weights.
#[derive(Clone, Debug, PartialEq)]
pub enum PartChange {
    /// Few vertices.
    Patch(WeightPatch),
    /// All of it.
    Whole(WeightMap),
}

/// Weights of a canvas while they are worked on.
#[derive(Clone, Debug)]
pub struct Draft<'a> {
    canvas: &'a Canvas,
    maps: Vec<WeightMap>,
}

/// Vertices a task.
const CHUNK: usize = 4_096;

/// A vertex as it is, before anything is done to it.
struct Look<'a> {
    /// Its number in the part.
    own: u32,
    /// Its number in the canvas.
    vertex: u32,
    map: &'a WeightMap,
    joints: &'a [u16],
    weights: &'a [f32],
}

impl Look<'_> {
    #[cold]
    fn influences(&self) -> Influences {
        Influences::of(self.map, self.own as usize)
    }
}

/// Memory for one vertex: its own influences, which become the new ones, and others.
#[derive(Default)]
struct Scratch {
    list: Influences,
    other: Influences,
}

/// What becomes of the vertices of a chunk.
#[derive(Default)]
struct Found {
    refused: Refused,
    /// Those that change, by their numbers in the part, with their slots.
    vertices: Vec<u32>,
    joints: Vec<u16>,
    weights: Vec<f32>,
    /// Those that stood for a weight that is no number.
    mended: Vec<u32>,
}

impl Found {
    #[inline]
    fn keep(&mut self, look: &Look<'_>, list: &Influences) {
        if !look.map.not_numbers.is_empty() && look.map.not_numbers.binary_search(&look.own).is_ok() {
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
}

fn rule<'a>(scope: &Scope<'a>, canvas: &'a Canvas, map: &WeightMap) -> Rule<'a> {
    Rule {
        locked: scope.locked,
        parents: canvas.parents(),
        limit: scope.limit.clamp(1, map.stride()),
        encoding: map.encoding,
        pairs: &[],
        turned: false,
    }
}

impl<'a> Draft<'a> {
    /// The weights as they are.
    pub fn new(document: &Document, canvas: &'a Canvas) -> Self {
        let maps = canvas.maps(document);
        Self { canvas, maps: (0..canvas.parts().len()).map(|k| maps.part(k).clone()).collect() }
    }

    /// The weights of a part.
    pub fn map(&self, part: usize) -> &WeightMap {
        &self.maps[part]
    }

    /// What differs from the document now, part by part.
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
                let range = *v as usize * stride..(*v as usize + 1) * stride;
                before.joints[range.clone()] != after.joints[range.clone()]
                    || before.weights[range.clone()] != after.weights[range]
                    || before.not_numbers.binary_search(v).is_ok() != after.not_numbers.binary_search(v).is_ok()
            };
            let changed: Vec<u32> = (0..after.vertex_count() as u32).filter(differs).collect();
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

    /// Does something to every vertex of the scope that passes the test, from the weights as they are now. What is refused,
    /// or of which the work says no, stays as it is; and nothing is written where nothing changes.
    fn each(
        &mut self,
        scope: &Scope<'_>,
        test: impl Fn(&Look<'_>) -> bool + Sync,
        work: impl Fn(&Maps<'_>, u32, &mut Scratch, &Rule<'_>) -> Result<bool, Refusal> + Sync,
    ) -> Refused {
        self.each_of(scope, &[], test, work)
    }

    /// As [`Draft::each`]. Of a part that has a list, the vertices in it and no others; it is in rising order.
    fn each_of(
        &mut self,
        scope: &Scope<'_>,
        lists: &[Option<Vec<u32>>],
        test: impl Fn(&Look<'_>) -> bool + Sync,
        work: impl Fn(&Maps<'_>, u32, &mut Scratch, &Rule<'_>) -> Result<bool, Refusal> + Sync,
    ) -> Refused {
        let canvas = self.canvas;
        let maps = Maps::of(canvas, self.maps.iter());
        let mut found: Vec<Vec<Found>> = Vec::with_capacity(self.maps.len());
        for (index, (part, map)) in canvas.parts().iter().zip(&self.maps).enumerate() {
            let own = part.first as usize..(part.first + part.count) as usize;
            if scope.vertices.is_some_and(|list| !list[own].contains(&true)) {
                found.push(Vec::new());
                continue;
            }
            let stride = map.stride();
            let rule = rule(scope, canvas, map);
            let chunks = map.joints.par_chunks(CHUNK * stride).zip(map.weights.par_chunks(CHUNK * stride)).enumerate();
            let run = |(chunk, (joints, weights)): (usize, (&[u16], &[f32]))| {
                let mut scratch = Scratch::default();
                let mut out = Found::default();
                let slots = joints.chunks_exact(stride).zip(weights.chunks_exact(stride));
                let mut one = |k: usize, joints: &[u16], weights: &[f32]| {
                    let own = (chunk * CHUNK + k) as u32;
                    let vertex = part.first + own;
                    let look = Look { own, vertex, map, joints, weights };
                    if !scope.has(vertex) || !test(&look) {
                        return;
                    }
                    let read = scratch.list.read(joints, weights, &rule);
                    match read.and_then(|()| work(&maps, vertex, &mut scratch, &rule)) {
                        Ok(false) => {}
                        Ok(true) => out.keep(&look, &scratch.list),
                        Err(why) => *out.refused.entry(why).or_default() += 1,
                    }
                };
                match lists.get(index).and_then(Option::as_ref) {
                    None => slots.enumerate().for_each(|(k, (js, ws))| one(k, js, ws)),
                    Some(list) => {
                        let at = |chunk: usize| list.partition_point(|v| (*v as usize) < chunk * CHUNK);
                        for v in &list[at(chunk)..at(chunk + 1)] {
                            let k = *v as usize % CHUNK;
                            let slots = k * stride..(k + 1) * stride;
                            one(k, &joints[slots.clone()], &weights[slots]);
                        }
                    }
                }
                out
            };
            found.push(chunks.map(run).collect());
        }
        let mut refused = Refused::new();
        for (map, found) in self.maps.iter_mut().zip(found) {
            for (why, count) in found.iter().flat_map(|f| &f.refused) {
                *refused.entry(*why).or_default() += count;
            }
            let mended: Vec<u32> = found.iter().flat_map(|f| f.mended.iter().copied()).collect();
            if !mended.is_empty() {
                let left = map.not_numbers.iter().copied().filter(|v| mended.binary_search(v).is_err());
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
                let slots = found.joints.chunks_exact(stride).zip(found.weights.chunks_exact(stride));
                for (own, (js, ws)) in found.vertices.iter().zip(slots) {
                    let at = (*own as usize % CHUNK) * stride;
                    joints[at..at + stride].copy_from_slice(js);
                    weights[at..at + stride].copy_from_slice(ws);
                }
            });
        }
        refused
    }

    /// Makes the weights of every vertex sum to 1. A vertex without weights takes what its neighbours have; where there are
    /// none, the nearest unlocked joint. What breaks no rule keeps its bits.
    pub fn normalize(&mut self, scope: &Scope<'_>) -> Refused {
        let plain = scope.vertices.is_none() && !scope.locked.contains(&true);
        let quick =
            |map: &mut WeightMap| if plain { quick::normalize(map, scope.locked.len(), scope.limit) } else { None };
        // By the parts, what the quick way left over; nothing where it did not run.
        let odd: Vec<Option<Vec<u32>>> = self.maps.iter_mut().map(quick).collect();
        if odd.iter().all(|list| list.as_ref().is_some_and(Vec::is_empty)) {
            return Refused::new();
        }
        let broken = |look: &Look<'_>| {
            super::fault(look.map, look.own as usize, scope.limit.clamp(1, look.map.stride())).is_some()
        };
        let mut refused =
            self.each_of(scope, &odd, broken, |_, _, s, rule| normalize(&mut s.list, rule).map(|()| true));
        if refused.remove(&Refusal::NobodyTakes).is_some() {
            for (why, count) in self.fill(scope) {
                *refused.entry(why).or_default() += count;
            }
        }
        refused
    }

    /// Gives vertices where nobody takes the rest what their neighbours have, ring by ring, and what hangs nowhere the
    /// nearest joint.
    fn fill(&mut self, scope: &Scope<'_>) -> Refused {
        let canvas = self.canvas;
        let mut open = vec![false; canvas.vertex_count()];
        let mut list = Influences::default();
        for (part, map) in canvas.parts().iter().zip(&self.maps) {
            let rule = rule(scope, canvas, map);
            for own in (0..part.count).filter(|own| scope.has(part.first + own)) {
                let at = own as usize * map.stride()..(own as usize + 1) * map.stride();
                let done = list.read(&map.joints[at.clone()], &map.weights[at], &rule);
                let done = done.and_then(|()| normalize(&mut list, &rule));
                open[(part.first + own) as usize] = done == Err(Refusal::NobodyTakes);
            }
        }
        let mut refused = Refused::new();
        let mut front: Vec<u32> = (0..open.len() as u32).filter(|v| open[*v as usize]).collect();
        loop {
            let maps = Maps::of(canvas, self.maps.iter());
            let around = |v: &u32| {
                let mut list = Influences::default();
                mean(canvas, &maps, canvas.place_of(*v), &mut list);
                let found = list.iter().any(|(j, w)| w > 0.0 && !scope.locked.get(usize::from(j)).is_none_or(|l| *l));
                found.then_some((*v, list))
            };
            let found: Vec<(u32, Influences)> = front.par_iter().with_min_len(256).filter_map(around).collect();
            if found.is_empty() {
                break;
            }
            // Only what lies around those can find something that it did not find before.
            let done: Vec<u32> = found.iter().map(|(v, _)| *v).collect();
            done.iter().for_each(|v| open[*v as usize] = false);
            front = done.iter().flat_map(|v| canvas.ring(canvas.place_of(*v))).copied().collect();
            front = front.iter().flat_map(|p| canvas.vertices_at(*p)).copied().filter(|v| open[*v as usize]).collect();
            front.sort_unstable();
            front.dedup();
            for (why, count) in self.put(scope, found) {
                *refused.entry(why).or_default() += count;
            }
        }
        let left: Vec<u32> = (0..open.len() as u32).filter(|v| open[*v as usize]).collect();
        let nearest: Vec<(u32, Influences)> =
            left.iter().filter_map(|v| Some((*v, self.nearest_joint(*v, scope)?))).collect();
        let nobody = left.len() - nearest.len();
        if nobody > 0 {
            *refused.entry(Refusal::NobodyTakes).or_default() += nobody;
        }
        for (why, count) in self.put(scope, nearest) {
            *refused.entry(why).or_default() += count;
        }
        refused
    }

    fn nearest_joint(&self, vertex: u32, scope: &Scope<'_>) -> Option<Influences> {
        let at = self.canvas.rest()[self.canvas.place_of(vertex) as usize];
        let heads = self.canvas.heads().iter().enumerate();
        let open = heads.filter(|(k, p)| p.is_finite() && !scope.locked.get(*k).copied().unwrap_or(true));
        let (joint, _) = open.min_by(|a, b| a.1.distance_squared(at).total_cmp(&b.1.distance_squared(at)))?;
        let mut list = Influences::default();
        list.add(joint as u16, 1.0);
        Some(list)
    }

    /// Puts influences on vertices: the unlocked weights become these.
    pub fn put(&mut self, scope: &Scope<'_>, list: impl IntoIterator<Item = (u32, Influences)>) -> Refused {
        let mut refused = Refused::new();
        let mut now = Influences::default();
        for (vertex, target) in list {
            let (part, own) = self.canvas.part_of(vertex);
            let map = &mut self.maps[part];
            let stride = map.stride();
            let rule = rule(scope, self.canvas, map);
            let range = own as usize * stride..(own as usize + 1) * stride;
            let joints = &mut map.joints.make_mut()[range.clone()];
            let weights = &mut map.weights.make_mut()[range];
            match now.read(joints, weights, &rule).and_then(|()| share::blend(&mut now, &target, 1.0, &rule)) {
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

    /// Leaves every vertex the joints that move it most, no more than the scope's limit.
    pub fn limit(&mut self, scope: &Scope<'_>) -> Refused {
        // Slots first: a joint that is there twice is one of them.
        let many = |look: &Look<'_>| {
            look.weights.iter().filter(|w| **w > 0.0).count() > scope.limit && look.influences().len() > scope.limit
        };
        self.each(scope, many, |_, _, s, rule| normalize(&mut s.list, rule).map(|()| true))
    }

    /// Drops unlocked weights below a value, but never the last one.
    pub fn prune(&mut self, below: f32, scope: &Scope<'_>) -> Refused {
        let small = |look: &Look<'_>| look.weights.iter().fold(false, |any, w| any | ((*w > 0.0) & (*w < below)));
        self.each(scope, small, |_, _, s, rule| {
            // Two slots of a joint are one.
            if !s.list.iter().any(|(_, w)| w < below) {
                return Ok(false);
            }
            let strongest = s.list.iter().map(|(_, w)| w).fold(0.0, f32::max);
            s.other.clear();
            for (j, w) in s.list.iter() {
                let locked = rule.locked.get(usize::from(j)).copied().unwrap_or(false);
                if locked || w >= below || w == strongest {
                    s.other.add(j, w);
                }
            }
            std::mem::swap(&mut s.list, &mut s.other);
            normalize(&mut s.list, rule).map(|()| true)
        })
    }

    /// Rounds unlocked weights to a number of even steps.
    pub fn quantize(&mut self, steps: u32, scope: &Scope<'_>) -> Refused {
        let steps = steps.max(1) as f32;
        self.each(
            scope,
            |_| true,
            |_, _, s, rule| {
                s.other.clear();
                let mut open = false;
                for (j, w) in s.list.iter() {
                    let locked = rule.locked.get(usize::from(j)).copied().unwrap_or(false);
                    let value = if locked { w } else { (w * steps).round() / steps };
                    open |= !locked && value > 0.0;
                    s.other.add(j, value);
                }
                if open {
                    std::mem::swap(&mut s.list, &mut s.other);
                }
                normalize(&mut s.list, rule).map(|()| true)
            },
        )
    }

    /// Moves every vertex towards the mean of its neighbours, so often and so far. With `by_distance`, near neighbours count
    /// more: that relaxes without washing out what is dense. `joint` alone, where one is given.
    pub fn smooth(
        &mut self,
        passes: usize,
        amount: f32,
        by_distance: bool,
        joint: Option<u16>,
        scope: &Scope<'_>,
    ) -> Refused {
        let mut refused = Refused::new();
        let canvas = self.canvas;
        for _ in 0..passes {
            refused = self.each(
                scope,
                |_| true,
                |maps, vertex, Scratch { list, other }, rule| {
                    let place = canvas.place_of(vertex);
                    if by_distance {
                        near_mean(canvas, maps, place, other)
                    } else {
                        mean(canvas, maps, place, other)
                    }
                    if other.is_empty() {
                        return Ok(false);
                    }
                    let done = match joint {
                        Some(joint) => {
                            let now = list.get(joint);
                            let wish = (now + amount * (other.get(joint) - now)).clamp(0.0, 1.0);
                            share::paint(list, &[(joint, wish)], rule, |out| mean(canvas, maps, place, out))
                        }
                        None => share::blend(list, other, amount, rule),
                    };
                    done.map(|()| true)
                },
            );
        }
        refused
    }

    /// Hammers stray vertices flat: those that have little in common with all of their neighbours, which agree among
    /// themselves. How many there were.
    pub fn hammer(&mut self, most_in_common: f32, scope: &Scope<'_>) -> (usize, Refused) {
        let strays = strays(self.canvas, &Maps::of(self.canvas, self.maps.iter()), most_in_common);
        let mut only = vec![false; self.canvas.vertex_count()];
        let mut count = 0;
        for place in strays {
            for v in self.canvas.vertices_at(place) {
                only[*v as usize] = scope.has(*v);
                count += usize::from(scope.has(*v));
            }
        }
        let refused = self.smooth(1, 1.0, false, None, &Scope { vertices: Some(&only), ..*scope });
        (count, refused)
    }

    /// Copies one side to the other: the places where `from_high` says which side of the plane gives. On the plane both
    /// sides are made alike.
    pub fn mirror(
        &mut self,
        mirror: &MirrorMap,
        axis: usize,
        offset: f32,
        from_high: bool,
        scope: &Scope<'_>,
    ) -> Refused {
        let canvas = self.canvas;
        let rest = canvas.rest();
        let takes = |look: &Look<'_>| {
            let place = canvas.place_of(look.vertex);
            let partner = mirror.place(place);
            let high = rest[place as usize][axis] > offset;
            partner != NOWHERE && (partner == place || high != from_high)
        };
        self.each(scope, takes, |maps, vertex, Scratch { list, other }, rule| {
            let place = canvas.place_of(vertex);
            let partner = mirror.place(place);
            let (joints, weights) = maps.slots(canvas.first_at(partner));
            other.clear();
            for (j, w) in joints.iter().zip(weights).filter(|(_, w)| **w > 0.0) {
                let joint = mirror.joint(*j);
                other.add(if joint == u16::MAX { *j } else { joint }, *w);
            }
            let rule = Rule { pairs: mirror.joints(), turned: partner < place, ..*rule };
            if partner == place {
                // On the plane, the mean of both sides is its own mirror.
                let wide = Rule { limit: share::MOST, ..rule };
                return share::blend(list, other, 0.5, &wide)
                    .and_then(|()| share::even_out(list, &[], &rule))
                    .map(|()| true);
            }
            share::blend(list, other, 1.0, &rule).map(|()| true)
        })
    }

    /// Gives a joint the value that a brush gives it, by each vertex's amount: floods and gradients.
    pub fn flood(
        &mut self,
        brush: &Brush,
        joint: u16,
        amounts: impl Fn(u32) -> f32 + Sync,
        scope: &Scope<'_>,
    ) -> Refused {
        let canvas = self.canvas;
        self.each(
            scope,
            |_| true,
            |maps, vertex, Scratch { list, .. }, rule| {
                let amount = amounts(vertex) * brush.strength;
                if amount <= 0.0 {
                    return Ok(false);
                }
                let wish = brush.value_for(list.get(joint), amount);
                let around = |out: &mut Influences| mean(canvas, maps, canvas.place_of(vertex), out);
                share::paint(list, &[(joint, wish)], rule, around).map(|()| true)
            },
        )
    }

    /// The mean of the vertices of the scope.
    pub fn mean(&self, scope: &Scope<'_>) -> Influences {
        let maps = Maps::of(self.canvas, self.maps.iter());
        let mut sums = vec![0.0f64; scope.locked.len()];
        let mut all = 0.0f64;
        for v in (0..self.canvas.vertex_count() as u32).filter(|v| scope.has(*v)) {
            let (joints, weights) = maps.slots(v);
            for (j, w) in joints.iter().zip(weights) {
                if let Some(sum) = sums.get_mut(usize::from(*j)).filter(|_| *w > 0.0) {
                    *sum += f64::from(*w);
                    all += f64::from(*w);
                }
            }
        }
        let mut order: Vec<usize> = (0..sums.len()).filter(|j| sums[*j] > 0.0).collect();
        order.sort_by(|a, b| sums[*b].total_cmp(&sums[*a]));
        let mut list = Influences::default();
        order.into_iter().take(super::MOST / 2).for_each(|j| list.add(j as u16, (sums[j] / all) as f32));
        list
    }

    /// Gives every part another number of sets. Fewer keep the strongest weights.
    pub fn set_sets(&mut self, sets: usize, scope: &Scope<'_>) -> Refused {
        let mut refused = Refused::new();
        for map in &mut self.maps {
            if map.sets == sets {
                continue;
            }
            let (old, new) = (map.stride(), sets * 4);
            let count = map.vertex_count();
            let mut joints = vec![0u16; count * new];
            let mut weights = vec![0.0f32; count * new];
            let rule = Rule {
                locked: scope.locked,
                parents: self.canvas.parents(),
                limit: new,
                encoding: map.encoding,
                pairs: &[],
                turned: false,
            };
            let mut list = Influences::default();
            for v in 0..count {
                let (js, ws) = (&map.joints[v * old..(v + 1) * old], &map.weights[v * old..(v + 1) * old]);
                let (to_j, to_w) = (&mut joints[v * new..(v + 1) * new], &mut weights[v * new..(v + 1) * new]);
                if new >= old {
                    // More room changes no weight.
                    to_j[..old].copy_from_slice(js);
                    to_w[..old].copy_from_slice(ws);
                    continue;
                }
                // Where locked joints leave no way, the strongest stay, and the sum is reported as a fault.
                let done = list.read(js, ws, &rule).and_then(|()| normalize(&mut list, &rule));
                if let Err(why) = done {
                    *refused.entry(why).or_default() += 1;
                    let mut order: Vec<usize> = (0..old).collect();
                    order.sort_by(|a, b| ws[*b].total_cmp(&ws[*a]));
                    for (slot, k) in order.into_iter().take(new).enumerate() {
                        (to_j[slot], to_w[slot]) = (js[k], ws[k]);
                    }
                } else {
                    list.write(to_j, to_w);
                }
            }
            *map = WeightMap {
                sets,
                joints: joints.into(),
                weights: weights.into(),
                encoding: map.encoding,
                not_numbers: map.not_numbers.clone(),
            };
        }
        refused
    }
}

/// The mean of the places around, each by 1 over its distance at rest.
fn near_mean(canvas: &Canvas, maps: &Maps<'_>, place: u32, out: &mut Influences) {
    out.clear();
    let rest = canvas.rest();
    let here = rest[place as usize];
    let factor = |p: &u32| 1.0 / rest[*p as usize].distance(here).max(1e-12);
    let sum: f32 = canvas.ring(place).iter().map(factor).sum();
    for p in canvas.ring(place) {
        let (joints, weights) = maps.slots(canvas.first_at(*p));
        for (j, w) in joints.iter().zip(weights).filter(|(_, w)| **w > 0.0) {
            out.add(*j, *w * factor(p) / sum);
        }
    }
}

/// What two lists have in common, 0 to 1 where both sum to 1: `Σ min(a, b)`.
pub fn in_common(a: &Influences, b: &Influences) -> f32 {
    a.iter().map(|(j, w)| w.min(b.get(j))).sum()
}

/// Places that have little in common with the mean of their neighbours, though each neighbour has much in common with it.
pub fn strays(canvas: &Canvas, maps: &Maps<'_>, most_in_common: f32) -> Vec<u32> {
    let is_stray = |place: &u32| {
        let own = |p: u32| {
            let (map, v) = maps.map_of(canvas.first_at(p));
            Influences::of(map, v)
        };
        let mut around = Influences::default();
        mean(canvas, maps, *place, &mut around);
        canvas.ring(*place).len() > 2
            && in_common(&own(*place), &around) < most_in_common
            && canvas.ring(*place).iter().all(|p| in_common(&own(*p), &around) > 2.0 * most_in_common)
    };
    (0..canvas.place_count() as u32).into_par_iter().with_min_len(1024).filter(is_stray).collect()
}

/// A gradient's amount at a spot: along the line from `from` (1) to `to` (0), or by the distance from `from`.
pub fn gradient(from: Vec3, to: Vec3, radial: bool, falloff: super::Falloff) -> impl Fn(Vec3) -> f32 {
    let way = to - from;
    let length = way.length().max(1e-12);
    move |p| {
        let part = if radial { p.distance(from) / length } else { (p - from).dot(way) / (length * length) };
        falloff.at(1.0 - part.clamp(0.0, 1.0))
    }
}
