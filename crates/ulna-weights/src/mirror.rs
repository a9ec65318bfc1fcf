//! The other side: places paired across a plane by where they lie, then by how they hang together.

use std::collections::HashMap;

use glam::{Vec2, Vec3};
use rayon::prelude::*;

use super::{SkinnedSurface, one_sided::is_one_sided, topology::NO_POINT};
use ulna_geometry::PointGrid;
use ulna_model::Document;
use ulna_motion::MirrorPairs;

/// Which place and which joint is the other's mirror.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MirrorMap {
    places: Vec<u32>,
    joints: Vec<u16>,
    /// Where the weight of each joint goes on the other side.
    across: Vec<u16>,
    parents: Vec<u16>,
    /// Places without a partner.
    pub unpaired: usize,
    /// Places that were paired by their neighbors, not by where they lie.
    pub by_topology: usize,
}

impl MirrorMap {
    /// Pairs the places of a canvas across the plane `axis = offset` of its mesh space. `joints`
    /// are the partners of the skin's joints; a center joint is its own, `u16::MAX` is nobody's.
    ///
    /// A pair is the nearest place to the mirrored spot within `tolerance` meters, if it is so both
    /// ways; on a canvas of several skins the nearest of the same skin, and only where that has
    /// none, of another. What is left is paired by the neighbors: of two paired places, the
    /// neighbors that alone are unpaired mirror each other; then triangle by triangle.
    pub fn new(
        canvas: &SkinnedSurface,
        axis: usize,
        offset: f32,
        tolerance: f32,
        joints: Vec<u16>,
    ) -> Self {
        /// Meshes over one another that are told apart.
        const LAYERS: usize = 4;
        let rest = canvas.rest();
        let mirrored = |p: Vec3| {
            let mut p = p;
            p[axis] = 2.0 * offset - p[axis];
            p
        };
        // Many places lie in a plane through 0, which is therefore no border of cells.
        let cell = (tolerance * 24.0).max(f32::MIN_POSITIVE);
        let grid = PointGrid::new(rest, cell, 0.5, CROWD);
        let nearest_of = |accept: &(dyn Fn(u32, u32) -> bool + Sync)| -> Vec<u32> {
            let one = |(k, p): (usize, &Vec3)| {
                nearest(&grid, rest, mirrored(*p), tolerance, |q| accept(k as u32, q))
            };
            rest.par_iter().enumerate().with_min_len(1024).map(one).collect()
        };
        let owners = canvas.owners();
        if owners.is_empty() {
            return Self::completed(
                canvas,
                mutual(&nearest_of(&|_, _| true)),
                axis,
                offset,
                joints,
            );
        }
        // First what is of the same skin: meshes of others may lie there, too.
        let is_same = |a: u32, b: u32| owners[a as usize] == owners[b as usize];
        let mut places = mutual(&nearest_of(&is_same));
        // Where meshes of several others lie one over the other, each finds its own in the end.
        for _ in 0..LAYERS {
            let is_open = |p: u32| places[p as usize] == NO_POINT;
            let others = mutual(&nearest_of(&|a, b| is_open(a) && is_open(b) && !is_same(a, b)));
            let found = others.iter().zip(&mut places).filter(|(other, _)| **other != NO_POINT);
            if found.map(|(other, place)| *place = *other).count() == 0 {
                break;
            }
        }
        Self::completed(canvas, places, axis, offset, joints)
    }

