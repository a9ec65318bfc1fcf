//! Commands on keys, on files of the corpus and in scripts. Key times increase, undo restores
//! everything, and other keys stay unchanged.
#![allow(clippy::unwrap_used, reason = "a test ends where something is not as it must be")]

use serde_json::json;
use ulna_edit::{Command, CommandLine};
use ulna_formats::gltf::Progress;
use ulna_model::{ClipId, Document, Interpolation, Property, Track, TrackId};
use ulna_motion::sample_into;
use ulna_session::Session;

use crate::common::{run, sample};

fn line(name: &str) -> CommandLine {
    CommandLine::new(name).with("clip", "Walk")
}

fn track<'a>(document: &'a Document, node: &str, property: Property) -> &'a Track {
    let node =
        document.node_ids().find(|n| document.node(*n).name.as_deref() == Some(node)).unwrap();
    document.clips[ClipId(1)].track(node, property).unwrap().1
}

fn hips(session: &Session) -> &Track {
    track(session.document(), "Hips", Property::Rotation)
}

#[test]
fn a_command_moves_only_the_keys_that_it_lists() {
    let mut session = sample();
    let times = hips(&session).times.to_vec();
    let by = (times[1] - times[0]) * 0.5;
    let keys = json!({"Hips": {"rotation": [times[1], times[2]]}});
    run(&mut session, line("key.move").with("by", by).with("keys", keys));
    let now = hips(&session);
    assert_eq!(now.times.len(), times.len());
    assert_eq!((now.times[0], now.times[1], now.times[3]), (times[0], times[1] + by, times[3]));
    let (clip, selected) = session.take_selected_keys().unwrap();
    assert_eq!((clip, selected.len()), (ulna_edit::KeysHome::of_clip(ClipId(1)), 2));
    session.undo();
    assert_eq!(*hips(&session).times, *times);
}

#[test]
fn a_move_reports_replaced_keys() {
    let mut session = sample();
    let times = hips(&session).times.to_vec();
    let by = f64::from(times[1]) - f64::from(times[0]);
    let keys = json!({"Hips": {"rotation": [times[0]]}});
    let notes = run(&mut session, line("key.move").with("by", by).with("keys", keys));
    assert_eq!(notes, ["1 key replaced by moved keys"]);
    assert_eq!(hips(&session).times.len(), times.len() - 1);
}

#[test]
fn a_canceled_move_leaves_no_notes_for_the_next_command() {
    let mut session = sample();
    let times = hips(&session).times.to_vec();
    let by = f64::from(times[1]) - f64::from(times[0]);
    let keys = json!({"Hips": {"rotation": [times[0]]}});
    let moved = Command::read(&line("key.move").with("by", by).with("keys", keys)).unwrap();
    session.preview_all("Move keys", std::slice::from_ref(&moved)).unwrap();
    session.cancel();
    let keys = json!({"Hips": {"rotation": [times[2]]}});
    let notes = run(&mut session, line("key.delete").with("keys", keys));
    assert!(notes.iter().all(|n| !n.contains("moved keys")), "{notes:?}");
    // A completed move still reports the replaced keys.
    session.preview_all("Move keys", &[moved]).unwrap();
    assert!(session.commit());
    assert_eq!(session.take_sentence().as_deref(), Some("1 key replaced by moved keys"));
}

#[test]
fn keys_are_copied_to_another_clip_and_another_joint() {
    let mut session = sample();
    let from = track(session.document(), "LeftUpperArm", Property::Rotation).clone();
    let copy = line("key.copy").with("node", "LeftUpperArm").with("from", 0).with("to", 10);
    assert!(!session.run_line(&copy).unwrap());
    run(&mut session, CommandLine::new("clip.new").with("name", "Hello"));
    run(&mut session, CommandLine::new("key.paste").with("clip", "Hello").with("time", 0.5));
    let wave = session.document().clips.ids().next_back().unwrap();
    let (_, pasted) = session.document().clips[wave].tracks.first_key_value().unwrap();
    assert_eq!(pasted.times.len(), from.times.len());
    assert!((pasted.times[0] - 0.5).abs() < 1e-6);
    assert_eq!(pasted.values, from.values);
    run(
        &mut session,
        CommandLine::new("key.paste").with("clip", "Hello").with("node", "RightUpperArm"),
    );
    assert_eq!(session.document().clips[wave].tracks.len(), 2);
    // The journal contains the pasted keys themselves, not where they were copied.
    let step = session.history().done().last().unwrap().lines(session.document());
    assert!(step[0].arguments["text"].as_str().unwrap().contains("ulna_keys"));
    let error = session.run_line(&line("key.paste").with("text", "hello")).unwrap_err();
    assert!(error.to_string().contains("not contain keys"), "{error}");
}

