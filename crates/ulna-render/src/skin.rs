//! Compute pass for morphing and skinning. One dispatch per primitive runs after each change of
//! pose or weights.

use std::ops::Range;

use bytemuck::{Pod, Zeroable};
use glam::{Mat4, Vec3};
use wgpu::util::DeviceExt as _;

use super::{Gpu, GpuError, shaders::shader};
use ulna_model::{Document, NodeId, Primitive, PrimitiveId, WeightMap};
use ulna_motion::{Placement, Pose, Posed, Tangents, skinning};

/// Parameters of the compute pass. Keep in sync with `Params` in shaders/skin.wgsl.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
struct SkinParams {
    vertex_count: u32,
    slots: u32,
    active_targets: u32,
    joint_count: u32,
    has_tangents: u32,
    unused: [u32; 3],
}

/// Number of bytes per posed vertex: position and normal.
pub(super) const POSED_STRIDE: u64 = 24;
/// Number of bytes per instance transform.
pub(super) const PLACE_STRIDE: u64 = 48;
/// Number of bytes per posed tangent.
pub(super) const TANGENT_STRIDE: u64 = 16;

/// Compute pipeline for skinning, with its layout.
#[derive(Clone, Debug)]
pub(super) struct SkinPass {
    pipeline: wgpu::ComputePipeline,
    layout: wgpu::BindGroupLayout,
}

impl SkinPass {
    pub(super) fn new(gpu: &Gpu) -> Self {
        let device = &gpu.device;
        let entry = |binding: u32, ty: wgpu::BufferBindingType| wgpu::BindGroupLayoutEntry {
            binding,
            visibility: wgpu::ShaderStages::COMPUTE,
            ty: wgpu::BindingType::Buffer { ty, has_dynamic_offset: false, min_binding_size: None },
            count: None,
        };
        let read = wgpu::BufferBindingType::Storage { read_only: true };
        let entries = [
            entry(0, wgpu::BufferBindingType::Uniform),
            entry(1, read),
            entry(2, read),
            entry(3, read),
            entry(4, read),
            entry(5, read),
            entry(6, wgpu::BufferBindingType::Storage { read_only: false }),
            entry(7, read),
            entry(8, wgpu::BufferBindingType::Storage { read_only: false }),
        ];
        let layout = device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label: Some("skin"),
            entries: &entries,
        });
        let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: Some("skin.wgsl"),
            source: wgpu::ShaderSource::Wgsl(shader("skin").into()),
        });
        let pipeline_layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: Some("skin"),
            bind_group_layouts: &[Some(&layout)],
            immediate_size: 0,
        });
        let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: Some("skin"),
            layout: Some(&pipeline_layout),
            module: &module,
            entry_point: Some("main"),
            compilation_options: Default::default(),
            cache: None,
        });
        Self { pipeline, layout }
    }
}

/// Buffers of one primitive on the device, ready to be posed.
#[derive(Debug)]
pub(super) struct SkinPart {
    /// Posed positions and normals in scene space.
    pub posed: wgpu::Buffer,
    /// Posed tangents in scene space, if the surface has a normal map.
    pub posed_tangents: Option<wgpu::Buffer>,
    bind: Option<SkinBind>,
    vertex_count: u32,
    /// Scratch memory for skinning on the CPU, reused by each update.
    scratch: Posed,
    /// Ranges of vertices whose weights changed since the last update, including their split
    /// copies.
    reweighed: Vec<Range<usize>>,
    reweighed_copies: Vec<Range<usize>>,
}

#[derive(Debug)]
struct SkinBind {
    group: wgpu::BindGroup,
    params: wgpu::Buffer,
    influences: wgpu::Buffer,
    palette: wgpu::Buffer,
    palette_len: usize,
    active: wgpu::Buffer,
    slots: u32,
}

