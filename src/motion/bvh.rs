//! Triangles in a tree of boxes: what a ray hits, which vertices a ball holds.
//!
//! The shape of the tree follows from the number of triangles alone: leaves of eight, every inner node splits its leaves in
//! half, a node is followed by all of its left subtree and then by all of its right one. So a subtree is one slice of the
//! nodes, with one range of leaves, and is built and refitted beside others without a lock.

use glam::{Vec3, Vec3A};
use rayon::prelude::*;

use super::Ray;

/// A tree over triangles. The triangles stay the same; where they are may change.
#[derive(Clone, Debug, Default)]
pub struct Bvh {
    boxes: Vec<Bounds>,
    /// Triangle numbers, leaf by leaf.
    triangles: Vec<u32>,
    /// Vertices, leaf by leaf: each that a triangle uses is in one leaf.
    owned: Lists,
    /// Vertices of a leaf that another leaf owns.
    shared: Lists,
}

/// Lowest and highest corner.
#[derive(Clone, Copy, Debug)]
struct Bounds {
    low: Vec3,
    high: Vec3,
}

impl Bounds {
    const NOTHING: Self = Self { low: Vec3::INFINITY, high: Vec3::NEG_INFINITY };

    fn around(&self, other: &Self) -> Self {
        let low = Vec3A::from(self.low).min(Vec3A::from(other.low));
        let high = Vec3A::from(self.high).max(Vec3A::from(other.high));
        Self { low: low.into(), high: high.into() }
    }

    /// Where a ray enters it, if it does so before `limit`.
    fn entry(&self, origin: Vec3A, inverse: Vec3A, limit: f32) -> Option<f32> {
        let a = (Vec3A::from(self.low) - origin) * inverse;
        let b = (Vec3A::from(self.high) - origin) * inverse;
        let enter = a.min(b).max_element().max(0.0);
        let leave = a.max(b).min_element();
        (enter <= leave.min(limit) && !leave.is_nan()).then_some(enter)
    }
}

/// A list a leaf, one after the other.
#[derive(Clone, Debug, Default)]
struct Lists {
    /// Where each begins; one more at the end.
    starts: Vec<u32>,
    items: Vec<u32>,
}

impl Lists {
    fn of(&self, leaves: std::ops::Range<usize>) -> &[u32] {
        &self.items[self.starts[leaves.start] as usize..self.starts[leaves.end] as usize]
    }
}

/// A node with all below it: its number, its first leaf, how many leaves.
#[derive(Clone, Copy)]
struct Subtree {
    node: usize,
    leaf: usize,
    leaves: usize,
}

impl Subtree {
    /// Both halves; not of a leaf.
    const fn halves(self) -> (Self, Self) {
        let left = self.leaves / 2;
        // A tree of n leaves has 2n − 1 nodes.
        (
            Self { node: self.node + 1, leaf: self.leaf, leaves: left },
            Self { node: self.node + 2 * left, leaf: self.leaf + left, leaves: self.leaves - left },
        )
    }

    const fn range(self) -> std::ops::Range<usize> {
        self.leaf..self.leaf + self.leaves
    }
}

/// Triangles a leaf.
const LEAF: usize = 8;
/// Leaves below which a subtree is one task.
const TASK: usize = 2048;

/// A triangle while the tree is built.
#[derive(Clone, Copy)]
struct Item {
    centre: Vec3,
    triangle: u32,
}

impl Bvh {
    /// A tree over the triangles of `indices`, three corners each; what is left over is none.
    pub fn build(positions: &[Vec3], indices: &[u32]) -> Self {
        let triangles = indices.as_chunks::<3>().0;
        let item = |(k, c): (usize, &[u32; 3])| Item {
            centre: c.iter().map(|v| positions[*v as usize]).sum::<Vec3>() / 3.0,
            triangle: k as u32,
        };
        let mut items: Vec<Item> = triangles.par_iter().enumerate().map(item).collect();
        arrange(&mut items);
        let order: Vec<u32> = items.into_iter().map(|i| i.triangle).collect();
        let mut tree = Self { triangles: order, ..Self::default() };
        tree.share_out(positions.len(), triangles);
        tree.boxes = vec![Bounds::NOTHING; (2 * tree.leaf_count()).saturating_sub(1)];
        tree.refit(positions);
        tree
    }

