//! Detection of contacts: time ranges of a clip in which feet and hands stay in place.

use glam::Vec3;

use super::{
    feet::{Foot, feet_of, rest_pose},
    hands::{contacts_of_hands, hands_of, parts_of},
    path_ranges::{ranges, speeds},
    sampling::{each_pose, even_times},
};
use crate::clip_edit::travel;
use ulna_model::{Clip, Document, Goal, GoalPoint, NodeId, Shared};

/// Samples per second.
const RATE: f32 = 60.0;
/// Heights above the lowest position of a point, relative to the leg's length. A contact begins
/// below the first height and ends above the second.
const LOW: [f32; 2] = [0.025, 0.04];
/// Speeds in leg lengths per second. A contact begins below the first speed and ends above the
/// second.
const SLOW: [f32; 2] = [0.2, 0.4];
/// Speeds at which a contact begins and ends, relative to the point's highest speed. The larger
/// limit of `SLOW` and `SLOW_PART` applies, so that contacts of sliding feet are found.
const SLOW_PART: [f32; 2] = [0.07, 0.15];
/// The contacts to look for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ContactRequest {
    /// Whether contacts of hands are found as well: hands that stay in place in the scene, on the
    /// body or on a prop.
    pub hands: bool,
}

/// Path of a point of a foot over a clip.
pub(super) struct PointPath {
    pub node: NodeId,
    pub point: GoalPoint,
    /// Scene positions, one per sample, meters.
    pub places: Vec<Vec3>,
    /// Length of the leg, meters.
    pub length: f32,
    /// Height of the sole at rest, meters.
    level: f32,
}

impl PointPath {
    /// Height of the point in contact, meters. Usually, it is the lowest height in the clip. If
    /// that is just below the height in the rest pose, the rest pose is used, since feet dip into
    /// the ground as they swing.
    fn low(&self) -> f32 {
        /// Maximum distance of the lowest position below the height in the rest pose, relative to
        /// the leg's length.
        const DIPS: f32 = 0.2;
        let low = low_of(&self.places);
        if (0.0..DIPS * self.length).contains(&(self.level - low)) { self.level } else { low }
    }
}

/// Finds the contacts of a clip: time ranges in which the heel or the ball of a foot is low, and
/// slow relative to the ground. If the body walks in place, the ground is assumed to move. Sorted
/// by [`Goal::in_order`].
pub fn find_contacts(
    document: &Document,
    clip: &Shared<Clip>,
    request: &ContactRequest,
) -> Vec<Goal> {
    let rest = rest_pose(document);
    let feet: Vec<Foot> =
        feet_of(document).into_iter().map(|n| Foot::of(document, &rest, n)).collect();
    let mut made = contacts_among(document, clip, &feet);
    if request.hands {
        let hands = hands_of(document).into_iter().map(|n| Foot::hand(document, &rest, n));
        let hands: Vec<Foot> = hands.collect();
        let parts = parts_of(document, &rest, &hands);
        made.extend(contacts_of_hands(document, clip, &hands, &parts));
    }
    Goal::in_order(made)
}

/// Contacts of the heels and balls of some feet.
pub(super) fn contacts_among(document: &Document, clip: &Shared<Clip>, feet: &[Foot]) -> Vec<Goal> {
    contacts_on_ground(document, clip, feet).0
}

/// Contacts of the heels and balls of some feet, and the velocity of the ground in meters per
/// second.
pub(super) fn contacts_on_ground(
    document: &Document,
    clip: &Shared<Clip>,
    feet: &[Foot],
) -> (Vec<Goal>, Vec3) {
    if feet.is_empty() || clip.length() <= 0.0 {
        return (Vec::new(), Vec3::ZERO);
    }
    let (times, paths) = point_paths(document, clip, feet);
    let ground = ground_of(document, clip, &paths, &times);
    if is_in_air(&paths, feet) {
        return (Vec::new(), ground);
    }
    (paths.iter().flat_map(|path| contacts_of(path, &times, ground)).collect(), ground)
}

/// Whether no foot comes near the ground on which the body stands in the rest pose. False if the
/// ground of the clip is at another height than that of the rest pose, as in many captures.
fn is_in_air(paths: &[PointPath], feet: &[Foot]) -> bool {
    /// Heights above the ground of the rest pose, relative to the leg's length. A foot below the
    /// first height is near the ground. If all feet are above the second height, the ground of the
    /// clip is assumed to be at another height.
    const AIR: [f32; 2] = [0.12, 0.6];
    let low = paths.iter().map(|p| low_of(&p.places)).fold(f32::INFINITY, f32::min);
    let level = feet.iter().map(|f| f.level).fold(f32::INFINITY, f32::min);
    let length = feet.iter().map(|f| f.length).fold(0.0, f32::max);
    (AIR[0] * length..AIR[1] * length).contains(&(low - level))
}

/// Velocity of the ground in a clip in which the body walks in place, meters per second; zero if
/// the body travels.
pub(super) fn ground_below(document: &Document, clip: &Shared<Clip>, feet: &[Foot]) -> Vec3 {
    if feet.is_empty() || clip.length() <= 0.0 {
        return Vec3::ZERO;
    }
    let (times, paths) = point_paths(document, clip, feet);
    ground_of(document, clip, &paths, &times)
}

