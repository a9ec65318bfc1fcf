//! VRM 0 and VRM 1 avatars: their references through edits and saves, their T-pose, and the
//! skeleton-only export.
#![allow(clippy::unwrap_used, reason = "a test ends where something is not as it must be")]

use std::{collections::BTreeMap, path::Path, process::Command};

use proptest::prelude::*;
use serde_json::{Value, json};
use ulna_edit::CommandLine;
use ulna_model::Document;
use ulna_session::Session;

use crate::common::{glb, judges, named, run, shared, split};

/// Reads the VRM 1 avatar of the shared test files. `None` if these files are not available.
fn one() -> Option<Vec<u8>> {
    Some(std::fs::read(shared()?.join("situations/vrm-references/v1.vrm")).unwrap())
}

/// Converts the avatar to VRM 0, with references by node, mesh, material and texture.
fn zero(one: &[u8]) -> Vec<u8> {
    let (mut root, bin) = split(one);
    let bones =
        root["extensions"]["VRMC_vrm"]["humanoid"]["humanBones"].as_object().unwrap().clone();
    let bones: Vec<Value> =
        bones.iter().map(|(role, of)| json!({"bone": role, "node": of["node"]})).collect();
    root["extensions"] = json!({"VRM": {
        "exporterVersion": "x", "specVersion": "0.0",
        "meta": {"title": "Scout", "author": "nobody", "texture": -1},
        "humanoid": {"humanBones": bones, "armStretch": 0.05},
        "firstPerson": {"firstPersonBone": 5, "firstPersonBoneOffset": {"x": 0, "y": 0.06, "z": 0},
            "meshAnnotations": [{"mesh": 1, "firstPersonFlag": "Auto"}], "lookAtTypeName": "Bone"},
        "blendShapeMaster": {"blendShapeGroups": [
            {"name": "Blink", "presetName": "blink",
                "binds": [{"mesh": 1, "index": 0, "weight": 100}], "materialValues": []},
            {"name": "Joy", "presetName": "joy", "binds": [{"mesh": 1, "index": 1, "weight": 100}],
                "materialValues": [{"materialName": "m2", "propertyName": "_Color",
                    "targetValue": [1, 0, 0, 1]}]}]},
        "secondaryAnimation": {"boneGroups": [{"stiffiness": 1, "center": 1, "bones": [6],
            "colliderGroups": [0]}],
            "colliderGroups": [{"node": 5,
                "colliders": [{"offset": {"x": 0, "y": 0.05, "z": 0}, "radius": 0.1}]}]},
        "materialProperties": [{"name": "m0", "shader": "VRM_USE_GLTFSHADER"}, {"name": "m1"},
            {"name": "m2"}],
    }});
    root["extensionsUsed"] = json!(["VRM"]);
    root["nodes"][17].as_object_mut().unwrap().remove("extensions");
    glb(root, &bin)
}

pub fn avatars() -> Vec<(&'static str, Vec<u8>)> {
    one().map_or_else(Vec::new, |one| vec![("zero.vrm", zero(&one)), ("one.vrm", one)])
}

fn line(text: &str) -> CommandLine {
    CommandLine::parse(text).unwrap()
}

/// Returns the names of the elements of a list. References are compared by these names.
fn names(root: &Value, list: &str) -> Vec<String> {
    root[list]
        .as_array()
        .unwrap()
        .iter()
        .map(|e| e["name"].as_str().unwrap_or_default().to_owned())
        .collect()
}

