//! One character's surface posed onto the rest pose of another, so that the nearest points of the
//! two surfaces are of the same part of the body.
//!
//! Each joint of the source that has a counterpart gets a matrix in scene space, and its surface
//! follows by linear blend skinning:
//!
//! ```text
//!  X_j = translate(h_p) · R · S · translate(−h_j)   p' = Σ w · (W_p·IBM_p)⁻¹ · X_j · W_j·IBM_j · p
//! ```
//!
//! `h` are the heads of a joint `j` and of its counterpart `p` at rest, `W` their rest transforms
//! in the scene. `S` is the ratio of sizes, along a limb's bone that of the two bones. `R` turns
//! `j` from its rest to that of `p`: where the axes of both skeletons are alike, it is
//! `rot(W_p)·rot(W_j)⁻¹`; elsewhere it takes the directions to the next joints onto those of the
//! counterpart, with as little twist as possible against the joint above.

use std::collections::HashMap;

use glam::{DMat3, DMat4, DQuat, DVec3, Mat4, Vec3, Vec4};
use rayon::prelude::*;

use super::ids::{to_f64, to_single};
use ulna_geometry::orthogonal_factor;
use ulna_model::{Document, NodeId, Primitive, SkinId};

/// Rest transforms in the scene, by node.
fn rest_worlds(document: &Document) -> Vec<DMat4> {
    let mut worlds = vec![DMat4::IDENTITY; document.nodes.len()];
    for node in document.nodes.order() {
        let own = document.node(*node);
        let above = own.parent.map_or(DMat4::IDENTITY, |p| worlds[p.index()]);
        worlds[node.index()] = above * own.rest.transform().matrix().as_dmat4();
    }
    worlds
}

/// The length in scene meters of one unit of a skin's mesh space at rest; 1 where its joints do not
/// tell.
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

/// A joint of the source with its counterpart.
struct Bone {
    from: NodeId,
    to: NodeId,
    /// The joint above that has a counterpart, as an index of an earlier bone.
    parent: Option<usize>,
    /// Where both start, scene space.
    heads: [DVec3; 2],
    /// From the heads to those of the joints below that hang on both alike.
    ways: Vec<[DVec3; 2]>,
}

/// A source posed onto the rest pose of a target.
pub struct Overlay<'a> {
    theirs: &'a Document,
    ours: &'a Document,
    worlds: [Vec<DMat4>; 2],
    /// By node of the source: its matrix in scene space, and the counterpart that it comes from.
    moved: Vec<(DMat4, Option<NodeId>)>,
    matched: Vec<NodeId>,
}

impl<'a> Overlay<'a> {
    /// The source `theirs` over the target `ours`, by joints with their counterparts. Nothing where
    /// these make no bone of both.
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

    /// The source as it stands in its own scene at rest.
    pub fn standing(theirs: &'a Document, ours: &'a Document) -> Self {
        let worlds = [rest_worlds(theirs), rest_worlds(ours)];
        let moved = vec![(DMat4::IDENTITY, None); theirs.nodes.len()];
        Self { theirs, ours, worlds, moved, matched: Vec::new() }
    }

    /// The joints of the source that have a counterpart.
    pub fn matched(&self) -> &[NodeId] {
        &self.matched
    }

