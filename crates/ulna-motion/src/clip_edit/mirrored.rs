//! Mirroring of whole clips: left and right are swapped.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    join::pose_value,
    layered::{CarriedByLayer, mirrored_layers},
};
use crate::{
    Evaluator, Mirror, MirrorGap, Pose, SkinGap, SkinPairs, Stack,
    fold::{follow, union},
    frame::set,
    sample_into,
};
use ulna_model::{
    Clip, Document, Goal, Interpolation, NodeId, PoseLayer, PoseLayers, Property, Shared, Track,
    TrackId, Transform, transform::is_turned_less,
};

/// A mirrored clip.
#[derive(Clone, Debug, PartialEq)]
pub struct MirroredClip {
    /// The mirrored clip.
    pub clip: Clip,
    /// Moving nodes without a partner, which are unchanged.
    pub alone: Vec<NodeId>,
    /// Number of scale tracks that lost a component, because the axes of the joint and its mirror
    /// joint are not parallel.
    pub scale_left: usize,
    /// Nodes that were resampled, because moving nodes without a partner are between them and their
    /// nearest ancestor with a partner.
    pub sampled: Vec<NodeId>,
    /// Nodes without motion that got a key, because their pose differs from the mirror image.
    pub posed: Vec<NodeId>,
    /// Number of moving nodes that have a partner or are in the middle.
    pub mirrored: usize,
    /// The mirrored layers of the clip.
    pub layers: PoseLayers,
}

