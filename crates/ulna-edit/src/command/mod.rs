//! Commands: what a person does, as types. Each has its data, its words and its effect in the file
//! of its family.
//!
//! ```text
//!  menus, palette, keys ─► CommandSpec ─┐                ┌─► Document: Scene → edits → history
//!  panels, gestures ───────────────────►│ Command (enum) ├─► Session:  undo, redo, the file's pose
//!  scripts, journal ─► CommandLine ────►┘      │         └─► Host:     the window, or none
//!                            ▲                    │
//!                            └──── line() ◄───────┘
//! ```
//!
//! Text is at the edges alone. A line is one JSON object,
//! `{"do":"pose.rotate","node":"LeftArm","axis":"x","degrees":30}`. What was done to one file
//! replays on another, since nodes are named, not numbered: a command that was made by a program
//! names them by id, and is written with names.

mod arguments;
mod around;
mod blend;
mod clip_arrivals;
mod clip_layers;
mod clip_work;
mod clips;
mod define;
pub mod field;
pub mod forms;
mod hold_report;
mod host;
mod ik;
mod kept_poses;
mod key_edits;
mod keymap;
mod keys;
mod layers;
mod markers;
mod materials;
mod mirror_pose;
mod mixes;
mod morphs;
mod place;
mod pose;
mod pose_layers;
mod rules;
mod skins;
mod table;
mod upkeep;
mod vertex_terms;
mod visibility;
mod weights;
mod which_keys;

use std::{cell::OnceCell, fmt};

use serde::{
    Deserialize, Deserializer, Serialize,
    de::{Error as _, MapAccess, Visitor},
};
use serde_json::{Map, Value};
use thiserror::Error;

