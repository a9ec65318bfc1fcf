//! Strokes: dabs along the way of the pointer, each an edit of what it touches, all of them one step.

use std::time::Instant;

use egui::Context;
use glam::{Vec2, Vec3};

use super::{Painting, Stroking};
use crate::{
    app::App,
    ui::{StrokePhase, ToastKind},
    weights::{BrushKind, Dab, Paint, PosedCanvas, Radius, Reach},
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
            StrokePhase::Begin => {
                if self.painting.adjusting.is_some() {
                    return;
                }
                let skin = self.painting.canvas.as_ref().map(|c| c.skin);
                if let (Some(session), Some(skin)) = (&self.session, skin)
                    && session.document().weight_layers.contains_key(&skin)
                    && let Err(error) = crate::edit::layer_for(session.document(), skin)
                {
                    self.toast(ctx, ToastKind::Error, format!("Nothing was painted: {error}."));
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
                } else if !changed && self.painting.stroke.last_hits().is_empty() {
                    let text = "Nothing was painted: no surface of this skin is under the brush.";
                    self.toast(ctx, ToastKind::Ok, text);
                }
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
        let near = (stroking.brush.reach == Reach::Volume).then(|| {
            let surface = self.stage.surface(session.document());
            let firsts: Vec<Option<u32>> = surface
                .parts()
                .map(|v| {
                    canvas.parts().iter().find(|p| p.node == v.node && p.primitive == v.primitive).map(|p| p.first)
                })
                .collect();
            let mut found = Vec::new();
            surface.in_ball(touch.at, touch.radius, &mut found);
            found.into_iter().filter_map(|(part, v)| Some(firsts[part as usize]? + v)).collect::<Vec<u32>>()
        });
        let motion = before.map_or(Vec3::ZERO, |b| touch.at - b);
        let dab = Dab { touch, pressure, motion, near: near.as_deref() };
        let posed = PosedCanvas { positions: &posed.positions, normals: &posed.normals };
        let mirror = mirror.as_ref().filter(|_| stroking.brush.mirror);
        let paint = Paint { brush: stroking.brush, joint, locked: &locked, limit: *limit, mirror };
        let patches = stroke.dab(&canvas.maps(session.document()), canvas, posed, &dab, &paint);
        for (part, patch) in patches {
            let part = canvas.parts()[part];
            if let Err(error) = session.extend(stroking.label, part.mesh, part.primitive, patch) {
                log::error!("a dab does not fit: {error}");
            }
        }
        let ms = started.elapsed().as_secs_f32() * 1000.0;
        self.painting.dab_ms = if self.painting.dab_ms == 0.0 { ms } else { self.painting.dab_ms * 0.8 + ms * 0.2 };
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
