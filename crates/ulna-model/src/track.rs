//! Tracks: the keys of one property of one node.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::{KeyKinds, KeyTangents, NodeId, Slice, TangentMode, TangentModes};

/// What a track moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Property {
    /// Three numbers a value, meters.
    Translation,
    /// Four numbers a value, `x y z w` of a unit quaternion.
    Rotation,
    /// Three numbers a value.
    Scale,
    /// One number a value and morph target.
    Weights,
}

impl Property {
    /// Translation, rotation, scale, in the order of the panels.
    pub const TRS: [Self; 3] = [Self::Translation, Self::Rotation, Self::Scale];

    /// The glTF path.
    pub const fn path(self) -> &'static str {
        match self {
            Self::Translation => "translation",
            Self::Rotation => "rotation",
            Self::Scale => "scale",
            Self::Weights => "weights",
        }
    }
}

/// How values between keys come about (glTF 2.0, *Animations*).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Interpolation {
    /// The value of the key before.
    Step,
    /// Straight between two keys; rotations by slerp on the short way.
    #[default]
    Linear,
    /// Hermite; a key holds in-tangent, value, out-tangent.
    CubicSpline,
}

impl Interpolation {
    /// How many values one key holds.
    pub const fn values_per_key(self) -> usize {
        match self {
            Self::CubicSpline => 3,
            Self::Step | Self::Linear => 1,
        }
    }

    /// The word in the file.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Step => "STEP",
            Self::Linear => "LINEAR",
            Self::CubicSpline => "CUBICSPLINE",
        }
    }
}

/// Keys of one property of one node.
///
/// Invariants, checked by [`Track::validate`]:
/// 1. `times` is not empty, finite, and strictly increasing (seconds);
/// 2. `values.len() == times.len() × values_per_key × width`;
/// 3. `width` is 3, 4 or 3 for translation, rotation and scale, and at least 1 for weights.
#[derive(Clone, Debug, PartialEq)]
pub struct Track {
    /// The node that moves.
    pub target: NodeId,
    /// What of it moves.
    pub property: Property,
    /// How values between keys come about.
    pub interpolation: Interpolation,
    /// Key times in seconds, as in the file.
    pub times: Slice<f32>,
    /// Values, key after key; a CUBICSPLINE key holds in-tangent, value, out-tangent, each of
    /// `width` numbers.
    pub values: Slice<f32>,
    /// Numbers a value.
    pub width: usize,
    /// Which keys are extremes and the like; kept in the animation's extras.
    pub kinds: KeyKinds,
    /// How the tangents of its keys are chosen; kept in the animation's extras.
    pub modes: TangentModes,
}

/// Which rule of [`Track`] is broken.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum TrackError {
    /// No key.
    #[error("a track needs at least one key")]
    Empty,
    /// A time is not a number, or not later than the one before.
    #[error("the time of key {0} is not a number later than the previous key")]
    Times(usize),
    /// The number of values does not fit the number of keys.
    #[error("{found} values were found, but {wanted} are needed")]
    Values {
        /// How many there are.
        found: usize,
        /// How many there should be.
        wanted: usize,
    },
}

impl TrackError {
    /// The code that stays the same for scripts, whatever the words are.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Empty => "track_is_empty",
            Self::Times(_) => "times_out_of_order",
            Self::Values { .. } => "count_mismatch",
        }
    }
}

impl Track {
    /// Checks the invariants.
    ///
    /// # Errors
    /// The first rule that is broken.
    pub fn validate(&self) -> Result<(), TrackError> {
        if self.times.is_empty() || self.width == 0 {
            return Err(TrackError::Empty);
        }
        for (k, time) in self.times.iter().enumerate() {
            if !time.is_finite() || (k > 0 && *time <= self.times[k - 1]) {
                return Err(TrackError::Times(k));
            }
        }
        let wanted = self.times.len() * self.stride();
        if self.values.len() == wanted {
            Ok(())
        } else {
            Err(TrackError::Values { found: self.values.len(), wanted })
        }
    }

    /// Whether both have the same keys, of whatever kinds: what the file's accessors hold.
    pub fn same_keys(&self, other: &Self) -> bool {
        let Self { target, property, interpolation, times, values, width, kinds: _, modes: _ } =
            self;
        (target, property, interpolation, width)
            == (&other.target, &other.property, &other.interpolation, &other.width)
            && same(times, &other.times)
            && same(values, &other.values)
    }

