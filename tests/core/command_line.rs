//! The command line as a tool for pipelines: many files, one JSON format, one rule for exit
//! statuses, and suggestions for mistyped names.
#![allow(clippy::unwrap_used, reason = "a test ends where something is not as it must be")]

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
};

use serde_json::{Value, json};
use ulna_edit::{ArgumentSpec, ArgumentType, Command as EditCommand, CommandLine, table};

const SAMPLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/mannequin.glb");

fn ulna(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_ulna")).args(arguments).output().unwrap()
}

/// Runs the program. Returns the single JSON object on standard output, and the exit status.
fn json_of(arguments: &[&str]) -> (Value, i32) {
    let output = ulna(arguments);
    let text = String::from_utf8(output.stdout).unwrap();
    let value = serde_json::from_str(&text).unwrap_or_else(|e| {
        panic!("{arguments:?}: {e}: {text}{}", String::from_utf8_lossy(&output.stderr));
    });
    (value, output.status.code().unwrap())
}

fn folder() -> (tempfile::TempDir, impl Fn(&str) -> String) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_owned();
    (folder, move |name: &str| path.join(name).to_str().unwrap().to_owned())
}

fn write(path: &str, text: &str) {
    fs::create_dir_all(Path::new(path).parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

const FINE: &str =
    r#"{"asset":{"version":"2.0"},"scene":0,"scenes":[{"nodes":[0]}],"nodes":[{"name":"n"}]}"#;
const FAULTY: &str =
    r#"{"asset":{"version":"2.0"},"scenes":[{"nodes":[0]}],"nodes":[{"rotation":[0,0,0,2]}]}"#;
const WARNED: &str = r#"{"asset":{"version":"2.0"},"scenes":[{"nodes":[0]}],"nodes":[{"name":"n"}],
    "materials":[{"alphaCutoff":0.5}]}"#;

#[test]
fn check_accepts_files_and_folders_and_reports_unreadable_ones() {
    let (_keep, at) = folder();
    write(&at("in/a.gltf"), FINE);
    write(&at("in/deep/er/b.gltf"), FAULTY);
    write(&at("in/deep/c.gltf"), WARNED);
    write(&at("in/notes.txt"), "no model");
    write(&at("in/.hidden/d.gltf"), "{");
    write(&at("bad.glb"), "glTF");
    let (report, status) =
        json_of(&["check", &at("in"), &at("bad.glb"), &at("nowhere.glb"), "--json"]);
    assert_eq!(status, 2, "two files cannot be opened");
    assert_eq!((&report["version"], &report["verb"]), (&1.into(), &"check".into()));
    let files = report["files"].as_array().unwrap();
    let names: Vec<&str> = files.iter().map(|f| f["file"].as_str().unwrap()).collect();
    assert!(
        names.len() == 5 && names[0].ends_with("a.gltf") && names[4].ends_with("nowhere.glb"),
        "{names:?}"
    );
    assert_eq!(
        (&report["checked"], &report["unreadable"], &report["faulty"]),
        (&5.into(), &2.into(), &3.into())
    );
    let bad = &files[3];
    assert_eq!(bad["error"]["code"], "container_damaged", "{bad}");
    assert_eq!(
        (&bad["findings"][0]["code"], &bad["findings"][0]["severity"]),
        (&"ULNA_UNREADABLE".into(), &"error".into())
    );
    assert_eq!(files[4]["error"]["code"], "file_unreadable");
    let sums = ["errors", "warnings", "infos"]
        .map(|of| files.iter().map(|f| f[of].as_u64().unwrap()).sum::<u64>());
    assert_eq!(json!(sums), json!([report["errors"], report["warnings"], report["infos"]]));

    assert_eq!(json_of(&["check", &at("in"), "--json"]).1, 1);
    let words = String::from_utf8(ulna(&["check", &at("in")]).stdout).unwrap();
    assert!(
        words
            .lines()
            .last()
            .unwrap()
            .starts_with("3 files checked, 1 with problems, 0 could not be opened"),
        "{words}"
    );
    assert!(
        words.contains("b.gltf\n  error: ") && !words.contains("a.gltf"),
        "a block per file with findings: {words}"
    );
    assert_eq!(ulna(&["check", &at("in/a.gltf"), &at("in/deep/c.gltf")]).status.code(), Some(0));
    fs::create_dir(at("none")).unwrap();
    let (report, status) = json_of(&["check", &at("none"), "--json"]);
    assert_eq!((&report["error"]["code"], status), (&"no_models_in_folder".into(), 2));
}

#[test]
fn findings_can_be_ignored_selected_or_made_errors_and_warnings_can_fail() {
    let (_keep, at) = folder();
    write(&at("c.gltf"), WARNED);
    let path = at("c.gltf");
    let code = "MATERIAL_ALPHA_CUTOFF_INVALID_MODE";
    let status = |more: &[&str]| json_of(&[&["check", &path, "--json"], more].concat());
    let (plain, fine) = status(&[]);
    assert_eq!((fine, &plain["warnings"]), (0, &1.into()), "{plain}");
    assert_eq!(plain["findings"], plain["problems"], "the name before version 1 stays");
    assert_eq!(plain["findings"], plain["files"][0]["findings"]);
    assert_eq!(status(&["--strict"]).1, 1);
    let (left, fine) = status(&["--strict", "--allow", code]);
    assert_eq!((fine, left["warnings"].as_u64()), (0, Some(0)));
    let (denied, faulty) = status(&["--deny", &code.to_lowercase()]);
    assert_eq!((faulty, &denied["errors"]), (1, &1.into()));
    let (only, fine) = status(&["--strict", "--only", "ROTATION_NON_UNIT,NODE_LOOP"]);
    assert_eq!((fine, only["findings"].as_array().map(Vec::len)), (0, Some(0)));
    let (wrong, refused) = status(&["--deny", "MATERIAL_ALPHA_CUTOF_INVALID_MODE"]);
    assert_eq!((refused, &wrong["error"]["code"]), (2, &"no_such_finding".into()));
    assert!(
        wrong["error"]["message"].as_str().unwrap().contains(&format!("did you mean “{code}”?")),
        "{wrong}"
    );
}

/// For a valid file, every verb prints one object with the program's version and the verb's name.
#[test]
fn every_verb_prints_one_json_object_with_its_version() {
    let (_keep, at) = folder();
    write(&at("fix.jsonl"), r#"{"do":"clip.rename","clip":"Wave","name":"Hello"}"#);
    let [script, glb, out, w] = ["fix.jsonl", "copy.glb", "out", "w.json"].map(&at);
    fs::copy(SAMPLE, &glb).unwrap();
    let all: Vec<Vec<&str>> = vec![
        vec!["info", SAMPLE],
        vec!["check", SAMPLE],
        vec!["worst", SAMPLE, "--count", "1", "--no-range"],
        vec!["seams", SAMPLE],
        vec!["eval", SAMPLE],
        vec!["commands"],
        vec!["weights", SAMPLE, "-o", &w],
        vec!["run", &script, SAMPLE, "-o", &glb],
        vec!["convert", SAMPLE, "-o", &glb],
        vec!["export", SAMPLE, "--each", "-o", &out],
        vec!["diff", SAMPLE, SAMPLE],
    ];
    for arguments in all {
        let (value, status) = json_of(&[&arguments[..], &["--json"]].concat());
        assert_eq!((&value["version"], status), (&1.into(), 0), "{arguments:?}");
        assert_eq!(value["verb"], arguments[0]);
        assert!(value.get("error").is_none(), "{arguments:?}");
    }
}

/// A failure is one object with a code. The exit status tells the kind of failure.
#[test]
fn a_failure_is_one_json_object_with_a_code_and_a_matching_exit_status() {
    let (_keep, at) = folder();
    write(&at("tail.jsonl"), "\n{\"do\":\"pose.reset\",\"node\":\"Tail\"}");
    write(&at("view.jsonl"), r#"{"do":"view.front"}"#);
    write(
        &at("unkeyed.jsonl"),
        r#"{"do":"unkeyed.set","clip":"Walk","time":0.2,"node":"Head","degrees":[0,5,0]}"#,
    );
    write(&at("bad.glb"), "glTF");
    write(&at("bare.gltf"), FINE);
    let [tail, view, unkeyed, bad, bare, none] =
        ["tail.jsonl", "view.jsonl", "unkeyed.jsonl", "bad.glb", "bare.gltf", "nowhere.glb"]
            .map(&at);
    let [glb, txt, json, missing] = ["o.glb", "o.txt", "o.json", "no.jsonl"].map(&at);
    let cases: Vec<(Vec<&str>, i32, &str)> = vec![
        (vec!["info", &none], 2, "file_unreadable"),
        (vec!["info", &bad], 2, "container_damaged"),
        (vec!["check", &bad], 2, "container_damaged"),
        (vec!["worst", &bad], 2, "container_damaged"),
        (vec!["seams", &bad], 2, "container_damaged"),
        (vec!["eval", &bad], 2, "container_damaged"),
        (vec!["eval", SAMPLE, "--clip", "Wlak"], 2, "no_such_clip"),
        (vec!["diff", SAMPLE, &bad], 2, "container_damaged"),
        (vec!["run", &tail, SAMPLE, "-o", &glb], 1, "no_such_name"),
        (vec!["run", &view, SAMPLE, "-o", &glb], 1, "needs_window"),
        (vec!["run", &unkeyed, SAMPLE, "-o", &glb], 1, "pose_not_keyed"),
        (vec!["run", &missing, SAMPLE, "-o", &glb], 2, "script_unreadable"),
        (vec!["run", SAMPLE, &tail, "-o", &glb], 2, "wrong_arguments"),
        (vec!["run", &tail, &bad, "-o", &glb], 2, "container_damaged"),
        (vec!["run", &tail, SAMPLE, "-o", &txt], 2, "wrong_ending"),
        (vec!["convert", SAMPLE, "-o", &txt], 2, "wrong_ending"),
        (vec!["export", SAMPLE, "-o", &txt], 2, "wrong_ending"),
        (vec!["export", SAMPLE, "-o", &glb, "--clips", "Dance"], 2, "no_such_clip"),
        (vec!["weights", SAMPLE, "-o", &txt], 2, "wrong_ending"),
        (vec!["weights", &bare, "-o", &json], 1, "no_weights_meant"),
        (vec!["weights", SAMPLE, "-o", &json, "--mesh", "Nobody"], 2, "no_such_name"),
        (vec!["export", SAMPLE, "--rate", "fast", "-o", &glb], 2, "wrong_arguments"),
        (vec!["check"], 2, "wrong_arguments"),
    ];
    for (arguments, wanted, code) in cases {
        let (value, status) = json_of(&[&arguments[..], &["--json"]].concat());
        assert_eq!(
            (value["error"]["code"].as_str(), status),
            (Some(code), wanted),
            "{arguments:?}: {value}"
        );
        assert_eq!((&value["version"], &value["verb"]), (&1.into(), &arguments[0].into()));
        assert!(!value["error"]["message"].as_str().unwrap().is_empty());
        // Without `--json`, the message is on standard error, and the exit status is the same.
        let plain = ulna(&arguments);
        assert_eq!(plain.status.code(), Some(wanted), "{arguments:?}");
        assert!(!plain.stderr.is_empty(), "{arguments:?}");
        assert!(
            !Path::new(&glb).exists() && !Path::new(&txt).exists(),
            "{arguments:?}: nothing is written"
        );
    }
    let (value, _) = json_of(&["run", &tail, SAMPLE, "-o", &glb, "--json"]);
    assert_eq!(value["error"]["line"], 2, "the line of the script");
}

/// The script argument is a model, a folder, or a file that is not text.
#[test]
fn run_explains_that_the_script_is_the_first_argument() {
    let (_keep, at) = folder();
    write(&at("script.jsonl"), r#"{"do":"pose.reset_all"}"#);
    write(&at("in/bare.gltf"), FINE);
    let (script, out) = (at("script.jsonl"), at("o.glb"));
    for model in [SAMPLE.to_owned(), at("in/bare.gltf"), at("in")] {
        let swapped = ulna(&["run", &model, &script, "-o", &out]);
        let said = String::from_utf8(swapped.stderr).unwrap();
        assert_eq!(swapped.status.code(), Some(2), "{said}");
        assert!(said.contains(&model) && said.contains("The script comes first"), "{said}");
    }
    fs::write(at("binary.jsonl"), [0xff, 0xfe, 0x00]).unwrap();
    let (value, status) = json_of(&["run", &at("binary.jsonl"), SAMPLE, "-o", &out, "--json"]);
    assert_eq!((&value["error"]["code"], status), (&"script_unreadable".into(), 2));
    assert!(value["error"]["message"].as_str().unwrap().contains("not a text"), "{value}");
    assert!(!Path::new(&out).exists());
}

#[test]
fn an_unreadable_file_is_named_once() {
    let (_keep, at) = folder();
    let none = at("nowhere.glb");
    for arguments in [vec!["info", &none], vec!["check", &none], vec!["info", SAMPLE, &none]] {
        let output = ulna(&arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        let all = [output.stdout, output.stderr].concat();
        let said = String::from_utf8(all).unwrap();
        let sentence = said.lines().find(|l| l.contains("could not be read")).unwrap();
        assert_eq!(sentence.matches(&none).count(), 1, "{sentence}");
    }
}

#[test]
fn render_refuses_unsupported_formats_before_rendering() {
    if !cfg!(feature = "render") {
        return;
    }
    let (_keep, at) = folder();
    // The model does not exist, so an argument error means that arguments are checked before
    // opening it.
    for (name, more, words) in [
        ("a.jpg", &[][..], "Use .png"),
        ("a", &[][..], "Use .png"),
        ("a.gif", &[][..], "needs --frames"),
        ("a.webp", &["--frames", "3"][..], "Use .png or .gif"),
        ("a.gif", &["--frames", "3", "--sheet"][..], "Use .png"),
    ] {
        let out = at(name);
        let arguments = [&["render", "nowhere.glb", "-o", &out][..], more].concat();
        let (value, status) = json_of(&[&arguments[..], &["--json"]].concat());
        assert_eq!((&value["error"]["code"], status), (&"wrong_ending".into(), 2), "{name}");
        assert!(value["error"]["message"].as_str().unwrap().contains(words), "{value}");
    }
}

#[test]
fn run_reports_its_changes_in_json_and_backs_up_a_replaced_file() {
    let (_keep, at) = folder();
    write(
        &at("fix.jsonl"),
        "# two\n{\"do\":\"node.rename_pattern\",\"from\":\"Left*\",\"to\":\"*.L\"}\n\
        {\"do\":\"layers.add\",\"name\":\"A\"}\n",
    );
    let (script, model) = (at("fix.jsonl"), at("m.glb"));
    fs::copy(SAMPLE, &model).unwrap();
    let (value, status) = json_of(&["run", &script, &model, "-o", &model, "--json"]);
    assert_eq!(status, 0, "{value}");
    let commands = json!([
        {"line": 2, "do": "node.rename_pattern", "changed": true},
        {"line": 3, "do": "layers.add", "changed": true}
    ]);
    assert_eq!(value["commands"], commands);
    let codes: Vec<&str> =
        value["notes"].as_array().unwrap().iter().map(|n| n["code"].as_str().unwrap()).collect();
    assert_eq!(codes, ["nodes_renamed", "command_renamed"]);
    assert_eq!(value["lost"][0]["code"], "weight_layers_not_saved");
    assert!(value["changes"].as_array().is_some_and(|c| !c.is_empty()));
    assert_eq!(value["files"][0]["changes"], value["changes"]);
    let backup = PathBuf::from(value["backup"].as_str().unwrap());
    assert!(backup.ends_with("m.glb~"));
    assert!(fs::read(&backup).unwrap() == fs::read(SAMPLE).unwrap(), "the file as it was");
    assert!(fs::read(&model).unwrap() != fs::read(SAMPLE).unwrap());

    fs::remove_file(&backup).unwrap();
    fs::copy(SAMPLE, &model).unwrap();
    let (value, _) = json_of(&["run", &script, &model, "-o", &model, "--no-backup", "--json"]);
    assert!(value["backup"].is_null() && !backup.exists());
    let other = at("other.glb");
    fs::copy(SAMPLE, &other).unwrap();
    let (value, _) = json_of(&["run", &script, &model, "-o", &other, "--json"]);
    assert!(
        value["backup"].is_null() && !Path::new(&at("other.glb~")).exists(),
        "only the file itself is kept"
    );

    let quiet = ulna(&["run", &script, SAMPLE, "-o", &other, "-q"]);
    assert!(quiet.status.success() && quiet.stdout.is_empty() && quiet.stderr.is_empty());
    let quiet = ulna(&["run", &at("none.jsonl"), SAMPLE, "-o", &other, "-q"]);
    assert!(!quiet.stderr.is_empty(), "errors are said");
}

#[test]
fn scripts_and_conversions_process_many_files_into_a_folder() {
    let (_keep, at) = folder();
    write(&at("in/a.gltf"), FINE);
    write(&at("in/b/c.gltf"), FINE);
    write(&at("in/bad.gltf"), "{");
    write(&at("fix.jsonl"), r#"{"do":"node.rename","node":"n","name":"m"}"#);
    let (value, status) =
        json_of(&["run", &at("fix.jsonl"), &at("in"), "-o", &at("out"), "--json"]);
    assert_eq!(status, 2, "one cannot be opened, and the others are done: {value}");
    let errors: Vec<Option<&str>> =
        value["files"].as_array().unwrap().iter().map(|f| f["error"]["code"].as_str()).collect();
    assert_eq!(errors, [None, None, Some("json_damaged")]);
    for name in ["a.gltf", "c.gltf"] {
        let (info, _) = json_of(&["info", &at(&format!("out/{name}")), "--json"]);
        assert_eq!(info["nodes"], 1);
        assert!(fs::read_to_string(at(&format!("out/{name}"))).unwrap().contains("\"m\""));
    }
    let (value, status) =
        json_of(&["convert", &at("in/a.gltf"), &at("in/b/c.gltf"), "-o", &at("glb"), "--json"]);
    assert_eq!(status, 0, "{value}");
    assert!(Path::new(&at("glb/a.glb")).exists() && Path::new(&at("glb/c.glb")).exists());
    let (info, status) = json_of(&["info", &at("glb"), &at("in/bad.gltf"), "--json"]);
    assert_eq!((info["files"].as_array().unwrap().len(), status), (3, 2));
    write(&at("in/b/a.gltf"), FINE);
    let (value, status) =
        json_of(&["convert", &at("in/a.gltf"), &at("in/b/a.gltf"), "-o", &at("two"), "--json"]);
    assert_eq!((&value["error"]["code"], status), (&"outputs_collide".into(), 2));
    let (value, status) =
        json_of(&["convert", &at("in/a.gltf"), &at("in/b/c.gltf"), "-o", &at("o.glb"), "--json"]);
    assert_eq!((&value["error"]["code"], status), (&"output_is_no_folder".into(), 2));
}

#[test]
fn info_lists_joints_and_the_same_findings_as_check() {
    let (info, _) = json_of(&["info", SAMPLE, "--json"]);
    let joints = info["skins"][0]["joint_names"].as_array().unwrap();
    assert_eq!(joints.len(), 53);
    assert!(joints.iter().any(|j| j["name"] == "LeftHand" && j["index"].is_u64()));
    let (check, _) = json_of(&["check", SAMPLE, "--json"]);
    assert_eq!(info["findings"], check["findings"]);
    assert_eq!(info["findings"], info["diagnostics"], "the name before version 1 stays");
}

#[test]
fn the_closest_name_is_suggested_for_a_mistyped_one() {
    let (_keep, at) = folder();
    for (line, near, code) in [
        (r#"{"do":"pose.rotat","node":"Head"}"#, "pose.rotate", "no_such_command"),
        (r#"{"do":"pose.reset","nod":"Head"}"#, "node", "argument_unknown"),
        (r#"{"do":"pose.reset","node":"LeftHadn"}"#, "LeftHand", "no_such_name"),
        (r#"{"do":"clip.delete","clip":"wlak"}"#, "Walk", "no_such_clip"),
        (r#"{"do":"weights.normalize","mesh":"mannequim"}"#, "Mannequin", "no_such_name"),
        (
            r#"{"do":"pose.rotate","node":"Head","axis":"x","degrees":5,"space":"lcoal"}"#,
            "local",
            "argument_choice",
        ),
    ] {
        write(&at("s.jsonl"), line);
        let (value, status) =
            json_of(&["run", &at("s.jsonl"), SAMPLE, "-o", &at("o.glb"), "--json"]);
        assert_eq!((value["error"]["code"].as_str(), status), (Some(code), 1), "{line}");
        let message = value["error"]["message"].as_str().unwrap();
        assert!(message.contains(&format!("(did you mean “{near}”?)")), "{line}: {message}");
    }
    let (value, status) = json_of(&["chek", SAMPLE, "--json"]);
    assert_eq!((&value["error"]["code"], status), (&"wrong_arguments".into(), 2));
    assert!(
        value["error"]["message"].as_str().unwrap().contains("(did you mean “check”?)"),
        "{value}"
    );
    let plain = ulna(&["chek", SAMPLE]);
    assert!(
        plain.status.code() == Some(2)
            && String::from_utf8_lossy(&plain.stderr).contains("“check”")
    );
    write(&at("s.jsonl"), r#"{"do":"pose.reset","node":"Xylophone"}"#);
    let (value, _) = json_of(&["run", &at("s.jsonl"), SAMPLE, "-o", &at("o.glb"), "--json"]);
    assert!(!value["error"]["message"].as_str().unwrap().contains("did you mean"), "{value}");
}

#[test]
fn scene_and_world_name_the_same_space() {
    let (_keep, at) = folder();
    let posed = |space: &str| {
        let line = format!(
            r#"{{"do":"pose.rotate","node":"LeftHand","axis":"z","degrees":30,"space":"{space}"}}"#
        );
        write(&at("s.jsonl"), &line);
        let output = ulna(&["run", &at("s.jsonl"), SAMPLE, "-o", &at("o.glb")]);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        fs::read(at("o.glb")).unwrap()
    };
    assert!(posed("scene") == posed("world") && posed("world") != posed("local"));
}

/// Returns a valid value for an argument, so that parsing reaches the tested argument.
fn plain(argument: &ArgumentSpec) -> Value {
    match argument.kind {
        ArgumentType::Node => json!("Hips"),
        ArgumentType::Clip => json!("Walk"),
        ArgumentType::Number | ArgumentType::Seconds | ArgumentType::Degrees => json!(1),
        ArgumentType::Vector | ArgumentType::Factor => json!([1, 1, 1]),
        ArgumentType::Quaternion => json!([0, 0, 0, 1]),
        ArgumentType::Axis => json!("x"),
        ArgumentType::Parts | ArgumentType::KeyParts => json!(["rotation"]),
        ArgumentType::Flag => json!(true),
        ArgumentType::Vertices | ArgumentType::Numbers => json!([0]),
        ArgumentType::Keys => json!({"Hips": {"rotation": [0]}}),
        ArgumentType::Text | ArgumentType::Path | ArgumentType::Mesh => json!("a=b"),
        ArgumentType::Space | ArgumentType::Choice(_) => json!(argument.kind.choices().unwrap()[0]),
    }
}

/// `ulna commands` lists the choices of each argument. The parser accepts each listed choice. It
/// refuses an unknown word, and its message has the same list.
#[test]
fn listed_argument_choices_equal_those_of_the_parser() {
    let (listed, _) = json_of(&["commands", "--json"]);
    let listed = listed["commands"].as_array().unwrap();
    let mut tried = 0;
    for spec in table() {
        let entry = listed.iter().find(|c| c["name"] == spec.name).unwrap();
        for (k, argument) in spec.arguments.iter().enumerate() {
            let choices = &entry["arguments"][k]["choices"];
            let Some(words) = choices.as_array() else { continue };
            let line = |word: &Value| {
                let needed =
                    spec.arguments.iter().filter(|a| a.required && a.name != argument.name);
                needed.fold(
                    CommandLine::new(spec.name).with(argument.name, word.clone()),
                    |line, a| line.with(a.name, plain(a)),
                )
            };
            let code = |word: &Value| {
                EditCommand::read(&line(word)).err().map(|e| (e.code(), e.to_string()))
            };
            for word in words {
                assert!(
                    code(word).is_none_or(|(code, _)| code != "argument_choice"),
                    "{} {word}",
                    spec.name
                );
            }
            let (refused, why) =
                code(&json!("xyzzy")).unwrap_or_else(|| panic!("{} {}", spec.name, argument.name));
            if refused == "argument_choice" {
                let list: Vec<&str> = words.iter().map(|w| w.as_str().unwrap()).collect();
                assert!(
                    why.contains(&format!("one of {}, but is", list.join(", "))),
                    "{}: {why}",
                    spec.name
                );
                tried += 1;
            }
        }
    }
    assert!(tried >= 25, "{tried} arguments with choices");
    let words = String::from_utf8(ulna(&["commands"]).stdout).unwrap();
    assert!(words.contains("space=local|parent|world|gimbal|rest"), "the text lists them, too");
}

#[test]
fn a_skeleton_change_reports_its_three_worst_clips() {
    let (_keep, at) = folder();
    write(&at("dissolve.jsonl"), r#"{"do":"joint.dissolve","node":"LeftLowerLeg"}"#);
    let [script, glb] = ["dissolve.jsonl", "dissolved.glb"].map(&at);
    let (value, status) = json_of(&["run", &script, SAMPLE, "-o", &glb, "--json"]);
    assert_eq!(status, 0, "{value}");
    let record = &value["commands"][0];
    let worst = record["worst"].as_array().unwrap_or_else(|| panic!("{value}"));
    assert_eq!(worst.len(), 3);
    let mm: Vec<f64> = worst.iter().map(|row| row["mm"].as_f64().unwrap()).collect();
    assert!(mm.is_sorted_by(|a, b| a >= b) && mm[2] > 0.0, "{mm:?}");
    assert_eq!(Some(mm[0]), record["worst_mm"].as_f64());
    assert_eq!((&worst[0]["clip"], &worst[0]["time"]), (&record["clip"], &record["time"]));
    for row in worst {
        assert_eq!(row["motion"], "clip");
        assert!(row["clip"].is_string() && row["node"].is_string() && row["vertex"].is_u64());
    }
}
