//! Removes references to removed nodes from keys, layers, unkeyed poses, pins, mirror pairs,
//! selection sets, joint groups, the humanoid map and the mix. Also handles vectors and constraints
//! of extensions.

use std::collections::{BTreeMap, BTreeSet};

use crate::Edit;
use ulna_model::{
    Clip, Document, Goal, LayerMask, Mix, MixMask, NodeId, NodeSpace, PoseLayer, Property, Shared,
    UnkeyedAt,
};

/// Returns the edits that remove all keys, poses and other references of nodes, and the number of
/// channels that lose their keys.
pub(super) fn without_nodes(document: &Document, nodes: &BTreeSet<NodeId>) -> (Vec<Edit>, usize) {
    let mut edits = Vec::new();
    for (clip, found) in document.clips.iter() {
        let gone = found.tracks.iter().filter(|(_, t)| nodes.contains(&t.target));
        edits.extend(gone.map(|(track, _)| Edit::SetTrack { clip, track: *track, to: None }));
    }
    let channels = edits.len();
    let names = |goal: &Goal| {
        nodes.contains(&goal.node) || goal.space.is_some_and(|space| nodes.contains(&space))
    };
    for (clip, found) in document.clips.iter().filter(|(_, c)| c.contacts.iter().any(names)) {
        let to = found.contacts.iter().filter(|goal| !names(goal)).cloned().collect();
        edits.push(Edit::SetContacts { clip, to });
    }
    for (at, pose) in &document.aids.unkeyed {
        edits.extend(unkeyed(*at, pose.locals.keys(), nodes, |at, node| Edit::SetUnkeyed {
            at,
            node,
            to: None,
        }));
        edits.extend(unkeyed(*at, pose.morphs.keys(), nodes, |at, node| Edit::SetUnkeyedMorphs {
            at,
            node,
            to: None,
        }));
    }
    for (home, layers) in &document.aids.pose_layers {
        let made: Vec<PoseLayer> = layers.iter().map(|l| without(l, nodes)).collect();
        if made.iter().zip(layers.iter()).any(|(a, b)| a != b) {
            let to = Some(Shared::new(made.into_iter().collect()));
            edits.push(Edit::SetPoseLayers { home: *home, to });
        }
    }
    let aids = &document.aids;
    let pairs = aids.mirror_pairs.iter();
    let pairs: Vec<_> = pairs
        .filter(|(a, b)| !nodes.contains(a) && !b.is_some_and(|b| nodes.contains(&b)))
        .copied()
        .collect();
    if pairs.len() < aids.mirror_pairs.len() {
        edits.push(Edit::SetMirrorPairs { to: pairs.into() });
    }
    let pins = aids.pins.keys().filter(|n| nodes.contains(n));
    edits.extend(pins.map(|node| Edit::SetPin { node: *node, to: None }));
    if let Some(mix) = &aids.mix {
        let made = mix_without(mix, nodes);
        if made != **mix {
            edits.push(Edit::SetMix { to: Some(Shared::new(made)) });
        }
    }
    for (scene, found) in document.scenes.iter() {
        let made: Vec<_> = found
            .sets
            .iter()
            .map(|set| {
                let mut set = set.clone();
                set.nodes.retain(|n| !nodes.contains(n));
                set
            })
            .filter(|set| !set.nodes.is_empty())
            .collect();
        if found.sets.iter().any(|set| set.nodes.iter().any(|n| nodes.contains(n))) {
            edits.push(Edit::SetNodeSets { scene, to: made.into() });
        }
    }
    for (scene, found) in document.scenes.iter() {
        if found.groups.iter().any(|g| g.nodes.iter().any(|n| nodes.contains(n))) {
            let mut to = found.groups.to_vec();
            to.iter_mut().for_each(|g| g.nodes.retain(|n| !nodes.contains(n)));
            edits.push(Edit::SetJointGroups { scene, to: to.into() });
        }
        let bones = found.humanoid.iter().flat_map(|vrm| vrm.bones.iter());
        if bones.clone().any(|(_, n)| nodes.contains(n)) {
            let to = bones.filter(|(_, n)| !nodes.contains(n)).cloned().collect();
            edits.push(Edit::SetHumanoid { scene: Some(scene), to });
        }
    }
    if let Some(to) = space_without(&document.node_space, nodes) {
        edits.push(Edit::SetNodeSpace { to });
    }
    (edits, channels)
}

