//! `ulna run`: a script of commands applied to a file.

use std::{fs, io::Read as _, path::Path};

use super::{Failure, open, print, writable};
use crate::{
    edit::{
        Command, CommandLine, CommandSpec,
        command::{
            BrushCommand, DiscardUnkeyed, FileCommand, Host, KeepLayers, ModeCommand, PlayCommand, SelectCommand,
            SetKey, TimelineCommand, ToolCommand, VertexCommand, ViewCommand, renamed,
        },
    },
    model::UnkeyedAt,
    session::Session,
};

/// A script's run has no window, and so does nothing of what is one's.
struct NoWindow;

fn refused(spec: &CommandSpec) -> Result<(), String> {
    Err(format!("“{}” is the window's to do; a script changes the document, and -o says where it goes", spec.name))
}

impl Host for NoWindow {
    type Refusal = String;

    fn file(&mut self, command: &FileCommand) -> Result<(), String> {
        refused(command.spec())
    }

    fn select(&mut self, command: &SelectCommand) -> Result<(), String> {
        refused(command.spec())
    }

    fn mode(&mut self, command: &ModeCommand) -> Result<(), String> {
        refused(command.spec())
    }

    fn tool(&mut self, command: &ToolCommand) -> Result<(), String> {
        refused(command.spec())
    }

    fn view(&mut self, command: &ViewCommand) -> Result<(), String> {
        refused(command.spec())
    }

    fn play(&mut self, command: &PlayCommand) -> Result<(), String> {
        refused(command.spec())
    }

    fn timeline(&mut self, command: &TimelineCommand) -> Result<(), String> {
        refused(command.spec())
    }

    fn brush(&mut self, command: &BrushCommand) -> Result<(), String> {
        refused(command.spec())
    }

    fn vertices(&mut self, command: &VertexCommand) -> Result<(), String> {
        refused(command.spec())
    }
}

/// Applies a script; what its commands had to say goes to standard error.
pub(super) fn apply(session: &mut Session, script: &Path) -> Result<(), Failure> {
    let text = if script == Path::new("-") {
        let mut text = String::new();
        std::io::stdin().read_to_string(&mut text).map_err(|e| Failure::unusable(format!("standard input: {e}")))?;
        text
    } else {
        fs::read_to_string(script).map_err(|e| Failure::unusable(format!("{}: {e}", script.display())))?
    };
    let mut unkeyed: Vec<(usize, UnkeyedAt)> = Vec::new();
    // Some editors begin a file with a byte order mark.
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    for (number, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let place = |e: &dyn std::fmt::Display| {
            Failure::fault(format!("{}, line {}: {e}. Nothing was written", script.display(), number + 1))
        };
        let line = CommandLine::parse(line).map_err(|e| place(&e))?;
        let command = Command::read(&line).map_err(|e| place(&e))?;
        if let Some(spec) = renamed(&line.name) {
            let at = format!("{}, line {}", script.display(), number + 1);
            eprintln!("ulna: {at}: “{}” is called “{}” now", line.name, spec.name);
        }
        match &command {
            Command::Host(command) => command.carry_out(&mut NoWindow).map_err(|what| place(&what))?,
            Command::Document(_) | Command::Session(_) => {
                session.run(&command).map_err(|e| place(&e))?;
            }
        }
        if let Some(note) = session.take_sentence() {
            eprintln!("ulna: {}, line {}: {note}", script.display(), number + 1);
        }
        let poses = &session.document().aids.unkeyed;
        unkeyed.retain(|(_, at)| poses.contains_key(at));
        let new = poses.keys().filter(|at| !unkeyed.iter().any(|(_, known)| known == *at));
        unkeyed.extend(new.map(|at| (number + 1, *at)).collect::<Vec<_>>());
    }
    match unkeyed.first() {
        None => Ok(()),
        // What no file holds would be lost in silence.
        Some((line, at)) => Err(Failure::fault(format!(
            "{}, line {line}: its pose at {} s is left without a key, and no file holds one. Key it by “{}”, or end with “{}”. Nothing was written",
            script.display(),
            at.time(),
            SetKey::NAME,
            DiscardUnkeyed::NAME
        ))),
    }
}

pub(super) fn run(script: &Path, file: &Path, output: &Path, remember_rest: bool) -> Result<u8, Failure> {
    writable(output)?;
    let mut session = open(file)?;
    session.save_options.remember_rest = remember_rest;
    apply(&mut session, script)?;
    let saved = session.write_to(output).map_err(Failure::fault)?;
    for change in &saved.changes {
        print(change)?;
    }
    for lost in &saved.lost {
        eprintln!("ulna: {}: {lost}", output.display());
    }
    say_left_out(&session, output);
    Ok(0)
}

/// Says what of the work no file holds.
fn say_left_out(session: &Session, output: &Path) {
    let unsaved = session.unsaved();
    let many = |n: usize, what: &str| if n == 1 { format!("1 {what}") } else { format!("{n} {what}s") };
    if unsaved.layers > 0 {
        let layers = many(unsaved.layers, "weight layer");
        eprintln!("ulna: {}: what {layers} come to is saved, the layers themselves are not", output.display());
    }
    if unsaved.pose_layers > 0 {
        let layers = many(unsaved.pose_layers, "layer");
        eprintln!(
            "ulna: {}: {layers} folded into keys and nodes; “{}” stores them themselves, too",
            output.display(),
            KeepLayers::NAME
        );
    }
}