/// Returns the velocity of the ground below a clip that walks in place, in meters per second. It is
/// the most frequent velocity of the lowest foot points. Zero if the body travels, or if more of
/// these points are at rest.
fn ground_of(document: &Document, clip: &Shared<Clip>, paths: &[PointPath], times: &[f32]) -> Vec3 {
    /// `TRAVELS` is the minimum distance of a body that travels. `LIFTS` is the minimum height to
    /// which a step lifts a foot. Both are relative to the leg's length.
    const TRAVELS: f32 = 0.3;
    const LIFTS: f32 = 0.08;
    /// Maximum difference of velocities that count as equal, relative to the velocity.
    const ALIKE: f32 = 0.2;
    /// Maximum number of candidate velocities.
    const TRIED: usize = 64;
    let length = paths.iter().map(|p| p.length).fold(0.0, f32::max);
    let gone = travel(document, clip).map_or(0.0, |t| t.way.with_y(0.0).length());
    if gone > length * TRAVELS {
        return Vec3::ZERO;
    }
    let mut all: Vec<Vec3> = Vec::new();
    for path in paths {
        let low = path.low();
        let high = path.places.iter().map(|p| p.y).fold(low, f32::max);
        if high - low < LIFTS * path.length {
            continue;
        }
        for k in 1..path.places.len().saturating_sub(1) {
            if path.places[k].y <= low + LOW[0] * path.length {
                let time = (times[k + 1] - times[k - 1]).max(1e-6);
                all.push((path.places[k + 1] - path.places[k - 1]).with_y(0.0) / time);
            }
        }
    }
    let still = all.iter().filter(|v| v.length() <= SLOW[0] * length).count();
    let near = |v: &Vec3| {
        let v = *v;
        let most = ALIKE * v.length();
        all.iter().copied().filter(move |w| w.distance(v) <= most)
    };
    let step = (all.len() / TRIED).max(1);
    let tried = all.iter().step_by(step).filter(|v| v.length() > SLOW[0] * length);
    let best = tried.map(|v| (near(v).count(), v)).max_by_key(|(count, _)| *count);
    match best {
        Some((count, v)) if count > still && count * 3 > all.len() => {
            near(v).sum::<Vec3>() / count as f32
        }
        _ => Vec3::ZERO,
    }
}

/// Times of the samples, and the paths of heels and balls.
fn point_paths(
    document: &Document,
    clip: &Shared<Clip>,
    feet: &[Foot],
) -> (Vec<f32>, Vec<PointPath>) {
    let times = even_times(clip.length(), 1.0 / RATE);
    let points: Vec<(NodeId, GoalPoint, Vec3, [f32; 2])> = feet
        .iter()
        .flat_map(|foot| {
            foot.points()
                .into_iter()
                .map(|(point, at)| (foot.node, point, at, [foot.length, foot.level]))
        })
        .collect();
    let seen = each_pose(document, clip, &times, |_, pose| {
        let at = |(node, _, at, _): &(NodeId, GoalPoint, Vec3, [f32; 2])| {
            pose.world[node.index()].transform_point3(*at)
        };
        points.iter().map(at).collect::<Vec<Vec3>>()
    });
    let paths = points.iter().enumerate().map(|(k, (node, point, _, [length, level]))| PointPath {
        node: *node,
        point: *point,
        places: seen.iter().map(|s| s[k]).collect(),
        length: *length,
        level: *level,
    });
    (times, paths.collect())
}

/// Lowest height of a path without outliers, meters: 2 % of its positions are lower.
fn low_of(places: &[Vec3]) -> f32 {
    let mut heights: Vec<f32> = places.iter().map(|p| p.y).filter(|y| y.is_finite()).collect();
    heights.sort_by(f32::total_cmp);
    heights.get(heights.len() / 50).copied().unwrap_or(0.0)
}

/// Contacts of one point.
fn contacts_of(path: &PointPath, times: &[f32], ground: Vec3) -> Vec<Goal> {
    let speeds = speeds(&path.places, times, ground);
    // Ignore single jumps, which occur in captures.
    let mut sorted = speeds.clone();
    sorted.sort_by(f32::total_cmp);
    let fastest = sorted.get(sorted.len() * 49 / 50).copied().unwrap_or(0.0);
    let low = path.low();
    let is = |k: usize, end: usize| {
        let slow = (SLOW[end] * path.length).max(SLOW_PART[end] * fastest);
        path.places[k].y <= low + LOW[end] * path.length && speeds[k] <= slow
    };
    ranges(times, |k| is(k, 0), |k| is(k, 1))
        .into_iter()
        .map(|(from, to)| Goal {
            node: path.node,
            point: path.point,
            space: None,
            from,
            to,
            blend: None,
            place: None,
        })
        .collect()
}

/// Speed of a foot relative to the ground at times of a clip, meters per second: that of its heel
/// or ball, whichever is slower, since one of them rests while a foot rolls.
pub fn foot_speeds(
    document: &Document,
    clip: &Shared<Clip>,
    foot: NodeId,
    times: &[f32],
) -> Vec<f32> {
    let foot = Foot::of(document, &rest_pose(document), foot);
    let ground = ground_below(document, clip, std::slice::from_ref(&foot));
    let points = foot.points();
    let seen = each_pose(document, clip, times, |_, pose| {
        let at = |(_, at): &(GoalPoint, Vec3)| pose.world[foot.node.index()].transform_point3(*at);
        points.iter().map(at).collect::<Vec<Vec3>>()
    });
    let own = |k: usize| {
        let places: Vec<Vec3> = seen.iter().map(|s| s[k]).collect();
        speeds(&places, times, ground)
    };
    let all: Vec<Vec<f32>> = (0..points.len()).map(own).collect();
    (0..times.len()).map(|k| all.iter().map(|s| s[k]).fold(f32::INFINITY, f32::min)).collect()
}
