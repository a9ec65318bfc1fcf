//! A document on the device: what is uploaded once, and what is posed again when the pose changes.

use std::{
    collections::BTreeSet,
    ops::Range,
    sync::{
        OnceLock,
        atomic::{AtomicU64, Ordering},
    },
};

use glam::{Mat4, Vec3};
use wgpu::util::DeviceExt as _;

use super::{
    Decoded, Gpu, GpuError,
    ghost::Ghost,
    lights::{self, Shining},
    material::Materials,
    pipeline::{Pipelines, features},
    skin::{Copies, PLACE_STRIDE, POSED_STRIDE, SkinPart, SkinPass, rows},
    tint::Tints,
};
use ulna_model::{AlphaMode, Document, Material, NodeId, Primitive, PrimitiveId, Slice, Topology};
use ulna_motion::{Placement, Pose, Posed, Tangents, skinning};

/// A document on the device.
pub struct Scene {
    pub(super) parts: Vec<ScenePrimitive>,
    pass: Option<SkinPass>,
    /// Another number for every scene and every change of its pose.
    pub(super) version: u64,
    /// A box around everything that is posed; nothing where nothing is.
    pub(super) bounds: Option<(Vec3, Vec3)>,
    /// The file's own lights at this pose.
    pub(super) lights: Vec<Shining>,
    left_out: Vec<NodeId>,
    /// At other moments.
    pub(super) ghosts: Vec<Ghost>,
    pub(super) ghost_layout: Option<wgpu::BindGroupLayout>,
}

/// A number that was not given before.
fn next_version() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

/// One primitive under one node.
pub(super) struct ScenePrimitive {
    pub node: NodeId,
    primitive: PrimitiveId,
    /// Whether a person hides the node.
    pub marked: bool,
    /// Whether a person shows the node although the file hides it.
    pub shown: bool,
    /// Whether the file, or a clip of it, hides the node in the pose that was drawn last.
    pub unseen: bool,
    pub skin: SkinPart,
    pub looks: wgpu::Buffer,
    pub indices: wgpu::Buffer,
    pub tints: Tints,
    /// Influences a vertex.
    slots: usize,
    /// Of its split vertices, once weights change.
    copies: OnceLock<Copies>,
    pub index_count: u32,
    pub topology: Topology,
    pub blend: bool,
    /// What it is, as its pipeline is to know.
    pub features: u16,
    pub double_sided: bool,
    /// The corners of its triangles, until edges are wanted.
    corners: Slice<u32>,
    edges: OnceLock<Option<wgpu::Buffer>>,
    normals: Slice<Vec3>,
    tangents: Option<Tangents>,
    material: [wgpu::BindGroup; 2],
    /// `scene_from_posed`, three rows an instance: the identity alone, unless the node has
    /// instances.
    pub places: wgpu::Buffer,
    /// Instances that are not mirrored, and all of them; those that are come last.
    unmirrored_count: u32,
    placed: u32,
    /// A box in mesh space around the vertices that each joint moves; the first alone where the
    /// part is rigid.
    boxes: Vec<Option<(Vec3, Vec3)>>,
    /// The middle of it, for drawing what is behind first.
    pub center: Vec3,
    /// How far it goes from there, in meters.
    pub reach: f32,
}

impl ScenePrimitive {
    /// Whether it is not drawn.
    pub(super) const fn is_hidden(&self) -> bool {
        self.marked || (self.unseen && !self.shown)
    }

    /// What is drawn at once: instances, whether they are mirrored, and the material for that. One
    /// draw for most parts.
    pub(super) fn draws(&self) -> impl Iterator<Item = (Range<u32>, bool, &wgpu::BindGroup)> {
        let ranges = [0..self.unmirrored_count, self.unmirrored_count..self.placed];
        let draws = ranges.into_iter().zip([false, true]).zip(&self.material);
        draws
            .map(|((range, mirrored), bind)| (range, mirrored, bind))
            .filter(|(range, ..)| !range.is_empty())
    }

