//! Exports of many clips keep only one file in memory at a time. Bakes of a mix report jumps, and
//! suggest the frame rate of its clips.
#![allow(clippy::unwrap_used, reason = "a test ends where something is not as it must be")]

use std::{fs, path::Path};

use serde_json::{Value, json};
use ulna_edit::{CommandLine, command::mix_rate};
use ulna_motion::{Pose, Stack};
use ulna_session::Session;

use crate::common::{floats, glb, run};

/// Builds a model with megabytes of positions, and clips of two keys each.
fn heavy(megabytes: usize, clips: usize) -> Vec<u8> {
    let vertices = megabytes * (1 << 20) / 12;
    let place = |k: usize| [(k % 97) as f32, (k % 89) as f32, (k % 83) as f32];
    let mut bin: Vec<u8> = floats(&(0..vertices).flat_map(place).collect::<Vec<f32>>());
    let start = bin.len();
    bin.extend(floats(&[0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 2.0, 3.0]));
    let clip = |k: usize| {
        json!({"name": format!("clip {k}"), "samplers": [{"input": 1, "output": 2}],
            "channels": [{"sampler": 0, "target": {"node": 0, "path": "translation"}}]})
    };
    let json = json!({
        "scene": 0, "scenes": [{"nodes": [0]}], "nodes": [{"name": "A", "mesh": 0}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "mode": 0}]}],
        "animations": (0..clips).map(clip).collect::<Vec<_>>(),
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": vertices, "type": "VEC3",
                "min": [0, 0, 0], "max": [96, 88, 82]},
            {"bufferView": 1, "componentType": 5126, "count": 2, "type": "SCALAR", "min": [0],
                "max": [1]},
            {"bufferView": 2, "componentType": 5126, "count": 2, "type": "VEC3"}],
        "bufferViews": [{"buffer": 0, "byteLength": start},
            {"buffer": 0, "byteOffset": start, "byteLength": 8},
            {"buffer": 0, "byteOffset": start + 8, "byteLength": 24}],
    });
    glb(json, &bin)
}

/// Returns the peak memory of the program during an export of each clip, in bytes; 0 if the system
/// does not report it.
#[cfg(target_os = "linux")]
fn peak(file: &Path, to: &Path) -> u64 {
    let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_ulna"))
        .args(["export", "--each"])
        .arg(file)
        .arg("-o")
        .arg(to)
        .spawn()
        .unwrap();
    let status = format!("/proc/{}/status", child.id());
    let mut most = 0;
    let ended = loop {
        // The peak memory so far. It can only rise.
        let text = fs::read_to_string(&status).unwrap_or_default();
        let line = text.lines().find_map(|l| l.strip_prefix("VmHWM:"));
        let kilobytes: u64 =
            line.and_then(|l| l.trim().strip_suffix(" kB")?.trim().parse().ok()).unwrap_or(0);
        most = most.max(kilobytes * 1024);
        if let Some(ended) = child.try_wait().unwrap() {
            break ended;
        }
        std::thread::sleep(std::time::Duration::from_millis(1));
    };
    assert!(ended.success());
    most
}

#[cfg(target_os = "linux")]
#[test]
fn an_export_of_each_clip_keeps_one_file_in_memory_at_a_time() {
    const MEGABYTES: usize = 24;
    let folder = tempfile::tempdir().unwrap();
    let mut peaks = Vec::new();
    for clips in [1, 2, 10] {
        let (file, to) = (
            folder.path().join(format!("{clips}.glb")),
            folder.path().join(format!("out {clips}")),
        );
        fs::write(&file, heavy(MEGABYTES, clips)).unwrap();
        fs::create_dir(&to).unwrap();
        peaks.push(peak(&file, &to));
        let sizes: Vec<u64> =
            fs::read_dir(&to).unwrap().map(|e| e.unwrap().metadata().unwrap().len()).collect();
        assert_eq!(sizes.len(), clips);
        assert!(sizes.iter().all(|s| *s > (MEGABYTES << 20) as u64));
    }
    println!("{peaks:?}");
    // The ten files have 240 MB. Compared with exporting two files, they may need less than one
    // more file in memory, whatever the allocator keeps.
    let more = peaks[2].saturating_sub(peaks[1]);
    assert!(peaks[0] > (MEGABYTES << 20) as u64 && more < (MEGABYTES << 20) as u64, "{peaks:?}");
}

