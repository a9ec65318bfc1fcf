// Deferred shading for reduced-resolution pictures on software devices. The first pass stores the
// visible surface of each pixel in a G-buffer, and the second pass lights each pixel once. Software
// devices spend as much time on small triangles as on large ones, so the first pass does little
// work per triangle.

@group(2) @binding(0) var surfaces: texture_2d<u32>;

// Packs a unit vector and a number in 0..=1. The vector is octahedrally encoded with 12 bits per
// axis (Cigolle et al., A Survey of Efficient Representations for Independent Unit Vectors, 2014).
// The highest 8 bits hold the number.
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

// Packs a linear color and a number, both in 0..=1. Square roots of the color keep precision in
// dark tones.
fn kept_color(color: vec3<f32>, number: f32) -> u32 {
    return pack4x8unorm(vec4<f32>(sqrt(clamp(color, vec3<f32>(0.0), vec3<f32>(1.0))), number));
}

fn color_of_kept(kept: u32) -> vec4<f32> {
    let c = unpack4x8unorm(kept);
    return vec4<f32>(c.rgb * c.rgb, c.a);
}

// World position of a pixel's surface. Surfaces are drawn into the farther half of the depth range.
fn world_of(at: vec2<f32>, depth: f32) -> vec3<f32> {
    let part = at / vec2<f32>(textureDimensions(surfaces));
    let world = frame.world_from_clip * vec4<f32>(part.x * 2.0 - 1.0, 1.0 - part.y * 2.0, depth * 2.0, 1.0);
    return world.xyz / world.w;
}

// A triangle that covers the whole picture at the farthest depth.
@vertex
fn vertex_light(@builtin(vertex_index) index: u32) -> @builtin(position) vec4<f32> {
    let corner = vec2<f32>(f32((index << 1u) & 2u), f32(index & 2u)) * 2.0 - 1.0;
    return vec4<f32>(corner, 0.0, 1.0);
}
