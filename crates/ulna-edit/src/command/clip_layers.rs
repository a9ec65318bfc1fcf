//! Updates pose layers and unkeyed poses of a clip when the whole clip changes.

use std::collections::BTreeSet;

use super::clip_keys::without_unkeyed;
use crate::Edit;
use ulna_model::{
    ClipId, Document, LayerHome, NodeId, PoseLayerId, PoseLayers, Shared, Unkeyed, UnkeyedAt,
};
use ulna_motion::{Mirror, Pose, Stack, clip_edit::mirrored_components, fold_pose};

/// Returns the pose layers of a clip; empty if it has none.
pub(super) fn layers_of(document: &Document, clip: ClipId) -> Shared<PoseLayers> {
    document.aids.layers(LayerHome::Clip(clip))
}

/// Returns the edit that sets the layers of a clip; `None` if they are already equal.
pub(super) fn with_layers(document: &Document, clip: ClipId, layers: PoseLayers) -> Option<Edit> {
    let home = LayerHome::Clip(clip);
    let to = (!layers.is_empty()).then(|| Shared::new(layers));
    (to.as_ref() != document.aids.pose_layers.get(&home))
        .then_some(Edit::SetPoseLayers { home, to })
}

/// Returns copies of layers with new ids that are unique in the document.
pub(super) fn numbered(document: &Document, layers: &PoseLayers) -> PoseLayers {
    let first = document.aids.free_pose_layer().0;
    let ids = (first..).map(PoseLayerId);
    layers.iter().zip(ids).map(|(layer, id)| layer.clone().named(id, layer.name.clone())).collect()
}

/// Returns the edits that move the unkeyed poses of a clip to other times, and a note if poses are
/// removed. A pose is removed if `place` returns `None` for its time.
pub(super) fn move_unkeyed(
    document: &Document,
    clip: ClipId,
    place: impl Fn(f32) -> Option<f32>,
) -> (Vec<Edit>, Option<String>) {
    let own: Vec<(UnkeyedAt, &Shared<Unkeyed>)> = poses_of(document, clip).collect();
    if own.iter().all(|(at, _)| place(at.time()) == Some(at.time())) {
        return (Vec::new(), None);
    }
    let mut edits = without_unkeyed(document, |at| at.clip == clip);
    let mut lost = 0;
    for (at, pose) in own {
        match place(at.time()) {
            Some(time) => edits.extend(set_unkeyed(UnkeyedAt::new(clip, time), pose)),
            None => lost += 1,
        }
    }
    let note = match lost {
        0 => None,
        1 => Some("1 unkeyed pose outside the kept range was removed".to_owned()),
        n => Some(format!("{n} unkeyed poses outside the kept range were removed")),
    };
    (edits, note)
}

/// Returns the edits that copy the unkeyed poses of one clip to another. `place` maps their times.
pub(super) fn copy_unkeyed(
    document: &Document,
    (from, to): (ClipId, ClipId),
    place: impl Fn(f32) -> Option<f32>,
) -> Vec<Edit> {
    let placed = poses_of(document, from).filter_map(|(at, pose)| Some((place(at.time())?, pose)));
    placed.flat_map(|(time, pose)| set_unkeyed(UnkeyedAt::new(to, time), pose)).collect()
}

/// Returns the edits that mirror the unkeyed poses of a clip. Morph weights do not change.
pub(super) fn mirror_unkeyed(
    document: &Document,
    clip: ClipId,
    mirror: &Mirror,
    only: Option<&[NodeId]>,
) -> Vec<Edit> {
    let meant: Option<BTreeSet<NodeId>> = only.map(|nodes| {
        let pairs = nodes.iter().filter_map(|n| Some([*n, mirror.partner(*n)?]));
        pairs.flatten().collect()
    });
    let is_meant = |n: &NodeId| meant.as_ref().is_none_or(|m| m.contains(n));
    let mut edits = Vec::new();
    for (at, pose) in poses_of(document, clip) {
        let stack = Stack::shown(document, Some(clip), f64::from(at.time()))
            .with_unkeyed(Some(pose.clone()));
        let seen = Pose::evaluate(document, &stack);
        let posed = |n: NodeId| seen.local[n.index()].transform();
        let mut removed = Vec::new();
        let mut set = Vec::new();
        for (node, own) in pose.locals.iter().filter(|(n, _)| is_meant(n)) {
            let Some((partner, image)) =
                mirrored_components(document, mirror, (*node, own), &posed)
            else {
                continue;
            };
            removed.push(Edit::SetUnkeyed { at, node: *node, to: None });
            set.push(Edit::SetUnkeyed { at, node: partner, to: Some(image) });
        }
        edits.extend(removed.into_iter().chain(set));
    }
    edits
}

/// Returns a document with the pose displayed without a clip: pose layers are baked into the nodes.
pub(super) fn as_posed(document: &Document) -> Document {
    let mut seen = document.clone();
    if let Some(layers) = seen.aids.pose_layers.remove(&LayerHome::Pose) {
        seen.file = fold_pose(&document.file, &layers);
    }
    seen
}

fn poses_of(
    document: &Document,
    clip: ClipId,
) -> impl Iterator<Item = (UnkeyedAt, &Shared<Unkeyed>)> {
    document
        .aids
        .unkeyed
        .iter()
        .filter(move |(at, _)| at.clip == clip)
        .map(|(at, pose)| (*at, pose))
}

fn set_unkeyed(at: UnkeyedAt, pose: &Unkeyed) -> Vec<Edit> {
    let locals =
        pose.locals.iter().map(|(node, to)| Edit::SetUnkeyed { at, node: *node, to: Some(*to) });
    let morphs = pose.morphs.iter().map(|(node, to)| Edit::SetUnkeyedMorphs {
        at,
        node: *node,
        to: Some(to.clone()),
    });
    locals.chain(morphs).collect()
}
