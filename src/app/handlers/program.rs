//! Handlers for actions of the program: messages, preferences, devices.

use egui::Context;
use glam::Vec3;

use crate::{
    app::App,
    ui::{Action, ProgramAction, ToastKind},
};
use ulna_edit::{Command, command::SessionCommand};
use ulna_model::NodeId;
use ulna_motion::ik;

impl App {
    pub(in crate::app) fn apply_program(&mut self, ctx: &Context, action: ProgramAction) {
        match action {
            ProgramAction::ChooseDevice(wish) => {
                self.program.devices.choose(wish);
                self.leave(ctx, crate::app::window_state::Leaving::Switch);
            }
            ProgramAction::AskKeys { saves } => self.ask_keys(ctx, saves),
            ProgramAction::Tour(action) => self.tour_action(ctx, action),
            ProgramAction::UsedCommand(command) => {
                self.program.preferences.remember_used(command.name);
            }
            ProgramAction::Forget(path) => {
                self.program.preferences.recent.retain(|f| f.path != path);
                self.program.recent.refresh(ctx, &self.program.preferences.recent);
            }
            ProgramAction::Settings(settings) => self.set_settings(ctx, *settings),
            ProgramAction::CancelJob => self.cancel_jobs(ctx),
            ProgramAction::HoldToast(k) => {
                let now = ctx.input(|i| i.time);
                if let Some(toast) = self.dialogs.toasts.get_mut(k) {
                    toast.since = now;
                }
            }
            ProgramAction::Torn { node, to, by } => self.say_torn(ctx, node, to, by),
            ProgramAction::ReachInstead { node, to } => self.reach_instead(ctx, node, to),
            ProgramAction::CloseToast(k) => {
                if k < self.dialogs.toasts.len() {
                    self.dialogs.toasts.remove(k);
                }
            }
        }
    }

    /// Reports that a joint was moved away from the limb that it ends, and offers to move the limb
    /// with IK.
    fn say_torn(&mut self, ctx: &Context, node: NodeId, to: Vec3, by: f32) {
        let Some(session) = &self.session else { return };
        let document = session.document();
        let length = self.program.settings.length;
        let above = document
            .node(node)
            .parent
            .map_or_else(|| "its parent".to_owned(), |p| document.node(p).label(p));
        let text = format!(
            "Only {} moved, by {:.3} {}, so it is now detached from {above}.",
            document.node(node).label(node),
            by * length.per_meter(),
            length.sign()
        );
        let verbs = vec![
            ("Undo", Action::Run(SessionCommand::Undo.into())),
            ("Use IK", Action::Program(ProgramAction::ReachInstead { node, to })),
        ];
        self.say(ctx, ToastKind::Note, text, verbs);
    }

    /// Undoes the last step, and moves the end of the limb to a scene point with IK.
    fn reach_instead(&mut self, ctx: &Context, node: NodeId, to: Vec3) {
        self.run(ctx, SessionCommand::Undo);
        let Some(session) = &mut self.session else { return };
        let limb = ik::limb_of(session.document(), self.renderer.pose(), node, None, false);
        let nodes = limb.map_or_else(|| vec![node], |l| l.nodes);
        let reach = self.viewport.reach;
        let drag = |over| Command::from(reach.put(node, to, over));
        let Some(session) = &self.session else { return };
        let commands = self.around(session).posed(nodes, drag);
        let Some(session) = &mut self.session else { return };
        let done = session.run_all("Move limb to a point (IK)", &commands).map(|_| ());
        self.say_done(ctx, done, "Move limb to a point (IK)");
    }
}
