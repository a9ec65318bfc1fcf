//! The reference model that tools move: its place and the axes of its handles.

use glam::Vec3;

use super::operation::Operation;
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
    /// The position that was requested last.
    pub(super) shown: ReferencePlace,
}

impl MovedReference {
    /// The selected model.
    pub(super) fn of(view: &View<'_>) -> Option<Self> {
        let facts = movable(view)?;
        let (id, name, start) = (facts.id, facts.name.clone(), facts.place);
        Some(Self { id, name, start, shown: start })
    }
}

/// The selected reference model, where tools move it.
pub(super) fn movable<'a>(view: &View<'a>) -> Option<&'a ReferenceFacts> {
    let is_movable = !view.mode.spec().bends;
    view.references.selected().filter(|facts| is_movable && !facts.hidden)
}

/// The axes of a space of a reference model.
pub(super) fn axes(place: &ReferencePlace, camera: &Camera, space: GizmoSpace) -> [Vec3; 3] {
    match space {
        GizmoSpace::View => [camera.right(), camera.up(), -camera.forward()],
        GizmoSpace::Of(Space::Local) => [Vec3::X, Vec3::Y, Vec3::Z].map(|a| place.rotation * a),
        GizmoSpace::Of(_) => [Vec3::X, Vec3::Y, Vec3::Z],
    }
}

/// The operation of a tool on a reference model; `None` if it has none.
pub(super) const fn operation(of: Operation) -> Option<Operation> {
    match of {
        Operation::Move | Operation::Reach => Some(Operation::Move),
        Operation::Rotate => Some(Operation::Rotate),
        Operation::Scale => Some(Operation::Scale),
        Operation::Swivel | Operation::Roll | Operation::Extrude => None,
    }
}
