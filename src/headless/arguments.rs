//! The arguments of the command line.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

/// Exit statuses, and the form for scripts, as the help says them.
const STATUSES: &str = "Exit status: 0 success; 1 problems were found, or the command failed; 2 invalid arguments, \
or a file cannot be opened.\nWith --json, standard output is one JSON object, also after a failure; see docs/json.md.";

/// Pose, key and paint rigged glTF models, and save them with nothing else changed.
#[derive(Debug, Parser)]
#[command(name = "ulna", version, args_conflicts_with_subcommands = true, after_help = STATUSES)]
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

/// Verbs: work without a window.
#[derive(Debug, Subcommand)]
pub enum Verb {
    /// Says what is in a file, or what graphics devices there are.
    #[command(after_help = STATUSES)]
    Info(InfoArgs),
    /// Lists the problems of files. Status 1 where an error was found, with --strict also where a warning was; 2 where a file cannot
    /// be opened.
    Check(CheckArgs),
    /// Lists the spots where the skin breaks most, over all clips and a range of motion.
    Worst {
        /// The file.
        file: PathBuf,
        /// Number of spots.
        #[arg(long, default_value_t = 10)]
        count: usize,
        /// Search the clips only, without a range of motion.
        #[arg(long)]
        no_range: bool,
        /// How the result is printed.
        #[command(flatten)]
        out: Out,
    },
    /// Writes all weights to a file of their own: JSON, or XML as Maya's deformerWeights has it.
    #[command(after_help = STATUSES)]
    Weights {
        /// The file.
        file: PathBuf,
        /// The file to write; its ending, .json or .xml, chooses the format.
        #[arg(short, long)]
        output: PathBuf,
        /// Write only this mesh, by name or #index.
        #[arg(long)]
        mesh: Option<String>,
        /// How the result is printed.
        #[command(flatten)]
        out: Out,
    },
    /// Lists the best transition points between clips, the smallest jump first.
    Seams {
        /// The file.
        file: PathBuf,
        /// How the result is printed.
        #[command(flatten)]
        out: Out,
    },
    /// Poses a file and writes node matrices, skin matrices and vertices as JSON.
    Eval(EvalArgs),
    /// Lists every command of scripts, with its arguments and their choices.
    Commands {
        /// Print one JSON object on standard output.
        #[arg(long)]
        json: bool,
    },
    /// Applies a script of commands, one JSON object per line, and saves the result.
    #[command(after_help = STATUSES)]
    Run(RunArgs),
    /// Saves files in the container that the new name asks for; the same container gives the same bytes. Files of other formats become
    /// glTF.
    #[command(after_help = STATUSES)]
    Convert(ConvertArgs),
    /// Writes another file with only some of the clips, or only the skeleton.
    #[command(after_help = STATUSES)]
    Export(ExportArgs),
    /// Lists what differs in meaning between two files; status 1 where something does.
    #[command(after_help = STATUSES)]
    Diff(DiffArgs),
    /// Makes a picture of a file.
    #[command(after_help = STATUSES)]
    Render(RenderArgs),
}

impl Verb {
    /// Its name, as it is typed.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Info(_) => "info",
            Self::Check(_) => "check",
            Self::Worst { .. } => "worst",
            Self::Weights { .. } => "weights",
            Self::Seams { .. } => "seams",
            Self::Eval(_) => "eval",
            Self::Commands { .. } => "commands",
            Self::Run(_) => "run",
            Self::Convert(_) => "convert",
            Self::Export(_) => "export",
            Self::Diff(_) => "diff",
            Self::Render(_) => "render",
        }
    }

    /// Whether the result is one JSON object.
    pub const fn is_json(&self) -> bool {
        match self {
            Self::Info(args) => args.json,
            Self::Check(args) => args.out.json,
            Self::Run(args) => args.out.json,
            Self::Convert(args) => args.out.json,
            Self::Export(args) => args.out.json,
            Self::Diff(args) => args.out.json,
            Self::Render(args) => args.out.json,
            Self::Eval(args) => args.json,
            Self::Worst { out, .. } | Self::Weights { out, .. } | Self::Seams { out, .. } => out.json,
            Self::Commands { json } => *json,
        }
    }
}

/// How a result is printed.
#[derive(Clone, Copy, Debug, Default, Args)]
pub struct Out {
    /// Print one JSON object on standard output, also after a failure.
    #[arg(long)]
    pub json: bool,
    /// Print nothing but errors.
    #[arg(short, long)]
    pub quiet: bool,
}

impl Out {
    /// Whether sentences for a person are printed.
    pub const fn is_text(self) -> bool {
        !self.json && !self.quiet
    }
}

