//! Unusual but valid files: joints outside the scene, instances, morph targets without data, data
//! files with unusual names, and data that extensions and `extras` refer to.
#![allow(clippy::unwrap_used, reason = "a test ends where something is not as it must be")]

use std::path::{Path, PathBuf};

use glam::{DVec3, Mat4, Vec3};
use serde_json::{Value, json};
use ulna_edit::CommandLine;
use ulna_model::{Document, NodeId};
use ulna_motion::{Placement, Pose, Posed, Stack, skinning};
use ulna_session::Session;

use crate::common::{floats, glb, judges, named, run, shared, split};

/// Returns all mesh vertices of the displayed scene, in node order.
pub fn shape(document: &Document, stack: &Stack) -> Vec<DVec3> {
    let mut nodes = document.shown_nodes();
    nodes.sort();
    let pose = Pose::evaluate(document, stack);
    nodes.into_iter().flat_map(|id| shape_of(document, &pose, id)).collect()
}

/// Returns the vertices of a node's mesh; empty without a mesh.
pub fn shape_of(document: &Document, pose: &Pose, id: NodeId) -> Vec<DVec3> {
    let mut all = Vec::new();
    let Some(mesh) = document.node(id).mesh else { return all };
    for (_, primitive) in document.mesh(mesh).entries() {
        let placement = Placement::of(document, pose, id, primitive);
        let mut posed = Posed::default();
        let normals = skinning::base_normals(primitive);
        skinning::skin(primitive, &normals, &pose.morphs[id.index()], &placement, &mut posed);
        all.extend(posed.positions.iter().map(|p| p.as_dvec3()));
    }
    all
}

