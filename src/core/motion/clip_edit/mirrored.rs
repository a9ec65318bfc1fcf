//! A whole clip for the other side: left and right change places.

use std::collections::{BTreeMap, BTreeSet};

use super::join::pose_value;
use crate::{
    model::{Clip, Document, Interpolation, NodeId, Property, Shared, Track, TrackId},
    motion::Mirror,
};

/// A mirrored clip.
#[derive(Clone, Debug, PartialEq)]
pub struct MirroredClip {
    /// The clip.
    pub clip: Clip,
    /// Nodes that move and have no other side; they move as they did.
    pub alone: Vec<NodeId>,
    /// Tracks whose scale could not be taken over, since the axes of both joints do not lie on one another.
    pub scale_left: usize,
}

/// The clip with the motion of each joint on its mirror joint, and the other way round; of these nodes and their mirror joints
/// alone, where some are given. Where only one side has keys, the other gets the mirror image of the document's pose, so that what
/// is seen is the mirror image at all times. Weights of morph targets stay.
pub fn mirrored(document: &Document, clip: &Clip, mirror: &Mirror, only: Option<&[NodeId]>) -> MirroredClip {
    let mut made = MirroredClip { clip: clip.clone(), alone: Vec::new(), scale_left: 0 };
    let by_channel: BTreeMap<(NodeId, Property), TrackId> =
        clip.tracks.iter().map(|(id, t)| ((t.target, t.property), *id)).collect();
    let moved: BTreeSet<NodeId> = clip.tracks.values().map(|t| t.target).collect();
    let meant: BTreeSet<NodeId> = match only {
        None => moved.iter().copied().collect(),
        Some(nodes) => nodes.iter().copied().collect(),
    };
    let mut nodes = BTreeSet::new();
    for node in meant {
        match mirror.partner(node) {
            Some(partner) => nodes.extend([node, partner]),
            None if moved.contains(&node) => made.alone.push(node),
            None => {}
        }
    }
    for node in nodes.iter().copied() {
        let Some(partner) = mirror.partner(node) else { continue };
        if !moved.contains(&node) && !moved.contains(&partner) {
            continue;
        }
        // What the node does then is the mirror image of what its partner does.
        for property in Property::TRS {
            let from = by_channel.get(&(partner, property)).map(|id| &clip.tracks[id]);
            let own = by_channel.get(&(node, property)).copied();
            let track = match from {
                Some(track) => mirror.track(document, track).map(|m| {
                    made.scale_left += usize::from(m.scale_left);
                    m.track
                }),
                None => image_of_pose(document, mirror, partner, node, property),
            };
            match (track, own) {
                (Some(track), _) => {
                    let id = own.unwrap_or_else(|| made.clip.free_track_id());
                    made.clip.tracks.insert(id, Shared::new(track));
                }
                (None, Some(own)) => {
                    made.clip.tracks.remove(&own);
                }
                (None, None) => {}
            }
        }
    }
    made
}

/// One key of the mirror image of a joint's pose, where the other is not posed so already.
fn image_of_pose(document: &Document, mirror: &Mirror, from: NodeId, to: NodeId, property: Property) -> Option<Track> {
    /// Of a value of 1.
    const SAME: f32 = 2e-5;
    let image = mirror.pose(document, from, &document.node(from).local().transform())?.local;
    let value = match property {
        Property::Translation => image.translation.to_array().to_vec(),
        Property::Rotation => image.rotation.to_array().to_vec(),
        Property::Scale => image.scale.to_array().to_vec(),
        Property::Weights => return None,
    };
    let own = pose_value(document, to, property, value.len());
    let largest = own.iter().fold(1e-3f32, |a, v| a.max(v.abs()));
    let gap = |sign: f32| own.iter().zip(&value).map(|(a, b)| (a - sign * b).abs()).fold(0.0, f32::max);
    let gap = if property == Property::Rotation { gap(1.0).min(gap(-1.0)) } else { gap(1.0) };
    // Without keys the node goes back to its pose, which may be the image already.
    (gap > SAME * largest).then(|| Track {
        target: to,
        property,
        interpolation: Interpolation::Linear,
        times: [0.0].into(),
        width: value.len(),
        values: value.into(),
        kinds: Default::default(),
    })
}
