//! Ghosts (onion skins): the surfaces of a scene at other times. Posed ghosts are cached, so that
//! moving the playhead by a frame poses only one more ghost.

use glam::Vec3;

/// Request to show a ghost at a time, in a color.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GhostLook {
    /// Key of the ghost's time, chosen by the caller. The same key stands for the same pose until
    /// [`Scene::forget_ghosts`](crate::Scene::forget_ghosts).
    pub moment: u64,
    /// Linear color with straight alpha.
    pub color: [f32; 4],
}

/// Posed surfaces of a scene at another time.
pub(super) struct Ghost {
    pub moment: u64,
    /// Buffers of posed vertices and of instances for each part, in the order of the scene's parts.
    pub surfaces: Vec<Option<[wgpu::Buffer; 2]>>,
    pub center: Vec3,
    pub bind: wgpu::BindGroup,
    pub color: wgpu::Buffer,
}
