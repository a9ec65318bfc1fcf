//! Commands on whole clips: how they change the motion, that they change only their clip, and which
//! inputs they refuse.
#![allow(clippy::unwrap_used, reason = "a test ends where something is not as it must be")]

use std::path::PathBuf;

use serde_json::json;
use ulna_edit::CommandLine;
use ulna_formats::gltf::Progress;
use ulna_model::{ClipId, Document, Interpolation, Property, Shared, transform::angle_between};
use ulna_motion::{Evaluator, Mirror, Pose, Stack, Surface, clip_edit};
use ulna_session::{ExportRequest, Session, SystemDisk};

use crate::common::{glb, run, sample};

fn at(name: &str, clip: ClipId) -> CommandLine {
    CommandLine::new(name).with("clip", format!("#{}", clip.0))
}

/// Returns files with clips that the independent comparison can read, and one clip of each.
fn animated(most: u64) -> Vec<(PathBuf, ClipId)> {
    let Some(shared) = crate::common::shared() else { return Vec::new() };
    let mut found = Vec::new();
    for path in crate::common::models(&shared.join("corpus")) {
        let others =
            ["found", "meshopt", "draco"].iter().any(|n| path.to_string_lossy().contains(n));
        if others || std::fs::metadata(&path).is_ok_and(|m| m.len() > most) {
            continue;
        }
        let Ok(session) = Session::open(&path, &Progress::default()) else { continue };
        let document = session.document();
        let fits = |c: &ulna_model::Clip| {
            let long = clip_edit::key_span(c).is_some_and(|(a, b)| b - a > 0.2);
            long && c.pointers.is_empty() && c.kept.is_empty() && c.mended.is_empty()
        };
        // Takes the clip in the middle of the list.
        let all: Vec<ClipId> =
            document.clips.ids().filter(|id| fits(&document.clips[*id])).collect();
        if let Some(id) = all.get(all.len() / 2) {
            found.push((path, *id));
        }
    }
    found
}

/// Runs each operation on every animated file. Only the clip changes, the validator finds nothing
/// new, and undo restores the opened bytes.
#[test]
fn operations_on_whole_clips_change_only_their_clip() {
    let files = animated(1 << 20);
    if files.is_empty() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let (mut before, mut after, mut judged) = (Vec::new(), Vec::new(), 0);
    for (n, (path, id)) in files.iter().enumerate() {
        let opened = std::fs::read(path).unwrap();
        for turn in 0..2 {
            let mut session = Session::open(path, &Progress::default()).unwrap();
            let (_, last) = clip_edit::key_span(&session.document().clips[*id]).unwrap();
            let last = f64::from(last);
            let lines = [
                at("clip.trim", *id).with("from", last * 0.25).with("to", last * 0.8),
                at("clip.reverse", *id),
                at("clip.retime", *id).with("factor", 0.8),
                at("clip.resample", *id).with("rate", 24.0),
                at("clip.close_loop", *id).with("how", "blend").with("frames", 4),
                at("clip.close_loop", *id).with("how", "match"),
                at("clip.join", *id).with("with", format!("#{}", id.0)),
                at("clip.mirror", *id),
                at("clip.split", *id).with("time", last * 0.4),
            ];
            let line = &lines[(n * 2 + turn) % lines.len()];
            let was = session.document().clips[*id].clone();
            if let Err(error) = session.run_line(line) {
                assert_eq!(line.name, "clip.mirror", "{path:?} {line}: {error}");
                continue;
            }
            if session.document().clips[*id] == was {
                continue;
            }
            let own = folder.path().join(format!("{}", after.len()));
            std::fs::create_dir(&own).unwrap();
            let saved = own.join(path.file_name().unwrap());
            session.write_to(&saved).unwrap_or_else(|e| panic!("{path:?} {line}: {e}"));
            let (clip, next) = (id.0, session.document().clips.ids().count());
            let mut allowed = vec![format!("* animations?{clip}?*")];
            if line.name == "clip.split" {
                allowed.push(format!("anim-added animations?{}?*", next - 1));
                allowed.push("* animations".to_owned());
            }
            let allowed: Vec<&str> = allowed.iter().map(String::as_str).collect();
            if let Some(found) = crate::common::judges::differences(path, &saved, &allowed) {
                assert_eq!(found, "", "{path:?} {line}");
                judged += 1;
            }
            if path.extension().is_some_and(|e| e == "glb") {
                session.undo();
                assert!(session.pack("a").unwrap().bytes[..] == opened[..], "{path:?} {line}");
            }
            before.push(path.clone());
            after.push(saved);
        }
    }
    println!("{} files, {} operations saved, {judged} judged", files.len(), after.len());
    assert!(files.len() >= 20 && after.len() >= 35, "{} {}", files.len(), after.len());
    if let (Some(was), Some(is)) =
        (crate::common::judges::validate(&before), crate::common::judges::validate(&after))
    {
        for ((was, _), (is, text)) in was.iter().zip(&is) {
            assert!(is <= was, "{text}");
        }
    }
}

fn poses(document: &Document, id: ClipId) -> impl FnMut(f64) -> Pose + '_ {
    let clip: &Shared<ulna_model::Clip> = &document.clips[id];
    let mut evaluator = Evaluator::default();
    move |time| {
        let mut pose = Pose::default();
        evaluator.update(document, &Stack::of(Some(clip), time), &mut pose);
        pose
    }
}

