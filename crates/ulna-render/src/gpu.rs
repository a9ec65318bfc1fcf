//! A graphics device for drawing and compute work, with or without a window.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, Mutex, OnceLock, PoisonError, mpsc},
};

use thiserror::Error;

use super::device::{DeviceFacts, can_skin, is_software};

/// An opened graphics device with its queue.
#[derive(Clone, Debug)]
pub struct Gpu {
    /// The wgpu device.
    pub device: wgpu::Device,
    /// Command queue of the device.
    pub queue: wgpu::Queue,
    /// Name of the device.
    pub name: String,
    /// Whether the device is a software renderer. Skinning then runs as native code on the CPU,
    /// which is several times faster.
    pub software: bool,
    /// Whether skinning can run as a compute pass.
    pub compute: bool,
    /// Whether one texture can have views in two formats: sRGB for drawing, and plain bytes for the
    /// window.
    pub view_formats: bool,
    /// Properties of the device.
    pub facts: Arc<DeviceFacts>,
    /// First error since the last call of [`Gpu::check`].
    fault: Arc<Mutex<Option<String>>>,
    /// Reason of the device loss, if the device was lost.
    lost: Arc<OnceLock<String>>,
}

/// Error while opening or using a graphics device.
#[derive(Debug, Error)]
pub enum GpuError {
    /// No device was found.
    #[error(
        "no graphics device was found. Install a Vulkan or OpenGL driver, such as Mesa's software \
            renderer (package mesa-vulkan-drivers)"
    )]
    NoAdapter,
    /// No device has the requested name.
    #[error("there is no graphics device named “{wish}”; available: “{known}”")]
    NotThere {
        /// Requested name of the device.
        wish: String,
        /// Names of the available devices.
        known: String,
    },
    /// A device was found, but could not be opened.
    #[error("the graphics device “{name}” could not be opened: {message}. Update its driver")]
    NoDevice {
        /// Name of the device.
        name: String,
        /// The error message.
        message: String,
    },
    /// Work on the device failed.
    #[error("the graphics device failed: {0}")]
    Failed(String),
}

impl GpuError {
    /// Error code for scripts, which is stable across versions.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::NoAdapter => "no_graphics_device",
            Self::NotThere { .. } => "no_such_graphics_device",
            Self::NoDevice { .. } => "graphics_device_refused",
            Self::Failed(_) => "graphics_device_failed",
        }
    }
}

