//! Toolbar at the top of the graph.

use egui::{Button, Rect, RichText, Role, Ui, UiBuilder, WidgetInfo, vec2};
use egui_material_icons::icons;

use super::{
    super::state::TimelineState,
    Graph,
    ease_popup::EasePopup,
    filter_panel::FilterPanel,
    insert, menu,
    popup::CurvePopup,
    seam::Seam,
    slides::SlidePanel,
    state::{CurveTool, Fit, SpeedStrip},
    tangents::{choose, tangent_buttons},
    told::Tangents,
};
use crate::ui::{
    Actions, Theme,
    menu_rows::{Row, menu_button, show_popup},
    theme::Font,
    widgets::{icon_button, name_widget},
};
use ulna_render::ColorRole;

/// Height of the toolbar, in points.
pub const TOOLBAR: f32 = 36.0;

/// Shows the toolbar.
pub fn toolbar_ui(
    state: &mut TimelineState,
    ui: &mut Ui,
    graph: &Graph<'_>,
    rect: Rect,
    actions: &mut Actions,
) {
    let theme = graph.view.theme;
    ui.painter_at(rect).rect_filled(rect, 0.0, theme.color(ColorRole::SurfacePanel));
    let inner = rect.shrink2(vec2(8.0, 4.0));
    let mut ui = ui.new_child(UiBuilder::new().max_rect(inner));
    ui.set_clip_rect(rect.intersect(ui.clip_rect()));
    let ui = &mut ui;
    ui.horizontal_centered(|ui| {
        ui.spacing_mut().item_spacing.x = 2.0;
        tools_ui(state, ui, graph, actions);
        line(ui, theme);
        let room = ui.available_width();
        if room >= GLYPHS + OTHERS {
            tangent_buttons(ui, graph, room - OTHERS, actions);
        } else {
            tangents_menu(ui, graph, actions);
        }
        line(ui, theme);
        if ui.available_width() >= OTHERS - 14.0 {
            popups_ui(state, ui, graph);
            line(ui, theme);
            views_ui(state, ui, graph, actions);
        } else {
            more_ui(state, ui, graph, actions);
        }
    });
}

/// Width of the tangent buttons without names, and of the buttons after them, in points.
const GLYPHS: f32 = 240.0;
const OTHERS: f32 = 380.0;

/// Shows the tangent modes as a list, if there is no space for buttons.
fn tangents_menu(ui: &mut Ui, graph: &Graph<'_>, actions: &mut Actions) {
    let some = !graph.keys().is_empty();
    ui.add_enabled_ui(some, |ui| {
        let response = menu_button(ui, "Tangents", graph.view, actions, |rows| {
            for tangents in Tangents::ALL {
                let said = format!("{} tangents", tangents.label());
                let row = Row::new(tangents.label()).help(tangents.help()).said(said);
                if rows.row(row) {
                    choose(graph, tangents, rows.actions);
                }
            }
        });
        name_widget(ui, &response, "Tangents of the selected keys");
    });
}

/// Shows the other tools as a list, if there is no space for buttons.
fn more_ui(state: &mut TimelineState, ui: &mut Ui, graph: &Graph<'_>, actions: &mut Actions) {
    let text = format!("More {}", icons::ICON_KEYBOARD_ARROW_DOWN.codepoint);
    let response = menu_button(ui, text, graph.view, actions, |rows| {
        let none = graph.keys().is_empty().then_some("Select keys first");
        let empty = graph.layout.curves.is_empty().then_some("No curve is shown");
        for (text, reason) in [("Ease…", none), ("Filter…", empty), ("Slide…", none)] {
            if rows.row(Row::new(text).unless(reason)) {
                open(state, graph, text);
            }
        }
        rows.separator();
        let seam = Seam::of(graph);
        let unable =
            seam.keys.is_empty().then_some("The clip has no keys at both ends of its loop");
        if rows.row(Row::new(SEAM).checked(seam.on).unless(unable)) {
            seam.flip(graph, rows.actions);
        }
        menu::buffer_rows(state, rows, graph);
        rows.separator();
        if rows.row(Row::new("Normalize the shown curves")) {
            normalize(state, graph);
        }
        let speed = &mut state.curves.speed;
        let on = *speed != SpeedStrip::Off;
        if rows.row(Row::new("Speed strip").checked(on)) {
            *speed = if on { SpeedStrip::Off } else { SpeedStrip::Speed };
        }
        if rows.row(Row::new("Fit the selected keys").unless(none)) {
            state.curves.fit = Some(Fit::Selected);
        }
    });
    name_widget(ui, &response, "More tools of curves");
}

/// Opens a panel by the label of its button.
fn open(state: &mut TimelineState, graph: &Graph<'_>, text: &str) {
    let curves = &mut state.curves;
    curves.popup = match text {
        "Ease…" => {
            let popup = EasePopup::new(graph, graph.keys(), curves.tools.ease);
            popup.map_or(CurvePopup::None, CurvePopup::Ease)
        }
        "Filter…" => CurvePopup::Filter(FilterPanel::new(graph.home(), curves.tools.filter)),
        _ => {
            let slide = ulna_motion::curves::Slide::BlendNeighbor;
            CurvePopup::Slide(SlidePanel::new(graph.home(), slide))
        }
    };
}

fn line(ui: &mut Ui, theme: &Theme) {
    let (rect, _) = ui.allocate_exact_size(vec2(9.0, 20.0), egui::Sense::hover());
    let stroke = egui::Stroke::new(1.0, theme.color(ColorRole::StrokeSeparator));
    ui.painter().vline(rect.center().x, rect.y_range(), stroke);
}

