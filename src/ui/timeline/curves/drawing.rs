//! Draws curves and their keys. All lines of a frame are in one mesh, which is cached until
//! something changes.

use std::{rc::Rc, sync::Arc};

use egui::{Color32, Mesh, Painter, Pos2, Rect, pos2};

use super::{
    super::{axis::TimeAxis, draw},
    Graph,
    layout::GraphLayout,
    model::ShownCurve,
    polyline::{Polylines, seen},
    sources::CurveState,
    state::ValueView,
    strokes::{self, LineStyle},
};
use ulna_model::{KeySet, Repeat};
use ulna_render::ColorRole;

/// Number of points above which lines have no antialiasing.
const FINE: usize = 40_000;
/// Number of points above which lines have no antialiasing while the view moves.
const SWIFT: usize = 6_000;
/// Number of keys above which only the keys of selected joints are drawn.
const MOST_KEYS: usize = 4_000;
/// Number of curves above which dashes and the parts beyond the keys are omitted.
const FEW: usize = 120;

/// Inputs of the cached mesh.
#[derive(Clone, Debug, PartialEq)]
struct LinesOf {
    curves: Same<ShownCurve>,
    behind: Same<(CurveState, ShownCurve)>,
    axis: TimeAxis,
    values: ValueView,
    rect: Rect,
    keys: KeySet,
    theme: &'static str,
    repeat: Repeat,
    length: f64,
    points_per_pixel: f32,
    /// Whether antialiasing is off because the view moves and there are too many points.
    swift: bool,
}

/// List that is compared by pointer.
#[derive(Clone, Debug)]
struct Same<T>(Rc<Vec<T>>);

impl<T> PartialEq for Same<T> {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
}

/// Cached mesh of the curves.
#[derive(Clone, Debug, Default)]
pub struct Lines {
    polylines: Polylines,
    made: ulna_model::Derived<LinesOf, Arc<Mesh>>,
    /// Previous mesh. Its memory is reused, which can be megabytes.
    spare: Option<Arc<Mesh>>,
    /// View of the last frame.
    last: Option<(TimeAxis, ValueView)>,
    points: usize,
}

impl Lines {
    /// Draws the curves and keys of a graph. `behind` contains other states of these curves for
    /// comparison.
    pub fn draw(
        &mut self,
        painter: &Painter,
        graph: &Graph<'_>,
        behind: &Rc<Vec<(CurveState, ShownCurve)>>,
        length: f64,
    ) {
        let layout = &graph.layout;
        let now = (layout.axis, layout.values);
        let moves = self.last.replace(now).is_some_and(|last| last != now);
        let swift = moves && self.points > SWIFT;
        if swift {
            painter.ctx().request_repaint();
        }
        let of = LinesOf {
            curves: Same(layout.curves.clone()),
            behind: Same(behind.clone()),
            axis: layout.axis,
            values: layout.values,
            rect: layout.rect,
            keys: graph.keys().clone(),
            theme: graph.view.theme.name(),
            repeat: graph.view.timeline.playback.repeat,
            length,
            points_per_pixel: painter.pixels_per_point().recip(),
            swift,
        };
        if !self.made.is_of(&of) {
            let mut mesh = self.spare.take().and_then(Arc::into_inner).unwrap_or_default();
            mesh.clear();
            self.fill(graph, &of, &mut mesh);
            self.spare = self.made.take().map(|(_, mesh)| mesh);
            self.made.put(of, Arc::new(mesh));
        }
        if let Some(mesh) = self.made.get() {
            painter.add(egui::Shape::mesh(mesh.clone()));
        }
    }

