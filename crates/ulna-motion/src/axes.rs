//! Spaces for posing: the axes of rotations, translations and scalings.

use glam::{EulerRot, Mat4, Quat, Vec3};
use serde::Serialize;

use ulna_geometry::orthogonal_factor;
use ulna_model::{Property, TransformError, transform::unit_or};

/// The space whose axes a rotation, translation or scaling uses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Space {
    /// The node's own axes.
    #[default]
    Local,
    /// The axes of the node's parent.
    Parent,
    /// The axes of the scene.
    World,
    /// The axes of the node's Euler angles x, y and z. They may not be orthogonal.
    Gimbal,
    /// The node's own axes in the rest pose. The parent keeps its current pose.
    Rest,
}

impl Space {
    /// All spaces.
    pub const ALL: [Self; 5] = [Self::Local, Self::Parent, Self::World, Self::Gimbal, Self::Rest];
    /// Names of all spaces, in the order of [`Self::ALL`].
    pub const WORDS: [&'static str; 5] = ["local", "parent", "world", "gimbal", "rest"];

    /// Name of the space in commands.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Local => "local",
            Self::Parent => "parent",
            Self::World => "world",
            Self::Gimbal => "gimbal",
            Self::Rest => "rest",
        }
    }

    /// Finds the space with this name. `scene` is accepted as a synonym of `world`.
    pub fn named(word: &str) -> Option<Self> {
        if word == "scene" {
            return Some(Self::World);
        }
        Self::ALL.into_iter().find(|space| space.label() == word)
    }
}

/// The parent transform and the rotations of a node, from which its axes are computed.
#[derive(Clone, Copy, Debug)]
pub struct Standing {
    /// `scene_from_parent`, the world transform of the node's parent.
    pub parent: Mat4,
    /// Rotation of the node in the rest pose, relative to its parent.
    pub rest: Quat,
    /// Current rotation of the node, relative to its parent.
    pub rotation: Quat,
}

/// A rotation axis in the parent's space. `mirrored` is true if the rotation angle must be negated,
/// because the parent is mirrored.
#[derive(Clone, Copy, Debug)]
struct InParent {
    axis: Vec3,
    mirrored: bool,
}

impl Standing {
    /// Returns the x, y and z axes of a space as unit vectors in the parent's space. Scene axes are
    /// converted with the orthogonal factor of the parent's matrix.
    ///
    /// # Errors
    /// [`TransformError::SingularParent`] if the space is the scene and the parent's matrix has no
    /// such factor.
    pub fn axes_in_parent(&self, space: Space) -> Result<[Vec3; 3], TransformError> {
        let axes = [Vec3::X, Vec3::Y, Vec3::Z];
        Ok(match space {
            Space::Local => axes.map(|a| self.rotation * a),
            Space::Parent => axes,
            Space::Rest => axes.map(|a| self.rest * a),
            Space::Gimbal => {
                // R = Rx·Ry·Rz: the axis of each angle is rotated by the rotations to its left.
                let (x, y, _) = self.rotation.to_euler(EulerRot::XYZ);
                let (x, y) = (Quat::from_rotation_x(x), Quat::from_rotation_y(y));
                [Vec3::X, x * Vec3::Y, x * y * Vec3::Z]
            }
            Space::World => {
                let turned = orthogonal_factor(&self.parent.as_dmat4())
                    .ok_or(TransformError::SingularParent)?
                    .transpose();
                axes.map(|a| (turned * a.as_dvec3()).as_vec3())
            }
        })
    }

    /// Returns the x, y and z axes of a space as unit vectors in the scene. With a mirrored parent,
    /// they are negated, so that positive rotations follow the right-hand rule in the scene.
    ///
    /// # Errors
    /// As [`Standing::axes_in_parent`].
    pub fn axes_in_scene(&self, space: Space) -> Result<[Vec3; 3], TransformError> {
        if space == Space::World {
            return Ok([Vec3::X, Vec3::Y, Vec3::Z]);
        }
        let turned =
            orthogonal_factor(&self.parent.as_dmat4()).ok_or(TransformError::SingularParent)?;
        let sense = if turned.determinant() < 0.0 { -1.0 } else { 1.0 };
        Ok(self.axes_in_parent(space)?.map(|a| (turned * a.as_dvec3()).as_vec3() * sense))
    }

    /// Returns the axes along which a property of the pose offset is unlocked, as unit vectors in
    /// the scene. Rotations use the axes of the offset's Euler angles.
    ///
    /// # Errors
    /// [`TransformError::SingularParent`] if the parent's matrix has no orthogonal factor.
    pub fn unlocked_axes(
        &self,
        property: Property,
        locked: [bool; 3],
    ) -> Result<Vec<Vec3>, TransformError> {
        let turned =
            orthogonal_factor(&self.parent.as_dmat4()).ok_or(TransformError::SingularParent)?;
        let axes = match property {
            Property::Translation => self.axes_in_parent(Space::Rest)?,
            Property::Rotation => {
                let offset = Self { rotation: self.rest.conjugate() * self.rotation, ..*self };
                offset.axes_in_parent(Space::Gimbal)?.map(|a| self.rest * a)
            }
            Property::Scale | Property::Weights => self.axes_in_parent(Space::Local)?,
        };
        let free = axes.into_iter().zip(locked).filter(|(_, is_locked)| !is_locked);
        Ok(free.map(|(a, _)| (turned * a.as_dvec3()).as_vec3()).collect())
    }

    fn in_parent(&self, axis: Vec3, space: Space) -> Result<InParent, TransformError> {
        let [x, y, z] = self.axes_in_parent(space)?;
        let along = (x * axis.x + y * axis.y + z * axis.z).normalize_or(axis);
        let mirrored =
            space == Space::World && glam::Mat3::from_mat4(self.parent).determinant() < 0.0;
        Ok(InParent { axis: along, mirrored })
    }

    /// Returns the rotation of the node after a turn by `angle` radians about an axis of a space.
    ///
    /// A turn `u` in the scene is converted to the parent by the orthogonal factor `O` of the
    /// parent's matrix, reflection included: `r' = (O⁻¹·u·O)·r`. So non-uniform scales of the
    /// parent do not affect the node.
    ///
    /// # Errors
    /// [`TransformError::SingularParent`] if the parent's matrix has no such factor.
    /// [`TransformError::NotFinite`] if the result is not finite.
    pub fn turned(&self, axis: Vec3, angle: f32, space: Space) -> Result<Quat, TransformError> {
        let turned = match space {
            // Multiplied on the right, so that a turn about one of the node's own axes does not
            // change the other Euler angles by rounding.
            Space::Local => self.rotation * Quat::from_axis_angle(axis, angle),
            Space::Parent => Quat::from_axis_angle(axis, angle) * self.rotation,
            Space::World | Space::Gimbal | Space::Rest => {
                let along = self.in_parent(axis, space)?;
                // Conjugating a turn transforms its axis. In a mirrored space, it also negates the
                // angle.
                let sense = if along.mirrored { -angle } else { angle };
                Quat::from_axis_angle(along.axis, sense) * self.rotation
            }
        };
        if turned.is_finite() {
            Ok(unit_or(turned, self.rotation))
        } else {
            Err(TransformError::NotFinite)
        }
    }
}
