//! Edits through pose layers: computes the `U` of one layer for which the node has a wanted
//! transform, despite the layers above it.
//!
//! ```text
//!  seen = ((M ∘ U₁) ∘ … U_k) ∘ … U_n        M: the clip, or the pose
//!         └ below ┘    ▲       └ above ┘
//!                      └ the unknown
//! ```

use std::f32::consts::PI;

use glam::{Quat, Vec3};
use thiserror::Error;

use super::layers::{added_at, strength_of, user_at};
use ulna_model::{
    Components, NodeId, PoseLayer, PoseLayerId, PoseLayers, Transform, TransformError,
    transform::{short_way, unit_or},
};

/// Reason why a layer cannot be edited.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum LayerWriteError {
    /// The layer does not exist.
    #[error("the layer does not exist; add a layer, or choose another one")]
    NoLayer,
    /// The layer has no effect on this node. The value is the layer's name.
    #[error(
        "layer “{0}” is muted, has a strength of 0 or is masked at this joint, so edits in it \
            would have no effect; unmute it, raise its strength or change its mask first"
    )]
    Silent(String),
    /// A layer above has a scale of 0. The value is the name of that layer.
    #[error(
        "layer “{0}” above it scales to 0, so edits below it would have no effect; mute that \
        layer first"
    )]
    Covered(String),
    /// The strength of the layer is too low for the rotation. The value is the layer's name.
    #[error(
        "the strength of layer “{0}” is too low here to rotate the joint this far; raise its \
        strength first"
    )]
    TooWeak(String),
    /// The transforms of other layers cannot be divided out.
    #[error(transparent)]
    Transform(#[from] TransformError),
}

impl LayerWriteError {
    /// Stable code of the error for scripts.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::NoLayer => "no_such_layer",
            Self::Silent(_) => "layer_is_off",
            Self::Covered(_) => "layer_is_covered",
            Self::TooWeak(_) => "layer_too_weak",
            Self::Transform(error) => error.code(),
        }
    }
}

/// Computes the `U` of the layer `chosen` at a node, for which the node has the wanted components.
/// The other components keep their displayed values. `base` is `M`, the node's local transform
/// before the layers. `time` is the time in the clip, in seconds. For a layer with keys, the result
/// is its `U` at that time.
///
/// Layers above are divided out on the right: `r = r_X·r_U⁻¹`, `s = s_X/s_U`, `t = t_X − R·S·t_U`.
/// The result compensates for the layer's strength.
///
/// # Errors
/// The layer does not exist, has no effect, or has too little strength for the rotation. Or a layer
/// above it has a scale of 0.
pub fn under_layers(
    base: &Transform,
    layers: &PoseLayers,
    chosen: PoseLayerId,
    (node, time): (NodeId, f64),
    wanted: &Components,
) -> Result<Transform, LayerWriteError> {
    let layer = layers.get(chosen).ok_or(LayerWriteError::NoLayer)?;
    let strength = layer.share(strength_of(layer, time), node);
    if strength == 0.0 || !layers.counts(layer) {
        return Err(LayerWriteError::Silent(layer.name.to_string()));
    }
    let over = |from: Transform, l: &&PoseLayer| {
        added_at(l, node, time).map_or(from, |user| from.compose(&user))
    };
    let counting: Vec<&PoseLayer> = layers.counting().collect();
    let at = counting.iter().position(|l| l.id == chosen).ok_or(LayerWriteError::NoLayer)?;
    let below = counting[..at].iter().fold(*base, over);
    let seen = counting[at..].iter().fold(below, over);
    let differs = divided(&counting[at + 1..], (node, time), &seen, wanted)?;
    let counts = below.user_where(&differs, &Transform::IDENTITY)?;
    let turn = short_way(counts.rotation).to_scaled_axis() / strength;
    if turn.length() > PI + 1e-4 {
        return Err(LayerWriteError::TooWeak(layer.name.to_string()));
    }
    // A rotation by a half turn or more would be applied in the opposite direction.
    let turn = turn.clamp_length_max(PI - 1e-5);
    let old = user_at(layer, node, time);
    let written = Components {
        translation: differs.translation.map(|_| counts.translation / strength),
        rotation: differs
            .rotation
            .map(|_| if strength == 1.0 { counts.rotation } else { Quat::from_scaled_axis(turn) }),
        scale: differs.scale.map(|_| Vec3::ONE + (counts.scale - Vec3::ONE) / strength),
    };
    Ok(written.over(&old))
}

/// Computes the components that a node needs below all of its layers to get the wanted components.
/// The other components keep their displayed values. `seen` is the displayed transform with the
/// layers. `at` has the node, and the time in the clip in seconds.
///
/// # Errors
/// A scale of 0 in a layer hides the transform below.
pub fn below_layers(
    seen: &Transform,
    layers: &PoseLayers,
    at: (NodeId, f64),
    wanted: &Components,
) -> Result<Components, LayerWriteError> {
    divided(&layers.counting().collect::<Vec<_>>(), at, seen, wanted)
}

/// Divides the layers above out of the wanted components.
fn divided(
    above: &[&PoseLayer],
    (node, time): (NodeId, f64),
    seen: &Transform,
    wanted: &Components,
) -> Result<Components, LayerWriteError> {
    let (mut asked, mut moved_above) = (wanted.over(seen), false);
    for above in above.iter().rev() {
        let Some(user) = added_at(above, node, time) else { continue };
        if user.scale.cmpeq(Vec3::ZERO).any() {
            return Err(LayerWriteError::Covered(above.name.to_string()));
        }
        moved_above |= user.translation != Vec3::ZERO;
        let rotation = unit_or(asked.rotation * user.rotation.conjugate(), asked.rotation);
        let scale = asked.scale / user.scale;
        let translation = asked.translation - rotation * (scale * user.translation);
        asked = Transform { translation, rotation, scale };
    }
    // A translation above depends on the new rotation and scale. The translation is corrected, so
    // that the node keeps its position.
    let carried = moved_above && (wanted.rotation.is_some() || wanted.scale.is_some());
    Ok(Components {
        translation: (wanted.translation.is_some() || carried).then_some(asked.translation),
        rotation: wanted.rotation.map(|_| asked.rotation),
        scale: wanted.scale.map(|_| asked.scale),
    })
}
