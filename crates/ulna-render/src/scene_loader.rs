//! Upload of the primitives of a document to a device.

use std::sync::OnceLock;

use glam::{Mat4, Vec3};
use wgpu::util::DeviceExt as _;

use super::{
    Decoded, Gpu,
    material::Materials,
    pipeline::{Pipelines, features},
    scene_primitive::{ScenePrimitive, boxes, joints, slots},
    skin::{PLACE_STRIDE, POSED_STRIDE, SkinPart, SkinPass, rows},
    tint::Tints,
};
use ulna_model::{AlphaMode, Document, Material, NodeId, Primitive, PrimitiveId, Topology};
use ulna_motion::{Tangents, skinning};

/// Loader that uploads the primitives of a document to a device.
pub(super) struct Loader<'a> {
    gpu: &'a Gpu,
    document: &'a Document,
    pass: Option<&'a SkinPass>,
    materials: Materials,
    /// Default material for primitives without a material.
    plain: Material,
    /// Instance buffer with one identity matrix, for nodes without instances.
    identity: wgpu::Buffer,
    /// Size limit of a buffer, in bytes.
    most: u64,
}

impl<'a> Loader<'a> {
    pub(super) fn new(
        gpu: &'a Gpu,
        pipelines: &Pipelines,
        document: &'a Document,
        images: &[Decoded],
        pass: Option<&'a SkinPass>,
    ) -> Self {
        let materials =
            Materials::new(gpu, &pipelines.layouts.material, &document.materials, images);
        let identity = gpu.device.create_buffer_init(&wgpu::util::BufferInitDescriptor {
            label: Some("one place"),
            contents: bytemuck::cast_slice(&rows(&Mat4::IDENTITY)),
            usage: wgpu::BufferUsages::VERTEX,
        });
        let most = gpu.device.limits().max_buffer_size;
        Self { gpu, document, pass, materials, plain: Material::default(), identity, most }
    }

    /// Buffer with the instance transforms of a node. Nodes without instances share one buffer.
    pub(super) fn places(&self, node: NodeId) -> wgpu::Buffer {
        let node = self.document.node(node);
        match node.instances.as_ref().filter(|_| node.skin.is_none()) {
            None => self.identity.clone(),
            Some(list) => self.gpu.device.create_buffer(&wgpu::BufferDescriptor {
                label: Some("places"),
                size: list.len().max(1) as u64 * PLACE_STRIDE,
                usage: wgpu::BufferUsages::VERTEX
                    | wgpu::BufferUsages::COPY_DST
                    | wgpu::BufferUsages::COPY_SRC,
                mapped_at_creation: false,
            }),
        }
    }

    /// Uploads a primitive of a node's mesh; `None` if it exceeds the buffer limit of the device.
    pub(super) fn primitive(
        &self,
        node: NodeId,
        (index, primitive): (PrimitiveId, &Primitive),
        places: &wgpu::Buffer,
    ) -> Option<ScenePrimitive> {
        let Self { gpu, document, .. } = *self;
        let normals = skinning::base_normals(primitive);
        let flat = primitive.topology == Topology::Triangles
            && primitive.normals.len() != primitive.positions.len();
        let material = document.material_of(primitive, document.shown.variant);
        let material = material.and_then(|m| document.materials.get(m)).unwrap_or(&self.plain);
        let joints = joints(document, node);
        // Only normal maps need tangents, which use memory.
        let tangents =
            material.normal_texture.as_ref().and_then(|t| Tangents::of(primitive, t.uv_set));
        let copies = tangents.as_ref().map_or(&[][..], |t| &t.copies);
        let vertices = primitive.positions.len() + copies.len();
        if (vertices as u64 * POSED_STRIDE).max(primitive.indices.len() as u64 * 4) > self.most {
            return None;
        }
        let looks = vertex_looks(primitive, copies);
        let buffer = |label: &str, contents: &[u8], usage| {
            gpu.device.create_buffer_init(&wgpu::util::BufferInitDescriptor {
                label: Some(label),
                contents,
                usage,
            })
        };
        let indices = tangents.as_ref().map_or(&*primitive.indices, |t| &t.indices);
        let bytes = vertices * (POSED_STRIDE as usize + 20) + size_of_val(indices);
        let part = ScenePrimitive {
            node,
            primitive: index,
            marked: false,
            shown: false,
            unseen: false,
            skin: SkinPart::new(gpu, self.pass, primitive, &normals, joints, tangents.as_ref()),
            looks: buffer("vertex looks", bytemuck::cast_slice(&looks), wgpu::BufferUsages::VERTEX),
            indices: buffer("indices", bytemuck::cast_slice(indices), wgpu::BufferUsages::INDEX),
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
            material: [false, true].map(|mirrored| self.materials.bind(gpu, material, mirrored)),
            places: places.clone(),
            unmirrored_count: 1,
            placed: 1,
            boxes: boxes(primitive, joints),
            center: Vec3::ZERO,
            reach: 0.0,
        };
        gpu.hand_over(bytes);
        Some(part)
    }
}

/// Texture coordinates and colors of a primitive's vertices, followed by those of split vertices.
fn vertex_looks(primitive: &Primitive, copies: &[u32]) -> Vec<[f32; 5]> {
    (0..primitive.positions.len())
        .chain(copies.iter().map(|v| *v as usize))
        .map(|v| {
            let uv0 = primitive.uv0.get(v).copied().unwrap_or_default();
            let uv1 = primitive.uv1.get(v).copied().unwrap_or_default();
            let color = primitive.colors.get(v).map_or([255u8; 4], |c| {
                c.to_array().map(|c| (c.clamp(0.0, 1.0) * 255.0).round() as u8)
            });
            [uv0.x, uv0.y, uv1.x, uv1.y, f32::from_bits(u32::from_le_bytes(color))]
        })
        .collect()
}

/// Feature bits of a surface with this material; see `features` in pipeline.rs.
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
