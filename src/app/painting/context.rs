//! The parts of the window that a brush reads and changes.

use std::collections::BTreeSet;

use egui::Context;

use crate::{
    app::{App, messages::Messages, viewport_renderer::ViewportRenderer},
    ui::PaintDomain,
};
use ulna_edit::Selection;
use ulna_model::NodeId;
use ulna_render::Camera;
use ulna_session::Session;

/// The parts of the window that a brush reads and changes.
pub(in crate::app) struct BrushContext<'a> {
    pub(super) painting: &'a mut PaintDomain,
    /// Strokes are edits of its document.
    pub(super) session: &'a mut Session,
    /// Poses the surface.
    pub(super) renderer: &'a mut ViewportRenderer,
    pub(super) camera: &'a Camera,
    /// A press beside the surface selects a joint.
    pub(super) selection: &'a mut Selection,
    /// Hidden nodes, which the brush does not touch.
    pub(super) hidden: &'a BTreeSet<NodeId>,
    pub(super) messages: Messages<'a>,
}

impl App {
    /// The parts of the window that a brush reads and changes; `None` without a file.
    pub(in crate::app) fn brush_context<'a>(
        &'a mut self,
        ctx: &'a Context,
    ) -> Option<BrushContext<'a>> {
        Some(BrushContext {
            painting: &mut self.painting,
            session: self.session.as_mut()?,
            renderer: &mut self.renderer,
            camera: &self.viewport.camera,
            selection: &mut self.outliner.selection,
            hidden: &self.outliner.visibility.hidden,
            messages: Messages { dialogs: &mut self.dialogs, ctx },
        })
    }
}
