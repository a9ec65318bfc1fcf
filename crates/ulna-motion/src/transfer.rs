//! Transfer of saved poses to another skeleton with another rest pose, other names and another
//! size.
//!
//! The transferred quantity is each joint's rotation from its rest, in the scene axes of the rest
//! pose. It is therefore independent of the axes of both skeletons. With `R` the rest rotations in
//! the scene of a joint `j` and of its parent `q`, and with `p` and `q'` their counterparts:
//!
//! ```text
//!  E = R_q · r_j · R_j⁻¹            r_p = R_q'⁻¹ · E · R_p
//! ```
//!
//! This is the formula of the mirror without a reflection (see [`super::mirror`]). Here, a joint
//! may have another parent than in the source, or nodes without a counterpart in between. Their
//! rotations are multiplied in on one side and divided out on the other. A joint with the same rest
//! gets exactly the same numbers.

use std::collections::{BTreeMap, HashMap};

use glam::{DMat4, Quat, Vec3};

use super::{
    Mirror, Pose,
    ancestors::above,
    counterparts::{FoundBy, Sought, pairs},
    names::Stem,
    roles::mapped_roles,
};
use ulna_model::{
    Document, KeptJoint, KeptMorphs, KeptPose, NodeId, Property, Transform, transform::unit_or,
};

/// Maximum difference of rest poses that count as equal.
const SAME: f32 = 1e-6;

/// A saved pose, fitted to a document.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Fitted {
    /// Local transforms by node.
    pub locals: BTreeMap<NodeId, Transform>,
    /// Weights of all morph targets, by node.
    pub morphs: BTreeMap<NodeId, Vec<f32>>,
    /// Number of joints of the pose without a counterpart.
    pub unmatched: usize,
    /// Number of joints that were matched by body part instead of by name.
    pub by_role: usize,
    /// Number of scales that were skipped, because the axes of the joint and its counterpart are
    /// not parallel.
    pub scales_left: usize,
}

/// The rest pose of a document's nodes in the scene.
struct Rests {
    /// Rest rotations in the scene, by node.
    rotations: Vec<Quat>,
    /// Meters per unit of the node's own space, by node.
    units: Vec<f32>,
    /// Vertical extent of the joints, meters.
    height: f32,
}

impl Rests {
    fn of(document: &Document) -> Self {
        let count = document.nodes.len();
        let (mut rotations, mut worlds) =
            (vec![Quat::IDENTITY; count], vec![DMat4::IDENTITY; count]);
        for node in document.nodes.order() {
            let rest = document.node(*node).rest.transform();
            let parent = document.node(*node).parent;
            let above = parent.map_or(Quat::IDENTITY, |p| rotations[p.index()]);
            rotations[node.index()] = above * unit_or(rest.rotation, Quat::IDENTITY);
            let above = parent.map_or(DMat4::IDENTITY, |p| worlds[p.index()]);
            worlds[node.index()] = above * rest.matrix().as_dmat4();
        }
        let joints = document.joint_flags();
        let heights =
            (0..count).filter(|k| joints[*k]).map(|k| worlds[k].w_axis.y).filter(|y| y.is_finite());
        let (low, high) =
            heights.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), y| (a.min(y), b.max(y)));
        let units = worlds.iter().map(|w| w.determinant().abs().cbrt() as f32).collect();
        let height = if high > low { (high - low) as f32 } else { 1.0 };
        Self { rotations, units, height }
    }

    /// Returns the rest rotation of a node's parent in the scene, and the meters per unit of the
    /// parent's space.
    fn above(&self, document: &Document, node: NodeId) -> (Quat, f32) {
        document
            .node(node)
            .parent
            .map_or((Quat::IDENTITY, 1.0), |p| (self.rotations[p.index()], self.units[p.index()]))
    }
}

/// Returns one flag per node: whether saved poses include it. These are joints, posed nodes, nodes
/// moved by a clip, and nodes of the humanoid map.
pub(super) fn posable(document: &Document) -> Vec<bool> {
    let mut all = document.joint_flags();
    for track in
        document.clips.values().flat_map(|c| c.played()).filter(|t| t.property != Property::Weights)
    {
        all[track.target.index()] = true;
    }
    for (id, _) in document.nodes.iter().filter(|(_, n)| n.pose.is_some()) {
        all[id.index()] = true;
    }
    for node in mapped_roles(document).into_keys() {
        all[node.index()] = true;
    }
    all
}

