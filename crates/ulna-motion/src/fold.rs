//! Layers folded into keys and nodes: what saving writes, and what *Fold into keys* leaves.
//!
//! ```text
//!  change by the layer      below it                  result
//!  constant rotation        any keys                  each key (and tangent) · r      exact
//!  constant scale           any keys                  each key (and tangent) ∘ s      exact
//!  constant translation     rotation, scale constant  each key + R·S·t                exact
//!  constant translation     they are animated         keys at the union of times, and
//!  anything with keys       any keys                  more, until within TOLERANCE
//!  any of these             no channel                one key, or as above
//! ```
//!
//! Exact is so for rotations since slerp and the Hermite polynomial commute with a product on the
//! right.

use std::collections::BTreeMap;

use glam::{Quat, Vec3};
use rayon::prelude::*;

use super::{
    Evaluator, Pose, SeenPoints, Stack, frame::set, sample::sample_into, slerp, with_layers,
};
use ulna_model::{
    Asset, Clip, ClipId, Document, Interpolation, LayerHome, Local, NodeId, NodePose, PoseLayer,
    PoseLayers, Property, Shared, Track, TrackId, Transform, part_of,
    transform::{angle_between, unit_or},
};

/// How far keys that were sampled may be from what was seen, at a joint: 0.1 mm in the scene, 0.1°,
/// a thousandth of the size.
pub const TOLERANCE: Transform = Transform {
    translation: Vec3::splat(1e-4),
    rotation: Quat::from_xyzw(0.1 * std::f32::consts::PI / 180.0, 0.0, 0.0, 1.0),
    scale: Vec3::splat(1e-3),
};

/// A clip with its layers in its keys.
#[derive(Clone, Debug)]
pub struct Folded {
    /// The clip; the very same where its layers do nothing.
    pub clip: Shared<Clip>,
    /// How many tracks have the same keys, with other values, or one key.
    pub exact: usize,
    /// How many were sampled.
    pub sampled: usize,
    /// How many keys there are more than before.
    pub keys_added: usize,
    /// What could not be folded, since its keys cannot be edited.
    pub refused: Vec<(NodeId, Property)>,
}

/// What one layer adds to one node.
struct Added<'a> {
    constant: Transform,
    tracks: Vec<&'a Track>,
    strength: f32,
    strength_keys: Option<&'a Track>,
    mask: f32,
}

impl Added<'_> {
    fn at(&self, time: f64) -> Transform {
        let mut user = self.constant;
        let mut buffer = [0.0; 4];
        for track in &self.tracks {
            let out = &mut buffer[..track.width];
            sample_into(track, time, out);
            set(&mut user, track.property, out);
        }
        let strength = self.strength_keys.map_or(self.strength, |keys| {
            sample_into(keys, time, &mut buffer[..1]);
            buffer[0].clamp(0.0, 1.0)
        });
        part_of(&user, strength * self.mask)
    }

    fn track(&self, property: Property) -> Option<&Track> {
        self.tracks.iter().find(|t| t.property == property).copied()
    }

    /// Whether it moves that component at any time.
    fn moves(&self, property: Property) -> bool {
        let still = |user: &Transform| match property {
            Property::Translation => user.translation == Vec3::ZERO,
            Property::Rotation => user.rotation == Quat::IDENTITY,
            Property::Scale | Property::Weights => user.scale == Vec3::ONE,
        };
        self.track(property).is_some() || !still(&self.constant)
    }

    /// Whether it moves that component otherwise at another time.
    fn is_keyed(&self, property: Property) -> bool {
        self.track(property).is_some_and(varies)
            || (self.moves(property) && self.strength_keys.is_some_and(varies))
    }
}

/// Whether a track has more than one value.
fn varies(track: &Track) -> bool {
    let width = track.stride();
    track.values.chunks(width).skip(1).any(|key| *key != track.values[..width])
        || (track.interpolation == Interpolation::CubicSpline
            && track
                .values
                .chunks(track.width)
                .enumerate()
                .any(|(k, v)| k % 3 != 1 && v.iter().any(|v| *v != 0.0)))
}

/// A node below its layers.
struct Under<'a> {
    base: Transform,
    /// Translation, rotation, scale.
    tracks: [Option<&'a Track>; 3],
}

impl<'a> Under<'a> {
    fn of(file: &Asset, clip: &'a Clip, node: NodeId) -> Self {
        let pointed = |p: Property| {
            let tracks = clip.pointers.iter().filter_map(|t| t.track.as_ref());
            tracks.filter(|t| (t.target, t.property) == (node, p)).map(|t| &**t).next_back()
        };
        let track = |p| pointed(p).or_else(|| clip.track(node, p).map(|(_, t)| &**t));
        Self { base: file.node(node).local().transform(), tracks: Property::TRS.map(track) }
    }

