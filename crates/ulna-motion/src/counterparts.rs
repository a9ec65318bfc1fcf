//! Counterparts by the humanoid map of a VRM: which node is which part of a body is known there,
//! and no name says better.
//!
//! The map of either side wins over names and over what they are guessed to be. Only where both
//! skeletons are the very same one, path by path and rest by rest, do the names say all there is to
//! say.

use std::collections::HashMap;

use super::{
    humanoid::{BodyRole, Kind, in_row, mapped_part},
    transfer::{Sought, roles_of},
};
use ulna_model::{Document, NodeId};

/// Roles of a humanoid map that are known parts of a body, by node, in the spelling of VRM 1.0.
pub(super) fn mapped_roles(document: &Document) -> HashMap<NodeId, String> {
    let roles = document.vrm.as_ref().into_iter().flat_map(|v| v.roles());
    let known = roles.filter(|(role, _)| mapped_part(role).is_some());
    known.map(|(role, node)| (node, role.into_owned())).collect()
}

/// What is known of the bodies of both sides: of joints that are sought, and of the nodes of a
/// document.
pub(super) struct Bodies {
    /// By joint that is sought: its role in the map there.
    mapped_there: Vec<Option<String>>,
    /// By joint that is sought: what it is to the body, by the map or by its name.
    there: Vec<Option<BodyRole>>,
    mapped_here: HashMap<NodeId, String>,
    here: HashMap<NodeId, BodyRole>,
    /// Whether both are one skeleton, so that names alone decide.
    is_same: bool,
}

impl Bodies {
    pub(super) fn of(document: &Document, sought: &[Sought], there: Vec<Option<BodyRole>>) -> Self {
        let mapped_here = mapped_roles(document);
        let mapped_there: Vec<Option<String>> = sought.iter().map(|j| j.role.clone()).collect();
        let here = roles_of(document).into_iter().filter_map(|(n, r)| Some((n, r?))).collect();
        let is_same = is_same_skeleton(document, sought, &mapped_here);
        Self { mapped_there, there, mapped_here, here, is_same }
    }

    /// Pairs of joints that both maps name, as indices of what is sought and nodes.
    pub(super) fn pairs_of_maps(&self) -> Vec<(usize, NodeId)> {
        if self.is_same {
            return Vec::new();
        }
        let nodes: HashMap<&str, NodeId> =
            self.mapped_here.iter().map(|(n, role)| (role.as_str(), *n)).collect();
        let of_kind = |kind: Kind| {
            let mut row: Vec<(usize, NodeId)> = self
                .mapped_here
                .iter()
                .filter_map(|(n, r)| mapped_part(r).filter(|m| m.0 == kind).map(|m| (m.1, *n)))
                .collect();
            row.sort_unstable();
            row
        };
        let pair = |k: usize| {
            let role = self.mapped_there[k].as_deref()?;
            let (kind, _) = mapped_part(role)?;
            let row = of_kind(kind);
            let all_here = |k: usize| {
                self.mapped_there[k].as_deref().is_none_or(|r| {
                    mapped_part(r).is_none_or(|m| m.0 != kind) || nodes.contains_key(r)
                })
            };
            if (0..self.mapped_there.len()).all(all_here) {
                return nodes.get(role).map(|n| (k, *n));
            }
            // A longer row there: the last that comes to one here takes the turns of those before
            // it along.
            let own = self.there[k].filter(|r| r.kind() == kind)?;
            in_row(own.place, own.count, row.len()).map(|at| (k, row[at].1))
        };
        (0..self.mapped_there.len()).filter_map(pair).collect()
    }

    /// Whether a map says that a joint is not this node, whatever both are called.
    pub(super) fn deny(&self, joint: usize, node: NodeId) -> bool {
        if self.is_same
            || (self.mapped_here.is_empty() && self.mapped_there.iter().all(Option::is_none))
        {
            return false;
        }
        let (there, here) =
            (self.there[joint].map(|r| r.kind()), self.here.get(&node).map(BodyRole::kind));
        let known_here = |kind: Kind| self.here.values().any(|r| r.kind() == kind);
        let known_there = |kind: Kind| self.there.iter().flatten().any(|r| r.kind() == kind);
        match (&self.mapped_there[joint], self.mapped_here.get(&node)) {
            (Some(a), Some(b)) => a != b,
            (Some(_), None) => there.is_some_and(known_here) && here != there,
            (None, Some(_)) => here.is_some_and(known_there) && here != there,
            // A joint between those of a row, such as a third of four of the spine, is of the row
            // though no map names it.
            (None, None) => [there, here]
                .into_iter()
                .flatten()
                .any(|kind| !kind.0.is_row() && (there != here) && self.maps(kind)),
        }
    }

    fn maps(&self, kind: Kind) -> bool {
        let is_it = |role: &String| mapped_part(role).is_some_and(|m| m.0 == kind);
        self.mapped_here.values().any(is_it) || self.mapped_there.iter().flatten().any(is_it)
    }
}

/// Whether every node of the maps is found by its path on the other side, at the same rest up to
/// the size of the whole.
fn is_same_skeleton(
    document: &Document,
    sought: &[Sought],
    mapped_here: &HashMap<NodeId, String>,
) -> bool {
    /// Parts of the length of all bones.
    const NEAR: f32 = 1e-4;
    let by_path: HashMap<&str, &Sought> = sought.iter().map(|j| (j.path.as_str(), j)).collect();
    let paths: HashMap<String, NodeId> =
        document.node_ids().map(|n| (document.path(n), n)).collect();
    let here =
        mapped_here.keys().map(|n| Some((by_path.get(document.path(*n).as_str()).copied()?, *n)));
    let there =
        sought.iter().filter(|j| j.role.is_some()).map(|j| Some((j, paths.get(&j.path).copied()?)));
    let Some(pairs) = here.chain(there).collect::<Option<Vec<_>>>() else { return false };
    // The root may stand anywhere.
    let rests: Vec<_> = pairs
        .iter()
        .filter(|(joint, node)| joint.parent.is_some() && document.node(*node).parent.is_some())
        .map(|(joint, node)| {
            (joint.rest.translation, document.node(*node).rest.transform().translation)
        })
        .collect();
    let lengths = |side: fn(&(glam::Vec3, glam::Vec3)) -> glam::Vec3| {
        rests.iter().map(|r| side(r).length()).sum::<f32>()
    };
    let (a, b) = (lengths(|r| r.0), lengths(|r| r.1));
    a > 0.0 && b > 0.0 && rests.iter().all(|(there, here)| (*there / a).distance(*here / b) <= NEAR)
}
