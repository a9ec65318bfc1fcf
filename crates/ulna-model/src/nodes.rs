//! The nodes and their tree. Each node stores only its parent. The children and the evaluation
//! order are derived from the parents.

use std::ops::Index;

use ulna_geometry::{Csr, CsrCounter};

use super::{AnyId, Held, IdKind, Node, NodeId, Parts, References, Shared, Slots};

/// All nodes, with the tree that is derived from their parents.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Nodes {
    slots: Slots<NodeId, Node>,
    tree: Shared<Tree>,
}

/// Tree derived from the parents of the nodes. It is rebuilt only if a parent or rank changes, or a
/// node is added or removed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tree {
    /// All nodes except nodes on a cycle, each once, parents before children.
    order: Vec<NodeId>,
    /// Children of each node, in the order of their ranks.
    below: Csr<NodeId>,
}

impl Tree {
    fn of(slots: &Slots<NodeId, Node>) -> Self {
        let count = slots.len();
        let parent = |node: &Node| node.parent.map(NodeId::index).filter(|p| *p < count);
        let mut counter = CsrCounter::new(count);
        slots.values().filter_map(parent).for_each(|at| counter.add(at, 1));
        let mut filler = counter.filler(NodeId(0));
        for (id, node) in slots.iter() {
            if let Some(at) = parent(node) {
                filler.push(at, [id]);
            }
        }
        let mut below = filler.finish();
        for k in 0..count {
            below.row_mut(k).sort_by_key(|id| (slots[*id].rank, *id));
        }
        let mut order: Vec<NodeId> =
            slots.iter().filter(|(_, n)| n.parent.is_none()).map(|(id, _)| id).collect();
        let mut at = 0;
        while at < order.len() {
            order.extend_from_slice(below.row(order[at].index()));
            at += 1;
        }
        Self { order, below }
    }

    /// Direct children of a node, in the order of their ranks.
    pub fn children(&self, node: NodeId) -> &[NodeId] {
        self.below.get(node.index()).unwrap_or_default()
    }

    /// All nodes except nodes on a cycle, each once, parents before children.
    pub fn order(&self) -> &[NodeId] {
        &self.order
    }
}

impl Held for Tree {
    fn held(&self, parts: &mut Parts) {
        let Self { order, below } = self;
        order.held(parts);
        below.held(parts);
    }
}

impl Held for Nodes {
    fn held(&self, parts: &mut Parts) {
        let Self { slots, tree } = self;
        slots.held(parts);
        tree.held(parts);
    }
}

impl References for Nodes {
    fn for_each_id(&self, visit: &mut dyn FnMut(AnyId)) {
        let Self { slots, tree: _ } = self;
        slots.for_each_id(visit);
    }

    fn for_each_id_mut(&mut self, visit: &mut dyn FnMut(IdKind, &mut u32)) {
        let Self { slots, tree } = self;
        slots.for_each_id_mut(visit);
        *tree = Tree::of(slots).into();
    }
}

/// Read access, as for [`Slots`].
impl Nodes {
    /// The nodes as a list by id.
    pub const fn list(&self) -> &Slots<NodeId, Node> {
        &self.slots
    }

    /// Length of a list that is indexed by node ids; includes removed nodes.
    pub fn len(&self) -> usize {
        self.slots.len()
    }

    /// Whether there are no nodes.
    pub fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    /// The number of nodes.
    pub fn count(&self) -> usize {
        self.slots.count()
    }

    /// The number of node slots of the file, including removed nodes.
    pub const fn given(&self) -> usize {
        self.slots.given()
    }

    /// All slots, in the order of their ids.
    pub fn slots(
        &self,
    ) -> impl ExactSizeIterator<Item = Option<&Node>> + DoubleEndedIterator + Clone {
        self.slots.slots()
    }

    /// All nodes, in the order of their ids.
    pub fn values(&self) -> impl DoubleEndedIterator<Item = &Node> + Clone {
        self.slots.values()
    }

