//! Strokes: dabs along the way of the pointer, each an edit of what it touches, all of them one
//! step.

use std::time::Instant;

use egui::Context;
use glam::{Vec2, Vec3};

use super::{Painting, layering::Live, sights::in_sight, state::Stroking};
use crate::{
    app::App,
    ui::{Action, PaintAction, StrokePhase, ToastKind},
};
use ulna_model::{Document, MeshId, PrimitiveId, WeightPatch};
use ulna_weights::{
    Brush, BrushKind, Claimed, Dab, Paint, PartChange, PosedSurface, Radius, Reach,
    layers::{NotPaintable, Painted},
};

impl App {
    /// A part of a stroke.
    pub(in crate::app) fn stroke(
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
            StrokePhase::Begin { joint } => {
                if self.painting.adjusting.is_some() {
                    return;
                }
                if self.painting.before.is_some() {
                    let text =
                        "The view shows the file's original weights. Choose Edited to paint.";
                    self.toast(ctx, ToastKind::Note, text);
                    return;
                }
                if let Some(joint) =
                    joint.filter(|_| self.find(at, size, &self.painting.brush.clone()).is_none())
                {
                    self.outliner.selection.set(joint);
                    return;
                }
                if let Some(session) = &mut self.session {
                    session.cancel();
                }
                if let Err(error) = self.begin_layer() {
                    self.toast(ctx, ToastKind::Error, format!("Nothing was painted: {error}."));
                    return;
                }
                let mut brush = self.painting.brush;
                if smooth {
                    brush.kind = BrushKind::Smooth;
                } else if invert {
                    brush = brush.inverted().unwrap_or(brush);
                }
                if brush.mirror && self.painting.one_sided == Some(false) {
                    self.painting.one_sided = Some(true);
                    let text = "The stroke was not mirrored: the joints of the other side belong \
                        to another skin. \
                    Paint one side, then use the Mirror button under Weights, which works across \
                    skins.";
                    self.toast(ctx, ToastKind::Note, text);
                }
                if let Some(canvas) = &self.painting.canvas {
                    self.painting.stroke.begin(canvas);
                    self.painting.sights.begin(canvas.vertex_count());
                }
                let label = match self.painting.layering.masked() {
                    Some(_) => "Paint mask",
                    None => stroke_label(brush.kind),
                };
                self.painting.stroking =
                    Some(Stroking { brush, label, last: None, pen: at, to: at });
                self.dabs_to(at, size, pressure);
            }
            StrokePhase::Move => {
                if let Some(stroking) = &mut self.painting.stroking {
                    stroking.pen = stroking.brush.pulled(stroking.pen, at);
                    let pen = stroking.pen;
                    self.dabs_to(pen, size, pressure);
                }
            }
            StrokePhase::End => {
                self.catch_up(size, pressure);
                if let Some(stroking) = self.painting.stroking.take() {
                    self.drop_traces(&stroking);
                    self.end_stroke(ctx, stroking.label);
                }
            }
            StrokePhase::Cancel => {
                if self.painting.stroking.take().is_some()
                    && let Some(session) = &mut self.session
                {
                    session.cancel();
                    self.painting.layering.forget_stroke();
                }
            }
        }
    }

    /// Makes the painted layer ready for a stroke, where there are layers.
    fn begin_layer(&mut self) -> Result<(), NotPaintable> {
        let Painting { canvas, layering, mirror, brush, .. } = &mut self.painting;
        layering.live = None;
        let (Some(session), Some(canvas), Some(target)) = (&self.session, canvas, layering.target)
        else {
            return Ok(());
        };
        let mirror = mirror.as_ref().filter(|_| brush.mirror);
        let what = (target, layering.painted);
        layering.live =
            Some(Live::new(session.document(), canvas, what, mirror, session.generation())?);
        Ok(())
    }

    /// Drops what mixing left of far joints.
    fn drop_traces(&mut self, stroking: &Stroking) {
        let (Some(session), Some(joint)) = (&mut self.session, self.painting.joint) else { return };
        let locked = self.painting.locked_flags();
        let Painting { canvas, stroke, mirror, limit, layering, .. } = &self.painting;
        let (Some(canvas), live) = (canvas, layering.live.as_ref()) else { return };
        if live.is_some_and(|l| {
            l.paint.painted() == Painted::Mask || l.generation != session.generation()
        }) {
            return;
        }
        let mirror = mirror.as_ref().filter(|_| stroking.brush.mirror);
        let mirror = live.and_then(|l| l.pairs.as_ref()).or(mirror);
        let paint = Paint { brush: stroking.brush, joint, locked: &locked, limit: *limit, mirror };
        let maps = live.map_or_else(|| canvas.maps(session.document()), |l| l.paint.maps(canvas));
        let patches = stroke.end(&maps, canvas, &paint);
        if patches.is_empty() {
            return;
        }
        let mut changes: Vec<(MeshId, PrimitiveId, WeightPatch)> = if live.is_some() {
            self.painting.put_dab(patches)
        } else {
            let of = |part: usize| (canvas.parts()[part].mesh, canvas.parts()[part].primitive);
            patches.into_iter().map(|(part, patch)| (of(part).0, of(part).1, patch)).collect()
        };
        if !self.painting.seams.is_empty() {
            self.painting.keep_seams(session.document(), &mut changes);
        }
        for (mesh, primitive, patch) in changes {
            if let Err(error) = session.extend(stroking.label, mesh, primitive, patch) {
                self.painting.dab_fault.get_or_insert(error.to_string());
            }
        }
        if let Some(live) = &mut self.painting.layering.live {
            live.generation = session.generation();
        }
    }

    /// Makes one step of the dabs, and says why where there is nothing.
    fn end_stroke(&mut self, ctx: &Context, label: &str) {
        let live = self.painting.layering.live.take();
        let masked = live.as_ref().is_some_and(|l| l.paint.painted() == Painted::Mask);
        let Some(session) = &mut self.session else { return };
        let done = match live {
            Some(live) if live.generation != session.generation() => {
                session.cancel();
                Err("the model was changed during the stroke; paint again".to_owned())
            }
            Some(live) => {
                session.commit_layers(label, live.paint.layers()).map_err(|e| e.to_string())
            }
            None => Ok(session.commit()),
        };
        let fault = self.painting.dab_fault.take();
        let refused = self
            .painting
            .stroke
            .refused()
            .iter()
            .max_by_key(|(_, count)| **count)
            .map(|(why, _)| *why);
        let why = match done {
            Ok(true) if fault.is_some() => {
                let why = fault.unwrap_or_default();
                self.toast(
                    ctx,
                    ToastKind::Error,
                    format!("Part of the stroke was not painted: {why}."),
                );
                return;
            }
            Ok(true) => {
                // Said once: it may be so on purpose.
                if let Some(why) = refused.filter(|why| self.painting.told.insert(*why)) {
                    self.toast(
                        ctx,
                        ToastKind::Note,
                        format!("Some vertices did not change: {why}."),
                    );
                }
                return;
            }
            Err(error) => {
                self.painting.layering.forget_stroke();
                error
            }
            Ok(false) if fault.is_some() => fault.unwrap_or_default(),
            Ok(false) if self.painting.stroke.last_hits().next().is_none() => {
                let text = "Nothing was painted: this skin's surface is not under the brush.";
                self.toast(ctx, ToastKind::Note, text);
                return;
            }
            Ok(false) if masked => {
                let text = "Nothing was painted: the mask already has this value, or the layer has \
                    no weights here.";
                self.toast(ctx, ToastKind::Note, text);
                return;
            }
            Ok(false) => match refused {
                Some(why) => why.to_string(),
                None => {
                    self.say_unchanged(ctx);
                    return;
                }
            },
        };
        self.toast(ctx, ToastKind::Error, format!("Nothing was painted: {why}."));
    }

    /// Why a stroke changed nothing, where no vertex was refused.
    fn say_unchanged(&mut self, ctx: &Context) {
        let brush = self.painting.brush;
        let Painting { canvas, stroke, posed, .. } = &self.painting;
        let posed = PosedSurface { positions: &posed.positions, normals: &posed.normals };
        let ends = canvas.as_ref().is_some_and(|c| stroke.ends_with_piece(c, posed));
        if brush.reach == Reach::Surface && ends {
            let text = "Nothing was painted: this mesh piece already matches, and Along surface \
                does not cross to \
            other pieces.";
            let wide = Brush { reach: Reach::Volume, ..brush };
            let verbs = vec![("Use Volume", Action::Paint(PaintAction::Brush(Box::new(wide))))];
            self.say(ctx, ToastKind::Note, text.to_owned(), verbs);
            return;
        }
        let text = "Nothing was painted: the weights already match, or locked joints have all of \
            the weight.";
        self.toast(ctx, ToastKind::Note, text);
    }

    /// Paints what a fast hand left behind.
    fn catch_up(&mut self, size: Vec2, pressure: f32) {
        const MOST: usize = 16;
        for _ in 0..MOST {
            let Some(Stroking { last: Some((from, _)), to, .. }) = self.painting.stroking else {
                return;
            };
            self.dabs_to(to, size, pressure);
            if self.painting.stroking.is_none_or(|s| s.last.is_none_or(|(at, _)| at == from)) {
                return;
            }
        }
    }

    /// Dabs from where the last one was to here, a spacing apart, so that it does not matter how
    /// fast the hand is; as many as a frame may have, and a later one goes on.
    fn dabs_to(&mut self, to: Vec2, size: Vec2, pressure: f32) {
        const MOST: usize = 64;
        let Some(stroking) = &mut self.painting.stroking else { return };
        stroking.to = to;
        let stroking = *stroking;
        let points = match stroking.brush.radius {
            Radius::Pixels(points) => points,
            Radius::Scene(meters) => {
                meters
                    / self
                        .viewport
                        .camera
                        .meters_per_point(self.viewport.camera.distance, size.y)
                        .max(1e-12)
            }
        };
        let step = (points * stroking.brush.spacing).max(1.0);
        let spots: Vec<Vec2> = match stroking.last {
            None => vec![to],
            Some((from, _)) => {
                let count = ((to.distance(from) / step) as usize).min(MOST);
                (1..=count)
                    .map(|k| from + (to - from).normalize_or_zero() * step * k as f32)
                    .collect()
            }
        };
        for spot in spots {
            self.dab(spot, size, pressure);
        }
    }

    fn dab(&mut self, at: Vec2, size: Vec2, pressure: f32) {
        let Some(mut stroking) = self.painting.stroking else { return };
        let before = stroking.last.and_then(|(_, spot)| spot);
        let found = self.find(at, size, &stroking.brush.pressed(pressure));
        stroking.last = Some((at, found.as_ref().map(|f| f.touch.at)));
        self.painting.stroking = Some(stroking);
        let (Some(found), Some(session)) = (found, &mut self.session) else { return };
        let masked = self
            .painting
            .layering
            .live
            .as_ref()
            .is_some_and(|l| l.paint.painted() == Painted::Mask);
        // A mask is painted as the first of two joints.
        let Some(joint) = self.painting.joint.map(|j| if masked { 0 } else { j }) else { return };
        let started = Instant::now();
        let locked = if masked { vec![false; 2] } else { self.painting.locked_flags() };
        let Painting { canvas, stroke, posed, mirror, limit, layering, sights, .. } =
            &mut self.painting;
        let Some(canvas) = canvas else { return };
        let touch = found.touch;
        let near = (stroking.brush.reach != Reach::Through).then(|| {
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
        let posed = PosedSurface { positions: &posed.positions, normals: &posed.normals };
        let live = layering.live.as_ref();
        let mirror = mirror.as_ref().filter(|_| stroking.brush.mirror && !masked);
        let mirror = live.and_then(|l| l.pairs.as_ref()).or(mirror);
        let limit = if masked { 2 } else { *limit };
        // Its two joints are none that bend anything.
        let brush = Brush { keep_volume: stroking.brush.keep_volume && !masked, ..stroking.brush };
        let paint = Paint { brush, joint, locked: &locked, limit, mirror };
        let maps = live.map_or_else(|| canvas.maps(session.document()), |l| l.paint.maps(canvas));
        let patches = if stroking.brush.visible_only {
            sights.follow(&self.viewport.camera, self.renderer.pose_serial());
            let surface = self.renderer.surface(session.document());
            let (document, hidden) = (session.document(), &self.outliner.visibility.hidden);
            let looks =
                |v: u32| in_sight(surface, document, &self.viewport.camera, hidden, posed, v);
            let seen = sights.of(&looks);
            stroke.dab_where(&maps, canvas, posed, &dab, &paint, Some(&seen))
        } else {
            stroke.dab(&maps, canvas, posed, &dab, &paint)
        };
        let mut changes: Vec<(MeshId, PrimitiveId, WeightPatch)> = if live.is_some() {
            self.painting.put_dab(patches)
        } else {
            let of = |part: usize| (canvas.parts()[part].mesh, canvas.parts()[part].primitive);
            patches.into_iter().map(|(part, patch)| (of(part).0, of(part).1, patch)).collect()
        };
        if !self.painting.seams.is_empty() {
            self.painting.keep_seams(session.document(), &mut changes);
        }
        for (mesh, primitive, patch) in changes {
            if let Err(error) = session.extend(stroking.label, mesh, primitive, patch) {
                // Said when the stroke ends; the dabs before it stay.
                self.painting.dab_fault.get_or_insert(error.to_string());
            }
        }
        if let Some(live) = &mut self.painting.layering.live {
            live.generation = session.generation();
        }
        let ms = started.elapsed().as_secs_f32() * 1000.0;
        self.painting.dab_ms =
            if self.painting.dab_ms == 0.0 { ms } else { self.painting.dab_ms * 0.8 + ms * 0.2 };
    }
}

impl Painting {
    /// Whether a stroke is under way.
    pub(in crate::app) const fn is_stroking(&self) -> bool {
        self.stroking.is_some()
    }

    /// The stroke under way never was.
    pub(in crate::app) fn drop_stroke(&mut self) {
        self.stroking = None;
        self.layering.forget_stroke();
    }

    /// Adds what keeps the seams with meshes on other skins closed. What lies under layers of its
    /// own stays as it is: a stroke goes into one layer.
    fn keep_seams(
        &mut self,
        document: &Document,
        changes: &mut Vec<(MeshId, PrimitiveId, WeightPatch)>,
    ) {
        let Some(canvas) = &self.canvas else { return };
        let part = |mesh, primitive| {
            canvas.parts().iter().position(|p| (p.mesh, p.primitive) == (mesh, primitive))
        };
        let mut own: Vec<(usize, PartChange)> = std::mem::take(changes)
            .into_iter()
            .filter_map(|(mesh, primitive, patch)| {
                Some((part(mesh, primitive)?, PartChange::Patch(patch)))
            })
            .collect();
        // What a layer holds is seen whatever the other side can have.
        let hold = self.layering.live.is_none();
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
        self.stroke.refuse(refused);
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