pub use self::layers::primitives_of;
use self::upkeep::keep_up;
pub use self::weights::vertex_query_error;
pub use self::weights::{joint_named, slots_line, uv_of};
pub use self::which_keys::{KeyList, TrackKeys, WhichKeys};
pub use self::{
    arguments::{ArgumentError, Arguments, clip_text, find_clip, find_clips, node_text, typed},
    around::{CommandContext, Filled, Unfilled},
    blend::{Blend, BlendCommand, Breakdown, PushPose, RelaxPose, ToRest, Toward},
    clip_arrivals::{ClipArrivalCommand, ClipTexts, PutClips, TakenName},
    clip_work::{
        ClipWorkCommand, CloseHow, CloseLoop, JoinClip, MakeEditable, MirrorClip, ReduceKeys,
        ResampleClip, RetimeClip, ReverseClip, RootMotion, SetRate, SetTicks, SplitClip,
        StartAtZero, TravelGoes, TrimClip, frame_of, seam_in_words, travel_in_words,
    },
    clips::{
        AtEnd, ClipCommand, DeleteClip, DuplicateClip, LoopClip, NewClip, RenameClip, RenameNode,
        RenameNodes, free_clip_name,
    },
    host::{
        BrushCommand, FileCommand, KeysHow, ModeCommand, PlayCommand, SelectCommand,
        SessionCommand, TimelineCommand, ToolCommand, VertexCommand, ViewCommand,
    },
    ik::{Body, ClearPins, DragLimb, EndAngle, HoldPin, IkCommand, LookAt, PinKind, SetPin},
    kept_poses::{
        ApplyPose, ForgetPose, KeepPose, KeepSet, KeptPoseCommand, PoseReach, RenameKept,
        kept_poses, kept_sets, pose_text, read_pose,
    },
    key_edits::{
        Between, ChangeKeys, CleanKeys, DeleteKeys, DuplicateKeys, HoldKeys, KINDS, KeyEditCommand,
        KindName, MoveKeys, OffsetKeys, PasteKeys, RippleKeys, ScaleKeys, SetInterpolation,
        SetKeyKind, SetTangents, ShiftKeys, Through, ValueAbout, ValueHow, copied_keys,
    },
    keymap::{KeyMap, KeyScope, Preset, key_parts},
    keys::{DiscardUnkeyed, KeyCommand, SetKey, SetUnkeyed, what_is_keyed},
    layers::{
        AddLayer, BASE, ClearLayer, FlattenLayers, KeepWeightLayers, LayerCommand, LayerOpacity,
        MaskLayer, MergeLayer, MirrorLayer, MoveLayer, PaintLayer, RemoveLayer, RenameLayer,
        ShowLayer, SoloWeightLayer, SplitWeightLayer, layer_for, layer_text, paint_into,
    },
    markers::{AddMarker, Color, MarkerCommand, MoveMarker, RemoveMarker, SetMarker},
    materials::{HeightToNormal, MaterialCommand},
    mirror_pose::{FlipPose, MirrorCommand, MirrorPose},
    mixes::{
        BakeMix, ClearMix, EnterHow, GoTo, GoWhen, KeepMix, MarkFootfalls, MixCommand, MixText,
        NamedMix, PlayOver, SetMix, found_mix, gone_of_kept_mix, is_mix_kept, is_mix_loose,
        jumps_in_words, mix_of, mix_rate, named_mix, read_mix,
    },
    morphs::{HoldMorph, KeyMorphs, MorphCommand, ResetMorphs, SetMorph},
    place::{Children, Place, PoseDestination, Wanted},
    pose::{
        Move, PoseCommand, Reset, ResetAll, ResetRotation, ResetScale, ResetTranslation, Resize,
        Rotate, Scale, SetLocal, SetUser, SetWorld, Shift, Turn, free_of_matrices, pose_at,
    },
    pose_layers::{
        ClearInLayer, ClipList, CopyLayer, DuplicateLayer, ExtractLayer, FoldLayers, InvertLayer,
        KeepLayers, KeysOfLayer, LayerKeysCommand, LayerName, LayerOf, LayerStrength,
        LayerStrengthKeys, MaskPoseLayer, MergeLayerDown, MovePoseLayer, MuteLayer, NewLayer,
        PoseLayerCommand, Region, RemovePoseLayer, RenamePoseLayer, SetInLayer, SoloLayer,
        SplitLayer, StrengthGoes, ZeroKey, layer_as_clip, pose_layer_text,
    },
    skins::{BindSkin, BoundShape, CreateSkin, SkinCommand},
    table::{find, renamed, table},
    visibility::{SetVisibility, VisibilityCommand},
    weights::{
        Along, Assign, Average, Bind, Flood, Gradient, Hammer, Limit, MergeJoints, MirrorWeights,
        Normalize, PairJoints, Prune, Quantize, Relax, SetWeights, Sets, Smooth, Store, SwapJoints,
        Touch, Transfer, WeightCommand, mesh_label, mesh_text, meshes_of_body, skin_of,
    },
};
pub(super) use self::{layers::lines_of, weights::line_of};
use super::{Edit, EditError, near::did_you_mean};
use ulna_model::{ClipId, Document, KeySet, Notice, PoseLayerId, TransformError};
use ulna_motion::{Pose, RecentPoses, Space, Stack};

/// A command with its arguments.
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    /// A pure function of the document.
    Document(DocumentCommand),
    /// The open file's: history, the file's own pose.
    Session(SessionCommand),
    /// The program's around it: windows, files, playback.
    Host(HostCommand),
}

/// Carries out what is not the document's: the window, or a script's run, which has none.
pub trait Host {
    /// Why something is not done.
    type Refusal;

