//! Render targets: colors, depth, and the mask for outlines.

use super::Gpu;

/// Format of the offscreen picture. The window blends in gamma space, and displays the picture
/// through a view without sRGB conversion. Drawing uses an sRGB view, so that light is added
/// linearly. Devices without such views draw to a separate sRGB texture.
pub(super) const COLOR: wgpu::TextureFormat = wgpu::TextureFormat::Rgba8Unorm;
pub(super) const COLOR_SRGB: wgpu::TextureFormat = wgpu::TextureFormat::Rgba8UnormSrgb;
/// Format of the depth buffer; a float format suits the infinite reverse depth.
pub(super) const DEPTH: wgpu::TextureFormat = wgpu::TextureFormat::Depth32Float;
/// Number of samples per pixel; the only count besides 1 that every adapter supports.
pub(super) const SAMPLES: u32 = 4;
/// Format of the G-buffer for deferred shading; see shaders/deferred.wgsl.
pub(super) const SURFACES: wgpu::TextureFormat = wgpu::TextureFormat::Rgba32Uint;
/// Format of the mask of outlined surfaces.
pub(super) const MASK: wgpu::TextureFormat = wgpu::TextureFormat::R8Unorm;

/// A picture to draw into.
#[derive(Debug)]
pub struct RenderTarget {
    /// Width and height in pixels.
    pub size: [u32; 2],
    /// Resolution relative to the display, along each axis, `0..=1`.
    pub part: f32,
    /// Width and height on the display, in display pixels.
    pub shown: [u32; 2],
    texture: wgpu::Texture,
    /// Gamma-encoded view of the picture, as the window expects it.
    pub plain_view: wgpu::TextureView,
    pub(super) srgb_view: wgpu::TextureView,
    pub(super) depth_view: wgpu::TextureView,
    pub(super) mask_view: wgpu::TextureView,
    pub(super) samples: Samples,
}

/// Sampling mode of a picture.
#[derive(Debug)]
pub(super) enum Samples {
    /// [`SAMPLES`] samples per pixel, for colors and mask.
    Several { light: wgpu::TextureView, mask: wgpu::TextureView },
    /// One sample per pixel, with a G-buffer for deferred shading.
    One { surfaces: wgpu::TextureView },
}

impl RenderTarget {
    /// Creates a full-quality target with a size in pixels; at least 1 × 1.
    pub fn new(gpu: &Gpu, size: [u32; 2]) -> Self {
        Self::sampled(gpu, size, 1.0, SAMPLES)
    }

    /// Creates a target for a quick picture of lower quality, for use during motion. It has one
    /// sample per pixel, and deferred shading lights each pixel only once. Its brightness equals
    /// that of a full picture.
    ///
    /// `shown` is the size on the display in pixels. `part` is the resolution relative to the
    /// display, along each axis.
    pub fn quick(gpu: &Gpu, shown: [u32; 2], part: f32) -> Self {
        Self::sampled(gpu, shown, part.clamp(0.01, 1.0), 1)
    }

    fn sampled(gpu: &Gpu, shown: [u32; 2], part: f32, count: u32) -> Self {
        let most = gpu.device.limits().max_texture_dimension_2d;
        let size = shown.map(|s| ((s as f32 * part).round() as u32).clamp(1, most));
        let texture = |label, format, sample_count, usage, view_formats: &[wgpu::TextureFormat]| {
            gpu.device.create_texture(&wgpu::TextureDescriptor {
                label: Some(label),
                size: wgpu::Extent3d { width: size[0], height: size[1], depth_or_array_layers: 1 },
                mip_level_count: 1,
                sample_count,
                dimension: wgpu::TextureDimension::D2,
                format,
                usage,
                view_formats,
            })
        };
        let attachment = wgpu::TextureUsages::RENDER_ATTACHMENT;
        let seen =
            attachment | wgpu::TextureUsages::TEXTURE_BINDING | wgpu::TextureUsages::COPY_SRC;
        let seen_as: &[wgpu::TextureFormat] = if gpu.view_formats { &[COLOR_SRGB] } else { &[] };
        let color = texture("picture", COLOR, 1, seen, seen_as);
        let light = (!gpu.view_formats).then(|| {
            texture(
                "picture as light",
                COLOR_SRGB,
                1,
                attachment | wgpu::TextureUsages::TEXTURE_BINDING,
                &[],
            )
        });
        let read = attachment | wgpu::TextureUsages::TEXTURE_BINDING;
        let depth = texture("depth", DEPTH, count, attachment, &[]);
        let mask = texture("mask", MASK, 1, read, &[]);
        let view = |texture: &wgpu::Texture, format| {
            texture.create_view(&wgpu::TextureViewDescriptor {
                format: Some(format),
                ..Default::default()
            })
        };
        Self {
            size,
            part,
            shown,
            plain_view: view(&color, COLOR),
            srgb_view: view(light.as_ref().unwrap_or(&color), COLOR_SRGB),
            depth_view: view(&depth, DEPTH),
            mask_view: view(&mask, MASK),
            samples: if count == 1 {
                Samples::One {
                    surfaces: view(&texture("surfaces", SURFACES, 1, read, &[]), SURFACES),
                }
            } else {
                Samples::Several {
                    light: view(
                        &texture("samples", COLOR_SRGB, count, attachment, &[]),
                        COLOR_SRGB,
                    ),
                    mask: view(&texture("mask samples", MASK, count, attachment, &[]), MASK),
                }
            },
            texture: color,
        }
    }

    /// Texture that contains the picture.
    pub const fn texture(&self) -> &wgpu::Texture {
        &self.texture
    }
}
