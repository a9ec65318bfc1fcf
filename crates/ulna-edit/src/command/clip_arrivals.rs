//! Adds clips from other files or from the clipboard. A script passes them as text. The text
//! contains all keys, so that a journal can be replayed without the files that the clips came from.

use base64::Engine as _;
use serde::{Deserialize, Serialize};

use super::{
    CommandError, Outcome, Scene,
    clip_keys::without_unkeyed,
    contact_text::ContactText,
    define::document_commands,
    field::choice,
    names::{NodeTexts, find_nodes},
};
use crate::Edit;
use ulna_model::{
    Clip, ClipId, Document, Goal, Interpolation, KeyKind, KeyTangents, Marker, Notice, Property,
    Repeat, Shared, Slice, TangentMode, TangentModes, Track, TrackId, Tracks,
};

document_commands! {
    /// Commands that paste clips.
    ClipArrivalCommand in "Clip";

    /// Pastes clips from text
    PutClips {
        /// Copied clips, as text.
        clips: ClipTexts,
        /// Action if a clip name already exists; a number is added to the name if omitted.
        taken: Option<TakenName>,
    } = "clip.put", "Paste clips", asks: true;
}

choice! {
    /// Action if the name of a pasted clip already exists.
    TakenName {
        /// Adds a number to the name of the pasted clip.
        Number = "number",
        /// Replaces the existing clip.
        Replace = "replace",
        /// Does not paste the clip.
        Skip = "skip",
    }
}

/// Clips to paste, or their text form.
#[derive(Clone, Debug, PartialEq)]
pub enum ClipTexts {
    /// Clips whose tracks refer to nodes of the document.
    Clips(Vec<Shared<Clip>>),
    /// The text form of clips.
    Text(String),
}

super::field::field!(
    ClipTexts,
    super::ArgumentType::Text,
    |from, name| from.text(name).map(|t| Self::Text(t.to_owned())),
    |v, document| match v {
        Self::Text(text) => text.as_str().into(),
        Self::Clips(clips) => text_of(document, clips).into(),
    }
);

/// Version of the text format.
const VERSION: u32 = 1;

#[derive(Serialize, Deserialize)]
struct Texts {
    ulna_clips: u32,
    /// Distinct lists of key times, as base64 of little-endian `f32`.
    times: Vec<String>,
    clips: Vec<ClipText>,
}

#[derive(Serialize, Deserialize)]
struct ClipText {
    name: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    markers: Vec<Marker>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    contacts: Vec<ContactText>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    repeat: Option<Repeat>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    ticks: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    rate: Option<f64>,
    tracks: Vec<TrackText>,
}

#[derive(Serialize, Deserialize)]
struct TrackText {
    node: String,
    property: Property,
    interpolation: Interpolation,
    /// Index into the lists of times.
    times: usize,
    /// Key values, encoded like the lists of times.
    values: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    kinds: Vec<(f32, KeyKind)>,
    /// Tangent modes per key: time, mode before the key, mode after the key, and whether both
    /// tangents are linked.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    modes: Vec<(f32, TangentMode, TangentMode, bool)>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    wraps: bool,
}

fn packed(numbers: &[f32]) -> String {
    let bytes: Vec<u8> = numbers.iter().flat_map(|v| v.to_le_bytes()).collect();
    base64::engine::general_purpose::STANDARD.encode(bytes)
}

fn unpacked(text: &str) -> Option<Slice<f32>> {
    let bytes = base64::engine::general_purpose::STANDARD.decode(text).ok()?;
    let (numbers, rest) = bytes.as_chunks::<4>();
    rest.is_empty().then(|| numbers.iter().map(|b| f32::from_le_bytes(*b)).collect())
}

