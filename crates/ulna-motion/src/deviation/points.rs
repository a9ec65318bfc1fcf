//! Vertices that both documents have, and the distances between their positions in two poses.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    ops::Range,
};

use glam::{Mat4, Vec3, Vec4};

use super::frames::{Frames, reach};
use crate::{
    Pose, SeenVertex,
    seen::{SeenPoints, Source},
};
use ulna_model::{Document, MeshId, NodeId, PrimitiveId, Shared, Skin, Slice, WeightMap};

/// A primitive that both documents show with the same number of vertices.
pub(super) struct MatchedPrimitive<'a> {
    pub mesh: MeshId,
    /// The primitive before and after the change.
    pub sources: [Source<'a>; 2],
}

/// A joint weight of a vertex, with the indices of its matrices.
#[derive(Clone, Copy)]
struct Influence {
    /// Index into the bindings of this document.
    binding: u32,
    /// Index into the matrix pairs; unused if weights or positions differ.
    pair: u32,
    weight: f32,
}

/// The data of a vertex in one of the documents.
struct PointShape {
    position: Vec3,
    influences: Range<usize>,
    morphs: Range<usize>,
}

/// A vertex that both documents have.
struct Point {
    vertex: u32,
    /// Whether weights, rest position and morph targets are equal, so that
    /// `p' − p = Σ w·(T' − T)·p`.
    alike: bool,
    /// The vertex before and after the change.
    shapes: [PointShape; 2],
}

struct PointGroup {
    mesh: MeshId,
    primitive: PrimitiveId,
    /// Nodes of the mesh, before and after the change.
    nodes: [NodeId; 2],
    points: Vec<Point>,
}

/// A pair of matrices, one per document, that have the same weight in some points.
struct MatrixPair {
    bindings: [u32; 2],
    /// Lowest corner of the bounding box of the pair's points, in mesh space. `high` is the highest
    /// corner.
    low: Vec3,
    high: Vec3,
    /// Largest sum of the lengths of a point's morph deltas, over the pair's points.
    morph: f32,
}

/// Index of a point: its group, and the point in it.
pub(super) type PointIndex = (u32, u32);

/// Vertices of both documents, prepared for measurements at many times.
pub(super) struct PointSet {
    groups: Vec<PointGroup>,
    /// Node and `node_from_mesh` of every matrix `T = W·IBM`, before and after the change.
    bindings: [Vec<(NodeId, Mat4)>; 2],
    pairs: Vec<MatrixPair>,
    influences: Vec<Influence>,
    morphs: Vec<(u32, Vec3)>,
    count: usize,
    /// Whether weights or rest positions of any vertex differ.
    pub skin_differs: bool,
    /// Whether every vertex is a point.
    pub complete: bool,
}

/// Reusable memory for [`PointSet::distances`].
#[derive(Default)]
pub(super) struct Matrices {
    all: [Vec<Mat4>; 2],
    differences: Vec<Mat4>,
    active: Vec<bool>,
}

/// Matches the primitives that both documents show. Also returns the number of primitives without a
/// match.
///
/// If a mesh was moved to another node, its primitives are matched there.
pub(super) fn matched_primitives<'a>(
    before: &'a Document,
    after: &'a Document,
    frames: &Frames,
) -> (Vec<MatchedPrimitive<'a>>, usize) {
    let shown: Vec<NodeId> = after.shown_nodes();
    let is_shown: BTreeSet<NodeId> = shown.iter().copied().collect();
    let mesh_in = |document: &Document, id: NodeId| document.nodes.get(id).and_then(|n| n.mesh);
    // Nodes that now have a mesh, each used once.
    let mut moved: BTreeMap<MeshId, Vec<NodeId>> = BTreeMap::new();
    for id in shown.iter().rev().copied() {
        if let Some(mesh) = mesh_in(after, id)
            && mesh_in(before, id) != Some(mesh)
        {
            moved.entry(mesh).or_default().push(id);
        }
    }
    let (mut matched, mut unmatched) = (Vec::new(), 0);
    for node in before.shown_nodes() {
        let Some(mesh) = mesh_in(before, node) else { continue };
        let holds = |id: &NodeId| is_shown.contains(id) && mesh_in(after, *id) == Some(mesh);
        let own = frames.after(node).filter(holds);
        let taken = own.or_else(|| moved.get_mut(&mesh)?.pop());
        let other = || frames.after(node).filter(|id| is_shown.contains(id));
        let to = taken.or_else(other);
        let instance = Source::farthest_instance(before, node);
        for (primitive, _) in before.mesh(mesh).entries() {
            let first = Source::new(before, node, primitive, instance);
            let second = to.and_then(|to| Source::new(after, to, primitive, instance));
            match first.zip(second) {
                Some((a, b)) if a.of.positions.len() == b.of.positions.len() => {
                    matched.push(MatchedPrimitive { mesh, sources: [a, b] });
                }
                _ => unmatched += 1,
            }
        }
    }
    (matched, unmatched)
}

