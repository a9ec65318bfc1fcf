//! Conversion between weights and tables with names. It writes weights of the open document as a
//! table, and finds the joints and vertices of pasted rows.

use std::collections::BTreeMap;

use ulna_edit::{CommandError, joint_named, mesh_label, skin_of};
use ulna_formats::weight_files::{Pasted, PastedRow};
use ulna_model::{Document, MeshId, NodeId, PrimitiveId, SkinId, WeightShape, WeightTable};
use ulna_weights::{Influences, SkinnedSurface};

/// Returns the unique name of a primitive in a table. It is the name of its mesh, or the number of
/// the mesh if the name is not unique. If the mesh has several primitives, the primitive's number
/// is appended.
pub(super) fn shape_name(document: &Document, mesh: MeshId, primitive: PrimitiveId) -> String {
    let label = mesh_label(document, mesh);
    let doubled =
        document.meshes.ids().any(|other| other != mesh && mesh_label(document, other) == label);
    let label = if doubled { format!("{label} {}", mesh.0) } else { label };
    if document.mesh(mesh).primitives.len() > 1 { format!("{label}/{primitive}") } else { label }
}

/// Returns the names of a skin's joints in a table. Joints with equal names are named by their
/// paths.
pub(super) fn joint_names(document: &Document, skin: SkinId) -> Vec<String> {
    let joints = &document.skin(skin).joints;
    let labels: Vec<String> = joints.iter().map(|n| document.node(*n).label(*n)).collect();
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    labels.iter().for_each(|l| *seen.entry(l).or_default() += 1);
    joints
        .iter()
        .zip(&labels)
        .map(|(n, l)| if seen[&**l] > 1 { document.path(*n) } else { l.clone() })
        .collect()
}

/// Returns the weights of a primitive's vertices as one shape of a weight table. If `vertices` is
/// `None`, the shape has all vertices.
pub(super) fn shape_of(
    document: &Document,
    (mesh, primitive): (MeshId, PrimitiveId),
    vertices: Option<&[u32]>,
) -> Option<WeightShape> {
    let found = document.primitive(mesh, primitive)?;
    let map = found.weights.as_deref()?;
    let joints = joint_names(document, skin_of(document, mesh)?);
    let mut shape = WeightShape::new(shape_name(document, mesh, primitive));
    shape.vertex_count = map.vertex_count();
    let mut add = |v: u32| {
        let list = Influences::of(map, v as usize);
        let named = list.iter().filter(|(j, w)| *w > 0.0 && usize::from(*j) < joints.len());
        shape.push(v, named.collect::<Vec<_>>());
    };
    match vertices {
        Some(list) => list.iter().for_each(|v| add(*v)),
        None => (0..map.vertex_count() as u32).for_each(&mut add),
    }
    if vertices.is_none() {
        shape.positions = found.positions.to_vec();
    }
    shape.joints = joints;
    Some(shape)
}

/// Returns all weights of these meshes as a table, for a file of weights. An empty list means all
/// meshes.
pub fn weight_table(document: &Document, meshes: &[MeshId]) -> WeightTable {
    let meant = document.meshes.ids().filter(|m| meshes.is_empty() || meshes.contains(m));
    let keys = meant.flat_map(|mesh| {
        document.mesh(mesh).entries().map(move |(k, _)| (mesh, k)).collect::<Vec<_>>()
    });
    WeightTable { shapes: keys.filter_map(|key| shape_of(document, key, None)).collect() }
}

/// Returns the weights of some vertices of a surface as a table, in ascending order. Unused joints
/// are left out.
pub fn weight_rows(document: &Document, canvas: &SkinnedSurface, vertices: &[u32]) -> WeightTable {
    let mut table = WeightTable::default();
    for part in canvas.parts() {
        let own: Vec<u32> = vertices
            .iter()
            .map(|v| v.wrapping_sub(part.first))
            .filter(|v| *v < part.count)
            .collect();
        let Some(shape) =
            shape_of(document, (part.mesh, part.primitive), Some(&own)).filter(|_| !own.is_empty())
        else {
            continue;
        };
        table.shapes.push(without_unused(shape));
    }
    table
}

/// Removes joints without weight in any row from a shape.
fn without_unused(shape: WeightShape) -> WeightShape {
    let mut used = vec![false; shape.joints.len()];
    shape.entries.items().iter().for_each(|(j, _)| used[usize::from(*j)] = true);
    let mut number = Vec::with_capacity(used.len());
    let mut next = 0u16;
    for used in &used {
        number.push(next);
        next += u16::from(*used);
    }
    let joints = shape
        .joints
        .iter()
        .zip(&used)
        .filter(|(_, used)| **used)
        .map(|(name, _)| name.clone())
        .collect();
    let entries = shape.entries.map(|(j, w)| (number[usize::from(*j)], *w));
    WeightShape { joints, entries, ..shape }
}

