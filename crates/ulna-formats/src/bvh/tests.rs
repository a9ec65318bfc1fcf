//! Tests with small valid and damaged BVH files.
use glam::{Mat4, Quat};
use serde_json::Value;

use super::{read::Joint, *};

const SMALL: &str = "HIERARCHY\nROOT Hips\n{\n OFFSET 0 90 0\n CHANNELS 6 Xposition Yposition \
    Zposition Zrotation Xrotation Yrotation\n JOINT Left Leg\n {\n  OFFSET 10 0 0\n  CHANNELS 3 \
    Yrotation Xrotation Zrotation\n  End Site\n  {\n   OFFSET 0 -160 0\n  }\n \
    }\n}\nMOTION\nFrames: 2\nFrame Time: 0.05\n0 90 0 30 20 10 0 0 0\n1 91 2 0 0 0 40 -50 60\n";

fn converted(text: &str) -> Result<Converted, ReadError> {
    read(
        text.as_bytes(),
        Some(Path::new("a/walk.bvh")),
        &Conversion::default(),
        &Progress::default(),
    )
}

fn json(glb: &[u8]) -> Value {
    let length = u32::from_le_bytes([glb[12], glb[13], glb[14], glb[15]]) as usize;
    serde_json::from_slice(&glb[20..20 + length]).unwrap()
}

fn findings(made: Converted) -> String {
    made.diagnostics.finish().iter().map(|d| format!("{} {}\n", d.code, d.message)).collect()
}

#[test]
fn joints_channels_and_frames_are_read_as_written() {
    let made = converted(SMALL).unwrap();
    assert!((made.found.rate.unwrap() - 20.0).abs() < 1e-9 && made.found.unit == Some(0.01));
    let root = json(&made.glb);
    let names: Vec<&str> =
        root["nodes"].as_array().unwrap().iter().map(|n| n["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["Hips", "Left Leg", "Left Leg end", "From .bvh"]);
    assert_eq!(root["animations"][0]["name"], "walk");
    assert_eq!(root["nodes"][3]["scale"][0].as_f64().map(|v| (v * 1e6).round()), Some(10_000.0));
    assert_eq!(root["skins"][0]["joints"], serde_json::json!([0, 1, 2]));
    // There are two rotation samplers, and one for the translation of the root. All share their
    // times.
    let samplers = root["animations"][0]["samplers"].as_array().unwrap();
    assert_eq!(samplers.len(), 3);
    assert!(samplers.iter().all(|s| s["input"] == samplers[0]["input"]));
}

#[test]
fn a_rotation_is_the_product_of_its_channels_first_to_last() {
    let channels = [Channel::Turn(Axis::Z), Channel::Turn(Axis::X), Channel::Turn(Axis::Y)];
    let found = rotation(&channels, &[30.0, 20.0, 10.0]).as_quat();
    let by = |axis: Vec3, degrees: f32| Mat4::from_axis_angle(axis, degrees.to_radians());
    let wanted = by(Vec3::Z, 30.0) * by(Vec3::X, 20.0) * by(Vec3::Y, 10.0);
    assert!(found.dot(Quat::from_mat4(&wanted)).abs() > 1.0 - 1e-6);
}

#[test]
fn unusual_parts_are_reported_and_the_rest_is_kept() {
    let cut = SMALL.replace("1 91 2 0 0 0 40 -50 60\n", "1 91 2 0");
    assert!(findings(converted(&cut).unwrap()).contains("states 2 frames, but has only 1"));
    let more = format!("{SMALL} 7 8");
    assert!(findings(converted(&more).unwrap()).contains("more values"));
    let nan = SMALL.replace("1 91 2", "nan 91 inf");
    assert!(
        findings(converted(&nan).unwrap())
            .contains("2 values are invalid, such as “nan” in frame 2")
    );
    let spaced = SMALL.replace("Frames: 2", "Frames:2").replace("Time: 0.05", "Time:0.05");
    assert!(!findings(converted(&spaced).unwrap()).contains("REPAIRED"));
    let bad_time = SMALL.replace("0.05", "1.#INF");
    assert!(findings(converted(&bad_time).unwrap()).contains("30 frames per second are used"));
    let no_time = SMALL.replace("0.05", "0");
    assert!(findings(converted(&no_time).unwrap()).contains("30 frames per second are used"));
    let still = &SMALL[..SMALL.find("MOTION").unwrap()];
    assert!(findings(converted(still).unwrap()).contains("no MOTION"));
    let huge = SMALL.replace("Frames: 2", "Frames: 4000000000");
    assert!(findings(converted(&huge).unwrap()).contains("but has only 2"));
    let comma = SMALL.replace("1 91 2", "1,5 91 2");
    assert!(!findings(converted(&comma).unwrap()).contains("REPAIRED"));
    let fast = SMALL.replace("Frames: 2", "Frames: 3").replace("0.05", "0.0001")
        + "0 0 0 0 0 0 0 \
        0 0\n";
    assert!(findings(converted(&fast).unwrap()).contains("is unlikely"));
}

#[test]
fn invalid_files_are_refused_with_the_reason_and_line() {
    for (text, why) in [
        ("HIERARCHY", "no joints"),
        ("HIERARCHY ROOT a { OFFSET 1 2", "an offset"),
        ("HIERARCHY ROOT a { OFFSET 1 2 3", "ends inside the joint “a”"),
        ("HIERARCHY }", "closing brace"),
        ("HIERARCHY {", "opening brace"),
        ("HIERARCHY ROOT a { CHANNELS 1 Wrotation }", "Wrotation"),
        ("HIERARCHY ROOT a { CHANNELS -1 }", "not a valid number"),
        ("HIERARCHY ROOT a { OFFSET 0 0 nan }", "not a number"),
        ("HIERARCHY ROOT a { SHAPE }", "SHAPE"),
        (
            "HIERARCHY ROOT a { OFFSET 0 0 0 CHANNELS 1 Xrotation }\nMOTION\nFrames: 1\nFrame \
                Time: \
            1\nx",
            "frame 1",
        ),
        ("HIERARCHY ROOT a { OFFSET 0 0 0 }\nMOTION\nFrames: -1", "not a valid number"),
        ("HIERARCHY ROOT a { OFFSET 0 0 0 }\nMOTION\nHello", "Frames"),
    ] {
        let error = converted(text).unwrap_err().to_string();
        assert!(error.contains(why), "{text}: {error}");
    }
}

#[test]
fn the_guessed_unit_gives_the_body_a_human_height() {
    let body = |high: f32| {
        let offset = |y: f32| Joint { offset: Vec3::new(0.0, y, 0.0), ..Joint::default() };
        let joints = vec![offset(7.0), Joint { parent: Some(0), ..offset(high) }];
        guessed_unit(&Capture { joints, ..Capture::default() }).map(|g| g.0)
    };
    for (high, unit) in
        [(1.6, 1.0), (172.0, 0.01), (66.0, 0.0254), (1800.0, 0.001), (30.0, 0.056_444)]
    {
        assert_eq!(body(high), Some(unit), "{high}");
    }
    assert_eq!(body(0.0), None);
}
