//! The tracks of a clip, with cached targets, length and number of keys. The caches avoid a search
//! of tens of thousands of tracks in each frame of the window.

use std::{
    collections::{BTreeMap, HashMap, btree_map},
    ops::Index,
    sync::{Arc, OnceLock},
};

use super::{AnyId, Held, IdKind, NodeId, Parts, Property, References, Shared, Track, TrackId};

/// Tracks of a clip, by the index of their channel.
///
/// [`Tracks::insert`] and [`Tracks::remove`] update the cached targets and discard the cached
/// extent. All other changes discard both.
#[derive(Default)]
pub struct Tracks {
    list: BTreeMap<TrackId, Shared<Track>>,
    targets: OnceLock<Arc<Targets>>,
    extent: OnceLock<Extent>,
}

/// Targets of the tracks of a clip. The memory stays the same until a target changes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Targets {
    /// Track of each target. If several tracks have the same target, which is invalid glTF, this is
    /// the last one.
    by: HashMap<(NodeId, Property), TrackId>,
}

/// Extent over all tracks: the last key time in seconds, and the number of keys.
#[derive(Clone, Copy, Debug)]
struct Extent {
    end: f32,
    keys: usize,
}

impl Targets {
    /// All animated targets.
    pub fn all(&self) -> impl Iterator<Item = (NodeId, Property)> {
        self.by.keys().copied()
    }
}

impl Tracks {
    /// Targets of all tracks.
    pub fn targets(&self) -> &Arc<Targets> {
        self.targets.get_or_init(|| {
            let by = self.list.iter().map(|(id, t)| ((t.target, t.property), *id));
            Arc::new(Targets { by: by.collect() })
        })
    }

    /// Finds the track of a property of a node. If there are several, the last one is returned.
    pub fn of(&self, node: NodeId, property: Property) -> Option<(TrackId, &Shared<Track>)> {
        let id = *self.targets().by.get(&(node, property))?;
        self.list.get(&id).map(|track| (id, track))
    }

    fn extent(&self) -> Extent {
        *self.extent.get_or_init(|| {
            let none = Extent { end: 0.0, keys: 0 };
            self.list.values().fold(none, |so_far, track| Extent {
                end: so_far.end.max(track.times.last().copied().unwrap_or(0.0)),
                keys: so_far.keys + track.times.len(),
            })
        })
    }

    /// Time of the last key in seconds; 0 without keys.
    pub fn end(&self) -> f32 {
        self.extent().end
    }

    /// Total number of keys.
    pub fn key_count(&self) -> usize {
        self.extent().keys
    }

    /// Inserts a track. Returns the previous track with this id.
    pub fn insert(&mut self, id: TrackId, track: Shared<Track>) -> Option<Shared<Track>> {
        let place = |track: &Track| (track.target, track.property);
        let now = place(&track);
        let was = self.list.insert(id, track);
        self.extent = OnceLock::new();
        if was.as_deref().map(place) != Some(now) {
            self.move_target(id, was.as_deref().map(place), Some(now));
        }
        was
    }

    /// Removes and returns a track.
    pub fn remove(&mut self, id: &TrackId) -> Option<Shared<Track>> {
        let was = self.list.remove(id)?;
        self.extent = OnceLock::new();
        self.move_target(*id, Some((was.target, was.property)), None);
        Some(was)
    }

    /// Updates the cached targets after the target of a track changed.
    fn move_target(
        &mut self,
        id: TrackId,
        was: Option<(NodeId, Property)>,
        now: Option<(NodeId, Property)>,
    ) {
        let Some(targets) = self.targets.get_mut() else { return };
        let targets = Arc::make_mut(targets);
        if let Some(was) = was
            && targets.by.get(&was) == Some(&id)
        {
            // Another track can have the same target.
            let fits = |(_, t): &(&TrackId, &Shared<Track>)| (t.target, t.property) == was;
            match self.list.iter().rev().find(fits) {
                Some((other, _)) => targets.by.insert(was, *other),
                None => targets.by.remove(&was),
            };
        }
        if let Some(now) = now {
            let last = targets.by.entry(now).or_insert(id);
            *last = (*last).max(id);
        }
    }

