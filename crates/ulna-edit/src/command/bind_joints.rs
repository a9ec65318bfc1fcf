//! The selection of the joints that receive weight in a bind, with the reason for each joint.

use std::{borrow::Cow, collections::BTreeSet};

use glam::{DMat4, DVec3, Vec3};

use super::field::ChooseJoints;
use ulna_model::{Document, JointSlot, MeshId, NodeId, Primitive, SkinId};
use ulna_motion::{HelperKind, Pose, Stack, helper_kind};
use ulna_weights::{
    BindMesh, Bones, InsidePart, at_rest, bound_mesh, joint_heads, joints_above, parts_inside,
    world,
};

/// Minimum fraction of a root joint's bone inside the meshes, for the joint to receive weight.
const ROOT_INSIDE: f32 = 0.8;
/// Largest distance from the origin at which a joint counts as at the origin, as a fraction of the
/// skeleton size.
const AT_ORIGIN: f64 = 0.03;

/// A joint, and whether a bind gives weight to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BindJoint {
    /// Node of the joint.
    pub node: NodeId,
    /// Whether the joint receives weight by default.
    pub deforms: bool,
    /// The reason for `deforms`.
    pub reason: BindReason,
    /// Whether the joint has weight on a vertex of the meshes before the bind.
    pub moves_vertices: bool,
}

/// Reason why a bind gives weight to a joint, or gives it none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BindReason {
    /// The joint has weight on a vertex of the meshes.
    MovesVertices,
    /// A part of the joint's bone is inside the meshes or close to them.
    Inside,
    /// The joint's bone is outside the meshes, but joints above and below it have bones inside.
    InChain,
    /// No joint was selected by names and positions, so all joints receive weight.
    AnyJoint,
    /// The joint has no weight on the meshes, but other joints have.
    MovesNothing,
    /// The name of the joint marks it as a control.
    Control,
    /// The name of the joint marks it as a socket.
    Socket,
    /// The name of the joint marks it as the end of a chain, and all joints below it are helpers.
    LeafEnd,
    /// The joint is the root: the first joint with the name of a root, or the only topmost joint
    /// if it is at the origin.
    Root,
    /// The joint's bone is outside the meshes.
    Outside,
}

impl BindReason {
    /// Whether a joint with this reason receives weight from a bind.
    pub const fn deforms(self) -> bool {
        matches!(self, Self::MovesVertices | Self::Inside | Self::InChain | Self::AnyJoint)
    }

    /// Short text for the reason, in lower case.
    pub const fn words(self) -> &'static str {
        match self {
            Self::MovesVertices => "moves vertices now",
            Self::Inside => "inside the mesh",
            Self::InChain => "between joints that deform",
            Self::AnyJoint => "no joint fits better",
            Self::MovesNothing => "moves no vertex now",
            Self::Control => "named as a control",
            Self::Socket => "named as a socket",
            Self::LeafEnd => "leaf end",
            Self::Root => "root of the skeleton",
            Self::Outside => "outside the mesh",
        }
    }
}

/// Selects the joints that receive weight if meshes are bound. The result has the order of
/// `joints`. `meshes` are nodes with meshes, with or without a skin. `joints` are joints of their
/// skins, or any nodes.
///
/// With [`ChooseJoints::Weights`], joints with weight on these meshes are selected. If there are
/// none, joints are selected by names and positions, as with [`ChooseJoints::Shape`].
pub fn bind_joints(
    document: &Document,
    meshes: &[NodeId],
    joints: &[NodeId],
    by: ChooseJoints,
) -> Vec<BindJoint> {
    let still = at_rest(document);
    let rest = Pose::evaluate(&still, &Stack::default());
    let heads_of = |mesh_from_scene: &DMat4| -> Vec<Vec3> {
        let head = |joint: &NodeId| world(document, &rest, *joint).w_axis.truncate();
        joints.iter().map(|j| mesh_from_scene.transform_point3(head(j)).as_vec3()).collect()
    };
    let skins: BTreeSet<Option<SkinId>> = meshes
        .iter()
        .filter(|n| document.node(**n).mesh.is_some())
        .map(|n| document.node(*n).skin)
        .collect();
    let mut bodies = Vec::new();
    for skin in skins {
        let own = meshes.iter().filter(|n| document.node(**n).skin == skin);
        let Some(skin) = skin else {
            let scene_from = |node: &NodeId| world(document, &rest, *node);
            let parts = own.flat_map(|node| {
                let mesh = document.node(*node).mesh;
                let matrix = scene_from(node);
                let primitives = mesh.into_iter().flat_map(|m| &document.mesh(m).primitives);
                primitives.map(move |p| {
                    let point = |p: &Vec3| matrix.transform_point3(p.as_dvec3()).as_vec3();
                    (Cow::Owned(p.positions.iter().map(point).collect()), &p.indices[..])
                })
            });
            let parts = parts.collect();
            bodies.push(BoundBody { parts, heads: heads_of(&DMat4::IDENTITY) });
            continue;
        };
        let mesh_from_scene = bound_mesh(document, &rest, skin).scene_from_mesh.inverse();
        let mut heads = heads_of(&mesh_from_scene);
        // The bind positions of a skin's joints can differ from their rest positions.
        for (joint, head) in document.skin(skin).joints.iter().zip(joint_heads(document, skin)) {
            let listed = joints.iter().zip(&mut heads).filter(|(j, _)| *j == joint);
            listed.for_each(|(_, to)| *to = head);
        }
        let seen: BTreeSet<MeshId> = own.filter_map(|n| document.node(*n).mesh).collect();
        let primitives = seen.iter().flat_map(|m| &document.mesh(*m).primitives);
        bodies.push(BoundBody { parts: primitives.map(shape_of).collect(), heads });
    }
    let movers = movers(document, meshes);
    chosen(document, &rest, joints, &bodies, &movers, by)
}