#[test]
fn interpolation_applies_to_the_whole_track_with_a_note() {
    let mut session = sample();
    let keys = json!({"Hips": {"rotation": [hips(&session).times[0]]}});
    let others = hips(&session).times.len() - 1;
    let was = hips(&session).interpolation;
    let to = if was == Interpolation::CubicSpline { "linear" } else { "smooth" };
    let notes =
        run(&mut session, line("track.interpolation").with("interpolation", to).with("keys", keys));
    assert!(notes[0].contains(&format!("{others} other keys of 1 track")), "{notes:?}");
    assert_ne!(hips(&session).interpolation, was);
}

#[test]
fn time_can_be_inserted_and_removed() {
    let mut session = sample();
    let length = session.document().clips[ClipId(1)].length();
    let before = session.document().clone();
    run(&mut session, line("key.ripple").with("time", 0.2).with("by", 0.5));
    assert!((session.document().clips[ClipId(1)].length() - length - 0.5).abs() < 1e-5);
    run(&mut session, line("key.ripple").with("time", 0.2).with("by", -0.5));
    for (id, track) in &session.document().clips[ClipId(1)].tracks {
        let was = &before.clips[ClipId(1)].tracks[id];
        assert_eq!(track.times.len(), was.times.len());
        assert!(track.times.iter().zip(was.times.iter()).all(|(a, b)| (a - b).abs() < 1e-5));
    }
}

#[test]
fn offsetting_the_start_of_a_loop_keeps_the_loop() {
    let mut session = sample();
    let before = hips(&session).clone();
    let length = session.document().clips[ClipId(1)].length();
    let by = length * 0.3;
    run(&mut session, line("key.offset").with("by", by));
    let (mut a, mut b) = ([0.0; 4], [0.0; 4]);
    for k in 0..200 {
        let time = f64::from(length) * f64::from(k) / 200.0;
        sample_into(&before, (time - f64::from(by)).rem_euclid(f64::from(length)), &mut a);
        sample_into(hips(&session), time, &mut b);
        let dot: f32 = a.iter().zip(&b).map(|(a, b)| a * b).sum();
        assert!(dot.abs() > 0.9999, "{time}: {a:?} {b:?}");
    }
}

/// Runs every operation on some keys of every animated file. Key times increase, and undoing all
/// steps restores the opened file.
#[test]
fn key_operations_keep_clips_valid_and_can_be_undone_on_the_corpus() {
    let Some(shared) = crate::common::shared() else { return };
    let mut tried = 0;
    for path in crate::common::models(&shared.join("corpus")) {
        if std::fs::metadata(&path).is_ok_and(|m| m.len() > 8 << 20) {
            continue;
        }
        let Ok(mut session) = Session::open(&path, &Progress::default()) else { continue };
        let opened = session.document().clone();
        let Some((id, length)) =
            opened.clips.iter().map(|(id, c)| (id, c.length())).find(|(_, l)| *l > 0.0)
        else {
            continue;
        };
        let at = |name: &str| CommandLine::new(name).with("clip", format!("#{}", id.0));
        let part = |line: CommandLine, a: f32, b: f32| {
            line.with("from", length * a).with("to", length * b)
        };
        let lines = [
            part(at("key.move").with("by", length * 0.05), 0.2, 0.6),
            part(at("key.move").with("by", -length).with("ripple", true), 0.5, 0.8),
            part(at("key.duplicate").with("by", length * 0.5), 0.0, 0.4),
            part(at("key.scale").with("factor", 0.37).with("about", length * 0.5), 0.1, 0.9),
            at("key.scale").with("factor", 1.7),
            part(at("key.hold_next"), 0.0, 0.5),
            at("key.offset").with("by", length * 0.21),
            at("track.interpolation").with("interpolation", "smooth"),
            part(at("key.move").with("by", length * 0.01), 0.0, 1.0),
            at("key.value").with("how", "scale").with("by", [1.1]).with("about", "mean"),
            at("key.clean"),
            at("key.ripple").with("time", length * 0.3).with("by", -length * 0.2),
            at("track.interpolation").with("interpolation", "hold"),
        ];
        for line in &lines {
            match session.run_line(line) {
                Ok(_) => {}
                // Allowed: the clip lasts a millisecond, or is so late that single precision cannot
                // separate its keys.
                Err(error) => {
                    // Also allowed: keys of animation pointers could not follow.
                    let pointed = session.document().clips.values().any(|c| !c.pointers.is_empty());
                    let why = if pointed { "animation pointer" } else { "single precision" };
                    assert!(error.to_string().contains(why), "{path:?} {line}: {error}");
                }
            }
            session.document().check().unwrap_or_else(|e| panic!("{path:?} {line}: {e}"));
        }
        while session.undo().is_some() {}
        assert!(*session.document() == opened, "{path:?}");
        tried += 1;
    }
    assert!(tried >= 60, "{tried} files");
}

