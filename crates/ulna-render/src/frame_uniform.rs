//! Per-frame uniforms, which all passes share.

use bytemuck::{Pod, Zeroable};

use super::{
    Camera, RenderTarget, Show, TintKind, ViewportColors,
    lights::{MOST, Shining},
    look::{STOPS, ramp},
    shadow::KEY,
};

/// Width of an outline, in display points.
const OUTLINE: f32 = 2.0;

/// Per-frame uniforms. Keep in sync with `Frame` in shaders/frame.wgsl.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
pub(super) struct FrameUniform {
    pub clip_from_world: [[f32; 4]; 4],
    pub world_from_clip: [[f32; 4]; 4],
    pub eye: [f32; 4],
    pub key: [f32; 4],
    pub background: [f32; 4],
    pub grid_minor: [f32; 4],
    pub grid_major: [f32; 4],
    pub axis_x: [f32; 4],
    pub axis_z: [f32; 4],
    pub misc: [f32; 4],
    pub eye_forward: [f32; 4],
    pub shadow_from_world: [[f32; 4]; 4],
    pub world_from_shadow: [[f32; 4]; 4],
    pub matt: [[f32; 4]; 9],
    pub wire: [f32; 4],
    pub outline: [f32; 4],
    pub zero_weight: [f32; 4],
    pub tint_edge: [f32; 4],
    pub heat: [[f32; 4]; STOPS],
    pub lights: [Shining; MOST],
}

/// Fills all uniforms except lights, shadow matrices and irradiance, which the renderer sets.
/// `off_surface` is the offset of shadow lookups in meters; 0 if nothing casts a shadow.
pub(super) fn frame_uniform(
    camera: &Camera,
    look: &ViewportColors,
    show: &Show,
    target: &RenderTarget,
    off_surface: f32,
) -> FrameUniform {
    let [width, height] = target.shown.map(|s| s as f32);
    let clip_from_world = camera.clip_from_world(width / height.max(1.0));
    let eye = camera.eye();
    // The size of the grid cells is a power of 10. It depends on the camera distance, so that cells
    // have a similar size in the picture.
    let cell = 10f32.powf((camera.distance * 0.16).max(1e-6).log10().floor());
    let reach = (camera.distance * 6.0).max(show.size * 3.0);
    FrameUniform {
        clip_from_world: clip_from_world.to_cols_array_2d(),
        world_from_clip: clip_from_world.as_dmat4().inverse().as_mat4().to_cols_array_2d(),
        eye: eye.extend(cell).to_array(),
        key: KEY.extend(reach).to_array(),
        background: look.background,
        grid_minor: look.grid_minor,
        grid_major: look.grid_major,
        axis_x: look.axis_x,
        axis_z: look.axis_z,
        misc: [target.part, 0.0, f32::from(u8::from(camera.orthographic)), off_surface],
        eye_forward: camera.forward().extend(0.0).to_array(),
        shadow_from_world: [[0.0; 4]; 4],
        world_from_shadow: [[0.0; 4]; 4],
        matt: [[0.0; 4]; 9],
        wire: look.wire,
        zero_weight: [
            look.zero_weight[0],
            look.zero_weight[1],
            look.zero_weight[2],
            show.tint.map_or(0.0, TintKind::number),
        ],
        tint_edge: look.tint_edge,
        heat: ramp().map(|(at, color)| {
            let [r, g, b, _] = color.0.map(|byte| f32::from(byte) / 255.0);
            [r, g, b, at]
        }),
        lights: [Shining::default(); MOST],
        outline: [
            look.outline[0],
            look.outline[1],
            look.outline[2],
            (OUTLINE * show.scale.max(1.0) - 0.5) * target.part + 0.5,
        ],
    }
}
