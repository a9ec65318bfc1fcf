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