    /// The kinds of keys that are there, without those of keys that are gone.
    pub fn kinds_there(&self) -> KeyKinds {
        self.kinds.iter().filter(|(t, _)| self.key_at(*t, 0.0).is_some()).collect()
    }

    /// The tangent modes of keys that exist, without those of keys that are gone.
    pub fn modes_there(&self) -> TangentModes {
        let there = self.modes.iter().filter(|(t, _)| self.key_at(*t, 0.0).is_some());
        self.modes.replaced(there)
    }

    /// Numbers a key.
    pub const fn stride(&self) -> usize {
        self.width * self.interpolation.values_per_key()
    }

    /// The value at a key, without its tangents.
    pub fn value(&self, key: usize) -> &[f32] {
        let start = key * self.stride()
            + if matches!(self.interpolation, Interpolation::CubicSpline) { self.width } else { 0 };
        &self.values[start..start + self.width]
    }

    /// The key at a time, or the nearest within `tolerance` seconds of it: the keys of a cut may
    /// lie closer together than that.
    pub fn key_at(&self, time: f32, tolerance: f32) -> Option<usize> {
        let first = self.times.partition_point(|t| *t < time - tolerance);
        let off = |t: f32| (t - time).abs();
        let near =
            self.times[first..].iter().enumerate().take_while(|(_, t)| off(**t) <= tolerance);
        near.min_by(|a, b| off(*a.1).total_cmp(&off(*b.1))).map(|(k, _)| first + k)
    }

    /// The track with a key of `value` at `time`; an existing key there is replaced.
    ///
    /// On a CUBICSPLINE track a new key gets the slope of its neighbors as both tangents, so that
    /// the curve stays smooth; where the track names tangent modes, it is named automatic.
    pub fn with_key(&self, time: f32, value: &[f32], tolerance: f32) -> Self {
        let stride = self.stride();
        let mut times = self.times.to_vec();
        let mut values = self.values.to_vec();
        let cubic = matches!(self.interpolation, Interpolation::CubicSpline);
        let skip = if cubic { self.width } else { 0 };
        let mut modes = self.modes.clone();
        if let Some(key) = self.key_at(time, tolerance) {
            values[key * stride + skip..key * stride + skip + self.width].copy_from_slice(value);
        } else {
            let at = times.partition_point(|t| *t < time);
            let mut key = value.to_vec();
            if cubic {
                let mut slope = vec![0.0; self.width];
                if at > 0 && at < times.len() {
                    let span = times[at] - times[at - 1];
                    for (k, s) in slope.iter_mut().enumerate() {
                        *s = (self.value(at)[k] - self.value(at - 1)[k]) / span;
                    }
                }
                key = [slope.clone(), key, slope].concat();
            }
            times.insert(at, time);
            values.splice(at * stride..at * stride, key);
            if !modes.is_empty() {
                modes = modes.with(&[time], Some(KeyTangents::both(TangentMode::Auto)));
            }
        }
        Self { times: times.into(), values: values.into(), modes, ..self.clone() }
    }
}

fn same(a: &Slice<f32>, b: &Slice<f32>) -> bool {
    Slice::ptr_eq(a, b) || a == b
}

#[cfg(test)]
mod tests {
    use super::*;

    fn track(times: &[f32]) -> Track {
        Track {
            target: NodeId(0),
            property: Property::Translation,
            interpolation: Interpolation::Linear,
            times: times.into(),
            values: times.iter().flat_map(|t| [*t, 0.0, 0.0]).collect(),
            width: 3,
            kinds: Default::default(),
            modes: Default::default(),
        }
    }

    #[test]
    fn a_new_key_lands_between_and_an_old_one_is_replaced() {
        let t = track(&[0.0, 1.0]).with_key(0.5, &[9.0, 0.0, 0.0], 1e-4).with_key(
            1.0,
            &[7.0, 0.0, 0.0],
            1e-4,
        );
        assert_eq!(&*t.times, [0.0, 0.5, 1.0]);
        assert_eq!(t.value(1), [9.0, 0.0, 0.0]);
        assert_eq!(t.value(2), [7.0, 0.0, 0.0]);
        assert!(t.validate().is_ok());
    }
}
