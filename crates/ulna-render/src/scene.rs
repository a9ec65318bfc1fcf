//! A document on the device. Static data is uploaded once, and posed data after each change of the
//! pose.

use std::{
    collections::BTreeSet,
    ops::Range,
    sync::atomic::{AtomicU64, Ordering},
};

use glam::{Mat4, Vec3};

use super::{
    Decoded, Gpu, GpuError,
    ghost::Ghost,
    lights::{self, Shining},
    pipeline::Pipelines,
    scene_loader::Loader,
    scene_primitive::{ScenePrimitive, boxes, grow, joints, slots},
    skin::{Copies, SkinPart, SkinPass},
};
use ulna_model::{Document, NodeId, PrimitiveId};
use ulna_motion::{Placement, Pose, Posed, skinning};

/// A document uploaded to the device, with its surfaces in the current pose.
pub struct Scene {
    pub(super) parts: Vec<ScenePrimitive>,
    pass: Option<SkinPass>,
    /// Unique number of the scene's state, which changes with each change of the pose.
    pub(super) version: u64,
    /// Bounding box of all posed surfaces; `None` without surfaces.
    pub(super) bounds: Option<(Vec3, Vec3)>,
    /// Lights of the file in the current pose.
    pub(super) lights: Vec<Shining>,
    left_out: Vec<NodeId>,
    /// Surfaces of the scene at other times.
    pub(super) ghosts: Vec<Ghost>,
    pub(super) ghost_layout: Option<wgpu::BindGroupLayout>,
}

/// Creates a new unique number for [`Scene::version`].
fn next_version() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

impl Scene {
    /// Uploads a document. `images` are its decoded images. On a software renderer, skinning runs
    /// on the CPU.
    pub fn new(gpu: &Gpu, pipelines: &Pipelines, document: &Document, images: &[Decoded]) -> Self {
        let pass = (gpu.compute && !gpu.software).then(|| SkinPass::new(gpu));
        let loader = Loader::new(gpu, pipelines, document, images, pass.as_ref());
        let mut left_out = Vec::new();
        let mut parts = Vec::new();
        for node in document.shown_nodes() {
            let Some(mesh) = document.node(node).mesh else { continue };
            let places = loader.places(node);
            for (index, primitive) in document.mesh(mesh).entries() {
                if primitive.positions.is_empty() || primitive.indices.is_empty() {
                    continue;
                }
                match loader.primitive(node, (index, primitive), &places) {
                    Some(part) => parts.push(part),
                    None => left_out.push(node),
                }
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

    /// Nodes whose surfaces are not displayed, because they exceed the buffer limit of the device.
    pub fn left_out(&self) -> &[NodeId] {
        &self.left_out
    }

    /// Hides the surfaces of `nodes` and shows all others. Surfaces that the file hides are
    /// displayed only for nodes in `shown`.
    pub fn hide(&mut self, nodes: &BTreeSet<NodeId>, shown: &BTreeSet<NodeId>) {
        let mut changed = false;
        for part in &mut self.parts {
            let marks = (nodes.contains(&part.node), shown.contains(&part.node));
            changed |= marks != (part.marked, part.shown);
            (part.marked, part.shown) = marks;
        }
        if changed {
            // The shadow map must be drawn again.
            self.version = next_version();
        }
    }

    /// Replaces the weights of some vertices of a primitive under a node. The next
    /// [`Scene::update_reweighed`] poses these vertices. All other data of the primitive must be
    /// unchanged.
    ///
    /// Only changed weights are uploaded, unless the number of slots per vertex changed. The
    /// bounding box never shrinks.
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

    /// Reads the posed vertices of a primitive under a node from the device; `None` if the scene
    /// does not contain it. Vertices that were split for a normal map come after the primitive's
    /// own vertices.
    ///
    /// # Errors
    /// The device failed.
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
    /// encoded by [`TintKind`](super::TintKind).
    ///
    /// Other vertices keep their tints; untinted vertices have no value. Missing vertices and
    /// primitives are ignored. Tints are displayed if [`Show::tint`](super::Show) is set.
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

    /// Removes all tints. Returns whether there were any.
    pub fn clear_tints(&mut self) -> bool {
        let mut any = false;
        for part in &mut self.parts {
            any |= part.tints.values.take().is_some();
        }
        any
    }

    /// Nodes whose surfaces move with any of the joints, by weights or as descendants.
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

    /// Displayed parts of the scene.
    pub(super) fn shown(&self) -> impl Iterator<Item = &ScenePrimitive> {
        self.parts.iter().filter(|p| !p.is_hidden())
    }

    /// Poses all surfaces. Call it after a change of the pose; a change of the camera does not
    /// require it.
    pub fn update(&mut self, gpu: &Gpu, document: &Document, pose: &Pose) {
        self.pose(gpu, document, pose, true);
    }

    /// Poses only the vertices whose weights changed since the last update. The pose itself must be
    /// unchanged.
    pub fn update_reweighed(&mut self, gpu: &Gpu, document: &Document, pose: &Pose) {
        self.pose(gpu, document, pose, false);
    }

    /// Updates the bounding boxes of all parts. Poses all parts if `all` is set, otherwise only
    /// vertices with changed weights.
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
                // All instances of a mesh share one box in mesh space.
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
