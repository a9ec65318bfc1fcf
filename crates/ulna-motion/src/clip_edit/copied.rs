//! Keys as text for the clipboard and for scripts, and pasting them at other times, on other
//! joints, in other files.

use glam::Quat;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::{
    SAME_TIME, TooClose,
    holds::{hold_ends, marks},
    refreshed,
    retime::TimeMap,
    smooth::with_interpolation,
    tangents::is_auto,
};
use crate::sample_into;
use ulna_model::{
    Interpolation, KeyKind, KeyTangents, KeyTimes, NodeId, Property, TangentMode, TangentModes,
    Track, transform::unit_or,
};

/// Error of a text that cannot be parsed as keys.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum NotKeys {
    /// The text is not JSON, or its content is not keys.
    #[error("the text does not contain keys copied from Ulna")]
    Other,
    /// The numbers of a track are inconsistent. The strings name the track and the problem.
    #[error("the keys of {0} in the text are invalid: {1}")]
    Broken(String, String),
    /// The text was made by a newer version of Ulna. The value is the version of the text format.
    #[error(
        "the keys were copied by a newer version of Ulna (text format {0}); update Ulna to \
        paste them"
    )]
    Newer(u32),
}

impl NotKeys {
    /// Stable code of the error for scripts.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Other => "not_keys",
            Self::Broken(..) => "copied_keys_damaged",
            Self::Newer(_) => "made_by_newer_version",
        }
    }
}

/// Copied keys of one property of one node.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CopiedTrack {
    /// The node's name.
    pub node: String,
    /// Node names from the root, separated by `/`.
    pub path: String,
    /// The node's index in the file, which distinguishes nodes with the same path.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub index: Option<u32>,
    /// The animated property.
    pub property: Property,
    /// Interpolation between the keys.
    pub interpolation: Interpolation,
    /// Key times in the source clip, seconds.
    pub times: Vec<f32>,
    /// Values in the layout of [`Track::values`].
    pub values: Vec<f32>,
    /// Times and kinds of keys that have a kind.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub kinds: Vec<(f32, KeyKind)>,
    /// Tangent modes by key time: the mode of the arriving side, the mode of the leaving side, and
    /// whether both sides are linked.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tangents: Vec<(f32, TangentMode, TangentMode, bool)>,
}

/// Keys copied from a clip, as stored on the clipboard.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CopiedKeys {
    /// Version of the text format, currently 1. The name of this field identifies the text as
    /// copied keys.
    ulna_keys: u32,
    /// Tracks with at least one key each.
    pub tracks: Vec<CopiedTrack>,
}

/// Name, path and id that identify a node.
#[derive(Clone, Copy, Debug)]
pub struct NodePlace<'a> {
    /// Name of the node.
    pub name: &'a str,
    /// Node names from the root.
    pub path: &'a str,
    /// Id of the node.
    pub node: NodeId,
}

impl CopiedTrack {
    /// Path and index of the node, which distinguish it from the nodes of other tracks.
    pub fn place(&self) -> (&str, Option<u32>) {
        (&self.path, self.index)
    }

    /// Copies the keys of a track at `times`.
    pub fn of(track: &Track, times: &[f32], place: &NodePlace<'_>) -> Self {
        let stride = track.stride();
        let marks = marks(track, times, hold_ends(track).as_deref());
        let kept: Vec<usize> = (0..marks.len()).filter(|k| marks[*k]).collect();
        Self {
            node: place.name.to_owned(),
            path: place.path.to_owned(),
            index: Some(place.node.0),
            property: track.property,
            interpolation: track.interpolation,
            times: kept.iter().map(|k| track.times[*k]).collect(),
            values: kept
                .iter()
                .flat_map(|k| track.values[k * stride..(k + 1) * stride].iter().copied())
                .collect(),
            kinds: kept
                .iter()
                .filter_map(|k| Some((track.times[*k], track.kinds.of(track.times[*k])?)))
                .collect(),
            tangents: kept
                .iter()
                .filter_map(|k| Some((track.times[*k], track.modes.of(track.times[*k])?)))
                .map(|(t, m)| (t, m.arrive, m.leave, m.linked))
                .collect(),
        }
    }

