//! Painting: what hangs on the painted joint's skin, the brush over it, strokes, and what the vertices are tinted with.

mod tints;

use std::{collections::BTreeSet, ops::Range, time::Instant};

use egui::Context;
use glam::{Vec2, Vec3};

use super::{App, Stage};
use crate::{
    edit::{Change, CommandLine, Mode, node_text},
    model::{Document, NodeId, SkinId},
    motion::{Posed, Ray},
    render::Camera,
    ui::{BrushHover, BrushNumber, PaintView, StrokePhase, ToastKind, VertexArea, VertexPick, WeightLook},
    weights::{
        Brush, BrushKind, Canvas, Dab, Faults, Influences, MirrorMap, Paint, PosedCanvas, Radius, Refusal, Rule,
        Stroke, Touch, fault, paint, strays,
    },
};

/// What painting keeps.
pub(super) struct Painting {
    pub brush: Brush,
    pub limit: usize,
    pub locked: BTreeSet<NodeId>,
    pub look: WeightLook,
    pub over_clip: bool,
    pub vertices: Vec<u32>,
    pub pick: VertexPick,
    /// What was copied from a vertex.
    pub clipboard: Option<CommandLine>,
    canvas: Option<Canvas>,
    /// The serial of the scene and the skin that the canvas was asked for.
    asked: Option<(u64, SkinId)>,
    joint: Option<u16>,
    mirror: Option<Option<MirrorMap>>,
    partners: Vec<u16>,
    stroke: Stroke,
    stroking: Option<Stroking>,
    posed: Posed,
    posed_at: Option<u64>,
    pointer: Option<(Vec2, Vec2)>,
    hover: Option<BrushHover>,
    counted: tints::Counted,
    tinted: Option<tints::Tinted>,
    adjusting: Option<Adjusting>,
    dab_ms: f32,
    /// Counts are to be made anew.
    recount: bool,
    /// By the canvas's vertices, 0 to 1: what the strain views show.
    strain: Vec<f32>,
}

/// A stroke under way.
#[derive(Clone, Copy, Debug)]
struct Stroking {
    /// The brush it began with, the held keys in it.
    brush: Brush,
    label: &'static str,
    /// Where the last dab was, on the screen and on the surface.
    last: Option<(Vec2, Option<Vec3>)>,
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
            clipboard: None,
            canvas: None,
            asked: None,
            joint: None,
            mirror: None,
            partners: Vec::new(),
            stroke: Stroke::default(),
            stroking: None,
            posed: Posed::default(),
            posed_at: None,
            pointer: None,
            hover: None,
            counted: tints::Counted::default(),
            tinted: None,
            adjusting: None,
            dab_ms: 0.0,
            recount: false,
            strain: Vec::new(),
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
    /// Another file: what belongs to the old one is forgotten.
    pub fn reset(&mut self) {
        *self = Self { brush: self.brush, limit: self.limit, look: self.look, ..Self::default() };
    }

    pub const fn adjusting(&self) -> Option<BrushNumber> {
        match &self.adjusting {
            Some(adjusting) => Some(adjusting.number),
            None => None,
        }
    }

    /// Whether a joint is there to be painted.
    pub const fn has_joint(&self) -> bool {
        self.joint.is_some()
    }

