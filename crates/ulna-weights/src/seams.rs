//! Seams between meshes with different skins: coincident vertices with equal weights are changed
//! together.
//!
//! Within one skin, the surface already welds coincident vertices. A head and a body, however, are
//! often meshes with separate skins that share joints. A change on one side of the neck must then
//! also be applied to the other side, or a gap opens.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use glam::{Mat4, Vec3};

use super::{
    Influences, PartChange, Refusal, Refused, SkinnedSurface, WeightConstraints, ids::to_index,
    normalize::normalize,
};
use ulna_geometry::{PointGrid, PointId};
use ulna_model::{Document, MeshId, NodeId, PrimitiveId, Skin, SkinId, WeightMap, WeightPatch};

/// A vertex of a mesh with another skin that coincides with a point of the surface.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct CoincidentVertex {
    /// Point of the surface at the same position.
    point: PointId,
    skin: SkinId,
    mesh: MeshId,
    primitive: PrimitiveId,
    own: u32,
}

/// Vertices of other skins that were already changed along with coincident vertices, by mesh,
/// primitive and vertex.
pub type Claimed = BTreeSet<(MeshId, PrimitiveId, u32)>;

/// Vertices of other skins that coincide with points of a surface.
#[derive(Clone, Debug, Default)]
pub struct CrossSkinSeams {
    /// Coincident vertices, sorted by point of the surface.
    twins: Vec<CoincidentVertex>,
    /// For each other skin: the index in that skin of each joint of the surface's skin.
    joints: BTreeMap<SkinId, Vec<Option<u16>>>,
}

/// Returns the matrix between the mesh spaces of two skins, computed from the bind poses of common
/// joints. `pairs` are joint indices in both skins. `None` without common joints, or if the bind
/// poses differ.
pub fn mesh_from_mesh(to: &Skin, from: &Skin, pairs: &[(usize, usize)]) -> Option<Mat4> {
    let of = |(a, b): &(usize, usize)| {
        Some(to.inverse_bind.get(*a)?.inverse() * *from.inverse_bind.get(*b)?)
    };
    let all: Vec<Mat4> = pairs.iter().filter_map(of).filter(|m| m.is_finite()).collect();
    let first = *all.first()?;
    // Files often store only about five digits.
    let near = |m: &Mat4| {
        let size = first.to_cols_array().iter().fold(0.0f32, |s, v| s.max(v.abs()));
        m.abs_diff_eq(first, size.max(1e-6) * 1e-3)
    };
    // If the matrix differs from the identity only by rounding, the identity is used.
    let first = if first.abs_diff_eq(Mat4::IDENTITY, 1e-4) { Mat4::IDENTITY } else { first };
    all.iter().all(near).then_some(first)
}

impl CrossSkinSeams {
    /// Finds the vertices of other skins that coincide with points of a surface.
    pub fn of(document: &Document, canvas: &SkinnedSurface) -> Self {
        let mut found = Self::default();
        let numbers: HashMap<NodeId, usize> =
            canvas.joints().iter().enumerate().rev().map(|(k, node)| (*node, k)).collect();
        let mut search = None;
        for skin in document.skins.ids().filter(|s| *s != canvas.skin) {
            let joints = &document.skin(skin).joints;
            let pairs: Vec<(usize, usize)> = joints
                .iter()
                .enumerate()
                .filter_map(|(k, node)| Some((*numbers.get(node)?, k)))
                .collect();
            let Some(space) =
                mesh_from_mesh(document.skin(canvas.skin), document.skin(skin), &pairs)
            else {
                continue;
            };
            let Some(other) = SkinnedSurface::new(document, skin) else { continue };
            let search = search.get_or_insert_with(|| PointSearch::new(canvas.rest()));
            let before = found.twins.len();
            for part in other.parts() {
                // A mesh with both skins has only one set of weights, so no gap can open.
                if canvas
                    .parts()
                    .iter()
                    .any(|p| (p.mesh, p.primitive) == (part.mesh, part.primitive))
                {
                    continue;
                }
                let positions =
                    &document.mesh(part.mesh).primitives[part.primitive.index()].positions;
                let (mesh, primitive) = (part.mesh, part.primitive);
                found.twins.extend((0..).zip(positions.iter()).filter_map(|(own, p)| {
                    let point = search.at(space.transform_point3(*p))?;
                    Some(CoincidentVertex { point, skin, mesh, primitive, own })
                }));
            }
            if found.twins.len() > before {
                let mut theirs = vec![None; canvas.joints().len()];
                pairs.iter().rev().for_each(|(a, b)| theirs[*a] = u16::try_from(*b).ok());
                found.joints.insert(skin, theirs);
            }
        }
        found.twins.sort_unstable();
        found
    }

