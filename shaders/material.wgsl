// One material: its numbers and its textures.

// Keep in sync with `MaterialUniform` in crates/ulna-render/src/material.rs.
struct Material {
    base_color: vec4<f32>,
    // rgb: light given off, a: alpha cut-off (below 0: none)
    emissive: vec4<f32>,
    // metallic, roughness, two that are free
    surface: vec4<f32>,
    // Rows of the texture transforms: base color, metallic-roughness, emission, normals, occlusion; w: which coordinates.
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
    // x: 1 where the part is mirrored, so that its front is its back; y: 1 where alpha is opaque; z: scale of the normal map;
    // w: strength of the occlusion
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

// A texture's coordinates, moved as the material says.
fn placed_uv(u: vec4<f32>, v: vec4<f32>, uv0: vec2<f32>, uv1: vec2<f32>) -> vec2<f32> {
    let uv = select(uv0, uv1, u.w > 0.5);
    return vec2<f32>(dot(u.xyz, vec3<f32>(uv, 1.0)), dot(v.xyz, vec3<f32>(uv, 1.0)));
}
