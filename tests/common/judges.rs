//! The independent judges of files: the Khronos validator, and the one that compares a file with what was saved of it.

use std::{
    path::{Path, PathBuf},
    process::Command,
};

use super::shared;

/// What the Khronos validator says of files: how many errors, and all codes. Nothing where it does not run.
pub fn validate(files: &[PathBuf]) -> Option<Vec<(usize, String)>> {
    let script = shared()?.join("oracle/validate.sh");
    let out = Command::new("sh").arg(script).arg("--codes").args(files).output().ok()?;
    let text = String::from_utf8_lossy(&out.stdout);
    let line =
        |line: &str| -> Option<(usize, String)> { Some((line.split(' ').next()?.parse().ok()?, line.to_owned())) };
    let lines: Option<Vec<(usize, String)>> = text.lines().map(line).collect();
    let found = lines.filter(|l| l.len() == files.len());
    if found.is_none() {
        eprintln!("skipped: the validator does not run: {text}{}", String::from_utf8_lossy(&out.stderr));
    }
    found
}

/// What the round-trip judge finds changed besides what is allowed; nothing where it does not run.
pub fn differences(before: &Path, after: &Path, allowed: &[&str]) -> Option<String> {
    let script = shared()?.join("oracle/roundtrip_diff.py");
    let allow = allowed.iter().flat_map(|a| ["--allow", *a]);
    let out =
        Command::new("python3").arg(script).args([before, after]).arg("--same-order").args(allow).output().ok()?;
    let errors = String::from_utf8_lossy(&out.stderr);
    if errors.contains("ModuleNotFoundError") {
        eprintln!("skipped: the judge of round trips does not run: {errors}");
        return None;
    }
    assert!(out.status.success() || !out.stdout.is_empty(), "{errors}");
    Some(String::from_utf8_lossy(&out.stdout).into_owned())
        .map(|s| if out.status.success() { String::new() } else { s })
}