    /// Puts the instances where they are: those that are mirrored after those that are not.
    fn place(&mut self, gpu: &Gpu, places: &[Mat4]) {
        let mirrored = |m: &Mat4| glam::Mat3::from_mat4(*m).determinant() < 0.0;
        let (turned, unmirrored_count): (Vec<&Mat4>, Vec<&Mat4>) =
            places.iter().partition(|m| mirrored(m));
        let rows: Vec<[f32; 12]> =
            unmirrored_count.iter().chain(&turned).map(|m| rows(m)).collect();
        (self.unmirrored_count, self.placed) = (unmirrored_count.len() as u32, rows.len() as u32);
        gpu.queue.write_buffer(&self.places, 0, bytemuck::cast_slice(&rows));
    }

    /// The primitive's own indices, which name none of the vertices that were split.
    pub(super) fn own_indices(&self, gpu: &Gpu) -> &wgpu::Buffer {
        if self.tangents.as_ref().is_some_and(|t| !t.copies.is_empty()) {
            self.tints.indices(gpu, &self.corners)
        } else {
            &self.indices
        }
    }

    /// Pairs of indices, one an edge of its triangles; nothing where it has none. Made when first
    /// asked for.
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

impl Scene {
    /// Uploads a document. `images` are its images decoded. On a software adapter the CPU skins.
    pub fn new(gpu: &Gpu, pipelines: &Pipelines, document: &Document, images: &[Decoded]) -> Self {
        let pass = (gpu.compute && !gpu.software).then(|| SkinPass::new(gpu));
        let materials =
            Materials::new(gpu, &pipelines.layouts.material, &document.materials, images);
        let plain = Material::default();
        let identity = gpu.device.create_buffer_init(&wgpu::util::BufferInitDescriptor {
            label: Some("one place"),
            contents: bytemuck::cast_slice(&rows(&Mat4::IDENTITY)),
            usage: wgpu::BufferUsages::VERTEX,
        });
        let most = gpu.device.limits().max_buffer_size;
        let mut left_out = Vec::new();
        let mut parts = Vec::new();
        for node in document.shown_nodes() {
            let Some(mesh) = document.node(node).mesh else { continue };
            let places = match document
                .node(node)
                .instances
                .as_ref()
                .filter(|_| document.node(node).skin.is_none())
            {
                None => identity.clone(),
                Some(list) => gpu.device.create_buffer(&wgpu::BufferDescriptor {
                    label: Some("places"),
                    size: list.len().max(1) as u64 * PLACE_STRIDE,
                    usage: wgpu::BufferUsages::VERTEX
                        | wgpu::BufferUsages::COPY_DST
                        | wgpu::BufferUsages::COPY_SRC,
                    mapped_at_creation: false,
                }),
            };
            for (index, primitive) in document.mesh(mesh).entries() {
                if primitive.positions.is_empty() || primitive.indices.is_empty() {
                    continue;
                }
                let normals = skinning::base_normals(primitive);
                let flat = primitive.topology == Topology::Triangles
                    && primitive.normals.len() != primitive.positions.len();
                let material = document.material_of(primitive, document.shown.variant);
                let material =
                    material.and_then(|m| document.materials.get(m.index())).unwrap_or(&plain);
                let joints = joints(document, node);
                // Only a normal map needs them, and they cost bytes.
                let tangents = material
                    .normal_texture
                    .as_ref()
                    .and_then(|t| Tangents::of(primitive, t.uv_set));
                let copies = tangents.as_ref().map_or(&[][..], |t| &t.copies);
                let vertices = primitive.positions.len() + copies.len();
                if (vertices as u64 * POSED_STRIDE).max(primitive.indices.len() as u64 * 4) > most {
                    left_out.push(node);
                    continue;
                }
                let looks: Vec<[f32; 5]> = (0..primitive.positions.len())
                    .chain(copies.iter().map(|v| *v as usize))
                    .map(|v| {
                        let uv0 = primitive.uv0.get(v).copied().unwrap_or_default();
                        let uv1 = primitive.uv1.get(v).copied().unwrap_or_default();
                        let color = primitive.colors.get(v).map_or([255u8; 4], |c| {
                            c.to_array().map(|c| (c.clamp(0.0, 1.0) * 255.0).round() as u8)
                        });
                        [uv0.x, uv0.y, uv1.x, uv1.y, f32::from_bits(u32::from_le_bytes(color))]
                    })
                    .collect();
                let buffer = |label: &str, contents: &[u8], usage| {
                    gpu.device.create_buffer_init(&wgpu::util::BufferInitDescriptor {
                        label: Some(label),
                        contents,
                        usage,
                    })
                };
                let indices = tangents.as_ref().map_or(&*primitive.indices, |t| &t.indices);
                let bytes = vertices * (POSED_STRIDE as usize + 20) + size_of_val(indices);
                parts.push(ScenePrimitive {
                    node,
                    primitive: index,
                    marked: false,
                    shown: false,
                    unseen: false,
                    skin: SkinPart::new(
                        gpu,
                        pass.as_ref(),
                        primitive,
                        &normals,
                        joints,
                        tangents.as_ref(),
                    ),
                    looks: buffer(
                        "vertex looks",
                        bytemuck::cast_slice(&looks),
                        wgpu::BufferUsages::VERTEX,
                    ),
                    indices: buffer(
                        "indices",
                        bytemuck::cast_slice(indices),
                        wgpu::BufferUsages::INDEX,
                    ),
                    tints: Tints::new(primitive.positions.len()),
                    slots: slots(primitive),
                    copies: OnceLock::new(),
                    index_count: primitive.indices.len() as u32,
                    topology: primitive.topology,
                    blend: material.is_see_through(),
                    features: features(material, flat),
                    double_sided: material.double_sided,
                    corners: primitive.indices.clone(),
                    edges: OnceLock::new(),
                    normals,
                    tangents,
                    material: [false, true].map(|mirrored| materials.bind(gpu, material, mirrored)),
                    places: places.clone(),
                    unmirrored_count: 1,
                    placed: 1,
                    boxes: boxes(primitive, joints),
                    center: Vec3::ZERO,
                    reach: 0.0,
                });
                gpu.hand_over(bytes);
            }
        }
        Self {
            parts,
            pass,
            version: next_version(),
            bounds: None,
            lights: Vec::new(),
            left_out,
            ghosts: Vec::new(),
            ghost_layout: None,
        }
    }

