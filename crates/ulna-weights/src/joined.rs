//! Several skins of one body as one surface, for mirroring from a mesh of one skin to a mesh of
//! another.
//!
//! The left and right arms of a body are often separate meshes with separate skins. Each skin has
//! only one side, but together they have both.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use glam::{Mat4, Quat, Vec2, Vec3};

use super::{
    MirrorMap, PartChange, Refused, Scope, SkinnedSurface, WorkingWeights, layers::Sides,
    seams::mesh_from_mesh,
};
use ulna_model::{Document, JointSlot, NodeId, SkinId, WeightMap};
use ulna_motion::{Mirror, MirrorPairs, Side};

/// A joint index that no skin uses. Surfaces are joined only if all joint indices are below it.
const PAST_ALL: u16 = u16::MAX;

/// Groups the skins with surfaces by body. Skins belong to one body if they share a joint, if their
/// joints are mirror joints, or if their joint positions mirror each other. Each skin is in exactly
/// one group.
pub fn bodies(document: &Document) -> Vec<Vec<SkinId>> {
    let painted: BTreeSet<SkinId> =
        document.skins.ids().filter(|s| SkinnedSurface::new(document, *s).is_some()).collect();
    if painted.len() < 2 {
        return painted.into_iter().map(|s| vec![s]).collect();
    }
    let mirror = Mirror::of(document);
    let mut of_joint: HashMap<NodeId, usize> = HashMap::new();
    let mut lists: Vec<Vec<SkinId>> = Vec::new();
    for skin in painted {
        let joints = &document.skin(skin).joints;
        let reached = joints.iter().flat_map(|j| [Some(*j), mirror.partner(*j)]).flatten();
        let met: BTreeSet<usize> = reached.filter_map(|j| of_joint.get(&j).copied()).collect();
        let mut list = vec![skin];
        met.iter().for_each(|k| list.append(&mut lists[*k]));
        list.sort_unstable();
        for joint in list.iter().flat_map(|s| document.skin(*s).joints.iter()) {
            of_joint.insert(*joint, lists.len());
        }
        lists.push(list);
    }
    lists.retain(|l| !l.is_empty());
    join_by_place(document, &mirror, &mut lists);
    lists.sort();
    lists
}

/// Merges groups of skins without mirror joints if their joints are mirror images of each other,
/// joint by joint.
fn join_by_place(document: &Document, mirror: &Mirror, lists: &mut Vec<Vec<SkinId>>) {
    /// Maximum number of groups that are compared. More groups are unrelated objects rather than
    /// two sides.
    const MOST: usize = 16;
    let joints = |list: &[SkinId]| -> Vec<NodeId> {
        list.iter().flat_map(|s| document.skin(*s).joints.iter().copied()).collect()
    };
    let is_alone = |list: &Vec<SkinId>| {
        joints(list).iter().all(|j| mirror.partner(*j).is_none_or(|p| p == *j))
    };
    let mut open: Vec<Vec<SkinId>> = lists.iter().filter(|l| is_alone(l)).cloned().collect();
    if open.len() > MOST {
        return;
    }
    while let Some(list) = open.pop() {
        let are_sides = |other: &Vec<SkinId>| {
            if joints(other).len() != joints(&list).len() {
                return false;
            }
            let both = other
                .iter()
                .chain(&list)
                .filter_map(|s| SkinnedSurface::new(document, *s))
                .collect::<Vec<SkinnedSurface>>();
            JoinedSkins::of(document, mirror, &both)
                .is_some_and(|found| found.agreeing() == found.joints.nodes.len())
        };
        if let Some(at) = open.iter().position(are_sides) {
            let other = open.remove(at);
            lists.retain(|l| *l != list && *l != other);
            lists.push([other, list].concat());
        }
    }
}

/// Surfaces of several skins, combined into one surface.
#[derive(Debug)]
pub struct Joined {
    canvases: Vec<SkinnedSurface>,
    /// The combined surface, in a common space and with the joints of all skins.
    all: SkinnedSurface,
    /// Origin of each part of the combined surface: index of its surface, and part index there.
    origins: Vec<(usize, usize)>,
    /// For each surface, the index in the combined joint list of each of its joints.
    numbers: Vec<Vec<u16>>,
    roles: MirrorPairs,
    axis: usize,
    offset: f32,
    left_is_high: bool,
}

