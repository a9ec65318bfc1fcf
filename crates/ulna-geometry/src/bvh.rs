//! A bounding volume hierarchy over triangles, for ray hits and for vertices within a ball.
//!
//! The shape of the tree depends only on the number of triangles. Each leaf has eight triangles,
//! and every two neighboring nodes of a level have one parent. A level is therefore one slice of
//! boxes, and each node covers one range of leaves. A few plain loops, which run in parallel,
//! update all boxes.

use glam::{Vec3, Vec3A, Vec4};
use rayon::prelude::*;

use super::{Csr, CsrCounter, Ray};

/// A bounding volume hierarchy over triangles. The triangles are fixed; their vertices can move.
#[derive(Clone, Debug, Default)]
pub struct Bvh {
    /// Bounding boxes by level, from the leaves to the root. Each box encloses two boxes of the
    /// level before it.
    levels: Vec<Vec<Bounds>>,
    /// Triangle indices, grouped by leaf.
    triangles: Vec<u32>,
    /// Vertex indices owned by each leaf, one row per leaf. Every vertex that a triangle uses
    /// belongs to exactly one leaf.
    owned: Csr,
    /// Vertex indices of each leaf's triangles, one row per leaf. Each row is padded to a multiple
    /// of four with its last index.
    corners: Csr,
}

/// An axis-aligned box: its lowest and highest corner.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Bounds {
    low: Vec3A,
    high: Vec3A,
}

impl Bounds {
    const NOTHING: Self = Self { low: Vec3A::INFINITY, high: Vec3A::NEG_INFINITY };

    fn around(list: &[Self]) -> Self {
        let both = |a: Self, b: &Self| Self { low: a.low.min(b.low), high: a.high.max(b.high) };
        list.iter().fold(Self::NOTHING, both)
    }

    /// Distance along a ray to its entry into the box; `None` if it misses or the distance is not
    /// below `limit`. `inverse` is the reciprocal of the ray's direction.
    fn entry(&self, origin: Vec3A, inverse: Vec3A, limit: f32) -> Option<f32> {
        let a = (self.low - origin) * inverse;
        let b = (self.high - origin) * inverse;
        let enter = a.min(b).max_element().max(0.0);
        let leave = a.max(b).min_element();
        (enter <= leave.min(limit) && !leave.is_nan()).then_some(enter)
    }
}

/// A node: its level (0 for leaves) and its index in the level.
#[derive(Clone, Copy, Debug)]
struct NodeAt {
    level: usize,
    index: usize,
}

/// Triangles per leaf.
const LEAF: usize = 8;
/// Boxes per parallel task.
const TASK: usize = 4096;

/// A triangle during construction of the tree.
#[derive(Clone, Copy)]
struct Item {
    center: Vec3,
    triangle: u32,
}

impl Bvh {
    /// Builds a tree over the triangles of `indices`, three corners each. One or two extra indices
    /// at the end are ignored.
    pub fn build(positions: &[Vec3], indices: &[u32]) -> Self {
        let triangles = indices.as_chunks::<3>().0;
        let item = |(k, c): (usize, &[u32; 3])| Item {
            center: c.iter().map(|v| positions[*v as usize]).sum::<Vec3>() / 3.0,
            triangle: k as u32,
        };
        let mut items: Vec<Item> = triangles.par_iter().enumerate().map(item).collect();
        arrange(&mut items);
        let order: Vec<u32> = items.into_iter().map(|i| i.triangle).collect();
        let mut tree = Self { triangles: order, ..Self::default() };
        tree.share_out(positions.len(), triangles);
        let mut count = tree.leaf_count();
        while count > 0 {
            tree.levels.push(vec![Bounds::NOTHING; count]);
            count = if count > 1 { count.div_ceil(2) } else { 0 };
        }
        tree.refit(positions);
        tree
    }

    /// Assigns every vertex to the first leaf that uses it. Also stores the padded vertex list of
    /// every leaf.
    fn share_out(&mut self, vertices: usize, triangles: &[[u32; 3]]) {
        const NONE: u32 = u32::MAX;
        let mut owner = vec![NONE; vertices];
        let (mut owned, mut corners) = (Vec::new(), Vec::new());
        for (leaf, list) in self.triangles.chunks(LEAF).enumerate() {
            owned.clear();
            corners.clear();
            for vertex in list.iter().flat_map(|t| triangles[*t as usize]) {
                let owner = &mut owner[vertex as usize];
                if *owner == NONE {
                    *owner = leaf as u32;
                    owned.push(vertex);
                }
                if !corners.contains(&vertex) {
                    corners.push(vertex);
                }
            }
            if let Some(last) = corners.last().copied() {
                corners.resize(corners.len().next_multiple_of(4), last);
            }
            self.owned.push_row(owned.iter().copied());
            self.corners.push_row(corners.iter().copied());
        }
    }

