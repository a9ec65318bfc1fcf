//! Graphics devices as reported by their drivers: type, limits, and fallbacks for missing features.
//! Also determines the order in which devices are tried.

use serde::Serialize;

/// Type of a graphics device, fastest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub enum DeviceKind {
    /// A GPU with its own memory.
    #[serde(rename = "a GPU of its own")]
    Discrete,
    /// A GPU that shares the CPU's memory.
    #[serde(rename = "a GPU within the processor")]
    Integrated,
    /// A GPU of a virtual machine.
    #[serde(rename = "a virtual GPU")]
    Virtual,
    /// The driver reports no type.
    #[serde(rename = "of an unknown kind")]
    Unknown,
    /// A renderer on the CPU.
    #[serde(rename = "a program on the processor")]
    Software,
}

impl DeviceKind {
    /// The label in messages.
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

/// A graphics device as reported by a driver.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DeviceFacts {
    /// Name of the device.
    pub name: String,
    /// The graphics API: Vulkan, Gl, Metal or Dx12.
    pub backend: String,
    /// Type of the device.
    pub kind: DeviceKind,
    /// Name and version of the driver; empty if unknown.
    pub driver: String,
    /// Size limit of a buffer, in bytes.
    pub largest_buffer: u64,
    /// Size limit of a texture along each side, in pixels.
    pub largest_texture: u32,
    /// Fallbacks for missing features, one sentence each.
    pub instead: Vec<String>,
    /// Reason why the device cannot draw, if known in advance.
    pub unusable: Option<String>,
    /// Whether this device is in use.
    pub used: bool,
}

impl DeviceFacts {
    /// Reads the properties of an adapter.
    pub fn of(adapter: &wgpu::Adapter) -> Self {
        let (info, limits) = (adapter.get_info(), adapter.limits());
        let software = is_software(&info);
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
        } else if !can_skin(adapter, &limits) {
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

    /// Name of the device with its graphics API, which distinguishes several drivers for one
    /// device.
    pub fn id(&self) -> String {
        format!("{} by {}", self.name, self.backend)
    }

    /// Whether a text equals the [`id`](Self::id) or a part of it, ignoring case.
    pub fn is_called(&self, text: &str) -> bool {
        self.id().to_lowercase().contains(&text.to_lowercase())
    }
}

/// Preferences for the choice of a device: the requested device, and devices that failed before.
#[derive(Clone, Debug, Default)]
pub struct DeviceChoice {
    /// [`id`](DeviceFacts::id) of the requested device, or a part of it, ignoring case. `None`
    /// requests the fastest device.
    pub wish: Option<String>,
    /// Ids of devices that failed. They are tried last, even if requested.
    pub failed: Vec<String>,
}

impl DeviceChoice {
    /// Indices of devices in the order in which they are tried.
    ///
    /// The requested device comes first, then faster types before slower ones. Within a type,
    /// OpenGL comes last. Failed devices come after all others. Unusable devices are left out.
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

/// Returns a message if an OpenGL device reports compute shaders (4.3), but a version without
/// binding layouts in shaders (below 4.2). NVIDIA drivers do this for a context of version 3.3, and
/// wgpu 30 then draws nothing.
fn mixed_version(driver: &str, flags: wgpu::DownlevelFlags) -> Option<String> {
    // Examples: “3.3.0 NVIDIA 580.159”, “4.5 (Core Profile) Mesa 22.3.6”. OpenGL ES versions start
    // with its name.
    let mut numbers = driver.split(|c: char| !c.is_ascii_digit()).map(str::parse::<u32>);
    let (Some(Ok(major)), Some(Ok(minor))) = (numbers.next(), numbers.next()) else { return None };
    let mixed = (major, minor) < (4, 2) && flags.contains(wgpu::DownlevelFlags::COMPUTE_SHADERS);
    mixed.then(|| {
        format!(
            "its driver mixes OpenGL {major}.{minor} with features of newer versions, which would \
                draw nothing"
        )
    })
}

/// Number of storage buffers that the skinning pass binds.
const SKIN_BUFFERS: u32 = 8;

/// Whether an adapter is a software renderer. OpenGL does not report this, so the name is checked,
/// too.
pub fn is_software(info: &wgpu::AdapterInfo) -> bool {
    let named =
        ["llvmpipe", "softpipe", "swrast", "SwiftShader"].iter().any(|n| info.name.contains(n));
    info.device_type == wgpu::DeviceType::Cpu || named
}

/// Whether an adapter supports compute shaders with enough storage buffers for skinning.
pub(super) fn can_skin(adapter: &wgpu::Adapter, limits: &wgpu::Limits) -> bool {
    adapter.get_downlevel_capabilities().flags.contains(wgpu::DownlevelFlags::COMPUTE_SHADERS)
        && limits.max_storage_buffers_per_shader_stage >= SKIN_BUFFERS
        && limits.max_compute_invocations_per_workgroup >= 64
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
    fn devices_are_ordered_by_speed_and_opengl_is_last_of_each_kind() {
        assert_eq!(DeviceChoice::default().order(&list()), [3, 2, 1, 0]);
    }

    #[test]
    fn opengl_devices_with_mixed_versions_are_never_used() {
        let mixed = |driver: &str| mixed_version(driver, wgpu::DownlevelFlags::all()).is_some();
        assert!(
            mixed("3.3.0 NVIDIA 580.159.03")
                && mixed("3.3 (Core Profile) Mesa 22.3.6")
                && mixed("4.1")
        );
        assert!(!mixed("4.6.0 NVIDIA 580.159.03") && !mixed("4.5 (Core Profile) Mesa 22.3.6"));
        assert!(!mixed("OpenGL ES 3.2 Mesa 22.3.6") && !mixed(""));
        // Version 3.3 without compute shaders is valid.
        assert!(mixed_version("3.3", wgpu::DownlevelFlags::empty()).is_none());
        let mut list = list();
        list[3].unusable = Some("it draws nothing".into());
        let wish = DeviceChoice { wish: Some("Radeon".into()), failed: Vec::new() };
        assert_eq!(wish.order(&list), [2, 1, 0]);
    }

    #[test]
    fn a_requested_device_comes_first_by_any_part_of_its_name() {
        let wish = |text: &str| DeviceChoice { wish: Some(text.into()), failed: Vec::new() };
        assert_eq!(wish("LLVM").order(&list())[0], 0);
        assert_eq!(wish("iris by gl").order(&list())[0], 1);
        assert_eq!(wish("gl").order(&list())[0], 1);
        assert_eq!(wish("nothing of the kind").order(&list()), [3, 2, 1, 0]);
    }

    #[test]
    fn failed_devices_come_last_even_if_requested() {
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
