//! Weights transferred from the surface of another character. The source is first posed to the
//! target's rest pose. The distances are reported.

use std::{fs, path::PathBuf};

use glam::{Mat4, Quat, Vec3};
use serde_json::{Value, json};
use ulna_edit::CommandLine;
use ulna_model::{Document, MeshId, SkinId};
use ulna_session::Session;

use crate::common::{floats, glb, run, sample, shared, split};

/// Returns a command line with arguments.
fn line(name: &str, arguments: &[(&str, Value)]) -> CommandLine {
    arguments
        .iter()
        .fold(CommandLine::new(name), |line, (key, value)| line.with(key, value.clone()))
}

/// Returns the sample with its arms lowered from the T-pose by an angle. Vertices, bind matrices
/// and rest pose are stored like this.
fn arms_down(degrees: f64) -> Vec<u8> {
    let mut session = sample();
    for (joint, way) in [("LeftUpperArm", -1.0), ("RightUpperArm", 1.0)] {
        let turn =
            [("axis", json!("z")), ("degrees", json!(way * degrees)), ("space", json!("world"))];
        run(&mut session, line("pose.rotate", &turn).with("node", joint));
    }
    run(&mut session, CommandLine::new("skin.bind").with("shape", "posed"));
    session.pack("down").expect("packed").bytes.to_vec()
}

/// Writes a file to disk, for commands that read files.
fn on_disk(bytes: &[u8]) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("source.glb");
    fs::write(&path, bytes).expect("written");
    (folder, path)
}

/// Returns the JSON and the binary data of a file, without its clips.
fn still(bytes: &[u8]) -> (Value, Vec<u8>) {
    let (mut root, bin) = split(bytes);
    root.as_object_mut().expect("an object").remove("animations");
    (root, bin)
}

fn numbers(value: &Value, or: &[f32]) -> Vec<f32> {
    let list =
        value.as_array().map(|l| l.iter().map(|v| v.as_f64().expect("a number") as f32).collect());
    list.unwrap_or_else(|| or.to_vec())
}

/// Returns the same character with other joint axes. Each joint is rotated differently, as other
/// programs do.
fn other_axes(bytes: &[u8]) -> Vec<u8> {
    let (mut root, mut bin) = still(bytes);
    let joints: Vec<usize> =
        root["skins"][0]["joints"].as_array().expect("joints").iter().map(index).collect();
    let turn = |node: usize| {
        let axis =
            Vec3::new((node as f32).sin(), (node as f32 * 1.7).cos(), 0.4).normalize_or_zero();
        if joints.contains(&node) {
            Quat::from_axis_angle(axis, 1.0 + node as f32 * 0.37)
        } else {
            Quat::IDENTITY
        }
    };
    let nodes = root["nodes"].as_array_mut().expect("nodes");
    let mut parents = vec![None; nodes.len()];
    for (k, node) in nodes.iter().enumerate() {
        for child in node["children"].as_array().into_iter().flatten() {
            parents[index(child)] = Some(k);
        }
    }
    for (k, node) in nodes.iter_mut().enumerate() {
        let above = parents[k].map_or(Quat::IDENTITY, turn).conjugate();
        let rotation =
            above * Quat::from_slice(&numbers(&node["rotation"], &[0.0, 0.0, 0.0, 1.0])) * turn(k);
        let translation = above * Vec3::from_slice(&numbers(&node["translation"], &[0.0; 3]));
        node["rotation"] = json!(rotation.normalize().to_array());
        node["translation"] = json!(translation.to_array());
    }
    let accessor = &root["accessors"][index(&root["skins"][0]["inverseBindMatrices"])];
    let view = &root["bufferViews"][index(&accessor["bufferView"])];
    let start = [accessor, view]
        .iter()
        .map(|v| v["byteOffset"].as_u64().unwrap_or(0) as usize)
        .sum::<usize>();
    for (k, joint) in joints.iter().enumerate() {
        let at = start + k * 64;
        let float =
            |c: usize| f32::from_le_bytes(bin[at + c * 4..][..4].try_into().expect("a float"));
        let bind = Mat4::from_cols_array(&std::array::from_fn(float));
        let bind = Mat4::from_quat(turn(*joint).conjugate()) * bind;
        bin[at..at + 64].copy_from_slice(&floats(&bind.to_cols_array()));
    }
    glb(root, &bin)
}

fn index(value: &Value) -> usize {
    value.as_u64().expect("an index") as usize
}