    /// Number of triangles of the tree.
    pub const fn triangle_count(&self) -> usize {
        self.triangles.len()
    }

    fn leaf_count(&self) -> usize {
        self.triangles.len().div_ceil(LEAF)
    }

    fn root(&self) -> Option<NodeAt> {
        self.levels.len().checked_sub(1).map(|level| NodeAt { level, index: 0 })
    }

    fn bounds_of(&self, at: NodeAt) -> &Bounds {
        &self.levels[at.level][at.index]
    }

    /// Child nodes of a node, which must not be a leaf.
    fn below(&self, at: NodeAt) -> impl Iterator<Item = NodeAt> + use<> {
        let (level, first) = (at.level - 1, at.index * 2);
        (first..self.levels[level].len().min(first + 2)).map(move |index| NodeAt { level, index })
    }

    /// Range of the leaves under a node.
    fn leaves(&self, at: NodeAt) -> std::ops::Range<usize> {
        at.index << at.level..((at.index + 1) << at.level).min(self.leaf_count())
    }

    /// Lowest and highest corner of the bounding box of all used vertices; `None` if there are no
    /// triangles.
    pub fn bounds(&self) -> Option<(Vec3, Vec3)> {
        self.root().map(|root| self.bounds_of(root)).map(|b| (b.low.into(), b.high.into()))
    }

    /// Recomputes all boxes after vertices moved. `positions` are the new positions; the triangles
    /// are unchanged.
    pub fn refit(&mut self, positions: &[Vec3]) {
        let Some((leaves, above)) = self.levels.split_first_mut() else { return };
        let corners = &self.corners;
        leaves.par_chunks_mut(TASK).enumerate().for_each(|(task, boxes)| {
            for (k, bounds) in boxes.iter_mut().enumerate() {
                let leaf = task * TASK + k;
                *bounds = leaf_box(corners.row(leaf), positions);
            }
        });
        let mut below = leaves;
        for level in above {
            level.par_chunks_mut(TASK).zip(below.par_chunks(TASK * 2)).for_each(
                |(boxes, below)| {
                    for (bounds, pair) in boxes.iter_mut().zip(below.chunks(2)) {
                        *bounds = Bounds::around(pair);
                    }
                },
            );
            below = level;
        }
    }

    /// Recomputes the boxes of some leaves and of their ancestors, like [`Bvh::refit`] does for
    /// all. `nodes` are leaf indices in ascending order.
    pub fn refit_leaves(&mut self, mut nodes: Vec<u32>, positions: &[Vec3]) {
        for level in 0..self.levels.len() {
            let (below, here) = self.levels.split_at_mut(level);
            for index in nodes.iter().map(|n| *n as usize) {
                here[0][index] = match below.last() {
                    None => leaf_box(self.corners.row(index), positions),
                    Some(below) => {
                        Bounds::around(&below[index * 2..below.len().min(index * 2 + 2)])
                    }
                };
            }
            nodes.iter_mut().for_each(|n| *n /= 2);
            nodes.dedup();
        }
    }

    /// Builds an index that lists, for each vertex, the leaves that use it.
    pub fn leaves_of_vertices(&self, vertices: usize) -> LeavesOf {
        let mut counter = CsrCounter::new(vertices);
        self.corners.items().iter().for_each(|v| counter.add(*v as usize, 1));
        let mut filler = counter.filler(0);
        for leaf in 0..self.leaf_count() {
            for vertex in self.corners.row(leaf) {
                filler.push(*vertex as usize, [leaf as u32]);
            }
        }
        LeavesOf { lists: filler.finish(), marks: vec![0; self.leaf_count().div_ceil(64)] }
    }

