//! `ulna run`: applies a script of commands to files.

use std::{
    fs,
    io::{ErrorKind, Read as _},
    path::Path,
};

use serde_json::{Map, Value, json};

use super::{
    arguments::{Out, RunArgs},
    inputs::open,
    many::{files_of, in_turn, is_model, outputs},
    outputs::writable,
    report::{Failure, many, members, print},
};
use ulna_edit::{
    Command, CommandLine, CommandSpec,
    command::{
        BindReport, BrushCommand, DiscardUnkeyed, FileCommand, Host, KeepLayers, ModeCommand,
        PlayCommand, ReferenceCommand, RigReport, SelectCommand, SetKey, TimelineCommand,
        ToolCommand, VertexCommand, ViewCommand, mesh_label, renamed,
    },
};
use ulna_model::{Document, NodeId, Notice, UnkeyedAt};
use ulna_motion::ComparedMotion;
use ulna_session::{Consent, SaveRequest, Session, SystemDisk};

/// Host of commands for scripts. There is no window, so it refuses all commands of the window.
struct NoWindow;

fn refused(spec: &CommandSpec) -> Result<(), String> {
    Err(format!(
        "“{}” works only in the window, not in a script; “-o” names the file that is saved",
        spec.name
    ))
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

    fn reference(&mut self, command: &ReferenceCommand) -> Result<(), String> {
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

/// Report of a script run, written by `--json`.
#[derive(Default)]
pub(super) struct ScriptReport {
    /// Entries of the commands: line, name, and whether something changed.
    pub commands: Vec<Value>,
    /// Entries of the commands' notes: line, code and message.
    pub notes: Vec<Value>,
}

/// Reads the text of a script, from a file or standard input.
fn text_of(script: &Path) -> Result<String, Failure> {
    let unreadable = |what: String, e: std::io::Error| {
        let why = match e.kind() {
            ErrorKind::InvalidData => "the script is not a text in UTF-8".to_owned(),
            _ => e.to_string(),
        };
        Failure::unusable("script_unreadable", format!("{what}: {why}")).of_file(script)
    };
    if script == Path::new("-") {
        let mut text = String::new();
        std::io::stdin()
            .read_to_string(&mut text)
            .map_err(|e| unreadable("standard input".to_owned(), e))?;
        return Ok(text);
    }
    fs::read_to_string(script).map_err(|e| unreadable(script.display().to_string(), e))
}

/// Applies a script to a session. With text output, notes of the commands are printed to standard
/// error.
pub(super) fn apply(
    session: &mut Session,
    script: &Path,
    out: Out,
) -> Result<ScriptReport, Failure> {
    apply_text(session, script, &text_of(script)?, out)
}

fn apply_text(
    session: &mut Session,
    script: &Path,
    text: &str,
    out: Out,
) -> Result<ScriptReport, Failure> {
    let mut done = ScriptReport::default();
    let mut unkeyed: Vec<(usize, UnkeyedAt)> = Vec::new();
    // Some editors write a byte order mark at the start of a file.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    for (number, line) in text.lines().enumerate().map(|(k, line)| (k + 1, line.trim())) {
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let at = format!("{}, line {number}", script.display());
        let refused = |code: &'static str, e: &dyn std::fmt::Display| {
            Failure::fault(code, format!("{at}: {e}. Nothing was written")).at_line(number)
        };
        let line = CommandLine::parse(line).map_err(|e| refused(e.code(), &e))?;
        let command = Command::read(&line).map_err(|e| refused(e.code(), &e))?;
        if let Some(spec) = renamed(&line.name) {
            done.note(
                number,
                &at,
                out,
                &[Notice::new(
                    "command_renamed",
                    format!("“{}” is now named “{}”", line.name, spec.name),
                )],
            );
        }
        let changed = match &command {
            Command::Host(command) => {
                command.carry_out(&mut NoWindow).map_err(|what| refused("needs_window", &what))?;
                false
            }
            Command::Document(_) | Command::Session(_) => {
                session.run(&command).map_err(|e| refused(e.code(), &e))?
            }
        };
        let mut record = members(json!({"line": number, "do": line.name, "changed": changed}));
        if let Some(report) = session.take_rig_report() {
            record.append(&mut rig_members(session.document(), &report));
        }
        if let Some(report) = session.take_bind_report() {
            record.append(&mut bind_members(session.document(), &report));
        }
        done.commands.push(record.into());
        done.note(number, &at, out, &session.take_notes());
        let poses = &session.document().aids.unkeyed;
        unkeyed.retain(|(_, at)| poses.contains_key(at));
        let new = poses.keys().filter(|at| !unkeyed.iter().any(|(_, known)| known == *at));
        unkeyed.extend(new.map(|at| (number, *at)).collect::<Vec<_>>());
    }
    match unkeyed.first() {
        None => Ok(done),
        // The pose cannot be saved, and must not be lost silently.
        Some((line, at)) => Err(Failure::fault(
            "pose_not_keyed",
            format!(
                "{}, line {line}: the pose at {} s is not keyed, and unkeyed poses cannot be \
                    saved. Add “{}” to key \
                it, or “{}” to discard it. Nothing was written",
                script.display(),
                at.time(),
                SetKey::NAME,
                DiscardUnkeyed::NAME
            ),
        )
        .at_line(*line)),
    }
}

