//! The search for the largest deviation over all motions and times.

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering};

use glam::Vec3;
use rayon::prelude::*;

use super::{
    extremes::{Extreme, Extremes},
    frames::{Frames, difference, reach},
    points::{MatchedPrimitive, Matrices, PointSet, amounts, matched_primitives},
    request::{DeviationRequest, Exactness},
    result::{Deviation, WorstJoint, WorstPoint},
    sampled::{PoseState, SampledMotion, Sources},
    samples::Samples,
};
use crate::{Pose, SeenVertex, joint_bounds, strain};
use ulna_model::{Document, MeshId};

/// Number of motions for which the worst point is reported.
const WORST: usize = 3;
/// Maximum distance that counts as float noise, relative to the model's size.
const NOISE: f32 = 2e-6;
/// Maximum angle that counts as float noise, radians.
const ANGLE_NOISE: f64 = 5e-6;
/// Number of times per parallel task.
const TASK: usize = 120;

/// Reusable memory: poses of both documents, and matrices of the comparison.
#[derive(Default)]
struct State {
    poses: PoseState,
    matrices: Matrices,
}

/// The time-independent data of a comparison.
struct Comparison<'a> {
    sources: Sources<'a>,
    frames: Frames,
    points: PointSet,
    size: f32,
}

impl Deviation {
    /// Measures the deviation of a change over the file's pose, all clips that both documents have,
    /// and the mix. Clips include their layers and unkeyed poses.
    ///
    /// `progress` counts up to 1000. `None` if `cancel` was set.
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
        let sources = Sources { documents: [request.before, request.after], mixes: request.mixes };
        let motions = sources.motions(request, points.skin_differs);
        let comparison = Comparison { sources, frames, points, size };
        let (samples, mut extremes) = comparison.sample(&motions, cancel, progress)?;
        if request.exactness == Exactness::Bounded {
            comparison.refine(&motions, &mut extremes, cancel)?;
        }
        let mut found = comparison.summary(&motions, &extremes, &matched);
        progress.store(1000, Ordering::Relaxed);
        found.mean_mm = samples.mean() * 1e3;
        found.p99_mm = samples.percentile(0.99) * 1e3;
        found.times = motions.iter().map(|m| m.times.len()).sum();
        (found.not_finite, found.unmatched) = (samples.not_finite, unmatched);
        (found.size, found.height) = (f64::from(size), f64::from(extent.y));
        Some(found)
    }
}