    /// Gives every vertex to the first leaf that uses it.
    fn share_out(&mut self, vertices: usize, triangles: &[[u32; 3]]) {
        const NONE: u32 = u32::MAX;
        let mut owner = vec![NONE; vertices];
        for (leaf, list) in self.triangles.chunks(LEAF).enumerate() {
            self.owned.starts.push(self.owned.items.len() as u32);
            self.shared.starts.push(self.shared.items.len() as u32);
            let start = self.shared.items.len();
            for vertex in list.iter().flat_map(|t| triangles[*t as usize]) {
                let owner = &mut owner[vertex as usize];
                if *owner == NONE {
                    *owner = leaf as u32;
                    self.owned.items.push(vertex);
                } else if *owner != leaf as u32 && !self.shared.items[start..].contains(&vertex) {
                    self.shared.items.push(vertex);
                }
            }
        }
        for lists in [&mut self.owned, &mut self.shared] {
            lists.starts.push(lists.items.len() as u32);
        }
    }

    /// How many triangles it was built over.
    pub const fn triangle_count(&self) -> usize {
        self.triangles.len()
    }

    fn leaf_count(&self) -> usize {
        self.triangles.len().div_ceil(LEAF)
    }

    fn root(&self) -> Option<Subtree> {
        let leaves = self.leaf_count();
        (leaves > 0).then_some(Subtree { node: 0, leaf: 0, leaves })
    }

    /// Lowest and highest corner of all that the triangles use; `None` where there are none.
    pub fn bounds(&self) -> Option<(Vec3, Vec3)> {
        self.boxes.first().map(|b| (b.low, b.high))
    }

    /// New boxes for the same triangles with their corners at `positions`.
    pub fn refit(&mut self, positions: &[Vec3]) {
        let Some(root) = self.root() else { return };
        let mut boxes = std::mem::take(&mut self.boxes);
        self.refit_below(root, &mut boxes, positions);
        self.boxes = boxes;
    }

    /// [`Bvh::refit`] of a subtree whose boxes are `boxes`.
    fn refit_below(&self, at: Subtree, boxes: &mut [Bounds], positions: &[Vec3]) -> Bounds {
        let found = if at.leaves == 1 {
            self.leaf_box(at.leaf, positions)
        } else {
            let (left, right) = at.halves();
            let (low, high) = boxes[1..].split_at_mut(right.node - left.node);
            let (a, b) = if at.leaves > TASK {
                rayon::join(|| self.refit_below(left, low, positions), || self.refit_below(right, high, positions))
            } else {
                (self.refit_below(left, low, positions), self.refit_below(right, high, positions))
            };
            a.around(&b)
        };
        boxes[0] = found;
        found
    }

    fn leaf_box(&self, leaf: usize, positions: &[Vec3]) -> Bounds {
        let (mut low, mut high) = (Vec3A::INFINITY, Vec3A::NEG_INFINITY);
        for list in [&self.owned, &self.shared] {
            for vertex in list.of(leaf..leaf + 1) {
                let p = Vec3A::from(positions[*vertex as usize]);
                low = low.min(p);
                high = high.max(p);
            }
        }
        Bounds { low: low.into(), high: high.into() }
    }

    /// [`Bvh::refit`] of a few leaves, by number in rising order, and of what is above them.
    pub(super) fn refit_leaves(&mut self, leaves: &[u32], positions: &[Vec3]) {
        if let Some(root) = self.root().filter(|_| !leaves.is_empty()) {
            self.refit_some(root, leaves, positions);
        }
    }

