//! State of painting: the brush, the surface that is painted, and what is shown of its weights.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
    thread::JoinHandle,
};

use glam::{Vec2, Vec3};

use super::{bend_state::Bending, layering::Layering, sights::Sights, strain::StrainColors};
use crate::ui::{BrushHover, BrushNumber, PaintView, VertexPick, WeightLook};
use ulna_edit::{
    Change,
    command::{Assign, VertexCommand},
};
use ulna_geometry::PointId;
use ulna_model::{Clip, Derived, Document, NodeId, PrimitiveKey, Shared, SkinId};
use ulna_motion::{MirrorPairs, Posed, Spot, WorstPose};
use ulna_render::Color;
use ulna_weights::{
    Brush, CrossSkinSeams, MirrorMap, PosedSurface, Refusal, SkinnedSurface, Stroke, WeightStats,
};

/// Pairs of joints that were given.
type GivenPairs = Shared<[(NodeId, Option<NodeId>)]>;

/// What painting keeps.
pub(in crate::app) struct Painting {
    pub brush: Brush,
    pub limit: usize,
    pub locked: BTreeSet<NodeId>,
    pub look: WeightLook,
    pub over_clip: bool,
    pub vertices: Vec<u32>,
    pub pick: VertexPick,
    /// Whether a drag is a gradient, radial or not.
    pub gradient: Option<bool>,
    /// A color for each joint of the skin, as where all joints are shown.
    pub(super) colors: Vec<Color>,
    /// Which of the spots was gone to last.
    pub(super) spot: Option<usize>,
    /// The score of the worst spot when it was looked for.
    pub(super) first_score: Option<f32>,
    /// What was copied from a vertex.
    pub clipboard: Option<Assign>,
    /// Weights of the clipboard were asked for: frames that are waited for an answer.
    pub pasting: Option<u8>,
    pub(super) canvas: Option<Arc<SkinnedSurface>>,
    /// The thread that prepares the canvas, while it is at it.
    pub(super) preparing: Option<JoinHandle<CrossSkinSeams>>,
    /// Where the canvas meets meshes on other skins.
    pub(super) seams: CrossSkinSeams,
    /// The serial of the scene and the skin that the canvas was asked for.
    pub(super) asked: Option<(u64, SkinId)>,
    pub(super) joint: Option<u16>,
    pub(super) mirror: Option<MirrorMap>,
    /// One vertex of each place that the mirror has no partner for.
    pub(super) unpaired: Vec<u32>,
    /// The other side is on another skin, and whether that was said.
    pub(super) one_sided: Option<bool>,
    /// What each joint is to the mirror, from the pairs that were given.
    pub(super) roles: Derived<GivenPairs, MirrorPairs>,
    pub(super) stroke: Stroke,
    pub(super) stroking: Option<Stroking>,
    /// Which layer is painted.
    pub layering: Layering,
    pub(super) posed: Posed,
    /// Of which pose `posed` is, and by the canvas's parts, which are hidden.
    pub(super) posed_of: Derived<u64, Vec<bool>>,
    pub(super) pointer: Option<(Vec2, Vec2)>,
    pub(super) hover: Option<BrushHover>,
    pub(super) last: Option<BrushHover>,
    pub(super) tally: WeightStats,
    /// Places that became strays, or ceased to be, since the vertices were tinted.
    pub(super) stray_moved: Vec<PointId>,
    /// The command that selects vertices as soon as there is a canvas.
    pub select_next: Option<VertexCommand>,
    pub(super) tinted: Option<Tinted>,
    pub(super) adjusting: Option<Adjusting>,
    pub(super) dab_ms: f32,
    /// What is to be scored again when the stroke ends.
    pub(super) unscored: BTreeMap<PrimitiveKey, BTreeSet<u32>>,
    /// What the strain views show, and those of another stored type, by the view and the number of
    /// the pose.
    pub(super) strain: Derived<(WeightLook, u64), StrainColors>,
    /// A stroke changed what they show, and goes on.
    pub(super) strain_late: bool,
    /// The range of motion of a skin, where that is painted on.
    pub range: Option<(SkinId, Shared<Clip>)>,
    /// Why a dab of the stroke under way was not put in.
    pub(super) dab_fault: Option<String>,
    /// Why strokes left vertices as they were, once it was said.
    pub(super) told: BTreeSet<Refusal>,
    /// The worst moment of every vertex, once it was looked for.
    pub(super) worst: Option<WorstPose>,
    /// The ten worst spots, the worst first.
    pub(super) spots: Vec<Spot>,
    /// Weights changed since the spots were listed.
    pub(super) spots_stale: bool,
    /// The worst moment of the vertex under the brush.
    pub(super) here: Option<Spot>,
    /// A spot to look at when its pose is shown.
    pub focus: Option<Spot>,
    /// How joints are bent to see what weights do.
    pub bending: Bending,
    /// The weights that the file was opened with are shown, of this scene and skin and of these
    /// primitives: nothing can be painted then.
    pub(super) before: Option<((u64, SkinId), Vec<Change>)>,
    /// Paint mode is on already.
    pub(super) entered: bool,
    /// Which vertices the stroke sees.
    pub(super) sights: Sights,
}

