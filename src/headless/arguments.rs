//! The arguments of the command line.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

/// Help text about exit statuses and JSON output.
const STATUSES: &str = "Exit status: 0 success; 1 problems or differences were found, or the \
    command failed; 2 invalid arguments, or a file cannot be opened.\nWith --json, standard output \
    is one JSON object, also after a failure; see docs/json.md.";

/// Pose, key and paint rigged glTF models, and save them with nothing else changed.
#[derive(Debug, Parser)]
#[command(name = "ulna", version, args_conflicts_with_subcommands = true, after_help = STATUSES)]
pub struct Cli {
    /// File to open in the editor.
    pub file: Option<PathBuf>,
    /// Graphics device for this run, by any part of its name or backend; `ulna info --device` lists
    /// the devices.
    #[arg(long, value_name = "NAME")]
    pub adapter: Option<String>,
    /// Command that runs without a window.
    #[command(subcommand)]
    pub verb: Option<Verb>,
}

/// Commands that run without a window.
#[derive(Debug, Subcommand)]
pub enum Verb {
    /// Prints the contents of files, or the available graphics devices.
    #[command(after_help = STATUSES)]
    Info(InfoArgs),
    /// Lists the problems in files. The exit status is 1 if there are errors (with --strict also
    /// for warnings), and 2 if a file cannot be opened.
    Check(CheckArgs),
    /// Lists the worst skin deformations over all clips and a generated range of motion.
    #[command(after_help = STATUSES)]
    Worst {
        /// Input file.
        file: PathBuf,
        /// Number of deformations to list.
        #[arg(long, default_value_t = 10)]
        count: usize,
        /// Search only the clips, without the generated range of motion.
        #[arg(long)]
        no_range: bool,
        /// Output options.
        #[command(flatten)]
        out: Out,
    },
    /// Exports skin weights as JSON, or as XML in the format of Maya's deformerWeights.
    #[command(after_help = STATUSES)]
    Weights {
        /// Input file.
        file: PathBuf,
        /// Output file; its extension, .json or .xml, sets the format.
        #[arg(short, long)]
        output: PathBuf,
        /// Export only this mesh, by name or #index.
        #[arg(long)]
        mesh: Option<String>,
        /// Output options.
        #[command(flatten)]
        out: Out,
    },
    /// Lists the best transition points between clips, the smallest jump first.
    Seams {
        /// Input file.
        file: PathBuf,
        /// Output options.
        #[command(flatten)]
        out: Out,
    },
    /// Evaluates a pose and prints node matrices, skin matrices and vertices as JSON.
    Eval(EvalArgs),
    /// Lists all script commands with their arguments and choices.
    Commands {
        /// Print one JSON object to standard output.
        #[arg(long)]
        json: bool,
    },
    /// Applies a script of commands, one JSON object per line, and saves the result.
    #[command(after_help = STATUSES)]
    Run(RunArgs),
    /// Converts files between .glb and .gltf, and other formats to glTF. Without a change of
    /// format, the bytes stay the same.
    #[command(after_help = STATUSES)]
    Convert(ConvertArgs),
    /// Exports some or all clips with the model or with only the skeleton.
    #[command(after_help = STATUSES)]
    Export(ExportArgs),
    /// Retargets clips to other models by a map of joint chains. Feet stay in place during ground
    /// contacts.
    #[command(after_help = STATUSES)]
    Retarget(RetargetArgs),
    /// Lists differences in content between two files. The exit status is 1 if there are any.
    #[command(after_help = STATUSES)]
    Diff(DiffArgs),
    /// Renders images of a file.
    #[command(after_help = STATUSES)]
    Render(RenderArgs),
}

impl Verb {
    /// Name of the verb, as typed on the command line.
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
            Self::Retarget(_) => "retarget",
            Self::Diff(_) => "diff",
            Self::Render(_) => "render",
        }
    }

    /// True if the result is printed as one JSON object.
    pub const fn is_json(&self) -> bool {
        match self {
            Self::Info(args) => args.json,
            Self::Check(args) => args.out.json,
            Self::Run(args) => args.out.json,
            Self::Convert(args) => args.out.json,
            Self::Export(args) => args.out.json,
            Self::Retarget(args) => args.out.json,
            Self::Diff(args) => args.out.json,
            Self::Render(args) => args.out.json,
            Self::Eval(args) => args.json,
            Self::Worst { out, .. } | Self::Weights { out, .. } | Self::Seams { out, .. } => {
                out.json
            }
            Self::Commands { json } => *json,
        }
    }
}

/// Options for printing results.
#[derive(Clone, Copy, Debug, Default, Args)]
pub struct Out {
    /// Print one JSON object to standard output, also after a failure.
    #[arg(long)]
    pub json: bool,
    /// Print only errors.
    #[arg(short, long)]
    pub quiet: bool,
}

