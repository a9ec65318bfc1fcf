//! Parts of a scene: one primitive under one node each.

use std::{ops::Range, sync::OnceLock};

use glam::{Mat4, Vec3};
use wgpu::util::DeviceExt as _;

use super::{
    Gpu,
    skin::{Copies, SkinPart, rows},
    tint::Tints,
};
use ulna_model::{Document, NodeId, Primitive, PrimitiveId, Slice, Topology};
use ulna_motion::Tangents;

/// A part of a scene: one primitive under one node.
pub(super) struct ScenePrimitive {
    pub node: NodeId,
    pub primitive: PrimitiveId,
    /// Whether the user hides the node.
    pub marked: bool,
    /// Whether the user shows the node although the file hides it.
    pub shown: bool,
    /// Whether the file or the played clip hides the node in the current pose.
    pub unseen: bool,
    pub skin: SkinPart,
    pub looks: wgpu::Buffer,
    pub indices: wgpu::Buffer,
    pub tints: Tints,
    /// Number of weight slots per vertex.
    pub slots: usize,
    /// Copies of split vertices, computed when weights change for the first time.
    pub copies: OnceLock<Copies>,
    pub index_count: u32,
    pub topology: Topology,
    pub blend: bool,
    /// Feature bits that select the pipeline.
    pub features: u16,
    pub double_sided: bool,
    /// Vertex indices of the triangles, from which edges are created on demand.
    pub corners: Slice<u32>,
    pub edges: OnceLock<Option<wgpu::Buffer>>,
    pub normals: Slice<Vec3>,
    pub tangents: Option<Tangents>,
    pub material: [wgpu::BindGroup; 2],
    /// Instance buffer with `scene_from_posed` per instance, as three matrix rows. Nodes without
    /// instances have one identity matrix.
    pub places: wgpu::Buffer,
    /// Number of unmirrored instances, which come first. `placed` is the number of all instances.
    pub unmirrored_count: u32,
    pub placed: u32,
    /// Bounding box per joint, in mesh space, of the vertices that the joint moves. Rigid parts use
    /// only the first box.
    pub boxes: Vec<Option<(Vec3, Vec3)>>,
    /// Center of the bounding box, for sorting by depth.
    pub center: Vec3,
    /// Radius of the bounding box, in meters.
    pub reach: f32,
}

impl ScenePrimitive {
    /// Whether the part is not drawn.
    pub(super) const fn is_hidden(&self) -> bool {
        self.marked || (self.unseen && !self.shown)
    }

    /// Draw calls of the part: a range of instances, whether they are mirrored, and the matching
    /// material. Most parts have one draw call.
    pub(super) fn draws(&self) -> impl Iterator<Item = (Range<u32>, bool, &wgpu::BindGroup)> {
        let ranges = [0..self.unmirrored_count, self.unmirrored_count..self.placed];
        let draws = ranges.into_iter().zip([false, true]).zip(&self.material);
        draws
            .map(|((range, mirrored), bind)| (range, mirrored, bind))
            .filter(|(range, ..)| !range.is_empty())
    }

    /// Uploads the instance transforms, unmirrored ones first.
    pub(super) fn place(&mut self, gpu: &Gpu, places: &[Mat4]) {
        let mirrored = |m: &Mat4| glam::Mat3::from_mat4(*m).determinant() < 0.0;
        let (turned, unmirrored_count): (Vec<&Mat4>, Vec<&Mat4>) =
            places.iter().partition(|m| mirrored(m));
        let rows: Vec<[f32; 12]> =
            unmirrored_count.iter().chain(&turned).map(|m| rows(m)).collect();
        (self.unmirrored_count, self.placed) = (unmirrored_count.len() as u32, rows.len() as u32);
        gpu.queue.write_buffer(&self.places, 0, bytemuck::cast_slice(&rows));
    }

    /// Indices of the primitive without split vertices.
    pub(super) fn own_indices(&self, gpu: &Gpu) -> &wgpu::Buffer {
        if self.tangents.as_ref().is_some_and(|t| !t.copies.is_empty()) {
            self.tints.indices(gpu, &self.corners)
        } else {
            &self.indices
        }
    }

