//! Finds the vertices that a brush affects, with their distance from its center.

mod along;
mod touch;

use glam::Vec3;
use pulp::{Arch, Simd, WithSimd};
use rayon::prelude::*;

pub(super) use self::along::ReachScratch;
pub use self::touch::{PosedSurface, Touch};
use super::{
    Falloff, Reach, SkinnedSurface,
    ids::{to_index, to_number},
};
use ulna_geometry::{PointId, vectors};

/// Sphere around a touch with the brush radius.
pub(super) struct Ball {
    at: Vec3,
    limit: f32,
    scale: f32,
}

impl Ball {
    /// Creates the sphere. `None` if the radius is 0, or the touch has no valid position.
    pub fn new(touch: &Touch) -> Option<Self> {
        let radius = touch.radius;
        (radius > 0.0 && touch.at.is_finite()).then(|| Self {
            at: touch.at,
            limit: radius * radius,
            scale: 1.0 / radius,
        })
    }

    /// Returns the depth of a position in the sphere: 1 at the center, 0 at the rim. `None`
    /// outside.
    #[inline(always)]
    pub fn depth_of(&self, p: Vec3) -> Option<f32> {
        let square = p.distance_squared(self.at);
        (square < self.limit).then(|| 1.0 - square.sqrt() * self.scale)
    }
}

/// Number of vertices processed per batch.
pub(super) const AT_ONCE: usize = 64;

/// Selects the paintable vertices: all, or only those that face the eye. A point faces the eye if
/// one of its normals or adjacent triangles does. Coincident vertices are thus painted alike, and
/// all visible vertices are included.
pub(super) struct Sight<'a> {
    canvas: &'a SkinnedSurface,
    posed: PosedSurface<'a>,
    /// Signs that turn normals and triangle winding toward the touched side, 1 or −1. `None` if all
    /// vertices are paintable.
    front: Option<[f32; 2]>,
    eye: Option<Vec3>,
    direction: Vec3,
    arch: Arch,
}

impl<'a> Sight<'a> {
    pub fn new(
        canvas: &'a SkinnedSurface,
        posed: PosedSurface<'a>,
        touch: &Touch,
        front_only: bool,
    ) -> Self {
        let front_only = front_only && posed.normals.len() == posed.positions.len();
        // The touched side is the visible side, whatever the normals and winding of the file.
        let front = front_only.then(|| sides_of(posed, touch));
        Self { canvas, posed, front, eye: touch.eye, direction: touch.direction, arch: vectors() }
    }

    #[inline]
    fn to(&self, p: Vec3) -> Vec3 {
        self.eye.map_or(self.direction, |eye| p - eye)
    }

    /// Whether a vertex exists and can be painted.
    pub fn has(&self, v: u32) -> bool {
        self.front.is_none_or(|[side, _]| {
            let own = to_index(v);
            self.posed.normals[own].dot(self.to(self.posed.positions[own])) * side <= 0.0
                || self.has_point(v)
        })
    }

    /// Whether the point of a vertex faces the eye.
    #[cold]
    fn has_point(&self, v: u32) -> bool {
        let Some([side, winding]) = self.front else { return true };
        let point = self.canvas.point_of(v);
        let at = |v: u32| self.posed.positions[to_index(v)];
        let faces = |v: &u32| self.posed.normals[to_index(*v)].dot(self.to(at(*v))) * side <= 0.0;
        let first = self.canvas.first_at(point);
        let sight = self.to(at(first));
        let triangle =
            |t: &[PointId; 2]| across(self.canvas, self.posed, first, t).dot(sight) * winding < 0.0;
        self.canvas.vertices_at(point).iter().any(faces)
            || self.canvas.fan(point).iter().any(triangle)
    }

