//! Commands on weight layers. What they come to is set beside them, so that one step takes both
//! back.
//!
//! While a skin has layers, a tool that names none works on what is seen, and its result goes into
//! the topmost layer that shows, at full opacity: nothing lies over that, so what the tool made is
//! what is seen. Where there is no such layer the tool is refused. Locked joints do not hold
//! against layers.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use serde_json::json;

use super::{
    CommandError, CommandLine, Scene,
    define::document_commands,
    field::{Counts, LayerSide, Meshes, Nodes, Numbers, VertexList, VertexTerms, meshes_of},
    rules,
    weights::{
        MirrorWeights, PairJoints, Slots, Touch, mesh_label, skin_of, slots_line,
        vertex_query_error,
    },
};
use crate::{Edit, EditError};
use ulna_model::{
    Document, LayerId, LayerPart, MeshId, MirrorFrom, PrimitiveId, PrimitiveKey, Shared, SkinId,
    WeightLayer, WeightLayers, WeightPatch,
};
use ulna_weights::{
    Claimed, PartChange, Seams, SkinnedSurface,
    layers::{NoSides, compose, merged_down, painted, split, with_part},
};

impl From<NoSides> for CommandError {
    fn from(why: NoSides) -> Self {
        Self::other(
            why.code(),
            match why {
                NoSides::Unknown | NoSides::NoPair => {
                    format!("{why}; use {} to set the mirror joint of a joint", PairJoints::NAME)
                }
                NoSides::OtherSkin => {
                    format!(
                        "{why}; {} can mirror weights from one skin to another",
                        MirrorWeights::NAME
                    )
                }
            },
        )
    }
}

fn refuse<T>(code: &'static str, message: impl Into<String>) -> Result<T, CommandError> {
    Err(CommandError::other(code, message))
}

/// The edits that give a skin other layers. Without any left, the weights are those of the base.
fn set(document: &Document, skin: SkinId, to: WeightLayers) -> Result<Vec<Edit>, CommandError> {
    if document.aids.weight_layers.get(&skin).is_some_and(|now| **now == to) {
        return Ok(Vec::new());
    }
    let changes = compose(document, skin, &to)?;
    let to = (!to.layers.is_empty()).then(|| Shared::new(to));
    let mut edits = vec![Edit::SetLayers { skin, to }];
    edits.extend(seen_edits(document, skin, changes));
    Ok(edits)
}

