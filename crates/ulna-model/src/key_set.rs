//! Sets of keys of a clip, by exact times, such as a selection or the keys that a command changes.
//!
//! A set of all keys of a long capture must be cheap. It therefore refers to a range of the track's
//! own list of times, without a copy.

use std::{collections::BTreeMap, ops::Range};

use super::{Clip, Slice, Track, TrackId};

/// Times of some keys of one track, ascending, exactly as stored. Clones are cheap.
#[derive(Clone, Debug, Default)]
pub struct KeyTimes {
    list: Slice<f32>,
    range: Range<usize>,
}

impl KeyTimes {
    /// Creates a set from a range of a track's own list of key times.
    pub fn part(list: &Slice<f32>, range: Range<usize>) -> Self {
        let end = range.end.min(list.len());
        Self { list: list.clone(), range: range.start.min(end)..end }
    }

    /// Key times of a track from `from` to `to`, inclusive, in seconds.
    pub fn within(list: &Slice<f32>, from: f32, to: f32) -> Self {
        let start = list.partition_point(|t| *t < from);
        let end = list.partition_point(|t| *t <= to);
        Self::part(list, start..end.max(start))
    }

    /// Whether the set contains exactly this time.
    pub fn contains(&self, time: f32) -> bool {
        self.binary_search_by(|t| t.total_cmp(&time)).is_ok()
    }
}

impl std::ops::Deref for KeyTimes {
    type Target = [f32];

    fn deref(&self) -> &[f32] {
        &self.list[self.range.clone()]
    }
}

impl From<Vec<f32>> for KeyTimes {
    /// Sorts the times and removes duplicates.
    fn from(mut times: Vec<f32>) -> Self {
        times.sort_by(f32::total_cmp);
        times.dedup();
        let range = 0..times.len();
        Self { list: times.into(), range }
    }
}

impl PartialEq for KeyTimes {
    fn eq(&self, other: &Self) -> bool {
        let same = Slice::ptr_eq(&self.list, &other.list) && self.range == other.range;
        same || **self == **other
    }
}

/// Keys of some tracks of one clip: whole keys, or single components of keys, as in the curve
/// editor.
///
/// Components are indices: 0, 1 and 2 for x, y and z (the Euler angles of rotations), or the index
/// of a morph target.
///
/// Invariants: every track has at least one key. Component entries are not empty, and their times
/// are times of their track.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct KeySet {
    tracks: BTreeMap<TrackId, KeyTimes>,
    /// Keys of which the set contains only some components, by track and component. Keys without an
    /// entry are in the set as a whole.
    parts: BTreeMap<(TrackId, u16), KeyTimes>,
}

impl KeySet {
    /// The empty set.
    pub const EMPTY: Self = Self { tracks: BTreeMap::new(), parts: BTreeMap::new() };

    /// Creates a set from the key times that `times` returns for each track.
    pub fn of(clip: &Clip, times: impl Fn(TrackId, &Track) -> KeyTimes) -> Self {
        clip.tracks.iter().map(|(id, track)| (*id, times(*id, track))).collect()
    }

    fn of_tracks(mut tracks: Vec<(TrackId, KeyTimes)>) -> Self {
        tracks.retain(|(_, times)| !times.is_empty());
        Self { tracks: tracks.into_iter().collect(), parts: BTreeMap::new() }
    }

    /// Whether the set has no keys.
    pub fn is_empty(&self) -> bool {
        self.tracks.is_empty()
    }

    /// Number of keys; each track and time counts once.
    pub fn len(&self) -> usize {
        self.tracks.values().map(|t| t.len()).sum()
    }

    /// The key times of a track; empty if the set has none.
    pub fn of_track(&self, track: TrackId) -> &[f32] {
        self.tracks.get(&track).map_or(&[], |t| t)
    }

    /// Whether the set has the key of a track at a time, whole or in part.
    pub fn contains(&self, track: TrackId, time: f32) -> bool {
        self.tracks.get(&track).is_some_and(|t| t.contains(time))
    }

    /// Tracks with their key times.
    pub fn iter(&self) -> impl Iterator<Item = (TrackId, &KeyTimes)> {
        self.tracks.iter().map(|(id, times)| (*id, times))
    }

    /// Earliest and latest time of all keys, in seconds; `None` if the set is empty.
    pub fn span(&self) -> Option<(f32, f32)> {
        let first = self.tracks.values().filter_map(|t| t.first().copied()).reduce(f32::min)?;
        let last = self.tracks.values().filter_map(|t| t.last().copied()).reduce(f32::max)?;
        Some((first, last))
    }

