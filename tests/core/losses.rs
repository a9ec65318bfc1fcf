//! Cases in which earlier versions lost data, each with a file of the corpus.
#![allow(clippy::unwrap_used, reason = "a test ends where something is not as it must be")]

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
};

use glam::Quat;
use serde_json::Value;
use ulna_edit::CommandLine;
use ulna_formats::gltf::Progress;
use ulna_model::{ClipId, Document, Interpolation, Local, NodeId, Property, Track};
use ulna_motion::sample_into;
use ulna_session::{Session, differences};

fn found(name: &str) -> Option<PathBuf> {
    crate::common::shared().map(|s| s.join("corpus/found").join(name))
}

fn open(path: &Path) -> Session {
    Session::open(path, &Progress::default()).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

fn line(name: &str) -> CommandLine {
    CommandLine::new(name)
}

fn node(document: &Document, name: &str) -> NodeId {
    let is = |id: &NodeId| document.node(*id).name.as_deref() == Some(name);
    document.node_ids().find(is).unwrap_or_else(|| panic!("no {name}"))
}

/// Returns the JSON of a GLB.
fn json(glb: &[u8]) -> Value {
    let length = u32::from_le_bytes(glb[12..16].try_into().unwrap()) as usize;
    serde_json::from_slice(&glb[20..20 + length]).unwrap()
}

fn saved(session: &Session) -> (tempfile::TempDir, PathBuf, Session) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("saved.glb");
    session.write_to(&path).unwrap();
    let again = open(&path);
    (folder, path, again)
}

fn ulna(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_ulna")).args(arguments).output().expect("the program")
}

#[test]
fn a_joint_given_as_a_matrix_keeps_its_edits() {
    let Some(path) = found("posedmatrix.glb") else { return };
    let bytes = fs::read(&path).unwrap();
    let mut tried = 0;
    for command in ["pose.rotate", "pose.reset", "key.set"] {
        let mut session = open(&path);
        let joint = node(session.document(), "M2");
        let index = joint.index();
        assert!(json(&bytes)["nodes"][index].get("matrix").is_some());
        let said = match command {
            "pose.rotate" => line(command).with("node", "M2").with("axis", "z").with("degrees", 25),
            "pose.reset" => line(command).with("node", "M2"),
            _ => {
                session.run_line(&line("clip.new").with("name", "New")).unwrap();
                line(command).with("node", "M2").with("clip", "New").with("time", 0.5)
            }
        };
        assert!(session.run_line(&said).unwrap(), "{said}");
        let (_folder, path, again) = saved(&session);
        let text = json(&fs::read(&path).unwrap());
        assert!(
            text["nodes"][index].get("matrix").is_none(),
            "{command}: {}",
            text["nodes"][index]
        );
        let (was, is) = (
            session.document().node(joint).local().transform(),
            again.document().node(joint).local(),
        );
        assert!(
            matches!(is, Local::Trs(_)) && was.matrix().abs_diff_eq(is.transform().matrix(), 1e-5)
        );
        let lost = differences(session.document(), again.document());
        assert!(lost.iter().all(|d| d.message.contains("rest pose is")), "{command}: {lost:?}");
        tried += 1;
    }
    // A node without an edit keeps its matrix, bit for bit.
    let mut session = open(&path);
    session.run_line(&line("node.rename").with("node", "#0").with("name", "Another")).unwrap();
    let (_folder, path, _) = saved(&session);
    let index = node(session.document(), "M2").index();
    assert_eq!(
        json(&fs::read(path).unwrap())["nodes"][index]["matrix"],
        json(&bytes)["nodes"][index]["matrix"]
    );
    assert_eq!(tried, 3);
}

#[test]
fn shear_is_kept_until_an_edit_drops_it_with_a_note() {
    let Some(path) = found("shear.glb") else { return };
    let mut session = open(&path);
    let joint = node(session.document(), "M2");
    let name = session.document().node(joint).label(joint);
    let sheared = session.document().node(joint).local();
    session.run_line(&line("clip.new").with("name", "Other")).unwrap();
    assert_eq!(session.document().node(joint).local(), sheared);
    assert!(session.take_sentence().is_none());
    session
        .run_line(
            &line("pose.rotate").with("node", name.as_str()).with("axis", "x").with("degrees", 5),
        )
        .unwrap();
    let said = session.take_sentence();
    assert!(said.iter().any(|r| r.contains("shear")), "{said:?}");
    assert!(matches!(session.document().node(joint).local(), Local::Trs(_)));
    session.undo();
    assert_eq!(session.document().node(joint).local(), sheared, "and comes back");
}

