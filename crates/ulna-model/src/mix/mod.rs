//! A mix: clips on lanes over time, as plain data. The `Mixer` of `ulna-motion` evaluates it.
//!
//! ```text
//!  additive lane   ▁▂▃▄▅▆▇██████████     adds the difference to a reference
//!  upper lane           ╱████╳███╲       covers the lanes below, within its mask
//!  lowest lane     █████╳███████│███     bars in a row; a later bar covers the earlier one
//! ```
//!
//! In a document, clips and joints are ids. In text, they are names (`ulna eval --mix`, and
//! `ulna.mix` in a scene's extras).

mod bar;
mod defaults;
mod mask;
mod references;

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use self::defaults::{is_no, is_one, is_yes, one, yes};
pub use self::{
    bar::{Enter, FadeCurve, InStep, MixBar, Plays},
    mask::MixMask,
};
use super::{ClipId, NodeId};

/// A mix: lanes of clips. `C` identifies clips, and `N` identifies nodes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Mix<C = ClipId, N: Ord = NodeId> {
    /// The lanes, bottom to top. Additive lanes are applied after all others, in the same order.
    pub lanes: Vec<MixLane<C, N>>,
}

impl<C, N: Ord> Default for Mix<C, N> {
    fn default() -> Self {
        Self { lanes: Vec::new() }
    }
}

/// A lane: a row of bars with a weight and a mask.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MixLane<C = ClipId, N: Ord = NodeId> {
    /// The name that the user chose.
    #[serde(default)]
    pub name: Arc<str>,
    /// Reference pose of an additive lane. `None`: the lane is not additive and covers the lanes
    /// below it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub additive: Option<MixReference>,
    /// Weight, at least 0; a lane with weight 1 covers the lanes below completely.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub weight: f32,
    /// Affected joints; all joints if `None`.
    #[serde(default = "Option::default", skip_serializing_if = "Option::is_none")]
    pub mask: Option<MixMask<N>>,
    /// Whether the lane is enabled.
    #[serde(default = "yes", skip_serializing_if = "is_yes")]
    pub on: bool,
    /// Whether the lane is soloed. If any lane is soloed, all other lanes have no effect.
    #[serde(default, skip_serializing_if = "is_no")]
    pub solo: bool,
    /// Whether rotations are averaged with NLERP. Otherwise, they are averaged on the sphere.
    #[serde(default, skip_serializing_if = "is_no")]
    pub nlerp: bool,
    /// The bars, in any order.
    #[serde(default = "Vec::new")]
    pub bars: Vec<MixBar<C, N>>,
}

/// Reference pose of an additive lane. The lane adds the difference between its own pose and this
/// reference.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MixReference {
    /// The rest pose of each node.
    Rest,
    /// The first key of the clip.
    First,
    /// The pose of the clip at this time, in seconds.
    At(f64),
}

impl<C, N: Ord> MixLane<C, N> {
    /// Creates an empty lane that covers the lanes below.
    pub fn new(name: &str) -> Self {
        Self {
            name: name.into(),
            additive: None,
            weight: 1.0,
            mask: None,
            on: true,
            solo: false,
            nlerp: false,
            bars: Vec::new(),
        }
    }

    /// Indices of the bars, sorted by start; equal starts keep their order.
    pub fn in_order(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.bars.len()).collect();
        order.sort_by(|a, b| self.bars[*a].start.total_cmp(&self.bars[*b].start));
        order
    }
}

impl<C, N: Ord> Mix<C, N> {
    /// End of the last bar, in seconds.
    pub fn length(&self) -> f64 {
        self.lanes.iter().flat_map(|l| &l.bars).map(MixBar::end).fold(0.0, f64::max)
    }

    /// Message about the first value that is not finite or out of range; `None` if the mix is
    /// valid.
    pub fn fault(&self) -> Option<String> {
        /// Maximum end time of a bar, in seconds.
        const LONGEST: f64 = 1e6;
        /// Maximum speed factor.
        const FASTEST: f64 = 100.0;
        /// Maximum number of clips of one bar.
        const MOST_CLIPS: usize = 64;
        for (l, lane) in self.lanes.iter().enumerate() {
            let name = if lane.name.is_empty() {
                format!("lane {}", l + 1)
            } else {
                format!("lane “{}”", lane.name)
            };
            if !lane.weight.is_finite() || lane.weight < 0.0 {
                return Some(format!("{name}: its weight must be 0 or more"));
            }
            let masks = lane.bars.iter().map(|b| &b.mask).chain([&lane.mask]);
            for mask in masks.flatten() {
                if let MixMask::Painted(painted) = mask
                    && !painted.values().all(|w| (0.0..=1.0).contains(w))
                {
                    return Some(format!("{name}: painted mask values must be from 0 to 1"));
                }
            }
            for (b, bar) in lane.bars.iter().enumerate() {
                let place = format!("{name}, bar {}", b + 1);
                if !bar.numbers().all(f64::is_finite) {
                    return Some(format!("{place}: one of its values is not a finite number"));
                }
                if bar.start < 0.0 || bar.length <= 0.0 || bar.end() > LONGEST {
                    return Some(format!(
                        "{place}: it must start at 0 s or later, be longer than 0 s, and end by \
                            {LONGEST} s"
                    ));
                }
                if bar.speed.abs() > FASTEST || bar.offset.abs() > LONGEST {
                    return Some(format!(
                        "{place}: the speed of its clip must not exceed {FASTEST}, and the offset \
                            must not exceed {LONGEST} s"
                    ));
                }
                if bar.fade_in < 0.0 || bar.fade_out < 0.0 {
                    return Some(format!("{place}: the length of a fade must be 0 s or more"));
                }
                if !(0.0..=1.0).contains(&bar.weight) {
                    return Some(format!("{place}: its weight must be from 0 to 1"));
                }
                match bar.clips().count() {
                    0 => return Some(format!("{place}: it has no clip")),
                    count if count > MOST_CLIPS => {
                        return Some(format!(
                            "{place}: it blends {count} clips, but the maximum is {MOST_CLIPS}"
                        ));
                    }
                    _ => {}
                }
            }
        }
        None
    }

