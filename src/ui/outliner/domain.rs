//! Selection, visibility and locks of nodes, and requests of panels about them.

use std::collections::{BTreeMap, BTreeSet};

use crate::ui::AssetRef;
use ulna_edit::{NodeVisibility, Selection};
use ulna_model::{Document, NodeId};

/// Requests of the outliner, and of other panels that select nodes.
#[derive(Clone, Debug)]
pub enum OutlinerAction {
    /// Only this node; with Shift, in or out.
    Select {
        /// The node.
        node: NodeId,
        /// Add or take out.
        toggle: bool,
    },
    /// These nodes.
    SelectMany {
        /// Nodes to select.
        nodes: Vec<NodeId>,
        /// Besides those that are.
        add: bool,
    },
    /// Not these nodes any more.
    Deselect(Vec<NodeId>),
    /// Look at something that is no node, or no longer.
    About(Option<AssetRef>),
    /// Hide or show a node and what is below it.
    SetHidden {
        /// The node.
        node: NodeId,
        /// Whether it is hidden.
        hidden: bool,
    },
    /// Lock or unlock a node.
    SetLocked {
        /// The node.
        node: NodeId,
        /// Whether it is locked.
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
    /// Selections kept under numbers.
    pub sets: BTreeMap<usize, BTreeSet<NodeId>>,
    /// Selected nodes and the active node per document revision.
    kept: BTreeMap<u64, (BTreeSet<NodeId>, Option<NodeId>)>,
}

impl Outliner {
    /// Keeps what is selected as the document comes into a state for the first time.
    pub fn keep_nodes(&mut self, revision: u64) {
        /// States that are remembered; the oldest are forgotten.
        const MOST: usize = 256;
        let Selection { nodes, active, .. } = &self.selection;
        self.kept.entry(revision).or_insert_with(|| (nodes.clone(), *active));
        if self.kept.len() > MOST {
            self.kept.pop_first();
        }
    }

    /// Forgets the selections of the file that was open.
    pub fn forget_kept(&mut self) {
        self.kept.clear();
    }

    /// Selects what was selected when the document came into a state.
    pub fn recall_nodes(&mut self, revision: u64) {
        if let Some((nodes, active)) =
            self.kept.get(&revision).filter(|(nodes, _)| !nodes.is_empty())
        {
            (self.selection.nodes, self.selection.active) = (nodes.clone(), *active);
        }
    }

    /// Does what a panel asked for.
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
