//! `ulna run`: a script of commands applied to a file.

use std::{fs, io::Read as _, path::Path};

use super::{Failure, open, print};
use crate::edit::CommandLine;

pub(super) fn run(script: &Path, file: &Path, output: &Path, remember_rest: bool) -> Result<u8, Failure> {
    let text = if script == Path::new("-") {
        let mut text = String::new();
        std::io::stdin().read_to_string(&mut text).map_err(|e| Failure::unusable(format!("standard input: {e}")))?;
        text
    } else {
        fs::read_to_string(script).map_err(|e| Failure::unusable(format!("{}: {e}", script.display())))?
    };
    let mut session = open(file)?;
    session.save_options.remember_rest = remember_rest;
    for (number, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let place =
            |e: &dyn std::fmt::Display| Failure::fault(format!("{}, line {}: {e}", script.display(), number + 1));
        let command = CommandLine::parse(line).map_err(|e| place(&e))?;
        session.run(&command).map_err(|e| place(&e))?;
        for remark in session.take_remarks() {
            eprintln!("ulna: {}, line {}: left as they are, {remark}", script.display(), number + 1);
        }
    }
    let changes = session.write_to(output).map_err(Failure::fault)?;
    for change in changes {
        print(&change)?;
    }
    Ok(0)
}
