//! The spaces that joints are posed in: whose axes a turn, a move or a scaling is along.

use glam::{EulerRot, Mat4, Quat, Vec3};
use serde::Serialize;

use ulna_geometry::orthogonal_factor;
use ulna_model::{Property, TransformError, transform::unit_or};

/// The axes a move is along.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Space {
    /// The node's own.
    #[default]
    Local,
    /// Its parent's.
    Parent,
    /// The scene's.
    World,
    /// Those that the node's angles about x, y and z are counted on. They need not be square to one
    /// another.
    Gimbal,
    /// The node's own at rest, in its parent as it is.
    Rest,
}

impl Space {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Local, Self::Parent, Self::World, Self::Gimbal, Self::Rest];
    /// Their words in a command line.
    pub const WORDS: [&'static str; 5] = ["local", "parent", "world", "gimbal", "rest"];

    /// The word in a command line.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Local => "local",
            Self::Parent => "parent",
            Self::World => "world",
            Self::Gimbal => "gimbal",
            Self::Rest => "rest",
        }
    }

    /// The space that a word names. “scene” means the world, as in other programs and on the pages
    /// of this one.
    pub fn named(word: &str) -> Option<Self> {
        if word == "scene" {
            return Some(Self::World);
        }
        Self::ALL.into_iter().find(|space| space.label() == word)
    }
}

/// Where a node stands, as far as its axes are concerned.
#[derive(Clone, Copy, Debug)]
pub struct Standing {
    /// `scene_from_parent`.
    pub parent: Mat4,
    /// The rotation of its rest.
    pub rest: Quat,
    /// The rotation of its local transform.
    pub rotation: Quat,
}

/// A turn about a direction of the parent, whose angle runs the other way round in a mirrored
/// parent.
#[derive(Clone, Copy, Debug)]
struct InParent {
    axis: Vec3,
    mirrored: bool,
}

impl Standing {
    /// The axes x, y, z of a space as unit directions of the parent; of the scene, by the parent's
    /// orthogonal factor.
    ///
    /// # Errors
    /// [`TransformError::SingularParent`] where the parent has no such factor and the space is the
    /// scene.
    pub fn axes_in_parent(&self, space: Space) -> Result<[Vec3; 3], TransformError> {
        let axes = [Vec3::X, Vec3::Y, Vec3::Z];
        Ok(match space {
            Space::Local => axes.map(|a| self.rotation * a),
            Space::Parent => axes,
            Space::Rest => axes.map(|a| self.rest * a),
            Space::Gimbal => {
                // R = Rx·Ry·Rz: more of an angle is a turn about its axis as those before it leave
                // it.
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

    /// The same axes as directions of the scene. In a mirrored parent a positive turn about one of
    /// the parent's runs the other way round, so those directions are turned about: a turn is by
    /// the right hand in the scene.
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

    /// Axes of the unlocked channels of a property of the pose offset, as unit directions of the
    /// scene; an angle's axis is the one that it turns about.
    ///
    /// # Errors
    /// [`TransformError::SingularParent`] where the parent has no orthogonal factor.
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

    /// The rotation after a turn about an axis of a space.
    ///
    /// A turn `u` in the scene is taken into the parent by the orthogonal factor `O` of the
    /// parent's matrix, reflection included: `r' = (O⁻¹·u·O)·r`. Nothing of a parent's unequal
    /// scales goes into the node.
    ///
    /// # Errors
    /// [`TransformError::SingularParent`] where the parent has no such factor.
    pub fn turned(&self, axis: Vec3, angle: f32, space: Space) -> Result<Quat, TransformError> {
        let turned = match space {
            // On the right, so that a turn about an own axis leaves no last digit in the others.
            Space::Local => self.rotation * Quat::from_axis_angle(axis, angle),
            Space::Parent => Quat::from_axis_angle(axis, angle) * self.rotation,
            Space::World | Space::Gimbal | Space::Rest => {
                let along = self.in_parent(axis, space)?;
                // A conjugate of a turn is the turn about the axis taken along, the other way round
                // in a mirror.
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
