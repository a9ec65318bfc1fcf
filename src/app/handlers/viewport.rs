//! What the viewport asked for: the eye, and what the pointer is over.

use egui::Context;

use crate::{app::App, ui::ViewportAction};

impl App {
    pub(in crate::app) fn apply_viewport(&mut self, ctx: &Context, action: ViewportAction) {
        match action {
            ViewportAction::Choose(shown) => self.choose(ctx, shown),
            ViewportAction::Hover(node) => self.outliner.hover = node.or(self.outliner.hover),
            ViewportAction::PickSurface { at, size, toggle } => self.pick_surface(at, size, toggle),
            ViewportAction::Camera(camera) => {
                self.viewport.transition = None;
                self.viewport.camera = camera;
            }
            ViewportAction::SetSpace(space) => self.viewport.space = space,
            ViewportAction::SetPivot(pivot) => self.viewport.pivot = pivot,
            ViewportAction::SetSnap(on, steps) => (self.viewport.snap, self.viewport.snap_steps) = (on, steps),
            ViewportAction::ViewportSize(size) => self.renderer.set_size(size, ctx.pixels_per_point()),
        }
    }
}