/// At 1,000 times, every joint must have the mirrored motion of its mirror joint. Runs on all
/// characters that have clips and two sides.
#[test]
fn a_mirrored_clip_is_the_mirror_image_at_all_times() {
    let mut files: Vec<Session> = vec![sample()];
    if let Some(shared) = crate::common::shared() {
        let all = crate::common::models(&shared.join("corpus/characters"));
        let small = all.iter().filter(|p| std::fs::metadata(p).is_ok_and(|m| m.len() < 6 << 20));
        files.extend(small.filter_map(|p| Session::open(p, &Progress::default()).ok()));
    }
    let (mut characters, mut compared) = (0, 0);
    for mut session in files {
        let before = session.document().clone();
        let Some(id) = before.clips.ids().find(|id| before.clips[*id].length() > 0.2) else {
            continue;
        };
        let mirror = Mirror::of(&before);
        let sides = |n: &ulna_model::NodeId| mirror.partner(*n).is_some_and(|p| p != *n);
        if before.node_ids().filter(sides).count() < 8
            || session.run_line(&at("clip.mirror", id)).is_err()
        {
            continue;
        }
        let made = session.document().clone();
        let length = f64::from(before.clips[id].length());
        let (mut was, mut is) = (poses(&before, id), poses(&made, id));
        let moved: std::collections::BTreeSet<_> =
            before.clips[id].tracks.values().map(|t| t.target).collect();
        let steps: Vec<_> = before.clips[id]
            .tracks
            .values()
            .filter(|t| t.interpolation == Interpolation::Step)
            .cloned()
            .collect();
        for k in 0..1000 {
            let time = length * f64::from(k) / 1000.0;
            if steps.iter().any(|t| t.times.iter().any(|s| (f64::from(*s) - time).abs() < 1e-4)) {
                continue;
            }
            let (a, b) = (was(time), is(time));
            for node in before.node_ids() {
                let Some(partner) =
                    mirror.partner(node).filter(|p| moved.contains(p) || moved.contains(&node))
                else {
                    continue;
                };
                let wanted =
                    mirror.pose(&before, node, &a.local[node.index()].transform()).unwrap();
                let found = b.local[partner.index()].transform();
                assert!(
                    angle_between(wanted.local.rotation, found.rotation) < 1e-3,
                    "{node:?} at {time}"
                );
                let largest = wanted.local.translation.abs().max_element().max(1.0);
                assert!(
                    wanted.local.translation.distance(found.translation) < 1e-4 * largest,
                    "{node:?} at {time}"
                );
                compared += 1;
            }
        }
        characters += 1;
        // Mirroring a second time restores the clip.
        run(&mut session, at("clip.mirror", id));
        let again = session.document().clips[id].clone();
        for (track, old) in &before.clips[id].tracks {
            let (_, now) = again.track(old.target, old.property).unwrap();
            assert_eq!(now.times, old.times);
            let range = old.values.iter().fold(1.0f32, |a, v| a.max(v.abs()));
            let near = |sign: f32| {
                old.values
                    .iter()
                    .zip(now.values.iter())
                    .all(|(a, b)| (a - sign * b).abs() < 4e-5 * range)
            };
            assert!(near(1.0) || near(-1.0), "{track:?}");
        }
    }
    println!("{characters} characters, {compared} joints compared");
    assert!(characters >= 1 && compared > 10_000);
    if crate::common::shared().is_some() {
        assert!(characters >= 5, "{characters}");
    }
}

/// Opens a file with one node and one clip that has LINEAR keys at these times.
fn moving(times: &[f32]) -> Session {
    let values: Vec<f32> = times.iter().flat_map(|t| [0.0, *t, 0.0]).collect();
    let bin = [crate::common::floats(times), crate::common::floats(&values)].concat();
    let (first, last) = (times[0], times[times.len() - 1]);
    let file = json!({
        "scene": 0, "scenes": [{"nodes": [0]}], "nodes": [{"name": "Ball"}],
        "buffers": [{"byteLength": bin.len()}],
        "bufferViews": [
            {"buffer": 0, "byteOffset": 0, "byteLength": times.len() * 4},
            {"buffer": 0, "byteOffset": times.len() * 4, "byteLength": values.len() * 4}
        ],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": times.len(), "type": "SCALAR",
                "min": [first], "max": [last]},
            {"bufferView": 1, "componentType": 5126, "count": times.len(), "type": "VEC3"}
        ],
        "animations": [{"name": "Roll", "samplers": [{"input": 0, "output": 1}],
            "channels": [{"sampler": 0, "target": {"node": 0, "path": "translation"}}]}]
    });
    Session::open_bytes(&glb(file, &bin)).unwrap()
}

fn said(session: &mut Session, line: CommandLine) -> String {
    session.run_line(&line).unwrap_err().to_string()
}

