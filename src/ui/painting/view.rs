//! Read-only view of painting for the panels.

use super::{
    bending::Bending,
    layering::Layering,
    options::{BrushNumber, PaintOptions},
    session::{BrushHover, PaintSession},
    worst::WorstSearch,
};
use ulna_model::NodeId;
use ulna_motion::{MirrorPairs, Role, Spot};
use ulna_render::Color;
use ulna_weights::{Faults, PosedSurface, SkinnedSurface};

/// Read-only view of painting for the panels.
#[derive(Clone, Copy)]
pub struct PaintView<'a> {
    /// Brush settings, locked joints and display settings.
    pub options: &'a PaintOptions,
    /// State of the painted surface; `None` if the file has no weights.
    pub session: Option<&'a PaintSession>,
    /// Painted layer.
    pub layering: &'a Layering,
    /// Pose of the model during painting.
    pub bending: &'a Bending,
    /// Result of the search for the worst deformations; `None` before a search.
    pub worst: Option<&'a WorstSearch>,
    /// Brush property that is being changed by a drag.
    pub adjusting: Option<BrushNumber>,
    /// Whether the original weights are displayed; painting is disabled meanwhile.
    pub shows_original: bool,
    /// Whether weights were copied in this program.
    pub has_copied: bool,
    /// Smoothed duration of one dab, in milliseconds.
    pub dab_ms: f32,
}

impl<'a> PaintView<'a> {
    /// Painted surface.
    pub fn surface(&self) -> Option<&'a SkinnedSurface> {
        self.session.map(|s| &*s.surface)
    }

    /// Painted joint, as an index into the skin.
    pub fn joint(&self) -> Option<u16> {
        self.session?.joint
    }

    /// Point of the surface under the brush; `None` if the brush is not over the surface.
    pub fn hover(&self) -> Option<&'a BrushHover> {
        self.session?.hover()
    }

    /// Last vertex under the brush. Lists keep it while the pointer moves to them.
    pub fn touched(&self) -> Option<&'a BrushHover> {
        self.session?.touched.as_ref()
    }

    /// Selected vertices of the surface.
    pub fn vertices(&self) -> &'a [u32] {
        self.session.map_or(&[], |s| &s.vertices)
    }

    /// Positions and normals of the posed surface.
    pub fn posed(&self) -> PosedSurface<'a> {
        let empty = PosedSurface { positions: &[], normals: &[] };
        self.session.map_or(empty, PaintSession::posed_surface)
    }

    /// Whether a stroke is in progress.
    pub fn is_stroking(&self) -> bool {
        self.session.is_some_and(|s| s.stroke.is_some())
    }

    /// Number of influenced vertices per joint of the skin.
    pub fn used(&self) -> &'a [u32] {
        self.session.map_or(&[], |s| s.counts.used())
    }

    /// Counts of weight problems.
    pub fn faults(&self) -> Faults {
        self.session.map_or_else(Faults::default, |s| s.counts.faults())
    }

    /// Number of outliers.
    pub fn outliers(&self) -> usize {
        self.session.map_or(0, |s| s.counts.strays())
    }

    /// Whether the numbers of influenced vertices, problems and outliers are still being counted.
    pub fn is_counting(&self) -> bool {
        self.session.is_some_and(PaintSession::is_counting)
    }

    /// Largest displacement of a vertex by rounded weights, in meters; 0 if not displayed.
    pub fn farthest(&self) -> f32 {
        self.session.and_then(|s| s.strain.get()).map_or(0.0, |strain| strain.farthest)
    }

    /// One color per joint of the skin.
    pub fn colors(&self) -> &'a [Color] {
        self.session.map_or(&[], |s| &s.colors)
    }

    /// Mirror role of each joint in the skin.
    pub fn roles(&self) -> &'a [Role] {
        self.session.and_then(|s| s.pairs.get()).map_or(&[], MirrorPairs::joints)
    }

    /// Mirror joint of the painted joint.
    pub fn partner(&self) -> Option<NodeId> {
        let partner = self.roles().get(usize::from(self.joint()?))?.partner?;
        self.surface()?.joints().get(partner).copied()
    }

    /// One vertex of each point without a mirror point; `None` until mirror pairs are found.
    pub fn unpaired(&self) -> Option<&'a [u32]> {
        self.session?.mirror.get().map(|sides| &sides.unpaired[..])
    }

    /// Points with the worst deformation, in order of falling score.
    pub fn spots(&self) -> &'a [Spot] {
        self.worst.map_or(&[], |w| &w.spots)
    }

    /// Worst deformation of the vertex under the brush.
    pub fn spot_under_brush(&self) -> Option<Spot> {
        let hover = self.hover()?;
        let (primitive, vertex) = hover.vertex;
        self.worst?.found.at(hover.node, primitive, vertex)
    }

    /// Length of the range of motion in seconds; `None` unless it is shown instead of a clip.
    pub fn range_length(&self) -> Option<f64> {
        self.bending.range_clip().map(|clip| f64::from(clip.length()))
    }
}
