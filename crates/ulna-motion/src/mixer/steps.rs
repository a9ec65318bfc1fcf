//! Bars that keep step: clips of other lengths on one phase, whose rate is the average of theirs by
//! what each counts.
//!
//! The phase counts shares of a round, or marks: between two marks every clip takes its own time,
//! and all meet at each of them.

use std::collections::BTreeMap;

use super::{Mixer, STEP, ground::footfalls};
use ulna_model::{Clip, Document, InStep, Shared};

/// Bars of a lane that keep step with each other.
#[derive(Clone, Debug)]
pub(super) struct Group {
    lane: usize,
    /// Bars in the order in which they come.
    bars: Vec<usize>,
    start: f64,
    /// By bar of the lane, of each of its clips.
    rounds: BTreeMap<usize, Vec<Round>>,
    /// The phase at the start and after each step.
    phases: Vec<f64>,
    /// How fast the first bar plays.
    first_speed: f64,
}

/// The round of a clip: its marks, and how long it is.
#[derive(Clone, Debug, PartialEq)]
struct Round {
    /// When each mark is, rising, within the round; a round by shares has one at 0.
    marks: Vec<f64>,
    length: f64,
    speed: f64,
}

impl Round {
    /// Seconds from a mark to the next.
    fn span(&self, mark: usize) -> f64 {
        let next = self.marks.get(mark + 1).copied().unwrap_or_else(|| self.marks[0] + self.length);
        (next - self.marks[mark]).max(1e-9)
    }

