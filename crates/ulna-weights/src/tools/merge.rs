//! Tools that swap or merge the weights of joints.

use crate::{
    Refusal, Refused, Scope, WorkingWeights,
    draft::{Fast, Scratch, VertexView},
    normalize::normalize,
};

impl WorkingWeights<'_> {
    /// Swaps the weights of two joints. Vertices where one of them is locked stay unchanged.
    pub fn swap_joints(&mut self, a: u16, b: u16, scope: &Scope<'_>) -> Refused {
        let turned = |j: u16| match j {
            j if j == a => b,
            j if j == b => a,
            j => j,
        };
        self.recast(&[a, b], turned, scope)
    }

    /// Moves the weights of some joints to one joint. Vertices where one of them is locked stay
    /// unchanged.
    pub fn merge_joints(&mut self, from: &[u16], into: u16, scope: &Scope<'_>) -> Refused {
        let from: Vec<u16> = from.iter().copied().filter(|j| *j != into).collect();
        self.recast(&from, |j| if from.contains(&j) { into } else { j }, scope)
    }

    /// Replaces the joints in `of` by the joints that `to` returns.
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
}
