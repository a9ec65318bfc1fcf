//! Weight layers in the extras of a mesh: `ulna.weight_layers`. Numbers are little-endian integers
//! and floats in base64. They are stored in the extras because other programs drop accessors that
//! only extras refer to.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde::{Deserialize, Serialize};

use super::{
    json::Extensions,
    own_extras::{member, text},
};
use ulna_model::{
    Diagnostics, KeptWeightLayer, KeptWeightLayers, LayerPart, Location, MirrorFrom, PrimitiveId,
    Severity, WeightPatch,
};

/// Name of the member of a mesh's `extras` that stores the weight layers.
pub const WEIGHT_LAYERS: &str = "ulna.weight_layers";

/// Maximum number of sets of four slots per vertex. A larger number would widen all layers of the
/// mesh.
const MOST_SETS: usize = 16;

#[derive(Serialize, Deserialize)]
struct Layers {
    joints: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    bases: Vec<StoredSlots>,
    layers: Vec<Layer>,
    /// Hash in hexadecimal, because JSON numbers are not exact in this range.
    hash: String,
}

#[derive(Serialize, Deserialize)]
struct Layer {
    name: String,
    opacity: f32,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    hidden: bool,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    solo: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    mirror: Option<Mirror>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    parts: Vec<StoredSlots>,
}

#[derive(Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Mirror {
    Left,
    Right,
}

/// Stored weight slots of some vertices of a primitive.
#[derive(Serialize, Deserialize)]
struct StoredSlots {
    primitive: u32,
    sets: usize,
    vertices: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    mask: Option<String>,
    joints: String,
    weights: String,
    /// Vertices that have invalid weights in the file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    not_numbers: Option<String>,
}

fn packed<const N: usize>(items: impl Iterator<Item = [u8; N]>) -> String {
    STANDARD.encode(items.flatten().collect::<Vec<u8>>())
}

fn unpacked<const N: usize>(text: &str) -> Option<Vec<[u8; N]>> {
    let bytes = STANDARD.decode(text).ok()?;
    let (chunks, []) = bytes.as_chunks::<N>() else { return None };
    Some(chunks.to_vec())
}

fn floats(list: &[f32]) -> String {
    packed(list.iter().map(|v| v.to_le_bytes()))
}

fn whole(list: &[u32]) -> String {
    packed(list.iter().map(|v| v.to_le_bytes()))
}

fn as_floats(text: &str) -> Option<Vec<f32>> {
    let list: Vec<f32> = unpacked(text)?.into_iter().map(f32::from_le_bytes).collect();
    list.iter().all(|v| v.is_finite()).then_some(list)
}

fn as_whole(text: &str) -> Option<Vec<u32>> {
    Some(unpacked(text)?.into_iter().map(u32::from_le_bytes).collect())
}

impl StoredSlots {
    fn slots(&self) -> Option<(Vec<u32>, Vec<u16>, Vec<f32>)> {
        let (vertices, weights) = (as_whole(&self.vertices)?, as_floats(&self.weights)?);
        let of: Vec<u16> = unpacked(&self.joints)?.into_iter().map(u16::from_le_bytes).collect();
        let slots = vertices.len().checked_mul(self.sets.checked_mul(4)?)?;
        let sound =
            (1..=MOST_SETS).contains(&self.sets) && of.len() == slots && weights.len() == slots;
        sound.then_some((vertices, of, weights))
    }

    fn layer_part(&self, joints: usize) -> Option<(PrimitiveId, LayerPart)> {
        let (vertices, of, weights) = self.slots()?;
        let known = of.iter().zip(&weights).all(|(j, w)| *w == 0.0 || usize::from(*j) < joints);
        if !known {
            return None;
        }
        let mask = match &self.mask {
            Some(mask) => as_floats(mask).filter(|m| m.len() == vertices.len())?,
            None => vec![1.0; vertices.len()],
        };
        Some((
            PrimitiveId(self.primitive),
            LayerPart { sets: self.sets, vertices, mask, joints: of, weights },
        ))
    }