    fn mark(&self, phase: f64) -> usize {
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

    fn phase(&self, time: f64) -> f64 {
        if self.length <= 0.0 {
            return 0.0;
        }
        let at = time.rem_euclid(self.length);
        let at = if at < self.marks[0] { at + self.length } else { at };
        let mark = self.marks.partition_point(|m| *m <= at) - 1;
        mark as f64 + (at - self.marks[mark]) / self.span(mark)
    }

    /// Marks a second.
    fn rate(&self, phase: f64) -> f64 {
        if self.length > 0.0 { self.speed / self.span(self.mark(phase)) } else { 0.0 }
    }
}

/// Marks with what each is called.
type Marks = Vec<(f64, String)>;

fn marks_of(document: &Document, clip: &Shared<Clip>, by: InStep) -> Marks {
    let length = f64::from(clip.length());
    match by {
        InStep::Free | InStep::Share => Vec::new(),
        InStep::Markers => {
            let within = clip.markers.iter().filter(|m| f64::from(m.time) < length);
            within.map(|m| (f64::from(m.time), m.name.to_string())).collect()
        }
        InStep::Contacts => {
            // Those that a person moved are markers.
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

/// Rounds whose marks follow each other as those of the first clip that has some. What has none
/// like them, such as one that stands, goes by shares between them.
fn rounds(all: &[(Marks, f64, f64)]) -> Vec<Round> {
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
            // From that mark on; those before it come a round later.
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

impl Group {
    /// When a clip of a bar is at a phase.
    pub(super) fn time_of(&self, bar: usize, voice: usize, phase: f64) -> f64 {
        self.round(bar, voice).map_or(0.0, |r| r.time(phase))
    }

    fn round(&self, bar: usize, voice: usize) -> Option<&Round> {
        self.rounds.get(&bar)?.get(voice)
    }

    fn first(&self) -> Option<&Round> {
        self.round(self.bars[0], 0)
    }

    /// The first bar, and the offset with which its phase at the start is so much further.
    pub(super) fn offset_for(&self, further: f64) -> (usize, f64) {
        let first = self.bars[0];
        let phase = self.phases[0] + further;
        let time = self.first().map_or(0.0, |r| r.time(phase));
        (first, time)
    }
}

impl Mixer {
    /// Bars of a lane that keep step and touch each other, or hold several clips.
    pub(super) fn find_groups(&mut self, document: &Document) {
        let mix = self.mix.clone();
        // What a clip's marks are is asked once.
        let mut marks: Vec<(InStep, Shared<Clip>, Marks)> = Vec::new();
        for (l, lane) in mix.lanes.iter().enumerate() {
            let mut runs: Vec<(InStep, Vec<usize>, f64)> = Vec::new();
            for b in self.lanes[l].order.clone() {
                let bar = &lane.bars[b];
                // What plays once has no rounds to keep step by.
                if bar.in_step == InStep::Free
                    || !bar.repeat
                    || self.lanes[l].bars[b].voices.is_empty()
                {
                    continue;
                }
                match runs
                    .iter_mut()
                    .rfind(|(by, _, end)| *by == bar.in_step && bar.start <= *end + 1e-9)
                {
                    Some((_, bars, end)) => {
                        bars.push(b);
                        *end = end.max(bar.end());
                    }
                    None => runs.push((bar.in_step, vec![b], bar.end())),
                }
            }
            for (by, bars, _) in runs {
                let mut of = Vec::new();
                let mut all = Vec::new();
                for b in &bars {
                    for (_, clip) in &self.lanes[l].bars[*b].voices {
                        of.push(*b);
                        let known =
                            marks.iter().find(|(m, c, _)| *m == by && Shared::ptr_eq(c, clip));
                        let found = known.map(|(_, _, found)| found.clone()).unwrap_or_else(|| {
                            let found = marks_of(document, clip, by);
                            marks.push((by, clip.clone(), found.clone()));
                            found
                        });
                        all.push((found, f64::from(clip.length()), lane.bars[*b].speed));
                    }
                }
                let mut by_bar: BTreeMap<usize, Vec<Round>> = BTreeMap::new();
                for (bar, round) in of.into_iter().zip(rounds(&all)) {
                    by_bar.entry(bar).or_default().push(round);
                }
                let first = &lane.bars[bars[0]];
                let (start, first_speed) = (first.start, first.speed);
                for b in &bars {
                    self.lanes[l].bars[*b].group = Some(self.groups.len());
                }
                let mut group =
                    Group { lane: l, bars, start, rounds: by_bar, phases: vec![0.0], first_speed };
                group.phases[0] = group.first().map_or(0.0, |r| r.phase(first.offset));
                self.groups.push(group);
            }
        }
    }

    /// Goes on with all groups up to a time.
    pub(super) fn find_phases(&mut self, time: f64) {
        for group in 0..self.groups.len() {
            self.phase(group, time);
        }
    }

    /// The phase of a group at a time, integrated from its start.
    pub(super) fn phase(&mut self, group: usize, time: f64) -> f64 {
        let steps = ((time - self.groups[group].start) / STEP).floor().max(0.0) as usize;
        while self.groups[group].phases.len() <= steps {
            let done = self.groups[group].phases.len() - 1;
            let at = self.groups[group].start + done as f64 * STEP;
            let phase = self.groups[group].phases[done];
            let next = phase + self.rate(group, phase, at) * STEP;
            self.groups[group].phases.push(next);
        }
        self.phase_found(group, time)
    }

    /// The same, where its steps are there.
    pub(super) fn phase_found(&self, group: usize, time: f64) -> f64 {
        let found = &self.groups[group];
        let steps =
            (((time - found.start) / STEP).floor().max(0.0) as usize).min(found.phases.len() - 1);
        let (phase, at) = (found.phases[steps], found.start + steps as f64 * STEP);
        phase + self.rate(group, phase, at) * (time - at).clamp(0.0, STEP)
    }

    /// Marks a second at a phase: what each clip alone would do, by how much each counts.
    fn rate(&self, group: usize, phase: f64, time: f64) -> f64 {
        let found = &self.groups[group];
        let (mut sum, mut total) = (0.0, 0.0);
        for share in self.shares(found.lane, time, None) {
            if share.frozen
                || share.held.is_some()
                || self.lanes[found.lane].bars[share.bar].group != Some(group)
            {
                continue;
            }
            for (voice, weight) in self.lanes[found.lane].bars[share.bar].weights.iter().enumerate()
            {
                let weight = f64::from(weight * share.weight);
                if let Some(round) = found.round(share.bar, voice) {
                    sum += weight * round.rate(phase);
                    total += weight;
                }
            }
        }
        match total > 0.0 {
            true => sum / total,
            false => found.first().map_or(found.first_speed, |r| r.rate(phase)),
        }
    }

    /// Seconds of a clip that keeps step a second of the mix.
    pub(super) fn speed_of(
        &self,
        group: usize,
        (bar, voice): (usize, usize),
        phase: f64,
        time: f64,
    ) -> f64 {
        let round = self.groups[group].round(bar, voice);
        round.map_or(0.0, |r| self.rate(group, phase, time) * r.span(r.mark(phase)))
    }
}
