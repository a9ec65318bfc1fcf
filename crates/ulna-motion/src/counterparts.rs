//! Matching of joints between two files: by the humanoid map of a VRM, by name, or by body part.
//!
//! The humanoid map of either side overrides names and the body parts guessed from them. Names
//! alone decide only if both skeletons are identical in paths and rests.

use std::collections::HashMap;

use super::{
    humanoid::{BodyPart, BodyRole, Kind, body_roles, in_row, mapped_part},
    mirror_pairs::Side,
    roles::{mapped_roles, roles_of},
};
use ulna_model::{Document, NodeId, Transform};

/// A joint of another file that needs a counterpart.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Sought {
    /// Name of the joint.
    pub name: String,
    /// Names from the root, separated by `/`.
    pub path: String,
    /// Nearest ancestor in the list of sought joints, as the index of an earlier entry.
    pub parent: Option<usize>,
    /// Role of the joint in the humanoid map of its file, as VRM 1.0 spells it.
    pub role: Option<String>,
    /// Rest transform of the joint.
    pub rest: Transform,
}

/// The criterion by which a counterpart was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FoundBy {
    /// Same path, or same name.
    Name,
    /// Same name without namespace, case and separators.
    PlainName,
    /// Same body part, by a humanoid map or by its name.
    Role,
}

/// Finds the counterpart of each joint of another file, and the criterion by which it was found.
pub(super) fn pairs(document: &Document, sought: &[Sought]) -> Vec<Option<(NodeId, FoundBy)>> {
    let mut found: Vec<Option<(NodeId, FoundBy)>> = vec![None; sought.len()];
    let mut taken = vec![false; document.nodes.len()];
    let bodies = Bodies::of(document, sought, sought_roles(sought));
    for (k, node) in bodies.pairs_of_maps() {
        if !taken[node.index()] {
            found[k] = Some((node, FoundBy::Role));
            taken[node.index()] = true;
        }
    }
    let mut pair = |found: &mut Vec<Option<(NodeId, FoundBy)>>,
                    by: FoundBy,
                    key: &dyn Fn(&Sought) -> String,
                    of: &dyn Fn(NodeId) -> String| {
        let mut here: HashMap<String, Option<NodeId>> = HashMap::new();
        for node in document.node_ids().filter(|n| !taken[n.index()]) {
            // Duplicate names are ambiguous.
            here.entry(of(node)).and_modify(|n| *n = None).or_insert(Some(node));
        }
        let mut there: HashMap<String, usize> = HashMap::new();
        let open: Vec<usize> = (0..found.len()).filter(|k| found[*k].is_none()).collect();
        for k in &open {
            *there.entry(key(&sought[*k])).or_default() += 1;
        }
        for k in open {
            let key = key(&sought[k]);
            if let Some(Some(node)) = here.get(&key).copied().filter(|n| {
                there[&key] == 1 && !key.is_empty() && n.is_none_or(|n| !bodies.deny(k, n))
            }) {
                found[k] = Some((node, by));
                taken[node.index()] = true;
            }
        }
    };
    pair(&mut found, FoundBy::Name, &|j| j.path.clone(), &|n| document.path(n));
    pair(&mut found, FoundBy::Name, &|j| j.name.clone(), &|n| document.node(n).label(n));
    pair(&mut found, FoundBy::PlainName, &|j| plain(&j.name), &|n| {
        plain(&document.node(n).label(n))
    });
    by_parts(document, sought, &mut found, &mut taken);
    found
}

/// Body roles of the sought joints, by the humanoid map of their file and by their names.
fn sought_roles(sought: &[Sought]) -> Vec<Option<BodyRole>> {
    let named: Vec<(&str, Option<usize>)> =
        sought.iter().map(|j| (j.name.as_str(), j.parent)).collect();
    let mapped: Vec<_> = sought.iter().map(|j| j.role.as_deref().and_then(mapped_part)).collect();
    body_roles(&named, &mapped)
}

