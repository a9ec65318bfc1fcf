//! Chains of different lengths: a joint here follows a chain there by its position along it.

use glam::Quat;

use ulna_model::{NodeId, transform::short_way};

/// What a joint of a chain follows: joints there, each with its position along their chain.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct SpreadJoint {
    /// Joints there, from the one nearest the root on, with their positions: 0 where the chain
    /// begins, 1 where it ends.
    pub from: Vec<(NodeId, f32)>,
    /// The position of the joint here along its own chain, `0.0..=1.0`.
    pub at: f32,
}

impl SpreadJoint {
    /// The joints that it follows.
    pub fn nodes(&self) -> impl Iterator<Item = NodeId> + '_ {
        self.from.iter().map(|(node, _)| *node)
    }

    /// The turn at its position, between those of the two joints there on either side of it.
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
