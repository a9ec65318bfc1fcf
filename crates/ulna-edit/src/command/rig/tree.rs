//! Commands that insert, remove and reparent joints.

use std::collections::{BTreeMap, BTreeSet};

use glam::Mat4;

use super::{
    commands::{BelowJoint, DissolveJoint, Heirs, InsertJoint, RemoveJoint, ReparentJoint},
    finish::finish,
    rewrite::{RigDraft, affine},
    space::refuse_constraints,
};
use crate::{
    Edit,
    command::{
        CommandError, Outcome, Scene,
        error::refuse,
        field::Nodes,
        nodes::{Below, Keep, Reparent, uppermost, with_below, without},
    },
};
use ulna_model::{Document, Local, Node, NodeId, References as _, Shared, Skin, Transform};
use ulna_motion::surgery::{Chain, Factor, Moving};

impl RigDraft {
    /// Runs a node command on the current state of the draft.
    fn run_nodes(
        &mut self,
        work: impl FnOnce(&Scene<'_>) -> Result<Outcome, CommandError>,
    ) -> Result<(), CommandError> {
        let document = self.document().clone();
        let done = work(&Scene::new(&document))?;
        self.draft.put_all(done.edits)
    }

    /// Reparents nodes with unchanged local transforms.
    pub(super) fn attach(
        &mut self,
        nodes: Vec<NodeId>,
        parent: Option<NodeId>,
        before: Option<NodeId>,
    ) -> Result<(), CommandError> {
        let command = Reparent {
            node: Nodes::Ids(nodes),
            parent: parent.map(Nodes::one),
            before: before.map(Nodes::one),
            keep: Some(Keep::Local),
            force: Some(true),
        };
        self.run_nodes(|scene| command.work(scene))
    }

    /// Removes nodes. Their children are attached to the nearest remaining ancestor and move as
    /// before.
    pub(super) fn dissolve(&mut self, nodes: &BTreeSet<NodeId>) -> Result<(), CommandError> {
        self.dissolve_into(nodes, &BTreeMap::new())
    }

    /// Removes nodes. `heirs` maps removed nodes to the nodes that receive their children and their
    /// weights; the nearest remaining ancestor is the default.
    pub(super) fn dissolve_into(
        &mut self,
        nodes: &BTreeSet<NodeId>,
        heirs: &BTreeMap<NodeId, NodeId>,
    ) -> Result<(), CommandError> {
        let document = self.document().clone();
        nodes.iter().try_for_each(|n| refuse_named(&document, *n))?;
        let skins = document.skins.values().filter(|s| s.joints.iter().any(|j| nodes.contains(j)));
        let joints: BTreeSet<NodeId> = skins.flat_map(|s| s.joints.iter().copied()).collect();
        let is_gone = |n: &NodeId| nodes.contains(n);
        let mut chains = Vec::new();
        // Nodes to reparent, by their new parent and their next sibling.
        let mut moved: BTreeMap<(Option<NodeId>, Option<NodeId>), Vec<NodeId>> = BTreeMap::new();
        for id in document.nodes.order().iter().filter(|n| !is_gone(n)) {
            let Some(parent) = document.node(*id).parent.filter(is_gone) else { continue };
            let up = |n: &NodeId| document.node(*n).parent;
            let above = std::iter::successors(Some(parent), up).take_while(is_gone);
            let top = above.last().unwrap_or(parent);
            let above_all = document.node(top).parent;
            let heir = heirs.get(&parent).filter(|h| *h != id && !document.is_above(*id, **h));
            let (to, before) = match heir {
                Some(heir) => (Some(*heir), None),
                None => (above_all, Some(top)),
            };
            moved.entry((to, before)).or_default().push(*id);
            let mut factors = way(&document, to, Some(parent));
            factors.push(Factor::Local(*id));
            chains.push(Chain { node: *id, factors });
        }
        refuse_constraints(&document, &chains)?;
        self.rewrite(&chains)?;
        for ((to, before), below) in moved {
            self.attach(below, to, before)?;
        }
        self.remove(nodes, heirs)?;
        self.joints.extend(joints.into_iter().filter(|n| !is_gone(n)));
        Ok(())
    }

    /// Removes nodes. The list must contain all their descendants.
    fn remove(
        &mut self,
        nodes: &BTreeSet<NodeId>,
        heirs: &BTreeMap<NodeId, NodeId>,
    ) -> Result<(), CommandError> {
        let done = without(self.document(), nodes, Below::Remove, heirs)?;
        self.draft.put_all(done.edits)
    }
}

/// Returns an error if a node to remove has a collider or a constraint of the avatar.
fn refuse_named(document: &Document, node: NodeId) -> Result<(), CommandError> {
    if !document.node_space.names(node) {
        return Ok(());
    }
    refuse(
        "carries_object",
        format!(
            "“{}” carries a collider or a constraint of the VRM avatar, which would lose its \
                place; the joint must stay",
            document.node(node).label(node)
        ),
    )
}

/// Returns an error if a node to remove has a mesh, a camera or a light.
pub(super) fn refuse_attached(document: &Document, node: NodeId) -> Result<(), CommandError> {
    let about = document.node(node);
    let what = [
        (about.mesh.is_some(), "a mesh"),
        (about.camera.is_some(), "a camera"),
        (about.light.is_some(), "a light"),
    ];
    let Some((_, what)) = what.iter().find(|(is_there, _)| *is_there) else { return Ok(()) };
    refuse(
        "carries_object",
        format!(
            "“{}” carries {what}, which would be lost; move it to another node first",
            about.label(node)
        ),
    )
}

impl InsertJoint {
    pub(super) fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        /// Maximum number of joints to insert at once. A larger number is probably a mistake.
        const MOST: usize = 64;
        let document = scene.document;
        let nodes = self.node.all(document)?;
        let at = f64::from(self.at.unwrap_or(0.5));
        let count = self.count.unwrap_or(1);
        if !(0.0..=1.0).contains(&at) || count == 0 || count > MOST {
            return refuse(
                "argument_out_of_range",
                format!("“at” must be 0 to 1, and “count” 1 to {MOST}"),
            );
        }
        let mut rig = RigDraft::of(document);
        for node in nodes {
            if document.node(node).parent.is_none() {
                let label = document.node(node).label(node);
                return refuse(
                    "no_parent",
                    format!("“{label}” has no parent, so no joint can be inserted above it"),
                );
            }
            // Starts with the lowest joint. Each next joint is inserted above it.
            let places: Vec<f64> = match self.count {
                Some(_) => (1..=count).map(|k| k as f64 / (count + 1) as f64).collect(),
                None => vec![at],
            };
            let mut below = node;
            let mut above = 1.0;
            for place in places.into_iter().rev() {
                below = insert(&mut rig, below, place / above, self.name.as_deref(), node)?;
                above = place;
            }
        }
        finish(rig, scene, None)
    }
}

