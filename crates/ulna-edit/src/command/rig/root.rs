//! Adds a root joint above a skeleton. The motion of nodes above the skeleton is moved to the root
//! joint:
//!
//! ```text
//!   W_R(t) = A·A⁻¹·A(t)      A(t): product from the topmost moving node to the parent of R,
//!                            A: the same product without a clip, which those nodes keep
//! ```
//!
//! `R` is the root joint, and `W_R` its transform relative to the parent of the topmost moving
//! node. The products are of local transforms.

use std::collections::{BTreeMap, BTreeSet};

use glam::DMat4;

use super::{
    commands::AddRoot,
    finish::finish,
    rewrite::{RigDraft, affine, flat},
    tree::free_name,
};
use crate::{
    Edit,
    command::{CommandError, Outcome, Scene, error::refuse},
};
use ulna_model::{
    Document, LayerHome, Local, Node, NodeId, Notice, Property, References as _, Shared, Skin,
    SkinId,
};
use ulna_motion::surgery::{Chain, Factor, Moving};

/// Root joints of one skeleton.
struct JointTree {
    /// Joints without an ancestor joint.
    tops: BTreeSet<NodeId>,
    /// Skins with joints in this tree.
    skins: Vec<SkinId>,
}

impl AddRoot {
    pub(super) fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let trees = joint_trees(scene.document);
        if trees.is_empty() {
            return refuse(
                "no_skeleton",
                "the file has no skin, so it has no skeleton; bind meshes to joints first",
            );
        }
        let mut rig = RigDraft::of(scene.document);
        let mut added = Vec::new();
        for tree in &trees {
            added.push(add_root(&mut rig, tree, self.name.as_deref().unwrap_or("Root"))?);
        }
        let label = |id: &NodeId| format!("“{}”", rig.document().node(*id).label(*id));
        let labels = added.iter().map(label).collect::<Vec<_>>().join(", ");
        let moving: Vec<NodeId> = rig
            .stilled
            .iter()
            .copied()
            .filter(|n| scene.document.node(*n).skin.is_none())
            .collect();
        let mut said = format!("added {labels}");
        if let Some(first) = moving.first() {
            let label = scene.document.node(*first).label(*first);
            let more = if moving.len() > 1 {
                format!(" and {} more", moving.len() - 1)
            } else {
                String::new()
            };
            said += &format!("; the motion of “{label}”{more} moved onto it");
        }
        let mut done = finish(rig, scene, None)?;
        done.notes.insert(0, Notice::new("root_added", said));
        Ok(done)
    }
}

/// Returns the topmost joint among a joint and its ancestors.
fn top_of(document: &Document, joint: NodeId, is_joint: &[bool]) -> NodeId {
    let up = std::iter::successors(Some(joint), |n| document.node(*n).parent);
    up.filter(|n| is_joint[n.index()]).last().unwrap_or(joint)
}

/// Groups the root joints of all skins by skeletons. Root joints of one skin belong together, and
/// so do root joints with the same parent.
fn joint_trees(document: &Document) -> Vec<JointTree> {
    let is_joint = document.joint_flags();
    let mut trees: Vec<JointTree> = Vec::new();
    for (id, skin) in document.skins.iter() {
        let mut tops: BTreeSet<NodeId> =
            skin.joints.iter().map(|j| top_of(document, *j, &is_joint)).collect();
        if tops.is_empty() {
            continue;
        }
        let mut skins = vec![id];
        let parents: BTreeSet<NodeId> =
            tops.iter().filter_map(|n| document.node(*n).parent).collect();
        let (same, others): (Vec<_>, Vec<_>) = trees.into_iter().partition(|tree| {
            tree.tops.iter().any(|n| {
                tops.contains(n) || document.node(*n).parent.is_some_and(|p| parents.contains(&p))
            })
        });
        for tree in same {
            tops.extend(tree.tops);
            skins.extend(tree.skins);
        }
        skins.sort_unstable();
        trees = others;
        trees.push(JointTree { tops, skins });
    }
    trees.sort_by_key(|tree| tree.tops.first().copied());
    trees
}