#[test]
fn references_of_an_avatar_stay_correct_after_every_kind_of_edit() {
    let folder = tempfile::tempdir().unwrap();
    let mut compared = 0;
    for (name, bytes) in avatars() {
        let from = folder.path().join(name);
        std::fs::write(&from, &bytes).unwrap();
        let mut session = Session::open(&from, &Default::default()).unwrap();
        let to = folder.path().join("out.vrm");
        session.write_to(&to).unwrap();
        assert_eq!(std::fs::read(&to).unwrap(), bytes, "{name}: untouched");
        for edit in [
            r#"{"do":"pose.rotate","node":"leftUpperArm","axis":"z","degrees":30}"#,
            r#"{"do":"node.rename","node":"hair1","name":"lock"}"#,
            r#"{"do":"weights.flood","joint":"head","value":1,"mesh":"Body","vertices":"0-5"}"#,
            r#"{"do":"key.set","node":"neck","clip":"nod","time":0.5}"#,
            r#"{"do":"pose.morph","node":"Body","target":"smile","weight":0.5}"#,
        ] {
            run(&mut session, line(edit));
        }
        session.write_to(&to).unwrap();
        let ((was, _), (is, _)) = (split(&bytes), split(&std::fs::read(&to).unwrap()));
        assert_eq!(is["extensions"], was["extensions"], "{name}");
        assert_eq!(is["extensionsUsed"], was["extensionsUsed"]);
        let mut wanted = names(&was, "nodes");
        wanted[7] = "lock".to_owned();
        assert_eq!(names(&is, "nodes")[..wanted.len()], wanted, "{name}");
        for list in ["meshes", "materials"] {
            assert_eq!(names(&is, list), names(&was, list), "{name}");
        }
        assert_eq!(is["meshes"][1]["extras"], was["meshes"][1]["extras"]);
        let constraint = |root: &Value| root["nodes"][17]["extensions"].clone();
        assert_eq!(constraint(&is), constraint(&was));
        // The independent comparison must find no difference in the VRM extensions either.

        if let Some(differ) = judges::differences(&from, &to, &[]) {
            let of_extensions: Vec<&str> = differ.lines().filter(|l| l.contains("VRM")).collect();
            assert!(of_extensions.is_empty(), "{name}: {of_extensions:?}");
        }
        compared += 1;
    }
    assert!(compared == 2 || shared().is_none());
}

/// Whether a node is a humanoid bone or an ancestor of one.
fn carries(document: &Document, name: &str) -> bool {
    let node = named(document, name);
    let vrm = document.vrm.as_ref().unwrap();
    vrm.bones.iter().any(|(_, bone)| *bone == node || document.is_above(node, *bone))
}

const POSED: [&str; 8] =
    ["hips", "head", "leftUpperArm", "rightFoot", "hair0", "hair2", "Prop", "Body"];

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    /// A save warns about exactly the humanoid joints that are posed, both before and after saving.
    #[test]
    fn saving_a_posed_avatar_warns_about_the_changed_t_pose(
        posed in prop::collection::btree_set(0..POSED.len(), 0..4), old in any::<bool>()) {
        let list = avatars();
        prop_assume!(!list.is_empty());
        let mut session = Session::open_bytes(&list[usize::from(!old)].1).unwrap();
        for k in &posed {
            let turn = CommandLine::new("pose.rotate").with("node", POSED[*k]).with("axis",
                "x").with("degrees", 20);
            run(&mut session, turn);
        }
        let folder = tempfile::tempdir().unwrap();
        let document = session.document().clone();
        let saved = session.write_to(&folder.path().join("a.vrm")).unwrap();
        let before = session.will_change().unwrap();
        let bones: Vec<&str> =
            posed.iter().map(|k| POSED[*k]).filter(|n| carries(&document, n)).collect();
        let is_about = |said: &&String| said.contains("T-pose");
        let lost: Vec<String> = saved.lost.iter().map(|l| l.message.clone()).collect();
        prop_assert_eq!(lost.iter().filter(is_about).count(), usize::from(!bones.is_empty()));
        prop_assert_eq!(before.first().into_iter().filter(is_about).count(),
            usize::from(!bones.is_empty()));
        for said in lost.iter().chain(&before).filter(is_about) {
            for name in &bones {
                prop_assert!(said.contains(&format!("“{name}”")), "{said}");
            }
            prop_assert!(!said.contains("“hair2”") && !said.contains("“Prop”"), "{said}");
        }
        // The rows of unsaved differences mention the T-pose for the same joints.
        for row in session.edited() {
            prop_assert_eq!(row.facts.contains("T-pose"), bones.contains(&row.title.as_str()),
                "{:?}", row);
        }
    }
}