    fn at(&self, time: f64) -> Transform {
        let mut local = self.base;
        let mut buffer = [0.0; 4];
        for track in self.tracks.iter().flatten() {
            let out = &mut buffer[..track.width];
            sample_into(track, time, out);
            set(&mut local, track.property, out);
        }
        local
    }
}

/// A clip with its layers in its keys. What nodes are without it is as in `file`, with the layers
/// of the pose in it.
pub fn fold_clip(file: &Asset, clip: &Shared<Clip>, layers: &PoseLayers) -> Folded {
    let mut done =
        Folded { clip: clip.clone(), exact: 0, sampled: 0, keys_added: 0, refused: Vec::new() };
    let mut by_node: BTreeMap<NodeId, Vec<Added<'_>>> = BTreeMap::new();
    for layer in layers.counting() {
        for node in layer.nodes() {
            let mask = layer.mask_at(node);
            let silent = mask == 0.0 || (layer.strength_keys.is_none() && layer.strength == 0.0);
            if silent || !file.nodes.contains(node) {
                continue;
            }
            by_node.entry(node).or_default().push(Added {
                constant: layer.constant(node),
                tracks: layer
                    .keys
                    .tracks
                    .values()
                    .filter(|t| t.target == node)
                    .map(|t| &**t)
                    .collect(),
                strength: layer.strength,
                strength_keys: layer.strength_keys.as_deref(),
                mask,
            });
        }
    }
    if by_node.is_empty() {
        return done;
    }
    // What a length in a node's parent is in the scene, at rest.
    let rest = Pose::evaluate(file, &Stack::default());
    let mut tracks = clip.tracks.clone();
    let mut free = clip.free_track_id();
    let first =
        clip.tracks.values().filter_map(|t| t.times.first().copied()).fold(f32::INFINITY, f32::min);
    let first = if first.is_finite() { first } else { 0.0 };
    for (node, added) in &by_node {
        let under = Under::of(file, clip, *node);
        let size = rest.parent_world(file, *node).x_axis.truncate().length().max(1e-12);
        for property in Property::TRS {
            if !added.iter().any(|a| a.moves(property)) {
                continue;
            }
            if clip.kept.contains(&(*node, property)) {
                done.refused.push((*node, property));
                continue;
            }
            let old = clip.track(*node, property).map(|(id, t)| (id, &**t));
            let still = match property {
                Property::Translation => {
                    let moves = |p: Property, t: &Option<&Track>| {
                        t.is_some_and(varies) || added.iter().any(|a| a.is_keyed(p))
                    };
                    !added.iter().any(|a| a.is_keyed(Property::Translation))
                        && !moves(Property::Rotation, &under.tracks[1])
                        && !moves(Property::Scale, &under.tracks[2])
                }
                _ => !added.iter().any(|a| a.is_keyed(property)),
            };
            let made = if still {
                exact(&under, added, property, old.map(|(_, t)| t), (*node, first))
            } else {
                Some(sampled(&under, added, property, (*node, size), clip.length()))
            };
            let Some(made) = made else { continue };
            if still {
                done.exact += 1;
            } else {
                done.sampled += 1;
            }
            done.keys_added +=
                made.times.len().saturating_sub(old.map_or(0, |(_, t)| t.times.len()));
            let id = old.map_or(free, |(id, _)| id);
            if old.is_none() {
                free = TrackId(free.0 + 1);
            }
            tracks.insert(id, Shared::new(made));
        }
    }
    if done.exact + done.sampled > 0 {
        // What is sampled says nothing of the rate that the clip is made at.
        done.clip = Shared::new(Clip { tracks, ..(**clip).clone() }.at_rate_of(clip));
    }
    done
}

