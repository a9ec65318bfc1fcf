//! The bar of tools at the top of the graph.

use egui::{Button, Rect, RichText, Role, Ui, UiBuilder, WidgetInfo, vec2};
use egui_material_icons::icons;

use super::{
    super::state::TimelineState,
    Graph,
    ease_popup::EasePopup,
    filter_panel::FilterPanel,
    insert,
    popup::CurvePopup,
    slides::SlidePanel,
    state::{CurveTool, Fit, SpeedStrip},
    tangents::{NAMED, tangent_buttons},
};
use crate::ui::{Actions, Theme, theme::Font, widgets::icon_button};
use ulna_render::ColorRole;

/// Points of the bar of tools at the top of the graph.
pub const TOOLBAR: f32 = 36.0;

/// The bar of tools.
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
        // What follows the tangents takes about so much.
        let room = ui.available_width() - 330.0;
        tangent_buttons(ui, graph, room.max(NAMED - 240.0).min(room.max(0.0)), actions);
        line(ui, theme);
        popups_ui(state, ui, graph);
        line(ui, theme);
        views_ui(state, ui, graph);
    });
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
    let on = state.curves.tools.proportional;
    let name = "Proportional editing: the wheel changes the radius while keys are dragged";
    let icon = icons::ICON_RADIO_BUTTON_CHECKED;
    if icon_button(ui, theme, icon, name, "O", on, Ok(())).clicked() {
        state.curves.tools.proportional = !on;
    }
}

/// A button that opens something over the graph.
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
    let curves = &mut state.curves;
    ui.spacing_mut().item_spacing.x = 4.0;
    // A press beside an open ease closes it; the same press does not open it again.
    let swallowed = curves.tools.swallow;
    let on = matches!(curves.popup, CurvePopup::Ease(_));
    if popup_button(ui, theme, "Ease…", on, some) && !on && !swallowed {
        let popup = EasePopup::new(graph, graph.keys(), curves.tools.ease);
        curves.popup = popup.map_or(CurvePopup::None, CurvePopup::Ease);
    }
    let on = matches!(curves.popup, CurvePopup::Filter(_));
    if popup_button(ui, theme, "Filter…", on, any) {
        let panel = FilterPanel::new(graph.home(), curves.tools.filter);
        curves.popup = if on { CurvePopup::None } else { CurvePopup::Filter(panel) };
    }
    let on = matches!(curves.popup, CurvePopup::Slide(_));
    if popup_button(ui, theme, "Slide…", on, some) {
        let panel = SlidePanel::new(graph.home(), ulna_motion::curves::Slide::BlendNeighbor);
        curves.popup = if on { CurvePopup::None } else { CurvePopup::Slide(panel) };
    }
}

/// How the curves are looked at, and what they are compared with.
fn views_ui(state: &mut TimelineState, ui: &mut Ui, graph: &Graph<'_>) {
    let theme = graph.view.theme;
    ui.spacing_mut().item_spacing.x = 2.0;
    let curves = &mut state.curves;
    let all = || graph.layout.curves.iter().map(|c| c.of);
    let normal = all().next().is_some() && all().all(|of| curves.choices.normalized.contains(&of));
    let name = "Normalize the shown curves";
    if icon_button(ui, theme, icons::ICON_HEIGHT, name, "N", normal, Ok(())).clicked() {
        for of in all() {
            if normal {
                curves.choices.normalized.remove(&of);
            } else {
                curves.choices.normalized.insert(of);
            }
        }
    }
    let on = curves.speed != SpeedStrip::Off;
    if icon_button(ui, theme, icons::ICON_SPEED, "Speed strip", "", on, Ok(())).clicked() {
        curves.speed = if on { SpeedStrip::Off } else { SpeedStrip::Speed };
    }
    buffer_ui(state, ui, graph);
    let name = "Fit the selected keys";
    if icon_button(ui, theme, icons::ICON_FIT_SCREEN, name, "F", false, Ok(())).clicked() {
        state.curves.fit = Some(Fit::Selected);
    }
}

fn buffer_ui(state: &mut TimelineState, ui: &mut Ui, graph: &Graph<'_>) {
    let theme = graph.view.theme;
    let kept = state.curves.buffer.is_some();
    let name = if kept { "Discard the kept curves" } else { "Keep the curves to compare with" };
    if icon_button(ui, theme, icons::ICON_PHOTO_CAMERA, name, "", kept, Ok(())).clicked() {
        state.curves.buffer = (!kept).then(|| {
            let tracks = graph.layout.curves.iter();
            let tracks = tracks.filter(|c| c.id.track().is_some());
            let tracks =
                tracks.filter_map(|c| Some(((c.node?, c.property), c.track.clone()))).collect();
            super::state::BufferCurves { tracks }
        });
    }
}
