//! Topology of a surface: coincident vertices, and neighboring points.

use glam::Vec3;

use ulna_geometry::{Csr, CsrCounter, PointId};

/// Topology of the vertices of a surface.
#[derive(Debug)]
pub(super) struct Topo {
    pub point_of: Vec<PointId>,
    /// The first vertex of each point.
    pub firsts: Vec<u32>,
    pub vertices: Csr,
    pub rings: Csr<PointId>,
    /// The triangles around each point, as pairs of the next two points.
    fans: Csr<PointId>,
    /// Rest positions of the points, in mesh space.
    pub rest: Vec<Vec3>,
}

impl Topo {
    /// The topology of vertices with the given points and rest positions. `corners` are triples of
    /// points, and `ends` are pairs of points joined by a line.
    pub(super) fn of(
        point_of: Vec<PointId>,
        rest: Vec<Vec3>,
        corners: Vec<PointId>,
        ends: &[PointId],
    ) -> Self {
        let vertices = Csr::grouped(point_of.iter().map(|p| p.index()), rest.len());
        let (rings, fans) = around(corners, ends, rest.len());
        let firsts = (0..rest.len()).map(|p| vertices.row(p)[0]).collect();
        Self { point_of, firsts, vertices, rings, fans, rest }
    }

    pub(super) fn fan(&self, point: PointId) -> &[[PointId; 2]] {
        self.fans.row(point.index()).as_chunks().0
    }
}

/// The pairs of next points in the triangles of each point. `corners` are triples of points.
fn following(corners: &[PointId], points: usize) -> Csr<PointId> {
    let mut counter = CsrCounter::new(points);
    corners.iter().for_each(|c| counter.add(c.index(), 2));
    let mut filler = counter.filler(PointId::FIRST);
    for [a, b, c] in corners.as_chunks::<3>().0 {
        filler.push(a.index(), [*b, *c]);
        filler.push(b.index(), [*c, *a]);
        filler.push(c.index(), [*a, *b]);
    }
    filler.finish()
}

/// The neighbors of each point, sorted and without duplicates, and the pairs of next points in its
/// triangles. `corners` are triples of points, and `ends` are pairs of points joined by a line.
fn around(
    mut corners: Vec<PointId>,
    ends: &[PointId],
    points: usize,
) -> (Csr<PointId>, Csr<PointId>) {
    corners.truncate(corners.len() / 3 * 3);
    let fans = following(&corners, points);
    let joined = if ends.is_empty() {
        fans.clone()
    } else {
        // A line is added as a degenerate triangle. A point is removed from its own neighbors
        // below.
        corners.extend(ends.as_chunks::<2>().0.iter().flat_map(|[a, b]| [*a, *b, *b]));
        following(&corners, points)
    };
    let sort = |point: usize, list: &mut [PointId]| {
        list.sort_unstable();
        let mut kept = 0;
        for k in 0..list.len() {
            // A triangle without area contains a point twice.
            if list[k].index() != point && (kept == 0 || list[kept - 1] != list[k]) {
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
    fn coincident_vertices_share_a_point_and_edges_cross_seams() {
        // Two triangles with a common edge, but no common vertex; one corner is at −0.
        let at = [
            [0.0, 0.0, 0.0],
            [1.0, 0.0, 0.0],
            [0.0, 1.0, 0.0],
            [1.0, 0.0, -0.0],
            [0.0, 1.0, 0.0],
            [1.0, 1.0, 0.0],
        ];
        let (point_of, points) = weld(&at.map(Vec3::from));
        let indices = |list: &[PointId]| list.iter().map(|p| p.index()).collect::<Vec<usize>>();
        assert_eq!(indices(&point_of), [0, 1, 2, 1, 2, 3]);
        assert_eq!(points.len(), 4);
        let (rings, fans) = around(point_of.clone(), &[], 4);
        assert_eq!(indices(rings.row(0)), [1, 2]);
        assert_eq!(indices(rings.row(1)), [0, 2, 3]);
        assert_eq!(indices(fans.row(1)), [2, 0, 2, 3]);
        assert_eq!(Csr::grouped(point_of.iter().map(|p| p.index()), 4).row(2), [2, 4]);
        // A line joins its ends, but is not a triangle.
        let ends = [PointId::from(0), PointId::from(3)];
        let (rings, fans) = around(point_of, &ends, 4);
        assert_eq!(indices(rings.row(0)), [1, 2, 3]);
        assert_eq!(indices(rings.row(3)), [0, 1, 2]);
        assert_eq!(indices(fans.row(1)), [2, 0, 2, 3]);
    }
}