    /// What panels see of it.
    pub fn view(&self) -> PaintView<'_> {
        let canvas = self.canvas.as_ref();
        let partner = self.joint.and_then(|j| self.partners.get(usize::from(j)).copied()).filter(|p| *p != u16::MAX);
        PaintView {
            brush: self.brush,
            canvas,
            joint: self.joint,
            locked: &self.locked,
            limit: self.limit,
            hover: self.hover.as_ref(),
            look: self.look,
            used: &self.counted.used,
            faults: self.counted.faults,
            strays: self.counted.strays,
            dab_ms: self.dab_ms,
            adjusting: self.adjusting(),
            over_clip: self.over_clip,
            vertices: &self.vertices,
            posed: &self.posed.positions,
            pick: self.pick,
            partner: partner.and_then(|p| canvas?.joints().get(usize::from(p)).copied()),
            unpaired: self.mirror.as_ref().and_then(|m| m.as_ref()).map(|m| m.unpaired),
            stroking: self.stroking.is_some(),
        }
    }

    /// The skin that is painted: that of the selected joint or mesh, else the last one, else the first that can be.
    fn wanted_skin(&self, document: &Document, active: Option<NodeId>) -> Option<SkinId> {
        let skins = || (0..document.skins.len()).map(SkinId::from);
        let of_active = active.and_then(|node| {
            let own = document.nodes.get(node.index()).and_then(|n| n.skin);
            own.or_else(|| {
                let last = self.asked.map(|(_, skin)| skin);
                let has = |s: &SkinId| document.skin(*s).joints.contains(&node);
                last.filter(has).or_else(|| skins().find(has))
            })
        });
        let first = || {
            let used = |n: NodeId| document.node(n).skin.filter(|_| document.node(n).mesh.is_some());
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
            self.asked = Some((scene, skin));
            self.canvas = Canvas::new(document, skin);
            self.mirror = None;
            self.partners = Vec::new();
            self.posed_at = None;
            self.tinted = None;
            self.hover = None;
            self.vertices = Vec::new();
            self.counted = tints::Counted::default();
            if let Some(canvas) = &self.canvas {
                self.counted = tints::Counted::new(document, canvas, self.limit);
                self.stroke = Stroke::new(canvas);
            }
        }
        let joint = active.and_then(|a| self.canvas.as_ref()?.joint(a));
        self.joint = joint.or(self.joint).filter(|_| self.canvas.is_some());
        if self.joint.is_none() {
            // The joint that moves most is a good one to look at first.
            let most = self.counted.used.iter().enumerate().max_by_key(|(_, n)| **n);
            self.joint = most.filter(|(_, n)| **n > 0).map(|(k, _)| k as u16);
        }
    }

    /// The painted joint as a node.
    pub fn joint_node(&self) -> Option<NodeId> {
        self.canvas.as_ref()?.joints().get(usize::from(self.joint?)).copied()
    }

    fn locked_flags(&self) -> Vec<bool> {
        self.canvas.as_ref().map_or_else(Vec::new, |c| c.joints().iter().map(|j| self.locked.contains(j)).collect())
    }

    /// The posed surface, by the canvas's vertices.
    fn pose(&mut self, document: &Document, stage: &mut Stage) {
        let Some(canvas) = &self.canvas else { return };
        let moved = stage.take_moved();
        let whole = self.posed_at != Some(stage.pose_serial());
        self.posed_at = Some(stage.pose_serial());
        let surface = stage.surface(document);
        if whole {
            self.posed.positions.clear();
            self.posed.normals.clear();
        }
        for part in canvas.parts() {
            let Some(view) = surface.parts().find(|v| v.node == part.node && v.primitive == part.primitive) else {
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
            for (_, _, vertices) in moved.iter().filter(|(n, p, _)| *n == part.node && *p == part.primitive) {
                for v in vertices {
                    self.posed.positions[(part.first + v) as usize] = view.positions[*v as usize];
                    self.posed.normals[(part.first + v) as usize] = view.normals[*v as usize];
                }
            }
        }
    }

    /// Makes the pairs of the other side, where they are wanted and not made yet.
    fn pair(&mut self, document: &Document) {
        let Some(canvas) = &self.canvas else { return };
        if self.mirror.is_some() {
            return;
        }
        let (axis, offset, partners) = crate::edit::mirror_partners(document, canvas.skin);
        self.partners = partners.clone();
        self.mirror = Some(Some(MirrorMap::near(canvas, axis, offset, partners)));
    }
}

impl Painting {
    /// Selects vertices, or adds them to those that are.
    pub fn select(&mut self, vertices: Vec<u32>, add: bool) {
        if !add {
            self.vertices.clear();
        }
        self.vertices.extend(vertices);
        self.vertices.sort_unstable();
        self.vertices.dedup();
    }

    /// The vertices of the canvas in a part of the picture; those that turn from the eye only where the brush paints such.
    pub fn vertices_in(&self, camera: &Camera, area: &VertexArea, size: Vec2) -> Vec<u32> {
        let eye = camera.eye();
        let seen = |v: usize| {
            let normal = self.posed.normals.get(v).copied().unwrap_or_default();
            let sight = if camera.orthographic { camera.forward() } else { self.posed.positions[v] - eye };
            normal.dot(sight) <= 0.0
        };
        let inside = |at: Vec2| match area {
            VertexArea::Here => false,
            VertexArea::Box(from, to) => at.x >= from.x && at.x <= to.x && at.y >= from.y && at.y <= to.y,
            VertexArea::Lasso(line) => within(line, at),
            VertexArea::Brush(line, radius) => line.iter().any(|p| p.distance(at) <= *radius),
        };
        if let VertexArea::Here = area {
            return self.hover.as_ref().map(|h| h.canvas_vertex).into_iter().collect();
        }
        let all = self.posed.positions.iter().enumerate();
        all.filter(|(v, p)| {
            camera.project(**p, size).is_some_and(|(at, _)| inside(at)) && (!self.brush.front_only || seen(*v))
        })
        .map(|(v, _)| v as u32)
        .collect()
    }

