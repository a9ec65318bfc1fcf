//! Cells of a table of weights: numbers for some joints of some vertices, as the command that gives
//! each vertex all of its weights.

use std::collections::{BTreeMap, BTreeSet};

use ulna_edit::command::{
    Assign,
    field::{Nodes, Numbers, Reach, VertexTerms},
};
use ulna_model::{Document, NodeId};
use ulna_weights::{Influences, Refusal, SkinnedSurface, WeightConstraints, paint};

/// What keeps cells from being what they are to be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CellRefused {
    /// The canvas's vertex.
    pub vertex: u32,
    /// Why.
    pub why: WhyNot,
}

/// Why a row cannot be.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum WhyNot {
    /// The skin has no joint of that number.
    #[error(
        "the vertex has a weight for joint {0}, which the skin does not have; prune the vertex \
            first"
    )]
    NoJoint(u16),
    /// By the rule that painting goes by.
    #[error(transparent)]
    WeightConstraints(#[from] Refusal),
    /// Its numbers alone are more than there is.
    #[error("the weights of a vertex must not exceed 1 in sum, but these sum to {0:.3}")]
    TooMuch(f32),
    /// Joints that keep theirs leave less.
    #[error(
        "locked joints leave only {0:.3} for these weights; unlock a joint, or use smaller weights"
    )]
    Locked(f32),
}

impl WhyNot {
    /// The code that stays the same for scripts, whatever the words are.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::NoJoint(_) => "not_a_joint",
            Self::WeightConstraints(rule) => rule.code(),
            Self::TooMuch(_) => "weights_above_one",
            Self::Locked(_) => "joints_locked",
        }
    }
}

/// How far numbers that were rounded somewhere may be off a sum of 1.
const ROUNDED: f32 = 2e-3;

/// The command that gives vertices weights in these columns, row by row; what else moves a vertex
/// shares the rest, by the rule that painting goes by, and copies of a vertex at its place have the
/// same. Joints that are no column keep their proportions.
///
/// # Errors
/// The first vertex on which the numbers cannot be, and why: they are more than there is, or than
/// locked joints leave.
///
/// # Panics
/// Where there are not as many values as cells.
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
