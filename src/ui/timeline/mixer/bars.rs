//! The bars of a lane: drawn with their fades, dragged, trimmed, and what of them plays.

use egui::{
    Align2, Color32, CursorIcon, Mesh, PointerButton, Rect, Role, Sense, Shape, Stroke, Ui, WidgetInfo, pos2, vec2,
};

use super::{MixerState, TimeAxis, preview, set};
use crate::{
    model::{ClipId, Document, Enter, InStep, Mix, MixBar, Plays, Shared},
    motion::Playing,
    render::ColorRole,
    ui::{
        Action, Actions, Theme, View,
        theme::Font,
        widgets::{cut, name_widget},
    },
};

/// What of a bar a hand has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Grip {
    Whole,
    Start,
    End,
    FadeIn,
    FadeOut,
}

/// A bar under a hand.
#[derive(Clone, Debug)]
pub(super) struct Drag {
    lane: usize,
    bar: usize,
    grip: Grip,
    /// The mix as it was, and the time that was grabbed.
    from: Shared<Mix>,
    at: f64,
}

/// Points of a bar's height, of its ends, and of the squares of its fades.
const HEIGHT: f32 = 48.0;
const ENDS: f32 = 7.0;
const SQUARE: f32 = 9.0;
/// Seconds of the shortest bar.
const SHORTEST: f64 = 0.02;

/// What a bar plays, in words.
pub(super) fn bar_text(document: &Document, bar: &MixBar) -> String {
    let label =
        |id: ClipId| if document.clips.contains(id) { document.clip_label(id) } else { "a clip that is gone".into() };
    match &bar.plays {
        Plays::Clip(id) => label(*id),
        Plays::Blend { points, .. } => points.iter().map(|(id, _)| label(*id)).collect::<Vec<_>>().join("–"),
    }
}

fn about_text(bar: &MixBar) -> String {
    let way = if bar.repeat { "loop" } else { "once" };
    let enter = match bar.enter {
        Enter::Fade => "",
        Enter::Frozen => ", over the pose",
        Enter::Keys => ", key to key",
        Enter::Inertial => ", inertial",
        Enter::Cut => ", cut",
    };
    let step = match bar.in_step {
        InStep::Free => "",
        _ => ", in step",
    };
    format!("{way}, {:.1}×{enter}{step}", bar.speed)
}

#[expect(clippy::too_many_arguments, reason = "where and what is drawn, and of what")]
pub(super) fn lane_ui(
    state: &mut MixerState,
    ui: &Ui,
    view: &View<'_>,
    document: &Document,
    (mix, lane): (&Shared<Mix>, usize),
    axis: &TimeAxis,
    clip: Rect,
    room: Rect,
    playing: &[Playing],
    actions: &mut Actions,
) {
    let about = &mix.lanes[lane];
    let painter = ui.painter_at(clip);
    let faint = if about.on { 1.0 } else { 0.45 };
    for b in about.in_order() {
        let bar = &about.bars[b];
        let rect = Rect::from_min_max(
            pos2(axis.x(bar.start), room.top() + 8.0),
            pos2(axis.x(bar.end()), room.top() + 8.0 + HEIGHT),
        );
        if rect.right() < clip.left() || rect.left() > clip.right() {
            continue;
        }
        draw(ui, &painter, view, document, bar, rect, axis, (state.chosen == Some((lane, b)), faint));
        interact(state, ui, view, document, (mix, lane, b), axis, rect.intersect(clip), rect, actions);
    }
    // What plays, at the playhead.
    if !playing.is_empty() {
        let mut heaviest: Vec<&Playing> = playing.iter().collect();
        heaviest.sort_by(|a, b| b.weight.total_cmp(&a.weight));
        let words: Vec<String> = heaviest
            .iter()
            .take(3)
            .filter(|p| p.weight >= 0.005)
            .map(|p| format!("{} {:.0} %", document.clip_label(p.clip), p.weight * about.weight * 100.0))
            .collect();
        let font = Theme::font(Font::NumberSmall);
        let text = cut(ui, &words.join(" · "), &font, 260.0);
        let galley = painter.layout_no_wrap(text, font, view.theme.color(ColorRole::AccentBase));
        let at = pos2(axis.x(view.timeline.playback.time) + 6.0, room.top() + 36.0);
        let chip = Rect::from_min_size(at, galley.size() + vec2(10.0, 4.0));
        painter.rect_filled(chip, 3.0, view.theme.color(ColorRole::SurfaceRaised));
        painter.galley(chip.min + vec2(5.0, 2.0), galley, Color32::PLACEHOLDER);
    }
}

