//! glTF extensions: reading them into the model, and keeping them in the file.

use crate::common::{floats, glb};
use glam::Vec3;
use serde_json::{Value, json};
use ulna_edit::CommandLine;
use ulna_formats::gltf::{ExportOptions, export};
use ulna_model::{
    ClipId, DisplayChoice, Interpolation, LightKind, MeshId, NodeId, Projection, SceneId, VariantId,
};
use ulna_motion::{Pose, Stack};
use ulna_session::Session;

fn open(json: Value, bin: &[u8]) -> Session {
    Session::open_bytes(&glb(json, bin)).expect("a file that opens")
}

#[test]
fn quantized_attributes_decode_by_the_specification() {
    // KHR_mesh_quantization: every integer type, normalized and not. Each vertex has four integers,
    // of which the last one is padding.
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
        let accessor = |kind: &str| {
            json!({"bufferView": 0, "componentType": component,
                "normalized": normalized, "count": 3, "type": kind})
        };
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
        let primitive = &session.document().meshes[MeshId(0)].primitives[0];
        for vertex in 0..3 {
            let numbers: Vec<f32> =
                (0..3).map(|k| wanted(&bin[(vertex * 4 + k) * size..])).collect();
            let close = |found: &[f32]| {
                found.iter().zip(&numbers).all(|(a, b)| (a - b).abs() <= 1e-6 * b.abs().max(1.0))
            };
            assert!(close(&primitive.positions[vertex].to_array()), "{component} {normalized}");
            assert!(close(&primitive.normals[vertex].to_array()), "{component} {normalized}");
            assert!(close(&primitive.uv0[vertex].to_array()), "{component} {normalized}");
            assert!(
                close(&primitive.targets[0].positions[vertex].to_array()),
                "{component} {normalized}"
            );
        }
    }
}

#[test]
fn a_damaged_compressed_view_affects_only_data_that_uses_it() {
    let positions = floats(&[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0]);
    let bin = [positions.as_slice(), &[0xa0, 1, 2, 3]].concat();
    let packed = json!({"buffer": 0, "byteOffset": 36, "byteLength": 4, "byteStride": 12,
        "count": 3,
            "mode": "ATTRIBUTES"});
    for extension in ["EXT_meshopt_compression", "KHR_meshopt_compression"] {
        let json = json!({
            "extensionsUsed": [extension],
            "extensionsRequired": [extension],
            "bufferViews": [
                {"buffer": 0, "byteLength": 36},
                {"buffer": 1, "byteLength": 36, "extensions": {extension: packed}},
            ],
            "accessors": [
                {"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3",
                    "min": [0, 0, 0], "max": [1, 1, 0]},
                {"bufferView": 1, "componentType": 5126, "count": 3, "type": "VEC3"},
            ],
            "meshes": [{"primitives": [{"attributes": {"POSITION": 0}},
                {"attributes": {"POSITION": 1}}]}],
            "nodes": [{"mesh": 0}],
        });
        let mut glb: Value = json;
        glb["asset"] = json!({"version": "2.0"});
        glb["buffers"] = json!([{"byteLength": bin.len()}, {"byteLength": 36}]);
        let bytes = ulna_formats::gltf::build_glb(glb.to_string().as_bytes(), Some(&bin), &[], 0)
            .expect("a file");
        let session = Session::open_bytes(&bytes).expect("a file that opens");
        let primitives = &session.document().meshes[MeshId(0)].primitives;
        assert_eq!((primitives[0].positions.len(), primitives[1].positions.len()), (3, 0));
        let found: Vec<String> = session.diagnostics.iter().map(|d| d.place.to_string()).collect();
        assert_eq!(found, ["bufferViews/1", "meshes/0/primitives/1"]);
        assert!(
            session.diagnostics[0].message.contains(extension),
            "{}",
            session.diagnostics[0].message
        );
    }
}

