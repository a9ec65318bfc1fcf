//! Samples of a track as numbers, and changes over time.

use glam::{DQuat, DVec3, DVec4};

use super::{
    super::chart::{exp, rotation, short_log},
    window::bell,
};
use crate::sample_into;
use ulna_model::{Interpolation, Property, Track};

/// Maximum number of samples.
const MOST: usize = 1 << 18;

/// A change over time, as samples with linear interpolation.
pub(super) struct Course {
    times: Vec<f64>,
    /// One row of samples per component.
    rows: Vec<Vec<f64>>,
    period: Option<f64>,
}

impl Course {
    pub fn new(times: Vec<f64>, rows: Vec<Vec<f64>>, period: Option<f64>) -> Self {
        Self { times, rows, period }
    }

    /// Mean distance between samples, seconds.
    pub fn apart(&self) -> f64 {
        let last = self.times.len() - 1;
        ((self.times[last] - self.times[0]) / last.max(1) as f64).max(1e-6)
    }

    /// Interpolates the change at a time. It is constant beyond the ends.
    pub fn at(&self, time: f64) -> Vec<f64> {
        let (first, last) = (self.times[0], self.times[self.times.len() - 1]);
        let time = match self.period {
            Some(period) => first + (time - first).rem_euclid(period),
            None => time.clamp(first, last),
        };
        let after = self.times.partition_point(|t| *t <= time);
        let from = after.saturating_sub(1);
        let (to, end) = match (self.times.get(after), self.period) {
            (Some(end), _) => (after, *end),
            (None, Some(period)) => (0, first + period),
            (None, None) => (from, last),
        };
        let span = end - self.times[from];
        let part =
            if span > 0.0 { ((time - self.times[from]) / span).clamp(0.0, 1.0) } else { 0.0 };
        self.rows.iter().map(|row| row[from] + (row[to] - row[from]) * part).collect()
    }
}

/// Values of a track at some times.
pub(super) struct Samples {
    times: Vec<f64>,
    step: f64,
    /// Length of the loop in seconds; `None` without a loop. The last key of a loop is not a
    /// sample.
    period: Option<f64>,
    values: Values,
}

enum Values {
    /// Plain numbers: one row per component.
    Numbers(Vec<Vec<f64>>),
    /// Quaternions with consistent signs.
    Turns(Vec<DQuat>),
}

impl Samples {
    /// Samples a track at its keys.
    pub fn at_keys(track: &Track, keys: &[usize], loops: bool) -> Option<Self> {
        let times: Vec<f64> = keys.iter().map(|k| f64::from(track.times[*k])).collect();
        let (first, last) = (*times.first()?, *times.last()?);
        if times.len() < 3 {
            return None;
        }
        let step = (last - first) / (times.len() - 1) as f64;
        let count = if loops { times.len() - 1 } else { times.len() };
        Some(Self::of(track, times[..count].to_vec(), step, loops.then_some(last - first)))
    }

    /// Samples a track at even times, at most `finest` seconds apart. The key times are included if
    /// they are evenly spaced.
    pub fn even(track: &Track, keys: &[usize], finest: f64, loops: bool) -> Option<Self> {
        let time = |k: usize| f64::from(track.times[keys[k]]);
        if keys.len() < 3 {
            return None;
        }
        let (first, last) = (time(0), time(keys.len() - 1));
        let span = last - first;
        let count = keys.len() - 1;
        let usual = span / count as f64;
        let is_even =
            (0..=count).all(|k| (time(k) - first - usual * k as f64).abs() < usual * 0.05);
        let shortest = (0..count)
            .map(|k| time(k + 1) - time(k))
            .fold(f64::INFINITY, f64::min)
            .max(span * 1e-4);
        let wanted = if is_even { usual } else { shortest.min(usual) };
        // If the keys are evenly spaced, each key interval gets the same integer number of samples.
        let parts = if finest > 0.0 && wanted > finest { (wanted / finest).ceil() } else { 1.0 };
        let most = MOST as f64;
        let count = if is_even {
            (count as f64 * parts).min(most)
        } else {
            (span / wanted * parts).ceil().clamp(2.0, most)
        };
        let step = span / count;
        let samples = count as usize + usize::from(!loops);
        let times = (0..samples).map(|k| first + step * k as f64).collect();
        Some(Self::of(track, times, step, loops.then_some(span)))
    }

