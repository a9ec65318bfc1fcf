//! Menus of the curve list: representation of rotations, actions on rows, and color schemes.

use egui::{Button, Rect, RichText, Role, Ui, WidgetInfo, vec2};
use egui_material_icons::icons;

use super::{
    super::state::TimelineState,
    list_row::List,
    model::{CurveSpace, EulerOrder, ListedCurve},
    state::{CurveColors, CurvesOf, RotationView},
};
use crate::ui::{
    Theme,
    drop_down::{option_row, option_row_with},
    menu_rows::{MenuRows, Row},
    popups::lasting_menu_button,
    theme::Font,
};
use ulna_model::NodeId;
use ulna_render::ColorRole;

/// Draws the stored and the shown representation of a rotation, with a list to choose another one.
pub(super) fn view_ui(
    state: &mut TimelineState,
    ui: &mut Ui,
    list: &List<'_>,
    (node, label): (NodeId, &str),
    (curve, stored): (&ListedCurve, &str),
    place: Rect,
) {
    if place.top() < list.seen.top() - 1.0 || place.bottom() > list.seen.bottom() + 1.0 {
        return;
    }
    let theme = list.sheet.view.theme;
    let shown = match curve.space {
        CurveSpace::Euler(order) => format!("Euler {}", order.label()),
        CurveSpace::Stored => "Quaternion".to_owned(),
    };
    let text =
        RichText::new(format!("{stored}, {shown} {}", icons::ICON_KEYBOARD_ARROW_DOWN.codepoint))
            .font(Theme::font(Font::Caption))
            .color(theme.color(ColorRole::TextTertiary));
    let salt = ("rotation view", node.0);
    let mut child = ui.new_child(
        egui::UiBuilder::new()
            .id_salt(salt)
            .max_rect(place)
            .layout(egui::Layout::left_to_right(egui::Align::Center)),
    );
    child.spacing_mut().button_padding = vec2(3.0, 0.0);
    child.spacing_mut().interact_size.y = place.height();
    let button = Button::new(text).frame(false).truncate();
    let response = lasting_menu_button(&mut child, button, |ui| {
        ui.set_min_width(220.0);
        let views = &mut state.curves.choices.rotations;
        for (order, gimbal) in EulerOrder::best_first(&curve.track) {
            let text = format!("Euler {}", order.label());
            let near = format!("gimbal {:.0} %", gimbal * 100.0);
            let on = curve.space == CurveSpace::Euler(order);
            let about = "Closeness of the middle angle to gimbal lock. At gimbal lock, the handles \
                are hidden";
            if option_row_with(ui, on, &text, &near).on_hover_text(about).clicked() {
                views.insert(node, RotationView::Euler(order));
                ui.close();
            }
        }
        let on = curve.space == CurveSpace::Stored;
        let about = "The four numbers that are stored";
        if option_row(ui, on, "Quaternion").on_hover_text(about).clicked() {
            views.insert(node, RotationView::Quaternion);
            ui.close();
        }
    });
    let name = format!("Rotation view of {label}: {shown}");
    response.widget_info(|| WidgetInfo::labeled(Role::ComboBox, true, &name));
    if response.hovered() {
        let key = (curve.id.source, super::sources::CurveState::Now);
        let curves = state.curves.cache.of(key, &curve.track, curve.space);
        let fps = list.sheet.view.timeline.playback.fps;
        response.on_hover_text(error_words(stored, &shown, curves.largest_error(), fps));
    }
}

/// Describes the accuracy of the shown representation of rotations.
fn error_words(stored: &str, shown: &str, (error, time): (f64, f64), fps: f64) -> String {
    let how = match stored {
        "spline" => "Stored as quaternions (CUBICSPLINE)",
        "linear" => "Stored as quaternions (LINEAR), interpolated by slerp",
        "step" => "Stored as quaternions (STEP)",
        _ => "Stored as quaternions",
    };
    let exact = if error < 1e-3 {
        "What is drawn is what plays.".to_owned()
    } else {
        let frame = (time * fps).round();
        format!("Exact at the keys; largest error between keys {error:.2}°, frame {frame}.")
    };
    format!("{how}, shown as {shown}. {exact}")
}

