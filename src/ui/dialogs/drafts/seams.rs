//! Filter and sort order of the list of best transition points.

use ulna_model::ClipId;

/// Sort order of the transition points.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SeamOrder {
    /// By the distance that joints jump.
    #[default]
    Distance,
    /// By the angle that joints jump.
    Angle,
    /// By the change of velocity.
    Speed,
}

/// Choices in the dialog that lists transition points: their filter and sort order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SeamsDraft {
    /// Text that the names of the clips must contain.
    pub filter: String,
    /// Sort order.
    pub order: SeamOrder,
    /// Pair of clips that is shown in detail.
    pub shown: Option<(ClipId, ClipId)>,
}
