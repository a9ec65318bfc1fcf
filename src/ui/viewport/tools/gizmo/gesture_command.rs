//! Converts a gesture to a command.

use glam::Vec3;

use super::{
    frame,
    gesture::Gesture,
    operation::{Limit, Operation},
};
use crate::ui::{
    View,
    viewport::domain::{GizmoSpace, Pivot},
};
use ulna_edit::{
    Scene,
    command::{
        Body, Children, DocumentCommand, DragLimb, EndAngle, PoseDestination, Resize, Shift, Turn,
        field::{AnySpace, Axis, Degrees, Factor, Nodes},
    },
};
use ulna_model::NodeId;
use ulna_motion::Space;

impl Gesture {
    /// Creates the command with the result of the gesture.
    pub(super) fn command(&self, view: &View<'_>, over: PoseDestination) -> DocumentCommand {
        let node = Nodes::Ids(self.nodes.clone());
        let children = Some(view.viewport.children).filter(|c| *c != Children::Follow);
        // A single node is its own pivot.
        let pivot = match self.pivot {
            Pivot::Each => None,
            Pivot::Active | Pivot::Median => (self.nodes.len() > 1).then_some(self.frame.origin),
            Pivot::Spot => Some(self.frame.origin),
        };
        let own = match self.space {
            GizmoSpace::Of(space) if pivot.is_none() => Some(space),
            _ => None,
        };
        match self.operation {
            Operation::Move | Operation::Extrude => {
                let units = own.and_then(|space| {
                    let parent = self.pose.parent_world(&self.document, self.frame.node?);
                    Some((space, frame::parent_units(&parent, space)?))
                });
                let (space, by) = units.map_or_else(
                    || {
                        let [x, y, z] = self.frame.axes;
                        (Space::World, x * self.value.x + y * self.value.y + z * self.value.z)
                    },
                    |(space, unit)| (space, self.value * unit),
                );
                DocumentCommand::Pose(
                    Shift { node, by: Factor(by), space: Some(AnySpace(space)), children, over }
                        .simplest(),
                )
            }
            Operation::Rotate | Operation::Roll => {
                let (space, axis) = match (self.limit, own) {
                    (Limit::Axis(k), Some(space)) => (space, [Vec3::X, Vec3::Y, Vec3::Z][k]),
                    _ => (Space::World, self.axis()),
                };
                DocumentCommand::Pose(
                    Turn {
                        node,
                        axis: Axis(axis),
                        degrees: Degrees(self.value.x),
                        space: Some(AnySpace(space)),
                        pivot,
                        children,
                        over,
                    }
                    .simplest(),
                )
            }
            Operation::Reach | Operation::Swivel => {
                let reach = view.viewport.reach;
                let [x, y, z] = self.frame.axes;
                let swivels = self.operation == Operation::Swivel;
                let way = if swivels {
                    Vec3::ZERO
                } else {
                    x * self.value.x + y * self.value.y + z * self.value.z
                };
                let drag = DragLimb {
                    node,
                    to: self.frame.origin + way,
                    chain: reach.chain,
                    swivel: swivels.then_some(Degrees(self.value.x)),
                    tip: self.tip,
                    end: Some(if reach.keeps { EndAngle::Keep } else { EndAngle::Follow }),
                    soft: Some(reach.soft),
                    limits: reach.limits.then_some(true),
                    plant: None,
                    body: Some(if reach.full { Body::Full } else { Body::Limb }),
                    over,
                };
                DocumentCommand::Ik(drag.into())
            }
            Operation::Scale => {
                let (pivot, space) = match (pivot, self.space) {
                    (Some(pivot), GizmoSpace::Of(Space::World)) => (Some(pivot), Space::World),
                    (Some(pivot), _) if self.limit == Limit::Free => (Some(pivot), Space::World),
                    (_, GizmoSpace::Of(space)) => (None, space),
                    (_, GizmoSpace::View) => (None, Space::Local),
                };
                DocumentCommand::Pose(
                    Resize {
                        node,
                        by: Factor(self.value),
                        space: Some(AnySpace(space)),
                        pivot,
                        children,
                        over,
                    }
                    .simplest(),
                )
            }
        }
    }

    /// Nodes that the gesture poses. For IK drags, these are the rotated joints and all nodes that
    /// follow.
    pub(super) fn posed(&self, view: &View<'_>) -> Vec<NodeId> {
        let asked = view.shown_clip().is_some() || view.viewport.symmetry;
        let stays = view.viewport.children != Children::Follow;
        if !asked || !(stays || matches!(self.operation, Operation::Reach | Operation::Swivel)) {
            return self.nodes.clone();
        }
        // The command does not list these nodes, so they are read from the changes that it would
        // make.
        let wanted = self
            .command(view, PoseDestination::FILE)
            .wanted(&Scene::new(&self.document))
            .unwrap_or_default();
        wanted.into_iter().map(|(node, _)| node).collect()
    }
}
