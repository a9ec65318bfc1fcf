// Draws depth as seen from the key light. Parts below the alpha cutoff cast no shadow.

struct Vertex {
    @location(0) position: vec3<f32>,
    @location(2) uv0: vec2<f32>,
    @location(3) uv1: vec2<f32>,
    @location(4) color: vec4<f32>,
};

struct Fragment {
    @builtin(position) clip: vec4<f32>,
    @location(0) uv0: vec2<f32>,
    @location(1) uv1: vec2<f32>,
    @location(2) alpha: f32,
};

@vertex
fn vertex(in: Vertex, place: Place) -> Fragment {
    var out: Fragment;
    out.clip = frame.shadow_from_world * vec4<f32>(point_at(place, in.position), 1.0);
    out.uv0 = in.uv0;
    out.uv1 = in.uv1;
    out.alpha = in.color.a;
    return out;
}

@fragment
fn fragment(in: Fragment) {
    let uv = placed_uv(material.base_u, material.base_v, in.uv0, in.uv1);
    let alpha = material.base_color.a * in.alpha * textureSample(base_texture, base_sampler, uv).a;
    if material.emissive.a >= 0.0 && alpha < material.emissive.a {
        discard;
    }
}
