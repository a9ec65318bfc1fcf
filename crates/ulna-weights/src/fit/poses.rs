//! Poses that fitted weights are compared in: the clips of a document, sampled.

use std::collections::BTreeSet;

use rayon::prelude::*;

use crate::{at_rest, ids::to_f64};
use ulna_model::{Clip, ClipId, Document};
use ulna_motion::{Pose, Stack};

/// The usual number of poses over all clips.
pub const FIT_POSES: usize = 64;
/// The golden ratio's fraction: the times of successive clips differ by it in their phase, so that
/// clips with one sample each are not all sampled in their middle.
const PHASE: f64 = 0.618_033_988_749_895;

/// Two documents in the same pose: of the same clip at the same time, or both at rest.
#[derive(Clone, Debug)]
pub struct FitPose {
    /// The pose of the document with the old weights.
    pub before: Pose,
    /// The pose of the document with the new joints.
    pub after: Pose,
}

/// Samples the clips that two documents share, in at most `most` poses, and adds the rest pose. The
/// poses are distributed evenly over clips, and within a clip over its key times.
pub fn fit_poses(before: &Document, after: &Document, most: usize) -> Vec<FitPose> {
    let shared = before.clips.iter().filter(|(id, _)| after.clips.contains(*id));
    let keyed: Vec<(ClipId, Vec<f32>)> = shared
        .map(|(id, clip)| (id, key_times(clip)))
        .filter(|(_, times)| !times.is_empty())
        .collect();
    let counts: Vec<usize> = keyed.iter().map(|(_, times)| times.len()).collect();
    let mut moments: Vec<(ClipId, f32)> = Vec::new();
    for (k, ((id, times), samples)) in keyed.iter().zip(shares(&counts, most)).enumerate() {
        let phase = (0.5 + to_f64(k) * PHASE).fract();
        let key = |n: usize| ((to_f64(n) + phase) / to_f64(samples) * to_f64(times.len())) as usize;
        moments.extend((0..samples).map(|n| (*id, times[key(n).min(times.len() - 1)])));
    }
    // A series in one evaluator would depend on how the work is divided: it plays long series from
    // another form of the clip, which rounds otherwise.
    let sample = |document: &Document, (clip, time): (ClipId, f32)| {
        Pose::evaluate(document, &Stack::shown(document, Some(clip), f64::from(time)))
    };
    let rest = |document| Pose::evaluate(&at_rest(document), &Stack::default());
    let mut poses = vec![FitPose { before: rest(before), after: rest(after) }];
    let sampled = moments
        .into_par_iter()
        .map(|moment| FitPose { before: sample(before, moment), after: sample(after, moment) });
    poses.par_extend(sampled);
    poses
}

/// The distinct key times of a clip, in rising order.
fn key_times(clip: &Clip) -> Vec<f32> {
    let mut seen: BTreeSet<*const f32> = BTreeSet::new();
    let mut times: Vec<f32> = Vec::new();
    // Tracks often share their times.
    for track in clip.played() {
        if seen.insert(track.times.as_ptr()) {
            times.extend_from_slice(&track.times);
        }
    }
    times.sort_by(f32::total_cmp);
    times.dedup();
    times
}

/// Number of samples of each clip, at most as many as it has key times and `most` in total. Clips
/// that need fewer than their share leave the rest to the others; where there are more clips than
/// samples, every n-th clip has one.
fn shares(counts: &[usize], most: usize) -> Vec<usize> {
    let clips = counts.len();
    if clips > most {
        let mut shares = vec![0; clips];
        (0..most).for_each(|k| shares[(2 * k + 1) * clips / (2 * most)] = 1);
        return shares;
    }
    let mut shares = vec![0; clips];
    let mut order: Vec<usize> = (0..clips).collect();
    order.sort_by_key(|k| (counts[*k], *k));
    let mut left = most;
    for (done, k) in order.into_iter().enumerate() {
        shares[k] = counts[k].min(left / (clips - done));
        left -= shares[k];
    }
    shares
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_are_shared_by_clips_and_thinned() {
        assert_eq!(shares(&[100, 2, 100], 64), [31, 2, 31]);
        assert_eq!(shares(&[3, 2], 64), [3, 2]);
        assert_eq!(shares(&[9; 6], 3), [0, 1, 0, 1, 0, 1]);
        assert_eq!(shares(&[9; 2], 0), [0, 0]);
        assert!(shares(&[], 64).is_empty());
        assert_eq!(shares(&[1000; 76], 64).iter().sum::<usize>(), 64);
    }
}
