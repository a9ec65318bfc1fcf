//! Edits of whole clips, applied to the clip's pose layers: keys, strengths and constants.
//!
//! A layer has the user-local transform `U`. It multiplies the clip's transform `M` from the right:
//! `M ∘ U`. Changes of time therefore apply to `U` as they do to `M`. The mirror image of `M ∘ U`
//! is `M' ∘ U'`, with `U'` the image of `U` between the axes of both joints (see [`Mirror::user`]).

use std::collections::{BTreeMap, BTreeSet};

use super::{
    Joined, MotionError, TimeMap, TooClose,
    join::{put_behind, still_at},
    mapped, part_of,
    whole::reversed_within,
};
use crate::{Mirror, frame::set, mask_weights};
use ulna_model::{
    Clip, Components, Document, Interpolation, JointMask, LayerMask, MixMask, NodeId, PoseLayer,
    PoseLayerId, PoseLayers, Property, Shared, Track, TrackId, Transform,
};

/// Applies a clip edit to the tracks of each layer, strengths included.
fn each_layer(
    layers: &PoseLayers,
    mut make: impl FnMut(&Clip) -> Result<Clip, TooClose>,
) -> Result<PoseLayers, TooClose> {
    let mut made = layers.clone();
    for layer in made.0.iter_mut().filter(|l| l.is_keyed()) {
        let layer = Shared::make_mut(layer);
        if !layer.keys.tracks.is_empty() {
            layer.keys = Shared::new(make(&layer.keys)?);
        }
        if let Some(strength) = &layer.strength_keys {
            let alone = Clip { tracks: [(TrackId(0), strength.clone())].into(), ..Clip::default() };
            layer.strength_keys = make(&alone)?.tracks.into_values().next();
        }
    }
    Ok(made)
}

/// Cuts out a part of a clip's layers, as [`part_of`] does with the clip.
///
/// # Errors
/// Two keys would have the same time.
pub fn part_of_layers(
    layers: &PoseLayers,
    (from, to): (f32, f32),
    exact: bool,
) -> Result<(PoseLayers, MotionError), TooClose> {
    let mut worst = MotionError::default();
    let made = each_layer(layers, |clip| {
        let (made, error) = part_of(clip, from, to, exact)?;
        worst = worst.or(error);
        Ok(made)
    })?;
    Ok((made, worst))
}

/// Applies a time map to all keys of the layers.
///
/// # Errors
/// Two keys would have the same time.
pub fn mapped_layers(layers: &PoseLayers, map: &TimeMap) -> Result<PoseLayers, TooClose> {
    each_layer(layers, |clip| {
        let begin = clip.tracks.values().map(|t| t.times[0]).fold(f32::INFINITY, f32::min);
        if map.at(begin) >= 0.0 {
            return mapped(clip, map);
        }
        // Times before 0 are cut off. The cut gets a key, which moves to 0.
        let zero = (map.about - (map.about + map.by) / map.scale) as f32;
        let part = part_of(clip, zero, clip.length().max(zero), true)?.0;
        mapped(&part, &TimeMap { about: 0.0, scale: map.scale, by: 0.0 })
    })
}

/// Reverses the layers of a clip that was reversed between its first and last key.
///
/// Keys later than the sum of both times would move before 0, and have no visible effect. They are
/// left out.
///
/// # Errors
/// Two keys would have the same time.
pub fn reversed_layers(
    layers: &PoseLayers,
    (first, last): (f32, f32),
) -> Result<PoseLayers, TooClose> {
    let end = (f64::from(first) + f64::from(last)) as f32;
    each_layer(layers, |clip| {
        if clip.length() > end {
            return reversed_within(&part_of(clip, 0.0, end, true)?.0, (0.0, end));
        }
        reversed_within(clip, (0.0, end))
    })
}

/// The layers of two concatenated clips.
#[derive(Clone, Debug, PartialEq)]
pub struct JoinedLayers {
    /// The concatenated layers.
    pub layers: PoseLayers,
    /// Number of tracks that were converted to splines, because the other track was a spline.
    pub splined: usize,
    /// Error of the tracks that were converted to splines.
    pub error: MotionError,
    /// Names of layers that are now muted, because other layers of their clip were soloed.
    pub muted: Vec<String>,
}