#[test]
fn operations_with_an_invalid_result_are_refused_with_a_message() {
    let one = ClipId(0);
    let mut session = moving(&[0.0, 1.0, 2.0]);
    let opened = session.document().clone();
    for (line, words) in [
        (at("clip.retime", one).with("factor", 0.0), "must be greater than 0"),
        (at("clip.retime", one).with("length", -1.0), "must be greater than 0"),
        (at("clip.retime", one), "is needed"),
        (at("clip.retime", one).with("factor", 2.0).with("speed", 2.0), "is needed"),
        (at("clip.trim", one).with("from", 1.5).with("to", 0.5), "“to” must be after “from”"),
        (at("clip.trim", one).with("from", 7.0), "“to” must be after “from”"),
        (at("clip.split", one).with("time", 2.0), "not inside the clip"),
        (at("clip.join", one).with("with", "Roll").with("gap", -1.0), "must be 0 or more"),
        (at("clip.resample", one).with("rate", 0.0), "frames per second"),
        (at("clip.resample", one).with("rate", 9000.0).with("clip", "Walk"), "Walk"),
        (at("clip.mirror", one), "nothing was mirrored"),
    ] {
        let found = said(&mut session, line.clone());
        assert!(found.contains(words), "{line}: {found}");
    }
    assert!(*session.document() == opened);
    // All keys of this clip are at one time.
    let mut still = moving(&[0.0]);
    assert!(said(&mut still, at("clip.close_loop", one)).contains("keys at two or more times"));
    assert!(
        said(&mut still, at("clip.retime", one).with("length", 2.0))
            .contains("its length cannot be changed")
    );
    run(&mut still, at("clip.reverse", one));
    assert!(
        said(&mut still, at("clip.trim", one).with("from", 0.0))
            .contains("“to” must be after “from”")
    );
    // This clip has no keys.
    let mut empty = sample();
    run(&mut empty, CommandLine::new("clip.new").with("name", "Nothing"));
    assert!(
        said(&mut empty, CommandLine::new("clip.reverse").with("clip", "Nothing"))
            .contains("it has no key")
    );
    // Unkeyed poses would end up at a wrong time.
    let mut posed = sample();
    let line =
        CommandLine::new("pose.turn").with("node", "Head").with("axis", "x").with("degrees", 20.0);
    run(&mut posed, line.with("clip", "Walk").with("time", 0.25));
    let reduced = CommandLine::new("clip.reduce").with("clip", "Walk");
    assert!(said(&mut posed, reduced).contains("unkeyed pose"));
}

#[test]
fn start_at_zero_moves_a_late_clip_and_trimmed_parts_start_at_the_given_time() {
    let one = ClipId(0);
    let mut session = moving(&[10.0, 10.5, 12.0]);
    let opened = session.pack("a").unwrap().bytes;
    let times = |s: &Session, id: u32| {
        s.document().clips[ClipId(id)].tracks.values().next().unwrap().times.to_vec()
    };
    run(&mut session, at("clip.start_at_zero", one));
    assert_eq!(times(&session, 0), [0.0, 0.5, 2.0]);
    run(&mut session, at("clip.retime", one).with("length", 4.0));
    assert_eq!(times(&session, 0), [0.0, 1.0, 4.0]);
    run(&mut session, at("clip.split", one).with("time", 2.5).with("name", "Rest of it"));
    assert_eq!((times(&session, 0), times(&session, 1)), (vec![0.0, 1.0, 2.5], vec![0.0, 1.5]));
    assert_eq!(session.document().clip_label(ClipId(1)), "Rest of it");
    let line = at("clip.join", one).with("with", "Rest of it").with("name", "Whole");
    run(&mut session, line.clone());
    assert_eq!(times(&session, 2), [0.0, 1.0, 2.5, 4.0]);
    let notes = run(&mut session, at("clip.join", one).with("with", "Roll"));
    assert!(
        notes[0].starts_with("1 track with a jump where the clips meet; warning: at 2.4"),
        "{notes:?}"
    );
    while session.undo().is_some() {}
    assert!(session.pack("a").unwrap().bytes == opened);
}

#[test]
fn an_open_loop_is_closed_by_each_method() {
    let one = ClipId(0);
    let mut session = moving(&[0.0, 1.0, 2.0]);
    let notes = run(&mut session, at("clip.close_loop", one).with("how", "match"));
    assert!(notes[0].contains("now: seamless"), "{notes:?}");
    let clip = &session.document().clips[one];
    assert_eq!(clip.tracks.values().next().unwrap().value(2), [0.0, 0.0, 0.0]);
    let before = session.document().clone();
    let notes = run(&mut session, at("clip.close_loop", one));
    assert!(notes[0].contains("closed already: seamless"), "{notes:?}");
    assert!(*session.document() == before);
    // Closing the loop of a walk keeps its travel.
    let mut walk = sample();
    let walks = CommandLine::new("clip.close_loop").with("clip", "Walk");
    let notes = run(&mut walk, walks.with("frames", 3));
    assert!(notes[0].contains("seamless"), "{notes:?}");
}

