//! The symmetric reference pose of a skeleton. Poses are mirrored relative to it.
//!
//! The reference is the rest pose, except for the top joints of a skin. The rest of a top joint is
//! the transform of its node in the file. Often, this is the first frame of a clip and rotated. The
//! inverse bind matrices store the joint's pose at binding. If both poses differ by a rotation that
//! does not map axes to axes, the top joint is moved to the bind pose. All joints below move with
//! it.

use std::collections::{HashMap, HashSet};

use glam::{DMat3, DMat4, DQuat, DVec3};

use ulna_geometry::orthogonal_factor;
use ulna_model::{Document, NodeId, Skin, SkinId};

/// Maximum rotation that counts as a rounding error, radians.
const NOISE: f64 = 2e-3;
/// Maximum distance that counts as a rounding error, relative to the size of the skeleton.
const NEAR: f64 = 1e-3;

/// Orthogonal factor of a matrix, negated if the matrix is mirrored.
pub(super) fn turning(matrix: &DMat4) -> Option<DMat3> {
    let factor = orthogonal_factor(matrix)?;
    Some(if factor.determinant() < 0.0 { factor * -1.0 } else { factor })
}

/// Computes `scene_from_node` of all nodes in the reference pose.
pub(super) fn frames(document: &Document) -> Vec<DMat4> {
    let mut frames = rests(document);
    let top_joints = top_joints(document);
    if top_joints.is_empty() {
        return frames;
    }
    let mut stands: Vec<(SkinId, Option<Stand>)> = Vec::new();
    for (id, skin) in document.skins.iter().filter(|(_, s)| s.has_inverse_bind) {
        stands.push((id, Stand::of(document, skin, &frames)));
    }
    let plain = frames.clone();
    for node in document.nodes.order() {
        let above = document.node(*node).parent.map(|p| (frames[p.index()], plain[p.index()]));
        if let Some((now, _)) = above.filter(|(now, was)| now != was) {
            frames[node.index()] = now * document.node(*node).rest.matrix().as_dmat4();
        }
        let Some((skin, bind)) =
            top_joints.iter().find(|(n, _, _)| n == node).map(|(_, s, b)| (*s, *b))
        else {
            continue;
        };
        if let Some((_, Some(stand))) = stands.iter().find(|(id, _)| *id == skin)
            && let Some(frame) = stand.corrected(&frames[node.index()], &bind)
        {
            frames[node.index()] = frame;
        }
    }
    frames
}

/// Computes `scene_from_node` of all nodes in the rest pose.
fn rests(document: &Document) -> Vec<DMat4> {
    let mut frames = vec![DMat4::IDENTITY; document.nodes.len()];
    for node in document.nodes.order() {
        let above = document.node(*node).parent.map_or(DMat4::IDENTITY, |p| frames[p.index()]);
        frames[node.index()] = above * document.node(*node).rest.matrix().as_dmat4();
    }
    frames
}

/// Finds the joints that are at the top of every skin that contains them. Their rest pose is the
/// transform of their node in the file. Returns each with the first of these skins, and its
/// `mesh_from_joint` in that skin.
fn top_joints(document: &Document) -> Vec<(NodeId, SkinId, DMat4)> {
    let mut top_joints: Vec<(NodeId, SkinId, DMat4)> = Vec::new();
    let mut below: Vec<bool> = vec![false; document.nodes.len()];
    for (id, skin) in document.skins.iter().filter(|(_, s)| s.has_inverse_bind) {
        let mut inside = vec![false; document.nodes.len()];
        for joint in skin.joints.iter() {
            inside[joint.index()] = true;
        }
        // Nodes are visited in tree order, so that ancestors come first.
        let mut under = vec![false; document.nodes.len()];
        for node in document.nodes.order() {
            let parent = document.node(*node).parent;
            under[node.index()] = parent.is_some_and(|p| under[p.index()] || inside[p.index()]);
            below[node.index()] |= inside[node.index()] && under[node.index()];
        }
        for (slot, joint) in skin.joints.iter().enumerate().filter(|(_, j)| !under[j.index()]) {
            let bind = skin
                .inverse_bind
                .get(slot)
                .map(|m| m.as_dmat4().inverse())
                .filter(DMat4::is_finite);
            if let Some(bind) = bind.filter(|_| top_joints.iter().all(|(n, _, _)| n != joint)) {
                top_joints.push((*joint, id, bind));
            }
        }
    }
    top_joints.retain(|(n, _, _)| !below[n.index()]);
    top_joints
}

