//! Graph of one frame: the laid-out curves, and the clip with their keys.

use super::{layout::GraphLayout, model::CurveSpace};
use crate::ui::{
    Actions, View,
    timeline::domain::{SelectHow, TimelineAction},
};
use ulna_edit::{KeysHome, command::AxisOrder};
use ulna_model::{Clip, ClipId, KeySet, KeyTimes, Property, Shared, TrackId};

/// Layout of the graph in one frame, with the clip and keys that it shows.
pub struct Graph<'a> {
    /// Shared view for all panels.
    pub view: &'a View<'a>,
    /// Shown clip.
    pub id: ClipId,
    /// Clip, or one of its layers, with the shown keys.
    pub clip: &'a Shared<Clip>,
    /// Layout of the curves.
    pub layout: GraphLayout,
}

impl Graph<'_> {
    /// Clip or layer that owns the keys.
    pub fn home(&self) -> KeysHome {
        self.view.layers.keys_home(self.id)
    }

    /// Selected keys.
    pub fn keys(&self) -> &KeySet {
        self.view.selection.keys_of(Some(self.home()))
    }

    /// Whether a key of a curve is selected.
    pub fn is_selected(&self, curve: usize, key: usize) -> bool {
        let shown = &self.layout.curves[curve];
        let has = |id| self.keys().has(id, shown.id.component, shown.track.times[key]);
        shown.id.track().is_some_and(has)
    }

    /// Requests a new selection of keys.
    pub fn select(&self, keys: KeySet, how: SelectHow, actions: &mut Actions) {
        actions.push(TimelineAction::SelectKeys { home: self.home(), keys, how });
    }

    /// Groups keys by the Euler order of their curves, because commands on single angles apply to
    /// one order. Keys without single angles are in the first group.
    pub fn by_order(&self, keys: &KeySet) -> Vec<(Option<AxisOrder>, KeySet)> {
        let (mut groups, mut rest) = (Vec::<(Option<AxisOrder>, KeySet)>::new(), KeySet::default());
        for (track, _) in keys.iter() {
            let shown = self.layout.curves.iter().find(|c| c.id.track() == Some(track));
            let count = shown.map_or(usize::MAX, |c| c.curves.components());
            let own = of_track(keys, track, count);
            let angles = shown.filter(|c| c.property == Property::Rotation && own.has_parts());
            let Some(curve) = angles else {
                rest = rest.union(&own);
                continue;
            };
            let order = Some(match curve.space {
                CurveSpace::Euler(order) => AxisOrder::from(order),
                CurveSpace::Stored => AxisOrder::Quaternion,
            });
            match groups.iter_mut().find(|group| group.0 == order) {
                Some(group) => group.1 = std::mem::take(&mut group.1).union(&own),
                None => groups.push((order, own)),
            }
        }
        match groups.first_mut() {
            Some(first) => first.1 = std::mem::take(&mut first.1).union(&rest),
            None if rest.is_empty() => {}
            None => groups.push((None, rest)),
        }
        groups
    }

    /// Set of keys of a curve, with only the component of this curve.
    pub fn key_set(&self, curve: usize, keys: std::ops::Range<usize>) -> KeySet {
        let shown = &self.layout.curves[curve];
        let times = KeyTimes::part(&shown.track.times, keys);
        let set = |id| KeySet::of_component(id, shown.id.component, times.clone());
        shown.id.track().map(set).unwrap_or_default()
    }
}

/// Keys of one track in a set. If all components of a key are selected, the key is selected as a
/// whole.
fn of_track(keys: &KeySet, track: TrackId, components: usize) -> KeySet {
    let times = keys.of_track(track);
    let is_whole = |t: f32| {
        keys.is_whole(track, t)
            || components <= usize::from(u16::MAX)
                && (0..components as u16).all(|c| keys.has(track, c, t))
    };
    let whole: Vec<f32> = times.iter().copied().filter(|t| is_whole(*t)).collect();
    let parts = keys.parts_of(track).map(|(component, own)| {
        let left: Vec<f32> = own.iter().copied().filter(|t| !is_whole(*t)).collect();
        KeySet::of_component(track, component, left.into())
    });
    let all = std::iter::once((track, KeyTimes::from(whole))).collect();
    parts.fold(all, |all: KeySet, part| all.union(&part))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_complete_if_all_components_are_selected() {
        let [a, b] = [TrackId(1), TrackId(2)];
        let whole = [(a, vec![0.0, 1.0].into()), (b, vec![2.0].into())];
        let whole: KeySet = whole.into_iter().collect();
        let part =
            |component, times: &[f32]| KeySet::of_component(a, component, times.to_vec().into());
        let keys = whole.union(&part(0, &[3.0])).union(&part(1, &[3.0, 4.0]));
        let own = of_track(&keys, a, 2);
        assert!(own.is_whole(a, 1.0) && own.is_whole(a, 3.0) && own.of_track(b).is_empty());
        assert!(own.has(a, 1, 4.0) && !own.has(a, 0, 4.0));
        assert!(!of_track(&keys, a, 3).is_whole(a, 3.0));
    }
}
