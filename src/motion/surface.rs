//! The posed surface as something a ray can hit: for clicks on the skin, and for brushes.

use glam::{Mat4, Vec3, Vec3A};

use super::{Placement, Pose, Posed, skinning};
use crate::model::{Document, NodeId, Topology};

/// A ray in scene space.
#[derive(Clone, Copy, Debug)]
pub struct Ray {
    /// Where it starts.
    pub origin: Vec3,
    /// Where it goes; unit.
    pub direction: Vec3,
}

/// What a ray hit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// Distance along the ray, metres.
    pub distance: f32,
    /// The node whose mesh was hit.
    pub node: NodeId,
    /// The primitive of its mesh.
    pub primitive: usize,
    /// The vertices of the triangle.
    pub vertices: [u32; 3],
    /// Their shares at the spot; sum to 1.
    pub shares: [f32; 3],
}

/// One primitive of the posed surface.
#[derive(Clone, Debug)]
struct Part {
    node: NodeId,
    primitive: usize,
    /// In scene space, or in mesh space where there are `places`.
    posed: Posed,
    /// `scene_from_mesh` of each instance, where the mesh is shown so.
    places: Option<Vec<Mat4>>,
    bvh: Bvh,
}

/// All shown triangles at one pose.
#[derive(Clone, Debug, Default)]
pub struct Surface {
    parts: Vec<Part>,
}

impl Surface {
    /// Poses every shown triangle mesh.
    pub fn new(document: &Document, pose: &Pose) -> Self {
        let mut surface = Self::default();
        surface.update(document, pose);
        surface
    }

    /// Poses again; trees whose triangles are the same are refitted, not built.
    pub fn update(&mut self, document: &Document, pose: &Pose) {
        let mut old = std::mem::take(&mut self.parts).into_iter();
        for node in document.shown_nodes() {
            let Some(mesh) = document.node(node).mesh else { continue };
            for (index, primitive) in document.mesh(mesh).primitives.iter().enumerate() {
                if primitive.topology != Topology::Triangles {
                    continue;
                }
                let mut part = old
                    .next()
                    .filter(|p| {
                        p.node == node && p.primitive == index && p.bvh.triangle_count() == primitive.indices.len() / 3
                    })
                    .unwrap_or_else(|| Part {
                        node,
                        primitive: index,
                        posed: Posed::default(),
                        places: None,
                        bvh: Bvh::default(),
                    });
                part.places = skinning::instances(document, pose, node);
                let placement = match part.places {
                    Some(_) => Placement::Rigid(Mat4::IDENTITY),
                    None => Placement::of(document, pose, node, primitive),
                };
                skinning::skin(primitive, &[], &pose.morphs[node.index()], &placement, &mut part.posed);
                if part.bvh.triangle_count() == 0 {
                    part.bvh = Bvh::build(&part.posed.positions, &primitive.indices);
                } else {
                    part.bvh.refit(&part.posed.positions, &primitive.indices);
                }
                self.parts.push(part);
            }
        }
    }

    /// Lowest and highest corner of everything, or `None` where there is no finite point.
    pub fn bounds(&self) -> Option<(Vec3, Vec3)> {
        let mut bounds: Option<(Vec3, Vec3)> = None;
        let mut grow = |p: Vec3| {
            if p.is_finite() {
                let (low, high) = bounds.get_or_insert((p, p));
                *low = low.min(p);
                *high = high.max(p);
            }
        };
        for part in &self.parts {
            match &part.places {
                // What no triangle uses is not seen. The root holds what is used, if all of it is finite.
                None => match part.bvh.nodes.first().filter(|n| n.low.is_finite() && n.high.is_finite()) {
                    Some(root) => [root.low, root.high].into_iter().for_each(|p| grow(p.into())),
                    None => part.posed.positions.iter().copied().for_each(&mut grow),
                },
                Some(places) => {
                    // Around the corners of the mesh's own box: never too small.
                    let Some(root) = part.bvh.nodes.first() else { continue };
                    for corner in 0..8u32 {
                        let pick = |k: u32| corner >> k & 1 == 1;
                        let sides = glam::BVec3A::new(pick(0), pick(1), pick(2));
                        let corner = Vec3::from(Vec3A::select(sides, root.high, root.low));
                        places.iter().for_each(|m| grow(m.transform_point3(corner)));
                    }
                }
            }
        }
        bounds
    }

