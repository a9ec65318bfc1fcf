//! Balance: the center of mass of a body and its support area.
//!
//! Files do not store masses. The skin approximates them. A patch of skin with the area `A`, at a
//! distance `r` from the bone that moves it, represents a wedge of the volume `A·r/2`. This works
//! for open meshes, too. Since skinning is linear, the center of mass follows from one moment per
//! joint:
//!
//! ```text
//!  Σ_v m_v Σ_j w_vj · T_j p_v  =  Σ_j T_j · (Σ_v m_v w_vj p_v, Σ_v m_v w_vj)
//! ```

use glam::{Mat4, Vec2, Vec3, Vec4};

use super::{Pose, Stack, ik};
use ulna_geometry::{convex_hull, depth_in};
use ulna_model::{Document, NodeId, SkinId, Topology};

/// `LOW` is the maximum height of a standing foot above the lowest point. `SOLE` is the thickness
/// of a sole. Both are relative to the body's height.
const LOW: f32 = 0.03;
const SOLE: f32 = 0.012;

/// Mass of one mesh, distributed over its joints.
#[derive(Clone, Debug)]
struct MeshMass {
    node: NodeId,
    /// Skin of the mesh; `None` if the mesh moves rigidly with its node.
    skin: Option<SkinId>,
    /// Moments by joint: the sums of mass times position (xyz) and of mass (w), in mesh space.
    moments: Vec<Vec4>,
}

/// A vertex of the sole of a foot.
#[derive(Clone, Debug)]
struct SoleVertex {
    part: usize,
    place: Vec3,
    moved_by: Vec<(u16, f32)>,
}

/// A foot: the end joint of a leg, and the vertices that move with it.
#[derive(Clone, Debug)]
struct Foot {
    end: NodeId,
    vertices: Vec<SoleVertex>,
}

/// The mass of a document's surface by joint, and its feet. Computed once per document.
#[derive(Clone, Debug, Default)]
pub struct Masses {
    parts: Vec<MeshMass>,
    feet: Vec<Foot>,
    height: f32,
}

/// Center of mass of a pose, and its support area.
#[derive(Clone, Debug, PartialEq)]
pub struct Balance {
    /// Center of mass, in scene space.
    pub center: Vec3,
    /// Height of the ground in meters: the lowest vertex of the standing feet.
    pub ground: f32,
    /// Corners of the support area, at the ground's height; empty if no foot stands.
    pub support: Vec<Vec3>,
    /// Distance of the center of mass inside the support area, seen from above, in meters. Negative
    /// if it is outside.
    pub inside: f32,
}

/// Distance of a point from a line segment.
fn from_segment(p: Vec3, a: Vec3, b: Vec3) -> f32 {
    let along = ((p - a).dot(b - a) / (b - a).length_squared().max(1e-20)).clamp(0.0, 1.0);
    p.distance(a.lerp(b, along))
}

/// Bones of a skin in mesh space, one list per joint. A bone is the segment from the joint to a
/// child. A joint without children has one bone of length zero.
fn bones(document: &Document, skin: SkinId) -> Vec<Vec<(Vec3, Vec3)>> {
    let skin = document.skin(skin);
    let places: Vec<Vec3> =
        skin.inverse_bind.iter().map(|m| m.inverse().w_axis.truncate()).collect();
    let slot = |n: NodeId| skin.joints.iter().position(|j| *j == n);
    let of = |(k, node): (usize, &NodeId)| {
        let below: Vec<_> = document
            .children(*node)
            .iter()
            .filter_map(|c| slot(*c))
            .map(|c| (places[k], places[c]))
            .collect();
        if below.is_empty() { vec![(places[k], places[k])] } else { below }
    };
    skin.joints.iter().enumerate().map(of).collect()
}

impl Masses {
    /// Computes the masses of all shown triangles in the rest pose.
    pub fn of(document: &Document) -> Self {
        let rest = Pose::evaluate(document, &Stack::default());
        let mut masses = Self::default();
        let (mut low, mut high) = (f32::INFINITY, f32::NEG_INFINITY);
        for joint in document.joint_flags().iter().enumerate().filter(|(_, j)| **j).map(|(k, _)| k)
        {
            let y = rest.world[joint].w_axis.y;
            (low, high) = (low.min(y), high.max(y));
        }
        masses.height = if high > low { high - low } else { 1.0 };
        let mut feet: Vec<Foot> = Vec::new();
        let first = document.skins.values().next().and_then(|s| s.joints.first().copied());
        if let Some(first) = first {
            let joints = document.joint_flags();
            let root = std::iter::successors(Some(first), |n| document.node(*n).parent)
                .filter(|n| joints[n.index()]);
            let body = branching(document, root.last().unwrap_or(first), &joints);
            let ends = ik::legs_of(document, &rest, body);
            feet.extend(ends.into_iter().map(|end| Foot { end, vertices: Vec::new() }));
        }
        for node in document.shown_nodes() {
            let Some(mesh) = document.node(node).mesh else { continue };
            masses.add(document, node, mesh, &mut feet);
        }
        masses.feet = feet;
        masses
    }

