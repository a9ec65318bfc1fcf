//! View of painting, which panels read.

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

/// View of painting.
#[derive(Clone, Copy)]
pub struct PaintView<'a> {
    /// Brush, locks and display.
    pub options: &'a PaintOptions,
    /// The painted surface; `None` where the file has no weights.
    pub session: Option<&'a PaintSession>,
    /// The painted layer.
    pub layering: &'a Layering,
    /// The pose that is painted on.
    pub bending: &'a Bending,
    /// The worst deformations, after a search.
    pub worst: Option<&'a WorstSearch>,
    /// The number of the brush that is dragged.
    pub adjusting: Option<BrushNumber>,
    /// Whether the original weights are shown: then nothing can be painted.
    pub shows_original: bool,
    /// Duration of a dab, smoothed, milliseconds.
    pub dab_ms: f32,
}

impl<'a> PaintView<'a> {
    /// The painted surface.
    pub fn surface(&self) -> Option<&'a SkinnedSurface> {
        self.session.map(|s| &*s.surface)
    }

    /// The painted joint, by its number in the skin.
    pub fn joint(&self) -> Option<u16> {
        self.session?.joint
    }

    /// The brush over the surface.
    pub fn hover(&self) -> Option<&'a BrushHover> {
        self.session?.hover()
    }

    /// The vertex that was under the brush last. Lists keep it while the pointer goes there.
    pub fn touched(&self) -> Option<&'a BrushHover> {
        self.session?.touched.as_ref()
    }

    /// Selected vertices of the surface.
    pub fn vertices(&self) -> &'a [u32] {
        self.session.map_or(&[], |s| &s.vertices)
    }

    /// The posed surface.
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

    /// Problems of the weights.
    pub fn faults(&self) -> Faults {
        self.session.map_or_else(Faults::default, |s| s.counts.faults())
    }

    /// Number of outliers.
    pub fn outliers(&self) -> usize {
        self.session.map_or(0, |s| s.counts.strays())
    }

    /// Whether these three are still being counted.
    pub fn is_counting(&self) -> bool {
        self.session.is_some_and(PaintSession::is_counting)
    }

    /// Farthest move of a vertex if weights had another stored type, meters; 0 if not shown.
    pub fn farthest(&self) -> f32 {
        self.session.and_then(|s| s.strain.get()).map_or(0.0, |strain| strain.farthest)
    }

    /// One color per joint of the skin.
    pub fn colors(&self) -> &'a [Color] {
        self.session.map_or(&[], |s| &s.colors)
    }

    /// Roles of the skin's joints in mirroring.
    pub fn roles(&self) -> &'a [Role] {
        self.session.and_then(|s| s.pairs.get()).map_or(&[], MirrorPairs::joints)
    }

    /// The mirror joint of the painted joint.
    pub fn partner(&self) -> Option<NodeId> {
        let partner = self.roles().get(usize::from(self.joint()?))?.partner?;
        self.surface()?.joints().get(partner).copied()
    }

    /// One vertex of each point without a mirror image, once sides were paired.
    pub fn unpaired(&self) -> Option<&'a [u32]> {
        self.session?.mirror.get().map(|sides| &sides.unpaired[..])
    }

    /// The worst spots, the worst first.
    pub fn spots(&self) -> &'a [Spot] {
        self.worst.map_or(&[], |w| &w.spots)
    }

    /// The worst moment of the vertex under the brush.
    pub fn spot_under_brush(&self) -> Option<Spot> {
        let hover = self.hover()?;
        let (primitive, vertex) = hover.vertex;
        self.worst?.found.at(hover.node, primitive, vertex)
    }

    /// Length of the range of motion, seconds, where that is shown in place of a clip.
    pub fn range_length(&self) -> Option<f64> {
        self.bending.range_clip().map(|clip| f64::from(clip.length()))
    }
}
