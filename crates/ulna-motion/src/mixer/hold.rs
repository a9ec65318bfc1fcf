//! Bars that hold their last pose. If a bar ends while another bar fades in, or exactly when it
//! begins, its last pose is held until the fade is over. The fade therefore starts from the visible
//! pose, not from the lanes below.

use std::collections::HashMap;

use super::{
    Mixer,
    holding::{Held, Holding, left, takes_over},
};
use ulna_model::JointMask;

/// Maximum gap between consecutive bars, seconds. Users type times with three decimals.
const GAP: f64 = 1e-3;

impl Mixer {
    /// Finds the bars that hold their last pose, from the last lane and bar to the first.
    pub(super) fn find_holdings(&mut self) {
        let solo = self.mix.lanes.iter().any(|l| l.solo);
        let heard = |l: usize| {
            let lane = &self.mix.lanes[l];
            lane.on && (lane.solo || !solo) && lane.weight > 0.0
        };
        let mut found = Vec::new();
        for lane in (0..self.lanes.len()).rev().filter(|l| heard(*l)) {
            let covering = |l: usize| {
                l == lane || (l > lane && heard(l) && self.mix.lanes[l].additive.is_none())
            };
            let reach =
                if self.mix.lanes[lane].additive.is_some() { lane + 1 } else { self.lanes.len() };
            for place in (0..self.lanes[lane].order.len()).rev() {
                let bar = self.lanes[lane].order[place];
                let about = &self.mix.lanes[lane].bars[bar];
                let (mut fades, mut until) = (Vec::new(), f64::MIN);
                for over in (lane..reach).filter(|l| covering(*l)) {
                    let from = if over == lane { place + 1 } else { 0 };
                    for (at, b) in self.lanes[over].order.iter().enumerate().skip(from) {
                        let next = &self.mix.lanes[over].bars[*b];
                        if next.start > about.end() + GAP {
                            break;
                        }
                        if let Some(over_at) = takes_over(about, next) {
                            fades.push((over, at));
                            until = until.max(over_at);
                        }
                    }
                }
                if !fades.is_empty() {
                    found.push(Holding { lane, bar, end: about.end(), until, fades });
                }
            }
        }
        self.holdings = found;
        self.extend_ends();
    }

    /// Extends the running maxima of the bars' end times by the holds.
    fn extend_ends(&mut self) {
        let held: HashMap<(usize, usize), f64> =
            self.holdings.iter().map(|h| ((h.lane, h.bar), h.until)).collect();
        for (l, lane) in self.lanes.iter_mut().enumerate() {
            let mut last = 0.0f64;
            for (bar, end) in lane.order.iter().zip(&mut lane.ends) {
                let own = held.get(&(l, *bar)).copied().unwrap_or(0.0);
                last = last.max(*end).max(own);
                *end = last;
            }
        }
    }

    /// Start and end times of holds.
    pub(super) fn hold_times(&self) -> impl Iterator<Item = f64> + '_ {
        self.holdings.iter().flat_map(|h| [h.end, h.until])
    }

    /// Finds the bars that are held at a time, by lane and bar. `until` is a lane and a place in
    /// its order: bars of this lane at or after this place count as not begun.
    pub(super) fn held(
        &self,
        time: f64,
        until: Option<(usize, usize)>,
    ) -> HashMap<(usize, usize), Held> {
        let mut found: HashMap<(usize, usize), Held> = HashMap::new();
        for holding in self.holdings.iter().filter(|h| h.end < time && time <= h.until + GAP) {
            let mut held: Option<Held> = None;
            for (lane, place) in &holding.fades {
                let excluded = until.is_some_and(|(l, p)| l == *lane && *place >= p);
                let Some((share, by_node)) =
                    self.left_under(holding, (*lane, *place), time, excluded, &found)
                else {
                    continue;
                };
                match &mut held {
                    Some(held) => held.add(share, by_node),
                    None => held = Some(Held { at: holding.end, share, by_node }),
                }
            }
            if let Some(held) = held {
                found.insert((holding.lane, holding.bar), held);
            }
        }
        found
    }

    /// Returns the fraction of a held bar's weight that remains under a bar that fades in. The list
    /// has one fraction per node, if the fractions differ. Returns `None` if nothing remains.
    fn left_under(
        &self,
        holding: &Holding,
        (lane, place): (usize, usize),
        time: f64,
        excluded: bool,
        found: &HashMap<(usize, usize), Held>,
    ) -> Option<(f32, Option<Vec<f32>>)> {
        let b = self.lanes[lane].order[place];
        let next = &self.mix.lanes[lane].bars[b];
        if excluded || time < next.start {
            return Some((1.0, None));
        }
        let at = if time <= next.end() { time } else { found.get(&(lane, b))?.at };
        let now = next.comes_at(at);
        if now >= 1.0 {
            return None;
        }
        let first = if holding.end > next.start { next.comes_at(holding.end) } else { 0.0 };
        let other_lane = lane != holding.lane;
        let own = self.lanes[lane].bars[b].mask.as_ref();
        let whole = self.lanes[lane].mask.as_ref().filter(|_| other_lane);
        let weight = if other_lane { self.mix.lanes[lane].weight.min(1.0) } else { 1.0 };
        // A bar that plays along with others does not cover its own lane.
        let weight = if next.along && !other_lane { 0.0 } else { weight * next.full_weight_at(at) };
        let part = |mask: Option<&JointMask>, k: usize| {
            mask.map_or(1.0, |m| m.0.get(k).copied().unwrap_or(0.0))
        };
        match own.or(whole) {
            None => Some((left(now, first, weight), None)),
            Some(mask) => {
                let one = |k: usize| left(now, first, weight * part(own, k) * part(whole, k));
                Some((1.0, Some((0..mask.0.len()).map(one).collect())))
            }
        }
    }
}
