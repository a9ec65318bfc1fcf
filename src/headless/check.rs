//! `ulna check`: what is wrong with a file.

use std::path::Path;

use serde_json::json;

use super::{Failure, open, print, writable};
use crate::{
    edit::{CommandLine, command::Bind},
    model::{Diagnostic, Severity},
};

pub(super) fn check(path: &Path, as_json: bool) -> Result<u8, Failure> {
    report(path, &open(path)?.all_findings(), as_json)
}

/// Runs the commands that mend what was found, and saves the result; then says what is left.
pub(super) fn fix(path: &Path, output: Option<&Path>, as_json: bool) -> Result<u8, Failure> {
    let Some(output) = output else { return Err(Failure::unusable("--fix needs -o: where the mended file goes")) };
    writable(output)?;
    let mut session = open(path)?;
    let mut names: Vec<&'static str> = session.diagnostics.iter().filter_map(|d| d.fix).collect();
    names.sort_unstable();
    names.dedup();
    // What has no weights is bound before weights are made sound.
    names.sort_by_key(|name| *name != Bind::NAME);
    for name in names {
        match session.run_line(&CommandLine::new(name)) {
            Ok(true) => eprintln!("ulna: {}: {name} done", path.display()),
            Ok(false) => eprintln!("ulna: {}: {name} had nothing to change", path.display()),
            Err(error) => eprintln!("ulna: {}: {name} was not done: {error}", path.display()),
        }
        if let Some(note) = session.take_sentence() {
            eprintln!("ulna: {}: {name}: {note}", path.display());
        }
    }
    session.write_to(output).map_err(Failure::fault)?;
    report(output, &open(output)?.all_findings(), as_json)
}

fn report(path: &Path, list: &[Diagnostic], as_json: bool) -> Result<u8, Failure> {
    let count = |severity| list.iter().filter(|d| d.severity == severity).count();
    let (errors, warnings) = (count(Severity::Error), count(Severity::Warning));
    if as_json {
        let facts =
            json!({"file": path.display().to_string(), "errors": errors, "warnings": warnings, "problems": list});
        print(&facts.to_string())?;
    } else {
        for d in list {
            let place = if d.place.is_empty() { "file" } else { &d.place };
            print(&format!("{}: {} ({place}, {})", d.severity, d.message, d.code))?;
        }
        let verdict = if list.is_empty() {
            "No problems found".to_owned()
        } else {
            let many = |n: usize, what: &str| if n == 1 { format!("1 {what}") } else { format!("{n} {what}s") };
            format!("{}, {}, {} in all", many(errors, "error"), many(warnings, "warning"), list.len())
        };
        print(&verdict)?;
    }
    Ok(u8::from(errors > 0))
}