    /// Changes the selection of vertices by how they hang together, or by a joint.
    pub fn select_by(&mut self, document: &Document, name: &str, joint: Option<u16>, range: (f32, f32)) {
        let Some(canvas) = &self.canvas else { return };
        let count = canvas.vertex_count() as u32;
        let places: BTreeSet<u32> = self.vertices.iter().map(|v| canvas.place_of(*v)).collect();
        let all_at = |places: &BTreeSet<u32>| -> Vec<u32> {
            places.iter().flat_map(|p| canvas.vertices_at(*p).iter().copied()).collect()
        };
        self.vertices = match name {
            "vertices.all" => (0..count).collect(),
            "vertices.none" => Vec::new(),
            "vertices.invert" => (0..count).filter(|v| self.vertices.binary_search(v).is_err()).collect(),
            "vertices.grow" => {
                let more = places.iter().flat_map(|p| canvas.ring(*p).iter().copied());
                all_at(&places.iter().copied().chain(more).collect())
            }
            "vertices.shrink" => {
                let inner = places.iter().copied().filter(|p| canvas.ring(*p).iter().all(|n| places.contains(n)));
                all_at(&inner.collect())
            }
            "vertices.linked" => {
                let mut found = places.clone();
                let mut front: Vec<u32> = places.into_iter().collect();
                while let Some(p) = front.pop() {
                    front.extend(canvas.ring(p).iter().copied().filter(|n| found.insert(*n)));
                }
                all_at(&found)
            }
            "vertices.faulty" => {
                let maps = canvas.maps(document);
                let faulty = |v: &u32| {
                    let (map, own) = maps.map_of(*v);
                    fault(map, own, self.limit).is_some()
                };
                (0..count).filter(faulty).collect()
            }
            "vertices.stray" => all_at(&strays(canvas, &canvas.maps(document), 0.4).into_iter().collect()),
            _ => {
                let Some(joint) = joint.or(self.joint) else { return };
                let maps = canvas.maps(document);
                let wanted = |v: &u32| {
                    let (map, own) = maps.map_of(*v);
                    let weight = map.weight(own, joint);
                    weight > 0.0 && (range.0..=range.1).contains(&weight)
                };
                (0..count).filter(wanted).collect()
            }
        };
        self.vertices.sort_unstable();
        self.vertices.dedup();
    }

    /// What the first selected vertex has, as the line that gives it to others.
    pub fn copied(&self, document: &Document) -> Option<CommandLine> {
        let canvas = self.canvas.as_ref()?;
        let vertex = self.vertices.first().copied().or(self.hover.as_ref().map(|h| h.canvas_vertex))?;
        let (map, own) = canvas.maps(document).map_of(vertex);
        let list = Influences::of(map, own);
        let named = list.iter().filter_map(|(j, w)| Some((canvas.joints().get(usize::from(j))?, w)));
        let (names, weights): (Vec<String>, Vec<f32>) = named.map(|(n, w)| (node_text(document, *n), w)).unzip();
        Some(CommandLine::new("weights.assign").with("joints", names).with("weights", weights))
    }
}

/// Whether a point lies within a closed line: an odd number of its edges are to the right.
fn within(line: &[Vec2], at: Vec2) -> bool {
    let mut inside = false;
    for k in 0..line.len() {
        let (a, b) = (line[k], line[(k + 1) % line.len()]);
        if (a.y > at.y) != (b.y > at.y) && at.x < (b.x - a.x) * (at.y - a.y) / (b.y - a.y) + a.x {
            inside = !inside;
        }
    }
    inside
}

/// A brush's touch on the surface, and what was hit.
struct Found {
    touch: Touch,
    node: NodeId,
    primitive: usize,
    vertex: u32,
    own_vertex: u32,
}

impl App {
    /// Takes the state of painting along with document, selection and pose.
    pub(super) fn follow_painting(&mut self) {
        let Some(session) = &self.session else { return };
        if self.mode != Mode::Paint {
            self.painting.hover = None;
            return;
        }
        let document = session.document();
        if self.selection.active.is_none()
            && let Some(joint) = self.painting.joint_node()
        {
            // What is painted is what is selected.
            self.selection.set(joint);
        }
        self.painting.follow(document, self.stage.scene_serial(), self.selection.active);
        if self.painting.brush.mirror {
            self.painting.pair(document);
        }
        self.painting.pose(document, &mut self.stage);
    }

    /// Another way to look at weights; the tints follow.
    pub(super) fn tint_surface(&mut self, changes: &[Change]) {
        self.weights_moved |= changes.iter().any(|c| matches!(c, Change::Weights { .. }));
        if self.weights_moved && self.painting.stroking.is_none() {
            self.weights_moved = false;
            self.refresh_weight_problems();
        }
        let Some(session) = &self.session else { return };
        if self.mode != Mode::Paint {
            if self.painting.tinted.take().is_some() {
                self.stage.clear_tints();
            }
            return;
        }
        self.painting.count(session.document(), changes);
        self.painting.tint(session.document(), &mut self.stage, changes, self.theme.name());
    }