/// The space in which a skin was bound.
struct Stand {
    scene_from_mesh: DMat4,
    /// Size of the skeleton in the scene, meters.
    size: f64,
}

impl Stand {
    fn of(document: &Document, skin: &Skin, rests: &[DMat4]) -> Option<Self> {
        let slots = || skin.joints.iter().enumerate();
        let bind = |slot: usize| {
            skin.inverse_bind.get(slot).map(|m| m.as_dmat4().inverse()).filter(DMat4::is_finite)
        };
        // The top joint with the most descendants represents all top joints.
        let inside: HashSet<NodeId> = skin.joints.iter().copied().collect();
        let mut counts: HashMap<NodeId, usize> = HashMap::new();
        for (_, joint) in slots() {
            let line = std::iter::successors(Some(*joint), |n| document.node(*n).parent);
            if let Some(top) = line.filter(|n| inside.contains(n)).last() {
                *counts.entry(top).or_default() += 1;
            }
        }
        let (slot, top) = slots()
            .filter(|(slot, j)| bind(*slot).is_some() && counts.contains_key(j))
            .max_by_key(|(slot, j)| (counts[j], usize::MAX - slot))
            .map(|(slot, j)| (slot, *j))?;
        let bind_of_top = bind(slot)?;
        let actual = rests[top.index()] * skin.inverse_bind[slot].as_dmat4();
        let turn = turning(&actual)?;
        let above = document.node(top).parent.map_or(DMat4::IDENTITY, |p| rests[p.index()]);
        let unit = actual.determinant().abs().cbrt();
        let places =
            slots().filter_map(|(slot, _)| Some((bind(slot)?.w_axis.truncate() * unit).as_vec3()));
        let size = f64::from(crate::mirror_pairs::diagonal(places));
        let mut best = (f64::INFINITY, DMat3::IDENTITY, None);
        for space in [DMat4::IDENTITY, above] {
            let Some(axes) = turning(&space) else { continue };
            for by in axis_turns() {
                let apart = angle(&(turn.transpose() * axes * by));
                if apart < best.0 - 1e-9 {
                    best = (apart, axes * by, (by == DMat3::IDENTITY).then_some(space));
                }
            }
        }
        let (apart, to, space) = best;
        if apart < NOISE {
            return Some(Self { scene_from_mesh: actual, size });
        }
        let linear = to * turn.transpose() * DMat3::from_mat4(actual);
        let place = bind_of_top.w_axis.truncate();
        let was = rests[top.index()].w_axis.truncate();
        // The skin was bound in the space of the scene or of the armature itself, unless the
        // origins differ.
        let is_same = |space: &DMat4| {
            let ratio = unit / space.determinant().abs().cbrt();
            (ratio - 1.0).abs() < 0.01 && space.transform_point3(place).distance(was) < size * 0.5
        };
        let translation =
            space.filter(is_same).map_or(was - linear * place, |s| s.w_axis.truncate());
        let scene_from_mesh = DMat4::from_mat3(linear) + translation_part(translation);
        scene_from_mesh.is_finite().then_some(Self { scene_from_mesh, size })
    }

    /// The bind pose of a top joint; `None` if it equals the current one.
    fn corrected(&self, frame: &DMat4, bind: &DMat4) -> Option<DMat4> {
        let bound = self.scene_from_mesh * *bind;
        let (is, was) = (turning(&bound)?, turning(frame)?);
        let moved = bound.w_axis.truncate().distance(frame.w_axis.truncate());
        let differs = angle(&(is.transpose() * was)) >= NOISE || moved > NEAR * self.size;
        (differs && bound.is_finite()).then_some(bound)
    }
}

fn translation_part(by: DVec3) -> DMat4 {
    let zero = glam::DVec4::ZERO;
    DMat4::from_cols(zero, zero, zero, by.extend(0.0))
}

fn angle(turn: &DMat3) -> f64 {
    let q = DQuat::from_mat3(turn);
    2.0 * q.xyz().length().atan2(q.w.abs())
}

/// Iterates over all rotations that map axes to axes; the identity is first.
fn axis_turns() -> impl Iterator<Item = DMat3> {
    let axes = [DVec3::X, DVec3::Y, DVec3::Z, DVec3::NEG_X, DVec3::NEG_Y, DVec3::NEG_Z];
    axes.into_iter().flat_map(move |x| {
        axes.into_iter()
            .filter(move |y| x.dot(*y) == 0.0)
            .map(move |y| DMat3::from_cols(x, y, x.cross(y)))
    })
}
