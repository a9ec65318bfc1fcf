// The ground grid: lines one pixel wide at every distance, with two spacings, that fade out with
// the distance from the camera. A second pass draws the shadow over them.

struct Fragment {
    @builtin(position) clip: vec4<f32>,
    @location(0) ground: vec2<f32>,
};

fn corner(index: u32) -> vec2<f32> {
    let k = select(index, index - 2u, index > 2u);
    return vec2<f32>(f32(k & 1u), f32(k >> 1u)) * 2.0 - 1.0;
}

fn on_ground(ground: vec2<f32>) -> Fragment {
    var out: Fragment;
    out.clip = frame.clip_from_world * vec4<f32>(ground.x, 0.0, ground.y, 1.0);
    // Moves the grid slightly farther away, so that geometry on the ground hides the grid. (Depth
    // is reversed.)
    out.clip.z *= 0.9998;
    out.ground = ground;
    return out;
}

// A square around the camera, as large as the visible part of the grid.
@vertex
fn vertex(@builtin(vertex_index) index: u32) -> Fragment {
    return on_ground(frame.eye.xz + corner(index) * frame.key.w);
}

// The part of the ground inside the shadow map.
@vertex
fn vertex_shadow(@builtin(vertex_index) index: u32) -> Fragment {
    let at = corner(index);
    let near = (frame.world_from_shadow * vec4<f32>(at, 0.0, 1.0)).xyz;
    let far = (frame.world_from_shadow * vec4<f32>(at, 1.0, 1.0)).xyz;
    let path = far - near;
    return on_ground((near - path * (near.y / path.y)).xz);
}

// Optimized for few operations: on software devices, the grid takes half the time of a
// reduced-resolution picture.
@fragment
fn fragment(in: Fragment) -> @location(0) vec4<f32> {
    let p = in.ground / frame.eye.w;
    let width = max(fwidth(p), vec2<f32>(1e-6));
    let inverse = 1.0 / width;
    // Line coverage of the pixel: xy for the fine lines, zw for every tenth line.
    let at = vec4<f32>(p, p * 0.1);
    let away = abs(fract(at - 0.5) - 0.5);
    let lines = clamp(1.0 - away * vec4<f32>(inverse, inverse * 10.0), vec4<f32>(0.0), vec4<f32>(1.0));
    // Lines less than 2 pixels apart would alias, so lines fade out as their spacing shrinks from 7
    // to 2 pixels of the display. At reduced resolution, a line is wider on the screen, so it is
    // drawn fainter by the same factor.
    let part = frame.misc.x;
    let widest = max(width.x, width.y) * part;
    let room = 1.0 - smoothstep(vec2<f32>(0.15), vec2<f32>(0.5), vec2<f32>(widest, widest * 0.1));
    let minor = max(lines.x, lines.y) * room.x * 0.9 * part;
    let major = max(lines.z, lines.w) * room.y * part;
    let axes = clamp(1.0 - abs(p.yx) * inverse.yx / 1.2, vec2<f32>(0.0), vec2<f32>(1.0)) * part;
    var color = vec4<f32>(frame.grid_minor.rgb, minor);
    color = mix(color, vec4<f32>(frame.grid_major.rgb, 1.0), major);
    color = mix(color, vec4<f32>(frame.axis_x.rgb, 1.0), axes.x);
    color = mix(color, vec4<f32>(frame.axis_z.rgb, 1.0), axes.y);
    let distance = length(vec3<f32>(in.ground.x, 0.0, in.ground.y) - frame.eye.xyz);
    let fade = clamp(1.0 - distance / frame.key.w, 0.0, 1.0);
    return vec4<f32>(color.rgb, color.a * fade * fade);
}

// Soft shadow of the model on the ground: black, with the occluded fraction of the key light as
// alpha.
@fragment
fn fragment_shadow(in: Fragment) -> @location(0) vec4<f32> {
    let p = (frame.shadow_from_world * vec4<f32>(in.ground.x, 0.0, in.ground.y, 1.0)).xyz;
    let uv = p.xy * vec2<f32>(0.5, -0.5) + 0.5;
    var sum = 0.0;
    for (var k = 0; k < 16; k += 1) {
        // Vogel's disk: samples uniform over the area.
        let radius = sqrt((f32(k) + 0.5) / 16.0) * 0.012;
        let angle = f32(k) * 2.3999632;
        let at = uv + vec2<f32>(cos(angle), sin(angle)) * radius;
        sum += 1.0 - textureSampleCompareLevel(shadow_map, shadow_sampler, at, p.z - 0.001);
    }
    let edge = min(min(uv.x, 1.0 - uv.x), min(uv.y, 1.0 - uv.y));
    return vec4<f32>(0.0, 0.0, 0.0, 0.42 * sum / 16.0 * smoothstep(0.0, 0.02, edge));
}
