//! Writes to weight layers: updates the combined weights, and moves results of tools into a layer
//! or the base weights.

use std::collections::{BTreeMap, BTreeSet};

use crate::{
    Edit, EditError,
    command::{
        CommandError,
        error::refuse,
        field::{Meshes, meshes_of},
        names::mesh_label,
    },
};
use ulna_model::{
    Document, LayerId, MeshId, PrimitiveId, PrimitiveKey, Shared, SkinId, WeightLayer,
    WeightLayers, WeightPatch,
};
use ulna_weights::{
    Claimed, CrossSkinSeams, PartChange, SkinnedSurface,
    layers::{NoSides, compose, painted},
};

/// Name of the command that pairs mirror joints, for messages.
const PAIR_JOINTS: &str = "joints.pair";
/// Name of the command that mirrors weights, for messages.
const MIRROR_WEIGHTS: &str = "weights.mirror";
/// Name of the command that adds a weight layer, for messages.
const ADD_LAYER: &str = "weight_layer.add";

impl From<NoSides> for CommandError {
    fn from(why: NoSides) -> Self {
        Self::other(
            why.code(),
            match why {
                NoSides::Unknown | NoSides::NoPair => {
                    format!("{why}; use {} to set the mirror joint of a joint", PAIR_JOINTS)
                }
                NoSides::OtherSkin => {
                    format!("{why}; {} can mirror weights from one skin to another", MIRROR_WEIGHTS)
                }
            },
        )
    }
}

/// Returns the edits that set the layers of a skin and its combined weights. Without layers, these
/// are the base weights.
pub(super) fn set(
    document: &Document,
    skin: SkinId,
    to: WeightLayers,
) -> Result<Vec<Edit>, CommandError> {
    if document.aids.weight_layers.get(&skin).is_some_and(|now| **now == to) {
        return Ok(Vec::new());
    }
    let changes = compose(document, skin, &to)?;
    let to = (!to.layers.is_empty()).then(|| Shared::new(to));
    let mut edits = vec![Edit::SetLayers { skin, to }];
    edits.extend(seen_edits(document, skin, changes));
    Ok(edits)
}

/// Returns the edits that set the combined weights of the layers. Coincident vertices of meshes
/// with other skins are updated, so that no seam opens.
fn seen_edits(
    document: &Document,
    skin: SkinId,
    changes: Vec<(MeshId, PrimitiveId, PartChange)>,
) -> Vec<Edit> {
    let mut twins = Vec::new();
    if !changes.is_empty()
        && document.skins.len() > 1
        && let Some(canvas) = SkinnedSurface::whole(document, skin)
    {
        let part = |mesh, primitive| {
            canvas.parts().iter().position(|p| (p.mesh, p.primitive) == (mesh, primitive))
        };
        let mut own: Vec<(usize, PartChange)> = changes
            .iter()
            .filter_map(|(m, p, change)| Some((part(*m, *p)?, change.clone())))
            .collect();
        (twins, _) = CrossSkinSeams::of(document, &canvas).follow(
            document,
            &canvas,
            &mut own,
            false,
            &mut Claimed::new(),
        );
    }
    let seen = changes.into_iter().map(|(mesh, primitive, change)| match change {
        PartChange::Patch(patch) => Edit::PatchWeights { mesh, primitive, patch: Box::new(patch) },
        PartChange::Whole(map) => Edit::SetWeights { mesh, primitive, to: Shared::new(map) },
    });
    let twins = twins.into_iter().map(|(mesh, primitive, patch)| Edit::PatchWeights {
        mesh,
        primitive,
        patch: Box::new(patch),
    });
    seen.chain(twins).collect()
}

/// Returns the edits that update mirrored layers after a change of the mirror pairs.
pub(in crate::command) fn mirrored_anew(document: &Document) -> Result<Vec<Edit>, CommandError> {
    let mut edits = Vec::new();
    for (skin, layers) in document
        .aids
        .weight_layers
        .iter()
        .filter(|(_, l)| l.layers.iter().any(|l| l.mirror.is_some()))
    {
        edits.extend(seen_edits(document, *skin, compose(document, *skin, layers)?));
    }
    Ok(edits)
}

/// Returns the text of a layer in a command line: its name if it is unique, else `#` and its
/// number.
pub fn layer_text(document: &Document, skin: SkinId, layer: LayerId) -> String {
    let all = || document.aids.weight_layers.values().flat_map(|l| &l.layers);
    let found = document.aids.weight_layers.get(&skin).and_then(|l| l.layer(layer));
    match found {
        Some(l) if !l.name.starts_with('#') && all().filter(|o| o.name == l.name).count() == 1 => {
            l.name.to_string()
        }
        _ => format!("#{}", layer.0),
    }
}

