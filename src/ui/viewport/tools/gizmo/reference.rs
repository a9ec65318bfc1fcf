//! Reference models as the target of tools: their transforms and the axes of their handles.

use glam::Vec3;

use super::operation::Operation;
use crate::ui::{ReferenceFacts, ReferenceId, ReferencePlace, View, viewport::domain::GizmoSpace};
use ulna_motion::Space;
use ulna_render::Camera;

/// Reference model that a gesture moves.
#[derive(Clone, Debug)]
pub struct MovedReference {
    pub id: ReferenceId,
    pub name: String,
    /// Transform at the start of the gesture.
    pub start: ReferencePlace,
    /// Transform that was requested last.
    pub(super) shown: ReferencePlace,
}

impl MovedReference {
    /// Selected reference model, if tools can move it.
    pub(super) fn of(view: &View<'_>) -> Option<Self> {
        let facts = movable(view)?;
        let (id, name, start) = (facts.id, facts.name.clone(), facts.place);
        Some(Self { id, name, start, shown: start })
    }
}

/// Facts about the selected reference model, if tools can move it.
pub(super) fn movable<'a>(view: &View<'a>) -> Option<&'a ReferenceFacts> {
    let is_movable = !view.mode.spec().bends;
    view.references.selected().filter(|facts| is_movable && !facts.hidden)
}

/// Unit axes of a reference model in a space.
pub(super) fn axes(place: &ReferencePlace, camera: &Camera, space: GizmoSpace) -> [Vec3; 3] {
    match space {
        GizmoSpace::View => [camera.right(), camera.up(), -camera.forward()],
        GizmoSpace::Of(Space::Local) => [Vec3::X, Vec3::Y, Vec3::Z].map(|a| place.rotation * a),
        GizmoSpace::Of(_) => [Vec3::X, Vec3::Y, Vec3::Z],
    }
}

/// Operation of a gesture for a reference model; `None` if it does not apply.
pub(super) const fn operation(of: Operation) -> Option<Operation> {
    match of {
        Operation::Move | Operation::Reach => Some(Operation::Move),
        Operation::Rotate => Some(Operation::Rotate),
        Operation::Scale => Some(Operation::Scale),
        Operation::Swivel | Operation::Roll | Operation::Extrude => None,
    }
}