#[test]
fn a_scale_of_zero_can_be_set() {
    let Some(path) = found("zero.glb") else { return };
    let mut session = open(&path);
    let flat = |d: &Document, id: NodeId| d.node(id).local().transform().scale.min_element() == 0.0;
    let joint = session
        .document()
        .node_ids()
        .find(|id| flat(session.document(), *id))
        .expect("a scale of 0");
    let name = session.document().node(joint).label(joint);
    let set = line("pose.set").with("node", name.as_str()).with("scale", vec![1.0, 1.5, 2.0]);
    assert!(session.run_line(&set).unwrap());
    let (_folder, _, again) = saved(&session);
    let scale = again.document().node(joint).local().transform().scale;
    assert_eq!(scale.to_array(), [1.0, 1.5, 2.0]);
}

#[test]
fn thousands_of_keys_are_removed_in_one_edit_of_one_track() {
    let Some(path) = found("many-keys.glb") else { return };
    let mut session = open(&path);
    let clip = session.document().clips.ids().next().expect("a clip");
    let keys = |s: &Session| {
        s.document().clips[clip].tracks.values().map(|t| t.times.len()).sum::<usize>()
    };
    let times: Vec<f32> =
        session.document().clips[clip].tracks.values().next().unwrap().times[1..11_999].to_vec();
    let before = keys(&session);
    let delete = line("key.delete").with("clip", "#0").with("times", times);
    assert!(session.run_line(&delete).unwrap());
    assert_eq!(before - keys(&session), 11_998);
    let step = &session.history().done()[0];
    assert_eq!(step.lines(session.document()).len(), 1, "one line");
    session.undo();
    assert_eq!(keys(&session), before);
}

/// Returns the largest difference between two tracks at many times; in radians for rotations.
fn apart(a: &Track, b: &Track) -> f32 {
    let end = a.times[a.times.len() - 1];
    let width = if a.property == Property::Rotation { 4 } else { 3 };
    let value = |t: &Track, time: f32| {
        let mut out = vec![0.0; width];
        sample_into(t, f64::from(time), &mut out);
        out
    };
    let far = |k: u16| {
        let time = end * f32::from(k) / 997.0;
        let (a, b) = (value(a, time), value(b, time));
        if width == 4 {
            // The angle is computed from the chord, because the arc cosine is inexact for small
            // angles.
            let (a, b) = (Quat::from_slice(&a).normalize(), Quat::from_slice(&b).normalize());
            let chord = (a - b).length().min((a + b).length());
            return 4.0 * (chord / 2.0).asin();
        }
        a.iter().zip(&b).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max)
    };
    (0..=997).map(far).fold(0.0, f32::max)
}

#[test]
fn inserting_a_key_keeps_a_cubic_motion() {
    let Some(path) = found("cubic-span.glb") else { return };
    for (exact, degrees) in [(false, 1.0), (true, 0.012)] {
        let mut session = open(&path);
        let clip = session.document().clips.ids().next().expect("a clip");
        let was = session.document().clips[clip].clone();
        let set = line("key.set")
            .with("clip", "#0")
            .with("time", 0.3)
            .with("node", "*")
            .with("exact", exact);
        assert!(session.run_line(&set).unwrap());
        let (_folder, _, again) = saved(&session);
        let now = &again.document().clips[clip];
        let (mut turned, mut moved) = (0, 0);
        for (id, old) in &was.tracks {
            let new = &now.tracks[id];
            if old.interpolation != Interpolation::CubicSpline || new.times.len() == old.times.len()
            {
                continue;
            }
            let far = apart(old, new);
            if old.property == Property::Rotation {
                turned += 1;
                assert!(far.to_degrees() < degrees, "{}° with exact {exact}", far.to_degrees());
            } else {
                moved += 1;
                assert!(far < 1e-5, "{:?}: {far}", old.property);
            }
        }
        assert!(turned > 0 && moved > 0, "{turned} {moved}");
    }
}

#[test]
fn an_image_beside_a_glb_is_copied_and_foreign_files_are_kept() {
    let Some(folder) = found("outside-image") else { return };
    let bytes = fs::read(folder.join("tube.glb")).unwrap();
    let image = json(&bytes)["images"][0]["uri"].as_str().expect("an image beside").to_owned();
    let session = open(&folder.join("tube.glb"));
    let target = tempfile::tempdir().unwrap();
    session.write_to(&target.path().join("copy.glb")).unwrap();
    assert_eq!(
        fs::read(target.path().join(&image)).unwrap(),
        fs::read(folder.join(&image)).unwrap()
    );
    // A file of another program with that name is neither overwritten nor used.
    let stranger = tempfile::tempdir().unwrap();
    fs::create_dir_all(stranger.path().join(&image).parent().unwrap()).unwrap();
    fs::write(stranger.path().join(&image), b"a stranger").unwrap();
    let path = stranger.path().join("copy.glb");
    let done = session.write_to(&path);
    assert_eq!(fs::read(stranger.path().join(&image)).unwrap(), b"a stranger");
    match done {
        Err(error) => assert!(error.to_string().contains(&image), "{error}"),
        Ok(_) => {
            let named =
                json(&fs::read(&path).unwrap())["images"][0]["uri"].as_str().unwrap().to_owned();
            assert_ne!(named, image);
            assert_eq!(
                fs::read(stranger.path().join(named)).unwrap(),
                fs::read(folder.join(&image)).unwrap()
            );
        }
    }
}

