//! Sets of components of nodes that clips or layers drive.

use glam::{Quat, Vec3};

use crate::turn::LANES;
use ulna_model::{Property, Transform};

/// Components of a node that clips or layers drive, as bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Parts(u8);

impl Parts {
    /// Bits of translation, rotation and scale.
    const WHOLE: u8 = 7;

    pub(crate) const fn bit(property: Property) -> Self {
        Self(match property {
            Property::Translation => 1,
            Property::Rotation => 2,
            Property::Scale => 4,
            Property::Weights => 8,
        })
    }

    pub(crate) const fn has(self, property: Property) -> bool {
        self.0 & Self::bit(property).0 != 0
    }

    pub(crate) const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether translation, rotation and scale are all driven.
    pub(crate) const fn is_whole(self) -> bool {
        self.0 & Self::WHOLE == Self::WHOLE
    }

    /// Whether translation, rotation or scale is driven.
    pub(crate) const fn moves(self) -> bool {
        self.0 & Self::WHOLE != 0
    }

    pub(crate) const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Returns the components that a user-local transform (`Ul`) changes.
    pub(crate) fn moved_by(user: &Transform) -> Self {
        let mut parts = Self::default();
        for (property, moves) in [
            (Property::Translation, user.translation != Vec3::ZERO),
            (Property::Rotation, user.rotation != Quat::IDENTITY),
            (Property::Scale, user.scale != Vec3::ONE),
        ] {
            if moves {
                parts = parts.or(Self::bit(property));
            }
        }
        parts
    }
}

/// Components of eight nodes that clips or layers drive.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DrivenChannels {
    pub parts: [Parts; LANES],
    /// Whether translation, rotation and scale of all nodes are driven.
    pub whole: bool,
    /// Whether no component of any node is driven.
    pub none: bool,
}

impl DrivenChannels {
    /// Combines the driven components of at most eight nodes.
    pub(crate) fn new(nodes: &[Parts]) -> Self {
        let mut parts = [Parts::default(); LANES];
        parts[..nodes.len()].copy_from_slice(nodes);
        Self {
            parts,
            whole: nodes.iter().all(|p| p.is_whole()),
            none: nodes.iter().all(|p| p.0 & Parts::WHOLE == 0),
        }
    }
}
