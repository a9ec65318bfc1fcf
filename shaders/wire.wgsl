// Surfaces without materials: edges alone, edges over tinted surfaces, and the mask for outlines.

struct Fragment {
    @builtin(position) clip: vec4<f32>,
    @location(0) world: vec3<f32>,
    @location(1) normal: vec3<f32>,
};

@vertex
fn vertex(@location(0) position: vec3<f32>, @location(1) normal: vec3<f32>, place: Place) -> Fragment {
    var out: Fragment;
    out.world = point_at(place, position);
    out.clip = frame.clip_from_world * vec4<f32>(out.world, 1.0);
    out.normal = normal_at(place, normal);
    return out;
}

// Edges on the far side are fainter, so that depth is visible.
@fragment
fn fragment(in: Fragment) -> @location(0) vec4<f32> {
    let length = length(in.normal);
    let facing = dot(in.normal / max(length, 1e-6), toward_eye(in.world));
    let near = select(0.6, smoothstep(-0.15, 0.25, facing), length > 0.25);
    return vec4<f32>(frame.wire.rgb, frame.wire.a * frame.misc.x * mix(0.13, 0.75, near));
}

// Moves edges slightly toward the camera, so that their own surface does not hide them.
@vertex
fn vertex_over(@location(0) position: vec3<f32>, place: Place) -> @builtin(position) vec4<f32> {
    let world = point_at(place, position);
    let nearer = toward_eye(world) * distance(frame.eye.xyz, world) * 0.001;
    return frame.clip_from_world * vec4<f32>(world + nearer, 1.0);
}

@fragment
fn fragment_over() -> @location(0) vec4<f32> {
    // The blend constant of the pass sets the opacity.
    return vec4<f32>(frame.tint_edge.rgb, 1.0);
}

@fragment
fn fragment_mask() -> @location(0) vec4<f32> {
    return vec4<f32>(1.0);
}