#[test]
fn a_repaired_track_is_saved_completely() {
    let Some(shared) = crate::common::shared() else { return };
    let path = shared.join("corpus/bad/found/unsorted-keys.glb");
    let mut session = open(&path);
    assert!(!session.diagnostics.is_empty());
    let clip = session.document().clips.ids().next().expect("a clip");
    let (id, track) =
        session.document().clips[clip].tracks.iter().next().map(|(i, t)| (*i, t.clone())).unwrap();
    let last = track.times[track.times.len() - 1];
    let shift =
        line("key.move").with("clip", "#0").with("from", last).with("to", last).with("by", 1.0);
    assert!(session.run_line(&shift).unwrap());
    let (_folder, _, again) = saved(&session);
    let now = &again.document().clips[clip].tracks[&id];
    assert_eq!(now.values, track.values, "values in the order of the times");
    assert_eq!(now.times[..now.times.len() - 1], track.times[..track.times.len() - 1]);
    assert_eq!(now.times[now.times.len() - 1], last + 1.0);
    assert!(now.times.is_sorted());
}

#[test]
fn hostile_files_are_opened_edited_saved_and_exported() {
    let Some(shared) = crate::common::shared() else { return };
    let folder = shared.join("corpus/bad/found");
    let list = fs::read_to_string(folder.join("EXPECTED.tsv")).unwrap();
    let target = tempfile::tempdir().unwrap();
    let (mut opened, mut refused) = (0, 0);
    for row in list.lines().skip(1) {
        let Some(name) = row.split('\t').next() else { continue };
        let path = folder.join(name);
        let Ok(mut session) = Session::open(&path, &Progress::default()) else {
            refused += 1;
            continue;
        };
        opened += 1;
        // An edit that can be applied must not panic, and the saved file must open.
        let lines = [
            line("node.rename").with("node", "#0").with("name", "Renamed"),
            line("pose.rotate").with("node", "#0").with("axis", "x").with("degrees", 10),
            line("weights.normalize"),
            line("clip.new").with("name", "New"),
            line("key.set").with("clip", "New").with("time", 0.5).with("node", "#0"),
        ];
        let done = lines.iter().filter(|l| session.run_line(l).is_ok()).count();
        assert!(done >= 2, "{name}: {done}");
        let out = target.path().join(format!("{opened}.glb"));
        session.write_to(&out).unwrap_or_else(|e| panic!("{name}: {e}"));
        open(&out);
        let exported = target.path().join(format!("{opened}-export.glb"));
        let text = |p: &Path| p.to_str().unwrap().to_owned();
        let said = ulna(&["export", &text(&out), "-o", &text(&exported)]);
        assert!(said.status.code().is_some_and(|c| c <= 2), "{name}: {said:?}");
        if said.status.success() {
            let (of, is) =
                (fs::metadata(&out).unwrap().len(), fs::metadata(&exported).unwrap().len());
            assert!(is <= of * 20 + (1 << 20), "{name}: {of} bytes exported as {is}");
        }
    }
    assert!(opened >= 12 && refused >= 2, "{opened} opened, {refused} refused");
}

#[test]
fn removing_the_last_clip_or_adding_an_empty_one_writes_no_empty_list() {
    let mut session = Session::open_bytes(include_bytes!("../../assets/mannequin.glb")).unwrap();
    session.run_line(&line("clip.delete").with("clip", "*")).unwrap_or_else(|_| {
        let clips: Vec<ClipId> = session.document().clips.ids().collect();
        for clip in clips {
            session.run_line(&line("clip.delete").with("clip", format!("#{}", clip.0))).unwrap();
        }
        true
    });
    assert!(session.document().clips.is_empty());
    session.run_line(&line("clip.new").with("name", "New")).unwrap();
    let text = json(&session.pack("a").unwrap().bytes);
    assert!(text.get("animations").is_none(), "{}", text["animations"]);
}

#[test]
fn an_ambiguous_clip_name_is_refused_and_nothing_is_written() {
    let mut session = Session::open_bytes(include_bytes!("../../assets/mannequin.glb")).unwrap();
    session.run_line(&line("clip.rename").with("clip", "Run").with("name", "Walk")).unwrap();
    let before = session.document().clone();
    let error = session
        .run_line(&line("key.set").with("clip", "Walk").with("time", 1).with("node", "Head"))
        .unwrap_err();
    assert!(error.to_string().contains("#1") && error.to_string().contains("#2"), "{error}");
    assert!(*session.document() == before);
}

