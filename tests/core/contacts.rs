//! Contacts of clips and retarget maps of scenes: they are set, changed, saved, and follow other
//! edits. Invalid data in files is ignored and kept.
#![allow(clippy::unwrap_used, reason = "a test ends where something is not as it must be")]

use serde_json::{Value, json};
use ulna_edit::CommandLine;
use ulna_formats::gltf::Progress;
use ulna_model::{Clip, ClipId, Goal, GoalPoint};
use ulna_session::{Session, compare_states};

use crate::common::{floats, glb, models, named, run, sample, shared, split};

const WALK: ClipId = ClipId(1);

fn line(name: &str) -> CommandLine {
    CommandLine::new(name)
}

fn of_walk(name: &str) -> CommandLine {
    line(name).with("clip", "Walk")
}

fn code(session: &mut Session, line: CommandLine) -> String {
    let before = session.document().clone();
    let why = session.run_line(&line).unwrap_err();
    assert_eq!(*session.document(), before, "{line}");
    why.code().to_owned()
}

/// Returns joint name, point, start and end of all contacts of a clip, sorted.
fn contacts(session: &Session, clip: ClipId) -> Vec<(String, GoalPoint, f32, f32)> {
    let document = session.document();
    let all = document.clips[clip].contacts.iter();
    let of = |g: &Goal| (document.node(g.node).label(g.node), g.point, g.from, g.to);
    let mut all: Vec<_> = all.map(of).collect();
    all.sort_by(|a, b| (&a.0, a.1).cmp(&(&b.0, b.1)).then(a.2.total_cmp(&b.2)));
    all
}

/// Returns start and end of all contacts, in hundredths of a second.
fn ends(session: &Session, clip: ClipId) -> Vec<(i32, i32)> {
    let round = |t: f32| (t * 100.0).round() as i32;
    contacts(session, clip).into_iter().map(|(_, _, a, b)| (round(a), round(b))).collect()
}

fn saved(session: &Session) -> (Session, Value) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("saved.glb");
    session.write_to(&path).unwrap_or_else(|e| panic!("{e}"));
    let json = split(&std::fs::read(&path).unwrap()).0;
    (Session::open(&path, &Progress::default()).unwrap(), json)
}

fn add(node: &str, from: f32, to: f32) -> CommandLine {
    of_walk("contact.add").with("node", node).with("from", from).with("to", to)
}

fn moved(node: &str, time: f32) -> CommandLine {
    of_walk("contact.move").with("node", node).with("time", time)
}

#[test]
fn contacts_are_added_moved_and_removed() {
    use GoalPoint::{Ball, Heel, Joint};
    let mut session = sample();
    assert_eq!(&*session.document().clips[WALK].name.clone().unwrap(), "Walk");
    run(&mut session, add("LeftFoot", 0.1, 0.4));
    run(&mut session, add("LeftFoot", 0.3, 0.6).with("point", "ball"));
    run(&mut session, add("RightHand", 0.5, 0.9));
    let foot = "LeftFoot".to_owned();
    assert_eq!(
        contacts(&session, WALK),
        [
            (foot.clone(), Heel, 0.1, 0.4),
            (foot, Ball, 0.1, 0.6),
            ("RightHand".to_owned(), Joint, 0.5, 0.9)
        ]
    );
    run(&mut session, of_walk("contact.remove").with("node", "RightHand").with("time", 0.7));
    // The start of the bar belongs to both points of the foot, its end only to the ball.
    run(&mut session, moved("LeftFoot", 0.5).with("from", 0.2));
    assert_eq!(ends(&session, WALK), [(20, 40), (20, 60)]);
    run(&mut session, moved("LeftFoot", 0.2).with("to", 0.7));
    assert_eq!(ends(&session, WALK), [(20, 40), (20, 70)]);
    run(&mut session, moved("LeftFoot", 0.3).with("from", 0.5).with("to", 1.0));
    assert_eq!(ends(&session, WALK), [(50, 70), (50, 100)]);
    // A contact whose range becomes empty is removed.
    run(&mut session, moved("LeftFoot", 0.9).with("from", 0.8));
    assert_eq!(ends(&session, WALK), [(80, 100)]);
    run(&mut session, add("LeftFoot", 0.2, 0.3).with("point", "heel"));
    run(&mut session, moved("LeftFoot", 0.25).with("to", 0.9).with("point", "heel"));
    assert_eq!(ends(&session, WALK), [(20, 90), (80, 100)]);
    run(&mut session, of_walk("contact.remove").with("node", "LeftFoot").with("time", 0.25));
    assert!(contacts(&session, WALK).is_empty());
    for _ in 0..11 {
        run(&mut session, line("edit.undo"));
    }
    assert_eq!(*session.document(), *sample().document());
}

