//! Inserts keys into curves without changing their shape.

use super::{
    commands::InsertKeys,
    targets::{count, said, second_key},
};
use crate::{
    Edit,
    command::{
        CommandError, Outcome, Scene,
        clip_keys::{clip_of, time_of},
        error::refuse,
        field::{ClipName, Seconds},
    },
};
use ulna_model::{
    Clip, ClipId, Document, KeySet, KeyTimes, Notice, Shared, Track, TrackId, UnkeyedAt,
};
use ulna_motion::curves::inserted;

/// Smallest reported change of a rotation between keys, in radians: 0.01°.
const TOLD: f32 = 0.01 * std::f32::consts::PI / 180.0;

impl InsertKeys {
    /// Returns a command on all channels of a clip, without times.
    pub const fn new(clip: ClipName) -> Self {
        Self {
            clip,
            time: None,
            times: None,
            node: None,
            parts: None,
            keys: None,
            tangents: None,
            exact: None,
            interpolation: None,
        }
    }

    /// Returns the times of the new keys per track.
    fn wanted(&self, document: &Document, id: ClipId, clip: &Clip) -> Result<KeySet, CommandError> {
        let Self { time, times, node, parts, keys, .. } = self;
        let wanted = match (keys, time, times) {
            (Some(keys), None, None) if node.is_none() && parts.is_none() => {
                keys.to_come(document, id, clip)?
            }
            (None, Some(time), None) => self.at(document, clip, &[time.0])?,
            (None, None, Some(times)) => {
                let times: Vec<f32> = times.0.iter().map(|t| *t as f32).collect();
                self.at(document, clip, &times)?
            }
            _ => {
                return refuse(
                    "arguments_exclusive",
                    "use one of “time”, “times” or “keys” for the new keys; “keys” cannot be used \
                        together with “node” or “parts”",
                );
            }
        };
        if let Some((first, _)) = wanted.span() {
            time_of(Seconds(first))?;
        }
        Ok(wanted)
    }

    /// Selects the given times on the channels of the given nodes and properties.
    fn at(&self, document: &Document, clip: &Clip, times: &[f32]) -> Result<KeySet, CommandError> {
        let nodes = self.node.as_ref().map(|n| n.all(document)).transpose()?;
        let times = KeyTimes::from(times.to_vec());
        Ok(KeySet::of(clip, |_, track| {
            let meant = nodes.as_ref().is_none_or(|n| n.binary_search(&track.target).is_ok())
                && self.parts.as_ref().is_none_or(|p| p.0.contains(&track.property));
            if meant { times.clone() } else { KeyTimes::default() }
        }))
    }

    pub(super) fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let id = self.clip.find(scene.document)?;
        let clip = clip_of(scene.document, id)?;
        let wanted = self.wanted(scene.document, id, clip)?;
        let mut done = NewKeys::default();
        for (track, times) in wanted.iter() {
            let Some(old) = clip.tracks.get(&track) else { continue };
            let Some(to) = self.inserted(old, times, &mut done) else { continue };
            done.selected(&wanted, track, &to);
            let to = Some(Shared::new(second_key(Some(old), to, self.interpolation)));
            done.edits.push(Edit::SetTrack { clip: id, track, to });
        }
        if wanted.is_empty() {
            return refuse(
                "no_curve_there",
                "these nodes have no channels with keys in this clip; set a first key instead",
            );
        }
        Ok(done.finish(id))
    }

    /// Inserts keys into a track. Returns `None` if there are keys at all times already.
    fn inserted(&self, old: &Track, times: &[f32], done: &mut NewKeys) -> Option<Track> {
        let mut track = old.clone();
        let mode = self.tangents.map(Into::into);
        let (mut new, mut error) = (0, 0.0);
        for time in times {
            let count = track.times.len();
            let made = inserted(&track, *time, self.exact.unwrap_or(false), mode);
            new += usize::from(made.track.times.len() > count);
            error += made.error;
            track = made.track;
        }
        done.there += times.len() - new;
        done.new += new;
        done.more += track.times.len() - old.times.len() - new;
        done.error = done.error.max(error);
        (new > 0).then_some(track)
    }
}

/// Totals of an insertion.
#[derive(Default)]
struct NewKeys {
    edits: Vec<Edit>,
    keys: KeySet,
    /// Number of inserted keys at the requested times.
    new: usize,
    /// Number of added keys that keep rotations exact.
    more: usize,
    /// Number of requested times that already had a key.
    there: usize,
    /// Largest change of a rotation between keys, in radians.
    error: f32,
}

impl NewKeys {
    /// Adds the inserted keys of a track, with their components, to the new selection.
    fn selected(&mut self, wanted: &KeySet, id: TrackId, track: &Track) {
        let near = |t: &f32| track.key_at(*t, UnkeyedAt::NEAR).map(|k| track.times[k]);
        let there =
            |times: &[f32]| KeyTimes::from(times.iter().filter_map(near).collect::<Vec<_>>());
        let mut whole = KeySet::default();
        let own = wanted.of_track(id);
        let all: Vec<f32> = own.iter().copied().filter(|t| wanted.is_whole(id, *t)).collect();
        whole.set(id, there(&all));
        self.keys = std::mem::take(&mut self.keys).union(&whole);
        for (component, times) in wanted.parts_of(id) {
            let part = KeySet::of_component(id, component, there(times));
            self.keys = std::mem::take(&mut self.keys).union(&part);
        }
    }

    fn finish(self, clip: ClipId) -> Outcome {
        let inserted = format!("{} inserted", count(self.new, "key"));
        let notes = said([
            (self.new > 0).then(|| {
                let more = match self.more {
                    0 => String::new(),
                    n => format!(", and {} added so that rotations stay exact", count(n, "key")),
                };
                Notice::new("keys_inserted", format!("{inserted}{more}"))
            }),
            (self.there > 0).then(|| {
                let times = count(self.there, "new key");
                let said = format!("{times} left out, because a key is there already");
                Notice::new("keys_there_already", said)
            }),
            (self.error > TOLD).then(|| {
                let degrees = self.error.to_degrees();
                let said = format!(
                    "rotations change by up to {degrees:.2}° between keys; use “exact” to add keys \
                        that keep them"
                );
                Notice::new("motion_changed", said)
            }),
        ]);
        let keys = (self.new > 0).then_some((clip, self.keys));
        Outcome { edits: self.edits, notes, keys, ..Outcome::default() }
    }
}
