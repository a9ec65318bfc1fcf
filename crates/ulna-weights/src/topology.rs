//! Topology of a surface: coincident vertices, and neighboring points.

use glam::Vec3;

use ulna_geometry::{Csr, CsrCounter, PointId};

/// Topology of a surface: points with their vertices, neighbors and triangles.
#[derive(Debug)]
pub(super) struct Topo {
    pub point_of: Vec<PointId>,
    /// First vertex of each point.
    pub firsts: Vec<u32>,
    pub vertices: Csr,
    pub rings: Csr<PointId>,
    /// Triangles around each point, each as the pair of its other two points.
    fans: Csr<PointId>,
    /// Rest positions of the points, in mesh space.
    pub rest: Vec<Vec3>,
}

impl Topo {
    /// Builds the topology of vertices with given points and rest positions. `corners` are triples
    /// of points, one per triangle. `ends` are pairs of points, one per line.
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

/// Returns, for each point, the pairs of other points in its triangles, in winding order. `corners`
/// are triples of points.
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

/// Returns the neighbors of each point, sorted and without duplicates, and the pairs of other
/// points in its triangles. `corners` are triples of points, one per triangle. `ends` are pairs of
/// points, one per line.
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
        // A line is added as a degenerate triangle. A point that thereby becomes its own neighbor
        // is removed below.
        corners.extend(ends.as_chunks::<2>().0.iter().flat_map(|[a, b]| [*a, *b, *b]));
        following(&corners, points)
    };
    let sort = |point: usize, list: &mut [PointId]| {
        list.sort_unstable();
        let mut kept = 0;
        for k in 0..list.len() {
            // A triangle without area can contain a point twice.
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
        // Two triangles that share an edge by position, but no vertex. One corner is at −0.
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
        // A line connects its ends, but is not a triangle.
        let ends = [PointId::from(0), PointId::from(3)];
        let (rings, fans) = around(point_of, &ends, 4);
        assert_eq!(indices(rings.row(0)), [1, 2, 3]);
        assert_eq!(indices(rings.row(3)), [0, 1, 2]);
        assert_eq!(indices(fans.row(1)), [2, 0, 2, 3]);
    }
}