    /// Whether there are no coincident vertices in other skins.
    pub const fn is_empty(&self) -> bool {
        self.twins.is_empty()
    }

    fn at_point(&self, point: PointId) -> &[CoincidentVertex] {
        let first = self.twins.partition_point(|t| t.point < point);
        let count = self.twins[first..].iter().take_while(|t| t.point == point).count();
        // A large cluster of vertices at one position is not a seam.
        &self.twins[first..first + count.min(Self::MOST)]
    }

    /// Maximum number of coincident vertices to change per point.
    const MOST: usize = 256;

    /// Returns changes of coincident vertices that give them the same weights as the changed
    /// vertices. `changes` are relative to the current document, by part.
    ///
    /// A coincident vertex cannot follow if its skin lacks a joint, or has weight layers. With
    /// `hold`, the changed vertex is then reverted. Without `hold`, the weights of the two vertices
    /// differ. Vertices in `claimed` already follow others, and are ignored. Newly changed vertices
    /// are added to it.
    pub fn follow(
        &self,
        document: &Document,
        canvas: &SkinnedSurface,
        changes: &mut [(usize, PartChange)],
        hold: bool,
        claimed: &mut Claimed,
    ) -> (Vec<(MeshId, PrimitiveId, WeightPatch)>, Refused) {
        let mut patches: BTreeMap<(MeshId, PrimitiveId), WeightPatch> = BTreeMap::new();
        let mut refused = Refused::new();
        if self.is_empty() {
            return (Vec::new(), refused);
        }
        let now = canvas.maps(document);
        let follower = Follower { document, joints: &self.joints };
        for (part, change) in changes {
            let (point, before) = (canvas.parts()[*part], now.part(*part));
            let vertices: Vec<(usize, u32)> = match change {
                PartChange::Patch(patch) => patch.vertices.iter().copied().enumerate().collect(),
                // Changing the number of sets or the stored type does not change weights.
                PartChange::Whole(map)
                    if map.sets != before.sets || map.encoding != before.encoding =>
                {
                    continue;
                }
                PartChange::Whole(map) => (0..map.vertex_count()).zip(0..).collect(),
            };
            let stride = before.stride();
            let mut stays = Vec::new();
            for (at, own) in vertices {
                let twins = self.at_point(canvas.point_of(point.first + own));
                if twins.is_empty() || claimed.contains(&(point.mesh, point.primitive, own)) {
                    continue;
                }
                let slots = at * stride..(at + 1) * stride;
                let (joints, weights) = match change {
                    PartChange::Patch(patch) => {
                        (&patch.joints[slots.clone()], &patch.weights[slots])
                    }
                    PartChange::Whole(map) => (&map.joints[slots.clone()], &map.weights[slots]),
                };
                let were = Influences::of(before, to_index(own));
                let mut become_ = Influences::default();
                let held = joints.iter().zip(weights).filter(|(_, w)| **w > 0.0);
                held.for_each(|(j, w)| become_.add(*j, *w));
                if were == become_ {
                    continue;
                }
                let alike: Vec<&CoincidentVertex> =
                    twins.iter().filter(|t| follower.was_alike(t, &were, before)).collect();
                let list: Vec<_> = alike
                    .iter()
                    .filter_map(|t| Some((*t, follower.list_for(t, &become_)?)))
                    .collect();
                if hold && list.len() < alike.len() {
                    *refused.entry(Refusal::OtherSkin).or_default() += 1;
                    stays.push(own);
                    continue;
                }
                for (twin, (joints, weights)) in list {
                    if claimed.insert((twin.mesh, twin.primitive, twin.own)) {
                        let key = (twin.mesh, twin.primitive);
                        let patch = patches
                            .entry(key)
                            .or_insert_with(|| WeightPatch::new(joints.len() / 4, 1));
                        patch.vertices.push(twin.own);
                        patch.joints.extend(joints);
                        patch.weights.extend(weights);
                    }
                }
            }
            if !stays.is_empty() {
                keep_as_they_are(change, before, &stays);
            }
        }
        (
            patches
                .into_iter()
                .map(|((mesh, primitive), patch)| (mesh, primitive, patch))
                .collect(),
            refused,
        )
    }
}

