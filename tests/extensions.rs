//! What the extensions of glTF mean to Ulna: read into the model, and kept.

mod common;

use common::{floats, glb};
use serde_json::{Value, json};
use ulna::session::Session;

fn open(json: Value, bin: &[u8]) -> Session {
    Session::open_bytes(&glb(json, bin)).expect("a file that opens")
}

#[test]
fn quantized_attributes_stand_for_the_numbers_of_the_specification() {
    // KHR_mesh_quantization: each integer type, normalised and not; three vertices of four integers, the last a filler.
    type Decoded = fn(&[u8]) -> f32;
    let cases: [(u32, bool, Decoded); 8] = [
        (5120, false, |b| f32::from(b[0].cast_signed())),
        (5120, true, |b| (f32::from(b[0].cast_signed()) / 127.0).max(-1.0)),
        (5121, false, |b| f32::from(b[0])),
        (5121, true, |b| f32::from(b[0]) / 255.0),
        (5122, false, |b| f32::from(i16::from_le_bytes([b[0], b[1]]))),
        (5122, true, |b| (f32::from(i16::from_le_bytes([b[0], b[1]])) / 32767.0).max(-1.0)),
        (5123, false, |b| f32::from(u16::from_le_bytes([b[0], b[1]]))),
        (5123, true, |b| f32::from(u16::from_le_bytes([b[0], b[1]])) / 65535.0),
    ];
    for (component, normalized, wanted) in cases {
        let size = if component < 5122 { 1 } else { 2 };
        let bin: Vec<u8> = (0..12 * size).map(|k| (k * 77 + 128) as u8).collect();
        let accessor = |kind: &str| json!({"bufferView": 0, "componentType": component, "normalized": normalized, "count": 3, "type": kind});
        let session = open(
            json!({
                "extensionsUsed": ["KHR_mesh_quantization"],
                "extensionsRequired": ["KHR_mesh_quantization"],
                "bufferViews": [{"buffer": 0, "byteLength": bin.len(), "byteStride": 4 * size}],
                "accessors": [accessor("VEC3"), accessor("VEC2")],
                "meshes": [{"primitives": [{
                    "attributes": {"POSITION": 0, "NORMAL": 0, "TEXCOORD_0": 1},
                    "targets": [{"POSITION": 0, "NORMAL": 0}],
                }]}],
                "nodes": [{"mesh": 0}],
            }),
            &bin,
        );
        let primitive = &session.document().meshes[0].primitives[0];
        for vertex in 0..3 {
            let numbers: Vec<f32> = (0..3).map(|k| wanted(&bin[(vertex * 4 + k) * size..])).collect();
            let close =
                |found: &[f32]| found.iter().zip(&numbers).all(|(a, b)| (a - b).abs() <= 1e-6 * b.abs().max(1.0));
            assert!(close(&primitive.positions[vertex].to_array()), "{component} {normalized}");
            assert!(close(&primitive.normals[vertex].to_array()), "{component} {normalized}");
            assert!(close(&primitive.uv0[vertex].to_array()), "{component} {normalized}");
            assert!(close(&primitive.targets[0].positions[vertex].to_array()), "{component} {normalized}");
        }
    }
}

#[test]
fn a_damaged_packed_view_costs_what_needs_it_and_nothing_else() {
    let positions = floats(&[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0]);
    let bin = [positions.as_slice(), &[0xa0, 1, 2, 3]].concat();
    let packed =
        json!({"buffer": 0, "byteOffset": 36, "byteLength": 4, "byteStride": 12, "count": 3, "mode": "ATTRIBUTES"});
    for extension in ["EXT_meshopt_compression", "KHR_meshopt_compression"] {
        let json = json!({
            "extensionsUsed": [extension],
            "extensionsRequired": [extension],
            "bufferViews": [
                {"buffer": 0, "byteLength": 36},
                {"buffer": 1, "byteLength": 36, "extensions": {extension: packed}},
            ],
            "accessors": [
                {"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3", "min": [0, 0, 0], "max": [1, 1, 0]},
                {"bufferView": 1, "componentType": 5126, "count": 3, "type": "VEC3"},
            ],
            "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}, {"attributes": {"POSITION": 1}}]}],
            "nodes": [{"mesh": 0}],
        });
        let mut glb: Value = json;
        glb["asset"] = json!({"version": "2.0"});
        glb["buffers"] = json!([{"byteLength": bin.len()}, {"byteLength": 36}]);
        let bytes = ulna::formats::gltf::build_glb(glb.to_string().as_bytes(), Some(&bin), &[], 0).expect("a file");
        let session = Session::open_bytes(&bytes).expect("a file that opens");
        let primitives = &session.document().meshes[0].primitives;
        assert_eq!((primitives[0].positions.len(), primitives[1].positions.len()), (3, 0));
        let found: Vec<&str> = session.diagnostics.iter().map(|d| d.place.as_str()).collect();
        assert_eq!(found, ["bufferViews/1", "meshes/0/primitives/1"]);
        assert!(session.diagnostics[0].message.contains(extension), "{}", session.diagnostics[0].message);
    }
}
