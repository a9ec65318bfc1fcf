//! Commands on the list of weight layers: adding, removing, ordering, merging, and settings of each
//! layer.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    commands::{
        AddLayer, ClearLayer, FlattenLayers, KeepWeightLayers, LayerOpacity, MergeLayer,
        MirrorLayer, MoveLayer, RemoveLayer, RenameLayer, ShowLayer, SoloWeightLayer,
        SplitWeightLayer,
    },
    write::{find, primitives_of, set},
};
use crate::{
    Edit,
    command::{
        CommandError, Scene,
        error::{refuse, share},
        field::{LayerSide, Meshes, meshes_of},
        layer_name::trimmed,
        mesh_skins::skin_of,
    },
};
use ulna_model::{
    Document, LayerId, MeshId, MirrorFrom, PrimitiveKey, Shared, SkinId, WeightLayer, WeightLayers,
};
use ulna_weights::layers::{merged_down, split};

/// Returns the edits that change one layer.
pub(super) fn change(
    document: &Document,
    layer: &str,
    mesh: Option<&Meshes>,
    work: impl FnOnce(&mut WeightLayer) -> Result<(), CommandError>,
) -> Result<Vec<Edit>, CommandError> {
    let (skin, layers, at) = find(document, layer, mesh)?;
    let mut to = (**layers).clone();
    work(Shared::make_mut(&mut to.layers[at]))?;
    set(document, skin, to)
}

impl AddLayer {
    /// Adds a layer on top of the others.
    pub(super) fn work(&self, scene: &Scene<'_>) -> Result<Vec<Edit>, CommandError> {
        let document = scene.document;
        let meshes = meshes_of(document, self.mesh.as_ref())?;
        let own = |mesh: &MeshId| {
            let layered = document
                .aids
                .weight_layers
                .iter()
                .find(|(_, l)| l.bases.keys().any(|(m, _)| m == mesh));
            layered.map(|(skin, _)| *skin).or_else(|| skin_of(document, *mesh))
        };
        let skins: BTreeSet<SkinId> = if meshes.is_empty() {
            document.skins.ids().filter(|s| !primitives_of(document, *s).is_empty()).collect()
        } else {
            meshes.iter().filter_map(own).collect()
        };
        let skin = match skins.iter().collect::<Vec<_>>()[..] {
            [skin] => *skin,
            [] => {
                return refuse(
                    "no_weights_meant",
                    "no mesh with weights was found; name a skinned mesh",
                );
            }
            _ => {
                return refuse(
                    "several_skins_meant",
                    format!(
                        "the meshes use {} skins, but a weight layer belongs to one skin; name a \
                            mesh of that skin",
                        skins.len()
                    ),
                );
            }
        };
        let mut to =
            document.aids.weight_layers.get(&skin).map(|l| (**l).clone()).unwrap_or_default();
        if to.layers.is_empty() {
            let map = |key: PrimitiveKey| {
                Some((key, document.mesh(key.0).primitives[key.1.index()].weights.clone()?))
            };
            to.bases = primitives_of(document, skin).into_iter().filter_map(map).collect();
        }
        let id = LayerId(to.next);
        let Some(next) = to.next.checked_add(1) else {
            return refuse(
                "too_many_layers",
                "the maximum number of layers was reached; flatten the layers first",
            );
        };
        to.next = next;
        let name = match &self.name {
            Some(name) => trimmed(name)?,
            None => format!("Layer {}", id.0 + 1).into(),
        };
        let layer = WeightLayer {
            id,
            name,
            opacity: 1.0,
            shown: true,
            solo: false,
            mirror: None,
            parts: BTreeMap::new(),
        };
        to.layers.push(Shared::new(layer));
        set(document, skin, to)
    }
}

impl RemoveLayer {
    pub(super) fn work(&self, scene: &Scene<'_>) -> Result<Vec<Edit>, CommandError> {
        let (skin, layers, at) = find(scene.document, &self.layer, self.mesh.as_ref())?;
        let mut to = (**layers).clone();
        to.layers.remove(at);
        set(scene.document, skin, to)
    }
}

impl LayerOpacity {
    pub(super) fn work(&self, scene: &Scene<'_>) -> Result<Vec<Edit>, CommandError> {
        let opacity = share(self.opacity, "opacity")?;
        change(scene.document, &self.layer, self.mesh.as_ref(), |layer| {
            layer.opacity = opacity;
            Ok(())
        })
    }
}

impl ShowLayer {
    pub(super) fn work(&self, scene: &Scene<'_>) -> Result<Vec<Edit>, CommandError> {
        change(scene.document, &self.layer, self.mesh.as_ref(), |layer| {
            layer.shown = self.shown.unwrap_or(!layer.shown);
            Ok(())
        })
    }
}

impl MirrorLayer {
    pub(super) fn work(&self, scene: &Scene<'_>) -> Result<Vec<Edit>, CommandError> {
        change(scene.document, &self.layer, self.mesh.as_ref(), |layer| {
            layer.mirror = match self.from {
                LayerSide::Left => Some(MirrorFrom::Left),
                LayerSide::Right => Some(MirrorFrom::Right),
                LayerSide::None => None,
            };
            Ok(())
        })
    }
}

impl RenameLayer {
    pub(super) fn work(&self, scene: &Scene<'_>) -> Result<Vec<Edit>, CommandError> {
        let name = trimmed(&self.name)?;
        change(scene.document, &self.layer, self.mesh.as_ref(), |layer| {
            layer.name = name;
            Ok(())
        })
    }
}

