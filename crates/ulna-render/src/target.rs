//! What a picture is drawn into: colors, depth, and the mask that outlines are found from.

use super::Gpu;

/// Colors, depth, and samples of the offscreen picture. The window blends in gamma space and shows
/// the plain view; we draw through the sRGB view, so that light adds up linearly; where a device
/// has no such views, into a picture beside it.
pub(super) const COLOR: wgpu::TextureFormat = wgpu::TextureFormat::Rgba8Unorm;
pub(super) const COLOR_SRGB: wgpu::TextureFormat = wgpu::TextureFormat::Rgba8UnormSrgb;
/// A float, since reverse infinite depth spreads its digits over all distances.
pub(super) const DEPTH: wgpu::TextureFormat = wgpu::TextureFormat::Depth32Float;
/// The one count besides 1 that every adapter has.
pub(super) const SAMPLES: u32 = 4;
/// What the surfaces of a quick picture are, until light is found: see shaders/deferred.wgsl.
pub(super) const SURFACES: wgpu::TextureFormat = wgpu::TextureFormat::Rgba32Uint;
/// Where outlined surfaces are.
pub(super) const MASK: wgpu::TextureFormat = wgpu::TextureFormat::R8Unorm;

/// A picture to draw into.
#[derive(Debug)]
pub struct RenderTarget {
    /// Width and height in pixels.
    pub size: [u32; 2],
    /// Its pixels for each of those it is shown on, along a side, 0..=1.
    pub part: f32,
    /// How many pixels it is shown on.
    pub shown: [u32; 2],
    texture: wgpu::Texture,
    /// Gamma-encoded, as a window expects it.
    pub plain_view: wgpu::TextureView,
    pub(super) srgb_view: wgpu::TextureView,
    pub(super) depth_view: wgpu::TextureView,
    pub(super) mask_view: wgpu::TextureView,
    pub(super) samples: Samples,
}

/// How a picture is sampled.
#[derive(Debug)]
pub(super) enum Samples {
    /// [`SAMPLES`] a pixel: of light, and of the mask.
    Several { light: wgpu::TextureView, mask: wgpu::TextureView },
    /// One a pixel: what its surface is.
    One { surfaces: wgpu::TextureView },
}

impl RenderTarget {
    /// A picture of a size, at least one pixel.
    pub fn new(gpu: &Gpu, size: [u32; 2]) -> Self {
        Self::sampled(gpu, size, 1.0, SAMPLES)
    }

    /// A picture that lasts a moment, while something moves: one sample a pixel, and light found
    /// once for each, not for every triangle there. As bright as the other. It has a part of the
    /// pixels, along a side, of those it is shown on.
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

    /// The picture.
    pub const fn texture(&self) -> &wgpu::Texture {
        &self.texture
    }
}
