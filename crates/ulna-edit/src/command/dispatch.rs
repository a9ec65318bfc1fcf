//! Runs commands: each command is passed to its family.

use super::{
    BrushCommand, CommandError, FileCommand, KeptPoseCommand, LayerCommand, MixCommand,
    ModeCommand, Outcome, PlayCommand, ReferenceCommand, Scene, SelectCommand, SkinCommand,
    TimelineCommand, ToolCommand, Touch, VertexCommand, ViewCommand, Wanted,
    families::{Command, DocumentCommand, HostCommand},
    free_of_matrices,
    upkeep::keep_up,
};
use ulna_model::{Document, PoseLayerId};

/// Executes the commands that do not run on the document. The window implements this trait, and
/// script runs without a window implement it, too.
pub trait Host {
    /// The error if the host does not run a command.
    type Refusal;

    /// Runs a command on files and windows.
    ///
    /// # Errors
    /// If the host does not support the command. The same holds for all methods of this trait.
    fn file(&mut self, command: &FileCommand) -> Result<(), Self::Refusal>;
    /// Runs a command on the selection.
    fn select(&mut self, command: &SelectCommand) -> Result<(), Self::Refusal>;
    /// Runs a command on modes, or on poses in the clipboard.
    fn mode(&mut self, command: &ModeCommand) -> Result<(), Self::Refusal>;
    /// Runs a command that selects a pointer tool.
    fn tool(&mut self, command: &ToolCommand) -> Result<(), Self::Refusal>;
    /// Runs a command on the view.
    fn view(&mut self, command: &ViewCommand) -> Result<(), Self::Refusal>;
    /// Runs a command on reference models.
    fn reference(&mut self, command: &ReferenceCommand) -> Result<(), Self::Refusal>;
    /// Runs a command on the playhead.
    fn play(&mut self, command: &PlayCommand) -> Result<(), Self::Refusal>;
    /// Runs a command on keys of the timeline.
    fn timeline(&mut self, command: &TimelineCommand) -> Result<(), Self::Refusal>;
    /// Runs a command on the brush.
    fn brush(&mut self, command: &BrushCommand) -> Result<(), Self::Refusal>;
    /// Runs a command that selects vertices.
    fn vertices(&mut self, command: &VertexCommand) -> Result<(), Self::Refusal>;
}

impl HostCommand {
    /// Runs the command in a host.
    ///
    /// # Errors
    /// If the host does not support the command.
    pub fn carry_out<H: Host>(&self, host: &mut H) -> Result<(), H::Refusal> {
        match self {
            Self::File(command) => host.file(command),
            Self::Select(command) => host.select(command),
            Self::Mode(command) => host.mode(command),
            Self::Tool(command) => host.tool(command),
            Self::View(command) => host.view(command),
            Self::Reference(command) => host.reference(command),
            Self::Play(command) => host.play(command),
            Self::Timeline(command) => host.timeline(command),
            Self::Brush(command) => host.brush(command),
            Self::Vertices(command) => host.vertices(command),
        }
    }
}

impl DocumentCommand {
    /// Whether the command poses nodes, or sets keys from the displayed pose.
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

    /// Returns the components that the command sets on nodes, for commands that tools run during a
    /// drag. Other commands return an empty list.
    ///
    /// # Errors
    /// The errors of running the command.
    pub fn wanted(&self, scene: &Scene<'_>) -> Result<Wanted, CommandError> {
        match self {
            Self::Pose(command) => command.wanted(scene),
            Self::Ik(command) => command.wanted(scene),
            Self::Kept(command) => command.wanted(scene),
            _ => Ok(Wanted::new()),
        }
    }

    /// Whether the command itself sets the frame rate of its clips.
    const fn brings_rate(&self) -> bool {
        match self {
            Self::ClipWork(command) => command.sets_rate(),
            Self::ClipArrival(_) | Self::Mix(_) => true,
            _ => false,
        }
    }

    /// Computes the command's edits; does not apply them.
    ///
    /// # Errors
    /// If the command cannot run.
    pub fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let mut done = match self {
            Self::Pose(command) => command.work(scene),
            Self::Key(command) => command.work(scene),
            Self::KeyEdit(command) => command.work(scene),
            Self::CurveKeys(command) => command.work(scene),
            Self::Morph(command) => command.work(scene),
            Self::Clip(command) => command.work(scene),
            Self::ClipWork(command) => command.work(scene),
            Self::ClipArrival(command) => command.work(scene),
            Self::Mix(command) => command.work(scene),
            Self::Marker(command) => command.work(scene),
            Self::Contact(command) => command.work(scene),
            Self::RetargetMap(command) => command.work(scene),
            Self::Visibility(command) => command.work(scene),
            Self::Mirror(command) => command.work(scene),
            Self::Ik(command) => command.work(scene),
            Self::Lock(command) => command.work(scene),
            Self::Blend(command) => command.work(scene),
            Self::Kept(command) => command.work(scene),
            Self::Weight(command) => command.work(scene),
            Self::Layer(command) => command.work(scene),
            Self::PoseLayer(command) => command.work(scene),
            Self::LayerKeys(command) => command.work(scene),
            Self::Node(command) => command.work(scene),
            Self::Rig(command) => command.work(scene),
            Self::Group(command) => command.work(scene),
            Self::Skin(command) => command.work(scene),
            Self::Material(command) => command.work(scene),
        }?;
        keep_up(scene.document, &mut done, !self.brings_rate());
        free_of_matrices(scene.document, &mut done);
        Ok(done)
    }
}

impl Command {
    /// Returns the pose layer whose keys the command edits; `None` for the keys of a clip itself.
    pub fn keys_layer(&self, document: &Document) -> Option<PoseLayerId> {
        match self {
            Self::Document(DocumentCommand::LayerKeys(command)) => command.layer_of(document),
            _ => None,
        }
    }

    /// Whether the command may take too long for a frame of the window. It then runs in the
    /// background.
    pub fn takes_long(&self, document: &Document) -> bool {
        /// Number of node poses or keys above which a command is slow.
        const MANY: usize = 100_000;
        match self {
            Self::Document(DocumentCommand::Mix(MixCommand::BakeMix(bake))) => {
                bake.samples(document) > MANY as f64
            }
            Self::Document(DocumentCommand::ClipWork(work)) => work.weighed(document) > MANY,
            Self::Document(DocumentCommand::Contact(command)) => command.weighed(document) > MANY,
            // The command compares all clips before and after the change.
            Self::Document(DocumentCommand::Rig(_)) => {
                document.clips.values().map(|c| c.key_count()).sum::<usize>() > MANY / 10
            }
            Self::Document(DocumentCommand::Skin(SkinCommand::CreateSkin(create))) => {
                create.vertices(document) > MANY / 10
            }
            _ => false,
        }
    }

    /// Returns the arguments that limit the scope of a weight command, so that the caller can
    /// narrow it; `None` if the command does not change painted weights.
    pub fn touch(&mut self) -> Option<Touch<'_>> {
        match self {
            Self::Document(DocumentCommand::Weight(command)) => command.touch(),
            Self::Document(DocumentCommand::Layer(LayerCommand::MaskLayer(command))) => {
                Some(command.touch())
            }
            _ => None,
        }
    }
}
