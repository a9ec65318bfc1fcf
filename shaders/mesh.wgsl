// Shaded surfaces: the metallic-roughness model under a soft sky, a key light and a rim light.
// Input and output colors are linear.

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
    // xyz: tangent along u; w: sign of the bitangent; all 0 without a normal map
    @location(5) tangent: vec4<f32>,
};

@vertex
fn vertex(in: Vertex, place: Place) -> Fragment {
    return placed(in, place, vec4<f32>(0.0));
}

@vertex
fn vertex_bumped(in: Vertex, place: Place, @location(5) tangent: vec4<f32>) -> Fragment {
    let along = vec3<f32>(dot(place.x.xyz, tangent.xyz), dot(place.y.xyz, tangent.xyz), dot(place.z.xyz, tangent.xyz));
    let length = max(length(along), 1e-20);
    let side = select(1.0, -1.0, dot(place.x.xyz, cross(place.y.xyz, place.z.xyz)) < 0.0);
    return placed(in, place, vec4<f32>(along / length, tangent.w * side));
}

fn placed(in: Vertex, place: Place, tangent: vec4<f32>) -> Fragment {
    var out: Fragment;
    out.world = point_at(place, in.position);
    out.clip = frame.clip_from_world * vec4<f32>(out.world, 1.0);
    out.normal = normal_at(place, in.normal);
    out.uv0 = in.uv0;
    out.uv1 = in.uv1;
    out.color = in.color;
    out.tangent = tangent;
    return out;
}

// Base color of surfaces displayed without materials.
const CLAY = vec3<f32>(0.42, 0.425, 0.44);

fn place(u: vec4<f32>, v: vec4<f32>, in: Fragment) -> vec2<f32> {
    return placed_uv(u, v, in.uv0, in.uv1);
}

// Keep in sync with `LEVELS` in crates/ulna-render/src/sky.rs.
const SKY_LEVELS: f32 = 6.0;

// Features of the surface and its display, one bit each. The constant removes unused branches from
// the shader, because software devices execute all branches. Keep in sync with `features` in
// crates/ulna-render/src/pipeline.rs.
override features: u32 = 15u;

// Texture maps: roughness, emission, normals, occlusion. Missing maps are not sampled.
const ROUGH = 1u;
const GLOW = 2u;
const BUMP = 4u;
const SHADE = 8u;
// Alpha cutoff, unlit, flat shading.
const CUT = 16u;
const UNLIT = 32u;
const FLAT = 64u;
// Displayed without materials, and x-ray shading.
const PLAIN = 128u;
const XRAY = 256u;
// Lit by the lights of the file instead of the studio lights.
const LIGHTS = 512u;
// Fewer shadow samples.
const QUICK = 1024u;
// Darker and less saturated, for models displayed beside the edited one.
const DIMMED = 2048u;

fn has(feature: u32) -> bool {
    return (features & feature) != 0u;
}

// Fraction of the key light that reaches a point. Each depth comparison filters four texels.
fn key_reaches(world: vec3<f32>, n: vec3<f32>) -> f32 {
    let p = (frame.shadow_from_world * vec4<f32>(world + n * frame.misc.w, 1.0)).xyz;
    let uv = p.xy * vec2<f32>(0.5, -0.5) + 0.5;
    if any(uv < vec2<f32>(0.0)) || any(uv > vec2<f32>(1.0)) || frame.misc.w <= 0.0 {
        return 1.0;
    }
    let texel = 1.0 / f32(textureDimensions(shadow_map).x);
    var sum = 0.0;
    if has(QUICK) {
        for (var k = 0; k < 4; k += 1) {
            let corner = vec2<f32>(f32(k & 1), f32(k >> 1u)) - 0.5;
            sum += textureSampleCompareLevel(shadow_map, shadow_sampler, uv + corner * texel * 2.2, p.z);
        }
        return sum / 4.0;
    }
    for (var y = -1; y <= 1; y += 1) {
        for (var x = -1; x <= 1; x += 1) {
            let at = uv + vec2<f32>(f32(x), f32(y)) * texel * 1.4;
            sum += textureSampleCompareLevel(shadow_map, shadow_sampler, at, p.z);
        }
    }
    return sum / 9.0;
}

