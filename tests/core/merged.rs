//! Imported clips: bit-identical for the same skeleton, and with the same motion for other
//! skeletons.
#![allow(clippy::unwrap_used, reason = "a test ends where something is not as it must be")]

use std::path::{Path, PathBuf};

use glam::{Quat, Vec3};
use ulna_edit::{
    Command, CommandLine,
    command::{ClipTexts, PutClips},
};
use ulna_formats::gltf::Progress;
use ulna_model::{
    Clip, ClipId, Document, NodeId, Property, Shared, TrackId, Transform, transform::angle_between,
};
use ulna_motion::{Evaluator, Pose, Stack, Surface};
use ulna_session::{ExportRequest, Session, SystemDisk, arrivals};

use crate::common::{models, named, run, sample, shared};

fn import(path: &Path) -> CommandLine {
    CommandLine::new("clip.import").with("path", path.to_string_lossy().into_owned())
}

fn same_keys(a: &Clip, b: &Clip) -> bool {
    let tracks = |c: &Clip| -> Vec<_> {
        let mut all: Vec<_> = c.tracks.values().cloned().collect();
        all.sort_by_key(|t| (t.target, t.property));
        all
    };
    let (a, b) = (tracks(a), tracks(b));
    a.len() == b.len() && a.iter().zip(&b).all(|(a, b)| a.same_keys(b) && a.kinds == b.kinds)
}

/// Each animated file is imported into itself. Each clip then exists twice, identical bit for bit,
/// and undo restores the document. The command line has the same effect.
#[test]
fn importing_a_clip_into_its_own_skeleton_keeps_it() {
    let Some(shared) = shared() else { return };
    let (mut files, mut clips) = (0, 0);
    for path in models(&shared.join("corpus")) {
        let others =
            ["bad", "found", "meshopt", "draco"].iter().any(|n| path.to_string_lossy().contains(n));
        if others || std::fs::metadata(&path).is_ok_and(|m| m.len() > 8 << 20) {
            continue;
        }
        let Ok(mut session) = Session::open(&path, &Progress::default()) else { continue };
        let before = session.document().clone();
        // A name that exists twice is ambiguous in another file.
        let mut names: Vec<String> = before.node_ids().map(|n| before.path(n)).collect();
        names.sort();
        let unique = names.windows(2).all(|w| w[0] != w[1]);
        let plain = |c: &Clip| {
            let mut channels: Vec<_> = c.tracks.values().map(|t| (t.target, t.property)).collect();
            channels.sort();
            !channels.is_empty()
                && c.pointers.is_empty()
                && c.kept.is_empty()
                && channels.windows(2).all(|w| w[0] != w[1])
        };
        let meant: Vec<ClipId> =
            before.clips.ids().filter(|id| plain(&before.clips[*id])).collect();
        if meant.is_empty()
            || meant.len() < before.clips.count()
            || !unique
            || path.extension().is_some_and(|e| e == "x")
        {
            continue;
        }
        let opened = session.pack("model").unwrap().bytes;
        session.run_line(&import(&path)).unwrap_or_else(|e| panic!("{path:?}: {e}"));
        let after = session.document().clone();
        assert_eq!(after.clips.count(), 2 * meant.len(), "{path:?}");
        let new: Vec<ClipId> = after.clips.ids().filter(|id| !before.clips.contains(*id)).collect();
        for (old, new) in meant.iter().zip(&new) {
            assert!(
                same_keys(&before.clips[*old], &after.clips[*new]),
                "{path:?}: {}",
                before.clip_label(*old)
            );
            clips += 1;
        }
        let lines: Vec<CommandLine> = session.history().done().last().unwrap().lines(&before);
        session.undo().unwrap();
        assert_eq!(session.pack("model").unwrap().bytes, opened, "{path:?}");
        session.run_line(&lines[0]).unwrap_or_else(|e| panic!("{path:?}: {e}"));
        assert!(
            new.iter().all(|id| same_keys(&after.clips[*id], &session.document().clips[*id])),
            "{path:?}: as text"
        );
        files += 1;
    }
    assert!(files >= 60 && clips >= 200, "only {files} files with {clips} clips");
}

