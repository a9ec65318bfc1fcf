//! Points of the skin that a foot moves. Foot contacts are measured at these points, since a foot
//! can slide while its joint is static.

use glam::{Mat4, Vec3};

use crate::Pose;
use ulna_model::{Document, NodeId};

/// A vertex as a weighted sum of points. Each has the joint, the weight, and the position in joint
/// space.
type Vertex = Vec<(NodeId, f32, Vec3)>;

/// Maximum number of vertices of a sole.
const MOST: usize = 24;

/// The lowest vertices that a node and its descendants move.
pub(crate) struct Sole {
    points: Vec<Vertex>,
    /// Whether the points are vertices of a mesh.
    pub is_skin: bool,
}

impl Sole {
    /// Finds the sole of a node: the lowest of its vertices in a pose. If it moves no vertices, the
    /// sole is its origin.
    pub fn of(document: &Document, pose: &Pose, node: NodeId) -> Self {
        let mut found = Self::found(document, pose, node);
        found.truncate((found.len() / 3).max(MOST));
        let step = found.len().div_ceil(MOST).max(1);
        let mut points: Vec<_> = found.into_iter().step_by(step).map(|(_, p)| p).collect();
        let is_skin = !points.is_empty();
        if !is_skin {
            points.push(vec![(node, 1.0, Vec3::ZERO)]);
        }
        Self { points, is_skin }
    }

    /// Returns all vertices that are mainly moved by a node and its descendants.
    pub fn whole(document: &Document, pose: &Pose, node: NodeId) -> Self {
        let found: Vec<Vertex> =
            Self::found(document, pose, node).into_iter().map(|(_, p)| p).collect();
        Self { is_skin: !found.is_empty(), points: found }
    }

    /// Returns the vertices of a node with their heights, the lowest first.
    fn found(document: &Document, pose: &Pose, node: NodeId) -> Vec<(f32, Vertex)> {
        let is_of = |n: NodeId| n == node || document.is_above(node, n);
        let mut points: Vec<Vertex> = Vec::new();
        for id in document.shown_nodes() {
            let Some(mesh) = document.node(id).mesh.map(|m| document.mesh(m)) else { continue };
            let skin = document.node(id).skin.map(|s| document.skin(s));
            if skin.is_none() && !is_of(id) {
                continue;
            }
            let own: Vec<bool> =
                skin.map_or_else(Vec::new, |s| s.joints.iter().map(|j| is_of(*j)).collect());
            for primitive in &mesh.primitives {
                let Some(skin) = skin else {
                    points.extend(primitive.positions.iter().map(|p| vec![(id, 1.0, *p)]));
                    continue;
                };
                let Some(map) = &primitive.weights else { continue };
                let stride = map.stride();
                if stride == 0 {
                    continue;
                }
                let each = map.joints.chunks_exact(stride).zip(map.weights.chunks_exact(stride));
                for (place, (joints, weights)) in primitive.positions.iter().zip(each) {
                    let slots = || {
                        joints
                            .iter()
                            .zip(weights)
                            .map(|(j, w)| (usize::from(*j), *w))
                            .filter(|(_, w)| *w > 0.0)
                    };
                    let share: f32 =
                        slots().filter(|(j, _)| own.get(*j) == Some(&true)).map(|(_, w)| w).sum();
                    if share < 0.5 {
                        continue;
                    }
                    let bind =
                        |j: usize| skin.inverse_bind.get(j).copied().unwrap_or(Mat4::IDENTITY);
                    let of = |(j, w): (usize, f32)| {
                        Some((*skin.joints.get(j)?, w, bind(j).transform_point3(*place)))
                    };
                    points.push(slots().filter_map(of).collect());
                }
            }
        }
        let mut found: Vec<(f32, Vertex)> = points
            .into_iter()
            .map(|p| (place(pose, &p).y, p))
            .filter(|(y, _)| y.is_finite())
            .collect();
        found.sort_by(|a, b| a.0.total_cmp(&b.0));
        found
    }

    /// Total weight of the nodes for which `is_of` is true, for each point, `0.0..=1.0`.
    pub fn shares(&self, is_of: impl Fn(NodeId) -> bool) -> Vec<f32> {
        let share = |p: &Vertex| p.iter().filter(|(n, ..)| is_of(*n)).map(|(_, w, _)| w).sum();
        self.points.iter().map(share).collect()
    }

    /// The positions of the points in a pose, meters.
    pub fn at(&self, pose: &Pose) -> Vec<Vec3> {
        self.points.iter().map(|p| place(pose, p)).collect()
    }
}

fn place(pose: &Pose, point: &[(NodeId, f32, Vec3)]) -> Vec3 {
    point
        .iter()
        .map(|(node, weight, at)| pose.world[node.index()].transform_point3(*at) * *weight)
        .sum()
}
