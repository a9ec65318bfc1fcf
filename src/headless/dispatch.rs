//! Runs the verb of the parsed arguments.

use std::path::Path;

use clap::CommandFactory as _;

use super::{
    arguments::{Cli, DiffArgs, Verb},
    check, commands, convert, diff, eval, export, info,
    report::Failure,
    seams, weights, worst,
};
use ulna_edit::did_you_mean;

/// Runs a verb, and prints a message if it fails. Returns the exit status.
pub fn main(verb: &Verb) -> u8 {
    match run(verb) {
        Ok(status) => status,
        Err(failure) => failure.say(verb.name(), verb.is_json()),
    }
}

/// Reports invalid arguments in the output format of the verb. Returns the exit status.
pub fn wrong_arguments(error: &clap::Error) -> u8 {
    let command = Cli::command();
    let verbs = || command.get_subcommands().map(clap::Command::get_name);
    let first = std::env::args().nth(1).unwrap_or_default();
    let is_verb = verbs().any(|v| v == first);
    // clap reads a mistyped verb as the file to open, and reports an error about the next argument.
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

/// Runs a verb. Returns the exit status.
///
/// # Errors
///
/// If the verb fails: a message with its code and exit status.
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
        Verb::Run(args) => super::run::run(args),
        Verb::Convert(args) => convert::convert(args),
        Verb::Export(args) => export::export(args),
        Verb::Retarget(args) => super::retarget::retarget(args),
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
        #[cfg(feature = "render")]
        Verb::Render(args) => super::render::render(args),
        #[cfg(not(feature = "render"))]
        Verb::Render(_) => Err(Failure::fault(
            "not_in_this_build",
            "this build of Ulna cannot render; build with the feature “render”",
        )),
    }
}
