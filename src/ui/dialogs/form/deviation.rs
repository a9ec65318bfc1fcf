//! Skin deviation in the form of a skeleton command: its statistics and the worst motions. A click
//! on a motion shows its frame.

use egui::{
    Align2, Button, CursorIcon, Rect, Response, RichText, Sense, Ui, WidgetInfo, pos2, vec2,
};

use crate::ui::{
    Action, Actions, DialogAction, Theme, View,
    theme::Font,
    widgets::{cut, name_widget, thousands},
};
use ulna_model::Document;
use ulna_motion::{ComparedMotion, Deviation, WorstPoint};
use ulna_render::ColorRole;

/// Width of the icon column, in points.
pub const ICON: f32 = 26.0;
/// Deviation above which a warning is shown, in millimeters on a body of height [`BODY`].
const WARNING: f64 = 1.0;
/// Body height that deviations are scaled to, in meters.
const BODY: f64 = 1.8;
/// Widths of the columns of a row from right to left, in points: millimeters, frame, bar.
const COLUMNS: [f32; 3] = [64.0, 70.0, 60.0];

/// Scales millimeters to a body of height [`BODY`].
fn scaled(deviation: &Deviation, mm: f64) -> f64 {
    let height = if deviation.height > 1e-6 { deviation.height } else { deviation.size };
    if height > 1e-6 { mm * BODY / height } else { mm }
}

/// Shows the statistics and the worst motions, if there is a deviation. Returns a warning for a
/// large one.
pub fn deviation_ui(
    ui: &mut Ui,
    view: &View<'_>,
    document: &Document,
    deviation: &Deviation,
    actions: &mut Actions,
) -> Option<String> {
    if deviation.worst_mm == 0.0 {
        return None;
    }
    let theme = view.theme;
    let worst = scaled(deviation, deviation.worst_mm);
    let is_large = worst > WARNING;
    ui.add_space(2.0);
    numbers_ui(ui, theme, deviation, is_large);
    let show = |k: usize| Action::Dialog(DialogAction::ShowWorst(k));
    for (k, at) in deviation.worst.iter().flatten().enumerate() {
        if motion_ui(ui, theme, document, (at, deviation.worst_mm)).clicked() {
            actions.push(show(k));
        }
    }
    others_ui(ui, theme, deviation);
    if let Some(at) = deviation.at() {
        ui.add_space(2.0);
        ui.horizontal(|ui| {
            ui.add_space(ICON);
            let button = ui.add(Button::new("Show worst").min_size(vec2(84.0, 24.0)));
            name_widget(ui, &button, "Show the worst frame");
            if button.on_hover_text(SHOWS).clicked() {
                actions.push(show(0));
            }
            let font = Theme::font(Font::Small);
            let point = cut(ui, &point_of(document, &at), &font, ui.available_width());
            let color = theme.color(ColorRole::TextSecondary);
            ui.label(RichText::new(point).font(font).color(color));
        });
    }
    is_large.then(|| {
        if (scaled(deviation, 1.0) - 1.0).abs() < 0.05 {
            format!("The skin moves by up to {worst:.1} mm.")
        } else {
            format!("The skin moves by up to {worst:.1} mm, scaled to a body of {BODY} m.")
        }
    })
}

/// Tooltip of a motion.
const SHOWS: &str = "Shows the clip at this frame and selects the joint";

/// Name of the vertex or joint with a deviation.
fn point_of(document: &Document, at: &WorstPoint) -> String {
    let label = document.nodes.get(at.node).map_or_else(String::new, |n| n.label(at.node));
    match at.vertex {
        Some((_, seen)) => format!("vertex {} of {label}", thousands(seen.vertex as usize)),
        None => label,
    }
}

/// Name of a motion, and its frame or time.
fn motion_of(document: &Document, at: &WorstPoint) -> (String, String) {
    let clip = at.motion.clip().and_then(|clip| document.clips.get(clip));
    let when = match (at.motion, clip) {
        (ComparedMotion::Pose, _) => String::new(),
        (_, Some(clip)) => {
            let fps = clip.guess_fps().map_or(30.0, |(fps, _)| fps);
            // As in the timeline, a frame lasts until the next frame.
            format!("frame {}", (at.time * fps + 1e-3).floor())
        }
        (_, None) => format!("{:.2} s", at.time),
    };
    (super::help::capital(&at.motion.label(document)), when)
}

