//! The tools: what is done to many vertices of a draft at once.

use glam::Vec3;
use rayon::prelude::*;

use super::{
    Brush, Influences, Maps, MirrorMap, Refusal, Refused, Scope, SkinnedSurface, WeightConstraints,
    WorkingWeights,
    canvas::NOWHERE,
    draft::{Fast, Scratch, VertexView, rule, tally},
    fault_in, quick,
    share::{self, normalize},
    stroke::mean,
    volume::blend_keeping,
};
use ulna_model::WeightMap;

/// Shares as whole units that sum to `units`: what rounding down leaves goes to the largest
/// remainders, of equal ones to the larger share, then to the first (Hamilton's method).
fn in_units(shares: &[f64], units: f64) -> Vec<f64> {
    // A share that is on its unit but for rounding is on it.
    let floor = |share: f64| (share * units + 1e-4).floor();
    let mut whole: Vec<f64> = shares.iter().map(|s| floor(*s)).collect();
    let left = units - whole.iter().sum::<f64>();
    let mut order: Vec<usize> = (0..shares.len()).collect();
    let rest = |k: &usize| shares[*k] * units - floor(shares[*k]);
    order.sort_by(|a, b| {
        rest(b).total_cmp(&rest(a)).then(shares[*b].total_cmp(&shares[*a])).then(a.cmp(b))
    });
    order.iter().take(left.max(0.0) as usize).for_each(|k| whole[*k] += 1.0);
    whole
}

/// Puts unlocked weights on even steps, and those on the numbers that the stored type has; `room`
/// is scratch.
fn in_steps(
    list: &mut Influences,
    room: &mut Influences,
    steps: u32,
    rule: &WeightConstraints<'_>,
) {
    let is_locked = |j: u16| rule.locked.get(usize::from(j)).copied().unwrap_or(false);
    let sum = |locked: bool| {
        list.iter().filter(|(j, _)| is_locked(*j) == locked).map(|(_, w)| f64::from(w)).sum::<f64>()
    };
    let (free, open) = ((1.0 - sum(true)).max(0.0), sum(false));
    let units = (free * f64::from(steps)).round();
    if open <= 0.0 || units < 1.0 {
        return;
    }
    let shares: Vec<f64> =
        list.iter().filter(|(j, _)| !is_locked(*j)).map(|(_, w)| f64::from(w) / open).collect();
    let mut shares: Vec<f64> = in_units(&shares, units).into_iter().map(|u| u / units).collect();
    if let Some(one) = rule.encoding.one() {
        let stored = (free * f64::from(one)).round();
        shares = in_units(&shares, stored).into_iter().map(|u| u / f64::from(one) / free).collect();
    }
    let mut shares = shares.into_iter();
    room.clear();
    for (j, w) in list.iter() {
        let value = if is_locked(j) { w } else { (shares.next().unwrap_or(0.0) * free) as f32 };
        room.add(j, value);
    }
    std::mem::swap(list, room);
}