    /// The nearest triangle on a ray, seen from either side. Surfaces of nodes that `skip` says are looked through.
    pub fn hit(&self, document: &Document, ray: &Ray, skip: &dyn Fn(NodeId) -> bool) -> Option<Hit> {
        let mut best: Option<Hit> = None;
        for part in self.parts.iter().filter(|p| !skip(p.node)) {
            let Some(mesh) = document.node(part.node).mesh else { continue };
            let primitive = &document.mesh(mesh).primitives[part.primitive];
            let own = std::slice::from_ref(&Mat4::IDENTITY);
            for place in part.places.as_deref().unwrap_or(own) {
                let limit = best.map_or(f32::INFINITY, |h| h.distance);
                // A distance along a direction that is not made unit again is the same in both spaces.
                let mesh_from_scene = place.inverse();
                let local = Ray {
                    origin: mesh_from_scene.transform_point3(ray.origin),
                    direction: mesh_from_scene.transform_vector3(ray.direction),
                };
                let found = part.bvh.hit(&part.posed.positions, &primitive.indices, &local, limit);
                let Some((distance, triangle, shares)) = found else { continue };
                let corner = &primitive.indices[triangle * 3..triangle * 3 + 3];
                best = Some(Hit {
                    distance,
                    node: part.node,
                    primitive: part.primitive,
                    vertices: [corner[0], corner[1], corner[2]],
                    shares,
                });
            }
        }
        best
    }
}

/// Joints that move the spot of a hit, the strongest first, with their shares.
pub fn joints_at(document: &Document, hit: &Hit) -> Vec<(NodeId, f32)> {
    let node = document.node(hit.node);
    let Some((skin, mesh)) = node.skin.zip(node.mesh) else { return Vec::new() };
    let Some(weights) = &document.mesh(mesh).primitives[hit.primitive].weights else { return Vec::new() };
    let joints = &document.skin(skin).joints;
    let mut shares: std::collections::BTreeMap<NodeId, f32> = std::collections::BTreeMap::new();
    for (vertex, share) in hit.vertices.iter().zip(hit.shares) {
        for (joint, weight) in weights.vertex(*vertex as usize) {
            if let Some(joint) = joints.get(usize::from(joint)).filter(|_| weight > 0.0) {
                *shares.entry(*joint).or_default() += weight * share;
            }
        }
    }
    let mut list: Vec<_> = shares.into_iter().collect();
    list.sort_by(|a, b| b.1.total_cmp(&a.1));
    list
}

/// Triangles in a tree of boxes: median split, four triangles a leaf.
#[derive(Clone, Debug, Default)]
struct Bvh {
    nodes: Vec<BvhNode>,
    /// Triangle numbers, leaf by leaf.
    triangles: Vec<u32>,
}

#[derive(Clone, Copy, Debug)]
struct BvhNode {
    low: Vec3A,
    high: Vec3A,
    /// First child (the second follows it) or, in a leaf, first triangle.
    first: u32,
    /// Triangles of a leaf; 0 in an inner node.
    count: u32,
}

impl Bvh {
    const LEAF: usize = 4;

    fn triangle_count(&self) -> usize {
        self.triangles.len()
    }

    fn build(positions: &[Vec3], indices: &[u32]) -> Self {
        let count = indices.len() / 3;
        let centres: Vec<Vec3A> = indices
            .chunks_exact(3)
            .map(|c| c.iter().map(|v| Vec3A::from(positions[*v as usize])).sum::<Vec3A>() / 3.0)
            .collect();
        let mut tree = Self { nodes: Vec::with_capacity(count), triangles: (0..count as u32).collect() };
        tree.nodes.push(BvhNode { low: Vec3A::ZERO, high: Vec3A::ZERO, first: 0, count: count as u32 });
        let mut stack = vec![(0usize, 0usize, count)];
        while let Some((node, start, end)) = stack.pop() {
            if end - start <= Self::LEAF {
                tree.nodes[node].first = start as u32;
                tree.nodes[node].count = (end - start) as u32;
                continue;
            }
            let slice = &mut tree.triangles[start..end];
            let (mut low, mut high) = (Vec3A::INFINITY, Vec3A::NEG_INFINITY);
            for t in slice.iter() {
                low = low.min(centres[*t as usize]);
                high = high.max(centres[*t as usize]);
            }
            let size = high - low;
            let axis = if size.x >= size.y && size.x >= size.z { 0 } else { usize::from(size.y < size.z) + 1 };
            let middle = slice.len() / 2;
            slice.select_nth_unstable_by(middle, |a, b| {
                centres[*a as usize][axis].total_cmp(&centres[*b as usize][axis])
            });
            let first = tree.nodes.len();
            tree.nodes[node].first = first as u32;
            tree.nodes[node].count = 0;
            let blank = tree.nodes[node];
            tree.nodes.extend([blank, blank]);
            stack.push((first, start, start + middle));
            stack.push((first + 1, start + middle, end));
        }
        tree.refit(positions, indices);
        tree
    }

    /// New boxes for the same triangles: children come after their parent, so one walk backwards does it.
    fn refit(&mut self, positions: &[Vec3], indices: &[u32]) {
        for at in (0..self.nodes.len()).rev() {
            let node = self.nodes[at];
            let (mut low, mut high) = (Vec3A::INFINITY, Vec3A::NEG_INFINITY);
            if node.count > 0 {
                for t in &self.triangles[node.first as usize..(node.first + node.count) as usize] {
                    for v in &indices[*t as usize * 3..*t as usize * 3 + 3] {
                        let p = Vec3A::from(positions[*v as usize]);
                        low = low.min(p);
                        high = high.max(p);
                    }
                }
            } else if self.triangles.is_empty() {
                continue;
            } else {
                for child in &self.nodes[node.first as usize..node.first as usize + 2] {
                    low = low.min(child.low);
                    high = high.max(child.high);
                }
            }
            self.nodes[at].low = low;
            self.nodes[at].high = high;
        }
    }

