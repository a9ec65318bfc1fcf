//! Actions of Rig mode: dragging, adding, centering and removing joints, and showing the planned
//! skeleton.

use egui::Context;
use glam::Vec3;

use super::{
    App,
    rig_mode::{is_bound, twins},
};
use crate::ui::{RigAction, RigStep, ToastKind};
use ulna_edit::{
    Command,
    command::{AddJoint, MoveJoint, RemoveJoint, field::Nodes},
};
use ulna_geometry::{Ray, middle_of_limb};
use ulna_model::NodeId;
use ulna_motion::{Mirror, PartView, Pose, Surface, bones};
use ulna_session::Session;

impl App {
    pub(super) fn apply_rig(&mut self, ctx: &Context, action: RigAction) {
        match action {
            RigAction::SetOptions(options) => self.rig.options = options,
            RigAction::ShowClip(clip) => self.choose_rig_clip(clip),
            RigAction::Drag(step) => self.drag_joints(ctx, step),
            RigAction::End { kept } => self.end_rig_step(ctx, kept),
            RigAction::Add(joint) => self.add_joint(ctx, joint),
            RigAction::Do(command, nodes) => self.change_joints(ctx, vec![*command], &nodes),
        }
    }

    fn drag_joints(&mut self, ctx: &Context, step: RigStep) {
        let Some(document) = self.session.as_ref().map(Session::document) else { return };
        if step.added.is_empty() {
            if is_bound(document, &step.nodes) {
                let worlds = step.worlds.clone();
                let twins = if self.viewport.symmetry { twins(document, &worlds) } else { vec![] };
                self.rig.put(worlds.into_iter().chain(twins));
            } else {
                self.preview(ctx, &step.label, &step.commands);
            }
        }
        self.rig.step = Some(step);
    }

    /// Ends the current drag. With `kept`, its change is applied.
    pub(super) fn end_rig_step(&mut self, ctx: &Context, kept: bool) {
        let Some(step) = self.rig.step.take() else { return };
        self.viewport.sought = None;
        let is_live = self.session.as_ref().is_some_and(|s| s.history().is_open());
        if is_live {
            let session = self.session.as_mut();
            if let Some(session) = session {
                if kept {
                    session.commit();
                } else {
                    session.cancel();
                }
                session.take_sentence();
            }
        } else if !kept {
            for (node, _) in &step.worlds {
                self.rig.moved.remove(node);
            }
            self.rig.serial += 1;
        } else if step.added.is_empty() {
            self.change_joints(ctx, step.commands, &step.nodes);
        } else {
            for command in step.commands {
                self.run_adding(ctx, command);
            }
        }
        ctx.request_repaint();
    }

    /// Adds a joint, and selects it.
    fn add_joint(&mut self, ctx: &Context, joint: AddJoint) {
        self.run_adding(ctx, joint.into());
    }

    /// Runs a command that adds joints, and selects the first new joint.
    fn run_adding(&mut self, ctx: &Context, command: Command) {
        let count = |app: &Self| app.session.as_ref().map(|s| s.document().nodes.next_id());
        let Some(first) = count(self) else { return };
        self.do_at_once(ctx, "Add joint", &[command]);
        let Some(session) = &self.session else { return };
        let is_new = |n: &NodeId| n.index() >= first.index();
        let new: Vec<NodeId> = session.document().node_ids().filter(is_new).collect();
        let mirrored = self.viewport.symmetry && new.len() == 2;
        match new.split_first() {
            Some((one, _)) if mirrored => self.outliner.selection.set(*one),
            Some((one, others)) => {
                self.outliner.selection.set(*one);
                others.iter().for_each(|n| self.outliner.selection.toggle(*n));
            }
            None => {}
        }
    }

