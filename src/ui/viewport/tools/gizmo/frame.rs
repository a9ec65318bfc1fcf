//! Coordinate frame of the gizmo: its center, the directions of its axes, and its scale on screen.

use glam::{DVec3, Mat4, Vec2, Vec3, Vec4};

use super::reference;
use crate::ui::{
    View,
    viewport::domain::{GizmoSpace, Pivot},
};
use ulna_edit::{Selection, command::ToolCommand};
use ulna_model::{Document, NodeId};
use ulna_motion::{BoneDirections, Pose, Space, Standing, ik};
use ulna_render::Camera;

/// Center, axes and scale of the gizmo.
#[derive(Clone, Copy, Debug)]
pub struct Frame {
    /// Node that supplies the axes; `None` if a reference model is moved.
    pub node: Option<NodeId>,
    /// Center in scene space, in meters.
    pub origin: Vec3,
    /// Unit directions of the axes in scene space.
    pub axes: [Vec3; 3],
    /// Unit direction from the center to the camera, in scene space.
    pub sight: Vec3,
    /// Center in viewport points.
    pub center: Vec2,
    /// Meters per viewport point at the center.
    pub unit: f32,
    /// Swivel of a limb about the line from its root to its end; `None` if the node is not the end
    /// of a bent limb.
    pub swivel: Option<Swivel>,
    /// Rotation of a joint's axes about its bone, in Rig mode only.
    pub roll: Option<Roll>,
}

/// Elbow of a limb, and the line that it rotates about.
#[derive(Clone, Copy, Debug)]
pub struct Swivel {
    /// Root of the limb, in scene space.
    pub root: Vec3,
    /// First bend of the limb, such as the elbow or knee, in scene space.
    pub elbow: Vec3,
    /// Position of the handle, in scene space.
    pub handle: Vec3,
    /// Unit direction from the root to the end of the limb.
    pub axis: Vec3,
}

/// Bone that a joint's axes rotate about.
#[derive(Clone, Copy, Debug)]
pub struct Roll {
    /// Middle of the bone, in scene space.
    pub middle: Vec3,
    /// Unit direction of the bone, in scene space.
    pub axis: Vec3,
    /// Unit direction from the bone to the handle, perpendicular to the bone.
    pub out: Vec3,
}

impl Frame {
    /// Frame of the selection's gizmo; `None` if the selection cannot be posed or is not visible.
    pub fn of(view: &View<'_>, size: Vec2) -> Option<Self> {
        // Show no handles while Rig mode plays a clip, because the clip cannot be edited there.
        let document = view.session.filter(|_| view.rig.clip.is_none())?.document();
        if let Some(facts) = reference::movable(view) {
            let (camera, place) = (&view.viewport.camera, facts.place);
            let axes = reference::axes(&place, camera, view.viewport.space);
            return Self::at(place.translation, axes).seen(camera, size);
        }
        let free = |n: &NodeId| {
            view.pose.world.get(n.index()).is_some() && !view.is_locked(*n) && !view.is_hidden(*n)
        };
        let node = view.selection.active.filter(free)?;
        let origin = match view.viewport.pivot {
            Pivot::Median => {
                median(document, view.selection, view.pose).unwrap_or(head(view.pose, node))
            }
            Pivot::Spot => spot(view).unwrap_or_else(|| head(view.pose, node)),
            Pivot::Active | Pivot::Each => head(view.pose, node),
        };
        // The position of an IK target does not depend on the axes of the limb's end.
        let space = match (view.viewport.tool, view.viewport.space) {
            (ToolCommand::Drag, GizmoSpace::Of(Space::Local)) => GizmoSpace::Of(Space::World),
            (_, space) => space,
        };
        let axes = axes(document, view.pose, &view.viewport.camera, node, space);
        let swivel = swivel(document, view.pose, node, view.viewport.reach.chain);
        let roll = view.mode.spec().edits_rest.then(|| roll(document, view.pose, node)).flatten();
        let (sight, center, unit) = (Vec3::Z, Vec2::ZERO, 0.0);
        let frame = Self { node: Some(node), origin, axes, sight, center, unit, swivel, roll };
        frame.seen(&view.viewport.camera, size)
    }

    /// Frame at a scene point without a node.
    const fn at(origin: Vec3, axes: [Vec3; 3]) -> Self {
        let (sight, center, unit) = (Vec3::Z, Vec2::ZERO, 0.0);
        Self { node: None, origin, axes, sight, center, unit, swivel: None, roll: None }
    }

    /// Updates the frame for the current camera; `None` if the center is not visible.
    pub fn seen(self, camera: &Camera, size: Vec2) -> Option<Self> {
        let (center, depth) =
            camera.project(self.origin, size).filter(|_| self.origin.is_finite())?;
        let sight = (camera.eye() - self.origin).normalize_or(Vec3::Z);
        Some(Self { center, unit: camera.meters_per_point(depth, size.y), sight, ..self })
    }
}