/// Returns a name that no node has: the given name, or that name with a number.
pub(super) fn free_name(document: &Document, base: String) -> String {
    let taken: BTreeSet<&str> = document.nodes.values().filter_map(|n| n.name.as_deref()).collect();
    let names = std::iter::once(base.clone()).chain((2..).map(|k| format!("{base}{k}")));
    names.into_iter().find(|n| !taken.contains(n.as_str())).unwrap_or(base)
}

/// Inserts a joint above a node, at a fraction of the distance from its parent. Returns the new
/// joint.
fn insert(
    rig: &mut RigDraft,
    node: NodeId,
    at: f64,
    name: Option<&str>,
    named_for: NodeId,
) -> Result<NodeId, CommandError> {
    let document = rig.document().clone();
    let about = document.node(node);
    let parent = about.parent;
    let way = about.rest.transform().translation.as_dvec3() * at;
    let c = Moving::moved(way);
    let label = document.node(named_for).label(named_for);
    let base = name.map_or_else(|| format!("{label}_inserted"), ToOwned::to_owned);
    let name = free_name(&document, base);
    let id = document.nodes.next_id();
    let made = Node {
        name: Some(name.into()),
        parent,
        rank: about.rank,
        rest: Local::Trs(Transform { translation: way.as_vec3(), ..Transform::IDENTITY }),
        ..Node::default()
    };
    let back = Moving::moved(-way);
    let factors = vec![Factor::Constant(back), Factor::Local(node)];
    rig.rewrite(&[Chain { node, factors }])?;
    let moved = Node { parent: Some(id), rank: 0, ..rig.document().node(node).clone() };
    rig.draft
        .put(Edit::SetNodes(vec![(node, Some(Box::new(moved))), (id, Some(Box::new(made)))]))?;
    join_skins(rig, id, parent, node, &c)?;
    Ok(id)
}

/// Adds a new joint to the skins that contain its parent or the joint below it. The bind matrix is
/// derived from that of the parent, `IBM_n = C⁻¹·IBM_p`, or else from that of the joint below. Both
/// joints then have the same skinning matrix in the rest pose. `C` is the transform `c` of the new
/// joint relative to its parent.
pub(super) fn join_skins(
    rig: &mut RigDraft,
    id: NodeId,
    parent: Option<NodeId>,
    below: NodeId,
    c: &Moving,
) -> Result<(), CommandError> {
    let document = rig.document().clone();
    let mut edits = Vec::new();
    for (skin_id, skin) in document.skins.iter() {
        let slot = |n: NodeId| skin.joints.iter().position(|j| *j == n);
        let bind = if let Some(slot) = parent.and_then(slot) {
            let back = Moving::moved(-c.translation).matrix();
            back * skin.inverse_bind[slot].as_dmat4()
        } else if let Some(slot) = slot(below) {
            // `IBM_n = M·IBM` in the rest pose, with the local transform `M` and the bind matrix
            // `IBM` of the joint below.
            let rest = document.node(below).rest.matrix().as_dmat4();
            rest * skin.inverse_bind[slot].as_dmat4()
        } else {
            continue;
        };
        let joints: Vec<NodeId> = skin.joints.iter().copied().chain([id]).collect();
        let matrix = affine(bind);
        // A skin without bind matrices has identities. A new matrix that differs makes all of them
        // explicit.
        let binds: Vec<Mat4> = skin.inverse_bind.iter().copied().chain([matrix]).collect();
        let has_inverse_bind = skin.has_inverse_bind || matrix != Mat4::IDENTITY;
        let to = Skin {
            joints: joints.clone().into(),
            inverse_bind: binds.into(),
            has_inverse_bind,
            ..(**skin).clone()
        };
        rig.joints.extend(joints);
        edits.push(Edit::SetSkin { skin: skin_id, to: Some(Shared::new(to)) });
    }
    rig.draft.put_all(edits)
}