/// Ten clips are exported as separate files, and imported into the body without clips. Each must
/// play as in its own file.
#[test]
fn ten_files_with_one_clip_each_are_merged() {
    let Some(shared) = shared() else { return };
    let robot = shared.join("corpus/characters/Robot/robot.glb");
    let robot = if robot.is_file() {
        robot
    } else {
        models(&shared.join("corpus/characters/Robot"))[0].clone()
    };
    let folder = tempfile::tempdir().unwrap();
    let session = Session::open(&robot, &Progress::default()).unwrap();
    let request = |each: bool, clips: Option<Vec<ClipId>>, to: PathBuf| ExportRequest {
        clips,
        skeleton_only: false,
        rate: None,
        each,
        names: String::new(),
        gltf: false,
        to,
        replace: true,
    };
    let all: Vec<ClipId> = session.document().clips.ids().take(10).collect();
    assert_eq!(all.len(), 10);
    let clips = folder.path().join("clips");
    for (skeleton_only, name) in [(false, "whole"), (true, "skeletons")] {
        let request =
            ExportRequest { skeleton_only, ..request(true, Some(all.clone()), clips.join(name)) };
        session.exporting(request).run(&SystemDisk, &Progress::default()).unwrap();
        let body = folder.path().join(format!("body-{name}.glb"));
        session
            .exporting(self::request_none(&body))
            .run(&SystemDisk, &Progress::default())
            .unwrap();
        let mut merged = Session::open(&body, &Progress::default()).unwrap();
        assert_eq!(merged.document().clips.count(), 0);
        let said = run(&mut merged, import(&clips.join(name)));
        assert!(
            said.iter().all(|s| !s.contains("left out") && !s.contains("was skipped")),
            "{said:?}"
        );
        assert_eq!(merged.document().clips.count(), 10);
        for id in &all {
            let label = session.document().clip_label(*id);
            let new = merged
                .document()
                .clips
                .ids()
                .find(|c| merged.document().clip_label(*c) == label)
                .unwrap();
            let (a, b) = (&session.document().clips[*id], &merged.document().clips[new]);
            // Morph targets belong to the mesh, which a skeleton-only file lacks.
            let bones = |c: &Clip| {
                let kept = c
                    .tracks
                    .iter()
                    .filter(|(_, t)| !skeleton_only || t.property != Property::Weights);
                Clip { tracks: kept.map(|(k, t)| (*k, t.clone())).collect(), ..c.clone() }
            };
            assert!(same_keys(&bones(a), b), "{label}");
        }
    }
}

fn request_none(to: &Path) -> ExportRequest {
    let (clips, to) = (Some(Vec::new()), to.to_owned());
    ExportRequest {
        clips,
        skeleton_only: false,
        rate: None,
        each: false,
        names: String::new(),
        gltf: false,
        to,
        replace: true,
    }
}

/// Returns the binary chunk of a GLB.
fn bin_of(glb: &[u8]) -> Vec<u8> {
    let json = u32::from_le_bytes(glb[12..16].try_into().unwrap()) as usize;
    glb[20 + json + 8..].to_vec()
}

/// Returns the rotation of each joint in a pose relative to rest, in world axes.
fn turns(document: &Document, pose: &Pose) -> Vec<Quat> {
    let mut rest = vec![Quat::IDENTITY; document.nodes.len()];
    let mut now = rest.clone();
    for node in document.nodes.order() {
        let above =
            |list: &[Quat]| document.node(*node).parent.map_or(Quat::IDENTITY, |p| list[p.index()]);
        let own = document.node(*node).rest.transform().rotation.normalize();
        rest[node.index()] = above(&rest) * own;
        now[node.index()] = above(&now) * pose.local[node.index()].transform().rotation.normalize();
    }
    (0..rest.len()).map(|k| now[k] * rest[k].inverse()).collect()
}