/// Concatenates the layers of two clips with a gap in seconds. `ends` are the lengths of both
/// clips. Layers get new ids, starting at `free`. With `keep_ids`, the layers of the first clip
/// keep their ids.
///
/// Layers with the same name and mask, in the same order, are combined. Each other layer has a
/// strength of 0 while the other clip plays.
///
/// # Errors
/// Two keys would have the same time.
pub fn joined_layers(
    [first, second]: [&PoseLayers; 2],
    ends: [f32; 2],
    gap: f32,
    (free, keep_ids): (PoseLayerId, bool),
) -> Result<JoinedLayers, TooClose> {
    let mut said = Joined::default();
    let both_alone = first.has_solo() == second.has_solo();
    let mut muted = Vec::new();
    let mut side = |layers: &PoseLayers, end: f32| -> Result<Vec<PoseLayer>, TooClose> {
        let (cut, error) = part_of_layers(layers, (0.0, end), true)?;
        said.error = said.error.or(error);
        let mut list: Vec<PoseLayer> = cut.iter().cloned().collect();
        if !both_alone {
            let solo = layers.has_solo();
            for layer in &mut list {
                if solo && !layer.solo && !layer.muted {
                    layer.muted = true;
                    muted.push(layer.name.to_string());
                }
                layer.solo = false;
            }
        }
        Ok(list)
    };
    let (first, second) = (side(first, ends[0])?, side(second, ends[1])?);
    let start = (f64::from(ends[0]) + f64::from(gap)) as f32;
    let join = Join { ends, start };
    let mut made: Vec<PoseLayer> = Vec::new();
    let mut next = 0;
    let silent =
        |layer: &PoseLayer| PoseLayer { strength: 0.0, strength_keys: None, ..layer.clone() };
    for layer in &first {
        let same = |other: &PoseLayer| {
            (&other.name, other.muted, other.solo, &other.mask)
                == (&layer.name, layer.muted, layer.solo, &layer.mask)
        };
        match second[next..].iter().position(same) {
            Some(found) => {
                for other in &second[next..next + found] {
                    made.push(join.behind_nothing(&mut said, other)?);
                }
                made.push(join.layers(&mut said, [layer, &second[next + found]])?);
                next += found + 1;
            }
            None => {
                // The layer keeps its strength until the end of its clip, and then has a strength
                // of 0.
                let strength = join.strengths(&mut said, [layer, &silent(layer)])?;
                made.push(PoseLayer { strength_keys: strength, ..layer.clone() });
            }
        }
    }
    for other in &second[next..] {
        made.push(join.behind_nothing(&mut said, other)?);
    }
    let own: BTreeSet<PoseLayerId> =
        if keep_ids { first.iter().map(|l| l.id).collect() } else { BTreeSet::new() };
    let layers = numbered(made, &own, free);
    Ok(JoinedLayers { layers, splined: said.splined, error: said.error, muted })
}

/// Assigns a unique id and a unique name to each layer.
fn numbered(made: Vec<PoseLayer>, own: &BTreeSet<PoseLayerId>, free: PoseLayerId) -> PoseLayers {
    let mut ids = (free.0..).map(PoseLayerId);
    let mut taken = BTreeSet::new();
    let mut names: BTreeSet<String> = BTreeSet::new();
    let mut list = Vec::with_capacity(made.len());
    for layer in made {
        let keeps = own.contains(&layer.id) && taken.insert(layer.id);
        let id = if keeps { layer.id } else { ids.next().unwrap_or(layer.id) };
        let numbered =
            |k: u32| if k < 2 { layer.name.to_string() } else { format!("{} {k}", layer.name) };
        let name = (1..).map(numbered).find(|n| !names.contains(n)).unwrap_or_default();
        names.insert(name.clone());
        list.push(layer.named(id, name.as_str().into()));
    }
    list.into_iter().collect()
}

/// Times at which two clips are concatenated.
struct Join {
    ends: [f32; 2],
    start: f32,
}