#[test]
fn markers_are_saved_in_the_clips_extras_and_nothing_else_changes() {
    let mut session = sample();
    let opened = session.pack("a").unwrap().bytes;
    run(&mut session, line("marker.add").with("time", 0.25).with("name", "contact_l"));
    run(&mut session, line("marker.add").with("time", 0.5).with("color", "blue"));
    run(&mut session, line("marker.move").with("time", 0.5).with("to", 0.125));
    run(&mut session, line("marker.set").with("time", 0.125).with("name", "passing"));
    assert!(session.run_line(&line("marker.remove").with("time", 0.9)).is_err());
    let meant = session.document().clips[ClipId(1)].markers.clone();
    assert_eq!(
        meant.iter().map(|m| (&*m.name, m.time)).collect::<Vec<_>>(),
        [("passing", 0.125), ("contact_l", 0.25)]
    );
    let saved = session.pack("a").unwrap();
    assert_eq!(saved.changes.len(), 1, "{:?}", saved.changes);
    let again = Session::open_bytes(&saved.bytes).unwrap();
    assert_eq!(again.document().clips[ClipId(1)].markers, meant);
    let mut again = again;
    for time in [0.125, 0.25] {
        run(&mut again, line("marker.remove").with("time", time));
    }
    let without = Session::open_bytes(&again.pack("a").unwrap().bytes).unwrap();
    assert!(without.document().clips[ClipId(1)].markers.is_empty());
    while session.undo().is_some() {}
    assert_eq!(session.pack("a").unwrap().bytes.as_slice(), opened.as_slice());
}

#[test]
fn a_wave_can_be_built_from_smooth_keys_in_an_empty_clip() {
    let mut session = sample();
    run(&mut session, CommandLine::new("clip.new").with("name", "Hello"));
    let key = |time: f64, degrees: f64| {
        CommandLine::new("key.set")
            .with("clip", "Hello")
            .with("time", time)
            .with("node", "LeftLowerArm")
            .with("degrees", [0.0, 0.0, degrees])
            .with("interpolation", "smooth")
    };
    for (time, degrees) in [(0.0, 0.0), (0.5, 40.0), (1.0, 0.0)] {
        run(&mut session, key(time, degrees));
    }
    let made = session.document().clips.ids().next_back().unwrap();
    let track = || session.document().clips[made].tracks.first_key_value().unwrap().1.clone();
    assert_eq!(track().interpolation, Interpolation::CubicSpline);
    assert!(ulna_motion::clip_edit::is_auto(&track()));
    // The motion is slow at the top: within a tenth of the time, the rotation has hardly begun to
    // return.
    let mut at = [0.0; 4];
    sample_into(&track(), 0.55, &mut at);
    let angle = 2.0 * at[2].abs().atan2(at[3].abs()).to_degrees();
    assert!(angle > 38.5, "{angle}");
}

#[test]
fn shifting_changes_all_selected_keys_by_the_same_difference() {
    let mut session = sample();
    let before = hips(&session).clone();
    let seen = glam::Quat::from_slice(before.value(0));
    let wanted = (seen * glam::Quat::from_rotation_x(0.2)).to_array();
    let keys = json!({"Hips": {"rotation": &*before.times}});
    let shift = line("key.shift")
        .with("time", before.times[0])
        .with("node", "Hips")
        .with("rotation", wanted);
    run(&mut session, shift.with("keys", keys));
    for k in 0..before.times.len() {
        let was = glam::Quat::from_slice(before.value(k)) * glam::Quat::from_rotation_x(0.2);
        assert!(was.dot(glam::Quat::from_slice(hips(&session).value(k))).abs() > 0.99999);
    }
}

