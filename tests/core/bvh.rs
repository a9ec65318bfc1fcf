//! BVH captures: generated here, opened, saved, and retargeted to characters of the corpus.
#![allow(clippy::unwrap_used, reason = "a test ends where something is not as it must be")]

use std::{fmt::Write as _, path::Path, time::Instant};

use glam::Vec3;
use ulna_edit::CommandLine;
use ulna_formats::gltf::rules;
use ulna_model::{Document, Severity};
use ulna_motion::{Pose, Stack, ground_place};
use ulna_session::{Conversion, Session, UpAxis};

use crate::common::{named, run, shared};

/// A joint: name, parent index, offset, swing amplitude and swing phase.
type Joint = (&'static str, Option<usize>, [f32; 3], f32, f32);

/// Joints of the generated body. Offsets are in centimeters, amplitudes about x in degrees, phases
/// in fractions of the step.
const BODY: [Joint; 18] = [
    ("Hips", None, [0.0, 94.0, 0.0], 0.0, 0.0),
    ("Spine", Some(0), [0.0, 12.0, 0.0], 2.0, 0.0),
    ("Chest", Some(1), [0.0, 18.0, 0.0], 2.0, 0.5),
    ("Neck", Some(2), [0.0, 22.0, 0.0], 1.0, 0.0),
    ("Head", Some(3), [0.0, 10.0, 0.0], 1.0, 0.5),
    ("LeftShoulder", Some(2), [6.0, 18.0, 0.0], 0.0, 0.0),
    ("LeftArm", Some(5), [12.0, 0.0, 0.0], 25.0, 0.5),
    ("LeftForeArm", Some(6), [28.0, 0.0, 0.0], 10.0, 0.5),
    ("LeftHand", Some(7), [25.0, 0.0, 0.0], 0.0, 0.0),
    ("RightShoulder", Some(2), [-6.0, 18.0, 0.0], 0.0, 0.0),
    ("RightArm", Some(9), [-12.0, 0.0, 0.0], 25.0, 0.0),
    ("RightForeArm", Some(10), [-28.0, 0.0, 0.0], 10.0, 0.0),
    ("LeftUpLeg", Some(0), [9.0, -4.0, 0.0], 28.0, 0.0),
    ("LeftLeg", Some(12), [0.0, -42.0, 0.0], 20.0, 0.15),
    ("LeftFoot", Some(13), [0.0, -42.0, 0.0], 6.0, 0.0),
    ("RightUpLeg", Some(0), [-9.0, -4.0, 0.0], 28.0, 0.5),
    ("RightLeg", Some(15), [0.0, -42.0, 0.0], 20.0, 0.65),
    ("RightFoot", Some(16), [0.0, -42.0, 0.0], 6.0, 0.5),
];

/// Generates a capture of a walk in place, with `frames` frames.
pub fn walk(frames: usize, rate: f64) -> String {
    let mut text = String::from("HIERARCHY\n");
    let write = |text: &mut String, at: usize, depth: usize| {
        let (name, parent, [x, y, z], ..) = BODY[at];
        let pad = "\t".repeat(depth);
        let kind = if parent.is_none() { "ROOT" } else { "JOINT" };
        let channels = if parent.is_none() {
            "6 Xposition Yposition Zposition Zrotation Xrotation Yrotation"
        } else {
            "3 Zrotation Xrotation Yrotation"
        };
        writeln!(
            text,
            "{pad}{kind} {name}\n{pad}{{\n{pad}\tOFFSET {x} {y} {z}\n{pad}\tCHANNELS {channels}"
        )
        .unwrap();
    };
    fn tree(text: &mut String, at: usize, depth: usize, write: &dyn Fn(&mut String, usize, usize)) {
        write(text, at, depth);
        let children: Vec<usize> = (0..BODY.len()).filter(|k| BODY[*k].1 == Some(at)).collect();
        let pad = "\t".repeat(depth + 1);
        if children.is_empty() {
            writeln!(text, "{pad}End Site\n{pad}{{\n{pad}\tOFFSET 0 -6 12\n{pad}}}").unwrap();
        }
        children.into_iter().for_each(|child| tree(text, child, depth + 1, write));
        writeln!(text, "{}}}", "\t".repeat(depth)).unwrap();
    }
    tree(&mut text, 0, 0, &write);
    // The numbers of a frame are in depth-first order of the tree.
    let mut order = vec![0usize];
    let mut at = 0;
    while at < order.len() {
        let children: Vec<usize> =
            (0..BODY.len()).filter(|k| BODY[*k].1 == Some(order[at])).collect();
        order.splice(at + 1..at + 1, children);
        at += 1;
    }
    writeln!(text, "MOTION\nFrames: {frames}\nFrame Time: {:.7}", 1.0 / rate).unwrap();
    for frame in 0..frames {
        let step = frame as f32 / rate as f32;
        for joint in &order {
            let (_, _, [x, y, z], swing, part) = BODY[*joint];
            let angle = swing * (std::f32::consts::TAU * (step + part)).sin();
            let bends = if BODY[*joint].0.ends_with("Leg") && !BODY[*joint].0.contains("Up") {
                angle.abs()
            } else {
                -angle
            };
            if BODY[*joint].1.is_none() {
                write!(
                    text,
                    "{x:.4} {:.4} {z:.4} ",
                    y + (std::f32::consts::TAU * step * 2.0).sin()
                )
                .unwrap();
            }
            let down = if BODY[*joint].0 == "LeftArm" {
                -75.0
            } else if BODY[*joint].0 == "RightArm" {
                75.0
            } else {
                0.0
            };
            write!(text, "{down:.4} {bends:.4} 0.0000 ").unwrap();
        }
        text.push('\n');
    }
    text
}

fn place(document: &Document, pose: &Pose, name: &str) -> Vec3 {
    pose.world[named(document, name).index()].w_axis.truncate()
}

fn written(folder: &Path, frames: usize, rate: f64) -> std::path::PathBuf {
    let path = folder.join("walk.bvh");
    std::fs::write(&path, walk(frames, rate)).unwrap();
    path
}

#[test]
fn a_capture_opens_as_a_skeleton_with_a_clip_and_is_saved_as_gltf() {
    let folder = tempfile::tempdir().unwrap();
    let path = written(folder.path(), 61, 60.0);
    let session = Session::open(&path, &Default::default()).unwrap();
    let document = session.document();
    assert_eq!(
        document.clips.values().map(|c| c.name.as_deref()).collect::<Vec<_>>(),
        [Some("walk")]
    );
    let clip = document.clips.values().next().unwrap();
    assert!((clip.length() - 1.0).abs() < 1e-5);
    let joints = document.joint_flags().iter().filter(|j| **j).count();
    // The capture has five end sites.
    assert_eq!(joints, BODY.len() + 5);
    let rest = Pose::evaluate(document, &Stack::default());
    // The length unit is guessed as centimeters from the size of the body.
    assert!(
        (place(document, &rest, "Head").y - 1.56).abs() < 1e-4,
        "{}",
        place(document, &rest, "Head")
    );
    let stack = Stack::of(Some(clip), 0.25);
    let pose = Pose::evaluate(document, &stack);
    // At a quarter of the cycle, the left leg is rotated forward by 28°, and the hips are at their
    // mean position. The knee must be at that angle.
    let (hip, knee) = (place(document, &pose, "LeftUpLeg"), place(document, &pose, "LeftLeg"));
    let (sin, cos) = 28f32.to_radians().sin_cos();
    assert!(
        (knee - hip - Vec3::new(0.0, -0.42 * cos, 0.42 * sin)).length() < 1e-4,
        "{}",
        knee - hip
    );
    let errors: Vec<_> = rules::check(session.source())
        .into_iter()
        .filter(|d| d.severity == Severity::Error)
        .collect();
    assert!(errors.is_empty(), "{errors:?}");
    let to = folder.path().join("walk.glb");
    session.write_to(&to).unwrap();
    let again = Session::open(&to, &Default::default()).unwrap();
    let once_more = Pose::evaluate(again.document(), &stack);
    assert_eq!(once_more.world, pose.world);
    // The same capture with other axes, another unit and another rate.
    let conversion = Conversion {
        up: Some(UpAxis::Z),
        unit: Some(0.001),
        rate: Some(30.0),
        ..Conversion::default()
    };
    let other = Session::open_as(&path, &conversion, &Default::default()).unwrap();
    let rest = Pose::evaluate(other.document(), &Stack::default());
    let head = place(other.document(), &rest, "Head");
    assert!((head - Vec3::new(0.0, 0.0, -0.156)).length() < 1e-5, "what was y lies behind: {head}");
    assert!((other.document().clips.values().next().unwrap().length() - 2.0).abs() < 1e-5);
}

/// On characters of other programs, the legs swing by the same angle, and the feet touch the ground
/// in turns.
#[test]
fn a_capture_is_retargeted_to_characters_of_the_corpus() {
    let Some(shared) = shared() else { return };
    let folder = tempfile::tempdir().unwrap();
    let path = written(folder.path(), 61, 60.0);
    let mut compared = 0;
    for (file, legs) in [
        ("characters/Knight/Knight.glb", ["upperleg.l", "lowerleg.l"]),
        ("characters/CesiumMan/CesiumMan.glb", ["leg_joint_L_1", "leg_joint_L_2"]),
    ] {
        let mut session =
            Session::open(&shared.join("corpus").join(file), &Default::default()).unwrap();
        let before = session.document().clips.count();
        let said = run(
            &mut session,
            CommandLine::new("clip.import").with("path", path.to_string_lossy().into_owned()),
        );
        let document = session.document();
        assert_eq!(document.clips.count(), before + 1, "{file}: {said:?}");
        let clip = document.clips.values().next_back().unwrap();
        let swing = |time: f64| {
            let pose = Pose::evaluate(document, &Stack::of(Some(clip), time));
            let [hip, knee] = legs.map(|name| place(document, &pose, name));
            (knee - hip).normalize_or(Vec3::Y)
        };
        let (ahead, behind) = (swing(0.25), swing(0.75));
        let angle = ahead.angle_between(behind).to_degrees();
        assert!((angle - 56.0).abs() < 6.0, "{file}: {angle}");
        let ground = ground_place(document, clip);
        println!("{file}: {angle}°, {ground:?} m/s, {said:?}");
        compared += 1;
    }
    assert_eq!(compared, 2);
}

/// A wrong frame count of a million uses neither memory nor time. A long capture opens within the
/// time limit.
#[test]
fn long_captures_are_opened_and_false_frame_counts_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("lie.bvh");
    let text = walk(3, 120.0).replace("Frames: 3", "Frames: 1000000");
    std::fs::write(&path, text).unwrap();
    let session = Session::open(&path, &Default::default()).unwrap();
    assert!(
        session
            .diagnostics
            .iter()
            .any(|d| d.message.contains("states 1000000 frames, but has only 3"))
    );
    let one = named(session.document(), "Hips");
    assert!(
        session.document().clips.values().next().unwrap().tracks.values().any(|t| t.target == one)
    );
    let path = written(folder.path(), 7200, 120.0);
    let start = Instant::now();
    let session = Session::open(&path, &Default::default()).unwrap();
    println!("a minute at 120 Hz opened in {:?}", start.elapsed());
    assert_eq!(
        session.document().clips.values().next().unwrap().key_count(),
        7200 * (BODY.len() + 1)
    );
}
