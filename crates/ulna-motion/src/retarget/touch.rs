//! Surfaces that a hand may touch: parts of the body and props, as points in the space of the node
//! that moves them.

use std::collections::BTreeMap;

use glam::{Mat4, Vec3};

use crate::{Pose, humanoid::BodyPart, roles::roles_of};
use ulna_model::{Document, NodeId, Primitive, Skin, Topology};

/// Maximum number of sample points of a triangle: a ground plane needs no dense samples.
const MOST: usize = 256;

/// A node with samples of the surface that it moves.
#[derive(Clone, Debug)]
pub(super) struct TouchPart {
    /// The joint, or the node of a mesh without a skin.
    pub node: NodeId,
    /// Sample points in the space of the node.
    pub points: Vec<Vec3>,
    /// Scale of the node at rest: scene meters per unit of its space.
    pub scale: f32,
    /// Center of a sphere around all points, in the space of the node.
    center: Vec3,
    /// Radius of the sphere around `center` that contains all points, in units of the node's space.
    extent: f32,
}

impl TouchPart {
    /// Mean distance of the sample points from the origin of the node, meters.
    pub fn radius(&self) -> f32 {
        let sum: f32 = self.points.iter().map(|p| p.length()).sum();
        sum * self.scale / self.points.len().max(1) as f32
    }

    /// Distance from a point in the space of the node to the nearest sample, meters; infinite if it
    /// is more than `most`.
    pub fn distance(&self, point: Vec3, most: f32) -> f32 {
        if (point.distance(self.center) - self.extent) * self.scale > most {
            return f32::INFINITY;
        }
        let nearest = self.points.iter().map(|p| p.distance_squared(point));
        nearest.fold(f32::INFINITY, f32::min).sqrt() * self.scale
    }
}

/// Scale of a matrix: cube root of the volume of its unit cube.
pub(super) fn scale_of(matrix: &Mat4) -> f32 {
    matrix.determinant().abs().cbrt()
}

/// Returns all surfaces of a document that a hand may touch, sorted by node. A vertex belongs to
/// the joint with its largest weight; fingers belong to their hand. `spacing` is the wanted
/// distance between samples in meters.
pub(super) fn touch_parts(document: &Document, rest: &Pose, spacing: f32) -> Vec<TouchPart> {
    let hands = hands_of_fingers(document);
    let cell = spacing.powi(2).max(1e-12);
    let mut found: BTreeMap<NodeId, Vec<Vec3>> = BTreeMap::new();
    for id in document.shown_nodes() {
        let node = document.node(id);
        let Some(mesh) = node.mesh.map(|m| document.mesh(m)) else { continue };
        let skin = node.skin.map(|s| document.skin(s));
        for primitive in mesh.primitives.iter().filter(|p| p.topology == Topology::Triangles) {
            for triangle in primitive.indices.chunks_exact(3) {
                let first = triangle[0] as usize;
                let Some((mover, from_mesh)) = mover_of(id, skin, primitive, first) else {
                    continue;
                };
                let to = hands.get(&mover).copied().unwrap_or(mover);
                let scene = rest.world[mover.index()] * from_mesh;
                let own =
                    if to == mover { from_mesh } else { rest.world[to.index()].inverse() * scene };
                let corners = [0, 1, 2].map(|k| primitive.positions.get(triangle[k] as usize));
                let [Some(a), Some(b), Some(c)] = corners else { continue };
                let place = |p: &Vec3| scene.transform_point3(*p);
                let area = (place(b) - place(a)).cross(place(c) - place(a)).length() * 0.5;
                if !area.is_finite() {
                    continue;
                }
                let list = found.entry(to).or_default();
                list.extend(samples([*a, *b, *c], area / cell).map(|p| own.transform_point3(p)));
            }
        }
    }
    let part = |(node, points): (NodeId, Vec<Vec3>)| {
        let scale = scale_of(&rest.world[node.index()]);
        let points = thinned(points, (spacing / scale.max(1e-9)).max(1e-9));
        let center = points.iter().sum::<Vec3>() / points.len().max(1) as f32;
        let extent = points.iter().map(|p| p.distance(center)).fold(0.0, f32::max);
        TouchPart { node, points, scale, center, extent }
    };
    let is_good = |p: &TouchPart| !p.points.is_empty() && p.scale.is_finite() && p.scale > 1e-9;
    found.into_iter().map(part).filter(is_good).collect()
}

/// The hand of each finger joint.
fn hands_of_fingers(document: &Document) -> BTreeMap<NodeId, NodeId> {
    let roles = roles_of(document);
    let hands: Vec<NodeId> = roles
        .iter()
        .filter(|(_, r)| r.is_some_and(|r| r.part == BodyPart::Hand))
        .map(|(n, _)| *n)
        .collect();
    let fingers =
        roles.iter().filter(|(_, r)| r.is_some_and(|r| matches!(r.part, BodyPart::Finger(_))));
    let hand = |node: NodeId| hands.iter().copied().find(|hand| document.is_above(*hand, node));
    fingers.filter_map(|(node, _)| Some((*node, hand(*node)?))).collect()
}

/// Returns the node that has the largest influence on a vertex, and its `node_from_mesh` in the
/// bind pose.
fn mover_of(
    id: NodeId,
    skin: Option<&Skin>,
    primitive: &Primitive,
    vertex: usize,
) -> Option<(NodeId, Mat4)> {
    let Some(skin) = skin else { return Some((id, Mat4::IDENTITY)) };
    let map = primitive.weights.as_ref()?;
    let slots = vertex * map.stride()..(vertex + 1) * map.stride();
    let (joints, weights) = (map.joints.get(slots.clone())?, map.weights.get(slots)?);
    let largest = joints.iter().zip(weights).max_by(|a, b| a.1.total_cmp(b.1));
    let joint = largest.filter(|(_, weight)| **weight > 0.0).map(|(j, _)| usize::from(*j))?;
    let bind = skin.inverse_bind.get(joint).copied().unwrap_or(Mat4::IDENTITY);
    Some((*skin.joints.get(joint)?, bind))
}

/// Returns points that are evenly spread over a triangle. `count` is the number of points, which is
/// rounded down, but at least 1.
fn samples([a, b, c]: [Vec3; 3], count: f32) -> impl Iterator<Item = Vec3> {
    /// Steps of the R2 sequence, which spreads points evenly in two dimensions (Roberts, “The
    /// unreasonable effectiveness of quasirandom sequences”, 2018).
    const STEPS: [f32; 2] = [0.754_877_7, 0.569_840_3];
    let count = (count as usize).clamp(1, MOST);
    (0..count).map(move |k| {
        if count == 1 {
            return (a + b + c) / 3.0;
        }
        let [u, v] = STEPS.map(|step| (0.5 + step * k as f32).fract());
        let (u, v) = if u + v > 1.0 { (1.0 - u, 1.0 - v) } else { (u, v) };
        a + (b - a) * u + (c - a) * v
    })
}

/// Keeps one point per cell of a grid.
fn thinned(points: Vec<Vec3>, cell: f32) -> Vec<Vec3> {
    let mut cells: BTreeMap<[i32; 3], Vec3> = BTreeMap::new();
    for point in points.into_iter().filter(|p| p.is_finite()) {
        let key = (point / cell).floor().to_array().map(|x| x as i32);
        cells.entry(key).or_insert(point);
    }
    cells.into_values().collect()
}
