//! The nodes that carry motion (carriers), and the tree that they form. Carriers are joints of
//! skins, nodes moved by a clip, and bones of a VRM's humanoid map. In a figure without a skin, all
//! parts are carriers. Helper nodes between carriers are skipped, such as nulls and the nodes into
//! which an FBX importer splits a joint.

use super::{Pose, mirror_pairs::Side, names::Stem};
use ulna_model::{Document, Node, NodeId, Property};

/// The carriers of motion in a document, and their tree.
#[derive(Clone, Debug)]
pub(super) struct Rig {
    carries: Vec<bool>,
    joints: Vec<bool>,
    /// One flag per node: whether a clip rotates it.
    turned: Vec<bool>,
    /// One flag per node: whether a clip translates it.
    moved: Vec<bool>,
    /// Nearest carriers of motion below each node, by node.
    below: Vec<Vec<NodeId>>,
    /// Nearest carrier of motion above each node, by node.
    above: Vec<Option<NodeId>>,
    /// One flag per node: whether it always has the same origin as its parent.
    on_parent: Vec<bool>,
    /// One flag per node: whether a bone starts at the node, or at a node below it that carries
    /// motion and has the same origin.
    goes_on: Vec<bool>,
}

impl Rig {
    /// Finds the nodes of a document that carry motion, without the cache.
    pub fn find(document: &Document) -> Self {
        let count = document.nodes.len();
        let joints = document.joint_flags();
        let (mut turned, mut moved, mut strong) =
            (vec![false; count], vec![false; count], joints.clone());
        for clip in document.clips.values() {
            let pointers = clip.pointers.iter().filter_map(|p| p.track.as_ref());
            for (node, property) in
                clip.tracks.targets().all().chain(pointers.map(|t| (t.target, t.property)))
            {
                let node = node.index();
                match property {
                    Property::Translation => moved[node] = true,
                    Property::Rotation => turned[node] = true,
                    Property::Scale => {}
                    Property::Weights => continue,
                }
                strong[node] = true;
            }
        }
        for (_, node) in document.humanoid().iter().flat_map(|v| v.bones.iter()) {
            strong[node.index()] = true;
        }
        let size =
            document.node_ids().map(|n| document.node(n).rest.transform().translation.length());
        let near = size.filter(|s| s.is_finite()).fold(0.0, f32::max) * 1e-6;
        let mut on_parent = vec![false; count];
        for (id, node) in document.nodes.iter() {
            let offset = node.rest.transform().translation.length();
            on_parent[id.index()] = node.parent.is_some() && !moved[id.index()] && offset <= near;
        }
        let mut carries = strong.clone();
        for node in figures(document, &joints, &strong, &on_parent) {
            carries[node.index()] = true;
        }
        let mut rig = Self {
            carries,
            joints,
            turned,
            moved,
            below: vec![Vec::new(); count],
            above: vec![None; count],
            on_parent,
            goes_on: vec![false; count],
        };
        rig.connect(document);
        rig
    }

    fn connect(&mut self, document: &Document) {
        let order = document.nodes.order();
        for id in order.iter() {
            let Some(parent) = document.node(*id).parent else { continue };
            self.above[id.index()] =
                if self.carries(parent) { Some(parent) } else { self.above[parent.index()] };
        }
        for id in order.iter().rev() {
            // Children are added in reverse order.
            self.below[id.index()].reverse();
            let tops = if self.carries(*id) { vec![*id] } else { self.below[id.index()].clone() };
            if let Some(parent) = document.node(*id).parent {
                self.below[parent.index()].extend(tops.into_iter().rev());
            }
        }
        for id in order.iter().rev() {
            let bone = |b: &NodeId| self.goes_on[b.index()] || !self.stands_in(document, *id, *b);
            self.goes_on[id.index()] = if self.carries(*id) {
                self.below[id.index()].iter().any(bone)
            } else {
                self.below[id.index()].iter().any(|b| self.goes_on[b.index()])
            };
        }
    }

    /// Whether a node carries motion.
    pub fn carries(&self, node: NodeId) -> bool {
        self.carries.get(node.index()) == Some(&true)
    }

    /// Returns the nearest nodes below a node that carry motion.
    pub fn below(&self, node: NodeId) -> &[NodeId] {
        &self.below[node.index()]
    }

    /// Returns the nearest node above a node that carries motion.
    pub fn above(&self, node: NodeId) -> Option<NodeId> {
        self.above[node.index()]
    }

    /// Whether a bone starts at a node.
    pub fn goes_on(&self, node: NodeId) -> bool {
        self.goes_on[node.index()]
    }

    /// Whether other limbs start at a node, besides the limb through its child `line`.
    pub fn branches(&self, document: &Document, node: NodeId, line: NodeId) -> bool {
        document.children(node).iter().any(|c| *c != line && self.goes_on(*c))
    }

    /// Whether two nodes that carry motion, one above the other, appear as one joint. They always
    /// have the same origin, and at most one of them is a joint of a skin.
    pub fn stands_in(&self, document: &Document, upper: NodeId, lower: NodeId) -> bool {
        let both = self.joints[upper.index()] && self.joints[lower.index()];
        let mut path = std::iter::successors(Some(lower), |n| document.node(*n).parent)
            .take_while(|n| *n != upper);
        !both && path.all(|n| self.on_parent[n.index()])
    }