impl Gpu {
    /// Descriptor for opening a device with the adapter's buffer and texture limits.
    ///
    /// Memory is allocated on demand. Large blocks would stay allocated after a model is closed.
    pub fn descriptor(adapter: &wgpu::Adapter) -> wgpu::DeviceDescriptor<'static> {
        let has = adapter.limits();
        let required_limits = wgpu::Limits {
            max_buffer_size: has.max_buffer_size,
            max_storage_buffer_binding_size: has.max_storage_buffer_binding_size,
            max_texture_dimension_2d: has.max_texture_dimension_2d,
            // Adapter limits below wgpu's defaults are accepted.
            ..wgpu::Limits::default().or_worse_values_from(&has)
        };
        let memory_hints = wgpu::MemoryHints::MemoryUsage;
        wgpu::DeviceDescriptor {
            label: Some("ulna"),
            required_limits,
            memory_hints,
            ..Default::default()
        }
    }

    /// Submits queued uploads if they have at least 4 MiB. Smaller submissions let frames of
    /// the window run in between, and shorten the wait of the next frame.
    pub(super) fn hand_over(&self, bytes: usize) {
        const SLICE: usize = 4 << 20;
        if bytes >= SLICE {
            self.queue.submit([]);
        }
    }

    /// Wraps an already opened device.
    pub fn new(adapter: &wgpu::Adapter, device: wgpu::Device, queue: wgpu::Queue) -> Self {
        let (info, flags) = (adapter.get_info(), adapter.get_downlevel_capabilities().flags);
        let compute = can_skin(adapter, &device.limits());
        let fault = Arc::new(Mutex::new(None));
        let kept = fault.clone();
        // The default handler panics, which would lose the user's work.
        device.on_uncaptured_error(Arc::new(move |error: wgpu::Error| {
            log::error!("{error}");
            kept.lock()
                .unwrap_or_else(PoisonError::into_inner)
                .get_or_insert_with(|| first_line(&error.to_string()));
        }));
        let lost = Arc::new(OnceLock::new());
        let kept = lost.clone();
        device.set_device_lost_callback(move |reason, message| {
            log::warn!("the graphics device is lost ({reason:?}): {message}");
            kept.get_or_init(|| message);
        });
        Self {
            device,
            queue,
            software: is_software(&info),
            name: info.name,
            compute,
            view_formats: flags.contains(wgpu::DownlevelFlags::VIEW_FORMATS),
            facts: Arc::new(DeviceFacts { used: true, ..DeviceFacts::of(adapter) }),
            fault,
            lost,
        }
    }

    /// Returns the first error since the last call, and clears it.
    ///
    /// # Errors
    /// The first error. The work that caused it was not done.
    pub fn check(&self) -> Result<(), GpuError> {
        let fault = self.fault.lock().unwrap_or_else(PoisonError::into_inner).take();
        fault.map_or(Ok(()), |fault| Err(GpuError::Failed(fault)))
    }

    /// Whether the device was lost. Further work on a lost device is ignored, so another device
    /// must be opened.
    pub fn is_lost(&self) -> bool {
        // Some drivers report the loss only when the device is polled.
        self.lost.get().is_some()
            || self.poll(wgpu::PollType::Poll).is_err()
            || self.lost.get().is_some()
    }

    /// Polls the progress of submitted work.
    fn poll(&self, how: wgpu::PollType) -> Result<(), GpuError> {
        if let Some(message) = self.lost.get() {
            return Err(GpuError::Failed(format!("the device was lost ({message})")));
        }
        // wgpu panics if the driver reports a lost device.
        let looked = catch_unwind(AssertUnwindSafe(|| self.device.poll(how)));
        match looked {
            Ok(looked) => looked.map(|_| ()).map_err(|e| GpuError::Failed(e.to_string())),
            Err(_) => Err(GpuError::Failed(
                self.lost
                    .get_or_init(|| "the driver reported that the device was lost".into())
                    .clone(),
            )),
        }
    }

    /// Waits until all submitted work is done.
    ///
    /// # Errors
    /// The device was lost.
    pub fn wait(&self) -> Result<(), GpuError> {
        self.poll(wgpu::PollType::wait_indefinitely())
    }

    /// Reads a buffer back to the CPU, and waits for the data.
    ///
    /// # Errors
    /// The device failed.
    pub fn read_buffer(&self, buffer: &wgpu::Buffer, size: u64) -> Result<Vec<u8>, GpuError> {
        let read = self.begin_read(buffer, size);
        self.wait()?;
        read.poll(self)?
            .ok_or_else(|| GpuError::Failed("data could not be read back from the device".into()))
    }

    /// Starts reading a buffer back to the CPU.
    pub(super) fn begin_read(&self, buffer: &wgpu::Buffer, size: u64) -> ReadBack {
        let staging = self.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("read back"),
            size,
            usage: wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        let mut encoder = self.device.create_command_encoder(&Default::default());
        encoder.copy_buffer_to_buffer(buffer, 0, &staging, 0, size);
        self.queue.submit([encoder.finish()]);
        let (sender, mapped) = mpsc::sync_channel(1);
        staging.slice(..).map_async(wgpu::MapMode::Read, move |result| {
            // The receiver may have been dropped, so a failed send is ignored.
            drop(sender.send(result));
        });
        ReadBack { staging, mapped }
    }
}

/// A pending read of a buffer.
#[derive(Debug)]
pub(super) struct ReadBack {
    staging: wgpu::Buffer,
    mapped: mpsc::Receiver<Result<(), wgpu::BufferAsyncError>>,
}

impl ReadBack {
    /// Returns the bytes, or `None` if they are not available yet. Does not block.
    ///
    /// # Errors
    /// The device failed.
    pub(super) fn poll(&self, gpu: &Gpu) -> Result<Option<Vec<u8>>, GpuError> {
        gpu.poll(wgpu::PollType::Poll)?;
        match self.mapped.try_recv() {
            Ok(Ok(())) => {
                let view = self
                    .staging
                    .slice(..)
                    .get_mapped_range()
                    .map_err(|e| GpuError::Failed(e.to_string()))?;
                Ok(Some(view.to_vec()))
            }
            Ok(Err(error)) => Err(GpuError::Failed(error.to_string())),
            Err(mpsc::TryRecvError::Empty) => Ok(None),
            Err(mpsc::TryRecvError::Disconnected) => {
                Err(GpuError::Failed("reading data back from the device was canceled".into()))
            }
        }
    }
}

/// The line of an error message that states the cause. Other lines describe the call.
fn first_line(error: &str) -> String {
    let cause = error.lines().map(str::trim).filter(|l| !l.is_empty() && !l.ends_with(':'));
    let said = cause.filter(|l| {
        !l.starts_with("In ") && !l.starts_with("wgpu error") && !l.starts_with("Validation")
    });
    said.map(|l| l.trim_end_matches('.').to_owned())
        .next()
        .unwrap_or_else(|| error.trim().to_owned())
}
