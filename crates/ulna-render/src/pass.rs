//! Helpers for render passes: their targets, and draw calls without a material.

use super::{Gpu, RenderTarget, scene_primitive::ScenePrimitive, target::Samples};

/// Draws the posed vertices and instances of a scene part with the given indices, without a
/// material.
pub(super) fn draw_bare(
    pass: &mut wgpu::RenderPass<'_>,
    part: &ScenePrimitive,
    indices: &wgpu::Buffer,
) {
    pass.set_vertex_buffer(0, part.skin.posed.slice(..));
    pass.set_vertex_buffer(1, part.places.slice(..));
    pass.set_index_buffer(indices.slice(..), wgpu::IndexFormat::Uint32);
    for (instances, ..) in part.draws() {
        pass.draw_indexed(0..(indices.size() / 4) as u32, 0, instances);
    }
}

/// Color target of a render pass.
#[derive(Clone, Copy)]
pub(super) enum Onto<'a> {
    /// G-buffer for deferred shading.
    Surfaces(&'a wgpu::TextureView),
    /// Lit colors over a background color. In deferred shading, the existing depth of the surfaces
    /// is kept.
    Light(&'a RenderTarget, wgpu::Color),
}

pub(super) fn begin<'e>(
    encoder: &'e mut wgpu::CommandEncoder,
    name: &str,
    onto: Onto<'_>,
    depth: &wgpu::TextureView,
) -> wgpu::RenderPass<'e> {
    use wgpu::{
        LoadOp::Clear,
        StoreOp::{Discard, Store},
    };
    // Reverse depth: 0 is at infinity.
    let (nothing, kept) = (Clear(0.0), wgpu::LoadOp::Load);
    let (view, resolve_target, clear, store, depth_load, depth_store) = match onto {
        Onto::Surfaces(view) => (view, None, wgpu::Color::TRANSPARENT, Store, nothing, Store),
        Onto::Light(target, background) => match &target.samples {
            Samples::Several { light, .. } => {
                (light, Some(&target.srgb_view), background, Discard, nothing, Discard)
            }
            Samples::One { .. } => (&target.srgb_view, None, background, Store, kept, Discard),
        },
    };
    encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
        label: Some(name),
        color_attachments: &[Some(wgpu::RenderPassColorAttachment {
            view,
            depth_slice: None,
            resolve_target,
            ops: wgpu::Operations { load: Clear(clear), store },
        })],
        depth_stencil_attachment: Some(wgpu::RenderPassDepthStencilAttachment {
            view: depth,
            depth_ops: Some(wgpu::Operations { load: depth_load, store: depth_store }),
            stencil_ops: None,
        }),
        timestamp_writes: None,
        occlusion_query_set: None,
        multiview_mask: None,
    })
}

/// Creates a bind group with a picture that a pass reads.
pub(super) fn picture_bind(
    gpu: &Gpu,
    layout: &wgpu::BindGroupLayout,
    picture: &wgpu::TextureView,
) -> wgpu::BindGroup {
    gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
        label: Some("picture"),
        layout,
        entries: &[wgpu::BindGroupEntry {
            binding: 0,
            resource: wgpu::BindingResource::TextureView(picture),
        }],
    })
}
