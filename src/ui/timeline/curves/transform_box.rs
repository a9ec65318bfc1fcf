//! Transform box around selected keys. Its grips scale time and values about the opposite side.

use egui::{Align2, CursorIcon, Pos2, Rect, Stroke, StrokeKind, Ui, pos2, vec2};

use super::{
    Graph, ShownCurve,
    asked::scale_times,
    held::HeldKeys,
    readout::readout,
    snapping::{Goes, Pull, Typed, pointer, to_times, to_values},
};
use crate::ui::{Action, Actions, timeline::domain::SelectHow};
use ulna_edit::Command;
use ulna_model::{Derived, KeySet};
use ulna_render::ColorRole;

/// Margin between the outermost keys and the box, in points.
const ROOM: f32 = 16.0;

/// Side or corner of the box: −1 for left or bottom, 1 for right or top, 0 between.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grip {
    /// Horizontal position (time): −1, 0 or 1.
    pub x: i8,
    /// Vertical position (value): −1, 0 or 1.
    pub y: i8,
}

impl Grip {
    const ALL: [Self; 8] = {
        const fn grip(x: i8, y: i8) -> Grip {
            Grip { x, y }
        }
        [
            grip(-1, -1),
            grip(1, -1),
            grip(-1, 1),
            grip(1, 1),
            grip(-1, 0),
            grip(1, 0),
            grip(0, -1),
            grip(0, 1),
        ]
    };

    /// Area of the grip on a box.
    fn place(self, area: Rect) -> Rect {
        let part = |k: i8, low: f32, high: f32| low + (high - low) * (f32::from(k) + 1.0) * 0.5;
        let at =
            pos2(part(self.x, area.left(), area.right()), part(-self.y, area.top(), area.bottom()));
        let size = match (self.x, self.y) {
            (_, 0) => vec2(6.0, 24.0),
            (0, _) => vec2(24.0, 6.0),
            _ => vec2(8.0, 8.0),
        };
        Rect::from_center_size(at, size)
    }

    const fn cursor(self) -> CursorIcon {
        match (self.x, self.y) {
            (_, 0) => CursorIcon::ResizeHorizontal,
            (0, _) => CursorIcon::ResizeVertical,
            (1, 1) | (-1, -1) => CursorIcon::ResizeNeSw,
            _ => CursorIcon::ResizeNwSe,
        }
    }
}

/// Range of the selected keys of a curve.
#[derive(Clone, Copy, Debug)]
pub struct CurveSpan {
    curve: usize,
    count: usize,
    times: (f64, f64),
    values: (f64, f64),
}

impl CurveSpan {
    fn of(keys: &KeySet, curve: usize, shown: &ShownCurve) -> Option<Self> {
        let times = keys.times_of(shown.id.track()?, shown.id.component);
        let (first, last) = (f64::from(*times.first()?), f64::from(*times.last()?));
        let values = times
            .iter()
            .filter_map(|t| shown.track.key_at(*t, 0.0))
            .map(|key| shown.key_value(key))
            .fold((f64::MAX, f64::MIN), |(low, high), v| (low.min(v), high.max(v)));
        Some(Self { curve, count: times.len(), times: (first, last), values })
    }
}

/// Cached ranges of the selected keys, per curve.
pub type Spans = Derived<(KeySet, std::rc::Rc<Vec<ShownCurve>>), Vec<CurveSpan>>;

/// Bounds of the selected keys on screen without a margin; `None` for fewer than two keys.
pub fn selected_span(kept: &mut Spans, graph: &Graph<'_>) -> Option<Rect> {
    let key = (graph.keys().clone(), graph.layout.curves.clone());
    let same = |(keys, curves): &(KeySet, std::rc::Rc<Vec<ShownCurve>>)| {
        std::rc::Rc::ptr_eq(curves, &key.1) && *keys == key.0
    };
    if !kept.key().is_some_and(same) {
        let curves = graph.layout.curves.iter().enumerate().filter(|(_, c)| !c.locked);
        let spans = curves.filter_map(|(k, c)| CurveSpan::of(&key.0, k, c)).collect();
        kept.put(key, spans);
    }
    let spans = kept.get()?;
    let layout = &graph.layout;
    if spans.iter().map(|s| s.count).sum::<usize>() < 2 {
        return None;
    }
    let of = |s: &CurveSpan| {
        Rect::from_two_pos(
            pos2(layout.x(s.times.0), layout.y(s.curve, s.values.0)),
            pos2(layout.x(s.times.1), layout.y(s.curve, s.values.1)),
        )
    };
    spans.iter().map(of).reduce(Rect::union)
}

