//! A device to compute and draw on, with or without a window.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, Mutex, OnceLock, PoisonError, mpsc},
};

use thiserror::Error;

use super::DeviceFacts;

/// A device and its queue.
#[derive(Clone, Debug)]
pub struct Gpu {
    /// The device.
    pub device: wgpu::Device,
    /// Its queue.
    pub queue: wgpu::Queue,
    /// What it is called.
    pub name: String,
    /// Whether it is a program on the processor: then the CPU skins, which is several times faster
    /// there.
    pub software: bool,
    /// Whether it can run compute passes that skin.
    pub compute: bool,
    /// Whether one picture can be seen both as light and as bytes.
    pub view_formats: bool,
    /// What there is to know of it.
    pub facts: Arc<DeviceFacts>,
    /// What went wrong on it since it was asked last.
    fault: Arc<Mutex<Option<String>>>,
    /// Why it is no more.
    lost: Arc<OnceLock<String>>,
}

/// Storage buffers that the compute pass binds.
const SKIN_BUFFERS: u32 = 8;

/// Why there is no device, or why it failed.
#[derive(Debug, Error)]
pub enum GpuError {
    /// None was found.
    #[error(
        "no graphics device was found. Install a Vulkan or OpenGL driver, such as Mesa's software \
            renderer (package mesa-vulkan-drivers)"
    )]
    NoAdapter,
    /// There is none of the name that was wished for.
    #[error("there is no graphics device named “{wish}”; available: “{known}”")]
    NotThere {
        /// What was wished for.
        wish: String,
        /// Those that are there.
        known: String,
    },
    /// It was found, and refused.
    #[error("the graphics device “{name}” could not be opened: {message}. Update its driver")]
    NoDevice {
        /// Its name.
        name: String,
        /// What it says.
        message: String,
    },
    /// Work on it failed.
    #[error("the graphics device failed: {0}")]
    Failed(String),
}

impl GpuError {
    /// The code that stays the same for scripts, whatever the words are.
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
    /// Whether it is a program on the processor. OpenGL does not say so, but such a one has it in
    /// its name.
    pub fn is_software(info: &wgpu::AdapterInfo) -> bool {
        let named =
            ["llvmpipe", "softpipe", "swrast", "SwiftShader"].iter().any(|n| info.name.contains(n));
        info.device_type == wgpu::DeviceType::Cpu || named
    }

    /// Whether it has compute passes with as many buffers as skinning binds.
    pub(super) fn can_skin(adapter: &wgpu::Adapter, limits: &wgpu::Limits) -> bool {
        adapter.get_downlevel_capabilities().flags.contains(wgpu::DownlevelFlags::COMPUTE_SHADERS)
            && limits.max_storage_buffers_per_shader_stage >= SKIN_BUFFERS
            && limits.max_compute_invocations_per_workgroup >= 64
    }

    /// What is asked of a device: buffers and textures as large as the adapter has them. A model is
    /// a few large buffers, so memory is asked for as it is needed: large blocks would be kept when
    /// it is closed.
    pub fn descriptor(adapter: &wgpu::Adapter) -> wgpu::DeviceDescriptor<'static> {
        let has = adapter.limits();
        let required_limits = wgpu::Limits {
            max_buffer_size: has.max_buffer_size,
            max_storage_buffer_binding_size: has.max_storage_buffer_binding_size,
            max_texture_dimension_2d: has.max_texture_dimension_2d,
            // What is less than usual is what there is.
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

    /// Hands over what was gathered to be written, once so many bytes were: in slices, so that a
    /// window's frames come in between, and the next of them has not all of it to wait for.
    pub(super) fn hand_over(&self, bytes: usize) {
        const SLICE: usize = 4 << 20;
        if bytes >= SLICE {
            self.queue.submit([]);
        }
    }

    /// A device that somebody else opened.
    pub fn new(adapter: &wgpu::Adapter, device: wgpu::Device, queue: wgpu::Queue) -> Self {
        let (info, flags) = (adapter.get_info(), adapter.get_downlevel_capabilities().flags);
        let compute = Self::can_skin(adapter, &device.limits());
        let fault = Arc::new(Mutex::new(None));
        let kept = fault.clone();
        // By default an error ends the program, and the work with it.
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
            software: Self::is_software(&info),
            name: info.name,
            compute,
            view_formats: flags.contains(wgpu::DownlevelFlags::VIEW_FORMATS),
            facts: Arc::new(DeviceFacts { used: true, ..DeviceFacts::of(adapter) }),
            fault,
            lost,
        }
    }

    /// What went wrong on the device since this was asked last: what it was to do then is not done.
    ///
    /// # Errors
    /// The first thing.
    pub fn check(&self) -> Result<(), GpuError> {
        let fault = self.fault.lock().unwrap_or_else(PoisonError::into_inner).take();
        fault.map_or(Ok(()), |fault| Err(GpuError::Failed(fault)))
    }

    /// Whether the device is no more: nothing that is asked of it is done, and only another one
    /// helps.
    pub fn is_lost(&self) -> bool {
        // Some losses are only noticed when somebody looks.
        self.lost.get().is_some()
            || self.poll(wgpu::PollType::Poll).is_err()
            || self.lost.get().is_some()
    }

    /// Looks how far submitted work is.
    fn poll(&self, how: wgpu::PollType) -> Result<(), GpuError> {
        if let Some(message) = self.lost.get() {
            return Err(GpuError::Failed(format!("the device was lost ({message})")));
        }
        // wgpu panics where the driver says that the device is lost.
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
    /// Where the device is lost.
    pub fn wait(&self) -> Result<(), GpuError> {
        self.poll(wgpu::PollType::wait_indefinitely())
    }

    /// Copies a buffer back.
    ///
    /// # Errors
    /// Where the device fails.
    pub fn read_buffer(&self, buffer: &wgpu::Buffer, size: u64) -> Result<Vec<u8>, GpuError> {
        let read = self.begin_read(buffer, size);
        self.wait()?;
        read.poll(self)?
            .ok_or_else(|| GpuError::Failed("data could not be read back from the device".into()))
    }

    /// Begins to copy a buffer back.
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
            // Whoever asked may have given it up.
            drop(sender.send(result));
        });
        ReadBack { staging, mapped }
    }
}

/// A copy from the device that is under way.
#[derive(Debug)]
pub(super) struct ReadBack {
    staging: wgpu::Buffer,
    mapped: mpsc::Receiver<Result<(), wgpu::BufferAsyncError>>,
}

impl ReadBack {
    /// The bytes, once they are here; does not wait for them.
    ///
    /// # Errors
    /// Where the device fails.
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

/// The line of an error that says what is wrong; the others say where in a call.
fn first_line(error: &str) -> String {
    let cause = error.lines().map(str::trim).filter(|l| !l.is_empty() && !l.ends_with(':'));
    let said = cause.filter(|l| {
        !l.starts_with("In ") && !l.starts_with("wgpu error") && !l.starts_with("Validation")
    });
    said.map(|l| l.trim_end_matches('.').to_owned())
        .next()
        .unwrap_or_else(|| error.trim().to_owned())
}
