//! Commands: what a person does, as types. Each has its data, its words and its effect in the file
//! of its family.
//!
//! ```text
//!  menus, palette, keys ──► CommandSpec ─┐                       ┌─► Document: Scene → edits → history
//!  panels, gestures ────────────────────►│ Command (closed enum) ├─► Session:  undo, redo, the file's pose
//!  scripts, journal ──► CommandLine ────►┘        │              └─► Host:     the window, or none
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
mod availability;
mod blend;
mod clip_arrivals;
mod clip_layers;
mod clip_work;
mod clips;
mod define;
mod error;
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
mod line;
mod markers;
mod materials;
mod mirror_pose;
mod mixes;
mod morphs;
mod names;
mod outcome;
mod place;
mod pose;
mod pose_layers;
mod rules;
mod scene;
mod skins;
mod spec;
mod table;
mod upkeep;
mod vertex_terms;
mod visibility;
mod weights;
mod which_keys;

use self::upkeep::keep_up;
use crate::near::did_you_mean;
use ulna_model::{Document, PoseLayerId};
use ulna_motion::Space;

pub use self::layers::primitives_of;
pub use self::weights::vertex_query_error;
pub use self::weights::{joint_named, slots_line, uv_of};
pub use self::which_keys::{KeyList, TrackKeys, WhichKeys};
pub use self::{
    arguments::{Arguments, typed},
    around::{CommandContext, Filled, Unfilled},
    availability::{Availability, Mode},
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
    error::{ArgumentError, CommandError},
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
    line::CommandLine,
    markers::{AddMarker, Color, MarkerCommand, MoveMarker, RemoveMarker, SetMarker},
    materials::{HeightToNormal, MaterialCommand},
    mirror_pose::{FlipPose, MirrorCommand, MirrorPose},
    mixes::{
        BakeMix, ClearMix, EnterHow, GoTo, GoWhen, KeepMix, MarkFootfalls, MixCommand, MixText,
        NamedMix, PlayOver, SetMix, found_mix, gone_of_kept_mix, is_mix_kept, is_mix_loose,
        jumps_in_words, mix_of, mix_rate, named_mix, read_mix,
    },
    morphs::{HoldMorph, KeyMorphs, MorphCommand, ResetMorphs, SetMorph},
    names::{clip_text, find_clip, find_clips, mesh_label, mesh_text, node_text},
    outcome::Outcome,
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
    scene::Scene,
    skins::{BindSkin, BoundShape, CreateSkin, SkinCommand},
    spec::{ArgumentSpec, ArgumentType, CommandSpec, Executor},
    table::{find, renamed, table},
    visibility::{SetVisibility, VisibilityCommand},
    weights::{
        Along, Assign, Average, Bind, Flood, Gradient, Hammer, Limit, MergeJoints, MirrorWeights,
        Normalize, PairJoints, Prune, Quantize, Relax, SetWeights, Sets, Smooth, Store, SwapJoints,
        Touch, Transfer, WeightCommand, meshes_of_body, skin_of,
    },
};
pub(super) use self::{layers::lines_of, weights::line_of};

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
