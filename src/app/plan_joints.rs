//! Joints that a plan changes, with their current and planned positions.

use glam::Vec3;

use crate::ui::PlannedJoint;
use ulna_edit::command::RigReport;
use ulna_model::{Document, NodeId};
use ulna_motion::Pose;

/// Joints that a plan moves, rotates, adds, reparents or removes.
pub(super) fn planned_joints(
    (before, pose): (&Document, &Pose),
    (after, pose_after): (&Document, &Pose),
    report: &RigReport,
) -> Vec<PlannedJoint> {
    /// Maximum number of drawn joints, because more would hide the model.
    const MOST: usize = 512;
    let place = |pose: &Pose, node: NodeId| {
        pose.world.get(node.index()).map(|world| world.w_axis.truncate()).filter(|p| p.is_finite())
    };
    let goes = before.node_ids().filter(|n| !after.nodes.contains(*n));
    let gone = goes.map(|node| PlannedJoint {
        before: place(pose, node),
        after: None,
        parent: None,
        axes: Vec3::AXES,
        is_turned: false,
    });
    let changes = |node: &NodeId| {
        report.matches.frames.contains_key(node)
            || before.nodes.get(*node).is_none_or(|was| was.parent != after.node(*node).parent)
    };
    let stays = after.node_ids().filter(changes).map(|node| {
        let world = pose_after.world.get(node.index()).copied().unwrap_or_default();
        let axes = [world.x_axis, world.y_axis, world.z_axis];
        let turned = report.matches.frames.get(&node).is_some_and(|c| {
            let (_, rotation, _) = c.to_scale_rotation_translation();
            rotation.xyz().length() > 1e-4
        });
        PlannedJoint {
            before: before.nodes.contains(node).then(|| place(pose, node)).flatten(),
            after: place(pose_after, node),
            parent: after.node(node).parent.and_then(|parent| place(pose_after, parent)),
            axes: axes.map(|axis| axis.truncate().normalize_or_zero()),
            is_turned: turned,
        }
    });
    gone.chain(stays).take(MOST).collect()
}