/// On every skeleton of the corpus, flipping twice restores the keys, and flipping a rest pose
/// gives a rest pose.
#[test]
fn flipping_keys_twice_restores_them() {
    let Some(shared) = crate::common::shared() else { return };
    let (mut files, mut tracks) = (0, 0);
    for path in crate::common::models(&shared.join("corpus")) {
        if std::fs::metadata(&path).is_ok_and(|m| m.len() > 8 << 20) {
            continue;
        }
        let Ok(session) = Session::open(&path, &Progress::default()) else { continue };
        let document = session.document();
        let mirror = ulna_motion::Mirror::of(document);
        let before = tracks;
        for track in document.clips.values().take(3).flat_map(|c| c.tracks.values()) {
            let Some(there) = mirror.track(document, track) else { continue };
            let Some(back) = mirror.track(document, &there.track) else {
                panic!("{path:?}: a partner without one")
            };
            assert_eq!(back.track.target, track.target, "{path:?}");
            let size = track.values.iter().fold(1.0f32, |m, v| m.max(v.abs()));
            let gap = |sign: f32| {
                track
                    .values
                    .iter()
                    .zip(back.track.values.iter())
                    .map(|(a, b)| (a - sign * b).abs())
                    .fold(0.0, f32::max)
            };
            let gap = if track.property == Property::Rotation {
                gap(1.0).min(gap(-1.0))
            } else {
                gap(1.0)
            };
            if !there.scale_left {
                assert!(
                    gap < 2e-4 * size,
                    "{path:?} {:?} {}: {gap}",
                    track.target,
                    track.property.path()
                );
            }
            tracks += 1;
        }
        files += usize::from(tracks > before);
    }
    assert!(files >= 10 && tracks > 200, "{tracks} tracks of {files} files");
}

/// In world space, the pasted arm must be the mirror image of the copied arm.
#[test]
fn keys_pasted_flipped_give_the_mirror_image() {
    let mut session = sample();
    run(&mut session, CommandLine::new("clip.new").with("name", "Hello"));
    let key = |node: &str, degrees: [f64; 3]| {
        CommandLine::new("key.set")
            .with("clip", "Hello")
            .with("time", 0.5)
            .with("node", node)
            .with("degrees", degrees)
    };
    run(&mut session, key("LeftUpperArm", [20.0, -35.0, 50.0]));
    run(&mut session, key("LeftLowerArm", [10.0, 60.0, -15.0]));
    run(&mut session, key("LeftHand", [-25.0, 5.0, 30.0]));
    run(
        &mut session,
        CommandLine::new("key.copy").with("clip", "Hello").with("from", 0).with("to", 1),
    );
    run(&mut session, CommandLine::new("key.paste").with("clip", "Hello").with("flip", true));
    let document = session.document();
    let made = document.clips.ids().next_back().unwrap();
    assert_eq!(document.clips[made].tracks.len(), 6);
    let pose = ulna_motion::Pose::evaluate(
        document,
        &ulna_motion::Stack::of(Some(&document.clips[made]), 0.5),
    );
    let at = |name: &str| {
        let node =
            document.node_ids().find(|n| document.node(*n).name.as_deref() == Some(name)).unwrap();
        pose.world[node.index()].w_axis.truncate()
    };
    for name in ["LowerArm", "Hand", "Index1", "Thumb2", "Little3"] {
        let (left, right) = (at(&format!("Left{name}")), at(&format!("Right{name}")));
        let image = glam::Vec3::new(-left.x, left.y, left.z);
        assert!(image.distance(right) < 2e-3, "{name}: {image} {right}");
    }
    let moved = at("LeftHand").distance(glam::Vec3::new(at("LeftHand").x, 1.4, 0.0));
    assert!(moved > 0.02, "the arm was turned");
}