#[test]
fn variants_change_only_the_material() {
    let mapping =
        |material: u32, variants: &[u32]| json!({"material": material, "variants": variants});
    let json = json!({
        "extensionsUsed": ["KHR_materials_variants"],
        "extensions": {"KHR_materials_variants": {"variants": [{"name": "Day"},
            {"name": "Night"}]}},
        "materials": [{}, {}, {}],
        "bufferViews": [{"buffer": 0, "byteLength": 36}],
        "accessors": [{"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3"}],
        "meshes": [{"primitives": [
            {"attributes": {"POSITION": 0}, "material": 0,
                "extensions": {"KHR_materials_variants": {
                "mappings": [mapping(1, &[1]), mapping(9, &[0]), mapping(2, &[7])]}}},
            {"attributes": {"POSITION": 0}, "material": 2},
            {"attributes": {"POSITION": 0}, "extensions": {"KHR_materials_variants": 3}},
        ]}],
        "nodes": [{"mesh": 0}],
    });
    let mut session = open(json, &floats(&[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0]));
    let document = session.document();
    assert_eq!(document.variants.iter().map(|v| &**v).collect::<Vec<_>>(), ["Day", "Night"]);
    let material = |k: usize, variant: Option<u32>| {
        document
            .material_of(&document.mesh(MeshId(0)).primitives[k], variant.map(VariantId))
            .map(|m| m.0)
    };
    assert_eq!(
        [None, Some(0), Some(1), Some(5)].map(|v| material(0, v)),
        [Some(0), Some(0), Some(1), Some(0)]
    );
    assert_eq!([None, Some(1)].map(|v| material(1, v)), [Some(2), Some(2)]);
    assert_eq!(material(2, Some(1)), None);
    // The file has a missing material, a missing variant, and an invalid extension.
    let codes: Vec<&str> = session.diagnostics.iter().map(|d| d.code).collect();
    assert_eq!(codes, ["UNRESOLVED_REFERENCE", "UNRESOLVED_REFERENCE", "SCHEMA_VIOLATION"]);

    // Choosing the displayed variant and scene does not change the file.
    let before = session.pack("x").expect("bytes").bytes;
    session.show(DisplayChoice { variant: Some(VariantId(1)), scene: Some(SceneId(4)) });
    assert_eq!(
        session.document().shown,
        DisplayChoice { variant: Some(VariantId(1)), scene: None }
    );
    assert!(!session.is_unsaved());
    assert_eq!(session.pack("x").expect("bytes").bytes, before);
}

#[test]
fn the_chosen_scene_is_displayed() {
    let mut session = open(
        json!({
            "scene": 1,
            "scenes": [{"name": "Hall", "nodes": [0, 1]}, {"nodes": [2]}],
            "nodes": [{"name": "a"}, {"name": "b"}, {"name": "c", "children": [3]}, {"name": "d"}],
        }),
        &[],
    );
    let shown = |session: &Session| -> Vec<u32> {
        session.document().shown_nodes().iter().map(|n| n.0).collect()
    };
    assert_eq!(shown(&session), [2, 3]);
    assert_eq!(session.document().shown_scene(), Some(SceneId(1)));
    session.show(DisplayChoice { scene: Some(SceneId(0)), variant: None });
    assert_eq!(shown(&session), [0, 1]);
    assert_eq!([0, 1].map(|k| session.document().scene_label(SceneId(k))), ["Hall", "scene 1"]);
    session.show(DisplayChoice::default());
    assert_eq!(shown(&session), [2, 3]);
}

