//! Everything that painting keeps.

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

/// Everything that painting keeps.
#[derive(Default)]
pub struct PaintDomain {
    /// Brush, locks and display.
    pub options: PaintOptions,
    /// The painted surface.
    pub state: Painting,
    /// The painted layer.
    pub layering: Layering,
    /// The pose that is painted on.
    pub bending: Bending,
    /// The worst deformations, once they were searched for.
    pub worst: Option<WorstSearch>,
    /// Copied weights.
    pub clipboard: WeightClipboard,
    /// The pointer and the size of the picture, in points; `None` outside the picture.
    pub pointer: Option<(Vec2, Vec2)>,
    /// The number of the brush that is dragged.
    pub adjusting: Option<BrushDrag>,
    /// The command that selects vertices as soon as the surface is ready.
    pub select_next: Option<VertexCommand>,
    /// Reasons for unchanged vertices that were already reported.
    pub reported: BTreeSet<Refusal>,
    /// The original weights, while they are shown: then nothing can be painted.
    pub original: Option<OriginalWeights>,
    /// Whether Paint mode is on already.
    pub entered: bool,
    /// Duration of a dab, smoothed, milliseconds.
    pub dab_ms: f32,
}

/// Copied weights.
#[derive(Default)]
pub struct WeightClipboard {
    /// The command that gives other vertices the copied weights.
    pub copied: Option<Assign>,
    /// Frames left in which the system's clipboard may answer; `None` if nothing was asked.
    pub waiting: Option<u8>,
}

/// A number of the brush that is dragged.
#[derive(Clone, Copy, Debug)]
pub struct BrushDrag {
    /// The number.
    pub number: BrushNumber,
    /// The brush before the drag.
    pub before: Brush,
    /// Start of the drag, in points of the picture, once the pointer is over that.
    pub from: Option<Vec2>,
}

/// The weights that the file was opened with, shown in place of the present ones.
pub struct OriginalWeights {
    /// Serial of the scene.
    pub scene: u64,
    /// Skin of the surface.
    pub skin: SkinId,
    /// The primitives whose weights are others now.
    pub changes: Vec<Change>,
}

impl PaintDomain {
    /// The surface that is shown, ready or not.
    pub fn session(&self) -> Option<&PaintSession> {
        self.state.session()
    }

    /// The same, to be changed.
    pub fn session_mut(&mut self) -> Option<&mut PaintSession> {
        self.state.session_mut()
    }

    /// View of the panels.
    pub fn view(&self) -> PaintView<'_> {
        PaintView {
            options: &self.options,
            session: self.session(),
            layering: &self.layering,
            bending: &self.bending,
            worst: self.worst.as_ref(),
            adjusting: self.adjusting.map(|drag| drag.number),
            shows_original: self.original.is_some(),
            dab_ms: self.dab_ms,
        }
    }

    /// Another file: all that belongs to the old one is forgotten.
    pub fn reset(&mut self) {
        let mut options = std::mem::take(&mut self.options);
        options.reset();
        *self = Self { options, ..Self::default() };
    }

    /// Tints are uploaded again: another scene has none.
    pub fn invalidate_tints(&mut self) {
        if let Some(session) = self.session_mut() {
            session.tinted = None;
        }
    }

    /// Tints and colors of strain are derived again: other weights are shown.
    pub fn invalidate_colors(&mut self) {
        if let Some(session) = self.session_mut() {
            session.tinted = None;
            session.strain.clear();
        }
    }

    /// Drops a surface that no longer fits the document. Painting builds another one.
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

    /// The painted joint as a node.
    pub fn joint_node(&self) -> Option<NodeId> {
        self.session()?.joint_node()
    }

    /// Selected vertices of the surface.
    pub fn vertices(&self) -> &[u32] {
        self.session().map_or(&[], |s| &s.vertices)
    }

    /// The bend that is painted on, with the skin and the serial of the bend.
    pub fn bent(&self) -> Option<(&Bend, SkinId, u64)> {
        let skin = self.session()?.skin();
        self.bending.shown().map(|(bend, serial)| (bend, skin, serial))
    }
}
