//! Search for the time of the worst deformation of every vertex, over all clips and a range of
//! motion. It reveals problems of a skin's weights.

use std::{
    collections::{BTreeSet, BinaryHeap},
    sync::atomic::{AtomicBool, AtomicU32, Ordering},
};

use glam::Vec3;
use rayon::prelude::*;

use super::{
    Evaluator, Pose, Stack, Strain, StrainScratch, VertexStrain, range_of_motion,
    strain::{self, Palette},
};
use ulna_model::{Clip, ClipId, Document, MeshId, NodeId, PrimitiveId, Shared, SkinId};

/// Options for the times to examine.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sampling {
    /// Maximum number of key times per clip, chosen evenly.
    pub keys: usize,
    /// Number of evenly spaced times per clip, both ends included.
    pub steps: usize,
    /// Angles of the range of motion about each joint's own X, Y and Z, in degrees. `None` for no
    /// range of motion.
    pub degrees: Option<Vec3>,
}

impl Default for Sampling {
    fn default() -> Self {
        Self { keys: 64, steps: 16, degrees: Some(Vec3::splat(45.0)) }
    }
}

/// A vertex at the time of its worst deformation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spot {
    /// The node of the mesh.
    pub node: NodeId,
    /// The primitive of the mesh.
    pub primitive: PrimitiveId,
    /// Index of the vertex.
    pub vertex: u32,
    /// The clip with the worst deformation; `None` for the range of motion.
    pub clip: Option<ClipId>,
    /// Time in the clip, seconds.
    pub time: f32,
    /// Deformation at the time `time` of the clip.
    pub strain: VertexStrain,
    /// Score of the deformation, see [`VertexStrain::score`].
    pub score: f32,
}

/// An examined clip or range of motion.
#[derive(Clone, Debug)]
struct Slot {
    clip: Shared<Clip>,
    /// Id of the clip; `None` for a range of motion.
    id: Option<ClipId>,
    /// The skin of a range of motion; only this skin is measured in it. `None` for a clip.
    skin: Option<SkinId>,
}

impl Slot {
    fn stack(&self, document: &Document, time: f32) -> Stack {
        Stack::of(Some(&self.clip), f64::from(time)).with_layers(document, self.id)
    }
}

/// The worst deformation of one vertex so far.
#[derive(Clone, Copy, Debug)]
struct Worst {
    score: f32,
    strain: VertexStrain,
    slot: u32,
    time: f32,
}

#[derive(Clone, Debug)]
struct SearchedMesh {
    mesh: MeshId,
    strain: Strain,
    worst: Vec<Worst>,
}

/// The time of the worst deformation of every shown vertex of a skinned mesh.
#[derive(Clone, Debug)]
pub struct WorstPose {
    slots: Vec<Slot>,
    parts: Vec<SearchedMesh>,
    /// Diagonal of all shown parts in the rest pose, meters.
    size: f32,
}

impl WorstPose {
    /// Minimum distance between two listed vertices, relative to the diagonal.
    const APART: f32 = 0.04;
    /// Minimum score of a listed vertex. It corresponds to an edge that is one percent longer.
    const LEAST: f32 = 0.015;