/// A stroke under way.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stroking {
    /// The brush it began with, the held keys in it.
    pub(super) brush: Brush,
    pub(super) label: &'static str,
    /// Where the last dab was, on the screen and on the surface.
    pub(super) last: Option<(Vec2, Option<Vec3>)>,
    /// Where the brush is on its string, if it has one.
    pub(super) pen: Vec2,
    /// Where it is to go.
    pub(super) to: Vec2,
}

/// A number of the brush that is dragged.
#[derive(Clone, Copy, Debug)]
pub(super) struct Adjusting {
    pub(super) number: BrushNumber,
    pub(super) before: Brush,
    pub(super) from: Option<Vec2>,
}

/// What the tints on the device show.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Tinted {
    pub(super) look: WeightLook,
    pub(super) joint: Option<u16>,
    pub(super) limit: usize,
    pub(super) theme: String,
    /// The pose, where the look depends on it.
    pub(super) pose: Option<u64>,
    pub(super) searched: bool,
    /// Which mask, where one is shown instead.
    pub(super) mask: Option<u64>,
}

impl Default for Painting {
    fn default() -> Self {
        Self {
            brush: Brush::default(),
            limit: 4,
            locked: BTreeSet::new(),
            look: WeightLook::default(),
            over_clip: false,
            vertices: Vec::new(),
            pick: VertexPick::default(),
            gradient: None,
            clipboard: None,
            pasting: None,
            colors: Vec::new(),
            spot: None,
            first_score: None,
            canvas: None,
            preparing: None,
            seams: CrossSkinSeams::default(),
            asked: None,
            joint: None,
            mirror: None,
            unpaired: Vec::new(),
            one_sided: None,
            roles: Derived::default(),
            stroke: Stroke::default(),
            stroking: None,
            layering: Layering::default(),
            posed: Posed::default(),
            posed_of: Derived::default(),
            pointer: None,
            hover: None,
            last: None,
            tally: WeightStats::default(),
            stray_moved: Vec::new(),
            select_next: None,
            tinted: None,
            adjusting: None,
            dab_ms: 0.0,
            unscored: BTreeMap::new(),
            strain: Derived::default(),
            strain_late: false,
            range: None,
            dab_fault: None,
            told: BTreeSet::new(),
            worst: None,
            spots: Vec::new(),
            spots_stale: false,
            here: None,
            focus: None,
            bending: Bending::default(),
            before: None,
            entered: false,
            sights: Sights::default(),
        }
    }
}

impl Painting {
    /// The scene is another, which has no tints yet.
    pub fn tint_anew(&mut self) {
        self.tinted = None;
    }

