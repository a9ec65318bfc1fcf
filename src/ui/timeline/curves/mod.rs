//! Curves through the keys of a clip: their list, their graph, and what a hand does there.

mod asked;
mod drag;
mod handles;
mod held;
mod insert;
mod layout;
mod marquee;
mod model;
mod readout;
mod snapping;
mod state;
mod stub;
mod tangents;
mod told;
mod toolbar;
mod tools;
mod transform_box;

pub use self::{
    layout::GraphLayout,
    model::{CurveId, CurveOf, CurveSource, CurveSpace, EulerOrder, ShownCurve, TrackCurves, Unit},
    state::{
        CurveColors, CurveTool, CurvesOf, CurvesState, Fit, RotationView, SpeedStrip, TimelineShow,
        ValueView,
    },
};
use super::domain::{SelectHow, TimelineAction};
use crate::ui::{Actions, View};
use ulna_edit::KeysHome;
use ulna_model::{Clip, ClipId, KeySet, Shared};

/// The graph as it is laid out in a frame, and the clip whose keys it shows.
pub struct Graph<'a> {
    /// What panels see.
    pub view: &'a View<'a>,
    /// The clip that is shown.
    pub id: ClipId,
    /// The clip, or the layer of it, whose keys are shown.
    pub clip: &'a Shared<Clip>,
    /// Where the curves are.
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