/// One key is moved and saved, in every animated file of the corpus. Only its channel may differ.
#[test]
fn one_moved_key_changes_one_channel_of_the_file() {
    let Some(shared) = crate::common::shared() else { return };
    let mut tried = 0;
    for path in crate::common::models(&shared.join("corpus")) {
        let small = std::fs::metadata(&path).is_ok_and(|m| m.len() < 8 << 20);
        let glb = path.extension().is_some_and(|e| e == "glb" || e == "vrm");
        if !small || !glb {
            continue;
        }
        let Ok(mut session) = Session::open(&path, &Progress::default()) else { continue };
        let opened = session.document().clone();
        let wanted = opened.clips.iter().find_map(|(id, clip)| {
            let fits = |t: &Track| t.times.len() > 2 && t.times[2] - t.times[1] > 0.01;
            clip.tracks.iter().find(|(_, t)| fits(t)).map(|(track, t)| (id, *track, t.clone()))
        });
        let Some((id, track, old)) = wanted else { continue };
        let by = (old.times[2] - old.times[1]) * 0.5;
        let node = ulna_edit::node_text(&opened, old.target);
        let keys = json!({ node: { old.property.path(): [old.times[1]] } });
        let line = CommandLine::new("key.move")
            .with("clip", format!("#{}", id.0))
            .with("by", by)
            .with("keys", keys);
        session.run_line(&line).unwrap_or_else(|e| panic!("{path:?}: {e}"));
        let Ok(saved) = session.pack("a") else { continue };
        let meant = session.document();
        // Other tests cover damaged files, and files with two channels for one property.
        if meant.clips[id].tracks[&track] == old {
            continue;
        }
        let again = Session::open_bytes(&saved.bytes).unwrap_or_else(|e| panic!("{path:?}: {e}"));
        for (other, clip) in opened.clips.iter() {
            for (k, was) in &clip.tracks {
                let now = &again.document().clips[other].tracks[k];
                let wanted =
                    if (other, *k) == (id, track) { &meant.clips[id].tracks[k] } else { was };
                assert_eq!(now.times, wanted.times, "{path:?} {other:?} {k:?}");
                assert_eq!(now.values, wanted.values, "{path:?} {other:?} {k:?}");
            }
        }
        tried += 1;
    }
    assert!(tried >= 20, "{tried} files");
}

/// The clips have no keys, one key, or keys far from 0. Every command works or states a reason, and
/// undo restores everything.
#[test]
fn every_command_handles_unusual_clips() {
    for (key, time) in [(None, 0.0), (Some(0.0), 0.0), (Some(10.0), 10.0), (Some(600.0), 600.0)] {
        let mut session = sample();
        run(&mut session, CommandLine::new("clip.new").with("name", "Odd"));
        let at = |name: &str| CommandLine::new(name).with("clip", "Odd");
        if let Some(time) = key {
            run(
                &mut session,
                at("key.set").with("time", time).with("node", "Head").with("degrees", [0, 20, 0]),
            );
        }
        let before = session.document().clone();
        let lines = [
            at("key.move").with("by", -20.0).with("time", time),
            at("key.duplicate").with("by", 0.5).with("time", time),
            at("key.scale").with("factor", 0.5).with("about", 1.0),
            at("key.scale").with("factor", 0.0),
            at("key.ripple").with("time", 0.0).with("by", 5.0),
            at("key.ripple").with("time", 0.0).with("by", -5.0),
            at("key.offset").with("by", 0.3),
            at("key.hold_next").with("time", time),
            at("key.value").with("how", "scale").with("by", [2.0]).with("about", "mean"),
            at("track.interpolation").with("interpolation", "smooth"),
            at("key.clean"),
            at("key.paste").with("text", "{}"),
            at("key.delete").with("time", time),
        ];
        for line in &lines {
            if let Err(error) = session.run_line(line) {
                assert!(error.to_string().len() > 20, "{line}: {error}");
            }
            session.document().check().unwrap_or_else(|e| panic!("{line}: {e}"));
        }
        while *session.document() != before {
            assert!(session.undo().is_some(), "{key:?}");
        }
    }
}

#[test]
fn keys_of_another_skeleton_are_refused_with_a_suggestion() {
    let mut session = sample();
    let text = r#"{"ulna_keys":1,"tracks":[{"node":"b_Tail","path":"root/b_Tail",
        "property":"rotation","interpolation":"LINEAR","times":[0],"values":[0,0,0,1]}]}"#;
    let error = session.run_line(&line("key.paste").with("text", text)).unwrap_err().to_string();
    assert!(error.contains("select the nodes to paste the keys to"), "{error}");
    run(&mut session, line("key.paste").with("text", text).with("node", "Head").with("time", 0.35));
    assert!(track(session.document(), "Head", Property::Rotation).key_at(0.35, 1e-5).is_some());
}

