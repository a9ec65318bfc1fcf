//! `ulna check`: what is wrong with a file.

use std::path::Path;

use serde_json::json;

use super::{Failure, open, print};
use crate::model::Severity;

pub(super) fn check(path: &Path, as_json: bool) -> Result<u8, Failure> {
    let session = open(path)?;
    let list = &session.diagnostics;
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
            format!("{errors} errors, {warnings} warnings, {} in all", list.len())
        };
        print(&verdict)?;
    }
    Ok(u8::from(errors > 0))
}
