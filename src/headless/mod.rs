//! The command line: the same binary, no window, no display.
//!
//! Exit status 0 fine, 1 the work found faults or could not be done, 2 wrong arguments or a file
//! that cannot be opened. With `--json` standard output is one object, also after a failure;
//! docs/json.md describes its members.

mod arguments;
mod check;
mod commands;
mod convert;
mod diff;
mod eval;
mod export;
mod info;
mod many;
mod render;
mod report;
mod run;
mod seams;
mod weights;
mod worst;

use std::path::Path;

use clap::CommandFactory as _;

use self::report::print;
pub use self::{
    arguments::{
        CheckArgs, Cli, ConversionArgs, ConvertArgs, Device, DiffArgs, EvalArgs, ExportArgs,
        InfoArgs, Out, RenderArgs, RunArgs, ShadingArg, ThemeArg, Verb, ViewFrom,
    },
    report::Failure,
};
use ulna_edit::{
    command::{mix_of, read_mix},
    did_you_mean, find_clip,
};
use ulna_formats::gltf::Progress;
use ulna_model::{ClipId, Document, Mix, Shared};
use ulna_motion::Averaging;
use ulna_session::{Conversion, Session, UpAxis, hard_links};

/// Carries a verb out, and says what was not done; the exit status.
pub fn main(verb: &Verb) -> u8 {
    match run(verb) {
        Ok(status) => status,
        Err(failure) => failure.say(verb.name(), verb.is_json()),
    }
}

/// Says that the arguments are wrong, as the verb would have said it; the exit status.
pub fn wrong_arguments(error: &clap::Error) -> u8 {
    let command = Cli::command();
    let verbs = || command.get_subcommands().map(clap::Command::get_name);
    let first = std::env::args().nth(1).unwrap_or_default();
    let is_verb = verbs().any(|v| v == first);
    // A mistyped verb is taken for the file of the window, and what follows it for the mistake.
    let near = if is_verb || Path::new(&first).exists() {
        String::new()
    } else {
        did_you_mean(&first, verbs())
    };
    let is_json = std::env::args_os().any(|a| a == "--json");
    if !error.use_stderr() || (!is_json && near.is_empty()) {
        error.exit();
    }
    let message = match near.is_empty() {
        true => error.to_string().trim().trim_start_matches("error: ").to_owned(),
        false => format!("unknown command “{first}”{near}; `ulna --help` lists all commands"),
    };
    Failure::unusable("wrong_arguments", message).say(if is_verb { &first } else { "" }, is_json)
}

/// Carries a verb out; the exit status.
///
/// # Errors
/// A sentence for the person, with its code and the exit status.
pub fn run(verb: &Verb) -> Result<u8, Failure> {
    match verb {
        Verb::Info(args) if args.device => info::devices(args.json),
        Verb::Info(args) => info::info(&args.files, args.json),
        Verb::Check(args) if args.fix => check::fix(args),
        Verb::Check(args) => check::check(args),
        Verb::Seams { file, out } => seams::seams(file, *out),
        Verb::Worst { file, count, no_range, out } => worst::worst(file, *count, *no_range, *out),
        Verb::Weights { file, output, mesh, out } => {
            weights::weights(file, output, mesh.as_deref(), *out)
        }
        Verb::Eval(args) => eval::eval(args),
        Verb::Commands { json } => commands::commands(*json),
        Verb::Run(args) => run::run(args),
        Verb::Convert(args) => convert::convert(args),
        Verb::Export(args) => export::export(args),
        Verb::Diff(DiffArgs { text: Some(file), .. }) => diff::text(file),
        Verb::Diff(DiffArgs { a: Some(a), b: Some(b), git, out, exit_zero, .. })
            if git.is_empty() =>
        {
            diff::diff(a, b, *out, *exit_zero)
        }
        Verb::Diff(DiffArgs { a: Some(path), b: Some(old), git, .. }) => {
            diff::external(path, old, git)
        }
        Verb::Diff(_) => {
            Err(Failure::unusable("wrong_arguments", "expected two files, or one file with --text"))
        }
        Verb::Render(args) => render::render(args),
    }
}

