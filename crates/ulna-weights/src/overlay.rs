//! Poses one character's surface to match the rest pose of another. Nearest points of the two
//! surfaces then belong to the same part of the body.
//!
//! Each source joint with a counterpart gets a matrix `X_j` in scene space. The surface follows by
//! linear blend skinning:
//!
//! ```text
//!  X_j = translate(h_p) · R · S · translate(−h_j)   p' = Σ w · (W_p·IBM_p)⁻¹ · X_j · W_j·IBM_j · p
//! ```
//!
//! `h` are the rest positions of a joint `j` and its counterpart `p`, and `W` their rest transforms
//! in the scene. `S` is the ratio of the sizes of both characters. Along the bone of a limb, it is
//! the ratio of both bone lengths. `R` rotates `j` from its rest to the rest of `p`. If both
//! skeletons use the same axes, `R` is `rot(W_p)·rot(W_j)⁻¹`. Otherwise, it aligns the directions
//! to the next joints with those of the counterpart, with as little twist as possible relative to
//! the parent. `IBM` are the inverse bind matrices. In the sum, `p` is the position of a vertex,
//! and `w` are its weights.

use std::collections::HashMap;

use glam::{DMat3, DMat4, DQuat, DVec3, Mat4, Vec3, Vec4};
use rayon::prelude::*;

use super::ids::{to_f64, to_single};
use ulna_geometry::orthogonal_factor;
use ulna_model::{Document, NodeId, Primitive, SkinId};

/// Returns the rest transform of each node in the scene.
fn rest_worlds(document: &Document) -> Vec<DMat4> {
    let mut worlds = vec![DMat4::IDENTITY; document.nodes.len()];
    for node in document.nodes.order() {
        let own = document.node(*node);
        let above = own.parent.map_or(DMat4::IDENTITY, |p| worlds[p.index()]);
        worlds[node.index()] = above * own.rest.transform().matrix().as_dmat4();
    }
    worlds
}

/// Returns the number of scene meters per mesh-space unit of a skin at rest; 1 if the joints do not
/// determine it.
pub fn rest_scale(document: &Document, skin: SkinId) -> f32 {
    let worlds = rest_worlds(document);
    let skin = document.skin(skin);
    let scale = |(joint, inverse): (&NodeId, &Mat4)| {
        let size =
            to_single((worlds[joint.index()] * inverse.as_dmat4()).determinant().abs().cbrt());
        (size.is_finite() && size > 0.0).then_some(size)
    };
    skin.joints.iter().zip(skin.inverse_bind.iter()).find_map(scale).unwrap_or(1.0)
}

/// A source joint with a counterpart.
struct Bone {
    from: NodeId,
    to: NodeId,
    /// Index of the nearest ancestor bone. It comes earlier in the list.
    parent: Option<usize>,
    /// Scene positions of the joint and of its counterpart.
    heads: [DVec3; 2],
    /// Vectors to the next bones below, in the source and in the target. Bones are left out if
    /// their counterpart is not directly below this bone's counterpart.
    ways: Vec<[DVec3; 2]>,
}

/// A source character, posed to the rest pose of a target.
pub struct Overlay<'a> {
    theirs: &'a Document,
    ours: &'a Document,
    worlds: [Vec<DMat4>; 2],
    /// For each source node, its matrix in scene space and the counterpart that determines it.
    moved: Vec<(DMat4, Option<NodeId>)>,
    matched: Vec<NodeId>,
}

