//! Every vector width gives the same results, so all processors display and save the same data.

use std::{fs, process::Command};

use serde_json::Value;
use ulna_geometry::VECTORS_VARIABLE;

const SAMPLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/mannequin.glb");
const WIDTHS: [&str; 3] = ["avx512", "avx2", "scalar"];

/// Returns the standard output of `ulna` with vectors of at most this width.
fn ulna(width: &str, arguments: &[&str]) -> Vec<u8> {
    let output = Command::new(env!("CARGO_BIN_EXE_ulna"))
        .env(VECTORS_VARIABLE, width)
        .args(arguments)
        .output()
        .expect("the program starts");
    assert!(
        output.status.success(),
        "{width} {arguments:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    output.stdout
}

fn numbers(value: &Value, to: &mut Vec<f64>) {
    match value {
        Value::Number(number) => to.push(number.as_f64().expect("a number")),
        Value::Array(values) => values.iter().for_each(|v| numbers(v, to)),
        Value::Object(members) => members.values().for_each(|v| numbers(v, to)),
        _ => {}
    }
}

#[test]
fn poses_and_skins_are_the_same_with_vectors_of_every_width() {
    for (clip, time) in [("Walk", "0.37"), ("Run", "0.21"), ("Wave", "1.1"), ("none", "0")] {
        let all = WIDTHS.map(|width| {
            let json = ulna(width, &["eval", SAMPLE, "--clip", clip, "--time", time]);
            let mut all = Vec::new();
            numbers(&serde_json::from_slice(&json).expect("JSON"), &mut all);
            all
        });
        assert!(all[0].len() > 3 * 5000, "{} numbers of a skinned mesh", all[0].len());
        for narrow in &all[1..] {
            assert_eq!(narrow.len(), all[0].len());
            let most = all[0].iter().zip(narrow).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            // The mannequin is 1.8 m tall.
            assert!(most < 1e-5, "{clip} at {time} s: off by {most}");
        }
    }
}

#[test]
fn weight_bytes_do_not_depend_on_the_simd_width() {
    let folder = tempfile::tempdir().expect("a folder");
    let script = folder.path().join("script.jsonl");
    let lines = [
        r#"{"do":"weights.smooth","passes":2}"#,
        r#"{"do":"weights.flood","joint":"Spine","value":0.3,"how":"add","amount":0.4}"#,
        r#"{"do":"weights.prune","below":0.05}"#,
        r#"{"do":"weights.normalize"}"#,
    ];
    fs::write(&script, lines.join("\n")).expect("a script");
    let saved = WIDTHS.map(|width| {
        let out = folder.path().join(format!("{width}.glb"));
        let text = |path: &std::path::Path| path.to_str().expect("a plain path").to_owned();
        ulna(width, &["run", &text(&script), SAMPLE, "-o", &text(&out)]);
        fs::read(out).expect("what was saved")
    });
    let before = fs::read(SAMPLE).expect("the sample");
    assert!(saved.iter().all(|bytes| *bytes != before), "the weights were changed");
    assert!(saved.iter().all(|bytes| *bytes == saved[0]));
}