#[test]
fn cameras_and_lights_follow_their_nodes_and_invalid_values_become_defaults() {
    let json = json!({
        "extensionsUsed": ["KHR_lights_punctual"],
        "extensions": {"KHR_lights_punctual": {"lights": [
            {"type": "directional", "name": "Sun", "color": [1.0, 0.9, 0.8], "intensity": 3.0},
            {"type": "spot", "range": 7.0, "spot": {"innerConeAngle": 0.1, "outerConeAngle": 0.3}},
            {"type": "point", "intensity": -4.0, "color": [-1.0, 0.0, 0.0]},
            {"type": "laser", "spot": {}},
        ]}},
        "cameras": [
            {"name": "Eye", "type": "perspective",
                "perspective": {"yfov": 0.7, "znear": 0.1, "zfar": 90.0, "aspectRatio": 1.5}},
            {"type": "orthographic",
                "orthographic": {"xmag": -2.0, "ymag": 1.0, "znear": 0.0, "zfar": 5.0}},
            {"type": "perspective", "perspective": {"yfov": -1.0, "znear": 0.1}},
        ],
        "nodes": [
            {"camera": 0},
            {"camera": 1, "extensions": {"KHR_lights_punctual": {"light": 1}}},
            {"camera": 8, "extensions": {"KHR_lights_punctual": {"light": 9}}},
        ],
    });
    let session = open(json, &[]);
    let document = session.document();
    let Projection::Perspective { yfov, aspect, near, far } = document.cameras[0].projection else {
        panic!()
    };
    assert_eq!((yfov, aspect, near, far), (0.7, Some(1.5), 0.1, Some(90.0)));
    let wanted = Projection::Orthographic { xmag: 2.0, ymag: 1.0, near: 0.0, far: 5.0 };
    assert_eq!(document.cameras[1].projection, wanted);
    assert!(
        matches!(document.cameras[2].projection, Projection::Perspective { yfov, .. } if yfov > 0.0)
    );
    assert_eq!(document.lights[0].color, Vec3::new(1.0, 0.9, 0.8));
    assert_eq!(
        (document.lights[0].kind, document.lights[0].intensity),
        (LightKind::Directional, 3.0)
    );
    assert_eq!(document.lights[1].kind, LightKind::Spot { inner: 0.1, outer: 0.3 });
    assert_eq!((document.lights[1].range, document.lights[0].range), (Some(7.0), None));
    assert_eq!((document.lights[2].intensity, document.lights[2].color), (1.0, Vec3::ONE));
    let at = |k: usize| {
        (document.node(k.into()).camera.map(|c| c.0), document.node(k.into()).light.map(|l| l.0))
    };
    assert_eq!([at(0), at(1), at(2)], [(Some(0), None), (Some(1), Some(1)), (None, None)]);
    // One camera, three values of lights, and two references are invalid.
    assert_eq!(session.diagnostics.len(), 6, "{:?}", session.diagnostics);
}

#[test]
fn instances_are_transforms_relative_to_their_node() {
    let bin =
        [floats(&[1.0, 2.0, 3.0, 4.0, 5.0, f32::NAN]), vec![0, 0, 0, 127, 0, 90, 0, 90]].concat();
    let node = |attributes: Value| {
        json!({"mesh": 0,
        "extensions": {"EXT_mesh_gpu_instancing": {"attributes": attributes}}})
    };
    let json = json!({
        "extensionsUsed": ["EXT_mesh_gpu_instancing"],
        "bufferViews": [{"buffer": 0, "byteLength": 24},
            {"buffer": 0, "byteOffset": 24, "byteLength": 8}],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": 2, "type": "VEC3"},
            {"bufferView": 1, "componentType": 5120, "normalized": true, "count": 2,
                "type": "VEC4"},
            {"bufferView": 0, "componentType": 5126, "count": 1, "type": "VEC3"},
        ],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
        "nodes": [node(json!({"TRANSLATION": 0, "ROTATION": 1})),
            node(json!({"TRANSLATION": 0, "SCALE": 2})), {"mesh": 0}],
    });
    let session = open(json, &bin);
    let nodes = &session.document().nodes;
    let found = nodes[NodeId(0)].instances.as_ref().expect("instances");
    assert_eq!(found.len(), 2);
    assert_eq!(found[0].translation, Vec3::new(1.0, 2.0, 3.0));
    assert!(found[0].rotation.is_normalized() && found[1].is_finite());
    // Lists of different lengths are invalid.
    assert!(nodes[NodeId(1)].instances.is_none() && nodes[NodeId(2)].instances.is_none());
    let codes: Vec<&str> = session.diagnostics.iter().map(|d| d.code).collect();
    assert!(
        codes.contains(&"ULNA_INSTANCES") && codes.contains(&"ACCESSOR_INVALID_FLOAT"),
        "{codes:?}"
    );
}

