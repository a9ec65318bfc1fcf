//! Inertial transitions. The difference between the pose at the cut and the new motion fades out,
//! starting with its velocity. The old clip is not sampled after the cut.
//!
//! Each component of the difference follows a quintic in `u`, the fraction of the transition `d`:
//!
//! ```text
//!  x(u) = x₀·(1 − 10u³ + 15u⁴ − 6u⁵) + v₀·d·(u − 6u³ + 8u⁴ − 3u⁵)
//! ```
//!
//! Its value, velocity and acceleration are 0 at `u = 1`, and its acceleration is 0 at the start
//! (after D. Bollo, *Inertialization*, GDC 2018). Here it applies per component, with rotations as
//! vectors in the parent's space. The velocity is kept even if the difference grows at first.

use glam::{Quat, Vec3};

use crate::Offset;
use ulna_model::{NodeId, Transform, transform::short_way};

/// The difference between two poses at a cut, which fades out.
#[derive(Clone, Debug, Default)]
pub(super) struct Inertia {
    pub(super) nodes: Vec<Left>,
    /// Nodes with morph targets, each with the values and velocities of its weights.
    pub(super) morphs: Vec<(NodeId, Vec<[f32; 2]>)>,
}

/// Returns the factors of a value and of a velocity at the fraction `u` of a transition of `length`
/// seconds.
pub(super) fn fading(u: f32, length: f32) -> (f32, f32) {
    let (u3, u4, u5) = (u * u * u, u * u * u * u, u * u * u * u * u);
    (1.0 - 10.0 * u3 + 15.0 * u4 - 6.0 * u5, (u - 6.0 * u3 + 8.0 * u4 - 3.0 * u5) * length)
}

/// Difference of a node at a cut: values and velocities of translation, rotation vector, and
/// logarithm of the scale.
#[derive(Clone, Copy, Debug)]
pub(super) struct Left {
    node: NodeId,
    values: [Vec3; 3],
    velocities: [Vec3; 3],
}

fn vector(turn: Quat) -> Vec3 {
    short_way(turn).to_scaled_axis()
}

/// Converts an angular velocity to the velocity of a rotation vector, both in the fixed space:
/// `J_l⁻¹(φ)·ω` (J. Solà, *A micro Lie theory*, 2018, equation 146).
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
    /// Computes the difference between the pose at the cut and the new motion. Each velocity is
    /// computed from the transforms at two times.
    pub(super) fn of(
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

    pub(super) fn at(&self, u: f32, length: f32) -> Offset {
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