#[test]
fn invalid_contact_commands_are_refused() {
    let mut session = sample();
    run(&mut session, add("LeftFoot", 0.1, 0.4));
    assert_eq!(code(&mut session, moved("LeftFoot", 0.8).with("to", 0.9)), "no_contact_there");
    assert_eq!(code(&mut session, moved("RightFoot", 0.2).with("to", 0.9)), "no_contact_there");
    let past = moved("LeftFoot", 0.2).with("from", 0.5);
    assert_eq!(code(&mut session, past), "argument_out_of_range");
    assert_eq!(code(&mut session, add("LeftFoot", 0.4, 0.4)), "argument_out_of_range");
    assert_eq!(code(&mut session, add("LeftFoot", -0.4, 0.4)), "argument_out_of_range");
    assert_eq!(code(&mut session, add("Nobody", 0.0, 0.4)), "no_such_name");
    let set = |contacts: Value| of_walk("clip.contacts").with("contacts", contacts);
    assert_eq!(code(&mut session, set(json!("heel"))), "not_contacts");
    let typo = json!([{"node": "Hips", "form": 0, "to": 1}]);
    assert_eq!(code(&mut session, set(typo)), "not_contacts");
    let nobody = json!([{"node": "Nobody", "from": 0, "to": 1}]);
    assert_eq!(code(&mut session, set(nobody)), "no_such_contact_joint");
    let backward = json!([{"node": "Hips", "from": 1, "to": 1}]);
    assert_eq!(code(&mut session, set(backward)), "argument_out_of_range");
    run(&mut session, set(json!([])));
    assert!(contacts(&session, WALK).is_empty());
}

/// Opens the sample with contacts in its walk that use every member of a contact.
fn with_contacts() -> Session {
    let mut session = sample();
    let all = json!([
        {"node": "LeftFoot", "point": "heel", "from": 0.1, "to": 0.4, "blend": 0.05},
        {"node": "LeftFoot", "point": "ball", "from": 0.2, "to": 0.6, "place": [0.1, 0.0, 0.25]},
        {"node": "RightHand", "space": "Hips", "from": 0.0, "to": 0.75},
    ]);
    run(&mut session, of_walk("clip.contacts").with("contacts", all));
    assert_eq!(contacts(&session, WALK).len(), 3);
    session
}

#[test]
fn contacts_are_saved_and_compared_and_correct_after_nodes_are_removed() {
    let mut session = with_contacts();
    let (again, json) = saved(&session);
    assert_eq!(again.document().clips[WALK].contacts, session.document().clips[WALK].contacts);
    let kept = &json["animations"][1]["extras"]["ulna.contacts"];
    assert_eq!((&kept["version"], kept["contacts"].as_array().map(Vec::len)), (&json!(1), Some(3)));
    let found = compare_states(sample().document(), session.document()).differences;
    assert!(found.iter().any(|d| d.message.contains("contacts instead of 0")), "{found:?}");
    assert!(compare_states(session.document(), again.document()).differences.is_empty());
    // Nodes with indices above the removed ones are renumbered.
    let gone = line("joint.remove").with("node", "LeftUpperArm").with("below", "remove");
    run(&mut session, gone);
    session.document().check().unwrap();
    let (again, _) = saved(&session);
    assert_eq!(contacts(&again, WALK), contacts(&session, WALK));
    assert_eq!(contacts(&again, WALK).len(), 3);
    let gone = line("joint.remove").with("node", "LeftFoot").with("below", "remove");
    run(&mut session, gone);
    session.document().check().unwrap();
    let hand = [("RightHand".to_owned(), GoalPoint::Joint, 0.0, 0.75)];
    assert_eq!(contacts(&session, WALK), hand);
    let (again, _) = saved(&session);
    assert_eq!(contacts(&again, WALK), hand);
    assert_eq!(
        again.document().clips[WALK].contacts[0].space,
        Some(named(again.document(), "Hips"))
    );
}