    /// Nodes whose surfaces, or some of them, are larger than the buffers of the device, and are
    /// not shown.
    pub fn left_out(&self) -> &[NodeId] {
        &self.left_out
    }

    /// Hides the surfaces of these nodes, and shows all others but those that the file hides; of
    /// the latter only `shown`.
    pub fn hide(&mut self, nodes: &BTreeSet<NodeId>, shown: &BTreeSet<NodeId>) {
        let mut changed = false;
        for part in &mut self.parts {
            let marks = (nodes.contains(&part.node), shown.contains(&part.node));
            changed |= marks != (part.marked, part.shown);
            (part.marked, part.shown) = marks;
        }
        if changed {
            // Shadows are drawn anew.
            self.version = next_version();
        }
    }

    /// Takes over the weights of these vertices of a primitive under a node; the next
    /// [`Scene::update_reweighed`] poses by them. The primitive is otherwise the one that the scene
    /// was made from. Only what changed is uploaded, unless there are more or fewer weights a
    /// vertex now. The bounds only ever grow.
    pub fn update_weights(
        &mut self,
        gpu: &Gpu,
        document: &Document,
        node: NodeId,
        primitive: PrimitiveId,
        vertices: &[Range<usize>],
    ) {
        let Some(part) = self.parts.iter_mut().find(|p| (p.node, p.primitive) == (node, primitive))
        else {
            return;
        };
        let Some(mesh) = document.node(node).mesh else { return };
        let primitive = &document.mesh(mesh).primitives[primitive.index()];
        let joints = joints(document, node);
        let own = primitive.positions.len();
        let inside: Vec<Range<usize>> = vertices
            .iter()
            .map(|r| r.start.min(own)..r.end.min(own))
            .filter(|r| !r.is_empty())
            .collect();
        match &primitive.weights {
            Some(map) if map.stride() == part.slots && joints.max(1) == part.boxes.len() => {
                let copies = part.copies.get_or_init(|| Copies::new(part.tangents.as_ref()));
                part.skin.update_weights(gpu, map, &inside, own, copies);
                grow(&mut part.boxes, primitive, inside.into_iter().flatten());
            }
            _ => {
                let tangents = part.tangents.as_ref();
                part.skin = SkinPart::new(
                    gpu,
                    self.pass.as_ref(),
                    primitive,
                    &part.normals,
                    joints,
                    tangents,
                );
                part.slots = slots(primitive);
                part.boxes = boxes(primitive, joints);
            }
        }
    }

