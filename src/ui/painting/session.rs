//! State of painting one skinned surface.

use std::{collections::BTreeSet, sync::Arc, thread::JoinHandle};

use glam::Vec3;

use super::{look::WeightLook, strain::StrainColors, stroke::PaintStroke};
use ulna_geometry::PointId;
use ulna_model::{Derived, Document, NodeId, PrimitiveId, Shared, SkinId};
use ulna_motion::{MirrorPairs, Posed};
use ulna_render::Color;
use ulna_weights::{
    CrossSkinSeams, MirrorMap, PosedSurface, SkinnedSurface, Stroke, WeightStats, is_one_sided,
};

/// Joint pairs that the user assigned for mirroring; `None` for a joint without a mirror joint.
type GivenPairs = Shared<[(NodeId, Option<NodeId>)]>;

/// State of the painted surface.
#[derive(Default)]
pub enum Painting {
    /// No surface can be painted, or none was requested yet.
    #[default]
    Off,
    /// The surface is shown. Strokes can begin when a worker thread has found neighbors and seams.
    Preparing(Box<PaintSession>, JoinHandle<CrossSkinSeams>),
    /// The surface can be painted.
    Ready(Box<PaintSession>),
}

/// State of painting one surface. The surface consists of all meshes of a skin in a scene.
pub struct PaintSession {
    /// Serial number of the scene that contains the surface.
    pub scene: u64,
    /// The painted surface.
    pub surface: Arc<SkinnedSurface>,
    /// Coincident vertices of meshes that use other skins.
    pub seams: CrossSkinSeams,
    /// Painted joint, as an index into the skin.
    pub joint: Option<u16>,
    /// One color per joint of the skin, for the display of all joints.
    pub colors: Vec<Color>,
    /// Selected vertices of the surface, in ascending order.
    pub vertices: Vec<u32>,
    /// Mirror role of each joint in the skin; cached for the user's pairs.
    pub pairs: Derived<GivenPairs, MirrorPairs>,
    /// Mirror pairs of the surface; computed when a mirrored brush first needs them.
    pub mirror: Derived<GivenPairs, MirrorSides>,
    /// Copies of the posed vertices, in surface order. Hidden vertices are NaN. After a dab, only
    /// the vertices that moved are copied.
    pub posed: Derived<PosedOf, Posed>,
    /// Last vertex under the brush. Lists show it until the brush is over another vertex.
    pub touched: Option<BrushHover>,
    /// Whether the brush is still over the vertex in `touched`.
    pub is_over: bool,
    /// Counts of influences, problems and outliers.
    pub counts: WeightStats,
    /// Points that became outliers, or stopped being outliers, after the last update of tints.
    pub moved_outliers: Vec<PointId>,
    /// State that the tints on the GPU were computed from; `None` before the first upload.
    pub tinted: Option<Tinted>,
    /// Colors of the strain displays, keyed by display and serial number of the pose.
    pub strain: Derived<(WeightLook, u64), StrainColors>,
    /// Whether the current stroke made the strain colors outdated.
    pub is_strain_late: bool,
    /// Dabs of the current or last stroke. The next stroke reuses its memory.
    pub dabs: Stroke,
    /// Current stroke.
    pub stroke: Option<PaintStroke>,
}

/// Cache key of a posed surface.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PosedOf {
    /// Serial number of the pose.
    pub pose: u64,
    /// Whether each part of the surface is hidden, one flag per part.
    pub hidden: Vec<bool>,
}

/// Mirror pairs of a surface.
pub struct MirrorSides {
    /// Mirror pairs of points and joints.
    pub map: MirrorMap,
    /// One vertex of each point without a mirror point.
    pub unpaired: Vec<u32>,
    /// Whether to warn the user that the mirror joints belong to another skin.
    pub warns_one_sided: bool,
}

/// Point of the surface under the brush.
#[derive(Clone, Debug)]
pub struct BrushHover {
    /// Pointer position, in viewport points.
    pub at: glam::Vec2,
    /// Rim of the brush on the surface, as points in scene space.
    pub rim: Vec<Vec3>,
    /// Line at which the brush has half its strength, as points in scene space.
    pub half: Vec<Vec3>,
    /// Node under the pointer.
    pub node: NodeId,
    /// Nearest vertex: its primitive, and its index in the primitive.
    pub vertex: (PrimitiveId, u32),
    /// Nearest vertex, as an index into the surface.
    pub surface_vertex: u32,
    /// Influences of the nearest vertex, in order of falling weight.
    pub shares: Vec<(NodeId, f32)>,
    /// Joints that would lose or gain weight, or the reason why the brush has no effect.
    pub note: String,
    /// Whether the note is the reason why the brush has no effect.
    pub refused: bool,
}

