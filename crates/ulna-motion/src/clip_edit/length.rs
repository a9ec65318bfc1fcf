//! The length of a clip, which is the time of its last key: glTF stores no other length. Edits that
//! remove keys keep a key at this time.

use super::key_span;
use ulna_model::{Clip, Interpolation, Shared, Track};

/// Restores the length of a clip whose keys were removed. If only constant tracks had a key at the
/// end, one of them keeps it.
pub(super) fn as_long_as(before: &Clip, mut made: Clip) -> Clip {
    let end = |t: &Track| t.times.last().copied().unwrap_or(0.0);
    let Some((_, last)) = key_span(before) else { return made };
    if key_span(&made).is_some_and(|(_, now)| now >= last) {
        return made;
    }
    // The narrowest track needs the least memory.
    let held =
        before.tracks.iter().filter(|(id, t)| end(t) >= last && made.tracks.contains_key(id));
    if let Some((id, old)) = held.min_by_key(|(_, t)| t.width).map(|(id, t)| (*id, t.clone())) {
        let now = made.tracks[&id].clone();
        made.tracks.insert(id, Shared::new(reaching(&now, &old)));
    }
    made
}

/// Appends the last key of the track `old`.
fn reaching(now: &Track, old: &Track) -> Track {
    let last = old.times.len() - 1;
    let (time, value) = (old.times[last], old.value(last));
    if now.interpolation == Interpolation::CubicSpline {
        return crate::insert_key(now, time, Some(value), true).track;
    }
    let times = now.times.iter().copied().chain([time]).collect();
    let values = now.values.iter().chain(value).copied().collect();
    let kinds = now.kinds.iter().chain(old.kinds.of(time).map(|kind| (time, kind))).collect();
    Track { times, values, kinds, ..now.clone() }
}

/// Text about a change of a clip's length; `None` if it is unchanged.
pub fn length_in_words(before: &Clip, after: &Clip) -> Option<String> {
    let (was, is) = (before.length(), after.length());
    ((was - is).abs() > super::SAME_TIME)
        .then(|| format!("the clip is now {is:.3} s long, not {was:.3} s"))
}