    /// Creates a set of one component of some keys of a track.
    pub fn of_component(track: TrackId, component: u16, times: KeyTimes) -> Self {
        let mut set = Self::default();
        if !times.is_empty() {
            set.tracks.insert(track, times.clone());
            set.parts.insert((track, component), times);
        }
        set
    }

    /// Whether the set contains any single components of keys.
    pub fn has_parts(&self) -> bool {
        !self.parts.is_empty()
    }

    /// Whether the set contains a component of a track's key at a time.
    pub fn has(&self, track: TrackId, component: u16, time: f32) -> bool {
        self.contains(track, time)
            && (self.part_contains(track, component, time) || self.is_whole(track, time))
    }

    /// Whether the set contains all components of a track's key at a time.
    pub fn is_whole(&self, track: TrackId, time: f32) -> bool {
        self.contains(track, time) && !self.parts_of(track).any(|(_, times)| times.contains(time))
    }

    fn part_contains(&self, track: TrackId, component: u16, time: f32) -> bool {
        self.parts.get(&(track, component)).is_some_and(|times| times.contains(time))
    }

    /// Component entries of a track: for each component, the times of keys that are only partly in
    /// the set.
    pub fn parts_of(&self, track: TrackId) -> impl Iterator<Item = (u16, &KeyTimes)> {
        let own = self.parts.range((track, 0)..=(track, u16::MAX));
        own.map(|((_, component), times)| (*component, times))
    }

    /// Ascending times of a track's keys of which the set contains a given component.
    pub fn times_of(&self, track: TrackId, component: u16) -> KeyTimes {
        let Some(times) = self.tracks.get(&track) else { return KeyTimes::default() };
        if self.parts_of(track).next().is_none() {
            return times.clone();
        }
        let own = times.iter().copied().filter(|t| self.has(track, component, *t));
        own.collect::<Vec<_>>().into()
    }

    /// Converts all keys to whole keys, with all components.
    #[must_use]
    pub fn whole(self) -> Self {
        Self { tracks: self.tracks, parts: BTreeMap::new() }
    }

    /// Copy in which the keys of a track have new times. `to` has one time per key, in the same
    /// order.
    ///
    /// Components are kept. If times coincide, all keys become whole keys.
    pub fn moved(&self, track: TrackId, to: &[f32]) -> Self {
        let from = self.of_track(track);
        let mut moved = Self::default();
        moved.set(track, to.to_vec().into());
        if from.len() != to.len() || moved.of_track(track).len() != to.len() {
            return moved;
        }
        for (component, times) in self.parts_of(track) {
            let at = |t: &f32| from.binary_search_by(|k| k.total_cmp(t)).ok().map(|k| to[k]);
            moved.set_part(track, component, times.iter().filter_map(at).collect());
        }
        moved
    }

    fn set_part(&mut self, track: TrackId, component: u16, times: Vec<f32>) {
        if times.is_empty() {
            self.parts.remove(&(track, component));
        } else {
            self.parts.insert((track, component), times.into());
        }
    }

    /// Removes component entries of a track for keys that are not in the set.
    fn trim(&mut self, track: TrackId) {
        let own = self.tracks.get(&track).cloned().unwrap_or_default();
        let parts: Vec<(u16, KeyTimes)> =
            self.parts_of(track).map(|(c, times)| (c, times.clone())).collect();
        for (component, times) in parts {
            if times.iter().any(|t| !own.contains(*t)) {
                let left = times.iter().copied().filter(|t| own.contains(*t)).collect();
                self.set_part(track, component, left);
            }
        }
    }

    /// Replaces all entries of a track with whole keys at `times`.
    pub fn set(&mut self, track: TrackId, times: KeyTimes) {
        self.parts.retain(|(id, _), _| *id != track);
        if times.is_empty() {
            self.tracks.remove(&track);
        } else {
            self.tracks.insert(track, times);
        }
    }

    /// The union of both sets. A key that is whole in one of them is whole in the result.
    #[must_use]
    pub fn union(mut self, other: &Self) -> Self {
        for (track, times) in &other.tracks {
            let mut parts: BTreeMap<u16, Vec<f32>> = BTreeMap::new();
            for set in [&self, other] {
                for (component, times) in set.parts_of(*track) {
                    let both = times
                        .iter()
                        .copied()
                        .filter(|t| !self.is_whole(*track, *t) && !other.is_whole(*track, *t));
                    parts.entry(component).or_default().extend(both);
                }
            }
            let both = match self.tracks.get(track) {
                Some(own) => own.iter().chain(times.iter()).copied().collect::<Vec<_>>().into(),
                None => times.clone(),
            };
            self.set(*track, both);
            for (component, times) in parts {
                self.set_part(*track, component, times);
            }
        }
        self
    }