/// State that the tints on the GPU were computed from.
#[derive(Clone, Debug, PartialEq)]
pub struct Tinted {
    /// Display of weights.
    pub look: WeightLook,
    /// Painted joint, if the display depends on it.
    pub joint: Option<u16>,
    /// Maximum number of influences.
    pub limit: usize,
    /// Name of the theme.
    pub theme: String,
    /// Serial number of the pose, if the display depends on it.
    pub pose: Option<u64>,
    /// Whether a search for the worst deformations has finished.
    pub searched: bool,
    /// Serial number of the mask, if a mask is displayed.
    pub mask: Option<u64>,
}

/// Positions and normals of a posed surface; empty if it has not been posed yet.
pub fn posed_surface(posed: &Derived<PosedOf, Posed>) -> PosedSurface<'_> {
    posed.get().map_or(PosedSurface { positions: &[], normals: &[] }, |posed| PosedSurface {
        positions: &posed.positions,
        normals: &posed.normals,
    })
}

impl Painting {
    /// Painting session of the shown surface, even if its preparation is not finished.
    pub fn session(&self) -> Option<&PaintSession> {
        match self {
            Self::Off => None,
            Self::Preparing(session, _) | Self::Ready(session) => Some(session),
        }
    }

    /// Mutable painting session of the shown surface, even if its preparation is not finished.
    pub fn session_mut(&mut self) -> Option<&mut PaintSession> {
        match self {
            Self::Off => None,
            Self::Preparing(session, _) | Self::Ready(session) => Some(session),
        }
    }

    /// Painting session, if its surface is ready for strokes.
    pub fn ready(&self) -> Option<&PaintSession> {
        match self {
            Self::Ready(session) => Some(session),
            Self::Off | Self::Preparing(..) => None,
        }
    }
}

impl PaintSession {
    /// Skin of the painted surface.
    pub fn skin(&self) -> SkinId {
        self.surface.skin
    }

    /// Painted joint as a node.
    pub fn joint_node(&self) -> Option<NodeId> {
        self.surface.joints().get(usize::from(self.joint?)).copied()
    }

    /// Point of the surface under the brush; `None` if the brush is not over the surface.
    pub fn hover(&self) -> Option<&BrushHover> {
        self.touched.as_ref().filter(|_| self.is_over)
    }

    /// Lock state of each joint of the skin.
    pub fn locked_flags(&self, locked: &BTreeSet<NodeId>) -> Vec<bool> {
        self.surface.joints().iter().map(|j| locked.contains(j)).collect()
    }

    /// Whether counts are still being updated. During a stroke they keep their previous values.
    pub fn is_counting(&self) -> bool {
        self.stroke.is_none() && !self.counts.is_done()
    }

    /// Positions and normals of the posed surface.
    pub fn posed_surface(&self) -> PosedSurface<'_> {
        posed_surface(&self.posed)
    }

    /// Whether any part of the surface is hidden.
    pub fn hides_any(&self) -> bool {
        self.posed.key().is_some_and(|of| of.hidden.contains(&true))
    }

    /// Vertices of the visible parts.
    pub fn visible_vertices(&self) -> Vec<u32> {
        let positions = self.posed_surface().positions.iter().enumerate();
        positions.filter(|(_, p)| !p.is_nan()).map(|(v, _)| v as u32).collect()
    }

    /// Selects vertices, or adds them to the selection.
    pub fn select(&mut self, vertices: Vec<u32>, add: bool) {
        if !add {
            self.vertices.clear();
        }
        self.vertices.extend(vertices);
        self.vertices.sort_unstable();
        self.vertices.dedup();
    }

    /// Applies changed joint pairs, including changes by undo.
    pub fn update_pairs(&mut self, document: &Document) {
        let given = &document.aids.mirror_pairs;
        if self.pairs.is_of(given) {
            return;
        }
        let pairs = MirrorPairs::of(document, self.skin());
        if let Some((_, sides)) = self.mirror.take() {
            // The pairing of points stays valid.
            let map = sides.map.with_joints(pairs.mirror_joints());
            self.mirror.put(given.clone(), MirrorSides { map, ..sides });
        }
        self.pairs.put(given.clone(), pairs);
    }

    /// Finds mirror pairs of points and joints, unless they are cached.
    pub fn pair_sides(&mut self, document: &Document) {
        let (Some(pairs), None) = (self.pairs.get(), self.mirror.get()) else { return };
        let map = MirrorMap::of(document, &self.surface, pairs);
        let unpaired = map.alone().map(|point| self.surface.first_at(point)).collect();
        let warns_one_sided = is_one_sided(document, self.skin());
        let sides = MirrorSides { map, unpaired, warns_one_sided };
        self.mirror.put(document.aids.mirror_pairs.clone(), sides);
    }
}
