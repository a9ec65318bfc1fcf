//! Strokes: dabs along the path of the pointer. Each dab edits the touched vertices, and all dabs
//! are one undo step.

use std::time::Instant;

use glam::{Vec2, Vec3};

use super::{context::BrushContext, sights::in_sight};
use crate::ui::{
    Action, LayerStroke, PaintAction, PaintSession, PaintStroke, ShownMask, StrokePhase, ToastKind,
    posed_surface,
};
use ulna_model::{Document, MeshId, NodeId, PrimitiveId, WeightPatch};
use ulna_session::Session;
use ulna_weights::{
    Brush, BrushKind, Claimed, Dab, Paint, PartChange, Radius, Reach, layers::NotPaintable,
};

/// Message if no dab touched the surface.
const NOT_UNDER_BRUSH: &str = "Nothing was painted: this skin's surface is not under the brush.";

impl BrushContext<'_> {
    /// Handles the start, a move or the end of a stroke.
    pub(in crate::app) fn stroke(
        &mut self,
        phase: StrokePhase,
        at: Vec2,
        size: Vec2,
        pressure: f32,
        smooth: bool,
        invert: bool,
    ) {
        match phase {
            StrokePhase::Begin { joint } => {
                self.begin_stroke(joint, (at, size), pressure, (smooth, invert));
            }
            StrokePhase::Move => {
                if let Some(mut stroke) = self.take_stroke() {
                    let pen = stroke.brush.pulled(stroke.pen, at);
                    stroke.pen = pen;
                    self.dabs_to(&mut stroke, pen, size, pressure);
                    self.keep_stroke(stroke);
                }
            }
            StrokePhase::End => {
                if let Some(mut stroke) = self.take_stroke() {
                    self.catch_up(&mut stroke, size, pressure);
                    self.drop_traces(&mut stroke);
                    self.end_stroke(stroke);
                }
            }
            StrokePhase::Cancel => {
                if self.take_stroke().is_some() {
                    self.session.cancel();
                    self.painting.layering.mask.values.clear();
                }
            }
        }
    }

    /// Moves the current stroke out of the paint session, so that both can be changed.
    fn take_stroke(&mut self) -> Option<PaintStroke> {
        self.painting.session_mut()?.stroke.take()
    }

    /// Moves the stroke back into the paint session.
    fn keep_stroke(&mut self, stroke: PaintStroke) {
        if let Some(painted) = self.painting.session_mut() {
            painted.stroke = Some(stroke);
        }
    }

    /// Starts a stroke. If the pointer is over a joint instead of the surface, selects the joint.
    fn begin_stroke(
        &mut self,
        joint: Option<NodeId>,
        (at, size): (Vec2, Vec2),
        pressure: f32,
        (smooth, invert): (bool, bool),
    ) {
        if self.painting.adjusting.is_some() {
            return;
        }
        if self.painting.original.is_some() {
            let text = "The view shows the file's original weights. Choose Edited to paint.";
            self.messages.toast(ToastKind::Note, text);
            return;
        }
        let mut brush = self.painting.options.brush;
        if let Some(joint) = joint.filter(|_| self.find(at, size, &brush).is_none()) {
            self.selection.set(joint);
            return;
        }
        self.session.cancel();
        let layer = match self.begin_layer() {
            Ok(layer) => layer,
            Err(error) => {
                self.messages.toast(ToastKind::Error, format!("Nothing was painted: {error}."));
                return;
            }
        };
        if smooth {
            brush.kind = BrushKind::Smooth;
        } else if invert {
            brush = brush.inverted().unwrap_or(brush);
        }
        let is_masked = self.painting.layering.masked().is_some();
        let Some(painted) = self.painting.session_mut() else {
            self.messages.toast(ToastKind::Note, NOT_UNDER_BRUSH);
            return;
        };
        let sides = painted.mirror.get_mut().filter(|_| brush.mirror);
        let warns = sides.is_some_and(|sides| std::mem::take(&mut sides.warns_one_sided));
        painted.dabs.begin(&painted.surface);
        if warns {
            let text = "The stroke was not mirrored: the joints of the other side belong to \
                another skin. Paint one side, then use the Mirror button under Weights, which \
                works across skins.";
            self.messages.toast(ToastKind::Note, text);
        }
        let label = if is_masked { "Paint mask" } else { stroke_label(brush.kind) };
        let mut stroke = PaintStroke::new(brush, label, at, layer);
        self.dabs_to(&mut stroke, at, size, pressure);
        self.keep_stroke(stroke);
    }

    /// Prepares the painted layer for a stroke; `None` if there are no layers.
    fn begin_layer(&self) -> Result<Option<LayerStroke>, NotPaintable> {
        let (layering, session) = (&self.painting.layering, &*self.session);
        let (Some(painted), Some(target)) = (self.painting.session(), layering.target) else {
            return Ok(None);
        };
        let mirror = painted.mirror.get().filter(|_| self.painting.options.brush.mirror);
        let mirror = mirror.map(|sides| &sides.map);
        let what = (target, layering.painted);
        let generation = session.generation();
        LayerStroke::new(session.document(), &painted.surface, what, mirror, generation).map(Some)
    }

    /// Removes tiny weights of distant joints that smoothing left behind.
    fn drop_traces(&mut self, stroke: &mut PaintStroke) {
        let session = &mut *self.session;
        let Some(painted) = self.painting.state.session_mut() else { return };
        let is_past = |l: &LayerStroke| l.is_of_mask() || l.generation != session.generation();
        if stroke.layer.as_ref().is_some_and(is_past) {
            return;
        }
        let Some(joint) = painted.joint else { return };
        let options = &self.painting.options;
        let locked = painted.locked_flags(&options.locked);
        let layer = stroke.layer.as_ref();
        let mirror = painted.mirror.get().filter(|_| stroke.brush.mirror).map(|sides| &sides.map);
        let mirror = layer.and_then(|l| l.pairs.as_ref()).or(mirror);
        let (brush, limit) = (stroke.brush, options.limit);
        let paint = Paint { brush, joint, locked: &locked, limit, mirror };
        let surface = &painted.surface;
        let maps = layer.map(|l| l.paint.maps(surface));
        let maps = maps.unwrap_or_else(|| surface.maps(session.document()));
        let patches = painted.dabs.end(&maps, surface, &paint);
        if !patches.is_empty() {
            painted.extend(stroke, session, &mut self.painting.layering.mask, patches);
        }
    }

    /// Commits all dabs as one undo step. Shows a message if nothing was painted.
    fn end_stroke(&mut self, stroke: PaintStroke) {
        let masked = stroke.is_of_mask();
        let PaintStroke { layer, label, fault, .. } = stroke;
        let session = &mut *self.session;
        let Some(painted) = self.painting.state.session() else { return };
        let done = match layer {
            Some(live) if live.generation != session.generation() => {
                session.cancel();
                Err("the model was changed during the stroke; paint again".to_owned())
            }
            Some(live) => {
                session.commit_layers(label, live.paint.layers()).map_err(|e| e.to_string())
            }
            None => Ok(session.commit()),
        };
        let refused = painted.dabs.refused().iter().max_by_key(|(_, count)| **count);
        let refused = refused.map(|(why, _)| *why);
        let is_beside = painted.dabs.last_hits().next().is_none();
        let why = match done {
            Ok(true) if fault.is_some() => {
                let why = fault.unwrap_or_default();
                self.messages
                    .toast(ToastKind::Error, format!("Part of the stroke was not painted: {why}."));
                return;
            }
            Ok(true) => {
                // Shown only once, because the user may intend it.
                if let Some(why) = refused.filter(|why| self.painting.reported.insert(*why)) {
                    self.messages
                        .toast(ToastKind::Note, format!("Some vertices did not change: {why}."));
                }
                return;
            }
            Err(error) => {
                self.painting.layering.mask.values.clear();
                error
            }
            Ok(false) if fault.is_some() => fault.unwrap_or_default(),
            Ok(false) if is_beside => {
                self.messages.toast(ToastKind::Note, NOT_UNDER_BRUSH);
                return;
            }
            Ok(false) if masked => {
                let text = "Nothing was painted: the mask already has this value, or the layer has \
                    no weights here.";
                self.messages.toast(ToastKind::Note, text);
                return;
            }
            Ok(false) => match refused {
                Some(why) => why.to_string(),
                None => {
                    self.say_unchanged();
                    return;
                }
            },
        };
        self.messages.toast(ToastKind::Error, format!("Nothing was painted: {why}."));
    }

    /// Shows a message about a stroke that changed nothing, although no vertex refused the change.
    fn say_unchanged(&mut self) {
        let brush = self.painting.options.brush;
        let painted = self.painting.session();
        let ends = painted.is_some_and(|s| s.dabs.ends_with_piece(&s.surface, s.posed_surface()));
        if brush.reach == Reach::Surface && ends {
            let text = "Nothing was painted: this mesh piece already matches, and Along surface \
                does not cross to \
            other pieces.";
            let wide = Brush { reach: Reach::Volume, ..brush };
            let verbs = vec![("Use Volume", Action::Paint(PaintAction::Brush(Box::new(wide))))];
            self.messages.say(ToastKind::Note, text.to_owned(), verbs);
            return;
        }
        let text = "Nothing was painted: the weights already match, or locked joints have all of \
            the weight.";
        self.messages.toast(ToastKind::Note, text);
    }

    /// Paints dabs of a fast stroke that earlier frames did not finish.
    fn catch_up(&mut self, stroke: &mut PaintStroke, size: Vec2, pressure: f32) {
        const MOST: usize = 16;
        for _ in 0..MOST {
            let Some((from, _)) = stroke.last else { return };
            let to = stroke.to;
            self.dabs_to(stroke, to, size, pressure);
            if stroke.last.is_none_or(|(at, _)| at == from) {
                return;
            }
        }
    }

    /// Places dabs from the last dab to the pointer. The spacing is constant, whatever the
    /// pointer's speed. The number per frame is limited, and later frames place the rest.
    fn dabs_to(&mut self, stroke: &mut PaintStroke, to: Vec2, size: Vec2, pressure: f32) {
        const MOST: usize = 64;
        stroke.to = to;
        let points = match stroke.brush.radius {
            Radius::Pixels(points) => points,
            Radius::Scene(meters) => {
                meters / self.camera.meters_per_point(self.camera.distance, size.y).max(1e-12)
            }
        };
        let step = (points * stroke.brush.spacing).max(1.0);
        let spots: Vec<Vec2> = match stroke.last {
            None => vec![to],
            Some((from, _)) => {
                let count = ((to.distance(from) / step) as usize).min(MOST);
                (1..=count)
                    .map(|k| from + (to - from).normalize_or_zero() * step * k as f32)
                    .collect()
            }
        };
        for spot in spots {
            self.dab(stroke, spot, size, pressure);
        }
    }

    fn dab(&mut self, stroke: &mut PaintStroke, at: Vec2, size: Vec2, pressure: f32) {
        let before = stroke.last.and_then(|(_, spot)| spot);
        let found = self.find(at, size, &stroke.brush.pressed(pressure));
        stroke.last = Some((at, found.as_ref().map(|f| f.touch.at)));
        let session = &mut *self.session;
        let (Some(found), Some(painted)) = (found, self.painting.state.session_mut()) else {
            return;
        };
        let masked = stroke.is_of_mask();
        // A mask is stored as the weights of two joints, of which the first is painted.
        let Some(joint) = painted.joint.map(|j| if masked { 0 } else { j }) else { return };
        let started = Instant::now();
        let options = &self.painting.options;
        let locked = if masked { vec![false; 2] } else { painted.locked_flags(&options.locked) };
        let PaintSession { surface: canvas, dabs, posed, mirror, .. } = painted;
        let touch = found.touch;
        let near = (stroke.brush.reach != Reach::Through).then(|| {
            let surface = self.renderer.surface(session.document());
            let firsts: Vec<Option<u32>> = surface
                .parts()
                .map(|v| {
                    canvas
                        .parts()
                        .iter()
                        .find(|p| p.node == v.node && p.primitive == v.primitive)
                        .map(|p| p.first)
                })
                .collect();
            let mut near: Vec<u32> = Vec::new();
            surface.around(touch.at, touch.radius, &mut |part, list| {
                near.extend(
                    firsts[part].iter().flat_map(|first| list.iter().map(move |v| first + v)),
                );
            });
            near
        });
        let motion = before.map_or(Vec3::ZERO, |b| touch.at - b);
        let dab = Dab { touch, pressure, motion, near: near.as_deref() };
        let posed = posed_surface(posed);
        let layer = stroke.layer.as_ref();
        let sides = mirror.get().filter(|_| stroke.brush.mirror && !masked);
        let mirror = layer.and_then(|l| l.pairs.as_ref()).or(sides.map(|sides| &sides.map));
        let limit = if masked { 2 } else { options.limit };
        // The two joints of a mask do not move vertices.
        let brush = Brush { keep_volume: stroke.brush.keep_volume && !masked, ..stroke.brush };
        let paint = Paint { brush, joint, locked: &locked, limit, mirror };
        let maps = layer.map(|l| l.paint.maps(canvas));
        let maps = maps.unwrap_or_else(|| canvas.maps(session.document()));
        let patches = if stroke.brush.visible_only {
            let (camera, pose) = (self.camera, self.renderer.pose_serial());
            stroke.sights.follow(camera, pose, canvas.vertex_count());
            let surface = self.renderer.surface(session.document());
            let (document, hidden) = (session.document(), self.hidden);
            let looks = |v: u32| in_sight(surface, document, camera, hidden, posed, v);
            let seen = stroke.sights.of(&looks);
            dabs.dab_where(&maps, canvas, posed, &dab, &paint, Some(&seen))
        } else {
            dabs.dab(&maps, canvas, posed, &dab, &paint)
        };
        painted.extend(stroke, session, &mut self.painting.layering.mask, patches);
        let ms = started.elapsed().as_secs_f32() * 1000.0;
        self.painting.dab_ms =
            if self.painting.dab_ms == 0.0 { ms } else { self.painting.dab_ms * 0.8 + ms * 0.2 };
    }
}

