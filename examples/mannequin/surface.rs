//! Converts signed distances to a mesh: surface nets on a fine grid over the left half, an even
//! remeshing to the target edge lengths, and a mirror image.

use std::collections::BTreeSet;

use fast_surface_nets::{SurfaceNetsBuffer, surface_nets};
use glam::{UVec3, Vec3, vec3};
use ndshape::{RuntimeShape, Shape as _};

use crate::body::Body;

/// A triangle mesh of the surface.
#[derive(Clone, Debug, Default)]
pub struct Mesh {
    /// Vertex positions, in meters.
    pub positions: Vec<Vec3>,
    /// Unit normals.
    pub normals: Vec<Vec3>,
    /// Corners of the triangles, counterclockwise as seen from outside.
    pub triangles: Vec<[u32; 3]>,
}

/// Width of a grid cell, in meters.
const CELL: f32 = 0.0026;
/// Width of the strips along edges between colors, in which the colors are blended, in meters.
const STRIP: f32 = 0.0015;
/// Offset that is added to the number of an edge for the far side of its strip.
const FAR: u32 = 1000;
/// Number of samples per side of a block. Blocks are skipped or filled as a whole.
const BLOCK: u32 = 14;

/// Extracts the surface of the body, symmetric about x = 0.
pub fn extract(body: &Body) -> Mesh {
    let (positions, triangles) = left_half(body);
    let mut half = Remesher::new(body, positions, triangles);
    for pass in 0..10 {
        half.collapse();
        half.flip();
        half.relax(if pass < 6 { 1 } else { 2 });
    }
    half.collapse();
    half.flip();
    half.untangle();
    half.loosen();
    half.outline(0.0);
    half.untangle();
    half.outline(STRIP);
    half.untangle();
    half.mirrored()
}

/// Computes surface nets over x >= 0. Vertices on the cut are exactly at x = 0.
fn left_half(body: &Body) -> (Vec<Vec3>, Vec<[u32; 3]>) {
    let (low, high) = body.bounds();
    // The plane x = 0 is in the middle of the second layer of cells, so that its vertices are on
    // the plane by symmetry.
    let origin = vec3(-1.5 * CELL, low.y, low.z);
    let size = ((high - origin) / CELL).ceil().as_uvec3() + UVec3::ONE;
    let shape = RuntimeShape::<u32, 3>::new(size.to_array());
    let place = |at: UVec3| origin + at.as_vec3() * CELL;
    let mut field = vec![1.0f32; shape.usize()];
    let blocks = size.map(|n| n.div_ceil(BLOCK));
    let reach = BLOCK as f32 * CELL * 0.5 * 3f32.sqrt() * 1.25 + 0.004;
    for block in all(blocks) {
        let first = block * BLOCK;
        let middle = body.distance(place(first) + Vec3::splat(BLOCK as f32 * CELL * 0.5));
        let near = middle.abs() < reach;
        for offset in all((size - first).min(UVec3::splat(BLOCK))) {
            let at = first + offset;
            let value = if near { body.distance(place(at)) } else { middle };
            field[shape.linearize(at.to_array()) as usize] = value;
        }
    }
    let mut buffer = SurfaceNetsBuffer::default();
    let last = (size - UVec3::ONE).to_array();
    surface_nets(&field, &shape, [0; 3], last, &mut buffer);

    let edge = CELL * 0.25;
    let positions: Vec<Vec3> = buffer
        .positions
        .iter()
        .map(|&p| {
            let p = origin + Vec3::from(p) * CELL;
            if p.x.abs() < edge { vec3(0.0, p.y, p.z) } else { p }
        })
        .collect();
    let triangles = buffer.indices.chunks_exact(3).map(|t| [t[0], t[1], t[2]]);
    let on_left = |t: &[u32; 3]| t.iter().all(|&v| positions[v as usize].x >= 0.0);
    let triangles = triangles.filter(on_left).collect();
    (positions, triangles)
}

fn all(size: UVec3) -> impl Iterator<Item = UVec3> {
    (0..size.z).flat_map(move |z| {
        (0..size.y).flat_map(move |y| (0..size.x).map(move |x| UVec3::new(x, y, z)))
    })
}

/// Remeshes a mesh with an open border at x = 0.
struct Remesher<'a> {
    body: &'a Body,
    positions: Vec<Vec3>,
    normals: Vec<Vec3>,
    /// Target edge length at each vertex, in meters.
    lengths: Vec<f32>,
    triangles: Vec<[u32; 3]>,
    /// Triangles around each vertex; empty for removed vertices.
    around: Vec<Vec<u32>>,
    border: Vec<bool>,
    /// Number of the edge between two colors that each vertex is on; 0 for none.
    line: Vec<u32>,
}

