//! The scripts in `docs/pipeline.md`, run exactly as written there.
#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test ends where something is not as it must be")]

use std::{
    fs,
    path::Path,
    process::{Command, Output},
};

use serde_json::{Value, json};

const SAMPLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/mannequin.glb");
const PAGE: &str = include_str!("../../docs/pipeline.md");

/// Returns the script below the heading that begins with this text. Asserts that it has at most ten
/// lines.
fn script(heading: &str) -> &'static str {
    let section =
        PAGE.split("\n## ").find(|s| s.starts_with(heading)).unwrap_or_else(|| panic!("{heading}"));
    let (_, script) = section.split_once("```sh\n").unwrap();
    let (script, rest) = script.split_once("```").unwrap();
    assert!(!rest.contains("```sh"), "one script per heading");
    assert!(script.lines().count() <= 10, "{heading}: {} lines", script.lines().count());
    script
}

/// Runs a script in a folder. The built program is available as `ulna`.
fn run(script: &str, folder: &Path) -> Output {
    let ulna = Path::new(env!("CARGO_BIN_EXE_ulna"));
    let path = format!("{}:{}", ulna.parent().unwrap().display(), std::env::var("PATH").unwrap());
    Command::new("sh").args(["-c", script]).current_dir(folder).env("PATH", path).output().unwrap()
}

fn ulna(folder: &Path, arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_ulna"))
        .args(arguments)
        .current_dir(folder)
        .output()
        .unwrap();
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn json_of(folder: &Path, arguments: &[&str]) -> Value {
    serde_json::from_str(&ulna(folder, arguments)).unwrap()
}

fn said(output: &Output) -> String {
    format!(
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    )
}

fn names(info: &Value) -> Vec<String> {
    let joints = info["skins"][0]["joint_names"].as_array().unwrap();
    joints.iter().map(|j| j["name"].as_str().unwrap().to_owned()).collect()
}

fn clips(info: &Value) -> Vec<&str> {
    info["clips"].as_array().unwrap().iter().map(|c| c["name"].as_str().unwrap()).collect()
}

/// Returns the world position of a node in a clip at a time.
fn place(folder: &Path, file: &str, clip: &str, time: &str, node: &str) -> [f64; 3] {
    let posed = json_of(folder, &["eval", file, "--clip", clip, "--time", time]);
    let nodes = posed["nodes"].as_array().unwrap();
    let found = nodes.iter().find(|n| n["name"] == node).unwrap_or_else(|| panic!("{node}"));
    [0, 1, 2].map(|row| found["world_rows"][row][3].as_f64().unwrap())
}

fn distance(a: [f64; 3], b: [f64; 3]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt()
}

#[test]
fn a_script_renames_sides_mirrors_limits_influences_and_exports_clips() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    fs::copy(SAMPLE, at.join("hero.glb")).unwrap();
    let output = run(script("Rename sides"), at);
    assert!(output.status.success(), "{}", said(&output));
    let (before, after) = (
        json_of(at, &["info", "hero.glb", "--json"]),
        json_of(at, &["info", "fixed.glb", "--json"]),
    );
    let wanted = names(&before).into_iter().map(|name| {
        match (name.strip_prefix("Left"), name.strip_prefix("Right")) {
            (Some(part), _) => format!("{part}.L"),
            (_, Some(part)) => format!("{part}.R"),
            _ => name,
        }
    });
    assert_eq!(names(&after), wanted.collect::<Vec<_>>());
    assert!(names(&after).iter().filter(|n| n.ends_with(".L")).count() > 5);
    for time in ["0.2", "0.7"] {
        let [x, y, z] = place(at, "fixed.glb", "Wave", time, "Hand.R");
        let off = distance(place(at, "fixed.glb", "Wave mirrored", time, "Hand.L"), [-x, y, z]);
        assert!(off < 2e-3, "the mirrored hand is {off} m off at {time} s");
        assert!(
            distance(place(at, "hero.glb", "Wave", time, "RightHand"), [x, y, z]) < 1e-6,
            "the clip itself stays"
        );
    }
    ulna(at, &["weights", "fixed.glb", "-o", "weights.json"]);
    ulna(at, &["weights", "hero.glb", "-o", "before.json"]);
    let most = |file: &str| -> usize {
        let table: Value =
            serde_json::from_str(&fs::read_to_string(at.join(file)).unwrap()).unwrap();
        most_influences(&table)
    };
    assert_eq!((most("before.json"), most("weights.json")), (4, 3));
    let mut files: Vec<String> = fs::read_dir(at.join("clips"))
        .unwrap()
        .map(|e| e.unwrap().file_name().into_string().unwrap())
        .collect();
    files.sort();
    assert_eq!(files.len(), 5, "{files:?}");
    for file in &files {
        let info = json_of(&at.join("clips"), &["info", file, "--json"]);
        assert_eq!(clips(&info).len(), 1, "{file}");
    }
}

