//! Finds nodes that a skeleton does not need, and removes them.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    commands::{CleanKind, CleanRig},
    finish::finish,
    rewrite::RigDraft,
};
use crate::command::{CommandError, Outcome, Scene, nodes::refuse_fixed};
use ulna_model::{Document, Interpolation, MixMask, NodeId, Notice, Property, Track};
use ulna_motion::Skeleton;

/// Maximum number of names in a sentence.
const MOST: usize = 3;

/// Part of the names of nodes that the importer assimp creates when it splits the transform of an
/// FBX node.
const ASSIMP: &str = "$AssimpFbx$";

/// Uses of nodes that prevent their removal: weights, keys and other data.
pub(super) struct NodeUses<'d> {
    document: &'d Document,
    skeleton: Skeleton,
    /// Nodes with keys in a clip that change a value over time.
    moved: BTreeSet<NodeId>,
    /// Nodes with values in pose layers or unkeyed poses, pinned nodes, and nodes in masks of the
    /// mix.
    named: BTreeSet<NodeId>,
    /// Joints that belong only to skins with meshes. The purpose of other skins is unknown.
    known: BTreeSet<NodeId>,
}

impl<'d> NodeUses<'d> {
    pub(super) fn of(document: &'d Document) -> Self {
        let tracks = document.clips.values().flat_map(|c| c.tracks.values());
        let moved = tracks.filter(|t| changes(t)).map(|t| t.target).collect();
        let mut named = document.unkeyed_nodes();
        let layers = document.aids.pose_layers.values();
        named.extend(layers.flat_map(|l| l.iter()).flat_map(|l| l.nodes()));
        named.extend(document.aids.pins.keys());
        if let Some(mix) = &document.aids.mix {
            let bars = mix.lanes.iter().flat_map(|l| l.bars.iter().map(|b| &b.mask));
            for mask in bars.chain(mix.lanes.iter().map(|l| &l.mask)).flatten() {
                match mask {
                    MixMask::Below { joint, .. } => named.extend([*joint]),
                    MixMask::Painted(shares) => named.extend(shares.keys()),
                    _ => {}
                }
            }
        }
        let is_used = |id| document.nodes.values().any(|n| n.skin == Some(id) && n.mesh.is_some());
        let joints = |used: bool| -> BTreeSet<NodeId> {
            let skins = document.skins.iter().filter(|(id, _)| is_used(*id) == used);
            skins.flat_map(|(_, s)| s.joints.iter().copied()).collect()
        };
        let known = joints(true).difference(&joints(false)).copied().collect();
        Self { document, skeleton: Skeleton::of(document), moved, named, known }
    }

    fn is_joint(&self, node: NodeId) -> bool {
        self.skeleton.joints[node.index()]
    }

    /// Whether a node deforms no vertex, has no mesh, camera or light, is visible, and is referred
    /// to only by clips, if at all.
    fn is_bare(&self, node: NodeId) -> bool {
        let about = self.document.node(node);
        !self.skeleton.deforms[node.index()]
            && about.mesh.is_none()
            && about.camera.is_none()
            && about.light.is_none()
            && !about.hidden
            && !self.named.contains(&node)
            && (!self.is_joint(node) || self.known.contains(&node))
    }

    /// Whether a node is unused, and has no keys or only constant keys.
    fn is_idle(&self, node: NodeId) -> bool {
        self.is_bare(node) && !self.moved.contains(&node)
    }

    fn is_named_helper(&self, node: NodeId) -> bool {
        self.document.node(node).name.as_deref().is_some_and(|n| n.contains(ASSIMP))
    }

    /// Whether the name marks the end of a chain, as exporters name it.
    fn is_named_leaf(&self, node: NodeId) -> bool {
        self.document.node(node).name.as_deref().is_some_and(is_leaf_name)
    }

    /// Whether a joint has no joint below it, and is not a leaf joint itself.
    pub(super) fn is_chain_end(&self, node: NodeId) -> bool {
        let below = |n: NodeId| self.document.children(n).to_vec();
        let mut open = below(node);
        while let Some(next) = open.pop() {
            if self.is_joint(next) {
                return false;
            }
            open.extend(below(next));
        }
        self.is_joint(node) && !self.is_named_leaf(node)
    }

