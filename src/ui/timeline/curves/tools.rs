//! Presses, drags and keys in the graph, and the gestures that they start.

use egui::{CursorIcon, Modifiers, PointerButton, Pos2, Rect, Response, Ui};

use super::{
    super::{menus, state::TimelineState},
    Graph,
    drag::KeyDrag,
    ease_popup::EasePopup,
    handles::{HandleDrag, Handles},
    held::HeldKeys,
    insert,
    marquee::{GraphPoint, Marquee},
    popup::CurvePopup,
    state::CurveTool,
    tool_state::{CurveGesture, WantedOnCurves},
    transform_box::{BoxDrag, grip_at, hover_box, is_within, selected_span},
};
use crate::ui::{Actions, OutlinerAction, Retime, timeline::domain::SelectHow};
use ulna_model::KeySet;

/// Handles presses, drags and keys of the tools. Returns whether the input was used.
pub fn input(
    state: &mut TimelineState,
    ui: &Ui,
    graph: &Graph<'_>,
    response: &Response,
    actions: &mut Actions,
) -> bool {
    menus::list_popup(state, response, graph.view, actions);
    begin_modal(state, ui, graph, response);
    if !matches!(state.curves.gesture, CurveGesture::None) || state.curves.popup.takes_presses() {
        return true;
    }
    match state.curves.tools.wanted.take() {
        Some(WantedOnCurves::Insert) => insert::on_all(graph, actions),
        Some(WantedOnCurves::Ease) => {
            let popup = EasePopup::new(graph, graph.keys(), state.curves.tools.ease);
            state.curves.popup = popup.map_or(CurvePopup::None, CurvePopup::Ease);
            return true;
        }
        None => {}
    }
    let tools = &mut state.curves.tools;
    if tools.swallow {
        tools.swallow = ui.input(|i| i.pointer.any_down());
        return true;
    }
    if let Some(pressed) = pressed_with(ui) {
        tools.pressed = pressed;
    }
    let (now, origin) = ui.input(|i| (i.modifiers, i.pointer.press_origin()));
    let modifiers = now | tools.pressed;
    tools.handles = Handles::of(graph);
    let span = selected_span(&mut tools.spans, graph);
    let at = response.interact_pointer_pos();
    if let Some(at) = at.filter(|_| response.double_clicked()) {
        return double_click(state, graph, at, actions);
    }
    if let Some(at) = at.filter(|_| response.clicked()) {
        click(state, graph, at, modifiers, actions);
        return true;
    }
    if let Some(at) = origin.filter(|_| response.drag_started_by(PointerButton::Primary)) {
        begin_drag(state, graph, (at, span), modifiers, actions);
        return true;
    }
    if let Some(at) =
        origin.filter(|_| response.drag_started_by(PointerButton::Secondary) && now.command)
    {
        let line = vec![GraphPoint::of(graph, at)];
        state.curves.gesture = CurveGesture::Marquee(Marquee::Lasso(line));
        return true;
    }
    if let Some(at) = response.hover_pos() {
        hover(state, ui, graph, (at, span), modifiers);
    }
    false
}

/// Handles a click on a key, a curve or the background.
fn click(
    state: &TimelineState,
    graph: &Graph<'_>,
    at: Pos2,
    modifiers: Modifiers,
    actions: &mut Actions,
) {
    let layout = &graph.layout;
    let how = match modifiers {
        m if m.shift => SelectHow::Add,
        m if m.command => SelectHow::Toggle,
        _ => SelectHow::Only,
    };
    if let Some((curve, key)) = layout.hit_key(at) {
        let shown = &layout.curves[curve];
        select_joint(graph, curve, how, actions);
        if shown.id.track().is_some() {
            graph.select(graph.key_set(curve, key..key + 1), how, actions);
        }
        return;
    }
    let inserts = state.curves.tool == CurveTool::Insert || modifiers.command;
    match layout.hit_curve(at) {
        Some((curve, time)) if inserts => insert::on_curve(graph, curve, time, actions),
        Some((curve, _)) => {
            let shown = &layout.curves[curve];
            select_joint(graph, curve, how, actions);
            if shown.id.track().is_some() {
                graph.select(graph.key_set(curve, 0..shown.len()), how, actions);
            }
        }
        None if how == SelectHow::Only => graph.select(KeySet::default(), how, actions),
        None => {}
    }
}

/// Selects the joint of a curve, and makes it active.
pub fn select_joint(graph: &Graph<'_>, curve: usize, how: SelectHow, actions: &mut Actions) {
    let Some(node) = graph.layout.curves[curve].node else { return };
    let is_selected = graph.view.selection.nodes.contains(&node);
    // If the joint is already selected, the other selected joints stay, so that their curves remain
    // visible.
    if !is_selected && how != SelectHow::Toggle {
        actions.push(OutlinerAction::Select { node, toggle: how == SelectHow::Add });
    }
}

/// Moves the playhead to a double-clicked key, or opens the ease panel for a double-clicked curve
/// segment.
fn double_click(
    state: &mut TimelineState,
    graph: &Graph<'_>,
    at: Pos2,
    actions: &mut Actions,
) -> bool {
    let layout = &graph.layout;
    if let Some((curve, key)) = layout.hit_key(at) {
        let time = layout.curves[curve].time(key);
        actions.push(crate::ui::TimelineAction::Seek(time));
        return true;
    }
    if let Some(at) = layout.hit_curve(at) {
        ease_segment(state, graph, at, actions);
    }
    true
}