    /// Examines all times one after another, so that memory does not grow with their number.
    /// `progress` counts up to 1000. `None` if `cancel` is set.
    pub fn search(
        document: &Document,
        sampling: &Sampling,
        cancel: &AtomicBool,
        progress: &AtomicU32,
    ) -> Option<Self> {
        let document = &strain::clean(document);
        let rest = strain::rest_pose(document);
        let mut parts = Vec::new();
        for node in document.shown_nodes() {
            let Some(mesh) = document.node(node).mesh else { continue };
            for (primitive, _) in document.mesh(mesh).entries() {
                let Some(strain) = Strain::at_rest(document, &rest, node, primitive) else {
                    continue;
                };
                let none = Worst { score: 0.0, strain: VertexStrain::NONE, slot: 0, time: 0.0 };
                let worst = vec![none; strain.rest().len()];
                parts.push(SearchedMesh { mesh, strain, worst });
            }
        }
        let clips = document.clips.iter().map(|(id, clip)| Slot {
            clip: clip.clone(),
            id: Some(id),
            skin: None,
        });
        let mut slots: Vec<Slot> = clips.collect();
        let mut times: Vec<Vec<f32>> =
            slots.iter().map(|s| sample_times(&s.clip, sampling)).collect();
        if let Some(degrees) = sampling.degrees {
            let skins: BTreeSet<SkinId> = parts.iter().map(|p| p.strain.skin()).collect();
            for skin in skins {
                let clip = Shared::new(range_of_motion(document, skin, degrees));
                // Each extreme of a range of motion has a key.
                times.push(sample_times(
                    &clip,
                    &Sampling { keys: usize::MAX, steps: 0, degrees: None },
                ));
                slots.push(Slot { clip, id: None, skin: Some(skin) });
            }
        }
        let total = times.iter().map(Vec::len).sum::<usize>().max(1);
        let (mut scratch, mut found) = (StrainScratch::default(), Vec::new());
        let (mut evaluator, mut pose) = (Evaluator::default(), Pose::default());
        let mut done = 0;
        for (k, (slot, times)) in slots.iter().zip(&times).enumerate() {
            for time in times {
                if cancel.load(Ordering::Relaxed) {
                    return None;
                }
                evaluator.update(document, &slot.stack(document, *time), &mut pose);
                let here =
                    parts.iter_mut().filter(|p| slot.skin.is_none_or(|s| s == p.strain.skin()));
                for part in here {
                    part.strain.measure(document, &pose, &mut scratch, &mut found);
                    let pairs = part.worst.par_iter_mut().zip(&found).with_min_len(1024);
                    pairs.for_each(|(worst, strain)| {
                        let score = strain.score();
                        if score > worst.score {
                            *worst = Worst { score, strain: *strain, slot: k as u32, time: *time };
                        }
                    });
                }
                done += 1;
                progress.store((done * 1000 / total) as u32, Ordering::Relaxed);
            }
        }
        progress.store(1000, Ordering::Relaxed);
        let corners: Vec<Vec3> = parts
            .iter()
            .map(|p| strain::bounds(p.strain.rest()))
            .flat_map(|(low, high)| [low, high])
            .collect();
        let (low, high) = strain::bounds(&corners);
        Some(Self { slots, parts, size: (high - low).length() })
    }

    /// Returns the worst vertices, the worst first. In the rest pose, any two of them have a
    /// minimum distance.
    pub fn worst(&self, count: usize) -> Vec<Spot> {
        let list = self.parts.iter().enumerate().flat_map(|(p, part)| {
            let bad = part.worst.iter().enumerate().filter(|(_, w)| w.score > Self::LEAST);
            // Scores are not negative, so their bits sort in the order of the scores. Of equal
            // scores, the first vertex is used.
            bad.map(move |(v, w)| (w.score.to_bits(), std::cmp::Reverse((p, v))))
        });
        let mut heap: BinaryHeap<_> = list.collect();
        let mut spots: Vec<Spot> = Vec::new();
        let mut places: Vec<Vec3> = Vec::new();
        while spots.len() < count
            && let Some((_, std::cmp::Reverse((p, v)))) = heap.pop()
        {
            let part = &self.parts[p];
            let place = part.strain.rest()[v];
            if places.iter().all(|other| other.distance(place) > Self::APART * self.size) {
                places.push(place);
                spots.push(self.spot(part, v));
            }
        }
        spots
    }

    fn spot(&self, part: &SearchedMesh, vertex: usize) -> Spot {
        let worst = &part.worst[vertex];
        Spot {
            node: part.strain.node(),
            primitive: part.strain.primitive(),
            vertex: vertex as u32,
            clip: self.slots[worst.slot as usize].id,
            time: worst.time,
            strain: worst.strain,
            score: worst.score,
        }
    }

    /// Returns the time of the worst deformation of one vertex. `None` if the vertex does not exist
    /// or is not deformed.
    pub fn at(&self, node: NodeId, primitive: PrimitiveId, vertex: u32) -> Option<Spot> {
        let part = self
            .parts
            .iter()
            .find(|p| p.strain.node() == node && p.strain.primitive() == primitive)?;
        part.worst.get(vertex as usize).filter(|w| w.score > 0.0)?;
        Some(self.spot(part, vertex as usize))
    }

