//! Mirror roles of joints: side, partner, and the source of the role (names or rest positions).

/// Maximum distance of positions that count as equal, relative to the size of the skeleton.
pub(super) const SAME: f32 = 0.005;
/// Distance from symmetry above which the names of a pair are not trusted, relative to the size of
/// the skeleton.
pub(super) const GROSS: f32 = 0.05;

/// A side of the mirror plane, from the character's point of view.
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
    /// Returns the opposite side; the center stays the center.
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
    /// Names only; rest positions do not agree with the names.
    Names,
    /// Rest positions only; names are missing or wrong.
    RestPositions,
    /// Names and rest positions, which agree.
    Both,
    /// No partner was found. The side is that of the joint's position.
    None,
    /// Set by [`MirrorPairs::set_partner`](super::MirrorPairs::set_partner).
    Given,
}

impl PairSource {
    /// Text for display after the partner's name.
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
    /// Side of the joint.
    pub side: Side,
    /// Index of the mirror joint in the skin's list. A joint in the center is its own partner.
    pub partner: Option<usize>,
    /// Source of the partner.
    pub how: PairSource,
}