#[test]
fn variants_instances_and_other_extensions_of_the_corpus_are_read() {
    let Some(shared) = crate::common::shared() else { return };
    let open = |name: &str| {
        let path = shared.join("corpus/extensions").join(name);
        Session::open(&path, &Default::default()).unwrap_or_else(|e| panic!("{name}: {e}"))
    };
    let variants = open("18_variants/18_variants.gltf");
    assert_eq!(variants.document().variants.len(), 2);
    let mapped: usize =
        variants.document().meshes[MeshId(0)].primitives.iter().map(|p| p.variants.len()).sum();
    assert_eq!(mapped, 6);
    let teapots = open("24_gpu_instancing/24_gpu_instancing.gltf");
    let counts: Vec<usize> = teapots
        .document()
        .nodes
        .values()
        .filter_map(|n| n.instances.as_ref())
        .map(|i| i.len())
        .collect();
    assert_eq!(counts.len(), 2);
    assert!(counts.iter().all(|c| *c > 1), "{counts:?}");
    let avatar = Session::open(&shared.join("corpus/vrm/cryptovoxels.vrm"), &Default::default())
        .expect("an avatar");
    let vrm = avatar.document().vrm.clone().expect("facts");
    assert_eq!((vrm.title.as_deref(), &*vrm.authors[0]), (Some("cryptovoxels"), "jin"));
    assert!(
        vrm.bones.len() == 43
            && vrm.bones.iter().all(|(_, n)| avatar.document().joint_flags()[n.index()])
    );
    let sided = vrm.bones.iter().filter(|(role, _)| role.starts_with("left"));
    assert!(sided.clone().count() == 19 && sided.clone().all(|(_, n)| vrm.mirror(*n).is_some()));
    let pointers = open("24_animation_pointer/24_animation_pointer.gltf");
    assert_eq!((pointers.document().cameras.len(), pointers.document().lights.len()), (4, 4));
    let clip = &pointers.document().clips[ClipId(0)];
    let played = clip.pointers.iter().filter(|p| p.track.is_some()).count();
    assert_eq!((clip.pointers.len(), played), (70, 23));
    // All pointers that are not played give one finding together, not one each.
    assert_eq!(pointers.diagnostics.iter().filter(|d| d.code == "ULNA_POINTER_CHANNEL").count(), 1);
}

#[test]
fn animation_pointers_to_nodes_play_and_all_pointers_are_kept() {
    let bin = floats(&[0.0, 1.0, 2.0, 0.0, 0.0, 0.0, 2.0, 4.0, 6.0, 1.0, 1.0, 1.0]);
    let channel = |sampler: u32, pointer: &str| {
        json!({"sampler": sampler, "target": {
        "path": "pointer", "extensions": {"KHR_animation_pointer": {"pointer": pointer}}}})
    };
    let json = json!({
        "extensionsUsed": ["KHR_animation_pointer"],
        "bufferViews": [{"buffer": 0, "byteLength": 12},
            {"buffer": 0, "byteOffset": 12, "byteLength": 36}],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": 3, "type": "SCALAR", "min": [0],
                "max": [2]},
            {"bufferView": 1, "componentType": 5126, "count": 3, "type": "VEC3"},
            {"bufferView": 1, "componentType": 5126, "count": 9, "type": "SCALAR"},
            {"bufferView": 1, "componentType": 5126, "count": 2, "type": "VEC3"},
        ],
        "materials": [{}],
        "nodes": [{"name": "a"}, {"name": "b"}],
        "animations": [{"samplers": [
            {"input": 0, "output": 1}, {"input": 0, "output": 2, "interpolation": "STEP"},
                {"input": 0, "output": 3},
        ], "channels": [
            channel(0, "/nodes/1/translation"),
            channel(0, "/materials/0/emissiveFactor"),
            channel(1, "/materials/0/extensions/ACME_glow/three"),
            channel(2, "/nodes/0/scale"),
            channel(0, "/nodes/7/scale"),
            {"sampler": 0, "target": {"path": "pointer"}},
            {"sampler": 0, "target": {"node": 0, "path": "scale"}},
        ]}],
    });
    let mut session = open(json, &bin);
    let before = session.pack("x").expect("bytes").bytes;
    let clip = session.document().clips[ClipId(0)].clone();
    let rows: Vec<(&str, usize, bool)> =
        clip.pointers.iter().map(|p| (&*p.pointer, p.width, p.track.is_some())).collect();
    let wanted = [
        ("/nodes/1/translation", 3, true),
        ("/materials/0/emissiveFactor", 3, false),
        ("/materials/0/extensions/ACME_glow/three", 3, false),
        ("/nodes/7/scale", 3, false),
    ];
    assert_eq!(rows, wanted);
    assert!(clip.pointers.iter().all(|p| *p.times == [0.0, 1.0, 2.0]));
    assert_eq!(
        (clip.pointers[2].interpolation, clip.tracks.len(), clip.length()),
        (Interpolation::Step, 1, 2.0)
    );
    let pose = Pose::evaluate(session.document(), &Stack::of(Some(&clip), 0.5));
    assert_eq!(pose.local[1].transform().translation, Vec3::new(1.0, 2.0, 3.0));

    // A property with a pointer must not get a second channel, and its keys must not be copied
    // partly.
    for line in [
        CommandLine::new("key.set")
            .with("clip", 0)
            .with("time", 0.5)
            .with("node", "b")
            .with("translation", vec![1, 2, 3]),
        CommandLine::new("clip.duplicate").with("clip", 0),
    ] {
        let error = session.run_line(&line).expect_err("a refusal").to_string();
        assert!(error.contains("animation pointer"), "{error}");
    }
    // A key of another property leaves the channels with pointers unchanged.
    let key = CommandLine::new("key.set").with("clip", 0).with("time", 0.5).with("node", "b");
    session.run_line(&key.with("degrees", vec![0, 90, 0])).expect("a key");
    let after = session.pack("x").expect("bytes").bytes;
    let channels = |bytes: &[u8]| -> Vec<String> {
        let text = String::from_utf8_lossy(bytes).into_owned();
        text.match_indices("\"pointer\":\"/")
            .map(|(at, _)| text[at..].split('}').next().unwrap_or("").to_owned())
            .collect()
    };
    assert_eq!(channels(&before), channels(&after));
    assert_eq!(channels(&before).len(), 5);
    let again = Session::open_bytes(&after).expect("what was saved");
    assert_eq!(again.document().clips[ClipId(0)].pointers, clip.pointers);
}

