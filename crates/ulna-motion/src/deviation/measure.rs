//! The search over all clips and times.

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering};

use glam::Vec3;
use rayon::prelude::*;

use super::{
    frames::{Frames, difference, reach},
    moments::sample_times,
    points::{MatchedPrimitive, Matrices, PointIndex, PointSet, amounts, matched_primitives},
    request::{DeviationRequest, Exactness},
    samples::Samples,
};
use crate::{Evaluator, Pose, SeenVertex, Stack, joint_bounds, strain};
use ulna_model::{ClipId, Document, LayerHome, MeshId, NodeId, UnkeyedAt};

/// The point with the largest distance, and its time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WorstPoint {
    /// The clip; `None` for the file's pose.
    pub clip: Option<ClipId>,
    /// Seconds on the clip's clock.
    pub time: f64,
    /// Node of the mesh, or the joint where no mesh is shown, in the document before the change.
    pub node: NodeId,
    /// The mesh and its vertex; `None` for a joint.
    pub vertex: Option<(MeshId, SeenVertex)>,
    /// Place in the scene before the change, meters.
    pub before: Vec3,
    /// Place in the scene after the change, meters.
    pub after: Vec3,
}

/// The joint with the largest difference, and its time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WorstJoint {
    /// The clip; `None` for the file's pose.
    pub clip: Option<ClipId>,
    /// Seconds on the clip's clock.
    pub time: f64,
    /// The node in the document before the change.
    pub node: NodeId,
}

/// Differences between two documents over the file's pose and all clips.
///
/// Distances are in millimeters of the scene, where 1 unit is 1 m. Mean and percentile are over all
/// points and times. Distances below 2e-6 of the size and angles below 0.0003° are float noise and
/// count as 0.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Deviation {
    /// Mean distance, millimeters.
    pub mean_mm: f64,
    /// 99th percentile of the distances, millimeters, within 0.2 %.
    pub p99_mm: f64,
    /// Largest distance, millimeters; may lie between the times that the mean is taken over.
    pub worst_mm: f64,
    /// Vertex and time of the largest distance; `None` where it is 0.
    pub at: Option<WorstPoint>,
    /// Largest angle between the axes of a joint, `W'` and `W·C`, degrees.
    pub worst_degrees: f64,
    /// Joint and time of that; `None` where it is 0.
    pub worst_joint: Option<WorstJoint>,
    /// Largest distance between the origins of a joint, `W'` and `W·C`, millimeters.
    pub worst_joint_mm: f64,
    /// Joint and time of that; `None` where it is 0.
    pub farthest_joint: Option<WorstJoint>,
    /// Number of points: vertices, or joints where no mesh is shown.
    pub points: usize,
    /// Number of times, all clips together, without those around the worst.
    pub times: usize,
    /// Number of samples that were left out because they are not finite.
    pub not_finite: u64,
    /// Number of shown primitives that were left out because they have no counterpart with the
    /// same number of vertices.
    pub unmatched: usize,
    /// Diagonal of the model at rest, meters.
    pub size: f64,
    /// Height of the model at rest, meters.
    pub height: f64,
}

/// Distances within this share of the size are float noise.
const NOISE: f32 = 2e-6;
/// Angles within it are float noise, radians.
const ANGLE_NOISE: f64 = 5e-6;
/// Times that one task evaluates.
const TASK: usize = 120;

/// The largest value so far.
#[derive(Clone, Copy, Debug)]
struct Extreme<T> {
    value: f64,
    time: f64,
    at: Option<T>,
}

impl<T> Default for Extreme<T> {
    fn default() -> Self {
        Self { value: 0.0, time: 0.0, at: None }
    }
}

impl<T: Copy> Extreme<T> {
    /// Takes a larger value. Of equal ones the first stays, so that results do not depend on
    /// threads.
    fn take(&mut self, value: f64, time: f64, at: T) {
        if value > self.value {
            *self = Self { value, time, at: Some(at) };
        }
    }

