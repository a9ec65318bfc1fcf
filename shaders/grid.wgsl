// The ground grid: lines one pixel wide at every distance, two steps of spacing, fading away from the eye.

struct Fragment {
    @builtin(position) clip: vec4<f32>,
    @location(0) near: vec3<f32>,
    @location(1) far: vec3<f32>,
};

struct Out {
    @location(0) color: vec4<f32>,
    @builtin(frag_depth) depth: f32,
};

fn unproject(clip: vec2<f32>, depth: f32) -> vec3<f32> {
    let p = frame.world_from_clip * vec4<f32>(clip, depth, 1.0);
    return p.xyz / p.w;
}

@vertex
fn vertex(@builtin(vertex_index) index: u32) -> Fragment {
    let corner = vec2<f32>(f32((index << 1u) & 2u), f32(index & 2u)) * 2.0 - 1.0;
    var out: Fragment;
    out.clip = vec4<f32>(corner, 0.5, 1.0);
    // Reverse depth: 1 is near, and 0 is infinitely far.
    out.near = unproject(corner, 1.0);
    out.far = unproject(corner, 0.05);
    return out;
}

fn line(coordinate: f32, width: f32) -> f32 {
    let away = abs(fract(coordinate - 0.5) - 0.5);
    return clamp(1.0 - away / max(width, 1e-6), 0.0, 1.0);
}

// The share of the key light that the model takes from the ground; soft, and softer further from what casts it.
fn shadow_on_ground(world: vec3<f32>) -> f32 {
    let p = (frame.shadow_from_world * vec4<f32>(world, 1.0)).xyz;
    let uv = p.xy * vec2<f32>(0.5, -0.5) + 0.5;
    if any(uv < vec2<f32>(0.0)) || any(uv > vec2<f32>(1.0)) || frame.misc.w <= 0.0 {
        return 0.0;
    }
    var sum = 0.0;
    for (var k = 0; k < 16; k += 1) {
        // Vogel's disc: even over its area.
        let radius = sqrt((f32(k) + 0.5) / 16.0) * 0.012;
        let angle = f32(k) * 2.3999632;
        let at = uv + vec2<f32>(cos(angle), sin(angle)) * radius;
        sum += 1.0 - textureSampleCompareLevel(shadow_map, shadow_sampler, at, p.z - 0.001);
    }
    let edge = min(min(uv.x, 1.0 - uv.x), min(uv.y, 1.0 - uv.y));
    return sum / 16.0 * smoothstep(0.0, 0.02, edge);
}

@fragment
fn fragment(in: Fragment) -> Out {
    let direction = in.far - in.near;
    let t = -in.near.y / direction.y;
    let world = in.near + direction * t;
    let cell = frame.eye.w;
    let p = world.xz / cell;
    let width = fwidth(p);
    if t <= 0.0 || direction.y == 0.0 {
        discard;
    }
    let clip = frame.clip_from_world * vec4<f32>(world, 1.0);
    let distance = length(world - frame.eye.xyz);
    let fade = clamp(1.0 - distance / frame.key.w, 0.0, 1.0);
    // Lines closer than a few pixels would shimmer: they fade before.
    let room = 1.0 - smoothstep(0.15, 0.5, max(width.x, width.y));
    let minor = max(line(p.x, width.x), line(p.y, width.y)) * room;
    let q = p / 10.0;
    let wide = width / 10.0;
    let major_room = 1.0 - smoothstep(0.15, 0.5, max(wide.x, wide.y));
    let major = max(line(q.x, wide.x), line(q.y, wide.y)) * major_room;
    var color = vec4<f32>(frame.grid_minor.rgb, minor * 0.9);
    color = mix(color, vec4<f32>(frame.grid_major.rgb, 1.0), major);
    let on_x = clamp(1.0 - abs(p.y) / max(width.y * 1.2, 1e-6), 0.0, 1.0);
    let on_z = clamp(1.0 - abs(p.x) / max(width.x * 1.2, 1e-6), 0.0, 1.0);
    color = mix(color, vec4<f32>(frame.axis_x.rgb, 1.0), on_x);
    color = mix(color, vec4<f32>(frame.axis_z.rgb, 1.0), on_z);
    let line_alpha = color.a * fade * fade;
    let dark = 0.42 * shadow_on_ground(world);
    // The shadow lies over the lines.
    let alpha = 1.0 - (1.0 - line_alpha) * (1.0 - dark);
    if alpha < 0.004 {
        discard;
    }
    color = vec4<f32>(color.rgb * line_alpha * (1.0 - dark) / alpha, alpha);
    var out: Out;
    out.color = vec4<f32>(color.rgb, alpha);
    out.depth = clamp(clip.z / clip.w, 0.0, 1.0);
    return out;
}
