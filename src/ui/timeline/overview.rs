//! Overview bar at the bottom: all keys of the clip, and the visible range, which can be moved and
//! resized.

use egui::{
    Painter, PointerButton, Rect, Response, Role, Sense, Stroke, Ui, WidgetInfo, pos2, vec2,
};

use super::{sheet_layout::Sheet, state::TimelineState, time_view::Grip};
use crate::ui::{Action, Actions, Theme, theme::Font, widgets::thousands};
use ulna_edit::command::{CleanKeys, WhichKeys, field::ClipName};
use ulna_render::ColorRole;

pub fn overview_ui(
    state: &mut TimelineState,
    ui: &mut Ui,
    sheet: &Sheet<'_>,
    rect: Rect,
    names: f32,
    actions: &mut Actions,
) {
    let theme = sheet.view.theme;
    let painter = ui.painter_at(rect);
    painter.rect_filled(rect, 0.0, theme.color(ColorRole::SurfaceBar));
    dead_keys_ui(
        state,
        ui,
        sheet,
        Rect::from_min_max(rect.min, pos2(rect.left() + names, rect.bottom())),
        actions,
    );
    let area =
        Rect::from_min_max(pos2(rect.left() + names, rect.top()), rect.max).shrink2(vec2(4.0, 4.0));
    let length = sheet
        .view
        .timeline
        .playback
        .length(sheet.view.session.map_or(&ulna_model::Document::default(), |s| s.document()));
    let all = (state.time.start.min(0.0), state.time.end.max(length.max(0.1)));
    let x = |time: f64| area.left() + ((time - all.0) / (all.1 - all.0)) as f32 * area.width();

    columns(state, &painter, sheet, area, all);
    let playhead = x(sheet.view.timeline.playback.time);
    painter.vline(
        playhead,
        area.y_range(),
        Stroke::new(1.0, theme.color(ColorRole::TimelinePlayhead)),
    );

    let window = Rect::from_min_max(
        pos2(x(state.time.start), area.top() - 2.0),
        pos2(x(state.time.end), area.bottom() + 2.0),
    );
    let edge = Stroke::new(1.0, theme.color(ColorRole::StrokeStrong));
    painter.rect(
        window,
        3.0,
        theme.color(ColorRole::TextPrimary).gamma_multiply(0.06),
        edge,
        egui::StrokeKind::Inside,
    );
    for side in [window.left(), window.right()] {
        let grip = Rect::from_center_size(pos2(side, window.center().y), vec2(4.0, 10.0));
        painter.rect_filled(grip, 2.0, theme.color(ColorRole::TextSecondary));
    }
    let response = ui.interact(
        area.expand2(vec2(4.0, 4.0)),
        ui.scope_id().with("overview"),
        Sense::click_and_drag(),
    );
    response.widget_info(|| WidgetInfo::labeled(Role::ScrollBar, true, "Overview of the clip"));
    drag_window(state, ui, &response, (area, window), (all, length));
}

/// Draws the density of keys as columns of two points width.
fn columns(
    state: &TimelineState,
    painter: &Painter,
    sheet: &Sheet<'_>,
    area: Rect,
    all: (f64, f64),
) {
    let theme = sheet.view.theme;
    let x = |time: f64| area.left() + ((time - all.0) / (all.1 - all.0)) as f32 * area.width();
    let time =
        |x: f32| all.0 + f64::from((x - area.left()) / area.width().max(1.0)) * (all.1 - all.0);
    // Number of keys per column, relative to the fullest column.
    let columns = (area.width() / 2.0).max(1.0) as usize;
    let times = state.summary.get().map_or(&[][..], |s| &s.times);
    let mut counts = vec![0u32; columns];
    let column = |t: f64| (((x(t) - area.left()) / 2.0).max(0.0) as usize).min(columns - 1);
    // Sample the keys if there are very many.
    let step = (times.len() / 20_000).max(1);
    times.iter().step_by(step).for_each(|t| counts[column(f64::from(*t))] += 1);
    let most = counts.iter().copied().max().unwrap_or(1).max(1) as f32;
    let is_here = !sheet.keys().is_empty();
    let chosen = state.selected.get().filter(|_| is_here).map_or(&[][..], |t| t);
    for (k, count) in counts.iter().enumerate().filter(|(_, c)| **c > 0) {
        let left = area.left() + k as f32 * 2.0;
        let (from, to) = (time(left) as f32, time(left + 2.0) as f32);
        let at = chosen.partition_point(|t| *t < from);
        let is_chosen = chosen.get(at).is_some_and(|t| *t < to);
        let role = if is_chosen { ColorRole::SelectionBase } else { ColorRole::KeyInbetween };
        let height = area.height() * (0.35 + 0.65 * *count as f32 / most);
        let bar =
            Rect::from_min_max(pos2(left, area.bottom() - height), pos2(left + 1.0, area.bottom()));
        painter.rect_filled(bar, 0.0, theme.color(role));
    }
}