    /// Where the brush is now.
    pub(super) fn brush_at(&mut self, at: Option<(Vec2, Vec2)>) {
        self.painting.pointer = at;
    }

    /// Finds what is under the brush, for showing; whether it is to be shown anew.
    pub(super) fn update_brush(&mut self) -> bool {
        if self.mode != Mode::Paint {
            return false;
        }
        let before = (self.painting.hover.as_ref().map(|h| h.at), self.painting.brush);
        self.drag_number();
        self.find_brush();
        before != (self.painting.hover.as_ref().map(|h| h.at), self.painting.brush)
    }

    fn find_brush(&mut self) {
        let Some((at, size)) = self.painting.pointer else {
            self.painting.hover = None;
            return;
        };
        let Some(found) = self.find(at, size, &self.painting.brush.clone()) else {
            self.painting.hover = None;
            return;
        };
        let Some(session) = &self.session else { return };
        let document = session.document();
        let (rim, half) = rings(&self.camera, size, &found.touch, &self.painting, document, &self.stage);
        let Some(canvas) = &self.painting.canvas else { return };
        let (map, own) = canvas.maps(document).map_of(found.vertex);
        let list = Influences::of(map, own);
        let mut shares: Vec<(NodeId, f32)> =
            list.iter().filter_map(|(j, w)| Some((*canvas.joints().get(usize::from(j))?, w))).collect();
        shares.sort_by(|a, b| b.1.total_cmp(&a.1));
        let (note, refused) = self.painting.foretell(document, found.vertex);
        self.painting.hover = Some(BrushHover {
            at,
            rim,
            half,
            node: found.node,
            vertex: (found.primitive, found.own_vertex),
            canvas_vertex: found.vertex,
            shares,
            note,
            refused,
        });
    }

    fn find(&mut self, at: Vec2, size: Vec2, brush: &Brush) -> Option<Found> {
        let session = self.session.as_ref()?;
        let document = session.document();
        let ray = self.camera.ray(at, size);
        let hidden = &self.marks.hidden;
        let hit = self.stage.surface(document).hit(document, &ray, &|n| hidden.contains(&n))?;
        let canvas = self.painting.canvas.as_ref()?;
        let mesh = document.node(hit.node).mesh?;
        let corner = |v: u32| canvas.vertex_of(mesh, hit.primitive, v);
        let corners = [corner(hit.vertices[0])?, corner(hit.vertices[1])?, corner(hit.vertices[2])?];
        let spot = ray.origin + ray.direction * hit.distance;
        let depth = if self.camera.orthographic {
            self.camera.distance
        } else {
            (spot - self.camera.eye()).dot(self.camera.forward())
        };
        let radius = match brush.radius {
            Radius::Pixels(points) => points * self.camera.metres_per_point(depth, size.y),
            Radius::Scene(metres) => metres,
        };
        let nearest = (0..3).max_by(|a, b| hit.shares[*a].total_cmp(&hit.shares[*b]))?;
        let eye = (!self.camera.orthographic).then(|| self.camera.eye());
        Some(Found {
            touch: Touch { at: spot, corners, direction: ray.direction, eye, radius },
            node: hit.node,
            primitive: hit.primitive,
            vertex: corners[nearest],
            own_vertex: hit.vertices[nearest],
        })
    }

    /// A part of a stroke.
    pub(super) fn stroke(
        &mut self,
        ctx: &Context,
        phase: StrokePhase,
        at: Vec2,
        size: Vec2,
        pressure: f32,
        smooth: bool,
        invert: bool,
    ) {
        match phase {
            StrokePhase::Begin => {
                if self.painting.adjusting.is_some() {
                    return;
                }
                let mut brush = self.painting.brush;
                if smooth {
                    brush.kind = BrushKind::Smooth;
                } else if invert {
                    brush.kind = brush.kind.inverted();
                }
                if let Some(session) = &mut self.session {
                    session.cancel();
                }
                if let Some(canvas) = &self.painting.canvas {
                    self.painting.stroke.begin(canvas);
                }
                self.painting.stroking = Some(Stroking { brush, label: stroke_label(brush.kind), last: None });
                self.dabs_to(at, size, pressure);
            }
            StrokePhase::Move => self.dabs_to(at, size, pressure),
            StrokePhase::End => {
                if self.painting.stroking.take().is_none() {
                    return;
                }
                let changed = self.session.as_mut().is_some_and(|s| s.commit(Vec::new()));
                let refused = self.painting.stroke.refused().clone();
                if !changed && let Some((why, _)) = refused.iter().max_by_key(|(_, count)| **count) {
                    self.toast(ctx, ToastKind::Error, format!("Nothing was painted: {why}."));
                }
                self.painting.recount = true;
            }
            StrokePhase::Cancel => {
                if self.painting.stroking.take().is_some()
                    && let Some(session) = &mut self.session
                {
                    session.cancel();
                }
            }
        }
    }

