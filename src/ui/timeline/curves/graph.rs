//! Graph of the curve editor: grid, curves, scrolling and zooming, and presses outside all tools.

use egui::{
    Align2, Painter, PointerButton, Rect, Response, RichText, Role, Sense, Stroke, Ui, WidgetInfo,
    pos2, vec2,
};
use std::rc::Rc;

use super::{
    super::{domain::SelectHow, ruler, sheet_layout::Sheet, state::TimelineState},
    Graph, drawing,
    layout::GraphLayout,
    list_menus,
    menu::graph_menu,
    model::{CurvesModel, ShownCurve, Unit},
    overlay::overlay_ui,
    sources::CurveState,
    state::{CurvesOf, Fit, SpeedStrip},
    toolbar::{TOOLBAR, toolbar_ui},
    tools, view_range,
};
use crate::ui::{Actions, OutlinerAction, Theme, theme::Font};
use ulna_model::{KeySet, Shared};
use ulna_render::ColorRole;

/// Minimum distance between grid lines, in points.
const GRID: f32 = 36.0;

/// Draws the graph in `rect`, with the toolbar at the top and the speed strip at the bottom.
pub fn graph_ui(
    state: &mut TimelineState,
    ui: &mut Ui,
    sheet: &Sheet<'_>,
    model: &CurvesModel,
    rect: Rect,
    actions: &mut Actions,
) {
    let bar = Rect::from_min_size(rect.min, vec2(rect.width(), TOOLBAR.min(rect.height())));
    let strip = match state.curves.speed {
        SpeedStrip::Off => 0.0,
        _ if rect.height() < TOOLBAR + 160.0 => 0.0,
        SpeedStrip::Speed | SpeedStrip::Acceleration => super::speed::HEIGHT,
    };
    let area = Rect::from_min_max(
        pos2(rect.left(), bar.bottom()),
        pos2(rect.right(), (rect.bottom() - strip).max(bar.bottom())),
    );
    let layout = layout(state, sheet, model, area);
    let mut graph = Graph { view: sheet.view, id: sheet.id, clip: sheet.clip, layout };
    let response = ui.interact(area, ui.scope_id().with("curves"), Sense::click_and_drag());
    response.widget_info(|| WidgetInfo::labeled(Role::Canvas, true, "Timeline curves"));
    navigate(state, ui, &graph, &response);
    graph.layout.axis = state.time.axis(area.left(), area.right());
    graph.layout.values = state.curves.values;
    let still = state.curves.is_still() && !state.curves.tools.swallow;
    if !tools::input(state, ui, &graph, &response, actions) {
        press(ui, &graph, &response, actions);
    }
    if still {
        graph_menu(state, &graph, &response, actions);
    }
    let painter = ui.painter_at(area);
    sheet.ground_of(&painter, area);
    grid(&painter, &graph);
    ruler::grid(&painter, sheet.view, &graph.layout.axis, area, 0.0);
    let behind = behind(state, &graph);
    let document = sheet.view.session.map(|s| s.document());
    let length = document.map_or(0.0, |d| sheet.view.timeline.playback.length(d));
    state.curves.lines.draw(&painter, &graph, &behind, length);
    labels(&painter, &graph);
    drawing::names(&painter, &graph);
    ruler::playhead_line(&painter, sheet.view, &graph.layout.axis, area);
    if model.shown.is_empty() {
        empty_ui(state, ui, &graph);
    }
    overlay_ui(state, ui, &graph, actions);
    let painter = ui.painter_at(bar);
    painter.rect_filled(bar, 0.0, sheet.view.theme.color(ColorRole::SurfaceTimeline));
    toolbar_ui(state, ui, &graph, bar, actions);
    if strip > 0.0 {
        let area = Rect::from_min_max(pos2(rect.left(), area.bottom()), rect.max);
        super::speed::strip_ui(state, ui, &graph, area);
    }
}

/// Lays out the curves. The value range is fitted on request, or if none of the previously fitted
/// curves is shown.
fn layout(
    state: &mut TimelineState,
    sheet: &Sheet<'_>,
    model: &CurvesModel,
    rect: Rect,
) -> GraphLayout {
    let axis = state.time.axis(rect.left(), rect.right());
    let curves = model.shown.clone();
    let mut layout = GraphLayout { rect, axis, values: state.curves.values, curves };
    let fitted = &state.curves.fitted;
    let is_new = !model.shown.is_empty() && !model.shown.iter().any(|c| fitted.contains(&c.of));
    let fit = state.curves.fit.or(is_new.then_some(Fit::All));
    if let Some(fit) = fit.filter(|_| rect.height() > 40.0) {
        layout.values = layout.fitted(fit, sheet.keys());
        state.curves.values = layout.values;
        state.curves.fitted = model.shown.iter().map(|c| c.of).collect();
        state.curves.fit = None;
    }
    layout
}