/// Returns the ancestors of a node, topmost first.
fn above(document: &Document, node: NodeId) -> Vec<NodeId> {
    let mut path: Vec<NodeId> =
        std::iter::successors(document.node(node).parent, |n| document.node(*n).parent).collect();
    path.reverse();
    path
}

/// Returns the common ancestors of nodes, topmost first.
fn common_above(document: &Document, nodes: &BTreeSet<NodeId>) -> Vec<NodeId> {
    let mut paths = nodes.iter().map(|n| above(document, *n));
    let first = paths.next().unwrap_or_default();
    paths.fold(first, |common, path| {
        let same = common.iter().zip(&path).take_while(|(a, b)| a == b).count();
        common[..same].to_vec()
    })
}

/// Whether a clip or a layer of a clip moves a node.
fn moves(document: &Document, node: NodeId) -> bool {
    let is_fixed = |p: &Property| *p != Property::Weights;
    let in_clip = document.clips.values().any(|clip| {
        clip.played().any(|t| t.target == node && is_fixed(&t.property))
            || clip.kept.iter().any(|(n, p)| *n == node && is_fixed(p))
    });
    let clips = document.aids.pose_layers.iter().filter(|(home, _)| **home != LayerHome::Pose);
    in_clip || clips.flat_map(|(_, layers)| layers.iter()).any(|l| l.nodes().contains(&node))
}

/// Whether a node has only a skinned mesh. Its transform then has no visible effect.
fn is_unmoved(document: &Document, node: NodeId) -> bool {
    let about = document.node(node);
    about.mesh.is_some()
        && about.skin.is_some()
        && about.camera.is_none()
        && about.light.is_none()
        && document.children(node).is_empty()
}

/// Adds a root joint above a skeleton, and returns it.
fn add_root(rig: &mut RigDraft, tree: &JointTree, name: &str) -> Result<NodeId, CommandError> {
    let document = rig.document().clone();
    let path = common_above(&document, &tree.tops);
    let parent = path.last().copied();
    let moving = path.iter().position(|n| moves(&document, *n)).map_or(&[][..], |k| &path[k..]);
    refuse_left_behind(&document, moving, tree)?;
    // These nodes go below the new joint: the skeleton with its ancestors, and nodes that move with
    // its parent.
    let is_above_joint =
        |n: NodeId| tree.tops.iter().any(|top| *top == n || document.is_above(n, *top));
    let siblings: Vec<NodeId> = match parent {
        Some(parent) => document.children(parent).to_vec(),
        None => document
            .nodes
            .order()
            .iter()
            .copied()
            .filter(|n| document.node(*n).parent.is_none())
            .collect(),
    };
    let below: Vec<NodeId> = siblings
        .into_iter()
        .filter(|n| is_above_joint(*n) || (!moving.is_empty() && !is_unmoved(&document, *n)))
        .collect();
    let root = document.nodes.next_id();
    let made = Node {
        name: Some(free_name(&document, name.to_owned()).into()),
        parent,
        rank: below.first().map_or(0, |n| document.node(*n).rank),
        ..Node::default()
    };
    rig.draft.put(Edit::node(root, made.clone()))?;
    if parent.is_none() {
        add_to_scenes(rig, root, &below)?;
    }
    if !moving.is_empty() {
        take_motion(rig, root, moving)?;
        rig.draft.put(Edit::node(root, made))?;
        let stays = moving.iter().copied().chain(
            moving
                .iter()
                .flat_map(|n| document.children(*n))
                .copied()
                .filter(|n| is_unmoved(&document, *n)),
        );
        rig.stilled.extend(stays);
    }
    rig.attach(below, Some(root), None)?;
    join(rig, root, &tree.skins)?;
    Ok(root)
}

/// Adds the root to the scenes that contain its children.
fn add_to_scenes(rig: &mut RigDraft, root: NodeId, below: &[NodeId]) -> Result<(), CommandError> {
    let scenes: Vec<Edit> = rig
        .document()
        .scenes
        .iter()
        .filter_map(|(scene, found)| {
            let at = found.roots.iter().position(|n| below.contains(n))?;
            let mut to = found.roots.clone();
            to.insert(at, root);
            Some(Edit::SetRoots { scene, to })
        })
        .collect();
    rig.draft.put_all(scenes)
}