    fn refit_some(&mut self, at: Subtree, leaves: &[u32], positions: &[Vec3]) {
        self.boxes[at.node] = if at.leaves == 1 {
            self.leaf_box(at.leaf, positions)
        } else {
            let (left, right) = at.halves();
            let (low, high) = leaves.split_at(leaves.partition_point(|l| (*l as usize) < right.leaf));
            for (half, list) in [(left, low), (right, high)] {
                if !list.is_empty() {
                    self.refit_some(half, list, positions);
                }
            }
            self.boxes[left.node].around(&self.boxes[right.node])
        };
    }

    /// For every vertex, the leaves that use it.
    pub(super) fn leaves_of_vertices(&self, vertices: usize) -> LeavesOf {
        let mut starts = vec![0u32; vertices + 1];
        let both = || [&self.owned, &self.shared].into_iter();
        for vertex in both().flat_map(|l| &l.items) {
            starts[*vertex as usize + 1] += 1;
        }
        for k in 0..vertices {
            starts[k + 1] += starts[k];
        }
        let mut next = starts.clone();
        let mut items = vec![0; starts[vertices] as usize];
        for lists in both() {
            for leaf in 0..self.leaf_count() {
                for vertex in lists.of(leaf..leaf + 1) {
                    let at = &mut next[*vertex as usize];
                    items[*at as usize] = leaf as u32;
                    *at += 1;
                }
            }
        }
        LeavesOf { lists: Lists { starts, items }, marks: vec![0; self.leaf_count().div_ceil(64)] }
    }

    /// The nearest triangle on a ray before `limit`, seen from either side: the distance, its number, and the shares of its
    /// corners, which sum to 1.
    pub fn hit(&self, positions: &[Vec3], indices: &[u32], ray: &Ray, limit: f32) -> Option<(f32, usize, [f32; 3])> {
        let root = self.root()?;
        let origin = Vec3A::from(ray.origin);
        let inverse = Vec3A::from(ray.direction).recip();
        let corners = indices.as_chunks::<3>().0;
        let mut best = None;
        let mut nearest = limit;
        let mut stack = Vec::with_capacity(64);
        stack.extend(self.boxes[0].entry(origin, inverse, nearest).map(|enter| (root, enter)));
        while let Some((at, enter)) = stack.pop() {
            if enter > nearest {
                continue;
            }
            if at.leaves > 1 {
                let (left, right) = at.halves();
                let [a, b] = [left, right]
                    .map(|half| self.boxes[half.node].entry(origin, inverse, nearest).map(|enter| (half, enter)));
                // The nearer one is looked at first.
                match (a, b) {
                    (Some(a), Some(b)) if a.1 <= b.1 => stack.extend([b, a]),
                    (a, b) => stack.extend(a.into_iter().chain(b)),
                }
                continue;
            }
            let last = self.triangles.len().min((at.leaf + 1) * LEAF);
            for t in &self.triangles[at.leaf * LEAF..last] {
                let [p, q, r] = corners[*t as usize].map(|v| positions[v as usize]);
                if let Some((distance, shares)) = ray_triangle(ray, p, q, r)
                    && distance < nearest
                {
                    nearest = distance;
                    best = Some((distance, *t as usize, shares));
                }
            }
        }
        best
    }

    /// Hands over triangles by rising distance of their boxes from a point, until none is nearer than `visit` last said.
    pub(super) fn near(&self, point: Vec3, mut visit: impl FnMut(usize) -> f32) {
        let Some(root) = self.root() else { return };
        let away = |node: usize| {
            let Bounds { low, high } = self.boxes[node];
            point.clamp(low.min(high), high.max(low)).distance(point)
        };
        let mut nearest = f32::INFINITY;
        let mut stack = Vec::with_capacity(64);
        stack.push((root, away(root.node)));
        while let Some((at, distance)) = stack.pop() {
            if distance >= nearest {
                continue;
            }
            if at.leaves > 1 {
                let (left, right) = at.halves();
                let (a, b) = ((left, away(left.node)), (right, away(right.node)));
                // The nearer one is looked at first.
                stack.extend(if a.1 <= b.1 { [b, a] } else { [a, b] });
                continue;
            }
            let last = self.triangles.len().min((at.leaf + 1) * LEAF);
            for t in &self.triangles[at.leaf * LEAF..last] {
                nearest = visit(*t as usize);
            }
        }
    }

