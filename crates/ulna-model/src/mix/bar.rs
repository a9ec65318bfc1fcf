//! Bars: clips and blends that play from a time to a time.

use serde::{Deserialize, Serialize};

use super::{
    super::{ClipId, NodeId},
    defaults::{is_default, is_no, is_one, is_yes, is_zero, one, yes},
    mask::MixMask,
};

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

    pub(super) fn numbers(&self) -> Vec<f32> {
        match self {
            Self::Clip(_) => Vec::new(),
            Self::Blend { points, value } => points.iter().map(|p| p.1).chain([*value]).collect(),
            Self::Plane { points, value } => {
                points.iter().flat_map(|p| p.1).chain(*value).collect()
            }
        }
    }

    pub(super) fn renamed<D, E>(
        &self,
        clip: &mut dyn FnMut(&C) -> Result<D, E>,
    ) -> Result<Plays<D>, E> {
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

    pub(super) fn numbers(&self) -> impl Iterator<Item = f64> {
        let own = [self.start, self.length, self.offset, self.speed, self.fade_in, self.fade_out];
        own.into_iter()
            .chain([f64::from(self.weight)])
            .chain(self.plays.numbers().into_iter().map(f64::from))
    }
}