/// Returns an error if an object would lose the motion that moves to the root joint.
fn refuse_left_behind(
    document: &Document,
    moving: &[NodeId],
    tree: &JointTree,
) -> Result<(), CommandError> {
    for (k, node) in moving.iter().enumerate() {
        let about = document.node(*node);
        let label = about.label(*node);
        let carries = (about.mesh.is_some() && about.skin.is_none())
            || about.camera.is_some()
            || about.light.is_some()
            || document.node_space.names(*node);
        if carries {
            return refuse(
                "carries_object",
                format!(
                    "“{label}” carries an object that moves with it, but its motion would go to \
                        the root joint; attach the object to a joint first"
                ),
            );
        }
        let Some(next) = moving.get(k + 1) else { continue };
        let other = document
            .children(*node)
            .iter()
            .find(|n| *n != next && !tree.tops.contains(n) && !is_unmoved(document, **n));
        if let Some(other) = other {
            let other = document.node(*other).label(*other);
            return refuse(
                "carries_object",
                format!(
                    "“{other}” moves with “{label}”, whose motion would go to the root joint; \
                        attach “{other}” to a joint first"
                ),
            );
        }
    }
    Ok(())
}

/// Moves the motion of nodes above the skeleton to the root joint.
fn take_motion(rig: &mut RigDraft, root: NodeId, moving: &[NodeId]) -> Result<(), CommandError> {
    let locals = || moving.iter().map(|n| Factor::Local(*n));
    rig.fold_layers(&[Chain { node: root, factors: locals().collect() }])?;
    let document = rig.document();
    let still = moving.iter().fold(Moving::IDENTITY, |all, n| {
        all.then(&Moving::still(&document.node(*n).local().transform()))
    });
    let back = still.inverse().ok_or_else(|| flat(document, moving[0]))?;
    let factors = std::iter::once(Factor::Constant(back)).chain(locals()).collect();
    rig.rewrite(&[Chain { node: root, factors }])?;
    let gone: Vec<Edit> = rig
        .document()
        .clips
        .iter()
        .flat_map(|(clip, found)| {
            let is_taken = |node: NodeId, property: Property| {
                moving.contains(&node) && property != Property::Weights
            };
            let taken = found.tracks.iter().filter(move |(_, t)| is_taken(t.target, t.property));
            taken.map(move |(track, _)| Edit::SetTrack { clip, track: *track, to: None })
        })
        .collect();
    rig.draft.put_all(gone)
}

/// Adds the root joint to skins, without weights. Its bind matrix is `IBM_R = M·…·IBM_j`. `M` are
/// the local rest transforms along the path from the root to a joint `j`.
fn join(rig: &mut RigDraft, root: NodeId, skins: &[SkinId]) -> Result<(), CommandError> {
    let document = rig.document();
    let mut edits = Vec::new();
    for id in skins {
        let skin = document.skin(*id);
        let all: BTreeMap<NodeId, usize> =
            skin.joints.iter().enumerate().rev().map(|(k, j)| (*j, k)).collect();
        let is_top = |j: &NodeId| !all.keys().any(|other| document.is_above(*other, *j));
        let top = skin.joints.iter().find(|j| is_top(j)).or_else(|| skin.joints.first());
        let bind = top.filter(|_| skin.has_inverse_bind).map_or(DMat4::IDENTITY, |top| {
            let way = std::iter::successors(Some(*top), |n| document.node(*n).parent)
                .take_while(|n| *n != root);
            let rest = |n: NodeId| -> DMat4 {
                let local: Local = document.node(n).rest;
                local.matrix().as_dmat4()
            };
            way.fold(skin.inverse_bind[all[top]].as_dmat4(), |below, n| rest(n) * below)
        });
        let joints: Vec<NodeId> = skin.joints.iter().copied().chain([root]).collect();
        let binds: Vec<_> = skin.inverse_bind.iter().copied().chain([affine(bind)]).collect();
        edits.push((
            *id,
            joints.clone(),
            Skin { joints: joints.into(), inverse_bind: binds.into(), ..skin.clone() },
        ));
    }
    for (skin, joints, to) in edits {
        rig.joints.extend(joints);
        rig.draft.put(Edit::SetSkin { skin, to: Some(Shared::new(to)) })?;
    }
    Ok(())
}