    /// Converts the keys to a track of a node.
    ///
    /// # Errors
    /// The numbers are inconsistent or not finite.
    pub fn track(&self, target: NodeId) -> Result<Track, NotKeys> {
        let broken = |why: String| NotKeys::Broken(self.node.clone(), why);
        let per_key = self.interpolation.values_per_key();
        let width = match self.property {
            Property::Translation | Property::Scale => 3,
            Property::Rotation => 4,
            Property::Weights => self.values.len() / self.times.len().max(1) / per_key,
        };
        if self.values.iter().any(|v| !v.is_finite()) {
            return Err(broken("a value is not a number".into()));
        }
        let track = Track {
            target,
            property: self.property,
            interpolation: self.interpolation,
            times: self.times.clone().into(),
            values: self.values.clone().into(),
            width,
            kinds: self.kinds.iter().copied().collect(),
            modes: TangentModes::default().replaced(self.tangents.iter().map(
                |(t, arrive, leave, linked)| {
                    (*t, KeyTangents { arrive: *arrive, leave: *leave, linked: *linked })
                },
            )),
        };
        track.validate().map_err(|e| broken(e.to_string()))?;
        Ok(track)
    }
}

impl CopiedKeys {
    const VERSION: u32 = 1;

    /// Creates copied keys from tracks.
    pub const fn new(tracks: Vec<CopiedTrack>) -> Self {
        Self { ulna_keys: Self::VERSION, tracks }
    }

    /// Parses copied keys from a text.
    ///
    /// # Errors
    /// The text does not contain keys, was made by a newer version, or has inconsistent numbers.
    pub fn parse(text: &str) -> Result<Self, NotKeys> {
        let found: Self = serde_json::from_str(text).map_err(|_not_ours| NotKeys::Other)?;
        if found.ulna_keys > Self::VERSION {
            return Err(NotKeys::Newer(found.ulna_keys));
        }
        if found.tracks.is_empty() {
            return Err(NotKeys::Other);
        }
        for track in &found.tracks {
            track.track(NodeId(0))?;
        }
        Ok(found)
    }

    /// Serializes the keys to JSON text.
    pub fn text(&self) -> String {
        // Finite numbers and names can always be serialized.
        serde_json::to_string(self).unwrap_or_default()
    }

    /// The time of the first key.
    pub fn start(&self) -> f32 {
        self.tracks.iter().filter_map(|t| t.times.first().copied()).reduce(f32::min).unwrap_or(0.0)
    }

    /// Number of keys.
    pub fn count(&self) -> usize {
        self.tracks.iter().map(|t| t.times.len()).sum()
    }
}

/// Options for pasting keys.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PasteAt {
    /// Time offset of the pasted keys, seconds.
    pub by: f64,
    /// Whether existing keys between the first and the last pasted key are removed.
    pub replace: bool,
    /// Whether the pasted motion is offset to start from the existing value.
    pub relative: bool,
}

/// A track with pasted keys, and information about the paste.
#[derive(Clone, Debug, PartialEq)]
pub struct Pasted {
    /// The track with the pasted keys.
    pub track: Track,
    /// Times of the pasted keys.
    pub keys: KeyTimes,
    /// Number of existing keys that were replaced.
    pub replaced: usize,
}

