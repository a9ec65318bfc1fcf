//! Corrects edits of clips: keeps the frame rate of clips, and makes splines valid for glTF.

use std::collections::BTreeSet;

use super::Outcome;
use crate::Edit;
use ulna_model::{Clip, ClipId, Document, Interpolation, Shared, Track, TrackId};

/// Corrects edits of clips. A spline with one key becomes a linear track, because glTF requires two
/// keys for CUBICSPLINE.
///
/// With `rates`, clips with changed key times keep their frame rate.
pub(super) fn keep_up(document: &Document, done: &mut Outcome, rates: bool) {
    let mut keyed: BTreeSet<ClipId> = BTreeSet::new();
    for edit in &mut done.edits {
        match edit {
            Edit::SetTrack { clip, track, to: Some(to) } => {
                whole_spline(document, *clip, *track, to);
                keyed.insert(*clip);
            }
            Edit::SetTrack { clip, to: None, .. } => {
                keyed.insert(*clip);
            }
            Edit::SetClip { clip, to: Some(to) } => {
                let short = to
                    .tracks
                    .iter()
                    .filter(|(id, t)| !is_there(document, *clip, **id, t) && is_short(t));
                let short: Vec<TrackId> = short.map(|(id, _)| *id).collect();
                if !short.is_empty() {
                    let made = Shared::make_mut(to);
                    for id in short {
                        if let Some(track) = made.tracks.get_mut(&id) {
                            whole_spline(document, *clip, id, track);
                        }
                    }
                }
                if let Some(before) = document.clips.get(*clip).filter(|_| rates) {
                    let made = (**to).clone().at_rate_of(before);
                    if made.rate != to.rate {
                        *to = Shared::new(made);
                    }
                }
                keyed.remove(clip);
            }
            _ => {}
        }
    }
    for id in keyed.into_iter().filter(|_| rates) {
        let Some(before) = document.clips.get(id) else { continue };
        let made = with_edits(before, id, &done.edits).at_rate_of(before);
        if made.rate != before.rate {
            done.edits.push(Edit::SetClip { clip: id, to: Some(Shared::new(made)) });
        }
    }
}

/// Returns a clip with edited tracks.
fn with_edits(before: &Clip, id: ClipId, edits: &[Edit]) -> Clip {
    let mut made = before.clone();
    for edit in edits {
        match edit {
            Edit::SetTrack { clip, track, to: Some(to) } if *clip == id => {
                made.tracks.insert(*track, to.clone());
            }
            Edit::SetTrack { clip, track, to: None } if *clip == id => {
                made.tracks.remove(track);
            }
            _ => {}
        }
    }
    made
}

fn is_short(track: &Track) -> bool {
    track.interpolation == Interpolation::CubicSpline && track.times.len() < 2
}

/// Whether a clip has exactly this track, unedited.
fn is_there(document: &Document, clip: ClipId, id: TrackId, track: &Shared<Track>) -> bool {
    document
        .clips
        .get(clip)
        .and_then(|c| c.tracks.get(&id))
        .is_some_and(|own| Shared::ptr_eq(own, track))
}

fn whole_spline(document: &Document, clip: ClipId, id: TrackId, track: &mut Shared<Track>) {
    if is_short(track) && !is_there(document, clip, id, track) {
        let (interpolation, values) = (Interpolation::Linear, track.value(0).into());
        *track = Shared::new(Track { interpolation, values, ..(**track).clone() });
    }
}