    fn of(track: &Track, times: Vec<f64>, step: f64, period: Option<f64>) -> Self {
        // STEP tracks are treated as LINEAR.
        let straight;
        let track = if track.interpolation == Interpolation::Step {
            straight = Track { interpolation: Interpolation::Linear, ..track.clone() };
            &straight
        } else {
            track
        };
        let mut out = vec![0.0f32; track.width];
        let mut at = |time: f64| {
            sample_into(track, time, &mut out);
            out.clone()
        };
        let values = if track.property == Property::Rotation {
            let mut last = DQuat::IDENTITY;
            let mut turn = |time: &f64| {
                let q = rotation(&at(*time));
                last = if q.dot(last) < 0.0 { -q } else { q };
                last
            };
            Values::Turns(times.iter().map(&mut turn).collect())
        } else {
            let mut rows = vec![Vec::with_capacity(times.len()); track.width];
            for time in &times {
                let value = at(*time);
                rows.iter_mut().zip(value).for_each(|(row, v)| row.push(f64::from(v)));
            }
            Values::Numbers(rows)
        };
        Self { times, step, period, values }
    }

    /// Seconds between samples.
    pub const fn step(&self) -> f64 {
        self.step
    }

    /// Length of the loop; `None` without a loop.
    pub const fn period(&self) -> Option<f64> {
        self.period
    }

    /// Filters the rows, and returns the change. For rotations, the rows are logarithms relative to
    /// a running mean over about `mean` seconds, or by default over a few samples.
    pub fn changed(&self, mean: Option<f64>, filter: impl Fn(&[f64], &mut [f64])) -> Course {
        let rows = match &self.values {
            Values::Numbers(rows) => rows
                .iter()
                .map(|row| {
                    let mut now = row.clone();
                    filter(&self.times, &mut now);
                    now.iter().zip(row).map(|(now, was)| now - was).collect()
                })
                .collect(),
            Values::Turns(turns) => self.turned(turns, mean, &filter),
        };
        Course::new(self.times.clone(), rows, self.period)
    }

    fn turned(
        &self,
        turns: &[DQuat],
        mean: Option<f64>,
        filter: &dyn Fn(&[f64], &mut [f64]),
    ) -> Vec<Vec<f64>> {
        /// Maximum length of a logarithm that identifies a rotation without ambiguity, radians.
        const FAR: f64 = 2.0;
        const FEW: f64 = 3.0;
        let mut width = mean.map_or(FEW, |seconds| seconds / self.step);
        let mut means = self.means(turns, width);
        let log = |means: &[DQuat]| -> Vec<DVec3> {
            means.iter().zip(turns).map(|(m, q)| short_log(m.inverse() * *q)).collect()
        };
        let mut logs = log(&means);
        while width > 0.5 && logs.iter().any(|v| v.length() > FAR) {
            width *= 0.5;
            means = self.means(turns, width);
            logs = log(&means);
        }
        let mut rows: Vec<Vec<f64>> = (0..3).map(|c| logs.iter().map(|v| v[c]).collect()).collect();
        rows.iter_mut().for_each(|row| filter(&self.times, row));
        let change = |k: usize| {
            let now = means[k] * exp(DVec3::new(rows[0][k], rows[1][k], rows[2][k]));
            short_log(turns[k].inverse() * now)
        };
        let changes: Vec<DVec3> = (0..turns.len()).map(change).collect();
        (0..3).map(|c| changes.iter().map(|v| v[c]).collect()).collect()
    }

    /// Computes a running mean of rotations: the normalized Gaussian sum of neighbors. The samples
    /// are extended beyond both ends by point reflection, or as a loop.
    fn means(&self, turns: &[DQuat], width: f64) -> Vec<DQuat> {
        let count = turns.len();
        let reach = ((width * 3.5).ceil() as usize).min(count.saturating_sub(1) * 4);
        let loops = self.period.is_some();
        let last = count - 1;
        let at = |k: isize| {
            let inside = k.rem_euclid(count as isize) as usize;
            if loops {
                turns[inside]
            } else if k < 0 {
                let other = turns[k.unsigned_abs().min(last)];
                turns[0] * other.inverse() * turns[0]
            } else if k as usize > last {
                let other = turns[(2 * last).saturating_sub(k as usize)];
                turns[last] * other.inverse() * turns[last]
            } else {
                turns[inside]
            }
        };
        let mut near = turns[0];
        let mut all: Vec<DVec4> = Vec::with_capacity(count + 2 * reach);
        for k in -(reach as isize)..(count + reach) as isize {
            let q = at(k);
            near = if q.dot(near) < 0.0 { -q } else { q };
            all.push(near.into());
        }
        let weights = bell(width, reach);
        (0..count)
            .map(|k| {
                let sum: DVec4 = weights.iter().zip(&all[k..]).map(|(w, q)| *q * *w).sum();
                let unit = sum.try_normalize().filter(|_| sum.length() > 1e-3);
                unit.map_or(turns[k], DQuat::from_vec4)
            })
            .collect()
    }
}
