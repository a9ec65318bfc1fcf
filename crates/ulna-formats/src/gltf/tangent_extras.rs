//! Tangent modes of keys in extras: the modes by key time, and a hash of the keys for which they
//! were chosen.

use serde::{Deserialize, Serialize};

use ulna_model::{KeyTangents, TangentMode, TangentModes, Track};

/// The modes of one key. `leave` is omitted if both sides have the same mode, `linked` if they are
/// linked.
#[derive(Serialize, Deserialize)]
pub(super) struct KeyModes {
    /// In seconds.
    time: f32,
    #[serde(rename = "in")]
    arrive: TangentMode,
    #[serde(rename = "out", default, skip_serializing_if = "Option::is_none")]
    leave: Option<TangentMode>,
    #[serde(default = "linked", skip_serializing_if = "is_linked")]
    linked: bool,
}

const fn linked() -> bool {
    true
}

const fn is_linked(linked: &bool) -> bool {
    *linked
}

/// The modes as a list, sorted by time.
pub(super) fn listed(modes: &TangentModes) -> Vec<KeyModes> {
    let one = |(time, m): (f32, KeyTangents)| KeyModes {
        time,
        arrive: m.arrive,
        leave: (m.leave != m.arrive).then_some(m.leave),
        linked: m.linked,
    };
    modes.iter().map(one).collect()
}

/// The modes of a list. `key_at` returns the exact time of the nearest key. Entries without a key
/// are ignored.
pub(super) fn taken(
    list: &[KeyModes],
    wraps: bool,
    key_at: impl Fn(f32) -> Option<f32>,
) -> TangentModes {
    let one = |m: &KeyModes| {
        let (arrive, leave) = (m.arrive, m.leave.unwrap_or(m.arrive));
        Some((key_at(m.time)?, KeyTangents { arrive, leave, linked: m.linked }))
    };
    TangentModes::default().replaced(list.iter().filter_map(one)).wrapping(wraps)
}

/// Hash of the keys of a track, as hexadecimal text, since JSON numbers are not exact in this
/// range. It changes if another program changes a key.
pub(super) fn hash(track: &Track) -> String {
    let counts = [track.interpolation.values_per_key() as f32, track.times.len() as f32];
    let numbers = counts.iter().chain(track.times.iter()).chain(track.values.iter());
    // Both zeros are equal.
    let bytes: Vec<u8> = numbers.flat_map(|v| (v + 0.0).to_le_bytes()).collect();
    format!("{:016x}", xxhash_rust::xxh3::xxh3_64(&bytes))
}
