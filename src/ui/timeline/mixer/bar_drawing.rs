//! Drawing of a bar of the mix: weight, fades, frame and text.

use egui::{Align2, Mesh, Painter, Pos2, Rect, Shape, Stroke, Ui, pos2, vec2};

use crate::ui::{Theme, View, theme::Font, timeline::axis::TimeAxis, widgets::cut};
use ulna_model::{ClipId, Document, Enter, InStep, MixBar};
use ulna_render::ColorRole;

/// Size of the fade handles, in points.
pub const SQUARE: f32 = 9.0;
/// Bar width in points below which no text is drawn, because few letters would fit.
const LEAST_WORDS: f32 = 40.0;
/// Number of segments of a fade curve.
const STEPS: usize = 24;

/// Text of a bar: the clips that it plays.
pub fn bar_text(document: &Document, bar: &MixBar) -> String {
    let label = |id: ClipId| {
        if document.clips.contains(id) { document.clip_label(id) } else { "missing clip".into() }
    };
    bar.clips().map(|id| label(*id)).collect::<Vec<_>>().join("–")
}

fn about_text(bar: &MixBar) -> String {
    let way = if bar.repeat { "loop" } else { "once" };
    let enter = match bar.enter {
        Enter::Fade => "",
        Enter::Frozen => ", frozen pose",
        Enter::Keys => ", interpolate",
        Enter::Inertial => ", inertial",
        Enter::Cut => ", cut",
    };
    let step = match bar.in_step {
        InStep::Free => "",
        _ => ", synced",
    };
    format!("{way}, {:.1}×{enter}{step}", bar.speed)
}

fn axis_points(axis: &TimeAxis, seconds: f64) -> f32 {
    (seconds * axis.scale()) as f32
}

/// Positions of the handles of both fades.
pub fn squares(bar: &MixBar, rect: Rect, axis: &TimeAxis) -> [Pos2; 2] {
    let within = |x: f32| {
        x.clamp(
            rect.left() + SQUARE * 0.5,
            (rect.right() - SQUARE * 0.5).max(rect.left() + SQUARE * 0.5),
        )
    };
    let y = rect.top() + SQUARE * 0.5;
    [
        pos2(within(axis.x(bar.start + bar.fade_in)), y),
        pos2(within(axis.x(bar.end() - bar.fade_out)), y),
    ]
}

/// Inputs for drawing a bar.
#[derive(Clone, Copy)]
pub struct BarDrawing<'a> {
    pub ui: &'a Ui,
    pub painter: &'a Painter,
    pub view: &'a View<'a>,
    pub document: &'a Document,
    pub bar: &'a MixBar,
    /// Whether the bar's lane is additive.
    pub additive: bool,
    pub rect: Rect,
    pub axis: &'a TimeAxis,
    pub chosen: bool,
    /// Opacity, `0..=1`; lower if the lane is off.
    pub faint: f32,
}

