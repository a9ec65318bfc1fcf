// Morphs and skins one primitive into scene space, once per change of its pose or weights.
//
// p' = Σ w·T·p. Normals are transformed by the cofactor matrix of Σ w·T times the sign of its
// determinant. Keep in sync with the reference implementation in
// crates/ulna-motion/src/skinning.rs, and `Params` with `SkinParams` in
// crates/ulna-render/src/skin.rs.

struct Params {
    vertex_count: u32,
    // Number of influences per vertex. 0: the primitive is rigid and uses the first matrix of the
    // palette.
    slots: u32,
    // Number of morph targets with nonzero weight.
    active_targets: u32,
    joint_count: u32,
    // 1 if tangents are posed too.
    has_tangents: u32,
};

@group(0) @binding(0) var<uniform> params: Params;
// Position and normal, six floats per vertex.
@group(0) @binding(1) var<storage, read> base: array<f32>;
// Joint index and weight bits, `slots` per vertex.
@group(0) @binding(2) var<storage, read> influences: array<vec2<u32>>;
// Rows of `scene_from_mesh`, three per joint.
@group(0) @binding(3) var<storage, read> palette: array<vec4<f32>>;
// Position and normal deltas, six floats per vertex, one target after another.
@group(0) @binding(4) var<storage, read> deltas: array<f32>;
// Target index and weight bits of active morph targets.
@group(0) @binding(5) var<storage, read> active_list: array<vec2<u32>>;
@group(0) @binding(6) var<storage, read_write> posed: array<f32>;
// xyz: tangent; w: sign of the bitangent
@group(0) @binding(7) var<storage, read> base_tangents: array<vec4<f32>>;
@group(0) @binding(8) var<storage, read_write> posed_tangents: array<vec4<f32>>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    let vertex = id.x + id.y * groups.x * 64u;
    if vertex >= params.vertex_count {
        return;
    }
    let at = vertex * 6u;
    var p = vec3<f32>(base[at], base[at + 1u], base[at + 2u]);
    var n = vec3<f32>(base[at + 3u], base[at + 4u], base[at + 5u]);
    for (var k = 0u; k < params.active_targets; k += 1u) {
        let entry = active_list[k];
        let w = bitcast<f32>(entry.y);
        let d = (entry.x * params.vertex_count + vertex) * 6u;
        p += w * vec3<f32>(deltas[d], deltas[d + 1u], deltas[d + 2u]);
        n += w * vec3<f32>(deltas[d + 3u], deltas[d + 4u], deltas[d + 5u]);
    }
    var r0 = palette[0];
    var r1 = palette[1];
    var r2 = palette[2];
    if params.slots > 0u {
        r0 = vec4<f32>(0.0);
        r1 = vec4<f32>(0.0);
        r2 = vec4<f32>(0.0);
        for (var k = 0u; k < params.slots; k += 1u) {
            let entry = influences[vertex * params.slots + k];
            let w = bitcast<f32>(entry.y);
            if w != 0.0 && entry.x < params.joint_count {
                let row = entry.x * 3u;
                r0 += w * palette[row];
                r1 += w * palette[row + 1u];
                r2 += w * palette[row + 2u];
            }
        }
    }
    let q = vec4<f32>(p, 1.0);
    let moved = vec3<f32>(dot(r0, q), dot(r1, q), dot(r2, q));
    // The rows of the cofactor matrix are cross products of the rows.
    let c0 = cross(r1.xyz, r2.xyz);
    let c1 = cross(r2.xyz, r0.xyz);
    let c2 = cross(r0.xyz, r1.xyz);
    var turned = vec3<f32>(dot(c0, n), dot(c1, n), dot(c2, n));
    let mirrored = dot(r0.xyz, c0) < 0.0;
    if mirrored {
        turned = -turned;
    }
    // Divide by the largest element first: the squared cofactors of a small scale would underflow.
    let largest = max(max(abs(turned.x), abs(turned.y)), abs(turned.z));
    if largest > 0.0 {
        turned = normalize(turned / largest);
    }
    posed[at] = moved.x;
    posed[at + 1u] = moved.y;
    posed[at + 2u] = moved.z;
    posed[at + 3u] = turned.x;
    posed[at + 4u] = turned.y;
    posed[at + 5u] = turned.z;
    if params.has_tangents > 0u {
        let t = base_tangents[vertex];
        var along = vec3<f32>(dot(r0.xyz, t.xyz), dot(r1.xyz, t.xyz), dot(r2.xyz, t.xyz));
        let longest = max(max(abs(along.x), abs(along.y)), abs(along.z));
        if longest > 0.0 {
            along = normalize(along / longest);
        }
        posed_tangents[vertex] = vec4<f32>(along, select(t.w, -t.w, mirrored));
    }
}
