//! Tool that normalizes the weights of vertices.

use rayon::prelude::*;

use crate::{
    Influences, Maps, Refusal, Refused, Scope, WeightConstraints, WorkingWeights,
    draft::{Fast, Scratch, VertexView, rule, tally},
    fault_in,
    ids::to_index,
    means::mean,
    normalize::{normalize, normalize_map},
};
use ulna_model::{JointSlot, WeightMap};

impl WorkingWeights<'_> {
    /// Normalizes the weights of every vertex. A vertex without weights gets the mean weights of
    /// its neighbors. If it has no neighbors, it gets the nearest unlocked joint. Vertices with
    /// valid weights keep their bits.
    pub fn normalize(&mut self, scope: &Scope<'_>) -> Refused {
        let canvas = self.canvas;
        let quick = |map: &mut WeightMap| {
            let rule = rule(scope, canvas, map);
            if scope.vertices.is_none() { normalize_map(map, &rule) } else { None }
        };
        // Vertices that the vectorized code could not process, by part; `None` if it did not run.
        let odd: Vec<Option<Vec<u32>>> = self.maps.iter_mut().map(quick).collect();
        if odd.iter().all(|list| list.as_ref().is_some_and(Vec::is_empty)) {
            return Refused::new();
        }
        let broken = |look: &VertexView<'_>| {
            let most = scope.limit.clamp(1, look.map.stride());
            fault_in(look.map, to_index(look.own), most, scope.locked.len()).is_some()
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

    /// Fills vertices without weights, ring by ring, with the weights of their neighbors.
    /// Unconnected vertices get the nearest joint.
    fn fill(&mut self, mut front: Vec<u32>, scope: &Scope<'_>) -> Refused {
        let canvas = self.canvas;
        let mut open = vec![false; canvas.vertex_count()];
        front.iter().for_each(|v| open[to_index(*v)] = true);
        let mut refused = Refused::new();
        loop {
            let maps = Maps::of(canvas, self.maps.iter());
            let around = |v: &u32| {
                let mut list = Influences::default();
                mean(canvas, &maps, canvas.point_of(*v), &mut list);
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
            // Only neighbors of filled vertices can be filled next.
            let done: Vec<u32> = found.iter().map(|(v, _)| *v).collect();
            done.iter().for_each(|v| open[to_index(*v)] = false);
            front = done
                .iter()
                .flat_map(|v| canvas.ring(canvas.point_of(*v)))
                .flat_map(|p| canvas.vertices_at(*p))
                .copied()
                .filter(|v| open[to_index(*v)])
                .collect();
            front.sort_unstable();
            front.dedup();
            for (why, count) in self.put(scope, found) {
                *refused.entry(why).or_default() += count;
            }
        }
        let left: Vec<u32> =
            (0..).zip(&open).filter(|(_, is_open)| **is_open).map(|(v, _)| v).collect();
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
        let at = self.canvas.rest()[self.canvas.point_of(vertex).index()];
        let heads = self.canvas.heads();
        let open = JointSlot::first(heads.len()).zip(heads).filter(|(joint, p)| {
            p.is_finite() && !scope.locked.get(joint.index()).copied().unwrap_or(true)
        });
        let (joint, _) =
            open.min_by(|a, b| a.1.distance_squared(at).total_cmp(&b.1.distance_squared(at)))?;
        let mut list = Influences::default();
        list.add(joint.0, 1.0);
        Some(list)
    }
}
