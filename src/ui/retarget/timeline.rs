//! The timeline of the page: contacts and ground speed of each foot, and the hip height.

use egui::{Align2, Rect, Role, ScrollArea, Sense, Stroke, Ui, WidgetInfo, pos2, vec2};

use super::{
    FootResult, RetargetDraft, RetargetResult, RetargetView,
    bars::{BarsRow, BarsState, bars_ui},
    contacts,
    draft::{ClipFacts, chain_ink},
    inside,
    message::message_ui,
    plots::{Curves, curves_ui, value_at},
    transport::transport_ui,
};
use crate::ui::{
    Actions, Theme, contact_bars::contact_spans, theme::Font, timeline::TimeAxis, widgets::elided,
};
use ulna_render::ColorRole;

/// Height of the transport, in points.
const TRANSPORT: f32 = 36.0;
/// Height of the ruler, in points.
const RULER: f32 = 28.0;
/// Height of a row of contacts, in points.
const BARS: f32 = 24.0;
/// Height of the speed plot below the contacts, in points.
const SPEEDS: f32 = 52.0;
/// Height of the row with the hip height, in points.
const HIPS: f32 = 48.0;
/// Height of the message at the bottom, in points.
const FOOT: f32 = 34.0;
/// Margin between the names and the edge, in points.
const MARGIN: f32 = 12.0;

/// Inputs of the rows of the timeline.
#[derive(Clone, Copy)]
struct Sheet<'a> {
    theme: &'a Theme,
    axis: TimeAxis,
    clip: &'a ClipFacts,
    result: &'a RetargetResult,
    /// Width of the column of names, in points.
    names: f32,
}

