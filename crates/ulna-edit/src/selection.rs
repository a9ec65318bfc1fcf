//! Selection of nodes and keys. It is not part of the document.

use std::collections::{BTreeMap, BTreeSet};

use ulna_model::{Clip, ClipId, Document, JointGroup, KeySet, NodeId, PoseLayerId, Shared};

/// The owner of keys: a clip, or one pose layer of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct KeysHome {
    /// Clip that contains the keys, or that has the layer.
    pub clip: ClipId,
    /// The layer of the clip; the clip's own keys if `None`.
    pub layer: Option<PoseLayerId>,
}

impl KeysHome {
    /// Returns the owner of a clip's own keys.
    pub const fn of_clip(clip: ClipId) -> Self {
        Self { clip, layer: None }
    }

    /// Returns the tracks that contain the keys; `None` if the clip or the layer was removed.
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
    /// Selected nodes.
    pub nodes: BTreeSet<NodeId>,
    /// The node picked last, which the inspector and the gizmo show.
    pub active: Option<NodeId>,
    /// Selected keys by owner. Invariant: no empty set.
    keys: BTreeMap<KeysHome, KeySet>,
}

/// The selection of an owner without selected keys.
static NO_KEYS: KeySet = KeySet::EMPTY;

impl Selection {
    /// Selects only this node.
    pub fn set(&mut self, node: NodeId) {
        self.nodes = BTreeSet::from([node]);
        self.active = Some(node);
    }

    /// Clears the selection.
    pub fn clear(&mut self) {
        *self = Self::default();
    }

    /// Adds a node to the selection, or removes it.
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

    /// Removes nodes and keys that the document no longer contains. This is not a visitor of
    /// references, because visitors cannot remove ids or keys.
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

    /// Returns the selected keys of an owner. `None` stands for a timeline without a clip, and
    /// returns an empty set.
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

    /// Returns the selection of nodes without keys.
    #[must_use]
    pub fn without_keys(&self) -> Self {
        Self { nodes: self.nodes.clone(), active: self.active, keys: BTreeMap::new() }
    }

    /// Deselects the keys of all clips and layers.
    pub fn clear_keys(&mut self) {
        self.keys.clear();
    }

    /// Returns the selected nodes and their descendants.
    pub fn with_below(&self, document: &Document) -> BTreeSet<NodeId> {
        self.nodes.iter().flat_map(|n| NodeVisibility::below(document, *n)).collect()
    }

    /// Returns the nodes on the paths from selected nodes up to their nearest selected ancestor. If
    /// there are no such ancestors, returns the chain below each selected node, down to the first
    /// branch or end.
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

    /// Selects several nodes. The active node stays active if it is among them.
    pub fn set_many(&mut self, nodes: BTreeSet<NodeId>) {
        self.active = self.active.filter(|a| nodes.contains(a)).or_else(|| nodes.last().copied());
        self.nodes = nodes;
    }

    /// Returns the selected nodes without a selected ancestor. Gestures transform only these, so
    /// that no node is transformed twice.
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
    /// Nodes hidden in the window.
    pub hidden: BTreeSet<NodeId>,
    /// Nodes that are displayed although the file hides them.
    pub shown: BTreeSet<NodeId>,
    /// Nodes that cannot be picked or posed.
    pub locked: BTreeSet<NodeId>,
}

impl NodeVisibility {
    /// Whether a node is not displayed. It is hidden in the window, or the file hides it
    /// (`in_file`) and the window does not override this.
    pub fn hides(&self, node: NodeId, in_file: &BTreeSet<NodeId>) -> bool {
        self.hidden.contains(&node) || (in_file.contains(&node) && !self.shown.contains(&node))
    }

    /// Whether a node cannot be picked or posed. It is locked in the window, or belongs to a locked
    /// joint group.
    pub fn locks(&self, node: NodeId, groups: &[JointGroup]) -> bool {
        self.locked.contains(&node) || JointGroup::lock(groups, node)
    }

    /// Resets the visibility of all nodes to that of the file.
    pub fn show_all(&mut self) {
        self.hidden.clear();
        self.shown.clear();
    }

    /// Returns a node and its descendants.
    fn below(document: &Document, node: NodeId) -> Vec<NodeId> {
        let (mut list, mut at) = (vec![node], 0);
        while let Some(node) = list.get(at).copied() {
            list.extend(document.children(node).iter().copied());
            at += 1;
        }
        list
    }

    /// Hides or shows nodes and their descendants.
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

    /// Hides nodes of the same kinds as the given nodes (joints, or meshes), except the given nodes
    /// and their descendants.
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

    /// Locks or unlocks nodes and their descendants.
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

    /// Locks nodes and their descendants, or unlocks them if all the given nodes are locked.
    pub fn toggle_locked(&mut self, document: &Document, nodes: &BTreeSet<NodeId>) {
        let all = nodes.iter().all(|n| self.locked.contains(n));
        self.set_locked(document, nodes.iter().copied(), !all);
    }
}
