//! Components of a local transform.

use glam::{Quat, Vec3};

use super::{
    ChannelLocks, Local, Property, Transform, TransformError,
    channel_locks::{is_free, with_angles},
    transform::{is_turned_less, unit_or},
};

/// Partial local transform. Components that are `None` are not set.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Components {
    /// Translation in meters, in the parent's space.
    pub translation: Option<Vec3>,
    /// Rotation as a unit quaternion.
    pub rotation: Option<Quat>,
    /// Scale factors.
    pub scale: Option<Vec3>,
}

impl Components {
    /// Whether no component is set.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Copy with the components of `other` where none is set here.
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

    /// Whether a component is set; always false for morph weights.
    pub const fn has(&self, property: Property) -> bool {
        match property {
            Property::Translation => self.translation.is_some(),
            Property::Rotation => self.rotation.is_some(),
            Property::Scale => self.scale.is_some(),
            Property::Weights => false,
        }
    }

    /// Clears a component.
    pub const fn remove(&mut self, property: Property) {
        match property {
            Property::Translation => self.translation = None,
            Property::Rotation => self.rotation = None,
            Property::Scale => self.scale = None,
            Property::Weights => {}
        }
    }

    /// Copy in which changes of locked channels are undone. A rotation becomes the nearest one that
    /// keeps the locked angles.
    ///
    /// `now` is the local transform before the change. With the identity as `rest`, both transforms
    /// are pose offsets.
    #[must_use]
    pub fn keeping(&self, locks: ChannelLocks, rest: &Transform, now: &Transform) -> Self {
        let mask = |axes: [bool; 3]| Vec3::from_array(axes.map(|l| f32::from(u8::from(l))));
        let mut kept = *self;
        for property in Property::TRS {
            if locks.has_all_of(property) {
                kept.remove(property);
            }
        }
        if let (Some(to), false) = (kept.translation, is_free(&locks.translation)) {
            // No division by the rest's scale, which may be 0.
            let back = rest.rotation.conjugate() * (now.translation - to);
            kept.translation = Some(to + rest.rotation * (back * mask(locks.translation)));
        }
        if let (Some(to), false) = (kept.rotation, is_free(&locks.rotation)) {
            let own = |q: Quat| rest.rotation.conjugate() * q;
            let made = rest.rotation * with_angles(own(now.rotation), own(to), locks.rotation);
            // If the free angles do not change, the rotation is not set and keeps its exact value.
            kept.rotation = Some(made).filter(|q| !is_turned_less(*q, now.rotation, 1e-6));
        }
        if let (Some(to), false) = (kept.scale, is_free(&locks.scale)) {
            let axis = |k: usize| if locks.scale[k] { now.scale[k] } else { to[k] };
            kept.scale = Some(Vec3::new(axis(0), axis(1), axis(2)));
        }
        kept
    }

    /// Copy in which only the listed components are set.
    #[must_use]
    pub fn only(&self, parts: &[Property]) -> Self {
        Self {
            translation: self.translation.filter(|_| parts.contains(&Property::Translation)),
            rotation: self.rotation.filter(|_| parts.contains(&Property::Rotation)),
            scale: self.scale.filter(|_| parts.contains(&Property::Scale)),
        }
    }

    /// Copy of `under` in which the components that are set here are replaced.
    pub fn over(&self, under: &Transform) -> Transform {
        Transform {
            translation: self.translation.unwrap_or(under.translation),
            rotation: self.rotation.unwrap_or(under.rotation),
            scale: self.scale.unwrap_or(under.scale),
        }
    }

    /// Copy of the local transform `under` in which the components that are set here are replaced.
    /// A matrix is returned unchanged if no component is set.
    pub fn seen(&self, under: &Local) -> Local {
        if self.is_empty() { *under } else { Local::Trs(self.over(&under.transform())) }
    }
}

impl Transform {
    /// Pose offset `ul` for which `self ∘ ul` has the components of `wanted`. Components that
    /// `wanted` does not set are copied from `old`.
    ///
    /// # Errors
    /// As for [`Transform::user_from`].
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::channel_locks::tests::{angles, euler};

    proptest! {
        #[test]
        fn locked_channels_never_change(
            rest in prop::array::uniform3(-80.0f32..80.0),
            now in prop::array::uniform9(-70.0f32..70.0),
            to in prop::array::uniform9(-170.0f32..170.0),
            locked in prop::array::uniform9(any::<bool>()),
        ) {
            let of = |v: [f32; 9]| Transform {
                translation: Vec3::new(v[0], v[1], v[2]) * 0.01,
                rotation: euler([v[3], v[4], v[5]]),
                scale: Vec3::ONE + Vec3::new(v[6], v[7], v[8]) * 0.005,
            };
            let rest = Transform { rotation: euler(rest), ..of([10.0; 9]) };
            let (now, to) = (rest.compose(&of(now)), of(to));
            let three = |k: usize| [locked[k], locked[k + 1], locked[k + 2]];
            let locks =
                ChannelLocks { translation: three(0), rotation: three(3), scale: three(6) };
            let all = Components {
                translation: Some(to.translation),
                rotation: Some(to.rotation),
                scale: Some(to.scale),
            };
            let kept = all.keeping(locks, &rest, &now);
            let (before, after) =
                (rest.user_from(&now).unwrap(), rest.user_from(&kept.over(&now)).unwrap());
            let (a, b) = (angles(before.rotation), angles(after.rotation));
            for k in 0..3 {
                let moved = (before.translation[k] - after.translation[k]).abs();
                prop_assert!(!locks.translation[k] || moved < 1e-5);
                prop_assert!(!locks.scale[k] || before.scale[k] == after.scale[k]);
                // Near 90° about y, several values of the other two angles describe the same
                // rotation.
                let is_clear = b[1].abs() < 85.0;
                let turned = (a[k] - b[k]).rem_euclid(360.0);
                let turned = turned.min(360.0 - turned);
                let half = (turned - 180.0).abs();
                prop_assert!(
                    !locks.rotation[k] || !is_clear || turned < 0.1 || half < 0.1 || k == 1,
                    "{locks:?} {a:?} {b:?}"
                );
            }
            if locks.is_empty() {
                prop_assert_eq!(kept, all);
            }
            if locks.has_all_of(Property::Rotation) {
                prop_assert_eq!(kept.rotation, None);
            }
        }
    }
}