fn tools_ui(state: &mut TimelineState, ui: &mut Ui, graph: &Graph<'_>, actions: &mut Actions) {
    let theme = graph.view.theme;
    for (tool, icon, name) in [
        (CurveTool::Select, icons::ICON_ARROW_SELECTOR_TOOL, "Select and move keys"),
        (CurveTool::Box, icons::ICON_TRANSFORM, "Scale keys in a box"),
        (CurveTool::Insert, icons::ICON_ADD, "Insert keys on curves"),
    ] {
        let on = state.curves.tool == tool;
        let key = if tool == CurveTool::Insert { "Ctrl click on a curve" } else { "" };
        let response = icon_button(ui, theme, icon, name, key, on, Ok(()));
        if response.clicked() {
            state.curves.tool = tool;
        }
        if tool == CurveTool::Insert && response.double_clicked() {
            insert::on_all(graph, actions);
        }
    }
    let on = state.curves.tools.reach.on;
    let name = "Proportional editing: the wheel changes the radius while keys are dragged";
    let icon = icons::ICON_RADIO_BUTTON_CHECKED;
    if icon_button(ui, theme, icon, name, "O", on, Ok(())).clicked() {
        state.curves.tools.reach.on = !on;
    }
}

/// Shows a button that opens a panel. Returns whether it was clicked.
fn popup_button(ui: &mut Ui, theme: &Theme, text: &str, on: bool, enabled: bool) -> bool {
    let (fill, ink) = if on {
        (ColorRole::AccentTint, ColorRole::AccentText)
    } else {
        (ColorRole::SurfaceControl, ColorRole::TextPrimary)
    };
    let font = Theme::font(if on { Font::Heading } else { Font::Body });
    let button = Button::new(RichText::new(text).font(font).color(theme.color(ink)))
        .fill(theme.color(fill))
        .min_size(vec2(0.0, 26.0));
    let response = ui.add_enabled(enabled, button);
    response.widget_info(|| WidgetInfo::selected(Role::Button, enabled, on, text));
    response.on_disabled_hover_text("Select keys first").clicked()
}

fn popups_ui(state: &mut TimelineState, ui: &mut Ui, graph: &Graph<'_>) {
    let some = !graph.keys().is_empty();
    let any = !graph.layout.curves.is_empty();
    let theme = graph.view.theme;
    ui.spacing_mut().item_spacing.x = 4.0;
    // The press that closes the ease panel must not open it again.
    let swallowed = state.curves.tools.swallow;
    let now = &state.curves.popup;
    let buttons = [
        ("Ease…", matches!(now, CurvePopup::Ease(_)), some),
        ("Filter…", matches!(now, CurvePopup::Filter(_)), any),
        ("Slide…", matches!(now, CurvePopup::Slide(_)), some),
    ];
    for (text, on, enabled) in buttons {
        let clicked = popup_button(ui, theme, text, on, enabled);
        let is_ease = text == "Ease…";
        if clicked && on && !is_ease {
            state.curves.popup = CurvePopup::None;
        } else if clicked && !on && !(is_ease && swallowed) {
            open(state, graph, text);
        }
    }
}

/// Label of the loop seam switch.
const SEAM: &str = "Match tangents at the loop's seam";

/// Shows the buttons for the loop seam, normalization, speed strip, stored copies and fit.
fn views_ui(state: &mut TimelineState, ui: &mut Ui, graph: &Graph<'_>, actions: &mut Actions) {
    let theme = graph.view.theme;
    ui.spacing_mut().item_spacing.x = 2.0;
    let seam = Seam::of(graph);
    let enabled = if seam.keys.is_empty() { Err("Show curves first") } else { Ok(()) };
    if icon_button(ui, theme, icons::ICON_CYCLE, SEAM, "", seam.on, enabled).clicked() {
        seam.flip(graph, actions);
    }
    let normal = is_normalized(state, graph);
    let name = "Normalize the shown curves";
    if icon_button(ui, theme, icons::ICON_HEIGHT, name, "N", normal, Ok(())).clicked() {
        normalize(state, graph);
    }
    let curves = &mut state.curves;
    let on = curves.speed != SpeedStrip::Off;
    if icon_button(ui, theme, icons::ICON_SPEED, "Speed strip", "", on, Ok(())).clicked() {
        curves.speed = if on { SpeedStrip::Off } else { SpeedStrip::Speed };
    }
    let kept = curves.buffer.is_some();
    let name = "Copy of the curve to compare with";
    let response = icon_button(ui, theme, icons::ICON_PHOTO_CAMERA, name, "", kept, Ok(()));
    show_popup(egui::Popup::menu(&response), graph.view, actions, |rows| {
        menu::buffer_rows(state, rows, graph);
    });
    let name = "Fit the selected keys";
    if icon_button(ui, theme, icons::ICON_FIT_SCREEN, name, "F", false, Ok(())).clicked() {
        state.curves.fit = Some(Fit::Selected);
    }
}

fn is_normalized(state: &TimelineState, graph: &Graph<'_>) -> bool {
    let mut all = graph.layout.curves.iter().map(|c| c.of).peekable();
    all.peek().is_some() && all.all(|of| state.curves.choices.normalized.contains(&of))
}

/// Normalizes all shown curves, or none if all are normalized.
fn normalize(state: &mut TimelineState, graph: &Graph<'_>) {
    let normal = is_normalized(state, graph);
    for of in graph.layout.curves.iter().map(|c| c.of) {
        if normal {
            state.curves.choices.normalized.remove(&of);
        } else {
            state.curves.choices.normalized.insert(of);
        }
    }
}
