//! Noise of one frequency.

use super::samples::Course;
use ulna_model::{Property, Track};

/// Returns a pseudorandom number from −1 to 1, determined by its arguments (G. L. Steele and
/// others, *Fast splittable pseudorandom number generators*, 2014).
fn number(parts: [u64; 4]) -> f64 {
    let mut state = 0u64;
    for part in parts {
        state = state.wrapping_add(part).wrapping_add(0x9e37_79b9_7f4a_7c15);
        state = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        state = (state ^ (state >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        state ^= state >> 31;
    }
    (state >> 11) as f64 / (1u64 << 52) as f64 - 1.0
}

/// Computes noise as a change over time: random values at even times, two per period, interpolated
/// by a smooth curve.
pub(super) fn course(
    track: &Track,
    keys: &[usize],
    (amount, hz, seed): (f64, f64, u64),
    loops: bool,
) -> Option<Course> {
    /// Number of samples from one random value to the next.
    const FINE: usize = 8;
    const MOST: f64 = 100_000.0;
    let time = |k: usize| f64::from(track.times[k]);
    let (first, last) = (time(*keys.first()?), time(*keys.last()?));
    let span = last - first;
    if !(hz > 0.0 && span > 0.0 && amount.is_finite()) {
        return None;
    }
    let count = (span * hz * 2.0).ceil().clamp(1.0, MOST) as usize;
    let turns = track.property == Property::Rotation;
    let amount = if turns { amount.to_radians() } else { amount };
    let own = (u64::from(track.target.0) << 8) + track.property as u64;
    let row = |component: usize| {
        let at = |k: usize| {
            let place = if loops { k % count } else { k };
            number([seed, own, component as u64, place as u64]) * amount
        };
        let samples = if loops { count * FINE } else { count * FINE + 1 };
        (0..samples)
            .map(|sample| {
                let (k, part) = (sample / FINE, (sample % FINE) as f64 / FINE as f64);
                let smooth = part * part * (3.0 - 2.0 * part);
                at(k) + (at(k + 1) - at(k)) * smooth
            })
            .collect()
    };
    let rows: Vec<Vec<f64>> = (0..if turns { 3 } else { track.width }).map(row).collect();
    let step = span / (count * FINE) as f64;
    let times = (0..rows.first()?.len()).map(|k| first + step * k as f64).collect();
    Some(Course::new(times, rows, loops.then_some(span)))
}
