// A light of the file. Keep in sync with `Shining` in crates/ulna-render/src/lights.rs.
struct Light {
    // w: 1 where it comes from a point
    position: vec4<f32>,
    // w: one over its range, or 0
    direction: vec4<f32>,
    color: vec4<f32>,
    // The cosine of an angle from its axis times x, plus y, is how much of it goes there.
    cone: vec4<f32>,
};

// What every pass knows of the frame. Keep in sync with `FrameUniform` in crates/ulna-render/src/renderer.rs.
struct Frame {
    clip_from_world: mat4x4<f32>,
    world_from_clip: mat4x4<f32>,
    // xyz: the eye, w: meters of one grid cell
    eye: vec4<f32>,
    // xyz: toward the key light , w: distance at which the grid has faded
    key: vec4<f32>,
    background: vec4<f32>,
    grid_minor: vec4<f32>,
    grid_major: vec4<f32>,
    axis_x: vec4<f32>,
    axis_z: vec4<f32>,
    // x: pixels of the picture, along a side, for each that it is shown on, y: free, z: 1 where the view has no perspective, w: meters that a point is moved off its surface before it asks for shadow; 0: no shadow
    misc: vec4<f32>,
    // Where the eye looks, and in w how many lights of the file shine instead of the studio's.
    eye_forward: vec4<f32>,
    // The key light's own view.
    shadow_from_world: mat4x4<f32>,
    world_from_shadow: mat4x4<f32>,
    // The sky for matt surfaces.
    matt: array<vec4<f32>, 9>,
    // The color of edges.
    wire: vec4<f32>,
    // The color of outlines, and in w their width in pixels, the last of which has half of it.
    outline: vec4<f32>,
    // Linear: the gray of a weight of 0, and in w which tints are shown (1: weights, 2: colors).
    zero_weight: vec4<f32>,
    // The color of edges over what is tinted.
    tint_edge: vec4<f32>,
    // The ramp of weights: sRGB, and in w where a stop stands.
    heat: array<vec4<f32>, 9>,
    // The file's own lights, as many as `eye_forward.w` says.
    lights: array<Light, 8>,
};

@group(0) @binding(0) var<uniform> frame: Frame;
@group(0) @binding(1) var sky_texture: texture_cube<f32>;
@group(0) @binding(2) var sky_sampler: sampler;
@group(0) @binding(3) var shadow_map: texture_depth_2d;
@group(0) @binding(4) var shadow_sampler: sampler_comparison;

// Where an instance is: rows of `scene_from_posed`.
struct Place {
    @location(6) x: vec4<f32>,
    @location(7) y: vec4<f32>,
    @location(8) z: vec4<f32>,
};

fn point_at(place: Place, p: vec3<f32>) -> vec3<f32> {
    let q = vec4<f32>(p, 1.0);
    return vec3<f32>(dot(place.x, q), dot(place.y, q), dot(place.z, q));
}

// By the cofactor matrix, whose rows are cross products of rows, and the side the determinant says.
fn normal_at(place: Place, n: vec3<f32>) -> vec3<f32> {
    let c0 = cross(place.y.xyz, place.z.xyz);
    let turned = vec3<f32>(dot(c0, n), dot(cross(place.z.xyz, place.x.xyz), n), dot(cross(place.x.xyz, place.y.xyz), n));
    let largest = max(max(abs(turned.x), abs(turned.y)), abs(turned.z));
    if largest == 0.0 {
        return turned;
    }
    return normalize(turned / largest) * select(1.0, -1.0, dot(place.x.xyz, c0) < 0.0);
}

// From a point to the eye; unit.
fn toward_eye(world: vec3<f32>) -> vec3<f32> {
    if frame.misc.z > 0.5 {
        return -frame.eye_forward.xyz;
    }
    return normalize(frame.eye.xyz - world);
}

// The sky as a matt surface sees it, over pi. Keep in sync with `harmonics` in crates/ulna-render/src/sky.rs.
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
