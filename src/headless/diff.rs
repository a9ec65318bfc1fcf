//! `ulna diff`: what differs in meaning between two files, and one file as text.

use std::path::Path;

use serde_json::json;

use super::{Failure, open, print};
use crate::session::{as_text, differences};

pub(super) fn diff(a: &Path, b: &Path, as_json: bool, exit_zero: bool) -> Result<u8, Failure> {
    let (left, right) = (open(a)?, open(b)?);
    let found = differences(left.document(), right.document());
    if as_json {
        print(&json!({"a": a.display().to_string(), "b": b.display().to_string(), "differences": found}).to_string())?;
    } else {
        for difference in &found {
            print(&difference.to_string())?;
        }
        match found.len() {
            0 => print("The files mean the same")?,
            1 => print("1 difference")?,
            n => print(&format!("{n} differences"))?,
        }
    }
    Ok(u8::from(!found.is_empty() && !exit_zero))
}

/// A fact a line, as version control compares files.
pub(super) fn text(file: &Path) -> Result<u8, Failure> {
    print(as_text(open(file)?.document()).trim_end())?;
    Ok(0)
}
