//! Blends of a mixer bar: clips on a line by speed, or in a plane by velocity. Also shows the blend
//! weights and the foot sliding.

use egui::{
    Align, Align2, DragValue, Layout, Pos2, Rect, Response, RichText, Sense, Shape, Stroke, Ui,
    WidgetInfo, pos2, vec2,
};
use egui_material_icons::icons;

use super::mix_fields::{clip_text, line, number, preview, set};
use crate::ui::{
    Action, Actions, Theme, View,
    clip_menu::clip_menu,
    drop_down::choices,
    theme::Font,
    widgets::{cut, icon_button, panel_title},
};
use ulna_model::{ClipId, Derived, Document, InStep, Mix, MixBar, NodeId, Plays, Shared};
use ulna_motion::{Mixer, blend_weights, foot_slides, ground_place, ground_speed, plane_weights};
use ulna_render::ColorRole;

/// Foot sliding in a bar, in meters per second: with step synchronization, and without.
#[derive(Clone, Debug, Default)]
struct BlendFacts {
    slides: Vec<(NodeId, f32, Option<f32>)>,
}

/// Cached facts and the search text of the clip list.
#[derive(Debug, Default)]
pub struct BlendingState {
    found: Derived<(u64, usize, usize), BlendFacts>,
    mixer: Mixer,
    search: String,
}

impl Clone for BlendingState {
    fn clone(&self) -> Self {
        Self { search: self.search.clone(), ..Self::default() }
    }
}

impl BlendFacts {
    /// Maximum part of a bar in seconds that is measured.
    const LONGEST: f64 = 6.0;

    fn of(document: &Document, mix: &Shared<Mix>, (lane, bar): (usize, usize)) -> Self {
        let one = &mix.lanes[lane].bars[bar];
        let span =
            (one.start + one.fade_in, one.end().min(one.start + one.fade_in + Self::LONGEST));
        if span.1 - span.0 < 0.2 {
            return Self::default();
        }
        let slides = foot_slides(document, mix, span);
        let free = (one.in_step != InStep::Free).then(|| {
            let free = MixBar { in_step: InStep::Free, ..one.clone() };
            foot_slides(document, &Shared::new(mix.with_bar((lane, bar), free)), span)
        });
        let other = |node: NodeId| free.as_ref()?.iter().find(|(n, _)| *n == node).map(|(_, s)| *s);
        Self {
            slides: slides.into_iter().map(|(node, slide)| (node, slide, other(node))).collect(),
        }
    }
}

/// Drag state of the blend controls in this frame.
#[derive(Default)]
struct Hand {
    moved: bool,
    let_go: bool,
}

impl Hand {
    fn took(&mut self, (moved, let_go): (bool, bool)) {
        (self.moved, self.let_go) = (self.moved || moved, self.let_go || let_go);
    }

    /// Pointer position while a graph is dragged or clicked.
    fn points(&mut self, response: &Response) -> Option<Pos2> {
        self.let_go |= response.drag_stopped() || response.clicked();
        let at =
            response.interact_pointer_pos().filter(|_| response.dragged() || response.clicked());
        self.moved |= at.is_some();
        at
    }
}

/// Rounds to hundredths, because measured speeds are no more exact.
fn hundredth(value: f32) -> f32 {
    (value * 100.0).round() / 100.0
}

fn speed_of(document: &Document, id: ClipId) -> f32 {
    hundredth(document.clips.get(id).map_or(0.0, |c| ground_speed(document, c)))
}

fn place_of(document: &Document, id: ClipId) -> [f32; 2] {
    document.clips.get(id).map_or([0.0; 2], |c| ground_place(document, c)).map(hundredth)
}

