//! Gestures that move a reference model: a change of its place, which is no edit.

use egui::Modifiers;
use glam::{Quat, Vec2, Vec3};

use super::{Frame, gesture::Gesture, operation::Operation};
use crate::ui::{ReferenceFacts, ReferenceId, ReferencePlace, View, viewport::domain::GizmoSpace};
use ulna_motion::Space;
use ulna_render::Camera;

/// A reference model that a gesture moves.
#[derive(Clone, Debug)]
pub struct MovedReference {
    pub id: ReferenceId,
    pub name: String,
    /// Its place at the start of the gesture.
    pub start: ReferencePlace,
    /// Its place as it was asked for last.
    shown: ReferencePlace,
}

impl MovedReference {
    /// The model that handles move; `None` if they are those of nodes.
    pub(super) fn of(view: &View<'_>, frame: &Frame) -> Option<Self> {
        let facts = movable(view).filter(|_| frame.node.is_none())?;
        let (id, name, start) = (facts.id, facts.name.clone(), facts.place);
        Some(Self { id, name, start, shown: start })
    }
}

/// The selected reference model, where tools move it.
fn movable<'a>(view: &View<'a>) -> Option<&'a ReferenceFacts> {
    let is_movable = !view.mode.spec().bends;
    view.references.selected().filter(|facts| is_movable && !facts.hidden)
}

/// The frame of the handles of the selected reference model.
pub(super) fn frame(view: &View<'_>) -> Option<Frame> {
    let place = movable(view)?.place;
    Some(Frame {
        node: None,
        origin: place.translation,
        axes: axes(&place, &view.viewport.camera, view.viewport.space),
        sight: Vec3::Z,
        center: Vec2::ZERO,
        unit: 0.0,
        swivel: None,
        roll: None,
    })
}

/// The axes of a space of a reference model.
pub(super) fn axes(place: &ReferencePlace, camera: &Camera, space: GizmoSpace) -> [Vec3; 3] {
    match space {
        GizmoSpace::View => [camera.right(), camera.up(), -camera.forward()],
        GizmoSpace::Of(Space::Local) => [Vec3::X, Vec3::Y, Vec3::Z].map(|a| place.rotation * a),
        GizmoSpace::Of(_) => [Vec3::X, Vec3::Y, Vec3::Z],
    }
}

/// What a tool does with a reference model; `None` if nothing.
pub(super) const fn operation(of: Operation) -> Option<Operation> {
    match of {
        Operation::Move | Operation::Reach => Some(Operation::Move),
        Operation::Rotate => Some(Operation::Rotate),
        Operation::Scale => Some(Operation::Scale),
        Operation::Swivel | Operation::Roll | Operation::Extrude => None,
    }
}

impl Gesture {
    /// As [`Self::follow`], of a reference model: its place, where that is another than before.
    pub(super) fn follow_reference(
        &mut self,
        view: &View<'_>,
        pointer: Vec2,
        size: Vec2,
        modifiers: Modifiers,
        now: f64,
    ) -> Option<(ReferenceId, ReferencePlace)> {
        if !self.follow_pointer(view, pointer, size, modifiers, now) {
            return None;
        }
        let start = self.reference.as_ref()?.start;
        let [x, y, z] = self.frame.axes;
        let value = self.value;
        let place = match self.operation {
            Operation::Move => ReferencePlace {
                translation: start.translation + x * value.x + y * value.y + z * value.z,
                ..start
            },
            Operation::Rotate => {
                let turn = Quat::from_axis_angle(self.axis(), value.x.to_radians());
                ReferencePlace { rotation: turn * start.rotation, ..start }
            }
            Operation::Scale => ReferencePlace { scale: start.scale * factor(value), ..start },
            Operation::Reach | Operation::Swivel | Operation::Roll | Operation::Extrude => {
                return None;
            }
        };
        let reference = self.reference.as_mut()?;
        let is_new = reference.shown != place;
        reference.shown = place;
        is_new.then_some((reference.id, place))
    }
}

/// One factor for all axes: of the axis that a person scales along.
fn factor(value: Vec3) -> f32 {
    let all = value.to_array().into_iter().map(f32::abs);
    all.max_by(|a, b| (a - 1.0).abs().total_cmp(&(b - 1.0).abs())).unwrap_or(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_keeps_its_proportions_whichever_axis_scales_it() {
        assert_eq!(factor(Vec3::splat(2.0)), 2.0);
        assert_eq!(factor(Vec3::new(1.0, 0.25, 1.0)), 0.25);
        assert_eq!(factor(Vec3::new(1.0, 1.0, -3.0)), 3.0);
        assert_eq!(factor(Vec3::ONE), 1.0);
    }
}
