//! Decoding of images, and their upload as textures with mipmaps.

use image::RgbaImage;

use super::Gpu;
use ulna_model::{Diagnostic, Document, IdKind, Image, Location, Severity};

/// A decoded image; `None` if it cannot be decoded.
pub type Decoded = Option<RgbaImage>;

/// Maximum size of a texture along each side, in pixels. Larger images are scaled down, with a
/// warning.
const LARGEST: u32 = 4096;

/// Decodes all images. Also returns findings about images that cannot be decoded or were scaled
/// down.
pub fn decode_images(document: &Document) -> (Vec<Decoded>, Vec<Diagnostic>) {
    let mut findings = Vec::new();
    let images = document
        .images
        .iter()
        .enumerate()
        .map(|(k, image)| {
            if image.bytes.is_empty() {
                return None;
            }
            let place = Location::at(IdKind::Image, k);
            match decode(image) {
                Ok((picture, true)) => {
                    let message = format!(
                        "The image is larger than {LARGEST} pixels on a side and is displayed at a \
                            lower resolution"
                    );
                    findings.push(Diagnostic::new(
                        Severity::Info,
                        "ULNA_IMAGE_SCALED",
                        place,
                        message,
                    ));
                    Some(picture)
                }
                Ok((picture, false)) => Some(picture),
                Err(error) => {
                    let message =
                        format!("The image cannot be decoded and is not displayed: {error}");
                    findings.push(Diagnostic::new(
                        Severity::Error,
                        "IMAGE_DATA_INVALID",
                        place,
                        message,
                    ));
                    None
                }
            }
        })
        .collect();
    (images, findings)
}

fn decode(image: &Image) -> image::ImageResult<(RgbaImage, bool)> {
    let picture = image.unpack()?;
    let large = picture.width() > LARGEST || picture.height() > LARGEST;
    let picture = if large { picture.thumbnail(LARGEST, LARGEST) } else { picture };
    Ok((picture.into_rgba8(), large))
}

/// Uploads an image with its mipmaps. `srgb` must be set for colors, and not for data. An image
/// above the texture limit of the device is halved until it fits.
pub(super) fn upload(gpu: &Gpu, picture: &RgbaImage, srgb: bool) -> wgpu::TextureView {
    let most = gpu.device.limits().max_texture_dimension_2d;
    if picture.width().max(picture.height()) > most {
        return upload(gpu, &half(picture), srgb);
    }
    let levels = picture.width().max(picture.height()).max(1).ilog2() + 1;
    let texture = gpu.device.create_texture(&wgpu::TextureDescriptor {
        label: Some("image"),
        size: wgpu::Extent3d {
            width: picture.width(),
            height: picture.height(),
            depth_or_array_layers: 1,
        },
        mip_level_count: levels,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format: if srgb {
            wgpu::TextureFormat::Rgba8UnormSrgb
        } else {
            wgpu::TextureFormat::Rgba8Unorm
        },
        usage: wgpu::TextureUsages::TEXTURE_BINDING | wgpu::TextureUsages::COPY_DST,
        view_formats: &[],
    });
    let mut level_picture = None;
    for level in 0..levels {
        let current: &RgbaImage = level_picture.as_ref().unwrap_or(picture);
        let (width, height) = current.dimensions();
        gpu.queue.write_texture(
            wgpu::TexelCopyTextureInfo {
                texture: &texture,
                mip_level: level,
                origin: wgpu::Origin3d::ZERO,
                aspect: wgpu::TextureAspect::All,
            },
            current.as_raw(),
            wgpu::TexelCopyBufferLayout {
                offset: 0,
                bytes_per_row: Some(width * 4),
                rows_per_image: Some(height),
            },
            wgpu::Extent3d { width, height, depth_or_array_layers: 1 },
        );
        if level + 1 < levels {
            level_picture = Some(half(current));
        }
    }
    gpu.hand_over(picture.as_raw().len());
    texture.create_view(&Default::default())
}

/// Image at half the size. Each pixel is the mean of 2 × 2 pixels.
fn half(picture: &RgbaImage) -> RgbaImage {
    let (width, height) = ((picture.width() / 2).max(1), (picture.height() / 2).max(1));
    RgbaImage::from_fn(width, height, |x, y| {
        let mut sum = [0u32; 4];
        for (dx, dy) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
            let p = picture.get_pixel(
                (x * 2 + dx).min(picture.width() - 1),
                (y * 2 + dy).min(picture.height() - 1),
            );
            for (s, v) in sum.iter_mut().zip(p.0) {
                *s += u32::from(v);
            }
        }
        image::Rgba(sum.map(|s| (s / 4) as u8))
    })
}
