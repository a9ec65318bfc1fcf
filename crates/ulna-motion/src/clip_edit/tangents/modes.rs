//! Tangent modes of keys: named, told, changed, and kept true after a change.

use super::{
    auto::{is_auto, with_auto_tangents},
    made::remade,
    slopes::place,
};
use ulna_model::{Interpolation, KeySide, KeyTangents, TangentMode, TangentModes, Track};

const AUTO: KeyTangents = KeyTangents::both(TangentMode::Auto);

/// The tangent modes of every key of a track: as they are named; all automatic where none is named
/// and the numbers say so; else free, and linked where both tangents are the same.
pub fn modes_of(track: &Track) -> Vec<KeyTangents> {
    let named = named_modes(track);
    (0..track.times.len()).map(|key| of_key(track, &named, key)).collect()
}

/// The tangent modes of one key, as [`modes_of`] tells them.
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

/// The tangent modes of a track's keys; automatic for all of them where none is named and all
/// tangents are automatic.
pub(crate) fn named_modes(track: &Track) -> TangentModes {
    if !track.modes.is_empty() || !is_auto(track) {
        return track.modes.clone();
    }
    let last = track.times.len() - 1;
    // Automatic tangents that nothing names run through such a seam.
    let loops = last >= 2 && track.value(0) == track.value(last);
    let wraps = track.modes.wraps() || loops;
    track.modes.replaced(track.times.iter().map(|t| (*t, AUTO))).wrapping(wraps)
}

/// A CUBICSPLINE track with the keys at `times`, in rising order, of another tangent mode on a side
/// or on both, and their tangents made so; other tracks are as they were. Without `linked` a key
/// stays linked or not, and both sides of a linked one change. The other tangents stay, but for
/// those of smooth keys.
///
/// Free tangents of a key that is linked become one slope: that of the side, or the mean of both.
/// In a track that wraps the first key and the last one change together.
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
            // In a seam what comes in is at the last key, what goes out at the first.
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

/// One slope of both sides of a key.
fn one_slope(track: &Track, (comes, goes): (usize, usize), side: KeySide) -> Vec<f32> {
    let arrive = &track.values[place(track, comes, false)];
    let leave = &track.values[place(track, goes, true)];
    match side {
        KeySide::Arrive => arrive.to_vec(),
        KeySide::Leave => leave.to_vec(),
        KeySide::Both => arrive.iter().zip(leave).map(|(a, b)| a * 0.5 + b * 0.5).collect(),
    }
}

/// A CUBICSPLINE track whose tangents go on from the last key to the first, or not; other tracks
/// are as they were. Both ends get one mode, and one slope.
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

/// The changed track with the tangents of keys that have modes made again, free ones as they are.
/// Modes of keys that are gone go. Where no key is named, tangents are made again that were all
/// automatic before.
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
        // Keys of it that came together with ones that are named.
        let own = after.times.iter().filter(|t| modes.of(**t).is_none()).map(|t| (*t, AUTO));
        modes = modes.replaced(modes.iter().chain(own));
    }
    remade(&Track { modes, ..after }, &|_| true)
}