// Karis, Physically Based Shading on Mobile (2014): the split-sum environment BRDF without a table.
// x: scale of f0; y: bias.
fn environment_brdf(roughness: f32, facing: f32) -> vec2<f32> {
    let r = roughness * vec4<f32>(-1.0, -0.0275, -0.572, 0.022) + vec4<f32>(1.0, 0.0425, 1.04, -0.04);
    let a = min(r.x * r.x, exp2(-9.28 * facing)) * r.x + r.y;
    return vec2<f32>(-1.04, 1.04) * a + r.zw;
}

// Light that leaves a surface: diffuse (`matt`, not yet multiplied by the base color) and specular
// (`gloss`).
struct Lit {
    matt: vec3<f32>,
    gloss: vec3<f32>,
};

// GGX with the Smith visibility term (Heitz 2014) and Schlick's Fresnel: glTF 2.0, appendix B.
fn lit_by(light: vec3<f32>, color: vec3<f32>, n: vec3<f32>, v: vec3<f32>, f0: vec3<f32>, roughness: f32, gain: vec3<f32>) -> Lit {
    let h = normalize(light + v);
    let nl = max(dot(n, light), 0.0);
    let nv = max(dot(n, v), 1e-4);
    let nh = clamp(dot(n, h), 0.0, 1.0);
    let vh = clamp(dot(v, h), 0.0, 1.0);
    let a = max(roughness * roughness, 0.002);
    let a2 = a * a;
    let d = nh * nh * (a2 - 1.0) + 1.0;
    let distribution = a2 / (3.14159265 * d * d);
    let visibility = 0.5 / (nl * sqrt(nv * nv * (1.0 - a2) + a2) + nv * sqrt(nl * nl * (1.0 - a2) + a2) + 1e-5);
    let fresnel = f0 + (1.0 - f0) * pow(1.0 - vh, 5.0);
    let arriving = color * nl;
    return Lit(arriving * (1.0 - fresnel) / 3.14159265, arriving * fresnel * gain * distribution * visibility);
}

fn both(a: Lit, b: Lit) -> Lit {
    return Lit(a.matt + b.matt, a.gloss + b.gloss);
}

// Light of the file by KHR_lights_punctual. It has inverse-square falloff, and fades out smoothly
// at its range and at the edge of its cone.
fn lit_by_file(light: Light, world: vec3<f32>, n: vec3<f32>, v: vec3<f32>, f0: vec3<f32>, roughness: f32, gain: vec3<f32>) -> Lit {
    var toward = -light.direction.xyz;
    var reaches = 1.0;
    if light.position.w > 0.5 {
        let path = light.position.xyz - world;
        let distance = max(length(path), 1e-4);
        toward = path / distance;
        let part = distance * light.direction.w;
        let cone = clamp(dot(-toward, light.direction.xyz) * light.cone.x + light.cone.y, 0.0, 1.0);
        reaches = clamp(1.0 - part * part * part * part, 0.0, 1.0) / (distance * distance) * cone * cone;
    }
    return lit_by(toward, light.color.rgb * reaches, n, v, f0, roughness, gain);
}

// All light on a surface. `smooth_normal` is the normal without the normal map. `open` is the
// visible fraction of the sky, from the occlusion map.
fn light_of(f0: vec3<f32>, roughness: f32, open: f32, n: vec3<f32>, smooth_normal: vec3<f32>, world: vec3<f32>, v: vec3<f32>) -> Lit {
    let facing = clamp(dot(n, v), 0.0, 1.0);
    let sky = matt_light(n);
    let mirrored = textureSampleLevel(sky_texture, sky_sampler, reflect(-v, n), roughness * (SKY_LEVELS - 1.0)).rgb;
    // Multiple scattering between microfacets: Fdez-Agüera, A Multiple-Scattering Microfacet Model
    // for Real-Time Image-Based Lighting (2019). Without it, rough metal is far too dark.
    let split = environment_brdf(roughness, facing);
    let single = f0 * split.x + split.y;
    let kept = split.x + split.y;
    let average = f0 + (1.0 - f0) / 21.0;
    let multiple = single * average / (1.0 - (1.0 - kept) * average) * (1.0 - kept);
    var lit = Lit(sky * open, (single * mirrored + multiple * sky) * open);
    let gain = 1.0 + f0 * (1.0 / max(kept, 0.05) - 1.0);
    if has(LIGHTS) {
        for (var k = 0u; k < u32(frame.eye_forward.w); k += 1u) {
            lit = both(lit, lit_by_file(frame.lights[k], world, n, v, f0, roughness, gain));
        }
        return lit;
    }
    let key = vec3<f32>(2.0, 1.94, 1.84) * key_reaches(world, smooth_normal);
    lit = both(lit, lit_by(frame.key.xyz, key, n, v, f0, roughness, gain));
    // A faint fill light from the camera keeps the shape visible on the side that faces away from
    // the key light.
    lit = both(lit, lit_by(v, vec3<f32>(0.22, 0.23, 0.25), n, v, f0, max(roughness, 0.5), gain));
    // A cool rim light from behind makes the silhouette visible.
    let away = frame.eye_forward.xyz;
    let back = normalize(vec3<f32>(away.x, 0.45, away.z) + vec3<f32>(away.z, 0.0, -away.x) * 0.5);
    return both(lit, lit_by(back, vec3<f32>(0.55, 0.62, 0.75), n, v, f0, max(roughness, 0.4), gain));
}