    fn hit(&self, positions: &[Vec3], indices: &[u32], ray: &Ray, limit: f32) -> Option<(f32, usize, [f32; 3])> {
        if self.triangles.is_empty() {
            return None;
        }
        let origin = Vec3A::from(ray.origin);
        let inverse = Vec3A::from(ray.direction).recip();
        let mut best = None;
        let mut nearest = limit;
        let mut stack = vec![0usize];
        while let Some(at) = stack.pop() {
            let node = &self.nodes[at];
            let a = (node.low - origin) * inverse;
            let b = (node.high - origin) * inverse;
            let enter = a.min(b).max_element().max(0.0);
            let leave = a.max(b).min_element();
            if enter > leave.min(nearest) || leave.is_nan() {
                continue;
            }
            if node.count == 0 {
                stack.extend([node.first as usize, node.first as usize + 1]);
                continue;
            }
            for t in &self.triangles[node.first as usize..(node.first + node.count) as usize] {
                let c = &indices[*t as usize * 3..*t as usize * 3 + 3];
                let [p, q, r] = [positions[c[0] as usize], positions[c[1] as usize], positions[c[2] as usize]];
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

    #[test]
    fn every_instance_is_hit_where_it_stands() {
        let places = [Vec3::ZERO, Vec3::new(5.0, 0.0, 0.0), Vec3::new(0.0, 3.0, 1.0)];
        let mut document = Document::default();
        let triangle = [Vec3::ZERO, Vec3::X, Vec3::Y];
        let primitive = crate::model::Primitive {
            topology: Topology::Triangles,
            positions: triangle.into(),
            normals: Default::default(),
            tangents: Default::default(),
            uv0: Default::default(),
            uv1: Default::default(),
            colors: Default::default(),
            indices: [0, 1, 2].into(),
            material: None,
            variants: Default::default(),
            targets: Default::default(),
            weights: None,
        };
        let mesh = crate::model::Mesh {
            name: None,
            primitives: vec![primitive],
            default_weights: Default::default(),
            target_names: Vec::new(),
        };
        document.meshes.push(std::sync::Arc::new(mesh));
        let scaled = |translation| crate::model::Transform {
            translation,
            scale: Vec3::splat(2.0),
            ..crate::model::Transform::IDENTITY
        };
        document.nodes.push(crate::model::Node {
            name: None,
            parent: None,
            children: Default::default(),
            rest: crate::model::Local::Trs(crate::model::Transform::IDENTITY),
            rest_source: crate::model::RestSource::File,
            user: None,
            mesh: Some(0.into()),
            skin: None,
            instances: Some(places.map(scaled).into()),
            camera: None,
            light: None,
            morph_weights: None,
        });
        document.order = [NodeId(0)].into();
        let pose = Pose::evaluate(&document, crate::motion::Moment::default());
        let surface = Surface::new(&document, &pose);
        for place in places {
            let ray = Ray { origin: place + Vec3::new(0.5, 0.5, 10.0), direction: Vec3::NEG_Z };
            let hit = surface.hit(&document, &ray, &|_| false).expect("a hit");
            assert!((hit.distance - 10.0).abs() < 1e-5, "{}", hit.distance);
        }
        let aside = Ray { origin: Vec3::new(3.0, 0.5, 10.0), direction: Vec3::NEG_Z };
        assert!(surface.hit(&document, &aside, &|_| false).is_none());
        assert_eq!(surface.bounds(), Some((Vec3::ZERO, Vec3::new(7.0, 5.0, 1.0))));
    }

    #[test]
    fn the_tree_finds_what_a_plain_loop_finds_after_a_refit_too() {
        // A wavy sheet of 40 × 40 quads, seen from many directions.
        let n = 41;
        let sheet = |bend: f32| -> Vec<Vec3> {
            (0..n * n)
                .map(|k| {
                    let (x, y) = ((k % n) as f32 / 40.0 - 0.5, (k / n) as f32 / 40.0 - 0.5);
                    Vec3::new(x, y, (x * 9.0).sin() * bend)
                })
                .collect()
        };
        let mut indices = Vec::new();
        for y in 0..n - 1 {
            for x in 0..n - 1 {
                let a = (y * n + x) as u32;
                let n = n as u32;
                indices.extend([a, a + 1, a + n, a + 1, a + n + 1, a + n]);
            }
        }
        let mut tree = Bvh::build(&sheet(0.1), &indices);
        let positions = sheet(0.4);
        tree.refit(&positions, &indices);
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
}
