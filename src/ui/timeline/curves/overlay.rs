//! Overlays of the graph: handles, boxes and the open panel.

use egui::{Rect, Ui};

use super::{
    super::{sheet_layout::Sheet, state::TimelineState},
    drag::Reach,
    frame::Graph,
    handles::Handles,
    panel::Ends,
    popup::CurvePopup,
    retime_bar::retime_ui,
    snapping::Goes,
    state::CurveTool,
    tool_state::CurveGesture,
    transform_box::{draw_box, selected_span},
};
use crate::ui::{Action, Actions};

/// Draws handles, boxes and the open panel over the curves.
pub fn overlay_ui(state: &mut TimelineState, ui: &Ui, graph: &Graph<'_>, actions: &mut Actions) {
    popup_ui(state, ui, graph, actions);
    let curves = &mut state.curves;
    let gesture = std::mem::take(&mut curves.gesture);
    if !matches!(gesture, CurveGesture::Marquee(_)) {
        let span = selected_span(&mut curves.tools.spans, graph);
        if let Some(span) = span.filter(|_| curves.tool != CurveTool::Select) {
            draw_box(ui, graph, span);
        }
        Handles::of(graph).draw(ui, graph);
    }
    let tools = &mut curves.tools;
    if gesture.edits() {
        radius_by_wheel(&mut tools.reach, ui);
    }
    let (gesture, goes) = match gesture {
        CurveGesture::None => return,
        CurveGesture::Marquee(mut marquee) => {
            if marquee.go_on(ui, graph, actions) {
                curves.gesture = CurveGesture::Marquee(marquee);
            }
            return;
        }
        CurveGesture::Keys(mut drag) => {
            let goes = drag.go_on(&mut tools.reach, ui, graph, actions);
            (CurveGesture::Keys(drag), goes)
        }
        CurveGesture::Box(mut drag) => {
            let goes = drag.go_on(ui, graph, actions);
            (CurveGesture::Box(drag), goes)
        }
        CurveGesture::Handle(mut drag) => {
            let goes = drag.go_on(ui, graph, actions);
            (CurveGesture::Handle(drag), goes)
        }
        CurveGesture::Retime(mut drag) => {
            let goes = drag.go_on(ui, graph, actions);
            if goes == Goes::Kept {
                tools.retime.moved(&drag);
            }
            (CurveGesture::Retime(drag), goes)
        }
    };
    if goes == Goes::On {
        curves.gesture = gesture;
    } else {
        tools.swallow = ui.input(|i| i.pointer.any_down());
    }
}

/// Draws the retime handles on the ruler above the selected keys, and starts their drags.
pub fn retime_handles_ui(
    state: &mut TimelineState,
    ui: &Ui,
    sheet: &Sheet<'_>,
    ruler: Rect,
    actions: &mut Actions,
) {
    let curves = &mut state.curves;
    let under_way = match &curves.gesture {
        CurveGesture::Retime(drag) => Some(drag),
        CurveGesture::None => None,
        _ => return,
    };
    let begun = retime_ui(&mut curves.tools.retime, ui, sheet, (ruler, under_way), actions);
    if let Some(drag) = begun {
        curves.gesture = CurveGesture::Retime(drag);
    }
}

/// Changes the radius of proportional editing by the mouse wheel.
fn radius_by_wheel(reach: &mut Reach, ui: &Ui) {
    if !reach.on {
        return;
    }
    let turned = ui.input(|i| i.smooth_scroll_delta().y);
    if turned != 0.0 {
        reach.radius = (reach.radius * f64::from(turned * 0.005).exp()).clamp(1e-3, 1e4);
        reach.changed = true;
    }
}

/// Draws the open panel.
fn popup_ui(state: &mut TimelineState, ui: &Ui, graph: &Graph<'_>, actions: &mut Actions) {
    let (popup, ends) = match std::mem::take(&mut state.curves.popup) {
        CurvePopup::None => return,
        CurvePopup::Ease(mut popup) => {
            let ends = popup.show(ui, graph, actions);
            if ends == Ends::Keeps {
                state.curves.tools.ease = popup.ease;
                state.curves.tools.swallow = ui.input(|i| i.pointer.any_down());
            }
            (CurvePopup::Ease(popup), ends)
        }
        CurvePopup::Filter(mut popup) => {
            let ends = popup.show(ui, graph, actions);
            state.curves.tools.filter = popup.choice;
            (CurvePopup::Filter(popup), ends)
        }
        CurvePopup::Slide(mut popup) => {
            let ends = popup.show(ui, graph, actions);
            (CurvePopup::Slide(popup), ends)
        }
    };
    match ends {
        Ends::Stays => state.curves.popup = popup,
        Ends::Keeps => actions.push(Action::Commit),
        Ends::GivesUp => actions.push(Action::Cancel),
    }
}