/// Returns the skin, its layers, and the index of the layer that matches a text.
pub(super) fn find<'a>(
    document: &'a Document,
    text: &str,
    mesh: Option<&Meshes>,
) -> Result<(SkinId, &'a Shared<WeightLayers>, usize), CommandError> {
    let meshes = meshes_of(document, mesh)?;
    let number = text.strip_prefix('#').and_then(|t| t.parse::<u32>().ok());
    let mut found = Vec::new();
    for (skin, layers) in &document.aids.weight_layers {
        if !meshes.is_empty() && !layers.bases.keys().any(|(mesh, _)| meshes.contains(mesh)) {
            continue;
        }
        let meant =
            |l: &WeightLayer| number.map_or_else(|| *l.name == *text, |n| l.id == LayerId(n));
        found.extend(
            (0..layers.layers.len())
                .filter(|k| meant(&layers.layers[*k]))
                .map(|k| (*skin, layers, k)),
        );
    }
    match found[..] {
        [one] => Ok(one),
        [] => refuse(
            "no_such_weight_layer",
            format!("there is no weight layer “{text}”; use {} to add one", ADD_LAYER),
        ),
        [(skin, layers, k), ..] => refuse(
            "weight_layer_ambiguous",
            format!(
                "{} weight layers match “{text}”; name one by its number, such as “#{}”, together \
                    with its mesh, such as “{}”",
                found.len(),
                layers.layers[k].id.0,
                layers
                    .bases
                    .keys()
                    .next()
                    .map_or_else(|| format!("skin {}", skin.0), |(m, _)| mesh_label(document, *m)),
            ),
        ),
    }
}

/// Returns the primitives with weights of a skin, visible or not, except those with layers of
/// another skin.
pub fn primitives_of(document: &Document, skin: SkinId) -> BTreeSet<PrimitiveKey> {
    let meshes = document.nodes.values().filter(|n| n.skin == Some(skin)).filter_map(|n| n.mesh);
    let keys = meshes.flat_map(|mesh| {
        let primitives = document.mesh(mesh).entries();
        let painted = primitives.filter(|(_, p)| p.weights.is_some());
        painted.map(move |(k, _)| (mesh, k))
    });
    keys.filter(|(mesh, k)| document.layered(*mesh, *k).is_none_or(|owner| owner == skin)).collect()
}

/// Name of the base weights in place of a layer. Layers whose names start with `#` are referred to
/// by number, so the name is unique.
pub const BASE: &str = "#base";

/// Returns the layer that receives a tool's result: the topmost visible layer, which must have full
/// opacity.
///
/// # Errors
/// If no layer is visible, or the topmost visible layer is partly transparent.
pub fn layer_for(document: &Document, skin: SkinId) -> Result<LayerId, CommandError> {
    let layers = document.aids.weight_layers.get(&skin);
    // A layer with an opacity of 0 also counts as the topmost one, and is reported.
    let is_seen = |all: &WeightLayers, l: &WeightLayer| {
        all.counts(&WeightLayer { opacity: 1.0, ..l.clone() })
    };
    let top = layers.and_then(|all| all.layers.iter().rev().find(|l| is_seen(all, l)));
    match top {
        Some(layer) if layer.opacity >= 1.0 => Ok(layer.id),
        Some(layer) => refuse(
            "layer_is_faint",
            format!(
                "the topmost visible weight layer, “{}”, has an opacity of only {:.0} %; add a \
                    layer above it, or flatten the layers",
                layer.name,
                layer.opacity * 100.0
            ),
        ),
        None => refuse(
            "no_layer_is_on",
            "no weight layer is visible; show a layer, add one, or flatten the layers",
        ),
    }
}

/// Returns the edits that write painted weights into a layer, so that the combined weights match
/// them. The vertices get a mask of 1.
///
/// The match is only approximate if the layer is partly transparent or covered by other layers. It
/// does not matter whether `changes` are already in the document.
///
/// # Errors
/// If the layer does not exist or is hidden, or if a vertex would have no weights.
pub fn paint_into(
    document: &Document,
    skin: SkinId,
    layer: LayerId,
    changes: &[(MeshId, PrimitiveId, WeightPatch)],
) -> Result<Vec<Edit>, CommandError> {
    let Some(layers) = document.aids.weight_layers.get(&skin) else {
        return refuse("no_weight_layers", "the skin has no weight layers");
    };
    let Some(target) = layers.layer(layer) else {
        return refuse("no_such_weight_layer", format!("weight layer #{} does not exist", layer.0));
    };
    if !layers.counts(target) {
        return refuse(
            "layer_is_off",
            format!("weight layer “{}” is not visible; show it before painting in it", target.name),
        );
    }
    for (mesh, primitive, patch) in changes {
        let base = layers.bases.get(&(*mesh, *primitive));
        if !base.is_some_and(|b| patch.fits(b)) {
            return Err(EditError::Weights { mesh: mesh.0, primitive: *primitive }.into());
        }
        let empty =
            patch.weights.chunks_exact(patch.sets * 4).position(|ws| ws.iter().all(|w| *w <= 0.0));
        if let Some(k) = empty {
            return refuse(
                "vertex_without_weights",
                format!("vertex {} would be left without weights", patch.vertices[k]),
            );
        }
    }
    match painted(document, skin, layers, layer, changes)? {
        Some(to) => set(document, skin, to),
        None => Ok(Vec::new()),
    }
}

