//! The graph of a frame: curves as they are laid out, and the clip whose keys they go through.

use super::layout::GraphLayout;
use crate::ui::{
    Actions, View,
    timeline::domain::{SelectHow, TimelineAction},
};
use ulna_edit::KeysHome;
use ulna_model::{Clip, ClipId, KeySet, KeyTimes, Shared};

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

    /// Some keys of a curve, as they are selected: of that component alone.
    pub fn key_set(&self, curve: usize, keys: std::ops::Range<usize>) -> KeySet {
        let shown = &self.layout.curves[curve];
        let times = KeyTimes::part(&shown.track.times, keys);
        let set = |id| KeySet::of_component(id, shown.id.component, times.clone());
        shown.id.track().map(set).unwrap_or_default()
    }
}