impl<'a> Overlay<'a> {
    /// Poses the source `theirs` to the target `ours`. `pairs` are source joints with their
    /// counterparts. Returns `None` if no pair forms a bone.
    pub fn new(
        theirs: &'a Document,
        ours: &'a Document,
        pairs: &[(NodeId, NodeId)],
    ) -> Option<Self> {
        let worlds = [rest_worlds(theirs), rest_worlds(ours)];
        let bones = bones(theirs, ours, pairs, &worlds);
        let (whole, ratio) = (whole_turn(&bones)?, ratio(&bones)?);
        let turns = turns(&bones, &worlds, whole);
        let matrices: Vec<DMat4> = bones
            .iter()
            .zip(&turns)
            .map(|(bone, turn)| bone.matrix(&DMat3::from_quat(*turn), ratio))
            .collect();
        let first = bones.first()?;
        let root = (first.matrix(&DMat3::from_quat(whole), ratio), Some(first.to));
        let place: HashMap<NodeId, usize> =
            bones.iter().enumerate().map(|(k, b)| (b.from, k)).collect();
        let mut moved = vec![root; theirs.nodes.len()];
        for node in theirs.nodes.order() {
            let above = theirs.node(*node).parent.map_or(root, |p| moved[p.index()]);
            moved[node.index()] =
                place.get(node).map_or(above, |k| (matrices[*k], Some(bones[*k].to)));
        }
        let is_sound = moved.iter().all(|(m, _)| m.is_finite());
        let matched = bones.iter().map(|b| b.from).collect();
        is_sound.then_some(Self { theirs, ours, worlds, moved, matched })
    }

    /// Places the source at its rest positions in its own scene.
    pub fn standing(theirs: &'a Document, ours: &'a Document) -> Self {
        let worlds = [rest_worlds(theirs), rest_worlds(ours)];
        let moved = vec![(DMat4::IDENTITY, None); theirs.nodes.len()];
        Self { theirs, ours, worlds, moved, matched: Vec::new() }
    }

    /// Returns the source joints with a counterpart.
    pub fn matched(&self) -> &[NodeId] {
        &self.matched
    }

    /// Returns the vertices of a source primitive, in the mesh space of a target skin. `None` if
    /// the skins do not determine them.
    pub fn positions(&self, primitive: &Primitive, from: SkinId, to: SkinId) -> Option<Vec<Vec3>> {
        let (theirs, ours) = (self.theirs.skin(from), self.ours.skin(to));
        let back = |node: NodeId| {
            let k = ours.joints.iter().position(|j| *j == node)?;
            let scene_from_mesh =
                self.worlds[1][node.index()] * ours.inverse_bind.get(k)?.as_dmat4();
            Some(scene_from_mesh.inverse()).filter(DMat4::is_finite)
        };
        // A counterpart outside the skin uses the matrix of one of the skin's joints.
        let usual = ours.joints.iter().find_map(|j| back(*j))?;
        let joints = theirs.joints.iter().filter_map(|j| self.moved[j.index()].1);
        let backs: HashMap<NodeId, DMat4> =
            joints.map(|to| (to, back(to).unwrap_or(usual))).collect();
        let palette: Vec<Mat4> = theirs
            .joints
            .iter()
            .zip(theirs.inverse_bind.iter())
            .map(|(joint, inverse)| {
                let (matrix, to) = &self.moved[joint.index()];
                let back = to.map_or(usual, |to| backs[&to]);
                (back * *matrix * self.worlds[0][joint.index()] * inverse.as_dmat4()).as_mat4()
            })
            .collect();
        palette.iter().all(Mat4::is_finite).then(|| skinned(primitive, &palette))
    }
}

/// Computes the skinned positions of a primitive. Its weights need not be normalized.
fn skinned(primitive: &Primitive, palette: &[Mat4]) -> Vec<Vec3> {
    let Some(map) = primitive.weights.as_deref() else { return primitive.positions.to_vec() };
    let place = |(vertex, position): (usize, &Vec3)| {
        let (mut sum, mut total) = (Vec4::ZERO, 0.0);
        for (joint, weight) in map.vertex(vertex).filter(|(_, w)| *w > 0.0) {
            if let Some(matrix) = palette.get(usize::from(joint)) {
                sum += (*matrix * position.extend(1.0)) * weight;
                total += weight;
            }
        }
        if total > 0.0 {
            sum.truncate() / total
        } else {
            palette.first().map_or(*position, |m| m.transform_point3(*position))
        }
    };
    primitive.positions.par_iter().enumerate().with_min_len(1024).map(place).collect()
}