    fn fill(&mut self, graph: &Graph<'_>, of: &LinesOf, mesh: &mut Mesh) {
        let layout = &graph.layout;
        self.polylines.retain(&layout.curves);
        let lines: Vec<Rc<Vec<(f64, f64)>>> = layout
            .curves
            .iter()
            .enumerate()
            .map(|(k, c)| self.polylines.of(layout, (k, c), CurveState::Now))
            .collect();
        let count: usize = lines.iter().map(|l| l.len()).sum();
        self.points = count;
        let (fine, few) = (count <= FINE && !of.swift, lines.len() <= FEW);
        let feather = if fine { of.points_per_pixel } else { 0.0 };
        let wide = strokes::corners(feather);
        mesh.vertices.reserve(count * wide);
        mesh.indices.reserve(count * (wide - 1) * 6);
        self.behind(graph, of, feather, mesh);
        let mut order: Vec<usize> = (0..lines.len()).collect();
        // Curves that can be edited are drawn over the others.
        order.sort_by_key(|k| (layout.curves[*k].selected_joint, !layout.curves[*k].locked));
        let mut scratch = Vec::new();
        for k in order {
            let curve = &layout.curves[k];
            let (width, share) = look(curve);
            let pen = LineStyle { width, color: curve.color.gamma_multiply(share), feather };
            let dash = if few { curve.dash } else { &[] };
            place(layout, k, &lines[k], (0.0, 1.0), &mut scratch);
            strokes::clipped(&scratch, layout.rect.expand(4.0), |part| {
                strokes::dashed(mesh, part, dash, skip(layout, dash, part), pen);
            });
            if few {
                let color = curve.color.gamma_multiply(0.35);
                beyond(graph, of, (k, &lines[k]), LineStyle { color, ..pen }, mesh);
            }
        }
        keys(graph, of, mesh);
    }

    /// Draws other states of the curves as dashed lines: the file as opened in gray, stored copies
    /// in color.
    fn behind(&mut self, graph: &Graph<'_>, of: &LinesOf, feather: f32, mesh: &mut Mesh) {
        let gray = graph.view.theme.color(ColorRole::TextTertiary).gamma_multiply(0.8);
        let accent = graph.view.theme.color(ColorRole::AccentText).gamma_multiply(0.7);
        let mut scratch = Vec::new();
        for (state, curve) in of.behind.0.iter() {
            let Some(k) = graph.layout.curves.iter().position(|c| c.id == curve.id) else {
                continue;
            };
            let color = if *state == CurveState::Kept { accent } else { gray };
            let points = self.polylines.of(&graph.layout, (k, curve), *state);
            place(&graph.layout, k, &points, (0.0, 1.0), &mut scratch);
            strokes::clipped(&scratch, graph.layout.rect.expand(4.0), |part| {
                strokes::dashed(
                    mesh,
                    part,
                    &[3.0, 4.0],
                    0.0,
                    LineStyle { width: 1.0, color, feather },
                );
            });
        }
    }
}

/// Width of a line in points, and its opacity, `0..=1`.
const fn look(curve: &ShownCurve) -> (f32, f32) {
    match (curve.locked, curve.selected_joint) {
        (true, _) => (1.5, 0.45),
        (false, true) => (2.0, 1.0),
        (false, false) => (1.5, 0.55),
    }
}

/// Converts the points of a curve to screen positions. Times are mapped to `by + time · way` first.
fn place(
    layout: &GraphLayout,
    curve: usize,
    points: &[(f64, f64)],
    (by, way): (f64, f64),
    out: &mut Vec<(f64, f64)>,
) {
    let (low, high) = layout.range(curve);
    let high_points = f64::from(layout.rect.height()) / (high - low);
    let (bottom, scale) = (f64::from(layout.rect.bottom()), layout.axis.scale());
    let left = f64::from(layout.axis.left) + (by - layout.axis.start) * scale;
    out.clear();
    out.extend(
        points.iter().map(|(t, v)| (left + t * way * scale, bottom - (v - low) * high_points)),
    );
}

/// Offset into the dash pattern at the start of a line part, so that dashes stay in place while
/// scrolling.
fn skip(layout: &GraphLayout, dash: &[f32], part: &[Pos2]) -> f32 {
    let whole: f32 = dash.iter().sum();
    let zero = layout.axis.x(0.0);
    part.first().map_or(0.0, |p| (p.x - zero).rem_euclid(whole.max(1.0)))
}

