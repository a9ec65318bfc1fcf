//! Retargeting by commands and on the command line: detected, given and stored maps, invalid input,
//! many files, and contacts of the results.
#![allow(clippy::unwrap_used, reason = "a test ends where something is not as it must be")]

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
};

use serde_json::{Value, json};
use ulna_edit::{CommandLine, command::map_text};
use ulna_formats::gltf::Progress;
use ulna_model::{Clip, GoalPoint, Property, RetargetMap, Shared};
use ulna_motion::retarget::guess_map;
use ulna_session::{Session, fitting_map};

use crate::common::{glb, named, run, sample, shared};

/// Writes the sample as a source file of clips. Returns its path.
fn source(folder: &Path) -> PathBuf {
    let path = folder.join("mannequin.glb");
    fs::write(&path, include_bytes!("../../assets/mannequin.glb")).unwrap();
    path
}

/// Returns a body with other names and proportions. `None` without the shared test files.
fn target() -> Option<PathBuf> {
    let path = shared()?.join("retarget/m2m-sample-rig.glb");
    if path.is_file() {
        return Some(path);
    }
    crate::common::skipped(&format!("{} is missing", path.display()));
    None
}

fn open(path: &Path) -> Session {
    Session::open(path, &Progress::default()).unwrap_or_else(|e| panic!("{e}"))
}

fn line(name: &str, path: &Path) -> CommandLine {
    CommandLine::new(name).with("path", path.display().to_string())
}

fn walk(path: &Path) -> CommandLine {
    line("clip.retarget", path).with("only", "Walk")
}

/// Runs a command. Returns the codes of its notes.
fn codes(session: &mut Session, line: &CommandLine) -> Vec<&'static str> {
    session.run_line(line).unwrap_or_else(|e| panic!("{line}: {e}"));
    session.take_notes().into_iter().map(|n| n.code).collect()
}

fn refused(session: &mut Session, line: &CommandLine) -> &'static str {
    let before = session.document().clone();
    let code = session.run_line(line).unwrap_err().code();
    assert_eq!(*session.document(), before, "{line}");
    code
}

fn last(session: &Session) -> Shared<Clip> {
    session.document().clips.values().next_back().unwrap().clone()
}

fn ulna(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_ulna")).args(arguments).output().unwrap()
}

fn json_of(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|e| panic!("{e}: {}", String::from_utf8_lossy(&output.stderr)))
}

#[test]
fn a_clip_is_retargeted_by_a_guessed_map_with_its_contacts() {
    let Some(target) = target() else { return };
    let folder = tempfile::tempdir().unwrap();
    let source = source(folder.path());
    let mut session = open(&target);
    let before = session.document().clone();
    let said = codes(&mut session, &walk(&source));
    assert!(said.contains(&"retarget_map_guessed"), "{said:?}");
    assert!(said.contains(&"contacts_cleaned"), "{said:?}");
    session.document().check().unwrap();
    let clip = last(&session);
    assert_eq!(clip.name.as_deref(), Some("Walk"));
    assert!(clip.tracks.len() > 15, "{}", clip.tracks.len());
    assert!(clip.contacts.len() >= 4, "{:?}", clip.contacts);
    let document = session.document();
    for goal in clip.contacts.iter() {
        let name = document.node(goal.node).label(goal.node);
        assert!(name.starts_with("foot") && goal.point != GoalPoint::Joint, "{name}");
    }
    // The saved file has the contacts. All changes are one step.
    let saved = folder.path().join("saved.glb");
    session.write_to(&saved).unwrap();
    assert_eq!(last(&open(&saved)).contacts, clip.contacts);
    run(&mut session, CommandLine::new("edit.undo"));
    assert_eq!(*session.document(), before);
    // Without foot locking, the keys of the legs differ.
    codes(&mut session, &walk(&source).with("contacts", false));
    assert_ne!(last(&session).tracks, clip.tracks);
    assert_eq!(last(&session).contacts, clip.contacts);
}

