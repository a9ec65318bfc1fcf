//! SLERP of eight quaternions at once, without sines. Playback spends most of its time here.

/// Number of lanes of a block. They fit one vector of AVX2, or two of SSE2 or NEON.
pub(super) const LANES: usize = 8;
/// One number per lane of a block.
pub(super) type F32x8 = [f32; LANES];

/// Maximum number of series terms of a SLERP. They are sufficient for quaternions that are a
/// quarter turn apart on the quaternion sphere.
const TERMS: usize = 24;

/// Coefficients of the SLERP series: `1 / (k(2k+1))` and `k² / (k(2k+1))`.
const SERIES: [(f32, f32); TERMS] = {
    let mut list = [(0.0, 0.0); TERMS];
    let mut k = 1;
    while k < TERMS {
        let i = k as f32;
        list[k] = (1.0 / (i * (2.0 * i + 1.0)), i / (2.0 * i + 1.0));
        k += 1;
    }
    list
};

/// Ratios of consecutive terms of the series `(k!)² 2^k / (2k + 1)!`.
const LOG_SERIES: [f32; TERMS] = {
    let mut list = [0.0; TERMS];
    let mut k = 1;
    while k < TERMS {
        list[k] = k as f32 / (2 * k + 1) as f32;
        k += 1;
    }
    list
};

/// Largest `1 − |cos θ|` for which a number of terms is sufficient, for each number from 1 on. Term
/// k is at most `((1 − |cos θ|) / 2)^k` of the first term, and an `f32` has 24 bits. From two terms
/// on, the limit is therefore `2 · 2^(−25 / (k − 1))`.
const ENOUGH: [f32; TERMS] = {
    let mut list = [5e-8; TERMS];
    let mut k = 2;
    while k < TERMS {
        let (mut low, mut high) = (0.0, 1.0);
        let mut step = 0;
        while step < 40 {
            let middle = 0.5 * (low + high);
            let (mut power, mut factor) = (1.0, 1);
            while factor < k {
                power *= middle;
                factor += 1;
            }
            if power * (1u32 << 25) as f64 > 1.0 {
                high = middle;
            } else {
                low = middle;
            }
            step += 1;
        }
        list[k - 1] = (2.0 * low) as f32;
        k += 1;
    }
    list[TERMS - 1] = f32::INFINITY;
    list
};

/// Returns the number of series terms for an angle θ. `widest` is `1 − |cos θ|`.
#[inline(always)]
fn terms(widest: f32) -> usize {
    // Most neighboring keys have similar rotations, so a search from the smallest number is short.
    ENOUGH.iter().position(|enough| widest <= *enough).map_or(TERMS, |k| k + 1)
}

/// Returns the numbers of one lane. This is a loop, because the closure of `map` may be compiled
/// without inlining. That would double the time of a pose in builds with several codegen units.
#[inline(always)]
pub(super) fn lane_of<const W: usize>(values: &[F32x8; W], lane: usize) -> [f32; W] {
    let mut made = [0.0; W];
    for k in 0..W {
        made[k] = values[k][lane];
    }
    made
}

/// Returns the largest lane by pairwise comparison, since a sequential search would have eight
/// dependent steps. No lane may be NaN.
#[inline(always)]
fn largest(of: &F32x8) -> f32 {
    let larger = |a: f32, b: f32| if a > b { a } else { b };
    let mut four = [0.0; 4];
    for k in 0..4 {
        four[k] = larger(of[k], of[k + 4]);
    }
    larger(larger(four[0], four[2]), larger(four[1], four[3]))
}

/// Interpolation in a segment between two keys, which has `P` points of `W` numbers.
pub(super) trait Blend<const W: usize, const P: usize> {
    /// Interpolates each lane at the fraction `part` of the segment.
    fn blend(part: &F32x8, points: &[[F32x8; W]; P]) -> [F32x8; W];
}

/// SLERP of rotations.
pub(super) struct Slerp;
/// NLERP of rotations along the shortest path.
pub(super) struct Nlerp;
/// Linear interpolation.
pub(super) struct Lerp;
/// Cubic Hermite spline (glTF 2.0, appendix C.5) from value, out-tangent, next value and next
/// in-tangent. Tangents are multiplied by the length of the segment. Rotations are normalized.
pub(super) struct Hermite;