    /// Dabs from where the last one was to here, a spacing apart, so that it does not matter how fast the hand is.
    fn dabs_to(&mut self, to: Vec2, size: Vec2, pressure: f32) {
        const MOST: usize = 64;
        let Some(stroking) = self.painting.stroking else { return };
        let points = match stroking.brush.radius {
            Radius::Pixels(points) => points,
            Radius::Scene(metres) => metres / self.camera.metres_per_point(self.camera.distance, size.y).max(1e-12),
        };
        let step = (points * stroking.brush.spacing).max(1.0);
        let spots: Vec<Vec2> = match stroking.last {
            None => vec![to],
            Some((from, _)) => {
                let count = ((to.distance(from) / step) as usize).min(MOST);
                (1..=count).map(|k| from + (to - from).normalize_or_zero() * step * k as f32).collect()
            }
        };
        for spot in spots {
            self.dab(spot, size, pressure);
        }
    }

    fn dab(&mut self, at: Vec2, size: Vec2, pressure: f32) {
        let Some(mut stroking) = self.painting.stroking else { return };
        let before = stroking.last.and_then(|(_, spot)| spot);
        let found = self.find(at, size, &stroking.brush);
        stroking.last = Some((at, found.as_ref().map(|f| f.touch.at)));
        self.painting.stroking = Some(stroking);
        let (Some(found), Some(joint), Some(session)) = (found, self.painting.joint, &mut self.session) else { return };
        let started = Instant::now();
        let locked = self.painting.locked_flags();
        let Painting { canvas, stroke, posed, mirror, limit, .. } = &mut self.painting;
        let Some(canvas) = canvas else { return };
        let touch = found.touch;
        let dab = Dab { touch, pressure, motion: before.map_or(Vec3::ZERO, |b| touch.at - b) };
        let posed = PosedCanvas { positions: &posed.positions, normals: &posed.normals };
        let mirror = mirror.as_ref().and_then(|m| m.as_ref()).filter(|_| stroking.brush.mirror);
        let paint = Paint { brush: stroking.brush, joint, locked: &locked, limit: *limit, mirror };
        let patches = stroke.dab(session.document(), canvas, posed, &dab, &paint);
        for (part, patch) in patches {
            let part = canvas.parts()[part];
            if let Err(error) = session.extend(stroking.label, part.mesh, part.primitive, patch) {
                log::error!("a dab does not fit: {error}");
            }
        }
        let ms = started.elapsed().as_secs_f32() * 1000.0;
        self.painting.dab_ms = if self.painting.dab_ms == 0.0 { ms } else { self.painting.dab_ms * 0.8 + ms * 0.2 };
    }

    /// Begins to drag a number of the brush, or ends it.
    pub(super) fn adjust_brush(&mut self, number: Option<BrushNumber>) {
        let Some(number) = number else {
            self.painting.adjusting = None;
            return;
        };
        let from = self.painting.pointer.map(|(at, _)| at);
        self.painting.adjusting = Some(Adjusting { number, before: self.painting.brush, from });
    }

    /// Escape: the brush is as before the drag.
    pub(super) fn cancel_adjusting(&mut self) {
        if let Some(adjusting) = self.painting.adjusting.take() {
            self.painting.brush = adjusting.before;
        }
    }

    fn drag_number(&mut self) {
        let Some((at, size)) = self.painting.pointer else { return };
        let Some(adjusting) = &mut self.painting.adjusting else { return };
        let Some(from) = adjusting.from else {
            adjusting.from = Some(at);
            return;
        };
        let way = at.x - from.x;
        let before = adjusting.before;
        let brush = &mut self.painting.brush;
        match adjusting.number {
            BrushNumber::Radius => {
                brush.radius = match before.radius {
                    Radius::Pixels(r) => Radius::Pixels((r + way).clamp(2.0, 1000.0)),
                    Radius::Scene(r) => {
                        Radius::Scene((r + way * self.camera.metres_per_point(self.camera.distance, size.y)).max(1e-6))
                    }
                };
            }
            BrushNumber::Strength => brush.strength = (before.strength + way / 250.0).clamp(0.0, 1.0),
            BrushNumber::Value => brush.value = (before.value + way / 250.0).clamp(0.0, 1.0),
        }
    }

