//! Selection of nodes and keys. It is not part of the document.

use std::collections::{BTreeMap, BTreeSet};

use ulna_model::{Clip, ClipId, Document, JointGroup, KeySet, NodeId, PoseLayerId, Shared};

/// The owner of keys: a clip, or one pose layer of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct KeysHome {
    /// The clip.
    pub clip: ClipId,
    /// The layer of the clip; the clip's own keys if `None`.
    pub layer: Option<PoseLayerId>,
}

impl KeysHome {
    /// The clip itself, without its layers.
    pub const fn of_clip(clip: ClipId) -> Self {
        Self { clip, layer: None }
    }

    /// The tracks with these keys; `None` if the clip or the layer was removed.
    fn tracks(self, document: &Document) -> Option<&Shared<Clip>> {
        match self.layer {
            Some(layer) => document.aids.pose_layer(layer).map(|(_, found)| &found.keys),
            None => document.clips.get(self.clip),
        }
    }
}

/// Selected nodes and keys.
///
/// Each clip and each layer has its own selection of keys, which can be read only by naming the
/// owner. A command that passes the owner shown on the timeline therefore never gets keys of
/// another clip.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Selection {
    /// Nodes.
    pub nodes: BTreeSet<NodeId>,
    /// The one picked last: what the inspector and the gizmo show.
    pub active: Option<NodeId>,
    /// Selected keys by owner. Invariant: no empty set.
    keys: BTreeMap<KeysHome, KeySet>,
}

/// The selection of an owner without selected keys.
static NO_KEYS: KeySet = KeySet::EMPTY;

impl Selection {
    /// Only this node.
    pub fn set(&mut self, node: NodeId) {
        self.nodes = BTreeSet::from([node]);
        self.active = Some(node);
    }

    /// Nothing.
    pub fn clear(&mut self) {
        *self = Self::default();
    }

    /// Adds a node, or takes it out.
    pub fn toggle(&mut self, node: NodeId) {
        if self.nodes.remove(&node) {
            if self.active == Some(node) {
                self.active = self.nodes.last().copied();
            }
        } else {
            self.nodes.insert(node);
            self.active = Some(node);
        }
    }

    /// Drops nodes and keys that the document no longer has. Not a visitor of references: those
    /// replace ids and cannot drop them, and keys are more than ids.
    pub fn purge(&mut self, document: &Document) {
        let Self { nodes, active, keys } = self;
        nodes.retain(|n| document.nodes.contains(*n));
        *active = active.filter(|n| nodes.contains(n));
        keys.retain(|home, keys| {
            *keys = home
                .tracks(document)
                .map_or_else(KeySet::default, |t| std::mem::take(keys).there(t));
            !keys.is_empty()
        });
    }

    /// The selected keys of an owner; empty for `None`, which stands for a timeline that shows no
    /// clip.
    pub fn keys_of(&self, home: Option<KeysHome>) -> &KeySet {
        home.and_then(|home| self.keys.get(&home)).unwrap_or(&NO_KEYS)
    }

    /// Replaces the selected keys of an owner. Selections of other owners stay.
    pub fn set_keys(&mut self, home: KeysHome, keys: KeySet) {
        if keys.is_empty() {
            self.keys.remove(&home);
        } else {
            self.keys.insert(home, keys);
        }
    }

    /// The selected nodes alone.
    #[must_use]
    pub fn without_keys(&self) -> Self {
        Self { nodes: self.nodes.clone(), active: self.active, keys: BTreeMap::new() }
    }

    /// Deselects the keys of all clips and layers.
    pub fn clear_keys(&mut self) {
        self.keys.clear();
    }

    /// The selected nodes and all below them.
    pub fn with_below(&self, document: &Document) -> BTreeSet<NodeId> {
        self.nodes.iter().flat_map(|n| NodeVisibility::below(document, *n)).collect()
    }

    /// Of selected nodes that are above one another, all between them; of others the strand that
    /// goes on from each: its only child, and so on, to where it branches or ends.
    pub fn chains(&self, document: &Document) -> BTreeSet<NodeId> {
        let mut found = BTreeSet::new();
        for node in &self.nodes {
            let mut way = vec![*node];
            let above =
                std::iter::successors(document.node(*node).parent, |n| document.node(*n).parent);
            for parent in above {
                way.push(parent);
                if self.nodes.contains(&parent) {
                    found.append(&mut way.drain(..).collect());
                    break;
                }
            }
        }
        if found.is_empty() {
            for node in &self.nodes {
                let next =
                    |n: &NodeId| if let [one] = document.children(*n) { Some(*one) } else { None };
                found.extend(std::iter::successors(Some(*node), next));
            }
        }
        found
    }

