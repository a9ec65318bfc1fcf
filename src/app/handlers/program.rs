//! What is of the program around the file: messages, preferences, devices.

use egui::Context;

use crate::{app::App, ui::ProgramAction};

impl App {
    pub(in crate::app) fn apply_program(&mut self, ctx: &Context, action: ProgramAction) {
        match action {
            ProgramAction::ChooseDevice(wish) => {
                self.program.devices.choose(wish);
                self.leave(ctx, crate::app::window::Leaving::Switch);
            }
            ProgramAction::Tour(step) => self.program.tour = step,
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
            ProgramAction::CloseToast(k) => {
                if k < self.dialogs.toasts.len() {
                    self.dialogs.toasts.remove(k);
                }
            }
        }
    }
}
