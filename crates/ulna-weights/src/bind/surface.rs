//! All meshes of a bind as one welded surface of unit size.

use glam::{DVec3, Vec3};
use rayon::prelude::*;

use super::{BindBone, BindMesh};
use crate::ids::{to_index, to_number, to_single};
use ulna_geometry::{PointId, weld};

/// Welding tolerance, relative to the size of the surface. It is far below any detail, and above
/// the rounding errors of shared positions.
const WELD: f32 = 1e-6;
/// Maximum distance of bones, relative to the size of the surface. Farther bones are moved closer,
/// so that distances do not overflow.
const FARTHEST: f64 = 1e4;

/// Welded points and triangles in unit space, where the longest side of the bounding box is 1.
/// Results therefore do not depend on the scale of the model.
#[derive(Clone, Debug, Default)]
pub(super) struct BindSurface {
    /// Point of each vertex, by mesh.
    pub point_of: Vec<Vec<PointId>>,
    /// Positions of the points. Non-finite positions of the file are kept.
    pub points: Vec<Vec3>,
    /// Corner points of the triangles. All corners are different points at finite positions.
    pub triangles: Vec<[u32; 3]>,
    /// Area of each point: one third of the area of its triangles.
    pub areas: Vec<f32>,
    /// Connected piece of each point; `None` for points without triangles.
    pub piece_of: Vec<Option<u32>>,
    /// Number of points in each piece.
    pub piece_points: Vec<u32>,
    center: DVec3,
    scale: f64,
}

impl BindSurface {
    pub fn new(meshes: &[BindMesh<'_>], bones: &[BindBone]) -> Self {
        let vertices = || meshes.iter().flat_map(|m| m.positions.iter().copied());
        let (center, size) = bounds(vertices())
            .filter(|(_, size)| *size > 0.0)
            .or_else(|| bounds(bones.iter().flat_map(|b| [b.head, b.tail])))
            .unwrap_or((DVec3::ZERO, 1.0));
        let mut surface = Self { center, scale: 1.0 / size.max(1e-300), ..Self::default() };
        surface.weld(meshes);
        let point = |mesh: usize, v: u32| {
            surface.point_of[mesh].get(to_index(v)).map(|p| to_number(p.index()))
        };
        let mut triangles = Vec::new();
        for (mesh, corners) in meshes.iter().enumerate() {
            let all = corners.triangles.as_chunks::<3>().0.iter();
            triangles.extend(all.filter_map(|[a, b, c]| {
                let t @ [a, b, c] = [point(mesh, *a)?, point(mesh, *b)?, point(mesh, *c)?];
                let is_finite = t.iter().all(|p| surface.points[to_index(*p)].is_finite());
                (is_finite && a != b && b != c && c != a).then_some(t)
            }));
        }
        surface.triangles = triangles;
        surface.measure();
        surface.connect();
        surface
    }

    /// Converts a position to unit space.
    pub fn to_unit(&self, position: Vec3) -> Vec3 {
        let unit = (position.as_dvec3() - self.center) * self.scale;
        Vec3::from(unit.to_array().map(to_single))
    }

    /// Converts bones to unit space. Bones with a non-finite head are left out.
    pub fn unit_bones(&self, bones: &[BindBone]) -> Vec<BindBone> {
        let limit = to_single(FARTHEST);
        let unit = |p: Vec3| self.to_unit(p).clamp(Vec3::splat(-limit), Vec3::splat(limit));
        let finite = bones.iter().filter(|b| b.head.is_finite());
        finite
            .map(|b| BindBone {
                joint: b.joint,
                head: unit(b.head),
                tail: unit(if b.tail.is_finite() { b.tail } else { b.head }),
            })
            .collect()
    }

    fn weld(&mut self, meshes: &[BindMesh<'_>]) {
        let unit: Vec<Vec3> =
            meshes.iter().flat_map(|m| m.positions).map(|p| self.to_unit(*p)).collect();
        let cells: Vec<Vec3> = unit.par_iter().map(|p| (*p / WELD).round()).collect();
        let (point_of, cells) = weld(&cells);
        self.points = vec![Vec3::NAN; cells.len()];
        let mut is_set = vec![false; cells.len()];
        for (point, position) in point_of.iter().zip(&unit) {
            if !std::mem::replace(&mut is_set[point.index()], true) {
                self.points[point.index()] = *position;
            }
        }
        let mut rest = &point_of[..];
        for mesh in meshes {
            let (own, others) = rest.split_at(mesh.positions.len());
            self.point_of.push(own.to_vec());
            rest = others;
        }
    }

    /// Computes the area of each point.
    pub fn measure(&mut self) {
        self.areas = vec![0.0; self.points.len()];
        for corners in &self.triangles {
            let [a, b, c] = corners.map(|p| self.points[to_index(p)]);
            let area = (b - a).cross(c - a).length() / 6.0;
            corners.iter().for_each(|p| self.areas[to_index(*p)] += area);
        }
    }

    /// Finds the connected pieces, sorted by their first point.
    fn connect(&mut self) {
        let mut parent: Vec<u32> = crate::ids::numbers(self.points.len()).collect();
        let mut has_triangle = vec![false; self.points.len()];
        for corners in &self.triangles {
            let [a, b, c] = corners.map(|p| root(&mut parent, p));
            let least = a.min(b).min(c);
            [a, b, c].into_iter().for_each(|p| parent[to_index(p)] = least);
            corners.iter().for_each(|p| has_triangle[to_index(*p)] = true);
        }
        self.piece_of = vec![None; self.points.len()];
        for point in crate::ids::numbers(self.points.len()) {
            if !has_triangle[to_index(point)] {
                continue;
            }
            // The root is the lowest point of its piece, so it already has a piece number.
            let first = root(&mut parent, point);
            if first == point {
                self.piece_of[to_index(point)] = Some(to_number(self.piece_points.len()));
                self.piece_points.push(0);
            }
            let piece = self.piece_of[to_index(first)];
            self.piece_of[to_index(point)] = piece;
            piece.into_iter().for_each(|k| self.piece_points[to_index(k)] += 1);
        }
    }
}

/// Returns the center and the longest side of the bounding box of points. Non-finite points are
/// ignored.
fn bounds(points: impl Iterator<Item = Vec3>) -> Option<(DVec3, f64)> {
    let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
    for point in points.filter(|p| p.is_finite()).map(|p| p.as_dvec3()) {
        (low, high) = (low.min(point), high.max(point));
    }
    low.is_finite().then(|| ((low + high) * 0.5, (high - low).max_element()))
}

/// Finds the root of a point in the union-find tree, and halves the path on the way.
fn root(parent: &mut [u32], mut point: u32) -> u32 {
    while parent[to_index(point)] != point {
        let above = parent[to_index(parent[to_index(point)])];
        parent[to_index(point)] = above;
        point = above;
    }
    point
}
