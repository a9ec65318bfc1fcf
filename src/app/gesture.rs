//! Gestures are atomic: no other command runs while one is open. If a gesture loses the pointer, it
//! ends as an undo step.

use egui::Context;

use super::App;
use crate::ui::StrokePhase;

impl App {
    /// True while a drag, a brush stroke or a slider drag is in progress.
    pub(super) fn is_gesture_open(&self) -> bool {
        self.painting.is_stroking() || self.session.as_ref().is_some_and(|s| s.history().is_open())
    }

    /// Ends the open gesture like a release of the mouse button.
    pub(super) fn end_gesture(&mut self, ctx: &Context) {
        if self.painting.is_stroking() {
            let size = self.renderer.size();
            if let Some(mut brush) = self.brush_context(ctx) {
                brush.stroke(StrokePhase::End, glam::Vec2::ZERO, size, 1.0, false, false);
            }
        }
        self.end_rig_step(ctx, true);
        if let Some(session) = &mut self.session
            && session.history().is_open()
        {
            session.settle();
            // Otherwise, the next command would report the notes of the gesture as its own.
            self.say_committed(ctx);
        }
        self.panels.end_gestures();
        self.painting.bending.end_drag();
    }

    /// Ends the open gesture if the window loses the focus or is asked to close.
    pub(super) fn end_gestures(&mut self, ctx: &Context) {
        let lost = ctx.input(|i| {
            i.events.iter().any(|e| matches!(e, egui::Event::WindowFocused(false)))
                || i.viewport().close_requested()
        });
        if lost && self.is_gesture_open() {
            self.end_gesture(ctx);
        }
    }
}