    fn merge(&mut self, other: &Self) {
        if let Some(at) = other.at {
            self.take(other.value, other.time, at);
        }
    }
}

/// Extremes of one clip.
#[derive(Clone, Copy, Debug, Default)]
struct Extremes {
    point: Extreme<PointIndex>,
    /// By index into the compared nodes.
    angle: Extreme<usize>,
    distance: Extreme<usize>,
}

impl Extremes {
    fn merge(&mut self, other: &Self) {
        self.point.merge(&other.point);
        self.angle.merge(&other.angle);
        self.distance.merge(&other.distance);
    }
}

/// Evaluators and poses of both documents.
#[derive(Default)]
struct State {
    evaluators: [Evaluator; 2],
    poses: [Pose; 2],
    matrices: Matrices,
}

impl State {
    /// Evaluates both documents at a time.
    fn update(&mut self, documents: [&Document; 2], sampled: &SampledClip, time: f64) {
        for (k, document) in documents.into_iter().enumerate() {
            let unkeyed = sampled.unkeyed.and_then(|at| document.aids.unkeyed.get(&at).cloned());
            let stack = Stack::shown(document, sampled.clip, time).with_unkeyed(unkeyed);
            self.evaluators[k].update(document, &stack, &mut self.poses[k]);
        }
    }

    fn poses(&self) -> [&Pose; 2] {
        self.poses.each_ref()
    }
}

/// Everything that does not change from time to time.
struct Comparison<'a> {
    documents: [&'a Document; 2],
    frames: Frames,
    points: PointSet,
    size: f32,
}

/// A clip of both documents with the times at which it is compared.
struct SampledClip {
    /// The clip; `None` for the file's pose.
    clip: Option<ClipId>,
    /// The unkeyed pose that is shown over it.
    unkeyed: Option<UnkeyedAt>,
    /// Seconds.
    times: Vec<f64>,
}

impl Deviation {
    /// Measures a change over the file's pose and all clips that are in both documents, with their
    /// layers and unkeyed poses.
    ///
    /// `progress` counts up to 1000. The result is `None` where `cancel` was set.
    pub fn measure(
        request: &DeviationRequest<'_>,
        cancel: &AtomicBool,
        progress: &AtomicU32,
    ) -> Option<Self> {
        let frames = Frames::new(request);
        let (matched, unmatched) = matched_primitives(request.before, request.after, &frames);
        let rest = strain::rest_pose(request.before);
        let extent = extent(request.before, &rest, &matched);
        let most = (request.vertices, request.most_points);
        let points = PointSet::new(request.before, &rest, &matched, &frames, most);
        let size = extent.length();
        let documents = [request.before, request.after];
        let comparison = Comparison { documents, frames, points, size };
        let clips = comparison.clips(request);
        let (samples, mut extremes) = comparison.sample(&clips, cancel, progress)?;
        if request.exactness == Exactness::Bounded {
            comparison.refine(&clips, &mut extremes, cancel)?;
        }
        let mut found = comparison.summary(&clips, &extremes, &matched);
        progress.store(1000, Ordering::Relaxed);
        found.mean_mm = samples.mean() * 1e3;
        found.p99_mm = samples.percentile(0.99) * 1e3;
        found.times = clips.iter().map(|c| c.times.len()).sum();
        (found.not_finite, found.unmatched) = (samples.not_finite, unmatched);
        (found.size, found.height) = (f64::from(size), f64::from(extent.y));
        Some(found)
    }
}

