//! The bundled sample moves like a real body: supporting feet stay in place on the ground.

use std::process::Command;

const SAMPLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/mannequin.glb");

/// Returns the world positions of nodes, by name, in meters.
fn places<const N: usize>(clip: &str, seconds: f64, names: [&str; N]) -> [[f64; 3]; N] {
    let time = seconds.to_string();
    let output = Command::new(env!("CARGO_BIN_EXE_ulna"))
        .args(["eval", SAMPLE, "--clip", clip, "--time", &time])
        .output()
        .expect("ulna runs");
    let facts: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let nodes = facts["nodes"].as_array().expect("nodes");
    names.map(|name| {
        let found = nodes.iter().find(|n| n["name"] == name).expect("the node");
        [0, 1, 2].map(|axis| found["world_rows"][axis][3].as_f64().expect("a number"))
    })
}

/// The toe root must move backward as fast as the figure moves forward. The tested range is from
/// flat contact until the foot lifts.
#[test]
fn feet_that_bear_weight_do_not_slide() {
    for (clip, frames, stride, from, to, limit) in [
        ("Walk", 30, 1.16, 4, 18, 0.002),
        ("Run", 20, 2.10, 2, 6, 0.004),
        ("Idle", 180, 0.0, 60, 66, 0.001),
    ] {
        for (side, lead) in
            [("LeftToes", 0), ("RightToes", if stride > 0.0 { frames / 2 } else { 0 })]
        {
            let at =
                |frame: i32| places(clip, f64::from((frame + lead) % frames) / 30.0, [side])[0];
            let speed = stride / f64::from(frames);
            let way: Vec<[f64; 3]> = (from..=to).map(at).collect();
            for (frame, [a, b]) in (from..to).zip(way.array_windows()) {
                let slide = (b[0] - a[0]).hypot(b[2] - a[2] + speed);
                assert!(slide < limit, "{clip} {side} frame {frame}: {slide} m");
            }
        }
    }
}

/// The last frame must equal the first frame. The greeting must also begin and end in the first
/// pose of Idle.
#[test]
fn clips_end_where_they_begin() {
    let nodes = ["Head", "RightHand", "LeftHand", "LeftFoot", "RightIndex3"];
    let begin = places("Idle", 0.0, nodes);
    for (clip, end) in [("Idle", 6.0), ("Walk", 1.0), ("Run", 2.0 / 3.0), ("Wave", 3.0)] {
        let first = if clip == "Wave" { begin } else { places(clip, 0.0, nodes) };
        let last = places(clip, end, nodes);
        for ((first, last), node) in first.iter().zip(&last).zip(nodes) {
            let apart = (0..3).map(|i| (last[i] - first[i]).powi(2)).sum::<f64>().sqrt();
            assert!(apart < 0.001, "{clip} {node}: {apart} m");
        }
    }
}
