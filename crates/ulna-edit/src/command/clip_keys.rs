//! Keys of a clip: finding the clip, checking times and channels, and values of single keys.

use super::{CommandError, field::Seconds};
use crate::Edit;
use ulna_model::{
    Clip, ClipId, Document, Interpolation, NodeId, Property, Shared, Track, Transform, UnkeyedAt,
    transform::{angle_between, unit_or},
};
use ulna_motion::clip_edit;

/// Time difference below which two keys are one key: 0.1 ms.
pub(super) const SAME_TIME: f32 = clip_edit::SAME_TIME;

pub(super) fn clip_of(document: &Document, id: ClipId) -> Result<&Shared<Clip>, CommandError> {
    document
        .clips
        .get(id)
        .ok_or_else(|| CommandError::other("no_such_clip", format!("clip {} does not exist", id.0)))
}

/// Returns a key time in seconds. Fails if it is negative.
pub(super) fn time_of(time: Seconds) -> Result<f32, CommandError> {
    let time = time.0;
    if time < 0.0 {
        return Err(CommandError::other(
            "argument_out_of_range",
            format!("“time” is {time} s, but keys cannot be before 0 s"),
        ));
    }
    Ok(time)
}

pub(super) fn values(local: &Transform, property: Property) -> Vec<f32> {
    match property {
        Property::Translation => local.translation.to_array().to_vec(),
        Property::Rotation => local.rotation.to_array().to_vec(),
        Property::Scale | Property::Weights => local.scale.to_array().to_vec(),
    }
}

/// Fails with the reason if the keys of a channel cannot be edited.
pub(super) fn refuse_kept(
    document: &Document,
    clip: &Clip,
    node: NodeId,
    property: Property,
) -> Result<(), CommandError> {
    if !clip.kept.contains(&(node, property)) {
        return Ok(());
    }
    let label = document.node(node).label(node);
    let tracks = clip.pointers.iter().filter_map(|p| p.track.as_ref());
    let pointed = tracks.into_iter().any(|t| (t.target, t.property) == (node, property));
    let why = if pointed {
        "belong to an animation pointer, which cannot be edited yet"
    } else {
        "cannot be read and stay in the file unchanged; see the list of problems for the reason"
    };
    Err(CommandError::other(
        "keys_not_editable",
        format!("the {} keys of {label} {why}", property.path()),
    ))
}

/// Returns a track with one key.
pub(super) fn lone(target: NodeId, property: Property, time: f32, value: Vec<f32>) -> Track {
    let width = value.len();
    Track {
        target,
        property,
        interpolation: Interpolation::Linear,
        times: [time].into(),
        values: value.into(),
        width,
        kinds: Default::default(),
        modes: Default::default(),
    }
}

/// Whether the key at a time already has a value, within rounding.
pub(super) fn holds(track: &Track, time: f32, value: &[f32]) -> bool {
    let Some(key) = track.key_at(time, SAME_TIME) else { return false };
    let now = track.value(key);
    if track.property == Property::Rotation {
        let (a, b) = (
            unit_or(glam::Quat::from_slice(now), glam::Quat::IDENTITY),
            glam::Quat::from_slice(value),
        );
        return angle_between(a, b) < 1e-6;
    }
    now.iter().zip(value).all(|(a, b)| (a - b).abs() <= 2e-7 * a.abs().max(1e-3))
}

/// Returns a rotation value with the sign of the quaternion nearest to the previous key. Cubic
/// splines interpolate the components, so the sign matters.
pub(super) fn near_turn(old: &Track, time: f32, mut value: Vec<f32>) -> Vec<f32> {
    if old.property == Property::Rotation {
        let at = old.times.partition_point(|t| *t < time).saturating_sub(1);
        let before = old.value(at);
        if before.iter().zip(&value).map(|(a, b)| a * b).sum::<f32>() < 0.0 {
            value.iter_mut().for_each(|v| *v = -*v);
        }
    }
    value
}

/// Returns the edits that remove all unkeyed poses for which `drop` is true.
pub(super) fn without_unkeyed(document: &Document, drop: impl Fn(UnkeyedAt) -> bool) -> Vec<Edit> {
    let mut edits = Vec::new();
    for (at, pose) in document.aids.unkeyed.iter().filter(|(at, _)| drop(**at)) {
        edits.extend(pose.locals.keys().map(|node| Edit::SetUnkeyed {
            at: *at,
            node: *node,
            to: None,
        }));
        edits.extend(pose.morphs.keys().map(|node| Edit::SetUnkeyedMorphs {
            at: *at,
            node: *node,
            to: None,
        }));
    }
    edits
}