    /// Pairs places whose texture coordinates are the same, or mirrored about the middle of the
    /// picture, on different sides of the plane; of several, the one that lies nearest to the
    /// mirrored spot. What lies on the plane is its own mirror. What is left is paired as by
    /// [`MirrorMap::new`].
    pub fn by_uv(
        canvas: &SkinnedSurface,
        uv_of: &dyn Fn(u32) -> Option<Vec2>,
        axis: usize,
        offset: f32,
        joints: Vec<u16>,
    ) -> Self {
        /// Steps of the grid along one side of the picture: coordinates nearer than that are the
        /// same.
        const STEPS: f32 = 4_096.0;
        /// Coordinates past that are no place of a picture.
        const FAR: f32 = 1e6;
        let rest = canvas.rest();
        let size = rest
            .iter()
            .map(|p| (p[axis] - offset).abs())
            .filter(|d| d.is_finite())
            .fold(0.0, f32::max);
        let cell = |uv: Vec2| ((uv.x * STEPS).round() as i64, (uv.y * STEPS).round() as i64);
        let uvs: Vec<Option<Vec2>> = (0..rest.len() as u32)
            .map(|p| uv_of(canvas.first_at(p)).filter(|uv| uv.abs().max_element() < FAR))
            .collect();
        let mut grid: HashMap<(i64, i64), Vec<u32>> = HashMap::new();
        for (p, uv) in uvs.iter().enumerate() {
            if let Some(uv) = uv {
                grid.entry(cell(*uv)).or_default().push(p as u32);
            }
        }
        let side = |p: u32| rest[p as usize][axis] - offset;
        let owners = canvas.owners();
        // What is of the same skin comes first: meshes of others may have the same picture.
        let is_other =
            |p: u32, q: u32| !owners.is_empty() && owners[p as usize] != owners[q as usize];
        let partner = |(p, uv): (usize, &Option<Vec2>)| {
            let (p, Some(uv)) = (p as u32, uv) else { return NO_POINT };
            if side(p).abs() <= size * 1e-4 {
                return p;
            }
            let mut image = rest[p as usize];
            image[axis] = 2.0 * offset - image[axis];
            let mut best = (true, f32::INFINITY, NO_POINT);
            for uv in [*uv, Vec2::new(1.0 - uv.x, uv.y)] {
                let (x, y) = cell(uv);
                let around = (-1..=1).flat_map(|dx| (-1..=1).map(move |dy| (x + dx, y + dy)));
                // A picture's corner that holds thousands of places tells nothing of any of them.
                for q in
                    around.filter_map(|c| grid.get(&c)).flat_map(|list| list.iter().take(CROWD))
                {
                    let found = (is_other(p, *q), rest[*q as usize].distance_squared(image), *q);
                    if side(*q) * side(p) < 0.0 && found < best {
                        best = found;
                    }
                }
            }
            best.2
        };
        let one_way: Vec<u32> = uvs.iter().enumerate().map(partner).collect();
        Self::completed(canvas, mutual(&one_way), axis, offset, joints)
    }

    /// With what is left paired by how places hang together.
    fn completed(
        canvas: &SkinnedSurface,
        mut places: Vec<u32>,
        axis: usize,
        offset: f32,
        joints: Vec<u16>,
    ) -> Self {
        let by_topology = by_neighbors(canvas, &mut places, axis, offset)
            + by_triangles(canvas, &mut places, axis, offset);
        let unpaired = places.iter().filter(|p| **p == NO_POINT).count();
        let parents = canvas.parents().to_vec();
        Self { places, across: across(&joints, &parents), joints, parents, unpaired, by_topology }
    }

    /// The two sides of a canvas, as the roles of its joints have them. Where those of the other
    /// side are on another skin, no place has a mirror image here.
    pub fn of(document: &Document, canvas: &SkinnedSurface, roles: &MirrorPairs) -> Self {
        let joints = roles.mirror_joints();
        if !is_one_sided(document, canvas.skin) {
            return Self::near(canvas, roles.axis(), roles.offset(), joints);
        }
        let (count, parents) = (canvas.place_count(), canvas.parents().to_vec());
        let across = across(&joints, &parents);
        Self {
            places: vec![NO_POINT; count],
            across,
            joints,
            parents,
            unpaired: count,
            by_topology: 0,
        }
    }

