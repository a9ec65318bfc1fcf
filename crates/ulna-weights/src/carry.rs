//! Transfer of weights between surfaces: from the nearest point, from the same texture coordinates,
//! or from the same vertex index.

use std::borrow::Cow;

use glam::{Vec2, Vec3};
use rayon::prelude::*;

use super::{
    Influences, SkinnedSurface,
    ids::{floor_index, numbers, to_f32, to_f64, to_index, to_single},
};
use ulna_geometry::{ClosestSurface, Nearest};
use ulna_model::{Primitive, Topology};

/// Rule that finds the source point for each target vertex.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CarryBy {
    /// The nearest point of the source surface.
    #[default]
    Surface,
    /// The nearest vertex; for sources without triangles.
    Vertex,
    /// The point with the same texture coordinates. If several points match, the point on the same
    /// side along x is used.
    Uv,
    /// The vertex with the same index.
    Order,
}

/// Callback that receives one weight, with the joint's index in the target skin. The index is
/// `None` if the target skin lacks the joint.
pub type TakeWeight<'a> = dyn FnMut(Option<u16>, f32) + 'a;

/// Function that passes each weight of a source vertex to a callback.
pub type RowOf<'a> = dyn Fn(u32, &mut TakeWeight<'_>) + Sync + 'a;

/// Passes no weights: the [`RowOf`] of a source without vertices.
pub fn no_row(_vertex: u32, _take: &mut TakeWeight<'_>) {}

/// A source surface with weights, in the mesh space of the target.
pub struct CarrySource<'a> {
    /// Number of vertices.
    pub count: usize,
    /// Vertex positions. If empty, no nearest points are searched.
    pub positions: Vec<Vec3>,
    /// First set of texture coordinates; empty if the source has none.
    pub uvs: &'a [Vec2],
    /// Triangles as returned by [`corners`]; empty if unknown.
    pub indices: Cow<'a, [u32]>,
    /// Function that reads the weights of a vertex.
    pub row: &'a RowOf<'a>,
}

/// Returns the triangles of a primitive for nearest-point queries. Lines and points become
/// degenerate triangles.
pub fn corners(primitive: &Primitive) -> Cow<'_, [u32]> {
    match primitive.topology {
        Topology::Triangles => Cow::Borrowed(&primitive.indices),
        Topology::Lines => {
            primitive.indices.as_chunks::<2>().0.iter().flat_map(|[a, b]| [*a, *b, *b]).collect()
        }
        Topology::Points => primitive.indices.iter().flat_map(|v| [*v; 3]).collect(),
    }
}

/// A point on the surface of one of several sources.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SurfacePoint {
    /// Index of the source in the list of sources.
    pub source: usize,
    /// Vertices of the triangle that contains the point.
    pub triangle: [u32; 3],
    /// Barycentric coordinates of the point; they sum to 1.
    pub barycentric: [f32; 3],
}

/// A source with its search structure for nearest points.
struct Asked<'a> {
    source: &'a CarrySource<'a>,
    surface: Option<ClosestSurface>,
}

/// Distance that separates the two sides of a surface in texture space. It is less than a texel,
/// and more than rounding errors.
const SIDE: f32 = 1e-4;

/// Returns the position of a vertex in texture space. The third coordinate separates overlapping
/// mirrored halves slightly, by their x coordinates.
fn in_uv(uv: Vec2, position: Vec3, size: f32) -> Vec3 {
    Vec3::new(uv.x, uv.y, position.x / size * SIDE)
}

fn size_of(positions: &[Vec3]) -> f32 {
    positions.iter().map(|p| p.x.abs()).filter(|x| x.is_finite()).fold(1e-12, f32::max)
}

impl<'a> Asked<'a> {
    fn new(source: &'a CarrySource<'a>, by: CarryBy, size: f32) -> Self {
        let points = |list: Vec<Vec3>| {
            // Each vertex becomes a triangle without area.
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

    /// Returns the nearest point of the source surface.
    fn nearest(&self, at: Vec3) -> Option<Nearest> {
        self.surface.as_ref()?.nearest(at)
    }
}

/// Returns the source vertices of a surface point, with their barycentric coordinates. A point at a
/// vertex uses only this vertex, so that the weights are copied exactly.
fn givers_of(point: &Nearest) -> ([u32; 3], [f32; 3]) {
    match (0..3).find(|k| point.shares[*k] > 1.0 - 1e-4) {
        Some(k) => ([point.vertices[k]; 3], [1.0, 0.0, 0.0]),
        None => (point.vertices, point.shares),
    }
}

/// Result for one target vertex: influences, whether some weight belonged to missing joints,
/// distance to the source point, and the source point itself.
type CarriedRow = (Influences, bool, (f32, Option<SurfacePoint>));

/// Result of a weight transfer.
#[derive(Clone, Debug, Default)]
pub struct Carried {
    /// New influences by vertex of the surface, in ascending vertex order.
    pub rows: Vec<(u32, Influences)>,
    /// Distance to the source point per row, in mesh-space units; empty if no nearest points were
    /// searched.
    pub distances: Vec<f32>,
    /// Source point per row; empty if no nearest points were searched.
    pub points: Vec<SurfacePoint>,
    /// Number of vertices for which no source was found.
    pub unfound: usize,
    /// Number of vertices with some source weight on joints that the target skin lacks.
    pub partly: usize,
}

/// Transfers weights to vertices of a surface.
///
/// With [`CarryBy::Order`], the `k`-th source belongs to the `k`-th part of the surface, and
/// coincident vertices can differ. Otherwise, coincident vertices get the same weights.
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

/// Statistics of the distances between two surfaces: one distance per transferred vertex, in scene
/// meters.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Distances {
    all: Vec<f32>,
}

impl Distances {
    /// Distance in meters above which a vertex counts as far from its source point.
    pub const FAR: f32 = 0.05;

    /// Adds the distances of one transfer. `scale` is the number of scene meters per mesh-space
    /// unit.
    pub fn add(&mut self, carried: &Carried, scale: f32) {
        self.all.extend(carried.distances.iter().map(|d| d * scale));
    }

    /// Returns the distance that the fraction `share` of the vertices (`0..=1`) does not exceed;
    /// `None` without distances.
    pub fn percentile(&self, share: f32) -> Option<f32> {
        let mut sorted = self.all.clone();
        sorted.sort_by(f32::total_cmp);
        let last = sorted.len().checked_sub(1)?;
        sorted.get(floor_index((to_f32(last) * share.clamp(0.0, 1.0)).round())).copied()
    }

    /// Counts the vertices farther than [`Self::FAR`] from their source.
    pub fn far(&self) -> usize {
        self.all.iter().filter(|d| **d > Self::FAR).count()
    }

    /// Returns the mean distance in meters; 0 without distances.
    pub fn mean(&self) -> f32 {
        let sum: f64 = self.all.iter().map(|d| f64::from(*d)).sum();
        to_single(sum / to_f64(self.all.len().max(1)))
    }

    /// Describes the distances as part of a sentence; `None` without distances.
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
