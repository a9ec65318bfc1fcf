//! Gestures that move a reference model. They are not edits of the document.

use egui::Modifiers;
use glam::{Quat, Vec2, Vec3};

use super::{gesture::Gesture, operation::Operation};
use crate::ui::{ReferenceId, ReferencePlace, View};

impl Gesture {
    /// Updates the move of a reference model. Returns the new transform if it changed.
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

/// Uniform scale factor, taken from the scaled axis.
fn factor(value: Vec3) -> f32 {
    let all = value.to_array().into_iter().map(f32::abs);
    all.max_by(|a, b| (a - 1.0).abs().total_cmp(&(b - 1.0).abs())).unwrap_or(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scaling_a_reference_model_by_any_axis_keeps_its_proportions() {
        assert_eq!(factor(Vec3::splat(2.0)), 2.0);
        assert_eq!(factor(Vec3::new(1.0, 0.25, 1.0)), 0.25);
        assert_eq!(factor(Vec3::new(1.0, 1.0, -3.0)), 3.0);
        assert_eq!(factor(Vec3::ONE), 1.0);
    }
}
