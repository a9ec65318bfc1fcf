//! Check of node matrices: whether a matrix is a translation, rotation and scale.
//!
//! As in other validators, the matrix is decomposed and recomposed in single precision, and both
//! norms must be equal.

use glam::{DMat4, Mat3, Quat};

/// Maximum difference of the norms.
const NEAR: f64 = 5e-5;

/// Maximum absolute column sum of a matrix.
fn norm(columns: &[[f64; 4]; 4]) -> f64 {
    columns.iter().map(|c| c.iter().map(|v| v.abs()).sum::<f64>()).fold(0.0, f64::max)
}

/// Whether a matrix is the product of a translation, a rotation and a scale.
pub fn is_trs(m: &[f32; 16]) -> bool {
    if [m[3], m[7], m[11], m[15]] != [0.0, 0.0, 0.0, 1.0] {
        return false;
    }
    let d = m.map(f64::from);
    let determinant = DMat4::from_cols_array(&d).determinant();
    if determinant == 0.0 || !determinant.is_finite() {
        return false;
    }
    let length = |k: usize| (d[k] * d[k] + d[k + 1] * d[k + 1] + d[k + 2] * d[k + 2]).sqrt();
    let mut scale = [length(0), length(4), length(8)];
    if determinant < 0.0 {
        scale[0] = -scale[0];
    }
    let axis = |k: usize| [0, 1, 2].map(|i| (d[k * 4 + i] * (1.0 / scale[k])) as f32);
    let rotation =
        Quat::from_mat3(&Mat3::from_cols(axis(0).into(), axis(1).into(), axis(2).into()));
    let [x, y, z, w] = rotation.to_array().map(f64::from);
    let columns = [
        [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y + z * w), 2.0 * (x * z - y * w)],
        [2.0 * (x * y - z * w), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z + x * w)],
        [2.0 * (x * z + y * w), 2.0 * (y * z - x * w), 1.0 - 2.0 * (x * x + y * y)],
    ];
    let mut made = [[0.0; 4], [0.0; 4], [0.0; 4], [d[12], d[13], d[14], 1.0]];
    let mut was = [[0.0; 4], [0.0; 4], [0.0; 4], [d[12], d[13], d[14], 1.0]];
    for k in 0..3 {
        for i in 0..3 {
            made[k][i] =
                f64::from((f64::from(columns[k][i] as f32) * f64::from(scale[k] as f32)) as f32);
            was[k][i] = d[k * 4 + i];
        }
    }
    (norm(&made) - norm(&was)).abs() < NEAR
}