/// JSON members of the report about a change of the skeleton.
fn rig_members(document: &Document, report: &RigReport) -> Map<String, Value> {
    let (deviation, tracks, given) = (&report.deviation, &report.tracks, &report.given);
    let at = deviation.at();
    let worst = deviation.worst.iter().flatten().map(|at| {
        let node = document.nodes.get(at.node).map(|node| node.label(at.node));
        json!({
            "motion": match at.motion {
                ComparedMotion::Pose => "pose",
                ComparedMotion::Clip(_) => "clip",
                ComparedMotion::Mix => "mix",
            },
            "clip": at.motion.clip().map(|clip| document.clip_label(clip)),
            "time": at.time,
            "mm": at.mm,
            "node": node,
            "primitive": at.vertex.map(|(_, seen)| seen.primitive.0),
            "vertex": at.vertex.map(|(_, seen)| seen.vertex),
        })
    });
    members(json!({
        "mean_mm": deviation.mean_mm,
        "p99_mm": deviation.p99_mm,
        "worst_mm": deviation.worst_mm,
        "worst_degrees": deviation.worst_degrees,
        "clip": at.and_then(|at| at.motion.clip()).map(|clip| document.clip_label(clip)),
        "time": at.map(|at| at.time),
        "worst": worst.collect::<Vec<_>>(),
        "clips": report.clips,
        "tracks": {
            "same_keys": tracks.exact,
            "one_key": tracks.held,
            "new_keys": tracks.baked,
            "keys_added": tracks.keys_added,
            "removed": report.tracks_removed,
        },
        "fitted_vertices": report.fitted.changed,
        "nearest_vertices": given.nearest,
        "smoothed_vertices": given.smoothed,
        "merged_vertices": given.merged,
        "mirrored_vertices": given.mirrored,
    }))
}

/// JSON members of the report about automatic weights.
fn bind_members(document: &Document, report: &BindReport) -> Map<String, Value> {
    let label = |node: NodeId| document.nodes.get(node).map(|found| found.label(node));
    let pieces = report.pieces.iter().enumerate().map(|(number, piece)| {
        json!({
            "piece": number,
            "mesh": mesh_label(document, piece.mesh),
            "method": piece.method_word(),
            "vertices": piece.vertices,
            "hidden": piece.hidden,
            "joint": piece.rigid.and_then(|(joint, _)| label(joint)),
            "confidence": piece.rigid.map(|(_, confidence)| confidence),
            "rigid": piece.is_rigid,
        })
    });
    let left_out = report
        .left_out
        .iter()
        .map(|joint| json!({"joint": label(joint.node), "reason": joint.reason.words()}));
    members(json!({
        "pieces": pieces.collect::<Vec<_>>(),
        "loose_vertices": report.loose,
        "left_out": left_out.collect::<Vec<_>>(),
    }))
}

