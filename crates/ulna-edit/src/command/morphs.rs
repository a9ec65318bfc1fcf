//! Commands on the weights of morph targets: in the pose, in an unkeyed pose, and in keys.

use super::{
    Between, CommandError, Scene, clip_keys,
    define::document_commands,
    field::{ClipName, Nodes, Seconds},
    rules,
};
use crate::Edit;
use ulna_model::{ClipId, Document, NodeId, Property, Shared, TrackId, UnkeyedAt};
use ulna_motion::{Pose, Stack, clip_edit::with_interpolation, insert_key};

/// Returns the index of a morph target of a node's mesh, by name or number.
fn target_of(document: &Document, node: NodeId, text: &str) -> Result<usize, CommandError> {
    let label = document.node(node).label(node);
    let Some(mesh) = document.node(node).mesh.map(|m| document.mesh(m)) else {
        return Err(CommandError::other(
            "no_mesh",
            format!("{label} has no mesh, so it has no morph targets"),
        ));
    };
    let named = mesh.target_names.iter().position(|n| &**n == text);
    let number =
        text.trim_start_matches('#').parse::<usize>().ok().filter(|k| *k < mesh.target_count());
    named.or(number).ok_or_else(|| {
        CommandError::other(
            "no_such_morph_target",
            format!(
                "{label} has no morph target “{text}”; the number of its morph targets is {}",
                mesh.target_count()
            ),
        )
    })
}

/// A node and the weights of all its morph targets.
type Weights = (NodeId, Shared<[f32]>);

document_commands! {
    /// Commands on the weights of morph targets.
    MorphCommand in "Pose";

    /// Sets the weight of a morph target, by its name or number
    SetMorph {
        /// Nodes with the morph target.
        node: Nodes,
        /// Morph target, by name or number.
        target: String,
        /// Weight of the morph target; 1 applies it fully.
        weight: f32,
    } = "pose.morph",
        "Set a morph target", menu: "Pose/Morph targets", asks: true, enabled: rules::morphing;
    /// Resets morph targets to the weights of the mesh
    ResetMorphs {
        /// Nodes with the morph target.
        node: Nodes,
    } = "pose.reset_morphs",
        "Reset morph targets", menu: "Pose/Morph targets", asks: true, enabled: rules::morphing;
    /// Sets a key for all morph targets of a node
    KeyMorphs {
        /// Clip to edit.
        clip: ClipName,
        /// Time in the clip, in seconds.
        time: Seconds,
        /// Nodes with the morph target.
        node: Nodes,
        /// Morph target to key with a new weight; other morph targets keep their current weight in
        /// the key.
        target: Option<String>,
        /// New weight of that morph target.
        weight: Option<f32>,
        /// Interpolation of tracks that had a single key and get a second one.
        interpolation: Option<Between>,
    } = "key.morph",
        "Key morph targets", menu: "Clip/Set keys", asks: true, enabled: rules::morphing,
        after: "timeline.lasso";
    /// Sets the weight of a morph target at a time of a clip, without setting a key
    HoldMorph {
        /// Clip to pose.
        clip: ClipName,
        /// Time in the clip, in seconds.
        time: Seconds,
        /// Nodes with the morph target.
        node: Nodes,
        /// Morph target, by name or number.
        target: String,
        /// Weight of the morph target; 1 applies it fully.
        weight: f32,
    } = "unkeyed.morph",
        "Pose a morph target without a key", menu: "Clip/Set keys", asks: true,
        enabled: rules::morphing;
}

/// Returns the weights of all nodes with one target's weight replaced. `weights` returns the
/// current weights of a node.
fn with_target(
    document: &Document,
    nodes: Vec<NodeId>,
    (target, weight): (&str, f32),
    weights: impl Fn(NodeId) -> Vec<f32>,
) -> Result<Vec<Weights>, CommandError> {
    let changed = |node: NodeId| {
        let mut all = weights(node);
        let k = target_of(document, node, target)?;
        if let Some(slot) = all.get_mut(k) {
            *slot = weight;
        }
        Ok((node, all.into()))
    };
    nodes.into_iter().map(changed).collect()
}

impl SetMorph {
    fn work(&self, scene: &Scene<'_>) -> Result<Vec<Edit>, CommandError> {
        let document = scene.document;
        let to = (self.target.as_str(), self.weight);
        let changed = with_target(document, self.node.all(document)?, to, |node| {
            document.morph_weights(node)
        })?;
        Ok(changed.into_iter().map(|(node, to)| Edit::SetMorphs { node, to: Some(to) }).collect())
    }
}

impl ResetMorphs {
    /// Removes the node's own weights, so that those of the mesh apply.
    fn work(&self, scene: &Scene<'_>) -> Result<Vec<Edit>, CommandError> {
        let nodes = self.node.all(scene.document)?;
        Ok(nodes.into_iter().map(|node| Edit::SetMorphs { node, to: None }).collect())
    }
}

