//! Independent checks of files: the Khronos validator, a comparison of a file with its saved
//! version, and reference readers.

use std::{
    collections::{BTreeMap, BTreeSet},
    io::Write as _,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::{LazyLock, Mutex},
};

use super::shared;

/// Cached results of the Khronos validator. Many tests check the same corpus files.
static SAID: Mutex<BTreeMap<PathBuf, (usize, String)>> = Mutex::new(BTreeMap::new());

/// Returns the results of the Khronos validator: error count and all codes per file. `None` if the
/// validator cannot run.
pub fn validate(files: &[PathBuf]) -> Option<Vec<(usize, String)>> {
    let shared = shared()?;
    let known = SAID.lock().expect("what was said").clone();
    let asked: BTreeSet<&PathBuf> = files.iter().filter(|f| !known.contains_key(*f)).collect();
    let script = shared.join("oracle/validate.sh");
    let out = Command::new("sh").arg(script).arg("--codes").args(&asked).output().ok()?;
    let text = String::from_utf8_lossy(&out.stdout);
    let line = |line: &str| -> Option<(usize, String)> {
        Some((line.split(' ').next()?.parse().ok()?, line.to_owned()))
    };
    let lines: Option<Vec<(usize, String)>> = text.lines().map(line).collect();
    let Some(lines) = lines.filter(|l| l.len() == asked.len()) else {
        super::skipped(&format!(
            "the validator does not run: {text}{}",
            String::from_utf8_lossy(&out.stderr)
        ));
        return None;
    };
    let new: BTreeMap<&PathBuf, (usize, String)> = asked.into_iter().zip(lines).collect();
    let of_the_corpus =
        new.iter().filter(|(f, _)| f.starts_with(&shared)).map(|(f, l)| ((*f).clone(), l.clone()));
    SAID.lock().expect("what was said").extend(of_the_corpus);
    Some(files.iter().map(|f| known.get(f).unwrap_or_else(|| &new[f]).clone()).collect())
}

/// Whether the dependencies of the comparison are installed.
static JUDGES: LazyLock<bool> = LazyLock::new(|| {
    let there = Command::new("python3")
        .args(["-c", "import numpy"])
        .output()
        .is_ok_and(|o| o.status.success());
    if !there {
        super::skipped("the judge of round trips does not run without python3 and numpy");
    }
    there
});

/// Returns the changes between two files that are not in `allowed`. `None` if the comparison cannot
/// run.
pub fn differences(before: &Path, after: &Path, allowed: &[&str]) -> Option<String> {
    let script = shared().filter(|_| *JUDGES)?.join("oracle/roundtrip_diff.py");
    let allow = allowed.iter().flat_map(|a| ["--allow", *a]);
    let out = Command::new("python3")
        .arg(script)
        .args([before, after])
        .arg("--same-order")
        .args(allow)
        .output()
        .ok()?;
    let errors = String::from_utf8_lossy(&out.stderr);
    assert!(out.status.success() || !out.stdout.is_empty(), "{errors}");
    Some(String::from_utf8_lossy(&out.stdout).into_owned())
        .map(|s| if out.status.success() { String::new() } else { s })
}

/// Returns the output of the reference evaluator for a file with these arguments. `None` if the
/// evaluator cannot run.
fn reference(file: &Path, arguments: &[&str]) -> Option<serde_json::Value> {
    let script = shared().filter(|_| *JUDGES)?.join("oracle/skin_reference.py");
    let folder = tempfile::tempdir().ok()?;
    let to = folder.path().join("posed.json");
    let out = Command::new("python3")
        .arg(script)
        .arg(file)
        .args(arguments)
        .arg("--out")
        .arg(&to)
        .output()
        .ok()?;
    assert!(out.status.success(), "{}: {}", file.display(), String::from_utf8_lossy(&out.stderr));
    serde_json::from_slice(&std::fs::read(to).ok()?).ok()
}

/// Returns all vertex positions of a file's first clip at a time, computed by an independent
/// reader. They are ordered mesh by mesh, in node order. `None` if the reader cannot run.
pub fn skinned(path: &Path, time: f64) -> Option<Vec<[f64; 3]>> {
    let found = reference(path, &["--time", &time.to_string()])?;
    let mut meshes: Vec<&serde_json::Value> =
        found["meshes"].as_array().expect("meshes").iter().collect();
    meshes.sort_by_key(|m| (m["node"].as_u64(), m["primitive"].as_u64()));
    let places = meshes.iter().flat_map(|m| m["positions"].as_array().expect("positions"));
    Some(places.map(|p| std::array::from_fn(|k| p[k].as_f64().expect("a number"))).collect())
}

/// Returns the result of the reference evaluator for a file at a time of one clip: nodes with world
/// matrices, and vertices per primitive in scene space. `None` if the evaluator cannot run.
pub fn posed(file: &Path, clip: Option<usize>, time: f64) -> Option<serde_json::Value> {
    let clip = clip.map_or_else(|| "none".to_owned(), |k| k.to_string());
    reference(file, &["--anim", &clip, "--time", &time.to_string()])
}

/// A channel in the output of the reference evaluator: node, path, and numbers at each time.
pub type Played = (u64, String, Vec<Vec<f64>>);

/// Returns the channel values of a file's animations at some times of each animation, from the
/// reference evaluator. `None` if the evaluator cannot run.
pub fn played(file: &Path, times: &[Vec<f64>]) -> Option<Vec<Vec<Played>>> {
    /// Python script that runs the reference evaluator. It evaluates only animated channels, and
    /// skins no vertices.
    const SCRIPT: &str = "
import functools, json, sys
sys.path.insert(0, sys.argv[1])
from skin_reference import Gltf, Pose
g = Gltf(sys.argv[2])
g.accessor = functools.lru_cache(None)(g.accessor)
p = Pose.__new__(Pose)
Pose.vertices = lambda *_: None
p.__init__(g)
paths = {'translation': p.t, 'rotation': p.r, 'scale': p.s, 'weights': p.w}
out = []
for a, times in enumerate(json.load(sys.stdin)):
    channels = [c['target'] for c in g.list('animations')[a]['channels']]
    channels = [(c['node'], c['path']) for c in channels if c.get('path') in paths and 'node' in c]
    values = {c: [] for c in channels}
    for t in times:
        p.animate(a, t)
        for n, path in values:
            values[n, path].append([float(v) for v in paths[path][n]])
    out.append([[n, path, v] for (n, path), v in values.items()])
json.dump(out, sys.stdout)
";
    let folder = shared().filter(|_| *JUDGES)?.join("oracle");
    let mut child = Command::new("python3")
        .args(["-c", SCRIPT])
        .args([&folder, file])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .ok()?;
    let asked = serde_json::to_vec(times).ok()?;
    child.stdin.take()?.write_all(&asked).ok()?;
    let out = child.wait_with_output().ok()?;
    assert!(out.status.success(), "{}: the reference evaluator failed", file.display());
    Some(serde_json::from_slice(&out.stdout).expect("what plays"))
}
