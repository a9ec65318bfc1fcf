// Surfaces with a weight or a color per vertex instead of their material: diffuse, opaque and
// two-sided.

struct Fragment {
    @builtin(position) clip: vec4<f32>,
    @location(0) world: vec3<f32>,
    @location(1) normal: vec3<f32>,
    // xyz: a weight in x, or a linear color, both premultiplied by w; w: 1 if the vertex has a
    // value, else 0
    @location(2) tint: vec4<f32>,
};

@vertex
fn vertex(@location(0) position: vec3<f32>, @location(1) normal: vec3<f32>, place: Place, @location(2) value: u32) -> Fragment {
    return placed(position, normal, place, given(value));
}

@vertex
fn vertex_bare(@location(0) position: vec3<f32>, @location(1) normal: vec3<f32>, place: Place) -> Fragment {
    return placed(position, normal, place, vec4<f32>(0.0));
}

fn placed(position: vec3<f32>, normal: vec3<f32>, place: Place, tint: vec4<f32>) -> Fragment {
    var out: Fragment;
    out.world = point_at(place, position);
    out.clip = frame.clip_from_world * vec4<f32>(out.world, 1.0);
    out.normal = normal_at(place, normal);
    out.tint = tint;
    return out;
}

// The inverse sRGB transfer function, IEC 61966-2-1.
fn linear(srgb: vec3<f32>) -> vec3<f32> {
    return select(pow((srgb + 0.055) / 1.055, vec3<f32>(2.4)), srgb / 12.92, srgb <= vec3<f32>(0.04045));
}

// Weight and validity from the bits of a weight. NaN is detected by its bits, because shader
// arithmetic may ignore NaN.
fn weight_of(value: u32) -> vec4<f32> {
    if (value & 0x7fffffffu) > 0x7f800000u {
        return vec4<f32>(0.0);
    }
    return vec4<f32>(clamp(bitcast<f32>(value), 0.0, 1.0), 0.0, 0.0, 1.0);
}

// Linear color from sRGB bytes: red in the highest byte, alpha in the lowest.
fn color_of(value: u32) -> vec4<f32> {
    let color = unpack4x8unorm(value).abgr;
    return vec4<f32>(linear(color.rgb) * color.a, color.a);
}

fn given(value: u32) -> vec4<f32> {
    return select(color_of(value), weight_of(value), frame.zero_weight.w < 1.5);
}

// Color of a weight on the ramp, linear. Keep in sync with `heat` in
// crates/ulna-render/src/look.rs.
fn ramp(weight: f32) -> vec3<f32> {
    var color = frame.heat[0].rgb;
    for (var k = 1u; k < 9u; k += 1u) {
        let a = frame.heat[k - 1u];
        let b = frame.heat[k];
        if weight > a.w {
            color = mix(a.rgb, b.rgb, min((weight - a.w) / max(b.w - a.w, 1e-6), 1.0));
        }
    }
    return linear(color);
}

// Luminance of a diffuse surface under the studio lights, without shadows.
fn light_on(n: vec3<f32>, v: vec3<f32>) -> f32 {
    let sky = dot(matt_light(n), vec3<f32>(0.2126, 0.7152, 0.0722));
    return sky + (2.0 * max(dot(n, frame.key.xyz), 0.0) + 0.23 * max(dot(n, v), 0.0)) / 3.14159265;
}

// Smallest weight that is displayed in the ramp's color: one step of eight bits.
const LEAST: f32 = 1.0 / 255.0;

// Display color of a tint. `slope` is the change of the weight across one pixel.
fn tinted(tint: vec4<f32>, slope: f32) -> vec3<f32> {
    let share = clamp(tint.w, 0.0, 1.0);
    // Vertices without a value have a color close to the background, distinct from that of weight
    // 0.
    let nothing = mix(frame.zero_weight.rgb, frame.background.rgb, 0.75);
    var color = tint.rgb;
    if frame.zero_weight.w < 1.5 {
        let weight = clamp(tint.x / max(share, 1e-6), 0.0, 1.0);
        // On steep slopes of the weight, the border to the gray of weight 0 stays one pixel wide.
        let on_ramp = clamp(weight / clamp(slope, LEAST, 0.05), 0.0, 1.0);
        color = mix(frame.zero_weight.rgb, ramp(weight), on_ramp) * share;
    }
    return color + nothing * (1.0 - share);
}

// Shading factor in 0.5..=1: surfaces facing the camera keep their exact color, so that it can be
// compared with the ramp.
fn dimmed(n: vec3<f32>, v: vec3<f32>) -> f32 {
    return mix(1.0, min(light_on(n, v) / max(light_on(v, v), 1e-4), 1.0), 0.5);
}

// Normal that faces the camera; 0 if a vertex has no normal.
fn seen_normal(in: Fragment) -> vec3<f32> {
    let across = dpdx(in.world);
    let down = dpdy(in.world);
    if dot(in.normal, in.normal) <= 0.25 {
        return vec3<f32>(0.0);
    }
    // The triangle's plane decides the side: near the silhouette, interpolated normals may face
    // away.
    let face = cross(down, across);
    let turned = dot(face, in.normal) * dot(face, toward_eye(in.world)) < 0.0;
    return normalize(in.normal) * select(1.0, -1.0, turned);
}

fn shaded(color: vec3<f32>, n: vec3<f32>, world: vec3<f32>) -> vec4<f32> {
    if dot(n, n) < 0.25 {
        return vec4<f32>(color, 1.0);
    }
    return vec4<f32>(color * dimmed(n, toward_eye(world)), 1.0);
}

@fragment
fn fragment(in: Fragment) -> @location(0) vec4<f32> {
    return shaded(tinted(in.tint, fwidth(in.tint.x)), seen_normal(in), in.world);
}

// Deferred shading: see shaders/deferred.wgsl. Weights are stored with 16 bits, because weights
// near 0 have a different color.
@fragment
fn fragment_kept(in: Fragment) -> @location(0) vec4<u32> {
    let slope = fwidth(in.tint.x);
    let n = seen_normal(in);
    var tint = kept_color(in.tint.rgb, in.tint.w);
    if frame.zero_weight.w < 1.5 {
        tint = pack2x16unorm(vec2<f32>(in.tint.x, in.tint.w));
    }
    return vec4<u32>(tint, kept_direction(n, f32(dot(n, n) > 0.25)), bitcast<u32>(slope), bitcast<u32>(in.clip.z));
}

@fragment
fn fragment_light(@builtin(position) at: vec4<f32>) -> @location(0) vec4<f32> {
    let kept = textureLoad(surfaces, vec2<i32>(at.xy), 0);
    var tint = color_of_kept(kept.x);
    if frame.zero_weight.w < 1.5 {
        let weight = unpack2x16unorm(kept.x);
        tint = vec4<f32>(weight.x, 0.0, 0.0, weight.y);
    }
    let n = select(vec3<f32>(0.0), direction_of(kept.y), (kept.y >> 24u) > 0u);
    return shaded(tinted(tint, bitcast<f32>(kept.z)), n, world_of(at.xy, bitcast<f32>(kept.w)));
}