/// The same keys with other values; nothing where nothing comes of the layers.
fn exact(
    under: &Under<'_>,
    added: &[Added<'_>],
    property: Property,
    old: Option<&Track>,
    (target, first): (NodeId, f32),
) -> Option<Track> {
    let time = f64::from(first);
    let users: Vec<Transform> = added.iter().map(|a| a.at(time)).collect();
    let turn = users.iter().fold(Quat::IDENTITY, |all, u| all * u.rotation);
    let factor = users.iter().fold(Vec3::ONE, |all, u| all * u.scale);
    let below = under.at(time);
    let above = users.iter().fold(below, |local, user| local.compose(user));
    let way = above.translation - below.translation;
    match property {
        Property::Translation => way != Vec3::ZERO,
        Property::Rotation => turn != Quat::IDENTITY,
        Property::Scale | Property::Weights => factor != Vec3::ONE,
    }
    .then_some(())?;
    let Some(old) = old else {
        let value = match property {
            Property::Translation => above.translation.to_array().to_vec(),
            Property::Rotation => above.rotation.to_array().to_vec(),
            Property::Scale | Property::Weights => above.scale.to_array().to_vec(),
        };
        return Some(linear(target, property, vec![first], value));
    };
    let mut values = old.values.to_vec();
    let cubic = old.interpolation == Interpolation::CubicSpline;
    for (k, value) in values.chunks_mut(old.width).enumerate() {
        match property {
            Property::Translation => {
                // A tangent is a speed, which a way that stays does not change.
                if !cubic || k % 3 == 1 {
                    value.iter_mut().zip(way.to_array()).for_each(|(v, w)| *v += w);
                }
            }
            Property::Rotation => {
                value.copy_from_slice(&(Quat::from_slice(value) * turn).to_array())
            }
            Property::Scale | Property::Weights => {
                value.iter_mut().zip(factor.to_array()).for_each(|(v, f)| *v *= f);
            }
        }
    }
    Some(Track { values: values.into(), ..old.clone() })
}

fn linear(target: NodeId, property: Property, times: Vec<f32>, values: Vec<f32>) -> Track {
    let width = values.len() / times.len();
    let (times, values) = (times.into(), values.into());
    Track {
        target,
        property,
        interpolation: Interpolation::Linear,
        times,
        values,
        width,
        kinds: Default::default(),
    }
}

/// Keys at the union of all times that have a part in it, and as many between them as it takes.
///
/// Nothing after the end of the clip is seen, so that no key lies there, whatever keys a layer has.
fn sampled(
    under: &Under<'_>,
    added: &[Added<'_>],
    property: Property,
    (target, size): (NodeId, f32),
    length: f32,
) -> Track {
    let own = match property {
        Property::Rotation => &under.tracks[1..2],
        Property::Scale => &under.tracks[2..3],
        Property::Translation | Property::Weights => &under.tracks[..],
    };
    let layered = added.iter().flat_map(|a| a.tracks.iter().copied().chain(a.strength_keys));
    let layered = layered
        .filter(|t| property == Property::Translation || t.property == property || t.width == 1);
    let mut times = union(own.iter().flatten().copied().chain(layered));
    if length > 0.0 && times.last().is_some_and(|t| *t > length) {
        times.retain(|t| *t < length);
        times.push(length);
    }
    let at = |time: f32| {
        let time = f64::from(time);
        added.iter().fold(under.at(time), |local, a| local.compose(&a.at(time)))
    };
    follow(&times, &at, property, target, size)
}

/// All times of keys of some tracks, each once, in their order.
pub(super) fn union<'a>(tracks: impl Iterator<Item = &'a Track>) -> Vec<f32> {
    let mut times: Vec<f32> = Vec::new();
    for track in tracks {
        times.extend(track.times.iter());
        if track.interpolation == Interpolation::Step {
            // A jump is two keys that follow each other as closely as can be.
            times.extend(track.times.iter().skip(1).map(|t| t.next_down()));
        }
    }
    times.sort_by(f32::total_cmp);
    times.dedup();
    times
}

/// Linear keys of what a function says: at these times, of which there is one at least, and between
/// them until it is followed.
pub(super) fn follow(
    times: &[f32],
    at: &dyn Fn(f32) -> Transform,
    property: Property,
    target: NodeId,
    size: f32,
) -> Track {
    follow_within(1.0, times, at, property, target, size)
}

/// The same, within a part of what is allowed.
fn follow_within(
    part: f32,
    times: &[f32],
    at: &dyn Fn(f32) -> Transform,
    property: Property,
    target: NodeId,
    size: f32,
) -> Track {
    let near = |a: &Transform, b: &Transform| {
        // Half of what is allowed: it is looked at in a few places only.
        let part = 0.5 * part;
        match property {
            Property::Translation => {
                a.translation.distance(b.translation) * size <= part * TOLERANCE.translation.x
            }
            Property::Rotation => {
                angle_between(a.rotation, b.rotation) <= part * TOLERANCE.rotation.x
            }
            Property::Scale | Property::Weights => {
                (a.scale - b.scale).abs().max_element()
                    <= part * TOLERANCE.scale.x * a.scale.abs().max_element().max(1e-6)
            }
        }
    };
    let mut keys: Vec<(f32, Transform)> = times.iter().map(|t| (*t, at(*t))).collect();
    let mut made: Vec<(f32, Transform)> = Vec::with_capacity(keys.len());
    // Spans that are not looked at yet, the next one last.
    keys.reverse();
    if let Some(key) = keys.pop() {
        made.push(key);
    }
    while let Some(next) = keys.pop() {
        let (time, from) = made[made.len() - 1];
        let (end, to) = next;
        let span = end - time;
        let off = span > SHORTEST
            && LOOKS.into_iter().any(|u| {
                let between = Transform {
                    translation: from.translation.lerp(to.translation, u),
                    rotation: slerp(from.rotation, to.rotation, u),
                    scale: from.scale.lerp(to.scale, u),
                };
                !near(&at(time + span * u), &between)
            });
        if off {
            let middle = time + span * 0.5;
            keys.push(next);
            keys.push((middle, at(middle)));
        } else {
            made.push(next);
        }
    }
    let mut last = made[0].1.rotation;
    let mut values = Vec::new();
    for (_, key) in &made {
        match property {
            Property::Translation => values.extend(key.translation.to_array()),
            Property::Rotation => {
                let turn = if last.dot(key.rotation) < 0.0 { -key.rotation } else { key.rotation };
                last = turn;
                values.extend(unit_or(turn, Quat::IDENTITY).to_array());
            }
            Property::Scale | Property::Weights => values.extend(key.scale.to_array()),
        }
    }
    linear(target, property, made.into_iter().map(|(t, _)| t).collect(), values)
}

/// Parts of a span at which it is looked at, the likeliest first.
const LOOKS: [f32; 7] = [0.5, 0.25, 0.75, 0.125, 0.875, 0.375, 0.625];

/// Keys are not set closer than this to make a motion follow, seconds.
const SHORTEST: f32 = 1e-4;

/// A file with the layers of its pose in its nodes; where there are none, what it was.
pub fn fold_pose(file: &Asset, layers: &PoseLayers) -> Asset {
    let mut folded = file.clone();
    let nodes: std::collections::BTreeSet<NodeId> =
        layers.counting().flat_map(|l| l.nodes()).collect();
    for node in nodes.into_iter().filter(|n| file.nodes.contains(*n)) {
        let under = file.node(node).local().transform();
        let local = with_layers(&under, layers, node, 0.0);
        if local != under {
            stand(&mut folded, node, local);
        }
    }
    folded
}

/// What a clip, with the layers that it has, has to get on top of them for it to be seen as another
/// one.
///
/// # Errors
/// The node whose scale is 0 at some time, so that nothing on top of it does that.
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
            // What such a layer lacks is not only off in the file, as what a save folds: it is seen
            // at once, and each fold adds to it.
            let track = follow_within(0.1, &times, &at, property, node, size);
            keys.tracks.insert(keys.free_track_id(), Shared::new(track));
        }
        if constant != Transform::IDENTITY {
            moves.insert(node, constant);
        }
    }
    Ok(PoseLayer { keys: Shared::new(keys), ..PoseLayer::new("", moves) })
}

