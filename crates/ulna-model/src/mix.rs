//! A mix: clips laid out on lanes over time, as plain data. What it comes to at a moment is worked
//! out by the `Mixer` in motion.
//!
//! ```text
//!  additive lane   ▁▂▃▄▅▆▇██████████     adds the difference to a reference
//!  upper lane           ╱████╳███╲       covers what is below, where its mask lets it
//!  lowest lane     █████╳███████│███     bars in a row; a later bar covers the earlier one
//! ```
//!
//! The same data names clips and joints by id in a document, and by name in text
//! (`ulna eval --mix`, `ulna.mix` in a scene's extras).

use std::{collections::BTreeMap, sync::Arc};

use serde::{Deserialize, Serialize};

use super::{ClipId, NodeId};

/// Lanes of clips. `C` names clips, `N` names nodes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Mix<C = ClipId, N: Ord = NodeId> {
    /// Lanes, the lowest first; additive ones add to what all others make, in their order.
    pub lanes: Vec<MixLane<C, N>>,
}

impl<C, N: Ord> Default for Mix<C, N> {
    fn default() -> Self {
        Self { lanes: Vec::new() }
    }
}

/// A lane.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MixLane<C = ClipId, N: Ord = NodeId> {
    /// What a person calls it.
    #[serde(default)]
    pub name: Arc<str>,
    /// The difference to what is added; nothing where the lane covers what is below.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub additive: Option<MixReference>,
    /// How much of it counts, 0 or more; 1 covers.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub weight: f32,
    /// Where it counts; everywhere if `None`.
    #[serde(default = "Option::default", skip_serializing_if = "Option::is_none")]
    pub mask: Option<MixMask<N>>,
    /// Whether it counts at all.
    #[serde(default = "yes", skip_serializing_if = "is_yes")]
    pub on: bool,
    /// Whether only lanes like this one count.
    #[serde(default, skip_serializing_if = "is_no")]
    pub solo: bool,
    /// Whether rotations are averaged by the normalized sum, and not on the sphere.
    #[serde(default, skip_serializing_if = "is_no")]
    pub nlerp: bool,
    /// What plays, in any order.
    #[serde(default = "Vec::new")]
    pub bars: Vec<MixBar<C, N>>,
}

/// What an additive lane adds is the difference to this.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MixReference {
    /// The rest of each node.
    Rest,
    /// The clip's first key.
    First,
    /// The clip at this time, seconds.
    At(f64),
}

/// Where something counts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", bound(deserialize = "N: Ord + Deserialize<'de>"))]
pub enum MixMask<N: Ord = NodeId> {
    /// A joint and all below it.
    Below {
        /// The joint.
        joint: N,
        /// Over so many joints, this one the first, it rises to full.
        #[serde(default, skip_serializing_if = "is_zero")]
        falloff: u32,
    },
    /// What is not on the right, by what part of a body it is.
    Left,
    /// What is not on the left.
    Right,
    /// All from the lowest joint of the spine up.
    Upper,
    /// All but that.
    Lower,
    /// Painted, 0 to 1; what is not named does not count.
    Painted(BTreeMap<N, f32>),
}

/// How a bar comes in, over its `fade_in`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Enter {
    /// Its weight rises; what was there goes on below it.
    #[default]
    Fade,
    /// Its weight rises over the pose that was there when it came in.
    Frozen,
    /// What was there stops as it stands, at its last key where it comes to its end just then; this
    /// stands at its first, and then goes.
    Keys,
    /// It is there at once, and the difference to what was seen, with its velocity, dies away.
    Inertial,
    /// It is there at once.
    Cut,
}

/// How a weight rises over a fade.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FadeCurve {
    /// `3u² − 2u³`.
    #[default]
    Smooth,
    /// `u`.
    Linear,
}

impl FadeCurve {
    /// How much counts at a part of the fade.
    pub fn at(self, part: f64) -> f32 {
        let u = part.clamp(0.0, 1.0);
        (match self {
            Self::Smooth => u * u * (3.0 - 2.0 * u),
            Self::Linear => u,
        }) as f32
    }
}

/// By what bars that lie over each other in a lane keep step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum InStep {
    /// By nothing: each on its own clock.
    #[default]
    Free,
    /// By the share of their length.
    Share,
    /// By the markers of their clips.
    Markers,
    /// By when their feet come down.
    Contacts,
}

/// What a bar plays.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Plays<C = ClipId> {
    /// A clip.
    Clip(C),
    /// The clips around a value on a line.
    Blend {
        /// Each with its value, such as its speed over the ground; in any order.
        points: Vec<(C, f32)>,
        /// The value.
        value: f32,
    },
    /// The clips around a place in a plane: strafing.
    Plane {
        /// Each with its place, such as meters a second to the body's right, and ahead; in any
        /// order.
        points: Vec<(C, [f32; 2])>,
        /// The place.
        value: [f32; 2],
    },
}