impl DissolveJoint {
    pub(super) fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let nodes = self.node.all(scene.document)?;
        removed_joints(scene, &nodes, (BelowJoint::Keep, self.weights))
    }
}

impl RemoveJoint {
    pub(super) fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let nodes = self.node.all(scene.document)?;
        removed_joints(scene, &nodes, (self.below.unwrap_or(BelowJoint::Keep), self.weights))
    }
}

fn removed_joints(
    scene: &Scene<'_>,
    nodes: &[NodeId],
    (below, heirs): (BelowJoint, Option<Heirs>),
) -> Result<Outcome, CommandError> {
    let document = scene.document;
    let gone: BTreeSet<NodeId> = match below {
        BelowJoint::Keep => nodes.iter().copied().collect(),
        BelowJoint::Remove => with_below(document, nodes),
    };
    if below == BelowJoint::Keep {
        gone.iter().try_for_each(|n| refuse_attached(document, *n))?;
    }
    without_joints(scene, &gone, (below, heirs))
}

/// Removes nodes in the same way as joints are removed. Weights are fitted if the file has clips,
/// and remaining nodes below them move as before. Meshes, cameras and lights on the nodes are
/// removed.
pub(in crate::command) fn without_joints(
    scene: &Scene<'_>,
    gone: &BTreeSet<NodeId>,
    (below, heirs): (BelowJoint, Option<Heirs>),
) -> Result<Outcome, CommandError> {
    let mut rig = RigDraft::of(scene.document);
    if heirs == Some(Heirs::Nearest) {
        rig.give_to_nearest(gone)?;
    }
    match below {
        BelowJoint::Keep => rig.dissolve(gone)?,
        BelowJoint::Remove => rig.remove(gone, &BTreeMap::new())?,
    }
    finish(rig, scene, heirs)
}

impl ReparentJoint {
    pub(super) fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let document = scene.document;
        let all: BTreeSet<NodeId> = self.node.all(document)?.into_iter().collect();
        let to = self.to.as_ref().map(|to| to.all(document)).transpose()?;
        let parent = match to.as_deref() {
            None => None,
            Some([one]) => Some(*one),
            Some(_) => return refuse("one_node_wanted", "“to” must be one node"),
        };
        let moved = uppermost(document, &all);
        if let Some(node) =
            moved.iter().find(|n| parent.is_some_and(|p| p == **n || document.is_above(**n, p)))
        {
            let label = document.node(*node).label(*node);
            return refuse("node_cycle", format!("“{label}” cannot be attached below itself"));
        }
        let moved: Vec<NodeId> =
            moved.into_iter().filter(|n| document.node(*n).parent != parent).collect();
        reparented(scene, &moved, parent, None)
    }
}

/// Reparents nodes, before a sibling or at the end, without changing their motion in any clip.
pub(in crate::command) fn reparented(
    scene: &Scene<'_>,
    moved: &[NodeId],
    parent: Option<NodeId>,
    before: Option<NodeId>,
) -> Result<Outcome, CommandError> {
    let document = scene.document;
    let mut rig = RigDraft::of(document);
    let chains: Vec<Chain> = moved
        .iter()
        .map(|node| {
            let mut factors = way(document, parent, document.node(*node).parent);
            factors.push(Factor::Local(*node));
            Chain { node: *node, factors }
        })
        .collect();
    refuse_constraints(document, &chains)?;
    rig.rewrite(&chains)?;
    if !moved.is_empty() {
        rig.attach(moved.to_vec(), parent, before)?;
    }
    let document_now = rig.document();
    let skins = document_now.skins.values();
    let joints: Vec<NodeId> = skins
        .filter(|s| s.joints.iter().any(|j| moved.contains(j)))
        .flat_map(|s| s.joints.iter().copied())
        .collect();
    rig.joints.extend(joints);
    finish(rig, scene, None)
}

/// Returns the factors of `W_q⁻¹·W_p`, the transform from node `p` to node `q`, along the path
/// between them; `None` stands for the scene.
pub(super) fn way(document: &Document, q: Option<NodeId>, p: Option<NodeId>) -> Vec<Factor> {
    let up = |from: Option<NodeId>| -> Vec<NodeId> {
        std::iter::successors(from, |n| document.node(*n).parent).collect()
    };
    let (mut out, mut back) = (up(q), up(p));
    while let (Some(a), Some(b)) = (out.last(), back.last()) {
        if a != b {
            break;
        }
        out.pop();
        back.pop();
    }
    let out = out.into_iter().map(Factor::Inverse);
    out.chain(back.into_iter().rev().map(Factor::Local)).collect()
}