    /// Returns the nearest ancestor that is a joint.
    pub(super) fn joint_above(&self, node: NodeId) -> Option<NodeId> {
        let parent = |n: &NodeId| self.document.node(*n).parent;
        std::iter::successors(parent(&node), parent).find(|n| self.is_joint(*n))
    }

    /// Returns the leaf joints: unused nodes that are named as leaves, with only leaves below them.
    pub(super) fn leaves(&self) -> BTreeSet<NodeId> {
        self.idle_below(|node| {
            let parent = self.document.node(node).parent;
            let hangs = parent.is_some_and(|p| self.is_joint(p) || self.is_named_leaf(p));
            self.is_named_leaf(node) && hangs
        })
    }

    /// Returns the unused nodes that, like all their descendants, meet a condition.
    fn idle_below(&self, fits: impl Fn(NodeId) -> bool) -> BTreeSet<NodeId> {
        let mut found = BTreeSet::new();
        for node in self.document.nodes.order().iter().rev() {
            let is_end = self.document.children(*node).iter().all(|c| found.contains(c));
            if is_end && self.is_idle(*node) && fits(*node) {
                found.insert(*node);
            }
        }
        found
    }

    /// Returns unused joints to which a game may attach objects, and unused joints above them. They
    /// are recognized by their names, or because they are single joints at the end of a chain.
    fn sockets(&self, unused: &BTreeSet<NodeId>) -> BTreeSet<NodeId> {
        let document = self.document;
        let is_alone = |n: NodeId| {
            let parent = document.node(n).parent;
            let below = document.children(n);
            !parent.is_some_and(|p| unused.contains(&p))
                && !below.iter().any(|c| unused.contains(c))
        };
        let is_named = |n: NodeId| document.node(n).name.as_deref().is_some_and(is_socket_name);
        let found = unused.iter().copied().filter(|n| is_alone(*n) || is_named(*n));
        let up = |n: &NodeId| document.node(*n).parent.filter(|p| unused.contains(p));
        found.flat_map(|n| std::iter::successors(Some(n), up)).collect()
    }

    /// Returns nodes between joints that have no motion of their own, and all unused nodes of
    /// assimp.
    fn helpers(&self) -> BTreeSet<NodeId> {
        let document = self.document;
        let mut above = vec![false; document.nodes.len()];
        let mut below = vec![false; document.nodes.len()];
        for node in document.nodes.order() {
            let parent = document.node(*node).parent;
            above[node.index()] = parent.is_some_and(|p| above[p.index()] || self.is_joint(p));
        }
        for node in document.nodes.order().iter().rev() {
            if let Some(parent) = document.node(*node).parent {
                below[parent.index()] |= below[node.index()] || self.is_joint(*node);
            }
        }
        let is_between = |n: &NodeId| above[n.index()] && below[n.index()] && !self.is_joint(*n);
        let all = document.node_ids().filter(|n| self.is_idle(*n));
        all.filter(|n| is_between(n) || self.is_named_helper(*n)).collect()
    }
}

/// Whether a track changes its value over time.
fn changes(track: &Track) -> bool {
    let count = track.times.len();
    let is_cubic = track.interpolation == Interpolation::CubicSpline;
    let bends = |key: usize| {
        let own = &track.values[3 * key * track.width..3 * (key + 1) * track.width];
        let tangents = own[..track.width].iter().chain(&own[2 * track.width..]);
        tangents.into_iter().any(|v| *v != 0.0)
    };
    track.property == Property::Weights
        || (1..count).any(|k| track.value(k) != track.value(0))
        || (count > 1 && is_cubic && (0..count).any(bends))
}

fn is_leaf_name(name: &str) -> bool {
    // Exporters append numbers to names: `Hand_end.001`, `Hand_end_011`.
    let bare = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let bare = if bare.len() < name.len() { bare.trim_end_matches(['.', '_']) } else { bare };
    let lower = bare.to_lowercase();
    let is_word = |c: char| c.is_lowercase() || c.is_ascii_digit();
    let before = bare.strip_suffix("End").and_then(|b| b.chars().next_back());
    ["_end", ".end", "-end", " end", "_leaf", ".leaf", "nub"].iter().any(|e| lower.ends_with(e))
        || before.is_some_and(is_word)
}

