//! Components of a local transform.

use glam::{Quat, Vec3};

use super::{Local, Property, Transform, TransformError, transform::unit_or};

/// Some components of a local transform.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Components {
    /// Meters in the parent's space.
    pub translation: Option<Vec3>,
    /// Unit quaternion.
    pub rotation: Option<Quat>,
    /// Factors.
    pub scale: Option<Vec3>,
}

impl Components {
    /// Whether none is given.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// These components, and those of `other` that are not given here.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Self {
            translation: self.translation.or(other.translation),
            rotation: self.rotation.or(other.rotation),
            scale: self.scale.or(other.scale),
        }
    }

    /// Whether every number is finite.
    pub fn is_finite(&self) -> bool {
        self.over(&Transform::IDENTITY).is_finite()
    }

    /// Whether a component is given; morph weights are none of them.
    pub const fn has(&self, property: Property) -> bool {
        match property {
            Property::Translation => self.translation.is_some(),
            Property::Rotation => self.rotation.is_some(),
            Property::Scale => self.scale.is_some(),
            Property::Weights => false,
        }
    }

    /// Of these only some.
    #[must_use]
    pub fn only(&self, parts: &[Property]) -> Self {
        Self {
            translation: self.translation.filter(|_| parts.contains(&Property::Translation)),
            rotation: self.rotation.filter(|_| parts.contains(&Property::Rotation)),
            scale: self.scale.filter(|_| parts.contains(&Property::Scale)),
        }
    }

    /// A transform with these components put in.
    pub fn over(&self, under: &Transform) -> Transform {
        Transform {
            translation: self.translation.unwrap_or(under.translation),
            rotation: self.rotation.unwrap_or(under.rotation),
            scale: self.scale.unwrap_or(under.scale),
        }
    }

    /// What is seen of a node with these components put in; a matrix of which nothing is changed
    /// stays one.
    pub fn seen(&self, under: &Local) -> Local {
        if self.is_empty() { *under } else { Local::Trs(self.over(&under.transform())) }
    }
}

impl Transform {
    /// The `ul` for which `self ∘ ul` has the components that are given, the others as in `old`.
    /// None is worked out that is not asked for.
    ///
    /// # Errors
    /// As [`Transform::user_from`].
    pub fn user_where(&self, wanted: &Components, old: &Self) -> Result<Self, TransformError> {
        if self.scale.cmpeq(Vec3::ZERO).any() {
            return Err(TransformError::ZeroScale);
        }
        let inverse = self.rotation.conjugate();
        let user = Self {
            translation: wanted
                .translation
                .map_or(old.translation, |t| (inverse * (t - self.translation)) / self.scale),
            rotation: wanted
                .rotation
                .map_or(old.rotation, |r| unit_or(inverse * r, Quat::IDENTITY)),
            scale: wanted.scale.map_or(old.scale, |s| s / self.scale),
        };
        if user.is_finite() { Ok(user) } else { Err(TransformError::NotFinite) }
    }
}