/// Meshes in one common space, with the positions of the joints in that space.
pub(super) struct BoundBody<'a> {
    /// Positions and triangles of each primitive.
    pub(super) parts: Vec<(Cow<'a, [Vec3]>, &'a [u32])>,
    /// Position of each joint, in the order of the joints.
    pub(super) heads: Vec<Vec3>,
}

/// Returns positions and triangles of a primitive.
pub(super) fn shape_of(primitive: &Primitive) -> (Cow<'_, [Vec3]>, &[u32]) {
    (Cow::Borrowed(&primitive.positions[..]), &primitive.indices[..])
}

/// Returns the joints that have weight on the meshes of these nodes.
fn movers(document: &Document, nodes: &[NodeId]) -> BTreeSet<NodeId> {
    let mut movers = BTreeSet::new();
    for about in nodes.iter().map(|n| document.node(*n)) {
        let (Some(mesh), Some(skin)) = (about.mesh, about.skin) else { continue };
        let own = document.mesh(mesh).primitives.iter();
        movers.extend(movers_of(document, skin, own));
    }
    movers
}

/// Returns the joints of a skin that have weight on these primitives.
pub(super) fn movers_of<'a>(
    document: &Document,
    skin: SkinId,
    primitives: impl Iterator<Item = &'a Primitive>,
) -> BTreeSet<NodeId> {
    let joints = &document.skin(skin).joints;
    let mut moves = vec![false; joints.len()];
    for map in primitives.filter_map(|p| p.weights.as_deref()) {
        let influences = map.joints.iter().zip(map.weights.iter()).filter(|(_, w)| **w > 0.0);
        for (joint, _) in influences {
            if let Some(moves) = moves.get_mut(usize::from(*joint)) {
                *moves = true;
            }
        }
    }
    joints.iter().zip(moves).filter(|(_, moves)| *moves).map(|(joint, _)| *joint).collect()
}

