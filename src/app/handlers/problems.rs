//! What the list of problems asked for.

use egui::Context;

use crate::{app::App, ui::ProblemAction};

impl App {
    pub(in crate::app) fn apply_problem(&mut self, ctx: &Context, action: ProblemAction) {
        match action {
            ProblemAction::FixProblem(k) => self.fix_problem(ctx, k),
            ProblemAction::ShowProblem(k) => self.show_problem(ctx, k),
        }
    }
}
