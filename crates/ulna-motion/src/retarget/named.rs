//! Joint names in retarget maps.

use std::collections::HashMap;

use ulna_model::{Document, NodeId};

/// The name of each node of a document in a retarget map: the node's name, or its path if several
/// nodes have the same name.
pub(super) struct JointTable {
    names: Vec<String>,
    nodes: HashMap<String, NodeId>,
}

impl JointTable {
    pub fn of(document: &Document) -> Self {
        let mut count: HashMap<String, usize> = HashMap::new();
        for node in document.node_ids() {
            *count.entry(document.node(node).label(node)).or_default() += 1;
        }
        let mut names = vec![String::new(); document.nodes.len()];
        let mut nodes = HashMap::new();
        for node in document.node_ids() {
            let label = document.node(node).label(node);
            let name = if count[&label] == 1 { label } else { document.path(node) };
            nodes.entry(name.clone()).or_insert(node);
            names[node.index()] = name;
        }
        Self { names, nodes }
    }

    /// Returns the name of a node in a retarget map.
    pub fn name(&self, node: NodeId) -> String {
        self.names[node.index()].clone()
    }

    /// Finds the node with a name in a retarget map.
    pub fn node(&self, name: &str) -> Option<NodeId> {
        self.nodes.get(name).copied()
    }
}

/// Returns the name of a node in a retarget map: its own name, or its path if several nodes have
/// the same name.
pub fn table_name(document: &Document, node: NodeId) -> String {
    JointTable::of(document).name(node)
}

/// Finds the node of a document that a name in a retarget map refers to.
pub fn table_node(document: &Document, name: &str) -> Option<NodeId> {
    JointTable::of(document).node(name)
}
