//! Limits of influences: their number per vertex, and their minimum weight.

use crate::{
    Refused, Scope, WeightConstraints, WorkingWeights,
    draft::{Fast, Scratch, VertexView, rule, tally},
    normalize::{normalize, prune, prune_map},
};
use ulna_model::WeightMap;

/// Writes to `other` the influences that remain when weak ones are dropped. Locked influences and
/// the strongest one always remain.
fn keep_strong(
    Scratch { list, other }: &mut Scratch,
    rule: &WeightConstraints<'_>,
    is_weak: impl Fn(u16, f32) -> bool,
) {
    let strongest = list.iter().map(|(_, w)| w).fold(0.0, f32::max);
    let is_locked = |j: u16| rule.locked.get(usize::from(j)).copied().unwrap_or(false);
    other.clear();
    for (j, w) in list.iter().filter(|(j, w)| !is_weak(*j, *w) || is_locked(*j) || *w == strongest)
    {
        other.add(j, w);
    }
}

impl WorkingWeights<'_> {
    /// Keeps the strongest joints of every vertex, up to the scope's limit.
    pub fn limit(&mut self, scope: &Scope<'_>) -> Refused {
        // Slots are counted before duplicates of a joint are merged.
        let many = |look: &VertexView<'_>| {
            look.weights.iter().filter(|w| **w > 0.0).count() > scope.limit
                && look.influences().len() > scope.limit
        };
        self.each(scope, Fast::None, many, |_, _, s, rule| {
            normalize(&mut s.list, rule).map(|()| true)
        })
    }

    /// Drops unlocked weights below `below`, except the largest of each vertex.
    pub fn prune(&mut self, below: f32, scope: &Scope<'_>) -> Refused {
        let small = |look: &VertexView<'_>| {
            look.weights.iter().fold(false, |any, w| any | ((*w > 0.0) & (*w < below)))
        };
        let canvas = self.canvas;
        let quick = |map: &mut WeightMap| {
            let rule = rule(scope, canvas, map);
            if scope.vertices.is_none() { prune_map(map, below, &rule) } else { None }
        };
        // Vertices that the vectorized code could not process, by part; `None` if it did not run.
        let odd: Vec<Option<Vec<u32>>> = self.maps.iter_mut().map(quick).collect();
        let fast = Fast::Group(&|quick, group, _| quick.prune(group, below));
        let refused = self.each_of(scope, &odd, fast, small, |_, _, s, rule| {
            // Duplicate slots of a joint are merged before the comparison.
            if !s.list.iter().any(|(_, w)| w < below) {
                return Ok(false);
            }
            prune(&mut s.list, below, rule).map(|()| true)
        });
        tally(&refused)
    }

    /// Drops weights below `below` like [`Self::prune`], but only those of some joints.
    pub fn prune_joints(&mut self, joints: &[u16], below: f32, scope: &Scope<'_>) -> Refused {
        let small = |j: u16, w: f32| w > 0.0 && w < below && joints.contains(&j);
        let any = |look: &VertexView<'_>| {
            look.joints.iter().zip(look.weights).any(|(j, w)| small(*j, *w))
        };
        self.each(scope, Fast::None, any, |_, _, s, rule| {
            keep_strong(s, rule, small);
            // Merged duplicate slots of a joint can reach the minimum together.
            if s.other.len() == s.list.len() {
                return Ok(false);
            }
            std::mem::swap(&mut s.list, &mut s.other);
            normalize(&mut s.list, rule).map(|()| true)
        })
    }
}
