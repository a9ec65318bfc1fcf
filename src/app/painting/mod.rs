//! Painting: what hangs on the painted joint's skin, the brush over it, strokes, and what the
//! vertices are tinted with.

mod bending;
mod brush;
mod clear_view;
mod commands;
mod files;
mod layers;
mod stroke;
mod tints;
mod vertices;
mod worst;

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::Range,
    sync::Arc,
    thread::JoinHandle,
};

use glam::{Vec2, Vec3};

use super::{App, ViewportRenderer};
use crate::ui::{BrushHover, BrushNumber, Compare, PaintView, VertexPick, WeightLook};
use ulna_edit::{
    Change, Mode,
    command::{Assign, VertexCommand},
};
use ulna_model::{Clip, Derived, Document, NodeId, PrimitiveKey, Shared, SkinId};
use ulna_motion::{MirrorPairs, Posed, Spot, WorstPose};
use ulna_render::Color;
use ulna_weights::{
    Brush, MirrorMap, PosedSurface, Refusal, Seams, SkinnedSurface, Stroke, WeightStats,
    is_one_sided,
};

/// Pairs of joints that were given.
type GivenPairs = Shared<[(NodeId, Option<NodeId>)]>;

/// What painting keeps.
pub(super) struct Painting {
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
    colors: Vec<Color>,
    /// Which of the spots was gone to last.
    spot: Option<usize>,
    /// The score of the worst spot when it was looked for.
    first_score: Option<f32>,
    /// What was copied from a vertex.
    pub clipboard: Option<Assign>,
    /// Weights of the clipboard were asked for: frames that are waited for an answer.
    pub pasting: Option<u8>,
    canvas: Option<Arc<SkinnedSurface>>,
    /// The thread that prepares the canvas, while it is at it.
    preparing: Option<JoinHandle<Seams>>,
    /// Where the canvas meets meshes on other skins.
    seams: Seams,
    /// The serial of the scene and the skin that the canvas was asked for.
    asked: Option<(u64, SkinId)>,
    joint: Option<u16>,
    mirror: Option<MirrorMap>,
    /// One vertex of each place that the mirror has no partner for.
    unpaired: Vec<u32>,
    /// The other side is on another skin, and whether that was said.
    one_sided: Option<bool>,
    /// What each joint is to the mirror, from the pairs that were given.
    roles: Derived<GivenPairs, MirrorPairs>,
    stroke: Stroke,
    stroking: Option<Stroking>,
    /// Which layer is painted.
    pub layering: layers::Layering,
    posed: Posed,
    /// Of which pose `posed` is, and by the canvas's parts, which are hidden.
    posed_of: Derived<u64, Vec<bool>>,
    pointer: Option<(Vec2, Vec2)>,
    hover: Option<BrushHover>,
    last: Option<BrushHover>,
    tally: WeightStats,
    /// Places that became strays, or ceased to be, since the vertices were tinted.
    stray_moved: Vec<u32>,
    /// The command that selects vertices as soon as there is a canvas.
    pub select_next: Option<VertexCommand>,
    tinted: Option<tints::Tinted>,
    adjusting: Option<Adjusting>,
    dab_ms: f32,
    /// What is to be scored again when the stroke ends.
    unscored: BTreeMap<PrimitiveKey, BTreeSet<u32>>,
    /// What the strain views show, and those of another stored type, by the view and the number of
    /// the pose.
    strain: Derived<(WeightLook, u64), worst::StrainColors>,
    /// A stroke changed what they show, and goes on.
    strain_late: bool,
    /// The range of motion of a skin, where that is painted on.
    pub range: Option<(SkinId, Shared<Clip>)>,
    /// Why a dab of the stroke under way was not put in.
    dab_fault: Option<String>,
    /// Why strokes left vertices as they were, once it was said.
    told: BTreeSet<Refusal>,
    /// The worst moment of every vertex, once it was looked for.
    worst: Option<WorstPose>,
    /// The ten worst spots, the worst first.
    spots: Vec<Spot>,
    /// Weights changed since the spots were listed.
    spots_stale: bool,
    /// The worst moment of the vertex under the brush.
    here: Option<Spot>,
    /// A spot to look at when its pose is shown.
    pub focus: Option<Spot>,
    /// How joints are bent to see what weights do.
    pub bending: bending::Bending,
    /// The weights that the file was opened with are shown, of this scene and skin and of these
    /// primitives: nothing can be painted then.
    before: Option<((u64, SkinId), Vec<Change>)>,
    /// Paint mode is on already.
    entered: bool,
    /// Which vertices the stroke sees.
    sights: clear_view::Sights,
}

