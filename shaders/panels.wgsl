// Draws egui's triangles on software devices. The result equals that of egui's own shader, but the
// texture is sampled only with the requested filter.

struct Fragment {
    @builtin(position) clip: vec4<f32>,
    @location(0) uv: vec2<f32>,
    // Gamma-encoded, like the texture and the window.
    @location(1) color: vec4<f32>,
};

// xy: size of the window in points.
@group(0) @binding(0) var<uniform> window: vec4<f32>;
@group(1) @binding(0) var picture: texture_2d<f32>;
@group(1) @binding(1) var filtered: sampler;

@vertex
fn vertex(@location(0) at: vec2<f32>, @location(1) uv: vec2<f32>, @location(2) color: vec4<f32>) -> Fragment {
    var out: Fragment;
    out.clip = vec4<f32>(2.0 * at.x / window.x - 1.0, 1.0 - 2.0 * at.y / window.y, 0.0, 1.0);
    out.uv = uv;
    out.color = color;
    return out;
}

@fragment
fn fragment(in: Fragment) -> @location(0) vec4<f32> {
    return in.color * textureSampleLevel(picture, filtered, in.uv, 0.0);
}