#[test]
fn an_imported_clip_of_another_body_keeps_its_feet_in_place_if_wanted() {
    let Some(target) = target() else { return };
    let folder = tempfile::tempdir().unwrap();
    let source = source(folder.path());
    let import = line("clip.import", &source).with("only", "Walk");
    let mut session = open(&target);
    let said = codes(&mut session, &import);
    assert!(!said.contains(&"contacts_cleaned"), "{said:?}");
    let plain = last(&session);
    assert!(plain.contacts.is_empty());
    session.run_line(&import.clone().with("contacts", true)).unwrap();
    let notes = session.take_notes();
    let note = notes.iter().find(|n| n.code == "contacts_cleaned").unwrap();
    assert!(note.message.contains("0.0 cm after"), "{note}");
    assert!(!note.message.contains("0.0 cm before"), "{note}");
    let kept = last(&session);
    let leg = named(session.document(), "thigh_l");
    let keys = |clip: &Shared<Clip>| clip.tracks.of(leg, Property::Rotation).unwrap().1.times.len();
    assert!(keys(&kept) > keys(&plain), "{} and {} keys", keys(&kept), keys(&plain));
    // Keys of the arms are the same.
    let arm = named(session.document(), "upperarm_l");
    let values = |clip: &Shared<Clip>| {
        clip.tracks.of(arm, Property::Rotation).map(|(_, t)| t.values.to_vec()).unwrap()
    };
    assert_eq!(values(&plain), values(&kept));
    // The same body needs no retargeting.
    let mut same = sample();
    let said = codes(&mut same, &import.with("contacts", true));
    assert!(!said.contains(&"contacts_cleaned"), "{said:?}");
}

#[test]
fn chosen_contacts_are_retargeted() {
    let Some(target) = target() else { return };
    let folder = tempfile::tempdir().unwrap();
    let mut body = sample();
    let add = CommandLine::new("contact.add").with("clip", "Walk").with("node", "LeftFoot");
    run(&mut body, add.with("from", 0.25).with("to", 0.5));
    let source = folder.path().join("edited.glb");
    body.write_to(&source).unwrap();
    let mut session = open(&target);
    codes(&mut session, &walk(&source));
    let clip = last(&session);
    assert!(!clip.contacts.is_empty());
    assert!(clip.contacts.iter().all(|g| (g.from, g.to) == (0.25, 0.5)), "{:?}", clip.contacts);
}

#[test]
fn a_stored_map_is_used_automatically() {
    let Some(target) = target() else { return };
    let folder = tempfile::tempdir().unwrap();
    let source = source(folder.path());
    let mut session = open(&target);
    let theirs = open(&source);
    assert_eq!(fitting_map(session.document(), theirs.document()), None);
    let guessed = guess_map(theirs.document(), session.document());
    let map = RetargetMap { name: "Mannequin".into(), stride: Some(0.5), ..guessed };
    let keep = CommandLine::new("retarget.keep_map").with("map", map_text(&map));
    run(&mut session, keep);
    assert_eq!(fitting_map(session.document(), theirs.document()), Some(&map));
    let mut clips = Vec::new();
    for name in ["clip.import", "clip.retarget"] {
        let said = codes(&mut session, &line(name, &source).with("only", "Walk"));
        assert!(said.contains(&"retarget_map_used"), "{name}: {said:?}");
        clips.push(last(&session));
    }
    assert_eq!(clips[0].tracks, clips[1].tracks);
    assert_eq!(clips[0].contacts, clips[1].contacts);
    let named = walk(&source).with("map", "Mannequin");
    let said = codes(&mut session, &named);
    assert!(!said.iter().any(|c| c.starts_with("retarget_map")), "{said:?}");
    assert_eq!(last(&session).tracks, clips[0].tracks);
    // An explicit method overrides the stored map.
    let copy = line("clip.import", &source).with("only", "Walk").with("how", "copy");
    let said = codes(&mut session, &copy.with("force", true));
    assert!(!said.contains(&"retarget_map_used"), "{said:?}");
    // The saved file has the map.
    let saved = folder.path().join("saved.glb");
    session.write_to(&saved).unwrap();
    assert_eq!(open(&saved).document().retarget_maps(), [map]);
}

