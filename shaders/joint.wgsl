// Joints as octahedra from head to tail, drawn over the mesh. There is one instance per bone, with
// 24 vertices: three per face.

struct Bone {
    @location(0) head: vec3<f32>,
    @location(1) tail: vec3<f32>,
    // Half of the largest width, in meters. A negative value draws a stick with this half width.
    @location(2) width: f32,
    @location(3) color: vec4<f32>,
    @location(4) edge: vec4<f32>,
};

struct Fragment {
    @builtin(position) clip: vec4<f32>,
    @location(0) world: vec3<f32>,
    @location(1) bary: vec3<f32>,
    @location(2) @interpolate(flat) color: vec4<f32>,
    @location(3) @interpolate(flat) edge: vec4<f32>,
    @location(4) @interpolate(flat) normal: vec3<f32>,
};

@vertex
fn vertex(@builtin(vertex_index) index: u32, bone: Bone) -> Fragment {
    let along = bone.tail - bone.head;
    let length = max(length(along), 1e-9);
    let y = along / length;
    var helper = vec3<f32>(0.0, 0.0, 1.0);
    if abs(y.z) > 0.9 {
        helper = vec3<f32>(1.0, 0.0, 0.0);
    }
    let x = normalize(cross(helper, y));
    let z = cross(x, y);
    let middle = bone.head + along * 0.16;
    let face = index / 3u;
    let corner = index % 3u;
    let side = face % 4u;
    let a0 = f32(side) * 1.5707963;
    let a1 = f32(side + 1u) * 1.5707963;
    let p0 = middle + (x * cos(a0) + z * sin(a0)) * bone.width;
    let p1 = middle + (x * cos(a1) + z * sin(a1)) * bone.width;
    let tip = select(bone.tail, bone.head, face >= 4u);
    var p = tip;
    if corner == 1u { p = p0; }
    if corner == 2u { p = p1; }
    var n = cross(p0 - tip, p1 - tip);
    if dot(n, (p0 + p1) * 0.5 - middle) < 0.0 {
        n = -n;
    }
    var bary = vec3<f32>(f32(corner == 0u), f32(corner == 1u), f32(corner == 2u));
    if bone.width < 0.0 {
        // A stick: a prism with two triangles per side, without edges.
        let o0 = (x * cos(a0) + z * sin(a0)) * -bone.width;
        let o1 = (x * cos(a1) + z * sin(a1)) * -bone.width;
        let near = select(bone.head + o0, bone.head + o1, corner == 1u);
        let far = select(bone.tail + o1, bone.tail + o0, corner == 1u);
        let low = select(near, bone.tail + o0, corner == 2u);
        let high = select(far, bone.head + o1, corner == 2u);
        p = select(low, high, face >= 4u);
        n = o0 + o1;
        bary = vec3<f32>(1.0);
    }
    var out: Fragment;
    out.clip = frame.clip_from_world * vec4<f32>(p, 1.0);
    out.world = p;
    out.bary = bary;
    out.color = bone.color;
    out.edge = bone.edge;
    out.normal = normalize(n);
    return out;
}

@fragment
fn fragment(in: Fragment) -> @location(0) vec4<f32> {
    let v = toward_eye(in.world);
    let light = 0.55 + 0.45 * abs(dot(in.normal, v)) + 0.12 * in.normal.y;
    let width = fwidth(in.bary);
    let near = in.bary / max(width, vec3<f32>(1e-6));
    let edge = (1.0 - smoothstep(0.4, 1.4, min(near.x, min(near.y, near.z)))) * frame.misc.x;
    // The edge is composited over the face, so that it keeps its alpha where faces are nearly
    // transparent.
    let line = edge * in.edge.a;
    let face = in.color.a * (1.0 - line);
    let alpha = line + face;
    return vec4<f32>((in.edge.rgb * line + in.color.rgb * light * face) / max(alpha, 1e-4), alpha);
}
