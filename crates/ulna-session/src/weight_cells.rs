//! Edited cells of a table of weights: new weights for some joints of some vertices. They become a
//! command that sets all weights of each vertex.

use std::collections::{BTreeMap, BTreeSet};

use ulna_edit::command::{
    Assign,
    field::{Nodes, Numbers, Reach, VertexTerms},
};
use ulna_model::{Document, NodeId};
use ulna_weights::{Influences, Refusal, SkinnedSurface, WeightConstraints, paint};

/// Reason why edited cells are refused, with the first vertex that cannot have its new weights.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CellRefused {
    /// Index of the vertex in the surface.
    pub vertex: u32,
    /// Reason for the refusal.
    pub why: WhyNot,
}

/// Reason why the weights of a vertex are refused.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum WhyNot {
    /// The vertex has a weight for a joint that is not in the skin.
    #[error(
        "the vertex has a weight for joint {0}, which the skin does not have; prune the vertex \
            first"
    )]
    NoJoint(u16),
    /// The constraints on weights, such as locks, refuse the new weights.
    #[error(transparent)]
    WeightConstraints(#[from] Refusal),
    /// The new weights of the vertex sum to more than 1.
    #[error("the weights of a vertex must not exceed 1 in sum, but these sum to {0:.3}")]
    TooMuch(f32),
    /// Locked joints leave less weight than the cells need.
    #[error(
        "locked joints leave only {0:.3} for these weights; unlock a joint, or use smaller weights"
    )]
    Locked(f32),
}

impl WhyNot {
    /// Returns the error code for scripts, which is stable across versions.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::NoJoint(_) => "not_a_joint",
            Self::WeightConstraints(rule) => rule.code(),
            Self::TooMuch(_) => "weights_above_one",
            Self::Locked(_) => "joints_locked",
        }
    }
}

/// Tolerance for a sum of numbers that the user typed or pasted rounded.
const ROUNDED: f32 = 2e-3;

/// Returns the command that sets the weights of a table with one row per vertex and one column per
/// joint. `values` contains the weights row by row. The other joints of a vertex share the
/// remaining weight as in painting, and keep their proportions. Coincident vertices get the
/// same weights.
///
/// # Errors
/// The first vertex that cannot have its new weights, and the reason. Either their sum is above 1,
/// or it is above the weight that locked joints leave.
///
/// # Panics
/// The number of values differs from the number of cells.
pub fn cells_assigned(
    document: &Document,
    canvas: &SkinnedSurface,
    (vertices, joints): (&[u32], &[u16]),
    values: &[f32],
    (locked, limit): (&BTreeSet<NodeId>, usize),
) -> Result<Assign, CellRefused> {
    assert_eq!(values.len(), vertices.len() * joints.len(), "a value a cell");
    let maps = canvas.maps(document);
    let locks: Vec<bool> = canvas.joints().iter().map(|j| locked.contains(j)).collect();
    let mut rows: BTreeMap<u32, Influences> = BTreeMap::new();
    for (vertex, values) in vertices.iter().zip(values.chunks_exact(joints.len().max(1))) {
        let (map, _) = maps.map_of(*vertex);
        let rule = WeightConstraints {
            locked: &locks,
            parents: canvas.parents(),
            limit: limit.clamp(1, map.stride()),
            encoding: map.encoding,
            pairs: &[],
            turned: false,
        };
        let mut list = Influences::default();
        let wishes: Vec<(u16, f32)> = joints.iter().copied().zip(values.iter().copied()).collect();
        let point = canvas.point_of(*vertex);
        let around = |out: &mut Influences| {
            for p in canvas.ring(point) {
                let (map, v) = maps.map_of(canvas.first_at(*p));
                Influences::of(map, v).iter().for_each(|(j, w)| out.add(j, w));
            }
        };
        let refused = |why: WhyNot| CellRefused { vertex: *vertex, why };
        if let Some(joint) = joints.iter().find(|j| usize::from(**j) >= locks.len()) {
            return Err(refused(WhyNot::NoJoint(*joint)));
        }
        let sum: f32 = values.iter().sum();
        if sum > 1.0 + ROUNDED {
            return Err(refused(WhyNot::TooMuch(sum)));
        }
        let done = maps.read(*vertex, &mut list, &rule);
        let held: f32 = list
            .iter()
            .filter(|(j, _)| locks.get(usize::from(*j)) == Some(&true))
            .map(|(_, w)| w)
            .sum();
        let open: f32 = wishes
            .iter()
            .filter(|(j, _)| locks.get(usize::from(*j)) != Some(&true))
            .map(|(_, w)| w)
            .sum();
        done.and_then(|()| paint(&mut list, &wishes, &rule, around))
            .map_err(|why| refused(why.into()))?;
        if held > 0.0 && open > 1.0 - held + ROUNDED {
            return Err(refused(WhyNot::Locked((1.0 - held).max(0.0))));
        }
        rows.extend(canvas.vertices_at(point).iter().map(|v| (*v, list.clone())));
    }
    let all: BTreeSet<u16> = rows.values().flat_map(|list| list.iter().map(|(j, _)| j)).collect();
    let weights =
        rows.values().flat_map(|list| all.iter().map(|j| f64::from(list.get(*j)))).collect();
    let mut terms: Vec<(String, Vec<String>)> = Vec::new();
    for vertex in rows.keys() {
        let (part, own) = canvas.part_of(*vertex);
        let part = &canvas.parts()[part];
        let key = format!("{}/{}", part.mesh.0, part.primitive);
        match terms.last_mut() {
            Some((last, list)) if *last == key => list.push(own.to_string()),
            _ => terms.push((key, vec![own.to_string()])),
        }
    }
    let terms: Vec<String> =
        terms.into_iter().map(|(key, list)| format!("{key}: {}", list.join(", "))).collect();
    let nodes = all.iter().filter_map(|j| canvas.joints().get(usize::from(*j)).copied()).collect();
    let reach = Reach {
        vertices: VertexTerms::parse(&terms.join("; ")),
        most: Some(limit),
        locked: (!locked.is_empty()).then(|| Nodes::Ids(locked.iter().copied().collect())),
        ..Reach::default()
    };
    Ok(Assign { joints: Nodes::Ids(nodes), weights: Numbers(weights), reach })
}