/// Inserting a key must not change the motion at 1,000 times, for every CUBICSPLINE track of the
/// corpus.
#[test]
fn inserting_a_key_keeps_the_motion_of_every_spline_of_the_corpus() {
    let Some(shared) = crate::common::shared() else { return };
    let (mut files, mut tracks) = (0, 0);
    for path in crate::common::models(&shared.join("corpus")) {
        if std::fs::metadata(&path).is_ok_and(|m| m.len() > 8 << 20) {
            continue;
        }
        let Ok(session) = Session::open(&path, &Progress::default()) else { continue };
        let before = tracks;
        let cubic = |t: &&ulna_model::Shared<Track>| {
            t.interpolation == Interpolation::CubicSpline && t.times.len() > 1
        };
        let document = session.document();
        for track in document.clips.values().flat_map(|c| c.tracks.values()).filter(cubic).take(40)
        {
            let (first, last) = (track.times[0], track.times[track.times.len() - 1]);
            let at = first + (last - first) * 0.371;
            let made = ulna_motion::insert_key(track, at, None, true);
            made.track.validate().unwrap_or_else(|e| panic!("{path:?}: {e}"));
            assert!(made.track.key_at(at, 1.1e-4).is_some());
            let (mut a, mut b) = (vec![0.0; track.width], vec![0.0; track.width]);
            let size = track.values.iter().fold(1.0f32, |m, v| m.max(v.abs()));
            for k in 0..1000 {
                let time = f64::from(first) + f64::from(last - first) * f64::from(k) / 999.0;
                sample_into(track, time, &mut a);
                sample_into(&made.track, time, &mut b);
                if track.property == Property::Rotation {
                    let [a, b] = [&a, &b].map(|v| glam::Quat::from_slice(v).normalize());
                    let angle = ulna_model::transform::angle_between(a, b).to_degrees();
                    assert!(angle < 0.02, "{path:?} at {time}: {angle}°");
                } else {
                    let gap = a.iter().zip(&b).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
                    assert!(gap < 2e-4 * size, "{path:?} at {time}: {gap}");
                }
            }
            tracks += 1;
        }
        files += usize::from(tracks > before);
    }
    assert!(files >= 5 && tracks >= 10, "{tracks} tracks of {files} files");
}

/// A command on all keys of a long clip is a short line: it has one range per track instead of
/// every time.
#[test]
fn many_keys_are_written_as_a_short_command_line() {
    let mut session = sample();
    let clip = &session.document().clips[ClipId(1)];
    let all =
        ulna_model::KeySet::of(clip, |_, t| ulna_model::KeyTimes::part(&t.times, 0..t.times.len()));
    let (count, tracks) = (all.len(), clip.tracks.len());
    let before = session.document().clone();
    let move_all = ulna_edit::command::MoveKeys {
        clip: ulna_edit::command::field::ClipName::Id(ClipId(1)),
        by: ulna_edit::command::field::Seconds(0.25),
        which: ulna_edit::command::WhichKeys::these(ClipId(1), all),
        ripple: None,
        make_room: None,
    };
    session.run(&move_all.into()).unwrap();
    let text = session.history().done()[0].lines(&before)[0].to_string();
    assert!(count > 500 && text.len() < tracks * 80, "{} letters for {count} keys", text.len());
    let mut again = sample();
    run(&mut again, CommandLine::parse(&text).unwrap());
    assert!(*again.document() == *session.document(), "the line does what was done");
}

/// Returns each operation, applied to a few keys of a track.
fn operations(document: &Document, id: ClipId, track: TrackId, old: &Track) -> Vec<CommandLine> {
    let node = ulna_edit::node_text(document, old.target);
    let keys = json!({ node.clone(): { old.property.path(): [old.times[1], old.times[2]] } });
    let gap = f64::from(old.times[2] - old.times[1]);
    let copied = ulna_edit::command::copied_keys(
        document,
        &ulna_edit::command::field::ClipName::Id(id),
        &ulna_edit::command::WhichKeys::these(
            id,
            [(track, vec![old.times[1]].into())].into_iter().collect(),
        ),
    );
    let at = |name: &str| CommandLine::new(name).with("clip", format!("#{}", id.0));
    let of = |line: CommandLine| line.with("keys", keys.clone());
    let alone =
        |line: CommandLine| line.with("node", node.clone()).with("parts", [old.property.path()]);
    vec![
        of(at("key.move").with("by", gap * 0.3)),
        of(at("key.duplicate").with("by", gap * 0.4)),
        of(at("key.scale").with("factor", 0.8)),
        of(at("key.hold_next")),
        of(at("key.value").with("how", "scale").with("by", [1.25])),
        of(at("key.delete")),
        of(at("key.kind").with("kind", "breakdown")),
        of(at("key.offset").with("by", gap)),
        of(at("track.interpolation").with("interpolation", "smooth")),
        alone(at("key.clean").with("tolerance", 0.02)),
        at("key.paste")
            .with("text", copied.unwrap().text())
            .with("time", f64::from(old.times[3]) + gap * 0.5),
    ]
}