impl Comparison<'_> {
    /// Whether joints stand for the model, because it shows no mesh.
    const fn is_of_joints(&self) -> bool {
        self.points.len() == 0
    }

    fn clips(&self, request: &DeviationRequest<'_>) -> Vec<SampledClip> {
        let [before, after] = self.documents;
        let mut clips = vec![SampledClip { clip: None, unkeyed: None, times: vec![0.0] }];
        for (id, clip) in before.clips.iter() {
            let Some(changed) = after.clips.get(id) else { continue };
            let layers = self.documents.map(|d| d.aids.layers(LayerHome::Clip(id)));
            let pair = [(clip, &layers[0]), (changed, &layers[1])];
            let all = self.points.skin_differs;
            let times = sample_times(pair, request.exactness, all, request.most_times);
            clips.push(SampledClip { clip: Some(id), unkeyed: None, times });
            let own = before.aids.unkeyed.keys().filter(|at| at.clip == id);
            clips.extend(own.map(|at| SampledClip {
                clip: Some(id),
                unkeyed: Some(*at),
                times: vec![f64::from(at.time())],
            }));
        }
        clips
    }

    /// Compares both documents at a time.
    fn compare(
        &self,
        (sampled, time): (&SampledClip, f64),
        state: &mut State,
        samples: &mut Samples,
        extremes: &mut Extremes,
    ) {
        state.update(self.documents, sampled, time);
        let State { poses, matrices, .. } = state;
        let poses = poses.each_ref();
        let mut moved = 0;
        self.points.distances(poses, (NOISE, self.size), matrices, |point, distance| {
            moved += 1;
            samples.add(distance);
            extremes.point.take(f64::from(distance), time, point);
        });
        samples.add_zeros(self.points.len() - moved);
        let noise = f64::from(NOISE * self.size.max(reach(&poses[0].world)));
        for (k, frame) in self.frames.compared().iter().enumerate() {
            let Some(found) = difference(frame, poses) else {
                samples.not_finite += 1;
                continue;
            };
            // As precise as the distances of vertices.
            let distance = if found.distance > noise { found.distance as f32 } else { 0.0 };
            extremes.distance.take(f64::from(distance), time, k);
            if found.angle > ANGLE_NOISE {
                extremes.angle.take(found.angle, time, k);
            }
            if self.is_of_joints() {
                samples.add(distance);
            }
        }
    }

    /// Compares at all times; the extremes are per clip.
    fn sample(
        &self,
        clips: &[SampledClip],
        cancel: &AtomicBool,
        progress: &AtomicU32,
    ) -> Option<(Samples, Vec<Extremes>)> {
        let total = clips.iter().map(|c| c.times.len()).sum::<usize>().max(1);
        let done = AtomicUsize::new(0);
        let tasks: Vec<(usize, &[f64])> = clips
            .iter()
            .enumerate()
            .flat_map(|(k, clip)| clip.times.chunks(TASK).map(move |times| (k, times)))
            .collect();
        let run = |(k, times): &(usize, &[f64])| {
            let (mut state, mut samples) = (State::default(), Samples::default());
            let mut extremes = Extremes::default();
            for time in *times {
                if cancel.load(Ordering::Relaxed) {
                    return None;
                }
                let moment = (&clips[*k], *time);
                self.compare(moment, &mut state, &mut samples, &mut extremes);
                let done = done.fetch_add(1, Ordering::Relaxed) + 1;
                // The rest is for times around the worst.
                progress.fetch_max((done * 950 / total) as u32, Ordering::Relaxed);
            }
            Some((samples, extremes))
        };
        let found = tasks.par_iter().map(run).collect::<Option<Vec<_>>>()?;
        let mut samples = Samples::default();
        let mut all = vec![Extremes::default(); clips.len()];
        for ((k, _), (more, extremes)) in tasks.iter().zip(&found) {
            samples.merge(more);
            all[*k].merge(extremes);
        }
        Some((samples, all))
    }

    /// Looks for larger values between the times around the largest of each clip that comes near
    /// the largest of all.
    fn refine(
        &self,
        clips: &[SampledClip],
        extremes: &mut [Extremes],
        cancel: &AtomicBool,
    ) -> Option<()> {
        let most = |of: fn(&Extremes) -> f64| extremes.iter().map(of).fold(0.0, f64::max);
        let (point, angle) = (most(|e| e.point.value), most(|e| e.angle.value));
        let near = |value: f64, most: f64| value > 0.0 && value >= most * 0.5;
        let run = |(clip, extremes): (&SampledClip, &mut Extremes)| {
            let mut state = State::default();
            if near(extremes.point.value, point) {
                self.close_in(clip, extremes, &mut state, cancel, |e| e.point.time)?;
            }
            if near(extremes.angle.value, angle) {
                self.close_in(clip, extremes, &mut state, cancel, |e| e.angle.time)?;
            }
            Some(())
        };
        clips.par_iter().zip(extremes.par_iter_mut()).map(run).collect::<Option<Vec<()>>>()?;
        Some(())
    }

    /// Two rounds of eight times in the spans around the largest value.
    fn close_in(
        &self,
        clip: &SampledClip,
        extremes: &mut Extremes,
        state: &mut State,
        cancel: &AtomicBool,
        time_of: fn(&Extremes) -> f64,
    ) -> Option<()> {
        let mut samples = Samples::default();
        let center = time_of(extremes);
        let k = clip.times.partition_point(|t| *t < center);
        let neighbor = |k: usize| clip.times.get(k).copied().unwrap_or(center);
        let mut span = [neighbor(k.saturating_sub(1)), neighbor(k + 1)];
        for _ in 0..2 {
            let step = (span[1] - span[0]) / 9.0;
            for k in 1..=8 {
                if cancel.load(Ordering::Relaxed) {
                    return None;
                }
                let moment = (clip, span[0] + step * f64::from(k));
                self.compare(moment, state, &mut samples, extremes);
            }
            let center = time_of(extremes);
            span = [(center - step).max(span[0]), (center + step).min(span[1])];
        }
        Some(())
    }

    /// The extremes of all clips, without the statistics.
    fn summary(
        &self,
        clips: &[SampledClip],
        extremes: &[Extremes],
        matched: &[MatchedPrimitive<'_>],
    ) -> Deviation {
        let mut found = Deviation { points: self.points.len(), ..Deviation::default() };
        let compared = self.frames.compared();
        let (mut point, mut angle, mut distance) =
            (Extreme::default(), Extreme::default(), Extreme::default());
        for (k, clip) in extremes.iter().enumerate() {
            let merge = |e: &Extreme<usize>, all: &mut Extreme<(usize, usize)>| {
                if let Some(at) = e.at {
                    all.take(e.value, e.time, (k, at));
                }
            };
            merge(&clip.angle, &mut angle);
            merge(&clip.distance, &mut distance);
            if let Some(at) = clip.point.at {
                point.take(clip.point.value, clip.point.time, (k, at));
            }
        }
        let joint = |e: &Extreme<(usize, usize)>| {
            e.at.map(|(clip, joint)| WorstJoint {
                clip: clips[clip].clip,
                time: e.time,
                node: compared[joint].before,
            })
        };
        (found.worst_degrees, found.worst_joint) = (angle.value.to_degrees(), joint(&angle));
        (found.worst_joint_mm, found.farthest_joint) = (distance.value * 1e3, joint(&distance));
        let mut state = State::default();
        if self.is_of_joints() {
            found.points = compared.len();
            found.worst_mm = found.worst_joint_mm;
            found.at = distance.at.map(|(clip, joint)| {
                let (sampled, time, frame) = (&clips[clip], distance.time, &compared[joint]);
                state.update(self.documents, sampled, time);
                let [before, after] = state.poses();
                let wanted = before.world[frame.before.index()].as_dmat4();
                let wanted = wanted * frame.before_from_after;
                WorstPoint {
                    clip: sampled.clip,
                    time,
                    node: frame.before,
                    vertex: None,
                    before: wanted.w_axis.truncate().as_vec3(),
                    after: after.world[frame.after.index()].w_axis.truncate(),
                }
            });
            return found;
        }
        let Some((clip, at)) = point.at else { return found };
        let (sampled, time) = (&clips[clip], point.time);
        state.update(self.documents, sampled, time);
        let poses = state.poses();
        let (mut mesh, mut vertex) = self.points.vertex(at);
        found.worst_mm = point.value * 1e3;
        if !self.points.complete
            && let Some((distance, other)) = worst_vertex(matched, poses)
            && f64::from(distance) > point.value
        {
            found.worst_mm = f64::from(distance) * 1e3;
            (mesh, vertex) = other;
        }
        let of = |m: &&MatchedPrimitive<'_>| {
            (m.sources[0].node, m.sources[0].primitive) == (vertex.node, vertex.primitive)
        };
        found.at = matched.iter().find(of).map(|matched| {
            let palettes = [0, 1].map(|k| matched.palette(k, poses[k]));
            let [before, after] = [0, 1].map(|k| {
                let morphs = amounts(poses[k], matched.sources[k].node);
                matched.placed(k, &palettes[k], morphs, vertex.vertex as usize)
            });
            let (clip, vertex) = (sampled.clip, Some((mesh, vertex)));
            WorstPoint { clip, time, node: matched.sources[0].node, vertex, before, after }
        });
        found
    }
}

