//! Key reduction within a bound on the skin, measured at the vertices that move farthest (see
//! [`super::skin_bound`]). Each track has a tolerance. All tolerances are multiplied by one factor.
//! The largest factor that keeps the error within the bound is found by trial. The error is
//! measured at all old key times and between them.

use std::collections::BTreeMap;

use glam::{Quat, Vec3, Vec4};

use super::{key_span, length::as_long_as, skin_bound::SkinBound};
use crate::slerp;
use ulna_model::{
    Clip, Document, Interpolation, KeySet, Property, Shared, Slice, TangentModes, Track, TrackId,
};

/// A clip with fewer keys.
#[derive(Clone, Debug, PartialEq)]
pub struct Reduced {
    /// The clip after the reduction.
    pub clip: Clip,
    /// Maximum vertex error, in meters for a body 1.8 m high.
    pub error: f32,
    /// Number of keys before and after the reduction.
    pub keys: [usize; 2],
    /// Bytes of keys before and after the reduction. Shared key times count once.
    pub bytes: [usize; 2],
}

/// Interpolates between two keys, ignoring the keys in between, and writes the value to `out`.
fn between(track: &Track, (from, to): (usize, usize), time: f32, out: &mut [f32]) {
    let span = f64::from(track.times[to]) - f64::from(track.times[from]);
    let u = ((f64::from(time) - f64::from(track.times[from])) / span) as f32;
    match track.interpolation {
        Interpolation::Step => out.copy_from_slice(track.value(from)),
        Interpolation::Linear if track.property == Property::Rotation => {
            let [a, b] = [from, to].map(|k| Quat::from_slice(track.value(k)));
            out.copy_from_slice(&slerp(a, b, u).to_array());
        }
        Interpolation::Linear => {
            for ((o, a), b) in out.iter_mut().zip(track.value(from)).zip(track.value(to)) {
                *o = a + (b - a) * u;
            }
        }
        Interpolation::CubicSpline => {
            let (w, span) = (track.width, span as f32);
            let (u2, u3) = (u * u, u * u * u);
            let out_slope = &track.values[from * 3 * w + 2 * w..(from + 1) * 3 * w];
            let in_slope = &track.values[to * 3 * w..to * 3 * w + w];
            for i in 0..w {
                out[i] = (2.0 * u3 - 3.0 * u2 + 1.0) * track.value(from)[i]
                    + span * (u3 - 2.0 * u2 + u) * out_slope[i]
                    + (3.0 * u2 - 2.0 * u3) * track.value(to)[i]
                    + span * (u3 - u2) * in_slope[i];
            }
        }
    }
}

/// Distance between two values of a property. For rotations, approximately the angle in radians.
/// For translations and scales, the length of the difference. For weights, the largest difference.
pub(super) fn apart(property: Property, a: &[f32], b: &[f32]) -> f32 {
    match property {
        Property::Rotation => {
            let [a, b] = [a, b].map(|v| Vec4::from_slice(v).normalize_or(Vec4::W));
            // Twice the chord of the half angle is approximately the angle.
            2.0 * (a - b).length().min((a + b).length())
        }
        Property::Translation | Property::Scale => {
            Vec3::from_slice(a).distance(Vec3::from_slice(b))
        }
        Property::Weights => a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max),
    }
}

/// Finds the keys that are needed to keep a track within `tolerance`, and returns their indices.
/// Only keys for which `may_go` returns true may be removed.
fn needed(track: &Track, tolerance: f32, may_go: &dyn Fn(f32) -> bool) -> Vec<usize> {
    let (count, property) = (track.times.len(), track.property);
    let mut out = vec![0.0; track.width];
    let mut was = vec![0.0; track.width];
    let curved = track.interpolation == Interpolation::CubicSpline;
    let mut fits = |from: usize, to: usize| {
        if to > from + 1 && is_half_turn(track, from, to) {
            return false;
        }
        if track.times[from + 1..to].iter().any(|t| !may_go(*t)) {
            return false;
        }
        if track.interpolation == Interpolation::Step {
            return (from + 1..to)
                .all(|k| apart(property, track.value(from), track.value(k)) <= tolerance);
        }
        for k in from + 1..=to {
            if k < to {
                between(track, (from, to), track.times[k], &mut out);
                if apart(property, &out, track.value(k)) > tolerance {
                    return false;
                }
            }
            if curved {
                for part in [0.25, 0.5, 0.75] {
                    let time = track.times[k - 1] + (track.times[k] - track.times[k - 1]) * part;
                    between(track, (from, to), time, &mut out);
                    between(track, (k - 1, k), time, &mut was);
                    if apart(property, &out, &was) > tolerance {
                        return false;
                    }
                }
            }
        }
        true
    };
    let mut kept = vec![0];
    let mut from = 0;
    while from + 1 < count {
        // Exponential search for the farthest valid key, then binary search.
        let (mut good, mut step) = (from + 1, 2);
        while from + step < count && fits(from, from + step) {
            good = from + step;
            step *= 2;
        }
        let mut bad = (from + step).min(count);
        if bad == count && good < count - 1 && fits(from, count - 1) {
            good = count - 1;
        }
        while bad - good > 1 {
            let middle = (good + bad) / 2;
            if fits(from, middle) {
                good = middle;
            } else {
                bad = middle;
            }
        }
        kept.push(good);
        from = good;
    }
    kept
}