/// Moves all weights to the first joint of the skin.
fn spoil(session: &mut Session) {
    let document = session.document();
    let joint = format!("#{}", document.skin(SkinId(0)).joints[0].0);
    run(session, CommandLine::new("weights.flood").with("joint", joint));
}

/// Returns the fraction of a mesh's weight that is on the same joints in two documents, `0..=1`.
/// Joints are compared by their indices in the skins.
fn same_share((a, from): (&Document, u32), (b, to): (&Document, u32)) -> f64 {
    let (mut same, mut all) = (0.0, 0.0);
    for ((_, one), (_, other)) in a.mesh(MeshId(from)).entries().zip(b.mesh(MeshId(to)).entries()) {
        let (one, other) =
            (one.weights.as_deref().expect("weights"), other.weights.as_deref().expect("weights"));
        assert_eq!(one.vertex_count(), other.vertex_count());
        for v in 0..one.vertex_count() {
            same += one.vertex(v).map(|(j, w)| f64::from(w.min(other.weight(v, j)))).sum::<f64>();
            all += 1.0;
        }
    }
    same / all
}

/// Transfers weights from a source to a target by nearest surface points. Returns the fraction of
/// the weight on the original joints, and the messages.
fn taken(target: &[u8], source: &[u8]) -> (f64, String) {
    let mut session = Session::open_bytes(target).expect("opened");
    let before = session.document().clone();
    spoil(&mut session);
    assert!(same_share((&before, 0), (session.document(), 0)) < 0.5, "spoiled");
    let (_folder, path) = on_disk(source);
    let import = CommandLine::new("weights.import")
        .with("path", path.display().to_string())
        .with("by", "surface");
    let notes = run(&mut session, import);
    (same_share((&before, 0), (session.document(), 0)), notes.join("; "))
}

fn packed(session: &Session) -> Vec<u8> {
    session.pack("a").expect("packed").bytes.to_vec()
}

#[test]
fn a_copy_in_another_pose_gets_the_weights_of_the_same_joints() {
    let upright = packed(&sample());
    let down = arms_down(45.0);
    for (target, source) in [(&down, &upright), (&upright, &down)] {
        let (share, said) = taken(target, source);
        assert!(share >= 0.99, "{share}: {said}");
        assert!(said.contains("posed to match this rest pose by 53 joints"), "{said}");
        assert!(
            said.contains(
                "median 0.00 cm, 95th percentile 0.00 cm; no vertex is farther than 5 cm"
            ),
            "{said}"
        );
    }
    // Joints with different axes are posed by the directions of their bones.
    let (share, said) = taken(&down, &other_axes(&upright));
    assert!(share >= 0.95, "{share}: {said}");
    assert!(said.contains("posed to match this rest pose"), "{said}");
    // With equal bind poses, nothing is posed.
    let (share, said) = taken(&upright, &upright);
    assert!(
        share >= 0.99 && !said.contains("posed") && said.contains("median 0.00 cm"),
        "{share}: {said}"
    );
}

/// Joints with other names match by their body part. The size does not matter.
#[test]
fn a_copy_with_another_size_and_other_joint_names_gets_the_weights() {
    const NAMES: [(&str, &str); 5] = [
        ("UpperLeg", "UpLeg"),
        ("LowerLeg", "Leg"),
        ("UpperArm", "Arm"),
        ("LowerArm", "ForeArm"),
        ("Hips", "Pelvis"),
    ];
    let (mut root, bin) = still(&packed(&sample()));
    for node in root["nodes"].as_array_mut().expect("nodes") {
        let Some(name) = node["name"].as_str() else { continue };
        let other = NAMES
            .iter()
            .find(|(part, _)| name.contains(part))
            .map(|(part, to)| name.replace(part, to));
        node["name"] = json!(format!("mixamorig:{}", other.unwrap_or_else(|| name.to_owned())));
    }
    let children = root["scenes"][0]["nodes"].clone();
    let nodes = root["nodes"].as_array_mut().expect("nodes");
    nodes.push(json!({"name": "Larger", "scale": [1.4, 1.4, 1.4], "children": children}));
    root["scenes"][0]["nodes"] = json!([nodes.len() - 1]);
    let (share, said) = taken(&arms_down(45.0), &glb(root, &bin));
    assert!(share >= 0.95, "{share}: {said}");
}

