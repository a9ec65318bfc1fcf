//! Redundant keys of the listed rows.

use super::per_track::PerTrack;
use ulna_model::{Clip, KeySet, KeyTimes, Shared, SharedWeak, Track, TrackId};
use ulna_motion::clip_edit::dead_keys;

/// Number of keys above which a track is not searched. Such tracks are usually motion capture, and
/// the search would be slow.
const MOST: usize = 4000;

/// Cached redundant keys of tracks.
#[derive(Clone, Debug, Default)]
pub struct DeadKeys {
    found: PerTrack<Vec<f32>>,
    /// Clip whose tracks the cached keys belong to; `None` initially.
    clip: Option<SharedWeak<Clip>>,
}

impl DeadKeys {
    /// Number of keys in a clip above which only visible rows are searched.
    pub const MOST_IN_CLIP: usize = 60_000;

    /// Times of the redundant keys of a track, in seconds.
    pub fn of(&mut self, id: TrackId, track: &Shared<Track>) -> &[f32] {
        let find =
            |t: &Track| if t.times.len() > MOST { Vec::new() } else { dead_keys(t, &t.times, 0.0) };
        self.found.of(id, track, find)
    }

    /// Drops the cached keys of all tracks that are not in a clip. Nothing is compared if the clip
    /// is the same as in the last call, because clips can have many tracks.
    pub fn keep_those_of(&mut self, clip: &Shared<Clip>) {
        if self.clip.as_ref().is_some_and(|before| before.is(clip)) {
            return;
        }
        self.clip = Some(Shared::downgrade(clip));
        let is_in = |id, track: &_| clip.tracks.get(&id).is_some_and(|t| Shared::ptr_eq(t, track));
        self.found.retain(is_in);
    }

    /// Number of redundant keys.
    pub fn count(&self) -> usize {
        self.found.iter().map(|(_, dead)| dead.len()).sum()
    }

    /// All redundant keys found so far.
    pub fn keys(&self) -> KeySet {
        self.found.iter().map(|(id, dead)| (id, KeyTimes::from(dead.clone()))).collect()
    }
}