#[test]
fn edits_that_pose_no_bone_cause_no_t_pose_warning() {
    for (name, bytes) in avatars() {
        let folder = tempfile::tempdir().unwrap();
        let mut session = Session::open_bytes(&bytes).unwrap();
        run(&mut session, line(r#"{"do":"key.set","node":"head","clip":"wave","time":0.5}"#));
        run(&mut session, line(r#"{"do":"pose.rotate","node":"head","axis":"x","degrees":20}"#));
        run(&mut session, line(r#"{"do":"pose.reset","node":"head"}"#));
        let saved = session.write_to(&folder.path().join("a.vrm")).unwrap();
        assert!(saved.lost.is_empty(), "{name}: {:?}", saved.lost);
    }
}

/// Returns what the program prints to standard error.
fn errors(arguments: &[&str]) -> String {
    let made = Command::new(env!("CARGO_BIN_EXE_ulna")).args(arguments).output().unwrap();
    let said = String::from_utf8_lossy(&made.stderr).into_owned();
    assert!(made.status.success(), "{said}");
    said
}

#[test]
fn run_and_convert_warn_about_a_changed_t_pose() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    let mut tried = 0;
    for (name, bytes) in avatars() {
        std::fs::write(at(name), &bytes).unwrap();
        std::fs::write(
            at("pose.txt"),
            r#"{"do":"pose.rotate","node":"head","axis":"x","degrees":20}"#,
        )
        .unwrap();
        let said = errors(&["run", &at("pose.txt"), &at(name), "-o", &at("posed.vrm")]);
        assert!(said.contains("T-pose") && said.contains("“head”"), "{said}");
        let said = errors(&["convert", &at("posed.vrm"), "-o", &at("posed.glb")]);
        assert!(said.contains("T-pose") && said.contains("“head”"), "{said}");
        assert_eq!(errors(&["convert", &at(name), "-o", &at("plain.glb")]), "");
        let said = errors(&["export", &at(name), "--script", &at("pose.txt"), "-o", &at("e.vrm")]);
        assert!(said.contains("T-pose"), "{said}");
        tried += 1;
    }
    assert!(tried == 2 || shared().is_none());
}

fn bones(path: &Path) -> BTreeMap<String, String> {
    let session = Session::open(path, &Default::default()).unwrap();
    let document = session.document();
    let vrm = document.vrm.as_ref().unwrap_or_else(|| panic!("{} has no avatar", path.display()));
    vrm.bones
        .iter()
        .map(|(role, node)| (role.to_string(), document.node(*node).label(*node)))
        .collect()
}

#[test]
fn a_skeleton_only_export_keeps_the_humanoid_map_and_reports_removed_data() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let mut tried = 0;
    for (name, bytes) in avatars() {
        std::fs::write(at(name), &bytes).unwrap();
        for to in ["skeleton.vrm", "skeleton.glb", "skeleton.gltf"] {
            let to = at(&format!("{name}-{to}"));
            let said = errors(&[
                "export",
                "--skeleton-only",
                &at(name).to_string_lossy(),
                "-o",
                &to.to_string_lossy(),
            ]);
            assert_eq!(bones(&to), bones(&at(name)));
            let wanted: &[&str] = if name == "one.vrm" {
                &["2 expressions (blink, happy)", "first-person settings of 2 meshes"]
            } else {
                &[
                    "2 expressions (Blink, Joy)",
                    "first-person settings of 1 mesh",
                    "3 materials (m0, m1, m2)",
                ]
            };
            for what in wanted {
                assert!(said.contains(what), "{said}");
            }
            tried += 1;
        }
        // The remaining extension data must not refer to meshes or materials.
        let (root, _) = split(&std::fs::read(at(&format!("{name}-skeleton.vrm"))).unwrap());
        let text = root["extensions"].to_string();
        for gone in
            ["morphTargetBinds", "materialColorBinds", "meshAnnotations\":[{", "binds", "m2"]
        {
            assert!(!text.contains(gone), "{name}: {gone} in {text}");
        }
        assert!(
            text.contains("humanBones")
                && root.get("meshes").is_none()
                && root.get("materials").is_none()
        );
        assert_eq!(text.contains("boneGroups"), name == "zero.vrm");
        assert_eq!(text.contains("VRMC_springBone"), name == "one.vrm");
    }
    assert!(tried == 6 || shared().is_none());
}
