//! The command line: the same binary, no window, no display.
//!
//! Exit status 0 fine, 1 the work found faults or could not be done, 2 wrong arguments or a file that cannot be opened.

mod check;
mod commands;
mod convert;
mod diff;
mod eval;
mod info;
mod render;
mod run;
mod seams;
mod weights;
mod worst;

use std::path::{Path, PathBuf};

use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::{
    edit::{
        command::{mix_of, read_mix},
        find_clip,
    },
    formats::gltf::Progress,
    model::{ClipId, Document, Mix, Shared},
    motion::Averaging,
    session::{Conversion, Session, UpAxis, hard_links},
};

/// Pose, key and paint rigged glTF models, and save them with nothing else changed.
#[derive(Debug, Parser)]
#[command(name = "ulna", version, args_conflicts_with_subcommands = true)]
pub struct Cli {
    /// The file to open in the editor.
    pub file: Option<PathBuf>,
    /// The graphics device of the window, by any part of its name or backend, this once; `ulna info --device` lists them.
    #[arg(long, value_name = "NAME")]
    pub adapter: Option<String>,
    /// What to do without a window.
    #[command(subcommand)]
    pub verb: Option<Verb>,
}

/// What to do without a window.
#[derive(Debug, Subcommand)]
pub enum Verb {
    /// Says what is in a file, or what graphics devices there are.
    Info {
        /// The file.
        #[arg(required_unless_present = "device")]
        file: Option<PathBuf>,
        /// Graphics devices, the one that is used first, their limits, and what is done another way on them.
        #[arg(long, conflicts_with = "file")]
        device: bool,
        /// One JSON object on standard output.
        #[arg(long)]
        json: bool,
    },
    /// Lists what is wrong with a file; status 1 where something is.
    Check {
        /// The file.
        file: PathBuf,
        /// One JSON object on standard output.
        #[arg(long)]
        json: bool,
        /// Mends what can be mended, and saves it; needs -o.
        #[arg(long, requires = "output")]
        fix: bool,
        /// Where the mended file goes.
        #[arg(short, long, requires = "fix")]
        output: Option<PathBuf>,
    },
    /// Lists the spots where the skin breaks most, over all clips and a range of motion.
    Worst {
        /// The file.
        file: PathBuf,
        /// How many spots.
        #[arg(long, default_value_t = 10)]
        count: usize,
        /// Looks through the clips alone, at no range of motion.
        #[arg(long)]
        no_range: bool,
        /// One JSON object on standard output.
        #[arg(long)]
        json: bool,
    },
    /// Writes all weights to a file of their own: JSON, or XML as Maya's deformerWeights has it.
    Weights {
        /// The file.
        file: PathBuf,
        /// Where to write; its ending, .json or .xml, says what.
        #[arg(short, long)]
        output: PathBuf,
        /// Of this mesh alone, by its name or #index.
        #[arg(long)]
        mesh: Option<String>,
    },
    /// Lists where each clip is best left for each other one, those that jump least first.
    Seams {
        /// The file.
        file: PathBuf,
        /// One JSON object on standard output.
        #[arg(long)]
        json: bool,
    },
    /// Poses a file and writes node matrices, skin matrices and vertices.
    Eval(EvalArgs),
    /// Lists every command.
    Commands {
        /// One JSON object on standard output.
        #[arg(long)]
        json: bool,
    },
    /// Applies a script of commands, one JSON object a line, and saves the result.
    Run {
        /// The script; `-` is standard input.
        script: PathBuf,
        /// The file to change.
        file: PathBuf,
        /// Where to save.
        #[arg(short, long)]
        output: PathBuf,
        /// Do not remember the rest of posed nodes in their extras.
        #[arg(long)]
        no_rest_extras: bool,
    },
    /// Saves a file in the container its new name asks for; the same container gives the same bytes. Files of other formats become glTF.
    Convert {
        /// The file.
        file: PathBuf,
        /// Where to save.
        #[arg(short, long)]
        output: PathBuf,
        /// How a file of another format is taken.
        #[command(flatten)]
        taken: ConversionArgs,
    },
    /// Writes another file with only some of the clips, or only the skeleton.
    Export {
        /// The file.
        file: PathBuf,
        /// Where to write.
        #[arg(short, long)]
        output: PathBuf,
        /// Clips to keep, by name, #index or a pattern with *, separated by commas.
        #[arg(long, value_delimiter = ',')]
        clips: Option<Vec<String>>,
        /// Leave out meshes, materials and images.
        #[arg(long)]
        skeleton_only: bool,
        /// A file a clip, named after it; the output is their folder.
        #[arg(long)]
        each: bool,
        /// With --each: what the files are called, with {clip} and {number} in it.
        #[arg(long, requires = "each")]
        names: Option<String>,
        /// Keys at so many frames a second.
        #[arg(long, value_name = "FPS")]
        rate: Option<f64>,
        /// A script of commands to apply first.
        #[arg(long)]
        script: Option<PathBuf>,
    },
    /// Lists what differs in meaning between two files; status 1 where something does.
    Diff {
        /// The file before.
        #[arg(required_unless_present = "text")]
        a: Option<PathBuf>,
        /// The file after.
        #[arg(required_unless_present = "text")]
        b: Option<PathBuf>,
        /// Arguments that git adds for an external diff: path, old file, its hash and mode, new file, its hash and mode.
        #[arg(hide = true)]
        git: Vec<PathBuf>,
        /// One JSON object on standard output.
        #[arg(long)]
        json: bool,
        /// Status 0 also where something differs.
        #[arg(long)]
        exit_zero: bool,
        /// One file as text, a fact a line, for git's textconv.
        #[arg(long, value_name = "FILE", conflicts_with_all = ["a", "b", "json", "exit_zero"])]
        text: Option<PathBuf>,
    },
    /// Makes a picture of a file.
    Render(RenderArgs),
}