/// An exported file plays the same motion and contains nothing else. A failed export writes no
/// file.
#[test]
fn clips_exported_to_one_file_each_play_the_same_motion() {
    let mut session = sample();
    let (first, second) = (ClipId(0), ClipId(1));
    run(&mut session, at("clip.reverse", first));
    run(
        &mut session,
        CommandLine::new("clip.rename").with("clip", "#1").with("name", "up/down: 1"),
    );
    run(&mut session, at("clip.duplicate", second).with("name", "UP/down: 1"));
    let folder = tempfile::tempdir().unwrap();
    let request = ExportRequest {
        clips: None,
        skeleton_only: true,
        rate: None,
        each: true,
        gltf: false,
        names: String::new(),
        to: folder.path().join("out"),
        replace: false,
    };
    let made = session.exporting(request.clone()).run(&SystemDisk, &Progress::default()).unwrap();
    let document = session.document();
    assert_eq!(made.files.len(), document.clips.count());
    let names: Vec<String> =
        made.files.iter().map(|f| f.file_name().unwrap().to_string_lossy().into_owned()).collect();
    assert_eq!(names[1], "up_down_ 1.glb");
    assert!(names.contains(&"UP_down_ 1 2.glb".to_owned()), "{names:?}");
    for (path, id) in made.files.iter().zip(document.clips.ids()) {
        let again = Session::open(path, &Progress::default()).unwrap();
        let out = again.document();
        assert!(out.meshes.is_empty() && out.clips.count() == 1, "{path:?}");
        assert_eq!(out.clip_label(ClipId(0)), document.clip_label(id));
        let (mut was, mut is) = (poses(document, id), poses(out, ClipId(0)));
        let length = f64::from(document.clips[id].length());
        for k in 0..50 {
            let (a, b) = (was(length * f64::from(k) / 50.0), is(length * f64::from(k) / 50.0));
            for node in out.node_ids() {
                let there = crate::common::named(document, &out.node(node).label(node));
                assert!(
                    a.world[there.index()].abs_diff_eq(b.world[node.index()], 1e-6),
                    "{path:?} {k}"
                );
            }
        }
    }
    // Existing files are replaced only with consent. If one file of several fails, none is written.
    let again = session.exporting(request.clone()).run(&SystemDisk, &Progress::default());
    assert!(again.unwrap_err().to_string().contains("already exists"));
    let replaced = ExportRequest { replace: true, rate: Some(12.0), gltf: true, ..request.clone() };
    let made = session.exporting(replaced).run(&SystemDisk, &Progress::default()).unwrap();
    let walk = Session::open(&made.files[0], &Progress::default()).unwrap();
    let clip = &walk.document().clips[ClipId(0)];
    let gaps = |t: &ulna_model::Track| t.times.windows(2).all(|w| w[1] - w[0] < 1.0 / 12.0 + 1e-3);
    assert!(clip.tracks.values().all(|t| t.times.len() < 2 || gaps(t)), "a key on each frame");
    for (wrong, words) in [
        (ExportRequest { clips: Some(Vec::new()), ..request.clone() }, "no clip is selected"),
        (
            ExportRequest { rate: Some(0.0), to: folder.path().join("b"), ..request.clone() },
            "is invalid",
        ),
        (
            ExportRequest { each: false, to: folder.path().join("name"), ..request.clone() },
            "give the file a name",
        ),
    ] {
        let error = session.exporting(wrong).run(&SystemDisk, &Progress::default()).unwrap_err();
        assert!(error.to_string().contains(words), "{error}");
    }
    let canceled = Progress::default();
    canceled.cancel();
    let to = folder.path().join("never");
    let stopped =
        session.exporting(ExportRequest { to: to.clone(), ..request }).run(&SystemDisk, &canceled);
    assert!(stopped.unwrap_err().is_canceled() && !to.exists());
    // The file of the open document is never replaced.
    let own = folder.path().join("own.glb");
    session.write_to(&own).unwrap();
    let opened = Session::open(&own, &Progress::default()).unwrap();
    let bytes = std::fs::read(&own).unwrap();
    let request = ExportRequest {
        each: false,
        to: own.clone(),
        replace: true,
        clips: None,
        skeleton_only: false,
        rate: None,
        gltf: false,
        names: String::new(),
    };
    let error = opened.exporting(request).run(&SystemDisk, &Progress::default()).unwrap_err();
    assert!(error.to_string().contains("is the open file"));
    assert!(std::fs::read(&own).unwrap() == bytes);
}

