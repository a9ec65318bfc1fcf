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

/// Pairs of joints that were given.
type GivenPairs = Shared<[(NodeId, Option<NodeId>)]>;

/// State of painting.
#[derive(Default)]
pub enum Painting {
    /// No surface can be painted, or none was asked for yet.
    #[default]
    Off,
    /// The surface is shown. The brush waits for a thread that finds neighbors and seams.
    Preparing(Box<PaintSession>, JoinHandle<CrossSkinSeams>),
    /// The surface can be painted.
    Ready(Box<PaintSession>),
}

/// Painting of one surface: all meshes of a skin in a scene.
pub struct PaintSession {
    /// Serial of the scene that the surface belongs to.
    pub scene: u64,
    /// The painted surface.
    pub surface: Arc<SkinnedSurface>,
    /// Seams with meshes on other skins.
    pub seams: CrossSkinSeams,
    /// The painted joint, by its number in the skin.
    pub joint: Option<u16>,
    /// One color per joint of the skin, as in the display of all joints.
    pub colors: Vec<Color>,
    /// Selected vertices of the surface, in rising order.
    pub vertices: Vec<u32>,
    /// Roles of the skin's joints in mirroring.
    pub pairs: Derived<GivenPairs, MirrorPairs>,
    /// Mirror sides of the surface, once a mirrored brush needs them.
    pub mirror: Derived<GivenPairs, MirrorSides>,
    /// Copies of posed vertices, in the order of the surface. Hidden vertices are NaN. After a
    /// dab, only the vertices that moved are copied.
    pub posed: Derived<PosedOf, Posed>,
    /// The vertex that was under the brush last. Lists show it until another one is.
    pub touched: Option<BrushHover>,
    /// Whether the brush is still over that vertex.
    pub is_over: bool,
    /// Counts of influences, problems and outliers.
    pub counts: WeightStats,
    /// Points that became outliers, or ceased to be, since vertices were tinted.
    pub moved_outliers: Vec<PointId>,
    /// Content of the tints on the device.
    pub tinted: Option<Tinted>,
    /// Colors of the strain displays, by the display and the serial of the pose.
    pub strain: Derived<(WeightLook, u64), StrainColors>,
    /// Whether the current stroke changed them.
    pub is_strain_late: bool,
    /// Dabs of the current or last stroke. The next stroke reuses its memory.
    pub dabs: Stroke,
    /// The current stroke.
    pub stroke: Option<PaintStroke>,
}

/// Source of a posed surface: the serial of the pose, and by parts of the surface, whether they are
/// hidden.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PosedOf {
    /// Serial of the pose.
    pub pose: u64,
    /// One flag per part.
    pub hidden: Vec<bool>,
}

/// Mirror sides of a surface.
pub struct MirrorSides {
    /// Pairs of points and of joints.
    pub map: MirrorMap,
    /// One vertex of each point without a partner.
    pub unpaired: Vec<u32>,
    /// Whether the joints of the other side belong to another skin, and this was not said yet.
    pub warns_one_sided: bool,
}

/// The brush over the surface.
#[derive(Clone, Debug)]
pub struct BrushHover {
    /// Pointer, in points of the picture.
    pub at: glam::Vec2,
    /// Rim of the brush on the surface, scene space.
    pub rim: Vec<Vec3>,
    /// Line where the brush falls to half, scene space.
    pub half: Vec<Vec3>,
    /// The node that was hit.
    pub node: NodeId,
    /// The nearest vertex: its primitive, and its number there.
    pub vertex: (PrimitiveId, u32),
    /// Its number in the surface.
    pub surface_vertex: u32,
    /// Influences of the nearest vertex, the strongest first.
    pub shares: Vec<(NodeId, f32)>,
    /// Joints that would give or get weight, or the reason why none does.
    pub note: String,
    /// Whether the note is a refusal.
    pub refused: bool,
}

/// Content of the tints on the device.
#[derive(Clone, Debug, PartialEq)]
pub struct Tinted {
    /// Display of weights.
    pub look: WeightLook,
    /// The painted joint, where the display depends on it.
    pub joint: Option<u16>,
    /// Maximum number of influences.
    pub limit: usize,
    /// Name of the theme.
    pub theme: String,
    /// Serial of the pose, where the display depends on it.
    pub pose: Option<u64>,
    /// Whether the worst deformations are known.
    pub searched: bool,
    /// Serial of the mask, where one is shown instead.
    pub mask: Option<u64>,
}

/// Positions and normals of a posed surface; empty before it was posed.
pub fn posed_surface(posed: &Derived<PosedOf, Posed>) -> PosedSurface<'_> {
    posed.get().map_or(PosedSurface { positions: &[], normals: &[] }, |posed| PosedSurface {
        positions: &posed.positions,
        normals: &posed.normals,
    })
}

impl Painting {
    /// The surface that is shown, ready or not.
    pub fn session(&self) -> Option<&PaintSession> {
        match self {
            Self::Off => None,
            Self::Preparing(session, _) | Self::Ready(session) => Some(session),
        }
    }

    /// The same, to be changed.
    pub fn session_mut(&mut self) -> Option<&mut PaintSession> {
        match self {
            Self::Off => None,
            Self::Preparing(session, _) | Self::Ready(session) => Some(session),
        }
    }

    /// The surface, where the brush can touch it.
    pub fn ready(&self) -> Option<&PaintSession> {
        match self {
            Self::Ready(session) => Some(session),
            Self::Off | Self::Preparing(..) => None,
        }
    }
}

impl PaintSession {
    /// The skin of the surface.
    pub fn skin(&self) -> SkinId {
        self.surface.skin
    }

    /// The painted joint as a node.
    pub fn joint_node(&self) -> Option<NodeId> {
        self.surface.joints().get(usize::from(self.joint?)).copied()
    }

    /// The brush over the surface.
    pub fn hover(&self) -> Option<&BrushHover> {
        self.touched.as_ref().filter(|_| self.is_over)
    }

    /// One flag per joint of the skin: whether it is locked.
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

    /// Whether a part of the surface is hidden.
    pub fn hides_any(&self) -> bool {
        self.posed.key().is_some_and(|of| of.hidden.contains(&true))
    }

    /// The vertices that are not hidden.
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
            // Points keep their partners.
            let map = sides.map.with_joints(pairs.mirror_joints());
            self.mirror.put(given.clone(), MirrorSides { map, ..sides });
        }
        self.pairs.put(given.clone(), pairs);
    }

    /// Pairs the sides of the surface, unless they are paired already.
    pub fn pair_sides(&mut self, document: &Document) {
        let (Some(pairs), None) = (self.pairs.get(), self.mirror.get()) else { return };
        let map = MirrorMap::of(document, &self.surface, pairs);
        let unpaired = map.alone().map(|point| self.surface.first_at(point)).collect();
        let warns_one_sided = is_one_sided(document, self.skin());
        let sides = MirrorSides { map, unpaired, warns_one_sided };
        self.mirror.put(document.aids.mirror_pairs.clone(), sides);
    }
}