/// Draws the blend of the selected bar. Draws nothing if the bar plays one clip.
pub(super) fn blend_ui(
    state: &mut BlendingState,
    ui: &mut Ui,
    view: &View<'_>,
    (document, generation): (&Document, u64),
    (mix, at): (&Shared<Mix>, (usize, usize)),
    actions: &mut Actions,
) {
    let bar = &mix.lanes[at.0].bars[at.1];
    if matches!(bar.plays, Plays::Clip(_)) {
        return;
    }
    let theme = view.theme;
    let mut now = bar.plays.clone();
    let mut hand = Hand::default();
    ui.horizontal(|ui| {
        panel_title(ui, theme, "Blend");
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| over_ui(ui, document, &mut now));
    });
    match &mut now {
        Plays::Blend { points, value } => line_ui(ui, theme, document, (points, value), &mut hand),
        Plays::Plane { points, value } => plane_ui(ui, theme, document, (points, value), &mut hand),
        Plays::Clip(_) => {}
    }
    clips_ui(ui, theme, document, &mut now, &mut hand);
    if let Some(plays) = added_ui(&mut state.search, ui, theme, document, &now) {
        now = plays;
    }
    if !view.session.is_some_and(|s| s.history().is_open()) {
        state.found.update((generation, at.0, at.1), |_| BlendFacts::of(document, mix, at));
    }
    slides_ui(ui, theme, document, state.found.get());
    ui.add_space(8.0);
    if now != bar.plays {
        let made = mix.with_bar(at, MixBar { plays: now, ..bar.clone() });
        if hand.moved {
            // The bar's time is adjusted, so that the legs keep their phase in the step cycle.
            let made =
                state.mixer.keeping_step(document, (mix, made), at, view.timeline.playback.time);
            preview("Blend value", made, actions);
        } else {
            set(made, actions);
        }
    }
    if hand.let_go {
        actions.push(Action::Commit);
    }
}

/// Draws the choice between blending by speed alone and by speed in two directions.
fn over_ui(ui: &mut Ui, document: &Document, now: &mut Plays) {
    let mut plane = matches!(now, Plays::Plane { .. });
    let was = plane;
    let list = [
        (false, "By speed", "One slider: clips are placed by their travel speed"),
        (true, "Strafing", "Two sliders: clips are placed by forward and sideways speed"),
    ];
    choices(ui, "Blend by", 104.0, &list, &mut plane);
    if plane == was {
        return;
    }
    let ids: Vec<ClipId> = now.clips().copied().collect();
    *now = if plane {
        let points: Vec<(ClipId, [f32; 2])> =
            ids.into_iter().map(|id| (id, place_of(document, id))).collect();
        let value = mean_place(&points);
        Plays::Plane { points, value }
    } else {
        let points: Vec<(ClipId, f32)> =
            ids.into_iter().map(|id| (id, speed_of(document, id))).collect();
        let value = points.iter().map(|p| p.1).sum::<f32>() / points.len().max(1) as f32;
        Plays::Blend { points, value }
    };
}

fn mean_place(points: &[(ClipId, [f32; 2])]) -> [f32; 2] {
    [0, 1].map(|axis| points.iter().map(|p| p.1[axis]).sum::<f32>() / points.len().max(1) as f32)
}

/// Draws the weights of the clips over the speed, and the handle for the current speed.
fn line_ui(
    ui: &mut Ui,
    theme: &Theme,
    document: &Document,
    (points, value): (&[(ClipId, f32)], &mut f32),
    hand: &mut Hand,
) {
    let mut order: Vec<(ClipId, f32)> = points.to_vec();
    order.sort_by(|a, b| a.1.total_cmp(&b.1));
    let values: Vec<f32> = order.iter().map(|p| p.1).collect();
    let (low, high) = (values[0], values[values.len() - 1].max(values[0] + 1e-3));
    let (rect, response) =
        ui.allocate_exact_size(vec2(ui.available_width(), 74.0), Sense::click_and_drag());
    response
        .widget_info(|| WidgetInfo::slider(true, f64::from(*value), "Blend value on the graph"));
    let painter = ui.painter_at(rect.expand(6.0));
    painter.rect_filled(rect, 4.0, theme.color(ColorRole::SurfaceField));
    let room = rect.shrink2(vec2(12.0, 8.0));
    let x = |v: f32| room.left() + (v - low) / (high - low) * room.width();
    for k in 0..order.len() {
        let curve: Vec<Pos2> = (0..=64)
            .map(|s| {
                let v = low + (high - low) * s as f32 / 64.0;
                pos2(x(v), room.bottom() - blend_weights(&values, v)[k] * room.height())
            })
            .collect();
        painter.add(Shape::line(curve, Stroke::new(1.5, theme.color(ColorRole::TextSecondary))));
    }
    let here = x(value.clamp(low, high));
    painter.vline(here, room.y_range(), Stroke::new(1.5, theme.color(ColorRole::AccentBase)));
    painter.circle_filled(pos2(here, room.bottom()), 5.0, theme.color(ColorRole::AccentBase));
    for weight in blend_weights(&values, *value).into_iter().filter(|w| *w > 0.0) {
        let spot = pos2(here, room.bottom() - weight * room.height());
        painter.circle_filled(spot, 2.5, theme.color(ColorRole::TextPrimary));
    }
    // Clip names below the graph, skipping names that would overlap.
    let (names, _) = ui.allocate_exact_size(vec2(ui.available_width(), 16.0), Sense::hover());
    let mut free = names.left();
    for (id, speed) in &order {
        let font = Theme::font(Font::Small);
        let text = cut(ui, &clip_text(document, *id), &font, 86.0);
        let ink = theme.color(ColorRole::TextPrimary);
        let galley = ui.painter().layout_no_wrap(text, font, ink);
        let left = (x(*speed) - galley.size().x * 0.5)
            .clamp(names.left(), (names.right() - galley.size().x).max(names.left()));
        if left < free {
            continue;
        }
        free = left + galley.size().x + 6.0;
        ui.painter().galley(pos2(left, names.top()), galley, ink);
    }
    if let Some(pointer) = hand.points(&response) {
        *value = (low + (pointer.x - room.left()) / room.width() * (high - low)).clamp(low, high);
    }
    line(ui, theme, "Speed", "Travel speed of the body", |ui| {
        let field =
            DragValue::new(value).range(low..=high).speed(0.01).max_decimals(2).suffix(" m/s");
        hand.took(number(ui, "Blend value", field));
    });
}

