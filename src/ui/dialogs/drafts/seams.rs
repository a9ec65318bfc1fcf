//! Filter and order of the list of best transition points.

use ulna_model::ClipId;

/// Order of the transition points.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SeamOrder {
    /// By the distance that joints jump.
    #[default]
    Distance,
    /// By the angle that joints turn.
    Angle,
    /// By the change of velocity.
    Speed,
}

/// Filter and order of the transition points.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SeamsDraft {
    /// Text that the clips' names contain.
    pub filter: String,
    /// Sort order.
    pub order: SeamOrder,
    /// The pair that is looked at.
    pub shown: Option<(ClipId, ClipId)>,
}
