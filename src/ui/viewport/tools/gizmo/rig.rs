//! Converts gestures to changes of joints in the rest pose.

use glam::{DQuat, EulerRot, Mat4, Quat, Vec2, Vec3};

use super::{frame::bone, gesture::Gesture, operation::Operation};
use crate::ui::{RigStep, View};
use egui::Modifiers;
use ulna_edit::{
    Command,
    command::{AddJoint, Motion, MoveJoint, OrientJoint, field::Nodes},
};
use ulna_model::NodeId;
use ulna_motion::Mirror;

impl Gesture {
    /// Updates a gesture of joints in the rest pose. Returns the new step if it changed.
    pub fn follow_rig(
        &mut self,
        view: &View<'_>,
        pointer: Vec2,
        size: Vec2,
        modifiers: Modifiers,
        now: f64,
    ) -> Option<RigStep> {
        if !self.follow_pointer(view, pointer, size, modifiers, now) {
            return None;
        }
        let step = self.rig_step(view)?;
        let is_same = self.shown.as_ref() == Some(&step.commands);
        if is_same || (self.shown.is_none() && self.is_nothing()) {
            return None;
        }
        self.shown = Some(step.commands.clone());
        Some(step)
    }

    fn rig_step(&self, view: &View<'_>) -> Option<RigStep> {
        let symmetric = view.viewport.symmetry.then_some(true);
        let motion = view.rig.options.motion();
        let node = Nodes::Ids(self.nodes.clone());
        let world = |n: NodeId| self.pose.world.get(n.index()).copied().unwrap_or_default();
        let [x, y, z] = self.frame.axes;
        let by = x * self.value.x + y * self.value.y + z * self.value.z;
        let mut step = RigStep {
            label: self.label(),
            commands: Vec::new(),
            nodes: self.nodes.clone(),
            worlds: Vec::new(),
            added: Vec::new(),
        };
        match self.operation {
            Operation::Move => {
                let moved = |n: &NodeId| (*n, Mat4::from_translation(by) * world(*n));
                step.worlds = self.nodes.iter().map(moved).collect();
                step.commands = vec![MoveJoint { node, by, motion, symmetric }.into()];
            }
            Operation::Rotate | Operation::Roll => {
                for joint in &self.nodes {
                    let Some(axis) = self.turning_axis(*joint) else { continue };
                    let turn = Quat::from_axis_angle(axis, self.value.x.to_radians());
                    let world = world(*joint);
                    let (_, own, at) = world.to_scale_rotation_translation();
                    let moved = Mat4::from_translation(at)
                        * Mat4::from_quat(turn)
                        * Mat4::from_translation(-at)
                        * world;
                    step.worlds.push((*joint, moved));
                    let degrees = degrees_about(own, turn);
                    let orient = OrientJoint {
                        degrees: Some(degrees),
                        ..oriented(Nodes::one(*joint), motion)
                    };
                    step.commands.push(orient.into());
                }
                if symmetric.is_some() {
                    step.commands.extend(self.mirrored_orient(motion).map(Command::from));
                }
            }
            Operation::Extrude => {
                let head = |n: NodeId| world(n).w_axis.truncate();
                step.added = self.nodes.iter().map(|n| (head(*n), head(*n) + by)).collect();
                let add =
                    AddJoint { parent: Some(node), at: None, by: Some(by), name: None, symmetric };
                step.commands = vec![add.into()];
            }
            Operation::Scale | Operation::Reach | Operation::Swivel => return None,
        }
        Some(step)
    }

    /// Rotation axis of a joint, in scene space. A roll uses each joint's own bone; `None` without
    /// a bone.
    fn turning_axis(&self, joint: NodeId) -> Option<Vec3> {
        if self.operation != Operation::Roll || Some(joint) == self.frame.node {
            return Some(self.axis());
        }
        bone(&self.document, &self.pose, joint)?.try_normalize()
    }

    /// Creates the command that gives mirror joints the mirrored axes.
    fn mirrored_orient(&self, motion: Option<Motion>) -> Option<OrientJoint> {
        let mirror = Mirror::of(&self.document);
        let partner = |n: &NodeId| mirror.partner(*n).filter(|p| !self.nodes.contains(p));
        let partners: Vec<NodeId> = self.nodes.iter().filter_map(partner).collect();
        (!partners.is_empty())
            .then(|| OrientJoint { mirrored: Some(true), ..oriented(Nodes::Ids(partners), motion) })
    }
}

/// Creates an orient command without an orientation, which the caller adds.
const fn oriented(node: Nodes, motion: Option<Motion>) -> OrientJoint {
    OrientJoint {
        node,
        degrees: None,
        like: None,
        world: None,
        aim: None,
        up: None,
        up_to: None,
        roll: None,
        mirrored: None,
        motion,
    }
}

/// Converts a scene rotation of a joint with rotation `own` to intrinsic x-y-z angles about its
/// local axes, in degrees.
fn degrees_about(own: Quat, turn: Quat) -> Vec3 {
    let (own, turn): (DQuat, DQuat) = (own.as_dquat(), turn.as_dquat());
    let local = (own.inverse() * turn * own).normalize();
    let (x, y, z) = local.to_euler(EulerRot::XYZ);
    // Avoid −0.
    glam::DVec3::new(x.to_degrees(), y.to_degrees(), z.to_degrees()).as_vec3() + Vec3::ZERO
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn local_angles_rotate_a_joint_like_the_scene_rotation() {
        let own = Quat::from_euler(EulerRot::XYZ, 0.3, -1.1, 2.0);
        let turn = Quat::from_axis_angle(Vec3::new(1.0, 2.0, -0.5).normalize_or_zero(), 0.7);
        let degrees = degrees_about(own, turn).to_array().map(f32::to_radians);
        let local = Quat::from_euler(EulerRot::XYZ, degrees[0], degrees[1], degrees[2]);
        assert!((own * local).dot(turn * own).abs() > 1.0 - 1e-6);
    }
}
