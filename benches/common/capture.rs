//! A file similar to a motion capture, for benchmarks of the window.

use serde_json::json;

use super::glb;

/// Builds a file with a chain of joints, and three tracks per joint. Each track has `keys` keys at
/// 30 per second. All tracks of one property share their accessors.
pub fn capture(joints: usize, keys: usize, mix: &serde_json::Value) -> Vec<u8> {
    let mut bin: Vec<u8> = Vec::new();
    let mut views = Vec::new();
    let mut accessors = Vec::new();
    let mut add = |values: Vec<f32>, kind: &str, width: usize| {
        let from = bin.len();
        values.iter().for_each(|v| bin.extend(v.to_le_bytes()));
        views.push(json!({"buffer": 0, "byteOffset": from, "byteLength": bin.len() - from}));
        let mut accessor = json!({
            "bufferView": views.len() - 1, "componentType": 5126, "count": values.len() / width,
                "type": kind
        });
        if width == 1 {
            accessor["min"] = json!([values[0]]);
            accessor["max"] = json!([values[values.len() - 1]]);
        }
        accessors.push(accessor);
    };
    add((0..keys).map(|k| k as f32 / 30.0).collect(), "SCALAR", 1);
    let wave = |k: usize| (k as f32 * 0.07).sin();
    add((0..keys).flat_map(|k| [wave(k), 0.1 * wave(k + 9), wave(k + 30)]).collect(), "VEC3", 3);
    let turn = |k: usize| {
        let axis = [0.3 * wave(k + 7), 0.2 * wave(k + 50), wave(k)];
        let length = (1.0 + axis.iter().map(|a| a * a).sum::<f32>()).sqrt();
        [axis[0] / length, axis[1] / length, axis[2] / length, 1.0 / length]
    };
    add((0..keys).flat_map(turn).collect(), "VEC4", 4);
    let size = |k: usize| 1.0 + 0.1 * wave(k);
    add((0..keys).flat_map(|k| [size(k), size(k + 11), size(k + 23)]).collect(), "VEC3", 3);
    let nodes: Vec<_> = (0..joints)
        .map(|k| {
            let below = if k + 1 < joints { json!([k + 1]) } else { json!([]) };
            let mut node = json!({"name": format!("joint {k}")});
            if below != json!([]) {
                node["children"] = below;
            }
            node
        })
        .collect();
    let (mut channels, mut samplers) = (Vec::new(), Vec::new());
    for node in 0..joints {
        for (k, path) in ["translation", "rotation", "scale"].into_iter().enumerate() {
            channels
                .push(json!({"sampler": samplers.len(), "target": {"node": node, "path": path}}));
            samplers.push(json!({"input": 0, "output": k + 1}));
        }
    }
    let document = json!({
        "asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0], "extras": mix}],
            "nodes": nodes,
        "animations": [{"name": "capture", "channels": channels, "samplers": samplers}],
        "buffers": [{"byteLength": bin.len()}], "bufferViews": views, "accessors": accessors
    });
    glb(&document, &bin)
}
