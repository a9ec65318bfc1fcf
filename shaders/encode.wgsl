// Converts linear colors to the gamma-encoded bytes that the window blends. Used on devices that
// cannot view a texture in another format.

@group(0) @binding(0) var picture: texture_2d<f32>;

@vertex
fn vertex(@builtin(vertex_index) index: u32) -> @builtin(position) vec4<f32> {
    let corner = vec2<f32>(f32((index << 1u) & 2u), f32(index & 2u)) * 2.0 - 1.0;
    return vec4<f32>(corner, 0.5, 1.0);
}

// The sRGB transfer function, IEC 61966-2-1.
@fragment
fn fragment(@builtin(position) at: vec4<f32>) -> @location(0) vec4<f32> {
    let light = textureLoad(picture, vec2<i32>(at.xy), 0);
    let high = 1.055 * pow(max(light.rgb, vec3<f32>(0.0031308)), vec3<f32>(1.0 / 2.4)) - 0.055;
    return vec4<f32>(select(high, light.rgb * 12.92, light.rgb <= vec3<f32>(0.0031308)), light.a);
}
