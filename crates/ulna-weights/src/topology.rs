//! Topology of a surface: which vertices lie at one place, and which places are neighbors.

use glam::Vec3;

use ulna_geometry::{Csr, CsrCounter};

/// No place, or no joint.
pub const NO_POINT: u32 = u32::MAX;

/// Topology of the vertices of a surface.
#[derive(Debug)]
pub(super) struct Topo {
    pub place_of: Vec<u32>,
    /// The first vertex of each place.
    pub firsts: Vec<u32>,
    pub vertices: Csr,
    pub rings: Csr,
    /// The triangles around each place: pairs of the places that follow it in them.
    fans: Csr,
    /// Rest positions of the places, mesh space.
    pub rest: Vec<Vec3>,
}

impl Topo {
    /// The topology of vertices at these places, with rest positions of the places. `corners` are
    /// triples of places, `ends` pairs of those that a line joins.
    pub(super) fn of(place_of: Vec<u32>, rest: Vec<Vec3>, corners: Vec<u32>, ends: &[u32]) -> Self {
        let vertices = Csr::grouped(place_of.iter().map(|p| *p as usize), rest.len());
        let (rings, fans) = around(corners, ends, rest.len());
        let firsts = (0..rest.len()).map(|p| vertices.row(p)[0]).collect();
        Self { place_of, firsts, vertices, rings, fans, rest }
    }

    pub(super) fn fan(&self, place: u32) -> &[[u32; 2]] {
        self.fans.row(place as usize).as_chunks().0
    }
}

/// By the places, the two that follow each in its triangles. `corners` are triples of places.
fn following(corners: &[u32], places: usize) -> Csr {
    let mut counter = CsrCounter::new(places);
    corners.iter().for_each(|c| counter.add(*c as usize, 2));
    let mut filler = counter.filler(0);
    for [a, b, c] in corners.as_chunks::<3>().0 {
        filler.push(*a as usize, [*b, *c]);
        filler.push(*b as usize, [*c, *a]);
        filler.push(*c as usize, [*a, *b]);
    }
    filler.finish()
}

/// The places around each place, each once, in rising order; and before, two by two, as triangles
/// have them. `corners` are triples of places, `ends` pairs of those that a line joins.
fn around(mut corners: Vec<u32>, ends: &[u32], places: usize) -> (Csr, Csr) {
    corners.truncate(corners.len() / 3 * 3);
    let fans = following(&corners, places);
    let joined = if ends.is_empty() {
        fans.clone()
    } else {
        // A line is a triangle that goes there and back: what names itself is left out below.
        corners.extend(ends.as_chunks::<2>().0.iter().flat_map(|[a, b]| [*a, *b, *b]));
        following(&corners, places)
    };
    let sort = |place: usize, list: &mut [u32]| {
        list.sort_unstable();
        let mut kept = 0;
        for k in 0..list.len() {
            // A triangle without area names a place twice.
            if list[k] as usize != place && (kept == 0 || list[kept - 1] != list[k]) {
                list[kept] = list[k];
                kept += 1;
            }
        }
        kept
    };
    (joined.shortened(sort), fans)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ulna_geometry::weld;

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
        assert_eq!(rings.row(0), [1, 2]);
        assert_eq!(rings.row(1), [0, 2, 3]);
        assert_eq!(fans.row(1), [2, 0, 2, 3]);
        assert_eq!(Csr::grouped(place_of.iter().map(|p| *p as usize), 4).row(2), [2, 4]);
        // A line joins its ends, and is no triangle.
        let (rings, fans) = around(place_of, &[0, 3], 4);
        assert_eq!((rings.row(0), rings.row(3)), (&[1, 2, 3][..], &[0, 1, 2][..]));
        assert_eq!(fans.row(1), [2, 0, 2, 3]);
    }
}