    fn add(
        &mut self,
        document: &Document,
        node: NodeId,
        mesh: ulna_model::MeshId,
        feet: &mut [Foot],
    ) {
        let skin = document
            .node(node)
            .skin
            .filter(|s| document.skin(*s).joints.len() == document.skin(*s).inverse_bind.len());
        let bones = skin.map(|s| bones(document, s)).unwrap_or_default();
        let count = skin.map_or(1, |s| document.skin(s).joints.len());
        let mut part = MeshMass { node, skin, moments: vec![Vec4::ZERO; count] };
        let at = self.parts.len();
        for (_, primitive) in
            document.mesh(mesh).entries().filter(|(_, p)| p.topology == Topology::Triangles)
        {
            let places = &primitive.positions;
            let mut areas = vec![0.0f32; places.len()];
            for t in primitive.indices.chunks_exact(3) {
                let [a, b, c] = [t[0], t[1], t[2]].map(|k| k as usize);
                if a.max(b).max(c) < places.len() {
                    let area = (places[b] - places[a]).cross(places[c] - places[a]).length() / 6.0;
                    [a, b, c].into_iter().for_each(|k| areas[k] += area);
                }
            }
            let weights = primitive.weights.as_deref().filter(|_| skin.is_some());
            for (k, (place, area)) in places.iter().zip(areas).enumerate() {
                if !place.is_finite() || !area.is_finite() {
                    continue;
                }
                let Some(map) = weights else {
                    part.moments[0] += place.extend(1.0) * area * 0.01;
                    continue;
                };
                let moved: Vec<(u16, f32)> =
                    map.vertex(k).filter(|(j, w)| *w > 0.0 && usize::from(*j) < count).collect();
                let Some(most) =
                    moved.iter().max_by(|a, b| a.1.total_cmp(&b.1)).map(|(j, _)| usize::from(*j))
                else {
                    continue;
                };
                let apart = bones[most]
                    .iter()
                    .map(|(a, b)| from_segment(*place, *a, *b))
                    .fold(f32::INFINITY, f32::min);
                let mass = area * apart * 0.5;
                for (joint, weight) in &moved {
                    part.moments[usize::from(*joint)] += place.extend(1.0) * mass * *weight;
                }
                let joint = skin.map(|s| document.skin(s).joints[most]);
                let of = |f: &&mut Foot| {
                    joint.is_some_and(|j| j == f.end || document.is_above(f.end, j))
                };
                if let Some(foot) = feet.iter_mut().find(of) {
                    foot.vertices.push(SoleVertex { part: at, place: *place, moved_by: moved });
                }
            }
        }
        self.parts.push(part);
    }

    /// Skinning matrices (`scene_from_mesh`): one list per mesh, with one matrix per joint.
    fn palettes(&self, document: &Document, pose: &Pose) -> Vec<Vec<Mat4>> {
        let of = |p: &MeshMass| {
            p.skin.map_or_else(|| vec![pose.world[p.node.index()]], |s| pose.palette(document, s))
        };
        self.parts.iter().map(of).collect()
    }

    /// Computes the center of mass in a pose; `None` if there is no mass.
    pub fn center(&self, document: &Document, pose: &Pose) -> Option<Vec3> {
        self.center_in(&self.palettes(document, pose))
    }

    fn center_in(&self, palettes: &[Vec<Mat4>]) -> Option<Vec3> {
        let moments = self.parts.iter().zip(palettes).flat_map(|(p, m)| p.moments.iter().zip(m));
        let sum: Vec4 = moments.map(|(moment, matrix)| *matrix * *moment).sum();
        let center = sum.truncate() / sum.w;
        (sum.w > 0.0 && center.is_finite()).then_some(center)
    }

    /// Computes the center of mass and the support area in a pose. A foot counts as standing if it
    /// is low, or if `held` is true for its end joint.
    pub fn balance(
        &self,
        document: &Document,
        pose: &Pose,
        held: &dyn Fn(NodeId) -> bool,
    ) -> Option<Balance> {
        let palettes = self.palettes(document, pose);
        let center = self.center_in(&palettes)?;
        let posed = |v: &SoleVertex| -> Vec3 {
            let moved = v.moved_by.iter();
            moved
                .map(|(j, w)| palettes[v.part][usize::from(*j)].transform_point3(v.place) * *w)
                .sum()
        };
        let feet: Vec<(NodeId, Vec<Vec3>)> = self
            .feet
            .iter()
            .map(|f| (f.end, f.vertices.iter().map(posed).filter(|p| p.is_finite()).collect()))
            .collect();
        let lowest = |points: &[Vec3]| points.iter().map(|p| p.y).fold(f32::INFINITY, f32::min);
        let ground = feet.iter().map(|(_, points)| lowest(points)).fold(f32::INFINITY, f32::min);
        let mut soles: Vec<Vec2> = Vec::new();
        for (end, points) in &feet {
            let low = lowest(points);
            if low - ground <= self.height * LOW || held(*end) {
                let sole = points.iter().filter(|p| p.y - low <= self.height * SOLE);
                // Seen from above. z is negated, so that the hull is counter-clockwise.
                soles.extend(sole.map(|p| Vec2::new(p.x, -p.z)));
            }
        }
        let hull = convex_hull(&soles);
        let inside =
            if hull.is_empty() { 0.0 } else { depth_in(&hull, Vec2::new(center.x, -center.z)) };
        let support = hull.into_iter().map(|p| Vec3::new(p.x, ground, -p.y)).collect();
        let ground = if ground.is_finite() { ground } else { 0.0 };
        Some(Balance { center, ground, support, inside })
    }
}

/// Finds the first joint at or below `from` that has several children with children of their own.
fn branching(document: &Document, from: NodeId, joints: &[bool]) -> NodeId {
    let mut node = from;
    loop {
        let below: Vec<NodeId> =
            document.children(node).iter().copied().filter(|c| joints[c.index()]).collect();
        let on: Vec<NodeId> =
            below.iter().copied().filter(|c| !document.children(*c).is_empty()).collect();
        match on[..] {
            [one] => node = one,
            _ => return node,
        }
    }
}
