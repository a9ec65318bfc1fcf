//! Tangent modes of keys as stored in extras: modes by key time, and a hash of the keys that they
//! belong to.

use serde::{Deserialize, Serialize};

use ulna_model::{KeyTangents, TangentMode, TangentModes, Track};

/// Stored tangent modes of one key. `leave` is omitted if both sides have the same mode, and
/// `linked` is omitted if it is true.
#[derive(Serialize, Deserialize)]
pub(super) struct KeyModes {
    /// Key time, in seconds.
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

/// Converts tangent modes to a list, sorted by time.
pub(super) fn listed(modes: &TangentModes) -> Vec<KeyModes> {
    let one = |(time, m): (f32, KeyTangents)| KeyModes {
        time,
        arrive: m.arrive,
        leave: (m.leave != m.arrive).then_some(m.leave),
        linked: m.linked,
    };
    modes.iter().map(one).collect()
}

/// Converts a list to tangent modes. `key_at` returns the exact time of the nearest key. Entries
/// without a key are ignored.
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

/// Hash of the keys of a track, which changes if another program changes a key. It is hexadecimal
/// text, because JSON numbers are not exact in this range.
pub(super) fn hash(track: &Track) -> String {
    let counts = [track.interpolation.values_per_key() as f32, track.times.len() as f32];
    let numbers = counts.iter().chain(track.times.iter()).chain(track.values.iter());
    // Adding 0.0 gives both zeros the same bits.
    let bytes: Vec<u8> = numbers.flat_map(|v| (v + 0.0).to_le_bytes()).collect();
    format!("{:016x}", xxhash_rust::xxh3::xxh3_64(&bytes))
}