    /// Iterates over the scores of all vertices of a primitive. Empty if the primitive was not
    /// measured.
    pub fn scores(&self, node: NodeId, primitive: PrimitiveId) -> impl Iterator<Item = f32> + '_ {
        let part = self
            .parts
            .iter()
            .find(move |p| p.strain.node() == node && p.strain.primitive() == primitive);
        part.into_iter().flat_map(|p| p.worst.iter().map(|w| w.score))
    }

    /// Returns the range-of-motion clip of a skin. The time of a [`Spot`] without a clip is a time
    /// in this clip.
    pub fn range(&self, skin: SkinId) -> Option<&Shared<Clip>> {
        self.slots.iter().find(|s| s.skin == Some(skin)).map(|s| &s.clip)
    }

    /// Updates the scores after a change of weights. The changed vertices and their neighbors are
    /// measured again, each at the time of its worst deformation. If another time is now worse,
    /// only a new [`WorstPose::search`] finds it.
    pub fn rescore(
        &mut self,
        document: &Document,
        mesh: MeshId,
        primitive: PrimitiveId,
        vertices: &[u32],
    ) {
        let document = &strain::clean(document);
        let (mut evaluator, mut pose) = (Evaluator::default(), Pose::default());
        for part in
            self.parts.iter_mut().filter(|p| p.mesh == mesh && p.strain.primitive() == primitive)
        {
            let strain = &part.strain;
            let Some((source, weights)) = strain.source(document) else { continue };
            let there = vertices.iter().map(|v| *v as usize).filter(|v| *v < part.worst.len());
            let mut list: Vec<usize> =
                there.flat_map(|v| strain.around(v).map(|k| k as usize).chain([v])).collect();
            list.sort_unstable();
            list.dedup();
            list.retain(|v| part.worst[*v].score > 0.0);
            let moment = |v: &usize| (part.worst[*v].slot, part.worst[*v].time.to_bits());
            list.sort_by_key(moment);
            let mut found = Vec::with_capacity(list.len());
            for group in list.chunk_by(|a, b| moment(a) == moment(b)) {
                let Worst { slot, time, .. } = part.worst[group[0]];
                evaluator.update(
                    document,
                    &self.slots[slot as usize].stack(document, time),
                    &mut pose,
                );
                let palette = Palette::new(pose.palette(document, strain.skin()));
                let one = |v: &usize| (*v, strain.measure_one(source, weights, &palette, *v));
                found.par_extend(group.par_iter().with_min_len(256).map(one));
            }
            for (vertex, strain) in found {
                let worst = &mut part.worst[vertex];
                (worst.strain, worst.score) = (strain, strain.score());
            }
        }
    }
}

/// Returns selected key times of a clip, and evenly spaced times over its length.
fn sample_times(clip: &Clip, sampling: &Sampling) -> Vec<f32> {
    let mut seen: BTreeSet<*const f32> = BTreeSet::new();
    let mut keys: Vec<f32> = Vec::new();
    // Tracks often share a list of times, so remove duplicate lists.
    let tracks = clip.tracks.values().map(|t| &t.times);
    for times in tracks.chain(clip.pointers.iter().map(|p| &p.times)) {
        if seen.insert(times.as_ptr()) {
            keys.extend(times.iter().copied());
        }
    }
    keys.sort_by(f32::total_cmp);
    keys.dedup();
    let kept = sampling.keys.min(keys.len());
    // The first and the last key are included.
    let mut times: Vec<f32> =
        (0..kept).map(|k| keys[k * (keys.len() - 1) / (kept - 1).max(1)]).collect();
    if let (Some(first), Some(last)) = (keys.first(), keys.last()) {
        let part = |k: usize| k as f32 / (sampling.steps - 1).max(1) as f32;
        times.extend((0..sampling.steps).map(|k| first + (last - first) * part(k)));
    }
    times.sort_by(f32::total_cmp);
    times.dedup();
    times
}

