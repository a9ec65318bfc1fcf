//! Grouping of nodes into bodies, each with one mirror plane. A file may contain several
//! characters.

use glam::{DMat4, Vec3};

use super::reference::turning;
use crate::mirror_pairs::{Joints, Plane, Role};
use ulna_model::{Document, NodeId, Property};

/// Nodes with a common mirror plane.
#[derive(Clone, Debug)]
pub(super) struct Body {
    /// Reflection in the scene that best swaps the mirror pairs in the rest pose.
    pub own: DMat4,
    /// Reflection in the scene for mirror images. It differs from `own` if the plane of `own` is
    /// not perpendicular to an axis of the scene or of the body's parent. Such a body leans in the
    /// rest pose, but its mirror images must stay upright.
    pub scene: DMat4,
    /// The plane of the reflection `own`.
    pub plane: Plane,
    /// Diagonal of the bounding box of the body's nodes in the rest pose, meters.
    pub size: f32,
    /// Nodes of the body.
    pub nodes: Vec<NodeId>,
    /// Mirror role of each node, in the order of `nodes`.
    pub roles: Vec<Role>,
}

/// Returns one flag per node: whether it carries motion. These are joints, nodes moved by clips and
/// posed nodes. All nodes carry motion if no skin has joints.
pub(in super::super) fn carriers(document: &Document) -> Vec<bool> {
    if document.skins.values().all(|s| s.joints.is_empty()) {
        return vec![true; document.nodes.len()];
    }
    let mut flags = document.joint_flags();
    let moved = document.clips.values().flat_map(|c| c.tracks.targets().all());
    for (node, _) in moved.filter(|(_, property)| *property != Property::Weights) {
        flags[node.index()] = true;
    }
    for (id, _) in document.nodes.iter().filter(|(_, n)| n.pose.is_some()) {
        flags[id.index()] = true;
    }
    flags
}

/// Returns one flag per node: whether it carries motion, or is above or below such a node.
fn related(document: &Document, carriers: &[bool]) -> Vec<bool> {
    let order = document.nodes.order();
    let mut flags = carriers.to_vec();
    for node in order.iter() {
        flags[node.index()] |= document.node(*node).parent.is_some_and(|p| flags[p.index()]);
    }
    for node in order.iter().rev().filter(|n| carriers[n.index()]) {
        let mut at = document.node(*node).parent;
        while let Some(above) = at.filter(|a| !flags[a.index()]) {
            flags[above.index()] = true;
            at = document.node(above).parent;
        }
    }
    flags
}

/// Finds the nodes of each body: the descendants of the highest node that carries motion, or of the
/// lowest common ancestor of a pair.
fn members(
    document: &Document,
    carriers: &[bool],
    all: &[NodeId],
    joints: &Joints,
) -> Vec<Vec<NodeId>> {
    let related = related(document, carriers);
    let mut tops = carriers.to_vec();
    let mut is_one = false;
    let mut join = |a: usize, b: usize| {
        // If one node is above the other, it is their common ancestor. Its parent may carry another
        // body.
        let above = [(a, b), (b, a)]
            .into_iter()
            .find(|(a, b)| document.is_above(all[*a], all[*b]))
            .map(|(a, _)| a);
        match above.or_else(|| joints.common(a, b).last().copied()) {
            Some(top) => tops[all[top].index()] = true,
            None => is_one = true,
        }
    };
    for (l, r) in joints.named_pairs() {
        if related[all[l].index()] && related[all[r].index()] {
            join(l, r);
        }
    }
    let mut place = vec![None; document.nodes.len()];
    for (k, node) in all.iter().enumerate() {
        place[node.index()] = Some(k);
    }
    for skin in document.skins.values() {
        let mut slots = skin.joints.iter().filter_map(|j| place[j.index()]);
        if let Some(first) = slots.next() {
            slots
                .filter(|k| *k != first && !document.is_above(all[first], all[*k]))
                .for_each(|k| join(first, k));
        }
    }
    if is_one {
        // A pair has no common ancestor, so all nodes form one body.
        return vec![all.iter().copied().filter(|n| related[n.index()]).collect()];
    }
    let mut bodies: Vec<Vec<NodeId>> = Vec::new();
    let mut of: Vec<Option<usize>> = vec![None; document.nodes.len()];
    for node in all {
        let above = document.node(*node).parent.and_then(|p| of[p.index()]);
        let own = above.or_else(|| {
            tops[node.index()].then(|| {
                bodies.push(Vec::new());
                bodies.len() - 1
            })
        });
        of[node.index()] = own;
        if let Some(body) = own {
            bodies[body].push(*node);
        }
    }
    bodies
}