/// Returns the largest number of nonzero weights of a vertex in a weight file.
fn most_influences(table: &Value) -> usize {
    let shapes = table["shapes"].as_array().unwrap().iter();
    let rows = shapes.flat_map(|s| s["weights"].as_array().unwrap());
    let held = |row: &Value| {
        row.as_array().unwrap().iter().filter(|pair| pair[1].as_f64() > Some(0.0)).count()
    };
    rows.map(held).max().unwrap()
}

#[test]
fn a_folder_of_286_files_is_checked_with_a_report() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    for k in 0..286 {
        let sub = at.join("models").join(format!("batch {}", k / 50));
        fs::create_dir_all(&sub).unwrap();
        let mut root = json!({"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}],
                "nodes": [{"name": "n"}]});
        match k {
            // Some files have errors, some have warnings, and the last file is invalid.
            7 | 200 => root["nodes"][0]["rotation"] = json!([0, 0, 0, 2]),
            50..=52 => root["materials"] = json!([{"alphaCutoff": 0.5}]),
            _ => {}
        }
        let text = if k == 285 { "{".to_owned() } else { root.to_string() };
        fs::write(sub.join(format!("{k:03}.gltf")), text).unwrap();
    }
    fs::write(at.join("models/notes.txt"), "no model").unwrap();
    let output = run(script("Check all"), at);
    assert_eq!(output.status.code(), Some(2), "{}", said(&output));
    let report: Value =
        serde_json::from_str(&fs::read_to_string(at.join("report.json")).unwrap()).unwrap();
    assert_eq!((&report["checked"], &report["unreadable"]), (&286.into(), &1.into()));
    assert_eq!(report["files"].as_array().unwrap().len(), 286);
    let faulty: Vec<&str> = report["files"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|f| f["fine"] == false)
        .map(|f| f["file"].as_str().unwrap())
        .collect();
    assert_eq!(report["faulty"], faulty.len());
    for wanted in ["007", "050", "051", "052", "200", "285"] {
        assert!(faulty.iter().any(|f| f.contains(wanted)), "{wanted}: {faulty:?}");
    }
    assert_eq!(faulty.len(), 6, "{faulty:?}");
    let text = fs::read_to_string(at.join("report.txt")).unwrap();
    assert!(text.lines().last().unwrap().starts_with("286 files checked, "), "{text}");
    assert_eq!(
        text.lines().filter(|l| l.ends_with(".gltf")).count(),
        faulty.len(),
        "a block per file: {text}"
    );
}

#[test]
fn clips_of_four_packs_are_imported_into_one_rig() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    fs::copy(SAMPLE, at.join("rig.glb")).unwrap();
    fs::create_dir(at.join("packs")).unwrap();
    // Four packs: each has the same body with other joint names, and one clip.
    let packs = [
        ("a", "Walk", vec![("*", "*")]),
        ("b", "Run", vec![("*", "mixamorig:*")]),
        ("c", "Wave", vec![("Left*", "*.L"), ("Right*", "*.R")]),
        ("d", "Idle", vec![("Left*", "*_l"), ("Right*", "*_r")]),
    ];
    for (pack, clip, renames) in &packs {
        let mut lines: Vec<Value> = renames
            .iter()
            .filter(|(from, to)| from != to)
            .map(|(from, to)| json!({"do": "node.rename_pattern", "from": from, "to": to}))
            .collect();
        lines.push(json!({"do": "clip.rename", "clip": clip, "name": format!("{clip} of {pack}")}));
        let text: Vec<String> = lines.iter().map(ToString::to_string).collect();
        fs::write(at.join("make.jsonl"), text.join("\n")).unwrap();
        let to = format!("packs/{pack}.glb");
        ulna(
            at,
            &[
                "export",
                "rig.glb",
                "--script",
                "make.jsonl",
                "--clips",
                &format!("{clip} of {pack}"),
                "-o",
                &to,
            ],
        );
    }
    let output = run(script("Bring clips"), at);
    assert!(output.status.success(), "{}", said(&output));
    let info = json_of(at, &["info", "all.glb", "--json"]);
    let all = clips(&info);
    assert_eq!(all.len(), 8, "{all:?}");
    for (pack, clip, _) in &packs {
        let new = format!("{clip} of {pack}");
        assert!(all.contains(&&*new), "{new}: {all:?}");
        for node in ["LeftHand", "RightFoot"] {
            let off = distance(
                place(at, "all.glb", &new, "0.4", node),
                place(at, "rig.glb", clip, "0.4", node),
            );
            assert!(off < 2e-3, "{new}: {node} is {off} m off");
        }
    }
    let report: Value =
        serde_json::from_str(&fs::read_to_string(at.join("report.json")).unwrap()).unwrap();
    let done = report["commands"].as_array().unwrap();
    assert!(
        done.len() == 4 && done.iter().all(|c| c["do"] == "clip.import" && c["changed"] == true),
        "{report}"
    );
}
