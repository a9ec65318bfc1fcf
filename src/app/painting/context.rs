//! The parts of the window that the handlers of Paint mode read and change.

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
    /// The open file, which strokes edit.
    pub(super) session: &'a mut Session,
    /// Renderer with the posed surface.
    pub(super) renderer: &'a mut ViewportRenderer,
    pub(super) camera: &'a Camera,
    /// The joint selection. A press outside the surface changes it.
    pub(super) selection: &'a mut Selection,
    /// Hidden nodes. The brush does not touch them.
    pub(super) hidden: &'a BTreeSet<NodeId>,
    pub(super) messages: Messages<'a>,
}

/// The parts of the window that bending of joints reads and changes. A bend is not an edit.
pub(in crate::app) struct BendContext<'a> {
    pub(super) painting: &'a mut PaintDomain,
    pub(super) session: &'a Session,
    /// Renderer with the displayed pose.
    pub(super) renderer: &'a ViewportRenderer,
    /// True if joints of the other side are also bent.
    pub(super) symmetry: bool,
    pub(super) messages: Messages<'a>,
}

/// The parts of the window that weight commands and the vertex selection read and change. Commands
/// on the document are returned to the caller.
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
    /// Playback state, to show the clip and time of a deformation.
    pub(super) playback: &'a mut Playback,
    pub(super) selection: &'a mut Selection,
    pub(super) messages: Messages<'a>,
}

/// The parts of the window that determine or show the painted surface.
pub(in crate::app) struct SurfaceContext<'a> {
    pub(super) painting: &'a mut PaintDomain,
    pub(super) session: &'a Session,
    pub(super) renderer: &'a mut ViewportRenderer,
    pub(super) mode: &'static ModeSpec,
    pub(super) selection: &'a mut Selection,
    /// Hidden nodes. Their meshes cannot be painted.
    pub(super) hidden: &'a BTreeSet<NodeId>,
    pub(super) problems: &'a mut Problems,
    /// The comparison that the user chose.
    pub(super) compare: &'a mut Compare,
    /// The displayed comparison, which a held key may change.
    pub(super) compared: Compare,
    /// True if colors of another panel must not be replaced.
    pub(super) keeps_tints: bool,
    /// Name of the color theme.
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

/// Creates the contexts. Each is `None` without an open file.
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