    /// Changes joints. The change is planned if meshes are bound to the joints or clips move them.
    /// Otherwise it is applied immediately.
    pub(super) fn change_joints(
        &mut self,
        ctx: &Context,
        commands: Vec<Command>,
        nodes: &[NodeId],
    ) {
        let Some(document) = self.session.as_ref().map(Session::document) else { return };
        if is_bound(document, nodes) {
            let lines: Vec<_> = commands.iter().map(|c| c.line(document)).collect();
            for line in lines {
                if !self.planning.merge_move(&line) {
                    self.planning.add(line);
                }
            }
            return;
        }
        let label = commands.first().map_or("", |c| c.spec().title.trim_end_matches('…'));
        self.do_at_once(ctx, label, &commands);
    }

    /// Runs commands as one undo step. No message is shown, because nothing else changes.
    fn do_at_once(&mut self, ctx: &Context, label: &str, commands: &[Command]) {
        self.end_gesture(ctx);
        self.preview(ctx, label, commands);
        if let Some(session) = &mut self.session {
            session.commit();
            session.take_sentence();
        }
        self.purge_selection();
    }

    /// Moves the selected joints to the center of the surrounding limb, perpendicular to their
    /// bones.
    pub(super) fn center_joints(&mut self, ctx: &Context) {
        if !self.can_change_joints(ctx) {
            return;
        }
        let Some(document) = self.session.as_ref().map(Session::document) else { return };
        let document = document.clone();
        let pose = self.renderer.seen_pose().clone();
        let selected: Vec<NodeId> = self.outliner.selection.nodes.iter().copied().collect();
        let head = |n: NodeId| pose.world.get(n.index()).map(|w| w.w_axis.truncate());
        let extent = self.renderer.extent();
        let surface = self.renderer.surface(&document);
        let mut commands = Vec::new();
        let mut outside = 0;
        for node in &selected {
            let Some(at) = head(*node) else { continue };
            let before = document.node(*node).parent.and_then(head).filter(|p| *p != at);
            let after = document.children(*node).first().copied().and_then(head);
            let way = after.unwrap_or(at) - before.unwrap_or(at);
            let hit = |ray: &Ray| surface.hit(&document, ray, &|_| false).map(|hit| hit.distance);
            match middle_of_limb(at, way, extent, &hit) {
                Some(middle) => {
                    let by = middle - at;
                    let symmetric = self.viewport.symmetry.then_some(true);
                    let motion = self.rig.options.motion();
                    let node = Nodes::one(*node);
                    commands.push(MoveJoint { node, by, motion, symmetric }.into());
                }
                None => outside += 1,
            }
        }
        if outside > 0 {
            let joints = if outside == 1 { "1 joint is" } else { &format!("{outside} joints are") };
            let them = if outside == 1 { "it" } else { "them" };
            let text = format!(
                "{joints} not inside the mesh, so no limb center was found. Move {them} into the \
                 mesh first."
            );
            self.toast(ctx, ToastKind::Note, text);
        }
        self.change_joints(ctx, commands, &selected);
    }

    /// Removes the selected joints in Rig mode, and keeps their children. Returns whether only
    /// joints are selected in Rig mode.
    pub(super) fn remove_joints(&mut self, ctx: &Context) -> bool {
        let Some(session) = self.session.as_ref().filter(|_| self.mode.spec().edits_rest) else {
            return false;
        };
        let joints = self.renderer.parts().2.joints.clone();
        let is_joint = |n: &NodeId| joints.get(n.index()) == Some(&true);
        let mut nodes: Vec<NodeId> = self.outliner.selection.nodes.iter().copied().collect();
        if nodes.is_empty() || !nodes.iter().all(is_joint) {
            return false;
        }
        if self.viewport.symmetry {
            let mirror = Mirror::of(session.document());
            let twins: Vec<NodeId> = nodes.iter().filter_map(|n| mirror.partner(*n)).collect();
            nodes.extend(twins);
            nodes.sort_unstable();
            nodes.dedup();
        }
        let node = Nodes::Ids(nodes.clone());
        let remove = RemoveJoint { node, weights: None, below: None };
        self.change_joints(ctx, vec![remove.into()], &nodes);
        true
    }