/// Moves or resizes the visible range by a drag. A click moves it to the pointer, and a double
/// click shows the whole clip.
fn drag_window(
    state: &mut TimelineState,
    ui: &Ui,
    response: &Response,
    (area, window): (Rect, Rect),
    (all, length): ((f64, f64), f64),
) {
    let time =
        |x: f32| all.0 + f64::from((x - area.left()) / area.width().max(1.0)) * (all.1 - all.0);
    let near = |at: f32, side: f32| (at - side).abs() <= 6.0;
    if response.drag_started_by(PointerButton::Primary)
        && let Some(at) = ui.input(|i| i.pointer.press_origin())
    {
        state.grip = Some(match at.x {
            x if near(x, window.left()) => Grip::Start,
            x if near(x, window.right()) => Grip::End,
            _ => Grip::Middle,
        });
    }
    if response.double_clicked() {
        state.time.fit(length);
    } else if response.clicked()
        && let Some(at) = response.interact_pointer_pos()
    {
        let span = state.time.end - state.time.start;
        state.time.shift(time(at.x) - span * 0.5 - state.time.start);
    }
    if let Some(grip) = state.grip {
        let by = f64::from(response.drag_delta().x / area.width().max(1.0)) * (all.1 - all.0);
        match grip {
            Grip::Start => state.time.start = (state.time.start + by).min(state.time.end - 0.01),
            Grip::End => state.time.end = (state.time.end + by).max(state.time.start + 0.01),
            Grip::Middle => state.time.shift(by),
        }
        if !response.dragged() {
            state.grip = None;
        }
    }
    if response
        .hover_pos()
        .is_some_and(|at| near(at.x, window.left()) || near(at.x, window.right()))
    {
        ui.ctx().set_cursor_icon(egui::CursorIcon::ResizeHorizontal);
    }
}

/// Shows the number of redundant keys in the listed rows, with a button that removes them.
fn dead_keys_ui(
    state: &TimelineState,
    ui: &mut Ui,
    sheet: &Sheet<'_>,
    rect: Rect,
    actions: &mut Actions,
) {
    let count = state.dead.count();
    if count == 0 {
        return;
    }
    let theme = sheet.view.theme;
    let keys = if count == 1 {
        "1 redundant key".to_owned()
    } else {
        format!("{} redundant", thousands(count))
    };
    let mut line = ui.new_child(
        egui::UiBuilder::new()
            .max_rect(rect.shrink2(vec2(12.0, 1.0)))
            .layout(egui::Layout::left_to_right(egui::Align::Center)),
    );
    let text = egui::RichText::new(keys)
        .font(Theme::font(Font::Small))
        .color(theme.color(ColorRole::TextTertiary));
    line.label(text).on_hover_text("Keys that can be removed without changing the motion");
    line.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
        let button = egui::Button::new(
            egui::RichText::new(format!("Remove {}", thousands(count)))
                .font(Theme::font(Font::Small)),
        );
        if ui
            .add(button)
            .on_hover_text(
                "Removes the redundant keys in the listed rows. The motion does not change",
            )
            .clicked()
        {
            let clip = ClipName::Id(sheet.id);
            let which = WhichKeys::these(sheet.id, state.dead.keys());
            actions.push(Action::Run(CleanKeys { clip, tolerance: None, which }.into()));
        }
    });
}
