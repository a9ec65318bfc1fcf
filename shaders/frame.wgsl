// What every pass knows of the frame. Keep in sync with `FrameUniform` in src/render/renderer.rs.
struct Frame {
    clip_from_world: mat4x4<f32>,
    world_from_clip: mat4x4<f32>,
    // xyz: the eye, w: metres of one grid cell
    eye: vec4<f32>,
    // xyz: towards the key light , w: distance at which the grid has faded
    key: vec4<f32>,
    background: vec4<f32>,
    grid_minor: vec4<f32>,
    grid_major: vec4<f32>,
    axis_x: vec4<f32>,
    axis_z: vec4<f32>,
    // x: pixels of height, y: how surfaces are shaded, z: 1 where the view has no perspective, w: metres that a point is moved off its surface before it asks for shadow; 0: no shadow
    misc: vec4<f32>,
    // Where the eye looks.
    eye_forward: vec4<f32>,
    // The key light's own view.
    shadow_from_world: mat4x4<f32>,
    // The sky for matt surfaces.
    matt: array<vec4<f32>, 9>,
    // The colour of edges.
    wire: vec4<f32>,
    // The colour of outlines, and in w their width in pixels.
    outline: vec4<f32>,
};

@group(0) @binding(0) var<uniform> frame: Frame;
@group(0) @binding(1) var sky_texture: texture_cube<f32>;
@group(0) @binding(2) var sky_sampler: sampler;
@group(0) @binding(3) var shadow_map: texture_depth_2d;
@group(0) @binding(4) var shadow_sampler: sampler_comparison;

// From a point to the eye; unit.
fn towards_eye(world: vec3<f32>) -> vec3<f32> {
    if frame.misc.z > 0.5 {
        return -frame.eye_forward.xyz;
    }
    return normalize(frame.eye.xyz - world);
}
