//! Tracks: the keys of one property of one node.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::{KeyKinds, KeyTangents, NodeId, Slice, TangentMode, TangentModes};

/// The animated property of a track.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Property {
    /// Translation; three numbers per value, in meters.
    Translation,
    /// Rotation; four numbers per value: `x y z w` of a unit quaternion.
    Rotation,
    /// Scale; three factors per value.
    Scale,
    /// Morph weights; one number per morph target in each value.
    Weights,
}

impl Property {
    /// Translation, rotation and scale, in the order in which panels list them.
    pub const TRS: [Self; 3] = [Self::Translation, Self::Rotation, Self::Scale];

    /// Target path in glTF.
    pub const fn path(self) -> &'static str {
        match self {
            Self::Translation => "translation",
            Self::Rotation => "rotation",
            Self::Scale => "scale",
            Self::Weights => "weights",
        }
    }
}

/// Interpolation between keys (glTF 2.0, 3.11 and appendix C).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Interpolation {
    /// Stepped: the value of the previous key.
    Step,
    /// Linear between two keys. Rotations use SLERP along the shorter arc.
    #[default]
    Linear,
    /// Cubic Hermite spline. Each key has an in-tangent, a value and an out-tangent.
    CubicSpline,
}

impl Interpolation {
    /// Number of values per key.
    pub const fn values_per_key(self) -> usize {
        match self {
            Self::CubicSpline => 3,
            Self::Step | Self::Linear => 1,
        }
    }

    /// Keyword in the glTF file.
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
    /// The animated node.
    pub target: NodeId,
    /// The animated property.
    pub property: Property,
    /// Interpolation between keys.
    pub interpolation: Interpolation,
    /// Key times in seconds, as in the file.
    pub times: Slice<f32>,
    /// Values in the order of the keys. A CUBICSPLINE key has an in-tangent, a value and an
    /// out-tangent, each of `width` numbers.
    pub values: Slice<f32>,
    /// Numbers per value.
    pub width: usize,
    /// Key types, such as extremes; stored in the animation's extras.
    pub kinds: KeyKinds,
    /// Tangent modes of the keys; stored in the animation's extras.
    pub modes: TangentModes,
}

/// A broken invariant of [`Track`].
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum TrackError {
    /// The track has no keys, or its width is 0.
    #[error("a track needs at least one key")]
    Empty,
    /// A time is not finite, or not later than the previous one. The number is the index of the
    /// key.
    #[error("the time of key {0} is not a number later than the previous key")]
    Times(usize),
    /// The number of values does not match the number of keys.
    #[error("{found} values were found, but {wanted} are needed")]
    Values {
        /// Actual number of values.
        found: usize,
        /// Required number of values.
        wanted: usize,
    },
}

impl TrackError {
    /// Error code for scripts, which is stable across versions.
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
    /// The first broken invariant.
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

    /// Whether both tracks have the same keys, as stored in accessors. Key types and tangent modes
    /// are ignored.
    pub fn same_keys(&self, other: &Self) -> bool {
        let Self { target, property, interpolation, times, values, width, kinds: _, modes: _ } =
            self;
        (target, property, interpolation, width)
            == (&other.target, &other.property, &other.interpolation, &other.width)
            && same(times, &other.times)
            && same(values, &other.values)
    }

    /// Key types of the track without entries for missing keys.
    pub fn kinds_there(&self) -> KeyKinds {
        self.kinds.iter().filter(|(t, _)| self.key_at(*t, 0.0).is_some()).collect()
    }

    /// Tangent modes of the track without entries for missing keys.
    pub fn modes_there(&self) -> TangentModes {
        let there = self.modes.iter().filter(|(t, _)| self.key_at(*t, 0.0).is_some());
        self.modes.replaced(there)
    }

    /// Numbers per key.
    pub const fn stride(&self) -> usize {
        self.width * self.interpolation.values_per_key()
    }

    /// The value of a key, without its tangents.
    pub fn value(&self, key: usize) -> &[f32] {
        let start = key * self.stride()
            + if matches!(self.interpolation, Interpolation::CubicSpline) { self.width } else { 0 };
        &self.values[start..start + self.width]
    }

    /// Index of the nearest key within `tolerance` seconds of a time. Several keys can be within
    /// the tolerance.
    pub fn key_at(&self, time: f32, tolerance: f32) -> Option<usize> {
        let first = self.times.partition_point(|t| *t < time - tolerance);
        let off = |t: f32| (t - time).abs();
        let near =
            self.times[first..].iter().enumerate().take_while(|(_, t)| off(**t) <= tolerance);
        near.min_by(|a, b| off(*a.1).total_cmp(&off(*b.1))).map(|(k, _)| first + k)
    }

    /// Copy of the track with a key of `value` at `time`. An existing key within `tolerance`
    /// seconds is replaced.
    ///
    /// On a CUBICSPLINE track, both tangents of a new key get the slope between its neighbors, so
    /// that the curve stays smooth. If the track has tangent modes, the new key becomes automatic.
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
    fn a_new_key_is_inserted_by_time_and_replaces_one_at_its_time() {
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