#[cfg(test)]
mod tests {
    use glam::Quat;

    use super::*;
    use crate::tube;
    use ulna_model::{Interpolation, Property, Track, TrackId};

    fn clip(joint: u32, keys: &[(f32, Quat)]) -> Shared<Clip> {
        let track = Track {
            target: NodeId(joint),
            property: Property::Rotation,
            interpolation: Interpolation::Linear,
            times: keys.iter().map(|k| k.0).collect(),
            values: keys.iter().flat_map(|k| k.1.to_array()).collect(),
            width: 4,
            kinds: Default::default(),
            modes: Default::default(),
        };
        Shared::new(Clip { tracks: [(TrackId(0), Shared::new(track))].into(), ..Clip::default() })
    }

    /// A document with two clips. Clip 0 rotates both joints, and clip 1 twists the second joint
    /// and back.
    fn document(second: impl Fn(f32) -> f32) -> Document {
        let mut document = tube::tube(second);
        let turned = Quat::from_rotation_x(2.0);
        document.file.clips.put(ClipId(0), Some(clip(0, &[(0.0, Quat::IDENTITY), (1.0, turned)])));
        let keys =
            [(0.0, Quat::IDENTITY), (1.0, Quat::from_rotation_y(2.5)), (3.0, Quat::IDENTITY)];
        document.file.clips.put(ClipId(1), Some(clip(1, &keys)));
        document
    }

    fn search(document: &Document, degrees: Option<Vec3>) -> WorstPose {
        let progress = AtomicU32::new(0);
        let sampling = Sampling { keys: 8, steps: 5, degrees };
        let found = WorstPose::search(document, &sampling, &AtomicBool::new(false), &progress)
            .expect("not canceled");
        assert_eq!(progress.into_inner(), 1000);
        found
    }

    fn height(spot: &Spot) -> f32 {
        (spot.vertex as usize / tube::ROUND) as f32 / (tube::RINGS - 1) as f32
    }

    #[test]
    fn the_worst_twist_is_found_with_its_clip_time_and_joint() {
        let found = search(&document(|y| ((y - 0.35) / 0.3).clamp(0.0, 1.0)), None);
        let spots = found.worst(10);
        assert_eq!(
            (spots[0].node, spots[0].clip, spots[0].time),
            (tube::MESH, Some(ClipId(1)), 1.0)
        );
        assert!((height(&spots[0]) - 0.5).abs() < 0.05, "{}", height(&spots[0]));
        assert!(spots.len() > 3 && spots.is_sorted_by(|a, b| a.score >= b.score));
        assert_eq!(found.at(tube::MESH, PrimitiveId(0), spots[0].vertex), Some(spots[0]));
        // Listed vertices are apart from each other, and vertices far from the joint are not
        // listed.
        let document = document(|y| y);
        let positions = &document.mesh(MeshId(0)).primitives[0].positions;
        let place = |s: &Spot| positions[s.vertex as usize];
        for (k, a) in spots.iter().enumerate() {
            assert!((height(a) - 0.5).abs() < 0.2);
            for b in &spots[..k] {
                assert!(place(a).distance(place(b)) > 0.04);
            }
        }
        assert_eq!(found.scores(tube::MESH, PrimitiveId(0)).count(), positions.len());
        assert!(found.scores(tube::MESH, PrimitiveId(0)).take(tube::ROUND * 10).all(|s| s < 0.01));
        assert_eq!(found.scores(NodeId(0), PrimitiveId(0)).count(), 0);
    }

    #[test]
    fn a_range_of_motion_finds_strain_that_no_clip_shows() {
        let mut document = document(|y| f32::from(y > 0.5));
        document.file.clips = Default::default();
        assert!(search(&document, None).worst(10).is_empty());
        // Pose offsets and the unkeyed pose have no effect on the search.
        tube::bend(&mut document, Quat::from_rotation_z(1.0));
        let turn = ulna_model::Components {
            rotation: Some(Quat::from_rotation_x(3.0)),
            ..Default::default()
        };
        let unkeyed =
            ulna_model::Unkeyed { locals: [(NodeId(1), turn)].into(), ..Default::default() };
        document.aids.unkeyed.insert(ulna_model::UnkeyedAt::new(ClipId(1), 0.0), unkeyed.into());
        let found = search(&document, Some(Vec3::splat(45.0)));
        let spots = found.worst(3);
        assert_eq!(spots[0].clip, None);
        assert!((height(&spots[0]) - 0.5).abs() < 0.05);
        let clip = found.range(SkinId(0)).expect("a range of motion");
        assert!(clip.tracks.values().any(|t| t.times.contains(&spots[0].time)));
    }