// Compresses values above 0.7 toward 1, so that bright surfaces keep visible shading.
fn shoulder(color: vec3<f32>) -> vec3<f32> {
    let over = max(color - 0.7, vec3<f32>(0.0));
    return min(color, vec3<f32>(0.7)) + over / (1.0 + over / 0.3);
}

// Surface properties at a pixel.
struct Surface {
    base: vec3<f32>,
    alpha: f32,
    emission: vec3<f32>,
    metallic: f32,
    // 0 marks an unlit surface.
    roughness: f32,
    // Visible fraction of the sky, 0..=1.
    open: f32,
    // Normals with and without the normal map.
    n: vec3<f32>,
    smooth_normal: vec3<f32>,
};

fn surface_of(in: Fragment, front_facing: bool) -> Surface {
    let front = front_facing != (material.part.x > 0.5);
    // Derivatives must be computed before control flow diverges.
    let across = dpdx(in.world);
    let down = dpdy(in.world);
    let bump_at = place(material.bump_u, material.bump_v, in);
    let bump_across = dpdx(bump_at);
    let bump_down = dpdy(bump_at);
    let plain = has(PLAIN);
    var base = material.base_color * in.color * textureSample(base_texture, base_sampler, place(material.base_u, material.base_v, in));
    var rough = vec4<f32>(1.0);
    if has(ROUGH) {
        rough = textureSample(rough_texture, rough_sampler, place(material.rough_u, material.rough_v, in));
    }
    var glow = vec4<f32>(1.0);
    if has(GLOW) {
        glow = textureSample(glow_texture, glow_sampler, place(material.glow_u, material.glow_v, in));
    }
    var bump = vec3<f32>(0.0, 0.0, 1.0);
    if has(BUMP) {
        bump = textureSample(bump_texture, bump_sampler, bump_at).xyz * 2.0 - 1.0;
    }
    var shade = 1.0;
    if has(SHADE) {
        shade = textureSample(shade_texture, shade_sampler, place(material.shade_u, material.shade_v, in)).r;
    }
    // A surface without a normal is a line or a point. It has no back face.
    let has_normal = dot(in.normal, in.normal) > 0.25;
    if has(CUT) && base.a < material.emissive.a {
        discard;
    }
    var alpha = select(base.a, 1.0, material.part.y > 0.5);
    var emission = material.emissive.rgb * glow.rgb;
    if plain {
        base = vec4<f32>(CLAY, 1.0);
        emission = vec3<f32>(0.0);
        alpha = 1.0;
    }
    if has(DIMMED) {
        let gray = vec3<f32>(dot(base.rgb, vec3<f32>(0.2126, 0.7152, 0.0722)));
        base = vec4<f32>(mix(gray, base.rgb, 0.4) * 0.55, base.a);
        emission *= 0.4;
    }
    if has(UNLIT) || !has_normal {
        return Surface(base.rgb, alpha, emission, 0.0, 0.0, 1.0, vec3<f32>(0.0), vec3<f32>(0.0));
    }
    var n = normalize(in.normal);
    let v = toward_eye(in.world);
    var smooth_normal = n * select(-1.0, 1.0, front);
    if has(FLAT) {
        // Meshes without normals use flat shading (glTF 2.0, *Meshes*).
        let face = normalize(cross(down, across) + v * 1e-12);
        smooth_normal = face * select(-1.0, 1.0, dot(face, v) >= 0.0);
        n = smooth_normal * select(-1.0, 1.0, front);
        if has(BUMP) {
            // Schüler, Normal Mapping Without Precomputed Tangents (2013). Pixel rows increase
            // downward, which negates both directions. v increases downward too, which negates the
            // second direction again.
            let a = cross(down, n);
            let b = cross(n, across);
            let t = -(a * bump_across.x + b * bump_down.x);
            let w = a * bump_across.y + b * bump_down.y;
            let longest = max(dot(t, t), dot(w, w));
            let turned = (t * bump.x + w * bump.y) * material.part.z * inverseSqrt(max(longest, 1e-30)) + n * bump.z;
            n = normalize(turned + n * 1e-5);
        }
    } else if has(BUMP) && dot(in.tangent.xyz, in.tangent.xyz) > 0.25 {
        // MikkTSpace requires the interpolated directions without reorthogonalization.
        let side = select(-1.0, 1.0, in.tangent.w >= 0.0);
        let bitangent = cross(in.normal, in.tangent.xyz) * side;
        let turned = bump.x * material.part.z * in.tangent.xyz + bump.y * material.part.z * bitangent + bump.z * in.normal;
        n = normalize(turned + n * 1e-5);
    }
    if !front {
        n = -n;
    }
    let metallic = select(clamp(material.surface.x * rough.b, 0.0, 1.0), 0.0, plain);
    let roughness = select(clamp(material.surface.y * rough.g, 0.045, 1.0), 0.72, plain);
    // Occlusion reduces only indirect light from the sky (glTF 2.0, *Additional Textures*).
    let open = select(1.0 + material.part.w * (shade - 1.0), 1.0, plain);
    return Surface(base.rgb, alpha, emission, metallic, roughness, open, n, smooth_normal);
}

