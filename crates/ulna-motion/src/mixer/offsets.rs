//! Offsets of inertial transitions, which fade out the difference from the pose at a cut.

use super::{
    Mixer,
    inertia::{Inertia, Left, fading},
    lanes::MixSample,
};
use crate::{Evaluator, MorphOffset, Pose, Stack};
use ulna_model::{Document, NodeId, Shared};

/// Interval for the measurement of velocities, seconds.
const EPSILON: f64 = 1.0 / 480.0;

impl Mixer {
    /// Adds the offsets of the cut that is active at a time to a stack. Only the first `cuts` cuts
    /// are considered.
    pub(super) fn put_offsets(
        &mut self,
        document: &Document,
        time: f64,
        cuts: usize,
        stack: &mut Stack,
    ) {
        // Each cut includes the remaining offset of the previous cut.
        let Some(k) = self.cuts[..cuts].iter().rposition(|c| c.start <= time) else { return };
        let (start, length) = (self.cuts[k].start, self.cuts[k].length);
        if time >= start + length {
            return;
        }
        let inertia = self.inertia(document, k);
        let (u, length) = (((time - start) / length) as f32, length as f32);
        stack.offsets = inertia.nodes.iter().map(|left| left.at(u, length)).collect();
        let (place, way) = fading(u, length);
        let morphs = |(node, left): &(NodeId, Vec<[f32; 2]>)| MorphOffset {
            node: *node,
            weights: left.iter().map(|[value, velocity]| value * place + velocity * way).collect(),
        };
        stack.morph_offsets = inertia.morphs.iter().map(morphs).collect();
    }

    fn inertia(&mut self, document: &Document, k: usize) -> Shared<Inertia> {
        // Cuts that this one depends on are computed first, to avoid recursion.
        let mut first = k;
        while let Some(before) =
            self.cuts[..first].iter().rposition(|c| c.start <= self.cuts[first].start)
        {
            let (cut, at) = (&self.cuts[before], self.cuts[first].start);
            if cut.found.is_some() || at >= cut.start + cut.length {
                break;
            }
            first = before;
        }
        for k in first..k {
            self.inertia_of(document, k);
        }
        self.inertia_of(document, k)
    }

    fn inertia_of(&mut self, document: &Document, k: usize) -> Shared<Inertia> {
        if let Some(found) = &self.cuts[k].found {
            return found.clone();
        }
        let (start, until) = (self.cuts[k].start, (self.cuts[k].lane, self.cuts[k].place));
        let taken_up =
            self.cuts[..k].iter().map(|c| c.start).filter(|s| *s <= start).fold(0.0, f64::max);
        let back = EPSILON.min(start);
        let mut evaluator = Evaluator::default();
        let mut pose_of = |stack: &Stack| {
            let mut pose = Pose::default();
            evaluator.update(document, stack, &mut pose);
            pose
        };
        let [before, seen_now, now] =
            [(-back, true), (-back, false), (0.0, false)].map(|(step, far)| {
                let look = MixSample {
                    step,
                    far,
                    until: Some(until),
                    ending: true,
                    ..MixSample::at(start)
                };
                let mut stack = self.lanes_at(document, look);
                let time = if far { start + step } else { start };
                self.put_offsets(document, time.max(taken_up), k, &mut stack);
                pose_of(&stack)
            });
        let [to, target_now, after] =
            [(0.0, false), (EPSILON, false), (EPSILON, true)].map(|(step, far)| {
                pose_of(&self.lanes_at(document, MixSample { step, far, ..MixSample::at(start) }))
            });
        let spans = [back as f32, EPSILON as f32];
        let at = |pose: &Pose, node: NodeId| pose.local[node.index()].transform();
        let left = |node: NodeId| {
            let seen = [at(&before, node), at(&seen_now, node)];
            let target = [at(&target_now, node), at(&after, node)];
            Left::of(node, [at(&now, node), at(&to, node)], (seen, target), spans)
        };
        let morphs = |node: NodeId| {
            let k = node.index();
            let list = |pose: &Pose| pose.morphs.get(k).cloned().unwrap_or_default();
            let (seen, target) =
                ([list(&before), list(&seen_now)], [list(&target_now), list(&after)]);
            let (now, to) = (list(&now), list(&to));
            let rate = |[a, b]: &[Vec<f32>; 2], w: usize, span: f32| {
                if span > 0.0 { (b[w] - a[w]) / span } else { 0.0 }
            };
            let weight =
                |w: usize| [now[w] - to[w], rate(&seen, w, spans[0]) - rate(&target, w, spans[1])];
            let weights: Vec<[f32; 2]> = (0..now.len()).map(weight).collect();
            weights.iter().any(|w| *w != [0.0; 2]).then_some((node, weights))
        };
        let found = Shared::new(Inertia {
            nodes: document.node_ids().filter_map(left).collect(),
            morphs: document.node_ids().filter_map(morphs).collect(),
        });
        self.cuts[k].found = Some(found.clone());
        found
    }
}