impl Out {
    /// True if messages are printed as text.
    pub const fn is_text(self) -> bool {
        !self.json && !self.quiet
    }
}

/// Arguments of `ulna info`.
#[derive(Debug, Args)]
pub struct InfoArgs {
    /// Files and folders; folders are searched for models, including subfolders.
    #[arg(required_unless_present = "device", value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// List the graphics devices with their limits and restrictions; the device in use comes first.
    #[arg(long, conflicts_with = "files")]
    pub device: bool,
    /// Print one JSON object to standard output, also after a failure.
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `ulna check`.
#[derive(Debug, Args)]
#[command(after_help = STATUSES)]
pub struct CheckArgs {
    /// Files and folders; folders are searched for models, including subfolders.
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Treat warnings as errors: exit status 1 if there are any.
    #[arg(long)]
    pub strict: bool,
    /// Ignore findings with these codes, separated by commas.
    #[arg(long, value_name = "CODE", value_delimiter = ',')]
    pub allow: Vec<String>,
    /// List only findings with these codes, separated by commas.
    #[arg(long, value_name = "CODE", value_delimiter = ',')]
    pub only: Vec<String>,
    /// Treat findings with these codes, separated by commas, as errors.
    #[arg(long, value_name = "CODE", value_delimiter = ',')]
    pub deny: Vec<String>,
    /// Fix all fixable problems of one file and save the result; needs -o.
    #[arg(long, requires = "output")]
    pub fix: bool,
    /// Output path of the fixed file.
    #[arg(short, long, requires = "fix")]
    pub output: Option<PathBuf>,
    /// Output options.
    #[command(flatten)]
    pub out: Out,
}

/// Arguments of `ulna run`.
#[derive(Debug, Args)]
pub struct RunArgs {
    /// Script file; `-` reads standard input.
    pub script: PathBuf,
    /// Files to edit.
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Output file, or a folder in which each file keeps its name.
    #[arg(short, long)]
    pub output: PathBuf,
    /// Do not store the rest pose of posed nodes in the glTF extras of these nodes.
    #[arg(long)]
    pub no_rest_extras: bool,
    /// Do not keep a backup `FILE~` when the output replaces the input file.
    #[arg(long)]
    pub no_backup: bool,
    /// Output options.
    #[command(flatten)]
    pub out: Out,
}

/// Arguments of `ulna convert`.
#[derive(Debug, Args)]
pub struct ConvertArgs {
    /// Input files.
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Output file, or a folder in which each file keeps its name.
    #[arg(short, long)]
    pub output: PathBuf,
    /// Format of the files written to a folder.
    #[arg(long, value_parser = ["glb", "gltf"], default_value = "glb")]
    pub to: String,
    /// Import options of other formats.
    #[command(flatten)]
    pub taken: ConversionArgs,
    /// Output options.
    #[command(flatten)]
    pub out: Out,
}

/// Arguments of `ulna export`.
#[derive(Debug, Args)]
pub struct ExportArgs {
    /// Input file.
    pub file: PathBuf,
    /// Output file; with --each, the output folder.
    #[arg(short, long)]
    pub output: PathBuf,
    /// Clips to keep, by name, #index or a pattern with *, separated by commas.
    #[arg(long, value_delimiter = ',')]
    pub clips: Option<Vec<String>>,
    /// Export without meshes, materials and images.
    #[arg(long)]
    pub skeleton_only: bool,
    /// Write one file per clip, named after the clip, into the output folder.
    #[arg(long)]
    pub each: bool,
    /// With --each: pattern of the file names, in which {clip} and {number} stand for the name and
    /// the number of the clip.
    #[arg(long, requires = "each")]
    pub names: Option<String>,
    /// Resample the keys to this many frames per second.
    #[arg(long, value_name = "FPS")]
    pub rate: Option<f64>,
    /// Script of commands to apply before the export.
    #[arg(long)]
    pub script: Option<PathBuf>,
    /// Output options.
    #[command(flatten)]
    pub out: Out,
}

/// Arguments of `ulna retarget`.
#[derive(Debug, Args)]
pub struct RetargetArgs {
    /// Files with clips, folders, or patterns such as 'walks/*.fbx'.
    #[arg(long, required = true, num_args = 1.., value_name = "FILE")]
    pub from: Vec<PathBuf>,
    /// Models that receive the clips: files, folders, or patterns such as '*.glb'.
    #[arg(long, required = true, num_args = 1.., value_name = "FILE")]
    pub to: Vec<PathBuf>,
    /// Output file, or a folder in which each model keeps its name.
    #[arg(short, long)]
    pub output: PathBuf,
    /// Retarget map, a JSON file. If omitted, a fitting map stored in the model, or a guessed map.
    #[arg(long, value_name = "FILE")]
    pub map: Option<PathBuf>,
    /// Write the retarget map that was used to this JSON file; for one source and one model.
    #[arg(long, value_name = "FILE")]
    pub write_map: Option<PathBuf>,
    /// Save the retarget map in the models.
    #[arg(long)]
    pub keep_map: bool,
    /// Pattern of the names of clips to retarget, such as 'Walk*'; all clips if omitted.
    #[arg(long, value_name = "PATTERN")]
    pub only: Option<String>,
    /// Action if a clip name already exists; a number is added to the name if omitted.
    #[arg(long, value_parser = ["number", "replace", "skip"])]
    pub taken: Option<String>,
    /// Do not keep feet in place during ground contacts.
    #[arg(long)]
    pub no_contacts: bool,
    /// Factor of the travel distance over the ground; taken from the map if omitted.
    #[arg(long, value_name = "FACTOR", value_parser = factor)]
    pub stride: Option<f32>,
    /// Keys of the clips: as in the source, one per frame, or reduced.
    #[arg(long, value_name = "KEYS", default_value = "source",
        value_parser = ["source", "frames", "reduced"])]
    pub keys: String,
    /// Maximum error of reduced keys, in millimeters for a body 1.8 m tall; 0.5 if omitted.
    #[arg(long, value_name = "MM", value_parser = factor)]
    pub tolerance: Option<f32>,
    /// Ignore joints of the map that a model does not have.
    #[arg(long, requires = "map")]
    pub force: bool,
    /// Do not keep a backup `FILE~` when the output replaces the input file.
    #[arg(long)]
    pub no_backup: bool,
    /// Output options.
    #[command(flatten)]
    pub out: Out,
}

