//! All commands as one closed enum of families, with the entry and the text form of each command.

use super::{
    ArgumentError, Arguments, BlendCommand, BrushCommand, ChannelLockCommand, ClipArrivalCommand,
    ClipCommand, ClipWorkCommand, CommandLine, CommandSpec, ContactCommand, CurveKeysCommand,
    FileCommand, GroupCommand, IkCommand, KeptPoseCommand, KeyCommand, KeyEditCommand, KeysOfLayer,
    LayerCommand, LayerKeysCommand, LayerName, MarkerCommand, MaterialCommand, MirrorCommand,
    MixCommand, ModeCommand, MorphCommand, NodeCommand, PlayCommand, PoseCommand, PoseLayerCommand,
    ReferenceCommand, RetargetMapCommand, RigCommand, SelectCommand, SessionCommand, SkinCommand,
    TimelineCommand, ToolCommand, VertexCommand, ViewCommand, VisibilityCommand, WeightCommand,
    define::FamilyMember,
};
use ulna_model::Document;

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

/// Puts the families of an enum together.
macro_rules! families {
    ($(#[$about:meta])* $all:ident in $side:ident {
        $($(#[$words:meta])* $variant:ident($family:ident)),* $(,)? }) => {
        $(#[$about])*
        #[derive(Clone, Debug, PartialEq)]
        pub enum $all {
            $($(#[$words])* $variant($family),)*
        }

        impl $all {
            /// Reads one of its commands; `None` for other names.
            pub(super) fn read(
                name: &str,
                from: &Arguments,
            ) -> Result<Option<Self>, ArgumentError> {
                $(if let Some(command) = $family::read(name, from)? {
                    return Ok(Some(Self::$variant(command)));
                })*
                Ok(None)
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

        $(impl From<$family> for $all {
            fn from(command: $family) -> Self {
                Self::$variant(command)
            }
        }

        impl From<$family> for Command {
            fn from(command: $family) -> Self {
                Self::$side($all::$variant(command))
            }
        })*
    };
}

families! {
    /// A command on the document.
    DocumentCommand in Document {
        /// Posing.
        Pose(PoseCommand),
        /// Keys, and poses without them.
        Key(KeyCommand),
        /// Keys that are there.
        KeyEdit(KeyEditCommand),
        /// Curves through keys.
        CurveKeys(CurveKeysCommand),
        /// Morph targets.
        Morph(MorphCommand),
        /// Markers.
        Marker(MarkerCommand),
        /// Contacts.
        Contact(ContactCommand),
        /// Retarget maps.
        RetargetMap(RetargetMapCommand),
        /// Mirrored poses.
        Mirror(MirrorCommand),
        /// Limbs that are put somewhere, and pins.
        Ik(IkCommand),
        /// Locks of channels.
        Lock(ChannelLockCommand),
        /// Poses nearer to others.
        Blend(BlendCommand),
        /// Poses that are kept.
        Kept(KeptPoseCommand),
        /// Whole clips, and names.
        Clip(ClipCommand),
        /// Operations on whole clips.
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
        /// Nodes that are added, removed, copied and attached elsewhere.
        Node(NodeCommand),
        /// Joints, with the clips that follow.
        Rig(RigCommand),
        /// Groups of joints.
        Group(GroupCommand),
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
    HostCommand in Host {
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
        /// Reference models.
        Reference(ReferenceCommand),
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

impl From<SessionCommand> for Command {
    fn from(command: SessionCommand) -> Self {
        Self::Session(command)
    }
}

impl<C: FamilyMember> From<C> for Command
where
    DocumentCommand: From<C::Family>,
{
    fn from(command: C) -> Self {
        Self::Document(command.into_family().into())
    }
}

impl Command {
    /// Its entry of the table.
    pub fn spec(&self) -> &'static CommandSpec {
        match self {
            Self::Document(command) => command.spec(),
            Self::Session(command) => command.spec(),
            Self::Host(command) => command.spec(),
        }
    }

    /// A command on keys of a clip as the same command on keys of a layer. Other commands, and
    /// those that name a layer, stay as they are.
    #[must_use]
    pub fn on_layer(self, layer: LayerName) -> Self {
        let command = match self {
            Self::Document(DocumentCommand::Key(KeyCommand::SetKey(key))) => KeysOfLayer::Set(key),
            Self::Document(DocumentCommand::KeyEdit(command)) => KeysOfLayer::Edit(command),
            Self::Document(DocumentCommand::CurveKeys(command)) => KeysOfLayer::Curves(command),
            Self::Session(SessionCommand::CopyKeys { clip, layer: None, which }) => {
                return SessionCommand::CopyKeys { clip, layer: Some(layer), which }.into();
            }
            other => return other,
        };
        LayerKeysCommand { layer, command }.into()
    }

    /// Text form, with ids replaced by the names in this document.
    pub fn line(&self, document: &Document) -> CommandLine {
        match self {
            Self::Document(command) => command.line(document),
            Self::Session(command) => command.line(document),
            Self::Host(command) => command.line(document),
        }
    }
}