/// Saves the pose of some nodes. If `nodes` is `None`, these are all joints and other moving nodes.
pub fn keep_pose(
    document: &Document,
    seen: &Pose,
    name: &str,
    nodes: Option<&[NodeId]>,
) -> KeptPose {
    let rests = Rests::of(document);
    let posable = posable(document);
    let wanted = |n: NodeId| nodes.map_or_else(|| posable[n.index()], |some| some.contains(&n));
    let mut joints: Vec<KeptJoint> = Vec::new();
    let mut places: HashMap<NodeId, usize> = HashMap::new();
    for node in document.nodes.order().iter().copied().filter(|n| wanted(*n)) {
        let above = std::iter::successors(document.node(node).parent, |n| document.node(*n).parent);
        places.insert(node, joints.len());
        joints.push(KeptJoint {
            name: document.node(node).label(node),
            parent: above.into_iter().find_map(|n| places.get(&n).copied()),
            path: document.path(node),
            local: seen.local[node.index()].transform(),
            rest: document.node(node).rest.transform(),
            frame: rests.rotations[node.index()],
            unit: rests.above(document, node).1,
        });
    }
    let morphs = document
        .node_ids()
        .filter(|n| nodes.is_none_or(|some| some.contains(n)))
        .filter_map(|node| {
            let weights = seen.morphs.get(node.index()).filter(|w| !w.is_empty())?;
            let name = document.node(node).label(node);
            let weights = weights
                .iter()
                .enumerate()
                .map(|(k, w)| (target_name(document, node, k), *w))
                .collect();
            Some(KeptMorphs { name, weights })
        });
    KeptPose { name: name.to_owned(), height: rests.height, joints, morphs: morphs.collect() }
}

pub(super) fn target_name(document: &Document, node: NodeId, target: usize) -> String {
    let mesh = document.node(node).mesh.map(|m| document.mesh(m));
    mesh.and_then(|m| m.target_names.get(target))
        .map_or_else(|| format!("#{target}"), ToString::to_string)
}

/// Finds the morph target for the other side of the body, by its name. A target without a side in
/// its name is its own counterpart. `None` if there is no counterpart.
pub fn morph_partner(document: &Document, node: NodeId, target: usize) -> Option<usize> {
    let names = &document.mesh(document.node(node).mesh?).target_names;
    let own = Stem::of(names.get(target)?);
    let Some(side) = own.side else { return Some(target) };
    names.iter().position(|other| {
        let other = Stem::of(other);
        other.side == Some(side.other()) && other.words == own.words
    })
}

