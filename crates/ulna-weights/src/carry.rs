//! Weights of one surface for another: each place takes what the nearest spot of the other has, or
//! what lies at the same texture coordinates, or what has the same number.

use std::borrow::Cow;

use glam::{Vec2, Vec3};
use rayon::prelude::*;

use super::{
    Influences, SkinnedSurface,
    ids::{floor_index, numbers, to_f32, to_f64, to_index, to_single},
};
use ulna_geometry::{ClosestSurface, Nearest};
use ulna_model::{Primitive, Topology};

/// Which spot of the other surface a vertex takes its weights from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CarryBy {
    /// The nearest of the surface.
    #[default]
    Surface,
    /// The nearest vertex, where no triangles are known.
    Vertex,
    /// That with the same texture coordinates; of several, the one on the same side along x.
    Uv,
    /// The vertex of the same number.
    Order,
}

/// Takes a joint, by the number of the skin that takes it, `None` where it has no such joint, with
/// its weight.
pub type TakeWeight<'a> = dyn FnMut(Option<u16>, f32) + 'a;

/// Tells what a vertex has.
pub type RowOf<'a> = dyn Fn(u32, &mut TakeWeight<'_>) + Sync + 'a;

/// Of what has no vertex.
pub fn no_row(_vertex: u32, _take: &mut TakeWeight<'_>) {}

/// A surface that weights come from, as it lies in the mesh space of the one that takes them.
pub struct CarrySource<'a> {
    /// How many vertices it has.
    pub count: usize,
    /// Where they lie; empty where that is not known, and then nothing is found by it.
    pub positions: Vec<Vec3>,
    /// First texture coordinates; empty where there are none.
    pub uvs: &'a [Vec2],
    /// Its triangles, see [`corners`]; empty where they are not known.
    pub indices: Cow<'a, [u32]>,
    /// What a vertex has.
    pub row: &'a RowOf<'a>,
}

/// The triangles of a primitive, in which nearest points are searched. A line is a triangle with
/// two corners at one end, and a point one with all three at one place.
pub fn corners(primitive: &Primitive) -> Cow<'_, [u32]> {
    match primitive.topology {
        Topology::Triangles => Cow::Borrowed(&primitive.indices),
        Topology::Lines => {
            primitive.indices.as_chunks::<2>().0.iter().flat_map(|[a, b]| [*a, *b, *b]).collect()
        }
        Topology::Points => primitive.indices.iter().flat_map(|v| [*v; 3]).collect(),
    }
}

/// A point of the surface of one of several sources.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SurfacePoint {
    /// Index of the source.
    pub source: usize,
    /// The vertices of its triangle.
    pub triangle: [u32; 3],
    /// Their shares at the point; sum to 1.
    pub barycentric: [f32; 3],
}

/// A source, ready to be asked.
struct Asked<'a> {
    source: &'a CarrySource<'a>,
    surface: Option<ClosestSurface>,
}

/// How far apart the two sides of a surface lie in a plane of texture coordinates: less than a
/// texel, more than rounding.
const SIDE: f32 = 1e-4;

/// Where a vertex lies in a plane of texture coordinates, halves that lie on each other a little
/// apart.
fn in_uv(uv: Vec2, position: Vec3, size: f32) -> Vec3 {
    Vec3::new(uv.x, uv.y, position.x / size * SIDE)
}

fn size_of(positions: &[Vec3]) -> f32 {
    positions.iter().map(|p| p.x.abs()).filter(|x| x.is_finite()).fold(1e-12, f32::max)
}

impl<'a> Asked<'a> {
    fn new(source: &'a CarrySource<'a>, by: CarryBy, size: f32) -> Self {
        let points = |list: Vec<Vec3>| {
            // A vertex as a triangle without an area.
            let each: Vec<u32> = numbers(list.len()).flat_map(|v| [v, v, v]).collect();
            ClosestSurface::new(list, each)
        };
        let surface = match by {
            CarryBy::Order => None,
            _ if source.positions.is_empty() => None,
            CarryBy::Surface if source.indices.is_empty() => Some(points(source.positions.clone())),
            CarryBy::Surface => {
                Some(ClosestSurface::new(source.positions.clone(), source.indices.to_vec()))
            }
            CarryBy::Vertex => Some(points(source.positions.clone())),
            CarryBy::Uv if source.uvs.len() != source.positions.len() => None,
            CarryBy::Uv => {
                let flat =
                    source.uvs.iter().zip(&source.positions).map(|(uv, p)| in_uv(*uv, *p, size));
                Some(ClosestSurface::new(flat.collect(), source.indices.to_vec()))
            }
        };
        Self { source, surface }
    }

    /// The nearest point.
    fn nearest(&self, at: Vec3) -> Option<Nearest> {
        self.surface.as_ref()?.nearest(at)
    }
}

/// The vertices that a point takes from, and their shares. What lies on a vertex is that vertex, to
/// the bit.
fn givers_of(point: &Nearest) -> ([u32; 3], [f32; 3]) {
    match (0..3).find(|k| point.shares[*k] > 1.0 - 1e-4) {
        Some(k) => ([point.vertices[k]; 3], [1.0, 0.0, 0.0]),
        None => (point.vertices, point.shares),
    }
}

/// Influences that a vertex takes, whether a part of them was of joints that are not here, and the
/// distance to the point that they were taken from, with the point.
type CarriedRow = (Influences, bool, (f32, Option<SurfacePoint>));

