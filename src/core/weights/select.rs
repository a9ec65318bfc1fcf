//! Which vertices are meant: by what is wrong with them, by a joint's weight, by how they hang together.

use std::collections::BTreeSet;

use super::{Canvas, MirrorMap, NOWHERE, STRAY, fault_in, strays};
use crate::{model::Document, motion::MirrorPairs};

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
    /// Unlike all of their neighbours.
    Stray,
    /// At the rim of a hole or a sheet.
    Open,
    /// At an edge of three triangles or more.
    Crowded,
    /// At a triangle that is there twice.
    Doubled,
    /// Without a mirror image on the other side.
    Unpaired,
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
    /// The neighbours, too.
    Grow,
    /// Without its rim.
    Shrink,
    /// All that hangs together with it.
    Linked,
    /// The others.
    Invert,
}

/// All vertices at some places, in rising order.
fn at_places(canvas: &Canvas, places: &BTreeSet<u32>) -> Vec<u32> {
    let mut all: Vec<u32> = places.iter().flat_map(|p| canvas.vertices_at(*p).iter().copied()).collect();
    all.sort_unstable();
    all
}

/// The canvas's vertices that are meant, in rising order.
pub fn pick(document: &Document, canvas: &Canvas, what: &Pick) -> Vec<u32> {
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
        Pick::Unpaired => {
            let roles = MirrorPairs::of(document, canvas.skin);
            let mirror = MirrorMap::near(canvas, roles.axis(), roles.offset(), roles.mirror_joints());
            places(&(0..canvas.place_count() as u32).filter(|p| mirror.place(*p) == NOWHERE).collect::<Vec<u32>>())
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

/// What becomes of a selection of the canvas's vertices, in rising order. Copies of a vertex go together.
pub fn reshape(canvas: &Canvas, vertices: &[u32], how: Reshape) -> Vec<u32> {
    let places: BTreeSet<u32> = vertices.iter().map(|v| canvas.place_of(*v)).collect();
    match how {
        Reshape::Invert => {
            let chosen: BTreeSet<u32> = vertices.iter().copied().collect();
            (0..canvas.vertex_count() as u32).filter(|v| !chosen.contains(v)).collect()
        }
        Reshape::Grow => {
            let more = places.iter().flat_map(|p| canvas.ring(*p).iter().copied());
            at_places(canvas, &places.iter().copied().chain(more).collect())
        }
        Reshape::Shrink => {
            let inner = places.iter().copied().filter(|p| canvas.ring(*p).iter().all(|n| places.contains(n)));
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
