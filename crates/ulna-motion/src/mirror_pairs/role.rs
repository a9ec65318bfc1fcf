//! Roles of joints to the mirror: sides, partners, and the source of a guess.

/// Distances, in sizes of the skeleton: within the first, two places are the same.
pub(super) const SAME: f32 = 0.005;
/// Beyond this, a pair of names is grossly out of place.
pub(super) const GROSS: f32 = 0.05;

/// A side of the mirror plane, as the character has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The character's left.
    Left,
    /// The character's right.
    Right,
    /// On the plane.
    Center,
}

impl Side {
    /// The side across the plane.
    pub const fn other(self) -> Self {
        match self {
            Self::Left => Self::Right,
            Self::Right => Self::Left,
            Self::Center => Self::Center,
        }
    }
}

/// Source of a guessed role.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PairSource {
    /// Names alone; rest positions do not agree with them.
    Names,
    /// Rest positions alone; names say nothing, or the wrong thing.
    RestPositions,
    /// Names, and rest positions agree.
    Both,
    /// Nothing: no partner was found, and the side is the one it lies on.
    None,
    /// Nothing was guessed: [`MirrorPairs::set_partner`](super::MirrorPairs::set_partner) said so.
    Given,
}

impl PairSource {
    /// In words, after the partner's name.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Names => "by name",
            Self::RestPositions => "by rest position",
            Self::Both => "by name and rest position",
            Self::None => "a guess",
            Self::Given => "set by you",
        }
    }
}

/// Role of a joint in mirroring: its side and its partner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Role {
    /// Its side.
    pub side: Side,
    /// Its mirror joint, an index into the skin's list; a joint of the center is its own.
    pub partner: Option<usize>,
    /// Source of the partner.
    pub how: PairSource,
}
