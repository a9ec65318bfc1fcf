//! Topology of a surface: which vertices lie at one place, and which places are neighbors.

use glam::Vec3;
use rayon::prelude::*;

/// No place, or no joint.
pub const NO_POINT: u32 = u32::MAX;

/// Lists by number, side by side in one array.
#[derive(Clone, Debug, Default)]
pub(super) struct PackedLists {
    starts: Vec<u32>,
    items: Vec<u32>,
}

impl PackedLists {
    #[inline]
    pub(super) fn of(&self, k: u32) -> &[u32] {
        &self.items[self.starts[k as usize] as usize..self.starts[k as usize + 1] as usize]
    }
}

/// Topology of the vertices of a surface.
#[derive(Debug)]
pub(super) struct Topo {
    pub place_of: Vec<u32>,
    /// The first vertex of each place.
    pub firsts: Vec<u32>,
    pub vertices: PackedLists,
    pub rings: PackedLists,
    /// The triangles around each place: pairs of the places that follow it in them.
    fans: PackedLists,
    /// Rest positions of the places, mesh space.
    pub rest: Vec<Vec3>,
}

impl Topo {
    /// The topology of vertices at these places, with rest positions of the places. `corners` are
    /// triples of places, `ends` pairs of those that a line joins.
    pub(super) fn of(place_of: Vec<u32>, rest: Vec<Vec3>, corners: Vec<u32>, ends: &[u32]) -> Self {
        let vertices = group(&place_of, rest.len());
        let (rings, fans) = around(corners, ends, rest.len());
        let firsts = (0..rest.len() as u32).map(|p| vertices.of(p)[0]).collect();
        Self { place_of, firsts, vertices, rings, fans, rest }
    }

    pub(super) fn fan(&self, place: u32) -> &[[u32; 2]] {
        self.fans.of(place).as_chunks().0
    }
}

/// Vertices at the very same spot are one place; the number of each vertex's place, and where the
/// places are.
pub(super) fn weld(positions: &[Vec3]) -> (Vec<u32>, Vec<Vec3>) {
    // An open table: the standard one spends most of its time on hashing against strangers' keys,
    // and a collision here costs a comparison, no more than that: the table is at most half full.
    let size = (positions.len() * 2).next_power_of_two().max(16);
    let mut table = vec![NO_POINT; size];
    let mut place_of = Vec::with_capacity(positions.len());
    let mut places: Vec<Vec3> = Vec::new();
    for p in positions {
        // 0 and −0 are one spot.
        let bits = (*p + Vec3::ZERO).to_array().map(f32::to_bits);
        let mixed = bits.iter().fold(0u64, |h, b| {
            (h.rotate_left(21) ^ u64::from(*b)).wrapping_mul(0x9E37_79B9_7F4A_7C15)
        });
        let mut at = (mixed >> 24) as usize & (size - 1);
        let place = loop {
            let found = table[at];
            if found == NO_POINT {
                table[at] = places.len() as u32;
                places.push(*p);
                break table[at];
            }
            let q = (places[found as usize] + Vec3::ZERO).to_array().map(f32::to_bits);
            if q == bits {
                break found;
            }
            at = (at + 1) & (size - 1);
        };
        place_of.push(place);
    }
    (place_of, places)
}

/// The items of each group, in order.
pub(super) fn group(group_of: &[u32], groups: usize) -> PackedLists {
    let mut starts = vec![0u32; groups + 1];
    for g in group_of {
        starts[*g as usize + 1] += 1;
    }
    for k in 0..groups {
        starts[k + 1] += starts[k];
    }
    let mut next = starts.clone();
    let mut items = vec![0u32; group_of.len()];
    for (item, g) in group_of.iter().enumerate() {
        items[next[*g as usize] as usize] = item as u32;
        next[*g as usize] += 1;
    }
    PackedLists { starts, items }
}