    /// Files, and the window around them.
    ///
    /// # Errors
    /// Where the host does no such thing; so do all others.
    fn file(&mut self, command: &FileCommand) -> Result<(), Self::Refusal>;
    /// The selection.
    fn select(&mut self, command: &SelectCommand) -> Result<(), Self::Refusal>;
    /// Modes, and poses on the clipboard.
    fn mode(&mut self, command: &ModeCommand) -> Result<(), Self::Refusal>;
    /// The pointer's tool.
    fn tool(&mut self, command: &ToolCommand) -> Result<(), Self::Refusal>;
    /// The view.
    fn view(&mut self, command: &ViewCommand) -> Result<(), Self::Refusal>;
    /// The playhead.
    fn play(&mut self, command: &PlayCommand) -> Result<(), Self::Refusal>;
    /// Keys on the timeline.
    fn timeline(&mut self, command: &TimelineCommand) -> Result<(), Self::Refusal>;
    /// The brush.
    fn brush(&mut self, command: &BrushCommand) -> Result<(), Self::Refusal>;
    /// The selection of vertices.
    fn vertices(&mut self, command: &VertexCommand) -> Result<(), Self::Refusal>;
}

impl HostCommand {
    /// Has a host carry it out.
    ///
    /// # Errors
    /// Where the host does no such thing.
    pub fn carry_out<H: Host>(&self, host: &mut H) -> Result<(), H::Refusal> {
        match self {
            Self::File(command) => host.file(command),
            Self::Select(command) => host.select(command),
            Self::Mode(command) => host.mode(command),
            Self::Tool(command) => host.tool(command),
            Self::View(command) => host.view(command),
            Self::Play(command) => host.play(command),
            Self::Timeline(command) => host.timeline(command),
            Self::Brush(command) => host.brush(command),
            Self::Vertices(command) => host.vertices(command),
        }
    }
}

