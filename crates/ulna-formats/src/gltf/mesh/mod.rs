//! Reads `meshes[]` as meshes.

mod checks;
mod count;
mod primitive;
mod reader;
mod weights;

use self::{primitive::hidden, reader::PrimitiveReader};
use super::{
    ReadError,
    accessor::{Accessors, Missing},
    draco, json, scene_extras, schema, weight_layer_extras,
};
use ulna_model::{Diagnostics, IdKind, Location, Mesh, MorphTarget, Primitive, Severity, Shared};

/// Reads one mesh. `counts` are the numbers of materials and of material variants in the file.
pub fn read(
    text: &str,
    index: usize,
    counts: (usize, usize),
    accessors: &mut Accessors<'_>,
    diagnostics: &mut Diagnostics,
) -> Result<Mesh, ReadError> {
    let place = Location::at(IdKind::Mesh, index);
    let mut repaired = false;
    let mesh: schema::Mesh = json::typed(text, &place, &mut repaired)?;
    if repaired {
        diagnostics.add(
            Severity::Warning,
            "ULNA_JSON_REPAIRED",
            &place,
            "Invalid JSON was repaired for display; the file is unchanged",
        );
    }
    if mesh.primitives.is_empty() {
        return Err(ReadError::at(place, "the mesh has no primitives"));
    }
    let targets = mesh.primitives.iter().map(|p| p.targets.len()).max().unwrap_or(0);
    let mut primitives = Vec::with_capacity(mesh.primitives.len());
    for (k, primitive) in mesh.primitives.iter().enumerate() {
        let here = place.item("primitives", k);
        if primitive.targets.len() != targets {
            let message = format!(
                "The primitive has {} morph targets, but other primitives of the mesh have \
                    {targets}; the missing ones have no effect on it",
                primitive.targets.len()
            );
            const CODE: &str = "MESH_PRIMITIVES_UNEQUAL_TARGETS_COUNT";
            diagnostics.add(Severity::Error, CODE, &here, message);
        }
        if let Some(material) = primitive.material.filter(|m| m.0 >= counts.0) {
            let message = format!(
                "Material {} does not exist; the primitive is displayed with the default material",
                material.0
            );
            diagnostics.add(Severity::Error, "UNRESOLVED_REFERENCE", &here, message);
        }
        let variants = scene_extras::mappings(&primitive.extensions, counts, &here, diagnostics);
        let mut reader = PrimitiveReader {
            raw: primitive,
            place: here.clone(),
            accessors,
            diagnostics,
            triangles: None,
        };
        let read = match reader.read() {
            Ok(read) => read,
            // A finding about this Draco data was already added.
            Err(Missing::Packed(draco::NAME)) => hidden(primitive),
            Err(Missing::Packed(extension)) => {
                let message = format!(
                    "The geometry is packed with {extension}; it stays in the file, but is not \
                        displayed"
                );
                diagnostics.add(Severity::Warning, "ULNA_PACKED", here, message);
                hidden(primitive)
            }
            Err(Missing::Refused(error @ ReadError::Empty { .. })) => {
                let (fault, code) = (error.fault(), error.finding_code());
                let message =
                    format!("The primitive stays in the file, but is not displayed: {fault}");
                diagnostics.add(Severity::Error, code, error.place().unwrap_or(here), message);
                hidden(primitive)
            }
            Err(Missing::Refused(error)) => return Err(error),
        };
        let material = read.material.filter(|m| m.index() < counts.0);
        let mut all = read.targets.to_vec();
        all.resize(targets, MorphTarget::default());
        primitives.push(Primitive { variants, material, targets: all.into(), ..read });
    }
    if mesh.weights.len() > targets {
        let message = format!(
            "There are {} morph weights for {targets} morph targets; the extra weights are ignored",
            mesh.weights.len()
        );
        diagnostics.add(Severity::Error, "MESH_INVALID_WEIGHTS_COUNT", &place, message);
    }
    let default_weights = (0..targets)
        .map(|k| mesh.weights.get(k).copied().filter(|w| w.is_finite()).unwrap_or(0.0))
        .collect();
    let names: Vec<String> = mesh.extras.get("targetNames").unwrap_or_default();
    Ok(Mesh {
        name: mesh.name.map(Into::into),
        primitives,
        default_weights,
        target_names: names.into_iter().map(Into::into).collect(),
        kept_weight_layers: weight_layer_extras::read(&mesh.extras, &place, diagnostics)
            .map(Shared::new),
    })
}
