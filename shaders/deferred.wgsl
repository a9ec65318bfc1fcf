// What is seen at every pixel, kept until light is found: for pictures that last a moment. Small triangles cost as much as
// large ones on a device that is a program, so that little is done for each and the light once a pixel.

@group(2) @binding(0) var surfaces: texture_2d<u32>;

// Cigolle et al., A Survey of Efficient Representations for Independent Unit Vectors (2014): the octahedron, unfolded, with 12
// bits a side; and in the highest 8 a number of 0..=1.
fn kept_direction(n: vec3<f32>, number: f32) -> u32 {
    let flat = n.xy / max(abs(n.x) + abs(n.y) + abs(n.z), 1e-6);
    let side = select(vec2<f32>(-1.0), vec2<f32>(1.0), flat >= vec2<f32>(0.0));
    let at = select(flat, (1.0 - abs(flat.yx)) * side, n.z < 0.0);
    let bits = vec2<u32>(clamp(at * 0.5 + 0.5, vec2<f32>(0.0), vec2<f32>(1.0)) * 4095.0 + 0.5);
    return bits.x | (bits.y << 12u) | (u32(clamp(number, 0.0, 1.0) * 255.0 + 0.5) << 24u);
}

fn direction_of(kept: u32) -> vec3<f32> {
    let at = vec2<f32>(f32(kept & 4095u), f32((kept >> 12u) & 4095u)) / 4095.0 * 2.0 - 1.0;
    let z = 1.0 - abs(at.x) - abs(at.y);
    let side = select(vec2<f32>(-1.0), vec2<f32>(1.0), at >= vec2<f32>(0.0));
    return normalize(vec3<f32>(at - side * max(-z, 0.0), z));
}

// A color of 0..=1 by its roots, as fine in the dark as the eye; and a number.
fn kept_color(color: vec3<f32>, number: f32) -> u32 {
    return pack4x8unorm(vec4<f32>(sqrt(clamp(color, vec3<f32>(0.0), vec3<f32>(1.0))), number));
}

fn color_of_kept(kept: u32) -> vec4<f32> {
    let c = unpack4x8unorm(kept);
    return vec4<f32>(c.rgb * c.rgb, c.a);
}

// Where in the world a pixel's surface is; surfaces have the farther half of the depth.
fn world_of(at: vec2<f32>, depth: f32) -> vec3<f32> {
    let part = at / vec2<f32>(textureDimensions(surfaces));
    let world = frame.world_from_clip * vec4<f32>(part.x * 2.0 - 1.0, 1.0 - part.y * 2.0, depth * 2.0, 1.0);
    return world.xyz / world.w;
}

// All of the picture, as far as can be.
@vertex
fn vertex_light(@builtin(vertex_index) index: u32) -> @builtin(position) vec4<f32> {
    let corner = vec2<f32>(f32((index << 1u) & 2u), f32(index & 2u)) * 2.0 - 1.0;
    return vec4<f32>(corner, 0.0, 1.0);
}
