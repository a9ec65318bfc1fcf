//! Runs the tour: opens it where it was closed, detects that a step was done, and prepares the
//! window for a step.

use egui::Context;

use super::App;
use crate::ui::{Mode, Tour, TourAction, TourStep};
use ulna_edit::command::{ModeCommand, ToolCommand};
use ulna_model::{Document, NodeId};
use ulna_motion::{guessed_bones, humanoid_map};
use ulna_session::Session;

/// Humanoid bones that are suitable for posing in the tour, best first.
const LIMBS: [&str; 4] = ["leftUpperArm", "rightUpperArm", "leftUpperLeg", "rightUpperLeg"];

impl App {
    /// Opens the tour at the step where it was closed.
    pub(super) fn open_tour(&mut self) {
        self.program.tour = Some(Tour::at(TourStep::of(self.program.preferences.tour)));
    }

    /// Performs an action of the tour card.
    pub(super) fn tour_action(&mut self, ctx: &Context, action: TourAction) {
        match action {
            TourAction::Show(step) => self.show_step(ctx, step),
            TourAction::Skip => self.change_tour(Tour::advance),
            TourAction::Back => self.change_tour(Tour::go_back),
            TourAction::Leave => self.program.tour = None,
        }
    }

    fn change_tour(&mut self, change: impl FnOnce(&mut Tour)) {
        if let Some(tour) = &mut self.program.tour {
            change(tour);
            self.program.preferences.tour = tour.resumes_at();
        }
    }

    /// Checks whether the user has done the current step.
    pub(super) fn follow_tour(&mut self, ctx: &Context) {
        let (Some(tour), Some(session)) = (&mut self.program.tour, &self.session) else { return };
        if tour.observe(session) {
            self.program.preferences.tour = tour.resumes_at();
            ctx.request_repaint();
        }
    }

    /// Reports that the open file was saved, which may complete the current step.
    pub(super) fn tell_tour_saved(&mut self, ctx: &Context) {
        if self.program.tour.as_mut().is_some_and(Tour::saved) {
            self.change_tour(|_| {});
            ctx.request_repaint();
        }
    }

    /// Prepares the window for a step, so that only the step itself is left to do.
    fn show_step(&mut self, ctx: &Context, step: TourStep) {
        self.timeline.playback.playing = false;
        match step {
            TourStep::Pose => {
                if !self.mode.spec().poses {
                    self.run(ctx, ModeCommand::PoseMode);
                }
                self.select_limb();
                self.viewport.tool = ToolCommand::Rotate;
            }
            TourStep::Key => {
                self.run(ctx, Mode::FOR_CLIPS.spec().command.clone());
                self.select_limb();
            }
            TourStep::Paint => {
                let paints = ModeCommand::PaintMode.spec();
                if paints.check(&self.availability()).is_ok() {
                    self.run(ctx, ModeCommand::PaintMode);
                    self.select_limb();
                }
            }
            TourStep::Undo | TourStep::Save => {}
        }
        if let Some(tour) = &mut self.program.tour {
            tour.set_shown();
        }
    }

    /// Selects a limb, unless a joint is selected.
    fn select_limb(&mut self) {
        let Some(document) = self.session.as_ref().map(Session::document) else { return };
        if self.outliner.selection.active.is_some() {
            return;
        }
        if let Some(joint) = limb(document) {
            self.outliner.selection.set(joint);
        }
    }
}

/// A joint for posing: an upper arm or leg of a humanoid, or else a joint in the middle of a chain.
fn limb(document: &Document) -> Option<NodeId> {
    let (told, guessed) = (humanoid_map(document), guessed_bones(document));
    let bone = |name: &&str| told.get(*name).or_else(|| guessed.get(*name)).copied();
    let joints = || document.skins.iter().flat_map(|(_, skin)| skin.joints.iter().copied());
    let parent = |node: NodeId| document.node(node).parent;
    let is_inner = |joint: &NodeId| joints().any(|other| parent(other) == Some(*joint));
    let middle = || joints().rfind(is_inner);
    LIMBS.iter().find_map(bone).or_else(middle).or_else(|| joints().next())
}
