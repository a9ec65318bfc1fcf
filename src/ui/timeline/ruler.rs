//! Ruler above the keys: frames, length of the clip, unkeyed poses, and the playhead, which can be
//! dragged.

use egui::{
    Align2, Color32, Painter, PointerButton, Rect, Role, Sense, Stroke, Ui, WidgetInfo, pos2, vec2,
};

use super::{axis::TimeAxis, hold::hold_ui, state::TimelineState};
use crate::ui::menu_rows::{MenuRows, Row, context_menu};
use crate::ui::{
    Actions, Theme, TimelineAction, View,
    theme::Font,
    widgets::{crisp, diamond},
};
use ulna_edit::Preset;
use ulna_edit::command::{
    AddMarker, PlayCommand, RippleKeys,
    field::{ClipName, Seconds},
};
use ulna_render::ColorRole;
use ulna_session::{Playback, RulerUnit};

/// Unit of the ruler: units per second, and units per labeled number.
fn counted(playback: &Playback) -> (f64, f64) {
    match playback.unit {
        RulerUnit::Frames => (playback.fps, 1.0),
        RulerUnit::Ticks(n) => (n, 1.0),
        // Milliseconds, labeled in seconds.
        RulerUnit::Seconds => (1000.0, 1000.0),
    }
}

/// Text of a number on the ruler.
fn number(count: f64, of: f64) -> String {
    if of == 1.0 { format!("{count}") } else { format!("{}", (count / of * 1e3).round() / 1e3) }
}

/// Returns the labeled times of the visible range, in frames or other units of `1 / fps` seconds.
fn labeled_frames(axis: &TimeAxis, fps: f64) -> impl Iterator<Item = f64> {
    // Maximum number of labels, for any range of times.
    const MOST: usize = 200;
    let step = axis.label_step(fps);
    let first = (axis.start * fps / step).floor() * step;
    let end = axis.end;
    (0..MOST).map(move |k| first + k as f64 * step).take_while(move |frame| frame / fps <= end)
}

/// Draws vertical lines from the labels of the ruler down through the keys.
pub fn grid(painter: &Painter, view: &View<'_>, axis: &TimeAxis, sheet: Rect, ruler: f32) {
    let (fps, _) = counted(view.timeline.playback);
    let stroke = Stroke::new(1.0, view.theme.color(ColorRole::TimelineGridMajor));
    for frame in labeled_frames(axis, fps) {
        let x = axis.x(frame / fps).round() + 0.5;
        if x >= sheet.left() {
            painter.vline(x, (sheet.top() + ruler)..=sheet.bottom(), stroke);
        }
    }
}

pub fn playhead_line(painter: &Painter, view: &View<'_>, axis: &TimeAxis, body: Rect) {
    let x = axis.x(view.timeline.playback.time);
    if body.x_range().contains(x) {
        painter.vline(
            x,
            body.y_range(),
            Stroke::new(1.5, view.theme.color(ColorRole::TimelinePlayhead)),
        );
    }
}

pub fn ruler_ui(
    state: &mut TimelineState,
    ui: &Ui,
    view: &View<'_>,
    axis: &TimeAxis,
    rect: Rect,
    actions: &mut Actions,
) {
    let theme = view.theme;
    let painter = ui.painter_at(rect);
    painter.rect_filled(rect, 0.0, theme.color(ColorRole::SurfaceTimeline));
    numbers(ui, &painter, view, axis, rect);
    let length = view.session.map_or(0.0, |s| view.timeline.playback.length(s.document()));
    // The handles of the playback range are added later and are on top.
    let response = ui.interact(rect, ui.scope_id().with("ruler"), Sense::click_and_drag());
    range_ui(state, ui, view, axis, rect, length, actions);
    painter.hline(
        rect.x_range(),
        rect.bottom() - 0.5,
        Stroke::new(1.0, theme.color(ColorRole::TimelineGridMajor)),
    );
    if let (Some(session), Some(shown)) = (view.session, view.shown_clip()) {
        let poses = session.document().aids.unkeyed.keys().filter(|at| at.clip == shown);
        for x in
            poses.map(|at| axis.x(f64::from(at.time()))).filter(|x| rect.x_range().contains(*x))
        {
            let at = pos2(x, rect.bottom() - 6.0);
            diamond(&painter, at, 9.0, Color32::TRANSPARENT, theme.color(ColorRole::SelectionBase));
        }
    }
    flag(&painter, view, axis, rect);
    if hold_ui(&mut state.hold, ui, view, axis, rect, actions) {
        return;
    }
    response.widget_info(|| WidgetInfo::labeled(Role::Slider, true, "Playhead"));
    ui.ctx().accesskit_node_builder(response.id, |node| {
        node.set_numeric_value(view.timeline.playback.time)
    });
    if state.range_grip.is_none()
        && (response.dragged_by(PointerButton::Primary) || response.clicked())
        && let Some(at) = response.interact_pointer_pos()
    {
        let (time, fps) = (axis.time(at.x).max(0.0), view.timeline.playback.fps);
        // Round to whole frames, unless Shift is held.
        let free = ui.input(|i| i.modifiers.shift);
        let time = if free { time } else { (time * fps).round() / fps };
        actions.push(TimelineAction::Seek(time));
    }
    let carries = view.settings.keys.preset() == Preset::Maya && !ui.input(|i| i.modifiers.alt);
    if carries {
        carry_ui(state, ui, view, axis, rect, &response, actions);
    } else if response.dragged_by(PointerButton::Middle) {
        state.time.shift(-f64::from(response.drag_delta().x) / axis.scale());
    }
    if let Some(at) = response.interact_pointer_pos().filter(|_| response.secondary_clicked()) {
        let (time, fps) = (axis.time(at.x).max(0.0), view.timeline.playback.fps);
        state.ruler_time = (time * fps).round() / fps;
    }
    context_menu(&response, Some(rect), view, actions, |rows| ruler_rows(rows, state.ruler_time));
}