/// The vertex with the largest distance of all vertices in two poses, meters.
fn worst_vertex(
    matched: &[MatchedPrimitive<'_>],
    poses: [&Pose; 2],
) -> Option<(f32, (MeshId, SeenVertex))> {
    let of = |m: &MatchedPrimitive<'_>| {
        let palettes = [0, 1].map(|k| m.palette(k, poses[k]));
        let morphs = [0, 1].map(|k| amounts(poses[k], m.sources[k].node));
        let distance = |v: usize| {
            let [a, b] = [0, 1].map(|k| m.placed(k, &palettes[k], morphs[k], v));
            (a.distance(b), v)
        };
        let larger = |a: (f32, usize), b: (f32, usize)| {
            // Of equal ones the first, whatever the threads.
            if b.0 > a.0 || (b.0 == a.0 && b.1 < a.1) { b } else { a }
        };
        let all = (0..m.len()).into_par_iter().with_min_len(4096).map(distance);
        let (distance, v) = all.filter(|(d, _)| d.is_finite()).reduce_with(larger)?;
        let (node, primitive) = (m.sources[0].node, m.sources[0].primitive);
        let vertex = u32::try_from(v).ok()?;
        Some((distance, (m.mesh, SeenVertex { node, primitive, vertex })))
    };
    let mut worst: Option<(f32, (MeshId, SeenVertex))> = None;
    for found in matched.iter().filter_map(of) {
        if worst.is_none_or(|worst| found.0 > worst.0) {
            worst = Some(found);
        }
    }
    worst
}

/// Extent of the model at rest, meters; of its joints where no mesh is shown.
fn extent(document: &Document, rest: &Pose, matched: &[MatchedPrimitive<'_>]) -> Vec3 {
    let none = (Vec3::INFINITY, Vec3::NEG_INFINITY);
    let join = |a: (Vec3, Vec3), b: (Vec3, Vec3)| (a.0.min(b.0), a.1.max(b.1));
    let of = |m: &MatchedPrimitive<'_>| {
        let palette = m.palette(0, rest);
        let morphs = amounts(rest, m.sources[0].node);
        let all = (0..m.len()).into_par_iter().with_min_len(4096);
        let placed = all.map(|v| m.placed(0, &palette, morphs, v)).filter(|p| p.is_finite());
        placed.map(|p| (p, p)).reduce(|| none, join)
    };
    let (low, high) = matched.iter().map(of).fold(none, join);
    if low.is_finite() {
        return high - low;
    }
    joint_bounds(document, rest).map_or(Vec3::ZERO, |(low, high)| high - low)
}
