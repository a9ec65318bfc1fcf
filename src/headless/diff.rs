//! `ulna diff`: what differs in meaning between two files, and one file as text.

use std::path::Path;

use serde_json::json;

use super::{Failure, open, print};
use crate::session::Comparison;

pub(super) fn diff(a: &Path, b: &Path, as_json: bool, exit_zero: bool) -> Result<u8, Failure> {
    let found = open(a)?.compare(&open(b)?);
    if as_json {
        let Comparison { differences, notes } = &found;
        let (a, b) = (a.display().to_string(), b.display().to_string());
        print(&json!({"a": a, "b": b, "differences": differences, "notes": notes}).to_string())?;
    } else {
        list(&found)?;
    }
    Ok(u8::from(!found.differences.is_empty() && !exit_zero))
}

/// Every difference, then every note, then what they come to.
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
        (true, _) if found.notes.is_empty() => print("The files mean the same"),
        (true, _) => print("The files mean the same; what the notes name is stored in another way"),
        (false, true) => print(&count),
        (false, false) => print(&format!("{count}, and none in what is seen")),
    }
}

/// A fact a line, as version control compares files.
pub(super) fn text(file: &Path) -> Result<u8, Failure> {
    print(open(file)?.as_text().trim_end())?;
    Ok(0)
}
