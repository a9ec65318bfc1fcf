//! Applies the actions that the panels requested in this frame.

use egui::Context;

use super::App;
use crate::ui::{
    Action, Actions, OutlinerAction, PaintAction, ProblemAction, ProgramAction, TimelineAction,
    ViewportAction,
};
use ulna_edit::command::mix_of;
use ulna_model::DisplayChoice;
use ulna_session::Session;

impl App {
    /// Performs the actions of the panels. Returns whether another frame is needed to show the
    /// result.
    pub(super) fn apply(&mut self, ctx: &Context, actions: Actions) -> bool {
        let mut changed = false;
        for action in actions {
            self.follow_mix();
            // Panels send these actions in every frame, even with a resting pointer. They alone
            // need no further frame.
            let is_of_the_pointer = matches!(
                action,
                Action::Viewport(
                    ViewportAction::ViewportSize(_)
                        | ViewportAction::Hover(_)
                        | ViewportAction::HoverSurface { .. }
                ) | Action::Program(ProgramAction::HoldToast(_))
                    | Action::Paint(PaintAction::BrushHover(_))
            );
            if !is_of_the_pointer {
                log::trace!("an act: {action:?}");
                changed = true;
            }
            self.apply_one(ctx, action);
        }
        // If the user cancels a save, the action that should follow it is also canceled.
        let asks = self.dialogs.open.is_some()
            || self.files.browsing.is_some()
            || !self.saves.refused.is_empty();
        if !asks && !self.is_saving() {
            self.files.after_save = None;
        }
        changed
    }

    fn apply_one(&mut self, ctx: &Context, action: Action) {
        match action {
            Action::Run(command) => self.run(ctx, command),
            Action::Invoke(spec) => self.invoke(ctx, spec),
            Action::RunLine(line) => self.run_typed(ctx, &line),
            Action::Ask(line) => self.ask(ctx, line),
            Action::Preview { label, commands } => {
                if !commands.iter().any(|c| self.refuses_under_mix(ctx, c)) {
                    self.preview(ctx, &label, &commands);
                }
            }
            Action::Commit => {
                self.viewport.sought = None;
                if let Some(session) = &mut self.session {
                    session.commit();
                }
                self.remember_keys();
                self.say_committed(ctx);
            }
            Action::Cancel => {
                self.viewport.sought = None;
                self.painting.cancel_adjusting();
                if let Some(session) = &mut self.session {
                    session.cancel();
                }
            }
            Action::Outliner(action) => {
                if matches!(
                    action,
                    OutlinerAction::Select { .. } | OutlinerAction::SelectMany { .. }
                ) {
                    self.panels.forget_clicked_clip();
                }
                if matches!(
                    action,
                    OutlinerAction::Select { .. }
                        | OutlinerAction::SelectMany { .. }
                        | OutlinerAction::About(_)
                ) {
                    self.references.deselect();
                }
                if matches!(action, OutlinerAction::Select { .. }) {
                    self.viewport.last_pick = None;
                }
                self.outliner.apply(self.session.as_ref().map(Session::document), action);
            }
            Action::Timeline(TimelineAction::PutPose(time)) => self.put_pose(ctx, time),
            Action::Timeline(action) => {
                let document = self.session.as_ref().map(Session::document);
                self.timeline.apply(document, &mut self.outliner.selection, &mut self.mode, action);
                self.remember_keys();
            }
            Action::Layers(action) => self.layers.apply(action),
            Action::Viewport(action) => self.apply_viewport(ctx, action),
            Action::Poses(action) => self.apply_poses(ctx, action),
            Action::Problem(ProblemAction::FixProblem(k)) => {
                if let Some(fix) = self.problems.fix(k) {
                    self.run(ctx, fix);
                }
            }
            Action::Problem(ProblemAction::ShowProblem(k)) => {
                let mode = self.problem_context(ctx).and_then(|mut problem| problem.show(k));
                if let Some(mode) = mode {
                    self.run(ctx, mode);
                }
            }
            Action::Dialog(action) => self.apply_dialog(ctx, action),
            Action::Program(action) => self.apply_program(ctx, action),
            Action::Paint(action) => self.apply_paint(ctx, action),
            Action::Rig(action) => self.apply_rig(ctx, action),
            Action::Retarget(action) => self.apply_retarget(ctx, action),
            Action::Reference(action) => self.apply_reference(action),
        }
    }

    /// Keeps the chosen bar and the painted lane of the mix valid after the mix changed.
    pub(super) fn follow_mix(&mut self) {
        let mix = self.session.as_ref().and_then(|s| mix_of(s.document()));
        self.timeline.follow_mix(mix);
    }

    /// Shows another scene or material variant.
    pub(super) fn choose(&mut self, ctx: &Context, shown: DisplayChoice) {
        let Some(session) = &mut self.session else { return };
        session.show(shown);
        self.remake_scene(ctx);
    }

    /// Undoes or redoes until the history contains `steps` done steps.
    pub(super) fn go_to(&mut self, steps: usize) {
        let Some(session) = &mut self.session else { return };
        while session.history().done().len() != steps {
            let back = session.history().done().len() > steps;
            if (if back { session.undo() } else { session.redo() }).is_none() {
                return;
            }
        }
        self.purge_selection();
    }

    /// Removes nodes and keys that no longer exist from the selection.
    pub(super) fn purge_selection(&mut self) {
        if let Some(session) = &self.session {
            self.outliner.selection.purge(session.document());
        }
    }
}