#[test]
fn a_transfer_reports_distances_and_unmatched_skeletons() {
    let Some(shared) = shared() else { return };
    let read = |path: &str| fs::read(shared.join(path)).expect("read");
    let mannequin = packed(&sample());
    let (_, said) = taken(&read("retarget/m2m-sample-rig.glb"), &mannequin);
    assert!(said.contains("posed to match this rest pose"), "{said}");
    let far: usize = said
        .split("; ")
        .find_map(|s| s.strip_suffix(" vertices are farther than 5 cm from it")?.parse().ok())
        .expect(&said);
    assert!((1..8722 / 10).contains(&far), "{said}");
    // Two joints with matching names are not enough to match the skeletons.
    let (mut root, bin) = still(&mannequin);
    for (k, node) in root["nodes"].as_array_mut().expect("nodes").iter_mut().enumerate() {
        if !["Hips", "Head"].contains(&node["name"].as_str().unwrap_or_default()) {
            node["name"] = json!(format!("thing {k}"));
        }
    }
    let (_, said) = taken(&arms_down(45.0), &glb(root, &bin));
    assert!(said.contains("matched in place, because the skeletons do not match"), "{said}");
    assert!(said.contains("median") && said.contains("95th percentile"), "{said}");
}

/// Joins two files: both characters are in one scene.
fn both(first: &[u8], second: &[u8]) -> Vec<u8> {
    let ((mut root, mut bin), (more, data)) = (still(first), still(second));
    while bin.len() % 4 != 0 {
        bin.push(0);
    }
    let start = bin.len() as u64;
    bin.extend(data);
    let count = |root: &Value, list: &str| root[list].as_array().map_or(0, Vec::len) as u64;
    let by =
        ["bufferViews", "accessors", "nodes", "meshes", "skins"].map(|list| count(&root, list));
    let add = |value: &mut Value, by: u64| *value = json!(value.as_u64().expect("an index") + by);
    let list = |list: &str| more[list].as_array().expect("a list").clone();
    let mut push = |name: &str, change: &dyn Fn(&mut Value)| {
        for mut item in list(name) {
            change(&mut item);
            root[name].as_array_mut().expect("a list").push(item);
        }
    };
    push("bufferViews", &|v| {
        v["byteOffset"] = json!(v["byteOffset"].as_u64().unwrap_or(0) + start);
    });
    push("accessors", &|v| {
        // A morph target without data has no buffer view.
        if v.get("bufferView").is_some() {
            add(&mut v["bufferView"], by[0]);
        }
        v.as_object_mut().expect("an object").remove("sparse");
    });
    push("meshes", &|v| {
        for primitive in v["primitives"].as_array_mut().expect("primitives") {
            primitive.as_object_mut().expect("an object").remove("material");
            primitive.as_object_mut().expect("an object").remove("targets");
            add(&mut primitive["indices"], by[1]);
            primitive["attributes"]
                .as_object_mut()
                .expect("attributes")
                .values_mut()
                .for_each(|a| add(a, by[1]));
        }
    });
    push("skins", &|v| {
        add(&mut v["inverseBindMatrices"], by[1]);
        if v.get("skeleton").is_some() {
            add(&mut v["skeleton"], by[2]);
        }
        v["joints"].as_array_mut().expect("joints").iter_mut().for_each(|j| add(j, by[2]));
    });
    push("nodes", &|v| {
        for (key, by) in [("mesh", by[3]), ("skin", by[4])] {
            if v.get(key).is_some() {
                add(&mut v[key], by);
            }
        }
        v.get_mut("children")
            .and_then(Value::as_array_mut)
            .into_iter()
            .flatten()
            .for_each(|c| add(c, by[2]));
    });
    for node in more["scenes"][0]["nodes"].as_array().expect("nodes") {
        let node = node.as_u64().expect("an index") + by[2];
        root["scenes"][0]["nodes"].as_array_mut().expect("nodes").push(json!(node));
    }
    glb(root, &bin)
}

#[test]
fn a_transfer_within_a_file_matches_the_rest_poses_of_two_characters() {
    let file = both(&packed(&sample()), &arms_down(45.0));
    let mut session = Session::open_bytes(&file).expect("two characters");
    let before = session.document().clone();
    assert_eq!((before.skins.len(), before.meshes.len()), (2, 2));
    let joint = format!("#{}", before.skin(SkinId(1)).joints[0].0);
    run(&mut session, line("weights.flood", &[("mesh", json!("#1"))]).with("joint", joint));
    assert!(same_share((&before, 1), (session.document(), 1)) < 0.5, "spoiled");
    let said = run(
        &mut session,
        line("weights.transfer", &[("mesh", json!("#1")), ("from", json!("#0"))]),
    )
    .join("; ");
    let share = same_share((&before, 1), (session.document(), 1));
    assert!(share >= 0.99, "{share}: {said}");
    assert!(
        said.starts_with("transferred to ") && said.contains("posed to match this rest pose"),
        "{said}"
    );
    assert!(said.contains("median 0.00 cm"), "{said}");
    assert_eq!(
        before.mesh(MeshId(0)),
        session.document().mesh(MeshId(0)),
        "the source is as it was"
    );
}

