//! Commands on the weights of morph targets: posed, unkeyed, and keyed.

use std::sync::Arc;

use super::{Arguments, CommandError, Edit, keys};
use crate::{
    model::{ClipId, Document, NodeId, Property, TrackId, UnkeyedAt},
    motion::{Moment, Pose, insert_key},
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

/// Sets a weight that is not keyed yet; the other targets' are as they are seen.
pub(super) fn hold(document: &Document, arguments: &Arguments) -> Result<Vec<Edit>, CommandError> {
    let id = arguments.clip(document)?;
    let time = keys::time_of(arguments)?;
    let seen = seen(document, id, time)?;
    let at = document.aids.unkeyed(id, f64::from(time)).map_or_else(|| UnkeyedAt::new(id, time), |(at, _)| at);
    let changed = with_target(document, arguments, |node| seen.morphs[node.index()].clone())?;
    Ok(changed.into_iter().map(|(node, to)| Edit::SetUnkeyedMorphs { at, node, to: Some(to) }).collect())
}

/// Sets a key for all morph targets of a node: of what is seen, one of them changed where it is named.
pub(super) fn key(document: &Document, arguments: &Arguments) -> Result<Vec<Edit>, CommandError> {
    let id = arguments.clip(document)?;
    let time = keys::time_of(arguments)?;
    if arguments.has("target") != arguments.has("weight") {
        return Err(CommandError::Other(
            "“target” and “weight” go together: which morph target, and what it is set to".into(),
        ));
    }
    let seen = seen(document, id, time)?;
    let weights = |node: NodeId| seen.morphs[node.index()].clone();
    let named = arguments.has("target");
    let changed = if named {
        with_target(document, arguments, weights)?
    } else {
        arguments.nodes(document)?.into_iter().map(|node| (node, weights(node).into())).collect()
    };
    let mut free = keys::clip_of(document, id)?.free_track_id();
    let held = document.aids.unkeyed(id, f64::from(time));
    let mut edits = Vec::new();
    for (node, weights) in changed {
        if weights.is_empty() {
            let label = document.node(node).label(node);
            return Err(CommandError::Other(format!("{label} has no morph targets to key")));
        }
        let unkeyed = held.filter(|(_, pose)| pose.morphs.contains_key(&node));
        let value = (named || unkeyed.is_some()).then_some(&weights[..]);
        edits.extend(key_edits(document, id, time, node, value, weights.len(), &mut free)?);
        edits.extend(unkeyed.map(|(at, _)| Edit::SetUnkeyedMorphs { at, node, to: None }));
    }
    Ok(edits)
}

fn seen(document: &Document, clip: ClipId, time: f32) -> Result<Pose, CommandError> {
    let unkeyed = document.aids.unkeyed(clip, f64::from(time)).map(|(_, pose)| pose);
    let clip = keys::clip_of(document, clip)?;
    Ok(Pose::evaluate(document, Moment { clip: Some(clip), time: f64::from(time), unkeyed }))
}

/// The edits that key a node's morph weights, to a value or as they are seen; nothing where its mesh has no targets.
pub(super) fn key_edits(
    document: &Document,
    id: ClipId,
    time: f32,
    node: NodeId,
    value: Option<&[f32]>,
    targets: usize,
    free: &mut TrackId,
) -> Result<Vec<Edit>, CommandError> {
    let clip = keys::clip_of(document, id)?;
    if targets == 0 {
        return Ok(Vec::new());
    }
    if clip.kept.contains(&(node, Property::Weights)) {
        let label = document.node(node).label(node);
        return Err(CommandError::Other(format!(
            "the weights keys of {label} cannot be read, and are kept as they are; Problems says why"
        )));
    }
    let (track, to) = match clip.track(node, Property::Weights) {
        Some((track, old)) => {
            let made = insert_key(old, time, value.filter(|v| v.len() == old.width), false).track;
            if made == **old {
                return Ok(Vec::new());
            }
            (track, made)
        }
        None => {
            let track = *free;
            *free = TrackId(free.0 + 1);
            let seen = || document.morph_weights(node);
            (track, keys::lone(node, Property::Weights, time, value.map_or_else(seen, <[f32]>::to_vec)))
        }
    };
    Ok(vec![Edit::SetTrack { clip: id, track, to: Some(Arc::new(to)) }])
}
