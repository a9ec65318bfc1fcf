//! Execution of commands: each goes to the family that it belongs to.

use super::{
    BrushCommand, CommandError, FileCommand, KeptPoseCommand, LayerCommand, MixCommand,
    ModeCommand, Outcome, PlayCommand, ReferenceCommand, Scene, SelectCommand, SkinCommand,
    TimelineCommand, ToolCommand, Touch, VertexCommand, ViewCommand, Wanted,
    families::{Command, DocumentCommand, HostCommand},
    free_of_matrices,
    upkeep::keep_up,
};
use ulna_model::{Document, PoseLayerId};

/// Runs commands that are not on the document: implemented by the window, and by a script run,
/// which has no window.
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
    /// Reference models.
    fn reference(&mut self, command: &ReferenceCommand) -> Result<(), Self::Refusal>;
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
            Self::Reference(command) => host.reference(command),
            Self::Play(command) => host.play(command),
            Self::Timeline(command) => host.timeline(command),
            Self::Brush(command) => host.brush(command),
            Self::Vertices(command) => host.vertices(command),
        }
    }
}

impl DocumentCommand {
    /// Whether the command poses nodes, or keys the displayed pose.
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

    /// Computes the command's edits; does not apply them.
    ///
    /// # Errors
    /// Where it cannot be done, as a sentence.
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
    /// The pose layer whose keys the command edits; `None` for the keys of a clip itself.
    pub fn keys_layer(&self, document: &Document) -> Option<PoseLayerId> {
        match self {
            Self::Document(DocumentCommand::LayerKeys(command)) => command.layer_of(document),
            _ => None,
        }
    }

    /// Whether the command may take too long for a frame of the window. It then runs in the
    /// background.
    pub fn takes_long(&self, document: &Document) -> bool {
        /// Poses of a node, or keys.
        const MANY: usize = 100_000;
        match self {
            Self::Document(DocumentCommand::Mix(MixCommand::BakeMix(bake))) => {
                bake.samples(document) > MANY as f64
            }
            Self::Document(DocumentCommand::ClipWork(work)) => work.weighed(document) > MANY,
            Self::Document(DocumentCommand::Contact(command)) => command.weighed(document) > MANY,
            // All clips are compared before and after.
            Self::Document(DocumentCommand::Rig(_)) => {
                document.clips.values().map(|c| c.key_count()).sum::<usize>() > MANY / 10
            }
            Self::Document(DocumentCommand::Skin(SkinCommand::CreateSkin(create))) => {
                create.vertices(document) > MANY / 10
            }
            _ => false,
        }
    }

    /// Scope of the weights that the command may change, for narrowing it; `None` if it is not
    /// about painted weights.
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
