//! A key for caches of what belongs to the selected vertices.

/// Hash of a selection of vertices, for comparing selections.
pub fn selection_key(vertices: &[u32]) -> (usize, u64) {
    let mix = |h: u64, v: &u32| (h ^ u64::from(*v)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    (vertices.len(), vertices.iter().fold(0, mix))
}