/// Joints of the columns and vertices of the rows in a pasted table.
#[derive(Clone, Debug, PartialEq)]
pub struct RowsMeant {
    /// Joint of each column.
    pub joints: Vec<NodeId>,
    /// Surface index of each row's vertex, in ascending order, with one weight per column.
    pub rows: Vec<(u32, Vec<f32>)>,
}

/// Finds the vertices of pasted rows. A single row applies to all selected vertices. If there is
/// one row per selected vertex, the rows apply in order. Rows that name their mesh and vertex apply
/// to that vertex.
///
/// # Errors
/// A column is not a joint of the skin, or the rows do not match the vertices.
pub fn rows_meant(
    document: &Document,
    canvas: &SkinnedSurface,
    selected: &[u32],
    pasted: &Pasted,
    columns: &[NodeId],
) -> Result<RowsMeant, CommandError> {
    let refuse = |code, text: String| Err(CommandError::other(code, text));
    let joints = match &pasted.joints {
        None if pasted.rows.iter().any(|r| r.weights.len() != columns.len())
            || columns.is_empty() =>
        {
            return refuse(
                "columns_without_joints",
                "the first line of the table must name the joint of each column".into(),
            );
        }
        None => columns.to_vec(),
        Some(names) => {
            let one = |name: &String| match joint_named(document, canvas.joints(), name) {
                Some(joint) => Ok(canvas.joints()[usize::from(joint)]),
                None => Err(CommandError::other(
                    "not_a_joint",
                    format!("“{name}” in the first line of the table is not a joint of this skin"),
                )),
            };
            names.iter().map(one).collect::<Result<Vec<_>, _>>()?
        }
    };
    if let Some(k) = (0..joints.len()).find(|k| joints[..*k].contains(&joints[*k])) {
        return refuse(
            "named_twice",
            format!(
                "two columns of the table have the weights of “{}”",
                document.node(joints[k]).label(joints[k])
            ),
        );
    }
    let rows = &pasted.rows;
    if let [only] = &rows[..]
        && !selected.is_empty()
    {
        return Ok(RowsMeant {
            joints,
            rows: selected.iter().map(|v| (*v, only.weights.clone())).collect(),
        });
    }
    // Rows that name exactly the selected vertices apply to them in any order.
    let named = named_rows(document, canvas, rows, selected);
    let by_name =
        named.as_ref().is_ok_and(|named| named.keys().copied().eq(selected.iter().copied()));
    if !by_name && !selected.is_empty() && selected.len() == rows.len() {
        let rows = selected.iter().zip(rows).map(|(v, row)| (*v, row.weights.clone())).collect();
        return Ok(RowsMeant { joints, rows });
    }
    Ok(RowsMeant { joints, rows: named?.into_iter().collect() })
}

/// Returns the weights of each row that names its vertex, by surface index of the vertex.
fn named_rows(
    document: &Document,
    canvas: &SkinnedSurface,
    rows: &[PastedRow],
    selected: &[u32],
) -> Result<BTreeMap<u32, Vec<f32>>, CommandError> {
    let refuse = |code, text: String| Err(CommandError::other(code, text));
    let mut named: BTreeMap<u32, Vec<f32>> = BTreeMap::new();
    for row in rows {
        let part = |mesh: &str| {
            let of =
                |p: &&ulna_weights::SurfacePart| shape_name(document, p.mesh, p.primitive) == mesh;
            canvas.parts().iter().find(of)
        };
        let part = match &row.mesh {
            Some(mesh) => part(mesh).ok_or_else(|| {
                CommandError::other(
                    "not_skinned",
                    format!("the table has weights of mesh “{mesh}”, which does not use this skin"),
                )
            })?,
            None if canvas.parts().len() == 1 => &canvas.parts()[0],
            None => {
                return refuse(
                    "count_mismatch",
                    format!(
                        "the table has {} rows, but {} vertices are selected; select the same \
                            number of vertices, or paste a single row",
                        rows.len(),
                        selected.len()
                    ),
                );
            }
        };
        let Some(vertex) = row.vertex else {
            return refuse(
                "count_mismatch",
                format!(
                    "the table has {} rows, but {} vertices are selected; select the same number \
                        of vertices, or paste a single row",
                    rows.len(),
                    selected.len()
                ),
            );
        };
        if vertex >= part.count {
            let name = shape_name(document, part.mesh, part.primitive);
            return refuse(
                "no_such_vertex",
                format!("the table contains vertex {vertex}, but “{name}” has only {}", part.count),
            );
        }
        if named.insert(part.first + vertex, row.weights.clone()).is_some() {
            return refuse("named_twice", format!("vertex {vertex} is in the table twice"));
        }
    }
    Ok(named)
}