/// One layer that does what two do, one on the other, wherever the scale of what lies below is
/// uniform.
pub fn merged(document: &Document, under: &PoseLayer, over: &PoseLayer) -> PoseLayer {
    // Over nothing at all, what they come to is what they add.
    let mut file = document.file.clone();
    for node in file.nodes.ids().collect::<Vec<_>>() {
        let found = &mut file.nodes[node];
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

/// Makes a node stand so.
fn stand(file: &mut Asset, node: NodeId, local: Transform) {
    let rest = file.node(node).rest;
    let user = rest.transform().user_from(&local).unwrap_or_default();
    if let Some(node) = file.nodes.get_mut(node) {
        node.pose = Some(NodePose { user, local: Local::Trs(local) });
    }
}

/// Folds documents, and remembers what it has folded: what did not change costs nothing the next
/// time.
#[derive(Clone, Debug, Default)]
pub struct Folder {
    known: BTreeMap<ClipId, Known>,
}

#[derive(Clone, Debug)]
struct Known {
    clip: Shared<Clip>,
    layers: Shared<PoseLayers>,
    /// What the nodes of the layers are without the clip.
    under: Vec<Transform>,
    folded: Folded,
}

impl Folder {
    /// Says what a clip with its layers comes to, as a file has it: its numbers are taken rather
    /// than worked out again.
    pub fn remember(&mut self, document: &Document, id: ClipId, folded: Shared<Clip>) {
        let Some(clip) = document.clips.get(id).cloned() else { return };
        let layers = document.aids.layers(LayerHome::Clip(id));
        let under =
            under_of(&fold_pose(&document.file, &document.aids.layers(LayerHome::Pose)), &layers);
        let folded =
            Folded { clip: folded, exact: 0, sampled: 0, keys_added: 0, refused: Vec::new() };
        self.known.insert(id, Known { clip, layers, under, folded });
    }

    /// The file with all layers folded into it: what saving writes. Also what folding each clip
    /// came to.
    pub fn fold(&mut self, document: &Document) -> (Asset, BTreeMap<ClipId, Folded>) {
        let aids = &document.aids;
        if aids.pose_layers.is_empty() {
            return (document.file.clone(), BTreeMap::new());
        }
        let mut file = fold_pose(&document.file, &aids.layers(LayerHome::Pose));
        let clips: Vec<(ClipId, &Shared<Clip>, &Shared<PoseLayers>)> = aids
            .pose_layers
            .iter()
            .filter_map(|(home, layers)| {
                home.clip().and_then(|id| Some((id, document.clips.get(id)?, layers)))
            })
            .collect();
        let known = &self.known;
        let done: Vec<(ClipId, Known)> = clips
            .into_par_iter()
            .map(|(id, clip, layers)| {
                let under = under_of(&file, layers);
                let same = |k: &&Known| k.clip == *clip && k.layers == *layers && k.under == under;
                if let Some(known) = known.get(&id).filter(same) {
                    return (id, known.clone());
                }
                let folded = fold_clip(&file, clip, layers);
                (id, Known { clip: clip.clone(), layers: layers.clone(), under, folded })
            })
            .collect();
        let mut said = BTreeMap::new();
        for (id, known) in done {
            put_clip(&mut file, id, &known.folded.clip);
            said.insert(id, known.folded.clone());
            self.known.insert(id, known);
        }
        (file, said)
    }
}

fn under_of(file: &Asset, layers: &PoseLayers) -> Vec<Transform> {
    let nodes = layers.counting().flat_map(|l| l.nodes());
    nodes.filter(|n| file.nodes.contains(*n)).map(|n| file.node(n).local().transform()).collect()
}

/// Gives a file a clip; nodes that it moves are no matrices then, as glTF asks.
fn put_clip(file: &mut Asset, id: ClipId, clip: &Shared<Clip>) {
    let moved: Vec<NodeId> = clip
        .tracks
        .values()
        .filter(|t| t.property != Property::Weights)
        .map(|t| t.target)
        .collect();
    for node in moved {
        if let Local::Matrix(_) = file.node(node).local() {
            let local = file.node(node).local().transform();
            stand(file, node, local);
        }
    }
    if let Some(slot) = file.clips.get_mut(id) {
        *slot = clip.clone();
    }
}

/// A document with all layers folded into its file, and without them.
pub fn folded(document: &Document) -> Document {
    let mut to = document.clone();
    to.file = Folder::default().fold(document).0;
    to.aids.pose_layers.clear();
    to
}

/// How far a clip is from another with layers on it: the point of the skin (see [`SeenPoints`])
/// that is farthest off and the greatest turn of a joint, in meters of the scene and radians,
/// looked at so many times over its length.
pub fn fold_error(
    document: &Document,
    id: ClipId,
    folded: &Shared<Clip>,
    (seen, times): (&SeenPoints, usize),
) -> (f32, f32) {
    let length = document
        .clips
        .get(id)
        .map_or(0.0, |c| f64::from(c.length()))
        .max(f64::from(folded.length()));
    let after = Document {
        file: fold_pose(&document.file, &document.aids.layers(LayerHome::Pose)),
        ..Document::default()
    };
    let mut evaluators = [Evaluator::default(), Evaluator::default()];
    let mut poses = [Pose::default(), Pose::default()];
    let mut worst = (0.0f32, 0.0f32);
    for k in 0..=times {
        let time = length * k as f64 / times.max(1) as f64;
        evaluators[0].update(document, &Stack::shown(document, Some(id), time), &mut poses[0]);
        evaluators[1].update(&after, &Stack::of(Some(folded), time), &mut poses[1]);
        worst.0 = worst.0.max(seen.apart(&poses[0], &poses[1]));
        for (a, b) in poses[0].local.iter().zip(&poses[1].local) {
            worst.1 = worst.1.max(angle_between(a.transform().rotation, b.transform().rotation));
        }
    }
    worst
}