/// By the places, the two that follow each in its triangles. `corners` are triples of places.
fn following(corners: &[u32], places: usize) -> PackedLists {
    let mut starts = vec![0u32; places + 1];
    for c in corners {
        starts[*c as usize + 1] += 2;
    }
    for k in 0..places {
        starts[k + 1] += starts[k];
    }
    let mut next = starts.clone();
    let mut items = vec![0u32; corners.len() * 2];
    for t in corners.as_chunks::<3>().0 {
        for k in 0..3 {
            let slot = &mut next[t[k] as usize];
            items[*slot as usize] = t[(k + 1) % 3];
            items[*slot as usize + 1] = t[(k + 2) % 3];
            *slot += 2;
        }
    }
    PackedLists { starts, items }
}

/// The places around each place, each once, in rising order; and before, two by two, as triangles
/// have them. `corners` are triples of places, `ends` pairs of those that a line joins.
fn around(mut corners: Vec<u32>, ends: &[u32], places: usize) -> (PackedLists, PackedLists) {
    corners.truncate(corners.len() / 3 * 3);
    let fans = following(&corners, places);
    let PackedLists { starts, mut items } = if ends.is_empty() {
        fans.clone()
    } else {
        // A line is a triangle that goes there and back: what names itself is left out below.
        corners.extend(ends.as_chunks::<2>().0.iter().flat_map(|[a, b]| [*a, *b, *b]));
        following(&corners, places)
    };
    // Every list for itself, then closed up.
    let mut lists: Vec<&mut [u32]> = Vec::with_capacity(places);
    let mut rest = items.as_mut_slice();
    for k in 0..places {
        let (list, more) = rest.split_at_mut((starts[k + 1] - starts[k]) as usize);
        lists.push(list);
        rest = more;
    }
    let sort = |(place, list): (usize, &mut &mut [u32])| {
        list.sort_unstable();
        let mut kept = 0;
        for k in 0..list.len() {
            // A triangle without area names a place twice.
            if list[k] as usize != place && (kept == 0 || list[kept - 1] != list[k]) {
                list[kept] = list[k];
                kept += 1;
            }
        }
        kept as u32
    };
    let lengths: Vec<u32> = lists.par_iter_mut().enumerate().with_min_len(4096).map(sort).collect();
    let mut closed = Vec::with_capacity(lengths.iter().map(|l| *l as usize).sum());
    let mut ends = Vec::with_capacity(places + 1);
    ends.push(0);
    for (list, length) in lists.iter().zip(&lengths) {
        closed.extend_from_slice(&list[..*length as usize]);
        ends.push(closed.len() as u32);
    }
    (PackedLists { starts: ends, items: closed }, fans)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_of_a_vertex_are_one_place_and_edges_cross_seams() {
        // Two triangles that share an edge, but no vertex; one corner is at −0.
        let at = [
            [0.0, 0.0, 0.0],
            [1.0, 0.0, 0.0],
            [0.0, 1.0, 0.0],
            [1.0, 0.0, -0.0],
            [0.0, 1.0, 0.0],
            [1.0, 1.0, 0.0],
        ];
        let (place_of, places) = weld(&at.map(Vec3::from));
        assert_eq!(place_of, [0, 1, 2, 1, 2, 3]);
        assert_eq!(places.len(), 4);
        let (rings, fans) = around(place_of.clone(), &[], 4);
        assert_eq!(rings.of(0), [1, 2]);
        assert_eq!(rings.of(1), [0, 2, 3]);
        assert_eq!(fans.of(1), [2, 0, 2, 3]);
        assert_eq!(group(&place_of, 4).of(2), [2, 4]);
        // A line joins its ends, and is no triangle.
        let (rings, fans) = around(place_of, &[0, 3], 4);
        assert_eq!((rings.of(0), rings.of(3)), (&[1, 2, 3][..], &[0, 1, 2][..]));
        assert_eq!(fans.of(1), [2, 0, 2, 3]);
    }
}
