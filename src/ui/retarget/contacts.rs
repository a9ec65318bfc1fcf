//! Edits of the contacts of the shown clip.

use std::sync::Arc;

use super::{ContactRef, RetargetDraft, RetargetResult};
use crate::ui::contact_bars::{TOUCH, contact_spans};
use ulna_model::{Goal, GoalPoint, NodeId};

/// Duration of an added contact, in seconds.
const ADDED: f32 = 0.2;
/// Minimum duration of a contact, in seconds.
const SHORTEST: f32 = 0.01;

/// Contact goals after a foot's bar was dragged to another start and end, in seconds.
///
/// If the duration is unchanged, all goals of the bar are moved. Otherwise, goals that start or end
/// with the bar are extended or cut to its new ends, and the others are clipped to it.
pub(super) fn moved(
    goals: &[Goal],
    foot: NodeId,
    [from, to]: [f32; 2],
    [start, end]: [f32; 2],
) -> Vec<Goal> {
    let end = end.max(start + SHORTEST);
    let is_moved = ((to - from) - (end - start)).abs() < 1e-4;
    let mut made = Vec::with_capacity(goals.len());
    for goal in goals {
        let is_in = goal.node == foot && goal.from >= from - TOUCH && goal.to <= to + TOUCH;
        let mut goal = goal.clone();
        if is_in && is_moved {
            goal.from += start - from;
            goal.to += start - from;
        } else if is_in {
            goal.from = if goal.from <= from + TOUCH { start } else { goal.from.max(start) };
            goal.to = if goal.to >= to - TOUCH { end } else { goal.to.min(end) };
        }
        if is_in {
            // The stored position is invalid, because the foot is elsewhere at the new time.
            goal.place = None;
        }
        made.push(goal);
    }
    Goal::in_order(made)
}

/// Contact goals with a new contact around a time in seconds, clipped by the neighboring bars. For
/// a hand, the new contact has one goal for the joint. For a foot, it has one goal for the heel and
/// one for the ball.
pub(super) fn added(
    goals: &[Goal],
    (foot, is_hand): (NodeId, bool),
    time: f32,
    length: f32,
) -> Vec<Goal> {
    let own = contact_spans(goals, foot);
    let low = own.iter().filter(|b| b[1] <= time).map(|b| b[1]).fold(0.0, f32::max);
    let high = own.iter().filter(|b| b[0] >= time).map(|b| b[0]).fold(length, f32::min);
    let [from, to] = [(time - ADDED * 0.5).max(low), (time + ADDED * 0.5).min(high)];
    let mut made = goals.to_vec();
    let points: &[GoalPoint] =
        if is_hand { &[GoalPoint::Joint] } else { &[GoalPoint::Heel, GoalPoint::Ball] };
    for point in points.iter().copied() {
        made.push(Goal { node: foot, point, space: None, from, to, blend: None, place: None });
    }
    Goal::in_order(made)
}

/// Contacts of the shown clip: the manually changed ones if there are any, or else the detected
/// ones.
pub(super) fn current(draft: &RetargetDraft, result: &RetargetResult) -> Arc<[Goal]> {
    draft.contacts.get(&draft.shown).unwrap_or(&result.contacts).clone()
}

/// Removes a contact from the shown clip.
pub(super) fn remove(draft: &mut RetargetDraft, result: &RetargetResult, contact: ContactRef) {
    let goals = current(draft, result);
    let own = contact_spans(&goals, contact.foot);
    let Some([from, to]) = own.into_iter().find(|b| (b[0] - contact.from).abs() < TOUCH) else {
        return;
    };
    let is_in = |g: &Goal| g.node == contact.foot && g.from >= from - TOUCH && g.to <= to + TOUCH;
    let kept: Vec<Goal> = goals.iter().filter(|g| !is_in(g)).cloned().collect();
    draft.contacts.insert(draft.shown, kept.into());
    draft.contact = None;
}

#[cfg(test)]
mod tests {
    use super::*;

    fn goal(point: GoalPoint, from: f32, to: f32) -> Goal {
        Goal { node: NodeId(3), point, space: None, from, to, blend: None, place: None }
    }

    /// Overlapping heel and ball contacts of one foot, and a later ball contact.
    fn goals() -> Vec<Goal> {
        vec![
            goal(GoalPoint::Heel, 0.1, 0.3),
            goal(GoalPoint::Ball, 0.2, 0.5),
            goal(GoalPoint::Ball, 0.8, 1.0),
        ]
    }

    #[test]
    fn overlapping_goals_are_one_bar_with_draggable_ends() {
        let foot = NodeId(3);
        assert_eq!(contact_spans(&goals(), foot), [[0.1, 0.5], [0.8, 1.0]]);
        assert!(contact_spans(&goals(), NodeId(4)).is_empty());
        let longer = moved(&goals(), foot, [0.1, 0.5], [0.1, 0.6]);
        assert_eq!(contact_spans(&longer, foot), [[0.1, 0.6], [0.8, 1.0]]);
        assert!(longer.iter().any(|g| g.point == GoalPoint::Heel && g.to == 0.3), "heel as it was");
        let later = moved(&goals(), foot, [0.1, 0.5], [0.2, 0.6]);
        let heel = later.iter().find(|g| g.point == GoalPoint::Heel).unwrap();
        assert!((heel.from - 0.2).abs() < 1e-6 && (heel.to - 0.4).abs() < 1e-6);
        let short = moved(&goals(), foot, [0.1, 0.5], [0.4, 0.5]);
        assert_eq!(
            contact_spans(&short, foot),
            [[0.4, 0.5], [0.8, 1.0]],
            "a heel before it is gone"
        );
    }

    #[test]
    fn an_added_contact_does_not_overlap_others() {
        let foot = NodeId(3);
        let more = added(&goals(), (foot, false), 0.72, 2.0);
        assert_eq!(contact_spans(&more, foot).len(), 2, "it reaches the next one");
        let more = added(&goals(), (foot, false), 1.5, 2.0);
        assert_eq!(contact_spans(&more, foot).last().map(|b| b[0]), Some(1.4));
    }
}