#[test]
fn avatars_have_their_author_and_humanoid_map() {
    let one = json!({"specVersion": "1.0",
        "meta": {"name": "Ada", "authors": ["A", "B"],
            "licenseUrl": "https://vrm.dev/licenses/1.0/"},
        "humanoid": {"humanBones": {"hips": {"node": 0}, "leftHand": {"node": 1},
            "rightHand": {"node": 2}, "jaw": {"node": 9}}}});
    let zero = json!({"specVersion": "0.0",
        "meta": {"title": "Ada", "author": "A", "licenseName": "CC0"},
        "humanoid": {"humanBones": [{"bone": "hips", "node": 0}, {"bone": "leftHand", "node": 1},
            {"bone": "rightHand", "node": 2},
                                    {"bone": "jaw", "node": 9}]}});
    for (extensions, version, authors) in [
        (json!({"VRMC_vrm": one, "VRMC_springBone": {"springs": [{}, {}]}}), "1.0", 2),
        (json!({"VRM": zero}), "0.0", 1),
    ] {
        let used: Vec<&String> = extensions.as_object().expect("an object").keys().collect();
        let nodes = json!([{}, {}, {}]);
        let session =
            open(json!({"extensionsUsed": used, "extensions": extensions, "nodes": nodes}), &[]);
        let vrm = session.document().vrm.clone().expect("an avatar");
        assert_eq!(
            (&*vrm.version, vrm.title.as_deref(), vrm.authors.len()),
            (version, Some("Ada"), authors)
        );
        assert!(vrm.license.is_some());
        assert_eq!(vrm.springs, if version == "1.0" { 2 } else { 0 });
        assert_eq!(
            (vrm.node("hips"), vrm.node("jaw"), vrm.bones.len()),
            (Some(NodeId(0)), None, 3)
        );
        assert_eq!(
            (vrm.role(NodeId(2)), vrm.mirror(NodeId(2))),
            (Some("rightHand"), Some(NodeId(1)))
        );
        assert_eq!(vrm.mirror(NodeId(0)), None);
        assert_eq!(session.diagnostics.len(), 1, "{:?}", session.diagnostics);
    }
    let session = open(json!({"extensions": {"VRM": [1]}}), &[]);
    assert!(session.document().vrm.is_none() && session.diagnostics.len() == 1);
}