#[test]
fn scripts_write_to_their_output_only_and_outputs_are_models() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let sample = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/mannequin.glb");
    fs::copy(sample, at("in.glb")).unwrap();
    let turn = r#"{"do":"pose.rotate","node":"Head","axis":"x","degrees":9}"#;
    let unkeyed =
        r#"{"do":"unkeyed.set","clip":"Walk","time":0.2,"node":"Head","degrees":[0,9,0]}"#;
    let scripts = [
        (format!("{turn}\n{}\n", r#"{"do":"file.save"}"#), 2),
        (
            format!(
                "{turn}\n{}\n",
                r#"{"do":"pose.rotate","node":"Nobody","axis":"x","degrees":9}"#
            ),
            2,
        ),
        (format!("{turn}\n{unkeyed}\n"), 2),
        (
            format!(
                "{turn}\n{}\n",
                r#"{"do":"pose.rotate","node":"Head","node":"Hips","axis":"x","degrees":9}"#
            ),
            2,
        ),
    ];
    for (text, line) in &scripts {
        fs::write(at("s.jsonl"), text).unwrap();
        let said = ulna(&["run", &at("s.jsonl"), &at("in.glb"), "-o", &at("out.glb")]);
        let error = String::from_utf8_lossy(&said.stderr).into_owned();
        assert!(!said.status.success() && error.contains(&format!("line {line}")), "{text}{error}");
        assert!(!Path::new(&at("out.glb")).exists(), "{text}");
        assert_eq!(fs::read(at("in.glb")).unwrap(), fs::read(sample).unwrap(), "{text}");
    }
    fs::write(at("s.jsonl"), turn).unwrap();
    for output in ["-", "noext", "e.png", "m.x"] {
        let output = if output == "-" { output.to_owned() } else { at(output) };
        let said = ulna(&["run", &at("s.jsonl"), &at("in.glb"), "-o", &output]);
        assert!(!said.status.success() && !said.stderr.is_empty(), "{output}");
        assert!(!Path::new(&output).exists(), "{output}");
    }
}

#[test]
fn differences_are_reported_and_counted() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let sample = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/mannequin.glb");
    let same = ulna(&["diff", sample, sample]);
    assert_eq!(same.status.code(), Some(0));
    fs::write(at("s.jsonl"), r#"{"do":"pose.rotate","node":"Head","axis":"x","degrees":9}"#)
        .unwrap();
    assert!(ulna(&["run", &at("s.jsonl"), sample, "-o", &at("out.glb")]).status.success());
    let said = ulna(&["diff", sample, &at("out.glb"), "--json"]);
    assert_eq!(said.status.code(), Some(1));
    let list: Value = serde_json::from_slice(&said.stdout).unwrap();
    let list = list["differences"].as_array().expect("a list");
    assert_eq!(list.len(), 1, "{list:?}");
    assert!(
        list[0]["place"].as_str().unwrap().contains("Head")
            && list[0]["message"].as_str().unwrap().contains("9.")
    );
    assert_eq!(ulna(&["diff", sample, &at("out.glb"), "--exit-zero"]).status.code(), Some(0));
    let text = |path: &str| String::from_utf8(ulna(&["diff", "--text", path]).stdout).unwrap();
    let (a, b) = (text(sample), text(&at("out.glb")));
    let lines = a.lines().zip(b.lines()).filter(|(a, b)| a != b).count();
    assert!(
        a.lines().count() == b.lines().count() && (1..=2).contains(&lines),
        "{lines} lines differ"
    );
}

#[test]
fn a_fix_binds_a_mesh_that_no_joint_moves() {
    let Some(shared) = crate::common::shared() else { return };
    let path = shared.join("corpus/bad/found/weightless.glb");
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("fixed.glb");
    let said = ulna(&["check", path.to_str().unwrap(), "--fix", "-o", out.to_str().unwrap()]);
    assert!(out.exists(), "{said:?}");
    let again = open(&out);
    let faulty = again.diagnostics.iter().filter(|d| d.fix.is_some()).count();
    assert_eq!(faulty, 0, "{:?}", again.diagnostics);
    let weighted = |s: &Session| {
        let primitives = s.document().meshes.values().flat_map(|m| m.primitives.iter());
        primitives
            .filter_map(|p| p.weights.as_ref())
            .any(|w| w.vertex(0).any(|(_, weight)| weight > 0.1))
    };
    assert!(weighted(&again) && !weighted(&open(&path)));
}
