//! Transitions by inertia: no second clip is sampled; what was seen at the cut, less where the new
//! motion is, dies away with its velocity.
//!
//! Each component of the difference goes by
//! `x(u) = x₀·(1 − 10u³ + 15u⁴ − 6u⁵) + v₀·d·(u − 6u³ + 8u⁴ − 3u⁵)`, the quintic whose value,
//! velocity and acceleration are 0 at `u = 1` and whose acceleration is 0 at the start (after D.
//! Bollo, *Inertialization*, GDC 2018, here per component, with rotations as vectors in the
//! parent's space). The velocity is kept even where it makes the difference grow at first.

use glam::{Quat, Vec3};

use super::{MixSample, Mixer};
use crate::{Evaluator, MorphOffset, Offset, Pose, Stack};
use ulna_model::{Document, NodeId, Shared, Transform, transform::short_way};

/// Seconds over which a velocity is measured.
const EPSILON: f64 = 1.0 / 480.0;

/// What is left of the pose at a cut.
#[derive(Clone, Debug, Default)]
pub(super) struct Inertia {
    nodes: Vec<Left>,
    /// Of each node with morph targets: values and velocities of their weights.
    morphs: Vec<(NodeId, Vec<[f32; 2]>)>,
}

/// How much is left of a value, and of a velocity, at a part of a transition so many seconds long.
fn fading(u: f32, length: f32) -> (f32, f32) {
    let (u3, u4, u5) = (u * u * u, u * u * u * u, u * u * u * u * u);
    (1.0 - 10.0 * u3 + 15.0 * u4 - 6.0 * u5, (u - 6.0 * u3 + 8.0 * u4 - 3.0 * u5) * length)
}

/// Of a node: values and velocities of translation, of the vector of its rotation, and of the
/// logarithms of its scale.
#[derive(Clone, Copy, Debug)]
struct Left {
    node: NodeId,
    values: [Vec3; 3],
    velocities: [Vec3; 3],
}

fn vector(turn: Quat) -> Vec3 {
    short_way(turn).to_scaled_axis()
}

/// The velocity of a rotation vector whose turn goes on at an angular velocity, both in the space
/// it turns in: `J_l⁻¹(φ)·ω` (J. Solà, *A micro Lie theory*, 2018, equation 146).
fn vector_velocity(phi: Vec3, omega: Vec3) -> Vec3 {
    let angle = phi.length();
    let half = omega - 0.5 * phi.cross(omega);
    if angle < 1e-4 {
        return half;
    }
    let factor =
        1.0 / (angle * angle) - (1.0 + angle.cos()) / (2.0 * angle * angle.sin().max(1e-6));
    half + factor * phi.cross(phi.cross(omega))
}

fn logarithm(scale: Vec3) -> Vec3 {
    scale.map(|v| if v > 0.0 { v.ln() } else { 0.0 })
}

impl Left {
    /// Between what was seen at the cut and the new motion there; how fast each goes is told from
    /// two moments of its way.
    fn of(
        node: NodeId,
        [now, to]: [Transform; 2],
        (seen, target): ([Transform; 2], [Transform; 2]),
        spans: [f32; 2],
    ) -> Option<Self> {
        let ([before, seen_now], [target_now, after]) = (seen, target);
        let rate =
            |a: Vec3, b: Vec3, span: f32| if span > 0.0 { (b - a) / span } else { Vec3::ZERO };
        let spin = |a: Quat, b: Quat, span: f32| {
            if span > 0.0 { vector(b * a.conjugate()) / span } else { Vec3::ZERO }
        };
        let turn = vector(now.rotation * to.rotation.conjugate());
        let omega = spin(before.rotation, seen_now.rotation, spans[0])
            - Quat::from_scaled_axis(turn) * spin(target_now.rotation, after.rotation, spans[1]);
        let mirrored = |a: Vec3, b: Vec3| (a * b).cmple(Vec3::ZERO).any();
        let size = |a: Vec3, b: Vec3| if mirrored(a, b) { Vec3::ZERO } else { logarithm(a / b) };
        let values = [now.translation - to.translation, turn, size(now.scale, to.scale)];
        let grows = |[a, b]: [Transform; 2], span: f32| {
            if mirrored(a.scale, b.scale) {
                Vec3::ZERO
            } else {
                rate(logarithm(a.scale.abs()), logarithm(b.scale.abs()), span)
            }
        };
        let velocities = [
            rate(before.translation, seen_now.translation, spans[0])
                - rate(target_now.translation, after.translation, spans[1]),
            vector_velocity(turn, omega),
            grows(seen, spans[0]) - grows(target, spans[1]),
        ];
        let finite = values.iter().chain(&velocities).all(|v| v.is_finite());
        let some = values.iter().chain(&velocities).any(|v| *v != Vec3::ZERO);
        (finite && some).then_some(Self { node, values, velocities })
    }

    fn at(&self, u: f32, length: f32) -> Offset {
        let (place, way) = fading(u, length);
        let part = |k: usize| self.values[k] * place + self.velocities[k] * way;
        Offset {
            node: self.node,
            translation: part(0),
            rotation: Quat::from_scaled_axis(part(1)),
            scale: part(2).map(f32::exp),
        }
    }
}

impl Mixer {
    /// Puts on what is left of the last of the first so many cuts at a time.
    pub(super) fn put_offsets(
        &mut self,
        document: &Document,
        time: f64,
        cuts: usize,
        stack: &mut Stack,
    ) {
        // Each takes up what is left of the one before.
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
        // Those that each takes up come first: none is found within another.
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
