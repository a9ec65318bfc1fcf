//! Saving of changed joints, weights and rest geometry. Weights keep the component types of the
//! file if possible.

use std::collections::HashMap;

use glam::Vec3;

use super::{
    SaveError, json,
    patch::{Patch, Stored},
    schema,
    text::Ops,
};
use ulna_model::{
    FileContent, IdKind, Location, Mesh, Primitive, Shared, WeightEncoding, WeightMap,
};

/// Writes changed weights and rest geometry. Adds one sentence per primitive to the list of
/// changes.
pub(super) fn write(
    root: &json::RawMap<'_>,
    opened: &FileContent,
    now: &FileContent,
    patch: &mut Patch<'_>,
    ops: &mut Ops,
    changes: &mut Vec<String>,
) -> Result<(), SaveError> {
    for (mesh, before) in opened.meshes.iter() {
        let Some(after) = now.meshes.get(mesh).filter(|after| !Shared::ptr_eq(before, after))
        else {
            continue;
        };
        let (m, name) = (mesh.index(), after.name.as_deref().unwrap_or_default());
        if !is_same_but_weights_and_shape(before, after) {
            return Err(SaveError::no_form(
                Location::at(IdKind::Mesh, m),
                "a change of the mesh other than its name, weights and vertices",
            ));
        }
        let raw = {
            let text = json::elements(root, "meshes").map_err(SaveError::Source)?[m].get();
            json::typed::<schema::Mesh>(text, &Location::at(IdKind::Mesh, m), &mut false)
                .map_err(SaveError::Source)?
        };
        let mut shapes = Shapes::default();
        for (k, (before, after)) in before.primitives.iter().zip(&after.primitives).enumerate() {
            if let Some(raw) = raw.primitives.get(k).filter(|_| before.shape() != after.shape()) {
                let op = ops.member("meshes").item(m).member("primitives").item(k);
                shapes.write(raw, before, after, patch, op);
                let count = after.positions.len();
                changes.push(format!(
                    "meshes/{m} “{name}” primitive {k}: positions of {count} vertices"
                ));
            }
            let (before, after) = (before.weights.as_deref(), after.weights.as_deref());
            let Some(raw) = raw.primitives.get(k).filter(|_| before != after) else { continue };
            let encoding = after.or(before).map_or_else(WeightEncoding::default, |w| w.encoding);
            let none = WeightMap { encoding, ..WeightMap::default() };
            let (before, after) = (before.unwrap_or(&none), after.unwrap_or(&none));
            let op = ops.member("meshes").item(m).member("primitives").item(k);
            primitive(raw, before, after, patch, op);
            let differs = |v: &usize| !before.vertex(*v).eq(after.vertex(*v));
            let count = if before.sets == after.sets {
                (0..after.vertex_count()).filter(differs).count()
            } else {
                before.vertex_count().max(after.vertex_count())
            };
            let sets = match (before.sets, after.sets) {
                (0, _) => ", which had no weights".to_owned(),
                (_, 0) => ", all removed".to_owned(),
                (was, now) if was == now => String::new(),
                (was, now) => format!(", {now} influence sets instead of {was}"),
            };
            let vertices =
                if count == 1 { "1 vertex".to_owned() } else { format!("{count} vertices") };
            changes.push(format!("meshes/{m} “{name}” primitive {k}: weights of {vertices}{sets}"));
        }
    }
    Ok(())
}

/// Stored attributes by their content, because primitives of a mesh often share attributes.
#[derive(Default)]
struct Shapes(HashMap<Vec<u32>, usize>);

impl Shapes {
    /// Writes changed attributes of a primitive's rest geometry, as floats.
    fn write(
        &mut self,
        raw: &schema::Primitive,
        before: &Primitive,
        after: &Primitive,
        patch: &mut Patch<'_>,
        op: &mut Ops,
    ) {
        let flat3 = |list: &[Vec3]| list.iter().flat_map(|v| v.to_array()).collect::<Vec<f32>>();
        let old = |name: &str| raw.attributes.get(name).map(|i| i.0);
        let mut put = |name: &str, values: Vec<f32>, width: usize, op: &mut Ops| {
            let index = self.stored(patch, old(name), values, width, name == "POSITION");
            if old(name) != Some(index) {
                *op.member("attributes").member(name) = Ops::Replace(index.to_string());
            }
            unpack(raw, name, op);
        };
        if before.positions != after.positions {
            put("POSITION", flat3(&after.positions), 3, op);
        }
        if before.normals != after.normals {
            put("NORMAL", flat3(&after.normals), 3, op);
        }
        if before.tangents != after.tangents {
            put("TANGENT", after.tangents.iter().flat_map(|v| v.to_array()).collect(), 4, op);
        }
        for (k, (before, after)) in before.targets.iter().zip(after.targets.iter()).enumerate() {
            let lists = [
                ("POSITION", &before.positions, &after.positions),
                ("NORMAL", &before.normals, &after.normals),
            ];
            for (name, before, after) in lists {
                if before != after {
                    let old = raw.targets.get(k).and_then(|t| t.get(name)).map(|i| i.0);
                    let index = self.stored(patch, old, flat3(after), 3, name == "POSITION");
                    if old != Some(index) {
                        *op.member("targets").item(k).member(name) =
                            Ops::Replace(index.to_string());
                    }
                }
            }
        }
    }

