//! Keys of a span of a track, replaced.

use crate::insert_key;
use ulna_model::{Interpolation, Property, Track};

/// Keys nearer to a new one than this give way to it, seconds.
const NEAR: f32 = 1e-4;

/// A track with other keys from the first time of `keys` to the last. Outside of these the motion
/// stays as it was: where a key is missing at an end, the track gets one first. `keys` rise, each a
/// time with a value; on a track with tangents they get those of a smooth curve.
pub(super) fn with_span(track: &Track, keys: &[(f32, Vec<f32>)]) -> Track {
    let (Some(first), Some(last)) = (keys.first(), keys.last()) else { return track.clone() };
    let mut base = track.clone();
    for time in [first.0, last.0] {
        let (start, end) = (base.times[0], base.times[base.times.len() - 1]);
        if time > start && time < end {
            base = insert_key(&base, time, None, true).track;
        }
    }
    let (width, stride) = (base.width, base.stride());
    let cubic = base.interpolation == Interpolation::CubicSpline;
    let below = base.times.partition_point(|t| *t < first.0 - NEAR);
    let above = base.times.partition_point(|t| *t <= last.0 + NEAR);
    // The tangents of a key at an end that the rest of the track goes on from.
    let kept = |time: f32, half: usize| {
        base.key_at(time, NEAR).filter(|_| cubic).map(|k| {
            let start = k * stride + half * 2 * width;
            base.values[start..start + width].to_vec()
        })
    };
    let (arrive, leave) = (kept(first.0, 0), kept(last.0, 1));
    let mut signed: Vec<Vec<f32>> = Vec::with_capacity(keys.len());
    let mut before: Option<Vec<f32>> = (below > 0).then(|| base.value(below - 1).to_vec());
    let is_turn = base.property == Property::Rotation;
    for (_, value) in keys {
        let mut value = value.clone();
        if is_turn
            && let Some(before) = &before
            && before.iter().zip(&value).map(|(a, b)| a * b).sum::<f32>() < 0.0
        {
            value.iter_mut().for_each(|v| *v = -*v);
        }
        before = Some(value.clone());
        signed.push(value);
    }
    let mut times = base.times[..below].to_vec();
    let mut values = base.values[..below * stride].to_vec();
    for (k, (time, _)) in keys.iter().enumerate() {
        times.push(*time);
        if cubic {
            let (a, b) = (k.saturating_sub(1), (k + 1).min(keys.len() - 1));
            let time = (keys[b].0 - keys[a].0).max(1e-6);
            let slope: Vec<f32> =
                signed[a].iter().zip(&signed[b]).map(|(a, b)| (b - a) / time).collect();
            let own = |end: bool, kept: &Option<Vec<f32>>| {
                kept.clone().filter(|_| end).unwrap_or_else(|| slope.clone())
            };
            values.extend(own(k == 0, &arrive));
            values.extend(&signed[k]);
            values.extend(own(k == keys.len() - 1, &leave));
        } else {
            values.extend(&signed[k]);
        }
    }
    times.extend(&base.times[above..]);
    let mut rest = base.values[above * stride..].to_vec();
    // What follows goes on from the sign that the new keys end with.
    let flips = is_turn
        && signed.last().is_some_and(|last| {
            rest.len() >= stride && {
                let next = &rest[stride - if cubic { 2 * width } else { width }..][..width];
                last.iter().zip(next).map(|(a, b)| a * b).sum::<f32>() < 0.0
            }
        });
    if flips {
        rest.iter_mut().for_each(|v| *v = -*v);
    }
    values.extend(rest);
    let outside = |time: f32| time < first.0 - NEAR || time > last.0 + NEAR;
    let kinds = base.kinds.iter().filter(|(t, _)| outside(*t)).collect();
    let modes = base.modes.replaced(base.modes.iter().filter(|(t, _)| outside(*t)));
    Track { times: times.into(), values: values.into(), kinds, modes, ..base }
}
