//! Commands on keys, and on poses that wait to be keyed.

use std::sync::Arc;

use super::{Arguments, CommandError, Edit, morphs};
use crate::{
    model::{Clip, ClipId, Document, Interpolation, NodeId, Property, Track, TrackId, Transform},
    motion::{Moment, Pose},
};

/// Two keys closer than this are one: a tenth of a millisecond, far below a frame.
pub(super) const SAME_TIME: f32 = 1e-4;

fn clip_of(document: &Document, id: ClipId) -> Result<&Arc<Clip>, CommandError> {
    document.clips.get(&id).ok_or_else(|| CommandError::Other(format!("clip {} is not there", id.0)))
}

fn values(local: &Transform, property: Property) -> Vec<f32> {
    match property {
        Property::Translation => local.translation.to_array().to_vec(),
        Property::Rotation => local.rotation.to_array().to_vec(),
        Property::Scale | Property::Weights => local.scale.to_array().to_vec(),
    }
}

/// A key at a time: of the values given, or else of what is seen then, pending poses included.
pub(super) fn set(document: &Document, arguments: &Arguments) -> Result<Vec<Edit>, CommandError> {
    let id = arguments.clip(document)?;
    let clip = clip_of(document, id)?;
    let time = arguments.number("time")?;
    if time < 0.0 {
        return Err(CommandError::Other("a key cannot lie before 0 s; move the playhead".into()));
    }
    let nodes = arguments.nodes(document)?;
    let pose = Pose::evaluate(document, Moment { clip: Some(clip), time: f64::from(time) });
    let given = [
        (Property::Translation, arguments.vector("translation")?.map(|v| v.to_array().to_vec())),
        (Property::Rotation, arguments.rotation()?.map(|q| q.to_array().to_vec())),
        (Property::Scale, arguments.vector("scale")?.map(|v| v.to_array().to_vec())),
    ];
    let some_given = given.iter().any(|(_, v)| v.is_some());
    let parts = if some_given {
        given.iter().filter(|(_, v)| v.is_some()).map(|(p, _)| *p).collect()
    } else {
        arguments.parts()?
    };
    let mut edits = Vec::new();
    let mut free = clip.free_track_id();
    for node in nodes {
        let local = pose.local[node.index()].transform();
        let rest = document.node(node).local().transform();
        for property in &parts {
            let value = given.iter().find(|(p, _)| p == property).and_then(|(_, v)| v.clone());
            let value = value.unwrap_or_else(|| values(&local, *property));
            let old = clip.track(node, *property);
            if clip.kept.contains(&(node, *property)) {
                let label = document.node(node).label(node);
                let pointed = clip
                    .pointers
                    .iter()
                    .filter_map(|p| p.track.as_ref())
                    .any(|t| (t.target, t.property) == (node, *property));
                let why = if pointed {
                    "come from an animation pointer, which cannot be edited yet"
                } else {
                    "are packed in a way that cannot be edited; unpack the file first"
                };
                let message = format!("the {} keys of {label} {why}", property.path());
                return Err(CommandError::Other(message));
            }
            // Keying “everything” must not add channels for what neither the clip nor the pose moves.
            if old.is_none()
                && !some_given
                && !arguments.has("parts")
                && (*property != Property::Rotation || document.pending_morphs.contains_key(&node))
                && value == values(&rest, *property)
            {
                continue;
            }
            let (track, to) = match old {
                Some((track, old)) => (track, near_turn(old, time, value, |v| old.with_key(time, v, SAME_TIME))),
                None => {
                    let track = free;
                    free = TrackId(free.0 + 1);
                    let width = value.len();
                    let new = Track {
                        target: node,
                        property: *property,
                        interpolation: Interpolation::Linear,
                        times: [time].into(),
                        values: value.into(),
                        width,
                    };
                    (track, new)
                }
            };
            edits.push(Edit::SetTrack { clip: id, track, to: Some(Arc::new(to)) });
        }
        // What waits is keyed with the rest; so is what the clip moves already, where everything is keyed.
        let morphs = pose.morphs[node.index()].clone();
        let wanted = document.pending_morphs.contains_key(&node) || clip.track(node, Property::Weights).is_some();
        if wanted && !some_given && !arguments.has("parts") {
            edits.extend(morphs::key_edits(document, id, time, node, morphs.into(), &mut free)?);
        }
        if document.pending.contains_key(&node) {
            edits.push(Edit::SetPending { node, to: None });
        }
    }
    Ok(edits)
}

/// Of the two signs of a rotation, the one near the key before: cubic splines go through the numbers, not the rotation.
fn near_turn(old: &Track, time: f32, mut value: Vec<f32>, make: impl Fn(&[f32]) -> Track) -> Track {
    if old.property == Property::Rotation {
        let at = old.times.partition_point(|t| *t < time).saturating_sub(1);
        let before = old.value(at);
        if before.iter().zip(&value).map(|(a, b)| a * b).sum::<f32>() < 0.0 {
            value.iter_mut().for_each(|v| *v = -*v);
        }
    }
    make(&value)
}

