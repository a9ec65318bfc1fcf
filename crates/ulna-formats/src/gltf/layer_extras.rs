//! Pose layers in the extras of an animation or a scene: `ulna.layers`. Key values are
//! little-endian floats in base64. They are stored in the extras because other programs drop
//! accessors that only extras refer to.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde::{Deserialize, Serialize};

use super::{
    json::Extensions,
    own_extras::{member, text},
    tangent_extras::{self, KeyModes},
};
use ulna_model::{
    Diagnostics, Interpolation, KeptKeys, KeptLayer, KeptLayers, Local, Location, MixMask, OwnKeys,
    Property, Severity, Slice, Transform,
};

/// Name of the member of the `extras` that stores the layers.
pub const LAYERS: &str = "ulna.layers";

/// Maximum distance between a stored time and its key, in seconds.
const NEAR: f32 = 1e-4;

/// Content of `extras["ulna.layers"]`.
#[derive(Serialize, Deserialize)]
struct Layers {
    layers: Vec<Layer>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    own_keys: Vec<Own>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    own_pose: Vec<OwnPose>,
    /// Hash in hexadecimal, because JSON numbers are not exact in this range.
    hash: String,
}

#[derive(Serialize, Deserialize)]
struct Layer {
    name: String,
    strength: f32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    strength_keys: Option<Keys>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    muted: bool,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    solo: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    mask: Option<MixMask<String>>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    moves: Vec<Move>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    keys: Vec<Own>,
}

/// Constant pose offset of a node in a layer. Missing components are the identity.
#[derive(Serialize, Deserialize)]
struct Move {
    node: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    translation: Option<[f32; 3]>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    rotation: Option<[f32; 4]>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    scale: Option<[f32; 3]>,
}

/// Original keys of a property of a node; `None` if the clip has no such channel.
#[derive(Serialize, Deserialize)]
struct Own {
    node: String,
    path: Property,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    keys: Option<Keys>,
}

#[derive(Serialize, Deserialize)]
struct Keys {
    interpolation: Interpolation,
    times: String,
    values: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    tangents: Vec<KeyModes>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    wraps: bool,
}

/// Original local transform of a node, without layers.
#[derive(Serialize, Deserialize)]
struct OwnPose {
    node: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    matrix: Option<[f32; 16]>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    trs: Option<[f32; 10]>,
}

fn packed(numbers: &[f32]) -> String {
    STANDARD.encode(numbers.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<u8>>())
}

fn unpacked(text: &str) -> Option<Slice<f32>> {
    let bytes = STANDARD.decode(text).ok()?;
    let (chunks, []) = bytes.as_chunks::<4>() else { return None };
    Some(chunks.iter().map(|b| f32::from_le_bytes(*b)).collect())
}

impl Keys {
    fn of(keys: &KeptKeys) -> Self {
        Self {
            interpolation: keys.interpolation,
            times: packed(&keys.times),
            values: packed(&keys.values),
            tangents: tangent_extras::listed(&keys.modes),
            wraps: keys.modes.wraps(),
        }
    }

    fn take(&self) -> Option<KeptKeys> {
        let (times, values) = (unpacked(&self.times)?, unpacked(&self.values)?);
        let sound = times.iter().chain(values.iter()).all(|v| v.is_finite());
        // If two keys are equally near, the earlier one is used, as for a track.
        let near = |time: f32| {
            let off = |t: &&f32| (**t - time).abs();
            let key = times.iter().min_by(|a, b| off(a).total_cmp(&off(b)))?;
            (off(&key) <= NEAR).then_some(*key)
        };
        let modes = tangent_extras::taken(&self.tangents, self.wraps, near);
        let interpolation = self.interpolation;
        sound.then_some(KeptKeys { interpolation, times, values, modes })
    }
}

const NOTHING: [f32; 10] = [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0];

impl Move {
    fn of((node, all): &(String, [f32; 10])) -> Self {
        let [tx, ty, tz, x, y, z, w, sx, sy, sz] = *all;
        Self {
            node: node.clone(),
            translation: (all[..3] != NOTHING[..3]).then_some([tx, ty, tz]),
            rotation: (all[3..7] != NOTHING[3..7]).then_some([x, y, z, w]),
            scale: (all[7..] != NOTHING[7..]).then_some([sx, sy, sz]),
        }
    }

    fn take(&self) -> Option<(String, [f32; 10])> {
        let mut all = NOTHING;
        if let Some(t) = self.translation {
            all[..3].copy_from_slice(&t);
        }
        if let Some(r) = self.rotation {
            all[3..7].copy_from_slice(&r);
        }
        if let Some(s) = self.scale {
            all[7..].copy_from_slice(&s);
        }
        let length = all[3..7].iter().map(|v| v * v).sum::<f32>();
        (all.iter().all(|v| v.is_finite()) && (length - 1.0).abs() < 1e-2)
            .then(|| (self.node.clone(), all))
    }
}

