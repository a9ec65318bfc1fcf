//! Chains of different lengths: a joint of this document follows a chain of the other document by
//! its position along it.

use glam::Quat;

use ulna_model::{NodeId, transform::short_way};

/// Sources of a joint of a chain: joints of the other document with their positions along their
/// chain.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct SpreadJoint {
    /// Source joints from the root on, each with its position along the chain: 0 at the start, 1 at
    /// the end.
    pub from: Vec<(NodeId, f32)>,
    /// Position of the joint along its own chain, `0.0..=1.0`.
    pub at: f32,
}

impl SpreadJoint {
    /// Iterates over the source joints.
    pub fn nodes(&self) -> impl Iterator<Item = NodeId> + '_ {
        self.from.iter().map(|(node, _)| *node)
    }

    /// Interpolates the rotation at the joint's position between the two neighboring source joints.
    pub fn between(&self, turn: impl Fn(NodeId) -> Quat) -> Quat {
        let next = self.from.partition_point(|(_, at)| *at <= self.at + 1e-4);
        match (next.checked_sub(1).map(|k| self.from[k]), self.from.get(next)) {
            (Some((a, _)), None) => turn(a),
            (None, Some((b, _))) => turn(*b),
            (Some((a, from)), Some((b, to))) => {
                let part = ((self.at - from) / (to - from).max(1e-6)).clamp(0.0, 1.0);
                if part < 1e-3 {
                    return turn(a);
                }
                let a = turn(a);
                (a * Quat::IDENTITY.slerp(short_way(a.conjugate() * turn(*b)), part)).normalize()
            }
            (None, None) => Quat::IDENTITY,
        }
    }
}