/// Pastes keys into a track of the same property and width, or creates a track from them.
///
/// Pasted keys get the interpolation of the existing track. Keys that are converted to CUBICSPLINE
/// get automatic tangents. Quaternions get consistent signs if a spline interpolates their numbers.
///
/// # Errors
/// Two pasted keys would have the same time.
pub fn paste(into: Option<&Track>, keys: &Track, at: &PasteAt) -> Result<Pasted, TooClose> {
    let mut new = keys.clone();
    let map = TimeMap::shift(at.by);
    let times: Vec<f32> = new.times.iter().map(|t| map.at(*t)).collect();
    if let Some(k) =
        (0..times.len()).find(|k| !times[*k].is_finite() || (*k > 0 && times[*k] <= times[k - 1]))
    {
        return Err(TooClose(keys.times[k.saturating_sub(1)], keys.times[k]));
    }
    new.kinds = keys
        .times
        .iter()
        .zip(&times)
        .filter_map(|(was, t)| Some((*t, keys.kinds.of(*was)?)))
        .collect();
    let placed =
        keys.times.iter().zip(&times).filter_map(|(was, t)| Some((*t, keys.modes.of(*was)?)));
    new.modes = keys.modes.replaced(placed);
    new.times = times.clone().into();
    let Some(old) = into else {
        let single = new.interpolation == Interpolation::CubicSpline && times.len() < 2;
        let track = if single { with_interpolation(&new, Interpolation::Linear) } else { new };
        return Ok(Pasted { track, keys: times.into(), replaced: 0 });
    };
    if at.relative {
        let mut here = vec![0.0; old.width];
        sample_into(old, f64::from(times[0]), &mut here);
        new = starting_from(&new, &here);
    }
    if new.interpolation != old.interpolation {
        new = with_interpolation(&new, old.interpolation);
        if new.interpolation != old.interpolation {
            // A single key gets flat tangents on both sides.
            let none = vec![0.0; old.width];
            new = Track {
                interpolation: old.interpolation,
                values: [&none, new.value(0), &none].concat().into(),
                ..new
            };
        }
    }
    let times = new.times.to_vec();
    let (first, last) = (times[0] - SAME_TIME, times[times.len() - 1] + SAME_TIME);
    let met = |t: f32| {
        let k = times.partition_point(|n| *n < t - SAME_TIME);
        times.get(k).is_some_and(|n| (n - t).abs() <= SAME_TIME)
    };
    let stays = |t: f32| if at.replace { t < first || t > last } else { !met(t) };
    let stride = old.stride();
    let mut made: Vec<(f32, &[f32])> =
        (0..times.len()).map(|k| (times[k], &new.values[k * stride..(k + 1) * stride])).collect();
    let kept = (0..old.times.len()).filter(|k| stays(old.times[*k]));
    made.extend(kept.clone().map(|k| (old.times[k], &old.values[k * stride..(k + 1) * stride])));
    let replaced = old.times.len() + times.len() - made.len();
    made.sort_by(|a, b| a.0.total_cmp(&b.0));
    let kinds = {
        let own = kept.clone().filter_map(|k| Some((old.times[k], old.kinds.of(old.times[k])?)));
        own.chain(new.kinds.iter()).collect()
    };
    let modes = pasted_modes(old, &new, kept);
    let mut track = Track {
        kinds,
        modes,
        times: made.iter().map(|m| m.0).collect(),
        values: made.iter().flat_map(|m| m.1.iter().copied()).collect(),
        ..old.clone()
    };
    if track.property == Property::Rotation && track.interpolation == Interpolation::CubicSpline {
        let from = track.times.partition_point(|t| *t < times[0]);
        go_together(&mut track, from);
    }
    Ok(Pasted { track: refreshed(old, track), keys: times.into(), replaced })
}

/// The tangent modes of the kept keys (`kept` are indices into the old track) and of the pasted
/// keys. If only the old track has modes, pasted keys get automatic ones.
fn pasted_modes(old: &Track, new: &Track, kept: impl Iterator<Item = usize>) -> TangentModes {
    let own = kept.filter_map(|k| Some((old.times[k], old.modes.of(old.times[k])?)));
    let named = !old.modes.is_empty() && new.modes.is_empty() && !is_hand_made(new);
    let auto = KeyTangents::both(TangentMode::Auto);
    let unnamed = new.times.iter().filter(|_| named).map(|t| (*t, auto));
    old.modes.replaced(own.chain(unnamed).chain(new.modes.iter()))
}

/// Whether the tangents of pasted keys differ from automatic ones.
fn is_hand_made(keys: &Track) -> bool {
    keys.interpolation == Interpolation::CubicSpline && !is_auto(keys)
}