fn draw(
    ui: &Ui,
    painter: &egui::Painter,
    view: &View<'_>,
    document: &Document,
    bar: &MixBar,
    rect: Rect,
    axis: &TimeAxis,
    (chosen, faint): (bool, f32),
) {
    let theme = view.theme;
    let gone = bar.clips().all(|id| !document.clips.contains(*id));
    painter.rect_filled(rect, 3.0, theme.color(ColorRole::SurfaceControl).gamma_multiply(0.45 * faint));
    // The weight is the lighter shape.
    const STEPS: usize = 24;
    let mut times: Vec<f64> = vec![bar.start, bar.end()];
    for k in 0..=STEPS {
        let u = k as f64 / STEPS as f64;
        times.push(bar.start + bar.fade_in * u);
        times.push(bar.end() - bar.fade_out * u);
    }
    times.retain(|t| (bar.start..=bar.end()).contains(t));
    times.sort_by(f64::total_cmp);
    let height = |t: f64| rect.bottom() - rect.height() * bar.weight_at(t).clamp(0.0, 1.0);
    let line: Vec<egui::Pos2> = times.iter().map(|t| pos2(axis.x(*t), height(*t))).collect();
    let fill = theme.color(ColorRole::SurfaceControl).gamma_multiply(faint);
    // A mesh, since polygons side by side show their seams.
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
    painter.add(Shape::line(line, Stroke::new(1.0, theme.color(ColorRole::TextSecondary).gamma_multiply(faint))));
    if bar.enter == Enter::Inertial {
        painter.vline(rect.left(), rect.y_range(), Stroke::new(2.0, theme.color(ColorRole::TextPrimary)));
        let decay: Vec<egui::Pos2> = (0..=STEPS)
            .map(|k| {
                let u = k as f64 / STEPS as f64;
                let left = 1.0 - u * u * u * (10.0 - 15.0 * u + 6.0 * u * u);
                pos2(axis.x(bar.start + bar.fade_in * u), rect.bottom() - rect.height() * left as f32)
            })
            .collect();
        painter.add(Shape::line(decay, Stroke::new(1.5, theme.color(ColorRole::TextPrimary).gamma_multiply(faint))));
    }
    rounds(painter, view, document, bar, rect, axis);
    let edge = if chosen { ColorRole::SelectionBase } else { ColorRole::StrokeStrong };
    let stroke = Stroke::new(if chosen { 1.5 } else { 1.0 }, theme.color(edge).gamma_multiply(faint));
    if gone {
        let corners = [rect.left_top(), rect.right_top(), rect.right_bottom(), rect.left_bottom(), rect.left_top()];
        painter.extend(Shape::dashed_line(&corners, stroke, 4.0, 4.0));
    } else {
        painter.rect_stroke(rect, 3.0, stroke, egui::StrokeKind::Inside);
    }
    let left = rect.left().max(painter.clip_rect().left()) + 8.0 + axis_points(axis, bar.fade_in).min(120.0);
    let width = rect.right() - left - 8.0;
    if width > 24.0 {
        let font = Theme::font(Font::Body);
        let name = cut(ui, &bar_text(document, bar), &font, width);
        let ink = theme.color(ColorRole::TextPrimary).gamma_multiply(faint);
        painter.text(pos2(left, rect.top() + 13.0), Align2::LEFT_CENTER, name, font, ink);
        let font = Theme::font(Font::Small);
        let about = cut(ui, &about_text(bar), &font, width);
        let ink = theme.color(ColorRole::TextTertiary).gamma_multiply(faint);
        painter.text(pos2(left, rect.top() + 28.0), Align2::LEFT_CENTER, about, font, ink);
    }
    if chosen {
        for at in squares(bar, rect, axis) {
            let square = Rect::from_center_size(at, vec2(SQUARE, SQUARE));
            painter.rect_filled(square, 1.0, theme.color(ColorRole::SelectionBase));
        }
    }
}

fn axis_points(axis: &TimeAxis, seconds: f64) -> f32 {
    (seconds * axis.scale()) as f32
}