/// Puts the families of an enum together.
macro_rules! families {
    ($(#[$about:meta])* $all:ident {
        $($(#[$words:meta])* $variant:ident($family:ident)),* $(,)? }) => {
        $(#[$about])*
        #[derive(Clone, Debug, PartialEq)]
        pub enum $all {
            $($(#[$words])* $variant($family),)*
        }

        impl $all {
            fn specs() -> Vec<CommandSpec> {
                [$($family::specs()),*].concat()
            }

            fn line(&self, document: &Document) -> CommandLine {
                match self {
                    $(Self::$variant(command) => command.line(document),)*
                }
            }

            fn spec(&self) -> &'static CommandSpec {
                match self {
                    $(Self::$variant(command) => command.spec(),)*
                }
            }
        }
    };
}

families! {
    /// A command on the document.
    DocumentCommand {
        /// Posing.
        Pose(PoseCommand),
        /// Keys, and poses without them.
        Key(KeyCommand),
        /// Keys that are there.
        KeyEdit(KeyEditCommand),
        /// Morph targets.
        Morph(MorphCommand),
        /// Markers.
        Marker(MarkerCommand),
        /// Mirrored poses.
        Mirror(MirrorCommand),
        /// Limbs that are put somewhere, and pins.
        Ik(IkCommand),
        /// Poses nearer to others.
        Blend(BlendCommand),
        /// Poses that are kept.
        Kept(KeptPoseCommand),
        /// Whole clips, and names.
        Clip(ClipCommand),
        /// What is done to a whole clip.
        ClipWork(ClipWorkCommand),
        /// Clips that come from elsewhere.
        ClipArrival(ClipArrivalCommand),
        /// Clips on lanes.
        Mix(MixCommand),
        /// Weights.
        Weight(WeightCommand),
        /// Weight layers.
        Layer(LayerCommand),
        /// Layers of user-local transforms.
        PoseLayer(PoseLayerCommand),
        /// Keys of such layers.
        LayerKeys(LayerKeysCommand),
        /// Skins.
        Skin(SkinCommand),
        /// Materials.
        Material(MaterialCommand),
        /// The visibility of nodes.
        Visibility(VisibilityCommand),
    }
}

families! {
    /// A command of the program around the document.
    HostCommand {
        /// Files, and the window.
        File(FileCommand),
        /// The selection.
        Select(SelectCommand),
        /// Modes, and poses on the clipboard.
        Mode(ModeCommand),
        /// The pointer's tool.
        Tool(ToolCommand),
        /// The view.
        View(ViewCommand),
        /// The playhead.
        Play(PlayCommand),
        /// Keys on the timeline.
        Timeline(TimelineCommand),
        /// The brush.
        Brush(BrushCommand),
        /// The selection of vertices.
        Vertices(VertexCommand),
    }
}

/// Families of the document, as commands.
macro_rules! of_document {
    ($($family:ident as $variant:ident),*) => {
        $(impl From<$family> for Command {
            fn from(command: $family) -> Self {
                Self::Document(DocumentCommand::$variant(command))
            }
        })*
    };
}

of_document!(
    PoseCommand as Pose,
    KeyCommand as Key,
    KeyEditCommand as KeyEdit,
    MorphCommand as Morph,
    ClipCommand as Clip,
    ClipWorkCommand as ClipWork,
    ClipArrivalCommand as ClipArrival,
    MixCommand as Mix,
    MarkerCommand as Marker,
    MirrorCommand as Mirror,
    IkCommand as Ik,
    BlendCommand as Blend,
    KeptPoseCommand as Kept,
    WeightCommand as Weight,
    LayerCommand as Layer,
    PoseLayerCommand as PoseLayer,
    LayerKeysCommand as LayerKeys,
    SkinCommand as Skin,
    MaterialCommand as Material,
    VisibilityCommand as Visibility
);

impl DocumentCommand {
    /// Whether it poses nodes, or keys what is seen of them.
    pub const fn poses(&self) -> bool {
        matches!(
            self,
            Self::Pose(_)
                | Self::Key(_)
                | Self::Morph(_)
                | Self::Mirror(_)
                | Self::Ik(_)
                | Self::Blend(_)
                | Self::LayerKeys(_)
                | Self::Kept(KeptPoseCommand::ApplyPose(_) | KeptPoseCommand::KeepPose(_))
        )
    }

    /// The components that it gives nodes, of those commands that tools give while something is
    /// dragged; none of others.
    ///
    /// # Errors
    /// As the command.
    pub fn wanted(&self, scene: &Scene<'_>) -> Result<Wanted, CommandError> {
        match self {
            Self::Pose(command) => command.wanted(scene),
            Self::Ik(command) => command.wanted(scene),
            Self::Kept(command) => command.wanted(scene),
            _ => Ok(Wanted::new()),
        }
    }

    /// Whether it says itself how many frames a second its clips have.
    const fn brings_rate(&self) -> bool {
        match self {
            Self::ClipWork(command) => command.sets_rate(),
            Self::ClipArrival(_) | Self::Mix(_) => true,
            _ => false,
        }
    }

    /// What it comes to; not applied.
    ///
    /// # Errors
    /// Where it cannot be done, as a sentence.
    pub fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let mut done = match self {
            Self::Pose(command) => command.work(scene),
            Self::Key(command) => command.work(scene),
            Self::KeyEdit(command) => command.work(scene),
            Self::Morph(command) => command.work(scene),
            Self::Clip(command) => command.work(scene),
            Self::ClipWork(command) => command.work(scene),
            Self::ClipArrival(command) => command.work(scene),
            Self::Mix(command) => command.work(scene),
            Self::Marker(command) => command.work(scene),
            Self::Visibility(command) => command.work(scene),
            Self::Mirror(command) => command.work(scene),
            Self::Ik(command) => command.work(scene),
            Self::Blend(command) => command.work(scene),
            Self::Kept(command) => command.work(scene),
            Self::Weight(command) => command.work(scene),
            Self::Layer(command) => command.work(scene),
            Self::PoseLayer(command) => command.work(scene),
            Self::LayerKeys(command) => command.work(scene),
            Self::Skin(command) => command.work(scene),
            Self::Material(command) => command.work(scene),
        }?;
        keep_up(scene.document, &mut done, !self.brings_rate());
        free_of_matrices(scene.document, &mut done);
        Ok(done)
    }
}

impl Command {
    /// The pose layer whose keys the command edits; `None` for the keys of a clip itself.
    pub fn keys_layer(&self, document: &Document) -> Option<PoseLayerId> {
        match self {
            Self::Document(DocumentCommand::LayerKeys(command)) => command.layer_of(document),
            _ => None,
        }
    }

    /// Whether it may take longer than a window can wait: it is worked out beside it then.
    pub fn takes_long(&self, document: &Document) -> bool {
        /// Poses of a node, or keys.
        const MANY: usize = 100_000;
        match self {
            Self::Document(DocumentCommand::Mix(MixCommand::BakeMix(bake))) => {
                bake.samples(document) > MANY as f64
            }
            Self::Document(DocumentCommand::ClipWork(work)) => work.weighed(document) > MANY,
            _ => false,
        }
    }

    /// The command that a line means.
    ///
    /// # Errors
    /// Where there is none of that name, or its arguments are missing or of another type. What they
    /// name is looked for when it is carried out.
    pub fn read(line: &CommandLine) -> Result<Self, CommandError> {
        let unknown = || {
            let near = did_you_mean(&line.name, table().iter().map(|spec| spec.name));
            CommandError::Unknown { name: line.name.clone(), near }
        };
        let spec = find(&line.name).ok_or_else(unknown)?;
        let arguments = Arguments::new(line, spec)?;
        let command = (spec.read)(&arguments)?;
        if !table::is_of_keys(spec) || !arguments.has("layer") {
            return Ok(command);
        }
        let layer = <LayerName as field::Field>::read(&arguments, "layer")?;
        Ok(match command {
            Self::Document(DocumentCommand::Key(command)) => {
                LayerKeysCommand { layer, command: KeysOfLayer::Key(command) }.into()
            }
            Self::Document(DocumentCommand::KeyEdit(command)) => {
                LayerKeysCommand { layer, command: KeysOfLayer::Edit(command) }.into()
            }
            other => other,
        })
    }

    /// What of the weights it may touch, to be narrowed down; nothing where it is not about what is
    /// painted.
    pub fn touch(&mut self) -> Option<Touch<'_>> {
        match self {
            Self::Document(DocumentCommand::Weight(command)) => command.touch(),
            Self::Document(DocumentCommand::Layer(LayerCommand::MaskLayer(command))) => {
                Some(command.touch())
            }
            _ => None,
        }
    }

    /// Its entry of the table.
    pub fn spec(&self) -> &'static CommandSpec {
        match self {
            Self::Document(command) => command.spec(),
            Self::Session(command) => command.spec(),
            Self::Host(command) => command.spec(),
        }
    }

    /// Its text form: what it names by ids has the names of this document.
    pub fn line(&self, document: &Document) -> CommandLine {
        match self {
            Self::Document(command) => command.line(document),
            Self::Session(command) => command.line(document),
            Self::Host(command) => command.line(document),
        }
    }
}

/// What commands on the document work on.
#[derive(Debug)]
pub struct Scene<'a> {
    /// The document.
    pub document: &'a Document,
    pose: OnceCell<Pose>,
    recent: Option<&'a RecentPoses>,
}

impl<'a> Scene<'a> {
    /// A document, with its own pose.
    pub const fn new(document: &'a Document) -> Self {
        Self { document, pose: OnceCell::new(), recent: None }
    }

    /// The same of a gesture, which asks for the same poses again and again.
    pub const fn during(document: &'a Document, recent: &'a RecentPoses) -> Self {
        Self { document, pose: OnceCell::new(), recent: Some(recent) }
    }

    /// The pose that a stack makes of its nodes.
    pub fn evaluate(&self, stack: &Stack) -> Pose {
        self.recent.map_or_else(
            || Pose::evaluate(self.document, stack),
            |r| r.evaluate(self.document, stack),
        )
    }

    /// Its pose, evaluated once.
    pub fn pose(&self) -> &Pose {
        self.pose
            .get_or_init(|| Pose::evaluate(self.document, &Stack::shown(self.document, None, 0.0)))
    }
}

/// Which kind of work the window is set to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// The pose of the file; no clip is shown.
    #[default]
    Pose,
    /// A clip is shown and its keys are edited.
    Animate,
    /// Weights are painted, in whatever pose is shown.
    Paint,
}

