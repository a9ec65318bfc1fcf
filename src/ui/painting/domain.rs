//! State of Paint mode.

use std::collections::BTreeSet;

use glam::Vec2;

use super::{
    bending::Bending,
    layering::Layering,
    options::{BrushNumber, PaintOptions},
    session::{PaintSession, Painting},
    view::PaintView,
    worst::WorstSearch,
};
use ulna_edit::{
    Change,
    command::{Assign, VertexCommand},
};
use ulna_model::{Document, NodeId, SkinId};
use ulna_motion::Bend;
use ulna_weights::{Brush, Refusal};

/// State of Paint mode.
#[derive(Default)]
pub struct PaintDomain {
    /// Brush settings, locked joints and display settings.
    pub options: PaintOptions,
    /// Painted surface and the state of its preparation.
    pub state: Painting,
    /// Painted layer.
    pub layering: Layering,
    /// Pose of the model during painting.
    pub bending: Bending,
    /// Result of the search for the worst deformations; `None` before a search.
    pub worst: Option<WorstSearch>,
    /// Copied weights.
    pub clipboard: WeightClipboard,
    /// Pointer position and viewport size, in points; `None` outside the viewport.
    pub pointer: Option<(Vec2, Vec2)>,
    /// Drag that changes the radius, strength or value of the brush.
    pub adjusting: Option<BrushDrag>,
    /// Command that selects vertices. It runs as soon as the surface is ready.
    pub select_next: Option<VertexCommand>,
    /// Reasons for unchanged vertices that were already reported to the user.
    pub reported: BTreeSet<Refusal>,
    /// Original weights while they are displayed; painting is disabled meanwhile.
    pub original: Option<OriginalWeights>,
    /// Whether Paint mode has already been entered.
    pub entered: bool,
    /// Smoothed duration of one dab, in milliseconds.
    pub dab_ms: f32,
}

/// Copied weights, and a pending read of the system clipboard.
#[derive(Default)]
pub struct WeightClipboard {
    /// Command that assigns the copied weights to other vertices.
    pub copied: Option<Assign>,
    /// Whether weights were copied in this program, as one command or as a table.
    pub is_filled: bool,
    /// Number of frames left for the system clipboard to answer; `None` without a request.
    pub waiting: Option<u8>,
}

/// Drag that changes the radius, strength or value of the brush.
#[derive(Clone, Copy, Debug)]
pub struct BrushDrag {
    /// Brush property being changed.
    pub number: BrushNumber,
    /// Brush at the start of the drag.
    pub before: Brush,
    /// Start of the drag, in viewport points; `None` until the pointer is over the viewport.
    pub from: Option<Vec2>,
}

/// Weights of the file as opened, displayed instead of the current ones.
pub struct OriginalWeights {
    /// Serial number of the scene.
    pub scene: u64,
    /// Skin of the painted surface.
    pub skin: SkinId,
    /// Primitives with weights that differ from the opened file.
    pub changes: Vec<Change>,
}

impl PaintDomain {
    /// Painting session of the shown surface, even if its preparation is not finished.
    pub fn session(&self) -> Option<&PaintSession> {
        self.state.session()
    }

    /// Mutable painting session of the shown surface, even if its preparation is not finished.
    pub fn session_mut(&mut self) -> Option<&mut PaintSession> {
        self.state.session_mut()
    }

    /// Read-only view for the panels.
    pub fn view(&self) -> PaintView<'_> {
        PaintView {
            options: &self.options,
            session: self.session(),
            layering: &self.layering,
            bending: &self.bending,
            worst: self.worst.as_ref(),
            adjusting: self.adjusting.map(|drag| drag.number),
            shows_original: self.original.is_some(),
            has_copied: self.clipboard.is_filled,
            dab_ms: self.dab_ms,
        }
    }

    /// Discards all state of the previous file.
    pub fn reset(&mut self) {
        let mut options = std::mem::take(&mut self.options);
        options.reset();
        *self = Self { options, ..Self::default() };
    }

    /// Marks tints for upload, because a new scene has none.
    pub fn invalidate_tints(&mut self) {
        if let Some(session) = self.session_mut() {
            session.tinted = None;
        }
    }

    /// Marks tints and strain colors as outdated, because other weights are displayed.
    pub fn invalidate_colors(&mut self) {
        if let Some(session) = self.session_mut() {
            session.tinted = None;
            session.strain.clear();
        }
    }

    /// Drops a surface that no longer matches the document. Painting builds a new one.
    pub fn drop_stale_surface(&mut self, document: &Document) {
        if self.session().is_some_and(|s| !s.surface.fits(document)) {
            self.state = Painting::Off;
        }
    }

    /// Whether a stroke is in progress.
    pub fn is_stroking(&self) -> bool {
        self.session().is_some_and(|s| s.stroke.is_some())
    }

    /// Cancels the current stroke.
    pub fn drop_stroke(&mut self) {
        if let Some(session) = self.session_mut() {
            session.stroke = None;
        }
        self.layering.mask.values.clear();
    }

    /// Painted joint as a node.
    pub fn joint_node(&self) -> Option<NodeId> {
        self.session()?.joint_node()
    }

    /// Selected vertices of the surface.
    pub fn vertices(&self) -> &[u32] {
        self.session().map_or(&[], |s| &s.vertices)
    }

    /// Current bend with its skin and serial number; `None` if no joint is bent.
    pub fn bent(&self) -> Option<(&Bend, SkinId, u64)> {
        let skin = self.session()?.skin();
        self.bending.shown().map(|(bend, serial)| (bend, skin, serial))
    }
}