    /// Difference of both sets. The number of components of a key is unknown here, so a whole key
    /// is removed completely if `other` has any of its components.
    #[must_use]
    pub fn without(mut self, other: &Self) -> Self {
        for (track, times) in &other.tracks {
            let Some(own) = self.tracks.get(track).cloned() else { continue };
            let mut left: BTreeMap<u16, Vec<f32>> = BTreeMap::new();
            for (component, times) in self.parts_of(*track) {
                let stay = times.iter().copied().filter(|t| !other.has(*track, component, *t));
                left.insert(component, stay.collect());
            }
            let stays = |t: &f32| !times.contains(*t) || left.values().any(|l| l.contains(t));
            let stay: Vec<f32> = own.iter().copied().filter(stays).collect();
            self.set(*track, stay.into());
            for (component, times) in left {
                self.set_part(*track, component, times);
            }
        }
        self
    }

    /// Removes keys that do not exist in a clip.
    #[must_use]
    pub fn there(mut self, clip: &Clip) -> Self {
        self.tracks.retain(|id, times| {
            let Some(track) = clip.tracks.get(id) else { return false };
            if Slice::ptr_eq(&times.list, &track.times) {
                return true;
            }
            if times.iter().all(|t| track.key_at(*t, 0.0).is_some()) {
                return true;
            }
            *times = times
                .iter()
                .copied()
                .filter(|t| track.key_at(*t, 0.0).is_some())
                .collect::<Vec<_>>()
                .into();
            !times.is_empty()
        });
        let partial: Vec<TrackId> = self.parts.keys().map(|(track, _)| *track).collect();
        partial.into_iter().for_each(|track| self.trim(track));
        self
    }
}

impl FromIterator<(TrackId, KeyTimes)> for KeySet {
    fn from_iter<I: IntoIterator<Item = (TrackId, KeyTimes)>>(tracks: I) -> Self {
        Self::of_tracks(tracks.into_iter().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(track: u32, times: &[f32]) -> KeySet {
        [(TrackId(track), KeyTimes::from(times.to_vec()))].into_iter().collect()
    }

    #[test]
    fn key_sets_have_unions_and_differences() {
        let both = set(0, &[1.0, 0.5]).union(&set(0, &[0.5, 2.0])).union(&set(1, &[3.0]));
        assert_eq!(both.of_track(TrackId(0)), [0.5, 1.0, 2.0]);
        assert_eq!((both.len(), both.span()), (4, Some((0.5, 3.0))));
        let left = both.without(&set(0, &[0.5, 1.0, 2.0]));
        assert_eq!(left, set(1, &[3.0]));
        assert!(set(2, &[]).is_empty());
    }

    #[test]
    fn key_components_have_unions_and_differences() {
        let x = |times: &[f32]| KeySet::of_component(TrackId(0), 0, times.to_vec().into());
        let y = |times: &[f32]| KeySet::of_component(TrackId(0), 1, times.to_vec().into());
        let both = x(&[1.0, 2.0]).union(&y(&[2.0, 3.0]));
        assert_eq!(both.of_track(TrackId(0)), [1.0, 2.0, 3.0]);
        let has = |set: &KeySet, c, t| set.has(TrackId(0), c, t);
        assert!(has(&both, 0, 1.0) && !has(&both, 1, 1.0) && has(&both, 1, 2.0));
        assert_eq!(&*both.times_of(TrackId(0), 1), [2.0, 3.0]);
        assert_eq!(both.clone().without(&x(&[1.0, 2.0])), y(&[2.0, 3.0]));
        assert_eq!(both.clone().without(&set(0, &[2.0])), x(&[1.0]).union(&y(&[3.0])));
        // A whole key absorbs its components, regardless of the order of the sets.
        let whole = both.clone().union(&set(0, &[2.0]));
        assert!(whole.is_whole(TrackId(0), 2.0) && !whole.is_whole(TrackId(0), 1.0));
        assert_eq!(whole, set(0, &[2.0]).union(&both));
        assert_eq!(both.whole(), set(0, &[1.0, 2.0, 3.0]));
    }

    #[test]
    fn key_times_within_a_range_are_a_sublist() {
        let list: Slice<f32> = [0.0, 0.25, 0.5, 1.0].into();
        let part = KeyTimes::within(&list, 0.25, 0.75);
        assert_eq!(&*part, [0.25, 0.5]);
        assert!(part.contains(0.5) && !part.contains(1.0));
        assert!(KeyTimes::within(&list, 2.0, 1.0).is_empty());
    }
}