/// Makes the signs of quaternions and their tangents consistent, from a key onward. The rotations
/// are unchanged.
fn go_together(track: &mut Track, from: usize) {
    let mut values = track.values.to_vec();
    for k in from.max(1)..track.times.len() {
        let (before, own) = values.split_at_mut(k * 12);
        let before = &before[(k - 1) * 12 + 4..(k - 1) * 12 + 8];
        if before.iter().zip(&own[4..8]).map(|(a, b)| a * b).sum::<f32>() < 0.0 {
            own[..12].iter_mut().for_each(|v| *v = -*v);
        }
    }
    track.values = values.into();
}

/// Offsets keys so that the first one has the value `here`. Translations and weights are offset by
/// addition, scales by multiplication. Rotations are multiplied from the left.
fn starting_from(keys: &Track, here: &[f32]) -> Track {
    let (width, stride) = (keys.width, keys.stride());
    let cubic = keys.interpolation == Interpolation::CubicSpline;
    let first = keys.value(0).to_vec();
    let mut values = keys.values.to_vec();
    let turn = (keys.property == Property::Rotation).then(|| {
        let q = |v: &[f32]| unit_or(Quat::from_slice(v), Quat::IDENTITY);
        q(here) * q(&first).conjugate()
    });
    for key in 0..keys.times.len() {
        for part in 0..stride / width {
            let own = &mut values[key * stride + part * width..][..width];
            let is_value = !cubic || part == 1;
            if let Some(turn) = turn {
                own.copy_from_slice(&(turn * Quat::from_slice(own)).to_array());
                continue;
            }
            for (i, v) in own.iter_mut().enumerate() {
                let factor = here[i] / first[i];
                match keys.property {
                    Property::Scale if factor.is_finite() => *v *= factor,
                    Property::Scale => {}
                    _ if is_value => *v += here[i] - first[i],
                    _ => {}
                }
            }
        }
    }
    Track { values: values.into(), ..keys.clone() }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{super::tests::any_track, *};

    proptest! {
        #[test]
        fn keys_are_restored_from_the_clipboard(
            track in any_track(), by in 0.0f64..3.0, replace: bool,
            relative: bool) {
            let copied =
                CopiedKeys::new(vec![CopiedTrack::of(&track, &track.times,
                    &NodePlace { name: "Arm", path: "Hips/Arm", node: NodeId(3) })]);
            let back = CopiedKeys::parse(&copied.text()).unwrap();
            prop_assert_eq!(&back, &copied);
            let keys = back.tracks[0].track(NodeId(0)).unwrap();
            prop_assert_eq!(&keys, &track);
            let made = paste(Some(&track), &keys, &PasteAt { by, replace, relative }).unwrap();
            prop_assert!(made.track.validate().is_ok());
            prop_assert!(made.keys.iter().all(|t| made.track.key_at(*t, 0.0).is_some()));
            prop_assert_eq!(made.track.times.len(), track.times.len() * 2 - made.replaced);
            // Pasting onto the same keys changes nothing.
            let same = paste(Some(&track), &keys,
                &PasteAt { by: 0.0, replace, relative: false }).unwrap();
            prop_assert_eq!(&*same.track.times, &*track.times);
        }

        #[test]
        fn pasted_keys_convert_to_the_interpolation_of_the_track(
            track in any_track(), other in any_track(),
            by in 0.0f64..3.0) {
            if track.property != other.property {
                return Ok(());
            }
            let made = paste(Some(&track), &other,
                &PasteAt { by, replace: false, relative: false }).unwrap();
            prop_assert!(made.track.validate().is_ok());
            prop_assert_eq!(made.track.interpolation, track.interpolation);
        }
    }

    #[test]
    fn text_without_keys_is_refused() {
        for text in ["", "hello", "{}", "[1]", r#"{"ulna_keys":1,"tracks":[]}"#] {
            assert_eq!(CopiedKeys::parse(text), Err(NotKeys::Other), "{text}");
        }
        assert_eq!(CopiedKeys::parse(r#"{"ulna_keys":9,"tracks":[]}"#), Err(NotKeys::Newer(9)));
        let broken = r#"{"ulna_keys":1,"tracks":[{"node":"a","path":"a","property":"rotation",
            "interpolation":"LINEAR","times":[0,0],"values":[0,0,0,1,0,0,0,1]}]}"#;
        assert!(matches!(CopiedKeys::parse(broken), Err(NotKeys::Broken(..))));
    }
}