#[test]
fn contacts_follow_the_times_of_their_clip() {
    let changed = |line: CommandLine| {
        let mut session = with_contacts();
        run(&mut session, line.with("clip", "Walk"));
        session.document().check().unwrap();
        session
    };
    let start = |session: &Session| ends(session, WALK);
    assert_eq!(start(&with_contacts()), [(10, 40), (20, 60), (0, 75)]);
    let length = with_contacts().document().clips[WALK].length();
    let all = start(&changed(line("clip.retime").with("factor", 2.0)));
    assert_eq!(all, [(20, 80), (40, 120), (0, 150)]);
    let all = start(&changed(line("clip.trim").with("from", 0.3).with("to", 0.5)));
    assert_eq!(all, [(0, 10), (0, 20), (0, 20)]);
    let end = (length * 100.0).round() as i32;
    let all = start(&changed(line("clip.reverse")));
    assert_eq!(all, [(end - 40, end - 10), (end - 60, end - 20), (end - 75, end)]);
    let session = changed(line("clip.split").with("time", 0.5).with("name", "Rest"));
    assert_eq!(start(&session), [(10, 40), (20, 50), (0, 50)]);
    let rest = session.document().clips.ids().next_back().unwrap();
    assert_eq!(ends(&session, rest), [(0, 10), (0, 25)]);
    let session = changed(line("clip.join").with("with", "Walk"));
    assert_eq!(start(&session).len(), 6);
    let session = changed(line("clip.mirror"));
    let mut names: Vec<_> = contacts(&session, WALK).into_iter().map(|c| c.0).collect();
    names.sort_unstable();
    assert_eq!(names, ["LeftHand", "RightFoot", "RightFoot"]);
    // A copy of the clip has the same contacts.
    let session = changed(line("clip.duplicate").with("name", "Copy"));
    let copy = session.document().clips.ids().next_back().unwrap();
    assert_eq!(contacts(&session, copy), contacts(&session, WALK));
}

#[test]
fn contacts_are_detected_and_feet_stay_in_place_during_them() {
    let mut session = sample();
    let said = run(&mut session, of_walk("clip.contacts")).join(" ");
    assert!(said.contains("contacts of 2 joints found"), "{said}");
    let found = contacts(&session, WALK);
    let length = session.document().clips[WALK].length();
    assert!(found.len() >= 4 && found.iter().all(|(_, _, a, b)| *a >= 0.0 && b - a < length));
    assert!(
        found.iter().all(|(name, point, ..)| name.ends_with("Foot") && *point != GoalPoint::Joint)
    );
    let both = of_walk("clip.contacts").with("contacts", "[]").with("hands", true);
    assert_eq!(code(&mut session, both), "arguments_exclusive");
    let clean = || of_walk("clip.clean_contacts");
    let wrong = clean().with("blend", 1.5);
    assert_eq!(code(&mut session, wrong), "argument_out_of_range");
    assert_eq!(code(&mut session, clean().with("node", "Head")), "no_contact_there");
    let before = session.document().clone();
    session.run_line(&clean().with("node", "LeftFoot")).unwrap();
    let notes = session.take_notes();
    let codes: Vec<&str> = notes.iter().map(|n| n.code).collect();
    assert!(codes.contains(&"contacts_cleaned"), "{notes:?}");
    let after = session.document();
    assert_eq!(after.clips[WALK].contacts, before.clips[WALK].contacts);
    // The other leg keeps its keys.
    let foot = named(after, "RightLowerLeg");
    let keys = |d: &ulna_model::Document| -> Vec<_> {
        d.clips[WALK].tracks.values().filter(|t| t.target == foot).cloned().collect()
    };
    assert!(!keys(after).is_empty());
    assert_eq!(keys(after), keys(&before));
    run(&mut session, line("edit.undo"));
    assert_eq!(*session.document(), before);
}