#[test]
fn retargeted_clips_have_the_requested_keys() {
    let folder = tempfile::tempdir().unwrap();
    let source = source(folder.path());
    let mut session = sample();
    let ask = |session: &mut Session, keys: &str| {
        let said = codes(session, &walk(&source).with("keys", keys));
        (last(session), said.contains(&"keys_reduced"))
    };
    let (plain, _) = ask(&mut session, "source");
    codes(&mut session, &walk(&source));
    assert_eq!(last(&session).tracks, plain.tracks, "as in the source if omitted");
    // With `frames`, all tracks that move have one key per frame.
    let (frames, is_reduced) = ask(&mut session, "frames");
    let rate = plain.guess_fps().unwrap().0;
    let wanted = (f64::from(plain.length()) * rate).round() as usize + 1;
    let counts: Vec<usize> =
        frames.tracks.values().map(|t| t.times.len()).filter(|n| *n > 1).collect();
    assert!(!is_reduced && counts.len() > 10, "{counts:?}");
    assert!(counts.iter().all(|n| n.abs_diff(wanted) <= 1), "{counts:?} is not {wanted}");
    // With `reduced`, there are fewer keys within an error. A larger error leaves fewer.
    let (reduced, is_reduced) = ask(&mut session, "reduced");
    assert!(is_reduced && reduced.key_count() < plain.key_count());
    assert_eq!(reduced.contacts, plain.contacts);
    assert!((reduced.length() - plain.length()).abs() < 1e-6);
    codes(&mut session, &walk(&source).with("keys", "reduced").with("millimetres", 20.0));
    let coarse = last(&session).key_count();
    assert!(coarse < reduced.key_count(), "{coarse} of {}", reduced.key_count());
    let wrong = walk(&source).with("keys", "reduced").with("millimetres", 0.0);
    assert_eq!(refused(&mut session, &wrong), "argument_out_of_range");
    // The command line gives the same result, and prints the number of keys.
    let (from, out) = (source.display().to_string(), folder.path().join("out.glb"));
    let out = out.display().to_string();
    let call = ["retarget", "--from", &from, "--to", &from, "-o", &out, "--only", "Walk", "--json"];
    let keys = |more: &[&str]| {
        let done = ulna(&[&call[..], more].concat());
        let result = json_of(&done);
        assert_eq!(done.status.code(), Some(0), "{result:#}");
        result["clips"][0]["keys"].as_u64().unwrap() as usize
    };
    assert_eq!(keys(&[]), plain.key_count());
    assert_eq!(keys(&["--keys", "frames"]), frames.key_count());
    assert_eq!(keys(&["--keys", "reduced", "--tolerance", "20"]), coarse);
}

#[test]
fn invalid_maps_and_sources_are_refused_with_advice() {
    let Some(target) = target() else { return };
    let folder = tempfile::tempdir().unwrap();
    let source = source(folder.path());
    let mut session = open(&target);
    let with = |map: Value| walk(&source).with("map", map);
    let leg = |joint: &str| {
        json!({"chains": [
            {"name": "Leg", "source": ["LeftUpperLeg", "LeftLowerLeg"],
                "target": ["thigh_l", joint]}
        ]})
    };
    assert_eq!(refused(&mut session, &with(json!("nowhere.json"))), "file_unreadable");
    assert_eq!(refused(&mut session, &with(json!({"chains": []}))), "not_a_retarget_map");
    assert_eq!(refused(&mut session, &with(leg("shin_l"))), "no_joint_of_chain");
    let said = codes(&mut session, &with(leg("shin_l")).with("force", true));
    assert!(said.contains(&"joints_not_here"), "{said:?}");
    assert!(said.contains(&"joints_in_no_chain"), "{said:?}");
    assert_eq!(refused(&mut session, &walk(&source).with("stride", 0)), "argument_out_of_range");
    let none = line("clip.retarget", &source).with("only", "Swim");
    assert_eq!(refused(&mut session, &none), "no_such_clip");
    let nowhere = line("clip.retarget", Path::new("/nowhere/*.glb"));
    assert_eq!(refused(&mut session, &nowhere), "folder_unreadable");
    // A file without joints cannot be a source.
    let bare = json!({"scene": 0, "scenes": [{"nodes": [0]}], "nodes": [{"name": "box"}]});
    let mut bare = Session::open_bytes(&glb(bare, &[])).unwrap();
    assert_eq!(refused(&mut bare, &walk(&source)), "no_chain_matches");
    let empty = folder.path().join("empty.glb");
    bare.write_to(&empty).unwrap();
    assert_eq!(refused(&mut session, &line("clip.retarget", &empty)), "no_clips");
}