    /// Mutable access to the tracks; discards both caches.
    fn list_mut(&mut self) -> &mut BTreeMap<TrackId, Shared<Track>> {
        (self.targets, self.extent) = (OnceLock::new(), OnceLock::new());
        &mut self.list
    }

    /// The number of tracks.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Whether there are no tracks.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// The track of an id.
    pub fn get(&self, id: &TrackId) -> Option<&Shared<Track>> {
        self.list.get(id)
    }

    /// Whether a track has the id.
    pub fn contains_key(&self, id: &TrackId) -> bool {
        self.list.contains_key(id)
    }

    /// The ids of all tracks, in ascending order.
    pub fn keys(&self) -> btree_map::Keys<'_, TrackId, Shared<Track>> {
        self.list.keys()
    }

    /// All tracks, in the order of their ids.
    pub fn values(&self) -> btree_map::Values<'_, TrackId, Shared<Track>> {
        self.list.values()
    }

    /// All tracks with their ids, in the order of the ids.
    pub fn iter(&self) -> btree_map::Iter<'_, TrackId, Shared<Track>> {
        self.list.iter()
    }

    /// The track with the lowest id.
    pub fn first_key_value(&self) -> Option<(&TrackId, &Shared<Track>)> {
        self.list.first_key_value()
    }

    /// The track with the highest id.
    pub fn last_key_value(&self) -> Option<(&TrackId, &Shared<Track>)> {
        self.list.last_key_value()
    }

    /// Mutable access to the track of an id.
    pub fn get_mut(&mut self, id: &TrackId) -> Option<&mut Shared<Track>> {
        self.list_mut().get_mut(id)
    }

    /// Mutable access to all tracks.
    pub fn values_mut(&mut self) -> btree_map::ValuesMut<'_, TrackId, Shared<Track>> {
        self.list_mut().values_mut()
    }

    /// Mutable access to all tracks, with their ids.
    pub fn iter_mut(&mut self) -> btree_map::IterMut<'_, TrackId, Shared<Track>> {
        self.list_mut().iter_mut()
    }

    /// The map entry of an id.
    pub fn entry(&mut self, id: TrackId) -> btree_map::Entry<'_, TrackId, Shared<Track>> {
        self.list_mut().entry(id)
    }

    /// Removes the tracks for which `fits` returns `false`.
    pub fn retain(&mut self, fits: impl FnMut(&TrackId, &mut Shared<Track>) -> bool) {
        self.list_mut().retain(fits);
    }

    /// All tracks, in the order of their ids.
    pub fn into_values(self) -> impl Iterator<Item = Shared<Track>> {
        self.list.into_values()
    }
}

impl Clone for Tracks {
    fn clone(&self) -> Self {
        Self { list: self.list.clone(), targets: self.targets.clone(), extent: self.extent.clone() }
    }
}

impl PartialEq for Tracks {
    fn eq(&self, other: &Self) -> bool {
        self.list == other.list
    }
}

impl std::fmt::Debug for Tracks {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.list.fmt(f)
    }
}

impl Held for Tracks {
    fn held(&self, parts: &mut Parts) {
        let Self { list, targets: _, extent: _ } = self;
        list.held(parts);
    }
}

impl References for Tracks {
    fn for_each_id(&self, visit: &mut dyn FnMut(AnyId)) {
        let Self { list, targets: _, extent: _ } = self;
        list.for_each_id(visit);
    }

    fn for_each_id_mut(&mut self, visit: &mut dyn FnMut(IdKind, &mut u32)) {
        self.list_mut().for_each_id_mut(visit);
    }
}

/// Returns the track with an id that is known to exist.
impl Index<&TrackId> for Tracks {
    type Output = Shared<Track>;

    fn index(&self, id: &TrackId) -> &Shared<Track> {
        &self.list[id]
    }
}

