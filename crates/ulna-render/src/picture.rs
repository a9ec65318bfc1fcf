//! Rendering of pictures without a window.

use std::collections::BTreeSet;

use image::RgbaImage;

use super::{
    Camera, DeviceChoice, Gpu, GpuError, RenderTarget, Renderer, Scene, Show, ViewportColors,
    gpu::ReadBack,
};
use ulna_model::{Document, NodeId};
use ulna_motion::Pose;

/// Renderer for pictures of one document without a window. The device and the uploaded scene are
/// reused.
pub struct Picture {
    /// Device that draws the pictures.
    pub gpu: Gpu,
    renderer: Renderer,
    scene: Scene,
    target: RenderTarget,
}

impl Picture {
    /// Opens a device and uploads a document.
    ///
    /// # Errors
    /// The device could not be opened.
    pub fn new(
        document: &Document,
        size: [u32; 2],
        choice: &DeviceChoice,
    ) -> Result<Self, GpuError> {
        Ok(Self::on(Gpu::open(choice)?, document, size))
    }

    /// Uploads a document to an already opened device.
    pub fn on(gpu: Gpu, document: &Document, size: [u32; 2]) -> Self {
        let renderer = Renderer::new(&gpu);
        let (images, _) = super::decode_images(document);
        let scene = Scene::new(&gpu, renderer.pipelines(), document, &images);
        let target = RenderTarget::new(&gpu, size);
        Self { gpu, renderer, scene, target }
    }

    /// Hides the surfaces of `nodes`, and draws those of `shown` even if the file hides them.
    pub fn hide(&mut self, nodes: &BTreeSet<NodeId>, shown: &BTreeSet<NodeId>) {
        self.scene.hide(nodes, shown);
    }

    /// Renders one picture and reads it back.
    ///
    /// # Errors
    /// The device failed.
    pub fn take(
        &mut self,
        document: &Document,
        pose: &Pose,
        camera: &Camera,
        look: &ViewportColors,
        show: &Show,
    ) -> Result<RgbaImage, GpuError> {
        self.scene.update(&self.gpu, document, pose);
        self.renderer.draw(&self.gpu, &self.target, &self.scene, camera, look, show);
        let picture = capture(&self.gpu, &self.target);
        self.gpu.check()?;
        let mut picture = picture?;
        if show.transparent {
            super::film::straighten(&mut picture);
        }
        Ok(picture)
    }
}

/// Reads a picture back from the device, and waits for the data.
///
/// # Errors
/// The device failed.
pub fn capture(gpu: &Gpu, target: &RenderTarget) -> Result<RgbaImage, GpuError> {
    let capture = Capture::begin(gpu, target);
    gpu.wait()?;
    capture
        .poll(gpu)?
        .ok_or_else(|| GpuError::Failed("the image could not be read back from the device".into()))
}

/// A pending read of a picture from the device.
#[derive(Debug)]
pub struct Capture {
    read: ReadBack,
    size: [u32; 2],
}

impl Capture {
    /// Starts reading a picture back. The target can be drawn to again at once.
    pub fn begin(gpu: &Gpu, target: &RenderTarget) -> Self {
        let [width, height] = target.size;
        let row = bytes_of_row(width);
        let size = u64::from(row) * u64::from(height);
        let buffer = gpu.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("picture"),
            size,
            usage: wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::COPY_SRC,
            mapped_at_creation: false,
        });
        let mut encoder = gpu.device.create_command_encoder(&Default::default());
        let layout = wgpu::TexelCopyBufferLayout {
            offset: 0,
            bytes_per_row: Some(row),
            rows_per_image: Some(height),
        };
        encoder.copy_texture_to_buffer(
            target.texture().as_image_copy(),
            wgpu::TexelCopyBufferInfo { buffer: &buffer, layout },
            wgpu::Extent3d { width, height, depth_or_array_layers: 1 },
        );
        gpu.queue.submit([encoder.finish()]);
        Self { read: gpu.begin_read(&buffer, size), size: target.size }
    }

    /// Returns the picture, or `None` if it is not available yet. Does not block.
    ///
    /// # Errors
    /// The device failed.
    pub fn poll(&self, gpu: &Gpu) -> Result<Option<RgbaImage>, GpuError> {
        let Some(bytes) = self.read.poll(gpu)? else { return Ok(None) };
        let [width, height] = self.size;
        let rows = bytes.chunks_exact(bytes_of_row(width) as usize);
        let pixels = rows.flat_map(|r| r[..width as usize * 4].iter().copied()).collect();
        let short = || GpuError::Failed("the image read back from the device is incomplete".into());
        RgbaImage::from_raw(width, height, pixels).ok_or_else(short).map(Some)
    }
}

/// Number of bytes per row in a buffer that a texture is copied to.
const fn bytes_of_row(width: u32) -> u32 {
    (width * 4).next_multiple_of(wgpu::COPY_BYTES_PER_ROW_ALIGNMENT)
}