/// Returns the joints with their counterparts, parents first.
fn bones(
    theirs: &Document,
    ours: &Document,
    pairs: &[(NodeId, NodeId)],
    worlds: &[Vec<DMat4>; 2],
) -> Vec<Bone> {
    /// Minimum length of a bone that defines a direction, relative to the longest bone.
    const LEAST: f64 = 1e-3;
    let to: HashMap<NodeId, NodeId> = pairs.iter().copied().collect();
    let here: HashMap<NodeId, NodeId> = pairs.iter().map(|(a, b)| (*b, *a)).collect();
    let mut place: HashMap<NodeId, usize> = HashMap::new();
    let mut bones: Vec<Bone> = Vec::with_capacity(pairs.len());
    let head = |worlds: &[DMat4], node: NodeId| worlds[node.index()].w_axis.truncate();
    for from in theirs.nodes.order().iter().copied() {
        let Some(to) = to.get(&from).copied().filter(|n| here.get(n) == Some(&from)) else {
            continue;
        };
        let heads = [head(&worlds[0], from), head(&worlds[1], to)];
        if !heads.iter().all(|h| h.is_finite()) {
            continue;
        }
        let above = |document: &'_ Document, node: NodeId, is_one: &dyn Fn(NodeId) -> bool| {
            std::iter::successors(document.node(node).parent, |n| document.node(*n).parent)
                .find(|n| is_one(*n))
        };
        let parent = above(theirs, from, &|n| place.contains_key(&n)).map(|n| place[&n]);
        let hung = above(ours, to, &|n| here.get(&n).is_some_and(|f| place.contains_key(f)));
        if let Some(parent) = parent.filter(|p| hung == Some(bones[*p].to)) {
            let way = [heads[0] - bones[parent].heads[0], heads[1] - bones[parent].heads[1]];
            bones[parent].ways.push(way);
        }
        place.insert(from, bones.len());
        bones.push(Bone { from, to, parent, heads, ways: Vec::new() });
    }
    let size = |side: usize| {
        bones.iter().flat_map(|b| &b.ways).map(|w| w[side].length()).fold(0.0, f64::max)
    };
    let least = [size(0) * LEAST, size(1) * LEAST];
    for bone in &mut bones {
        bone.ways.retain(|w| w[0].length() > least[0] && w[1].length() > least[1]);
    }
    bones
}

/// Returns the size of the target relative to the source, from all bones. `None` without bones.
fn ratio(bones: &[Bone]) -> Option<f64> {
    let (mut both, mut own) = (0.0, 0.0);
    for [there, here] in bones.iter().flat_map(|b| &b.ways) {
        both += there.length() * here.length();
        own += there.length_squared();
    }
    Some(both / own).filter(|r| r.is_finite() && *r > 0.0)
}

/// Returns the rotation that best aligns all source joints with the target joints. `None` if all of
/// them are at one point.
fn whole_turn(bones: &[Bone]) -> Option<DQuat> {
    let count = to_f64(bones.len());
    let mean = |side: usize| bones.iter().map(|b| b.heads[side]).sum::<DVec3>() / count;
    let means = [mean(0), mean(1)];
    let ways: Vec<[DVec3; 2]> =
        bones.iter().map(|b| [b.heads[0] - means[0], b.heads[1] - means[1]]).collect();
    let fit = |turn: DQuat| ways.iter().map(|[a, b]| (turn * *a).dot(*b)).sum::<f64>();
    // The search starts at the best rotation by right angles, if it is much better than the
    // identity.
    let start = right_angles().max_by(|a, b| fit(*a).total_cmp(&fit(*b)))?;
    let start = if fit(start) > fit(DQuat::IDENTITY) * 1.1 { start } else { DQuat::IDENTITY };
    let size = ways.iter().map(|[a, b]| a.length() * b.length()).sum::<f64>();
    (size > 0.0 && size.is_finite()).then(|| fitted(&ways, start))
}

/// Returns all rotations by right angles.
fn right_angles() -> impl Iterator<Item = DQuat> {
    let axes = [DVec3::X, DVec3::Y, DVec3::Z, DVec3::NEG_X, DVec3::NEG_Y, DVec3::NEG_Z];
    axes.into_iter().flat_map(move |x| {
        axes.into_iter()
            .filter(move |y| x.dot(*y) == 0.0)
            .map(move |y| DQuat::from_mat3(&DMat3::from_cols(x, y, x.cross(y))))
    })
}

