//! Clips and their tracks: the keys of an animation as the file gives them.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::{KeptLayers, KeyKinds, Marker, NodeId, Shared, Slice, TrackId, Tracks};

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
        let Self { target, property, interpolation, times, values, width, kinds: _ } = self;
        (target, property, interpolation, width)
            == (&other.target, &other.property, &other.interpolation, &other.width)
            && same(times, &other.times)
            && same(values, &other.values)
    }

    /// The kinds of keys that are there, without those of keys that are gone.
    pub fn kinds_there(&self) -> KeyKinds {
        self.kinds.iter().filter(|(t, _)| self.key_at(*t, 0.0).is_some()).collect()
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
    /// the curve stays smooth.
    pub fn with_key(&self, time: f32, value: &[f32], tolerance: f32) -> Self {
        let stride = self.stride();
        let mut times = self.times.to_vec();
        let mut values = self.values.to_vec();
        let cubic = matches!(self.interpolation, Interpolation::CubicSpline);
        let skip = if cubic { self.width } else { 0 };
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
        }
        Self { times: times.into(), values: values.into(), ..self.clone() }
    }
}

fn same(a: &Slice<f32>, b: &Slice<f32>) -> bool {
    Slice::ptr_eq(a, b) || a == b
}

/// What happens at the end of a clip that plays.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Repeat {
    /// It stops.
    Once,
    /// It begins again.
    #[default]
    Loop,
    /// It goes back, and on again.
    PingPong,
}

impl Repeat {
    /// The next of the three.
    pub const fn next(self) -> Self {
        match self {
            Self::Once => Self::Loop,
            Self::Loop => Self::PingPong,
            Self::PingPong => Self::Once,
        }
    }
}

/// Keys of something that the file names by a JSON pointer (`KHR_animation_pointer`). They are kept
/// as they are and cannot be edited.
#[derive(Clone, Debug, PartialEq)]
pub struct PointerTrack {
    /// What moves, such as `/materials/2/pbrMetallicRoughness/roughnessFactor`.
    pub pointer: Arc<str>,
    /// How values between keys come about.
    pub interpolation: Interpolation,
    /// Key times in seconds, finite and strictly increasing; not empty.
    pub times: Slice<f32>,
    /// Numbers a value.
    pub width: usize,
    /// The same keys as a track, where they move a node's transform or weights: those are played.
    pub track: Option<Shared<Track>>,
    /// The same keys, where they show and hide a node: those are played.
    pub visibility: Option<VisibilityKeys>,
}

/// Keys that show and hide a node and what is below it (`KHR_node_visibility`).
#[derive(Clone, Debug, PartialEq)]
pub struct VisibilityKeys {
    /// The node.
    pub node: NodeId,
    /// Whether it is visible from each key on; as many as key times.
    pub visible: Shared<[bool]>,
}

impl VisibilityKeys {
    /// Whether the node is visible at a time in seconds: each key holds up to the next, the first
    /// also before its time.
    pub fn at(&self, times: &[f32], time: f64) -> bool {
        let next = times.partition_point(|t| f64::from(*t) <= time);
        self.visible.get(next.saturating_sub(1)).copied().unwrap_or(true)
    }
}

/// One animation of the file: a named set of tracks.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Clip {
    /// The name, where the file gives one.
    pub name: Option<Arc<str>>,
    /// Tracks by the index of their channel in the file; new ones come after all of those.
    pub tracks: Tracks,
    /// How many channels the file's animation has, those that are no track included; 0 for a new
    /// clip.
    pub channels_in_file: u32,
    /// Named moments, in the order of their times; kept in the animation's extras.
    pub markers: Shared<[Marker]>,
    /// What happens at its end, where a person kept that with it; in the animation's extras.
    pub repeat: Option<Repeat>,
    /// Ticks a second in which its times are counted, above 0, where the file it came from or a
    /// person says so; in the animation's extras.
    pub ticks: Option<f64>,
    /// Frames a second, above 0, where its keys do not say them: kept from before its times were
    /// changed, or said by a person; in the animation's extras.
    pub rate: Option<f64>,
    /// The layers that the file keeps with it, folded into its keys; in the animation's extras.
    pub kept_layers: Option<Shared<KeptLayers>>,
    /// Channels that name what they move by a pointer.
    pub pointers: Shared<[PointerTrack]>,
    /// What channels move whose keys cannot be edited and are kept as they are: they must not get a
    /// second channel.
    pub kept: Shared<[(NodeId, Property)]>,
    /// Tracks whose keys are not the file's own numbers, since those had to be mended for showing:
    /// sorted, made finite. When one is edited, all of its keys are written.
    pub mended: Shared<[TrackId]>,
}

impl Clip {
    /// The last key of any track or pointer, in seconds; 0 where there is none.
    pub fn length(&self) -> f32 {
        let pointers = self.pointers.iter().filter_map(|p| p.times.last().copied());
        pointers.fold(self.tracks.end(), f32::max)
    }

    /// The track of a property of a node. Where the file has two (it must not), the later wins, as
    /// on screen.
    pub fn track(&self, node: NodeId, property: Property) -> Option<(TrackId, &Shared<Track>)> {
        self.tracks.of(node, property)
    }

    /// An id no track of this clip or channel of the file has.
    pub fn free_track_id(&self) -> TrackId {
        let after = self.tracks.keys().next_back().map_or(0, |id| id.0 + 1);
        TrackId(after.max(self.channels_in_file))
    }

    /// All that plays: its tracks, and the keys of pointers that move nodes.
    pub fn played(&self) -> impl Iterator<Item = &Shared<Track>> {
        self.tracks.values().chain(self.pointers.iter().filter_map(|p| p.track.as_ref()))
    }

    /// How many keys the tracks hold together.
    pub fn key_count(&self) -> usize {
        self.tracks.key_count()
    }
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