/// Words in the names of joints to which objects are attached.
const SOCKET_WORDS: [&str; 10] =
    ["socket", "slot", "attach", "mount", "weapon", "prop", "item", "grip", "holder", "snap"];

fn is_socket_name(name: &str) -> bool {
    let lower = name.to_lowercase();
    SOCKET_WORDS.iter().any(|word| lower.contains(word))
}

/// Nodes to remove, with their kinds, and nodes that are kept, with the reasons.
#[derive(Default)]
struct CleanPlan {
    found: BTreeMap<NodeId, CleanKind>,
    kept: Vec<(NodeId, String)>,
}

impl CleanPlan {
    fn of(uses: &NodeUses<'_>, what: Option<CleanKind>) -> Self {
        let document = uses.document;
        let wants = |kind| what.is_none_or(|w| w == kind);
        let mut plan = Self::default();
        let mut add = |nodes: BTreeSet<NodeId>, kind| {
            for node in nodes {
                plan.found.entry(node).or_insert(kind);
            }
        };
        if wants(CleanKind::Helpers) {
            add(uses.helpers(), CleanKind::Helpers);
        }
        let leaves = uses.leaves();
        let mut sockets = BTreeSet::new();
        let with_leaves = wants(CleanKind::Leaves);
        if wants(CleanKind::Unused) {
            let fits = |n| (with_leaves && leaves.contains(&n)) || uses.is_joint(n);
            let unused = uses.idle_below(fits);
            let mut unused: BTreeSet<NodeId> = unused.difference(&leaves).copied().collect();
            if what.is_none() {
                sockets = uses.sockets(&unused);
                unused.retain(|n| !sockets.contains(n));
            }
            add(unused, CleanKind::Unused);
        }
        if with_leaves {
            add(leaves, CleanKind::Leaves);
        }
        let swings = document.vrm.as_ref().is_some_and(|vrm| vrm.springs > 0);
        let found = std::mem::take(&mut plan.found);
        let why = "games attach objects to such joints; to remove them, clean unused joints alone";
        plan.kept.extend(sockets.into_iter().map(|n| (n, why.to_owned())));
        for (node, kind) in found {
            let why = if swings && kind != CleanKind::Helpers {
                Err("spring bones of the VRM avatar may use it".to_owned())
            } else {
                refuse_fixed(document, &BTreeSet::from([node])).map_err(|e| e.to_string())
            };
            match why {
                Ok(()) => _ = plan.found.insert(node, kind),
                Err(why) => plan.kept.push((node, why)),
            }
        }
        plan
    }

    /// Removes the planned nodes. If this fails for all of them together, removes them one by one
    /// and keeps those that fail.
    fn dissolve(&mut self, mut rig: RigDraft) -> RigDraft {
        let nodes: BTreeSet<NodeId> = self.found.keys().copied().collect();
        if nodes.is_empty() {
            return rig;
        }
        if let Ok(done) = dissolved_exactly(&rig, &nodes) {
            return done;
        }
        for node in nodes {
            match dissolved_exactly(&rig, &BTreeSet::from([node])) {
                Ok(done) => rig = done,
                Err(why) => {
                    self.found.remove(&node);
                    self.kept.push((node, why));
                }
            }
        }
        rig
    }

    /// Removes nodes of assimp that have keys, if the node below can receive the same keys. This is
    /// possible if one of the two rotates and the other one moves.
    fn dissolve_moving(&mut self, uses: &NodeUses<'_>, mut rig: RigDraft) -> RigDraft {
        let document = uses.document;
        let is_kept: BTreeSet<NodeId> = self.kept.iter().map(|(n, _)| *n).collect();
        let fits = |n: &&NodeId| {
            let is_free = !self.found.contains_key(n) && !is_kept.contains(n);
            is_free && uses.is_named_helper(**n) && uses.is_bare(**n)
        };
        let candidates: Vec<NodeId> =
            document.nodes.order().iter().rev().filter(fits).copied().collect();
        for node in candidates {
            let alone = BTreeSet::from([node]);
            let is_chain = rig.document().children(node).len() == 1;
            if !is_chain || refuse_fixed(document, &alone).is_err() {
                continue;
            }
            if let Ok(done) = dissolved_exactly(&rig, &alone) {
                rig = done;
                self.found.insert(node, CleanKind::Helpers);
            }
        }
        rig
    }

