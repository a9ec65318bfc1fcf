//! The command line as scripts use it.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
};

use serde_json::Value;

const SAMPLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/mannequin.glb");

fn ulna(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_ulna")).args(arguments).output().expect("the program starts")
}

fn json(arguments: &[&str]) -> Value {
    let output = ulna(arguments);
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("one JSON object")
}

fn folder() -> (tempfile::TempDir, impl Fn(&str) -> PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().to_owned();
    (folder, move |name: &str| path.join(name))
}

fn text(path: &Path) -> &str {
    path.to_str().expect("a plain path")
}

#[test]
fn info_lists_the_content_of_the_sample() {
    let facts = json(&["info", SAMPLE, "--json"]);
    assert_eq!(facts["nodes"], 55);
    assert_eq!(facts["joints"], 53);
    let names: Vec<&str> = facts["clips"]
        .as_array()
        .expect("clips")
        .iter()
        .filter_map(|c| c["name"].as_str())
        .collect();
    assert_eq!(names, ["Idle", "Walk", "Run", "Wave"]);
    assert_eq!(facts["meshes"][0]["influences"], 4);
    assert!(String::from_utf8_lossy(&ulna(&["info", SAMPLE]).stdout).contains("53 joints"));
}

#[test]
fn info_names_scenes_variants_cameras_and_lights_and_render_refuses_unknown_ones() {
    let (_keep, at) = folder();
    let text_of = r#"{"asset":{"version":"2.0"},
        "scenes":[{"name":"Hall","nodes":[0]},{"nodes":[1]}],
        "cameras":[{"name":"Eye","type":"perspective","perspective":{"yfov":0.7,"znear":0.1}}],
        "nodes":[{"name":"Stand","camera":0},{}],
        "extensions":{"KHR_lights_punctual":{"lights":[{"type":"point","name":"Lamp"}]},
                      "KHR_materials_variants":{"variants":[{"name":"Day"},{"name":"Night"}]}}}"#;
    fs::write(at("a.gltf"), text_of).expect("a file");
    let path = at("a.gltf");
    let facts = json(&["info", text(&path), "--json"]);
    assert_eq!(facts["scenes"][0]["name"], "Hall");
    assert_eq!(
        (&facts["scenes"][0]["shown"], &facts["scenes"][1]["shown"]),
        (&true.into(), &false.into())
    );
    assert_eq!(facts["variants"][1], "Night");
    assert_eq!(
        (&facts["cameras"][0]["name"], &facts["lights"][0]["type"]),
        (&"Eye".into(), &"point".into())
    );
    let words = String::from_utf8_lossy(&ulna(&["info", text(&path)]).stdout).into_owned();
    for wanted in ["Hall (shown), scene 1", "Day, Night", "1 cameras: Eye", "1 lights: Lamp"] {
        assert!(words.contains(wanted), "{words}");
    }
    if !cfg!(feature = "render") {
        return;
    }
    for (flag, wanted) in [("--scene", "Hall, scene 1"), ("--camera", "Stand")] {
        let output = ulna(&["render", text(&path), "-o", text(&at("a.png")), flag, "Nowhere"]);
        assert_eq!(output.status.code(), Some(2));
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(message.contains("Nowhere") && message.contains(wanted), "{message}");
    }
}

#[test]
fn the_exit_status_distinguishes_valid_faulty_and_unusable_files() {
    let (_keep, at) = folder();
    assert_eq!(ulna(&["check", SAMPLE]).status.code(), Some(0));
    fs::write(at("bad.glb"), b"glTF").expect("a file");
    let output = ulna(&["check", text(&at("bad.glb"))]);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        String::from_utf8_lossy(&output.stderr).contains("bad.glb"),
        "the sentence names the file"
    );
    assert_eq!(ulna(&["info", text(&at("nowhere.glb"))]).status.code(), Some(2));
    assert_eq!(ulna(&["info"]).status.code(), Some(2));
    assert_eq!(ulna(&["eval", SAMPLE, "--clip", "Dance"]).status.code(), Some(2));
    let faulty = r#"{"asset":{"version":"2.0"},"nodes":[{"rotation":[0,0,0,2]}]}"#;
    fs::write(at("faulty.gltf"), faulty).expect("a file");
    assert_eq!(ulna(&["check", text(&at("faulty.gltf"))]).status.code(), Some(1));
}

#[test]
fn convert_keeps_the_bytes_and_survives_a_round_trip_through_gltf() {
    let (_keep, at) = folder();
    assert!(ulna(&["convert", SAMPLE, "-o", text(&at("same.glb"))]).status.success());
    assert!(fs::read(at("same.glb")).expect("bytes") == fs::read(SAMPLE).expect("bytes"));
    assert!(ulna(&["convert", SAMPLE, "-o", text(&at("open.gltf"))]).status.success());
    let data = |folder: &Path| -> Vec<PathBuf> {
        let entries = fs::read_dir(folder).expect("a folder").map(|e| e.expect("an entry").path());
        entries.filter(|p| p.extension().is_some_and(|e| e == "bin")).collect()
    };
    assert_eq!(data(&at("")).len(), 1, "named by what is in it");
    assert!(
        ulna(&["convert", text(&at("open.gltf")), "-o", text(&at("again.glb"))]).status.success()
    );
    let pose = |file: &Path| {
        json(&["eval", text(file), "--clip", "Walk", "--time", "0.4"])["meshes"][0]["positions"]
            [777]
            .clone()
    };
    assert_eq!(pose(Path::new(SAMPLE)), pose(&at("again.glb")));
}

