// Bind group of one material: its parameters and textures.

// Keep in sync with `MaterialUniform` in crates/ulna-render/src/material.rs.
struct Material {
    base_color: vec4<f32>,
    // rgb: emissive color; a: alpha cutoff, negative if there is none
    emissive: vec4<f32>,
    // x: metallic; y: roughness; zw: unused
    surface: vec4<f32>,
    // Rows of the texture transforms: base color, metallic-roughness, emission, normal map,
    // occlusion.
    // w of the first row: texture coordinate set, 0 or 1
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
    // x: 1 if the part is mirrored, which swaps front and back faces; y: 1 if alpha is ignored
    // (opaque); z: scale of the normal map; w: strength of the occlusion
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

// Texture coordinates after the material's texture transform. The set is chosen by `u.w`.
fn placed_uv(u: vec4<f32>, v: vec4<f32>, uv0: vec2<f32>, uv1: vec2<f32>) -> vec2<f32> {
    let uv = select(uv0, uv1, u.w > 0.5);
    return vec2<f32>(dot(u.xyz, vec3<f32>(uv, 1.0)), dot(v.xyz, vec3<f32>(uv, 1.0)));
}
