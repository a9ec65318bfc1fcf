//! Which vertices are meant: by what is wrong with them, by a joint's weight, by how they hang
//! together.

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

/// Vertices by what they are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Pick {
    /// All of them.
    All,
    /// Whose weights break a rule, or have more joints than wanted.
    Faulty {
        /// The most joints wanted.
        most: usize,
    },
    /// Unlike all of their neighbors.
    Stray,
    /// At the rim of a hole or a sheet.
    Open,
    /// At an edge of three triangles or more.
    Crowded,
    /// At a triangle that is there twice.
    Doubled,
    /// Without a mirror image on the other side.
    Unpaired,
    /// Of a mesh.
    Mesh(MeshId),
    /// Which a joint moves, with a weight within these bounds.
    Of {
        /// The joint, by its number in the skin.
        joint: u16,
        /// The least weight; 0 stands for any.
        from: f32,
        /// The largest weight.
        to: f32,
    },
}

/// How a selection becomes another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reshape {
    /// The neighbors, too.
    Grow,
    /// Without its rim.
    Shrink,
    /// All that hangs together with it.
    Linked,
    /// The others.
    Invert,
    /// The loops of edges that go through it.
    Loop,
    /// The rings of edges that lie opposite to its edges.
    Ring,
    /// What comes next on its loops.
    GrowLoop,
    /// Its mirror image.
    Mirror,
}

/// All vertices at some points, in rising order.
fn at_points(canvas: &SkinnedSurface, points: &BTreeSet<PointId>) -> Vec<u32> {
    let mut all: Vec<u32> =
        points.iter().flat_map(|p| canvas.vertices_at(*p).iter().copied()).collect();
    all.sort_unstable();
    all
}

/// The canvas's vertices that are meant, in rising order.
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

/// The two sides of a canvas.
fn mirror_of(document: &Document, canvas: &SkinnedSurface) -> MirrorMap {
    MirrorMap::of(document, canvas, &MirrorPairs::of(document, canvas.skin))
}

/// What becomes of a selection of the canvas's vertices, in rising order. Copies of a vertex go
/// together.
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
