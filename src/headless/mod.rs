//! The command line, which needs no window and no display.
//!
//! Exit status: 0 success; 1 problems were found, or the work failed; 2 invalid arguments, or a
//! file cannot be opened. With `--json`, standard output is one JSON object, also after a failure.
//! docs/json.md describes its members.

mod arguments;
mod check;
mod commands;
mod convert;
mod diff;
mod dispatch;
mod eval;
mod export;
mod file_facts;
mod file_words;
mod info;
mod inputs;
mod many;
mod outputs;
#[cfg(feature = "render")]
mod render;
mod report;
mod retarget;
mod run;
mod seams;
mod weights;
mod worst;

pub use self::{
    arguments::{
        CheckArgs, Cli, ConversionArgs, ConvertArgs, Device, DiffArgs, EvalArgs, ExportArgs,
        InfoArgs, MomentArgs, Out, RenderArgs, RunArgs, ShadingArg, ThemeArg, Verb, ViewFrom,
    },
    dispatch::{main, run, wrong_arguments},
    report::Failure,
};
