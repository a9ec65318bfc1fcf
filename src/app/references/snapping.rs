//! Snapping: reference models to joints, and joints to reference models.

use egui::Context;
use glam::{Vec2, Vec3};

use super::References;
use crate::app::App;
use crate::ui::{ReferenceId, SnapTo, ToastKind};
use ulna_edit::{
    Command,
    command::{
        DocumentCommand, DragLimb, MoveJoint, ReferenceCommand, ReferencePoint, Shift,
        field::{AnySpace, Factor, Nodes},
    },
};
use ulna_geometry::Ray;
use ulna_model::NodeId;
use ulna_motion::{PartView, Space, ik};
use ulna_render::Camera;

/// The nearest of some points.
fn nearest(at: Vec3, points: impl Iterator<Item = Vec3>) -> Option<Vec3> {
    points.min_by(|a, b| a.distance_squared(at).total_cmp(&b.distance_squared(at)))
}

/// The vertex of a part that is nearest to a point of the scene.
fn nearest_vertex(part: &PartView<'_>, at: Vec3) -> Option<Vec3> {
    let Some(places) = part.places else { return nearest(at, part.positions.iter().copied()) };
    let all = places.iter().flat_map(|scene_from_mesh| {
        part.positions.iter().map(|p| scene_from_mesh.transform_point3(*p))
    });
    nearest(at, all)
}

impl References {
    /// The joint or vertex of the shown models that is nearest to a point of the scene. By default
    /// it is a vertex, or a joint where no model has surfaces.
    pub(super) fn nearest_point(&mut self, at: Vec3, onto: Option<ReferencePoint>) -> Option<Vec3> {
        let shown = self.models.iter_mut().zip(&self.facts).filter(|(_, facts)| !facts.hidden);
        let (mut joints, mut vertices) = (Vec::new(), Vec::new());
        for (model, _) in shown {
            if onto != Some(ReferencePoint::Vertex) {
                joints.extend(nearest(at, model.joints()));
            }
            if onto != Some(ReferencePoint::Joint) {
                vertices.extend(model.surface().parts().filter_map(|p| nearest_vertex(&p, at)));
            }
        }
        nearest(at, vertices.into_iter()).or_else(|| nearest(at, joints.into_iter()))
    }

    /// Models that a drag can snap to: all that are shown, but not the one that is dragged.
    fn snapped_to(&self) -> impl Iterator<Item = usize> {
        let dragged = self.selected();
        let all = self.facts.iter().enumerate();
        all.filter(move |(_, f)| !f.hidden && Some(f.id) != dragged).map(|(k, _)| k)
    }

    /// The joint of the models that is nearest to a point of the picture, with its distance in
    /// points of the picture.
    pub(in crate::app) fn joint_under(
        &self,
        camera: &Camera,
        (at, size): (Vec2, Vec2),
    ) -> Option<(f32, Vec3)> {
        let joints = self.snapped_to().flat_map(|k| self.models[k].joints());
        let seen = joints.filter_map(|p| Some((camera.project(p, size)?.0.distance(at), p)));
        seen.min_by(|a, b| a.0.total_cmp(&b.0))
    }

    /// The point of the models that a ray hits first, with its distance in meters; of
    /// [`SnapTo::Vertex`] the nearest vertex of the triangle.
    pub(in crate::app) fn spot_under(&mut self, ray: &Ray, of: SnapTo) -> Option<(f32, Vec3)> {
        let all: Vec<usize> = self.snapped_to().collect();
        let hits = all.into_iter().filter_map(|k| {
            let (document, surface) = self.models[k].parts();
            let hit = surface.hit(document, ray, &|_| false)?;
            let spot = ray.origin + ray.direction * hit.distance;
            let corners = surface.corners(&hit).filter(|_| of == SnapTo::Vertex);
            let vertex = corners.and_then(|corners| nearest(spot, corners.into_iter()));
            Some((hit.distance, vertex.unwrap_or(spot)))
        });
        hits.min_by(|a, b| a.0.total_cmp(&b.0))
    }

    /// The model that a ray hits first, with the distance in meters.
    pub(in crate::app) fn hit(&mut self, ray: &Ray) -> Option<(f32, ReferenceId)> {
        let both = self.models.iter_mut().zip(&self.facts).filter(|(_, facts)| !facts.hidden);
        let hits = both.filter_map(|(model, facts)| {
            let (document, surface) = model.parts();
            Some((surface.hit(document, ray, &|_| false)?.distance, facts.id))
        });
        hits.min_by(|a, b| a.0.total_cmp(&b.0))
    }
}