impl<'a> Remesher<'a> {
    fn new(body: &'a Body, positions: Vec<Vec3>, triangles: Vec<[u32; 3]>) -> Self {
        let mut around = vec![Vec::new(); positions.len()];
        for (t, corners) in triangles.iter().enumerate() {
            for &v in corners {
                around[v as usize].push(t as u32);
            }
        }
        let border = positions.iter().map(|p| p.x == 0.0).collect();
        let mut mesh = Self {
            body,
            normals: vec![Vec3::Y; positions.len()],
            lengths: vec![0.0; positions.len()],
            positions,
            triangles,
            around,
            border,
            line: Vec::new(),
        };
        mesh.line = vec![0; mesh.positions.len()];
        mesh.settle();
        mesh
    }

    /// Moves every vertex onto the surface, and updates its normal and target length.
    fn settle(&mut self) {
        for v in 0..self.positions.len() {
            if self.around[v].is_empty() {
                continue;
            }
            let mut p = self.body.project(self.positions[v], 4);
            let (on_line, line) = self.drawn(p, self.lengths[v]);
            // A triangle with all corners on one edge between colors would be a sliver.
            let others = |&t: &u32| self.triangles[t as usize].map(|u| self.line[u as usize]);
            let flat = |l: [u32; 3]| l.iter().filter(|&&l| l == line).count() > 1;
            if line != 0 && (self.line[v] == line || !self.around[v].iter().map(others).any(flat)) {
                (p, self.line[v]) = (on_line, line);
            } else {
                self.line[v] = 0;
            }
            if self.border[v] {
                p.x = 0.0;
            }
            self.positions[v] = p;
            self.normals[v] = self.body.normal(p);
            self.lengths[v] = self.body.edge_length(p);
        }
    }

    /// Moves a vertex near an edge between two colors onto this edge, so that colors have clean
    /// outlines. Returns the position and the number of the edge.
    fn drawn(&self, mut p: Vec3, length: f32) -> (Vec3, u32) {
        const H: f32 = 2e-4;
        let (s, line) = self.body.edge(p);
        if s.abs() > 0.4 * length {
            return (p, 0);
        }
        let start = p;
        for _ in 0..3 {
            let at = |d: Vec3| self.body.edge(p + d).0;
            let slope = vec3(
                at(Vec3::X * H) - at(Vec3::X * -H),
                at(Vec3::Y * H) - at(Vec3::Y * -H),
                at(Vec3::Z * H) - at(Vec3::Z * -H),
            ) / (2.0 * H);
            let slope = slope.reject_from_normalized(self.body.normal(p));
            let (s, now) = self.body.edge(p);
            // Edges that are almost parallel to the surface are ignored.
            if now != line || slope.length_squared() < 0.09 {
                return (start, 0);
            }
            p = self.body.project(p - slope * (s / slope.length_squared()), 3);
        }
        (p, line)
    }

    fn neighbors(&self, v: u32) -> BTreeSet<u32> {
        let corners = |&t: &u32| self.triangles[t as usize];
        let mut set: BTreeSet<u32> = self.around[v as usize].iter().flat_map(corners).collect();
        set.remove(&v);
        set
    }

    fn edges(&self) -> Vec<[u32; 2]> {
        let mut edges = Vec::with_capacity(self.triangles.len() * 2);
        for v in 0..self.positions.len() as u32 {
            if !self.around[v as usize].is_empty() {
                edges.extend(self.neighbors(v).range(v + 1..).map(|&u| [v, u]));
            }
        }
        edges
    }

    fn length(&self, a: u32, b: u32) -> f32 {
        self.positions[a as usize].distance(self.positions[b as usize])
    }

    fn wanted(&self, a: u32, b: u32) -> f32 {
        self.lengths[a as usize].min(self.lengths[b as usize])
    }

    /// Collapses edges that are too short, the shortest first.
    fn collapse(&mut self) {
        let mut edges: Vec<(f32, [u32; 2])> = self
            .edges()
            .into_iter()
            .map(|[a, b]| (self.length(a, b) / self.wanted(a, b), [a, b]))
            .filter(|&(ratio, _)| ratio < 0.8)
            .collect();
        edges.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        for (_, [a, b]) in edges {
            let gone = self.around[a as usize].is_empty() || self.around[b as usize].is_empty();
            if !gone && self.length(a, b) < 0.8 * self.wanted(a, b) {
                self.merge(a, b);
            }
        }
    }

