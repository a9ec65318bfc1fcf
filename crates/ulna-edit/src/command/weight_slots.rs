//! The influences of single vertices in commands, as lists of joints and weights.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::{
    CommandError, CommandLine,
    field::{Counts, Meshes, Nodes, Numbers, VertexList},
    mesh_skins::{skin_for, skin_of},
    names::{mesh_text, node_text},
};
use ulna_model::{Document, MeshId, PrimitiveId, WeightPatch};
use ulna_weights::MOST;

/// Arguments with the influences of vertices.
pub(super) struct Slots<'a> {
    pub mesh: &'a Meshes,
    pub primitive: Option<PrimitiveId>,
    pub joints: &'a Nodes,
    pub vertices: &'a VertexList,
    pub of: &'a Counts,
    pub weights: &'a Numbers,
}

impl Slots<'_> {
    /// Returns the patch of weights. With `any_sets`, the number of influence sets can differ from
    /// that of the mesh.
    pub(super) fn patch(
        &self,
        document: &Document,
        any_sets: bool,
    ) -> Result<(MeshId, PrimitiveId, WeightPatch), CommandError> {
        let meshes = self.mesh.find(document)?;
        let [mesh] = meshes[..] else {
            return Err(CommandError::other("one_mesh_wanted", "name one mesh"));
        };
        let primitive = self.primitive.unwrap_or(PrimitiveId(0));
        let map = document
            .mesh(mesh)
            .primitives
            .get(primitive.index())
            .and_then(|p| p.weights.as_deref());
        let nodes = self.joints.in_order(document)?;
        let skin = skin_for(document, mesh, &nodes.iter().copied().collect());
        let (Some(map), Some(skin)) = (map, skin) else {
            return Err(CommandError::other(
                "no_weights_meant",
                format!("primitive {primitive} of the mesh has no weights"),
            ));
        };
        let list = &document.skin(skin).joints;
        let mut names = Vec::new();
        for node in nodes {
            let Some(k) = list.iter().position(|j| *j == node) else {
                let label = document.node(node).label(node);
                return Err(CommandError::other(
                    "not_a_joint",
                    format!("“{label}” is not a joint of the skin of the mesh"),
                ));
            };
            names.push(k as u16);
        }
        let (vertices, of, weights) = (self.vertices.0.clone(), &self.of.0, &self.weights.0);
        let given = of
            .len()
            .checked_div(vertices.len())
            .filter(|s| any_sets && s.is_multiple_of(4) && (4..=MOST).contains(s));
        let stride = given.unwrap_or_else(|| map.stride());
        if of.len() != vertices.len() * stride || weights.len() != of.len() {
            let message =
                format!("“of” and “weights” need {stride} numbers per vertex, as in the mesh");
            return Err(CommandError::other("count_mismatch", message));
        }
        let mut patch = WeightPatch::new(stride / 4, vertices.len());
        if let Some(past) = vertices.iter().find(|v| **v as usize >= map.vertex_count()) {
            let count = map.vertex_count();
            return Err(CommandError::other(
                "no_such_vertex",
                format!(
                    "“vertices” refers to vertex {past}, but the primitive has only {count} \
                        vertices"
                ),
            ));
        }
        patch.vertices = vertices;
        let mut seen = BTreeSet::new();
        if !patch.vertices.iter().all(|v| seen.insert(*v)) {
            return Err(CommandError::other(
                "named_twice",
                "a vertex is listed twice in “vertices”",
            ));
        }
        for (of, weight) in of.iter().zip(weights) {
            let joint = if *weight == 0.0 { Some(&0) } else { names.get(*of as usize) };
            patch.joints.push(*joint.ok_or_else(|| {
                CommandError::other(
                    "not_a_joint",
                    format!("“of” refers to joint {of}, but “joints” has only {}", names.len()),
                )
            })?);
            patch.weights.push(*weight as f32);
        }
        Ok((mesh, primitive, patch))
    }
}

/// Returns a command line that sets the influences of vertices; `None` if the mesh has no skin.
pub fn slots_line(
    document: &Document,
    command: &str,
    mesh: MeshId,
    primitive: PrimitiveId,
    (vertices, joints, weights): (&[u32], &[u16], &[f32]),
) -> Option<CommandLine> {
    let list = &document.skin(skin_of(document, mesh)?).joints;
    let used: BTreeSet<u16> =
        joints.iter().zip(weights).filter(|(_, w)| **w != 0.0).map(|(j, _)| *j).collect();
    let used: Vec<u16> = used.into_iter().filter(|j| usize::from(*j) < list.len()).collect();
    let names: Vec<String> =
        used.iter().map(|j| node_text(document, list[usize::from(*j)])).collect();
    let of: Vec<Value> = joints
        .iter()
        .zip(weights)
        .map(|(j, w)| if *w == 0.0 { 0 } else { used.binary_search(j).unwrap_or(0) }.into())
        .collect();
    let line = CommandLine::new(command)
        .with("mesh", mesh_text(document, mesh))
        .with("primitive", primitive.0)
        .with("joints", names)
        .with("vertices", vertices.to_vec())
        .with("of", of)
        // Single-precision numbers are exact in double precision.
        .with("weights", json!(weights.iter().map(|w| f64::from(*w)).collect::<Vec<f64>>()));
    Some(line)
}
