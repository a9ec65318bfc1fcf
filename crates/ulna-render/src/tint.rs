//! Tints: a weight or color per vertex, displayed instead of materials during weight painting.

use std::sync::OnceLock;

use wgpu::util::DeviceExt as _;

use super::{Color, Gpu};

/// Kind of the tint values in a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TintKind {
    /// Weights, displayed with the color ramp of [`heat`](super::heat).
    Heat,
    /// Colors, displayed directly.
    Colors,
}

impl TintKind {
    /// Tint value of a vertex without a value, for both kinds. The vertex is displayed in a dimmed
    /// neutral color.
    pub const NONE: u32 = 0x7FC0_0000;

    /// Tint value of a weight of `0..=1`, for [`Heat`](Self::Heat): the bits of the float. NaN
    /// means no value.
    pub const fn weight(weight: f32) -> u32 {
        weight.to_bits()
    }

    /// Tint value of a color, for [`Colors`](Self::Colors). Red is the highest byte. The lowest
    /// byte is alpha, the opacity over the neutral color.
    pub const fn color(color: Color) -> u32 {
        u32::from_be_bytes(color.0)
    }

    /// Number of the kind in the shader.
    pub(super) const fn number(self) -> f32 {
        match self {
            Self::Heat => 1.0,
            Self::Colors => 2.0,
        }
    }
}

/// Tints of one part of a scene. They are drawn with the primitive's own indices, so vertices that
/// were split for normal maps need no tints.
#[derive(Debug)]
pub(super) struct Tints {
    count: usize,
    /// One tint value per vertex; `None` until the first value is set.
    pub values: Option<wgpu::Buffer>,
    /// The primitive's own indices, if the part is drawn with different indices. Created on demand.
    own: OnceLock<wgpu::Buffer>,
}

impl Tints {
    pub(super) const fn new(primitive_vertices: usize) -> Self {
        Self { count: primitive_vertices, values: None, own: OnceLock::new() }
    }

    /// Sets the tint values of consecutive vertices, starting at `first`. Excess values are
    /// ignored.
    pub(super) fn set(&mut self, gpu: &Gpu, first: usize, values: &[u32]) {
        let values = &values[..values.len().min(self.count.saturating_sub(first))];
        if values.is_empty() {
            return;
        }
        let buffer = self.values.get_or_insert_with(|| {
            gpu.device.create_buffer_init(&wgpu::util::BufferInitDescriptor {
                label: Some("tints"),
                contents: bytemuck::cast_slice(&vec![TintKind::NONE; self.count]),
                usage: wgpu::BufferUsages::VERTEX | wgpu::BufferUsages::COPY_DST,
            })
        });
        gpu.queue.write_buffer(buffer, first as u64 * 4, bytemuck::cast_slice(values));
    }

    /// Index buffer with the primitive's own indices.
    pub(super) fn indices(&self, gpu: &Gpu, corners: &[u32]) -> &wgpu::Buffer {
        self.own.get_or_init(|| {
            gpu.device.create_buffer_init(&wgpu::util::BufferInitDescriptor {
                label: Some("own indices"),
                contents: bytemuck::cast_slice(corners),
                usage: wgpu::BufferUsages::INDEX,
            })
        })
    }
}