impl SoloWeightLayer {
    pub(super) fn work(&self, scene: &Scene<'_>) -> Result<Vec<Edit>, CommandError> {
        change(scene.document, &self.layer, self.mesh.as_ref(), |layer| {
            layer.solo = self.solo.unwrap_or(!layer.solo);
            Ok(())
        })
    }
}

impl KeepWeightLayers {
    pub(super) fn work(&self, scene: &Scene<'_>) -> Result<Vec<Edit>, CommandError> {
        let document = scene.document;
        let meshes = meshes_of(document, self.mesh.as_ref())?;
        let meant = |l: &WeightLayers| {
            meshes.is_empty() || l.bases.keys().any(|(mesh, _)| meshes.contains(mesh))
        };
        let all: Vec<_> = document.aids.weight_layers.iter().filter(|(_, l)| meant(l)).collect();
        if all.is_empty() {
            return refuse("no_weight_layers", "there are no weight layers to save");
        }
        let to = self.on.unwrap_or(!all.iter().all(|(_, l)| l.keeps));
        let changed = all.into_iter().filter(|(_, l)| l.keeps != to);
        let edit = |(skin, l): (&SkinId, &Shared<WeightLayers>)| Edit::SetLayers {
            skin: *skin,
            to: Some(Shared::new(WeightLayers { keeps: to, ..(**l).clone() })),
        };
        Ok(changed.map(edit).collect())
    }
}

impl SplitWeightLayer {
    pub(super) fn work(&self, scene: &Scene<'_>) -> Result<Vec<Edit>, CommandError> {
        let document = scene.document;
        let (skin, layers, at) = find(document, &self.layer, self.mesh.as_ref())?;
        let layer = &layers.layers[at];
        if layer.mirror.is_some() {
            return refuse(
                "layer_is_mirrored",
                format!(
                    "weight layer “{}” is mirrored; turn off its mirroring before splitting it",
                    layer.name
                ),
            );
        }
        let list = &document.skin(skin).joints;
        let mut joints = Vec::new();
        for node in self.joint.all(document)? {
            match list.iter().position(|j| *j == node) {
                Some(k) => joints.push(k as u16),
                None => {
                    let label = document.node(node).label(node);
                    return refuse(
                        "not_a_joint",
                        format!("“{label}” is not a joint of the skin of this layer"),
                    );
                }
            }
        }
        let Some((rest, taken)) = split(layer, &joints) else {
            return refuse(
                "layer_is_empty",
                format!("weight layer “{}” has no weights of these joints", layer.name),
            );
        };
        let mut to = (**layers).clone();
        let id = LayerId(to.next);
        let Some(next) = to.next.checked_add(1) else {
            return refuse(
                "too_many_layers",
                "the maximum number of layers was reached; flatten the layers first",
            );
        };
        to.next = next;
        let name = match &self.name {
            Some(name) => trimmed(name)?,
            None => format!("{} 2", layer.name).into(),
        };
        to.layers[at] = Shared::new(WeightLayer { parts: rest, ..(**layer).clone() });
        to.layers.insert(
            at + 1,
            Shared::new(WeightLayer { id, name, parts: taken, ..(**layer).clone() }),
        );
        set(document, skin, to)
    }
}

impl MoveLayer {
    pub(super) fn work(&self, scene: &Scene<'_>) -> Result<Vec<Edit>, CommandError> {
        let (skin, layers, at) = find(scene.document, &self.layer, self.mesh.as_ref())?;
        let other = if self.up {
            Some(at + 1).filter(|k| *k < layers.layers.len())
        } else {
            at.checked_sub(1)
        };
        let mut to = (**layers).clone();
        if let Some(other) = other {
            to.layers.swap(at, other);
        }
        set(scene.document, skin, to)
    }
}

impl ClearLayer {
    pub(super) fn work(&self, scene: &Scene<'_>) -> Result<Vec<Edit>, CommandError> {
        change(scene.document, &self.layer, self.mesh.as_ref(), |layer| {
            layer.parts.clear();
            Ok(())
        })
    }
}

impl MergeLayer {
    pub(super) fn work(&self, scene: &Scene<'_>) -> Result<Vec<Edit>, CommandError> {
        let (skin, layers, at) = find(scene.document, &self.layer, self.mesh.as_ref())?;
        if !layers.counts(&layers.layers[at]) || (at > 0 && !layers.counts(&layers.layers[at - 1]))
        {
            return refuse(
                "layer_is_off",
                "a hidden layer cannot be merged; show it first, or remove it",
            );
        }
        match merged_down(scene.document, skin, layers, layers.layers[at].id)? {
            Some(to) => set(scene.document, skin, to),
            // The last layer was merged. The combined weights stay.
            None => Ok(vec![Edit::SetLayers { skin, to: None }]),
        }
    }
}

impl FlattenLayers {
    /// Keeps the combined weights, and removes the layers.
    pub(super) fn work(&self, scene: &Scene<'_>) -> Result<Vec<Edit>, CommandError> {
        let document = scene.document;
        let meshes = meshes_of(document, self.mesh.as_ref())?;
        let meant = |l: &WeightLayers| {
            meshes.is_empty() || l.bases.keys().any(|(mesh, _)| meshes.contains(mesh))
        };
        let skins: Vec<SkinId> = document
            .aids
            .weight_layers
            .iter()
            .filter(|(_, l)| meant(l))
            .map(|(skin, _)| *skin)
            .collect();
        if skins.is_empty() {
            return refuse("no_weight_layers", "there are no weight layers to flatten");
        }
        Ok(skins.into_iter().map(|skin| Edit::SetLayers { skin, to: None }).collect())
    }
}