/// The clip is reduced with an error of 0.5 mm on a body of 1.8 m. No vertex of any character may
/// then move by more, at 1,000 times per clip. The number of keys must be lower, and LINEAR tracks
/// must stay LINEAR.
#[test]
fn a_reduced_clip_keeps_the_skin_within_its_bound() {
    let mut files: Vec<Session> = vec![sample()];
    if let Some(shared) = crate::common::shared() {
        let all = crate::common::models(&shared.join("corpus/characters"));
        let small = all.iter().filter(|p| std::fs::metadata(p).is_ok_and(|m| m.len() < 6 << 20));
        files.extend(small.filter_map(|p| Session::open(p, &Progress::default()).ok()));
    }
    let (mut characters, mut keys) = (0, [0, 0]);
    for mut session in files {
        let before = session.document().clone();
        let fits = |id: &ClipId| {
            let clip = &before.clips[*id];
            clip.length() > 0.2 && clip.pointers.is_empty() && clip.kept.is_empty()
        };
        let Some(id) = before.clips.ids().find(fits) else { continue };
        run(&mut session, at("clip.reduce", id).with("millimetres", 0.5));
        let after = session.document().clone();
        let (old, new) = (&before.clips[id], &after.clips[id]);
        keys[0] += old.key_count();
        keys[1] += new.key_count();
        for (track, was) in &old.tracks {
            let is = &new.tracks[track];
            assert!(is.validate().is_ok());
            assert!(
                was.interpolation != Interpolation::Linear
                    || is.interpolation == Interpolation::Linear
            );
            assert!(is.times.iter().all(|t| was.times.contains(t)), "only keys that were there");
        }
        let (mut was, mut is) = (poses(&before, id), poses(&after, id));
        let start = was(0.0);
        let height =
            ulna_motion::joint_bounds(&before, &start).map_or(1.8, |(a, b)| (b - a).max_element());
        let bound = 0.5e-3 * height / 1.8;
        let mut surfaces = [Surface::new(&before, &start), Surface::new(&after, &start)];
        let vertices: usize = surfaces[0].parts().map(|p| p.positions.len()).sum();
        let times = if vertices > 30_000 { 200 } else { 1000 };
        let length = f64::from(old.length());
        for k in 0..times {
            let time = length * f64::from(k) / f64::from(times);
            surfaces[0].update(&before, &was(time));
            surfaces[1].update(&after, &is(time));
            let [a, b] = &surfaces;
            for (a, b) in a.parts().zip(b.parts()) {
                let far = a
                    .positions
                    .iter()
                    .zip(b.positions)
                    .map(|(a, b)| a.distance(*b))
                    .fold(0.0, f32::max);
                assert!(far <= bound * 1.02 + 1e-6 * height, "{far} over {bound} at {time}");
            }
        }
        characters += 1;
    }
    println!("{characters} characters, {} of {} keys left", keys[1], keys[0]);
    assert!(characters >= 1 && keys[1] < keys[0]);
    if crate::common::shared().is_some() {
        assert!(characters >= 8 && keys[1] * 2 < keys[0], "{characters} {keys:?}");
    }
}

/// Baked walks and runs are made editable with an error of 2 mm. No vertex may move by more, and
/// the tracks of a limb must share key times. At most a fifth of the keys of the clip resampled at
/// 30 frames per second may remain.
#[test]
fn a_baked_clip_is_made_editable_within_its_bound() {
    let Some(shared) = crate::common::shared() else { return };
    let (mut done, mut left) = (0, Vec::new());
    for (file, clip) in [
        ("Knight/Knight.glb", "Walking_A"),
        ("Knight/Knight.glb", "Running_A"),
        ("Knight/Knight.glb", "Idle"),
        ("Robot/robot.glb", "Robot_Walking"),
        ("Fox49/fox-animations.glb", "Walk"),
        ("CesiumMan/CesiumMan.glb", "#0"),
        ("RiggedFigure/RiggedFigure.glb", "#0"),
    ] {
        let path = shared.join("corpus/characters").join(file);
        let Ok(mut session) = Session::open(&path, &Progress::default()) else { continue };
        let document = session.document();
        let Some(id) = document
            .clips
            .ids()
            .find(|id| clip == format!("#{}", id.0) || document.clip_label(*id) == clip)
        else {
            continue;
        };
        run(&mut session, at("clip.resample", id).with("rate", 30.0));
        let before = session.document().clone();
        run(&mut session, at("clip.make_editable", id).with("millimetres", 2.0));
        let after = session.document().clone();
        let (old, new) = (&before.clips[id], &after.clips[id]);
        left.push((file, clip, old.key_count(), new.key_count()));
        let (mut was, mut is) = (poses(&before, id), poses(&after, id));
        let start = was(0.0);
        let height =
            ulna_motion::joint_bounds(&before, &start).map_or(1.8, |(a, b)| (b - a).max_element());
        let bound = 2e-3 * height / 1.8;
        let mut surfaces = [Surface::new(&before, &start), Surface::new(&after, &start)];
        // A baked clip is compared only at its keys.
        let fullest = old.tracks.values().max_by_key(|t| t.times.len()).unwrap();
        for time in fullest.times.iter().map(|t| f64::from(*t)) {
            surfaces[0].update(&before, &was(time));
            surfaces[1].update(&after, &is(time));
            let [a, b] = &surfaces;
            for (a, b) in a.parts().zip(b.parts()) {
                let far = a
                    .positions
                    .iter()
                    .zip(b.positions)
                    .map(|(a, b)| a.distance(*b))
                    .fold(0.0, f32::max);
                assert!(far <= bound * 1.05, "{file} {clip}: {far} over {bound} at {time}");
            }
        }
        done += 1;
    }
    println!("{left:?}");
    assert!(done >= 6, "only {done}");
    for (file, clip, before, after) in left {
        assert!(after * 5 <= before, "{file} {clip}: {after} of {before}");
    }
}