/// Grips that have an effect: a box without width or height cannot be scaled in that direction.
fn grips(span: Rect) -> impl Iterator<Item = (Grip, Rect)> {
    let area = span.expand(ROOM);
    let (wide, high) = (span.width() > 0.5, span.height() > 0.5);
    Grip::ALL
        .into_iter()
        .filter(move |g| (g.x == 0 || wide) && (g.y == 0 || high))
        .map(move |g| (g, g.place(area)))
}

/// Grip at a position.
pub fn grip_at(span: Rect, at: Pos2) -> Option<Grip> {
    grips(span).find(|(_, r)| r.expand(3.0).contains(at)).map(|(g, _)| g)
}

/// Whether a position is inside the box.
pub fn is_within(span: Rect, at: Pos2) -> bool {
    span.expand(ROOM).contains(at)
}

/// Draws the box.
pub fn draw_box(ui: &Ui, graph: &Graph<'_>, span: Rect) {
    let theme = graph.view.theme;
    let painter = ui.painter_at(graph.layout.rect);
    let edge = Stroke::new(1.0, theme.color(ColorRole::SelectionBase));
    let fill = theme.color(ColorRole::TimelineBoxFill).gamma_multiply(0.6);
    let area = span.expand(ROOM);
    painter.rect(area, 0.0, fill, edge, StrokeKind::Middle);
    for (grip, place) in grips(span) {
        let round = if grip.x != 0 && grip.y != 0 { 0.0 } else { 3.0 };
        painter.rect_filled(place, round, theme.color(ColorRole::SelectionBase));
    }
}

/// Sets the cursor for the grip under the pointer.
pub fn hover_box(ui: &Ui, span: Rect, at: Pos2) {
    if let Some(grip) = grip_at(span, at) {
        ui.ctx().set_cursor_icon(grip.cursor());
    }
}

/// Drag of a grip of the transform box.
#[derive(Clone, Debug)]
pub struct BoxDrag {
    held: HeldKeys,
    grip: Grip,
    /// Bounds of the keys at the start of the drag.
    span: Rect,
    pull: Pull,
    typed: Typed,
    /// Last previewed change: factors of time and value, and whether they apply about the playhead
    /// and 0.
    shown: (f64, f64, bool),
}

impl BoxDrag {
    /// Starts a drag with the selected keys.
    pub fn new(held: HeldKeys, grip: Grip, span: Rect, at: Pos2) -> Self {
        let (pull, typed) = (Pull::from(at), Typed::default());
        Self { held, grip, span, pull, typed, shown: (1.0, 1.0, false) }
    }

    /// Updates the drag from pointer and keyboard, and previews changes.
    pub fn go_on(&mut self, ui: &Ui, graph: &Graph<'_>, actions: &mut Actions) -> Goes {
        let goes = self.typed.take(ui, false, |_| {});
        if goes == Goes::GivenUp {
            actions.push(Action::Cancel);
            graph.select(self.held.selection.clone(), SelectHow::Only, actions);
            return goes;
        }
        let (at, modifiers) = pointer(ui);
        if let Some(at) = at {
            self.pull.go_on(at, modifiers);
        }
        let wanted = match self.typed.number() {
            Some(None) => None,
            Some(Some(number)) => Some(self.by_number(number, modifiers.alt)),
            None => Some((
                self.time_factor(graph, modifiers),
                self.value_factor(modifiers),
                modifiers.alt,
            )),
        };
        if let Some(wanted) = wanted.filter(|w| *w != self.shown) {
            self.shown = wanted;
            let label = format!("Scale {}", self.held.words());
            let commands = self.commands(graph);
            actions.push(Action::Preview { label, commands });
        }
        self.draw(ui, graph, at);
        if goes == Goes::Kept {
            actions.push(Action::Commit);
        }
        goes
    }

    /// Applies a typed factor to the directions of the grip.
    fn by_number(&self, number: f64, alt: bool) -> (f64, f64, bool) {
        let time = if self.grip.x == 0 { 1.0 } else { number.max(1e-3) };
        (time, if self.grip.y == 0 { 1.0 } else { number }, alt)
    }

    /// Times of the dragged side and of the opposite side.
    fn times(&self) -> (f64, f64) {
        let (first, last) = self.held.span();
        if self.grip.x > 0 { (last, first) } else { (first, last) }
    }

