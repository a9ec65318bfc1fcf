//! Which vertices are meant: by what is wrong with them, by a joint's weight, by how they hang
//! together.

use std::collections::BTreeSet;

use super::{
    MirrorMap, NO_POINT, STRAY, SkinnedSurface, fault_in,
    loops::{edge_loops, edge_rings, grown_along},
    strays,
};
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

/// All vertices at some places, in rising order.
fn at_places(canvas: &SkinnedSurface, places: &BTreeSet<u32>) -> Vec<u32> {
    let mut all: Vec<u32> =
        places.iter().flat_map(|p| canvas.vertices_at(*p).iter().copied()).collect();
    all.sort_unstable();
    all
}

/// The canvas's vertices that are meant, in rising order.
pub fn pick(document: &Document, canvas: &SkinnedSurface, what: &Pick) -> Vec<u32> {
    let (count, maps) = (canvas.vertex_count() as u32, canvas.maps(document));
    let places = |list: &[u32]| at_places(canvas, &list.iter().copied().collect());
    match *what {
        Pick::All => (0..count).collect(),
        Pick::Faulty { most } => {
            let faulty = |v: &u32| {
                let (map, own) = maps.map_of(*v);
                fault_in(map, own, most, canvas.joints().len()).is_some()
            };
            (0..count).filter(faulty).collect()
        }
        Pick::Stray => places(&strays(canvas, &maps, STRAY)),
        Pick::Open => places(&canvas.flaws().open),
        Pick::Crowded => places(&canvas.flaws().crowded),
        Pick::Doubled => places(&canvas.flaws().doubled),
        Pick::Mesh(mesh) => {
            let own = canvas.parts().iter().filter(|p| p.mesh == mesh);
            own.flat_map(|p| p.first..p.first + p.count).collect()
        }
        Pick::Unpaired => {
            let mirror = mirror_of(document, canvas);
            places(&mirror.alone().collect::<Vec<u32>>())
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
    let places: BTreeSet<u32> = vertices.iter().map(|v| canvas.place_of(*v)).collect();
    match how {
        Reshape::Loop => at_places(canvas, &edge_loops(canvas, &places)),
        Reshape::Ring => at_places(canvas, &edge_rings(canvas, &places)),
        Reshape::GrowLoop => at_places(canvas, &grown_along(canvas, &places)),
        Reshape::Mirror => {
            let mirror = mirror_of(document, canvas);
            let images = places.iter().map(|p| mirror.place(*p)).filter(|p| *p != NO_POINT);
            at_places(canvas, &images.collect())
        }
        Reshape::Invert => {
            let chosen: BTreeSet<u32> = vertices.iter().copied().collect();
            (0..canvas.vertex_count() as u32).filter(|v| !chosen.contains(v)).collect()
        }
        Reshape::Grow => {
            let more = places.iter().flat_map(|p| canvas.ring(*p).iter().copied());
            at_places(canvas, &places.iter().copied().chain(more).collect())
        }
        Reshape::Shrink => {
            let inner = places
                .iter()
                .copied()
                .filter(|p| canvas.ring(*p).iter().all(|n| places.contains(n)));
            at_places(canvas, &inner.collect())
        }
        Reshape::Linked => {
            let mut found = places.clone();
            let mut front: Vec<u32> = places.into_iter().collect();
            while let Some(p) = front.pop() {
                front.extend(canvas.ring(p).iter().copied().filter(|n| found.insert(*n)));
            }
            at_places(canvas, &found)
        }
    }
}