impl Join {
    /// Builds the joined layer for a layer that only the second clip has.
    fn behind_nothing(&self, said: &mut Joined, layer: &PoseLayer) -> Result<PoseLayer, TooClose> {
        let later = |clip: &Clip| mapped(clip, &TimeMap::shift(f64::from(self.start)));
        let one: PoseLayers = [layer.clone()].into_iter().collect();
        let moved = each_layer(&one, later)?;
        let moved = moved.iter().next().cloned().unwrap_or_else(|| layer.clone());
        let nothing = PoseLayer { strength: 0.0, strength_keys: None, ..layer.clone() };
        Ok(PoseLayer { strength_keys: self.strengths(said, [&nothing, layer])?, ..moved })
    }

    /// Concatenates the strengths of two layers. `None` if the strength is constant.
    fn strengths(
        &self,
        said: &mut Joined,
        pair: [&PoseLayer; 2],
    ) -> Result<Option<Shared<Track>>, TooClose> {
        if pair[0].strength_keys.is_none()
            && pair[1].strength_keys.is_none()
            && pair[0].strength == pair[1].strength
        {
            return Ok(None);
        }
        let like = pair.iter().find_map(|l| l.strength_keys.as_deref());
        let interpolation = like.map_or(Interpolation::Linear, |t| t.interpolation);
        let of = |k: usize| match &pair[k].strength_keys {
            Some(keys) => (**keys).clone(),
            None => still_at(
                (NodeId(0), Property::Weights),
                (interpolation, self.ends[k]),
                vec![pair[k].strength],
            ),
        };
        put_behind(said, [of(0), of(1)], self.ends[0], self.start)
            .map(|track| Some(Shared::new(track)))
    }

    /// Combines two layers, one from each clip.
    fn layers(&self, said: &mut Joined, [a, b]: [&PoseLayer; 2]) -> Result<PoseLayer, TooClose> {
        let strength_keys = self.strengths(said, [a, b])?;
        let mut moves: BTreeMap<NodeId, Transform> = BTreeMap::new();
        let mut keys = Clip::default();
        let nodes: BTreeSet<NodeId> = a.nodes().into_iter().chain(b.nodes()).collect();
        for node in nodes {
            for property in Property::TRS {
                let tracks = [a, b].map(|l| l.keys.track(node, property).map(|(_, t)| &**t));
                let values = [a, b].map(|l| value(&l.constant(node), property));
                if tracks == [None, None] && values[0] == values[1] {
                    set(moves.entry(node).or_default(), property, &values[0]);
                    continue;
                }
                let like =
                    tracks[0].or(tracks[1]).map_or(Interpolation::Linear, |t| t.interpolation);
                let like = if like == Interpolation::Step { like } else { Interpolation::Linear };
                let of = |k: usize| match tracks[k] {
                    Some(track) => track.clone(),
                    None => still_at((node, property), (like, self.ends[k]), values[k].clone()),
                };
                let track = put_behind(said, [of(0), of(1)], self.ends[0], self.start)?;
                keys.tracks.insert(keys.free_track_id(), Shared::new(track));
            }
        }
        let both = [a, b].map(|l| l.moves.clone());
        moves.retain(|node, user| {
            *user != Transform::IDENTITY || both.iter().any(|m| m.contains_key(node))
        });
        Ok(PoseLayer {
            strength_keys,
            moves: Shared::new(moves),
            keys: Shared::new(keys),
            ..a.clone()
        })
    }
}

/// The numbers of one property of a transform.
fn value(user: &Transform, property: Property) -> Vec<f32> {
    match property {
        Property::Translation => user.translation.to_array().to_vec(),
        Property::Rotation => user.rotation.to_array().to_vec(),
        Property::Scale | Property::Weights => user.scale.to_array().to_vec(),
    }
}

/// Error of mirroring layers: a layer moves a node that has no mirror partner, but is an ancestor
/// of a mirrored node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CarriedByLayer {
    /// Name of the layer.
    pub layer: String,
    /// The moved node without a partner.
    pub carrier: NodeId,
    /// The mirrored node below the moved node.
    pub node: NodeId,
}

