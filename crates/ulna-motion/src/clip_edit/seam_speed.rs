//! Speed of a loop on both sides of its seam.

use glam::Quat;

use super::{
    Carrier,
    moments::{poses, sampled},
};
use ulna_model::{Clip, Document, NodeId, Property, Track, transform::short_way};

/// Number of frames on each side of the seam from which the usual change of speed is computed.
pub(super) const AROUND: usize = 12;

/// Difference between a track's speed at its start and its speed at its end, per second. Each speed
/// is measured over one frame. Rotation speeds are vectors in the joint's own space.
pub(super) fn faster(track: &Track, last: f32, frame: f64) -> Vec<f32> {
    let end = f64::from(last);
    let [start, stop] = [way(track, 0.0, frame), way(track, end - frame, end)];
    start.iter().zip(&stop).map(|(a, b)| (a - b) / frame as f32).collect()
}

/// Change of a track's value between two times. For rotations, a rotation vector in the joint's own
/// space.
fn way(track: &Track, from: f64, to: f64) -> Vec<f32> {
    let (a, b) = (sampled(track, from), sampled(track, to));
    if track.property == Property::Rotation {
        let turn = Quat::from_slice(&a).conjugate() * Quat::from_slice(&b);
        return short_way(turn).to_scaled_axis().to_array().to_vec();
    }
    b.iter().zip(&a).map(|(b, a)| b - a).collect()
}

/// Whether a difference of speed exceeds the changes between frames near the ends of the track.
pub(super) fn is_seen(faster: &[f32], track: &Track, last: f32, frame: f64) -> bool {
    let end = f64::from(last);
    let long = |v: &[f32]| v.iter().map(|v| v * v).sum::<f32>().sqrt();
    let less = |a: &[f32], b: &[f32]| -> Vec<f32> {
        a.iter().zip(b).map(|(a, b)| (a - b) / frame as f32).collect()
    };
    let some = ((end / frame * 0.5) as usize).min(AROUND);
    let at = |k: usize| [k as f64 * frame, end - k as f64 * frame];
    let mut usual = 0.0f32;
    for side in 0..2 {
        let ways: Vec<Vec<f32>> = (0..some)
            .map(|k| {
                let (a, b) = (at(k)[side], at(k + 1)[side]);
                way(track, a.min(b), a.max(b))
            })
            .collect();
        usual = ways.windows(2).map(|w| long(&less(&w[0], &w[1]))).fold(usual, f32::max);
    }
    long(faster) > 1.2 * usual + 1e-4
}

/// Whether a difference of speed exceeds rounding errors, relative to the speed at the ends of the
/// track.
pub(super) fn is_any(faster: &[f32], track: &Track, last: f32, frame: f64) -> bool {
    /// Maximum fraction of the speed that is invisible.
    const PART: f32 = 0.02;
    let end = f64::from(last);
    let long = |v: &[f32]| v.iter().map(|v| v * v).sum::<f32>().sqrt();
    let ends =
        [way(track, 0.0, frame), way(track, end - frame, end)].map(|w| long(&w) / frame as f32);
    long(faster) > PART * ends[0].max(ends[1]) && long(faster) > 1e-4
}

/// Largest difference of a node's speed at the seam, in meters per second in the scene, without the
/// travel of the carrier.
pub fn speed_jump(document: &Document, clip: &Clip, frame: f64, travels: Option<Carrier>) -> f32 {
    let end = f64::from(clip.length());
    let seen = poses(document, clip, &[0.0, frame, end - frame, end]);
    let [start, second, before, stop] = &seen[..] else { return 0.0 };
    let nodes: std::collections::BTreeSet<NodeId> =
        clip.tracks.values().map(|t| t.target).collect();
    // The children are included: they move with the joint, and farther than the joint itself.
    let all: std::collections::BTreeSet<NodeId> = nodes
        .iter()
        .flat_map(|n| std::iter::once(*n).chain(document.children(*n).iter().copied()))
        .collect();
    let back = |p: glam::Vec3| travels.map_or(p, |c| c.place_back(p));
    let jump = |n: &NodeId| {
        let place = |pose: &crate::Pose| pose.world[n.index()].w_axis.truncate();
        let comes = back(place(stop)) - back(place(before));
        (place(second) - place(start) - comes).length() / frame as f32
    };
    all.iter().map(jump).fold(0.0, f32::max)
}
