//! Filter and order of the list of best transition points.

use ulna_model::ClipId;

/// What the seams are sorted by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SeamOrder {
    /// How far joints jump.
    #[default]
    Distance,
    /// How far they turn.
    Angle,
    /// How much their velocity changes.
    Speed,
}

/// What of the seams is shown.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SeamsDraft {
    /// What names of clips hold.
    pub filter: String,
    /// By what they are sorted.
    pub order: SeamOrder,
    /// The pair that is looked at.
    pub shown: Option<(ClipId, ClipId)>,
}
