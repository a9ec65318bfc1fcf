//! Poses of a clip and values of a track at given times.

use crate::{Evaluator, Pose, Stack, sample_into};
use ulna_model::{Clip, Document, Shared, Track};

/// Computes the poses of a clip at some times, in seconds.
pub(super) fn poses(document: &Document, clip: &Clip, times: &[f64]) -> Vec<Pose> {
    let clip = Shared::new(clip.clone());
    let mut evaluator = Evaluator::default();
    let pose = |time: &f64| {
        let mut pose = Pose::default();
        evaluator.update(document, &Stack::of(Some(&clip), *time), &mut pose);
        pose
    };
    times.iter().map(pose).collect()
}

/// Value of a track at a time.
pub(super) fn sampled(track: &Track, time: f64) -> Vec<f32> {
    let mut out = vec![0.0; track.width];
    sample_into(track, time, &mut out);
    out
}