    /// Center of the vertices that are selected for painting, in the rest pose.
    pub(super) fn middle_of_vertices(&self) -> Option<Vec3> {
        let document = self.session.as_ref()?.document();
        let canvas = &self.painting.session()?.surface;
        let rest = ulna_weights::at_rest(document);
        let pose = Pose::evaluate(&rest, &ulna_motion::Stack::default());
        let surface = Surface::new(&rest, &pose);
        let on_skin = |node: NodeId| document.node(node).skin == Some(canvas.skin);
        let position = |vertex: u32| {
            let (part, own) = canvas.part_of(vertex);
            let part = canvas.parts().get(part)?;
            let is_it = |seen: &PartView<'_>| {
                let mesh = document.node(seen.node).mesh;
                on_skin(seen.node) && mesh == Some(part.mesh) && seen.primitive == part.primitive
            };
            let seen = surface.parts().find(is_it)?;
            seen.positions.get(own as usize).copied().filter(|p| p.is_finite())
        };
        let all: Vec<Vec3> = self.painting.vertices().iter().filter_map(|v| position(*v)).collect();
        (!all.is_empty()).then(|| all.iter().sum::<Vec3>() / all.len() as f32)
    }

    /// Moves the active joint to a point of the scene.
    pub(super) fn put_joint(&mut self, ctx: &Context, spot: Option<Vec3>) {
        if !self.can_change_joints(ctx) {
            return;
        }
        let joint = self.outliner.selection.active;
        let here = |n: NodeId| self.renderer.seen_pose().world.get(n.index());
        let Some((spot, node)) = spot.zip(joint) else { return };
        let Some(at) = here(node).map(|world| world.w_axis.truncate()) else { return };
        let by = spot - at;
        let symmetric = self.viewport.symmetry.then_some(true);
        let motion = self.rig.options.motion();
        let moved = MoveJoint { node: Nodes::one(node), by, motion, symmetric };
        self.change_joints(ctx, vec![moved.into()], &[node]);
    }

    /// Shows the bones of planned and dragged joints.
    pub(super) fn show_rig(&mut self) {
        let Some(session) = self.session.as_ref().filter(|_| self.mode.spec().edits_rest) else {
            self.rig.forget();
            if self.rig.shown.take().is_some() {
                self.renderer.show_planned(None);
            }
            return;
        };
        if self.rig_clip().is_some() {
            self.show_rig_clip();
            return;
        }
        let document = session.document();
        let is_settled = self.rig.step.is_none() && !self.planning.is_busy();
        if is_settled {
            self.rig.forget();
        }
        let key = (session.generation(), self.planning.serial(), self.rig.serial);
        if self.rig.shown == Some(key) {
            return;
        }
        let planned = self.planning.document_after();
        if planned.is_none() && self.rig.moved.is_empty() {
            self.renderer.show_planned(None);
            self.rig.shown = Some(key);
            return;
        }
        let after = ulna_weights::at_rest(planned.unwrap_or(document));
        let mut pose = Pose::evaluate(&after, &ulna_motion::Stack::default());
        // Joints that will be removed remain visible until the plan is applied.
        let now = self.renderer.pose();
        for node in document.node_ids().filter(|n| !after.nodes.contains(*n)) {
            let there = now.world.get(node.index()).zip(pose.world.get_mut(node.index()));
            if let Some((now, then)) = there {
                *then = *now;
            }
        }
        for (node, world) in &self.rig.moved {
            if let Some(there) = pose.world.get_mut(node.index()) {
                *there = *world;
            }
        }
        let skeleton = ulna_motion::Skeleton::of(&after).with_loose(&after);
        let mut list = bones(&after, &pose, &skeleton);
        list.retain(|bone| document.nodes.contains(bone.joint));
        self.renderer.show_planned(Some((pose, list)));
        self.rig.shown = Some(key);
    }
}