impl Blend<4, 2> for Slerp {
    #[inline(always)]
    fn blend(part: &F32x8, points: &[[F32x8; 4]; 2]) -> [F32x8; 4] {
        turn(part, points)
    }
}

impl Blend<4, 2> for Nlerp {
    #[inline(always)]
    fn blend(part: &F32x8, points: &[[F32x8; 4]; 2]) -> [F32x8; 4] {
        let [a, b] = points;
        let mut out = [[0.0; LANES]; 4];
        for i in 0..LANES {
            let dot = a[0][i] * b[0][i] + a[1][i] * b[1][i] + a[2][i] * b[2][i] + a[3][i] * b[3][i];
            let side = if dot < 0.0 { -1.0 } else { 1.0 };
            for k in 0..4 {
                out[k][i] = a[k][i] + (b[k][i] * side - a[k][i]) * part[i];
            }
        }
        unit(&out)
    }
}

impl<const W: usize> Blend<W, 2> for Lerp {
    #[inline(always)]
    fn blend(part: &F32x8, points: &[[F32x8; W]; 2]) -> [F32x8; W] {
        let [a, b] = points;
        let mut out = [[0.0; LANES]; W];
        for k in 0..W {
            for i in 0..LANES {
                out[k][i] = a[k][i] + (b[k][i] - a[k][i]) * part[i];
            }
        }
        out
    }
}

impl Blend<3, 4> for Hermite {
    #[inline(always)]
    fn blend(part: &F32x8, points: &[[F32x8; 3]; 4]) -> [F32x8; 3] {
        hermite(part, points)
    }
}

impl Blend<4, 4> for Hermite {
    #[inline(always)]
    fn blend(part: &F32x8, points: &[[F32x8; 4]; 4]) -> [F32x8; 4] {
        unit(&hermite(part, points))
    }
}

/// SLERP from `points[0]` to `points[1]` by `part`, along the shortest path, normalized. The result
/// is the identity if it has no direction.
///
/// `sin(tθ)/sin θ` is computed as a power series in `cos θ − 1`: Eberly, *A Fast and Accurate
/// Algorithm for Computing SLERP* (2011), equation 9. It is nested as `t(1 + c₁x(1 + c₂x(…)))` with
/// `c_k = (t² − k²)/(k(2k+1))`. The number of terms depends on the largest angle of the block.
#[inline(always)]
fn turn(part: &F32x8, points: &[[F32x8; 4]; 2]) -> [F32x8; 4] {
    let [a, b] = points;
    let (mut x, mut side, mut wide) = ([0.0; LANES], [0.0; LANES], [0.0; LANES]);
    for i in 0..LANES {
        let dot = a[0][i] * b[0][i] + a[1][i] * b[1][i] + a[2][i] * b[2][i] + a[3][i] * b[3][i];
        side[i] = if dot < 0.0 { -1.0 } else { 1.0 };
        x[i] = dot.abs().min(1.0) - 1.0;
        wide[i] = -x[i];
    }
    let widest = largest(&wide);
    let (mut there, mut back) = ([1.0; LANES], [1.0; LANES]);
    let (mut t2, mut s2) = ([0.0; LANES], [0.0; LANES]);
    for i in 0..LANES {
        let s = 1.0 - part[i];
        (t2[i], s2[i]) = (part[i] * part[i], s * s);
    }
    for (u, v) in SERIES[1..terms(widest)].iter().rev() {
        for i in 0..LANES {
            back[i] = 1.0 + (s2[i] * u - v) * x[i] * back[i];
            there[i] = 1.0 + (t2[i] * u - v) * x[i] * there[i];
        }
    }
    let mut mixed = [[0.0; LANES]; 4];
    for i in 0..LANES {
        let (from, to) = (back[i] * (1.0 - part[i]), there[i] * part[i] * side[i]);
        for k in 0..4 {
            mixed[k][i] = a[k][i] * from + b[k][i] * to;
        }
    }
    unit(&mixed)
}

/// Returns the number of terms of [`log_factor`]. `widest` has `1 − cos ½θ` of each lane.
#[inline(always)]
pub(super) fn log_terms(widest: &F32x8) -> usize {
    terms(largest(widest))
}