#[test]
fn many_sources_are_retargeted_to_many_targets_in_one_call() {
    let Some(target) = target() else { return };
    let folder = tempfile::tempdir().unwrap();
    let (source, at) = (source(folder.path()), |name: &str| folder.path().join(name));
    fs::create_dir(at("to")).unwrap();
    fs::copy(&target, at("to/a.glb")).unwrap();
    fs::copy(&source, at("to/b.glb")).unwrap();
    let text = |path: &Path| path.display().to_string();
    let (from, pattern, out) = (text(&source), text(&at("to/*.glb")), text(&at("out")));
    let call = ["retarget", "--from", &from, "--to", &pattern, "-o", &out, "--only", "Walk"];
    let done = ulna(&[&call[..], &["--json"]].concat());
    let result = json_of(&done);
    assert_eq!(done.status.code(), Some(0), "{result:#}");
    let files = result["files"].as_array().unwrap();
    assert_eq!(files.len(), 2);
    for file in files {
        assert_eq!(file["maps"][0]["origin"], "guessed");
        let clip = &file["clips"][0];
        assert_eq!(clip["name"], "Walk");
        let contacts = clip["contacts"].as_array().unwrap();
        assert!(contacts.len() >= 2, "{clip:#}");
        assert!(contacts.iter().all(|c| c["to"].as_f64() > c["from"].as_f64()), "{clip:#}");
        let cm = |name: &str| clip[name].as_f64().unwrap();
        assert!(cm("sliding_after_cm") <= cm("sliding_before_cm").max(0.5), "{clip:#}");
        let saved = open(Path::new(file["output"].as_str().unwrap()));
        assert!(!last(&saved).contacts.is_empty());
    }
    // A second clip with the same name gets a number, because the sample already has a walk.
    assert_eq!(last(&open(&at("out/b.glb"))).name.as_deref(), Some("Walk 2"));
}

#[test]
fn a_map_is_written_stored_and_read_back() {
    let Some(target) = target() else { return };
    let folder = tempfile::tempdir().unwrap();
    let (source, at) = (source(folder.path()), |name: &str| folder.path().join(name));
    let text = |path: &Path| path.display().to_string();
    let (from, to, map) = (text(&source), text(&target), text(&at("pair.json")));
    let (first, second) = (text(&at("first.glb")), text(&at("second.glb")));
    let call = |out: &str, more: &[&str]| {
        let all = ["retarget", "--from", &from, "--to", &to, "--only", "Walk", "-o", out];
        ulna(&[&all[..], more].concat())
    };
    let done = call(&first, &["--write-map", &map, "--keep-map"]);
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let said = String::from_utf8(done.stdout).unwrap();
    assert!(said.contains("Walk: ") && said.contains(" contacts, sliding "), "{said}");
    assert_eq!(open(&at("first.glb")).document().retarget_maps()[0].name, "mannequin");
    let done = call(&second, &["--map", &map, "--json"]);
    let result = json_of(&done);
    assert_eq!(
        (result["verb"].as_str(), &result["maps"][0]["origin"]),
        (Some("retarget"), &json!("given"))
    );
    assert_eq!(last(&open(&at("second.glb"))).tracks, last(&open(&at("first.glb"))).tracks);
    assert!(open(&at("second.glb")).document().retarget_maps().is_empty());
    // If the file stores a map, no map needs to be given.
    let (first, third) = (text(&at("first.glb")), text(&at("third.glb")));
    let again = ["retarget", "--from", &from, "--to", &first, "-o", &third, "--json"];
    assert_eq!(json_of(&ulna(&again))["maps"][0]["origin"], "kept");
    // Invalid input.
    fs::write(at("pair.json"), "{\"chain\": []}").unwrap();
    let done = call(&second, &["--map", &map, "--json"]);
    assert_eq!(done.status.code(), Some(2));
    let error = &json_of(&done)["error"];
    assert_eq!(error["code"], "not_a_retarget_map");
    assert!(error["message"].as_str().unwrap().contains("did you mean “chains”"), "{error}");
    let done = call(&second, &["--stride", "-1", "--json"]);
    assert_eq!(json_of(&done)["error"]["code"], "wrong_arguments");
}