    /// Commands of the brush.
    pub(super) fn paint_command(&mut self, ctx: &Context, name: &str) {
        match name {
            "paint.radius" => self.adjust_brush(Some(BrushNumber::Radius)),
            "paint.strength" => self.adjust_brush(Some(BrushNumber::Strength)),
            "paint.value" => self.adjust_brush(Some(BrushNumber::Value)),
            "paint.smaller" | "paint.larger" => {
                let factor = if name == "paint.smaller" { 0.9 } else { 1.0 / 0.9 };
                let brush = &mut self.painting.brush;
                brush.radius = match brush.radius {
                    Radius::Pixels(r) => Radius::Pixels(r * factor),
                    Radius::Scene(r) => Radius::Scene(r * factor),
                };
                *brush = brush.sane();
            }
            "paint.lock" => {
                if let Some(node) = self.painting.joint_node()
                    && !self.painting.locked.remove(&node)
                {
                    self.painting.locked.insert(node);
                }
            }
            "paint.unlock_all" => self.painting.locked.clear(),
            "paint.mirror" => self.painting.brush.mirror = !self.painting.brush.mirror,
            "paint.sample" => match (&self.painting.hover, self.painting.joint_node()) {
                (Some(hover), Some(joint)) => {
                    let share = hover.shares.iter().find(|(n, _)| *n == joint).map_or(0.0, |(_, w)| *w);
                    self.painting.brush.value = share;
                }
                _ => self.toast(ctx, ToastKind::Error, "No vertex is under the brush to take a weight from."),
            },
            "paint.flood" => {
                let Some(line) = self.flood_line() else { return };
                self.run(ctx, line);
            }
            _ => {}
        }
    }

    /// Commands that select vertices, and that copy their weights.
    pub(super) fn vertex_command(&mut self, ctx: &Context, line: &CommandLine) {
        let Some(session) = &self.session else { return };
        let document = session.document();
        match line.name.as_str() {
            "vertices.copy" => match self.painting.copied(document) {
                Some(copied) => {
                    ctx.copy_text(copied.to_string());
                    self.painting.clipboard = Some(copied);
                    self.toast(ctx, ToastKind::Ok, "The weights of the vertex were copied.");
                }
                None => self.toast(ctx, ToastKind::Error, "No vertex is selected, or under the brush, to copy from."),
            },
            "vertices.paste" => match self.painting.clipboard.clone() {
                Some(line) => self.run(ctx, line),
                None => self.toast(ctx, ToastKind::Error, "No weights were copied yet. Copy those of a vertex first."),
            },
            name => {
                let number = |name: &str, other: f64| {
                    line.arguments.get(name).and_then(serde_json::Value::as_f64).unwrap_or(other) as f32
                };
                let joint = line.arguments.get("joint").and_then(|v| match v {
                    serde_json::Value::Array(list) => list.first()?.as_str(),
                    other => other.as_str(),
                });
                let found = joint.and_then(|text| {
                    let canvas = self.painting.canvas.as_ref()?;
                    let named = |n: &&NodeId| node_text(document, **n) == text || document.node(**n).label(**n) == text;
                    canvas.joint(*canvas.joints().iter().find(named)?)
                });
                let range = (number("from", 0.0), number("to", 1.0));
                self.painting.select_by(document, name, found, range);
            }
        }
    }

    /// What the brush does to a spot, done to all of the surface, or to what is selected of it.
    fn flood_line(&self) -> Option<CommandLine> {
        let document = self.session.as_ref()?.document();
        let node = self.painting.joint_node()?;
        let brush = &self.painting.brush;
        if !brush.kind.is_of_one_joint() {
            let name = "weights.smooth";
            return Some(self.weights_line(CommandLine::new(name).with("amount", brush.strength)));
        }
        let how = match brush.kind {
            BrushKind::Add => "add",
            BrushKind::Subtract => "subtract",
            BrushKind::Scale => "scale",
            _ => "set",
        };
        let line = CommandLine::new("weights.flood")
            .with("joint", node_text(document, node))
            .with("value", brush.value)
            .with("how", how)
            .with("amount", brush.strength);
        Some(self.weights_line(line))
    }

    /// A line on weights for each part that has selected vertices; the line alone where none are selected.
    pub(super) fn weights_lines(&self, line: CommandLine) -> Vec<CommandLine> {
        let takes = crate::edit::find(&line.name).is_some_and(|s| s.arguments.iter().any(|a| a.name == "vertices"));
        let named = ["mesh", "primitive", "vertices"].iter().any(|n| line.arguments.contains_key(*n));
        let session = self.session.as_ref();
        let (Some(canvas), Some(session), false) = (&self.painting.canvas, session, self.painting.vertices.is_empty())
        else {
            return vec![self.weights_line(line)];
        };
        if !takes || named || self.mode != Mode::Paint {
            return vec![self.weights_line(line)];
        }
        let mut lines = Vec::new();
        for part in canvas.parts() {
            let own: Vec<u32> = self
                .painting
                .vertices
                .iter()
                .filter(|v| (part.first..part.first + part.count).contains(v))
                .map(|v| v - part.first)
                .collect();
            if own.is_empty() {
                continue;
            }
            let line = line
                .clone()
                .with("mesh", crate::edit::mesh_text(session.document(), part.mesh))
                .with("primitive", part.primitive)
                .with("vertices", spell(&own));
            lines.push(self.weights_line(line));
        }
        lines
    }