/// Result of mirroring between several skins.
#[derive(Debug, Default)]
pub struct JoinedMirror {
    /// Changed parts, by surface.
    pub changes: Vec<Vec<(usize, PartChange)>>,
    /// Number of unchanged vertices, by reason.
    pub refused: Refused,
    /// Number of vertices that stayed unchanged because their skin lacks a joint, by skin and
    /// joint.
    pub missing: BTreeMap<(SkinId, NodeId), usize>,
}

/// Placement of several skins in a common space, and mirror pairs of their joints.
struct JoinedSkins {
    /// Matrix from the mesh space of each surface to the common space.
    spaces: Vec<Mat4>,
    joints: Joints,
    roles: MirrorPairs,
}

impl JoinedSkins {
    fn of(document: &Document, mirror: &Mirror, canvases: &[SkinnedSurface]) -> Option<Self> {
        let tries = [false, true].map(|bound_as_one| {
            let spaces = spaces(document, mirror, canvases, bound_as_one)?;
            let joints = Joints::of(document, mirror, canvases, &spaces);
            let roles = joints.roles(document, mirror, &spaces);
            Some(Self { spaces, joints, roles })
        });
        // The placement in the scene is preferred, unless the bind poses match better.
        tries.into_iter().flatten().reduce(|a, b| if b.agreeing() > a.agreeing() { b } else { a })
    }

    fn agreeing(&self) -> usize {
        (0..self.joints.nodes.len()).filter(|j| self.roles.agrees(*j)).count()
    }

    /// Whether a skin is symmetric about a plane other than the common one.
    fn is_strange(&self, document: &Document, mirror: &Mirror, canvas: &SkinnedSurface) -> bool {
        let own = MirrorPairs::of(document, canvas.skin);
        let joints = canvas.joints();
        // Opposite fingers can look like mirror pairs, but they are on the same side of the body.
        let is_pair = |j: usize| {
            let other = own.joints()[j].partner.map(|p| joints[p]);
            own.agrees(j) && mirror.partner(joints[j]).is_none_or(|p| Some(p) == other)
        };
        let alone = (0..joints.len()).filter(|j| is_pair(*j)).count();
        let own_joints: BTreeSet<NodeId> = joints.iter().copied().collect();
        let all = self
            .joints
            .nodes
            .iter()
            .enumerate()
            .filter(|(k, n)| own_joints.contains(n) && self.roles.agrees(*k));
        alone > all.count()
    }
}

/// The joints of all skins, and their positions in the common space.
struct Joints {
    nodes: Vec<NodeId>,
    places: Vec<Vec3>,
}

impl Joined {
    /// Joins the surfaces of several skins. Returns `None` if the skins together do not have two
    /// sides, or are too large. A skin that is symmetric about another plane is left out, for
    /// example the skin of a second body.
    pub fn of(document: &Document, skins: &[SkinId]) -> Option<Self> {
        let mirror = Mirror::of(document);
        let mut canvases: Vec<SkinnedSurface> =
            skins.iter().filter_map(|s| SkinnedSurface::new(document, *s)).collect();
        loop {
            let found = JoinedSkins::of(document, &mirror, &canvases)?;
            let stranger = canvases.iter().position(|c| found.is_strange(document, &mirror, c));
            let Some(stranger) = stranger else { return Self::made(document, canvases, found) };
            canvases.remove(stranger);
        }
    }