/// Expected shape, computed by `skin_reference.py`: file, time in seconds, vertex count, mean
/// position, and mean weighted by vertex index.
type ExpectedShape = (&'static str, f64, usize, [f64; 3], [f64; 3]);
const SHAPES: [ExpectedShape; 22] = [
    (
        "joints-outside-scene/a.glb",
        0.00,
        54,
        [0.000000, 0.700000, 0.000000],
        [-0.001111, 0.449074, -0.001925],
    ),
    (
        "joints-outside-scene/a.glb",
        0.50,
        54,
        [-0.052083, 0.686044, 0.000000],
        [-0.050709, 0.435487, -0.001925],
    ),
    (
        "joints-outside-scene/a.glb",
        1.00,
        54,
        [-0.090211, 0.647917, 0.000000],
        [-0.086868, 0.398921, -0.001925],
    ),
    (
        "joints-outside-scene/b.glb",
        0.00,
        162,
        [-0.634972, 0.751156, 0.000000],
        [-0.339012, 0.502071, -0.001105],
    ),
    (
        "joints-outside-scene/b.glb",
        0.50,
        162,
        [-0.471288, 0.540201, 0.000000],
        [-0.263588, 0.373987, -0.000873],
    ),
    (
        "joints-outside-scene/b.glb",
        1.00,
        162,
        [-0.304520, 0.424939, 0.000000],
        [-0.176261, 0.292537, -0.000642],
    ),
    (
        "instanced-skin/in.glb",
        0.00,
        38,
        [0.000000, 0.636842, 0.000000],
        [-0.001150, 0.336773, -0.001910],
    ),
    (
        "instanced-skin/in.glb",
        0.50,
        38,
        [-0.117763, 0.605288, 0.000000],
        [-0.056095, 0.321713, -0.001910],
    ),
    (
        "instanced-skin/in.glb",
        1.00,
        38,
        [-0.203972, 0.519079, 0.000000],
        [-0.096148, 0.281198, -0.001910],
    ),
    (
        "morph-absent-data/in.glb",
        0.25,
        108,
        [0.290220, 0.533153, 0.000000],
        [0.213177, 0.325594, -0.001203],
    ),
    (
        "morph-absent-data/in.glb",
        0.50,
        108,
        [0.272524, 0.565959, 0.000000],
        [0.194700, 0.350337, -0.001203],
    ),
    (
        "morph-absent-data/in.glb",
        1.00,
        108,
        [0.212451, 0.622383, 0.000000],
        [0.141620, 0.387713, -0.001203],
    ),
    (
        "mesh-two-skins/in.glb",
        0.00,
        108,
        [0.975000, 0.775000, 0.000000],
        [0.735243, 0.406597, -0.000902],
    ),
    (
        "mesh-two-skins/in.glb",
        0.50,
        108,
        [0.915252, 0.748940, -0.032577],
        [0.704585, 0.389749, -0.032150],
    ),
    (
        "mesh-two-skins/in.glb",
        1.00,
        108,
        [0.877115, 0.678925, -0.059049],
        [0.685106, 0.344544, -0.057502],
    ),
    (
        "primitive-without-joints/in.glb",
        0.00,
        120,
        [0.450000, 1.115000, 0.100000],
        [0.304750, 0.689271, 0.093901],
    ),
    (
        "primitive-without-joints/in.glb",
        0.50,
        120,
        [0.326771, 1.256148, 0.100000],
        [0.214778, 0.793253, 0.093901],
    ),
    (
        "primitive-without-joints/in.glb",
        1.00,
        120,
        [0.149477, 1.316771, 0.100000],
        [0.084870, 0.838318, 0.093901],
    ),
    (
        "many-joints/in.glb",
        0.00,
        660,
        [0.000001, 14.999998, 0.000001],
        [-0.000151, 10.022695, -0.000086],
    ),
    (
        "many-joints/in.glb",
        0.50,
        660,
        [-9.584168, 6.346611, 0.000001],
        [-6.767120, 3.255339, -0.000086],
    ),
    (
        "many-joints/in.glb",
        1.00,
        660,
        [-5.042057, -0.054628, 0.000001],
        [-2.589228, -0.845347, -0.000086],
    ),
    ("names/in.glb", 0.50, 54, [-0.030868, 0.548652, 0.000000], [-0.024714, 0.380865, -0.001604]),
];

#[test]
fn unusual_files_are_displayed_as_by_an_independent_reader() {
    let Some(shared) = shared() else { return };
    for (file, time, count, mean, weighted) in SHAPES {
        let path = shared.join("situations").join(file);
        let session = Session::open(&path, &Default::default()).unwrap();
        let document = session.document();
        let found = shape(document, &Stack::of(document.clips.values().next(), time));
        assert_eq!(found.len(), count, "{file}");
        let n = count as f64;
        let own: DVec3 = found.iter().sum::<DVec3>() / n;
        let by_place: DVec3 =
            found.iter().enumerate().map(|(k, p)| *p * ((k + 1) as f64 / n)).sum::<DVec3>() / n;
        // The relative precision is the same for a model of 30 m with 700 joints.
        let near = 1e-5 * DVec3::from(mean).length().max(1.0);
        assert!(own.distance(mean.into()) < near, "{file} at {time}: {own} {mean:?}");
        assert!(
            by_place.distance(weighted.into()) < near,
            "{file} at {time}: {by_place} {weighted:?}"
        );
        // Without an edit, the saved bytes are the same.
        let folder = tempfile::tempdir().unwrap();
        let to = folder.path().join("a.glb");
        session.write_to(&to).unwrap();
        assert_eq!(std::fs::read(&to).unwrap(), std::fs::read(&path).unwrap(), "{file}");
    }
}

#[test]
fn findings_of_unusual_files_equal_those_of_the_validator() {
    let Some(shared) = shared() else { return };
    let names = [
        "joints-outside-scene/a.glb",
        "joints-outside-scene/b.glb",
        "morph-absent-data/in.glb",
        "instanced-skin/in.glb",
    ];
    let files: Vec<PathBuf> = names.iter().map(|n| shared.join("situations").join(n)).collect();
    let Some(wanted) = judges::validate(&files) else { return };
    for (path, (errors, line)) in files.iter().zip(wanted) {
        let session = Session::open(path, &Default::default()).unwrap();
        let own = session.all_findings();
        let codes: Vec<&str> = own
            .iter()
            .filter(|d| d.severity == ulna_model::Severity::Error)
            .map(|d| d.code)
            .collect();
        assert_eq!(codes.is_empty(), errors == 0, "{}: {codes:?} {line}", path.display());
        for code in codes {
            assert!(line.contains(code), "{}: {code} {line}", path.display());
        }
    }
}

/// Instances follow the posed node. Their quantized rotations are decoded. A node without a mesh
/// draws nothing.
#[test]
fn instances_follow_their_parent_joint() {
    let Some(shared) = shared() else { return };
    let path = shared.join("situations/instanced-skin/in.glb");
    let session = Session::open(&path, &Default::default()).unwrap();
    let document = session.document();
    let (root, bin) = split(&std::fs::read(&path).unwrap());
    let view = |k: usize| root["bufferViews"][k]["byteOffset"].as_u64().unwrap_or(0) as usize;
    let float = |at: usize| f32::from_le_bytes(bin[at..at + 4].try_into().unwrap());
    let short = |at: usize| {
        (f32::from(i16::from_le_bytes(bin[at..at + 2].try_into().unwrap())) / 32767.0).max(-1.0)
    };
    let banners = named(document, "Banners");
    let instances = document.node(banners).instances.as_ref().unwrap();
    assert_eq!(instances.len(), 4);
    let pose = Pose::evaluate(document, &Stack::of(document.clips.values().next(), 0.5));
    let joint = pose.world[named(document, "J1").index()];
    assert!(joint.x_axis.truncate().distance(Vec3::X) > 0.1, "it turns");
    for (k, instance) in instances.iter().enumerate() {
        let three =
            |view: usize| Vec3::from_array(std::array::from_fn(|c| float(view + (k * 3 + c) * 4)));
        let turn =
            glam::Quat::from_array(std::array::from_fn(|c| short(view(9) + (k * 4 + c) * 2)));
        let own = Mat4::from_scale_rotation_translation(
            three(view(10)),
            turn.normalize(),
            three(view(8)),
        );
        let wanted = joint * Mat4::from_translation(Vec3::new(0.0, 0.5, 0.0)) * own;
        let found = pose.world[banners.index()] * instance.matrix();
        assert!(found.abs_diff_eq(wanted, 1e-5), "instance {k}: {found} {wanted}");
    }
    let empty = named(document, "No mesh");
    assert!(document.node(empty).mesh.is_none());
}

/// Copies a folder with all files below it.
fn copied(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let name = to.join(path.file_name().unwrap());
        if path.is_dir() {
            copied(&path, &name);
        } else {
            std::fs::write(&name, std::fs::read(&path).unwrap()).unwrap();
        }
    }
}

