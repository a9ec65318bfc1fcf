//! Selection, visibility and locks of nodes, and the requests of panels about them.

use std::collections::{BTreeMap, BTreeSet};

use crate::ui::AssetRef;
use ulna_edit::{NodeVisibility, Selection};
use ulna_model::{Document, NodeId};

/// A request from the outliner, or from another panel that selects nodes.
#[derive(Clone, Debug)]
pub enum OutlinerAction {
    /// Selects only this node, or toggles it.
    Select {
        /// Node to select.
        node: NodeId,
        /// True to add the node to the selection, or to remove it if it is selected. Shift does
        /// this.
        toggle: bool,
    },
    /// Selects several nodes.
    SelectMany {
        /// Nodes to select.
        nodes: Vec<NodeId>,
        /// True to keep the nodes that are already selected.
        add: bool,
    },
    /// Removes nodes from the selection.
    Deselect(Vec<NodeId>),
    /// Shows an element other than a node in the inspector; `None` returns to the selected nodes.
    About(Option<AssetRef>),
    /// Hides or shows a node and its descendants.
    SetHidden {
        /// Node to hide or show.
        node: NodeId,
        /// True to hide the node.
        hidden: bool,
    },
    /// Locks or unlocks a node.
    SetLocked {
        /// Node to lock or unlock.
        node: NodeId,
        /// True to lock the node.
        locked: bool,
    },
}

/// Selection and visibility of the file's nodes.
#[derive(Clone, Debug, Default)]
pub struct Outliner {
    /// Selected nodes and keys.
    pub selection: Selection,
    /// Hidden and locked nodes.
    pub visibility: NodeVisibility,
    /// Asset shown in the inspector instead of nodes.
    pub inspected: Option<AssetRef>,
    /// The joint under the pointer, in any panel.
    pub hover: Option<NodeId>,
    /// Stored selections, by number.
    pub sets: BTreeMap<usize, BTreeSet<NodeId>>,
    /// Selected nodes and the active node of each document revision.
    kept: BTreeMap<u64, (BTreeSet<NodeId>, Option<NodeId>)>,
}

impl Outliner {
    /// Stores the selected nodes for a document revision, unless they are already stored.
    pub fn keep_nodes(&mut self, revision: u64) {
        /// Maximum number of stored revisions. The oldest are removed first.
        const MOST: usize = 256;
        let Selection { nodes, active, .. } = &self.selection;
        self.kept.entry(revision).or_insert_with(|| (nodes.clone(), *active));
        if self.kept.len() > MOST {
            self.kept.pop_first();
        }
    }

    /// Removes the stored selections, because they belong to the previous file.
    pub fn forget_kept(&mut self) {
        self.kept.clear();
    }

    /// Selects the nodes that were selected at a document revision, as after undo.
    pub fn recall_nodes(&mut self, revision: u64) {
        if let Some((nodes, active)) =
            self.kept.get(&revision).filter(|(nodes, _)| !nodes.is_empty())
        {
            (self.selection.nodes, self.selection.active) = (nodes.clone(), *active);
        }
    }

    /// Performs a request of a panel.
    pub fn apply(&mut self, document: Option<&Document>, action: OutlinerAction) {
        match action {
            OutlinerAction::Select { node, toggle } => {
                self.inspected = None;
                if toggle { self.selection.toggle(node) } else { self.selection.set(node) }
            }
            OutlinerAction::SelectMany { nodes, add } => {
                self.inspected = None;
                if !add {
                    self.selection.nodes.clear();
                }
                self.selection.active =
                    nodes.last().copied().or(self.selection.active.filter(|_| add));
                self.selection.nodes.extend(nodes);
            }
            OutlinerAction::Deselect(nodes) => {
                self.selection.nodes.retain(|n| !nodes.contains(n));
                let there = self.selection.nodes.clone();
                self.selection.set_many(there);
            }
            OutlinerAction::About(thing) => self.inspected = thing,
            OutlinerAction::SetHidden { node, hidden } => {
                if let Some(document) = document {
                    self.visibility.set_hidden(document, [node], hidden);
                }
            }
            OutlinerAction::SetLocked { node, locked } => {
                if let Some(document) = document {
                    self.visibility.set_locked(document, [node], locked);
                }
            }
        }
    }
}