impl App {
    /// Position of a node in the pose that is seen.
    fn seen_position(&self, node: NodeId) -> Option<Vec3> {
        let world = self.renderer.seen_pose().world.get(node.index())?;
        Some(world.w_axis.truncate()).filter(|at| at.is_finite())
    }

    /// Moves a reference model so that its nearest joint, or its origin, is at the active joint.
    pub(super) fn snap_reference(&mut self, ctx: &Context, k: usize) {
        let Some(at) = self.outliner.selection.active.and_then(|n| self.seen_position(n)) else {
            self.toast(ctx, ToastKind::Note, "No joint is selected to move the model to.");
            return;
        };
        let place = self.references.facts[k].place;
        let from = nearest(at, self.references.models[k].joints()).unwrap_or(place.translation);
        self.references.facts[k].place.translation += at - from;
    }

    /// Moves the selected joints to the nearest points of the reference models: where edits go, or
    /// by the plan in Rig mode.
    pub(super) fn snap_joints(&mut self, ctx: &Context, onto: Option<ReferencePoint>) {
        let title = ReferenceCommand::SnapJoints { onto }.spec().title;
        let edits_rest = self.mode.spec().edits_rest;
        if !self.mode.spec().poses && !edits_rest {
            let text = "Joints are not moved here. Change to Pose, Animate or Rig mode.";
            self.toast(ctx, ToastKind::Note, text);
            return;
        }
        let Some(session) = &self.session else { return };
        let nodes = self.outliner.selection.top_level_nodes(session.document());
        let mut moves: Vec<(NodeId, Vec3, Vec3)> = Vec::new();
        for node in nodes {
            let Some(at) = self.seen_position(node) else { continue };
            let to = self.references.nearest_point(at, onto);
            moves.extend(to.map(|to| (node, at, to)));
        }
        if moves.is_empty() {
            let text = "No reference model is shown that has such a point.";
            self.toast(ctx, ToastKind::Note, text);
            return;
        }
        if edits_rest {
            let motion = self.rig.options.motion();
            let symmetric = self.viewport.symmetry.then_some(true);
            let by = |(node, from, to): &(NodeId, Vec3, Vec3)| {
                MoveJoint { node: Nodes::one(*node), by: *to - *from, motion, symmetric }.into()
            };
            let commands = moves.iter().map(by).collect();
            let nodes: Vec<NodeId> = moves.iter().map(|(node, ..)| *node).collect();
            self.change_joints(ctx, commands, &nodes);
            return;
        }
        let commands: Vec<Command> = moves.iter().map(|m| self.snapping_command(*m)).collect();
        if commands.iter().any(|command| self.refuses_under_mix(ctx, command)) {
            return;
        }
        let with_keys = commands
            .into_iter()
            .flat_map(|command| self.with_key(&command).unwrap_or_else(|| vec![command]));
        let commands: Vec<Command> = with_keys.collect();
        self.end_gesture(ctx);
        let Some(session) = &mut self.session else { return };
        let ran = session.run_all(title, &commands).map(|_| ());
        self.say_done(ctx, ran, title);
    }

    /// The command that moves a joint to a point of the scene: the end of a limb by IK.
    fn snapping_command(&self, (node, from, to): (NodeId, Vec3, Vec3)) -> Command {
        let Some(session) = &self.session else {
            return ReferenceCommand::SnapJoints { onto: None }.into();
        };
        let (document, over) = (session.document(), self.around(session).over());
        let limb = ik::limb_of(document, self.renderer.pose(), node, None, false);
        if limb.is_some_and(|limb| limb.turns.len() >= 2) {
            let put: DragLimb = self.viewport.reach.put(node, to, over);
            return Command::Document(DocumentCommand::Ik(put.into()));
        }
        let (node, by) = (Nodes::one(node), Factor(to - from));
        let space = Some(AnySpace(Space::World));
        let shift = Shift { node, by, space, children: None, over };
        Command::Document(DocumentCommand::Pose(shift.into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_vertex_of_instances_is_sought_at_their_places() {
        let positions = [Vec3::ZERO, Vec3::X];
        let places = [glam::Mat4::from_translation(Vec3::Y * 5.0), glam::Mat4::IDENTITY];
        let part = PartView {
            node: NodeId::from(0),
            primitive: 0usize.into(),
            positions: &positions,
            normals: &[],
            places: Some(&places),
        };
        let near = nearest_vertex(&part, Vec3::new(0.9, 4.0, 0.0));
        assert_eq!(near, Some(Vec3::new(1.0, 5.0, 0.0)));
        let bare = PartView { places: None, ..part };
        assert_eq!(nearest_vertex(&bare, Vec3::new(0.9, 4.0, 0.0)), Some(Vec3::X));
    }
}
