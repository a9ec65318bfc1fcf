// Shaded surfaces: metallic-roughness under a soft sky, a key and a rim light. Linear colour in, linear colour out.

// Keep in sync with `MaterialUniform` in src/render/material.rs.
struct Material {
    base_color: vec4<f32>,
    // rgb: light given off, a: alpha cut-off (below 0: none)
    emissive: vec4<f32>,
    // metallic, roughness, 1: unlit, 1: double-sided
    surface: vec4<f32>,
    // Rows of the texture transforms: base colour, metallic-roughness, emission, normals, occlusion; w: which coordinates.
    base_u: vec4<f32>,
    base_v: vec4<f32>,
    rough_u: vec4<f32>,
    rough_v: vec4<f32>,
    glow_u: vec4<f32>,
    glow_v: vec4<f32>,
    bump_u: vec4<f32>,
    bump_v: vec4<f32>,
    shade_u: vec4<f32>,
    shade_v: vec4<f32>,
    // x: 1 where the part is mirrored, so that its front is its back; y: 1 where alpha is opaque; z: scale of the normal
    // map; w: strength of the occlusion
    part: vec4<f32>,
};

@group(1) @binding(0) var<uniform> material: Material;
@group(1) @binding(1) var base_texture: texture_2d<f32>;
@group(1) @binding(2) var base_sampler: sampler;
@group(1) @binding(3) var rough_texture: texture_2d<f32>;
@group(1) @binding(4) var rough_sampler: sampler;
@group(1) @binding(5) var glow_texture: texture_2d<f32>;
@group(1) @binding(6) var glow_sampler: sampler;
@group(1) @binding(7) var bump_texture: texture_2d<f32>;
@group(1) @binding(8) var bump_sampler: sampler;
@group(1) @binding(9) var shade_texture: texture_2d<f32>;
@group(1) @binding(10) var shade_sampler: sampler;

struct Vertex {
    @location(0) position: vec3<f32>,
    @location(1) normal: vec3<f32>,
    @location(2) uv0: vec2<f32>,
    @location(3) uv1: vec2<f32>,
    @location(4) color: vec4<f32>,
};

struct Fragment {
    @builtin(position) clip: vec4<f32>,
    @location(0) world: vec3<f32>,
    @location(1) normal: vec3<f32>,
    @location(2) uv0: vec2<f32>,
    @location(3) uv1: vec2<f32>,
    @location(4) color: vec4<f32>,
    // Direction along u, and in w the side of the bitangent; all 0 where there is no normal map.
    @location(5) tangent: vec4<f32>,
};

@vertex
fn vertex(in: Vertex) -> Fragment {
    return placed(in, vec4<f32>(0.0));
}

@vertex
fn vertex_bumped(in: Vertex, @location(5) tangent: vec4<f32>) -> Fragment {
    return placed(in, tangent);
}

fn placed(in: Vertex, tangent: vec4<f32>) -> Fragment {
    var out: Fragment;
    out.clip = frame.clip_from_world * vec4<f32>(in.position, 1.0);
    out.world = in.position;
    out.normal = in.normal;
    out.uv0 = in.uv0;
    out.uv1 = in.uv1;
    out.color = in.color;
    out.tangent = tangent;
    return out;
}

fn place(u: vec4<f32>, v: vec4<f32>, in: Fragment) -> vec2<f32> {
    let uv = select(in.uv0, in.uv1, u.w > 0.5);
    return vec2<f32>(dot(u.xyz, vec3<f32>(uv, 1.0)), dot(v.xyz, vec3<f32>(uv, 1.0)));
}

// A small sky: light from above is cool and bright, from below warm and dim.
fn sky(direction: vec3<f32>, roughness: f32) -> vec3<f32> {
    let up = direction.y * 0.5 + 0.5;
    let ground = vec3<f32>(0.26, 0.24, 0.23);
    let horizon = vec3<f32>(0.62, 0.63, 0.66);
    let zenith = vec3<f32>(0.86, 0.92, 1.02);
    let low = mix(ground, horizon, smoothstep(0.0, 0.55, up));
    let sharp = mix(low, zenith, smoothstep(0.45, 1.0, up));
    // A broad soft box in front and to the right, for a highlight that glides over curved skin.
    let window = smoothstep(0.75, 0.98, dot(direction, normalize(vec3<f32>(0.55, 0.62, 0.56))));
    return sharp + vec3<f32>(1.5, 1.45, 1.35) * window * (1.0 - roughness) * (1.0 - roughness);
}

// Karis, Physically Based Shading on Mobile (2014): the split-sum environment BRDF without a table.
fn environment_brdf(f0: vec3<f32>, roughness: f32, facing: f32) -> vec3<f32> {
    let r = roughness * vec4<f32>(-1.0, -0.0275, -0.572, 0.022) + vec4<f32>(1.0, 0.0425, 1.04, -0.04);
    let a = min(r.x * r.x, exp2(-9.28 * facing)) * r.x + r.y;
    let scale = vec2<f32>(-1.04, 1.04) * a + r.zw;
    return f0 * scale.x + scale.y;
}

