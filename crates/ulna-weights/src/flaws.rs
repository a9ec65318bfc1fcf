//! Problems of a surface: open edges, non-manifold edges and duplicate triangles. They disturb
//! mirroring, and brushes that follow the surface.

use rayon::prelude::*;

use super::topology::Topo;
use ulna_geometry::PointId;

/// Points at problematic triangles or edges. Each list is in ascending order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WeightIssues {
    /// Points at an open edge: an edge with only one triangle, at the border of a hole or sheet.
    pub open: Vec<PointId>,
    /// Points at a non-manifold edge: an edge with three or more triangles.
    pub crowded: Vec<PointId>,
    /// Points at a triangle that occurs more than once, in any winding.
    pub doubled: Vec<PointId>,
}

/// Problems found around one point.
#[derive(Clone, Copy, Default)]
struct PointIssues {
    open: bool,
    crowded: bool,
    doubled: bool,
}

/// Checks all triangles around a point. Duplicates of a triangle count once at its edges.
fn look(
    topo: &Topo,
    point: PointId,
    sides: &mut Vec<[PointId; 2]>,
    ends: &mut Vec<PointId>,
) -> PointIssues {
    let proper = |[b, c]: &&[PointId; 2]| b != c && *b != point && *c != point;
    sides.clear();
    sides.extend(topo.fan(point).iter().filter(proper).map(|[b, c]| [*b.min(c), *b.max(c)]));
    sides.sort_unstable();
    let all = sides.len();
    sides.dedup();
    ends.clear();
    ends.extend(sides.iter().flatten());
    ends.sort_unstable();
    let mut found = PointIssues { doubled: sides.len() < all, ..PointIssues::default() };
    for run in ends.chunk_by(|a, b| a == b) {
        found.open |= run.len() == 1;
        found.crowded |= run.len() > 2;
    }
    found
}

impl WeightIssues {
    pub(super) fn of(topo: &Topo, points: usize) -> Self {
        const CHUNK: usize = 8_192;
        let chunk = |k: usize| {
            let (mut sides, mut ends, mut flaws) = (Vec::new(), Vec::new(), Self::default());
            for point in (k * CHUNK..((k + 1) * CHUNK).min(points)).map(PointId::from) {
                let found = look(topo, point, &mut sides, &mut ends);
                let lists = [
                    (found.open, &mut flaws.open),
                    (found.crowded, &mut flaws.crowded),
                    (found.doubled, &mut flaws.doubled),
                ];
                lists.into_iter().filter(|(is, _)| *is).for_each(|(_, list)| list.push(point));
            }
            flaws
        };
        let found: Vec<Self> = (0..points.div_ceil(CHUNK)).into_par_iter().map(chunk).collect();
        found.into_iter().fold(Self::default(), |mut all, more| {
            all.open.extend(more.open);
            all.crowded.extend(more.crowded);
            all.doubled.extend(more.doubled);
            all
        })
    }
}