impl ConversionArgs {
    fn conversion(&self) -> Result<Conversion, Failure> {
        let up = match self.up.as_deref() {
            Some("z") => UpAxis::Z,
            Some("x") => UpAxis::X,
            _ => UpAxis::Y,
        };
        let meters = |text: &String| match text.as_str() {
            "m" => Some(1.0),
            "cm" => Some(0.01),
            "mm" => Some(0.001),
            "inch" => Some(0.0254),
            number => number.parse::<f32>().ok().filter(|v| (1e-6..=1e6).contains(v)),
        };
        let wrong = |message: String| Failure::unusable("wrong_arguments", message);
        let unit = match &self.unit {
            None => None,
            Some(text) => match meters(text) {
                Some(meters) => Some(meters),
                None => {
                    return Err(wrong(format!(
                        "invalid unit {text}. Use m, cm, mm, inch or a number of meters"
                    )));
                }
            },
        };
        if let Some(rate) = self.rate.filter(|r| !(0.01..=1e6).contains(r)) {
            return Err(wrong(format!("invalid rate {rate}. Use 0.01 to 1000000 per second")));
        }
        if let Some(height) = self.height.filter(|h| !(0.0..=1000.0).contains(h)) {
            return Err(wrong(format!("invalid height {height}. Use 0 to 1000 pixels")));
        }
        Ok(Conversion { up, unit, rate: self.rate, height: self.height })
    }
}

/// How linear rotations go from key to key.
const fn between(nlerp: bool) -> Averaging {
    if nlerp { Averaging::Nlerp } else { Averaging::Slerp }
}

/// Opens a file, or says why not (status 2).
fn open(path: &Path) -> Result<Session, Failure> {
    open_as(path, &Conversion::default())
}

/// Opens a file of another format as it is to be read, or says why not (status 2).
fn open_as(path: &Path, conversion: &Conversion) -> Result<Session, Failure> {
    Session::open_as(path, conversion, &Progress::default())
        .map_err(|e| Failure::unusable(e.code(), format!("{}: {e}", path.display())).of_file(path))
}

/// Whether a path can be written as a model: a glTF suffix, and nothing there that is no file
/// (status 2).
fn writable(path: &Path) -> Result<(), Failure> {
    if path == Path::new("-") {
        let message = "a model cannot be written to standard output. Give -o a path instead of “-”";
        return Err(Failure::unusable("output_is_no_file", message));
    }
    has_ending(path, &["glb", "gltf", "vrm", "vrma"], || {
        format!("{}: invalid file name. Use .glb or .gltf", path.display())
    })
}

/// Refuses an output whose ending says that it is another kind of file (status 2).
fn has_ending(
    path: &Path,
    endings: &[&str],
    message: impl FnOnce() -> String,
) -> Result<(), Failure> {
    let suffix = path.extension().map(|e| e.to_string_lossy().to_lowercase());
    match suffix.is_some_and(|s| endings.contains(&s.as_str())) {
        true => Ok(()),
        false => Err(Failure::unusable("wrong_ending", message())),
    }
}

/// Refuses an output that has several hard links: writing it would part them.
fn one_name(path: &Path) -> Result<(), Failure> {
    match hard_links(path) {
        0 | 1 => Ok(()),
        names => Err(Failure::fault(
            "output_has_hard_links",
            format!(
                "{} has {names} hard links, and writing would break them. Use another name, or \
                    remove the file first",
                path.display()
            ),
        )),
    }
}

/// The clip a text names; `none` is none.
fn clip_named(document: &Document, text: &str) -> Result<Option<ClipId>, Failure> {
    if text == "none" {
        return Ok(None);
    }
    find_clip(document, text).map(Some).map_err(|e| Failure::unusable(e.code(), e))
}

/// The mix of a file with its JSON, or the one that the model's own file keeps.
fn mix_named(document: &Document, spec: &Path) -> Result<Shared<Mix>, Failure> {
    if spec == Path::new("kept") {
        let none = || {
            Failure::unusable(
                "no_mix",
                "the file contains no valid mix; pass a JSON file with a mix",
            )
        };
        return mix_of(document).ok_or_else(none);
    }
    let text = std::fs::read_to_string(spec).map_err(|e| {
        Failure::unusable("file_unreadable", format!("{} could not be read: {e}", spec.display()))
    })?;
    let mix = read_mix(document, &text.into())
        .map_err(|e| Failure::unusable("mix_unsound", format!("{}: {e}", spec.display())))?;
    Ok(Shared::new(mix))
}

/// The one of several things that a text names, by its name or its index.
#[cfg(feature = "render")]
fn choice(what: &str, labels: &[String], text: &str) -> Result<usize, Failure> {
    let index =
        || text.strip_prefix('#').unwrap_or(text).parse().ok().filter(|k| *k < labels.len());
    labels.iter().position(|l| l == text).or_else(index).ok_or_else(|| {
        let list = if labels.is_empty() {
            "there are none".to_owned()
        } else {
            format!("available: {}", labels.join(", "))
        };
        let near = did_you_mean(text, labels.iter().map(String::as_str));
        Failure::unusable(
            "no_such_name",
            format!("the file has no {what} named “{text}”{near}; {list}"),
        )
    })
}
