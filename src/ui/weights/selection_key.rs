//! Cache keys for data that depends on the selected vertices.

/// Number of vertices and hash of a selection. Equal selections have equal keys.
pub fn selection_key(vertices: &[u32]) -> (usize, u64) {
    let mix = |h: u64, v: &u32| (h ^ u64::from(*v)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    (vertices.len(), vertices.iter().fold(0, mix))
}