impl Extend<(TrackId, Shared<Track>)> for Tracks {
    fn extend<I: IntoIterator<Item = (TrackId, Shared<Track>)>>(&mut self, items: I) {
        self.list_mut().extend(items);
    }
}

impl From<BTreeMap<TrackId, Shared<Track>>> for Tracks {
    fn from(list: BTreeMap<TrackId, Shared<Track>>) -> Self {
        Self { list, ..Self::default() }
    }
}

impl<const N: usize> From<[(TrackId, Shared<Track>); N]> for Tracks {
    fn from(list: [(TrackId, Shared<Track>); N]) -> Self {
        Self::from(BTreeMap::from(list))
    }
}

impl FromIterator<(TrackId, Shared<Track>)> for Tracks {
    fn from_iter<I: IntoIterator<Item = (TrackId, Shared<Track>)>>(list: I) -> Self {
        Self::from(BTreeMap::from_iter(list))
    }
}

impl IntoIterator for Tracks {
    type Item = (TrackId, Shared<Track>);
    type IntoIter = btree_map::IntoIter<TrackId, Shared<Track>>;

    fn into_iter(self) -> Self::IntoIter {
        self.list.into_iter()
    }
}

impl<'a> IntoIterator for &'a Tracks {
    type Item = (&'a TrackId, &'a Shared<Track>);
    type IntoIter = btree_map::Iter<'a, TrackId, Shared<Track>>;

    fn into_iter(self) -> Self::IntoIter {
        self.list.iter()
    }
}

impl<'a> IntoIterator for &'a mut Tracks {
    type Item = (&'a TrackId, &'a mut Shared<Track>);
    type IntoIter = btree_map::IterMut<'a, TrackId, Shared<Track>>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter_mut()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::Interpolation;

    fn track(node: u32, property: Property, keys: usize) -> Shared<Track> {
        let width = if property == Property::Rotation { 4 } else { 3 };
        Shared::new(Track {
            target: NodeId(node),
            property,
            interpolation: Interpolation::Linear,
            times: (0..keys).map(|k| k as f32).collect(),
            values: vec![0.0; keys * width].into(),
            width,
            kinds: Default::default(),
            modes: Default::default(),
        })
    }

    proptest! {
        /// Cached targets are correct after any changes. Their memory stays the same if no target
        /// changes.
        #[test]
        fn cached_targets_equal_recomputed_ones(
            steps in proptest::collection::vec(
                (0u32..6, 0u32..3, 0usize..3, 1usize..5, 0u8..5), 1..40)) {
            let mut tracks = Tracks::default();
            for (id, node, property, keys, kind) in steps {
                let (id, made) = (TrackId(id), track(node, Property::TRS[property], keys));
                let before = tracks.targets().clone();
                let same = tracks.get(&id).is_some_and(|t| (t.target, t.property)
                    == (made.target, made.property));
                match kind {
                    0 => drop(tracks.remove(&id)),
                    1 => {
                        tracks.entry(id).or_insert(made);
                    }
                    2 => tracks.retain(|k, _| *k != id),
                    _ => {
                        tracks.insert(id, made);
                        prop_assert_eq!(same, Arc::ptr_eq(&before, tracks.targets()));
                    }
                }
                let fresh: Tracks = tracks.iter().map(|(id, t)| (*id, t.clone())).collect();
                prop_assert_eq!(fresh.targets(), tracks.targets());
                prop_assert_eq!((fresh.end(), fresh.key_count()),
                    (tracks.end(), tracks.key_count()));
                for node in 0..3 {
                    for property in Property::TRS {
                        let is_it = |(_, t): &(&TrackId, &Shared<Track>)| (t.target, t.property)
                            == (NodeId(node), property);
                        let last = tracks.iter().rev().find(is_it).map(|(id, _)| *id);
                        prop_assert_eq!(tracks.of(NodeId(node), property).map(|(id, _)| id), last);
                    }
                }
            }
        }
    }
}