impl WorkingWeights<'_> {
    /// Makes the weights of every vertex sum to 1. A vertex without weights takes what its
    /// neighbors have; where there are none, the nearest unlocked joint. What breaks no rule keeps
    /// its bits.
    pub fn normalize(&mut self, scope: &Scope<'_>) -> Refused {
        let canvas = self.canvas;
        let quick = |map: &mut WeightMap| {
            let rule = rule(scope, canvas, map);
            if scope.vertices.is_none() { quick::normalize(map, &rule) } else { None }
        };
        // By the parts, what the quick way left over; nothing where it did not run.
        let odd: Vec<Option<Vec<u32>>> = self.maps.iter_mut().map(quick).collect();
        if odd.iter().all(|list| list.as_ref().is_some_and(Vec::is_empty)) {
            return Refused::new();
        }
        let broken = |look: &VertexView<'_>| {
            let most = scope.limit.clamp(1, look.map.stride());
            fault_in(look.map, look.own as usize, most, scope.locked.len()).is_some()
        };
        let fast = Fast::Group(&|quick, group, _| quick.normalize(group));
        let work = |_: &Maps<'_>, _: u32, s: &mut Scratch, rule: &WeightConstraints<'_>| {
            normalize(&mut s.list, rule).map(|()| true)
        };
        let left = self.each_of(scope, &odd, fast, broken, work);
        let mut refused = tally(&left);
        if refused.remove(&Refusal::NobodyTakes).is_some() {
            let open = left.iter().filter(|(_, why)| *why == Refusal::NobodyTakes).map(|(v, _)| *v);
            for (why, count) in self.fill(open.collect(), scope) {
                *refused.entry(why).or_default() += count;
            }
        }
        refused
    }

    /// Gives vertices where nobody takes the rest what their neighbors have, ring by ring, and
    /// what hangs nowhere the nearest joint.
    fn fill(&mut self, mut front: Vec<u32>, scope: &Scope<'_>) -> Refused {
        let canvas = self.canvas;
        let mut open = vec![false; canvas.vertex_count()];
        front.iter().for_each(|v| open[*v as usize] = true);
        let mut refused = Refused::new();
        loop {
            let maps = Maps::of(canvas, self.maps.iter());
            let around = |v: &u32| {
                let mut list = Influences::default();
                mean(canvas, &maps, canvas.place_of(*v), &mut list);
                let found = list
                    .iter()
                    .any(|(j, w)| w > 0.0 && !scope.locked.get(usize::from(j)).is_none_or(|l| *l));
                found.then_some((*v, list))
            };
            let found: Vec<(u32, Influences)> =
                front.par_iter().with_min_len(256).filter_map(around).collect();
            if found.is_empty() {
                break;
            }
            // Only what lies around those can find something that it did not find before.
            let done: Vec<u32> = found.iter().map(|(v, _)| *v).collect();
            done.iter().for_each(|v| open[*v as usize] = false);
            front = done.iter().flat_map(|v| canvas.ring(canvas.place_of(*v))).copied().collect();
            front = front
                .iter()
                .flat_map(|p| canvas.vertices_at(*p))
                .copied()
                .filter(|v| open[*v as usize])
                .collect();
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
        let open =
            heads.filter(|(k, p)| p.is_finite() && !scope.locked.get(*k).copied().unwrap_or(true));
        let (joint, _) =
            open.min_by(|a, b| a.1.distance_squared(at).total_cmp(&b.1.distance_squared(at)))?;
        let mut list = Influences::default();
        list.add(joint as u16, 1.0);
        Some(list)
    }

    /// Leaves every vertex the joints that move it most, no more than the scope's limit.
    pub fn limit(&mut self, scope: &Scope<'_>) -> Refused {
        // Slots first: a joint that is there twice is one of them.
        let many = |look: &VertexView<'_>| {
            look.weights.iter().filter(|w| **w > 0.0).count() > scope.limit
                && look.influences().len() > scope.limit
        };
        self.each(scope, Fast::None, many, |_, _, s, rule| {
            normalize(&mut s.list, rule).map(|()| true)
        })
    }

    /// Drops unlocked weights below a value, but never the last one.
    pub fn prune(&mut self, below: f32, scope: &Scope<'_>) -> Refused {
        let small = |look: &VertexView<'_>| {
            look.weights.iter().fold(false, |any, w| any | ((*w > 0.0) & (*w < below)))
        };
        let canvas = self.canvas;
        let quick = |map: &mut WeightMap| {
            let rule = rule(scope, canvas, map);
            if scope.vertices.is_none() { quick::prune(map, below, &rule) } else { None }
        };
        // By the parts, what the quick way left over; nothing where it did not run.
        let odd: Vec<Option<Vec<u32>>> = self.maps.iter_mut().map(quick).collect();
        let fast = Fast::Group(&|quick, group, _| quick.prune(group, below));
        let refused = self.each_of(scope, &odd, fast, small, |_, _, s, rule| {
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
        });
        tally(&refused)
    }

    /// As [`Self::prune`], of some joints alone.
    pub fn prune_joints(&mut self, joints: &[u16], below: f32, scope: &Scope<'_>) -> Refused {
        let small = |j: u16, w: f32| w > 0.0 && w < below && joints.contains(&j);
        let any = |look: &VertexView<'_>| {
            look.joints.iter().zip(look.weights).any(|(j, w)| small(*j, *w))
        };
        self.each(scope, Fast::None, any, |_, _, Scratch { list, other }, rule| {
            let strongest = list.iter().map(|(_, w)| w).fold(0.0, f32::max);
            let locked = |j: u16| rule.locked.get(usize::from(j)).copied().unwrap_or(false);
            other.clear();
            for (j, w) in
                list.iter().filter(|(j, w)| !small(*j, *w) || locked(*j) || *w == strongest)
            {
                other.add(j, w);
            }
            // Two slots of a joint are one, and may be large enough together.
            if other.len() == list.len() {
                return Ok(false);
            }
            std::mem::swap(list, other);
            normalize(list, rule).map(|()| true)
        })
    }

    /// Gives each of two joints the weights of the other; where one of them is locked, nothing.
    pub fn swap_joints(&mut self, a: u16, b: u16, scope: &Scope<'_>) -> Refused {
        let turned = |j: u16| match j {
            j if j == a => b,
            j if j == b => a,
            j => j,
        };
        self.recast(&[a, b], turned, scope)
    }

    /// Gives one joint the weights of others. A vertex on which one of them is locked stays as it
    /// is.
    pub fn merge_joints(&mut self, from: &[u16], into: u16, scope: &Scope<'_>) -> Refused {
        let from: Vec<u16> = from.iter().copied().filter(|j| *j != into).collect();
        self.recast(&from, |j| if from.contains(&j) { into } else { j }, scope)
    }

    /// Puts other joints in the place of some.
    fn recast(&mut self, of: &[u16], to: impl Fn(u16) -> u16 + Sync, scope: &Scope<'_>) -> Refused {
        let holds = |look: &VertexView<'_>| {
            look.joints.iter().zip(look.weights).any(|(j, w)| *w > 0.0 && of.contains(j))
        };
        self.each(scope, Fast::None, holds, |_, _, Scratch { list, other }, rule| {
            let locked = |j: u16| rule.locked.get(usize::from(j)).copied().unwrap_or(false);
            other.clear();
            for (j, w) in list.iter() {
                if w > 0.0 && to(j) != j && (locked(j) || locked(to(j))) {
                    return Err(Refusal::Locked);
                }
                other.add(to(j), w);
            }
            std::mem::swap(list, other);
            normalize(list, rule).map(|()| true)
        })
    }

    /// Rounds unlocked weights to a number of even steps that sum to 1: what rounding down leaves
    /// goes to the largest remainders (Hamilton's method). Done twice, it has done nothing more. A
    /// stored type that has fewer steps itself has its own.
    pub fn quantize(&mut self, steps: u32, scope: &Scope<'_>) -> Refused {
        self.each(
            scope,
            Fast::None,
            |_| true,
            |_, _, s, rule| {
                let steps = rule.encoding.one().map_or(steps, |one| steps.min(one)).max(1);
                // As many joints as may be, before the steps are dealt out.
                normalize(&mut s.list, rule)?;
                in_steps(&mut s.list, &mut s.other, steps, rule);
                normalize(&mut s.list, rule).map(|()| true)
            },
        )
    }

    /// Moves every vertex toward the mean of its neighbors, so often and so far. With
    /// `by_distance`, near neighbors count more: that relaxes without washing out what is dense.
    /// `joint` alone, where one is given.
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
        let before = self.maps.clone();
        for _ in 0..passes {
            refused = self.each(
                scope,
                Fast::None,
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
                            share::paint(list, &[(joint, wish)], rule, |out| {
                                mean(canvas, maps, place, out)
                            })
                        }
                        None => share::blend(list, other, amount, rule),
                    };
                    done.map(|()| true)
                },
            );
        }
        self.drop_traces(&before, scope);
        refused
    }

    /// Drops what smoothing leaves of far joints, of vertices that are other ones than before.
    fn drop_traces(&mut self, before: &[WeightMap], scope: &Scope<'_>) {
        let canvas = self.canvas;
        let was = Maps::of(canvas, before.iter());
        let has_traces = |look: &VertexView<'_>| {
            let least = share::least(look.map.encoding);
            let is_changed = || was.slots(look.vertex) != (look.joints, look.weights);
            look.weights.iter().any(|w| *w > 0.0 && *w < least) && is_changed()
        };
        self.each(scope, Fast::None, has_traces, |_, _, Scratch { list, .. }, rule| {
            share::drop_traces(list, rule)
        });
    }

    /// Moves every vertex toward its neighbors, the near ones more, so often and so far, but only
    /// as far as it keeps a part of its volume when joints are bent by 60 degrees, or what it had,
    /// and is strained no more than before beside its neighbors as they are.
    pub fn relax_keeping(
        &mut self,
        passes: usize,
        amount: f32,
        kept: f32,
        scope: &Scope<'_>,
    ) -> Refused {
        let mut refused = Refused::new();
        let canvas = self.canvas;
        let before = self.maps.clone();
        for _ in 0..passes {
            refused = self.each(
                scope,
                Fast::None,
                |_| true,
                |maps, vertex, Scratch { list, other }, rule| {
                    let place = canvas.place_of(vertex);
                    near_mean(canvas, maps, place, other);
                    if other.is_empty() {
                        return Ok(false);
                    }
                    blend_keeping((canvas, maps, place), list, other, (amount, kept), rule)
                },
            );
        }
        self.drop_traces(&before, scope);
        refused
    }

    /// Hammers stray vertices flat: those that have little in common with all of their neighbors,
    /// which agree among themselves. How many there were.
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

    /// Copies one side to the other: the places where `from_high` says which side of the plane
    /// gives. On the plane both sides are made alike. What is its mirror image already stays as it
    /// is stored.
    pub fn mirror(
        &mut self,
        mirror: &MirrorMap,
        axis: usize,
        offset: f32,
        from_high: bool,
        scope: &Scope<'_>,
    ) -> Refused {
        let canvas = self.canvas;
        // At hand: asking the canvas costs, vertex by vertex.
        let (topo, rest) = (canvas.topo(), canvas.rest());
        let any_locked = scope.locked.contains(&true);
        let before = self.maps.clone();
        let now = Maps::of(canvas, before.iter());
        let takes = |look: &VertexView<'_>| {
            let place = topo.place_of[look.vertex as usize];
            let partner = mirror.place(place);
            let high = rest[place as usize][axis] > offset;
            partner != NOWHERE
                && (partner == place || high != from_high)
                && !is_image(look, now.slots(topo.firsts[partner as usize]), mirror)
        };
        let turned = |quick: &quick::SimdNormalizer,
                      group: &mut quick::Group,
                      maps: &Maps<'_>,
                      vertices: &[u32]| {
            for (lane, vertex) in vertices.iter().enumerate() {
                let place = topo.place_of[*vertex as usize];
                let partner = mirror.place(place);
                let (joints, weights) = maps.slots(topo.firsts[partner as usize]);
                match (joints.as_array(), weights.as_array()) {
                    (Some(joints), Some(weights)) if partner != place => {
                        quick.put(group, lane, &joints.map(|j| mirror.across(j)), weights);
                    }
                    // What lies on the plane is not plain.
                    _ => quick.put(group, lane, &[0; 4], &[-1.0; 4]),
                }
            }
            quick.order(group);
        };
        let fast = if any_locked { Fast::None } else { Fast::Others(&turned) };
        self.each(scope, fast, takes, |maps, vertex, Scratch { list, other }, rule| {
            let place = canvas.place_of(vertex);
            let partner = mirror.place(place);
            let (joints, weights) = maps.slots(canvas.first_at(partner));
            other.clear();
            for (j, w) in joints.iter().zip(weights).filter(|(_, w)| **w > 0.0) {
                other.add(mirror.across(*j), *w);
            }
            let rule =
                WeightConstraints { pairs: mirror.joints(), turned: partner < place, ..*rule };
            if partner == place {
                // On the plane, the mean of both sides is its own mirror.
                let wide = WeightConstraints { limit: share::MOST, ..rule };
                return share::blend(list, other, 0.5, &wide)
                    .and_then(|()| share::equalize(list, &[], &rule))
                    .map(|()| true);
            }
            share::blend(list, other, 1.0, &rule).map(|()| true)
        })
    }

    /// Gives a joint the value that a brush gives it, by each vertex's amount: floods and
    /// gradients.
    pub fn flood(
        &mut self,
        brush: &Brush,
        joint: u16,
        amounts: impl Fn(u32) -> f32 + Sync,
        scope: &Scope<'_>,
    ) -> Refused {
        let canvas = self.canvas;
        let group = |quick: &quick::SimdNormalizer, group: &mut quick::Group, vertices: &[u32]| {
            vertices
                .iter()
                .enumerate()
                .for_each(|(k, v)| group.set_amount(k, amounts(*v) * brush.strength));
            quick.brush(group, joint, brush);
        };
        let quick =
            brush.kind.is_of_one_joint() && scope.locked.get(usize::from(joint)) == Some(&false);
        self.each(
            scope,
            if quick { Fast::Group(&group) } else { Fast::None },
            |look| amounts(look.vertex) * brush.strength > 0.0,
            |maps, vertex, Scratch { list, .. }, rule| {
                let amount = amounts(vertex) * brush.strength;
                let wish = brush.value_for(list.get(joint), amount);
                let around =
                    |out: &mut Influences| mean(canvas, maps, canvas.place_of(vertex), out);
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
        order
            .into_iter()
            .take(super::MOST / 2)
            .for_each(|j| list.add(j as u16, (sums[j] / all) as f32));
        list
    }

    /// Gives every part another number of sets. Fewer keep the strongest weights.
    pub fn set_sets(&mut self, sets: usize, scope: &Scope<'_>) -> Refused {
        let mut refused = Refused::new();
        for (part, map) in self.canvas.parts().iter().zip(&mut self.maps) {
            if map.sets == sets || !scope.has_any(part) {
                continue;
            }
            let (old, new) = (map.stride(), sets * 4);
            let count = map.vertex_count();
            let mut joints = vec![0u16; count * new];
            let mut weights = vec![0.0f32; count * new];
            let rule = WeightConstraints {
                locked: scope.locked,
                parents: self.canvas.parents(),
                limit: new,
                encoding: map.encoding,
                pairs: &[],
                turned: false,
            };
            let mut list = Influences::default();
            for v in 0..count {
                let (js, ws) =
                    (&map.joints[v * old..(v + 1) * old], &map.weights[v * old..(v + 1) * old]);
                let (to_j, to_w) =
                    (&mut joints[v * new..(v + 1) * new], &mut weights[v * new..(v + 1) * new]);
                if new >= old {
                    // More room changes no weight.
                    to_j[..old].copy_from_slice(js);
                    to_w[..old].copy_from_slice(ws);
                    continue;
                }
                // Where locked joints leave no way, the strongest stay, and the sum is reported as
                // a fault.
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

/// Whether a vertex has the mirror image of these slots, in whatever order and but for rounding.
fn is_image(
    look: &VertexView<'_>,
    (joints, weights): (&[u16], &[f32]),
    mirror: &MirrorMap,
) -> bool {
    /// A step of floats below 1.
    const ROUNDING: f32 = 1.2e-7;
    if !look.map.not_numbers.is_empty() && look.map.not_numbers.binary_search(&look.own).is_ok() {
        return false;
    }
    let used = |weights: &[f32]| weights.iter().filter(|w| **w != 0.0).count();
    // As many, and each of its own once among the others: a joint in two slots is not told apart
    // here.
    let is_once = |joint: u16, weight: f32| {
        let mut same =
            joints.iter().zip(weights).filter(|(j, w)| **w != 0.0 && mirror.across(**j) == joint);
        same.next().is_some_and(|(_, w)| (w - weight).abs() <= ROUNDING) && same.next().is_none()
    };
    let is_alone = |slot: usize| {
        let others = look.joints[..slot].iter().zip(look.weights);
        others.filter(|(_, w)| **w != 0.0).all(|(j, _)| *j != look.joints[slot])
    };
    let mut own = (0..look.joints.len()).filter(|k| look.weights[*k] != 0.0);
    used(look.weights) == used(weights)
        && own.all(|k| is_once(look.joints[k], look.weights[k]) && is_alone(k))
}

/// The mean of the places around, each by 1 over its distance at rest.
fn near_mean(canvas: &SkinnedSurface, maps: &Maps<'_>, place: u32, out: &mut Influences) {
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

/// Places that have little in common with the mean of their neighbors, though each neighbor has
/// much in common with it.
pub fn strays(canvas: &SkinnedSurface, maps: &Maps<'_>, most_in_common: f32) -> Vec<u32> {
    let is_stray = |place: &u32| is_stray(canvas, maps, *place, most_in_common);
    (0..canvas.place_count() as u32).into_par_iter().with_min_len(1024).filter(is_stray).collect()
}

/// Whether a place is one of [`strays`].
pub(super) fn is_stray(
    canvas: &SkinnedSurface,
    maps: &Maps<'_>,
    place: u32,
    most_in_common: f32,
) -> bool {
    let ring = canvas.ring(place);
    if ring.len() <= 2 {
        return false;
    }
    let own = |p: u32| {
        let (map, v) = maps.map_of(canvas.first_at(p));
        Influences::of(map, v)
    };
    let mut around = Influences::default();
    mean(canvas, maps, place, &mut around);
    in_common(&own(place), &around) < most_in_common
        && ring.iter().all(|p| in_common(&own(*p), &around) > 2.0 * most_in_common)
}

/// A gradient's amount at a spot: along the line from `from` (1) to `to` (0), or by the distance
/// from `from`.
pub fn gradient(
    from: Vec3,
    to: Vec3,
    radial: bool,
    falloff: super::Falloff,
) -> impl Fn(Vec3) -> f32 {
    let way = to - from;
    let length = way.length().max(1e-12);
    move |p| {
        let part = if radial {
            p.distance(from) / length
        } else {
            (p - from).dot(way) / (length * length)
        };
        falloff.at(1.0 - part.clamp(0.0, 1.0))
    }
}