fn poses(document: &Document, id: ClipId) -> impl FnMut(f64) -> Pose + '_ {
    let clip: &Shared<Clip> = &document.clips[id];
    let mut evaluator = Evaluator::default();
    move |time| {
        let mut pose = Pose::default();
        evaluator.update(document, &Stack::of(Some(clip), time), &mut pose);
        pose
    }
}

/// Converts the mannequin: other joint axes, size and names, an armature in centimeters, and
/// another up axis.
fn other_mannequin() -> Session {
    let mut session = sample();
    let document = session.document().clone();
    let joints = document.joint_flags();
    let mut edits = Vec::new();
    // Each joint gets new axes, and its children are converted to them.
    let spin = |n: NodeId| {
        Quat::from_scaled_axis(Vec3::new(0.3, 1.1, -0.7) * (n.0 as f32 * 0.37).sin() * 2.0)
    };
    for node in document.nodes.order().iter().copied().filter(|n| joints[n.index()]) {
        let rest = document.node(node).rest.transform();
        let above =
            document.node(node).parent.filter(|p| joints[p.index()]).map_or(Quat::IDENTITY, spin);
        let rest = Transform {
            translation: above.inverse() * rest.translation * 1.25,
            rotation: above.inverse() * rest.rotation * spin(node),
            scale: rest.scale,
        };
        edits.push((node, rest));
    }
    let glb = session.pack("model").unwrap().bytes;
    // Saves and opens the file, as if another program had written it.
    let opened = ulna_formats::gltf::open_bytes(glb.clone(), None, &Progress::default()).unwrap();
    let text = opened.source.json().unwrap().to_owned();
    let mut root: serde_json::Value = serde_json::from_str(&text).unwrap();
    for (node, rest) in &edits {
        let own = &mut root["nodes"][node.index()];
        own["name"] = format!("mixamorig:{}", document.node(*node).label(*node)).into();
        own.as_object_mut().unwrap().remove("matrix");
        own["translation"] = rest.translation.to_array().to_vec().into();
        own["rotation"] = rest.rotation.normalize().to_array().to_vec().into();
    }
    root.as_object_mut().unwrap().remove("skins");
    for node in root["nodes"].as_array_mut().unwrap() {
        node.as_object_mut().unwrap().remove("skin");
    }
    // The skin is removed, so that only the rest pose defines the skeleton. The joints remain
    // joints.
    let list: Vec<u32> = edits.iter().map(|(n, _)| n.0).collect();
    root["skins"] = serde_json::json!([{"joints": list}]);
    let count = root["nodes"].as_array().unwrap().len();
    // Rotates the body onto its back, and converts it to centimeters.
    let top = edits[0].0;
    let parent = document.node(top).parent;
    root["nodes"].as_array_mut().unwrap().push(serde_json::json!({
        "name": "Lying", "rotation": [0.70710677, 0.0, 0.0, 0.70710677], "children": [0]
    }));
    let roots: Vec<u64> = root["scenes"][0]["nodes"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(serde_json::Value::as_u64)
        .collect();
    root["nodes"][count]["children"] = roots.into();
    root["scenes"][0]["nodes"] = serde_json::json!([count]);
    assert!(parent.is_some() || root["nodes"][count]["children"].as_array().is_some());
    let json = serde_json::to_vec(&root).unwrap();
    let bin = bin_of(&opened.source.bytes);
    let glb = crate::common::glb(serde_json::from_slice(&json).unwrap(), &bin);
    session = Session::open_bytes(&glb).unwrap();
    session
}

/// Clips of the mannequin are imported to one with other axes and names, 1.25 times as large and on
/// its back. At 200 times of each clip, every joint must have the same rotation from rest, without
/// additional keys. Importing the clip back restores it.
#[test]
fn importing_a_clip_to_other_joint_axes_keeps_the_motion() {
    let theirs = sample();
    let mut ours = other_mannequin();
    let back = Quat::from_rotation_x(std::f32::consts::FRAC_PI_2);
    let (fit, made) = arrivals(
        ours.document(),
        theirs.document(),
        Path::new("mannequin.glb"),
        &Default::default(),
    );
    assert_eq!((fit.found[1], fit.unmatched.len()), (fit.joints, 0), "{fit:?}");
    assert!((fit.ratio - 1.25).abs() < 0.01, "{}", fit.ratio);
    assert!(made.len() >= 3);
    let (mut worst, mut moments) = (0.0f32, 0);
    for arrival in &made {
        let before = ours.document().clone();
        let put = PutClips {
            clips: ClipTexts::Clips(vec![Shared::new(arrival.carried.clip.clone())]),
            taken: None,
        };
        ours.run(&Command::from(put)).unwrap();
        let document = ours.document().clone();
        let id = document.clips.ids().find(|c| !before.clips.contains(*c)).unwrap();
        let source = &theirs.document().clips[arrival.id];
        assert!(arrival.carried.resampled.is_empty() && arrival.carried.lost.is_empty());
        assert!(document.clips[id].key_count() >= source.key_count());
        let (mut there, mut here) = (poses(theirs.document(), arrival.id), poses(&document, id));
        for k in 0..200 {
            let time = f64::from(source.length()) * f64::from(k) / 199.0;
            let (a, b) = (turns(theirs.document(), &there(time)), turns(&document, &here(time)));
            for node in
                theirs.document().node_ids().filter(|n| theirs.document().joint_flags()[n.index()])
            {
                let other = named(
                    &document,
                    &format!("mixamorig:{}", theirs.document().node(node).label(node)),
                );
                let wanted = back * a[node.index()] * back.inverse();
                worst = worst.max(angle_between(wanted, b[other.index()]));
            }
            moments += 1;
        }
        // Imports the clip back to the original joints.
        let (_, again) =
            arrivals(theirs.document(), &document, Path::new("back.glb"), &Default::default());
        let again = again.iter().find(|a| a.id == id).unwrap();
        for track in source.tracks.values() {
            let other = again.carried.clip.track(track.target, track.property).unwrap().1;
            assert_eq!(other.times, track.times);
            let largest = track.values.iter().fold(1e-3f32, |m, v| m.max(v.abs()));
            let off = |sign: f32| {
                let gaps =
                    track.values.iter().zip(other.values.iter()).map(|(a, b)| (a - sign * b).abs());
                gaps.fold(0.0, f32::max)
            };
            let off = if track.property == Property::Rotation {
                off(1.0).min(off(-1.0))
            } else {
                off(1.0)
            };
            assert!(
                off < 2e-5 * largest,
                "{:?} of {}: {off}",
                track.property,
                theirs.document().path(track.target)
            );
        }
    }
    assert!(moments >= 600 && worst < 2e-3, "{moments} moments, off by {worst}");
}

/// An animation file without a skin, whose joints are in some pose, has the same bones as the
/// model. Its keys are copied unchanged.
#[test]
fn unskinned_joints_in_another_pose_match_by_name() {
    let session = sample();
    let (document, opened) = (session.document(), session.pack("model").unwrap().bytes);
    let source = ulna_formats::gltf::open_bytes(opened, None, &Progress::default()).unwrap().source;
    let mut root: serde_json::Value = serde_json::from_str(source.json().unwrap()).unwrap();
    let members = root.as_object_mut().unwrap();
    members.remove("skins");
    for (k, node) in members["nodes"].as_array_mut().unwrap().iter_mut().enumerate() {
        let node = node.as_object_mut().unwrap();
        node.remove("skin");
        let turn = Quat::from_scaled_axis(Vec3::new(0.4, -0.2, 0.3) * (k as f32).sin());
        let rest = document.node(NodeId(k as u32)).rest.transform().rotation;
        node.insert("rotation".into(), (rest * turn).to_array().to_vec().into());
    }
    let bare = Session::open_bytes(&crate::common::glb(root, &bin_of(&source.bytes))).unwrap();
    let (fit, made) =
        arrivals(document, bare.document(), Path::new("bare.glb"), &Default::default());
    assert!(fit.is_same(), "{fit:?}");
    for arrival in made {
        let own = &document.clips[arrival.id];
        for track in own.tracks.values() {
            let (_, other) = arrival.carried.clip.track(track.target, track.property).unwrap();
            assert!(track.same_keys(other));
        }
    }
}

#[test]
fn impossible_imports_are_reported_and_change_nothing() {
    let mut session = sample();
    let said =
        |session: &mut Session, line: CommandLine| session.run_line(&line).unwrap_err().to_string();
    let folder = tempfile::tempdir().unwrap();
    let none = said(&mut session, CommandLine::new("clip.import"));
    assert!(none.contains("“path”"), "{none}");
    let none = said(&mut session, import(&folder.path().join("no.glb")));
    assert!(none.contains("matches no file"), "{none}");
    let none = said(&mut session, import(folder.path()));
    assert!(none.contains("no folder with models"), "{none}");
    std::fs::write(folder.path().join("broken.glb"), b"glTF").unwrap();
    let none = said(&mut session, import(&folder.path().join("broken.glb")));
    assert!(none.contains("broken.glb"), "{none}");
    let text = |text: &str| CommandLine::new("clip.put").with("clips", text);
    for broken in [
        "",
        "{}",
        r#"{"ulna_clips":9,"times":[],"clips":[]}"#,
        r#"{"ulna_clips":1,"times":["?"],"clips":[]}"#,
    ] {
        let none = said(&mut session, text(broken));
        assert!(none.contains("clips"), "{broken}: {none}");
    }
    let twisted = r#"{"ulna_clips":1,"times":["AAAAAA=="],"clips":[{"name":"A","tracks":[
        {"node":"Hips","property":"translation","interpolation":"LINEAR","times":0,
        "values":"AAAAAA=="}]}]}"#;
    let none = said(&mut session, text(twisted));
    assert!(none.contains("Hips"), "{none}");
    assert!(!session.is_unsaved());
}