/// Draws the values before the first and after the last key as dashed lines, either held or looped.
fn beyond(
    graph: &Graph<'_>,
    of: &LinesOf,
    (k, points): (usize, &[(f64, f64)]),
    pen: LineStyle,
    mesh: &mut Mesh,
) {
    /// Maximum number of loop cycles drawn on each side.
    const TURNS: f64 = 24.0;
    let layout = &graph.layout;
    let curve = &layout.curves[k];
    let Some(last) = curve.len().checked_sub(1) else { return };
    let (start, end) = (layout.axis.start, layout.axis.end);
    let (first_time, last_time) = (curve.time(0), curve.time(last));
    let (first, after) = (curve.key_value(0), curve.key_value(last));
    let mut scratch = Vec::new();
    let mut line = |points: &[(f64, f64)], turn: (f64, f64), within: (f64, f64)| {
        let mut area = layout.rect.expand(4.0);
        area.min.x = area.min.x.max(layout.x(within.0));
        area.max.x = area.max.x.min(layout.x(within.1));
        if area.width() <= 0.0 {
            return;
        }
        place(layout, k, points, turn, &mut scratch);
        strokes::clipped(&scratch, area, |part| {
            strokes::dashed(mesh, part, &[3.0, 4.0], 0.0, LineStyle { width: 1.5, ..pen });
        });
    };
    let loops = of.repeat != Repeat::Once && of.length > 0.0 && curve.len() > 1;
    if !loops {
        line(&[(start, first), (first_time, first)], (0.0, 1.0), (start, first_time));
        line(&[(last_time, after), (end, after)], (0.0, 1.0), (last_time, end));
        return;
    }
    // Between the keys and the ends of the clip, the value is held.
    line(&[(0.0, first), (first_time, first)], (0.0, 1.0), (0.0, first_time));
    line(&[(last_time, after), (of.length, after)], (0.0, 1.0), (last_time, of.length));
    let all_seen = seen(curve, f64::NEG_INFINITY, f64::INFINITY).len();
    // The cached points may cover only a part of the curve.
    let whole: Vec<(f64, f64)> = match points.first().zip(points.last()) {
        Some((a, b)) if a.0 <= first_time && b.0 >= last_time => points.to_vec(),
        _ => sampled(curve, all_seen),
    };
    let held: Vec<(f64, f64)> = std::iter::once((0.0, first))
        .chain(whole)
        .chain(std::iter::once((of.length, after)))
        .collect();
    let from = (start / of.length).floor().max(-TURNS) as i64;
    let to = (end / of.length).floor().min(TURNS) as i64;
    for turn in (from..=to).filter(|t| *t != 0) {
        let by = turn as f64 * of.length;
        let back = of.repeat == Repeat::PingPong && turn.rem_euclid(2) == 1;
        let turned = if back { (by + of.length, -1.0) } else { (by, 1.0) };
        line(&held, turned, (by.max(start), (by + of.length).min(end)));
    }
}

/// Samples a curve from its first to its last key.
fn sampled(curve: &ShownCurve, keys: usize) -> Vec<(f64, f64)> {
    let (from, to) = (curve.time(0), curve.time(keys.saturating_sub(1)));
    let steps = 256;
    (0..=steps)
        .map(|k| {
            let time = from + (to - from) * f64::from(k) / f64::from(steps);
            (time, curve.value(time))
        })
        .collect()
}

/// Draws keys as diamonds. Selected keys are larger and on top.
fn keys(graph: &Graph<'_>, of: &LinesOf, mesh: &mut Mesh) {
    let (layout, theme) = (&graph.layout, graph.view.theme);
    let ranges: Vec<std::ops::Range<usize>> =
        layout.curves.iter().map(|c| seen(c, layout.axis.start, layout.axis.end)).collect();
    let all: usize = ranges.iter().map(|r| r.len()).sum();
    let rim = theme.color(ColorRole::KeyOutline);
    let area = layout.rect.expand(8.0);
    let mut chosen: Vec<Pos2> = Vec::new();
    for (k, curve) in layout.curves.iter().enumerate() {
        let range = ranges[k].clone();
        let none = curve.id.track().is_none_or(|id| of.keys.of_track(id).is_empty());
        let (_, share) = look(curve);
        let (fill, rim) = (curve.color.gamma_multiply(share.max(0.6)), rim.gamma_multiply(share));
        let drawn = (all <= MOST_KEYS || curve.selected_joint) && !is_dense(layout, curve, &range);
        if !drawn && none {
            continue;
        }
        for key in range {
            let selected = !none && graph.is_selected(k, key);
            if !drawn && !selected {
                continue;
            }
            let at = layout.key_pos(k, key);
            if !area.contains(at) {
                continue;
            }
            if selected {
                chosen.push(at);
            } else {
                draw::diamond(mesh, at, 4.5, fill, rim);
            }
        }
    }
    let fill = theme.color(ColorRole::SelectionBase);
    for at in chosen.into_iter().take(MOST_KEYS * 4) {
        draw::diamond(mesh, at, 5.5, fill, rim);
    }
}