    /// The posed vertices of a primitive under a node as they are on the device, those that a
    /// normal map split after its own; nothing where there is no such part.
    ///
    /// # Errors
    /// Where the device fails.
    pub fn posed(
        &self,
        gpu: &Gpu,
        node: NodeId,
        primitive: PrimitiveId,
    ) -> Result<Option<Posed>, GpuError> {
        let part = self.parts.iter().find(|p| (p.node, p.primitive) == (node, primitive));
        part.map(|p| p.skin.read(gpu)).transpose()
    }

    /// Sets the tints of vertices `first..first + values.len()` of a primitive under a node, as
    /// [`TintKind`](super::TintKind) encodes them; those of its other vertices stay, and are no
    /// value where none was set. Vertices and parts that are not there are passed over. A picture
    /// shows them where [`Show::tint`](super::Show) says so.
    pub fn tint(
        &mut self,
        gpu: &Gpu,
        node: NodeId,
        primitive: PrimitiveId,
        first: usize,
        values: &[u32],
    ) {
        if let Some(part) =
            self.parts.iter_mut().find(|p| (p.node, p.primitive) == (node, primitive))
        {
            part.tints.set(gpu, first, values);
        }
    }

    /// Takes all tints away.
    pub fn clear_tints(&mut self) {
        for part in &mut self.parts {
            part.tints.values = None;
        }
    }

    /// The nodes whose surfaces these joints move, by weights or as what is below them.
    pub fn moved_by(&self, document: &Document, joints: &[NodeId]) -> Vec<NodeId> {
        let moves = |part: &&ScenePrimitive| match document.node(part.node).skin {
            Some(skin) => {
                let skin = &document.skin(skin).joints;
                skin.iter()
                    .zip(&part.boxes)
                    .any(|(joint, moved)| moved.is_some() && joints.contains(joint))
            }
            None => std::iter::successors(Some(part.node), |n| document.node(*n).parent)
                .any(|n| joints.contains(&n)),
        };
        self.parts.iter().filter(moves).map(|part| part.node).collect()
    }

    /// What is drawn.
    pub(super) fn shown(&self) -> impl Iterator<Item = &ScenePrimitive> {
        self.parts.iter().filter(|p| !p.is_hidden())
    }

    /// Poses every part. Call it when the pose changed, not when the eye moved.
    pub fn update(&mut self, gpu: &Gpu, document: &Document, pose: &Pose) {
        self.pose(gpu, document, pose, true);
    }

    /// Poses what was weighed anew since the last update. Call it where no joint moved and nothing
    /// else changed.
    pub fn update_reweighed(&mut self, gpu: &Gpu, document: &Document, pose: &Pose) {
        self.pose(gpu, document, pose, false);
    }