/// Parses a factor greater than 0.
fn factor(text: &str) -> Result<f32, String> {
    let value: f32 = text.parse().map_err(|e| format!("{e}"))?;
    let is_valid = value.is_finite() && value > 0.0;
    if is_valid { Ok(value) } else { Err("a factor is a number greater than 0".into()) }
}

/// Arguments of `ulna diff`.
#[derive(Debug, Args)]
pub struct DiffArgs {
    /// Old file.
    #[arg(required_unless_present = "text")]
    pub a: Option<PathBuf>,
    /// New file.
    #[arg(required_unless_present = "text")]
    pub b: Option<PathBuf>,
    /// Arguments that git adds for an external diff: path, old file, its hash and mode, new file,
    /// its hash and mode.
    #[arg(hide = true)]
    pub git: Vec<PathBuf>,
    /// Output options.
    #[command(flatten)]
    pub out: Out,
    /// Exit with status 0 even if the files differ.
    #[arg(long)]
    pub exit_zero: bool,
    /// Print one file as text, one fact per line, for git's textconv.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["a", "b", "json", "exit_zero"])]
    pub text: Option<PathBuf>,
}

/// Maximum number of rendered images: twenty minutes at 30 frames per second.
const MOST_FRAMES: i64 = 36_000;

/// Parses a finite number of seconds.
fn seconds(text: &str) -> Result<f64, String> {
    let value: f64 = text.parse().map_err(|e| format!("{e}"))?;
    if value.is_finite() { Ok(value) } else { Err("a time is a finite number of seconds".into()) }
}

/// Time of a clip or mix.
#[derive(Debug, Args)]
pub struct MomentArgs {
    /// Mix to play instead of a clip: a JSON file, or `kept` for the mix that is saved in the file.
    #[arg(long, value_name = "SPEC", conflicts_with = "clip")]
    pub mix: Option<PathBuf>,
    /// Time in seconds.
    #[arg(long, default_value_t = 0.0, value_parser = seconds, allow_hyphen_values = true)]
    pub time: f64,
    /// Interpolate rotations with NLERP, as older players do, instead of SLERP.
    #[arg(long)]
    pub nlerp: bool,
}

/// Arguments of `ulna eval`.
#[derive(Debug, Args)]
pub struct EvalArgs {
    /// Input file.
    pub file: PathBuf,
    /// Clip, by name or index, or `none` for the file's own pose; the first clip if omitted.
    #[arg(long)]
    pub clip: Option<String>,
    /// Time to evaluate.
    #[command(flatten)]
    pub moment: MomentArgs,
    /// Device that skins the vertices: the CPU or the GPU.
    #[arg(long, value_enum, default_value_t = Device::Cpu)]
    pub device: Device,
    /// JSON file to write; standard output if omitted.
    #[arg(short, long)]
    pub output: Option<PathBuf>,
    /// Also print failures as JSON; the result is always JSON.
    #[arg(long)]
    pub json: bool,
}

