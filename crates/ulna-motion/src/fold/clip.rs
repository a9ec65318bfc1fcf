//! Baking of a clip's layers into its keys.

use std::collections::BTreeMap;

use glam::{Quat, Vec3};

use super::{
    added::{Added, Under, varies},
    follow::{follow, linear, union},
};
use crate::{Pose, Stack};
use ulna_model::{
    Clip, FileContent, Interpolation, NodeId, PoseLayers, Property, Shared, Track, TrackId,
    Transform,
};

/// A clip whose layers are baked into its keys.
#[derive(Clone, Debug)]
pub struct Folded {
    /// The clip; shared with the input if the layers have no effect.
    pub clip: Shared<Clip>,
    /// Number of changed tracks that keep their keys, or that have a single key.
    pub exact: usize,
    /// Number of resampled tracks.
    pub sampled: usize,
    /// Number of added keys.
    pub keys_added: usize,
    /// Nodes and properties that could not be baked, because their keys cannot be edited.
    pub refused: Vec<(NodeId, Property)>,
}

/// Bakes the layers of a clip into its keys. `file` has the pose below the clip, with the layers of
/// that pose already baked.
pub fn fold_clip(file: &FileContent, clip: &Shared<Clip>, layers: &PoseLayers) -> Folded {
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
    // Scene length per unit of a node's parent space, in the rest pose.
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
        // Resampled keys must not affect the guessed frame rate of the clip.
        done.clip = Shared::new(Clip { tracks, ..(**clip).clone() }.at_rate_of(clip));
    }
    done
}

/// Bakes constant layers by changing the values of the existing keys; `None` if the layers have no
/// effect.
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
                // A tangent is a speed, which a constant translation does not change.
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

/// Bakes changing layers by sampling at the key times of all involved tracks, with additional keys
/// as needed.
///
/// Layer keys after the end of the clip have no effect and are left out.
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
