//! Tangent modes of keys: inferred, changed, and applied after a change.

use super::{
    auto::{is_auto, with_auto_tangents},
    made::remade,
    slopes::place,
};
use ulna_model::{Interpolation, KeySide, KeyTangents, TangentMode, TangentModes, Track};

const AUTO: KeyTangents = KeyTangents::both(TangentMode::Auto);

/// Returns the tangent modes of every key of a track. Without stored modes, all keys are automatic
/// if all tangents are automatic. Otherwise, all tangents are free, and a key is linked if both of
/// its tangents are equal.
pub fn modes_of(track: &Track) -> Vec<KeyTangents> {
    let named = named_modes(track);
    (0..track.times.len()).map(|key| of_key(track, &named, key)).collect()
}

/// Returns the tangent modes of one key, by the rules of [`modes_of`].
pub fn mode_at(track: &Track, key: usize) -> KeyTangents {
    of_key(track, &named_modes(track), key)
}

fn of_key(track: &Track, named: &TangentModes, key: usize) -> KeyTangents {
    named.of(track.times[key]).unwrap_or_else(|| KeyTangents {
        linked: track.interpolation == Interpolation::CubicSpline && {
            let side = |leaving| &track.values[place(track, key, leaving)];
            side(false) == side(true)
        },
        ..KeyTangents::default()
    })
}

/// Returns the stored tangent modes of a track's keys. All keys are automatic if no modes are
/// stored and all tangents are automatic.
pub(crate) fn named_modes(track: &Track) -> TangentModes {
    if !track.modes.is_empty() || !is_auto(track) {
        return track.modes.clone();
    }
    let last = track.times.len() - 1;
    // If the first and the last value are equal, automatic tangents without stored modes are smooth
    // across the seam.
    let loops = last >= 2 && track.value(0) == track.value(last);
    let wraps = track.modes.wraps() || loops;
    track.modes.replaced(track.times.iter().map(|t| (*t, AUTO))).wrapping(wraps)
}

/// Sets a tangent mode of the keys at `times` (in rising order) on one or both sides, and
/// recomputes their tangents. Tracks that are not CUBICSPLINE are unchanged. If `linked` is `None`,
/// a key keeps its linked state, and both sides of a linked key change. Other tangents stay, except
/// for those of smooth keys.
///
/// The free tangents of a linked key become one slope: that of the side, or the mean of both. In a
/// track that wraps, the first and the last key change together.
#[must_use]
pub fn with_modes(
    track: &Track,
    times: &[f32],
    side: KeySide,
    mode: TangentMode,
    linked: Option<bool>,
) -> Track {
    if track.interpolation != Interpolation::CubicSpline {
        return track.clone();
    }
    let named = named_modes(track);
    let last = track.times.len() - 1;
    let mut meant: Vec<bool> = track
        .times
        .iter()
        .map(|t| times.binary_search_by(|own| own.total_cmp(t)).is_ok())
        .collect();
    if named.wraps() {
        let seam = meant[0] || meant[last];
        (meant[0], meant[last]) = (seam, seam);
    }
    let mut values = track.values.to_vec();
    let mut changed = Vec::new();
    for key in (0..=last).filter(|k| meant[*k]) {
        let mut own = of_key(track, &named, key);
        own.linked = linked.unwrap_or(own.linked);
        if own.linked || side != KeySide::Leave {
            own.arrive = mode;
        }
        if own.linked || side != KeySide::Arrive {
            own.leave = mode;
        }
        if own.linked && mode == TangentMode::Free {
            // At the seam, the arriving tangent is at the last key, and the leaving one at the
            // first key.
            let ends = named.wraps() && (key == 0 || key == last);
            let (comes, goes) = if ends { (last, 0) } else { (key, key) };
            let slope = one_slope(track, (comes, goes), side);
            for leaving in [false, true] {
                values[place(track, key, leaving)].copy_from_slice(&slope);
            }
        }
        changed.push((track.times[key], own));
    }
    let modes = named.replaced(named.iter().chain(changed));
    let made = Track { values: values.into(), modes, ..track.clone() };
    remade(&made, &|key| meant[key])
}

/// Returns a common slope for both sides of a key.
fn one_slope(track: &Track, (comes, goes): (usize, usize), side: KeySide) -> Vec<f32> {
    let arrive = &track.values[place(track, comes, false)];
    let leave = &track.values[place(track, goes, true)];
    match side {
        KeySide::Arrive => arrive.to_vec(),
        KeySide::Leave => leave.to_vec(),
        KeySide::Both => arrive.iter().zip(leave).map(|(a, b)| a * 0.5 + b * 0.5).collect(),
    }
}

/// Makes the tangents of a CUBICSPLINE track continuous from the last key to the first if `on`,
/// otherwise separate. Other tracks are unchanged. Both ends of a continuous seam get the same
/// mode and the same slope.
#[must_use]
pub fn with_matched_seam(track: &Track, on: bool) -> Track {
    if track.interpolation != Interpolation::CubicSpline {
        return track.clone();
    }
    let named = named_modes(track);
    let last = track.times.len() - 1;
    let ends = [track.times[0], track.times[last]];
    let (first, end) = (of_key(track, &named, 0), of_key(track, &named, last));
    let made = Track { modes: named.wrapping(on), ..track.clone() };
    if !on {
        return remade(&made, &|key| key == 0 || key == last);
    }
    let mode = match (first.leave, end.arrive) {
        (TangentMode::Free, TangentMode::Linear)
        | (TangentMode::Linear, TangentMode::Free | TangentMode::Linear) => TangentMode::Auto,
        (TangentMode::Free | TangentMode::Linear, mode) | (mode, _) => mode,
    };
    with_modes(&made, &ends, KeySide::Both, mode, Some(true))
}

/// Recomputes the tangents of a changed track that have modes; free ones stay. Modes of removed
/// keys are dropped. Without modes, tangents are recomputed if all of them were automatic before.
#[must_use]
pub fn refreshed(before: &Track, after: Track) -> Track {
    if after.interpolation != Interpolation::CubicSpline {
        return after;
    }
    if after.modes.is_empty() {
        let told = before.modes.is_empty() && is_auto(before);
        return if told { with_auto_tangents(&after) } else { after };
    }
    let mut modes = after.modes_there();
    if before.modes.is_empty() && is_auto(before) {
        // Keys without modes, in a track that was merged with keys that have modes.
        let own = after.times.iter().filter(|t| modes.of(**t).is_none()).map(|t| (*t, AUTO));
        modes = modes.replaced(modes.iter().chain(own));
    }
    remade(&Track { modes, ..after }, &|_| true)
}