/// Where the squares of both fades are.
fn squares(bar: &MixBar, rect: Rect, axis: &TimeAxis) -> [egui::Pos2; 2] {
    let within =
        |x: f32| x.clamp(rect.left() + SQUARE * 0.5, (rect.right() - SQUARE * 0.5).max(rect.left() + SQUARE * 0.5));
    let y = rect.top() + SQUARE * 0.5;
    [pos2(within(axis.x(bar.start + bar.fade_in)), y), pos2(within(axis.x(bar.end() - bar.fade_out)), y)]
}

/// Where a looping clip begins again, and its markers, where it plays alone on its own clock.
fn rounds(painter: &egui::Painter, view: &View<'_>, document: &Document, bar: &MixBar, rect: Rect, axis: &TimeAxis) {
    const MOST: f64 = 200.0;
    let Plays::Clip(id) = bar.plays else { return };
    let Some(clip) = document.clips.get(id) else { return };
    let length = f64::from(clip.length());
    if bar.in_step != InStep::Free || bar.speed <= 0.0 || length <= 0.0 || bar.length * bar.speed / length > MOST {
        return;
    }
    let stroke = Stroke::new(1.0, view.theme.color(ColorRole::TextTertiary));
    let count = if bar.repeat { ((bar.offset + bar.length * bar.speed) / length).ceil() as u32 } else { 1 };
    for k in 0..=count {
        let begins = bar.start + (f64::from(k) * length - bar.offset) / bar.speed;
        let x = axis.x(begins);
        if k > 0 && rect.x_range().contains(x) && bar.repeat {
            let ends = [pos2(x, rect.top()), pos2(x, rect.bottom())];
            painter.extend(Shape::dashed_line(&ends, stroke, 2.0, 3.0));
        }
        for marker in clip.markers.iter().filter(|m| f64::from(m.time) < length) {
            let x = axis.x(begins + f64::from(marker.time) / bar.speed);
            if rect.x_range().contains(x) {
                let (y, color) = (rect.bottom(), view.theme.color(ColorRole::TimelineMarker));
                let triangle = vec![pos2(x - 3.5, y), pos2(x + 3.5, y), pos2(x, y - 6.0)];
                painter.add(Shape::convex_polygon(triangle, color, Stroke::NONE));
                painter.text(
                    pos2(x + 5.0, y - 5.0),
                    Align2::LEFT_CENTER,
                    &*marker.name,
                    Theme::font(Font::Caption),
                    color,
                );
            }
        }
    }
}

#[expect(clippy::too_many_arguments, reason = "where and what is drawn, and of what")]
fn interact(
    state: &mut MixerState,
    ui: &Ui,
    view: &View<'_>,
    document: &Document,
    (mix, lane, b): (&Shared<Mix>, usize, usize),
    axis: &TimeAxis,
    seen: Rect,
    rect: Rect,
    actions: &mut Actions,
) {
    let bar = &mix.lanes[lane].bars[b];
    let name = format!("Bar {}", bar_text(document, bar));
    let whole = ui.interact(seen, ui.scope_id().with(("bar", lane, b)), Sense::click_and_drag());
    name_widget(ui, &whole, &name);
    let mut parts = vec![(whole.clone(), Grip::Whole)];
    let mut part = |at: Rect, grip: Grip, word: &str| {
        let response = ui.interact(at.intersect(seen), ui.scope_id().with((word, lane, b)), Sense::drag());
        response.widget_info(|| WidgetInfo::labeled(Role::Slider, true, format!("{word} of {name}")));
        parts.push((response, grip));
    };
    part(Rect::from_x_y_ranges(rect.left()..=rect.left() + ENDS, rect.y_range()), Grip::Start, "Start");
    part(Rect::from_x_y_ranges(rect.right() - ENDS..=rect.right(), rect.y_range()), Grip::End, "End");
    if state.chosen == Some((lane, b)) {
        let [comes, goes] = squares(bar, rect, axis);
        part(Rect::from_center_size(comes, vec2(SQUARE + 4.0, SQUARE + 4.0)), Grip::FadeIn, "Fade in");
        part(Rect::from_center_size(goes, vec2(SQUARE + 4.0, SQUARE + 4.0)), Grip::FadeOut, "Fade out");
    }
    for (response, grip) in &parts {
        if response.hovered() || response.dragged() {
            ui.ctx().set_cursor_icon(if *grip == Grip::Whole {
                CursorIcon::Grab
            } else {
                CursorIcon::ResizeHorizontal
            });
        }
        if response.drag_started_by(PointerButton::Primary)
            && let Some(at) = ui.input(|i| i.pointer.press_origin())
        {
            state.chosen = Some((lane, b));
            state.drag = Some(Drag { lane, bar: b, grip: *grip, from: mix.clone(), at: axis.time(at.x) });
        }
        let Some(drag) = state.drag.clone().filter(|d| (d.lane, d.bar, d.grip) == (lane, b, *grip)) else { continue };
        if response.dragged()
            && let Some(at) = response.interact_pointer_pos()
        {
            let free = ui.input(|i| i.modifiers.shift);
            let made = dragged(&drag, axis.time(at.x) - drag.at, (!free).then_some(view.timeline.playback.fps));
            preview("Move a bar", made, actions);
        }
        if response.drag_stopped() {
            state.drag = None;
            actions.push(Action::Commit);
        }
    }
    if whole.clicked() {
        state.chosen = Some((lane, b));
    }
    whole.context_menu(|ui| {
        state.chosen = Some((lane, b));
        menu_ui(state, ui, document, (mix, lane, b), view, actions);
    });
}