#[test]
fn clips_that_cannot_be_cleaned_are_refused_with_the_reason() {
    let mut session = Session::open_bytes(&with_extras(&json!({}), &json!({}))).unwrap();
    let of = |name: &str| line(name).with("clip", "move");
    assert_eq!(code(&mut session, of("clip.contacts")), "no_contacts_found");
    assert_eq!(code(&mut session, of("clip.clean_contacts")), "no_contacts_found");
    let mut session = with_contacts();
    run(&mut session, of_walk("layer.new").with("name", "Sway"));
    assert_eq!(code(&mut session, of_walk("clip.clean_contacts")), "clip_has_layers");
}

/// Builds a chain of two joints with a clip, and with these `extras` of the animation and the
/// scene.
fn with_extras(animation: &Value, scene: &Value) -> Vec<u8> {
    let json = json!({
        "scene": 0,
        "scenes": [{"nodes": [0], "extras": scene}],
        "nodes": [{"name": "a", "children": [1]}, {"name": "b"}],
        "animations": [{
            "name": "move",
            "channels": [{"sampler": 0, "target": {"node": 1, "path": "translation"}}],
            "samplers": [{"input": 0, "output": 1}],
            "extras": animation,
        }],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": 2, "type": "SCALAR",
                "min": [0.0], "max": [1.0]},
            {"bufferView": 0, "byteOffset": 8, "componentType": 5126, "count": 2, "type": "VEC3"},
        ],
        "bufferViews": [{"buffer": 0, "byteLength": 32}],
    });
    glb(json, &floats(&[0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0]))
}

#[test]
fn invalid_contacts_are_kept_in_the_file_and_ignored() {
    let goal = |node: u32, from: f32, to: f32| json!([{"node": node, "from": from, "to": to}]);
    for bad in [
        json!({"version": 1, "contacts": goal(9, 0.0, 1.0)}),
        json!({"version": 1, "contacts": goal(0, 1.0, 1.0)}),
        json!({"version": 1, "contacts": goal(0, -1.0, 1.0)}),
        json!({"version": 1, "contacts": [{"node": 0, "space": 9, "from": 0, "to": 1}]}),
        json!({"version": 1, "contacts": [{"node": 0, "from": 0, "to": 1, "blend": -1}]}),
        json!({"version": 1, "contacts": [{"node": 0, "from": 0, "to": 1, "point": "toe"}]}),
        json!({"version": 1, "contacts": [{"node": -1, "from": 0, "to": 1}]}),
        json!({"version": 2, "contacts": []}),
        json!({"version": 1}),
        json!([]),
    ] {
        let extras = json!({"ulna.contacts": bad, "mine": 1});
        let mut session = Session::open_bytes(&with_extras(&extras, &json!({}))).unwrap();
        assert!(session.document().clips[ClipId(0)].contacts.is_empty(), "{bad}");
        assert!(!session.diagnostics.is_empty(), "{bad}");
        run(&mut session, line("node.rename").with("node", "a").with("name", "c"));
        let (_, json) = saved(&session);
        assert_eq!(json["animations"][0]["extras"], extras);
    }
    // Contacts in any order, and overlapping contacts, are accepted.
    let good = json!({"version": 1, "contacts": [
        {"node": 1, "from": 0.4, "to": 1}, {"node": 1, "from": 0, "to": 0.5}]});
    let extras = json!({"ulna.contacts": good});
    let session = Session::open_bytes(&with_extras(&extras, &json!({}))).unwrap();
    let one = [("b".to_owned(), GoalPoint::Joint, 0.0, 1.0)];
    assert_eq!(contacts(&session, ClipId(0)), one);
    assert_eq!(saved(&session).1["animations"][0]["extras"], extras);
}

fn map(name: &str) -> Value {
    json!({
        "ulna_retarget": 1,
        "name": name,
        "chains": [{"name": "Leg", "source": ["thigh", "shin"], "target": ["a", "b"],
            "rotation": "spread", "contacts": true}],
        "stride": 0.5,
        "target_pose": {"a": [0, 0, 0, 1]},
    })
}

