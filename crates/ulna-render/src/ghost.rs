//! Ghosts: the surfaces of a scene at other times. They are posed once and cached, so that moving
//! the playhead by a frame poses only one more.

use glam::Vec3;

/// Request to show a ghost.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GhostLook {
    /// Key of the time, chosen by the caller. The same key means the same pose until
    /// [`Scene::forget_ghosts`](crate::Scene::forget_ghosts).
    pub moment: u64,
    /// Linear color with straight alpha.
    pub color: [f32; 4],
}

/// The posed surfaces at one time.
pub(super) struct Ghost {
    pub moment: u64,
    /// Posed vertices and instances of each part, in the order of the scene's parts.
    pub surfaces: Vec<Option<[wgpu::Buffer; 2]>>,
    pub center: Vec3,
    pub bind: wgpu::BindGroup,
    pub color: wgpu::Buffer,
}