/// Builds two joints, one below the other, and clips that swing the lower one with a key on each
/// frame.
fn swings(clips: &[(&str, f64, f64, f32)]) -> Vec<u8> {
    let (mut bin, mut views, mut accessors, mut animations) =
        (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for (name, rate, seconds, degrees) in clips {
        let count = (rate * seconds).round() as usize;
        let times: Vec<f32> = (0..=count).map(|k| (k as f64 / rate) as f32).collect();
        let turn = |k: usize| {
            glam::Quat::from_rotation_z((degrees * k as f32 / count as f32).to_radians()).to_array()
        };
        let values: Vec<f32> = (0..=count).flat_map(turn).collect();
        for (numbers, kind) in [(&times, "SCALAR"), (&values, "VEC4")] {
            views.push(
                json!({"buffer": 0, "byteOffset": bin.len(), "byteLength": numbers.len() * 4}),
            );
            let mut accessor = json!({"bufferView": views.len() - 1, "componentType": 5126,
                "count": count + 1,
                    "type": kind});
            if kind == "SCALAR" {
                (accessor["min"], accessor["max"]) = (json!([0]), json!([times[count]]));
            }
            accessors.push(accessor);
            bin.extend(floats(numbers));
        }
        let input = accessors.len() - 2;
        animations.push(json!({"name": name, "samplers": [{"input": input, "output": input + 1}],
            "channels": [{"sampler": 0, "target": {"node": 0, "path": "rotation"}}]}));
    }
    let json = json!({
        "scene": 0, "scenes": [{"nodes": [0]}],
        "nodes": [{"name": "Low", "children": [1]}, {"name": "High", "translation": [0, 1, 0]}],
        "animations": animations, "accessors": accessors, "bufferViews": views,
    });
    glb(json, &bin)
}

fn lay(session: &mut Session, bars: Value) {
    run(
        session,
        CommandLine::new("mix.set").with("mix", json!({"lanes": [{"name": "Body", "bars": bars}]})),
    );
}

fn bake(session: &mut Session) -> String {
    run(session, CommandLine::new("mix.bake").with("name", "Baked").with("millimetres", 0))
        .join("; ")
}

#[test]
fn a_bake_warns_of_jumps_with_their_times() {
    let bytes = swings(&[("Up", 30.0, 1.0, 60.0), ("Back", 30.0, 1.0, -20.0)]);
    let bar = |clip: &str, start: f64, enter: &str, fade: f64| {
        json!({"plays": {"clip": clip}, "start": start, "length": 1, "enter": enter,
            "fade_in": fade})
    };
    let mut session = Session::open_bytes(&bytes).unwrap();
    lay(
        &mut session,
        json!([
            bar("Up", 0.0, "cut", 0.0),
            bar("Back", 1.0, "cut", 0.0),
            bar("Up", 2.0, "cut", 0.0)
        ]),
    );
    let said = bake(&mut session);
    // The mix jumps from 60° to 0° at 1 s, and from −20° to 0° at 2 s.
    assert!(
        said.contains("warning: the pose jumps at 1.000 s (“High” by 100.0 cm and 60°)"),
        "{said}"
    );
    let document = session.document();
    let (id, clip) =
        document.clips.iter().find(|(_, c)| c.name.as_deref() == Some("Baked")).unwrap();
    let place = |time: f64| {
        let pose = Pose::evaluate(document, &Stack::of(document.clips.get(id), time));
        pose.world[1].w_axis.truncate()
    };
    // In the baked motion, the joint moves about one meter at 1 s, and only a little before.
    assert!(place(1.0 - 1.0 / 30.0).distance(place(1.0 + 1.0 / 30.0)) > 0.9, "{said}");
    assert!(place(0.5).distance(place(0.5 + 1.0 / 30.0)) < 0.05);
    assert!((clip.length() - 3.0).abs() < 1e-4);
    // With fades, the mix has no jump, so there is no warning.
    let mut session = Session::open_bytes(&bytes).unwrap();
    lay(
        &mut session,
        json!([
            bar("Up", 0.0, "cut", 0.0),
            bar("Back", 1.0, "fade", 0.3),
            bar("Up", 2.0, "fade", 0.3)
        ]),
    );
    let said = bake(&mut session);
    assert!(!said.contains("warning") && !said.contains("jump"), "{said}");
}

#[test]
fn a_bake_has_the_highest_frame_rate_of_its_clips() {
    let television = 30_000.0 / 1001.0;
    let rates =
        [("Slow", 24.0), ("Fast", 60.0), ("Film", 25.0), ("Usual", 30.0), ("Old", television)];
    let bytes = swings(&rates.map(|(name, rate)| (name, rate, 2.0, 40.0)));
    for clips in
        [&["Usual"][..], &["Slow"], &["Film"], &["Old"], &["Slow", "Usual"], &["Fast", "Slow"]]
    {
        for retimed in [false, true] {
            let mut session = Session::open_bytes(&bytes).unwrap();
            let wanted = rates
                .iter()
                .filter(|(n, _)| clips.contains(n))
                .map(|(_, rate)| *rate)
                .fold(0.0, f64::max);
            if retimed {
                // Retiming moves the keys off the frames, but the clip keeps its rate.
                for clip in clips {
                    run(
                        &mut session,
                        CommandLine::new("clip.retime").with("clip", *clip).with("factor", 1.2),
                    );
                }
            }
            let bar = |(k, clip): (usize, &&str)| {
                json!({"plays": {"clip": clip},
                "start": 2.0 * k as f64, "length": 2})
            };
            lay(&mut session, clips.iter().enumerate().map(bar).collect());
            let offered = mix_rate(session.document());
            assert!((offered - wanted).abs() < 1e-3, "{clips:?} retimed {retimed}: {offered}");
            let said = bake(&mut session);
            let baked = session
                .document()
                .clips
                .values()
                .find(|c| c.name.as_deref() == Some("Baked"))
                .unwrap();
            let frames = baked.tracks.values().next().unwrap();
            let frame = f64::from(frames.times[2] - frames.times[1]);
            assert!(
                (frame * wanted - 1.0).abs() < 1e-3,
                "{clips:?} retimed {retimed}: {frame} s; {said}"
            );
            assert!(
                (baked.guess_fps().unwrap().0 - wanted).abs() < 1e-3,
                "{clips:?} retimed {retimed}"
            );
        }
    }
    // If no clip has a rate, the default is used.
    let mut session = Session::open_bytes(&swings(&[("Pose", 1.0, 1.0, 5.0)])).unwrap();
    run(&mut session, CommandLine::new("mix.clear"));
    assert!((mix_rate(session.document()) - 30.0).abs() < 1e-9);
}
