//! Groups of joints: created, changed, saved with the scene, and updated when joints are removed.
#![allow(clippy::unwrap_used, reason = "a test ends where something is not as it must be")]

use serde_json::{Value, json};
use ulna_edit::CommandLine;
use ulna_formats::gltf::Progress;
use ulna_model::{Document, GroupColor, JointGroup};
use ulna_session::{Session, compare_states};

use crate::common::{glb, named, run, sample, split};

/// Returns the names of the skin's joints.
fn skin_joints(document: &Document) -> Vec<String> {
    let (_, skin) = document.skins.iter().next().unwrap();
    skin.joints.iter().map(|n| document.node(*n).label(*n)).collect()
}

fn line(name: &str) -> CommandLine {
    CommandLine::new(name)
}

fn add(nodes: Value) -> CommandLine {
    line("group.add").with("node", nodes)
}

fn set(group: &str) -> CommandLine {
    line("group.set").with("group", group)
}

fn code(session: &mut Session, line: CommandLine) -> String {
    let before = session.document().clone();
    let why = session.run_line(&line).unwrap_err();
    assert_eq!(*session.document(), before, "{line}");
    why.code().to_owned()
}

/// Returns the names, colors and joints of all groups.
fn groups(document: &Document) -> Vec<(String, GroupColor, Vec<String>)> {
    let names = |g: &JointGroup| g.nodes.iter().map(|n| document.node(*n).label(*n)).collect();
    document.joint_groups().iter().map(|g| (g.name.to_string(), g.color, names(g))).collect()
}

fn saved(session: &Session) -> (Session, Value) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("saved.glb");
    session.write_to(&path).unwrap_or_else(|e| panic!("{e}"));
    let json = split(&std::fs::read(&path).unwrap()).0;
    (Session::open(&path, &Progress::default()).unwrap(), json)
}

#[test]
fn groups_are_created_changed_and_removed() {
    let mut session = sample();
    run(&mut session, add(json!(["LeftFoot", "LeftLowerLeg", "LeftFoot"])));
    run(&mut session, add(json!("Head")).with("name", " Face ").with("color", "red"));
    let of = |session: &Session| groups(session.document());
    let text = |names: &[&str]| names.iter().map(|n| (*n).to_owned()).collect::<Vec<_>>();
    assert_eq!(
        of(&session),
        [
            ("Group 1".to_owned(), GroupColor::Blue, text(&["LeftLowerLeg", "LeftFoot"])),
            ("Face".to_owned(), GroupColor::Red, text(&["Head"])),
        ]
    );
    run(&mut session, line("group.assign").with("group", "Face").with("node", json!(["Jaw"])));
    let out = line("group.assign").with("group", "Group 1").with("node", "LeftFoot");
    run(&mut session, out.with("remove", true));
    run(&mut session, set("Group 1").with("name", "Legs").with("hidden", true).with("solo", true));
    run(&mut session, set("Face").with("locked", true).with("color", "green"));
    session.document().check().unwrap();
    assert_eq!(of(&session)[0], ("Legs".into(), GroupColor::Blue, text(&["LeftLowerLeg"])));
    assert_eq!(of(&session)[1], ("Face".into(), GroupColor::Green, text(&["Head", "Jaw"])));
    let [legs, face] = session.document().joint_groups() else { panic!("two groups") };
    assert!(legs.hidden && legs.solo && !legs.locked && face.locked && !face.hidden);
    // The new group gets the third color, which no group uses yet.
    run(&mut session, add(json!("Hips")));
    assert_eq!(of(&session)[2].1, GroupColor::Amber);
    run(&mut session, line("group.remove").with("group", "Legs"));
    assert_eq!(of(&session).len(), 2);
    for _ in 0..8 {
        run(&mut session, line("edit.undo"));
    }
    assert!(of(&session).is_empty());
}

#[test]
fn groups_have_palette_or_custom_colors() {
    let mut session = sample();
    let joints = skin_joints(session.document());
    for joint in &joints[..14] {
        run(&mut session, add(json!(joint)));
    }
    let colors = |session: &Session| -> Vec<GroupColor> {
        session.document().joint_groups().iter().map(|g| g.color).collect()
    };
    let all = colors(&session);
    assert!(GroupColor::PALETTE.iter().all(|color| all[..13].contains(color)), "{all:?}");
    assert_eq!(all[13], all[0], "the palette begins anew");
    run(&mut session, set("Group 3").with("color", "#1a2B3c"));
    run(&mut session, set("Group 4").with("color", "Teal"));
    let free = GroupColor::Free([0x1a, 0x2b, 0x3c]);
    assert_eq!(colors(&session)[2..4], [free, GroupColor::Teal]);
    let (again, json) = saved(&session);
    assert_eq!(colors(&again), colors(&session));
    let kept = &json["scenes"][0]["extras"]["ulna.groups"]["groups"];
    assert_eq!((&kept[2]["color"], &kept[3]["color"]), (&json!("#1a2b3c"), &json!("teal")));
    for bad in ["beige", "#12345", "#12345g", ""] {
        let why = session.run_line(&set("Group 1").with("color", bad)).unwrap_err();
        assert!(why.to_string().contains("#rrggbb"), "{why}");
    }
}