    fn stored(
        &mut self,
        patch: &mut Patch<'_>,
        old: Option<usize>,
        values: Vec<f32>,
        width: usize,
        bounds: bool,
    ) -> usize {
        let kind = if width == 4 { "VEC4" } else { "VEC3" };
        let key = values.iter().map(|v| v.to_bits()).collect();
        *self.0.entry(key).or_insert_with(|| patch.floats(old, &values, kind, width, bounds))
    }
}

/// Whether two meshes are equal except for their joint weights and rest geometry.
fn is_same_but_weights_and_shape(a: &Mesh, b: &Mesh) -> bool {
    // The name is written elsewhere, and members in the extras are compared as text.
    let Mesh { name: _, primitives, default_weights, target_names, kept_weight_layers: _ } = a;
    let same = |(a, b): (&Primitive, &Primitive)| {
        let Primitive {
            topology,
            positions,
            normals: _,
            tangents: _,
            uv0,
            uv1,
            colors,
            indices,
            material,
            variants,
            targets: _,
            weights: _,
        } = a;
        (topology, positions.len()) == (&b.topology, b.positions.len())
            && a.fits(&b.shape())
            && (uv0, uv1, colors, indices) == (&b.uv0, &b.uv1, &b.colors, &b.indices)
            && (material, variants) == (&b.material, &b.variants)
    };
    (default_weights, target_names) == (&b.default_weights, &b.target_names)
        && primitives.len() == b.primitives.len()
        && primitives.iter().zip(&b.primitives).all(same)
}

/// Writes the weight sets of one primitive.
fn primitive(
    raw: &schema::Primitive,
    before: &WeightMap,
    after: &WeightMap,
    patch: &mut Patch<'_>,
    op: &mut Ops,
) {
    for set in 0..after.sets.max(before.sets) {
        let names = [format!("JOINTS_{set}"), format!("WEIGHTS_{set}")];
        let old = names.clone().map(|n| raw.attributes.get(&n).map(|i| i.0));
        if set >= after.sets {
            for name in &names {
                *op.member("attributes").member(name) = Ops::Remove;
            }
            names.iter().for_each(|name| unpack(raw, name, op));
            continue;
        }
        let slots = |map: &WeightMap| -> (Vec<u16>, Vec<f32>) {
            let joints = map
                .joints
                .chunks_exact(map.stride())
                .flat_map(|c| c[set * 4..set * 4 + 4].to_vec());
            let weights = map
                .weights
                .chunks_exact(map.stride())
                .flat_map(|c| c[set * 4..set * 4 + 4].to_vec());
            (joints.collect(), weights.collect())
        };
        let (joints, weights) = slots(after);
        let was = (set < before.sets).then(|| slots(before));
        let component = match after.encoding {
            WeightEncoding::Float => 5126,
            WeightEncoding::Short => 5123,
            WeightEncoding::Byte => 5121,
        };
        let same_joints = was.as_ref().is_some_and(|(j, _)| *j == joints);
        // Invalid weights were read as 0. If they were replaced by valid weights, they are written
        // even if those are 0.
        let same_weights = was.is_some_and(|(_, w)| w == weights)
            && before.not_numbers == after.not_numbers
            && old[1].is_none_or(|o| patch.component(o) == Some(component));
        if !same_joints {
            let small = joints.iter().all(|j| *j < 256);
            let bytes = small && old[0].is_none_or(|o| patch.component(o) == Some(5121));
            let stored = if bytes {
                let values: Vec<u8> = joints.iter().map(|j| *j as u8).collect();
                Stored { component: 5121, normalized: false, size: 1, values }
            } else {
                let values = joints.iter().flat_map(|j| j.to_le_bytes()).collect();
                Stored { component: 5123, normalized: false, size: 2, values }
            };
            put(patch, op, &names[0], old[0], stored);
            unpack(raw, &names[0], op);
        }
        if !same_weights {
            let whole = |size: usize| -> Vec<u8> {
                weights
                    .iter()
                    .flat_map(|w| after.encoding.encode(*w).to_le_bytes()[..size].to_vec())
                    .collect()
            };
            let stored = match after.encoding {
                WeightEncoding::Float => {
                    let values = weights.iter().flat_map(|w| w.to_le_bytes()).collect();
                    Stored { component, normalized: false, size: 4, values }
                }
                WeightEncoding::Short => {
                    Stored { component, normalized: true, size: 2, values: whole(2) }
                }
                WeightEncoding::Byte => {
                    Stored { component, normalized: true, size: 1, values: whole(1) }
                }
            };
            put(patch, op, &names[1], old[1], stored);
            unpack(raw, &names[1], op);
        }
    }
}

fn put(patch: &mut Patch<'_>, op: &mut Ops, name: &str, old: Option<usize>, stored: Stored) {
    let index = patch.attribute(old, stored);
    if old != Some(index) {
        *op.member("attributes").member(name) = Ops::Replace(index.to_string());
    }
}

/// Removes a rewritten attribute from the extension's list of compressed attributes, so that Draco
/// data does not override it. Unlisted attributes are read normally (`KHR_draco_mesh_compression`,
/// *Conformance*).
fn unpack(raw: &schema::Primitive, name: &str, op: &mut Ops) {
    const DRACO: &str = "KHR_draco_mesh_compression";
    let Some(packed) = raw.extensions.get::<serde_json::Value>(DRACO) else { return };
    if packed["attributes"].get(name).is_some() {
        *op.member("extensions").member(DRACO).member("attributes").member(name) = Ops::Remove;
    }
}
