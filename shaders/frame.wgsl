// What every pass knows of the frame. Keep in sync with `FrameUniform` in src/render/renderer.rs.
struct Frame {
    clip_from_world: mat4x4<f32>,
    world_from_clip: mat4x4<f32>,
    // xyz: the eye, w: metres of one grid cell
    eye: vec4<f32>,
    // xyz: towards the key light (turns with the eye a little), w: distance at which the grid has faded
    key: vec4<f32>,
    background: vec4<f32>,
    grid_minor: vec4<f32>,
    grid_major: vec4<f32>,
    axis_x: vec4<f32>,
    axis_z: vec4<f32>,
    // x: pixels of height, y: unused, z: 1 where joints are drawn fainter
    misc: vec4<f32>,
};

@group(0) @binding(0) var<uniform> frame: Frame;