/// What a rule of availability may look at.
#[derive(Clone, Copy, Debug, Default)]
pub struct Availability {
    /// A file is open.
    pub document: bool,
    /// How many nodes are selected.
    pub nodes: usize,
    /// How many keys are selected.
    pub keys: usize,
    /// The file has clips.
    pub clips: bool,
    /// The file has cameras.
    pub cameras: bool,
    /// The file has lights.
    pub lights: bool,
    /// The file has morph targets.
    pub morphs: bool,
    /// A clip is shown.
    pub clip_shown: bool,
    /// There is a step to undo.
    pub undo: bool,
    /// There is a step to redo.
    pub redo: bool,
    /// Something is not saved.
    pub unsaved: bool,
    /// There is a pose that is not keyed.
    pub unkeyed: bool,
    /// The file has weights.
    pub weights: bool,
    /// A mesh that hangs on a skin has no weights.
    pub bare: bool,
    /// There are weight layers.
    pub layers: bool,
    /// How many layers the shown clip has, or the pose.
    pub pose_layers: usize,
    /// There are layers of any clip, or of the pose.
    pub any_pose_layers: bool,
    /// The window is in Paint mode.
    pub painting: bool,
    /// A joint is chosen to be painted.
    pub joint: bool,
    /// How many vertices are selected.
    pub vertices: usize,
}