impl SkinPart {
    /// Creates the buffers of a primitive. `pass` is `None` if skinning runs on the CPU.
    pub(super) fn new(
        gpu: &Gpu,
        pass: Option<&SkinPass>,
        primitive: &Primitive,
        normals: &[Vec3],
        joints: usize,
        tangents: Option<&Tangents>,
    ) -> Self {
        let count = primitive.positions.len() + tangents.map_or(0, |t| t.copies.len());
        let posed_buffer = |label, stride: u64| {
            gpu.device.create_buffer(&wgpu::BufferDescriptor {
                label: Some(label),
                size: (count as u64 * stride).max(stride),
                usage: wgpu::BufferUsages::STORAGE
                    | wgpu::BufferUsages::VERTEX
                    | wgpu::BufferUsages::COPY_DST
                    | wgpu::BufferUsages::COPY_SRC,
                mapped_at_creation: false,
            })
        };
        let posed = posed_buffer("posed vertices", POSED_STRIDE);
        let posed_tangents = tangents.map(|_| posed_buffer("posed tangents", TANGENT_STRIDE));
        let rest = Rest { primitive, normals, tangents, count };
        let bind = pass
            .filter(|_| rest.fits(gpu))
            .map(|pass| rest.bind(gpu, pass, joints, &posed, posed_tangents.as_ref()));
        Self {
            posed,
            posed_tangents,
            bind,
            vertex_count: count as u32,
            scratch: Posed::default(),
            // Nothing is posed yet, so all vertices count as changed.
            reweighed: std::iter::once(0..primitive.positions.len()).collect(),
            reweighed_copies: Vec::new(),
        }
    }

    /// Uploads changed weights of some vertices. The number of slots per vertex must be unchanged.
    ///
    /// `copies` are the split vertices, which come after the primitive's `own` vertices. If
    /// skinning runs on the CPU, nothing is uploaded yet.
    pub(super) fn update_weights(
        &mut self,
        gpu: &Gpu,
        map: &WeightMap,
        vertices: &[Range<usize>],
        own: usize,
        copies: &Copies,
    ) {
        let runs = copies.runs(vertices);
        if let Some(bind) = &self.bind {
            let write = |first: usize, sources: &mut dyn Iterator<Item = usize>| {
                let offset = (first * map.stride() * 8) as u64;
                gpu.queue.write_buffer(
                    &bind.influences,
                    offset,
                    bytemuck::cast_slice(&pairs(map, sources)),
                );
            };
            for range in vertices {
                write(range.start, &mut range.clone());
            }
            for run in &runs {
                write(
                    own + run.start,
                    &mut copies.sources[run.clone()].iter().map(|v| *v as usize),
                );
            }
        }
        self.reweighed.extend_from_slice(vertices);
        self.reweighed_copies.extend(runs);
    }

    /// Whether weights changed since the last update.
    pub(super) fn is_reweighed(&self) -> bool {
        !self.reweighed.is_empty()
    }

    /// Poses only vertices with changed weights on the CPU, and uploads the result. Returns `false`
    /// if the whole primitive must be posed instead.
    pub(super) fn update_reweighed(
        &mut self,
        gpu: &Gpu,
        primitive: &Primitive,
        normals: &[Vec3],
        tangents: Option<&Tangents>,
        morphs: &[f32],
        placement: &Placement,
    ) -> bool {
        let own = primitive.positions.len();
        if self.bind.is_some()
            || self.scratch.positions.len() != own
            || self.scratch.normals.len() != own
        {
            return false;
        }
        let vertices: Vec<u32> =
            self.reweighed.iter().cloned().flatten().map(|v| v as u32).collect();
        skinning::skin_some(primitive, normals, morphs, placement, &vertices, &mut self.scratch);
        let posed = |v: usize| [self.scratch.positions[v], self.scratch.normals[v]];
        let write = |first: usize, vertices: Vec<[Vec3; 2]>| {
            gpu.queue.write_buffer(
                &self.posed,
                first as u64 * POSED_STRIDE,
                bytemuck::cast_slice(&vertices),
            );
            if let (Some(buffer), Some(tangents)) = (&self.posed_tangents, tangents) {
                let turned =
                    tangents.posed_some(primitive, placement, first..first + vertices.len());
                gpu.queue.write_buffer(
                    buffer,
                    first as u64 * TANGENT_STRIDE,
                    bytemuck::cast_slice(&turned),
                );
            }
        };
        for range in &self.reweighed {
            write(range.start, range.clone().map(posed).collect());
        }
        let copies = tangents.map_or(&[][..], |t| &t.copies);
        for run in &self.reweighed_copies {
            write(
                own + run.start,
                copies[run.clone()].iter().map(|v| posed(*v as usize)).collect(),
            );
        }
        self.reweighed.clear();
        self.reweighed_copies.clear();
        true
    }