/// If a clip name already exists, the imported clip gets a number, is skipped, or replaces the keys
/// of the existing clip.
#[test]
fn an_existing_clip_name_is_handled_by_the_chosen_option() {
    let mut session = sample();
    let document = session.document().clone();
    let first = document.clips.ids().next().unwrap();
    let name = document.clip_label(first);
    let mut other = (*document.clips[first]).clone();
    let only = other.tracks.iter().next().map(|(_, t)| t.clone()).unwrap();
    other.tracks = [(TrackId(0), only)].into();
    let line = |taken: &str| {
        let put =
            PutClips { clips: ClipTexts::Clips(vec![Shared::new(other.clone())]), taken: None };
        Command::from(put).line(&document).with("taken", taken)
    };
    assert!(!session.run_line(&line("skip")).unwrap());
    session.run_line(&line("replace")).unwrap();
    let now = session.document();
    assert_eq!((now.clips.count(), now.clips[first].tracks.len()), (document.clips.count(), 1));
    // The saved file has the same keys.
    let again = Session::open_bytes(&session.pack("model").unwrap().bytes).unwrap();
    assert!(same_keys(&again.document().clips[first], &other));
    session.undo().unwrap();
    session.run_line(&line("number")).unwrap();
    let last = session.document().clips.ids().next_back().unwrap();
    assert_eq!(session.document().clip_label(last), format!("{name} 2"));
}