/// What makes the weights what layers come to, and keeps the seams with meshes on other skins
/// closed.
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
        (twins, _) = Seams::of(document, &canvas).follow(
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

/// What mirrored layers come to where other joints are each other's mirror image.
pub(super) fn mirrored_anew(document: &Document) -> Result<Vec<Edit>, CommandError> {
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

/// What names a layer of a skin in a line: its name where it alone has it, else `#` and its number.
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

document_commands! {
    /// Commands on weight layers.
    LayerCommand in "Weights/Layers";

    /// Adds a weight layer
    AddLayer {
        /// Name.
        name: Option<String>,
        /// Mesh to edit.
        mesh: Option<Meshes>,
    } = "weight_layer.add", "Add a layer", enabled: rules::weighted;
    /// Removes a weight layer with all its edits
    RemoveLayer {
        /// Weight layer, by its name or number.
        layer: String,
        /// Mesh to edit.
        mesh: Option<Meshes>,
    } = "weight_layer.remove", "Remove a weight layer", asks: true, enabled: rules::layered;
    /// Sets the opacity of a weight layer
    LayerOpacity {
        /// Weight layer, by its name or number.
        layer: String,
        /// Layer opacity.
        opacity: f32,
        /// Mesh to edit.
        mesh: Option<Meshes>,
    } = "weight_layer.opacity", "Set weight layer opacity", asks: true, enabled: rules::layered;
    /// Shows or hides a weight layer
    ShowLayer {
        /// Weight layer, by its name or number.
        layer: String,
        /// Whether the layer is visible; toggles if omitted.
        shown: Option<bool>,
        /// Mesh to edit.
        mesh: Option<Meshes>,
    } = "weight_layer.show", "Show or hide a weight layer", asks: true, enabled: rules::layered;
    /// Mirrors one side of a weight layer, left or right, to the other
    MirrorLayer {
        /// Weight layer, by its name or number.
        layer: String,
        /// Side to mirror from.
        from: LayerSide,
        /// Mesh to edit.
        mesh: Option<Meshes>,
    } = "weight_layer.mirror", "Mirror a weight layer", asks: true, enabled: rules::layered;
    /// Renames a weight layer
    RenameLayer {
        /// Weight layer, by its name or number.
        layer: String,
        /// New name.
        name: String,
        /// Mesh to edit.
        mesh: Option<Meshes>,
    } = "weight_layer.rename", "Rename a weight layer", asks: true, enabled: rules::layered;
    /// Soloes a weight layer; several can be soloed
    SoloWeightLayer {
        /// Weight layer, by its name or number.
        layer: String,
        /// Whether the layer is soloed; toggles if omitted.
        solo: Option<bool>,
        /// Mesh to edit.
        mesh: Option<Meshes>,
    } = "weight_layer.solo", "Solo a weight layer", asks: true, enabled: rules::layered;
    /// Saves the weight layers in the file, to edit them again later; their effect is saved in any
    /// case
    KeepWeightLayers {
        /// Whether to save the layers in the file; toggles if omitted.
        on: Option<bool>,
        /// Mesh of the layers; all meshes if omitted.
        mesh: Option<Meshes>,
    } = "weight_layer.keep", "Save the weight layers in the file", enabled: rules::layered;
    /// Moves joints of a weight layer to a new layer above it; the result does not change
    SplitWeightLayer {
        /// Weight layer, by its name or number.
        layer: String,
        /// Joints to move to the new layer.
        joint: Nodes,
        /// Name of the new layer.
        name: Option<String>,
        /// Mesh to edit.
        mesh: Option<Meshes>,
    } = "weight_layer.split", "Split a weight layer by joints", asks: true, enabled: rules::layered;
    /// Moves a weight layer up or down
    MoveLayer {
        /// Weight layer, by its name or number.
        layer: String,
        /// Whether to move it up; otherwise it moves down.
        up: bool,
        /// Mesh to edit.
        mesh: Option<Meshes>,
    } = "weight_layer.move", "Move a weight layer", asks: true, enabled: rules::layered;
    /// Sets the mask of a weight layer at vertices, 0 to 1
    MaskLayer {
        /// Weight layer, by its name or number.
        layer: String,
        /// Mask value at these vertices.
        value: f32,
        /// Mesh to edit.
        mesh: Option<Meshes>,
        /// Primitive of the mesh; all if omitted.
        primitive: Option<PrimitiveId>,
        /// Vertices of the mask; all vertices of the layer if omitted.
        vertices: Option<VertexTerms>,
    } = "weight_layer.mask", "Set weight layer mask", asks: true, enabled: rules::layered;
    /// Removes all weights from a weight layer
    ClearLayer {
        /// Weight layer, by its name or number.
        layer: String,
        /// Mesh to edit.
        mesh: Option<Meshes>,
    } = "weight_layer.clear", "Clear a weight layer", asks: true, enabled: rules::layered;
    /// Merges a weight layer with the one below it
    MergeLayer {
        /// Weight layer, by its name or number.
        layer: String,
        /// Mesh to edit.
        mesh: Option<Meshes>,
    } = "weight_layer.merge_down", "Merge weight layer down", asks: true, enabled: rules::layered;
    /// Merges all weight layers into the weights of the mesh
    FlattenLayers {
        /// Mesh of the layers; all meshes if omitted.
        mesh: Option<Meshes>,
    } = "weight_layer.flatten", "Flatten", enabled: rules::layered;
    /// Sets the content of a weight layer, as a brush stroke does
    PaintLayer {
        /// Weight layer, by its name or number.
        layer: String,
        /// Mesh of the vertices.
        mesh: Meshes,
        /// Primitive of the mesh; the first if omitted.
        primitive: Option<PrimitiveId>,
        /// Joints that `of` refers to.
        joints: Nodes,
        /// Vertices to set.
        vertices: VertexList,
        /// Index into `joints`, per vertex and slot.
        of: Counts,
        /// Weight per vertex and slot.
        weights: Numbers,
        /// Mask value per vertex; 1 if omitted.
        mask: Option<Numbers>,
    } = "weight_layer.paint", "Paint into a layer", asks: true, enabled: rules::layered;
}

/// The layers of one skin, and which of them is meant.
fn find<'a>(
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
            format!("there is no weight layer “{text}”; use {} to add one", AddLayer::NAME),
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

/// Changes one layer.
fn change(
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

/// The primitives whose weights hang on a skin, shown or not, and on nobody else's layers.
pub fn primitives_of(document: &Document, skin: SkinId) -> BTreeSet<PrimitiveKey> {
    let meshes = document.nodes.values().filter(|n| n.skin == Some(skin)).filter_map(|n| n.mesh);
    let keys = meshes.flat_map(|mesh| {
        let primitives = document.mesh(mesh).entries();
        let painted = primitives.filter(|(_, p)| p.weights.is_some());
        painted.map(move |(k, _)| (mesh, k))
    });
    keys.filter(|(mesh, k)| document.layered(*mesh, *k).is_none_or(|owner| owner == skin)).collect()
}

impl AddLayer {
    /// Above all others.
    fn work(&self, scene: &Scene<'_>) -> Result<Vec<Edit>, CommandError> {
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

fn trimmed(name: &str) -> Result<Arc<str>, CommandError> {
    match name.trim() {
        "" => refuse("name_missing", "a layer needs a name"),
        name => Ok(name.into()),
    }
}

impl RemoveLayer {
    fn work(&self, scene: &Scene<'_>) -> Result<Vec<Edit>, CommandError> {
        let (skin, layers, at) = find(scene.document, &self.layer, self.mesh.as_ref())?;
        let mut to = (**layers).clone();
        to.layers.remove(at);
        set(scene.document, skin, to)
    }
}

fn share(value: f32, name: &str) -> Result<f32, CommandError> {
    if (0.0..=1.0).contains(&value) {
        Ok(value)
    } else {
        refuse("argument_out_of_range", format!("“{name}” must be 0 to 1, but is {value}"))
    }
}

impl LayerOpacity {
    fn work(&self, scene: &Scene<'_>) -> Result<Vec<Edit>, CommandError> {
        let opacity = share(self.opacity, "opacity")?;
        change(scene.document, &self.layer, self.mesh.as_ref(), |layer| {
            layer.opacity = opacity;
            Ok(())
        })
    }
}

impl ShowLayer {
    fn work(&self, scene: &Scene<'_>) -> Result<Vec<Edit>, CommandError> {
        change(scene.document, &self.layer, self.mesh.as_ref(), |layer| {
            layer.shown = self.shown.unwrap_or(!layer.shown);
            Ok(())
        })
    }
}

impl MirrorLayer {
    fn work(&self, scene: &Scene<'_>) -> Result<Vec<Edit>, CommandError> {
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
    fn work(&self, scene: &Scene<'_>) -> Result<Vec<Edit>, CommandError> {
        let name = trimmed(&self.name)?;
        change(scene.document, &self.layer, self.mesh.as_ref(), |layer| {
            layer.name = name;
            Ok(())
        })
    }
}

impl SoloWeightLayer {
    fn work(&self, scene: &Scene<'_>) -> Result<Vec<Edit>, CommandError> {
        change(scene.document, &self.layer, self.mesh.as_ref(), |layer| {
            layer.solo = self.solo.unwrap_or(!layer.solo);
            Ok(())
        })
    }
}

impl KeepWeightLayers {
    fn work(&self, scene: &Scene<'_>) -> Result<Vec<Edit>, CommandError> {
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
    fn work(&self, scene: &Scene<'_>) -> Result<Vec<Edit>, CommandError> {
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
    fn work(&self, scene: &Scene<'_>) -> Result<Vec<Edit>, CommandError> {
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

impl MaskLayer {
    pub(super) fn touch(&mut self) -> Touch<'_> {
        Touch {
            mesh: Some(&mut self.mesh),
            primitive: Some(&mut self.primitive),
            vertices: Some(&mut self.vertices),
            of_brush: true,
            ..Touch::nothing()
        }
    }

    /// The mask of what is in a layer: of the vertices that are named, or of all.
    fn work(&self, scene: &Scene<'_>) -> Result<Vec<Edit>, CommandError> {
        let document = scene.document;
        let value = share(self.value, "value")?;
        let meshes = meshes_of(document, self.mesh.as_ref())?;
        let is_meant = |mesh: MeshId, k: PrimitiveId| {
            (meshes.is_empty() || meshes.contains(&mesh)) && self.primitive.is_none_or(|p| p == k)
        };
        let (skin, ..) = find(document, &self.layer, self.mesh.as_ref())?;
        let chosen = match (&self.vertices, SkinnedSurface::whole(document, skin)) {
            (Some(terms), Some(canvas)) => {
                let meant: Vec<bool> =
                    canvas.parts().iter().map(|p| is_meant(p.mesh, p.primitive)).collect();
                let marks = terms
                    .vertices
                    .mark(document, &canvas, &meant)
                    .map_err(|why| vertex_query_error(document, &canvas, why))?;
                Some((canvas, marks))
            }
            _ => None,
        };
        change(document, &self.layer, self.mesh.as_ref(), |layer| {
            let mut any = false;
            for ((mesh, k), part) in
                layer.parts.iter_mut().filter(|((mesh, k), _)| is_meant(*mesh, *k))
            {
                let is_chosen = |v: u32| match &chosen {
                    Some((canvas, marks)) => {
                        canvas.vertex_of(*mesh, *k, v).is_some_and(|v| marks[v as usize])
                    }
                    None => true,
                };
                let own: Vec<usize> =
                    (0..part.vertices.len()).filter(|at| is_chosen(part.vertices[*at])).collect();
                if !own.is_empty() {
                    any = true;
                    let part = Shared::make_mut(part);
                    own.into_iter().for_each(|at| part.mask[at] = value);
                }
            }
            if any {
                Ok(())
            } else {
                refuse(
                    "vertices_not_in_layer",
                    "none of these vertices is in the layer; paint weights of them in the layer \
                        first",
                )
            }
        })
    }
}

impl ClearLayer {
    fn work(&self, scene: &Scene<'_>) -> Result<Vec<Edit>, CommandError> {
        change(scene.document, &self.layer, self.mesh.as_ref(), |layer| {
            layer.parts.clear();
            Ok(())
        })
    }
}

impl MergeLayer {
    fn work(&self, scene: &Scene<'_>) -> Result<Vec<Edit>, CommandError> {
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
            // The last one: what is seen stays.
            None => Ok(vec![Edit::SetLayers { skin, to: None }]),
        }
    }
}

impl FlattenLayers {
    /// Leaves what is seen, and no layers.
    fn work(&self, scene: &Scene<'_>) -> Result<Vec<Edit>, CommandError> {
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

/// What stands for the base where a layer is named. No layer has such a name: those that begin so
/// go by their numbers.
pub const BASE: &str = "#base";

impl PaintLayer {
    fn slots(&self) -> Slots<'_> {
        Slots {
            mesh: &self.mesh,
            primitive: self.primitive,
            joints: &self.joints,
            vertices: &self.vertices,
            of: &self.of,
            weights: &self.weights,
        }
    }

    /// What a layer holds of vertices, slot by slot: the text form of a stroke into it.
    fn work(&self, scene: &Scene<'_>) -> Result<Vec<Edit>, CommandError> {
        let document = scene.document;
        if self.layer == BASE {
            return self.paint_base(document);
        }
        let (skin, layers, at) = find(document, &self.layer, Some(&self.mesh))?;
        let (mesh, primitive, patch) = self.slots().patch(document, true)?;
        let key = (mesh, primitive);
        let Some(base) = layers.bases.get(&key) else {
            return refuse(
                "not_in_layer",
                format!(
                    "this layer does not apply to primitive {primitive} of “{}”",
                    mesh_label(document, mesh)
                ),
            );
        };
        let mut part = LayerPart::new(&patch, 1.0);
        if let Some(Numbers(masks)) = &self.mask {
            if masks.len() != patch.vertices.len() {
                return refuse("count_mismatch", "“mask” needs one number per vertex");
            }
            for (v, mask) in patch.vertices.iter().zip(masks) {
                if let Some(k) = part.find(*v) {
                    part.mask[k] = *mask as f32;
                }
            }
        }
        if !part.fits(base.vertex_count()) {
            return refuse(
                "weights_unsound",
                "every vertex must belong to the mesh, have no negative weights, at least one \
                    weight above 0, and a mask from 0 to 1",
            );
        }
        set(document, skin, with_part(layers, at, BTreeMap::from([(key, part)])))
    }

    /// What the base holds of vertices.
    fn paint_base(&self, document: &Document) -> Result<Vec<Edit>, CommandError> {
        let (mesh, primitive, mut patch) = self.slots().patch(document, false)?;
        let Some(skin) = document.layered(mesh, primitive) else {
            return refuse(
                "not_in_layer",
                format!(
                    "primitive {primitive} of “{}” has no weight layers",
                    mesh_label(document, mesh)
                ),
            );
        };
        let mut to = (*document.aids.weight_layers[&skin]).clone();
        let base = to.bases.get_mut(&(mesh, primitive)).filter(|b| patch.fits(b));
        let Some(base) = base else {
            return Err(EditError::Weights { mesh: mesh.0, primitive }.into());
        };
        Shared::make_mut(base).swap(&mut patch);
        set(document, skin, to)
    }
}

/// The lines that do what a stroke did to layers.
pub(crate) fn lines_of(
    document: &Document,
    to: &WeightLayers,
    was: Option<&WeightLayers>,
) -> Vec<CommandLine> {
    let mut lines = Vec::new();
    for ((mesh, primitive), base) in &to.bases {
        let Some(before) = was.and_then(|w| w.bases.get(&(*mesh, *primitive))) else { continue };
        if Shared::ptr_eq(before, base)
            || before.sets != base.sets
            || before.vertex_count() != base.vertex_count()
        {
            continue;
        }
        let all: Vec<u32> = (0..base.vertex_count() as u32).collect();
        let patch = base.pick(&all).without_unchanged(before);
        let slots = (&patch.vertices[..], &patch.joints[..], &patch.weights[..]);
        if let Some(line) = slots_line(document, PaintLayer::NAME, *mesh, *primitive, slots)
            && !patch.vertices.is_empty()
        {
            lines.push(line.with("layer", BASE));
        }
    }
    for layer in &to.layers {
        // As it was called then; the mesh says which skin is meant.
        let alone = to.layers.iter().filter(|o| o.name == layer.name).count() == 1;
        let text = if alone && !layer.name.starts_with('#') {
            layer.name.to_string()
        } else {
            format!("#{}", layer.id.0)
        };
        let old = was.and_then(|w| w.layer(layer.id));
        for ((mesh, primitive), part) in &layer.parts {
            let before = old.and_then(|l| l.parts.get(&(*mesh, *primitive)));
            if before.is_some_and(|b| Shared::ptr_eq(b, part)) {
                continue;
            }
            let new = part.since(before.map(|b| &**b));
            let slots = (&new.vertices[..], &new.joints[..], &new.weights[..]);
            if let Some(line) = slots_line(document, PaintLayer::NAME, *mesh, *primitive, slots)
                && !new.vertices.is_empty()
            {
                let masks: Vec<f64> = new.mask.iter().map(|m| f64::from(*m)).collect();
                lines.push(line.with("layer", text.as_str()).with("mask", json!(masks)));
            }
        }
    }
    lines
}

/// The layer that a tool's result goes into: the topmost that shows, if its opacity is 1.
///
/// # Errors
/// Where there is none.
pub fn layer_for(document: &Document, skin: SkinId) -> Result<LayerId, CommandError> {
    let layers = document.aids.weight_layers.get(&skin);
    // One at an opacity of 0 is the topmost, too, and is said to be.
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

/// The edits that put painted weights, as they should be seen, into a layer. Where its opacity or
/// what lies over it does not let them be seen whole, they are as far as it goes; the vertices get
/// a mask of 1. `changes` need not be in the document, but may be.
///
/// # Errors
/// Where the layer is not there or does not show, and where a vertex would be left without weights.
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

/// A tool's edits, those of weights under layers turned into ones of a layer: the named one, or
/// [`layer_for`] the skin.
pub(super) fn through(
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

/// The edits of a tool that works on what lies under the layers.
pub(super) fn on_base(
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
