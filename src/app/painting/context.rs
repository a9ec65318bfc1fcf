//! The parts of the window that the handlers of painting read and change.

use std::collections::BTreeSet;

use egui::Context;

use crate::{
    app::{App, messages::Messages, problems::Problems, viewport_renderer::ViewportRenderer},
    ui::{Compare, ModeSpec, PaintDomain},
};
use ulna_edit::Selection;
use ulna_model::NodeId;
use ulna_render::Camera;
use ulna_session::{Playback, Session};

/// The parts of the window that a brush reads and changes.
pub(in crate::app) struct BrushContext<'a> {
    pub(super) painting: &'a mut PaintDomain,
    /// Strokes are edits of its document.
    pub(super) session: &'a mut Session,
    /// Poses the surface.
    pub(super) renderer: &'a mut ViewportRenderer,
    pub(super) camera: &'a Camera,
    /// The joint selection, which a press outside the surface changes.
    pub(super) selection: &'a mut Selection,
    /// Hidden nodes, which the brush does not touch.
    pub(super) hidden: &'a BTreeSet<NodeId>,
    pub(super) messages: Messages<'a>,
}

/// The parts of the window that bending of joints reads and changes. A bend is not an edit.
pub(in crate::app) struct BendContext<'a> {
    pub(super) painting: &'a mut PaintDomain,
    pub(super) session: &'a Session,
    /// Has the pose that is shown.
    pub(super) renderer: &'a ViewportRenderer,
    /// Whether joints of the other side are bent, too.
    pub(super) symmetry: bool,
    pub(super) messages: Messages<'a>,
}

/// The parts of the window that commands on weights, and the selection of vertices, read and
/// change. The commands themselves are returned.
pub(in crate::app) struct WeightContext<'a> {
    pub(super) painting: &'a mut PaintDomain,
    pub(super) session: &'a Session,
    pub(super) mode: &'static ModeSpec,
    pub(super) messages: Messages<'a>,
}

/// The parts of the window that show the worst deformations.
pub(in crate::app) struct SpotContext<'a> {
    pub(super) painting: &'a mut PaintDomain,
    pub(super) session: &'a Session,
    /// Shows the clip and the time of a spot.
    pub(super) playback: &'a mut Playback,
    pub(super) selection: &'a mut Selection,
    pub(super) messages: Messages<'a>,
}

/// The parts of the window that the painted surface depends on, and those that show it.
pub(in crate::app) struct SurfaceContext<'a> {
    pub(super) painting: &'a mut PaintDomain,
    pub(super) session: &'a Session,
    pub(super) renderer: &'a mut ViewportRenderer,
    pub(super) mode: &'static ModeSpec,
    pub(super) selection: &'a mut Selection,
    /// Hidden nodes, which cannot be touched.
    pub(super) hidden: &'a BTreeSet<NodeId>,
    pub(super) problems: &'a mut Problems,
    /// The chosen comparison.
    pub(super) compare: &'a mut Compare,
    /// The comparison that is shown, a held key included.
    pub(super) compared: Compare,
    /// Whether tints of another panel stay.
    pub(super) keeps_tints: bool,
    /// Name of the theme.
    pub(super) theme: &'a str,
}

/// The parts of the window that show a problem.
pub(in crate::app) struct ProblemContext<'a> {
    pub(super) problems: &'a Problems,
    pub(super) session: &'a Session,
    pub(super) painting: &'a mut PaintDomain,
    pub(super) selection: &'a mut Selection,
    pub(super) messages: Messages<'a>,
}

/// Each context is `None` without a file.
impl App {
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

    pub(in crate::app) fn bend_context<'a>(
        &'a mut self,
        ctx: &'a Context,
    ) -> Option<BendContext<'a>> {
        Some(BendContext {
            painting: &mut self.painting,
            session: self.session.as_ref()?,
            renderer: &self.renderer,
            symmetry: self.viewport.symmetry,
            messages: Messages { dialogs: &mut self.dialogs, ctx },
        })
    }

    pub(in crate::app) fn weight_context<'a>(
        &'a mut self,
        ctx: &'a Context,
    ) -> Option<WeightContext<'a>> {
        Some(WeightContext {
            painting: &mut self.painting,
            session: self.session.as_ref()?,
            mode: self.mode.spec(),
            messages: Messages { dialogs: &mut self.dialogs, ctx },
        })
    }

    pub(in crate::app) fn spot_context<'a>(
        &'a mut self,
        ctx: &'a Context,
    ) -> Option<SpotContext<'a>> {
        Some(SpotContext {
            painting: &mut self.painting,
            session: self.session.as_ref()?,
            playback: &mut self.timeline.playback,
            selection: &mut self.outliner.selection,
            messages: Messages { dialogs: &mut self.dialogs, ctx },
        })
    }

    pub(in crate::app) fn surface_context(&mut self) -> Option<SurfaceContext<'_>> {
        let (compared, keeps_tints) = (self.viewport.compared(), self.colors_bind());
        Some(SurfaceContext {
            keeps_tints,
            painting: &mut self.painting,
            session: self.session.as_ref()?,
            renderer: &mut self.renderer,
            mode: self.mode.spec(),
            selection: &mut self.outliner.selection,
            hidden: &self.outliner.visibility.hidden,
            problems: &mut self.problems,
            compare: &mut self.viewport.compare,
            compared,
            theme: self.program.theme.name(),
        })
    }

    pub(in crate::app) fn problem_context<'a>(
        &'a mut self,
        ctx: &'a Context,
    ) -> Option<ProblemContext<'a>> {
        Some(ProblemContext {
            problems: &self.problems,
            session: self.session.as_ref()?,
            painting: &mut self.painting,
            selection: &mut self.outliner.selection,
            messages: Messages { dialogs: &mut self.dialogs, ctx },
        })
    }
}