impl<C> Plays<C> {
    /// The clips that it plays.
    pub fn clips(&self) -> impl Iterator<Item = &C> {
        let (one, line, plane) = match self {
            Self::Clip(clip) => (Some(clip), &[][..], &[][..]),
            Self::Blend { points, .. } => (None, &points[..], &[][..]),
            Self::Plane { points, .. } => (None, &[][..], &points[..]),
        };
        one.into_iter()
            .chain(line.iter().map(|(clip, _)| clip))
            .chain(plane.iter().map(|(clip, _)| clip))
    }

    /// Leaves out the clips between which it goes that are not wanted.
    pub fn retain(&mut self, wanted: impl Fn(&C) -> bool) {
        match self {
            Self::Clip(_) => {}
            Self::Blend { points, .. } => points.retain(|(clip, _)| wanted(clip)),
            Self::Plane { points, .. } => points.retain(|(clip, _)| wanted(clip)),
        }
    }

    fn numbers(&self) -> Vec<f32> {
        match self {
            Self::Clip(_) => Vec::new(),
            Self::Blend { points, value } => points.iter().map(|p| p.1).chain([*value]).collect(),
            Self::Plane { points, value } => {
                points.iter().flat_map(|p| p.1).chain(*value).collect()
            }
        }
    }

    fn renamed<D, E>(&self, clip: &mut dyn FnMut(&C) -> Result<D, E>) -> Result<Plays<D>, E> {
        Ok(match self {
            Self::Clip(of) => Plays::Clip(clip(of)?),
            Self::Blend { points, value } => {
                let points =
                    points.iter().map(|(of, at)| Ok((clip(of)?, *at))).collect::<Result<_, E>>()?;
                Plays::Blend { points, value: *value }
            }
            Self::Plane { points, value } => {
                let points =
                    points.iter().map(|(of, at)| Ok((clip(of)?, *at))).collect::<Result<_, E>>()?;
                Plays::Plane { points, value: *value }
            }
        })
    }
}

/// Something that plays from a time to a time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MixBar<C = ClipId, N: Ord = NodeId> {
    /// What.
    pub plays: Plays<C>,
    /// When it begins, seconds of the mix.
    #[serde(default)]
    pub start: f64,
    /// How long it is there, seconds.
    pub length: f64,
    /// Where in its clip it begins, seconds.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub offset: f64,
    /// How fast its clip plays.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub speed: f64,
    /// Whether its clip begins again at its end; else it stands there.
    #[serde(default = "yes", skip_serializing_if = "is_yes")]
    pub repeat: bool,
    /// How much it counts, 0 to 1.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub weight: f32,
    /// Seconds over which it comes in.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub fade_in: f64,
    /// Seconds over which it goes.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub fade_out: f64,
    /// How it comes in.
    #[serde(default, skip_serializing_if = "is_default")]
    pub enter: Enter,
    /// How its weight rises and falls.
    #[serde(default, skip_serializing_if = "is_default")]
    pub curve: FadeCurve,
    /// Whether it plays along with the bars that are there, and does not cover them.
    #[serde(default, skip_serializing_if = "is_no")]
    pub along: bool,
    /// By what it keeps step with the bars that it meets.
    #[serde(default, skip_serializing_if = "is_default")]
    pub in_step: InStep,
    /// Where it counts; everywhere if `None`.
    #[serde(default = "Option::default", skip_serializing_if = "Option::is_none")]
    pub mask: Option<MixMask<N>>,
}

fn one<T: From<u8>>() -> T {
    T::from(1)
}

fn yes() -> bool {
    true
}

// serde hands references to all of these.
fn is_one<T: From<u8> + PartialEq>(value: &T) -> bool {
    *value == T::from(1)
}

fn is_zero<T: From<u8> + PartialEq>(value: &T) -> bool {
    *value == T::from(0)
}

const fn is_yes(value: &bool) -> bool {
    *value
}

