//! Cycles of synchronized clips: their sync marks, their phase, and the rate of the phase.

use std::collections::BTreeMap;

use super::ground::footfalls;
use ulna_model::{Clip, Document, InStep, Shared};

/// Bars of a lane whose clips are synchronized.
#[derive(Clone, Debug)]
pub(super) struct StepGroup {
    pub(super) lane: usize,
    /// Indices of the bars, in the order of their starts.
    pub(super) bars: Vec<usize>,
    pub(super) start: f64,
    /// Cycles of the clips of each bar. The key is the index of the bar.
    pub(super) rounds: BTreeMap<usize, Vec<Round>>,
    /// Phases at the start and after each integration step.
    pub(super) phases: Vec<f64>,
    /// Playback speed of the first bar, as a factor.
    pub(super) first_speed: f64,
}

/// The cycle of a clip: the times of its marks, its length and its speed.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Round {
    /// Times of the marks within the cycle, rising. If the clip is synchronized by normalized time,
    /// the only mark is at 0.
    marks: Vec<f64>,
    length: f64,
    speed: f64,
}

impl Round {
    /// Time from a sync mark to the next, seconds.
    pub(super) fn span(&self, mark: usize) -> f64 {
        let next = self.marks.get(mark + 1).copied().unwrap_or_else(|| self.marks[0] + self.length);
        (next - self.marks[mark]).max(1e-9)
    }

    pub(super) fn mark(&self, phase: f64) -> usize {
        (phase.floor().rem_euclid(self.marks.len() as f64) as usize).min(self.marks.len() - 1)
    }

    fn time(&self, phase: f64) -> f64 {
        if self.length <= 0.0 {
            return 0.0;
        }
        let mark = self.mark(phase);
        let at = self.marks[mark] + (phase - phase.floor()) * self.span(mark);
        if at > self.length { at - self.length } else { at }
    }

    pub(super) fn phase(&self, time: f64) -> f64 {
        if self.length <= 0.0 {
            return 0.0;
        }
        let at = time.rem_euclid(self.length);
        let at = if at < self.marks[0] { at + self.length } else { at };
        let mark = self.marks.partition_point(|m| *m <= at) - 1;
        mark as f64 + (at - self.marks[mark]) / self.span(mark)
    }

    /// Rate of the phase, in marks per second.
    pub(super) fn rate(&self, phase: f64) -> f64 {
        if self.length > 0.0 { self.speed / self.span(self.mark(phase)) } else { 0.0 }
    }
}

/// Times of marks in a clip, with the names of the marks.
pub(super) type Marks = Vec<(f64, String)>;

/// Returns the marks of a clip for a kind of synchronization.
pub(super) fn marks_of(document: &Document, clip: &Shared<Clip>, by: InStep) -> Marks {
    let length = f64::from(clip.length());
    match by {
        InStep::Free | InStep::Share => Vec::new(),
        InStep::Markers => {
            let within = clip.markers.iter().filter(|m| f64::from(m.time) < length);
            within.map(|m| (f64::from(m.time), m.name.to_string())).collect()
        }
        InStep::Contacts => {
            // Footsteps that the user edited are stored as markers of the clip.
            let within = clip
                .markers
                .iter()
                .filter(|m| f64::from(m.time) < length && matches!(&*m.name, "L" | "R"));
            let marked: Marks = within.map(|m| (f64::from(m.time), m.name.to_string())).collect();
            if !marked.is_empty() {
                return marked;
            }
            let falls = footfalls(document, clip).into_iter().filter(|(t, _)| *t < length);
            falls.map(|(t, side)| (t, side.to_owned())).collect()
        }
    }
}

/// Computes the cycles of clips. The marks of each cycle are in the order of the first clip that
/// has any marks. A clip without matching marks, such as an idle clip, gets evenly spaced marks.
pub(super) fn rounds(all: &[(Marks, f64, f64)]) -> Vec<Round> {
    let names = |m: &Marks, from: usize| -> Vec<String> {
        (0..m.len()).map(|k| m[(from + k) % m.len()].1.clone()).collect()
    };
    let first = all
        .iter()
        .map(|(m, ..)| m)
        .find(|m| !m.is_empty())
        .map(|m| names(m, 0))
        .unwrap_or_default();
    let round = |(marks, length, speed): &(Marks, f64, f64)| {
        let count = first.len().max(1);
        let from = (0..marks.len()).find(|k| !first.is_empty() && names(marks, *k) == first);
        let marks = match from {
            // The cycle starts at that mark. Earlier marks move to the next cycle.
            Some(from) => (0..count)
                .map(|k| {
                    let at = (from + k) % count;
                    marks[at].0 + if at < from { *length } else { 0.0 }
                })
                .collect(),
            None => (0..count).map(|k| length * k as f64 / count as f64).collect(),
        };
        Round { marks, length: *length, speed: *speed }
    };
    all.iter().map(round).collect()
}

impl StepGroup {
    /// Returns the time in a bar's clip at a phase, seconds.
    pub(super) fn time_of(&self, bar: usize, voice: usize, phase: f64) -> f64 {
        self.round(bar, voice).map_or(0.0, |r| r.time(phase))
    }

    pub(super) fn round(&self, bar: usize, voice: usize) -> Option<&Round> {
        self.rounds.get(&bar)?.get(voice)
    }

    pub(super) fn first(&self) -> Option<&Round> {
        self.round(self.bars[0], 0)
    }

    /// Returns the first bar and its new offset, for which the phase at the start is larger by
    /// `further`.
    pub(super) fn offset_for(&self, further: f64) -> (usize, f64) {
        let first = self.bars[0];
        let phase = self.phases[0] + further;
        let time = self.first().map_or(0.0, |r| r.time(phase));
        (first, time)
    }
}