    /// Finds the nearest triangle that a ray hits before `limit`, from either side. Returns the
    /// distance, the index of the triangle, and the barycentric coordinates, which sum to 1.
    pub fn hit(
        &self,
        positions: &[Vec3],
        indices: &[u32],
        ray: &Ray,
        limit: f32,
    ) -> Option<(f32, usize, [f32; 3])> {
        let root = self.root()?;
        let origin = Vec3A::from(ray.origin);
        let inverse = Vec3A::from(ray.direction).recip();
        let corners = indices.as_chunks::<3>().0;
        let mut best = None;
        let mut nearest = limit;
        let mut stack = Vec::with_capacity(64);
        stack.extend(
            self.bounds_of(root).entry(origin, inverse, nearest).map(|enter| (root, enter)),
        );
        while let Some((at, enter)) = stack.pop() {
            if enter > nearest {
                continue;
            }
            if at.level > 0 {
                let from = stack.len();
                for half in self.below(at) {
                    let enter = self.bounds_of(half).entry(origin, inverse, nearest);
                    stack.extend(enter.map(|enter| (half, enter)));
                }
                // Visit the nearer child first.
                if stack.len() == from + 2 && stack[from].1 <= stack[from + 1].1 {
                    stack.swap(from, from + 1);
                }
                continue;
            }
            let last = self.triangles.len().min((at.index + 1) * LEAF);
            for t in &self.triangles[at.index * LEAF..last] {
                let [p, q, r] = corners[*t as usize].map(|v| positions[v as usize]);
                if let Some((distance, shares)) = ray_triangle(ray, [p, q, r], 0.0)
                    && distance < nearest
                {
                    nearest = distance;
                    best = Some((distance, *t as usize, shares));
                }
            }
        }
        best
    }

    /// Whether any triangle crosses the segment of length `limit` from the origin of a ray.
    /// Triangles extend a little beyond their edges, so that no ray passes between two neighbors.
    pub fn is_blocked(&self, positions: &[Vec3], indices: &[u32], ray: &Ray, limit: f32) -> bool {
        /// Tolerance for rounding errors, relative to the height of a triangle.
        const SLACK: f32 = 1e-5;
        let origin = Vec3A::from(ray.origin);
        let inverse = Vec3A::from(ray.direction).recip();
        let corners = indices.as_chunks::<3>().0;
        let mut stack: Vec<NodeAt> = Vec::with_capacity(64);
        stack.extend(self.root());
        while let Some(at) = stack.pop() {
            if self.bounds_of(at).entry(origin, inverse, limit).is_none() {
                continue;
            }
            if at.level > 0 {
                stack.extend(self.below(at));
                continue;
            }
            let last = self.triangles.len().min((at.index + 1) * LEAF);
            let blocks = |t: &u32| {
                let [p, q, r] = corners[*t as usize].map(|v| positions[v as usize]);
                ray_triangle(ray, [p, q, r], SLACK).is_some_and(|(distance, _)| distance < limit)
            };
            if self.triangles[at.index * LEAF..last].iter().any(blocks) {
                return true;
            }
        }
        false
    }

    /// Visits triangles near a point, leaf by leaf, approximately nearest first. `visit` returns
    /// the current search radius, and boxes beyond that radius are skipped.
    pub fn near(&self, point: Vec3, mut visit: impl FnMut(usize) -> f32) {
        let Some(root) = self.root() else { return };
        let point = Vec3A::from(point);
        let away = |at: NodeAt| {
            let Bounds { low, high } = *self.bounds_of(at);
            point.max(low).min(high).distance(point)
        };
        let mut nearest = f32::INFINITY;
        let mut stack = Vec::with_capacity(64);
        stack.push((root, away(root)));
        while let Some((at, distance)) = stack.pop() {
            if distance >= nearest {
                continue;
            }
            if at.level > 0 {
                let from = stack.len();
                stack.extend(self.below(at).map(|half| (half, away(half))));
                // Visit the nearer child first.
                if stack.len() == from + 2 && stack[from].1 <= stack[from + 1].1 {
                    stack.swap(from, from + 1);
                }
                continue;
            }
            let last = self.triangles.len().min((at.index + 1) * LEAF);
            for t in &self.triangles[at.index * LEAF..last] {
                nearest = visit(*t as usize);
            }
        }
    }