/// What a tool comes to.
#[derive(Debug, Default)]
pub struct Outcome {
    /// What is to be changed.
    pub edits: Vec<Edit>,
    /// What is to be said of it, as a sentence without its full stop: what it left as it was and
    /// why, what it replaced, what it could not keep. Nothing where it did just what was asked.
    pub notes: Vec<Notice>,
    /// Which keys of a clip are selected then; those that were unless said.
    pub keys: Option<(ClipId, KeySet)>,
}

impl Outcome {
    /// Nothing is changed; and why.
    fn noted(code: &'static str, message: impl Into<String>) -> Self {
        Self { notes: vec![Notice::new(code, message)], ..Self::default() }
    }
}

impl From<Vec<Edit>> for Outcome {
    fn from(edits: Vec<Edit>) -> Self {
        Self { edits, ..Self::default() }
    }
}

/// Who carries a command out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Executor {
    /// Nobody: it is a function of the document.
    Document,
    /// The open file.
    Session,
    /// The program around it.
    Host,
}

/// The type of an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ArgumentType {
    /// A name, a path `Hips/Spine`, `#index`, or a pattern with `*`.
    Node,
    /// A name or `#index`.
    Clip,
    /// A number.
    Number,
    /// Seconds.
    Seconds,
    /// Degrees.
    Degrees,
    /// Three numbers.
    Vector,
    /// One number for all axes, or three. In lists of commands it is a vector, which it can be.
    #[serde(rename = "vector")]
    Factor,
    /// Four numbers, `x y z w`.
    Quaternion,
    /// `x`, `y`, `z` or three numbers.
    Axis,
    /// `local`, `parent` or `world`.
    Space,
    /// Some of `translation`, `rotation`, `scale`.
    Parts,
    /// Text.
    Text,
    /// A file's path.
    Path,
    /// `true` or `false`.
    Flag,
    /// A mesh's name or `#index`.
    Mesh,
    /// Vertices of a primitive: `0-99, 120`.
    Vertices,
    /// Any number of numbers.
    Numbers,
    /// Times of keys, by nodes and their tracks.
    Keys,
    /// One of these words.
    Choice(&'static [&'static str]),
}