/// Mirrors the layers of a clip, for the nodes of `meant` only.
///
/// # Errors
/// A layer moves a node without a mirror partner that is between two nodes with mirror partners.
pub fn mirrored_layers(
    document: &Document,
    layers: &PoseLayers,
    mirror: &Mirror,
    meant: &BTreeSet<NodeId>,
) -> Result<PoseLayers, CarriedByLayer> {
    for layer in layers.iter() {
        let says: BTreeSet<NodeId> = layer.nodes().into_iter().collect();
        for node in meant {
            let carrier = mirror.between(document, *node).into_iter().find(|n| says.contains(n));
            if let Some(carrier) = carrier {
                return Err(CarriedByLayer { layer: layer.name.to_string(), carrier, node: *node });
            }
        }
    }
    Ok(layers.iter().map(|layer| mirrored_layer(document, layer, mirror, meant)).collect())
}

fn mirrored_layer(
    document: &Document,
    layer: &PoseLayer,
    mirror: &Mirror,
    meant: &BTreeSet<NodeId>,
) -> PoseLayer {
    let mut made = layer.clone();
    let mut moves: BTreeMap<NodeId, Transform> = BTreeMap::new();
    for (node, user) in layer.moves.iter() {
        let image = meant.contains(node).then(|| mirror.user(document, *node, user)).flatten();
        let (node, user) = image.unwrap_or((*node, *user));
        moves.insert(node, user);
    }
    made.moves = Shared::new(moves);
    if layer.keys.tracks.values().any(|t| meant.contains(&t.target)) {
        let image = |track: &Shared<Track>| {
            let image =
                meant.contains(&track.target).then(|| mirror.user_track(document, track)).flatten();
            image.map_or_else(|| track.clone(), Shared::new)
        };
        let tracks = layer.keys.tracks.iter().map(|(id, track)| (*id, image(track))).collect();
        made.keys = Shared::new(Clip { tracks, ..(*layer.keys).clone() });
    }
    made.mask = layer.mask.as_ref().map(|mask| mirrored_mask(document, mask, mirror, meant));
    made
}

/// Mirrors a mask. If possible, the mask stays in the form that the user chose.
fn mirrored_mask(
    document: &Document,
    mask: &LayerMask,
    mirror: &Mirror,
    meant: &BTreeSet<NodeId>,
) -> LayerMask {
    let partner = |n: NodeId| mirror.partner(n).filter(|_| meant.contains(&n));
    let mut counts: BTreeMap<NodeId, f32> = BTreeMap::new();
    for node in mask.counts.nodes() {
        counts.insert(partner(node).unwrap_or(node), mask.counts.at(node));
    }
    let mut list = vec![0.0; counts.keys().next_back().map_or(0, |n| n.index() + 1)];
    counts.iter().for_each(|(node, k)| list[node.index()] = *k);
    let counted = JointMask(list.into());
    let by = match &mask.by {
        MixMask::Left => MixMask::Right,
        MixMask::Right => MixMask::Left,
        MixMask::Below { joint, falloff } => {
            MixMask::Below { joint: partner(*joint).unwrap_or(*joint), falloff: *falloff }
        }
        MixMask::Upper => MixMask::Upper,
        MixMask::Lower => MixMask::Lower,
        MixMask::Painted(_) => return LayerMask { by: MixMask::Painted(counts), counts: counted },
    };
    let chosen = mask_weights(document, &by);
    let same = document.node_ids().all(|n| chosen.at(n) == counted.at(n));
    if same {
        LayerMask { by, counts: chosen }
    } else {
        LayerMask { by: MixMask::Painted(counts), counts: counted }
    }
}

/// Mirrors components of a node's local transform. Returns the mirror joint and its components;
/// `None` without a mirror joint. `posed` returns the local transforms of other nodes.
pub fn mirrored_components(
    document: &Document,
    mirror: &Mirror,
    (node, own): (NodeId, &Components),
    posed: &dyn Fn(NodeId) -> Transform,
) -> Option<(NodeId, Components)> {
    let image = mirror.pose_among(document, (node, &own.over(&posed(node))), posed, posed)?;
    let components = Components {
        translation: own.translation.map(|_| image.local.translation),
        rotation: own.rotation.map(|_| image.local.rotation),
        scale: own.scale.map(|_| image.local.scale),
    };
    Some((image.node, components))
}
