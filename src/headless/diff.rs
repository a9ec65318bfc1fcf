//! `ulna diff`: compares the content of two files, or prints one file as text.

use std::{
    path::{Path, PathBuf},
    process::Command,
};

use serde_json::json;

use super::{
    arguments::Out,
    inputs::open,
    many::is_model,
    report::{Failure, members, object, print},
};
use ulna_session::{Comparison, Session};

pub(super) fn diff(a: &Path, b: &Path, out: Out, exit_zero: bool) -> Result<u8, Failure> {
    let found = open(a)?.compare(&open(b)?);
    if out.json {
        let Comparison { differences, notes } = &found;
        let (a, b) = (a.display().to_string(), b.display().to_string());
        let facts = json!({"a": a, "b": b, "differences": differences, "notes": notes});
        print(&object("diff", members(facts)).to_string())?;
    } else if !out.quiet {
        list(&found)?;
    }
    Ok(u8::from(!found.differences.is_empty() && !exit_zero))
}

/// Prints all differences, all notes, and their number.
fn list(found: &Comparison) -> Result<(), Failure> {
    for difference in &found.differences {
        print(&difference.to_string())?;
    }
    for note in &found.notes {
        print(&format!("note: {note}"))?;
    }
    let count = match found.differences.len() {
        1 => "1 difference".to_owned(),
        n => format!("{n} differences"),
    };
    match (found.differences.is_empty(), found.is_seen()) {
        (true, _) if found.notes.is_empty() => print("The files have the same content"),
        (true, _) => {
            print("The files have the same content; the notes list differences in how it is stored")
        }
        (false, true) => print(&count),
        (false, false) => print(&format!("{count}, none of them visible")),
    }
}

/// Prints a file as text, one fact per line, for comparison by version control.
pub(super) fn text(file: &Path) -> Result<u8, Failure> {
    print(open(file)?.as_text().trim_end())?;
    Ok(0)
}

/// Compares two files as git's external diff program.
///
/// Git passes `path old-file old-hex old-mode new-file new-hex new-mode`. After a rename, it also
/// passes the new path and lines about the rename. The exit status is always 0, because git treats
/// any other as a crash.
pub(super) fn external(path: &Path, old: &Path, rest: &[PathBuf]) -> Result<u8, Failure> {
    let (new, new_path) = match rest {
        [_, _, new, _, _] => (new, path),
        [_, _, new, _, _, new_path, _] => (new, new_path.as_path()),
        _ => {
            let message = "expected two files, or the seven arguments of a git external diff";
            return Err(Failure::unusable("wrong_arguments", message));
        }
    };
    match path == new_path {
        true => print(&format!("ulna diff {}", path.display()))?,
        false => print(&format!("ulna diff {} → {}", path.display(), new_path.display()))?,
    }
    if !is_model(path) && !is_model(new_path) {
        return other_file(old, new);
    }
    let is_there = |p: &Path| p != Path::new("/dev/null");
    match (is_there(old), is_there(new)) {
        (false, _) => print("the file was added")?,
        (_, false) => print("the file was removed")?,
        _ => match (open_at(old, path), open_at(new, new_path)) {
            (Ok(old), Ok(new)) => list(&old.compare(&new))?,
            (Err(why), _) => print(&format!("the old file cannot be opened: {why}"))?,
            (_, Err(why)) => print(&format!("the new file cannot be opened: {why}"))?,
        },
    }
    Ok(0)
}

/// Opens a temporary copy that git made of the file at `path`. Data files that are not beside the
/// copy are searched beside `path`.
fn open_at(copy: &Path, path: &Path) -> Result<Session, String> {
    let progress = ulna_formats::gltf::Progress::default();
    match Session::open(copy, &progress) {
        Ok(session) => Ok(session),
        // The error of the copy itself is the most helpful.
        Err(first) => Session::open_beside(copy, path, &progress).or(Err(first.to_string())),
    }
}

/// Compares files other than models with git itself.
fn other_file(old: &Path, new: &Path) -> Result<u8, Failure> {
    let compared = Command::new("git")
        .args(["--no-pager", "diff", "--no-ext-diff", "--no-index", "--"])
        .args([old, new])
        .status();
    match compared {
        Ok(_) => Ok(0),
        Err(_) => {
            print("this is not a model file, and git was not found to compare it").map(|()| 0)
        }
    }
}
