//! Parallel evaluation of a clip at many times.

use rayon::prelude::*;

use crate::{Evaluator, Pose, Stack};
use ulna_model::{Clip, Document, Shared};

/// Minimum number of times per parallel task.
const FEW: usize = 128;

/// Evaluates a clip at some times in parallel. Returns the results of `of`, which is called with
/// the index of the time and the pose, in the order of the times.
pub(super) fn each_pose<T: Send>(
    document: &Document,
    clip: &Shared<Clip>,
    times: &[f32],
    of: impl Fn(usize, &mut Pose) -> T + Sync,
) -> Vec<T> {
    let size = times.len().div_ceil(rayon::current_num_threads()).max(FEW);
    let chunks: Vec<Vec<T>> = times
        .par_chunks(size)
        .enumerate()
        .map(|(chunk, times)| {
            let (mut evaluator, mut pose) = (Evaluator::default(), Pose::default());
            let mut stack = Stack::of(Some(clip), 0.0);
            let one = |(k, time): (usize, &f32)| {
                stack.lanes[0].instances[0].time = f64::from(*time);
                evaluator.update(document, &stack, &mut pose);
                of(chunk * size + k, &mut pose)
            };
            times.iter().enumerate().map(one).collect()
        })
        .collect();
    chunks.into_iter().flatten().collect()
}

/// Returns evenly spaced times from 0 to the end of a clip, at most `step` seconds apart. There are
/// at least two.
pub(super) fn even_times(length: f32, step: f32) -> Vec<f32> {
    /// Maximum number of intervals: 36 minutes at 120 per second.
    const MOST: usize = 1 << 18;
    let count = ((length / step).ceil() as usize).clamp(1, MOST);
    (0..=count).map(|k| length * k as f32 / count as f32).collect()
}