/// Handles scrolling and zooming. The wheel scrolls values, or time with Shift. Ctrl or a pinch
/// zooms time, and Alt or Ctrl+Shift zooms values. The middle button pans.
fn navigate(state: &mut TimelineState, ui: &Ui, graph: &Graph<'_>, response: &Response) {
    let layout = &graph.layout;
    let height = f64::from(layout.rect.height().max(1.0));
    if response.dragged_by(PointerButton::Middle) {
        let by = response.drag_delta();
        state.time.shift(-f64::from(by.x) / layout.axis.scale());
        state.curves.values.shift(f64::from(by.y) / height);
    }
    let (scroll, modifiers, zoom) =
        ui.input(|i| (i.smooth_scroll_delta(), i.modifiers, i.zoom_delta()));
    // During a drag, the wheel may belong to the tool.
    let taken = state.curves.tools.reach.on && state.curves.gesture.edits();
    let Some(at) = response.hover_pos().filter(|_| !taken) else { return };
    if scroll == egui::Vec2::ZERO && zoom == 1.0 {
        return;
    }
    let factor = match zoom {
        1.0 => f64::from((-(scroll.x + scroll.y) * 0.004).exp()),
        zoom => 1.0 / f64::from(zoom),
    };
    if modifiers.alt || (modifiers.command && modifiers.shift) {
        let share = f64::from(layout.rect.bottom() - at.y) / height;
        state.curves.values.zoom(share, factor);
    } else if zoom != 1.0 || modifiers.command {
        state.time.zoom(layout.axis.time(at.x), factor);
    } else if modifiers.shift || scroll.x != 0.0 {
        let by = scroll.x + if modifiers.shift { scroll.y } else { 0.0 };
        state.time.shift(-f64::from(by) / layout.axis.scale());
    } else {
        state.curves.values.shift(f64::from(scroll.y) / height);
    }
}

/// Handles a click. It selects a key, or the node that a curve animates, or clears the selection.
fn press(ui: &Ui, graph: &Graph<'_>, response: &Response, actions: &mut Actions) {
    let layout = &graph.layout;
    if let Some(at) = response.hover_pos()
        && layout.hit_key(at).is_some()
    {
        ui.ctx().set_cursor_icon(egui::CursorIcon::Grab);
    }
    let Some(at) = response.interact_pointer_pos().filter(|_| response.clicked()) else { return };
    let how = match ui.input(|i| i.modifiers) {
        m if m.shift => SelectHow::Add,
        m if m.command => SelectHow::Toggle,
        _ => SelectHow::Only,
    };
    let select_node = |curve: usize, actions: &mut Actions| {
        let curve = &layout.curves[curve];
        if let Some(node) = curve.node.filter(|_| !curve.selected_joint) {
            actions.push(OutlinerAction::Select { node, toggle: how != SelectHow::Only });
        }
    };
    if let Some((curve, key)) = layout.hit_key(at) {
        graph.select(graph.key_set(curve, key..key + 1), how, actions);
        select_node(curve, actions);
    } else if let Some((curve, _)) = layout.hit_curve(at) {
        select_node(curve, actions);
    } else if how == SelectHow::Only {
        graph.select(KeySet::default(), how, actions);
    }
}

/// Grid step, and the values of the grid lines from bottom to top.
fn lines(layout: &GraphLayout, unit: Unit) -> (f64, impl Iterator<Item = f64>) {
    let (low, high) = layout.values.range(unit);
    let per_point = (high - low) / f64::from(layout.rect.height().max(1.0));
    let step = view_range::grid_step(unit, per_point, GRID);
    let first = (low / step).ceil();
    let count = ((high - low) / step).clamp(0.0, 200.0) as usize;
    (step, (0..=count).map(move |k| (first + k as f64) * step))
}