    /// Hands over, list by list, the vertices at most `radius` from `centre`, each once. Vertices that no triangle uses are not seen.
    pub fn in_ball(&self, positions: &[Vec3], centre: Vec3, radius: f32, add: &mut impl FnMut(&[u32])) {
        if radius.is_nan() || radius < 0.0 {
            return;
        }
        let within = Vec3A::from(centre);
        let square = radius * radius;
        let mut stack: Vec<Subtree> = self.root().into_iter().collect();
        let mut found = Vec::new();
        while let Some(at) = stack.pop() {
            let (low, high) = (Vec3A::from(self.boxes[at.node].low), Vec3A::from(self.boxes[at.node].high));
            let nearest = within.clamp(low, high.max(low)).distance_squared(within);
            if nearest > square || nearest.is_nan() {
                continue;
            }
            let farthest = (within - low).abs().max((high - within).abs()).length_squared();
            if farthest <= square {
                add(self.owned.of(at.range()));
            } else if at.leaves > 1 {
                let (left, right) = at.halves();
                stack.extend([right, left]);
            } else {
                found.clear();
                let near = |v: &&u32| Vec3A::from(positions[**v as usize]).distance_squared(within) <= square;
                found.extend(self.owned.of(at.range()).iter().filter(near));
                add(&found);
            }
        }
    }
}

/// Puts triangles in the order of the leaves: by halves along the longest side of their centres' box.
fn arrange(items: &mut [Item]) {
    let leaves = items.len().div_ceil(LEAF);
    if leaves <= 1 {
        return;
    }
    let (mut low, mut high) = (Vec3A::INFINITY, Vec3A::NEG_INFINITY);
    for item in items.iter() {
        low = low.min(item.centre.into());
        high = high.max(item.centre.into());
    }
    let size = high - low;
    let axis = if size.x >= size.y && size.x >= size.z { 0 } else { usize::from(size.y < size.z) + 1 };
    let middle = leaves / 2 * LEAF;
    items.select_nth_unstable_by(middle, |a, b| a.centre[axis].total_cmp(&b.centre[axis]));
    let (left, right) = items.split_at_mut(middle);
    if leaves > TASK {
        rayon::join(|| arrange(left), || arrange(right));
    } else {
        arrange(left);
        arrange(right);
    }
}

/// The leaves that use each vertex, and marks to list some of them once.
#[derive(Clone, Debug)]
pub(super) struct LeavesOf {
    lists: Lists,
    /// A bit a leaf; all 0 between calls.
    marks: Vec<u64>,
}