impl PaintSession {
    /// Adds the weight changes of a dab to the stroke and to its undo step. `patches` has the index
    /// of a surface part and the changed weights.
    fn extend(
        &mut self,
        stroke: &mut PaintStroke,
        session: &mut Session,
        mask: &mut ShownMask,
        patches: Vec<(usize, WeightPatch)>,
    ) {
        let mut changes: Vec<(MeshId, PrimitiveId, WeightPatch)> = match &mut stroke.layer {
            Some(layer) => layer.put_dab(&self.surface, mask, patches),
            None => {
                let of = |part: usize| &self.surface.parts()[part];
                let change = |(part, patch)| (of(part).mesh, of(part).primitive, patch);
                patches.into_iter().map(change).collect()
            }
        };
        if !self.seams.is_empty() {
            // In a layer, the painted weights are kept even if the other skin cannot match them.
            self.keep_seams(session.document(), &mut changes, stroke.layer.is_none());
        }
        for (mesh, primitive, patch) in changes {
            if let Err(error) = session.extend(stroke.label, mesh, primitive, patch) {
                // The error is shown when the stroke ends. Earlier dabs are kept.
                stroke.fault.get_or_insert(error.to_string());
            }
        }
        if let Some(layer) = &mut stroke.layer {
            layer.generation = session.generation();
        }
    }

    /// Adds the changes that keep the seams to meshes with other skins closed. Meshes with weight
    /// layers of their own are skipped, because a stroke changes only one layer.
    fn keep_seams(
        &mut self,
        document: &Document,
        changes: &mut Vec<(MeshId, PrimitiveId, WeightPatch)>,
        hold: bool,
    ) {
        let canvas = &self.surface;
        let part = |mesh, primitive| {
            canvas.parts().iter().position(|p| (p.mesh, p.primitive) == (mesh, primitive))
        };
        let mut own: Vec<(usize, PartChange)> = std::mem::take(changes)
            .into_iter()
            .filter_map(|(mesh, primitive, patch)| {
                Some((part(mesh, primitive)?, PartChange::Patch(patch)))
            })
            .collect();
        let (twins, refused) =
            self.seams.follow(document, canvas, &mut own, hold, &mut Claimed::new());
        let patch = |(k, change): (usize, PartChange)| match change {
            PartChange::Patch(patch) => {
                Some((canvas.parts()[k].mesh, canvas.parts()[k].primitive, patch))
            }
            PartChange::Whole(_) => None,
        };
        changes.extend(own.into_iter().filter_map(patch));
        changes.extend(twins);
        self.dabs.refuse(refused);
    }
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