/// Returns the rotation that best aligns the first vector of each pair with the second, weighted by
/// their lengths. The search starts at `start`. Source: Müller and others, *A Robust Method to
/// Extract the Rotational Part of Deformations* (2016).
fn fitted(ways: &[[DVec3; 2]], start: DQuat) -> DQuat {
    const STEPS: usize = 100;
    let mut turn = start;
    if let [[a, b]] = ways {
        return arc(turn * *a, *b) * turn;
    }
    for _ in 0..STEPS {
        let (mut axis, mut along) = (DVec3::ZERO, 0.0);
        for [a, b] in ways {
            let turned = turn * *a;
            axis += turned.cross(*b);
            along += turned.dot(*b);
        }
        let step = axis / (along.abs() + 1e-12 * axis.length().max(f64::MIN_POSITIVE));
        let angle = step.length();
        if !angle.is_finite() || angle < 1e-9 {
            break;
        }
        turn = (DQuat::from_axis_angle(step / angle, angle.min(1.0)) * turn).normalize();
    }
    turn
}

/// Returns the smallest rotation from one direction to another.
fn arc(from: DVec3, to: DVec3) -> DQuat {
    match (from.try_normalize(), to.try_normalize()) {
        (Some(from), Some(to)) => DQuat::from_rotation_arc(from, to),
        _ => DQuat::IDENTITY,
    }
}

/// Returns the rotation of each source bone to the rest of its counterpart, in scene space.
fn turns(bones: &[Bone], worlds: &[Vec<DMat4>; 2], whole: DQuat) -> Vec<DQuat> {
    /// Maximum angle in radians between two rotations of a bone for which its joint counts as
    /// having the same axes in both skeletons. One rotation aligns the axes, the other the bone
    /// directions.
    const ALIKE: f64 = 0.45;
    /// Minimum fraction of joints with the same axes for which all bones are rotated by their axes.
    const NEARLY_ALL: f64 = 0.9;
    let mut by_ways: Vec<DQuat> = Vec::with_capacity(bones.len());
    for bone in bones {
        let above = bone.parent.map_or(whole, |p| by_ways[p]);
        by_ways.push(if bone.ways.is_empty() { above } else { fitted(&bone.ways, above) });
    }
    let rotation = |worlds: &[DMat4], node: NodeId| {
        let factor = orthogonal_factor(&worlds[node.index()]).filter(|m| m.determinant() > 0.0)?;
        Some(DQuat::from_mat3(&factor))
    };
    let by_axes = bones
        .iter()
        .map(|b| Some(rotation(&worlds[1], b.to)? * rotation(&worlds[0], b.from)?.conjugate()));
    let Some(by_axes) = by_axes.collect::<Option<Vec<DQuat>>>() else { return by_ways };
    let told: Vec<usize> = (0..bones.len()).filter(|k| !bones[*k].ways.is_empty()).collect();
    let agree = told.iter().filter(|k| by_axes[**k].angle_between(by_ways[**k]) < ALIKE).count();
    if to_f64(agree) >= NEARLY_ALL * to_f64(told.len()) { by_axes } else { by_ways }
}

impl Bone {
    /// Returns the matrix of a bone in scene space, for a rotation and the ratio of both sizes.
    fn matrix(&self, turn: &DMat3, ratio: f64) -> DMat4 {
        /// Maximum ratio of a bone's proportions in both bodies. A larger ratio means that a joint
        /// is at a different part of the body.
        const MOST: f64 = 2.0;
        let kept = |scale: f64| if (scale - 1.0).abs() < 1e-4 { 1.0 } else { scale };
        let across = kept(ratio);
        let mut shape = DMat3::from_diagonal(DVec3::splat(across));
        // A limb is stretched along its bone, so that the next joint reaches the position of its
        // counterpart.
        if let [[there, here]] = &self.ways[..]
            && let Some(way) = there.try_normalize()
        {
            let along = kept((here.length() / there.length()).clamp(ratio / MOST, ratio * MOST));
            let outer = DMat3::from_cols(way * way.x, way * way.y, way * way.z);
            shape += outer * (along - across);
        }
        DMat4::from_translation(self.heads[1])
            * DMat4::from_mat3(*turn * shape)
            * DMat4::from_translation(-self.heads[0])
    }
}