impl ArgumentType {
    /// The words that can stand there, where they are few.
    pub const fn choices(self) -> Option<&'static [&'static str]> {
        match self {
            Self::Choice(words) => Some(words),
            Self::Space => Some(&arguments::PLAIN_SPACES),
            Self::Flag => Some(&["true", "false"]),
            _ => None,
        }
    }

    /// What a person would begin with, where nothing that is selected or shown says it.
    pub const fn usual(self) -> Option<&'static str> {
        match self {
            Self::Axis => Some("x"),
            Self::Degrees => Some("15"),
            _ => None,
        }
    }

    /// What it looks like, for a field that is empty.
    pub const fn hint(self) -> &'static str {
        match self {
            Self::Node => "names, separated by commas",
            Self::Clip => "a clip name",
            Self::Number => "a number",
            Self::Seconds => "seconds",
            Self::Degrees => "degrees",
            Self::Vector => "three numbers",
            Self::Factor => "one or three numbers",
            Self::Quaternion => "four numbers, x y z w",
            Self::Axis => "x, y, z or three numbers",
            Self::Space => "local, parent or world",
            Self::Parts => "translation, rotation, scale",
            Self::Text => "text",
            Self::Path => "a path",
            Self::Flag => "true or false",
            Self::Mesh => "a mesh name",
            Self::Vertices => "such as 0-99, 120",
            Self::Numbers => "numbers, separated by commas",
            Self::Keys => "{\"Arm\": {\"rotation\": [0, 0.5]}}",
            Self::Choice(_) => "a choice",
        }
    }
}

/// One argument of a command.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct ArgumentSpec {
    /// Its name.
    pub name: &'static str,
    /// Its type.
    pub kind: ArgumentType,
    /// Whether the command needs it.
    pub required: bool,
    /// What it is, in a sentence.
    pub help: &'static str,
}

/// One entry of the table.
#[derive(Clone, Debug)]
pub struct CommandSpec {
    /// `pose.rotate`
    pub name: &'static str,
    /// The words on a button or in a menu.
    pub title: &'static str,
    /// One line of help.
    pub help: &'static str,
    /// The menu it stands in, and after a `/` the menu inside that.
    pub menu: &'static str,
    /// Whether it always needs numbers or names that a person is asked for; gestures and scripts
    /// give them.
    pub asks: bool,
    /// Default key, such as `Ctrl+Shift+Z`; empty where it has none.
    pub key: &'static str,
    /// What it takes.
    pub arguments: Vec<ArgumentSpec>,
    /// When it can be done; else the reason why not.
    pub enabled: fn(&Availability) -> Result<(), &'static str>,
    /// Who does it.
    pub executor: Executor,
    /// Whether it is done before a file is open, and while text is typed: files, help, the window.
    pub anywhere: bool,
    /// What it takes from what is selected and shown; nothing unless given.
    pub(super) filled: Option<fn(&CommandContext<'_>) -> Filled>,
    /// Reads it from text.
    pub(super) read: fn(&Arguments) -> Result<Command, ArgumentError>,
}

impl CommandSpec {
    /// Whether it is a function of the document.
    pub const fn is_pure(&self) -> bool {
        matches!(self.executor, Executor::Document)
    }
}

/// Why a command could not be done. The document is unchanged then.
#[derive(Debug, Error)]
pub enum CommandError {
    /// No such command.
    #[error("there is no command “{name}”{near}; `ulna commands` lists them")]
    Unknown {
        /// What was asked for.
        name: String,
        /// A name that is close, in parentheses; or empty.
        near: String,
    },
    /// The line is not an object with a `do`.
    #[error(
        "a command is an object such as {{\"do\":\"pose.reset\",\"node\":\"Hips\"}}; this is \
        {0}"
    )]
    Shape(String),
    /// An argument is missing, unknown or of the wrong type.
    #[error(transparent)]
    Argument(#[from] ArgumentError),
    /// A transform cannot be reached.
    #[error("{node}: {source}")]
    Transform {
        /// The node's name.
        node: String,
        /// Why.
        source: TransformError,
    },
    /// The edit does not fit.
    #[error(transparent)]
    Edit(#[from] EditError),
    /// Something else, as a sentence.
    #[error("{0}")]
    Other(Notice),
}

impl CommandError {
    /// Something that has no variant of its own: its code, and a sentence.
    pub fn other(code: &'static str, message: impl Into<String>) -> Self {
        Self::Other(Notice::new(code, message))
    }

    /// The code that stays the same for scripts, whatever the words are.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Unknown { .. } => "no_such_command",
            Self::Shape(_) => "not_a_command",
            Self::Argument(error) => error.code(),
            Self::Transform { source, .. } => source.code(),
            Self::Edit(error) => error.code(),
            Self::Other(notice) => notice.code,
        }
    }
}