#[test]
fn companion_files_with_unusual_names_are_copied_and_uris_unchanged() {
    let Some(shared) = shared() else { return };
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path().join("home");
    copied(&shared.join("situations/uri-spelling"), &home);
    let path = home.join("my model (v2).gltf");
    let mut session = Session::open(&path, &Default::default()).unwrap();
    let was: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
    let pictures = |root: &Value| {
        root["images"].as_array().unwrap().iter().map(|i| i["uri"].clone()).collect::<Vec<_>>()
    };
    assert!(session.all_findings().is_empty(), "{:?}", session.all_findings());
    run(
        &mut session,
        CommandLine::parse(r#"{"do":"key.set","node":"J1","clip":"bend","time":0.5}"#).unwrap(),
    );
    run(
        &mut session,
        CommandLine::parse(
            r#"{"do":"key.set","node":"J0","clip":"bend","time":0.25,"parts":["translation"]}"#,
        )
        .unwrap(),
    );
    let elsewhere = folder.path().join("else where # 1");
    std::fs::create_dir_all(&elsewhere).unwrap();
    let text = elsewhere.join("out.gltf");
    session.write_to(&text).unwrap();
    let is: Value = serde_json::from_slice(&std::fs::read(&text).unwrap()).unwrap();
    assert_eq!(pictures(&is), pictures(&was));
    assert_eq!(is["buffers"][0]["uri"], was["buffers"][0]["uri"]);
    let named =
        ["tex one.png", "tex two.png", "Téx/# 100%.png", "tex3.PNG", "my model (v2)+keys.bin"];
    for name in named {
        assert_eq!(
            std::fs::read(elsewhere.join(name)).unwrap(),
            std::fs::read(home.join(name)).unwrap(),
            "{name}"
        );
    }
    let whole = elsewhere.join("out.glb");
    session.write_to(&whole).unwrap();
    let (root, _) = split(&std::fs::read(&whole).unwrap());
    assert!(
        root["images"]
            .as_array()
            .unwrap()
            .iter()
            .all(|i| i.get("uri").is_none() && i["bufferView"].is_u64())
    );
    let meant = session.document();
    for to in [&text, &whole] {
        let again = Session::open(to, &Default::default()).unwrap();
        assert!(again.all_findings().is_empty(), "{:?}", again.all_findings());
        let stack = |d: &Document| Stack::of(d.clips.values().next(), 0.4);
        assert_eq!(shape(again.document(), &stack(again.document())), shape(meant, &stack(meant)));
        assert_eq!(again.document().images.len(), 4);
    }
    if let Some(said) = judges::validate(&[text, whole]) {
        assert!(said.iter().all(|(errors, _)| *errors == 0), "{said:?}");
    }
}

/// Builds a clip with two samplers. `more` adds references to the second output.
fn moving(more: &dyn Fn(&mut Value)) -> Vec<u8> {
    let mut root = json!({
        "nodes": [{"name": "A"}], "scenes": [{"nodes": [0]}], "scene": 0,
        "animations": [{"name": "go", "samplers": [{"input": 0, "output": 1}],
            "channels": [{"sampler": 0, "target": {"node": 0, "path": "translation"}}]}],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": 2, "type": "SCALAR", "min": [0],
                "max": [1]},
            {"bufferView": 1, "componentType": 5126, "count": 2, "type": "VEC3"}],
        "bufferViews": [{"buffer": 0, "byteLength": 8},
            {"buffer": 0, "byteOffset": 8, "byteLength": 24}],
    });
    more(&mut root);
    glb(root, &floats(&[0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 2.0, 3.0]))
}