    /// Returns the node and the nodes above it that form one joint with it, the lowest first. Only
    /// nodes that carry motion and do not belong to other limbs are included.
    fn same_joint(&self, document: &Document, node: NodeId) -> Vec<NodeId> {
        let next = |n: &NodeId| {
            let upper = self.above(*n)?;
            (self.below(upper).len() == 1 && self.stands_in(document, upper, *n)).then_some(upper)
        };
        std::iter::successors(Some(node), next).collect()
    }

    /// Returns the node that rotates a joint: a helper node with the same origin if clips rotate
    /// it, or else the joint itself.
    pub fn turner(&self, document: &Document, node: NodeId) -> NodeId {
        let all = self.same_joint(document, node);
        all.into_iter().find(|n| self.turned[n.index()]).unwrap_or(node)
    }

    /// Returns the node that translates a joint: a helper node with the same origin if clips
    /// translate it, or else the joint itself.
    pub fn mover(&self, document: &Document, node: NodeId) -> NodeId {
        let all = self.same_joint(document, node);
        all.into_iter().find(|n| self.moved[n.index()]).unwrap_or(node)
    }

    /// Returns the highest of the nodes that form one joint with this node. A helper node directly
    /// above it is included if it has the same origin, or if an FBX importer split it off.
    pub fn top_of_joint(&self, document: &Document, node: NodeId) -> NodeId {
        let alone = |n: NodeId| document.children(n).len() == 1 && document.node(n).mesh.is_none();
        let next = |n: &NodeId| {
            let upper = document.node(*n).parent?;
            let one = !self.joints[upper.index()] && self.on_parent[n.index()];
            (alone(upper) && (one || is_split_of(document.node(upper), document.node(node))))
                .then_some(upper)
        };
        std::iter::successors(Some(node), next).last().unwrap_or(node)
    }

    /// Returns the parent joint of a node: the nearest node above it that carries motion and is
    /// another joint.
    pub fn hangs_on(&self, document: &Document, node: NodeId) -> Option<NodeId> {
        let (mut at, mut upper) = (node, self.above(node)?);
        while self.stands_in(document, upper, at) && self.below(upper).len() == 1 {
            (at, upper) = (upper, self.above(upper)?);
        }
        Some(upper)
    }

    /// The distance between two nodes of a pose, meters.
    pub fn distance(pose: &Pose, a: NodeId, b: NodeId) -> f32 {
        let at = |n: NodeId| pose.world[n.index()].w_axis.truncate();
        at(a).distance(at(b))
    }
}

/// Whether `part` is a node that Assimp split off from a joint, such as
/// `Hips_$AssimpFbx$_Translation` from `Hips`.
fn is_split_of(part: &Node, joint: &Node) -> bool {
    let (Some(part), Some(joint)) = (part.name.as_deref(), joint.name.as_deref()) else {
        return false;
    };
    let own = joint.split("_$AssimpFbx$_").next();
    part.split_once("_$AssimpFbx$_").is_some_and(|(name, _)| Some(name) == own)
}

/// Finds the parts of figures without a skin. These are nodes without a joint above or below them,
/// in trees that a clip moves or whose names contain both sides. Nodes that only hold the mesh of
/// their parent are excluded.
fn figures(
    document: &Document,
    joints: &[bool],
    strong: &[bool],
    on_parent: &[bool],
) -> Vec<NodeId> {
    let order = document.nodes.order();
    let count = document.nodes.len();
    let (mut over, mut under, mut moving) = (joints.to_vec(), joints.to_vec(), strong.to_vec());
    let mut root: Vec<usize> = (0..count).collect();
    let mut moves = vec![false; count];
    for id in order.iter() {
        if let Some(parent) = document.node(*id).parent {
            under[id.index()] |= under[parent.index()];
            moving[id.index()] |= moving[parent.index()];
            root[id.index()] = root[parent.index()];
        }
        moves[root[id.index()]] |= strong[id.index()];
    }
    for id in order.iter().rev() {
        if let Some(parent) = document.node(*id).parent {
            over[parent.index()] |= over[id.index()];
        }
    }
    let free = |n: &NodeId| !over[n.index()] && !under[n.index()];
    // Static trees need names of both sides.
    let mut sides = vec![(false, false); count];
    for id in order.iter().filter(|n| free(n) && !moves[root[n.index()]]) {
        let sides = &mut sides[root[id.index()]];
        match document.node(*id).name.as_deref().and_then(|name| Stem::of(name).side) {
            Some(Side::Left) => sides.0 = true,
            Some(Side::Right) => sides.1 = true,
            _ => {}
        }
    }
    let holds_mesh = |n: NodeId| {
        document.node(n).mesh.is_some() && document.children(n).is_empty() && !strong[n.index()]
    };
    let only_a_mesh = |n: NodeId| {
        let Some(parent) = document.node(n).parent.filter(|_| holds_mesh(n)) else { return false };
        let beside = document.children(parent).iter().filter(|c| holds_mesh(**c)).count();
        document.node(parent).mesh.is_none() && (on_parent[n.index()] || beside == 1)
    };
    let is_part = |n: &NodeId| {
        let in_figure = if moves[root[n.index()]] {
            moving[n.index()]
        } else {
            sides[root[n.index()]] == (true, true)
        };
        free(n) && in_figure && !only_a_mesh(*n)
    };
    order.iter().copied().filter(is_part).collect()
}