impl ScriptReport {
    /// Stores the notes of a command, and prints them with text output.
    fn note(&mut self, line: usize, at: &str, out: Out, notes: &[Notice]) {
        for note in notes {
            self.notes.push(json!({"line": line, "code": note.code, "message": note.message}));
        }
        if out.is_text() && !notes.is_empty() {
            let all: Vec<&str> = notes.iter().map(|n| &*n.message).collect();
            eprintln!("ulna: {at}: {}", all.join("; "));
        }
    }
}

/// Refuses a model or folder in the place of the script, as after swapped arguments.
fn refuse_model(script: &Path) -> Result<(), Failure> {
    let is_script = !(script.is_dir() || is_model(script) && script.is_file());
    if is_script {
        return Ok(());
    }
    let message = format!(
        "{} is not a script. The script comes first: ulna run SCRIPT FILE -o OUTPUT",
        script.display()
    );
    Err(Failure::unusable("wrong_arguments", message))
}

pub(super) fn run(args: &RunArgs) -> Result<u8, Failure> {
    refuse_model(&args.script)?;
    let is_single = matches!(&args.files[..], [one] if !one.is_dir());
    if is_single && !args.output.is_dir() {
        writable(&args.output)?;
    }
    let files = files_of(&args.files)?;
    let outputs = outputs(&files, &args.output, Path::to_owned)?;
    outputs.iter().try_for_each(|output| writable(output))?;
    let text = text_of(&args.script)?;
    let work = |file: &Path, output: &Path| {
        one(args, &text, file, output).map_err(|failure| failure.of_file(file))
    };
    in_turn("run", files.iter().zip(&outputs), is_single, args.out, work)
}

/// Runs the script on one file, and saves it.
fn one(
    args: &RunArgs,
    text: &str,
    file: &Path,
    output: &Path,
) -> Result<Map<String, Value>, Failure> {
    let mut session = open(file)?;
    session.save_options.remember_rest = !args.no_rest_extras;
    let done = apply_text(&mut session, &args.script, text, args.out)?;
    // A file that is overwritten gets a backup, as in the window.
    let backup = !args.no_backup && is_same_file(file, output);
    let request = SaveRequest { path: output.to_owned(), consent: Consent::OVER, backup };
    let saved =
        session.saving_copy(request).run(&SystemDisk).map_err(|e| Failure::fault(e.code(), e))?;
    let lost = [saved.lost, left_out(&session)].concat();
    if args.out.is_text() {
        saved.changes.iter().try_for_each(|change| print(change))?;
        lost.iter().for_each(|lost| eprintln!("ulna: {}: {lost}", output.display()));
    }
    Ok(members(json!({
        "file": file.display().to_string(),
        "output": output.display().to_string(),
        "backup": saved.backup.map(|b| b.display().to_string()),
        "commands": done.commands,
        "notes": done.notes,
        "changes": saved.changes,
        "lost": lost,
    })))
}

/// True if two paths lead to the same file.
pub(super) fn is_same_file(a: &Path, b: &Path) -> bool {
    a == b || fs::canonicalize(a).is_ok_and(|a| fs::canonicalize(b).is_ok_and(|b| a == b))
}

/// Notices about editor state that the written files do not contain.
fn left_out(session: &Session) -> Vec<Notice> {
    let unsaved = session.unsaved();
    let mut left = Vec::new();
    if unsaved.layers > 0 {
        let layers = many(unsaved.layers, "weight layer");
        let said = format!("the result of {layers} is saved, but not the layers themselves");
        left.push(Notice::new("weight_layers_not_saved", said));
    }
    if unsaved.pose_layers > 0 {
        let layers = many(unsaved.pose_layers, "layer");
        let said = format!(
            "{layers} baked into keys and nodes; use “{}” to also save the layers",
            KeepLayers::NAME
        );
        left.push(Notice::new("layers_baked_on_save", said));
    }
    left
}
