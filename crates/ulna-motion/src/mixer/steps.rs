//! Synchronized bars: clips of different lengths share one phase, whose rate is the weighted
//! average of their own rates.
//!
//! The phase counts cycles or marks. Between two marks, each clip plays at its own speed, and all
//! clips meet at each mark.

use std::collections::BTreeMap;

use super::{
    Mixer,
    rounds::{Marks, Round, StepGroup, marks_of, rounds},
    state::STEP,
};
use ulna_model::{Clip, Document, InStep, Shared};

impl Mixer {
    /// Groups the bars of a lane that are synchronized and adjacent, or that contain several clips.
    pub(super) fn find_groups(&mut self, document: &Document) {
        let mix = self.mix.clone();
        // Compute the marks of each clip once.
        let mut marks: Vec<(InStep, Shared<Clip>, Marks)> = Vec::new();
        for (l, lane) in mix.lanes.iter().enumerate() {
            let mut runs: Vec<(InStep, Vec<usize>, f64)> = Vec::new();
            for b in self.lanes[l].order.clone() {
                let bar = &lane.bars[b];
                // A clip that plays once has no cycle to synchronize.
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
                let mut group = StepGroup {
                    lane: l,
                    bars,
                    start,
                    rounds: by_bar,
                    phases: vec![0.0],
                    first_speed,
                };
                group.phases[0] = group.first().map_or(0.0, |r| r.phase(first.offset));
                self.groups.push(group);
            }
        }
    }

    /// Integrates the phases of all groups of synchronized bars up to a time.
    pub(super) fn find_phases(&mut self, time: f64) {
        for group in 0..self.groups.len() {
            self.phase(group, time);
        }
    }

    /// Returns the phase of a group at a time, integrated from the group's start.
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

    /// Returns the phase of a group at a time, from the steps that have already been integrated.
    pub(super) fn phase_found(&self, group: usize, time: f64) -> f64 {
        let found = &self.groups[group];
        let steps =
            (((time - found.start) / STEP).floor().max(0.0) as usize).min(found.phases.len() - 1);
        let (phase, at) = (found.phases[steps], found.start + steps as f64 * STEP);
        phase + self.rate(group, phase, at) * (time - at).clamp(0.0, STEP)
    }

    /// Rate of a group's phase, in marks per second: the weighted average of the rates of its
    /// clips.
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

    /// Returns the playback rate of a synchronized clip, in clip seconds per mix second.
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
