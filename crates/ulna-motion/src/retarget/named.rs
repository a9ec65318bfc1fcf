//! Joints of a document by the names that a table has for them.

use std::collections::HashMap;

use ulna_model::{Document, NodeId};

/// The names of the nodes of a document: each its own name, or its path where two have one name.
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

    /// The name of a node.
    pub fn name(&self, node: NodeId) -> String {
        self.names[node.index()].clone()
    }

    /// The node of a name.
    pub fn node(&self, name: &str) -> Option<NodeId> {
        self.nodes.get(name).copied()
    }
}

/// The name by which a table calls a node of a document.
pub fn table_name(document: &Document, node: NodeId) -> String {
    JointTable::of(document).name(node)
}

/// The node of a document that a table calls by a name.
pub fn table_node(document: &Document, name: &str) -> Option<NodeId> {
    JointTable::of(document).node(name)
}