#[test]
fn invalid_group_commands_are_refused() {
    let mut session = sample();
    run(&mut session, add(json!("Head")).with("name", "Face"));
    assert_eq!(code(&mut session, add(json!("Nobody"))), "no_such_name");
    assert_eq!(code(&mut session, add(json!("Jaw")).with("name", "Face")), "name_taken");
    assert_eq!(code(&mut session, add(json!("Jaw")).with("name", "  ")), "name_missing");
    assert_eq!(code(&mut session, set("Legs").with("hidden", true)), "no_such_group");
    assert_eq!(code(&mut session, line("group.remove").with("group", "face")), "no_such_group");
    let said = run(&mut session, set("Face").with("name", "Face")).join(" ");
    assert!(said.contains("already has these settings"), "{said}");
    let none = json!({"nodes": [{"name": "Lone"}]});
    let mut session = Session::open_bytes(&glb(none, &[])).unwrap();
    assert_eq!(code(&mut session, add(json!("Lone"))), "no_scene");
}

#[test]
fn groups_are_saved_with_the_scene_and_follow_renumbering() {
    let mut session = sample();
    run(&mut session, add(json!(["LeftFoot", "RightFoot"])).with("name", "足"));
    run(&mut session, set("足").with("locked", true));
    let (again, json) = saved(&session);
    assert_eq!(again.document().joint_groups(), session.document().joint_groups());
    let kept = &json["scenes"][0]["extras"]["ulna.groups"];
    assert_eq!(kept["version"], 1);
    assert_eq!(kept["groups"][0]["name"], "足");
    assert!(kept["groups"][0].get("hidden").is_none());
    // Removing a joint removes it from its group. Nodes with higher indices are renumbered.
    let gone = line("joint.remove").with("node", "LeftUpperArm").with("below", "remove");
    run(&mut session, gone);
    run(&mut session, line("joint.remove").with("node", "LeftFoot"));
    session.document().check().unwrap();
    let names = |s: &Session| groups(s.document()).remove(0).2;
    assert_eq!(names(&session), ["RightFoot"]);
    let (again, _) = saved(&session);
    assert_eq!(names(&again), ["RightFoot"]);
    // Removing the last group removes the list from the file.
    run(&mut session, line("group.remove").with("group", "足"));
    let (_, json) = saved(&session);
    assert!(json["scenes"][0]["extras"].get("ulna.groups").is_none());
}

#[test]
fn a_comparison_reports_changed_joint_groups() {
    let plain = sample();
    let mut session = sample();
    run(&mut session, add(json!("Head")));
    let found = compare_states(plain.document(), session.document()).differences;
    assert!(found.iter().any(|d| d.message.contains("joint groups")), "{found:?}");
    let same = compare_states(session.document(), session.document());
    assert!(same.differences.is_empty());
}

#[test]
fn invalid_groups_are_kept_in_the_file_and_ignored() {
    for bad in [
        json!({"version": 1, "groups": [{"name": "a", "nodes": [9]}]}),
        json!({"version": 1, "groups": [{"name": "a", "nodes": []}, {"name": "a", "nodes": []}]}),
        json!({"version": 1, "groups": [{"name": " ", "nodes": [0]}]}),
        json!({"version": 1, "groups": [{"name": "a", "nodes": [1, 0]}]}),
        json!({"version": 1, "groups": [{"name": "a", "nodes": [0], "color": "beige"}]}),
        json!({"version": 2, "groups": []}),
        json!([]),
    ] {
        let file = json!({
            "scene": 0,
            "scenes": [{"nodes": [0, 1], "extras": {"ulna.groups": bad, "mine": 1}}],
            "nodes": [{"name": "a"}, {"name": "b"}],
        });
        let mut session = Session::open_bytes(&glb(file, &[])).unwrap();
        assert!(session.document().joint_groups().is_empty(), "{bad}");
        assert!(!session.diagnostics.is_empty(), "{bad}");
        run(&mut session, line("node.rename").with("node", "a").with("name", "c"));
        let (_, json) = saved(&session);
        assert_eq!(json["scenes"][0]["extras"]["ulna.groups"], bad);
    }
}

/// A group can contain a joint outside every scene, and a node that is not in a skin.
#[test]
fn any_node_can_be_in_a_group() {
    let file = json!({
        "scene": 0, "scenes": [{"nodes": [0]}],
        "nodes": [{"name": "in"}, {"name": "out"}],
    });
    let mut session = Session::open_bytes(&glb(file, &[])).unwrap();
    run(&mut session, add(json!("*")));
    let (again, _) = saved(&session);
    let ours = again.document();
    assert_eq!(ours.joint_groups()[0].nodes, [named(ours, "in"), named(ours, "out")]);
}
