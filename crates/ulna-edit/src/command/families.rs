//! All commands as one closed enum of families, with the table entry and the text form of each
//! command.

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
    /// A command that is a pure function of the document.
    Document(DocumentCommand),
    /// A command of the session of the open file: undo history, or the file as opened.
    Session(SessionCommand),
    /// A command of the program: windows, files, playback.
    Host(HostCommand),
}

/// Defines an enum of command families.
macro_rules! families {
    ($(#[$about:meta])* $all:ident in $side:ident {
        $($(#[$words:meta])* $variant:ident($family:ident)),* $(,)? }) => {
        $(#[$about])*
        #[derive(Clone, Debug, PartialEq)]
        pub enum $all {
            $($(#[$words])* $variant($family),)*
        }

        impl $all {
            /// Reads a command of these families from its text form; `None` for other names.
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
        /// Posing of nodes.
        Pose(PoseCommand),
        /// Setting keys, and unkeyed poses.
        Key(KeyCommand),
        /// Edits of existing keys.
        KeyEdit(KeyEditCommand),
        /// Eases, sliders and filters of curves.
        CurveKeys(CurveKeysCommand),
        /// Weights of morph targets.
        Morph(MorphCommand),
        /// Markers of clips.
        Marker(MarkerCommand),
        /// Contacts of clips.
        Contact(ContactCommand),
        /// Retarget maps.
        RetargetMap(RetargetMapCommand),
        /// Mirrored poses.
        Mirror(MirrorCommand),
        /// IK targets of limbs, and pins.
        Ik(IkCommand),
        /// Locks of channels.
        Lock(ChannelLockCommand),
        /// Blending of poses toward other poses.
        Blend(BlendCommand),
        /// Saved poses.
        Kept(KeptPoseCommand),
        /// New, renamed, copied and deleted clips, and renamed nodes.
        Clip(ClipCommand),
        /// Edits of whole clips.
        ClipWork(ClipWorkCommand),
        /// Clips pasted from other files.
        ClipArrival(ClipArrivalCommand),
        /// Clips on the lanes of the mixer.
        Mix(MixCommand),
        /// Skin weights.
        Weight(WeightCommand),
        /// Weight layers.
        Layer(LayerCommand),
        /// Pose layers.
        PoseLayer(PoseLayerCommand),
        /// Keys of pose layers.
        LayerKeys(LayerKeysCommand),
        /// Adding, removing, copying and reparenting nodes.
        Node(NodeCommand),
        /// Changes of the skeleton, with the clips adapted.
        Rig(RigCommand),
        /// Groups of joints.
        Group(GroupCommand),
        /// Skins of meshes.
        Skin(SkinCommand),
        /// Materials of meshes.
        Material(MaterialCommand),
        /// Visibility of nodes.
        Visibility(VisibilityCommand),
    }
}

families! {
    /// A command of the program, which is not part of the document.
    HostCommand in Host {
        /// Files and windows.
        File(FileCommand),
        /// Selection of nodes.
        Select(SelectCommand),
        /// Modes, and poses in the clipboard.
        Mode(ModeCommand),
        /// Tools of the pointer.
        Tool(ToolCommand),
        /// Camera and display of the viewport.
        View(ViewCommand),
        /// Reference models.
        Reference(ReferenceCommand),
        /// Playhead and playback.
        Play(PlayCommand),
        /// Keys on the timeline.
        Timeline(TimelineCommand),
        /// Brush for weights.
        Brush(BrushCommand),
        /// Selection of vertices.
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
    /// Entry of the command in the table.
    pub fn spec(&self) -> &'static CommandSpec {
        match self {
            Self::Document(command) => command.spec(),
            Self::Session(command) => command.spec(),
            Self::Host(command) => command.spec(),
        }
    }

    /// Converts a command on keys of a clip to the same command on keys of a layer. Other commands,
    /// and commands that already have a layer, are returned unchanged.
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

    /// Text form of the command, with ids replaced by the names in the document.
    pub fn line(&self, document: &Document) -> CommandLine {
        match self {
            Self::Document(command) => command.line(document),
            Self::Session(command) => command.line(document),
            Self::Host(command) => command.line(document),
        }
    }
}