/// Returns vectors and constraints without these nodes; `None` if they contain none of them. In the
/// saved file, they refer to an empty node in place of a removed one.
fn space_without(space: &NodeSpace, nodes: &BTreeSet<NodeId>) -> Option<NodeSpace> {
    let NodeSpace { vectors, constraints } = space;
    let is_gone = |n: NodeId| nodes.contains(&n);
    let made = NodeSpace {
        vectors: vectors.iter().filter(|v| !is_gone(v.node)).cloned().collect(),
        constraints: constraints
            .iter()
            .filter(|c| !is_gone(c.node) && !is_gone(c.source))
            .cloned()
            .collect(),
    };
    (made != *space).then_some(made)
}

/// Returns the edits that remove the morph keys of nodes that lose their mesh, and the number of
/// channels.
pub(super) fn without_morphs(document: &Document, nodes: &BTreeSet<NodeId>) -> (Vec<Edit>, usize) {
    let mut edits = Vec::new();
    for (clip, found) in document.clips.iter() {
        let gone = found
            .tracks
            .iter()
            .filter(|(_, t)| t.property == Property::Weights && nodes.contains(&t.target));
        edits.extend(gone.map(|(track, _)| Edit::SetTrack { clip, track: *track, to: None }));
    }
    let channels = edits.len();
    for (at, pose) in &document.aids.unkeyed {
        edits.extend(unkeyed(*at, pose.morphs.keys(), nodes, |at, node| Edit::SetUnkeyedMorphs {
            at,
            node,
            to: None,
        }));
    }
    (edits, channels)
}

fn unkeyed<'a>(
    at: UnkeyedAt,
    posed: impl Iterator<Item = &'a NodeId>,
    nodes: &BTreeSet<NodeId>,
    edit: impl Fn(UnkeyedAt, NodeId) -> Edit,
) -> Vec<Edit> {
    posed.filter(|n| nodes.contains(n)).map(|n| edit(at, *n)).collect()
}

/// Returns a layer without these nodes. A mask that starts at a removed node becomes a list of its
/// remaining nodes.
fn without(layer: &PoseLayer, nodes: &BTreeSet<NodeId>) -> PoseLayer {
    let mut made = layer.clone();
    if layer.moves.keys().any(|n| nodes.contains(n)) {
        let moves = layer.moves.iter().filter(|(n, _)| !nodes.contains(n));
        made.moves = Shared::new(moves.map(|(n, t)| (*n, *t)).collect());
    }
    if layer.keys.tracks.values().any(|t| nodes.contains(&t.target)) {
        let kept = layer.keys.tracks.iter().filter(|(_, t)| !nodes.contains(&t.target));
        let tracks = kept.map(|(id, t)| (*id, t.clone())).collect();
        made.keys = Shared::new(Clip { tracks, ..(*layer.keys).clone() });
    }
    made.mask = layer.mask.as_ref().map(|mask| {
        let painted = || {
            let counts = mask.counts.0.iter().enumerate();
            counts.map(|(k, share)| (NodeId::from(k), *share)).filter(|(_, s)| *s > 0.0).collect()
        };
        LayerMask { by: mask_without(&mask.by, nodes, painted), counts: mask.counts.clone() }
    });
    made
}

/// Returns a mask without these nodes. `painted` returns the weights of a mask that starts at a
/// removed node.
fn mask_without(
    mask: &MixMask,
    nodes: &BTreeSet<NodeId>,
    painted: impl FnOnce() -> BTreeMap<NodeId, f32>,
) -> MixMask {
    let kept = |shares: &BTreeMap<NodeId, f32>| {
        let left = shares.iter().filter(|(n, _)| !nodes.contains(n));
        MixMask::Painted(left.map(|(n, s)| (*n, *s)).collect())
    };
    match mask {
        MixMask::Below { joint, .. } if nodes.contains(joint) => kept(&painted()),
        MixMask::Painted(shares) => kept(shares),
        other => other.clone(),
    }
}

/// Returns a mix without these nodes. A mask that starts at a removed node becomes empty.
fn mix_without(mix: &Mix, nodes: &BTreeSet<NodeId>) -> Mix {
    let mut made = mix.clone();
    for lane in &mut made.lanes {
        let bars = lane.bars.iter_mut().map(|bar| &mut bar.mask);
        for mask in bars.chain([&mut lane.mask]).flatten() {
            *mask = mask_without(mask, nodes, BTreeMap::new);
        }
    }
    made
}