    /// Reads the posed vertices back to the CPU. Split vertices come after the primitive's own
    /// vertices.
    pub(super) fn read(&self, gpu: &Gpu) -> Result<Posed, GpuError> {
        let size = u64::from(self.vertex_count) * POSED_STRIDE;
        let mut posed = Posed::default();
        if size > 0 {
            let bytes = gpu.read_buffer(&self.posed, size)?;
            for v in bytemuck::pod_collect_to_vec::<u8, [Vec3; 2]>(&bytes) {
                posed.positions.push(v[0]);
                posed.normals.push(v[1]);
            }
        }
        Ok(posed)
    }

    /// Poses the primitive: on the device if possible, otherwise on the CPU with an upload of the
    /// result.
    pub(super) fn update(
        &mut self,
        gpu: &Gpu,
        pass: &mut Option<(wgpu::ComputePass<'_>, &SkinPass)>,
        primitive: &Primitive,
        normals: &[Vec3],
        tangents: Option<&Tangents>,
        morphs: &[f32],
        placement: &Placement,
    ) {
        self.reweighed.clear();
        self.reweighed_copies.clear();
        if self.vertex_count == 0 {
            return;
        }
        let (Some(bind), Some((pass, pipeline))) = (&self.bind, pass) else {
            let posed = &mut self.scratch;
            skinning::skin(primitive, normals, morphs, placement, posed);
            let vertices = interleaved(&posed.positions, &posed.normals, tangents);
            gpu.queue.write_buffer(&self.posed, 0, bytemuck::cast_slice(&vertices));
            if let (Some(buffer), Some(tangents)) = (&self.posed_tangents, tangents) {
                let turned = tangents.posed(primitive, placement);
                gpu.queue.write_buffer(buffer, 0, bytemuck::cast_slice(&turned));
            }
            return;
        };
        let matrices = match placement {
            Placement::Rigid(m) => std::slice::from_ref(m),
            Placement::Skinned(palette) => palette.as_slice(),
        };
        let rows: Vec<[f32; 12]> = matrices.iter().take(bind.palette_len).map(rows).collect();
        gpu.queue.write_buffer(&bind.palette, 0, bytemuck::cast_slice(&rows));
        let active: Vec<[u32; 2]> = morphs
            .iter()
            .take(primitive.targets.len())
            .enumerate()
            .filter(|(_, w)| **w != 0.0)
            .map(|(k, w)| [k as u32, w.to_bits()])
            .collect();
        if !active.is_empty() {
            gpu.queue.write_buffer(&bind.active, 0, bytemuck::cast_slice(&active));
        }
        let params = SkinParams {
            vertex_count: self.vertex_count,
            slots: if matches!(placement, Placement::Skinned(_)) { bind.slots } else { 0 },
            active_targets: active.len() as u32,
            joint_count: rows.len() as u32,
            has_tangents: u32::from(tangents.is_some()),
            unused: [0; 3],
        };
        gpu.queue.write_buffer(&bind.params, 0, bytemuck::bytes_of(&params));
        let groups = self.vertex_count.div_ceil(64);
        let wide = groups.min(32768);
        pass.set_pipeline(&pipeline.pipeline);
        pass.set_bind_group(0, &bind.group, &[]);
        pass.dispatch_workgroups(wide, groups.div_ceil(wide), 1);
    }
}

/// Split vertices and their original vertices, for lookup in both directions.
#[derive(Debug, Default)]
pub(super) struct Copies {
    /// Original vertex of each copy.
    sources: Vec<u32>,
    /// Pairs of an original vertex and its copy, sorted.
    by_source: Vec<(u32, u32)>,
}

impl Copies {
    pub(super) fn new(tangents: Option<&Tangents>) -> Self {
        let sources = tangents.map_or_else(Vec::new, |t| t.copies.clone());
        let mut by_source: Vec<(u32, u32)> = sources.iter().copied().zip(0..).collect();
        by_source.sort_unstable();
        Self { sources, by_source }
    }

