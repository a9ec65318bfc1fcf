//! Writing into one layer of several: what its `U` must be for a node to be seen as it is wanted,
//! whatever lies over it.
//!
//! ```text
//!  seen = ((M ∘ U₁) ∘ … U_k) ∘ … U_n        M: the clip, or the pose
//!         └ below ┘    ▲       └ above ┘
//!                      └ what is looked for
//! ```

use std::f32::consts::PI;

use glam::{Quat, Vec3};
use thiserror::Error;

use super::layers::{added_at, strength_of, user_at};
use ulna_model::{
    Components, NodeId, PoseLayer, PoseLayerId, PoseLayers, Transform, TransformError,
    transform::{short_way, unit_or},
};

/// Why nothing can be written into a layer.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum LayerWriteError {
    /// There is no such layer.
    #[error("the layer does not exist; add a layer, or choose another one")]
    NoLayer,
    /// It does not count there.
    #[error(
        "layer “{0}” is muted, has a strength of 0 or is masked at this joint, so edits in it \
            would have no effect; unmute it, raise its strength or change its mask first"
    )]
    Silent(String),
    /// A layer above makes a scale 0.
    #[error(
        "layer “{0}” above it scales to 0, so edits below it would have no effect; mute that \
        layer first"
    )]
    Covered(String),
    /// It counts too little.
    #[error(
        "the strength of layer “{0}” is too low here to rotate the joint this far; raise its \
        strength first"
    )]
    TooWeak(String),
    /// The transforms below cannot be divided out.
    #[error(transparent)]
    Transform(#[from] TransformError),
}

impl LayerWriteError {
    /// The code that stays the same for scripts, whatever the words are.
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

/// The whole `U` of the layer `chosen` at a node, with which the node is seen with the wanted
/// components; the others are seen as they were. `base` is the node's local transform before the
/// layers, `M`, at a time of the clip, in seconds; a layer with keys is taken as it is then, and
/// its `U` is what it must be then.
///
/// What lies above is divided out on the right: `r = r_X·r_U⁻¹`, `s = s_X/s_U`,
/// `t = t_X − R·S·t_U`; what the layer's strength takes away is put on top of it, so that what is
/// seen is what was asked for.
///
/// # Errors
/// Where there is no such layer, where it does not count there, where a scale of 0 hides what it
/// does, or where its strength is too small for a turn.
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
    // A turn of a half or more would be taken the other way round.
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

/// What a node must be below its layers for it to be seen with the wanted components; the others
/// are seen as they were. `seen` is what is seen now, the layers on it, at a time of the clip, in
/// seconds.
///
/// # Errors
/// Where a scale of 0 hides what lies below.
pub fn below_layers(
    seen: &Transform,
    layers: &PoseLayers,
    at: (NodeId, f64),
    wanted: &Components,
) -> Result<Components, LayerWriteError> {
    divided(&layers.counting().collect::<Vec<_>>(), at, seen, wanted)
}

/// Divides what lies above out of what is wanted.
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
    // A way above goes along axes that turn and grow with what is written here: the node shall stay
    // where it is seen.
    let carried = moved_above && (wanted.rotation.is_some() || wanted.scale.is_some());
    Ok(Components {
        translation: (wanted.translation.is_some() || carried).then_some(asked.translation),
        rotation: wanted.rotation.map(|_| asked.rotation),
        scale: wanted.scale.map(|_| asked.scale),
    })
}