    fn made(
        document: &Document,
        canvases: Vec<SkinnedSurface>,
        found: JoinedSkins,
    ) -> Option<Self> {
        let JoinedSkins { spaces, joints, roles } = found;
        if canvases.len() < 2 || !roles.has_pairs() || joints.nodes.len() >= usize::from(PAST_ALL) {
            return None;
        }
        let (turn, axis, sign) = along_axis(roles.normal());
        let heads = joints.places.iter().map(|p| turn.transform_point3(*p)).collect();
        let number: HashMap<NodeId, u16> = JointSlot::first(joints.nodes.len())
            .zip(&joints.nodes)
            .map(|(k, n)| (*n, k.0))
            .collect();
        let numbers =
            canvases.iter().map(|c| c.joints().iter().map(|j| number[j]).collect()).collect();
        let placed: Vec<(&SkinnedSurface, Mat4)> =
            canvases.iter().zip(&spaces).map(|(c, s)| (c, turn * *s)).collect();
        let (all, origins) =
            SkinnedSurface::of_several(document, &placed, joints.nodes.into(), heads)?;
        let (offset, left_is_high) = (roles.offset() * sign, roles.left_is_high() == (sign > 0.0));
        Some(Self { canvases, all, origins, numbers, roles, axis, offset, left_is_high })
    }

    /// Returns the surface of each skin.
    pub fn canvases(&self) -> &[SkinnedSurface] {
        &self.canvases
    }

    /// Returns the surface of each skin, by value.
    pub fn into_canvases(self) -> Vec<SkinnedSurface> {
        self.canvases
    }

    /// Returns the combined surface.
    pub const fn all(&self) -> &SkinnedSurface {
        &self.all
    }

    /// Finds the sides of the combined surface. Points are paired by texture coordinates if `uv_of`
    /// is given, else by position.
    pub fn sides(&self, uv_of: Option<&dyn Fn(u32) -> Option<Vec2>>) -> Sides {
        let Self { all, axis, offset, left_is_high, .. } = self;
        let joints = self.roles.mirror_joints();
        let pairs = match uv_of {
            Some(uv_of) => MirrorMap::by_uv(all, uv_of, *axis, *offset, joints),
            None => MirrorMap::near(all, *axis, *offset, joints),
        };
        Sides { axis: *axis, offset: *offset, left_is_high: *left_is_high, pairs }
    }

    /// Mirrors the weights of one side to the other. Vertex indices in `scope` refer to the
    /// combined surface.
    pub fn mirror(
        &self,
        document: &Document,
        sides: &Sides,
        from_left: bool,
        scope: &Scope<'_>,
    ) -> JoinedMirror {
        let before: Vec<WeightMap> =
            self.origins.iter().map(|at| self.renumbered(document, *at)).collect();
        let mut draft = WorkingWeights { canvas: &self.all, maps: before.clone() };
        let from_high = sides.left_is_high == from_left;
        let refused = draft.mirror(&sides.pairs, sides.axis, sides.offset, from_high, scope);
        let mut drafts: Vec<WorkingWeights<'_>> =
            self.canvases.iter().map(|c| WorkingWeights::new(document, c)).collect();
        let mut missing = BTreeMap::new();
        for (k, at) in self.origins.iter().enumerate() {
            self.put_back(
                (&before[k], &draft.maps[k]),
                *at,
                &mut drafts[at.0].maps[at.1],
                &mut missing,
            );
        }
        JoinedMirror {
            changes: drafts.into_iter().map(|d| d.changes(document)).collect(),
            refused,
            missing,
        }
    }

    /// Returns the weights of a part, with joint indices of the combined list.
    fn renumbered(&self, document: &Document, (canvas, part): (usize, usize)) -> WeightMap {
        let map = self.canvases[canvas].maps(document).part(part).clone();
        let numbers = &self.numbers[canvas];
        let number = |j: &u16| numbers.get(usize::from(*j)).copied().unwrap_or(PAST_ALL);
        WeightMap { joints: map.joints.iter().map(number).collect::<Vec<u16>>().into(), ..map }
    }