    /// [`MirrorMap::new`] with a tolerance of a ten-thousandth of the surface's size.
    pub fn near(canvas: &SkinnedSurface, axis: usize, offset: f32, joints: Vec<u16>) -> Self {
        let bounds = canvas
            .rest()
            .iter()
            .fold((Vec3::INFINITY, Vec3::NEG_INFINITY), |(l, h), p| (l.min(*p), h.max(*p)));
        let tolerance = ((bounds.1 - bounds.0).length() * 1e-4).max(1e-7);
        Self::new(canvas, axis, offset, tolerance, joints)
    }

    /// The same pairs of places, with others of joints.
    #[must_use]
    pub fn with_joints(&self, joints: Vec<u16>) -> Self {
        Self { across: across(&joints, &self.parents), joints, ..self.clone() }
    }

    /// The mirror of a place.
    #[inline]
    pub fn place(&self, place: u32) -> u32 {
        self.places.get(place as usize).copied().unwrap_or(NO_POINT)
    }

    /// The places without a partner, in rising order.
    pub fn alone(&self) -> impl Iterator<Item = u32> + '_ {
        (0u32..).zip(&self.places).filter(|(_, other)| **other == NO_POINT).map(|(place, _)| place)
    }

    /// The mirror joint of each of the skin's joints; `u16::MAX` for none.
    pub fn joints(&self) -> &[u16] {
        &self.joints
    }

    /// The mirror of a joint; `u16::MAX` where it has none.
    #[inline]
    pub fn joint(&self, joint: u16) -> u16 {
        self.joints.get(usize::from(joint)).copied().unwrap_or(u16::MAX)
    }

    /// Which joint has on the other side what a joint has on this one: its mirror; where it has
    /// none, as what one hand holds, that of its nearest ancestor that has one; else itself.
    #[inline]
    pub fn across(&self, joint: u16) -> u16 {
        self.across.get(usize::from(joint)).copied().unwrap_or(joint)
    }
}

/// Of pairs that were found one way, those that are so both ways.
fn mutual(one_way: &[u32]) -> Vec<u32> {
    let both = |(p, q): (usize, &u32)| {
        let is_so = *q != NO_POINT && one_way[*q as usize] == p as u32;
        if is_so { *q } else { NO_POINT }
    };
    one_way.iter().enumerate().map(both).collect()
}

/// [`MirrorMap::across`] for every joint.
fn across(joints: &[u16], parents: &[u16]) -> Vec<u16> {
    let of = |joint: u16| joints.get(usize::from(joint)).copied().filter(|p| *p != u16::MAX);
    let one = |joint: u16| {
        let mut at = joint;
        // No more steps than joints, whatever the list of parents says.
        for _ in 0..joints.len() {
            if let Some(partner) = of(at) {
                return partner;
            }
            match parents.get(usize::from(at)) {
                Some(parent) if *parent != u16::MAX => at = *parent,
                _ => break,
            }
        }
        joint
    };
    (0..joints.len()).map(|j| one(j as u16)).collect()
}

/// Places of a cell that are looked at; what lies beyond is left to the neighbors.
const CROWD: usize = 256;

/// Of the places that are accepted, the nearest to a spot within the tolerance.
fn nearest(
    grid: &PointGrid,
    rest: &[Vec3],
    at: Vec3,
    tolerance: f32,
    accept: impl Fn(u32) -> bool,
) -> u32 {
    let mut best = (tolerance * tolerance, NO_POINT);
    grid.visit_near(rest, at, tolerance, |k| {
        let square = rest[k as usize].distance_squared(at);
        if square <= best.0 && (square < best.0 || k < best.1) && accept(k) {
            best = (square, k);
        }
    });
    best.1
}

