//! The menu of a right click on the graph: on a key, a handle, a curve, or beside them.

use egui::{Button, Response, RichText, Ui};

use super::{
    super::{domain::SelectHow, menus, state::TimelineState},
    conversion::conversion_menu,
    ease_popup::EasePopup,
    filter_panel::FilterPanel,
    frame::Graph,
    insert,
    menu_subject::{MenuSubject, Under},
    popup::CurvePopup,
    seam::Seam,
    slides::SlidePanel,
    state::Fit,
    tools::{ease_segment, select_joint},
};
use crate::ui::{Action, Actions, TimelineAction, popups, theme::Font, widgets::name_widget};
use ulna_edit::command::{DeleteKeys, ModeCommand, TimelineCommand};
use ulna_render::ColorRole;

/// Opens and draws the menu. A key that is not selected is selected first.
pub fn graph_menu(
    state: &mut TimelineState,
    graph: &Graph<'_>,
    response: &Response,
    actions: &mut Actions,
) {
    if let Some(at) = response.interact_pointer_pos().filter(|_| response.secondary_clicked()) {
        state.curves.tools.menu = MenuSubject::at(graph, at);
        if let (Under::Key(_), Some((curve, key))) =
            (state.curves.tools.menu.under, graph.layout.hit_key(at))
            && !graph.is_selected(curve, key)
        {
            select_joint(graph, curve, SelectHow::Only, actions);
            graph.select(graph.key_set(curve, key..key + 1), SelectHow::Only, actions);
        }
    }
    popups::context_menu(response, None, |ui| {
        ui.set_min_width(248.0);
        subject_lines(state, ui, graph, actions);
        keys_lines(state, ui, graph, actions);
        ui.separator();
        buffer_lines(state, ui, graph, actions);
        ui.separator();
        shown_lines(state, ui, graph, actions);
    });
}

/// A line with a note at its right; whether it was clicked.
fn line(ui: &mut Ui, graph: &Graph<'_>, text: &str, note: &str, enabled: bool) -> bool {
    let color = graph.view.theme.color(ColorRole::TextTertiary);
    let note = RichText::new(note).font(crate::ui::Theme::font(Font::Caption)).color(color);
    let response = ui.add_enabled(enabled, Button::new(text).shortcut_text(note));
    name_widget(ui, &response, text);
    if response.clicked() {
        ui.close();
    }
    response.clicked()
}

/// A line of a command of the window, with its key.
fn command_line(
    ui: &mut Ui,
    graph: &Graph<'_>,
    command: TimelineCommand,
    enabled: bool,
    actions: &mut Actions,
) {
    let spec = command.spec();
    if menus::line(ui, graph.view, spec.title, Some(spec), enabled) {
        actions.push(Action::Run(command.into()));
    }
}

/// Lines for the thing that was clicked: where a key can be added, and where the playhead can go.
fn subject_lines(state: &mut TimelineState, ui: &mut Ui, graph: &Graph<'_>, actions: &mut Actions) {
    let subject = state.curves.tools.menu;
    let fps = graph.view.timeline.playback.fps;
    let frame = format!("frame {:.0}", subject.time * fps);
    let curve = subject.curve(graph);
    if let Some(curve) = curve {
        let shown = &graph.layout.curves[curve];
        let color = graph.view.theme.color(ColorRole::TextTertiary);
        let title = RichText::new(format!("{}, {frame}", shown.name));
        ui.label(title.font(crate::ui::Theme::font(Font::Small)).color(color));
        let can = shown.id.track().is_some() && !shown.locked;
        let is_key = matches!(subject.under, Under::Key(_));
        if is_key {
            if line(ui, graph, &format!("Go to {frame}"), "Double click", true) {
                actions.push(TimelineAction::Seek(subject.time));
            }
        } else {
            let note = if matches!(subject.under, Under::Curve(_)) { "Ctrl click" } else { "" };
            if line(ui, graph, "Add a key here", note, can) {
                insert::on_curve(graph, curve, subject.time, actions);
            }
        }
        if matches!(subject.under, Under::Curve(_)) {
            if line(ui, graph, "Ease this segment…", "Double click", can) {
                ease_segment(state, graph, (curve, subject.time), actions);
            }
            if line(ui, graph, "Select all keys of the curve", "Click", can) {
                let keys = graph.key_set(curve, 0..shown.len());
                select_joint(graph, curve, SelectHow::Only, actions);
                graph.select(keys, SelectHow::Only, actions);
            }
        }
    } else {
        let any = graph.layout.curves.iter().any(|c| !c.locked);
        command_line(ui, graph, TimelineCommand::InsertOnCurves, any, actions);
    }
    ui.separator();
}

