//! When feet stand: contacts found on a clip.

use glam::Vec3;

use super::{
    feet::{Foot, feet_of, rest_pose},
    sampling::{each_pose, even_times},
};
use crate::clip_edit::travel;
use ulna_model::{Clip, Document, Goal, GoalPoint, NodeId, Shared};

/// Looked at so often a second.
const RATE: f32 = 60.0;
/// Parts of the leg's length above its lowest place at which a point comes down, and lifts.
const LOW: [f32; 2] = [0.025, 0.04];
/// Legs a second: speeds at which a point stands, and at which it goes.
const SLOW: [f32; 2] = [0.2, 0.4];
/// Or parts of its own greatest speed, where that is more: feet that slide stand, too.
const SLOW_PART: [f32; 2] = [0.07, 0.15];
/// Seconds of the shortest contact, and of the shortest time between two.
const SHORTEST: f32 = 0.05;

/// What contacts are looked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ContactRequest {
    /// Whether hands that stay in place in the scene count, too.
    pub hands: bool,
}

/// A point's path over a clip.
pub(super) struct PointPath {
    pub node: NodeId,
    pub point: GoalPoint,
    pub places: Vec<Vec3>,
    /// Length of the leg, meters.
    pub length: f32,
}

/// Finds the contacts of a clip: when heel and ball of each foot are low, and slow over the ground.
/// Where a clip walks on the spot, the ground moves under it. In the order of
/// [`Goal::in_order`].
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
        let hands: Vec<Foot> = super::hands::hands_of(document)
            .into_iter()
            .map(|n| Foot::of(document, &rest, n))
            .collect();
        made.extend(super::hands::contacts_of_hands(document, clip, &hands));
    }
    Goal::in_order(made)
}

/// Contacts of some feet.
pub(super) fn contacts_among(document: &Document, clip: &Shared<Clip>, feet: &[Foot]) -> Vec<Goal> {
    if feet.is_empty() || clip.length() <= 0.0 {
        return Vec::new();
    }
    let (times, paths) = point_paths(document, clip, feet);
    if is_in_air(&paths, feet) {
        return Vec::new();
    }
    let ground = ground_of(document, clip, &paths, &times);
    paths.iter().flat_map(|path| contacts_of(path, &times, ground)).collect()
}

/// Whether no foot comes near the ground that the body stands on at rest. A body whose rest lies
/// elsewhere, as in many captures, may stand anywhere.
fn is_in_air(paths: &[PointPath], feet: &[Foot]) -> bool {
    /// Parts of the leg's length over the ground: less is near it, more is a rest elsewhere.
    const AIR: [f32; 2] = [0.12, 0.6];
    let low = paths.iter().map(|p| low_of(&p.places)).fold(f32::INFINITY, f32::min);
    let level = feet.iter().map(|f| f.level).fold(f32::INFINITY, f32::min);
    let length = feet.iter().map(|f| f.length).fold(0.0, f32::max);
    (AIR[0] * length..AIR[1] * length).contains(&(low - level))
}

/// The velocity of the ground under a clip, meters per second: zero where the body travels over it
/// itself.
pub(super) fn ground_below(document: &Document, clip: &Shared<Clip>, feet: &[Foot]) -> Vec3 {
    if feet.is_empty() || clip.length() <= 0.0 {
        return Vec3::ZERO;
    }
    let (times, paths) = point_paths(document, clip, feet);
    ground_of(document, clip, &paths, &times)
}