    /// Calls `add` with the vertices of all leaves whose boxes are within `radius` of `center`.
    /// Each vertex is passed once. Some vertices outside the ball are included; vertices without
    /// triangles are not.
    pub fn around(&self, center: Vec3, radius: f32, add: &mut impl FnMut(&[u32])) {
        if radius.is_nan() || radius < 0.0 {
            return;
        }
        let within = Vec3A::from(center);
        let square = radius * radius;
        let mut stack: Vec<NodeAt> = self.root().into_iter().collect();
        while let Some(at) = stack.pop() {
            let Bounds { low, high } = *self.bounds_of(at);
            let nearest = within.clamp(low, high.max(low)).distance_squared(within);
            if nearest > square || nearest.is_nan() {
                continue;
            }
            let farthest = (within - low).abs().max((high - within).abs()).length_squared();
            if at.level == 0 || farthest <= square {
                add(self.owned.rows(self.leaves(at)));
            } else {
                stack.extend(self.below(at));
            }
        }
    }
}

/// Bounding box of the vertices in `corners`, whose number must be a multiple of four.
fn leaf_box(corners: &[u32], positions: &[Vec3]) -> Bounds {
    let numbers: &[f32] = bytemuck::cast_slice(positions);
    // Load four numbers at once. The fourth number belongs to the next vertex, or is 0 after the
    // last vertex.
    let load = |vertex: u32| {
        let at = vertex as usize * 3;
        match numbers.get(at..at + 4) {
            Some(four) => Vec4::from_slice(four),
            None => positions[vertex as usize].extend(0.0),
        }
    };
    let (mut low, mut high) = (Vec4::INFINITY, Vec4::NEG_INFINITY);
    for four in corners.as_chunks::<4>().0 {
        let [a, b, c, d] = four.map(load);
        low = low.min(a.min(b).min(c.min(d)));
        high = high.max(a.max(b).max(c.max(d)));
    }
    Bounds { low: Vec3A::from_vec4(low), high: Vec3A::from_vec4(high) }
}

/// Sorts triangles into the order of the leaves. Splits along the longest side of the bounding box
/// of the triangles' centers. The first part always fills a whole node of the level below.
fn arrange(items: &mut [Item]) {
    let leaves = items.len().div_ceil(LEAF);
    if leaves <= 1 {
        return;
    }
    let (mut low, mut high) = (Vec3A::INFINITY, Vec3A::NEG_INFINITY);
    for item in items.iter() {
        low = low.min(item.center.into());
        high = high.max(item.center.into());
    }
    let size = high - low;
    let axis =
        if size.x >= size.y && size.x >= size.z { 0 } else { usize::from(size.y < size.z) + 1 };
    let middle = leaves.next_power_of_two() / 2 * LEAF;
    items.select_nth_unstable_by(middle, |a, b| a.center[axis].total_cmp(&b.center[axis]));
    let (left, right) = items.split_at_mut(middle);
    if leaves > TASK {
        rayon::join(|| arrange(left), || arrange(right));
    } else {
        arrange(left);
        arrange(right);
    }
}

/// Index from vertices to the leaves that use them. Temporary marks prevent duplicates in query
/// results.
#[derive(Clone, Debug)]
pub struct LeavesOf {
    lists: Csr,
    /// One temporary mark (bit) per leaf. All marks are 0 between queries.
    marks: Vec<u64>,
}

impl LeavesOf {
    /// Leaves that use at least one of `vertices`, in ascending order without duplicates.
    pub fn of(&mut self, vertices: &[u32]) -> Vec<u32> {
        for vertex in vertices {
            let vertex = *vertex as usize;
            for leaf in self.lists.row(vertex) {
                self.marks[*leaf as usize / 64] |= 1 << (leaf % 64);
            }
        }
        let mut leaves = Vec::new();
        for (k, word) in self.marks.iter_mut().enumerate() {
            while *word != 0 {
                leaves.push(k as u32 * 64 + word.trailing_zeros());
                *word &= *word - 1;
            }
        }
        leaves
    }
}