fn text_of(document: &Document, clips: &[Shared<Clip>]) -> String {
    let mut lists: Vec<(Slice<f32>, String)> = Vec::new();
    let mut list_of = |times: &Slice<f32>| {
        let near = lists.iter().rposition(|(l, _)| Slice::ptr_eq(l, times) || l == times);
        near.unwrap_or_else(|| {
            lists.push((times.clone(), packed(times)));
            lists.len() - 1
        })
    };
    let texts = NodeTexts::of(document);
    let track = |track: &Shared<Track>, times: usize| TrackText {
        node: texts.text(track.target),
        property: track.property,
        interpolation: track.interpolation,
        times,
        values: packed(&track.values),
        kinds: track.kinds.iter().collect(),
        modes: track.modes.iter().map(|(t, m)| (t, m.arrive, m.leave, m.linked)).collect(),
        wraps: track.modes.wraps(),
    };
    let clips = clips
        .iter()
        .map(|clip| ClipText {
            name: clip.name.as_deref().map(ToOwned::to_owned),
            markers: clip.markers.to_vec(),
            contacts: clip.contacts.iter().map(|goal| ContactText::of(goal, &texts)).collect(),
            repeat: clip.repeat,
            ticks: clip.ticks,
            rate: clip.rate,
            tracks: clip.tracks.values().map(|t| track(t, list_of(&t.times))).collect(),
        })
        .collect();
    let texts = Texts {
        ulna_clips: VERSION,
        clips,
        times: lists.into_iter().map(|(_, text)| text).collect(),
    };
    // Serialization of plain numbers and names cannot fail.
    serde_json::to_string(&texts).unwrap_or_default()
}

/// Parses clips from text. Tracks of nodes missing in the document are left out, and their names
/// are returned.
fn read(document: &Document, text: &str) -> Result<(Vec<Shared<Clip>>, Vec<String>), CommandError> {
    let broken = |why: &str| {
        CommandError::other(
            "not_clips",
            format!("the text does not contain clips copied from Ulna: {why}"),
        )
    };
    let texts: Texts = serde_json::from_str(text).map_err(|e| broken(&e.to_string()))?;
    if texts.ulna_clips > VERSION {
        return Err(CommandError::other(
            "made_by_newer_version",
            format!(
                "the clips were copied by a newer version of Ulna (text format {}); update Ulna to \
                    paste them",
                texts.ulna_clips
            ),
        ));
    }
    let lists: Option<Vec<Slice<f32>>> = texts.times.iter().map(|t| unpacked(t)).collect();
    let lists = lists.ok_or_else(|| broken("a list of key times is not valid base64"))?;
    let mut missing = Vec::new();
    let mut clips = Vec::new();
    for text in texts.clips {
        let mut tracks = Tracks::default();
        let mut seen = std::collections::BTreeSet::new();
        for (k, track) in text.tracks.into_iter().enumerate() {
            let target = match find_nodes(document, &track.node).ok().as_deref() {
                Some([one]) => *one,
                _ => {
                    missing.push(track.node);
                    continue;
                }
            };
            let times = lists
                .get(track.times)
                .cloned()
                .ok_or_else(|| broken("a list of key times is missing"))?;
            let values =
                unpacked(&track.values).ok_or_else(|| broken("key values are not valid base64"))?;
            let per_key = times.len() * track.interpolation.values_per_key();
            let width = match track.property {
                Property::Translation | Property::Scale => 3,
                Property::Rotation => 4,
                Property::Weights => values.len().checked_div(per_key).unwrap_or(0),
            };
            let kinds = track.kinds.into_iter().collect();
            let (property, interpolation) = (track.property, track.interpolation);
            let named = track
                .modes
                .into_iter()
                .map(|(time, arrive, leave, linked)| (time, KeyTangents { arrive, leave, linked }));
            let modes = TangentModes::default().replaced(named).wrapping(track.wraps);
            let made =
                Track { target, property, interpolation, times, values, width, kinds, modes };
            made.validate()
                .map_err(|e| broken(&format!("the keys of {} are invalid: {e}", track.node)))?;
            if !made.values.iter().all(|v| v.is_finite()) {
                return Err(broken(&format!("a key value of {} is not a number", track.node)));
            }
            let targets = document.node(target).mesh.map_or(0, |m| document.mesh(m).target_count());
            if property == Property::Weights && width != targets {
                missing.push(track.node);
            } else if !seen.insert((target, property)) {
                return Err(broken(&format!(
                    "two tracks animate the same property of {}",
                    track.node
                )));
            } else {
                tracks.insert(TrackId(k as u32), Shared::new(made));
            }
        }
        let markers: Shared<[Marker]> = Marker::in_order(text.markers).into();
        let mut contacts = Vec::new();
        for contact in text.contacts {
            match contact.read(document) {
                Ok(goal) => contacts.push(goal),
                Err(name) => missing.push(name),
            }
        }
        let contacts: Shared<[Goal]> = Goal::in_order(contacts).into();
        let name = text.name.map(Into::into);
        let [ticks, rate] =
            [text.ticks, text.rate].map(|r| r.filter(|r| *r > 0.0 && r.is_finite()));
        let repeat = text.repeat;
        clips.push(Shared::new(Clip {
            name,
            tracks,
            markers,
            contacts,
            repeat,
            ticks,
            rate,
            ..Clip::default()
        }));
    }
    Ok((clips, missing))
}

