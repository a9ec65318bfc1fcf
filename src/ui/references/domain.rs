//! Reference models as panels see them, and requests about them.

use std::path::PathBuf;

use glam::{Mat4, Quat, Vec3};
use serde::{Deserialize, Serialize};

/// Number of a reference model in this window.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ReferenceId(pub u32);

/// Position, rotation and size of a reference model in the scene.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReferencePlace {
    /// Position of its origin, meters.
    pub translation: Vec3,
    /// Rotation about its origin.
    pub rotation: Quat,
    /// Factor of its size.
    pub scale: f32,
}

impl Default for ReferencePlace {
    fn default() -> Self {
        Self { translation: Vec3::ZERO, rotation: Quat::IDENTITY, scale: 1.0 }
    }
}

impl ReferencePlace {
    /// Factors of sizes, smallest and largest.
    pub const SCALES: (f32, f32) = (1e-4, 1e4);

    /// `scene_from_reference`.
    pub fn matrix(&self) -> Mat4 {
        Mat4::from_scale_rotation_translation(
            Vec3::splat(self.scale),
            self.rotation,
            self.translation,
        )
    }

    /// The same with finite numbers and a size in range.
    #[must_use]
    pub fn clamped(self) -> Self {
        let rotation = self.rotation.normalize();
        let scale = self.scale.clamp(Self::SCALES.0, Self::SCALES.1);
        Self {
            translation: if self.translation.is_finite() { self.translation } else { Vec3::ZERO },
            rotation: if rotation.is_finite() { rotation } else { Quat::IDENTITY },
            scale: if scale.is_finite() { scale } else { 1.0 },
        }
    }
}

/// Facts about a reference model.
#[derive(Clone, Debug, PartialEq)]
pub struct ReferenceFacts {
    /// Its number.
    pub id: ReferenceId,
    /// Name of its file; with a number where several have the same name.
    pub name: String,
    /// Its file.
    pub path: PathBuf,
    /// Names and lengths of its clips, seconds.
    pub clips: Vec<(String, f32)>,
    /// Index of the clip that it plays; the rest pose if `None`.
    pub clip: Option<usize>,
    /// Number of vertices.
    pub vertices: usize,
    /// Number of joints.
    pub joints: usize,
    /// Placement in the scene.
    pub place: ReferencePlace,
    /// Whether it is hidden.
    pub hidden: bool,
    /// Whether its surfaces are shown without their materials.
    pub plain: bool,
    /// Whether its joints are shown.
    pub shows_joints: bool,
}

/// All reference models, as panels see them.
#[derive(Clone, Copy, Debug, Default)]
pub struct ReferencesView<'a> {
    /// All of them, in the order in which they were loaded.
    pub all: &'a [ReferenceFacts],
    /// The selected one, which the manipulator moves.
    pub selected: Option<ReferenceId>,
}

impl<'a> ReferencesView<'a> {
    /// The selected one.
    pub fn selected(&self) -> Option<&'a ReferenceFacts> {
        self.all.iter().find(|r| Some(r.id) == self.selected)
    }

    /// Reference model of a name; without a name the selected model, or the last one.
    pub fn named(&self, name: Option<&str>) -> Option<&'a ReferenceFacts> {
        match name {
            Some(name) => self.all.iter().find(|r| r.name == name),
            None => self.selected().or(self.all.last()),
        }
    }
}

/// A request about a reference model.
#[derive(Clone, Debug, PartialEq)]
pub enum ReferenceAction {
    /// Selects one, or none.
    Select(Option<ReferenceId>),
    /// Moves a reference model to a position, rotation and scale.
    Place(ReferenceId, ReferencePlace),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reference_position_is_valid_for_any_typed_value() {
        let typed = ReferencePlace {
            translation: Vec3::new(1.0, f32::NAN, 0.0),
            rotation: Quat::from_xyzw(0.0, 0.0, 0.0, 0.0),
            scale: f32::INFINITY,
        };
        let place = typed.clamped();
        assert_eq!((place.translation, place.rotation), (Vec3::ZERO, Quat::IDENTITY));
        assert_eq!(place.scale, ReferencePlace::SCALES.1);
        let moved = ReferencePlace { scale: 2.0, ..ReferencePlace::default() };
        assert_eq!(moved.matrix().transform_point3(Vec3::X), Vec3::X * 2.0);
    }
}
