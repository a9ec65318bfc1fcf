//! Which graphics devices there are, which is used, what they can hold, and what is done another
//! way where one lacks it.

use serde::Serialize;

use super::{Gpu, GpuError};

/// What kind of device it is, the quickest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub enum DeviceKind {
    /// A GPU with memory of its own.
    #[serde(rename = "a GPU of its own")]
    Discrete,
    /// A GPU that shares the processor's memory.
    #[serde(rename = "a GPU within the processor")]
    Integrated,
    /// A GPU of a virtual machine.
    #[serde(rename = "a virtual GPU")]
    Virtual,
    /// The driver does not say.
    #[serde(rename = "of an unknown kind")]
    Unknown,
    /// A program on the processor.
    #[serde(rename = "a program on the processor")]
    Software,
}

impl DeviceKind {
    /// In words.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Discrete => "a discrete GPU",
            Self::Integrated => "an integrated GPU",
            Self::Virtual => "a virtual GPU",
            Self::Unknown => "a device of unknown type",
            Self::Software => "a software renderer",
        }
    }
}

/// A graphics device as a driver offers it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DeviceFacts {
    /// Its name.
    pub name: String,
    /// Vulkan, Gl, Metal or Dx12.
    pub backend: String,
    /// What kind it is.
    pub kind: DeviceKind,
    /// The driver, and its version, where it says so.
    pub driver: String,
    /// Bytes of the largest buffer.
    pub largest_buffer: u64,
    /// Pixels of a side of the largest texture.
    pub largest_texture: u32,
    /// What is done another way, a sentence each.
    pub instead: Vec<String>,
    /// Why nothing can be drawn on it, where that is known before it is tried.
    pub unusable: Option<String>,
    /// Whether it is the one that is used.
    pub used: bool,
}

impl DeviceFacts {
    /// What an adapter says of itself.
    pub fn of(adapter: &wgpu::Adapter) -> Self {
        let (info, limits) = (adapter.get_info(), adapter.limits());
        let software = Gpu::is_software(&info);
        let kind = match info.device_type {
            _ if software => DeviceKind::Software,
            wgpu::DeviceType::DiscreteGpu => DeviceKind::Discrete,
            wgpu::DeviceType::IntegratedGpu => DeviceKind::Integrated,
            wgpu::DeviceType::VirtualGpu => DeviceKind::Virtual,
            wgpu::DeviceType::Cpu | wgpu::DeviceType::Other => DeviceKind::Unknown,
        };
        let mut instead = Vec::new();
        if software {
            instead.push("Skinning runs on the CPU, which is faster on this device".to_owned());
        } else if !Gpu::can_skin(adapter, &limits) {
            instead.push(
                "Skinning runs on the CPU, because the device does not support compute shaders \
                    with enough buffers"
                    .to_owned(),
            );
        }
        if !adapter.get_downlevel_capabilities().flags.contains(wgpu::DownlevelFlags::VIEW_FORMATS)
        {
            instead.push(
                "Gamma correction runs as a separate pass, because the device cannot view a \
                    texture in two formats"
                    .to_owned(),
            );
        }
        let driver = [info.driver.trim(), info.driver_info.trim()];
        Self {
            name: info.name.clone(),
            backend: info.backend.to_str().to_owned(),
            kind,
            driver: driver.into_iter().filter(|d| !d.is_empty()).collect::<Vec<_>>().join(", "),
            largest_buffer: limits.max_buffer_size,
            largest_texture: limits.max_texture_dimension_2d,
            instead,
            unusable: (info.backend == wgpu::Backend::Gl)
                .then(|| {
                    mixed_version(&info.driver_info, adapter.get_downlevel_capabilities().flags)
                })
                .flatten(),
            used: false,
        }
    }

    /// What it is called where it is to be told from others: one device may be offered by several
    /// drivers.
    pub fn id(&self) -> String {
        format!("{} by {}", self.name, self.backend)
    }

    /// Whether a text is its [`id`](Self::id) or a part of it, in any case.
    pub fn is_called(&self, text: &str) -> bool {
        self.id().to_lowercase().contains(&text.to_lowercase())
    }
}