/// Moves the playhead with the middle button while the pose stays, so that it can be keyed at
/// another time (as in Maya).
fn carry_ui(
    state: &mut TimelineState,
    ui: &Ui,
    view: &View<'_>,
    axis: &TimeAxis,
    rect: Rect,
    response: &egui::Response,
    actions: &mut Actions,
) {
    if response.dragged_by(PointerButton::Middle)
        && let Some(at) = response.interact_pointer_pos()
    {
        let (time, fps) = (axis.time(at.x).max(0.0), view.timeline.playback.fps);
        state.carries_to = Some((time * fps).round() / fps);
    }
    let Some(time) = state.carries_to else { return };
    let stroke = Stroke::new(1.5, view.theme.color(ColorRole::SelectionBase));
    ui.painter_at(rect).vline(axis.x(time), rect.y_range(), stroke);
    if response.drag_stopped() || !ui.input(|i| i.pointer.middle_down()) {
        state.carries_to = None;
        actions.push(TimelineAction::PutPose(time));
    }
}

/// Adds menu rows for a time: markers, playback range, inserting or removing time, and the unit of
/// the ruler.
fn ruler_rows(rows: &mut MenuRows<'_>, time: f64) {
    let view = rows.view;
    let playback = view.timeline.playback;
    let Some(id) = playback.clip else { return };
    let number = (time * playback.fps).round();
    let frame = format!("frame {number}");
    rows.header(&format!("Frame {number}"), &format!("{time:.3} s"));
    rows.act(Row::new(format!("Go to {frame}")), || TimelineAction::Seek(time));
    let seconds = Seconds(time as f32);
    // Mix times do not apply to the clip that was shown before.
    let mixing = view.mixes();
    if !mixing {
        let row = Row::of(view, AddMarker::spec()).title(format!("Add marker at {frame}"));
        rows.run(row.keyless().enabled(), || {
            AddMarker { clip: ClipName::Id(id), time: seconds, name: None, color: None }.into()
        });
    }
    rows.separator();
    let (from, to) = view.session.map_or((0.0, 0.0), |s| playback.bounds(s.document()));
    let late = (time >= to).then_some("This is the end of the range that plays");
    let row = Row::new(format!("Play from {frame}")).unless(late);
    rows.act(row, || TimelineAction::Range(Some((time, to))));
    let early = (time <= from).then_some("This is the start of the range that plays");
    let row = Row::new(format!("Play to {frame}")).unless(early);
    rows.act(row, || TimelineAction::Range(Some((from, time))));
    let whole = playback.range.is_none().then_some("The whole clip plays");
    let row = Row::of(view, PlayCommand::NoRange.spec()).unless(whole);
    rows.act(row, || TimelineAction::Range(None));
    if mixing {
        return;
    }
    rows.separator();
    let step = (1.0 / playback.fps) as f32;
    for (by, text) in [(step, "Insert a frame"), (-step, "Remove a frame")] {
        rows.run(Row::new(text), || {
            RippleKeys { clip: ClipName::Id(id), time: seconds, by: Seconds(by), node: None }.into()
        });
    }
    rows.separator();
    let ticks = if let RulerUnit::Ticks(n) = playback.unit { n } else { RulerUnit::TICKS };
    let units = [
        (RulerUnit::Frames, "Frames"),
        (RulerUnit::Seconds, "Seconds"),
        (RulerUnit::Ticks(ticks), "Ticks"),
    ];
    for (unit, text) in units {
        let row = Row::new(text).checked(playback.unit == unit);
        rows.act(row, || TimelineAction::Unit(unit));
    }
}