    /// Ranges that contain the copies of some vertices. They are few, and can include copies of
    /// other vertices.
    fn runs(&self, vertices: &[Range<usize>]) -> Vec<Range<usize>> {
        /// Maximum gap between two ranges that are merged into one, in vertices.
        const GAP: usize = 64;
        let mut found: Vec<usize> = Vec::new();
        for range in vertices {
            let first = self.by_source.partition_point(|(v, _)| (*v as usize) < range.start);
            let within =
                self.by_source[first..].iter().take_while(|(v, _)| (*v as usize) < range.end);
            found.extend(within.map(|(_, copy)| *copy as usize));
        }
        found.sort_unstable();
        let mut runs: Vec<Range<usize>> = Vec::new();
        for copy in found {
            match runs.last_mut() {
                Some(run) if copy < run.end + GAP => run.end = copy + 1,
                _ => runs.push(copy..copy + 1),
            }
        }
        runs
    }
}

/// Joint and weight bits of all slots of some vertices.
fn pairs(map: &WeightMap, vertices: impl Iterator<Item = usize>) -> Vec<[u32; 2]> {
    vertices
        .flat_map(|v| map.vertex(v).map(|(joint, weight)| [u32::from(joint), weight.to_bits()]))
        .collect()
}

/// Upload data of a primitive in its rest pose. Split vertices come after the primitive's own
/// vertices.
struct Rest<'a> {
    primitive: &'a Primitive,
    normals: &'a [Vec3],
    tangents: Option<&'a Tangents>,
    count: usize,
}

impl Rest<'_> {
    /// Original vertex of each uploaded vertex.
    fn sources(&self) -> impl Iterator<Item = usize> {
        let copies = self.tangents.map_or(&[][..], |t| &t.copies);
        (0..self.primitive.positions.len()).chain(copies.iter().map(|v| *v as usize))
    }

    /// Whether the primitive fits into buffers of the device. Otherwise, skinning runs on the CPU.
    fn fits(&self, gpu: &Gpu) -> bool {
        let most = gpu.device.limits().max_storage_buffer_binding_size;
        let count = self.count as u64;
        let slots = self.primitive.weights.as_ref().map_or(0, |w| w.stride() as u64);
        let targets = self.primitive.targets.len() as u64;
        let largest =
            (count * POSED_STRIDE).max(count * slots * 8).max(count * POSED_STRIDE * targets);
        largest <= most
    }

    fn bind(
        &self,
        gpu: &Gpu,
        pass: &SkinPass,
        joints: usize,
        posed: &wgpu::Buffer,
        posed_tangents: Option<&wgpu::Buffer>,
    ) -> SkinBind {
        let storage = |label: &str, contents: &[u8]| {
            let padded = if contents.is_empty() { &[0u8; 48][..] } else { contents };
            gpu.device.create_buffer_init(&wgpu::util::BufferInitDescriptor {
                label: Some(label),
                contents: padded,
                usage: wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_DST,
            })
        };
        let primitive = self.primitive;
        let rest = interleaved(&primitive.positions, self.normals, self.tangents);
        let base = storage("rest vertices", bytemuck::cast_slice(&rest));
        let (slots, influences) = match &primitive.weights {
            Some(map) => {
                let pairs = pairs(map, self.sources());
                (map.stride() as u32, storage("influences", bytemuck::cast_slice(&pairs)))
            }
            None => (0, storage("influences", &[])),
        };
        let mut deltas: Vec<Vec3> = Vec::new();
        for target in primitive.targets.iter() {
            for vertex in self.sources() {
                deltas.push(target.positions.get(vertex).copied().unwrap_or_default());
                deltas.push(target.normals.get(vertex).copied().unwrap_or_default());
            }
        }
        let deltas = storage("morph targets", bytemuck::cast_slice(&deltas));
        let palette_len = joints.max(1);
        let palette = storage("palette", &vec![0u8; palette_len * 48]);
        let active = storage("active targets", &vec![0u8; primitive.targets.len().max(1) * 8]);
        let params = gpu.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("skin parameters"),
            size: size_of::<SkinParams>() as u64,
            usage: wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        let rest_tangents = storage(
            "rest tangents",
            bytemuck::cast_slice(self.tangents.map_or(&[][..], |t| &t.tangents)),
        );
        let nowhere;
        let posed_tangents = match posed_tangents {
            Some(buffer) => buffer,
            None => {
                nowhere = storage("no tangents", &[]);
                &nowhere
            }
        };
        let buffers = [
            &params,
            &base,
            &influences,
            &palette,
            &deltas,
            &active,
            posed,
            &rest_tangents,
            posed_tangents,
        ];
        let entries: Vec<wgpu::BindGroupEntry<'_>> = buffers
            .iter()
            .enumerate()
            .map(|(k, b)| wgpu::BindGroupEntry {
                binding: k as u32,
                resource: b.as_entire_binding(),
            })
            .collect();
        let group = gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("skin"),
            layout: &pass.layout,
            entries: &entries,
        });
        SkinBind { group, params, influences, palette, palette_len, active, slots }
    }
}