/// The mix with the bar where the hand has it, on frames where there is a rate.
fn dragged(drag: &Drag, by: f64, fps: Option<f64>) -> Mix {
    let mut mix = (*drag.from).clone();
    let bar = &mut mix.lanes[drag.lane].bars[drag.bar];
    let on = |time: f64| fps.map_or(time, |fps| (time * fps).round() / fps);
    match drag.grip {
        Grip::Whole => bar.start = on(bar.start + by).max(0.0),
        Grip::Start => {
            // The clip stays where it is; only what is seen of it begins elsewhere.
            let start = on(bar.start + by).clamp(0.0, bar.end() - SHORTEST);
            bar.offset += (start - bar.start) * bar.speed;
            bar.length -= start - bar.start;
            bar.start = start;
        }
        Grip::End => bar.length = (on(bar.end() + by) - bar.start).max(SHORTEST),
        Grip::FadeIn => bar.fade_in = on(bar.fade_in + by).clamp(0.0, bar.length),
        Grip::FadeOut => bar.fade_out = on(bar.fade_out - by).clamp(0.0, bar.length),
    }
    mix
}

fn menu_ui(
    state: &mut MixerState,
    ui: &mut Ui,
    document: &Document,
    (mix, lane, b): (&Shared<Mix>, usize, usize),
    view: &View<'_>,
    actions: &mut Actions,
) {
    ui.set_min_width(180.0);
    let now = view.timeline.playback.time;
    let bar = &mix.lanes[lane].bars[b];
    let inside = now > bar.start + SHORTEST && now < bar.end() - SHORTEST;
    let mut made = (**mix).clone();
    let mut changed = false;
    if ui.add_enabled(inside, egui::Button::new("Cut at the playhead")).clicked() {
        let rest = MixBar {
            start: now,
            length: bar.end() - now,
            offset: bar.offset + (now - bar.start) * bar.speed,
            fade_in: 0.0,
            enter: Enter::Cut,
            ..bar.clone()
        };
        let first = &mut made.lanes[lane].bars[b];
        (first.length, first.fade_out) = (now - bar.start, 0.0);
        made.lanes[lane].bars.push(rest);
        changed = true;
    }
    if ui.button("Duplicate").clicked() {
        made.lanes[lane].bars.push(MixBar { start: bar.end(), ..bar.clone() });
        changed = true;
    }
    if let Plays::Clip(id) = bar.plays
        && document.clips.contains(id)
        && ui.button("Find contacts").on_hover_text("Markers L and R in the clip, where its feet come down").clicked()
    {
        let mark = crate::edit::command::MarkFootfalls { clip: crate::edit::command::field::ClipName::Id(id) };
        actions.push(Action::Run(mark.into()));
        ui.close();
    }
    if ui.button("Remove").clicked() {
        made.lanes[lane].bars.remove(b);
        state.chosen = None;
        changed = true;
    }
    if changed {
        set(made, actions);
        ui.close();
    }
}