/// Computes `θ / sin θ` from `cos ½θ`, accurate up to about 170°. The factor is for the logarithm
/// of a unit quaternion relative to another one. It is multiplied by the component of the first
/// quaternion that is orthogonal to the other one.
///
/// In terms of the half angle, the power series in `1 − cos` is short: each term is less than half
/// of the previous one.
#[inline(always)]
pub(super) fn log_factor(half: &F32x8, terms: usize) -> F32x8 {
    let mut out = [1.0; LANES];
    for ratio in LOG_SERIES[1..terms].iter().rev() {
        for i in 0..LANES {
            out[i] = 1.0 + ratio * (1.0 - half[i]) * out[i];
        }
    }
    for i in 0..LANES {
        out[i] /= half[i];
    }
    out
}

/// Normalizes quaternions. A quaternion of length 0 becomes the identity.
#[inline(always)]
pub(super) fn unit(q: &[F32x8; 4]) -> [F32x8; 4] {
    let mut out = [[0.0; LANES]; 4];
    for i in 0..LANES {
        let square = q[0][i] * q[0][i] + q[1][i] * q[1][i] + q[2][i] * q[2][i] + q[3][i] * q[3][i];
        let some = square > 1e-24;
        let scale = if some { 1.0 / square.sqrt() } else { 0.0 };
        for k in 0..3 {
            out[k][i] = q[k][i] * scale;
        }
        out[3][i] = if some { q[3][i] * scale } else { 1.0 };
    }
    out
}

/// Implements [`Hermite`].
#[inline(always)]
fn hermite<const W: usize>(part: &F32x8, points: &[[F32x8; W]; 4]) -> [F32x8; W] {
    let [value, slope, next, next_slope] = points;
    let mut out = [[0.0; LANES]; W];
    for i in 0..LANES {
        let u = part[i];
        let (u2, u3) = (u * u, u * u * u);
        let (b, d) = (u3 - 2.0 * u2 + u, u3 - u2);
        let (a, c) = (2.0 * u3 - 3.0 * u2 + 1.0, 3.0 * u2 - 2.0 * u3);
        for k in 0..W {
            out[k][i] = a * value[k][i] + b * slope[k][i] + c * next[k][i] + d * next_slope[k][i];
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use glam::{Quat, Vec3, Vec4};

    use super::*;
    use crate::slerp;

    #[test]
    fn vectorized_interpolation_equals_slerp_at_every_angle_and_sign() {
        let mut worst = 0.0f32;
        for step in 0..=60 {
            // Angles go up to a half turn, which the shortest path never exceeds.
            let angle = step as f32 / 60.0 * std::f32::consts::PI * 0.999;
            let a = Quat::from_euler(glam::EulerRot::XYZ, 0.3, -1.2, 0.7 + angle);
            let axis = Vec3::new(0.3, -0.5, 0.8).normalize_or_zero();
            for sign in [1.0, -1.0] {
                let b = Quat::from_vec4(Vec4::from(a * Quat::from_axis_angle(axis, angle)) * sign);
                for part in [0.0, 0.01, 0.25, 0.5, 0.77, 0.999] {
                    let out =
                        turn(&[part; LANES], &[a, b].map(|q| q.to_array().map(|v| [v; LANES])));
                    let wanted = Vec4::from(slerp(a, b, part));
                    for lane in 0..LANES {
                        let found = Vec4::from(out.map(|v| v[lane]));
                        worst = worst.max((found - wanted).length().min((found + wanted).length()));
                    }
                }
            }
        }
        assert!(worst < 1e-6, "{worst}");
    }

    #[test]
    fn wider_angles_use_more_series_terms() {
        assert!(ENOUGH.windows(2).all(|w| w[0] <= w[1]), "{ENOUGH:?}");
        assert_eq!((terms(0.0), terms(1.0)), (1, TERMS));
        for (k, widest) in ENOUGH.iter().enumerate().skip(1).take(TERMS - 2) {
            assert!((widest * 0.5).powi(k as i32) <= 1.01 / (1u32 << 25) as f32, "{k}: {widest}");
        }
    }
}