/// Draws a row: a name, a bar, a frame and millimeters.
fn columns_ui(
    ui: &Ui,
    theme: &Theme,
    rect: Rect,
    (name, when, mm): (&str, &str, &str),
    (part, role): (f64, ColorRole),
) {
    let (small, number) = (Theme::font(Font::Small), Theme::font(Font::Number));
    let y = rect.center().y;
    let [mm_width, when_width, bar_width] = COLUMNS;
    let painter = ui.painter();
    let at = pos2(rect.right(), y);
    painter.text(at, Align2::RIGHT_CENTER, mm, number.clone(), theme.color(role));
    let secondary = theme.color(ColorRole::TextSecondary);
    let at = pos2(rect.right() - mm_width, y);
    painter.text(at, Align2::RIGHT_CENTER, when, number, secondary);
    let left = rect.right() - mm_width - when_width - bar_width;
    let track = Rect::from_min_size(pos2(left, y - 2.0), vec2(bar_width, 4.0));
    painter.rect_filled(track, 2.0, theme.color(ColorRole::StrokeSeparator));
    let filled = (bar_width * part.clamp(0.0, 1.0) as f32).max(2.0);
    let filled = Rect::from_min_size(track.min, vec2(filled, 4.0));
    painter.rect_filled(filled, 2.0, secondary);
    let room = left - 8.0 - rect.left() - ICON;
    let name = cut(ui, name, &small, room);
    let at = pos2(rect.left() + ICON, y);
    painter.text(at, Align2::LEFT_CENTER, name, small, theme.color(role));
}

/// Shows a motion with its deviation in millimeters, relative to the largest deviation `most`. A
/// click shows the motion.
fn motion_ui(
    ui: &mut Ui,
    theme: &Theme,
    document: &Document,
    (at, most): (&WorstPoint, f64),
) -> Response {
    let size = vec2(ui.available_width(), 20.0);
    let (rect, response) = ui.allocate_exact_size(size, Sense::click());
    let (name, when) = motion_of(document, at);
    let mm = format!("{} mm", millimeters(at.mm));
    let comma = if when.is_empty() { "" } else { ", " };
    response.widget_info(|| {
        let text = format!("Show {name}{comma}{when}: {mm}");
        WidgetInfo::labeled(egui::Role::Button, true, text)
    });
    if response.hovered() || response.has_focus() {
        let row = rect.with_min_x(rect.left() + ICON - 6.0);
        ui.painter().rect_filled(row, 4.0, theme.color(ColorRole::SurfaceRowHover));
    }
    let part = (at.mm / most, ColorRole::TextPrimary);
    columns_ui(ui, theme, rect, (&name, &when, &mm), part);
    response.on_hover_cursor(CursorIcon::PointingHand).on_hover_text(SHOWS)
}

/// Shows the number of motions without a row, with their largest deviation.
fn others_ui(ui: &mut Ui, theme: &Theme, deviation: &Deviation) {
    if deviation.other_motions == 0 {
        return;
    }
    let size = vec2(ui.available_width(), 20.0);
    let (rect, response) = ui.allocate_exact_size(size, Sense::hover());
    let name = format!("{} more", deviation.other_motions);
    let mm = format!("≤ {} mm", millimeters(deviation.other_mm));
    response.widget_info(|| WidgetInfo::labeled(egui::Role::Label, true, format!("{name}: {mm}")));
    let part = deviation.other_mm / deviation.worst_mm;
    columns_ui(ui, theme, rect, (&name, "", &mm), (part, ColorRole::TextSecondary));
}

/// Text of a deviation without its unit, with five characters at most.
fn millimeters(value: f64) -> String {
    if value < 99.995 { format!("{value:.2}") } else { format!("{value:.0}") }
}

/// Shows mean, percentile and worst deviation in one row.
fn numbers_ui(ui: &mut Ui, theme: &Theme, deviation: &Deviation, is_large: bool) {
    let size = vec2(ui.available_width(), 24.0);
    let (rect, response) = ui.allocate_exact_size(size, Sense::hover());
    let Deviation { mean_mm, p99_mm, worst_mm, .. } = *deviation;
    let name =
        format!("Skin deviation: mean {mean_mm:.2}, 99 % {p99_mm:.2}, worst {worst_mm:.2} mm");
    response.widget_info(|| WidgetInfo::labeled(egui::Role::Label, true, &name));
    let y = rect.center().y;
    let (caption, number) = (Theme::font(Font::Small), Theme::font(Font::Number));
    let secondary = theme.color(ColorRole::TextSecondary);
    let painter = ui.painter();
    painter.text(
        pos2(rect.left() + ICON, y),
        Align2::LEFT_CENTER,
        "Skin deviation",
        caption.clone(),
        secondary,
    );
    let worst = if is_large { ColorRole::SeverityWarning } else { ColorRole::TextPrimary };
    let primary = ColorRole::TextPrimary;
    let unit =
        painter.text(pos2(rect.right(), y), Align2::RIGHT_CENTER, "mm", caption.clone(), secondary);
    let mut right = unit.left() - 4.0;
    // The layout runs from right to left.
    for (label, value, role) in
        [("worst", worst_mm, worst), ("99 %", p99_mm, primary), ("mean", mean_mm, primary)]
    {
        let at = pos2(right, y);
        let value = painter.text(
            at,
            Align2::RIGHT_CENTER,
            millimeters(value),
            number.clone(),
            theme.color(role),
        );
        let at = pos2(value.left() - 6.0, y);
        let label = painter.text(at, Align2::RIGHT_CENTER, label, caption.clone(), secondary);
        right = label.left() - 12.0;
    }
}