    /// Decodes the base weights, which may refer to missing joints, as in the file.
    fn base(&self) -> Option<(PrimitiveId, WeightPatch)> {
        let (vertices, of, weights) = self.slots()?;
        let not_numbers = self.not_numbers.as_deref().map_or(Some(Vec::new()), as_whole)?;
        let patch = WeightPatch { sets: self.sets, vertices, joints: of, weights, not_numbers };
        Some((PrimitiveId(self.primitive), patch))
    }

    fn of_layer((primitive, part): &(PrimitiveId, LayerPart)) -> Self {
        let whole_mask = part.mask.iter().all(|m| *m == 1.0);
        Self {
            primitive: primitive.0,
            sets: part.sets,
            vertices: whole(&part.vertices),
            mask: (!whole_mask).then(|| floats(&part.mask)),
            joints: packed(part.joints.iter().map(|j| j.to_le_bytes())),
            weights: floats(&part.weights),
            not_numbers: None,
        }
    }

    fn of_base((primitive, patch): &(PrimitiveId, WeightPatch)) -> Self {
        Self {
            primitive: primitive.0,
            sets: patch.sets,
            vertices: whole(&patch.vertices),
            mask: None,
            joints: packed(patch.joints.iter().map(|j| j.to_le_bytes())),
            weights: floats(&patch.weights),
            not_numbers: (!patch.not_numbers.is_empty()).then(|| whole(&patch.not_numbers)),
        }
    }
}

/// Reads the weight layers in the extras. Unreadable layers stay in the file, with a finding.
pub fn read(
    extras: &Extensions,
    place: &Location,
    diagnostics: &mut Diagnostics,
) -> Option<KeptWeightLayers> {
    let found: Layers = member(extras, WEIGHT_LAYERS, "weight layers", place, diagnostics)?;
    let taken = take(&found);
    if taken.is_none() {
        let message = "The weight layers stored in its extras have invalid values; they stay in \
            the file, but are ignored";
        diagnostics.add(Severity::Warning, "ULNA_WEIGHT_LAYERS", place, message.to_owned());
    }
    taken
}

fn take(found: &Layers) -> Option<KeptWeightLayers> {
    let joints = found.joints.len();
    let layer = |l: &Layer| {
        Some(KeptWeightLayer {
            name: Some(&*l.name).filter(|n| !n.trim().is_empty())?.into(),
            opacity: Some(l.opacity).filter(|o| (0.0..=1.0).contains(o))?,
            shown: !l.hidden,
            solo: l.solo,
            mirror: l.mirror.map(|m| match m {
                Mirror::Left => MirrorFrom::Left,
                Mirror::Right => MirrorFrom::Right,
            }),
            parts: l.parts.iter().map(|p| p.layer_part(joints)).collect::<Option<_>>()?,
        })
    };
    Some(KeptWeightLayers {
        joints: found.joints.clone(),
        bases: found.bases.iter().map(StoredSlots::base).collect::<Option<_>>()?,
        layers: found.layers.iter().map(layer).collect::<Option<_>>()?,
        hash: u64::from_str_radix(&found.hash, 16).ok()?,
    })
}

/// JSON text of the member; `None` if there are no layers.
pub fn text_of(kept: Option<&KeptWeightLayers>) -> Option<String> {
    let kept = kept?;
    let layer = |l: &KeptWeightLayer| Layer {
        name: l.name.to_string(),
        opacity: l.opacity,
        hidden: !l.shown,
        solo: l.solo,
        mirror: l.mirror.map(|m| match m {
            MirrorFrom::Left => Mirror::Left,
            MirrorFrom::Right => Mirror::Right,
        }),
        parts: l.parts.iter().map(StoredSlots::of_layer).collect(),
    };
    text(Layers {
        joints: kept.joints.clone(),
        bases: kept.bases.iter().map(StoredSlots::of_base).collect(),
        layers: kept.layers.iter().map(layer).collect(),
        hash: format!("{:016x}", kept.hash),
    })
}