/// Which device a person wants, and which are not to be had.
#[derive(Clone, Debug, Default)]
pub struct DeviceChoice {
    /// A device's [`id`](DeviceFacts::id), or a part of it in any case; the best unless given.
    pub wish: Option<String>,
    /// Ids of those that failed: they come last, whatever they are.
    pub failed: Vec<String>,
}

impl DeviceChoice {
    /// Places in a list of devices, the one to use first: the one that is wished for, then the
    /// quicker kinds, and of one kind OpenGL last. Those that failed come after all others, and
    /// those that are unusable are not among them.
    pub fn order(&self, devices: &[DeviceFacts]) -> Vec<usize> {
        let mut places: Vec<usize> =
            (0..devices.len()).filter(|k| devices[*k].unusable.is_none()).collect();
        places.sort_by_key(|k| {
            let device = &devices[*k];
            let wished = self.wish.as_ref().is_some_and(|w| device.is_called(w));
            (self.failed.contains(&device.id()), !wished, device.kind, device.backend == "gl")
        });
        places
    }
}

/// All devices, the one that is used first.
pub fn devices(choice: &DeviceChoice) -> Vec<DeviceFacts> {
    let list: Vec<DeviceFacts> =
        adapters(wgpu::Backends::all()).iter().map(DeviceFacts::of).collect();
    let mut order = choice.order(&list).into_iter();
    let mut sorted: Vec<DeviceFacts> =
        order.next().map(|k| DeviceFacts { used: true, ..list[k].clone() }).into_iter().collect();
    sorted.extend(order.map(|k| list[k].clone()));
    sorted.extend(list.into_iter().filter(|d| d.unusable.is_some()));
    sorted
}

/// Whether an OpenGL has the compute shaders of 4.3 and is of a version whose shaders cannot say
/// where what they read is bound, as NVIDIA's is, which is asked for 3.3. wgpu 30 takes the one for
/// the other then, and draws nothing.
fn mixed_version(driver: &str, flags: wgpu::DownlevelFlags) -> Option<String> {
    // “3.3.0 NVIDIA 580.159”, “4.5 (Core Profile) Mesa 22.3.6”; OpenGL ES begins with its name.
    let mut numbers = driver.split(|c: char| !c.is_ascii_digit()).map(str::parse::<u32>);
    let (Some(Ok(major)), Some(Ok(minor))) = (numbers.next(), numbers.next()) else { return None };
    let mixed = (major, minor) < (4, 2) && flags.contains(wgpu::DownlevelFlags::COMPUTE_SHADERS);
    mixed.then(|| {
        format!(
            "its driver mixes OpenGL {major}.{minor} with features of newer versions, which \
            would draw nothing"
        )
    })
}

impl Gpu {
    /// The best device without a window.
    ///
    /// # Errors
    /// Where there is none.
    pub fn headless() -> Result<Self, GpuError> {
        Self::open(&DeviceChoice::default())
    }

    /// A device without a window: where one cannot be opened, the next.
    ///
    /// # Errors
    /// Where there is none, none of the name that is wished for, or none that can be opened.
    pub fn open(choice: &DeviceChoice) -> Result<Self, GpuError> {
        let mut refused = None;
        let mut known = Vec::new();
        // Looking for OpenGL makes some drivers print errors: only where there is nothing better.
        for backends in [wgpu::Backends::PRIMARY, wgpu::Backends::SECONDARY] {
            let found = adapters(backends);
            let facts: Vec<DeviceFacts> = found.iter().map(DeviceFacts::of).collect();
            for device in &facts {
                if let Some(message) = device.unusable.clone() {
                    refused
                        .get_or_insert(GpuError::NoDevice { name: device.name.clone(), message });
                }
            }
            let order = choice.order(&facts);
            let fits = |k: &usize| choice.wish.as_ref().is_none_or(|w| facts[*k].is_called(w));
            for k in order.into_iter().filter(fits) {
                match pollster::block_on(found[k].request_device(&Self::descriptor(&found[k]))) {
                    Ok((device, queue)) => return Ok(Self::new(&found[k], device, queue)),
                    Err(error) => {
                        log::warn!(
                            "graphics device {} could not be opened: {error}",
                            facts[k].id()
                        );
                        let name = facts[k].name.clone();
                        refused
                            .get_or_insert(GpuError::NoDevice { name, message: error.to_string() });
                    }
                }
            }
            known.extend(facts.iter().map(DeviceFacts::id));
        }
        Err(refused.unwrap_or_else(|| match &choice.wish {
            Some(wish) if !known.is_empty() => {
                GpuError::NotThere { wish: wish.clone(), known: known.join("”, “") }
            }
            _ => GpuError::NoAdapter,
        }))
    }
}