/// A command with its arguments: one line of text.
#[derive(Clone, Debug, PartialEq)]
pub struct CommandLine {
    /// The command's name.
    pub name: String,
    /// Its arguments.
    pub arguments: Map<String, Value>,
}

impl CommandLine {
    /// About how many bytes of memory it holds.
    pub fn size(&self) -> usize {
        fn of(value: &Value) -> usize {
            match value {
                Value::Null | Value::Bool(_) | Value::Number(_) => 0,
                Value::String(text) => text.capacity(),
                Value::Array(items) => {
                    items.capacity() * size_of::<Value>() + items.iter().map(of).sum::<usize>()
                }
                Value::Object(members) => of_members(members),
            }
        }
        fn of_members(members: &Map<String, Value>) -> usize {
            let entry = size_of::<(String, Value)>() + 2 * size_of::<usize>();
            members.iter().map(|(key, value)| entry + key.capacity() + of(value)).sum()
        }
        size_of::<Self>() + self.name.capacity() + of_members(&self.arguments)
    }

    /// A command without arguments.
    pub fn new(name: &str) -> Self {
        Self { name: name.to_owned(), arguments: Map::new() }
    }

    /// With one argument more.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.arguments.insert(name.to_owned(), value.into());
        self
    }

    /// The line that an object is; nothing where it has no `do` that is text.
    pub fn from_object(mut arguments: Map<String, Value>) -> Option<Self> {
        match arguments.shift_remove("do") {
            Some(Value::String(name)) => Some(Self { name, arguments }),
            _ => None,
        }
    }

    /// Reads the text form. A member that stands twice is a mistake: nobody could say which is
    /// meant.
    ///
    /// # Errors
    /// Where the text is not an object with a `do` that is text.
    pub fn parse(text: &str) -> Result<Self, CommandError> {
        let short = || text.chars().take(80).collect::<String>();
        if !text.trim_start().starts_with('{') {
            return Err(CommandError::Shape(short()));
        }
        let Once(arguments) = serde_json::from_str(text)
            .map_err(|e| CommandError::Shape(format!("not JSON: {e}")))?;
        Self::from_object(arguments).ok_or_else(|| CommandError::Shape(short()))
    }
}

/// The members of an object in which none stands twice.
struct Once(Map<String, Value>);

impl<'de> Deserialize<'de> for Once {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Members;
        impl<'de> Visitor<'de> for Members {
            type Value = Once;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Once, A::Error> {
                let mut members = Map::new();
                while let Some((key, value)) = map.next_entry::<String, Value>()? {
                    if members.contains_key(&key) {
                        return Err(A::Error::custom(format!("“{key}” is defined twice")));
                    }
                    members.insert(key, value);
                }
                Ok(Once(members))
            }
        }
        deserializer.deserialize_map(Members)
    }
}

impl fmt::Display for CommandLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut object = Map::new();
        object.insert("do".into(), self.name.as_str().into());
        object.extend(self.arguments.clone());
        Value::Object(object).fmt(f)
    }
}