/// Fits a saved pose to a document, and returns the result. The document is not changed. `flip`
/// mirrors the pose.
pub fn fit(document: &Document, seen: &Pose, kept: &KeptPose, flip: bool) -> Fitted {
    let rests = Rests::of(document);
    let sought = |j: &KeptJoint| Sought {
        name: j.name.clone(),
        path: j.path.clone(),
        parent: j.parent,
        role: None,
        rest: j.rest,
    };
    let found = pairs(document, &kept.joints.iter().map(sought).collect::<Vec<_>>());
    let by_role = found.iter().flatten().filter(|(_, by)| *by == FoundBy::Role).count();
    let pairs: Vec<Option<NodeId>> = found.iter().map(|f| f.map(|(node, _)| node)).collect();
    let mut made = Fitted {
        by_role,
        unmatched: pairs.iter().filter(|p| p.is_none()).count(),
        ..Fitted::default()
    };
    let targets: HashMap<NodeId, usize> =
        pairs.iter().enumerate().filter_map(|(k, p)| Some(((*p)?, k))).collect();
    let their_axes = |j: &KeptJoint| j.frame * unit_or(j.rest.rotation, Quat::IDENTITY).conjugate();
    // Rotation of each joint from its rest in the scene, including the rotations of all saved
    // joints above it.
    let mut turns: Vec<Quat> = Vec::with_capacity(kept.joints.len());
    for joint in &kept.joints {
        let own = their_axes(joint)
            * unit_or(joint.local.rotation, Quat::IDENTITY)
            * joint.frame.conjugate();
        turns.push(joint.parent.map_or(Quat::IDENTITY, |p| turns[p]) * own);
    }
    let ratio = if kept.height > 0.0 { rests.height / kept.height } else { 1.0 };
    for (k, node) in pairs.iter().enumerate().filter_map(|(k, p)| Some((k, (*p)?))) {
        let joint = &kept.joints[k];
        let rest = document.node(node).rest.transform();
        let parent = document.node(node).parent;
        let same_parent = joint.parent.and_then(|p| pairs[p]) == parent
            || (joint.parent.is_none() && !above(document, node).any(|n| targets.contains_key(&n)));
        if same_parent
            && rest.is_close(
                &joint.rest,
                SAME,
                SAME * rest.translation.abs().max_element().max(1.0),
            )
        {
            made.locals.insert(node, joint.local);
            continue;
        }
        // The rotation is relative to the parent joint in this document, not in the source.
        let carrier = above(document, node).find_map(|n| targets.get(&n).copied());
        let turn = carrier.map_or(Quat::IDENTITY, |q| turns[q]).conjugate() * turns[k];
        let (axes, unit) = rests.above(document, node);
        // Nodes in between keep their displayed rotation.
        let mut between = Quat::IDENTITY;
        for n in above(document, node).take_while(|n| carrier.is_some() && !targets.contains_key(n))
        {
            let local = unit_or(seen.local[n.index()].transform().rotation, Quat::IDENTITY);
            between = rests.above(document, n).0
                * local
                * rests.rotations[n.index()].conjugate()
                * between;
        }
        let rotation =
            axes.conjugate() * between.conjugate() * turn * rests.rotations[node.index()];
        let way = their_axes(joint)
            * (joint.local.translation - joint.rest.translation)
            * joint.unit
            * ratio;
        let moved = way.length() > SAME * 10.0 * rests.height && unit > 0.0;
        let step = if moved { axes.conjugate() * way / unit } else { Vec3::ZERO };
        let factor = joint.local.scale / joint.rest.scale;
        let plain =
            factor.is_finite() && (factor - Vec3::splat(factor.x)).abs().max_element() < 1e-4;
        made.scales_left += usize::from(!plain);
        let scale =
            if plain && (factor.x - 1.0).abs() > 1e-5 { rest.scale * factor.x } else { rest.scale };
        let rotation = unit_or(rotation, rest.rotation);
        made.locals
            .insert(node, Transform { translation: rest.translation + step, rotation, scale });
    }
    made.morphs = morphs(document, seen, kept);
    if flip { flipped(document, made) } else { made }
}

fn morphs(document: &Document, seen: &Pose, kept: &KeptPose) -> BTreeMap<NodeId, Vec<f32>> {
    let mut made = BTreeMap::new();
    for node in document.node_ids() {
        let Some(now) = seen.morphs.get(node.index()).filter(|w| !w.is_empty()) else { continue };
        let label = document.node(node).label(node);
        // Use the saved morph targets of the node with the same name. Without such a node, use the
        // targets with the same names of any node.
        let own = kept.morphs.iter().find(|m| m.name == label);
        let lists: Vec<&KeptMorphs> = own.map_or_else(|| kept.morphs.iter().collect(), |m| vec![m]);
        let of = |name: &str| {
            lists.iter().flat_map(|m| &m.weights).find(|(n, _)| n == name).map(|(_, w)| *w)
        };
        let found: Vec<Option<f32>> =
            (0..now.len()).map(|k| of(&target_name(document, node, k))).collect();
        let numbered_only = own.is_none()
            && (0..now.len()).all(|k| target_name(document, node, k).starts_with('#'));
        if found.iter().any(Option::is_some) && !numbered_only {
            made.insert(node, found.iter().zip(now).map(|(to, w)| to.unwrap_or(*w)).collect());
        }
    }
    made
}

/// Mirrors a fitted pose.
fn flipped(document: &Document, made: Fitted) -> Fitted {
    let mirror = Mirror::of(document);
    let mut flipped = Fitted { locals: BTreeMap::new(), morphs: BTreeMap::new(), ..made };
    for (node, local) in &made.locals {
        match mirror.pose(document, *node, local) {
            Some(other) => {
                flipped.scales_left += usize::from(other.scale_left);
                flipped.locals.insert(other.node, other.local);
            }
            None => flipped.unmatched += 1,
        }
    }
    flipped.morphs = made
        .morphs
        .into_iter()
        .map(|(node, w)| (node, flipped_morphs(document, node, &w)))
        .collect();
    flipped
}

/// Swaps the weights of a node's morph targets between both sides.
pub fn flipped_morphs(document: &Document, node: NodeId, weights: &[f32]) -> Vec<f32> {
    let other = |k: usize| morph_partner(document, node, k).and_then(|p| weights.get(p)).copied();
    (0..weights.len()).map(|k| other(k).unwrap_or(weights[k])).collect()
}