/// Drawn graph of travel velocities. The forward direction is up.
struct Plane {
    rect: Rect,
    center: [f32; 2],
    /// Points per meter per second.
    scale: f32,
}

impl Plane {
    fn of(points: &[(ClipId, [f32; 2])], rect: Rect) -> Self {
        /// Minimum range shown, in meters per second, so that tiny speeds are not enlarged.
        const LEAST: f32 = 0.5;
        // The range always includes zero velocity.
        let range = |axis: usize| {
            points.iter().fold((0f32, 0f32), |(l, h), p| (l.min(p.1[axis]), h.max(p.1[axis])))
        };
        let ranges = [range(0), range(1)];
        let [wide, high] = ranges.map(|(low, high)| (high - low).max(LEAST));
        let room = rect.shrink2(vec2(24.0, 18.0));
        Self {
            rect,
            center: ranges.map(|(low, high)| (low + high) * 0.5),
            scale: (room.width() / wide).min(room.height() / high),
        }
    }

    fn spot(&self, place: [f32; 2]) -> Pos2 {
        let [x, y] = [place[0] - self.center[0], place[1] - self.center[1]];
        self.rect.center() + vec2(x, -y) * self.scale
    }

    fn place(&self, spot: Pos2) -> [f32; 2] {
        let off = (spot.clamp(self.rect.min, self.rect.max) - self.rect.center()) / self.scale;
        [self.center[0] + off.x, self.center[1] - off.y]
    }
}

