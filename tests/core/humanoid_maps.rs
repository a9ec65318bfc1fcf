//! The humanoid map: detected, corrected, saved in scenes and in VRM files, and used for transfers
//! between skeletons.
#![allow(clippy::unwrap_used, reason = "a test ends where something is not as it must be")]

use serde_json::{Value, json};
use ulna_edit::CommandLine;
use ulna_formats::gltf::Progress;
use ulna_model::{Document, NodeId};
use ulna_motion::{JointNames, humanoid_map, humanoid_names, missing_bones};
use ulna_session::{Session, compare_states};

use crate::common::{glb, named, run, sample, split};

fn line() -> CommandLine {
    CommandLine::new("rig.humanoid")
}

fn bone(document: &Document, role: &str) -> Option<String> {
    let node = humanoid_map(document).get(role).copied()?;
    Some(document.node(node).label(node))
}

fn saved(session: &Session) -> (Session, Value) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("saved.glb");
    session.write_to(&path).unwrap_or_else(|e| panic!("{e}"));
    let json = split(&std::fs::read(&path).unwrap()).0;
    (Session::open(&path, &Progress::default()).unwrap(), json)
}

fn code(session: &mut Session, line: CommandLine) -> String {
    let before = session.document().clone();
    let why = session.run_line(&line).unwrap_err();
    assert_eq!(*session.document(), before, "{line}");
    why.code().to_owned()
}

#[test]
fn a_humanoid_map_is_guessed_corrected_cleared_and_saved() {
    let mut session = sample();
    assert!(session.document().humanoid().is_none());
    let said = run(&mut session, line()).join(" ");
    assert!(said.contains("bones were guessed") && !said.contains("required"), "{said}");
    let ours = session.document();
    ours.check().unwrap();
    assert!(missing_bones(&humanoid_map(ours)).is_empty());
    assert_eq!(bone(ours, "leftUpperLeg").as_deref(), Some("LeftUpperLeg"));
    assert_eq!(bone(ours, "rightThumbMetacarpal").as_deref(), Some("RightThumb1"));
    // A joint can have only one role. Its previous role is removed.
    let bones = json!(["leftFoot=LeftToes", "jaw="]);
    let said = run(&mut session, line().with("bones", bones)).join(" ");
    assert!(!said.contains("guessed"), "{said}");
    let ours = session.document();
    assert_eq!(bone(ours, "leftFoot").as_deref(), Some("LeftToes"));
    assert_eq!((bone(ours, "leftToes"), bone(ours, "jaw")), (None, None));
    let said = run(&mut session, line().with("bones", "hips=Head")).join(" ");
    assert!(said.contains("required bones without a joint: head"), "{said}");
    assert!(said.contains("the joint of leftUpperLeg is not below the joint of hips"), "{said}");
    run(&mut session, CommandLine::new("edit.undo"));
    let (again, json) = saved(&session);
    assert_eq!(humanoid_map(again.document()), humanoid_map(session.document()));
    let kept = &json["scenes"][0]["extras"]["ulna.humanoid"];
    assert_eq!(kept["bones"]["leftFoot"], named(session.document(), "LeftToes").0);
    let found = compare_states(sample().document(), session.document()).differences;
    assert!(found.iter().any(|d| d.message.contains("humanoid map")), "{found:?}");
    run(&mut session, line().with("clear", true));
    assert!(session.document().humanoid().is_none());
    let said = run(&mut session, line().with("clear", true)).join(" ");
    assert!(said.contains("already has this content"), "{said}");
}

