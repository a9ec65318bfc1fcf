//! Inverts a layer, so that it subtracts the motion that it added.

use glam::Vec3;

use super::{commands::InvertLayer, found::FoundLayer};
use crate::command::{CommandError, Outcome, Scene, error::refuse};
use ulna_model::{Interpolation, Notice, PoseLayer, Property, Shared, Track, Transform, part_of};
use ulna_motion::user_at;

/// Returns the transform that undoes `user` at a strength: `(M ∘ U) ∘ result = M` if the scale of
/// `M` is uniform. `None` if the inverse does not exist.
fn inverse(user: &Transform, strength: f32) -> Option<Transform> {
    let part = part_of(user, strength);
    if part.scale.cmpeq(Vec3::ZERO).any() || strength == 0.0 {
        return None;
    }
    let whole = Transform {
        translation: -((part.rotation.conjugate() * part.translation) / part.scale),
        rotation: user.rotation.conjugate(),
        scale: Vec3::ONE / part.scale,
    };
    Some(Transform {
        translation: whole.translation / strength,
        rotation: whole.rotation,
        scale: Vec3::ONE + (whole.scale - Vec3::ONE) / strength,
    })
}

impl InvertLayer {
    pub(super) fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let document = scene.document;
        let found = FoundLayer::of(document, &self.of)?;
        let mut layer = found.layer().clone();
        let strength = if layer.strength_keys.is_some() { 1.0 } else { layer.strength };
        if strength == 0.0 {
            return refuse(
                "layer_is_off",
                format!(
                    "layer “{}” has a strength of 0, so it cannot be inverted; raise its strength \
                        first",
                    layer.name
                ),
            );
        }
        let mut left = (0.0f32, None);
        let old = layer.clone();
        let moves = Shared::make_mut(&mut layer.moves);
        for (node, user) in moves.iter_mut() {
            let made = inverse(user, strength);
            let Some(made) = made else {
                let label = document.node(*node).label(*node);
                return refuse(
                    "scale_is_zero",
                    format!("layer “{}” scales {label} to 0, which cannot be inverted", old.name),
                );
            };
            let under = document.node(*node).local().transform();
            let after = under.compose(&part_of(user, strength)).compose(&part_of(&made, strength));
            let off = after.translation.distance(under.translation);
            if off > left.0 {
                left = (off, Some(*node));
            }
            *user = made;
        }
        let mut coupled = false;
        if !layer.keys.tracks.is_empty() {
            let keys = Shared::make_mut(&mut layer.keys);
            for track in keys.tracks.values_mut() {
                let made = inverted(&old, track)?;
                coupled |= track.property == Property::Translation;
                *track = Shared::new(made);
            }
        }
        let size = document
            .nodes
            .iter()
            .map(|(_, n)| n.local().transform().translation.length())
            .fold(0.0, f32::max);
        let note = match left {
            (off, Some(node)) if off > 1e-5 * size.max(1e-3) => Some(Notice::new(
                "unequal_scale",
                format!(
                    "{} has nonuniform scale, so {off:.4} of its translation is not inverted",
                    document.node(node).label(node)
                ),
            )),
            _ if coupled => Some(Notice::new(
                "inverse_at_keys_only",
                "keyed translations are inverted exactly at their keys; between keys, a small \
                    difference may remain",
            )),
            _ => None,
        };
        Ok(Outcome {
            edits: found.with(layer),
            notes: note.into_iter().collect(),
            ..Outcome::default()
        })
    }
}

/// Returns a track of a layer with inverted values.
fn inverted(layer: &PoseLayer, track: &Track) -> Result<Track, CommandError> {
    let cubic = track.interpolation == Interpolation::CubicSpline;
    let mut values = track.values.to_vec();
    for (k, value) in values.chunks_mut(track.width).enumerate() {
        let key = if cubic { k / 3 } else { k };
        let is_value = !cubic || k % 3 == 1;
        match track.property {
            // The conjugate is linear in the components, so it also applies to tangents.
            Property::Rotation => value[..3].iter_mut().for_each(|v| *v = -*v),
            Property::Translation => {
                let user = user_at(layer, track.target, f64::from(track.times[key]));
                let way = Vec3::from_slice(value);
                let turned = -((user.rotation.conjugate() * way) / user.scale);
                if !turned.is_finite() {
                    return refuse(
                        "scale_is_zero",
                        "the layer scales to 0 at some time, which cannot be inverted",
                    );
                }
                value.copy_from_slice(&turned.to_array());
            }
            Property::Scale | Property::Weights => {
                for (axis, v) in value.iter_mut().enumerate() {
                    let at = track.value(key)[axis];
                    // The derivative of 1/s is −s′/s².
                    *v = if is_value { 1.0 / *v } else { -*v / (at * at) };
                    if !v.is_finite() {
                        return refuse(
                            "scale_is_zero",
                            "the layer scales to 0 at some time, which cannot be inverted",
                        );
                    }
                }
            }
        }
    }
    Ok(Track { values: values.into(), ..track.clone() })
}