/// Data that an extension or `extras` refer to must not be overwritten. Other data is.
#[test]
fn data_referenced_by_extensions_and_extras_is_unchanged() {
    type Change = &'static dyn Fn(&mut Value);
    let places: [(&str, Change); 11] = [
        ("extras of the file", &|r| r["extras"] = json!({"curve": 1})),
        ("an extension of the file", &|r| {
            r["extensions"] = json!({"ACME_data": {"lists": [[0, 1]]}})
        }),
        ("extras of a scene", &|r| r["scenes"][0]["extras"] = json!({"path": {"points": 1}})),
        ("extras of a node", &|r| r["nodes"][0]["extras"] = json!([1])),
        ("an extension of a node", &|r| {
            r["nodes"][0]["extensions"] = json!({"ACME_path": {"accessor": 1.0}})
        }),
        ("extras of a clip", &|r| r["animations"][0]["extras"] = json!({"bakedFrom": 1})),
        ("extras of a channel", &|r| {
            r["animations"][0]["channels"][0]["extras"] = json!({"source": "1"})
        }),
        ("an extension of a sampler", &|r| {
            r["animations"][0]["samplers"][0]["extensions"] = json!({"ACME": {"in": 1}})
        }),
        ("a pointer", &|r| r["extras"] = json!({"of": "/accessors/1/count"})),
        ("extras of an accessor", &|r| r["accessors"][0]["extras"] = json!({"values": 1})),
        ("a view", &|r| r["extras"] = json!({"bufferView": 1})),
    ];
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.glb");
    let saved = |bytes: &[u8]| {
        let mut session = Session::open_bytes(bytes).unwrap();
        run(&mut session, CommandLine::new("clip.reverse").with("clip", "go"));
        session.write_to(&path).unwrap();
        let (root, bin) = split(&std::fs::read(&path).unwrap());
        let clip = Session::open(&path, &Default::default()).unwrap();
        let keys = clip
            .document()
            .clips
            .values()
            .next()
            .unwrap()
            .tracks
            .values()
            .next()
            .unwrap()
            .values
            .to_vec();
        assert_eq!(keys, [1.0, 2.0, 3.0, 0.0, 0.0, 0.0]);
        (root, bin)
    };
    let (root, bin) = saved(&moving(&|_| {}));
    assert_eq!(
        root["accessors"].as_array().unwrap().len(),
        2,
        "written over in place: nobody else uses it"
    );
    assert_ne!(bin[8..32], floats(&[0.0, 0.0, 0.0, 1.0, 2.0, 3.0])[..]);
    let (free, _) = saved(&moving(&|r| {
        r["extras"] = json!({"ulna.sets": {"version": 1, "sets": [1]}, "note": "take 1"})
    }));
    assert_eq!(free["accessors"].as_array().unwrap().len(), 2, "neither ours nor a text names it");
    for (place, change) in places {
        let (root, bin) = saved(&moving(change));
        assert_eq!(bin[8..32], floats(&[0.0, 0.0, 0.0, 1.0, 2.0, 3.0])[..], "{place}");
        assert_eq!(root["animations"][0]["samplers"][0]["output"], 2, "{place}: a new accessor");
        assert_eq!(root["accessors"][1]["bufferView"], 1, "{place}");
    }
}