/// As many pictures as one call makes: twenty minutes at thirty a second.
const MOST_FRAMES: i64 = 36_000;

/// A time: a number that is one.
fn seconds(text: &str) -> Result<f64, String> {
    let value: f64 = text.parse().map_err(|e| format!("{e}"))?;
    if value.is_finite() { Ok(value) } else { Err("a time is a finite number of seconds".into()) }
}

/// `ulna eval`
#[derive(Debug, Args)]
pub struct EvalArgs {
    /// The file.
    pub file: PathBuf,
    /// A clip's name or index, or `none` for the file's own pose; the first one unless given.
    #[arg(long)]
    pub clip: Option<String>,
    /// What a mix comes to, instead of a clip: a file with its JSON, or `kept` for the one in the file's extras.
    #[arg(long, value_name = "SPEC", conflicts_with = "clip")]
    pub mix: Option<PathBuf>,
    /// Seconds.
    #[arg(long, default_value_t = 0.0, value_parser = seconds, allow_hyphen_values = true)]
    pub time: f64,
    /// Rotations go from key to key by the normalized sum (NLERP), as older players take them, and not on the sphere.
    #[arg(long)]
    pub nlerp: bool,
    /// What skins the vertices.
    #[arg(long, value_enum, default_value_t = Device::Cpu)]
    pub device: Device,
    /// Where to write the JSON; standard output unless given.
    #[arg(short, long)]
    pub output: Option<PathBuf>,
}

/// What skins the vertices.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Device {
    /// Our own loop.
    Cpu,
    /// The compute pass of the viewport.
    Gpu,
}

/// `ulna render`
#[derive(Debug, Args)]
pub struct RenderArgs {
    /// The file.
    pub file: PathBuf,
    /// The picture: .png, or .gif with --frames.
    #[arg(short, long)]
    pub output: PathBuf,
    /// The graphics device, by any part of its name or backend; `ulna info --device` lists them.
    #[arg(long, value_name = "NAME")]
    pub adapter: Option<String>,
    /// A clip's name or index, or `none`; the file's own pose unless given.
    #[arg(long)]
    pub clip: Option<String>,
    /// What a mix comes to, instead of a clip: a file with its JSON, or `kept` for the one in the file's extras.
    #[arg(long, value_name = "SPEC", conflicts_with = "clip")]
    pub mix: Option<PathBuf>,
    /// Seconds.
    #[arg(long, default_value_t = 0.0, value_parser = seconds, allow_hyphen_values = true)]
    pub time: f64,
    /// Rotations go from key to key by the normalized sum (NLERP), as older players take them, and not on the sphere.
    #[arg(long)]
    pub nlerp: bool,
    /// Width and height in pixels.
    #[arg(long, default_value = "1280x960")]
    pub size: String,
    /// From where.
    #[arg(long, value_enum, default_value_t = ViewFrom::ThreeQuarter)]
    pub view: ViewFrom,
    /// This many pictures over the clip: numbered files, or one animation for .gif.
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=MOST_FRAMES))]
    pub frames: Option<u32>,
    /// With --frames: all of them on one sheet.
    #[arg(long, requires = "frames")]
    pub sheet: bool,
    /// Nothing behind the model; the ground is left out.
    #[arg(long)]
    pub transparent: bool,
    /// A scene's name or index, where the file has several.
    #[arg(long)]
    pub scene: Option<String>,
    /// Through a camera of the file: its name, that of its node, or its index among those shown; instead of --view.
    #[arg(long)]
    pub camera: Option<String>,
    /// A variant of the materials, by name or index, where the file has some.
    #[arg(long)]
    pub variant: Option<String>,
    /// By the file's own lights, where it has some.
    #[arg(long)]
    pub lights: bool,
    /// Draw the joints too.
    #[arg(long)]
    pub joints: bool,
    /// Leave the ground grid out.
    #[arg(long)]
    pub no_grid: bool,
    /// How surfaces are shown.
    #[arg(long, value_enum, default_value_t = ShadingArg::Textured)]
    pub shading: ShadingArg,
    /// Without perspective.
    #[arg(long)]
    pub orthographic: bool,
    /// Colours of this theme.
    #[arg(long, value_enum, default_value_t = ThemeArg::Dark)]
    pub theme: ThemeArg,
}