/// Whether two keys of a LINEAR rotation are about half a turn apart. Then rounding decides which
/// rotation direction is the shortest.
fn is_half_turn(track: &Track, from: usize, to: usize) -> bool {
    /// cos(179°/2), compared with the dot product of two quaternions.
    const NEAR: f32 = 0.0087;
    track.property == Property::Rotation && track.interpolation == Interpolation::Linear && {
        let [a, b] = [from, to].map(|k| Vec4::from_slice(track.value(k)).normalize_or(Vec4::W));
        a.dot(b).abs() < NEAR
    }
}

fn with_keys(track: &Track, kept: &[usize]) -> Track {
    let stride = track.stride();
    let single = kept.len() == 1 && track.interpolation == Interpolation::CubicSpline;
    let values: Slice<f32> = kept
        .iter()
        .flat_map(|k| {
            if single { track.value(*k) } else { &track.values[k * stride..(k + 1) * stride] }
        })
        .copied()
        .collect();
    let times: Slice<f32> = kept.iter().map(|k| track.times[*k]).collect();
    let kinds = track.kinds.iter().filter(|(t, _)| times.contains(t)).collect();
    let there = track.modes.iter().filter(|(t, _)| times.contains(t));
    let modes = if single { TangentModes::default() } else { track.modes.replaced(there) };
    let interpolation = if single { Interpolation::Linear } else { track.interpolation };
    Track { times, values, kinds, modes, interpolation, ..track.clone() }
}

/// Removes the keys of a track that are not needed; a constant track keeps one. `None` if that
/// saves no memory. `shared` is true if other tracks use the same list of key times.
pub(super) fn thinned(track: &Track, tolerance: f32, shared: bool) -> Option<Track> {
    thinned_where(track, tolerance, shared, &|_| true)
}

/// Removes unneeded keys like [`thinned`], but only those for which `may_go` returns true.
fn thinned_where(
    track: &Track,
    tolerance: f32,
    shared: bool,
    may_go: &dyn Fn(f32) -> bool,
) -> Option<Track> {
    let count = track.times.len();
    let mut kept = needed(track, tolerance, may_go);
    let still = |k: usize| apart(track.property, track.value(0), track.value(k)) <= tolerance * 0.5;
    // A spline may leave the value between equal keys.
    let mut out = vec![0.0; track.width];
    let flat = track.interpolation != Interpolation::CubicSpline
        || (1..count).all(|k| {
            [0.125, 0.25, 0.5, 0.75, 0.875].into_iter().all(|part| {
                let time = track.times[k - 1] + (track.times[k] - track.times[k - 1]) * part;
                between(track, (k - 1, k), time, &mut out);
                apart(track.property, &out, track.value(0)) <= tolerance * 0.5
            })
        });
    if flat && (0..count).all(still) && track.times[1..].iter().all(|t| may_go(*t)) {
        kept.truncate(1);
    }
    if kept.len() == count {
        return None;
    }
    // Shared key times need no additional memory, but new ones do.
    let stride = track.stride();
    let before = count * stride + if shared { 0 } else { count };
    (kept.len() * (stride + 1) < before).then(|| with_keys(track, &kept))
}

/// Removes the keys of a clip that are not needed within a tolerance. `angle` is the tolerance of
/// rotations in radians, and `angle / 10` is the tolerance of scale factors. `way` is the tolerance
/// of translations, in meters of the parent's space. Weights of morph targets and the clip's length
/// are unchanged.
pub fn sparse(clip: &Clip, angle: f32, way: f32) -> Clip {
    let thin = |track: &Shared<Track>| {
        let tolerance = match track.property {
            Property::Rotation => angle,
            Property::Translation => way,
            Property::Scale => angle * 0.1,
            Property::Weights => return track.clone(),
        };
        thinned(track, tolerance, false).map_or_else(|| track.clone(), Shared::new)
    };
    let tracks = clip.tracks.iter().map(|(id, track)| (*id, thin(track))).collect();
    as_long_as(clip, Clip { tracks, ..clip.clone() })
}

