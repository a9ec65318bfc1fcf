//! A bound on the motion of the skin when keys change, and its measurement. The bound is given in
//! meters at the farthest vertices of a body 1.8 m high.
//!
//! A skinned vertex is a weighted mean of its joints' transforms, so its error is at most the
//! largest error of these joints. A joint's matrix is affine, so its largest error is at a corner
//! of the box around its vertices. Only these boxes and world matrices are measured. The result is
//! an upper bound for every vertex, from a few points per joint. The errors along a chain of joints
//! add up. The tolerance of a track therefore depends on the length of its chain. It also depends
//! on the distance between its joint and the points that the joint moves.

use std::collections::BTreeMap;

use glam::{Mat4, Vec3, Vec4};

use crate::{Evaluator, Pose, Stack, joint_bounds};
use ulna_model::{Clip, Document, Interpolation, NodeId, Property, Shared, Track, TrackId};

/// Body height for which the bound is exact, meters. For other heights, the bound is scaled.
const BODY: f32 = 1.8;

/// Assumed radius of a joint without vertices, in meters for a body 1.8 m high. Objects may be
/// attached to such a joint.
const SOCKET: f32 = 0.05;

/// The original motion of a clip, and the bound on its changes.
pub(super) struct SkinBound {
    shown: Shared<Clip>,
    points: Points,
    times: Vec<f64>,
    /// Tolerance of each track in its own units, for the case that all tracks together use the
    /// whole bound.
    pub shares: BTreeMap<TrackId, f32>,
    /// Bound for the joints, in meters of the scene. It is half of the whole bound if morph targets
    /// use the other half.
    seen: f32,
    /// Scene meters per meter of a body 1.8 m high.
    unit: f32,
    /// Ratio of the whole bound to the bound for the joints: 2 if morph targets use half of it,
    /// else 1.
    whole: f32,
}

impl SkinBound {
    /// Creates a bound for a clip. `bound` is in meters for a body 1.8 m high. `midway` adds sample
    /// times between the key times.
    pub fn of(document: &Document, clip: &Clip, bound: f32, midway: bool) -> Self {
        let shown = Shared::new(clip.clone());
        let start = Pose::evaluate(document, &Stack::of(Some(&shown), 0.0));
        let height =
            joint_bounds(document, &start).map_or(BODY, |(low, high)| (high - low).max_element());
        let unit = if height > 1e-9 { height / BODY } else { 1.0 };
        let points = points(document, clip, &start.world, unit);
        let whole =
            if clip.tracks.values().any(|t| t.property == Property::Weights) { 2.0 } else { 1.0 };
        let seen = bound * unit / whole;
        let shares = shares(document, clip, &start.world, &points, seen);
        Self { shown, points, times: all_times(clip, midway), shares, seen, unit, whole }
    }

    /// Number of sampled times.
    pub const fn moments(&self) -> usize {
        self.times.len()
    }

    /// Measures the maximum vertex error of a changed clip, in meters for a body 1.8 m high. `None`
    /// if the error exceeds the bound.
    pub fn error(&self, document: &Document, tried: &Shared<Clip>) -> Option<f32> {
        let (off, _) = gap(document, [&self.shown, tried], &self.points, &self.times, self.seen);
        (off <= self.seen).then_some(off / self.unit * self.whole)
    }
}

impl SkinBound {
    /// Measures the maximum vertex error of a changed clip between the sample times. Returns it in
    /// meters for a body 1.8 m high, with its time in seconds.
    pub fn between(&self, document: &Document, tried: &Shared<Clip>) -> (f32, f64) {
        let keys: Vec<f32> = self.times.iter().map(|t| *t as f32).collect();
        let times = between(tried, &keys);
        let (off, when) = gap(document, [&self.shown, tried], &self.points, &times, f32::INFINITY);
        (off / self.unit * self.whole, when)
    }
}