/// Packs a transform into ten numbers: translation, rotation, scale.
pub fn numbers(t: &Transform) -> [f32; 10] {
    let ([tx, ty, tz], [x, y, z, w], [sx, sy, sz]) =
        (t.translation.to_array(), t.rotation.to_array(), t.scale.to_array());
    [tx, ty, tz, x, y, z, w, sx, sy, sz]
}

/// Unpacks a transform from ten numbers, in the order of [`numbers`].
pub fn transform(all: &[f32; 10]) -> Transform {
    let [tx, ty, tz, x, y, z, w, sx, sy, sz] = *all;
    Transform {
        translation: [tx, ty, tz].into(),
        rotation: glam::Quat::from_array([x, y, z, w]),
        scale: [sx, sy, sz].into(),
    }
}

/// Reads the layers in the extras. Unreadable layers stay in the file, with a finding.
pub fn read(
    extras: &Extensions,
    place: &Location,
    diagnostics: &mut Diagnostics,
) -> Option<KeptLayers> {
    let found: Layers = member(extras, LAYERS, "layers", place, diagnostics)?;
    let taken = take(&found);
    if taken.is_none() {
        let message = "The layers stored in its extras have invalid values or keys; they stay in \
            the file, but are ignored";
        diagnostics.add(Severity::Warning, "ULNA_LAYERS", place, message.to_owned());
    }
    taken
}

fn take(found: &Layers) -> Option<KeptLayers> {
    let own = |own: &Own| {
        let keys = match &own.keys {
            Some(keys) => Some(keys.take()?),
            None => None,
        };
        Some(OwnKeys { node: own.node.clone(), property: own.path, keys })
    };
    let layer = |l: &Layer| {
        let keys = l.keys.iter().map(|k| Some((k.node.clone(), k.path, k.keys.as_ref()?.take()?)));
        let strength_keys = match &l.strength_keys {
            Some(keys) => Some(keys.take()?),
            None => None,
        };
        Some(KeptLayer {
            name: l.name.clone(),
            strength: Some(l.strength).filter(|s| (0.0..=1.0).contains(s))?,
            strength_keys,
            muted: l.muted,
            solo: l.solo,
            mask: l.mask.clone(),
            moves: l.moves.iter().map(Move::take).collect::<Option<_>>()?,
            keys: keys.collect::<Option<_>>()?,
        })
    };
    let pose = |p: &OwnPose| {
        let local = match (&p.matrix, &p.trs) {
            (Some(m), None) => Local::Matrix(glam::Mat4::from_cols_array(m)),
            (None, Some(trs)) => Local::Trs(transform(trs)),
            _ => return None,
        };
        local.is_finite().then(|| (p.node.clone(), local))
    };
    Some(KeptLayers {
        layers: found.layers.iter().map(layer).collect::<Option<_>>()?,
        own_keys: found.own_keys.iter().map(own).collect::<Option<_>>()?,
        own_pose: found.own_pose.iter().map(pose).collect::<Option<_>>()?,
        hash: u64::from_str_radix(&found.hash, 16).ok()?,
    })
}

/// Name and JSON text of the member that stores the layers; the text is `None` if there are none.
pub fn member_of(kept: Option<&KeptLayers>) -> (&'static str, Option<String>) {
    let Some(kept) = kept else { return (LAYERS, None) };
    let own = |own: &OwnKeys| Own {
        node: own.node.clone(),
        path: own.property,
        keys: own.keys.as_ref().map(Keys::of),
    };
    let layer = |l: &KeptLayer| Layer {
        name: l.name.clone(),
        strength: l.strength,
        strength_keys: l.strength_keys.as_ref().map(Keys::of),
        muted: l.muted,
        solo: l.solo,
        mask: l.mask.clone(),
        moves: l.moves.iter().map(Move::of).collect(),
        keys: l
            .keys
            .iter()
            .map(|(node, path, keys)| Own {
                node: node.clone(),
                path: *path,
                keys: Some(Keys::of(keys)),
            })
            .collect(),
    };
    let pose = |(node, local): &(String, Local)| match local {
        Local::Matrix(m) => {
            OwnPose { node: node.clone(), matrix: Some(m.to_cols_array()), trs: None }
        }
        Local::Trs(t) => OwnPose { node: node.clone(), matrix: None, trs: Some(numbers(t)) },
    };
    let layers = Layers {
        layers: kept.layers.iter().map(layer).collect(),
        own_keys: kept.own_keys.iter().map(own).collect(),
        own_pose: kept.own_pose.iter().map(pose).collect(),
        hash: format!("{:016x}", kept.hash),
    };
    (LAYERS, text(layers))
}