#[test]
fn invalid_humanoid_map_commands_are_refused() {
    let mut session = sample();
    assert_eq!(code(&mut session, line().with("bones", "hips=Nobody")), "no_such_name");
    assert_eq!(code(&mut session, line().with("bones", "tail=Head")), "no_such_bone");
    assert_eq!(code(&mut session, line().with("bones", "hips")), "argument_type");
    let twice = json!(["hips=Hips", "spine=Hips"]);
    assert_eq!(code(&mut session, line().with("bones", twice)), "named_twice");
    let none = json!({"nodes": [{"name": "Hips"}]});
    let mut session = Session::open_bytes(&glb(none, &[])).unwrap();
    assert_eq!(code(&mut session, line().with("bones", "hips=Hips")), "no_scene");
    let empty = json!({"scene": 0, "scenes": [{"nodes": [0]}], "nodes": [{"name": "Box"}]});
    let mut session = Session::open_bytes(&glb(empty, &[])).unwrap();
    let said = run(&mut session, line()).join(" ");
    assert!(said.contains("no joint could be recognized"), "{said}");
}

/// Builds a body whose joint names are meaningless or misleading.
fn body() -> Value {
    json!({
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": [
            {"name": "a", "children": [1, 3], "translation": [0.0, 1.0, 0.0]},
            {"name": "b", "children": [2], "translation": [0.0, 0.3, 0.0]},
            {"name": "RightHand", "translation": [0.5, 0.0, 0.0]},
            {"name": "d", "translation": [0.1, -0.4, 0.0], "children": [4]},
            {"name": "x", "translation": [0.0, -0.4, 0.0]}],
    })
}

#[test]
fn the_map_overrides_names_and_removed_joints_are_dropped_from_it() {
    let mut session = Session::open_bytes(&glb(body(), &[])).unwrap();
    let bones = json!(["hips=a", "spine=b", "leftHand=RightHand", "leftUpperLeg=d"]);
    let said = run(&mut session, line().with("bones", bones)).join(" ");
    assert!(said.contains("required bones without a joint: head, leftLowerLeg"), "{said}");
    let ours = session.document();
    let names = humanoid_names(ours, JointNames::Mixamo);
    let of = |n: &str| {
        let node = named(ours, n);
        names.iter().find(|(k, _)| *k == node).map(|(_, name)| name.clone())
    };
    assert_eq!(of("RightHand").as_deref(), Some("mixamorig:LeftHand"));
    assert_eq!(of("a").as_deref(), Some("mixamorig:Hips"));
    run(&mut session, CommandLine::new("node.remove").with("node", "d"));
    session.document().check().unwrap();
    assert_eq!(bone(session.document(), "leftUpperLeg"), None);
    let (again, _) = saved(&session);
    assert_eq!(bone(again.document(), "leftHand").as_deref(), Some("RightHand"));
}

/// Builds an avatar whose humanoid bones are in the extension of VRM 0 or VRM 1.
fn avatar(version: u32) -> Vec<u8> {
    let mut file = body();
    file["extensions"] = if version == 0 {
        json!({"VRM": {"specVersion": "0.0", "meta": {"title": "t"}, "humanoid": {
            "armStretch": 0.05,
            "humanBones": [
                {"bone": "hips", "node": 0, "useDefaultValues": true},
                {"bone": "leftHand", "node": 2, "useDefaultValues": false, "axisLength": 0.25},
                {"bone": "leftThumbProximal", "node": 4, "useDefaultValues": true}]}}})
    } else {
        json!({"VRMC_vrm": {"specVersion": "1.0", "meta": {"name": "t", "authors": ["a"],
            "licenseUrl": "https://vrm.dev/licenses/1.0/"}, "humanoid": {"humanBones": {
                "hips": {"node": 0, "extras": {"mine": 1}}, "leftHand": {"node": 2},
                "leftThumbMetacarpal": {"node": 4}}}}})
    };
    let used = if version == 0 { "VRM" } else { "VRMC_vrm" };
    file["extensionsUsed"] = json!([used]);
    glb(file, &[])
}