/// Interleaved positions and normals. Split vertices come after the primitive's own vertices.
fn interleaved(
    positions: &[Vec3],
    normals: &[Vec3],
    tangents: Option<&Tangents>,
) -> Vec<[Vec3; 2]> {
    let vertex = |k: usize| [positions[k], normals.get(k).copied().unwrap_or_default()];
    let copies = tangents.map_or(&[][..], |t| &t.copies);
    (0..positions.len()).chain(copies.iter().map(|v| *v as usize)).map(vertex).collect()
}

/// The upper three rows of a matrix.
pub(super) fn rows(m: &Mat4) -> [f32; 12] {
    let [a, b, c, _] = m.transpose().to_cols_array_2d();
    [a[0], a[1], a[2], a[3], b[0], b[1], b[2], b[3], c[0], c[1], c[2], c[3]]
}

/// Morphs and skins every displayed primitive with the compute pass, and reads the results back.
/// Used by `eval --device gpu`.
///
/// # Errors
/// The device does not support compute shaders, or failed.
pub fn skin_on_gpu(
    gpu: &Gpu,
    document: &Document,
    pose: &Pose,
) -> Result<Vec<(NodeId, PrimitiveId, Posed)>, GpuError> {
    if !gpu.compute {
        return Err(GpuError::Failed(format!("“{}” cannot run compute passes", gpu.name)));
    }
    let pipeline = SkinPass::new(gpu);
    let mut parts = Vec::new();
    for node in document.shown_nodes() {
        let Some(mesh) = document.node(node).mesh else { continue };
        for (k, primitive) in document.mesh(mesh).entries() {
            let normals = skinning::base_normals(primitive);
            let placement = Placement::of(document, pose, node, primitive);
            let joints = if let Placement::Skinned(p) = &placement { p.len() } else { 1 };
            let part = SkinPart::new(gpu, Some(&pipeline), primitive, &normals, joints, None);
            parts.push((node, k, part, normals, placement));
        }
    }
    let mut encoder = gpu.device.create_command_encoder(&Default::default());
    {
        let mut pass = Some((encoder.begin_compute_pass(&Default::default()), &pipeline));
        for (node, k, part, normals, placement) in &mut parts {
            let Some(mesh) = document.node(*node).mesh else { continue };
            part.update(
                gpu,
                &mut pass,
                &document.mesh(mesh).primitives[k.index()],
                normals,
                None,
                &pose.morphs[node.index()],
                placement,
            );
        }
    }
    gpu.queue.submit([encoder.finish()]);
    let mut list = Vec::new();
    for (node, k, part, ..) in &parts {
        list.push((*node, *k, part.read(gpu)?));
    }
    Ok(list)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn upload_ranges_cover_every_copy_of_the_vertices_and_do_not_overlap() {
        let copies: Vec<u32> = (0..500u32).map(|k| k * 7 % 61).collect();
        let tangents =
            Tangents { tangents: Vec::new(), copies: copies.clone(), indices: Vec::new() };
        let index = Copies::new(Some(&tangents));
        for vertices in [vec![0..30, 30..61], vec![60..61, 2..5], vec![3..4, 9..9], vec![]] {
            let runs = index.runs(&vertices);
            let wanted = |k: usize| {
                vertices.iter().any(|r: &Range<usize>| r.contains(&(copies[k] as usize)))
            };
            assert!(
                (0..500).filter(|k| wanted(*k)).all(|k| runs.iter().any(|r| r.contains(&k))),
                "{vertices:?}"
            );
            assert!(runs.iter().all(|r| wanted(r.start) && wanted(r.end - 1)), "{runs:?}");
            assert!(runs.windows(2).all(|r| r[0].end < r[1].start), "{runs:?}");
        }
        assert!(Copies::new(None).runs(&[0..9, 9..12]).is_empty());
    }
}