    /// Finds the bounds of all parts, and poses all or those that were weighed anew.
    fn pose(&mut self, gpu: &Gpu, document: &Document, pose: &Pose, all: bool) {
        self.version = next_version();
        let (mut low, mut high) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
        let mut encoder = gpu
            .device
            .create_command_encoder(&wgpu::CommandEncoderDescriptor { label: Some("skin") });
        {
            let mut pass = self
                .pass
                .as_ref()
                .map(|pipeline| (encoder.begin_compute_pass(&Default::default()), pipeline));
            for part in &mut self.parts {
                part.unseen = pose.hidden.contains(&part.node);
                let Some(mesh) = document.node(part.node).mesh else { continue };
                let primitive = &document.mesh(mesh).primitives[part.primitive.index()];
                let places = skinning::instances(document, pose, part.node);
                let placement = match &places {
                    Some(_) => Placement::Rigid(Mat4::IDENTITY),
                    None => Placement::of(document, pose, part.node, primitive),
                };
                let matrix = match &placement {
                    Placement::Rigid(m) => *m,
                    Placement::Skinned(palette) => palette.first().copied().unwrap_or_default(),
                };
                let matrices = match &placement {
                    Placement::Rigid(m) => std::slice::from_ref(m),
                    Placement::Skinned(palette) => palette.as_slice(),
                };
                // Instances share the one box of their mesh.
                let boxed: Vec<(&Mat4, (Vec3, Vec3))> = match &places {
                    Some(places) => part.boxes[0]
                        .map_or_else(Vec::new, |b| places.iter().map(|m| (m, b)).collect()),
                    None => matrices
                        .iter()
                        .zip(&part.boxes)
                        .filter_map(|(m, b)| b.map(|b| (m, b)))
                        .collect(),
                };
                let mut own = (Vec3::INFINITY, Vec3::NEG_INFINITY);
                for (matrix, (from, to)) in boxed {
                    for corner in 0..8u32 {
                        let pick = |k: u32| corner >> k & 1 == 1;
                        let p = Vec3::select(glam::BVec3::new(pick(0), pick(1), pick(2)), to, from);
                        let p = matrix.transform_point3(p);
                        own = (own.0.min(p), own.1.max(p));
                    }
                }
                low = low.min(own.0);
                high = high.max(own.1);
                match &places {
                    Some(places) => part.place(gpu, places),
                    None => {
                        part.unmirrored_count =
                            u32::from(glam::Mat3::from_mat4(matrix).determinant() >= 0.0)
                    }
                }
                if own.0.is_finite() && own.1.is_finite() {
                    part.center = (own.0 + own.1) * 0.5;
                    part.reach = own.0.distance(own.1) * 0.5;
                }
                let morphs = &pose.morphs[part.node.index()];
                let tangents = part.tangents.as_ref();
                let (skin, normals) = (&mut part.skin, &part.normals);
                if all
                    || skin.is_reweighed()
                        && !skin
                            .update_reweighed(gpu, primitive, normals, tangents, morphs, &placement)
                {
                    skin.update(gpu, &mut pass, primitive, normals, tangents, morphs, &placement);
                }
            }
        }
        gpu.queue.submit([encoder.finish()]);
        self.bounds = (low.is_finite() && high.is_finite()).then_some((low, high));
        self.lights = lights::shining(document, pose, self.bounds);
    }
}

/// For every joint, a box around the vertices that it moves, wherever their morph targets take
/// them. A blend of points lies within the boxes of its joints together. Where no joint counts, the
/// first box holds everything.
fn boxes(primitive: &Primitive, joints: usize) -> Vec<Option<(Vec3, Vec3)>> {
    let mut boxes = vec![None; joints.max(1)];
    grow(&mut boxes, primitive, 0..primitive.positions.len());
    if boxes.iter().all(Option::is_none) {
        // Nothing moves any of it: it stands where it was modeled.
        let bare = Primitive { weights: None, ..primitive.clone() };
        grow(&mut boxes, &bare, 0..primitive.positions.len());
    }
    boxes
}

/// Grows the boxes by some vertices.
fn grow(
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

/// What a part with this material is, as its pipeline is to know.
fn features(material: &Material, flat: bool) -> u16 {
    let has = [
        (features::ROUGH, material.metallic_roughness_texture.is_some()),
        (features::GLOW, material.emissive_texture.is_some()),
        (features::BUMP, material.normal_texture.is_some()),
        (features::SHADE, material.occlusion_texture.is_some()),
        (features::CUT, matches!(material.alpha, AlphaMode::Mask(_))),
        (features::UNLIT, material.unlit),
        (features::FLAT, flat),
    ];
    has.into_iter().filter(|(_, has)| *has).map(|(bit, _)| bit).sum()
}

/// Influences a vertex; 0 where it has none.
fn slots(primitive: &Primitive) -> usize {
    primitive.weights.as_ref().map_or(0, |w| w.stride())
}

/// Matrices that a node's surface is posed by.
fn joints(document: &Document, node: NodeId) -> usize {
    document.node(node).skin.map_or(1, |s| document.skin(s).joints.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use ulna_model::{Shared, WeightMap};

    #[test]
    fn boxes_that_grew_by_what_changed_hold_all_that_moves_now() {
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
