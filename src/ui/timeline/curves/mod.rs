//! Curve editor: the curve list, the graph, and gestures in the graph.

mod asked;
mod buffer;
mod choices;
mod conversion;
mod drag;
mod drawing;
mod ease_popup;
mod filter_panel;
mod frame;
mod graph;
mod handles;
mod held;
mod insert;
mod kept;
mod kinds;
mod layout;
mod list;
mod list_ends;
mod list_menus;
mod list_row;
mod marquee;
mod menu;
mod menu_subject;
mod model;
mod overlay;
mod own_eases;
mod panel;
mod polyline;
mod popup;
mod readout;
mod retime_bar;
mod seam;
mod slides;
mod snapping;
mod sources;
mod speed;
mod state;
mod strokes;
mod tangents;
mod tip_speed;
mod told;
mod tool_state;
mod toolbar;
mod tools;
mod transform_box;
mod typed;
mod view_range;

use std::rc::Rc;

pub use self::{
    frame::Graph,
    graph::graph_ui,
    kept::keep_choices,
    layout::GraphLayout,
    list::list_ui,
    model::{CurveId, CurveSpace, CurvesModel, EulerOrder, ShownCurve, TrackCurves},
    overlay::retime_handles_ui,
    state::{CurvesState, Fit},
    tool_state::WantedOnCurves,
};
use self::{
    model::{ModelOf, SameRows, Sources},
    sources::Finder,
};
use super::{rows::Rows, state::TimelineState};
use crate::ui::View;
use ulna_model::{ClipId, Document};

/// Curves of the rows' tracks. The cached curves are returned if no input changed.
pub fn curves_of(
    state: &mut TimelineState,
    view: &View<'_>,
    document: &Document,
    id: ClipId,
    rows: &Rc<Rows>,
) -> Rc<CurvesModel> {
    let curves = &mut state.curves;
    let of = ModelOf {
        rows: SameRows(rows.clone()),
        sources: Sources::of(document, id),
        selected: view.selection.nodes.clone(),
        choices: curves.choices.clone(),
        theme: view.theme.name(),
    };
    if let Some(model) = curves.model.get().filter(|_| curves.model.is_of(&of)) {
        return model.clone();
    }
    let model = Rc::new(Finder::find(document, view.theme, &of, &mut curves.cache));
    curves.model.put(of, model.clone());
    model
}