fn by_parts(
    document: &Document,
    sought: &[Sought],
    found: &mut [Option<(NodeId, FoundBy)>],
    taken: &mut [bool],
) {
    let theirs = sought_roles(sought);
    let mut rows: HashMap<(BodyPart, Option<NamedSide>), Vec<NodeId>> = HashMap::new();
    let mut here: Vec<(usize, NodeId, BodyRole)> = roles_of(document)
        .into_iter()
        .filter_map(|(node, role)| role.map(|r| (r.place, node, r)))
        .collect();
    here.sort_by_key(|(place, ..)| *place);
    for (_, node, role) in here {
        rows.entry((role.part, role.side.map(NamedSide::of))).or_default().push(node);
    }
    for (k, role) in theirs.iter().enumerate() {
        let Some(role) = role.filter(|_| found[k].is_none()) else { continue };
        let Some(row) = rows.get(&(role.part, role.side.map(NamedSide::of))) else { continue };
        let node = in_row(role.place, role.count, row.len()).map(|at| row[at]);
        if let Some(node) = node.filter(|n| !taken[n.index()]) {
            found[k] = Some((node, FoundBy::Role));
            taken[node.index()] = true;
        }
    }
}

/// Body side that is stated in a joint's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum NamedSide {
    Left,
    Right,
}

impl NamedSide {
    const fn of(side: Side) -> Self {
        match side {
            Side::Right => Self::Right,
            Side::Left | Side::Center => Self::Left,
        }
    }
}

/// Removes namespace, case and separators from a name.
fn plain(name: &str) -> String {
    let name = name.rsplit([':', '|']).next().unwrap_or(name);
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// The body parts of both skeletons: of the sought joints, and of the nodes of a document.
struct Bodies {
    /// Roles of sought joints in the humanoid map of their file.
    mapped_there: Vec<Option<String>>,
    /// Body roles of sought joints, by the map or by their names.
    there: Vec<Option<BodyRole>>,
    mapped_here: HashMap<NodeId, String>,
    here: HashMap<NodeId, BodyRole>,
    /// Whether both skeletons are identical, so that names alone decide.
    is_same: bool,
}

impl Bodies {
    fn of(document: &Document, sought: &[Sought], there: Vec<Option<BodyRole>>) -> Self {
        let mapped_here = mapped_roles(document);
        let mapped_there: Vec<Option<String>> = sought.iter().map(|j| j.role.clone()).collect();
        let here = roles_of(document).into_iter().filter_map(|(n, r)| Some((n, r?))).collect();
        let is_same = is_same_skeleton(document, sought, &mapped_here);
        Self { mapped_there, there, mapped_here, here, is_same }
    }

    /// Finds pairs of joints by the humanoid maps of both files, as indices of sought joints and
    /// nodes.
    fn pairs_of_maps(&self) -> Vec<(usize, NodeId)> {
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
            // The other chain of joints is longer, so several of its joints may be assigned to the
            // same node. The last of them also transfers the rotations of the joints before it.
            let own = self.there[k].filter(|r| r.kind() == kind)?;
            in_row(own.place, own.count, row.len()).map(|at| (k, row[at].1))
        };
        (0..self.mapped_there.len()).filter_map(pair).collect()
    }

    /// Whether a humanoid map rules out that a joint and a node are counterparts, despite their
    /// names.
    fn deny(&self, joint: usize, node: NodeId) -> bool {
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
            // A joint inside a chain, such as the third of four spine joints, has the body part of
            // the chain. The joint need not be in a map.
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

/// Whether both skeletons are the same: every node in the humanoid map of either side has a node
/// with the same path on the other side. Both must have the same rest, up to a uniform scale.
fn is_same_skeleton(
    document: &Document,
    sought: &[Sought],
    mapped_here: &HashMap<NodeId, String>,
) -> bool {
    /// Maximum difference of rest translations, relative to the total length of all bones.
    const NEAR: f32 = 1e-4;
    let by_path: HashMap<&str, &Sought> = sought.iter().map(|j| (j.path.as_str(), j)).collect();
    let paths: HashMap<String, NodeId> =
        document.node_ids().map(|n| (document.path(n), n)).collect();
    let here =
        mapped_here.keys().map(|n| Some((by_path.get(document.path(*n).as_str()).copied()?, *n)));
    let there =
        sought.iter().filter(|j| j.role.is_some()).map(|j| Some((j, paths.get(&j.path).copied()?)));
    let Some(pairs) = here.chain(there).collect::<Option<Vec<_>>>() else { return false };
    // The root may have any position.
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