/// How surfaces are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ShadingArg {
    /// With their materials.
    Textured,
    /// As clay.
    Solid,
    /// Their edges.
    Wireframe,
    /// See-through.
    #[value(name = "xray")]
    XRay,
}

/// Colours of a picture's background and joints.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ThemeArg {
    /// Dark.
    Dark,
    /// Light.
    Light,
}

/// From where a picture is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ViewFrom {
    /// Along −Z.
    Front,
    /// Along −X.
    Side,
    /// Along +Z.
    Back,
    /// Downwards.
    Top,
    /// From the front, to the right and a little above.
    ThreeQuarter,
}

/// A verb's end: what to print on standard error, and the exit status.
#[derive(Debug)]
pub struct Failure {
    /// A sentence.
    pub message: String,
    /// 1 or 2.
    pub status: u8,
}

impl Failure {
    fn fault(error: impl std::fmt::Display) -> Self {
        Self { message: error.to_string(), status: 1 }
    }

    fn unusable(error: impl std::fmt::Display) -> Self {
        Self { message: error.to_string(), status: 2 }
    }
}

/// Carries a verb out; the exit status.
///
/// # Errors
/// What to tell the person, with the exit status.
pub fn run(verb: &Verb) -> Result<u8, Failure> {
    match verb {
        Verb::Info { file: Some(file), json, .. } => info::info(file, *json),
        Verb::Info { json, .. } => info::devices(*json),
        Verb::Check { file, json, fix: false, .. } => check::check(file, *json),
        Verb::Check { file, json, output, .. } => check::fix(file, output.as_deref(), *json),
        Verb::Seams { file, json } => seams::seams(file, *json),
        Verb::Worst { file, count, no_range, json } => worst::worst(file, *count, *no_range, *json),
        Verb::Weights { file, output, mesh } => weights::weights(file, output, mesh.as_deref()),
        Verb::Eval(args) => eval::eval(args),
        Verb::Commands { json } => commands::commands(*json),
        Verb::Run { script, file, output, no_rest_extras } => run::run(script, file, output, !no_rest_extras),
        Verb::Convert { file, output, taken } => convert::convert(file, output, taken),
        Verb::Export { file, output, clips, skeleton_only, each, names, rate, script } => {
            convert::export(&convert::Wanted {
                file,
                output,
                clips: clips.as_deref(),
                skeleton_only: *skeleton_only,
                each: *each,
                names: names.as_deref(),
                rate: *rate,
                script: script.as_ref(),
            })
        }
        Verb::Diff { text: Some(file), .. } => diff::text(file),
        Verb::Diff { a: Some(a), b: Some(b), git, json, exit_zero, .. } if git.is_empty() => {
            diff::diff(a, b, *json, *exit_zero)
        }
        Verb::Diff { a: Some(path), b: Some(old), git, .. } => diff::external(path, old, git),
        Verb::Diff { .. } => Err(Failure::unusable("name two files, or one with --text")),
        Verb::Render(args) => render::render(args),
    }
}

/// How a file of another format is taken.
#[derive(Clone, Debug, clap::Args)]
pub struct ConversionArgs {
    /// Which of its axes is up.
    #[arg(long, value_parser = ["y", "z", "x"])]
    up: Option<String>,
    /// Its unit: m, cm, mm, inch, or metres as a number; as it states or as is guessed unless given.
    #[arg(long)]
    unit: Option<String>,
    /// Its ticks or frames a second, in place of what it states.
    #[arg(long)]
    rate: Option<f64>,
    /// How steep height maps are made normal maps, pixels.
    #[arg(long)]
    height: Option<f32>,
}

