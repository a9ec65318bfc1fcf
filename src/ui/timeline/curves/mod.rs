//! Curves through the keys of a clip: their list, their graph, and what a hand does there.

mod asked;
mod drag;
mod drawing;
mod ease_popup;
mod filter_panel;
mod graph;
mod handles;
mod held;
mod insert;
mod layout;
mod list;
mod list_ends;
mod list_menus;
mod marquee;
mod model;
mod polyline;
mod popup;
mod readout;
mod slides;
mod snapping;
mod sources;
mod speed;
mod state;
mod strokes;
mod tangents;
mod told;
mod toolbar;
mod tools;
mod transform_box;
mod typed;
mod view_range;

use std::rc::Rc;

pub use self::tools::WantedOnCurves;
pub use self::{
    graph::graph_ui,
    layout::GraphLayout,
    list::list_ui,
    model::{CurveId, CurveSpace, CurvesModel, EulerOrder, ShownCurve, TrackCurves},
    state::{CurvesState, Fit},
};
use self::{
    model::{ModelOf, SameRows},
    sources::{Finder, Sources},
};
use super::{
    domain::{SelectHow, TimelineAction},
    rows::Rows,
    state::TimelineState,
};
use crate::ui::{Actions, View};
use ulna_edit::KeysHome;
use ulna_model::{Clip, ClipId, Document, KeySet, Shared};

/// The curves of the tracks of rows: the same ones as long as nothing that they are found from is
/// another.
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

/// The graph as it is laid out in a frame, and the clip whose keys it shows.
pub struct Graph<'a> {
    /// The view that all panels draw from.
    pub view: &'a View<'a>,
    /// The clip that is shown.
    pub id: ClipId,
    /// The clip, or the layer of it, whose keys are shown.
    pub clip: &'a Shared<Clip>,
    /// Layout of the curves.
    pub layout: GraphLayout,
}

impl Graph<'_> {
    /// The owner of the keys.
    pub fn home(&self) -> KeysHome {
        self.view.layers.keys_home(self.id)
    }

    /// The selected keys.
    pub fn keys(&self) -> &KeySet {
        self.view.selection.keys_of(Some(self.home()))
    }

    /// Whether a key of a curve is selected.
    pub fn is_selected(&self, curve: usize, key: usize) -> bool {
        let shown = &self.layout.curves[curve];
        let has = |id| self.keys().has(id, shown.id.component, shown.track.times[key]);
        shown.id.track().is_some_and(has)
    }

    /// Asks for another selection of keys.
    pub fn select(&self, keys: KeySet, how: SelectHow, actions: &mut Actions) {
        actions.push(TimelineAction::SelectKeys { home: self.home(), keys, how });
    }
}