    /// Lets go of a canvas of surfaces that have other weights, or none, by now: another is made
    /// when painting goes on.
    pub fn let_go_of_stale(&mut self, document: &Document) {
        if self.canvas.as_ref().is_some_and(|c| !c.fits(document)) {
            self.canvas = None;
            self.asked = None;
            self.hover = None;
            self.last = None;
            self.vertices = Vec::new();
        }
    }

    /// Another file: what belongs to the old one is forgotten.
    pub fn reset(&mut self) {
        // Whether both sides are painted is a matter of the model.
        let brush = Brush { mirror: false, ..self.brush };
        *self = Self { brush, limit: self.limit, look: self.look, ..Self::default() };
    }

    pub const fn adjusting(&self) -> Option<BrushNumber> {
        match &self.adjusting {
            Some(adjusting) => Some(adjusting.number),
            None => None,
        }
    }

    /// What is painted.
    pub fn canvas(&self) -> Option<&SkinnedSurface> {
        self.canvas.as_deref()
    }

    /// Whether a joint is there to be painted.
    pub const fn has_joint(&self) -> bool {
        self.joint.is_some()
    }

    /// What panels see of it.
    pub fn view(&self) -> PaintView<'_> {
        let canvas = self.canvas.as_deref();
        let roles = self.roles.get().map_or(&[][..], MirrorPairs::joints);
        let partner = self.joint.and_then(|j| roles.get(usize::from(j))?.partner);
        PaintView {
            brush: self.brush,
            canvas,
            joint: self.joint,
            locked: &self.locked,
            limit: self.limit,
            hover: self.hover.as_ref(),
            last: self.last.as_ref(),
            look: self.look,
            farthest: self.strain.get().map_or(0.0, |strain| strain.farthest),
            used: self.tally.used(),
            faults: self.tally.faults(),
            strays: self.tally.strays(),
            counting: self.is_counting(),
            dab_ms: self.dab_ms,
            adjusting: self.adjusting(),
            over_clip: self.over_clip,
            vertices: &self.vertices,
            posed: PosedSurface { positions: &self.posed.positions, normals: &self.posed.normals },
            pick: self.pick,
            gradient: self.gradient,
            roles,
            partner: partner.and_then(|p| canvas?.joints().get(p).copied()),
            unpaired: self.mirror.as_ref().map(|_| &self.unpaired[..]),
            stroking: self.stroking.is_some(),
            layer: self.layering.target,
            painted: self.layering.painted,
            searched: self.worst.is_some(),
            spots: &self.spots,
            spot: self.spot,
            first_score: self.first_score,
            colors: &self.colors,
            here: self.here,
            range: self.range.as_ref().map(|(_, clip)| f64::from(clip.length())),
            bend: self.bending.view(),
            before: self.before.is_some(),
        }
    }

    /// Whether the brush can touch the canvas: not while a thread finds out how a large one hangs
    /// together.
    pub fn is_ready(&self) -> bool {
        self.preparing.as_ref().is_none_or(JoinHandle::is_finished)
    }

    /// Whether counts are to change still, though nothing else does. During a stroke they stay as
    /// they were before it.
    pub fn is_counting(&self) -> bool {
        self.canvas.is_some() && self.stroking.is_none() && !self.tally.is_done()
    }

    /// The painted joint as a node.
    pub fn joint_node(&self) -> Option<NodeId> {
        self.canvas.as_ref()?.joints().get(usize::from(self.joint?)).copied()
    }

    pub(super) fn locked_flags(&self) -> Vec<bool> {
        self.canvas
            .as_ref()
            .map_or_else(Vec::new, |c| c.joints().iter().map(|j| self.locked.contains(j)).collect())
    }

    /// Whether a part of the surface is hidden.
    pub fn hides_any(&self) -> bool {
        self.posed_of.get().is_some_and(|hides| hides.contains(&true))
    }

    /// The vertices that are not hidden.
    pub(super) fn seen(&self) -> Vec<u32> {
        let at = self.posed.positions.iter().enumerate();
        at.filter(|(_, p)| !p.is_nan()).map(|(v, _)| v as u32).collect()
    }
}