#[test]
fn a_gltf_saved_elsewhere_copies_its_files_and_overwrites_no_others() {
    let (_keep, at) = folder();
    assert!(ulna(&["convert", SAMPLE, "-o", text(&at("a.gltf"))]).status.success());
    fs::create_dir(at("there")).expect("a folder");
    assert!(
        ulna(&["convert", text(&at("a.gltf")), "-o", text(&at("there/b.gltf"))]).status.success()
    );
    let entries = fs::read_dir(at("")).expect("a folder").map(|e| e.expect("an entry").file_name());
    let bin = entries
        .map(|n| n.to_string_lossy().into_owned())
        .find(|n| n.ends_with(".bin"))
        .expect("data");
    assert!(
        fs::read(at("there").join(&bin)).expect("the data came along")
            == fs::read(at(&bin)).expect("bytes")
    );
    fs::create_dir(at("taken")).expect("a folder");
    fs::write(at("taken").join(&bin), b"somebody's").expect("a file");
    let output = ulna(&["convert", text(&at("a.gltf")), "-o", text(&at("taken/b.gltf"))]);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(fs::read(at("taken").join(&bin)).expect("bytes"), b"somebody's");
    assert!(!at("taken/b.gltf").exists());
}

#[test]
fn a_script_poses_and_keys_and_reports_errors_by_line() {
    let (_keep, at) = folder();
    let script = "# raise the arms\n\
        {\"do\":\"pose.rotate\",\"node\":\"*UpperArm\",\"axis\":\"z\",\"degrees\":20,\
        \"space\":\"world\"}\n\n\
        {\"do\":\"key.set\",\"clip\":\"Walk\",\"time\":0.51,\"node\":\"Head\",\
        \"degrees\":[0,30,0]}\n\
        {\"do\":\"clip.rename\",\"clip\":\"Wave\",\"name\":\"Hello\"}\n";
    fs::write(at("fix.jsonl"), script).expect("a script");
    let output = ulna(&["run", text(&at("fix.jsonl")), SAMPLE, "-o", text(&at("out.glb"))]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(String::from_utf8_lossy(&output.stdout).contains("rotation"), "what changed is listed");
    let facts = json(&["info", text(&at("out.glb")), "--json"]);
    assert_eq!(facts["clips"][3]["name"], "Hello");
    assert_eq!(facts["posed_nodes"], 2, "the pose comes back as a pose");
    fs::write(
        at("bad.jsonl"),
        "{\"do\":\"pose.rotate\",\"node\":\"Tail\",\"axis\":\"z\",\"degrees\":20}",
    )
    .expect("a script");
    let output = ulna(&["run", text(&at("bad.jsonl")), SAMPLE, "-o", text(&at("none.glb"))]);
    assert_eq!(output.status.code(), Some(1));
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(message.contains("line 1") && message.contains("Tail"), "{message}");
    assert!(!at("none.glb").exists());
}

#[test]
fn a_command_runs_by_its_old_name_with_a_note() {
    let (_keep, at) = folder();
    fs::write(at("old.jsonl"), "{\"do\":\"layers.add\",\"name\":\"A\"}").expect("a script");
    let output = ulna(&["run", text(&at("old.jsonl")), SAMPLE, "-o", text(&at("out.glb"))]);
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{message}");
    assert!(message.contains("line 1: “layers.add” is now named “weight_layer.add”"), "{message}");
}

#[test]
fn export_contains_only_the_requested_content() {
    let (_keep, at) = folder();
    assert!(
        ulna(&["export", SAMPLE, "-o", text(&at("walk.glb")), "--clips", "Walk,Run"])
            .status
            .success()
    );
    let facts = json(&["info", text(&at("walk.glb")), "--json"]);
    assert_eq!(facts["clips"].as_array().map(Vec::len), Some(2));
    let value = |file: &Path, clip: &str| {
        json(&["eval", text(file), "--clip", clip, "--time", "0.3"])["nodes"][20]["world_rows"]
            .clone()
    };
    assert_eq!(value(Path::new(SAMPLE), "Run"), value(&at("walk.glb"), "Run"));
    assert!(
        ulna(&["export", SAMPLE, "-o", text(&at("bones.glb")), "--skeleton-only"]).status.success()
    );
    let facts = json(&["info", text(&at("bones.glb")), "--json"]);
    assert_eq!((&facts["joints"], &facts["vertices"]), (&53.into(), &0.into()));
    let size = |name: &str| fs::metadata(at(name)).expect("a file").len();
    assert!(size("bones.glb") < size("walk.glb") / 4);
    assert!(size("walk.glb") < fs::metadata(SAMPLE).expect("a file").len());
}

#[test]
fn the_commands_are_listed_with_their_arguments() {
    let list = json(&["commands", "--json"]);
    let commands = list["commands"].as_array().expect("a list");
    assert!(commands.len() >= 50);
    let rotate = commands.iter().find(|c| c["name"] == "pose.rotate").expect("pose.rotate");
    assert_eq!(rotate["arguments"][0]["name"], "node");
    assert_eq!(rotate["doer"], "document");
}

#[test]
fn worst_lists_the_worst_points_first_and_run_reports_unchanged_vertices() {
    let facts = json(&["worst", SAMPLE, "--json", "--count", "4"]);
    let spots = facts["spots"].as_array().expect("spots");
    assert_eq!(spots.len(), 4);
    let scores: Vec<f64> = spots.iter().filter_map(|s| s["score"].as_f64()).collect();
    assert!(scores.is_sorted_by(|a, b| a >= b) && scores[3] > 0.0, "{scores:?}");
    assert!(spots.iter().all(|s| s["name"] == "Mannequin" && s["stretch"].as_f64() >= Some(1.0)));
    let (_keep, at) = folder();
    fs::write(at("bare.gltf"), r#"{"asset":{"version":"2.0"},"nodes":[{}]}"#).expect("a file");
    let said =
        String::from_utf8_lossy(&ulna(&["worst", text(&at("bare.gltf"))]).stdout).into_owned();
    assert!(said.starts_with("No deformation found"), "{said}");

    let script = at("a.jsonl");
    // Only vertices with weight of the thumb have another joint that can receive the weight of the
    // hand.
    let line = r#"{"do":"weights.flood","joint":"LeftHand","value":0,
        "locked":["Hips","Spine","*Chest","LeftShoulder",
        "LeftUpperArm","LeftLowerArm","LeftThumb2","LeftThumb3",
        "LeftIndex*","LeftMiddle*","LeftRing*","LeftLittle*"]}"#;
    fs::write(&script, line.replace('\n', "")).expect("a script");
    let out = ulna(&["run", text(&script), SAMPLE, "-o", text(&at("b.glb"))]);
    let said = String::from_utf8_lossy(&out.stderr).into_owned();
    assert!(out.status.success() && at("b.glb").exists(), "{said}");
    assert!(
        said.contains("left unchanged")
            && said.contains("no unlocked joint can receive the remaining weight"),
        "{said}"
    );
}

/// An invalid line is reported by its number. Nothing is written, even though the lines before it
/// are valid.
#[test]
fn a_script_with_a_wrong_line_writes_nothing_and_names_the_line() {
    let folder = tempfile::tempdir().expect("a folder");
    let [script, out] = ["script.jsonl", "out.glb"].map(|n| folder.path().join(n));
    let right = r##"{"do":"node.rename","node":"#0","name":"first"}"##;
    for wrong in [
        "{",
        r#"{"do":"nothing.known"}"#,
        r##"{"do":"node.rename","node":"#0","name":5}"##,
        r#"{"do":"file.open"}"#,
    ] {
        std::fs::write(&script, format!("{right}\n{wrong}\n{right}\n")).expect("a script");
        let ran = ulna(&[
            "run",
            script.to_str().expect("a path"),
            SAMPLE,
            "-o",
            out.to_str().expect("a path"),
        ]);
        let said = String::from_utf8_lossy(&ran.stderr);
        assert!(matches!(ran.status.code(), Some(1 | 2)), "{wrong}: {said}");
        assert!(said.contains("line 2"), "{wrong}: {said}");
        assert!(!out.exists(), "{wrong}");
    }
}

/// The file violates only glTF rules. `info` and `check` must count the same problems.
#[test]
fn info_counts_the_problems_that_check_counts() {
    let (_kept, at) = folder();
    let root = r#"{"asset":{"version":"2.0"},"nodes":[{"name":"a","extras":3},
        {"rotation":[0,0,0,2]}],
        "scenes":[{"nodes":[0,0]}],"materials":[{"alphaCutoff":0.5}]}"#;
    fs::write(at("odd.gltf"), root).expect("a file");
    let facts = json(&["info", text(&at("odd.gltf")), "--json"]);
    let check = ulna(&["check", text(&at("odd.gltf")), "--json"]);
    let check: Value = serde_json::from_slice(&check.stdout).expect("one JSON object");
    let problems = check["problems"].as_array().expect("a list").len();
    assert!(problems > 1, "{check}");
    assert_eq!(facts["diagnostics"], check["problems"]);
    let words =
        String::from_utf8_lossy(&ulna(&["info", text(&at("odd.gltf"))]).stdout).into_owned();
    assert!(words.ends_with(&format!("{problems} problems found\n")), "{words}");
}