fn shaded(s: Surface, world: vec3<f32>) -> vec4<f32> {
    if s.roughness <= 0.0 {
        return vec4<f32>(s.base + s.emission, s.alpha);
    }
    let f0 = mix(vec3<f32>(0.04), s.base, s.metallic);
    let lit = light_of(f0, s.roughness, s.open, s.n, s.smooth_normal, world, toward_eye(world));
    let color = s.base * (1.0 - s.metallic) * lit.matt + lit.gloss;
    return vec4<f32>(shoulder(color) + s.emission, s.alpha);
}

@fragment
fn fragment(in: Fragment, @builtin(front_facing) front_facing: bool) -> @location(0) vec4<f32> {
    let s = surface_of(in, front_facing);
    if has(XRAY) && s.roughness > 0.0 {
        // X-ray: surfaces at grazing angles are more opaque, like glass.
        let edge = 1.0 - abs(dot(s.n, toward_eye(in.world)));
        return vec4<f32>(mix(CLAY, vec3<f32>(0.85, 0.9, 1.0), edge), mix(0.07, 0.6, edge * edge * edge));
    }
    return shaded(s, in.world);
}

// Deferred shading: see shaders/deferred.wgsl.
@fragment
fn fragment_kept(in: Fragment, @builtin(front_facing) front_facing: bool) -> @location(0) vec4<u32> {
    let s = surface_of(in, front_facing);
    return vec4<u32>(
        kept_color(s.base, s.metallic),
        kept_direction(s.n, s.open),
        kept_color(s.emission, s.roughness),
        bitcast<u32>(in.clip.z),
    );
}

@fragment
fn fragment_light(@builtin(position) at: vec4<f32>) -> @location(0) vec4<f32> {
    let kept = textureLoad(surfaces, vec2<i32>(at.xy), 0);
    let base = color_of_kept(kept.x);
    let glow = color_of_kept(kept.z);
    let n = direction_of(kept.y);
    let open = f32(kept.y >> 24u) / 255.0;
    let s = Surface(base.rgb, 1.0, glow.rgb, base.a, glow.a, open, n, n);
    return shaded(s, world_of(at.xy, bitcast<f32>(kept.w)));
}
