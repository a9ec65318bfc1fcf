//! Some keys of a clip, named by their exact times: what is selected, and what a command works on.
//!
//! A set of all keys of a long capture must cost no more than one of ten, so a run of a track's
//! keys is that track's own list of times and where in it, not a copy.

use std::{collections::BTreeMap, ops::Range};

use super::{Clip, Slice, Track, TrackId};

/// Times of keys of one track, in rising order, exactly as stored. Clones are cheap.
#[derive(Clone, Debug, Default)]
pub struct KeyTimes {
    list: Slice<f32>,
    range: Range<usize>,
}

impl KeyTimes {
    /// A part of a track's own times.
    pub fn part(list: &Slice<f32>, range: Range<usize>) -> Self {
        let end = range.end.min(list.len());
        Self { list: list.clone(), range: range.start.min(end)..end }
    }

    /// The times of a track from `from` to `to`, both included.
    pub fn within(list: &Slice<f32>, from: f32, to: f32) -> Self {
        let start = list.partition_point(|t| *t < from);
        let end = list.partition_point(|t| *t <= to);
        Self::part(list, start..end.max(start))
    }

    /// Whether a key at this time is among them.
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
    /// Sorted, each once.
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

/// Keys of some tracks of one clip. Invariant: no track without a key.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct KeySet {
    tracks: BTreeMap<TrackId, KeyTimes>,
}

impl KeySet {
    /// The set without keys.
    pub const EMPTY: Self = Self { tracks: BTreeMap::new() };

    /// Those of each track that a function gives.
    pub fn of(clip: &Clip, times: impl Fn(TrackId, &Track) -> KeyTimes) -> Self {
        clip.tracks.iter().map(|(id, track)| (*id, times(*id, track))).collect()
    }

    fn of_tracks(mut tracks: Vec<(TrackId, KeyTimes)>) -> Self {
        tracks.retain(|(_, times)| !times.is_empty());
        Self { tracks: tracks.into_iter().collect() }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.tracks.is_empty()
    }

    /// How many keys there are, one a track and time.
    pub fn len(&self) -> usize {
        self.tracks.values().map(|t| t.len()).sum()
    }

    /// The times of a track; none where it has no key here.
    pub fn of_track(&self, track: TrackId) -> &[f32] {
        self.tracks.get(&track).map_or(&[], |t| t)
    }

    /// Whether the key of a track at a time is among them.
    pub fn contains(&self, track: TrackId, time: f32) -> bool {
        self.tracks.get(&track).is_some_and(|t| t.contains(time))
    }

    /// Tracks and their keys.
    pub fn iter(&self) -> impl Iterator<Item = (TrackId, &KeyTimes)> {
        self.tracks.iter().map(|(id, times)| (*id, times))
    }

    /// The earliest and the latest of them.
    pub fn span(&self) -> Option<(f32, f32)> {
        let first = self.tracks.values().filter_map(|t| t.first().copied()).reduce(f32::min)?;
        let last = self.tracks.values().filter_map(|t| t.last().copied()).reduce(f32::max)?;
        Some((first, last))
    }

    /// Puts keys of a track in place of what was there of it.
    pub fn set(&mut self, track: TrackId, times: KeyTimes) {
        if times.is_empty() {
            self.tracks.remove(&track);
        } else {
            self.tracks.insert(track, times);
        }
    }

    /// Both.
    #[must_use]
    pub fn union(mut self, other: &Self) -> Self {
        for (track, times) in &other.tracks {
            let both = match self.tracks.get(track) {
                Some(own) => own.iter().chain(times.iter()).copied().collect::<Vec<_>>().into(),
                None => times.clone(),
            };
            self.tracks.insert(*track, both);
        }
        self
    }

    /// These without others.
    #[must_use]
    pub fn without(mut self, other: &Self) -> Self {
        for (track, times) in &other.tracks {
            if let Some(own) = self.tracks.remove(track) {
                self.set(
                    *track,
                    own.iter().copied().filter(|t| !times.contains(*t)).collect::<Vec<_>>().into(),
                );
            }
        }
        self
    }

    /// Those of them that a clip has.
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
    fn sets_are_joined_and_taken_apart() {
        let both = set(0, &[1.0, 0.5]).union(&set(0, &[0.5, 2.0])).union(&set(1, &[3.0]));
        assert_eq!(both.of_track(TrackId(0)), [0.5, 1.0, 2.0]);
        assert_eq!((both.len(), both.span()), (4, Some((0.5, 3.0))));
        let left = both.without(&set(0, &[0.5, 1.0, 2.0]));
        assert_eq!(left, set(1, &[3.0]));
        assert!(set(2, &[]).is_empty());
    }

    #[test]
    fn a_part_of_a_track_is_its_own_list() {
        let list: Slice<f32> = [0.0, 0.25, 0.5, 1.0].into();
        let part = KeyTimes::within(&list, 0.25, 0.75);
        assert_eq!(&*part, [0.25, 0.5]);
        assert!(part.contains(0.5) && !part.contains(1.0));
        assert!(KeyTimes::within(&list, 2.0, 1.0).is_empty());
    }
}