/// Swivel of the limb that ends at a node.
fn swivel(document: &Document, pose: &Pose, node: NodeId, chain: Option<usize>) -> Option<Swivel> {
    /// Distance of the handle from the elbow, as a fraction of the limb's length.
    const OUT: f32 = 0.35;
    let limb = ik::limb_of(document, pose, node, chain, false)?;
    let [first, second, ..] = limb.turns[..] else { return None };
    let (root, elbow, end) =
        (head(pose, limb.nodes[first]), head(pose, limb.nodes[second]), head(pose, node));
    let axis = (end - root).try_normalize()?;
    let length = root.distance(elbow) + elbow.distance(end);
    let out = (elbow - root).reject_from(axis);
    // The elbow of a straight limb has no defined direction.
    let out = (out.length() > length * 0.01).then(|| out.normalize_or_zero())?;
    Some(Swivel { root, elbow, handle: elbow + out * length * OUT, axis })
}

/// Bone of a joint, and the joint's axis that is closest to perpendicular to the bone.
fn roll(document: &Document, pose: &Pose, node: NodeId) -> Option<Roll> {
    let bone = bone(document, pose, node)?;
    let axis = bone.try_normalize()?;
    let own = |column: Vec4| column.truncate().try_normalize();
    let world = pose.world.get(node.index())?;
    let axes = [world.z_axis, world.x_axis, world.y_axis].map(own);
    // Of two almost equal candidates, keep the first.
    let squarer =
        |a: Vec3, b: Vec3| if b.dot(axis).abs() < a.dot(axis).abs() - 0.01 { b } else { a };
    let out = axes.into_iter().flatten().reduce(squarer)?;
    let out = out.reject_from(axis).try_normalize()?;
    Some(Roll { middle: head(pose, node) + bone / 2.0, axis, out })
}

/// Vector along the bone of a joint, in scene space.
pub fn bone(document: &Document, pose: &Pose, node: NodeId) -> Option<Vec3> {
    let at = |n: NodeId| {
        pose.world.get(n.index()).map_or(DVec3::NAN, |w| w.w_axis.truncate().as_dvec3())
    };
    let bone = BoneDirections::of(document, at).bone(node)?.as_vec3();
    (bone.is_finite() && bone.length() > 1e-9).then_some(bone)
}

/// Position of the custom pivot, in the scene.
pub fn spot(view: &View<'_>) -> Option<Vec3> {
    let (node, at) = view.viewport.pivot_spot?;
    Some(view.pose.world.get(node.index())?.transform_point3(at)).filter(|p| p.is_finite())
}

fn head(pose: &Pose, node: NodeId) -> Vec3 {
    pose.world[node.index()].w_axis.truncate()
}

/// Mean position of the moved nodes, in scene space.
fn median(document: &Document, selection: &Selection, pose: &Pose) -> Option<Vec3> {
    let nodes = selection.top_level_nodes(document);
    let sum: Vec3 = nodes.iter().map(|n| head(pose, *n)).sum();
    (!nodes.is_empty()).then(|| sum / nodes.len() as f32)
}

/// Transforms that define the axes of a node in the current pose.
pub fn standing(document: &Document, pose: &Pose, node: NodeId) -> Standing {
    Standing {
        parent: pose.parent_world(document, node),
        rest: document.node(node).rest.transform().rotation,
        rotation: pose.local[node.index()].transform().rotation,
    }
}

/// Unit directions of a space's axes in scene space. The scene axes are returned if a parent is
/// scaled to zero.
pub fn axes(
    document: &Document,
    pose: &Pose,
    camera: &Camera,
    node: NodeId,
    space: GizmoSpace,
) -> [Vec3; 3] {
    match space {
        GizmoSpace::View => [camera.right(), camera.up(), -camera.forward()],
        GizmoSpace::Of(space) => standing(document, pose, node).axes_in_scene(space).unwrap_or([
            Vec3::X,
            Vec3::Y,
            Vec3::Z,
        ]),
    }
}

/// Length of one scene meter in the node's parent space, negative for a mirrored parent. `None` if
/// it differs between the axes.
pub fn parent_units(parent: &Mat4, space: Space) -> Option<f32> {
    if space == Space::World {
        return Some(1.0);
    }
    let columns = [parent.x_axis, parent.y_axis, parent.z_axis].map(|c| c.truncate());
    let [x, y, z] = columns.map(Vec3::length);
    let (least, most) = (x.min(y).min(z), x.max(y).max(z));
    let square = columns[0]
        .dot(columns[1])
        .abs()
        .max(columns[1].dot(columns[2]).abs())
        .max(columns[2].dot(columns[0]).abs());
    let sense = if glam::Mat3::from_mat4(*parent).determinant() < 0.0 { -1.0 } else { 1.0 };
    (least > 1e-12 && most - least < 1e-4 * most && square < 1e-4 * most * most)
        .then(|| sense / most)
}