/// Whether the keys of a curve are so close that they would overlap.
fn is_dense(layout: &GraphLayout, curve: &ShownCurve, range: &std::ops::Range<usize>) -> bool {
    if range.len() < 10 {
        return false;
    }
    let span = curve.time(range.end - 1) - curve.time(range.start);
    span * layout.axis.scale() / (range.len() as f64) < 6.0
}

/// Draws curve names at the right ends of curves, without overlaps.
pub fn names(painter: &Painter, graph: &Graph<'_>) {
    /// Vertical distance between names, in points.
    const STEP: f32 = 15.0;
    let layout = &graph.layout;
    let mut rect = layout.rect.shrink2(egui::vec2(6.0, 8.0));
    if layout.units().1.is_some() {
        // Leave space for the labels of the second unit.
        rect.max.x -= 44.0;
    }
    let most = (rect.height() / STEP) as usize;
    let mut ends: Vec<(f32, usize)> = layout
        .curves
        .iter()
        .enumerate()
        .filter(|(_, c)| c.len() > 0)
        .filter_map(|(k, c)| {
            let time = c.time(c.len() - 1).min(layout.time(rect.right() - 90.0));
            let y = layout.y(k, c.value(time));
            rect.y_range().expand(6.0).contains(y).then_some((y, k))
        })
        .collect();
    // If not all names fit, only the names of selected joints are drawn.
    ends.sort_by_key(|(_, k)| !layout.curves[*k].selected_joint);
    if ends.len() > most.min(FEW) {
        ends.retain(|(_, k)| layout.curves[*k].selected_joint);
        ends.truncate(most);
    }
    ends.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut lines: Vec<f32> = Vec::with_capacity(ends.len());
    for (y, _) in &ends {
        let least = lines.last().map_or(rect.top(), |last| last + STEP);
        lines.push(y.max(least));
    }
    // Move names up that were pushed below the bottom.
    let mut most = rect.bottom();
    for line in lines.iter_mut().rev() {
        *line = line.min(most);
        most = *line - STEP;
    }
    let font = crate::ui::Theme::font(crate::ui::theme::Font::Small);
    let plate = graph.view.theme.color(ColorRole::SurfaceTimeline).gamma_multiply(0.6);
    for ((_, k), y) in ends.iter().zip(lines) {
        let curve = &layout.curves[*k];
        let (_, share) = look(curve);
        let text = match curve.normalize {
            Some((low, high)) => {
                let number = |v: f64| super::list::number(v, curve.unit);
                format!("{}, {} to {}", curve.name, number(low), number(high))
            }
            None => curve.name.to_string(),
        };
        let color = curve.color.gamma_multiply(share.max(0.7));
        let text = painter.layout_no_wrap(text, font.clone(), color);
        let end = layout.x(curve.time(curve.len() - 1));
        // Without space after the last key, the name is before it and above the line.
        let (x, y) = match end + 10.0 + text.size().x <= rect.right() {
            true => (end + 10.0, y),
            false => ((end - 9.0).min(rect.right()) - text.size().x, y - 10.0),
        };
        let x = x.max(rect.left() + 60.0);
        let place = Rect::from_min_size(pos2(x, y - text.size().y * 0.5), text.size());
        painter.rect_filled(place.expand2(egui::vec2(3.0, 0.0)), 3.0, plate);
        painter.galley(pos2(x, y - text.size().y * 0.5), text, Color32::WHITE);
    }
}