impl LeavesOf {
    /// The leaves of some vertices, each once, in rising order.
    pub fn of(&mut self, vertices: &[u32]) -> Vec<u32> {
        for vertex in vertices {
            let vertex = *vertex as usize;
            for leaf in self.lists.of(vertex..vertex + 1) {
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

/// Möller and Trumbore, *Fast, minimum storage ray/triangle intersection* (1997), both sides.
fn ray_triangle(ray: &Ray, a: Vec3, b: Vec3, c: Vec3) -> Option<(f32, [f32; 3])> {
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
    (u >= 0.0 && v >= 0.0 && u + v <= 1.0 && distance > 0.0).then_some((distance, [1.0 - u - v, u, v]))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A wavy sheet of `n` × `n` vertices, and its triangles.
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
    fn the_tree_finds_what_a_plain_loop_finds_after_a_refit_too() {
        let (before, indices) = sheet(41, 0.1);
        let mut tree = Bvh::build(&before, &indices);
        let (positions, _) = sheet(41, 0.4);
        tree.refit(&positions);
        let mut hits = 0;
        for k in 0..200 {
            let angle = k as f32 * 0.37;
            let origin = Vec3::new(angle.cos() * 2.0, (k as f32 * 0.11).sin() * 0.4, angle.sin() * 2.0);
            let ray = Ray { origin, direction: (Vec3::new(0.1, 0.05, 0.0) - origin).normalize_or_zero() };
            let plain = indices
                .chunks_exact(3)
                .filter_map(|c| {
                    ray_triangle(&ray, positions[c[0] as usize], positions[c[1] as usize], positions[c[2] as usize])
                })
                .map(|h| h.0)
                .min_by(f32::total_cmp);
            let found = tree.hit(&positions, &indices, &ray, f32::INFINITY).map(|h| h.0);
            assert_eq!(found, plain);
            hits += usize::from(found.is_some());
        }
        assert!(hits > 50, "{hits}");
    }

    /// Every box is the one around the corners of its triangles: a refit leaves none behind, however many tasks it takes.
    fn check_boxes(tree: &Bvh, positions: &[Vec3], indices: &[u32]) {
        let mut stack: Vec<Subtree> = tree.root().into_iter().collect();
        let mut nodes = 0;
        while let Some(at) = stack.pop() {
            let last = tree.triangles.len().min((at.leaf + at.leaves) * LEAF);
            let corners = tree.triangles[at.leaf * LEAF..last].iter().flat_map(|t| &indices[*t as usize * 3..][..3]);
            let (mut low, mut high) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
            for p in corners.map(|v| positions[*v as usize]) {
                (low, high) = (low.min(p), high.max(p));
            }
            assert_eq!((tree.boxes[at.node].low, tree.boxes[at.node].high), (low, high));
            nodes += 1;
            if at.leaves > 1 {
                let (left, right) = at.halves();
                stack.extend([left, right]);
            }
        }
        assert_eq!(nodes, tree.boxes.len());
    }

    #[test]
    fn every_box_holds_its_triangles_and_no_more() {
        // The last one is built and refitted in several tasks.
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
            // A few leaves alone.
            let moved: Vec<u32> = (0..positions.len() as u32).filter(|k| k % 97 == 3).collect();
            for v in &moved {
                positions[*v as usize] += Vec3::new(0.3, -2.0, *v as f32);
            }
            let leaves = tree.leaves_of_vertices(positions.len()).of(&moved);
            assert!(leaves.is_sorted() && (n < 17 || leaves.len() < tree.leaf_count()));
            tree.refit_leaves(&leaves, &positions);
            check_boxes(&tree, &positions, &indices);
        }
    }

    #[test]
    fn a_ball_holds_each_of_its_vertices_once() {
        let (positions, indices) = sheet(60, 0.3);
        let mut tree = Bvh::build(&positions, &indices);
        tree.refit(&positions);
        let mut counts = Vec::new();
        for (centre, radius) in [
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
            tree.in_ball(&positions, centre, radius, &mut |list| found.extend_from_slice(list));
            found.sort_unstable();
            let near = |v: &u32| positions[*v as usize].distance_squared(centre) <= radius * radius;
            let plain: Vec<u32> = (0..positions.len() as u32).filter(near).collect();
            assert_eq!(found, plain, "{centre} {radius}");
            counts.push(found.len());
        }
        assert_eq!((counts[3], counts[4], counts[6]), (3600, 0, 3600));
        assert!(counts[0] > 100 && counts[1] > 500, "{counts:?}");
    }

    #[test]
    fn places_that_are_no_numbers_and_no_triangles_do_no_harm() {
        let ray = Ray { origin: Vec3::new(0.0, 0.0, 5.0), direction: Vec3::NEG_Z };
        let empty = Bvh::build(&[], &[]);
        assert!(empty.hit(&[], &[], &ray, f32::INFINITY).is_none());
        assert!(empty.bounds().is_none());
        let (mut positions, indices) = sheet(30, 0.1);
        for (k, position) in positions.iter_mut().enumerate() {
            match k % 5 {
                0 => *position = Vec3::NAN,
                1 => position.x = f32::INFINITY,
                _ => {}
            }
        }
        let tree = Bvh::build(&positions, &indices);
        assert!(tree.hit(&positions, &indices, &ray, f32::INFINITY).is_none_or(|h| h.0.is_finite()));
        tree.in_ball(&positions, Vec3::ZERO, 1.0, &mut |list| assert!(list.len() <= positions.len()));
    }
}
