//! A device to compute and draw on, with or without a window.

use thiserror::Error;

/// A device and its queue.
#[derive(Clone, Debug)]
pub struct Gpu {
    /// The device.
    pub device: wgpu::Device,
    /// Its queue.
    pub queue: wgpu::Queue,
    /// What it is called.
    pub name: String,
    /// Whether it is a program on the processor: then the CPU skins, which is several times faster there.
    pub software: bool,
    /// Whether it can run compute passes.
    pub compute: bool,
}

/// Why there is no device, or why it failed.
#[derive(Debug, Error)]
pub enum GpuError {
    /// None was found.
    #[error(
        "no graphics device was found: {0}. Install a Vulkan driver; Mesa's software one (mesa-vulkan-drivers) does"
    )]
    NoAdapter(String),
    /// It was found, and refused.
    #[error("the graphics device “{name}” could not be opened: {message}. Update its driver")]
    NoDevice {
        /// Its name.
        name: String,
        /// What it says.
        message: String,
    },
    /// Work on it failed.
    #[error("the graphics device failed: {0}. Update its driver, or use --device cpu")]
    Failed(String),
}

impl Gpu {
    /// A device without a window.
    ///
    /// # Errors
    /// Where there is none.
    pub fn headless() -> Result<Self, GpuError> {
        // OpenGL only where there is nothing better: looking for it alone makes some drivers print errors.
        let adapter = Self::adapter(wgpu::Backends::PRIMARY).or_else(|_| Self::adapter(wgpu::Backends::SECONDARY))?;
        let descriptor =
            wgpu::DeviceDescriptor { label: Some("ulna"), required_limits: limits(&adapter), ..Default::default() };
        let (device, queue) = pollster::block_on(adapter.request_device(&descriptor))
            .map_err(|e| GpuError::NoDevice { name: adapter.get_info().name, message: e.to_string() })?;
        Ok(Self::new(&adapter, device, queue))
    }

    fn adapter(backends: wgpu::Backends) -> Result<wgpu::Adapter, GpuError> {
        let mut descriptor = wgpu::InstanceDescriptor::new_without_display_handle();
        descriptor.backends = backends;
        let instance = wgpu::Instance::new(descriptor.with_env());
        let options = wgpu::RequestAdapterOptions {
            power_preference: wgpu::PowerPreference::HighPerformance,
            ..Default::default()
        };
        pollster::block_on(instance.request_adapter(&options)).map_err(|e| GpuError::NoAdapter(e.to_string()))
    }

    /// A device that somebody else opened.
    pub fn new(adapter: &wgpu::Adapter, device: wgpu::Device, queue: wgpu::Queue) -> Self {
        let info = adapter.get_info();
        let compute = adapter.get_downlevel_capabilities().flags.contains(wgpu::DownlevelFlags::COMPUTE_SHADERS);
        Self { device, queue, software: info.device_type == wgpu::DeviceType::Cpu, name: info.name, compute }
    }

    /// Waits until all submitted work is done.
    ///
    /// # Errors
    /// Where the device is lost.
    pub fn wait(&self) -> Result<(), GpuError> {
        self.device.poll(wgpu::PollType::wait_indefinitely()).map(|_| ()).map_err(|e| GpuError::Failed(e.to_string()))
    }

    /// Copies a buffer back.
    ///
    /// # Errors
    /// Where the device fails.
    pub fn read_buffer(&self, buffer: &wgpu::Buffer, size: u64) -> Result<Vec<u8>, GpuError> {
        let staging = self.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("read back"),
            size,
            usage: wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        let mut encoder = self.device.create_command_encoder(&Default::default());
        encoder.copy_buffer_to_buffer(buffer, 0, &staging, 0, size);
        self.queue.submit([encoder.finish()]);
        staging.slice(..).map_async(wgpu::MapMode::Read, |result| {
            if let Err(error) = result {
                log::error!("reading a buffer back failed: {error}");
            }
        });
        self.wait()?;
        let view = staging.slice(..).get_mapped_range().map_err(|e| GpuError::Failed(e.to_string()))?;
        Ok(view.to_vec())
    }
}

/// The default limits, with buffers and textures as large as this adapter has them.
fn limits(adapter: &wgpu::Adapter) -> wgpu::Limits {
    let has = adapter.limits();
    wgpu::Limits {
        max_buffer_size: has.max_buffer_size,
        max_storage_buffer_binding_size: has.max_storage_buffer_binding_size,
        max_texture_dimension_2d: has.max_texture_dimension_2d,
        ..wgpu::Limits::default()
    }
}