/// Saves the file after each operation on one track. An independent comparison and the validator
/// check it: only the track's channel differs, and there is no new error. A seed chooses files and
/// tracks.
#[test]
fn each_operation_changes_only_its_channel_in_the_saved_file() {
    let Some(shared) = crate::common::shared() else { return };
    let small = |p: &std::path::PathBuf| {
        let glb = p.extension().is_some_and(|e| e == "glb");
        // Other tests cover damaged files, and files that the comparison cannot decompress.
        let others = ["found", "meshopt", "draco"].iter().any(|n| p.to_string_lossy().contains(n));
        glb && !others && std::fs::metadata(p).is_ok_and(|m| m.len() < 1 << 20)
    };
    let paths: Vec<_> =
        crate::common::models(&shared.join("corpus")).into_iter().filter(small).collect();
    let mut seed = 0x5eed_u64;
    let mut draw = |below: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize % below
    };
    let folder = tempfile::tempdir().unwrap();
    let (mut before, mut after) = (Vec::new(), Vec::new());
    let (mut files, mut judged) = (0, 0);
    for _ in 0..80 {
        if files == 6 {
            break;
        }
        let path = &paths[draw(paths.len())];
        let Ok(session) = Session::open(path, &Progress::default()) else { continue };
        let document = session.document();
        let fits = |t: &Track| {
            let even = t.times.windows(2).all(|w| w[1] - w[0] > 0.01);
            (4..400).contains(&t.times.len()) && t.property != Property::Weights && even
        };
        let tracks: Vec<_> = document
            .clips
            .iter()
            .flat_map(|(id, c)| {
                c.tracks
                    .iter()
                    .filter(|(_, t)| fits(t))
                    .map(move |(track, t)| (id, *track, t.clone()))
            })
            .filter(|(id, track, t)| {
                document.clips[*id].track(t.target, t.property).is_some_and(|(k, _)| k == *track)
            })
            .collect();
        if tracks.is_empty() {
            continue;
        }
        let (id, track, old) = &tracks[draw(tracks.len())];
        let lines = operations(document, *id, *track, old);
        for line in &lines {
            let mut session = Session::open(path, &Progress::default()).unwrap();
            session.run_line(line).unwrap_or_else(|e| panic!("{path:?} {line}: {e}"));
            if session.document().clips[*id].tracks.get(track) == Some(old) {
                continue;
            }
            let own = folder.path().join(format!("{}-{files}", after.len()));
            std::fs::create_dir(&own).unwrap();
            let saved = own.join(path.file_name().unwrap());
            session.write_to(&saved).unwrap_or_else(|e| panic!("{path:?} {line}: {e}"));
            let (clip, channel) = (id.0, track.0);
            let allowed = [
                format!("* animations?{clip}?.channels?{channel}?*"),
                // If another channel uses the sampler, it is copied first.
                format!("json-changed animations?{clip}?.samplers"),
                format!("json-added animations?{clip}?.extras*"),
            ];
            let allowed: Vec<&str> = allowed.iter().map(String::as_str).collect();
            if let Some(found) = crate::common::judges::differences(path, &saved, &allowed) {
                assert_eq!(found, "", "{path:?} {line}");
                judged += 1;
            }
            before.push(path.clone());
            after.push(saved);
        }
        files += 1;
    }
    println!("{files} files, {} operations saved, {judged} judged", after.len());
    assert!(files == 6 && after.len() >= 50, "{files} {}", after.len());
    if let (Some(was), Some(is)) =
        (crate::common::judges::validate(&before), crate::common::judges::validate(&after))
    {
        for ((was, _), (is, text)) in was.iter().zip(&is) {
            assert!(is <= was, "{text}");
        }
    }
}

