//! The program: runs a command-line verb, or opens the window.

use std::process::ExitCode;

use clap::Parser as _;
use ulna::headless::{self, Cli};

fn main() -> ExitCode {
    env_logger::Builder::from_env(
        env_logger::Env::default()
            .default_filter_or("warn,wgpu_hal::gles=off,wgpu_hal::vulkan::instance=off,eframe=off"),
    )
    .init();
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return ExitCode::from(headless::wrong_arguments(&error)),
    };
    if let Some(verb) = &cli.verb {
        return ExitCode::from(headless::main(verb));
    }
    window(cli)
}

#[cfg(feature = "gui")]
fn window(cli: Cli) -> ExitCode {
    match ulna::app::run(cli.file, cli.adapter) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("ulna: {error}");
            ExitCode::FAILURE
        }
    }
}

#[cfg(not(feature = "gui"))]
fn window(_: Cli) -> ExitCode {
    eprintln!(
        "ulna: this build has no window. `ulna --help` lists its commands; build with the feature \
            “gui” for the editor"
    );
    ExitCode::from(2)
}
