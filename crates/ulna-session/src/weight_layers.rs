//! Storing and restoring of weight layers. Every save contains the combined weights, and on request
//! the layers, too. Opening the file restores the layers if their combined weights match the file.

use std::collections::{BTreeMap, BTreeSet};

use ulna_edit::primitives_of;
use ulna_model::{
    Diagnostic, Document, FileContent, KeptWeightLayer, KeptWeightLayers, LayerId, Location,
    MeshId, PrimitiveId, Severity, Shared, SkinId, WeightLayer, WeightLayers, WeightMap,
};
use ulna_weights::layers::compose;

/// Returns a hash of all weights of a mesh.
fn hash(document: &FileContent, mesh: MeshId) -> u64 {
    let mut bytes: Vec<u8> = Vec::new();
    for (_, primitive) in document.meshes[mesh].entries() {
        let Some(map) = primitive.weights.as_deref() else {
            bytes.push(0);
            continue;
        };
        bytes.extend((map.sets as u32).to_le_bytes());
        // The joint of a slot without weight has no effect, so it is ignored.
        for (j, w) in map.joints.iter().zip(map.weights.iter()) {
            bytes.extend(if *w == 0.0 { 0 } else { *j }.to_le_bytes());
            bytes.extend(w.to_le_bytes());
        }
    }
    xxhash_rust::xxh3::xxh3_64(&bytes)
}

fn joint_paths(document: &Document, skin: SkinId) -> Vec<String> {
    document.skin(skin).joints.iter().map(|n| document.path(*n)).collect()
}

/// Restores the weight layers that an opened file stores. If the weights of the file do not match
/// the layers, the weights are kept and the layers are ignored.
pub(super) fn take_up(document: &mut Document, diagnostics: &mut Vec<Diagnostic>) {
    let mut by_skin: BTreeMap<SkinId, Vec<(MeshId, Shared<KeptWeightLayers>)>> = BTreeMap::new();
    let skins: Vec<(SkinId, Vec<String>, BTreeSet<MeshId>)> =
        match document.meshes.values().any(|m| m.kept_weight_layers.is_some()) {
            false => Vec::new(),
            true => {
                let of = |skin| {
                    let meshes =
                        primitives_of(document, skin).into_iter().map(|(mesh, _)| mesh).collect();
                    (skin, joint_paths(document, skin), meshes)
                };
                document.skins.ids().map(of).collect()
            }
        };
    for (mesh, found) in document.meshes.iter() {
        let Some(kept) = &found.kept_weight_layers else { continue };
        // If the mesh is bound to several skins, the skin with the stored joints is used.
        match skins
            .iter()
            .find(|(_, paths, meshes)| meshes.contains(&mesh) && *paths == kept.joints)
        {
            Some((skin, ..)) => by_skin.entry(*skin).or_default().push((mesh, kept.clone())),
            None => diagnostics.push(not_used(
                document,
                mesh,
                "the mesh uses no skin with the joints of these layers",
            )),
        }
    }
    for (skin, kept) in by_skin {
        let meshes: Vec<MeshId> = kept.iter().map(|(mesh, _)| *mesh).collect();
        match taken(document, skin, &kept) {
            Ok(layers) => {
                document.aids.weight_layers.insert(skin, Shared::new(layers));
                for mesh in meshes {
                    if let Some(slot) = document.file.meshes.get_mut(mesh) {
                        Shared::make_mut(slot).kept_weight_layers = None;
                    }
                }
            }
            Err((mesh, why)) => diagnostics.push(not_used(document, mesh, why)),
        }
    }
}

/// Returns the finding that stored layers are ignored.
fn not_used(document: &Document, mesh: MeshId, why: &str) -> Diagnostic {
    let name = document.mesh(mesh).name.clone().filter(|n| !n.is_empty());
    let name = name.map_or_else(|| format!("mesh {}", mesh.0), |n| format!("“{n}”"));
    let message = format!("The weight layers of {name} are kept in the extras, but ignored: {why}");
    Diagnostic::new(Severity::Warning, "ULNA_WEIGHT_LAYERS", Location::of(mesh), message)
}