    fn merge(&mut self, a: u32, b: u32) {
        // Vertices on the border or on an edge between colors are kept.
        let rank = |v: u32| (self.border[v as usize], self.line[v as usize] != 0);
        let (keep, drop) = if rank(b) > rank(a) { (b, a) } else { (a, b) };
        let (on, off) = (self.line[keep as usize], self.line[drop as usize]);
        if off != 0 && on != off {
            return;
        }
        let shared = self.beside(keep, drop);
        let both = self.border[a as usize] && self.border[b as usize];
        if shared.len() != if both { 1 } else { 2 } {
            return;
        }
        let (of_keep, of_drop) = (self.neighbors(keep), self.neighbors(drop));
        if of_keep.intersection(&of_drop).count() != shared.len() {
            return;
        }
        if self.border[keep as usize] && !self.border[drop as usize] {
            // The collapse would join the border with another part of it.
            let other = |v: &&u32| self.border[**v as usize] && **v != keep;
            if of_drop.iter().filter(other).any(|v| !of_keep.contains(v)) {
                return;
            }
        }
        let target = if rank(keep) != rank(drop) {
            self.positions[keep as usize]
        } else {
            (self.positions[keep as usize] + self.positions[drop as usize]) * 0.5
        };
        let limit = 1.35 * self.wanted(keep, drop);
        let too_far = |v: &u32| self.positions[*v as usize].distance(target) > limit;
        if of_keep.iter().chain(&of_drop).any(too_far) {
            return;
        }
        for &end in &[keep, drop] {
            for &t in &self.around[end as usize] {
                if shared.contains(&t) {
                    continue;
                }
                let corners = self.triangles[t as usize];
                let moved = corners.map(|v| match v {
                    v if v == end => target,
                    v => self.positions[v as usize],
                });
                let after = cross(moved);
                let facing: Vec3 = corners.iter().map(|&v| self.normals[v as usize]).sum();
                if after.dot(facing) < 0.35 * after.length() * facing.length() {
                    return;
                }
            }
        }
        for &t in &shared {
            for v in self.triangles[t as usize] {
                self.around[v as usize].retain(|&u| u != t);
            }
            self.triangles[t as usize] = [u32::MAX; 3];
        }
        for t in std::mem::take(&mut self.around[drop as usize]) {
            for v in &mut self.triangles[t as usize] {
                if *v == drop {
                    *v = keep;
                }
            }
            self.around[keep as usize].push(t);
        }
        self.positions[keep as usize] = target;
        self.lengths[keep as usize] = self.wanted(keep, drop);
    }

    /// Flips edges if this makes the numbers of neighbors more even.
    fn flip(&mut self) {
        for [a, b] in self.edges() {
            let Some((c, d)) = self.apexes(a, b) else {
                continue;
            };
            let off = |v: u32, change: i32| {
                let ideal = if self.border[v as usize] { 3 } else { 6 };
                (self.around[v as usize].len() as i32 + change - ideal).pow(2)
            };
            let before = off(a, 0) + off(b, 0) + off(c, 0) + off(d, 0);
            let after = off(a, -1) + off(b, -1) + off(c, 1) + off(d, 1);
            // Edges between colors should be mesh edges.
            if !self.drawn_between(a, b) && (after < before || self.drawn_between(c, d)) {
                self.turn(a, b, 0.5, 0.25);
            }
        }
    }

    /// Removes slivers, and triangles that face inward. Their longest edge is flipped, or their
    /// shortest edge collapsed.
    fn untangle(&mut self) {
        for _ in 0..3 {
            for t in 0..self.triangles.len() {
                let corners = self.triangles[t];
                if corners[0] == u32::MAX {
                    continue;
                }
                let [a, b, c] = corners;
                let mut sides = [[a, b], [b, c], [c, a]];
                sides.sort_by(|e, f| self.length(e[0], e[1]).total_cmp(&self.length(f[0], f[1])));
                let [shortest, _, longest] = sides;
                let n = cross(corners.map(|v| self.positions[v as usize]));
                let facing: Vec3 = corners.iter().map(|&v| self.normals[v as usize]).sum();
                let length = self.length(longest[0], longest[1]);
                if n.dot(facing) > 0.02 * length * length * facing.length() {
                    continue;
                }
                self.turn(longest[0], longest[1], 0.2, 0.02);
                if self.triangles[t] == corners {
                    self.merge(shortest[0], shortest[1]);
                }
            }
        }
    }