    /// Mends a problem that can be mended at a click.
    pub(super) fn fix_problem(&mut self, ctx: &Context, problem: usize) {
        let Some(problem) = self.problems.get(problem).filter(|p| p.fixable) else { return };
        let mut parts = problem.place.split('/');
        let number = |t: Option<&str>| t.and_then(|t| t.parse::<usize>().ok());
        let (mesh, primitive) = match (parts.next(), number(parts.next()), parts.next(), number(parts.next())) {
            (Some("meshes"), Some(mesh), Some("primitives"), Some(primitive)) => (mesh, primitive),
            _ => return,
        };
        let line = CommandLine::new("weights.normalize").with("mesh", format!("#{mesh}")).with("primitive", primitive);
        self.run(ctx, line);
    }

    /// Problems of weights are those of the weights as they are now.
    pub(super) fn refresh_weight_problems(&mut self) {
        let Some(session) = &self.session else { return };
        self.problems.retain(|p| !p.fixable);
        self.problems.extend(session.weight_problems());
        self.problems.sort_by_key(|d| std::cmp::Reverse(d.severity));
    }

    /// Adds to a line on weights what painting knows: the meshes of the skin, locked joints, the limit.
    pub(super) fn weights_line(&self, mut line: CommandLine) -> CommandLine {
        let Some(document) = self.session.as_ref().map(|s| s.document()) else { return line };
        let spec = crate::edit::find(&line.name);
        let takes = |name: &str| {
            spec.is_some_and(|s| s.arguments.iter().any(|a| a.name == name)) && !line.arguments.contains_key(name)
        };
        let (mesh, locked, most) = (takes("mesh"), takes("locked"), takes("most"));
        if mesh
            && self.mode == Mode::Paint
            && let Some(canvas) = &self.painting.canvas
        {
            let mut meshes: Vec<_> = canvas.parts().iter().map(|p| p.mesh).collect();
            meshes.dedup();
            let names: Vec<String> = meshes.into_iter().map(|m| crate::edit::mesh_text(document, m)).collect();
            line = line.with("mesh", names);
        }
        if locked && !self.painting.locked.is_empty() {
            let names: Vec<String> = self.painting.locked.iter().map(|n| node_text(document, *n)).collect();
            line = line.with("locked", names);
        }
        if most && self.mode == Mode::Paint {
            line = line.with("most", self.painting.limit);
        }
        line
    }
}

/// Vertices in rising order as text: `0-99, 120`.
fn spell(vertices: &[u32]) -> String {
    let mut runs: Vec<(u32, u32)> = Vec::new();
    for v in vertices {
        match runs.last_mut() {
            Some((_, last)) if *last + 1 == *v => *last = *v,
            _ => runs.push((*v, *v)),
        }
    }
    let text = |(a, b): (u32, u32)| if a == b { a.to_string() } else { format!("{a}-{b}") };
    runs.into_iter().map(text).collect::<Vec<_>>().join(", ")
}

const fn stroke_label(kind: BrushKind) -> &'static str {
    match kind {
        BrushKind::Smooth => "Smooth weights",
        BrushKind::Sharpen => "Sharpen weights",
        BrushKind::Average => "Average weights",
        BrushKind::Smear => "Smear weights",
        _ => "Paint weights",
    }
}

