//! Commands on the weights of morph targets: posed, waiting, and keyed.

use std::sync::Arc;

use super::{Arguments, CommandError, Edit, keys::SAME_TIME};
use crate::{
    model::{ClipId, Document, Interpolation, NodeId, Property, Track, TrackId},
    motion::{Moment, Pose},
};

/// A morph target of a node's mesh, by its name or its number.
fn target_of(document: &Document, node: NodeId, text: &str) -> Result<usize, CommandError> {
    let label = document.node(node).label(node);
    let Some(mesh) = document.node(node).mesh.map(|m| document.mesh(m)) else {
        return Err(CommandError::Other(format!("{label} has no mesh, and so no morph targets")));
    };
    let named = mesh.target_names.iter().position(|n| &**n == text);
    let number = text.trim_start_matches('#').parse::<usize>().ok().filter(|k| *k < mesh.target_count());
    named.or(number).ok_or_else(|| {
        CommandError::Other(format!("{label} has no morph target “{text}”; it has {}", mesh.target_count()))
    })
}

/// A node and the weights of its targets.
type Weights = (NodeId, Arc<[f32]>);

/// `weights` with one of them replaced, for every node named.
fn with_target(
    document: &Document,
    arguments: &Arguments,
    weights: impl Fn(NodeId) -> Vec<f32>,
) -> Result<Vec<Weights>, CommandError> {
    let (target, weight) = (arguments.text("target")?.to_owned(), arguments.number("weight")?);
    let changed = |node: NodeId| {
        let mut all = weights(node);
        let k = target_of(document, node, &target)?;
        if let Some(slot) = all.get_mut(k) {
            *slot = weight;
        }
        Ok((node, all.into()))
    };
    arguments.nodes(document)?.into_iter().map(changed).collect()
}

/// Sets a weight of the pose.
pub(super) fn set(document: &Document, arguments: &Arguments) -> Result<Vec<Edit>, CommandError> {
    let changed = with_target(document, arguments, |node| document.morph_weights(node))?;
    Ok(changed.into_iter().map(|(node, to)| Edit::SetMorphs { node, to: Some(to) }).collect())
}

/// The weights the mesh gives: the node's own go.
pub(super) fn reset(document: &Document, arguments: &Arguments) -> Result<Vec<Edit>, CommandError> {
    let nodes = arguments.nodes(document)?;
    Ok(nodes.into_iter().map(|node| Edit::SetMorphs { node, to: None }).collect())
}

/// Sets a weight that waits to be keyed; the others wait as they are seen.
pub(super) fn hold(document: &Document, arguments: &Arguments) -> Result<Vec<Edit>, CommandError> {
    let clip = if arguments.has("clip") { Some(arguments.clip(document)?) } else { None };
    let time = if arguments.has("time") { arguments.number("time")? } else { 0.0 };
    let seen = seen(document, clip, time);
    let changed = with_target(document, arguments, |node| seen.morphs[node.index()].clone())?;
    Ok(changed.into_iter().map(|(node, to)| Edit::SetPendingMorphs { node, to: Some(to) }).collect())
}

/// Sets a key for all morph targets of a node: of what is seen, one of them changed where it is named.
pub(super) fn key(document: &Document, arguments: &Arguments) -> Result<Vec<Edit>, CommandError> {
    let id = arguments.clip(document)?;
    let time = arguments.number("time")?;
    if time < 0.0 {
        return Err(CommandError::Other("a key cannot lie before 0 s; move the playhead".into()));
    }
    let seen = seen(document, Some(id), time);
    let weights = |node: NodeId| seen.morphs[node.index()].clone();
    let changed = if arguments.has("target") {
        with_target(document, arguments, weights)?
    } else {
        arguments.nodes(document)?.into_iter().map(|node| (node, weights(node).into())).collect()
    };
    let mut free = document.clips.get(&id).map_or(TrackId(0), |c| c.free_track_id());
    let mut edits = Vec::new();
    for (node, weights) in changed {
        edits.extend(key_edits(document, id, time, node, weights, &mut free)?);
    }
    Ok(edits)
}

fn seen(document: &Document, clip: Option<ClipId>, time: f32) -> Pose {
    let clip = clip.and_then(|c| document.clips.get(&c));
    Pose::evaluate(document, Moment { clip, time: f64::from(time) })
}

/// The edits that key a node's morph weights; nothing where its mesh has no targets.
pub(super) fn key_edits(
    document: &Document,
    id: ClipId,
    time: f32,
    node: NodeId,
    weights: Arc<[f32]>,
    free: &mut TrackId,
) -> Result<Vec<Edit>, CommandError> {
    let Some(clip) = document.clips.get(&id).filter(|_| !weights.is_empty()) else { return Ok(Vec::new()) };
    if clip.kept.contains(&(node, Property::Weights)) {
        let label = document.node(node).label(node);
        return Err(CommandError::Other(format!(
            "the weights keys of {label} are packed in a way that cannot be edited; unpack the file first"
        )));
    }
    let (track, to) = match clip.track(node, Property::Weights) {
        Some((track, old)) => (track, old.with_key(time, &weights, SAME_TIME)),
        None => {
            let track = *free;
            *free = TrackId(free.0 + 1);
            let width = weights.len();
            let new = Track {
                target: node,
                property: Property::Weights,
                interpolation: Interpolation::Linear,
                times: [time].into(),
                values: weights.into(),
                width,
            };
            (track, new)
        }
    };
    let mut edits = vec![Edit::SetTrack { clip: id, track, to: Some(Arc::new(to)) }];
    if document.pending_morphs.contains_key(&node) {
        edits.push(Edit::SetPendingMorphs { node, to: None });
    }
    Ok(edits)
}