    /// Moves the corners of triangles that still face inward to the mean of their neighbors. Such
    /// corners leave their edge between colors.
    fn loosen(&mut self) {
        for _ in 0..6 {
            let mut tangled = BTreeSet::new();
            for corners in self.triangles.iter().filter(|t| t[0] != u32::MAX) {
                let n = cross(corners.map(|v| self.positions[v as usize]));
                let facing: Vec3 = corners.iter().map(|&v| self.normals[v as usize]).sum();
                if n.dot(facing) < 0.2 * n.length() * facing.length() {
                    tangled.extend(corners.iter().filter(|&&v| !self.border[v as usize]));
                }
            }
            for v in tangled {
                let ring = self.neighbors(v);
                let sum: Vec3 = ring.iter().map(|&u| self.positions[u as usize]).sum();
                let p = self.body.project(sum / ring.len() as f32, 4);
                self.positions[v as usize] = p;
                self.normals[v as usize] = self.body.normal(p);
                self.line[v as usize] = 0;
            }
        }
    }

    /// Whether two vertices are on the same edge between colors.
    fn drawn_between(&self, u: u32, v: u32) -> bool {
        let (u, v) = (self.line[u as usize], self.line[v as usize]);
        u == v && u != 0
    }

    /// Returns the triangles on both sides of an edge.
    fn beside(&self, a: u32, b: u32) -> Vec<u32> {
        let of_a = self.around[a as usize].iter().copied();
        of_a.filter(|&t| self.triangles[t as usize].contains(&b)).collect()
    }

    /// Returns the corners opposite an edge; `None` on the border.
    fn apexes(&self, a: u32, b: u32) -> Option<(u32, u32)> {
        let &[s, t] = self.beside(a, b).as_slice() else {
            return None;
        };
        let apex = |t: u32| {
            let mut corners = self.triangles[t as usize].into_iter();
            corners.find(|&v| v != a && v != b)
        };
        Some((apex(s)?, apex(t)?))
    }

    /// Flips the edge between `a` and `b`, so that it connects the opposite corners. Both new
    /// triangles must face along the surface normal (`facing` is the minimum cosine), and be no
    /// thinner than `least`.
    fn turn(&mut self, a: u32, b: u32, facing: f32, least: f32) {
        let Some((c, d)) = self.apexes(a, b) else {
            return;
        };
        // Two border vertices would be connected through the body.
        let across = self.border[c as usize] && self.border[d as usize];
        if c == d || across || !self.beside(c, d).is_empty() {
            return;
        }
        let shared = self.beside(a, b);
        let (s, t) = (shared[0], shared[1]);
        // Keeps the winding: in `s`, the edge goes either from a to b or from b to a.
        let corners = self.triangles[s as usize];
        let forward = (0..3).any(|i| corners[i] == a && corners[(i + 1) % 3] == b);
        let (first, second) = if forward { ([a, d, c], [d, b, c]) } else { ([b, d, c], [d, a, c]) };
        let sound = [first, second].iter().all(|corners| {
            let n = cross(corners.map(|v| self.positions[v as usize]));
            let agree = |&v: &u32| n.dot(self.normals[v as usize]) > facing * n.length();
            let sides = (0..3).map(|i| self.length(corners[i], corners[(i + 1) % 3]));
            let longest = sides.fold(0.0, f32::max);
            corners.iter().all(agree) && n.length() > least * longest * longest
        });
        if !sound {
            return;
        }
        self.triangles[s as usize] = first;
        self.triangles[t as usize] = second;
        let (leaves_s, leaves_t) = if forward { (b, a) } else { (a, b) };
        self.around[leaves_s as usize].retain(|&u| u != s);
        self.around[leaves_t as usize].retain(|&u| u != t);
        self.around[d as usize].push(s);
        self.around[c as usize].push(t);
    }