fn adapters(backends: wgpu::Backends) -> Vec<wgpu::Adapter> {
    let mut descriptor = wgpu::InstanceDescriptor::new_without_display_handle();
    descriptor.backends = backends;
    let mut descriptor = descriptor.with_env();
    // What the environment allows, of what is asked for.
    descriptor.backends &= backends;
    if descriptor.backends.is_empty() {
        return Vec::new();
    }
    let backends = descriptor.backends;
    pollster::block_on(wgpu::Instance::new(descriptor).enumerate_adapters(backends))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn device(name: &str, backend: &str, kind: DeviceKind) -> DeviceFacts {
        DeviceFacts {
            name: name.into(),
            backend: backend.into(),
            kind,
            driver: String::new(),
            largest_buffer: 0,
            largest_texture: 0,
            instead: Vec::new(),
            unusable: None,
            used: false,
        }
    }

    fn list() -> Vec<DeviceFacts> {
        vec![
            device("llvmpipe", "vulkan", DeviceKind::Software),
            device("Iris", "gl", DeviceKind::Integrated),
            device("Iris", "vulkan", DeviceKind::Integrated),
            device("Radeon", "vulkan", DeviceKind::Discrete),
        ]
    }

    #[test]
    fn the_quickest_kind_comes_first_and_opengl_after_the_rest_of_its_kind() {
        assert_eq!(DeviceChoice::default().order(&list()), [3, 2, 1, 0]);
    }

    #[test]
    fn an_opengl_that_mixes_versions_is_told_by_what_it_says_and_never_used() {
        let mixed = |driver: &str| mixed_version(driver, wgpu::DownlevelFlags::all()).is_some();
        assert!(
            mixed("3.3.0 NVIDIA 580.159.03")
                && mixed("3.3 (Core Profile) Mesa 22.3.6")
                && mixed("4.1")
        );
        assert!(!mixed("4.6.0 NVIDIA 580.159.03") && !mixed("4.5 (Core Profile) Mesa 22.3.6"));
        assert!(!mixed("OpenGL ES 3.2 Mesa 22.3.6") && !mixed(""));
        // Of 3.3 alone it is as it should be.
        assert!(mixed_version("3.3", wgpu::DownlevelFlags::empty()).is_none());
        let mut list = list();
        list[3].unusable = Some("it draws nothing".into());
        let wish = DeviceChoice { wish: Some("Radeon".into()), failed: Vec::new() };
        assert_eq!(wish.order(&list), [2, 1, 0]);
    }

    #[test]
    fn a_wish_comes_first_by_any_part_of_its_name() {
        let wish = |text: &str| DeviceChoice { wish: Some(text.into()), failed: Vec::new() };
        assert_eq!(wish("LLVM").order(&list())[0], 0);
        assert_eq!(wish("iris by gl").order(&list())[0], 1);
        assert_eq!(wish("gl").order(&list())[0], 1);
        assert_eq!(wish("nothing of the kind").order(&list()), [3, 2, 1, 0]);
    }

    #[test]
    fn what_failed_comes_last_even_where_it_is_wished_for() {
        let failed = vec!["Radeon by vulkan".to_owned()];
        let choice = DeviceChoice { wish: Some("Radeon".into()), failed: failed.clone() };
        assert_eq!(choice.order(&list()), [2, 1, 0, 3]);
        let all: Vec<String> = list().iter().map(DeviceFacts::id).collect();
        assert_eq!(
            DeviceChoice { wish: None, failed: all }.order(&list()),
            [3, 2, 1, 0],
            "one of them is used"
        );
    }
}