impl MatchedPrimitive<'_> {
    /// Finds the vertices whose weights or rest positions differ.
    fn differing(&self, frames: &Frames) -> Vec<u32> {
        let [a, b] = &self.sources;
        let count = u32::try_from(a.of.positions.len()).unwrap_or(u32::MAX);
        let (Some(first), Some(second)) = (a.skinned, b.skinned) else {
            // All vertices of a rigid mesh move together, so none has to be added.
            return Vec::new();
        };
        let same_places = Slice::ptr_eq(&a.of.positions, &b.of.positions);
        let slots = SlotMap::new(first.0, second.0, frames);
        if same_places && slots.is_identity && same_weights(first.1, second.1) {
            return Vec::new();
        }
        let position = |v: usize| !same_places && a.of.positions[v] != b.of.positions[v];
        let differs = |v: &u32| {
            let v = *v as usize;
            position(v) || !slots.same(first.1, second.1, v)
        };
        (0..count).filter(differs).collect()
    }

    /// Skinning matrices of one document by slot: `T = W·IBM`. A rigid mesh has one matrix.
    pub fn palette(&self, side: usize, pose: &Pose) -> Vec<Mat4> {
        let source = &self.sources[side];
        let Some((skin, _)) = source.skinned else {
            return vec![pose.world[source.node.index()] * source.instance];
        };
        let bind = |slot: usize| skin.inverse_bind.get(slot).copied().unwrap_or_default();
        let joints = skin.joints.iter().enumerate();
        joints.map(|(slot, joint)| pose.world[joint.index()] * bind(slot)).collect()
    }

    /// Scene position of a vertex in the pose of one document, meters. `side` is 0 for the document
    /// before the change, and 1 for the one after it.
    pub fn placed(&self, side: usize, palette: &[Mat4], morphs: &[f32], vertex: usize) -> Vec3 {
        let source = &self.sources[side];
        let mut p = source.of.positions[vertex];
        for (target, amount) in source.of.targets.iter().zip(morphs).filter(|(_, a)| **a != 0.0) {
            p += target.positions.get(vertex).map_or(Vec3::ZERO, |way| *way * *amount);
        }
        let Some((_, weights)) = source.skinned else { return palette[0].transform_point3(p) };
        let influences = weights.vertex(vertex).filter(|(_, w)| *w != 0.0);
        let moved = influences
            .filter_map(|(slot, w)| Some(palette.get(usize::from(slot))?.transform_point3(p) * w));
        moved.sum()
    }

    /// Number of vertices.
    pub fn len(&self) -> usize {
        self.sources[0].of.positions.len()
    }
}

/// Whether two primitives have the same weights for the same slots.
fn same_weights(a: &WeightMap, b: &WeightMap) -> bool {
    std::ptr::eq(a, b) || (a.sets == b.sets && a.joints == b.joints && a.weights == b.weights)
}

/// Corresponding slots of two skins.
struct SlotMap {
    /// Nodes after the change that correspond to the joint slots before it.
    expected: Vec<Option<NodeId>>,
    joints: Vec<NodeId>,
    is_identity: bool,
}

impl SlotMap {
    fn new(before: &Skin, after: &Skin, frames: &Frames) -> Self {
        let expected: Vec<_> = before.joints.iter().map(|j| frames.after(*j)).collect();
        let joints: Vec<NodeId> = after.joints.iter().copied().collect();
        let is_identity = expected.len() == joints.len()
            && expected.iter().zip(&joints).all(|(a, b)| *a == Some(*b));
        Self { expected, joints, is_identity }
    }