/// Retargets every clip of every small skinned character to the sample. Each is retargeted, or
/// refused with a reason. Documents stay valid.
#[test]
fn characters_of_the_corpus_are_retargeted_or_refused_with_the_reason() {
    let Some(shared) = shared() else { return };
    let (mut over, mut refused) = (0, 0);
    for path in crate::common::models(&shared.join("corpus/characters")).into_iter().take(12) {
        if fs::metadata(&path).is_ok_and(|m| m.len() > 3 << 20) {
            continue;
        }
        let mut session = sample();
        match session.run_line(&line("clip.retarget", &path)) {
            Ok(_) => {
                over += 1;
                session.document().check().unwrap();
                let clip = last(&session);
                assert!(clip.tracks.values().all(|t| t.values.iter().all(|v| v.is_finite())));
            }
            Err(why) => {
                refused += 1;
                assert!(!why.to_string().is_empty());
            }
        }
    }
    assert!(over >= 2, "{over} came over, {refused} did not");
}

/// Runs `ulna retarget` on the walk of the sample, from a file to another. Returns the exit status
/// and the text on standard error.
fn retarget_walk(folder: &Path, [from, to]: [&Path; 2], more: &[&str]) -> (Option<i32>, String) {
    let text = |path: &Path| path.display().to_string();
    let (from, to, out) = (text(from), text(to), text(&folder.join("made.glb")));
    let call = ["retarget", "--from", &from, "--to", &to, "-o", &out, "--only", "Walk"];
    let done = ulna(&[&call[..], more].concat());
    (done.status.code(), String::from_utf8_lossy(&done.stderr).into_owned())
}

#[test]
fn the_command_line_names_its_options_and_refuses_a_tolerance_without_reduced_keys() {
    let folder = tempfile::tempdir().unwrap();
    let source = source(folder.path());
    let pair = [&*source, &*source];
    for keys in [&["--tolerance", "2"][..], &["--tolerance", "2", "--keys", "frames"]] {
        let (status, said) = retarget_walk(folder.path(), pair, keys);
        assert_eq!(status, Some(2), "{said}");
        assert!(said.contains("--tolerance applies only to --keys reduced"), "{said}");
    }
    // A joint that does not exist.
    let map = folder.path().join("map.json");
    let chain = json!({"name": "Leg", "source": ["LeftUpperLeg"], "target": ["thigh_l"]});
    fs::write(&map, json!({"ulna_retarget": 1, "chains": [chain]}).to_string()).unwrap();
    let map = map.display().to_string();
    let (status, said) = retarget_walk(folder.path(), pair, &["--map", &map]);
    assert_eq!(status, Some(1), "{said}");
    assert!(said.contains("leave such joints out with --force"), "{said}");
    // A model without matching joints.
    let bare = json!({"scene": 0, "scenes": [{"nodes": [0]}], "nodes": [{"name": "box"}]});
    let other = folder.path().join("box.glb");
    fs::write(&other, glb(bare, &[])).unwrap();
    let (status, said) = retarget_walk(folder.path(), [&source, &other], &[]);
    assert_eq!(status, Some(1), "{said}");
    assert!(said.contains("give a retarget map with --map"), "{said}");
}

#[test]
fn feet_that_still_slide_are_reported_on_a_line_of_their_own() {
    let folder = tempfile::tempdir().unwrap();
    let source = source(folder.path());
    let pair = [&*source, &*source];
    let (status, said) = retarget_walk(folder.path(), pair, &[]);
    assert_eq!(status, Some(0), "{said}");
    assert!(!said.contains("still slide"), "{said}");
    // Hips that are too high for the legs, and that are not lowered.
    let session = open(&source);
    let mut map = guess_map(session.document(), session.document());
    map.name = "high".to_owned();
    map.height = Some(1.5);
    map.contacts.lower_hips = false;
    let path = folder.path().join("high.json");
    fs::write(&path, map_text(&map)).unwrap();
    let path = path.display().to_string();
    let (status, said) = retarget_walk(folder.path(), pair, &["--map", &path]);
    assert_eq!(status, Some(0), "{said}");
    let line = said.lines().find(|l| l.contains("feet or hands still slide by more than 0.5 cm"));
    assert!(line.is_some_and(|l| l.contains("1 clip") && l.ends_with("in Walk")), "{said}");
}