    /// Returns the node with an id, if it exists.
    pub fn get(&self, id: NodeId) -> Option<&Node> {
        self.slots.get(id)
    }

    /// Whether a node has the id.
    pub fn contains(&self, id: NodeId) -> bool {
        self.slots.contains(id)
    }

    /// The ids of all nodes, in ascending order.
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = NodeId> + Clone + use<'_> {
        self.slots.ids()
    }

    /// All nodes with their ids, in the order of the ids.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (NodeId, &Node)> + Clone {
        self.slots.iter()
    }

    /// The id of the next new node.
    pub fn next_id(&self) -> NodeId {
        self.slots.next_id()
    }

    /// Whether the id belongs to a node of the file, even if it was removed.
    pub fn is_from_file(&self, id: NodeId) -> bool {
        self.slots.is_from_file(id)
    }
}

impl Nodes {
    /// The current tree. Its memory stays the same until the tree changes.
    pub const fn tree(&self) -> &Shared<Tree> {
        &self.tree
    }

    /// Direct children of a node, in the order of their ranks.
    pub fn children(&self, node: NodeId) -> &[NodeId] {
        self.tree.children(node)
    }

    /// All nodes, each once, parents before children.
    pub fn order(&self) -> &[NodeId] {
        self.tree.order()
    }

    /// Mutable access to a node. Its parent and rank must not be changed; use [`Nodes::swap`] for
    /// these.
    pub fn get_mut(&mut self, id: NodeId) -> Option<&mut Node> {
        self.slots.get_mut(id)
    }

    /// Mutable access to all slots by index. The restrictions of [`Nodes::get_mut`] apply.
    pub fn slots_mut(&mut self) -> &mut [Option<Node>] {
        self.slots.slots_mut()
    }

    /// Mutable access to all nodes. The restrictions of [`Nodes::get_mut`] apply.
    pub fn values_mut(&mut self) -> impl Iterator<Item = &mut Node> {
        self.slots.values_mut()
    }

    /// Swaps the nodes with the given ids for the given nodes. `None` stands for no node.
    ///
    /// The caller ensures that all parents exist and that the parents form no cycle.
    pub fn swap(&mut self, nodes: &mut [(NodeId, Option<Box<Node>>)]) {
        let place = |node: Option<&Node>| node.map(|n| (n.parent, n.rank));
        let mut is_other_tree = false;
        for (id, node) in nodes {
            let now = place(node.as_deref());
            let was = self.slots.put(*id, node.take().map(|n| *n));
            is_other_tree |= place(was.as_ref()) != now;
            *node = was.map(Box::new);
        }
        if is_other_tree {
            self.tree = Tree::of(&self.slots).into();
        }
    }

    /// Whether the tree matches the parents of the nodes.
    pub(super) fn is_valid(&self) -> bool {
        *self.tree == Tree::of(&self.slots)
    }
}

impl Index<NodeId> for Nodes {
    type Output = Node;

    fn index(&self, id: NodeId) -> &Node {
        &self.slots[id]
    }
}

/// Creates the list from the nodes of a file.
impl From<Vec<Node>> for Nodes {
    fn from(list: Vec<Node>) -> Self {
        let slots = Slots::from(list);
        Self { tree: Tree::of(&slots).into(), slots }
    }
}

/// Creates the list from the nodes of a file; `None` marks an unreadable node.
impl From<Vec<Option<Node>>> for Nodes {
    fn from(list: Vec<Option<Node>>) -> Self {
        let slots = Slots::from(list);
        Self { tree: Tree::of(&slots).into(), slots }
    }
}

/// Creates the list from the nodes of a file.
impl FromIterator<Node> for Nodes {
    fn from_iter<L: IntoIterator<Item = Node>>(items: L) -> Self {
        items.into_iter().collect::<Vec<_>>().into()
    }
}
