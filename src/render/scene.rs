//! A document on the device: what is uploaded once, and what is posed again when the pose changes.

use std::sync::Arc;

use glam::Vec3;
use wgpu::util::DeviceExt as _;

use super::{
    Decoded, Gpu,
    material::Materials,
    skin::{SkinPart, SkinPass},
};
use crate::{
    model::{AlphaMode, Document, Material, NodeId, Topology},
    motion::{Placement, Pose, Tangents, skinning},
};

/// A document on the device.
pub struct Scene {
    pub(super) parts: Vec<Part>,
    pass: Option<SkinPass>,
}

/// One primitive under one node.
pub(super) struct Part {
    node: NodeId,
    primitive: usize,
    pub skin: SkinPart,
    pub looks: wgpu::Buffer,
    pub indices: wgpu::Buffer,
    pub index_count: u32,
    pub topology: Topology,
    pub blend: bool,
    normals: Arc<[Vec3]>,
    tangents: Option<Tangents>,
    material: [wgpu::BindGroup; 2],
    mirrored: bool,
    /// A point of it, for drawing what is behind first.
    pub centre: Vec3,
}

impl Part {
    pub(super) fn material(&self) -> &wgpu::BindGroup {
        &self.material[usize::from(self.mirrored)]
    }
}

impl Scene {
    /// Uploads a document. `images` are its images decoded. On a software adapter the CPU skins.
    pub fn new(gpu: &Gpu, material_layout: &wgpu::BindGroupLayout, document: &Document, images: &[Decoded]) -> Self {
        let pass = (gpu.compute && !gpu.software).then(|| SkinPass::new(gpu));
        let materials = Materials::new(gpu, material_layout, &document.materials, images);
        let plain = Material {
            metallic: 0.0,
            roughness: 0.8,
            base_color: glam::Vec4::new(0.8, 0.8, 0.8, 1.0),
            ..Material::default()
        };
        let mut parts = Vec::new();
        for node in document.shown_nodes() {
            let Some(mesh) = document.node(node).mesh else { continue };
            for (index, primitive) in document.mesh(mesh).primitives.iter().enumerate() {
                if primitive.positions.is_empty() || primitive.indices.is_empty() {
                    continue;
                }
                let normals = skinning::base_normals(primitive);
                let material = primitive.material.and_then(|m| document.materials.get(m.index())).unwrap_or(&plain);
                let joints = document.node(node).skin.map_or(1, |s| document.skin(s).joints.len());
                // Only a normal map needs them, and they cost bytes.
                let tangents = material.normal_texture.as_ref().and_then(|t| Tangents::of(primitive, t.uv_set));
                let copies = tangents.as_ref().map_or(&[][..], |t| &t.copies);
                let looks: Vec<[f32; 5]> = (0..primitive.positions.len())
                    .chain(copies.iter().map(|v| *v as usize))
                    .map(|v| {
                        let uv0 = primitive.uv0.get(v).copied().unwrap_or_default();
                        let uv1 = primitive.uv1.get(v).copied().unwrap_or_default();
                        let color = primitive
                            .colors
                            .get(v)
                            .map_or([255u8; 4], |c| c.to_array().map(|c| (c.clamp(0.0, 1.0) * 255.0).round() as u8));
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
                parts.push(Part {
                    node,
                    primitive: index,
                    skin: SkinPart::new(gpu, pass.as_ref(), primitive, &normals, joints, tangents.as_ref()),
                    looks: buffer("vertex looks", bytemuck::cast_slice(&looks), wgpu::BufferUsages::VERTEX),
                    indices: buffer("indices", bytemuck::cast_slice(indices), wgpu::BufferUsages::INDEX),
                    index_count: primitive.indices.len() as u32,
                    topology: primitive.topology,
                    blend: material.alpha == AlphaMode::Blend,
                    normals,
                    tangents,
                    material: [materials.bind(gpu, material, false), materials.bind(gpu, material, true)],
                    mirrored: false,
                    centre: Vec3::ZERO,
                });
            }
        }
        Self { parts, pass }
    }

    /// Poses every part. Call it when the pose changed, not when the eye moved.
    pub fn update(&mut self, gpu: &Gpu, document: &Document, pose: &Pose) {
        let mut encoder = gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor { label: Some("skin") });
        {
            let mut pass =
                self.pass.as_ref().map(|pipeline| (encoder.begin_compute_pass(&Default::default()), pipeline));
            for part in &mut self.parts {
                let Some(mesh) = document.node(part.node).mesh else { continue };
                let primitive = &document.mesh(mesh).primitives[part.primitive];
                let placement = Placement::of(document, pose, part.node, primitive);
                let matrix = match &placement {
                    Placement::Rigid(m) => *m,
                    Placement::Skinned(palette) => palette.first().copied().unwrap_or_default(),
                };
                part.mirrored = glam::Mat3::from_mat4(matrix).determinant() < 0.0;
                part.centre = matrix.transform_point3(primitive.positions[primitive.positions.len() / 2]);
                let morphs = &pose.morphs[part.node.index()];
                let tangents = part.tangents.as_ref();
                part.skin.update(gpu, &mut pass, primitive, &part.normals, tangents, morphs, &placement);
            }
        }
        gpu.queue.submit([encoder.finish()]);
    }
}