impl PutClips {
    fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let document = scene.document;
        let (clips, missing) = match &self.clips {
            ClipTexts::Clips(clips) => (clips.clone(), Vec::new()),
            ClipTexts::Text(text) => read(document, text)?,
        };
        let mut names: Vec<(String, ClipId)> =
            document.clips.ids().map(|id| (document.clip_label(id), id)).collect();
        let mut done = Outcome::default();
        let mut skipped = 0;
        let first = document.clips.next_id();
        let mut next = first;
        for clip in &clips {
            let name = clip.name.as_deref().unwrap_or("Clip").to_owned();
            let taken = names.iter().find(|(n, _)| *n == name).map(|(_, id)| *id);
            match (taken, self.taken.unwrap_or(TakenName::Number)) {
                (Some(_), TakenName::Skip) => skipped += 1,
                (Some(id), TakenName::Replace) if id < first => {
                    let old = &document.clips[id];
                    let free = old.free_track_id().0;
                    let tracks = clip
                        .tracks
                        .values()
                        .enumerate()
                        .map(|(k, t)| (TrackId(free + k as u32), t.clone()));
                    let to = Clip {
                        tracks: tracks.collect(),
                        channels_in_file: old.channels_in_file,
                        name: old.name.clone(),
                        ..(**clip).clone()
                    };
                    done.edits.extend(without_unkeyed(document, |at| at.clip == id));
                    done.edits.push(Edit::SetClip { clip: id, to: Some(Shared::new(to)) });
                }
                _ => {
                    let numbered = |k: u32| {
                        if k < 2 { name.clone() } else { format!("{name} {k}") }
                    };
                    let free = (1..)
                        .map(numbered)
                        .find(|n| names.iter().all(|(t, _)| t != n))
                        .unwrap_or(name.clone());
                    let tracks = clip
                        .tracks
                        .values()
                        .enumerate()
                        .map(|(k, t)| (TrackId(k as u32), t.clone()));
                    let to = Clip {
                        tracks: tracks.collect(),
                        channels_in_file: 0,
                        name: Some(free.as_str().into()),
                        ..(**clip).clone()
                    };
                    done.edits.push(Edit::SetClip { clip: next, to: Some(Shared::new(to)) });
                    names.push((free, next));
                    next = ClipId(next.0 + 1);
                }
            }
        }
        if skipped > 0 {
            done.notes.push(Notice::new(
                "clips_left_out",
                format!("{skipped} left out, because clips with these names already exist"),
            ));
        }
        if let Some(one) = missing.first() {
            let said = format!(
                "keys of {} joints left out, because this model does not have them, such as {one}",
                missing.len()
            );
            done.notes.push(Notice::new("joints_not_here", said));
        }
        Ok(done)
    }
}