fn grid(painter: &Painter, graph: &Graph<'_>) {
    let (layout, theme) = (&graph.layout, graph.view.theme);
    let Some(unit) = layout.units().0 else { return };
    let (_, values) = lines(layout, unit);
    for value in values {
        let y = layout.unit_y(unit, value).round() + 0.5;
        let role =
            if value == 0.0 { ColorRole::TimelineGridMajor } else { ColorRole::TimelineGrid };
        painter.hline(layout.rect.x_range(), y, Stroke::new(1.0, theme.color(role)));
    }
}

/// Draws the values of the grid lines: one unit on the left, and a second unit on the right.
fn labels(painter: &Painter, graph: &Graph<'_>) {
    let (layout, theme) = (&graph.layout, graph.view.theme);
    let (left, right) = layout.units();
    let font = Theme::font(Font::NumberSmall);
    let color = theme.color(ColorRole::TextTertiary);
    let plate = theme.color(ColorRole::SurfaceTimeline).gamma_multiply(0.7);
    for (unit, at_right) in [(left, false), (right, true)] {
        let Some(unit) = unit else { continue };
        let (step, values) = lines(layout, unit);
        for value in values {
            let y = layout.unit_y(unit, value);
            if y < layout.rect.top() + 8.0 || y > layout.rect.bottom() - 8.0 {
                continue;
            }
            let text = view_range::grid_label(value, step, unit);
            let text = painter.layout_no_wrap(text, font.clone(), color);
            let x = match at_right {
                false => (layout.rect.left() + 46.0 - text.size().x).max(layout.rect.left() + 4.0),
                true => layout.rect.right() - 6.0 - text.size().x,
            };
            let at = pos2(x, y - text.size().y * 0.5 - if at_right { 0.0 } else { 7.0 });
            painter.rect_filled(Rect::from_min_size(at, text.size()).expand(1.0), 2.0, plate);
            painter.galley(at, text, color);
        }
    }
}

/// Other states of the shown curves, for comparison: the file as opened, and stored copies.
/// Unchanged curves are left out.
fn behind(state: &mut TimelineState, graph: &Graph<'_>) -> Rc<Vec<(CurveState, ShownCurve)>> {
    let opened = graph.view.session.and_then(|s| s.opened().clips.get(graph.id));
    let opened = opened.filter(|_| graph.home().layer.is_none());
    let curves = &mut state.curves;
    let was = curves.behind.clone();
    let (mut list, mut same) = (Vec::new(), true);
    for curve in graph.layout.curves.iter() {
        let (Some(id), Some(node)) = (curve.id.track(), curve.node) else { continue };
        let kept = curves.buffer.as_ref().and_then(|b| b.tracks.get(&(node, curve.property)));
        let opened = opened.and_then(|c| c.tracks.get(&id)).map(|t| (CurveState::Opened, t));
        let kept = kept.map(|t| (CurveState::Kept, t));
        for (which, track) in opened.into_iter().chain(kept) {
            if Shared::ptr_eq(track, &curve.track) || track.property != curve.property {
                continue;
            }
            let shown = curves.cache.of((curve.id.source, which), track, curve.space);
            let old = ShownCurve { track: track.clone(), curves: shown, ..curve.clone() };
            same &= was.get(list.len()).is_some_and(|(state, c)| {
                *state == which && c.id == old.id && Rc::ptr_eq(&c.curves, &old.curves)
            });
            list.push((which, old));
        }
    }
    if !(same && was.len() == list.len()) {
        curves.behind = Rc::new(list);
    }
    curves.behind.clone()
}

/// Draws the message of a graph without curves.
fn empty_ui(state: &mut TimelineState, ui: &mut Ui, graph: &Graph<'_>) {
    let area = graph.layout.rect;
    if area.height() < 60.0 {
        return;
    }
    let theme = graph.view.theme;
    let mut place = ui.new_child(egui::UiBuilder::new().id_salt("no curves").max_rect(area));
    place.vertical_centered(|ui| {
        ui.add_space((area.height() * 0.5 - 28.0).max(4.0));
        let text = "No channels to show. Select a joint, or list all moving channels.";
        ui.label(RichText::new(text).color(theme.color(ColorRole::TextSecondary)));
        ui.add_space(6.0);
        if ui.button("List moving").clicked() {
            list_menus::show(state, CurvesOf::Moving);
        }
    });
}

/// Draws the value of a curve beside its point at the playhead.
pub fn said(painter: &Painter, at: egui::Pos2, text: &str, theme: &Theme) {
    let (font, color) = (Theme::font(Font::NumberSmall), theme.color(ColorRole::TextPrimary));
    painter.text(at, Align2::LEFT_CENTER, text, font, color);
}