/// Creates a walking body: hips below a root, legs below the hips, and a helper node next to them.
fn walker(step: f32) -> Session {
    let count = 9;
    let times: Vec<f32> = (0..count).map(|k| k as f32 * 0.125).collect();
    let ways: Vec<f32> = times
        .iter()
        .flat_map(|t| [0.1 * (t * 6.0).sin(), 1.0 + 0.05 * (t * 9.0).sin(), step * t])
        .collect();
    let turns: Vec<f32> =
        times.iter().flat_map(|t| glam::Quat::from_rotation_y(t * 0.8).to_array()).collect();
    let bin: Vec<u8> =
        [times.clone(), ways, turns].concat().iter().flat_map(|v| v.to_le_bytes()).collect();
    let end = count * 4;
    let json = json!({
        "asset": {"version": "2.0"},
        "scene": 0, "scenes": [{"nodes": [0]}],
        "nodes": [
            {"name": "Armature", "children": [1], "rotation": [0.0, 0.5, 0.0, 0.8660254],
                "scale": [2.0, 2.0, 2.0]},
            {"name": "root", "children": [2, 3]},
            {"name": "Hips", "translation": [0.0, 1.0, 0.0], "children": [4]},
            {"name": "ik_target", "translation": [0.5, 0.0, 0.0]},
            {"name": "Spine", "translation": [0.0, 0.3, 0.0]}
        ],
        "skins": [{"joints": [1, 2, 3, 4]}],
        "animations": [{"name": "Go",
            "channels": [{"sampler": 0, "target": {"node": 2, "path": "translation"}},
                {"sampler": 1, "target": {"node": 2, "path": "rotation"}}],
            "samplers": [{"input": 0, "output": 1}, {"input": 0, "output": 2}]}],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": count, "type": "SCALAR", "min": [0.0],
                "max": [1.0]},
            {"bufferView": 1, "componentType": 5126, "count": count, "type": "VEC3"},
            {"bufferView": 2, "componentType": 5126, "count": count, "type": "VEC4"}],
        "bufferViews": [
            {"buffer": 0, "byteOffset": 0, "byteLength": end},
            {"buffer": 0, "byteOffset": end, "byteLength": 3 * end},
            {"buffer": 0, "byteOffset": 4 * end, "byteLength": 4 * end}]
    });
    Session::open_bytes(&glb(json, &bin)).unwrap()
}

/// Moving the travel to the root leaves the hips without travel relative to the root, and all nodes
/// at the same world positions. Removing the travel keeps the body in place. Moving the travel back
/// restores the clip.
#[test]
fn root_motion_moves_travel_to_the_root_and_back() {
    let id = ClipId(0);
    for (height, turn) in [(false, false), (true, false), (false, true), (true, true)] {
        let mut session = walker(1.5);
        let before = session.document().clone();
        let line = |to: &str| {
            at("clip.root_motion", id).with("to", to).with("height", height).with("turn", turn)
        };
        let notes = run(&mut session, line("root"));
        assert!(notes.iter().any(|n| n.contains("m/s")), "{notes:?}");
        let out = session.document().clone();
        let [root, hips, helper] =
            ["root", "Hips", "ik_target"].map(|n| crate::common::named(&before, n));
        let (mut was, mut is) = (poses(&before, id), poses(&out, id));
        let start = is(0.0).world[root.index()].inverse() * is(0.0).world[hips.index()];
        for k in 0..=100 {
            let time = f64::from(k) / 100.0;
            let (was, is) = (was(time), is(time));
            for node in [hips, helper] {
                let off = was.world[node.index()].w_axis.distance(is.world[node.index()].w_axis);
                assert!(off < 2e-3, "{off} at {time}");
            }
            let over = is.world[root.index()].inverse() * is.world[hips.index()];
            let gone = (over.w_axis - start.w_axis).truncate();
            assert!(gone.x.abs() < 2e-3 && gone.z.abs() < 2e-3, "{gone} at {time}");
            assert!(!height || gone.y.abs() < 2e-3);
            assert!(
                height || is.world[root.index()].w_axis.y.abs() < 1e-4,
                "the root stays on the ground"
            );
        }
        run(&mut session, line("hips"));
        let again = session.document().clone();
        assert!(again.clips[id].tracks.values().all(|t| t.target != root));
        let (mut was, mut is) = (poses(&before, id), poses(&again, id));
        for k in 0..=8 {
            let time = f64::from(k) * 0.125;
            assert!(
                was(time).world[hips.index()].abs_diff_eq(is(time).world[hips.index()], 2e-4),
                "at {time}"
            );
        }
        let mut session = walker(1.5);
        run(&mut session, line("in place"));
        let there = session.document().clone();
        let mut is = poses(&there, id);
        let start = is(0.0).world[hips.index()].w_axis;
        for k in 0..=100 {
            let gone = is(f64::from(k) / 100.0).world[hips.index()].w_axis - start;
            assert!(gone.x.abs() < 3e-3 && gone.z.abs() < 3e-3, "{gone}");
            assert!(!height || gone.y.abs() < 3e-3);
        }
    }
    let mut session = walker(1.0);
    let none = session
        .run_line(&at("clip.root_motion", id).with("to", "root").with("node", "Spine"))
        .unwrap_err();
    assert!(none.to_string().contains("not an ancestor of Hips"), "{none}");
    let none = session.run_line(&at("clip.root_motion", id).with("to", "hips")).unwrap_err();
    assert!(none.to_string().contains("no ancestor of Hips is animated"), "{none}");
    let none = session
        .run_line(&at("clip.root_motion", id).with("to", "root").with("ground", false))
        .unwrap_err();
    assert!(none.to_string().contains("are all off"), "{none}");
}