#[test]
fn vrm_1_stores_the_map_in_its_extension_and_keeps_other_data() {
    let mut session = Session::open_bytes(&avatar(1)).unwrap();
    let bones = json!(["hips=b", "spine=a", "leftHand=", "rightHand=RightHand"]);
    run(&mut session, line().with("bones", bones));
    let (again, json) = saved(&session);
    let own = &json["extensions"]["VRMC_vrm"]["humanoid"]["humanBones"];
    assert_eq!(
        *own,
        json!({"hips": {"node": 1, "extras": {"mine": 1}}, "leftThumbMetacarpal": {"node": 4},
            "rightHand": {"node": 2}, "spine": {"node": 0}})
    );
    assert_eq!(json["extensions"]["VRMC_vrm"]["meta"]["name"], "t");
    assert!(json["scenes"][0].get("extras").is_none());
    assert_eq!(humanoid_map(again.document()), humanoid_map(session.document()));
    // After undo, the saved file is equal byte for byte.
    run(&mut session, CommandLine::new("edit.undo"));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("same.glb");
    session.write_to(&path).unwrap();
    assert_eq!(std::fs::read(path).unwrap(), avatar(1));
}

#[test]
fn vrm_0_stores_the_map_with_its_own_bone_names() {
    let mut session = Session::open_bytes(&avatar(0)).unwrap();
    assert_eq!(bone(session.document(), "leftThumbMetacarpal").as_deref(), Some("x"));
    let bones = json!(["leftThumbMetacarpal=d", "leftThumbProximal=x", "leftHand=b"]);
    run(&mut session, line().with("bones", bones));
    let (again, json) = saved(&session);
    let own = &json["extensions"]["VRM"]["humanoid"];
    assert_eq!(own["armStretch"], 0.05);
    assert_eq!(
        own["humanBones"],
        json!([
            {"bone": "hips", "node": 0, "useDefaultValues": true},
            {"bone": "leftHand", "node": 1, "useDefaultValues": false, "axisLength": 0.25},
            {"bone": "leftThumbProximal", "node": 3, "useDefaultValues": true},
            {"bone": "leftThumbIntermediate", "node": 4, "useDefaultValues": true}])
    );
    assert_eq!(humanoid_map(again.document()), humanoid_map(session.document()));
    // A cleared bone does not prevent the removal of its joint.
    let remove = || CommandLine::new("node.remove").with("node", "d");
    assert_eq!(code(&mut session, remove()), "is_avatar_bone");
    let thumb = json!(["leftThumbMetacarpal=", "leftThumbProximal="]);
    run(&mut session, line().with("bones", thumb));
    run(&mut session, remove());
    let (again, json) = saved(&session);
    again.document().check().unwrap();
    let count = json["extensions"]["VRM"]["humanoid"]["humanBones"].as_array().unwrap().len();
    assert_eq!(count, 2, "the joint below went with it");
}

#[test]
fn avatars_without_a_map_can_get_one() {
    for name in ["VRM", "VRMC_vrm"] {
        let mut file = body();
        let meta = json!({"name": "t", "authors": ["a"], "licenseUrl": "x"});
        file["extensions"] = json!({name: {"specVersion": "1.0", "meta": meta}});
        let mut session = Session::open_bytes(&glb(file, &[])).unwrap();
        run(&mut session, line().with("bones", "hips=a"));
        let (again, _) = saved(&session);
        assert_eq!(humanoid_map(again.document()).get("hips"), Some(&NodeId(0)), "{name}");
    }
}

#[test]
fn invalid_maps_are_kept_in_the_file_and_ignored() {
    for bad in [
        json!({"version": 1, "bones": {"hips": 9}}),
        json!({"version": 1, "bones": {}}),
        json!({"version": 1, "bones": {"hips": "a"}}),
        json!({"version": 3, "bones": {"hips": 0}}),
    ] {
        let mut file = body();
        file["scenes"][0]["extras"] = json!({"ulna.humanoid": bad});
        let session = Session::open_bytes(&glb(file, &[])).unwrap();
        assert!(session.document().humanoid().is_none(), "{bad}");
        assert!(!session.diagnostics.is_empty(), "{bad}");
        let (_, json) = saved(&session);
        assert_eq!(json["scenes"][0]["extras"]["ulna.humanoid"], bad);
    }
}