/// Intersection of a ray with a triangle from either side: Möller and Trumbore, *Fast, minimum
/// storage ray/triangle intersection* (1997). Points beyond an edge by up to `slack` of the
/// triangle's height count as hits.
fn ray_triangle(ray: &Ray, [a, b, c]: [Vec3; 3], slack: f32) -> Option<(f32, [f32; 3])> {
    let (ab, ac) = (b - a, c - a);
    let p = ray.direction.cross(ac);
    let determinant = ab.dot(p);
    if determinant == 0.0 || !determinant.is_finite() {
        return None;
    }
    let from = ray.origin - a;
    let u = from.dot(p) / determinant;
    let q = from.cross(ab);
    let v = ray.direction.dot(q) / determinant;
    let distance = ac.dot(q) / determinant;
    (u >= -slack && v >= -slack && u + v <= 1.0 + slack && distance > 0.0)
        .then_some((distance, [1.0 - u - v, u, v]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::Vec3Swizzles as _;

    /// Positions and triangle indices of a wavy sheet of `n` × `n` vertices.
    fn sheet(n: usize, bend: f32) -> (Vec<Vec3>, Vec<u32>) {
        let side = (n - 1) as f32;
        let positions = (0..n * n).map(|k| {
            let (x, y) = ((k % n) as f32 / side - 0.5, (k / n) as f32 / side - 0.5);
            Vec3::new(x, y, (x * 9.0).sin() * bend)
        });
        let mut indices = Vec::new();
        for a in (0..(n - 1) * n).filter(|a| a % n < n - 1) {
            let (a, n) = (a as u32, n as u32);
            indices.extend([a, a + 1, a + n, a + 1, a + n + 1, a + n]);
        }
        (positions.collect(), indices)
    }

    #[test]
    fn ray_hits_equal_brute_force_after_a_refit_too() {
        let (before, indices) = sheet(41, 0.1);
        let mut tree = Bvh::build(&before, &indices);
        let (positions, _) = sheet(41, 0.4);
        tree.refit(&positions);
        let mut hits = 0;
        for k in 0..200 {
            let angle = k as f32 * 0.37;
            let origin =
                Vec3::new(angle.cos() * 2.0, (k as f32 * 0.11).sin() * 0.4, angle.sin() * 2.0);
            let ray =
                Ray { origin, direction: (Vec3::new(0.1, 0.05, 0.0) - origin).normalize_or_zero() };
            let plain = indices
                .chunks_exact(3)
                .filter_map(|c| {
                    ray_triangle(&ray, [0, 1, 2].map(|k| positions[c[k] as usize]), 0.0)
                })
                .map(|h| h.0)
                .min_by(f32::total_cmp);
            let found = tree.hit(&positions, &indices, &ray, f32::INFINITY).map(|h| h.0);
            assert_eq!(found, plain);
            hits += usize::from(found.is_some());
        }
        assert!(hits > 50, "{hits}");
    }

    /// Checks that every box is exactly the bounding box of its triangles.
    fn check_boxes(tree: &Bvh, positions: &[Vec3], indices: &[u32]) {
        let mut stack: Vec<NodeAt> = tree.root().into_iter().collect();
        let mut nodes = 0;
        while let Some(at) = stack.pop() {
            let leaves = tree.leaves(at);
            let last = tree.triangles.len().min(leaves.end * LEAF);
            let corners = tree.triangles[leaves.start * LEAF..last]
                .iter()
                .flat_map(|t| &indices[*t as usize * 3..][..3]);
            let (mut low, mut high) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
            for p in corners.map(|v| positions[*v as usize]) {
                (low, high) = (low.min(p), high.max(p));
            }
            assert_eq!(*tree.bounds_of(at), Bounds { low: low.into(), high: high.into() });
            nodes += 1;
            if at.level > 0 {
                stack.extend(tree.below(at));
            }
        }
        assert_eq!(nodes, tree.levels.iter().map(Vec::len).sum::<usize>());
    }

    #[test]
    fn every_box_is_the_exact_bound_of_its_triangles() {
        // The largest sheet is built and refitted in several tasks.
        for n in [2, 3, 4, 17, 150] {
            let (positions, indices) = sheet(n, 0.2);
            let mut tree = Bvh::build(&positions, &indices);
            check_boxes(&tree, &positions, &indices);
            let mut seen = tree.triangles.clone();
            seen.sort_unstable();
            assert!(seen.iter().copied().eq(0..indices.len() as u32 / 3));
            let (mut positions, _) = sheet(n, -0.7);
            tree.refit(&positions);
            check_boxes(&tree, &positions, &indices);
            // Refit only a few leaves.
            let moved: Vec<u32> = (0..positions.len() as u32).filter(|k| k % 97 == 3).collect();
            for v in &moved {
                positions[*v as usize] += Vec3::new(0.3, -2.0, *v as f32);
            }
            let leaves = tree.leaves_of_vertices(positions.len()).of(&moved);
            assert!(leaves.is_sorted() && (n < 17 || leaves.len() < tree.leaf_count()));
            tree.refit_leaves(leaves, &positions);
            check_boxes(&tree, &positions, &indices);
        }
    }

    #[test]
    fn a_sphere_query_returns_each_vertex_once() {
        let (positions, indices) = sheet(60, 0.3);
        let mut tree = Bvh::build(&positions, &indices);
        tree.refit(&positions);
        let (mut counts, mut more) = (Vec::new(), 0);
        for (center, radius) in [
            (Vec3::ZERO, 0.2),
            (Vec3::new(0.5, 0.5, 0.0), 0.7),
            (Vec3::new(0.1, -0.3, 0.2), 0.02),
            (Vec3::ZERO, 10.0),
            (Vec3::splat(9.0), 1.0),
            (Vec3::ZERO, 0.0),
            (Vec3::ZERO, f32::INFINITY),
            (Vec3::NAN, 1.0),
            (Vec3::ZERO, f32::NAN),
        ] {
            let mut found = Vec::new();
            tree.around(center, radius, &mut |list| found.extend_from_slice(list));
            found.sort_unstable();
            let near = |v: &u32| positions[*v as usize].distance_squared(center) <= radius * radius;
            assert!(found.is_sorted_by(|a, b| a < b), "each once");
            more += found.iter().filter(|v| !near(v)).count();
            found.retain(near);
            let plain: Vec<u32> = (0..positions.len() as u32).filter(near).collect();
            assert_eq!(found, plain, "{center} {radius}");
            counts.push(found.len());
        }
        assert_eq!((counts[3], counts[4], counts[6]), (3600, 0, 3600));
        assert!(more * 4 < counts.iter().sum(), "{more} more than {counts:?}");
        assert!(counts[0] > 100 && counts[1] > 500, "{counts:?}");
    }

    #[test]
    fn non_finite_positions_and_empty_trees_give_no_invalid_hits() {
        let ray = Ray { origin: Vec3::new(0.0, 0.0, 5.0), direction: Vec3::NEG_Z };
        let empty = Bvh::build(&[], &[]);
        assert!(empty.hit(&[], &[], &ray, f32::INFINITY).is_none());
        assert!(empty.bounds().is_none());
        let (mut positions, indices) = sheet(30, 0.1);
        for (k, place) in positions.iter_mut().enumerate() {
            match k % 5 {
                0 => *place = Vec3::NAN,
                1 => place.x = f32::INFINITY,
                _ => {}
            }
        }
        let tree = Bvh::build(&positions, &indices);
        assert!(
            tree.hit(&positions, &indices, &ray, f32::INFINITY).is_none_or(|h| h.0.is_finite())
        );
        tree.around(Vec3::ZERO, 1.0, &mut |list| assert!(list.len() <= positions.len()));
    }

    #[test]
    fn a_segment_is_blocked_where_a_ray_hits_and_at_edges_too() {
        let (positions, indices) = sheet(30, 0.2);
        let tree = Bvh::build(&positions, &indices);
        let blocked = |origin: Vec3, to: Vec3| {
            let limit = origin.distance(to);
            let ray = Ray { origin, direction: (to - origin) / limit };
            let hit = tree.hit(&positions, &indices, &ray, limit).is_some();
            let is_blocked = tree.is_blocked(&positions, &indices, &ray, limit);
            assert!(is_blocked || !hit, "{origin} {to}");
            is_blocked
        };
        for k in 0..400 {
            let (a, b) = ((k as f32 * 0.37).sin() * 0.45, (k as f32 * 0.73).sin() * 0.45);
            assert!(blocked(Vec3::new(a, b, 1.0), Vec3::new(b, a, -1.0)));
            assert!(!blocked(Vec3::new(a, b, 1.0), Vec3::new(b, a, 0.3)));
        }
        // Oblique rays through each inner edge and vertex of the sheet.
        for corners in indices.as_chunks::<3>().0 {
            for k in 0..3 {
                let [p, q] = [corners[k], corners[(k + 1) % 3]].map(|v| positions[v as usize]);
                for at in
                    [p, p.lerp(q, 0.37)].into_iter().filter(|at| at.abs().xy().max_element() < 0.48)
                {
                    let way = Vec3::new(0.3, 0.17, 1.0);
                    assert!(blocked(at + way, at - way), "{at}");
                }
            }
        }
        let nothing = Bvh::build(&[], &[]);
        let ray = Ray { origin: Vec3::ZERO, direction: Vec3::X };
        assert!(!nothing.is_blocked(&[], &[], &ray, 1.0));
    }
}
