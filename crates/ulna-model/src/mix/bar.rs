//! Bars of a mix: clips and blends with a start and a length.

use serde::{Deserialize, Serialize};

use super::{
    super::{ClipId, NodeId},
    defaults::{is_default, is_no, is_one, is_yes, is_zero, one, yes},
    mask::MixMask,
};

/// Type of transition into a bar, during its `fade_in`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Enter {
    /// Cross-fade: the weight rises while the bars below continue to play.
    #[default]
    Fade,
    /// Fade over a frozen pose: the weight rises over the pose at the start of the bar.
    Frozen,
    /// Key to key. The pose at the start of this bar is frozen; a previous bar that ends at this
    /// time is frozen at its last key. The frozen pose is interpolated to this bar's first key
    /// over `fade_in`, and then this bar starts to play.
    Keys,
    /// Inertial blend: the bar has full weight at once. The difference from the previous pose and
    /// velocity decays over `fade_in`.
    Inertial,
    /// Cut: full weight at once, without a transition.
    Cut,
}

/// Shape of a fade, as a function of `u` in `0..=1`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FadeCurve {
    /// Smooth at both ends: `3u² − 2u³`.
    #[default]
    Smooth,
    /// Linear: `u`.
    Linear,
}

impl FadeCurve {
    /// Weight factor, `0..=1`, at a fraction of the fade, `0..=1`.
    pub fn at(self, part: f64) -> f32 {
        let u = part.clamp(0.0, 1.0);
        (match self {
            Self::Smooth => u * u * (3.0 - 2.0 * u),
            Self::Linear => u,
        }) as f32
    }
}

/// Synchronization of overlapping bars in a lane.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum InStep {
    /// No synchronization: each bar has its own clock.
    #[default]
    Free,
    /// Synchronization by normalized time.
    Share,
    /// Synchronization by the markers of the clips.
    Markers,
    /// Synchronization by foot contacts.
    Contacts,
}

/// The source of a bar's motion.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Plays<C = ClipId> {
    /// A single clip.
    Clip(C),
    /// A one-dimensional blend of clips.
    Blend {
        /// Clips with their values on the blend axis, such as the ground speed, in any order.
        points: Vec<(C, f32)>,
        /// Value at which the clips are blended.
        value: f32,
    },
    /// A two-dimensional blend of clips, such as for strafing.
    Plane {
        /// Clips with their points in the blend plane, such as the velocity to the right and ahead
        /// in meters per second, in any order.
        points: Vec<(C, [f32; 2])>,
        /// Point at which the clips are blended.
        value: [f32; 2],
    },
}

impl<C> Plays<C> {
    /// All clips of the source.
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

    /// Removes unwanted clips from a blend. A source with a single clip stays unchanged.
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

/// Bar: a section of a lane that plays a source for a time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MixBar<C = ClipId, N: Ord = NodeId> {
    /// Source of the bar's motion.
    pub plays: Plays<C>,
    /// Start in seconds of the mix.
    #[serde(default)]
    pub start: f64,
    /// Length in seconds of the mix.
    pub length: f64,
    /// Start time within the clip, in seconds.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub offset: f64,
    /// Speed factor of the clip.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub speed: f64,
    /// Whether the clip loops. Otherwise, its last frame is held.
    #[serde(default = "yes", skip_serializing_if = "is_yes")]
    pub repeat: bool,
    /// Weight, `0..=1`.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub weight: f32,
    /// Length of the fade-in, in seconds.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub fade_in: f64,
    /// Length of the fade-out, in seconds.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub fade_out: f64,
    /// Transition into the bar.
    #[serde(default, skip_serializing_if = "is_default")]
    pub enter: Enter,
    /// Shape of the fades.
    #[serde(default, skip_serializing_if = "is_default")]
    pub curve: FadeCurve,
    /// Whether the bar is blended with the other bars of its lane. Otherwise, it covers them.
    #[serde(default, skip_serializing_if = "is_no")]
    pub along: bool,
    /// Synchronization with overlapping bars.
    #[serde(default, skip_serializing_if = "is_default")]
    pub in_step: InStep,
    /// Affected joints; all joints if `None`.
    #[serde(default = "Option::default", skip_serializing_if = "Option::is_none")]
    pub mask: Option<MixMask<N>>,
}

impl<C, N: Ord> MixBar<C, N> {
    /// Creates a bar with a looping clip, and default values for all other members. `start` and
    /// `length` are in seconds.
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

    /// End time of the bar, in seconds of the mix.
    pub fn end(&self) -> f64 {
        self.start + self.length
    }

    /// Weight of the bar at a time, `0..=1`, including both fades.
    pub fn weight_at(&self, time: f64) -> f32 {
        self.full_weight_at(time) * self.comes_at(time)
    }

    /// Progress of the fade-in at a time, `0..=1`; 1 without a fade-in.
    pub fn comes_at(&self, time: f64) -> f32 {
        match self.enter {
            Enter::Inertial | Enter::Cut => 1.0,
            _ if self.fade_in > 0.0 => self.curve.at((time - self.start) / self.fade_in),
            _ => 1.0,
        }
    }

    /// Weight of the bar at a time without the fade-in, `0..=1`; 0 outside the bar.
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

    /// All clips of the source.
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