    /// Finds a lane of this mix in a later state of the mix. Returns its index there; `None` if the
    /// lane was removed.
    pub fn lane_in(&self, now: &Self, lane: usize) -> Option<usize>
    where
        C: PartialEq,
        N: PartialEq,
    {
        place_in(&self.lanes, &now.lanes, lane)
    }

    /// Finds a bar of this mix in a later state of the mix. Returns the indices of its lane and bar
    /// there; `None` if the bar was removed.
    pub fn bar_in(&self, now: &Self, (lane, bar): (usize, usize)) -> Option<(usize, usize)>
    where
        C: PartialEq,
        N: PartialEq,
    {
        let was = self.lanes.get(lane)?;
        let to = match self.lane_in(now, lane) {
            Some(to) => to,
            // A lane with an added or removed bar is no longer equal, so it is found by its name.
            None => now.lanes.iter().position(|l| l.name == was.name)?,
        };
        Some((to, place_in(&was.bars, &now.lanes[to].bars, bar)?))
    }

    /// Copy of the mix with one bar replaced.
    #[must_use]
    pub fn with_bar(&self, (lane, bar): (usize, usize), to: MixBar<C, N>) -> Self
    where
        C: Clone,
        N: Clone,
    {
        let mut made = self.clone();
        if let Some(place) = made.lanes.get_mut(lane).and_then(|l| l.bars.get_mut(bar)) {
            *place = to;
        }
        made
    }

    /// Copy of the mix without one bar.
    #[must_use]
    pub fn without_bar(&self, (lane, bar): (usize, usize)) -> Self
    where
        C: Clone,
        N: Clone,
    {
        let mut made = self.clone();
        if let Some(lane) = made.lanes.get_mut(lane).filter(|l| bar < l.bars.len()) {
            lane.bars.remove(bar);
        }
        made
    }

    /// Copy of the mix with one bar cut into two, which together play like the original. `None` if
    /// the time is outside the bar or within one of its fades.
    pub fn cut(&self, (lane, bar): (usize, usize), time: f64) -> Option<Self>
    where
        C: Clone,
        N: Clone,
    {
        /// Minimum length of each part, in seconds.
        const SHORTEST: f64 = 0.02;
        let one = self.lanes.get(lane)?.bars.get(bar)?;
        if time < one.start + one.fade_in.max(SHORTEST)
            || time > one.end() - one.fade_out.max(SHORTEST)
        {
            return None;
        }
        let waits = if one.enter == Enter::Keys { one.fade_in } else { 0.0 };
        let rest = MixBar {
            start: time,
            length: one.end() - time,
            offset: one.offset + (time - one.start - waits) * one.speed,
            fade_in: 0.0,
            enter: Enter::Cut,
            ..one.clone()
        };
        let first = MixBar { length: time - one.start, fade_out: 0.0, ..one.clone() };
        let mut made = self.with_bar((lane, bar), first);
        made.lanes[lane].bars.insert(bar + 1, rest);
        Some(made)
    }

    /// Converts the identifiers of clips and nodes with `clip` and `node`.
    ///
    /// # Errors
    /// The first error that `clip` or `node` returns.
    pub fn renamed<D: Clone, M: Ord, E>(
        &self,
        clip: &mut dyn FnMut(&C) -> Result<D, E>,
        node: &mut dyn FnMut(&N) -> Result<M, E>,
    ) -> Result<Mix<D, M>, E> {
        let mut lanes = Vec::with_capacity(self.lanes.len());
        for lane in &self.lanes {
            let mut bars = Vec::with_capacity(lane.bars.len());
            for bar in &lane.bars {
                bars.push(MixBar {
                    plays: bar.plays.renamed(clip)?,
                    start: bar.start,
                    length: bar.length,
                    offset: bar.offset,
                    speed: bar.speed,
                    repeat: bar.repeat,
                    weight: bar.weight,
                    fade_in: bar.fade_in,
                    fade_out: bar.fade_out,
                    enter: bar.enter,
                    curve: bar.curve,
                    along: bar.along,
                    in_step: bar.in_step,
                    mask: bar.mask.as_ref().map(|m| m.renamed(node)).transpose()?,
                });
            }
            lanes.push(MixLane {
                name: lane.name.clone(),
                additive: lane.additive,
                weight: lane.weight,
                mask: lane.mask.as_ref().map(|m| m.renamed(node)).transpose()?,
                on: lane.on,
                solo: lane.solo,
                nlerp: lane.nlerp,
                bars,
            });
        }
        Ok(Mix { lanes })
    }
}

/// Finds the item `before[at]` in the later list `now`. Returns its index; `None` if it was
/// removed.
///
/// An equal item at the same index is preferred, then an equal item elsewhere. Otherwise, the index
/// stays the same in two cases. If the lists are equally long, the item was edited. If all other
/// items are unchanged, the item was cut in two.
fn place_in<T: PartialEq>(before: &[T], now: &[T], at: usize) -> Option<usize> {
    let item = before.get(at)?;
    if now.get(at) == Some(item) {
        return Some(at);
    }
    let after = &before[at + 1..];
    let was_cut =
        || now.len() > at + after.len() && now.starts_with(&before[..at]) && now.ends_with(after);
    now.iter().position(|n| n == item).or((before.len() == now.len() || was_cut()).then_some(at))
}
