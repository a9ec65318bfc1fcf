// A light of the file. Keep in sync with `Shining` in crates/ulna-render/src/lights.rs.
struct Light {
    // xyz: position, world space; w: 1 for a point or spot light, 0 for a directional light
    position: vec4<f32>,
    // xyz: direction of the light; w: inverse of its range, or 0 if unlimited
    direction: vec4<f32>,
    color: vec4<f32>,
    // Spot falloff: x · (cosine of the angle from the axis) + y.
    cone: vec4<f32>,
};

// Uniforms that all passes of a frame share. Keep in sync with `FrameUniform` in
// crates/ulna-render/src/frame_uniform.rs.
struct Frame {
    clip_from_world: mat4x4<f32>,
    world_from_clip: mat4x4<f32>,
    // xyz: camera position; w: size of a grid cell, meters
    eye: vec4<f32>,
    // xyz: direction toward the key light; w: distance at which the grid has faded out, meters
    key: vec4<f32>,
    background: vec4<f32>,
    grid_minor: vec4<f32>,
    grid_major: vec4<f32>,
    axis_x: vec4<f32>,
    axis_z: vec4<f32>,
    // x: rendered pixels per displayed pixel, along one axis; y: unused; z: 1 in an orthographic
    // view; w: offset along the normal for shadow lookups, meters; 0 disables shadows
    misc: vec4<f32>,
    // xyz: view direction; w: number of file lights that replace the studio lights
    eye_forward: vec4<f32>,
    // View-projection of the key light's shadow map.
    shadow_from_world: mat4x4<f32>,
    world_from_shadow: mat4x4<f32>,
    // Diffuse sky light, as spherical harmonics.
    matt: array<vec4<f32>, 9>,
    // Wireframe color.
    wire: vec4<f32>,
    // rgb: outline color; w: outline width in pixels; the outermost pixel has half coverage
    outline: vec4<f32>,
    // rgb: linear gray of weight 0; w: displayed tints (1: weights, 2: colors)
    zero_weight: vec4<f32>,
    // Color of edges over tinted surfaces.
    tint_edge: vec4<f32>,
    // Weight ramp. rgb: sRGB color of a stop; w: its weight
    heat: array<vec4<f32>, 9>,
    // Lights of the file; `eye_forward.w` is their number.
    lights: array<Light, 8>,
};

@group(0) @binding(0) var<uniform> frame: Frame;
@group(0) @binding(1) var sky_texture: texture_cube<f32>;
@group(0) @binding(2) var sky_sampler: sampler;
@group(0) @binding(3) var shadow_map: texture_depth_2d;
@group(0) @binding(4) var shadow_sampler: sampler_comparison;

// Transform of an instance: the rows of `scene_from_posed`.
struct Place {
    @location(6) x: vec4<f32>,
    @location(7) y: vec4<f32>,
    @location(8) z: vec4<f32>,
};

fn point_at(place: Place, p: vec3<f32>) -> vec3<f32> {
    let q = vec4<f32>(p, 1.0);
    return vec3<f32>(dot(place.x, q), dot(place.y, q), dot(place.z, q));
}

// Transforms a normal by the cofactor matrix, times the sign of the determinant. The rows of the
// cofactor matrix are cross products of the rows.
fn normal_at(place: Place, n: vec3<f32>) -> vec3<f32> {
    let c0 = cross(place.y.xyz, place.z.xyz);
    let turned = vec3<f32>(dot(c0, n), dot(cross(place.z.xyz, place.x.xyz), n), dot(cross(place.x.xyz, place.y.xyz), n));
    let largest = max(max(abs(turned.x), abs(turned.y)), abs(turned.z));
    if largest == 0.0 {
        return turned;
    }
    return normalize(turned / largest) * select(1.0, -1.0, dot(place.x.xyz, c0) < 0.0);
}

// Unit vector from a point toward the camera.
fn toward_eye(world: vec3<f32>) -> vec3<f32> {
    if frame.misc.z > 0.5 {
        return -frame.eye_forward.xyz;
    }
    return normalize(frame.eye.xyz - world);
}

// Diffuse sky light for a normal, divided by pi. Keep in sync with `harmonics` in
// crates/ulna-render/src/sky.rs.
fn matt_light(d: vec3<f32>) -> vec3<f32> {
    let sum = frame.matt[0].rgb * 0.282095
        + frame.matt[1].rgb * (0.488603 * d.y)
        + frame.matt[2].rgb * (0.488603 * d.z)
        + frame.matt[3].rgb * (0.488603 * d.x)
        + frame.matt[4].rgb * (1.092548 * d.x * d.y)
        + frame.matt[5].rgb * (1.092548 * d.y * d.z)
        + frame.matt[6].rgb * (0.315392 * (3.0 * d.z * d.z - 1.0))
        + frame.matt[7].rgb * (1.092548 * d.x * d.z)
        + frame.matt[8].rgb * (0.546274 * (d.x * d.x - d.y * d.y));
    return max(sum, vec3<f32>(0.0));
}