#[test]
fn saving_an_edited_avatar_keeps_its_extensions() {
    let constraint = json!({"VRMC_node_constraint": {"specVersion": "1.0",
            "constraint": {"roll": {"source": 0, "rollAxis": "X"}}}});
    let json = json!({
        "extensionsUsed": ["VRMC_vrm", "VRMC_springBone", "VRMC_node_constraint",
            "VRMC_materials_mtoon"],
        "extensions": {
            "VRMC_vrm": {"specVersion": "1.0", "humanoid": {"humanBones": {"hips": {"node": 1}}},
                         "firstPerson": {"meshAnnotations": [{"node": 0, "type": "auto"}]}},
            "VRMC_springBone": {"specVersion": "1.0", "springs": [{"joints": [{"node": 1}]}]},
        },
        "materials": [
            {"extensions": {"VRMC_materials_mtoon": {"specVersion": "1.0",
                "shadeColorFactor": [0.1, 0.2, 0.3]}}}],
        "nodes": [{"name": "a"}, {"name": "b", "extensions": constraint}],
    });
    let mut session = open(json.clone(), &[]);
    let line =
        CommandLine::new("pose.rotate").with("node", "b").with("axis", "x").with("degrees", 20);
    session.run_line(&line).expect("a turn");
    let saved = session.pack("x").expect("bytes").bytes;
    let saved: Value = serde_json::Deserializer::from_slice(&saved[20..])
        .into_iter()
        .next()
        .expect("JSON")
        .expect("JSON");
    for key in ["extensions", "materials", "extensionsUsed"] {
        assert_eq!(saved[key], json[key]);
    }
    assert_eq!(saved["nodes"][1]["extensions"], json["nodes"][1]["extensions"]);
    // A skeleton-only export removes references to meshes and materials. References to nodes stay,
    // and the nodes keep their positions.
    let options = ExportOptions { skeleton_only: true, ..ExportOptions::default() };
    let exported = Session::open_bytes(&export(session.source(), &options).expect("an export"))
        .expect("a file");
    assert_eq!(exported.extensions_used, ["VRMC_vrm", "VRMC_springBone", "VRMC_node_constraint"]);
    assert_eq!(exported.document().nodes.len(), 2);
}

#[test]
fn data_that_an_unknown_extension_may_refer_to_is_not_moved() {
    let json = json!({
        "extensionsUsed": ["ACME_curves"],
        "bufferViews": [{"buffer": 0, "byteLength": 12}],
        "accessors": [{"bufferView": 0, "componentType": 5126, "count": 3, "type": "SCALAR"}],
        "nodes": [{"extensions": {"ACME_curves": {"list": [{"curveAccessor": 0}]}}}],
    });
    let session = open(json, &[0; 12]);
    let error =
        export(session.source(), &ExportOptions::default()).expect_err("a refusal").to_string();
    assert!(error.contains("ACME_curves") && error.contains("convert"), "{error}");
}

#[test]
fn basis_textures_are_displayed_and_kept() {
    for (name, own) in [("etc1s", false), ("uastc", true)] {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
            .join(format!("tests/data/{name}.ktx2"));
        let ktx = std::fs::read(path).expect("the sample");
        let mut texture = json!({"extensions": {"KHR_texture_basisu": {"source": 0}}});
        if own {
            texture["source"] = json!(1);
        }
        let json = json!({
            "extensionsUsed": ["KHR_texture_basisu"],
            "extensionsRequired": ["KHR_texture_basisu"],
            "bufferViews": [{"buffer": 0, "byteLength": ktx.len()}],
            "images": [{"bufferView": 0, "mimeType": "image/ktx2"},
                {"bufferView": 0, "mimeType": "image/ktx2"}],
            "textures": [texture],
            "materials": [{"pbrMetallicRoughness": {"baseColorTexture": {"index": 0}}}],
        });
        let session = open(json, &ktx);
        assert!(session.diagnostics.is_empty(), "{:?}", session.diagnostics);
        let document = session.document();
        let image =
            document.materials[0.into()].base_color_texture.as_ref().expect("a texture").image;
        assert_eq!(image.index(), usize::from(own));
        assert!(document.images[image.index()].bytes.starts_with(b"\x89PNG"));
        assert!(session.pack("x").expect("bytes").bytes.windows(ktx.len()).any(|w| w == ktx));
    }
}