/// The disk is full at each operation of an export in turn. The folder must stay unchanged,
/// including existing files.
#[test]
fn a_failed_export_changes_no_files() {
    let session = sample();
    let outer = tempfile::tempdir().unwrap();
    let inner = outer.path().join("clips");
    let mut failed = 0;
    for (new, once) in [(true, false), (true, true), (false, false), (false, true)] {
        for at in 0..30 {
            let to = if new { inner.clone() } else { outer.path().join("old") };
            if !new {
                std::fs::create_dir_all(&to).unwrap();
                session.document().clips.ids().take(2).for_each(|id| {
                    let name = format!("{}.gltf", session.document().clip_label(id));
                    std::fs::write(to.join(name), b"somebody's").unwrap();
                });
            }
            let listing = |folder: &std::path::Path| -> Vec<(std::path::PathBuf, Vec<u8>)> {
                let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
                let mut list: Vec<_> = entries
                    .map(|e| e.unwrap().path())
                    .map(|p| (p.clone(), std::fs::read(p).unwrap()))
                    .collect();
                list.sort();
                list
            };
            let before = listing(&to);
            let (fails_at, fails_once) = if once { (None, Some(at)) } else { (Some(at), None) };
            let disk = crate::core::saving::Faulty { fails_at, fails_once, ..Default::default() };
            let request = ExportRequest {
                clips: None,
                skeleton_only: true,
                rate: None,
                each: true,
                names: String::new(),
                gltf: true,
                to: to.clone(),
                replace: true,
            };
            match session.exporting(request).run(&disk, &Progress::default()) {
                Ok(_) => {
                    std::fs::remove_dir_all(&to).unwrap();
                    break;
                }
                Err(error) => {
                    failed += 1;
                    let is = listing(&to);
                    // If the disk stays full, replaced files cannot be restored. The error then
                    // states their number.
                    let same = is == before && to.exists() != new;
                    assert!(
                        same || (!once
                            && !new
                            && error.to_string().contains("were replaced by new ones")),
                        "{at}: {error}"
                    );
                    if !same {
                        std::fs::remove_dir_all(&to).unwrap();
                    }
                }
            }
        }
    }
    assert!(failed > 40, "{failed}");
}

/// An exported file has no data of replaced keys. Tracks with equal key times share one list of
/// times.
#[test]
fn an_export_contains_no_data_of_removed_keys() {
    let mut dense = sample();
    run(&mut dense, CommandLine::new("clip.resample").with("clip", "Walk").with("rate", 240.0));
    let opened = dense.pack("a").unwrap().bytes;
    let mut session = Session::open_bytes(&opened).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let export = |session: &Session, name: &str| {
        let to = folder.path().join(name);
        let request = ExportRequest {
            clips: None,
            skeleton_only: true,
            rate: None,
            each: false,
            names: String::new(),
            gltf: false,
            to: to.clone(),
            replace: true,
        };
        let exporting = session.exporting(request);
        let foreseen = exporting.measure(&Progress::default()).unwrap();
        exporting.run(&SystemDisk, &Progress::default()).unwrap();
        let bytes = std::fs::read(to).unwrap();
        assert_eq!(foreseen, [bytes.len()]);
        bytes
    };
    let payload = |document: &Document| -> usize {
        let tracks = document.clips.values().flat_map(|c| c.tracks.values());
        tracks.map(|t| t.values.len() * 4).sum()
    };
    let (before, was) = (export(&session, "before.glb"), payload(session.document()));
    run(&mut session, CommandLine::new("clip.reduce").with("clip", "Walk"));
    let (after, is) = (export(&session, "after.glb"), payload(session.document()));
    assert!(is * 2 < was, "{is} of {was}");
    assert!(
        before.len() - after.len() >= (was - is) * 9 / 10,
        "{} to {}, {was} to {is}",
        before.len(),
        after.len()
    );
    let again = Session::open_bytes(&after).unwrap();
    for (a, b) in again.document().clips.values().zip(session.document().clips.values()) {
        // A skeleton without meshes has no morph targets.
        let kept = b.tracks.values().filter(|t| t.property != Property::Weights);
        assert_eq!(a.tracks.len(), kept.clone().count());
        assert!(
            kept.clone()
                .all(|t| a.track(t.target, t.property).is_some_and(|(_, made)| made.same_keys(t)))
        );
    }
    let json = |bytes: &[u8]| -> serde_json::Value {
        let length = u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize;
        serde_json::from_slice(&bytes[20..20 + length]).unwrap()
    };
    // Keys and matrices are in two different views, and no two accessors are equal.
    let root = json(&after);
    let accessors = root["accessors"].as_array().unwrap();
    let views: std::collections::BTreeSet<u64> =
        accessors.iter().filter_map(|a| a["bufferView"].as_u64()).collect();
    assert!(accessors.len() > 20 && views.len() == 2, "{} in {views:?}", accessors.len());
    let bin = &after[20 + u32::from_le_bytes(after[12..16].try_into().unwrap()) as usize + 8..];
    let held = |a: &serde_json::Value| {
        let width = ["SCALAR", "VEC2", "VEC3", "VEC4"]
            .iter()
            .position(|t| a["type"] == *t)
            .map_or(16, |k| k + 1);
        let start = root["bufferViews"][a["bufferView"].as_u64().unwrap() as usize]["byteOffset"]
            .as_u64()
            .unwrap_or(0)
            + a["byteOffset"].as_u64().unwrap_or(0);
        let bytes = &bin
            [start as usize..start as usize + a["count"].as_u64().unwrap() as usize * width * 4];
        (a["type"].to_string(), a.get("max").map(ToString::to_string), bytes)
    };
    let all: std::collections::BTreeSet<_> = accessors.iter().map(held).collect();
    assert_eq!(all.len(), accessors.len());
    // Tracks with equal times share one list of times.
    let root = json(&dense.pack("a").unwrap().bytes);
    let walk = root["animations"].as_array().unwrap().iter().find(|a| a["name"] == "Walk").unwrap();
    let samplers = walk["samplers"].as_array().unwrap();
    let inputs: std::collections::BTreeSet<u64> =
        samplers.iter().map(|s| s["input"].as_u64().unwrap()).collect();
    assert!(samplers.len() > 5 && inputs.len() == 1, "{} of {}", inputs.len(), samplers.len());
}

