//! Changes of the skeleton that Rig mode asks for, and how it makes them.

use glam::{Mat4, Vec3};

use crate::ui::SnapTo;
use ulna_edit::{
    Command,
    command::{AddJoint, Motion},
};
use ulna_model::{ClipId, NodeId};

/// How Rig mode changes joints.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RigOptions {
    /// Whether the joints below a moved joint move with it.
    pub children_follow: bool,
    /// Whether clips turn the skin about the new pivots, instead of moving it as before.
    pub motion_follows: bool,
    /// Depth of new joints under the pointer.
    pub depth: JointDepth,
}

impl RigOptions {
    /// The argument for the motion of clips; `None` for what is usual.
    pub const fn motion(self) -> Option<Motion> {
        if self.motion_follows { Some(Motion::Follow) } else { None }
    }
}

/// Depth of new joints under the pointer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum JointDepth {
    /// The middle between the skin in front and the skin behind.
    #[default]
    Limb,
    /// On the surface of the skin.
    Surface,
    /// At the depth of the parent joint.
    Parent,
}

impl JointDepth {
    /// All of them, with their labels.
    pub const ALL: [(Self, &'static str); 3] =
        [(Self::Limb, "Limb center"), (Self::Surface, "Surface"), (Self::Parent, "Parent’s depth")];

    /// The spot under the pointer that gives the depth; `None` where the parent gives it.
    /// `front`: only the part in front counts.
    pub const fn snap(self, front: bool) -> Option<SnapTo> {
        match self {
            Self::Limb if front => Some(SnapTo::FrontLimb),
            Self::Limb => Some(SnapTo::Limb),
            Self::Surface => Some(SnapTo::Surface),
            Self::Parent => None,
        }
    }

    /// The label.
    pub fn title(self) -> &'static str {
        Self::ALL.iter().find(|(depth, _)| *depth == self).map_or("", |(_, title)| title)
    }
}

/// A change of joints that is in progress.
#[derive(Clone, Debug)]
pub struct RigStep {
    /// Title of the step in the undo menu.
    pub label: String,
    /// The commands that make it, from the state at its start.
    pub commands: Vec<Command>,
    /// Joints that change.
    pub nodes: Vec<NodeId>,
    /// `scene_from_joint` of moved and turned joints.
    pub worlds: Vec<(NodeId, Mat4)>,
    /// New joints: position of the parent, and of the joint, in the scene.
    pub added: Vec<(Vec3, Vec3)>,
}

/// Requests of Rig mode.
#[derive(Clone, Debug)]
pub enum RigAction {
    /// Other options.
    SetOptions(RigOptions),
    /// A clip to play, or the rest pose.
    ShowClip(Option<ClipId>),
    /// A drag is in progress.
    Drag(RigStep),
    /// The drag ends.
    End {
        /// Whether its change stays.
        kept: bool,
    },
    /// A joint at a click.
    Add(AddJoint),
    /// Run a command on joints: planned if meshes are bound to them, otherwise immediately.
    Do(Box<Command>, Vec<NodeId>),
}

/// Rig mode as panels see it.
#[derive(Clone, Copy, Debug, Default)]
pub struct RigView<'a> {
    /// How joints are changed.
    pub options: RigOptions,
    /// New joints of the current drag: the positions of the parent and the joint, in world space.
    pub added: &'a [(Vec3, Vec3)],
    /// Whether changes of the selected joints are planned first, because meshes are bound to them
    /// or clips move them.
    pub plans: bool,
    /// The clip that is played; `None` at rest.
    pub clip: Option<ClipId>,
    /// Whether planned changes are shown in the clip.
    pub is_planned: bool,
}