/// Measures the largest distance between the skin in two clips, at all key times of the changed
/// tracks and between them. Returns it in meters for a body 1.8 m high, with its time in seconds.
pub fn skin_gap(document: &Document, before: &Clip, after: &Clip) -> (f32, f64) {
    let tracks = before.tracks.iter().map(|(id, t)| (*id, t.clone()));
    // Only changed tracks determine the sampled times.
    let differs = |(id, t): &(TrackId, Shared<Track>)| {
        after.tracks.get(id).is_none_or(|now| !Shared::ptr_eq(now, t) && **now != **t)
    };
    let changed: Vec<(TrackId, Shared<Track>)> = tracks.filter(differs).collect();
    if changed.is_empty() {
        return (0.0, 0.0);
    }
    let looked = Clip { tracks: changed.into_iter().collect(), ..before.clone() };
    let mut bound = SkinBound::of(document, before, f32::INFINITY, false);
    bound.times = all_times(&looked, true);
    let shown = Shared::new(after.clone());
    let (off, when) =
        gap(document, [&bound.shown, &shown], &bound.points, &bound.times, f32::INFINITY);
    (off / bound.unit, when)
}

/// Points in a node's own space that bound all geometry that the node moves.
type Points = BTreeMap<NodeId, Vec<Vec3>>;

fn corners(low: Vec3, high: Vec3) -> impl Iterator<Item = Vec3> {
    (0..8)
        .map(move |k| Vec3::select(glam::BVec3::new(k & 1 == 0, k & 2 == 0, k & 4 == 0), low, high))
}

/// The bounding points of each node.
fn points(document: &Document, clip: &Clip, worlds: &[Mat4], unit: f32) -> Points {
    let mut boxes: BTreeMap<NodeId, (Vec3, Vec3)> = BTreeMap::new();
    let mut grow = |node: NodeId, at: Vec3, by: f32| {
        let found = boxes.entry(node).or_insert((at, at));
        *found = (found.0.min(at - Vec3::splat(by)), found.1.max(at + Vec3::splat(by)));
    };
    for (id, node) in document.nodes.iter() {
        let Some(mesh) = node.mesh.and_then(|m| document.meshes.get(m)) else { continue };
        let skin = node.skin.and_then(|s| document.skins.get(s));
        for primitive in &mesh.primitives {
            // Morph targets move a vertex by at most the sum of their largest displacements.
            let pushed = |t: &ulna_model::MorphTarget| {
                t.positions.iter().map(|d| d.length()).fold(0.0, f32::max)
            };
            let room: f32 = primitive.targets.iter().map(pushed).sum();
            match (skin, &primitive.weights) {
                (Some(skin), Some(weights)) => {
                    for (vertex, at) in primitive.positions.iter().enumerate() {
                        for (slot, weight) in weights.vertex(vertex) {
                            let slot = usize::from(slot);
                            if let Some(node) = skin.joints.get(slot).filter(|_| weight != 0.0) {
                                let joint_from_mesh =
                                    skin.inverse_bind.get(slot).copied().unwrap_or_default();
                                grow(*node, joint_from_mesh.transform_point3(*at), room);
                            }
                        }
                    }
                }
                _ => primitive.positions.iter().for_each(|at| grow(id, *at, room)),
            }
        }
    }
    let mut found: Points =
        boxes.into_iter().map(|(node, (low, high))| (node, corners(low, high).collect())).collect();
    for track in clip.tracks.values() {
        let world = worlds[track.target.index()];
        let size = |axis: Vec4| axis.truncate().length().max(1e-9);
        let out = SOCKET * unit;
        let own = found.entry(track.target).or_default();
        own.extend([
            Vec3::ZERO,
            Vec3::X * out / size(world.x_axis),
            Vec3::Y * out / size(world.y_axis),
            Vec3::Z * out / size(world.z_axis),
        ]);
    }
    found
}

