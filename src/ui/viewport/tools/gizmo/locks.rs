//! Removal of handles that have no effect because of locked channels.

use glam::Vec3;

use super::{
    Frame, HandleSet,
    frame::standing,
    handles::HandleShape,
    operation::{Limit, Operation},
};
use crate::ui::View;
use ulna_model::Property;

/// Cosine below which a handle's direction counts as perpendicular to an axis. A drag would then
/// have less than a quarter of its effect.
const SQUARE: f32 = 0.25;

/// Removes the handles that would change locked axes only.
pub fn usable(
    shapes: Vec<HandleShape>,
    set: &HandleSet,
    frame: &Frame,
    view: &View<'_>,
) -> Vec<HandleShape> {
    let spec = view.mode.spec();
    let Some(document) = view.session.map(|s| s.document()) else { return shapes };
    let nodes = &view.selection.nodes;
    let is_locked =
        |n: &ulna_model::NodeId| document.nodes.get(*n).is_some_and(|node| !node.locks.is_empty());
    // Locks apply to the pose, not to the rest pose or to temporary bends.
    if frame.node.is_none()
        || spec.edits_rest
        || spec.bends
        || nodes.is_empty()
        || !nodes.iter().all(is_locked)
    {
        return shapes;
    }
    // Unlocked axes of each selected node, per property.
    let free = |property: Property| -> Vec<Vec<Vec3>> {
        let of = |node: &ulna_model::NodeId| {
            let locked = document.node(*node).locks.of(property);
            standing(document, view.pose, *node).unlocked_axes(property, locked).ok()
        };
        nodes.iter().filter_map(of).collect()
    };
    let [moves, turns, scales] = Property::TRS.map(free);
    let works = |shape: &HandleShape| {
        let (operation, limit) = set.meaning(shape.handle);
        let free = match operation {
            Operation::Move => &moves,
            Operation::Rotate => &turns,
            Operation::Scale => &scales,
            Operation::Extrude | Operation::Reach | Operation::Swivel | Operation::Roll => {
                return true;
            }
        };
        let along =
            |axis: Vec3| free.iter().any(|axes| axes.iter().any(|a| a.dot(axis).abs() > SQUARE));
        match limit {
            Limit::Axis(k) => along(frame.axes[k]),
            Limit::Plane(k) => along(frame.axes[(k + 1) % 3]) && along(frame.axes[(k + 2) % 3]),
            Limit::View if operation == Operation::Rotate => along(frame.sight),
            Limit::View | Limit::Free => free.iter().any(|axes| !axes.is_empty()),
        }
    };
    shapes.into_iter().filter(works).collect()
}