/// Selects the keys around a time of a curve, and opens the ease panel for the segment.
pub fn ease_segment(
    state: &mut TimelineState,
    graph: &Graph<'_>,
    (curve, time): (usize, f64),
    actions: &mut Actions,
) {
    let shown = &graph.layout.curves[curve];
    let after = shown.track.times.partition_point(|t| f64::from(*t) <= time);
    if after == 0 || after >= shown.len() {
        return;
    }
    let keys = graph.key_set(curve, after - 1..after + 1);
    graph.select(keys.clone(), SelectHow::Only, actions);
    let ease = state.curves.tools.ease;
    if let Some(popup) = EasePopup::new(graph, &keys, ease) {
        state.curves.popup = CurvePopup::Ease(popup);
    }
}

/// Starts the drag of a handle, a grip of the transform box, a key, the box content, or a new
/// selection.
fn begin_drag(
    state: &mut TimelineState,
    graph: &Graph<'_>,
    (at, span): (Pos2, Option<Rect>),
    modifiers: Modifiers,
    actions: &mut Actions,
) {
    let layout = &graph.layout;
    let lasso = std::mem::take(&mut state.lasso);
    let curves = &mut state.curves;
    let held = || HeldKeys::new(graph, graph.keys().clone());
    if lasso {
        curves.gesture = CurveGesture::Marquee(Marquee::Lasso(vec![GraphPoint::of(graph, at)]));
        return;
    }
    if let Some(handle) = curves.tools.handles.at(at) {
        if let Some(drag) = HandleDrag::new(graph, handle, at) {
            curves.gesture = CurveGesture::Handle(drag);
        }
        return;
    }
    let span = span.filter(|_| curves.tool != CurveTool::Select);
    if let Some((span, grip)) = span.and_then(|span| Some((span, grip_at(span, at)?))) {
        if let Some(held) = held() {
            curves.gesture = CurveGesture::Box(BoxDrag::new(held, grip, span, at));
        }
        return;
    }
    if let Some((curve, key)) = layout.hit_key(at) {
        let shown = &layout.curves[curve];
        if shown.id.track().is_none() {
            return;
        }
        let keys = if graph.is_selected(curve, key) {
            graph.keys().clone()
        } else {
            let own = graph.key_set(curve, key..key + 1);
            let how = if modifiers.shift { SelectHow::Add } else { SelectHow::Only };
            select_joint(graph, curve, how, actions);
            graph.select(own.clone(), how, actions);
            if modifiers.shift { graph.keys().clone().union(&own) } else { own }
        };
        let grabbed = (curve, shown.time(key));
        if let Some(held) = HeldKeys::new(graph, keys) {
            curves.gesture = CurveGesture::Keys(KeyDrag::new(held, grabbed, at, false));
        }
        return;
    }
    let inside = span.is_some_and(|span| is_within(span, at));
    if inside
        && !modifiers.shift
        && !modifiers.command
        && let Some(held) = held()
    {
        let grabbed = nearest(&held, at);
        curves.gesture = CurveGesture::Keys(KeyDrag::new(held, grabbed, at, false));
        return;
    }
    let place = GraphPoint::of(graph, at);
    let marquee = if modifiers.alt { Marquee::Lasso(vec![place]) } else { Marquee::Box(place) };
    curves.gesture = CurveGesture::Marquee(marquee);
}

/// Key nearest to a position: its curve and its time.
fn nearest(held: &HeldKeys, at: Pos2) -> (usize, f64) {
    let layout = &held.layout;
    let mut best = (f32::MAX, 0, 0.0);
    for (k, times) in &held.curves {
        for time in times.iter().take(400) {
            let time = f64::from(*time);
            let place = egui::pos2(layout.x(time), layout.y(*k, layout.curves[*k].value(time)));
            let far = place.distance(at);
            if far < best.0 {
                best = (far, *k, time);
            }
        }
    }
    (best.1, best.2)
}

/// Starts a move that a shortcut requested, if the pointer is over the graph.
fn begin_modal(state: &mut TimelineState, ui: &Ui, graph: &Graph<'_>, response: &Response) {
    let Some(at) = ui.input(|i| i.pointer.latest_pos()) else { return };
    if state.wanted != Some(Retime::Move) || !response.rect.contains(at) {
        return;
    }
    state.wanted = None;
    if let Some(held) = HeldKeys::new(graph, graph.keys().clone()) {
        let grabbed = nearest(&held, at);
        state.curves.gesture = CurveGesture::Keys(KeyDrag::new(held, grabbed, at, true));
    }
}

fn hover(
    state: &TimelineState,
    ui: &Ui,
    graph: &Graph<'_>,
    (at, span): (Pos2, Option<Rect>),
    modifiers: Modifiers,
) {
    let curves = &state.curves;
    if curves.tools.handles.at(at).is_some() {
        ui.ctx().set_cursor_icon(CursorIcon::Grab);
        return;
    }
    let span = span.filter(|_| curves.tool != CurveTool::Select);
    if graph.layout.hit_key(at).is_some() {
        ui.ctx().set_cursor_icon(CursorIcon::Grab);
    } else if span.is_some_and(|span| grip_at(span, at).is_some()) {
        span.into_iter().for_each(|span| hover_box(ui, span, at));
    } else if (curves.tool == CurveTool::Insert || modifiers.command)
        && graph.layout.hit_curve(at).is_some()
    {
        ui.ctx().set_cursor_icon(CursorIcon::Crosshair);
    }
}

/// Modifiers at the press of the primary button in this frame. They determine the kind of drag
/// until the release.
fn pressed_with(ui: &Ui) -> Option<Modifiers> {
    let of = |e: &egui::Event| match e {
        egui::Event::PointerButton {
            button: PointerButton::Primary,
            pressed: true,
            modifiers,
            ..
        } => Some(*modifiers),
        _ => None,
    };
    ui.input(|i| i.events.iter().rev().find_map(of))
}