impl HoldMorph {
    /// Sets one weight of an unkeyed pose. The weights of other targets keep their displayed
    /// values.
    fn work(&self, scene: &Scene<'_>) -> Result<Vec<Edit>, CommandError> {
        let document = scene.document;
        let id = self.clip.find(document)?;
        let time = clip_keys::time_of(self.time)?;
        let seen = seen(document, id, time)?;
        let at = document
            .aids
            .unkeyed(id, f64::from(time))
            .map_or_else(|| UnkeyedAt::new(id, time), |(at, _)| at);
        let to = (self.target.as_str(), self.weight);
        let changed = with_target(document, self.node.all(document)?, to, |node| {
            seen.morphs[node.index()].clone()
        })?;
        Ok(changed
            .into_iter()
            .map(|(node, to)| Edit::SetUnkeyedMorphs { at, node, to: Some(to) })
            .collect())
    }
}

impl KeyMorphs {
    /// Keys the displayed weights, with one of them replaced if a target is given.
    fn work(&self, scene: &Scene<'_>) -> Result<Vec<Edit>, CommandError> {
        let document = scene.document;
        let id = self.clip.find(document)?;
        let time = clip_keys::time_of(self.time)?;
        let to = match (&self.target, self.weight) {
            (Some(target), Some(weight)) => Some((target.as_str(), weight)),
            (None, None) => None,
            _ => {
                return Err(CommandError::other(
                    "arguments_together",
                    "“target” and “weight” must be used together: the morph target and its weight",
                ));
            }
        };
        let seen = seen(document, id, time)?;
        let weights = |node: NodeId| seen.morphs[node.index()].clone();
        let nodes = self.node.all(document)?;
        let changed = match to {
            Some(to) => with_target(document, nodes, to, weights)?,
            None => nodes.into_iter().map(|node| (node, weights(node).into())).collect(),
        };
        let mut free = clip_keys::clip_of(document, id)?.free_track_id();
        let held = document.aids.unkeyed(id, f64::from(time));
        let mut edits = Vec::new();
        for (node, weights) in changed {
            if weights.is_empty() {
                let label = document.node(node).label(node);
                return Err(CommandError::other(
                    "no_such_morph_target",
                    format!("{label} has no morph targets to key"),
                ));
            }
            let unkeyed = held.filter(|(_, pose)| pose.morphs.contains_key(&node));
            let value = (to.is_some() || unkeyed.is_some()).then_some(&weights[..]);
            let interpolation = self.interpolation;
            let key = MorphKey { time, node, value, targets: weights.len(), interpolation };
            edits.extend(key_edits(document, id, &key, &mut free)?);
            edits.extend(unkeyed.map(|(at, _)| Edit::SetUnkeyedMorphs { at, node, to: None }));
        }
        Ok(edits)
    }
}

fn seen(document: &Document, clip: ClipId, time: f32) -> Result<Pose, CommandError> {
    let unkeyed = document.aids.unkeyed(clip, f64::from(time)).map(|(_, pose)| pose);
    clip_keys::clip_of(document, clip)?;
    let stack = Stack::shown(document, Some(clip), f64::from(time));
    Ok(Pose::evaluate(document, &stack.with_unkeyed(unkeyed.cloned())))
}

/// A key of all morph weights of a node.
pub(super) struct MorphKey<'a> {
    /// Time of the key, in seconds.
    pub time: f32,
    /// The keyed node.
    pub node: NodeId,
    /// New weights; the displayed ones if `None`.
    pub value: Option<&'a [f32]>,
    /// Number of morph targets of the node's mesh.
    pub targets: usize,
    /// Interpolation of tracks that had a single key and get a second one.
    pub interpolation: Option<Between>,
}

/// Returns the edits that set a key of morph weights; empty if the mesh has no targets.
pub(super) fn key_edits(
    document: &Document,
    id: ClipId,
    key: &MorphKey<'_>,
    free: &mut TrackId,
) -> Result<Vec<Edit>, CommandError> {
    let &MorphKey { time, node, value, targets, interpolation } = key;
    let clip = clip_keys::clip_of(document, id)?;
    if targets == 0 {
        return Ok(Vec::new());
    }
    clip_keys::refuse_kept(document, clip, node, Property::Weights)?;
    let (track, to) = match clip.track(node, Property::Weights) {
        Some((track, old)) => {
            let mut made =
                insert_key(old, time, value.filter(|v| v.len() == old.width), false).track;
            if made == **old {
                return Ok(Vec::new());
            }
            if let Some(way) =
                interpolation.filter(|_| old.times.len() < 2 && made.times.len() == 2)
            {
                made = with_interpolation(&made, way.interpolation());
            }
            (track, made)
        }
        None => {
            let track = *free;
            *free = TrackId(free.0 + 1);
            let seen = || document.morph_weights(node);
            (
                track,
                clip_keys::lone(
                    node,
                    Property::Weights,
                    time,
                    value.map_or_else(seen, <[f32]>::to_vec),
                ),
            )
        }
    };
    Ok(vec![Edit::SetTrack { clip: id, track, to: Some(Shared::new(to)) }])
}
