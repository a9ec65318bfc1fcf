//! Commands on the contents of weight layers: masks and painted weights. Also writes brush strokes
//! as command lines.

use std::collections::BTreeMap;

use serde_json::json;

use super::{
    commands::{MaskLayer, PaintLayer},
    list::change,
    write::{BASE, find, set},
};
use crate::{
    Edit, EditError,
    command::{
        CommandError, CommandLine, Scene,
        error::{refuse, share},
        field::{Numbers, meshes_of},
        names::mesh_label,
        touch::Touch,
        vertex_terms::vertex_query_error,
        weight_slots::{Slots, slots_line},
    },
};
use ulna_model::{Document, LayerPart, MeshId, PrimitiveId, Shared, WeightLayers};
use ulna_weights::{SkinnedSurface, layers::with_part};

impl MaskLayer {
    pub(in crate::command) fn touch(&mut self) -> Touch<'_> {
        Touch {
            mesh: Some(&mut self.mesh),
            primitive: Some(&mut self.primitive),
            vertices: Some(&mut self.vertices),
            of_brush: true,
            ..Touch::nothing()
        }
    }

    /// Sets the mask of the given vertices, or of all vertices in the layer.
    pub(super) fn work(&self, scene: &Scene<'_>) -> Result<Vec<Edit>, CommandError> {
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

    /// Sets the influences of vertices in a layer. This is the text form of a brush stroke.
    pub(super) fn work(&self, scene: &Scene<'_>) -> Result<Vec<Edit>, CommandError> {
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

    /// Sets the influences of vertices in the base weights.
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

/// Returns the command lines that repeat the effect of a stroke on layers.
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
        // The text is the name that the layer had at the time of the stroke. The mesh determines
        // the skin.
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