/// The clips of a character are imported into a copy of it without clips. The skin must have the
/// same positions.
#[test]
fn a_merged_clip_has_the_same_skin_positions() {
    let Some(shared) = shared() else { return };
    let folder = tempfile::tempdir().unwrap();
    let mut done = 0;
    for name in [
        "Knight/Knight.glb",
        "Fox49/fox-animations.glb",
        "Dragon/dragon-animations.glb",
        "Spider/gltf_spider_animated.gltf",
        "CesiumMan/CesiumMan.glb",
    ] {
        let path = shared.join("corpus/characters").join(name);
        let Ok(theirs) = Session::open(&path, &Progress::default()) else { continue };
        let body = folder.path().join(format!("{done}.glb"));
        theirs.exporting(request_none(&body)).run(&SystemDisk, &Progress::default()).unwrap();
        let mut ours = Session::open(&body, &Progress::default()).unwrap();
        run(&mut ours, import(&path));
        let (a, b) = (theirs.document(), ours.document());
        for (id, new) in a.clips.ids().zip(b.clips.ids()).take(4) {
            let (mut there, mut here) = (poses(a, id), poses(b, new));
            for k in 0..20 {
                let time = f64::from(a.clips[id].length()) * f64::from(k) / 19.0;
                let skin = |document: &Document, pose: &Pose| {
                    let surface = Surface::new(document, pose);
                    surface.parts().map(|p| p.positions.to_vec()).collect::<Vec<_>>()
                };
                assert_eq!(skin(a, &there(time)), skin(b, &here(time)), "{name}");
            }
        }
        done += 1;
    }
    assert!(done >= 4, "only {done} characters");
}