    /// Splits the mesh edges that cross an edge between colors, or a line at the distance `strip`
    /// from it.
    fn outline(&mut self, strip: f32) {
        for line in self.body.edges() {
            let inner = self.body.edge_is_inner(line);
            let beyond = if inner { -strip } else { strip };
            let number = if strip > 0.0 { line + FAR } else { line };
            for [a, b] in self.edges() {
                let (pa, pb) = (self.positions[a as usize], self.positions[b as usize]);
                let at = |p: Vec3| self.body.edge_distance(p, line) - beyond;
                let (sa, sb) = (at(pa), at(pb));
                if sa * sb >= 0.0 || sa.abs().min(sb.abs()) < 2e-4 {
                    continue;
                }
                let (mut low, mut high) = (0.0f32, 1.0f32);
                for _ in 0..12 {
                    let middle = (low + high) * 0.5;
                    if at(pa.lerp(pb, middle)) * sa > 0.0 {
                        low = middle;
                    } else {
                        high = middle;
                    }
                }
                let p = self.body.project(pa.lerp(pb, low), 4);
                if self.body.edge(p).1 == line {
                    self.split(a, b, p, number);
                }
            }
        }
    }

    fn split(&mut self, a: u32, b: u32, mut p: Vec3, line: u32) {
        let new = self.positions.len() as u32;
        let border = self.border[a as usize] && self.border[b as usize];
        if border {
            p.x = 0.0;
        }
        self.positions.push(p);
        self.normals.push(self.body.normal(p));
        self.lengths.push(self.wanted(a, b));
        self.border.push(border);
        self.line.push(line);
        self.around.push(Vec::new());
        let shared = self.beside(a, b);
        for t in shared {
            let corners = self.triangles[t as usize];
            let other = self.triangles.len() as u32;
            self.triangles.push(corners.map(|v| if v == a { new } else { v }));
            self.triangles[t as usize] = corners.map(|v| if v == b { new } else { v });
            self.around[b as usize].retain(|&u| u != t);
            self.around[b as usize].push(other);
            self.around[new as usize].extend([t, other]);
            for v in corners.into_iter().filter(|&v| v != a && v != b) {
                self.around[v as usize].push(other);
            }
        }
    }

    /// Moves vertices along the surface toward the mean of their neighbors.
    fn relax(&mut self, times: usize) {
        for _ in 0..times {
            let mut moved = self.positions.clone();
            for (v, moved) in moved.iter_mut().enumerate() {
                if self.around[v].is_empty() {
                    continue;
                }
                let ring = self.neighbors(v as u32);
                // Vertices on an edge between colors move only along it.
                let same = |u: &&u32| self.drawn_between(v as u32, **u);
                let on_line = ring.iter().filter(same).count() > 1;
                let (mut sum, mut total) = (Vec3::ZERO, 0.0);
                for &u in &ring {
                    let passed = if self.border[v] {
                        !self.border[u as usize]
                    } else {
                        on_line && !self.drawn_between(v as u32, u)
                    };
                    if passed {
                        continue;
                    }
                    // Neighbors with a shorter target length have a larger weight.
                    let weight = 1.0 / self.lengths[u as usize];
                    sum += self.positions[u as usize] * weight;
                    total += weight;
                }
                if total > 0.0 {
                    let step = (sum / total - self.positions[v]) * 0.7;
                    *moved += step.reject_from_normalized(self.normals[v]);
                }
            }
            self.positions = moved;
            self.settle();
        }
    }

    /// Returns the whole figure: this half and its mirror image, without unused vertices.
    fn mirrored(&self) -> Mesh {
        let mut mesh = Mesh::default();
        let used = |v: &usize| !self.around[*v].is_empty();
        let mut ids = vec![[0u32; 2]; self.positions.len()];
        for v in (0..self.positions.len()).filter(used) {
            for side in 0..2 {
                if side == 1 && self.border[v] {
                    ids[v][1] = ids[v][0];
                    continue;
                }
                ids[v][side] = mesh.positions.len() as u32;
                let sign = if side == 0 { 1.0 } else { -1.0 };
                let flip = vec3(sign, 1.0, 1.0);
                let mut normal = self.normals[v];
                if self.border[v] {
                    normal = vec3(0.0, normal.y, normal.z).normalize_or(Vec3::Y);
                }
                mesh.positions.push(self.positions[v] * flip);
                mesh.normals.push(normal * flip);
            }
        }
        for t in self.triangles.iter().filter(|t| t[0] != u32::MAX) {
            let [a, b, c] = t.map(|v| ids[v as usize]);
            mesh.triangles.push([a[0], b[0], c[0]]);
            mesh.triangles.push([a[1], c[1], b[1]]);
        }
        mesh
    }
}

/// Returns the normal of a triangle. Its length is twice the area.
fn cross([a, b, c]: [Vec3; 3]) -> Vec3 {
    (b - a).cross(c - a)
}