/// Removes keys: those at `time`, or from `from` to `to`, of some nodes or of all.
pub(super) fn delete(document: &Document, arguments: &Arguments) -> Result<Vec<Edit>, CommandError> {
    let id = arguments.clip(document)?;
    let clip = clip_of(document, id)?;
    let parts = arguments.parts_of_keys()?;
    let nodes: Option<Vec<NodeId>> = if arguments.has("node") { Some(arguments.nodes(document)?) } else { None };
    let (from, to) = if arguments.has("time") {
        let time = arguments.number("time")?;
        (time - SAME_TIME, time + SAME_TIME)
    } else {
        (arguments.number("from")? - SAME_TIME, arguments.number("to")? + SAME_TIME)
    };
    let mut edits = Vec::new();
    for (track, old) in &clip.tracks {
        let wanted = nodes.as_ref().is_none_or(|n| n.contains(&old.target)) && (parts.contains(&old.property));
        if !wanted || !old.times.iter().any(|t| (from..=to).contains(t)) {
            continue;
        }
        let to = cut(old, |t| (from..=to).contains(&t));
        edits.push(Edit::SetTrack { clip: id, track: *track, to: to.map(Arc::new) });
    }
    Ok(edits)
}

/// A track without some keys; one that keeps a single CUBICSPLINE key becomes LINEAR, since the file must have two.
pub(super) fn cut(old: &Track, drop: impl Fn(f32) -> bool) -> Option<Track> {
    let left = old.without_keys(drop)?;
    if left.interpolation == Interpolation::CubicSpline && left.times.len() < 2 {
        return Some(Track { interpolation: Interpolation::Linear, values: left.value(0).into(), ..left });
    }
    Some(left)
}

/// Moves keys in time: those from `from` to `to` by `by` seconds. A key that lands on another takes its place.
pub(super) fn shift(document: &Document, arguments: &Arguments) -> Result<Vec<Edit>, CommandError> {
    let id = arguments.clip(document)?;
    let clip = clip_of(document, id)?;
    let nodes: Option<Vec<NodeId>> = if arguments.has("node") { Some(arguments.nodes(document)?) } else { None };
    let (from, to, by) =
        (arguments.number("from")? - SAME_TIME, arguments.number("to")? + SAME_TIME, arguments.number("by")?);
    let parts = arguments.parts_of_keys()?;
    let mut edits = Vec::new();
    for (track, old) in &clip.tracks {
        let wanted = nodes.as_ref().is_none_or(|n| n.contains(&old.target)) && parts.contains(&old.property);
        if wanted && old.times.iter().any(|t| (from..=to).contains(t)) {
            let new = moved(old, |t| (from..=to).contains(&t), by);
            edits.push(Edit::SetTrack { clip: id, track: *track, to: Some(Arc::new(new)) });
        }
    }
    Ok(edits)
}

/// A track with some keys moved by `by` seconds, held at 0. Moved keys win over keys they land on.
pub fn moved(old: &Track, moves: impl Fn(f32) -> bool, by: f32) -> Track {
    let stride = old.stride();
    let mut keys: Vec<(f32, bool, usize)> = old
        .times
        .iter()
        .enumerate()
        .map(|(k, t)| if moves(*t) { ((t + by).max(0.0), true, k) } else { (*t, false, k) })
        .collect();
    keys.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let mut kept: Vec<(f32, bool, usize)> = Vec::with_capacity(keys.len());
    for key in keys {
        if let Some(last) = kept.last_mut()
            && key.0 - last.0 <= SAME_TIME
        {
            if key.1 || !last.1 {
                *last = key;
            }
            continue;
        }
        kept.push(key);
    }
    Track {
        times: kept.iter().map(|k| k.0).collect(),
        values: kept.iter().flat_map(|k| old.values[k.2 * stride..(k.2 + 1) * stride].iter().copied()).collect(),
        ..old.clone()
    }
}

/// A pose made while a clip is shown, that waits to be keyed.
pub(super) fn hold(document: &Document, arguments: &Arguments) -> Result<Vec<Edit>, CommandError> {
    let hold = |node: NodeId| {
        let mut local = document.pending.get(&node).copied().unwrap_or_else(|| document.node(node).local().transform());
        if let Some(translation) = arguments.vector("translation")? {
            local.translation = translation;
        }
        if let Some(rotation) = arguments.rotation()? {
            local.rotation = rotation;
        }
        if let Some(scale) = arguments.vector("scale")? {
            local.scale = scale;
        }
        Ok(Edit::SetPending { node, to: Some(local) })
    };
    arguments.nodes(document)?.into_iter().map(hold).collect()
}

/// Throws waiting poses away.
pub(super) fn discard(document: &Document, _: &Arguments) -> Result<Vec<Edit>, CommandError> {
    let poses = document.pending.keys().map(|node| Edit::SetPending { node: *node, to: None });
    let morphs = document.pending_morphs.keys().map(|node| Edit::SetPendingMorphs { node: *node, to: None });
    Ok(poses.chain(morphs).collect())
}