    /// Writes changed vertices back to the maps of their skins. A vertex stays unchanged if its
    /// skin lacks a joint that it needs.
    fn put_back(
        &self,
        (before, after): (&WeightMap, &WeightMap),
        (canvas, _): (usize, usize),
        to: &mut WeightMap,
        missing: &mut BTreeMap<(SkinId, NodeId), usize>,
    ) {
        let skin = self.canvases[canvas].skin;
        let mut slot_of: HashMap<u16, u16> = HashMap::new();
        let numbers = &self.numbers[canvas];
        for (slot, number) in JointSlot::first(numbers.len()).zip(numbers) {
            slot_of.entry(*number).or_insert(slot.0);
        }
        let stride = after.stride();
        let mut mended = Vec::new();
        for (v, vertex) in (0..after.vertex_count()).zip(0u32..) {
            let own = v * stride..(v + 1) * stride;
            let was_number = |map: &WeightMap| map.not_numbers.binary_search(&vertex).is_err();
            let is_same = before.joints[own.clone()] == after.joints[own.clone()]
                && before.weights[own.clone()] == after.weights[own.clone()]
                && was_number(before) == was_number(after);
            if is_same {
                continue;
            }
            let held: Vec<(u16, f32)> = after.vertex(v).filter(|(_, w)| *w > 0.0).collect();
            if let Some((joint, _)) = held.iter().find(|(j, _)| !slot_of.contains_key(j)) {
                *missing.entry((skin, self.all.joints()[usize::from(*joint)])).or_default() += 1;
                continue;
            }
            let mut slots: Vec<(u16, f32)> = held.iter().map(|(j, w)| (slot_of[j], *w)).collect();
            slots.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
            slots.resize(stride, (0, 0.0));
            let (joints, weights): (Vec<u16>, Vec<f32>) = slots.into_iter().unzip();
            to.joints.make_mut()[own.clone()].copy_from_slice(&joints);
            to.weights.make_mut()[own].copy_from_slice(&weights);
            mended.push(vertex);
        }
        if !to.not_numbers.is_empty() {
            let left = to.not_numbers.iter().copied().filter(|v| mended.binary_search(v).is_err());
            to.not_numbers = left.collect();
        }
    }
}

/// Returns a rotation that aligns a normal with a coordinate axis, the index of this axis, and the
/// sign of the direction along it.
fn along_axis(normal: Vec3) -> (Mat4, usize, f32) {
    for axis in 0..3 {
        if normal[axis].abs() > 0.999_999 {
            return (Mat4::IDENTITY, axis, normal[axis].signum());
        }
    }
    (Mat4::from_quat(Quat::from_rotation_arc(normal.normalize_or(Vec3::X), Vec3::X)), 0, 1.0)
}

impl Joints {
    fn of(
        document: &Document,
        mirror: &Mirror,
        canvases: &[SkinnedSurface],
        spaces: &[Mat4],
    ) -> Self {
        let (mut nodes, mut places, mut known) = (Vec::new(), Vec::new(), BTreeSet::new());
        let stand = |node: NodeId| mirror.stand(node).w_axis.truncate();
        let mut add = |node: NodeId, place: Vec3| {
            if known.insert(node) {
                nodes.push(node);
                places.push(place);
            }
        };
        for (canvas, space) in canvases.iter().zip(spaces) {
            let has_bind = document.skin(canvas.skin).has_inverse_bind;
            for (joint, head) in canvas.joints().iter().zip(canvas.heads()) {
                let place = if has_bind { space.transform_point3(*head) } else { stand(*joint) };
                add(*joint, place);
            }
        }
        // Mirror joints that no skin has are included, so that they can be reported.
        for joint in canvases.iter().flat_map(|c| c.joints()) {
            if let Some(partner) = mirror.partner(*joint) {
                add(partner, stand(partner));
            }
        }
        Self { nodes, places }
    }

