//! The clock of a bar: the clip time at every mix time of the bar, including synchronized bars.
//! Panels use it to draw keys and markers.

use super::Mixer;
use ulna_model::{ClipId, Document, Enter, Mix, Shared};

/// Maximum number of cycles in a clock. More cycles would be unreadable.
const MOST: f64 = 400.0;
/// Seconds between the clock's points if it is not linear.
const FINE: f64 = 1.0 / 60.0;

/// The clip time of a bar as a function of the mix time.
#[derive(Clone, Debug, PartialEq)]
pub struct BarClock {
    /// The clip; for a blend, the one with the largest weight.
    pub clip: ClipId,
    length: f64,
    repeat: bool,
    /// Points of mix time and clip time in seconds, in order of mix time. The clip time increases
    /// over all cycles.
    points: Vec<(f64, f64)>,
}

/// A mix time at which the bar reaches a given clip time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Passing {
    /// Index of the bar's cycle, from 0.
    pub round: u32,
    /// Time of the mix, seconds.
    pub time: f64,
    /// Clip seconds per mix second.
    pub rate: f64,
}

impl BarClock {
    /// Returns the mix times at which the clip reaches a clip time, in order.
    pub fn passings(&self, clip_time: f64) -> Vec<Passing> {
        let (Some((_, first)), Some((_, last))) = (self.points.first(), self.points.last()) else {
            return Vec::new();
        };
        if self.length <= 0.0 {
            return Vec::new();
        }
        let begins = (first / self.length).floor();
        let rounds = if self.repeat {
            ((last / self.length).floor() - begins).clamp(0.0, MOST)
        } else {
            0.0
        };
        let begins = if self.repeat { begins } else { 0.0 };
        (0..=rounds as u32)
            .filter_map(|round| {
                let wanted = (begins + f64::from(round)) * self.length + clip_time;
                let after = self.points.partition_point(|(_, at)| *at < wanted);
                let (a, b) = match after {
                    0 if self.points.first()?.1 <= wanted => (self.points[0], *self.points.get(1)?),
                    0 => return None,
                    _ => (self.points[after - 1], *self.points.get(after)?),
                };
                let rate = (b.1 - a.1) / (b.0 - a.0).max(1e-9);
                let time = if rate > 0.0 { a.0 + (wanted - a.1) / rate } else { a.0 };
                Some(Passing { round, time, rate })
            })
            .collect()
    }
}

impl Mixer {
    /// Computes the clock of a bar; `None` if its clip does not exist, or does not play forward.
    pub fn clock(
        &mut self,
        document: &Document,
        mix: &Shared<Mix>,
        (lane, bar): (usize, usize),
    ) -> Option<BarClock> {
        self.prepare(document, mix);
        let about = mix.lanes.get(lane)?.bars.get(bar)?;
        let planned = &self.lanes[lane].bars[bar];
        let (voice, _) = planned.weights.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1))?;
        let (clip, found) = planned.voices.get(voice)?.clone();
        let length = f64::from(found.length());
        if about.speed <= 0.0 {
            return None;
        }
        let (start, end) = (about.start, about.end());
        let points = if self.lanes[lane].bars[bar].group.is_some() {
            let count = (((end - start) / FINE).ceil() as usize).clamp(1, 20_000);
            self.find_phases(end);
            let mut points: Vec<(f64, f64)> = Vec::with_capacity(count + 1);
            for k in 0..=count {
                let time = start + (end - start) * k as f64 / count as f64;
                let now =
                    self.voices(lane, bar, time, false).into_iter().find(|v| v.clip == voice)?.time;
                // The clip time continues from the previous point, across the end of the loop if
                // necessary.
                let on = points.last().map_or(now, |(_, was)| {
                    let way = (now - was).rem_euclid(length.max(1e-9));
                    was + if way > 0.5 * length { 0.0 } else { way }
                });
                points.push((time, on));
            }
            points
        } else {
            let waits =
                if about.enter == Enter::Keys { about.fade_in.min(about.length) } else { 0.0 };
            let goes = start + waits;
            let last = about.offset + (end - goes) * about.speed;
            let mut points = vec![(goes, about.offset), (end, last)];
            if waits > 0.0 {
                points.insert(0, (start, about.offset));
            }
            points
        };
        Some(BarClock { clip, length, repeat: about.repeat, points })
    }
}
