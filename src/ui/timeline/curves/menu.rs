//! Context menu of the graph, for a key, a handle, a curve, or the background.

use egui::Response;
use egui_material_icons::icons;

use super::{
    super::{domain::SelectHow, menus, state::TimelineState},
    conversion::conversion_row,
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
use crate::ui::{
    Actions, Pane, TimelineAction,
    menu_rows::{MenuRows, Row, panel_menu},
    popups::keyboard,
};
use ulna_edit::command::TimelineCommand;

/// Shows the context menu. A key that is not selected is selected first.
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
    if keyboard::asks_panel(&response.ctx, Pane::Timeline, None) {
        state.curves.tools.menu =
            MenuSubject { time: graph.view.timeline.playback.time, ..MenuSubject::default() };
    }
    panel_menu(response, (Pane::Timeline, None), graph.view, actions, |rows| {
        subject_rows(state, rows, graph);
        rows.separator();
        menus::shape_rows(rows);
        rows.separator();
        curve_rows(state, rows, graph);
        rows.separator();
        keys_rows(rows, graph);
        rows.separator();
        shown_rows(state, rows, graph);
    });
}

/// Adds rows for the clicked element: add a key, move the playhead to its time, or ease a segment.
fn subject_rows(state: &mut TimelineState, rows: &mut MenuRows<'_>, graph: &Graph<'_>) {
    let subject = state.curves.tools.menu;
    let fps = graph.view.timeline.playback.fps;
    let frame = format!("frame {:.0}", subject.time * fps);
    let Some(curve) = subject.curve(graph) else {
        rows.header("Curves", &frame);
        let any = graph.layout.curves.iter().any(|c| !c.locked);
        let insert = TimelineCommand::InsertOnCurves;
        let none = (!any).then_some("No curve is shown, or all are locked");
        rows.run(Row::of(graph.view, insert.spec()).unless(none), || insert.into());
        return;
    };
    let shown = &graph.layout.curves[curve];
    rows.header(&shown.name, &frame);
    let can = shown.id.track().is_some() && !shown.locked;
    let locked = (!can).then_some("The curve is locked");
    if matches!(subject.under, Under::Key(_)) {
        let go = Row::new(format!("Go to {frame}"));
        rows.act(go, || TimelineAction::Seek(subject.time));
    } else {
        let icon = icons::ICON_ADD.codepoint;
        if rows.row(Row::new("Add a key here").icon(icon).unless(locked)) {
            insert::on_curve(graph, curve, subject.time, rows.actions);
        }
    }
    if matches!(subject.under, Under::Curve(_)) {
        if rows.row(Row::new("Ease this segment…").unless(locked)) {
            ease_segment(state, graph, (curve, subject.time), rows.actions);
        }
        if rows.row(Row::new("Select all keys of the curve").unless(locked)) {
            let keys = graph.key_set(curve, 0..shown.len());
            select_joint(graph, curve, SelectHow::Only, rows.actions);
            graph.select(keys, SelectHow::Only, rows.actions);
        }
    }
}

/// Reason why rows are disabled while no key is selected.
fn without_keys(graph: &Graph<'_>) -> Option<&'static str> {
    graph.keys().is_empty().then_some("No key is selected")
}

/// Adds rows that change the shape of the curves.
fn curve_rows(state: &mut TimelineState, rows: &mut MenuRows<'_>, graph: &Graph<'_>) {
    let view = graph.view;
    let none = without_keys(graph);
    if rows.row(Row::of(view, TimelineCommand::Ease.spec()).unless(none)) {
        let popup = EasePopup::new(graph, graph.keys(), state.curves.tools.ease);
        state.curves.popup = popup.map_or(CurvePopup::None, CurvePopup::Ease);
    }
    conversion_row(rows, (graph.id, graph.keys()), true);
    rows.submenu(Row::new("Slide and filter"), |rows| {
        if rows.row(Row::new("Slide…").unless(none)) {
            let panel = SlidePanel::new(graph.home(), ulna_motion::curves::Slide::BlendNeighbor);
            state.curves.popup = CurvePopup::Slide(panel);
        }
        let empty = graph.layout.curves.is_empty().then_some("No curve is shown");
        if rows.row(Row::new("Filter…").unless(empty)) {
            let panel = FilterPanel::new(graph.home(), state.curves.tools.filter);
            state.curves.popup = CurvePopup::Filter(panel);
        }
        let seam = Seam::of(graph);
        let open = seam.keys.is_empty().then_some("The curves have no loop seam");
        let row = Row::new("Match tangents at the loop's seam").checked(seam.on).unless(open);
        if rows.row(row) {
            seam.flip(graph, rows.actions);
        }
    });
}

/// Adds rows that copy, paste and delete keys.
fn keys_rows(rows: &mut MenuRows<'_>, graph: &Graph<'_>) {
    let count = graph.keys().len();
    menus::copy_row(rows, count);
    menus::paste_submenu(rows, Row::new("Paste"), graph.id);
    menus::delete_row(rows, count);
}

/// Adds rows for the stored copy of curves: store, swap, discard.
pub fn buffer_rows(state: &mut TimelineState, rows: &mut MenuRows<'_>, graph: &Graph<'_>) {
    let any = graph.layout.curves.iter().any(|c| c.id.track().is_some());
    let none = (!any).then_some("No curve is shown");
    if rows.row(Row::new("Keep a copy of the curve").unless(none)) {
        state.curves.keep_copy(graph);
    }
    let none = (!state.curves.can_swap(graph)).then_some("Keep a copy of a shown curve first");
    if rows.row(Row::new("Swap with the kept curve").unless(none)) {
        state.curves.swap(graph, rows.actions);
    }
    let none = state.curves.buffer.is_none().then_some("No curve is kept");
    if rows.row(Row::new("Discard the kept curves").unless(none)) {
        state.curves.buffer = None;
    }
}

/// Adds rows for the selection and the display.
fn shown_rows(state: &mut TimelineState, rows: &mut MenuRows<'_>, graph: &Graph<'_>) {
    rows.submenu(Row::new("Select"), menus::select_rows);
    let none = without_keys(graph);
    rows.submenu(Row::new("Show"), |rows| {
        for (command, reason) in [
            (TimelineCommand::HideCurves, none),
            (TimelineCommand::SoloCurves, none),
            (TimelineCommand::Normalize, none),
            (TimelineCommand::FitAll, None),
            (TimelineCommand::FitSelected, none),
        ] {
            let row = Row::of(graph.view, command.spec()).plain().unless(reason);
            rows.run(row, || command.into());
        }
        if rows.row(Row::of(graph.view, TimelineCommand::FitHeight.spec())) {
            state.curves.fit = Some(Fit::Height);
        }
    });
    if state.curves.can_swap(graph) && rows.row(Row::new("Swap with the kept curve")) {
        state.curves.swap(graph, rows.actions);
    }
    rows.submenu(Row::new("Kept copy"), |rows| buffer_rows(state, rows, graph));
}
