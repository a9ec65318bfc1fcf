//! Selection of vertices by problems, by a joint's weight, or by topology.

use std::collections::BTreeSet;

use super::{
    MirrorMap, STRAY, SkinnedSurface, fault_in,
    ids::{numbers, to_number},
    loops::{edge_loops, edge_rings, grown_along},
    strays,
};
use ulna_geometry::PointId;
use ulna_model::{Document, MeshId};
use ulna_motion::MirrorPairs;

/// Criterion for selecting vertices.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Pick {
    /// All vertices.
    All,
    /// Vertices with invalid weights, or more influences than wanted.
    Faulty {
        /// Maximum wanted number of influences.
        most: usize,
    },
    /// Outliers: vertices whose weights differ from those of all neighbors.
    Stray,
    /// Vertices at an open edge.
    Open,
    /// Vertices at a non-manifold edge.
    Crowded,
    /// Vertices at a duplicate triangle.
    Doubled,
    /// Vertices without a mirror partner.
    Unpaired,
    /// Vertices of a mesh.
    Mesh(MeshId),
    /// Vertices whose weight for one joint is in a range.
    Of {
        /// Index of the joint in the skin.
        joint: u16,
        /// Minimum weight, `0..=1`. Vertices with weight 0 are never included.
        from: f32,
        /// Maximum weight, `0..=1`.
        to: f32,
    },
}

/// Operation that changes a selection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reshape {
    /// Adds the neighbors of the selected vertices.
    Grow,
    /// Removes the vertices at the border of the selection.
    Shrink,
    /// Adds all vertices that are connected to selected ones.
    Linked,
    /// Inverts the selection.
    Invert,
    /// Adds the edge loops through the selection.
    Loop,
    /// Adds the edge rings through the selection.
    Ring,
    /// Adds the next points on the edge loops through the selection.
    GrowLoop,
    /// Replaces the selection by its mirror image.
    Mirror,
}

/// Returns all vertices of some points, in ascending order.
fn at_points(canvas: &SkinnedSurface, points: &BTreeSet<PointId>) -> Vec<u32> {
    let mut all: Vec<u32> =
        points.iter().flat_map(|p| canvas.vertices_at(*p).iter().copied()).collect();
    all.sort_unstable();
    all
}

/// Returns the vertices that match a criterion, in ascending order.
pub fn pick(document: &Document, canvas: &SkinnedSurface, what: &Pick) -> Vec<u32> {
    let (count, maps) = (to_number(canvas.vertex_count()), canvas.maps(document));
    let points = |list: &[PointId]| at_points(canvas, &list.iter().copied().collect());
    match *what {
        Pick::All => (0..count).collect(),
        Pick::Faulty { most } => {
            let faulty = |v: &u32| {
                let (map, own) = maps.map_of(*v);
                fault_in(map, own, most, canvas.joints().len()).is_some()
            };
            (0..count).filter(faulty).collect()
        }
        Pick::Stray => points(&strays(canvas, &maps, STRAY)),
        Pick::Open => points(&canvas.flaws().open),
        Pick::Crowded => points(&canvas.flaws().crowded),
        Pick::Doubled => points(&canvas.flaws().doubled),
        Pick::Mesh(mesh) => {
            let own = canvas.parts().iter().filter(|p| p.mesh == mesh);
            own.flat_map(|p| p.first..p.first + p.count).collect()
        }
        Pick::Unpaired => {
            let mirror = mirror_of(document, canvas);
            points(&mirror.alone().collect::<Vec<PointId>>())
        }
        Pick::Of { joint, from, to } => {
            let wanted = |v: &u32| {
                let (map, own) = maps.map_of(*v);
                let weight = map.weight(own, joint);
                weight > 0.0 && (from..=to).contains(&weight)
            };
            (0..count).filter(wanted).collect()
        }
    }
}

/// Returns the mirror pairs of a surface.
fn mirror_of(document: &Document, canvas: &SkinnedSurface) -> MirrorMap {
    MirrorMap::of(document, canvas, &MirrorPairs::of(document, canvas.skin))
}

/// Changes a selection. Returns vertices in ascending order. Coincident vertices are selected
/// together, except by [`Reshape::Invert`].
pub fn reshape(
    document: &Document,
    canvas: &SkinnedSurface,
    vertices: &[u32],
    how: Reshape,
) -> Vec<u32> {
    let points: BTreeSet<PointId> = vertices.iter().map(|v| canvas.point_of(*v)).collect();
    match how {
        Reshape::Loop => at_points(canvas, &edge_loops(canvas, &points)),
        Reshape::Ring => at_points(canvas, &edge_rings(canvas, &points)),
        Reshape::GrowLoop => at_points(canvas, &grown_along(canvas, &points)),
        Reshape::Mirror => {
            let mirror = mirror_of(document, canvas);
            let images = points.iter().filter_map(|p| mirror.point(*p));
            at_points(canvas, &images.collect())
        }
        Reshape::Invert => {
            let chosen: BTreeSet<u32> = vertices.iter().copied().collect();
            numbers(canvas.vertex_count()).filter(|v| !chosen.contains(v)).collect()
        }
        Reshape::Grow => {
            let more = points.iter().flat_map(|p| canvas.ring(*p).iter().copied());
            at_points(canvas, &points.iter().copied().chain(more).collect())
        }
        Reshape::Shrink => {
            let inner = points
                .iter()
                .copied()
                .filter(|p| canvas.ring(*p).iter().all(|n| points.contains(n)));
            at_points(canvas, &inner.collect())
        }
        Reshape::Linked => {
            let mut found = points.clone();
            let mut front: Vec<PointId> = points.into_iter().collect();
            while let Some(p) = front.pop() {
                front.extend(canvas.ring(p).iter().copied().filter(|n| found.insert(*n)));
            }
            at_points(canvas, &found)
        }
    }
}
