//! Layers computed from the difference of two clips, and merging of two layers.

use std::collections::BTreeMap;

use super::{
    added::Under,
    clip::fold_clip,
    follow::{follow_within, union},
    pose::fold_pose,
};
use crate::{Pose, Stack, frame::set};
use ulna_model::{
    Clip, ClipId, Document, LayerHome, Local, NodeId, PoseLayer, PoseLayers, Property, Shared,
    Transform, transform::angle_between,
};

/// Computes the layer that makes a clip with its layers equal to another clip with its layers.
///
/// # Errors
/// The scale of the returned node is 0 at some time, and no layer can change it.
pub fn difference(document: &Document, clip: ClipId, other: ClipId) -> Result<PoseLayer, NodeId> {
    let file = fold_pose(&document.file, &document.aids.layers(LayerHome::Pose));
    let side = |id: ClipId| {
        let layers = document.aids.layers(LayerHome::Clip(id));
        document.clips.get(id).map(|clip| fold_clip(&file, clip, &layers).clip).unwrap_or_default()
    };
    let (from, to) = (side(clip), side(other));
    let rest = Pose::evaluate(&file, &Stack::default());
    let trs = |c: &Clip| -> Vec<NodeId> {
        c.tracks.values().filter(|t| t.property != Property::Weights).map(|t| t.target).collect()
    };
    let nodes: std::collections::BTreeSet<NodeId> =
        trs(&from).into_iter().chain(trs(&to)).collect();
    let (mut moves, mut keys) = (BTreeMap::new(), Clip::default());
    for node in nodes {
        let (a, b) = (Under::of(&file, &from, node), Under::of(&file, &to, node));
        let times = union(a.tracks.iter().chain(&b.tracks).flatten().copied());
        let mut bad = false;
        let found: Vec<Transform> = times
            .iter()
            .map(|t| {
                let made = a.at(f64::from(*t)).user_from(&b.at(f64::from(*t)));
                bad |= made.is_err();
                made.unwrap_or_default()
            })
            .collect();
        if bad {
            return Err(node);
        }
        let at = |t: f32| a.at(f64::from(t)).user_from(&b.at(f64::from(t))).unwrap_or_default();
        let size = rest.parent_world(&file, node).x_axis.truncate().length().max(1e-12);
        let first = found.first().copied().unwrap_or_default();
        let mut constant = Transform::IDENTITY;
        for property in Property::TRS {
            let same = |x: &Transform, y: &Transform| match property {
                Property::Translation => x.translation.distance(y.translation) * size <= 1e-6,
                Property::Rotation => angle_between(x.rotation, y.rotation) <= 1e-5,
                Property::Scale | Property::Weights => {
                    (x.scale - y.scale).abs().max_element() <= 1e-6
                }
            };
            if found.iter().all(|u| same(u, &Transform::IDENTITY)) {
                continue;
            }
            if found.iter().all(|u| same(u, &first)) {
                match property {
                    Property::Translation => constant.translation = first.translation,
                    Property::Rotation => constant.rotation = first.rotation,
                    Property::Scale | Property::Weights => constant.scale = first.scale,
                }
                continue;
            }
            // A smaller tolerance than for saving: errors of this layer are visible immediately,
            // and each later bake adds to them.
            let track = follow_within(0.1, &times, &at, property, node, size);
            keys.tracks.insert(keys.free_track_id(), Shared::new(track));
        }
        if constant != Transform::IDENTITY {
            moves.insert(node, constant);
        }
    }
    Ok(PoseLayer { keys: Shared::new(keys), ..PoseLayer::new("", moves) })
}

/// Merges two layers into one. `over` is applied after `under`. The result is equal if the scale of
/// the nodes below the layers is uniform.
pub fn merged(document: &Document, under: &PoseLayer, over: &PoseLayer) -> PoseLayer {
    // On identity transforms, the result equals the added transform.
    let mut file = document.file.clone();
    for found in file.nodes.values_mut() {
        (found.rest, found.pose) = (Local::Trs(Transform::IDENTITY), None);
    }
    let layers: PoseLayers = [under.clone(), over.clone()].into_iter().collect();
    let made = fold_clip(&file, &Shared::new(Clip::default()), &layers).clip;
    let mut moves: BTreeMap<NodeId, Transform> = BTreeMap::new();
    let mut keys = Clip::default();
    for track in made.tracks.values() {
        if track.times.len() == 1 {
            set(moves.entry(track.target).or_default(), track.property, track.value(0));
        } else {
            keys.tracks.insert(keys.free_track_id(), track.clone());
        }
    }
    PoseLayer { keys: Shared::new(keys), ..PoseLayer::new("", moves) }
}