/// Finds the bodies of a document by the reference frames of its nodes.
pub(super) fn bodies(document: &Document, carriers: &[bool], frames: &[DMat4]) -> Vec<Body> {
    let all: Vec<NodeId> = document.nodes.order().to_vec();
    let place = |n: &NodeId| frames[n.index()].w_axis.truncate().as_vec3();
    let joints = Joints::among(document, &all, all.iter().map(place).collect());
    members(document, carriers, &all, &joints)
        .into_iter()
        .map(|nodes| body(document, frames, nodes))
        .collect()
}

fn body(document: &Document, frames: &[DMat4], nodes: Vec<NodeId>) -> Body {
    let places: Vec<Vec3> =
        nodes.iter().map(|n| frames[n.index()].w_axis.truncate().as_vec3()).collect();
    let joints = Joints::among(document, &nodes, places);
    let named = joints.named_pairs();
    let mut normals = vec![Vec3::X, Vec3::Y, Vec3::Z];
    // The axes of the body's parent, which may be rotated.
    let above = nodes.first().and_then(|n| document.node(*n).parent).map(|p| frames[p.index()]);
    if let Some(axes) = above.and_then(|a| turning(&a)) {
        let is_new = |n: &Vec3| n.abs().max_element() < 0.99999;
        normals.extend(
            [axes.x_axis, axes.y_axis, axes.z_axis].map(|a| a.as_vec3()).into_iter().filter(is_new),
        );
    }
    let fitted = normals.len();
    normals.extend(joints.across(&named));
    let plane = joints.plane(&named, &normals);
    let leans = normals[..fitted].iter().all(|n| *n != plane.normal);
    let (mut partner, by_name) = joints.partners(&named, &plane);
    // Common ancestors of both joints of a pair are in the center.
    for (a, b) in partner
        .clone()
        .into_iter()
        .enumerate()
        .filter_map(|(a, b)| Some((a, b.filter(|b| a < *b)?)))
    {
        for above in joints.common(a, b) {
            partner[above].get_or_insert(above);
        }
    }
    let left_is_high = joints.left_is_high(&plane);
    let names = by_name.iter().any(|b| *b);
    let roles = (0..nodes.len())
        .map(|j| joints.role(j, partner[j], by_name[j], names, &plane, left_is_high));
    let mut given =
        crate::MirrorPairs::from_parts(roles.collect(), &joints.positions, plane, left_is_high);
    given.take_given(document, &nodes);
    let scene = if leans { upright(&plane, &joints) } else { plane };
    Body {
        own: plane.reflection(),
        scene: scene.reflection(),
        plane,
        size: joints.size,
        roles: given.joints().to_vec(),
        nodes,
    }
}

/// Returns the plane for mirror images of a body whose own plane was fitted to its pairs. If the
/// body is upright, it is the same plane. Otherwise, the plane is perpendicular to the nearest
/// axis.
fn upright(plane: &Plane, joints: &Joints) -> Plane {
    /// Maximum sine of a lean caused by rounding.
    const UPRIGHT: f32 = 0.02;
    if plane.normal.y.abs() < UPRIGHT {
        return *plane;
    }
    let finite: Vec<Vec3> = joints.positions.iter().copied().filter(|p| p.is_finite()).collect();
    let middle = finite.iter().sum::<Vec3>() / finite.len().max(1) as f32;
    let on = middle - plane.normal * plane.above(middle);
    let mut normal = Vec3::ZERO;
    normal[plane.axis()] = 1.0;
    Plane { normal, offset: normal.dot(on) }
}
