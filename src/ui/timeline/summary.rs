//! Summary row: cached times of all keys of a clip.

use ulna_model::{Clip, Derived, KeyKind, KeyKinds, KeySet, Shared, Track};

/// Content of the summary row.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    /// Times at which any track has a key, in seconds, sorted and without duplicates.
    pub times: Vec<f32>,
    /// Number of tracks with a key, per time.
    counts: Vec<u32>,
    /// Kind of the keys per time. If kinds differ, extreme overrides breakdown, which overrides
    /// in-between.
    pub kinds: KeyKinds,
}

impl Summary {
    /// Updates the cached summary of a clip. If few tracks differ from the last clip, only those
    /// are read.
    pub fn update<'a>(kept: &'a mut Derived<Shared<Clip>, Self>, clip: &Shared<Clip>) -> &'a Self {
        let follow = |(of, mut summary): (Shared<Clip>, Self)| {
            (Shared::ptr_eq(&of, clip) || summary.follow(&of, clip)).then_some(summary)
        };
        let summary = kept.take().and_then(follow).unwrap_or_else(|| Self::of(clip));
        kept.put(clip.clone(), summary);
        kept.update(clip.clone(), |_| Self::default())
    }

    fn of(clip: &Clip) -> Self {
        // Count runs of tracks with equal times once, because they are frequent.
        let mut lists: Vec<(&[f32], u32)> = Vec::new();
        for track in clip.tracks.values() {
            match lists.last_mut() {
                Some((times, count)) if **times == *track.times => *count += 1,
                _ => lists.push((&track.times, 1)),
            }
        }
        let mut all: Vec<(f32, u32)> = lists
            .into_iter()
            .flat_map(|(times, count)| times.iter().map(move |t| (*t, count)))
            .collect();
        all.sort_by(|a, b| a.0.total_cmp(&b.0));
        let (mut times, mut counts): (Vec<f32>, Vec<u32>) = (Vec::new(), Vec::new());
        for (time, count) in all {
            match counts.last_mut() {
                Some(last) if times.last() == Some(&time) => *last += count,
                _ => {
                    times.push(time);
                    counts.push(count);
                }
            }
        }
        Self { times, counts, kinds: kinds_of(clip) }
    }

    /// Updates the summary from one clip to another. Returns false if too many tracks differ.
    fn follow(&mut self, from: &Clip, to: &Clip) -> bool {
        let Some(changed) = changed_tracks(from, to) else { return false };
        for (was, is) in changed {
            was.into_iter().flat_map(|t| t.times.iter()).for_each(|t| self.count(*t, false));
            is.into_iter().flat_map(|t| t.times.iter()).for_each(|t| self.count(*t, true));
        }
        self.kinds = kinds_of(to);
        true
    }

    /// Adds a key at a time if `more` is true, otherwise removes one.
    fn count(&mut self, time: f32, more: bool) {
        let at = self.times.partition_point(|t| *t < time);
        let is_there = self.times.get(at) == Some(&time);
        if more && is_there {
            self.counts[at] += 1;
        } else if more {
            self.times.insert(at, time);
            self.counts.insert(at, 1);
        } else if is_there && self.counts[at] > 1 {
            self.counts[at] -= 1;
        } else if is_there {
            self.times.remove(at);
            self.counts.remove(at);
        }
    }
}

/// Kind of the keys at each time.
///
/// Extreme overrides breakdown, which overrides in-between.
fn kinds_of(clip: &Clip) -> KeyKinds {
    let of =
        |kind| clip.tracks.values().flat_map(|t| t.kinds.iter()).filter(move |(_, k)| *k == kind);
    [KeyKind::InBetween, KeyKind::Breakdown, KeyKind::Extreme].into_iter().flat_map(of).collect()
}

/// Track before and after a change; `None` if it does not exist.
pub type Replaced<'a> = (Option<&'a Shared<Track>>, Option<&'a Shared<Track>>);

/// Tracks that differ between two clips; `None` if there are too many.
pub fn changed_tracks<'a>(from: &'a Clip, to: &'a Clip) -> Option<Vec<Replaced<'a>>> {
    const MANY: usize = 64;
    let mut changed: Vec<Replaced<'a>> = Vec::new();
    for (id, track) in &from.tracks {
        match to.tracks.get(id) {
            Some(now) if Shared::ptr_eq(track, now) => {}
            now => changed.push((Some(track), now)),
        }
        if changed.len() > MANY {
            return None;
        }
    }
    changed.extend(
        to.tracks
            .iter()
            .filter(|(id, _)| !from.tracks.contains_key(id))
            .map(|(_, t)| (None, Some(t))),
    );
    (changed.len() <= MANY).then_some(changed)
}

/// Times of the keys in a set, sorted and without duplicates.
pub fn times_of(keys: &KeySet) -> Vec<f32> {
    let mut times: Vec<f32> = Vec::new();
    let mut last = None;
    for (_, own) in keys.iter() {
        let list = (own.as_ptr(), own.len());
        if last != Some(list) {
            times.extend_from_slice(own);
            last = Some(list);
        }
    }
    times.sort_by(f32::total_cmp);
    times.dedup();
    times
}

#[cfg(test)]
mod tests {
    use ulna_model::{Interpolation, NodeId, Property, TrackId};

    use super::*;

    fn track(node: u32, times: &[f32]) -> Shared<Track> {
        Shared::new(Track {
            target: NodeId(node),
            property: Property::Translation,
            interpolation: Interpolation::Linear,
            times: times.to_vec().into(),
            values: vec![0.0; times.len() * 3].into(),
            width: 3,
            kinds: KeyKinds::default(),
            modes: Default::default(),
        })
    }

    #[test]
    fn an_updated_summary_equals_a_new_one() {
        let mut clip = Clip::default();
        clip.tracks.insert(TrackId(0), track(0, &[0.0, 0.5, 1.0]));
        clip.tracks.insert(TrackId(1), track(1, &[0.0, 1.0]));
        let mut summary = Summary::of(&clip);
        assert_eq!(summary.times, [0.0, 0.5, 1.0]);
        let changes: [(u32, Option<&[f32]>); 5] = [
            (0, Some(&[0.0, 0.75, 1.0])),
            (1, Some(&[0.0, 0.75, 1.0, 2.0])),
            (2, Some(&[0.25])),
            (0, None),
            (1, Some(&[])),
        ];
        for (id, times) in changes {
            let before = clip.clone();
            match times {
                Some(times) => drop(clip.tracks.insert(TrackId(id), track(id, times))),
                None => drop(clip.tracks.remove(&TrackId(id))),
            }
            assert!(summary.follow(&before, &clip));
            let anew = Summary::of(&clip);
            assert_eq!(summary.times, anew.times, "track {id}: {times:?}");
            assert_eq!(summary.counts, anew.counts, "track {id}: {times:?}");
        }
        assert_eq!(summary.times, [0.25], "what no track has is gone");
    }
}