    /// Finds the mirror pairs of the joints. Pairs for mirroring poses are adopted. Other pairs are
    /// found by names and positions.
    fn roles(&self, document: &Document, mirror: &Mirror, spaces: &[Mat4]) -> MirrorPairs {
        let number: HashMap<NodeId, usize> =
            self.nodes.iter().enumerate().map(|(k, n)| (*n, k)).collect();
        let pair = |(k, node): (usize, &NodeId)| {
            let other = mirror.partner(*node).and_then(|p| number.get(&p)).filter(|p| **p != k)?;
            (mirror.side(*node) == Some(Side::Left)).then_some((k, *other))
        };
        let known: Vec<(usize, usize)> = self.nodes.iter().enumerate().filter_map(pair).collect();
        let mut axes = vec![Vec3::X, Vec3::Y, Vec3::Z];
        let turned = spaces.iter().flat_map(|s| [s.x_axis, s.y_axis, s.z_axis]);
        for axis in turned.map(|a| a.truncate().normalize_or_zero()) {
            if axis != Vec3::ZERO && axes.iter().all(|a| a.dot(axis).abs() < 0.99999) {
                axes.push(axis);
            }
        }
        let mut roles =
            MirrorPairs::among(document, &self.nodes, self.places.clone(), &known, &axes);
        for (k, node) in self.nodes.iter().enumerate() {
            if roles.joints()[k].partner.is_none() && mirror.partner(*node) == Some(*node) {
                roles.set_partner(k, Some(k));
            }
        }
        roles
    }
}

/// Returns the matrices from the mesh space of each surface to a common space.
///
/// Surfaces that share joints with the same bind pose are aligned by these joints. Other surfaces
/// are placed by the scene positions of their joints. With `bound_as_one`, they instead share the
/// mesh space of the surface with the most joints.
fn spaces(
    document: &Document,
    mirror: &Mirror,
    canvases: &[SkinnedSurface],
    bound_as_one: bool,
) -> Option<Vec<Mat4>> {
    let mut order: Vec<usize> = (0..canvases.len()).collect();
    order.sort_by_key(|k| std::cmp::Reverse(canvases[*k].joints().len()));
    let mut spaces: Vec<Option<Mat4>> = vec![None; canvases.len()];
    let mut first = None;
    for root in order.iter().copied() {
        if spaces[root].is_some() {
            continue;
        }
        let space = match first {
            Some(space) if bound_as_one => space,
            _ => in_scene(document, mirror, &canvases[root])?,
        };
        first.get_or_insert(space);
        spaces[root] = Some(space);
        let mut front = vec![(root, space)];
        while let Some((from, space)) = front.pop() {
            for to in order.iter().copied() {
                if spaces[to].is_some() {
                    continue;
                }
                let (a, b) = (&canvases[from], &canvases[to]);
                let shared: Vec<(usize, usize)> = b
                    .joints()
                    .iter()
                    .enumerate()
                    .filter_map(|(k, j)| Some((usize::from(a.joint(*j)?), k)))
                    .collect();
                if let Some(between) =
                    mesh_from_mesh(document.skin(a.skin), document.skin(b.skin), &shared)
                {
                    spaces[to] = Some(space * between);
                    front.push((to, space * between));
                }
            }
        }
    }
    spaces.into_iter().collect()
}

/// Returns `scene_from_mesh` of a surface, computed from the root joint with the most descendants.
fn in_scene(document: &Document, mirror: &Mirror, canvas: &SkinnedSurface) -> Option<Mat4> {
    let skin = document.skin(canvas.skin);
    let parents = canvas.parents();
    let top_of = |joint: usize| {
        let mut at = joint;
        // At most one step per joint, in case the parents form a cycle.
        for _ in 0..parents.len() {
            let Some(above) = parents.get(at).copied().flatten() else { break };
            at = above.index();
        }
        at
    };
    let mut below: BTreeMap<usize, usize> = BTreeMap::new();
    (0..parents.len()).for_each(|j| *below.entry(top_of(j)).or_default() += 1);
    let mut tops: Vec<(usize, usize)> =
        below.into_iter().map(|(joint, count)| (count, joint)).collect();
    tops.sort_by_key(|(count, joint)| (std::cmp::Reverse(*count), *joint));
    let space = |(_, joint): (usize, usize)| {
        let found = mirror.stand(skin.joints[joint]) * *skin.inverse_bind.get(joint)?;
        (found.is_finite() && found.determinant() != 0.0).then_some(found)
    };
    let found = tops.into_iter().find_map(space)?;
    // If the matrix differs from the identity only by rounding, the identity is used.
    Some(if found.abs_diff_eq(Mat4::IDENTITY, 1e-6) { Mat4::IDENTITY } else { found })
}
