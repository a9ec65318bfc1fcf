//! What graphics devices there are, what they can hold, and what is done another way where one lacks it.

use serde::Serialize;

use super::Gpu;

/// A graphics device as a driver offers it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DeviceFacts {
    /// Its name.
    pub name: String,
    /// Vulkan, Gl, Metal or Dx12.
    pub backend: String,
    /// A GPU of its own, one within the processor, a virtual one, or a program.
    pub kind: &'static str,
    /// The driver, and its version, where it says so.
    pub driver: String,
    /// Bytes of the largest buffer.
    pub largest_buffer: u64,
    /// Pixels of a side of the largest texture.
    pub largest_texture: u32,
    /// What is done another way, a sentence each.
    pub instead: Vec<String>,
    /// Whether it is the one that is used.
    pub used: bool,
}

/// All devices, the one that is used first.
pub fn devices() -> Vec<DeviceFacts> {
    let used = Gpu::usual_adapter().map(|a| a.get_info()).ok();
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle().with_env());
    let found = pollster::block_on(instance.enumerate_adapters(wgpu::Backends::all()));
    let mut list: Vec<DeviceFacts> = found
        .iter()
        .map(|adapter| {
            let facts = facts(adapter);
            let is = |info: &wgpu::AdapterInfo| info.name == facts.name && info.backend.to_str() == facts.backend;
            DeviceFacts { used: used.as_ref().is_some_and(is), ..facts }
        })
        .collect();
    list.sort_by_key(|d| !d.used);
    list
}

fn facts(adapter: &wgpu::Adapter) -> DeviceFacts {
    let (info, limits) = (adapter.get_info(), adapter.limits());
    let software = Gpu::is_software(&info);
    let kind = match info.device_type {
        _ if software => "a program on the processor",
        wgpu::DeviceType::DiscreteGpu => "a GPU of its own",
        wgpu::DeviceType::IntegratedGpu => "a GPU within the processor",
        wgpu::DeviceType::VirtualGpu => "a virtual GPU",
        wgpu::DeviceType::Cpu | wgpu::DeviceType::Other => "of an unknown kind",
    };
    let mut instead = Vec::new();
    if software {
        instead.push("The CPU skins, which is faster there".to_owned());
    } else if !Gpu::can_skin(adapter, &limits) {
        instead.push("The CPU skins, since it has no compute passes with enough buffers".to_owned());
    }
    if !adapter.get_downlevel_capabilities().flags.contains(wgpu::DownlevelFlags::VIEW_FORMATS) {
        instead
            .push("Gamma is written by a pass of its own, since it cannot see one picture in two formats".to_owned());
    }
    let driver = [info.driver.trim(), info.driver_info.trim()];
    DeviceFacts {
        name: info.name.clone(),
        backend: info.backend.to_str().to_owned(),
        kind,
        driver: driver.into_iter().filter(|d| !d.is_empty()).collect::<Vec<_>>().join(", "),
        largest_buffer: limits.max_buffer_size,
        largest_texture: limits.max_texture_dimension_2d,
        instead,
        used: false,
    }
}