/// `ulna info`
#[derive(Debug, Args)]
pub struct InfoArgs {
    /// Files, and folders whose models are listed with all below them.
    #[arg(required_unless_present = "device", value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// List the graphics devices, the one that is used first, with their limits and what is done another way on them.
    #[arg(long, conflicts_with = "files")]
    pub device: bool,
    /// Print one JSON object on standard output, also after a failure.
    #[arg(long)]
    pub json: bool,
}

/// `ulna check`
#[derive(Debug, Args)]
#[command(after_help = STATUSES)]
pub struct CheckArgs {
    /// Files, and folders whose models are checked with all below them.
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Count warnings as faults: status 1 where one was found.
    #[arg(long)]
    pub strict: bool,
    /// Leave findings of these codes out, separated by commas.
    #[arg(long, value_name = "CODE", value_delimiter = ',')]
    pub allow: Vec<String>,
    /// List findings of these codes only, separated by commas.
    #[arg(long, value_name = "CODE", value_delimiter = ',')]
    pub only: Vec<String>,
    /// Make findings of these codes errors, separated by commas.
    #[arg(long, value_name = "CODE", value_delimiter = ',')]
    pub deny: Vec<String>,
    /// Fix what can be fixed in one file, and save it; needs -o.
    #[arg(long, requires = "output")]
    pub fix: bool,
    /// The fixed file.
    #[arg(short, long, requires = "fix")]
    pub output: Option<PathBuf>,
    /// How the result is printed.
    #[command(flatten)]
    pub out: Out,
}

/// `ulna run`
#[derive(Debug, Args)]
pub struct RunArgs {
    /// The script; `-` is standard input.
    pub script: PathBuf,
    /// The files to change.
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// The file to save; or a folder, in which each file keeps its name.
    #[arg(short, long)]
    pub output: PathBuf,
    /// Do not store the rest of posed nodes in their extras.
    #[arg(long)]
    pub no_rest_extras: bool,
    /// Do not keep the file that is replaced as `FILE~`, where the output is the file itself.
    #[arg(long)]
    pub no_backup: bool,
    /// How the result is printed.
    #[command(flatten)]
    pub out: Out,
}

/// `ulna convert`
#[derive(Debug, Args)]
pub struct ConvertArgs {
    /// The files.
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// The file to save; or a folder, in which each file keeps its name.
    #[arg(short, long)]
    pub output: PathBuf,
    /// Ending of the files in a folder.
    #[arg(long, value_parser = ["glb", "gltf"], default_value = "glb")]
    pub to: String,
    /// How a file of another format is read.
    #[command(flatten)]
    pub taken: ConversionArgs,
    /// How the result is printed.
    #[command(flatten)]
    pub out: Out,
}

/// `ulna export`
#[derive(Debug, Args)]
pub struct ExportArgs {
    /// The file.
    pub file: PathBuf,
    /// The file to write, or with --each the folder.
    #[arg(short, long)]
    pub output: PathBuf,
    /// Clips to keep, by name, #index or a pattern with *, separated by commas.
    #[arg(long, value_delimiter = ',')]
    pub clips: Option<Vec<String>>,
    /// Leave out meshes, materials and images.
    #[arg(long)]
    pub skeleton_only: bool,
    /// Write one file per clip, named after it; the output is their folder.
    #[arg(long)]
    pub each: bool,
    /// With --each: the names of the files, with {clip} and {number} in them.
    #[arg(long, requires = "each")]
    pub names: Option<String>,
    /// Resample the keys to this many frames per second.
    #[arg(long, value_name = "FPS")]
    pub rate: Option<f64>,
    /// A script of commands to apply first.
    #[arg(long)]
    pub script: Option<PathBuf>,
    /// How the result is printed.
    #[command(flatten)]
    pub out: Out,
}

/// `ulna diff`
#[derive(Debug, Args)]
pub struct DiffArgs {
    /// The file before.
    #[arg(required_unless_present = "text")]
    pub a: Option<PathBuf>,
    /// The file after.
    #[arg(required_unless_present = "text")]
    pub b: Option<PathBuf>,
    /// Arguments that git adds for an external diff: path, old file, its hash and mode, new file, its hash and mode.
    #[arg(hide = true)]
    pub git: Vec<PathBuf>,
    /// How the result is printed.
    #[command(flatten)]
    pub out: Out,
    /// Status 0 also where something differs.
    #[arg(long)]
    pub exit_zero: bool,
    /// Print one file as text, one fact per line, for git's textconv.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["a", "b", "json", "exit_zero"])]
    pub text: Option<PathBuf>,
}

/// Most pictures that one call makes: twenty minutes at thirty per second.
const MOST_FRAMES: i64 = 36_000;