/// Computes the tolerance of each track in its own units, for the case that all tracks together use
/// the whole bound.
fn shares(
    document: &Document,
    clip: &Clip,
    worlds: &[Mat4],
    points: &Points,
    bound: f32,
) -> BTreeMap<TrackId, f32> {
    let moved: BTreeMap<NodeId, usize> =
        clip.tracks.values().fold(BTreeMap::new(), |mut all, track| {
            *all.entry(track.target).or_default() += 1;
            all
        });
    let above = |node: NodeId| std::iter::successors(Some(node), |n| document.node(*n).parent);
    // The lever of a moving node is its largest distance to the points of its descendants. Also
    // keep the largest number of tracks along a chain that contains the node.
    let mut levers: BTreeMap<NodeId, (f32, usize)> = BTreeMap::new();
    for (node, own) in points {
        let chain = above(*node).filter_map(|n| moved.get(&n)).sum::<usize>().max(1);
        let places: Vec<Vec3> =
            own.iter().map(|p| worlds[node.index()].transform_point3(*p)).collect();
        for carrier in above(*node).filter(|n| moved.contains_key(n)) {
            let origin = worlds[carrier.index()].w_axis.truncate();
            let far = places.iter().map(|p| p.distance(origin)).fold(0.0, f32::max);
            let lever = levers.entry(carrier).or_default();
            *lever = (lever.0.max(far), lever.1.max(chain));
        }
    }
    let share = |(id, track): (&TrackId, &Shared<Track>)| {
        let (lever, chain) = levers.get(&track.target).copied().unwrap_or((1.0, 1));
        let own = bound / chain as f32;
        let parent =
            document.node(track.target).parent.map_or(Mat4::IDENTITY, |p| worlds[p.index()]);
        let meters = parent.determinant().abs().cbrt().max(1e-9);
        let tolerance = match track.property {
            Property::Translation => own / meters,
            Property::Rotation => own / lever.max(1e-9),
            Property::Scale => {
                let scale = track.value(0).iter().fold(0.0f32, |a, v| a.max(v.abs()));
                own / lever.max(1e-9) * scale.max(1e-6)
            }
            Property::Weights => weight_share(document, track.target, own),
        };
        (*id, tolerance)
    };
    clip.tracks.iter().map(share).collect()
}

/// Tolerance of morph weights. If no weight differs by more than the tolerance, no vertex moves
/// farther than half of `own`.
fn weight_share(document: &Document, node: NodeId, own: f32) -> f32 {
    let Some(mesh) = document.node(node).mesh.and_then(|m| document.meshes.get(m)) else {
        return 1e-4;
    };
    let most = mesh.primitives.iter().map(|p| {
        let way = |t: &ulna_model::MorphTarget| {
            t.positions.iter().map(|d| d.length()).fold(0.0, f32::max)
        };
        p.targets.iter().map(way).sum::<f32>()
    });
    // The other half of the bound is for the joints.
    own * 0.5 / most.fold(0.0, f32::max).max(1e-6)
}

/// Returns all key times of a clip, and optionally the times in the middle between them.
fn all_times(clip: &Clip, midway: bool) -> Vec<f64> {
    let mut keys: Vec<f32> = Vec::new();
    let mut last: Option<*const f32> = None;
    for track in clip.tracks.values() {
        if last != Some(track.times.as_ptr()) {
            keys.extend(track.times.iter());
            last = Some(track.times.as_ptr());
        }
    }
    keys.sort_by(f32::total_cmp);
    keys.dedup();
    let mut all: Vec<f64> = keys.iter().map(|t| f64::from(*t)).collect();
    if midway {
        all.extend(between(clip, &keys));
    }
    all.sort_by(f64::total_cmp);
    all
}

/// Returns times between keys: the middle of each segment. If there are splines, also its quarter
/// points, since a spline may oscillate about its middle.
fn between(clip: &Clip, keys: &[f32]) -> Vec<f64> {
    let curved = clip.tracks.values().any(|t| t.interpolation == Interpolation::CubicSpline);
    let parts: &[f64] = if curved { &[0.25, 0.5, 0.75] } else { &[0.5] };
    let within = |w: &[f32]| {
        let (from, to) = (f64::from(w[0]), f64::from(w[1]));
        parts.iter().map(move |part| from + (to - from) * part)
    };
    keys.windows(2).flat_map(within).collect()
}

/// Measures the largest distance between the points in two clips. Returns it in meters of the
/// scene, with its time. Stops when the distance exceeds `enough`.
fn gap(
    document: &Document,
    of: [&Shared<Clip>; 2],
    points: &Points,
    times: &[f64],
    enough: f32,
) -> (f32, f64) {
    let mut evaluators = [Evaluator::default(), Evaluator::default()];
    let mut poses = [Pose::default(), Pose::default()];
    let mut stacks = of.map(|clip| Stack::of(Some(clip), 0.0));
    let mut worst = (0.0f32, 0.0);
    for time in times {
        for ((evaluator, pose), stack) in evaluators.iter_mut().zip(&mut poses).zip(&mut stacks) {
            stack.lanes[0].instances[0].time = *time;
            evaluator.update(document, stack, pose);
        }
        for (node, own) in points {
            let off = poses[0].world[node.index()] - poses[1].world[node.index()];
            let most =
                own.iter().map(|p| (off * p.extend(1.0)).truncate().length()).fold(0.0, f32::max);
            if most > worst.0 {
                worst = (most, *time);
            }
        }
        if worst.0 > enough {
            break;
        }
    }
    worst
}