/// Builds the layers of a skin from the data stored with its meshes. The error names the mesh that
/// prevents this, and the reason.
fn taken(
    document: &Document,
    skin: SkinId,
    kept: &[(MeshId, Shared<KeptWeightLayers>)],
) -> Result<WeightLayers, (MeshId, &'static str)> {
    let (first, model) = &kept[0];
    let plain =
        |l: &KeptWeightLayer| (l.name.clone(), l.opacity.to_bits(), l.shown, l.solo, l.mirror);
    let mut all = WeightLayers { keeps: true, ..WeightLayers::default() };
    for key in primitives_of(document, skin) {
        // If the stored layers of another mesh cannot be used, restoring would overwrite them.
        let unused = |mesh: MeshId| {
            document.mesh(mesh).kept_weight_layers.is_some() && kept.iter().all(|(m, _)| *m != mesh)
        };
        if unused(key.0) {
            return Err((
                *first,
                "another mesh of the same skin has stored layers that are ignored",
            ));
        }
        if let Some(map) = document.primitive(key.0, key.1).and_then(|p| p.weights.clone()) {
            all.bases.insert(key, map);
        }
    }
    for layer in &model.layers {
        let made = WeightLayer {
            id: LayerId(all.next),
            name: layer.name.clone(),
            opacity: layer.opacity,
            shown: layer.shown,
            solo: layer.solo,
            mirror: layer.mirror,
            parts: BTreeMap::new(),
        };
        all.next += 1;
        all.layers.push(Shared::new(made));
    }
    for (mesh, kept) in kept {
        let not = |why: &'static str| Err((*mesh, why));
        if kept.hash != hash(&document.file, *mesh) {
            return not(
                "another program changed its weights after the layers were flattened into them, \
                    and the changed weights are used",
            );
        }
        if !kept.layers.iter().map(plain).eq(model.layers.iter().map(plain)) {
            return not("meshes of the same skin have different stored layers");
        }
        for (primitive, patch) in &kept.bases {
            let base = all.bases.get_mut(&(*mesh, *primitive)).filter(|b| patch.fits(b));
            match base {
                Some(base) => Shared::make_mut(base).swap(&mut patch.clone()),
                None => return not("the weights stored below them do not match the mesh"),
            }
        }
        for (k, layer) in kept.layers.iter().enumerate() {
            for (primitive, part) in &layer.parts {
                let own = Shared::make_mut(&mut all.layers[k]);
                own.parts.insert((*mesh, *primitive), Shared::new(part.clone()));
            }
        }
    }
    if !all.fits(document, skin) {
        return Err((*first, "their names or numbers are invalid"));
    }
    match compose(document, skin, &all) {
        Ok(changes) if changes.is_empty() => Ok(all),
        Ok(_) => Err((*first, "their combined result is not equal to the weights of the file")),
        Err(_) => Err((
            *first,
            "a layer is mirrored, but left and right joints of the skin cannot be told apart",
        )),
    }
}

/// Stores the weight layers of a document with the meshes of the file that is saved.
pub(super) fn keep(document: &Document, file: &mut FileContent) {
    for (skin, layers) in document.aids.weight_layers.iter().filter(|(_, l)| l.keeps) {
        let joints = joint_paths(document, *skin);
        let meshes: BTreeSet<MeshId> = layers.bases.keys().map(|(mesh, _)| *mesh).collect();
        for mesh in meshes {
            let bases = layers.bases.iter().filter(|((m, _), _)| *m == mesh);
            let below = bases.filter_map(|((_, k), base)| {
                let now = document.primitive(mesh, *k)?.weights.as_deref()?;
                let patch = below(base, now);
                (!patch.vertices.is_empty()).then_some((*k, patch))
            });
            let of_layer = |layer: &WeightLayer| KeptWeightLayer {
                name: layer.name.clone(),
                opacity: layer.opacity,
                shown: layer.shown,
                solo: layer.solo,
                mirror: layer.mirror,
                parts: parts_of(layer, mesh),
            };
            let kept = KeptWeightLayers {
                joints: joints.clone(),
                bases: below.collect(),
                layers: layers.layers.iter().map(|l| of_layer(l)).collect(),
                hash: hash(&document.file, mesh),
            };
            if let Some(slot) = file.meshes.get_mut(mesh) {
                Shared::make_mut(slot).kept_weight_layers = Some(Shared::new(kept));
            }
        }
    }
}

fn parts_of(layer: &WeightLayer, mesh: MeshId) -> Vec<(PrimitiveId, ulna_model::LayerPart)> {
    let own = layer.parts.iter().filter(|((m, _), _)| *m == mesh);
    own.map(|((_, k), part)| (*k, (**part).clone())).collect()
}

/// Returns the base weights of all vertices at which they differ from the current weights.
fn below(base: &WeightMap, now: &WeightMap) -> ulna_model::WeightPatch {
    let all: Vec<u32> = (0..base.vertex_count() as u32).collect();
    base.pick(&all).without_unchanged(now)
}