/// Weights taken over from another surface.
#[derive(Clone, Debug, Default)]
pub struct Carried {
    /// By the canvas's vertices, in rising order, what each takes.
    pub rows: Vec<(u32, Influences)>,
    /// By row, the distance to the point that it was taken from, in units of mesh space; empty
    /// where no nearest point was searched.
    pub distances: Vec<f32>,
    /// By row, the point that it was taken from; empty where no point was searched.
    pub points: Vec<SurfacePoint>,
    /// Vertices for which nothing was found.
    pub unfound: usize,
    /// Vertices of which a part of the weights was of joints that are not here.
    pub partly: usize,
}

/// What vertices of a canvas take from surfaces. With [`CarryBy::Order`] the `k`-th source is for
/// the `k`-th of `parts`, which are the canvas's. All copies of a vertex take the same, but by
/// order, where each has its own number.
pub fn carry(
    canvas: &SkinnedSurface,
    uv_of: &(dyn Fn(u32) -> Option<Vec2> + Sync),
    sources: &[CarrySource<'_>],
    by: CarryBy,
    wanted: &[u32],
) -> Carried {
    let size = size_of(canvas.rest());
    let asked: Vec<Asked<'_>> = sources.iter().map(|s| Asked::new(s, by, size)).collect();
    let measures = matches!(by, CarryBy::Surface | CarryBy::Vertex);
    let one = |v: &u32| -> (u32, Option<CarriedRow>) {
        let mut list = Influences::default();
        let mut lost = false;
        let mut take = |source: &CarrySource<'_>, vertex: u32, share: f32| {
            (source.row)(vertex, &mut |joint, weight| match joint {
                Some(joint) => list.add(joint, if share == 1.0 { weight } else { weight * share }),
                None => lost |= weight * share > 1e-6,
            });
        };
        let found = match by {
            CarryBy::Order => {
                let (part, own) = canvas.part_of(*v);
                let source = sources.get(part).filter(|s| to_index(own) < s.count);
                source.map(|source| {
                    take(source, own, 1.0);
                    (0.0, None)
                })
            }
            _ => {
                let place = canvas.point_of(*v);
                let rest = canvas.rest()[place.index()];
                let at = match by {
                    CarryBy::Uv => uv_of(canvas.first_at(place)).map(|uv| in_uv(uv, rest, size)),
                    _ => Some(rest),
                };
                let near = at.and_then(|at| {
                    let all = asked.iter().enumerate();
                    let points = all.filter_map(|(k, a)| Some((k, a.nearest(at)?)));
                    points.min_by(|a, b| a.1.distance.total_cmp(&b.1.distance))
                });
                near.map(|(source, point)| {
                    let (vertices, shares) = givers_of(&point);
                    for (vertex, share) in
                        vertices.iter().zip(shares).filter(|(_, share)| *share > 0.0)
                    {
                        take(asked[source].source, *vertex, share);
                    }
                    let (triangle, barycentric) = (point.vertices, point.shares);
                    (point.distance, Some(SurfacePoint { source, triangle, barycentric }))
                })
            }
        };
        (*v, found.filter(|_| !list.is_empty()).map(|point| (list, lost, point)))
    };
    let all: Vec<_> = wanted.par_iter().with_min_len(64).map(one).collect();
    let mut carried = Carried::default();
    for (vertex, found) in all {
        match found {
            None => carried.unfound += 1,
            Some((list, lost, (distance, point))) => {
                carried.partly += usize::from(lost);
                carried.rows.push((vertex, list));
                carried.points.extend(point);
                if measures {
                    carried.distances.push(distance);
                }
            }
        }
    }
    carried
}

/// How far two surfaces lie apart, over the vertices that took weights, in scene meters.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Distances {
    all: Vec<f32>,
}

impl Distances {
    /// A vertex that lies farther than this from the point that it took its weights from is counted
    /// as far, meters.
    pub const FAR: f32 = 0.05;

    /// Adds what was carried over into a mesh space with units of `scale` meters.
    pub fn add(&mut self, carried: &Carried, scale: f32) {
        self.all.extend(carried.distances.iter().map(|d| d * scale));
    }

    /// The distance that is not exceeded by this share of the vertices, `0..=1`; nothing where none
    /// was measured.
    pub fn percentile(&self, share: f32) -> Option<f32> {
        let mut sorted = self.all.clone();
        sorted.sort_by(f32::total_cmp);
        let last = sorted.len().checked_sub(1)?;
        sorted.get(floor_index((to_f32(last) * share.clamp(0.0, 1.0)).round())).copied()
    }

    /// The number of vertices farther than [`Self::FAR`].
    pub fn far(&self) -> usize {
        self.all.iter().filter(|d| **d > Self::FAR).count()
    }

    /// The mean; 0 where none was measured.
    pub fn mean(&self) -> f32 {
        let sum: f64 = self.all.iter().map(|d| f64::from(*d)).sum();
        to_single(sum / to_f64(self.all.len().max(1)))
    }

    /// The distances as a part of a sentence; nothing where none was measured.
    pub fn text(&self) -> Option<String> {
        let cm = |share: f32| self.percentile(share).map(|d| format!("{:.2} cm", d * 100.0));
        let far = match self.far() {
            0 => "no vertex is".to_owned(),
            1 => "1 vertex is".to_owned(),
            n => format!("{n} vertices are"),
        };
        Some(format!(
            "distance to the source surface: median {}, 95th percentile {}; {far} farther than \
                {:.0} cm from it",
            cm(0.5)?,
            cm(0.95)?,
            Self::FAR * 100.0
        ))
    }
}