/// Pairs what is left by its paired neighbors; how many places that paired. Of two places that
/// mirror each other, the unpaired neighbors mirror each other: the only ones left whatever their
/// places, of several those that lie nearest to each other's mirror images, nearer than half the
/// way to the neighbor that is known.
fn by_neighbors(canvas: &SkinnedSurface, places: &mut [u32], axis: usize, offset: f32) -> usize {
    // Only next to what is unpaired there is something to find.
    let open = (0..places.len() as u32).filter(|p| places[*p as usize] == NO_POINT);
    let mut front: Vec<u32> = open.flat_map(|p| canvas.ring(p)).copied().collect();
    front.retain(|p| places[*p as usize] != NO_POINT);
    front.sort_unstable();
    front.dedup();
    let mut paired = 0;
    let rest = canvas.rest();
    let side = |p: u32| (rest[p as usize][axis] - offset).signum();
    let away = |a: u32, b: u32| {
        let mut image = rest[a as usize];
        image[axis] = 2.0 * offset - image[axis];
        image.distance(rest[b as usize])
    };
    while !front.is_empty() {
        let mut next = Vec::new();
        for p in front {
            let q = places[p as usize];
            let open = |of: u32, places: &[u32]| -> Vec<u32> {
                canvas
                    .ring(of)
                    .iter()
                    .copied()
                    .filter(|n| places[*n as usize] == NO_POINT)
                    .collect()
            };
            /// Pairs of neighbors that are looked at: a place with thousands of them tells
            /// nothing.
            const MOST: usize = 4_096;
            let (here, there) = (open(p, places), open(q, places));
            if here.len() * there.len() > MOST {
                continue;
            }
            let nearest = |a: u32, list: &[u32]| {
                list.iter().copied().min_by(|x, y| away(a, *x).total_cmp(&away(a, *y)))
            };
            for a in &here {
                let Some(b) = nearest(*a, &there) else { continue };
                let alone = here.len() == 1 && there.len() == 1;
                let near = || away(*a, b) < rest[p as usize].distance(rest[*a as usize]) * 0.5;
                if !alone && (nearest(b, &here) != Some(*a) || !near()) {
                    continue;
                }
                // Of a place and its mirror on the same side, neither is the other's; what is its
                // own lies on the plane.
                let wrong = if *a == b { !near() } else { side(*a) == side(b) };
                if wrong || places[*a as usize] != NO_POINT || places[b as usize] != NO_POINT {
                    continue;
                }
                places[*a as usize] = b;
                places[b as usize] = *a;
                paired += if *a == b { 1 } else { 2 };
                next.extend([*a, b]);
            }
        }
        front = next;
    }
    paired
}

/// Pairs what is left triangle by triangle, wherever it lies: where an edge has a mirror edge, the
/// triangles beyond them mirror each other, and so do their third places, if as many edges meet in
/// both. How many places that paired.
fn by_triangles(canvas: &SkinnedSurface, places: &mut [u32], axis: usize, offset: f32) -> usize {
    let rest = canvas.rest();
    let side = |p: u32| rest[p as usize][axis] - offset;
    let mut front: Vec<u32> =
        (0..places.len() as u32).filter(|p| places[*p as usize] != NO_POINT).collect();
    let mut paired = 0;
    while let Some(a) = front.pop() {
        let image_of_a = places[a as usize];
        let mut found = Vec::new();
        for [b, third] in canvas.fan(a) {
            let image_of_b = places[*b as usize];
            if places[*third as usize] != NO_POINT || image_of_b == NO_POINT {
                continue;
            }
            // Seen in a mirror a triangle goes round the other way: a, b, t is b', a', t'.
            let Some([_, t]) = canvas.fan(image_of_b).iter().find(|[next, _]| *next == image_of_a)
            else {
                continue;
            };
            let alike = canvas.ring(*third).len() == canvas.ring(*t).len();
            if alike
                && places[*t as usize] == NO_POINT
                && t != third
                && side(*t) * side(*third) < 0.0
            {
                found.push((*third, *t));
            }
        }
        for (p, q) in found {
            if places[p as usize] == NO_POINT && places[q as usize] == NO_POINT {
                (places[p as usize], places[q as usize]) = (q, p);
                paired += 2;
                front.extend([a, p, q]);
            }
        }
    }
    paired
}
