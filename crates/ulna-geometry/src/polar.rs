//! The orthogonal part of a matrix, used to convert scene rotations into the space of scaled or
//! mirrored parents.

use glam::{DMat3, DMat4};

/// The orthogonal factor of a matrix's 3×3 part in its polar decomposition, reflection included.
/// Uses Newton's iteration `O ← (O + O⁻ᵀ)/2` (Higham, *Computing the Polar Decomposition*, 1986).
/// `None` if the matrix is singular.
pub fn orthogonal_factor(matrix: &DMat4) -> Option<DMat3> {
    let mut o = DMat3::from_mat4(*matrix);
    // Scale to unit determinant, so that few iterations suffice.
    let size = o.determinant().abs().cbrt();
    if o.determinant().abs() <= 1e-30 || !size.is_finite() {
        return None;
    }
    o *= 1.0 / size;
    for _ in 0..100 {
        let next = (o + o.inverse().transpose()) * 0.5;
        let step = (next - o).to_cols_array().iter().fold(0.0f64, |a, v| a.max(v.abs()));
        o = next;
        if step < 1e-14 {
            break;
        }
    }
    o.is_finite().then_some(o)
}
