//! Changes of the skeleton that Rig mode requests, and the options for them.

use glam::{Mat4, Vec3};

use crate::ui::SnapTo;
use ulna_edit::{
    Command,
    command::{AddJoint, Motion},
};
use ulna_model::{ClipId, NodeId};

/// Options for changes of joints in Rig mode.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RigOptions {
    /// True if the children of a moved joint move with it.
    pub children_follow: bool,
    /// True if keys of clips rotate the skin about the new pivots. False keeps the skin's motion in
    /// all clips.
    pub motion_follows: bool,
    /// Depth of new joints under the pointer.
    pub depth: JointDepth,
}

impl RigOptions {
    /// Motion argument of commands; `None` for the default, which keeps the skin's motion.
    pub const fn motion(self) -> Option<Motion> {
        if self.motion_follows { Some(Motion::Follow) } else { None }
    }
}

/// Depth at which a new joint is placed under the pointer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum JointDepth {
    /// The joint is placed at the center between the front and the back of the skin.
    #[default]
    Limb,
    /// The joint is placed on the surface of the skin.
    Surface,
    /// The joint is placed at the depth of the parent joint.
    Parent,
}

impl JointDepth {
    /// All depths for new joints, with their labels in the interface.
    pub const ALL: [(Self, &'static str); 3] =
        [(Self::Limb, "Limb center"), (Self::Surface, "Surface"), (Self::Parent, "Parent’s depth")];

    /// Snap target for the depth; `None` if the depth comes from the parent. If `front` is true,
    /// only the foremost part of the skin counts.
    pub const fn snap(self, front: bool) -> Option<SnapTo> {
        match self {
            Self::Limb if front => Some(SnapTo::FrontLimb),
            Self::Limb => Some(SnapTo::Limb),
            Self::Surface => Some(SnapTo::Surface),
            Self::Parent => None,
        }
    }

    /// Returns the label of the depth in the interface.
    pub fn title(self) -> &'static str {
        Self::ALL.iter().find(|(depth, _)| *depth == self).map_or("", |(_, title)| title)
    }
}

/// A change of joints that is previewed during a drag.
#[derive(Clone, Debug)]
pub struct RigStep {
    /// Label of the step in the undo menu.
    pub label: String,
    /// Commands of the change, to run on the document from the start of the drag.
    pub commands: Vec<Command>,
    /// Joints that the change affects.
    pub nodes: Vec<NodeId>,
    /// New matrix `scene_from_joint` of each moved or rotated joint.
    pub worlds: Vec<(NodeId, Mat4)>,
    /// New joints: scene positions of the parent and of the joint, in meters.
    pub added: Vec<(Vec3, Vec3)>,
}

/// A request of Rig mode.
#[derive(Clone, Debug)]
pub enum RigAction {
    /// Replaces the options.
    SetOptions(RigOptions),
    /// Plays a clip; `None` shows the rest pose.
    ShowClip(Option<ClipId>),
    /// Previews the current state of a drag.
    Drag(RigStep),
    /// Ends the drag.
    End {
        /// True to keep the change, false to discard it.
        kept: bool,
    },
    /// Adds a joint at a clicked point.
    Add(AddJoint),
    /// Runs a command on joints. The change is planned if meshes are bound to the joints or clips
    /// move them; otherwise it is applied immediately.
    Do(Box<Command>, Vec<NodeId>),
}

/// State of Rig mode, for display in the panels.
#[derive(Clone, Copy, Debug, Default)]
pub struct RigView<'a> {
    /// Options for changes of joints.
    pub options: RigOptions,
    /// New joints of the current drag: scene positions of the parent and of the joint, in meters.
    pub added: &'a [(Vec3, Vec3)],
    /// True if changes of the selected joints are planned first, because meshes are bound to the
    /// joints or clips move them.
    pub plans: bool,
    /// The playing clip; `None` for the rest pose.
    pub clip: Option<ClipId>,
    /// True if the clip is shown with the planned changes.
    pub is_planned: bool,
}