/// The key types follow their keys, and are restored from the file. Removing them leaves no trace
/// in the file.
#[test]
fn key_kinds_follow_their_keys_and_are_saved_in_the_extras() {
    let mut session = sample();
    let opened = session.pack("a").unwrap().bytes;
    let times = hips(&session).times.to_vec();
    let kind = |name: &str, times: &[f32]| {
        line("key.kind").with("kind", name).with("keys", json!({"Hips": {"rotation": times}}))
    };
    run(&mut session, kind("extreme", &[times[1]]));
    run(&mut session, kind("in-between", &times[2..4]));
    let kinds = |s: &Session| -> Vec<(f32, String)> {
        hips(s).kinds_there().iter().map(|(t, k)| (t, format!("{k:?}"))).collect()
    };
    let meant = |ts: [f32; 3]| -> Vec<(f32, String)> {
        ts.into_iter().zip(["Extreme", "InBetween", "InBetween"].map(str::to_owned)).collect()
    };
    assert_eq!(kinds(&session), meant([times[1], times[2], times[3]]));
    let saved = session.pack("a").unwrap();
    assert_eq!(saved.changes.len(), 1, "{:?}", saved.changes);
    let mut again = Session::open_bytes(&saved.bytes).unwrap();
    assert_eq!(kinds(&again), kinds(&session));
    // Keys are moved, stretched, and shifted around the loop.
    let by = (times[1] - times[0]) * 0.5;
    run(
        &mut again,
        line("key.move").with("by", by).with("keys", json!({"Hips": {"rotation": [times[1]]}})),
    );
    assert_eq!(kinds(&again)[0], (times[1] + by, "Extreme".into()));
    run(&mut again, line("key.scale").with("factor", 2.0).with("about", 0.0));
    assert!((kinds(&again)[0].0 - 2.0 * (times[1] + by)).abs() < 1e-6);
    run(&mut again, line("key.offset").with("by", 0.1));
    assert_eq!(kinds(&again).len(), 3);
    // Copying a key copies its type.
    let first = kinds(&again)[0].0;
    let text =
        again.run_line(&line("key.copy").with("keys", json!({"Hips": {"rotation": [first]}})));
    assert!(text.is_ok());
    let text = again.copied_keys().unwrap().to_owned();
    assert!(text.contains("extreme"), "{text}");
    let later = f64::from(first) + 0.071;
    run(&mut again, line("key.paste").with("text", text).with("time", later));
    assert_eq!(kinds(&again).len(), 4);
    // A key that is deleted and set again has no type.
    run(&mut again, line("key.delete").with("keys", json!({"Hips": {"rotation": [first]}})));
    run(
        &mut again,
        line("key.set").with("time", first).with("node", "Hips").with("degrees", [0, 5, 0]),
    );
    assert!(kinds(&again).iter().all(|(t, _)| *t != first), "{:?}", kinds(&again));
    run(&mut session, kind("plain", &times));
    assert_eq!(session.pack("a").unwrap().bytes.as_slice(), opened.as_slice());
}

#[test]
fn the_loop_setting_of_a_clip_is_saved() {
    let mut session = sample();
    let opened = session.pack("a").unwrap().bytes;
    run(&mut session, line("clip.loop").with("repeat", "ping-pong"));
    let saved = session.pack("a").unwrap();
    let mut again = Session::open_bytes(&saved.bytes).unwrap();
    let mut playback = ulna_session::Playback::default();
    playback.show(again.document(), Some(ClipId(1)));
    assert_eq!(playback.repeat, ulna_model::Repeat::PingPong);
    run(&mut again, line("clip.loop"));
    assert_eq!(again.document().clips[ClipId(1)].repeat, None);
    session.undo();
    assert_eq!(session.pack("a").unwrap().bytes.as_slice(), opened.as_slice());
}

#[test]
fn keys_cannot_move_before_0_unless_all_others_shift() {
    let mut session = sample();
    let before = session.document().clips[ClipId(1)].clone();
    let times = hips(&session).times.to_vec();
    let keys = json!({"Hips": {"rotation": [times[1]]}});
    let far = line("key.move").with("by", -0.5).with("keys", keys);
    let notes = run(&mut session, far.clone());
    assert!(notes[0].contains("keys cannot be before 0 s"), "{notes:?}");
    assert_eq!(hips(&session).times[0], 0.0);
    session.undo();
    run(&mut session, line("marker.add").with("time", 0.25).with("name", "contact"));
    run(&mut session, far.with("make_room", true));
    let room = 0.5 - times[1];
    let now = &session.document().clips[ClipId(1)];
    assert!((now.length() - before.length() - room).abs() < 1e-5);
    assert!((now.markers[0].time - 0.25 - room).abs() < 1e-6);
    assert_eq!(hips(&session).times[0], 0.0);
    for (id, track) in &before.tracks {
        let own = &now.tracks[id];
        assert_eq!(own.times.len(), track.times.len());
        let still = track.times.iter().filter(|t| own.key_at(**t + room, 1e-5).is_some()).count();
        assert!(still + 1 >= track.times.len());
    }
    let (_, selected) = session.take_selected_keys().unwrap();
    assert_eq!((selected.len(), selected.span()), (1, Some((0.0, 0.0))));
}