/// Builds a rig of two joints. The first mesh uses lines or points, the second a triangle.
fn drawn_by(mode: usize) -> Vec<u8> {
    let places: [[f32; 3]; 4] = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 1.0, 0.0]];
    let corners: [[f32; 3]; 3] = [[0.25, 0.1, 0.0], [0.7, 0.1, 0.0], [0.6, 0.9, 0.0]];
    let (first, second) = ([1.0f32, 0.0, 0.0, 0.0], [0.0f32, 1.0, 0.0, 0.0]);
    let parts: Vec<Vec<u8>> = vec![
        floats(places.as_flattened()),
        floats([first, second, first, second].as_flattened()),
        [0u8, 1, 0, 0].repeat(4),
        floats(corners.as_flattened()),
        floats([first; 3].as_flattened()),
        [0u8, 1, 0, 0].repeat(3),
        [0u16, 1, 2, 3].iter().flat_map(|i| i.to_le_bytes()).collect(),
    ];
    let (mut bin, mut views) = (Vec::new(), Vec::new());
    for part in parts {
        views.push(json!({"buffer": 0, "byteOffset": bin.len(), "byteLength": part.len()}));
        bin.extend(part);
    }
    let accessor = |view: usize, count: usize, component: u32, kind: &str| {
        json!({"bufferView": view, "count": count, "componentType": component,
            "type": kind})
    };
    let mut accessors = vec![
        accessor(0, 4, 5126, "VEC3"),
        accessor(1, 4, 5126, "VEC4"),
        accessor(2, 4, 5121, "VEC4"),
        accessor(3, 3, 5126, "VEC3"),
        accessor(4, 3, 5126, "VEC4"),
        accessor(5, 3, 5121, "VEC4"),
        accessor(6, 4, 5123, "SCALAR"),
    ];
    for (k, (low, high)) in
        [(0, ([0.0, 0.0, 0.0], [1.0, 1.0, 0.0])), (3, ([0.25, 0.1, 0.0], [0.7, 0.9, 0.0]))]
    {
        (accessors[k]["min"], accessors[k]["max"]) = (json!(low), json!(high));
    }
    let attributes = |k: usize| json!({"POSITION": k, "WEIGHTS_0": k + 1, "JOINTS_0": k + 2});
    let json = json!({
        "nodes": [{"name": "A", "children": [1]}, {"name": "B", "translation": [0, 0.5, 0]},
            {"mesh": 0, "skin": 0}, {"mesh": 1, "skin": 0}],
        "scenes": [{"nodes": [0, 2, 3]}], "scene": 0, "skins": [{"joints": [0, 1]}],
        "meshes": [{"primitives": [{"attributes": attributes(0), "indices": 6, "mode": mode}]},
            {"primitives": [{"attributes": attributes(3)}]}],
        "accessors": accessors, "bufferViews": views,
    });
    glb(json, &bin)
}

#[test]
fn weights_transfer_from_line_and_point_primitives() {
    // The lines run along x from 0 to 1, at y = 0 and y = 1. The weight at a point of a line is its
    // x coordinate. With points instead of lines, the weight is that of the nearest point.
    for (mode, wanted) in [(1, [0.25, 0.7, 0.6]), (0, [0.0, 1.0, 1.0])] {
        let mut session = Session::open_bytes(&drawn_by(mode)).expect("opened");
        run(
            &mut session,
            line("weights.transfer", &[("from", json!("#0")), ("mesh", json!("#1"))]),
        );
        let document = session.document();
        let map = document.mesh(MeshId(1)).primitives[0].weights.as_deref().expect("weights");
        for (v, wanted) in wanted.into_iter().enumerate() {
            assert!(
                (map.weight(v, 1) - wanted).abs() < 1e-5,
                "mode {mode}, vertex {v}: {}",
                map.weight(v, 1)
            );
        }
    }
}