/// Selects joints for bodies with known joint positions. `rest` is the rest pose of the document.
pub(super) fn chosen(
    document: &Document,
    rest: &Pose,
    joints: &[NodeId],
    bodies: &[BoundBody<'_>],
    movers: &BTreeSet<NodeId>,
    by: ChooseJoints,
) -> Vec<BindJoint> {
    let moves: Vec<bool> = joints.iter().map(|joint| movers.contains(joint)).collect();
    let reasons = if by == ChooseJoints::Weights && moves.contains(&true) {
        let reason = |moves: &bool| {
            if *moves { BindReason::MovesVertices } else { BindReason::MovesNothing }
        };
        moves.iter().map(reason).collect()
    } else {
        by_shape(document, rest, joints, bodies)
    };
    let one = |((node, moves_vertices), reason): ((&NodeId, bool), BindReason)| BindJoint {
        node: *node,
        deforms: reason.deforms(),
        reason,
        moves_vertices,
    };
    joints.iter().zip(moves).zip(reasons).map(one).collect()
}

/// Selects joints by their names, and by the part of their bones inside the meshes.
fn by_shape(
    document: &Document,
    rest: &Pose,
    joints: &[NodeId],
    bodies: &[BoundBody<'_>],
) -> Vec<BindReason> {
    let tree = JointTree { parents: joints_above(document, joints) };
    let kinds: Vec<Option<HelperKind>> =
        joints.iter().map(|joint| helper_kind(&document.node(*joint).label(*joint))).collect();
    let is_plain: Vec<bool> = kinds.iter().map(Option::is_none).collect();
    let is_posing = |k: usize| matches!(kinds[k], Some(HelperKind::Control | HelperKind::Socket));
    // The bone of a joint ends only at joints that can receive weight.
    let is_meant: Vec<bool> = (0..joints.len()).map(|k| !is_posing(k)).collect();
    let mut inside = vec![InsidePart::default(); joints.len()];
    for body in bodies {
        let bones = Bones::of_joints(&body.heads, &tree.parents, &is_meant);
        let meshes: Vec<BindMesh<'_>> = body
            .parts
            .iter()
            .map(|(positions, triangles)| BindMesh { positions, triangles })
            .collect();
        let parts = parts_inside(&meshes, bones.list(), joints.len());
        inside.iter_mut().zip(parts).for_each(|(most, part)| *most = most.max(part));
    }
    let at_origin = at_origin(document, rest, joints);
    let has_plain_below = tree.with_below(&is_plain);
    // Number of topmost joints whose names do not mark them as helpers.
    let tops = (0..joints.len()).filter(|k| tree.parents[*k].is_none() && is_plain[*k]).count();
    let is_lone = |k: usize| {
        let is_top = tree.above(k).all(|above| !is_plain[above] || at_origin[above]);
        is_top && is_plain[k] && at_origin[k] && tops <= 1 && has_plain_below[k]
    };
    let mut reasons: Vec<Option<BindReason>> = Vec::with_capacity(joints.len());
    for k in 0..joints.len() {
        let is_first = || tree.above(k).all(|above| !is_plain[above] || is_lone(above));
        let is_root = (kinds[k] == Some(HelperKind::Root) && is_first()) || is_lone(k);
        reasons.push(match kinds[k] {
            Some(HelperKind::Control) => Some(BindReason::Control),
            Some(HelperKind::Socket) => Some(BindReason::Socket),
            Some(HelperKind::Leaf) if !has_plain_below[k] => Some(BindReason::LeafEnd),
            _ if is_root && inside[k].on < ROOT_INSIDE => Some(BindReason::Root),
            _ if inside[k].near > 0.0 => Some(BindReason::Inside),
            _ => None,
        });
    }
    let is_inside: Vec<bool> = reasons.iter().map(|r| *r == Some(BindReason::Inside)).collect();
    let has_inside_below = tree.with_below(&is_inside);
    let outside = |k: usize| {
        let is_between = has_inside_below[k] && tree.above(k).any(|above| is_inside[above]);
        if is_between { BindReason::InChain } else { BindReason::Outside }
    };
    let reasons: Vec<BindReason> =
        reasons.iter().enumerate().map(|(k, r)| r.unwrap_or_else(|| outside(k))).collect();
    match reasons.iter().any(|r| r.deforms()) {
        true => reasons,
        false => vec![BindReason::AnyJoint; joints.len()],
    }
}

/// Whether each joint is at the origin of the scene in the rest pose.
fn at_origin(document: &Document, rest: &Pose, joints: &[NodeId]) -> Vec<bool> {
    let places: Vec<DVec3> =
        joints.iter().map(|joint| world(document, rest, *joint).w_axis.truncate()).collect();
    let finite = || places.iter().filter(|p| p.is_finite());
    let low = finite().fold(DVec3::INFINITY, |low, p| low.min(*p));
    let high = finite().fold(DVec3::NEG_INFINITY, |high, p| high.max(*p));
    let size = (high - low).max_element();
    places.iter().map(|p| p.length() <= size * AT_ORIGIN).collect()
}

/// Hierarchy of the joints, as the parent index of each joint.
struct JointTree {
    parents: Vec<Option<JointSlot>>,
}

impl JointTree {
    /// Iterates over the ancestors of a joint, from the nearest one.
    fn above(&self, joint: usize) -> impl Iterator<Item = usize> {
        let parent = |k: usize| self.parents[k].map(JointSlot::index);
        std::iter::successors(parent(joint), move |k| parent(*k)).take(self.parents.len())
    }

    /// Whether each joint has a descendant whose flag in `wanted` is true.
    fn with_below(&self, wanted: &[bool]) -> Vec<bool> {
        let mut has = vec![false; wanted.len()];
        for k in (0..wanted.len()).filter(|k| wanted[*k]) {
            self.above(k).for_each(|above| has[above] = true);
        }
        has
    }
}