/// Removes some vertices from a change, so that they keep their weights.
fn keep_as_they_are(change: &mut PartChange, before: &WeightMap, stays: &[u32]) {
    let stays: BTreeSet<u32> = stays.iter().copied().collect();
    match change {
        PartChange::Patch(patch) => {
            let mut kept = WeightPatch::new(patch.sets, patch.vertices.len());
            let slots = patch
                .joints
                .chunks_exact(before.stride())
                .zip(patch.weights.chunks_exact(before.stride()));
            for (v, (joints, weights)) in
                patch.vertices.iter().zip(slots).filter(|(v, _)| !stays.contains(v))
            {
                kept.vertices.push(*v);
                kept.joints.extend_from_slice(joints);
                kept.weights.extend_from_slice(weights);
            }
            kept.not_numbers =
                patch.not_numbers.iter().copied().filter(|v| !stays.contains(v)).collect();
            *patch = kept;
        }
        PartChange::Whole(map) => {
            map.swap(&mut before.pick(&stays.into_iter().collect::<Vec<u32>>()))
        }
    }
}

/// Data for changing single coincident vertices.
struct Follower<'a> {
    document: &'a Document,
    joints: &'a BTreeMap<SkinId, Vec<Option<u16>>>,
}

impl Follower<'_> {
    fn map(&self, twin: &CoincidentVertex) -> Option<&WeightMap> {
        self.document.mesh(twin.mesh).primitives[twin.primitive.index()].weights.as_deref()
    }

    /// Converts influences to the joint indices of another skin; `None` if that skin lacks a joint.
    fn turned(&self, skin: SkinId, list: &Influences) -> Option<Influences> {
        let numbers = self.joints.get(&skin)?;
        let mut turned = Influences::default();
        for (j, w) in list.iter() {
            turned.add((*numbers.get(usize::from(j))?)?, w);
        }
        Some(turned)
    }

    /// Whether a coincident vertex had the same weights before the change, within the precision of
    /// the stored types.
    fn was_alike(&self, twin: &CoincidentVertex, were: &Influences, of: &WeightMap) -> bool {
        let Some(wanted) = self.turned(twin.skin, were) else { return false };
        let Some(map) = self.map(twin) else { return false };
        let has = Influences::of(map, to_index(twin.own));
        let room = of.encoding.step().max(map.encoding.step()) * 1.5 + 1e-4;
        let near =
            |a: &Influences, b: &Influences| a.iter().all(|(j, w)| (w - b.get(j)).abs() <= room);
        !has.is_empty() && near(&has, &wanted) && near(&wanted, &has)
    }

    /// Returns the slots of a coincident vertex in its stored type; `None` if it cannot store them.
    fn list_for(&self, twin: &CoincidentVertex, list: &Influences) -> Option<(Vec<u16>, Vec<f32>)> {
        // One tool or stroke can change the layers of only one skin.
        if self.document.layered(twin.mesh, twin.primitive).is_some() {
            return None;
        }
        let mut turned = self.turned(twin.skin, list)?;
        let joint_count = self.document.skin(twin.skin).joints.len();
        let map = self.map(twin)?;
        let unlocked = vec![false; joint_count];
        let rule = WeightConstraints {
            locked: &unlocked,
            parents: &[],
            limit: map.stride(),
            encoding: map.encoding,
            pairs: &[],
            turned: false,
        };
        if turned.len() > map.stride() {
            return None;
        }
        normalize(&mut turned, &rule).ok()?;
        let (mut joints, mut weights) = (vec![0; map.stride()], vec![0.0; map.stride()]);
        turned.write(&mut joints, &mut weights);
        Some((joints, weights))
    }
}

/// Search structure that finds the point of a surface at a position.
struct PointSearch<'a> {
    points: &'a [Vec3],
    /// Maximum distance between positions that differ only by rounding.
    near: f32,
    low: Vec3,
    high: Vec3,
    grid: PointGrid,
}

impl<'a> PointSearch<'a> {
    /// Maximum number of points per cell that are compared.
    const MOST: usize = 64;

    fn new(points: &'a [Vec3]) -> Self {
        let finite = points.iter().filter(|p| p.is_finite());
        let (low, high) =
            finite.fold((Vec3::INFINITY, Vec3::NEG_INFINITY), |(l, h), p| (l.min(*p), h.max(*p)));
        let size = if low.is_finite() { (high - low).length() } else { 0.0 };
        let near = (size * 1e-5).max(1e-9);
        let grid = PointGrid::new(points, near * 8.0, 0.0, Self::MOST);
        Self { points, near, low: low - near, high: high + near, grid }
    }

    /// Returns the point nearest to a position, if the distance is within rounding.
    fn at(&self, position: Vec3) -> Option<PointId> {
        if !(position.cmpge(self.low).all() && position.cmple(self.high).all()) {
            return None;
        }
        let mut best: Option<(f32, usize)> = None;
        self.grid.visit_near(self.points, position, self.near, |point| {
            let away = self.points[point].distance(position);
            if away <= self.near && best.is_none_or(|b| (away, point) < b) {
                best = Some((away, point));
            }
        });
        best.map(|(_, point)| point.into())
    }
}