/// A joint with no match by name or position is skipped, with a note. If its counterpart is given,
/// its motion is copied bit for bit.
#[test]
fn a_given_counterpart_is_used() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("theirs.glb");
    let mut theirs = sample();
    run(
        &mut theirs,
        CommandLine::new("node.rename").with("node", "LeftThumb3").with("name", "Zq7"),
    );
    std::fs::write(&path, &*theirs.pack("model").unwrap().bytes).unwrap();
    let head = theirs
        .document()
        .node_ids()
        .find(|n| theirs.document().node(*n).label(*n) == "Zq7")
        .unwrap();
    let clips: Vec<ClipId> = theirs.document().clips.ids().collect();
    let moves = |c: &Clip| c.tracks.values().any(|t| t.target == head);
    let with_head = clips.iter().filter(|c| moves(&theirs.document().clips[**c])).count();
    assert!(with_head > 0, "no clip of the sample moves the head");
    let imported = |counterparts: Option<&str>| {
        let mut ours = sample();
        let line = import(&path);
        let line = counterparts
            .map_or_else(|| line.clone(), |text| line.clone().with("counterparts", text));
        let said = ours
            .run_line(&line)
            .map(|_| ours.take_sentence().unwrap_or_default())
            .map_err(|e| e.to_string());
        let document = ours.document();
        let new: Vec<Shared<Clip>> = document.clips.values().skip(clips.len()).cloned().collect();
        (said, new)
    };
    let (said, new) = imported(None);
    let said = said.unwrap();
    assert!(said.contains("Zq7") && new.len() == clips.len(), "{said}");
    assert!(!new.iter().any(|c| moves(c)));
    let (said, new) = imported(Some("Zq7=LeftThumb3"));
    assert!(!said.unwrap().contains("Zq7"));
    for (id, clip) in clips.iter().zip(&new) {
        assert!(same_keys(&theirs.document().clips[*id], clip), "{id:?}");
    }
    // A joint that has a match can be excluded.
    let (_, new) = imported(Some("LeftHand="));
    let hand = theirs
        .document()
        .node_ids()
        .find(|n| theirs.document().node(*n).label(*n) == "LeftHand")
        .unwrap();
    assert!(new.iter().all(|c| c.tracks.values().all(|t| t.target != hand)));
    for (text, wanted) in [("Zq8=LeftThumb3", "Zq8"), ("Zq7=Tail", "Tail"), ("Zq7", "theirs=ours")]
    {
        let (said, new) = imported(Some(text));
        assert!(said.unwrap_err().contains(wanted) && new.is_empty(), "{text}");
    }
}

/// A file without matching joints is refused with the reason.
#[test]
fn files_without_common_joints_are_refused_with_the_reason() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("crane.gltf");
    std::fs::write(&path, include_str!("../data/crane.gltf")).unwrap();
    let mut ours = sample();
    let before = ours.pack("model").unwrap().bytes;
    let error = ours.run_line(&import(&path)).unwrap_err().to_string();
    assert!(
        error.contains("crane.gltf")
            && error.contains("the only joint that it animates (Boom) was not found"),
        "{error}"
    );
    assert_eq!(ours.pack("model").unwrap().bytes, before);
}