/// Mirrors a clip: swaps the motion of each joint and its mirror joint. With `only`, just these
/// nodes and their mirror joints change.
///
/// If only one side has keys, the other side gets the mirror image of the document's pose. The
/// result is therefore the mirror image at all times. Weights of morph targets are unchanged. The
/// clip's layers are mirrored, too.
///
/// # Errors
/// A layer moves a node without a partner between two nodes with partners.
pub fn mirrored(
    document: &Document,
    (clip, layers): (&Clip, &PoseLayers),
    mirror: &Mirror,
    only: Option<&[NodeId]>,
) -> Result<MirroredClip, CarriedByLayer> {
    let layered = layers.iter().flat_map(PoseLayer::nodes);
    let moved: BTreeSet<NodeId> = clip.tracks.values().map(|t| t.target).chain(layered).collect();
    let meant = meant(document, mirror, only);
    let alone = match only {
        None => moved.iter().copied().collect(),
        Some(nodes) => nodes.to_vec(),
    };
    let alone =
        alone.into_iter().filter(|n| moved.contains(n) && mirror.partner(*n).is_none()).collect();
    let layers = match layers.is_empty() {
        true => PoseLayers::default(),
        false => mirrored_layers(document, layers, mirror, &meant)?,
    };
    let mut made = MirroredClip {
        clip: clip.clone(),
        alone,
        scale_left: 0,
        sampled: Vec::new(),
        posed: Vec::new(),
        mirrored: 0,
        layers,
    };
    let by_channel: BTreeMap<(NodeId, Property), TrackId> =
        clip.tracks.iter().map(|(id, t)| ((t.target, t.property), *id)).collect();
    // Parents first, since child nodes depend on them.
    for node in document.nodes.order().iter().copied().filter(|n| meant.contains(n)) {
        let Some(partner) = mirror.partner(node) else { continue };
        let between = mirror.between(document, partner);
        let carried: Vec<&Track> = clip
            .tracks
            .values()
            .filter(|t| t.property != Property::Weights && between.contains(&t.target))
            .map(|t| &**t)
            .collect();
        let moves = moved.contains(&node) || moved.contains(&partner);
        made.mirrored += usize::from(moves);
        if !moves && carried.is_empty() {
            if only.is_none() && is_posed_unlike(document, mirror, node) {
                made.posed.push(node);
            } else {
                continue;
            }
        }
        let sampled = (!carried.is_empty())
            .then(|| sampled(document, (clip, &made.clip), mirror, partner, &carried));
        made.sampled.extend(sampled.is_some().then_some(node));
        // The new motion of the node is the mirror image of its partner's motion.
        for property in Property::TRS {
            let from = by_channel.get(&(partner, property)).map(|id| &clip.tracks[id]);
            let own = by_channel.get(&(node, property)).copied();
            let from_between =
                sampled.as_ref().and_then(|s| s.iter().find(|t| t.property == property));
            let track = match (from_between, from) {
                (Some(track), _) => Some(track.clone()),
                (None, Some(track)) => mirror.track(document, track).map(|m| {
                    made.scale_left += usize::from(m.scale_left);
                    m.track
                }),
                (None, None) => image_of_pose(document, mirror, partner, node, property),
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
    made.clip.contacts = contacts(&clip.contacts, mirror, &meant);
    Ok(made)
}

/// Mirrors the contacts of a clip: contacts of mirrored joints move to their mirror joints. Their
/// positions are cleared, since the mirrored clip defines them.
fn contacts(all: &[Goal], mirror: &Mirror, meant: &BTreeSet<NodeId>) -> Shared<[Goal]> {
    let other = |node: NodeId| mirror.partner(node).filter(|_| meant.contains(&node));
    let made = all.iter().map(|goal| match other(goal.node) {
        None => goal.clone(),
        Some(node) => {
            let space = goal.space.map(|space| other(space).unwrap_or(space));
            Goal { node, space, place: None, ..goal.clone() }
        }
    });
    Goal::in_order(made.collect()).into()
}

/// Set of the nodes to mirror: those of `only` and their mirror joints, or all nodes with a mirror
/// joint.
fn meant(document: &Document, mirror: &Mirror, only: Option<&[NodeId]>) -> BTreeSet<NodeId> {
    let all = || document.node_ids().collect::<Vec<_>>();
    let nodes = only.map_or_else(all, <[NodeId]>::to_vec);
    nodes.into_iter().filter_map(|n| Some([n, mirror.partner(n)?])).flatten().collect()
}

/// Local transform of a node at a time of a clip that is applied to the document's pose.
fn local_in(document: &Document, clip: &Clip, node: NodeId, time: f64) -> Transform {
    let mut local = document.node(node).local().transform();
    let mut buffer = [0.0; 4];
    for (_, track) in Property::TRS.iter().filter_map(|p| clip.track(node, *p)) {
        let out = &mut buffer[..track.width];
        sample_into(track, time, out);
        set(&mut local, track.property, out);
    }
    local
}

/// Samples the rotation and translation of the mirror joint of a joint that has moving ancestors
/// without partners. Samples are at all key times of these ancestors, and between them with the
/// accuracy of baked layers.
fn sampled(
    document: &Document,
    (clip, made): (&Clip, &Clip),
    mirror: &Mirror,
    from: NodeId,
    carried: &[&Track],
) -> Vec<Track> {
    let own = Property::TRS.into_iter().filter_map(|p| clip.track(from, p)).map(|(_, t)| &**t);
    let times = union(own.chain(carried.iter().copied()));
    let Some(to) = mirror.partner(from) else { return Vec::new() };
    let at = |time: f32| {
        let time = f64::from(time);
        let local = local_in(document, clip, from, time);
        let was = |n: NodeId| local_in(document, clip, n, time);
        let is = |n: NodeId| local_in(document, made, n, time);
        mirror.pose_among(document, (from, &local), &was, &is).map_or(local, |m| m.local)
    };
    let unit = mirror.unit_above(document, to);
    [Property::Translation, Property::Rotation].map(|p| follow(&times, &at, p, to, unit)).to_vec()
}

/// Whether the pose of a static node visibly differs from the mirror image.
fn is_posed_unlike(document: &Document, mirror: &Mirror, node: NodeId) -> bool {
    /// Tolerance of the comparison: radians for rotations, relative to the size of the body for
    /// translations, and relative to the scale.
    const UNLIKE: f32 = 2e-3;
    let Some(partner) = mirror.partner(node) else { return false };
    let own = document.node(node).local().transform();
    let Some(image) = mirror.pose(document, partner, &document.node(partner).local().transform())
    else {
        return false;
    };
    let way = own.translation.distance(image.local.translation) * mirror.unit_above(document, node);
    let scaled = (own.scale - image.local.scale).abs().max_element();
    way > UNLIKE * mirror.size(node)
        || scaled > UNLIKE * own.scale.abs().max_element()
        || !is_turned_less(own.rotation, image.local.rotation, UNLIKE)
}

/// Creates one key with the mirror image of a joint's pose. `None` if the other joint has this pose
/// already.
fn image_of_pose(
    document: &Document,
    mirror: &Mirror,
    from: NodeId,
    to: NodeId,
    property: Property,
) -> Option<Track> {
    /// Maximum difference relative to the value, for both poses to count as equal.
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
    let gap =
        |sign: f32| own.iter().zip(&value).map(|(a, b)| (a - sign * b).abs()).fold(0.0, f32::max);
    let gap = if property == Property::Rotation { gap(1.0).min(gap(-1.0)) } else { gap(1.0) };
    // Without keys, the node keeps its pose in the document, which may already be the mirror image.
    (gap > SAME * largest).then(|| Track {
        target: to,
        property,
        interpolation: Interpolation::Linear,
        times: [0.0].into(),
        width: value.len(),
        values: value.into(),
        kinds: Default::default(),
        modes: Default::default(),
    })
}

/// Measures the largest difference between a mirrored clip and the mirror image of the original
/// clip. Returns it with its node and time.
pub fn mirror_gap(
    document: &Document,
    (clip, made): (&Shared<Clip>, &Shared<Clip>),
    mirror: &Mirror,
    only: Option<&[NodeId]>,
) -> Option<MirrorGap> {
    const TIMES: u32 = 48;
    let nodes = only.map(|_| meant(document, mirror, only));
    let (mut evaluators, mut poses) =
        ([Evaluator::default(), Evaluator::default()], [Pose::default(), Pose::default()]);
    let gap = |k: u32| {
        let time = f64::from(clip.length()) * f64::from(k) / f64::from(TIMES);
        for ((evaluator, pose), clip) in evaluators.iter_mut().zip(&mut poses).zip([clip, made]) {
            evaluator.update(document, &Stack::of(Some(clip), time), pose);
        }
        mirror.gap(document, (&poses[0], &poses[1]), nodes.as_ref())
    };
    (0..=TIMES).filter_map(gap).max_by(|a, b| a.part.total_cmp(&b.part))
}

/// Measures the largest difference between the skin of a mirrored clip and the mirror image of the
/// original skin. It is caused by asymmetric weights.
pub fn mirror_skin_gap(
    document: &Document,
    clip: &Shared<Clip>,
    made: &Shared<Clip>,
    mirror: &Mirror,
) -> Option<SkinGap> {
    const TIMES: u32 = 8;
    let mut evaluators = [Evaluator::default(), Evaluator::default()];
    let mut poses = [Pose::default(), Pose::default()];
    let mut pairs = None;
    let mut gap = |k: u32| {
        let time = f64::from(clip.length()) * f64::from(k) / f64::from(TIMES);
        for ((evaluator, pose), clip) in evaluators.iter_mut().zip(&mut poses).zip([clip, made]) {
            evaluator.update(document, &Stack::of(Some(clip), time), pose);
        }
        let pairs = pairs.get_or_insert_with(|| SkinPairs::of(document, mirror, &poses[0]));
        pairs.gap(document, &poses[0], &poses[1])
    };
    (0..=TIMES).filter_map(&mut gap).max_by(|a, b| a.part.total_cmp(&b.part))
}