    /// The vertices of a primitive of the source, in the mesh space of a skin of the target.
    /// Nothing where the skins cannot tell.
    pub fn positions(&self, primitive: &Primitive, from: SkinId, to: SkinId) -> Option<Vec<Vec3>> {
        let (theirs, ours) = (self.theirs.skin(from), self.ours.skin(to));
        let back = |node: NodeId| {
            let k = ours.joints.iter().position(|j| *j == node)?;
            let scene_from_mesh =
                self.worlds[1][node.index()] * ours.inverse_bind.get(k)?.as_dmat4();
            Some(scene_from_mesh.inverse()).filter(DMat4::is_finite)
        };
        // A counterpart that is no joint of that skin: as its other joints are.
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

/// The positions of a primitive by a palette, whatever its weights sum to.
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

/// The joints with their counterparts, those above first.
fn bones(
    theirs: &Document,
    ours: &Document,
    pairs: &[(NodeId, NodeId)],
    worlds: &[Vec<DMat4>; 2],
) -> Vec<Bone> {
    /// A bone of less than this part of the skeleton has no direction.
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

/// Lengths of the target in one of the source, by all bones. Nothing where there is no bone.
fn ratio(bones: &[Bone]) -> Option<f64> {
    let (mut both, mut own) = (0.0, 0.0);
    for [there, here] in bones.iter().flat_map(|b| &b.ways) {
        both += there.length() * here.length();
        own += there.length_squared();
    }
    Some(both / own).filter(|r| r.is_finite() && *r > 0.0)
}

/// The turn that takes the joints of the source as a whole best onto those of the target. Nothing
/// where they lie at one point.
fn whole_turn(bones: &[Bone]) -> Option<DQuat> {
    let count = to_f64(bones.len());
    let mean = |side: usize| bones.iter().map(|b| b.heads[side]).sum::<DVec3>() / count;
    let means = [mean(0), mean(1)];
    let ways: Vec<[DVec3; 2]> =
        bones.iter().map(|b| [b.heads[0] - means[0], b.heads[1] - means[1]]).collect();
    let fit = |turn: DQuat| ways.iter().map(|[a, b]| (turn * *a).dot(*b)).sum::<f64>();
    // From the turn by right angles that fits best, or none that is much better than none.
    let start = right_angles().max_by(|a, b| fit(*a).total_cmp(&fit(*b)))?;
    let start = if fit(start) > fit(DQuat::IDENTITY) * 1.1 { start } else { DQuat::IDENTITY };
    let size = ways.iter().map(|[a, b]| a.length() * b.length()).sum::<f64>();
    (size > 0.0 && size.is_finite()).then(|| fitted(&ways, start))
}

/// All turns by right angles.
fn right_angles() -> impl Iterator<Item = DQuat> {
    let axes = [DVec3::X, DVec3::Y, DVec3::Z, DVec3::NEG_X, DVec3::NEG_Y, DVec3::NEG_Z];
    axes.into_iter().flat_map(move |x| {
        axes.into_iter()
            .filter(move |y| x.dot(*y) == 0.0)
            .map(move |y| DQuat::from_mat3(&DMat3::from_cols(x, y, x.cross(y))))
    })
}

/// The turn that takes the first of each pair best onto the second, weighed by their lengths, as
/// near as can be to where it starts: Müller and others, *A Robust Method to Extract the Rotational
/// Part of Deformations* (2016).
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

/// The least turn from one direction to another.
fn arc(from: DVec3, to: DVec3) -> DQuat {
    match (from.try_normalize(), to.try_normalize()) {
        (Some(from), Some(to)) => DQuat::from_rotation_arc(from, to),
        _ => DQuat::IDENTITY,
    }
}

/// How each bone of the source is turned to lie as its counterpart rests, scene space.
fn turns(bones: &[Bone], worlds: &[Vec<DMat4>; 2], whole: DQuat) -> Vec<DQuat> {
    /// Radians: more is another axis, not another rest pose of a joint.
    const ALIKE: f64 = 0.45;
    /// Joints that must agree for two skeletons to have the same axes, of 1.
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
    /// Its matrix in scene space, by how it is turned and the ratio of both sizes.
    fn matrix(&self, turn: &DMat3, ratio: f64) -> DMat4 {
        /// Bodies differ in their proportions by less; more is a joint that sits elsewhere.
        const MOST: f64 = 2.0;
        let kept = |scale: f64| if (scale - 1.0).abs() < 1e-4 { 1.0 } else { scale };
        let across = kept(ratio);
        let mut shape = DMat3::from_diagonal(DVec3::splat(across));
        // A limb is stretched along its bone, so that the next joint comes to lie on its
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