const fn is_no(value: &bool) -> bool {
    !*value
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

impl<C, N: Ord> MixBar<C, N> {
    /// A clip that loops from a time on.
    pub const fn new(clip: C, start: f64, length: f64) -> Self {
        Self {
            plays: Plays::Clip(clip),
            start,
            length,
            offset: 0.0,
            speed: 1.0,
            repeat: true,
            weight: 1.0,
            fade_in: 0.0,
            fade_out: 0.0,
            enter: Enter::Fade,
            curve: FadeCurve::Smooth,
            along: false,
            in_step: InStep::Free,
            mask: None,
        }
    }

    /// When it goes.
    pub fn end(&self) -> f64 {
        self.start + self.length
    }

    /// How much it counts by itself at a time.
    pub fn weight_at(&self, time: f64) -> f32 {
        self.full_weight_at(time) * self.comes_at(time)
    }

    /// How far its fade in has come at a time, `0..=1`; 1 where it has none.
    pub fn comes_at(&self, time: f64) -> f32 {
        match self.enter {
            Enter::Inertial | Enter::Cut => 1.0,
            _ if self.fade_in > 0.0 => self.curve.at((time - self.start) / self.fade_in),
            _ => 1.0,
        }
    }

    /// How much it would count at a time, had it come in whole.
    pub fn full_weight_at(&self, time: f64) -> f32 {
        if time < self.start || time > self.end() {
            return 0.0;
        }
        let goes = if self.fade_out > 0.0 {
            self.curve.at((self.end() - time) / self.fade_out)
        } else {
            1.0
        };
        self.weight.clamp(0.0, 1.0) * goes
    }

    /// The clips that it plays.
    pub fn clips(&self) -> impl Iterator<Item = &C> {
        self.plays.clips()
    }

    fn numbers(&self) -> impl Iterator<Item = f64> {
        let own = [self.start, self.length, self.offset, self.speed, self.fade_in, self.fade_out];
        own.into_iter()
            .chain([f64::from(self.weight)])
            .chain(self.plays.numbers().into_iter().map(f64::from))
    }
}

impl<C, N: Ord> MixLane<C, N> {
    /// A lane that covers what is below, with nothing on it.
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

    /// Its bars as they come in: by start, those of one start in their own order.
    pub fn in_order(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.bars.len()).collect();
        order.sort_by(|a, b| self.bars[*a].start.total_cmp(&self.bars[*b].start));
        order
    }
}

impl<C, N: Ord> Mix<C, N> {
    /// When the last bar ends, seconds.
    pub fn length(&self) -> f64 {
        self.lanes.iter().flat_map(|l| &l.bars).map(MixBar::end).fold(0.0, f64::max)
    }

    /// The first thing in it that is no number, or out of its bounds, in words.
    pub fn fault(&self) -> Option<String> {
        /// Seconds; more is no mix that anyone watches.
        const LONGEST: f64 = 1e6;
        /// Times as fast.
        const FASTEST: f64 = 100.0;
        /// Clips that one bar goes between.
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

    /// The place in a later state of the mix of a lane of this one; `None` where it was removed.
    pub fn lane_in(&self, now: &Self, lane: usize) -> Option<usize>
    where
        C: PartialEq,
        N: PartialEq,
    {
        place_in(&self.lanes, &now.lanes, lane)
    }

    /// The place in a later state of the mix of a bar of this one; `None` where it was removed.
    pub fn bar_in(&self, now: &Self, (lane, bar): (usize, usize)) -> Option<(usize, usize)>
    where
        C: PartialEq,
        N: PartialEq,
    {
        let was = self.lanes.get(lane)?;
        let to = match self.lane_in(now, lane) {
            Some(to) => to,
            // A lane that lost or got a bar is no longer equal; its name and place among the others
            // tell it.
            None => now.lanes.iter().position(|l| l.name == was.name)?,
        };
        Some((to, place_in(&was.bars, &now.lanes[to].bars, bar)?))
    }

    /// The same with another bar in the place of one.
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

    /// The same without a bar.
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

    /// The same with a bar in two, which play as the one did; nothing where the time lies outside
    /// it or within one of its fades.
    pub fn cut(&self, (lane, bar): (usize, usize), time: f64) -> Option<Self>
    where
        C: Clone,
        N: Clone,
    {
        /// Seconds of the shortest part.
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

    /// The nodes that its masks name.
    pub fn nodes(&self) -> impl Iterator<Item = &N> {
        let masks = self
            .lanes
            .iter()
            .flat_map(|l| l.bars.iter().map(|b| &b.mask).chain([&l.mask]))
            .flatten();
        masks.flat_map(|mask| {
            let (one, list) = match mask {
                MixMask::Below { joint, .. } => (Some(joint), None),
                MixMask::Painted(list) => (None, Some(list.keys())),
                _ => (None, None),
            };
            one.into_iter().chain(list.into_iter().flatten())
        })
    }

    /// The same with clips and nodes named otherwise.
    ///
    /// # Errors
    /// The first that one of the namers gives.
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

/// The place in `now` of an item of `before`: an equal one at its place, else an equal one
/// elsewhere, else its own place if no item was added or removed, since it was edited there, or if
/// all others are as they were, since it was cut in two.
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

impl<N: Ord> MixMask<N> {
    /// The same with its joints named otherwise.
    ///
    /// # Errors
    /// What the naming says.
    pub fn renamed<M: Ord, E>(
        &self,
        node: &mut dyn FnMut(&N) -> Result<M, E>,
    ) -> Result<MixMask<M>, E> {
        Ok(match self {
            Self::Below { joint, falloff } => {
                MixMask::Below { joint: node(joint)?, falloff: *falloff }
            }
            Self::Left => MixMask::Left,
            Self::Right => MixMask::Right,
            Self::Upper => MixMask::Upper,
            Self::Lower => MixMask::Lower,
            Self::Painted(list) => MixMask::Painted(
                list.iter().map(|(n, w)| Ok((node(n)?, *w))).collect::<Result<_, E>>()?,
            ),
        })
    }
}
