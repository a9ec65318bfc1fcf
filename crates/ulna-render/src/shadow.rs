//! Shadow of the key light: a depth map as seen from the light, which is drawn again only after a
//! change of the pose.

use glam::{Mat4, Vec3, camera::rh};

use super::Gpu;

/// Unit vector toward the key light: up, to the left and in front of the model. It does not follow
/// the camera.
pub(super) const KEY: Vec3 = Vec3::new(-0.4914, 0.6850, 0.5380);

pub(super) const FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::Depth32Float;

/// Shadow map of the key light.
pub(super) struct Shadow {
    pub view: wgpu::TextureView,
    side: u32,
    /// Versions of the scenes in the current shadow map.
    pub versions: Vec<u64>,
}

impl Shadow {
    pub(super) fn new(gpu: &Gpu) -> Self {
        // A software renderer uses a smaller shadow map, to save time.
        let side = if gpu.software { 1024 } else { 2048 };
        let texture = gpu.device.create_texture(&wgpu::TextureDescriptor {
            label: Some("shadow"),
            size: wgpu::Extent3d { width: side, height: side, depth_or_array_layers: 1 },
            mip_level_count: 1,
            sample_count: 1,
            dimension: wgpu::TextureDimension::D2,
            format: FORMAT,
            usage: wgpu::TextureUsages::TEXTURE_BINDING | wgpu::TextureUsages::RENDER_ATTACHMENT,
            view_formats: &[],
        });
        Self { view: texture.create_view(&Default::default()), side, versions: Vec::new() }
    }

    /// Projection of a box as seen from the light, and the offset of shadow lookups from the
    /// surface in meters. The offset prevents self-shadowing.
    pub(super) fn frame(&self, bounds: Option<(Vec3, Vec3)>) -> (Mat4, f32) {
        let Some((low, high)) = bounds.filter(|(l, h)| (*h - *l).length() > 0.0) else {
            return (Mat4::IDENTITY, 0.0);
        };
        let view = rh::view::look_to_mat4((low + high) * 0.5, -KEY, Vec3::Y);
        let (mut near, mut far) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
        for corner in 0..8u32 {
            let pick = |k: u32| corner >> k & 1 == 1;
            let p = Vec3::select(glam::BVec3::new(pick(0), pick(1), pick(2)), high, low);
            let p = view.transform_point3(p);
            near = near.min(p);
            far = far.max(p);
        }
        // Margin for the soft edge of the shadow, and for the ground below the model.
        let room = (far - near).truncate().max_element() * 0.03;
        let depth = (far.z - near.z).max(1e-6);
        let (l, r, b, t) = (near.x - room, far.x + room, near.y - room, far.y + room);
        let projection =
            rh::proj::directx::orthographic(l, r, b, t, -far.z - depth * 0.05, -near.z + depth);
        let texel = (r - l).max(t - b) / self.side as f32;
        (projection * view, texel * 2.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_direction_of_the_light_is_a_unit_vector() {
        assert!((KEY.length() - 1.0).abs() < 1e-3);
    }
}
