//! Where a surface is not closed, not a surface, or there twice: what a brush along it and a mirror
//! stumble over.

use rayon::prelude::*;

use super::topology::Topo;
use ulna_geometry::PointId;

/// Points of a canvas where its triangles do not make a closed surface. Points rise.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WeightIssues {
    /// At an edge of one triangle alone: the rim of a hole, or of a sheet.
    pub open: Vec<PointId>,
    /// At an edge of three triangles or more.
    pub crowded: Vec<PointId>,
    /// At a triangle that is there more than once, whichever way each copy winds.
    pub doubled: Vec<PointId>,
}

/// What is found around one point.
#[derive(Clone, Copy, Default)]
struct PointIssues {
    open: bool,
    crowded: bool,
    doubled: bool,
}

/// Looks at all triangles around a point. A triangle that is there twice counts once for its edges.
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
