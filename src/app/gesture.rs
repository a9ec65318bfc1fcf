//! Gestures are atomic: while one is open, nothing else runs. If the pointer is taken away, the
//! gesture ends as an undo step.

use egui::Context;

use super::App;
use crate::ui::StrokePhase;

impl App {
    /// Whether a drag, a stroke or a slider is under way.
    pub(super) fn is_gesture_open(&self) -> bool {
        self.painting.is_stroking() || self.session.as_ref().is_some_and(|s| s.history().is_open())
    }

    /// Ends the gesture under way as if it had been let go.
    pub(super) fn end_gesture(&mut self, ctx: &Context) {
        if self.painting.is_stroking() {
            let size = self.renderer.size();
            if let Some(mut brush) = self.brush_context(ctx) {
                brush.stroke(StrokePhase::End, glam::Vec2::ZERO, size, 1.0, false, false);
            }
        }
        self.end_rig_step(ctx, true);
        if let Some(session) = &mut self.session {
            session.settle();
        }
        self.panels.end_gestures();
        self.painting.bending.end_drag();
    }

    /// A window that loses the focus, or is asked to close, lets go.
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