fn bytes_of(clip: &Clip) -> usize {
    let mut seen: Vec<&Slice<f32>> = Vec::new();
    let mut bytes = 0;
    for track in clip.tracks.values() {
        bytes += track.values.len() * 4;
        if !seen.iter().any(|s| Slice::ptr_eq(s, &track.times)) {
            bytes += track.times.len() * 4;
            seen.push(&track.times);
        }
    }
    bytes
}

/// Reduces keys so that every vertex stays within `bound` meters (for a body 1.8 m high). This
/// holds at all of the clip's key times and between them. LINEAR tracks stay LINEAR. The first and
/// the last key of moving tracks and the clip's length are kept.
pub fn reduced(document: &Document, clip: &Clip, bound: f32) -> Reduced {
    reduced_where(document, clip, bound, &|_, _| true)
}

/// Reduces keys as [`reduced`] does, but only the keys of a set.
pub fn reduced_among(document: &Document, clip: &Clip, bound: f32, keys: &KeySet) -> Reduced {
    reduced_where(document, clip, bound, &|track, time| keys.contains(track, time))
}

fn reduced_where(
    document: &Document,
    clip: &Clip,
    bound: f32,
    may_go: &dyn Fn(TrackId, f32) -> bool,
) -> Reduced {
    /// First factor of the tolerances. It is doubled until the bound is exceeded, then refined by
    /// bisection.
    const FIRST: f32 = 1.0;
    const TRIES: usize = 9;
    let keys = clip.key_count();
    let mut best =
        Reduced { clip: clip.clone(), error: 0.0, keys: [keys; 2], bytes: [bytes_of(clip); 2] };
    if key_span(clip).is_none() || bound <= 0.0 {
        return best;
    }
    let skin = SkinBound::of(document, clip, bound, true);
    let lists: Vec<&Slice<f32>> = clip.tracks.values().map(|t| &t.times).collect();
    let is_shared = |t: &Track| lists.iter().filter(|l| Slice::ptr_eq(l, &t.times)).count() > 1;
    let shared: BTreeMap<TrackId, bool> =
        clip.tracks.iter().map(|(id, t)| (*id, is_shared(t))).collect();
    let (mut low, mut high, mut part) = (0.0f32, f32::INFINITY, FIRST);
    for _ in 0..TRIES {
        let mut tracks = clip.tracks.clone();
        for (id, track) in &mut tracks {
            // Morph weights are not part of a chain: they are limited to their own tolerance.
            let own = if track.property == Property::Weights { part.min(1.0) } else { part };
            let made = thinned_where(track, skin.shares[id] * own, shared[id], &|t| may_go(*id, t));
            if let Some(made) = made {
                *track = Shared::new(made);
            }
        }
        let tried = Shared::new(as_long_as(clip, Clip { tracks, ..clip.clone() }));
        if let Some(error) = skin.error(document, &tried) {
            low = part;
            let (count, bytes) = (tried.key_count(), bytes_of(&tried));
            if count < best.keys[1] {
                best.error = error;
                (best.keys[1], best.bytes[1]) = (count, bytes);
                best.clip = (*tried).clone();
            }
        } else {
            high = part;
        }
        part = if high.is_infinite() { low * 2.0 } else { (low + high) * 0.5 };
        if part < 1e-3 {
            break;
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{super::tests::any_track, *};
    use crate::sample_into;

    proptest! {
        #[test]
        fn a_reduced_track_is_within_its_tolerance(track in any_track(),
            tolerance in 0.001f32..0.5) {
            prop_assume!(track.times.len() > 1);
            let kept = needed(&track, tolerance, &|_| true);
            prop_assert_eq!((kept[0], kept[kept.len() - 1]), (0, track.times.len() - 1));
            let made = with_keys(&track, &kept);
            prop_assert!(made.validate().is_ok());
            let (mut a, mut b) = (vec![0.0; track.width], vec![0.0; track.width]);
            for time in track.times.iter() {
                sample_into(&track, f64::from(*time), &mut a);
                sample_into(&made, f64::from(*time), &mut b);
                prop_assert!(apart(track.property, &a, &b) <= tolerance * 1.01 + 1e-5,
                    "{}: {:?} {:?}", time, a, b);
            }
        }
    }
}