    /// Calls `take` for each paintable vertex in a sphere, with its depth and falloff value. `near`
    /// has at most [`AT_ONCE`] vertices.
    #[inline]
    pub fn within(
        &self,
        ball: &Ball,
        falloff: &Falloff,
        near: &[u32],
        mut take: impl FnMut(u32, f32, f32),
    ) {
        // All data of the batch is loaded first, so that cache misses overlap.
        let mut spots = Spots::default();
        fetch(self.posed.positions, near, &mut spots.at);
        if self.front.is_some() {
            fetch(self.posed.normals, near, &mut spots.normals);
        }
        self.arch.dispatch(Measure { sight: self, ball, falloff, spots: &mut spots });
        for (k, v) in near.iter().enumerate() {
            if spots.depth[k] > OUTSIDE && (spots.away[k] <= 0.0 || self.has_point(*v)) {
                take(*v, spots.depth[k], spots.value[k]);
            }
        }
    }
}

/// Depth value for vertices outside the sphere.
const OUTSIDE: f32 = -0.5;

/// A batch of vertices, as one array per component.
struct Spots {
    at: [[f32; AT_ONCE]; 3],
    normals: [[f32; AT_ONCE]; 3],
    /// Depth in the sphere, `0..=1`; [`OUTSIDE`] or less beyond the rim.
    depth: [f32; AT_ONCE],
    /// Falloff value at the depth, `0..=1`.
    value: [f32; AT_ONCE],
    /// Above 0 if the normal points away from the eye.
    away: [f32; AT_ONCE],
}

impl Default for Spots {
    fn default() -> Self {
        let none = [0.0; AT_ONCE];
        Self {
            at: [[f32::NAN; AT_ONCE]; 3],
            normals: [none; 3],
            depth: none,
            value: none,
            away: none,
        }
    }
}

#[inline]
fn fetch(from: &[Vec3], vertices: &[u32], to: &mut [[f32; AT_ONCE]; 3]) {
    for (k, v) in vertices.iter().take(AT_ONCE).enumerate() {
        let p = from.get(to_index(*v)).copied().unwrap_or(Vec3::NAN);
        (to[0][k], to[1][k], to[2][k]) = (p.x, p.y, p.z);
    }
}

/// Computes depth, falloff and facing of a batch. Its loops are vectorized, so everything in them
/// must be inlined.
struct Measure<'a> {
    sight: &'a Sight<'a>,
    ball: &'a Ball,
    falloff: &'a Falloff,
    spots: &'a mut Spots,
}

impl WithSimd for Measure<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let Self {
            sight,
            ball,
            falloff,
            spots: Spots { at: [x, y, z], normals, depth, value, away },
        } = self;
        for k in 0..AT_ONCE {
            depth[k] = ball.depth_of(Vec3::new(x[k], y[k], z[k])).unwrap_or(-1.0);
        }
        if let Some([side, _]) = sight.front {
            let (eye, direction) = (sight.eye.unwrap_or_default(), sight.direction);
            let perspective = sight.eye.is_some();
            for k in 0..AT_ONCE {
                let p = Vec3::new(x[k], y[k], z[k]);
                let to = if perspective { p - eye } else { direction };
                away[k] = (Vec3::new(normals[0][k], normals[1][k], normals[2][k]) * side).dot(to);
            }
        }
        falloff.fill(depth, value);
    }
}

/// Whether the point of a vertex faces the eye. `sight` is the vector from the eye to the point.
/// The point faces the eye if one of its normals does, or an adjacent triangle after orientation by
/// the normals.
pub fn faces_eye(
    canvas: &SkinnedSurface,
    posed: PosedSurface<'_>,
    vertex: u32,
    sight: Vec3,
) -> bool {
    let copies = canvas.vertices_at(canvas.point_of(vertex));
    let normal = |v: &u32| posed.normals.get(to_index(*v)).copied().unwrap_or_default();
    if copies.iter().any(|v| normal(v).dot(sight) <= 0.0) {
        return true;
    }
    let out: Vec3 = copies.iter().map(normal).sum();
    let triangles =
        canvas.fan(canvas.point_of(vertex)).iter().map(|t| across(canvas, posed, vertex, t));
    triangles.into_iter().any(|t| t.dot(out) * t.dot(sight) < 0.0)
}