    #[test]
    fn scores_fall_with_better_weights_and_equal_direct_measurements() {
        let mut document = document(|y| f32::from(y > 0.5));
        document.file.clips.put(
            ClipId(1),
            Some(clip(1, &[(0.0, Quat::IDENTITY), (1.0, Quat::from_rotation_z(1.2))])),
        );
        let mut found = search(&document, None);
        let before = found.worst(1)[0];
        let all: Vec<f32> = found.scores(tube::MESH, PrimitiveId(0)).collect();
        let smooth = tube::weights(|y| ((y - 0.3) / 0.4).clamp(0.0, 1.0));
        let old = document.mesh(MeshId(0)).primitives[0].weights.clone().unwrap();
        let changed: Vec<u32> = (0..all.len() as u32)
            .filter(|v| old.pick(&[*v]).weights != smooth.pick(&[*v]).weights)
            .collect();
        assert!(changed.len() > 100 && changed.len() < all.len());
        tube::set_weights(&mut document, smooth);
        found.rescore(&document, MeshId(0), PrimitiveId(0), &changed);
        // Unknown vertices and meshes are ignored.
        found.rescore(&document, MeshId(0), PrimitiveId(0), &[u32::MAX]);
        found.rescore(&document, MeshId(9), PrimitiveId(0), &[0]);
        let after = found.at(tube::MESH, PrimitiveId(0), before.vertex).expect("measured");
        assert_eq!((after.clip, after.time), (before.clip, before.time));
        assert!(after.score < before.score * 0.6, "{before:?} {after:?}");
        assert!(found.worst(1)[0].score < before.score * 0.8);
        // A direct measurement at that time gives the same result.
        let strain = Strain::of(&document, tube::MESH, PrimitiveId(0)).unwrap();
        let moment = &Stack::of(document.clips.get(ClipId(1)), f64::from(after.time));
        let (mut out, pose) = (Vec::new(), Pose::evaluate(&document, moment));
        strain.measure(&document, &pose, &mut StrainScratch::default(), &mut out);
        let fresh = out[after.vertex as usize];
        assert!(
            (fresh.stretch - after.strain.stretch).abs() < 1e-4
                && (fresh.volume - after.strain.volume).abs() < 1e-5
        );
        // Vertices far from the change keep their scores.
        assert!(
            found
                .scores(tube::MESH, PrimitiveId(0))
                .zip(&all)
                .take(tube::ROUND * 10)
                .all(|(a, b)| a == *b)
        );
    }

    #[test]
    fn canceled_work_has_no_result() {
        let (cancel, progress) = (AtomicBool::new(true), AtomicU32::new(7));
        assert!(
            WorstPose::search(&document(|y| y), &Sampling::default(), &cancel, &progress).is_none()
        );
        assert_eq!(progress.into_inner(), 7);
    }

    #[test]
    fn thinned_times_keep_both_ends() {
        let keys: Vec<(f32, Quat)> = (0..1000).map(|k| (k as f32 * 0.1, Quat::IDENTITY)).collect();
        let times = |keys_kept, steps| {
            sample_times(&clip(0, &keys), &Sampling { keys: keys_kept, steps, degrees: None })
        };
        assert_eq!(times(10, 0).len(), 10);
        assert_eq!((times(10, 0)[0], times(10, 0)[9]), (0.0, keys[999].0));
        assert_eq!(times(0, 3).len(), 3);
        assert_eq!(times(1, 1), [0.0]);
        assert_eq!(times(usize::MAX, 0).len(), 1000);
        assert!(sample_times(&Clip::default(), &Sampling::default()).is_empty());
    }
}