#[test]
fn retarget_maps_are_saved_with_the_scene() {
    let mut session = Session::open_bytes(&with_extras(&json!({}), &json!({}))).unwrap();
    let keep = |map: Value| line("retarget.keep_map").with("map", map);
    run(&mut session, keep(map("Walker")));
    run(&mut session, keep(map("Runner")).with("name", " Crawler "));
    let names = |session: &Session| -> Vec<String> {
        session.document().retarget_maps().iter().map(|m| m.name.clone()).collect()
    };
    assert_eq!(names(&session), ["Walker", "Crawler"]);
    let (again, json) = saved(&session);
    assert_eq!(again.document().retarget_maps(), session.document().retarget_maps());
    assert_eq!(json["scenes"][0]["extras"]["ulna.retarget"]["maps"][0]["chains"][0]["name"], "Leg");
    let said = run(&mut session, keep(map("Walker"))).join(" ");
    assert!(said.contains("already"), "{said}");
    let mut other = map("Walker");
    other["stride"] = json!(2);
    let said = run(&mut session, keep(other)).join(" ");
    assert!(said.contains("replaced"), "{said}");
    assert_eq!(session.document().retarget_maps()[0].stride, Some(2.0));
    let found = compare_states(again.document(), session.document()).differences;
    assert!(found.iter().any(|d| d.message.contains("retarget maps")), "{found:?}");
    assert_eq!(code(&mut session, keep(json!("walk"))), "not_a_retarget_map");
    assert_eq!(code(&mut session, keep(map(" "))), "name_missing");
    let remove = |name: &str| line("retarget.remove_map").with("map", name);
    assert_eq!(code(&mut session, remove("walker")), "no_such_retarget_map");
    run(&mut session, remove("Walker"));
    run(&mut session, remove("Crawler"));
    assert!(saved(&session).1["scenes"][0]["extras"].get("ulna.retarget").is_none());
}

#[test]
fn invalid_retarget_maps_are_kept_in_the_file_and_ignored() {
    let named = |name: &str| json!({"name": name, "chains": []});
    for bad in [
        json!({"version": 1, "maps": [named("a"), named("a")]}),
        json!({"version": 1, "maps": [named(" ")]}),
        json!({"version": 1, "maps": [{"name": "a", "stride": 0}]}),
        json!({"version": 1, "maps": [{"name": "a", "chains": [{"name": "x"}, {"name": "x"}]}]}),
        json!({"version": 1, "maps": [{"name": "a", "target_pose": {"a": [0, 0, 0, 0]}}]}),
        json!({"version": 1, "maps": [{"name": "a", "root": "moon"}]}),
        json!({"version": 2, "maps": []}),
        json!("maps"),
    ] {
        let extras = json!({"ulna.retarget": bad, "mine": 1});
        let mut session = Session::open_bytes(&with_extras(&json!({}), &extras)).unwrap();
        assert!(session.document().retarget_maps().is_empty(), "{bad}");
        assert!(!session.diagnostics.is_empty(), "{bad}");
        run(&mut session, line("node.rename").with("node", "a").with("name", "c"));
        let (_, json) = saved(&session);
        assert_eq!(json["scenes"][0]["extras"], extras);
    }
}

/// Files without contacts and retarget maps are saved byte for byte.
#[test]
fn files_without_contacts_are_saved_unchanged() {
    let Some(shared) = shared() else { return };
    let folder = tempfile::tempdir().unwrap();
    let mut seen = 0;
    for file in models(&shared.join("corpus")) {
        let is_glb = file.extension().is_some_and(|e| e == "glb");
        let bytes = std::fs::read(&file).unwrap();
        if !is_glb || bytes.len() > 2 << 20 {
            continue;
        }
        let Ok(session) = Session::open(&file, &Progress::default()) else { continue };
        let has_none = |c: &Clip| c.contacts.is_empty();
        assert!(session.document().clips.values().all(|c| has_none(c)), "{}", file.display());
        let path = folder.path().join("again.glb");
        if session.write_to(&path).is_ok() {
            assert!(std::fs::read(&path).unwrap() == bytes, "{}", file.display());
            seen += 1;
        }
    }
    assert!(seen >= 10, "{seen}");
}