impl Comparison<'_> {
    /// Whether joints are compared instead of vertices, because no mesh is shown.
    const fn is_of_joints(&self) -> bool {
        self.points.len() == 0
    }

    /// Compares both documents at one time of a motion.
    fn compare(
        &self,
        (sampled, time): (&SampledMotion, f64),
        state: &mut State,
        samples: &mut Samples,
        extremes: &mut Extremes,
    ) {
        state.poses.update(&self.sources, sampled, time);
        let State { poses, matrices } = state;
        let poses = poses.poses();
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
            // Joint distances get the same precision as vertex distances.
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

    /// Compares both documents at all times. Returns the samples of all motions, and the extremes
    /// of each motion.
    fn sample(
        &self,
        motions: &[SampledMotion],
        cancel: &AtomicBool,
        progress: &AtomicU32,
    ) -> Option<(Samples, Vec<Extremes>)> {
        let total = motions.iter().map(|m| m.times.len()).sum::<usize>().max(1);
        let done = AtomicUsize::new(0);
        let tasks: Vec<(usize, &[f64])> = motions
            .iter()
            .enumerate()
            .flat_map(|(k, m)| m.times.chunks(TASK).map(move |times| (k, times)))
            .collect();
        let run = |(k, times): &(usize, &[f64])| {
            let (mut state, mut samples) = (State::default(), Samples::default());
            let mut extremes = Extremes::default();
            for time in *times {
                if cancel.load(Ordering::Relaxed) {
                    return None;
                }
                let moment = (&motions[*k], *time);
                self.compare(moment, &mut state, &mut samples, &mut extremes);
                let done = done.fetch_add(1, Ordering::Relaxed) + 1;
                // The remaining progress is for the refinement around the worst times.
                progress.fetch_max((done * 950 / total) as u32, Ordering::Relaxed);
            }
            Some((samples, extremes))
        };
        let found = tasks.par_iter().map(run).collect::<Option<Vec<_>>>()?;
        let mut samples = Samples::default();
        let mut all = vec![Extremes::default(); motions.len()];
        for ((k, _), (more, extremes)) in tasks.iter().zip(&found) {
            samples.merge(more);
            all[*k].merge(extremes);
        }
        Some((samples, all))
    }

    /// Searches for larger values between the times around each motion's maximum. Only motions
    /// whose maximum is near the overall maximum or among the worst are searched.
    fn refine(
        &self,
        motions: &[SampledMotion],
        extremes: &mut [Extremes],
        cancel: &AtomicBool,
    ) -> Option<()> {
        let least = |of: fn(&Extremes) -> f64| {
            let mut values: Vec<f64> = extremes.iter().map(of).collect();
            values.sort_by(|a, b| b.total_cmp(a));
            let named = values.get(WORST - 1).copied().unwrap_or(0.0);
            values.first().map_or(0.0, |most| named.min(most * 0.5))
        };
        let (point, angle) = (least(|e| e.point.value), least(|e| e.angle.value));
        let near = |value: f64, least: f64| value > 0.0 && value >= least;
        let run = |(motion, extremes): (&SampledMotion, &mut Extremes)| {
            let mut state = State::default();
            if near(extremes.point.value, point) {
                self.close_in(motion, extremes, &mut state, cancel, |e| e.point.time)?;
            }
            if near(extremes.angle.value, angle) {
                self.close_in(motion, extremes, &mut state, cancel, |e| e.angle.time)?;
            }
            Some(())
        };
        motions.par_iter().zip(extremes.par_iter_mut()).map(run).collect::<Option<Vec<()>>>()?;
        Some(())
    }

    /// Refines the time of the largest deviation in a motion. Each of two rounds compares eight
    /// more times in the intervals around the largest value so far.
    fn close_in(
        &self,
        motion: &SampledMotion,
        extremes: &mut Extremes,
        state: &mut State,
        cancel: &AtomicBool,
        time_of: fn(&Extremes) -> f64,
    ) -> Option<()> {
        let mut samples = Samples::default();
        let center = time_of(extremes);
        let k = motion.times.partition_point(|t| *t < center);
        let neighbor = |k: usize| motion.times.get(k).copied().unwrap_or(center);
        let mut span = [neighbor(k.saturating_sub(1)), neighbor(k + 1)];
        for _ in 0..2 {
            let step = (span[1] - span[0]) / 9.0;
            for k in 1..=8 {
                if cancel.load(Ordering::Relaxed) {
                    return None;
                }
                let moment = (motion, span[0] + step * f64::from(k));
                self.compare(moment, state, &mut samples, extremes);
            }
            let center = time_of(extremes);
            span = [(center - step).max(span[0]), (center + step).min(span[1])];
        }
        Some(())
    }

    /// Summarizes the extremes of all motions. Statistics over all samples are not set.
    fn summary(
        &self,
        motions: &[SampledMotion],
        extremes: &[Extremes],
        matched: &[MatchedPrimitive<'_>],
    ) -> Deviation {
        let is_of_joints = self.is_of_joints();
        let points = if is_of_joints { self.frames.compared().len() } else { self.points.len() };
        let mut found = Deviation { points, ..Deviation::default() };
        let largest = |of: fn(&Extremes) -> &Extreme<usize>| {
            let mut all = Extreme::default();
            for (k, e) in extremes.iter().enumerate().map(|(k, e)| (k, of(e))) {
                if let Some(at) = e.at {
                    all.take(e.value, e.time, (k, at));
                }
            }
            let joint = all.at.map(|(k, joint): (usize, usize)| WorstJoint {
                motion: motions[k].motion,
                time: all.time,
                node: self.frames.compared()[joint].before,
            });
            (all.value, joint)
        };
        let (angle, worst_joint) = largest(|e| &e.angle);
        (found.worst_degrees, found.worst_joint) = (angle.to_degrees(), worst_joint);
        let (distance, farthest) = largest(|e| &e.distance);
        (found.worst_joint_mm, found.farthest_joint) = (distance * 1e3, farthest);
        let value = |e: &Extremes| if is_of_joints { e.distance.value } else { e.point.value };
        // Keep the largest value per motion. An unkeyed pose belongs to the motion of its clip.
        let mut worst: Vec<(f64, usize)> = Vec::new();
        for (k, e) in extremes.iter().enumerate() {
            match worst.last_mut() {
                Some(last) if motions[last.1].motion == motions[k].motion => {
                    if value(e) > last.0 {
                        *last = (value(e), k);
                    }
                }
                _ => worst.push((value(e), k)),
            }
        }
        worst.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let named = worst.iter().take(WORST).filter(|w| w.0 > 0.0).count();
        (found.other_motions, found.other_mm) =
            (worst.len() - named, worst.get(named).map_or(0.0, |w| w.0 * 1e3));
        let mut state = State::default();
        let of = |(_, k): &(f64, usize)| {
            let of = (&motions[*k], &extremes[*k]);
            if is_of_joints {
                self.joint_at(of, &mut state)
            } else {
                self.vertex_at(of, matched, &mut state)
            }
        };
        let mut points: Vec<WorstPoint> = worst[..named].iter().filter_map(of).collect();
        // The order may have changed, since all vertices were searched.
        points.sort_by(|a, b| b.mm.total_cmp(&a.mm));
        found.worst_mm = points.first().map_or(0.0, |p| p.mm);
        found.worst.iter_mut().zip(points).for_each(|(to, point)| *to = Some(point));
        found
    }

    /// Finds the joint that is farthest from its original position in a motion.
    fn joint_at(
        &self,
        (sampled, extremes): (&SampledMotion, &Extremes),
        state: &mut State,
    ) -> Option<WorstPoint> {
        let Extreme { value, time, at } = extremes.distance;
        let frame = &self.frames.compared()[at?];
        state.poses.update(&self.sources, sampled, time);
        let [before, after] = state.poses.poses();
        let wanted = before.world[frame.before.index()].as_dmat4() * frame.before_from_after;
        Some(WorstPoint {
            motion: sampled.motion,
            time,
            mm: value * 1e3,
            node: frame.before,
            vertex: None,
            before: wanted.w_axis.truncate().as_vec3(),
            after: after.world[frame.after.index()].w_axis.truncate(),
        })
    }

    /// Finds the vertex with the largest distance in a motion, at the time of the largest distance
    /// of a sampled point.
    fn vertex_at(
        &self,
        (sampled, extremes): (&SampledMotion, &Extremes),
        matched: &[MatchedPrimitive<'_>],
        state: &mut State,
    ) -> Option<WorstPoint> {
        let Extreme { value, time, at } = extremes.point;
        let (mut mesh, mut vertex) = self.points.vertex(at?);
        state.poses.update(&self.sources, sampled, time);
        let poses = state.poses.poses();
        let mut mm = value * 1e3;
        if !self.points.complete
            && let Some((distance, other)) = worst_vertex(matched, poses)
            && f64::from(distance) > value
        {
            mm = f64::from(distance) * 1e3;
            (mesh, vertex) = other;
        }
        let of = |m: &&MatchedPrimitive<'_>| {
            (m.sources[0].node, m.sources[0].primitive) == (vertex.node, vertex.primitive)
        };
        let matched = matched.iter().find(of)?;
        let palettes = [0, 1].map(|k| matched.palette(k, poses[k]));
        let [before, after] = [0, 1].map(|k| {
            let morphs = amounts(poses[k], matched.sources[k].node);
            matched.placed(k, &palettes[k], morphs, vertex.vertex as usize)
        });
        let (motion, node) = (sampled.motion, matched.sources[0].node);
        Some(WorstPoint { motion, time, mm, node, vertex: Some((mesh, vertex)), before, after })
    }
}

/// Finds the vertex with the largest distance of all vertices in two poses. The distance is in
/// meters.
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
            // Among equal distances the first vertex wins, independent of threads.
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

/// Extent of the model in the rest pose, meters. If no mesh is shown, the extent of its joints.
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
