//! Poses for comparing fitted weights, sampled from a document's clips.

use std::collections::BTreeSet;

use rayon::prelude::*;

use crate::{at_rest, ids::to_f64};
use ulna_model::{Clip, ClipId, Document};
use ulna_motion::{Pose, Stack};

/// Default number of sampled poses over all clips.
pub const FIT_POSES: usize = 64;
/// Fraction of the golden ratio: the offset between the sample phases of successive clips. Without
/// the offset, every clip with one sample would be sampled at its center.
const PHASE: f64 = 0.618_033_988_749_895;

/// The same pose of two documents: the same clip at the same time, or the rest pose of both.
#[derive(Clone, Debug)]
pub struct FitPose {
    /// Pose of the document with the old weights.
    pub before: Pose,
    /// Pose of the document with the new joints.
    pub after: Pose,
}

/// Samples the rest pose, and at most `most` poses of the clips that both documents have. The
/// samples are distributed evenly over clips, and over the key times within a clip.
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
    // Each sample has its own evaluator. An evaluator prepares a clip differently for long series,
    // with other rounding. With a shared evaluator, results would depend on the division of work.
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

/// Returns the distinct key times of a clip, in ascending order.
fn key_times(clip: &Clip) -> Vec<f32> {
    let mut seen: BTreeSet<*const f32> = BTreeSet::new();
    let mut times: Vec<f32> = Vec::new();
    // Tracks often share one list of times, which is read once.
    for track in clip.played() {
        if seen.insert(track.times.as_ptr()) {
            times.extend_from_slice(&track.times);
        }
    }
    times.sort_by(f32::total_cmp);
    times.dedup();
    times
}

/// Returns the number of samples per clip: at most its number of key times, and `most` in total.
/// Unused samples are distributed to other clips. If there are more clips than samples, every n-th
/// clip gets one sample.
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
    fn samples_are_distributed_over_clips_within_the_limit() {
        assert_eq!(shares(&[100, 2, 100], 64), [31, 2, 31]);
        assert_eq!(shares(&[3, 2], 64), [3, 2]);
        assert_eq!(shares(&[9; 6], 3), [0, 1, 0, 1, 0, 1]);
        assert_eq!(shares(&[9; 2], 0), [0, 0]);
        assert!(shares(&[], 64).is_empty());
        assert_eq!(shares(&[1000; 76], 64).iter().sum::<usize>(), 64);
    }
}