// GGX with the Smith visibility term (Heitz 2014) and Schlick's Fresnel: glTF 2.0, appendix B.
fn lit_by(light: vec3<f32>, color: vec3<f32>, n: vec3<f32>, v: vec3<f32>, diffuse: vec3<f32>, f0: vec3<f32>, roughness: f32) -> vec3<f32> {
    let h = normalize(light + v);
    let nl = max(dot(n, light), 0.0);
    let nv = max(dot(n, v), 1e-4);
    let nh = max(dot(n, h), 0.0);
    let vh = max(dot(v, h), 0.0);
    let a = max(roughness * roughness, 0.002);
    let a2 = a * a;
    let d = nh * nh * (a2 - 1.0) + 1.0;
    let distribution = a2 / (3.14159265 * d * d);
    let visibility = 0.5 / (nl * sqrt(nv * nv * (1.0 - a2) + a2) + nv * sqrt(nl * nl * (1.0 - a2) + a2) + 1e-5);
    let fresnel = f0 + (1.0 - f0) * pow(1.0 - vh, 5.0);
    return color * nl * (diffuse * (1.0 - fresnel) / 3.14159265 + fresnel * distribution * visibility);
}

// Light above 0.7 is rolled off towards 1, so that pale skin keeps its form.
fn shoulder(color: vec3<f32>) -> vec3<f32> {
    let over = max(color - 0.7, vec3<f32>(0.0));
    return min(color, vec3<f32>(0.7)) + over / (1.0 + over / 0.3);
}

@fragment
fn fragment(in: Fragment, @builtin(front_facing) front_facing: bool) -> @location(0) vec4<f32> {
    let front = front_facing != (material.part.x > 0.5);
    let base = material.base_color * in.color * textureSample(base_texture, base_sampler, place(material.base_u, material.base_v, in));
    let rough = textureSample(rough_texture, rough_sampler, place(material.rough_u, material.rough_v, in));
    let glow = textureSample(glow_texture, glow_sampler, place(material.glow_u, material.glow_v, in));
    let bump = textureSample(bump_texture, bump_sampler, place(material.bump_u, material.bump_v, in)).xyz * 2.0 - 1.0;
    let shade = textureSample(shade_texture, shade_sampler, place(material.shade_u, material.shade_v, in)).r;
    // A surface without a normal is a line or a point: it has no back.
    let has_normal = dot(in.normal, in.normal) > 0.25;
    if !front && material.surface.w < 0.5 && has_normal {
        discard;
    }
    if material.emissive.a >= 0.0 && base.a < material.emissive.a {
        discard;
    }
    let alpha = select(base.a, 1.0, material.part.y > 0.5);
    let emission = material.emissive.rgb * glow.rgb;
    if material.surface.z > 0.5 || !has_normal {
        return vec4<f32>(base.rgb + emission, alpha);
    }
    var n = normalize(in.normal);
    if dot(in.tangent.xyz, in.tangent.xyz) > 0.25 {
        // As MikkTSpace asks: the interpolated directions, not made square again.
        let side = select(-1.0, 1.0, in.tangent.w >= 0.0);
        let bitangent = cross(in.normal, in.tangent.xyz) * side;
        let turned = bump.x * material.part.z * in.tangent.xyz + bump.y * material.part.z * bitangent + bump.z * in.normal;
        n = normalize(turned + n * 1e-5);
    }
    if !front {
        n = -n;
    }
    let v = normalize(frame.eye.xyz - in.world);
    let metallic = clamp(material.surface.x * rough.b, 0.0, 1.0);
    let roughness = clamp(material.surface.y * rough.g, 0.045, 1.0);
    let diffuse = base.rgb * (1.0 - metallic);
    let f0 = mix(vec3<f32>(0.04), base.rgb, metallic);
    let facing = clamp(dot(n, v), 0.0, 1.0);
    // Occlusion dims what comes from the sky, not what comes from a light (glTF 2.0, *Additional Textures*).
    let open = 1.0 + material.part.w * (shade - 1.0);
    var color = diffuse * sky(n, 1.0) * 0.5 * open;
    color += environment_brdf(f0, roughness, facing) * sky(reflect(-v, n), roughness) * mix(0.6, 1.0, 1.0 - roughness) * open;
    color += lit_by(frame.key.xyz, vec3<f32>(2.0, 1.94, 1.84), n, v, diffuse, f0, roughness);
    // A cool light from behind draws the outline of the form.
    let back = normalize(vec3<f32>(-frame.key.x, 0.45, -frame.key.z));
    color += lit_by(back, vec3<f32>(0.55, 0.62, 0.75), n, v, diffuse, f0, max(roughness, 0.4));
    return vec4<f32>(shoulder(color) + emission, alpha);
}