/// Changing the tick rate retimes the clip, so that its keys stay on ticks. The rate is saved in
/// the file, and can be removed without a trace.
#[test]
fn ticks_are_saved_with_a_clip_and_a_new_tick_rate_retimes_it() {
    let mut session = sample();
    let opened = session.pack("a").unwrap().bytes;
    let length = |s: &Session| f64::from(s.document().clips.values().next().unwrap().length());
    let ticks = |s: &Session| s.document().clips.values().next().unwrap().ticks;
    let name = session.document().clip_label(session.document().clips.ids().next().unwrap());
    let set =
        |rate: f64| CommandLine::new("clip.ticks").with("clip", name.clone()).with("rate", rate);
    let was = length(&session);
    run(&mut session, set(4800.0));
    assert_eq!(
        (ticks(&session), length(&session)),
        (Some(4800.0), was),
        "to count is to change nothing"
    );
    let said = run(&mut session, set(2400.0));
    assert!((length(&session) - was * 2.0).abs() < 1e-5, "{said:?}");
    assert!(said[0].contains("at 2400 per second"), "{said:?}");
    run(&mut session, set(4800.0).with("retime", false));
    assert!((length(&session) - was * 2.0).abs() < 1e-5);
    let again = Session::open_bytes(&session.pack("a").unwrap().bytes).unwrap();
    assert_eq!((ticks(&again), length(&again)), (Some(4800.0), length(&session)));
    for bad in [0.0, -1.0, 1e9] {
        assert!(session.run_line(&set(bad)).is_err(), "{bad}");
    }
    run(&mut session, CommandLine::new("clip.ticks").with("clip", name.clone()));
    assert_eq!(ticks(&session), None);
    assert!(session.run_line(&set(30.0).with("retime", true)).is_err(), "nothing to stay on");
    while session.undo().is_some() {}
    assert_eq!(session.pack("a").unwrap().bytes, opened);
}

/// With NLERP, a rotation is the normalized weighted sum of the two keys around it, whether the
/// clip is prepared for playback or not. Its difference from SLERP must not exceed the documented
/// maximum.
#[test]
fn nlerp_playback_stays_within_the_stated_difference_from_slerp() {
    use ulna_motion::{Averaging, nlerp, nlerp_difference};
    let mut session = sample();
    // With few keys, the difference between NLERP and SLERP is large enough to see.
    let name = session.document().clip_label(session.document().clips.ids().next().unwrap());
    run(&mut session, CommandLine::new("clip.resample").with("clip", name).with("rate", 3.0));
    let document = session.document();
    let clip = document.clips.values().next().unwrap();
    let said = nlerp_difference(clip);
    let (mut evaluator, mut pose, mut exact) =
        (Evaluator::default(), Pose::default(), Pose::default());
    let (mut widest, mut compared) = (0f32, 0);
    for k in 0..200 {
        let time = f64::from(clip.length()) * f64::from(k) / 200.0;
        let stack = Stack::of(Some(clip), time);
        Evaluator::default().update(document, &stack, &mut exact);
        evaluator.update(document, &stack.going(Averaging::Nlerp), &mut pose);
        for track in clip.tracks.values().filter(|t| {
            t.property == Property::Rotation && t.interpolation == Interpolation::Linear
        }) {
            let turn = |p: &Pose| p.local[track.target.index()].transform().rotation;
            widest = widest.max(angle_between(turn(&pose), turn(&exact)));
            let after = track.times.partition_point(|t| f64::from(*t) <= time);
            if after > 0 && after < track.times.len() {
                let at = |key: usize| glam::Quat::from_slice(track.value(key));
                let (a, b) = (f64::from(track.times[after - 1]), f64::from(track.times[after]));
                let wanted = nlerp(at(after - 1), at(after), ((time - a) / (b - a)) as f32);
                assert!(angle_between(turn(&pose), wanted) < 1e-3, "{time}");
                compared += 1;
            }
        }
    }
    println!("{}° of {}°", widest.to_degrees(), said.to_degrees());
    assert!(compared > 1000 && said > 0.0);
    assert!(widest <= said + 5e-4, "{widest} {said}");
    assert!(widest > said * 0.5, "{widest} {said}");
}