impl ConversionArgs {
    fn conversion(&self) -> Result<Conversion, Failure> {
        let up = match self.up.as_deref() {
            Some("z") => UpAxis::Z,
            Some("x") => UpAxis::X,
            _ => UpAxis::Y,
        };
        let metres = |text: &String| match text.as_str() {
            "m" => Some(1.0),
            "cm" => Some(0.01),
            "mm" => Some(0.001),
            "inch" => Some(0.0254),
            number => number.parse::<f32>().ok().filter(|v| (1e-6..=1e6).contains(v)),
        };
        let unit = match &self.unit {
            None => None,
            Some(text) => match metres(text) {
                Some(metres) => Some(metres),
                None => return Err(Failure::unusable(format!("{text} is no unit. Give m, cm, mm, inch or a number"))),
            },
        };
        if let Some(rate) = self.rate.filter(|r| !(0.01..=1e6).contains(r)) {
            return Err(Failure::unusable(format!("{rate} is no rate. Give one from 0.01 to 1000000 a second")));
        }
        if let Some(height) = self.height.filter(|h| !(0.0..=1000.0).contains(h)) {
            return Err(Failure::unusable(format!("{height} is no height. Give one from 0 to 1000 pixels")));
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
    Session::open(path, &Progress::default()).map_err(|e| Failure::unusable(format!("{}: {e}", path.display())))
}

/// Whether a path can be written as a model: a glTF suffix, and nothing there that is no file (status 2).
fn writable(path: &Path) -> Result<(), Failure> {
    if path == Path::new("-") {
        return Err(Failure::unusable("“-” is no file, and a model is not written to standard output. Give -o a path"));
    }
    let suffix = path.extension().map(|e| e.to_string_lossy().to_lowercase());
    if !matches!(suffix.as_deref(), Some("gltf" | "glb" | "vrm" | "vrma")) {
        let message = format!("{} is no glTF file's name. Give it the suffix .glb or .gltf", path.display());
        return Err(Failure::unusable(message));
    }
    Ok(())
}

/// Refuses an output that has several hard links: writing it would part them.
fn one_name(path: &Path) -> Result<(), Failure> {
    match hard_links(path) {
        0 | 1 => Ok(()),
        names => Err(Failure::fault(format!(
            "{} has {names} names (hard links), and writing would separate it from the others. Give another name, or remove the file first",
            path.display()
        ))),
    }
}

/// The clip a text names; `none` is none.
fn clip_named(document: &Document, text: &str) -> Result<Option<ClipId>, Failure> {
    if text == "none" {
        return Ok(None);
    }
    find_clip(document, text).map(Some).map_err(Failure::unusable)
}

/// The mix of a file with its JSON, or the one that the model's own file keeps.
fn mix_named(document: &Document, spec: &Path) -> Result<Shared<Mix>, Failure> {
    if spec == Path::new("kept") {
        let none = || Failure::unusable("the file keeps no mix that fits it; give a file with one");
        return mix_of(document).ok_or_else(none);
    }
    let text = std::fs::read_to_string(spec)
        .map_err(|e| Failure::unusable(format!("{} could not be read: {e}", spec.display())))?;
    let mix = read_mix(document, &text.into()).map_err(|e| Failure::unusable(format!("{}: {e}", spec.display())))?;
    Ok(Shared::new(mix))
}

/// The one of several things that a text names, by its name or its index.
#[cfg(feature = "render")]
fn choice(what: &str, labels: &[String], text: &str) -> Result<usize, Failure> {
    let index = || text.strip_prefix('#').unwrap_or(text).parse().ok().filter(|k| *k < labels.len());
    labels.iter().position(|l| l == text).or_else(index).ok_or_else(|| {
        let list = if labels.is_empty() { "it has none".to_owned() } else { format!("it has {}", labels.join(", ")) };
        Failure::unusable(format!("the file has no {what} “{text}”; {list}"))
    })
}

/// Prints text on standard output; a closed pipe is no fault.
fn print(text: &str) -> Result<(), Failure> {
    use std::io::Write as _;
    match writeln!(std::io::stdout(), "{text}") {
        Err(e) if e.kind() != std::io::ErrorKind::BrokenPipe => Err(Failure::fault(format!("standard output: {e}"))),
        _ => Ok(()),
    }
}