    /// Whether a vertex has the same weights for corresponding joints.
    fn same(&self, before: &WeightMap, after: &WeightMap, vertex: usize) -> bool {
        let sum = |node: NodeId| {
            let of = |(slot, w): (u16, f32)| {
                (self.joints.get(usize::from(slot)) == Some(&node)).then_some(w)
            };
            after.vertex(vertex).filter_map(of).fold(0.0, |sum, w| sum + w)
        };
        let mut left = after.vertex(vertex).filter(|(_, w)| *w != 0.0).count();
        for (slot, weight) in before.vertex(vertex).filter(|(_, w)| *w != 0.0) {
            let node = self.expected.get(usize::from(slot)).copied().flatten();
            if node.is_none_or(|node| sum(node) != weight) || left == 0 {
                return false;
            }
            left -= 1;
        }
        left == 0
    }
}

/// Keeps every nth vertex of a list, so that at most `most` remain.
fn thinned(mut list: Vec<SeenVertex>, most: usize) -> Vec<SeenVertex> {
    let step = list.len().div_ceil(most.max(1)).max(1);
    let mut k = 0;
    list.retain(|_| {
        k += 1;
        (k - 1) % step == 0
    });
    list
}

impl PointSet {
    /// Chooses about `most` vertices of matched primitives: those of [`SeenPoints`], those whose
    /// skin differs, and the given ones.
    pub fn new(
        document: &Document,
        rest: &Pose,
        matched: &[MatchedPrimitive<'_>],
        frames: &Frames,
        (given, most): (&[SeenVertex], usize),
    ) -> Self {
        let by_key: HashMap<(NodeId, PrimitiveId), usize> = matched
            .iter()
            .enumerate()
            .map(|(k, m)| ((m.sources[0].node, m.sources[0].primitive), k))
            .collect();
        let differing: Vec<SeenVertex> = matched
            .iter()
            .flat_map(|m| {
                let (node, primitive) = (m.sources[0].node, m.sources[0].primitive);
                let named = move |vertex| SeenVertex { node, primitive, vertex };
                m.differing(frames).into_iter().map(named)
            })
            .collect();
        let skin_differs = !differing.is_empty();
        let mut chosen = SeenPoints::vertices(document, rest, most);
        chosen.extend(thinned(differing, most));
        chosen.extend(given);
        chosen.sort_unstable();
        chosen.dedup();
        let mut builder = Builder::default();
        for list in chosen.chunk_by(|a, b| (a.node, a.primitive) == (b.node, b.primitive)) {
            if let Some(k) = by_key.get(&(list[0].node, list[0].primitive)) {
                builder.add(&matched[*k], list, frames);
            }
        }
        let mut set = builder.set;
        set.skin_differs = skin_differs;
        set.complete = set.count == matched.iter().map(MatchedPrimitive::len).sum::<usize>();
        set
    }

    /// Number of points.
    pub const fn len(&self) -> usize {
        self.count
    }

    /// The mesh, and the vertex of a point in the document before the change.
    pub fn vertex(&self, (group, point): PointIndex) -> (MeshId, SeenVertex) {
        let group = &self.groups[group as usize];
        let vertex = group.points[point as usize].vertex;
        let (node, primitive) = (group.nodes[0], group.primitive);
        (group.mesh, SeenVertex { node, primitive, vertex })
    }

    /// Largest coordinate of the joints in both poses, meters.
    fn reach(&self, poses: [&Pose; 2]) -> f32 {
        let of = |k: usize| reach(self.bindings[k].iter().map(|(n, _)| &poses[k].world[n.index()]));
        of(0).max(of(1))
    }

    /// Calls `each` with every point that moved by more than float noise, and its distance in
    /// meters, finite or not. `noise` is relative to `size`, or to the largest coordinate.
    pub fn distances(
        &self,
        poses: [&Pose; 2],
        (noise, size): (f32, f32),
        matrices: &mut Matrices,
        mut each: impl FnMut(PointIndex, f32),
    ) {
        let noise = noise * size.max(self.reach(poses));
        for (k, pose) in poses.into_iter().enumerate() {
            let matrix = |(node, bind): &(NodeId, Mat4)| pose.world[node.index()] * *bind;
            matrices.all[k].clear();
            matrices.all[k].extend(self.bindings[k].iter().map(matrix));
        }
        matrices.differences.clear();
        matrices.active.clear();
        for pair in &self.pairs {
            let [a, b] = [0, 1].map(|k| matrices.all[k][pair.bindings[k] as usize]);
            let difference = if a == b { Mat4::ZERO } else { b - a };
            matrices.differences.push(difference);
            // The negated comparison also activates matrices that are not finite.
            matrices.active.push(!(a == b || pair.bound(&difference) <= noise));
        }
        let any = matrices.active.contains(&true);
        for (g, group) in (0..).zip(&self.groups) {
            let amounts = [0, 1].map(|k| amounts(poses[k], group.nodes[k]));
            let same_morphs = amounts[0] == amounts[1];
            for (p, point) in (0..).zip(&group.points) {
                let distance = if point.alike && same_morphs {
                    if !any {
                        continue;
                    }
                    self.difference(&point.shapes[0], amounts[0], matrices)
                } else {
                    let [a, b] =
                        [0, 1].map(|k| self.at(&point.shapes[k], amounts[k], &matrices.all[k]));
                    a.distance(b)
                };
                if distance > noise || distance.is_nan() {
                    each((g, p), distance);
                }
            }
        }
    }

    /// Distance between both positions of a vertex with equal weights: `|Σ w·(T' − T)·p|`.
    fn difference(&self, shape: &PointShape, amounts: &[f32], matrices: &Matrices) -> f32 {
        let influences = &self.influences[shape.influences.clone()];
        if influences.iter().all(|i| !matrices.active[i.pair as usize]) {
            return 0.0;
        }
        let p = self.morphed(shape, amounts);
        let moved = |i: &Influence| weighted(&matrices.differences[i.pair as usize], p, i.weight);
        influences.iter().map(moved).sum::<Vec4>().truncate().length()
    }

    fn at(&self, shape: &PointShape, amounts: &[f32], matrices: &[Mat4]) -> Vec3 {
        let p = self.morphed(shape, amounts);
        let influences = &self.influences[shape.influences.clone()];
        let moved = |i: &Influence| weighted(&matrices[i.binding as usize], p, i.weight);
        influences.iter().map(moved).sum::<Vec4>().truncate()
    }

    fn morphed(&self, shape: &PointShape, amounts: &[f32]) -> Vec3 {
        let deltas = &self.morphs[shape.morphs.clone()];
        let amount = |k: u32| amounts.get(k as usize).copied().unwrap_or(0.0);
        deltas.iter().fold(shape.position, |p, (k, delta)| p + *delta * amount(*k))
    }
}

/// Computes `w·M·p` in four SIMD lanes.
#[inline]
fn weighted(m: &Mat4, p: Vec3, weight: f32) -> Vec4 {
    (m.x_axis * p.x + m.y_axis * p.y + m.z_axis * p.z + m.w_axis) * weight
}

/// Weights of the morph targets of a node's mesh in a pose.
pub(super) fn amounts(pose: &Pose, node: NodeId) -> &[f32] {
    pose.morphs.get(node.index()).map_or(&[], Vec::as_slice)
}

impl MatrixPair {
    /// Upper bound of the distance by which a difference of matrices moves the pair's points.
    fn bound(&self, difference: &Mat4) -> f32 {
        let center = (self.low + self.high) * 0.5;
        let radius = (self.high - self.low).length() * 0.5 + self.morph;
        let axes = [difference.x_axis, difference.y_axis, difference.z_axis];
        let norm = axes.iter().map(|axis| axis.length_squared()).sum::<f32>().sqrt();
        difference.transform_point3(center).length() + norm * radius
    }
}

impl Default for PointSet {
    fn default() -> Self {
        Self {
            groups: Vec::new(),
            bindings: [Vec::new(), Vec::new()],
            pairs: Vec::new(),
            influences: Vec::new(),
            morphs: Vec::new(),
            count: 0,
            skin_differs: false,
            complete: true,
        }
    }
}

/// A [`PointSet`] under construction, with the indices of its matrices.
#[derive(Default)]
struct Builder {
    set: PointSet,
    bindings: [HashMap<(NodeId, [u32; 16]), u32>; 2],
    pairs: HashMap<[u32; 2], u32>,
}

impl Builder {
    fn add(&mut self, matched: &MatchedPrimitive<'_>, list: &[SeenVertex], frames: &Frames) {
        let [a, b] = &matched.sources;
        let same_targets = Shared::ptr_eq(&a.of.targets, &b.of.targets);
        let mut points = Vec::with_capacity(list.len());
        for seen in list {
            let vertex = seen.vertex as usize;
            if vertex >= matched.len() {
                continue;
            }
            let expected = |node: NodeId| frames.after(node).unwrap_or(node);
            let mut parts = [a.parts(vertex), b.parts(vertex)];
            // Slots with the same weights may have another order.
            parts[0].sort_by_key(|(node, ..)| expected(*node));
            parts[1].sort_by_key(|(node, ..)| *node);
            let same = |(a, b): (&(NodeId, f32, Mat4), &(NodeId, f32, Mat4))| {
                frames.after(a.0) == Some(b.0) && a.1 == b.1
            };
            let [first, second] = &parts;
            let bound = first.len() == second.len() && first.iter().zip(second).all(same);
            let morphs = [a, b].map(|source| deltas(source, vertex));
            let position = [a, b].map(|source| source.of.positions[vertex]);
            let alike =
                bound && position[0] == position[1] && (same_targets || morphs[0] == morphs[1]);
            let reach = morphs[0].iter().map(|(_, delta)| delta.length()).sum::<f32>();
            let bindings = [0, 1].map(|k| {
                let of = |(node, _, bind): &(NodeId, f32, Mat4)| self.binding(k, *node, bind);
                parts[k].iter().map(of).collect::<Vec<u32>>()
            });
            let pairs: Vec<u32> = if alike {
                let pair = |(a, b): (&u32, &u32)| self.pair([*a, *b], position[0], reach);
                bindings[0].iter().zip(&bindings[1]).map(pair).collect()
            } else {
                Vec::new()
            };
            let shapes = [0, 1].map(|k| {
                let start = self.set.influences.len();
                let influences = parts[k].iter().enumerate().map(|(i, (_, weight, _))| Influence {
                    binding: bindings[k][i],
                    pair: pairs.get(i).copied().unwrap_or(u32::MAX),
                    weight: *weight,
                });
                self.set.influences.extend(influences);
                let first = self.set.morphs.len();
                self.set.morphs.extend(&morphs[k]);
                PointShape {
                    position: position[k],
                    influences: start..self.set.influences.len(),
                    morphs: first..self.set.morphs.len(),
                }
            });
            points.push(Point { vertex: seen.vertex, alike, shapes });
        }
        self.set.count += points.len();
        self.set.groups.push(PointGroup {
            mesh: matched.mesh,
            primitive: a.primitive,
            nodes: [a.node, b.node],
            points,
        });
    }