impl Painting {
    /// What a dab would do to a vertex: who gives or gets, or why nothing happens.
    fn foretell(&self, document: &Document, vertex: u32) -> (String, bool) {
        let (Some(canvas), Some(joint)) = (&self.canvas, self.joint) else {
            return ("select a joint to paint it".into(), true);
        };
        if !self.brush.kind.is_of_one_joint() {
            return (String::new(), false);
        }
        let locked = self.locked_flags();
        let maps = canvas.maps(document);
        let (map, own) = maps.map_of(vertex);
        let rule = Rule {
            locked: &locked,
            parents: canvas.parents(),
            limit: self.limit.clamp(1, map.stride()),
            encoding: map.encoding,
        };
        let mut list = Influences::default();
        let before = Influences::of(map, own);
        let wish = |list: &Influences| self.brush.value_for(list.get(joint), self.brush.strength);
        let done = maps.read(vertex, &mut list, &rule).and_then(|()| {
            let wish = wish(&list);
            paint(&mut list, &[(joint, wish)], &rule, |out| {
                let place = canvas.place_of(vertex);
                for p in canvas.ring(place) {
                    let (map, v) = maps.map_of(canvas.vertices_at(*p)[0]);
                    Influences::of(map, v).iter().for_each(|(j, w)| out.add(j, w));
                }
            })
        });
        let label =
            |j: u16| canvas.joints().get(usize::from(j)).map_or_else(String::new, |n| document.node(*n).label(*n));
        match done {
            Err(Refusal::Locked) => (format!("{} is locked", label(joint)), true),
            Err(why) => (why.to_string(), true),
            Ok(()) => {
                let grew = list.get(joint) > before.get(joint) + 1e-6;
                let shrank = list.get(joint) < before.get(joint) - 1e-6;
                let moved = |gives: bool| -> Vec<String> {
                    let mut joints: Vec<u16> =
                        list.iter().chain(before.iter()).map(|(j, _)| j).filter(|j| *j != joint).collect();
                    joints.sort_unstable();
                    joints.dedup();
                    let by = |j: &u16| (list.get(*j) - before.get(*j)) * if gives { -1.0 } else { 1.0 };
                    joints.retain(|j| by(j) > 1e-6);
                    joints.sort_by(|a, b| by(b).total_cmp(&by(a)));
                    joints.into_iter().take(2).map(label).collect()
                };
                let note = if grew {
                    match moved(true) {
                        list if list.is_empty() => "takes what no joint has".into(),
                        list => format!("takes from {}", list.join(" and ")),
                    }
                } else if shrank {
                    match moved(false) {
                        list if list.is_empty() => String::new(),
                        list => format!("gives to {}", list.join(" and ")),
                    }
                } else {
                    "nothing to change here".into()
                };
                (note, false)
            }
        }
    }
}

/// The rim of a brush on the surface, and where it falls to half.
fn rings(
    camera: &Camera,
    size: Vec2,
    touch: &Touch,
    painting: &Painting,
    document: &Document,
    stage: &Stage,
) -> (Vec<Vec3>, Vec<Vec3>) {
    const STEPS: usize = 48;
    let _ = (size, document);
    let normal = {
        let normals = touch.corners.map(|v| painting.posed.normals.get(v as usize).copied().unwrap_or_default());
        let mean = (normals[0] + normals[1] + normals[2]).normalize_or(-touch.direction);
        if mean.dot(touch.direction) > 0.0 { -mean } else { mean }
    };
    // Half way between the surface's own tilt and the screen's: a circle that lies on the surface, but never on its edge.
    let normal = (normal - touch.direction * 0.6).normalize_or(-touch.direction);
    let u = normal.any_orthonormal_vector();
    let v = normal.cross(u);
    let half = (1..=100).map(|k| k as f32 / 100.0).find(|p| painting.brush.falloff.at(*p) >= 0.5).unwrap_or(0.5);
    let ring = |radius: f32| -> Vec<Vec3> {
        let angle = |k: usize| k as f32 / STEPS as f32 * std::f32::consts::TAU;
        (0..STEPS)
            .map(|k| {
                let at = touch.at + (u * angle(k).cos() + v * angle(k).sin()) * radius;
                // Down onto the surface, where it is near.
                let lift = radius.max(touch.radius * 0.5);
                let ray = match touch.eye {
                    Some(eye) => Ray { origin: eye, direction: (at - eye).normalize_or(touch.direction) },
                    None => Ray { origin: at - camera.forward() * camera.distance, direction: touch.direction },
                };
                let near = (at - ray.origin).dot(ray.direction);
                let hit = stage.peek(document, &ray, near - lift, near + lift);
                hit.map_or(at, |distance| ray.origin + ray.direction * distance)
            })
            .collect()
    };
    (ring(touch.radius), ring(touch.radius * (1.0 - half)))
}

/// Counts of a canvas, for panels.
pub(super) fn count_faults(document: &Document, canvas: &Canvas, limit: usize) -> (Faults, Vec<u32>, usize) {
    let mut faults = Faults::default();
    let mut used = vec![0u32; canvas.joints().len()];
    let maps = canvas.maps(document);
    for k in 0..canvas.parts().len() {
        let map = maps.part(k);
        for v in 0..map.vertex_count() {
            if let Some(fault) = fault(map, v, limit) {
                faults.add(fault);
            }
            for (j, w) in map.vertex(v) {
                if w > 0.0
                    && let Some(count) = used.get_mut(usize::from(j))
                {
                    *count += 1;
                }
            }
        }
    }
    (faults, used, strays(canvas, &maps, 0.4).len())
}