/// Converts a tool's edits of combined weights to edits of a layer: the named layer, or else the
/// result of [`layer_for`].
pub(in crate::command) fn through(
    document: &Document,
    layer: Option<&str>,
    mesh: Option<&Meshes>,
    edits: Vec<Edit>,
) -> Result<Vec<Edit>, CommandError> {
    let named = layer.map(|text| find(document, text, mesh)).transpose()?;
    if document.aids.weight_layers.is_empty() {
        return Ok(edits);
    }
    let mut plain = Vec::new();
    let mut changes: BTreeMap<SkinId, Vec<(MeshId, PrimitiveId, WeightPatch)>> = BTreeMap::new();
    for edit in edits {
        let (mesh, primitive, patch) = match &edit {
            Edit::PatchWeights { mesh, primitive, patch } => (*mesh, *primitive, Some(&**patch)),
            Edit::SetWeights { mesh, primitive, .. } => (*mesh, *primitive, None),
            _ => {
                plain.push(edit);
                continue;
            }
        };
        let Some(skin) = document.layered(mesh, primitive) else {
            plain.push(edit);
            continue;
        };
        let now = document.mesh(mesh).primitives[primitive.index()].weights.as_deref();
        let patch = match (patch, &edit, now) {
            (Some(patch), ..) => patch.clone(),
            (None, Edit::SetWeights { to, .. }, Some(now)) if to.sets == now.sets => {
                let all: Vec<u32> = (0..to.vertex_count() as u32).collect();
                to.pick(&all).without_unchanged(now)
            }
            _ => return Err(EditError::Weights { mesh: mesh.0, primitive }.into()),
        };
        changes.entry(skin).or_default().push((mesh, primitive, patch));
    }
    for (skin, changes) in changes {
        let layer = match named {
            Some((s, layers, at)) if s == skin => layers.layers[at].id,
            Some(_) => {
                return refuse(
                    "layer_of_other_skin",
                    "the layer belongs to another skin than the meshes to change; name a mesh of \
                        its skin",
                );
            }
            None => layer_for(document, skin)?,
        };
        plain.extend(paint_into(document, skin, layer, &changes)?);
    }
    Ok(plain)
}

/// Runs a tool on the base weights, and returns its edits with the updated combined weights.
pub(in crate::command) fn on_base(
    document: &Document,
    tool: impl FnOnce(&Document) -> Result<Vec<Edit>, CommandError>,
) -> Result<Vec<Edit>, CommandError> {
    if document.aids.weight_layers.is_empty() {
        return tool(document);
    }
    let mut under = document.clone();
    for layers in std::mem::take(&mut under.aids.weight_layers).values() {
        for ((mesh, primitive), base) in &layers.bases {
            if let Some(primitive) = under.file.primitive_mut(*mesh, *primitive) {
                primitive.weights = Some(base.clone());
            }
        }
    }
    let mut edits = Vec::new();
    for edit in tool(&under)? {
        match &edit {
            Edit::PatchWeights { mesh, primitive, .. }
            | Edit::SetWeights { mesh, primitive, .. }
                if document.layered(*mesh, *primitive).is_some() =>
            {
                crate::apply(&mut under, edit)?;
            }
            _ => edits.push(edit),
        }
    }
    for (skin, layers) in &document.aids.weight_layers {
        let mut to = (**layers).clone();
        for ((mesh, primitive), base) in &mut to.bases {
            if let Some(map) = &under.mesh(*mesh).primitives[primitive.index()].weights {
                *base = map.clone();
            }
        }
        edits.extend(set(document, *skin, to)?);
    }
    Ok(edits)
}

#[cfg(test)]
mod tests {
    use super::{ADD_LAYER, MIRROR_WEIGHTS, PAIR_JOINTS};

    #[test]
    fn the_commands_named_in_messages_exist() {
        for name in [ADD_LAYER, MIRROR_WEIGHTS, PAIR_JOINTS] {
            assert!(crate::find(name).is_some(), "{name}");
        }
    }
}