impl BarDrawing<'_> {
    /// Draws the bar.
    pub fn draw(&self) {
        let Self { painter, view, bar, additive, rect, axis, chosen, faint, .. } = *self;
        let theme = view.theme;
        painter.rect_filled(
            rect,
            3.0,
            theme.color(ColorRole::SurfaceControl).gamma_multiply(0.45 * faint),
        );
        self.weight();
        let fades = !matches!(bar.enter, Enter::Inertial | Enter::Cut);
        if bar.fade_in > 0.0 && !bar.along && fades && !additive {
            self.covered();
        }
        if bar.enter == Enter::Inertial {
            self.decay();
        }
        if additive {
            self.hatch();
        }
        self.frame();
        self.words();
        if chosen {
            for at in squares(bar, rect, axis) {
                let square = Rect::from_center_size(at, vec2(SQUARE, SQUARE));
                painter.rect_filled(square, 1.0, theme.color(ColorRole::SelectionBase));
            }
        }
    }

    /// Draws the weight over time as a lighter area.
    fn weight(&self) {
        let theme = self.view.theme;
        let Self { painter, bar, rect, axis, faint, .. } = *self;
        let mut times: Vec<f64> = vec![bar.start, bar.end()];
        for k in 0..=STEPS {
            let u = k as f64 / STEPS as f64;
            times.push(bar.start + bar.fade_in * u);
            times.push(bar.end() - bar.fade_out * u);
        }
        times.retain(|t| (bar.start..=bar.end()).contains(t));
        times.sort_by(f64::total_cmp);
        times.dedup();
        let height = |t: f64| rect.bottom() - rect.height() * bar.weight_at(t).clamp(0.0, 1.0);
        let line: Vec<Pos2> = times.iter().map(|t| pos2(axis.x(*t), height(*t))).collect();
        let fill = theme.color(ColorRole::SurfaceControl).gamma_multiply(faint);
        // Use one mesh, because adjacent polygons would show gaps.
        let mut mesh = Mesh::default();
        for (k, at) in line.iter().enumerate() {
            mesh.colored_vertex(*at, fill);
            mesh.colored_vertex(pos2(at.x, rect.bottom()), fill);
            if let Some(before) = (k as u32).checked_sub(1) {
                mesh.add_triangle(before * 2, before * 2 + 1, before * 2 + 2);
                mesh.add_triangle(before * 2 + 1, before * 2 + 2, before * 2 + 3);
            }
        }
        painter.add(mesh);
        painter.add(Shape::line(
            line,
            Stroke::new(1.0, theme.color(ColorRole::TextSecondary).gamma_multiply(faint)),
        ));
    }

    /// Draws the weight of the lanes below during the fade-in, as a falling curve.
    fn covered(&self) {
        let theme = self.view.theme;
        let Self { painter, bar, rect, axis, faint, .. } = *self;
        let falls: Vec<Pos2> = (0..=STEPS)
            .map(|k| bar.start + bar.fade_in * k as f64 / STEPS as f64)
            .map(|t| pos2(axis.x(t), rect.top() + rect.height() * bar.weight_at(t).clamp(0.0, 1.0)))
            .collect();
        let ink = theme.color(ColorRole::TextTertiary).gamma_multiply(faint);
        painter.add(Shape::line(falls, Stroke::new(1.0, ink)));
    }

    /// Draws the decay of an inertial transition.
    fn decay(&self) {
        let theme = self.view.theme;
        let Self { painter, bar, rect, axis, faint, .. } = *self;
        painter.vline(
            rect.left(),
            rect.y_range(),
            Stroke::new(2.0, theme.color(ColorRole::TextPrimary)),
        );
        let decay: Vec<Pos2> = (0..=STEPS)
            .map(|k| {
                let u = k as f64 / STEPS as f64;
                let left = 1.0 - u * u * u * (10.0 - 15.0 * u + 6.0 * u * u);
                pos2(
                    axis.x(bar.start + bar.fade_in * u),
                    rect.bottom() - rect.height() * left as f32,
                )
            })
            .collect();
        painter.add(Shape::line(
            decay,
            Stroke::new(1.5, theme.color(ColorRole::TextPrimary).gamma_multiply(faint)),
        ));
    }

    /// Draws hatching, the mark of an additive bar.
    fn hatch(&self) {
        let theme = self.view.theme;
        let Self { painter, rect, faint, .. } = *self;
        let ink = theme.color(ColorRole::StrokeStrong).gamma_multiply(0.5 * faint);
        let (seen, step) = (rect.intersect(painter.clip_rect()), 8.0);
        let inside = painter.with_clip_rect(seen);
        let first = ((seen.left() - rect.height() - rect.left()) / step).floor();
        let count = ((seen.width() + rect.height()) / step).ceil().max(0.0) as u32 + 1;
        for k in 0..count.min(2000) {
            let x = rect.left() + (first + k as f32) * step;
            inside.line_segment(
                [pos2(x, rect.bottom()), pos2(x + rect.height(), rect.top())],
                Stroke::new(1.0, ink),
            );
        }
    }

    /// Draws the frame, which is dashed if a clip is missing.
    fn frame(&self) {
        let theme = self.view.theme;
        let Self { painter, document, bar, rect, chosen, faint, .. } = *self;
        let gone = bar.clips().all(|id| !document.clips.contains(*id));
        let edge = if chosen { ColorRole::SelectionBase } else { ColorRole::StrokeStrong };
        let stroke =
            Stroke::new(if chosen { 1.5 } else { 1.0 }, theme.color(edge).gamma_multiply(faint));
        if gone {
            let corners = [
                rect.left_top(),
                rect.right_top(),
                rect.right_bottom(),
                rect.left_bottom(),
                rect.left_top(),
            ];
            painter.extend(Shape::dashed_line(&corners, stroke, 4.0, 4.0));
        } else {
            painter.rect_stroke(rect, 3.0, stroke, egui::StrokeKind::Inside);
        }
    }

    /// Draws the names of the clips and their playback settings.
    fn words(&self) {
        let theme = self.view.theme;
        let Self { ui, painter, document, bar, rect, axis, faint, .. } = *self;
        let left = rect.left().max(painter.clip_rect().left())
            + 8.0
            + axis_points(axis, bar.fade_in).min(120.0);
        let width = rect.right() - left - 8.0;
        if width > LEAST_WORDS {
            let font = Theme::font(Font::Body);
            let name = cut(ui, &bar_text(document, bar), &font, width);
            let ink = theme.color(ColorRole::TextPrimary).gamma_multiply(faint);
            painter.text(pos2(left, rect.top() + 13.0), Align2::LEFT_CENTER, name, font, ink);
            let font = Theme::font(Font::Small);
            let about = cut(ui, &about_text(bar), &font, width);
            let ink = theme.color(ColorRole::TextTertiary).gamma_multiply(faint);
            painter.text(pos2(left, rect.top() + 28.0), Align2::LEFT_CENTER, about, font, ink);
        }
    }
}