    /// Several nodes, of which one was picked last: the one that was, where it is among them.
    pub fn set_many(&mut self, nodes: BTreeSet<NodeId>) {
        self.active = self.active.filter(|a| nodes.contains(a)).or_else(|| nodes.last().copied());
        self.nodes = nodes;
    }

    /// Selected nodes that have no selected node above them: what a gesture turns, so that nothing
    /// is turned twice.
    pub fn top_level_nodes(&self, document: &Document) -> Vec<NodeId> {
        self.nodes
            .iter()
            .copied()
            .filter(|n| !self.nodes.iter().any(|a| document.is_above(*a, *n)))
            .collect()
    }
}

/// Hidden and locked nodes. They are not part of the file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NodeVisibility {
    /// Nodes that are not shown.
    pub hidden: BTreeSet<NodeId>,
    /// Nodes that are shown although the file hides them.
    pub shown: BTreeSet<NodeId>,
    /// Nodes that cannot be picked or posed.
    pub locked: BTreeSet<NodeId>,
}

impl NodeVisibility {
    /// Whether a node is not shown: it is hidden here, or by the file (`in_file`) and not shown
    /// here all the same.
    pub fn hides(&self, node: NodeId, in_file: &BTreeSet<NodeId>) -> bool {
        self.hidden.contains(&node) || (in_file.contains(&node) && !self.shown.contains(&node))
    }

    /// Whether a node cannot be picked or posed: it is locked here, or in a group of joints.
    pub fn locks(&self, node: NodeId, groups: &[JointGroup]) -> bool {
        self.locked.contains(&node) || JointGroup::lock(groups, node)
    }

    /// Shows all nodes that the file does not hide.
    pub fn show_all(&mut self) {
        self.hidden.clear();
        self.shown.clear();
    }

    /// A node and everything below it.
    fn below(document: &Document, node: NodeId) -> Vec<NodeId> {
        let (mut list, mut at) = (vec![node], 0);
        while let Some(node) = list.get(at).copied() {
            list.extend(document.children(node).iter().copied());
            at += 1;
        }
        list
    }

    /// Hides or shows nodes and what is below them.
    pub fn set_hidden(
        &mut self,
        document: &Document,
        nodes: impl IntoIterator<Item = NodeId>,
        hidden: bool,
    ) {
        for node in nodes.into_iter().flat_map(|n| Self::below(document, n)) {
            if hidden {
                self.hidden.insert(node);
                self.shown.remove(&node);
            } else {
                self.hidden.remove(&node);
                self.shown.insert(node);
            }
        }
    }

    /// Hides what is like the given nodes (joints, or meshes) and neither one of them nor below
    /// one.
    pub fn isolate(&mut self, document: &Document, nodes: &BTreeSet<NodeId>) {
        let joints = document.joint_flags();
        let stay: BTreeSet<NodeId> = nodes.iter().flat_map(|n| Self::below(document, *n)).collect();
        let alike = |n: NodeId| (joints[n.index()], document.node(n).mesh.is_some());
        let kinds: BTreeSet<(bool, bool)> =
            stay.iter().map(|n| alike(*n)).filter(|k| *k != (false, false)).collect();
        self.hidden = document
            .node_ids()
            .filter(|n| kinds.contains(&alike(*n)) && !stay.contains(n))
            .collect();
    }

    /// Locks or unlocks nodes and what is below them.
    pub fn set_locked(
        &mut self,
        document: &Document,
        nodes: impl IntoIterator<Item = NodeId>,
        locked: bool,
    ) {
        for node in nodes.into_iter().flat_map(|n| Self::below(document, n)) {
            if locked {
                self.locked.insert(node);
            } else {
                self.locked.remove(&node);
            }
        }
    }

    /// Locks nodes and what is below them, or unlocks them where all are locked.
    pub fn toggle_locked(&mut self, document: &Document, nodes: &BTreeSet<NodeId>) {
        let all = nodes.iter().all(|n| self.locked.contains(n));
        self.set_locked(document, nodes.iter().copied(), !all);
    }
}
