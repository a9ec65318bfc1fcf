//! Welding: vertices at the same position become one point.

use glam::Vec3;

use super::PointId;

/// Welds vertices that have exactly the same position. Returns the point of each vertex, and the
/// position of each point. Points are in the order of their first vertices.
pub fn weld(positions: &[Vec3]) -> (Vec<PointId>, Vec<Vec3>) {
    // This open-addressing table has no protection against hostile keys. In the standard table,
    // that protection would take most of the time. A collision costs one comparison,
    // because the table is at most half full.
    let size = (positions.len() * 2).next_power_of_two().max(16);
    let mut table: Vec<Option<PointId>> = vec![None; size];
    let mut point_of = Vec::with_capacity(positions.len());
    let mut points: Vec<Vec3> = Vec::new();
    for p in positions {
        let bits = bits_of(*p);
        let mixed = bits.iter().fold(0u64, |h, b| {
            (h.rotate_left(21) ^ u64::from(*b)).wrapping_mul(0x9E37_79B9_7F4A_7C15)
        });
        let mut at = (mixed >> 24) as usize & (size - 1);
        let point = loop {
            let Some(found) = table[at] else {
                let point = PointId::from(points.len());
                table[at] = Some(point);
                points.push(*p);
                break point;
            };
            if bits_of(points[found.index()]) == bits {
                break found;
            }
            at = (at + 1) & (size - 1);
        };
        point_of.push(point);
    }
    (point_of, points)
}

/// The bits of a position, with −0 replaced by 0.
fn bits_of(p: Vec3) -> [u32; 3] {
    (p + Vec3::ZERO).to_array().map(f32::to_bits)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn vertices_share_a_point_if_their_positions_are_equal(
            positions in prop::collection::vec(prop::array::uniform3(
                prop::sample::select(vec![0.0f32, -0.0, 1.0, 1.0 + f32::EPSILON, 2.0])), 0..80),
        ) {
            let positions: Vec<Vec3> = positions.into_iter().map(Vec3::from).collect();
            let (point_of, points) = weld(&positions);
            for (a, p) in point_of.iter().zip(&positions) {
                prop_assert_eq!(points[a.index()], *p);
                for (b, q) in point_of.iter().zip(&positions) {
                    prop_assert_eq!(a == b, p == q);
                }
            }
        }
    }
}
