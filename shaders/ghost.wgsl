// A surface at another moment: one flat color, faint, with a stronger rim, so that its outline tells where it is.

struct Ghost {
    // Linear; w: how much of it there is.
    color: vec4<f32>,
};

@group(1) @binding(0) var<uniform> ghost: Ghost;

struct Fragment {
    // Its depth is laid down first, and must be found again.
    @invariant @builtin(position) clip: vec4<f32>,
    @location(0) world: vec3<f32>,
    @location(1) normal: vec3<f32>,
};

// A hair farther than it is: what stands as the model does hides behind it.
@vertex
fn vertex(@location(0) position: vec3<f32>, @location(1) normal: vec3<f32>, place: Place) -> Fragment {
    var out: Fragment;
    out.world = point_at(place, position);
    let farther = toward_eye(out.world) * distance(frame.eye.xyz, out.world) * 0.002;
    out.clip = frame.clip_from_world * vec4<f32>(out.world - farther, 1.0);
    out.normal = normal_at(place, normal);
    return out;
}

@fragment
fn fragment(in: Fragment) -> @location(0) vec4<f32> {
    let facing = abs(dot(in.normal / max(length(in.normal), 1e-6), toward_eye(in.world)));
    let away = 1.0 - facing;
    let strength = mix(0.3, 0.8, away * away);
    return vec4<f32>(ghost.color.rgb * (0.6 + 0.4 * facing), ghost.color.a * strength);
}