/// A stroke under way.
#[derive(Clone, Copy, Debug)]
struct Stroking {
    /// The brush it began with, the held keys in it.
    brush: Brush,
    label: &'static str,
    /// Where the last dab was, on the screen and on the surface.
    last: Option<(Vec2, Option<Vec3>)>,
    /// Where the brush is on its string, if it has one.
    pen: Vec2,
    /// Where it is to go.
    to: Vec2,
}

/// A number of the brush that is dragged.
#[derive(Clone, Copy, Debug)]
struct Adjusting {
    number: BrushNumber,
    before: Brush,
    from: Option<Vec2>,
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
            seams: Seams::default(),
            asked: None,
            joint: None,
            mirror: None,
            unpaired: Vec::new(),
            one_sided: None,
            roles: Derived::default(),
            stroke: Stroke::default(),
            stroking: None,
            layering: layers::Layering::default(),
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
            bending: bending::Bending::default(),
            before: None,
            entered: false,
            sights: clear_view::Sights::default(),
        }
    }
}

/// Runs of vertices that are near each other: few uploads rather than few bytes.
pub(super) fn ranges(vertices: &[u32]) -> Vec<Range<usize>> {
    const NEAR: usize = 256;
    let mut sorted: Vec<usize> = vertices.iter().map(|v| *v as usize).collect();
    sorted.sort_unstable();
    let mut list: Vec<Range<usize>> = Vec::new();
    for v in sorted {
        match list.last_mut() {
            Some(last) if v < last.end + NEAR => last.end = last.end.max(v + 1),
            _ => list.push(v..v + 1),
        }
    }
    list
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

    /// The skin that is painted: that of the selected joint or mesh, else the last one, else the
    /// first that can be.
    fn wanted_skin(&self, document: &Document, active: Option<NodeId>) -> Option<SkinId> {
        let skins = || document.skins.ids();
        let of_active = active.and_then(|node| {
            let own = document.nodes.get(node).and_then(|n| n.skin);
            own.or_else(|| {
                let last = self.asked.map(|(_, skin)| skin);
                let has = |s: &SkinId| document.skin(*s).joints.contains(&node);
                last.filter(has).or_else(|| skins().find(has))
            })
        });
        let first = || {
            let used =
                |n: NodeId| document.node(n).skin.filter(|_| document.node(n).mesh.is_some());
            document.shown_nodes().into_iter().find_map(used)
        };
        of_active.or(self.asked.map(|(_, skin)| skin)).or_else(first)
    }

    /// Takes up another selection, and makes the canvas where there is another skin.
    pub fn follow(&mut self, document: &Document, scene: u64, active: Option<NodeId>) {
        let Some(skin) = self.wanted_skin(document, active) else {
            self.canvas = None;
            self.joint = None;
            return;
        };
        if self.asked != Some((scene, skin)) {
            if self.asked.is_some_and(|(_, before)| before != skin) {
                self.bending.leave_skin();
            }
            // A joint's number is that of its skin.
            self.joint =
                self.joint.filter(|_| self.asked.is_some_and(|(_, before)| before == skin));
            self.asked = Some((scene, skin));
            self.canvas = SkinnedSurface::new(document, skin).map(Arc::new);
            self.mirror = None;
            self.roles.clear();
            self.posed_of.clear();
            self.tinted = None;
            self.hover = None;
            self.last = None;
            self.vertices = Vec::new();
            self.tally = WeightStats::default();
            self.stray_moved = Vec::new();
            (self.preparing, self.seams) = (None, Seams::default());
            self.range = self.range.take().filter(|(of, _)| *of == skin);
            self.strain.clear();
            self.unscored = BTreeMap::new();
            self.colors = Vec::new();
            if let Some(canvas) = &self.canvas {
                self.colors = tints::joint_colors(document, canvas);
                // As many joints a vertex as the file has room for: nothing is cut that nobody
                // wanted cut.
                let maps = canvas.maps(document);
                self.limit =
                    (0..canvas.parts().len()).map(|k| maps.part(k).stride()).max().unwrap_or(4);
                self.tally = WeightStats::new(canvas, &maps, self.limit);
                (self.preparing, self.seams) = prepare(document, canvas);
                self.stroke = Stroke::new(canvas);
            }
        }
        if self.preparing.as_ref().is_some_and(JoinHandle::is_finished)
            && let Some(Ok(seams)) = self.preparing.take().map(JoinHandle::join)
        {
            self.seams = seams;
        }
        self.follow_roles(document);
        self.layering.follow(document, self.canvas.as_ref().map(|c| c.skin));
        let joint = active.and_then(|a| self.canvas.as_ref()?.joint(a));
        self.joint = joint.or(self.joint).filter(|_| self.canvas.is_some());
        if self.joint.is_none() {
            // The joint that moves most is a good one to look at first.
            let counted = self.tally.has_vertices();
            let most = self.tally.used().iter().enumerate().max_by_key(|(_, n)| **n);
            self.joint = most.filter(|(_, n)| counted && **n > 0).map(|(k, _)| k as u16);
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

    fn locked_flags(&self) -> Vec<bool> {
        self.canvas
            .as_ref()
            .map_or_else(Vec::new, |c| c.joints().iter().map(|j| self.locked.contains(j)).collect())
    }

    /// The posed surface, by the canvas's vertices. What is hidden cannot be touched, but where it
    /// shares a place with what is seen.
    fn pose(
        &mut self,
        document: &Document,
        stage: &mut ViewportRenderer,
        hidden: &BTreeSet<NodeId>,
    ) {
        let Some(canvas) = &self.canvas else { return };
        let moved = stage.take_moved();
        // Which places they share is known only when the canvas is.
        let ready = self.is_ready();
        let hides: Vec<bool> =
            canvas.parts().iter().map(|p| ready && hidden.contains(&p.node)).collect();
        let whole =
            !self.posed_of.is_of(&stage.pose_serial()) || self.posed_of.get() != Some(&hides);
        let surface = stage.surface(document);
        if whole {
            self.posed.positions.clear();
            self.posed.normals.clear();
        }
        for part in canvas.parts() {
            let Some(view) =
                surface.parts().find(|v| v.node == part.node && v.primitive == part.primitive)
            else {
                // Not shown: it cannot be hit, and keeps its place in the count.
                if whole {
                    let end = (part.first + part.count) as usize;
                    self.posed.positions.resize(end, Vec3::NAN);
                    self.posed.normals.resize(end, Vec3::ZERO);
                }
                continue;
            };
            if whole {
                self.posed.positions.extend_from_slice(view.positions);
                self.posed.normals.extend_from_slice(view.normals);
                continue;
            }
            for (_, _, vertices) in
                moved.iter().filter(|(n, p, _)| *n == part.node && *p == part.primitive)
            {
                for v in vertices {
                    self.posed.positions[(part.first + v) as usize] = view.positions[*v as usize];
                    self.posed.normals[(part.first + v) as usize] = view.normals[*v as usize];
                }
            }
        }
        if !whole && moved.is_empty() {
            return;
        }
        for (part, _) in canvas.parts().iter().zip(&hides).filter(|(_, hidden)| **hidden) {
            for vertex in part.first..part.first + part.count {
                let seen = |v: &u32| !hides[canvas.part_of(*v).0];
                if !canvas.vertices_at(canvas.place_of(vertex)).iter().any(seen) {
                    self.posed.positions[vertex as usize] = Vec3::NAN;
                }
            }
        }
        self.posed_of.put(stage.pose_serial(), hides);
    }

    /// Whether a part of the surface is hidden.
    pub fn hides_any(&self) -> bool {
        self.posed_of.get().is_some_and(|hides| hides.contains(&true))
    }

    /// The vertices that are not hidden.
    fn seen(&self) -> Vec<u32> {
        let at = self.posed.positions.iter().enumerate();
        at.filter(|(_, p)| !p.is_nan()).map(|(v, _)| v as u32).collect()
    }

    /// Takes up other pairs of joints, which undo may bring, too.
    fn follow_roles(&mut self, document: &Document) {
        let Some(canvas) = &self.canvas else { return };
        let pairs = &document.aids.mirror_pairs;
        if self.roles.is_of(pairs) {
            return;
        }
        let roles = MirrorPairs::of(document, canvas.skin);
        self.mirror = self.mirror.as_ref().map(|m| m.with_joints(roles.mirror_joints()));
        self.roles.put(pairs.clone(), roles);
    }

    /// Makes the pairs of the other side, where they are wanted and not made yet.
    pub fn pair(&mut self, document: &Document) {
        let (Some(canvas), Some(roles), None) = (&self.canvas, self.roles.get(), &self.mirror)
        else {
            return;
        };
        let mirror = MirrorMap::of(document, canvas, roles);
        self.one_sided = is_one_sided(document, canvas.skin).then_some(false);
        self.unpaired = mirror.alone().map(|place| canvas.first_at(place)).collect();
        self.mirror = Some(mirror);
    }
}

impl App {
    /// Takes the state of painting along with document, selection and pose.
    pub(super) fn follow_painting(&mut self) {
        let Some(session) = &self.session else { return };
        if self.mode != Mode::Paint {
            (self.painting.hover, self.painting.entered) = (None, false);
            return;
        }
        if !std::mem::replace(&mut self.painting.entered, true) {
            // Nothing is painted on what was.
            self.viewport.compare = Compare::Edited;
        }
        let document = session.document();
        if self.outliner.selection.active.is_none()
            && let Some(joint) = self.painting.joint_node()
        {
            // What is painted is what is selected.
            self.outliner.selection.set(joint);
        }
        self.painting.follow(
            document,
            self.renderer.scene_serial(),
            self.outliner.selection.active,
        );
        if self.painting.canvas().is_some()
            && self.painting.is_ready()
            && let Some(command) = self.painting.select_next.take()
        {
            self.painting.select_by(document, &command);
        }
        if self.painting.brush.mirror && self.painting.is_ready() {
            self.painting.pair(document);
        }
        self.follow_surface_problems();
        let Some(session) = &self.session else { return };
        let document = session.document();
        self.painting.pose(document, &mut self.renderer, &self.outliner.visibility.hidden);
    }

    /// Another way to look at weights; the tints follow.
    pub(super) fn tint_surface(&mut self, changes: &[Change]) {
        let moved = |c: &Change| match c {
            Change::Weights { mesh, primitive, .. } | Change::Bound { mesh, primitive } => {
                Some((*mesh, *primitive))
            }
            Change::Tree | Change::Look | Change::Other => None,
        };
        if let Some(session) = &self.session {
            self.painting.let_go_of_stale(session.document());
        }
        self.problems.weights_moved.extend(changes.iter().filter_map(moved));
        if !self.problems.weights_moved.is_empty() && self.painting.stroking.is_none() {
            self.refresh_weight_problems();
        }
        let Some(session) = &self.session else { return };
        if self.mode != Mode::Paint {
            self.compare_weights(changes);
            if self.painting.tinted.take().is_some() {
                self.renderer.clear_tints();
            }
            return;
        }
        self.painting.count(session.document(), changes);
        self.painting.score(session.document(), changes);
        self.compare_weights(changes);
        let Some(session) = &self.session else { return };
        let seen =
            if self.painting.before.is_some() { session.opened() } else { session.document() };
        self.painting.color_strain(seen, &self.renderer, !changes.is_empty());
        self.painting.tint(seen, &mut self.renderer, changes, self.program.theme.name());
    }
}

/// Lets a thread find out how a large canvas hangs together; a small one does it when it is asked.
fn prepare(
    document: &Document,
    canvas: &Arc<SkinnedSurface>,
) -> (Option<JoinHandle<Seams>>, Seams) {
    const SMALL: usize = 50_000;
    let all: usize =
        document.meshes.values().flat_map(|m| &m.primitives).map(|p| p.positions.len()).sum();
    if all <= SMALL {
        canvas.prepare();
        return (None, Seams::of(document, canvas));
    }
    let (here, there) = (document.clone(), canvas.clone());
    let work = move || {
        there.prepare();
        Seams::of(&here, &there)
    };
    match std::thread::Builder::new().name("ulna canvas".into()).spawn(work) {
        Ok(thread) => (Some(thread), Seams::default()),
        Err(error) => {
            log::warn!("the canvas is prepared on the window's thread: {error}");
            canvas.prepare();
            (None, Seams::of(document, canvas))
        }
    }
}
