//! Filters with a window of neighboring samples.

/// Extends samples on both sides by point reflection, or as a loop.
pub(super) fn padded(row: &[f64], pad: usize, loops: bool) -> Vec<f64> {
    let (count, end) = (row.len() as isize, row[row.len() - 1]);
    let at = |k: isize| {
        if loops {
            row[k.rem_euclid(count) as usize]
        } else if k < 0 {
            2.0 * row[0] - row[(-k).min(count - 1) as usize]
        } else if k >= count {
            2.0 * end - row[(2 * (count - 1) - k).max(0) as usize]
        } else {
            row[k as usize]
        }
    };
    (-(pad as isize)..count + pad as isize).map(at).collect()
}

/// Gaussian weights for `reach` samples on both sides; their sum is 1.
pub(super) fn bell(width: f64, reach: usize) -> Vec<f64> {
    let weight = |k: usize| (-0.5 * ((k as f64 - reach as f64) / width.max(1e-9)).powi(2)).exp();
    let total: f64 = (0..=2 * reach).map(weight).sum();
    (0..=2 * reach).map(|k| weight(k) / total).collect()
}

/// Replaces samples with their Gaussian mean. `width` is the standard deviation in samples.
pub(super) fn gaussian(row: &mut [f64], width: f64, loops: bool) {
    let reach = (width * 3.5).ceil() as usize;
    if row.len() < 2 || reach == 0 || !width.is_finite() {
        return;
    }
    let reach = reach.min(row.len() * 4);
    let weights = bell(width, reach);
    let all = padded(row, reach, loops);
    for (k, value) in row.iter_mut().enumerate() {
        *value = weights.iter().zip(&all[k..]).map(|(w, v)| w * v).sum();
    }
}

/// Moves each sample halfway toward the line between its neighbors, in several passes. With a
/// period, the last sample is followed by the first.
pub(super) fn smooth(times: &[f64], row: &mut [f64], passes: u32, period: Option<f64>) {
    let count = row.len();
    if count < 3 {
        return;
    }
    for _ in 0..passes.min(1000) {
        let was = row.to_vec();
        for k in 0..count {
            let ((t0, v0), (t1, v1)) = match (k, period) {
                (0, None) => continue,
                (k, None) if k + 1 == count => continue,
                (0, Some(period)) => {
                    ((times[count - 1] - period, was[count - 1]), (times[1], was[1]))
                }
                (k, Some(period)) if k + 1 == count => {
                    ((times[k - 1], was[k - 1]), (times[0] + period, was[0]))
                }
                _ => ((times[k - 1], was[k - 1]), (times[k + 1], was[k + 1])),
            };
            let between = v0 + (v1 - v0) * (times[k] - t0) / (t1 - t0);
            row[k] = 0.5 * (was[k] + between);
        }
    }
}

/// Replaces samples far from the median of their neighbors with that median.
pub(super) fn peaks(row: &mut [f64], limit: f64, loops: bool) {
    const REACH: usize = 3;
    /// Ratio of the standard deviation to the median distance, for a normal distribution.
    const SCALE: f64 = 1.4826;
    /// Minimum distance of a peak, relative to the range of all samples.
    const FLOOR: f64 = 0.02;
    if row.len() < 3 {
        return;
    }
    let (low, high) =
        row.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(*v), h.max(*v)));
    let reach = REACH.min(row.len() - 1);
    let all = padded(row, reach, loops);
    // Percentiles, so that a single peak does not determine the range.
    let mut sorted = row.to_vec();
    sorted.sort_by(f64::total_cmp);
    let part = |p: f64| sorted[((sorted.len() - 1) as f64 * p).round() as usize];
    let range = (part(0.95) - part(0.05)).max((high - low) * 1e-3);
    for (k, value) in row.iter_mut().enumerate() {
        let around = &all[k..=k + 2 * reach];
        let middle = median(around.to_vec());
        let spread = median(around.iter().map(|v| (v - middle).abs()).collect());
        if (*value - middle).abs() > limit * SCALE * spread + FLOOR * range {
            *value = middle;
        }
    }
}

fn median(mut of: Vec<f64>) -> f64 {
    of.sort_by(f64::total_cmp);
    of[of.len() / 2]
}