    fn notes(&self, document: &Document) -> Vec<Notice> {
        let kinds = [
            (CleanKind::Helpers, "helper node", "helper nodes"),
            (CleanKind::Unused, "unused joint", "unused joints"),
            (CleanKind::Leaves, "leaf joint", "leaf joints"),
        ];
        let parts: Vec<String> = kinds
            .into_iter()
            .filter_map(|(kind, one, many)| {
                let own = self.found.iter().filter(|(_, k)| **k == kind);
                let own: Vec<NodeId> = own.map(|(n, _)| *n).collect();
                let named = names(document, &own);
                match own.len() {
                    0 => None,
                    1 => Some(format!("1 {one} ({named})")),
                    n => Some(format!("{n} {many} ({named})")),
                }
            })
            .collect();
        let mut notes = Vec::new();
        if !parts.is_empty() {
            notes.push(Notice::new("skeleton_cleaned", format!("removed {}", parts.join(", "))));
        }
        if let Some((_, why)) = self.kept.first() {
            let nodes: Vec<NodeId> = self.kept.iter().map(|(n, _)| *n).collect();
            let count = if nodes.len() == 1 { "1 node stays" } else { "some nodes stay" };
            let named = names(document, &nodes);
            notes.push(Notice::new("nodes_not_cleaned", format!("{count} ({named}): {why}")));
        }
        notes
    }
}

/// Returns the draft without these nodes. Fails with the reason if a clip would need other keys.
fn dissolved_exactly(rig: &RigDraft, nodes: &BTreeSet<NodeId>) -> Result<RigDraft, String> {
    let mut made = rig.clone();
    made.dissolve(nodes).map_err(|e| e.to_string())?;
    let is_exact = made.tracks.baked == rig.tracks.baked;
    if is_exact { Ok(made) } else { Err("clips would need other keys".to_owned()) }
}

/// Returns the first names, and the number of the others.
pub(super) fn names(document: &Document, nodes: &[NodeId]) -> String {
    let some: Vec<String> =
        nodes.iter().take(MOST).map(|n| format!("“{}”", document.node(*n).label(*n))).collect();
    match nodes.len().saturating_sub(MOST) {
        0 => some.join(", "),
        more => format!("{} and {more} more", some.join(", ")),
    }
}

impl CleanRig {
    pub(super) fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let document = scene.document;
        let uses = NodeUses::of(document);
        let mut plan = CleanPlan::of(&uses, self.what);
        let mut rig = plan.dissolve(RigDraft::of(document));
        if self.what.is_none_or(|w| w == CleanKind::Helpers) {
            rig = plan.dissolve_moving(&uses, rig);
        }
        let mut notes = plan.notes(document);
        if plan.found.is_empty() {
            let mut none = Outcome::noted(
                "nothing_to_clean",
                "the skeleton has no helper nodes, unused joints or leaf joints to remove",
            );
            none.notes.append(&mut notes);
            return Ok(none);
        }
        let mut done = finish(rig, scene, None)?;
        notes.append(&mut done.notes);
        Ok(Outcome { notes, ..done })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leaf_joints_are_recognized_by_the_names_that_exporters_use() {
        let leaves = [
            "Hand_end",
            "Hand_end.001",
            "Hand.L_end_011",
            "Bip01 L Toe0Nub",
            "Head_leaf",
            "HeadTop_End",
            "ToeEnd",
            "Toe2End",
            "b.end",
        ];
        assert!(leaves.iter().all(|n| is_leaf_name(n)));
        let others = ["Hand", "Bend", "Legend", "END", "end", "Finger.001", "Endless", "knob"];
        assert!(others.iter().all(|n| !is_leaf_name(n)), "{others:?}");
    }
}
