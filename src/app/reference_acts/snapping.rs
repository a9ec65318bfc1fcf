//! Snapping of reference models to joints, and of joints to reference models.

use egui::Context;
use glam::Vec3;

use crate::app::{App, references::nearest};
use crate::ui::ToastKind;
use ulna_edit::{
    Command,
    command::{
        DocumentCommand, MoveJoint, ReferenceCommand, ReferencePoint, Shift,
        field::{AnySpace, Factor, Nodes},
    },
};
use ulna_model::NodeId;
use ulna_motion::{Space, ik};

impl App {
    /// Position of a node in the displayed pose.
    fn seen_position(&self, node: NodeId) -> Option<Vec3> {
        let world = self.renderer.seen_pose().world.get(node.index())?;
        Some(world.w_axis.truncate()).filter(|at| at.is_finite())
    }

    /// Moves a reference model so that its joint nearest to the active joint, or its origin,
    /// coincides with the active joint.
    pub(super) fn snap_reference(&mut self, ctx: &Context, k: usize) {
        let Some(at) = self.outliner.selection.active.and_then(|n| self.seen_position(n)) else {
            self.toast(
                ctx,
                ToastKind::Note,
                "No joint is selected. Select the joint to move the reference model to.",
            );
            return;
        };
        let place = self.references.facts[k].place;
        let from = nearest(at, self.references.models[k].joints()).unwrap_or(place.translation);
        self.references.facts[k].place.translation += at - from;
    }

    /// Moves the selected joints to the nearest points of the reference models. The moves
    /// are applied to the current destination of edits, or in Rig mode to the plan.
    pub(super) fn snap_joints(&mut self, ctx: &Context, onto: Option<ReferencePoint>) {
        let title = ReferenceCommand::SnapJoints { onto }.spec().title;
        let edits_rest = self.mode.spec().edits_rest;
        if !self.mode.spec().poses && !edits_rest {
            let text = "Joints cannot be moved in this mode. Change to Pose, Animate or Rig mode.";
            self.toast(ctx, ToastKind::Note, text);
            return;
        }
        let Some(session) = &self.session else { return };
        let nodes = self.outliner.selection.top_level_nodes(session.document());
        let mut moves: Vec<(NodeId, Vec3, Vec3)> = Vec::new();
        for node in nodes {
            let Some(at) = self.seen_position(node) else { continue };
            let to = self.references.nearest_point(at, onto);
            moves.extend(to.map(|to| (node, at, to)));
        }
        if moves.is_empty() {
            let text = "No visible reference model has a point to snap to. Show one, or load one.";
            self.toast(ctx, ToastKind::Note, text);
            return;
        }
        if edits_rest {
            let motion = self.rig.options.motion();
            let symmetric = self.viewport.symmetry.then_some(true);
            let by = |(node, from, to): &(NodeId, Vec3, Vec3)| {
                MoveJoint { node: Nodes::one(*node), by: *to - *from, motion, symmetric }.into()
            };
            let commands = moves.iter().map(by).collect();
            let nodes: Vec<NodeId> = moves.iter().map(|(node, ..)| *node).collect();
            self.change_joints(ctx, commands, &nodes);
            return;
        }
        let commands: Vec<Command> = moves.iter().map(|m| self.snapping_command(*m)).collect();
        if commands.iter().any(|command| self.refuses_under_mix(ctx, command)) {
            return;
        }
        let with_keys = commands
            .into_iter()
            .flat_map(|command| self.with_key(&command).unwrap_or_else(|| vec![command]));
        let commands: Vec<Command> = with_keys.collect();
        self.end_gesture(ctx);
        let Some(session) = &mut self.session else { return };
        let ran = session.run_all(title, &commands).map(|_| ());
        self.say_done(ctx, ran, title);
    }

    /// Command that moves a joint to a point of the scene. The end of a limb is moved with IK.
    fn snapping_command(&self, (node, from, to): (NodeId, Vec3, Vec3)) -> Command {
        let Some(session) = &self.session else {
            return ReferenceCommand::SnapJoints { onto: None }.into();
        };
        let (document, over) = (session.document(), self.around(session).over());
        let limb = ik::limb_of(document, self.renderer.pose(), node, None, false);
        if limb.is_some_and(|limb| limb.turns.len() >= 2) {
            let put = self.viewport.reach.put(node, to, over);
            return Command::Document(DocumentCommand::Ik(put.into()));
        }
        let (node, by) = (Nodes::one(node), Factor(to - from));
        let space = Some(AnySpace(Space::World));
        let shift = Shift { node, by, space, children: None, over };
        Command::Document(DocumentCommand::Pose(shift.into()))
    }
}