    /// Index pairs of the triangle edges; `None` if there are no triangles. The buffer is created
    /// on demand.
    pub(super) fn edges(&self, gpu: &Gpu) -> Option<&wgpu::Buffer> {
        let make = || {
            if self.topology != Topology::Triangles {
                return None;
            }
            let mut edges: Vec<[u32; 2]> = self
                .corners
                .chunks_exact(3)
                .flat_map(|t| [[t[0], t[1]], [t[1], t[2]], [t[2], t[0]]])
                .map(|[a, b]| [a.min(b), a.max(b)])
                .collect();
            edges.sort_unstable();
            edges.dedup();
            if edges.is_empty() {
                return None;
            }
            Some(gpu.device.create_buffer_init(&wgpu::util::BufferInitDescriptor {
                label: Some("edges"),
                contents: bytemuck::cast_slice(&edges),
                usage: wgpu::BufferUsages::INDEX,
            }))
        };
        self.edges.get_or_init(make).as_ref()
    }
}

/// Computes one bounding box per joint around the vertices that the joint moves, including their
/// morph targets.
///
/// A skinned point is always inside the union of its joints' posed boxes. If no joint has weights,
/// the first box contains all vertices.
pub(super) fn boxes(primitive: &Primitive, joints: usize) -> Vec<Option<(Vec3, Vec3)>> {
    let mut boxes = vec![None; joints.max(1)];
    grow(&mut boxes, primitive, 0..primitive.positions.len());
    if boxes.iter().all(Option::is_none) {
        // Without weights, the primitive stays at its rest position.
        let bare = Primitive { weights: None, ..primitive.clone() };
        grow(&mut boxes, &bare, 0..primitive.positions.len());
    }
    boxes
}

/// Extends the boxes by the positions of some vertices.
pub(super) fn grow(
    boxes: &mut [Option<(Vec3, Vec3)>],
    primitive: &Primitive,
    vertices: impl Iterator<Item = usize>,
) {
    let mut grow = |joint: usize, low: Vec3, high: Vec3| {
        if let Some(slot) = boxes.get_mut(joint) {
            *slot = Some(slot.map_or((low, high), |(l, h)| (l.min(low), h.max(high))));
        }
    };
    for vertex in vertices {
        let (mut low, mut high) = (primitive.positions[vertex], primitive.positions[vertex]);
        for delta in primitive.targets.iter().filter_map(|t| t.positions.get(vertex)) {
            low += delta.min(Vec3::ZERO);
            high += delta.max(Vec3::ZERO);
        }
        match &primitive.weights {
            Some(map) => {
                map.vertex(vertex)
                    .filter(|(_, w)| *w != 0.0)
                    .for_each(|(j, _)| grow(usize::from(j), low, high));
            }
            None => grow(0, low, high),
        }
    }
}

/// Number of weight slots per vertex; 0 without weights.
pub(super) fn slots(primitive: &Primitive) -> usize {
    primitive.weights.as_ref().map_or(0, |w| w.stride())
}

/// Number of palette matrices for the surfaces of a node.
pub(super) fn joints(document: &Document, node: NodeId) -> usize {
    document.node(node).skin.map_or(1, |s| document.skin(s).joints.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use ulna_model::{Shared, WeightMap};

    #[test]
    fn boxes_grown_by_changes_contain_all_moved_vertices() {
        let count = 200;
        let joint =
            |vertex: usize, round: usize| ((vertex * 7 + round * vertex * vertex) % 5) as u16;
        let map = |round: usize| WeightMap {
            sets: 1,
            joints: (0..count).flat_map(|v| [joint(v, round), 0, 0, 0]).collect(),
            weights: (0..count).flat_map(|_| [1.0, 0.0, 0.0, 0.0]).collect(),
            ..WeightMap::default()
        };
        let mut primitive = Primitive {
            topology: Topology::Points,
            positions: (0..count)
                .map(|k| glam::vec3(k as f32, (k * k % 31) as f32, -(k as f32)))
                .collect(),
            normals: Default::default(),
            tangents: Default::default(),
            uv0: Default::default(),
            uv1: Default::default(),
            colors: Default::default(),
            indices: (0..count as u32).collect(),
            material: None,
            variants: Default::default(),
            targets: Default::default(),
            weights: Some(Shared::new(map(0))),
        };
        let mut grown = boxes(&primitive, 5);
        let before = grown.clone();
        primitive.weights = Some(Shared::new(map(1)));
        let changed = (0..count).filter(|v| joint(*v, 0) != joint(*v, 1));
        grow(&mut grown, &primitive, changed);
        assert_ne!(grown, before);
        let mut compared = 0;
        for (grown, fresh) in grown.iter().zip(boxes(&primitive, 5)) {
            let Some((l, h)) = fresh else { continue };
            let (low, high) = grown.unwrap();
            assert!(low.cmple(l).all() && high.cmpge(h).all(), "{low} {high} {l} {h}");
            compared += 1;
        }
        assert_eq!(compared, 3);
    }
}