/// Returns the normal of a triangle by its winding, not normalized. The triangle is given by a
/// vertex and the two other points.
fn across(
    canvas: &SkinnedSurface,
    posed: PosedSurface<'_>,
    vertex: u32,
    [b, c]: &[PointId; 2],
) -> Vec3 {
    let here = posed.positions[to_index(vertex)];
    let [b, c] = [b, c].map(|p| posed.positions[to_index(canvas.first_at(*p))] - here);
    b.cross(c)
}

/// Finds the vertices that a brush affects, with their depth: 1 at the center, 0 at the rim.
///
/// `near` are candidates, if known. They must include all vertices in the sphere. [`Reach::Volume`]
/// then examines only these.
pub(super) fn reach(
    canvas: &SkinnedSurface,
    posed: PosedSurface<'_>,
    touch: &Touch,
    near: Option<&[u32]>,
    kind: Reach,
    sight: &Sight<'_>,
    scratch: &mut ReachScratch,
    out: &mut Vec<(u32, f32)>,
) {
    out.clear();
    let Some(ball) = Ball::new(touch) else { return };
    match (kind, near) {
        (Reach::Surface, near) => along::along(canvas, posed, touch, near, scratch, out),
        (Reach::Volume, Some(near)) => out.extend(near.iter().filter_map(|v| {
            let p = posed.positions.get(to_index(*v))?;
            Some((*v, ball.depth_of(*p)?))
        })),
        (Reach::Volume, None) => gather(posed.positions, out, |p| ball.depth_of(p)),
        (Reach::Through, _) => {
            let depth = touch.eye.map(|eye| (touch.at - eye).dot(touch.direction).max(1e-12));
            gather(posed.positions, out, |p| {
                // Distance from the line of sight, relative to the brush radius at that depth. In
                // perspective, the radius grows with the depth.
                let (from, radius) = match (touch.eye, depth) {
                    (Some(eye), Some(depth)) => {
                        let there = (p - eye).dot(touch.direction);
                        (eye, touch.radius * there / depth)
                    }
                    _ => (touch.at, touch.radius),
                };
                let line = if touch.eye.is_some() {
                    (touch.at - from).normalize_or_zero()
                } else {
                    touch.direction
                };
                let aside = (p - from).reject_from_normalized(line).length();
                (radius > 0.0 && aside < radius).then(|| 1.0 - aside / radius)
            });
        }
    }
    if sight.front.is_some() {
        out.retain(|(v, _)| sight.has(*v));
    }
}

/// Returns two signs, for normals and for triangle winding, that make the touched side face the
/// eye.
fn sides_of(posed: PosedSurface<'_>, touch: &Touch) -> [f32; 2] {
    let [a, b, c] = touch.corners.map(|v| posed.positions[to_index(v)]);
    let normal = (b - a).cross(c - a);
    let winding = if normal.dot(touch.direction) > 0.0 { -1.0 } else { 1.0 };
    let mean = touch.corners.iter().map(|v| posed.normals[to_index(*v)]).sum::<Vec3>();
    [if mean.dot(normal) * winding < 0.0 { -1.0 } else { 1.0 }, winding]
}

fn gather(
    positions: &[Vec3],
    out: &mut Vec<(u32, f32)>,
    test: impl Fn(Vec3) -> Option<f32> + Sync,
) {
    const CHUNK: usize = 16_384;
    let one = |(k, chunk): (usize, &[Vec3])| -> Vec<(u32, f32)> {
        let hits = chunk
            .iter()
            .enumerate()
            .filter_map(|(i, p)| test(*p).map(|d| (to_number(k * CHUNK + i), d)));
        hits.collect()
    };
    if positions.len() <= CHUNK {
        out.extend(one((0, positions)));
        return;
    }
    let lists: Vec<Vec<(u32, f32)>> = positions.par_chunks(CHUNK).enumerate().map(one).collect();
    lists.into_iter().for_each(|l| out.extend(l));
}
