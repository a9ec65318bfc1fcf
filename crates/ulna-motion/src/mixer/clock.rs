//! The clock of a bar: when its clip is where, over the whole bar, also where it keeps step with
//! others. Panels draw keys and markers by it.

use super::Mixer;
use ulna_model::{ClipId, Document, Enter, Mix, Shared};

/// Rounds that are told apart; more are no picture.
const MOST: f64 = 400.0;
/// Seconds from a point to the next where the clock is not straight.
const FINE: f64 = 1.0 / 60.0;

/// When the clip of a bar is where.
#[derive(Clone, Debug, PartialEq)]
pub struct BarClock {
    /// Which clip: of a blend the one that counts most.
    pub clip: ClipId,
    length: f64,
    repeat: bool,
    /// Seconds of the mix, rising, and seconds of the clip at them, on and on over its rounds.
    points: Vec<(f64, f64)>,
}

/// A moment at which a clip is at a time of its own.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Passing {
    /// In which round of the bar, 0 first.
    pub round: u32,
    /// Seconds of the mix.
    pub time: f64,
    /// Seconds of the clip a second of the mix.
    pub rate: f64,
}

impl BarClock {
    /// The moments at which the clip is at a time of its own, in order.
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
    /// The clock of a bar; nothing where its clip is gone, or does not go forward.
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
                // On from the point before, round its end or not.
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
