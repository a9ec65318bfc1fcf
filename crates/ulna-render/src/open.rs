//! Listing and opening of graphics devices.

use super::{
    Gpu, GpuError,
    device::{DeviceChoice, DeviceFacts},
};

/// Lists all devices in the order in which they are tried. The first one is marked as used.
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

impl Gpu {
    /// Opens the best device, without a window.
    ///
    /// # Errors
    /// No device was found or could be opened.
    pub fn headless() -> Result<Self, GpuError> {
        Self::open(&DeviceChoice::default())
    }

    /// Opens a device, without a window. If a device cannot be opened, the next one is tried.
    ///
    /// # Errors
    /// No device was found, none has the requested name, or none could be opened.
    pub fn open(choice: &DeviceChoice) -> Result<Self, GpuError> {
        let mut refused = None;
        let mut known = Vec::new();
        // Some drivers print errors when OpenGL is queried, so OpenGL is tried last.
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
    // Restricts the requested backends to those that the environment allows.
    descriptor.backends &= backends;
    if descriptor.backends.is_empty() {
        return Vec::new();
    }
    let backends = descriptor.backends;
    pollster::block_on(wgpu::Instance::new(descriptor).enumerate_adapters(backends))
}
