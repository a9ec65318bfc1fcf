//! Cache of one value per track, valid as long as the track is unchanged.

use std::collections::HashMap;

use ulna_model::{Shared, Track, TrackId};

/// Cache of one value per track.
#[derive(Clone, Debug)]
pub struct PerTrack<T> {
    found: HashMap<TrackId, (Shared<Track>, T)>,
}

impl<T> Default for PerTrack<T> {
    fn default() -> Self {
        Self { found: HashMap::new() }
    }
}

impl<T> PerTrack<T> {
    /// Value of a track. `find` computes it if the track is new or has changed.
    pub fn of(&mut self, id: TrackId, track: &Shared<Track>, find: impl Fn(&Track) -> T) -> &T {
        let slot = self.found.entry(id).or_insert_with(|| (track.clone(), find(track)));
        if !Shared::ptr_eq(&slot.0, track) {
            *slot = (track.clone(), find(track));
        }
        &slot.1
    }

    /// Drops the tracks for which `stays` returns false.
    pub fn retain(&mut self, stays: impl Fn(TrackId, &Shared<Track>) -> bool) {
        self.found.retain(|id, (track, _)| stays(*id, track));
    }

    /// All cached values.
    pub fn iter(&self) -> impl Iterator<Item = (TrackId, &T)> {
        self.found.iter().map(|(id, (_, value))| (*id, value))
    }
}
