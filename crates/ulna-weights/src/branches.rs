//! Subtrees of the joint tree.

use super::Influences;
use ulna_model::JointSlot;

/// Subtrees of the joint tree. In depth-first order, a joint and its descendants are the range
/// `first..end`.
#[derive(Debug)]
pub(super) struct Branches {
    spans: Vec<(u32, u32)>,
    /// Position of each joint in depth-first order.
    order: Vec<u32>,
}

impl Branches {
    /// Computes the subtrees from the parent of each joint.
    pub fn of(parents: &[Option<JointSlot>]) -> Self {
        let joints = || JointSlot::first(parents.len());
        let count = joints().count();
        let mut below: Vec<Vec<JointSlot>> = vec![Vec::new(); count];
        let mut roots = Vec::new();
        for (joint, parent) in joints().zip(parents) {
            match parent.and_then(|above| below.get_mut(above.index())) {
                Some(list) => list.push(joint),
                None => roots.push(joint),
            }
        }
        let (mut spans, mut order) = (vec![(0, 0); count], vec![0; count]);
        let mut next = 0u32;
        let mut stack: Vec<(JointSlot, bool)> = roots.into_iter().map(|r| (r, false)).collect();
        while let Some((joint, done)) = stack.pop() {
            let at = joint.index();
            if done {
                spans[at].1 = next;
                continue;
            }
            (spans[at].0, order[at]) = (next, next);
            next += 1;
            stack.push((joint, true));
            stack.extend(below[at].iter().map(|j| (*j, false)));
        }
        Self { spans, order }
    }

    /// Returns the total weight of a joint and its descendants in a list of influences.
    pub(super) fn share(&self, joint: u16, list: &Influences) -> f32 {
        let Some((first, end)) = self.spans.get(usize::from(joint)) else { return 0.0 };
        let within =
            |j: u16| self.order.get(usize::from(j)).is_some_and(|at| (first..end).contains(&at));
        list.iter().filter(|(j, _)| within(*j)).map(|(_, w)| w).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joints_beyond_the_slot_range_do_not_break_branches() {
        let mut parents = vec![None; usize::from(u16::MAX) + 2];
        parents[usize::from(u16::MAX) + 1] = Some(JointSlot(0));
        let branches = Branches::of(&parents);
        let mut list = Influences::default();
        list.add(0, 1.0);
        assert_eq!(branches.share(0, &list), 1.0);
    }

    #[test]
    fn branches_contain_all_descendants() {
        // The joint tree: 0 ── 1 ── 2, 0 ── 3, and 4 alone.
        let branches =
            Branches::of(&[None, Some(0), Some(1), Some(0), None].map(|p| p.map(JointSlot)));
        let mut list = Influences::default();
        [(0, 0.1), (1, 0.2), (2, 0.3), (3, 0.25), (4, 0.15)]
            .into_iter()
            .for_each(|(j, w)| list.add(j, w));
        let near = |joint: u16, wanted: f32| {
            assert!((branches.share(joint, &list) - wanted).abs() < 1e-6, "{joint}")
        };
        near(0, 0.85);
        near(1, 0.5);
        near(2, 0.3);
        near(3, 0.25);
        near(4, 0.15);
        near(9, 0.0);
        // A cycle of parents, which a malicious file can have, terminates.
        assert_eq!(Branches::of(&[1, 0].map(|p| Some(JointSlot(p)))).share(0, &list), 0.0);
    }
}
