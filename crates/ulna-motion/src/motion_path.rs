//! Motion paths: the positions of a joint in the scene over a clip, at each frame and at its keys.

use super::{Averaging, Evaluator, Pose, Stack};
use glam::Vec3;
use ulna_model::{ClipId, Document, NodeId, Property, Shared};

/// A point of a motion path.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PathPlace {
    /// Time in the clip, seconds.
    pub time: f32,
    /// Position in the scene, meters.
    pub at: Vec3,
    /// Whether the joint, or a joint above it in its limb, has a key at this time.
    pub is_key: bool,
}

/// The motion path of one joint.
#[derive(Clone, Debug, PartialEq)]
pub struct MotionPath {
    /// Joint that moves along the path.
    pub node: NodeId,
    /// Points in order of time.
    pub places: Vec<PathPlace>,
}

impl MotionPath {
    /// Speed at a point, in meters per second.
    pub fn speed(&self, k: usize) -> f32 {
        let last = self.places.len().saturating_sub(1);
        let (a, b) = (&self.places[k.saturating_sub(1)], &self.places[(k + 1).min(last)]);
        if b.time > a.time { a.at.distance(b.at) / (b.time - a.time) } else { 0.0 }
    }
}

/// Computes motion paths of some joints over a clip, with a point per frame and at all keys. `rate`
/// is in frames per second. If there are more than `most` frames, only every nth frame is used.
/// `between` is the interpolation of LINEAR rotations.
pub fn motion_paths(
    document: &Document,
    id: ClipId,
    nodes: &[NodeId],
    (rate, between): (f64, Averaging),
    most: usize,
) -> Vec<MotionPath> {
    /// Number of ancestors whose keys also count for a joint, since keys of an arm move the hand.
    const ABOVE: usize = 2;
    /// Maximum difference of times that count as equal, seconds.
    const NEAR: f32 = 1e-4;
    let Some(clip) = document.clips.get(id) else { return Vec::new() };
    let length = f64::from(clip.length());
    if length <= 0.0 || rate <= 0.0 || nodes.is_empty() || most < 2 {
        return Vec::new();
    }
    let frames = (length * rate).ceil();
    let step = (frames / (most - 1) as f64).ceil().max(1.0);
    let own_keys = |node: NodeId| {
        let chain = std::iter::successors(Some(node), |n| document.node(*n).parent)
            .take(ABOVE + 1)
            .collect::<Vec<_>>();
        let moved = |t: &&Shared<ulna_model::Track>| {
            t.property != Property::Weights && chain.contains(&t.target)
        };
        let mut times: Vec<f32> =
            clip.tracks.values().filter(moved).flat_map(|t| t.times.iter().copied()).collect();
        times.sort_by(f32::total_cmp);
        times.dedup();
        times
    };
    let keys: Vec<Vec<f32>> = nodes.iter().map(|n| own_keys(*n)).collect();
    let mut times: Vec<f32> = (0..)
        .map(|k| (f64::from(k) * step / rate) as f32)
        .take_while(|t| f64::from(*t) < length)
        .collect();
    times.push(length as f32);
    // A motion capture has a key on each frame. Keys between the sampled frames are then left out.
    if keys.iter().map(Vec::len).sum::<usize>() <= most * 2 {
        times.extend(keys.iter().flatten());
    }
    times.sort_by(f32::total_cmp);
    times.dedup_by(|a, b| (*a - *b).abs() < NEAR);
    let mut paths: Vec<MotionPath> = nodes
        .iter()
        .map(|node| MotionPath { node: *node, places: Vec::with_capacity(times.len()) })
        .collect();
    let (mut evaluator, mut pose) = (Evaluator::default(), Pose::default());
    let mut stack = Stack::shown(document, Some(id), 0.0).going(between);
    for time in times {
        stack.lanes[0].instances[0].time = f64::from(time);
        evaluator.update(document, &stack, &mut pose);
        for (path, keys) in paths.iter_mut().zip(&keys) {
            let near = keys.partition_point(|t| *t < time - NEAR);
            let is_key = keys.get(near).is_some_and(|t| (t - time).abs() <= NEAR);
            let at = pose.world[path.node.index()].w_axis.truncate();
            path.places.push(PathPlace { time, at, is_key });
        }
    }
    paths
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tube::tube;
    use ulna_model::{Clip, Interpolation, Track, TrackId};

    #[test]
    fn a_path_contains_its_keys_and_at_most_the_requested_points() {
        let mut document = tube(|height| height);
        let nodes: Vec<NodeId> = document.skins.values().next().unwrap().joints.to_vec();
        let times = [0.0f32, 0.35, 2.0];
        let values = times.iter().flat_map(|t| [*t, 1.0, 0.0]).collect();
        let track = Track {
            target: nodes[0],
            property: Property::Translation,
            interpolation: Interpolation::Linear,
            times: times.as_slice().into(),
            values,
            width: 3,
            kinds: Default::default(),
            modes: Default::default(),
        };
        let clip = document.clips.next_id();
        let made = Shared::new(Clip {
            tracks: [(TrackId(0), Shared::new(track))].into(),
            ..Clip::default()
        });
        document.file.clips.put(clip, Some(made));
        let paths = motion_paths(&document, clip, &nodes[..2], (30.0, Averaging::Slerp), 200);
        assert_eq!(paths.len(), 2);
        // 61 frames, and one key between two of them.
        assert_eq!(paths[0].places.len(), 62);
        let keys: Vec<f32> = paths[0].places.iter().filter(|p| p.is_key).map(|p| p.time).collect();
        assert_eq!(keys, times);
        let k = paths[0].places.iter().position(|p| p.time == 0.35).unwrap();
        assert!((paths[0].places[k].at.x - 0.35).abs() < 1e-5);
        assert!((paths[0].speed(30) - 1.0).abs() < 1e-3);
        let few = motion_paths(&document, clip, &nodes[..1], (30.0, Averaging::Slerp), 20);
        assert!(few[0].places.len() <= 23, "{}", few[0].places.len());
        let empty = document.clips.next_id();
        document.file.clips.put(empty, Some(Shared::new(Clip::default())));
        assert!(motion_paths(&document, empty, &nodes, (30.0, Averaging::Slerp), 20).is_empty());
    }
}