    fn about_time(&self, graph: &Graph<'_>, alt: bool) -> f64 {
        if alt { graph.view.timeline.playback.time } else { self.times().1 }
    }

    fn time_factor(&self, graph: &Graph<'_>, modifiers: egui::Modifiers) -> f64 {
        if self.grip.x == 0 {
            return 1.0;
        }
        let (side, about) = (self.times().0, self.about_time(graph, modifiers.alt));
        let to = side + f64::from(self.pull.gone.x) / self.held.layout.axis.scale();
        let to = if modifiers.command { to_times(graph, &self.held, to) } else { to };
        let span = side - about;
        if span.abs() < 1e-9 { 1.0 } else { ((to - about) / span).max(1e-3) }
    }

    /// Vertical screen positions of the dragged side and of the opposite side.
    fn heights(&self) -> (f32, f32) {
        if self.grip.y > 0 {
            (self.span.top(), self.span.bottom())
        } else {
            (self.span.bottom(), self.span.top())
        }
    }

    /// Fixed value of a curve: 0 with Alt, otherwise the value at the opposite side.
    fn about_value(&self, curve: usize, alt: bool) -> f64 {
        if alt { 0.0 } else { self.held.layout.value(curve, self.heights().1) }
    }

    fn value_factor(&self, modifiers: egui::Modifiers) -> f64 {
        let Some(curve) = self.held.curves.first().map(|(k, _)| *k) else { return 1.0 };
        if self.grip.y == 0 {
            return 1.0;
        }
        let layout = &self.held.layout;
        let (side, about) =
            (layout.value(curve, self.heights().0), self.about_value(curve, modifiers.alt));
        let to = side - f64::from(self.pull.gone.y) * layout.value_per_point(curve);
        let to = if modifiers.command { to_values(&self.held, curve, to) } else { to };
        let span = side - about;
        if span.abs() < 1e-12 { 1.0 } else { (to - about) / span }
    }

    fn commands(&self, graph: &Graph<'_>) -> Vec<Command> {
        let (time, value, alt) = self.shown;
        let mut commands = self.held.scaled(value, |k| self.about_value(k, alt));
        if (time - 1.0).abs() > 1e-9 {
            let about = self.about_time(graph, alt);
            commands.push(scale_times(self.held.home.clip, self.held.in_time(), time, about));
        }
        commands
    }

    /// Draws the dragged edge, its start, and the factors.
    fn draw(&self, ui: &Ui, graph: &Graph<'_>, at: Option<Pos2>) {
        let theme = graph.view.theme;
        let painter = ui.painter_at(graph.layout.rect);
        let old = self.span.expand(ROOM);
        let line = Stroke::new(1.0, theme.color(ColorRole::SelectionBase).gamma_multiply(0.7));
        let dashed = |from: Align2, to: Align2| {
            let points = [from.pos_in_rect(&old), to.pos_in_rect(&old)];
            painter.extend(egui::Shape::dashed_line(&points, line, 3.0, 3.0));
        };
        match self.grip.y {
            1 => dashed(Align2::LEFT_TOP, Align2::RIGHT_TOP),
            -1 => dashed(Align2::LEFT_BOTTOM, Align2::RIGHT_BOTTOM),
            _ => {}
        }
        match self.grip.x {
            1 => dashed(Align2::RIGHT_TOP, Align2::RIGHT_BOTTOM),
            -1 => dashed(Align2::LEFT_TOP, Align2::LEFT_BOTTOM),
            _ => {}
        }
        ui.ctx().set_cursor_icon(self.grip.cursor());
        if let Some(at) = at {
            readout(ui, theme, at, &self.said());
        }
    }

    fn said(&self) -> String {
        let (time, value, alt) = self.shown;
        let mut said = vec![self.held.words()];
        let typed = (!self.typed.text.is_empty()).then(|| format!("{}▏", self.typed.text));
        let factor = |f: f64| typed.clone().unwrap_or_else(|| format!("{f:.2}"));
        if self.grip.y != 0 {
            said.push(format!("values ×{}", factor(value)));
        }
        if self.grip.x != 0 {
            said.push(format!("time ×{}", factor(time)));
        }
        if alt {
            let about = match (self.grip.x != 0, self.grip.y != 0) {
                (true, true) => "around the playhead and 0",
                (true, false) => "around the playhead",
                _ => "around 0",
            };
            said.push(about.to_owned());
        }
        said.join("  ").replace('-', "−")
    }
}