/// Device that skins the vertices: the CPU or the GPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Device {
    /// CPU, with the reference implementation.
    Cpu,
    /// GPU, with the compute pass of the viewport.
    Gpu,
}

/// Arguments of `ulna render`.
#[derive(Debug, Args)]
pub struct RenderArgs {
    /// Input file.
    pub file: PathBuf,
    /// Output image: .png, or .gif with --frames.
    #[arg(short, long)]
    pub output: PathBuf,
    /// Graphics device, by any part of its name or backend; `ulna info --device` lists the devices.
    #[arg(long, value_name = "NAME")]
    pub adapter: Option<String>,
    /// Clip, by name or index, or `none`; the file's own pose if omitted.
    #[arg(long)]
    pub clip: Option<String>,
    /// Time to evaluate.
    #[command(flatten)]
    pub moment: MomentArgs,
    /// Width and height in pixels, such as 1280x960.
    #[arg(long, default_value = "1280x960")]
    pub size: String,
    /// Direction of the view.
    #[arg(long, value_enum, default_value_t = ViewFrom::ThreeQuarter)]
    pub view: ViewFrom,
    /// Number of images over the clip: numbered .png files, or one animated .gif.
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=MOST_FRAMES))]
    pub frames: Option<u32>,
    /// With --frames: put all images on one contact sheet.
    #[arg(long, requires = "frames")]
    pub sheet: bool,
    /// Transparent background, without the ground grid.
    #[arg(long)]
    pub transparent: bool,
    /// Scene to render, by name or index.
    #[arg(long)]
    pub scene: Option<String>,
    /// Camera of the file to use instead of --view: its name, its node's name, or its index among
    /// the visible cameras.
    #[arg(long)]
    pub camera: Option<String>,
    /// Material variant, by name or index.
    #[arg(long)]
    pub variant: Option<String>,
    /// Use the lights of the file.
    #[arg(long)]
    pub lights: bool,
    /// Draw the joints; files without meshes always show them.
    #[arg(long)]
    pub joints: bool,
    /// Hide the ground grid.
    #[arg(long)]
    pub no_grid: bool,
    /// Surface shading.
    #[arg(long, value_enum, default_value_t = ShadingArg::Textured)]
    pub shading: ShadingArg,
    /// Orthographic projection.
    #[arg(long)]
    pub orthographic: bool,
    /// Color theme of the background and joints.
    #[arg(long, value_enum, default_value_t = ThemeArg::Dark)]
    pub theme: ThemeArg,
    /// Output options.
    #[command(flatten)]
    pub out: Out,
}

/// Surface shading.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ShadingArg {
    /// Materials and textures.
    Textured,
    /// One plain material (matcap).
    Solid,
    /// Edges only.
    Wireframe,
    /// Transparent surfaces.
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
    /// From the front (along −Z).
    Front,
    /// From the side (along −X).
    Side,
    /// From the back (along +Z).
    Back,
    /// From above.
    Top,
    /// From the front right and slightly above.
    ThreeQuarter,
}

/// Import options of other formats.
#[derive(Clone, Debug, Args)]
pub struct ConversionArgs {
    /// Up axis of the file.
    #[arg(long, value_parser = ["y", "z", "x"])]
    pub up: Option<String>,
    /// Unit of the file: m, cm, mm, inch, or a number of meters; taken from the file or estimated
    /// if omitted.
    #[arg(long)]
    pub unit: Option<String>,
    /// Ticks or frames per second, to override the rate in the file.
    #[arg(long)]
    pub rate: Option<f64>,
    /// Height scale in pixels for converting height maps to normal maps.
    #[arg(long)]
    pub height: Option<f32>,
    /// Direction that the model faces in the file.
    #[arg(long, allow_hyphen_values = true, value_parser = ["+x", "-x", "+y", "-y", "+z", "-z"])]
    pub front: Option<String>,
    /// Clips to import, by name or by number from 1 as `ulna info` lists them, separated by commas;
    /// all clips with motion if omitted.
    #[arg(long, value_delimiter = ',')]
    pub clips: Vec<String>,
    /// Content to leave out, separated by commas.
    #[arg(long, value_delimiter = ',', value_enum)]
    pub without: Vec<LeftOut>,
    /// Keep the start time of clips as in the file, instead of starting at 0.
    #[arg(long)]
    pub keep_offset: bool,
    /// Keep the scale and rotation of nodes above the skeleton.
    #[arg(long)]
    pub keep_armature: bool,
}

/// Content of an imported file that can be left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LeftOut {
    /// Meshes, with their skins, blend shapes and materials.
    Meshes,
    /// Blend shapes (morph targets).
    BlendShapes,
    /// Materials and textures.
    Materials,
    /// Cameras and lights.
    CamerasAndLights,
}