    fn binding(&mut self, side: usize, node: NodeId, bind: &Mat4) -> u32 {
        let bits = bind.to_cols_array().map(f32::to_bits);
        let list = &mut self.set.bindings[side];
        *self.bindings[side].entry((node, bits)).or_insert_with(|| {
            list.push((node, *bind));
            (list.len() - 1) as u32
        })
    }

    /// Finds or adds the matrix pair of two bindings, and extends its bounds by a point.
    fn pair(&mut self, bindings: [u32; 2], at: Vec3, morph: f32) -> u32 {
        let pairs = &mut self.set.pairs;
        let index = *self.pairs.entry(bindings).or_insert_with(|| {
            pairs.push(MatrixPair { bindings, low: at, high: at, morph });
            (pairs.len() - 1) as u32
        });
        let pair = &mut pairs[index as usize];
        (pair.low, pair.high) = (pair.low.min(at), pair.high.max(at));
        pair.morph = pair.morph.max(morph);
        index
    }
}

/// Finds the morph targets that move a vertex. Returns their indices and deltas in mesh space.
fn deltas(source: &Source<'_>, vertex: usize) -> Vec<(u32, Vec3)> {
    (0..)
        .zip(source.of.targets.iter())
        .filter_map(|(k, target)| Some((k, *target.positions.get(vertex)?)))
        .filter(|(_, delta)| *delta != Vec3::ZERO)
        .collect()
}
