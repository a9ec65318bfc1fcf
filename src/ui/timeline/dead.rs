//! Which keys of the rows in sight change nothing, kept a track: found once for each state of it.

use std::collections::HashMap;

use crate::{
    model::{KeySet, KeyTimes, Shared, Track, TrackId},
    motion::clip_edit::dead_keys,
};

/// A track with more keys is a capture: none of its keys is dead by design, and to look would take long.
const MOST: usize = 4000;

/// Dead keys of tracks.
#[derive(Clone, Debug, Default)]
pub struct DeadKeys {
    found: HashMap<TrackId, (Shared<Track>, Vec<f32>)>,
}

impl DeadKeys {
    /// Of a clip with more keys only rows that are seen are looked at.
    pub const MOST_IN_CLIP: usize = 60_000;

    /// Finds those of a track.
    pub fn look_at(&mut self, id: TrackId, track: &Shared<Track>) {
        self.of(id, track);
    }

    /// Those of a track.
    pub fn of(&mut self, id: TrackId, track: &Shared<Track>) -> &[f32] {
        let entry = self.found.entry(id);
        let slot = entry.or_insert_with(|| (track.clone(), find(track)));
        if !Shared::ptr_eq(&slot.0, track) {
            *slot = (track.clone(), find(track));
        }
        &slot.1
    }

    /// Only of these tracks from now on.
    pub fn retain(&mut self, stays: impl Fn(TrackId, &Shared<Track>) -> bool) {
        self.found.retain(|id, (track, _)| stays(*id, track));
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.found.values().map(|(_, dead)| dead.len()).sum()
    }

    /// All of them.
    pub fn keys(&self) -> KeySet {
        self.found.iter().map(|(id, (_, dead))| (*id, KeyTimes::from(dead.clone()))).collect()
    }
}

fn find(track: &Track) -> Vec<f32> {
    if track.times.len() > MOST { Vec::new() } else { dead_keys(track, &track.times, 0.0) }
}