/// A finite number of seconds.
fn seconds(text: &str) -> Result<f64, String> {
    let value: f64 = text.parse().map_err(|e| format!("{e}"))?;
    if value.is_finite() { Ok(value) } else { Err("a time is a finite number of seconds".into()) }
}

/// `ulna eval`
#[derive(Debug, Args)]
pub struct EvalArgs {
    /// The file.
    pub file: PathBuf,
    /// A clip's name or index, or `none` for the file's own pose; the first clip unless given.
    #[arg(long)]
    pub clip: Option<String>,
    /// A mix instead of a clip: a file with its JSON, or `kept` for the one in the file's extras.
    #[arg(long, value_name = "SPEC", conflicts_with = "clip")]
    pub mix: Option<PathBuf>,
    /// Time in seconds.
    #[arg(long, default_value_t = 0.0, value_parser = seconds, allow_hyphen_values = true)]
    pub time: f64,
    /// Interpolate rotations by the normalized sum (NLERP), as older players do, instead of on the sphere.
    #[arg(long)]
    pub nlerp: bool,
    /// What skins the vertices.
    #[arg(long, value_enum, default_value_t = Device::Cpu)]
    pub device: Device,
    /// The JSON file to write; standard output unless given.
    #[arg(short, long)]
    pub output: Option<PathBuf>,
    /// Print failures as JSON, too; the result always is.
    #[arg(long)]
    pub json: bool,
}

/// What skins the vertices.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Device {
    /// The reference loop on the processor.
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
    /// A mix instead of a clip: a file with its JSON, or `kept` for the one in the file's extras.
    #[arg(long, value_name = "SPEC", conflicts_with = "clip")]
    pub mix: Option<PathBuf>,
    /// Time in seconds.
    #[arg(long, default_value_t = 0.0, value_parser = seconds, allow_hyphen_values = true)]
    pub time: f64,
    /// Interpolate rotations by the normalized sum (NLERP), as older players do, instead of on the sphere.
    #[arg(long)]
    pub nlerp: bool,
    /// Width and height in pixels.
    #[arg(long, default_value = "1280x960")]
    pub size: String,
    /// Direction of the view.
    #[arg(long, value_enum, default_value_t = ViewFrom::ThreeQuarter)]
    pub view: ViewFrom,
    /// This many pictures over the clip: numbered files, or one animation for .gif.
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=MOST_FRAMES))]
    pub frames: Option<u32>,
    /// With --frames: all of them on one sheet.
    #[arg(long, requires = "frames")]
    pub sheet: bool,
    /// Transparent background; the ground is left out.
    #[arg(long)]
    pub transparent: bool,
    /// A scene's name or index, where the file has several.
    #[arg(long)]
    pub scene: Option<String>,
    /// Look through a camera of the file, instead of --view: its name, that of its node, or its index among those shown.
    #[arg(long)]
    pub camera: Option<String>,
    /// A variant of the materials, by name or index, where the file has some.
    #[arg(long)]
    pub variant: Option<String>,
    /// Use the file's own lights, where it has some.
    #[arg(long)]
    pub lights: bool,
    /// Draw the joints too; a file without surfaces always shows them.
    #[arg(long)]
    pub joints: bool,
    /// Leave the ground grid out.
    #[arg(long)]
    pub no_grid: bool,
    /// How surfaces are shown.
    #[arg(long, value_enum, default_value_t = ShadingArg::Textured)]
    pub shading: ShadingArg,
    /// Orthographic projection.
    #[arg(long)]
    pub orthographic: bool,
    /// Colors of this theme.
    #[arg(long, value_enum, default_value_t = ThemeArg::Dark)]
    pub theme: ThemeArg,
    /// How the result is printed.
    #[command(flatten)]
    pub out: Out,
}

/// How surfaces are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ShadingArg {
    /// With their materials.
    Textured,
    /// Matcap.
    Solid,
    /// Edges only.
    Wireframe,
    /// Transparent.
    #[value(name = "xray")]
    XRay,
}

/// Colors of a picture's background and joints.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ThemeArg {
    /// Dark.
    Dark,
    /// Light.
    Light,
}

/// Direction of the view of a picture.
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

/// How a file of another format is read.
#[derive(Clone, Debug, Args)]
pub struct ConversionArgs {
    /// Its up axis.
    #[arg(long, value_parser = ["y", "z", "x"])]
    pub up: Option<String>,
    /// Its unit: m, cm, mm, inch, or meters as a number; as it states or as is guessed unless given.
    #[arg(long)]
    pub unit: Option<String>,
    /// Its ticks or frames per second, in place of what it states.
    #[arg(long)]
    pub rate: Option<f64>,
    /// Height scale of height maps that become normal maps, in pixels.
    #[arg(long)]
    pub height: Option<f32>,
}