pub(super) fn timeline_ui(
    bars: &mut BarsState,
    ui: &mut Ui,
    (theme, page): (&Theme, RetargetView<'_>),
    now: &mut RetargetDraft,
    (rect, names): (Rect, f32),
    actions: &mut Actions,
) {
    let Some(clip) = page.clip() else {
        let text = "Contacts of the shown clip appear here";
        let font = Theme::font(Font::Small);
        let color = theme.color(ColorRole::TextTertiary);
        ui.painter().text(rect.center(), Align2::CENTER_CENTER, text, font, color);
        return;
    };
    let top = rect.with_max_y(rect.top() + TRANSPORT);
    inside(ui, "transport", top, |ui| transport_ui(ui, (theme, page), now, actions));
    let foot = rect.with_min_y(rect.bottom() - FOOT);
    let body = Rect::from_min_max(top.left_bottom(), foot.right_top());
    let sheet = body.with_min_x(body.left() + names);
    ui.painter().rect_filled(sheet, 0.0, theme.color(ColorRole::SurfaceTimeline));
    let length = f64::from(clip.length).max(1e-3);
    let axis = TimeAxis {
        left: sheet.left() + 20.0,
        right: sheet.right() - 24.0,
        start: 0.0,
        end: length,
    };
    let ruler = sheet.with_max_y(sheet.top() + RULER);
    let rows = body.with_min_y(body.top() + RULER);
    grid(ui, theme, &axis, clip.fps, sheet);
    if let Some(result) = page.result.filter(|r| r.of == now.shown) {
        let of = Sheet { theme, axis, clip, result, names };
        inside(ui, "rows", rows, |ui| rows_ui(bars, ui, of, now));
    }
    names_head(ui, theme, clip, body.with_max_x(body.left() + names).with_max_y(ruler.bottom()));
    ruler_ui(ui, theme, (&axis, clip.fps, length), ruler, now);
    playhead(ui, theme, (&axis, clip.fps), sheet, now.clock.time);
    let line = Stroke::new(1.0, theme.color(ColorRole::StrokeSubtle));
    ui.painter().hline(rect.x_range(), foot.top() + 0.5, line);
    inside(ui, "message", foot.shrink2(vec2(MARGIN, 0.0)), |ui| {
        message_ui(ui, theme, page, now, (FOOT, actions));
    });
}

fn names_head(ui: &Ui, theme: &Theme, clip: &ClipFacts, rect: Rect) {
    let font = Theme::font(Font::Small);
    let text = elided(ui, &clip.name, &font, rect.width() - 2.0 * MARGIN);
    let at = pos2(rect.left() + MARGIN, rect.center().y);
    ui.painter().rect_filled(rect, 0.0, theme.color(ColorRole::SurfacePanel));
    ui.painter().text(at, Align2::LEFT_CENTER, text, font, theme.color(ColorRole::TextTertiary));
}

/// Frames with a number on the ruler.
fn labeled(axis: &TimeAxis, fps: f64) -> impl Iterator<Item = f64> + use<> {
    const MOST: usize = 200;
    let (step, end) = (axis.label_step(fps), axis.end);
    (0..MOST).map(move |k| k as f64 * step).take_while(move |f| f / fps <= end + 1e-6)
}

fn grid(ui: &Ui, theme: &Theme, axis: &TimeAxis, fps: f64, rect: Rect) {
    let line = Stroke::new(1.0, theme.color(ColorRole::TimelineGridMajor));
    for frame in labeled(axis, fps) {
        let x = axis.x(frame / fps).round() + 0.5;
        ui.painter().vline(x, (rect.top() + RULER)..=rect.bottom(), line);
    }
}

fn ruler_ui(
    ui: &Ui,
    theme: &Theme,
    (axis, fps, length): (&TimeAxis, f64, f64),
    rect: Rect,
    now: &mut RetargetDraft,
) {
    let painter = ui.painter_at(rect);
    painter.rect_filled(rect, 0.0, theme.color(ColorRole::SurfaceTimeline));
    let whole =
        Rect::from_min_max(pos2(axis.left, rect.top() + 1.0), pos2(axis.right, rect.top() + 4.0));
    painter.rect_filled(whole, 1.5, theme.color(ColorRole::AccentBase));
    let color = theme.color(ColorRole::TextTertiary);
    for frame in labeled(axis, fps) {
        let x = axis.x(frame / fps).round() + 0.5;
        let tick = Stroke::new(1.0, theme.color(ColorRole::StrokeStrong));
        painter.vline(x, (rect.bottom() - 6.0)..=rect.bottom(), tick);
        let at = pos2(x, rect.center().y + 1.0);
        let font = Theme::font(Font::NumberSmall);
        painter.text(at, Align2::CENTER_CENTER, format!("{frame}"), font, color);
    }
    let line = Stroke::new(1.0, theme.color(ColorRole::TimelineGridMajor));
    painter.hline(rect.x_range(), rect.bottom() - 0.5, line);
    let response = ui.interact(rect, ui.scope_id().with("ruler"), Sense::click_and_drag());
    response.widget_info(|| WidgetInfo::labeled(Role::Slider, true, "Playhead"));
    if (response.dragged() || response.clicked())
        && let Some(at) = response.interact_pointer_pos()
    {
        let time = axis.time(at.x).clamp(0.0, length);
        let free = ui.input(|i| i.modifiers.shift);
        let time = if free { time } else { ((time * fps).round() / fps).min(length) };
        (now.clock.time, now.clock.playing) = (time, false);
    }
}

fn playhead(ui: &Ui, theme: &Theme, (axis, fps): (&TimeAxis, f64), rect: Rect, time: f64) {
    let x = axis.x(time);
    let color = theme.color(ColorRole::TimelinePlayhead);
    let painter = ui.painter_at(rect);
    painter.vline(x, (rect.top() + 20.0)..=rect.bottom(), Stroke::new(1.5, color));
    let text = format!("{}", (time * fps).round());
    let font = Theme::font(Font::NumberSmall);
    let text = painter.layout_no_wrap(text, font, theme.color(ColorRole::TimelinePlayheadText));
    let size = vec2((text.size().x + 10.0).max(24.0), 18.0);
    let flag = Rect::from_min_size(pos2(x - size.x * 0.5, rect.top() + 4.0), size);
    painter.rect_filled(flag, 3.0, color);
    painter.galley(flag.center() - text.size() * 0.5, text, color);
}

fn rows_ui(bars: &mut BarsState, ui: &mut Ui, of: Sheet<'_>, now: &mut RetargetDraft) {
    ui.spacing_mut().item_spacing.y = 0.0;
    let scroll = ScrollArea::vertical().id_salt("contacts").auto_shrink([false, false]);
    scroll.show(ui, |ui| {
        let all = of.result.feet.iter().flat_map(|f| f.speeds.iter().flatten());
        // A foot swings much faster than it slides. Half of the range keeps both visible.
        let most = all.copied().fold(0.2, f32::max) * 0.5;
        for foot in &of.result.feet {
            foot_ui(bars, ui, of, foot, most, now);
        }
        hips_ui(ui, of, now);
    });
}

/// Draws the contacts and the ground speeds of a foot.
fn foot_ui(
    bars: &mut BarsState,
    ui: &mut Ui,
    of: Sheet<'_>,
    foot: &FootResult,
    most: f32,
    now: &mut RetargetDraft,
) {
    let Sheet { theme, axis, clip, result, names } = of;
    let size = vec2(ui.available_width(), BARS + SPEEDS);
    let (rect, _) = ui.allocate_exact_size(size, Sense::hover());
    let names = rect.with_max_x(rect.left() + names);
    let sheet = rect.with_min_x(names.right());
    let top = sheet.with_max_y(rect.top() + BARS);
    let curves = sheet.with_min_y(top.bottom());
    let is_chosen = now.chain == Some(foot.chain);
    let summary = Rect::from_min_max(names.min, top.max);
    ui.painter().rect_filled(summary, 0.0, theme.color(ColorRole::SurfaceTimelineSummary));
    let goals = contacts::current(now, result);
    let list = contact_spans(&goals, foot.source);
    let ink = if is_chosen { theme.color(ColorRole::SelectionBase) } else { chain_ink(foot.chain) };
    foot_names(ui, of, foot, (names, ink, list.len()), now);
    let tint = theme.color(ColorRole::AccentBase).gamma_multiply(0.08);
    for [from, to] in &list {
        let [left, right] = [*from, *to].map(|t| axis.x(f64::from(t)));
        let span = Rect::from_x_y_ranges(left..=right, curves.y_range());
        ui.painter_at(curves).rect_filled(span, 0.0, tint);
    }
    let line = Stroke::new(1.0, theme.color(ColorRole::TimelineGridMajor));
    ui.painter().hline(sheet.x_range(), curves.bottom() - 0.5, line);
    let [before, after] = &foot.speeds;
    curves_ui(
        ui,
        theme,
        &axis,
        curves,
        &Curves { times: &result.times, before, after, range: [0.0, most] },
    );
    let row = BarsRow { theme, axis: &axis, rect: top, fps: clip.fps, length: clip.length };
    bars_ui(bars, ui, row, (result, foot), now);
}

/// Draws the name of a foot, its number of contacts, and its speeds at the playhead.
fn foot_names(
    ui: &Ui,
    of: Sheet<'_>,
    foot: &FootResult,
    (rect, ink, count): (Rect, egui::Color32, usize),
    now: &mut RetargetDraft,
) {
    let Sheet { theme, result, .. } = of;
    let painter = ui.painter();
    let y = rect.top() + BARS * 0.5;
    let text = |x: f32, y: f32, align: Align2, text: String, font: Font, role: ColorRole| {
        painter.text(pos2(x, y), align, text, Theme::font(font), theme.color(role));
    };
    let (left, right) = (Align2::LEFT_CENTER, Align2::RIGHT_CENTER);
    let swatch = Rect::from_center_size(pos2(rect.left() + MARGIN + 4.0, y), vec2(8.0, 8.0));
    painter.rect_filled(swatch, 2.0, ink);
    let name = rect.left() + MARGIN + 16.0;
    text(name, y, left, foot.name.clone(), Font::Heading, ColorRole::TextPrimary);
    let words = if count == 1 { "1 contact".to_owned() } else { format!("{count} contacts") };
    let end = rect.right() - MARGIN;
    text(end, y, right, words, Font::Small, ColorRole::TextTertiary);
    for (k, name) in ["before", "after"].into_iter().enumerate() {
        let y = rect.top() + BARS + 14.0 + 18.0 * k as f32;
        let x = rect.left() + MARGIN + 28.0;
        let role = if k == 0 { ColorRole::TextTertiary } else { ColorRole::TextPrimary };
        let line = [pos2(x, y), pos2(x + 14.0, y)];
        let stroke = Stroke::new(if k == 0 { 1.0 } else { 1.5 }, theme.color(role));
        if k == 0 {
            painter.extend(egui::Shape::dashed_line(&line, stroke, 3.0, 3.0));
        } else {
            painter.line_segment(line, stroke);
        }
        text(x + 22.0, y, left, name.to_owned(), Font::Small, ColorRole::TextSecondary);
        let speed = value_at(&result.times, &foot.speeds[k], now.clock.time as f32);
        let speed = speed.map_or_else(String::new, |s| format!("{:.0}\u{2009}cm/s", s * 100.0));
        text(end, y, right, speed, Font::NumberSmall, role);
    }
    let head = rect.with_max_y(rect.top() + BARS);
    let response = ui.interact(head, ui.scope_id().with(("foot", foot.chain)), Sense::click());
    response.widget_info(|| WidgetInfo::labeled(Role::Button, true, &foot.name));
    if response.clicked() {
        now.chain = Some(foot.chain);
    }
}

/// Draws the hip height: of the source times the height factor, and of the target.
fn hips_ui(ui: &mut Ui, of: Sheet<'_>, now: &RetargetDraft) {
    let Sheet { theme, axis, result, names, .. } = of;
    let [before, after] = &result.hips;
    if after.is_empty() {
        return;
    }
    let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), HIPS), Sense::hover());
    let (left, right) = (rect.left() + MARGIN + 16.0, rect.left() + names - MARGIN);
    let y = rect.top() + 14.0;
    let painter = ui.painter();
    let swatch = Rect::from_center_size(pos2(rect.left() + MARGIN + 4.0, y), vec2(8.0, 8.0));
    painter.rect_filled(swatch, 2.0, theme.color(ColorRole::TextSecondary));
    let text = |x: f32, y: f32, align: Align2, text: String, font: Font, role: ColorRole| {
        painter.text(pos2(x, y), align, text, Theme::font(font), theme.color(role));
    };
    let name = "Hips height".to_owned();
    text(left, y, Align2::LEFT_CENTER, name, Font::Heading, ColorRole::TextPrimary);
    let height = value_at(&result.times, after, now.clock.time as f32);
    let height = height.map_or_else(String::new, |h| format!("{h:.3}\u{2009}m"));
    text(right, y, Align2::RIGHT_CENTER, height, Font::NumberSmall, ColorRole::TextPrimary);
    let factor = now.map.height.unwrap_or(result.height);
    let words = format!("dashed: source ×{factor:.3}");
    let y = y + 18.0;
    text(left, y, Align2::LEFT_CENTER, words, Font::Caption, ColorRole::TextTertiary);
    let values = || before.iter().chain(after).copied().filter(|v| v.is_finite());
    let (low, high) =
        (values().fold(f32::INFINITY, f32::min), values().fold(f32::NEG_INFINITY, f32::max));
    let room = ((high - low) * 0.1).max(0.02);
    let sheet = rect.with_min_x(rect.left() + names);
    curves_ui(
        ui,
        theme,
        &axis,
        sheet,
        &Curves { times: &result.times, before, after, range: [low - room, high + room] },
    );
}