/// The velocity that most low points of feet agree on, where that is not that they stand.
fn ground_of(document: &Document, clip: &Shared<Clip>, paths: &[PointPath], times: &[f32]) -> Vec3 {
    /// Parts of the leg's length that a body travels at least, and that a step lifts a foot.
    const TRAVELS: f32 = 0.3;
    const LIFTS: f32 = 0.08;
    /// Velocities are one within this part of their size.
    const ALIKE: f32 = 0.2;
    /// Candidates that are tried.
    const TRIED: usize = 64;
    let length = paths.iter().map(|p| p.length).fold(0.0, f32::max);
    let gone = travel(document, clip).map_or(0.0, |t| t.way.with_y(0.0).length());
    if gone > length * TRAVELS {
        return Vec3::ZERO;
    }
    let mut all: Vec<Vec3> = Vec::new();
    for path in paths {
        let low = low_of(&path.places);
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

/// The paths of the points of feet that may stand, with the times.
fn point_paths(
    document: &Document,
    clip: &Shared<Clip>,
    feet: &[Foot],
) -> (Vec<f32>, Vec<PointPath>) {
    let times = even_times(clip.length(), 1.0 / RATE);
    let points: Vec<(NodeId, GoalPoint, Vec3, f32)> = feet
        .iter()
        .flat_map(|foot| {
            foot.points().into_iter().map(|(point, at)| (foot.node, point, at, foot.length))
        })
        .collect();
    let seen = each_pose(document, clip, &times, |_, pose| {
        let at = |(node, _, at, _): &(NodeId, GoalPoint, Vec3, f32)| {
            pose.world[node.index()].transform_point3(*at)
        };
        points.iter().map(at).collect::<Vec<Vec3>>()
    });
    let paths = points.iter().enumerate().map(|(k, (node, point, _, length))| PointPath {
        node: *node,
        point: *point,
        places: seen.iter().map(|s| s[k]).collect(),
        length: *length,
    });
    (times, paths.collect())
}

/// Speeds over the ground at each time, meters per second, by the places around it.
pub(super) fn speeds(places: &[Vec3], times: &[f32], ground: Vec3) -> Vec<f32> {
    let last = places.len().saturating_sub(1);
    (0..places.len())
        .map(|k| {
            let (a, b) = (k.saturating_sub(2), (k + 2).min(last));
            let time = (times[b] - times[a]).max(1e-6);
            ((places[b] - places[a]) / time - ground).length()
        })
        .collect()
}

/// The height that a point has where it stands: what few of its places are below.
fn low_of(places: &[Vec3]) -> f32 {
    let mut heights: Vec<f32> = places.iter().map(|p| p.y).filter(|y| y.is_finite()).collect();
    heights.sort_by(f32::total_cmp);
    heights.get(heights.len() / 50).copied().unwrap_or(0.0)
}

fn contacts_of(path: &PointPath, times: &[f32], ground: Vec3) -> Vec<Goal> {
    let speeds = speeds(&path.places, times, ground);
    // A single jump of a capture is not how fast it is.
    let mut sorted = speeds.clone();
    sorted.sort_by(f32::total_cmp);
    let fastest = sorted.get(sorted.len() * 49 / 50).copied().unwrap_or(0.0);
    let low = low_of(&path.places);
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

/// Ranges of times that begin where something enters and end where it no longer stays, extended
/// backwards as far as it stays.
pub(super) fn ranges(
    times: &[f32],
    enters: impl Fn(usize) -> bool,
    stays: impl Fn(usize) -> bool,
) -> Vec<(f32, f32)> {
    let mut found: Vec<(f32, f32)> = Vec::new();
    let mut k = 0;
    while k < times.len() {
        if !enters(k) {
            k += 1;
            continue;
        }
        let from = (0..k).rev().take_while(|j| stays(*j)).last().unwrap_or(k);
        let to = (k..times.len()).take_while(|j| stays(*j) || enters(*j)).last().unwrap_or(k);
        match found.last_mut().filter(|last| times[from] - last.1 < SHORTEST) {
            Some(last) => last.1 = times[to],
            None => found.push((times[from], times[to])),
        }
        k = to + 1;
    }
    found.retain(|(from, to)| to - from >= SHORTEST);
    found
}

/// How fast a foot goes over the ground at some times of a clip, meters per second: the slower of
/// its heel and its ball, so that a foot that rolls stands.
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