/// Draws the clips in the plane, the triangle of clips with a weight, and the handle.
fn plane_ui(
    ui: &mut Ui,
    theme: &Theme,
    document: &Document,
    (points, value): (&[(ClipId, [f32; 2])], &mut [f32; 2]),
    hand: &mut Hand,
) {
    let (rect, response) =
        ui.allocate_exact_size(vec2(ui.available_width(), 172.0), Sense::click_and_drag());
    let about = format!("{:.2} right, {:.2} forward, meters per second", value[0], value[1]);
    response.widget_info(|| {
        WidgetInfo::labeled(egui::Role::Slider, true, format!("Travel velocity: {about}"))
    });
    let painter = ui.painter_at(rect);
    painter.rect_filled(rect, 4.0, theme.color(ColorRole::SurfaceField));
    let plane = Plane::of(points, rect);
    let stands = plane.spot([0.0; 2]);
    let grid = Stroke::new(1.0, theme.color(ColorRole::StrokeStrong).gamma_multiply(0.6));
    painter.vline(stands.x, rect.y_range(), grid);
    painter.hline(rect.x_range(), stands.y, grid);
    if let Some(pointer) = hand.points(&response) {
        *value = plane.place(pointer).map(hundredth);
    }
    let places: Vec<[f32; 2]> = points.iter().map(|p| p.1).collect();
    let weights = plane_weights(&places, *value);
    let counting: Vec<Pos2> =
        (0..points.len()).filter(|k| weights[*k] > 0.0).map(|k| plane.spot(points[k].1)).collect();
    let accent = theme.color(ColorRole::AccentBase);
    match counting[..] {
        [a, b] => {
            painter.line_segment([a, b], Stroke::new(1.0, accent));
        }
        [_, _, ..] => {
            painter.add(Shape::convex_polygon(
                counting,
                accent.gamma_multiply(0.12),
                Stroke::new(1.0, accent),
            ));
        }
        _ => {}
    }
    let mut taken: Vec<Rect> = Vec::new();
    for (k, (id, place)) in points.iter().enumerate() {
        let spot = plane.spot(*place);
        let counts = weights[k] > 0.0;
        let ink =
            theme.color(if counts { ColorRole::TextPrimary } else { ColorRole::TextTertiary });
        painter.circle_filled(spot, 3.0 + 3.0 * weights[k], ink);
        let mut text = cut(ui, &clip_text(document, *id), &Theme::font(Font::Small), 96.0);
        if counts {
            text += &format!(" {:.0} %", weights[k] * 100.0);
        }
        let galley = painter.layout_no_wrap(text, Theme::font(Font::Small), ink);
        let inside = rect.shrink(4.0);
        let label = |above: bool| {
            let left = (spot.x - galley.size().x * 0.5)
                .clamp(inside.left(), inside.right() - galley.size().x);
            let top = if above { spot.y - galley.size().y - 6.0 } else { spot.y + 6.0 };
            Rect::from_min_size(pos2(left, top), galley.size())
        };
        // A label that does not fit is skipped, because the list below also names the clip.
        let free = |r: &Rect| inside.contains_rect(*r) && taken.iter().all(|t| !t.intersects(*r));
        if let Some(room) = [label(*place == [0.0; 2] || place[1] >= 0.0), label(place[1] < 0.0)]
            .into_iter()
            .find(free)
        {
            painter.galley(room.min, galley.clone(), ink);
            taken.push(room);
        }
    }
    let here = plane.spot(*value);
    painter.circle(here, 5.0, accent, Stroke::new(1.5, theme.color(ColorRole::SurfaceField)));
    let caption = |at: Pos2, align: Align2, text: &str| {
        painter.text(
            at,
            align,
            text,
            Theme::font(Font::Caption),
            theme.color(ColorRole::TextTertiary),
        );
    };
    caption(pos2(stands.x + 4.0, rect.top() + 3.0), Align2::LEFT_TOP, "ahead");
    caption(pos2(rect.right() - 4.0, stands.y + 2.0), Align2::RIGHT_TOP, "right");
    for (axis, label, about) in [
        (1, "Forward", "Forward speed; negative is backward"),
        (0, "Sideways", "Speed to the right; negative is to the left"),
    ] {
        line(ui, theme, label, about, |ui| {
            let field =
                DragValue::new(&mut value[axis]).range(-100.0..=100.0).speed(0.01).max_decimals(2);
            hand.took(number(ui, &format!("{label}, meters per second"), field.suffix(" m/s")));
        });
    }
}