fn numbers(ui: &Ui, painter: &Painter, view: &View<'_>, axis: &TimeAxis, rect: Rect) {
    let theme = view.theme;
    let (fps, of) = counted(view.timeline.playback);
    let stroke = Stroke::new(1.0, theme.color(ColorRole::StrokeStrong));
    for frame in labeled_frames(axis, fps) {
        let x = axis.x(frame / fps);
        if !rect.x_range().contains(x) {
            continue;
        }
        let at = crisp(ui, pos2(x, rect.bottom()));
        painter.vline(at.x, (rect.bottom() - 6.0)..=rect.bottom(), stroke);
        let (font, color) = (Theme::font(Font::NumberSmall), theme.color(ColorRole::TextTertiary));
        painter.text(
            pos2(x, rect.top() + 10.0),
            Align2::CENTER_CENTER,
            number(frame, of),
            font,
            color,
        );
    }
}

/// Draws a flag with the frame of the playhead.
fn flag(painter: &Painter, view: &View<'_>, axis: &TimeAxis, rect: Rect) {
    let theme = view.theme;
    let x = axis.x(view.timeline.playback.time);
    if !rect.x_range().contains(x) {
        return;
    }
    let color = theme.color(ColorRole::TimelinePlayheadText);
    let playback = view.timeline.playback;
    let frame = match playback.unit {
        RulerUnit::Frames => format!("{}", playback.frame()),
        RulerUnit::Seconds => format!("{:.3}", playback.time),
        RulerUnit::Ticks(n) => format!("{:.0}", playback.time * n),
    };
    let text = painter.layout_no_wrap(frame, Theme::font(Font::NumberSmall), color);
    let flag = Rect::from_center_size(
        pos2(x, rect.top() + 10.0),
        vec2((text.size().x + 10.0).max(22.0), 17.0),
    );
    painter.rect_filled(flag, 3.0, theme.color(ColorRole::TimelinePlayhead));
    painter.galley(flag.center() - text.size() * 0.5, text, color);
    painter.vline(
        x,
        flag.bottom()..=rect.bottom(),
        Stroke::new(1.5, theme.color(ColorRole::TimelinePlayhead)),
    );
}

/// Playback range: the clip as a gray line, the range as a teal bar with handles to drag. A double
/// click removes the range.
fn range_ui(
    state: &mut TimelineState,
    ui: &Ui,
    view: &View<'_>,
    axis: &TimeAxis,
    rect: Rect,
    length: f64,
    actions: &mut Actions,
) {
    const HEIGHT: f32 = 3.0;
    let (theme, playback) = (view.theme, view.timeline.playback);
    let painter = ui.painter_at(rect);
    let line = |from: f64, to: f64, height: f32| {
        Rect::from_x_y_ranges(axis.x(from)..=axis.x(to), rect.top()..=rect.top() + height)
            .intersect(rect)
    };
    painter.rect_filled(line(0.0, length, 2.0), 0.0, theme.color(ColorRole::StrokeStrong));
    let (from, to) = playback.range.unwrap_or((0.0, length));
    let color = theme.color(ColorRole::TimelinePlayhead);
    painter.rect_filled(
        line(from, to, if playback.range.is_some() { HEIGHT } else { 2.0 }),
        0.0,
        color,
    );
    let pointer = ui.input(|i| i.pointer.hover_pos());
    for (time, name, is_start) in
        [(from, "Start of the playback range", true), (to, "End of the playback range", false)]
    {
        let x = axis.x(time);
        if !rect.x_range().contains(x) {
            continue;
        }
        let area = Rect::from_center_size(pos2(x, rect.top() + 5.0), vec2(12.0, 10.0));
        let response = ui.interact(area, ui.scope_id().with(name), Sense::click_and_drag());
        response.widget_info(|| WidgetInfo::labeled(Role::Slider, true, name));
        let near = pointer.is_some_and(|p| area.contains(p)) || response.dragged();
        if near || playback.range.is_some() {
            let side = if is_start { 6.0 } else { -6.0 };
            let corner =
                vec![pos2(x, rect.top()), pos2(x + side, rect.top()), pos2(x, rect.top() + 7.0)];
            painter.add(egui::Shape::convex_polygon(corner, color, Stroke::NONE));
        }
        if near {
            ui.ctx().set_cursor_icon(egui::CursorIcon::ResizeHorizontal);
        }
        if response.drag_started() {
            state.range_grip = Some(is_start);
        }
        if let Some(at) = response.interact_pointer_pos().filter(|_| response.dragged()) {
            let time = (axis.time(at.x).max(0.0) * playback.fps).round() / playback.fps;
            let least = 1.0 / playback.fps;
            let range = if is_start {
                (time.min(to - least).max(0.0), to)
            } else {
                (from, time.max(from + least))
            };
            actions.push(TimelineAction::Range(Some(range)));
        }
        if response.drag_stopped() {
            state.range_grip = None;
        }
        if response.double_clicked() {
            actions.push(TimelineAction::Range(None));
        }
    }
}
