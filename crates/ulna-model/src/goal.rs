//! Goals of a clip: target positions for points of joints over time ranges. Contacts of feet and
//! hands are goals.

use glam::Vec3;
use serde::{Deserialize, Serialize};

use super::NodeId;

/// Point of a joint that a goal applies to.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "snake_case")]
pub enum GoalPoint {
    /// The position of the joint itself, as for hands.
    #[default]
    Joint,
    /// The rear of the sole of a foot.
    Heel,
    /// The ball of a foot, where the toes bend.
    Ball,
}

impl GoalPoint {
    /// All points.
    pub const ALL: [Self; 3] = [Self::Joint, Self::Heel, Self::Ball];

    /// Display name of the point.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Joint => "Joint",
            Self::Heel => "Heel",
            Self::Ball => "Ball",
        }
    }
}

/// Contacts of one joint that overlap or touch, shown as one bar in the timeline.
#[derive(Clone, Debug, PartialEq)]
pub struct ContactBar {
    /// Joint that stays in place.
    pub node: NodeId,
    /// Start of the first contact of the bar, in seconds.
    pub from: f32,
    /// End of the last contact of the bar, in seconds.
    pub to: f32,
    /// Indices of the bar's contacts in the list of goals.
    pub goals: Vec<usize>,
}

/// Target position for a point of a joint over a time range of a clip.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Goal {
    /// The joint: the ankle of a foot, or the wrist of a hand.
    pub node: NodeId,
    /// The point of the joint.
    #[serde(default)]
    pub point: GoalPoint,
    /// Node whose space contains `place`, so that `place` moves with the node; `None` for the
    /// scene.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub space: Option<NodeId>,
    /// Start of the range, seconds on the clip's clock; finite, at least 0.
    pub from: f32,
    /// End of the range, seconds; finite, greater than `from`.
    pub to: f32,
    /// Duration of the blends before and after the range, seconds, at least 0. `None` uses
    /// the blend duration in the settings of the contact cleanup.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blend: Option<f32>,
    /// Position of the point in `space`, meters; the mean position of the point in the clip if
    /// omitted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<Vec3>,
}

impl Goal {
    /// Whether all numbers are finite and in range.
    pub fn is_valid(&self) -> bool {
        self.from.is_finite()
            && self.from >= 0.0
            && self.to.is_finite()
            && self.to > self.from
            && self.blend.is_none_or(|b| b.is_finite() && b >= 0.0)
            && self.place.is_none_or(|p| p.is_finite())
    }

    /// The goal with its start and end mapped by `to`; `None` if the new range is empty. Times
    /// before 0 become 0; a reversed range is put in order.
    #[must_use]
    pub fn retimed(&self, to: impl Fn(f32) -> f32) -> Option<Self> {
        let (a, b) = (to(self.from), to(self.to));
        let made = Self { from: a.min(b).max(0.0), to: a.max(b), ..self.clone() };
        made.is_valid().then_some(made)
    }

    /// Whether all goals are valid and sorted and merged as by [`Self::in_order`].
    pub fn are_valid(list: &[Self]) -> bool {
        list.iter().all(Self::is_valid) && Self::in_order(list.to_vec()) == list
    }

    /// Merges contacts to bars, sorted by joint and start.
    pub fn bars(list: &[Self]) -> Vec<ContactBar> {
        let mut order: Vec<usize> = (0..list.len()).collect();
        order.sort_by(|a, b| {
            let (a, b) = (&list[*a], &list[*b]);
            a.node.cmp(&b.node).then(a.from.total_cmp(&b.from))
        });
        let mut bars: Vec<ContactBar> = Vec::new();
        for k in order {
            let &Self { node, from, to, .. } = &list[k];
            match bars.last_mut() {
                Some(bar) if bar.node == node && from <= bar.to => {
                    bar.to = bar.to.max(to);
                    bar.goals.push(k);
                }
                _ => bars.push(ContactBar { node, from, to, goals: vec![k] }),
            }
        }
        bars
    }

    /// Nodes whose spaces the goals of a joint in a time range use, in ascending order without
    /// duplicates. Empty if all these goals are in the space of the scene.
    pub fn followed(list: &[Self], joint: NodeId, [from, to]: [f32; 2]) -> Vec<NodeId> {
        let own = list.iter().filter(|g| g.node == joint && g.from < to && g.to > from);
        let mut nodes: Vec<NodeId> = own.filter_map(|g| g.space).collect();
        nodes.sort_unstable();
        nodes.dedup();
        nodes
    }

    /// Sorts goals by joint, point and start. Removes invalid goals, and merges goals of one point
    /// and space that overlap.
    pub fn in_order(mut list: Vec<Self>) -> Vec<Self> {
        list.retain(Self::is_valid);
        list.sort_by(|a, b| {
            (a.node, a.point).cmp(&(b.node, b.point)).then(a.from.total_cmp(&b.from))
        });
        let mut made: Vec<Self> = Vec::with_capacity(list.len());
        for goal in list {
            match made.last_mut() {
                Some(last)
                    if (last.node, last.point, last.space)
                        == (goal.node, goal.point, goal.space)
                        && goal.from <= last.to =>
                {
                    last.to = last.to.max(goal.to);
                }
                _ => made.push(goal),
            }
        }
        made
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn goal(node: u32, point: GoalPoint, from: f32, to: f32) -> Goal {
        Goal { node: NodeId(node), point, space: None, from, to, blend: None, place: None }
    }

    #[test]
    fn overlapping_contacts_of_a_point_merge_and_those_of_a_foot_share_a_bar() {
        use GoalPoint::{Ball, Heel};
        let all = Goal::in_order(vec![
            goal(1, Ball, 0.4, 0.9),
            goal(0, Heel, 2.0, 3.0),
            goal(1, Heel, 0.2, 0.5),
            goal(1, Heel, 0.1, 0.2),
            goal(1, Ball, 1.5, 1.8),
            goal(1, Ball, 1.0, 1.0),
        ]);
        assert!(Goal::are_valid(&all));
        assert_eq!(
            all,
            [
                goal(0, Heel, 2.0, 3.0),
                goal(1, Heel, 0.1, 0.5),
                goal(1, Ball, 0.4, 0.9),
                goal(1, Ball, 1.5, 1.8)
            ]
        );
        let bars: Vec<_> = Goal::bars(&all).into_iter().map(|b| (b.from, b.to, b.goals)).collect();
        assert_eq!(bars, [(2.0, 3.0, vec![0]), (0.1, 0.9, vec![1, 2]), (1.5, 1.8, vec![3])]);
    }

    #[test]
    fn ranges_follow_the_time_map_and_empty_ranges_vanish() {
        let one = goal(0, GoalPoint::Heel, 1.0, 2.0);
        let ends = |made: Option<Goal>| made.map(|g| (g.from, g.to));
        assert_eq!(ends(one.retimed(|t| t * 2.0)), Some((2.0, 4.0)));
        assert_eq!(ends(one.retimed(|t| 3.0 - t)), Some((1.0, 2.0)));
        assert_eq!(ends(one.retimed(|t| t - 1.5)), Some((0.0, 0.5)));
        assert_eq!(ends(one.retimed(|t| t - 2.0)), None);
        assert_eq!(ends(one.retimed(|t| t.clamp(0.0, 0.5))), None);
        assert_eq!(ends(one.retimed(|_| f32::NAN)), None);
    }
}
