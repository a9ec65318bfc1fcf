//! Hands that stay in place: on the ground, on a table, on a wall.

use glam::Vec3;

use super::{
    contacts::{ranges, speeds},
    feet::Foot,
    sampling::{each_pose, even_times},
};
use crate::{humanoid::BodyPart, roles::roles_of};
use ulna_model::{Clip, Document, Goal, GoalPoint, NodeId, Shared};

/// Arms a second: speeds below which a hand stays, and above which it goes.
const SLOW: [f32; 2] = [0.08, 0.16];
/// Seconds that a hand stays at least: shorter ones are the ends of its swing.
const SHORTEST: f32 = 0.2;

/// The hands of a document, by its humanoid map or names.
pub(super) fn hands_of(document: &Document) -> Vec<NodeId> {
    let roles = roles_of(document).into_iter();
    roles.filter(|(_, r)| r.is_some_and(|r| r.part == BodyPart::Hand)).map(|(n, _)| n).collect()
}

/// The times at which hands stay in place in the scene, while the hand moves elsewhere in the clip.
pub(super) fn contacts_of_hands(
    document: &Document,
    clip: &Shared<Clip>,
    hands: &[Foot],
) -> Vec<Goal> {
    let times = even_times(clip.length(), 1.0 / 60.0);
    let seen = each_pose(document, clip, &times, |_, pose| {
        let at = |hand: &Foot| pose.world[hand.node.index()].w_axis.truncate();
        hands.iter().map(at).collect::<Vec<Vec3>>()
    });
    let mut made = Vec::new();
    for (k, hand) in hands.iter().enumerate() {
        let places: Vec<Vec3> = seen.iter().map(|s| s[k]).collect();
        let speeds = speeds(&places, &times, Vec3::ZERO);
        let is = |k: usize, end: usize| speeds[k] <= SLOW[end] * hand.length;
        let found = ranges(&times, |k| is(k, 0), |k| is(k, 1));
        made.extend(found.into_iter().filter(|(from, to)| to - from >= SHORTEST).map(
            |(from, to)| Goal {
                node: hand.node,
                point: GoalPoint::Joint,
                space: None,
                from,
                to,
                blend: None,
                place: None,
            },
        ));
    }
    made
}
