// Outline around selected surfaces: pixels outside the mask, up to the outline width away from it.

@group(1) @binding(0) var mask: texture_2d<f32>;

@vertex
fn vertex(@builtin(vertex_index) index: u32) -> @builtin(position) vec4<f32> {
    let corner = vec2<f32>(f32((index << 1u) & 2u), f32(index & 2u)) * 2.0 - 1.0;
    return vec4<f32>(corner, 0.5, 1.0);
}

@fragment
fn fragment(@builtin(position) at: vec4<f32>) -> @location(0) vec4<f32> {
    let most = vec2<i32>(textureDimensions(mask)) - 1;
    let here = vec2<i32>(at.xy);
    let own = textureLoad(mask, here, 0).r;
    let reach = frame.outline.w;
    let steps = i32(ceil(reach));
    var near = 0.0;
    for (var y = -steps; y <= steps; y += 1) {
        for (var x = -steps; x <= steps; x += 1) {
            let away = length(vec2<f32>(f32(x), f32(y)));
            let found = textureLoad(mask, clamp(here + vec2<i32>(x, y), vec2<i32>(0), most), 0).r;
            near = max(near, found * clamp(reach + 0.5 - away, 0.0, 1.0));
        }
    }
    let line = near * (1.0 - own);
    if line < 0.004 {
        discard;
    }
    return vec4<f32>(frame.outline.rgb, line);
}
