//! Ghosts: the surfaces of a scene at other moments, posed once and kept, so that moving the
//! playhead by a frame poses one more and no more than that.

use glam::Vec3;

/// A ghost that a picture is to show.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GhostLook {
    /// Which moment, by a number that is the caller's own. The same number is the same pose until
    /// [`crate::Scene::forget_ghosts`].
    pub moment: u64,
    /// Linear, straight alpha.
    pub color: [f32; 4],
}

/// The surfaces at one moment.
pub(super) struct Ghost {
    pub moment: u64,
    /// In the order of the scene's parts: what was posed, and where its instances were.
    pub surfaces: Vec<Option<[wgpu::Buffer; 2]>>,
    pub center: Vec3,
    pub bind: wgpu::BindGroup,
    pub color: wgpu::Buffer,
}