/// Draws fields for the positions of the clips in the blend.
fn clips_ui(ui: &mut Ui, theme: &Theme, document: &Document, now: &mut Plays, hand: &mut Hand) {
    let count = now.clips().count();
    let mut removed = None;
    let mut row = |ui: &mut Ui, k: usize, id: ClipId, values: &mut [f32]| {
        ui.horizontal(|ui| {
            let text = clip_text(document, id);
            let fields = 64.0 * values.len() as f32;
            let (rect, response) = ui.allocate_exact_size(
                vec2((ui.available_width() - fields - 36.0).max(24.0), 24.0),
                Sense::hover(),
            );
            let font = Theme::font(Font::Body);
            let shown = cut(ui, &text, &font, rect.width());
            let ink = theme.color(ColorRole::TextSecondary);
            ui.painter().text(rect.left_center(), Align2::LEFT_CENTER, shown, font, ink);
            response.on_hover_text(&text);
            let axes: &[&str] = if values.len() == 2 { &[" sideways", " forward"] } else { &[""] };
            for (value, axis) in values.iter_mut().zip(axes) {
                let field = DragValue::new(value).range(-100.0..=100.0).speed(0.01).max_decimals(2);
                let field = ui.add_sized([56.0, 24.0], field.clamp_existing_to_range(false));
                crate::ui::widgets::name_widget(ui, &field, &format!("Position of {text}{axis}"));
                hand.took((field.changed(), field.drag_stopped() || field.lost_focus()));
                field.on_hover_text(format!(
                    "Speed in meters per second{axis} at which only this clip plays"
                ));
            }
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                let name = format!("Remove {text} from the blend");
                let last = if count > 1 { Ok(()) } else { Err("It is the only clip") };
                if icon_button(ui, theme, icons::ICON_CLOSE, &name, "", false, last).clicked() {
                    removed = Some(k);
                }
            });
        });
    };
    match now {
        Plays::Blend { points, .. } => {
            for (k, (id, value)) in points.iter_mut().enumerate() {
                row(ui, k, *id, std::slice::from_mut(value));
            }
        }
        Plays::Plane { points, .. } => {
            for (k, (id, place)) in points.iter_mut().enumerate() {
                row(ui, k, *id, place);
            }
        }
        Plays::Clip(_) => {}
    }
    if let Some(k) = removed {
        match now {
            Plays::Blend { points, .. } => drop(points.remove(k)),
            Plays::Plane { points, .. } => drop(points.remove(k)),
            Plays::Clip(_) => {}
        }
        let rest: Vec<ClipId> = now.clips().copied().collect();
        if let [one] = rest[..] {
            *now = Plays::Clip(one);
        }
    }
}

fn slides_ui(ui: &mut Ui, theme: &Theme, document: &Document, found: Option<&BlendFacts>) {
    for (node, slide, free) in found.iter().flat_map(|f| &f.slides) {
        ui.horizontal(|ui| {
            let name = format!("Foot sliding of {}", document.node(*node).label(*node));
            let name =
                cut(ui, &name, &Theme::font(Font::Body), (ui.available_width() - 206.0).max(20.0));
            ui.label(RichText::new(name).color(theme.color(ColorRole::TextSecondary)));
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                if let Some(free) = free {
                    let text = format!("{:.1} without sync", free * 100.0);
                    let ink = theme.color(ColorRole::TextTertiary);
                    ui.label(RichText::new(text).font(Theme::font(Font::NumberSmall)).color(ink));
                }
                let text = RichText::new(format!("{:.1} cm/s", slide * 100.0))
                    .font(Theme::font(Font::Number));
                let label = ui.label(text.color(theme.color(ColorRole::TextPrimary)));
                label.on_hover_text(
                    "Mean foot sliding during ground contact, over the first seconds of the bar",
                );
            });
        });
    }
}

/// Draws the control that turns a bar of one clip into a blend.
pub(super) fn blend_with_ui(
    state: &mut BlendingState,
    ui: &mut Ui,
    theme: &Theme,
    document: &Document,
    now: &mut MixBar,
) {
    if !matches!(now.plays, Plays::Clip(_)) {
        return;
    }
    if let Some(plays) = added_ui(&mut state.search, ui, theme, document, &now.plays) {
        now.plays = plays;
        now.in_step = if now.in_step == InStep::Free { InStep::Share } else { now.in_step };
    }
}

/// Draws a button that adds a clip to the blend. Returns the new content of the bar.
fn added_ui(
    search: &mut String,
    ui: &mut Ui,
    theme: &Theme,
    document: &Document,
    now: &Plays,
) -> Option<Plays> {
    let words = ["Blend with…", "Adds a clip to blend with by a slider"];
    let id = clip_menu(ui, theme, document, search, words, "Blend with…")?;
    Some(match now {
        Plays::Plane { points, value } => {
            let mut points = points.clone();
            points.push((id, place_of(document, id)));
            Plays::Plane { points, value: *value }
        }
        line => {
            let mut points = match line {
                Plays::Blend { points, .. } => points.clone(),
                other => other.clips().map(|own| (*own, speed_of(document, *own))).collect(),
            };
            let own = speed_of(document, id);
            // Two clips of equal speed would share one point. The new clip is moved, so that the
            // slider has a range.
            let alike = points.iter().any(|(_, v)| (v - own).abs() < 0.005);
            let most = points.iter().map(|p| p.1).fold(f32::NEG_INFINITY, f32::max);
            points.push((id, if alike { most + 1.0 } else { own }));
            let value = points.iter().map(|p| p.1).sum::<f32>() / points.len() as f32;
            Plays::Blend { points, value }
        }
    })
}
