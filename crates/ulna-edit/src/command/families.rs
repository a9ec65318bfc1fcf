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
        /// Commands that pose nodes.
        Pose(PoseCommand),
        /// Commands that set keys, and commands on unkeyed poses.
        Key(KeyCommand),
        /// Commands that edit existing keys.
        KeyEdit(KeyEditCommand),
        /// Commands that apply eases, sliders and filters to curves.
        CurveKeys(CurveKeysCommand),
        /// Commands on the weights of morph targets.
        Morph(MorphCommand),
        /// Commands on markers of clips.
        Marker(MarkerCommand),
        /// Commands on contacts of clips.
        Contact(ContactCommand),
        /// Commands on retarget maps.
        RetargetMap(RetargetMapCommand),
        /// Commands that mirror poses.
        Mirror(MirrorCommand),
        /// Commands that move limbs by IK, and commands on pins.
        Ik(IkCommand),
        /// Commands that lock and unlock channels.
        Lock(ChannelLockCommand),
        /// Commands that blend poses toward other poses.
        Blend(BlendCommand),
        /// Commands on saved poses.
        Kept(KeptPoseCommand),
        /// Commands that add, rename, copy and delete clips, and rename nodes.
        Clip(ClipCommand),
        /// Commands that edit whole clips.
        ClipWork(ClipWorkCommand),
        /// Commands that paste clips from other files.
        ClipArrival(ClipArrivalCommand),
        /// Commands on the clips and lanes of the mixer.
        Mix(MixCommand),
        /// Commands on skin weights.
        Weight(WeightCommand),
        /// Commands on weight layers.
        Layer(LayerCommand),
        /// Commands on pose layers.
        PoseLayer(PoseLayerCommand),
        /// Commands on keys of pose layers.
        LayerKeys(LayerKeysCommand),
        /// Commands that add, remove, copy and reparent nodes.
        Node(NodeCommand),
        /// Commands that change the skeleton, and adapt the clips.
        Rig(RigCommand),
        /// Commands on joint groups.
        Group(GroupCommand),
        /// Commands on the skins of meshes.
        Skin(SkinCommand),
        /// Commands on the materials of meshes.
        Material(MaterialCommand),
        /// Commands on the visibility of nodes.
        Visibility(VisibilityCommand),
    }
}

families! {
    /// A command of the program, which is not part of the document.
    HostCommand in Host {
        /// Commands on files and windows.
        File(FileCommand),
        /// Commands that select nodes.
        Select(SelectCommand),
        /// Commands that switch modes, and copy and paste poses.
        Mode(ModeCommand),
        /// Commands that choose the tool of the pointer.
        Tool(ToolCommand),
        /// Commands on the camera and the display of the viewport.
        View(ViewCommand),
        /// Commands on reference models.
        Reference(ReferenceCommand),
        /// Commands on the playhead and playback.
        Play(PlayCommand),
        /// Commands on keys on the timeline.
        Timeline(TimelineCommand),
        /// Commands on the weight brush.
        Brush(BrushCommand),
        /// Commands that select vertices.
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
