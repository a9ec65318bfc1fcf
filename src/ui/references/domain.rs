//! Reference models as the panels see them, and requests about them.

use std::path::PathBuf;

use glam::{Mat4, Quat, Vec3};
use serde::{Deserialize, Serialize};

/// Number that identifies a reference model in this window.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ReferenceId(pub u32);

/// Transform of a reference model in the scene.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReferencePlace {
    /// Position of the model's origin, in meters.
    pub translation: Vec3,
    /// Rotation about the model's origin.
    pub rotation: Quat,
    /// Uniform scale factor.
    pub scale: f32,
}

impl Default for ReferencePlace {
    fn default() -> Self {
        Self { translation: Vec3::ZERO, rotation: Quat::IDENTITY, scale: 1.0 }
    }
}

impl ReferencePlace {
    /// Smallest and largest scale factor.
    pub const SCALES: (f32, f32) = (1e-4, 1e4);

    /// The matrix `scene_from_reference`.
    pub fn matrix(&self) -> Mat4 {
        Mat4::from_scale_rotation_translation(
            Vec3::splat(self.scale),
            self.rotation,
            self.translation,
        )
    }

    /// Replaces invalid numbers, and clamps the scale to its range.
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
    /// Id of the model.
    pub id: ReferenceId,
    /// File name of the model. If several models have the same name, a number is appended.
    pub name: String,
    /// Path of the file.
    pub path: PathBuf,
    /// Name and duration in seconds of each clip.
    pub clips: Vec<(String, f32)>,
    /// Index of the playing clip; `None` for the rest pose.
    pub clip: Option<usize>,
    /// Number of vertices.
    pub vertices: usize,
    /// Number of joints.
    pub joints: usize,
    /// Transform in the scene.
    pub place: ReferencePlace,
    /// True if the model is hidden.
    pub hidden: bool,
    /// True if surfaces are drawn without their materials.
    pub plain: bool,
    /// True if joints are drawn.
    pub shows_joints: bool,
}

/// State of all reference models, for display in the panels.
#[derive(Clone, Copy, Debug, Default)]
pub struct ReferencesView<'a> {
    /// All models in order of loading.
    pub all: &'a [ReferenceFacts],
    /// The selected model, which the manipulator moves.
    pub selected: Option<ReferenceId>,
}

impl<'a> ReferencesView<'a> {
    /// Facts about the selected model.
    pub fn selected(&self) -> Option<&'a ReferenceFacts> {
        self.all.iter().find(|r| Some(r.id) == self.selected)
    }

    /// The model with a name. Without a name, the selected model, or else the last one.
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
    /// Selects a model; `None` deselects.
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
