//! Finds a clip for commands on whole clips, and makes the edits that replace it.

use crate::{
    Edit,
    command::{
        CommandError, Outcome,
        clip_keys::clip_of,
        clip_layers::{layers_of, move_unkeyed, with_layers},
        field::ClipName,
    },
};
use ulna_model::{Clip, ClipId, Document, KeySet, Notice, PoseLayers, Shared, TrackId};
use ulna_motion::clip_edit::{
    self, MotionError, TimeMap, TooClose, key_span, mapped, mapped_layers,
};

/// A clip, and the times of its first and last key in seconds.
pub(in crate::command) type Whole<'a> = (ClipId, &'a Shared<Clip>, (f32, f32));

/// Finds a clip that can be edited as a whole, and that has no unkeyed pose.
///
/// # Errors
/// If the clip does not exist, has no keys, has keys that cannot be edited, or has an unkeyed pose.
pub(super) fn whole<'a>(
    document: &'a Document,
    name: &ClipName,
) -> Result<Whole<'a>, CommandError> {
    let found = whole_with_poses(document, name)?;
    if document.aids.unkeyed.keys().any(|at| at.clip == found.0) {
        let label = document.clip_label(found.0);
        let why = "it has an unkeyed pose, which would end up at another time; key it or discard \
            it first";
        return Err(CommandError::other("clip_has_unkeyed_pose", format!("{label}: {why}")));
    }
    Ok(found)
}

/// Finds a clip that can be edited as a whole, for commands that also change its unkeyed poses.
///
/// # Errors
/// If the clip does not exist, has no keys, or has keys that cannot be edited.
pub(in crate::command) fn whole_with_poses<'a>(
    document: &'a Document,
    name: &ClipName,
) -> Result<Whole<'a>, CommandError> {
    let id = name.find(document)?;
    let clip = clip_of(document, id)?;
    let label = document.clip_label(id);
    let refuse = |code, why: &str| Err(CommandError::other(code, format!("{label}: {why}")));
    if !clip.pointers.is_empty() {
        return refuse(
            "clip_has_pointers",
            "some of its keys belong to animation pointers, which cannot be edited together with \
                the others yet",
        );
    }
    if !clip.kept.is_empty() {
        return refuse(
            "keys_not_editable",
            "some of its keys are packed and cannot be edited; unpack the file first",
        );
    }
    match key_span(clip) {
        Some(span) => Ok((id, clip, span)),
        None => refuse("clip_has_no_keys", "it has no keys"),
    }
}

pub(super) fn too_close(document: &Document, id: ClipId, error: TooClose) -> CommandError {
    CommandError::other(
        "keys_too_close",
        format!("{}: {error}. Choose another time or range", document.clip_label(id)),
    )
}

/// Returns the outcome that replaces a clip.
pub(super) fn put(id: ClipId, clip: Clip, notes: impl IntoIterator<Item = Notice>) -> Outcome {
    let edits = vec![Edit::SetClip { clip: id, to: Some(Shared::new(clip)) }];
    Outcome {
        edits,
        notes: notes.into_iter().collect(),
        keys: Some((id, KeySet::default())),
        ..Outcome::default()
    }
}

/// Returns a notice with the largest change of the motion; `None` if the motion does not change.
pub(super) fn measured(error: MotionError) -> Option<Notice> {
    error.in_words().map(|said| Notice::new("motion_changed", said))
}

/// Returns the outcome that replaces a clip and its layers. `place` maps the times of its unkeyed
/// poses.
pub(super) fn put_all(
    document: &Document,
    id: ClipId,
    (clip, layers): (Clip, PoseLayers),
    place: impl Fn(f32) -> Option<f32>,
    note: Option<Notice>,
) -> Outcome {
    let mut done = put(id, clip, note);
    done.edits.extend(with_layers(document, id, layers));
    let (moved, lost) = move_unkeyed(document, id, place);
    done.edits.extend(moved);
    done.notes.extend(lost.map(|said| Notice::new("unkeyed_poses_left_out", said)));
    done
}

/// Maps all times of a clip: keys, layers and unkeyed poses. `change` edits the clip afterwards.
pub(super) fn put_mapped(
    document: &Document,
    (id, clip): (ClipId, &Clip),
    map: &TimeMap,
    change: impl FnOnce(&mut Clip),
) -> Result<Outcome, CommandError> {
    let refuse = |e| too_close(document, id, e);
    let mut made = mapped(clip, map).map_err(refuse)?;
    change(&mut made);
    let layers = mapped_layers(&layers_of(document, id), map).map_err(refuse)?;
    let place = |t: f32| Some(map.at(t)).filter(|t| *t >= -clip_edit::SAME_TIME);
    Ok(put_all(document, id, (made, layers), place, None))
}

/// Returns a clip as an addition to the file, with a name and new track ids.
pub(super) fn as_new(clip: Clip, name: &str) -> Clip {
    let tracks =
        clip.tracks.into_values().enumerate().map(|(k, t)| (TrackId(k as u32), t)).collect();
    Clip { name: Some(name.into()), tracks, channels_in_file: 0, mended: Shared::default(), ..clip }
}

pub(super) fn argument(code: &'static str, message: impl Into<String>) -> CommandError {
    CommandError::other(code, message)
}
