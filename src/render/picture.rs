//! A picture of a document, without a window.

use image::RgbaImage;

use super::{Camera, Gpu, GpuError, Look, Renderer, Scene, Show, Target};
use crate::{model::Document, motion::Pose};

/// What to take a picture with, kept from one to the next.
pub struct Picture {
    /// The device.
    pub gpu: Gpu,
    renderer: Renderer,
    scene: Scene,
    target: Target,
}

impl Picture {
    /// Uploads a document.
    ///
    /// # Errors
    /// Where there is no device.
    pub fn new(document: &Document, size: [u32; 2]) -> Result<Self, GpuError> {
        let gpu = Gpu::headless()?;
        let renderer = Renderer::new(&gpu);
        let (images, _) = super::decode_images(document);
        let scene = Scene::new(&gpu, renderer.material_layout(), document, &images);
        let target = Target::new(&gpu, size);
        Ok(Self { gpu, renderer, scene, target })
    }

    /// Takes one picture.
    ///
    /// # Errors
    /// Where the device fails.
    pub fn take(
        &mut self,
        document: &Document,
        pose: &Pose,
        camera: &Camera,
        look: &Look,
        show: &Show,
    ) -> Result<RgbaImage, GpuError> {
        self.scene.update(&self.gpu, document, pose);
        self.renderer.draw(&self.gpu, &self.target, &self.scene, camera, look, show);
        capture(&self.gpu, &self.target)
    }
}

/// Copies a picture back from the device.
///
/// # Errors
/// Where the device fails.
pub fn capture(gpu: &Gpu, target: &Target) -> Result<RgbaImage, GpuError> {
    let [width, height] = target.size;
    let row = (width * 4).next_multiple_of(wgpu::COPY_BYTES_PER_ROW_ALIGNMENT);
    let size = u64::from(row) * u64::from(height);
    let buffer = gpu.device.create_buffer(&wgpu::BufferDescriptor {
        label: Some("picture"),
        size,
        usage: wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::COPY_SRC,
        mapped_at_creation: false,
    });
    let mut encoder = gpu.device.create_command_encoder(&Default::default());
    encoder.copy_texture_to_buffer(
        target.texture().as_image_copy(),
        wgpu::TexelCopyBufferInfo {
            buffer: &buffer,
            layout: wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(row), rows_per_image: Some(height) },
        },
        wgpu::Extent3d { width, height, depth_or_array_layers: 1 },
    );
    gpu.queue.submit([encoder.finish()]);
    let bytes = gpu.read_buffer(&buffer, size)?;
    let pixels: Vec<u8> =
        bytes.chunks_exact(row as usize).flat_map(|r| r[..width as usize * 4].iter().copied()).collect();
    RgbaImage::from_raw(width, height, pixels).ok_or_else(|| GpuError::Failed("the picture came back short".into()))
}