/// Adds menu rows for all curves of a list row.
pub(super) fn curves_rows(
    state: &mut TimelineState,
    rows: &mut MenuRows<'_>,
    (name, curves): (&str, &[ListedCurve]),
    node: Option<NodeId>,
) {
    let count = match curves.len() {
        1 => "1 curve".to_owned(),
        n => format!("{n} curves"),
    };
    rows.header(name, &count);
    let choices = &mut state.curves.choices;
    let all = |set: &std::collections::BTreeSet<_>| curves.iter().all(|c| set.contains(&c.of));
    let flip = |set: &mut std::collections::BTreeSet<_>, on: bool| {
        for curve in curves {
            if on {
                set.insert(curve.of)
            } else {
                set.remove(&curve.of)
            };
        }
    };
    let icon = icons::ICON_FILTER_CENTER_FOCUS.codepoint;
    if rows.row(Row::new("Isolate").icon(icon).help("Shows only these curves")) {
        choices.solo.clear();
        choices.of = CurvesOf::None;
        choices.eyes = curves.iter().map(|c| (c.of, true)).collect();
    }
    let some = curves.iter().any(|c| c.shown);
    let eye = if some { icons::ICON_VISIBILITY_OFF } else { icons::ICON_VISIBILITY };
    if rows.row(Row::new(if some { "Hide" } else { "Show" }).icon(eye.codepoint)) {
        choices.eyes.extend(curves.iter().map(|c| (c.of, !some)));
    }
    let on = all(&choices.solo);
    let icon = icons::ICON_HEADPHONES.codepoint;
    if rows.row(Row::new(if on { "Not solo" } else { "Solo" }).icon(icon)) {
        flip(&mut choices.solo, !on);
    }
    let on = all(&choices.locked);
    let lock = if on { icons::ICON_LOCK_OPEN } else { icons::ICON_LOCK };
    if rows.row(Row::new(if on { "Unlock" } else { "Lock" }).icon(lock.codepoint)) {
        flip(&mut choices.locked, !on);
    }
    let on = all(&choices.normalized);
    let icon = icons::ICON_HEIGHT.codepoint;
    if rows.row(Row::new(if on { "Not normalized" } else { "Normalize" }).icon(icon)) {
        flip(&mut choices.normalized, !on);
    }
    if let Some(node) = node {
        let pinned = state.filter.pinned.contains(&node);
        let icon = icons::ICON_KEEP.codepoint;
        if rows.row(Row::new(if pinned { "Unpin" } else { "Pin to the top" }).icon(icon))
            && !state.filter.pinned.remove(&node)
        {
            state.filter.pinned.insert(node);
        }
    }
    rows.separator();
    if rows.row(Row::new("Show curves of the selected joints")) {
        show(state, CurvesOf::Selected);
    }
    if rows.row(Row::new("Show all moving channels")) {
        show(state, CurvesOf::Moving);
    }
}

/// Sets the default set of shown curves, and clears the user's visibility settings.
pub(super) fn show(state: &mut TimelineState, of: CurvesOf) {
    let choices = &mut state.curves.choices;
    choices.of = of;
    choices.eyes.clear();
    choices.solo.clear();
}

/// Draws the color scheme of the curves, with a list to choose another one.
pub(super) fn foot_ui(colors: &mut CurveColors, ui: &mut Ui, theme: &Theme, rect: Rect) {
    let mut line = ui.new_child(
        egui::UiBuilder::new()
            .id_salt("curve colors")
            .max_rect(rect.shrink2(vec2(8.0, 2.0)))
            .layout(egui::Layout::left_to_right(egui::Align::Center)),
    );
    let said = match colors {
        CurveColors::ByAxis => "Colors by axis, dashes by joint",
        CurveColors::ByJoint => "Colors by joint, dashes by axis",
    };
    let text = RichText::new(said)
        .font(Theme::font(Font::Caption))
        .color(theme.color(ColorRole::TextTertiary));
    line.label(text);
    line.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
        let text = RichText::new(format!("Colors {}", icons::ICON_KEYBOARD_ARROW_DOWN.codepoint))
            .font(Theme::font(Font::Small));
        let response = lasting_menu_button(ui, Button::new(text), |ui| {
            for (way, text) in
                [(CurveColors::ByAxis, "By axis"), (CurveColors::ByJoint, "By joint")]
            {
                if option_row(ui, *colors == way, text).clicked() {
                    *colors = way;
                    ui.close();
                }
            }
        });
        response.widget_info(|| WidgetInfo::labeled(Role::ComboBox, true, "Colors of curves"));
    });
}
