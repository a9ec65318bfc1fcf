// Onion skins: the model posed at another time, in one transparent color with a stronger rim that
// makes the outline visible.

struct Ghost {
    // rgb: linear color; w: opacity, 0..=1
    color: vec4<f32>,
};

@group(1) @binding(0) var<uniform> ghost: Ghost;

struct Fragment {
    // Invariant: a depth prepass must produce exactly the same depth.
    @invariant @builtin(position) clip: vec4<f32>,
    @location(0) world: vec3<f32>,
    @location(1) normal: vec3<f32>,
};

// Moves the ghost slightly away from the camera, so that it is hidden where its pose equals the
// model's.
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