/// Lines for the selected keys.
fn keys_lines(state: &mut TimelineState, ui: &mut Ui, graph: &Graph<'_>, actions: &mut Actions) {
    let view = graph.view;
    let count = graph.keys().len();
    let some = count > 0;
    ui.add_enabled_ui(some, |ui| {
        popups::menu_button(ui, "Tangents", |ui| menus::tangents(ui, view, actions));
        popups::menu_button(ui, "Interpolation", |ui| menus::interpolations(ui, view, actions));
        conversion_menu(ui, (graph.id, graph.keys()), true, actions);
        popups::menu_button(ui, "Key type", |ui| menus::kinds(ui, view, actions));
    });
    let spec = TimelineCommand::Ease.spec();
    if menus::line(ui, view, spec.title, Some(spec), some) {
        let popup = EasePopup::new(graph, graph.keys(), state.curves.tools.ease);
        state.curves.popup = popup.map_or(CurvePopup::None, CurvePopup::Ease);
    }
    if line(ui, graph, "Slide…", "", some) {
        let panel = SlidePanel::new(graph.home(), ulna_motion::curves::Slide::BlendNeighbor);
        state.curves.popup = CurvePopup::Slide(panel);
    }
    let any = !graph.layout.curves.is_empty();
    if line(ui, graph, "Filter…", "", any) {
        let panel = FilterPanel::new(graph.home(), state.curves.tools.filter);
        state.curves.popup = CurvePopup::Filter(panel);
    }
    let seam = Seam::of(graph);
    let mark = if seam.on { "✓  " } else { "" };
    let text = format!("{mark}Match tangents at the loop's seam");
    if line(ui, graph, &text, "", !seam.keys.is_empty()) {
        seam.flip(graph, actions);
    }
    ui.separator();
    let copy = menus::count(count, "Copy");
    if menus::line(
        ui,
        view,
        if some { &copy } else { "Copy" },
        Some(ModeCommand::CopyPose.spec()),
        some,
    ) && let Some(command) = menus::copy_keys(view)
    {
        actions.push(Action::Run(command));
    }
    popups::menu_button(ui, "Paste", |ui| menus::paste_lines(ui, view, graph.id, actions));
    let delete = DeleteKeys::spec();
    let text = menus::count(count, "Delete");
    if menus::line(ui, view, if some { &text } else { "Delete" }, Some(delete), some) {
        actions.push(Action::Invoke(delete));
    }
}

/// Lines for the kept copy: kept, swapped with, discarded.
pub fn buffer_lines(
    state: &mut TimelineState,
    ui: &mut Ui,
    graph: &Graph<'_>,
    actions: &mut Actions,
) {
    let any = graph.layout.curves.iter().any(|c| c.id.track().is_some());
    if line(ui, graph, "Keep a copy of the curve", "", any) {
        state.curves.keep_copy(graph);
    }
    let can = state.curves.can_swap(graph);
    if line(ui, graph, "Swap with the kept curve", "", can) {
        state.curves.swap(graph, actions);
    }
    if line(ui, graph, "Discard the kept curves", "", state.curves.buffer.is_some()) {
        state.curves.buffer = None;
    }
}

/// Lines for what is selected and shown.
fn shown_lines(state: &mut TimelineState, ui: &mut Ui, graph: &Graph<'_>, actions: &mut Actions) {
    let some = !graph.keys().is_empty();
    popups::menu_button(ui, "Select", |ui| menus::select_lines(ui, graph.view, some, actions));
    for (command, enabled) in [
        (TimelineCommand::HideCurves, some),
        (TimelineCommand::SoloCurves, some),
        (TimelineCommand::Normalize, some),
        (TimelineCommand::FitAll, true),
        (TimelineCommand::FitSelected, some),
    ] {
        command_line(ui, graph, command, enabled, actions);
    }
    let spec = TimelineCommand::FitHeight.spec();
    if menus::line(ui, graph.view, spec.title, Some(spec), true) {
        state.curves.fit = Some(Fit::Height);
    }
}
